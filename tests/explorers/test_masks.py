"""The mask explorer in Python: what it accepts, what it refuses and the picture that it saves."""

import pytest
import torch

import explorers
from explorers.base import INVITATION
from helpers import masks as reference

inf = float("inf")

words = ["Your", "journey", "starts", "with", "one", "step"]


def scores(T):
    return torch.randn(T, T, generator=torch.Generator().manual_seed(123)).mul(2)


def given():
    """The arguments of test_every_explorer.py."""
    return words, scores(6)


REFUSED = [
    (TypeError, "one string 'Your journey'; split", ("Your journey", scores(2))),
    (ValueError, "1 to 12 words, got 13; pass a part", (["a"] * 13, scores(13))),
    (ValueError, r"shape \(6, 6\), got \(6, 5\); pass one matrix", (words, scores(6)[:, :5])),
    (ValueError, r"shape \(6, 6\), got \(1, 6, 6\); pass one matrix", (words, scores(6)[None])),
    (ValueError, r"finite, got -inf at \[0, 1\]; pass the scores before any mask", (["a", "b"], [[0, -inf], [0, 0]])),
    (
        ValueError,
        "mask must be one of none, causal, padding, both, got 'future'; choose",
        (words, scores(6), None, "future"),
    ),
    (ValueError, "mask 'both' needs padding to hide, .*; pass real=", (words, scores(6), None, "both")),
    (TypeError, "real must be bool, .* got torch.int64; compare first", (words, scores(6), [1, 1, 1, 1, 0, 0])),
    (
        ValueError,
        r"real must have shape \(6,\).* got \(1, 1, 6\); take one row",
        (words, scores(6), torch.ones(1, 1, 6, dtype=torch.bool)),
    ),
]


@pytest.mark.slow
def test_the_picture_is_that_of_the_opening_view():
    still = explorers.masks(words, scores(6)).still()
    weights = reference.masked_softmax(scores(6), reference.causal_mask(6))
    assert f"starts: {words[weights[2].argmax()]} {weights[2].max():.2f};" in still["text/plain"]
    assert still["text/plain"].endswith(INVITATION)


@pytest.mark.slow
def test_the_picture_shows_the_mask_of_the_call():
    view = explorers.masks(words, scores(6), torch.tensor([False] + [True] * 5), mask="both")
    assert view.real == [False] + [True] * 5
    still = view.still()
    assert still["text/plain"].startswith("causal and padding mask, filled with -∞")
    assert "Your: NaN; journey: journey 1.00;" in still["text/plain"] and "NaN" in still["image/svg+xml"]
    assert "Hidden by the mask: 21." in still["text/plain"]
    none = explorers.masks(words, scores(6), mask="none").still()["text/plain"]
    assert none.startswith("no mask") and "Hidden" not in none
