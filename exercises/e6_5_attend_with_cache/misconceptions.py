"""What people get wrong in exercise 6.5, attend_with_cache."""

import torch
import torch.nn.functional as F

from exercises.common import explainers
from exercises.common.attention.mistakes import SCALE_MISTAKES, SOFTMAX_MISTAKES, scores_as_they_are
from exercises.common.attention.steps import scale, weights_from
from exercises.common.masks.mistakes import MASK_MISTAKES
from feedback import Comparison, Misconceptions
from helpers.attention import dot_product_attention

# ---------------------------------------------------------------- the right steps


def join(k, v, past):
    """Keys and values, the past in front."""
    return (k, v) if past is None else (torch.cat([past[0], k], dim=-2), torch.cat([past[1], v], dim=-2))


def read(k, v, past, keys, values):
    """The keys and values that are attended to; `keys` and `values` are the joined ones."""
    return keys, values


def keep(k, v, past, keys, values):
    """The cache."""
    return keys, values


def mask(t, s, past):
    """(t, s), True = may attend: the last query sees everything."""
    return everything(t, s, past).tril(s - t)


def mix(weights, keys, values):
    return weights @ values


def give(out, cache, weights):
    """What is returned."""
    return out, cache


def cache_from(join=join, read=read, mask=mask, keep=keep, mix=mix, give=give, **steps):
    """attend_with_cache(q, k, v, past) made of these steps, and those of `weights_from`."""
    weigh = weights_from(**steps)

    def attend(q, k, v, past):
        joined = join(k, v, past)
        keys, values = read(k, v, past, *joined)
        weights = weigh(q, keys, mask(q.size(-2), keys.size(-2), past))
        return give(mix(weights, keys, values), keep(k, v, past, *joined), weights)

    return attend


def cache_entry(case):
    """The key or value of the cache that is furthest off."""
    return explainers.entry(Comparison(case.args, case.expected[1], case.actual[1], case.names[1]))


known = Misconceptions(cache_from)


# ---------------------------------------------------------------- masks


def everything(t, s, past):
    return torch.ones(t, s, dtype=torch.bool)


def from_the_top_left(t, s, past):
    return everything(t, s, past).tril()


# ---------------------------------------------------------------- past and new, joined

AFTER = "Later keys go after earlier ones, along the position axis. Which axis is that in (B, H, T, D)?"


@known(
    "new-before-past",
    means="The new keys and values were put in front of the past ones.",
    hint="The cache is in the order of the text. What comes first?",
    explain=cache_entry,
    step="join",
)
def new_in_front(k, v, past):
    return (k, v) if past is None else (torch.cat([k, past[0]], dim=-2), torch.cat([v, past[1]], dim=-2))


known.also("new-before-past", join=new_in_front, mask=from_the_top_left)
known.also("new-before-past", join=new_in_front, mask=everything)

known("joined-along-the-heads", means="Past and new were joined along axis 1, the heads.", hint=AFTER)
known("joined-along-the-batch", means="Past and new were joined along axis 0, the batch.", hint=AFTER)
known("joined-along-the-features", means="Past and new were joined along the last axis, the features.", hint=AFTER)


def add_axis(id, dim):
    """Joined along this axis, in either order: the exceptions differ."""

    @known.also(id, step="join")
    def past_first(k, v, past):
        return (k, v) if past is None else (torch.cat([past[0], k], dim=dim), torch.cat([past[1], v], dim=dim))

    @known.also(id, step="join")
    def new_first(k, v, past):
        return (k, v) if past is None else (torch.cat([k, past[0]], dim=dim), torch.cat([v, past[1]], dim=dim))


add_axis("joined-along-the-heads", 1)
add_axis("joined-along-the-batch", 0)
add_axis("joined-along-the-features", -1)


@known(
    "stacked",
    means="Past and new were stacked, which makes a new axis; they should become one longer sequence.",
    hint="`torch.stack` adds an axis. What makes an axis longer?",
    step="join",
)
def stacked(k, v, past):
    return (k, v) if past is None else (torch.stack([past[0], k]), torch.stack([past[1], v]))


@known(
    "added",
    means="The new keys and values were added to the past ones, number by number.",
    hint="A key of a new token is one more key. Does your sum have more positions than k?",
    step="join",
)
def added(k, v, past):
    return (k, v) if past is None else (past[0] + k, past[1] + v)


@known(
    "past-fails-at-none",
    means="At the first call past is None, and None holds no keys and values.",
    hint="Before past is unpacked: is there one?",
    step="join",
)
def opened_even_if_none(k, v, past):
    return join(k, v, (past[0], past[1]))


@known(
    "past-read-as-v-k",
    means="past was unpacked as (v, k): old values come before the new keys, and old keys before the new values.",
    hint="past is (k, v). Which of the two is `past[0]`?",
    explain=cache_entry,
    step="join",
)
def opened_backwards(k, v, past):
    return join(k, v, past and past[::-1])


