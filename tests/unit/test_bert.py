"""BERT itself: dropout, gradients, copies, dtypes, devices, and errors."""

import copy
import dataclasses
import io
import pickle

import pytest
import torch
from torch import nn

from helpers.bert import (
    POSITIONS,
    BertAttention,
    BertConfig,
    BertEmbeddings,
    BertModel,
    BertOutput,
    BertSelfOutput,
    load_weights,
)
from helpers.heads import MultiHeadAttention
from helpers.masks import causal_mask, padding_mask
from models.ports import to_ours
from tests.unit.bert_models import (
    RELATIVE,
    B,
    C,
    D,
    H,
    M,
    S,
    T,
    agree,
    attention,
    config,
    difference,
    filled,
    model,
    random,
    require_one_sentence,
    some_mask,
)

# ---------------------------------------------------------------- dropout and gradients


def without_norm(module):
    module.LayerNorm = nn.Identity()
    return module


@pytest.mark.parametrize("kind", [BertSelfOutput, BertOutput])
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


def test_a_model_is_deterministic_in_evaluation_only():
    ours, ids = model(), torch.arange(1, 1 + 2 * T).view(2, T)
    assert torch.equal(ours(ids)[0], ours(ids)[0])
    assert difference(ours.train()(ids)[0], ours(ids)[0]) > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"context": True}, {"head_mask": True}], ids=str)
@pytest.mark.parametrize("kind", POSITIONS)
def test_gradients_match_finite_differences(kind, options):
    ours = filled(BertAttention(config(kind, hidden_size=6, num_attention_heads=2, max_position_embeddings=5)))
    names, parameters = zip(*ours.named_parameters(), strict=True)
    mask = torch.tensor([[True, False, True, True], [True] * 4, [False] * 4])  # the last query sees nothing
    given = {"mask": mask if "context" in options else mask[:, 1:]}
    if "head_mask" in options:
        given["head_mask"] = torch.tensor([0.5, 2.0])

    def run(x, context, *parameters):
        more = {"context": context} if "context" in options else {}
        weights = dict(zip(names, parameters, strict=True))
        return torch.func.functional_call(ours, weights, (x,), given | more)[:2]

    inputs = [random(1, 3, 6).requires_grad_(), random(1, 4, 6, seed=1).requires_grad_("context" in options)]
    assert torch.autograd.gradcheck(run, (*inputs, *parameters))


@pytest.mark.slow
@pytest.mark.parametrize("kind", POSITIONS)
def test_gradients_of_a_model_match_finite_differences(kind):
    ours = filled(
        BertModel(
            config(
                kind,
                hidden_size=6,
                num_attention_heads=2,
                max_position_embeddings=5,
                intermediate_size=7,
                vocab_size=11,
            )
        )
    )
    names, parameters = zip(*ours.named_parameters(), strict=True)
    ids, mask = torch.tensor([[1, 7, 3], [4, 10, 1]]), padding_mask([3, 2], 3).unsqueeze(1)

    def run(*parameters):
        weights = dict(zip(names, parameters, strict=True))
        hidden, _ = torch.func.functional_call(ours, weights, (ids,), {"mask": mask, "token_types": ids % 2})
        return hidden

    table = parameters[0].detach().index_fill(0, torch.tensor(0), 0)  # the row of padding, id 0, learns nothing
    assert names[0] == "embeddings.word_embeddings.weight"
    # Fast mode compares one random direction of all weights at once, not each weight by itself.
    assert torch.autograd.gradcheck(run, (table.requires_grad_(), *parameters[1:]), fast_mode=True)


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


def test_all_parameters_of_a_model_get_gradients():
    ours, ids = model("relative_key_query"), torch.arange(1, 1 + 2 * T).view(2, T)
    hidden, _ = ours(ids, token_types=ids % 3)
    (hidden.square() * random(*hidden.shape)).sum().backward()
    ours.pooler(hidden.detach()).square().sum().backward()
    # Relative positions leave the table of absolute ones aside.
    still = {name for name, p in ours.named_parameters() if p.grad is None or p.grad.abs().max() < 1e-9}
    assert still == {"embeddings.position_embeddings.weight"}


