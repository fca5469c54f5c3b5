"""The models that exercise 3.6 is judged on: noise shows the leaks that the reference finds, and no others."""

import pytest
import torch

from exercises import EXERCISES

NOISE = {
    "noise is added": lambda x: x + torch.randn_like(x),
    "large noise is added": lambda x: x + 100 * torch.randn_like(x),
    "another vector": torch.randn_like,
}
OTHER_CHANGES = {
    "1 is added": lambda x: x + 1,
    "10 is added": lambda x: x + 10,
    "zeros": torch.zeros_like,
    "the opposite": torch.neg,
    "twice as long": lambda x: 2 * x,
}
CHANGES = NOISE | OTHER_CHANGES
CASES = EXERCISES["3.6"].cases
BY_NOISE_ALONE = {  # where other changes are told to be too few
    "attention without a mask, where padding is zeros",
    "attention without a mask after a LayerNorm",
}
PROMISED = [(case, name) for case in CASES for name in (NOISE if case.name in BY_NOISE_ALONE else CHANGES)]


@pytest.mark.parametrize("case, name", PROMISED, ids=lambda part: getattr(part, "name", part))
def test_a_change_shows_exactly_the_leaks_by_more_than_a_thousandth(case, name):
    attend, x = case.args
    leaks = EXERCISES["3.6"].reference(attend, x)
    before = attend(x)
    for seed in range(5):
        torch.manual_seed(seed)
        other = CHANGES[name](x)
        for j in range(x.size(1)):
            changed = torch.cat([x[:, :j], other[:, j : j + 1], x[:, j + 1 :]], dim=1)
            moved = (attend(changed) - before).abs().amax(dim=(0, 2))
            for i in range(j):
                assert moved[i] > 1e-3 if (i, j) in leaks else moved[i] < 5e-6, (i, j, moved[i])


def test_honest_and_leaky_models_are_both_among_them():
    leaks = [EXERCISES["3.6"].reference(*case.args) for case in CASES]
    assert [] in leaks and all((i, i + 1) in sum(leaks, []) for i in range(3)) and [(1, 3)] in leaks
