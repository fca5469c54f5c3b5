"""Wrong answers to exercise 4.1, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import numpy as np
import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("not-scaled")
def dropout_not_scaled(x, p, generator=None):
    """Kept numbers are not divided."""
    keep = torch.rand(x.shape, generator=generator) > p
    return torch.where(keep, x, 0)


@wrong("times-one-minus-p")
def dropout_times_q(x, p, generator=None):
    """Multiplied by 1 - p."""
    return x * (1 - p) * torch.bernoulli(torch.full_like(x, 1 - p), generator=generator)


@wrong("divided-by-p")
def dropout_over_p(x, p, generator=None):
    """Divided by p."""
    return x * (torch.rand(x.shape, generator=generator) >= p) / p


@wrong("one-plus-p")
def dropout_one_plus_p(x, p, generator=None):
    """Multiplied by 1 + p."""
    return (x * (1 + p)).masked_fill(torch.rand(x.shape, generator=generator) < p, 0)


@wrong("share-turned-around")
def dropout_keeps_below_p(x, p, generator=None):
    """The mask of the dropped ones kept."""
    mask = (torch.rand(x.shape, generator=generator) < p).float()
    return x * mask / (1 - p)


@wrong("share-turned-around")
def dropout_bernoulli_of_p(x, p, generator=None):
    """Bernoulli of p keeps p."""
    return x * torch.bernoulli(torch.full(x.shape, p), generator=generator) / (1 - p)


@wrong("p-kept")
def dropout_p_is_kept(x, p, generator=None):
    """P is the share kept."""
    return x * torch.bernoulli(torch.full(x.shape, p), generator=generator) / p


@wrong("nothing-dropped")
def dropout_thrown_away(x, p, generator=None):
    """Nothing dropped: the result is thrown away."""
    x.masked_fill(torch.rand(x.shape, generator=generator) < p, 0)
    return x


@wrong("only-scaled")
def dropout_expectation(x, p, generator=None):
    """The expectation instead of a draw."""
    return (1 - p) * x


@wrong("whole-rows")
def dropout_rows(x, p, generator=None):
    """Whole rows."""
    keep = torch.rand(*x.shape[:-1], 1, generator=generator) >= p
    return x * keep / (1 - p)


@wrong("zeros-repeated")
def dropout_columns(x, p, generator=None):
    """One draw for each column."""
    return x * (torch.rand(x.size(-1), generator=generator) >= p) / (1 - p)


@wrong("zeros-repeated")
def dropout_like_the_first_item(x, p, generator=None):
    """One draw for all items."""
    keep = torch.rand(x.shape[1:], generator=generator) >= p
    return x * keep / (1 - p)


@wrong("zeros-tied")
def dropout_items(x, p, generator=None):
    """One draw for each entry of the first axis."""
    keep = torch.rand(x.size(0), *[1] * (x.dim() - 1), generator=generator) >= p
    return x * keep / (1 - p)


@wrong("counted-share")
def dropout_by_counting(x, p, generator=None):
    """Divided by the share that was counted."""
    keep = torch.rand(x.shape, generator=generator) >= p
    return x * keep * x.numel() / keep.sum()


@wrong("mask-returned")
def dropout_only_mask(x, p, generator=None):
    """The mask alone."""
    return (torch.rand(x.shape, generator=generator) >= p).to(x.dtype) / (1 - p)


@wrong("dropped-twice")
def dropout_twice(x, p, generator=None):
    """Dropped twice."""
    for _ in range(2):
        x = x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)
    return x


@wrong("normal-not-uniform")
def dropout_of_randn(x, p, generator=None):
    """Randn instead of rand."""
    return torch.where(torch.randn(x.shape, generator=generator) < p, 0, x / (1 - p))


@wrong("always-half")
def dropout_of_coins(x, p, generator=None):
    """Always a half."""
    return x * torch.randint(0, 2, x.shape, generator=generator) * 2


@wrong("always-half")
def dropout_of_rounded_numbers(x, p, generator=None):
    """Always a half, divided by 1 - p."""
    return x * torch.rand(x.shape, generator=generator).round() / (1 - p)


@wrong("generator-ignored")
def dropout_rand_like(x, p, generator=None):
    """The generator is not used: rand_like."""
    return x * (torch.rand_like(x) >= p) / (1 - p)


@wrong("generator-ignored")
def dropout_of_torch(x, p, generator=None):
    """The generator is not used: F.dropout."""
    return F.dropout(x, p)


@wrong("generator-ignored")
def dropout_by_numpy(x, p, generator=None):
    """Numpy's own generator."""
    keep = torch.from_numpy(np.random.random_sample(x.shape)) >= p
    return x * keep / (1 - p)


