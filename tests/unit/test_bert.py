"""BERT against what transformers computed (4.22 its attention, 5.23 its model), a plain loop, and itself."""

import copy
import dataclasses
import io
import json
import math
import os
import pickle
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from safetensors import safe_open
from safetensors.torch import load_file
from torch import nn

from helpers import pretrained
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
from helpers.ports import to_ours
from helpers.tokens import WordPiece

GOLDEN = Path(__file__).parents[1] / "golden"
RECORDED = Path(__file__).parents[2] / "data" / "bert"
MINILM = pretrained.folder()
ROUNDING = 5e-6  # float32; the golden files' own note
B, H, D, T, S, M = 2, 5, 3, 7, 11, 13
C = H * D
RELATIVE = POSITIONS[1:]
SMALL = {"hidden_size": C, "num_attention_heads": H, "max_position_embeddings": M, "num_hidden_layers": 2,
         "intermediate_size": 17, "vocab_size": 19, "type_vocab_size": 3}


def random(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def config(kind="absolute", **options):
    return BertConfig(**(SMALL | {"position_embedding_type": kind} | options))


def filled(module):
    """Weights larger than the first ones, so that attention is far from uniform; float64, in evaluation."""
    for i, parameter in enumerate(module.parameters()):
        parameter.data = random(*parameter.shape, seed=100 + i) * 0.4
    return module.eval()


def attention(kind="absolute", **options):
    return filled(BertAttention(config(kind, **options)))


def model(kind="absolute", **options):
    return filled(BertModel(config(kind, **options)))


def some_mask(*shape):
    """Half of the keys hidden; where queries differ, the first one sees no key at all."""
    mask = torch.rand(shape, generator=torch.Generator().manual_seed(5)) < 0.5
    mask[..., 3] = True
    if len(shape) > 1 and shape[-2] > 1:
        mask.view(-1, *shape[-2:])[0, 0] = False
    return mask


def agree(a, b):
    """Equal but for the rounding of float64."""
    torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


def difference(a, b):
    assert a.shape == b.shape
    return (a - b).abs().max().item()


def part(tensors, prefix):
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def require_small(errors, name, record_property):
    record_property("largest_errors", errors)
    print(f"{name:24}", {what: f"{error:.1e}" for what, error in errors.items()})
    assert max(errors.values()) < ROUNDING


# ---------------------------------------------------------------- transformers 4.22: BertAttention

ONE_CALL = ["plain", "padding_mask", "mask_3d", "head_mask", "relative_key", "relative_key_query",
            "decoder_causal_padding", "cross_attention"]
OTHERS = ["fully_masked_item", "prune_heads_1_3", "decoder_past", "cross_attention_past"]


def golden(case):
    """Our attention with their weights, and all tensors of the case."""
    tensors = load_file(RECORDED / f"{case}.safetensors")
    kind = case if case in RELATIVE else "absolute"
    ours = BertAttention(BertConfig(hidden_size=48, num_attention_heads=4, max_position_embeddings=16,
                                    position_embedding_type=kind))
    state = {name: tensor for name, tensor in part(tensors, "state.").items() if not name.startswith("PRUNED.")}
    load_weights(ours, state)
    return ours.eval(), tensors


def golden_mask(tensors, encoder=""):
    """Their additive mask as a bool one, or None."""
    additive = tensors.get(f"input.{encoder}attention_mask")
    if additive is None:
        return None
    assert additive.min() < -1e38 and set(additive.unique().tolist()) <= {0.0, additive.min().item()}
    return additive == 0


def golden_arguments(tensors):
    encoder = "encoder_" if "input.encoder_hidden_states" in tensors else ""
    return {"mask": golden_mask(tensors, encoder), "head_mask": tensors.get("input.head_mask"),
            "context": tensors.get("input.encoder_hidden_states")}


def test_every_recorded_case_is_tested():
    assert sorted(path.stem for path in RECORDED.glob("*.safetensors")) == sorted(ONE_CALL + OTHERS)
    assert len(ONE_CALL + OTHERS) == 12


@pytest.mark.parametrize("case", ONE_CALL)
def test_one_call_gives_what_theirs_gave(case, record_property):
    ours, tensors = golden(case)
    out, weights, _ = ours(tensors["input.hidden_states"], **golden_arguments(tensors))
    require_small({"out": difference(out, tensors["output.out"]),
                   "weights": difference(weights, tensors["output.probs"])}, case, record_property)


def test_the_golden_masks_are_what_their_0_1_masks_say():
    for case, name in (("padding_mask", "mask_2d"), ("mask_3d", "mask_3d"), ("fully_masked_item", "mask_2d")):
        _, tensors = golden(case)
        seen = tensors[f"input.{name}"] == 1
        assert torch.equal(golden_mask(tensors), seen[:, None] if case == "mask_3d" else seen[:, None, None])
    _, tensors = golden("decoder_causal_padding")
    assert torch.equal(golden_mask(tensors), (tensors["input.mask_2d"] == 1)[:, None, None] & causal_mask(7))


def test_a_fully_masked_item_gets_zeros_where_theirs_gets_equal_shares(record_property):
    ours, tensors = golden("fully_masked_item")
    mask, x = golden_mask(tensors), tensors["input.hidden_states"].requires_grad_()
    assert mask[0].any() and not mask[1].any()
    out, weights, _ = ours(x, mask=mask)
    assert (tensors["output.probs"][1] == 1 / 7).all() and (weights[1] == 0).all()
    alone = F.layer_norm(ours.output.dense.bias + x[1], (48,), *ours.output.LayerNorm.parameters(), 1e-12)
    require_small({"out of item 0": difference(out[0], tensors["output.out"][0]),
                   "weights of item 0": difference(weights[0], tensors["output.probs"][0]),
                   "out of item 1, LayerNorm(bias + x)": difference(out[1], alone)}, "fully_masked_item",
                  record_property)
    assert difference(out[1], tensors["output.out"][1]) > 1e-2
    gradients = torch.autograd.grad((out * random(*out.shape, dtype=torch.float32)).sum(), [x, *ours.parameters()])
    assert all(gradient.isfinite().all() for gradient in gradients)


def test_pruned_heads_leave_their_weights_and_outputs(record_property):
    ours, tensors = golden("prune_heads_1_3")
    ours.prune_heads({1, 3})
    left = part(tensors, "state.PRUNED.")
    assert left.keys() == ours.state_dict().keys()
    assert all(torch.equal(tensor, ours.state_dict()[name]) for name, tensor in left.items())
    out, weights, _ = ours(tensors["input.hidden_states"], **golden_arguments(tensors))
    require_small({"out": difference(out, tensors["output.out"]),
                   "weights": difference(weights, tensors["output.probs"])}, "prune_heads_1_3", record_property)


def test_a_decoder_s_cache_gives_what_theirs_gave(record_property):
    ours, tensors = golden("decoder_past")
    x, mask, stored = tensors["input.hidden_states"], golden_mask(tensors), part(tensors, "output.")
    assert torch.equal(mask, causal_mask(7).expand(2, 1, 7, 7))
    full, weights, (k, v) = ours(x, mask=mask)
    errors = {"full.out": difference(full, stored["full.out"]), "full.probs": difference(weights, stored["full.probs"]),
              "full.past_key": difference(k, stored["full.past_key"]),
              "full.past_value": difference(v, stored["full.past_value"])}
    past, steps = None, []
    for t in range(7):
        out, weights, past = ours(x[:, t:t + 1], mask=mask[:, :, t:t + 1, :t + 1], past=past)
        errors[f"step{t}.probs"] = difference(weights, stored[f"step{t}.probs"])
        steps.append(out)
        if t == 3:
            chunk4 = past
    errors |= {"incremental.out": difference(torch.cat(steps, dim=1), stored["incremental.out"]),
               "chunk4.past_key": difference(chunk4[0], stored["chunk4.past_key"]),
               "chunk4.past_value": difference(chunk4[1], stored["chunk4.past_value"]),
               "last key": difference(past[0], stored["full.past_key"]),
               "last value": difference(past[1], stored["full.past_value"])}
    out, weights, _ = ours(x[:, 4:], mask=mask[:, :, 4:], past=chunk4)
    errors |= {"chunk3.out": difference(out, stored["chunk3.out"]),
               "chunk3.probs": difference(weights, stored["chunk3.probs"])}
    assert set(stored) <= set(errors)
    require_small(errors, "decoder_past", record_property)


def test_a_cache_beside_a_context_gives_what_theirs_gave(record_property):
    ours, tensors = golden("cross_attention_past")
    x, arguments, stored = tensors["input.hidden_states"], golden_arguments(tensors), part(tensors, "output.")
    out, weights, past = ours(x, **arguments)
    errors = {"full.out": difference(out, stored["full.out"]), "full.probs": difference(weights, stored["full.probs"]),
              "past_key": difference(past[0], stored["past_key"]),
              "past_value": difference(past[1], stored["past_value"])}
    out, weights, again = ours(x[:, -1:], **arguments, past=past)
    errors |= {"last_step.out": difference(out, stored["last_step.out"]),
               "last_step.probs": difference(weights, stored["last_step.probs"])}
    assert again[0] is past[0] and again[1] is past[1]
    assert set(stored) == set(errors)
    require_small(errors, "cross_attention_past", record_property)


# ---------------------------------------------------------------- transformers 5.23: BertModel

def golden_model():
    tensors = load_file(GOLDEN / "bert_model.safetensors")
    ours = BertModel(BertConfig(hidden_size=24, num_attention_heads=3, num_hidden_layers=2, intermediate_size=40,
                                vocab_size=59, max_position_embeddings=16))
    return ours.eval(), tensors, part(tensors, "state.")


def test_their_model_s_weights_have_our_names_and_shapes():
    ours, _, state = golden_model()
    shapes = {name: tensor.shape for name, tensor in ours.state_dict().items()}
    assert shapes == {name: tensor.shape for name, tensor in state.items()}


def test_their_model_s_weights_give_their_outputs(record_property):
    ours, tensors, state = golden_model()
    load_weights(ours, state)
    ids, types, mask = (tensors[f"input.{name}"] for name in ("ids", "token_types", "mask"))
    assert mask.sum(1).tolist() == [13, 7, 1] and types.max() == 1
    hidden, weights = ours(ids, mask=(mask == 1)[:, None, None], token_types=types)
    assert len(weights) == 2
    errors = {"embeddings": difference(ours.embeddings(ids, types), tensors["output.embeddings"]),
              "hidden": difference(hidden, tensors["output.hidden"]),
              "pooled": difference(ours.pooler(hidden), tensors["output.pooled"]),
              "plain": difference(ours(ids[:1, :11])[0], tensors["plain.hidden"])}
    errors |= {f"attentions.{i}": difference(w, tensors[f"output.attentions.{i}"]) for i, w in enumerate(weights)}
    require_small(errors, "BertModel", record_property)


def test_old_files_with_position_ids_are_loaded_too():
    ours, tensors, state = golden_model()
    old = state | {"embeddings.position_ids": torch.arange(16)[None]}
    names = list(old)
    ours.load_state_dict(old)
    assert all(torch.equal(tensor, state[name]) for name, tensor in ours.state_dict().items())
    other, _, _ = golden_model()
    load_weights(other, old)
    assert all(torch.equal(tensor, state[name]) for name, tensor in other.state_dict().items())
    assert list(old) == names


# ---------------------------------------------------------------- MiniLM

@pytest.fixture(scope="module")
def minilm():
    """MiniLM's weights in our model, and its pieces of words; they are fetched and not part of the course's files."""
    if not all((MINILM / name).exists() for name in pretrained.FILES):
        said = f"MiniLM is not in {MINILM}: run `python course.py fetch`"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(said)
    weights, pieces = (lambda loaded: (loaded.weights, loaded.pieces))(pretrained.load())
    ours = BertModel(BertConfig(hidden_size=384, num_hidden_layers=6, intermediate_size=1536)).eval()
    load_weights(ours, weights)
    return ours, WordPiece(pieces)


def test_minilm_gives_what_transformers_gives(minilm, record_property):
    ours, pieces = minilm
    path = GOLDEN / "minilm.safetensors"
    stored = load_file(path)
    with safe_open(path, "pt") as file:
        sentences = json.loads(file.metadata()["sentences"])
    ids = [torch.tensor(pieces.encode(sentence)) for sentence in sentences]
    lengths = [len(row) for row in ids]
    assert len(sentences) == 20 and len(set(lengths)) > 10 and lengths == stored["lengths"].tolist()
    padded = nn.utils.rnn.pad_sequence(ids, batch_first=True)
    assert torch.equal(padded, stored["ids"].long())
    seen = padding_mask(lengths, max(lengths))  # (B, 1, S)
    with torch.no_grad():
        hidden, _ = ours(padded, mask=seen.unsqueeze(1))
        pooled = ours.pooler(hidden[:3])
    mean = (seen.float() @ hidden).squeeze(1) / seen.sum(-1)
    rows = hidden[tuple(stored["rows"].T)]
    errors = {"mean": difference(mean, stored["mean"]), "hidden": difference(rows, stored["hidden"]),
              "pooled": difference(pooled, stored["pooled"])}
    record_property("largest_errors", errors)
    print("MiniLM", {what: f"{error:.1e}" for what, error in errors.items()})
    assert max(errors.values()) < 2e-5  # numbers up to 6 through six layers; their own distance from float64 is 4e-6
    assert rows.abs().max() > 1


def test_minilm_gives_a_sentence_alone_what_it_gives_in_a_batch(minilm):
    ours, pieces = minilm
    short, long = (torch.tensor(pieces.encode(text)) for text in ("Yes.", "The cat sat on the mat, and it slept."))
    padded = nn.utils.rnn.pad_sequence([short, long], batch_first=True)
    with torch.no_grad():
        hidden, _ = ours(padded, mask=padding_mask([len(short), len(long)], len(long)).unsqueeze(1))
        alone, _ = ours(short[None])
    assert difference(hidden[:1, :len(short)], alone) < 2e-5


# ---------------------------------------------------------------- against a plain loop

def by_loop(module, x, *, source=None, mask=None, first=0):
    """Merged heads and weights from the definition, one score at a time; query t stands at first + t."""
    own, source = module.self, x if source is None else source
    q, k, v = (F.linear(t, p.weight, p.bias) for t, p in ((x, own.query), (source, own.key), (source, own.value)))
    weights = torch.zeros(len(x), H, x.size(1), source.size(1), dtype=x.dtype)
    mask = torch.ones_like(weights, dtype=torch.bool) if mask is None else mask.expand(weights.shape)
    for b, h, t in ((b, h, t) for b in range(len(x)) for h in range(H) for t in range(x.size(1))):
        seen = [s for s in range(source.size(1)) if mask[b, h, t, s]]
        scores = [score(own, q[b, t, h * D:(h + 1) * D], k[b, s, h * D:(h + 1) * D], first + t - s) for s in seen]
        if seen:
            weights[b, h, t, seen] = torch.stack(scores).softmax(0)
    merged = torch.cat([weights[:, h] @ v[..., h * D:(h + 1) * D] for h in range(H)], dim=-1)
    return merged, weights


def score(own, q, k, distance):
    found = q @ k
    if own.config.position_embedding_type != "absolute":
        row = own.distance_embedding.weight[distance + M - 1]
        found = found + q @ row
        if own.config.position_embedding_type == "relative_key_query":
            found = found + k @ row
    return found / math.sqrt(D)


MASK_SHAPES = [None, (S,), (T, S), (B, 1, 1, S), (B, 1, T, S), (B, H, T, S), (1, H, 1, S), (H, T, S)]


@pytest.mark.parametrize("kind", POSITIONS)
@pytest.mark.parametrize("shape", MASK_SHAPES, ids=str)
def test_cross_attention_of_other_length_equals_a_plain_loop(shape, kind):
    ours, x, context = attention(kind), random(B, T, C), random(B, S, C, seed=1)
    mask = None if shape is None else some_mask(*shape)
    out, weights, (k, v) = ours(x, mask=mask, context=context)
    merged, expected = by_loop(ours, x, source=context, mask=mask)
    agree(weights, expected)
    dense, norm = ours.output.dense, ours.output.LayerNorm
    agree(out, F.layer_norm(F.linear(merged, dense.weight, dense.bias) + x, (C,), norm.weight, norm.bias, 1e-12))
    for h in range(H):
        agree(k[:, h], ours.self.key(context)[..., h * D:(h + 1) * D])
        agree(v[:, h], ours.self.value(context)[..., h * D:(h + 1) * D])


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


@pytest.mark.parametrize("kind", RELATIVE)
def test_distances_are_seen(kind):
    """Equal vectors everywhere: only the distance can tell keys apart, and each distance has a weight of its own."""
    ours, x = attention(kind), random(1, 1, C).expand(B, T, C)
    _, weights, _ = ours(x)
    assert weights[0, 0, 0].unique().numel() == T
    ratio = weights[..., :-1] / weights[..., 1:]  # of neighbouring keys: the same wherever the distance is the same
    agree(ratio[..., 1:, 1:], ratio[..., :-1, :-1])
    _, plain, _ = attention()(x)
    agree(plain, torch.full_like(plain, 1 / T))


# ---------------------------------------------------------------- the cache

@pytest.mark.parametrize("kind", POSITIONS)
@pytest.mark.parametrize("chunks", [(1,) * M, (3, 1, 7, 2), (2, 11), (M,)], ids=str)
@pytest.mark.parametrize("gone", [(), (1, 3)], ids=["all-heads", "pruned"])
def test_piece_by_piece_equals_all_at_once(chunks, kind, gone):
    ours, x, mask = attention(kind), random(B, M, C), causal_mask(M)
    ours.prune_heads(gone)
    full, full_weights, full_cache = ours(x, mask=mask)
    past, start = None, 0
    for size in chunks:
        end = start + size
        out, weights, past = ours(x[:, start:end], mask=mask[start:end, :end], past=past)
        agree(out, full[:, start:end])
        agree(weights, full_weights[:, :, start:end, :end])
        start = end
    agree(past, full_cache)


@pytest.mark.parametrize("kind", POSITIONS)
def test_a_piece_behind_a_cache_equals_a_plain_loop(kind):
    ours, x = attention(kind), random(B, S, C)
    _, _, past = ours(x[:, :4])
    out, weights, (k, _) = ours(x[:, 4:], past=list(past))
    merged, expected = by_loop(ours, x[:, 4:], source=x, first=4)
    agree(weights, expected)
    agree(out, ours.output(merged, x[:, 4:]))
    assert k.shape == (B, H, S, D) and torch.equal(k[:, :, :4], past[0])


def test_a_cache_is_not_changed_and_can_be_continued_twice():
    ours, x = attention(), random(B, T, C)
    _, _, past = ours(x[:, :3])
    before = [t.clone() for t in past]
    first, _, _ = ours(x[:, 3:], past=past)
    ours(random(B, 2, C, seed=7), past=past)
    second, _, _ = ours(x[:, 3:], past=past)
    assert torch.equal(first, second) and all(torch.equal(t, b) for t, b in zip(past, before, strict=True))


def test_gradients_run_through_the_cache():
    ours, x, mask = attention("relative_key_query"), random(B, T, C).requires_grad_(), causal_mask(T)
    mix, leaves = random(B, T, C, seed=2), [x, *ours.parameters()]
    expected = torch.autograd.grad((ours(x, mask=mask)[0] * mix).sum(), leaves)
    head, _, past = ours(x[:, :3], mask=mask[:3, :3])
    tail, _, _ = ours(x[:, 3:], mask=mask[3:], past=past)
    agree(torch.autograd.grad((torch.cat([head, tail], dim=1) * mix).sum(), leaves), expected)


@pytest.mark.parametrize("gone", [(), (0, 2)], ids=["all-heads", "pruned"])
def test_a_cache_beside_a_context_replaces_its_keys_and_values(gone):
    ours, x, context, mask = attention(), random(B, T, C), random(B, S, C, seed=1), some_mask(B, 1, 1, S)
    ours.prune_heads(gone)
    full, full_weights, past = ours(x, context=context, mask=mask)
    for t in range(T):
        out, weights, again = ours(x[:, t:t + 1], context=torch.zeros_like(context), mask=mask, past=past)
        agree(out, full[:, t:t + 1])
        agree(weights, full_weights[:, :, t:t + 1])
        assert again[0] is past[0] and again[1] is past[1]


# ---------------------------------------------------------------- head masks and pruning

@pytest.mark.parametrize("shape", [(H,), (1, H, 1, 1), (B, H, 1, 1)], ids=str)
def test_a_head_mask_multiplies_weights_after_the_softmax(shape):
    ours, x, factors = attention(), random(B, T, C), random(*shape, seed=3)
    plain = ours(x)[1]
    out, weights, _ = ours(x, head_mask=factors)
    expected = torch.stack([plain[b, h] * (factors[h] if len(shape) == 1 else factors[b % len(factors), h, 0, 0])
                            for b in range(B) for h in range(H)]).view(B, H, T, T)
    agree(weights, expected)
    v = ours.self.value(x).view(B, T, H, D)
    agree(out, ours.output(torch.einsum("bhts,bshd->bthd", expected, v).flatten(2), x))


@pytest.mark.parametrize("dtype", [torch.bool, torch.long, torch.float32], ids=str)
def test_a_head_mask_may_have_any_dtype(dtype):
    ours, x, kept = attention(), random(B, T, C), torch.tensor([1, 0, 1, 0, 1])
    out, weights, _ = ours(x, head_mask=kept.to(dtype))
    assert out.dtype == weights.dtype == torch.float64
    assert torch.equal(out, ours(x, head_mask=kept.double())[0]) and (weights[:, [1, 3]] == 0).all()


GOES = [[(1,)], [(0, 2)], [(3, 1)], [(1,), (3,)], [(0,), (4, 2)], [(1,), (1, 2), ()], [[4, 4]], [{0, 1, 2, 3}]]


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


def test_pruning_takes_weights_away_and_again_changes_nothing():
    ours, x = attention("relative_key"), random(B, T, C)
    before = ours.state_dict()
    ours.prune_heads([1, 3])
    after = ours.state_dict()
    assert after.keys() == before.keys()
    assert all(torch.equal(tensor, cut(name, before[name], [0, 2, 4])) for name, tensor in after.items())
    assert ours.self.query.weight.shape == (9, C) and ours.output.dense.weight.shape == (C, 9)
    assert (ours.self.query.out_features, ours.output.dense.in_features) == (9, 9)
    out = ours(x)[0]
    ours.prune_heads([3])
    assert torch.equal(ours(x)[0], out) and ours.self.kept_heads == [0, 2, 4]
    for name in ("self.query.weight", "self.query.bias", "output.dense.weight", "output.dense.bias"):
        before[name].zero_()  # as an optimizer would that still holds the old ones
    assert torch.equal(ours(x)[0], out)


def test_pruning_draws_no_random_numbers():
    ours, before = attention(), torch.get_rng_state()
    ours.prune_heads([1])
    assert torch.equal(torch.get_rng_state(), before)


def test_pruning_takes_any_collection_of_heads_and_a_generator():
    for heads in ([1, 3], (1, 3), {1, 3}, range(1, 4, 2), (head for head in (1, 3))):
        ours = attention()
        ours.prune_heads(heads)
        assert ours.self.kept_heads == [0, 2, 4]


@pytest.mark.parametrize("shape", [(3,), (1, 3, 1, 1), (B, 3, 1, 1)], ids=str)
def test_after_pruning_a_head_mask_counts_the_heads_that_are_left(shape):
    ours, x, factors = attention(), random(B, T, C), random(*shape, seed=3)
    spread = torch.zeros(*shape[:-3], H, *shape[-2:]) if len(shape) > 1 else torch.zeros(H)
    spread = spread.double().index_copy(0 if len(shape) == 1 else 1, torch.tensor([0, 2, 4]), factors)
    expected = ours(x, head_mask=spread)[0]
    ours.prune_heads([1, 3])
    agree(ours(x, head_mask=factors)[0], expected)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("frozen", [None, "weight", "bias"])
def test_pruning_keeps_what_is_frozen_the_dtype_and_the_mode(frozen, training):
    ours = attention().float().train(training)
    for name, parameter in ours.named_parameters():
        parameter.requires_grad_(not name.endswith(str(frozen)))
    ours.prune_heads([2])
    assert all(p.requires_grad != name.endswith(str(frozen)) for name, p in ours.named_parameters())
    assert {p.dtype for p in ours.parameters()} == {torch.float32}
    assert {m.training for m in ours.modules()} == {training}


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
    assert difference(ours(ids, head_mask=rows)[0], hidden) > 1e-3


def test_a_model_is_pruned_wholly_or_not_at_all():
    ours = model()
    for wrong in ({0: [1], 1: [H]}, {0: [1], 2: [0]}, {0: [1], 1: range(H)}):
        with pytest.raises(ValueError):
            ours.prune_heads(wrong)
        assert [layer.attention.self.kept_heads for layer in ours.encoder.layer] == [list(range(H))] * 2


# ---------------------------------------------------------------- dropout and gradients

def without_norm(module):
    module.LayerNorm = nn.Identity()
    return module


@pytest.mark.parametrize("kind", [BertSelfOutput, BertOutput])
def test_hidden_dropout_acts_on_the_new_part_only_and_in_training_only(kind):
    ours = without_norm(filled(kind(config(hidden_dropout_prob=0.5, attention_probs_dropout_prob=0.0))))
    inner, x = random(B, T, ours.dense.in_features), random(B, T, C, seed=1)
    plain = ours(inner, x) - x
    agree(plain, ours.dense(inner))
    new = ours.train()(inner, x) - x
    dropped = new.abs() < 1e-12
    assert 0.3 < dropped.double().mean() < 0.7
    agree(new[~dropped], 2 * plain[~dropped])


def test_the_embeddings_dropout_acts_behind_the_norm_and_in_training_only():
    ours, ids = filled(BertEmbeddings(config(hidden_dropout_prob=0.5))), torch.arange(1, 1 + 2 * T).view(2, T)
    plain, trained = ours(ids), ours.train()(ids)
    dropped = trained == 0
    assert 0.3 < dropped.double().mean() < 0.7 and (plain != 0).all()
    agree(trained[~dropped], 2 * plain[~dropped])


def test_dropout_of_weights_acts_after_the_softmax_and_the_weights_returned_are_those_used():
    ours = attention(attention_probs_dropout_prob=0.5, hidden_dropout_prob=0.0)
    x, mask, factors = random(B, T, C), causal_mask(T), random(H, seed=3)
    _, plain, _ = ours(x, mask=mask, head_mask=factors)
    out, weights, (_, v) = ours.train()(x, mask=mask, head_mask=factors)
    dropped = weights == 0
    assert 0.3 < dropped[..., mask].double().mean() < 0.7 and dropped[..., ~mask].all()
    agree(weights[~dropped], 2 * plain[~dropped])
    agree(out, ours.output((weights @ v).transpose(1, 2).flatten(2), x))


def test_a_model_in_evaluation_is_still_and_in_training_is_not():
    ours, ids = model(), torch.arange(1, 1 + 2 * T).view(2, T)
    assert torch.equal(ours(ids)[0], ours(ids)[0])
    assert difference(ours.train()(ids)[0], ours(ids)[0]) > 1e-3


@pytest.mark.parametrize("options", [{}, {"context": True}, {"head_mask": True}], ids=str)
@pytest.mark.parametrize("kind", POSITIONS)
def test_gradients_are_those_of_finite_differences(kind, options):
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


@pytest.mark.parametrize("kind", POSITIONS)
def test_gradients_of_a_model_are_those_of_finite_differences(kind):
    ours = filled(BertModel(config(kind, hidden_size=6, num_attention_heads=2, max_position_embeddings=5,
                                   intermediate_size=7, vocab_size=11)))
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


def test_all_weights_of_a_model_learn():
    ours, ids = model("relative_key_query"), torch.arange(1, 1 + 2 * T).view(2, T)
    hidden, _ = ours(ids, token_types=ids % 3)
    (hidden.square() * random(*hidden.shape)).sum().backward()
    ours.pooler(hidden.detach()).square().sum().backward()
    # Relative positions leave the table of absolute ones aside.
    still = {name for name, p in ours.named_parameters() if p.grad is None or p.grad.abs().max() < 1e-9}
    assert still == {"embeddings.position_embeddings.weight"}


# ---------------------------------------------------------------- what a module must stand

@pytest.mark.parametrize("options", [{}, {"mask": some_mask(B, 1, 1, T)}, {"mask": causal_mask(T)},
                                     {"context": random(B, S, C, seed=1)}], ids=["plain", "padding", "causal", "cross"])
def test_equals_multi_head_attention_up_to_the_last_projection(options):
    ours, x, heads = attention(), random(B, T, C), MultiHeadAttention(C, H).double()
    heads.load_state_dict(to_ours(ours.state_dict(), "huggingface"))
    expected, expected_weights = heads(x, need_weights=True, **options)
    merged, weights, _ = ours.self(x, **options)
    agree(weights, expected_weights)
    agree(ours.output.dense(merged), expected)
    agree(ours(x, **options)[0], ours.output.LayerNorm(expected + x))


def test_inputs_are_never_changed():
    ours = attention("relative_key_query", attention_probs_dropout_prob=0.5).train()
    x, context, factors = random(B, T, C), random(B, S, C, seed=1), random(H, seed=3)
    masks, past = {"self": some_mask(B, 1, T, T + 2), "cross": some_mask(B, 1, T, S)}, ours(random(B, 2, C))[2]
    tensors = [x, context, factors, *masks.values(), *past, *ours.parameters()]
    before = [t.clone() for t in tensors]
    ours(x, mask=masks["self"], head_mask=factors, past=past)
    ours(x, mask=masks["cross"], head_mask=factors, context=context)
    assert all(torch.equal(t, b) for t, b in zip(tensors, before, strict=True))


def test_ids_are_never_changed_and_may_be_any_whole_numbers():
    ours, ids = model(), torch.arange(1, 1 + 2 * T).view(2, T)
    types, mask = ids % 3, padding_mask([T, 3], T).unsqueeze(1)
    before = [t.clone() for t in (ids, types, mask)]
    expected = ours(ids, token_types=types, mask=mask)[0]
    assert all(torch.equal(t, b) for t, b in zip((ids, types, mask), before, strict=True))
    for dtype in (torch.uint8, torch.int16, torch.int32):
        assert torch.equal(ours(ids.to(dtype), token_types=types.to(dtype), mask=mask)[0], expected)


def test_padding_does_not_change_what_stands_before_it():
    ours, ids = model(), torch.arange(1, 1 + 2 * T).view(2, T)
    hidden, weights = ours(ids, mask=padding_mask([T, 3], T).unsqueeze(1))
    agree(hidden[1:, :3], ours(ids[1:, :3])[0])
    assert all((w[1, :, :, 3:] == 0).all() and (w[0] > 0).all() for w in weights)


def test_as_many_ids_as_there_are_positions_are_read_and_one_alone_too():
    ours = model()
    for length in (1, M):
        assert ours(torch.ones(B, length, dtype=torch.long))[0].shape == (B, length, C)


def test_token_types_are_0_where_none_are_given_and_do_matter():
    ours, ids = model(), torch.arange(1, 1 + 2 * T).view(2, T)
    assert torch.equal(ours(ids)[0], ours(ids, token_types=torch.zeros_like(ids))[0])
    assert difference(ours(ids)[0], ours(ids, token_types=ids % 3)[0]) > 1e-3


@pytest.mark.parametrize("kind", POSITIONS)
def test_embeddings_are_a_sum_of_rows_and_know_positions_if_absolute(kind):
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


def test_every_norm_has_the_epsilon_asked_for_and_every_dropout_its_share():
    ours = BertModel(config(layer_norm_eps=0.125, attention_probs_dropout_prob=0.25, hidden_dropout_prob=0.375))
    assert [m.eps for m in ours.modules() if isinstance(m, nn.LayerNorm)] == [0.125] * 5
    shares = {name: m.p for name, m in ours.named_modules() if isinstance(m, nn.Dropout)}
    assert len(shares) == 7
    assert all(p == (0.25 if name.endswith("self.dropout") else 0.375) for name, p in shares.items())
    x = 1e-3 * random(B, T, C, dtype=torch.float32)
    norm = ours.embeddings.LayerNorm
    torch.testing.assert_close(norm(x), (x - x.mean(-1, True)) / (x.var(-1, correction=0, keepdim=True) + 0.125).sqrt())


def test_first_weights_are_small_and_padding_starts_at_0():
    ours = BertModel(BertConfig(hidden_size=96, num_hidden_layers=1, intermediate_size=128, vocab_size=300,
                                position_embedding_type="relative_key"))
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
    """A module's way through a file, as its state_dict: the copy is built and pruned first."""
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    twin = BertAttention(module.self.config).double()
    twin.prune_heads(set(range(H)) - set(module.self.kept_heads))
    load_weights(twin, torch.load(file))
    return twin.eval()


@pytest.mark.parametrize("kind", POSITIONS)
@pytest.mark.parametrize("gone", [(), (1, 3)], ids=["all-heads", "pruned"])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m)), saved],
                         ids=["deepcopy", "pickle", "state_dict"])
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


