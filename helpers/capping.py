"""Soft-capping: no score can exceed a cap, however long queries and keys are."""

import torch

from helpers import require


def cap_scores(scores, cap):
    """Scores far below the cap hardly change, all others end between -cap and cap.

    Shapes: scores (...) -> (...)
    Errors: TypeError if scores have no floats, or cap is no number; ValueError if cap is not above 0
    Source: Bello et al. 2017; Gemma Team 2024, "Gemma 2", section 2; notebook 11
    """
    require.floats(scores, "scores")
    require.cap(cap)
    return cap * torch.tanh(scores / cap)


def capped_scores(scores, cap, mask):
    """Cap the scores, then hide keys: the other way around, a hidden key's -inf would become -cap, and be seen.

    Shapes: scores (..., T, S), mask broadcastable to it, True = may attend -> (..., T, S)
    Units:  -inf where the mask is False
    Errors: as `cap_scores`; TypeError if mask is not bool; ValueError if it does not fit
    Source: as `cap_scores`; notebook 11
    """
    capped = cap_scores(scores, cap)
    require.mask(mask, scores)
    return capped.masked_fill(~mask, float("-inf"))
