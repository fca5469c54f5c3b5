"""What people get wrong in exercise 12.2, tiled_attention."""

import math

import torch

from exercises.common import explainers
from feedback import Misconceptions

INF = float("inf")
RESCALE = (
    "What was summed so far counts relative to the old maximum. By which factor does it change when the maximum grows "
    "from m to n?"
)
NUMBERS = "The first key of a tile has the number start, not 0. Which numbers may query i see?"


# ---------------------------------------------------------------- the right steps


def cuts(S, tile):
    """Where the tiles of keys begin and end."""
    return [(start, min(start + tile, S)) for start in range(0, S, tile)]


def scale(q):
    return 1 / math.sqrt(q.size(-1))


def hide(scores, start, causal):
    """The scores of one tile, -inf where the key is later than the query."""
    if not causal:
        return scores
    keys = torch.arange(start, start + scores.size(-1))
    return scores.masked_fill(keys > torch.arange(scores.size(-2))[:, None], -INF)


def begin(q):
    """The largest score before the first tile."""
    return q.new_full(q.shape[:-1], -INF)


def grow(largest, scores):
    """The largest score after a tile."""
    return torch.maximum(largest, scores.amax(dim=-1))


def shrink_total(old, new):
    return (old - new).exp()


def shrink_read(old, new):
    return (old - new).exp()


def divide(read, total):
    return read / total[..., None]


def log_sum(largest, total):
    return largest + total.log()


def finish(out, lse):
    return out, lse


def tiled_from(
    cuts=cuts,
    scale=scale,
    hide=hide,
    begin=begin,
    grow=grow,
    shrink_total=shrink_total,
    shrink_read=shrink_read,
    divide=divide,
    log_sum=log_sum,
    finish=finish,
):
    """tiled_attention(q, k, v, tile, causal) made of these steps."""

    def tiled_attention(q, k, v, tile, causal=False):
        largest = begin(q)
        total, read = torch.zeros_like(largest), torch.zeros_like(q)
        for start, end in cuts(k.size(-2), tile):
            scores = q @ k[..., start:end, :].transpose(-2, -1) * scale(q)
            scores = hide(scores, start, causal)
            new = grow(largest, scores)
            weights = (scores - new[..., None]).exp()
            total = total * shrink_total(largest, new) + weights.sum(dim=-1)
            read = read * shrink_read(largest, new)[..., None] + weights @ v[..., start:end, :]
            largest = new
        return finish(divide(read, total), log_sum(largest, total))

    return tiled_attention


def in_tiles(join, take=cuts):
    """The same from (out, lse) of each tile: `join` gets a list of them."""

    def tiled_attention(q, k, v, tile, causal=False):
        parts = []
        for start, end in take(k.size(-2), tile):
            scores = hide(q @ k[..., start:end, :].transpose(-2, -1) * scale(q), start, causal)
            parts.append((scores.softmax(dim=-1).nan_to_num(0.0) @ v[..., start:end, :], scores.logsumexp(dim=-1)))
        return join(*(torch.stack(each) for each in zip(*parts, strict=True)))

    return tiled_attention


known = Misconceptions(tiled_from)


def nothing(old, new):
    return torch.ones_like(new)


# ---------------------------------------------------------------- the online softmax


known(
    "not-rescaled",
    means="When a larger score came, neither the sum nor what was read so far was multiplied by exp(old - new).",
    hint=RESCALE,
    explain=explainers.entry,
)
known.also("not-rescaled", shrink_total=nothing, shrink_read=nothing)

known(
    "sum-not-rescaled",
    means="What was read is rescaled when a larger score comes, but the sum of the weights is not.",
    hint=RESCALE,
    explain=explainers.entry,
)
known.also("sum-not-rescaled", shrink_total=nothing)

known(
    "read-not-rescaled",
    means="The sum of the weights is rescaled when a larger score comes, but what was read so far is not.",
    hint=RESCALE,
    explain=explainers.entry,
)
known.also("read-not-rescaled", shrink_read=nothing)


def upside_down(old, new):
    return torch.where(old == -INF, torch.zeros_like(new), (new - old).exp())


def upside_down_and_infinite(old, new):
    return (new - old).exp()


known(
    "rescaled-upside-down",
    means="The sums were multiplied by exp(new - old), which is above 1, instead of exp(old - new).",
    hint=RESCALE,
    explain=explainers.entry,
)
known.also("rescaled-upside-down", shrink_total=upside_down, shrink_read=upside_down)
known.also("rescaled-upside-down", shrink_total=upside_down_and_infinite, shrink_read=upside_down_and_infinite)


