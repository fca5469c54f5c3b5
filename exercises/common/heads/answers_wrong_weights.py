"""Wrong attention weights, of the kind that learners write, for the banks of exercises with several heads.

Each is a function of q (B, H, T, D), k (B, H, S, D) and mask; a bank puts them into answers to its exercise. (It
imports this module, not the two banks in it, which would be read as answers of its own.)
"""

import math

import torch
import torch.nn.functional as F
from feedback.bank import WrongAnswers

from exercises.common.heads.answers_parts import hidden

wrong_scores = WrongAnswers()  # also without a mask
wrong_masks = WrongAnswers()  # right without a mask


@wrong_scores("no-scale")
def not_scaled(q, k, mask):
    """Not scaled."""
    return hidden(q @ k.transpose(-2, -1), mask).softmax(-1)


@wrong_scores("scaled-by-d")
def over_d(q, k, mask):
    """Divided by D."""
    scores = q @ k.transpose(-2, -1) / q.size(-1)
    return hidden(scores, mask).softmax(-1)


@wrong_scores("scaled-by-another")
def over_root_of_axis_1(q, k, mask):
    """Q.size(1), right before the split, is the number of heads."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(1))
    return hidden(scores, mask).softmax(-1)


@wrong_scores("scaled-by-another")
def over_root_of_positions(q, k, mask):
    """Divided by the root of T."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(2))
    return hidden(scores, mask).softmax(-1)


@wrong_scores("multiplied")
def times_root(q, k, mask):
    """Multiplied by the root."""
    scores = q @ k.transpose(-2, -1) * math.sqrt(q.size(-1))
    return hidden(scores, mask).softmax(-1)


@wrong_scores("fixed-scale")
def over_two(q, k, mask):
    """Divided by 2, right for heads of four."""
    scores = q @ k.transpose(-2, -1) / 2
    return hidden(scores, mask).softmax(-1)


@wrong_scores("scaled-after-softmax")
def scaled_afterwards(q, k, mask):
    """Scaled after the softmax."""
    return hidden(q @ k.transpose(-2, -1), mask).softmax(-1) / math.sqrt(q.size(-1))


@wrong_scores("over-queries")
def softmax_over_queries(q, k, mask):
    """Softmax over the queries."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return hidden(scores, mask).softmax(dim=-2)


@wrong_scores("over-heads")
def softmax_over_axis_1(q, k, mask):
    """Softmax over axis 1."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return hidden(scores, mask).softmax(dim=1)


@wrong_scores("softmax-twice")
def softmax_twice(q, k, mask):
    """Softmax twice."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return weights.softmax(-1)


@wrong_scores("no-softmax")
def no_softmax(q, k, mask):
    """No softmax."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return hidden(scores, mask)


