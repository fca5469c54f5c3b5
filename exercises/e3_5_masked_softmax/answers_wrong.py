"""Wrong answers to exercise 3.5, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import numpy as np
import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("nan-rows")
def masked_softmax_unmended(scores, mask):
    """Filled with -inf: NaN where nothing is visible."""
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)


@wrong("uniform-rows")
def masked_softmax_uniform(scores, mask):
    """Filled with -1e9: uniform where nothing is visible."""
    return torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)


@wrong("uniform-rows")
def masked_softmax_uniform_by_finfo(scores, mask):
    """Filled with finfo.min: uniform where nothing is visible."""
    return torch.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), dim=-1)


@wrong("unmasked-rows")
def masked_softmax_minus_ten_thousand_added(scores, mask):
    """-10000 added: the row is unmasked where nothing is visible."""
    return torch.softmax(scores + (1 - mask.to(scores.dtype)) * -10000.0, dim=-1)


@wrong("uniform-rows")
def masked_softmax_mended_too_early(scores, mask):
    """nan_to_num before the softmax."""
    return torch.softmax(scores.masked_fill(~mask, float("-inf")).nan_to_num(), dim=-1)


@wrong("nan-rows")
def masked_softmax_nan_times_zero(scores, mask):
    """NaN multiplied by 0 stays NaN."""
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    return weights * mask.any(dim=-1, keepdim=True)


@wrong("nan-rows")
def masked_softmax_nan_equals(scores, mask):
    """NaN looked for with ==."""
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    return torch.where(weights == float("nan"), 0.0, weights)


@wrong("hidden-keys-read")
def masked_softmax_nan_to_one(scores, mask):
    """NaN made 1."""
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1).nan_to_num(1.0)


@wrong("uniform-rows")
def masked_softmax_nan_to_uniform(scores, mask):
    """NaN made 1 / S."""
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1).nan_to_num(1 / scores.shape[-1])


@wrong("nan-gradients")
def masked_softmax_added_infinities(scores, mask):
    """An added -inf mask, repaired afterward: NaN gradients."""
    return torch.softmax(scores + mask.to(scores.dtype).log(), dim=-1).nan_to_num(0.0)


@wrong("swallowed")
def masked_softmax_where_trap(scores, mask):
    """The maximum of hidden scores too, and 0/0 behind torch.where."""
    powers = torch.exp(scores - scores.amax(-1, keepdim=True)) * mask
    total = powers.sum(-1, keepdim=True)
    return torch.where(total > 0, powers / total, 0.0)


@wrong()
def masked_softmax_zeroed_in_place(scores, mask):
    """The softmax's result is zeroed in place: backward fails."""
    weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)
    weights[~mask.expand_as(weights)] = 0
    return weights


@wrong()
def masked_softmax_mended_in_place(scores, mask):
    """nan_to_num_ in place: backward fails."""
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    return weights.nan_to_num_(0.0)


@wrong("no-gradients")
def masked_softmax_detached(scores, mask):
    """Detached."""
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1).nan_to_num(0.0).detach()


@wrong("no-gradients")
def masked_softmax_under_no_grad(scores, mask):
    """Under no_grad."""
    with torch.no_grad():
        return scores.masked_fill(~mask, -1e9).softmax(-1) * mask


@wrong("no-gradients")
def masked_softmax_through_data(scores, mask):
    """Through .data."""
    return (scores.data.masked_fill(~mask, -1e9).softmax(-1) * mask).to(scores.dtype)


@wrong("no-gradients")
def masked_softmax_through_numpy(scores, mask):
    """Through numpy: no gradients."""
    filled = np.where(mask.numpy(), scores.detach().numpy(), -1e30)
    powers = np.exp(filled - filled.max(-1, keepdims=True)) * mask.numpy()
    return torch.from_numpy(powers / np.maximum(powers.sum(-1, keepdims=True), 1e-30)).to(scores.dtype)


@wrong("no-gradients")
def masked_softmax_through_lists(scores, mask):
    """Through a Python list: no gradients."""
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1).nan_to_num(0.0)
    return torch.tensor(weights.tolist(), dtype=scores.dtype)


