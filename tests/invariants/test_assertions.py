"""The assertions accept healthy models however they are called, and say where to look in broken ones."""

import itertools
from contextlib import nullcontext

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from helpers.attention import CausalAttention
from helpers.bert import BertConfig, BertModel
from helpers.decoder import Decoder, DecoderConfig, Past
from helpers.heads import MultiHeadAttention, merge_heads, split_heads
from helpers.today import TodayConfig, TodayDecoder
from invariants.assertions import (
    assert_alone_equals_batch,
    assert_cache_equals_whole,
    assert_causal,
    assert_dtype_and_device,
    assert_equals_reference,
    assert_every_parameter_learns,
    assert_grouped_heads,
    assert_heads_independent,
    assert_items_apart,
    assert_modes,
    assert_order_matters,
    assert_padding_ignored,
    assert_past_reusable,
    assert_scale,
    slow_attention,
)
from tests.invariants.ports import decoder_pair, fill, today_pair

IDS = torch.randint(0, 29, (3, 9), generator=torch.Generator().manual_seed(1))
X = torch.randn(2, 7, 12, generator=torch.Generator().manual_seed(2))
MEMORY = torch.randn(2, 7, 12, generator=torch.Generator().manual_seed(3))  # as long as the text
REAL = torch.arange(9) < torch.tensor([[9], [6], [4]])
REAL7 = REAL[:2, 1:8]
SQUARE = nn.Transformer.generate_square_subsequent_mask
FAR = torch.ones(7, 7, dtype=torch.bool).triu(1)


class Net(nn.Module):
    """A module that calls one function, which may use an inner module."""

    def __init__(self, step, inner=None):
        super().__init__()
        self.step, self.inner = step, inner

    def forward(self, *inputs, **options):
        return self.step(self.inner, *inputs, **options)


def story(**config):
    return fill(Decoder(DecoderConfig(29, 40, 12, 3, 2, 20, **config)))


def today():
    return fill(TodayDecoder(TodayConfig(29, 24, 6, 3, 2, 20)))


def bert():
    return fill(BertModel(BertConfig(12, 3, 11, num_hidden_layers=2, intermediate_size=20, vocab_size=29)))


def torchs(kind, **options):
    torch.manual_seed(0)
    return getattr(nn, kind)(12, 3, dropout=0.2, **options)


def attend(q, k, v, mask=None, causal=True, scale=None):
    scores = q @ k.mT * (q.size(-1) ** -0.5 if scale is None else scale)
    if causal:
        scores = scores.masked_fill(torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).triu(1), -torch.inf)
    return (scores if mask is None else scores.masked_fill(~mask, -1e9)).softmax(-1) @ v


def last_logits(model, ids, targets=None):  # as in nanoGPT
    logits = model(ids)[0]
    return (logits[:, [-1]], None) if targets is None else (logits.view(-1, 29), targets.view(-1).float().mean())


def dropping(step, p=0.2):
    """A module whose forward is step(model, x), with dropout available as `model[1]`."""
    model = nn.Sequential(nn.Linear(12, 12), nn.Dropout(p))
    model.forward = lambda x: step(model, model[0](x))
    return model


# ---------------------------------------------------------------- healthy models

