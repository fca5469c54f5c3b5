"""Right answers to exercise 14.3, in many styles: the checker must accept all of them."""

import math

import torch

from feedback.bank import RightAnswers
from helpers.heads import MultiHeadAttention

right = RightAnswers()


@right
def translate_by_indices(theirs):
    C, H = theirs.qkv.in_features, theirs.heads
    D = C // H
    rows = {p: [h * 3 * D + p * D + d for h in range(H) for d in range(D)] for p in range(3)}
    w, b = theirs.qkv.weight.detach(), theirs.qkv.bias.detach()
    return {
        "q_proj.weight": w[rows[0]] * D**0.5,
        "q_proj.bias": b[rows[0]] * D**0.5,
        "k_proj.weight": w[rows[1]],
        "k_proj.bias": b[rows[1]],
        "v_proj.weight": w[rows[2]],
        "v_proj.bias": b[rows[2]],
        "out_proj.weight": theirs.proj.weight.detach(),
        "out_proj.bias": torch.zeros(C),
    }


@right
def translate_with_larger_keys(theirs):
    """The factor may be in the keys as well; and the bias of the keys moves all scores of a query alike."""
    H, D = theirs.heads, theirs.proj.in_features // theirs.heads
    state = {}
    for kind in ("weight", "bias"):
        cut = [head.chunk(3) for head in getattr(theirs.qkv, kind).data.chunk(H)]
        q, k, v = (torch.cat([head[i] for head in cut]) for i in range(3))
        state |= {f"q_proj.{kind}": q, f"k_proj.{kind}": k * math.sqrt(D), f"v_proj.{kind}": v}
    return state | {"out_proj.weight": theirs.proj.weight.data, "out_proj.bias": theirs.proj.weight.new_zeros(H * D)}


@right
def translate_with_a_share_for_each(theirs):
    H, D = theirs.heads, theirs.proj.in_features // theirs.heads
    factors = torch.tensor([D**0.25, D**0.25, 1.0])
    weight = theirs.qkv.weight.view(H, 3, D, -1) * factors[:, None, None]
    bias = theirs.qkv.bias.view(H, 3, D) * factors[:, None]
    state = {}
    for i, name in enumerate("qkv"):
        state[f"{name}_proj.weight"] = weight[:, i].reshape(H * D, -1)
        state[f"{name}_proj.bias"] = bias[:, i].reshape(-1)
    state["out_proj.weight"], state["out_proj.bias"] = theirs.proj.weight, torch.zeros(H * D)
    return state


@right
def translate_by_filling_a_module(theirs):
    C, H = theirs.proj.weight.size(0), theirs.heads
    mine, D = MultiHeadAttention(C, H), C // H
    with torch.no_grad():
        for h in range(H):
            for p, layer in enumerate((mine.q_proj, mine.k_proj, mine.v_proj)):
                start = (3 * h + p) * D
                layer.weight[h * D : (h + 1) * D] = theirs.qkv.weight[start : start + D]
                layer.bias[h * D : (h + 1) * D] = theirs.qkv.bias[start : start + D]
        mine.q_proj.weight.mul_(math.sqrt(D))
        mine.q_proj.bias.mul_(math.sqrt(D))
        mine.out_proj.weight.copy_(theirs.proj.weight)
        mine.out_proj.bias.zero_()
    return mine.state_dict()


@right
def translate_by_the_names_of_theirs(theirs):
    state, H = {}, theirs.heads
    for name, tensor in theirs.state_dict().items():
        layer, kind = name.split(".")
        if layer == "proj":
            state[f"out_proj.{kind}"] = tensor
            continue
        D = len(tensor) // (3 * H)
        for p, part in enumerate(torch.stack(tensor.split(D)).unflatten(0, (H, 3)).unbind(1)):
            state[f"{'qkv'[p]}_proj.{kind}"] = part.flatten(0, 1) * (D**0.5 if p == 0 else 1)
    return {**state, "out_proj.bias": torch.zeros_like(state["q_proj.bias"])}
