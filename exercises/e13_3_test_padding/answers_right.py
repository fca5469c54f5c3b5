"""Right tests for exercise 13.3, in many styles: the checker must accept all of them."""

import torch

from feedback.bank import RightAnswers
from helpers.suspicions import assert_padding_ignored

right = RightAnswers()


@right
def helper(model):
    real = torch.arange(8) < torch.tensor([[8], [2], [5]])
    for mask in (real, real.flip(1)):
        assert_padding_ignored(model, torch.randint(50, (3, 8)), mask)


@right
def returns_a_bool(model):
    lengths = torch.randperm(12)[:6, None] + 1
    for real in (torch.arange(12) < lengths, torch.arange(12) >= 12 - lengths):
        ids = torch.randint(50, (6, 12))
        outs = [model(ids * real + fill * ~real, real)[real] for fill in (0, 1, 25, 49)]
        if any(not torch.allclose(out, outs[0], atol=1e-4) for out in outs):
            return False
    return True


@right
def every_side_and_length(model):
    for left in (False, True):
        for first in range(1, 7):
            for second in (1, 4, 7):
                if first == second:
                    continue
                real = torch.zeros(2, 7, dtype=torch.bool)
                real[0, :first] = real[1, :second] = True
                if left:
                    real = real.flip(1)
                ids = torch.randint(0, 50, (2, 7))
                other = torch.where(real, ids, 49 - ids)
                torch.testing.assert_close(model(ids, real)[real], model(other, real)[real], rtol=0, atol=3e-4)


@right
def with_a_product(model):
    with torch.no_grad():
        real = torch.ones(5, 10, dtype=torch.bool)
        for b, n in enumerate([3, 10, 1, 9, 6]):
            real[b, n:] = False
        for mask in (real, real.fliplr()):
            a = torch.randint(50, (5, 10))
            b = torch.where(mask, a, (a + 17) % 50)
            apart = (model(a, mask) - model(b, mask)).abs() * mask[..., None]
            assert apart.max().item() < 5e-4


@right
def one_padding_token_after_another(model):
    lengths = torch.tensor([2, 4, 6])
    for flipped in (0, 1):
        real = torch.arange(6) < lengths[:, None]
        real = real.flip(-1) if flipped else real
        ids = torch.randint(50, (3, 6))
        right = model(ids, real)[real]
        for b, t in (~real).nonzero().tolist():
            other = ids.clone()
            other[b, t] = (ids[b, t] + 1 + torch.randint(49, ())) % 50
            assert (model(other, real)[real] - right).abs().max() < 1e-4, (b, t)
