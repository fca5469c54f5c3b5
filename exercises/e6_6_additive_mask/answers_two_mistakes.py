"""Answers to exercise 6.6 with two mistakes at once: naming either is true, naming a third is not."""

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("true-gets-the-lowest", "dtype-forgotten")
def wrong_way_in_float32(mask, dtype):
    return mask.float() * torch.finfo(dtype).min


@both("true-gets-the-lowest", "fixed-number")
def wrong_way_with_a_billion(mask, dtype):
    return mask.to(dtype) * -1e9


@both("visible-ones", "fixed-number")
def ones_and_minus_a_billion(mask, dtype):
    return mask.to(dtype).masked_fill(~mask, -1e4)


@both("fixed-number", "dtype-forgotten")
def ten_thousand_in_float32(mask, dtype):
    return (1 - mask.float()) * -10000.0


@both("minus-infinity", "more-axes")
def infinity_for_heads(mask, dtype):
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, float("-inf")).unsqueeze(1)
