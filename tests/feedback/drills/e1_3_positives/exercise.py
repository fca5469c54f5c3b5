"""Exercise 1.3: a tensor, and how many numbers are in it."""

import torch

from feedback import Exercise, Misconceptions, TestCase

known = Misconceptions()


def positives(x):
    return x[x > 0], int((x > 0).sum())


@known("with-zero", means="Zeros are kept, too.", hint="Is 0 larger than 0?")
def not_negative(x):
    return x[x >= 0], int((x >= 0).sum())


EXERCISE = Exercise(
    gives="the numbers that are larger than 0, and how many they are",
    minutes=5,
    difficulty=1,
    reference=positives,
    returns=("kept", "number"),
    cases=(
        TestCase("both signs", (torch.tensor([1.0, -2, 3, -4, 5]),)),
        TestCase("a zero", (torch.tensor([0.0, 7, -1]),)),
    ),
    minimal_inputs=((torch.tensor([2.0, -1]),), (torch.tensor([0.0, 1]),)),
    misconceptions=known,
    hints=("Which comparison?", "`x[x > 0]`"),
    when_correct="A mask in brackets keeps what is True.",
)
