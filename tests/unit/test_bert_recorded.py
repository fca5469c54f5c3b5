"""BERT against recorded outputs: transformers 4.22 for its attention, transformers 5.23 for the model, MiniLM."""

import json
import os
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from safetensors import safe_open
from safetensors.torch import load_file
from torch import nn

from helpers.bert import (
    BertAttention,
    BertConfig,
    BertModel,
    load_weights,
)
from helpers.masks import causal_mask, padding_mask
from helpers.tokens import WordPiece
from models import pretrained
from tests.unit.bert_models import RELATIVE, ROUNDING, difference, part, random
from tools.record import one_head

GOLDEN = Path(__file__).parents[1] / "golden"
RECORDED = Path(__file__).parents[2] / "data" / "bert"
MINILM = pretrained.folder()


def require_small(errors, name, record_property):
    record_property("largest_errors", errors)
    print(f"{name:24}", {what: f"{error:.1e}" for what, error in errors.items()})
    assert max(errors.values()) < ROUNDING


# ---------------------------------------------------------------- transformers 4.22: BertAttention

ONE_CALL = [
    "plain",
    "padding_mask",
    "mask_3d",
    "head_mask",
    "relative_key",
    "relative_key_query",
    "decoder_causal_padding",
    "cross_attention",
]
OTHERS = ["fully_masked_item", "prune_heads_1_3", "decoder_past", "relative_key_past", "cross_attention_past"]


def golden(case):
    """Our attention with their weights, and all tensors of the case."""
    tensors = load_file(RECORDED / f"{case}.safetensors")
    kind = case.removesuffix("_past")
    kind = kind if kind in RELATIVE else "absolute"
    ours = BertAttention(
        BertConfig(hidden_size=48, num_attention_heads=4, max_position_embeddings=16, position_embedding_type=kind)
    )
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
    return {
        "mask": golden_mask(tensors, encoder),
        "head_mask": tensors.get("input.head_mask"),
        "context": tensors.get("input.encoder_hidden_states"),
    }


def test_every_recorded_case_is_tested():
    stored = sorted(path.stem for path in RECORDED.glob("*.safetensors"))
    assert stored == sorted([*ONE_CALL, *OTHERS, one_head.FILE.stem])
    assert len(stored) == 14


@pytest.mark.parametrize("case", ONE_CALL)
def test_one_call_matches_transformers(case, record_property):
    ours, tensors = golden(case)
    out, weights, _ = ours(tensors["input.hidden_states"], **golden_arguments(tensors))
    require_small(
        {"out": difference(out, tensors["output.out"]), "weights": difference(weights, tensors["output.probs"])},
        case,
        record_property,
    )


def test_recorded_additive_masks_match_their_0_1_masks():
    for case, name in (("padding_mask", "mask_2d"), ("mask_3d", "mask_3d"), ("fully_masked_item", "mask_2d")):
        _, tensors = golden(case)
        seen = tensors[f"input.{name}"] == 1
        assert torch.equal(golden_mask(tensors), seen[:, None] if case == "mask_3d" else seen[:, None, None])
    _, tensors = golden("decoder_causal_padding")
    assert torch.equal(golden_mask(tensors), (tensors["input.mask_2d"] == 1)[:, None, None] & causal_mask(7))


def test_a_fully_masked_item_gets_zeros_where_transformers_gives_uniform_weights(record_property):
    ours, tensors = golden("fully_masked_item")
    mask, x = golden_mask(tensors), tensors["input.hidden_states"].requires_grad_()
    assert mask[0].any() and not mask[1].any()
    out, weights, _ = ours(x, mask=mask)
    assert (tensors["output.probs"][1] == 1 / 7).all() and (weights[1] == 0).all()
    alone = F.layer_norm(ours.output.dense.bias + x[1], (48,), *ours.output.LayerNorm.parameters(), 1e-12)
    require_small(
        {
            "out of item 0": difference(out[0], tensors["output.out"][0]),
            "weights of item 0": difference(weights[0], tensors["output.probs"][0]),
            "out of item 1, LayerNorm(bias + x)": difference(out[1], alone),
        },
        "fully_masked_item",
        record_property,
    )
    assert difference(out[1], tensors["output.out"][1]) > 1e-2
    gradients = torch.autograd.grad((out * random(*out.shape, dtype=torch.float32)).sum(), [x, *ours.parameters()])
    assert all(gradient.isfinite().all() for gradient in gradients)