def test_autocast_goes_on_with_its_own_cache():
    ours, x = attention("relative_key").float(), random(B, T, C, dtype=torch.float32)
    expected = ours(x)[0][:, 3:]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        past = ours(x[:, :3])[2]
        out = ours(x[:, 3:], past=past)[0]
    assert past[0].dtype == torch.bfloat16
    torch.testing.assert_close(out.float(), expected, rtol=0, atol=0.1)


def test_all_weights_are_loaded_or_none():
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

def require_one_sentence(caught):
    text = str(caught.value)
    assert "\n" not in text and ". " not in text and len(text) < 330, text


@pytest.mark.parametrize("options, error, words", [
    ({"num_attention_heads": 4}, ValueError, "got 4 heads for d_model = 15; a number near it that does is 3"),
    ({"num_attention_heads": 0}, ValueError, "num_heads must be at least 1, got 0"),
    ({"hidden_size": 15.0}, TypeError, "d_model must be a whole number, got 15.0"),
    ({"position_embedding_type": "rotary"}, ValueError,
     "position_embedding_type must be one of absolute, relative_key, relative_key_query, got 'rotary'"),
    ({"position_embedding_type": None}, ValueError, "got None"),
    *[({name: p}, error, words) for name in ("attention_probs_dropout_prob", "hidden_dropout_prob")
      for p, error, words in ((1.0, ValueError, "at least 0 and below 1, got 1.0"), (-0.1, ValueError, "got -0.1"),
                              ("0.1", TypeError, "must be a number, got '0.1'"))],
    *[({name: size}, error, f"{name} must be {words}, got {size}")
      for name in ("max_position_embeddings", "num_hidden_layers", "intermediate_size", "vocab_size", "type_vocab_size")
      for size, error, words in ((0, ValueError, "at least 1"), (2.5, TypeError, "a whole number"))],
])
def test_a_config_that_makes_no_sense_is_refused(options, error, words):
    with pytest.raises(error, match=words) as caught:
        config(**options)
    require_one_sentence(caught)


