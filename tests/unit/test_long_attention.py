"""Attention for long texts: parameters, gradients and errors, including those of sinks and caps.

test_ports_published.py compares each change with a published model that has it.
"""

import torch

from helpers.grouped import GroupedQueryAttention
from helpers.long_attention import LongAttention, capped_scores, sink_weights
from helpers.masks import causal_mask
from helpers.windows import window_mask
from tests.unit.refusals import require_refused
from tests.unit.tensors import agree, filled, random

B, T, C, H, G, D = 2, 11, 17, 6, 2, 8
OPTIONS = {
    "plain": {},
    "all": {
        "window": 3, "sinks": True, "cap": 1.5, "score_width": 5, "gate": True, "rotary_width": 4, "qk_norm": True,
        "bias": True,
    },
}  # fmt: skip


def module(name="all"):
    return filled(LongAttention(C, H, G, d_head=D, base=77.0, **OPTIONS[name]))


def test_without_changes_it_is_grouped_query_attention():
    made, x = module("plain"), random(B, T, C)
    plain = GroupedQueryAttention(C, H, G, d_head=D, base=77.0).double()
    plain.load_state_dict(made.state_dict())  # the same names
    found, expected = made(x), plain(x)
    agree((*found[:2], found[2][:2]), expected)
    assert found[2][2] == T


def test_sinks_start_at_0_and_a_gate_has_a_bias_if_the_other_projections_have_one():
    made = LongAttention(C, H, G, d_head=D, sinks=True, gate=True)
    assert torch.equal(made.sinks, torch.zeros(H)) and made.gate_proj.bias is None
    assert module("all").gate_proj.bias.shape == (H * D,)


def test_gradients_reach_every_parameter():
    made, x = module(), random(B, T, C)
    gradients = torch.autograd.grad(made(x)[0].square().sum(), list(made.parameters()))
    for (name, parameter), gradient in zip(made.named_parameters(), gradients, strict=True):
        assert gradient.abs().max() > 1e-6, (name, parameter.shape)
    first = causal_mask(T) & (torch.arange(T) > 0)  # the first query sees nothing
    out, weights, _ = made(x, first)
    assert (weights[..., ~(first & window_mask(T, T, 3))] == 0).all()
    assert all(g.isfinite().all() for g in torch.autograd.grad(out.sum(), list(made.parameters())))


def test_scores_end_at_the_cap():
    scores = torch.tensor([[-1e30, 0.0, 1e30]])
    assert capped_scores(scores, 50.0, torch.ones(1, 3) > 0).tolist() == [[-50, 0, 50]]


def long(heads=H, groups=G, **options):
    return LongAttention(C, heads, groups, d_head=D, **options)


def test_errors_are_one_sentence():
    x, kept = random(B, T, C), [random(B, heads, 2, D) for heads in (G, H)]
    rule = "TypeError: past must be what the module returned, (keys, values, the number of tokens seen), got tuple"
    scores, mask = torch.zeros(1, 2, 3, 4), torch.ones(3, 4) > 0
    require_refused(
        ("ValueError: window must be at least 1, got 0", lambda: long(window=0)),
        ("ValueError: score_width must be at least 1, got 0", lambda: long(score_width=0)),
        ("TypeError: rotary_width must be a whole number, got 0.5", lambda: long(rotary_width=0.5)),
        ("ValueError: width must be at most the number", lambda: long(rotary_width=10)(torch.zeros(B, T, C))),
        ("ValueError: cap must be above 0", lambda: long(cap=0)),
        ("ValueError: groups must divide num_heads", lambda: long(groups=4)),
        ("ValueError: x must be (B, T, 17), got (11, 17)", lambda: module()(x[0])),
        ("TypeError: mask must be bool", lambda: module()(x, random(T, T))),
        (rule, lambda: module()(x, past=(kept[0], kept[0]))),
        ("ValueError: past must hold keys (2, 2, S, 8)", lambda: module()(x, past=(kept[1], kept[1], 2))),
        ("ValueError: H is 2 in scores and 3 in sinks", lambda: sink_weights(scores, torch.zeros(3))),
        ("ValueError: cap must be above 0, since scores end between -cap and", lambda: capped_scores(scores, 0, mask)),
        ("TypeError: cap must be a number, got None", lambda: capped_scores(scores, None, mask)),
        ("TypeError: scores must be a tensor of floats, got torch.bool", lambda: capped_scores(mask, 2, mask)),
        ("TypeError: mask must be bool", lambda: capped_scores(scores, 2, mask.float())),
    )
