"""Scores and masks for test cases of exercises that make weights from both; masked_scores.md has their mistakes."""

import torch

from exercises.common.inputs import CAUSAL, B, H, S, T, normal, padded, some_hidden
from feedback import TestCase

CASES = (
    TestCase("scores whose keys are all visible", (normal(T, S, seed=11), torch.ones(T, S).bool()), atol=0.0),
    TestCase("a batch whose keys are all visible", (normal(B, T, S, seed=12), torch.ones(T, S).bool())),
    TestCase("a causal mask (T, T)", (normal(T, T, seed=1), CAUSAL), atol=0.0),  # hidden keys get exactly 0
    TestCase("a mask (T, S) for a batch", (normal(B, T, S, seed=2), some_hidden(T, S))),
    TestCase("a padding mask (B, 1, S)", (normal(B, T, S, seed=3), padded(3, 6))),
    TestCase("a mask (B, 1, T, S) for heads", (normal(B, H, T, S, seed=4), some_hidden(B, 1, T, S))),
    TestCase("float64", (normal(B, T, S, seed=5).double(), some_hidden(B, T, S, seed=2))),
    TestCase("scores around -7", (normal(T, T, seed=6) - 7, CAUSAL)),
    TestCase("four items, one query each, a mask (S,)", (normal(4, 1, S, seed=8), some_hidden(S))),
    TestCase("equal scores, one visible key of 16", (torch.zeros(T, 16), torch.arange(16) == torch.arange(T)[:, None])),
)
MINIMAL_INPUTS = tuple(
    (torch.tensor(scores), torch.tensor(mask))
    for scores, mask in (
        ([[0.0, 1.0], [2.0, -1.0]], [[True, True], [True, True]]),
        ([[0.0, 1.0], [0.0, 1.0]], [[True, False], [True, True]]),
        ([[0.5, 2.0, 1.0], [1.0, 0.0, 3.0]], [[True, False, False], [True, True, False]]),
    )
)


LIMITING_CASES = (
    TestCase(
        "large scores",
        (torch.tensor([[1000.0, 1001.0]]), torch.tensor([[True, True]])),
        rtol=1e-3,
        atol=1e-3,
        limitation="It has a limit: try the scores [[1000, 1001]], both visible; torch's own softmax survives them.",
    ),
    TestCase(
        "rows far apart",
        (torch.tensor([[0.0, 0.5], [200.0, 200.5]]), torch.tensor([[True, True], [True, True]])),
        rtol=1e-3,
        atol=1e-3,
        limitation="It has a limit: try the scores [[0, 0.5], [200, 200.5]], all visible. If you subtract a maximum "
        "before exp, take that of each row: with one for all rows, rows far below the others vanish.",
    ),
    *(
        TestCase(
            f"a visible score of {score}",  # float64, so that score - 50 is a different number
            (torch.tensor([[score, 0]], dtype=torch.float64), torch.tensor([[True, False]])),
            limitation=f"It has a limit: try the scores [[{score}, 0]] with only the first key visible. It must get "
            "all the weight, however low its score. A fill hides a key only if it lies far below every visible score.",
        )
        for score in (-1500, -2_000_000_000)
    ),
)


def stage_of(args):
    """Judge unmasked scores first, then masks, and last whether float64 stays float64."""
    scores, mask = args
    return 9 if scores.dtype == torch.float64 else int(not mask.all())