def test_pruning_matches_transformers(record_property):
    ours, tensors = golden("prune_heads_1_3")
    ours.prune_heads({1, 3})
    left = part(tensors, "state.PRUNED.")
    assert left.keys() == ours.state_dict().keys()
    assert all(torch.equal(tensor, ours.state_dict()[name]) for name, tensor in left.items())
    out, weights, _ = ours(tensors["input.hidden_states"], **golden_arguments(tensors))
    require_small(
        {"out": difference(out, tensors["output.out"]), "weights": difference(weights, tensors["output.probs"])},
        "prune_heads_1_3",
        record_property,
    )


def test_the_cache_of_a_decoder_matches_transformers(record_property):
    ours, tensors = golden("decoder_past")
    x, mask, stored = tensors["input.hidden_states"], golden_mask(tensors), part(tensors, "output.")
    assert torch.equal(mask, causal_mask(7).expand(2, 1, 7, 7))
    full, weights, (k, v) = ours(x, mask=mask)
    errors = {
        "full.out": difference(full, stored["full.out"]),
        "full.probs": difference(weights, stored["full.probs"]),
        "full.past_key": difference(k, stored["full.past_key"]),
        "full.past_value": difference(v, stored["full.past_value"]),
    }
    past, steps = None, []
    for t in range(7):
        out, weights, past = ours(x[:, t : t + 1], mask=mask[:, :, t : t + 1, : t + 1], past=past)
        errors[f"step{t}.probs"] = difference(weights, stored[f"step{t}.probs"])
        steps.append(out)
        if t == 3:
            chunk4 = past
    errors |= {
        "incremental.out": difference(torch.cat(steps, dim=1), stored["incremental.out"]),
        "chunk4.past_key": difference(chunk4[0], stored["chunk4.past_key"]),
        "chunk4.past_value": difference(chunk4[1], stored["chunk4.past_value"]),
        "last key": difference(past[0], stored["full.past_key"]),
        "last value": difference(past[1], stored["full.past_value"]),
    }
    out, weights, _ = ours(x[:, 4:], mask=mask[:, :, 4:], past=chunk4)
    errors |= {
        "chunk3.out": difference(out, stored["chunk3.out"]),
        "chunk3.probs": difference(weights, stored["chunk3.probs"]),
    }
    assert set(stored) <= set(errors)
    require_small(errors, "decoder_past", record_property)


def test_with_relative_positions_transformers_takes_every_cached_key_to_be_at_distance_0(record_property):
    ours, tensors = golden("relative_key_past")
    x, mask, stored = tensors["input.hidden_states"], golden_mask(tensors), part(tensors, "output.")
    full, _, _ = ours(x, mask=mask)
    _, _, past = ours(x[:, :6], mask=mask[..., :6, :6])
    assert difference(stored["last_step.out"], full[:, 6:]) > 1e-2
    table = ours.self.distance_embedding.weight
    table.data[:] = table[15].clone()  # M = 16: the row of distance 0 is row 15
    require_small(
        {
            "full.out": difference(full, stored["full.out"]),
            "last_step.out": difference(ours(x[:, 6:], past=past)[0], stored["last_step.out"]),
        },
        "relative_key_past",
        record_property,
    )


