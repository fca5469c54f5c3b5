"""Sinks in three ways that agree with each other, with PyTorch's attention and with FlexAttention; gates."""

import pytest
import torch

from helpers.grouped import grouped_attention
from helpers.masks import causal_mask
from helpers.sinks import gated_output, sink_as_gate, sink_as_key, sink_attention, sink_weights
from tests.unit.bert_models import agree, random, some_mask
from tests.unit.oracles import flex, sdpa
from tests.unit.refusals import require_refused

B, H, T, S, D, E = 2, 6, 5, 7, 11, 13
WAYS = [sink_attention, sink_as_key, sink_as_gate]
NONE = float("-inf")


def qkv(groups=2):
    q = random(B, H, T, D)
    return q, random(B, groups, S, D, seed=1), random(B, groups, S, E, seed=2)


def sinks():
    return random(H, seed=3) * 2


def test_the_weights_are_exp_over_the_sum_with_the_sink():
    scores, sink = random(B, H, T, S), sinks()
    scores[..., 1, 3:] = NONE
    total = scores.exp().sum(-1) + sink.exp()[:, None]
    agree(sink_weights(scores, sink), scores.exp() / total[..., None])


def test_a_sink_of_minus_infinity_is_the_softmax_and_a_higher_sink_takes_more():
    scores = random(B, H, T, S)
    agree(sink_weights(scores, torch.full((H,), NONE).double()), scores.softmax(-1))
    taken = [1 - sink_weights(scores, torch.full((H,), sink).double()).sum(-1) for sink in (-5.0, 0.0, 5.0)]
    assert (taken[0] < taken[1]).all() and (taken[1] < taken[2]).all()


@pytest.mark.parametrize("size", [1.0, 10_000.0])
@pytest.mark.parametrize("sink", [NONE, -10_000.0, 0.0, 10_000.0])
def test_large_scores_and_hidden_rows_stay_finite(size, sink):
    scores = (random(1, 2, 3, 4, dtype=torch.float32).clamp(-1, 1) * size).requires_grad_()
    column = torch.full((2,), sink, requires_grad=True)
    hidden = scores.masked_fill(torch.tensor([True, False, False])[:, None], NONE)
    found = sink_weights(hidden, column)
    exact = torch.cat([hidden.double(), column.double()[:, None, None].expand(1, 2, 3, 1)], -1).softmax(-1)[..., :-1]
    assert (found[:, :, 1:] - exact[:, :, 1:]).abs().max() < 3e-3 and (found[:, :, 0] == 0).all()
    for gradient in torch.autograd.grad((found * random(1, 2, 3, 4).float()).sum(), (scores, column)):
        assert gradient.isfinite().all()


@pytest.mark.parametrize("way", WAYS[1:])
@pytest.mark.parametrize("shape", [None, (S,), (T, 1), (B, H, T, S)], ids=str)
def test_a_logit_a_key_and_a_gate_agree_in_outputs_and_gradients(way, shape):
    mask = None if shape is None else some_mask(*shape[:-1], S)[..., : shape[-1]]
    inputs, mix = [x.requires_grad_() for x in (*qkv(), sinks())], random(B, H, T, E, seed=9)
    found, expected = way(*inputs, mask), sink_attention(*inputs, mask)
    agree(found, expected)
    agree(
        *(torch.autograd.grad((out * mix).sum() + weights.square().sum(), inputs) for out, weights in (found, expected))
    )


@pytest.mark.parametrize("way", WAYS)
def test_no_sink_is_grouped_attention_and_an_empty_row_gives_zeros(way):
    mask = some_mask(B, H, T, S)
    mask[0, 0, 0] = False
    inputs = [x.requires_grad_() for x in (*qkv(), torch.full((H,), NONE).double())]
    out, weights = way(*inputs, mask)
    agree((out, weights), grouped_attention(*inputs[:3], mask))
    assert (out[0, 0, 0] == 0).all() and (weights[0, 0, 0] == 0).all()
    assert all(x.isfinite().all() for x in torch.autograd.grad(out.sum(), inputs))


@pytest.mark.parametrize("way", WAYS)
def test_sinks_may_be_more_exact_than_the_inputs(way):
    found = way(*(x.bfloat16() for x in qkv()), sinks().float())
    for mine, exact in zip(found, way(*qkv(), sinks()), strict=True):
        assert mine.dtype == torch.bfloat16 and (mine - exact).abs().max() < 0.05


def test_pytorch_s_attention_takes_a_sink_as_a_key_with_value_0():
    q, k, v = qkv(H)
    mask, sink = some_mask(T, S), sinks()
    longer = [torch.cat([x, torch.zeros_like(x[:, :, :1])], dim=2) for x in (k, v)]
    scores = torch.zeros(B, H, T, S + 1).double().masked_fill(~torch.cat([mask, torch.ones(T, 1) > 0], 1), NONE)
    scores[..., -1] = sink[:, None]
    agree(sdpa(q, *longer, scores), sink_attention(q, k, v, sink, mask)[0])


@pytest.mark.slow
def test_flexattention_s_lse_is_what_the_gate_needs():
    q, k, v = qkv(H)
    out, lse = flex(q, k, v, mask_mod=lambda b, h, t, s: s <= t + 2, return_lse=True)
    gate = torch.sigmoid(lse - sinks()[:, None])[..., None]
    agree(out * gate, sink_attention(q, k, v, sinks(), causal_mask(T, past=2))[0])


def test_a_gate_multiplies_by_its_sigmoid():
    out = random(B, H, T, D)
    for shape in ((B, H, T, D), (B, H, T, 1)):
        gate = random(*shape, seed=1)
        agree(gated_output(out, gate), out / (1 + (-gate).exp()))
    assert torch.equal(gated_output(out, torch.full((B, H, T, 1), 100.0).double()), out)


# ---------------------------------------------------------------- errors

Q, K, Z = torch.zeros(1, 2, 3, 4), torch.zeros(1, 2, 5, 4), torch.zeros(2)


def test_errors_are_one_sentence():
    require_refused(
        ("ValueError: H is 2 in scores and 3 in sinks", lambda: sink_weights(Q, torch.zeros(3))),
        ("TypeError: sinks must be a tensor of floats, got torch.int64", lambda: sink_weights(Q, Z.long())),
        ("ValueError: scores must be (B, H, T, S) and sinks (H,), got scores (2,", lambda: sink_weights(Q[0], Z)),
        *(
            case
            for way in WAYS
            for case in [
                ("ValueError: and sinks (H,), got", lambda way=way: way(Q, K, K, Q)),
                ("TypeError: mask must be bool", lambda way=way: way(Q, K, K, Z, torch.zeros(3, 5))),
                ("ValueError: does not broadcast", lambda way=way: way(Q, K, K, Z, torch.ones(5, 3) > 0)),
                ("ValueError: S is 5 in k and 3 in v", lambda way=way: way(Q, K, Q, Z)),
            ]
        ),
        ("ValueError: gate must be (1, 2, 3, 4) like the output, or", lambda: gated_output(Q, Z.new_zeros(4))),
        ("TypeError: gate must be a tensor of floats, got float", lambda: gated_output(Q, 0.5)),
    )
