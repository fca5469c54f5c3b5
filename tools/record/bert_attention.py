"""Record data/bert again: what BertAttention of transformers 4.22.2 computes in thirteen cases.

    pip install --no-deps transformers==4.22.2 huggingface_hub==0.10.1
    pip install regex requests filelock tqdm packaging pyyaml numpy safetensors torch
    python -m tools.record.bert_attention             compare with the recorded outputs
    python -m tools.record.bert_attention --write     write new ones

(--no-deps: transformers 4.22.2 asks for a version of tokenizers that has no wheel for today's Pythons; attention does
not need it.)
"""

import sys

import torch
import transformers
from transformers import BertConfig
from transformers.models.bert.modeling_bert import BertAttention

from tools.record.compare import ROOT, part, record

GIVEN = ("attention_mask", "head_mask", "encoder_hidden_states", "encoder_attention_mask")


def attention(tensors, **settings):
    config = BertConfig(
        hidden_size=48, num_attention_heads=4, max_position_embeddings=16, layer_norm_eps=1e-12, **settings
    )
    module = BertAttention(config).eval()
    module.load_state_dict({name: t for name, t in part(tensors, "state.").items() if not name.startswith("PRUNED.")})
    return module


def given(tensors):
    """The masks and the context of a case, by the names of BertAttention's arguments."""
    return {name: tensors[f"input.{name}"] for name in GIVEN if f"input.{name}" in tensors}


def one_call(tensors, kind="absolute", prune=()):
    module = attention(tensors, position_embedding_type=kind)
    if prune:
        module.prune_heads(set(prune))
    out, weights = module(tensors["input.hidden_states"], **given(tensors), output_attentions=True)[:2]
    pruned = {f"state.PRUNED.{name}": tensor for name, tensor in module.state_dict().items()} if prune else {}
    return {"output.out": out, "output.probs": weights} | pruned


def decoder_past(tensors):
    """All at once; one token at a time; and four tokens, then three."""
    module = attention(tensors, is_decoder=True)
    x, mask = tensors["input.hidden_states"], tensors["input.attention_mask"]
    out, weights, (key, value) = module(x, attention_mask=mask, output_attentions=True)
    found = {"full.out": out, "full.probs": weights, "full.past_key": key, "full.past_value": value}
    past, steps = None, []
    for t in range(x.size(1)):
        out, found[f"step{t}.probs"], past = module(
            x[:, t : t + 1], attention_mask=mask[:, :, t : t + 1, : t + 1], past_key_value=past, output_attentions=True
        )
        steps.append(out)
        if t == 3:
            found |= {"chunk4.past_key": past[0], "chunk4.past_value": past[1]}
            chunk = module(x[:, 4:], attention_mask=mask[:, :, 4:], past_key_value=past, output_attentions=True)
            found |= {"chunk3.out": chunk[0], "chunk3.probs": chunk[1]}
    return {f"output.{name}": tensor for name, tensor in (found | {"incremental.out": torch.cat(steps, 1)}).items()}


def cross_attention_past(tensors):
    """The second call takes the keys and values of the first."""
    module, x = attention(tensors, is_decoder=True, add_cross_attention=True), tensors["input.hidden_states"]
    out, weights, past = module(x, **given(tensors), output_attentions=True)
    last = module(x[:, -1:], **given(tensors), past_key_value=past, output_attentions=True)
    return {
        "output.full.out": out,
        "output.full.probs": weights,
        "output.past_key": past[0],
        "output.past_value": past[1],
        "output.last_step.out": last[0],
        "output.last_step.probs": last[1],
    }


def relative_key_past(tensors):
    """One causal pass, and its last token again with a cache of those before: 4.22.2 gives it other positions."""
    module = attention(tensors, position_embedding_type="relative_key", is_decoder=True)
    x, mask = tensors["input.hidden_states"], tensors["input.attention_mask"]
    whole = module(x, attention_mask=mask)[0]
    _, past = module(x[:, :-1], attention_mask=mask[:, :, :-1, :-1])
    return {"output.full.out": whole, "output.last_step.out": module(x[:, -1:], past_key_value=past)[0]}


CASES = {
    **dict.fromkeys(
        [
            "plain",
            "padding_mask",
            "mask_3d",
            "fully_masked_item",
            "head_mask",
            "decoder_causal_padding",
            "cross_attention",
        ],
        one_call,
    ),
    "relative_key": lambda tensors: one_call(tensors, "relative_key"),
    "relative_key_query": lambda tensors: one_call(tensors, "relative_key_query"),
    "prune_heads_1_3": lambda tensors: one_call(tensors, prune=(1, 3)),
    "decoder_past": decoder_past,
    "relative_key_past": relative_key_past,
    "cross_attention_past": cross_attention_past,
}

if __name__ == "__main__":
    for name, compute in CASES.items():
        record(
            ROOT / "data" / "bert" / f"{name}.safetensors",
            compute,
            f"transformers=={transformers.__version__} BertAttention",
            write="--write" in sys.argv,
        )
