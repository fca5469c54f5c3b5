"""MultiHeadAttention: both paths against each other, a loop, and PyTorch."""

import copy
import math
import pickle

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from helpers import heads
from helpers.attention import dot_product_attention
from helpers.heads import MultiHeadAttention, merge_heads, split_heads
from helpers.masks import causal_mask, padding_mask
from tests.unit.oracles import sdpa

B, H, T, S, D = 2, 3, 5, 7, 11
C = H * D

# Largest differences that rounding alone explains, as shares of the largest number: gradients add up many terms,
# and that of k_proj.bias is 0 but for rounding. One step of bfloat16 at 1 is 0.008.
TOLERANCE = {torch.float64: 1e-14, torch.float32: 2e-6, torch.bfloat16: 3e-2}
MASK_SHAPES = [
    (S,),
    (1, S),
    (T, S),
    (T, 1),
    (H, T, S),
    (H, 1, S),
    (1, 1, S),
    (1, T, S),
    (B, 1, 1, S),
    (B, 1, T, S),
    (B, H, 1, S),
    (B, H, T, S),
    (1, H, T, S),
]


def random(*shape, seed=0, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def module(num_heads=H, dtype=torch.float32, **options):
    """Parameters larger than PyTorch's initial ones, so that attention is far from uniform."""
    made = MultiHeadAttention(C, num_heads, **options)
    for i, parameter in enumerate(made.parameters()):
        parameter.data = random(*parameter.shape, seed=100 + i) * 0.25
    return made.to(dtype)


def some_mask(*shape):
    """Half of the keys hidden; where queries differ, the first one sees no key at all."""
    mask = torch.rand(shape, generator=torch.Generator().manual_seed(5)) < 0.5
    if len(shape) > 1 and shape[-2] == T:
        mask.view(-1, *shape[-2:])[0, 0] = False
    if len(shape) == 1 or shape[-2] == 1:
        mask[..., 3] = True
    return mask


def outcome(attention, x, context=None, **options):
    """The output, and the gradients of x, of the context, and of every parameter."""
    leaves = [t.detach().clone().requires_grad_() for t in (x, context) if t is not None]
    out = attention(*leaves, **options)[0]
    weight = random(*out.shape, seed=9, dtype=out.dtype)
    return out, torch.autograd.grad((out * weight).sum(), [*leaves, *attention.parameters()])


def agree(a, b, dtype=torch.float32):
    """Whether tensors, or tuples of tensors, are equal but for rounding."""
    largest = max(t.abs().max().item() for t in ([b] if isinstance(b, torch.Tensor) else b))
    torch.testing.assert_close(a, b, rtol=0, atol=TOLERANCE[dtype] * max(1, largest))


def paths_agree(attention, *inputs, dtype=torch.float32, **options):
    fast, explicit = (outcome(attention, *inputs, **options, need_weights=n) for n in (False, True))
    agree(fast[0], explicit[0], dtype)
    agree(fast[1], explicit[1], dtype)


# ---------------------------------------------------------------- the fused path and the explicit path


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("shape", MASK_SHAPES, ids=str)
def test_both_paths_agree_under_every_mask_in_outputs_and_gradients(shape, dtype):
    paths_agree(
        module(dtype=dtype),
        random(B, T, C, dtype=dtype),
        random(B, S, C, seed=1, dtype=dtype),
        mask=some_mask(*shape),
        dtype=dtype,
    )


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"causal": True},
        {"causal": True, "mask": padding_mask([3, 5], T)[:, None]},
        {"causal": True, "mask": torch.ones(T, T, dtype=torch.bool).triu(-1)},
        {"causal": True, "mask": torch.arange(T) > 1},
    ],
    ids=["plain", "causal", "causal-padding", "causal-band", "causal-first-rows-see-nothing"],
)
def test_both_paths_agree_in_self_attention(options, dtype):
    paths_agree(module(dtype=dtype), random(B, T, C, dtype=dtype), dtype=dtype, **options)


