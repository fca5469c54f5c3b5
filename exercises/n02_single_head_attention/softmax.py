"""softmax: the reference, its steps and test cases; the page next to it says the rest."""

import torch

from exercises.common import properties
from exercises.common.inputs import AXES, B, H, S, T, normal, round_numbers
from feedback import TestCase
from feedback.page_exercise import exercise


def softmax(scores):
    """Turn the scores of each row into positive numbers that sum to 1.

    Shapes: (..., S) -> (..., S)
    """
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()  # the largest becomes exp(0) = 1
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


def shift(scores):
    return scores - scores.amax(dim=-1, keepdim=True)


def divide(powers, scores):
    return powers / powers.sum(dim=-1, keepdim=True)


def softmax_from(shift=shift, power=lambda exponents: exponents.exp(), divide=divide):
    """Build softmax from three steps."""
    return lambda scores: divide(power(shift(scores)), scores)


# float32 overflows at exp(89), float64 at exp(710). The rows with 95 and 88 overflow only in float32; that with 88 does
# not if the position of its largest score, 2, is subtracted. The last two tell the last score from the mean.
LARGE = torch.tensor(
    [
        [1000.0, 1001.0, 999.5],
        [-1000.0, -1001.0, -1000.5],
        [0.3, -0.2, 0.9],
        [1000.0, -1000.0, 0.0],
        [-1000.0, 1000.0, 0.0],
        [1000.0, 1000.0, -1000.0],
        [95.0, 94.0, 93.0],
        [88.0, 87.5, 89.0],
        [0.0, 1000.0, 1000.0],
        [-1000.0, 0.0, 1000.0],
    ]
)


A_LEADER = torch.cat([torch.full((2, 1), 20.0), torch.zeros(2, 63)], dim=1)  # what is left for the 63 is 1e-7


def stage_of(args):
    """Judge tables and batches of ordinary scores first, then a single row, then large scores, and float64 last."""
    scores = args[0]
    if scores.dtype == torch.float64:
        return 3
    return 2 if scores.abs().max() > 50 else int(scores.dim() == 1)


EXERCISE = exercise(
    softmax,
    assemble=softmax_from,
    returns=("weights",),
    axis_names=AXES,
    cases=(
        TestCase("a table of scores", (normal(T, S, seed=1),)),
        TestCase("a batch", (normal(B, T, S, seed=2),)),
        TestCase("a batch of heads", (normal(B, H, T, S, seed=3),)),
        TestCase("float64", (normal(B, T, S, seed=4).double(),)),
        TestCase("four items, one query each", (normal(4, 1, S, seed=5),)),
        TestCase("one score far above 63 others", (A_LEADER,)),
        TestCase("one row (S,)", (normal(S, seed=7),)),
        TestCase("scores of up to 1,000 and down to -1,000", (LARGE,), rtol=1e-3, atol=1e-3),
        TestCase("scores around -1,000", (LARGE[1:2],), rtol=1e-3, atol=1e-3),
        TestCase("the same scores in float64", (LARGE.double(),), rtol=1e-3, atol=1e-3),
    ),
    minimal_inputs=tuple(
        (x,)
        for x in (
            torch.tensor([[0.0, 1.0]]),
            torch.tensor([[0.0, 1.0], [2.0, -1.0]]),
            round_numbers(2, 2, 3),
            torch.tensor([[100.0, 99.0]]),
            torch.tensor([[1000.0, 1001.0]]),
            torch.tensor([[-1000.0, 1000.0]]),
            torch.tensor([[-1000.0, -1001.0]]),
        )
    ),
    stage_of=stage_of,
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS),
)
