"""What people get wrong in exercise 10.2, pool_heads."""

import torch

from exercises.common import explainers
from feedback import Misconceptions

known = Misconceptions()

CONSECUTIVE = "With 4 heads and 2 groups, heads 0 and 1 are group 0. Which heads does your code put together?"
MEAN_OF_ROWS = "Row d of a group is the mean of row d of each of its heads. How many rows must come out?"


def in_heads(weight, num_heads):
    return weight.unflatten(0, (num_heads, -1))  # (H, D, C)


def rows_of(case):
    """The rows of weight whose mean is right where the learner's numbers are furthest off."""
    weight, heads, groups = case.args
    if case.first.shape != case.expected_first.shape:
        return explainers.shape(case)
    row = explainers.worst(case.first, case.expected_first)[0]
    size = len(weight) // heads
    group, d = divmod(row, size)
    rows = [(group * (heads // groups) + h) * size + d for h in range(heads // groups)]
    names = ", ".join(map(str, rows))
    return f"row {row} should be the mean of the rows {names} of weight. {explainers.entry(case).capitalize()}"


@known(
    "every-other-head",
    means="The heads of a group were taken at regular distances, h % G, as if heads were dealt out in turn.",
    hint=CONSECUTIVE,
    explain=rows_of,
)
def dealt_out(weight, num_heads, groups):
    heads = in_heads(weight, num_heads)
    return torch.stack([heads[g::groups].mean(0) for g in range(groups)]).flatten(0, 1)


@known(
    "first-head",
    means="The first head of each group was kept, and the others were dropped.",
    hint=MEAN_OF_ROWS,
    explain=rows_of,
)
def first_of_each_group(weight, num_heads, groups):
    return in_heads(weight, num_heads)[:: num_heads // groups].flatten(0, 1)


@known(
    "sum",
    means="The heads of each group were summed, not averaged: keys would be H / G times as long.",
    hint="A mean is a sum divided by how many there are.",
    explain=rows_of,
)
def summed(weight, num_heads, groups):
    return weight.unflatten(0, (groups, num_heads // groups, -1)).sum(1).flatten(0, 1)


@known(
    "rows-in-a-row",
    means="Neighboring rows were averaged, as if the features came before the heads. Neighbors are features "
    "of one head; what belongs together are the rows of the same feature in different heads.",
    hint=MEAN_OF_ROWS,
    explain=rows_of,
)
def neighbors_averaged(weight, num_heads, groups):
    return weight.unflatten(0, (-1, num_heads // groups)).mean(1)


@known(
    "group-size-and-number-exchanged",
    means="G was taken for the number of heads in a group: H / G groups came out.",
    hint="There are G groups, of H / G heads each.",
    explain=rows_of,
)
def groups_of_g(weight, num_heads, groups):
    return weight.unflatten(0, (num_heads // groups, groups, -1)).mean(1).flatten(0, 1)


@known(
    "mean-over-the-groups",
    means="The mean was taken over the groups, not over the heads of each group.",
    hint="Which axis of (G, H / G, D, C) counts the heads of one group?",
    explain=rows_of,
)
def over_the_groups(weight, num_heads, groups):
    return weight.unflatten(0, (groups, num_heads // groups, -1)).mean(0).flatten(0, 1)


@known(
    "repeated",
    means="Each head got the mean of its group: there are still H heads, so no key is saved.",
    hint=MEAN_OF_ROWS,
    explain=explainers.shape,
)
def repeated(weight, num_heads, groups):
    heads = weight.unflatten(0, (groups, num_heads // groups, -1))
    return heads.mean(1, keepdim=True).expand_as(heads).flatten(0, 2)


@known(
    "groups-left-apart",
    means="The groups still have an axis of their own: (G, D, C).",
    hint="`.flatten(0, 1)` joins the first two axes.",
    explain=explainers.shape,
)
def not_joined(weight, num_heads, groups):
    return weight.unflatten(0, (groups, num_heads // groups, -1)).mean(1)


@known(
    "one-group",
    means="All heads were averaged into one, whatever `groups` says.",
    hint="How many heads must be left?",
    explain=explainers.shape,
)
def all_in_one(weight, num_heads, groups):
    return in_heads(weight, num_heads).mean(0)
