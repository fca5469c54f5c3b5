"""What people get wrong in exercise 3.1, causal_mask."""

import torch

from exercises.common import explainers
from feedback import Misconceptions

known = Misconceptions()


def square(length, dtype=torch.bool):
    """Ones, or True, everywhere."""
    return torch.ones(length, length, dtype=dtype)


@known(
    "upside-down",
    means="The mask is upside down: position 0 sees the future, and the last position sees only itself.",
    hint="Row i may see the columns 0 to i. Is that the upper or the lower triangle?",
    explain=explainers.true_at,
)
def upper_triangle(length):
    return square(length).triu()


@known.also("upside-down")
def upper_triangle_of_numbers(length):
    return square(length, torch.float32).triu()


@known(
    "true-hides",
    means="True and False are the wrong way around: yours is True where reading is forbidden.",
    hint="In this course, as in `F.scaled_dot_product_attention`, True = may attend. How do you turn a bool mask "
    "around?",
    explain=explainers.true_at,
)
def future(length):
    return square(length).triu(1)


@known.also("true-hides")
def future_in_numbers(length):
    return square(length, torch.float32).triu(1)


@known(
    "diagonal-hidden",
    means="The diagonal is hidden: no position may see itself, and position 0 sees nothing at all.",
    hint="A position may read itself: the diagonal belongs to it.",
    explain=explainers.true_at,
)
def past_alone(length):
    return square(length).tril(-1)


@known.also("diagonal-hidden")
def past_alone_in_numbers(length):
    return square(length, torch.float32).tril(-1)


@known(
    "one-step-ahead",
    means="Each position also sees the next one: the word that it should predict.",
    hint="The border runs along the diagonal: column <= row.",
    explain=explainers.true_at,
)
def past_and_the_next(length):
    return square(length).tril(1)


@known(
    "everything-visible",
    means="Nothing is hidden: every entry is True.",
    hint="Positions after i must be False in row i.",
    explain=explainers.true_at,
)
def all_true(length):
    return square(length)


@known(
    "nothing-visible",
    means="Everything is hidden: every entry is False.",
    hint="Row i must be True in the columns 0 to i.",
    explain=explainers.true_at,
)
def all_false(length):
    return ~square(length)


@known(
    "only-itself",
    means="Each position sees only itself: the past must be visible too.",
    hint="Row i may see the columns 0 to i.",
    explain=explainers.true_at,
)
def diagonal(length):
    return torch.eye(length, dtype=torch.bool)


def add_triangle_of_numbers(dtype):
    """The right triangle with 0 and 1 in it."""

    @known.also("numbers-not-bool")
    def triangle(length):
        return square(length, dtype).tril()


known(
    "numbers-not-bool",
    means="The triangle holds numbers instead of True and False.",
    hint="PyTorch's own functions silently add a mask of floats to the scores. Which dtype holds True and False?",
)
for dtype in (torch.float32, torch.int64, torch.int32, torch.uint8):
    add_triangle_of_numbers(dtype)


@known(
    "additive",
    means="This is an additive mask of 0 and -inf; a bool mask is wanted.",
    hint="A bool mask says what is visible, and leaves how to hide the rest to the code.",
)
def zeros_and_minus_infinity(length):
    return torch.full((length, length), -torch.inf).triu(1)
