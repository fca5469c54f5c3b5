"""What exercises 3.3 and 3.5 share: scores and masks to try answers on, and fills that are not low enough."""

import torch

from exercises.common import explainers
from exercises.common.inputs import CAUSAL, B, H, S, T, normal, padded, some_hidden
from feedback import TestCase

ALL_VISIBLE = torch.ones(T, S, dtype=torch.bool)
MASKED_SCORES = (
    TestCase("scores whose keys are all visible", (normal(T, S, seed=11), ALL_VISIBLE), atol=0.0),
    TestCase("a batch whose keys are all visible", (normal(B, T, S, seed=12), ALL_VISIBLE)),
    TestCase("a causal mask (T, T)", (normal(T, T, seed=1), CAUSAL), atol=0.0),  # hidden keys get exactly 0
    TestCase("a mask (T, S) for a batch", (normal(B, T, S, seed=2), some_hidden(T, S))),
    TestCase("a padding mask (B, 1, S)", (normal(B, T, S, seed=3), padded(3, 6))),
    TestCase("a mask (B, 1, T, S) for heads", (normal(B, H, T, S, seed=4), some_hidden(B, 1, T, S))),
    TestCase("float64", (normal(B, T, S, seed=5).double(), some_hidden(B, T, S, seed=2))),
    TestCase("scores around -7", (normal(T, T, seed=6) - 7, CAUSAL)),
    TestCase("hidden scores above the visible ones", (normal(T, T, seed=7) + 5 * ~CAUSAL, CAUSAL)),
    TestCase("four items, one query each, a mask (S,)", (normal(4, 1, S, seed=8), some_hidden(S))),
    TestCase("equal scores, one visible key of 16", (torch.zeros(T, 16), torch.arange(16) == torch.arange(T)[:, None])),
)
SMALL_MASKED_SCORES = tuple(
    (torch.tensor(scores), torch.tensor(mask))
    for scores, mask in (
        ([[0.0, 1.0], [2.0, -1.0]], [[True, True], [True, True]]),
        ([[0.0, 1.0], [0.0, 1.0]], [[True, False], [True, True]]),
        ([[0.5, 2.0, 1.0], [1.0, 0.0, 3.0]], [[True, False, False], [True, True, False]]),
    )
)

HUGE_HIDDEN_SCORES = (
    torch.tensor([[0.0, 200.0, 200.0], [0.5, -0.5, 200.0], [0.1, 0.2, 0.3]]),
    torch.ones(3, 3, dtype=torch.bool).tril(),
)
LIMITATIONS = (
    TestCase(
        "large scores",
        (torch.tensor([[1000.0, 1001.0]]), torch.ones(1, 2, dtype=torch.bool)),
        rtol=1e-3,
        atol=1e-3,
        limitation="It has a limit: try the scores [[1000, 1001]], both visible; torch's own softmax survives them.",
    ),
    TestCase(
        "rows far apart",
        (torch.tensor([[0.0, 0.5], [200.0, 200.5]]), torch.ones(2, 2, dtype=torch.bool)),
        rtol=1e-3,
        atol=1e-3,
        limitation="It has a limit: try the scores [[0, 0.5], [200, 200.5]], all visible. If you subtract a "
        "maximum before exp, take that of each row: with one for all rows, rows far below the others vanish.",
    ),
    TestCase(
        "a very low visible score",
        (torch.tensor([[-20000.0, 0.0]]), torch.tensor([[True, False]])),
        limitation="It has a limit: try scores = [[-20000, 0]] with only the first key visible. It must get all "
        "the weight, however low its score: the fill must be lower than every score, and a maximum that is subtracted "
        "is that of the visible scores.",
    ),
)


def stage_of(args):
    """Unmasked scores are judged first, then masks, and last whether float64 stays float64."""
    scores, mask = args
    return 9 if scores.dtype == torch.float64 else int(not mask.all())


# ---------------------------------------------------------------- fills that are not low enough


def zero(scores):
    return 0.0


def least(scores):
    return scores.min()


def least_of_each_row(scores):
    return scores.amin(-1, keepdim=True)


def add_weak_fill(known, start, below, finish=None):
    """Register a fill that is not low enough: so much below zero, or below the least score.

    finish(weights, mask) is what an answer does with the weights afterwards.
    """

    @known.also("weak-fill")
    def weakly_filled(scores, mask):
        weights = torch.where(mask, scores, start(scores) - below).softmax(-1)
        return finish(weights, mask) if finish else weights


def add_scores_ignored(known):
    """Register weights that depend on the mask alone."""

    @known(
        "scores-ignored",
        means="The visible keys of a row all get the same weight, whatever their scores are.",
        hint="A visible key gets more the higher its score is: which function makes weights of scores?",
        explain=explainers.entry,
    )
    def visible_keys_alike(scores, mask):
        visible = mask.expand(scores.shape).to(scores.dtype)
        return visible / visible.sum(-1, keepdim=True)

    @known.also("scores-ignored")
    def all_keys_alike(scores, mask):
        return torch.full_like(scores, 1 / scores.size(-1))


# ---------------------------------------------------------------- hints that fit these exercises

MASK_HINTS = {
    "true-hides": "True = may attend. Which keys does your code hide: those where the mask is True, or those where it "
    "is False?",
    "weak-fill": "`exp(-10)` is 0.00005, and even `exp(-100)` is not exactly 0. Which number is lower than every "
    "score?",
    "mask-ignored": "Does mask reach the scores, and do you keep the new scores that come of it?",
    "zero-times-infinity": "A hidden score must be replaced, and a visible one left alone: nothing needs multiplying.",
}
