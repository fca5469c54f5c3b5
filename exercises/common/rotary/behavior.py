"""Properties and behavioral tests of rotations."""

import torch

from exercises.common import explainers
from exercises.common.inputs import normal
from feedback import BehavioralTest, Property

ROUNDING = 5e-4  # angles of positions up to 2,000 may be computed in float32


def _lengths_kept(case):
    if case.first.shape != case.args[0].shape or not case.first.numel():
        return None
    before, after = (t.double().norm(dim=-1) for t in (case.args[0], case.first))
    if torch.allclose(before, after, rtol=1e-3, atol=1e-3):
        return None
    at = explainers.worst(after, before)
    return (
        f"A rotation keeps the length of every vector; that at {explainers.position(at)} was "
        f"{explainers.number(before[at])} and is now {explainers.number(after[at])}."
    )


def _position_zero_stays(case):
    x, positions = case.args[:2]
    if case.first.shape != x.shape:
        return None
    first = (positions == 0).nonzero().flatten()
    if not len(first) or torch.allclose(case.first[..., first, :], x[..., first, :], atol=1e-3):
        return None
    return "At position 0 the angle is 0 for every pair, so x stays as it is there; yours changes."


LENGTHS = Property(
    "lengths-change",
    _lengths_kept,
    "Try your formula on the pair (1, 0): it becomes (cos, sin). Which lines of your code make these two?",
)
POSITION_ZERO = Property("position-0", _position_zero_stays, "Are the positions taken as they are given?")


def only_distances_count(attempt):
    """The score of a query and a key depends on how far apart they are."""
    q, k = normal(1, 6, seed=31), normal(1, 6, seed=32)

    def score(at, other):
        turned = (attempt(x.clone(), torch.tensor([p])) for x, p in ((q, at), (k, other)))
        first, second = turned
        return float((first.double() * second.double()).sum())

    here, there = score(5, 2), score(25, 22)
    if abs(here - there) < 2e-3:
        return None
    return (
        "The score of a query and a key depends only on the distance between them. Yours is "
        f"{here:.4f} for the positions 5 and 2, and {there:.4f} for 25 and 22."
    )


ONLY_DISTANCES = BehavioralTest(
    "not-only-distances",
    only_distances_count,
    "Two vectors that are turned by the same angle keep the angle between them. Which step does more than turn?",
)
