"""BERT's attention against a plain loop: masks, relative positions, a cache, head masks, pruning."""

import math

import pytest
import torch
import torch.nn.functional as F

from helpers.bert import (
    POSITIONS,
)
from helpers.masks import causal_mask
from tests.unit.bert_models import B, C, D, H, M, S, T, agree, attention, difference, model, random, some_mask

# ---------------------------------------------------------------- against a plain loop


def by_loop(module, x, *, source=None, mask=None, first=0):
    """Merged heads and weights from the definition, one score at a time; query t is at position first + t."""
    own, source = module.self, x if source is None else source
    q, k, v = (F.linear(t, p.weight, p.bias) for t, p in ((x, own.query), (source, own.key), (source, own.value)))
    weights = torch.zeros(len(x), H, x.size(1), source.size(1), dtype=x.dtype)
    mask = torch.ones_like(weights, dtype=torch.bool) if mask is None else mask.expand(weights.shape)
    for b, h, t in ((b, h, t) for b in range(len(x)) for h in range(H) for t in range(x.size(1))):
        seen = [s for s in range(source.size(1)) if mask[b, h, t, s]]
        scores = [score(own, q[b, t, h * D : (h + 1) * D], k[b, s, h * D : (h + 1) * D], first + t - s) for s in seen]
        if seen:
            weights[b, h, t, seen] = torch.stack(scores).softmax(0)
    merged = torch.cat([weights[:, h] @ v[..., h * D : (h + 1) * D] for h in range(H)], dim=-1)
    return merged, weights


def score(own, q, k, distance):
    found = q @ k
    if own.config.position_embedding_type != "absolute":
        row = own.distance_embedding.weight[distance + M - 1]
        found = found + q @ row
        if own.config.position_embedding_type == "relative_key_query":
            found = found + k @ row
    return found / math.sqrt(D)


@pytest.mark.parametrize("kind", POSITIONS)
def test_cross_attention_of_another_length_equals_a_plain_loop(kind):
    ours, x, context, mask = attention(kind), random(B, T, C), random(B, S, C, seed=1), some_mask(B, H, T, S)
    out, weights, (k, v) = ours(x, mask=mask, context=context)
    merged, expected = by_loop(ours, x, source=context, mask=mask)
    agree(weights, expected)
    dense, norm = ours.output.dense, ours.output.LayerNorm
    by_hand = F.layer_norm(F.linear(merged, dense.weight, dense.bias) + x, (C,), norm.weight, norm.bias, 1e-12)
    agree(out, by_hand)
    mix, parameters = random(B, T, C, seed=2), list(ours.parameters())
    agree(*(torch.autograd.grad((y * mix).sum(), parameters) for y in (out, by_hand)))
    for h in range(H):
        agree(k[:, h], ours.self.key(context)[..., h * D : (h + 1) * D])
        agree(v[:, h], ours.self.value(context)[..., h * D : (h + 1) * D])


@pytest.mark.parametrize("kind", POSITIONS)
@pytest.mark.parametrize("length", [1, T, M])
def test_self_attention_equals_a_plain_loop(length, kind):
    """At length M each row of the table of distances is used."""
    ours, x = attention(kind), random(B, length, C)
    mask = causal_mask(length) if length == T else None
    out, weights, _ = ours(x, mask=mask)
    merged, expected = by_loop(ours, x, mask=mask)
    agree(weights, expected)
    agree(out, ours.output(merged, x))


# ---------------------------------------------------------------- the cache


@pytest.mark.parametrize("kind", POSITIONS)
def test_a_chunk_after_a_cache_equals_a_plain_loop(kind):
    ours, x = attention(kind), random(B, S, C)
    _, _, past = ours(x[:, :4])
    out, weights, (k, _) = ours(x[:, 4:], past=list(past))
    merged, expected = by_loop(ours, x[:, 4:], source=x, first=4)
    agree(weights, expected)
    agree(out, ours.output(merged, x[:, 4:]))
    assert k.shape == (B, H, S, D) and torch.equal(k[:, :, :4], past[0])


def test_gradients_flow_through_the_cache():
    ours, x, mask = attention("relative_key_query"), random(B, T, C).requires_grad_(), causal_mask(T)
    mix, leaves = random(B, T, C, seed=2), [x, *ours.parameters()]
    expected = torch.autograd.grad((ours(x, mask=mask)[0] * mix).sum(), leaves)
    head, _, past = ours(x[:, :3], mask=mask[:3, :3])
    tail, _, _ = ours(x[:, 3:], mask=mask[3:], past=past)
    agree(torch.autograd.grad((torch.cat([head, tail], dim=1) * mix).sum(), leaves), expected)


def test_a_cache_replaces_the_keys_and_values_of_a_context():
    ours, x, context, mask = attention(), random(B, T, C), random(B, S, C, seed=1), some_mask(B, 1, 1, S)
    ours.prune_heads((0, 2))
    full, full_weights, past = ours(x, context=context, mask=mask)
    for t in range(T):
        out, weights, again = ours(x[:, t : t + 1], context=torch.zeros_like(context), mask=mask, past=past)
        agree(out, full[:, t : t + 1])
        agree(weights, full_weights[:, :, t : t + 1])
        assert again[0] is past[0] and again[1] is past[1]


# ---------------------------------------------------------------- head masks and pruning


