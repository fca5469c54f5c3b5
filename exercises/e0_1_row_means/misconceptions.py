"""What people get wrong in exercise 0.1, row_means."""

from exercises.common import explainers
from feedback import Misconception

MISCONCEPTIONS = (
        Misconception(
            "column-means", "These are the means of the columns: the rows were averaged away.",
            "The axis you name in mean(dim=...) is the one that disappears. Which of (R, C) must go?",
            lambda x: x.mean(dim=0), explainers.shape),
        Misconception(
            "return-in-loop", "Only the first row was averaged: the loop ends at its first `return`.",
            "`return` leaves the function at once. Collect the means in the loop, and return after it.",
            lambda x: x[0].mean(), explainers.shape),
        Misconception(
            "mean-of-all", "This is one mean over all numbers of x, not one for each row.",
            "Without dim=..., mean() takes every number. Which axis should disappear?",
            lambda x: x.mean(), explainers.shape),
        Misconception(
            "sum-not-mean", "These are the sums of the rows: nothing was divided.",
            "A mean is the sum divided by how many numbers were added.",
            lambda x: x.sum(dim=1), explainers.first_entries),
        Misconception(
            "divided-by-rows", "The row sums are right, but they are divided by the number of rows.",
            "Each row has C numbers. Which one is C: x.size(0) or x.size(1)?",
            lambda x: x.sum(dim=1) / x.size(0), explainers.first_entries),
        Misconception(
            "kept-dimension", "The numbers are right, but the averaged axis is still there with size 1.",
            "keepdim=True keeps an axis of size 1; here the result has one axis, (R,).",
            lambda x: x.mean(dim=1, keepdim=True), explainers.shape),
        Misconception(
            "median-not-mean", "These are the medians of the rows, the middle numbers, not the means.",
            "The mean adds everything up and divides.",
            lambda x: x.median(dim=1).values, explainers.first_entries),
)