@wrong("generator-ignored")
def dropout_reseeded_by_chance(x, p, generator=None):
    """A new generator with a random seed."""
    generator = torch.Generator()
    generator.seed()
    return x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)


@wrong("same-zeros")
def dropout_seeded(x, p, generator=None):
    """Seeded inside."""
    torch.manual_seed(42)
    return x * (torch.rand(x.shape) >= p) / (1 - p)


@wrong("same-zeros")
def dropout_own_generator(x, p, generator=None):
    """A generator of its own, with a fixed seed."""
    g = torch.Generator().manual_seed(0)
    return x * (torch.rand(x.shape, generator=g) >= p) / (1 - p)


@wrong("same-zeros")
def dropout_rewound(x, p, generator=None):
    """The generator is put back to its seed."""
    if generator is not None:
        generator.manual_seed(generator.initial_seed())
    return x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)


@wrong("chosen-by-size")
def dropout_of_the_smallest(x, p, generator=None):
    """The smallest numbers are dropped."""
    return torch.where(x.flatten().argsort().argsort().reshape(x.shape) < p * x.numel(), 0, x) / (1 - p)


@wrong("not-repeatable")
def dropout_fresh_generator(x, p, generator=None):
    """A new generator where none is given."""
    generator = generator or torch.Generator()
    return x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)


@wrong("not-repeatable")
def dropout_numpy_without_generator(x, p, generator=None):
    """Numpy where no generator is given."""
    noise = torch.rand(x.shape, generator=generator) if generator else torch.from_numpy(np.random.rand(*x.shape))
    return x * (noise >= p) / (1 - p)


@wrong("seeds-everything")
def dropout_seeds_everything(x, p, generator=None):
    """The global generator is seeded in passing."""
    if generator is not None:
        torch.manual_seed(0)
    return x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)


@wrong("counted-out")
def dropout_counted_out(x, p, generator=None):
    """Exactly a share of p is dropped."""
    order = torch.randperm(x.numel(), generator=generator).reshape(x.shape)
    return x * (order >= round(p * x.numel())) / (1 - p)


@wrong("zeros-tied")
def dropout_of_the_first(x, p, generator=None):
    """The first numbers are dropped."""
    place = torch.arange(x.numel()).reshape(x.shape)
    return x * (place >= p * x.numel()) / (1 - p)


@wrong("wrong-share")
def dropout_two_masks(x, p, generator=None):
    """P squared: two masks multiplied."""
    dropped = (torch.rand(x.shape, generator=generator) < p) & (torch.rand(x.shape, generator=generator) < p)
    return x * ~dropped / (1 - p)


@wrong("wrong-share")
def dropout_as_noise(x, p, generator=None):
    """Noise instead of zeros."""
    return x * (1 + p * torch.randn(x.shape, generator=generator))


@wrong("wrong-scale")
def dropout_scaled_by_the_root(x, p, generator=None):
    """Scaled by the root."""
    return x * (torch.rand(x.shape, generator=generator) >= p) / math.sqrt(1 - p)


@wrong("wrong-scale")
def dropout_scaled_twice(x, p, generator=None):
    """Divided twice."""
    return x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p) ** 2


@wrong("changes-input")
def dropout_in_place(x, p, generator=None):
    """X is changed in place."""
    x[torch.rand(x.shape, generator=generator) < p] = 0
    return x / (1 - p)


@wrong("wrong-shape")
def dropout_only_the_kept(x, p, generator=None):
    """The numbers kept, without their positions."""
    return x[torch.rand(x.shape, generator=generator) >= p] / (1 - p)


@wrong("returns-wrong-type")
def dropout_and_mask(x, p, generator=None):
    """With the mask."""
    keep = torch.rand(x.shape, generator=generator) >= p
    return x * keep / (1 - p), keep


@wrong("wrong-dtype")
def dropout_always_float32(x, p, generator=None):
    """Always float32."""
    return (x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)).float()


@wrong("returns-wrong-type")
def dropout_sparse(x, p, generator=None):
    """A sparse tensor."""
    return (x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)).to_sparse()


@wrong("returns-none")
def dropout_without_return(x, p, generator=None):
    """No return."""
    x = x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)


@wrong()
def dropout_generator_required(x, p, generator):
    """The generator must be given."""
    return x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)


@wrong()
def dropout_of_torch_with_generator(x, p, generator=None):
    """F.dropout takes no generator."""
    return F.dropout(x, p, generator=generator)


