"""Weight conversion to and from other implementations of attention: the same numbers under other names.

For MultiHeadAttention, both ways:

torch         torch.nn.MultiheadAttention: q, k and v stacked in one in_proj_weight
labml         labml.ai's MultiHeadAttention, which takes (T, B, C)
annotated     The Annotated Transformer's MultiHeadedAttention: a list of four layers
bentrevett    Ben Trevett's SelfAttention: w_q, w_k, w_v, fc
huggingface   transformers' BertAttention, without its LayerNorm

Attention in published language models, under transformers' names, from theirs to ours:

llama         for GroupedQueryAttention
qwen3         the same with qk_norm=True
gpt2          for MultiHeadAttention: q, k and v stacked, and every weight transposed
bloom         for MultiHeadAttention: q, k and v of each head side by side; it attends with `alibi_bias`
t5            for layers like those of GroupedQueryAttention, and `RelativeBias`, whose table only the first layer has
deepseek_v3   for LatentAttention: k and v stacked twice, and rotary features in pairs
mistral       for LongAttention with a window
gpt_oss       for LongAttention with sinks=True, bias=True
gemma2        for LongAttention with a cap and a score_width
qwen3_next    for LongAttention with gate=True, qk_norm=True and a rotary_width: each head's query and gate side by side

A whole Llama, for TodayDecoder: `llama_to_ours`.
"""

import math

import torch
from torch import nn

from helpers import require
from helpers.relative_positions import distances, pairs_to_halves

OURS = ("q_proj", "k_proj", "v_proj", "out_proj")
NAMES = {
    "torch": ("in_proj_0", "in_proj_1", "in_proj_2", "out_proj"),  # the first three as named by `_cut`
    "labml": ("query.linear", "key.linear", "value.linear", "output"),
    "annotated": ("linears.0", "linears.1", "linears.2", "linears.3"),
    "bentrevett": ("w_q", "w_k", "w_v", "fc"),
    "huggingface": ("self.query", "self.key", "self.value", "output.dense"),
}


def to_ours(state, layout, num_heads=None):
    """Convert the weights of another implementation so that ours takes them, with `load_state_dict`.

    Shapes: for MultiHeadAttention all weights (C, C), biases (C,); torch's in_proj_weight (3C, C), in_proj_bias (3C,)
            num_heads: needed only for bloom, t5, deepseek_v3 and qwen3_next
    Errors: ValueError if the layout is unknown, or a weight is missing or unexpected; TypeError or ValueError if
            num_heads does not fit
    Source: notebooks 05 and 14; notebooks 09 to 11 for the published models
    """
    require.one_of(NAMES | PUBLISHED, layout=layout)
    if layout in PUBLISHED:
        layers, convert = PUBLISHED[layout]
        _require_layers(state, layers, layout, LONE.get(layout, ()))
        return convert(state, num_heads)
    names = NAMES[layout]
    _require_layers(state, ("in_proj", "out_proj") if layout == "torch" else names, layout)
    return _renamed(_cut(state) if layout == "torch" else state, dict(zip(names, OURS, strict=True)))


def from_ours(state, layout):
    """Convert the weights of a `MultiHeadAttention` so that the other module takes them.

    Shapes: as in `to_ours`
    Errors: ValueError if the layout is unknown, or a weight is missing or unexpected
    Source: notebooks 05 and 14
    """
    require.one_of(NAMES, layout=layout)
    names = NAMES[layout]
    _require_layers(state, OURS, "MultiHeadAttention")
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


# ---------------------------------------------------------------- published models


LLAMA = {  # parts of the names in a whole model, theirs and ours
    "model.": "",
    "embed_tokens": "tokens",
    "layers.": "blocks.",
    "input_layernorm": "norm1",
    "self_attn.o_proj": "attention.out_proj",
    "self_attn": "attention",
    "post_attention_layernorm": "norm2",
    "mlp.gate_proj": "feed_forward.gate",
    "mlp.up_proj": "feed_forward.up",
    "mlp.down_proj": "feed_forward.down",
}


