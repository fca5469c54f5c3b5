"""What people get wrong in exercise 6.2, add_and_norm."""

import torch
import torch.nn.functional as F

from exercises.common.norm.explainers import statistics, vector
from exercises.common.norm.mistakes import NORM_MISTAKES
from exercises.common.norm.steps import layer_norm, norm_from
from feedback import Misconceptions


def norm_of_the_sum(**steps):
    """The right sum, then a norm made of these steps."""
    norm = norm_from(**steps)

    def answer(sublayer_out, x, weight, bias, eps):
        return norm(sublayer_out + x, weight, bias, eps)

    return answer


known = Misconceptions(norm_of_the_sum)


# ---------------------------------------------------------------- what is added


@known(
    "no-residual",
    means="x was forgotten: only the output of the sublayer was normalized.",
    hint="The residual is x itself. Where does it come in?",
    explain=vector,
)
def sublayer_alone(sublayer_out, x, weight, bias, eps):
    return layer_norm(sublayer_out, weight, bias, eps)


@known(
    "no-sublayer",
    means="`sublayer_out` was forgotten: only x was normalized.",
    hint="What the sublayer computed would be lost. Where does it come in?",
    explain=vector,
)
def x_alone(sublayer_out, x, weight, bias, eps):
    return layer_norm(x, weight, bias, eps)


@known(
    "x-with-itself",
    means="x was added to itself, and `sublayer_out` was never used.",
    hint="Which two are added?",
    explain=vector,
)
def x_and_x(sublayer_out, x, weight, bias, eps):
    return layer_norm(x + x, weight, bias, eps)


@known(
    "sublayer-with-itself",
    means="`sublayer_out` was added to itself, and x was never used.",
    hint="Which two are added?",
    explain=vector,
)
def sublayer_and_sublayer(sublayer_out, x, weight, bias, eps):
    return layer_norm(sublayer_out + sublayer_out, weight, bias, eps)


@known("x-twice", means="x is in the sum twice.", hint="`sublayer_out` and x, once each.", explain=vector)
def sublayer_and_two_x(sublayer_out, x, weight, bias, eps):
    return layer_norm(sublayer_out + 2 * x, weight, bias, eps)


@known(
    "sublayer-twice",
    means="`sublayer_out` is in the sum twice.",
    hint="`sublayer_out` and x, once each.",
    explain=vector,
)
def two_sublayers_and_x(sublayer_out, x, weight, bias, eps):
    return layer_norm(2 * sublayer_out + x, weight, bias, eps)


@known(
    "difference",
    means="One of the two was subtracted from the other.",
    hint="The name says what is done with the two.",
    explain=vector,
)
def sublayer_minus_x(sublayer_out, x, weight, bias, eps):
    return layer_norm(sublayer_out - x, weight, bias, eps)


@known.also("difference")
def x_minus_sublayer(sublayer_out, x, weight, bias, eps):
    return layer_norm(x - sublayer_out, weight, bias, eps)


@known(
    "averaged",
    means="The mean of the two was normalized. It points where the sum does, but it is half as long, so eps counts "
    "for more.",
    hint="A plain sum is not divided by anything.",
    explain=statistics,
)
def mean_of_both(sublayer_out, x, weight, bias, eps):
    return layer_norm((sublayer_out + x) / 2, weight, bias, eps)


@known(
    "multiplied-together",
    means="The two were multiplied.",
    hint="The name says what is done with the two.",
    explain=vector,
)
def product(sublayer_out, x, weight, bias, eps):
    return layer_norm(sublayer_out * x, weight, bias, eps)


@known(
    "joined",
    means="The two were joined, not added: vectors of 2C features do not fit weight.",
    hint="A sum of two vectors has as many numbers as each of them.",
)
def joined_before_the_norm(sublayer_out, x, weight, bias, eps):
    return layer_norm(torch.cat([sublayer_out, x], dim=-1), weight, bias, eps)


@known.also("joined")
def joined_before_the_norm_of_torch(sublayer_out, x, weight, bias, eps):
    return F.layer_norm(torch.cat([sublayer_out, x], dim=-1), x.shape[-1:], weight, bias, eps)


@known.also("joined")
def joined_after_the_norm(sublayer_out, x, weight, bias, eps):
    return torch.cat([layer_norm(sublayer_out, weight, bias, eps), layer_norm(x, weight, bias, eps)], dim=-1)


@known(
    "no-norm-of-this-shape",
    means="`F.layer_norm` was told to normalize over axes other than the last one: its second argument is the shape of "
    "what is normalized together, not the shape of x.",
    hint="One vector is normalized at a time: the last axis alone. What is the shape of one vector?",
)
def norm_of_all_but_the_first_axis(sublayer_out, x, weight, bias, eps):
    return F.layer_norm(sublayer_out + x, x.shape[1:], weight, bias, eps)


