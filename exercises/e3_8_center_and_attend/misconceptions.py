"""What people get wrong in exercise 3.8, center_and_attend."""

import math

import torch
import torch.nn.functional as F

from exercises.common import explainers
from exercises.e3_8_center_and_attend.given import center_and_attend as given
from feedback import Misconceptions


def over_words(x):
    return x - x.mean(dim=-2, keepdim=True)  # as it was given


def over_features(x):
    return x - x.mean(dim=-1, keepdim=True)


def _answer(center=over_words, shape_of_mask=torch.tril, axis=-1):
    def center_and_attend(x, W_query, W_key, W_value):
        x = center(x)
        q, k, v = x @ W_query, x @ W_key, x @ W_value
        mask = shape_of_mask(torch.ones(x.size(-2), x.size(-2), dtype=torch.bool))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=axis)
        return weights @ v, weights

    return center_and_attend


def moves(answer):
    """What the first word's output does when the last word becomes zeros."""

    def explain(case):
        x, *matrices = case.args
        changed = x.clone()
        changed[..., -1, :] = 0
        moved = (answer(changed, *matrices)[0] - answer(x, *matrices)[0])[..., 0, :].abs().max()
        return (
            f"word 0 may read itself alone, and yet one of its outputs moves by {explainers.number(moved)} when all "
            f"features of word {x.size(-2) - 1} are set to 0"
        )

    return explain


known = Misconceptions()

known(
    "future-before-the-mask",
    means="This is the code as it was given, or does what it does. All weights above the diagonal are 0, and still the "
    "future reaches the past.",
    hint="Change the last word, and compare what comes out for the first. How did the change get there, if not "
    "through the weights?",
    explain=moves(given),
)(given)


@known(
    "one-mean-for-all",
    means="A single mean of all numbers was subtracted. The last word is in it, so the future still reaches the past.",
    hint="Each word has a mean of its own. How many means does a text of T words need?",
    explain=moves(_answer(lambda x: x - x.mean())),
)
def one_mean(x, W_query, W_key, W_value):
    return _answer(lambda x: x - x.mean())(x, W_query, W_key, W_value)


@known.also("one-mean-for-all")
def one_mean_for_each_text(x, W_query, W_key, W_value):
    return _answer(lambda x: x - x.mean(dim=(-2, -1), keepdim=True))(x, W_query, W_key, W_value)


@known(
    "mean-of-the-past",
    means="From each word the mean of the words up to it was subtracted. Nothing leaks any more, but the "
    "docstring says something else.",
    hint="The mean that a word loses is the mean of its own features. Which axis is that?",
    explain=explainers.entry,
)
def mean_of_the_past(x, W_query, W_key, W_value):
    words = torch.arange(1, x.size(-2) + 1)[:, None]
    return _answer(lambda x: x - x.cumsum(dim=-2) / words)(x, W_query, W_key, W_value)


@known(
    "axis-from-the-front",
    means="The mean runs over the first axis: over the words of a text, and over the texts of a batch.",
    hint="Count the axes from the end, so that a batch in front changes nothing. Which holds the features?",
    explain=explainers.entry,
)
def over_axis_0(x, W_query, W_key, W_value):
    return _answer(lambda x: x - x.mean(dim=0))(x, W_query, W_key, W_value)


@known(
    "not-centered",
    means="Nothing leaks any more, but nothing is subtracted either: the words keep their means.",
    hint="The step is wanted. What should the mean of a word's features be after it?",
    explain=explainers.entry,
)
def not_centered(x, W_query, W_key, W_value):
    return _answer(lambda x: x)(x, W_query, W_key, W_value)


@known(
    "divided-too",
    means="The words were not only centered, but also divided by their spread, as a LayerNorm does.",
    hint="Only the mean is to be subtracted.",
    explain=explainers.entry,
)
def normalized(x, W_query, W_key, W_value):
    return _answer(lambda x: F.layer_norm(x, x.shape[-1:]))(x, W_query, W_key, W_value)


@known(
    "another-mask",
    means="The mask is no longer the causal one. As it was given, it was right.",
    hint="Word i may read the words 0 to i. Print the mask: does it say that?",
    explain=explainers.entry,
)
def without_the_diagonal(x, W_query, W_key, W_value):
    return _answer(shape_of_mask=lambda ones: ones.tril(-1))(x, W_query, W_key, W_value)


@known.also("another-mask")
def one_step_further(x, W_query, W_key, W_value):
    return _answer(shape_of_mask=lambda ones: ones.tril(1))(x, W_query, W_key, W_value)


@known.also("another-mask")
def the_future(x, W_query, W_key, W_value):
    return _answer(shape_of_mask=torch.triu)(x, W_query, W_key, W_value)


@known.also("another-mask")
def one_step_further_and_repaired(x, W_query, W_key, W_value):
    return _answer(over_features, lambda ones: ones.tril(1))(x, W_query, W_key, W_value)


@known(
    "over-queries",
    means="The softmax runs over the queries. As it was given, it ran over the keys, and that was right.",
    hint="A row of weights must sum to 1.",
    explain=explainers.row_sum,
)
def over_queries(x, W_query, W_key, W_value):
    return _answer(axis=-2)(x, W_query, W_key, W_value)


@known.also("over-queries")
def over_queries_and_repaired(x, W_query, W_key, W_value):
    return _answer(over_features, axis=-2)(x, W_query, W_key, W_value)
