"""Rotary positions: complex numbers, the permutation from pairs to halves, and that only distances count."""

import pytest
import torch

from helpers.masks import causal_mask
from helpers.relative_positions import pairs_to_halves, rotary_step, rotate_first, rotate_halves, rotate_pairs
from tests.unit.bert_models import agree, random
from tests.unit.oracles import sdpa
from tests.unit.refusals import require_refused

B, H, T, D, C = 2, 3, 7, 10, 13


def by_complex_numbers(x, positions, base=10000.0):
    """Each pair as one complex number, times e^(i * angle)."""
    D = x.size(-1)
    angle = positions.double()[:, None] * base ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)
    return torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2))) * torch.exp(1j * angle)).flatten(-2)


@pytest.mark.parametrize(
    "positions", [torch.arange(T), torch.arange(T) + 1990, torch.arange(T) * 0.7], ids=["first", "later", "floats"]
)
def test_pairs_are_complex_numbers_that_turn(positions):
    x = random(B, H, T, D)
    agree(rotate_pairs(x, positions), by_complex_numbers(x, positions))  # 10,000 is the default
    agree(rotate_pairs(x, positions, 500.0), by_complex_numbers(x, positions, 500.0))


def test_halves_are_pairs_in_another_order():
    x, positions = random(B, H, T, D), torch.arange(T) + 5
    order = torch.tensor([*range(0, D, 2), *range(1, D, 2)])
    for base in ([], [77.0]):
        agree(rotate_halves(x[..., order], positions, *base), rotate_pairs(x, positions, *base)[..., order])


@pytest.mark.parametrize("rotate", [rotate_pairs, rotate_halves])
def test_only_the_distance_counts(rotate):
    q, k, positions = random(B, H, T, D), random(B, H, T, D, seed=1), torch.arange(T)
    scores = rotate(q, positions) @ rotate(k, positions).mT
    agree(rotate(q, positions + 1000) @ rotate(k, positions + 1000).mT, scores)  # to 1e-12
    assert (rotate(q, positions + 1) @ rotate(k, positions).mT - scores).abs().max() > 0.1
    q, k = q[..., :1, :].expand(B, H, T, D), k[..., :1, :].expand(B, H, T, D)
    scores = rotate(q, positions) @ rotate(k, positions).mT
    agree(scores[..., 1:, 1:], scores[..., :-1, :-1])


def test_the_first_features_turn_and_the_others_stay():
    x, positions = random(B, H, T, D), torch.arange(T)
    turned = rotate_first(x, positions, 4, 77.0)
    assert torch.equal(turned[..., 4:], x[..., 4:])
    assert torch.equal(turned[..., :4], rotate_halves(x[..., :4], positions, 77.0))
    assert torch.equal(rotate_first(x, positions, D), rotate_halves(x, positions))


@pytest.mark.parametrize("rotate", [rotate_pairs, rotate_halves, lambda x, positions: rotate_first(x, positions, 4)])
def test_gradients_dtypes_and_empty_sequences(rotate):
    x, positions = random(3, 4).requires_grad_(), torch.arange(3)
    assert torch.autograd.gradcheck(rotate, (x, positions))
    for dtype, tolerance in ((torch.float32, 1e-6), (torch.bfloat16, 0.05), (torch.float16, 0.005)):
        near = rotate(x.detach().to(dtype), positions + 1997)  # float32 would lose digits of these angles
        assert near.dtype == dtype and (near - rotate(x.detach(), positions + 1997)).abs().max() < tolerance
    assert rotate(torch.zeros(B, 0, 4), torch.arange(0)).shape == (B, 0, 4)


# ---------------------------------------------------------------- weights


def test_halves_with_permuted_weights_give_the_scores_of_pairs():
    x, positions = random(B, T, C), torch.arange(T)
    w_q, w_k = random(H * D, C, seed=1), random(H * D, C, seed=2)
    assert pairs_to_halves(torch.arange(12.0), 2).tolist() == [0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11]  # a bias

    def scores(rotate, w_q, w_k):
        q, k = (rotate((x @ w.mT).unflatten(-1, (H, D)).transpose(1, 2), positions) for w in (w_q, w_k))
        return q @ k.mT

    agree(scores(rotate_halves, pairs_to_halves(w_q, H), pairs_to_halves(w_k, H)), scores(rotate_pairs, w_q, w_k))
    assert (scores(rotate_halves, w_q, w_k) - scores(rotate_pairs, w_q, w_k)).abs().max() > 1


# ---------------------------------------------------------------- after a past


def test_a_step_continues_after_the_past_and_so_do_its_gradients():
    q, k, v = (random(B, H, T, D, seed=seed).requires_grad_() for seed in range(3))
    positions, mix = torch.arange(T), random(B, H, T, D, seed=9)
    expected = sdpa(rotate_pairs(q, positions), rotate_pairs(k, positions), v, causal_mask(T))
    outs, past = [], None
    for parts in zip(*(x.split([2, 1, 3, 1], dim=2) for x in (q, k, v)), strict=True):
        out, past = rotary_step(*parts, past)
        outs.append(out)
    found = torch.cat(outs, dim=2)
    agree(found, expected)
    agree(*(torch.autograd.grad((out * mix).sum(), (q, k, v)) for out in (found, expected)))


# ---------------------------------------------------------------- errors

X, P = torch.zeros(2, 3, 4), torch.arange(3)
QKV = [torch.zeros(1, 2, 3, 4)] * 3


def test_errors_are_one_sentence():
    require_refused(
        ("ValueError: D must be even, since features are turned in pairs, got 3", lambda: rotate_pairs(X[..., 1:], P)),
        ("ValueError: x must be (..., T, D), got (4,)", lambda: rotate_halves(torch.zeros(4), P)),
        ("TypeError: x must be a tensor of floats, got torch.int64", lambda: rotate_pairs(X.long(), P)),
        ("TypeError: positions must be a tensor of numbers, got list; make one", lambda: rotate_pairs(X, [0, 1, 2])),
        ("TypeError: positions must be a tensor of numbers, got torch.bool", lambda: rotate_pairs(X, P > 0)),
        ("ValueError: positions must be (3,), one for each of x's 3, got (2,)", lambda: rotate_halves(X, P[:2])),
        ("ValueError: positions must be on cpu like x, got meta", lambda: rotate_halves(X, P.to("meta"))),
        ("ValueError: width must be at most the number of features of x, got 6", lambda: rotate_first(X, P, 6)),
        ("ValueError: D must be even", lambda: rotate_first(X, P, 3)),
        ("TypeError: width must be a whole number, got 2.0", lambda: rotate_first(X, P, 2.0)),
        ("TypeError: weight must be a tensor of floats, got list", lambda: pairs_to_halves([1.0], 2)),
        (
            "ValueError: an even number of rows for each of 3 heads, got (9,)",
            lambda: pairs_to_halves(torch.zeros(9), 3),
        ),
        ("TypeError: num_heads must be a whole number, got 2.0", lambda: pairs_to_halves(torch.zeros(8, 2), 2.0)),
        ("TypeError: past must be (keys, values), as it was returned", lambda: rotary_step(*QKV, past=QKV)),
        ("ValueError: length must be at least 1, got 0", lambda: rotary_step(*(x[:, :, :0] for x in QKV))),
    )