# ---------------------------------------------------------------- robustness


@pytest.mark.parametrize(
    "options",
    [{}, {"mask": some_mask(B, 1, 1, T)}, {"mask": causal_mask(T)}, {"context": random(B, S, C, seed=1)}],
    ids=["plain", "padding", "causal", "cross"],
)
def test_equals_multi_head_attention_up_to_the_last_projection(options):
    ours, x, heads = attention(), random(B, T, C), MultiHeadAttention(C, H).double()
    heads.load_state_dict(to_ours(ours.state_dict(), "huggingface"))
    expected, expected_weights = heads(x, need_weights=True, **options)
    merged, weights, _ = ours.self(x, **options)
    agree(weights, expected_weights)
    agree(ours.output.dense(merged), expected)
    agree(ours(x, **options)[0], ours.output.LayerNorm(expected + x))


def test_inputs_are_not_modified():
    ours = attention("relative_key_query", attention_probs_dropout_prob=0.5).train()
    x, context, factors = random(B, T, C), random(B, S, C, seed=1), random(H, seed=3)
    masks, past = {"self": some_mask(B, 1, T, T + 2), "cross": some_mask(B, 1, T, S)}, ours(random(B, 2, C))[2]
    tensors = [x, context, factors, *masks.values(), *past, *ours.parameters()]
    before = [t.clone() for t in tensors]
    ours(x, mask=masks["self"], head_mask=factors, past=past)
    ours(x, mask=masks["cross"], head_mask=factors, context=context)
    assert all(torch.equal(t, b) for t, b in zip(tensors, before, strict=True))


def test_ids_are_not_modified_and_may_have_any_integer_dtype():
    ours, ids = model(), torch.arange(1, 1 + 2 * T).view(2, T)
    types, mask = ids % 3, padding_mask([T, 3], T).unsqueeze(1)
    before = [t.clone() for t in (ids, types, mask)]
    expected = ours(ids, token_types=types, mask=mask)[0]
    assert all(torch.equal(t, b) for t, b in zip((ids, types, mask), before, strict=True))
    for dtype in (torch.uint8, torch.int16, torch.int32):
        assert torch.equal(ours(ids.to(dtype), token_types=types.to(dtype), mask=mask)[0], expected)


def test_padding_does_not_change_the_tokens_before_it():
    ours, ids = model(), torch.arange(1, 1 + 2 * T).view(2, T)
    hidden, weights = ours(ids, mask=padding_mask([T, 3], T).unsqueeze(1))
    agree(hidden[1:, :3], ours(ids[1:, :3])[0])
    assert all((w[1, :, :, 3:] == 0).all() and (w[0] > 0).all() for w in weights)


def test_sequences_may_have_one_position_up_to_the_maximum():
    ours = model()
    for length in (1, M):
        assert ours(torch.ones(B, length, dtype=torch.long))[0].shape == (B, length, C)


def test_token_types_default_to_0_and_matter():
    ours, ids = model(), torch.arange(1, 1 + 2 * T).view(2, T)
    assert torch.equal(ours(ids)[0], ours(ids, token_types=torch.zeros_like(ids))[0])
    assert difference(ours(ids)[0], ours(ids, token_types=ids % 3)[0]) > 1e-3


@pytest.mark.parametrize("kind", POSITIONS)
def test_embeddings_are_a_sum_of_rows_with_positions_only_if_absolute(kind):
    ours, ids = filled(BertEmbeddings(config(kind))), torch.tensor([[5, 5, 3], [3, 5, 5]])
    x = ours.word_embeddings.weight[ids] + ours.token_type_embeddings.weight[0]
    if kind == "absolute":
        x = x + ours.position_embeddings.weight[:3]
    agree(ours(ids), ours.LayerNorm(x))
    assert torch.equal(ours(ids)[0, 0], ours(ids)[0, 1]) == (kind != "absolute")


def test_the_pooler_reads_the_first_token_alone():
    ours, hidden = model(), random(B, T, C)
    dense = ours.pooler.dense
    agree(ours.pooler(hidden), torch.tanh(hidden[:, 0] @ dense.weight.T + dense.bias))


