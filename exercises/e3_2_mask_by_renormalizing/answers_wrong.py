"""Wrong answers to exercise 3.2, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("not-renormalised")
def renormalize_not_filled(weights, mask):
    """Not made to sum to 1 again, by masked_fill."""
    return weights.masked_fill(~mask, 0.0)


@wrong("not-renormalised")
def renormalize_before_hiding(weights, mask):
    """Made to sum to 1 before hiding."""
    return weights / weights.sum(dim=-1, keepdim=True) * mask


@wrong("not-renormalised")
def renormalize_by_old_sums(weights, mask):
    """Made to sum to 1 before hiding, the rows' own sums used."""
    visible = weights * mask
    return visible / weights.sum(dim=-1, keepdim=True)


@wrong("columns-renormalised")
def renormalize_columns(weights, mask):
    """Columns are made to sum to 1."""
    visible = weights * mask
    return visible / visible.sum(dim=-2, keepdim=True)


@wrong("columns-renormalised")
def renormalize_axis_1(weights, mask):
    """Axis 1, right for matrices only."""
    visible = weights * mask
    return visible / visible.sum(dim=1, keepdim=True)


@wrong()
def renormalize_without_keepdim(weights, mask):
    """The sum without keepdim."""
    visible = weights * mask
    return visible / visible.sum(dim=-1)


@wrong("one-sum-for-all")
def renormalize_by_total(weights, mask):
    """The sum of everything."""
    visible = weights * mask
    return visible / visible.sum()


@wrong("divided-by-count")
def renormalize_by_count(weights, mask):
    """Divided by the number of visible keys."""
    return weights * mask / mask.sum(dim=-1, keepdim=True)


@wrong("rows-do-not-sum-to-1")
def renormalize_by_max(weights, mask):
    """Divided by the largest."""
    visible = weights * mask
    return visible / visible.amax(dim=-1, keepdim=True)


@wrong("rows-do-not-sum-to-1")
def renormalize_l2(weights, mask):
    """Divided by the Euclidean length."""
    return F.normalize(weights * mask, dim=-1)


@wrong("softmax-again")
def renormalize_by_softmax(weights, mask):
    """A second softmax, zeros included."""
    return torch.softmax(weights * mask, dim=-1)


@wrong("filled-weights")
def renormalize_by_filling(weights, mask):
    """The weights taken for scores: filled with -inf and softmax."""
    return torch.softmax(weights.masked_fill(~mask, float("-inf")), dim=-1)


@wrong("not-finite")
def renormalize_filled_with_infinity(weights, mask):
    """The weights are filled with -inf."""
    visible = weights.masked_fill(~mask, float("-inf"))
    return visible / visible.sum(dim=-1, keepdim=True)


@wrong("true-hides")
def renormalize_inverted(weights, mask):
    """Inverted."""
    visible = weights.masked_fill(mask, 0.0)
    return visible / visible.sum(dim=-1, keepdim=True)


@wrong("mask-ignored")
def renormalize_without_mask(weights, mask):
    """The mask is not used."""
    return weights / weights.sum(dim=-1, keepdim=True)


@wrong("own-causal-mask")
def renormalize_always_causal(weights, mask):
    """A causal mask, whatever mask is given."""
    visible = torch.tril(weights)
    return visible / visible.sum(dim=-1, keepdim=True)


@wrong()
def renormalize_mask_transposed(weights, mask):
    """The mask is transposed."""
    visible = weights * mask.transpose(-2, -1)
    return visible / visible.sum(dim=-1, keepdim=True)


@wrong("not-finite")
def renormalize_times_infinity(weights, mask):
    """The mask is multiplied by -inf."""
    visible = weights + (~mask) * float("-inf")
    return visible / visible.sum(dim=-1, keepdim=True)


@wrong("mask-added")
def renormalize_mask_added(weights, mask):
    """The mask is added."""
    visible = weights + mask
    return visible / visible.sum(dim=-1, keepdim=True)


@wrong("changes-input")
def renormalize_in_place(weights, mask):
    """The weights are changed in place."""
    weights *= mask
    return weights / weights.sum(dim=-1, keepdim=True)


@wrong("changes-input")
def renormalize_fill_in_place(weights, mask):
    """masked_fill_ on the weights."""
    weights.masked_fill_(~mask, 0)
    return weights / weights.sum(dim=-1, keepdim=True)


