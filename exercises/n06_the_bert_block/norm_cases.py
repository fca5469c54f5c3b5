"""Shared by 6.1 and 6.2: inputs and a behavioral test."""

import torch

from exercises.common.experiments import that_mix
from exercises.common.inputs import B, S, T, normal
from feedback import BehavioralTest

SIZES = {2: "B", 3: "", 5: "T", 7: "C", 11: "C", 13: "C", 17: "", 22: "2C"}


def weight_and_bias(size, seed, dtype=torch.float32):
    """Return weight and bias; no weight is near 0, so that one can divide by it."""
    weight, bias = normal(size, seed=seed, dtype=dtype), normal(size, seed=seed + 1, dtype=dtype)
    return weight.sign() * (0.4 + weight.abs()), bias


def arguments(shape, eps, times, plus, seed, dtype=torch.float32):
    """Return x, whose numbers have size `times` around `plus`, and weight, bias and eps."""
    return (normal(*shape, seed=seed, dtype=dtype) * times + plus, *weight_and_bias(shape[-1], seed + 1, dtype), eps)


CASES = (  # name, (x, weight, bias, eps)
    ("a batch (B, T, C)", arguments((B, T, 11), 1e-5, 1.0, 0.0, 110)),
    ("a large eps", arguments((B, T, 11), 0.1, 1.0, 0.0, 113)),
    ("one vector (C,)", arguments((S,), 0.1, 1.0, 0.0, 116)),
    ("four axes", arguments((B, 3, T, S), 1e-5, 2.0, 1.0, 119)),
    ("tiny differences, variance and eps alike", arguments((B, T, 11), 1e-5, 4e-3, 0.0, 122)),
    ("vectors of two numbers", arguments((T, 2), 0.5, 1.0, 0.0, 125)),
    ("float64, numbers around 1000, a tiny eps", arguments((B, T, 11), 1e-12, 1.0, 1000.0, 150, torch.float64)),
    ("float64, tiny differences", arguments((B, T, S), 1e-6, 1e-3, 0.0, 153, torch.float64)),
)
EQUAL_NUMBERS = (torch.tensor([[2.5] * 8, [-1.0] * 8]), *weight_and_bias(8, 160), 1e-5)

BY_HAND = torch.tensor([1.0, 2.0]), torch.tensor([0.0, 1.0])  # weight and bias


def vectors_apart(ask):
    """Return a test that changes one vector; others must not change. ask(attempt, x, weight, bias) calls the answer."""

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
