"""BERT itself: dropout, initial parameters, weights that are loaded, and errors."""

import copy
import dataclasses

import pytest
import torch
from torch import nn

from helpers import bert
from helpers.bert import POSITIONS, BertConfig, BertEmbeddings, BertModel, load_weights
from helpers.masks import causal_mask, padding_mask
from tests.unit.bert_models import RELATIVE, B, C, D, H, M, S, T, agree, attention, config, filled, model, random
from tests.unit.refusals import require_refused

# ---------------------------------------------------------------- dropout, and rows that see nothing


def without_norm(module):
    module.LayerNorm = nn.Identity()
    return module


@pytest.mark.parametrize("kind", [bert.BertSelfOutput, bert.BertOutput])
def test_hidden_dropout_acts_before_the_residual_and_in_training_only(kind):
    ours = without_norm(filled(kind(config(hidden_dropout_prob=0.5, attention_probs_dropout_prob=0.0))))
    inner, x = random(B, T, ours.dense.in_features), random(B, T, C, seed=1)
    plain = ours(inner, x) - x
    agree(plain, ours.dense(inner))
    new = ours.train()(inner, x) - x
    dropped = new.abs() < 1e-12
    assert 0.3 < dropped.double().mean() < 0.7
    agree(new[~dropped], 2 * plain[~dropped])


def test_dropout_of_embeddings_acts_after_the_norm_and_in_training_only():
    ours, ids = filled(BertEmbeddings(config(hidden_dropout_prob=0.5))), torch.arange(1, 1 + 2 * T).view(2, T)
    plain, trained = ours(ids), ours.train()(ids)
    dropped = trained == 0
    assert 0.3 < dropped.double().mean() < 0.7 and (plain != 0).all()
    agree(trained[~dropped], 2 * plain[~dropped])


def test_attention_dropout_acts_after_the_softmax_and_the_returned_weights_are_the_ones_used():
    ours = attention(attention_probs_dropout_prob=0.5, hidden_dropout_prob=0.0)
    x, mask, factors = random(B, T, C), causal_mask(T), random(H, seed=3)
    _, plain, _ = ours(x, mask=mask, head_mask=factors)
    out, weights, (_, v) = ours.train()(x, mask=mask, head_mask=factors)
    dropped = weights == 0
    assert 0.3 < dropped[..., mask].double().mean() < 0.7 and dropped[..., ~mask].all()
    agree(weights[~dropped], 2 * plain[~dropped])
    agree(out, ours.output((weights @ v).transpose(1, 2).flatten(2), x))


@pytest.mark.parametrize("kind", POSITIONS)
def test_a_fully_masked_row_gives_zeros_and_finite_gradients(kind):
    ours, x = attention(kind), random(B, T, C).requires_grad_()
    mask = causal_mask(T)
    mask[2] = False
    out, weights, _ = ours(x, mask=mask)
    assert (weights[:, :, 2] == 0).all()
    agree(weights.sum(-1), (torch.arange(T) != 2).double().expand(B, H, T))
    agree(out[:, 2], ours.output.LayerNorm(ours.output.dense.bias + x[:, 2]))
    gradients = torch.autograd.grad((out * random(*out.shape)).sum(), [x, *ours.parameters()])
    assert all(gradient.isfinite().all() for gradient in gradients)


# ---------------------------------------------------------------- robustness


def test_ids_may_have_any_integer_dtype():
    ours, ids = model(), torch.arange(1, 1 + 2 * T).view(2, T)
    expected = ours(ids, token_types=ids % 3)[0]
    for dtype in (torch.uint8, torch.int16, torch.int32):
        assert torch.equal(ours(ids.to(dtype), token_types=(ids % 3).to(dtype))[0], expected)


def test_padding_does_not_change_the_tokens_before_it():
    ours, ids = model(), torch.arange(1, 1 + 2 * T).view(2, T)
    hidden, weights = ours(ids, mask=padding_mask([T, 3], T).unsqueeze(1))
    agree(hidden[1:, :3], ours(ids[1:, :3])[0])
    assert all((w[1, :, :, 3:] == 0).all() and (w[0] > 0).all() for w in weights)


def test_embeddings_are_a_sum_of_rows_with_positions_only_if_absolute():
    ids, types = torch.tensor([[5, 5, 3], [3, 5, 5]]), torch.tensor([[0, 1, 2], [0, 0, 0]])
    for kind in POSITIONS:
        ours = filled(BertEmbeddings(config(kind)))
        x = ours.word_embeddings.weight[ids] + (kind == "absolute") * ours.position_embeddings.weight[:3]
        table = ours.token_type_embeddings.weight
        agree(ours(ids), ours.LayerNorm(x + table[0]))
        agree(ours(ids, types), ours.LayerNorm(x + table[types]))


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


