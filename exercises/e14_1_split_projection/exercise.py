"""Exercise 14.1: split_projection."""

import torch

from exercises.common.inputs import normal, round_numbers
from exercises.e14_1_split_projection.misconceptions import known
from exercises.e14_1_split_projection.reference import split_projection
from feedback import Exercise, FunctionRunner, TestCase

LAYOUTS = ("stacked", "interleaved", "transposed")


def case(num_heads, width, layout, seed, dtype=torch.float32):
    C = num_heads * width
    shape = (C, 3 * C) if layout == "transposed" else (3 * C, C)
    name = f"{layout}, {num_heads} heads of {width} features"
    return TestCase(name, (normal(*shape, seed=seed, dtype=dtype), num_heads, layout))


def small(num_heads, layout):
    weight = round_numbers(12, 4)
    return weight.T.contiguous() if layout == "transposed" else weight, num_heads, layout


def call(attempt, *args):
    """The three weights of an attempt as a tuple: a list of three or one tensor (3, C, C) holds the same."""
    value = attempt(*args)
    is_three = isinstance(value, list) or (isinstance(value, torch.Tensor) and value.dim() == 3)
    return tuple(value) if is_three else value


EXERCISE = Exercise(
    minutes=12,
    difficulty=2,
    gives="three weights (C, C), those of q, k and v, as `nn.Linear` holds them, with the heads in order, from one "
    'weight (3C, C) whose rows are "stacked" or "interleaved", or from a "transposed" one (C, 3C), which is stacked '
    "along its columns",
    reference=split_projection,
    returns=("q", "k", "v"),
    runner=FunctionRunner(call),
    stage_of=lambda args: LAYOUTS.index(args[2]),
    axis_names={10: "C", 30: "3C", 21: "C", 63: "3C", 6: "C", 18: "3C"},
    square=("weight",),
    cases=(
        case(2, 5, "stacked", 1),
        case(3, 7, "stacked", 2, torch.float64),
        case(2, 5, "interleaved", 3),
        case(3, 7, "interleaved", 4),
        case(1, 10, "interleaved", 5),
        case(10, 1, "interleaved", 6),
        case(2, 3, "interleaved", 7, torch.float64),
        case(2, 5, "transposed", 8),
        case(3, 7, "transposed", 9),
        case(2, 3, "transposed", 10, torch.float64),
    ),
    minimal_inputs=tuple(small(2, layout) for layout in LAYOUTS),
    misconceptions=known,
    hints=(
        "Write down for C = 4 and 2 heads what each of the 12 rows is: q, k or v, of which head? Once for each layout.",
        "In which layout is `weight.chunk(3)` the answer? Which of the other two becomes that layout by swapping its "
        "two axes?",
        "For the interleaved rows: which three axes does the number of a row consist of, from the slowest to the "
        "fastest? `unflatten` gives you these axes; which of them must come first, and which are joined again?",
    ),
    when_correct="With these three weights a fused module runs on yours. Biases, (3C,), are cut in the same way.",
)
