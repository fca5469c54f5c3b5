"""What people get wrong in exercise 10.1, grouped_attention."""

import torch

from exercises.common import explainers
from exercises.common.attention.mistakes import MIX_MISTAKES, SCALE_MISTAKES, SOFTMAX_MISTAKES
from exercises.common.attention.steps import attention_from
from exercises.common.masks.mistakes import MASK_MISTAKES
from feedback import Misconceptions

GROUPS = "With 4 query heads and 2 groups, heads 0 and 1 read group 0. Which group does your head 1 read?"


# ---------------------------------------------------------------- the right step


def spread_keys(k, heads):
    """One key head for each query head: (B, G, S, D) -> (B, H, S, D)."""
    return k.repeat_interleave(heads // k.size(1), dim=1)


def spread_values(v, heads):
    return spread_keys(v, heads)


def grouped_from(spread_keys=spread_keys, spread_values=spread_values, **steps):
    """grouped_attention(q, k, v, mask) made of these steps, and those of `attention_from`."""
    attend = attention_from(**steps)

    def grouped_attention(q, k, v, mask=None):
        return attend(q, spread_keys(k, q.size(1)), spread_values(v, q.size(1)), mask)

    return grouped_attention


def group_read(case):
    """Which group of keys gives the weights of the head that is furthest off."""
    q, k, _, mask = (*case.args, None)[:4]
    if case.last.shape != case.expected_last.shape:
        return explainers.shape(case)
    heads, groups = q.size(1), k.size(1)
    wrong = (case.last - case.expected_last).abs().amax((0, 2, 3))
    h = int(wrong.argmax())
    for g in range(groups):
        weights = (
            attention_from()(q, k[:, g : g + 1].expand(-1, heads, -1, -1), q, mask)[1]
            if q.size(2) == k.size(2)
            else None
        )
        if weights is not None and torch.allclose(weights[:, h], case.last[:, h], atol=1e-4):
            return f"your query head {h} reads group {g}; it should read group {h // (heads // groups)}"
    return explainers.entry(case)


known = Misconceptions(grouped_from)


def dealt(k, heads):
    return k.repeat(1, heads // k.size(1), 1, 1)


known(
    "every-other-head",
    means="Query head h reads group h % G, as if the heads were dealt out in turn: `repeat` puts whole copies "
    "one after another.",
    hint=GROUPS + " `repeat` and `repeat_interleave` order copies differently.",
    explain=group_read,
)
known.also("every-other-head", spread_keys=dealt, spread_values=dealt)

known(
    "keys-and-values-differ",
    means="Keys and values were not spread over the heads in the same way: a query head reads the keys of one "
    "group and the values of another.",
    hint=GROUPS,
    explain=explainers.entry,
)
known.also("keys-and-values-differ", spread_keys=dealt)
known.also("keys-and-values-differ", spread_values=dealt)


def first_alone(k, heads):
    return k[:, :1].expand(-1, heads, -1, -1)


known(
    "one-group",
    means="All query heads read group 0.",
    hint=GROUPS,
    explain=group_read,
)
known.also("one-group", spread_keys=first_alone, spread_values=first_alone)


def averaged(k, heads):
    return k.mean(dim=1, keepdim=True).expand(-1, heads, -1, -1)


known(
    "groups-averaged",
    means="The groups were averaged into one, which all query heads read.",
    hint=GROUPS,
    explain=explainers.entry,
)
known.also("groups-averaged", spread_keys=averaged, spread_values=averaged)


def backward(k, heads):
    return spread_keys(k, heads).flip(1)


known(
    "groups-in-reverse",
    means="The groups are read in reverse order.",
    hint=GROUPS,
    explain=group_read,
)
known.also("groups-in-reverse", spread_keys=backward, spread_values=backward)


def as_they_are(k, heads):
    return k


known(
    "not-spread",
    means="q has H heads, and k and v have G: `@` lines up axis 1, and finds two sizes.",
    hint="Give each query head the keys of its group, or give q an axis for the groups.",
)
known.also("not-spread", spread_keys=as_they_are, spread_values=as_they_are)


def along_the_positions(k, heads):
    return k.repeat_interleave(heads // k.size(1), dim=2)


known(
    "positions-repeated",
    means="The copies were made along the positions: there are more keys, not more heads.",
    hint="Which axis of (B, G, S, D) counts the heads?",
)
known.also("positions-repeated", spread_keys=along_the_positions, spread_values=along_the_positions)


@known(
    "queries-averaged",
    means="The queries of each group were averaged, so that there are only G results; every query head asks "
    "for itself.",
    hint="Only keys and values are shared. How many heads must come out?",
    explain=explainers.shape,
)
def queries_averaged(q, k, v, mask=None):
    pooled = q.unflatten(1, (k.size(1), -1)).mean(2)
    return attention_from()(pooled, k, v, None if mask is None or mask.dim() == 4 and mask.size(1) > 1 else mask)


@known(
    "groups-left-apart",
    means="The query heads still lie in groups: the result has five axes, (B, G, H / G, T, ...).",
    hint="`.flatten(1, 2)` joins groups and heads again, in out and in the weights.",
    explain=explainers.shape,
)
def five_axes(q, k, v, mask=None):
    grouped = q.unflatten(1, (k.size(1), -1))
    out, weights = attention_from()(grouped, k[:, :, None], v[:, :, None], None)
    return out, weights


known.include(SCALE_MISTAKES, "no-scale", "scaled-by-d")
known.include(SOFTMAX_MISTAKES, "over-queries", "no-softmax")
known.include(MASK_MISTAKES, "mask-none", "mask-ignored", "true-hides")
known.include(MIX_MISTAKES, "only-out", "swapped-pair")
