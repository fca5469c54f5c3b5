"""Reference implementations for the tests."""

import torch
import torch.nn.functional as F


def sdpa(q, k, v, mask):
    """PyTorch's own attention; fully masked rows give 0, as in PyTorch since 2.5, where it gave NaN before."""
    if not torch.__version__.startswith("2.4."):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    some = mask.any(dim=-1, keepdim=True)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask | ~some) * some
