"""Wrong answers to exercise 9.5, of the kind that learners write: the checker must reject all of them."""

import math

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def gap(T, S):
    return torch.arange(S)[None] - torch.arange(S - T, S)[:, None]  # key minus query


def biased(slopes, gap):
    return torch.as_tensor(slopes).float().view(-1, 1, 1) * gap


def usual(num_heads):
    return [2 ** (-8 * h / num_heads) for h in range(1, num_heads + 1)]


@wrong("sign")
def biased_for_the_far(num_heads, T, S):
    return biased(usual(num_heads), gap(T, S).abs())


@wrong("queries-first")
def biased_from_the_first_positions(num_heads, T, S):
    return biased(usual(num_heads), torch.arange(S)[None] - torch.arange(T)[:, None])


@wrong("queries-first")
def biased_by_the_first_rows(num_heads, T, S):
    return biased(usual(num_heads), -gap(S, S).abs()[:T])


@wrong("position-of-the-key")
def biased_as_bloom_does(num_heads, T, S):
    return biased(usual(num_heads), torch.arange(S).repeat(T, 1))


@wrong("from-one")
def biased_one_more(num_heads, T, S):
    return biased(usual(num_heads), gap(T, S) - 1)


@wrong("squared")
def biased_by_squares(num_heads, T, S):
    return biased(usual(num_heads), -gap(T, S).square())


@wrong("queries-and-keys-exchanged")
def biased_and_transposed(num_heads, T, S):
    return biased(usual(num_heads), gap(T, S)).mT


@wrong("heads-from-zero")
def biased_with_heads_from_zero(num_heads, T, S):
    return biased([2 ** (-8 * h / num_heads) for h in range(num_heads)], gap(T, S))


@wrong("without-8-over-h")
def biased_by_halves(num_heads, T, S):
    return biased([0.5 ** (h + 1) for h in range(num_heads)], gap(T, S))


@wrong("without-8")
def biased_without_the_8(num_heads, T, S):
    return biased([2 ** (-(h + 1) / num_heads) for h in range(num_heads)], gap(T, S))


@wrong("not-divided-by-h")
def biased_by_powers_of_256(num_heads, T, S):
    return biased([256.0 ** -(h + 1) for h in range(num_heads)], gap(T, S))


@wrong("natural-base")
def biased_by_exponentials(num_heads, T, S):
    return biased([math.exp(-8 * (h + 1) / num_heads) for h in range(num_heads)], gap(T, S))


@wrong("linear-slopes")
def biased_by_a_line_of_slopes(num_heads, T, S):
    step = (0.5 - 2**-8) / max(num_heads - 1, 1)
    return biased([0.5 - step * h for h in range(num_heads)], gap(T, S))


@wrong("flat-first")
def biased_backward(num_heads, T, S):
    return biased(usual(num_heads)[::-1], gap(T, S))


@wrong("one-slope")
def biased_all_alike(num_heads, T, S):
    return gap(T, S).float().expand(num_heads, T, S) * 1.0


@wrong("scaled")
def biased_and_scaled(num_heads, T, S):
    return biased(usual(num_heads), gap(T, S)) / S**0.5


@wrong("exponentials")
def biased_by_factors(num_heads, T, S):
    return biased(usual(num_heads), gap(T, S)).exp()


@wrong("heads-last")
def biased_with_heads_last(num_heads, T, S):
    return gap(T, S).unsqueeze(-1) * torch.tensor(usual(num_heads))


@wrong()
def biased_with_the_slope_of_the_last_head_doubled(num_heads, T, S):
    slopes = usual(num_heads)
    slopes[-1] *= 2
    return biased(slopes, gap(T, S))


@wrong("not-straight")
def biased_by_roots(num_heads, T, S):
    return biased(usual(num_heads), -gap(T, S).abs().sqrt())
