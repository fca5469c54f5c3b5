"""Splitting and merging heads; the two paths of MultiHeadAttention compared with each other.

Exercise 5.5 (test_finished.py) and torch.nn.MultiheadAttention (test_ports.py) show that each is right.
"""

import itertools
import math

import pytest
import torch
from torch import nn

from exercises.common.sizes import LargestTensor
from helpers.heads import MultiHeadAttention, merge_heads, split_heads
from helpers.masks import padding_mask
from tests.unit.refusals import require_refused
from tests.unit.tensors import random, some_mask

B, H, T, S, D = 2, 3, 5, 7, 11
C, F32 = H * D, torch.float32

# The largest differences that rounding alone explains, relative to the largest number: gradients add up many terms,
# and that of k_proj.bias is 0 up to rounding. One step of bfloat16 at 1 is 0.008.
TOLERANCE = {torch.float64: 1e-14, torch.float32: 2e-6, torch.bfloat16: 3e-2}
MASK_SHAPES = [
    *[(S,), (1, S), (T, S), (T, 1), (H, T, S), (H, 1, S), (1, T, S)],
    *[(B, 1, 1, S), (B, 1, T, S), (B, H, 1, S), (B, H, T, S), (1, H, T, S)],
]


def module(num_heads=H, dtype=F32, **options):
    """A module with larger parameters than PyTorch's initial ones, so that attention is far from uniform."""
    made = MultiHeadAttention(C, num_heads, **options)
    for i, parameter in enumerate(made.parameters()):
        parameter.data = random(*parameter.shape, seed=100 + i) * 0.25
    return made.to(dtype)


def outcome(attention, x, context=None, **options):
    """The output, and the gradients of x, of the context, and of every parameter."""
    leaves = [t.detach().clone().requires_grad_() for t in (x, context) if t is not None]
    out = attention(*leaves, **options)[0]
    weight = random(*out.shape, seed=9, dtype=out.dtype)
    return out, torch.autograd.grad((out * weight).sum(), [*leaves, *attention.parameters()])


def agree(a, b, dtype=F32):
    """Require tensors, or tuples of tensors, to be equal up to rounding."""
    largest = max(t.abs().max().item() for t in ([b] if isinstance(b, torch.Tensor) else b))
    torch.testing.assert_close(a, b, rtol=0, atol=TOLERANCE[dtype] * max(1, largest))


def paths_agree(attention, *inputs, dtype=F32, **options):
    fast, explicit = (outcome(attention, *inputs, **options, need_weights=n) for n in (False, True))
    agree(fast[0], explicit[0], dtype)
    agree(fast[1], explicit[1], dtype)


# ---------------------------------------------------------------- the fused path and the explicit path


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
def test_both_paths_agree_under_every_mask_in_outputs_and_gradients(dtype):
    attention, x, context = module(dtype=dtype), random(B, T, C, dtype=dtype), random(B, S, C, seed=1, dtype=dtype)
    for shape in MASK_SHAPES:
        paths_agree(attention, x, context, mask=some_mask(*shape), dtype=dtype)
    unseen = torch.arange(T) > 1  # the first rows see nothing
    for mask in (None, padding_mask([3, 5], T)[:, None], unseen):
        paths_agree(attention, x, mask=mask, causal=True, dtype=dtype)


def test_both_paths_agree_for_other_sizes():
    for num_heads, length, bias in itertools.product([1, D, C], [1, 2, T], [False, True]):
        attention, x = module(num_heads, torch.float64, bias=bias), random(B, length, C)
        paths_agree(attention, x, causal=True, dtype=torch.float64)


@pytest.mark.parametrize("lead", [(), (1,), (B, 2)], ids=str)
def test_both_paths_agree_for_any_number_of_batch_axes(lead):
    for mask in (None, some_mask(S), some_mask(T, S), some_mask(H, T, S)):
        paths_agree(module(), random(*lead, T, C, dtype=F32), random(*lead, S, C, seed=1, dtype=F32), mask=mask)


@pytest.mark.parametrize("need_weights", [False, True])
def test_project_and_attend_are_forward_and_a_head_can_be_silenced_between_them(need_weights):
    attention, x, context, mask = module(), random(B, T, C, dtype=F32), random(B, S, C, dtype=F32), some_mask(T, S)
    q, k, v = attention.project(x, context)
    out, weights = attention(x, context, mask, need_weights=need_weights)
    assert torch.equal(attention.attend(q, k, v, mask, need_weights=need_weights)[0], out)
    assert need_weights or weights is None
    kept = torch.tensor([1.0, 0.0, 1.0])
    silenced = attention.attend(q, k, v * kept[:, None, None], mask)[0]  # a head whose values are 0
    agree(attention.attend(q, k, v, mask, need_weights=need_weights, head_mask=kept)[0], silenced)
    assert (silenced - out).abs().max() > 1e-3


