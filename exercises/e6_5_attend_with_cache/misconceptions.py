"""What people get wrong in exercise 6.5, attend_with_cache: the mask, the weights, and what is returned.

The first that fits speaks; those of misconceptions_of_the_cache.py come before these.
"""

import torch
import torch.nn.functional as F

from exercises.common import explainers
from exercises.common.attention_mistakes import SCALE_MISTAKES, SOFTMAX_MISTAKES, scores_as_they_are
from exercises.common.mask_mistakes import MASK_MISTAKES
from exercises.e6_5_attend_with_cache.misconceptions_of_the_cache import (
    cache_from,
    everything,
    from_the_top_left,
    join,
    known,
    mask,
)
from helpers.attention import dot_product_attention

# ---------------------------------------------------------------- which keys a token sees

ROWS = "Row i of the mask is position old + i of the text. Which columns, of old + new, may it see?"


@known(
    "no-mask",
    means="Nothing is hidden: a new token sees those that come after it.",
    hint=ROWS,
    explain=explainers.entry,
    step="mask",
)
def nothing_hidden(t, s, past):
    return everything(t, s, past)


@known(
    "top-left",
    means="The triangle of the mask begins at the top left: new token 0 sees only position 0 of the past, and the "
    "last token does not see itself.",
    hint=f"{ROWS} (is_causal=True does not know that there is a past.)",
    explain=explainers.entry,
    step="mask",
)
def triangle_from_the_top_left(t, s, past):
    return from_the_top_left(t, s, past)


known(
    "mask-without-past",
    means="The mask is (new, new), but the scores are (new, old + new): the past has no columns in your mask.",
    hint="Row i sees all old columns, and the new ones 0 to i.",
)
known(
    "mask-with-past-rows",
    means="The mask is (old + new, old + new), but the scores are (new, old + new): your mask has rows for the past.",
    hint="Only the new tokens ask. Which rows of your mask belong to them?",
)


def add_square(id, size):
    """A square mask of another size: filled, and given to the course's attention, which refuses it."""

    def square(t, s, past):
        return everything(size(t, s), size(t, s), past).tril()

    known.also(id, mask=square)

    @known.also(id)
    def given_to_the_course(q, k, v, past):
        k, v = join(k, v, past)
        return dot_product_attention(q, k, v, square(q.size(-2), k.size(-2), past))[0], (k, v)


@known.also("mask-with-past-rows")
def square_mask_given_to_torch(q, k, v, past):
    k, v = join(k, v, past)
    square = from_the_top_left(k.size(-2), k.size(-2), past)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=square), (k, v)


def new_by_new(t, s):
    return t


def all_by_all(t, s):
    return s


add_square("mask-without-past", new_by_new)
add_square("mask-with-past-rows", all_by_all)


@known(
    "mask-only-at-the-beginning",
    means="With a past nothing is hidden; without one the mask is right.",
    hint="Several new tokens may come at once later, too. May they see each other's future?",
    explain=explainers.entry,
    step="mask",
)
def hidden_without_past(t, s, past):
    return mask(t, s, past) if past is None else everything(t, s, past)


@known(
    "mask-only-with-past",
    means="Without a past nothing is hidden; with one the mask is right.",
    hint="At the first call, too, several tokens come at once. May they see each other's future?",
    explain=explainers.entry,
    step="mask",
)
def hidden_with_past(t, s, past):
    return everything(t, s, past) if past is None else mask(t, s, past)


@known(
    "one-ahead", means="Each new token also sees the one after it.", hint=ROWS, explain=explainers.entry, step="mask"
)
def one_more(t, s, past):
    return everything(t, s, past).tril(s - t + 1)


@known(
    "not-itself",
    means="A new token does not see itself.",
    hint="A token sees the text up to itself, and itself as well.",
    explain=explainers.entry,
    step="mask",
)
def one_less(t, s, past):
    return everything(t, s, past).tril(s - t - 1)


def filled_with_a_finite_number(scores, mask):
    return scores.masked_fill(~mask, -1e9)


known.also("not-itself", mask=one_less, fill=filled_with_a_finite_number)


@known(
    "upside-down",
    means="The mask is upside down: a token sees itself and what comes after it, and what came before is hidden.",
    hint="tril keeps what is below the diagonal, triu what is above. Which side is the past?",
    explain=explainers.entry,
    step="mask",
)
def the_future(t, s, past):
    return everything(t, s, past).triu(s - t)


@known(
    "only-itself",
    means="Each of the new tokens sees only itself: those before it are hidden.",
    hint="New token i sees the whole past and the new tokens 0 to i.",
    explain=explainers.entry,
    step="mask",
)
def past_and_itself(t, s, past):
    return torch.cat([everything(t, s - t, past), torch.eye(t, dtype=torch.bool)], dim=1)


