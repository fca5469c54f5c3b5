"""Published models: their weights in our modules give what transformers 5.23 computed, at once and in steps."""

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file

from helpers.grouped import GroupedQueryAttention
from helpers.heads import MultiHeadAttention, merge_heads, split_heads
from helpers.latent import LatentAttention
from helpers.linear import delta_parallel, delta_recurrent
from helpers.long_attention import LongAttention
from helpers.masks import causal_mask
from helpers.relative_positions import alibi_bias, biased_attention
from helpers.today import TodayConfig, TodayDecoder
from models.ports import RelativeBias, llama_to_ours, to_ours
from tests.unit.refusals import require_refused
from tests.unit.tensors import difference, part

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


def require_small(pairs, largest=ROUNDING):
    """Require ours and theirs, by name, to differ by rounding alone."""
    errors = {name: difference(*pair) for name, pair in pairs.items()}
    assert max(errors.values()) < largest, errors


@torch.no_grad()
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_their_weights_reproduce_their_outputs_at_once_and_in_steps(case):
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
            "out": (out, tensors["output.attn_output"]),
            "weights": (weights, tensors["output.attn_weights"]),
            "steps": (torch.cat(steps, dim=1), tensors["step.attn_output"]),
            "weights of steps": (step_weights, tensors["step.attn_weights"]),
            **{f"cache {i}, {n}": (x[i], cache[i]) for n, x in enumerate((past, stepped)) for i in range(2)},
        }
    )


@torch.no_grad()
def test_an_encoder_of_t5_reproduces_its_outputs():
    tensors = recorded("t5_encoder")
    made, bias = t5(part(tensors, "state."), 29, 5, bidirectional=True)
    q, k, v = projected(made, tensors["input.hidden_states"])
    pairs = {"bias": (bias(13, 13)[None], tensors["output.position_bias"])}
    for suffix, mask in (("", None), ("_padded", tensors["input.padding"][:, None, None] == 1)):
        out, weights = biased_attention(q, k, v, bias(13, 13), mask)
        pairs[f"out{suffix}"] = made.out_proj(merge_heads(out)), tensors[f"output.attn_output{suffix}"]
        pairs[f"weights{suffix}"] = weights, tensors[f"output.attn_weights{suffix}"]
    require_small(pairs)


def test_the_gated_delta_rule_is_that_of_qwen3_next():
    tensors = recorded("gated_delta")
    names = ("query", "key", "value", "g", "beta")
    query, key, value, g, beta = (tensors[f"input.{name}"].transpose(1, 2) for name in names)  # g: the log of alpha
    given = F.normalize(query, dim=-1) / query.size(-1) ** 0.5, F.normalize(key, dim=-1), value, beta
    out, state = delta_recurrent(*given, alpha=g.exp())
    theirs = tensors["output.out"].transpose(1, 2)
    require_small(
        {
            "out": (out, theirs),
            "state": (state, tensors["output.state"]),
            "parallel": (delta_parallel(*given, g.exp()), theirs),
        }
    )


@torch.no_grad()
def test_a_whole_llama_is_the_decoder_of_today():
    tensors = load_file(LLAMA)
    state, ids, theirs = part(tensors, "state."), tensors["ids"].long(), tensors["output.logits"]
    made = TodayDecoder(TodayConfig(41, d_model=24, num_heads=6, groups=2, num_layers=2, d_ff=29))
    state["lm_head.weight"] = state["model.embed_tokens.weight"]  # as their state_dict() has it
    names = list(state)
    loaded(made, llama_to_ours(state))
    assert list(state) == names
    logits, weights = made.look(ids)
    pairs = {f"weights {i}": (w, tensors[f"output.attentions.{i}"]) for i, w in enumerate(weights)}
    require_small(pairs | {"logits": (logits, theirs)}, largest=5e-6)  # logits up to 5, after two layers


# ---------------------------------------------------------------- errors


def state_of(layout, **changes):
    state = part(recorded(layout), "state.") | changes
    return {name: tensor for name, tensor in state.items() if tensor is not None}


def test_errors_are_one_sentence():
    look, rows = "ValueError: these weights do not look like", "ValueError: num_heads must divide"
    tied = {"lm_head.weight": torch.ones(2)}
    require_refused(
        (
            f"{look} llama's: o_proj.weight is missing",
            lambda: to_ours(state_of("llama", **{"o_proj.weight": None}), "llama"),
        ),
        ("ValueError: k_norm.weight has no counterpart", lambda: to_ours(state_of("qwen3"), "llama")),
        (f"{look} deepseek_v3's: q_a_proj.weight", lambda: to_ours(state_of("llama"), "deepseek_v3", 3)),
        (f"{look} gpt_oss's: sinks is missing", lambda: to_ours(state_of("gpt_oss", sinks=None), "gpt_oss")),
        ("ValueError: sinks has no counterpart", lambda: to_ours(state_of("gpt_oss"), "mistral")),
        *(
            ("TypeError: num_heads must be a whole number, got None", lambda name=name: to_ours(state_of(name), name))
            for name in ("bloom", "qwen3_next")
        ),
        (f"{rows} features, got 5 heads for features = 42", lambda: to_ours(state_of("bloom"), "bloom", 5)),
        (f"{rows} rows, got 4 heads for rows = 21", lambda: to_ours(state_of("t5_decoder"), "t5", 4)),
        (f"{rows} rows, got 2 heads for rows = 39", lambda: to_ours(state_of("deepseek_v3"), "deepseek_v3", 2)),
        ("ValueError: lm_head.weight must be the embedding table", lambda: llama_to_ours(tied)),
    )