@wrong()
def dropout_rand_of_x(x, p, generator=None):
    """Rand of the tensor itself."""
    return x * (torch.rand(x, generator=generator) >= p) / (1 - p)


@wrong("brackets")
def dropout_without_brackets(x, p, generator=None):
    """No brackets around 1 - p."""
    keep = torch.rand(x.shape, generator=generator) > p
    return x * keep / 1 - p


@wrong("renormalized")
def dropout_with_rows_of_one(x, p, generator=None):
    """Rows made to sum to 1 again."""
    kept = torch.where(torch.rand(x.shape, generator=generator) < p, 0.0, x)
    return kept / kept.sum(dim=-1, keepdim=True)


@wrong("only-with-a-generator")
def dropout_needs_a_generator(x, p, generator=None):
    """Nothing is dropped without a generator."""
    if generator is None:
        return x
    return x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)


@wrong("p-not-used")
def dropout_of_a_tenth(x, p, generator=None):
    """0.1 in place of p."""
    return x * (torch.rand(x.shape, generator=generator) >= 0.1) / 0.9


@wrong("p-not-used")
def dropout_of_three_tenths(x, p, generator=None):
    """0.3 in place of p in the draw, but not in the division."""
    return x * (torch.rand(x.shape, generator=generator) > 0.3) / (1 - p)


@wrong("filled-with-infinity")
def dropout_of_minus_infinity(x, p, generator=None):
    """-inf in place of 0."""
    drop = torch.rand(x.shape, generator=generator) < p
    return x.masked_fill(drop, float("-inf")) / (1 - p)


@wrong("chosen-by-size")
def dropout_of_what_lies_below_a_quantile(x, p, generator=None):
    """The largest numbers are kept: nothing is drawn."""
    return x * (x >= x.flatten().kthvalue(max(1, round(p * x.numel()))).values) / (1 - p) if p else x


@wrong("one-draw-for-all")
def dropout_of_everything_or_nothing(x, p, generator=None):
    """One draw for all numbers."""
    return x * (torch.rand(1, generator=generator) >= p) / (1 - p)


@wrong("one-draw-for-all")
def dropout_by_an_if(x, p, generator=None):
    """One draw for all numbers, with an if."""
    if torch.rand((), generator=generator) < p:
        return torch.zeros_like(x)
    return x / (1 - p)


@wrong("brackets")
def dropout_where_without_brackets(x, p, generator=None):
    """No brackets around 1 - p, in torch.where."""
    keep = torch.rand(x.shape, generator=generator) >= p
    return torch.where(keep, x / 1 - p, 0)


@wrong("no-gradients")
def dropout_of_plain_data(x, p, generator=None):
    """x.data has no gradient."""
    keep = torch.rand(x.shape, generator=generator) >= p
    return x.data * keep / (1 - p)


@wrong("no-gradients")
def dropout_by_lists(x, p, generator=None):
    """By way of a list."""
    keep = torch.rand(x.shape, generator=generator) >= p
    return torch.tensor((x * keep / (1 - p)).tolist(), dtype=x.dtype)


@wrong("no-gradients")
def dropout_into_a_detached_copy(x, p, generator=None):
    """A copy that is detached."""
    out = x.detach().clone()
    out[torch.rand(x.shape, generator=generator) < p] = 0
    return out / (1 - p)


@wrong("wrong-dtype")
def dropout_always_float64(x, p, generator=None):
    """Always float64."""
    return x.double() * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)


wrong()(F.dropout)  # handed in as it is: it takes no generator


@wrong("wrong-gradients")
def dropout_written_into_data(x, p, generator=None):
    """The zeros are written into .data, past the backward pass."""
    result = x.clone()
    result.data[torch.rand(x.shape, generator=generator) < p] = 0
    return result / (1 - p)


@wrong("wrong-share")
def dropout_of_whole_percent(x, p, generator=None):
    """Whole percents are drawn, so a probability of half a percent becomes one."""
    keep = torch.randint(0, 100, x.shape, generator=generator) >= p * 100
    return x * keep / (1 - p)


@wrong("stays-on-the-cpu")
def dropout_with_coins_left_behind(x, p, generator=None):
    keep = torch.rand(x.shape, generator=generator) >= p
    return x * keep / (1 - p)


@wrong("stays-on-the-cpu")
def dropout_drawn_elsewhere(x, p, generator=None):
    """A generator of the CPU cannot draw on another device."""
    keep = torch.rand(x.shape, generator=generator, device=x.device) >= p
    return x * keep / (1 - p)
