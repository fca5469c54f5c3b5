"""Masks and the ways from a mask to weights."""

import pytest
import torch

from helpers import masks
from tests.unit.refusals import require_refused

B, H, T, S = 2, 3, 5, 7
INF = float("inf")


def scores(*shape, seed=0, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def some_mask(*shape, seed=1):
    mask = torch.rand(*shape, generator=torch.Generator().manual_seed(seed)) < 0.6
    mask[..., 2] = True
    return mask


def test_causal_mask_sees_itself_and_the_past():
    mask = masks.causal_mask(T)
    assert mask.dtype == torch.bool
    assert mask.tolist() == [[key <= query for key in range(T)] for query in range(T)]
    assert masks.causal_mask(1).tolist() == [[True]]


def test_causal_mask_after_a_past_is_the_last_rows_of_a_longer_one():
    for past in range(4):
        assert torch.equal(masks.causal_mask(T, past=past), masks.causal_mask(past + T)[past:])


def test_padding_mask_shows_real_tokens():
    mask = masks.padding_mask(torch.tensor([3, 0, 7]), 7)
    assert mask.shape == (3, 1, 7) and mask.dtype == torch.bool
    assert mask.sum(-1).flatten().tolist() == [3, 0, 7]
    assert mask[0, 0].tolist() == [True] * 3 + [False] * 4
    assert masks.padding_mask([0, 1], 1).tolist() == [[[False]], [[True]]]  # a list will do


MASK_SHAPES = [(T, S), (S,), (1, S), (B, 1, 1, S), (B, 1, T, S), (1, H, 1, S), (B, H, T, S), (1, 1, T, 1)]


@pytest.mark.parametrize("shape", MASK_SHAPES)
def test_all_ways_to_mask_agree_in_weights_and_gradients(shape):
    mask = some_mask(*shape) if shape[-1] == S else torch.ones(shape, dtype=torch.bool)
    s = scores(B, H, T, S)

    def through(masking):
        leaf = s.clone().requires_grad_()
        weights = masking(leaf)
        (weights * scores(B, H, T, S, seed=3)).sum().backward()
        return weights.detach(), leaf.grad

    filled = through(lambda x: masks.mask_by_filling(x, mask))
    torch.testing.assert_close(through(lambda x: masks.mask_by_renormalizing(x.softmax(-1), mask)), filled)
    torch.testing.assert_close(through(lambda x: masks.masked_softmax(x, mask)), filled)


def test_hidden_keys_get_exactly_zero_and_rows_sum_to_one():
    mask = some_mask(B, 1, T, S)
    weights = masks.masked_softmax(scores(B, H, T, S), mask)
    assert (weights[~mask.expand_as(weights)] == 0).all()
    torch.testing.assert_close(weights.sum(-1), torch.ones(B, H, T))


def test_masked_softmax_without_a_mask_is_a_softmax():
    s = scores(T, S)
    assert torch.equal(masks.masked_softmax(s), s.softmax(-1))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_a_fully_masked_row_gives_zeros_and_finite_gradients(dtype):
    mask = some_mask(T, S)
    mask[3] = False
    leaf = scores(T, S, dtype=dtype).requires_grad_()
    weights = masks.masked_softmax(leaf, mask)
    (weights * scores(T, S, seed=4, dtype=dtype)).sum().backward()
    assert (weights[3] == 0).all() and (leaf.grad[3] == 0).all()
    assert leaf.grad.isfinite().all() and leaf.grad[0].abs().sum() > 0


def test_filling_survives_a_huge_hidden_score_and_renormalizing_does_not():
    s, mask = torch.tensor([[0.0, 200.0], [0.0, 0.0]]), masks.causal_mask(2)
    assert masks.mask_by_filling(s, mask)[0].tolist() == [1, 0]
    assert masks.masked_softmax(s, mask)[0].tolist() == [1, 0]
    assert masks.mask_by_renormalizing(s.softmax(-1), mask)[0].isnan().all()


def test_scores_far_below_zero_are_still_seen():
    s = torch.tensor([[-1e30, 0.0]])
    assert masks.masked_softmax(s, torch.tensor([[True, False]])).tolist() == [[1, 0]]


def test_errors_are_one_sentence():
    s, mask = scores(T, S), some_mask(T, S)
    past = "past must be"
    require_refused(
        ("ValueError: length must be at least 1, got 0; for x of shape (B, T, C) it", lambda: masks.causal_mask(0)),
        ("TypeError: length must be a whole number, got 2.0", lambda: masks.causal_mask(2.0)),
        (f"ValueError: {past} at least 0, got -1; of cached keys", lambda: masks.causal_mask(T, past=-1)),
        (f"TypeError: {past} a whole number, got None", lambda: masks.causal_mask(T, past=None)),
        ("TypeError: lengths must be a tensor of whole numbers", lambda: masks.padding_mask([1.0], 7)),
        ("ValueError: lengths must be (B,), got (1, 1)", lambda: masks.padding_mask(torch.tensor([[1]]), 7)),
        ("ValueError: between 0 and max_length = 7, got 8", lambda: masks.padding_mask([3, 8], 7)),
        ("ValueError: between 0 and max_length = 7, got -1", lambda: masks.padding_mask([-1], 7)),
        *(
            case
            for way in (masks.mask_by_filling, masks.mask_by_renormalizing, masks.masked_softmax)
            for case in [
                ("TypeError: mask must be bool", lambda way=way: way(s, mask.float())),
                ("TypeError: must be floats, got torch.int64", lambda way=way: way(s.long(), mask)),
                ("ValueError: does not broadcast to scores (5, 7)", lambda way=way: way(s, mask.mT)),
            ]
        ),
    )
