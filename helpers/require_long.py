"""What the parts for long texts refuse, in notebook 11: more functions like those in `require`."""

import torch

from helpers.require import is_floats, kind_of, require_cache, require_floats, shape_of, shapes_of
from helpers.require_today import require_grouped

# ---------------------------------------------------------------- windows


def require_banded(q, k, v):
    """Queries (B, H, T, D), keys (B, G, T, D) and values (B, G, T, Dv) fit together: as many queries as keys."""
    require_grouped(q, k, v)
    if q.size(2) != k.size(2):
        raise ValueError(
            f"q and k must have as many positions, since both begin with the text, got {shapes_of(q, k, v)}; "
            "after a past use rolling_step"
        )


def require_counted_past(past, k):
    """The past is (keys, values, the number of tokens seen), and fits in front of the new keys."""
    if not isinstance(past, (tuple, list)) or len(past) != 3 or not isinstance(past[2], int):
        many = f" of {len(past)}" if isinstance(past, (tuple, list)) else ""
        raise TypeError(
            "past must be what the module returned, (keys, values, the number of tokens seen), "
            f"got {type(past).__name__}{many}"
        )
    require_cache(past[:2], k, None)


# ---------------------------------------------------------------- sinks, caps, gates


def require_scores(scores):
    """The scores are floats (B, H, T, S), with at least one key."""
    require_floats("scores", scores)
    if scores.dim() != 4 or scores.size(-1) == 0:
        raise ValueError(f"scores must be (B, H, T, S) with at least one key, got {shape_of(scores)}")


def require_sinks(sinks, num_heads, device):
    """There is one score for each head, on this device."""
    require_floats("sinks", sinks)
    if sinks.shape != (num_heads,):
        raise ValueError(f"sinks must be ({num_heads},), one score for each head, got {shape_of(sinks)}")
    if sinks.device != device:
        raise ValueError(f"sinks are on {sinks.device}, the scores are on {device}; move them with .to(device)")


def require_cap(cap):
    """The cap is a number above 0."""
    if not isinstance(cap, (int, float)) or isinstance(cap, bool):
        raise TypeError(f"cap must be a number, got {kind_of(cap)}")
    if not cap > 0:
        raise ValueError(f"cap must be above 0, since scores end between -cap and cap, got {cap}")


def require_gate(gate, out):
    """The gate has a number for each feature of the output, or for each of its rows."""
    require_floats("gate", gate)
    if gate.shape not in (out.shape, (*out.shape[:-1], 1)):
        raise ValueError(
            f"gate must be {shape_of(out)} like the output, or have one number for each query and head, "
            f"{(*out.shape[:-1], 1)}, got {shape_of(gate)}"
        )


# ---------------------------------------------------------------- pages


def require_pages(pages, table, length):
    """The pages (N, P, ...) hold `length` tokens in the order of the table, whose entries are pages."""
    if not isinstance(pages, torch.Tensor) or pages.dim() != 4:
        raise ValueError(f"pages must be (N, P, G, D): N pages of P tokens, got {shape_of(pages)}")
    entries = table.tolist() if isinstance(table, torch.Tensor) else table
    if not isinstance(entries, (list, tuple)) or not all(type(entry) is int for entry in entries):
        raise TypeError(f"table must be a list or a tensor (M,) of whole numbers, the numbers of pages, got {table!r}")
    (N, P), room = pages.shape[:2], len(entries) * pages.size(1)
    if not isinstance(length, int) or isinstance(length, bool):
        raise TypeError(f"length must be a whole number of tokens, got {length!r}")
    if not 0 <= length <= room:
        raise ValueError(
            f"length must be between 0 and {room}, what {len(entries)} pages of {P} tokens hold, got {length}"
        )
    wrong = [page for page in entries if not 0 <= page < N]
    if wrong:
        raise ValueError(f"a table must hold numbers of pages from 0 to {N - 1}, got {wrong[0]}")


def require_tokens(k, v, pages):
    """The keys and values of new tokens are (G, T, D) each, as wide as the pages (N, P, G, D) are."""
    _, _, G, D = pages.shape
    for name, x in (("k", k), ("v", v)):
        if not is_floats(x) or x.dtype != pages.dtype or x.device != pages.device:
            raise TypeError(
                f"{name} must be a tensor of {pages.dtype} on {pages.device} like the pages, got {_place(x)}"
            )
    if k.shape != (G, *k.shape[1:2], D) or v.shape != k.shape:
        raise ValueError(f"k and v must be ({G}, T, {D}) like the pages, got {shape_of(k)} and {shape_of(v)}")


def _place(x):
    return f"{x.dtype} on {x.device}" if isinstance(x, torch.Tensor) else type(x).__name__


def require_free_pages(needed, free):
    """There are as many free pages as are needed."""
    if needed > free:
        raise RuntimeError(
            f"the number of free pages must be at least {needed} for this, got {free}; "
            "free a text, or make a cache with more pages"
        )


def require_text(text, tables):
    """The text is one that was started and not freed."""
    if text not in tables:
        raise KeyError(f"text must be a number that start or fork returned and that is not freed, got {text!r}")
