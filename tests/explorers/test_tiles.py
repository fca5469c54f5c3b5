"""The tiles explorer in Python: what it accepts, what it refuses and the picture that it saves."""

import math

import pytest
import torch

import explorers
from explorers.base import INVITATION
from explorers.tiles import running
from helpers.online import online_logsumexp

INF = float("inf")


def drawn(*shape, seed=1):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_without_arguments_the_largest_score_of_the_last_query_is_in_the_second_of_three_tiles():
    scores = torch.frombuffer(bytearray(explorers.tiles().scores), dtype=torch.float32)
    largest = scores.view(12, 3, 4)[-1].amax(dim=1)
    assert largest[1] > largest[0] > largest[2]


spoilt = drawn(3, 4)
spoilt[1, 2] = float("nan")


def given():
    """The arguments of test_every_explorer.py."""
    return drawn(5, 5), drawn(5, 2)


TAKEN = [(drawn(T, S), drawn(S, Dv), tile) for T, S, Dv, tile in ((1, 1, 1, 1), (16, 16, 3, 16), (16, 1, 1, 16))]
TAKEN += [(3e38 * drawn(16, 16).sign(), drawn(16, 3), 1)]  # no number leaves the picture
REFUSED = [
    (TypeError, "scores must be a tensor or nested lists of numbers, .* got str", ("scores",)),
    (ValueError, r"scores must have shape \(T, S\) or \(S,\), got \(\); pass one number for each", (3.0,)),
    (ValueError, r"scores\[0, 0\]", (drawn(1, 2, 5, 4),)),
    (ValueError, r"1 to 16 queries and as many keys, got \(3, 17\); pass a part", (drawn(3, 17),)),
    (ValueError, r"scores must be finite, or -inf where .* got nan at \[1, 2\]; find out", (spoilt,)),
    (ValueError, r"got inf at \[0, 1\]; find out", ([1.0, INF],)),
    (ValueError, r"values must have shape \(12, Dv\), .* got \(7, 2\); pass a part", (None, drawn(7, 2))),
    (ValueError, r"values must have shape \(4, Dv\), .* at most 3, got \(4, 5\)", (drawn(3, 4), drawn(4, 5))),
    (ValueError, r"values must be finite, got -inf at \[0, 0\]; find out", ([1.0], [[-INF]])),
    (ValueError, "tile must be 1 to 16, got 64; it is", (None, None, 64)),
    (TypeError, "causal must be True or False, got 1; the mask itself is not needed", (None, None, 4, 1)),
    (ValueError, "needs as many queries as keys, got T = 3 and S = 4; pass", (drawn(3, 4), None, 4, True)),
]


# ---------------------------------------------------------------- the numbers of the picture

ROWS = {
    "random": 2 * drawn(12),
    "large": 1000 * drawn(12),
    "hidden at first": torch.cat([torch.full((5,), -INF), drawn(7)]),
}


@pytest.mark.parametrize("tile", [1, 5, 16])
def test_what_is_kept_leads_to_the_courses_own_attention(tile):
    for row in ROWS.values():
        scores, values = row.double(), drawn(12, 2, seed=2).double()
        kept = running(scores, values, tile)
        assert len(kept) == math.ceil(12 / tile)
        largest, total, read = kept[-1]
        assert largest + math.log(total) == pytest.approx(float(online_logsumexp(scores, tile)), rel=1e-12)
        out = torch.tensor(read, dtype=torch.float64) / total
        torch.testing.assert_close(out, scores.softmax(dim=0) @ values)


def test_a_query_that_sees_nothing_keeps_nothing():
    scores, values = torch.full((5,), -INF).double(), drawn(5, 2).double()
    assert running(scores, values, 2) == [(-INF, 0.0, [0.0, 0.0])] * 3
    said = explorers.tiles(scores, values, tile=5).still()["text/plain"]
    assert "At the end: lse -∞, output ÷ l 0.00, 0.00." in said


def test_the_picture_tells_every_step():
    scores = [0.0, 0.0, math.log(2), math.log(2), -1000.0]
    view = explorers.tiles(scores, [[1.0], [3.0], [0.0], [-1.0], [5.0]], tile=2)
    assert view.still()["text/plain"] == (
        "Query 0 reads 5 keys, 2 at a time. After tile 0: maximum 0.00, factor 0.00, sum 2.00, output 4.00. "
        "After tile 1: maximum 0.69, factor 0.50, sum 3.00, output 1.00. "
        "After tile 2: maximum 0.69, factor 1.00, sum 3.00, output 1.00. "
        f"At the end: lse 1.79, output ÷ l 0.33. {INVITATION}"
    )


def test_the_picture_has_a_square_for_each_key_and_grays_what_is_hidden():
    svg = explorers.tiles([1.0, -INF, 2.0, -INF, -3.0], tile=3).picture().svg
    assert svg.count('height="20" fill=') == 5 and svg.count('height="20" fill="#d9dde4"') == 2
