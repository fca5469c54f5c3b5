"""find_leaks: the reference, its steps and test cases; the page next to it says the rest."""

import math
from functools import cache
from numbers import Integral

import torch
import torch.nn.functional as F

from exercises.common.explainers import counted, shortly
from exercises.common.inputs import AXES, normal
from feedback import FunctionRunner, Property, TestCase
from feedback.format import sentence
from feedback.paged import exercise
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


# Sentences about lists of leaks, and what every right list is like.


def is_pair(entry):
    return (
        isinstance(entry, tuple)
        and len(entry) == 2
        and all(isinstance(number, Integral) and not isinstance(number, bool) for number in entry)
    )


def pairs_of(case):
    """The learner's list as pairs of plain numbers, or None where it holds something else."""
    if not all(is_pair(entry) for entry in case.actual):
        return None
    return [(int(i), int(j)) for i, j in case.actual]


def difference(case):
    """The first pair that is missing, or that should not be there."""
    pairs = pairs_of(case)
    if pairs is None:
        return not_pairs(case)
    length = case.args[1].size(1)
    for i, j in pairs:
        if (i, j) not in case.expected:
            return f"{(i, j)} is in your list. {_why_not(i, j, length)}"
    for i, j in case.expected:
        if (i, j) not in pairs:
            return (
                f"{(i, j)} is missing from your list: the output at position {i} changes when x changes at position {j}"
            )
    return f"your list holds the right pairs, but it begins {shortly(case.actual)}"


def _why_not(i, j, length):
    if not (0 <= i < length and 0 <= j < length):
        return f"Positions are counted from 0 to {length - 1}"
    if i == j:
        return "A position may read itself"
    if i > j:
        return f"Position {j} comes before position {i}, which may read it"
    return f"The output at position {i} does not change with x at position {j}"


def not_pairs(case):
    """The first entry that is not a pair of whole numbers."""
    at = next(n for n, entry in enumerate(case.actual) if not is_pair(entry))
    return (
        f"entry {at} of your list is {shortly(case.actual[at])}; a pair is a tuple of two whole numbers, such as (0, 2)"
    )


def _not_pairs(case):
    return sentence(not_pairs(case)) if pairs_of(case) is None else None


def _turned_around(case):
    pairs = pairs_of(case)
    if pairs and pairs != case.expected and sorted((j, i) for i, j in pairs) == case.expected:
        return (
            f"In your pairs the later position comes first: {pairs[0]}. A pair is (i, j), where the output at i "
            "changes with x at the later position j."
        )
    return None


def _listed_twice(case):
    pairs = pairs_of(case)
    twice = next((pair for pair in pairs or [] if pairs.count(pair) > 1), None)
    if twice is None:
        return None
    return f"{twice} is in your list {counted(pairs.count(twice), 'time', 'times')}; each pair is listed once."


def _not_sorted(case):
    pairs = pairs_of(case)
    if pairs and pairs != case.expected and sorted(pairs) == case.expected:
        return f"The pairs are right, but not sorted: your list is {shortly(pairs)}."
    return None


def _not_a_leak(case):
    pairs = pairs_of(case)
    wrong = next((pair for pair in pairs or [] if pair not in case.expected), None)
    return f"{difference(case)}." if wrong else None


def _missed(case):
    pairs = pairs_of(case)
    missing = pairs is not None and any(pair not in pairs for pair in case.expected)
    return f"{difference(case)}." if missing else None