@pytest.mark.parametrize("num_heads", [1, H, D, C])
@pytest.mark.parametrize("length", [1, 2, T])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_both_paths_agree_for_other_sizes(num_heads, length, causal, bias):
    paths_agree(
        module(num_heads, torch.float64, bias=bias),
        random(B, length, C, dtype=torch.float64),
        causal=causal,
        dtype=torch.float64,
    )


@pytest.mark.parametrize("lead", [(), (1,), (B, 2)], ids=str)
@pytest.mark.parametrize(
    "mask", [None, some_mask(S), some_mask(T, S), some_mask(H, T, S)], ids=["none", "S", "TS", "HTS"]
)
def test_both_paths_agree_for_any_number_of_batch_axes(lead, mask):
    paths_agree(module(), random(*lead, T, C), random(*lead, S, C, seed=1), mask=mask)


def test_an_item_gives_the_same_alone_and_in_a_batch():
    attention, x, context = module(), random(B, T, C), random(B, S, C, seed=1)
    for need_weights in (False, True):
        alone, _ = attention(x[1], context[1], need_weights=need_weights)
        agree(alone, attention(x, context, need_weights=need_weights)[0][1])
        agree(
            attention(x[1], causal=True, need_weights=need_weights)[0],
            attention(x, causal=True, need_weights=need_weights)[0][1],
        )


@pytest.mark.parametrize("need_weights", [False, True])
def test_equals_a_loop_over_heads(need_weights):
    attention, x, context = module(), random(B, T, C), random(B, S, C, seed=1)
    mask = some_mask(B, H, T, S)
    q, k, v = attention.q_proj(x), attention.k_proj(context), attention.v_proj(context)
    found = [dot_product_attention(*(t[..., h * D : (h + 1) * D] for t in (q, k, v)), mask[:, h]) for h in range(H)]
    out, weights = attention(x, context, mask, need_weights=need_weights)
    agree(out, attention.out_proj(torch.cat([head for head, _ in found], dim=-1)))
    if need_weights:
        agree(weights, torch.stack([w for _, w in found], dim=1))


@pytest.mark.parametrize("need_weights", [False, True])
def test_project_and_attend_are_forward_and_a_head_can_be_silenced_between_them(need_weights):
    attention, x, context = module(), random(B, T, C), random(B, S, C, seed=1)
    mask = some_mask(T, S)
    q, k, v = attention.project(x, context)
    out, weights = attention(x, context, mask, need_weights=need_weights)
    found = attention.attend(q, k, v, mask, need_weights=need_weights)
    assert torch.equal(found[0], out) and (weights is None or torch.equal(found[1], weights))
    kept = torch.tensor([1.0, 0.0, 1.0])
    silenced = attention.attend(q, k, v * kept[:, None, None], mask)[0]  # a head that finds zeros
    agree(attention.attend(q, k, v, mask, need_weights=need_weights, head_mask=kept)[0], silenced)
    assert (silenced - out).abs().max() > 1e-3


@pytest.mark.parametrize("need_weights", [False, True])
def test_equals_sdpa_with_heads_split_by_hand(need_weights):
    attention, x, context = module(), random(B, T, C), random(B, S, C, seed=1)
    q, k, v = (
        layer(t).view(B, -1, H, D).permute(0, 2, 1, 3)
        for layer, t in ((attention.q_proj, x), (attention.k_proj, context), (attention.v_proj, context))
    )
    mask = some_mask(B, 1, T, S)
    expected = sdpa(q, k, v, mask).permute(0, 2, 1, 3).reshape(B, T, C)
    agree(attention(x, context, mask, need_weights=need_weights)[0], attention.out_proj(expected))


