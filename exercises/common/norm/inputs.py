"""What the exercises on layer norm are tried on."""

import torch

from exercises.common.inputs import B, S, T, normal

SIZES = {2: "B", 3: "", 5: "T", 7: "C", 11: "C", 13: "C", 17: "", 22: "2C"}

SHAPES = (  # name, shape, eps, times, plus
    ("a batch (B, T, C)", (B, T, 11), 1e-5, 1.0, 0.0),
    ("a large eps", (B, T, 11), 0.1, 1.0, 0.0),
    ("one vector (C,)", (S,), 0.1, 1.0, 0.0),
    ("a table (T, C)", (T, 13), 1e-3, 1.0, 0.0),
    ("four axes", (B, 3, T, S), 1e-5, 2.0, 1.0),
    ("numbers around 10", (B, T, 11), 1e-5, 1.0, 10.0),
    ("tiny differences, variance and eps alike", (B, T, 11), 1e-5, 4e-3, 0.0),
    ("one item, one position", (1, 1, 11), 0.1, 1.0, 0.5),
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
