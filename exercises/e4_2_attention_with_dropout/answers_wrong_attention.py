"""Wrong answers to exercise 4.2 whose mistake is the attention itself, and not the dropout."""

import math

import torch
import torch.nn.functional as F

from exercises.e4_2_attention_with_dropout.answers_steps import dropout_with, drops, weights_before_dropout
from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("no-scale")
def attention_dropped_without_root(q, k, v, p, training, generator=None):
    """Not scaled by the root of D."""
    weights = torch.softmax(q @ k.mT, dim=-1)
    if training:
        weights = drops(weights, p, generator)
    return weights @ v, weights


@wrong("over-queries")
def attention_dropped_over_queries(q, k, v, p, training, generator=None):
    """Softmax over the queries."""
    weights = torch.softmax(q @ k.mT / math.sqrt(q.size(-1)), dim=-2)
    if training:
        weights = dropout_with(weights, p, generator)
    return weights @ v, weights


@wrong("axis-from-the-front")
def attention_dropped_over_axis_1(q, k, v, p, training, generator=None):
    """Softmax over axis 1."""
    weights = torch.softmax(q @ k.mT / math.sqrt(q.size(-1)), dim=1)
    if training:
        weights = dropout_with(weights, p, generator)
    return weights @ v, weights


@wrong("only-out")
def attention_dropped_only_out(q, k, v, p, training, generator=None):
    """Only out."""
    weights = weights_before_dropout(q, k)
    return (dropout_with(weights, p, generator) if training else weights) @ v


@wrong("swapped-pair")
def attention_dropped_swapped(q, k, v, p, training, generator=None):
    """The pair is swapped."""
    weights = weights_before_dropout(q, k)
    weights = dropout_with(weights, p, generator) if training else weights
    return weights, weights @ v


@wrong("causal")
def attention_dropped_and_causal(q, k, v, p, training, generator=None):
    """A causal mask, unasked."""
    scores = q @ k.mT / math.sqrt(q.size(-1))
    weights = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -1e9).softmax(-1)
    weights = drops(weights, p, generator) if training else weights
    return weights @ v, weights


@wrong("returns-one")
def attention_dropped_stacked(q, k, v, p, training, generator=None):
    """A list."""
    weights = weights_before_dropout(q, k)
    return torch.cat([weights @ v, weights], -1)


@wrong("scaled-by-d")
def attention_over_d(q, k, v, p, training, generator=None):
    """D, not its root."""
    weights = F.softmax(torch.matmul(q, k.mT) / k.shape[-1], dim=-1)
    weights = drops(weights, p, generator) if training else weights
    return weights @ v, weights


@wrong("root-without-brackets")
def attention_over_half_of_d(q, k, v, p, training, generator=None):
    """D ** 1 / 2 in parentheses."""
    root = q.size(-1) ** 1 / 2
    weights = (q @ k.mT / root).softmax(-1)
    weights = drops(weights, p, generator) if training else weights
    return weights @ v, weights


@wrong("divided-by-d-and-by-2")
def attention_over_d_and_2(q, k, v, p, training, generator=None):
    """D ** 1 / 2 without brackets."""
    weights = torch.softmax(q @ k.mT / q.size(-1) ** 1 / 2, dim=-1)
    weights = drops(weights, p, generator) if training else weights
    return weights @ v, weights


@wrong("multiplied")
def attention_times_the_root(q, k, v, p, training, generator=None):
    """Times the root of D."""
    weights = torch.softmax(q @ k.mT * q.size(-1) ** 0.5, dim=-1)
    weights = drops(weights, p, generator) if training else weights
    return weights @ v, weights


@wrong("scaled-by-another")
def attention_over_the_root_of_dv(q, k, v, p, training, generator=None):
    """The root of Dv."""
    weights = torch.softmax(q @ k.mT / math.sqrt(v.shape[-1]), dim=-1)
    weights = drops(weights, p, generator) if training else weights
    return weights @ v, weights


@wrong("scaled-by-another")
def attention_over_the_root_of_the_keys(q, k, v, p, training, generator=None):
    """The root of the number of keys."""
    scores = q @ k.mT
    weights = torch.softmax(scores / math.sqrt(scores.size(-1)), dim=-1)
    weights = drops(weights, p, generator) if training else weights
    return weights @ v, weights


