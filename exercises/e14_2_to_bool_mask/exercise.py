"""Exercise 14.2: to_bool_mask."""

import torch

from exercises.common.inputs import AXES, CAUSAL, B, H, S, T, padded, some_hidden
from exercises.e14_2_to_bool_mask.misconceptions import known
from exercises.e14_2_to_bool_mask.reference import to_bool_mask
from feedback import Exercise, TestCase

CONVENTIONS = ("hidden", "added", "padding")
REAL = padded(3, 6).squeeze(1)  # (B, S)


def hidden(name, keep):
    return TestCase(f"hidden, {name}", (~keep, "hidden"))


def added(name, keep, number, dtype=torch.float32, zero=0.0):
    return TestCase(
        f"added, {name}, {number:.3g}, {str(dtype).removeprefix('torch.')}",
        (torch.full(keep.shape, zero, dtype=dtype).masked_fill(~keep, number), "added"),
    )


def padding(name, real, dtype):
    return TestCase(f"padding, {name}, {str(dtype).removeprefix('torch.')}", (real.to(dtype), "padding"))


EXERCISE = Exercise(
    minutes=10,
    difficulty=2,
    gives='the mask as this course has it, bool, True = may attend: of the same shape for "hidden" and "added", and '
    '(B, 1, 1, S) for "padding"',
    reference=to_bool_mask,
    returns=("mask",),
    axis_names=AXES,
    stage_of=lambda args: CONVENTIONS.index(args[1]),
    cases=(
        hidden("a causal mask (T, T)", CAUSAL),
        hidden("a mask (B, H, T, S)", some_hidden(B, H, T, S)),
        hidden("a row of keys (S,)", some_hidden(S)),
        added("a causal mask (T, T)", CAUSAL, torch.finfo(torch.float32).min),
        added("a mask (B, 1, T, S)", some_hidden(B, 1, T, S), float("-inf")),
        added("a mask (B, 1, 1, S)", REAL[:, None, None], -10_000.0, zero=-0.0),  # from (1 - mask) * -10_000
        added("a mask (T, S)", some_hidden(T, S), torch.finfo(torch.float16).min, torch.float16),
        added("nothing hidden (T, S)", torch.ones(T, S, dtype=torch.bool), 0.0),
        padding("two texts", REAL, torch.int64),
        padding("three texts", padded(5, 2, 7).squeeze(1), torch.float32),
        padding("padding in front", REAL.flip(-1), torch.int64),
        padding("as many texts as positions", some_hidden(S, S), torch.int32),
    ),
    minimal_inputs=(
        (torch.tensor([[False, True], [False, False]]), "hidden"),
        (torch.tensor([[0.0, torch.finfo(torch.float32).min], [0.0, 0.0]]), "added"),
        (torch.tensor([[0.0, float("-inf")], [0.0, 0.0]]), "added"),
        (torch.tensor([[0.0, -10_000.0], [0.0, 0.0]]), "added"),
        (torch.tensor([[1, 1, 0], [1, 0, 0]]), "padding"),
    ),
    misconceptions=known,
    dtype_hints={"mask": "A mask of this course holds True and False; a comparison such as `==` gives it"},
    hints=(
        "For each convention: which value stands for a key that may be read? Compare with that value alone.",
        "In an added mask only one number leaves a score as it is. Which one? Nothing need be known of the others.",
        "A table (B, S) has to broadcast to (B, H, T, S), which aligns axes from the right: which axes of size 1 are "
        "missing, and between which two of its own?",
    ),
    when_correct="Three conventions in, one out: the rest of your code never has to ask again.",
)
