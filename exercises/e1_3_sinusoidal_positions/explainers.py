"""Sentences about a learner's waves, and what they are told about the angles."""

from exercises.common import explainers

FREQUENCY = "The angle is position / 10000**(i / `d_model`), with i = 0, 2, 4, ...: the even column of the pair."


def pairs(x):
    """(length, d_model) -> (length, d_model / 2, 2): the columns in pairs."""
    return x.unflatten(-1, (-1, 2))


def first_wrong_row(case):
    """The first row that is not right, next to the right one."""
    got, right = case.actual, case.expected
    if got.shape != right.shape or got.dtype != right.dtype:
        return explainers.shape(case)
    wrong = ((got - right).abs() > 3e-5 + 1e-4 * right.abs()) | got.isnan()
    row = int(wrong.any(-1).nonzero()[0]) if wrong.any() else 0
    mine, wanted = (explainers.first_numbers(x[row], most=6) for x in (got, right))
    return f"your row {row} is {mine}, and {wanted} is right"
