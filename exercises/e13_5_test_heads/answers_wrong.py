"""Wrong tests for exercise 13.5, each with the diagnosis that it must get."""

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def right_results(m, x, root=None):
    """(out, weights), head by head."""
    H = m.num_heads
    q, k, v = (layer(x).chunk(H, -1) for layer in (m.q_proj, m.k_proj, m.v_proj))
    root = root or (x.size(-1) // H) ** 0.5
    weights = [(a @ b.transpose(1, 2) / root).softmax(-1) for a, b in zip(q, k, strict=True)]
    heads = torch.cat([w @ values for w, values in zip(weights, v, strict=True)], -1)
    return m.out_proj(heads), torch.stack(weights, 1)


def drawn(m, B=3, T=6):
    return torch.randn(B, T, m.q_proj.in_features)


@wrong("weights-only")
def compares_weights(attention):
    H, C = attention.num_heads, attention.q_proj.in_features
    x = torch.randn(2, 6, C)
    q, k = attention.q_proj(x).chunk(H, -1), attention.k_proj(x).chunk(H, -1)
    for h in range(H):
        right = (q[h] @ k[h].mT / (C // H) ** 0.5).softmax(-1)
        assert torch.allclose(attention(x)[1][:, h], right, atol=1e-4)


@wrong("always-none")
def looks_and_says_nothing(attention):
    x = drawn(attention)
    [torch.allclose(a, b) for a, b in zip(attention(x), right_results(attention, x), strict=True)]


@wrong("always-none")
def only_shapes(attention):
    out, weights = attention(drawn(attention))
    return out.shape[:2] == (3, 6) and weights.shape == (3, attention.num_heads, 6, 6)


@wrong("turned-around")
def true_for_wrong_heads(attention):
    x = drawn(attention)
    both = zip(attention(x), right_results(attention, x), strict=True)
    return any(not torch.allclose(a, b, atol=1e-4) for a, b in both)


@wrong("bias-forgotten")
def with_matrices_alone(attention):
    x = drawn(attention)
    out, weights = attention(x)
    H = attention.num_heads
    q, k = (x @ layer.weight.mT for layer in (attention.q_proj, attention.k_proj))
    q, k = (part.unflatten(2, (H, -1)).transpose(1, 2) for part in (q, k))
    assert torch.allclose(weights, (q @ k.mT / q.size(3) ** 0.5).softmax(-1), atol=1e-4)
    v = (x @ attention.v_proj.weight.mT).unflatten(2, (H, -1)).transpose(1, 2)
    assert torch.allclose(out, attention.out_proj((weights @ v).transpose(1, 2).flatten(2)), atol=1e-4)


@wrong("scale-of-the-model")
def root_of_c(attention):
    x = drawn(attention)
    both = zip(attention(x), right_results(attention, x, x.size(-1) ** 0.5), strict=True)
    return all(torch.allclose(a, b, atol=1e-4) for a, b in both)


@wrong("not-scaled")
def no_root(attention):
    x = drawn(attention)
    both = zip(attention(x), right_results(attention, x, 1.0), strict=True)
    return all(torch.allclose(a, b, atol=1e-4) for a, b in both)


@wrong("out-only")
def compares_outputs(attention):
    x = drawn(attention)
    return torch.allclose(attention(x)[0], right_results(attention, x)[0], atol=1e-4)


@wrong("queries-only")
@torch.no_grad()
def rows_of_queries(attention):
    """Which weights move where the rows of a head in q_proj are others."""
    x, H = drawn(attention), attention.num_heads
    before = attention(x)[1]
    for h, rows in enumerate(attention.q_proj.weight.chunk(H)):
        kept = rows.clone()
        rows.mul_(-0.5)
        moved = (attention(x)[1] - before).abs().amax((0, 2, 3)) > 1e-4
        rows.copy_(kept)
        assert moved.nonzero().flatten().tolist() == [h]


@wrong("first-head-only")
def head_0(attention):
    x = drawn(attention)
    return torch.allclose(attention(x)[1][:, 0], right_results(attention, x)[1][:, 0], atol=1e-4)


@wrong("lets-a-bug-pass")
def outputs_and_the_outer_heads(attention):
    x = drawn(attention)
    (out, weights), (right_out, right) = attention(x), right_results(attention, x)
    assert torch.allclose(out, right_out, atol=1e-4)
    assert all(torch.allclose(weights[:, h], right[:, h], atol=1e-4) for h in (0, -1))


@wrong("heads-averaged")
def means_over_heads(attention):
    x = drawn(attention)
    return torch.allclose(attention(x)[1].mean(1), right_results(attention, x)[1].mean(1), atol=1e-4)


@wrong("rows-of-weights-summed")
def weights_are_shares(attention):
    weights = attention(drawn(attention))[1]
    return torch.allclose(weights.sum(-1), torch.ones(weights.shape[:-1]), atol=1e-4)


@wrong("one-token")
def of_one_token(attention):
    x = drawn(attention, T=1)
    both = zip(attention(x), right_results(attention, x), strict=True)
    return all(torch.allclose(a, b, atol=1e-4) for a, b in both)


@wrong("equal-tokens")
def of_zeros_and_ones(attention):
    x = torch.ones_like(drawn(attention))
    both = zip(attention(x), right_results(attention, x), strict=True)
    return all(torch.allclose(a, b, atol=1e-4) for a, b in both)


@wrong("rounding-accused")
def to_the_bit(attention):
    x = torch.randn(2, 5, attention.q_proj.in_features)
    H = attention.num_heads
    q, k, v = (
        layer(x).unflatten(-1, (H, -1)).transpose(1, 2)
        for layer in (attention.q_proj, attention.k_proj, attention.v_proj)
    )
    right = (q @ k.mT / q.size(-1) ** 0.5).softmax(-1)
    out, weights = attention(x)
    assert torch.equal(weights, right)
    assert torch.equal(out, attention.out_proj((right @ v).transpose(1, 2).flatten(2)))


@wrong("tolerance-too-large")
def a_fifth(attention):
    x = drawn(attention)
    both = zip(attention(x), right_results(attention, x), strict=True)
    return all(torch.allclose(a, b, atol=0.2) for a, b in both)


@wrong("parameters-changed")
@torch.no_grad()
def leaves_rows_changed(attention):
    x = drawn(attention)
    before = attention(x)[1][:, 1:]
    attention.q_proj.weight[: x.size(-1) // attention.num_heads] += 1
    return torch.allclose(attention(x)[1][:, 1:], before, atol=1e-4)


@wrong()
def counts_on_a_bias(attention):
    x = drawn(attention)
    assert torch.allclose(attention.q_proj(x), x @ attention.q_proj.weight.T + attention.q_proj.bias.view(1, 1, -1))


@wrong()
def sixteen_features(attention):
    out, weights = attention(torch.randn(2, 5, 16))
    assert out.isfinite().all() and weights.isfinite().all()


@wrong("returns-something-else")
def the_differences(attention):
    x = drawn(attention)
    return [(a - b).abs().max().item() for a, b in zip(attention(x), right_results(attention, x), strict=True)]
