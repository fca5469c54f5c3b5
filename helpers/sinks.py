"""Ways for a head to read less than a whole value: a sink, which takes a share of each row, and a gate on the output.

A sink is a score that competes with those of the keys, and whose weight is dropped. It is the same as one more key with
a value of 0, and as a gate: what the keys keep of a row is sigmoid(lse - sink), where lse is the log of the sum of the
exponentials of their scores.
"""

import torch
import torch.nn.functional as F

from helpers import require
from helpers.grouped import grouped_attention, grouped_read, grouped_scores
from helpers.masks import masked_softmax
from helpers.relative_positions import biased_attention


def sink_weights(scores, sinks):
    """The softmax over the keys and one more entry for each row, the sink of its head, which is then dropped.

    Shapes: scores (B, H, T, S), -inf where a key is hidden, sinks (H,) -> (B, H, T, S)
    Units:  weights sum to less than 1 over S, to 0 where a row is fully masked; a sink of -inf takes nothing
    Errors: TypeError or ValueError if scores or sinks do not fit
    Source: OpenAI 2025, "gpt-oss"; Miller 2023, "Attention Is Off By One", for a sink of 0; notebook 11
    """
    require.shapes("scores B H T S, sinks H", scores, sinks)
    column = sinks.to(scores.dtype)[:, None, None].expand(*scores.shape[:-1], 1)  # (H, 1, 1) -> (B, H, T, 1)
    entries = torch.cat([scores, column], dim=-1)  # (B, H, T, S + 1)
    return masked_softmax(entries, entries > float("-inf"))[..., :-1]


def sink_attention(q, k, v, sinks, mask=None):
    """`grouped_attention` with a sink for each query head.

    Shapes: q (B, H, T, D), k (B, G, S, D), v (B, G, S, Dv), sinks (H,), mask broadcastable to (B, H, T, S)
            -> out (B, H, T, Dv), weights (B, H, T, S)
    Units:  sinks are not divided by sqrt(D) and never masked; weights as in `sink_weights`
    Errors: TypeError or ValueError if q, k, v, sinks or mask do not fit
    Source: as `sink_weights`; notebook 11
    """
    require.grouped(q, k, v)
    scores = grouped_scores(q, k)  # (B, H, T, S)
    if mask is not None:
        require.mask(mask, scores)
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = sink_weights(scores, sinks)
    return grouped_read(weights, v), weights


def sink_as_key(q, k, v, sinks, mask=None):
    """The same by one more key, which every query sees: its score is the sink, its value 0.

    Shapes: as `sink_attention`
    Units:  as `sink_attention`
    Errors: as `sink_attention`
    Source: notebook 11
    """
    require.grouped(q, k, v)
    require.shapes("q B H T D, sinks H", q, sinks)
    k, v = (F.pad(x, (0, 0, 0, 1)).repeat_interleave(q.size(1) // x.size(1), dim=1) for x in (k, v))  # (B, H, S + 1, D)
    S = k.size(2) - 1
    bias = F.pad(sinks[:, None, None], (S, 0))  # (H, 1, S + 1): the new key's own score is 0
    if mask is not None:
        require.mask(mask, q[..., :1].expand(-1, -1, -1, S))
        mask = F.pad(mask.expand(*mask.shape[:-1], S), (0, 1), value=True)
    out, weights = biased_attention(q, k, v, bias, mask)
    return out, weights[..., :-1]  # (B, H, T, Dv), (B, H, T, S)


def sink_as_gate(q, k, v, sinks, mask=None):
    """The same by a gate on what attention without a sink gives: sigmoid(lse - sink).

    Shapes: as `sink_attention`
    Units:  as `sink_attention`; lse, the logarithm of the sum of exp(scores), is what fused kernels return
    Errors: as `sink_attention`
    Source: notebook 11
    """
    out, weights = grouped_attention(q, k, v, mask)
    require.shapes("q B H T D, sinks H", q, sinks)
    scores = grouped_scores(q, k)  # (B, H, T, S)
    if mask is not None:  # the lowest finite number: a fully masked row keeps finite gradients
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    gate = torch.sigmoid(scores.logsumexp(dim=-1, keepdim=True) - sinks.to(scores.dtype)[:, None, None])  # (B, H, T, 1)
    return out * gate, weights * gate


def gated_output(out, gate):
    """Multiply what each head found by sigmoid(gate), a number that is computed from the query's token.

    Shapes: out (B, H, T, D), gate (B, H, T, D), or (B, H, T, 1) for one number a head -> (B, H, T, D)
    Errors: TypeError or ValueError if the gate does not fit
    Source: Qiu et al. 2025, "Gated Attention for Large Language Models"; notebook 11
    """
    require.floats(gate, "gate")
    rows = (*out.shape[:-1], 1)
    rule = f"gate must be {tuple(out.shape)} like the output, or {rows}, one number for each query and head"
    require.that(gate.shape in (out.shape, rows), rule, tuple(gate.shape))
    return out * torch.sigmoid(gate)
