"""What people get wrong in layer norm, for the exercises that have one.

The mistakes are wrong steps of `norm_from`. An exercise takes over those that it can have, with an
`assemble` of its own:

    known = Misconceptions(norm_from)
    known.include(NORM_MISTAKES, "unbiased", "eps-outside")
"""

import torch.nn.functional as F
from torch import nn

from exercises.common import explainers
from exercises.common.norm.explainers import statistics, vector
from exercises.common.norm.steps import center, divide, over, spread, stretch
from feedback import Misconceptions

NORM_MISTAKES = Misconceptions()


# ---------------------------------------------------------------- C or C - 1, and eps


@NORM_MISTAKES(
    "unbiased",
    means="The variance was divided by C - 1, which is what var and std do by default.",
    hint="Layer norm divides by C: `unbiased=False` (or `correction=0`).",
    explain=statistics,
    step="spread",
)
def divided_by_one_less(x):
    return x.var(dim=-1, keepdim=True)


@NORM_MISTAKES(
    "eps-outside",
    means="eps was added after the square root was taken; it belongs under the root.",
    hint="`sqrt(variance + eps)`: which comes first, the sum or the root?",
    explain=statistics,
    step="divide",
)
def eps_after_the_root(centered, variance, eps):
    return centered / (variance.sqrt() + eps)


@NORM_MISTAKES.also("eps-outside", step="divide")
def root_of_eps_after_the_root(centered, variance, eps):
    return centered / (variance.sqrt() + eps**0.5)


NORM_MISTAKES(
    "unbiased-and-eps-outside",
    means="Two things: std divides by C - 1 by default, and eps was added after the square root was taken.",
    hint="Begin with the variance, divided by C; add eps to it; then take the root.",
    explain=statistics,
)
NORM_MISTAKES.also("unbiased-and-eps-outside", spread=divided_by_one_less, divide=eps_after_the_root)


@NORM_MISTAKES(
    "eps-forgotten",
    means="eps was never used: a vector of equal numbers is divided by 0, and vectors of small numbers are "
    "stretched too far.",
    hint="`sqrt(variance + eps)`: eps is added to the variance.",
    explain=statistics,
    step="divide",
)
def without_eps(centered, variance, eps):
    return centered / variance.sqrt()


NORM_MISTAKES(
    "unbiased-and-eps-forgotten",
    means="Two things: eps was never used, and std (or var) divides by C - 1 by default.",
    hint="Begin with the variance, divided by C; add eps to it; then take the root.",
    explain=statistics,
)
NORM_MISTAKES.also("unbiased-and-eps-forgotten", spread=divided_by_one_less, divide=without_eps)

NORM_MISTAKES(
    "fixed-eps",
    means="The eps that is passed in does not count: your code takes a fixed value, or avoids a division by 0 in some "
    "other way. (`F.layer_norm` takes 1e-5 unless it is given another one.)",
    hint="Where does the argument eps come into your code?",
    explain=statistics,
)


def add_fixed_eps(fixed):
    """One more value that eps always has."""

    @NORM_MISTAKES.also("fixed-eps", step="divide")
    def with_a_fixed_eps(centered, variance, eps):
        return divide(centered, variance, fixed)


for value in (1e-5, 1e-6, 1e-8, 1e-12, 1e-7, 1e-4, 1e-3):
    add_fixed_eps(value)


@NORM_MISTAKES(
    "eps-squared",
    means="eps was squared before it was added to the variance.",
    hint="`sqrt(variance + eps)`: the variance is std squared, but eps is added as it is.",
    explain=statistics,
    step="divide",
)
def square_of_eps(centered, variance, eps):
    return centered / (variance + eps**2).sqrt()


@NORM_MISTAKES(
    "eps-as-floor",
    means="eps was used as a lower limit of what you divide by; it should be added to every variance.",
    hint="`sqrt(variance + eps)`: is there a clamp or a maximum in it?",
    explain=statistics,
    step="divide",
)
def eps_as_the_least_variance(centered, variance, eps):
    return centered / variance.clamp(min=eps).sqrt()


@NORM_MISTAKES.also("eps-as-floor", step="divide")
def eps_as_the_least_root(centered, variance, eps):
    return centered / variance.sqrt().clamp(min=eps)


@NORM_MISTAKES(
    "eps-elsewhere",
    means="eps was added, but not to what you divide by: a vector of equal numbers is still divided by 0.",
    hint="eps keeps the divisor away from 0: `sqrt(variance + eps)`.",
    explain=explainers.not_a_number,
    step="divide",
)
def eps_in_the_numerator(centered, variance, eps):
    return (centered + eps) / variance.sqrt()