def test_every_norm_and_dropout_follows_the_config():
    ours = BertModel(config(layer_norm_eps=0.125, attention_probs_dropout_prob=0.25, hidden_dropout_prob=0.375))
    assert [m.eps for m in ours.modules() if isinstance(m, nn.LayerNorm)] == [0.125] * 5
    shares = {name: m.p for name, m in ours.named_modules() if isinstance(m, nn.Dropout)}
    assert len(shares) == 7
    assert all(p == (0.25 if name.endswith("self.dropout") else 0.375) for name, p in shares.items())
    x = 1e-3 * random(B, T, C, dtype=torch.float32)
    norm = ours.embeddings.LayerNorm
    torch.testing.assert_close(norm(x), (x - x.mean(-1, True)) / (x.var(-1, correction=0, keepdim=True) + 0.125).sqrt())


def test_initial_parameters_are_small_and_padding_starts_at_0():
    ours = BertModel(
        BertConfig(
            hidden_size=96,
            num_hidden_layers=1,
            intermediate_size=128,
            vocab_size=300,
            position_embedding_type="relative_key",
        )
    )
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


def saved(module):
    """A copy through a file, as a state_dict: the new module is built and pruned first."""
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    twin = BertAttention(module.self.config).double()
    twin.prune_heads(set(range(H)) - set(module.self.kept_heads))
    load_weights(twin, torch.load(file))
    return twin.eval()


@pytest.mark.parametrize("kind", POSITIONS)
@pytest.mark.parametrize("gone", [(), (1, 3)], ids=["all-heads", "pruned"])
@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m)), saved], ids=["deepcopy", "pickle", "state_dict"]
)
def test_a_copy_computes_the_same_and_is_independent(copied, gone, kind):
    ours, x = attention(kind), random(B, T, C)
    ours.prune_heads(gone)
    twin, expected = copied(ours), ours(x)
    agree(twin(x), expected)
    twin.prune_heads([0])
    nn.init.zeros_(twin.output.dense.weight)
    agree(ours(x), expected)
    assert ours.self.kept_heads == [head for head in range(H) if head not in gone]


@pytest.mark.parametrize("kind", POSITIONS)
def test_everything_follows_the_module_to_another_device(kind):
    ours, x = attention(kind).float().to("meta"), torch.empty(B, T, C, device="meta")
    ours.prune_heads([1, 3])
    mask, factors = torch.ones(T, T + 4, dtype=torch.bool, device="meta"), torch.ones(3, device="meta")
    _, _, past = ours(x[:, :4])
    out, weights, present = ours(x, mask=mask, head_mask=factors, past=past)
    assert out.shape == (B, T, C) and weights.shape == (B, 3, T, T + 4) and present[0].shape == (B, 3, T + 4, D)
    assert {t.device.type for t in (out, weights, *present, *ours.parameters())} == {"meta"}


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
def test_a_model_computes_in_its_own_dtype(dtype):
    ours, ids = model(), torch.arange(1, 1 + 2 * T).view(2, T)
    expected = ours(ids)[0]
    hidden, weights = ours.to(dtype)(ids, head_mask=torch.ones(2, H))
    assert hidden.dtype == weights[0].dtype == dtype
    room = {torch.float64: 1e-12, torch.float32: 2e-5, torch.bfloat16: 0.3}[dtype]  # one step of bfloat16 at 2 is 0.016
    torch.testing.assert_close(hidden.double(), expected, rtol=0, atol=room)


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


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    "options, error, words",
    [
        (
            {"num_attention_heads": 4},
            ValueError,
            "must divide hidden_size, got 4 heads for hidden_size = 15; a number near it that does is 3",
        ),
        ({"num_attention_heads": 0}, ValueError, "num_attention_heads must be at least 1, got 0"),
        ({"hidden_size": 15.0}, TypeError, r"hidden_size must be a whole number, got 15\.0"),
        (
            {"position_embedding_type": "rotary"},
            ValueError,
            "position_embedding_type must be one of absolute, relative_key, relative_key_query, got 'rotary'",
        ),
        ({"position_embedding_type": None}, ValueError, "got None"),
        *[
            ({name: p}, error, words)
            for name in ("attention_probs_dropout_prob", "hidden_dropout_prob")
            for p, error, words in (
                (1.0, ValueError, "at least 0 and below 1, got 1.0"),
                (-0.1, ValueError, "got -0.1"),
                ("0.1", TypeError, "must be a number, got '0.1'"),
            )
        ],
        *[
            ({name: size}, error, f"{name} must be {words}, got {size}")
            for name in (
                "max_position_embeddings",
                "num_hidden_layers",
                "intermediate_size",
                "vocab_size",
                "type_vocab_size",
            )
            for size, error, words in ((0, ValueError, "at least 1"), (2.5, TypeError, "a whole number"))
        ],
    ],
)
def test_a_config_that_makes_no_sense_raises(options, error, words):
    with pytest.raises(error, match=words) as caught:
        config(**options)
    require_one_sentence(caught)