@pytest.mark.parametrize("causal", [False, True])
def test_the_fused_path_never_holds_a_table_of_queries_by_keys(causal):
    many = 211
    attention, x = module(), random(B, many, C, dtype=F32).requires_grad_()
    elements = {}
    for need_weights in (False, True):
        with LargestTensor() as largest:
            attention(x, causal=causal, need_weights=need_weights)[0].sum().backward()
        elements[need_weights] = largest.elements
    assert elements[False] < many * many <= elements[True]


# ---------------------------------------------------------------- dropout


def counting_module(p):
    """A module whose keys all weigh the same, whose values are 1, and whose out_proj is the identity."""
    attention = MultiHeadAttention(C, H, dropout=p)
    for parameter in attention.parameters():
        nn.init.zeros_(parameter)
    nn.init.ones_(attention.v_proj.bias)
    nn.init.eye_(attention.out_proj.weight)
    return attention


@pytest.mark.parametrize("mask", [None, torch.ones(S) > 0], ids=["no mask", "mask"])
@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize("p", [0.2, 0.5])
def test_dropout_drops_single_weights_and_keeps_their_expected_sum_and_acts_in_training_only(need_weights, p, mask):
    attention, items = counting_module(p), 400
    given = torch.zeros(items, T, C), torch.zeros(items, S, C), mask
    out = attention(*given, need_weights=need_weights)[0].detach()
    kept = out[..., ::D] * S * (1 - p)  # one column of each head: (items, T, H), how many of S keys were kept
    torch.testing.assert_close(kept, kept.round(), rtol=0, atol=1e-4)
    assert kept.unique().numel() > 4 and kept.min() >= 0 and kept.max() < S + 0.5
    deviation = math.sqrt(p * (1 - p) * S / kept.numel())  # of the mean of that many binomial numbers
    assert abs(kept.mean().item() - S * (1 - p)) < 5 * deviation
    agree(attention.eval()(*given, need_weights=need_weights)[0], torch.ones(items, T, C))


# ---------------------------------------------------------------- robustness


@pytest.mark.parametrize("need_weights", [False, True])
def test_autocast_gives_bfloat16_near_the_float32_result(need_weights):
    attention, x, mask = module(), random(B, T, C, dtype=F32), some_mask(B, 1, T, T)
    expected = attention(x, mask=mask, need_weights=need_weights)[0]
    for given in (x, x.bfloat16()):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = attention(given, mask=mask, need_weights=need_weights)[0]
        assert out.dtype == torch.bfloat16
        torch.testing.assert_close(out.float(), expected, rtol=0.05, atol=0.05 * expected.abs().max().item())


@pytest.mark.parametrize("need_weights", [False, True])
def test_errors_are_one_sentence_on_both_paths(need_weights):
    x, context = torch.zeros(B, T, C), torch.zeros(B, S, C)
    mask = torch.ones(T, S, dtype=torch.bool)

    def run(x=x, *options, **more):
        return module()(x, *options, **more, need_weights=need_weights)

    require_refused(
        ("ValueError: x must be (..., T, 33), got (2, 5, 32)", lambda: run(x[..., 1:])),
        ("ValueError: context must be (..., S, 33), got (2, 7, 32)", lambda: run(x, context[..., 1:])),
        ("TypeError: context must be a tensor of floats, got torch.bool; a mask is passed by", lambda: run(x, mask)),
        ("ValueError: x and context must agree in all axes before the last two, got", lambda: run(x, context[:1])),
        ("ValueError: got T = 5 and S = 7: which key is 'now' for a query", lambda: run(x, context, causal=True)),
        ("ValueError: got T = 5 and S = 7: which key", lambda: run(x, context, mask, causal=True)),
        ("TypeError: mask must be bool", lambda: run(x, context, mask.float())),
    )


def test_errors_of_sizes_and_of_heads_are_one_sentence():
    require_refused(
        ("ValueError: got 2 heads for d_model = 33", lambda: MultiHeadAttention(C, 2)),
        ("ValueError: a dropout probability p must be", lambda: MultiHeadAttention(C, H, dropout=1.0)),
        ("ValueError: x must be (..., T, C), got (33,)", lambda: split_heads(torch.ones(C), H)),
        ("ValueError: got 2 heads for d_model = 33; a number near it", lambda: split_heads(torch.ones(T, C), 2)),
        (
            "ValueError: x must be (..., H, T, D), got (5, 11); there are no",
            lambda: merge_heads(torch.ones(T, D)),
        ),
    )
