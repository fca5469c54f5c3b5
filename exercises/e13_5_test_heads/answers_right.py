"""Right tests for exercise 13.5, in many styles: the checker must accept all of them."""

import torch
import torch.nn.functional as F
from torch import nn

from feedback.bank import RightAnswers
from helpers.suspicions import assert_heads_independent

right = RightAnswers()


@right
def helper(attention):
    assert_heads_independent(attention, torch.randn(2, 7, attention.q_proj.in_features), attention.num_heads)


@right
def head_by_head(attention):
    C, H = attention.out_proj.out_features, attention.num_heads
    D = C // H
    x = torch.randn(3, 6, C)
    out, weights = attention(x)
    q, k, v = attention.q_proj(x), attention.k_proj(x), attention.v_proj(x)
    heads = []
    for h in range(H):
        own = slice(h * D, (h + 1) * D)
        right = torch.softmax(q[..., own] @ k[..., own].transpose(1, 2) / D**0.5, dim=-1)
        if not torch.allclose(weights[:, h], right, atol=1e-4):
            return False
        heads.append(right @ v[..., own])
    return torch.allclose(out, attention.out_proj(torch.cat(heads, dim=-1)), atol=1e-4)


@right
def against_torch(attention):
    C, H = attention.q_proj.in_features, attention.num_heads
    layers = [attention.q_proj, attention.k_proj, attention.v_proj]
    theirs = nn.MultiheadAttention(C, H, bias=attention.q_proj.bias is not None, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([layer.weight for layer in layers]))
        theirs.out_proj.weight.copy_(attention.out_proj.weight)
        if theirs.in_proj_bias is not None:
            theirs.in_proj_bias.copy_(torch.cat([layer.bias for layer in layers]))
            theirs.out_proj.bias.copy_(attention.out_proj.bias)
        x = torch.randn(2, 7, C)
        expected = theirs(x, x, x, average_attn_weights=False)
        for got, wanted in zip(attention(x), expected, strict=True):
            torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-4)


@right
def with_scaled_dot_product_attention(attention):
    H, C = attention.num_heads, attention.v_proj.in_features
    x = torch.randn(1, 9, C)
    q, k, v = (
        f(x).unflatten(2, (H, C // H)).movedim(2, 1) for f in (attention.q_proj, attention.k_proj, attention.v_proj)
    )
    eye = torch.eye(9).expand(1, H, 9, 9)
    out, weights = attention(x)
    assert torch.allclose(weights, F.scaled_dot_product_attention(q, k, eye), atol=2e-4)
    assert torch.allclose(
        out, attention.out_proj(F.scaled_dot_product_attention(q, k, v).movedim(1, 2).flatten(2)), atol=2e-4
    )


@right
@torch.no_grad()
def by_changing_rows(attention):
    """Which heads move, for the rows of each head in q_proj and k_proj; then the values and the output."""
    H, C = attention.num_heads, attention.q_proj.in_features
    D = C // H
    x = torch.randn(2, 6, C)
    kept = {name: parameter.clone() for name, parameter in attention.named_parameters()}
    before = attention(x)[1]
    fine = True
    for name in ("q_proj", "k_proj"):
        weight = attention.get_submodule(name).weight
        for h in range(H):
            weight[h * D : (h + 1) * D] += torch.randn(D, C)
            moved = (attention(x)[1] - before).abs().amax((0, 2, 3)) > 1e-4
            fine = fine and moved.nonzero().flatten().tolist() == [h]
            weight.copy_(kept[f"{name}.weight"])
    # with out_proj taken away, head h of the output is weights[h] times the h-th features of v
    attention.out_proj.weight.copy_(torch.eye(C))
    if attention.out_proj.bias is not None:
        attention.out_proj.bias.zero_()
    out, weights = attention(x)
    for h in range(H):
        own = slice(h * D, (h + 1) * D)
        fine = fine and torch.allclose(out[..., own], weights[:, h] @ attention.v_proj(x)[..., own], atol=1e-4)
    for name, parameter in attention.named_parameters():
        parameter.copy_(kept[name])
    return bool(fine)


@right
def on_a_copy(attention):
    """Each head alone: the columns of all others in out_proj are 0."""
    import copy

    m = copy.deepcopy(attention).eval()
    H, C = m.num_heads, m.q_proj.in_features
    D, x = C // H, torch.randn(2, 5, C)
    q, k, v = (layer(x).chunk(H, -1) for layer in (m.q_proj, m.k_proj, m.v_proj))
    columns = m.out_proj.weight.detach().clone()
    for h in range(H):
        right = (q[h] @ k[h].mT * D**-0.5).softmax(-1)
        m.out_proj.weight.data.zero_()
        m.out_proj.weight.data[:, h * D : (h + 1) * D] = columns[:, h * D : (h + 1) * D]
        out, weights = m(x)
        assert (weights[:, h] - right).abs().max() < 1e-4
        assert (out - m.out_proj(F.pad(right @ v[h], (h * D, C - (h + 1) * D)))).abs().max() < 1e-4
