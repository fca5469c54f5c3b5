"""Masks and the ways from a mask to weights, beyond what the checks of exercises 3.1 to 3.5 ask for."""

import pytest
import torch

from helpers import masks
from tests.unit.bert_models import random, some_mask
from tests.unit.refusals import require_refused

T, S = 5, 7


def test_causal_mask_after_a_past_is_the_last_rows_of_a_longer_one():
    for past in range(4):
        assert torch.equal(masks.causal_mask(T, past=past), masks.causal_mask(past + T)[past:])


def test_padding_mask_takes_a_list():
    assert masks.padding_mask([0, 1], 1).tolist() == [[[False]], [[True]]]


def test_masked_softmax_without_a_mask_is_a_softmax():
    scores = random(T, S)
    assert torch.equal(masks.masked_softmax(scores), scores.softmax(-1))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_a_fully_masked_row_gives_zeros_and_finite_gradients(dtype):
    mask = some_mask(T, S)
    scores = random(T, S, dtype=dtype).requires_grad_()
    weights = masks.masked_softmax(scores, mask)
    (weights * random(T, S, seed=4, dtype=dtype)).sum().backward()
    assert not mask[0].any() and (weights[0] == 0).all() and (scores.grad[0] == 0).all()
    assert scores.grad.isfinite().all() and scores.grad[1].abs().sum() > 0


def test_errors_are_one_sentence():
    scores, mask = random(T, S), some_mask(T, S)
    require_refused(
        ("ValueError: length must be at least 1, got 0; for x of shape (B, T, C) it", lambda: masks.causal_mask(0)),
        ("ValueError: past must be at least 0, got -1; of cached keys", lambda: masks.causal_mask(T, past=-1)),
        ("TypeError: lengths must be a tensor of whole numbers", lambda: masks.padding_mask([1.0], 7)),
        ("ValueError: lengths must be (B,), got (1, 1)", lambda: masks.padding_mask(torch.tensor([[1]]), 7)),
        ("ValueError: between 0 and max_length = 7, got 8", lambda: masks.padding_mask([3, 8], 7)),
        ("TypeError: scores and weights must be tensors of floats, got list", lambda: masks.masked_softmax([[0.5]])),
        *(
            ("TypeError: mask must be bool", lambda way=way: way(scores, mask.float()))
            for way in (masks.mask_by_filling, masks.mask_by_renormalizing, masks.masked_softmax)
        ),
    )
