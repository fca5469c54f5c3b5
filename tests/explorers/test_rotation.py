"""The rotation explorer in Python: what it accepts, what it refuses and the picture that it saves."""

import math
import re
import xml.etree.ElementTree as ElementTree

import pytest
import torch

import explorers
from explorers import still
from explorers.base import INVITATION
from helpers.relative_positions import rotate_pairs

SVG = "{http://www.w3.org/2000/svg}"


def drawn(D, seed=1):
    return torch.randn(D, generator=torch.Generator().manual_seed(seed))


def turned(x, position, base=10000.0):
    """The arrows of a query or key at a position, by the course's own function: (D,) -> (D / 2, 2)."""
    return rotate_pairs(x.double()[None], torch.tensor([position]), base)[0].unflatten(-1, (-1, 2))


def pair_scores(q, k, position, distance, base=10000.0):
    return (turned(q, position + distance, base) * turned(k, position, base)).sum(dim=-1)  # (D / 2,)


q, k = drawn(14), drawn(14, 2)
spoilt = k.clone()
spoilt[7] = float("nan")


def given():
    """The arguments of test_every_explorer.py."""
    return drawn(14), drawn(14, 2)


TAKEN = [(drawn(4), drawn(4, 2), 1), (drawn(128), drawn(128, 2), 5e5)]
REFUSED = [
    (TypeError, "k must be a tensor or nested lists of numbers, .* got NoneType", (q, None)),
    (ValueError, r"q must have shape \(D,\), .* got \(\); pass all its features", (3.0, k)),
    (ValueError, r"k must .* got \(1, 2, 14\); choose one, for instance k\[0, 0\]", (q, k.expand(1, 2, 14))),
    (ValueError, r"D, the width of q, must be even, .* 4 to 128, got 13; .* q\[:12\]", (q[:13], k)),
    (ValueError, r"got 2; pass all its features", (q[:2], k[:2])),
    (ValueError, r"4 to 128, got 130; pass a part, for instance q\[:128\]", (drawn(130), drawn(130))),
    (ValueError, "q and k must have the same width D, got 14 and 12 features; take both", (q, k[:12])),
    (ValueError, r"k must be finite, got nan at \[7\]; find out", (q, spoilt)),
    (ValueError, "q must have a number other than 0, got zeros alone; zeros make no arrow", (0 * q, k)),
    (TypeError, "base must be a number, got '10,000'; pass a float such as 10000.0", (q, k, "10,000")),
    (ValueError, "base must be finite and at least 1, got 0.5; pass a float", (q, k, 0.5)),
    (ValueError, "base must be finite and at least 1, got nan; pass a float", (q, k, math.nan)),
]


# ---------------------------------------------------------------- the picture that stays


def test_the_picture_is_that_of_the_opening_view():
    view = explorers.rotation(q, k, base=500.0)
    scores = pair_scores(q, k, 4, 3, base=500.0)
    named = ", ".join(f"pair {i} {score:.2f}" for i, score in enumerate(scores.tolist()))
    assert view.still()["text/plain"] == (
        f"Query at position 7, key at position 4: score {scores.sum():.2f}. "
        f"What each of 7 pairs of features adds: {named}. {INVITATION}"
    )


def test_the_arrows_of_the_picture_point_where_they_are_turned():
    query, key = turned(q, 7), turned(k, 4)
    picture = ElementTree.fromstring(still.arrows(query, key, "Two").svg)
    arrows = [group for group in picture.iter(f"{SVG}g") if group.get("transform", "").startswith("rotate")][2:]
    scale = still.REACH / max(query.norm(dim=1).max(), key.norm(dim=1).max()).item()
    wanted = torch.stack([key, query], dim=1).flatten(0, 1)  # in the order in which they are drawn
    for (x, y), arrow in zip(wanted.tolist(), arrows, strict=True):
        degrees = float(arrow.get("transform").removeprefix("rotate(").removesuffix(")"))  # y points down on a page
        length = float(re.match(r"M([\d.]+)", arrow[1].get("d"))[1])
        assert length * math.cos(math.radians(degrees)) == pytest.approx(x * scale, abs=0.1)
        assert -length * math.sin(math.radians(degrees)) == pytest.approx(y * scale, abs=0.1)