@known(
    "maximum-of-the-tile",
    means="Each tile subtracted its own maximum, so that what was read from different tiles cannot be added.",
    hint="The maximum may only grow: it is that of the old maximum and the tile's.",
    explain=explainers.entry,
)
def tiled_with_own_maxima(q, k, v, tile, causal=False):
    largest, total, read = begin(q), q.new_zeros(q.shape[:-1]), torch.zeros_like(q)
    for start, end in cuts(k.size(-2), tile):
        scores = hide(q @ k[..., start:end, :].mT * scale(q), start, causal)
        own = scores.amax(dim=-1)
        weights = (scores - own[..., None]).exp().nan_to_num(0.0)
        total, read = total + weights.sum(dim=-1), read + weights @ v[..., start:end, :]
        largest = torch.maximum(largest, own)
    return read / total[..., None], largest + total.log()


@known(
    "tiles-averaged",
    means="The softmax was taken in each tile, and the results were averaged as if every tile had the same weight.",
    hint="A tile with large scores counts more. How much of the whole sum of exp(scores) is in each tile?",
    explain=explainers.entry,
)
def tiled_by_a_mean(q, k, v, tile, causal=False):
    return in_tiles(lambda outs, lses: (outs.mean(0), lses.logsumexp(0)))(q, k, v, tile, causal)


@known(
    "softmax-in-each-tile",
    means="The softmax was taken in each tile, and the results were added: the weights of a query sum to the number of "
    "tiles.",
    hint="Each softmax divides by the sum of its own tile. By what must out be divided?",
    explain=explainers.entry,
)
def tiled_by_a_sum(q, k, v, tile, causal=False):
    return in_tiles(lambda outs, lses: (outs.sum(0), lses.logsumexp(0)))(q, k, v, tile, causal)


@known(
    "not-divided",
    means="out is the sum of exp(score - largest) times the values: the division by the sum of the weights is missing.",
    hint="What do the weights of a query sum to?",
    explain=explainers.entry,
    step="divide",
)
def undivided(read, total):
    return read


@known(
    "divided-in-the-loop",
    means="out was divided by the sum after each tile, so that what came first was divided several times.",
    hint="Divide once, after the last tile. (Or multiply by the old sum before you go on.)",
    explain=explainers.entry,
)
def tiled_and_divided_each_time(q, k, v, tile, causal=False):
    largest, total, read = begin(q), q.new_zeros(q.shape[:-1]), torch.zeros_like(q)
    for start, end in cuts(k.size(-2), tile):
        scores = hide(q @ k[..., start:end, :].mT * scale(q), start, causal)
        new = grow(largest, scores)
        weights, shrink = (scores - new[..., None]).exp(), (largest - new).exp()
        total = total * shrink + weights.sum(dim=-1)
        read = (read * shrink[..., None] + weights @ v[..., start:end, :]) / total[..., None]
        largest = new
    return read, largest + total.log()


# ---------------------------------------------------------------- which keys


