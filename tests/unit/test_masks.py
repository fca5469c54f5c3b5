"""Masks, beyond what test_attention.py and the checks of exercises 3.1 to 3.5 ask for."""

import torch

from helpers import masks
from tests.unit.refusals import require_refused
from tests.unit.tensors import random, some_mask

T, S = 5, 7


def test_causal_mask_after_a_past_is_the_last_rows_of_a_longer_one():
    for past in range(4):
        assert torch.equal(masks.causal_mask(T, past=past), masks.causal_mask(past + T)[past:])


def test_padding_mask_takes_a_list():
    assert masks.padding_mask([0, 1], 1).tolist() == [[[False]], [[True]]]


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
