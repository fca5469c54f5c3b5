"""The scaling explorer in Python: what it accepts, what it refuses and the picture that it saves."""

import math

import pytest
import torch

import explorers
from explorers.base import INVITATION

NONE, ROOT = "not divided", "divided by √d"


def drawn(rows, width):
    return torch.randn(rows, width, generator=torch.Generator().manual_seed(rows))


def scores(q, k, d, method):
    return q[:, :d] @ k[:, :d].mT / (1 if method == NONE else math.sqrt(d))  # (N, S)


def weights(q, k, d, method):
    return scores(q, k, d, method).softmax(dim=-1)


def largest(q, k, d, method):
    return weights(q, k, d, method).amax(dim=-1)


def slope(q, k, d, method):
    return 1 - weights(q, k, d, method).square().sum(dim=-1)


q, k = drawn(5, 11), drawn(3, 11)
spoilt = k.clone()
spoilt[2, 7] = float("nan")


def given():
    """The arguments of test_every_explorer.py."""
    return drawn(37, 100), drawn(7, 100)


TAKEN = [(drawn(1, 2), drawn(2, 2)), (drawn(64, 1024), drawn(16, 1024)), (drawn(5, 11)[0], drawn(3, 11))]
REFUSED = [
    (TypeError, "q must be one tensor, got a list of tensors", ([q, q], k)),
    (ValueError, r"shape \(N, D\), got \(\); pass the queries of one head, each in a row", (3.0, k)),
    (ValueError, r"shape \(S, D\), got \(1, 3, 11\); pass the keys of one head, .* k\[0\]$", (q, k[None])),
    (ValueError, r"shape \(S, D\), got \(11,\); pass the keys of one head, each in a row", (q, k[0])),
    (ValueError, r"the same width D, got shapes \(5, 11\) and \(3, 7\); take both from the same head", (q, k[:, :7])),
    (ValueError, r"\(5, 11\) and \(11, 3\); queries and keys are the rows: transpose k, .* k.mT", (q, k.mT)),
    (ValueError, r"got shapes \(11, 5\) and \(11, 3\); .* transpose q and k, for instance q.mT", (q.mT, k.mT)),
    (ValueError, "D, the width of q and k, must be 2 to 1024, got 1; draw more", (q[:, :1], k[:, :1])),
    (ValueError, r"1 to 64, got 65; pass q\[:64\], or q.mT and k.mT if here they are", (drawn(65, 11), k)),
    (ValueError, r"2 to 16, got 17; pass k\[:16\]", (q, drawn(17, 11))),
    (ValueError, r"k must be finite, got nan at \[2, 7\]; look for the step", (q, spoilt)),
    (ValueError, r"q must be finite, got inf at \[0, 0\]; look for the step", (q.abs() / 0, k)),
]


@pytest.mark.slow
def test_the_picture_is_the_mean_of_the_largest_weight():
    q, k = drawn(37, 100), drawn(7, 100)
    words = explorers.scaling(q, k).still()["text/plain"]
    parts = {
        name: [f"{largest(q, k, d, name).mean():.2f} for d = {d}" for d in (1, 4, 16, 64, 100)] for name in (NONE, ROOT)
    }
    assert words == (
        f"The largest of 7 weights (mean largest weight). {NONE}: {', '.join(parts[NONE])}; "
        f"{ROOT}: {', '.join(parts[ROOT])}. {INVITATION}"
    )
    assert "(largest weight)" in explorers.scaling(q[0], k).still()["text/plain"]
