"""What people get wrong in exercise 5.6, attend_flattened."""

import math

from exercises.common import explainers
from exercises.e5_6_attend_flattened.given import attend_flattened as given
from feedback import Misconceptions


def _attend(q, k, v, mask, spread=None, rows=None, hide=lambda mask: ~mask):
    """The steps, with some replaced: spread(mask, H) is the mask of each row, rows(z, B, H) puts the rows apart."""
    B, H, _, D = q.shape
    spread = spread or (lambda mask, H: mask.repeat(H, 1, 1))  # as it was given
    rows = rows or (lambda z, B, H: z.unflatten(0, (B, H)))
    q, k, v = (z.flatten(0, 1) for z in (q, k, v))
    scores = q @ k.transpose(-2, -1) / math.sqrt(D)
    weights = scores.masked_fill(hide(spread(mask, H)), float("-inf")).softmax(dim=-1)
    return rows(weights @ v, B, H), rows(weights, B, H)


def repaired(mask, H):
    return mask.repeat_interleave(H, dim=0)


def not_hidden(case):
    """The hidden key of an item that gets the largest weight."""
    weights, mask = case.last, case.args[-1]
    if weights.shape != case.expected_last.shape:
        return explainers.shape(case)
    leak = weights.double().nan_to_num(0.0) * ~mask[:, None]
    if not leak.any():
        return explainers.entry(case)
    b, h, t, s = explainers.unraveled(int(leak.argmax()), leak.shape)
    return (
        f"in item {b}, head {h}, query {t} gives the weight {explainers.number(leak[b, h, t, s])} to key {s}, which "
        "the mask of this item hides from it"
    )


known = Misconceptions()

known(
    "mask-of-another-item",
    means="This is the code as it was given, or does what it does. A text that is alone comes out right. Put another "
    "text with another mask next to it, and its numbers change.",
    hint="Run it on two texts, then on each of them alone, and compare. Which row of the flattened axis belongs to "
    "which text, in each of the tensors?",
    explain=not_hidden,
)(given)


@known(
    "one-mask-for-all",
    means="All texts get the same mask, so a text depends on the masks of the others.",
    hint="The mask has B tables. How often is each of them needed?",
    explain=not_hidden,
)
def the_first_mask(q, k, v, mask):
    return _attend(q, k, v, mask, lambda mask, H: mask[:1])


@known.also("one-mask-for-all")
def what_all_allow(q, k, v, mask):
    return _attend(q, k, v, mask, lambda mask, H: mask.any(dim=0))


@known(
    "rows-unpacked-otherwise",
    means="The results are taken apart in another order than q, k and v were put together, which mixes them up.",
    hint="In which order does `flatten(0, 1)` line up the heads of the items? Take them apart in that order. As they "
    "were given, those lines were right.",
    explain=explainers.entry,
)
def unpacked_by_heads(q, k, v, mask):
    return _attend(q, k, v, mask, rows=lambda z, B, H: z.unflatten(0, (H, B)).transpose(0, 1))


@known.also("rows-unpacked-otherwise")
def unpacked_by_heads_and_left(q, k, v, mask):
    return _attend(q, k, v, mask, rows=lambda z, B, H: z.unflatten(0, (H, B)))


@known.also("rows-unpacked-otherwise")
def unpacked_by_heads_and_repaired(q, k, v, mask):
    return _attend(q, k, v, mask, repaired, lambda z, B, H: z.unflatten(0, (H, B)).transpose(0, 1))


@known.also("rows-unpacked-otherwise")
def packed_by_heads(q, k, v, mask):
    B, H = q.shape[:2]
    q, k, v = (z.transpose(0, 1).reshape(B, H, *z.shape[2:]) for z in (q, k, v))
    return _attend(q, k, v, mask)


@known(
    "inverted",
    means="What the mask allows is hidden, and what it hides can be read. As it was given, that line was right.",
    hint="True means may attend. Which scores does `masked_fill` replace?",
    explain=not_hidden,
)
def inverted(q, k, v, mask):
    return _attend(q, k, v, mask, hide=lambda mask: mask)


@known.also("inverted")
def inverted_and_repaired(q, k, v, mask):
    return _attend(q, k, v, mask, repaired, hide=lambda mask: mask)


@known(
    "no-mask",
    means="Nothing is hidden any more: the mask is not used.",
    hint="Each text has a mask of its own, and all of its heads need it.",
    explain=not_hidden,
)
def unmasked(q, k, v, mask):
    return _attend(q, k, v, mask | True)