@wrong()
def masked_softmax_numpy_of_gradients(scores, mask):
    """numpy() on a tensor that wants gradients."""
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    return torch.from_numpy(np.nan_to_num(weights.numpy()))


@wrong("true-hides")
def masked_softmax_inverted(scores, mask):
    """Inverted."""
    return torch.softmax(scores.masked_fill(mask, float("-inf")), dim=-1).nan_to_num(0.0)


@wrong("zero-filled")
def masked_softmax_times_mask(scores, mask):
    """Hidden scores are 0, not hidden."""
    return torch.softmax(scores * mask, dim=-1) * mask


@wrong("over-queries")
def masked_softmax_over_queries(scores, mask):
    """Over the queries."""
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-2).nan_to_num(0.0)


@wrong("axis-from-the-front")
def masked_softmax_over_axis_1(scores, mask):
    """Over axis 1."""
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=1).nan_to_num(0.0)


@wrong("masked-after-softmax")
def masked_softmax_not_renormalized(scores, mask):
    """Not made to sum to 1."""
    return torch.softmax(scores, dim=-1) * mask


@wrong("nan-rows")
def masked_softmax_renormalized(scores, mask):
    """Renormalized: 0/0 where nothing is visible."""
    weights = torch.softmax(scores, dim=-1) * mask
    return weights / weights.sum(-1, keepdim=True)


@wrong("weak-fill")
def masked_softmax_minus_ten(scores, mask):
    """-10, then zeroed."""
    return torch.softmax(scores.masked_fill(~mask, -10.0), dim=-1) * mask


@wrong("unmasked-rows")
def masked_softmax_empty_rows_unmasked(scores, mask):
    """Empty rows are opened, and left open."""
    empty = ~mask.any(dim=-1, keepdim=True)
    return torch.softmax(scores.masked_fill(~(mask | empty), float("-inf")), dim=-1)


@wrong("hidden-keys-read")
def masked_softmax_empty_columns(scores, mask):
    """Empty columns looked for instead of empty rows."""
    allowed = mask.expand_as(scores)
    weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)
    return weights.masked_fill(~allowed.any(dim=-2, keepdim=True), 0.0)


@wrong("uniform-rows")
def masked_softmax_whole_mask(scores, mask):
    """Zeros only if the whole mask is empty."""
    if not mask.any():
        return torch.zeros_like(scores)
    return torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)


@wrong("rows-do-not-sum-to-1")
def masked_softmax_all_or_nothing(scores, mask):
    """Everything is zero as soon as one row is empty."""
    if (~mask.any(dim=-1)).any():
        return scores * 0
    return torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)


@wrong()
def masked_softmax_any_without_keepdim(scores, mask):
    """any without keepdim."""
    weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)
    return weights.masked_fill(~mask.any(dim=-1), 0.0)


@wrong()
def masked_softmax_if_on_rows(scores, mask):
    """An if on several rows at once."""
    weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)
    if mask.any(dim=-1):
        return weights
    return weights * 0


@wrong("changes-input")
def masked_softmax_in_place(scores, mask):
    """The scores are changed in place."""
    with torch.no_grad():
        scores[~mask.expand_as(scores)] = -1e9
    return torch.softmax(scores, dim=-1) * mask


@wrong("changes-input")
def masked_softmax_fill_in_place(scores, mask):
    """masked_fill_ on an input that wants gradients."""
    scores.masked_fill_(~mask, float("-inf"))
    return torch.softmax(scores, dim=-1).nan_to_num(0.0)


@wrong("mask-ignored")
def masked_softmax_without_mask(scores, mask):
    """The mask is not used."""
    return torch.softmax(scores, dim=-1)


@wrong("returns-none")
def masked_softmax_not_returned(scores, mask):
    """Nothing is returned."""
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    weights = weights.nan_to_num(0.0)


@wrong("returns-wrong-type")
def masked_softmax_as_a_pair(scores, mask):
    """A pair."""
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1).nan_to_num(0.0)
    return weights, mask.any(-1)


