"""Exercise 6.6: additive_mask."""

import torch

from exercises.common.inputs import AXES, CAUSAL, B, H, S, T, padded, some_hidden
from exercises.e6_6_additive_mask.misconceptions import known, shown
from exercises.e6_6_additive_mask.reference import additive_mask
from feedback import Exercise, Property, TestCase
from feedback.format import sentence


def case(name, mask, dtype=torch.float32):
    """The result must be right to the last bit; -0.0 equals 0."""
    return TestCase(f"{name}, {str(dtype).replace('torch.', '')}", (mask, dtype), rtol=0.0, atol=0.0)


def stage_of(args):
    """float32 first; then the other dtypes, whose lowest numbers are others."""
    return int(args[1] != torch.float32)


def told(wanted, hint):
    """A property of the entries where the mask is `wanted`."""

    def test(comparison):
        mask, _ = comparison.args
        at = mask if wanted else ~mask
        actual, expected = (x.double()[at] for x in (comparison.actual, comparison.expected))
        return None if torch.equal(actual, expected) else sentence(shown(comparison))

    return Property("visible-not-0" if wanted else "hidden-not-lowest", test, hint)


ALL_HIDDEN = torch.zeros(T, S, dtype=torch.bool)

EXERCISE = Exercise(
    minutes=5,
    difficulty=1,
    gives="a tensor of the shape of mask in dtype, to be added to scores: 0 where mask is True (may attend), and the "
    "lowest finite number of dtype where it is False",
    reference=additive_mask,
    returns=("added",),
    axis_names=AXES,
    stage_of=stage_of,
    cases=(
        case("a causal mask (T, T)", CAUSAL),
        case("a padding mask (B, 1, 1, S)", padded(3, 6)[:, None]),
        case("a mask (B, H, T, S)", some_hidden(B, H, T, S)),
        case("a mask (S,)", some_hidden(S)),
        case("everything visible", ~ALL_HIDDEN),
        case("everything hidden", ALL_HIDDEN),
        case("a causal mask (T, T)", CAUSAL, torch.float16),
        case("a causal mask (T, T)", CAUSAL, torch.bfloat16),
        case("a causal mask (T, T)", CAUSAL, torch.float64),
        case("everything visible", ~ALL_HIDDEN, torch.float16),
        case("everything hidden", ALL_HIDDEN, torch.bfloat16),
        case("a mask (B, H, T, S)", some_hidden(B, H, T, S), torch.float64),
    ),
    minimal_inputs=tuple(
        (torch.tensor(mask), dtype)
        for dtype in (torch.float32, torch.float16, torch.float64, torch.bfloat16)
        for mask in ([True, False], [[True, False], [True, True]])
    ),
    misconceptions=known,
    error_meanings=(
        (
            r"finfo\(\) requires a floating point input type",
            "`torch.finfo` describes a dtype of floats: ask about dtype, not about `mask.dtype`, which is bool.",
        ),
        (
            r"not (torch\.)?finfo|finfo'|torch\.iinfo\(\)",
            "`torch.finfo(dtype)` describes a dtype; its lowest number is `torch.finfo(dtype).min`.",
        ),
        (
            r"value cannot be converted to type .* without overflow",
            "The number is lower than the lowest that this tensor can hold. Which dtype does the tensor have when the "
            "number comes in, and which one does your `torch.finfo(...)` ask about?",
        ),
    ),
    hints=(
        "Two numbers are enough. Which one changes no score when it is added? And where can you ask for the lowest "
        "number of a dtype?",
        "`torch.finfo(dtype).min` is the lowest. Begin with zeros of the shape and the dtype, "
        "`torch.zeros(mask.shape, dtype=dtype)`; then fill where mask is False. Which mask does `masked_fill` want?",
        "torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(~mask, torch.finfo(dtype).min)",
    ),
    properties=(
        told(
            True,
            "Visible scores stay as they are: which number changes nothing when it is added? (`~` turns around "
            "bool alone: of a whole number n it makes -1 - n.)",
        ),
        told(False, "`torch.finfo(dtype).min` is the lowest finite number of a dtype."),
    ),
    when_correct="Libraries whose masks are added to the scores can now read yours.",
)
