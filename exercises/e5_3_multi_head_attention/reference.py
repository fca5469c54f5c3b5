"""The course's answer to exercise 5.3."""

import math

from helpers.heads import merge_heads, split_heads


def multi_head_attention(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q = split_heads(q_proj(x), num_heads)  # (B, H, T, D)
    k = split_heads(k_proj(x), num_heads)
    v = split_heads(v_proj(x), num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, T)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    return out_proj(merge_heads(weights @ v)), weights
