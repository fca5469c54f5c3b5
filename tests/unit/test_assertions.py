"""Each suspicion is right about broken modules and silent about healthy ones, and leaves them as they were."""

import itertools

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from helpers.attention import CausalAttention
from helpers.bert import BertConfig, BertModel
from helpers.decoder import Decoder, DecoderConfig, Past
from helpers.heads import MultiHeadAttention, merge_heads, split_heads
from helpers.today import TodayConfig, TodayDecoder
from invariants import assertions
from invariants.assertions import (
    assert_cache_equals_whole,
    assert_causal,
    assert_every_parameter_learns,
    assert_heads_independent,
    assert_modes,
    assert_padding_ignored,
    assert_past_reusable,
    assert_scale,
)
from tests.unit.ports_to_break import decoder_pair, fill, today_pair

IDS = torch.randint(0, 29, (3, 9), generator=torch.Generator().manual_seed(1))
X = torch.randn(2, 7, 12, generator=torch.Generator().manual_seed(2))
REAL = torch.arange(9) < torch.tensor([[9], [6], [4]])


def story():
    return fill(Decoder(DecoderConfig(29, 40, 12, 3, 2, 20)))


def today():
    return fill(TodayDecoder(TodayConfig(29, 24, 6, 3, 2, 20)))


def bert():
    return fill(BertModel(BertConfig(12, 3, 11, num_hidden_layers=2, intermediate_size=20, vocab_size=29)))


def test_the_functions_are_short():
    for name in assertions.__all__:
        if name.startswith("assert_"):
            lines = {line for *_, line in getattr(assertions, name).__code__.co_lines() if line}
            assert max(lines) - min(lines) <= 40, name  # of which the docstring is some


# ---------------------------------------------------------------- the future


def ported(**steps):
    mine = decoder_pair()[0]
    for name, step in steps.items():
        setattr(mine.h[1].att, name, step)
    return mine


def over_positions():
    model = today_pair()[0]
    norm = model.h[0].ln1
    norm.forward = lambda x: x / x.square().mean((1, 2), keepdim=True).sqrt()
    return model


@pytest.mark.parametrize("make", [story, today, lambda: decoder_pair()[0], lambda: today_pair()[0]])
def test_decoders_are_causal(make):
    assert_causal(make(), IDS)


@pytest.mark.parametrize(
    "make",
    [
        bert,
        over_positions,
        lambda: ported(hide=lambda scores, visible: scores),
        lambda: ported(hide=lambda scores, visible: scores.masked_fill(visible, -1e9)),
        lambda: ported(hide=lambda scores, visible: scores * visible),
    ],
    ids=["an encoder", "a norm over positions", "no mask", "the mask inverted", "hidden scores of 0"],
)
def test_a_leak_is_found(make):
    with pytest.raises(
        AssertionError, match=r"the first outputs? changes? by .* with what follows.*; look at the causal"
    ):
        assert_causal(make(), IDS)


# ---------------------------------------------------------------- padding


@pytest.mark.parametrize(
    "run, look",
    [
        (lambda model, ids, real: model(ids, mask=~real[:, None, None]), "the mask is inverted"),
        (lambda model, ids, real: model(ids), "look at the padding mask"),
        (lambda model, ids, real: model(ids, mask=real[:, None, :, None]), "look at the padding mask"),
    ],
    ids=["inverted", "left out", "for queries"],
)
def test_a_padding_mask_that_hides_too_little_is_found(run, look):
    model = bert()
    assert_padding_ignored(lambda ids, real: model(ids, mask=real[:, None, None]), IDS, REAL)
    with pytest.raises(AssertionError, match="real tokens change by .* " + look):
        assert_padding_ignored(lambda ids, real: run(model, ids, real), IDS, REAL)


def test_without_padding_there_is_nothing_to_test():
    with pytest.raises(ValueError, match="real must have padding, False, in some item, got none"):
        assert_padding_ignored(lambda ids, real: ids, IDS, torch.ones_like(REAL))


# ---------------------------------------------------------------- the cache


def positions_from_zero(model):
    model._places = lambda ids, past, real: torch.arange(ids.size(1))


def past_that_grows(model):
    """One list for all continuations."""
    kept, inner = [], model.forward

    def forward(ids, past=None):
        if past is None:
            kept.clear()
        kept.append(ids)
        out, _ = inner(torch.cat(kept, dim=1))
        return out[:, -ids.size(1) :], kept

    model.forward = forward


def keys_forgotten(model):
    inner = model.forward
    cut = lambda past: Past(tuple((k[:, :, -3:], v[:, :, -3:]) for k, v in past.layers), past.real)  # noqa: E731
    model.forward = lambda ids, past=None: (lambda out, new: (out, cut(new)))(*inner(ids, past=past))


