"""Answers to exercise 11.4 with two mistakes at once: the checker may name either, and no third."""

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("clamped", "mask-before-the-cap")
def hidden_then_clamped(scores, cap, mask):
    return scores.masked_fill(~mask, float("-inf")).clip(-cap, cap)


@both("not-multiplied", "mask-before-the-cap")
def hidden_then_tanh(scores, cap, mask):
    return torch.tanh(scores.masked_fill(~mask, float("-inf")) / cap)


@both("not-divided", "mask-inverted")
def undivided_and_inverted(scores, cap, mask):
    return torch.where(mask, float("-inf"), cap * torch.tanh(scores))


@both("not-multiplied", "hidden-scores-zero")
def unmultiplied_and_zeroed(scores, cap, mask):
    return (scores / cap).tanh() * mask


@both("not-multiplied", "mask-ignored")
def unmultiplied_and_unmasked(scores, cap, mask):
    return (scores / cap).tanh()


@both("not-capped", "hidden-scores-finite")
def filled_and_uncapped(scores, cap, mask):
    return torch.where(mask, scores, -1e9)


@both("sigmoid", "mask-ignored")
def by_a_sigmoid_and_unmasked(scores, cap, mask):
    return torch.sigmoid(scores / cap).mul(cap)


@both("clamped", "mask-inverted")
def clamped_and_inverted(scores, cap, mask):
    return scores.clamp(-cap, cap).masked_fill(mask, float("-inf"))
