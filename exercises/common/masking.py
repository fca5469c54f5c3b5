"""What several exercises of notebook 03 share."""

import torch
import torch.nn.functional as F

from exercises.common.inputs import CAUSAL, B, H, S, T, normal, padded, some_hidden
from feedback import TestCase
from helpers import masks

_INF = float("inf")


def _lower(x):
    """A causal mask of the size of x."""
    return torch.ones(x.shape[-2:], dtype=torch.bool).tril()


def _fill(value, dim=-1):
    return lambda s, m: F.softmax(s.masked_fill(~m, value), dim=dim)


_HUGE = torch.tensor([[0.0, 200.0, 200.0], [0.5, -0.5, 200.0], [0.1, 0.2, 0.3]])


_MASKED_SCORES = (
    TestCase("a causal mask (T, T)", (normal(T, T, seed=1), CAUSAL)),
    TestCase("a mask (T, S) for a batch", (normal(B, T, S, seed=2), some_hidden(T, S))),
    TestCase("a padding mask (B, 1, S)", (normal(B, T, S, seed=3), padded(3, 6))),
    TestCase("a mask (B, 1, T, S) for heads", (normal(B, H, T, S, seed=4), some_hidden(B, 1, T, S))),
    TestCase("float64", (normal(B, T, S, seed=5).double(), some_hidden(B, T, S, seed=2))),
    TestCase("scores around -7", (normal(T, T, seed=6) - 7, CAUSAL)),
    TestCase("hidden scores above the visible ones", (normal(T, T, seed=7) + 5 * ~CAUSAL, CAUSAL)),
    TestCase("four items, one query each, a mask (S,)", (normal(4, 1, S, seed=8), some_hidden(S))),
    TestCase("equal scores, one visible key of 16", (torch.zeros(T, 16), torch.arange(16) == torch.arange(T)[:, None])),
)


_SMALL_SCORES = tuple((torch.tensor(s), torch.tensor(m)) for s, m in (
    ([[0.0, 1.0], [0.0, 1.0]], [[True, False], [True, True]]),
    ([[0.5, 2.0, 1.0], [1.0, 0.0, 3.0]], [[True, False, False], [True, True, False]])))


_LARGE = torch.tensor([[1000.0, 1001.0]])


_BELOW_THE_LEAST = tuple(lambda s, m, least=least, by=by: torch.where(m, s, least(s) - by).softmax(-1)
                         for least in (torch.min, lambda s: s.amin(-1, keepdim=True)) for by in (1, 2, 5, 10))


_ADVICE = ("One thing to know: try scores = [[0, 200, 200], [0.5, -0.5, 200], [0.1, 0.2, 0.3]] with a causal mask. A "
           "huge hidden score must not matter; with a low enough fill before the softmax it does not.")


_LOW = torch.tensor([[-20000.0, 0.0]])


_ADVISED = (
    TestCase("huge hidden scores", (_HUGE, masks.causal_mask(3)), limitation=_ADVICE),
    TestCase("large scores", (_LARGE, torch.ones(1, 2, dtype=torch.bool)), rtol=1e-3, atol=1e-3,
          limitation="One thing to know: try the scores [[1000, 1001]], both visible; torch's own softmax survives them."),
    TestCase("a very low visible score", (_LOW, torch.tensor([[True, False]])),
          limitation="One thing to know: try scores = [[-20000, 0]] with only the first key visible. It must get all the "
                 "weight, however low its score: fill with -inf, or with torch.finfo(scores.dtype).min."),
)
