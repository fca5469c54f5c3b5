"""What people get wrong in exercise 8.6, top_p.

An answer sorts the probabilities, decides which of the sorted ones stay, brings the decision back to the order of the
vocabulary, and hides the others.
"""

import torch

from feedback import Misconceptions, explainers
from feedback.format import listed, number

INF = float("inf")


def softmax(logits):
    """The right step `weigh`."""
    return logits.softmax(dim=-1)


def descending(probabilities):
    """The right step `order`."""
    return probabilities.argsort(dim=-1, descending=True)


def until_p_is_reached(ranked, p):
    """The right step `keep`: which of the sorted probabilities stay."""
    return ranked.cumsum(-1) - ranked < p


def back(kept, order):
    """The right step `place`: the decision in the order of the vocabulary."""
    return kept.scatter(-1, order, kept)


def hide(logits, kept, probabilities):
    """The right step `finish`."""
    return logits.masked_fill(~kept, -INF)


def assemble(weigh=softmax, order=descending, keep=until_p_is_reached, place=back, finish=hide):
    def top_p(logits, p):
        probabilities = weigh(logits)
        ranks = order(probabilities)
        kept = keep(probabilities.gather(-1, ranks), p)
        return finish(logits, place(kept, ranks), probabilities)

    return top_p


known = Misconceptions(assemble)


def told(case, row=None):
    """The first row in which another set of tokens was kept: its sorted probabilities, and which were kept."""
    logits, p = case.args
    if not isinstance(case.actual, torch.Tensor) or case.actual.shape != logits.shape:
        return "a tensor of the shape of logits is asked for"
    mine, right = case.actual > -INF, case.expected > -INF
    rows = (mine != right).any(-1).nonzero()
    if not len(rows):
        return changed_number(case)
    row = int(rows[0]) if row is None else row
    probabilities, order = logits[row].double().softmax(-1).sort(descending=True)
    shown = ", ".join(f"{number(x)} (token {i})" for x, i in zip(probabilities[:4], order[:4].tolist(), strict=True))
    more = ", ..." if logits.size(1) > 4 else ""
    return (
        f"in row {row} the probabilities are {shown}{more}; with p = {p:g} {tokens(right[row])} should stay, and yours "
        f"keeps {tokens(mine[row])}"
    )


def tokens(kept):
    ids = [str(i) for i in kept.nonzero()[:, 0].tolist()]
    if len(ids) > 6:
        return f"{len(ids)} tokens"
    return f"token {ids[0]}" if len(ids) == 1 else f"the tokens {listed(ids)}" if ids else "none"


def changed_number(case):
    """A number that stays, but is not as it was."""
    off = (case.actual.double() - case.expected.double()).nan_to_num(INF, INF, INF).abs() > 1e-4
    off &= case.expected > -INF
    if not off.any():
        return "the right tokens stay, but your numbers differ from the right ones"
    at = tuple(off.nonzero()[0].tolist())
    return (
        f"the logit {number(case.args[0][at])} of token {at[1]} in row {at[0]} stays, and should be as it was; yours "
        f"became {number(case.actual[at])}"
    )


def mistake(id, means, hint, step=None, explain=told):
    return known(id, means=means, hint=hint, explain=explain, step=step)


# ---------------------------------------------------------------- where to cut


@mistake(
    "crossing-left-out",
    "The token with which the sum reaches p was left out, so what stays has a probability below p.",
    "The smallest set whose probabilities sum to at least p: is p reached without that token?",
    step="keep",
)
def sums_below_p(ranked, p):
    return ranked.cumsum(-1) <= p


@known.also("crossing-left-out", step="keep")
def sums_below_p_and_the_first(ranked, p):
    kept = ranked.cumsum(-1) <= p
    kept[..., 0] = True
    return kept


@mistake(
    "one-too-many",
    "One token more than needed stays: the sum had reached p before it.",
    "Take away the least likely token that you keep: do the others still sum to at least p? Then it must go.",
    step="keep",
)
def one_more(ranked, p):
    kept = until_p_is_reached(ranked, p)
    return torch.cat([torch.ones_like(kept[..., :1]), kept[..., :-1]], -1)


@known.also("one-too-many", step="keep")
def two_at_least(ranked, p):
    kept = until_p_is_reached(ranked, p)
    kept[..., 1:2] = True
    return kept


@mistake(
    "inverted",
    "It is the wrong way around: the likely tokens are hidden, and the unlikely ones stay.",
    "What does True mean in your mask, and which entries does `masked_fill` fill?",
    step="keep",
)
def after_p_is_reached(ranked, p):
    return ~until_p_is_reached(ranked, p)


@known.also("inverted", step="keep")
def sums_above_p(ranked, p):
    return ranked.cumsum(-1) > p


