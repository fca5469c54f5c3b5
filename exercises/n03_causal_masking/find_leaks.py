"""find_leaks: the reference, the models on which leak tests are tried, and explanations of wrong lists."""

import math
from numbers import Integral

import torch
import torch.nn.functional as F

from exercises.common.explainers import counted, shortly
from exercises.common.inputs import AXES, normal
from feedback import FunctionRunner, Property, TestCase
from feedback.format import sentence
from feedback.page_exercise import exercise
from feedback.sandbox import ContractViolation


def find_leaks(attend, x):
    """Change x at one position after the other, and see which outputs before it move.

    Shapes: x (B, T, C); attend takes it to (B, T, C') -> a sorted list of pairs (i, j), j > i
    """
    before, noise = attend(x), torch.randn_like(x)
    leaks = []
    for j in range(1, x.size(1)):
        changed = x.clone()
        changed[:, j] += noise[:, j]
        moved = (attend(changed) - before).abs().amax(dim=(0, 2))  # (T,): over items and features
        leaks += [(i, j) for i in range(j) if moved[i] > 1e-4]
    return sorted(leaks)


# ---------------------------------------------------------------- lists of leaks


def is_pair(entry):
    return (
        isinstance(entry, tuple)
        and len(entry) == 2
        and all(isinstance(number, Integral) and not isinstance(number, bool) for number in entry)
    )


def pairs_of(case):
    """Return the learner's pairs, as plain numbers."""
    return [(int(i), int(j)) for i, j in case.actual]


def difference(case):
    """Show the first entry that is not a pair of whole numbers, or else the first wrong or missing pair."""
    at = next((n for n, entry in enumerate(case.actual) if not is_pair(entry)), None)
    if at is not None:
        return (
            f"entry {at} of your list is {shortly(case.actual[at])}; a pair is a tuple of two whole numbers, such as "
            "(0, 2)"
        )
    pairs = pairs_of(case)
    for i, j in pairs:
        if (i, j) not in case.expected:
            return f"{(i, j)} is in your list. {why_not(i, j, case.args[1].size(1))}"
    for i, j in case.expected:
        if (i, j) not in pairs:
            return (
                f"{(i, j)} is missing from your list: the output at position {i} changes when x changes at position {j}"
            )
    return f"your list holds the right pairs, but it begins {shortly(case.actual)}"


def why_not(i, j, length):
    if not (0 <= i < length and 0 <= j < length):
        return f"Positions are counted from 0 to {length - 1}"
    if i == j:
        return "A position may read itself"
    if i > j:
        return f"Position {j} comes before position {i}, which may read it"
    return f"The output at position {i} does not change with x at position {j}"


@Property.named(
    "not-pairs",
    "A pair is a tuple of two Python numbers, `(int(i), int(j))`: `x.item()` and `x.tolist()` turn tensors into "
    "numbers, and `tuple(pair)` turns a list into a tuple.",
)
def not_pairs(case):
    return None if all(map(is_pair, case.actual)) else sentence(difference(case))


@Property.named("listed-twice", "Take the largest movement over all items and features first; then decide once.")
def listed_twice(case):
    pairs = pairs_of(case)
    twice = next((pair for pair in pairs if pairs.count(pair) > 1), None)
    if twice is None:
        return None
    return f"{twice} is in your list {counted(pairs.count(twice), 'time', 'times')}; each pair is listed once."


@Property.named(
    "no-leak-there",
    "Change x at position j alone, in a copy of its own, and compare the outputs before j with those of `attend(x)`: "
    "which of them move by more than rounding?",
)
def no_leak_there(case):
    return f"{difference(case)}." if set(pairs_of(case)) - set(case.expected) else None


@Property.named(
    "leak-missed",
    "Which positions j does your code change, and how large a movement passes for rounding (1e-4)? Is the change "
    "itself large enough, in all items and features? Do you look at every output before j, in every item and "
    "feature, and compare it with `attend(x)`? Does a movement downward count, too (`abs`)?",
)
def leak_missed(case):
    return f"{difference(case)}." if set(case.expected) - set(pairs_of(case)) else None


# ---------------------------------------------------------------- models: honest ones, and some that leak
#
# Where a model leaks, adding random numbers to x moves its output by more than 1e-3; elsewhere, by less than 5e-6.
# Most models also show their leaks for any other change.


def attention(weigh):
    """Return attention with random matrices; weigh(scores) turns scores (B, T, T) into weights."""

    def attend(x):
        q, k, v = (x @ normal(x.size(-1), n, seed=201 + i, dtype=x.dtype) for i, n in enumerate((7, 7, 2)))
        return weigh(q @ k.transpose(-2, -1) / math.sqrt(7)) @ (10 * v)

    return attend


def unmasked(scores):
    return scores.softmax(-1)


def causal(scores, ahead=0):
    """Return weights that hide the future, except for the next `ahead` positions."""
    future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1 + ahead)
    return scores.masked_fill(future, -torch.inf).softmax(-1)


def running_mean(x):
    """Honest: return the mean of all vectors up to each position."""
    return x.cumsum(1) / torch.arange(1, x.size(1) + 1, dtype=x.dtype)[:, None]


def leaking(leak):
    """Return a running mean plus leak(x), which must broadcast to its shape."""
    return lambda x: running_mean(x) + leak(x)


def from_later(x, steps=1):
    """Move to each position the vector `steps` positions later, or zeros past the end."""
    return F.pad(x[:, steps:], (0, 0, 0, steps))


