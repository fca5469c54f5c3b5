"""Exercise 3.6: find_leaks."""

import torch

from exercises.common.inputs import AXES, normal
from exercises.e3_6_find_leaks.explainers import PROPERTIES
from exercises.e3_6_find_leaks.misconceptions import known
from exercises.e3_6_find_leaks.reference import find_leaks
from exercises.e3_6_find_leaks.suspects import (
    HONEST,
    LARGE,
    LEAKY,
    ONE_ITEM,
    ONE_NUMBER,
    PADDED,
    PRE_NORM,
    ROUNDED,
    Suspect,
    from_later,
    leaking,
    running_mean,
)
from feedback import Exercise, FunctionRunner, TestCase
from feedback.sandbox import ContractViolation


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

EXERCISE = Exercise(
    minutes=12,
    difficulty=3,
    gives="a sorted list of all pairs (i, j), j > i, where a change of x at position j changes `attend(x)` at "
    "position i",
    reference=find_leaks,
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
    misconceptions=known,
    hints=(
        "How would you find out by an experiment whether the output at position i reads x at position j? What do you "
        "change, what do you compare, and how far must a number move to count?",
        "Copy x and change all features of all items at position j by random noise: `changed = x.clone()`, then "
        "`changed[:, j] += noise`. Compare `attend(changed)` with `attend(x)`: the largest absolute difference over "
        "items and features says how far each position moved. Do this for each j.",
        "`moved = (attend(changed) - before).abs().amax(dim=(0, 2))` has shape (T,). The pair (i, j) is a leak if i "
        "< j and `moved[i]` > 1e-4, which is far above rounding. Sort the pairs at the end.",
    ),
    error_meanings=(
        (
            r"this model was built for x of shape",
            "Give the model tensors of the very shape of x: one call of attend for each position that you change. A "
            "model may be built for one size of batch and one length.",
        ),
    ),
    properties=PROPERTIES,
    when_correct="Your test found every leak in these models, and accused no honest one.",
)
