"""Masks: which query may attend to which key, and the ways from a mask to weights.

One convention, the one of `F.scaled_dot_product_attention`: bool, True = may attend, of any shape
that broadcasts to the scores (..., T, S). Two masks are combined with ``&``.
"""

import torch


def require_mask(mask, scores):
    """Raise unless `mask` is bool, is on the device of `scores` and broadcasts to their shape.

    Shapes: mask broadcastable to scores (..., T, S)
    Errors: TypeError if mask is not bool or scores are not floats; ValueError if device or shape does not fit
    Source: notebook 03
    """
    if not isinstance(mask, torch.Tensor) or mask.dtype != torch.bool:
        got = mask.dtype if isinstance(mask, torch.Tensor) else type(mask).__name__
        raise TypeError(
            f"mask must be bool (True = may attend), got {got}; "
            "a 0/1 mask becomes one by mask == 1, an additive mask of 0 and -inf by mask == 0"
        )
    if not scores.is_floating_point():
        raise TypeError(f"scores and weights must be floats, got {scores.dtype}; convert them with .float()")
    if mask.device != scores.device:
        raise ValueError(
            f"mask is on {mask.device}, the scores are on {scores.device}; move it with mask.to(scores.device)"
        )
    if not _stretches(mask, scores.shape):
        raise ValueError(
            f"mask {tuple(mask.shape)} does not broadcast to scores {tuple(scores.shape)}; "
            "its last two axes are (queries, keys), and every axis must be equal or 1"
            + (
                "; with heads, a mask for each item needs mask.unsqueeze(1)"
                if mask.dim() == 3 and scores.dim() == 4
                else ""
            )
        )


def _stretches(mask, shape):
    """Whether broadcasting stretches the mask to exactly this shape."""
    try:
        return mask.expand(shape).shape == shape
    except RuntimeError:
        return False


def causal_mask(length, device=None):
    """Let every position see itself and what came before.

    Shapes: -> (length, length), bool
    Errors: TypeError if length is not a whole number; ValueError if it is below 1
    Source: Vaswani et al. 2017, section 3.2.3; notebook 03
    """
    if not isinstance(length, int) or isinstance(length, bool):
        raise TypeError(f"length must be a whole number, got {length!r}; for x of shape (B, T, C) it is x.size(1)")
    if length < 1:
        raise ValueError(f"length must be at least 1, got {length}; an empty sequence has nothing to mask")
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()


def padding_mask(lengths, max_length):
    """Let every query see the real tokens, and no padding.

    Shapes: lengths (B,), whole numbers -> (B, 1, max_length), bool
            with heads, (B, H, T, S): add an axis, padding_mask(...).unsqueeze(1)
    Errors: TypeError if lengths are not whole numbers; ValueError if not 0 <= lengths <= max_length
    Source: notebook 03
    """
    lengths = lengths if isinstance(lengths, torch.Tensor) else torch.tensor(lengths)
    if lengths.is_floating_point() or lengths.dtype == torch.bool:
        raise TypeError(f"lengths must be whole numbers, one for each item, got {lengths.dtype}")
    if lengths.dim() != 1:
        raise ValueError(f"lengths must have shape (B,), got {tuple(lengths.shape)}")
    wrong = [n for n in lengths.tolist() if not 0 <= n <= max_length]
    if wrong:
        raise ValueError(
            f"lengths must lie between 0 and max_length = {max_length}, got {wrong[0]}; "
            "a length counts real tokens, and max_length is at least the largest of them"
        )
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
    require_mask(mask, weights)
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
    require_mask(mask, scores)
    return scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)


def masked_softmax(scores, mask=None):
    """Softmax over the keys that may be seen; a row that sees none gives zeros.

    Shapes: scores (..., T, S), mask broadcastable to it -> weights (..., T, S)
    Units:  scores are dimensionless logits; weights sum to 1 over S, or to 0 where all is hidden
    Errors: TypeError if mask is not bool; ValueError if it does not fit
    Source: notebook 03; fully masked rows as in F.scaled_dot_product_attention
    """
    if mask is None:
        return scores.softmax(dim=-1)
    require_mask(mask, scores)
    # The lowest finite number, not -inf: a fully masked row stays finite, and so do its gradients.
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, lowest).softmax(dim=-1).masked_fill(~mask, 0.0)
