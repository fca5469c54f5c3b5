"""rms_norm: the reference and its test cases."""

import torch

from exercises.common import explainers, properties
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, T, normal
from feedback import TestCase
from feedback.page_exercise import exercise


def rms_norm(x, weight, eps=1e-6):
    """Divide each vector by the root of its mean square.

    Shapes: x (..., C), weight (C,) -> (..., C)
    Source: Zhang and Sennrich 2019; notebook 10
    """
    wide = x.to(torch.promote_types(x.dtype, torch.float32))  # squares of float16 numbers above 255 are inf
    square = wide.square().mean(dim=-1, keepdim=True)
    out = wide / (square + eps).sqrt()
    return (out * weight).to(x.dtype)


def root_mean_square(case):
    """Show the root mean square, before the weight, of the learner's vector that is furthest off."""
    weight = case.args[1]
    if case.first.shape != case.expected_first.shape or not case.first.isfinite().all() or (weight == 0).any():
        return explainers.entry(case)
    *row, _ = explainers.worst(case.first, case.expected_first)
    got, right = (
        float((t.double() / weight)[tuple(row)].square().mean().sqrt()) for t in (case.first, case.expected_first)
    )
    if abs(got - right) < 1e-3:
        return explainers.entry(case)
    place = f"of the vector at {explainers.position(row)} " if row else ""
    return f"before the weight, the root mean square {place}is {got:.4f} in your result, and {right:.4f} is right"


def arguments(*shape, seed, eps=None, dtype=torch.float32, size=1.0):
    x = ((normal(*shape, seed=seed, dtype=torch.float64) + 0.5) * size).to(dtype)
    weight = (normal(shape[-1], seed=seed + 20, dtype=torch.float64) + 1).to(dtype)
    return (x, weight) if eps is None else (x, weight, eps)


EXERCISE = exercise(
    rms_norm,
    returns=("out",),
    axis_names=AXES | {7: "C", 11: "C", 13: "C", 17: "C"},
    stage_of=lambda args: int(args[0].dtype == torch.float16),  # judged only if the numbers are right otherwise
    cases=(
        TestCase("a batch", arguments(B, T, 11, seed=1)),
        TestCase("one vector", arguments(7, seed=2)),
        TestCase("as many vectors as features", arguments(11, 11, seed=4)),
        TestCase("eps = 0.5", arguments(B, T, 7, seed=5, eps=0.5)),
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
        (torch.tensor([[1000.0, 500.0]], dtype=torch.float16), torch.ones(2, dtype=torch.float16)),
    ),
    properties=(properties.FINITE,),
    behavioral_tests=(gradients_flow(rms_norm, arguments(2, 3, 7, seed=10), ("x", "weight")),),
)
