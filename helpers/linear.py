"""Attention without a softmax: one matrix sums up all earlier positions, however long the text.

The features of q and k are made positive, and their dot product is a weight; the sum over the keys can then be computed
before the query is known. The delta rule first looks up what the matrix holds for a key and writes only the difference,
so that a repeated key replaces its old value: all of it if the key has length 1 and beta is 1, a part if beta is
smaller. With a gate, the matrix also fades before each step. The parallel, recurrent and chunked forms of linear
attention compute the same sums in different orders, and so do the first two forms of the delta rule.
"""

import torch
import torch.nn.functional as F

from helpers import require
from helpers.masks import causal_mask

# ---------------------------------------------------------------- linear attention


def positive(x):
    """The features of a query or key: elu(x) + 1, which is above 0 everywhere.

    Shapes: any
    Source: Katharopoulos et al. 2020, section 3.2.1; notebook 12
    """
    return F.relu(x) + x.clamp(max=0).exp()  # F.elu(x) + 1 would round to 0 below -17


def linear_parallel(q, k, v):
    """Causal linear attention from a table of weights, all positions at once.

    Shapes: q and k (..., T, D), v (..., T, Dv) -> (..., T, Dv)
    Units:  the weights of a query are positive and sum to 1; scores are not scaled
    Errors: TypeError or ValueError if q, k and v do not fit
    Source: Katharopoulos et al. 2020, "Transformers are RNNs"; notebook 12
    """
    return _linear_piece(q, k, v, *_first_sums(q, k, v, None))[0]


def linear_recurrent(q, k, v, past=None):
    """The same, one position at a time, with a state that does not grow.

    Shapes: q and k (..., T, D), v (..., T, Dv) -> out (..., T, Dv), past (state (..., D, Dv), total (..., D))
            past: what an earlier call returned; it may be continued more than once
    Errors: TypeError or ValueError if q, k, v or past do not fit
    Source: Katharopoulos et al. 2020, section 3.4; notebook 12
    """
    state, total = _first_sums(q, k, v, past)
    outs = []
    for a, b, value in zip(*(x.unbind(-2) for x in (positive(q), positive(k), v)), strict=True):
        state = state + b[..., :, None] * value[..., None, :]  # (..., D, Dv)
        total = total + b  # (..., D)
        outs.append((a[..., None, :] @ state)[..., 0, :] / (a * total).sum(dim=-1, keepdim=True))
    return torch.stack(outs, dim=-2), (state, total)


def linear_chunked(q, k, v, chunk, past=None):
    """The same, `chunk` positions at a time: parallel within a chunk, recurrent from one to the next.

    Shapes: as `linear_recurrent`
    Errors: as `linear_recurrent`, and ValueError if chunk is below 1
    Source: Hua et al. 2022; Sun et al. 2023; notebook 12
    """
    require.sizes(chunk=chunk)
    state, total = _first_sums(q, k, v, past)
    outs = []
    for piece in zip(*(x.split(chunk, dim=-2) for x in (q, k, v)), strict=True):
        out, state, total = _linear_piece(*piece, state, total)
        outs.append(out)
    return torch.cat(outs, dim=-2), (state, total)


def _first_sums(q, k, v, past):
    """The state and the total before the first position."""
    found = require.shapes("q ... T D, k ... T D, v ... T Dv", q, k, v, one_dtype=True)
    if past is None:
        return k.new_zeros(*k.shape[:-2], found["D"], found["Dv"]), k.new_zeros(*k.shape[:-2], found["D"])
    require.past_of("state ... D Dv, total ... D", past, **found)
    require.shapes("k ... T D, state ... D Dv", k, past[0])
    return past


def _linear_piece(q, k, v, state, total):
    """Linear attention for some positions at once, after those that are in the state."""
    q, k = positive(q), positive(k)
    weights = (q @ k.transpose(-2, -1)).masked_fill(~causal_mask(q.size(-2), q.device), 0.0)  # (..., T, T)
    sums = weights.sum(dim=-1) + (q @ total[..., None])[..., 0]  # (..., T)
    out = (weights @ v + q @ state) / sums[..., None]
    return out, state + k.transpose(-2, -1) @ v, total + k.sum(dim=-2)


# ---------------------------------------------------------------- the delta rule


def delta_recurrent(q, k, v, beta, past=None, alpha=None):
    """The delta rule, one position at a time: add beta * k (v - what the state holds for k), gated if alpha is given.

    Shapes: q and k (..., T, D), v (..., T, Dv), beta and alpha (..., T) -> out (..., T, Dv), past (..., D, Dv)
            past: what an earlier call returned; it may be continued more than once
    Units:  keys should have length 1, and beta should be from 0 to 1; longer keys let the state grow without limit
            alpha: the share of the state that is left before a position writes, above 0 and at most 1; None means 1
    Errors: TypeError or ValueError if the tensors do not fit
    Source: Schlag et al. 2021, "Linear Transformers Are Secretly Fast Weight Programmers"; Yang et al. 2024, "Gated
            Delta Networks"; notebook 12
    """
    found, alpha = _require_delta(q, k, v, beta, alpha)
    if past is None:
        past = k.new_zeros(*k.shape[:-2], found["D"], found["Dv"])
    require.shapes("k ... T D, past ... D Dv", k, past, Dv=found["Dv"])
    state = past
    outs = []
    tensors = (*(x.unbind(-2) for x in (q, k, v)), beta.unbind(-1), alpha.unbind(-1))
    for query, key, value, step, left in zip(*tensors, strict=True):
        state = left[..., None, None] * state
        held = (key[..., None, :] @ state)[..., 0, :]  # (..., Dv)
        state = state + key[..., :, None] * (step[..., None] * (value - held))[..., None, :]  # (..., D, Dv)
        outs.append((query[..., None, :] @ state)[..., 0, :])
    return torch.stack(outs, dim=-2), state


def delta_parallel(q, k, v, beta, alpha=None):
    """The delta rule, all positions at once: what each position writes solves a triangular system.

    Shapes: as `delta_recurrent` -> (..., T, Dv)
    Units:  as `delta_recurrent`
    Errors: as `delta_recurrent`
    Source: Yang et al. 2024, "Parallelizing Linear Transformers with the Delta Rule", section 3; notebook 12
    """
    _, alpha = _require_delta(q, k, v, beta, alpha)
    # Position t writes u[t] = beta[t] (v[t] - the sum over earlier s of left[t, s] (k[t] . k[s]) u[s]), where left is
    # the product of alpha after s up to t. So (1 + L) u = beta v, where L holds the factors of u[s] below its diagonal.
    faded = alpha.log().cumsum(dim=-1)  # (..., T)
    left = (faded[..., :, None] - faded[..., None, :]).tril().exp()  # (..., T, T)
    alike = beta[..., None] * (k @ k.transpose(-2, -1)) * left  # the solver reads only below the diagonal
    written = torch.linalg.solve_triangular(alike, beta[..., None] * v, upper=False, unitriangular=True)  # (..., T, Dv)
    return (q @ k.transpose(-2, -1) * left).tril() @ written


def _require_delta(q, k, v, beta, alpha):
    """Require queries, keys, values and steps to fit together; return the sizes, and alpha as a tensor."""
    require.shapes("k ... T D, beta ... T", k, beta)
    alpha = torch.ones_like(beta) if alpha is None else alpha
    require.shapes("k ... T D, alpha ... T", k, alpha)
    return require.shapes("q ... T D, k ... T D, v ... T Dv", q, k, v, one_dtype=True), alpha