@NORM_MISTAKES.also("eps-elsewhere", step="divide")
def eps_after_the_division(centered, variance, eps):
    return centered / variance.sqrt() + eps


@NORM_MISTAKES(
    "eps-subtracted",
    means="eps was subtracted from the variance; it should be added.",
    hint="variance + eps can never be 0. What about variance - eps?",
    explain=explainers.not_a_number,
    step="divide",
)
def eps_with_a_minus(centered, variance, eps):
    return centered / (variance - eps).sqrt()


# ---------------------------------------------------------------- what is divided, and by what


@NORM_MISTAKES(
    "not-rooted",
    means="The vector was divided by the variance; the square root is missing.",
    hint="The variance has the size of squares. What has the size of the numbers themselves?",
    explain=statistics,
    step="divide",
)
def divided_by_the_variance(centered, variance, eps):
    return centered / (variance + eps)


@NORM_MISTAKES.also("not-rooted", step="divide")
def divided_by_the_bare_variance(centered, variance, eps):
    return centered / variance


NORM_MISTAKES.also("not-rooted", spread=divided_by_one_less, divide=divided_by_the_variance)


@NORM_MISTAKES(
    "rooted-twice",
    means="The square root was taken twice: std is already a root.",
    hint="Begin with var, or square std again: `std**2` is the variance.",
    explain=statistics,
    step="divide",
)
def root_of_the_root(centered, variance, eps):
    return centered / (variance.sqrt() + eps).sqrt()


NORM_MISTAKES.also("rooted-twice", spread=divided_by_one_less, divide=root_of_the_root)


@NORM_MISTAKES(
    "multiplied",
    means="The vector was multiplied by the root instead of divided by it. (Dividing by rsqrt does the "
    "same: rsqrt is 1 / root.)",
    hint="x / `y.sqrt()` and x * `y.rsqrt()` are the same; which mix of the two do you have?",
    explain=statistics,
    step="divide",
)
def times_the_root(centered, variance, eps):
    return centered * (variance + eps).sqrt()


@NORM_MISTAKES(
    "not-divided",
    means="The mean was subtracted, but nothing was divided: each vector keeps its own size.",
    hint="What must a vector be divided by, to get variance 1?",
    explain=statistics,
    step="divide",
)
def centered_only(centered, variance, eps):
    return centered


@NORM_MISTAKES(
    "not-centered",
    means="The mean was not subtracted; only the size was changed.",
    hint="Before anything is divided, each vector is brought to mean 0.",
    explain=statistics,
    step="center",
)
def not_centered(x):
    return x


@NORM_MISTAKES(
    "rms-norm",
    means="This is RMS norm: each vector was divided by the root of its mean square, and no mean was subtracted.",
    hint="Layer norm subtracts the mean twice: from the vector, and within the variance.",
    explain=statistics,
    step="whole",
)
def rms_norm(x, weight, bias, eps):
    return stretch(divide(x, (x**2).mean(dim=-1, keepdim=True), eps), weight, bias)


@NORM_MISTAKES(
    "mean-square",
    means="The mean was subtracted in the numerator, but what you divide by is made from `x**2`: that is the mean "
    "square, not the variance.",
    hint="The variance is the mean of (x - mean)**2.",
    explain=statistics,
    step="spread",
)
def mean_of_squares(x):
    return (x**2).mean(dim=-1, keepdim=True)


@NORM_MISTAKES(
    "summed",
    means="The squares were summed but not divided by C: each vector is brought to length 1.",
    hint="The variance is a mean of squares.",
    explain=statistics,
    step="spread",
)
def sum_of_squares(x):
    return (center(x) ** 2).sum(dim=-1, keepdim=True)


@NORM_MISTAKES(
    "absolute-distance",
    means="What you divide by is made from the mean absolute distance from the mean, not from the variance.",
    hint="The variance is the mean of the squares, (x - mean)**2.",
    explain=statistics,
    step="spread",
)
def mean_distance(x):
    return center(x).abs().mean(dim=-1, keepdim=True)


@NORM_MISTAKES.also("absolute-distance", step="divide")
def divided_by_the_mean_distance(centered, variance, eps):
    return centered / (centered.abs().mean(dim=-1, keepdim=True) + eps)


@NORM_MISTAKES(
    "sign",
    means="The subtraction is the wrong way around: mean - x.",
    hint="A number above the mean should stay positive.",
    explain=vector,
    step="center",
)
def mean_minus_x(x):
    return -center(x)


