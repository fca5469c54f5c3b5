"""Latent attention without keys and values; test_ports_published.py compares its numbers and its cache."""

import torch

from exercises.common.sizes import LargestTensor
from helpers.latent import LatentAttention, absorbed_attention
from tests.unit.refusals import require_refused
from tests.unit.tensors import filled, random

B, H, T, D, E, R, P, C = 2, 3, 5, 11, 13, 4, 6, 17


def test_keys_and_values_are_never_made():
    q, latents, w_k, w_v = (torch.zeros(shape) for shape in [(2, 3, 2, 32), (2, 400, 4), (3, 32, 4), (3, 40, 4)])
    with LargestTensor() as largest:
        absorbed_attention(q, latents, w_k, w_v)
    assert largest.elements < 2 * 3 * 400 * 32 / 8


def module(**sizes):
    ours = {"query_rank": 7, "rank": R, "d_plain": D, "d_rotary": P, "d_value": E, "base": 77.0}
    return filled(LatentAttention(C, H, **(ours | sizes)))


Q, L, K, V = torch.zeros(1, 2, 3, 4), torch.zeros(1, 5, 6), torch.zeros(2, 4, 6), torch.zeros(2, 7, 6)


def test_errors_are_one_sentence():
    x, short = random(B, T, C), (random(B, 3, R), random(B, 2, P))
    require_refused(
        ("ValueError: q must be (B, H, T, W), latents (B, S, R), w_k", lambda: absorbed_attention(Q, L[0], K, V)),
        ("ValueError: q must have D + N = 3 features, as the keys", lambda: absorbed_attention(Q, L, K[:, :3], V)),
        ("ValueError: S is 5 in latents and 4 in shared", lambda: absorbed_attention(Q, L, K, V, L[:, :4])),
        ("TypeError: rank must be a whole number, got 4.0", lambda: module(rank=4.0)),
        ("ValueError: d_value must be at least 1, got 0", lambda: module(d_value=0)),
        ("ValueError: D must be even, since features are turned", lambda: module(d_rotary=5)(x)),
        ("ValueError: x must be (B, T, 17), got (5, 17)", lambda: module()(x[0])),
        ("TypeError: past must be (latents, keys), as it was", lambda: module()(x, random(B, T, R))),
        ("ValueError: past must hold latents (2, P, 4) and keys (2, P, 6)", lambda: module()(x, short)),
    )
