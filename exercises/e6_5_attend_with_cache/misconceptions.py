"""What people get wrong in exercise 6.5, attend_with_cache."""

import math

import torch
import torch.nn.functional as F

from exercises.common import explainers
from exercises.common.block import (
    _INF,
    _known,
)
from helpers.attention import dot_product_attention


def _behind(old, new):
    return torch.cat([old, new], dim=-2)


def _join(k, v, past, cat=_behind):
    """Keys and values, the past in front."""
    return (k, v) if past is None else (cat(past[0], k), cat(past[1], v))


def _root(q, k):
    return 1 / math.sqrt(q.size(-1))


def _lower(t, s):
    """The right mask: the last query sees everything."""
    return torch.ones(t, s, dtype=torch.bool).tril(s - t)


def _filled(low):
    return lambda scores, mask: scores.masked_fill(~mask, low).softmax(-1)


_HIDE = _filled(-_INF)


def _read_all(k, v, past, keys, values):
    return keys, values


def _cached(join=_join, read=_read_all, mask=lambda t, s, past: _lower(t, s), scale=_root, weigh=_HIDE,
            keep=_read_all, mix=lambda weights, values: weights @ values,
            finish=lambda out, cache, weights: (out, cache)):
    """Attention with a cache step by step: right with these steps, wrong in one way with another."""

    def attend(q, k, v, past):
        joined = join(k, v, past)
        keys, values = read(k, v, past, *joined)
        scores = q @ keys.transpose(-2, -1) * scale(q, keys)
        weights = weigh(scores, mask(q.size(-2), keys.size(-2), past))
        return finish(mix(weights, values), keep(k, v, past, *joined), weights)

    return attend


def _joined_by(cat):
    return {"join": lambda k, v, past: _join(k, v, past, cat)}


def _masked_by(mask):
    return {"mask": mask}


def _kept(choose):
    """Another cache handed on; without a past the right one."""
    return {"keep": lambda k, v, past, keys, values: (k, v) if past is None else choose(k, v, past, keys, values)}


def _root_of(size):
    return {"scale": lambda q, k: 1 / math.sqrt(size(q, k))}


def _all_queries(q, k, v, past):
    """The keys of the past used as queries, too."""
    keys, values = _join(k, v, past)
    queries = q if past is None else _behind(past[0], q)
    return _filled(-_INF)(queries @ keys.transpose(-2, -1) * _root(q, keys),
                          _lower(queries.size(-2), keys.size(-2))) @ values, (keys, values)


def _new_only(t, s, past):
    """The new tokens see each other, up to themselves, and no past."""
    return torch.cat([torch.zeros(t, s - t, dtype=torch.bool), torch.ones(t, t, dtype=torch.bool).tril()], dim=1)


def _ones(t, s, past=None):
    return torch.ones(t, s, dtype=torch.bool)


def _top_left(t, s, past=None):
    return _ones(t, s).tril()


def _then(**steps):
    """Right but for what is handed back."""
    return {"finish": lambda out, cache, weights: steps["result"](out, cache, weights)}


def _unasked(q, k, v, past, unpack=False):
    """past opened without asking whether there is one."""
    if unpack:
        old_k, old_v = past
    else:
        old_k, old_v = past[0], past[1]
    return _cached()(q, k, v, (old_k, old_v))


def _joined_along(dim):
    """Joined along this axis, in either order; the first call, where nothing is joined, with or without a mask."""
    return tuple({**_joined_by(lambda old, new, order=order: torch.cat([old, new][::order], dim=dim)), **steps}
                 for order in (1, -1) for steps in ({}, {"mask": _ones}, {"scale": lambda q, k: 1}))


def _of_another_size(size):
    """A square triangle for a mask: filled, added, and given to the course's own attention, which refuse it."""
    def square(t, s, past=None):
        return _top_left(size(t, s), size(t, s))

    def by_the_course(q, k, v, past):
        k, v = _join(k, v, past)
        return dot_product_attention(q, k, v, square(q.size(-2), k.size(-2)))[0], (k, v)

    def by_torch(q, k, v, past):
        k, v = _join(k, v, past)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=square(q.size(-2), k.size(-2))), (k, v)

    return ({"mask": square}, {"mask": square, "weigh": lambda s, m: (s + torch.zeros(m.shape).masked_fill(
        ~m, -_INF)).softmax(-1)}, {"answer": by_the_course}, {"answer": by_torch})


