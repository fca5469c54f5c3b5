"""The dropout explorer in Python: what it accepts, what it refuses and the picture that it saves."""

import pytest
import torch

import explorers
from explorers.base import INVITATION
from explorers.dropout import coins
from helpers.masks import causal_mask, masked_softmax

words = ["Your", "journey", "starts", "with", "one", "step"]
many = [f"token{i}" for i in range(12)]


def scores(T):
    return torch.randn(T, T, generator=torch.Generator().manual_seed(123))


full, causal = scores(6).softmax(-1), masked_softmax(scores(6), causal_mask(6))
halves = torch.tensor([[0, 0], [0.25, 0.25]])


def after(weights, draw, p, divided=True, seed=1):
    """The weights after one draw."""
    keep = coins(seed, draw, len(weights)) >= p
    return weights * keep / (1 - p if divided else 1)


def given():
    """The arguments of test_every_explorer.py."""
    return words, full.clone()


REFUSED = [
    (TypeError, "one string 'Your journey'; split", ("Your journey", full)),
    (ValueError, "1 to 12 words, got 13; pass a part", (["a"] * 13, torch.ones(13, 13))),
    (ValueError, r"shape \(6, 6\), got \(6, 5\); pass those of one text", (words, full[:, :5])),
    (ValueError, r"shape \(6, 6\), got \(1, 6, 6\); pass those of one text and head", (words, full[None])),
    (
        ValueError,
        r"at least 0, got -0.5 at \[0, 1\]; pass what comes after the softmax",
        (["a", "b"], [[1, -0.5]] * 2),
    ),
    (ValueError, r"finite .* got nan at \[0, 0\]", (["a"], [[float("nan")]])),
    (TypeError, "seed must be an int, got float; pass a whole number", (words, full, 1.0)),
    (TypeError, "seed must be an int, got bool", (words, full, True)),
    (ValueError, "seed must be 0 to 4294967295, got -1; pass a small", (words, full, -1)),
    (ValueError, "seed must be 0 to 4294967295, got 4294967296", (words, full, 2**32)),
]


@pytest.mark.slow
def test_the_picture_is_that_of_the_first_draw():
    still = explorers.dropout(words, full).still()
    row = after(full, 1, 0.5)[3]
    before, drawn = still["text/plain"].split("\n")
    assert f"with: {words[full[3].argmax()]} {full[3].max():.2f};" in before
    assert f"with: {words[row.argmax()]} {row.max():.2f};" in drawn and drawn.endswith(INVITATION)
    assert still != explorers.dropout(words, full, seed=2).still()


def test_random_numbers_are_uniform_and_independent():
    assert coins(1, 1, 1).item() == 0x514E28B7 / 2**32  # 1 as MurmurHash3 mixes it
    numbers = torch.stack([coins(1, draw, 10) for draw in range(1, 1001)])
    shares = torch.histc(numbers, 10, 0, 1) / numbers.numel()
    torch.testing.assert_close(shares, torch.full((10,), 0.1), atol=0.004, rtol=0, check_dtype=False)
    of_each_square = (numbers >= 0.5).double().flatten(1)  # (draws, squares)
    together = torch.corrcoef(of_each_square.T) - torch.eye(100)
    assert together.abs().max() < 0.15 and (of_each_square.mean(0) - 0.5).abs().max() < 0.06
    assert not torch.equal(coins(1, 1, 6), coins(2, 1, 6))
