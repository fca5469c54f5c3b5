"""additive_mask: the reference, its test cases, and a sentence about the first wrong entry."""

import torch

from exercises.common.inputs import AXES, CAUSAL, B, H, S, T, padded, some_hidden
from feedback import Property, TestCase, explainers
from feedback.format import position, sentence
from feedback.page_exercise import exercise


def additive_mask(mask, dtype):
    zeros = torch.zeros(mask.shape, dtype=dtype, device=mask.device)
    return zeros.masked_fill(~mask, torch.finfo(dtype).min)


def shown(case):
    """Show the first wrong entry, the mask there, and the right number."""
    mask, dtype = case.args
    wrong = (case.actual.double() != case.expected.double()) | case.actual.isnan()
    if not wrong.any():
        return explainers.entry(case)
    at = tuple(int(i) for i in wrong.nonzero()[0])
    return (
        f"for {dtype} your number at {position(at)} is {case.actual[at].item():.8g}, where the bool mask is "
        f"{bool(mask[at])}; {case.expected[at].item():.8g} is right"
    )


def case(name, mask, dtype=torch.float32):
    """Return a test case in which the result must be exactly right; -0.0 equals 0."""
    return TestCase(f"{name}, {str(dtype).replace('torch.', '')}", (mask, dtype), rtol=0.0, atol=0.0)


def entries_where(wanted, hint):
    """Return a property of the entries where the mask is `wanted`."""

    def test(comparison):
        mask, _ = comparison.args
        at = mask if wanted else ~mask
        actual, expected = (x.double()[at] for x in (comparison.actual, comparison.expected))
        return None if torch.equal(actual, expected) else sentence(shown(comparison))

    return Property("visible-not-0" if wanted else "hidden-not-lowest", test, hint)


ALL_HIDDEN = torch.zeros(T, S, dtype=torch.bool)

EXERCISE = exercise(
    additive_mask,
    returns=("added",),
    axis_names=AXES,
    stage_of=lambda args: int(args[1] != torch.float32),  # other dtypes have other lowest numbers
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
    ),
    minimal_inputs=tuple(
        (torch.tensor(mask), dtype)
        for dtype in (torch.float32, torch.float16, torch.float64, torch.bfloat16)
        for mask in ([True, False], [[True, False], [True, True]])
    ),
    error_meanings=(
        (
            r"finfo\(\) requires a floating point input type",
            "`torch.finfo` describes a dtype of floats: ask about dtype, not about `mask.dtype`, which is bool.",
        ),
        (
            r"not (torch\.)?finfo|finfo'|torch\.iinfo\(\)",
            "`torch.finfo(dtype)` describes a dtype; its lowest number is `torch.finfo(dtype).min`.",
        ),
    ),
    properties=(
        entries_where(
            True,
            "Visible scores stay as they are: which number changes nothing when it is added? (`~` turns around "
            "bool alone: of a whole number n it makes -1 - n.)",
        ),
        entries_where(False, "`torch.finfo(dtype).min` is the lowest finite number of a dtype."),
    ),
)
