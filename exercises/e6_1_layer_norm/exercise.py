"""Exercise 6.1: layer_norm."""

import torch

from exercises.common import references
from exercises.common.block import _BY_HAND, _EQUAL, _NORM_LAWS, _NORM_PROBES, _NORM_SIZES, _vectors_apart
from exercises.common.inputs import AXES
from exercises.e6_1_layer_norm.misconceptions import MISCONCEPTIONS
from feedback import Exercise, TestCase


def _norm_once(attempt, x, weight, bias):
    return attempt(x.clone(), weight.clone(), bias.clone(), 1e-5)


EXERCISE = Exercise(
    id="6.1", name="layer_norm", signature="layer_norm(x, weight, bias, eps)", minutes=8, difficulty=2,
    gives="x (..., C) with each vector brought to mean 0 and variance 1, (x - mean) / sqrt(variance + eps), then times "
          "weight plus bias; the variance divides by C",
    reference=references.layer_norm, arguments=("x", "weight", "bias", "eps"), returns=("out",), axis_names=AXES | _NORM_SIZES,
    cases=(*(TestCase(name, args) for name, args in _NORM_PROBES), TestCase("vectors of equal numbers", _EQUAL)),
    minimal_inputs=((torch.tensor([1.0, 3.0]), *_BY_HAND), (torch.tensor([[1.0, 3.0], [-4.0, 0.0]]), *_BY_HAND),
           (torch.tensor([[0.0, 3.0, 6.0], [1.0, 1.0, 1.0]]), torch.tensor([1.0, 2.0, -1.0]),
            torch.tensor([0.0, 1.0, 0.5]), 0.25)),
    misconceptions=MISCONCEPTIONS,
    hints=(
        "Four lines: the mean of each vector, x.mean(dim=-1, keepdim=True); its variance, with unbiased=False; the "
        "difference divided by a root; then weight and bias.",
        "(x - mean) / (variance + eps).sqrt() * weight + bias",
    ),
    properties=_NORM_LAWS,
    behavioral_tests=(_vectors_apart(_norm_once),),
    when_correct="Whatever size a vector had, it now has the size that weight and bias give it.",
)
