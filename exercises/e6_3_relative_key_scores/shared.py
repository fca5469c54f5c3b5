"""What the statement and the misconceptions of 6.3 share."""

import torch

from exercises.common import explainers


def _sources(case, i, j):
    """The rows of the table that give the scores at [i, j], and the positions whose vectors do."""
    q, table = case.args
    right = i - j + (len(table) + 1) // 2 - 1

    def fits(vectors, row):
        return torch.allclose(case.first[:, :, i, j], (vectors * row).sum(-1), rtol=1e-4, atol=3e-5)

    return ([r for r in range(len(table)) if fits(q[:, :, i], table[r])],
            [p for p in range(q.size(2)) if fits(q[:, :, p], table[right])])


def _place_used(case):
    """Which row of the table, or whose vector, gives the number that is furthest off; or None."""
    at = *_, i, j = explainers.worst(case.first, case.expected_first)
    rows, positions = _sources(case, i, j)
    if len(rows) == 1:
        return (f"your score at {explainers.position(at)}, query {i} and key {j}, is made with row {rows[0]} of "
                f"distance_embedding; row {i - j + (len(case.args[1]) - 1) // 2} is right, {i} - {j} + M - 1")
    if len(positions) == 1:
        return (f"your score at {explainers.position(at)}, query {i} and key {j}, is made with the vector of position "
                f"{positions[0]}; it is query {i} that asks")
    return None
