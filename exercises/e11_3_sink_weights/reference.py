"""The course's own answer to exercise 11.3."""

import torch


def sink_weights(scores, sinks):
    """The softmax over the keys and one more entry for each row, which is then dropped.

    Shapes: scores (B, H, T, S), -inf where a key is hidden, sinks (H,) -> (B, H, T, S)
    Source: gpt-oss, 2025; notebook 11
    """
    column = sinks[:, None, None].expand(*scores.shape[:-1], 1)  # (H, 1, 1) -> (B, H, T, 1)
    entries = torch.cat([scores, column], dim=-1)  # (B, H, T, S + 1)
    hidden = entries == float("-inf")
    # The lowest finite number, not -inf: a row without any entry stays finite, and so do its gradients.
    lowest = torch.finfo(scores.dtype).min
    weights = entries.masked_fill(hidden, lowest).softmax(dim=-1).masked_fill(hidden, 0.0)
    return weights[..., :-1]