PROPERTIES = (
    Property(
        "not-pairs",
        _not_pairs,
        "A pair is a tuple of two Python numbers, `(int(i), int(j))`: `x.item()` and `x.tolist()` turn tensors into "
        "numbers, and `tuple(pair)` turns a list into a tuple.",
    ),
    Property("turned-around", _turned_around, "Which of your two numbers is the position that was changed?"),
    Property(
        "listed-twice", _listed_twice, "Take the largest movement over all items and features first; then decide once."
    ),
    Property("not-sorted", _not_sorted, "`sorted(your_list)` orders pairs by their first number, then by the second."),
    Property(
        "no-leak-there",
        _not_a_leak,
        "Change x at position j alone, in a copy of its own, and compare the outputs before j with those of "
        "`attend(x)`: which of them move by more than rounding?",
    ),
    Property(
        "leak-missed",
        _missed,
        "Which positions j does your code change, and how large a movement passes for rounding (1e-4)? Is the change "
        "itself large enough, in all items and features? Do you look at every output before j, in every item and "
        "feature, and compare it with `attend(x)`? Does a movement downward count, too (`abs`)?",
    ),
)


# The models that a leak test is tried on: honest ones, and ones that leak in one way each.
#
# Where a model leaks, random numbers added to x move its output by more than 1e-3; where it does not, by less than 5e-6.
# Most show their leaks to any other change as well.


class Suspect:
    """A model for x of one shape, with a name that cards can show.

    make(x) gives the model, a function of x; it may look at the x that it will be tried on.
    """

    def __init__(self, name, x, make):
        self.name, self.shape, self.model = name, tuple(x.shape), make(x)

    def __call__(self, x):
        if not isinstance(x, torch.Tensor) or tuple(x.shape) != self.shape:
            got = tuple(x.shape) if isinstance(x, torch.Tensor) else type(x).__name__
            raise ValueError(f"this model was built for x of shape {self.shape}, got {got}")
        return self.model(x)

    def __repr__(self):
        return f"<{self.name}>"

    def __deepcopy__(self, memo):
        return self


def attention_with(weigh):
    """Attention with random matrices; weigh(scores) turns scores (B, T, T) into weights."""

    def make(x):
        width = x.size(-1)
        sizes = 7, 7, 2
        matrix = torch.cat([normal(width, n, seed=201 + i, dtype=x.dtype) for i, n in enumerate(sizes)], -1)

        def attend(x):
            q, k, v = (x @ matrix).split(sizes, -1)
            return weigh(q @ k.transpose(-2, -1) / math.sqrt(7)) @ (10 * v)

        return attend

    return make


@cache
def triangle(length, diagonal=0):
    """True where a query of a sequence of this length may look."""
    return torch.ones(length, length, dtype=torch.bool).tril(diagonal)


def unmasked(scores):
    return scores.softmax(-1)


def causal(scores):
    return scores.masked_fill(~triangle(scores.size(-1)), -torch.inf).softmax(-1)


def one_step_too_far(scores):
    return scores.masked_fill(~triangle(scores.size(-1), 1), -torch.inf).softmax(-1)


def softmax_over_queries(scores):
    return (scores / 2).masked_fill(~triangle(scores.size(-1)), -torch.inf).softmax(-2)


def unmasked_in_the_last_item(scores):
    return torch.cat([causal(scores[:-1]), unmasked(scores[-1:])])


def unmasked_in_the_first_item(scores):
    return torch.cat([unmasked(scores[:1]), causal(scores[1:])])


def running_mean(x):
    """Honest: the mean of all vectors up to each position."""
    return x.cumsum(1) / counts(x.size(1), x.dtype)


@cache
def counts(length, dtype):
    """1, 2, 3, ... in a column."""
    return torch.arange(1, length + 1, dtype=dtype)[:, None]


def from_later(x, steps):
    """Each position gets the vector `steps` positions later, and zeros past the end."""
    return F.pad(x[:, steps:], (0, 0, 0, steps))


SMALL = 0.0015


def leaking(leak):
    """A running mean, to which a leak(x) of the same shape, or broadcastable to it, is added."""
    return lambda x: lambda x: running_mean(x) + leak(x)


def normalized_over_the_sequence(x):
    return running_mean((x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 1))


