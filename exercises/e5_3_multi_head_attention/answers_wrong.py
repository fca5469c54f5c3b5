"""Wrong answers to exercise 5.3, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from feedback.bank import WrongAnswers
from helpers.attention import dot_product_attention

wrong = WrongAnswers()


def cut(z, num_heads):
    return z.view(z.size(0), z.size(1), num_heads, -1).transpose(1, 2)


def join(z):
    return z.transpose(1, 2).reshape(z.size(0), z.size(2), -1)


def hidden(scores, mask):
    return scores if mask is None else scores.masked_fill(~mask, float("-inf"))


def parts(z, q_proj, k_proj, v_proj, num_heads):
    return cut(q_proj(z), num_heads), cut(k_proj(z), num_heads), cut(v_proj(z), num_heads)


@wrong("no-scale")
def multi_not_scaled(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Not scaled."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = hidden(q @ k.transpose(-2, -1), mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("scaled-by-d-model")
def multi_over_root_of_c(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Divided by the root of C."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(x.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("scaled-by-d")
def multi_over_d(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Divided by D."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / q.size(-1)
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("scaled-by-another")
def multi_over_root_of_h(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Divided by the root of the number of heads."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / num_heads ** 0.5
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("scaled-by-another")
def multi_over_root_of_axis_1(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Q.size(1), right before the split, is the number of heads."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("scaled-by-another")
def multi_over_root_of_positions(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Divided by the root of T."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(2))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("multiplied")
def multi_times_root(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Multiplied by the root."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) * math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("fixed-scale")
def multi_over_two(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Divided by 2, right for heads of four."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / 2
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("scaled-after-softmax")
def multi_scaled_afterwards(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Scaled after the softmax."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = hidden(q @ k.transpose(-2, -1), mask).softmax(-1) / math.sqrt(q.size(-1))
    return out_proj(join(weights @ v)), weights


@wrong("viewed")
def multi_split_by_view(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Split by view in one go."""
    B, T, C = x.shape
    q, k, v = (layer(x).view(B, num_heads, T, C // num_heads) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("viewed")
def multi_viewed_both_ways(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Split and merged by view."""
    B, T, C = x.shape
    q, k, v = (layer(x).view(B, num_heads, T, -1) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj((weights @ v).view(B, T, C)), weights


@wrong("merge-not-transposed")
def multi_merged_by_view(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Merged by view."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj((weights @ v).reshape(x.shape)), weights


@wrong()
def multi_merged_by_view_after_transpose(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """View after transpose."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj((weights @ v).transpose(1, 2).view(x.shape)), weights


@wrong("interleaved")
def multi_split_in_turns(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Features in turns."""
    B, T, C = x.shape
    q, k, v = (layer(x).view(B, T, -1, num_heads).permute(0, 3, 1, 2) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("positions-mixed")
def multi_only_queries_viewed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Q alone is split by view."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    q = q_proj(x).view(q.shape)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("positions-mixed")
def multi_only_values_viewed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """V alone is split by view."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    v = v_proj(x).reshape(v.shape)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("among-heads")
def multi_among_heads(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Not transposed: heads attend to heads."""
    q, k, v = (layer(x).unflatten(-1, (num_heads, -1)) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj((weights @ v).flatten(2)), weights


@wrong("one-head")
def multi_one_head(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Never split."""
    q, k, v = q_proj(x), k_proj(x), v_proj(x)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(weights @ v), weights


@wrong("no-out-proj")
def multi_without_out_proj(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Out_proj is not used."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return join(weights @ v), weights


@wrong("layer-meets-one-head")
def multi_out_proj_before_merge(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Out_proj before the merge."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return join(out_proj(weights @ v)), weights


@wrong("layer-meets-one-head")
def multi_layers_after_split(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Split before the projections."""
    z = cut(x, num_heads)
    q, k, v = q_proj(z), k_proj(z), v_proj(z)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("layer-meets-one-head")
def multi_heads_averaged(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Heads averaged."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj((weights @ v).mean(dim=1)), weights


@wrong("weights-averaged")
def multi_weights_averaged(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Averaged weights returned."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights.mean(dim=1)


@wrong("residual")
def multi_residual(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """X added."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return x + out_proj(join(weights @ v)), weights


@wrong("mask-ignored")
def multi_mask_ignored(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """The mask is not used."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("mask-ignored")
def multi_mask_result_thrown_away(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Masked_fill without keeping its result."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("true-hides")
def multi_mask_inverted(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """The mask inverted."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("true-hides")
def multi_mask_inverted_finite(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """The mask inverted, -1e9."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask, -1e9)
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("zero-filled")
def multi_mask_multiplied(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Scores times the mask."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores * mask
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("mask-added")
def multi_mask_added(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Scores plus the mask."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores + mask.to(scores.dtype)
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("zero-filled")
def multi_mask_zero_filled(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Hidden scores are 0."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, 0.0)
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("weak-fill")
def multi_mask_minus_ten(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Filled with -10."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -10.0)
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("hidden-keys-read")
def multi_mask_minus_twelve(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Filled with -12."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -12.0)
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("masked-after-softmax")
def multi_mask_after_softmax(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Weights masked, not renormalised."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    return out_proj(join(weights @ v)), weights


@wrong("rows-do-not-sum-to-1")
def multi_mask_for_the_last_step_only(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Hidden weights are zeroed in what is returned only."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.softmax(-1)
    out = out_proj(join(weights @ v))
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return out, weights


@wrong("mask-for-out-only")
def multi_sdpa_without_mask_in_weights(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Out by SDPA with the mask, the weights without."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    visible = None if mask is None else torch.atleast_2d(mask)
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=visible)
    return out_proj(join(out)), scores.softmax(-1)


@wrong("mask-for-weights-only")
def multi_sdpa_without_mask(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Weights with the mask, out by SDPA without."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(F.scaled_dot_product_attention(q, k, v))), weights


@wrong("own-causal-mask")
def multi_sdpa_causal_by_itself(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Is_causal whatever mask is given."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    past = torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril()
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return out_proj(join(out)), hidden(scores, past).softmax(-1)


@wrong("own-causal-mask")
def multi_causal_for_any_mask(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Causal as soon as there is a mask."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(torch.ones(x.size(1), x.size(1)).triu(1).bool(), -1e9)
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("mask-none")
def multi_mask_without_asking(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """The mask is used without asking whether there is one."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("mask-none")
def multi_mask_compared_without_asking(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Mask == 0 without asking."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.masked_fill(mask == 0, float("-inf")).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong()
def multi_mask_in_an_if(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """If mask: one truth value is asked for."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong()
def multi_mask_unsqueezed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """An axis for the heads put into every mask."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        mask = mask.unsqueeze(1)
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("mask-transposed")
def multi_mask_transposed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Queries and keys of the mask exchanged."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None and mask.dim() > 1:
        mask = mask.transpose(-2, -1)
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("over-queries")
def multi_softmax_over_queries(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Softmax over the queries."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(dim=-2)
    return out_proj(join(weights @ v)), weights


@wrong("over-heads")
def multi_softmax_over_axis_1(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Softmax over axis 1."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(dim=1)
    return out_proj(join(weights @ v)), weights


@wrong("softmax-twice")
def multi_softmax_twice(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Softmax twice."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    weights = weights.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("no-softmax")
def multi_no_softmax(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """No softmax."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask)
    return out_proj(join(weights @ v)), weights


@wrong("query-layer-for-all")
def multi_q_proj_for_all(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Q_proj for everything."""
    q = k = v = cut(q_proj(x), num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("query-layer-twice")
def multi_k_by_q_proj(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """K by q_proj."""
    q, k, v = parts(x, q_proj, q_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("keys-as-values")
def multi_v_by_k_proj(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """V by k_proj."""
    q, k, v = parts(x, q_proj, k_proj, k_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("keys-ask")
def multi_queries_and_keys_exchanged(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """K asks q."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = k @ q.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("keys-and-values-exchanged")
def multi_keys_and_values_exchanged(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """K and v exchanged."""
    q, k, v = parts(x, q_proj, v_proj, k_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("layer-skipped")
def multi_values_not_projected(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """V is x."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    v = cut(x, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("weights-transposed")
def multi_weights_transposed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Weights transposed before the values."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights.transpose(-2, -1) @ v)), weights


@wrong("only-out")
def multi_only_out(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Out alone."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v))


@wrong("swapped-pair")
def multi_swapped_pair(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Weights first."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return weights, out_proj(join(weights @ v))


@wrong("scores-returned")
def multi_scores_returned(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Scores returned."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), scores


@wrong("one-head-s-weights")
def multi_last_weights_of_a_loop(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """The weights of the last head."""
    D = x.size(-1) // num_heads
    outs = []
    for h in range(num_heads):
        q, k, v = (layer(x)[..., h * D:(h + 1) * D] for layer in (q_proj, k_proj, v_proj))
        full = None if mask is None else mask.expand(len(x), num_heads, x.size(1), x.size(1))[:, h]
        weights = hidden(q @ k.mT / math.sqrt(D), full).softmax(-1)
        outs.append(weights @ v)
    return out_proj(torch.cat(outs, -1)), weights


@wrong("weights-in-another-order")
def multi_stacked_in_front(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """The weights stacked with heads in front."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), torch.stack(weights.unbind(1))


@wrong("heads-mixed")
def multi_same_slice_for_every_head(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Every head takes the first slice."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    q, k, v = (z[:, :1].expand(-1, num_heads, -1, -1) for z in (q, k, v))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("out-alone-wrong")
def multi_dropped_head(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """The last head is left out of the merge."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    heads = weights @ v
    heads[:, -1] = 0
    return out_proj(join(heads)), weights


@wrong("out-alone-wrong")
def multi_heads_reversed_in_merge(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """The merge takes the heads backwards."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join((weights @ v).flip(1))), weights


@wrong("items-mixed")
def multi_batch_rolled(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """K and v of another item."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    k, v = k.roll(1, dims=0), v.roll(1, dims=0)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("not-repeatable")
def multi_with_dropout(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """With dropout."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = F.dropout(hidden(scores, mask).softmax(-1), 0.1)
    return out_proj(join(weights @ v)), weights


@wrong("hidden-keys-read")
def multi_unscaled_and_unmasked(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Two mistakes: neither scaled nor masked."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = (q @ k.transpose(-2, -1)).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("positions-mixed")
def multi_unscaled_and_viewed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Two mistakes: not scaled, and merged by view."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = hidden(q @ k.transpose(-2, -1), mask).softmax(-1)
    return out_proj((weights @ v).reshape(x.shape)), weights


@wrong("weights-alone-wrong")
def multi_unscaled_weights_returned(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """The returned weights are not scaled."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), hidden(q @ k.transpose(-2, -1), mask).softmax(-1)


@wrong()
def multi_float_size(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """A size that is a float."""
    B, T, C = x.shape
    q, k, v = (layer(x).view(B, T, num_heads, C / num_heads).transpose(1, 2) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong()
def multi_no_transpose_of_keys(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """K is not transposed."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("keys-turned-wrongly")
def multi_keys_by_capital_t(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """K.T."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.T / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("returns-wrong-type")
def multi_as_a_list(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """A list."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return [out_proj(join(weights @ v)), weights]


@wrong("returns-wrong-type")
def multi_as_numpy(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Numpy."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)).detach().numpy(), weights.detach().numpy()


@wrong("returns-none")
def multi_not_returned(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Nothing is returned."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    print(out_proj(join(weights @ v)))


@wrong("wrong-dtype")
def multi_weights_in_float32(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """The weights always float32."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights.float()


@wrong("changes-input")
def multi_x_changed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """X is changed in place."""
    x *= 1.5
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("changes-input")
def multi_mask_changed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """The mask is turned around in place."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        mask.logical_not_()
        scores = scores.masked_fill(mask, float("-inf"))
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("changes-input")
def multi_layer_changed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """A layer is changed in place."""
    with torch.no_grad():
        q_proj.weight /= math.sqrt(x.size(-1) // num_heads)
        q_proj.bias /= math.sqrt(x.size(-1) // num_heads)
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = hidden(q @ k.transpose(-2, -1), mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong()
def multi_with_a_mask_always(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask):
    """The mask has no default."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong()
def multi_of_six_arguments(x, q_proj, k_proj, v_proj, out_proj, num_heads):
    """No mask at all."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("one-head")
def multi_one_head_over_its_root(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Never split, and the root of one head."""
    q, k, v = q_proj(x), k_proj(x), v_proj(x)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1) // num_heads)
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(weights @ v), weights


@wrong("one-head")
def multi_one_head_merged(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Never split, and merged."""
    q, k, v = q_proj(x), k_proj(x), v_proj(x)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("one-head")
def multi_one_head_by_the_course(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Never split, with the course's attention."""
    q, k, v = q_proj(x), k_proj(x), v_proj(x)
    out, weights = dot_product_attention(q, k, v, mask)
    return out_proj(out), weights


@wrong("keys-turned-wrongly")
def multi_keys_turned_as_without_heads(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """K.transpose(1, 2)."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(1, 2) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("layer-meets-one-head")
def multi_never_merged(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Out_proj, and never merged."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(weights @ v), weights


@wrong("layer-meets-one-head")
def multi_out_proj_before_flatten(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Out_proj between transpose and flatten."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj((weights @ v).transpose(1, 2)).flatten(-2), weights


@wrong("mask-ignored")
def multi_mask_forgotten(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """The mask is forgotten."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("root-without-brackets")
def multi_over_half_of_d(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """D ** 1 / 2 in brackets: half of D."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / (q.size(-1) ** 1 / 2)
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("root-without-brackets")
def multi_over_d_and_two(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """/ D ** 1 / 2: divided by D and by 2."""
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / q.size(-1) ** 1 / 2
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("bias-forgotten")
def multi_without_biases(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """The biases of q_proj, k_proj and v_proj forgotten."""
    q, k, v = (cut(x @ layer.weight.T, num_heads) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("bias-forgotten")
def multi_without_any_bias(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """All biases forgotten."""
    q, k, v = (cut(x @ layer.weight.T, num_heads) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return join(weights @ v) @ out_proj.weight.T, weights


@wrong("weight-as-it-is")
def multi_weights_as_they_are(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """The weights of the layers not turned around."""
    q, k, v = (cut(x @ layer.weight, num_heads) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("not-repeatable")
def multi_with_a_new_out_layer(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """New layers in place of those that are given."""
    q, k, v = (f(x).unflatten(-1, (num_heads, -1)).transpose(1, 2) for f in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    layer = nn.Linear(x.size(-1), x.size(-1), dtype=x.dtype)
    return layer((weights @ v).transpose(1, 2).flatten(-2)), weights


@wrong("among-heads")
def multi_among_heads_without_mask(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Heads never moved in front of positions, and the mask never used."""
    B, T, C = x.shape
    q, k, v = (f(x).view(B, T, num_heads, C // num_heads) for f in (q_proj, k_proj, v_proj))
    weights = (q @ k.transpose(-2, -1) / (C // num_heads) ** 0.5).softmax(-1)
    return out_proj((weights @ v).reshape(B, T, C)), weights