@wrong("wrong-dtype")
def masked_softmax_always_float64(scores, mask):
    """Always float64."""
    return torch.softmax(scores.double().masked_fill(~mask, float("-inf")), dim=-1).nan_to_num(0.0)


@wrong("wrong-dtype")
def masked_softmax_always_float32(scores, mask):
    """Always float32."""
    weights = torch.zeros(scores.shape)
    weights[...] = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1).nan_to_num(0.0)
    return weights


@wrong()
def masked_softmax_wrong_keyword(scores, mask):
    """A keyword that nan_to_num does not have."""
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1).nan_to_num(value=0.0)


@wrong()
def masked_softmax_misspelt(scores, mask):
    """A misspelt method."""
    return torch.softmax(scores.mask_fill(~mask, float("-inf")), dim=-1).nan_to_num(0.0)


@wrong("not-finite")
def masked_softmax_returns_infinities(scores, mask):
    """Negative infinities are left where nothing is visible."""
    weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)
    return weights.masked_fill(~mask.any(-1, keepdim=True), float("-inf"))


@wrong("weak-fill")
def filled_5_ten_below_the_least(scores, mask):
    """A fill 10 below the least score: too near."""
    return scores.masked_fill(~mask, float(scores.min()) - 10).softmax(-1).masked_fill(~mask, 0.0)


@wrong("weak-fill")
def filled_5_five_below_the_least_of_a_row(scores, mask):
    """A fill 5 below the least score of each row."""
    low = scores.min(dim=-1, keepdim=True).values - 5
    return torch.where(mask, scores, low).softmax(-1).masked_fill(~mask, 0.0)


@wrong("not-repeatable")
def filled_5_and_dropped(scores, mask):
    """A dropout that nobody asked for."""
    weights = scores.masked_fill(~mask, -1e9).softmax(-1).masked_fill(~mask, 0.0)
    return F.dropout(weights, 0.1)


@wrong("swallowed")
def masked_softmax_renormalized_with_epsilon(scores, mask):
    """Exercise 3.2 with a number that keeps the division from 0/0."""
    weights = F.softmax(scores, dim=-1).masked_fill(~mask, 0)
    return weights / (weights.sum(dim=-1, keepdim=True) + 1e-12)


@wrong("swallowed")
def masked_softmax_renormalized_and_clamped(scores, mask):
    """Exercise 3.2 with a clamped sum."""
    weights = F.softmax(scores, dim=-1) * mask
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)


@wrong("overflow")
def masked_softmax_of_bare_powers(scores, mask):
    """Nothing is subtracted before exp."""
    powers = torch.where(mask, torch.exp(scores), 0.0 * torch.exp(scores))
    return powers / (powers.sum(-1, keepdim=True) + 1e-9)


@wrong("visible-zeroed")
def masked_softmax_zeroed_where_visible(scores, mask):
    """masked_fill with the wrong mask the second time."""
    weights = F.softmax(torch.where(mask, scores, -1e9), dim=-1)
    return torch.where(mask, 0.0, weights)


@wrong("whole-item-zeroed")
def masked_softmax_items_dropped(scores, mask):
    """Whole items are dropped where a single row is empty."""
    weights = F.softmax(scores.masked_fill(~mask, -1e9), dim=-1) * mask
    nothing = ~mask.broadcast_to(scores.shape).any(-1)
    return weights * ~nothing.any(-1)[..., None, None]


@wrong("axis-from-the-front")
def masked_softmax_over_axis_2(scores, mask):
    """Softmax over axis 2: written for a batch."""
    return F.softmax(torch.where(mask, scores, -1e9), dim=2) * mask


@wrong("scores-ignored")
def masked_softmax_evenly(scores, mask):
    """All keys get the same, visible or not."""
    return (scores * 0).softmax(-1)


@wrong("swallowed")
def masked_softmax_below_the_largest_of_all(scores, mask):
    """The maximum that is subtracted is that of hidden scores too."""
    powers = torch.where(mask, (scores - scores.max()).exp(), torch.zeros_like(scores))
    return torch.nan_to_num(powers / powers.sum(dim=-1, keepdim=True))
