"""What people get wrong in exercise 6.6, additive_mask."""

import torch

from feedback import Misconceptions, explainers
from feedback.format import position

known = Misconceptions()


def shown(case):
    """The first entry that is wrong, what it stands for, and what is right."""
    if not isinstance(case.actual, torch.Tensor) or case.actual.shape != case.expected.shape:
        return explainers.entry(case)
    mask, dtype = case.args
    wrong = (case.actual.double() != case.expected.double()) | case.actual.isnan()
    if not wrong.any():
        return explainers.entry(case)
    at = tuple(int(i) for i in wrong.nonzero()[0])
    return (
        f"for {dtype} your number at {position(at)} is {case.actual[at].item():.8g}, where the bool mask is "
        f"{bool(mask[at])}; {case.expected[at].item():.8g} is right"
    )


def mistake(id, means, hint):
    """Register a misconception, of which `shown` tells the numbers."""
    return known(id, means=means, hint=hint, explain=shown)


def lowest(dtype):
    return torch.finfo(dtype).min


def filled(mask, dtype, visible, hidden):
    """Two numbers, as tensors of this dtype, whatever they are there."""
    pair = (torch.tensor(value, dtype=torch.float64).to(dtype) for value in (visible, hidden))
    return torch.where(mask, *pair)


@mistake(
    "true-gets-the-lowest",
    "The mask was read the wrong way around: the lowest number is where the bool mask is True, so what may be attended "
    "to would be hidden.",
    "True = may attend, and such a score stays as it is. What must be added to it?",
)
def visible_hidden(mask, dtype):
    return filled(mask, dtype, lowest(dtype), 0.0)


@known.also("true-gets-the-lowest")
def visible_to_minus_infinity(mask, dtype):
    return filled(mask, dtype, float("-inf"), 0.0)


@mistake(
    "minus-infinity",
    "Hidden entries are -inf, which is not finite. (A number too low for the dtype turns into -inf as well.) A row "
    "of nothing but -inf becomes NaN in the softmax.",
    "Every dtype has a lowest finite number, and torch knows it: `torch.finfo(dtype)`.",
)
def hidden_to_minus_infinity(mask, dtype):
    return filled(mask, dtype, 0.0, float("-inf"))


@known.also("minus-infinity")
def infinite_and_visible_one(mask, dtype):
    return mask.to(dtype).masked_fill(~mask, float("-inf"))


known(
    "fixed-number",
    means="Hidden entries are a fixed number such as -1e9 or -10000, not the lowest that the dtype holds. (In float16 "
    "there is no -1e9: it becomes -inf, or raises an error.)",
    hint="The lowest finite number differs from dtype to dtype. Where can you ask for it?",
    explain=shown,
)


def add_fixed(value):
    @known.also("fixed-number")
    def multiplied(mask, dtype):
        return filled(mask, dtype, 0.0, value)

    if value < lowest(torch.float16):

        @known.also("fixed-number")
        def filled_in(mask, dtype):
            return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, value)


for value in (-1e4, -1e5, -1e6, -1e9, -1e10, -1e20, -1e30, -1e38, -9e15, -100.0, -1e3, -65504.0, -65500.0, -5e4):
    add_fixed(value)


known(
    "lowest-of-another-dtype",
    means="Hidden entries are the lowest number of one dtype, usually float32, and not of the dtype that is asked for.",
    hint="Where does your number come from, and where does the argument dtype come in? `torch.finfo(dtype).min` "
    "follows it.",
    explain=shown,
)


def add_lowest_of(other):
    @known.also("lowest-of-another-dtype")
    def converted(mask, dtype):
        return filled(mask, dtype, 0.0, lowest(other))

    @known.also("lowest-of-another-dtype")
    def filled_in(mask, dtype):
        return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, lowest(other))


for other in (torch.float32, torch.bfloat16, torch.float64):
    add_lowest_of(other)


@mistake(
    "made-in-another-dtype",
    "On the way, the lowest number of dtype was put into a tensor of a smaller dtype, such as float32, which holds no "
    "number that low: it became -inf.",
    "Make the tensor in dtype from the start: zeros of dtype, or `mask.to(dtype)`.",
)
def by_way_of_float32(mask, dtype):
    return ((1 - mask.float()) * lowest(dtype)).nan_to_num(nan=0.0, neginf=float("-inf")).to(dtype)


@mistake(
    "dtype-forgotten",
    "The number is the lowest of dtype, but the tensor that holds it is float32: a new tensor is float32 unless it is "
    "told otherwise.",
    "Give the dtype to the tensor from the start, before its numbers come in: `torch.zeros(mask.shape, dtype=dtype)`.",
)
def always_float32(mask, dtype):
    return torch.zeros(mask.shape).masked_fill(~mask, max(lowest(dtype), lowest(torch.float32)))


@known.also("dtype-forgotten")
def multiplied_in_float32(mask, dtype):
    return (1.0 - mask.float()) * lowest(dtype)


@known.also("dtype-forgotten")
def chosen_in_float32(mask, dtype):
    return torch.where(mask, 0.0, lowest(dtype))


