"""Weight conversion to and from other implementations, against outputs that their own code computed."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from helpers.heads import MultiHeadAttention
from helpers.masks import causal_mask
from models.ports import from_ours, to_ours
from runtime.notebook import reference_outputs
from tests.unit.refusals import require_refused
from tests.unit.tensors import part

DATA = Path(__file__).parents[2] / "data"
B, H, S, D = 2, 3, 7, 11
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


def golden(layout):
    weights, tensors = reference_outputs(f"ports/{layout}")
    attention = MultiHeadAttention(24, 3)
    attention.load_state_dict(to_ours(weights, layout))
    return attention.eval(), tensors


# ---------------------------------------------------------------- against what others computed


@pytest.mark.parametrize("layout", LAYOUTS)
def test_their_weights_reproduce_their_outputs(layout):
    attention, tensors = golden(layout)
    assert torch.equal(tensors["causal.keep_mask"].bool(), causal_mask(5).expand(2, 5, 5))
    calls = [(case, f"{case}.keep_mask", False) for case in CASES]
    for case, name, causal in [*calls, ("causal", "", True), ("causal_padding", "padding.keep_mask", True)]:
        stored, kept = part(tensors, f"{case}."), tensors.get(name)
        context = tensors["input.context"] if case == "cross_padding" else None
        mask = None if kept is None else kept.bool().unsqueeze(1)
        out, _ = attention(tensors["input.x"], context, mask, causal)
        torch.testing.assert_close(out, stored["out"], rtol=0, atol=ROUNDING)
        out, weights = attention(tensors["input.x"], context, mask, causal, need_weights=True)
        torch.testing.assert_close(out, stored["out"], rtol=0, atol=ROUNDING)
        assert stored["out"].abs().max() > 0.1 and ("weights" in stored) == (layout != "bentrevett")
        torch.testing.assert_close(weights, stored.get("weights", weights), rtol=0, atol=ROUNDING)


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


# ---------------------------------------------------------------- round trips


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("layout", FOREIGN)
def test_round_trips_have_the_names_and_shapes_of_both_and_change_nothing(layout, bias):
    ours = MultiHeadAttention(C, H, bias=bias).state_dict()
    theirs = from_ours(ours, layout)
    before = {name: tensor.clone() for name, tensor in theirs.items()}
    assert {name: tuple(tensor.shape) for name, tensor in theirs.items()} == expected_shapes(layout, bias)
    again = to_ours(theirs, layout)
    assert again.keys() == ours.keys() and all(torch.equal(again[name], ours[name]) for name in ours)
    assert theirs.keys() == before.keys() and all(torch.equal(theirs[name], before[name]) for name in before)


# ---------------------------------------------------------------- a real torch.nn.MultiheadAttention


@pytest.mark.parametrize("bias", [True, False])
def test_torch_s_module_gives_equal_outputs_and_gradients(bias):
    ours = MultiHeadAttention(C, H, bias=bias).double()
    theirs = nn.MultiheadAttention(C, H, bias=bias, batch_first=True).double()
    theirs.load_state_dict(from_ours(ours.state_dict(), "torch"))
    x, mix = torch.randn(B, S, C).double().requires_grad_(), torch.randn(B, S, C).double()
    mask = (torch.rand(B, H, S, S) < 0.5) | torch.eye(S, dtype=torch.bool)
    # torch's own mask is (B * H, S, S), True = blocked
    expected = theirs(x, x, x, attn_mask=~mask.flatten(0, 1), average_attn_weights=False)
    expected_x, *gradients = torch.autograd.grad((expected[0] * mix).sum(), [x, *theirs.parameters()])
    expected_state = to_ours(dict(zip(dict(theirs.named_parameters()), gradients, strict=True)), "torch")
    for need_weights in (False, True):
        out, weights = ours(x, mask=mask, need_weights=need_weights)
        x_gradient, *gradients = torch.autograd.grad((out * mix).sum(), [x, *ours.parameters()])
        torch.testing.assert_close(out, expected[0])
        torch.testing.assert_close(x_gradient, expected_x)
        torch.testing.assert_close(dict(zip(dict(ours.named_parameters()), gradients, strict=True)), expected_state)
        torch.testing.assert_close(weights, expected[1] if need_weights else None)


# ---------------------------------------------------------------- errors


def theirs_without(layout, *names, **more):
    state = {name: torch.zeros(shape) for name, shape in expected_shapes(layout, bias=True).items()}
    return {name: tensor for name, tensor in (state | more).items() if name not in names}


def test_errors_name_the_weights_that_do_not_fit():
    kdim = nn.MultiheadAttention(C, H, kdim=13, vdim=17).state_dict()
    labml, ours = theirs_without("labml"), MultiHeadAttention(C, H).state_dict()
    norm = {"output.LayerNorm.weight": torch.zeros(C)}
    distances = theirs_without("huggingface", **{"self.distance_embedding.weight": torch.zeros(31, D)})
    look, alone = "ValueError: these weights do not look like", "pass the weights of one plain attention alone"
    require_refused(
        (
            "ValueError: layout must be one of torch, labml, annotated, bentrevett, huggingface, ",
            lambda: to_ours({}, "a"),
        ),
        ("ValueError: layout must be one of torch, labml, annotated, ", lambda: from_ours(ours, "keras")),
        (f"{look} labml's: query.linear.weight is missing, found nothing", lambda: to_ours({}, "labml")),
        (f"{look} annotated's: linears.0.weight is missing, found query.lin", lambda: to_ours(labml, "annotated")),
        (
            f"{look} labml's: key.linear.bias is missing, found query.linear.weight, query.linear.bias, "
            "key.linear.weight, value.linear.weight, ...",
            lambda: to_ours(theirs_without("labml", "key.linear.bias"), "labml"),
        ),
        *(
            (f"{look} torch's: {name} is missing", lambda name=name: to_ours(theirs_without("torch", name), "torch"))
            for name in ("in_proj_weight", "in_proj_bias", "out_proj.weight")
        ),
        ("ValueError: keys of their own width (kdim, vdim) have no counterpart", lambda: to_ours(kdim, "torch")),
        ("ValueError: has no counterpart, only self.query.weight to", lambda: to_ours(distances, "huggingface")),
        (
            f"ValueError: output.LayerNorm.weight has no counterpart, only query.linear.weight to output.bias; {alone}",
            lambda: to_ours(labml | norm, "labml"),
        ),
        (f"{look} MultiHeadAttention's: q_proj.weight is missing", lambda: from_ours(labml, "torch")),
        (
            "ValueError: norm.weight has no counterpart, only q_proj",
            lambda: from_ours(ours | {"norm.weight": 0}, "labml"),
        ),
    )
