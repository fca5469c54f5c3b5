"""Exercise 3.5: masked_softmax."""

import torch

from exercises.common import properties
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, H, S, T, normal, padded, round_numbers, some_hidden
from exercises.common.masks import inputs as masking
from exercises.e3_5_masked_softmax.misconceptions import known
from exercises.e3_5_masked_softmax.reference import masked_softmax
from feedback import BehavioralTest, Exercise, TestCase

# One item, and one row of the other, see nothing.
EMPTY_ROWS = some_hidden(B, T, S, seed=3)
EMPTY_ROWS[1], EMPTY_ROWS[0, 2] = False, False


def stage_of(args):
    """As in 3.3, then rows that see nothing, then huge scores, and last whether float64 stays float64."""
    scores, mask = args
    stage = masking.stage_of(args)
    return stage if stage != 1 else 3 if scores.max() > 100 else 1 if mask.any(-1).all() else 2


def gradients_are_finite(attempt):
    """The first gradient that is not finite, as a sentence; whether there are any is another test."""
    scores = normal(B, T, S, seed=9).requires_grad_()
    weights = attempt(scores, EMPTY_ROWS)
    if weights.requires_grad:
        (weights * normal(B, T, S, seed=10)).sum().backward()
    if scores.grad is None or scores.grad.isfinite().all():
        return None
    bad = ~scores.grad.isfinite()
    item, query, key = bad.nonzero()[0].tolist()
    return (
        f"The weights are right, but their gradients are not: {int(bad.sum())} of {bad.numel()} gradients are "
        f"NaN, the first for scores[{item}, {query}, {key}]. One step of training would spoil the model."
    )


FINITE_GRADIENTS = BehavioralTest(
    "nan-gradients",
    gradients_are_finite,
    "Replacing the NaN in the result is not enough: the backward pass still multiplies by the NaN inside the softmax "
    "or the division. How can you keep it from arising at all?",
    required=True,
    while_doing="in the backward pass",
)


EXERCISE = Exercise(
    minutes=10,
    difficulty=3,
    gives="the weights as in 3.3, but zeros in a row that sees no key, and finite gradients",
    reference=masked_softmax,
    returns=("weights",),
    axis_names=AXES,
    cases=(
        *masking.MASKED_SCORES,
        TestCase("fully masked rows", (normal(B, T, S, seed=7), EMPTY_ROWS)),
        TestCase("an item that is all padding", (normal(B, H, T, S, seed=8), padded(0, 4)[:, None])),
        TestCase("fully masked rows, float64", (normal(B, T, S, seed=9).double(), EMPTY_ROWS)),
        TestCase("equal scores, all visible", (torch.zeros(2, 3), torch.ones(3, dtype=torch.bool))),
        TestCase("a single key", (normal(3, 1, seed=11), torch.tensor([[True], [False], [True]]))),
        TestCase("nothing visible, float64", (normal(T, S, seed=12).double(), torch.zeros(T, S, dtype=torch.bool))),
        TestCase("huge hidden scores", masking.HUGE_HIDDEN_SCORES),
        *masking.LIMITING_CASES,
    ),
    minimal_inputs=(
        *masking.SMALL_MASKED_SCORES,
        (torch.tensor([[0.5, 1.0]]), torch.tensor([[False, False]])),
        (round_numbers(2, 2), torch.tensor([[True, False], [False, False]])),
        (torch.tensor([[0.0, 200.0]]), torch.tensor([[True, False]])),
    ),
    misconceptions=known,
    stage_of=stage_of,
    properties=(properties.FINITE, properties.POSITIVE, properties.HIDDEN, properties.ROWS),
    behavioral_tests=(
        FINITE_GRADIENTS,
        gradients_flow(masked_softmax, (normal(B, T, S, seed=9), EMPTY_ROWS), ("scores", None)),
    ),
    hints=(
        "What becomes of `exp(score) / sum` in a row where every score is -inf? Which fill would keep it finite, "
        "and what weights does such a row get?",
        "Fill with the lowest finite number, `torch.finfo(scores.dtype).min`, instead of -inf: in a row that sees "
        "nothing all weights are then equal, not NaN.",
        "After the softmax, fill a second time: what is hidden gets the weight 0. Other rows do not change.",
    ),
    when_correct="Zeros for a row that sees nothing, and finite gradients: as `F.scaled_dot_product_attention` does.",
)