@mistake(
    "one-minus-p",
    "1 - p was used in place of p (or p in place of 1 - p, where sums begin with the least likely token).",
    "What stays must sum to at least p; p = 0.9 keeps nearly everything that is likely.",
    step="keep",
)
def until_one_minus_p(ranked, p):
    return until_p_is_reached(ranked, 1 - p)


@mistake(
    "threshold-on-each",
    "Each probability was compared with a threshold; top-p looks at the sum of the most likely ones.",
    "Sort the probabilities, add them up one after the other (`cumsum`), and stop where the sum reaches p.",
    step="keep",
)
def each_at_least_p(ranked, p):
    return ranked >= p


@known.also("threshold-on-each", step="keep")
def each_at_least_one_minus_p(ranked, p):
    return ranked >= 1 - p


@known.also("threshold-on-each", step="keep")
def each_at_least_p_of_the_largest(ranked, p):
    return ranked >= p * ranked[..., :1]


@known.also("threshold-on-each", step="keep")
def each_at_least_one_minus_p_of_the_largest(ranked, p):
    return ranked >= (1 - p) * ranked[..., :1]


@mistake(
    "share-of-the-vocabulary",
    "p was taken as a share of the vocabulary: the number of tokens that stay is p * V, whatever their probabilities.",
    "How many tokens stay depends on the row: few where the model is sure, many where it is not. Sum probabilities.",
    step="keep",
)
def p_times_v(ranked, p):
    return (torch.arange(ranked.size(-1)) < max(1, int(p * ranked.size(-1)))).expand(ranked.shape)


@known.also("share-of-the-vocabulary", step="keep")
def p_times_v_rounded_up(ranked, p):
    return (torch.arange(ranked.size(-1)) < p * ranked.size(-1)).expand(ranked.shape)


@mistake(
    "one-cut-for-all-rows",
    "All rows are cut after the same number of tokens; each row has a sum of its own.",
    "Which line takes one number out of the whole batch, such as a maximum or row 0? `dim=-1` stays within a row.",
    step="keep",
)
def cut_of_the_first_row(ranked, p):
    return until_p_is_reached(ranked[:1], p).expand(ranked.shape)


@known.also("one-cut-for-all-rows", step="keep")
def longest_cut(ranked, p):
    return until_p_is_reached(ranked, p).any(0, keepdim=True).expand(ranked.shape)


@mistake(
    "sum-over-the-batch",
    "The sum runs over the rows of the batch, not along the vocabulary.",
    "Each row has its own probabilities: `cumsum(dim=-1)`.",
    step="keep",
)
def summed_over_rows(ranked, p):
    return ranked.cumsum(0) - ranked < p


@known.also("sum-over-the-batch", step="keep")
def summed_over_all(ranked, p):
    flat = ranked.flatten()
    return until_p_is_reached(flat, p).view(ranked.shape)


# ---------------------------------------------------------------- the order


@mistake(
    "not-sorted",
    "The probabilities were summed in the order of the vocabulary, not from the most likely down.",
    "The smallest set takes the most likely tokens first: sort, and remember the order.",
    step="order",
)
def as_they_come(probabilities):
    return torch.arange(probabilities.size(-1)).expand(probabilities.shape)


@mistake(
    "sorted-ascending",
    "The probabilities were sorted from the smallest up, so the unlikely tokens stay.",
    "`sort` begins with the smallest, unless it is told `descending=True`.",
    step="order",
)
def ascending(probabilities):
    return probabilities.argsort(dim=-1)


@mistake(
    "order-not-restored",
    "The mask is in the order of the sorted probabilities, but it was applied to the logits in the order of the "
    "vocabulary.",
    "Entry 0 of your mask belongs to the most likely token. The indices that `sort` returns say which one that is.",
    step="place",
)
def sorted_mask(kept, order):
    return kept


@mistake(
    "gather-not-scatter",
    "The mask was indexed with the order once more, which rearranges it a second time; the way back is the inverse.",
    "`order[i]` says where the sorted entry i comes from, so it must be written there: `scatter`, or a gather with "
    "`order.argsort()`.",
    step="place",
)
def gathered(kept, order):
    return kept.gather(-1, order)


@mistake(
    "sorted-returned",
    "The logits did not come back in their own order: position 0 is no longer token 0.",
    "Whoever draws from your result takes the index for the token. Bring the logits back into their own order.",
)
def sorted_logits(logits, p):
    ranked = logits.sort(dim=-1, descending=True).values
    return ranked.masked_fill(~until_p_is_reached(ranked.softmax(-1), p), -INF)


@known.also("sorted-returned")
def sorted_and_gathered(logits, p):
    order = descending(logits)
    ranked = sorted_logits(logits, p)
    return ranked.gather(-1, order)


