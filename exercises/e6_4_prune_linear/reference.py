"""The course's own answer to exercise 6.4."""

import torch


def prune_linear(weight, bias, heads, num_heads, dim):
    """Take heads out of a layer: their rows and bias entries (dim 0), or their columns (dim 1).

    Shapes: weight (out, in), bias (out,) or None -> (weight, bias) without these heads
    Source: Michel et al. 2019; notebook 06
    """
    keep = torch.ones(num_heads, dtype=torch.bool, device=weight.device)
    keep[list(heads)] = False
    features = keep.repeat_interleave(weight.size(dim) // num_heads).nonzero().flatten()
    smaller = weight.index_select(dim, features)
    return smaller, bias if bias is None or dim == 1 else bias[features]
