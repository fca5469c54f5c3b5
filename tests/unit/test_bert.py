"""BERT: attention against a plain loop, a cache, head masks, pruning, dropout, initial parameters, and errors."""

import copy
import dataclasses
import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from helpers import bert
from helpers.bert import POSITIONS, BertConfig, BertEmbeddings, BertModel, load_weights
from tests.unit.bert_models import B, C, D, H, M, S, T, attention, config, model
from tests.unit.refusals import require_refused
from tests.unit.tensors import agree, filled, random, some_mask

# ---------------------------------------------------------------- against a plain loop


def by_loop(module, x, *, source=None, mask=None):
    """Merged heads and weights from the definition, one score at a time."""
    own, source = module.self, x if source is None else source
    q, k, v = (F.linear(t, p.weight, p.bias) for t, p in ((x, own.query), (source, own.key), (source, own.value)))
    weights = torch.zeros(len(x), H, x.size(1), source.size(1), dtype=x.dtype)
    mask = torch.ones_like(weights, dtype=torch.bool) if mask is None else mask.expand(weights.shape)
    for b, h, t in ((b, h, t) for b in range(len(x)) for h in range(H) for t in range(x.size(1))):
        seen = [s for s in range(source.size(1)) if mask[b, h, t, s]]
        scores = [score(own, q[b, t, h * D : (h + 1) * D], k[b, s, h * D : (h + 1) * D], t - s) for s in seen]
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
    agree(out, F.layer_norm(F.linear(merged, dense.weight, dense.bias) + x, (C,), norm.weight, norm.bias, 1e-12))
    assert (weights[0, 0, 0] == 0).all(), "this query sees no key"
    assert all(g.isfinite().all() for g in torch.autograd.grad(out.square().sum(), list(ours.parameters())))
    for h in range(H):
        agree(k[:, h], ours.self.key(context)[..., h * D : (h + 1) * D])
        agree(v[:, h], ours.self.value(context)[..., h * D : (h + 1) * D])
    x = random(B, M, C)  # all positions, so that each row of the table of distances is used
    agree(ours(x)[1], by_loop(ours, x)[1])


# ---------------------------------------------------------------- head masks and pruning


@pytest.mark.parametrize("dtype", [torch.bool, torch.long, torch.float64], ids=str)
@pytest.mark.parametrize("shape", [(H,), (1, H, 1, 1), (B, H, 1, 1)], ids=str)
def test_a_head_mask_of_any_dtype_multiplies_weights_after_the_softmax(shape, dtype):
    ours, x, factors = attention(), random(B, T, C), (3 * random(*shape, seed=3)).to(dtype)
    expected = ours(x)[1] * factors.view(-1, H, 1, 1)
    out, weights, (_, v) = ours(x, head_mask=factors)
    agree(weights, expected)
    agree(out, ours.output((expected @ v).transpose(1, 2).flatten(2), x))


GOES = [[(0,), {4, 2}], [(1,), (1, 2), (), [4, 4]], [range(4)]]


@pytest.mark.parametrize("kind", POSITIONS)
@pytest.mark.parametrize("goes", GOES, ids=str)
def test_pruning_equals_a_head_mask_in_outputs_and_weights(goes, kind):
    whole, pruned = attention(kind), attention(kind)
    gone = {head for go in goes for head in go}
    for go in goes:
        pruned.prune_heads(go)
    left = [head for head in range(H) if head not in gone]
    assert pruned.self.kept_heads == left
    kept = torch.tensor([float(head in left) for head in range(H)])
    x, context, mask = random(B, T, C), random(B, S, C, seed=1), some_mask(B, 1, T, S)
    out, weights, (k, v) = whole(x, context=context, mask=mask, head_mask=kept)
    agree(pruned(x, context=context, mask=mask), (out, weights[:, left], (k[:, left], v[:, left])))


