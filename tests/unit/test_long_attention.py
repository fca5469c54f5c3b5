"""Attention for long texts: each change by a formula of its own, all together, and in steps."""

import pytest
import torch

from helpers.grouped import GroupedQueryAttention, cache_bytes
from helpers.heads import merge_heads, split_heads
from helpers.long_attention import LongAttention
from helpers.masks import causal_mask
from helpers.norms import rms_norm
from helpers.relative_positions import rotate_first
from helpers.today import TodayConfig, TodayDecoder
from helpers.windows import window_mask
from tests.unit.bert_models import agree, filled, random, require_one_sentence, some_mask

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
@pytest.mark.parametrize("shape", [None, (B, 1, T, T)], ids=str)
def test_each_change_is_its_formula(name, shape):
    made, x, mask = module(name), random(B, T, C), None if shape is None else some_mask(*shape)
    out, weights, _ = made(x, mask)
    agree((out, weights), by_formula(made, name, x, mask))


def test_without_changes_it_is_grouped_query_attention():
    made, x = module("plain"), random(B, T, C)
    plain = GroupedQueryAttention(C, H, G, d_head=D, base=77.0).double()
    plain.load_state_dict(made.state_dict())  # the same names
    found, expected = made(x), plain(x)
    agree(found[:2], expected[:2])
    agree(found[2][:2], expected[2])
    assert found[2][2] == T


def test_sinks_are_parameters_only_if_asked_for():
    assert "sinks" in module("sinks").state_dict() and dict(module("sinks").named_parameters())["sinks"].shape == (H,)
    assert "sinks" not in module("plain").state_dict()
    assert torch.equal(LongAttention(C, H, G, d_head=D, sinks=True).sinks, torch.zeros(H))


def test_a_gate_has_a_bias_if_the_other_projections_have_one():
    assert module("gate").gate_proj.bias is None and module("all").gate_proj.bias.shape == (H * D,)


@pytest.mark.parametrize("name", OPTIONS)
def test_in_pieces_it_is_the_same_and_a_window_bounds_the_past(name):
    made, x = module(name), random(B, T, C)
    expected, expected_weights, _ = made(x)
    window = OPTIONS[name].get("window")
    for pieces in ([1] * T, [5, 1, 5], [2, 7, 2], [10, 1]):
        outs, past, seen = [], None, 0
        for new in x.split(pieces, dim=1):
            out, weights, past = made(new, past=past)
            seen += new.size(1)
            agree(weights, expected_weights[:, :, seen - new.size(1) : seen, seen - weights.size(-1) : seen])
            assert past[2] == seen and past[0].size(2) == (min(seen, window - 1) if window else seen)
            assert cache_bytes(past) == 2 * past[0].numel() * 8
            outs.append(out)
        agree(torch.cat(outs, dim=1), expected)


def test_a_past_is_not_changed_and_can_be_continued_twice():
    made, x = module(), random(B, T, C)
    past = made(x[:, :6])[2]
    kept = [x.clone() for x in past[:2]]
    made(-x[:, 6:], past=past)
    agree(made(x[:, 6:], past=past)[0], made(x)[0][:, 6:])
    assert all(map(torch.equal, past[:2], kept)) and past[2] == 6


def test_gradients_reach_every_parameter():
    made, x = module(), random(B, T, C)
    gradients = torch.autograd.grad(made(x)[0].square().sum(), list(made.parameters()))
    for (name, parameter), gradient in zip(made.named_parameters(), gradients, strict=True):
        assert gradient.abs().max() > 1e-6, (name, parameter.shape)
    first = causal_mask(T) & (torch.arange(T) > 0)  # the first query sees nothing
    out = made(x, first)[0]
    assert all(g.isfinite().all() for g in torch.autograd.grad(out.sum(), list(made.parameters())))


def test_a_decoder_of_today_takes_it_and_reads_on_in_constant_memory():
    config = TodayConfig(13, d_model=24, num_heads=H, groups=G, num_layers=2, d_ff=31)
    made = filled(TodayDecoder(config))
    for block in made.blocks:
        block.attention = filled(LongAttention(24, H, G, window=4, sinks=True))
    ids = torch.randint(13, (B, 40), generator=torch.Generator().manual_seed(0))
    logits, past, sizes = [], None, set()
    for token in ids.split(1, dim=1):
        new, past = made(token, past)
        logits.append(new)
        sizes.add(cache_bytes(past))
    agree(torch.cat(logits, dim=1), made(ids)[0])
    assert max(sizes) == 2 * 2 * B * G * 3 * 4 * 8  # layers, keys and values, 3 positions of 4 float64


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    "error, words, call",
    [
        (ValueError, "window must be at least 1, got 0", lambda: LongAttention(C, H, G, d_head=D, window=0)),
        (ValueError, "score_width must be at least 1, got 0", lambda: LongAttention(C, H, G, d_head=D, score_width=0)),
        (
            TypeError,
            "rotary_width must be a whole number, got 0.5",
            lambda: LongAttention(C, H, G, d_head=D, rotary_width=0.5),
        ),
        (
            ValueError,
            "width must be at most the number of features of x, got 10",
            lambda: LongAttention(C, H, G, d_head=D, rotary_width=10)(torch.zeros(B, T, C)),
        ),
        (ValueError, "cap must be above 0", lambda: LongAttention(C, H, G, d_head=D, cap=0)),
        (ValueError, "groups must divide num_heads", lambda: LongAttention(C, H, 4, d_head=D)),
        (ValueError, r"x must be \(B, T, 17\), got \(11, 17\)", lambda: module()(random(T, C))),
        (TypeError, "mask must be bool", lambda: module()(random(B, T, C), random(T, T))),
        (ValueError, "mask .* does not broadcast", lambda: module()(random(B, T, C), torch.ones(3, T) > 0)),
        (
            TypeError,
            r"past must be what the module returned, \(keys, values, the number of tokens seen\), got tuple of 2",
            lambda: module()(random(B, T, C), past=(random(B, G, 2, D), random(B, G, 2, D))),
        ),
        (
            TypeError,
            r"past must be what the module returned, .* got Tensor$",
            lambda: module()(random(B, T, C), past=random(3, 2)),
        ),
        (
            ValueError,
            r"past must hold keys \(2, 2, S, 8\).*: H is 6 in keys",
            lambda: module()(random(B, T, C), past=(random(B, H, 2, D), random(B, H, 2, D), 2)),
        ),
    ],
)
def test_errors_are_one_sentence(error, words, call):
    with pytest.raises(error, match=words) as caught:
        call()
    require_one_sentence(caught)
