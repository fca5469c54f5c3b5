"""What people get wrong in exercise 11.3, sink_weights."""

import torch

from exercises.common import explainers
from exercises.common.attention.steps import INF
from feedback import Misconceptions

SHARE = "The sink takes exp(sink) out of exp(sink) + the sum of exp(scores). What must your row sum to, then?"
HEADS = "sinks has one number for each head, and heads are the second axis of the scores. Which shape broadcasts?"
EMPTY = "The keys of a row may all be hidden while its sink is -inf: then no entry is left, and every weight is 0."


# ---------------------------------------------------------------- the right steps


def column(scores, sinks):
    """The sink of each row's head, (B, H, T, 1)."""
    return sinks[:, None, None].expand(*scores.shape[:-1], 1)


def join(scores, sink):
    """Scores and sink as one row of entries, (B, H, T, S + 1)."""
    return torch.cat([scores, sink], dim=-1)


def share(entries):
    """The softmax; a row of nothing but -inf gives zeros."""
    hidden = entries == -INF
    return entries.masked_fill(hidden, torch.finfo(entries.dtype).min).softmax(-1).masked_fill(hidden, 0.0)


def drop(weights):
    return weights[..., :-1]


def finish(weights, scores, sinks):
    return weights


def sinks_from(column=column, join=join, share=share, drop=drop, finish=finish):
    """sink_weights(scores, sinks) made of these steps."""

    def sink_weights(scores, sinks):
        return finish(drop(share(join(scores, column(scores, sinks)))), scores, sinks)

    return sink_weights


def row(case):
    """The row whose sum is furthest off."""
    if case.first.shape != case.expected_first.shape:
        return explainers.shape(case)
    sums, right = case.first.double().sum(-1), case.expected_first.double().sum(-1)
    at = explainers.worst(sums, right)
    if abs(sums[at] - right[at]) < 1e-4:
        return explainers.entry(case)
    sink = explainers.number(case.args[1][at[1]])
    return (
        f"row {explainers.position(at)}, of a head whose sink is {sink}, sums to {explainers.number(sums[at])}, and "
        f"{explainers.number(right[at])} is right"
    )


known = Misconceptions(sinks_from)


# ---------------------------------------------------------------- a sink that takes nothing, or too much


@known(
    "sink-takes-nothing",
    means="The sink takes nothing: your rows sum to 1. A softmax over the keys alone does that; so does a sink that is "
    "added to every score, which no softmax notices, and so does dividing by the sum once more at the end.",
    hint=SHARE,
    explain=row,
)
def without_the_sink(scores, sinks):
    return share(scores)


@known(
    "sink-of-zero",
    means="Every head has a sink of 0: 1 was added to the sum of the exponentials, whatever sinks says.",
    hint="A sink of 0 takes exp(0) = 1. What does a sink of 2 take?",
    explain=row,
    step="column",
)
def zeros(scores, sinks):
    return torch.zeros_like(scores[..., :1])


@known(
    "sink-not-exponentiated",
    means="The sink itself was added to the sum of the exponentials, and not its exponential.",
    hint="A sink is a score like those of the keys. What does a softmax do with each of its scores?",
    explain=row,
)
def sink_in_the_sum(scores, sinks):
    powers = scores.exp()
    return powers / (powers.sum(-1, keepdim=True) + sinks[:, None, None])


@known.also("sink-not-exponentiated")
def sink_in_the_shifted_sum(scores, sinks):
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    return powers / (powers.sum(-1, keepdim=True) + sinks[:, None, None])


@known(
    "sink-not-shifted",
    means="The largest score of each row was subtracted from the scores, but not from the sink, which then takes "
    "the wrong share.",
    hint="A softmax stays the same if one number is subtracted from all its entries. Is the sink one of them?",
    explain=row,
)
def only_scores_shifted(scores, sinks):
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    return powers / (powers.sum(-1, keepdim=True) + sinks[:, None, None].exp())


@known(
    "gate-without-scores",
    means="Each head's weights were multiplied by a number that depends on its sink alone. How much a sink takes "
    "depends on the scores of the row: next to high scores it takes little.",
    hint=SHARE,
    explain=row,
)
def gated_by_the_sink_alone(scores, sinks):
    return share(scores) * torch.sigmoid(-sinks)[:, None, None]


@known.also("gate-without-scores")
def gated_by_the_sink(scores, sinks):
    return share(scores) * torch.sigmoid(sinks)[:, None, None]


@known(
    "gate-by-the-largest",
    means="What the keys keep of a row was computed from its largest score alone; all of its scores count.",
    hint="In sigmoid(lse - sink), lse is the logarithm of the sum of all exp(scores). When is that the largest score?",
    explain=row,
)
def gated_by_the_largest_score(scores, sinks):
    return share(scores) * torch.sigmoid(scores.amax(-1, keepdim=True) - sinks[:, None, None])


@known(
    "sign-of-the-sink",
    means="The sign of the sink is wrong: a high sink takes little.",
    hint="A sink is a score like those of the keys, and competes with them.",
    explain=row,
    step="column",
)
def negated(scores, sinks):
    return column(scores, -sinks)


# ---------------------------------------------------------------- whose sink


@known(
    "one-sink-for-all",
    means="All heads use one sink: that of the first head, their mean, or their sum.",
    hint=HEADS,
    explain=row,
    step="column",
)
def first_head_s(scores, sinks):
    return column(scores, sinks[:1].expand_as(sinks))


@known.also("one-sink-for-all", step="column")
def mean_of_all(scores, sinks):
    return column(scores, sinks.mean().expand_as(sinks))


