"""Weight conversion to and from other implementations, against outputs that their own code computed."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from helpers.heads import MultiHeadAttention
from helpers.masks import causal_mask, padding_mask
from models.ports import NAMES, from_ours, to_ours
from runtime.notebook import reference_outputs

DATA = Path(__file__).parents[2] / "data"
B, H, T, S, D = 2, 3, 5, 7, 11
C = H * D
CASES = ["none", "causal", "padding", "causal_padding", "cross_padding"]
LAYOUTS = ["labml", "annotated", "bentrevett", "torch"]  # those in data/ports
ROUNDING = 5e-6  # float32

# Written down from the classes themselves, not from models.ports.
FOREIGN = {
    "torch": {"in_proj_weight": (3 * C, C), "in_proj_bias": (3 * C,), "out_proj.weight": (C, C), "out_proj.bias": (C,)},
    "labml": ["query.linear", "key.linear", "value.linear", "output"],
    "annotated": ["linears.0", "linears.1", "linears.2", "linears.3"],
    "bentrevett": ["w_q", "w_k", "w_v", "fc"],
    "huggingface": ["self.query", "self.key", "self.value", "output.dense"],
}


def expected_shapes(layout, bias):
    layers = FOREIGN[layout]
    if isinstance(layers, list):
        layers = {f"{layer}.{kind}": shape for layer in layers for kind, shape in (("weight", (C, C)), ("bias", (C,)))}
    return {name: shape for name, shape in layers.items() if bias or not name.endswith("bias")}


def part(tensors, prefix):
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def golden(layout):
    weights, tensors = reference_outputs(f"ports/{layout}")
    attention = MultiHeadAttention(24, 3)
    attention.load_state_dict(to_ours(weights, layout))
    return attention.eval(), tensors


# ---------------------------------------------------------------- against what others computed


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_their_weights_reproduce_their_outputs(layout, case, record_property):
    attention, tensors = golden(layout)
    stored = part(tensors, f"{case}.")
    context = tensors["input.context"] if case == "cross_padding" else None
    mask = stored["keep_mask"].bool().unsqueeze(1) if "keep_mask" in stored else None
    assert (mask is None) == (case == "none") and ("weights" in stored) == (layout != "bentrevett")
    fast, _ = attention(tensors["input.x"], context, mask)
    explicit, weights = attention(tensors["input.x"], context, mask, need_weights=True)
    errors = {
        "fast": (fast - stored["out"]).abs().max().item(),
        "explicit": (explicit - stored["out"]).abs().max().item(),
    }
    if "weights" in stored:
        assert weights.shape == stored["weights"].shape
        errors["weights"] = (weights - stored["weights"]).abs().max().item()
    record_property("largest_errors", errors)
    print(f"{layout:13} {case:15}", {name: f"{error:.1e}" for name, error in errors.items()})
    assert max(errors.values()) < ROUNDING
    assert stored["out"].abs().max() > 0.1 and (stored["out"][0] - stored["out"][1]).abs().max() > 0.1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_causal_true_reproduces_their_causal_outputs(layout):
    attention, tensors = golden(layout)
    assert torch.equal(tensors["causal.keep_mask"].bool(), causal_mask(5).expand(2, 5, 5))
    padding = tensors["padding.keep_mask"].bool().unsqueeze(1)
    for need_weights in (False, True):
        alone, _ = attention(tensors["input.x"], causal=True, need_weights=need_weights)
        combined, _ = attention(tensors["input.x"], mask=padding, causal=True, need_weights=need_weights)
        torch.testing.assert_close(alone, tensors["causal.out"], rtol=0, atol=ROUNDING)
        torch.testing.assert_close(combined, tensors["causal_padding.out"], rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_swapped_layers_would_be_noticed(layout):
    """The recorded outputs distinguish all layers, so that the tests above prove the names."""
    attention, tensors = golden(layout)
    ours = attention.state_dict()
    for a, b in (("q_proj", "k_proj"), ("k_proj", "v_proj"), ("v_proj", "out_proj")):
        swapped = {name.replace(a, "?").replace(b, a).replace("?", b): tensor for name, tensor in ours.items()}
        attention.load_state_dict(swapped)
        out, _ = attention(tensors["input.x"], mask=tensors["padding.keep_mask"].bool().unsqueeze(1))
        assert (out - tensors["padding.out"]).abs().max() > 1e-2


def test_unknown_reference_outputs_raise():
    with pytest.raises(FileNotFoundError, match="no reference outputs 'ports/keras', only .*ports/annotated, "):
        reference_outputs("ports/keras")


def test_bert_attention_is_ours_plus_residual_and_layer_norm():
    """transformers' BertAttention is our attention, then x is added and LayerNorm follows."""
    tensors = load_file(DATA / "bert" / "plain.safetensors")
    state = part(tensors, "state.")
    assert {name for name in state if "LayerNorm" not in name} == set(expected_shapes("huggingface", bias=True))
    assert any("LayerNorm" in name for name in state)
    attention, x = MultiHeadAttention(48, 4), tensors["input.hidden_states"]
    attention.load_state_dict(to_ours(state, "huggingface"))
    norm = nn.LayerNorm(48, eps=1e-12)
    norm.load_state_dict(part(state, "output.LayerNorm."))
    out, weights = attention(x, need_weights=True)
    torch.testing.assert_close(weights, tensors["output.probs"], rtol=0, atol=ROUNDING)
    torch.testing.assert_close(norm(out + x), tensors["output.out"], rtol=0, atol=ROUNDING)
    torch.testing.assert_close(norm(attention(x)[0] + x), tensors["output.out"], rtol=0, atol=ROUNDING)
    # The context before output.dense, from the stored probabilities and nothing of ours.
    value = nn.functional.linear(x, state["self.value.weight"], state["self.value.bias"]).view(2, 7, 4, 12)
    context = torch.einsum("bhts,bshd->bthd", tensors["output.probs"], value).flatten(-2)
    attention.out_proj = nn.Identity()
    torch.testing.assert_close(attention(x)[0], context, rtol=0, atol=ROUNDING)


