"""The course's answer to exercise 14.3."""

import math

import torch


def translate(theirs):
    H, C = theirs.heads, theirs.proj.weight.size(0)
    D = C // H
    state = {"out_proj.weight": theirs.proj.weight, "out_proj.bias": torch.zeros(C)}
    for kind, fused in (("weight", theirs.qkv.weight), ("bias", theirs.qkv.bias)):
        q, k, v = fused.unflatten(0, (H, 3, D)).unbind(1)  # (H, D, C) each, or (H, D)
        q = q * math.sqrt(D)  # ours divides by sqrt(D), theirs does not
        for name, part in (("q_proj", q), ("k_proj", k), ("v_proj", v)):
            state[f"{name}.{kind}"] = part.flatten(0, 1)
    return state
