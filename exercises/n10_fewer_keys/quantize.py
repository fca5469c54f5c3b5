"""quantize: the reference and its test cases."""

import torch

from exercises.common import explainers, properties
from exercises.common.inputs import AXES, B, D, H, T, generator
from feedback import BehavioralTest, TestCase
from feedback.format import number, position
from feedback.page_exercise import exercise


def quantize(x, bits=8):
    """Turn each vector into whole numbers and a scale that they are multiplied by.

    Shapes: x (..., D) -> numbers (..., D), int8, and scale (..., 1), float32, so that numbers * scale is close to x
    Source: notebook 10
    """
    x = x.float()
    most = 2 ** (bits - 1) - 1  # 127 for 8 bits
    scale = x.abs().amax(dim=-1, keepdim=True) / most  # (..., 1)
    scale = scale.masked_fill(scale == 0, 1.0)  # a vector of zeros: 0 / 1 is 0
    return (x / scale).round().to(torch.int8), scale


def steps(case):
    """Show the whole number that is furthest off, with its quotient before rounding."""
    x, most = case.args[0].float(), 2 ** (case.args[1] - 1) - 1 if len(case.args) > 1 else 127
    right, scale = case.expected
    if torch.equal(case.first, right):
        return explainers.entry(case)
    at = explainers.worst(case.first, right)
    of = scale[(*at[:-1], 0)]
    return (
        f"x is {number(x[at])} at {position(at)}, which is {x[at] / of:.2f} steps of {number(of)}; your number is "
        f"{case.first[at]}, and {right[at]} is right. The furthest entry of a vector is {most} steps from 0"
    )


def vectors(*shape, seed, bits=8, dtype=torch.float32):
    """Return vectors of very different lengths, with entries on both sides of 0, none near halfway between two steps.

    In float32, a step is a power of 2, so that the order of multiplications and divisions does not matter.
    """
    draw, half = generator(seed), dtype != torch.float32
    most = 2 ** (bits - 1) - 1
    whole = torch.randint(-most + 1, most, shape, generator=draw) * (0.7 if half else 1)
    parts = 0 if half else 0.8 * torch.rand(shape, generator=draw) - 0.4
    furthest = torch.randint(shape[-1], (*shape[:-1], 1), generator=draw)
    sign = 2.0 * torch.randint(2, furthest.shape, generator=draw) - 1
    step = 2.0 ** torch.randint(-8, -2, furthest.shape, generator=draw)
    step = step * (1 + torch.rand(step.shape, generator=draw)) if half else step
    steps = (whole.round() + parts).scatter(-1, furthest, most * sign)
    return (steps.scatter(-1, (furthest + 1) % shape[-1], -(most // 2) * sign) * step).to(dtype)


@BehavioralTest.named(
    "vector-of-zeros",
    "Any scale above 0 will do for zeros. Where do you look for it, before you divide?",
    required=True,
    while_doing="for a vector of zeros",
)
def zeros(attempt):
    """Check a vector of zeros among others."""
    x = vectors(2, 5, seed=41)
    x[1] = 0
    numbers, scale = attempt(x)
    if not (scale[1] > 0).all() or not scale.isfinite().all():
        return (
            f"The scale of a vector of zeros is {number(scale[1, 0])}, where a number above 0 is asked for: 0 / 0 is "
            "NaN, and int8 has no NaN."
        )
    return None if not numbers[1].any() else f"A vector of zeros became {numbers[1].tolist()}."


EXERCISE = exercise(
    quantize,
    returns=("numbers", "scale"),
    axis_names=AXES,
    stage_of=lambda args: int(args[0].dtype != torch.float32),
    judge_first=("numbers",),
    cases=(
        TestCase("keys of several heads", (vectors(B, H, T, D, seed=1),)),
        TestCase("one vector", (vectors(D, seed=2),)),
        TestCase("keys of one head", (vectors(T, D, seed=3),)),
        TestCase("short vectors", (vectors(T, D, seed=6) / 2**14,)),
        TestCase("4 bits", (vectors(B, H, T, D, seed=4, bits=4), 4)),
        TestCase("bfloat16", (vectors(B, H, T, 13, seed=5, dtype=torch.bfloat16),)),
    ),
    minimal_inputs=tuple(
        (torch.tensor(x), 4) for x in ([1.0, 7], [1.0, -7], [2.8, 7], [5.6, 14], [[1.0, 7], [6, 14]], [0.0001, 0.0007])
    ),
    properties=(properties.FINITE,),
    behavioral_tests=(zeros,),
)