# ---------------------------------------------------------------- round trips


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("layout", FOREIGN)
def test_names_shapes_and_round_trip_from_ours(layout, bias):
    ours = MultiHeadAttention(C, H, bias=bias).state_dict()
    theirs = from_ours(ours, layout)
    assert {name: tuple(tensor.shape) for name, tensor in theirs.items()} == expected_shapes(layout, bias)
    again = to_ours(theirs, layout)
    assert again.keys() == ours.keys() and all(torch.equal(again[name], ours[name]) for name in ours)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("layout", FOREIGN)
def test_round_trip_from_theirs(layout, bias):
    theirs = {name: torch.randn(shape) for name, shape in expected_shapes(layout, bias).items()}
    before = {name: tensor.clone() for name, tensor in theirs.items()}
    ours = to_ours(theirs, layout)
    MultiHeadAttention(C, H, bias=bias).load_state_dict(ours)
    again = from_ours(ours, layout)
    assert again.keys() == theirs.keys() and all(torch.equal(again[name], theirs[name]) for name in theirs)
    assert theirs.keys() == before.keys() and all(torch.equal(theirs[name], before[name]) for name in before)


def test_all_layouts_are_tested():
    assert set(FOREIGN) == set(NAMES)


# ---------------------------------------------------------------- a real torch.nn.MultiheadAttention

TORCH_MASKS = {
    "none": (lambda: None, False),
    "causal": (lambda: causal_mask(S), True),
    "padding": (lambda: padding_mask([4, 7], S).unsqueeze(1).expand(B, 1, S, S), False),
    "causal-padding": (lambda: padding_mask([4, 7], S).unsqueeze(1) & causal_mask(S), False),
    "each-head": (lambda: (torch.rand(B, H, S, S) < 0.5) | torch.eye(S, dtype=torch.bool), False),
}


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("case", TORCH_MASKS)
def test_torch_s_module_gives_equal_outputs_and_gradients(case, bias):
    make, causal = TORCH_MASKS[case]
    mask = make()
    ours = MultiHeadAttention(C, H, bias=bias).double()
    theirs = nn.MultiheadAttention(C, H, bias=bias, batch_first=True).double()
    theirs.load_state_dict(from_ours(ours.state_dict(), "torch"))
    x = torch.randn(B, S, C, dtype=torch.float64, requires_grad=True)
    mix = torch.randn(B, S, C, dtype=torch.float64)
    # torch's own mask is (B * H, S, S), True = blocked
    blocked = None if mask is None else ~mask.expand(B, H, S, S).flatten(0, 1)
    expected, expected_weights = theirs(x, x, x, attn_mask=blocked, average_attn_weights=False)
    expected_x, *expected_gradients = torch.autograd.grad((expected * mix).sum(), [x, *theirs.parameters()])
    expected_state = dict(zip((name for name, _ in theirs.named_parameters()), expected_gradients, strict=True))
    for need_weights in (False, True):
        if causal:
            out, weights = ours(x, causal=True, need_weights=need_weights)
        else:
            out, weights = ours(x, mask=mask, need_weights=need_weights)
        x_gradient, *gradients = torch.autograd.grad((out * mix).sum(), [x, *ours.parameters()])
        state = dict(zip((name for name, _ in ours.named_parameters()), gradients, strict=True))
        torch.testing.assert_close(out, expected)
        torch.testing.assert_close(x_gradient, expected_x)
        torch.testing.assert_close(state, to_ours(expected_state, "torch"))
        torch.testing.assert_close(weights, expected_weights if need_weights else None)


