"""Which rows of the table are in a learner's result, in sentences."""

from exercises.common import explainers


def row_taken(case):
    """Which row of the table is where another belongs."""
    ids, table = case.args
    if case.actual.shape != case.expected.shape:
        return explainers.shape(case)
    at = explainers.worst(case.actual, case.expected)[:-1]
    row = explainers.number_of_row(table, case.actual[at])
    if row is None:
        return explainers.entry(case)
    return f"for {_name(ids, at)} you took row {row} of the table, and row {ids[at].item()} is right"


def next_to_its_row(case):
    """The vector that is furthest off, and the row of the table that belongs there."""
    ids, _ = case.args
    if case.actual.shape != case.expected.shape:
        return explainers.shape(case)
    at = explainers.worst(case.actual, case.expected)[:-1]
    mine, right = (explainers.first_numbers(x[at], most=4) for x in (case.actual, case.expected))
    return f"for {_name(ids, at)} yours is {mine}, and row {ids[at].item()} of the table is {right}"


def _name(ids, at):
    return f"ids[{', '.join(map(str, at))}] = {ids[at].item()}" if at else f"ids = {ids.item()}"