def test_a_config_is_bert_base_and_cannot_be_changed():
    base = BertConfig()
    assert (base.hidden_size, base.num_attention_heads, base.head_size) == (768, 12, 64)
    with torch.device("meta"):
        count = sum(p.numel() for p in BertModel(base).parameters())
    assert count == 109_482_240  # the number that transformers gives for bert-base-uncased's BertModel
    with pytest.raises(dataclasses.FrozenInstanceError):
        base.hidden_size = 5


@pytest.mark.parametrize("heads, error, words", [
    ([1, 5], ValueError, "heads are numbered from 0 to 4, got 5"), ([-1], ValueError, "from 0 to 4, got -1"),
    (range(H), ValueError, r"at least one head must be left, got all of \[0, 1, 2, 3, 4\] to prune"),
    ([1.0], TypeError, r"heads must be whole numbers, such as \[0, 2\], got 1.0"), (["1"], TypeError, "got '1'"),
    ([True], TypeError, "got True"), ([None, "a"], TypeError, "got None"), ([[1]], TypeError, r"got \[1\]"),
])
def test_heads_that_cannot_be_pruned_are_refused(heads, error, words):
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


SHAPE = r"past must hold keys and values of one shape \(B, H, S, D\) = \(2, 5, S, 3\), got "
INPUT_ERRORS = [
    ({"x": torch.zeros(T, C).double()}, ValueError, r"x must be \(B, T, C\), got \(7, 15\); .* by x\[None\]"),
    ({"x": torch.zeros(1, B, T, C).double()}, ValueError, r"x must be \(B, T, C\), got \(1, 2, 7, 15\)"),
    ({"x": torch.zeros(C).double()}, ValueError, r"got \(15,\)"),
    ({"x": torch.zeros(B, 0, C).double()}, ValueError, r"with at least one position, got \(2, 0, 15\)"),
    ({"x": torch.zeros(B, T, C + 1).double()}, ValueError, r"x must be \(..., T, 15\) .*, got \(2, 7, 16\)"),
    ({"x": torch.zeros(B, T, C)}, TypeError, "x must be torch.float64 like the module's weights, got torch.float32"),
    ({"x": torch.zeros(B, T, C).long()}, TypeError, "token ids go through an embedding first"),
    ({"context": torch.zeros(B, S, C + 1).double()}, ValueError, r"context must be \(..., T, 15\) .* \(2, 11, 16\)"),
    ({"context": torch.zeros(B, S, C)}, TypeError, "context must be torch.float64"),
    ({"context": torch.zeros(S, C).double()}, ValueError, r"context must be \(B, T, C\), .* by context\[None\]"),
    ({"context": torch.zeros(1, S, C).double()}, ValueError,
     r"x and context must have the same batch size, got \(2, 7, 15\) and \(1, 11, 15\)"),
    ({"mask": torch.zeros(T, T)}, TypeError, "mask must be bool .*, an additive mask of 0 and -inf by mask == 0"),
    ({"mask": torch.ones(T, T).long()}, TypeError, "mask must be bool .* got torch.int64; a 0/1 mask .* mask == 1"),
    ({"mask": torch.ones(T, T - 1).bool()}, ValueError, r"mask \(7, 6\) does not broadcast to scores \(2, 5, 7, 7\)"),
    ({"mask": torch.ones(B, T, T).bool()}, ValueError, r"mask for each item needs mask.unsqueeze\(1\)"),
    ({"head_mask": torch.ones(H + 1)}, ValueError,
     r"head_mask must be \(5,\) or \(1 or 2, 5, 1, 1\), .*, got \(6,\); after pruning"),
    ({"head_mask": torch.ones(1)}, ValueError, r"got \(1,\)"), ({"head_mask": torch.ones(())}, ValueError, r"got \(\)"),
    ({"head_mask": torch.ones(B, H)}, ValueError, r"got \(2, 5\)"),
    ({"head_mask": torch.ones(3, H, 1, 1)}, ValueError, r"got \(3, 5, 1, 1\)"),
    ({"head_mask": [1, 0, 1, 0, 1]}, TypeError, r"must be a tensor, got list; make one with torch.tensor\(head_mask"),
    ({"past": cache(1, H, 4, D)}, ValueError, SHAPE + r"\(1, 5, 4, 3\) and \(1, 5, 4, 3\)"),
    ({"past": cache(B, H - 1, 4, D)}, ValueError, SHAPE + r"\(2, 4, 4, 3\)"),
    ({"past": cache(B, H, 4, D + 1)}, ValueError, SHAPE + r"\(2, 5, 4, 4\)"),
    ({"past": cache(B, 4, C)}, ValueError, SHAPE + r"\(2, 4, 15\)"),
    ({"past": (cache(B, H, 4, D)[0], cache(B, H, 3, D)[1])}, ValueError, r"\(2, 5, 4, 3\) and \(2, 5, 3, 3\)"),
    ({"past": cache(B, H, 4, D)[0]}, TypeError, "past must be a pair .*, as it was returned, got Tensor$"),
    ({"past": cache(B, H, 4, D)[:1]}, TypeError, "got tuple of 1"),
    ({"past": (1, 2)}, TypeError, "past must hold tensors of torch.float64 on cpu like the queries, got int and int"),
    ({"past": cache(B, H, 4, D, dtype=torch.float32)}, TypeError, "got torch.float32 on cpu and torch.float32 on cpu"),
    ({"past": cache(B, H, 4, D, device="meta")}, TypeError, "got torch.float64 on meta"),
    ({"past": cache(B, H, 4, D), "context": torch.zeros(B, S, C).double()}, ValueError, r"= \(2, 5, 11, 3\), got"),
    ({"past": cache(B, H, S, D), "context": torch.zeros(B, S, C + 1).double()}, ValueError, "context must be"),
]


