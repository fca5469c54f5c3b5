"""However a model is called, healthy ones are not accused, and the advice on broken ones fits."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from helpers.decoder import Decoder, DecoderConfig
from helpers.heads import merge_heads, split_heads
from invariants import assertions
from invariants.assertions import (
    assert_alone_equals_batch,
    assert_cache_equals_whole,
    assert_causal,
    assert_dtype_and_device,
    assert_equals_reference,
    assert_grouped_heads,
    assert_heads_independent,
    assert_items_apart,
    assert_modes,
    assert_order_matters,
    assert_padding_ignored,
    caching,
    check_model,
    heads,
    reading,
    slow_attention,
    states,
)
from tests.unit.ports_to_break import fill
from tests.unit.test_assertions import IDS, REAL, X, positions_from_zero, story, today

SQUARE = nn.Transformer.generate_square_subsequent_mask
MEMORY = torch.randn(2, 7, 12, generator=torch.Generator().manual_seed(3))  # as long as the text
FAR = torch.ones(7, 7, dtype=torch.bool).triu(1)


def attend(q, k, v, mask=None, causal=True, scale=None):
    scores = q @ k.mT * (q.size(-1) ** -0.5 if scale is None else scale)
    if causal:
        scores = scores.masked_fill(torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).triu(1), -torch.inf)
    return (scores if mask is None else scores.masked_fill(~mask, -1e9)).softmax(-1) @ v


class Net(nn.Module):
    """A module of one step, which may refer to others."""

    def __init__(self, step, inner=None):
        super().__init__()
        self.step, self.inner = step, inner

    def forward(self, *inputs, **options):
        return self.step(self.inner, *inputs, **options)


def gpt(**config):
    return fill(Decoder(DecoderConfig(29, 40, 12, 3, 2, 20, **config)))


def torchs(kind, **options):
    torch.manual_seed(0)
    return getattr(nn, kind)(12, 3, dropout=0.2, **options)


def last_logits(model, ids, targets=None):  # as in nanoGPT
    logits = model(ids)[0]
    return (logits[:, [-1]], None) if targets is None else (logits.view(-1, 29), targets.view(-1).float().mean())


REAL7 = REAL[:2, 1:8]
DROPPING = gpt(dropout=0.5).train()
CAUSAL = {
    "half precision": lambda: assert_causal(gpt().bfloat16(), IDS),
    "outputs of a thousand": lambda: assert_causal(Net(lambda m, ids: 1000 * m(ids)[0], gpt()), IDS),
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
    "contiguous prefixes, flat outputs": lambda: assert_causal(Net(last_logits, gpt()), IDS, targets=IDS),
    "something before the logits": lambda: assert_causal(
        Net(lambda m, ids: {"loss": m(ids)[0].mean(), "hidden": IDS, "logits": m(ids)[0]}, gpt()), IDS
    ),
    "weights before outputs": lambda: assert_causal(
        lambda x: ((x @ x.mT)[:, None].repeat(1, 3, 1, 1), attend(x, x, x)), X
    ),
    "an input changed in place": lambda: assert_causal(lambda x: attend(x.mul_(2), x, x), X),
    "running statistics": lambda: assert_causal(Net(lambda m, x: attend(x, x, m(x.mT).mT), nn.BatchNorm1d(12)), X),
}
OTHERS = {
    "padding, by name": lambda: assert_padding_ignored(torchs("MultiheadAttention", batch_first=True), X, REAL7),
    "padding, one output an item": lambda: assert_padding_ignored(
        lambda x, real: (attend(x, x, x, real[:, None], causal=False) * real[..., None]).sum(1), X, REAL7
    ),
    "padding, rows of it not a number": lambda: assert_padding_ignored(
        lambda x, real: attend(x, x, x, real[:, None]).masked_fill(~real[..., None], torch.nan), X, REAL7
    ),
    "alone, right": lambda: assert_alone_equals_batch(gpt(), IDS, REAL),
    "alone, left": lambda: assert_alone_equals_batch(gpt(), IDS, REAL.flip(1)),
    "items": lambda: assert_items_apart(torchs("MultiheadAttention"), X.transpose(0, 1)),
    "order": lambda: assert_order_matters(gpt(), IDS),
    "modes, running statistics": lambda: assert_modes(nn.Sequential(nn.BatchNorm1d(7), nn.Dropout(0.2)), X),
    "dtype": lambda: assert_dtype_and_device(gpt(), IDS),
    "reference": lambda: assert_equals_reference(
        attend, lambda q, k, v: slow_attention(q, k, v, causal=True), X, MEMORY, X
    ),
    "heads without weights": lambda: assert_heads_independent(torchs("MultiheadAttention", batch_first=True), X, 3),
    "a recurrent network": lambda: assert_cache_equals_whole(nn.GRU(12, 12, batch_first=True), X),
}


@pytest.mark.parametrize("case", [*CAUSAL, *OTHERS])
def test_healthy_models_are_not_accused_however_they_are_called(case):
    torch.manual_seed(0)
    (CAUSAL | OTHERS)[case]()


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
        (lambda: assert_causal(Net(last_logits, gpt()), IDS), r"one output for each position, .* got \(3, 1, 29\)"),
        (lambda: assert_padding_ignored(today(), IDS, REAL), "must take what is real"),
        (lambda: assert_cache_equals_whole(lambda ids, past: gpt()(ids)[0], IDS), r"must return \(out, past\)"),
        (lambda: assert_order_matters(nn.Embedding(29, 5), IDS), "no output moves with other tokens"),
        (lambda: assert_items_apart(attend, X[:1]), "must have 2 items"),
    ],
)
def test_what_cannot_be_asked_accuses_nobody(ask, words):
    with pytest.raises(ValueError, match=words):
        ask()


def by_view(x, order=(0, 1, 2)):
    heads = x.view(2, 3, x.size(1), 4)  # two items, three heads
    return heads.permute(0, 2, 1, 3).reshape(x.shape) if order[0] else heads


def rotated_along_heads(x):
    turned = x.unflatten(-1, (3, 4)) * torch.tensor([1.0, -1.0, 2.0])[:, None]
    return attend(turned.flatten(2), turned.flatten(2), x)


columns = story()
positions_from_zero(columns)
BROKEN = {
    "random": (
        lambda: assert_causal(lambda x: attend(F.dropout(x), x, x), X),
        "two runs on the same input differ by .*: the model is random",
    ),
    "a scale by length": (
        lambda: assert_causal(lambda x: attend(x, x, x, scale=x.size(1) ** -0.5), X),
        "with how many positions follow, .* a scale by T",
    ),
    "heads cut and merged by view": (
        lambda: assert_causal(lambda x: attend(by_view(x), by_view(x), by_view(x)).reshape(x.shape), X),
        "look at how features become heads",
    ),
    "heads cut by view": (
        lambda: assert_causal(lambda x: attend(*[by_view(x)] * 3).transpose(1, 2).reshape(x.shape), X),
        "look at how features become heads",
    ),
    "a mask that begins too late": (
        lambda: assert_causal(lambda x: attend(x, x, x, ~torch.ones(x.size(1), x.size(1)).triu(2).bool(), False), X),
        "look at the mask, which begins too late",
    ),
    "a first row that is hidden": (
        lambda: assert_causal(lambda x: attend(x, x, x, torch.ones(x.size(1), x.size(1)).tril(-1).bool(), False), X),
        "look at the first row of the mask",
    ),
    "no mask, in a module": (
        lambda: assert_causal(nn.Transformer(12, 3, 1, 1, 20, batch_first=True), MEMORY, X),
        "first in decoder.layers.0.self_attn; look at the causal mask",
    ),
    "a fill that is not low": (
        lambda: assert_padding_ignored(lambda x, real: (x @ x.mT - 9 * ~real[:, None]).softmax(-1) @ x, X, REAL7),
        "look at the number that hidden scores get",
    ),
    "left padding, positions of columns": (
        lambda: assert_alone_equals_batch(lambda ids, real: columns(ids, real=real), IDS, REAL.flip(1)),
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
    "not scaled": (
        lambda: assert_equals_reference(lambda q, k, v: attend(q, k, v, None, False, 1.0), slow_attention, X, X, X),
        "it equals attention without a mask, not scaled",
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


@pytest.mark.parametrize("repeat, heads", [("interleave", None), ("tile", r"\[0, 2, 4\], and should move \[0, 1, 2\]")])
def test_grouped_heads(repeat, heads):
    class Grouped(nn.Module):
        def __init__(self):
            super().__init__()
            self.q_proj, self.o_proj = nn.Linear(12, 24), nn.Linear(24, 12)
            self.k_proj, self.v_proj = nn.Linear(12, 8), nn.Linear(12, 8)

        def forward(self, x):
            q, k, v = (split_heads(layer(x), n) for layer, n in ((self.q_proj, 6), (self.k_proj, 2), (self.v_proj, 2)))
            k, v = (z.repeat_interleave(3, 1) if repeat == "interleave" else z.repeat(1, 3, 1, 1) for z in (k, v))
            return self.o_proj(merge_heads(attend(q, k, v)))

    if heads is None:
        assert_grouped_heads(Grouped(), X, 6, 2)
    else:
        with pytest.raises(AssertionError, match=heads + ".* repeat_interleave"):
            assert_grouped_heads(Grouped(), X, 6, 2)


def test_a_model_is_afterwards_as_it_was():
    model = gpt(dropout=0.2).bfloat16().train()
    model.blocks[0].eval()
    before, modes = {k: v.clone() for k, v in model.state_dict().items()}, [m.training for m in model.modules()]
    state = torch.get_rng_state()
    assert_causal(model, IDS)
    assert_order_matters(model, IDS)
    assert all(torch.equal(before[k], v) and v.dtype == torch.bfloat16 for k, v in model.state_dict().items())
    assert [m.training for m in model.modules()] == modes
    assert torch.equal(torch.get_rng_state(), state) and torch.get_default_dtype() == torch.float32


# ---------------------------------------------------------------- the table


def table(capsys, *args, **options):
    check_model(*args, **options)
    return dict(line.split("  ", 1) for line in capsys.readouterr().out.splitlines())


def test_the_table_asks_what_applies(capsys):
    asked = table(capsys, story(), IDS, causal=True, real=REAL, cache=True)
    assert len(asked) == 10 and all(verdict.split()[0] in ("verdict", "kept") for verdict in asked.values())
    asked = table(capsys, torchs("MultiheadAttention", batch_first=True), X, num_heads=3)
    assert asked["causal"].split()[0] == "open" and "order matters" not in asked


def test_the_table_names_what_is_broken_and_accuses_randomness_once(capsys):
    with pytest.raises(AssertionError, match="^broken promises: modes$"):
        check_model(Net(lambda m, ids: F.dropout(m(ids)[0], 0.1), story()), IDS)
    assert "causal            not asked  two runs" in capsys.readouterr().out


def test_the_page_s_file_runs_as_it_stands(monkeypatch, capsys):
    page = (Path(__file__).parents[2] / "docs" / "your_own_model.md").read_text(encoding="utf-8")
    monkeypatch.setitem(sys.modules, "my_project", SimpleNamespace(build_model=story))
    names = {}
    exec(re.search("```python\n(.*?)```", page, re.DOTALL)[1], names)
    names["test_the_model_keeps_its_promises"]()
    monkeypatch.setattr(Decoder, "_places", lambda model, ids, past, real: torch.arange(ids.size(1)))
    capsys.readouterr()
    with pytest.raises(AssertionError, match="cache"):
        names["test_the_model_keeps_its_promises"]()
    printed = re.search("```\n(promise.*?)```", page, re.DOTALL)[1]
    assert re.sub(r"\d+\.\d+", "", capsys.readouterr().out) == re.sub(r"\d+\.\d+", "", printed)
    assert all(name in page for name in assertions.__all__)


def test_messages_are_short():
    for text in (look for module in (caching, heads, reading, states) for look in module.LOOK.values()):
        assert len(text) < 130 and not re.search(r"\n|\.$", text)
