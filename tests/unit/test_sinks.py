"""Sinks are one more key in PyTorch's attention; gated outputs. Exercise 11.3 checks more."""

import torch

from helpers.sinks import gated_output, sink_weights
from tests.unit.bert_models import agree, random, some_mask
from tests.unit.oracles import sdpa
from tests.unit.refusals import require_refused

B, H, T, S, D, E = 2, 6, 5, 7, 11, 13
NONE = float("-inf")


def test_pytorch_s_attention_takes_a_sink_as_a_key_with_value_0():
    q, k, v = random(B, H, T, D), random(B, H, S, D, seed=1), random(B, H, S, E, seed=2)
    mask, sinks = some_mask(T, S), random(H, seed=3) * 2
    longer = [torch.cat([x, torch.zeros_like(x[:, :, :1])], dim=2) for x in (k, v)]
    scores = torch.zeros(B, H, T, S + 1).double().masked_fill(~torch.cat([mask, torch.ones(T, 1) > 0], 1), NONE)
    scores[..., -1] = sinks[:, None]
    agree(sdpa(q, *longer, scores), sink_weights((q @ k.mT / D**0.5).masked_fill(~mask, NONE), sinks) @ v)


def test_a_gate_multiplies_by_its_sigmoid():
    out = random(B, H, T, D)
    for shape in ((B, H, T, D), (B, H, T, 1)):
        gate = random(*shape, seed=1)
        agree(gated_output(out, gate), out / (1 + (-gate).exp()))
    assert torch.equal(gated_output(out, torch.full((B, H, T, 1), 100.0).double()), out)


Q, Z = torch.zeros(1, 2, 3, 4), torch.zeros(2)


def test_errors_are_one_sentence():
    require_refused(
        ("ValueError: H is 2 in scores and 3 in sinks", lambda: sink_weights(Q, torch.zeros(3))),
        ("ValueError: gate must be (1, 2, 3, 4) like the output, or", lambda: gated_output(Q, Z.new_zeros(4))),
        ("TypeError: gate must be a tensor of floats, got float", lambda: gated_output(Q, 0.5)),
    )
