"""What the statement and the misconceptions of 1.4 share."""

import torch

from exercises.common import explainers
from exercises.e1_2_embed.rows import number_of_row as _which_row


def _added(case):
    """What was added to the first token that is not right."""
    x, positions = case.args
    if case.actual.shape != case.expected.shape:
        return explainers.shape(case)
    at = explainers.worst(case.actual, case.expected)[:-1]
    name = f"x[{at[0]}, {at[1]}]"
    if torch.allclose(case.actual[at], x[at], atol=1e-5):
        return f"nothing was added to {name}; row {at[1]} of positions belongs there"
    row = _which_row(positions, case.actual[at] - x[at])
    if row is None or row == at[1]:
        return explainers.entry(case)
    return f"you added row {row} of positions to {name}; row {at[1]} belongs there"
