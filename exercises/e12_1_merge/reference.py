"""The course's own answer to exercise 12.1."""

import torch


def merge(out_a, lse_a, out_b, lse_b):
    """Attention to two sets of keys, merged into attention to both.

    Shapes: out_a and out_b (..., T, D), lse_a and lse_b (..., T) -> out (..., T, D), lse (..., T)
    Units:  lse is the logarithm of the sum of exp(scores); -inf where nothing was seen
    Source: Dao et al. 2022, section 3.1; notebook 12
    """
    largest = torch.maximum(lse_a, lse_b)
    nothing = largest == -torch.inf  # neither saw a key
    largest = largest.masked_fill(nothing, 0.0)
    a, b = (lse_a - largest).exp(), (lse_b - largest).exp()  # (..., T)
    total = (a + b).masked_fill(nothing, 1.0)
    out = (a / total)[..., None] * out_a + (b / total)[..., None] * out_b
    return out, (largest + total.log()).masked_fill(nothing, -torch.inf)