def barely(leak):
    """Where a vector is as given and the next one is not, the output moves by SMALL * leak(change of the next one)."""

    def make(x):
        known, later = x.clone(), from_later(x, 1)

        def attend(x):
            as_given = (x == known).all(-1, keepdim=True)
            return 2 * running_mean(x) + SMALL * leak(from_later(x, 1) - later) * as_given

        return attend

    return make


def each_feature(change):
    """Up to 1, however far the feature has moved."""
    return (3 * change).tanh()


def one_number(change):
    """The same in the last feature of one item alone: a mean over items or over features hardly moves."""
    there = torch.zeros_like(change)
    there[5, :, -1] = 1
    return there * (100 * change.sum(-1, keepdim=True)).tanh()


def last_to_position_1(x):
    return torch.cat([torch.zeros_like(x[:, :1]), x[:, -1:], torch.zeros_like(x[:, 2:])], dim=1)


def large_alone(x):
    return from_later(x * (x.abs().amax(-1, keepdim=True) > 6), 1)


def opposite_features(x):
    """The sum over all features moves by nothing."""
    later = from_later(x, 1)
    return later - later.flip(-1) + 2 * later[..., :1] * torch.tensor([1.0, 0.0, -1.0])


def into_the_last_feature(x):
    return from_later(x, 1) * torch.eye(x.size(-1))[-1]


def opposite_signs(x):
    """Up from one position, down from the next."""
    return 3 * from_later(x, 1) * (-1.0) ** torch.arange(x.size(1))[:, None]


def rounded_otherwise(x):
    """Honest, but for every other x each output is off by a few millionths, as a sum in another order may be.

    Its last two features are constants that lie just where rounding to three or four decimals goes up or down.
    """
    known, first, edges = x.clone(), torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 5e-4, 5e-5])
    signs = torch.tensor([1.0, -0.5])[:, None, None]

    def attend(x):
        off = 3.5e-6 * signs * (not torch.equal(x, known))
        return running_mean(0.2 * x) * first + edges + off

    return attend


def normalized_by_features(x):
    """Each vector by itself, as a LayerNorm does, before attention without a mask."""
    attend = attention_with(unmasked)(x)
    return lambda x: attend(F.layer_norm(x, x.shape[-1:]))


HONEST = (
    ("causal attention", attention_with(causal)),
    ("a running mean", lambda x: running_mean),
    ("a layer for each position by itself", lambda x: lambda x: torch.cat([x.sin(), x[..., :1]], dim=-1)),
)
ROUNDED = ("a running mean that rounds differently each time", rounded_otherwise)
LEAKY = (
    ("attention whose mask reaches one step too far", attention_with(one_step_too_far)),
    ("attention without a mask", attention_with(unmasked)),
    ("causal attention, its softmax over the queries", attention_with(softmax_over_queries)),
    ("a model that normalizes over the sequence", lambda x: normalized_over_the_sequence),
    ("a model in which position 1 reads the last one", leaking(last_to_position_1)),
    ("attention without a mask in its last item", attention_with(unmasked_in_the_last_item)),
    ("attention without a mask in its first item", attention_with(unmasked_in_the_first_item)),
    ("a model whose leak moves it by 0.0015", barely(each_feature)),
    ("a model in which only the last feature leaks", leaking(into_the_last_feature)),
    ("a model that reads only the last feature two steps later", lambda x: lambda x: 3 * from_later(x[..., -1:], 2)),
    ("a model whose leaks cancel in the sum", leaking(opposite_features)),
    ("a model that reads the next vector of another item", leaking(lambda x: from_later(x.roll(1, 0), 1))),
)
ONE_ITEM = ("a model that leaks upward and downward", leaking(opposite_signs))
LARGE = ("a model that reads the next vector if it is large", leaking(large_alone))
ONE_NUMBER = ("a model whose leak of 0.0015 is in one feature of one item of 17", barely(one_number))
PADDED = ("attention without a mask, where padding is zeros", attention_with(unmasked))
PRE_NORM = ("attention without a mask after a LayerNorm", normalized_by_features)


