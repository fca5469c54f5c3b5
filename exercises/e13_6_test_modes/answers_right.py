"""Right tests for exercise 13.6, in many styles: the checker must accept all of them."""

import torch

from feedback.bank import RightAnswers
from helpers.suspicions import assert_modes

right = RightAnswers()


@right
def helper(module):
    assert_modes(module, torch.randn(2, 1, 3), draws=1500)


@right
def many_calls(module):
    x = torch.randn(2, 3, 4)
    module.eval()
    still = module(x)
    if not torch.allclose(module(x), still, atol=1e-4):
        return False
    module.train()
    outs = torch.stack([module(x) for _ in range(600)])
    if torch.allclose(outs[0], outs[1], atol=1e-3) or (outs.mean(0) - still).abs().mean() > 0.06:
        return False
    module.eval()
    first, second = module(x), module(x)
    if not (torch.allclose(first, still, atol=1e-4) and torch.allclose(second, still, atol=1e-4)):
        return False
    module.train()
    return not torch.allclose(module(x), still, atol=1e-3)


@right
@torch.no_grad()
def a_large_batch(module):
    x = torch.rand(1, 5, 2).repeat(10000, 1, 1)
    for _ in range(3):
        module.train()
        a, b = module(x), module(x)
        assert not torch.isclose(a, b, atol=1e-2).all()
        module.eval()
        c, d = module(x), module(x)
        torch.testing.assert_close(c, d, rtol=0, atol=1e-4)
        assert (torch.cat([a, b]).mean(0) - c[7]).abs().max() < 0.08
    e = module(x)
    assert torch.allclose(c, e, atol=1e-4)


@right
def each_mode_three_times(module):
    x = torch.randn(1, 1, 1000)
    evaluations, trainings = [], []
    for _ in range(3):
        module.train(False)
        evaluations += [module(x), module(x)]
        module.train(True)
        trainings += [module(x) for _ in range(40)]
    assert max((a - evaluations[0]).abs().max().item() for a in evaluations) < 5e-5
    for a, b in zip(trainings, trainings[1:], strict=False):
        assert (a - b).abs().max() > 1e-2
    mean = torch.stack(trainings).mean(0)  # of 120 draws: off by 0.09 or less for nearly all of 1000 numbers
    assert (mean - evaluations[0]).abs().mean() < 0.095


@right
def with_differences_from_evaluation(module):
    x = torch.zeros(3000, 1, 6)
    still = module.eval()(x).detach()
    noise = []
    for _ in range(2):
        noise += [module.train()(x).detach() - still for _ in range(2)]
        assert (module.eval()(x) - still).abs().max() < 1e-4
        assert (module.eval()(x) - still).abs().max() < 1e-4
    assert all(each.abs().max() > 1e-2 for each in noise)
    assert all((a - b).abs().max() > 1e-2 for a, b in zip(noise, noise[1:], strict=False))
    assert torch.stack(noise).mean((0, 1)).abs().max() < 0.07
    assert still.std(0).max() < 1e-3  # equal items, and nothing is dropped