@pytest.mark.parametrize("frozen", ["weight", "bias"])
def test_a_pruned_layer_has_weights_of_its_own_and_keeps_frozen_parameters_dtype_and_mode(frozen):
    ours, x = attention("relative_key").float().train(frozen == "bias"), random(B, T, C).float()
    before = ours.state_dict()
    for name, parameter in ours.named_parameters():
        parameter.requires_grad_(not name.endswith(frozen))
    ours.prune_heads([1, 3])
    assert (ours.self.query.out_features, ours.output.dense.in_features) == (9, 9)
    assert all(p.requires_grad != name.endswith(frozen) for name, p in ours.named_parameters())
    assert {p.dtype for p in ours.parameters()} == {torch.float32}
    assert {m.training for m in ours.modules()} == {frozen == "bias"}
    out = ours.eval()(x)[0]
    for name in ("self.query.weight", "self.query.bias", "output.dense.weight", "output.dense.bias"):
        before[name].zero_()  # as an optimizer that still holds the old parameters would
    assert torch.equal(ours(x)[0], out)


def test_a_model_is_pruned_layer_by_layer_with_original_numbers_completely_or_not_at_all():
    ours, ids = model(), torch.arange(1, 1 + 2 * T).view(2, T)
    keep = torch.ones(2, H)
    keep[0, [1, 3]] = keep[1, 4] = 0
    expected = ours(ids, head_mask=keep)[0]
    for wrong in ({0: [1], 1: [H]}, {0: [1], 2: [0]}, {0: [1], 1: range(H)}):
        with pytest.raises(ValueError):
            ours.prune_heads(wrong)
        assert [layer.attention.self.kept_heads for layer in ours.encoder.layer] == [list(range(H))] * 2
    ours.prune_heads({0: (head for head in [1]), 1: [4]})
    ours.prune_heads({0: {3}})
    hidden, weights = ours(ids)
    agree(hidden, expected)
    assert [w.size(1) for w in weights] == [3, 4]
    rows = [torch.tensor([1.0, 0.5, 2.0]), torch.ones(4)]  # of unequal length: a list
    whole = torch.zeros(2, H)
    whole[0, [0, 2, 4]], whole[1, :4] = rows
    agree(ours(ids, head_mask=rows)[0], model()(ids, head_mask=whole)[0])


# ---------------------------------------------------------------- dropout


def require_half_dropped(plain, trained):
    """Require dropout with p = 0.5 to explain the difference."""
    dropped = trained == 0
    assert 0.3 < dropped.double().mean() < 0.7 and (plain != 0).all()
    agree(trained[~dropped], 2 * plain[~dropped])


@pytest.mark.parametrize("kind", [bert.BertSelfOutput, bert.BertOutput])
def test_hidden_dropout_acts_before_the_residual_and_in_training_only(kind):
    ours = filled(kind(config(hidden_dropout_prob=0.5, attention_probs_dropout_prob=0.0)))
    ours.LayerNorm = nn.Identity()
    inner, x = random(B, T, ours.dense.in_features), random(B, T, C, seed=1)
    agree(ours(inner, x), ours.dense(inner) + x)
    dropped = ours.train()(inner, x) - x
    require_half_dropped(ours.dense(inner), dropped.where(dropped.abs() > 1e-12, 0.0))


def test_dropout_of_embeddings_acts_after_the_norm_and_in_training_only():
    ours, ids = filled(BertEmbeddings(config(hidden_dropout_prob=0.5))), torch.arange(1, 1 + 2 * T).view(2, T)
    require_half_dropped(ours(ids), ours.train()(ids))


def test_attention_dropout_acts_after_the_softmax_and_the_returned_weights_are_the_ones_used():
    ours = attention(attention_probs_dropout_prob=0.5, hidden_dropout_prob=0.0)
    x, factors = random(B, T, C), random(H, seed=3)
    _, plain, _ = ours(x, head_mask=factors)
    out, weights, (_, v) = ours.train()(x, head_mask=factors)
    require_half_dropped(plain, weights)
    agree(out, ours.output((weights @ v).transpose(1, 2).flatten(2), x))


# ---------------------------------------------------------------- robustness


def test_ids_may_have_any_integer_dtype():
    ours, ids = model(), torch.arange(1, 1 + 2 * T).view(2, T)
    expected = ours(ids, token_types=ids % 3)[0]
    for dtype in (torch.uint8, torch.int16, torch.int32):
        assert torch.equal(ours(ids.to(dtype), token_types=(ids % 3).to(dtype))[0], expected)


def test_embeddings_have_no_positions_if_those_are_relative():
    ids, ours = torch.tensor([[5, 5, 3], [3, 5, 5]]), filled(BertEmbeddings(config("relative_key")))
    agree(ours(ids), ours.LayerNorm(ours.word_embeddings.weight[ids] + ours.token_type_embeddings.weight[0]))


