"""A tuple of two ints and a float."""

from feedback import TestCase
from feedback.page_exercise import exercise


def extremes(numbers):
    return min(numbers), max(numbers), sum(numbers) / len(numbers)


EXERCISE = exercise(
    extremes,
    returns=("smallest", "largest", "mean"),
    cases=(TestCase("four numbers", ([3, 1, 7, 2],)), TestCase("thirds", ([2, 1, 1],))),
    minimal_inputs=(([2, 1],),),
)