def peer(attention):
    """torch.nn.MultiheadAttention with the same weights, copied by hand."""
    made = nn.MultiheadAttention(C, H, batch_first=True)
    for kind in ("weight", "bias"):
        stacked = [getattr(layer, kind).data for layer in (attention.q_proj, attention.k_proj, attention.v_proj)]
        getattr(made, f"in_proj_{kind}").data = torch.cat(stacked)
        getattr(made.out_proj, kind).data = getattr(attention.out_proj, kind).data.clone()
    return made


def test_equals_torch_nn_multiheadattention():
    attention, x, context = module(), random(B, T, C), random(B, S, C, seed=1)
    theirs = peer(attention)
    seen = padding_mask([4, 7], S)  # (B, 1, S)
    expected = theirs(x, context, context, key_padding_mask=~seen[:, 0], average_attn_weights=False)
    agree(attention(x, context, seen.unsqueeze(1), need_weights=True), expected)
    agree(attention(x, context, seen.unsqueeze(1))[0], expected[0])
    expected = theirs(x, x, x, attn_mask=~causal_mask(T), average_attn_weights=False)
    agree(attention(x, causal=True, need_weights=True), expected)
    agree(attention(x, causal=True)[0], expected[0])


def test_weights_are_returned_only_on_request_and_rows_sum_to_one_or_zero():
    attention, x, context = module(), random(B, T, C), random(B, S, C, seed=1)
    mask = padding_mask([4, 0], S).unsqueeze(1)
    out, weights = attention(x, context, mask)
    assert out.shape == (B, T, C) and weights is None
    out, weights = attention(x, context, mask, need_weights=True)
    assert out.shape == (B, T, C) and weights.shape == (B, H, T, S)
    agree(weights.sum(-1), torch.tensor([1.0, 0.0])[:, None, None].expand(B, H, T))
    assert (weights[0, ..., 4:] == 0).all() and (weights[0, ..., :4] > 0).all()


@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
def test_a_fully_masked_row_gives_the_bias_alone_and_finite_gradients(need_weights, dtype):
    attention = module(dtype=dtype)
    mask = torch.ones(T, S, dtype=torch.bool)
    mask[2] = False
    inputs = random(B, T, C, dtype=dtype), random(B, S, C, seed=1, dtype=dtype)
    out, gradients = outcome(attention, *inputs, mask=mask, need_weights=need_weights)
    assert torch.equal(out[:, 2], attention.out_proj.bias.expand(B, C))  # zeros went into out_proj
    assert (out[:, [0, 1, 3, 4]] - attention.out_proj.bias).abs().amin(dim=(0, 1)).max() > 0
    assert all(gradient.isfinite().all() for gradient in gradients)
    assert (gradients[0][:, 2] == 0).all() and gradients[0][:, 1].abs().max() > 1e-3


@pytest.mark.parametrize("need_weights", [False, True])
def test_gradients_match_finite_differences(need_weights):
    attention, x = MultiHeadAttention(6, 2).double(), random(3, 6, dtype=torch.float64).requires_grad_()
    context = random(4, 6, seed=1, dtype=torch.float64).requires_grad_()
    mask = torch.tensor([[True, False, True, False], [True] * 4, [False] * 4])
    assert torch.autograd.gradcheck(lambda *t: attention(*t, mask, need_weights=need_weights)[0], (x, context))


# ---------------------------------------------------------------- the future stays hidden


@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize("mask", [None, torch.ones(S, dtype=torch.bool)], ids=["alone", "with-mask"])
def test_nothing_leaks_from_the_future_and_the_past_is_read(need_weights, mask):
    attention, x = module(), random(B, S, C).requires_grad_()
    for t in range(S):
        out = attention(x, mask=mask, causal=True, need_weights=need_weights)[0]
        (gradient,) = torch.autograd.grad(out[:, t].square().sum(), x)
        assert (gradient[:, t + 1 :] == 0).all() and (gradient[:, : t + 1].abs().amax(-1) > 0).all()