def test_every_norm_and_dropout_follows_the_config():
    ours = BertModel(config(layer_norm_eps=0.125, attention_probs_dropout_prob=0.25, hidden_dropout_prob=0.375))
    assert [m.eps for m in ours.modules() if isinstance(m, nn.LayerNorm)] == [0.125] * 5
    shares = {name: m.p for name, m in ours.named_modules() if isinstance(m, nn.Dropout)}
    assert len(shares) == 7
    assert all(p == (0.25 if name.endswith("self.dropout") else 0.375) for name, p in shares.items())


def test_initial_parameters_are_small_and_padding_starts_at_0():
    sizes = {"hidden_size": 96, "num_hidden_layers": 1, "intermediate_size": 128, "vocab_size": 300}
    ours = BertModel(BertConfig(**sizes, position_embedding_type="relative_key"))
    for name, parameter in ours.named_parameters():
        if name.endswith("bias"):
            assert (parameter == 0).all()
        elif "LayerNorm" in name:
            assert (parameter == 1).all()
        elif parameter.numel() > 1000:
            assert 0.018 < parameter.std() < 0.022
    assert (ours.embeddings.word_embeddings.weight[0] == 0).all()
    ours(torch.zeros(1, 3, dtype=torch.long))[0].square().sum().backward()
    assert (ours.embeddings.word_embeddings.weight.grad == 0).all()


def test_autocast_continues_from_its_own_cache():
    ours, x = attention("relative_key").float(), random(B, T, C, dtype=torch.float32)
    expected = ours(x)[0][:, 3:]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        past = ours(x[:, :3])[2]
        out = ours(x[:, 3:], past=past)[0]
    assert past[0].dtype == torch.bfloat16
    torch.testing.assert_close(out.float(), expected, rtol=0, atol=0.1)


def test_either_all_weights_are_loaded_or_none():
    ours, other = model(), model()
    weights = {name: tensor + 1 for name, tensor in other.state_dict().items()}
    before, given = copy.deepcopy(ours.state_dict()), {name: tensor.clone() for name, tensor in weights.items()}
    for wrong in ({"pooler.dense.bias": torch.zeros(2)}, {"more": torch.zeros(2)}):
        with pytest.raises(ValueError):
            load_weights(ours, weights | wrong)
        assert all(torch.equal(tensor, before[name]) for name, tensor in ours.state_dict().items())
    load_weights(ours, weights)
    assert all(torch.equal(tensor, weights[name]) for name, tensor in ours.state_dict().items())
    nn.init.zeros_(ours.pooler.dense.weight)
    assert weights.keys() == given.keys() and all(torch.equal(weights[name], given[name]) for name in given)


def test_the_default_config_is_bert_base_and_frozen():
    base = BertConfig()
    assert (base.hidden_size, base.num_attention_heads, base.head_size) == (768, 12, 64)
    with torch.device("meta"):
        made = BertModel(base)
    # The number that transformers gives for bert-base-uncased's BertModel.
    assert made.config is base and sum(p.numel() for p in made.parameters()) == 109_482_240
    with pytest.raises(dataclasses.FrozenInstanceError):
        base.hidden_size = 5


def test_a_config_that_makes_no_sense_is_refused():
    sizes = ("max_position_embeddings", "num_hidden_layers", "intermediate_size", "vocab_size", "type_vocab_size")
    shares = ("attention_probs_dropout_prob", "hidden_dropout_prob")
    rule = "position_embedding_type must be one of absolute, relative_key, relative_key_query, got"
    require_refused(
        ("ValueError: must divide hidden_size, got 4 heads for", lambda: config(num_attention_heads=4)),
        ("TypeError: hidden_size must be a whole number, got 15.0", lambda: config(hidden_size=15.0)),
        (f"ValueError: {rule} 'rotary'", lambda: config("rotary")),
        *(("ValueError: at least 0 and below 1, got 1", lambda name=name: config(**{name: 1})) for name in shares),
        *((f"ValueError: {name} must be at least 1, got 0", lambda name=name: config(**{name: 0})) for name in sizes),
    )


