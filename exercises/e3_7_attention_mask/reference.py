"""The course's own answer to exercise 3.7."""

import torch


def attention_mask(ids, pad_id, causal):
    """Let every query see the real tokens, of which a causal mask keeps the present and the past.

    Shapes: ids (B, T), whole numbers -> (B, T, T), bool
    """
    length = ids.size(1)
    mask = torch.ones(length, length, dtype=torch.bool, device=ids.device)
    if causal:
        mask = mask.tril()
    return mask & (ids != pad_id)[:, None, :]  # (T, T) & (B, 1, T) -> (B, T, T)
