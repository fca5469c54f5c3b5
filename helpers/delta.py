"""The delta rule: a memory of one matrix that first looks up what it holds for a key, and writes only the difference.

Linear attention adds every value to what is there; here a key that comes again replaces its value: all of it if the key
has length 1 and beta is 1, a part if beta is smaller.
"""

import torch

from helpers.require import require_sizes
from helpers.require_tiles import require_beta, require_linear, require_state


def delta_recurrent(q, k, v, beta, past=None):
    """One position after the other: state + beta * k (v - what the state holds for k).

    Shapes: q and k (..., T, D), v (..., T, Dv), beta (..., T) -> out (..., T, Dv), past (..., D, Dv)
            past: what an earlier call returned; it may be continued more than once
    Units:  keys should have length 1, and beta lie between 0 and 1; with longer keys the state may grow without limit
    Errors: TypeError or ValueError if the tensors do not fit
    Source: Schlag et al. 2021, "Linear Transformers Are Secretly Fast Weight Programmers"; notebook 12
    """
    state = _nothing(q, k, v, beta, past)
    outs = []
    for query, key, value, step in zip(q.unbind(-2), k.unbind(-2), v.unbind(-2), beta.unbind(-1), strict=True):
        held = (key[..., None, :] @ state)[..., 0, :]  # (..., Dv)
        state = state + key[..., :, None] * (step[..., None] * (value - held))[..., None, :]  # (..., D, Dv)
        outs.append((query[..., None, :] @ state)[..., 0, :])
    return torch.stack(outs, dim=-2), state


def delta_parallel(q, k, v, beta):
    """All positions at once: what each really wrote solves one triangular system.

    Shapes: as `delta_recurrent` -> (..., T, Dv)
    Errors: as `delta_recurrent`
    Source: Yang et al. 2024, "Parallelizing Linear Transformers with the Delta Rule", section 3; notebook 12
    """
    return _piece(q, k, v, beta, _nothing(q, k, v, beta, None))[0]


def delta_chunked(q, k, v, beta, chunk, past=None):
    """`chunk` positions at a time: parallel within a chunk, recurrent from one to the next.

    Shapes: as `delta_recurrent`
    Errors: as `delta_recurrent`, and ValueError if chunk is below 1
    Source: Yang et al. 2024, section 3.2; notebook 12
    """
    require_sizes(chunk=chunk)
    state = _nothing(q, k, v, beta, past)
    outs = []
    pieces = (*(x.split(chunk, dim=-2) for x in (q, k, v)), beta.split(chunk, dim=-1))
    for piece in zip(*pieces, strict=True):
        out, state = _piece(*piece, state)
        outs.append(out)
    return torch.cat(outs, dim=-2), state


def _nothing(q, k, v, beta, past):
    """The state to begin with."""
    require_linear(q, k, v)
    require_beta(beta, k)
    shape = (*k.shape[:-2], k.size(-1), v.size(-1))
    if past is None:
        return k.new_zeros(shape)
    require_state(past, shape)
    return past


def _piece(q, k, v, beta, state):
    """Some positions at once, after all that is in the state."""
    # Position t writes u[t] = beta[t] (v[t] - k[t] state - the sum over earlier s of (k[t] . k[s]) u[s]):
    # (1 + L) u = beta (v - k state), where L holds beta[t] (k[t] . k[s]) below its diagonal.
    alike = beta[..., None] * (k @ k.transpose(-2, -1))  # (..., T, T); the solver reads what is below the diagonal
    wanted = beta[..., None] * (v - k @ state)  # (..., T, Dv)
    written = torch.linalg.solve_triangular(alike, wanted, upper=False, unitriangular=True)  # (..., T, Dv)
    out = q @ state + (q @ k.transpose(-2, -1)).tril() @ written
    return out, state + k.transpose(-2, -1) @ written
