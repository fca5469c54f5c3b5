"""Exercise 0.1: the first meeting with a checker."""

from helpers.checks import evidence, solutions
from helpers.checks.catalogue import Exercise, Misconception, Probe
from helpers.checks.inputs import D, S, T, normal, round_numbers

ROW_MEANS = Exercise(
    id="0.1", name="row_means", signature="row_means(x)", minutes=3, difficulty=1,
    gives="the mean of each row of x: from (R, C) to (R,)",
    solution=solutions.row_means, arguments=("x",), returns=("means",), sizes={5: "R", 7: "C", 11: "R", 17: "C"},
    probes=(
        Probe("a table", (normal(T, S),)),
        Probe("a tall table", (normal(D, S, seed=2),)),
        Probe("a table of float64", (normal(T, S, seed=3).double(),)),
        Probe("one row", (normal(1, S, seed=4),)),
        Probe("a wide table", (normal(T, 17, seed=5),)),
    ),
    small=((round_numbers(1, 2),), (round_numbers(2, 2),), (round_numbers(2, 3),)),
    misconceptions=(
        Misconception(
            "column-means", "These are the means of the columns: the rows were averaged away.",
            "The axis you name in mean(dim=...) is the one that disappears. Which of (R, C) must go?",
            lambda x: x.mean(dim=0), evidence.shape),
        Misconception(
            "return-in-loop", "Only the first row was averaged: the loop ends at its first `return`.",
            "`return` leaves the function at once. Collect the means in the loop, and return after it.",
            lambda x: x[0].mean(), evidence.shape),
        Misconception(
            "mean-of-all", "This is one mean over all numbers of x, not one for each row.",
            "Without dim=..., mean() takes every number. Which axis should disappear?",
            lambda x: x.mean(), evidence.shape),
        Misconception(
            "sum-not-mean", "These are the sums of the rows: nothing was divided.",
            "A mean is the sum divided by how many numbers were added.",
            lambda x: x.sum(dim=1), evidence.first_entries),
        Misconception(
            "divided-by-rows", "The row sums are right, but they are divided by the number of rows.",
            "Each row has C numbers. Which one is C: x.size(0) or x.size(1)?",
            lambda x: x.sum(dim=1) / x.size(0), evidence.first_entries),
        Misconception(
            "kept-dimension", "The numbers are right, but the averaged axis is still there with size 1.",
            "keepdim=True keeps an axis of size 1; here the result has one axis, (R,).",
            lambda x: x.mean(dim=1, keepdim=True), evidence.shape),
        Misconception(
            "median-not-mean", "These are the medians of the rows, the middle numbers, not the means.",
            "The mean adds everything up and divides.",
            lambda x: x.median(dim=1).values, evidence.first_entries),
    ),
    hints=(
        "x has two axes, rows and columns. The result has one number for each row, so the columns must go.",
        "x.mean(dim=...) makes one axis disappear. Axes are counted from 0: rows are 0, columns are 1.",
    ),
    after="The axis named in dim is the one that disappears: you will use this in every notebook.",
)

EXERCISES = (ROW_MEANS,)
