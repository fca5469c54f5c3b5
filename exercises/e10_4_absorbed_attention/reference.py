"""The course's own answer to exercise 10.4."""

import math

import torch


def absorbed_attention(q, latents, w_k, w_v):
    """Attention to latents whose keys and values are never made.

    Shapes: q (B, H, T, D), latents (B, S, R), w_k (H, D, R), w_v (H, E, R)
            -> out (B, H, T, E), weights (B, H, T, S)
    Source: DeepSeek-V2, 2024; notebook 10
    """
    asked = torch.einsum("bhtd,hdr->bhtr", q, w_k)  # what q asks of a latent
    scores = asked @ latents[:, None].transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, S)
    weights = scores.softmax(dim=-1)
    read = weights @ latents[:, None]  # (B, H, T, R)
    return torch.einsum("bhtr,her->bhte", read, w_v), weights