@pytest.mark.parametrize("shape", [(H,), (1, H, 1, 1), (B, H, 1, 1)], ids=str)
def test_a_head_mask_multiplies_weights_after_the_softmax(shape):
    ours, x, factors = attention(), random(B, T, C), random(*shape, seed=3)
    plain = ours(x)[1]
    out, weights, _ = ours(x, head_mask=factors)
    expected = torch.stack(
        [
            plain[b, h] * (factors[h] if len(shape) == 1 else factors[b % len(factors), h, 0, 0])
            for b in range(B)
            for h in range(H)
        ]
    ).view(B, H, T, T)
    agree(weights, expected)
    v = ours.self.value(x).view(B, T, H, D)
    agree(out, ours.output(torch.einsum("bhts,bshd->bthd", expected, v).flatten(2), x))


@pytest.mark.parametrize("dtype", [torch.bool, torch.long, torch.float32], ids=str)
def test_a_head_mask_may_have_any_dtype(dtype):
    ours, x, kept = attention(), random(B, T, C), torch.tensor([1, 0, 1, 0, 1])
    out, weights, _ = ours(x, head_mask=kept.to(dtype))
    assert out.dtype == weights.dtype == torch.float64
    assert torch.equal(out, ours(x, head_mask=kept.double())[0]) and (weights[:, [1, 3]] == 0).all()


GOES = [[(3, 1)], [(0,), {4, 2}], [(1,), (1, 2), ()], [[4, 4]], [range(4)]]


@pytest.mark.parametrize("kind", POSITIONS)
@pytest.mark.parametrize("goes", GOES, ids=str)
def test_pruning_equals_a_head_mask_in_outputs_weights_and_gradients(goes, kind):
    whole, pruned = attention(kind), attention(kind)
    gone = {head for go in goes for head in go}
    for go in goes:
        pruned.prune_heads(go)
    left = [head for head in range(H) if head not in gone]
    assert pruned.self.kept_heads == left
    kept = torch.tensor([float(head in left) for head in range(H)])
    x, context, mask = random(B, T, C), random(B, S, C, seed=1), some_mask(B, 1, T, S)
    mix, found = random(B, T, C, seed=2), {}
    for name, ours, options in (("whole", whole, {"head_mask": kept}), ("pruned", pruned, {})):
        out, weights, (k, v) = ours(x, context=context, mask=mask, **options)
        gradients = torch.autograd.grad((out * mix).sum(), list(ours.parameters()))
        found[name] = out, weights, k, v, dict(zip(dict(ours.named_parameters()), gradients, strict=True))
    agree(found["pruned"][0], found["whole"][0])
    agree(found["pruned"][1:4], tuple(t[:, left] for t in found["whole"][1:4]))
    agree(found["pruned"][4], {name: cut(name, g, left) for name, g in found["whole"][4].items()})


def cut(name, tensor, left):
    """The part of a weight, or of its gradient, that belongs to the heads that are left."""
    rows = [row for head in left for row in range(head * D, (head + 1) * D)]
    if name.startswith(("self.query", "self.key", "self.value")):
        return tensor[rows]
    return tensor[:, rows] if name == "output.dense.weight" else tensor


def test_a_pruned_layer_has_weights_of_its_own_and_pruning_again_changes_nothing():
    ours, x = attention("relative_key"), random(B, T, C)
    before = ours.state_dict()
    ours.prune_heads([1, 3])
    assert (ours.self.query.out_features, ours.output.dense.in_features) == (9, 9)
    out = ours(x)[0]
    ours.prune_heads([3])
    for name in ("self.query.weight", "self.query.bias", "output.dense.weight", "output.dense.bias"):
        before[name].zero_()  # as an optimizer would that still holds the old ones
    assert torch.equal(ours(x)[0], out) and ours.self.kept_heads == [0, 2, 4]


@pytest.mark.parametrize("frozen", ["weight", "bias"])
def test_pruning_keeps_frozen_parameters_dtype_and_mode(frozen):
    ours = attention().float().train(frozen == "bias")
    for name, parameter in ours.named_parameters():
        parameter.requires_grad_(not name.endswith(frozen))
    ours.prune_heads([2])
    assert all(p.requires_grad != name.endswith(frozen) for name, p in ours.named_parameters())
    assert {p.dtype for p in ours.parameters()} == {torch.float32}
    assert {m.training for m in ours.modules()} == {frozen == "bias"}


def test_a_model_is_pruned_layer_by_layer_with_original_numbers():
    ours, ids = model(), torch.arange(1, 1 + 2 * T).view(2, T)
    keep = torch.ones(2, H)
    keep[0, [1, 3]] = 0
    keep[1, 4] = 0
    expected = ours(ids, head_mask=keep)[0]
    assert difference(expected, ours(ids)[0]) > 1e-3
    ours.prune_heads({0: (head for head in [1]), 1: [4]})
    ours.prune_heads({0: {3}})
    hidden, weights = ours(ids)
    agree(hidden, expected)
    assert [w.size(1) for w in weights] == [3, 4]
    rows = [torch.tensor([1.0, 0.5, 2.0]), torch.ones(4)]  # of unequal length: a list
    whole = torch.zeros(2, H)
    whole[0, [0, 2, 4]], whole[1, :4] = rows
    agree(ours(ids, head_mask=rows)[0], model()(ids, head_mask=whole)[0])


def test_a_model_is_pruned_completely_or_not_at_all():
    ours = model()
    for wrong in ({0: [1], 1: [H]}, {0: [1], 2: [0]}, {0: [1], 1: range(H)}):
        with pytest.raises(ValueError):
            ours.prune_heads(wrong)
        assert [layer.attention.self.kept_heads for layer in ours.encoder.layer] == [list(range(H))] * 2