@pytest.mark.parametrize("need_weights", [False, True])
def test_hidden_keys_and_other_items_do_not_matter(need_weights):
    attention, x, context = module(), random(B, T, C), random(B, S, C, seed=1)
    mask = padding_mask([4, 6], S).unsqueeze(1)
    before = attention(x, context, mask, need_weights=need_weights)[0]
    changed = context.clone()
    changed[0, 4:] = 1e4
    agree(attention(x, changed, mask, need_weights=need_weights)[0], before)
    changed[1] = 0
    after = attention(x, changed, mask, need_weights=need_weights)[0]
    agree(after[0], before[0])
    assert (after[1] - before[1]).abs().max() > 1e-3


@pytest.fixture
def old_pytorch(monkeypatch):
    """PyTorch before 2.5, whose own attention gives NaN for a row that is fully masked."""
    real = F.scaled_dot_product_attention

    def old(q, k, v, attn_mask=None, **options):
        out = real(q, k, v, attn_mask, **options)
        return out if attn_mask is None else out.masked_fill(~attn_mask.any(-1, keepdim=True), math.nan)

    monkeypatch.setattr(F, "scaled_dot_product_attention", old)
    monkeypatch.setattr(heads, "EMPTY_ROWS_GIVE_ZEROS", False)


@pytest.mark.parametrize("shape", MASK_SHAPES, ids=str)
def test_both_paths_agree_in_an_old_pytorch(old_pytorch, shape):
    paths_agree(module(), random(B, T, C), random(B, S, C, seed=1), mask=some_mask(*shape))


@pytest.mark.parametrize(
    "mask", [None, some_mask(S), some_mask(T, S), some_mask(H, T, S)], ids=["none", "S", "TS", "HTS"]
)
def test_both_paths_agree_in_an_old_pytorch_without_a_batch(old_pytorch, mask):
    paths_agree(module(), random(T, C), random(S, C, seed=1), mask=mask)


def test_dropout_acts_in_an_old_pytorch_too(old_pytorch):
    attention, x, mask = module(dropout=0.5), random(B, T, C), some_mask(T, T)
    assert not torch.equal(attention(x, mask=mask)[0], attention.eval()(x, mask=mask)[0])


def record_sdpa(monkeypatch):
    calls, real = [], F.scaled_dot_product_attention

    def recorded(q, k, v, attn_mask, **options):
        calls.append({"attn_mask": attn_mask, **options})
        return real(q, k, v, attn_mask, **options)

    monkeypatch.setattr(F, "scaled_dot_product_attention", recorded)
    monkeypatch.setattr(heads, "EMPTY_ROWS_GIVE_ZEROS", True)  # the mask as it is, whatever this PyTorch makes of it
    return calls


def test_causal_without_a_mask_builds_no_mask(monkeypatch):
    calls = record_sdpa(monkeypatch)
    monkeypatch.setattr(heads, "causal_mask", lambda *_: pytest.fail("a T x T mask was built"))
    module()(random(B, T, C), causal=True)
    module()(random(B, T, C))
    assert [call["is_causal"] for call in calls] == [True, False]
    assert [call["attn_mask"] for call in calls] == [None, None]


def test_causal_is_combined_with_a_mask(monkeypatch):
    calls, mask = record_sdpa(monkeypatch), some_mask(B, 1, T, T)
    module()(random(B, T, C), mask=mask, causal=True)
    module()(random(B, T, C), mask=mask)
    assert not any(call.get("is_causal") for call in calls)
    assert torch.equal(calls[0]["attn_mask"], mask & causal_mask(T))
    assert torch.equal(calls[1]["attn_mask"], mask)


def test_the_explicit_path_uses_the_formula_and_the_fused_path_the_kernel(monkeypatch):
    calls, attention = record_sdpa(monkeypatch), module()
    attention(random(B, T, C), need_weights=True)
    assert calls == []
    monkeypatch.setattr(heads, "dot_product_attention", lambda *_: pytest.fail("the formula was used"))
    attention(random(B, T, C))
    assert len(calls) == 1


