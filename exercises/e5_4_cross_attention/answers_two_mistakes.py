"""Answers to exercise 5.4 with two mistakes at once: naming either is true, naming a third is not."""

import math

from exercises.common.heads.answers_parts import cut, join
from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("scaled-by-d-model", "no-out-proj")
def root_of_c_and_no_out_proj(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(x.size(-1))).softmax(-1)
    return join(weights @ v), weights


@both("no-scale", "merge-not-transposed")
def unscaled_and_merged_by_view(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1)).softmax(-1)
    return out_proj((weights @ v).view(x.shape)), weights


@both("queries-from-context", "no-out-proj")
def context_reads_itself_without_out_proj(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = (cut(layer(context), num_heads) for layer in (q_proj, k_proj, v_proj))
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return join(weights @ v), weights


@both("over-queries", "residual")
def over_queries_with_a_residual(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-2)
    return x + out_proj(join(weights @ v)), weights


@both("keys-as-values", "scaled-by-d")
def keys_mixed_over_d(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / q.size(-1)).softmax(-1)
    return out_proj(join(weights @ k)), weights
