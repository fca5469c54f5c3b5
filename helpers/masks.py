"""Masks, which define which query may attend to which key, and functions that apply them.

The convention is that of `F.scaled_dot_product_attention`: a mask is bool, True = may attend, and its shape
broadcasts to the scores (..., T, S). Combine two masks with ``&``.
"""

import torch

from helpers import require


def causal_mask(length, device=None, past=0):
    """Let every position see itself and all earlier positions, including `past` earlier positions in a cache.

    Shapes: -> (length, past + length), bool
    Errors: TypeError if length or past is not a whole number; ValueError if length is below 1, or past below 0
    Source: Vaswani et al. 2017, section 3.2.3; notebook 03
    """
    require.sizes(hint="for x of shape (B, T, C) it is x.size(1)", length=length)
    require.sizes(least=0, hint="of cached keys it is k.size(-2)", past=past)
    return torch.ones(length, past + length, dtype=torch.bool, device=device).tril(past)


def padding_mask(lengths, max_length):
    """Let every query see the real tokens, and no padding.

    Shapes: lengths (B,), whole numbers -> (B, 1, max_length), bool
            with heads, (B, H, T, S): add an axis, padding_mask(...).unsqueeze(1)
    Errors: TypeError if lengths are not whole numbers; ValueError if not 0 <= lengths <= max_length
    Source: notebook 03
    """
    lengths = lengths if isinstance(lengths, torch.Tensor) else torch.tensor(lengths)
    require.lengths(lengths, max_length)
    positions = torch.arange(max_length, device=lengths.device)
    return positions < lengths[:, None, None]  # (S,) < (B, 1, 1) -> (B, 1, S)


def mask_by_renormalizing(weights, mask):
    """Hide keys after the softmax: zero their weights, then make each row sum to 1 again.

    Shapes: weights (..., T, S), mask broadcastable to it -> (..., T, S)
    Units:  weights sum to 1 over S, before and after
    Errors: TypeError if mask is not bool; ValueError if it does not fit. A row whose visible
            weights are all 0 becomes NaN: that is the weakness of this method
    Source: notebook 03
    """
    require.mask(mask, weights)
    visible = weights * mask
    return visible / visible.sum(dim=-1, keepdim=True)


def mask_by_filling(scores, mask):
    """Hide keys before the softmax: a score of -inf becomes a weight of exactly 0.

    Shapes: scores (..., T, S), mask broadcastable to it -> weights (..., T, S)
    Units:  scores are dimensionless logits; weights sum to 1 over S
    Errors: TypeError if mask is not bool; ValueError if it does not fit. A fully masked row
            becomes NaN: `masked_softmax` gives zeros instead
    Source: notebook 03
    """
    require.mask(mask, scores)
    return scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)


def masked_softmax(scores, mask=None):
    """Softmax over the keys that may be seen; a row that sees none gives zeros.

    Shapes: scores (..., T, S), mask broadcastable to it -> weights (..., T, S)
    Units:  scores are dimensionless logits; weights sum to 1 over S, or to 0 where all is hidden
    Errors: TypeError if scores are not floats or mask is not bool; ValueError if the mask does not fit
    Source: notebook 03; fully masked rows as in F.scaled_dot_product_attention
    """
    if mask is None:
        require.floating_scores(scores)
        return scores.softmax(dim=-1)
    require.mask(mask, scores)
    # The lowest finite number, not -inf: a fully masked row stays finite, and so do its gradients.
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, lowest).softmax(dim=-1).masked_fill(~mask, 0.0)