DROPPING = story(dropout=0.5).train()
CALLS = itertools.count()
HEALTHY = {
    "decoders": lambda: [assert_causal(make(), IDS) for make in (story, today)],
    "ported decoders": lambda: [assert_causal(make()[0], IDS) for make in (decoder_pair, today_pair)],
    "half precision": lambda: assert_causal(story().bfloat16(), IDS),
    "outputs of a thousand": lambda: assert_causal(Net(lambda m, ids: 1000 * m(ids)[0], story()), IDS),
    "a lambda of a module in training": lambda: assert_causal(lambda ids: DROPPING(ids), IDS),
    "one input for three": lambda: assert_causal(attend, X),
    "three, in a tuple": lambda: assert_causal(attend, (X, MEMORY, X)),
    "heads": lambda: assert_causal(F.scaled_dot_product_attention, *torch.randn(3, 2, 3, 7, 5), is_causal=True),
    "no batch": lambda: assert_causal(attend, X[0]),
    "a mask as a function": lambda: assert_causal(torchs("MultiheadAttention", batch_first=True), X, attn_mask=SQUARE),
    "a mask as a tensor": lambda: assert_causal(torchs("MultiheadAttention"), X.transpose(0, 1), attn_mask=FAR),
    "positions first": lambda: assert_causal(torchs("TransformerEncoderLayer"), X.transpose(0, 1), SQUARE, axis=0),
    "a memory of the same length": lambda: assert_causal(
        torchs("TransformerDecoderLayer", batch_first=True), X, MEMORY, tgt_mask=SQUARE
    ),
    "source and target": lambda: assert_causal(
        nn.Transformer(12, 3, 1, 1, 20, batch_first=True), MEMORY, X, tgt_mask=SQUARE
    ),
    "contiguous prefixes, flat outputs": lambda: assert_causal(Net(last_logits, story()), IDS, targets=IDS),
    "something before the logits": lambda: assert_causal(
        Net(lambda m, ids: {"loss": m(ids)[0].mean(), "hidden": IDS, "logits": m(ids)[0]}, story()), IDS
    ),
    "weights before outputs": lambda: assert_causal(
        lambda x: ((x @ x.mT)[:, None].repeat(1, 3, 1, 1), attend(x, x, x)), X
    ),
    "an input changed in place": lambda: assert_causal(lambda x: attend(x.mul_(2), x, x), X),
    "running statistics": lambda: assert_causal(Net(lambda m, x: attend(x, x, m(x.mT).mT), nn.BatchNorm1d(12)), X),
    "padding": lambda: assert_padding_ignored(Net(lambda m, ids, r: m(ids, mask=r[:, None, None]), bert()), IDS, REAL),
    "padding, by name": lambda: assert_padding_ignored(torchs("MultiheadAttention", batch_first=True), X, REAL7),
    "padding, one output an item": lambda: assert_padding_ignored(
        lambda x, real: (attend(x, x, x, real[:, None], causal=False) * real[..., None]).sum(1), X, REAL7
    ),
    "padding, rows of it not a number": lambda: assert_padding_ignored(
        lambda x, real: attend(x, x, x, real[:, None]).masked_fill(~real[..., None], torch.nan), X, REAL7
    ),
    "alone, right": lambda: assert_alone_equals_batch(story(), IDS, REAL),
    "alone, left": lambda: assert_alone_equals_batch(story(), IDS, REAL.flip(1)),
    "items": lambda: assert_items_apart(torchs("MultiheadAttention"), X.transpose(0, 1)),
    "order": lambda: assert_order_matters(story(), IDS),
    "pieces": lambda: [assert_cache_equals_whole(make(), IDS) for make in (story, today)],
    "branches": lambda: assert_past_reusable(story(), IDS),
    "a recurrent network": lambda: assert_cache_equals_whole(nn.GRU(12, 12, batch_first=True), X),
    "outputs that a later call overwrites": lambda: assert_cache_equals_whole(overwriting(), IDS),
    "scale": lambda: assert_scale(lambda q, k: torch.einsum("bhtd,bhsd->bhts", q, k) * q.size(-1) ** -0.5),
    "heads without weights": lambda: assert_heads_independent(torchs("MultiheadAttention", batch_first=True), X, 3),
    "heads with weights": lambda: assert_heads_independent(fill(Attention(12, 3)), X, 3),
    "reference": lambda: assert_equals_reference(
        attend, lambda q, k, v: slow_attention(q, k, v, causal=True), X, MEMORY, X
    ),
    "modes": lambda: assert_modes(dropping(lambda m, x: m[1](x)), X),
    "modes, no dropout": lambda: assert_modes(story(), IDS),
    "modes and a mean": lambda: assert_modes(CausalAttention(12, 12, 9, 0.3), X, draws=300),
    "modes, rounding": lambda: assert_modes(dropping(lambda m, x: m[1](x) + 3e-6 * (-1) ** next(CALLS)), X),
    "modes, running statistics": lambda: assert_modes(nn.Sequential(nn.BatchNorm1d(7), nn.Dropout(0.2)), X),
    "gradients": lambda: assert_every_parameter_learns(story(), IDS),
    "dtype": lambda: assert_dtype_and_device(story(), IDS),
}


@pytest.mark.parametrize("case", HEALTHY)
def test_healthy_models_are_not_accused_however_they_are_called(case):
    torch.manual_seed(0)
    HEALTHY[case]()


# ---------------------------------------------------------------- broken models


def ported(model, **steps):
    for name, step in steps.items():
        setattr(model.h[1].att, name, step)
    return model