def test_the_default_config_is_bert_base_and_frozen():
    base = BertConfig()
    assert (base.hidden_size, base.num_attention_heads, base.head_size) == (768, 12, 64)
    with torch.device("meta"):
        made = BertModel(base)
    assert made.config is base
    # The number that transformers gives for bert-base-uncased's BertModel.
    assert sum(p.numel() for p in made.parameters()) == 109_482_240
    with pytest.raises(dataclasses.FrozenInstanceError):
        base.hidden_size = 5


@pytest.mark.parametrize(
    "heads, error, words",
    [
        ([1, 5], ValueError, "heads are numbered from 0 to 4, got 5"),
        ([-1], ValueError, "from 0 to 4, got -1"),
        (range(H), ValueError, r"at least one head must be left, got all of \[0, 1, 2, 3, 4\] to prune"),
        ([1.0], TypeError, r"heads must be whole numbers, such as \[0, 2\], got 1.0"),
        (["1"], TypeError, "got '1'"),
        ([True], TypeError, "got True"),
        ([None, "a"], TypeError, "got None"),
        ([[1]], TypeError, r"got \[1\]"),
    ],
)
def test_heads_that_cannot_be_pruned_raise(heads, error, words):
    ours, x = attention(), random(B, T, C)
    expected = ours(x)[0]
    with pytest.raises(error, match=words) as caught:
        ours.prune_heads(heads)
    require_one_sentence(caught)
    assert torch.equal(ours(x)[0], expected)


def test_the_last_head_cannot_be_pruned_later():
    ours = attention()
    ours.prune_heads([0, 1, 4])
    with pytest.raises(ValueError, match=r"at least one head must be left, got all of \[2, 3\] to prune"):
        ours.prune_heads([3, 2])
    with pytest.raises(ValueError, match="layers are numbered from 0 to 1, got 2"):
        model().prune_heads({2: [0]})


def cache(*shape, **options):
    return tuple(torch.zeros(*shape, **({"dtype": torch.float64} | options)) for _ in range(2))