@known(
    "keys-as-values",
    means="`past[0]`, the keys, was joined to both k and v.",
    hint="past is (k, v). Which of the two goes before v?",
    explain=cache_entry,
    step="join",
)
def past_keys_for_both(k, v, past):
    return join(k, v, past and (past[0], past[0]))


@known(
    "values-as-keys",
    means="`past[1]`, the values, was joined to both k and v.",
    hint="past is (k, v). Which of the two goes before k?",
    explain=cache_entry,
    step="join",
)
def past_values_for_both(k, v, past):
    return join(k, v, past and (past[1], past[1]))


# ---------------------------------------------------------------- what is returned as the cache

RETURN_WHAT_YOU_READ = "Return the same k and v that you attended to: the past and the new ones."


@known(
    "only-new-handed-on",
    means="Only the new keys and values were returned as the cache: the next call would have forgotten the past.",
    hint=RETURN_WHAT_YOU_READ,
    step="keep",
)
def new_kept(k, v, past, keys, values):
    return k, v


@known(
    "past-handed-on",
    means="The new keys and values are missing in the cache that you return: it is past as it came in.",
    hint=RETURN_WHAT_YOU_READ,
    step="keep",
)
def past_kept_where_there_is_one(k, v, past, keys, values):
    return past or (k, v)


@known.also("past-handed-on", step="keep")
def past_kept(k, v, past, keys, values):
    return past


known(
    "one-not-handed-on",
    means="Of keys and values, only one was returned at full length.",
    hint="Both must grow: the past and the new ones, for k and for v.",
)


@known.also("one-not-handed-on", step="keep")
def new_values_kept(k, v, past, keys, values):
    return keys, v


@known.also("one-not-handed-on", step="keep")
def new_keys_kept(k, v, past, keys, values):
    return k, values


@known.also("one-not-handed-on", step="keep")
def past_values_kept(k, v, past, keys, values):
    return keys, values if past is None else past[1]


@known.also("one-not-handed-on", step="keep")
def past_keys_kept(k, v, past, keys, values):
    return keys if past is None else past[0], values


@known(
    "values-first-in-cache",
    means="The cache came back as (v, k): the keys come first.",
    hint="The next call takes `past[0]` for the keys.",
    explain=cache_entry,
    step="keep",
)
def values_first(k, v, past, keys, values):
    return values, keys


known.also("past-read-as-v-k", join=opened_backwards, keep=values_first)


@known(
    "scaled-keys-kept",
    means="The keys were returned already divided by `sqrt(D)`: at the next call they would be divided again.",
    hint="Return the keys as they came; divide the scores, or q.",
    explain=cache_entry,
    step="keep",
)
def divided_keys_kept(k, v, past, keys, values):
    return keys * scale(keys, keys), values


# ---------------------------------------------------------------- never joined


@known(
    "past-ignored",
    means="past was never used, neither for out nor for the cache.",
    hint="Where past is not None, its keys and values come before the new ones.",
    step="join",
)
def never_joined(k, v, past):
    return k, v


known.also("past-ignored", join=never_joined, mask=everything)


@known(
    "new-ignored",
    means="The new keys and values count only at the first call; later ones are neither attended to nor returned.",
    hint="Where past is not None, what happens to k and v?",
    step="join",
)
def only_past(k, v, past):
    return past or (k, v)


# ---------------------------------------------------------------- what is attended to


@known(
    "past-not-read",
    means="The cache is right, but the new tokens saw only each other: out was computed without the past.",
    hint="Which keys is q compared with in your code: the joined ones, or the new ones? Does a mask hide the old ones?",
    explain=explainers.entry,
    step="read",
)
def new_read(k, v, past, keys, values):
    return k, v


known(
    "past-not-read-no-mask",
    means="Two things: out was computed without the past, and a new token sees those that come after it.",
    hint="Which keys is q compared with: the joined ones, or the new ones? And which of them come after it?",
    explain=explainers.entry,
)
known.also("past-not-read-no-mask", read=new_read, mask=everything)


known(
    "only-past",
    means="The new tokens saw only the past, not themselves or each other.",
    hint="A new token sees the past, the new tokens before it, and itself.",
    explain=explainers.entry,
)


def past_read(k, v, past, keys, values):
    return past or (k, v)


def everything_in_the_past(t, s, past):
    return mask(t, s, past) if past is None else everything(t, s, past)


known.also("only-past", read=past_read, mask=everything_in_the_past)


@known(
    "one-not-joined",
    means="Only the keys, or only the values, were joined with the past, so that weights and values have different "
    "lengths.",
    hint="Both must be joined, keys with keys and values with values.",
    step="read",
)
def new_values_read(k, v, past, keys, values):
    return keys, v


@known.also("one-not-joined", step="read")
def new_keys_read(k, v, past, keys, values):
    return k, values


@known(
    "keys-mixed",
    means="The cache is right, but out is a mix of the keys, not of the values.",
    hint="Keys decide how much is read; values are what is read.",
    explain=explainers.entry,
    step="mix",
)
def keys_mixed(weights, keys, values):
    return weights @ keys


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
