"""Answers to exercise 12.1 with two mistakes at once: naming either is true, naming a third is not."""

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("plain-mean", "larger-lse")
def half_with_the_larger_lse(out_a, lse_a, out_b, lse_b):
    return 0.5 * out_a + 0.5 * out_b, torch.maximum(lse_a, lse_b)


@both("outs-added", "lse-added")
def everything_added(out_a, lse_a, out_b, lse_b):
    return out_a + out_b, lse_a + lse_b


@both("not-divided", "base-not-added")
def neither_divided_nor_moved_back(out_a, lse_a, out_b, lse_b):
    top = torch.maximum(lse_a, lse_b)
    a, b = torch.exp(lse_a - top), torch.exp(lse_b - top)
    return a.unsqueeze(-1) * out_a + b.unsqueeze(-1) * out_b, torch.log(a + b)


@both("overflow", "sum-returned")
def plain_exp_and_its_sum(out_a, lse_a, out_b, lse_b):
    a, b = torch.exp(lse_a), torch.exp(lse_b)
    return (a.unsqueeze(-1) * out_a + b.unsqueeze(-1) * out_b) / (a + b).unsqueeze(-1), a + b
