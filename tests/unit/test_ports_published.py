"""Published models: their weights in our modules give what transformers 5.23 computed, at once and in steps."""

import math
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from helpers.grouped import GroupedQueryAttention
from helpers.heads import MultiHeadAttention, merge_heads, split_heads
from helpers.latent import LatentAttention
from helpers.long_attention import LongAttention
from helpers.masks import causal_mask
from helpers.relative_positions import RelativeBias, alibi_bias, biased_attention
from helpers.today import TodayConfig, TodayDecoder
from models.ports import PUBLISHED, llama_to_ours, to_ours
from tests.unit.bert_models import difference, part, require_one_sentence

RECORDED = Path(__file__).parents[1] / "golden" / "today"
LLAMA = Path(__file__).parents[2] / "data" / "today" / "llama.safetensors"
ROUNDING = 2e-6  # float32
PREFILL = 4


def llama(state):
    return loaded(GroupedQueryAttention(42, 6, 2, d_head=8), to_ours(state, "llama"))


def qwen3(state):
    return loaded(GroupedQueryAttention(31, 6, 3, d_head=8, base=1e6, qk_norm=True), to_ours(state, "qwen3"))


def gpt2(state):
    made = loaded(MultiHeadAttention(42, 6), to_ours(state, "gpt2"))
    return lambda x, past: attend(made, *made.project(x, x), past, torch.zeros(()).expand)


def bloom(state):
    made = loaded(MultiHeadAttention(42, 6), to_ours(state, "bloom", 6))
    return lambda x, past: attend(made, *made.project(x, x), past, lambda T, S: alibi_bias(6, T, S))


def t5_decoder(state):
    made, bias = t5(state, 31, 3)
    return lambda x, past: attend(made, *projected(made, x), past, bias)


def deepseek_v3(state):
    return loaded(
        LatentAttention(23, 3, query_rank=13, rank=11, d_plain=7, d_rotary=6, d_value=5),
        to_ours(state, "deepseek_v3", 3),
    )


def deepseek_v3_absorbed(state):
    return deepseek_v3(state).absorbed


def mistral(state):
    return loaded(LongAttention(44, 4, 2, d_head=6, window=3), to_ours(state, "mistral"))


def gpt_oss(state):
    return loaded(LongAttention(37, 4, 2, d_head=10, base=150000.0, sinks=True, bias=True), to_ours(state, "gpt_oss"))


def gemma2(state):
    return loaded(LongAttention(42, 6, 2, d_head=8, cap=2.5, score_width=11), to_ours(state, "gemma2"))


def qwen3_next(state):
    made = LongAttention(29, 4, 2, d_head=12, qk_norm=True, gate=True, rotary_width=6)
    return loaded(made, to_ours(state, "qwen3_next", 4))


def t5(state, d_model, heads, **options):
    ours = to_ours(state, "t5", heads)
    bias = loaded(RelativeBias(heads, 8, 11, **options), {"table": ours.pop("table")})
    return loaded(GroupedQueryAttention(d_model, heads, heads, d_head=7), ours), bias


def projected(made, x):
    """As `MultiHeadAttention.project`, without positions."""
    return [split_heads(proj(x), made.num_heads) for proj in (made.q_proj, made.k_proj, made.v_proj)]


def attend(made, q, k, v, past, bias):
    """Causal attention with a bias after a past."""
    if past is not None:
        k, v = (torch.cat(pair, dim=-2) for pair in zip(past, (k, v), strict=True))
    T, S = q.size(-2), k.size(-2)
    out, weights = biased_attention(q, k, v, bias(T, S), causal_mask(T, past=S - T))
    return made.out_proj(merge_heads(out)), weights, (k, v)


def loaded(module, state):
    module.load_state_dict(state)
    return module.eval()


CASES = [llama, qwen3, gpt2, bloom, t5_decoder, deepseek_v3, deepseek_v3_absorbed, mistral, gpt_oss, gemma2, qwen3_next]


