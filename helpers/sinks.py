"""Ways for a head to read less than a whole value: a sink, which takes a share of each row, and a gate on the output.

A sink is a score that competes with those of the keys, and whose weight is dropped. It is the same as one more key with
a value of 0, and as a gate: what the keys keep of a row is sigmoid(lse - sink), where lse is the log of the sum of the
exponentials of their scores.
"""

import torch

from helpers import require
from helpers.masks import masked_softmax


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
