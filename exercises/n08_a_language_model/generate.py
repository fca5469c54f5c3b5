"""generate: the reference and its test cases; the page next to it says the rest."""

import torch
from torch import nn

from exercises.common.inputs import generator, normal
from feedback import BehavioralTest, ContractViolation, FunctionRunner, Property, TestCase
from feedback.format import counted, describe, sentence, shortly
from feedback.page_exercise import exercise


def generate(model, ids, steps):
    new, past = ids, None  # first the whole prefix, then one token at a time
    for _ in range(steps):
        logits, past = model(new, past)
        new = logits[:, -1].argmax(dim=-1, keepdim=True)  # (B, 1)
        ids = torch.cat([ids, new], dim=1)
    return ids


LONGEST, WIDTH = 40, 8


class Past:
    """What a model keeps of the positions it has read; its content is private."""

    def __init__(self, keys, values):
        self._keys, self._values = keys, values

    def __repr__(self):
        return f"a past of {self._keys.size(1)} positions"


class Weights:
    """The parameters of a model with one layer of causal attention, whose logits depend on all tokens and positions."""

    def __init__(self, seed, vocabulary):
        self.vocabulary = vocabulary
        shapes = ((vocabulary, WIDTH), (LONGEST, WIDTH), *[(WIDTH, WIDTH)] * 3, (WIDTH, vocabulary))
        self.numbers = [1.5 * normal(*shape, seed=seed + i, dtype=torch.float64) for i, shape in enumerate(shapes)]

    def __deepcopy__(self, memo):
        return self  # a learner's code never gets this object

    def __repr__(self):
        return f"a model of {self.vocabulary} tokens"

    def read(self, ids, past):
        """Return logits (B, T, V) and the new past."""
        tokens, positions, query, key, value, out = self.numbers
        old = 0 if past is None else past._keys.size(1)
        if old + ids.size(1) > LONGEST:
            raise ValueError(f"this model has {LONGEST} positions, and was to read {old + ids.size(1)}")
        x = tokens[ids.long()] + positions[old : old + ids.size(1)]  # (B, T, C)
        keys, values = x @ key, x @ value
        if past is not None:
            keys, values = torch.cat([past._keys, keys], 1), torch.cat([past._values, values], 1)
        visible = torch.ones(ids.size(1), keys.size(1), dtype=torch.bool).tril(old)
        scores = (x @ query @ keys.transpose(1, 2)) / WIDTH
        weights = scores.masked_fill(~visible, float("-inf")).softmax(-1)
        return (0.05 * x + 0.2 * weights @ values) @ out, Past(keys, values)


class Model(nn.Module):
    """The model for a learner's code: model(ids, past=None) -> (logits, past). It records what it was fed."""

    def __init__(self, weights):
        super().__init__()
        self._numbers = weights
        self._fed = []

    def forward(self, ids, past=None):
        if not isinstance(ids, torch.Tensor) or ids.dim() != 2 or ids.is_floating_point():
            got = f"{describe(ids)} and dtype {ids.dtype}" if isinstance(ids, torch.Tensor) else describe(ids)
            raise ValueError(f"the model reads ids (B, T) of whole numbers, got {got}")
        if past is not None and not isinstance(past, Past):
            raise TypeError(f"past must be None or the past that the model returned, got {describe(past)}")
        if past is not None and past._keys.size(0) != ids.size(0):
            raise ValueError(f"ids has {ids.size(0)} rows, and the past has {past._keys.size(0)}")
        self._fed.append((ids.tolist(), 0 if past is None else past._keys.size(1)))
        return self._numbers.read(ids, past)


def first_difference(case):
    """Show the first wrong call of the model, or else the first wrong row."""
    ids, fed = case.actual
    right_ids, right_fed = case.expected
    for number, (mine, right) in enumerate(zip(fed, right_fed, strict=False), start=1):
        if mine != right:
            return f"call {number} of the model should get {call_of(right)}; yours gets {call_of(mine)}"
    if len(fed) != len(right_fed):
        calls, new = counted(len(right_fed), "call", "calls"), counted(case.args[2], "new token", "new tokens")
        return f"{new} should take {calls} of the model; yours makes {len(fed)}"
    if not isinstance(ids, list) or len(ids) != len(right_ids) or not isinstance(ids[0], list):
        return f"your result is {shortly(ids)}, and {right_ids} is right"
    at = next((row for row, right in enumerate(right_ids) if ids[row] != right), 0)
    return f"row {at} of your result is {ids[at]}, and {right_ids[at]} is right"


def call_of(feed):
    """Describe what the model was fed, for example 'the ids [[3]] and a past of 5 positions'."""
    ids, covered = feed
    past = f"a past of {counted(covered, 'position', 'positions')}" if covered else "no past"
    return f"the ids {shortly(ids)} and {past}"


class Answer(list):
    """[ids, what the model was fed], in a form that the engine can compare; only ids are shown."""

    def __repr__(self):
        return repr(self[0])


