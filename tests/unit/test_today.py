"""The decoder of today and its norm: masks, weights and errors. test_ports_published.py compares it with a Llama."""

import pytest
import torch
import torch.nn.functional as F

from helpers.norms import RMSNorm, rms_norm
from helpers.today import TodayBlock, TodayConfig, TodayDecoder
from tests.unit.refusals import require_refused
from tests.unit.tensors import agree, filled, random, some_mask

B, T, V, C, H, G, L = 3, 7, 13, 24, 6, 2, 2


def model(dtype=torch.float64):
    config = TodayConfig(V, d_model=C, num_heads=H, groups=G, num_layers=L, d_ff=31, base=500.0)
    return filled(TodayDecoder(config)).to(dtype)


def some_ids(rows=B, length=T, seed=0):
    return torch.randint(V, (rows, length), generator=torch.Generator().manual_seed(seed))


def test_rms_norm_is_pytorch_s():
    x, weight = random(B, T, C), random(C, seed=1)
    x[0, 2] /= 500  # a faint vector, for which eps counts
    made = RMSNorm(C, 0.1).double()
    assert torch.equal(made.weight, torch.ones(C))
    made.weight.data = weight
    agree(made(x), F.rms_norm(x, (C,), weight, 0.1))
    agree(rms_norm(x, weight), F.rms_norm(x, (C,), weight, 1e-6))
    assert RMSNorm(C).eps == 1e-6 and rms_norm(x.bfloat16(), weight.float()).dtype == torch.bfloat16
    zeros = torch.zeros(2, C, requires_grad=True)
    rms_norm(zeros, torch.ones(C)).sum().backward()
    assert zeros.grad.isfinite().all() and rms_norm(zeros[:0], torch.ones(C)).shape == (0, C)


def test_a_block_attends_where_the_mask_says():
    block, x, mask = filled(TodayBlock(C, H, G, 31)), random(B, T, C), some_mask(B, 1, T, T)
    agree(block(x, mask)[1], block.attention(rms_norm(x, block.norm1.weight), mask)[1])


def test_the_model_is_its_blocks_between_one_table_and_looking_gives_the_weights_of_each_layer():
    made, ids = model(), some_ids()
    x, layers = made.tokens.weight[ids], []
    for block in made.blocks:
        x, weights, _ = block(x)
        layers.append(weights)
    logits = rms_norm(x, made.norm.weight) @ made.tokens.weight.T
    agree(made(ids)[0], logits)
    assert layers[0].shape == (B, H, T, T)
    _, past = made(ids[:, :4])
    agree(made.look(ids[:, 4:], past), (logits[:, 4:], [weights[:, :, 4:] for weights in layers]))


def test_an_untrained_layer_gives_numbers_as_large_as_it_gets():
    for name, parameter in TodayDecoder(TodayConfig(97)).named_parameters():
        if parameter.dim() == 2:
            assert parameter.std().item() * parameter.size(-1) ** 0.5 == pytest.approx(1, rel=0.05), name


IDS = torch.zeros(2, 3, dtype=torch.long)


def test_errors_are_one_sentence():
    require_refused(
        ("ValueError: C is 3 in x and 4 in weight", lambda: rms_norm(torch.ones(2, 3), torch.ones(4))),
        ("ValueError: d must be at least 1, got 0", lambda: RMSNorm(0)),
        ("ValueError: must divide num_heads, got 3 groups for num_heads = 4", lambda: TodayConfig(V, groups=3)),
        ("ValueError: num_heads must divide d_model", lambda: TodayConfig(V, num_heads=5, groups=5)),
        ("ValueError: d_ff must be at least 1, got 0", lambda: TodayConfig(V, d_ff=0)),
        ("ValueError: ids must be (B, T), got (3,)", lambda: model()(IDS[0])),
        ("TypeError: past must be what the model returned with its logits", lambda: model()(IDS, IDS)),
        ("ValueError: past must hold keys (2, 2, S, 4)", lambda: model()(IDS, model()(IDS[:1])[1])),
    )
