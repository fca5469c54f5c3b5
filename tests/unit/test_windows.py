"""Windows: a mask, a band and a rolling cache give the same numbers, PyTorch's and FlexAttention's."""

import pytest
import torch

from helpers.grouped import cache_bytes, grouped_attention
from helpers.masks import causal_mask
from helpers.windows import banded_attention, latest, rolling_step, window_mask
from tests.unit.bert_models import agree, random, require_one_sentence
from tests.unit.oracles import flex, sdpa
from tests.unit.test_grouped import Largest

B, H, T, D, E = 2, 6, 17, 7, 11
WINDOWS = [1, 2, 3, 5, 16, 17, 40]


def qkv(groups=2, length=T, width=D):
    q = random(B, H, length, D)
    return q, random(B, groups, length, D, seed=1), random(B, groups, length, width, seed=2)


@pytest.mark.parametrize("T, S", [(1, 1), (5, 5), (3, 7), (1, 7)])
@pytest.mark.parametrize("window", [1, 2, 3, 6, 7, 50])
def test_each_query_sees_the_latest_positions_its_own_included(T, S, window):
    mask = window_mask(T, S, window)
    assert mask.shape == (T, S) and mask.dtype == torch.bool
    for t in range(T):
        own = S - T + t
        assert mask[t].nonzero().flatten().tolist() == list(range(max(0, own - window + 1), own + 1))


def test_a_wide_window_is_the_causal_mask_and_devices_are_respected():
    assert torch.equal(window_mask(5, 8, 8), causal_mask(5, past=3))
    assert window_mask(3, 5, 2, device="meta").device.type == "meta"


# ---------------------------------------------------------------- the same numbers in other ways


@pytest.mark.parametrize("window", WINDOWS)
def test_a_mask_is_pytorch_s_in_outputs_and_gradients(window):
    inputs = [x.requires_grad_() for x in qkv(groups=H)]
    mask, mix = window_mask(T, T, window), random(B, H, T, D, seed=9)
    found = grouped_attention(*inputs, mask)[0]
    expected = sdpa(*inputs, mask)
    agree(found, expected)
    agree(torch.autograd.grad((found * mix).sum(), inputs), torch.autograd.grad((expected * mix).sum(), inputs))


@pytest.mark.slow
@pytest.mark.parametrize("window", WINDOWS)
def test_a_mask_is_flexattention_s(window):
    q, k, v = qkv(groups=H)
    expected = flex(q, k, v, mask_mod=lambda b, h, t, s: (t >= s) & (t - s < window))
    agree(grouped_attention(q, k, v, window_mask(T, T, window))[0], expected)


@pytest.mark.parametrize("groups", [1, 2, 6])
@pytest.mark.parametrize("window", WINDOWS)
def test_a_band_is_the_mask_in_outputs_and_gradients(window, groups):
    inputs, mix = [x.requires_grad_() for x in qkv(groups, width=E)], random(B, H, T, E, seed=9)
    found = banded_attention(*inputs, window)
    expected = grouped_attention(*inputs, window_mask(T, T, window))[0]
    agree(found, expected)
    agree(torch.autograd.grad((found * mix).sum(), inputs), torch.autograd.grad((expected * mix).sum(), inputs))


@pytest.mark.parametrize("length", range(1, 8))
def test_a_band_takes_texts_of_every_length(length):
    inputs = qkv(length=length)
    for window in (1, 3, 4, 9):
        agree(banded_attention(*inputs, window), grouped_attention(*inputs, window_mask(length, length, window))[0])


def test_a_band_never_makes_a_table():
    q, k = torch.zeros(1, 2, 400, 8), torch.zeros(1, 1, 400, 8)
    with Largest() as largest:
        banded_attention(q, k, k, 10)
    assert largest.elements <= 2 * 400 * 2 * 10 < 2 * 400 * 400 / 10


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("pieces", [[T], [1] * T, [4, 9, 4], [1, 15, 1], [3, 1, 1, 6, 6]], ids=str)
def test_a_rolling_cache_is_the_mask_and_keeps_less_than_a_window(window, pieces):
    inputs, mix = [x.requires_grad_() for x in qkv()], random(B, H, T, D, seed=9)
    expected = grouped_attention(*inputs, window_mask(T, T, window))[0]
    outs, past, seen = [], None, 0
    for parts in zip(*(x.split(pieces, dim=2) for x in inputs), strict=True):
        out, past = rolling_step(*parts, past, window)
        outs.append(out)
        seen += out.size(2)
        assert {x.size(2) for x in past} == {min(seen, window - 1)}
        assert sum(x.untyped_storage().nbytes() for x in past) == cache_bytes(past)  # nothing else is kept alive
    agree(torch.cat(outs, dim=2), expected)
    found = torch.autograd.grad((torch.cat(outs, dim=2) * mix).sum(), inputs)
    agree(found, torch.autograd.grad((expected * mix).sum(), inputs))


