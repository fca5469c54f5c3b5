"""Soft-capping: FlexAttention's `score_mod`, its order relative to the mask, and a cap that is never reached."""

import pytest
import torch

from helpers.capping import cap_scores, capped_scores
from helpers.masks import causal_mask
from tests.unit.bert_models import agree, random, some_mask
from tests.unit.oracles import flex
from tests.unit.refusals import require_refused

B, H, T, S, D, E = 2, 6, 5, 7, 11, 13


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


@pytest.mark.slow
def test_it_is_flexattention_with_a_score_mod():
    q, k, v = (random(B, H, length, D, seed=length) * 3 for length in (T, S, S))

    def score_mod(score, b, h, t, s):
        return 2.5 * torch.tanh(score / 2.5)

    weights = capped_scores(q @ k.mT / D**0.5, 2.5, causal_mask(T, past=2)).softmax(dim=-1)
    agree(weights @ v, flex(q, k, v, mask_mod=lambda b, h, t, s: s <= t + 2, score_mod=score_mod))


# ---------------------------------------------------------------- errors

Q, M = torch.zeros(1, 2, 3, 4), torch.ones(3, 4) > 0


def test_errors_are_one_sentence():
    require_refused(
        ("ValueError: cap must be above 0, since scores end between -cap and cap, got 0", lambda: cap_scores(Q, 0)),
        ("ValueError: got nan", lambda: cap_scores(Q, float("nan"))),
        ("TypeError: cap must be a number, got None", lambda: capped_scores(Q, None, M)),
        ("TypeError: cap must be a number, got True", lambda: cap_scores(Q, True)),
        ("TypeError: scores must be a tensor of floats, got torch.bool", lambda: capped_scores(M, 2, M)),
        ("TypeError: mask must be bool", lambda: capped_scores(Q, 2, M.float())),
    )
