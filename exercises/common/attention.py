"""Attention in small replaceable steps: a wrong answer is a right one with one or two wrong steps.

Four functions build answers, each from the steps of the previous function and some of its own:

    masked_softmax_from    (scores, mask=None) -> weights                         fill, hide, softmax, masked_softmax
    weights_from           (q, k, mask=None) -> weights                           compare, scale, weigh
    attention_from         (q, k, v, mask=None) -> (out, weights)                 mix, show, give
    multi_head_from        (x, context, layers, num_heads, mask=None) -> (out, weights)
                                                                    project, split, attention, merge, finish
A function of this module with the name of a step is the right step.
"""

import math

from helpers.heads import merge_heads, split_heads

INF = float("inf")


# ---------------------------------------------------------------- the right steps


def compare(q, k):
    """Compare every query with every key."""
    return q @ k.transpose(-2, -1)


def scale(q, k):
    """Return the factor of the dot products: 1 / sqrt(D)."""
    return 1 / math.sqrt(q.size(-1))


def fill(scores, mask):
    """Apply a mask; unlike `hide(scores, mask)`, this is called only if there is one."""
    return scores.masked_fill(~mask, -INF)


def softmax(scores):
    return scores.softmax(dim=-1)


def mix(weights, v, q, k):
    """Return out, before heads are merged."""
    return weights @ v


def show(weights, q, k):
    """Return the weights that the answer returns."""
    return weights


def give(out, weights):
    """Return the result of the whole answer."""
    return out, weights


def project(x, context, q_proj, k_proj, v_proj):
    return q_proj(x), k_proj(context), v_proj(context)


def split(z, num_heads):
    return split_heads(z, num_heads)


def merge(z):
    return merge_heads(z)


def finish(merged, out_proj, x):
    """Make out from the merged heads."""
    return out_proj(merged)


# ---------------------------------------------------------------- answers made of them


def masked_softmax_from(fill=fill, hide=None, softmax=softmax, masked_softmax=None):
    """Build weights(scores, mask=None): hide, then softmax; `masked_softmax` replaces both."""

    def fill_where_there_is_a_mask(scores, mask):
        return scores if mask is None else fill(scores, mask)

    hide = hide or fill_where_there_is_a_mask

    def weights(scores, mask=None):
        return softmax(hide(scores, mask))

    return masked_softmax or weights


def weights_from(compare=compare, scale=scale, weigh=None, **steps):
    """Build weights(q, k, mask=None): compare, scale, the steps of `masked_softmax_from`; `weigh` replaces them all."""
    to_weights = masked_softmax_from(**steps)

    def weights(q, k, mask=None):
        return to_weights(compare(q, k) * scale(q, k), mask)

    return weigh or weights


def attention_from(mix=mix, show=show, give=give, **steps):
    """Build attention(q, k, v, mask=None): the steps of `weights_from`, then mix the values and return a pair."""
    weigh = weights_from(**steps)

    def attention(q, k, v, mask=None):
        weights = weigh(q, k, mask)
        return give(mix(weights, v, q, k), show(weights, q, k))

    return attention


def multi_head_from(project=project, split=split, attention=None, merge=merge, finish=finish, give=give, **steps):
    """Build attend(x, context, layers, num_heads, mask=None), where layers are q_proj, k_proj, v_proj and out_proj.

    The steps of `attention_from` work inside the heads; `attention` replaces them all.
    """
    attention = attention or attention_from(**steps)

    def attend(x, context, layers, num_heads, mask=None):
        q, k, v = (split(z, num_heads) for z in project(x, context, *layers[:3]))
        out, weights = attention(q, k, v, mask)
        return give(finish(merge(out), layers[3], x), weights)

    return attend


right_weights = weights_from()