def test_heads_that_cannot_be_pruned_are_refused_and_nothing_changes():
    ours, x, left = attention(), random(B, T, C), "ValueError: at least one head must be left, got all of"
    expected = ours(x)[0]
    require_refused(
        ("ValueError: heads are numbered from 0 to 4, got 5", lambda: ours.prune_heads([1, 5])),
        (f"{left} [0, 1, 2, 3, 4] to prune", lambda: ours.prune_heads(range(H))),
        ("TypeError: heads must be whole numbers, such as [0, 2], got 1.0", lambda: ours.prune_heads([1.0])),
        ("ValueError: layers are numbered from 0 to 1, got 2", lambda: model().prune_heads({2: [0]})),
    )
    assert torch.equal(ours(x)[0], expected)
    ours.prune_heads([0, 1, 4])
    require_refused((f"{left} [2, 3] to prune", lambda: ours.prune_heads([3, 2])))


def test_errors_name_the_input_that_does_not_fit():
    ours, x, context = attention(), torch.zeros(B, T, C).double(), torch.zeros(B, S, C).double()
    few = (torch.zeros(B, H, 4, D).double(),) * 2
    shape = "ValueError: head_mask must be (5,) or (1 or 2, 5, 1, 1), one number for each head, got"
    require_refused(
        ("ValueError: x must be (B, T, 15), got (7, 15); one sequence (T, C)", lambda: ours(x[0])),
        ("ValueError: context must be (2, S, 15), got (1, 11, 15)", lambda: ours(x, context=context[:1])),
        ("TypeError: context must be torch.float64", lambda: ours(x, context=context.float())),
        ("TypeError: mask must be bool", lambda: ours(x, mask=x[0] @ x[0].mT)),
        (f"{shape} (6,); after pruning only the heads that are left", lambda: ours(x, head_mask=torch.ones(H + 1))),
        (f"{shape} (2, 5)", lambda: ours(x, head_mask=torch.ones(B, H))),
        ("TypeError: head_mask must be a tensor, got list", lambda: ours(x, head_mask=[1, 0, 1, 0, 1])),
        ("ValueError: past must hold keys (2, 5, S, 3)", lambda: ours(x, past=tuple(p[..., 1:] for p in few))),
        ("ValueError: past must hold keys (2, 5, 11, 3)", lambda: ours(x, past=few, context=context)),
    )


def test_relative_positions_end_where_the_table_ends():
    ours, x = attention("relative_key"), random(B, M + 1, C)
    _, _, past = ours(x[:, :M])
    long = "ValueError: the sequence has 14 positions, but max_position_embeddings is 13; shorten the seq"
    require_refused(
        (long, lambda: ours(x[:, M:], past=past)),
        (long, lambda: ours(x[:, :2], context=x)),
        (long, lambda: ours(x, context=x[:, :2])),
        ("ValueError: a cache does not say it; pass the whole", lambda: ours(x[:, :2], context=x[:, :M], past=past)),
    )


def test_errors_name_what_a_model_cannot_read():
    ours, ids = model(), torch.ones(B, M + 1, dtype=torch.long)
    few, types = ids[:, :T], "ValueError: token_types must"
    require_refused(
        ("ValueError: ids must lie between 0 and 18", lambda: ours(19 * few)),
        ("ValueError: the text has 14 positions, but max_position_embeddings is 13; shorten", lambda: ours(ids)),
        (f"{types} lie between 0 and 2, since the table has 3 rows", lambda: ours(few, token_types=3 * few)),
        (f"{types} be (2, 7), got (7,)", lambda: ours(few, token_types=few[0])),
        ("ValueError: must have a row for each layer, 2, got 3", lambda: ours(few, head_mask=torch.ones(3, H))),
    )


def test_errors_name_the_weights_that_do_not_fit():
    ours = model()
    own, bias = ours.state_dict(), "pooler.dense.bias"
    missing = "ValueError: these weights do not fit BertModel: missing: embeddings.word_embeddings.weight and 38 more"
    fix = "the names must be those of Hugging Face's BertModel, without a prefix such as bert."
    prefixed, more = {f"bert.{n}": t for n, t in own.items()}, own | {"cls.bias": torch.zeros(1)}
    short = own | {bias: own[bias][:2]}
    require_refused(
        (f"{missing}; unknown: bert.embeddings", lambda: load_weights(ours, prefixed)),
        (f"ValueError: unknown: cls.bias; {fix}", lambda: load_weights(ours, more)),
        (f"ValueError: of another shape: {bias} (2,), not (15,)", lambda: load_weights(ours, short)),
    )