@NORM_MISTAKES(
    "brackets",
    means="Only the mean was divided: without parentheses x - mean / root is x - (mean / root).",
    hint="(x - mean) / root: what must be done first goes in parentheses.",
    explain=statistics,
    step="whole",
)
def only_the_mean_divided(x, weight, bias, eps):
    return stretch(x - divide(x.mean(dim=-1, keepdim=True), spread(x), eps), weight, bias)


@NORM_MISTAKES(
    "not-normalized",
    means="Nothing was normalized: weight and bias were applied to the vectors as they came.",
    hint="First subtract the mean and divide by the root; weight and bias come last.",
    explain=statistics,
    step="whole",
)
def stretched_only(x, weight, bias, eps):
    return stretch(x, weight, bias)


@NORM_MISTAKES(
    "between-0-and-1",
    means="Each vector was scaled by its smallest and its largest number.",
    hint="Layer norm uses the mean and the variance of the vector.",
    explain=statistics,
    step="whole",
)
def between_smallest_and_largest(x, weight, bias, eps):
    low, high = x.amin(dim=-1, keepdim=True), x.amax(dim=-1, keepdim=True)
    return stretch((x - low) / (high - low + eps), weight, bias)


# ---------------------------------------------------------------- over which axes

NORM_MISTAKES(
    "over-positions",
    means="The mean and the variance were taken over the positions: across vectors, not within each one.",
    hint="Each vector is normalized on its own, over its C features. Which axis is that?",
    explain=statistics,
)
NORM_MISTAKES.also("over-positions", **over(lambda x: -2))
NORM_MISTAKES.also("over-positions", **over(lambda x: 1))

NORM_MISTAKES(
    "over-batch",
    means="The mean and the variance were taken over axis 0, not over the features: that is closer to batch norm.",
    hint="Each vector is normalized on its own, over its C features. Which axis is that?",
    explain=statistics,
)
NORM_MISTAKES.also("over-batch", **over(lambda x: 0))

NORM_MISTAKES(
    "over-each-item",
    means="The mean and the variance were taken over a whole item, all its vectors together.",
    hint="Each vector is normalized on its own, over its C features. Which axis is that?",
    explain=statistics,
)
NORM_MISTAKES.also("over-each-item", **over(lambda x: tuple(range(1, x.dim())) or -1))
NORM_MISTAKES.also("over-each-item", **over(lambda x: (-2, -1)))

NORM_MISTAKES(
    "batch-norm",
    means="The mean and the variance were taken over items and positions, separately for each feature: that "
    "is batch norm.",
    hint="In layer norm each vector is normalized on its own, over its C features.",
    explain=statistics,
)
NORM_MISTAKES.also("batch-norm", **over(lambda x: tuple(range(x.dim() - 1))))
NORM_MISTAKES.also("batch-norm", **over(lambda x: (0, 1)))


def center_all_at_once(x):
    return x - x.mean()


def spread_of_everything(x):
    return x.var(unbiased=False)


def spread_of_everything_by_one_less(x):
    return x.var()


NORM_MISTAKES(
    "over-everything",
    means="The mean and the variance were taken over all numbers at once: no dim was given.",
    hint="Each vector has its own mean and its own variance: `dim=-1`.",
    explain=statistics,
)
NORM_MISTAKES.also("over-everything", center=center_all_at_once, spread=spread_of_everything)
NORM_MISTAKES.also("over-everything", center=center_all_at_once, spread=spread_of_everything_by_one_less)

NORM_MISTAKES(
    "mean-over-everything",
    means="The mean was taken over all numbers at once: no dim was given.",
    hint="Each vector has its own mean, as it has its own variance: `dim=-1`.",
    explain=statistics,
)
NORM_MISTAKES.also("mean-over-everything", center=center_all_at_once)

NORM_MISTAKES(
    "variance-over-everything",
    means="The variance was taken over all numbers at once: no dim was given.",
    hint="Each vector has its own variance, as it has its own mean: `dim=-1`.",
    explain=statistics,
)
NORM_MISTAKES.also("variance-over-everything", spread=spread_of_everything)
NORM_MISTAKES.also("variance-over-everything", spread=spread_of_everything_by_one_less)


@NORM_MISTAKES(
    "no-keepdim",
    means="The mean or the variance has lost the last axis and no longer lines up with x: (B, T) against (B, T, C).",
    hint="`keepdim=True` leaves an axis of size 1: (B, T, 1).",
    step="center",
)
def center_without_keepdim(x):
    return x - x.mean(dim=-1)


# ---------------------------------------------------------------- weight and bias


@NORM_MISTAKES(
    "weight-forgotten",
    means="weight was never used.",
    hint="What comes after the division?",
    explain=vector,
    step="stretch",
)
def bias_only(z, weight, bias):
    return z + bias


