"""Right answers to exercise 5.4, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import math
from collections import namedtuple

import torch
import torch.nn.functional as F

from exercises.common.heads.answers_parts import cut, join
from feedback.bank import RightAnswers

right = RightAnswers()


Attended = namedtuple("Attended", ["out", "weights"])


@right
def cross_by_the_formula(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), dim=-1)
    return out_proj(join(weights @ v)), weights


@right
def cross_with_nothing_but_views(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    B, T, C = x.shape
    S = context.shape[1]
    D = C // num_heads
    q = q_proj(x).view(B, T, num_heads, D).transpose(1, 2)
    k = k_proj(context).view(B, S, num_heads, D).transpose(1, 2)
    v = v_proj(context).view(B, S, num_heads, D).transpose(1, 2)
    scores = torch.matmul(q, k.transpose(2, 3)) * D**-0.5
    weights = F.softmax(scores, dim=3)
    out = (weights @ v).transpose(1, 2).contiguous().view(B, T, C)
    return out_proj(out), weights


@right
def cross_by_einsum(x, context, wq, wk, wv, wo, num_heads):
    q, k, v = (z.unflatten(-1, (num_heads, -1)) for z in (wq(x), wk(context), wv(context)))
    weights = (torch.einsum("bthd,bshd->bhts", q, k) / q.shape[-1] ** 0.5).softmax(-1)
    return wo(torch.einsum("bhts,bshd->bthd", weights, v).flatten(2)), weights


@right
def cross_by_sdpa_beside_the_weights(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    out = F.scaled_dot_product_attention(q, k, v)
    return out_proj(join(out)), (q @ k.mT * q.shape[-1] ** -0.5).softmax(-1)


@right
def cross_by_one_sdpa(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    one = torch.eye(k.size(2), dtype=x.dtype).expand(*k.shape[:2], -1, -1)
    return out_proj(join(F.scaled_dot_product_attention(q, k, v))), F.scaled_dot_product_attention(q, k, one)


@right
def cross_in_a_loop_over_chunks(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    outs, weights = [], []
    parts = (q_proj(x), k_proj(context), v_proj(context))
    for q, k, v in zip(*(z.chunk(num_heads, dim=-1) for z in parts), strict=True):
        weights.append(torch.softmax(q @ k.mT / math.sqrt(q.size(-1)), dim=-1))
        outs.append(weights[-1] @ v)
    return out_proj(torch.cat(outs, dim=-1)), torch.stack(weights, dim=1)


@right
def cross_with_heads_in_the_batch(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = (cut(z, num_heads).flatten(0, 1) for z in (q_proj(x), k_proj(context), v_proj(context)))
    weights = torch.softmax(torch.bmm(q, k.transpose(1, 2)) / q.size(2) ** 0.5, dim=-1)
    out = torch.bmm(weights, v).unflatten(0, (-1, num_heads))
    return out_proj(join(out)), weights.unflatten(0, (-1, num_heads))


@right
def cross_by_torchs_own_function(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, source = x.transpose(0, 1), context.transpose(0, 1)
    out, weights = F.multi_head_attention_forward(
        q,
        source,
        source,
        x.size(2),
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
        average_attn_weights=False,
    )
    return out.transpose(0, 1), weights


@right
def cross_with_keys_and_values_from_one_layer(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    both = F.linear(context, torch.cat([k_proj.weight, v_proj.weight]), torch.cat([k_proj.bias, v_proj.bias]))
    k, v = (cut(z.contiguous(), num_heads) for z in both.chunk(2, dim=-1))
    weights = (cut(q_proj(x), num_heads) @ k.mT / math.sqrt(k.size(-1))).softmax(-1)
    return out_proj(join(weights @ v)), weights


@right
def cross_in_place_on_its_own_tensors(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q = cut(q_proj(x), num_heads)
    q *= q.size(-1) ** -0.5
    weights = q @ cut(k_proj(context), num_heads).mT
    weights = (weights - weights.amax(-1, keepdim=True)).exp()
    weights = weights / weights.sum(-1, keepdim=True)
    return out_proj(join(weights @ cut(v_proj(context), num_heads))), weights


@right
def cross_item_by_item(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    outs, weights = [], []
    for a, c in zip(x, context, strict=True):
        q, k, v = (z.view(len(z), num_heads, -1).transpose(0, 1) for z in (q_proj(a), k_proj(c), v_proj(c)))
        w = (q @ k.mT / q.size(-1) ** 0.5).softmax(-1)
        outs.append(out_proj((w @ v).transpose(0, 1).flatten(1)))
        weights.append(w)
    return torch.stack(outs), torch.stack(weights)


@right.limited
def cross_by_broadcast_sums(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = (cut(z, num_heads) for z in (q_proj(x), k_proj(context), v_proj(context)))
    scores = (q[:, :, :, None] * k[:, :, None]).sum(-1) / math.sqrt(q.shape[-1])
    weights = torch.exp(scores) / torch.exp(scores).sum(-1, keepdim=True)
    return out_proj(join((weights[..., None] * v[:, :, None]).sum(3))), weights


@right
def cross_with_the_root_on_both_sides(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    root = (x.shape[-1] // num_heads) ** 0.25
    q, k = cut(q_proj(x), num_heads) / root, cut(k_proj(context), num_heads) / root
    weights = (q @ k.mT).softmax(-1)
    return out_proj(join(weights @ cut(v_proj(context), num_heads))), weights


@right
def cross_with_out_proj_summed_over_heads(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = (torch.stack(z.chunk(num_heads, -1), 1) for z in (q_proj(x), k_proj(context), v_proj(context)))
    weights = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
    out = out_proj.bias
    for h, columns in enumerate(out_proj.weight.chunk(num_heads, dim=1)):
        out = out + weights[:, h] @ v[:, h] @ columns.T
    return out, weights


@right
def cross_as_a_namedtuple_in_float64(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = (cut(z, num_heads).double() for z in (q_proj(x), k_proj(context), v_proj(context)))
    weights = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
    print(weights.shape)
    return Attended(out_proj(join(weights @ v).to(x.dtype)), weights.to(x.dtype))


@right
def cross_as_attention_with_a_helper(x, context, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    def attention(q, k, v):
        weights = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
        return weights @ v, weights

    out, weights = attention(
        *[cut(layer(z), num_heads) for layer, z in ((q_proj, x), (k_proj, context), (v_proj, context))]
    )
    return out_proj(torch.cat([*out.unbind(1)], -1)), weights