def test_a_past_is_not_changed_and_can_be_continued_twice():
    q, k, v = qkv()
    _, past = rolling_step(*(x[:, :, :9] for x in (q, k, v)), None, 4)
    kept = [x.clone() for x in past]
    rolling_step(-q[:, :, 9:], k[:, :, 9:], -v[:, :, 9:], past, 4)
    out, _ = rolling_step(*(x[:, :, 9:] for x in (q, k, v)), past, 4)
    agree(out, grouped_attention(q, k, v, window_mask(T, T, 4))[0][:, :, 9:])
    assert all(map(torch.equal, past, kept))


def test_a_past_that_holds_more_than_the_window_is_hidden_and_forgotten():
    q, k, v = qkv()
    out, past = rolling_step(q[:, :, 16:], k[:, :, 16:], v[:, :, 16:], (k[:, :, :16], v[:, :, :16]), 4)
    agree(out, grouped_attention(q, k, v, window_mask(T, T, 4))[0][:, :, 16:])
    agree(past, (k[:, :, 14:], v[:, :, 14:]))


def test_the_latest_are_copies():
    x = random(1, 2, 5, 3)
    (two,), (all_,), (none,) = latest((x,), 2), latest((x,), 9), latest((x,), 0)
    assert torch.equal(two, x[:, :, 3:]) and torch.equal(all_, x) and none.shape == (1, 2, 0, 3)
    assert two.untyped_storage().nbytes() == two.numel() * 8 and all_.data_ptr() != x.data_ptr()


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_layers_see_further_than_one_window(layers):
    x = random(1, 1, T, D).requires_grad_()
    out = x
    for _ in range(layers):
        out = banded_attention(out, out, out, 4)
    (gradient,) = torch.autograd.grad(out[0, 0, -1].sum(), x)
    assert gradient[0, 0].abs().sum(-1).nonzero().flatten().tolist() == list(range(T - 1 - 3 * layers, T))


# ---------------------------------------------------------------- errors

Q, K = torch.zeros(1, 2, 3, 4), torch.zeros(1, 2, 5, 4)


@pytest.mark.parametrize(
    "error, words, call",
    [
        (ValueError, "T must be at most S, .* got T = 5, S = 3", lambda: window_mask(5, 3, 2)),
        (ValueError, "window must be at least 1, got 0", lambda: window_mask(3, 5, 0)),
        (TypeError, "window must be a whole number, got 2.0", lambda: banded_attention(Q, Q, Q, 2.0)),
        (TypeError, "window must be a whole number, got None", lambda: rolling_step(Q, Q, Q, None, None)),
        (
            ValueError,
            r"q and k must have as many positions, .* got 3 and 5; after a past use rolling_step",
            lambda: banded_attention(Q, K, K, 2),
        ),
        (ValueError, "groups must divide num_heads", lambda: banded_attention(Q[:, :1], Q, Q, 2)),
        (
            TypeError,
            r"past must be \(keys, values\), as it was returned, got Tensor",
            lambda: rolling_step(Q, Q, Q, Q, 2),
        ),
        (
            ValueError,
            r"past must hold keys \(1, 2, S, 4\).*: D is 4 in keys and 2 in values",
            lambda: rolling_step(Q, Q, Q, (K, K[..., :2]), 2),
        ),
        (ValueError, r"q must be \(B, H, T, D\)", lambda: rolling_step(Q[0], Q[0], Q[0], None, 2)),
    ],
)
def test_errors_are_one_sentence(error, words, call):
    with pytest.raises(error, match=words) as caught:
        call()
    require_one_sentence(caught)