@wrong("mask-ignored")
def renormalize_lost_fill(weights, mask):
    """masked_fill is thrown away."""
    weights.masked_fill(~mask, 0)
    return weights / weights.sum(dim=-1, keepdim=True)


@wrong("large-epsilon")
def renormalize_large_epsilon(weights, mask):
    """A large epsilon."""
    visible = weights * mask
    return visible / (visible.sum(dim=-1, keepdim=True) + 0.01)


@wrong("not-renormalised")
def renormalize_clamped_at_one(weights, mask):
    """The sum is kept at 1 or above."""
    visible = weights * mask
    return visible / visible.sum(dim=-1, keepdim=True).clamp(min=1.0)


@wrong("spread-evenly")
def renormalize_by_sharing(weights, mask):
    """What is missing is shared out equally."""
    visible = weights * mask
    missing = 1 - visible.sum(-1, keepdim=True)
    return visible + mask * missing / mask.sum(-1, keepdim=True)


@wrong("evenly-spread")
def renormalize_uniform(weights, mask):
    """All visible keys alike."""
    return (mask / mask.sum(-1, keepdim=True)).to(weights.dtype).expand_as(weights).clone()


@wrong()
def renormalize_one_minus_bool(weights, mask):
    """1 - mask of a bool mask."""
    visible = weights - weights * (1 - mask)
    return visible / visible.sum(dim=-1, keepdim=True)


@wrong("wrong-shape")
def renormalize_flattened(weights, mask):
    """The visible weights only, flattened."""
    visible = weights[mask.expand_as(weights)]
    return visible / visible.sum()


@wrong()
def renormalize_by_indexing(weights, mask):
    """Indexing with a mask that is not broadcast."""
    result = weights.clone()
    result[~mask] = 0
    return result / result.sum(dim=-1, keepdim=True)


@wrong()
def renormalize_matrices(weights, mask):
    """For matrices only."""
    result = torch.zeros_like(weights)
    for t in range(weights.shape[0]):
        for s in range(weights.shape[1]):
            if mask[t, s]:
                result[t, s] = weights[t, s]
        result[t] /= result[t].sum()
    return result


@wrong()
def renormalize_misspelt(weights, mask):
    """A misspelt argument."""
    visible = weight * mask  # noqa: F821
    return visible / visible.sum(dim=-1, keepdim=True)


@wrong()
def renormalize_keepdims(weights, mask):
    """A misspelt keyword."""
    visible = weights * mask
    return visible / visible.sum(dim=-1, keep_dim=True)


@wrong("returns-none")
def renormalize_not_returned(weights, mask):
    """Nothing is returned."""
    visible = weights * mask
    visible /= visible.sum(dim=-1, keepdim=True)


@wrong("returns-wrong-type")
def renormalize_as_numpy(weights, mask):
    """A numpy array."""
    visible = weights.numpy() * mask.numpy()
    return visible / visible.sum(-1, keepdims=True)


@wrong("returns-wrong-type")
def renormalize_as_a_pair(weights, mask):
    """A pair."""
    visible = weights * mask
    return visible / visible.sum(dim=-1, keepdim=True), mask


@wrong("wrong-dtype")
def renormalize_always_float32(weights, mask):
    """Always float32."""
    visible = (weights * mask).float()
    return visible / visible.sum(dim=-1, keepdim=True)


@wrong("rows-do-not-sum-to-1")
def renormalize_unless_the_whole_sums_to_1(weights, mask):
    """Two rows of 0.5 sum to 1 together, so nothing is divided."""
    visible = weights * mask
    if visible.sum() != 1:
        visible = visible / visible.sum(dim=-1, keepdim=True)
    return visible


@wrong("spread-evenly")
def renormalize_by_equal_shares(weights, mask):
    visible = weights * mask
    lost = (weights * ~mask).sum(dim=-1, keepdim=True)
    return torch.where(mask, visible + lost / mask.sum(dim=-1, keepdim=True), 0.0)


@wrong("wrong-shape")
def renormalize_and_squeeze(weights, mask):
    visible = (weights * mask).squeeze(0)
    return visible / visible.sum(-1, keepdim=True)


@wrong("mask-ignored")
def renormalize_where_enough_is_missing(weights, mask):
    visible = weights * mask
    sums = visible.sum(-1, keepdim=True)
    return torch.where(sums < 0.999, visible / sums, weights)
