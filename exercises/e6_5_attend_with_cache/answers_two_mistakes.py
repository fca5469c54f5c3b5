"""Answers to exercise 6.5 with two mistakes at once: naming either is true, naming a third is not."""

import math

import torch
import torch.nn.functional as F

from feedback.bank import TwoMistakes

both = TwoMistakes()


def with_past(k, v, past):
    if past is None:
        return k, v
    return torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)


def seen(q, k):
    return torch.ones(q.size(2), k.size(2), dtype=torch.bool).tril(k.size(2) - q.size(2))


@both("no-mask", "only-new-handed-on")
def unmasked_and_only_new(q, k, v, past):
    return F.scaled_dot_product_attention(q, *with_past(k, v, past)), (k, v)


@both("no-mask", "past-handed-on")
def unmasked_and_only_past(q, k, v, past):
    return F.scaled_dot_product_attention(q, *with_past(k, v, past)), past or (k, v)


@both("no-scale", "no-mask")
def unscaled_and_unmasked(q, k, v, past):
    k, v = with_past(k, v, past)
    return (q @ k.mT).softmax(-1) @ v, (k, v)


@both("no-scale", "past-handed-on")
def unscaled_and_only_past(q, k, v, past):
    keys, values = with_past(k, v, past)
    return (q @ keys.mT).masked_fill(~seen(q, keys), -math.inf).softmax(-1) @ values, past or (k, v)


@both("no-scale", "values-first-in-cache")
def unscaled_and_values_first(q, k, v, past):
    k, v = with_past(k, v, past)
    return (q @ k.mT).masked_fill(~seen(q, k), -math.inf).softmax(-1) @ v, (v, k)


@both("scaled-by-d", "top-left")
def scaled_by_d_and_causal(q, k, v, past):
    k, v = with_past(k, v, past)
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=1 / q.size(-1)), (k, v)


@both("top-left", "only-new-handed-on")
def causal_and_only_new(q, k, v, past):
    return F.scaled_dot_product_attention(q, *with_past(k, v, past), is_causal=True), (k, v)


@both("joined-along-the-heads", "no-scale")
def joined_along_heads_and_unscaled(q, k, v, past):
    if past is not None:
        k, v = torch.cat([past[0], k], dim=1), torch.cat([past[1], v], dim=1)
    return (q @ k.mT).masked_fill(~seen(q, k), -math.inf).softmax(-1) @ v, (k, v)


@both("new-before-past", "no-scale")
def new_in_front_and_unscaled(q, k, v, past):
    if past is not None:
        k, v = torch.cat([k, past[0]], dim=2), torch.cat([v, past[1]], dim=2)
    return (q @ k.mT).masked_fill(~seen(q, k), -math.inf).softmax(-1) @ v, (k, v)


@both("over-queries", "no-mask")
def over_queries_and_unmasked(q, k, v, past):
    k, v = with_past(k, v, past)
    return (q @ k.mT / math.sqrt(q.size(-1))).softmax(2) @ v, (k, v)


@both("weak-fill", "no-scale")
def weakly_filled_and_unscaled(q, k, v, past):
    k, v = with_past(k, v, past)
    return (q @ k.mT).masked_fill(~seen(q, k), -10).softmax(-1) @ v, (k, v)


@both("past-read-as-v-k", "no-mask")
def opened_backwards_and_unmasked(q, k, v, past):
    if past is not None:
        old_v, old_k = past
        k, v = torch.cat([old_k, k], 2), torch.cat([old_v, v], 2)
    return F.scaled_dot_product_attention(q, k, v), (k, v)


@both("no-mask", "only-out")
def unmasked_out_alone(q, k, v, past):
    return F.scaled_dot_product_attention(q, *with_past(k, v, past))


@both("no-mask", "list-of-both")
def unmasked_and_a_list(q, k, v, past):
    k, v = with_past(k, v, past)
    return F.scaled_dot_product_attention(q, k, v), [k, v]


@both("one-not-handed-on", "no-scale")
def unscaled_and_new_keys_alone(q, k, v, past):
    keys, values = with_past(k, v, past)
    return (q @ keys.mT).masked_fill(~seen(q, keys), float("-inf")).softmax(-1) @ values, (k, values)
