"""The course's own answer to exercise 11.4."""

import torch


def capped_scores(scores, cap, mask):
    """Keep the scores between -cap and cap, then hide keys.

    Shapes: scores (B, H, T, S), mask broadcastable to it, True = may attend -> (B, H, T, S)
    Source: Gemma 2, 2024; notebook 11
    """
    return (cap * torch.tanh(scores / cap)).masked_fill(~mask, float("-inf"))