def over_positions():
    model = today_pair()[0]
    model.h[0].ln1.forward = lambda x: x / x.square().mean((1, 2), keepdim=True).sqrt()
    return model


def by_view(x):
    return x.view(2, 3, x.size(1), 4)  # two batch items, three heads


def rotated_along_heads(x):
    turned = x.unflatten(-1, (3, 4)) * torch.tensor([1.0, -1.0, 2.0])[:, None]
    return attend(turned.flatten(2), turned.flatten(2), x)


def visible(x, diagonal):
    return torch.ones(x.size(1), x.size(1)).tril(diagonal).bool()


def from_zero(model):
    """Make the positions start again at 0 after a past."""
    model._places = lambda ids, past, real: torch.arange(ids.size(1))
    return model


def stepwise(step):
    """A decoder whose forward is replaced by step(forward, ids, past)."""
    model = story()
    inner = model.forward
    model.forward = lambda ids, past=None: step(inner, ids, past)
    return model


def keys_forgotten():
    def step(inner, ids, past):
        out, new = inner(ids, past=past)
        return out, Past(tuple((k[:, :, -3:], v[:, :, -3:]) for k, v in new.layers), new.real)

    return stepwise(step)


def overwriting():
    """A decoder in which each call overwrites the outputs of the previous call."""
    buffer = torch.zeros(3, 9, 29)

    def step(inner, ids, past):
        out, new = inner(ids, past=past)
        return buffer[:, : ids.size(1)].copy_(out), new

    return stepwise(step)


class Attention(MultiHeadAttention):
    def forward(self, x):
        q, k, v = self.project(x, x)
        weights = self.weights(q @ k.transpose(-2, -1) / q.size(-1) ** 0.5)
        return self.out_proj(self.merge(weights @ v)), weights

    def weights(self, scores):
        return scores.softmax(-1)

    def merge(self, heads):
        return merge_heads(heads)


def heads_of(name, step):
    """Test the heads of an attention in which step(attention, ...) replaces a method."""
    attention = fill(Attention(12, 3))
    setattr(attention, name, lambda *args: step(attention, *args))
    assert_heads_independent(attention, X, 3)


def layers_of(m, x):
    return [layer(x) for layer in (m.q_proj, m.k_proj, m.v_proj)]


def first_values(m, x, _):
    q, k, v = MultiHeadAttention.project(m, x, x)
    return q, k, v[:, :1].expand_as(v)


def count(m, x):
    """A step in which each training run changes later results."""
    m.seen = getattr(m, "seen", 0) + m.training
    return m[1](x) * (1 + m.seen)


def learning(name, step):
    """Test the gradients of a decoder in which step(forward, x) replaces the forward of a module."""
    model = story()
    module = model.get_submodule(name)
    inner = module.forward
    module.forward = lambda x: step(inner, x)
    assert_every_parameter_learns(model, IDS)


