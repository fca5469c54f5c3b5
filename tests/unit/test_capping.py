"""Soft-capping: FlexAttention's `score_mod`, its order relative to the mask, and a cap that is never reached."""

import pytest
import torch

from helpers.capping import cap_scores, capped_attention, capped_scores
from helpers.grouped import grouped_attention
from helpers.masks import causal_mask
from tests.unit.bert_models import agree, random, require_one_sentence, some_mask
from tests.unit.oracles import flex

B, H, T, S, D, E = 2, 6, 5, 7, 11, 13


def qkv(groups=2):
    q = random(B, H, T, D) * 3
    return q, random(B, groups, S, D, seed=1), random(B, groups, S, E, seed=2)


def test_small_scores_stay_and_large_ones_end_at_the_cap():
    assert cap_scores(torch.tensor([-1e30, 0.0, 1e30]), 50.0).tolist() == [-50, 0, 50]
    small = random(100) * 1e-3
    assert (cap_scores(small, 1.5) - small).abs().max() < 1e-8
    found = cap_scores(random(1000) * 9, 2.5)
    assert found.abs().max() <= 2.5 and torch.equal(found.argsort(), (random(1000) * 9).argsort())


def test_hidden_keys_stay_hidden():
    scores, mask = random(B, H, T, S) * 9, some_mask(T, S)
    found = capped_scores(scores, 2.0, mask)
    assert (found[..., ~mask] == float("-inf")).all()
    agree(found[..., mask], 2 * torch.tanh(scores[..., mask] / 2))


def test_capping_after_the_mask_would_leak():
    q, k, v = qkv()
    out, weights = capped_attention(q, k, v, 2.0, causal_mask(T, past=2))
    assert (weights[..., ~causal_mask(T, past=2)] == 0).all()
    changed = v.clone()
    changed[:, :, -1] += 9  # only the last query sees the last value
    agree(capped_attention(q, k, changed, 2.0, causal_mask(T, past=2))[0][:, :, :-1], out[:, :, :-1])
    hidden = (q.unflatten(1, (2, 3)) @ k[:, :, None].mT / D**0.5).masked_fill(~causal_mask(T, past=2), float("-inf"))
    assert cap_scores(hidden, 2.0).softmax(-1)[..., ~causal_mask(T, past=2)].min() > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("cap", [0.5, 2.5, 50.0])
def test_it_is_flexattention_with_a_score_mod(cap):
    q, k, v = qkv(H)
    expected = flex(
        q,
        k,
        v,
        score_mod=lambda score, b, h, t, s: cap * torch.tanh(score / cap),
        mask_mod=lambda b, h, t, s: s <= t + 2,
    )
    agree(capped_attention(q, k, v, cap, causal_mask(T, past=2))[0], expected)


def test_a_very_large_cap_changes_nothing():
    mask = some_mask(B, H, T, S)
    for found, expected in zip(capped_attention(*qkv(), 1e8, mask), grouped_attention(*qkv(), mask), strict=True):
        agree(found, expected)


def test_gradients_rows_that_see_nothing_dtypes_and_arguments():
    inputs = [random(1, heads, 3, 2, seed=heads).requires_grad_() for heads in (4, 2, 2)]
    mask = causal_mask(3) & (torch.arange(3) > 0)  # the first query sees nothing
    assert torch.autograd.gradcheck(lambda *given: capped_attention(*given, 1.5, mask), inputs)
    assert (capped_attention(*inputs, 1.5, mask)[0][:, :, 0] == 0).all()
    scores = random(B, T, S)
    for dtype, tolerance in ((torch.float32, 1e-6), (torch.bfloat16, 0.02)):
        given, kept = scores.to(dtype), scores.to(dtype)
        found = capped_scores(given, 2.0, some_mask(S))
        assert found.dtype == dtype and torch.equal(given, kept)
        assert (found - capped_scores(scores, 2.0, some_mask(S)))[..., some_mask(S)].abs().max() < tolerance


# ---------------------------------------------------------------- errors

Q, M = torch.zeros(1, 2, 3, 4), torch.ones(3, 4) > 0


@pytest.mark.parametrize(
    "error, words, call",
    [
        (ValueError, "cap must be above 0, since scores end between -cap and cap, got 0", lambda: cap_scores(Q, 0)),
        (ValueError, "cap must be above 0, .* got nan", lambda: cap_scores(Q, float("nan"))),
        (TypeError, "cap must be a number, got None", lambda: capped_scores(Q, None, M)),
        (TypeError, "cap must be a number, got True", lambda: cap_scores(Q, True)),
        (
            TypeError,
            "scores must be a tensor of floats, got torch.bool; a mask is passed",
            lambda: capped_scores(M, 2, M),
        ),
        (TypeError, "mask must be bool", lambda: capped_scores(Q, 2, M.float())),
        (ValueError, "mask .* does not broadcast", lambda: capped_scores(Q, 2, M.mT)),
        (ValueError, "groups must divide num_heads", lambda: capped_attention(Q[:, :1], Q, Q, 2)),
    ],
)
def test_errors_are_one_sentence(error, words, call):
    with pytest.raises(error, match=words) as caught:
        call()
    require_one_sentence(caught)
