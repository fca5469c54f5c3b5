"""Right answers to exercise 5.6, in many styles: the checker must accept all of them."""

import math

import torch
import torch.nn.functional as F

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def expanded_before_it_is_flattened(q, k, v, mask):
    B, H, _, D = q.shape
    q, k, v = (z.flatten(0, 1) for z in (q, k, v))
    mask = mask[:, None].expand(-1, H, -1, -1).flatten(0, 1)
    weights = (q @ k.mT / math.sqrt(D)).masked_fill(~mask, -math.inf).softmax(-1)
    return (weights @ v).unflatten(0, (B, H)), weights.unflatten(0, (B, H))


@right
def heads_outermost_everywhere(q, k, v, mask):
    B, H, _, D = q.shape
    q, k, v = (z.transpose(0, 1).flatten(0, 1) for z in (q, k, v))
    mask = mask.repeat(H, 1, 1)
    weights = (q @ k.mT / math.sqrt(D)).masked_fill(~mask, -math.inf).softmax(-1)
    return tuple(z.unflatten(0, (H, B)).transpose(0, 1) for z in (weights @ v, weights))


@right
def four_axes_all_along(q, k, v, mask):
    scores = torch.einsum("bhtd,bhsd->bhts", q, k) / q.size(-1) ** 0.5
    weights = torch.where(mask[:, None], scores, -torch.inf).softmax(dim=-1)
    return weights @ v, weights


@right
def item_by_item(q, k, v, mask):
    pairs = []
    for item in zip(q, k, v, mask, strict=True):
        queries, keys, values, allowed = item
        scores = queries @ keys.mT / math.sqrt(queries.size(-1))
        weights = scores.masked_fill(~allowed, -math.inf).softmax(-1)
        pairs.append((weights @ values, weights))
    return tuple(torch.stack(each) for each in zip(*pairs, strict=True))


@right
def with_sdpa(q, k, v, mask):
    B, H, _, D = q.shape
    mask = torch.stack([table for table in mask for _ in range(H)])
    flat = [z.reshape(B * H, -1, D) for z in (q, k, v)]
    keys = torch.eye(k.size(-2)).expand(B * H, -1, -1)
    out = F.scaled_dot_product_attention(*flat, attn_mask=mask)
    weights = F.scaled_dot_product_attention(*flat[:2], keys, attn_mask=mask)
    return out.view(B, H, -1, D), weights.view(B, H, -1, k.size(-2))