@known.also("no-norm-of-this-shape")
def norm_of_all_axes(sublayer_out, x, weight, bias, eps):
    return F.layer_norm(sublayer_out + x, x.shape, weight, bias, eps)


# ---------------------------------------------------------------- in which order

AFTER_THE_NORM = "What happens after your norm? What comes out of `add_and_norm` must be normalized."


@known(
    "norm-before-adding",
    means="`sublayer_out` was normalized, and x was added afterwards, so the result is not normalized.",
    hint=AFTER_THE_NORM,
    explain=vector,
)
def x_added_to_the_norm(sublayer_out, x, weight, bias, eps):
    return layer_norm(sublayer_out, weight, bias, eps) + x


@known(
    "x-normed-then-added",
    means="x was normalized, and `sublayer_out` was added afterwards, so the result is not normalized.",
    hint=AFTER_THE_NORM,
    explain=vector,
)
def sublayer_added_to_the_norm(sublayer_out, x, weight, bias, eps):
    return layer_norm(x, weight, bias, eps) + sublayer_out


@known(
    "normed-residual",
    means="x was normalized before it was added, and the sum was normalized again.",
    hint="The residual is x as it came in. How many norms does one sum need?",
    explain=vector,
)
def norm_of_sublayer_and_normed_x(sublayer_out, x, weight, bias, eps):
    return layer_norm(sublayer_out + layer_norm(x, weight, bias, eps), weight, bias, eps)


@known(
    "normed-sublayer",
    means="`sublayer_out` was normalized before it was added, and the sum was normalized again.",
    hint="How many norms does one sum need?",
    explain=vector,
)
def norm_of_normed_sublayer_and_x(sublayer_out, x, weight, bias, eps):
    return layer_norm(layer_norm(sublayer_out, weight, bias, eps) + x, weight, bias, eps)


@known(
    "each-normed",
    means="Both were normalized separately before they were added.",
    hint="One norm is enough, and it comes after the addition.",
    explain=vector,
)
def sum_of_two_norms(sublayer_out, x, weight, bias, eps):
    return layer_norm(sublayer_out, weight, bias, eps) + layer_norm(x, weight, bias, eps)


@known.also("each-normed")
def norm_of_the_sum_of_two_norms(sublayer_out, x, weight, bias, eps):
    return layer_norm(sum_of_two_norms(sublayer_out, x, weight, bias, eps), weight, bias, eps)


@known(
    "added-again",
    means="The norm is right, but x or `sublayer_out` was added to it once more.",
    hint=AFTER_THE_NORM,
    explain=vector,
)
def x_added_again(sublayer_out, x, weight, bias, eps):
    return layer_norm(sublayer_out + x, weight, bias, eps) + x


@known.also("added-again")
def sublayer_added_again(sublayer_out, x, weight, bias, eps):
    return layer_norm(sublayer_out + x, weight, bias, eps) + sublayer_out


@known(
    "normed-twice",
    means="The sum was normalized twice: the second norm is applied to what weight and bias have made.",
    hint="How many norms does one sum need?",
    explain=vector,
)
def norm_of_the_norm(sublayer_out, x, weight, bias, eps):
    return layer_norm(layer_norm(sublayer_out + x, weight, bias, eps), weight, bias, eps)


@known(
    "only-added",
    means="The two were added, and the sum was returned without a norm.",
    hint="The name has a second half.",
    explain=vector,
)
def sum_alone(sublayer_out, x, weight, bias, eps):
    return sublayer_out + x


# ---------------------------------------------------------------- a layer_norm that is not written yet


@known(
    "returns-none",
    means="Your code returned None, on every input.",
    hint="Does every path end with `return`? If you call your `layer_norm`: is exercise 6.1 solved, and has its "
    "cell run?",
)
def nothing(sublayer_out, x, weight, bias, eps):
    return None


@known(
    "none-added",
    means="One of the two things that you add is None.",
    hint="Neither `sublayer_out` nor x is ever None. If you call your `layer_norm`: is exercise 6.1 solved, and "
    "has its cell run?",
)
def sublayer_and_none(sublayer_out, x, weight, bias, eps):
    return sublayer_out + None


@known.also("none-added")
def none_and_sublayer(sublayer_out, x, weight, bias, eps):
    return None + sublayer_out


# ---------------------------------------------------------------- the norm written once more

known.include(
    NORM_MISTAKES,
    "unbiased",
    "eps-outside",
    "unbiased-and-eps-outside",
    "eps-forgotten",
    "unbiased-and-eps-forgotten",
    "fixed-eps",
    "not-rooted",
    "not-divided",
    "not-centered",
    "rms-norm",
    "not-normalized",
    "over-positions",
    "over-everything",
    "no-keepdim",
    "weight-forgotten",
    "bias-forgotten",
    "weight-and-bias-forgotten",
    "weight-and-bias-exchanged",
    "new-layer",
    means={"not-normalized": "Nothing was normalized: weight and bias were applied to the sum as it was."},
)