@mistake(
    "order-of-the-first-row",
    "All rows were put into the order of one of them.",
    "Each row is sorted in its own way: `scatter` along the last axis takes an order for each row.",
)
def order_of_row_0(logits, p):
    order = descending(logits[0])
    kept = until_p_is_reached(logits.softmax(-1).sort(descending=True).values, p)
    mask = torch.empty_like(kept)
    mask[:, order] = kept
    return logits.masked_fill(~mask, -INF)


# ---------------------------------------------------------------- what is summed


@mistake(
    "logits-summed",
    "The logits themselves were summed; p is about probabilities.",
    "A softmax turns logits into probabilities, which sum to 1.",
    step="weigh",
)
def no_softmax(logits):
    return logits


@mistake(
    "softmax-over-the-batch",
    "The softmax runs over the rows of the batch: your probabilities do not sum to 1 along the vocabulary.",
    "The vocabulary is the last axis: `dim=-1`.",
    step="weigh",
)
def over_rows(logits):
    return logits.softmax(dim=0)


@known.also("softmax-over-the-batch", step="weigh")
def over_everything(logits):
    return logits.flatten().softmax(0).view(logits.shape)


@mistake(
    "softmax-twice",
    "There are two softmaxes, one on top of the other; the second makes all probabilities nearly equal.",
    "What comes out of the first softmax are the probabilities already.",
    step="weigh",
)
def two_softmaxes(logits):
    return logits.softmax(dim=-1).softmax(dim=-1)


# ---------------------------------------------------------------- what is returned


@mistake(
    "filled-with-zero",
    "Hidden tokens got the logit 0, which is a logit like any other: the softmax gives them a probability.",
    "Which logit has the probability 0?",
    step="finish",
    explain=explainers.entry,
)
def zero_outside(logits, kept, probabilities):
    return logits.masked_fill(~kept, 0.0)


@mistake(
    "finite-fill",
    "Hidden tokens got a low number, but not -inf.",
    'Here -inf is asked for, `float("-inf")`: with it a probability is exactly 0, however low the other logits are.',
    step="finish",
    explain=explainers.entry,
)
def minus_a_billion(logits, kept, probabilities):
    return logits.masked_fill(~kept, -1e9)


def add_fill(value):
    @known.also("finite-fill", step="finish")
    def with_a_low_number(logits, kept, probabilities):
        return logits.masked_fill(~kept, value(logits))


for value in (
    lambda x: torch.finfo(x.dtype).min,
    lambda x: -1e10,
    lambda x: -1e4,
    lambda x: -1e6,
    lambda x: -100.0,
    lambda x: -1000.0,
):
    add_fill(value)


@mistake(
    "probabilities-returned",
    "Probabilities came back; the logits are asked for, as they were, with -inf outside the set.",
    "Whoever gets your result applies a softmax to it. Fill the logits, not the probabilities.",
    step="finish",
    explain=explainers.entry,
)
def probabilities_kept(logits, kept, probabilities):
    return probabilities * kept


@known.also("probabilities-returned", step="finish")
def probabilities_renormalized(logits, kept, probabilities):
    return hide(logits, kept, probabilities).softmax(-1)


@known.also("probabilities-returned", step="finish")
def probabilities_filled(logits, kept, probabilities):
    return probabilities.masked_fill(~kept, -INF)


@mistake(
    "logarithms-returned",
    "The numbers that stay are no longer the logits but logarithms of probabilities.",
    "Leave what stays as it was: fill a mask into the logits.",
    step="finish",
)
def log_of_probabilities(logits, kept, probabilities):
    return (probabilities * kept).log()


@known.also("logarithms-returned", step="finish")
def log_of_renormalized(logits, kept, probabilities):
    return probabilities_renormalized(logits, kept, probabilities).log()


@mistake(
    "zero-times-infinity",
    "There are NaN: 0 * -inf is not a number.",
    "Choose instead of multiplying: `masked_fill` or `torch.where`.",
    step="finish",
    explain=explainers.not_a_number,
)
def times_infinity(logits, kept, probabilities):
    return logits + ~kept * -INF


@known(
    "mask-returned",
    means="A mask came back; the logits are asked for, with -inf outside the set.",
    hint="One step is missing: `logits.masked_fill(...)`.",
    step="finish",
)
def mask_alone(logits, kept, probabilities):
    return kept


@known.also("mask-returned", step="finish")
def mask_of_the_hidden(logits, kept, probabilities):
    return ~kept


@mistake(
    "nothing-hidden",
    "Nothing was hidden: the logits came back as they were.",
    "`masked_fill` and `scatter` return new tensors: does their result reach `return`?",
    step="finish",
    explain=explainers.entry,
)
def as_it_was(logits, kept, probabilities):
    return logits.clone()
