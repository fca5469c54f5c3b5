"""The course's own answer to exercise 12.3."""

import math


def attention_backward(q, k, v, out, lse, d_out):
    """The gradients of attention, from what the forward pass kept and the gradient of out.

    Shapes: q, out and d_out (B, H, T, D), k and v (B, H, S, D), lse (B, H, T) -> dq (B, H, T, D), dk, dv (B, H, S, D)
    Source: Dao et al. 2022, appendix B.2; notebook 12
    """
    scale = 1 / math.sqrt(q.size(-1))
    weights = (q @ k.transpose(-2, -1) * scale - lse[..., None]).exp()  # (B, H, T, S), computed again
    d_weights = d_out @ v.transpose(-2, -1)  # (B, H, T, S)
    mean = (d_out * out).sum(dim=-1, keepdim=True)  # (B, H, T, 1), the mean of d_weights by the weights
    d_scores = weights * (d_weights - mean) * scale  # (B, H, T, S), of q @ k.T
    return d_scores @ k, d_scores.transpose(-2, -1) @ q, weights.transpose(-2, -1) @ d_out
