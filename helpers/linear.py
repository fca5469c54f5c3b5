"""Linear attention: without the softmax, all that came before fits into one matrix, however long the text.

The features of q and k are made positive; then a weight is their dot product, and the sum over the keys can be taken
before the query comes. The parallel, recurrent and chunked forms are three orders of the same sums.
"""

import torch
import torch.nn.functional as F

from helpers.masks import causal_mask
from helpers.require import require_sizes
from helpers.require_tiles import require_linear, require_state


def positive(x):
    """The features of a query or key: elu(x) + 1, which is above 0 everywhere.

    Shapes: any
    Source: Katharopoulos et al. 2020, section 3.2.1; notebook 12
    """
    return F.relu(x) + x.clamp(max=0).exp()  # F.elu(x) + 1 would round to 0 from -17 on


def linear_parallel(q, k, v):
    """Causal linear attention from a table of weights, all positions at once.

    Shapes: q and k (..., T, D), v (..., T, Dv) -> (..., T, Dv)
    Units:  the weights of a query are positive and sum to 1; scores are not scaled
    Errors: TypeError or ValueError if q, k and v do not fit
    Source: Katharopoulos et al. 2020, "Transformers are RNNs"; notebook 12
    """
    return _piece(q, k, v, *_nothing(q, k, v, None))[0]


def linear_recurrent(q, k, v, past=None):
    """The same, one position after the other: what is kept does not grow.

    Shapes: q and k (..., T, D), v (..., T, Dv) -> out (..., T, Dv), past (state (..., D, Dv), total (..., D))
            past: what an earlier call returned; it may be continued more than once
    Errors: TypeError or ValueError if q, k, v or past do not fit
    Source: Katharopoulos et al. 2020, section 3.4; notebook 12
    """
    state, total = _nothing(q, k, v, past)
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
    require_sizes(chunk=chunk)
    state, total = _nothing(q, k, v, past)
    outs = []
    for piece in zip(*(x.split(chunk, dim=-2) for x in (q, k, v)), strict=True):
        out, state, total = _piece(*piece, state, total)
        outs.append(out)
    return torch.cat(outs, dim=-2), (state, total)


def _nothing(q, k, v, past):
    """The state and total to begin with."""
    require_linear(q, k, v)
    state, total = (*k.shape[:-2], k.size(-1), v.size(-1)), (*k.shape[:-2], k.size(-1))
    if past is None:
        return k.new_zeros(state), k.new_zeros(total)
    require_state(past, state, total)
    return past


def _piece(q, k, v, state, total):
    """Some positions at once, after all that is in the state."""
    q, k = positive(q), positive(k)
    weights = (q @ k.transpose(-2, -1)).masked_fill(~causal_mask(q.size(-2), q.device), 0.0)  # (..., T, T)
    sums = weights.sum(dim=-1) + (q @ total[..., None])[..., 0]  # (..., T)
    out = (weights @ v + q @ state) / sums[..., None]
    return out, state + k.transpose(-2, -1) @ v, total + k.sum(dim=-2)
