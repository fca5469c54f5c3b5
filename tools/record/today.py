"""Record tests/golden/today and data/today again: the outputs of published attention modules and of a small Llama.

    pip install transformers==5.23.0 safetensors torch
    python -m tools.record.today             compare with the recorded outputs
    python -m tools.record.today --write     write new ones

Each file's metadata holds the arguments of its configuration. Causal attention is recorded twice: for all tokens at
once (output.*), and with a cache, first for several tokens and then for one at a time (step.*). The gated delta rule is
a function without parameters, from Qwen3-Next's layers with a state.
"""

import json
import sys

import torch
import transformers
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from transformers import DynamicCache
from transformers.masking_utils import (
    create_bidirectional_mask,
    create_causal_mask,
    create_sliding_window_causal_mask,
)
from transformers.models.bloom.modeling_bloom import BloomAttention, build_alibi_tensor
from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3Attention, DeepseekV3RotaryEmbedding
from transformers.models.gemma2.modeling_gemma2 import Gemma2Attention, Gemma2RotaryEmbedding
from transformers.models.gpt2.modeling_gpt2 import GPT2Attention
from transformers.models.gpt_oss.modeling_gpt_oss import GptOssAttention, GptOssRotaryEmbedding
from transformers.models.llama.modeling_llama import LlamaAttention, LlamaRotaryEmbedding
from transformers.models.mistral.modeling_mistral import MistralAttention, MistralRotaryEmbedding
from transformers.models.qwen3.modeling_qwen3 import Qwen3Attention, Qwen3RotaryEmbedding
from transformers.models.qwen3_next.modeling_qwen3_next import (
    Qwen3NextAttention,
    Qwen3NextRotaryEmbedding,
    torch_recurrent_gated_delta_rule,
)
from transformers.models.t5.modeling_t5 import T5Attention

from tools import ROOT

GOLDEN = ROOT / "tests" / "golden" / "today"
LLAMA = ROOT / "data" / "today" / "llama.safetensors"  # a whole model, which notebook 10 reads
PREFILL = 4  # tokens that are read at once, before the others one at a time
ROUNDING = 5e-6  # float32, on different machines


def rotary(module, embedding):
    def call(config, attention, x, mask, cache, first):
        turns = embedding(config)(x, position_ids=torch.arange(first, first + x.size(1))[None])
        return attention(hidden_states=x, position_embeddings=turns, attention_mask=mask, past_key_values=cache)

    return lambda config: module(config, layer_idx=0), call


def gpt2(config, attention, x, mask, cache, first):
    return attention(x.contiguous(), past_key_values=cache, attention_mask=mask)


def bloom(config, attention, x, mask, cache, first):
    alibi = build_alibi_tensor(torch.ones(len(x), first + x.size(1)), config.n_head, dtype=x.dtype)
    return attention(x, residual=torch.zeros_like(x), alibi=alibi, attention_mask=mask, layer_past=cache)


def t5(config, attention, x, mask, cache, first):
    out, bias, weights = attention(x, mask=mask, past_key_values=cache)
    return out, weights, bias


def t5_module(config):
    return T5Attention(config, has_relative_attention_bias=True, layer_idx=0, is_causal=config.is_decoder)


CASES = {
    "llama": (transformers.LlamaConfig, *rotary(LlamaAttention, LlamaRotaryEmbedding)),
    "qwen3": (transformers.Qwen3Config, *rotary(Qwen3Attention, Qwen3RotaryEmbedding)),
    "deepseek_v3": (transformers.DeepseekV3Config, *rotary(DeepseekV3Attention, DeepseekV3RotaryEmbedding)),
    "mistral": (transformers.MistralConfig, *rotary(MistralAttention, MistralRotaryEmbedding)),
    "gpt_oss": (transformers.GptOssConfig, *rotary(GptOssAttention, GptOssRotaryEmbedding)),
    "gemma2": (transformers.Gemma2Config, *rotary(Gemma2Attention, Gemma2RotaryEmbedding)),
    "qwen3_next": (transformers.Qwen3NextConfig, *rotary(Qwen3NextAttention, Qwen3NextRotaryEmbedding)),
    "gpt2": (transformers.GPT2Config, lambda config: GPT2Attention(config, layer_idx=0), gpt2),
    "bloom": (transformers.BloomConfig, lambda config: BloomAttention(config, layer_idx=0), bloom),
    "t5_decoder": (transformers.T5Config, t5_module, t5),
    "t5_encoder": (transformers.T5Config, t5_module, t5),
}


