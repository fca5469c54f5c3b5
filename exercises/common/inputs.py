"""The numbers that answers are tried on, with distinct prime sizes, so that a swapped axis is noticed.

Scores made from these queries and keys are mild (their softmax is far from 0 and 1), since an
extreme softmax hides mistakes.

For a grader's hidden inputs, all seeds are shifted, and `hidden_only` adds cases without random numbers.
"""

import random

import torch

from feedback.exercise_package import seed as hidden_seed
from helpers.masks import causal_mask

SHIFT = 1000 * hidden_seed()  # larger than any seed in an exercise

B, H, T, S, D, DV = 2, 3, 5, 7, 11, 13
AXES = {2: "B", 3: "H", 5: "T", 7: "S", 11: "D", 13: "Dv", 17: "D"}  # an axis can be told from its size


def generator(seed):
    """Return the generator for random inputs."""
    return torch.Generator().manual_seed(seed + SHIFT)


def normal(*shape, seed=1, dtype=torch.float32):
    """Reproducible numbers around 0, of size about 0.8."""
    return (0.8 * torch.randn(shape, generator=generator(seed), dtype=torch.float64)).to(dtype)


def rows_of_weights(*shape, seed=1, dtype=torch.float32):
    """Rows that sum to 1."""
    return (1.5 * normal(*shape, seed=seed, dtype=dtype)).softmax(dim=-1)


def some_hidden(*shape, seed=1):
    """A mask with hidden and visible keys in every row."""
    mask = torch.rand(*shape, generator=generator(seed)) < 0.55
    mask[..., 0], mask[..., -1] = True, False
    return mask.roll(seed + SHIFT, dims=-1)


def padded(*lengths, max_length=S):
    """(B, 1, S): the first `length` keys of each item are real."""
    return torch.arange(max_length) < torch.tensor(lengths)[:, None, None]


def round_numbers(*shape):
    """Small numbers with one decimal, easy to follow by hand."""
    count = torch.Size(shape).numel()
    return ((torch.arange(count) * 7 % 11 - 4) / 5).reshape(shape)


def hidden_only(make):
    """Return make(draw) as a tuple if inputs are hidden, else (); `draw` is a random.Random."""
    return tuple(make(random.Random(SHIFT))) if SHIFT else ()


CAUSAL = causal_mask(T)


# ---------------------------------------------------------------- how answers are called


def seeded(seed):
    """Return a generator for a learner's code, the same for hidden inputs."""
    return torch.Generator().manual_seed(seed)


def with_generator(attempt, *args):
    """Call the code; the last of args is the seed of the generator to add, or None for no generator."""
    *args, seed = args
    return attempt(*args) if seed is None else attempt(*args, seeded(seed))
