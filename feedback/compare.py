"""When two results are equal, and when two pieces of code behave the same way."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

import torch
from torch import allclose as close

from feedback import tree
from feedback.errors import kind
from feedback.exercise import TestCase
from feedback.sandbox import Run


def allclose(actual: Any, expected: Any, case: TestCase, equal_nan: bool = False) -> bool:
    """Whether a result is the expected one, within the tolerances of the test case."""
    if isinstance(expected, (tuple, list)):
        return (
            isinstance(actual, tuple if isinstance(expected, tuple) else list)
            and len(actual) == len(expected)
            and all(
                allclose(a, b, case, equal_nan)
                # in a list of ids, any type of integer will do, even True for 1
                or (
                    isinstance(expected, list)
                    and isinstance(a, Integral)
                    and isinstance(b, Integral)
                    and int(a) == int(b)
                )
                for a, b in zip(actual, expected, strict=True)
            )
        )
    if not isinstance(expected, torch.Tensor) or not isinstance(actual, torch.Tensor):
        return _same_value(actual, expected, case, equal_nan)
    if any(getattr(actual, name) != getattr(expected, name) for name in ("layout", "shape", "dtype", "device")):
        return False
    return close(actual.detach(), expected.detach(), rtol=case.rtol, atol=case.atol, equal_nan=equal_nan)


def same_kind(actual: Any, expected: Any) -> bool:
    """Whether a number or string has the expected type: an int may stand in for a float, a bool for neither."""
    wanted, got = tree.plain(expected), tree.plain(actual)
    return wanted is not None and (got is wanted or (got is int and wanted is float))


def _same_value(actual: Any, expected: Any, case: TestCase, equal_nan: bool) -> bool:
    """Whether two values other than tensors are equal. True equals 1 here: judge_contract tells them apart."""
    wanted, got = tree.plain(expected), tree.plain(actual)
    if wanted in (int, bool) and got in (int, bool):
        return int(actual) == int(expected)
    if wanted is not float:
        return (wanted is got if wanted else type(actual) is type(expected)) and bool(actual == expected)
    if not same_kind(actual, expected):
        return False
    if math.isnan(expected):
        return equal_nan and math.isnan(actual)
    return math.isclose(actual, expected, rel_tol=case.rtol, abs_tol=case.atol)


def same_behavior(a: Run, b: Run, case: TestCase, meanings: tuple = ()) -> bool:
    if a.error is not None or b.error is not None:
        return a.error is not None and b.error is not None and kind(a.error, meanings) == kind(b.error, meanings)
    return not _clearly_differ(a, b, case) and allclose(a.value, b.value, case, equal_nan=True)


def _clearly_differ(a: Run, b: Run, case: TestCase) -> bool:
    """Whether a sampled number is off by twice the tolerance. Most wrong results are, which saves an `allclose`."""
    pairs = zip(a.sample, b.sample, strict=False)  # no comparison with NaN is true: `allclose` decides
    return any(abs(x - y) > 2 * (case.atol + case.rtol * abs(y)) for x, y in pairs)


def same_shapes(actual: Any, expected: Any) -> bool:
    if isinstance(expected, list):
        return isinstance(actual, list)  # their lengths may differ: that is a mistake to show
    if isinstance(expected, tuple):
        return (
            isinstance(actual, tuple)
            and len(actual) == len(expected)
            and all(same_shapes(a, b) for a, b in zip(actual, expected, strict=True))
        )
    if expected is None:
        return actual is None
    if isinstance(expected, torch.Tensor):
        return isinstance(actual, torch.Tensor) and actual.shape == expected.shape
    return same_kind(actual, expected)
