"""Right answers to exercise 6.6, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, SIM108 - naming a result before returning it, and a long if, are styles that must pass

import numpy as np
import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def additive_by_multiplying(mask, dtype):
    return (1.0 - mask.to(dtype)) * torch.finfo(dtype).min


@right
def additive_by_where(mask, dtype):
    return torch.where(mask, torch.tensor(0.0, dtype=dtype), torch.tensor(torch.finfo(dtype).min, dtype=dtype))


@right
def additive_by_index(mask, dtype):
    added = torch.zeros(mask.shape, dtype=dtype)
    added[~mask] = torch.finfo(dtype).min
    return added


@right
def additive_in_place(mask, dtype):
    return torch.zeros_like(mask, dtype=dtype).masked_fill_(mask.logical_not(), torch.finfo(dtype).min)


@right
def additive_from_the_lowest(mask, dtype):
    return torch.full(mask.shape, torch.finfo(dtype).min, dtype=dtype, device=mask.device).masked_fill(mask, 0)


@right
def additive_by_the_highest(mask, dtype):
    return (mask.to(dtype) - 1) * torch.finfo(dtype).max


@right
def additive_by_the_inverted_mask(mask, dtype):
    return (~mask).to(dtype) * torch.finfo(dtype).min


@right
def additive_by_nan_to_num(mask, dtype):
    return torch.nan_to_num(torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, float("-inf")))


@right
def additive_by_clamping_the_logarithm(mask, dtype):
    return mask.to(dtype).log().clamp(min=torch.finfo(dtype).min)


@right
def additive_by_float64(mask, dtype):
    added = torch.where(mask, 0.0, torch.tensor(torch.finfo(dtype).min, dtype=torch.float64))
    return added.to(dtype)


@right
def additive_by_a_table(mask, dtype):
    return torch.tensor([torch.finfo(dtype).min, 0.0], dtype=dtype)[mask.long()]


@right
def additive_by_filling_ones(mask, dtype):
    lowest = torch.finfo(dtype).min
    added = mask.to(dtype)
    added = added.masked_fill(mask == 0, lowest).masked_fill(mask, 0.0)
    return added


@right
def additive_by_new_full(mask, dtype):
    lowest = mask.new_full(mask.shape, torch.finfo(dtype).min, dtype=dtype)
    return lowest * ~mask


@right
def additive_by_numpy(mask, dtype):
    numbers = np.where(mask.numpy(), 0.0, torch.finfo(dtype).min)
    return torch.from_numpy(np.asarray(numbers)).to(dtype)


@right
def additive_by_a_loop(mask, dtype):
    flat = [0.0 if seen else torch.finfo(dtype).min for seen in mask.flatten().tolist()]
    return torch.tensor(flat, dtype=dtype).reshape(mask.shape)


@right
def additive_with_the_smallest_of_finfo(mask, dtype):
    info = torch.finfo(dtype)
    if info.bits == 64:
        lowest = -info.max
    else:
        lowest = info.min
    return torch.zeros(mask.size(), dtype=dtype) + ~mask * torch.tensor(lowest, dtype=dtype)
