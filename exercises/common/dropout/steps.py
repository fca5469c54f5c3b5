"""Dropout, and attention with dropout on its weights, in steps that can be replaced by wrong ones."""

import torch

from exercises.common.attention.steps import (
    compare,
    give,
    masked_softmax_from,
    mix,
    scale,
    show,
    weights_from,
)


def keep(x, p, generator=None):
    """Where a number stays."""
    return torch.rand(x.shape, generator=generator) >= p


def dropout(x, p, generator=None):
    """The right step."""
    return x * keep(x, p, generator) / (1 - p)


masked_softmax = masked_softmax_from()


# ---------------------------------------------------------------- attention with dropout on its weights


def in_training(training):
    """The right step `active`: when anything is dropped."""
    return training


def dropped_attention_from(attend=None, mix=mix, show=show, give=give, **steps):
    """attention(q, k, v, drop, mask=None) -> (out, weights), from the steps of `weights_from` and the last ones.

    `attend` replaces all but `give`: attend(q, k, v, drop, mask).
    """
    weigh = weights_from(**steps)

    def on_the_weights(q, k, v, drop, mask):
        weights = drop(weigh(q, k, mask))
        return mix(weights, v, q, k), show(weights, q, k)

    def attention(q, k, v, drop, mask=None):
        return give(*(attend or on_the_weights)(q, k, v, drop, mask))

    return attention


def dropped_scores(q, k, drop, mask):
    return masked_softmax(drop(compare(q, k) * scale(q, k)), mask)
