"""The course's answer to exercise 5.4."""

import math

from helpers.heads import merge_heads, split_heads


def cross_attention(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q = split_heads(q_proj(x), num_heads)  # (B, H, T, D)
    k = split_heads(k_proj(context), num_heads)  # (B, H, S, D)
    v = split_heads(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(dim=-1)  # (B, H, T, S)
    return out_proj(merge_heads(weights @ v)), weights