@wrong("scaled-after-softmax")
def attention_scaled_too_late(q, k, v, p, training, generator=None):
    """The division after the softmax."""
    weights = (q @ k.mT).softmax(-1) / math.sqrt(q.size(-1))
    weights = drops(weights, p, generator) if training else weights
    return weights @ v, weights


@wrong("no-softmax")
def attention_of_scores(q, k, v, p, training, generator=None):
    """No softmax."""
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if training:
        scores = drops(scores, p, generator)
    return scores @ v, scores


@wrong("softmax-twice")
def attention_softmax_twice(q, k, v, p, training, generator=None):
    """Two softmaxes."""
    weights = F.softmax(weights_before_dropout(q, k), dim=-1)
    weights = drops(weights, p, generator) if training else weights
    return weights @ v, weights


@wrong("keys-as-values")
def attention_averaging_keys(q, k, v, p, training, generator=None):
    """k in place of v."""
    weights = weights_before_dropout(q, k)
    weights = drops(weights, p, generator) if training else weights
    return weights @ k, weights


@wrong("scores-returned")
def attention_returning_scores(q, k, v, p, training, generator=None):
    """The scores are returned."""
    scores = q @ k.mT / math.sqrt(q.size(-1))
    weights = torch.softmax(scores, dim=-1)
    weights = drops(weights, p, generator) if training else weights
    return weights @ v, scores


@wrong("keys-ask")
def attention_of_keys(q, k, v, p, training, generator=None):
    """The keys ask."""
    weights = weights_before_dropout(k, q)
    weights = drops(weights, p, generator) if training else weights
    return weights @ v, weights


@wrong("all-axes-reversed")
def attention_of_k_t(q, k, v, p, training, generator=None):
    """k.T."""
    weights = torch.softmax(q @ k.T / math.sqrt(q.size(-1)), dim=-1)
    weights = drops(weights, p, generator) if training else weights
    return weights @ v, weights


@wrong("axes-swapped-from-the-front")
def attention_of_axes_0_and_1(q, k, v, p, training, generator=None):
    """k.transpose(0, 1)."""
    weights = torch.softmax(q @ k.transpose(0, 1) / math.sqrt(q.size(-1)), dim=-1)
    weights = drops(weights, p, generator) if training else weights
    return weights @ v, weights


@wrong("axes-swapped-from-the-front")
def attention_of_axes_1_and_2(q, k, v, p, training, generator=None):
    """k.transpose(1, 2)."""
    weights = torch.softmax(torch.matmul(q, k.transpose(1, 2)) / math.sqrt(q.size(-1)), dim=-1)
    weights = drops(weights, p, generator) if training else weights
    return weights @ v, weights


@wrong("root-of-two")
def attention_over_the_root_of_two(q, k, v, p, training, generator=None):
    """The root of 2, as in a small example."""
    weights = torch.softmax(q @ k.mT / math.sqrt(2), dim=-1)
    weights = drops(weights, p, generator) if training else weights
    return weights @ v, weights


@wrong("fixed-scale")
def attention_over_8(q, k, v, p, training, generator=None):
    """8, as for 64 features."""
    weights = torch.softmax(0.125 * (q @ k.mT), dim=-1)
    weights = drops(weights, p, generator) if training else weights
    return weights @ v, weights


@wrong("wrong-share")
def attention_whose_first_key_is_kept(q, k, v, p, training, generator=None):
    """The first key is never dropped."""
    weights = weights_before_dropout(q, k)
    if training:
        kept = torch.rand(weights.shape, generator=generator) >= p
        kept[..., 0] = True
        weights = weights * kept / (1 - p)
    return weights @ v, weights


@wrong("wrong-share")
def attention_that_restores_empty_rows(q, k, v, p, training, generator=None):
    """A query that would lose all its keys keeps them."""
    weights = weights_before_dropout(q, k)
    if training:
        dropped = drops(weights, p, generator)
        weights = torch.where((dropped == 0).all(dim=-1, keepdim=True), weights, dropped)
    return weights @ v, weights


@wrong("wrong-dtype")
def attention_in_float32(q, k, v, p, training, generator=None):
    """All inputs become float32."""
    q, k, v = q.float(), k.float(), v.float()
    weights = weights_before_dropout(q, k)
    if training:
        weights = drops(weights, p, generator)
    return weights @ v, weights
