"""Properties and behavioral tests for the exercises on layer norm."""

import torch
import torch.nn.functional as F

from exercises.common import explainers
from exercises.common.experiments import first_that_moves, vectors_that_mix
from exercises.common.inputs import B, T, normal
from exercises.common.norm.explainers import without_weight_and_bias
from exercises.common.norm.inputs import weight_and_bias
from exercises.common.norm.steps import center
from feedback import BehavioralTest, Property

# ---------------------------------------------------------------- properties


def same_directions(vectors, others):
    """Whether each vector points where the other one does; two numbers around their mean can hardly do otherwise."""
    if vectors.shape != others.shape or vectors.size(-1) < 3:
        return False
    return bool((F.cosine_similarity(vectors.double(), others.double(), dim=-1) > 0.9999).all())


def points_like(id, sentence, hint, undo, normalized):
    """A property that is broken where a result, with some steps undone, is a normalized vector up to its length.

    undo         undo(case) is the result without these steps
    normalized   normalized(case) is what was normalized then
    """

    def test(case):
        of = center(normalized(case))
        if same_directions(without_weight_and_bias(case.first, case), of):
            return None  # it is one in any case, so these steps say nothing
        return sentence if same_directions(undo(case), of) else None

    return Property(id, test, hint)


def left_out(x_of):
    """Properties that tell whether weight, bias or both were left out; x_of(case) is what should be normalized."""
    hint = "What comes after the division, and does it use both weight and bias?"
    return (
        points_like(
            "weight-and-bias-forgotten",
            "Your vectors have mean 0 as they are: after the division nothing was "
            "multiplied by weight, and no bias was added.",
            hint,
            lambda case: case.first,
            x_of,
        ),
        points_like(
            "weight-forgotten",
            "After the division nothing was multiplied by weight: without bias your vectors already have mean 0.",
            hint,
            lambda case: case.first - case.args[-2],
            x_of,
        ),
        points_like(
            "bias-forgotten",
            "After the division no bias was added: divided by weight your vectors already have mean 0.",
            hint,
            lambda case: case.first / case.args[-3],
            x_of,
        ),
    )


def mean_not_0(hint):
    def test(case):
        means = without_weight_and_bias(case.first, case).mean(-1)
        if torch.allclose(means, torch.zeros_like(means), atol=1e-3):
            return None
        at = explainers.worst(means, torch.zeros_like(means))
        where = f"vector {explainers.position(at)}" if at else "it"
        return (
            f"Without weight and bias, (result - bias) / weight, each vector must have mean 0. In yours, {where} "
            f"has mean {explainers.number(means[at])}."
        )

    return Property("mean-not-0", test, hint)


def another_variance(case):
    got, right = (without_weight_and_bias(x, case).var(-1, unbiased=False) for x in (case.first, case.expected_first))
    if torch.allclose(got, right, rtol=1e-3, atol=1e-4):
        return None
    at = explainers.worst(got, right)
    where = f" at {explainers.position(at)}" if at else ""
    return (
        f"Without weight and bias, (result - bias) / weight, each vector must have the variance "
        f"variance / (variance + eps), which is nearly 1 when eps is small. Yours{where} has "
        f"{explainers.number(got[at])}, and {explainers.number(right[at])} is right."
    )


VARIANCE = Property(
    "variance-not-1",
    another_variance,
    "Print the variance of one vector, and what you divide by. Is that the root of (variance + eps), and is the "
    "variance the mean of the squared distances from the mean?",
)


# ---------------------------------------------------------------- behavioral tests


def vectors_apart(ask):
    """Change one vector and see whether another notices; ask(attempt, x, weight, bias) is the result for x."""

    def test(attempt):
        x, weight, bias = normal(B, T, 11, seed=171), *weight_and_bias(11, 172)

        def change(at):
            other = x.clone()
            other[at] += normal(11, seed=173)
            return ask(attempt, other, weight, bias)

        return vectors_that_mix(first_that_moves(ask(attempt, x, weight, bias), change, ((1, 2), (0, 0), (1, 4))))

    return BehavioralTest(
        "vectors-mixed",
        test,
        "Which line uses more than one vector at a time, or the wrong one? `dim=-1` stays within a single vector.",
    )