_PAST_KEPT = (_kept(lambda k, v, past, keys, values: past), {"keep": lambda k, v, past, keys, values: past})


_NEW_READ = {"read": lambda k, v, past, keys, values: (k, v)}


_PAST_READ = {"read": lambda k, v, past, keys, values: past or (k, v)}


_WRONG_OUT = (
    _masked_by(_ones), _masked_by(_top_left), _masked_by(_new_only),
    _masked_by(lambda t, s, past: _lower(t, s) if past is None else _ones(t, s)),
    _masked_by(lambda t, s, past: _ones(t, s) if past is None else _lower(t, s)),
    {"scale": lambda q, k: 1}, _NEW_READ, {**_NEW_READ, "mask": _ones}, _PAST_READ, {**_PAST_READ, "mask": _ones},
    {**_PAST_READ, "weigh": lambda s, m: _HIDE(s, m).nan_to_num(0.0)},  # as torch does it, where nothing is visible
    {**_PAST_READ, "mask": lambda t, s, past: _lower(t, s) if past is None else _ones(t, s)},
)


_CACHES = (
    ("new-before-past", "The new keys and values were put in front of the past ones.",
     "The cache is in the order of the text: torch.cat([past[0], k], dim=-2).",
     (_joined_by(lambda old, new: _behind(new, old)),
      {**_joined_by(lambda old, new: _behind(new, old)), **_masked_by(_top_left)},
      {**_joined_by(lambda old, new: _behind(new, old)), **_masked_by(_ones)},
      {**_joined_by(lambda old, new: _behind(new, old)),
       "mask": lambda t, s, past: torch.cat([_top_left(t, t), _ones(t, s - t)], dim=1)}), explainers.entry),
    ("joined-along-the-heads", "Past and new were joined along axis 1, the heads.",
     "Keys of later tokens stand behind earlier ones along the positions: dim=-2.", _joined_along(1), None),
    ("joined-along-another-axis", "Past and new were joined along axis 0, the batch, or along axis 3, the features.",
     "Keys of later tokens stand behind earlier ones along the positions: dim=-2.",
     (*_joined_along(0), *_joined_along(-1)), None),
    ("stacked", "Past and new were stacked, which makes a new axis; they are to become one longer row of positions.",
     "torch.cat([past[0], k], dim=-2) makes the positions more, and leaves the axes as they are.",
     (_joined_by(lambda old, new: torch.stack([old, new])),), None),
    ("added", "The new keys and values were added to the past ones, number by number.",
     "They are to stand behind them: torch.cat([past[0], k], dim=-2).",
     (_joined_by(lambda old, new: old + new),), None),
    ("past-fails-at-none", "At the first call past is None, and None holds no keys and values.",
     "`if past is not None:` before past is opened.",
     ({"answer": _unasked}, {"answer": lambda q, k, v, past: _unasked(q, k, v, past, unpack=True)}), None),
    ("no-mask", "Nothing is hidden: a new token sees those that come after it.",
     "New token i sees the whole past, and the new tokens 0 to i. What must the mask (new, old + new) look like?",
     (_masked_by(_ones),), explainers.entry),
    ("top-left", "The triangle of the mask begins at the top left: new token 0 sees only position 0 of the past, "
     "and the last token does not see itself.",
     "Row i is position old + i: it sees the columns 0 to old + i. torch.ones(T, S).tril(S - T); is_causal=True does "
     "not know that there is a past.",
     (_masked_by(_top_left),), explainers.entry),
    ("mask-without-past", "The mask is (new, new), the scores are (new, old + new): the past has no columns in your "
     "mask.",
     "Row i sees all old columns too, and of the new ones 0 to i.", _of_another_size(lambda t, s: t), None),
    ("mask-with-past-rows", "The mask is (old + new, old + new), the scores are (new, old + new): your mask has rows "
     "for the past.",
     "Only the new tokens ask: of the rows of this mask the last ones belong to them.",
     _of_another_size(lambda t, s: s), None),
    ("mask-only-at-the-beginning", "With a past nothing is hidden; without one the mask is right.",
     "Several new tokens may come at once, also later: with a past, too, a token sees none that come after it.",
     (_masked_by(lambda t, s, past: _lower(t, s) if past is None else _ones(t, s)),), explainers.entry),
    ("mask-only-with-past", "Without a past nothing is hidden; with one the mask is right.",
     "At the first call, too, a token sees only those up to itself.",
     (_masked_by(lambda t, s, past: _ones(t, s) if past is None else _lower(t, s)),), explainers.entry),
    ("past-not-read", "The cache is right, but the new tokens saw only each other: out was made without the past.",
     "Compare q with all keys, and mix all values: the past in front, then the new ones.",
     (_masked_by(_new_only), {"read": lambda k, v, past, keys, values: (k, v)}), explainers.entry),
    ("past-not-read-no-mask", "Two things: out was made without the past, and a new token sees those that come after "
     "it.",
     "Compare q with all keys, and mix all values; then hide what comes after each token.",
     ({"read": lambda k, v, past, keys, values: (k, v), "mask": _ones},), explainers.entry),
    ("past-ignored", "past was never used, neither for out nor for the cache.",
     "torch.cat([past[0], k], dim=-2), and the same for v, where past is not None.",
     ({"join": lambda k, v, past: (k, v)}, {"join": lambda k, v, past: (k, v), "mask": _ones}), None),
    ("only-past", "The new tokens saw only the past, not themselves and each other; or only the past was read.",
     "A new token sees the past, the new tokens before it, and itself.",
     (_masked_by(lambda t, s, past: _lower(t, s) if past is None else _ones(t, s) & (torch.arange(s) < s - t)),
      {"read": lambda k, v, past, keys, values: past or (k, v), "mask": lambda t, s, past:
          _lower(t, s) if past is None else _ones(t, s)}), explainers.entry),
    ("only-new-handed-on", "out is right, but only the new keys and values were handed on: the next call would have "
     "forgotten the past.",
     "Hand on what you have joined: the past and the new ones.",
     (_kept(lambda k, v, past, keys, values: (k, v)),), None),
    ("past-handed-on", "The new keys and values are missing in what you handed on: it is past as it came. (out is "
     "right.)",
     "Hand on what you have joined: the past and the new ones.", _PAST_KEPT, None),
    ("past-handed-on-and-out", "Two things: the new keys and values are missing in what you handed on, which is past "
     "as it came; and out is wrong.",
     "Hand on what you have joined, the past and the new ones. Run this cell again then: it will speak of out.",
     tuple({**kept, **steps} for kept in _PAST_KEPT for steps in _WRONG_OUT), None),
    ("one-not-handed-on", "Of keys and values only one was handed on in full length.",
     "Both must grow: the past and the new ones, for k and for v.",
     (_kept(lambda k, v, past, keys, values: (keys, v)), _kept(lambda k, v, past, keys, values: (k, values)),
      _kept(lambda k, v, past, keys, values: (keys, past[1])),
      _kept(lambda k, v, past, keys, values: (past[0], values))), None),
    ("one-not-joined", "Only the keys, or only the values, were joined with the past: weights and values have "
     "different lengths then.",
     "Both must be joined: torch.cat([past[0], k], dim=-2) and torch.cat([past[1], v], dim=-2).",
     ({"read": lambda k, v, past, keys, values: (keys, v)}, {"read": lambda k, v, past, keys, values: (k, values)}),
     None),
    ("values-first-in-cache", "The cache came back as (v, k): the keys belong in front.",
     "The next call takes past[0] for the keys: return out, (k, v).",
     ({"keep": lambda k, v, past, keys, values: (values, keys)},), explainers.entry),
    ("past-read-as-v-k", "past was opened as (v, k): old values stand before the new keys, and old keys before the new "
     "values.",
     "past is (k, v): past[0] are the keys.",
     ({"join": lambda k, v, past: _join(k, v, past and past[::-1])},
      {"join": lambda k, v, past: _join(k, v, past and past[::-1]),
       "keep": lambda k, v, past, keys, values: (values, keys)}), explainers.entry),
    ("keys-as-values", "past[0], the keys, was joined to both k and v (or past[1], the values, was).",
     "past[0] goes before k, past[1] before v.",
     ({"join": lambda k, v, past: _join(k, v, past and (past[0], past[0]))},
      {"join": lambda k, v, past: _join(k, v, past and (past[1], past[1]))}), explainers.entry),
    ("keys-mixed", "The cache is right, but out is a mix of the keys, not of the values.",
     "Keys decide how much is read; values are what is read: weights @ v.",
     ({"read": lambda k, v, past, keys, values: (keys, keys)},), explainers.entry),
    ("one-ahead", "Each new token also sees the one after it.",
     "Row i of the mask is position old + i: the columns 0 to old + i. tril(S - T), not one more.",
     (_masked_by(lambda t, s, past: _ones(t, s).tril(s - t + 1)),), explainers.entry),
    ("not-itself", "A new token does not see itself; at the first call the first one then sees nothing at all.",
     "Up to itself, and itself too: tril(S - T), not one less.",
     (_masked_by(lambda t, s, past: _ones(t, s).tril(s - t - 1)),
      {"mask": lambda t, s, past: _ones(t, s).tril(s - t - 1), "weigh": _filled(-1e9)},
      {"mask": lambda t, s, past: _ones(t, s).tril(s - t - 1), "weigh": _filled(torch.finfo(torch.float32).min)}),
     explainers.entry),
    ("upside-down", "The mask is upside down: a token sees itself and what comes after it, and what came before is "
     "hidden.",
     "tril keeps what lies below the diagonal, the past; triu what lies above.",
     (_masked_by(lambda t, s, past: _ones(t, s).triu(s - t)),), explainers.entry),
    ("true-hides", "The mask was read the wrong way round: what may be seen was hidden, and the future was read.",
     "masked_fill fills where its mask is True. If True means visible, fill where ~mask.",
     (_masked_by(lambda t, s, past: ~_lower(t, s)),
      {"mask": lambda t, s, past: ~_lower(t, s), "weigh": _filled(-1e9)}), explainers.entry),
    ("only-itself", "Each new token sees only itself, or only itself and the past: the new tokens before it are "
    "hidden.",
     "New token i sees the whole past and the new tokens 0 to i.",
     (_masked_by(lambda t, s, past: _ones(t, s).tril(s - t).triu(s - t)),
      _masked_by(lambda t, s, past: torch.cat([_ones(t, s - t), torch.eye(t, dtype=torch.bool)], 1))), explainers.entry),
    ("no-scale", "The scores were not divided by sqrt(D).", "D is q.size(-1).", ({"scale": lambda q, k: 1},),
     explainers.entry),
    ("scaled-by-d", "The scores were divided by D instead of sqrt(D). (Dividing by sqrt(D) twice does the same.)",
     "Divide once, by the root: math.sqrt(q.size(-1)).", ({"scale": lambda q, k: 1 / q.size(-1)},), explainers.entry),
    ("scaled-by-another", "The scores were divided by the root of another number than D: of positions, heads or "
     "items, or of the features of all heads.",
     "D is the width of a head: q.size(-1).",
     (_root_of(lambda q, k: q.size(-2)), _root_of(lambda q, k: k.size(-2)), _root_of(lambda q, k: q.size(1)),
      _root_of(lambda q, k: q.size(0)), _root_of(lambda q, k: q.size(1) * q.size(-1))), explainers.entry),
    ("fixed-scale", "The scores were divided by a fixed number: right only for heads of one size.",
     "Take the size from q itself: math.sqrt(q.size(-1)).",
     tuple({"scale": lambda q, k, root=root: 1 / root} for root in (8, math.sqrt(11), math.sqrt(2), 2)),
     explainers.entry),
    ("multiplied", "The scores were multiplied by sqrt(D) instead of divided.",
     "The spread of the scores is to become smaller.", ({"scale": lambda q, k: math.sqrt(q.size(-1))},),
     explainers.entry),
    ("over-queries", "The softmax runs over the queries, not over the keys.", "Keys are the last axis: dim=-1.",
     ({"weigh": lambda s, m: s.masked_fill(~m, -_INF).softmax(-2)},), explainers.entry),
    ("over-another-axis", "The softmax runs over the heads or over the batch.", "Keys are the last axis: dim=-1.",
     tuple({"weigh": lambda s, m, dim=dim: s.masked_fill(~m, -_INF).softmax(dim)} for dim in (0, 1)), explainers.entry),
    ("no-softmax", "The values were mixed by the scores themselves: the softmax is missing.",
     "Weights are positive, and those of one token sum to 1.",
     ({"weigh": lambda s, m: s.masked_fill(~m, 0.0)}, {"weigh": lambda s, m: s.masked_fill(~m, -_INF)},
      {"weigh": lambda s, m: s.masked_fill(~m, -1e9)}), explainers.entry),
    ("zero-filled", "Hidden scores were set to 0 (or to a tiny number), and exp(0) = 1: a score of 0 is an ordinary "
     "score.",
     "Fill with float('-inf'), where ~mask.",
     ({"weigh": _filled(0.0)}, {"weigh": _filled(1e-9)}), explainers.entry),
    ("weak-fill", "The fill is not low enough for these scores: hidden tokens keep a weight.",
     "A score of -10 is hidden beside 0, but not beside -30. -inf is low enough beside everything.",
     tuple({"weigh": _filled(float(-low))} for low in (1, 2, 5, 10, 15, 20, 30)), explainers.entry),
    ("masked-after-softmax", "The mask came after the softmax, and nothing was divided: the weights of a token do not "
     "sum to 1.",
     "Fill the scores first; then the softmax shares everything out among what is visible.",
     ({"weigh": lambda s, m: s.softmax(-1) * m},), explainers.entry),
    ("mask-added", "The mask was added to the scores as numbers: True counts as 1, and nothing is hidden.",
     "Only a mask of 0 and -inf can be added. With True and False: masked_fill(~mask, float('-inf')).",
     ({"weigh": lambda s, m: (s + m).softmax(-1)}, {"weigh": lambda s, m: (s + ~m).softmax(-1)}), explainers.entry),
    ("queries-joined", "out has a row for each token of the past, too: past keys were used as queries.",
     "Only the new tokens ask: q stays as it is, and out has as many positions as q.",
     ({"answer": _all_queries},), None),
    ("only-the-last", "out holds the last new token alone.",
     "Several new tokens may come at once: out has a row for each.",
     (_then(result=lambda out, cache, weights: (out[:, :, -1:], cache)),
      _then(result=lambda out, cache, weights: (out[:, :, -1], cache))), None),
    ("heads-merged", "The heads of out were merged: that comes later.",
     "out keeps the form of q: (B, H, new, D).",
     (_then(result=lambda out, cache, weights: (out.transpose(1, 2).flatten(2), cache)),), None),
    ("weights-too", "The weights came back as well.", "Two things: `return out, (k, v)`.",
     (_then(result=lambda out, cache, weights: (out, weights, cache)),
      _then(result=lambda out, cache, weights: (out, cache, weights)),
      _then(result=lambda out, cache, weights: ((out, weights), cache)),
      _then(result=lambda out, cache, weights: (out, weights, *cache))), None),
    ("weights-instead", "The weights came back in place of out, or of the cache.", "`return out, (k, v)`.",
     (_then(result=lambda out, cache, weights: (weights, cache)),
      _then(result=lambda out, cache, weights: (out, weights))), None),
    ("three-things", "out, k and v came back as three things; keys and values belong together in a pair.",
     "With brackets of its own: `return out, (k, v)`.",
     (_then(result=lambda out, cache, weights: (out, *cache)),), None),
    ("only-out", "Only out came back; without the cache the next call knows nothing of the past.",
     "`return out, (k, v)`.", (_then(result=lambda out, cache, weights: out),), None),
    ("cache-first", "The pair is the wrong way round: out comes first, then the cache.", "`return out, (k, v)`.",
     (_then(result=lambda out, cache, weights: (cache, out)),), None),
    ("list-of-both", "The keys and values came back in a list. The numbers are right; a tuple is asked for, since what "
     "is handed on is not to be changed any more.",
     "Round brackets: `return out, (k, v)`.",
     (_then(result=lambda out, cache, weights: (out, list(cache))),), None),
    ("stacked-cache", "Keys and values came back as one tensor, stacked or joined; a pair of two is asked for.",
     "`return out, (k, v)`.",
     (_then(result=lambda out, cache, weights: (out, torch.stack(cache))),
      _then(result=lambda out, cache, weights: (out, torch.cat(cache)))), None),
    ("scaled-keys-kept", "out is right, but the keys were handed on divided by the root: at the next call they would "
     "be divided once more.",
     "Hand on the keys as they came; divide the scores (or q).",
     ({"keep": lambda k, v, past, keys, values: (keys / math.sqrt(k.size(-1)), values)},), explainers.entry),
)


def _cache_answer(answer=None, **steps):
    return answer or _cached(**steps)


MISCONCEPTIONS = _known(_cache_answer, _CACHES)
