"""Which rows of the table are in a learner's result, in sentences."""

from exercises.common import explainers


def number_of_row(table, vector):
    """The number of the row that equals a vector, or None."""
    if table.size(-1) != vector.size(-1):
        return None
    same = (table - vector).abs().amax(-1).lt(1e-4)
    return int(same.nonzero()[0]) if same.any() else None


def row_taken(case):
    """Which row of the table is where another belongs."""
    ids, table = case.args
    if case.actual.shape != case.expected.shape:
        return explainers.shape(case)
    at = explainers.worst(case.actual, case.expected)[:-1]
    row = number_of_row(table, case.actual[at])
    if row is None:
        return explainers.entry(case)
    return f"for {_name(ids, at)} you took row {row} of the table, and row {ids[at].item()} is right"


def next_to_its_row(case):
    """The vector that is furthest off, and the row of the table that belongs there."""
    ids, _ = case.args
    if case.actual.shape != case.expected.shape:
        return explainers.shape(case)
    at = explainers.worst(case.actual, case.expected)[:-1]
    mine, right = (
        ", ".join(explainers.number(v) for v in x[at][:4]) + (", ..." if x.size(-1) > 4 else "")
        for x in (case.actual, case.expected)
    )
    return f"for {_name(ids, at)} yours is [{mine}], and row {ids[at].item()} of the table is [{right}]"


def _name(ids, at):
    return f"ids[{', '.join(map(str, at))}] = {ids[at].item()}" if at else f"ids = {ids.item()}"
