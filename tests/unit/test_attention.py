"""dot_product_attention and the single-head modules, against PyTorch and against printed tables."""

import json
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from helpers.attention import CausalAttention, SelfAttention, dot_product_attention
from helpers.masks import causal_mask
from runtime import notebook
from tests.unit.refusals import require_refused
from tests.unit.tensors import random, some_mask

B, H, T, S, D, DV = 2, 3, 5, 7, 11, 13
ARTICLE = json.loads((Path(__file__).parents[2] / "data" / "causal_article.json").read_text(encoding="utf-8"))

# The largest differences that rounding alone explains: one step of bfloat16 at 1 is 0.008, of float16 0.001.
TOLERANCE = {torch.float64: 1e-12, torch.float32: 2e-6, torch.bfloat16: 3e-2, torch.float16: 4e-3}


def inputs(*lead, dtype=torch.float32):
    shapes = (T, D), (S, D), (S, DV)
    return [random(*lead, *shape, seed=seed, dtype=dtype).requires_grad_() for seed, shape in enumerate(shapes)]


def masks_for(*lead):
    """One mask of each broadcastable kind, fully masked rows among them."""
    shapes = [(T, S), (1, S), (S,), *([(lead[0], *[1] * (len(lead) - 1), 1, S), (*lead, T, S)] if lead else [])]
    return [torch.ones(T, S) > 0, torch.zeros(1, S) > 0, *(some_mask(*shape) for shape in shapes)]


def sdpa(q, k, v, mask):
    """PyTorch's own attention; fully masked rows give 0, though they give NaN before PyTorch 2.5."""
    if not torch.__version__.startswith("2.4."):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    some = mask.any(dim=-1, keepdim=True)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask | ~some) * some


def with_gradients(attend, tensors):
    out = attend(*tensors)
    return out, torch.autograd.grad((out * random(*out.shape, seed=9, dtype=out.dtype)).sum(), tensors)


def agree(a, b, dtype):
    torch.testing.assert_close(a, b, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.parametrize("lead", [(), (B,), (B, H)], ids=str)
@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
def test_equals_sdpa_in_outputs_and_gradients_fully_masked_rows_included(lead, dtype):
    tensors = inputs(*lead, dtype=dtype)
    for mask in masks_for(*lead):
        sdpa_mask = mask.expand(*lead, T, S)
        agree(
            with_gradients(lambda *x, m=mask: dot_product_attention(*x, m)[0], tensors),
            with_gradients(lambda *x, m=sdpa_mask: sdpa(*x, m), tensors),
            dtype,
        )
    agree(dot_product_attention(*tensors)[0], F.scaled_dot_product_attention(*tensors), dtype)


def test_dropout_is_applied_to_the_weights_that_are_returned():
    q, k, v = inputs(B)
    out, weights = dot_product_attention(q, k, v, dropout=lambda w: w * 2)
    torch.testing.assert_close(weights, 2 * dot_product_attention(q, k, v)[1])
    torch.testing.assert_close(out, weights @ v)


def test_errors_are_one_sentence():
    q, k, v = (t.detach() for t in inputs(B))
    run, agree_in = dot_product_attention, "ValueError: q, k and v must agree in all axes before the last two, got"
    letters = "ValueError: q must be (..., T, D), k (..., S, D) and v (..., S, Dv), got q"
    require_refused(
        ("TypeError: q must be a tensor of floats, got torch.int64", lambda: run(q.long(), k, v)),
        (f"{letters} (2, 5, 3), k (2, 7, 11), v (2, 7, 13): D is 3 in q", lambda: run(q[..., :3], k, v)),
        ("TypeError: q, k and v must share one dtype, got torch.float32, ", lambda: run(q, k, v.double())),
        *((f"{agree_in} q", lambda x=x: run(*x)) for x in [(q[[0, 1, 1]], k, v), (q, k[[0, 1, 1]], v)]),
        ("TypeError: mask must be bool", lambda: run(q, k, v, torch.ones(T, S))),
        ("TypeError: got 0.1; for a probability p pass nn.Dropout(p)", lambda: run(q, k, v, None, 0.1)),
    )


def table(name):
    """A printed table of the article; -inf was written as a word."""
    return torch.tensor([[float(x) for x in row] for row in ARTICLE[name]["printed"]])


def test_tables_of_the_article_up_to_the_softmax_of_masked_scores():
    torch.manual_seed(123)
    module, (_, x) = SelfAttention(3, 2), notebook.example_sentence()  # drawn in the article's order
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


def test_the_mask_is_a_buffer_that_moves_and_is_not_saved():
    module = CausalAttention(D, DV, T, 0.1)
    assert module.to("meta").mask.device.type == "meta"
    assert not any("mask" in name for name in module.state_dict())


def test_errors_of_the_modules_are_one_sentence():
    causal, x = CausalAttention(D, DV, S, 0.0), torch.zeros(B, S + 1, D)
    require_refused(
        ("TypeError: token ids go through an embedding first", lambda: causal(x.long())),
        ("ValueError: x must be (..., T, 11), got (2, 8, 10)", lambda: SelfAttention(D, DV)(x[..., 1:])),
        ("ValueError: x has 8 positions, but context_length is 7", lambda: causal(x)),
        ("ValueError: a dropout probability p must be", lambda: CausalAttention(D, DV, S, 1)),
    )
