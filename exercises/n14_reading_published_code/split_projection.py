"""split_projection: the reference, an explainer and the test cases; the page next to it says the rest."""

import torch

from exercises.common import explainers
from exercises.common.inputs import normal, round_numbers
from feedback import FunctionRunner, TestCase
from feedback.page_exercise import exercise


def split_projection(weight, num_heads, layout):
    if layout == "transposed":
        weight = weight.T  # (C, 3C) -> (3C, C)
    if layout == "interleaved":
        heads = weight.unflatten(0, (num_heads, 3, -1))  # (H, 3, D, C)
        weight = heads.transpose(0, 1).flatten(0, 2)  # (3, H, D, C) -> (3C, C)
    return weight.chunk(3)


def which_row(case):
    """Show the first wrong row, and which row of the fused weight it is."""
    weight, _, layout = case.args
    rows = weight.T if layout == "transposed" else weight
    for name, actual, expected in case.leaves:
        if not isinstance(actual, torch.Tensor) or actual.shape != expected.shape:
            break
        wrong = (actual != expected).any(dim=-1)
        if wrong.any():
            at = int(wrong.nonzero()[0])
            mine, right_one = (explainers.number_of_row(rows, table[at]) for table in (actual, expected))
            if mine is not None and right_one is not None:
                return f"row {at} of your {name} is row {mine} of the fused weight; row {right_one} is right"
            break
    return explainers.entry(case)


LAYOUTS = ("stacked", "interleaved", "transposed")


def case(num_heads, width, layout, seed, dtype=torch.float32):
    C = num_heads * width
    shape = (C, 3 * C) if layout == "transposed" else (3 * C, C)
    name = f"{layout}, {num_heads} heads of {width} features"
    return TestCase(name, (normal(*shape, seed=seed, dtype=dtype), num_heads, layout))


def small(layout):
    weight = round_numbers(6, 2)
    return weight.T.contiguous() if layout == "transposed" else weight, 2, layout


def call(attempt, *args):
    """Return the three weights as a tuple; a list of three or one tensor (3, C, C) is accepted, too."""
    value = attempt(*args)
    is_three = isinstance(value, list) or (isinstance(value, torch.Tensor) and value.dim() == 3)
    return tuple(value) if is_three else value


EXERCISE = exercise(
    split_projection,
    returns=("q", "k", "v"),
    runner=FunctionRunner(call),
    stage_of=lambda args: LAYOUTS.index(args[2]),
    axis_names={10: "C", 30: "3C", 21: "C", 63: "3C", 6: "C", 18: "3C"},
    square=("weight",),
    cases=(
        case(2, 5, "stacked", 1),
        case(2, 5, "interleaved", 3),
        case(3, 7, "interleaved", 4),
        case(10, 1, "interleaved", 6),
        case(2, 5, "transposed", 8),
        case(2, 3, "transposed", 10, torch.float64),
    ),
    minimal_inputs=tuple(small(layout) for layout in LAYOUTS),
)
