"""What people get wrong in exercise 10.3, rms_norm."""

import torch

from exercises.common import explainers
from exercises.common.norm.mistakes import NORM_MISTAKES
from exercises.common.norm.steps import divide
from feedback import Misconceptions

ROOT = "What is asked for is x / sqrt(mean of x² + eps) · weight."


# ---------------------------------------------------------------- the right steps


def prepare(x, weight):
    """What is squared and divided."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def center(x):
    return x


def spread(x):
    """The mean square."""
    return x.square().mean(dim=-1, keepdim=True)


def stretch(z, weight):
    return z * weight


def finish(out, x):
    return out.to(x.dtype)


def rms_norm_from(prepare=prepare, center=center, spread=spread, divide=divide, stretch=stretch, finish=finish):
    """rms_norm(x, weight, eps) made of these steps; `divide` is that of layer norm, given the mean square."""

    def norm(x, weight, eps=1e-6):
        prepared = prepare(x, weight)
        return finish(stretch(divide(center(prepared), spread(prepared), eps), weight), x)

    return norm


def root_mean_square(case):
    """The learner's vector that is furthest off, by its own root mean square before the weight."""
    if case.first.shape != case.expected_first.shape or not case.first.isfinite().all():
        return explainers.entry(case)
    x, weight = case.args[:2]
    if (weight == 0).any():
        return explainers.entry(case)
    *row, _ = explainers.worst(case.first, case.expected_first)
    got, right = (
        float((t.double() / weight)[tuple(row)].square().mean().sqrt()) for t in (case.first, case.expected_first)
    )
    if abs(got - right) < 1e-3:
        return explainers.entry(case)
    place = f"of the vector at {explainers.position(row)} " if row else ""
    return f"before the weight, the root mean square {place}is {got:.4f} in your result, and {right:.4f} is right"


known = Misconceptions(rms_norm_from)


@known(
    "layer-norm",
    means="This is layer norm: the mean was subtracted, and the vector divided by the root of its variance.",
    hint="RMS norm leaves the mean as it is. " + ROOT,
    explain=explainers.entry,
)
def layer_norm(x, weight, eps=1e-6):
    wide = prepare(x, weight)
    wide = wide - wide.mean(dim=-1, keepdim=True)
    return finish(stretch(divide(wide, spread(wide), eps), weight), x)


@known(
    "variance",
    means="The vector was divided by the root of its variance, which is measured from the mean; the mean square is "
    "measured from 0.",
    hint=ROOT,
    explain=root_mean_square,
    step="spread",
)
def variance(x):
    return x.var(dim=-1, unbiased=False, keepdim=True)


@known.also("variance", step="spread")
def variance_by_one_less(x):
    return x.var(dim=-1, keepdim=True)


@known(
    "mean-subtracted",
    means="The mean was subtracted from x, but not within the square.",
    hint="RMS norm subtracts nothing. " + ROOT,
    explain=explainers.entry,
    step="center",
)
def mean_subtracted(x):
    return x - x.mean(dim=-1, keepdim=True)


@known(
    "length-1",
    means="The squares were summed, not averaged: each vector is brought to length 1 instead of root mean square 1.",
    hint="A mean divides by C. " + ROOT,
    explain=root_mean_square,
    step="spread",
)
def sum_of_squares(x):
    return x.square().sum(dim=-1, keepdim=True)


@known(
    "absolute-mean",
    means="The vector was divided by its mean absolute value; the squares are missing.",
    hint=ROOT,
    explain=root_mean_square,
    step="spread",
)
def mean_of_absolutes(x):
    return x.abs().mean(dim=-1, keepdim=True).square()


@known(
    "square-of-the-mean",
    means="The mean was squared; what is asked for is the mean of the squares.",
    hint="First square every number, then take the mean.",
    explain=root_mean_square,
    step="spread",
)
def mean_squared(x):
    return x.mean(dim=-1, keepdim=True).square()


known.include(
    NORM_MISTAKES,
    "eps-outside",
    "eps-forgotten",
    "fixed-eps",
    "not-rooted",
    "multiplied",
    means={
        "eps-forgotten": "eps was never used: a vector of zeros is divided by 0, and small vectors are "
        "stretched too far.",
        "fixed-eps": "The eps that is passed in does not count: your code takes a fixed value.",
        "not-rooted": "The vector was divided by the mean square; the root is missing.",
    },
    hints=dict.fromkeys(("eps-outside", "eps-forgotten", "not-rooted", "multiplied"), ROOT),
    explain=root_mean_square,
)


known(
    "over-another-axis",
    means="The mean was taken over another axis than the last, or over everything: vectors are not normalized on their "
    "own.",
    hint="Each vector is normalized by itself, over its C features.",
    explain=root_mean_square,
)


def add_axes(dims):
    @known.also("over-another-axis", step="spread")
    def over_other_axes(x):
        return x.square().mean(dim=dims(x), keepdim=True)


for dims in (lambda x: 0, lambda x: -2 if x.dim() > 1 else -1, lambda x: tuple(range(x.dim()))):
    add_axes(dims)


@known(
    "weight-forgotten",
    means="The weight was not used.",
    hint="Each feature is multiplied by its own weight at the end.",
    explain=explainers.entry,
    step="stretch",
)
def unweighted(z, weight):
    return z


@known(
    "weight-plus-1",
    means="The result was multiplied by 1 + weight. Some models store their weights this way; here the weight itself "
    "is the factor.",
    hint=ROOT,
    explain=explainers.entry,
    step="stretch",
)
def one_more(z, weight):
    return z * (1 + weight)


@known(
    "weight-added",
    means="The weight was added, as a bias is; it should be a factor.",
    hint=ROOT,
    explain=explainers.entry,
    step="stretch",
)
def weight_added(z, weight):
    return z + weight


@known(
    "weight-too-early",
    means="x was multiplied by the weight before its mean square was taken.",
    hint="Normalize first, then multiply.",
    explain=explainers.entry,
    step="prepare",
)
def weighted_first(x, weight):
    return prepare(x, weight) * weight


known.also("weight-too-early", prepare=weighted_first, stretch=unweighted)


@known(
    "float16-overflows",
    means="In float16 the squares of numbers above 255 are inf, and the result is 0.",
    hint="Square in float32, `x.float()`, and return to the dtype of x at the end.",
    explain=explainers.entry,
    step="prepare",
)
def squared_in_float16(x, weight):
    return x


@known(
    "other-dtype",
    means="The result is float32 whatever x is.",
    hint="Return to the dtype of x at the end: `.to(x.dtype)`.",
    step="finish",
)
def left_in_float32(out, x):
    return out.float()
