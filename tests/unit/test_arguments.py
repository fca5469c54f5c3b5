"""Every function and module of `helpers` leaves its arguments unchanged, and computes in their dtype."""

import pytest
import torch

from tests.unit.cases import CASES, flat, moved

# The largest differences from float64 that rounding explains, relative to the largest number.
ROUNDING = {torch.float32: 2e-5, torch.bfloat16: 0.06}
EXACT = {"tiled.tiled_attention"}  # keeps lse in float32 at least
NOT_IN_BFLOAT16 = {"delta_parallel", "tiled_backward"}  # no solver on a CPU; lse would be inexact


@pytest.mark.parametrize("name", CASES)
def test_arguments_and_parameters_stay_as_they_are(name):
    function, given = CASES[name]
    own = list(function.state_dict().values()) if isinstance(function, torch.nn.Module) else []
    kept = [x.clone() for x in (*flat(given), *own)]
    function(*given)
    assert all(map(torch.equal, (*flat(given), *own), kept))


@torch.no_grad()
@pytest.mark.parametrize("dtype", ROUNDING, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_results_have_the_dtype_of_the_inputs_and_are_those_of_float64(name, dtype):
    if dtype == torch.bfloat16 and name in NOT_IN_BFLOAT16:
        return
    function, given = CASES[name]
    given = moved(given, dtype)
    found = [x for x in flat(moved(function, dtype)(*given)) if x.is_floating_point()]
    exact = [x for x in flat(moved(function, torch.float64)(*moved(given, torch.float64))) if x.is_floating_point()]
    for n, (mine, right) in enumerate(zip(found, exact, strict=True)):
        assert mine.dtype == (torch.float32 if n == 1 and name.split(",")[0] in EXACT else dtype)
        largest = right[right.isfinite()].abs().max().item()
        torch.testing.assert_close(mine.double(), right, rtol=0, atol=ROUNDING[dtype] * max(1, largest))
