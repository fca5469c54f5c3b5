"""Reference implementations for the tests."""

import warnings

import pytest
import torch
import torch.nn.functional as F


def sdpa(q, k, v, mask):
    """PyTorch's own attention; fully masked rows give 0, as in PyTorch since 2.5, where it gave NaN before."""
    if not torch.__version__.startswith("2.4."):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    some = mask.any(dim=-1, keepdim=True)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask | ~some) * some


def flex(q, k, v, mask_mod, score_mod=None, return_lse=False):
    """FlexAttention, run eagerly: with return_lse the output and the logarithm of the sum of exp(scores)."""
    attention = pytest.importorskip("torch.nn.attention.flex_attention", reason="PyTorch has it since 2.5")
    blocks = attention.create_block_mask(mask_mod, None, None, q.size(-2), k.size(-2), device=q.device)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "(?s)flex_attention called without torch.compile|return_lse is deprecated")
        return attention.flex_attention(q, k, v, score_mod, blocks, return_lse=return_lse)
