"""Exercise 1.2: a tuple of two ints and a float."""

from feedback import Exercise, Misconceptions, TestCase

known = Misconceptions()


def extremes(numbers):
    return min(numbers), max(numbers), sum(numbers) / len(numbers)


@known("unsorted", means="The first and the last number are returned.", hint="Is the first one the smallest?")
def first_and_last(numbers):
    return numbers[0], numbers[-1], sum(numbers) / len(numbers)


EXERCISE = Exercise(
    gives="the smallest number, the largest, and the mean",
    minutes=5,
    difficulty=1,
    reference=extremes,
    returns=("smallest", "largest", "mean"),
    cases=(TestCase("four numbers", ([3, 1, 7, 2],)), TestCase("thirds", ([2, 1, 1],))),
    minimal_inputs=(([2, 1],),),
    misconceptions=known,
    hints=("Sort them in your head.", "`min` and `max` exist."),
    when_correct="No list had to be sorted.",
)