SHAPE = r"past must hold keys \(2, 5, S, 3\) and values \(2, 5, S, 3\), got keys "
INPUT_ERRORS = [
    ({"x": torch.zeros(T, C).double()}, ValueError, r"x must be \(B, T, 15\), got \(7, 15\); .* by x\[None\]"),
    ({"x": torch.zeros(1, B, T, C).double()}, ValueError, r"x must be \(B, T, 15\), got \(1, 2, 7, 15\)"),
    ({"x": torch.zeros(C).double()}, ValueError, r"got \(15,\)"),
    ({"x": torch.zeros(B, 0, C).double()}, ValueError, r"with at least one position, got \(2, 0, 15\)"),
    ({"x": torch.zeros(B, T, C + 1).double()}, ValueError, r"x must be \(B, T, 15\), got \(2, 7, 16\)"),
    ({"x": torch.zeros(B, T, C)}, TypeError, "x must be torch.float64 like the module's weights, got torch.float32"),
    ({"x": torch.zeros(B, T, C).long()}, TypeError, "token ids go through an embedding first"),
    ({"x": torch.zeros(B, T, C + 1).double(), "context": torch.zeros(B, S, C).double()}, ValueError, "^x must be"),
    ({"context": torch.zeros(B, S, C + 1).double()}, ValueError, r"context must be \(2, S, 15\), got \(2, 11, 16\)"),
    ({"context": torch.zeros(B, S, C)}, TypeError, "context must be torch.float64"),
    (
        {"context": torch.zeros(S, C).double()},
        ValueError,
        r"context must be \(2, S, 15\), got \(11, 15\); .* by context\[None\]",
    ),
    (
        {"context": torch.zeros(1, S, C).double()},
        ValueError,
        r"context must be \(2, S, 15\), got \(1, 11, 15\)",
    ),
    ({"mask": torch.zeros(T, T)}, TypeError, "mask must be bool .*, an additive mask of 0 and -inf by mask == 0"),
    ({"mask": torch.ones(T, T).long()}, TypeError, "mask must be bool .* got torch.int64; a 0/1 mask .* mask == 1"),
    ({"mask": torch.ones(T, T - 1).bool()}, ValueError, r"mask \(7, 6\) does not broadcast to scores \(2, 5, 7, 7\)"),
    ({"mask": torch.ones(B, T, T).bool()}, ValueError, r"mask for each item needs mask.unsqueeze\(1\)"),
    (
        {"head_mask": torch.ones(H + 1)},
        ValueError,
        r"head_mask must be \(5,\) or \(1 or 2, 5, 1, 1\), .*, got \(6,\); after pruning",
    ),
    ({"head_mask": torch.ones(1)}, ValueError, r"got \(1,\)"),
    ({"head_mask": torch.ones(())}, ValueError, r"got \(\)"),
    ({"head_mask": torch.ones(B, H)}, ValueError, r"got \(2, 5\)"),
    ({"head_mask": torch.ones(3, H, 1, 1)}, ValueError, r"got \(3, 5, 1, 1\)"),
    ({"head_mask": [1, 0, 1, 0, 1]}, TypeError, r"must be a tensor, got list; make one with torch.tensor\(head_mask"),
    ({"past": cache(1, H, 4, D)}, ValueError, SHAPE + r"\(1, 5, 4, 3\), values \(1, 5, 4, 3\): B is 1"),
    ({"past": cache(B, H - 1, 4, D)}, ValueError, SHAPE + r"\(2, 4, 4, 3\)"),
    ({"past": cache(B, H, 4, D + 1)}, ValueError, SHAPE + r"\(2, 5, 4, 4\)"),
    ({"past": cache(B, 4, C)}, ValueError, SHAPE + r"\(2, 4, 15\)"),
    (
        {"past": (cache(B, H, 4, D)[0], cache(B, H, 3, D)[1])},
        ValueError,
        r"past must hold keys \(2, 5, S, 3\).*: S is 4 in keys and 3 in values",
    ),
    ({"past": cache(B, H, 4, D)[0]}, TypeError, r"past must be \(keys, values\), as it was returned, got Tensor"),
    ({"past": cache(B, H, 4, D)[:1]}, TypeError, "got tuple of 1"),
    ({"past": (1, 2)}, TypeError, "past must hold tensors of torch.float64 on cpu like the queries, got int and int"),
    ({"past": cache(B, H, 4, D, dtype=torch.float32)}, TypeError, "got torch.float32 on cpu and torch.float32 on cpu"),
    ({"past": cache(B, H, 4, D, device="meta")}, TypeError, "got torch.float64 on meta"),
    (
        {"past": cache(B, H, 4, D), "context": torch.zeros(B, S, C).double()},
        ValueError,
        r"past must hold keys \(2, 5, 11, 3\).*: S is 4 in keys",
    ),
    ({"past": cache(B, H, S, D), "context": torch.zeros(B, S, C + 1).double()}, ValueError, "context must be"),
]


@pytest.mark.parametrize("options, error, words", INPUT_ERRORS, ids=range(len(INPUT_ERRORS)))
def test_errors_name_the_input_that_does_not_fit(options, error, words):
    given = {"x": torch.zeros(B, T, C).double()} | options
    with pytest.raises(error, match=words) as caught:
        attention()(given.pop("x"), **given)
    require_one_sentence(caught)


