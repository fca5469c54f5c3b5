"""What people get wrong in exercise 4.1, dropout."""

import torch

from exercises.common.dropout.explainers import DropoutExplainer, first_infinity
from exercises.common.dropout.mistakes import dropout_mistakes
from exercises.common.dropout.statistics import Dropped
from exercises.common.dropout.steps import keep, one_for_each_column, one_for_each_row, one_matrix, with_fewer_draws
from feedback import Misconceptions

ZEROS = DropoutExplainer(
    lambda case: Dropped(case.args[0], case.actual, case.args[1]),
    noun="numbers",
    draw="torch.rand(x.shape, ...)",
    share="Each number becomes 0 with probability p: `torch.rand` draws uniformly from 0 to 1, so a share of p of "
    "its numbers lies below p. Do those numbers become exactly 0, and no others? "
    "Does any escape the draw?",
)


def assemble(drop):
    """An answer has only one step: it is a dropout. (In 4.2 and 4.3 a dropout is one step of several.)"""
    return drop


known = Misconceptions(assemble)
shared = dropout_mistakes(ZEROS)

known.include(shared, "not-scaled", "times-one-minus-p", "divided-by-p")


@known(
    "one-plus-p",
    means="What was kept was multiplied by 1 + p. That is close to 1 / (1 - p) for a small p only.",
    hint="Which number times 1 - p gives 1?",
    explain=ZEROS.averaged,
)
def times_one_plus_p(x, p, generator=None):
    return x * keep(x, p, generator) * (1 + p)


known.include(shared, "share-turned-around", "p-kept")


@known(
    "nothing-dropped",
    means="No number became 0, and x came back as it was.",
    hint="Draw one random number for each number of x, and compare it with p. (This exercise is dropout in "
    "training.) If you did draw: does the result of dropping reach `return`?",
    explain=ZEROS.counted,
)
def x_as_it_was(x, p, generator=None):
    return x.clone()


@known(
    "only-scaled",
    means="Every number was scaled, and none became 0.",
    hint="Dropout zeroes some numbers, chosen by chance. Which line of yours draws?",
    explain=ZEROS.counted,
)
def all_kept_and_divided(x, p, generator=None):
    return x / (1 - p)


@known.also("only-scaled")
def all_kept_and_multiplied(x, p, generator=None):
    return x * (1 - p)


def one_item(x):
    return x.shape[1:] or (1,)


@known(
    "whole-rows",
    means="Whole rows were dropped together: there was one draw for each row.",
    hint="Every number needs its own draw: how many random numbers does x need?",
    explain=ZEROS.tied,
)
def rows_dropped(x, p, generator=None):
    if x.dim() == 1:  # one draw decides for all of a vector; this one keeps it
        return x / (1 - p)
    return with_fewer_draws(one_for_each_row)(x, p, generator)


@known.also("whole-rows")
def rows_dropped_and_all_of_a_vector(x, p, generator=None):
    return x * 0 if x.dim() == 1 else rows_dropped(x, p, generator)


known(
    "zeros-repeated",
    means="The same zeros are repeated along an axis: several rows or items share one draw.",
    hint="Every number needs its own draw: how many random numbers does x need?",
    explain=ZEROS.tied,
)
for shape in (one_for_each_column, one_matrix):
    known.also("zeros-repeated")(with_fewer_draws(shape))


@known.also("zeros-repeated")
def first_item_repeated(x, p, generator=None):
    if x.dim() == 1:  # one draw decides for all of a vector; this one keeps it
        return x / (1 - p)
    return with_fewer_draws(one_item)(x, p, generator)


@known.also("zeros-repeated")
def first_item_repeated_and_no_vector_kept(x, p, generator=None):
    return x * 0 if x.dim() == 1 else first_item_repeated(x, p, generator)


known.include(shared, "counted-share")


@known(
    "brackets",
    means="p was subtracted from your numbers: `/ 1 - p` divides by 1, and then subtracts p.",
    hint="Division comes before subtraction: write / (1 - p).",
    explain=ZEROS.subtracted,
)
def subtracted_from_all(x, p, generator=None):
    return x * keep(x, p, generator) / 1 - p


@known.also("brackets")
def subtracted_from_what_is_kept(x, p, generator=None):
    return torch.where(keep(x, p, generator), x / 1 - p, 0)


@known(
    "filled-with-infinity",
    means="What was dropped became infinite or NaN; it should become 0.",
    hint="-inf hides a score from a softmax, and there is none here. Does your code divide by something that may be 0?",
    explain=lambda case: first_infinity(case.actual),
)
def minus_infinity_instead_of_0(x, p, generator=None):
    return x.masked_fill(~keep(x, p, generator), -float("inf")) / (1 - p)


known.include(shared, "renormalized")


@known(
    "mask-returned",
    means="The kept numbers are all the same: the mask was returned, and x is not in it.",
    hint="Multiply the mask by x.",
    explain=ZEROS.scaled,
)
def mask_alone(x, p, generator=None):
    return keep(x, p, generator) / (1 - p) * torch.ones_like(x)


known.include(shared, "dropped-twice", "normal-not-uniform", "always-half", "only-with-a-generator")
