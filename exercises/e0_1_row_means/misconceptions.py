"""What people get wrong in exercise 0.1, row_means."""

from exercises.common import explainers
from feedback import Misconceptions

known = Misconceptions()


@known(
    "column-means",
    means="These are the means of the columns: the rows were averaged away.",
    hint="The axis you name in `mean(dim=...)` is the one that disappears. Which of (R, C) must go?",
    explain=explainers.shape,
)
def means_of_columns(x):
    return x.mean(dim=0)


@known(
    "return-in-loop",
    means="Only the first row was averaged: the loop ends at its first `return`.",
    hint="`return` leaves the function at once. Collect the means in the loop, and return after it.",
    explain=explainers.shape,
)
def mean_of_the_first_row(x):
    return x[0].mean()


@known(
    "mean-of-all",
    means="This is one mean over all numbers of x, not one for each row.",
    hint="Without `dim=...`, `mean()` takes every number. Which axis should disappear?",
    explain=explainers.shape,
)
def mean_of_all(x):
    return x.mean()


@known(
    "sum-not-mean",
    means="These are the sums of the rows: nothing was divided.",
    hint="A mean is the sum divided by how many numbers were added.",
    explain=explainers.first_entries,
)
def sums(x):
    return x.sum(dim=1)


@known(
    "divided-by-rows",
    means="The row sums are right, but they are divided by the number of rows.",
    hint="Each row has C numbers. Which one is C: `x.size(0)` or `x.size(1)`?",
    explain=explainers.first_entries,
)
def divided_by_rows(x):
    return x.sum(dim=1) / x.size(0)


@known(
    "kept-dimension",
    means="The numbers are right, but the averaged axis is still there with size 1.",
    hint="`keepdim=True` keeps an axis of size 1; here the result has one axis, (R,).",
    explain=explainers.shape,
)
def with_the_axis_kept(x):
    return x.mean(dim=1, keepdim=True)


@known(
    "median-not-mean",
    means="These are the medians of the rows, the middle numbers, not the means.",
    hint="The mean adds everything up and divides.",
    explain=explainers.first_entries,
)
def medians(x):
    return x.median(dim=1).values
