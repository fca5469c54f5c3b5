"""dot_product_attention and the single-head modules, against PyTorch and against printed tables."""

import json
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from helpers.attention import CausalAttention, SelfAttention, dot_product_attention
from helpers.masks import causal_mask
from runtime import notebook
from tests.unit.oracles import sdpa

B, H, T, S, D, DV = 2, 3, 5, 7, 11, 13
ARTICLE = json.loads((Path(__file__).parents[2] / "data" / "causal_article.json").read_text(encoding="utf-8"))

# Largest differences that rounding alone explains: one step of bfloat16 at 1 is 0.008, of float16 0.001.
TOLERANCE = {torch.float64: 1e-12, torch.float32: 2e-6, torch.bfloat16: 3e-2, torch.float16: 4e-3}


def inputs(*lead, dtype=torch.float32, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [
        torch.randn(*lead, *size, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()
        for size in ((T, D), (S, D), (S, DV))
    ]


def masks_for(*lead):
    """One mask of each broadcastable kind, fully masked rows among them."""
    generator = torch.Generator().manual_seed(5)
    shapes = [(T, S), (1, S), (S,), *([(lead[0], *[1] * (len(lead) - 1), 1, S), (*lead, T, S)] if lead else [])]
    found = []
    for shape in shapes:
        mask = torch.rand(shape, generator=generator) < 0.5
        if len(shape) > 1:
            mask.view(-1, S)[0] = False
        found.append(mask)
    return found


def with_gradients(attend, tensors):
    out = attend(*tensors)
    weight = torch.randn(out.shape, generator=torch.Generator().manual_seed(9), dtype=torch.float64).to(out.dtype)
    return out, torch.autograd.grad((out * weight).sum(), tensors)


def agree(a, b, dtype):
    torch.testing.assert_close(a, b, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.parametrize("lead", [(), (B,), (B, H)], ids=str)
@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
def test_equals_sdpa_in_outputs_and_gradients(lead, dtype):
    tensors = inputs(*lead, dtype=dtype)
    agree(
        with_gradients(lambda *x: dot_product_attention(*x)[0], tensors),
        with_gradients(F.scaled_dot_product_attention, tensors),
        dtype,
    )


@pytest.mark.parametrize("lead", [(), (B,), (B, H)], ids=str)
@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
def test_equals_sdpa_with_masks_fully_masked_rows_included(lead, dtype):
    tensors = inputs(*lead, dtype=dtype)
    for mask in masks_for(*lead):
        sdpa_mask = mask.expand(*lead, T, S)
        agree(
            with_gradients(lambda *x, m=mask: dot_product_attention(*x, m)[0], tensors),
            with_gradients(lambda *x, m=sdpa_mask: sdpa(*x, m), tensors),
            dtype,
        )


def test_shapes_are_those_promised():
    out, weights = dot_product_attention(*inputs(B, H))
    assert out.shape == (B, H, T, DV) and weights.shape == (B, H, T, S)
    torch.testing.assert_close(weights.sum(-1), torch.ones(B, H, T))


def test_one_query_by_hand():
    q, k, v = (t.detach() for t in inputs())
    shares = torch.tensor([torch.dot(q[2], key) / D**0.5 for key in k]).exp()
    torch.testing.assert_close(dot_product_attention(q, k, v)[0][2], (shares[:, None] * v).sum(0) / shares.sum())


def test_one_key_one_feature_and_one_value_are_enough():
    q, k, v = torch.tensor([[2.0]]), torch.tensor([[3.0]]), torch.tensor([[5.0]])
    out, weights = dot_product_attention(q, k, v, causal_mask(1))
    assert out.tolist() == [[5.0]] and weights.tolist() == [[1.0]]


def test_key_order_does_not_matter_and_items_do_not_mix():
    q, k, v = inputs(B)
    order = torch.randperm(S, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(dot_product_attention(q, k[:, order], v[:, order])[0], dot_product_attention(q, k, v)[0])
    torch.testing.assert_close(dot_product_attention(q, k, v)[0][1], dot_product_attention(q[1], k[1], v[1])[0])


def test_dropout_is_applied_to_the_weights_that_are_returned():
    q, k, v = inputs(B)
    out, weights = dot_product_attention(q, k, v, dropout=lambda w: w * 2)
    torch.testing.assert_close(weights, 2 * dot_product_attention(q, k, v)[1])
    torch.testing.assert_close(out, weights @ v)


def test_gradients_match_finite_differences():
    tensors = [t[0, :3].detach().requires_grad_() for t in inputs(1, dtype=torch.float64)]
    mask = torch.tensor([[True, False, False], [True, True, False], [False, False, False]])
    assert torch.autograd.gradcheck(lambda *x: dot_product_attention(*x, mask), tensors)


@pytest.mark.parametrize(
    "change, error, words",
    [
        (lambda q, k, v: (q.long(), k, v), TypeError, "q must be a tensor of floats, got torch.int64"),
        (lambda q, k, v: (q, k.tolist(), v), TypeError, "k must be a tensor of floats, got list"),
        (lambda q, k, v: (q, k, v.int()), TypeError, "^v must be a tensor of floats, got torch.int32"),
        (
            lambda q, k, v: (q, k, v.double()),
            TypeError,
            r"share one dtype, got torch.float32, torch.float32, torch.float64; convert with .to\(q.dtype\)$",
        ),
        (
            lambda q, k, v: (q[..., :3], k, v),
            ValueError,
            r"q must be \(..., T, D\).*: D is 3 in q and 11 in k",
        ),
        (
            lambda q, k, v: (q[..., :0], k[..., :0], v),
            ValueError,
            r"q must be \(..., T, D\).*: D is 0 in q, and must be at least 1",
        ),
        (lambda q, k, v: (q, k, v[:, :3]), ValueError, r"q must be \(..., T, D\).*: S is 7 in k and 3 in v"),
        (lambda q, k, v: (q, k[:, :0], v[:, :0]), ValueError, r": S is 0 in k, and must be at least 1"),
        (lambda q, k, v: (q[:, :0], k, v), ValueError, "T is 0 in q, and must be at least 1"),
        (lambda q, k, v: (q[0, 0], k, v), ValueError, r"q must be \(..., T, D\), .* got q \(11,\), k"),
        (lambda q, k, v: (q.repeat(2, 1, 1)[:3], k, v), ValueError, "agree in all axes before the last two"),
        (lambda q, k, v: (q, k.repeat(2, 1, 1)[:3], v), ValueError, "agree in all axes before the last two"),
        (lambda q, k, v: (q, k, v.repeat(2, 1, 1)[:3]), ValueError, "agree in all axes before the last two"),
        (lambda q, k, v: (q, k.to("meta"), v), ValueError, "q, k and v must share one device, got cpu, meta, cpu"),
        (lambda q, k, v: (q, k, v, torch.ones(T, S)), TypeError, "mask must be bool"),
        (lambda q, k, v: (q, k, v, torch.ones(S, T, dtype=torch.bool)), ValueError, "does not broadcast"),
        (lambda q, k, v: (q, k, v, None, 0.1), TypeError, r"for a probability p pass nn.Dropout\(p\)"),
    ],
)
def test_bad_input_raises_an_error_of_one_sentence(change, error, words):
    with pytest.raises(error, match=words) as caught:
        dot_product_attention(*change(*(t.detach() for t in inputs(B))))
    assert len(str(caught.value)) < 200 and "\n" not in str(caught.value)


# ---------------------------------------------------------------- modules


def projections():
    """The article's random draws: three matrices, in this order, after seed 123."""
    torch.manual_seed(123)
    return SelfAttention(3, 2)


def test_projections_are_drawn_in_the_order_of_the_article():
    module = projections()
    for name in ("W_query", "W_key", "W_value"):
        torch.testing.assert_close(
            getattr(module, name).weight.detach(), torch.tensor(ARTICLE["extra"][name]), rtol=0, atol=1e-6
        )
        assert getattr(module, name).bias is None
    assert list(module.state_dict()) == ["W_query.weight", "W_key.weight", "W_value.weight"]


def table(name):
    """A printed table of the article; -inf was written as a word."""
    return torch.tensor([[float(x) for x in row] for row in ARTICLE[name]["printed"]])


def test_tables_of_the_article_up_to_the_softmax_of_masked_scores():
    module, (_, x) = projections(), notebook.example_sentence()
    q, k = module.W_query(x), module.W_key(x)
    weights, mask = module(x)[1], causal_mask(6)
    masked = weights * mask
    filled = (q @ k.T).masked_fill(~mask, float("-inf"))
    steps = {
        "attn_weights": weights,
        "mask_matrix": mask.float(),
        "masked_attn_weights": masked,
        "masked_attn_weights_norm": masked / masked.sum(-1, keepdim=True),
        "masked_attn_scores": filled,
        "attn_weights_softmax": (filled / 2**0.5).softmax(-1),
    }
    for name, ours in steps.items():
        torch.testing.assert_close(ours.detach(), table(name), rtol=0, atol=5.1e-5, msg=name)  # half of the last digit


def test_causal_attention_in_evaluation_gives_the_context_vectors_of_the_article():
    module = CausalAttention(3, 2, context_length=6, dropout=0.1).eval()
    with torch.no_grad():
        for name in ("W_query", "W_key", "W_value"):
            getattr(module, name).weight.copy_(torch.tensor(ARTICLE["extra"][f"ca_{name}"]))
    x = torch.stack([notebook.example_sentence()[1]] * 2)
    torch.testing.assert_close(
        module(x)[0].detach(), torch.tensor(ARTICLE["extra"]["ca_eval_context"]), rtol=0, atol=1e-5
    )


def test_qkv_bias_gives_all_three_projections_a_bias():
    for module in (SelfAttention(D, DV, qkv_bias=True), CausalAttention(D, DV, T, 0.0, qkv_bias=True)):
        assert [layer.bias.shape for layer in (module.W_query, module.W_key, module.W_value)] == [(DV,)] * 3


def test_self_attention_equals_sdpa_and_its_own_parts():
    module, x = SelfAttention(D, DV, qkv_bias=True), torch.randn(B, T, D)
    out, weights = module(x)
    torch.testing.assert_close(
        out, F.scaled_dot_product_attention(module.W_query(x), module.W_key(x), module.W_value(x))
    )
    assert weights.shape == (B, T, T)
    torch.testing.assert_close(module(x[0])[0], out[0])


@pytest.mark.parametrize("length", [1, 3, 7])
def test_causal_attention_hides_the_future_and_sees_the_past(length):
    module, x = CausalAttention(D, DV, 7, 0.0), torch.randn(B, length, D)
    out, weights = module(x)
    assert (weights.triu(1) == 0).all()
    changed = x.clone()
    changed[:, -1] += 1
    if length > 1:
        torch.testing.assert_close(module(changed)[0][:, :-1], out[:, :-1])
        changed = x.clone()
        changed[:, 0] += 1
        assert (module(changed)[0][:, -1] - out[:, -1]).abs().max() > 1e-4


def test_causal_attention_drops_weights_in_training_only():
    module, x = CausalAttention(D, DV, T, 0.5), torch.randn(B, T, D)
    torch.manual_seed(0)
    trained = module(x)[1]
    assert (trained.tril()[:, 1:, 0] == 0).any() and not torch.equal(trained, module(x)[1])
    module.eval()
    assert torch.equal(module(x)[1], module(x)[1])
    torch.testing.assert_close(module(x)[1].sum(-1), torch.ones(B, T))


@pytest.mark.parametrize(
    "p, error, words",
    [
        (
            1,
            ValueError,
            "a dropout probability p must be at least 0 and below 1, got 1; it is the share that becomes 0",
        ),
        (1.5, ValueError, "got 1.5"),
        (-0.1, ValueError, "got -0.1"),
        (float("nan"), ValueError, "got nan"),
        ("0.1", TypeError, "a dropout probability must be a number, got '0.1'"),
        (None, TypeError, "got None"),
        (True, TypeError, "got True"),
        (nn.Dropout(0.1), TypeError, "got Dropout"),
    ],
)
def test_dropout_must_be_a_probability(p, error, words):
    with pytest.raises(error, match=words):
        CausalAttention(D, DV, T, p)


@pytest.mark.parametrize("p", [0, 0.0, 0.999])
def test_dropout_may_be_0_or_just_below_1(p):
    assert CausalAttention(D, DV, T, p).dropout.p == p


def test_the_mask_is_a_buffer_that_moves_and_is_not_saved():
    module = CausalAttention(D, DV, T, 0.1)
    assert module.to("meta").mask.device.type == "meta"
    assert not any("mask" in name for name in module.state_dict())


@pytest.mark.parametrize(
    "x, error, words",
    [
        (torch.zeros(B, T, D, dtype=torch.long), TypeError, "token ids go through an embedding first"),
        (
            torch.zeros(B, T, D - 1),
            ValueError,
            r"x must be \(..., T, 11\), got \(2, 5, 10\)",
        ),
        (torch.zeros(B, 0, D), ValueError, r"x must be .* with at least one position, got \(2, 0, 11\)"),
        (torch.zeros(D), ValueError, r"x must be \(..., T, 11\), got \(11,\)"),
        (
            torch.zeros(B, T, D).double(),
            TypeError,
            "x must be torch.float32 like the module's weights, got torch.float64",
        ),
        (torch.zeros(B, T, D, device="meta"), ValueError, "x is on meta, the module on cpu"),
    ],
)
def test_modules_say_what_is_wrong_with_x(x, error, words):
    for module in (SelfAttention(D, DV), CausalAttention(D, DV, S, 0.0)):
        with pytest.raises(error, match=words):
            module(x)


def test_a_sequence_beyond_the_context_length_is_refused():
    with pytest.raises(ValueError, match="x has 6 positions, but context_length is 5"):
        CausalAttention(D, DV, 5, 0.0)(torch.zeros(B, 6, D))


def test_autocast_may_mix_dtypes():
    module = SelfAttention(D, DV)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert module(torch.randn(B, T, D).bfloat16())[0].dtype == torch.bfloat16


def test_all_parameters_get_gradients():
    module, x = nn.Sequential(nn.Identity(), CausalAttention(D, DV, T, 0.0)), torch.randn(B, T, D)
    module(x)[0].square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in module.parameters())
