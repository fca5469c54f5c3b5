"""Rotary positions and biases.

Exercises 9.1 to 9.5 check more, and test_ports_published.py compares ALiBi with that of BLOOM.
"""

import pytest
import torch

from helpers.heads import merge_heads, split_heads
from helpers.masks import causal_mask
from helpers.relative_positions import (
    AlibiAttention,
    RotaryAttention,
    alibi_bias,
    alibi_slopes,
    biased_attention,
    pairs_to_halves,
    rotary_step,
    rotate_first,
    rotate_halves,
    rotate_pairs,
)
from tests.unit.refusals import require_refused
from tests.unit.tensors import agree, filled, random, some_mask

B, H, T, S, D = 2, 3, 7, 11, 10


def test_the_first_features_turn_and_the_others_stay():
    x, positions = random(B, H, T, D), torch.arange(T)
    turned = rotate_first(x, positions, 4, 77.0)
    assert torch.equal(turned[..., 4:], x[..., 4:])
    assert torch.equal(turned[..., :4], rotate_halves(x[..., :4], positions, 77.0))
    assert torch.equal(rotate_first(x, positions, D), rotate_halves(x, positions))


@pytest.mark.parametrize("rotate", [rotate_pairs, rotate_halves])
def test_angles_are_exact_in_every_dtype_and_a_sequence_may_be_empty(rotate):
    x, positions = random(3, 4), torch.arange(3) + 1997  # float32 would lose digits of these angles
    for dtype, tolerance in ((torch.float32, 1e-6), (torch.bfloat16, 0.05), (torch.float16, 0.005)):
        near = rotate(x.to(dtype), positions)
        assert near.dtype == dtype and (near - rotate(x, positions)).abs().max() < tolerance
    assert rotate(torch.zeros(B, 0, 4), torch.arange(0)).shape == (B, 0, 4)


def test_slopes_fall_evenly_to_1_256_and_other_numbers_of_heads_add_every_other_slope_of_twice_as_many():
    for heads in (1, 2, 8, 16):
        expected = [2 ** (-8 * (h + 1) / heads) for h in range(heads)]
        assert alibi_slopes(heads).tolist() == pytest.approx(expected, rel=1e-7)
    assert torch.equal(alibi_slopes(12), torch.cat([alibi_slopes(8), alibi_slopes(16)[:8:2]]))


def test_rotary_attention_is_a_rotary_step_between_projections():
    made, x = filled(RotaryAttention(24, H)), random(B, T, 24)
    out, _ = rotary_step(*(split_heads(projection(x), H) for projection in (made.q_proj, made.k_proj, made.v_proj)))
    agree(made(x, causal=True)[0], made.out_proj(merge_heads(out)))


def test_alibi_attention_adds_its_bias_and_silences_heads():
    made, x, mask = filled(AlibiAttention(24, H)), random(B, T, 24), some_mask(B, 1, T, T)
    kept = torch.tensor([1.0, 0, 1])
    q, k, v = made.project(x, x)
    out, weights = biased_attention(q, k, v, alibi_bias(H, T, T), mask)
    agree(made(x, mask=mask, need_weights=True), (made.out_proj(merge_heads(out)), weights))
    agree(made(x, mask=mask, causal=True)[0], made(x, mask=mask & causal_mask(T))[0])
    agree(made.attend(q, k, v, mask, head_mask=kept)[0], made.out_proj(merge_heads(out * kept[:, None, None])))


X, P = torch.zeros(2, 3, 4), torch.arange(3)
QKV = [torch.zeros(1, 2, 3, 4)] * 3
Q, K = torch.zeros(1, 2, 3, 4), torch.zeros(1, 2, 5, 4)


def test_errors_of_rotations_are_one_sentence():
    rows = "ValueError: an even number of rows for each of 3 heads, got (9,)"
    require_refused(
        ("ValueError: D must be even, since features are turned in pairs, got 3", lambda: rotate_pairs(X[..., 1:], P)),
        ("ValueError: x must be (..., T, D), got (4,)", lambda: rotate_halves(torch.zeros(4), P)),
        ("TypeError: positions must be a tensor of numbers, got list; make one", lambda: rotate_pairs(X, [0, 1, 2])),
        ("ValueError: positions must be (3,), one for each of x's 3, got (2,)", lambda: rotate_halves(X, P[:2])),
        ("ValueError: positions must be on cpu like x, got meta", lambda: rotate_halves(X, P.to("meta"))),
        ("ValueError: width must be at most the number of features of x, got 6", lambda: rotate_first(X, P, 6)),
        ("TypeError: width must be a whole number, got 2.0", lambda: rotate_first(X, P, 2.0)),
        ("TypeError: num_heads must be a whole number, got 2.0", lambda: pairs_to_halves(torch.zeros(8, 2), 2.0)),
        ("TypeError: weight must be a tensor of floats, got list", lambda: pairs_to_halves([1.0], 2)),
        (rows, lambda: pairs_to_halves(torch.zeros(9), 3)),
        ("TypeError: past must be (keys, values), as it was returned", lambda: rotary_step(*QKV, past=QKV)),
        ("ValueError: length must be at least 1, got 0", lambda: rotary_step(*(x[:, :, :0] for x in QKV))),
    )


def test_errors_of_biases_are_one_sentence():
    latest = "ValueError: T must be at most S, since the queries are the last T of S positions"
    require_refused(
        (latest, lambda: alibi_bias(2, 5, 3)),
        ("ValueError: T must be at least 1, got 0", lambda: alibi_bias(2, 0, 3)),
        ("ValueError: D is 3 in q and 4 in k", lambda: biased_attention(Q[..., 1:], K, K, torch.zeros(3, 5))),
        ("TypeError: num_heads must be a whole number, got 2.0", lambda: alibi_slopes(2.0)),
        ("TypeError: bias must be a tensor of floats, got torch.bool", lambda: biased_attention(Q, K, K, Q[0, 0] > 0)),
        ("ValueError: bias (5, 3) does not broadcast", lambda: biased_attention(Q, K, K, torch.zeros(5, 3))),
        ("TypeError: mask must be bool", lambda: AlibiAttention(4, 2)(X, mask=[[True]], causal=True)),
    )