# ---------------------------------------------------------------- errors


def theirs_without(layout, *names, **more):
    state = {name: torch.zeros(shape) for name, shape in expected_shapes(layout, bias=True).items()}
    return {name: tensor for name, tensor in (state | more).items() if name not in names}


KDIM = nn.MultiheadAttention(C, H, kdim=13, vdim=17).state_dict()


@pytest.mark.parametrize(
    "state, layout, words",
    [
        ({}, "keras", "layout must be one of torch, labml, annotated, bentrevett, huggingface, llama, .*, got 'keras'"),
        ({}, "labml", r"do not look like labml's: query.linear.weight is missing, found nothing"),
        (theirs_without("labml", "key.linear.weight"), "labml", "key.linear.weight is missing, found query.linear.w"),
        (theirs_without("labml", "key.linear.bias"), "labml", "key.linear.bias is missing"),
        (theirs_without("labml"), "annotated", "like annotated's: linears.0.weight is missing, found query.lin"),
        (theirs_without("bentrevett", scale=torch.zeros(1)), "bentrevett", "scale has no counterpart, only w_q.weight"),
        (theirs_without("annotated", "linears.3.weight"), "annotated", "linears.3.weight is missing"),
        (
            theirs_without("torch", "in_proj_weight"),
            "torch",
            "like torch's: in_proj_weight is missing, found in_proj_b",
        ),
        (theirs_without("torch", "in_proj_bias"), "torch", "in_proj_bias is missing"),
        (theirs_without("torch", "out_proj.weight"), "torch", "out_proj.weight is missing"),
        (
            KDIM,
            "torch",
            r"in_proj_weight is missing, .*; keys of their own width \(kdim, vdim\) have no counterpart here",
        ),
        (theirs_without("torch", bias_k=torch.zeros(1, 1, C)), "torch", "bias_k has no counterpart.* attention alone"),
        (
            theirs_without("huggingface", **{"self.distance_embedding.weight": torch.zeros(31, D)}),
            "huggingface",
            "self.distance_embedding.weight has no counterpart, only self.query.weight to output.dense.bias",
        ),
        (
            theirs_without("labml", **{"output.LayerNorm.weight": torch.zeros(C)}),
            "labml",
            "output.LayerNorm.weight has no",
        ),
    ],
)
def test_errors_name_their_weights_that_do_not_fit(state, layout, words):
    with pytest.raises(ValueError, match=words) as caught:
        to_ours(state, layout)
    assert len(str(caught.value)) < 220 and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "change, layout, words",
    [
        (lambda state: state, "keras", "layout must be one of .*, got 'keras'"),
        (
            lambda state: {n: t for n, t in state.items() if n != "v_proj.weight"},
            "torch",
            "do not look like MultiHeadAttention's: v_proj.weight is missing",
        ),
        (lambda state: state | {"norm.weight": torch.zeros(C)}, "labml", "norm.weight has no counterpart, only q_proj"),
    ],
)
def test_errors_name_our_weights_that_do_not_fit(change, layout, words):
    with pytest.raises(ValueError, match=words):
        from_ours(change(MultiHeadAttention(C, H).state_dict()), layout)


def test_errors_list_up_to_four_of_the_names_found():
    names = ["a", "b", "c", "d", "e"]
    for state, listed in ((names[:4], "a, b, c, d"), (names, "a, b, c, d, ...")):
        with pytest.raises(ValueError) as caught:
            to_ours(dict.fromkeys(state, torch.zeros(1)), "labml")
        assert str(caught.value) == (
            "these weights do not look like labml's: query.linear.weight is missing, found " + listed
        )


def test_weights_without_biases_do_not_load_into_a_module_with_biases():
    state = from_ours(MultiHeadAttention(C, H, bias=False).state_dict(), "labml")
    with pytest.raises(RuntimeError, match="Missing key"):
        MultiHeadAttention(C, H).load_state_dict(to_ours(state, "labml"))
