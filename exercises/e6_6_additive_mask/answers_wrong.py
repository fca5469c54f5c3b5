"""Wrong answers to exercise 6.6, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET504 - naming a result before returning it is what learners do

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("true-gets-the-lowest")
def additive_mask_filled(mask, dtype):
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(mask, torch.finfo(dtype).min)


@wrong("true-gets-the-lowest")
def additive_mask_times_lowest(mask, dtype):
    return mask.to(dtype) * torch.finfo(dtype).min


@wrong("true-gets-the-lowest")
def additive_mask_filled_with_infinity(mask, dtype):
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(mask, float("-inf"))


@wrong("minus-infinity")
def additive_infinity(mask, dtype):
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, float("-inf"))


@wrong("minus-infinity")
def additive_logarithm(mask, dtype):
    return mask.to(dtype).log()


@wrong("minus-infinity")
def additive_infinity_on_ones(mask, dtype):
    return mask.to(dtype).masked_fill(mask == 0, float("-inf"))


@wrong("fixed-number")
def additive_minus_a_billion(mask, dtype):
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, -1e9)


@wrong("fixed-number")
def additive_minus_a_billion_times(mask, dtype):
    return (1 - mask.to(dtype)) * -1e9


@wrong("fixed-number")
def additive_minus_ten_thousand(mask, dtype):
    return (1.0 - mask.to(dtype)) * -10000.0


@wrong("fixed-number")
def additive_minus_a_lot(mask, dtype):
    return torch.where(mask, torch.zeros((), dtype=dtype), torch.full((), -1e30, dtype=torch.float64).to(dtype))


@wrong("hidden-not-lowest")
def additive_minus_seven_hundred(mask, dtype):
    return (1.0 - mask.to(dtype)) * -777.0


@wrong("fixed-number")
def additive_lowest_of_half(mask, dtype):
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, -65504.0)


@wrong("lowest-of-another-dtype")
def additive_lowest_of_float32(mask, dtype):
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, torch.finfo(torch.float32).min)


@wrong("lowest-of-another-dtype")
def additive_lowest_of_the_default(mask, dtype):
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, torch.finfo().min)


@wrong("lowest-of-another-dtype")
def additive_lowest_of_float32_converted(mask, dtype):
    return torch.zeros(mask.shape).masked_fill(~mask, torch.finfo(torch.float32).min).to(dtype)


@wrong("made-in-another-dtype")
def additive_by_way_of_float32(mask, dtype):
    return torch.where(mask, 0.0, torch.tensor(torch.finfo(dtype).min)).to(dtype)


@wrong("dtype-forgotten")
def additive_where_alone(mask, dtype):
    return torch.where(mask, 0.0, torch.finfo(dtype).min)


@wrong("dtype-forgotten")
def additive_by_float(mask, dtype):
    return (1 - mask.float()) * torch.finfo(dtype).min


@wrong("dtype-not-used")
def additive_without_the_argument(mask, dtype):
    return torch.where(mask, 0.0, torch.finfo(torch.float32).min)


@wrong("dtype-not-used")
def additive_zeros_without_dtype(mask, dtype):
    return torch.zeros(mask.shape).masked_fill(~mask, torch.finfo(torch.float32).min)


@wrong("visible-ones")
def additive_on_ones(mask, dtype):
    return mask.to(dtype).masked_fill(~mask, torch.finfo(dtype).min)


@wrong("mask-as-numbers")
def additive_turned_around(mask, dtype):
    return 1 - mask.to(dtype)


@wrong("mask-as-numbers")
def additive_minus_one(mask, dtype):
    return mask.to(dtype) - 1.0


@wrong("mask-as-numbers")
def additive_fill_thrown_away(mask, dtype):
    added = torch.zeros(mask.shape, dtype=dtype)
    added.masked_fill(~mask, torch.finfo(dtype).min)
    return added


@wrong("still-bool")
def additive_filled_bool(mask, dtype):
    """A bool mask has only True for every number."""
    return mask.masked_fill(~mask, False)


@wrong("zero-times-infinity")
def additive_times_infinity(mask, dtype):
    return (~mask).to(dtype) * float("-inf")


@wrong("zero-times-infinity")
def additive_mask_times_infinity(mask, dtype):
    return mask.to(dtype) * -torch.inf


@wrong("highest")
def additive_highest(mask, dtype):
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, torch.finfo(dtype).max)


@wrong("highest")
def additive_two_signs(mask, dtype):
    return (mask.to(dtype) - 1) * torch.finfo(dtype).min


@wrong("near-zero")
def additive_tiny(mask, dtype):
    return (1 - mask.to(dtype)) * torch.finfo(dtype).tiny


@wrong("near-zero")
def additive_smallest_normal(mask, dtype):
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, -torch.finfo(dtype).smallest_normal)


@wrong("near-zero")
def additive_eps(mask, dtype):
    return (1 - mask.to(dtype)) * -torch.finfo(dtype).eps


@wrong("a-part-of-the-lowest")
def additive_half_of_the_lowest(mask, dtype):
    return (1 - mask.to(dtype)) * (torch.finfo(dtype).min / 2)


@wrong("more-axes")
def additive_for_heads(mask, dtype):
    return (1.0 - mask[:, None, None, :].to(dtype)) * torch.finfo(dtype).min


@wrong("more-axes")
def additive_one_axis_more(mask, dtype):
    return (1.0 - mask.unsqueeze(1).to(dtype)) * torch.finfo(dtype).min


@wrong("only-the-hidden")
def additive_taken_out(mask, dtype):
    return torch.zeros(mask.shape, dtype=dtype)[~mask] + torch.finfo(dtype).min


@wrong("changes-input")
def additive_in_the_mask(mask, dtype):
    mask.logical_not_()
    return mask.to(dtype) * torch.finfo(dtype).min


@wrong()
def additive_one_minus_bool(mask, dtype):
    return (1 - mask) * torch.finfo(dtype).min


@wrong()
def additive_finfo_of_the_mask(mask, dtype):
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, torch.finfo(mask.dtype).min)


@wrong()
def additive_finfo_itself(mask, dtype):
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, torch.finfo(dtype))


@wrong()
def additive_dtype_as_a_method(mask, dtype):
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, dtype.min)


@wrong("returns-wrong-type")
def additive_number_itself(mask, dtype):
    """The number alone, without a tensor around it."""
    return torch.finfo(dtype).min


@wrong("returns-none")
def additive_without_return(mask, dtype):
    torch.zeros(mask.shape, dtype=dtype).masked_fill_(~mask, torch.finfo(dtype).min)


@wrong("hidden-not-lowest")
def additive_next_to_the_lowest(mask, dtype):
    return (1 - mask.to(dtype)) * (torch.finfo(dtype).min * (1 - 2 * torch.finfo(dtype).eps))


@wrong("true-gets-the-lowest")
def additive_lowest_minus_hidden(mask, dtype):
    lowest = torch.full(mask.shape, torch.finfo(dtype).min, dtype=dtype)
    return lowest.masked_fill(~mask, 0.0)
