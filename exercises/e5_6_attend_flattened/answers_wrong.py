"""Wrong answers to exercise 5.6, each with the diagnosis that it must get."""

import math

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def attend(q, k, v, mask):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    weights = torch.where(mask, scores, -torch.inf).softmax(-1)
    return weights @ v, weights


@wrong("mask-of-another-item")
def masks_by_cat(q, k, v, mask):
    B, H = q.shape[:2]
    out, weights = attend(*(z.reshape(B * H, *z.shape[2:]) for z in (q, k, v)), torch.cat([mask] * H))
    return out.view_as(q), weights.view(B, H, *mask.shape[1:])


@wrong("one-mask-for-all")
def masks_of_item_0(q, k, v, mask):
    return attend(q, k, v, mask[0])


@wrong("one-mask-for-all")
def masks_joined(q, k, v, mask):
    return attend(q, k, v, mask.sum(dim=0) > 0)


@wrong("rows-unpacked-otherwise")
def viewed_by_heads(q, k, v, mask):
    B, H = q.shape[:2]
    q, k, v = (z.flatten(0, 1) for z in (q, k, v))
    out, weights = attend(q, k, v, torch.cat([mask] * H))
    return tuple(torch.stack([z[h * B : (h + 1) * B] for h in range(H)], dim=1) for z in (out, weights))


@wrong("inverted")
def where_the_other_way_round(q, k, v, mask):
    return attend(q, k, v, ~mask[:, None])


@wrong("no-mask")
def all_visible(q, k, v, mask):
    return attend(q, k, v, torch.ones_like(mask)[:, None])


@wrong()
def unscaled(q, k, v, mask):
    return attend(q * math.sqrt(q.size(-1)), k, v, mask[:, None])


@wrong()
def masks_rolled(q, k, v, mask):
    return attend(q, k, v, mask.roll(1, dims=0)[:, None])
