"""Windows: a band gives the numbers of a mask without its table; exercises 11.1 and 11.2 check more."""

import itertools

import pytest
import torch

from exercises.common.sizes import LargestTensor
from helpers.grouped import cache_bytes, grouped_attention
from helpers.windows import banded_attention, rolling_step, window_mask
from tests.unit.refusals import require_refused
from tests.unit.tensors import agree, random

B, H, T, D, E = 2, 6, 17, 7, 11
WINDOWS = [1, 3, 5, 16, 17, 40]


def qkv(groups=2, length=T, width=D):
    q = random(B, H, length, D)
    return q, random(B, groups, length, D, seed=1), random(B, groups, length, width, seed=2)


@pytest.mark.parametrize("window", WINDOWS)
def test_a_band_is_the_mask_in_outputs_and_gradients(window):
    inputs, mix = [x.requires_grad_() for x in qkv(width=E)], random(B, H, T, E, seed=9)
    found = banded_attention(*inputs, window)
    expected = grouped_attention(*inputs, window_mask(T, T, window))[0]
    agree(found, expected)
    agree(torch.autograd.grad((found * mix).sum(), inputs), torch.autograd.grad((expected * mix).sum(), inputs))


def test_a_band_takes_texts_of_every_length():
    for length, window in itertools.product(range(1, 8), (1, 3, 4, 9)):
        inputs = qkv(length=length)
        agree(banded_attention(*inputs, window), grouped_attention(*inputs, window_mask(length, length, window))[0])


def test_a_band_never_makes_a_table():
    q, k = torch.zeros(1, 2, 400, 8), torch.zeros(1, 1, 400, 8)
    with LargestTensor() as largest:
        banded_attention(q, k, k, 10)
    assert largest.elements <= 2 * 400 * 2 * 10 < 2 * 400 * 400 / 10


@pytest.mark.parametrize("window", WINDOWS)
def test_a_rolling_cache_keeps_less_than_a_window_alive(window):
    past, seen = None, 0
    for parts in zip(*(x.split([3, 1, 1, 6, 6], dim=2) for x in qkv()), strict=True):
        out, past = rolling_step(*parts, past, window)
        seen += out.size(2)
        assert {x.size(2) for x in past} == {min(seen, window - 1)}
        assert sum(x.untyped_storage().nbytes() for x in past) == cache_bytes(past)  # and nothing else


Q, K = torch.zeros(1, 2, 3, 4), torch.zeros(1, 2, 5, 4)


def test_errors_are_one_sentence():
    require_refused(
        ("ValueError: T must be at most S", lambda: window_mask(5, 3, 2)),
        ("ValueError: window must be at least 1, got 0", lambda: window_mask(3, 5, 0)),
        ("TypeError: window must be a whole number, got 2.0", lambda: banded_attention(Q, Q, Q, 2.0)),
        ("TypeError: window must be a whole number, got None", lambda: rolling_step(Q, Q, Q, None, None)),
        ("ValueError: got 3 and 5; after a past use rolling_step", lambda: banded_attention(Q, K, K, 2)),
        ("ValueError: groups must divide num_heads", lambda: banded_attention(Q[:, :1], Q, Q, 2)),
        ("TypeError: past must be (keys, values), as it was", lambda: rolling_step(Q, Q, Q, Q, 2)),
        ("ValueError: q must be (B, H, T, D)", lambda: rolling_step(Q[0], Q[0], Q[0], (K, K), 2)),
    )