def recorded(name):
    return load_file(RECORDED / f"{name.removesuffix('_absorbed')}.safetensors")


def require_small(errors, name, record_property):
    record_property("largest_errors", errors)
    print(f"{name:22}", {what: f"{error:.1e}" for what, error in errors.items()})
    assert max(errors.values()) < ROUNDING


@torch.no_grad()
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_their_weights_reproduce_their_outputs_at_once_and_in_steps(case, record_property):
    tensors = recorded(case.__name__)
    run, x = case(part(tensors, "state.")), tensors["input.hidden_states"]
    out, weights, past = run(x, past=None)
    steps, step_weights, stepped = [], torch.zeros_like(weights), None
    for first, last in [(0, PREFILL), *((t, t + 1) for t in range(PREFILL, x.size(1)))]:
        new, new_weights, stepped = run(x[:, first:last], past=stepped)
        step_weights[:, :, first:last, last - new_weights.size(-1) : last] = new_weights  # a window forgets early keys
        steps.append(new)
    cache = [tensors["step.cache_keys"], tensors["step.cache_values"]]
    if "deepseek" in case.__name__:
        cache = [kept.squeeze(1) for kept in cache]  # their latents and rotary keys have an axis for one head
    require_small(
        {
            "out": difference(out, tensors["output.attn_output"]),
            "weights": difference(weights, tensors["output.attn_weights"]),
            "steps": difference(torch.cat(steps, dim=1), tensors["step.attn_output"]),
            "weights of steps": difference(step_weights, tensors["step.attn_weights"]),
            "keys": max(difference(ours[0], cache[0]) for ours in (past, stepped)),
            "values": max(difference(ours[1], cache[1]) for ours in (past, stepped)),
        },
        case.__name__,
        record_property,
    )


@torch.no_grad()
@pytest.mark.parametrize("padded", [False, True])
def test_an_encoder_of_t5_reproduces_its_outputs(padded, record_property):
    tensors = recorded("t5_encoder")
    made, bias = t5(part(tensors, "state."), 29, 5, bidirectional=True)
    real = tensors["input.padding"][:, None, None] == 1
    x = tensors["input.hidden_states"]
    q, k, v = projected(made, x)
    out, weights = biased_attention(q, k, v, bias(13, 13), real if padded else None)
    suffix = "_padded" if padded else ""
    require_small(
        {
            "out": difference(made.out_proj(merge_heads(out)), tensors[f"output.attn_output{suffix}"]),
            "weights": difference(weights, tensors[f"output.attn_weights{suffix}"]),
            "bias": difference(bias(13, 13)[None], tensors["output.position_bias"]),
        },
        f"t5_encoder{suffix}",
        record_property,
    )


@torch.no_grad()
def test_a_whole_llama_is_the_decoder_of_today(record_property):
    tensors = load_file(LLAMA)
    state, ids = part(tensors, "state."), tensors["ids"].long()
    made = TodayDecoder(TodayConfig(41, d_model=24, num_heads=6, groups=2, num_layers=2, d_ff=29))
    state["lm_head.weight"] = state["model.embed_tokens.weight"]  # as their state_dict() has it
    names = list(state)
    loaded(made, llama_to_ours(state))
    assert list(state) == names
    logits, weights = made.look(ids)
    first, past = made(ids[:, :5])
    errors = {
        "logits": difference(logits, tensors["output.logits"]),
        "logits in two parts": difference(torch.cat([first, made(ids[:, 5:], past)[0]], 1), tensors["output.logits"]),
    }
    errors |= {f"weights {i}": difference(w, tensors[f"output.attentions.{i}"]) for i, w in enumerate(weights)}
    record_property("largest_errors", errors)
    print("a whole Llama", {what: f"{error:.1e}" for what, error in errors.items()})
    assert max(errors.values()) < 5e-6  # logits up to 5, after two layers