class Largest(TorchDispatchMode):
    """Records the largest tensor that any operation gives, forwards and backwards."""

    elements = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, (tuple, list)) else [result]:
            if isinstance(tensor, torch.Tensor):
                self.elements = max(self.elements, tensor.numel())
        return result


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("batch", [1, B])
def test_the_fused_path_never_holds_a_table_of_queries_by_keys(batch, causal):
    many = 211
    attention, x = module(), random(batch, many, C).requires_grad_()
    elements = {}
    for need_weights in (False, True):
        with Largest() as largest:
            attention(x, causal=causal, need_weights=need_weights)[0].sum().backward()
        elements[need_weights] = largest.elements
    assert elements[False] < many * many <= elements[True]


# ---------------------------------------------------------------- dropout


def counting_module(p):
    """All keys weigh the same, every value is 1, and the output is out_proj's input."""
    attention = MultiHeadAttention(C, H, dropout=p)
    for parameter in attention.parameters():
        nn.init.zeros_(parameter)
    nn.init.ones_(attention.v_proj.bias)
    nn.init.eye_(attention.out_proj.weight)
    return attention


@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize("p", [0.2, 0.5])
def test_dropout_drops_single_weights_and_keeps_their_expected_sum(need_weights, p):
    attention, items = counting_module(p), 400
    out = attention(torch.zeros(items, T, C), torch.zeros(items, S, C), need_weights=need_weights)[0].detach()
    kept = out[..., ::D] * S * (1 - p)  # one column of each head: (items, T, H), how many of S keys were kept
    torch.testing.assert_close(kept, kept.round(), rtol=0, atol=1e-4)
    assert kept.unique().numel() > 4 and kept.min() >= 0 and kept.max() < S + 0.5
    deviation = math.sqrt(p * (1 - p) * S / kept.numel())  # of the mean of that many binomial numbers
    assert abs(kept.mean().item() - S * (1 - p)) < 5 * deviation
    attention.eval()
    agree(attention(torch.zeros(B, T, C), need_weights=need_weights)[0], torch.ones(B, T, C))


@pytest.mark.parametrize("mask", [None, some_mask(T, T)], ids=["none", "mask"])
@pytest.mark.parametrize("need_weights", [False, True])
def test_dropout_acts_in_training_only(need_weights, mask):
    attention, x = module(dropout=0.5), random(B, T, C)
    assert not torch.equal(
        attention(x, mask=mask, need_weights=need_weights)[0], attention(x, mask=mask, need_weights=need_weights)[0]
    )
    plain = module()(x, mask=mask, need_weights=need_weights)[0]
    assert torch.equal(attention.eval()(x, mask=mask, need_weights=need_weights)[0], plain)
    assert torch.equal(attention(x, mask=mask, need_weights=need_weights)[0], plain)


@pytest.mark.parametrize("need_weights", [False, True])
def test_dropout_of_0_changes_nothing_in_training(need_weights):
    attention, x = module(dropout=0.0), random(B, T, C)
    trained = attention.train()(x, need_weights=need_weights)[0]
    assert torch.equal(trained, attention.eval()(x, need_weights=need_weights)[0])


def test_the_returned_weights_are_the_ones_used():
    attention, x, mask = module(dropout=0.5), random(B, T, C), some_mask(T, T)
    out, weights = attention(x, mask=mask, need_weights=True)
    v = split_heads(attention.v_proj(x), H)
    agree(out, attention.out_proj(merge_heads(weights @ v)))
    plain = attention.eval()(x, mask=mask, need_weights=True)[1]
    kept = weights > 0
    agree(weights[kept], 2 * plain[kept])
    assert (kept != (plain > 0)).any() and (weights[..., ~mask] == 0).all()


