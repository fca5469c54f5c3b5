"""Wrong answers to exercise 13.9, each with the diagnosis that it must get."""

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def table(scores):
    """The scores for each row: (B, T, T)"""
    return scores.unsqueeze(1).expand(-1, scores.size(1), -1)


def past(scores):
    T = scores.size(1)
    return torch.ones(T, T, dtype=torch.bool).tril()


@wrong("zeros-passed-on")
def summarized_into_another_name(scores, values):
    summary = torch.zeros_like(values)
    for t, row in enumerate(summary.unbind(dim=1)):
        row = row + (scores[:, : t + 1].softmax(dim=1).unsqueeze(-1) * values[:, : t + 1]).sum(dim=1)
    return summary


@wrong("future-read")
def summarized_whole(scores, values):
    return table(scores).softmax(dim=-1) @ values


@wrong("shares-of-the-whole")
def summarized_by_hiding_afterwards(scores, values):
    return (table(scores).softmax(dim=-1) * past(scores)) @ values


@wrong("own-missing")
def summarized_without_the_last(scores, values):
    earlier = past(scores).tril(diagonal=-1)
    return table(scores).masked_fill(~earlier, -torch.inf).softmax(dim=-1).nan_to_num(0.0) @ values


@wrong("plain-mean")
def summarized_by_means(scores, values):
    return values.cumsum(dim=1) / torch.arange(1, scores.size(1) + 1).to(values)[:, None]


@wrong("not-normalized")
def summarized_by_powers(scores, values):
    return (scores.exp().unsqueeze(-1) * values).cumsum(dim=1)


@wrong("over-items")
def summarized_across_items(scores, values):
    return (scores.softmax(dim=0).unsqueeze(-1) * values).cumsum(dim=1)


@wrong("only-the-last")
def summarized_once(scores, values):
    return (scores.softmax(dim=1).unsqueeze(1) @ values).squeeze(1)


@wrong("positions-in-front")
def summarized_and_stacked(scores, values):
    weights = table(scores).masked_fill(~past(scores), -torch.inf).softmax(dim=-1)
    return torch.stack(list((weights @ values).unbind(dim=1)))


@wrong()
def summarized_by_the_highest(scores, values):
    best = table(scores).masked_fill(~past(scores), -torch.inf).argmax(dim=-1)
    return values.gather(1, best.unsqueeze(-1).expand_as(values))
