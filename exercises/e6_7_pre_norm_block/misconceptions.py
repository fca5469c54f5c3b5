"""What people get wrong in exercise 6.7, pre_norm_block."""

import torch

from exercises.common import explainers
from exercises.e6_7_pre_norm_block.given import pre_norm_block as given
from feedback import Misconceptions


def without_sublayers(answer):
    """What comes out if both sublayers return zeros."""

    def explain(case):
        x, _, _, norm_1, norm_2 = case.args
        out = answer(x, torch.zeros_like, torch.zeros_like, norm_1, norm_2)
        goes_in, comes_out = (explainers.first_numbers(z[0, 0].tolist(), 3) for z in (x, out))
        return f"with two sublayers that return zeros, {goes_in} goes in at position 0 and {comes_out} comes out"

    return explain


known = Misconceptions()

known(
    "residual-after-the-norm",
    means="This is the code as it was given, or does what it does. Shapes are right and gradients flow, and yet the "
    "block does not let x through.",
    hint="A sublayer that returns zeros should change nothing. Try that with each of the two sublayers.",
    explain=without_sublayers(given),
)(given)


@known(
    "first-half-changed",
    means="The first half now adds to normalized vectors. As it was given, it was right.",
    hint="What is the untouched x in x + f(LayerNorm(x))?",
    explain=explainers.entry,
)
def both_after_the_norm(x, attention, feed_forward, norm_1, norm_2):
    x = norm_1(x)
    return given(x, lambda _: attention(x), feed_forward, lambda z: z, norm_2)


@known.also("first-half-changed")
def first_half_after_the_norm(x, attention, feed_forward, norm_1, norm_2):
    x = norm_1(x) + attention(norm_1(x))
    return x + feed_forward(norm_2(x))


@known(
    "exchanged",
    means="The two have changed places: the sum begins with the normalized vectors, and feed_forward reads the others.",
    hint="x + f(LayerNorm(x)): which of the two is normalized?",
    explain=explainers.entry,
)
def exchanged(x, attention, feed_forward, norm_1, norm_2):
    x = x + attention(norm_1(x))
    return norm_2(x) + feed_forward(x)


def _post_norm(x, attention, feed_forward, norm_1, norm_2):
    x = norm_1(x + attention(x))
    return norm_2(x + feed_forward(x))


@known(
    "post-norm",
    means="The sum is normalized: that is post-norm, the order of BERT.",
    hint="In a pre-norm block, what is the only thing that reads normalized vectors?",
    explain=explainers.entry,
)
def post_norm_in_the_second_half(x, attention, feed_forward, norm_1, norm_2):
    x = x + attention(norm_1(x))
    return norm_2(x + feed_forward(x))


known.also("post-norm")(_post_norm)


@known.also("post-norm")
def normalized_before_and_after(x, attention, feed_forward, norm_1, norm_2):
    x = x + attention(norm_1(x))
    return norm_2(x + feed_forward(norm_2(x)))


@known(
    "not-normalized",
    means="The residual connection is right now, but feed_forward reads vectors that are not normalized.",
    hint="x + f(LayerNorm(x)): which of the two places has lost its norm?",
    explain=explainers.entry,
)
def second_half_without_norm(x, attention, feed_forward, norm_1, norm_2):
    x = x + attention(norm_1(x))
    return x + feed_forward(x)


@known(
    "the-first-x",
    means="The second half adds to the x that went into the block, so what attention found is lost on the way.",
    hint="Each half adds to what it was given. What is the second half given?",
    explain=explainers.entry,
)
def adds_to_the_first_x(x, attention, feed_forward, norm_1, norm_2):
    return x + feed_forward(norm_2(x + attention(norm_1(x))))


@known(
    "no-residual",
    means="The second half has no residual connection any more.",
    hint="Which vectors should a layer pass on if its feed_forward returns zeros?",
    explain=explainers.entry,
)
def nothing_is_added(x, attention, feed_forward, norm_1, norm_2):
    x = x + attention(norm_1(x))
    return feed_forward(norm_2(x))


@known(
    "norm-1-twice",
    means="Both halves use norm_1.",
    hint="Each half has a norm with parameters of its own.",
    explain=explainers.entry,
)
def the_first_norm_again(x, attention, feed_forward, norm_1, norm_2):
    x = x + attention(norm_1(x))
    return x + feed_forward(norm_1(x))
