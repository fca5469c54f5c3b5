"""The course's own answer to exercise 4.1."""

import torch


def dropout(x, p, generator=None):
    keep = (
        torch.rand(x.shape, generator=generator, device="cpu") >= p
    )  # one draw for each number, where the generator is
    return x * keep.to(x.device) / (1 - p)
