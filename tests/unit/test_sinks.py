"""Sinks: a formula, one more key in PyTorch's attention, and a gate on FlexAttention's; gated outputs."""

import pytest
import torch

from helpers.masks import causal_mask
from helpers.sinks import gated_output, sink_weights
from tests.unit.bert_models import agree, random, some_mask
from tests.unit.oracles import flex, sdpa
from tests.unit.refusals import require_refused

B, H, T, S, D, E = 2, 6, 5, 7, 11, 13
NONE = float("-inf")


def qkv():
    return random(B, H, T, D), random(B, H, S, D, seed=1), random(B, H, S, E, seed=2)


def sinks():
    return random(H, seed=3) * 2


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


def weighed(q, k, v, sinks, mask):
    """Attention with sinks, one key and one value for each head."""
    scores = (q @ k.mT / D**0.5).masked_fill(~mask, NONE)
    return sink_weights(scores, sinks) @ v


def test_pytorch_s_attention_takes_a_sink_as_a_key_with_value_0():
    q, k, v = qkv()
    mask, sink = some_mask(T, S), sinks()
    longer = [torch.cat([x, torch.zeros_like(x[:, :, :1])], dim=2) for x in (k, v)]
    scores = torch.zeros(B, H, T, S + 1).double().masked_fill(~torch.cat([mask, torch.ones(T, 1) > 0], 1), NONE)
    scores[..., -1] = sink[:, None]
    agree(sdpa(q, *longer, scores), weighed(q, k, v, sink, mask))


@pytest.mark.slow
def test_flexattention_s_lse_is_what_the_gate_needs():
    q, k, v = qkv()
    out, lse = flex(q, k, v, mask_mod=lambda b, h, t, s: s <= t + 2, return_lse=True)
    gate = torch.sigmoid(lse - sinks()[:, None])[..., None]
    agree(out * gate, weighed(q, k, v, sinks(), causal_mask(T, past=2)))


def test_a_gate_multiplies_by_its_sigmoid():
    out = random(B, H, T, D)
    for shape in ((B, H, T, D), (B, H, T, 1)):
        gate = random(*shape, seed=1)
        agree(gated_output(out, gate), out / (1 + (-gate).exp()))
    assert torch.equal(gated_output(out, torch.full((B, H, T, 1), 100.0).double()), out)


# ---------------------------------------------------------------- errors

Q, Z = torch.zeros(1, 2, 3, 4), torch.zeros(2)


def test_errors_are_one_sentence():
    require_refused(
        ("ValueError: H is 2 in scores and 3 in sinks", lambda: sink_weights(Q, torch.zeros(3))),
        ("TypeError: sinks must be a tensor of floats, got torch.int64", lambda: sink_weights(Q, Z.long())),
        ("ValueError: scores must be (B, H, T, S) and sinks (H,), got scores (2,", lambda: sink_weights(Q[0], Z)),
        ("ValueError: gate must be (1, 2, 3, 4) like the output, or", lambda: gated_output(Q, Z.new_zeros(4))),
        ("TypeError: gate must be a tensor of floats, got float", lambda: gated_output(Q, 0.5)),
    )