@pytest.mark.parametrize("make", [story, today])
def test_decoders_give_the_same_in_pieces(make):
    assert_cache_equals_whole(make(), IDS)


@pytest.mark.parametrize("break_it", [positions_from_zero, keys_forgotten])
def test_a_wrong_cache_is_found(break_it):
    model = story()
    break_it(model)
    with pytest.raises(AssertionError, match=r"token by token the outputs differ by [\d.]+; look at the positions"):
        assert_cache_equals_whole(model, IDS)


def buffer_of_all_branches(model):
    """Whoever goes on from a past writes the same rows: the first branch loses its tokens to the second."""
    inner, rows = model.forward, []

    def forward(ids, past=None):
        past = past or 0
        rows[past:] = ids.unbind(1)
        out, _ = inner(torch.stack(rows, dim=1))
        return out[:, past:], len(rows)

    model.forward = forward


@pytest.mark.parametrize("break_it", [past_that_grows, buffer_of_all_branches])
def test_a_past_that_serves_one_continuation_only_is_found_and_called_that(break_it):
    model = story()
    assert_past_reusable(model, IDS)
    break_it(model)
    assert_cache_equals_whole(model, IDS)
    with pytest.raises(AssertionError, match="differ .* if each past is also continued by .* look at what changes a "):
        assert_past_reusable(model, IDS)


def test_outputs_that_a_later_call_overwrites_are_compared_as_they_were():
    model = story()
    inner, buffer = model.forward, torch.zeros(3, 9, 29)

    def forward(ids, past=None):
        out, new = inner(ids, past=past)
        return buffer[:, : ids.size(1)].copy_(out), new

    model.forward = forward
    assert_cache_equals_whole(model, IDS)
    positions_from_zero(model)
    with pytest.raises(AssertionError, match="token by token"):
        assert_cache_equals_whole(model, IDS)


# ---------------------------------------------------------------- the scale


@pytest.mark.parametrize(
    "scores_of, about",
    [
        (lambda q, k: q @ k.transpose(-2, -1), r"for D = 2 .* about 1.41 times"),
        (lambda q, k: q @ k.transpose(-2, -1) / q.size(-1), r"for D = 2 .* about 0.707 times"),
        (lambda q, k: q @ k.transpose(-2, -1) / (q.size(-1) * q.size(1)) ** 0.5, "about 0.577 times"),
        (lambda q, k: q @ k.transpose(-2, -1) / 8, "for D = 2 "),
        (lambda q, k: q @ k.transpose(-2, -1) / min(q.size(-1), 64) ** 0.5, "for D = 80 "),
    ],
)
def test_a_wrong_scale_is_found(scores_of, about):
    assert_scale(lambda q, k: torch.einsum("bhtd,bhsd->bhts", q, k) * q.size(-1) ** -0.5)
    with pytest.raises(AssertionError, match=about + r".* q · k / √D; look at what is under the root"):
        assert_scale(scores_of)


# ---------------------------------------------------------------- heads


class Attention(MultiHeadAttention):
    def forward(self, x):
        q, k, v = self.project(x, x)
        weights = self.weights(q @ k.transpose(-2, -1) / q.size(-1) ** 0.5)
        return self.out_proj(self.merge(weights @ v)), weights

    def weights(self, scores):
        return scores.softmax(-1)

    def merge(self, heads):
        return merge_heads(heads)


def split_after(attention):
    attention.project = lambda x, _: [
        layer(x).reshape(2, 3, 7, 4) for layer in (attention.q_proj, attention.k_proj, attention.v_proj)
    ]


def interleaved(attention):
    attention.project = lambda x, _: [
        layer(x).view(2, 7, 4, 3).permute(0, 3, 1, 2)
        for layer in (attention.q_proj, attention.k_proj, attention.v_proj)
    ]


def softmax_over_heads(attention):
    attention.weights = lambda scores: scores.softmax(1)


def first_head_for_all(attention):
    attention.project = lambda x, _: [split_heads(attention.q_proj(x), 3)[:, :1].expand(2, 3, 7, 4)] * 3


@pytest.mark.parametrize("break_it", [split_after, interleaved, softmax_over_heads, first_head_for_all])
def test_heads_that_read_each_other_s_rows_are_found(break_it):
    attention = fill(Attention(12, 3))
    before = {name: tensor.clone() for name, tensor in attention.state_dict().items()}
    assert_heads_independent(attention, X, 3)
    break_it(attention)
    with pytest.raises(
        AssertionError, match=r"the rows of head \d in ._proj move heads \[.*\], and should move \[\d\]; look at how"
    ):
        assert_heads_independent(attention, X, 3)
    assert all(torch.equal(before[name], tensor) for name, tensor in attention.state_dict().items())