def llama_to_ours(state):
    """Rename the weights of transformers' LlamaForCausalLM, with tied embeddings, so that `TodayDecoder` takes them.

    NB: its RMSNorms have an eps of 1e-6; published models may have 1e-5.

    Errors: ValueError if lm_head is not the embedding table
    Source: notebook 10
    """
    table, head = state.get("model.embed_tokens.weight"), state.get("lm_head.weight")
    if head is not None and (table is None or not torch.equal(head, table)):
        raise ValueError(
            "lm_head.weight must be the embedding table, since TodayDecoder uses that for both, got another; "
            "take a Llama with tied embeddings"
        )
    ours = {}
    for name, tensor in state.items():
        if name != "lm_head.weight":
            for old, new in LLAMA.items():
                name = name.replace(old, new)
            ours[name] = tensor
    return ours


def _llama(state, _):
    return {name.replace("o_proj", "out_proj"): tensor for name, tensor in state.items()}


def _gpt2(state, _):
    """Their layers compute x @ weight, so a weight is (in, out)."""
    state = {name: tensor.t() for name, tensor in state.items()}  # a bias stays as it is
    return _parts(state, "c_attn", lambda stacked: stacked.chunk(3)) | _renamed(state, {"c_proj": "out_proj"})


def _bloom(state, num_heads):
    require.divides(num_heads=num_heads, features=state["dense.weight"].size(1))

    def cut(fused):
        """(H * 3 * D, ...) -> (H, 3, D, ...) -> three of (H * D, ...)"""
        return [part.flatten(0, 1) for part in fused.unflatten(0, (num_heads, 3, -1)).unbind(1)]

    return _parts(state, "query_key_value", cut) | _renamed(state, {"dense": "out_proj"})


def _parts(state, fused, cut):
    """Cut one layer into three: q_proj, k_proj and v_proj."""
    return {
        f"{name}.{kind}": part
        for kind in ("weight", "bias")
        if f"{fused}.{kind}" in state
        for name, part in zip(OURS, cut(state[f"{fused}.{kind}"]), strict=False)
    }


