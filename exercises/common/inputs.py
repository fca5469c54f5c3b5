"""The numbers that answers are tried on: distinct prime sizes, so that no swapped axis goes unseen.

Scores made from these queries and keys are mild (their softmax is far from 0 and 1), since an
extreme softmax hides mistakes.
"""

import torch

from helpers.masks import causal_mask

B, H, T, S, D, DV = 2, 3, 5, 7, 11, 13
AXES = {2: "B", 3: "H", 5: "T", 7: "S", 11: "D", 13: "Dv", 17: "D"}  # a size tells its axis


def normal(*shape, seed=1, dtype=torch.float32):
    """Reproducible numbers around 0, of size about 0.8."""
    generator = torch.Generator().manual_seed(seed)
    return (0.8 * torch.randn(shape, generator=generator, dtype=torch.float64)).to(dtype)


def rows_of_weights(*shape, seed=1, dtype=torch.float32):
    """Rows that sum to 1."""
    return (1.5 * normal(*shape, seed=seed, dtype=dtype)).softmax(dim=-1)


def some_hidden(*shape, seed=1):
    """A mask with hidden and visible keys in every row."""
    generator = torch.Generator().manual_seed(seed)
    mask = torch.rand(*shape, generator=generator) < 0.55
    mask[..., 0], mask[..., -1] = True, False
    return mask.roll(seed, dims=-1)


def padded(*lengths, max_length=S):
    """(B, 1, S): the first `length` keys of each item are real."""
    return torch.arange(max_length) < torch.tensor(lengths)[:, None, None]


def round_numbers(*shape):
    """Small numbers with one decimal, easy to follow by hand."""
    count = torch.Size(shape).numel()
    return ((torch.arange(count) * 7 % 11 - 4) / 5).reshape(shape)


CAUSAL = causal_mask(T)


def causal_for(x):
    """A causal mask for the last two axes of x, which may differ in size."""
    return torch.ones(x.shape[-2:], dtype=torch.bool).tril()
