"""What others compute, as the helpers' tests need it."""

import torch
import torch.nn.functional as F


def sdpa(q, k, v, mask):
    """PyTorch's own attention, and 0 for rows that see nothing, as PyTorch gives it since 2.5; before, it gave NaN."""
    if not torch.__version__.startswith("2.4."):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    some = mask.any(dim=-1, keepdim=True)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask | ~some) * some