@pytest.mark.parametrize("options, error, words", INPUT_ERRORS, ids=range(len(INPUT_ERRORS)))
def test_inputs_that_do_not_fit_are_named(options, error, words):
    given = {"x": torch.zeros(B, T, C).double()} | options
    with pytest.raises(error, match=words) as caught:
        attention()(given.pop("x"), **given)
    require_one_sentence(caught)


@pytest.mark.parametrize("kind", RELATIVE)
def test_relative_positions_end_where_the_table_ends(kind):
    ours, x = attention(kind), random(B, M + 1, C)
    _, _, past = ours(x[:, :M])
    long = "the sequence has 14 positions, but max_position_embeddings is 13; shorten it"
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
    ({"ids": -IDS}, ValueError, "got -1"), ({"ids": IDS.float()}, TypeError, "ids must be a tensor of whole numbers"),
    ({"ids": [[1, 2]]}, TypeError, r"got list; make one with torch.tensor\(ids\)"),
    ({"ids": IDS[0]}, ValueError, r"ids must be \(B, T\) with 1 to 13 positions .*, got \(7,\); .* by ids\[None\]"),
    ({"ids": IDS[:, :0]}, ValueError, r"got \(2, 0\)"),
    ({"ids": torch.ones(B, M + 1).long()}, ValueError, r"since max_position_embeddings is 13, got \(2, 14\)"),
    ({"token_types": 3 * IDS}, ValueError, r"token_types must lie between 0 and 2, since the table has 3 rows, got 3$"),
    ({"token_types": IDS.float()}, TypeError, "token_types must be a tensor of whole numbers"),
    ({"token_types": IDS[0]}, ValueError, r"token_types must have the shape of ids, got \(7,\) and \(2, 7\)"),
    ({"mask": IDS}, TypeError, "mask must be bool"),
    ({"head_mask": torch.ones(3, H)}, ValueError, "head_mask must have a row for each layer, 2, got 3"),
    ({"head_mask": torch.ones(H)}, ValueError, "a row for each layer, 2, got 5"),
    ({"head_mask": torch.ones(2, H - 1)}, ValueError, r"head_mask must be \(5,\) .* got \(4,\)"),
    ({"head_mask": torch.ones(2)}, ValueError, r"head_mask must be \(5,\) .* got \(\)"),
]


