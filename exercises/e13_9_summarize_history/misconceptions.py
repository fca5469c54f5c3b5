"""What people get wrong in exercise 13.9, summarize_history."""

import torch

from exercises.common import explainers
from feedback import Misconceptions

known = Misconceptions()

ROW = "Row t reads the values 0 to t. Which scores belong to it, and what do its weights sum to?"


def rows(scores, values, weights_at, until=lambda t: t + 1):
    """Rows made by weights_at(scores, t), of the values up to t."""
    made = []
    for t in range(scores.size(1)):
        part = slice(0, until(t))
        made.append((weights_at(scores, t)[:, part].unsqueeze(-1) * values[:, part]).sum(dim=1))
    return torch.stack(made, dim=1)


def right_weights(scores, t):
    return scores[:, : t + 1].softmax(dim=1)


@known(
    "zeros-passed-on",
    means="The result is all zeros: what was computed never reached the tensor that is returned.",
    hint="`row = row + ...` gives a new tensor the name row. Which tensor do you return?",
    explain=explainers.entry,
)
def zeros_passed_on(scores, values):
    return torch.zeros_like(values)


@known(
    "future-read",
    means="Every row reads the values of all positions, those after it included.",
    hint=ROW,
    explain=explainers.entry,
)
def all_rows_alike(scores, values):
    mean = (scores.softmax(dim=1).unsqueeze(-1) * values).sum(dim=1, keepdim=True)
    return mean.expand_as(values)


@known(
    "shares-of-the-whole",
    means="The softmax went over all positions, and a row took its part of it: the weights of early rows do not sum "
    "to 1.",
    hint=ROW,
    explain=explainers.entry,
)
def shares_of_the_whole(scores, values):
    return (scores.softmax(dim=1).unsqueeze(-1) * values).cumsum(dim=1)


@known(
    "own-missing",
    means="Row t reads the values before t, and not its own.",
    hint="Row t ends with value t. In Python, where does the slice `[:, :t]` end?",
    explain=explainers.entry,
)
def own_missing(scores, values):
    return rows(scores, values, lambda scores, t: scores[:, :t].softmax(dim=1), until=lambda t: t)


@known(
    "plain-mean",
    means="These are plain means: the scores have no effect.",
    hint="What do the scores say about how much each value counts?",
    explain=explainers.entry,
)
def plain_mean(scores, values):
    return rows(scores, values, lambda scores, t: torch.ones_like(scores[:, : t + 1]) / (t + 1))


@known(
    "not-normalized",
    means="The weights of a row were not brought to a sum of 1.",
    hint=ROW,
    explain=explainers.entry,
)
def not_normalized(scores, values):
    return rows(scores, values, lambda scores, t: scores[:, : t + 1].exp())


@known(
    "over-items",
    means="The softmax went over the items of the batch, not over the positions.",
    hint="In (B, T), which axis counts the positions?",
    explain=explainers.entry,
)
def over_items(scores, values):
    return rows(scores, values, lambda scores, t: scores[:, : t + 1].softmax(dim=0))


@known(
    "only-the-last",
    means="Only the summary of the whole text was returned, (B, C).",
    hint="Each position has a summary of its own: (B, T, C).",
    explain=explainers.shape,
)
def only_the_last(scores, values):
    return rows(scores, values, right_weights)[:, -1]


@known(
    "positions-in-front",
    means="The rows were joined along a new first axis: (T, B, C).",
    hint="`torch.stack` has an argument `dim`.",
    explain=explainers.shape,
)
def positions_in_front(scores, values):
    return rows(scores, values, right_weights).transpose(0, 1)