@wrong_scores("not-repeatable")
def with_dropout(q, k, mask):
    """With dropout."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return F.dropout(hidden(scores, mask).softmax(-1), 0.1)


@wrong_scores()
def no_transpose_of_keys(q, k, mask):
    """K is not transposed."""
    scores = q @ k / math.sqrt(q.size(-1))
    return hidden(scores, mask).softmax(-1)


@wrong_scores("keys-turned-wrongly")
def keys_by_capital_t(q, k, mask):
    """K.T."""
    scores = q @ k.T / math.sqrt(q.size(-1))
    return hidden(scores, mask).softmax(-1)


@wrong_scores("keys-turned-wrongly")
def keys_turned_as_without_heads(q, k, mask):
    """K.transpose(1, 2)."""
    scores = q @ k.transpose(1, 2) / math.sqrt(q.size(-1))
    return hidden(scores, mask).softmax(-1)


@wrong_scores("root-without-brackets")
def over_half_of_d(q, k, mask):
    """D ** 1 / 2 in parentheses: half of D."""
    scores = q @ k.transpose(-2, -1) / (q.size(-1) ** 1 / 2)
    return hidden(scores, mask).softmax(-1)


@wrong_scores("divided-by-d-and-by-2")
def over_d_and_two(q, k, mask):
    """/ D ** 1 / 2: divided by D and by 2."""
    scores = q @ k.transpose(-2, -1) / q.size(-1) ** 1 / 2
    return hidden(scores, mask).softmax(-1)


@wrong_scores("over-batch")
def softmax_over_axis_0(q, k, mask):
    scores = q @ k.mT / math.sqrt(k.shape[-1])
    return F.softmax(hidden(scores, mask), 0)


@wrong_scores("root-of-two")
def over_root_of_two(q, k, mask):
    """The root of the example of notebook 02."""
    return hidden(q @ k.transpose(2, 3) / 2**0.5, mask).softmax(dim=3)


@wrong_scores("fixed-scale")
def over_eight(q, k, mask):
    """8 is the root of 64, the width of a head of BERT and of the first transformer."""
    return torch.softmax(hidden(torch.matmul(q, k.mT) * 0.125, mask), dim=-1)


@wrong_scores("scaled-by-c")
def over_all_features(q, k, mask):
    B, H, T, D = q.shape
    return hidden(q @ k.mT / (H * D), mask).softmax(-1)


@wrong_scores("scaled-by-num-heads")
def over_heads(q, k, mask):
    B, H, T, D = q.shape
    return hidden(q @ k.mT / H, mask).softmax(-1)


@wrong_scores("scaled-by-another")
def over_root_of_heads(q, k, mask):
    B, H, T, D = q.shape
    return hidden(q @ k.mT / H**0.5, mask).softmax(-1)


@wrong_scores("no-gradients")
def weights_without_gradients(q, k, mask):
    with torch.no_grad():
        return hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)


@wrong_scores()
def normalized_in_place(q, k, mask):
    """exp_() and /= overwrite what the backward pass needs."""
    scores = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask)
    weights = (scores - scores.amax(-1, keepdim=True)).exp_()
    weights /= weights.sum(-1, keepdim=True)
    return weights


# ---------------------------------------------------------------- the mask


@wrong_masks("mask-ignored")
def mask_ignored(q, k, mask):
    """The mask is not used."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return scores.softmax(-1)


@wrong_masks("mask-ignored")
def mask_result_thrown_away(q, k, mask):
    """Masked_fill without keeping its result."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores.masked_fill(~mask, float("-inf"))
    return scores.softmax(-1)


@wrong_masks("true-hides")
def mask_inverted(q, k, mask):
    """The mask inverted."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    return scores.softmax(-1)


@wrong_masks("true-hides")
def mask_inverted_finite(q, k, mask):
    """The mask inverted, -1e9."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask, -1e9)
    return scores.softmax(-1)


@wrong_masks("zero-filled")
def mask_multiplied(q, k, mask):
    """Scores times the mask."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores * mask
    return scores.softmax(-1)


@wrong_masks("mask-added")
def mask_added(q, k, mask):
    """Scores plus the mask."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores + mask.to(scores.dtype)
    return scores.softmax(-1)


@wrong_masks("zero-filled")
def mask_zero_filled(q, k, mask):
    """Hidden scores are 0."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, 0.0)
    return scores.softmax(-1)


@wrong_masks("weak-fill")
def mask_minus_ten(q, k, mask):
    """Filled with -10."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -10.0)
    return scores.softmax(-1)


@wrong_masks("hidden-keys-read")
def mask_minus_twelve(q, k, mask):
    """Filled with -12."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -12.0)
    return scores.softmax(-1)


@wrong_masks("masked-after-softmax")
def mask_after_softmax(q, k, mask):
    """Weights masked, not renormalized."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    return weights


@wrong_masks("mask-none")
def mask_without_asking(q, k, mask):
    """The mask is used without asking whether there is one."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return scores.masked_fill(~mask, float("-inf")).softmax(-1)