@pytest.mark.parametrize(
    "p, error, words",
    [
        (1.0, ValueError, "a dropout probability p must be at least 0 and below 1, got 1.0"),
        (-0.1, ValueError, "got -0.1"),
        (float("nan"), ValueError, "got nan"),
        (10, ValueError, "got 10"),
        ("0.1", TypeError, "a dropout probability must be a number, got '0.1'"),
        (None, TypeError, "got None"),
        (True, TypeError, "got True"),
        (nn.Dropout(0.1), TypeError, "must be a number, got Dropout"),
    ],
)
def test_dropout_must_be_a_probability(p, error, words):
    with pytest.raises(error, match=words):
        MultiHeadAttention(C, H, dropout=p)


# ---------------------------------------------------------------- robustness


@pytest.mark.parametrize("need_weights", [False, True])
def test_inputs_are_not_modified(need_weights):
    attention, tensors = module(dropout=0.5), (random(B, T, C), random(B, T, C, seed=1), some_mask(B, 1, T, T))
    before = [t.clone() for t in tensors]
    for causal in (False, True):
        attention(*tensors, causal=causal, need_weights=need_weights)
    assert all(torch.equal(t, b) for t, b in zip(tensors, before, strict=True))


@pytest.mark.parametrize("need_weights", [False, True])
def test_autocast_gives_bfloat16_near_the_float32_result(need_weights):
    attention, x = module(), random(B, T, C)
    mask = some_mask(B, 1, T, T)
    expected = attention(x, mask=mask, need_weights=need_weights)[0]
    for given in (x, x.bfloat16()):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = attention(given, mask=mask, need_weights=need_weights)[0]
        assert out.dtype == torch.bfloat16
        torch.testing.assert_close(out.float(), expected, rtol=0.05, atol=0.05 * expected.abs().max().item())


@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_without_gradients_the_output_is_the_same(mode, need_weights):
    attention, x = module(), random(B, T, C)
    expected = attention(x, causal=True, need_weights=need_weights)[0]
    with mode():
        out = attention(x, causal=True, need_weights=need_weights)[0]
    assert not out.requires_grad and expected.requires_grad
    agree(out, expected.detach())


def test_functional_call_takes_other_weights():
    attention, other, x = module(), MultiHeadAttention(C, H), random(B, T, C)
    out, _ = torch.func.functional_call(other, dict(attention.named_parameters()), (x,), {"causal": True})
    agree(out, attention(x, causal=True)[0])


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))], ids=["deepcopy", "pickle"])
def test_a_copy_computes_the_same_and_is_independent(copied):
    attention, x = module(dropout=0.25), random(B, T, C)
    twin = copied(attention)
    assert (twin.num_heads, twin.dropout, twin.training) == (H, 0.25, True)
    assert torch.equal(twin.eval()(x)[0], attention.eval()(x)[0])
    nn.init.zeros_(twin.out_proj.weight)
    assert attention.out_proj.weight.abs().max() > 0


@pytest.mark.parametrize("bias", [False, True])
def test_state_dict_round_trips_and_holds_four_layers(bias):
    attention, other = module(bias=bias), MultiHeadAttention(C, H, bias=bias)
    kinds = ("weight", "bias") if bias else ("weight",)
    assert list(attention.state_dict()) == [
        f"{layer}.{kind}" for layer in ("q_proj", "k_proj", "v_proj", "out_proj") for kind in kinds
    ]
    other.load_state_dict(attention.state_dict())
    assert torch.equal(other(random(B, T, C))[0], attention(random(B, T, C))[0])


@pytest.mark.parametrize("need_weights", [False, True])
def test_everything_follows_the_module_to_another_device(need_weights):
    attention, x = module().to("meta"), torch.empty(B, T, C, device="meta")
    for options in ({}, {"causal": True}, {"causal": True, "mask": torch.ones(T, dtype=torch.bool, device="meta")}):
        out, weights = attention(x, **options, need_weights=need_weights)
        assert out.device.type == "meta" and out.shape == (B, T, C)
        assert (weights is None) != need_weights


