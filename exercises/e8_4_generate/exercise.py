"""Exercise 8.4: generate."""

import torch

from exercises.common.inputs import generator
from exercises.e8_4_generate.misconceptions import known, told
from exercises.e8_4_generate.model import LONGEST, Model, Weights
from exercises.e8_4_generate.reference import generate
from feedback import ContractViolation, Exercise, FunctionRunner, Property, TestCase
from feedback.format import describe, sentence


class Answer(list):
    """[ids, what the model was fed], in the form that the engine compares; ids are shown as they came."""

    def __repr__(self):
        return repr(self[0])


def call(attempt, weights, ids, steps):
    """[the ids that came back, what the model was fed].

    Errors: ContractViolation if something other than ids came back
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
    """What was fed, without a last call whose logits nobody needs: the text would go on with it."""
    if len(fed) <= steps:
        return fed
    newest = len(fed) > 0 and torch.equal(torch.tensor(fed[-1][0]), out[:, -1:])
    return fed[:-1] if newest or len(fed) == steps + 1 else fed


def given(args):
    weights, ids, steps = args
    return f"It was called with {weights!r}, ids of shape {tuple(ids.shape)} and steps = {steps}."


def wrong_feeds(case):
    return sentence(told(case)) if case.actual[1] != case.expected[1] else None


def wrong_ids(case):
    return sentence(told(case)) if case.actual[0] != case.expected[0] else None


def arguments(seed, vocabulary, b, t, steps):
    return Weights(1000 + 10 * seed, vocabulary), torch.randint(vocabulary, (b, t), generator=generator(seed)), steps


def stage_of(args):
    """One step, which needs no past; several; none."""
    return {0: 2, 1: 0}.get(args[2], 1)


EXERCISE = Exercise(
    minutes=12,
    difficulty=2,
    gives="ids (B, T + steps): the prefix, followed by the most likely tokens, one after the other; the model is fed "
    "the prefix once, and then each new token by itself, with the past",
    reference=generate,
    returns=("ids",),
    runner=FunctionRunner(call, describe=given),
    stage_of=stage_of,
    cases=(
        TestCase("one step", arguments(1, 11, 2, 5, 1)),
        TestCase("one step, one row", arguments(2, 13, 1, 7, 1)),
        TestCase("seven steps", arguments(3, 11, 2, 5, 7)),
        TestCase("three rows, two steps", arguments(4, 13, 3, 3, 2)),
        TestCase("a prefix of one token", arguments(5, 11, 2, 1, 5)),
        TestCase("a long text", arguments(6, 17, 1, 11, 13)),
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
        (Weights(1110, 5), torch.tensor([[1, 2]]), 2),
        (Weights(1120, 5), torch.tensor([[3, 1, 2]]), 3),
        (Weights(1130, 5), torch.tensor([[1, 2], [4, 3]]), 2),
        (Weights(1140, 5), torch.tensor([[1, 2]]), 0),
    ),
    misconceptions=known,
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
    hints=(
        "The first call reads the whole prefix, and its logits at the last position give the first new token. What has "
        "the model not read then?",
        "In each step: `logits, past = model(new, past)`, where new is the prefix at first and then the token that you "
        "appended. The next token is `logits[:, -1].argmax(dim=-1, keepdim=True)`, (B, 1).",
        "new, past = ids, None; then steps times: call the model, take the token as new, and `ids = torch.cat([ids, "
        "new], dim=1)`.",
    ),
    properties=(
        Property(
            "fed-otherwise",
            wrong_feeds,
            "Print what you feed, in every call, and its shape. It should be the prefix (B, T) once, and then each "
            "newest token, (B, 1), as many calls as steps.",
        ),
        Property("other-ids", wrong_ids, "Print the ids after each step. Where do they part from the right ones?"),
    ),
    when_correct="No token was read twice. A chat model that answers you runs this loop.",
)
