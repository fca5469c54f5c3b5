"""Attention in tiles: outputs and gradients as PyTorch's, and no tensor as large as the table of scores."""

import pytest
import torch
import torch.nn.functional as F

from exercises.common.sizes import LargestTensor
from helpers.online import partial_attention
from helpers.tiled import tiled_attention, tiled_backward, tiles
from tests.unit.refusals import require_refused
from tests.unit.tensors import agree, random

B, H, T, S, D, E = 2, 3, 7, 17, 11, 13


def qkv(rows=T):
    return random(B, H, rows, D), random(B, H, S, D, seed=1), random(B, H, S, E, seed=2)


@pytest.mark.parametrize("tile", [1, 5, 17, 40])
@pytest.mark.parametrize("rows, causal", [(T, False), (S, True)])
def test_out_and_lse_are_those_of_the_whole_table_and_so_are_their_gradients(tile, rows, causal):
    inputs = [x.requires_grad_() for x in qkv(rows)]
    mask = torch.ones(rows, S, dtype=torch.bool).tril() if causal else None
    found, expected = tiled_attention(*inputs, tile, causal), partial_attention(*inputs, mask)
    agree(found, expected)
    agree(found[0], F.scaled_dot_product_attention(*inputs, is_causal=causal))
    mixes = random(B, H, rows, E, seed=8), random(B, H, rows, seed=9)
    sums = [sum((x * mix).sum() for x, mix in zip(given, mixes, strict=True)) for given in (found, expected)]
    agree(*(torch.autograd.grad(each, inputs) for each in sums))


@pytest.mark.parametrize("causal", [False, True])
def test_gradients_of_gradients(causal):
    inputs = [random(3, 2, seed=seed).requires_grad_() for seed in range(3)]
    assert torch.autograd.gradgradcheck(lambda *given: tiled_attention(*given, 2, causal), inputs)


@pytest.mark.parametrize("dtype, tolerance", [(torch.float32, 2e-6), (torch.bfloat16, 0.01), (torch.float16, 2e-3)])
def test_sums_are_kept_in_float32_at_least(dtype, tolerance):
    given = [x.to(dtype).requires_grad_() for x in qkv()]
    exact = [x.detach().double().requires_grad_() for x in given]
    (out, lse), (expected, expected_lse) = tiled_attention(*given, 3), tiled_attention(*exact, 3)
    assert out.dtype == dtype and lse.dtype == torch.float32
    assert (out - expected).abs().max() < tolerance and (lse - expected_lse).abs().max() < 2e-6
    mix = random(B, H, T, E, seed=9)
    gradients = torch.autograd.grad((out.double() * mix).sum(), given)
    for found, right in zip(gradients, torch.autograd.grad((expected * mix).sum(), exact), strict=True):
        assert found.dtype == dtype and (found - right).abs().max() < 10 * tolerance


@pytest.mark.parametrize("causal", [False, True])
def test_the_table_is_never_made(causal):
    b, h, n, d, tile = 2, 3, 120, 3, 10
    inputs = [random(b, h, n, d, seed=seed).requires_grad_() for seed in range(3)]
    with LargestTensor() as there:
        out, _ = tiled_attention(*inputs, tile, causal)
    with LargestTensor() as and_back:
        out.sum().backward()
    assert there.elements <= b * h * n * d and and_back.elements <= b * h * n * d  # the table has 40 times as many
    with LargestTensor() as explicit:
        partial_attention(*inputs)
    assert explicit.elements == b * h * n * n


def test_between_the_passes_only_inputs_out_and_lse_are_kept():
    inputs, kept = [x.requires_grad_() for x in qkv()], []
    with torch.autograd.graph.saved_tensors_hooks(kept.append, lambda x: x):
        out, lse = tiled_attention(*inputs, 5)
    assert [x.shape for x in kept] == [x.shape for x in (*inputs, out, lse)]


@pytest.mark.parametrize(
    "T, S, tile, causal", [(7, 17, 5, False), (5, 4, 9, False), (12, 12, 3, True), (13, 13, 3, True)]
)
def test_tiles_cover_each_visible_pair_once_and_no_tile_is_read_in_vain(T, S, tile, causal):
    read, visible = torch.zeros(T, S), torch.ones(T, S)
    visible = visible.tril() if causal else visible
    for rows, columns in tiles(T, S, tile, causal):
        for part in columns:
            assert rows.stop - rows.start <= tile and part.stop - part.start <= tile and visible[rows, part].any()
            read[rows, part] += 1
    assert (read * visible == visible).all() and read.max() == 1


Q, K = torch.zeros(2, 3, 4), torch.zeros(2, 5, 4)
OUT, LSE = torch.zeros(2, 3, 4), torch.zeros(2, 3)


def test_errors_are_one_sentence():
    require_refused(
        ("ValueError: tile must be at least 1, got 0", lambda: tiled_attention(Q, K, K, 0)),
        ("ValueError: the axes at the dots differ", lambda: tiled_attention(Q, K, K[:1])),
        ("ValueError: got T = 3 and S = 5: which key is 'now'", lambda: tiled_attention(Q, K, K, causal=True)),
        ("ValueError: T is 3 in q and 5 in d_out", lambda: tiled_backward(Q, K, K, OUT, LSE, K)),
        ("ValueError: tile must be at least 1", lambda: tiled_backward(Q, K, K, OUT, LSE, OUT, 0)),
    )
