"""Answers to exercise 5.3 with two mistakes at once: naming either is true, naming a third is not."""

import math

import torch

from exercises.common.heads.answers_parts import cut, hidden, join
from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("scaled-by-d-model", "no-out-proj")
def root_of_c_and_no_out_proj(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(layer(x), num_heads) for layer in (q_proj, k_proj, v_proj))
    weights = hidden(q @ k.transpose(-2, -1) / math.sqrt(x.size(-1)), mask).softmax(-1)
    return join(weights @ v), weights


@both("no-scale", "no-out-proj")
def unscaled_and_no_out_proj(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(layer(x), num_heads) for layer in (q_proj, k_proj, v_proj))
    weights = hidden(q @ k.transpose(-2, -1), mask).softmax(-1)
    return join(weights @ v), weights


@both("true-hides", "merge-not-transposed")
def inverted_mask_and_merged_by_reshape(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(layer(x), num_heads) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    weights = scores.softmax(-1)
    return out_proj((weights @ v).reshape(x.shape)), weights


@both("true-hides", "scaled-by-d-model")
def inverted_mask_and_root_of_c(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(layer(x), num_heads) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / x.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    return out_proj(join(weights @ v)), weights


@both("viewed", "mask-ignored")
def viewed_and_unmasked(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    B, T, C = x.shape
    q, k, v = (layer(x).view(B, num_heads, T, C // num_heads) for layer in (q_proj, k_proj, v_proj))
    weights = (q @ k.transpose(-2, -1) / math.sqrt(C // num_heads)).softmax(-1)
    return out_proj(join(weights @ v)), weights


@both("no-scale", "residual")
def unscaled_with_a_residual(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(layer(x), num_heads) for layer in (q_proj, k_proj, v_proj))
    weights = hidden(q @ k.transpose(-2, -1), mask).softmax(-1)
    return x + out_proj(join(weights @ v)), weights


@both("over-queries", "no-scale")
def over_queries_and_unscaled(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(layer(x), num_heads) for layer in (q_proj, k_proj, v_proj))
    weights = hidden(q @ k.transpose(-2, -1), mask).softmax(dim=2)
    return out_proj(join(weights @ v)), weights


@both("masked-after-softmax", "query-layer-twice")
def masked_late_with_keys_by_q_proj(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(layer(x), num_heads) for layer in (q_proj, q_proj, v_proj))
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    if mask is not None:
        weights = weights * mask
    return out_proj(join(weights @ v)), weights


@both("weights-averaged", "scaled-by-d")
def averaged_weights_over_d(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(layer(x), num_heads) for layer in (q_proj, k_proj, v_proj))
    weights = hidden(q @ k.transpose(-2, -1) / q.size(-1), mask).softmax(-1)
    return out_proj(join(weights @ v)), weights.mean(dim=1)


@both("keys-as-values", "weak-fill")
def keys_mixed_after_a_weak_fill(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k = cut(q_proj(x), num_heads), cut(k_proj(x), num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -10)
    weights = scores.softmax(-1)
    return out_proj(join(weights @ k)), weights


@both("query-layer-twice", "no-out-proj")
def keys_by_q_proj_and_no_out_proj(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(layer(x), num_heads) for layer in (q_proj, q_proj, v_proj))
    weights = hidden(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), mask).softmax(-1)
    return join(weights @ v), weights
