"""Position biases: against formulas in whole numbers, PyTorch's additive mask, and Python loops."""

import pytest
import torch
import torch.nn.functional as F

from helpers.masks import causal_mask
from helpers.relative_positions import RelativeBias, alibi_bias, alibi_slopes, biased_attention, distance_buckets
from tests.unit.bert_models import agree, random
from tests.unit.refusals import require_refused

B, H, T, S, D = 2, 3, 5, 7, 11


def test_biased_attention_is_pytorch_s_with_a_float_mask():
    q, k, v = random(B, H, T, D), random(B, H, S, D, seed=1), random(B, H, S, 13, seed=2)
    mask = causal_mask(T, past=S - T)
    for shape in ((H, T, S), (T, S), (B, 1, 1, S), (S,)):
        bias = random(*shape, seed=3)
        expected = F.scaled_dot_product_attention(q, k, v, torch.atleast_2d(bias).masked_fill(~mask, float("-inf")))
        out, weights = biased_attention(q, k, v, bias, mask)
        agree(out, expected)
        agree(weights.sum(-1), torch.ones(B, H, T).double())
        assert (weights[..., ~mask] == 0).all()


def test_gradients_reach_q_k_v_and_the_bias():
    inputs = [random(2, 3, 4, seed=seed).requires_grad_() for seed in range(3)] + [
        random(3, 3, seed=3).requires_grad_()
    ]
    assert torch.autograd.gradcheck(lambda *given: biased_attention(*given, causal_mask(3)), inputs)


# ---------------------------------------------------------------- ALiBi


def test_slopes_of_a_power_of_two_fall_evenly_to_1_256():
    for heads in (1, 2, 8, 16):
        expected = [2 ** (-8 * (h + 1) / heads) for h in range(heads)]
        assert alibi_slopes(heads).tolist() == pytest.approx(expected, rel=1e-7)


def test_other_numbers_of_heads_add_every_other_slope_of_twice_as_many():
    assert alibi_slopes(6).tolist() == [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]
    assert torch.equal(alibi_slopes(12), torch.cat([alibi_slopes(8), alibi_slopes(16)[:8:2]]))


def test_alibi_is_minus_slope_times_distance():
    bias = alibi_bias(4, T, S)
    assert bias.dtype == torch.float32
    for h, slope in enumerate(alibi_slopes(4).tolist()):
        for t in range(T):
            for s in range(S):
                assert bias[h, t, s] == -slope * (S - T + t - s)
    assert (bias.diagonal(S - T, 1, 2) == 0).all()
    assert torch.equal(alibi_bias(4, 1, S), alibi_bias(4, S, S)[:, -1:])


# ---------------------------------------------------------------- T5


def bucket_in_whole_numbers(distance, buckets, longest):
    """The last bucket whose first distance is not larger; (d / e)^(n - e) >= (longest / e)^i without a logarithm."""
    e = buckets // 2
    if distance < e:
        return distance
    reached = [i for i in range(buckets - e) if distance ** (buckets - e) * e**i >= longest**i * e ** (buckets - e)]
    return e + reached[-1]


@pytest.mark.parametrize(
    "buckets, longest", [(32, 128), (16, 128), (16, 32), (8, 11), (10, 17), (4, 11), (6, 19), (2, 3)]
)
def test_buckets_are_right_up_to_every_boundary(buckets, longest):
    distances = torch.arange(2000)
    expected = [bucket_in_whole_numbers(d, buckets, longest) for d in range(2000)]
    assert distance_buckets(distances, buckets, longest).tolist() == expected
    assert set(expected) == set(range(buckets)) and expected[longest] == buckets - 1


def filled(*arguments, **options):
    made = RelativeBias(*arguments, **options)
    made.table.data = random(*made.table.shape, dtype=torch.float32)
    return made


def test_a_decoder_has_buckets_for_the_past_alone():
    made = filled(H, 8, 11)
    bias = made(T, S)
    for t in range(T):
        for s in range(S):
            row = bucket_in_whole_numbers(max(S - T + t - s, 0), 8, 11)
            assert torch.equal(bias[:, t, s], made.table[row])


def test_an_encoder_has_the_upper_half_for_later_keys():
    made = filled(H, 8, 11, bidirectional=True)
    bias = made(13, 13)
    for t in range(13):
        for s in range(13):
            row = bucket_in_whole_numbers(abs(t - s), 4, 11) + (4 if s > t else 0)
            assert torch.equal(bias[:, t, s], made.table[row])


@pytest.mark.parametrize("bidirectional", [False, True])
def test_the_last_queries_have_the_last_rows(bidirectional):
    made = filled(H, bidirectional=bidirectional)
    assert torch.equal(made(T, 300), made(300, 300)[:, -T:])
    (gradient,) = torch.autograd.grad(made(300, 300).sum(), made.table)
    assert gradient.sum() == H * 300 * 300 and (gradient > 0).all(1).sum() == (31 if bidirectional else 32)


# ---------------------------------------------------------------- errors

Q, K = torch.zeros(1, 2, 3, 4), torch.zeros(1, 2, 5, 4)


def test_errors_are_one_sentence():
    require_refused(
        (
            "ValueError: T must be at most S, since the queries are the last T of S positions",
            lambda: alibi_bias(2, 5, 3),
        ),
        ("ValueError: T must be at least 1, got 0", lambda: RelativeBias(2)(0, 3)),
        ("TypeError: num_heads must be a whole number, got 2.0", lambda: alibi_slopes(2.0)),
        ("TypeError: max_distance must be a whole number, got 8.0", lambda: RelativeBias(2, 8, 8.0)),
        ("ValueError: fewer than max_distance = 4, got 8", lambda: distance_buckets(torch.arange(3), 8, 4)),
        ("ValueError: at least 2 buckets, and half of", lambda: RelativeBias(2, num_buckets=3, bidirectional=True)),
        ("TypeError: bias must be a tensor of floats, got torch.bool", lambda: biased_attention(Q, K, K, Q[0, 0] > 0)),
        ("ValueError: bias (5, 3) does not broadcast", lambda: biased_attention(Q, K, K, torch.zeros(5, 3))),
        ("ValueError: D is 3 in q and 4 in k", lambda: biased_attention(Q[..., 1:], K, K, torch.zeros(3, 5))),
    )
