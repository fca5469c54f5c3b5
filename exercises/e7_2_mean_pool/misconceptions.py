"""What people get wrong in exercise 7.2, mean_pool."""

import torch
from torch.nn import functional as F

from exercises.common import explainers
from exercises.e7_2_mean_pool.shared import _filled
from feedback import Misconception

_INF = float("inf")


def _sum(hidden, mask):
    return (hidden * mask.unsqueeze(-1)).sum(1)


def _count(mask):
    return mask.sum(1, keepdim=True)


def _mean(hidden, mask):
    return _sum(hidden, mask) / _count(mask)


def _rows(item):
    """What item(hidden, mask), for (T, C) and (T,), gives for each item of the batch."""
    return lambda hidden, mask: torch.stack([item(h, m) for h, m in zip(hidden, mask, strict=True)])


def _counted_by(count):
    """The right sum, divided by count(hidden, mask)."""
    return lambda hidden, mask: _sum(hidden, mask) / count(hidden, mask)


def _at(hidden, places):
    return hidden[torch.arange(len(hidden)), places]


def _last_place(mask):
    return (mask * torch.arange(mask.size(1))).amax(1)


def _without_ends(end):
    """The first token left out, and perhaps the last: guarded against no token at all, or not."""
    def cut(hidden, mask):
        return _sum(hidden[:, 1:end], mask[:, 1:end]), _count(mask[:, 1:end])

    return (lambda hidden, mask: cut(hidden, mask)[0] / cut(hidden, mask)[1],
            *(lambda hidden, mask, low=low: cut(hidden, mask)[0] / cut(hidden, mask)[1].clamp(min=low)
              for low in (1, 1e-9)))


def _turned_around():
    """The mask inverted in the sum, in the count, or in both; counts of 0 guarded or not."""
    guards = (lambda n: n, lambda n: n.clamp(min=1), lambda n: n.clamp(min=1e-9))
    both = tuple(lambda hidden, mask, guard=guard: _sum(hidden, ~mask) / guard(_count(~mask)) for guard in guards)
    below = tuple(lambda hidden, mask, guard=guard: _sum(hidden, mask) / guard(_count(~mask)) for guard in guards)
    return (*both, *below, lambda hidden, mask: _sum(hidden, ~mask) / _count(mask), lambda h, m: _sum(h, ~m),
            lambda h, m: _sum(h, ~m) / h.size(1))


def _mask_weights(hidden, mask):
    """A softmax of the mask in place of its share."""
    return (mask.to(hidden.dtype).softmax(1).unsqueeze(-1) * hidden).sum(1)


