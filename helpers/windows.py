"""Windows: each query attends to only the latest positions, which saves computation and memory.

Three methods give the same numbers: a mask, a band, and a rolling cache.
"""

import torch
import torch.nn.functional as F

from helpers import require
from helpers.grouped import grouped_attention
from helpers.relative_positions import distances


def window_mask(T, S, window, device=None):
    """Let each query see the `window` latest positions, its own included.

    Shapes: -> (T, S), bool; the queries are the last T of S positions
    Errors: TypeError or ValueError if a size is not a whole number of at least 1, or T > S
    Source: Beltagy et al. 2020, "Longformer"; Jiang et al. 2023, "Mistral 7B"; notebook 11
    """
    require.sizes(window=window)
    distance = distances(T, S, device)
    return (distance >= 0) & (distance < window)


def banded_attention(q, k, v, window):
    """Causal attention within a window, computed in blocks: a block's queries read its keys and the previous block's.

    It never makes a table of T x T scores, only one of T x 2 * window.

    Shapes: q (B, H, T, D), k (B, G, T, D), v (B, G, T, Dv) -> (B, H, T, Dv)
    Errors: TypeError or ValueError if q, k and v do not fit, or window is not a whole number of at least 1
    Source: Beltagy et al. 2020, section 3.1; notebook 11
    """
    found = require.grouped(q, k, v)
    as_many, got = found["T"] == found["S"], f"{found['T']} and {found['S']}; after a past use rolling_step"
    require.that(as_many, "q and k must have as many positions, since both begin with the text", got)
    require.sizes(window=window)
    (B, _, T, _), W = q.shape, min(window, q.size(2))
    N = -(-T // W)  # blocks; the last is padded with zeros, which only padded queries see
    q, k, v = (F.pad(x, (0, 0, 0, N * W - T)).unflatten(2, (N, W)) for x in (q, k, v))  # (B, ..., N, W, D)
    k, v = (torch.cat([F.pad(x, (0, 0, 0, 0, 1, 0))[:, :, :-1], x], dim=3) for x in (k, v))  # (B, G, N, 2W, D)
    mask = window_mask(W, 2 * W, W, q.device).repeat(N, 1, 1)  # (N, W, 2W)
    mask[0, :, :W] = False  # nothing comes before the first block
    q, k, v = (x.transpose(1, 2).flatten(0, 1) for x in (q, k, v))  # (B * N, ..., positions, D)
    out, _ = grouped_attention(q, k, v, mask.repeat(B, 1, 1)[:, None])  # (B * N, H, W, Dv)
    return out.unflatten(0, (B, N)).transpose(1, 2).flatten(2, 3)[:, :, :T]  # (B, H, N, W, Dv) -> (B, H, T, Dv)


def rolling_step(q, k, v, past, window):
    """Causal attention within a window that continues after a past, and keeps only what later queries can see.

    It attends before it trims: the first of several new tokens may still see keys that the last one does not.

    Shapes: q (B, H, T, D), k and v (B, G, T, D); past (keys, values), (B, G, P, D) each, or None
            -> out (B, H, T, D), (keys, values) of the window - 1 latest positions, or of all if there are fewer
    Errors: TypeError or ValueError if q, k, v or past do not fit, or window is not a whole number of at least 1
    Source: Jiang et al. 2023, "Mistral 7B", section 2; notebook 11
    """
    require.grouped(q, k, v)
    if past is not None:
        require.keys_and_values(past, k)
        k, v = (torch.cat(pair, dim=-2) for pair in zip(past, (k, v), strict=True))  # (B, G, P + T, D) each
    out, _ = grouped_attention(q, k, v, window_mask(q.size(-2), k.size(-2), window, q.device))
    return out, latest((k, v), window - 1)


def latest(past, count):
    """Copy the last `count` positions of keys and values; a view would keep all of them in memory.

    Shapes: tensors (B, G, S, D) -> (B, G, min(S, count), D) each
    Source: notebook 11
    """
    return tuple(x[..., max(x.size(-2) - count, 0) :, :].clone() for x in past)
