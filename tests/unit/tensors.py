"""Random tensors, masks and parameters, and comparisons of outputs."""

import torch

ROUNDING = 5e-6  # float32


def random(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def filled(module):
    """Set larger parameters than the initial ones, so that attention is far from uniform; float64, evaluation mode."""
    for i, parameter in enumerate(module.parameters()):
        parameter.data = random(*parameter.shape, seed=100 + i) * 0.4
    return module.eval()


def some_mask(*shape):
    """A mask of half of the keys; if it has several queries, the first one sees no key at all."""
    mask = torch.rand(shape, generator=torch.Generator().manual_seed(5)) < 0.5
    mask[..., min(3, shape[-1] - 1)] = True
    if len(shape) > 1 and shape[-2] > 1:
        mask.view(-1, *shape[-2:])[0, 0] = False
    return mask


def agree(a, b):
    """Require equality up to rounding in float64."""
    torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


def difference(a, b):
    assert a.shape == b.shape
    return (a - b).abs().max().item()


def part(tensors, prefix):
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