@mistake(
    "dtype-not-used",
    "Whatever dtype is asked for, the result is the same: float32, with the lowest number of float32.",
    "The argument dtype decides twice: which dtype the new tensor has, and whose lowest number goes into it.",
)
def float32_lowest_in_float32(mask, dtype):
    return torch.zeros(mask.shape).masked_fill(~mask, lowest(torch.float32))


@mistake(
    "visible-ones",
    "Where the mask is True the result is 1, since True counts as 1: 1 would be added to every visible score.",
    "`mask.to(dtype)` holds ones where the mask is True. Which number leaves a score as it is?",
)
def visible_one(mask, dtype):
    return filled(mask, dtype, 1.0, lowest(dtype))


@mistake(
    "mask-as-numbers",
    "The result holds only small numbers such as 0, 1 and -1: the mask as numbers, or turned around. Added to a score, "
    "they hide nothing.",
    "A hidden score must become lower than every other one. Which number is the lowest of dtype?",
)
def ones_and_zeros(mask, dtype):
    return mask.to(dtype)


@known.also("mask-as-numbers")
def inverted_as_numbers(mask, dtype):
    return (~mask).to(dtype)


@known.also("mask-as-numbers")
def minus_one_where_hidden(mask, dtype):
    return mask.to(dtype) - 1


@known.also("mask-as-numbers")
def minus_one_where_visible(mask, dtype):
    return -mask.to(dtype)


@known.also("mask-as-numbers")
def all_zeros(mask, dtype):
    return torch.zeros(mask.shape, dtype=dtype)


@mistake(
    "still-bool",
    "The result is a bool mask; numbers are asked for, which can be added to scores.",
    "Begin with a tensor of numbers in dtype, such as `torch.zeros(mask.shape, dtype=dtype)`.",
)
def the_mask_itself(mask, dtype):
    return mask.clone()


@known.also("still-bool")
def the_mask_inverted(mask, dtype):
    return ~mask


@mistake(
    "zero-times-infinity",
    "Where the mask is True the result is NaN: 0 * -inf is not a number. (A finite number becomes -inf where the dtype "
    "at hand is too small for it: True and False times a Python number make float32.)",
    "Bring the mask to dtype first, `(~mask).to(dtype)`, then multiply; a finite number times 0 is 0. Or choose, and "
    "multiply nothing.",
)
def zero_times_infinity(mask, dtype):
    return (1 - mask.to(dtype)) * float("-inf")


@known.also("zero-times-infinity")
def turned_around_too(mask, dtype):
    return mask.to(dtype) * float("-inf")


@mistake(
    "highest",
    "Hidden entries are the highest number of the dtype: what should be hidden would get all the weight.",
    "Which sign hides a score when it is added?",
)
def highest_where_hidden(mask, dtype):
    return filled(mask, dtype, 0.0, torch.finfo(dtype).max)


@known.also("highest")
def infinite_where_hidden(mask, dtype):
    return filled(mask, dtype, 0.0, float("inf"))


known(
    "near-zero",
    means="Hidden entries are a number close to 0: finfo's tiny and `smallest_normal` are the smallest positive "
    "numbers, and eps is the spacing at 1.",
    hint="The lowest number is far below 0. Which attribute of `torch.finfo(dtype)` holds it?",
    explain=shown,
)


def add_near_zero(name, sign):
    @known.also("near-zero")
    def by_another_attribute(mask, dtype):
        return filled(mask, dtype, 0.0, sign * getattr(torch.finfo(dtype), name))


for name in ("tiny", "eps"):
    for sign in (1, -1):
        add_near_zero(name, sign)


@mistake(
    "a-part-of-the-lowest",
    "Hidden entries are a part of the lowest number, such as half of it.",
    "That may avoid an overflow later, but here the lowest number itself is asked for.",
)
def half_of_the_lowest(mask, dtype):
    return filled(mask, dtype, 0.0, lowest(dtype) / 2)


@known.also("a-part-of-the-lowest")
def tenth_of_the_lowest(mask, dtype):
    return filled(mask, dtype, 0.0, lowest(dtype) * 0.1)


@known.also("a-part-of-the-lowest")
def quarter_of_the_lowest(mask, dtype):
    return filled(mask, dtype, 0.0, lowest(dtype) / 4)


known(
    "more-axes",
    means="The result has other axes than the mask.",
    hint="The result keeps the shape of mask, axis for axis. Axes for heads and queries are added where they are "
    "needed.",
)


def add_axes(change):
    @known.also("more-axes")
    def with_other_axes(mask, dtype):
        return filled(change(mask), dtype, 0.0, lowest(dtype))


for change in (
    lambda mask: mask[:, None, None],
    lambda mask: mask[:, None, None, :],
    lambda mask: mask[:, None],
    lambda mask: mask[None, None],
    lambda mask: mask[None],
    lambda mask: mask.unsqueeze(-1),
    lambda mask: mask.unsqueeze(-2),
):
    add_axes(change)


@mistake(
    "only-the-hidden",
    "The result is not a mask: only the entries of one kind were returned, as a list of numbers.",
    "`mask[~mask]` takes entries out; `masked_fill` and `torch.where` keep the shape.",
)
def hidden_taken_out(mask, dtype):
    return torch.full((int((~mask).sum()),), lowest(dtype), dtype=dtype)
