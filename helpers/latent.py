"""Multi-head latent attention: one short vector is cached for each token, from which all heads' keys and values come.

The keys need not even be computed, since a head's key matrix can act on its queries instead; nor need the values.
"""

import math

import torch
from torch import nn

from helpers import require
from helpers.attention import dot_product_attention
from helpers.grouped import grouped_attention
from helpers.heads import merge_heads, split_heads
from helpers.masks import causal_mask
from helpers.norms import RMSNorm
from helpers.relative_positions import rotate_halves


def absorbed_attention(q, latents, w_k, w_v, shared=None, mask=None):
    """Attention whose keys and values are linear in the latents, and are never computed.

    q . (w_k latent) = (w_k^T q) . latent, so all heads read the latents themselves: multi-query attention.

    Shapes: q (B, H, T, D), latents (B, S, R), w_k (H, D, R), w_v (H, E, R) -> out (B, H, T, E), weights (B, H, T, S)
            shared (B, S, N): features of the keys that do not come from the latents, the same for all heads; q then is
            (B, H, T, D + N)
            mask broadcastable to (B, H, T, S), True = may attend
    Units:  scores are divided by sqrt(D + N), the width of the keys that are not computed
    Errors: TypeError or ValueError if the tensors do not fit
    Source: DeepSeek-AI 2024, "DeepSeek-V2", section 2.1 and appendix C; notebook 10
    """
    _require_latents(q, latents, w_k, w_v, shared)
    own, rest = q.split([w_k.size(1), q.size(-1) - w_k.size(1)], dim=-1)  # (B, H, T, D), (B, H, T, N)
    moved = torch.cat([torch.einsum("bhtd,hdr->bhtr", own, w_k), rest], dim=-1)  # (B, H, T, R + N)
    read = latents if shared is None else torch.cat([latents, shared], dim=-1)  # (B, S, R + N)
    moved = moved * math.sqrt(moved.size(-1) / q.size(-1))  # grouped_attention divides by sqrt(R + N)
    out, weights = grouped_attention(moved, read[:, None], latents[:, None], mask)  # one group: (B, H, T, R)
    return torch.einsum("bhtr,her->bhte", out, w_v), weights


def _require_latents(q, latents, w_k, w_v, shared):
    """Require the queries, the latents, the heads' matrices and any shared keys to fit together."""
    pattern, tensors = "q B H T W, latents B S R, w_k H D R, w_v H E R", (q, latents, w_k, w_v)
    if shared is not None:
        pattern, tensors = f"{pattern}, shared B S N", (*tensors, shared)
    found = require.shapes(pattern, *tensors)
    width = found["D"] + found.get("N", 0)
    require.that(q.size(-1) == width, f"q must have D + N = {width} features, as the keys have", q.size(-1))


class LatentAttention(nn.Module):
    """Causal self-attention that caches a latent and one rotary key for each token, for all heads, as in DeepSeek-V3.

    Only this additional key is rotary: rotating the others would prevent absorbing w_k into the queries.

    Shapes: x (B, T, C) -> out (B, T, C), weights (B, H, T, P + T), past (latents, rotated keys),
            (B, P + T, rank) and (B, P + T, d_rotary)
            past: what an earlier call returned; x continues after it, and it may be continued more than once
    Units:  scores are divided by sqrt(d_plain + d_rotary); weights sum to 1 over P + T
    Errors: TypeError or ValueError if a size is invalid, or x or past do not fit
    Source: DeepSeek-AI 2024, section 2.1; notebook 10
    """

    def __init__(self, d_model, num_heads, *, query_rank, rank, d_plain, d_rotary, d_value, base=10000.0):
        super().__init__()
        require.sizes(d_model=d_model, num_heads=num_heads, query_rank=query_rank, rank=rank)
        require.sizes(d_plain=d_plain, d_rotary=d_rotary, d_value=d_value)
        self.num_heads, self.d_plain, self.base = num_heads, d_plain, base
        self.q_down, self.q_norm = nn.Linear(d_model, query_rank, bias=False), RMSNorm(query_rank)
        self.q_up = nn.Linear(query_rank, num_heads * (d_plain + d_rotary), bias=False)
        self.kv_down, self.kv_norm = nn.Linear(d_model, rank, bias=False), RMSNorm(rank)
        self.k_up = nn.Linear(rank, num_heads * d_plain, bias=False)
        self.v_up = nn.Linear(rank, num_heads * d_value, bias=False)
        self.k_rotary = nn.Linear(d_model, d_rotary, bias=False)
        self.out_proj = nn.Linear(num_heads * d_value, d_model, bias=False)

    def forward(self, x, past=None):
        q, latents, turned, mask = self._read(x, past)
        k = split_heads(self.k_up(latents), self.num_heads)  # (B, H, S, d_plain)
        k = torch.cat([k, turned[:, None].expand(-1, self.num_heads, -1, -1)], dim=-1)  # (B, H, S, d_plain + d_rotary)
        v = split_heads(self.v_up(latents), self.num_heads)  # (B, H, S, d_value)
        out, weights = dot_product_attention(q, k, v, mask)
        return self.out_proj(merge_heads(out)), weights, (latents, turned)

    def absorbed(self, x, past=None):
        """The same numbers, computed without keys and values.

        Shapes: as `LatentAttention`
        Source: DeepSeek-AI 2024, appendix C; notebook 10
        """
        q, latents, turned, mask = self._read(x, past)
        w_k, w_v = (up.weight.unflatten(0, (self.num_heads, -1)) for up in (self.k_up, self.v_up))  # (H, ..., R)
        out, weights = absorbed_attention(q, latents, w_k, w_v, turned, mask)
        return self.out_proj(merge_heads(out)), weights, (latents, turned)

    def _read(self, x, past):
        """The queries, all latents and rotated keys, and the mask, with which both methods begin."""
        B = require.fits(x, self.kv_down, "B T C")["B"]
        latents, turned = self.kv_norm(self.kv_down(x)), self.k_rotary(x)  # (B, T, R), (B, T, d_rotary)
        if past is not None:
            sizes = {"B": B, "R": latents.size(-1), "N": turned.size(-1)}
            require.past_of("latents B P R, keys B P N", past, **sizes)
        T, P = x.size(1), 0 if past is None else past[0].size(1)
        positions = torch.arange(P, P + T, device=x.device)
        turned = rotate_halves(turned, positions, self.base)
        q = split_heads(self.q_up(self.q_norm(self.q_down(x))), self.num_heads)  # (B, H, T, d_plain + d_rotary)
        plain, rotary = q[..., : self.d_plain], q[..., self.d_plain :]
        q = torch.cat([plain, rotate_halves(rotary, positions, self.base)], dim=-1)
        if past is not None:
            latents, turned = (torch.cat(pair, dim=1) for pair in zip(past, (latents, turned), strict=True))
        return q, latents, turned, causal_mask(T, x.device, past=P)