def test_all_parameters_get_gradients():
    attention = module(dropout=0.1)
    attention(random(B, T, C), random(B, S, C, seed=1))[0].square().sum().backward()
    # A bias of the keys shifts all scores of a row alike, which the softmax does not see.
    learning = {name: p.grad.abs().max().item() for name, p in attention.named_parameters()}
    assert learning.pop("k_proj.bias") < 1e-4
    assert min(learning.values()) > 1e-2


# ---------------------------------------------------------------- errors

BOOL = torch.bool


@pytest.mark.parametrize(
    "options, error, words",
    [
        ({"x": torch.zeros(B, T, C - 1)}, ValueError, r"x must be \(..., T, 33\), got \(2, 5, 32\)"),
        ({"x": torch.zeros(B, 0, C)}, ValueError, r"at least one position, got \(2, 0, 33\)"),
        ({"x": torch.zeros(C)}, ValueError, r"got \(33,\)"),
        (
            {"x": torch.zeros(B, T, C).double()},
            TypeError,
            "x must be torch.float32 like the module's weights, got .*64",
        ),
        ({"x": torch.zeros(B, T, C, dtype=torch.long)}, TypeError, "x must be a tensor of floats, got torch.int64"),
        ({"x": [[0.0] * C]}, TypeError, "x must be a tensor of floats, got list"),
        ({"context": causal_mask(T)}, TypeError, "context must .* got torch.bool; a mask is passed by its name, mask="),
        ({"x": torch.zeros(B, T, C, device="meta")}, ValueError, "x is on meta, the module on cpu"),
        ({"context": torch.zeros(B, S, C + 1)}, ValueError, r"context must be \(..., S, 33\), got \(2, 7, 34\)"),
        ({"context": torch.zeros(B, 0, C)}, ValueError, r"context must be .* at least one position, got \(2, 0, 33\)"),
        ({"context": torch.zeros(B, S, C).half()}, TypeError, "context must be torch.float32 .*, got torch.float16"),
        (
            {"context": torch.zeros(B + 1, S, C)},
            ValueError,
            r"x and context must agree .* \(2, 5, 33\) and \(3, 7, 33\)",
        ),
        ({"context": torch.zeros(S, C)}, ValueError, r"agree in all axes before the last two, got .* and \(7, 33\)"),
        (
            {"context": torch.zeros(B, S, C), "causal": True},
            ValueError,
            "causal=True .* T = 5 and S = 7: .* pass a mask",
        ),
        ({"mask": torch.ones(T, T)}, TypeError, r"mask must be bool \(True = may attend\), got torch.float32; a 0/1"),
        ({"mask": torch.ones(T, T, dtype=torch.long)}, TypeError, "got torch.int64"),
        ({"mask": [[True] * T] * T}, TypeError, "got list"),
        (
            {"mask": torch.ones(T, S, dtype=BOOL)},
            ValueError,
            r"mask \(5, 7\) does not broadcast to scores \(2, 3, 5, 5\)",
        ),
        ({"mask": torch.ones(B, T, T, dtype=BOOL)}, ValueError, r"a mask for each item needs mask.unsqueeze\(1\)"),
        ({"mask": torch.ones(B, 1, T, dtype=BOOL)}, ValueError, r"a mask for each item needs mask.unsqueeze\(1\)"),
        ({"mask": torch.ones(1, B, H, T, T, dtype=BOOL)}, ValueError, "does not broadcast"),
        ({"mask": torch.ones(B + 1, 1, T, T, dtype=BOOL)}, ValueError, "does not broadcast"),
        (
            {"mask": torch.ones(T, T, dtype=BOOL, device="meta")},
            ValueError,
            r"mask is on meta, .* move it with mask.to",
        ),
    ],
)
@pytest.mark.parametrize("need_weights", [False, True])
def test_bad_input_raises_an_error_of_one_sentence_on_both_paths(options, error, words, need_weights):
    with pytest.raises(error, match=words) as caught:
        module()(**{"x": torch.zeros(B, T, C), "need_weights": need_weights, **options})
    assert len(str(caught.value)) < 260 and "\n" not in str(caught.value)
