"""Right tests for exercise 13.2, in many styles: the checker must accept all of them."""

import math

import torch

from feedback.bank import RightAnswers
from helpers.suspicions import assert_scale

right = RightAnswers()


@right
def helper(scores_of):
    assert_scale(scores_of)


@right
def returns_a_bool(scores_of):
    for width in range(2, 129, 21):
        for D in (width, width + 1):
            q, k = torch.rand(3, 4, 6, D), torch.rand(3, 4, 5, D)
            if not torch.allclose(scores_of(q, k), torch.einsum("bhtd,bhsd->bhts", q, k) / D**0.5, atol=1e-4):
                return False
    return True


@right
def with_assert_close(scores_of):
    for width in (3, 66, 127):
        q, k = torch.randn(2, 2, 3, width), torch.randn(2, 2, 4, width)
        torch.testing.assert_close(scores_of(q, k), (q / math.sqrt(width)) @ k.mT, rtol=1e-4, atol=1e-4)


@right
def by_loops(scores_of):
    for D in (5, 90):
        q, k = torch.randn(2, 2, 3, D), torch.randn(2, 2, 2, D)
        scores = scores_of(q, k).tolist()
        for b in range(2):
            for h in range(2):
                for t in range(3):
                    for s in range(2):
                        right = (
                            sum(x * y for x, y in zip(q[b, h, t].tolist(), k[b, h, s].tolist(), strict=True)) / D**0.5
                        )
                        assert abs(scores[b][h][t][s] - right) < 2e-4


@right
def what_the_scores_are_multiplied_with(scores_of):
    for D in (7, 101):
        q = torch.randn(4, 3, 9, D, dtype=torch.float32)
        k = torch.randn(4, 3, 11, D, dtype=torch.float32)
        back = scores_of(q, k) * math.sqrt(D) - q @ k.transpose(2, 3)
        assert back.abs().max() < 5e-4 * math.sqrt(D)


@right
def all_widths(scores_of):
    with torch.no_grad():
        for D in range(2, 129):
            q, k = torch.randn(2, 2, 1, D), torch.randn(2, 2, 3, D)
            if (scores_of(q, k) - (q * D**-0.5) @ k.transpose(-1, -2)).abs().amax().item() > 1e-4:
                return False
    return None
