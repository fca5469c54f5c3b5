"""Masks as functions of indices, as in FlexAttention, which uses them to find out which tiles it can skip.

A mask function takes (b, h, q_idx, kv_idx), tensors of indices, and returns True where a query may attend to a key. It
does not depend on the number of positions, so that it can be evaluated for a single tile, or a single pair.
"""

import operator
from functools import reduce

import torch

from helpers import require


def causal(b, h, q_idx, kv_idx):
    """Let a query see its own position and earlier ones.

    Source: Dong et al. 2024, "Flex Attention"; notebook 12
    """
    return kv_idx <= q_idx


def window(size):
    """Hide keys `size` or more positions before the query; with `causal`, the `size` latest positions are left.

    Shapes: -> a mask function
    Errors: TypeError if size is not a whole number; ValueError if it is below 1
    Source: Dong et al. 2024; notebook 12
    """
    require.sizes(size=size)
    return lambda b, h, q_idx, kv_idx: q_idx - kv_idx < size


def same_document(documents):
    """Let a query see only the keys of its own document, where several texts are packed into one row.

    Shapes: documents (S,), equal where the document is the same -> a mask function
    Errors: TypeError if documents is not a tensor; ValueError if it is not (S,)
    Source: Dong et al. 2024; notebook 12
    """
    require.shape(documents, "S", "documents", "a number for each position", floating=False)
    return lambda b, h, q_idx, kv_idx: documents[q_idx] == documents[kv_idx]


def both(*mask_mods):
    """Let a query see what all of these mask functions allow.

    Shapes: -> a mask function
    Errors: ValueError if there are none; TypeError if one cannot be called
    Source: `and_masks` of PyTorch; notebook 12
    """
    require.that(mask_mods, "there must be at least one mask function to combine", "none")
    for mask_mod in mask_mods:
        _require_callable(mask_mod)
    # FlexAttention counts the arguments, so they are named.
    return lambda b, h, q_idx, kv_idx: reduce(operator.and_, (mask_mod(b, h, q_idx, kv_idx) for mask_mod in mask_mods))


def _require_callable(mask_mod):
    """Require a mask function to be callable."""
    rule = "a mask function must take (b, h, q_idx, kv_idx) and give True where a query may attend"
    fix = "a table of bools becomes one by lambda b, h, q, kv: table[q, kv]"
    require.that(callable(mask_mod), rule, require.kind_of(mask_mod), fix, TypeError)


def _require_answers(found, shape):
    """Require a mask function's result to be bool, and to broadcast to one value for each query and key."""
    is_bool = isinstance(found, torch.Tensor) and found.dtype == torch.bool
    rule = "a mask function must give a tensor of bools, True = may attend"
    fix = "compare tensors, and combine with & and |"
    require.that(is_bool, rule, require.kind_of(found), fix, TypeError)
    rule = f"a mask function must give one bool for each query and key, {tuple(shape)}"
    require.that(require.stretches(found, shape), rule, tuple(found.shape))


def mask_table(mask_mod, T, S, B=1, H=1, device=None):
    """Evaluate a mask function as a table.

    Shapes: -> (B, H, T, S), bool
    Errors: TypeError or ValueError if a size is below 1, or the function returns anything but bools that fit
    Source: `create_mask` of PyTorch; notebook 12
    """
    _require_callable(mask_mod)
    require.sizes(T=T, S=S, B=B, H=H)
    b, h, q_idx, kv_idx = torch.meshgrid(*(torch.arange(n, device=device) for n in (B, H, T, S)), indexing="ij")
    found = mask_mod(b, h, q_idx, kv_idx)
    _require_answers(found, b.shape)
    return found.expand(b.shape)


def tile_kinds(mask_mod, T, S, tile, device=None):
    """How each tile is handled: 0 = it is skipped, 1 = its mask is needed, 2 = all of it is visible.

    Shapes: -> (T / tile, S / tile), rounded up, whole numbers
    Errors: as `mask_table`
    Source: `create_block_mask` of PyTorch; notebook 12
    """
    require.sizes(tile=tile)
    table = mask_table(mask_mod, T, S, device=device)[0, 0]  # (T, S)
    return torch.stack(
        [
            torch.stack([part.any().long() + part.all() for part in rows.split(tile, dim=1)])
            for rows in table.split(tile, dim=0)
        ]
    )