# ---------------------------------------------------------------- errors


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
        ("ValueError: from 0 to 4, got -1", lambda: ours.prune_heads([-1])),
        (f"{left} [0, 1, 2, 3, 4] to prune", lambda: ours.prune_heads(range(H))),
        ("TypeError: heads must be whole numbers, such as [0, 2], got 1.0", lambda: ours.prune_heads([1.0])),
        ("TypeError: got True", lambda: ours.prune_heads([True])),
        ("TypeError: got [1]", lambda: ours.prune_heads([[1]])),
        ("ValueError: layers are numbered from 0 to 1, got 2", lambda: model().prune_heads({2: [0]})),
    )
    assert torch.equal(ours(x)[0], expected)
    ours.prune_heads([0, 1, 4])
    require_refused((f"{left} [2, 3] to prune", lambda: ours.prune_heads([3, 2])))


def test_errors_name_the_input_that_does_not_fit():
    ours, x, context = attention(), torch.zeros(B, T, C).double(), torch.zeros(B, S, C).double()
    heads, few = torch.ones(H), (torch.zeros(B, H, 4, D).double(),) * 2
    shape = "ValueError: head_mask must be (5,) or (1 or 2, 5, 1, 1), one number for each head, got"
    require_refused(
        ("ValueError: x must be (B, T, 15), got (7, 15); one sequence (T, C)", lambda: ours(x[0])),
        ("ValueError: context must be (2, S, 15), got (2, 11, 14)", lambda: ours(x, context=context[..., 1:])),
        ("ValueError: context must be (2, S, 15), got (1, 11, 15)", lambda: ours(x, context=context[:1])),
        ("TypeError: context must be torch.float64", lambda: ours(x, context=context.float())),
        ("TypeError: mask must be bool", lambda: ours(x, mask=x[0] @ x[0].mT)),
        ("ValueError: does not broadcast to scores (2, 5, 7, 7)", lambda: ours(x, mask=torch.ones(T, T - 1) > 0)),
        (f"{shape} (6,); after pruning only the heads that are left", lambda: ours(x, head_mask=torch.ones(H + 1))),
        *((f"{shape} {tuple(m.shape)}", lambda m=m: ours(x, head_mask=m)) for m in (heads[0], heads.expand(B, H))),
        ("TypeError: head_mask must be a tensor, got list", lambda: ours(x, head_mask=[1, 0, 1, 0, 1])),
        ("ValueError: past must hold keys (2, 5, S, 3)", lambda: ours(x, past=tuple(p[..., 1:] for p in few))),
        ("ValueError: past must hold keys (2, 5, 11, 3)", lambda: ours(x, past=few, context=context)),
    )


@pytest.mark.parametrize("kind", RELATIVE)
def test_relative_positions_end_where_the_table_ends(kind):
    ours, x = attention(kind), random(B, M + 1, C)
    _, _, past = ours(x[:, :M])
    long = "ValueError: the sequence has 14 positions, but max_position_embeddings is 13; shorten the seq"
    require_refused(
        (long, lambda: ours(x)),
        (long, lambda: ours(x[:, M:], past=past)),
        (long, lambda: ours(x[:, :2], context=x)),
        (long, lambda: ours(x, context=x[:, :2])),
        ("ValueError: a cache does not say it; pass the whole", lambda: ours(x[:, :2], context=x[:, :M], past=past)),
    )


def test_errors_name_what_a_model_cannot_read():
    ours, ids = model(), torch.ones(B, M + 1, dtype=torch.long)
    assert ours(ids[:, 1:])[0].shape == (B, M, C)
    few, row = ids[:, :T], "ValueError: head_mask must have a row for each layer, 2, got"
    types = "ValueError: token_types must"
    require_refused(
        ("ValueError: ids must lie between 0 and 18", lambda: ours(19 * few)),
        ("ValueError: ids must be (B, T), got (7,); one sequence (T,)", lambda: ours(few[0])),
        ("ValueError: the text has 14 positions, but max_position_embeddings is 13; shorten", lambda: ours(ids)),
        (f"{types} lie between 0 and 2, since the table has 3 rows", lambda: ours(few, token_types=3 * few)),
        (f"{types} be (2, 7), got (7,)", lambda: ours(few, token_types=few[0])),
        ("TypeError: mask must be bool", lambda: ours(few, mask=few)),
        (f"{row} 3", lambda: ours(few, head_mask=torch.ones(3, H))),
        ("ValueError: head_mask must be (5,)", lambda: ours(few, head_mask=torch.ones(2))),
    )


def test_errors_name_the_weights_that_do_not_fit():
    ours = model()
    own, name = ours.state_dict(), "pooler.dense.bias"
    fix = "the names must be those of Hugging Face's BertModel, without a prefix such as bert."
    missing = "ValueError: these weights do not fit BertModel: missing: embeddings.word_embeddings.weight and 38 more"
    prefixed = {f"bert.{n}": t for n, t in own.items()}
    require_refused(
        ("ValueError: missing: pooler.dense.bias", lambda: load_weights(ours, {n: own[n] for n in own if n != name})),
        (f"ValueError: unknown: cls.bias; {fix}", lambda: load_weights(ours, own | {"cls.bias": torch.zeros(1)})),
        (
            f"ValueError: of another shape: {name} (2,), not (15,)",
            lambda: load_weights(ours, own | {name: own[name][:2]}),
        ),
        (f"{missing}; unknown: bert.embeddings", lambda: load_weights(ours, prefixed)),
        (missing, lambda: load_weights(ours, {})),
    )