@known(
    "last-tile-dropped",
    means="Only whole tiles were read: where the tile does not divide S, the last keys are missing.",
    hint="`range(0, S, tile)` begins a tile at its last keys too, and a slice may end beyond S.",
    explain=explainers.entry,
    step="cuts",
)
def whole_tiles(S, tile):
    return [(n * tile, (n + 1) * tile) for n in range(max(S // tile, 1))]


@known.also("last-tile-dropped", step="cuts")
def whole_tiles_or_none(S, tile):
    return [(n * tile, (n + 1) * tile) for n in range(S // tile)]


@known(
    "mask-counts-within-the-tile",
    means="The causal mask counts the keys of each tile from 0, so that later tiles are seen too early.",
    hint=NUMBERS,
    explain=explainers.entry,
    step="hide",
)
def hidden_within_the_tile(scores, start, causal):
    return hide(scores, 0, causal)


@known(
    "no-mask",
    means="causal=True changes nothing: queries see later keys.",
    hint=NUMBERS,
    explain=explainers.entry,
    step="hide",
)
def nothing_hidden(scores, start, causal):
    return scores


@known(
    "always-causal",
    means="Later keys are hidden although causal is False.",
    hint="Without causal=True every query sees all keys.",
    explain=explainers.entry,
    step="hide",
)
def always_hidden(scores, start, causal):
    return hide(scores, start, True)


@known(
    "self-hidden",
    means="The causal mask hides a query's own key.",
    hint="Key i is not later than query i.",
    explain=explainers.entry,
    step="hide",
)
def hidden_with_itself(scores, start, causal):
    return hide(scores, start + 1, causal)


@known(
    "hidden-by-a-number",
    means="Hidden scores were set to -10,000, and scores that are seen may be as low.",
    hint="Which number is below every score?",
    explain=explainers.entry,
    step="hide",
)
def hidden_by_a_number(scores, start, causal):
    hidden = hide(torch.zeros_like(scores), start, causal) == -INF
    return scores.masked_fill(hidden, -1e4)


def everything_or_nothing(scores, start, causal):
    """Whole tiles are hidden or seen; those that begin after the query are hidden."""
    if not causal:
        return scores
    return scores.masked_fill(start > torch.arange(scores.size(-2))[:, None], -INF)


known(
    "mask-by-tiles",
    means="A tile is hidden or seen as a whole: in the tile at the diagonal, queries see keys that come later.",
    hint="Tiles may be skipped where all keys are later. At the diagonal each pair has to be compared.",
    explain=explainers.entry,
)
known.also("mask-by-tiles", hide=everything_or_nothing)


@known(
    "hidden-tile-is-nan",
    means="Where a whole tile is hidden from a query, the softmax of nothing but -inf was taken, which is NaN.",
    hint="0 · NaN is NaN, so a share of 0 comes too late. What should out be where a query sees no key of a tile?",
    explain=explainers.not_a_number,
)
def merged_with_nan(q, k, v, tile, causal=False):
    out, lse = torch.zeros_like(q), begin(q)
    for start, end in cuts(k.size(-2), tile):
        scores = hide(q @ k[..., start:end, :].mT * scale(q), start, causal)
        part, part_lse = scores.softmax(dim=-1) @ v[..., start:end, :], scores.logsumexp(dim=-1)
        new = torch.logaddexp(lse, part_lse)
        out = (lse - new).exp()[..., None] * out + (part_lse - new).exp()[..., None] * part
        lse = new
    return out, lse


# ---------------------------------------------------------------- scores


@known(
    "no-scale",
    means="The scores were not divided by `sqrt(D)`.",
    hint="A dot product of D numbers grows with D.",
    explain=explainers.entry,
    step="scale",
)
def unscaled(q):
    return 1.0


@known(
    "scaled-by-d",
    means="The scores were divided by D instead of `sqrt(D)`.",
    hint="The standard deviation of a dot product grows like `sqrt(D)`.",
    explain=explainers.entry,
    step="scale",
)
def over_d(q):
    return 1 / q.size(-1)


@known(
    "no-maximum",
    means="exp was taken of the scores as they are: in float32 it is inf above 88, and 0 below -103.",
    hint="Subtract the largest score before exp, and keep in mind what was subtracted.",
    explain=explainers.entry,
)
def tiled_without_a_maximum(q, k, v, tile, causal=False):
    total, read = q.new_zeros(q.shape[:-1]), torch.zeros_like(q)
    for start, end in cuts(k.size(-2), tile):
        weights = hide(q @ k[..., start:end, :].mT * scale(q), start, causal).exp()
        total, read = total + weights.sum(dim=-1), read + weights @ v[..., start:end, :]
    return read / total[..., None], total.log()


@known(
    "maximum-begins-at-0",
    means="The running maximum begins at 0. Where all scores are far below 0, exp(score - 0) is 0 for all of them.",
    hint="Which number is below every score?",
    explain=explainers.entry,
    step="begin",
)
def from_0(q):
    return q.new_zeros(q.shape[:-1])


@known(
    "one-maximum-for-all-queries",
    means="One maximum was taken for all queries. Where a query's own scores are far below it, exp gives 0 for all of "
    "them.",
    hint="Each query has a softmax, and so a maximum, of its own.",
    explain=explainers.entry,
    step="grow",
)
def largest_of_all(largest, scores):
    return torch.maximum(largest, scores.amax().expand_as(largest))


# ---------------------------------------------------------------- what is returned


@known(
    "maximum-not-added",
    means="lse is the logarithm of the sum after the maximum was subtracted: the maximum did not come back.",
    hint="exp(score - largest) is smaller than exp(score) by the factor exp(largest).",
    explain=explainers.entry,
    step="log_sum",
)
def log_of_the_sum_alone(largest, total):
    return total.log()


@known(
    "maximum-as-lse",
    means="The largest score was returned in place of lse.",
    hint="lse is the logarithm of the sum of exp of all scores, the largest among them.",
    explain=explainers.entry,
    step="log_sum",
)
def largest_alone(largest, total):
    return largest


@known(
    "sum-as-lse",
    means="The sum of the weights was returned in place of lse.",
    hint="The sum is relative to the maximum; lse is a logarithm that holds both.",
    explain=explainers.entry,
    step="log_sum",
)
def total_alone(largest, total):
    return total


@known("swapped-pair", means="lse was returned first.", hint="`return out, lse`.", step="finish")
def lse_first(out, lse):
    return lse, out


@known("only-out", means="Only out was returned.", hint="`return out, lse`.", step="finish")
def out_alone(out, lse):
    return out
