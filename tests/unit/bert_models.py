"""Random tensors, masks and parameters, small BERTs that are made from them, and comparisons of outputs."""

import torch

from helpers.bert import POSITIONS, BertAttention, BertConfig, BertModel

ROUNDING = 5e-6  # float32
B, H, D, T, S, M = 2, 5, 3, 7, 11, 13
C = H * D
RELATIVE = POSITIONS[1:]
SMALL = {
    "hidden_size": C,
    "num_attention_heads": H,
    "max_position_embeddings": M,
    "num_hidden_layers": 2,
    "intermediate_size": 17,
    "vocab_size": 19,
    "type_vocab_size": 3,
}


def random(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def config(kind="absolute", **options):
    return BertConfig(**(SMALL | {"position_embedding_type": kind} | options))


def filled(module):
    """Set larger parameters than the initial ones, so that attention is far from uniform; float64, evaluation mode."""
    for i, parameter in enumerate(module.parameters()):
        parameter.data = random(*parameter.shape, seed=100 + i) * 0.4
    return module.eval()


def attention(kind="absolute", **options):
    return filled(BertAttention(config(kind, **options)))


def model(kind="absolute", **options):
    return filled(BertModel(config(kind, **options)))


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