@pytest.mark.parametrize("kind", RELATIVE)
def test_relative_positions_end_where_the_table_ends(kind):
    ours, x = attention(kind), random(B, M + 1, C)
    _, _, past = ours(x[:, :M])
    long = "the sequence has 14 positions, but max_position_embeddings is 13; shorten the seq"
    for options in ({}, {"context": x[:, :2]}):
        with pytest.raises(ValueError, match=long) as caught:
            ours(x, **options)
        require_one_sentence(caught)
    with pytest.raises(ValueError, match=long):
        ours(x[:, M:], past=past)
    with pytest.raises(ValueError, match=long):
        ours(x[:, :2], context=x)
    with pytest.raises(ValueError, match="in cross-attention a cache does not say it; pass the whole of x") as caught:
        ours(x[:, :2], context=x[:, :M], past=past)
    require_one_sentence(caught)


IDS = torch.ones(B, T, dtype=torch.long)
MODEL_ERRORS = [
    ({"ids": IDS * 19}, ValueError, "ids must lie between 0 and 18, since the table has 19 rows, got 19; were these"),
    ({"ids": -IDS}, ValueError, "got -1"),
    ({"ids": IDS.float()}, TypeError, "ids must be a tensor of whole numbers"),
    ({"ids": [[1, 2]]}, TypeError, r"got list; make one with torch.tensor\(ids\)"),
    ({"ids": IDS[0]}, ValueError, r"ids must be \(B, T\), got \(7,\); .* by ids\[None\]"),
    ({"ids": IDS[:, :0]}, ValueError, r"got \(2, 0\)"),
    (
        {"ids": torch.ones(B, M + 1).long()},
        ValueError,
        r"the text has 14 positions, but max_position_embeddings is 13; shorten",
    ),
    ({"token_types": 3 * IDS}, ValueError, r"token_types must lie between 0 and 2, since the table has 3 rows, got 3$"),
    ({"token_types": IDS.float()}, TypeError, "token_types must be a tensor of whole numbers"),
    ({"token_types": IDS[0]}, ValueError, r"token_types must be \(2, 7\), got \(7,\)"),
    ({"mask": IDS}, TypeError, "mask must be bool"),
    ({"head_mask": torch.ones(3, H)}, ValueError, "head_mask must have a row for each layer, 2, got 3"),
    ({"head_mask": torch.ones(H)}, ValueError, "a row for each layer, 2, got 5"),
    ({"head_mask": torch.ones(2, H - 1)}, ValueError, r"head_mask must be \(5,\) .* got \(4,\)"),
    ({"head_mask": torch.ones(2)}, ValueError, r"head_mask must be \(5,\) .* got \(\)"),
]


@pytest.mark.parametrize("options, error, words", MODEL_ERRORS, ids=range(len(MODEL_ERRORS)))
def test_errors_name_what_a_model_cannot_read(options, error, words):
    given = {"ids": IDS} | options
    with pytest.raises(error, match=words) as caught:
        model()(given.pop("ids"), **given)
    require_one_sentence(caught)


@pytest.mark.parametrize(
    "change, words",
    [
        (
            lambda w: {n: t for n, t in w.items() if n != "pooler.dense.bias"},
            "these weights do not fit BertModel: missing: pooler.dense.bias$",
        ),
        (lambda w: {n: t for n, t in w.items() if "pooler" not in n}, "missing: pooler.dense.weight and 1 more$"),
        (lambda w: w | {"cls.bias": torch.zeros(1)}, "unknown: cls.bias; the names must be those of Hugging Face's"),
        (
            lambda w: w | {"pooler.dense.bias": torch.zeros(2)},
            r"of another shape: pooler.dense.bias \(2,\), not \(15,\)$",
        ),
        (
            lambda w: {f"bert.{n}": t for n, t in w.items()},
            "missing: embeddings.word_embeddings.weight and 38 more; unknown: bert.embeddings.word_embeddings.weight "
            "and 38 "
            "more; .* without a prefix such as bert.$",
        ),
        (lambda w: {}, "missing: embeddings.word_embeddings.weight and 38 more$"),
    ],
)
def test_errors_name_the_weights_that_do_not_fit(change, words):
    ours = model()
    with pytest.raises(ValueError, match=words) as caught:
        load_weights(ours, change(ours.state_dict()))
    require_one_sentence(caught)