PLAIN = nn.Dropout(0.2)
CAUSAL_MASK = "with what follows.*; look at the causal"
PADDING_MASK = "real tokens change by .* look at the padding mask"
HOW = r"the rows of head \d in ._proj move heads \[.*\], and should move \[\d\]; look at how"
TIMES = r".* q · k / √D; look at what is under the root"
BROKEN = {
    "an encoder": (lambda: assert_causal(bert(), IDS), CAUSAL_MASK),
    "a norm over positions": (lambda: assert_causal(over_positions(), IDS), CAUSAL_MASK),
    "no mask": (lambda: assert_causal(ported(decoder_pair()[0], hide=lambda s, v: s), IDS), CAUSAL_MASK),
    "the mask inverted": (
        lambda: assert_causal(ported(decoder_pair()[0], hide=lambda s, v: s.masked_fill(v, -1e9)), IDS),
        CAUSAL_MASK,
    ),
    "hidden scores of 0": (
        lambda: assert_causal(ported(decoder_pair()[0], hide=lambda s, v: s * v), IDS),
        CAUSAL_MASK,
    ),
    "no mask, in a module": (
        lambda: assert_causal(nn.Transformer(12, 3, 1, 1, 20, batch_first=True), MEMORY, X),
        "first in decoder.layers.0.self_attn; look at the causal mask",
    ),
    "random": (
        lambda: assert_causal(lambda x: attend(F.dropout(x), x, x), X),
        "two runs on the same input differ by .*: the model is random",
    ),
    "a scale by length": (
        lambda: assert_causal(lambda x: attend(x, x, x, scale=x.size(1) ** -0.5), X),
        "with how many positions follow, .* a scale by T",
    ),
    "heads cut and merged by view": (
        lambda: assert_causal(lambda x: attend(*[by_view(x)] * 3).reshape(x.shape), X),
        "look at how features become heads",
    ),
    "heads cut by view": (
        lambda: assert_causal(lambda x: attend(*[by_view(x)] * 3).transpose(1, 2).reshape(x.shape), X),
        "look at how features become heads",
    ),
    "a mask that begins too late": (
        lambda: assert_causal(lambda x: attend(x, x, x, visible(x, 1), False), X),
        "look at the mask, which begins too late",
    ),
    "a first row that is hidden": (
        lambda: assert_causal(lambda x: attend(x, x, x, visible(x, -1), False), X),
        "look at the first row of the mask",
    ),
    "padding, inverted": (
        lambda: assert_padding_ignored(Net(lambda m, ids, r: m(ids, mask=~r[:, None, None]), bert()), IDS, REAL),
        "real tokens change by .* the mask is inverted",
    ),
    "padding, no mask": (
        lambda: assert_padding_ignored(Net(lambda m, ids, r: m(ids), bert()), IDS, REAL),
        PADDING_MASK,
    ),
    "padding, for queries": (
        lambda: assert_padding_ignored(Net(lambda m, ids, r: m(ids, mask=r[:, None, :, None]), bert()), IDS, REAL),
        PADDING_MASK,
    ),
    "a fill that is not low": (
        lambda: assert_padding_ignored(lambda x, real: (x @ x.mT - 9 * ~real[:, None]).softmax(-1) @ x, X, REAL7),
        "look at the number that hidden scores get",
    ),
    "left padding, positions of columns": (
        lambda: assert_alone_equals_batch(
            Net(lambda m, ids, real: m(ids, real=real), from_zero(story())), IDS, REAL.flip(1)
        ),
        "look at the positions",
    ),
    "a mean over padding": (
        lambda: assert_alone_equals_batch(lambda x, real: (x * real[..., None]).mean(1), X, REAL7),
        "look at what goes over all columns",
    ),
    "attention along the batch": (
        lambda: assert_items_apart(Net(lambda m, x: m(x, x, x), torchs("MultiheadAttention")), X),
        "attention runs along the batch",
    ),
    "a norm over the batch": (lambda: assert_items_apart(lambda x: attend(x, x, x / x.std()), X), "over the batch"),
    "positions that cancel": (lambda: assert_order_matters(rotated_along_heads, X), "look at the positions"),
    "positions that begin again": (
        lambda: assert_cache_equals_whole(from_zero(story()), IDS),
        r"token by token the outputs differ by [\d.]+; look at the positions",
    ),
    "positions that begin again, in a buffer": (
        lambda: assert_cache_equals_whole(from_zero(overwriting()), IDS),
        "token by token the outputs differ",
    ),
    "keys forgotten": (lambda: assert_cache_equals_whole(keys_forgotten(), IDS), "token by token the outputs differ"),
    "not divided": (lambda: assert_scale(lambda q, k: q @ k.mT), "for D = 2 .* about 1.41 times" + TIMES),
    "divided by D": (lambda: assert_scale(lambda q, k: q @ k.mT / q.size(-1)), "for D = 2 .* about 0.707" + TIMES),
    "the width of the model": (
        lambda: assert_scale(lambda q, k: q @ k.mT / (q.size(-1) * q.size(1)) ** 0.5),
        "about 0.577 times" + TIMES,
    ),
    "right for D = 64": (lambda: assert_scale(lambda q, k: q @ k.mT / 8), "for D = 2 " + TIMES),
    "right up to 64": (lambda: assert_scale(lambda q, k: q @ k.mT / min(q.size(-1), 64) ** 0.5), "for D = 80 " + TIMES),
    "split without a transpose": (
        lambda: heads_of("project", lambda m, x, _: [y.reshape(2, 3, 7, 4) for y in layers_of(m, x)]),
        HOW,
    ),
    "interleaved": (
        lambda: heads_of("project", lambda m, x, _: [y.view(2, 7, 4, 3).permute(0, 3, 1, 2) for y in layers_of(m, x)]),
        HOW,
    ),
    "softmax over heads": (lambda: heads_of("weights", lambda m, scores: scores.softmax(1)), HOW),
    "values of the first head": (lambda: heads_of("project", first_values), HOW),
    "merged without a transpose": (lambda: heads_of("merge", lambda m, heads: heads.reshape(2, 7, 12)), HOW),
    "read in other columns": (lambda: heads_of("merge", lambda m, heads: merge_heads(heads.flip(1))), HOW),
    "not scaled": (
        lambda: assert_equals_reference(lambda q, k, v: attend(q, k, v, None, False, 1.0), slow_attention, X, X, X),
        "it equals attention without a mask, not scaled",
    ),
    "dropout by hand": (lambda: assert_modes(dropping(lambda m, x: F.dropout(x, 0.1)), X), "in evaluation two runs"),
    "dropout in no list": (lambda: assert_modes(dropping(lambda m, x: PLAIN(m[1](x))), X), "in evaluation two runs"),
    "what training leaves": (
        lambda: assert_modes(dropping(count), X),
        "in evaluation two runs differ, with training in between",
    ),
    "dropout that is not called": (
        lambda: assert_modes(dropping(lambda m, x: x), X),
        "in training all runs are equal, although there is dropout",
    ),
    "a mean that is off": (
        lambda: assert_modes(dropping(lambda m, x: m[1](x) * (1.25 if m.training else 1)), 3 * X, draws=1000),
        r"the mean of 1000 runs in training is off by .*; look for the factor",
    ),
    "detached": (
        lambda: learning("norm", lambda inner, x: inner(x.detach())),
        r"no gradient reaches positions.weight, blocks.0.norm1.weight, .* and \d+ more; look for detach",
    ),
    "a layer that is skipped": (
        lambda: learning("blocks.1.feed_forward", lambda inner, x: 0 * x.detach()),
        "no gradient reaches blocks.1.norm2.weight, ",
    ),
    "a square root of zero": (
        lambda: learning("norm", lambda inner, x: inner(x) + (x - x).sqrt()),
        "the gradient of tokens.weight, .* is not finite; look for a row of -inf",
    ),
    "a list": (
        lambda: assert_dtype_and_device(Net(lambda layers, x: layers[0](x), [nn.Linear(12, 12)]), X),
        "look at inner: plain tensors and lists",
    ),
    "a mask on the CPU": (
        lambda: assert_dtype_and_device(Net(lambda m, x: attend(m(x), x, x), nn.Linear(12, 12)), X),
        "on another device it does not run",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_models_get_advice_that_fits(case):
    ask, words = BROKEN[case]
    torch.manual_seed(0)
    with pytest.raises(AssertionError, match=words):
        ask()


def past_that_grows():
    """A decoder whose pasts are all the same list."""
    kept = []

    def step(inner, ids, past):
        if past is None:
            kept.clear()
        kept.append(ids)
        out, _ = inner(torch.cat(kept, dim=1))
        return out[:, -ids.size(1) :], kept

    return stepwise(step)


def buffer_of_all_branches():
    """A decoder with one buffer for all pasts: the second branch overwrites the tokens of the first."""
    rows = []

    def step(inner, ids, past):
        past = past or 0
        rows[past:] = ids.unbind(1)
        out, _ = inner(torch.stack(rows, dim=1))
        return out[:, past:], len(rows)

    return stepwise(step)


@pytest.mark.parametrize("make", [past_that_grows, buffer_of_all_branches])
def test_a_past_that_serves_one_continuation_only_is_found_and_called_that(make):
    model = make()
    assert_cache_equals_whole(model, IDS)
    with pytest.raises(AssertionError, match="differ .* if each past is also continued by .* look at what changes a "):
        assert_past_reusable(model, IDS)


class Static(nn.Module):
    """A cache of fixed size in the module, written in place."""

    def __init__(self, hide=True):
        super().__init__()
        torch.manual_seed(0)
        self.tokens, self.hide, self.end = nn.Embedding(29, 8), hide, 0
        self.register_buffer("kept", torch.zeros(3, 32, 8))

    def forward(self, ids):
        x, start = self.tokens(ids), self.end
        self.end = start + ids.size(1)
        self.kept[:, start : self.end] = x
        seen = torch.arange(32) <= torch.arange(start, self.end)[:, None]
        seen = seen if self.hide else seen | (torch.arange(32) >= self.end)
        return attend(x, self.kept, self.kept, seen, causal=False)

    def empty(self):
        self.end = 0


GRU = nn.GRU(12, 12, batch_first=True)


def test_a_cache_in_the_module_is_emptied_by_reset():
    model = Static()
    assert_cache_equals_whole(model, IDS, reset=model.empty)
    with pytest.raises(AssertionError, match="two runs .* keeps something from one run to the next"):
        assert_causal(model, IDS)
    broken = Static(hide=False)
    with pytest.raises(AssertionError, match="token by token"):
        assert_cache_equals_whole(broken, IDS, reset=broken.empty)
    with pytest.raises(AssertionError, match="how many positions follow, .* rows of a buffer that no mask hides"):
        assert_causal(lambda ids: (broken.empty(), broken(ids))[1], IDS)


@pytest.mark.parametrize(
    "ask, words",
    [
        (lambda: assert_causal(Net(last_logits, story()), IDS), r"one output for each position, .* got \(3, 1, 29\)"),
        (lambda: assert_padding_ignored(today(), IDS, REAL), "must take what is real"),
        (lambda: assert_padding_ignored(lambda ids, real: ids, IDS, REAL | True), "real must have padding, False, in"),
        (lambda: assert_cache_equals_whole(lambda ids, past: story()(ids)[0], IDS), r"must return \(out, past\)"),
        (
            lambda: assert_padding_ignored(Net(lambda m, x, real: m(x)[0], GRU), X, REAL7.flip(1)),
            "a recurrent layer, GRU, reads what is on the left",
        ),
        (
            lambda: assert_cache_equals_whole(
                Net(lambda m, x, past: m(x if past is None else 0 * x + x[:, :1], past), GRU), X
            ),
            "a recurrent layer, GRU, may take one token after another only",
        ),
        (lambda: assert_order_matters(nn.Embedding(29, 5), IDS), "no output moves with other tokens"),
        (lambda: assert_items_apart(attend, X[:1]), "must have 2 items"),
        (lambda: assert_heads_independent(Attention(12, 3), X, 3, names=("q", "k", "v", "o")), "names must give the"),
    ],
)
def test_a_question_that_does_not_apply_raises_value_error(ask, words):
    with pytest.raises(ValueError, match=words):
        ask()


@pytest.mark.parametrize("repeat, heads", [("interleave", None), ("tile", r"\[0, 2, 4\], and should move \[0, 1, 2\]")])
def test_grouped_heads(repeat, heads):
    class Grouped(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.o_proj = nn.Linear(12, 24), nn.Linear(24, 12)  # a name that is not among the usual ones
            self.k_proj, self.v_proj = nn.Linear(12, 8), nn.Linear(12, 8)

        def forward(self, x):
            q, k, v = (split_heads(layer(x), n) for layer, n in ((self.a, 6), (self.k_proj, 2), (self.v_proj, 2)))
            k, v = (z.repeat_interleave(3, 1) if repeat == "interleave" else z.repeat(1, 3, 1, 1) for z in (k, v))
            return self.o_proj(merge_heads(attend(q, k, v)))

    torch.manual_seed(0)
    names = ("a", "k_proj", "v_proj", "o_proj")
    with nullcontext() if heads is None else pytest.raises(AssertionError, match=heads + ".* repeat_interleave"):
        assert_grouped_heads(Grouped(), X, 6, 2, names)


def test_a_model_is_unchanged_afterwards():
    model = story(dropout=0.2).bfloat16().train()
    model.blocks[0].eval()
    before, modes = {k: v.clone() for k, v in model.state_dict().items()}, [m.training for m in model.modules()]
    state = torch.get_rng_state()
    assert_causal(model, IDS)
    assert_order_matters(model, IDS)
    assert_every_parameter_learns(model, IDS)
    assert all(torch.equal(before[k], v) and v.dtype == torch.bfloat16 for k, v in model.state_dict().items())
    assert [m.training for m in model.modules()] == modes and all(p.grad is None for p in model.parameters())
    assert torch.equal(torch.get_rng_state(), state) and torch.get_default_dtype() == torch.float32
    attention = fill(Attention(12, 3))
    before = {name: tensor.clone() for name, tensor in attention.state_dict().items()}
    assert_heads_independent(attention, X, 3)
    assert all(torch.equal(before[name], tensor) for name, tensor in attention.state_dict().items())
