"""Answers to exercise 8.6 with two mistakes at once: naming either is true, naming a third is not."""

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("crossing-left-out", "order-not-restored")
def below_and_not_restored(logits, p):
    probs = logits.softmax(-1).sort(dim=-1, descending=True).values
    return logits.masked_fill(probs.cumsum(-1) > p, float("-inf"))


@both("crossing-left-out", "filled-with-zero")
def below_with_zeros(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    keep = probs.cumsum(-1) <= p
    return logits * keep.scatter(-1, order, keep)


@both("crossing-left-out", "sorted-returned")
def below_and_sorted(logits, p):
    ranked = logits.sort(dim=-1, descending=True).values
    return ranked.masked_fill(ranked.softmax(-1).cumsum(-1) > p, float("-inf"))


@both("not-sorted", "crossing-left-out")
def unsorted_and_below(logits, p):
    return torch.where(logits.softmax(-1).cumsum(-1) <= p, logits, float("-inf"))


@both("finite-fill", "crossing-left-out")
def low_number_and_below(logits, p):
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    remove = probs.cumsum(-1) > p
    return logits.masked_fill(remove.scatter(-1, order, remove), -1e10)