MISCONCEPTIONS = (
        Misconception(
            "mean-over-all", "The mean was taken over all tokens, padding and all: the mask was never used.",
            "Only tokens where the mask is True belong in the sum, and only these are counted.",
            lambda h, m: h.mean(1), explainers.entry),
        Misconception(
            "padding-summed", "You divided by the number of real tokens, which is right; but all tokens were summed, "
            "padding and all.",
            "Set padded tokens to 0 before the sum: hidden * mask.unsqueeze(-1).",
            lambda h, m: h.sum(1) / _count(m), explainers.entry),
        Misconception(
            "divided-by-length", "The sum is right, but it was divided by T, the number of all tokens. (mean(dim=1) "
            "does that: a padded token that was set to 0 still counts.)",
            "How many tokens does each item really have? mask.sum(dim=1) says it.",
            (lambda h, m: _filled(h, m).mean(1), lambda h, m: _sum(h, m) / h.size(1)), explainers.entry),
        Misconception(
            "not-divided", "This is the sum of the real tokens: it was never divided.",
            "Divide by the number of real tokens of each item, mask.sum(dim=1, keepdim=True).",
            _sum, explainers.entry),
        Misconception(
            "mask-inverted", "The mask was read the wrong way round, in the sum or in the count: padding has taken the "
            "place of the real tokens.",
            "True = real token. Keep what is True; with masked_fill fill where ~mask.",
            _turned_around(), explainers.entry),
        Misconception(
            "one-count-for-all", "Every item was divided by the same number: the real tokens of the whole batch or of "
            "another item, a mean of the counts, or the number of items.",
            "Each item has its own number of real tokens: count along axis 1, mask.sum(dim=1, keepdim=True).",
            tuple(_counted_by(count) for count in (
                lambda h, m: m.sum(), lambda h, m: m.sum(1).max(), lambda h, m: m.sum(1).min(), lambda h, m: m[0].sum(),
                lambda h, m: m[-1].sum(), lambda h, m: m.sum(1).to(h.dtype).mean(), lambda h, m: len(h))),
            explainers.entry),
        Misconception(
            "one-mean-for-all", "All tokens of the batch went into one mean. hidden[mask] does that: it forgets which "
            "item a token belongs to.",
            "Each item needs a vector of its own: keep the batch axis, and sum along axis 1.",
            (lambda h, m: h[m].mean(0), lambda h, m: h[m].mean(0, keepdim=True), lambda h, m: h.mean((0, 1)),
             lambda h, m: h[m].mean(0).expand(len(h), -1).clone(),
             lambda h, m: h.mean((0, 1)).expand(len(h), -1).clone()), explainers.entry),
        Misconception(
            "one-number", "Everything became one number: the mean was taken over features and items too.",
            "Name the axis: sum(dim=1) leaves (B, C).",
            (lambda h, m: h[m].mean(), lambda h, m: h.mean(), lambda h, m: _filled(h, m).mean(),
             lambda h, m: _filled(h, m).sum() / m.sum()), explainers.shape),
        Misconception(
            "over-features", "The sum runs over the features: what is left is one number for each token, (B, T).",
            "Tokens are axis 1 of (B, T, C), and the features stay: sum(dim=1).",
            (lambda h, m: h.mean(-1), lambda h, m: _filled(h, m).mean(-1), lambda h, m: _filled(h, m).sum(-1),
             lambda h, m: _filled(h, m).sum(-1) / _count(m)), explainers.shape),
        Misconception(
            "over-batch", "The sum runs over the items of the batch: what is left is one vector for each place, "
            "(T, C).",
            "Tokens are axis 1 of (B, T, C): sum(dim=1).",
            (lambda h, m: h.mean(0), lambda h, m: _filled(h, m).mean(0), lambda h, m: _filled(h, m).sum(0),
             lambda h, m: _filled(h, m).sum(0) / m.sum(0).unsqueeze(-1),
             lambda h, m: _filled(h, m).sum(0) / m.sum(0).unsqueeze(-1).clamp(min=1)), explainers.shape),
        Misconception(
            "not-summed", "The tokens still stand apart, (B, T, C): nothing was summed.",
            "Sum along axis 1, then divide by the number of real tokens.",
            (_filled, lambda h, m: _filled(h, m) / _count(m).unsqueeze(-1), lambda h, m: h / _count(m).unsqueeze(-1)),
            explainers.shape),
        Misconception(
            "one-item-only", "The mean of one item alone came back.",
            "If a loop makes the means: `return` inside it ends the function at once. Collect them in a list, and "
            "torch.stack(list) after the loop.",
            tuple(lambda h, m, i=i, shape=shape: h[i][m[i]].mean(0).reshape(shape)
                  for i in (0, -1) for shape in ((-1,), (1, -1))), explainers.shape),
        Misconception(
            "ragged", "hidden[mask] puts the real tokens of all items one below the other, and items with different "
            "numbers of them do not fit into one tensor (B, n, C) again.",
            "Keep the shape, set padded tokens to 0, and sum along axis 1; or choose in a loop, item by item: h[m].",
            (lambda h, m: h[m].reshape(h.size(0), -1, h.size(2)).mean(1),)),
        Misconception(
            "axis-kept", "The numbers are right, but the axis of the tokens is still there: (B, 1, C).",
            "keepdim=True keeps a summed axis with size 1: leave it out where hidden is summed, or squeeze(1) at the "
            "end.",
            lambda h, m: _mean(h, m).unsqueeze(1), explainers.shape),
        Misconception(
            "transposed", "The numbers are right, but items and features have changed places: (C, B).",
            "The batch stays in front: (B, C).", lambda h, m: _mean(h, m).T, explainers.shape),
        Misconception(
            "first-token", "This is the vector of the first token alone: [CLS] in a BERT, or padding where that "
            "stands in front.",
            "All real tokens have their share: a sum along axis 1, and a count.",
            lambda h, m: h[:, 0], explainers.entry),
        Misconception(
            "first-real-token", "This is the vector of the first real token alone.",
            "All real tokens have their share: a sum along axis 1, and a count.",
            lambda h, m: _at(h, m.int().argmax(1)), explainers.entry),
        Misconception(
            "last-token", "This is the vector of the token in the last place alone, real or padding.",
            "All real tokens have their share: a sum along axis 1, and a count.",
            lambda h, m: h[:, -1], explainers.entry),
        Misconception(
            "last-real-token", "One token alone was read: the last real one, or the one in place n - 1, where the last "
            "of n real tokens stands if padding is behind.",
            "All real tokens have their share: a sum along axis 1, and a count.",
            (lambda h, m: _at(h, _last_place(m)), lambda h, m: _at(h, m.sum(1) - 1)), explainers.entry),
        Misconception(
            "first-n", "The first n tokens were averaged, n being the number of real ones. These are the real ones "
            "only where all padding is behind.",
            "The mask says which tokens are real, not only how many: multiply by it, or choose with it, item by item.",
            (_rows(lambda h, m: h[:m.sum()].mean(0)),), explainers.entry),
        Misconception(
            "last-n", "The last n tokens were averaged, n being the number of real ones. These are the real ones only "
            "where all padding is in front.",
            "The mask says which tokens are real, not only how many: multiply by it, or choose with it, item by item.",
            (_rows(lambda h, m: h[len(h) - m.sum():].mean(0)),), explainers.entry),
        Misconception(
            "up-to-the-last", "Everything up to the last real token was averaged: padding in front of it, or in gaps, "
            "went in too.",
            "The mask says for each token whether it is real: multiply by it, or choose with it, item by item.",
            (_rows(lambda h, m: h[:m.nonzero().max() + 1].mean(0)),), explainers.entry),
        Misconception(
            "token-left-out", "The first token was left out, or the first and the last: here every token where the "
            "mask is True counts.",
            "Which tokens are real is said by mask alone; use all of its T places.",
            (*_without_ends(None), *_without_ends(-1)), explainers.entry),
        Misconception(
            "maximum", "This is the largest number of each feature, not the mean.",
            "A sum, divided by a count.",
            (lambda h, m: _filled(h, m, -_INF).amax(1), lambda h, m: h.amax(1), lambda h, m: _filled(h, m).amax(1),
             lambda h, m: _filled(h, m, -1e9).amax(1)), explainers.entry),
        Misconception(
            "filled-like-scores", "Padded tokens were filled with -inf, NaN or a huge negative number, and that went "
            "into the mean.",
            "-inf hides a score, since exp(-inf) = 0. In a sum it is 0 that adds nothing.",
            tuple(mean for value in (-_INF, -1e9, -1e4, float("nan"), torch.finfo(torch.float32).min) for mean in (
                lambda h, m, v=value: _filled(h, m, v).mean(1),
                lambda h, m, v=value: _filled(h, m, v).sum(1) / _count(m))), explainers.entry),
        Misconception(
            "softmax", "A softmax is at work here; but all real tokens count the same, and padding not at all.",
            "The share of a real token is 1 / n: a sum, divided by a count.",
            (_mask_weights, lambda h, m: _mean(h, m).softmax(-1), lambda h, m: (h.softmax(1) * h).sum(1),
             lambda h, m: (_filled(h, m, -_INF).softmax(1) * h).sum(1), lambda h, m: _mean(h.softmax(-1), m)),
            explainers.entry),
        Misconception(
            "normalised", "The mean was brought to length 1 at the end.",
            "That is a step of its own, for comparing texts; here the mean itself is wanted.",
            lambda h, m: F.normalize(_mean(h, m), dim=-1), explainers.entry),
        Misconception(
            "tokens-normalised", "Each token was brought to length 1 before the mean.",
            "Take the tokens as they are: a long vector has more weight in the mean, and may have it.",
            lambda h, m: _mean(F.normalize(h, dim=-1), m), explainers.entry),
        Misconception(
            "large-epsilon", "The number that keeps the division from 0 / 0 is so large that it changes the mean.",
            "Every item has a real token here, so you can do without it; 1e-9 would be small enough.",
            tuple(_counted_by(lambda h, m, e=e: _count(m) + e) for e in (1, 0.1, 1e-2, 1e-3))
            + (_counted_by(lambda h, m: _count(m).clamp(min=2)),), explainers.entry),
        Misconception(
            "one-less", "The sum was divided by n - 1: one real token was not counted.",
            "n tokens, n shares: n - 1 belongs to a variance. (If a guard keeps it from 0, leave that out too.)",
            (_counted_by(lambda h, m: _count(m) - 1), _counted_by(lambda h, m: (_count(m) - 1).clamp(min=1))),
            explainers.entry),
        Misconception(
            "divided-by-root", "The sum was divided by the square root of the number of real tokens.",
            "Divide by the number itself; the root belongs to the scores of attention.",
            _counted_by(lambda h, m: _count(m).to(h.dtype).sqrt()), explainers.entry),
        Misconception(
            "divided-twice", "The sum was divided twice: by the number of real tokens, and once more. (mean(dim=1) "
            "divides too, by T.)",
            "Take the sum, not the mean, and divide it by the number of real tokens.",
            (lambda h, m: _filled(h, m).mean(1) / _count(m), lambda h, m: _mean(h, m) / _count(m)), explainers.entry),
        Misconception(
            "divided-by-features", "The sum was divided by C, the number of features.",
            "A mean of n tokens is their sum divided by n: mask.sum(dim=1, keepdim=True).",
            (_counted_by(lambda h, m: h.size(-1)), _counted_by(lambda h, m: _count(m) * h.size(-1))), explainers.entry),
        Misconception(
            "zeros-not-counted", "Numbers that are not 0 were counted, not tokens: a real token may well have a "
            "feature that is 0.",
            "The count comes from the mask alone: mask.sum(dim=1, keepdim=True).",
            (_counted_by(lambda h, m: (_filled(h, m) != 0).sum(1)), _counted_by(lambda h, m: (h != 0).sum(1)),
             _counted_by(lambda h, m: (_filled(h, m) != 0).sum(1).clamp(min=1)),
             _counted_by(lambda h, m: (_filled(h, m) != 0).sum(1).clamp(min=1e-9)),
             lambda h, m: h.sum(1) / (h != 0).sum(1)), explainers.entry),
        Misconception(
            "whole-numbers", "Something was rounded to whole numbers: // does that, and so do long(), int() and "
            "round().",
            "Divide with /, which keeps the fraction.",
            (lambda h, m: _sum(h, m) // _count(m), lambda h, m: torch.div(_sum(h, m), _count(m), rounding_mode="trunc"),
             lambda h, m: _mean(h, m).round(), lambda h, m: _mean(h.long(), m),
             lambda h, m: _sum(h, m).long() / _count(m), lambda h, m: _mean(h, m).long(),
             lambda h, m: _sum(h, m).long() // _count(m)), explainers.entry),
        Misconception(
            "mask-not-lined-up", "mask (B, T) does not line up with hidden (B, T, C): shapes are compared from the "
            "right, and there T meets C.",
            "Give the mask an axis of size 1 at the end: mask.unsqueeze(-1), or mask[..., None], is (B, T, 1).",
            tuple(lambda h, m, use=use, axis=axis: _mean(use(h, axis(m)), m)
                  for use in (lambda h, m: h * m, lambda h, m: h.masked_fill(~m, 0.0),
                              lambda h, m: torch.where(m, h, 0.0), lambda h, m: h.where(m, 0.0))
                  for axis in (lambda m: m, lambda m: m.unsqueeze(1), lambda m: m.unsqueeze(0)))),
        Misconception(
            "count-not-lined-up", "The count (B,) does not line up with the sum (B, C): shapes are compared from the "
            "right, and there B meets C.",
            "Keep the summed axis: mask.sum(dim=1, keepdim=True) is (B, 1), and serves all features of an item.",
            _counted_by(lambda h, m: m.sum(1))),
        Misconception(
            "counted-along-the-batch", "The mask was summed along axis 0, the batch: that counts the items in which "
            "each place is real, (T,).",
            "Count the tokens of each item, axis 1: mask.sum(dim=1, keepdim=True) is (B, 1).",
            (_counted_by(lambda h, m: m.sum(0)), _counted_by(lambda h, m: m.sum(0, keepdim=True)),
             _counted_by(lambda h, m: m.sum(0).unsqueeze(-1)),
             _counted_by(lambda h, m: m.sum(0).clamp(min=1)))),
        Misconception(
            "three-axes-divided", "The sum (B, C) was divided by a count with three axes, (B, 1, 1): each sum met the "
            "counts of all items, and one axis too many came out.",
            "The sum has two axes, so the count needs two: mask.sum(dim=1, keepdim=True) is (B, 1).",
            _counted_by(lambda h, m: _count(m).unsqueeze(-1)), explainers.shape),
)
