"""The course's own answer to exercise 13.6."""

import torch


def test_modes(module):
    """Evaluation is repeatable and drops nothing; training drops other numbers in each call, and keeps the mean.

    Shapes: module takes x (B, T, C) to (B, T, C)
    """
    x = torch.randn(1, 1, 4).expand(4000, 1, 4)  # equal items, in which other numbers are dropped
    still = module.eval()(x)
    for _ in range(2):  # back and forth
        module.train()
        one, other = module(x), module(x)
        assert (one - other).abs().max() > 1e-2, "two calls in training are alike"
        mean = (one + other).mean(0) / 2  # (1, 4), of 8,000 draws
        assert (mean - still[0]).abs().max() < 0.06, "the mean in training is not what evaluation gives"
        module.eval()
        assert (module(x) - still).abs().max() < 1e-4, "evaluation changes"
        assert (module(x) - still).abs().max() < 1e-4, "evaluation changes from call to call"
