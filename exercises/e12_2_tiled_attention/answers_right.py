"""Right answers to exercise 12.2, in as many styles as learners have: the checker must accept all of them."""

import math

import torch
import torch.nn.functional as F

from feedback.bank import RightAnswers

right = RightAnswers()


def joined(out_a, lse_a, out_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    return (lse_a - lse).exp()[..., None] * out_a + (lse_b - lse).exp()[..., None] * out_b, lse


@right
def tiles_merged_two_by_two(q, k, v, tile, causal=False):
    out = lse = None
    i = torch.arange(q.size(-2)).unsqueeze(1)
    for n, (part_k, part_v) in enumerate(zip(k.split(tile, -2), v.split(tile, -2), strict=True)):
        scores = q @ part_k.mT / q.size(-1) ** 0.5
        if causal:
            scores = torch.where(n * tile + torch.arange(part_k.size(-2)) <= i, scores, -1e9)
        new, new_lse = scores.softmax(-1) @ part_v, scores.logsumexp(-1)
        out, lse = (new, new_lse) if out is None else joined(out, lse, new, new_lse)
    return out, lse


@right
def tiles_online_with_query_tiles(q, k, v, tile, causal=False):
    outs, lses = [], []
    for top in range(0, q.size(2), tile):
        rows = q[:, :, top : top + tile] / math.sqrt(q.size(3))
        m = torch.full(rows.shape[:3], float("-inf"), dtype=q.dtype)
        d, acc = torch.zeros_like(m), torch.zeros_like(rows)
        for start in range(0, k.size(2), tile):
            if causal and start >= top + tile:
                break
            s = torch.einsum("bhtd,bhsd->bhts", rows, k[:, :, start : start + tile])
            if causal:
                i, j = torch.arange(top, top + s.size(2)), torch.arange(start, start + s.size(3))
                s = s.masked_fill(i[:, None] < j[None], float("-inf"))
            m_new = torch.max(m, s.max(-1).values)
            p = torch.exp(s - m_new.unsqueeze(-1))
            alpha = torch.exp(m - m_new)
            d = d * alpha + p.sum(-1)
            acc = acc * alpha.unsqueeze(-1) + p @ v[:, :, start : start + tile]
            m = m_new
        outs.append(acc / d.unsqueeze(-1))
        lses.append(m + torch.log(d))
    return torch.cat(outs, 2), torch.cat(lses, 2)


@right
def tiles_in_two_passes(q, k, v, tile, causal=False):
    S, T = k.size(-2), q.size(-2)

    def scores(start):
        s = q @ k[..., start : start + tile, :].transpose(-1, -2) * q.size(-1) ** -0.5
        late = torch.arange(start, min(start + tile, S)) > torch.arange(T)[:, None]
        return s.masked_fill(late, -torch.inf) if causal else s

    starts = range(0, S, tile)
    top = torch.stack([scores(start).amax(-1) for start in starts]).amax(0).detach()
    total = sum((scores(start) - top[..., None]).exp().sum(-1) for start in starts)
    lse = top + total.log()
    out = sum((scores(start) - lse[..., None]).exp() @ v[..., start : start + tile, :] for start in starts)
    return out, lse


@right
def tiles_divided_each_time_and_multiplied_back(q, k, v, tile, causal=False):
    m = torch.full_like(q[..., 0], -torch.inf)
    d, out = torch.zeros_like(m), torch.zeros_like(q)
    for start in range(0, k.shape[2], tile):
        s = q @ k[:, :, start : start + tile].transpose(2, 3) / q.shape[3] ** 0.5
        if causal:
            hidden = torch.ones(s.shape[2:], dtype=torch.bool).triu(1 - start)
            s = s.masked_fill(hidden, -torch.inf)
        m_new = torch.maximum(m, s.amax(-1))
        p = (s - m_new[..., None]).exp()
        d_new = d * (m - m_new).exp() + p.sum(-1)
        out = out * (d * (m - m_new).exp() / d_new)[..., None] + p @ v[:, :, start : start + tile] / d_new[..., None]
        m, d = m_new, d_new
    return out, m + d.log()


@right
def tiles_collected_and_weighed_at_the_end(q, k, v, tile, causal=False):
    outs, lses = [], []
    for start in range(0, k.size(-2), tile):
        s = q @ k[..., start : start + tile, :].mT / math.sqrt(k.size(-1))
        if causal:
            s = s + (torch.arange(start, start + s.size(-1)) > torch.arange(s.size(-2))[:, None]) * -1e9
        outs.append(s.softmax(-1) @ v[..., start : start + tile, :])
        lses.append(s.logsumexp(-1))
    lse = torch.stack(lses).logsumexp(0)
    out = sum((each - lse).exp()[..., None] * part for each, part in zip(lses, outs, strict=True))
    return out, lse


@right
def tiles_each_by_the_fused_kernel(q, k, v, tile, causal=False):
    out = lse = None
    for start in range(0, k.size(2), tile):
        key, value = k[:, :, start : start + tile], v[:, :, start : start + tile]
        seen = torch.arange(start, start + key.size(2)) <= torch.arange(q.size(2))[:, None]
        bias = torch.zeros(seen.shape, dtype=q.dtype).masked_fill(~seen, -1e9 if causal else 0.0)
        new = F.scaled_dot_product_attention(q, key, value, attn_mask=bias)
        new_lse = (q @ key.mT / q.size(3) ** 0.5 + bias).logsumexp(-1)
        out, lse = (new, new_lse) if out is None else joined(out, lse, new, new_lse)
    return out, lse


@right
def tiles_in_float64_key_by_key_in_a_tile(q, k, v, tile, causal=False):
    T, S, D = q.size(-2), k.size(-2), q.size(-1)
    x, y, z = q.double(), k.double(), v.double()
    m = torch.full(q.shape[:-1], -torch.inf, dtype=torch.float64)
    d, acc = torch.zeros_like(m), torch.zeros_like(x)
    for start in range(0, S, tile):
        for j in range(start, min(start + tile, S)):
            s = (x * y[..., j : j + 1, :]).sum(-1) / D**0.5
            if causal:
                s = s.masked_fill(torch.arange(T) < j, -torch.inf)
            new = torch.maximum(m, s)
            a, p = (m - new).exp(), (s - new).exp()
            d, acc, m = d * a + p, acc * a[..., None] + p[..., None] * z[..., j : j + 1, :], new
    return (acc / d[..., None]).to(q.dtype), (m + d.log()).to(q.dtype)