@known.also("one-sink-for-all", step="column")
def sum_of_all(scores, sinks):
    return column(scores, sinks.sum().expand_as(sinks))


@known(
    "all-sinks-for-each",
    means="Each row competes with the sinks of all heads; a row has one sink, its own head's.",
    hint=HEADS,
    explain=row,
    step="column",
)
def every_sink(scores, sinks):
    return sinks.logsumexp(0).expand(*scores.shape[:-1], 1)


@known(
    "sinks-for-queries",
    means="The sinks were lined up with the queries, not with the heads; the shapes allow that only where there are as "
    "many of both.",
    hint=HEADS,
    explain=row,
    step="column",
)
def by_query(scores, sinks):
    return sinks[:, None].expand(*scores.shape[:-1], 1)


@known.also("sinks-for-queries", step="column")
def by_query_with_four_axes(scores, sinks):
    return sinks[None, None, :, None].expand(*scores.shape[:-1], 1)


@known(
    "sinks-for-items",
    means="The sinks were lined up with the items of the batch, not with the heads; the shapes allow that only where "
    "there are as many of both.",
    hint=HEADS,
    explain=row,
    step="column",
)
def by_item(scores, sinks):
    return sinks[:, None, None, None].expand(*scores.shape[:-1], 1)


# ---------------------------------------------------------------- what is dropped, and the softmax


@known(
    "sink-returned",
    means="The sink's own weight is still there: the result has S + 1 columns.",
    hint="The sink has no value to read. Which column is its?",
    explain=explainers.shape,
    step="drop",
)
def nothing_dropped(weights):
    return weights


@known(
    "key-dropped",
    means="A key's column was dropped, and the sink's was kept.",
    hint="Did you put the sink first or last? That is the column to drop.",
    explain=explainers.entry,
    step="drop",
)
def first_dropped(weights):
    return weights[..., 1:]


@known.also("key-dropped", step="join")
def sink_in_front(scores, sink):
    return torch.cat([sink, scores], dim=-1)


@known(
    "over-queries",
    means="The softmax runs over the queries.",
    hint="Keys are the last axis of the scores.",
    explain=explainers.entry,
    step="share",
)
def softmax_over_queries(entries):
    return entries.softmax(dim=-2)


@known.also("over-queries", step="share")
def softmax_over_queries_and_zeros(entries):
    return share(entries.mT).mT


@known(
    "no-softmax",
    means="There is no softmax: these are scores, or their exponentials.",
    hint="Weights are shares of a row. What are they divided by?",
    explain=explainers.entry,
    step="share",
)
def entries_alone(entries):
    return entries


@known.also("no-softmax", step="share")
def exponentials_alone(entries):
    return entries.exp()


# ---------------------------------------------------------------- large numbers, and rows hidden whole


@known(
    "overflow",
    means="Right for small scores, but `exp` of a large one is inf, and inf / inf is NaN.",
    hint="Subtract the largest entry of each row first, the sink included; `softmax` does that by itself.",
    explain=explainers.not_a_number,
)
def by_exponentials(scores, sinks):
    powers = scores.exp()
    return powers / (powers.sum(-1, keepdim=True) + sinks.exp()[:, None, None])


@known.also("overflow")
def by_exponentials_with_an_epsilon(scores, sinks):
    powers = scores.exp()
    return powers / (powers.sum(-1, keepdim=True) + sinks.exp()[:, None, None] + 1e-9)


@known(
    "underflow",
    means="The largest of all entries was subtracted, and not that of each row: in rows far below it every exponential "
    "is 0, and 0 / 0 is NaN.",
    hint="Each row has a softmax of its own, and subtracts its own maximum.",
    explain=explainers.not_a_number,
    step="share",
)
def below_the_largest_of_all(entries):
    powers = (entries - entries.max()).exp()
    return powers / powers.sum(-1, keepdim=True)


@known(
    "nan-rows",
    means="A row whose keys are all hidden, and whose sink takes nothing, is NaN.",
    hint=EMPTY + " 3.5 did that for a row without a sink.",
    explain=explainers.not_a_number,
    step="share",
)
def plain_softmax(entries):
    return entries.softmax(dim=-1)


@known(
    "nan-below-the-largest-score",
    means="A row whose keys are all hidden is NaN, whatever its sink: a softmax over its keys subtracts the largest "
    "score, which is -inf, and -inf - -inf is NaN.",
    hint="Such a row has weights of 0. What could you put in place of -inf before the softmax, or subtract instead? "
    "The sink is an entry, too.",
    explain=explainers.not_a_number,
)
def by_exponentials_below_the_largest_score(scores, sinks):
    top = scores.amax(-1, keepdim=True)
    powers = (scores - top).exp()
    return powers / (powers.sum(-1, keepdim=True) + (sinks[:, None, None] - top).exp())


@known(
    "uniform-rows",
    means="A row whose keys are all hidden reads them equally: hidden scores were filled with a finite number, and a "
    "softmax of equal scores is uniform.",
    hint=EMPTY + " What is hidden must be 0 after the softmax as well.",
    explain=row,
    step="share",
)
def filled_with_the_lowest(entries):
    return entries.masked_fill(entries == -INF, torch.finfo(entries.dtype).min).softmax(-1)


@known(
    "filled-too-high",
    means="Hidden scores were filled with a number that real scores can be as low as: they take a share of such a row.",
    hint="Scores as low as -10,000 are allowed here. Which number lies below every score of this dtype?",
    explain=row,
    step="share",
)
def filled_with_minus_10_000(entries):
    hidden = entries == -INF
    return entries.masked_fill(hidden, -1e4).softmax(-1).masked_fill(hidden, 0.0)