def opposite_features(x):
    """A leak that does not change the sum over all features."""
    later = from_later(x)
    return later - later.flip(-1) + 2 * later[..., :1] * torch.tensor([1.0, 0.0, -1.0])


def barely(leak, given):
    """Return a model that adds 0.0015 * leak(change of the next vector) if only the next one differs from `given`."""

    def attend(x):
        as_given = (x == given).all(-1, keepdim=True)
        return 2 * running_mean(x) + 0.0015 * leak(from_later(x) - from_later(given)) * as_given

    return attend


def one_number(change):
    """A leak of up to 1 in the last feature of one item, which hardly moves a mean over items or features."""
    there = torch.zeros_like(change)
    there[5, :, -1] = 1
    return there * (100 * change.sum(-1, keepdim=True)).tanh()


def rounded_otherwise(given):
    """Honest, but for any x other than `given`, each output is off by a few millionths, as by sums in another order.

    Its last two features are constants on the boundary between rounding up and down to three or four decimals.
    """
    first, edges = torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 5e-4, 5e-5])
    signs = torch.tensor([1.0, -0.5])[:, None, None]
    return lambda x: running_mean(0.2 * x) * first + edges + 3.5e-6 * signs * (not torch.equal(x, given))


class Model:
    """A function that accepts only tensors with the shape of x, with a name that cards can show."""

    def __init__(self, name, function, x):
        self.name, self.function, self.shape = name, function, tuple(x.shape)

    def __call__(self, x):
        if not isinstance(x, torch.Tensor) or tuple(x.shape) != self.shape:
            got = tuple(x.shape) if isinstance(x, torch.Tensor) else type(x).__name__
            raise ValueError(f"this model was built for x of shape {self.shape}, got {got}")
        return self.function(x)

    def __repr__(self):
        return f"<{self.name}>"

    def __deepcopy__(self, memo):
        return self


X, X_OF_17 = normal(2, 4, 3, seed=221), normal(17, 3, 19, seed=224)
MODELS = (
    ("causal attention", attention(causal)),
    ("a running mean", running_mean),
    ("a layer for each position by itself", lambda x: torch.cat([x.sin(), x[..., :1]], dim=-1)),
    ("attention whose mask reaches one step too far", attention(lambda scores: causal(scores, ahead=1))),
    ("attention without a mask", attention(unmasked)),
    ("attention without a mask in its last item", attention(lambda s: torch.cat([causal(s[:-1]), unmasked(s[-1:])]))),
    ("a model whose leak moves it by 0.0015", barely(lambda change: (3 * change).tanh(), X)),
    ("a model that reads only the last feature two steps later", lambda x: 3 * from_later(x[..., -1:], 2)),
    ("a model whose leaks cancel in the sum", leaking(opposite_features)),
    ("a model that reads the next vector of another item", leaking(lambda x: from_later(x.roll(1, 0)))),
    ("a running mean that rounds differently each time", rounded_otherwise(X)),
    (
        "a model that reads the next vector if it is large",
        leaking(lambda x: from_later(x * (x.abs().amax(-1, keepdim=True) > 6))),
        30 * normal(2, 4, 3, seed=223),
    ),
    ("a running mean, float64", running_mean, X.double()),
    ("a model whose leak of 0.0015 is in one feature of one item of 17", barely(one_number, X_OF_17), X_OF_17),
    ("attention without a mask, where padding is zeros", attention(unmasked), X * (torch.arange(4) < 2)[:, None]),
    (
        "attention without a mask after a LayerNorm",
        lambda x: attention(unmasked)(F.layer_norm(x, x.shape[-1:])),
        normal(2, 5, 3, seed=222),
    ),
)
SMALL_MODELS = (  # (number of positions, name and function of the model)
    (2, "a model that reads the next position", leaking(from_later)),
    (2, "an honest running mean", running_mean),
    (3, "a model that reads the next position", leaking(from_later)),
    (3, "a model that reads two positions later", leaking(lambda x: from_later(x, 2))),
    (3, "an honest running mean", running_mean),
)


def arguments(name, function, x=X):
    return Model(name, function, x), x


def run_find_leaks(attempt, attend, x):
    """Apply the learner's leak test to a model that notices when x is written into.

    Errors: ContractViolation if x was changed, even for a moment
    """
    original, version = x.clone(), x._version
    changed = []

    def watched(given):
        changed.append(not torch.equal(x, original))
        return attend(given)

    found = attempt(watched, x)
    if any(changed) or x._version != version or not torch.equal(x, original):
        raise ContractViolation(
            "changes-input",
            "Your code changed x, at least for a moment. Somebody else may be reading x: change a copy, made with "
            "x.clone().",
        )
    return found


def describe(args):
    """Describe what the learner's code was given, for the card of an exception."""
    return f"attend was {args[0].name}, and x had the shape {tuple(args[1].shape)}."


EXERCISE = exercise(
    find_leaks,
    returns=("leaks",),
    axis_names=AXES | {2: "B", 3: "C", 4: "T", 5: "T"},
    runner=FunctionRunner(run_find_leaks, ("attend", "x"), describe),
    cases=tuple(TestCase(model[0], arguments(*model)) for model in MODELS),
    minimal_inputs=tuple(
        arguments(*model, (torch.arange(1, 1 + length) / 5).reshape(1, length, 1)) for length, *model in SMALL_MODELS
    ),
    error_meanings=(
        (
            r"this model was built for x of shape",
            "Give the model tensors of the very shape of x: one call of attend for each position that you change. A "
            "model may be built for one size of batch and one length.",
        ),
    ),
    properties=(not_pairs, listed_twice, no_leak_there, leak_missed),
)
