"""relative_key_scores: the reference, test cases, and sentences on which row of the table was used."""

import torch

from exercises.common import explainers, properties
from exercises.common.experiments import BOTH_AXES_HINT, ITEMS_AND_HEADS, largest_difference, that_mix
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, D, H, S, T, normal
from feedback import BehavioralTest, Property, TestCase
from feedback.format import sentence
from feedback.page_exercise import exercise


def relative_key_scores(q, distance_embedding):
    """What the distance from query to key adds to each score.

    Shapes: q (B, H, T, D), distance_embedding (2M - 1, D) -> (B, H, T, T)
    Units:  q_i . E[i - j + M - 1], not scaled
    Source: Shaw et al. 2018; notebook 06
    """
    T, M = q.size(-2), (len(distance_embedding) + 1) // 2
    positions = torch.arange(T, device=q.device)
    distance = positions[:, None] - positions  # (T, T): query minus key
    return torch.einsum("bhtd,tsd->bhts", q, distance_embedding[distance + M - 1])


def rows_used(case, i, j):
    """Return the rows of the table that give the scores at [i, j]."""
    q, table = case.args
    scores = q[:, :, i] @ table.T  # (B, H, 2M - 1)
    same = torch.isclose(case.first[:, :, i, j, None], scores, rtol=1e-4, atol=3e-5)
    return same.all(0).all(0).nonzero().flatten().tolist()


def where_from(case):
    """Say which row of the table gives the number that is furthest off, or return None."""
    at = *_, i, j = explainers.worst(case.first, case.expected_first)
    rows = rows_used(case, i, j)
    if len(rows) != 1:
        return None
    return (
        f"your score at {explainers.position(at)}, query {i} and key {j}, is made with row {rows[0]} of "
        f"distance_embedding; row {i - j + (len(case.args[1]) - 1) // 2} is right, {i} - {j} + M - 1"
    )


def row_used(case):
    return where_from(case) or explainers.entry(case)


def arguments(seed, b, h, t, d, m, dtype=torch.float32):
    """Return q and distance_embedding."""
    return normal(b, h, t, d, seed=seed, dtype=dtype), normal(2 * m - 1, d, seed=seed + 40, dtype=dtype)


def as_split(args):
    """Return the same numbers in the memory layout of split heads."""
    q, *rest = args
    return q.transpose(1, 2).contiguous().transpose(1, 2), *rest


@Property.named(
    "wrong-row",
    "Print the row numbers that you look up, (T, T): i - j + M - 1 belongs at [i, j], so the diagonal must be M - 1 "
    "everywhere.",
)
def wrong_row(case):
    """Name the row that was used if rows of the table explain every wrong score, since one may be chance."""
    wrong = ~torch.isclose(case.first, case.expected_first, rtol=1e-4, atol=3e-5).all(0).all(0)
    if not wrong.any() or not all(rows_used(case, i, j) for i, j in wrong.nonzero().tolist()):
        return None
    found = where_from(case)
    return sentence(found) if found else None


@BehavioralTest.named("not-linear", "Only dot products: no softmax, no mask, nothing added.")
def scores_are_linear(attempt):
    """Double q; all scores must double."""
    q, table = arguments(201, B, H, T, D, S)
    once, twice = attempt(q.clone(), table.clone()), attempt(2 * q, table.clone())
    moved = largest_difference(2 * once, twice)
    if moved < 1e-3:
        return None
    return (
        f"A dot product doubles when q doubles, and so must every score; yours is off by up to {moved:.4f}. "
        "Something is done to q or to the scores besides the dot product."
    )


@BehavioralTest.named("items-mixed", BOTH_AXES_HINT)
def heads_apart(attempt):
    """Change one head of one item; the others must stay the same."""
    q, table = arguments(203, B, H, T, D, S)

    def scores(q):
        return attempt(q.clone(), table.clone()).flatten(2)

    def change(at):
        other = q.clone()
        other[at] += normal(T, D, seed=205)
        return scores(other)

    return that_mix(ITEMS_AND_HEADS, scores(q), change)


EXERCISE = exercise(
    relative_key_scores,
    returns=("scores",),
    axis_names=AXES | {2: "B", 3: "H", 5: "T", 7: "T", 11: "D", 9: "2M - 1", 13: "2M - 1", 25: "2M - 1", 17: ""},
    cases=(
        TestCase("T = 5, M = 7", arguments(210, B, H, T, D, 7)),
        TestCase("T = M = 5", arguments(211, B, H, T, D, 5)),
        TestCase("T = 7, M = 13, in float64", arguments(213, B, H, S, D, 13, torch.float64)),
        TestCase("one position, M = 7", arguments(215, B, H, 1, D, 7)),
        TestCase("one item", arguments(217, 1, H, T, D, 7)),
        TestCase("one head", arguments(218, B, 1, S, D, 7)),
        TestCase(
            "q as `heads.split_heads` gives it",
            as_split(arguments(219, B, H, T, D, 7)),
            limitation="It has a limit: `heads.split_heads` ends with a transpose, and `view` cannot join axes of what "
            "it returns; `reshape` can.",
        ),
    ),
    minimal_inputs=(
        (torch.tensor([[[[1.0], [2.0]]]]), torch.tensor([[1.0], [10.0], [100.0]])),
        (torch.tensor([[[[1.0], [2.0]]]]), torch.tensor([[3.0], [1.0], [10.0], [100.0], [5.0]])),
        (torch.tensor([[[[1.0, 0, 2, 0], [0, 3, 0, 1]]]]), torch.tensor([[1.0, 2, 0, 1], [0, 1, 4, 0], [5, 0, 1, 3]])),
        (torch.tensor([[[[1.0], [2.0], [3.0]]]]), torch.tensor([[1.0], [10.0], [100.0], [1000.0], [10000.0]])),
    ),
    properties=(properties.FINITE, wrong_row),
    behavioral_tests=(
        heads_apart,
        scores_are_linear,
        gradients_flow(relative_key_scores, arguments(207, 2, 1, 4, 7, 4), ("q", "distance_embedding")),
    ),
)
