"""What people get wrong in exercise 6.5, attend_with_cache: past and new, as the cache and for out."""

import torch

from exercises.common import explainers
from exercises.common.attention_steps import scale, weights_from
from feedback import Comparison, Misconceptions

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