def test_the_cache_of_cross_attention_matches_transformers(record_property):
    ours, tensors = golden("cross_attention_past")
    x, arguments, stored = tensors["input.hidden_states"], golden_arguments(tensors), part(tensors, "output.")
    out, weights, past = ours(x, **arguments)
    errors = {
        "full.out": difference(out, stored["full.out"]),
        "full.probs": difference(weights, stored["full.probs"]),
        "past_key": difference(past[0], stored["past_key"]),
        "past_value": difference(past[1], stored["past_value"]),
    }
    out, weights, again = ours(x[:, -1:], **arguments, past=past)
    errors |= {
        "last_step.out": difference(out, stored["last_step.out"]),
        "last_step.probs": difference(weights, stored["last_step.probs"]),
    }
    assert again[0] is past[0] and again[1] is past[1]
    assert set(stored) == set(errors)
    require_small(errors, "cross_attention_past", record_property)


# ---------------------------------------------------------------- transformers 5.23: BertModel


def golden_model():
    tensors = load_file(GOLDEN / "bert_model.safetensors")
    ours = BertModel(
        BertConfig(
            hidden_size=24,
            num_attention_heads=3,
            num_hidden_layers=2,
            intermediate_size=40,
            vocab_size=59,
            max_position_embeddings=16,
        )
    )
    return ours.eval(), tensors, part(tensors, "state.")


def test_parameters_have_the_names_and_shapes_of_transformers():
    ours, _, state = golden_model()
    shapes = {name: tensor.shape for name, tensor in ours.state_dict().items()}
    assert shapes == {name: tensor.shape for name, tensor in state.items()}


def test_a_model_matches_transformers(record_property):
    ours, tensors, state = golden_model()
    load_weights(ours, state)
    ids, types, mask = (tensors[f"input.{name}"] for name in ("ids", "token_types", "mask"))
    assert mask.sum(1).tolist() == [13, 7, 1] and types.max() == 1
    hidden, weights = ours(ids, mask=(mask == 1)[:, None, None], token_types=types)
    assert len(weights) == 2
    errors = {
        "embeddings": difference(ours.embeddings(ids, types), tensors["output.embeddings"]),
        "hidden": difference(hidden, tensors["output.hidden"]),
        "pooled": difference(ours.pooler(hidden), tensors["output.pooled"]),
        "plain": difference(ours(ids[:1, :11])[0], tensors["plain.hidden"]),
    }
    errors |= {f"attentions.{i}": difference(w, tensors[f"output.attentions.{i}"]) for i, w in enumerate(weights)}
    require_small(errors, "BertModel", record_property)


def test_older_files_with_position_ids_can_be_loaded():
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


@pytest.mark.slow
def test_minilm_matches_transformers(minilm, record_property):
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
    errors = {
        "mean": difference(mean, stored["mean"]),
        "hidden": difference(rows, stored["hidden"]),
        "pooled": difference(pooled, stored["pooled"]),
    }
    record_property("largest_errors", errors)
    print("MiniLM", {what: f"{error:.1e}" for what, error in errors.items()})
    assert max(errors.values()) < 2e-5  # numbers up to 6 through six layers; their own distance from float64 is 4e-6
    assert rows.abs().max() > 1


def test_the_head_that_opens_notebook_00_computes_what_is_recorded(minilm):
    pieces, found = one_head.computed()
    stored = load_file(one_head.FILE)
    assert " ".join(pieces) == "[CLS] my sister was late because she lost her keys . [SEP]"
    require_small({name: difference(found[name], stored[name]) for name in stored}, "one head", lambda *_: None)


def test_minilm_gives_a_sentence_the_same_alone_and_in_a_batch(minilm):
    ours, pieces = minilm
    short, long = (torch.tensor(pieces.encode(text)) for text in ("Yes.", "The cat sat on the mat, and it slept."))
    padded = nn.utils.rnn.pad_sequence([short, long], batch_first=True)
    with torch.no_grad():
        hidden, _ = ours(padded, mask=padding_mask([len(short), len(long)], len(long)).unsqueeze(1))
        alone, _ = ours(short[None])
    assert difference(hidden[:1, : len(short)], alone) < 2e-5
