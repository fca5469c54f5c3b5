"""The models that exercise 3.6 is judged on: noise shows the leaks that the reference finds, and no others."""

import pytest
import torch

from exercises import EXERCISES

NOISE = (
    lambda x: x + torch.randn_like(x),
    lambda x: x + 100 * torch.randn_like(x),
    torch.randn_like,
)
OTHER_CHANGES = (lambda x: x + 1, lambda x: x + 10, torch.zeros_like, torch.neg, lambda x: 2 * x)
CASES = EXERCISES["3.6"].cases
BY_NOISE_ALONE = {  # where other changes are told to be too few
    "attention without a mask, where padding is zeros",
    "attention without a mask after a LayerNorm",
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_change_shows_exactly_the_leaks_by_more_than_a_thousandth(case):
    attend, x = case.args
    leaks = EXERCISES["3.6"].reference(attend, x)
    before = attend(x)
    torch.manual_seed(0)
    for change in (*NOISE, *NOISE, *(OTHER_CHANGES if case.name not in BY_NOISE_ALONE else ())):
        other = change(x)
        for j in range(x.size(1)):
            changed = torch.cat([x[:, :j], other[:, j : j + 1], x[:, j + 1 :]], dim=1)
            moved = (attend(changed) - before).abs().amax(dim=(0, 2))
            for i in range(j):
                assert moved[i] > 1e-3 if (i, j) in leaks else moved[i] < 5e-6, (i, j, moved[i])
