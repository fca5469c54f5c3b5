"""Exercise 6.3: relative_key_scores."""

import torch

from exercises.common import properties, references
from exercises.common.block import _HEADS_TO_CHANGE, _first_that_moves, _met, _moved
from exercises.common.inputs import AXES, B, D, H, S, T, normal
from exercises.e6_3_relative_key_scores.misconceptions import MISCONCEPTIONS
from exercises.e6_3_relative_key_scores.shared import _place_used, _sources
from feedback import BehavioralTest, Exercise, Property, TestCase


def _wrong_row(case):
    """Said only where every wrong score is that of another row or query: a single one may be chance."""
    wrong = ~torch.isclose(case.first, case.expected_first, rtol=1e-4, atol=3e-5).all(0).all(0)
    if not wrong.any() or not all(any(_sources(case, i, j)) for i, j in wrong.nonzero().tolist()):
        return None
    found = _place_used(case)
    return f"{found[0].upper()}{found[1:]}." if found else None


def _is_linear(attempt):
    """Double q: all scores must double."""
    q, table = normal(B, H, T, D, seed=201), normal(2 * S - 1, D, seed=202)
    once, twice = attempt(q.clone(), table.clone()), attempt(2 * q, table.clone())
    moved = _moved(2 * once, twice)
    if moved < 1e-3:
        return None
    return (f"A dot product doubles when q doubles, and so must every score; yours is off by up to {moved:.4f}. "
            "Something is added, or done to the scores after the dot product.")


def _score_once(attempt, q, table):
    return attempt(q.clone(), table.clone()).flatten(2)


def _heads_apart(attempt):
    """Change one head of one item, and look whether the others notice."""
    q, table = normal(B, H, T, D, seed=203), normal(2 * S - 1, D, seed=204)

    def change(at):
        other = q.clone()
        other[at] += normal(T, D, seed=205)
        return _score_once(attempt, other, table)

    return _met(_first_that_moves(_score_once(attempt, q, table), change, _HEADS_TO_CHANGE))


def _queries_apart(attempt):
    """Change one query, and look whether other rows notice."""
    q, table = normal(B, H, T, D, seed=206), normal(2 * S - 1, D, seed=207)
    other = q.clone()
    other[:, :, 3] += 1
    moved = (attempt(q.clone(), table.clone()) - attempt(other, table.clone())).abs().amax((0, 1, 3))
    moved[3] = 0
    if moved.max() < 1e-5:
        return None
    return (f"Row i of the scores belongs to query i alone: when query 3 changed, row {int(moved.argmax())} moved by "
            f"{float(moved.max()):.4f}.")


def _distances(seed, b, h, t, d, m, dtype=torch.float32):
    """Arguments for 6.3."""
    return normal(b, h, t, d, seed=seed, dtype=dtype), normal(2 * m - 1, d, seed=seed + 40, dtype=dtype)


EXERCISE = Exercise(
    id="6.3", name="relative_key_scores", signature="relative_key_scores(q, distance_embedding)", minutes=10,
    difficulty=3,
    gives="a score for each query i and key j, (B, H, T, T): the dot product of q_i and row i - j + M - 1 of "
          "distance_embedding (2M - 1, D), not scaled",
    reference=references.relative_key_scores, arguments=("q", "distance_embedding"), returns=("scores",),
    axis_names=AXES | {2: "B", 3: "H", 5: "T", 7: "T", 11: "D", 9: "2M - 1", 13: "2M - 1", 25: "2M - 1", 17: ""},
    cases=(
        TestCase("T = 5, M = 7", _distances(210, B, H, T, D, 7)),
        TestCase("T = M = 5", _distances(211, B, H, T, D, 5)),
        TestCase("T = 5, M = 13", _distances(212, B, H, T, D, 13)),
        TestCase("T = 7, M = 13, in float64", _distances(213, B, H, S, D, 13, torch.float64)),
        TestCase("one position, M = 1", _distances(214, B, H, 1, D, 1)),
        TestCase("one position, M = 7", _distances(215, B, H, 1, D, 7)),
        TestCase("two positions, M = 5", _distances(216, B, H, 2, D, 5)),
        TestCase("one item", _distances(217, 1, H, T, D, 7)),
        TestCase("one head", _distances(218, B, 1, S, D, 7)),
    ),
    minimal_inputs=((torch.tensor([[[[1.0], [2.0]]]]), torch.tensor([[1.0], [10.0], [100.0]])),
           (torch.tensor([[[[1.0], [2.0]]]]), torch.tensor([[3.0], [1.0], [10.0], [100.0], [5.0]])),
           (torch.tensor([[[[1.0, 0, 2, 0], [0, 3, 0, 1]]]]),
            torch.tensor([[1.0, 2, 0, 1], [0, 1, 4, 0], [5, 0, 1, 3]])),
           (torch.tensor([[[[1.0], [2.0], [3.0]]]]), torch.tensor([[1.0], [10.0], [100.0], [1000.0], [10000.0]]))),
    misconceptions=MISCONCEPTIONS,
    hints=(
        "First the distances, (T, T): positions = torch.arange(T), then positions[:, None] - positions is i - j. Which "
        "row of the table must distance 0 have?",
        "M = (len(distance_embedding) + 1) // 2, and distance_embedding[distance + M - 1] has the shape (T, T, D): one "
        "vector for each pair. The dot products: torch.einsum(\"bhtd,tsd->bhts\", q, ...).",
    ),
    properties=(properties.FINITE, Property("wrong-row", _wrong_row,
                           "Print the table of rows that you look up, (T, T): row i - j + M - 1 belongs at [i, j]. "
                           "Its diagonal must be M - 1 everywhere.")),
    behavioral_tests=(
        BehavioralTest("items-mixed", _heads_apart, "The axes B and H stay in front untouched: which line sums over them, "
                                                "or takes them for positions?"),
        BehavioralTest("queries-mixed", _queries_apart, "q_i . E[i - j + M - 1]: only query i is in row i."),
        BehavioralTest("not-linear", _is_linear, "Only dot products: no softmax, no mask, nothing added."),
    ),
    when_correct="The score now knows how far query and key are apart, and in which direction.",
)
