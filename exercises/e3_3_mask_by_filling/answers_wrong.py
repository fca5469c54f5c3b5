"""Wrong answers to exercise 3.3, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("zero-filled")
def filled_with_zero(scores, mask):
    """Scores times mask: hidden scores are 0, not hidden."""
    return torch.softmax(scores * mask, dim=-1)


@wrong("zero-filled")
def filled_with_zero_by_fill(scores, mask):
    """Filled with 0 by masked_fill."""
    return torch.softmax(scores.masked_fill(~mask, 0), dim=-1)


@wrong("true-hides")
def filled_inverted(scores, mask):
    """Inverted."""
    return torch.softmax(scores.masked_fill(mask, float("-inf")), dim=-1)


@wrong("true-hides")
def filled_inverted_finite(scores, mask):
    """Inverted, with -1e9."""
    return torch.softmax(scores.masked_fill(mask, -1e9), dim=-1)


@wrong("true-hides")
def filled_where_swapped(scores, mask):
    """The arguments of where swapped."""
    return torch.where(mask, -1e9, scores).softmax(dim=-1)


@wrong("weak-fill")
def filled_with_minus_ten(scores, mask):
    """-10 is not low enough."""
    return torch.softmax(scores.masked_fill(~mask, -10), dim=-1)


@wrong("weak-fill")
def filled_with_minus_one(scores, mask):
    """-1."""
    return torch.softmax(scores.masked_fill(~mask, -1.0), dim=-1)


@wrong("zero-filled")
def filled_with_small_positive(scores, mask):
    """1e-9 written for -1e9."""
    return torch.softmax(scores.masked_fill(~mask, 1e-9), dim=-1)


@wrong("zero-filled")
def filled_with_small_negative(scores, mask):
    """-1e-9 written for -1e9."""
    return torch.softmax(scores.masked_fill(~mask, -1e-9), dim=-1)


@wrong("zero-filled")
def filled_with_tiny(scores, mask):
    """finfo.tiny written for finfo.min."""
    return torch.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).tiny), dim=-1)


@wrong("hidden-keys-read")
def filled_with_lowest_score(scores, mask):
    """The lowest score in the row."""
    return torch.where(mask, scores, scores.amin(-1, keepdim=True)).softmax(-1)


@wrong("infinite-fill")
def filled_with_plus_infinity(scores, mask):
    """+inf."""
    return torch.softmax(scores.masked_fill(~mask, float("inf")), dim=-1)


@wrong("positive-fill")
def filled_with_plus_one_billion(scores, mask):
    """1e9, the sign forgotten."""
    return torch.softmax(scores.masked_fill(~mask, 1e9), dim=-1)


@wrong("infinite-fill")
def filled_with_nan(scores, mask):
    """NaN."""
    return torch.softmax(scores.masked_fill(~mask, float("nan")), dim=-1)


@wrong()
def filled_too_large(scores, mask):
    """-1e40, too large for float32."""
    return torch.softmax(scores.masked_fill(~mask, -1e40), dim=-1)


@wrong("zero-times-infinity")
def filled_by_product_with_infinity(scores, mask):
    """(1 - mask) * -inf: 0 * -inf is NaN."""
    return torch.softmax(scores + (1 - mask.to(scores.dtype)) * float("-inf"), dim=-1)


@wrong("zero-times-infinity")
def filled_by_scores_times_infinity(scores, mask):
    """~mask * -inf, multiplied into the scores."""
    return torch.softmax(scores * (~mask * float("-inf")), dim=-1)


@wrong("true-hides")
def filled_by_adding_inverted(scores, mask):
    """mask * -1e9 is added: inverted."""
    return torch.softmax(scores + mask * -1e9, dim=-1)


@wrong("scores-times-infinity")
def filled_by_multiplying(scores, mask):
    """The scores are multiplied by -1e9 where hidden."""
    filled = scores.clone()
    hidden = ~mask.expand_as(scores)
    filled[hidden] = filled[hidden] * -1e9
    return torch.softmax(filled, dim=-1)


@wrong("mask-added")
def filled_by_adding_the_mask(scores, mask):
    """The 0/1 mask is added."""
    return torch.softmax(scores + mask, dim=-1)


@wrong()
def filled_one_minus_bool(scores, mask):
    """1 - mask of a bool mask."""
    return torch.softmax(scores + (1 - mask) * -1e9, dim=-1)


@wrong("mask-ignored")
def filled_without_mask(scores, mask):
    """The mask is not used."""
    return torch.softmax(scores, dim=-1)


@wrong("mask-ignored")
def filled_and_lost(scores, mask):
    """masked_fill is thrown away."""
    scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, dim=-1)


@wrong("changes-input")
def filled_in_place(scores, mask):
    """The scores are filled in place."""
    scores.masked_fill_(~mask, float("-inf"))
    return torch.softmax(scores, dim=-1)


@wrong("changes-input")
def filled_in_place_by_index(scores, mask):
    """The scores are filled in place by indexing."""
    scores[~mask.expand_as(scores)] = -1e9
    return torch.softmax(scores, dim=-1)


@wrong("no-softmax")
def filled_without_softmax(scores, mask):
    """No softmax."""
    return scores.masked_fill(~mask, float("-inf"))


@wrong("over-queries")
def filled_over_queries(scores, mask):
    """Softmax over the queries."""
    return torch.softmax(scores.masked_fill(~mask, -1e9), dim=-2)


@wrong("axis-from-the-front")
def filled_over_axis_1(scores, mask):
    """Softmax over axis 1."""
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=1)


@wrong("axis-from-the-front")
def filled_over_axis_0(scores, mask):
    """Softmax over axis 0."""
    return torch.softmax(scores.masked_fill(~mask, -1e9), dim=0)


@wrong("masked-after-softmax")
def filled_after_softmax(scores, mask):
    """Filled with 0 after the softmax, not made to sum to 1."""
    return torch.softmax(scores, dim=-1).masked_fill(~mask, 0)


@wrong("weights-filled")
def filled_after_softmax_with_infinity(scores, mask):
    """Filled with -inf after the softmax."""
    return torch.softmax(scores, dim=-1).masked_fill(~mask, float("-inf"))


@wrong("masked-after-softmax")
def filled_sum_of_all(scores, mask):
    """exp of the visible, the sum of all."""
    powers = torch.exp(scores - scores.amax(-1, keepdim=True))
    return powers * mask / powers.sum(-1, keepdim=True)


@wrong("softmax-twice")
def filled_and_softmax_twice(scores, mask):
    """A second softmax."""
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    return torch.softmax(weights, dim=-1)


@wrong("scaled-again")
def filled_and_scaled(scores, mask):
    """Scaled by the root of the number of keys, unasked."""
    return torch.softmax(scores.masked_fill(~mask, -1e9) / math.sqrt(scores.shape[-1]), dim=-1)


@wrong("own-causal-mask")
def filled_always_causal(scores, mask):
    """A causal mask, whatever mask is given."""
    allowed = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return torch.softmax(scores.masked_fill(~allowed, float("-inf")), dim=-1)


@wrong()
def filled_diagonal_too(scores, mask):
    """The diagonal is hidden too."""
    diagonal = torch.eye(*scores.shape[-2:], dtype=torch.bool)
    return torch.softmax(scores.masked_fill(~mask | diagonal, -1e9), dim=-1)


@wrong()
def filled_mask_transposed(scores, mask):
    """The mask is transposed."""
    hidden = mask.mT.logical_not()
    return torch.softmax(scores.masked_fill(hidden, -1e9), dim=-1)


@wrong()
def filled_mask_unsqueezed(scores, mask):
    """The mask gets an axis more."""
    return torch.softmax(scores.masked_fill(~mask.unsqueeze(1), -1e9), dim=-1)


@wrong()
def filled_by_indexing(scores, mask):
    """Indexing with a mask that is not broadcast."""
    filled = scores.clone()
    filled[~mask] = float("-inf")
    return torch.softmax(filled, dim=-1)


@wrong()
def filled_matrices(scores, mask):
    """Loops for matrices only."""
    queries, keys = scores.shape
    filled = scores.clone()
    for t in range(queries):
        for s in range(keys):
            if not mask[t, s]:
                filled[t, s] = float("-inf")
    return torch.softmax(filled, dim=-1)


@wrong()
def filled_by_not(scores, mask):
    """not instead of ~."""
    return torch.softmax(scores.masked_fill(not mask, float("-inf")), dim=-1)


@wrong()
def filled_by_minus(scores, mask):
    """- instead of ~."""
    return torch.softmax(scores.masked_fill(-mask, float("-inf")), dim=-1)


@wrong()
def filled_with_bare_inf(scores, mask):
    """inf without its module."""
    return torch.softmax(scores.masked_fill(~mask, -inf), dim=-1)  # noqa: F821


@wrong()
def filled_by_if(scores, mask):
    """mask == False through an if on a tensor."""
    if mask:
        return torch.softmax(scores, dim=-1)
    return torch.softmax(scores - 1e9, dim=-1)


@wrong("returns-none")
def filled_not_returned(scores, mask):
    """Nothing is returned."""
    filled = scores.masked_fill(~mask, float("-inf"))
    print(torch.softmax(filled, dim=-1))


@wrong("returns-wrong-type")
def filled_as_a_pair(scores, mask):
    """A pair."""
    filled = scores.masked_fill(~mask, float("-inf"))
    return filled.softmax(-1), filled


@wrong("wrong-dtype")
def filled_always_float64(scores, mask):
    """Always float64."""
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1, dtype=torch.float64)


@wrong("rows-do-not-sum-to-1")
def filled_inverted_over_queries(scores, mask):
    """Inverted, and over the queries."""
    return torch.softmax(scores.masked_fill(mask, -1e9), dim=-2)


@wrong("weak-fill")
def filled_3_ten_below_the_least(scores, mask):
    """A fill 10 below the least score: too near."""
    return scores.masked_fill(~mask, float(scores.min()) - 10).softmax(-1)


@wrong("weak-fill")
def filled_3_five_below_the_least_of_a_row(scores, mask):
    """A fill 5 below the least score of each row."""
    low = scores.min(dim=-1, keepdim=True).values - 5
    return torch.where(mask, scores, low).softmax(-1)


@wrong("not-repeatable")
def filled_3_and_dropped(scores, mask):
    """A dropout that nobody asked for."""
    weights = scores.masked_fill(~mask, -1e9).softmax(-1).masked_fill(~mask, 0.0)
    return F.dropout(weights, 0.1)


@wrong("scores-times-infinity")
def filled_by_scaling_with_infinity(scores, mask):
    """Hidden scores are multiplied by -inf."""
    factor = torch.ones_like(scores).masked_fill(~mask, -math.inf)
    return F.softmax(scores * factor, dim=-1)


@wrong("mask-inverted-added")
def filled_by_adding_the_inverted_mask(scores, mask):
    """1 is added where a key is hidden."""
    return F.softmax(scores + mask.logical_not().to(scores.dtype), dim=-1)


@wrong("weak-fill")
def filled_with_minus_twenty(scores, mask):
    """-20: hidden weights of 1e-9."""
    return torch.softmax(torch.where(mask, scores, torch.tensor(-20.0, dtype=scores.dtype)), dim=-1)


@wrong("weak-fill")
def filled_with_minus_fifty(scores, mask):
    """-50: hidden weights of 1e-22."""
    return F.softmax(scores.masked_fill(mask.logical_not(), -50), dim=-1)


@wrong("weak-fill")
def filled_with_minus_one_hundred(scores, mask):
    """-100: hidden weights of 1e-44."""
    hidden = (~mask).to(scores.dtype)
    return F.softmax(scores * (1 - hidden) - 100 * hidden, dim=-1)


@wrong("hidden-keys-read")
def filled_with_minus_twenty_five(scores, mask):
    """Another number that is not low enough."""
    return F.softmax(scores.masked_fill(~mask, -25.0), dim=-1)


@wrong("hidden-keys-read")
def filled_by_subtracting_one_hundred(scores, mask):
    """100 less for each hidden score."""
    return F.softmax(scores - 100.0 * ~mask, dim=-1)


@wrong("axis-from-the-front")
def filled_over_axis_2(scores, mask):
    """Softmax over axis 2: written for a batch."""
    return torch.where(mask, scores, -torch.inf).softmax(dim=2)


@wrong("scores-ignored")
def fill_evenly(scores, mask):
    """All visible keys get the same."""
    visible = mask.expand(scores.shape).to(scores.dtype)
    return visible / visible.sum(dim=-1, keepdim=True)
