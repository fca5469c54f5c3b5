"""Answers to exercise 12.2 with two mistakes at once: naming either is true, naming a third is not."""

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


def online(q, k, v, tile, causal, scale, rescale=True, whole=False):
    m = torch.full_like(q[..., 0], -torch.inf)
    d, acc = torch.zeros_like(m), torch.zeros_like(q)
    S = k.size(-2) // tile * tile if whole and tile <= k.size(-2) else k.size(-2)
    for start in range(0, S, tile):
        part = slice(start, min(start + tile, S))
        s = q @ k[..., part, :].mT * scale
        if causal:
            s = s.masked_fill(torch.arange(start, part.stop) > torch.arange(q.size(-2))[:, None], -torch.inf)
        new = torch.maximum(m, s.amax(-1))
        p, alpha = (s - new[..., None]).exp(), (m - new).exp() if rescale else torch.ones_like(new)
        d, acc, m = d * alpha + p.sum(-1), acc * alpha[..., None] + p @ v[..., part, :], new
    return acc, d, m


@both("no-scale", "maximum-not-added")
def unscaled_and_relative(q, k, v, tile, causal=False):
    acc, d, _ = online(q, k, v, tile, causal, 1.0)
    return acc / d[..., None], d.log()


@both("no-scale", "no-mask")
def unscaled_and_unmasked(q, k, v, tile, causal=False):
    acc, d, m = online(q, k, v, tile, False, 1.0)
    return acc / d[..., None], m + d.log()


@both("not-rescaled", "no-mask")
def stale_and_unmasked(q, k, v, tile, causal=False):
    acc, d, m = online(q, k, v, tile, False, q.size(-1) ** -0.5, rescale=False)
    return acc / d[..., None], m + d.log()


@both("not-divided", "maximum-as-lse")
def undivided_with_the_maximum(q, k, v, tile, causal=False):
    acc, _, m = online(q, k, v, tile, causal, q.size(-1) ** -0.5)
    return acc, m


@both("last-tile-dropped", "no-mask")
def whole_tiles_and_no_mask(q, k, v, tile, causal=False):
    acc, d, m = online(q, k, v, tile, False, q.size(-1) ** -0.5, whole=True)
    return acc / d[..., None], m + d.log()