@wrong_masks("mask-none")
def mask_compared_without_asking(q, k, mask):
    """Mask == 0 without asking."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return scores.masked_fill(mask == 0, float("-inf")).softmax(-1)


@wrong_masks()
def mask_in_an_if(q, k, mask):
    """If mask: one truth value is asked for."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask:
        scores = scores.masked_fill(~mask, float("-inf"))
    return scores.softmax(-1)


@wrong_masks("mask-reshaped")
def mask_unsqueezed(q, k, mask):
    """An axis for the heads put into every mask."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        mask = mask.unsqueeze(1)
        scores = scores.masked_fill(~mask, float("-inf"))
    return scores.softmax(-1)


@wrong_masks("mask-transposed")
def mask_transposed(q, k, mask):
    """Queries and keys of the mask exchanged."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None and mask.dim() > 1:
        mask = mask.transpose(-2, -1)
    return hidden(scores, mask).softmax(-1)


@wrong_masks("no-scale")
def unscaled_and_unmasked(q, k, mask):
    """Two mistakes: neither scaled nor masked."""
    return (q @ k.transpose(-2, -1)).softmax(-1)


@wrong_masks("changes-input")
def mask_changed(q, k, mask):
    """The mask is turned around in place."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        mask.logical_not_()
        scores = scores.masked_fill(mask, float("-inf"))
    return scores.softmax(-1)


@wrong_masks("mask-ignored")
def mask_forgotten(q, k, mask):
    """The mask is forgotten."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return scores.softmax(-1)


@wrong_masks("positive-fill")
def huge_fill(q, k, mask):
    """The sign forgotten."""
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = torch.where(mask, scores, 1e9)
    return scores.softmax(-1)


@wrong_masks("infinite-fill")
def infinite_fill(q, k, mask):
    """The sign forgotten."""
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = torch.where(mask, scores, math.inf)
    return scores.softmax(-1)


@wrong_masks("zero-times-infinity")
def mask_times_infinity(q, k, mask):
    """An additive mask, as in other people's code."""
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores += (~mask).float() * float("-inf")
    return scores.softmax(-1)


@wrong_masks("mask-inverted-added")
def inverted_mask_added(q, k, mask):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores + (1 - mask.float())
    return scores.softmax(-1)


@wrong_masks("weights-filled")
def weights_filled(q, k, mask):
    weights = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, float("-inf"))
    return weights


@wrong_masks("weak-fill")
def mask_minus_twenty(q, k, mask):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -20)
    return scores.softmax(-1)


@wrong_masks("weak-fill")
def mask_minus_hundred(q, k, mask):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores[~mask.expand_as(scores)] = -100
    return scores.softmax(-1)


@wrong_masks("mask-reshaped")
def mask_of_three_axes_unsqueezed(q, k, mask):
    """A mask of three axes is taken for (B, T, T)."""
    if mask is not None and mask.dim() == 3:
        mask = mask.unsqueeze(1)
    return hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)


@wrong_masks()
def mask_subtracted_from_one(q, k, mask):
    """1.0 - mask, which torch refuses for bool."""
    scores = q @ k.mT / math.sqrt(q.size(-1))
    return (scores if mask is None else scores + (1.0 - mask) * -10000.0).softmax(-1)


@wrong_masks()
def mask_of_two_axes(q, k, mask):
    """A mask (B, T) is expected."""
    return hidden(q @ k.mT / math.sqrt(q.size(-1)), None if mask is None else mask[:, None, None, :]).softmax(-1)


@wrong_masks("own-causal-mask")
def causal_mask_as_well(q, k, mask):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    past = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return hidden(hidden(scores, mask), past).softmax(-1)


@wrong_masks("true-hides")
def mask_inverted_first(q, k, mask):
    """Twice ~: once here, once where it is used."""
    return hidden(q @ k.mT / math.sqrt(q.size(-1)), None if mask is None else ~mask).softmax(-1)
