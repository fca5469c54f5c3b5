"""Answers to exercise 12.3 with two mistakes at once: naming either is true, naming a third is not."""

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


def scaled(q, k):
    return q @ k.mT / q.size(-1) ** 0.5


@both("mean-not-subtracted", "gradients-not-scaled")
def like_exp_and_unscaled(q, k, v, out, lse, d_out):
    p = torch.exp(scaled(q, k) - lse.unsqueeze(-1))
    ds = p * (d_out @ v.mT)
    return ds @ k, ds.mT @ q, p.mT @ d_out


@both("softmax-skipped", "gradients-not-scaled")
def skipped_and_unscaled(q, k, v, out, lse, d_out):
    ds = torch.matmul(d_out, v.mT)
    return ds @ k, ds.mT @ q, torch.exp(scaled(q, k) - lse.unsqueeze(-1)).mT @ d_out


@both("not-normalized", "mean-not-subtracted")
def exp_alone_both_ways(q, k, v, out, lse, d_out):
    p = torch.exp(scaled(q, k))
    ds = p * (d_out @ v.mT) / q.size(-1) ** 0.5
    return ds @ k, ds.mT @ q, p.mT @ d_out


@both("averaged-over-features", "gradients-not-scaled")
def averaged_and_unscaled(q, k, v, out, lse, d_out):
    p = torch.exp(scaled(q, k) - lse.unsqueeze(-1))
    ds = p * (d_out @ v.mT - (out * d_out).mean(-1, keepdim=True))
    return ds @ k, ds.mT @ q, p.mT @ d_out


@both("weights-missing", "dv-from-d-weights")
def unweighted_and_dv_of_d_weights(q, k, v, out, lse, d_out):
    dp = d_out @ v.mT
    ds = (dp - (out * d_out).sum(-1, keepdim=True)) / q.size(-1) ** 0.5
    return ds @ k, ds.mT @ q, dp.mT @ d_out
