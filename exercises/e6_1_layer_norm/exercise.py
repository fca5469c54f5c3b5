"""Exercise 6.1: layer_norm."""

import torch

from exercises.common import properties
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, normal
from exercises.common.norm.behavior import VARIANCE, left_out, mean_not_0, vectors_apart
from exercises.common.norm.inputs import BY_HAND, CASES, EQUAL_NUMBERS, SIZES, eps_matters, weight_and_bias
from exercises.e6_1_layer_norm.misconceptions import known
from exercises.e6_1_layer_norm.reference import layer_norm
from feedback import Exercise, TestCase

FAR_FROM_0 = TestCase(
    "numbers around 10,000",
    (torch.tensor([10000.0, 10001.0, 10005.0]), torch.ones(3), torch.zeros(3), 1e-5),
    limitation="It has a limit: try numbers around 10,000. If you compute the variance as the mean of the squares "
    "minus the square of the mean, it is a small difference of two numbers near a hundred million, of which float32 "
    "keeps seven digits. Subtract the mean first, and square what is left.",
)


def norm_of(attempt, x, weight, bias):
    return attempt(x.clone(), weight.clone(), bias.clone(), 1e-5)


EXERCISE = Exercise(
    minutes=8,
    difficulty=2,
    gives="the numbers of `F.layer_norm` for x (..., C): each vector brought to mean 0 and, eps aside, variance 1, "
    "then stretched by weight and shifted by bias",
    reference=layer_norm,
    returns=("out",),
    axis_names=AXES | SIZES,
    cases=(
        *(TestCase(name, args) for name, args in CASES),
        TestCase("vectors of equal numbers", EQUAL_NUMBERS),
        FAR_FROM_0,
    ),
    minimal_inputs=(
        (torch.tensor([1.0, 3.0]), *BY_HAND, 0.0),
        (torch.tensor([1.0, 3.0]), *BY_HAND, 3.0),
        (torch.tensor([[1.0, 3.0], [-4.0, 0.0]]), *BY_HAND, 0.0),
        (torch.tensor([[1.0, 3.0], [-4.0, 0.0]]), *BY_HAND, 3.0),
        (
            torch.tensor([[0.0, 3.0, 6.0], [1.0, 1.0, 1.0]]),
            torch.tensor([1.0, 2.0, -1.0]),
            torch.tensor([0.0, 1.0, 0.5]),
            0.25,
        ),
    ),
    misconceptions=known,
    hints=(
        "Begin with a single vector, `x[0, 0]`. What do you subtract from its numbers, and what do you divide them "
        "by? Then do it for all vectors at once: over which axis, and which shape must the mean have to line up "
        "with x?",
        "`x.mean(dim=-1, keepdim=True)` has shape (..., 1) and lines up with x. For the variance, note that var "
        "divides by C - 1 unless you write `unbiased=False`.",
        "`(x - mean) / (variance + eps).sqrt()`, and after that weight and bias.",
    ),
    stage_of=lambda args: eps_matters(args[0], args[-1]),
    properties=(
        properties.FINITE,
        *left_out(lambda case: case.args[0]),
        mean_not_0(
            "Is the mean that you subtract that of the vector itself, over the last axis? And is there anything "
            "after the division but z * weight + bias?"
        ),
        VARIANCE,
    ),
    behavioral_tests=(
        vectors_apart(norm_of),
        gradients_flow(
            layer_norm, (normal(2, 3, 7, seed=191), *weight_and_bias(7, 192), 1e-5), ("x", "weight", "bias", None)
        ),
    ),
    when_correct="Whatever length a vector had, it now has mean 0 and, eps aside, variance 1, before weight and bias.",
)