@known.also("only-itself", step="mask")
def itself_alone(t, s, past):
    return mask(t, s, past).triu(s - t)


# ---------------------------------------------------------------- what all attention can have

known.include(
    SCALE_MISTAKES,
    "no-scale",
    "scaled-by-d",
    "divided-by-d-and-by-2",
    "root-of-two",
    "scaled-by-another",
    "fixed-scale",
    "multiplied",
    "scaled-after-softmax",
    explain=explainers.entry,
)
known.include(SOFTMAX_MISTAKES, "over-queries", "over-heads", "over-batch", "no-softmax", explain=explainers.entry)
known.include(
    MASK_MISTAKES,
    "true-hides",
    "zero-filled",
    "weak-fill",
    "masked-after-softmax",
    "zero-times-infinity",
    "mask-added",
    "mask-inverted-added",
    explain=explainers.entry,
    means={
        "true-hides": "The mask was read the wrong way around: what may be seen was hidden, and the future was read.",
    },
    hints={"true-hides": "`masked_fill` fills where its mask is True. Where is yours True?"},
)


def scores_times_mask(scores, mask):
    return scores * mask


known.also("no-softmax", softmax=scores_as_they_are, fill=scores_times_mask)
known.also("no-softmax", softmax=scores_as_they_are, fill=filled_with_a_finite_number)


def root_of_all_features(q, k):
    return (q.size(1) * q.size(-1)) ** -0.5


known.also("scaled-by-another", scale=root_of_all_features)


def add_weak_fill(value):
    @known.also("weak-fill", step="fill")
    def filled(scores, mask):
        return scores.masked_fill(~mask, value)


for value in (-15.0, -30.0):
    add_weak_fill(value)


# ---------------------------------------------------------------- what is returned


@known(
    "queries-joined",
    means="out has a row for each token of the past, too: past keys were used as queries.",
    hint="Only the new tokens ask. How many rows must out have?",
)
def past_keys_as_queries(q, k, v, past):
    return cache_from()(q if past is None else torch.cat([past[0], q], dim=-2), k, v, past)


@known(
    "only-the-last",
    means="out holds the last new token alone.",
    hint="Several new tokens may come at once: out has a row for each.",
    step="give",
)
def last_row(out, cache, weights):
    return out[:, :, -1:], cache


@known.also("only-the-last", step="give")
def last_row_without_its_axis(out, cache, weights):
    return out[:, :, -1], cache


@known(
    "heads-merged",
    means="The heads of out were merged: that comes later.",
    hint="out keeps the shape of q: (B, H, new, D).",
    step="give",
)
def merged(out, cache, weights):
    return out.transpose(1, 2).flatten(2), cache


BOTH = "Two things: `return out, (k, v)`."


@known("weights-too", means="The weights were returned as well.", hint=BOTH, step="give")
def weights_between(out, cache, weights):
    return out, weights, cache


@known.also("weights-too", step="give")
def weights_last(out, cache, weights):
    return out, cache, weights


@known.also("weights-too", step="give")
def weights_in_a_pair(out, cache, weights):
    return (out, weights), cache


@known("weights-instead", means="The weights were returned in place of the cache.", hint=BOTH, step="give")
def weights_for_the_cache(out, cache, weights):
    return out, weights


@known(
    "three-things",
    means="out, k and v were returned as three things; keys and values belong together in a pair.",
    hint="Keys and values need parentheses of their own: `return out, (k, v)`.",
    step="give",
)
def one_tuple(out, cache, weights):
    return out, *cache


@known(
    "only-out",
    means="Only out was returned; without the cache the next call knows nothing of the past.",
    hint=BOTH,
    step="give",
)
def out_alone(out, cache, weights):
    return out


@known(
    "cache-first", means="The pair is the wrong way around: out comes first, then the cache.", hint=BOTH, step="give"
)
def cache_in_front(out, cache, weights):
    return cache, out


@known(
    "list-of-both",
    means="The keys and values came back in a list; a tuple is asked for, since nothing should change the cache "
    "between two calls.",
    hint="Square brackets make a list, parentheses a tuple.",
    step="give",
)
def list_for_the_cache(out, cache, weights):
    return out, list(cache)


@known(
    "stacked-cache",
    means="Keys and values came back as one tensor; a pair of two is asked for.",
    hint=BOTH,
    step="give",
)
def stacked_keys_and_values(out, cache, weights):
    return out, torch.stack(cache)


@known.also("stacked-cache", step="give")
def joined_keys_and_values(out, cache, weights):
    return out, torch.cat(cache)
