"""13.2 test_scale. Its suspects are functions scores_of, q (B, H, T, D) and k (B, H, S, D) -> (B, H, T, S)."""

import math
from collections.abc import Callable

import torch

from exercises.n13_the_museum_of_bugs.suspects import Suspects
from feedback.format import number
from helpers import require


def test_scale(scores_of):
    """The scores are q · k / √D, whatever D is.

    Shapes: scores_of takes q (B, H, T, D) and k (B, H, S, D) to (B, H, T, S)
    """
    for D in (2, 3, 8, 64, 80):
        q, k = torch.randn(2, 3, 5, D), torch.randn(2, 3, 7, D)
        right = q @ k.transpose(-2, -1) / math.sqrt(D)  # (B, H, T, S)
        apart = (scores_of(q, k) - right).abs().max()
        assert apart < 1e-4, f"for D = {D} a score is {apart:.2g} away from q · k / √D"


# ---------------------------------------------------------------- what a test gives to a suspect


def scores_of(suspect, q, k):
    """Check the arguments of a call of a suspect, and return copies for rules."""
    require.shapes("q B H T D, k B H S D", q, k)
    return q.detach().clone(), k.detach().clone()


def one_width(calls):
    return len({q.size(-1) for q, _ in calls}) == 1


def even(calls):
    return all(q.size(-1) % 2 == 0 for q, _ in calls)


def narrow(calls):
    return all(q.size(-1) <= 64 for q, _ in calls)


def squares(calls):
    return all(math.isqrt(q.size(-1)) ** 2 == q.size(-1) for q, _ in calls)


def one_head(calls):
    return all(q.size(1) == 1 for q, _ in calls)


def one_query(calls):
    return all(q.size(2) == 1 for q, _ in calls)


def sizes_agree(calls):
    return all(q.size(-1) in (q.size(2), k.size(2)) for q, k in calls)


def equally_many(calls):
    return all(q.size(2) == k.size(2) for q, k in calls)


def queries_are_keys(calls):
    return all(torch.equal(q, k) for q, k in calls)


def constant(calls):
    return all(len(x.unique()) == 1 for each in calls for x in each)


# ---------------------------------------------------------------- what shows a bug


def score(B: int, H: int, D: int, T: int = 3, S: int = 5) -> Callable:
    """Show the score that is furthest off, for inputs of these sizes."""

    def shows(scores_of):
        own = torch.Generator().manual_seed(D)
        q, k = torch.randn(B, H, T, D, generator=own), torch.randn(B, H, S, D, generator=own)
        right, got = products(q, k) / math.sqrt(D), scores_of(q, k)
        i = int((got - right).abs().argmax())
        return (
            f"For q of shape {(B, H, T, D)} and k of shape {(B, H, S, D)}, the score of a query and a key is "
            f"{number(got.flatten()[i])}, and q · k / √{D} is {number(right.flatten()[i])}"
        )

    return shows


def products(q, k):
    """Return q · k, (B, H, T, S)."""
    return q @ k.transpose(-2, -1)


SUSPECTS = Suspects(test_scale, takes=scores_of)
EXERCISE = SUSPECTS.exercise()