def x_itself(x):
    return x


def one_position(x, j):
    changed = x.clone()
    changed[:, j] += torch.randn_like(x[:, j])
    return changed


def largest(before, after):
    return (after - before).abs().amax(dim=(0, 2))


def every_position(length):
    return range(length)


def j_after_i(i, j):
    return j > i


def i_then_j(i, j):
    return i, j


def in_order(found):
    return sorted(found)


def leaks_from(
    start=x_itself,
    change=one_position,
    distance=largest,
    tolerance=1e-4,
    positions=every_position,
    later=j_after_i,
    pair=i_then_j,
    finish=in_order,
):
    """A leak test from these steps."""

    def find_leaks(attend, x):
        x = start(x)
        before, found = attend(x), []
        for j in positions(x.size(1)):
            moved = distance(before, attend(change(x, j)))
            found += [pair(i, j) for i in range(x.size(1)) if later(i, j) and moved[i] > tolerance]
        return finish(found)

    return find_leaks


def run_find_leaks(attempt, attend, x):
    """Apply the learner's leak test to a model that notices when x is written into.

    Errors: ContractViolation where x was changed, even for a moment
    """
    x = x.clone()
    original, version = x.clone(), x._version
    changed = []

    def watched(given):
        changed.append(not torch.equal(x, original))
        return attend(given)

    found = attempt(watched, x)
    if not torch.equal(x, original):
        raise ContractViolation(
            "changes-input",
            "Your code changed x. Whoever calls it still needs x as it was: change a copy, made with x.clone().",
        )
    if any(changed) or x._version != version:
        raise ContractViolation(
            "changes-input",
            "Your code changed x for a moment and put it back. Somebody else may be reading x: change a copy, made "
            "with x.clone().",
        )
    return found


def describe(args):
    """What the learner's code was given, for the card of an exception."""
    return f"attend was {args[0].name}, and x had the shape {tuple(args[1].shape)}."


def case(name, make, x):
    return TestCase(name, (Suspect(name, x, make), x))


def small(name, make, *shape):
    x = (torch.arange(1, 1 + torch.Size(shape).numel()) / 5).reshape(shape)
    return Suspect(name, x, make), x


X, LONGER_X = normal(2, 4, 3, seed=221), normal(2, 5, 3, seed=222)
LARGE_X = 30 * normal(2, 4, 3, seed=223)

EXERCISE = exercise(
    find_leaks,
    assemble=leaks_from,
    returns=("leaks",),
    axis_names=AXES | {2: "B", 3: "C", 4: "T", 5: "T"},
    runner=FunctionRunner(run_find_leaks, ("attend", "x"), describe),
    cases=(
        *(case(name, make, X) for name, make in (*HONEST, *LEAKY, ROUNDED)),
        case(*ONE_ITEM, normal(1, 5, 1, seed=222)),
        case(*LARGE, LARGE_X),
        case("a running mean, float64", lambda x: running_mean, X.double()),
        case(*ONE_NUMBER, normal(17, 3, 19, seed=224)),
        case(*PADDED, X * (torch.arange(4) < 2)[:, None]),
        case(*PRE_NORM, LONGER_X),
    ),
    minimal_inputs=(
        small("a model that reads the next position", leaking(lambda x: from_later(x, 1)), 1, 2, 1),
        small("an honest running mean", lambda x: running_mean, 1, 2, 1),
        small("a model that reads the next position", leaking(lambda x: from_later(x, 1)), 1, 3, 1),
        small("a model that reads two positions later", leaking(lambda x: from_later(x, 2)), 1, 3, 1),
        small("an honest running mean", lambda x: running_mean, 1, 3, 1),
    ),
    error_meanings=(
        (
            r"this model was built for x of shape",
            "Give the model tensors of the very shape of x: one call of attend for each position that you change. A "
            "model may be built for one size of batch and one length.",
        ),
    ),
    properties=PROPERTIES,
)
