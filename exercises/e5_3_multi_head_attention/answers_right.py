"""Right answers to exercise 5.3, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import math

import torch
import torch.nn.functional as F

from exercises.common.heads.answers_parts import cut, join
from feedback.bank import RightAnswers

right = RightAnswers()


@right
def multi_by_the_formula(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(x), num_heads), cut(v_proj(x), num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return out_proj(join(weights @ v)), weights


@right
def multi_with_nothing_but_views(x, wq, wk, wv, wo, heads, mask=None):
    B, T, C = x.shape
    D = C // heads
    q = wq(x).view(B, T, heads, D).permute(0, 2, 1, 3)
    k = wk(x).view(B, T, heads, D).permute(0, 2, 3, 1)
    v = wv(x).view(B, T, heads, D).permute(0, 2, 1, 3)
    scores = torch.matmul(q, k) * D**-0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    weights = F.softmax(scores, -1)
    out = torch.matmul(weights, v).permute(0, 2, 1, 3).contiguous().view(B, T, C)
    return wo(out), weights


@right
def multi_by_einsum(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (layer(x).unflatten(-1, (num_heads, -1)) for layer in (q_proj, k_proj, v_proj))
    scores = torch.einsum("bihd,bjhd->bhij", q, k) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = scores.softmax(-1)
    return out_proj(torch.einsum("bhij,bjhd->bihd", weights, v).flatten(2)), weights


@right
def multi_in_a_loop_over_slices(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = q_proj(x), k_proj(x), v_proj(x)
    D = x.shape[-1] // num_heads
    outs, weights = [], []
    for h in range(num_heads):
        part = slice(h * D, (h + 1) * D)
        scores = q[..., part] @ k[..., part].mT / math.sqrt(D)
        if mask is not None:
            full = mask.expand(x.shape[0], num_heads, x.shape[1], x.shape[1])
            scores = scores.masked_fill(~full[:, h], -torch.inf)
        w = scores.softmax(-1)
        outs.append(w @ v[..., part])
        weights.append(w)
    return out_proj(torch.cat(outs, -1)), torch.stack(weights, 1)


@right
def multi_by_sdpa_beside_the_weights(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = [cut(layer(x), num_heads) for layer in (q_proj, k_proj, v_proj)]
    visible = None if mask is None else torch.atleast_2d(mask)
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=visible)
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return out_proj(join(out)), scores.softmax(-1)


@right.limited
def multi_by_sdpa_with_the_bare_mask(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = [cut(layer(x), num_heads) for layer in (q_proj, k_proj, v_proj)]
    scores = q @ k.mT * q.shape[-1] ** -0.5
    weights = (scores if mask is None else scores.masked_fill(~mask, -1e9)).softmax(-1)
    return out_proj(join(F.scaled_dot_product_attention(q, k, v, attn_mask=mask))), weights


@right
def multi_with_an_additive_mask(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(layer(x), num_heads) for layer in (q_proj, k_proj, v_proj))
    bias = 0.0 if mask is None else torch.zeros(mask.shape, dtype=x.dtype).masked_fill(~mask, float("-inf"))
    weights = torch.softmax(q @ k.transpose(2, 3) / q.size(3) ** 0.5 + bias, dim=3)
    return out_proj(join(weights @ v)), weights


@right
def multi_with_minus_ten_thousand(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(layer(x), num_heads) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(2, 3) / q.size(3) ** 0.5
    if mask is not None:
        scores = scores + (1.0 - mask.to(scores.dtype)) * -10000.0
    weights = scores.softmax(dim=-1)
    return out_proj(join(weights @ v)), weights


@right
def multi_with_the_query_scaled_in_place(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q = cut(q_proj(x), num_heads)
    q /= math.sqrt(q.size(-1))
    scores = q @ cut(k_proj(x), num_heads).mT
    if mask is not None:
        scores.masked_fill_(~mask, float("-inf"))
    weights = (scores - scores.amax(-1, keepdim=True)).exp()
    weights = weights / weights.sum(-1, keepdim=True)
    return out_proj(join(weights @ cut(v_proj(x), num_heads))), weights


@right
def multi_with_heads_in_the_batch(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    B, T, C = x.shape
    q, k, v = (cut(layer(x), num_heads).reshape(B * num_heads, T, -1) for layer in (q_proj, k_proj, v_proj))
    scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(C / num_heads)
    if mask is not None:
        scores = scores.masked_fill(~mask.expand(B, num_heads, T, T).reshape(B * num_heads, T, T), -1e9)
    weights = torch.softmax(scores, dim=2)
    out = torch.bmm(weights, v).view(B, num_heads, T, -1)
    return out_proj(join(out)), weights.view(B, num_heads, T, T)


@right.limited
def multi_by_renormalizing(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(layer(x), num_heads) for layer in (q_proj, k_proj, v_proj))
    weights = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(-1, keepdim=True)
    return out_proj(join(weights @ v)), weights


@right
def multi_by_one_stacked_layer(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    layers = (q_proj, k_proj, v_proj)
    weight, bias = (torch.cat([getattr(layer, name) for layer in layers]) for name in ("weight", "bias"))
    q, k, v = F.linear(x, weight, bias).view(*x.shape[:2], 3, num_heads, -1).permute(2, 0, 3, 1, 4)
    if mask is None:
        mask = torch.ones(x.size(1), x.size(1), dtype=torch.bool)
    weights = (q @ k.mT / math.sqrt(q.size(-1))).masked_fill(~mask, -math.inf).softmax(-1)
    return out_proj(join(weights @ v)), weights


@right
def multi_with_out_proj_summed_over_heads(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (torch.stack(layer(x).chunk(num_heads, -1), 1) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.mT / math.sqrt(q.size(-1))
    weights = torch.softmax(scores if mask is None else scores.where(mask, -math.inf), -1)
    per_head = out_proj.weight.view(x.size(2), num_heads, -1)
    return torch.einsum("bhtd,chd->btc", weights @ v, per_head) + out_proj.bias, weights


@right
def multi_by_torchs_own_function(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    B, T, C = x.shape
    blocked = None
    if mask is not None:
        blocked = ~mask.expand(B, num_heads, T, T).reshape(B * num_heads, T, T)
    z = x.transpose(0, 1)
    out, weights = F.multi_head_attention_forward(
        z,
        z,
        z,
        C,
        num_heads,
        torch.cat([q_proj.weight, k_proj.weight, v_proj.weight]),
        torch.cat([q_proj.bias, k_proj.bias, v_proj.bias]),
        None,
        None,
        False,
        0.0,
        out_proj.weight,
        out_proj.bias,
        training=False,
        attn_mask=blocked,
        average_attn_weights=False,
    )
    return out.transpose(0, 1), weights


@right
def multi_item_by_item(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    B, T, C = x.shape
    full = torch.ones(B, num_heads, T, T, dtype=torch.bool) if mask is None else mask.expand(B, num_heads, T, T)
    outs, weights = [], []
    for item, visible in zip(x, full, strict=True):
        q, k, v = (layer(item).view(T, num_heads, -1).transpose(0, 1) for layer in (q_proj, k_proj, v_proj))
        w = (q @ k.mT / (C // num_heads) ** 0.5).masked_fill(~visible, -1e9).softmax(-1)
        outs.append(out_proj((w @ v).transpose(0, 1).reshape(T, C)))
        weights.append(w)
    return torch.stack(outs), torch.stack(weights)


@right
def multi_in_float64(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(layer(x), num_heads).double() for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.mT / math.sqrt(q.size(-1))
    weights = (scores if mask is None else scores.masked_fill(~mask, -1e300)).softmax(-1)
    return out_proj(join(weights @ v).to(x.dtype)), weights.to(x.dtype)


@right
def multi_query_by_query_with_extras(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None, *, verbose=True):
    q, k, v = (cut(layer(x), num_heads) for layer in (q_proj, k_proj, v_proj))
    B, H, T, D = q.shape
    weights = torch.zeros(B, H, T, T, dtype=x.dtype)
    for t in range(T):
        scores = (q[:, :, t, None] * k).sum(-1) / D**0.5
        if mask is not None:
            scores = scores.masked_fill(~mask.expand(B, H, T, T)[:, :, t], -1e30)
        weights[:, :, t] = torch.softmax(scores, -1)
    if verbose:
        print("weights", weights.shape)
    return out_proj(torch.cat((weights @ v).unbind(1), -1)), weights
