"""Exercise 10.3: rms_norm."""

import torch

from exercises.common import properties
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, T, normal
from exercises.e10_3_rms_norm.misconceptions import known
from exercises.e10_3_rms_norm.reference import rms_norm
from feedback import Exercise, TestCase


def arguments(*shape, seed, eps=None, around=0.5, dtype=torch.float32, size=1.0):
    x = ((normal(*shape, seed=seed, dtype=torch.float64) + around) * size).to(dtype)
    weight = (normal(shape[-1], seed=seed + 20, dtype=torch.float64) + 1).to(dtype)
    return (x, weight) if eps is None else (x, weight, eps)


def dtype_last(args):
    """A stage: half precision is judged when the numbers are right otherwise."""
    return int(args[0].dtype == torch.float16)


EXERCISE = Exercise(
    minutes=6,
    difficulty=1,
    gives="x (..., C) with each vector divided by the root of its mean square, x / `sqrt(mean of x² + eps)`, "
    "then times weight (C,); float16 numbers up to 1,000 give finite, right results",
    reference=rms_norm,
    returns=("out",),
    axis_names=AXES | {7: "C", 11: "C", 13: "C", 17: "C"},
    stage_of=dtype_last,
    cases=(
        TestCase("a batch", arguments(B, T, 11, seed=1)),
        TestCase("one vector", arguments(7, seed=2)),
        TestCase("heads", arguments(B, 3, T, 13, seed=3)),
        TestCase("as many vectors as features", arguments(11, 11, seed=4)),
        TestCase("eps = 0.5", arguments(B, T, 7, seed=5, eps=0.5)),
        TestCase("small numbers", arguments(T, 11, seed=6, size=1e-3)),
        TestCase("a vector of zeros", (torch.zeros(2, 7), torch.ones(7))),
        TestCase("float64", arguments(B, T, 11, seed=7, dtype=torch.float64)),
        TestCase("float16", arguments(B, T, 11, seed=8, dtype=torch.float16), rtol=5e-3, atol=5e-3),
        TestCase(
            "float16, up to 1,000", arguments(T, 11, seed=9, dtype=torch.float16, size=400.0), rtol=5e-3, atol=5e-3
        ),
    ),
    minimal_inputs=(
        (torch.tensor([3.0, 4.0]), torch.ones(2)),
        (torch.tensor([1.0, 3.0]), torch.ones(2), 3.0),
        (torch.tensor([3.0, 4.0]), torch.tensor([1.0, 2.0])),
        (torch.tensor([[3.0, 4.0], [1.0, 0.0]]), torch.ones(2)),
        (torch.tensor([[3.0, 4.0], [1.0, 0.0]]), torch.tensor([1.0, 2.0]), 0.5),
        (torch.tensor([[1000.0, 500.0]], dtype=torch.float16), torch.ones(2, dtype=torch.float16)),
    ),
    misconceptions=known,
    hints=(
        "It is layer norm with one thing less. What is not subtracted?",
        "The mean square is (..., 1): `keepdim=True`. What becomes of the square of 1,000 in float16, whose "
        "largest number is 65,504?",
        "`x.float().square().mean(dim=-1, keepdim=True)`, plus eps, then the root; at the end back to `x.dtype`.",
    ),
    properties=(properties.FINITE,),
    behavioral_tests=(gradients_flow(rms_norm, arguments(2, 3, 7, seed=10), ("x", "weight")),),
    when_correct="One mean less than layer norm, and no bias: most models since Llama use it.",
)