def _t5(state, num_heads):
    """Their scores are not divided by sqrt(D), so the query projection is multiplied by it."""
    rows = state["q.weight"].size(0)
    require.divides(num_heads=num_heads, rows=rows)
    ours = _renamed(state, dict(zip("qkvo", OURS, strict=True)))
    ours["q_proj.weight"] = ours["q_proj.weight"] * math.sqrt(rows // num_heads)
    return ours | {"table": state["relative_attention_bias.weight"]}


class RelativeBias(nn.Module):
    """The bias that T5 adds to the scores: a learned number for each head and each bucket of distances.

    Half of the buckets hold a single distance, and the others become wider up to max_distance. All are for earlier
    keys; if bidirectional, as in an encoder, the upper half is for later keys.

    Shapes: T, S -> (H, T, S); the queries are the last T of S positions
    Errors: TypeError or ValueError if T or S is not a whole number of at least 1, or T > S
    Source: Raffel et al. 2020, section 2.1
    """

    def __init__(self, num_heads, num_buckets=32, max_distance=128, bidirectional=False):
        super().__init__()
        self.one_way = num_buckets // 2 if bidirectional else num_buckets
        self.max_distance, self.bidirectional = max_distance, bidirectional
        self.table = nn.Parameter(torch.randn(num_buckets, num_heads) / math.sqrt(num_heads))

    def forward(self, T, S):
        distance = distances(T, S, self.table.device)  # (T, S)
        far = distance.abs() if self.bidirectional else distance.clamp(min=0)
        single = self.one_way // 2
        times = far.clamp(min=single).float() / single  # as a multiple of the first distance that shares a bucket
        share = times.log() / math.log(self.max_distance / single)  # from 0 at that distance to 1 at max_distance
        ranged = single + (share * (self.one_way - single)).long()
        buckets = torch.where(far < single, far, ranged.clamp(max=self.one_way - 1))
        if self.bidirectional:
            buckets = buckets + self.one_way * (distance < 0)
        return self.table[buckets].movedim(-1, 0)  # (T, S, H) -> (H, T, S)


def _deepseek_v3(state, num_heads):
    """q_b_proj has plain and rotary rows for each head, kv_b_proj k and v, and kv_a_proj_with_mqa latent and rotary."""
    R, kv_a = len(state["kv_a_layernorm.weight"]), state["kv_a_proj_with_mqa.weight"]
    H, P = num_heads, len(kv_a) - R
    require.divides(num_heads=H, rows=len(state["q_b_proj.weight"]))
    q_up = state["q_b_proj.weight"].unflatten(0, (H, -1))  # (H, D + P, ...)
    D = q_up.size(1) - P
    kv_up = state["kv_b_proj.weight"].unflatten(0, (H, -1))  # (H, D + E, R)
    rotary = pairs_to_halves(q_up[:, D:].flatten(0, 1), H).unflatten(0, (H, -1))  # (H, P, ...)
    layers = {"q_a_proj": "q_down", "q_a_layernorm": "q_norm", "kv_a_layernorm": "kv_norm", "o_proj": "out_proj"}
    return _renamed(state, layers) | {
        "q_up.weight": torch.cat([q_up[:, :D], rotary], dim=1).flatten(0, 1),
        "kv_down.weight": kv_a[:R],
        "k_rotary.weight": pairs_to_halves(kv_a[R:], 1),
        "k_up.weight": kv_up[:, :D].flatten(0, 1),
        "v_up.weight": kv_up[:, D:].flatten(0, 1),
    }


def _qwen3_next(state, num_heads):
    """q_proj has query and gate rows for each head, and the factors of the norms are 1 + weight."""
    require.divides(num_heads=num_heads, rows=len(state["q_proj.weight"]))
    fused = {name: tensor for name, tensor in state.items() if name.startswith("q_proj.")}
    ours = {f"{name}.weight": 1 + state[f"{name}.weight"] for name in ("q_norm", "k_norm")}
    for name, rows in fused.items():
        heads = rows.unflatten(0, (num_heads, 2, -1))  # (H * 2 * D, ...) -> (H, 2, D, ...)
        ours |= {name: heads[:, 0].flatten(0, 1), name.replace("q_", "gate_"): heads[:, 1].flatten(0, 1)}
    return _llama({name: tensor for name, tensor in state.items() if name not in fused}, None) | ours


DEEPSEEK_V3 = ("q_a_proj", "q_a_layernorm", "q_b_proj", "kv_a_proj_with_mqa", "kv_a_layernorm", "kv_b_proj", "o_proj")
LLAMA_LAYERS = ("q_proj", "k_proj", "v_proj", "o_proj")
PUBLISHED = {  # the layers of each, and the function that converts them
    "llama": (LLAMA_LAYERS, _llama),
    "qwen3": ((*LLAMA_LAYERS, "q_norm", "k_norm"), _llama),
    "gpt2": (("c_attn", "c_proj"), _gpt2),
    "bloom": (("query_key_value", "dense"), _bloom),
    "t5": (("q", "k", "v", "o", "relative_attention_bias"), _t5),
    "deepseek_v3": (DEEPSEEK_V3, _deepseek_v3),
    "mistral": (LLAMA_LAYERS, _llama),
    "gpt_oss": (LLAMA_LAYERS, _llama),
    "gemma2": (LLAMA_LAYERS, _llama),
    "qwen3_next": ((*LLAMA_LAYERS, "q_norm", "k_norm"), _qwen3_next),
}
LONE = {"gpt_oss": ("sinks",)}  # tensors that are not a layer's weight or bias


# ---------------------------------------------------------------- errors


def _require_layers(state, layers, owner, lone=()):
    """The state holds a weight for every layer, a bias for all or for none, the `lone` tensors, and nothing else."""
    weights, biases = (
        [f"{layer}{'_' if layer == 'in_proj' else '.'}{kind}" for layer in layers] for kind in ("weight", "bias")
    )
    needed = weights + (biases if any(name in state for name in biases) else []) + list(lone)
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