def values_of_the_first_head(attention):
    inner = attention.project
    attention.project = lambda x, _: (lambda q, k, v: (q, k, v[:, :1].expand_as(v)))(*inner(x, x))


def merged_without_a_transpose(attention):
    attention.merge = lambda heads: heads.reshape(2, 7, 12)


def read_in_other_columns(attention):
    attention.merge = lambda heads: merge_heads(heads.flip(1))


@pytest.mark.parametrize("break_it", [values_of_the_first_head, merged_without_a_transpose, read_in_other_columns])
def test_values_and_columns_of_another_head_are_found(break_it):
    attention = fill(Attention(12, 3))
    break_it(attention)
    with pytest.raises(AssertionError, match=r"the rows of head \d in ._proj move heads .* look at how"):
        assert_heads_independent(attention, X, 3)


def test_layers_of_a_module_may_have_other_names():
    attention = fill(Attention(12, 3))
    for name in ("q", "k", "v", "out"):
        setattr(attention, name, getattr(attention, f"{name}_proj"))
    assert_heads_independent(attention, X, 3, names=("q", "k", "v", "out"))
    with pytest.raises(ValueError, match="names must give the projections of queries, keys, values and output"):
        assert_heads_independent(attention, X, 3, names=("q", "k", "v", "o"))


# ---------------------------------------------------------------- modes


class Dropping(nn.Module):
    def __init__(self, step):
        super().__init__()
        self.layer, self.dropout, self.step = nn.Linear(12, 12), nn.Dropout(0.2), step
        self.plain = [nn.Dropout(0.2)]

    def forward(self, x):
        return self.step(self, self.layer(x))


def count(model, x):
    """Training changes what evaluation gives."""
    model.seen = getattr(model, "seen", 0) + model.training
    return model.dropout(x) * (1 + model.seen)


@pytest.mark.parametrize(
    "step, words",
    [
        (lambda model, x: F.dropout(x, 0.1), "in evaluation two runs differ"),
        (lambda model, x: model.plain[0](model.dropout(x)), "in evaluation two runs differ"),
        (count, "in evaluation two runs differ, with training in between"),
        (lambda model, x: x, "in training all runs are equal, although there is dropout"),
    ],
)
def test_a_mode_that_does_not_reach_everything_is_found(step, words):
    model = Dropping(step)
    model.dropout.eval()
    with pytest.raises(AssertionError, match=words):
        assert_modes(model, X)
    assert model.training and not model.dropout.training


def test_healthy_modules_know_their_modes():
    torch.manual_seed(0)
    for model, x in ((Dropping(lambda model, x: model.dropout(x)), X), (nn.Linear(12, 5), X), (story(), IDS)):
        assert_modes(model, x)
    assert_modes(CausalAttention(12, 12, 9, 0.3), X)
    assert_modes(CausalAttention(12, 12, 9, 0.3), X, draws=300)


@pytest.mark.parametrize("factor", [0.8, 1.25])
def test_a_wrong_mean_in_training_is_found_where_it_is_asked_for(factor):
    model = Dropping(lambda model, x: model.dropout(x) * (factor if model.training else 1))
    assert_modes(model, 3 * X)
    with pytest.raises(AssertionError, match=r"the mean of 1000 runs in training is off by .*; look for the factor"):
        assert_modes(model, 3 * X, draws=1000)


def test_rounding_in_evaluation_is_no_dropout():
    calls = itertools.count()
    assert_modes(Dropping(lambda model, x: model.dropout(x) + 3e-6 * (-1) ** next(calls)), X)


# ---------------------------------------------------------------- learning


def frozen_output(model):
    inner = model.norm.forward
    model.norm.forward = lambda x: inner(x.detach())


def layer_that_is_skipped(model):
    model.blocks[1].feed_forward.forward = lambda x: 0 * x.detach()


def square_root_of_zero(model):
    inner = model.norm.forward
    model.norm.forward = lambda x: inner(x) + (x - x).sqrt()


@pytest.mark.parametrize(
    "break_it, words",
    [
        (
            frozen_output,
            r"no gradient reaches positions.weight, blocks.0.norm1.weight, .* and \d+ more; look for detach",
        ),
        (layer_that_is_skipped, "no gradient reaches blocks.1.norm2.weight, "),
        (square_root_of_zero, "the gradient of tokens.weight, .* is not finite; look for a row of -inf"),
    ],
)
def test_a_parameter_that_cannot_learn_is_found(break_it, words):
    model = story()
    assert_every_parameter_learns(model, IDS)
    assert all(p.grad is None for p in model.parameters())
    break_it(model)
    with pytest.raises(AssertionError, match=words):
        assert_every_parameter_learns(model, IDS)
