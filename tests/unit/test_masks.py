"""Masks and the ways from a mask to weights."""

import pytest
import torch

from helpers import masks

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
    with pytest.raises(ValueError, match="past must be at least 0, got -1; of cached"):
        masks.causal_mask(T, past=-1)
    for past in (1.0, None):
        with pytest.raises(TypeError, match=f"past must be a whole number, got {past}; of cached"):
            masks.causal_mask(T, past=past)


@pytest.mark.parametrize(
    "length, error, words",
    [
        (0, ValueError, "length must be at least 1, got 0"),
        (-1, ValueError, "length must be at least 1, got -1"),
        (2.0, TypeError, "length must be a whole number, got 2.0"),
        ("3", TypeError, "got '3'"),
        (True, TypeError, "got True"),
        (torch.tensor(3), TypeError, "got tensor"),
        (None, TypeError, "got None"),
    ],
)
def test_causal_mask_says_what_is_wrong_with_the_length(length, error, words):
    with pytest.raises(error, match=words):
        masks.causal_mask(length)


def test_padding_mask_shows_real_tokens():
    mask = masks.padding_mask(torch.tensor([3, 0, 7]), 7)
    assert mask.shape == (3, 1, 7) and mask.dtype == torch.bool
    assert mask.sum(-1).flatten().tolist() == [3, 0, 7]
    assert mask[0, 0].tolist() == [True] * 3 + [False] * 4
    assert masks.padding_mask([0, 1], 1).tolist() == [[[False]], [[True]]]


def test_padding_mask_takes_a_list():
    assert torch.equal(masks.padding_mask([1, 2], 3), masks.padding_mask(torch.tensor([1, 2]), 3))


@pytest.mark.parametrize(
    "lengths, error, words",
    [
        (torch.tensor([1.0]), TypeError, "whole numbers"),
        (torch.tensor([True]), TypeError, "whole numbers"),
        (torch.tensor([[1]]), ValueError, r"lengths must be \(B,\), got \(1, 1\)"),
        (torch.tensor([8]), ValueError, "between 0 and max_length = 7, got 8"),
        (torch.tensor([-1]), ValueError, "between 0 and max_length = 7, got -1"),
    ],
)
def test_padding_mask_says_what_is_wrong_with_the_lengths(lengths, error, words):
    with pytest.raises(error, match=words):
        masks.padding_mask(lengths, 7)


MASK_SHAPES = [(T, S), (S,), (1, S), (B, 1, 1, S), (B, 1, T, S), (1, H, 1, S), (B, H, T, S), (1, 1, T, 1)]


@pytest.mark.parametrize("shape", MASK_SHAPES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_all_ways_to_mask_agree_in_weights_and_gradients(shape, dtype):
    mask = some_mask(*shape) if shape[-1] == S else torch.ones(shape, dtype=torch.bool)
    s = scores(B, H, T, S, dtype=dtype)

    def through(masking):
        leaf = s.clone().requires_grad_()
        weights = masking(leaf)
        (weights * scores(B, H, T, S, seed=3, dtype=dtype)).sum().backward()
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


def test_no_nan_arises_in_the_backward_pass():
    mask = torch.tensor([[True, False], [False, False]])
    leaf = scores(2, 2).requires_grad_()
    with torch.autograd.detect_anomaly(check_nan=True):
        masks.masked_softmax(leaf, mask).square().sum().backward()
    assert leaf.grad.isfinite().all()


def test_filling_survives_a_huge_hidden_score_and_renormalizing_does_not():
    s, mask = torch.tensor([[0.0, 200.0], [0.0, 0.0]]), masks.causal_mask(2)
    assert masks.mask_by_filling(s, mask)[0].tolist() == [1, 0]
    assert masks.masked_softmax(s, mask)[0].tolist() == [1, 0]
    assert masks.mask_by_renormalizing(s.softmax(-1), mask)[0].isnan().all()


def test_scores_far_below_zero_are_still_seen():
    s = torch.tensor([[-1e30, 0.0]])
    assert masks.masked_softmax(s, torch.tensor([[True, False]])).tolist() == [[1, 0]]


def test_nothing_is_modified_in_place():
    s, mask = scores(T, S), some_mask(T, S)
    before = s.clone(), mask.clone()
    for masking in (masks.mask_by_filling, masks.mask_by_renormalizing, masks.masked_softmax):
        masking(s, mask)
    assert torch.equal(s, before[0]) and torch.equal(mask, before[1])


WAYS = [masks.mask_by_filling, masks.mask_by_renormalizing, masks.masked_softmax]


@pytest.mark.parametrize("masking", WAYS)
@pytest.mark.parametrize(
    "mask, words",
    [
        (torch.ones(T, S), r"mask must be bool \(True = may attend\), got torch.float32"),
        (torch.ones(T, S, dtype=torch.long), "got torch.int64"),
        ([[True] * S] * T, "got list"),
    ],
)
def test_a_mask_must_be_bool(masking, mask, words):
    with pytest.raises(TypeError, match=words):
        masking(scores(T, S), mask)


@pytest.mark.parametrize("masking", WAYS)
def test_scores_must_be_floats(masking):
    with pytest.raises(TypeError, match="must be floats, got torch.int64"):
        masking(torch.ones(T, S, dtype=torch.long), torch.ones(T, S, dtype=torch.bool))


@pytest.mark.parametrize("masking", WAYS)
@pytest.mark.parametrize("shape", [(S, T), (T,), (1, T, S), (T, S + 1)])
def test_a_mask_must_broadcast_to_the_scores(masking, shape):
    with pytest.raises(ValueError, match=r"does not broadcast to scores \(5, 7\)"):
        masking(scores(T, S), torch.ones(shape, dtype=torch.bool))


@pytest.mark.parametrize(
    "shape, lead, hint",
    [
        ((B, T, S), (B, H), True),
        ((T, T), (B, H), False),
        ((B + 1, 1, T, S), (B, H), False),
        ((B + 1, T, S), (B,), False),
    ],
)
def test_only_a_mask_for_each_item_is_told_to_leave_room_for_the_heads(shape, lead, hint):
    with pytest.raises(ValueError, match="does not broadcast") as caught:
        masks.masked_softmax(scores(*lead, T, S), torch.ones(shape, dtype=torch.bool))
    assert ("mask.unsqueeze(1)" in str(caught.value)) == hint


def test_a_mask_must_be_on_the_device_of_the_scores():
    with pytest.raises(ValueError, match=r"mask is on meta, the scores are on cpu; move it"):
        masks.masked_softmax(scores(T, S), torch.ones(T, S, dtype=torch.bool, device="meta"))


def test_causal_mask_is_created_on_the_requested_device():
    assert masks.causal_mask(3, device="meta").device.type == "meta"
