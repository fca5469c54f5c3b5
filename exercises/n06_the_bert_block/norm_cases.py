"""What 6.1 and 6.2 share: inputs, and properties and behavioral tests of a norm."""

import torch

from exercises.common import explainers
from exercises.common.experiments import that_mix
from exercises.common.inputs import B, S, T, normal
from exercises.common.norm import without_weight_and_bias
from feedback import BehavioralTest, Property

# ---------------------------------------------------------------- inputs

SIZES = {2: "B", 3: "", 5: "T", 7: "C", 11: "C", 13: "C", 17: "", 22: "2C"}

SHAPES = (  # name, shape, eps, times, plus
    ("a batch (B, T, C)", (B, T, 11), 1e-5, 1.0, 0.0),
    ("a large eps", (B, T, 11), 0.1, 1.0, 0.0),
    ("one vector (C,)", (S,), 0.1, 1.0, 0.0),
    ("four axes", (B, 3, T, S), 1e-5, 2.0, 1.0),
    ("tiny differences, variance and eps alike", (B, T, 11), 1e-5, 4e-3, 0.0),
    ("vectors of two numbers", (T, 2), 0.5, 1.0, 0.0),
)


def weight_and_bias(size, seed, dtype=torch.float32):
    """No weight is near 0, so that it can be divided out again."""
    weight, bias = normal(size, seed=seed, dtype=dtype), normal(size, seed=seed + 1, dtype=dtype)
    return weight.sign() * (0.4 + weight.abs()), bias


def arguments(shape, eps, times, plus, seed, dtype=torch.float32):
    """x, weight, bias and eps."""
    return (normal(*shape, seed=seed, dtype=dtype) * times + plus, *weight_and_bias(shape[-1], seed + 1, dtype), eps)


CASES = (  # name, (x, weight, bias, eps)
    *((name, arguments(*how, seed=110 + 3 * i)) for i, (name, *how) in enumerate(SHAPES)),
    ("float64, numbers around 1000, a tiny eps", arguments((B, T, 11), 1e-12, 1.0, 1000.0, 150, torch.float64)),
    ("float64, tiny differences", arguments((B, T, S), 1e-6, 1e-3, 0.0, 153, torch.float64)),
)
EQUAL_NUMBERS = (torch.tensor([[2.5] * 8, [-1.0] * 8]), *weight_and_bias(8, 160), 1e-5)

BY_HAND = torch.tensor([1.0, 2.0]), torch.tensor([0.0, 1.0])  # weight and bias


def eps_matters(x, eps):
    """A stage for an input: 0 where eps is too small to be seen next to each variance, else 1."""
    return int(eps > 1e-4 * x.var(dim=-1, unbiased=False).min())


# ---------------------------------------------------------------- properties


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

        before = ask(attempt, x, weight, bias)
        return that_mix("Each vector is normalized on its own", before, change, ((1, 2), (0, 0), (1, 4)))

    return BehavioralTest(
        "vectors-mixed",
        test,
        "Which line uses more than one vector at a time, or the wrong one? `dim=-1` stays within a single vector.",
    )
