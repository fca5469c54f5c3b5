"""Weight conversion to and from other implementations of attention: the same numbers under other names.

torch         torch.nn.MultiheadAttention: q, k and v stacked in one in_proj_weight
labml         labml.ai's MultiHeadAttention, which wants (T, B, C)
annotated     The Annotated Transformer's MultiHeadedAttention: a list of four layers
bentrevett    Ben Trevett's SelfAttention: w_q, w_k, w_v, fc
huggingface   transformers' BertAttention, without its LayerNorm
"""

import torch

from helpers.require import require_layers, require_one_of

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
    Source: notebooks 05 and 14
    """
    require_one_of(NAMES, layout=layout)
    names = NAMES[layout]
    require_layers(state, ("in_proj", "out_proj") if layout == "torch" else names, layout)
    return _renamed(_cut(state) if layout == "torch" else state, dict(zip(names, OURS, strict=True)))


def from_ours(state, layout):
    """Rename the weights of a `MultiHeadAttention` so that the foreign module takes them.

    Shapes: as in `to_ours`
    Errors: ValueError if the layout is unknown, or a weight is missing or unexpected
    Source: notebooks 05 and 14
    """
    require_one_of(NAMES, layout=layout)
    names = NAMES[layout]
    require_layers(state, OURS, "MultiHeadAttention")
    renamed = _renamed(state, dict(zip(OURS, names, strict=True)))
    return _stacked(renamed) if layout == "torch" else renamed


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
