"""Answers to exercise 8.5 with two mistakes at once: naming either is true, naming a third is not."""

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("first-occurrence", "on-the-occurrence")
def on_the_first(weights, ids):
    words = ids.tolist()
    return torch.stack([weights[:, i, words.index(w)] for i, w in enumerate(words) if w in words[:i]]).mean(0)


@both("on-the-occurrence", "all-occurrences")
def on_all_that_are_alike(weights, ids):
    return weights[:, (ids[:, None] == ids).tril(-1)].mean(1)


@both("first-occurrence", "divided-by-all-positions")
def first_and_divided_by_all(weights, ids):
    words = ids.tolist()
    return sum(weights[:, i, words.index(w) + 1] for i, w in enumerate(words) if w in words[:i]) / len(words)


@both("rows-and-columns-exchanged", "sum-not-mean")
def exchanged_and_summed(weights, ids):
    seen, total = {}, 0
    for i, token in enumerate(ids.tolist()):
        if token in seen:
            total = total + weights[:, seen[token] + 1, i]
        seen[token] = i
    return total
