"""What attention in parts, in tiles and without a softmax refuses: more functions like those in `require`."""

import torch

from helpers.require import (
    is_floats,
    kind_of,
    require_floats,
    require_qkv,
    require_sizes,
    shape_of,
    shapes_of,
    stretches,
)

# ---------------------------------------------------------------- parts and tiles


def require_scores(scores):
    """Scores are floats (..., S), with at least one key."""
    require_floats("scores", scores)
    if scores.dim() == 0 or scores.size(-1) == 0:
        raise ValueError(f"scores must be (..., S) with at least one key, got {shape_of(scores)}")


def require_parts(out_a, lse_a, out_b, lse_b):
    """Two results (..., T, D) of one shape, and for each of their rows the logarithm of a sum, (..., T)."""
    named = {"out_a": out_a, "lse_a": lse_a, "out_b": out_b, "lse_b": lse_b}
    for name, x in named.items():
        require_floats(name, x)
    if out_a.dim() < 2 or out_a.shape != out_b.shape or not lse_a.shape == lse_b.shape == out_a.shape[:-1]:
        raise ValueError(
            "out_a and out_b must be of one shape (..., T, D), lse_a and lse_b of the shape (..., T), "
            f"got {', '.join(f'{name} {shape_of(x)}' for name, x in named.items())}"
        )


def require_tiled(q, k, v, tile, causal):
    """q, k and v fit without broadcasting, a tile has at least one position, and causal attention has T = S."""
    require_qkv(q, k, v)
    require_sizes(tile=tile)
    if not q.shape[:-2] == k.shape[:-2] == v.shape[:-2]:
        raise ValueError(
            f"q, k and v must have the same axes before the last two, got {shapes_of(q, k, v)}; expand them first"
        )
    if causal and q.size(-2) != k.size(-2):
        raise ValueError(
            f"causal=True needs as many queries as keys, got T = {q.size(-2)} and S = {k.size(-2)}; "
            "which key is 'now' for a query would be a guess"
        )


def require_saved(q, v, out, lse, d_out):
    """What the forward pass returned fits q (..., T, D) and v (..., S, Dv), and so does the gradient of out."""
    named = {"out": out, "lse": lse, "d_out": d_out}
    for name, x in named.items():
        require_floats(name, x)
    shape = (*q.shape[:-1], v.size(-1))
    if not out.shape == d_out.shape == shape or lse.shape != shape[:-1]:
        raise ValueError(
            f"out and d_out must be {shape} and lse {shape[:-1]}, as the forward pass returned them, "
            f"got {', '.join(f'{name} {shape_of(x)}' for name, x in named.items())}"
        )


# ---------------------------------------------------------------- without a softmax


def require_linear(q, k, v):
    """There are as many queries as keys, of one shape, and values that fit."""
    require_qkv(q, k, v)
    if q.shape != k.shape or q.shape[:-1] != v.shape[:-1]:
        raise ValueError(
            f"q and k must be (..., T, D) and v (..., T, Dv), with a query for each key, got {shapes_of(q, k, v)}"
        )


def require_state(past, *shapes):
    """The past holds tensors of floats of these shapes."""
    tensors = past if isinstance(past, tuple) else (past,)
    if [tuple(x.shape) for x in tensors if is_floats(x)] != [tuple(shape) for shape in shapes]:
        got = ", ".join(str(shape_of(x)) for x in tensors)
        raise ValueError(
            f"past must be what an earlier call returned, of shape {' and '.join(str(tuple(s)) for s in shapes)}, "
            f"got {got}"
        )


def require_beta(beta, k):
    """There is a step size for each key."""
    require_floats("beta", beta)
    if beta.shape != k.shape[:-1]:
        raise ValueError(
            f"beta must be {tuple(k.shape[:-1])}, a step size for each key, got {shape_of(beta)}; "
            "one for all is torch.full(k.shape[:-1], beta)"
        )


# ---------------------------------------------------------------- masks as functions


def require_mask_mods(mask_mods):
    """There is at least one mask function, and each can be called."""
    if not mask_mods:
        raise ValueError("there must be at least one mask function to combine, got none")
    for mask_mod in mask_mods:
        if not callable(mask_mod):
            raise TypeError(
                f"a mask function must take (b, h, q_idx, kv_idx) and give True where a query may attend, "
                f"got {kind_of(mask_mod)}; a table of bools becomes one by lambda b, h, q, kv: table[q, kv]"
            )


def require_answers(found, shape):
    """What a mask function gave is bool, and broadcasts to one answer for each query and key."""
    if not isinstance(found, torch.Tensor) or found.dtype != torch.bool:
        raise TypeError(
            f"a mask function must give a tensor of bools, True = may attend, got {kind_of(found)}; "
            "compare its indices as tensors, and combine with & and |"
        )
    if not stretches(found, shape):
        raise ValueError(
            f"a mask function must give one bool for each query and key, {tuple(shape)}, got {shape_of(found)}"
        )


def require_documents(documents):
    """documents is (S,), the number of the document at each position."""
    if not isinstance(documents, torch.Tensor) or documents.dim() != 1:
        raise ValueError(f"documents must be a tensor (S,), a number for each position, got {shape_of(documents)}")