@NORM_MISTAKES(
    "bias-forgotten",
    means="bias was never added.",
    hint="What comes after the division?",
    explain=vector,
    step="stretch",
)
def weight_only(z, weight, bias):
    return z * weight


@NORM_MISTAKES(
    "weight-and-bias-forgotten",
    means="weight and bias were never used. (A new `nn.LayerNorm`, and `F.layer_norm` without them, take 1 and 0.)",
    hint="What comes after the division?",
    explain=vector,
    step="stretch",
)
def not_stretched(z, weight, bias):
    return z


@NORM_MISTAKES.also("weight-and-bias-forgotten", step="whole")
def norm_of_torch_alone(x, weight, bias, eps):
    return F.layer_norm(x, x.shape[-1:])


@NORM_MISTAKES(
    "weight-and-bias-exchanged",
    means="weight and bias have changed places: weight was added, and bias multiplied.",
    hint="Which of the two stretches the features, and which one shifts them?",
    explain=vector,
    step="stretch",
)
def exchanged(z, weight, bias):
    return z * bias + weight


@NORM_MISTAKES(
    "weight-added",
    means="weight was added; it should multiply.",
    hint="Which of the two stretches the features, and which one shifts them?",
    explain=vector,
    step="stretch",
)
def both_added(z, weight, bias):
    return z + weight + bias


@NORM_MISTAKES(
    "divided-by-weight",
    means="The vector was divided by weight; it should be multiplied by it.",
    hint="A weight of 2 should make the feature larger.",
    explain=vector,
    step="stretch",
)
def divided_by_weight(z, weight, bias):
    return z / weight + bias


@NORM_MISTAKES(
    "bias-subtracted",
    means="bias was subtracted; it should be added.",
    hint="What is the sign of bias?",
    explain=vector,
    step="stretch",
)
def bias_with_a_minus(z, weight, bias):
    return z * weight - bias


@NORM_MISTAKES(
    "bias-inside",
    means="bias was added before weight multiplied, so weight stretches bias as well.",
    hint="First times weight, then plus bias.",
    explain=vector,
    step="stretch",
)
def bias_before_weight(z, weight, bias):
    return (z + bias) * weight


@NORM_MISTAKES(
    "one-plus-weight",
    means="The vector was multiplied by 1 + weight. (Some models store weight - 1; here weight itself multiplies.)",
    hint="What should a weight of 1 do to a feature?",
    explain=vector,
    step="stretch",
)
def one_more_than_weight(z, weight, bias):
    return z * (1 + weight) + bias


@NORM_MISTAKES(
    "weight-first",
    means="weight was applied before the norm, not after it, so the norm undoes much of what weight did.",
    hint="First subtract and divide; weight and bias come last.",
    explain=vector,
    step="whole",
)
def stretched_before(x, weight, bias, eps):
    return F.layer_norm(stretch(x, weight, bias), weight.shape, eps=eps)


@NORM_MISTAKES.also("weight-first", step="whole")
def weight_before_and_bias_after(x, weight, bias, eps):
    return F.layer_norm(x * weight, weight.shape, eps=eps) + bias


@NORM_MISTAKES.also("weight-first", step="whole")
def weight_before_and_no_bias(x, weight, bias, eps):
    return F.layer_norm(x * weight, weight.shape, eps=eps)


@NORM_MISTAKES(
    "bias-first",
    means="bias was added before the norm, not after it.",
    hint="First subtract and divide; weight and bias come last.",
    explain=vector,
    step="whole",
)
def bias_before(x, weight, bias, eps):
    return F.layer_norm(x + bias, weight.shape, eps=eps) * weight


# ---------------------------------------------------------------- a layer of PyTorch


@NORM_MISTAKES(
    "new-layer",
    means="x is float64 here, and the parameters of your norm are float32. (A new `nn.LayerNorm` has parameters of "
    "its own, in float32.)",
    hint="You need no module: write the mean, the variance and the division.",
    step="whole",
)
def new_layer(x, weight, bias, eps):
    return stretch(nn.LayerNorm(x.size(-1), eps=eps)(x), weight, bias)


@NORM_MISTAKES.also("new-layer", step="whole")
def new_layer_alone(x, weight, bias, eps):
    return nn.LayerNorm(x.size(-1), eps=eps)(x)


@NORM_MISTAKES.also("new-layer", step="whole")
def new_layer_with_its_own_eps(x, weight, bias, eps):
    return stretch(nn.LayerNorm(x.size(-1))(x), weight, bias)


@NORM_MISTAKES.also("new-layer", step="whole")
def new_layer_alone_with_its_own_eps(x, weight, bias, eps):
    return nn.LayerNorm(x.size(-1))(x)
