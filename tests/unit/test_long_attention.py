"""Attention for long texts: each change by a formula of its own, all together, and in steps."""

import pytest
import torch

from helpers.grouped import GroupedQueryAttention, cache_bytes
from helpers.heads import merge_heads, split_heads
from helpers.long_attention import LongAttention, cap_scores, capped_scores
from helpers.masks import causal_mask
from helpers.norms import rms_norm
from helpers.relative_positions import rotate_first
from helpers.windows import window_mask
from tests.unit.bert_models import agree, filled, random, some_mask
from tests.unit.refusals import require_refused

B, T, C, H, G, D = 2, 11, 17, 6, 2, 8
OPTIONS = {
    "plain": {},
    "window": {"window": 4},
    "sinks": {"sinks": True},
    "cap": {"cap": 1.5, "score_width": 5},
    "gate": {"gate": True, "rotary_width": 4, "qk_norm": True},
    "all": {
        "window": 3, "sinks": True, "cap": 1.5, "score_width": 5, "gate": True, "rotary_width": 4, "qk_norm": True,
        "bias": True,
    },
}  # fmt: skip


def module(name="all"):
    return filled(LongAttention(C, H, G, d_head=D, base=77.0, **OPTIONS[name]))


def by_formula(made, name, x, mask=None):
    """Scores, the softmax and the sum in one expression each, with a key and a value for every head."""
    options = {"window": T, "cap": None, "score_width": D, "rotary_width": D} | OPTIONS[name]
    q, k, v = (split_heads(f(x), heads) for f, heads in [(made.q_proj, H), (made.k_proj, G), (made.v_proj, G)])
    if "qk_norm" in options:
        q, k = rms_norm(q, made.q_norm.weight), rms_norm(k, made.k_norm.weight)
    q, k = (rotate_first(x, torch.arange(T), options["rotary_width"], 77.0) for x in (q, k))
    k, v = (x.repeat_interleave(H // G, dim=1) for x in (k, v))
    scores = q @ k.mT / options["score_width"] ** 0.5
    if options["cap"]:
        scores = options["cap"] * (scores / options["cap"]).tanh()
    visible = window_mask(T, T, options["window"]) if mask is None else window_mask(T, T, options["window"]) & mask
    parts = scores.exp() * visible
    sink = made.sinks.exp()[:, None, None] if "sinks" in options else 0
    weights = (parts / (parts.sum(-1, keepdim=True) + sink)).nan_to_num(0)
    out = merge_heads(weights @ v)
    if "gate" in options:
        out = out * made.gate_proj(x).sigmoid()
    return made.out_proj(out), weights


@pytest.mark.parametrize("name", OPTIONS)
def test_each_change_is_its_formula(name):
    made, x = module(name), random(B, T, C)
    for mask in (None, some_mask(B, 1, T, T)):
        agree(made(x, mask)[:2], by_formula(made, name, x, mask))


def test_without_changes_it_is_grouped_query_attention():
    made, x = module("plain"), random(B, T, C)
    plain = GroupedQueryAttention(C, H, G, d_head=D, base=77.0).double()
    plain.load_state_dict(made.state_dict())  # the same names
    found, expected = made(x), plain(x)
    agree((*found[:2], found[2][:2]), expected)
    assert found[2][2] == T


def test_sinks_start_at_0_and_a_gate_has_a_bias_if_the_other_projections_have_one():
    assert torch.equal(LongAttention(C, H, G, d_head=D, sinks=True).sinks, torch.zeros(H))
    assert module("gate").gate_proj.bias is None and module("all").gate_proj.bias.shape == (H * D,)


def test_a_window_bounds_the_past():
    for name, kept in (("window", 3), ("plain", T)):
        past = module(name)(random(B, T, C))[2]
        assert past[2] == T and past[0].size(2) == kept and cache_bytes(past) == 2 * past[0].numel() * 8


def test_gradients_reach_every_parameter():
    made, x = module(), random(B, T, C)
    gradients = torch.autograd.grad(made(x)[0].square().sum(), list(made.parameters()))
    for (name, parameter), gradient in zip(made.named_parameters(), gradients, strict=True):
        assert gradient.abs().max() > 1e-6, (name, parameter.shape)
    first = causal_mask(T) & (torch.arange(T) > 0)  # the first query sees nothing
    out = made(x, first)[0]
    assert all(g.isfinite().all() for g in torch.autograd.grad(out.sum(), list(made.parameters())))


def test_scores_end_at_the_cap():
    assert cap_scores(torch.tensor([-1e30, 0.0, 1e30]), 50.0).tolist() == [-50, 0, 50]


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
        ("ValueError: cap must be above 0, since scores end between -cap and", lambda: cap_scores(scores, 0)),
        ("TypeError: cap must be a number, got None", lambda: capped_scores(scores, None, mask)),
        ("TypeError: scores must be a tensor of floats, got torch.bool", lambda: capped_scores(mask, 2, mask)),
        ("TypeError: mask must be bool", lambda: capped_scores(scores, 2, mask.float())),
    )
