"""Weight conversion to and from other implementations of attention: the same numbers under other names.

torch         torch.nn.MultiheadAttention: q, k and v stacked in one in_proj_weight
labml         labml.ai's MultiHeadAttention, which wants (T, B, C)
annotated     The Annotated Transformer's MultiHeadedAttention: a list of four layers
bentrevett    Ben Trevett's SelfAttention: w_q, w_k, w_v, fc
huggingface   transformers' BertAttention, without its LayerNorm
"""

import torch

OURS = ("q_proj", "k_proj", "v_proj", "out_proj")
NAMES = {
    "torch": ("in_proj_0", "in_proj_1", "in_proj_2", "out_proj"),  # the first three after in_proj_* is cut in three
    "labml": ("query.linear", "key.linear", "value.linear", "output"),
    "annotated": ("linears.0", "linears.1", "linears.2", "linears.3"),
    "bentrevett": ("w_q", "w_k", "w_v", "fc"),
    "huggingface": ("self.query", "self.key", "self.value", "output.dense"),
}


def to_ours(state, layout):
    """Rename foreign weights so that `MultiHeadAttention.load_state_dict` takes them.

    Shapes: all weights (C, C), biases (C,); torch's in_proj_weight (3C, C), in_proj_bias (3C,)
    Errors: ValueError if the layout is unknown, or a weight is missing or unexpected
    Source: notebook 05
    """
    names = _names(layout)
    _require_weights(state, ("in_proj", "out_proj") if layout == "torch" else names, layout)
    return _renamed(_cut(state) if layout == "torch" else state, dict(zip(names, OURS, strict=True)))


def from_ours(state, layout):
    """Rename the weights of a `MultiHeadAttention` so that the foreign module takes them.

    Shapes: as in `to_ours`
    Errors: ValueError if the layout is unknown, or a weight is missing or unexpected
    Source: notebook 05
    """
    names = _names(layout)
    _require_weights(state, OURS, "MultiHeadAttention")
    renamed = _renamed(state, dict(zip(OURS, names, strict=True)))
    return _stacked(renamed) if layout == "torch" else renamed


def torch_mask(mask, num_heads=1):
    """The mask as torch.nn.MultiheadAttention wants it: True = blocked.

    Shapes: (T, S) -> (T, S); (B, 1 or H, T, S) -> (B * H, T, S), with num_heads = H
    Errors: TypeError if mask is not bool; ValueError for any other number of axes
    Source: notebook 05
    """
    if mask.dtype != torch.bool:
        raise TypeError(f"mask must be bool (True = may attend), got {mask.dtype}")
    if mask.dim() == 2:
        return ~mask
    if mask.dim() != 4 or mask.size(1) not in (1, num_heads):
        raise ValueError(f"mask must be (T, S) or (B, 1 or {num_heads}, T, S), got {tuple(mask.shape)}")
    return ~mask.expand(-1, num_heads, -1, -1).flatten(0, 1)  # (B, H, T, S) -> (B * H, T, S)


def _names(layout):
    if layout not in NAMES:
        raise ValueError(f"layout must be one of {', '.join(NAMES)}, got {layout!r}")
    return NAMES[layout]


def _require_weights(state, layers, owner):
    """Raise unless state holds a weight for every layer, a bias for all of them or for none, and nothing else."""
    weights, biases = (
        [f"{layer}{'_' if layer == 'in_proj' else '.'}{kind}" for layer in layers] for kind in ("weight", "bias")
    )
    needed = weights + (biases if any(name in state for name in biases) else [])
    missing = [name for name in needed if name not in state]
    if missing:
        found = ", ".join(list(state)[:4]) or "nothing"
        raise ValueError(
            f"these weights do not look like {owner}'s: {missing[0]} is missing, found {found}"
            + (", ..." if len(state) > 4 else "")
            + (
                "; keys of their own width (kdim, vdim) have no counterpart here"
                if owner == "torch" and "q_proj_weight" in state
                else ""
            )
        )
    extra = [
        name
        for name in state
        if name not in needed and not (owner == "huggingface" and name.startswith("output.LayerNorm."))
    ]
    if extra:
        raise ValueError(
            f"{extra[0]} has no counterpart, only {needed[0]} to {needed[-1]}; "
            "pass the weights of one plain attention alone"
        )


def _renamed(state, names):
    """The layers of `names` under their new names."""
    new = {f"{old}.{kind}": f"{new}.{kind}" for old, new in names.items() for kind in ("weight", "bias")}
    return {new[name]: tensor for name, tensor in state.items() if name in new}


def _cut(state):
    """torch's stacked in_proj_weight and in_proj_bias, cut into those of q, k and v."""
    cut = {}
    for name, tensor in state.items():
        if name in ("in_proj_weight", "in_proj_bias"):
            kind = name.removeprefix("in_proj_")
            cut |= {f"in_proj_{i}.{kind}": part for i, part in enumerate(tensor.chunk(3))}  # (3C, ...) -> 3 x (C, ...)
        else:
            cut[name] = tensor
    return cut


def _stacked(state):
    """The inverse of `_cut`."""
    stacked = {name: tensor for name, tensor in state.items() if not name.startswith("in_proj_")}
    for kind in ("weight", "bias"):
        parts = [state[f"in_proj_{i}.{kind}"] for i in range(3) if f"in_proj_{i}.{kind}" in state]
        if parts:
            stacked[f"in_proj_{kind}"] = torch.cat(parts)  # 3 x (C, ...) -> (3C, ...)
    return stacked
