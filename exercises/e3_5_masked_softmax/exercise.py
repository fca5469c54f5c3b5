"""Exercise 3.5: masked_softmax."""

import torch

from exercises.common import explainers, properties
from exercises.common.inputs import AXES, B, H, S, T, normal, padded, round_numbers, some_hidden
from exercises.common.masking import (
    _ADVISED,
    _MASKED_SCORES,
    _SMALL_SCORES,
)
from exercises.e3_5_masked_softmax.misconceptions import MISCONCEPTIONS
from feedback import BehavioralTest, Exercise, TestCase
from helpers import masks


def _fully_masked():
    """A mask in which one item, and one row of the other, see nothing."""
    mask = some_hidden(B, T, S, seed=3)
    mask[1], mask[0, 2] = False, False
    return mask


def _with_gradients(attempt):
    """Weights, and the gradients of the scores, for a mask with fully masked rows."""
    scores = normal(B, T, S, seed=9).requires_grad_()
    weights = attempt(scores, _fully_masked())
    if weights.requires_grad:
        (weights * normal(B, T, S, seed=10)).sum().backward()
    return weights, scores.grad


def _gradients_flow(attempt):
    if attempt(normal(B, T, S, seed=9).requires_grad_(), _fully_masked()).requires_grad:
        return None
    return "The weights are right, but cut off from the scores: no gradient flows back, so nothing could be learned."


def _gradients_are_finite(attempt):
    """The first gradient that is not finite, as a sentence."""
    gradients = _with_gradients(attempt)[1]
    bad = ~gradients.isfinite()
    if not bad.any():
        return None
    item, query, key = bad.nonzero()[0].tolist()
    return (f"The weights are right, but their gradients are not: {int(bad.sum())} of {bad.numel()} gradients are "
            f"NaN, the first for scores[{item}, {query}, {key}]. One step of training would spoil the model.")


def _gradients_are_right(attempt):
    got, right = _with_gradients(attempt)[1], _with_gradients(masks.masked_softmax)[1]
    if torch.allclose(got, right, rtol=1e-3, atol=1e-4):
        return None
    at = explainers.worst(got, right)
    return (f"The weights are right, but their gradients are not: for scores{list(at)} it is "
            f"{explainers.number(got[at])}, and {explainers.number(right[at])} is right.")


_STAY_IN_TORCH = "Stay in torch all the way: no detach, .data, numpy, tolist, item or no_grad."


_GRADIENTS = (
    BehavioralTest("no-gradients", _gradients_flow, _STAY_IN_TORCH, required=True,
               while_doing="with scores that need gradients"),
    BehavioralTest("nan-gradients", _gradients_are_finite,
               "Mending a NaN forward is not enough: backward, the softmax or a division 0 / 0 still multiplies with "
               "it. masked_fill on "
               "the scores stops it, or a finite fill, so that no NaN ever arises.",
               required=True, while_doing="on the way back"),
    BehavioralTest("wrong-gradients", _gradients_are_right, _STAY_IN_TORCH, required=True, while_doing="on the way back"),
)


EXERCISE = Exercise(
    id="3.5", name="masked_softmax", signature="masked_softmax(scores, mask)", minutes=10, difficulty=3,
    gives="the weights as in 3.3, but zeros in a row that sees no key, and finite gradients",
    reference=masks.masked_softmax, arguments=("scores", "mask"), returns=("weights",),
    axis_names=AXES, cases=(*_MASKED_SCORES,
            TestCase("fully masked rows", (normal(B, T, S, seed=7), _fully_masked())),
            TestCase("an item that is all padding", (normal(B, H, T, S, seed=8), padded(0, 4)[:, None])),
            TestCase("fully masked rows, float64", (normal(B, T, S, seed=9).double(), _fully_masked())),
            *_ADVISED),
    minimal_inputs=(*_SMALL_SCORES, (torch.tensor([[0.5, 1.0]]), torch.tensor([[False, False]])),
           (round_numbers(2, 2), torch.tensor([[True, False], [False, False]]))),
    misconceptions=MISCONCEPTIONS,
    behavioral_tests=_GRADIENTS,
    hints=(
        "Fill with the lowest finite number, torch.finfo(scores.dtype).min, instead of -inf: an empty row is then "
        "even, not NaN.",
        "After the softmax, fill a second time: what is hidden gets the weight 0. Other rows do not change.",
        "If you add a mask of 0 and -inf and mend the NaN afterwards, its gradient stays NaN; masked_fill stops it.",
    ),
    properties=(properties.FINITE, properties.POSITIVE, properties.HIDDEN, properties.ROWS),
    when_correct="Zeros for a row that sees nothing, and finite gradients: as F.scaled_dot_product_attention does.",
)