@pytest.mark.parametrize("options, error, words", MODEL_ERRORS, ids=range(len(MODEL_ERRORS)))
def test_what_a_model_cannot_read_is_named(options, error, words):
    given = {"ids": IDS} | options
    with pytest.raises(error, match=words) as caught:
        model()(given.pop("ids"), **given)
    require_one_sentence(caught)


@pytest.mark.parametrize("change, words", [
    (lambda w: {n: t for n, t in w.items() if n != "pooler.dense.bias"},
     "these weights do not fit BertModel: missing: pooler.dense.bias$"),
    (lambda w: {n: t for n, t in w.items() if "pooler" not in n}, "missing: pooler.dense.weight and 1 more$"),
    (lambda w: w | {"cls.bias": torch.zeros(1)}, "unknown: cls.bias; the names must be those of Hugging Face's"),
    (lambda w: w | {"pooler.dense.bias": torch.zeros(2)}, r"of another shape: pooler.dense.bias \(2,\), not \(15,\)$"),
    (lambda w: {f"bert.{n}": t for n, t in w.items()},
     "missing: embeddings.word_embeddings.weight and 38 more; unknown: bert.embeddings.word_embeddings.weight and 38 "
     "more; .* without a prefix such as bert.$"),
    (lambda w: {}, "missing: embeddings.word_embeddings.weight and 38 more$"),
])
def test_weights_that_do_not_fit_are_named(change, words):
    ours = model()
    with pytest.raises(ValueError, match=words) as caught:
        load_weights(ours, change(ours.state_dict()))
    require_one_sentence(caught)
