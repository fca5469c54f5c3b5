"""The heads explorer in Python: what it accepts, what it refuses and the picture that it saves."""

import pytest

import explorers
from explorers.base import INVITATION

three, four = ["the", "cat", "sleeps"], ["Your", "journey", "starts", "with"]


def given():
    """The arguments of test_every_explorer.py."""
    return three, 6, 2


REFUSED = [
    (TypeError, "one string 'the cat'; split it", ("the cat", 4, 2)),
    (ValueError, "tokens must be 2 to 4 words, got 1; choose a few", (["the"], 4, 2)),
    (ValueError, "tokens must be 2 to 4 words, got 5; choose a few", (["a"] * 5, 4, 2)),
    (TypeError, "d_model must be a whole number, got 4.0; pass an int", (three, 4.0, 2)),
    (ValueError, "d_model must be 2 to 12, got 384; choose a few", (three, 384, 12)),
    (ValueError, "num_heads must be 1 to 4, got 8; each head needs a feature", (three, 4, 8)),
    (ValueError, "must divide d_model, got 3 heads for d_model = 4; a number near it that does is 2", (three, 4, 3)),
]


@pytest.mark.slow
def test_the_picture_is_that_of_the_opening_view():
    words = explorers.heads(three, 6, 2).still()["text/plain"]
    assert words.endswith(INVITATION) and "head 1: position 0: 03 04 05; position 1: 13 14 15;" in words
    assert "merged: position 0: 00 01 02 03 04 05; position 1: 10 11" in words


@pytest.mark.slow
def test_no_two_numbers_of_a_picture_have_the_same_name():
    x = explorers.heads(four, 12, 3).picture().alt.split("head 0")[0]
    names = [name for name in x.replace(";", "").replace(".", "").split() if len(name) == 3 and name.isdigit()]
    assert len(set(names)) == len(names) == 48 and {"000", "011", "111", "311"} <= set(names)
