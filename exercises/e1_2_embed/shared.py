"""What the statement and the misconceptions of 1.2 share."""

from exercises.common import explainers
from exercises.common.tables import _which_row


def _row(case):
    """Which row of the table stands where another belongs."""
    ids, table = case.args
    if case.actual.shape != case.expected.shape:
        return explainers.shape(case)
    at = explainers.worst(case.actual, case.expected)[:-1]
    name = f"ids[{', '.join(map(str, at))}] = {ids[at].item()}" if at else f"ids = {ids.item()}"
    row = _which_row(table, case.actual[at])
    if row is None:
        return explainers.entry(case)
    return f"for {name} yours is row {row} of the table, and row {ids[at].item()} is right"