def call(attempt, weights, ids, steps):
    """Return [the returned ids, what the model was fed].

    Errors: ContractViolation if something other than ids was returned
    """
    model = Model(weights)
    out = attempt(model, ids, steps)
    if out is None:
        raise ContractViolation("returns-none", "Your code returned None; the ids (B, T + steps) were expected.")
    if not isinstance(out, torch.Tensor):
        raise ContractViolation(
            "returns-wrong-type",
            f"Your code returned {describe(out)}; one tensor, the ids (B, T + steps), was expected.",
        )
    if out.is_floating_point() or out.dtype == torch.bool:
        raise ContractViolation("wrong-dtype", f"ids are whole numbers; your result has the dtype {out.dtype}.")
    return Answer([out.tolist(), judged(model._fed, steps, out)])


def judged(fed, steps, out):
    """Return what was fed, without a last call that feeds the last new token, since its logits are not needed."""
    one_more = len(fed) == steps + 1
    if one_more or (len(fed) > steps and torch.equal(torch.tensor(fed[-1][0]), out[:, -1:])):
        return fed[:-1]
    return fed


def given(args):
    weights, ids, steps = args
    return f"It was called with {weights!r}, ids of shape {tuple(ids.shape)} and steps = {steps}."


def differs_in(part):
    """Return a test whether the ids (part 0) or what the model was fed (part 1) differ from the right ones."""
    return lambda case: sentence(first_difference(case)) if case.actual[part] != case.expected[part] else None


def changes_the_mode(attempt):
    for training in (True, False):
        model = Model(SMALL).train(training)
        attempt(model, torch.tensor([[1, 2]]), 2)
        if model.training != training:
            was, now = ("training" if mode else "evaluation" for mode in (training, model.training))
            return f"The ids are right, but the model came in {was} mode, and is in {now} mode afterwards."
    return None


def arguments(seed, vocabulary, b, t, steps):
    return Weights(1000 + 10 * seed, vocabulary), torch.randint(vocabulary, (b, t), generator=generator(seed)), steps


def stage_of(args):
    """Judge one step, which needs no past, first, then several, and none last."""
    return {0: 2, 1: 0}.get(args[2], 1)


SMALL = Weights(1110, 5)

EXERCISE = exercise(
    generate,
    explain=first_difference,
    returns=("ids",),
    runner=FunctionRunner(call, describe=given),
    stage_of=stage_of,
    cases=(
        TestCase("one step", arguments(1, 11, 2, 5, 1)),
        TestCase("seven steps", arguments(3, 11, 2, 5, 7)),
        TestCase("three rows, two steps", arguments(4, 13, 3, 3, 2)),
        TestCase("a prefix of one token", arguments(5, 11, 2, 1, 5)),
        TestCase("no step", arguments(7, 11, 2, 5, 0)),
        TestCase(
            "a text that fills the model's positions",
            arguments(8, 11, 1, LONGEST + 1 - 7, 7),
            limitation="It has a limit: a text that fills all positions of the model. Once the last new token is "
            "chosen, what would come after it is not asked for: a call that feeds this token finds no position left.",
        ),
    ),
    minimal_inputs=(
        (Weights(1100, 5), torch.tensor([[1, 2]]), 1),
        (SMALL, torch.tensor([[1, 2]]), 2),
        (Weights(1130, 5), torch.tensor([[1, 2], [4, 3]]), 2),
        (Weights(1140, 5), torch.tensor([[1, 2]]), 0),
    ),
    error_meanings=(
        (
            r"the model reads ids \(B, T\)",
            "The model reads ids of the shape (B, T), also for a single new token: (B, 1). `argmax(dim=-1, "
            "keepdim=True)` keeps the axis.",
        ),
        (
            r"ids has \d+ rows, and the past has",
            "The model was fed another number of rows than the past has: each row of ids gets a token of its own, so "
            "`argmax` needs `dim=-1`; and every text begins with a new past, None.",
        ),
        (
            r"past must be None or the past|'Past' object ",
            "The model returns the pair (logits, past), in this order: take it apart, `logits, past = model(...)`, and "
            "give past to the next call without looking inside.",
        ),
        (
            r"this model has \d+ positions",
            "The model was fed more tokens than the text has: every token should be fed once.",
        ),
        (
            r"'tuple' object has no attribute '(\w+)'|tuple indices must be integers",
            "The model returns the pair (logits, past): take it apart, `logits, past = model(...)`.",
        ),
    ),
    properties=(
        Property(
            "fed-otherwise",
            differs_in(1),
            "Print what you feed, in every call, and its shape. It should be the prefix (B, T) once, and then each "
            "newest token, (B, 1), as many calls as steps.",
        ),
        Property("other-ids", differs_in(0), "Print the ids after each step. Where do they part from the right ones?"),
    ),
    behavioral_tests=(
        BehavioralTest(
            "mode-changed",
            changes_the_mode,
            "Whoever calls this function decides on the mode, and may train the model on. Which line changes it, and "
            "does another one put it back?",
            required=True,
            while_doing="called in both modes,",
        ),
    ),
)
