"""When two results are equal, and when two pieces of code behave the same way."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import torch
from torch import allclose as close

from feedback.errors import kind
from feedback.exercise import TestCase
from feedback.sandbox import Run


def allclose(actual: Any, expected: Any, case: TestCase, equal_nan: bool = False) -> bool:
    """Whether a result is the expected one, within the tolerances of the test case."""
    if isinstance(expected, (tuple, list)):
        return (
            isinstance(actual, tuple if isinstance(expected, tuple) else list)
            and len(actual) == len(expected)
            and all(allclose(a, b, case, equal_nan) for a, b in zip(actual, expected, strict=True))
        )
    if isinstance(expected, Integral) and isinstance(actual, Integral):
        return int(actual) == int(expected)  # a whole number of NumPy is as good
    if not isinstance(expected, torch.Tensor) or not isinstance(actual, torch.Tensor):
        return type(actual) is type(expected) and actual == expected
    if any(getattr(actual, name) != getattr(expected, name) for name in ("layout", "shape", "dtype", "device")):
        return False
    return close(actual.detach(), expected.detach(), rtol=case.rtol, atol=case.atol, equal_nan=equal_nan)


def same_behavior(a: Run, b: Run, case: TestCase, meanings: tuple = ()) -> bool:
    """Whether two runs gave the same result, or raised the same kind of exception."""
    if a.error is not None or b.error is not None:
        return a.error is not None and b.error is not None and kind(a.error, meanings) == kind(b.error, meanings)
    return not _clearly_differ(a, b, case) and allclose(a.value, b.value, case, equal_nan=True)


def _clearly_differ(a: Run, b: Run, case: TestCase) -> bool:
    """Whether a few numbers lie twice as far apart as is allowed: most wrong results do, and need no `allclose`."""
    pairs = zip(a.sample, b.sample, strict=False)  # a NaN is never far from anything: `allclose` decides
    return any(abs(x - y) > 2 * (case.atol + case.rtol * abs(y)) for x, y in pairs)


def same_shapes(actual: Any, expected: Any) -> bool:
    if isinstance(expected, list):
        return isinstance(actual, list)  # their lengths may differ: that is a mistake to be shown
    if isinstance(expected, tuple):
        return (
            isinstance(actual, tuple)
            and len(actual) == len(expected)
            and all(same_shapes(a, b) for a, b in zip(actual, expected, strict=True))
        )
    if expected is None:
        return actual is None
    return isinstance(actual, torch.Tensor) and actual.shape == expected.shape