def test_every_recorded_case_is_tested():
    names = {case.__name__.removesuffix("_absorbed") for case in CASES} | {"t5_encoder"}
    assert {path.stem for path in RECORDED.glob("*.safetensors")} == names
    assert names - {"llama_model", "t5_encoder", "t5_decoder"} | {"t5"} == set(PUBLISHED)


# ---------------------------------------------------------------- what the recorded cases tell apart


@torch.no_grad()
@pytest.mark.parametrize(
    "layout",
    ["gpt2", "bloom", "deepseek_v3", "qwen3", "llama", "mistral", "gpt_oss", "gemma2", "qwen3_next"],
)
def test_swapped_layers_would_be_noticed(layout):
    case, tensors = globals()[layout], recorded(layout)
    state, x = part(tensors, "state."), tensors["input.hidden_states"]
    for name in state:
        out = case(state | {name: state[name].flip(0)})(x, past=None)[0]
        assert difference(out, tensors["output.attn_output"]) > 1e-2


def test_t5_s_queries_are_longer_by_sqrt_d_and_nothing_else_changes():
    state = part(recorded("t5_decoder"), "state.")
    before = {name: tensor.clone() for name, tensor in state.items()}
    ours = to_ours(state, "t5", 3)
    torch.testing.assert_close(ours["q_proj.weight"], state["q.weight"] * math.sqrt(7))
    assert torch.equal(ours["k_proj.weight"], state["k.weight"])
    assert state.keys() == before.keys() and all(torch.equal(state[name], before[name]) for name in before)


# ---------------------------------------------------------------- errors


def state_of(layout, **changes):
    state = part(recorded(layout), "state.") | changes
    return {name: tensor for name, tensor in state.items() if tensor is not None}


@pytest.mark.parametrize(
    "error, words, call",
    [
        (
            ValueError,
            "do not look like llama's: o_proj.weight is missing",
            lambda: to_ours(state_of("llama", **{"o_proj.weight": None}), "llama"),
        ),
        (
            ValueError,
            "k_norm.weight has no counterpart, only q_proj.weight to o_proj.weight",
            lambda: to_ours(state_of("qwen3"), "llama"),
        ),
        (
            ValueError,
            "do not look like deepseek_v3's: q_a_proj.weight is missing",
            lambda: to_ours(state_of("llama"), "deepseek_v3", 3),
        ),
        (
            ValueError,
            "do not look like gpt_oss's: sinks is missing",
            lambda: to_ours(state_of("gpt_oss", sinks=None), "gpt_oss"),
        ),
        (ValueError, "sinks has no counterpart", lambda: to_ours(state_of("gpt_oss"), "mistral")),
        (
            TypeError,
            "num_heads must be a whole number, got None",
            lambda: to_ours(state_of("qwen3_next"), "qwen3_next"),
        ),
        (ValueError, "c_attn.bias is missing", lambda: to_ours(state_of("gpt2", **{"c_attn.bias": None}), "gpt2")),
        (TypeError, "num_heads must be a whole number, got None", lambda: to_ours(state_of("bloom"), "bloom")),
        (
            ValueError,
            "num_heads must divide features, got 5 heads for features = 42",
            lambda: to_ours(state_of("bloom"), "bloom", 5),
        ),
        (
            ValueError,
            "num_heads must divide .*, got 4 heads for .* 21",
            lambda: to_ours(state_of("t5_decoder"), "t5", 4),
        ),
        (
            ValueError,
            "num_heads must divide .*, got 2 heads for .* 39",
            lambda: to_ours(state_of("deepseek_v3"), "deepseek_v3", 2),
        ),
        (
            ValueError,
            "lm_head.weight must be the embedding table",
            lambda: llama_to_ours({"lm_head.weight": torch.ones(2)}),
        ),
    ],
)
def test_errors_are_one_sentence(error, words, call):
    with pytest.raises(error, match=words) as caught:
        call()
    require_one_sentence(caught)