def configuration(path, kind):
    with safe_open(path, "pt") as file:
        return kind(**json.loads(file.metadata()["config"]), attn_implementation="eager")


def attention_outputs(name, tensors):
    kind, make, call = CASES[name]
    config = configuration(GOLDEN / f"{name}.safetensors", kind)
    attention, x = make(config).eval(), tensors["input.hidden_states"]
    attention.load_state_dict(part(tensors, "state."))
    T, outputs = x.size(1), {}
    if name == "t5_encoder":
        out, weights, bias = call(config, attention, x, None, None, 0)
        mask = create_bidirectional_mask(config=config, inputs_embeds=x, attention_mask=tensors["input.padding"].long())
        padded_out, padded_weights, _ = call(config, attention, x, mask, None, 0)
        outputs |= {"output.attn_output_padded": padded_out, "output.attn_weights_padded": padded_weights}
    else:
        out, weights, *bias = call(config, attention, x, causal(config, x, None, 0), None, 0)
        cache, outs, all_weights = DynamicCache(config=config), [], torch.zeros_like(weights)
        for first, last in [(0, PREFILL), *((t, t + 1) for t in range(PREFILL, T))]:
            new = x[:, first:last]
            step_out, step_weights, *_ = call(config, attention, new, causal(config, new, cache, first), cache, first)
            outs.append(step_out)
            all_weights[:, :, first:last, last - step_weights.size(-1) : last] = step_weights
        outputs |= {"step.attn_output": torch.cat(outs, dim=1), "step.attn_weights": all_weights}
        outputs |= {"step.cache_keys": cache.layers[0].keys, "step.cache_values": cache.layers[0].values}
        bias = bias[0] if bias else None
    if bias is not None:
        outputs["output.position_bias"] = bias
    return outputs | {"output.attn_output": out, "output.attn_weights": weights}


def causal(config, x, cache, first):
    positions = torch.arange(first, first + x.size(1))[None]
    make = create_sliding_window_causal_mask if getattr(config, "sliding_window", None) else create_causal_mask
    return make(config=config, inputs_embeds=x, attention_mask=None, past_key_values=cache, position_ids=positions)


def gated_delta_outputs(tensors):
    options = {"output_final_state": True, "use_qk_l2norm_in_kernel": True}
    out, state = torch_recurrent_gated_delta_rule(**part(tensors, "input."), **options)
    return {"output.out": out, "output.state": state}


def model_outputs(tensors):
    made = transformers.LlamaForCausalLM(configuration(LLAMA, transformers.LlamaConfig)).eval()
    made.load_state_dict(part(tensors, "state."), strict=False)  # lm_head shares the embedding table
    found = made(tensors["ids"].long(), output_attentions=True)
    weights = {f"output.attentions.{i}": layer for i, layer in enumerate(found.attentions)}
    return {"output.logits": found.logits, **weights}


def part(tensors, prefix):
    """Return the tensors whose names start with `prefix`, which is removed from the names."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def record(path, compute, made_by, write):
    """Recompute the outputs in a file and print the largest difference; write them only if `write` is true.

    Errors: SystemExit if they differ by more than rounding and are not written
    """
    before = load_file(path)
    with safe_open(path, "pt") as file:
        metadata = file.metadata() or {}
    with torch.no_grad():
        outputs = {name: tensor.contiguous().clone() for name, tensor in compute(before).items()}
    largest = max((tensor - before[name]).abs().max().item() for name, tensor in outputs.items())
    print(f"{path.relative_to(ROOT)}: {len(outputs)} outputs, largest difference {largest:.1e}")
    if write:
        save_file(before | outputs, path, metadata | {"made_by": made_by})
    elif largest > ROUNDING:
        sys.exit(f"{path.name}: the outputs differ; is this transformers 5.23? To keep the new ones, add --write.")


if __name__ == "__main__":
    write, made_by = "--write" in sys.argv, f"transformers {transformers.__version__}, torch {torch.__version__}, eager"
    for name in CASES:
        record(GOLDEN / f"{name}.safetensors", lambda tensors, n=name: attention_outputs(n, tensors), made_by, write)
    record(GOLDEN / "gated_delta.safetensors", gated_delta_outputs, made_by, write)
    record(LLAMA, model_outputs, made_by, write)
