"""BERT against recorded outputs: transformers 4.22 for its attention, transformers 5.23 for the model, MiniLM."""

import json
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file
from torch import nn

from helpers.bert import BertAttention, BertConfig, BertModel, load_weights
from helpers.masks import causal_mask, padding_mask
from helpers.tokens import WordPiece
from models import pretrained
from tests.minilm import require_minilm
from tests.unit.bert_models import RELATIVE
from tests.unit.tensors import ROUNDING, difference, part
from tools.record import one_head

GOLDEN = Path(__file__).parents[1] / "golden"
RECORDED = Path(__file__).parents[2] / "data" / "bert"


def require_small(found, stored, largest=ROUNDING):
    """Require every stored tensor to be found, up to rounding."""
    assert found.keys() == stored.keys()
    errors = {name: difference(found[name], stored[name]) for name in stored}
    assert max(errors.values()) < largest, errors


# ---------------------------------------------------------------- transformers 4.22: BertAttention

ONE_CALL = ["plain", "padding_mask", "mask_3d", "head_mask", *RELATIVE, "decoder_causal_padding", "cross_attention"]


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


@pytest.mark.parametrize("case", ONE_CALL)
def test_one_call_matches_transformers(case):
    ours, tensors = golden(case)
    out, weights, _ = ours(tensors["input.hidden_states"], **golden_arguments(tensors))
    require_small({"out": out, "probs": weights}, part(tensors, "output."))


def test_a_fully_masked_item_gets_zeros_where_transformers_gives_uniform_weights():
    ours, tensors = golden("fully_masked_item")
    mask, x, stored = golden_mask(tensors), tensors["input.hidden_states"], part(tensors, "output.")
    assert mask[0].any() and not mask[1].any()
    out, weights, _ = ours(x, mask=mask)
    require_small({"out": out[0], "probs": weights[0]}, {name: stored[name][0] for name in ("out", "probs")})
    assert (stored["probs"][1] == 1 / 7).all() and (weights[1] == 0).all()
    assert difference(out[1], stored["out"][1]) > 1e-2


def test_pruning_matches_transformers():
    ours, tensors = golden("prune_heads_1_3")
    ours.prune_heads({1, 3})
    left = part(tensors, "state.PRUNED.")
    assert left.keys() == ours.state_dict().keys()
    assert all(torch.equal(tensor, ours.state_dict()[name]) for name, tensor in left.items())
    out, weights, _ = ours(tensors["input.hidden_states"], **golden_arguments(tensors))
    require_small({"out": out, "probs": weights}, part(tensors, "output."))


def test_the_cache_of_a_decoder_matches_transformers():
    ours, tensors = golden("decoder_past")
    x, mask, found = tensors["input.hidden_states"], golden_mask(tensors), {}
    assert torch.equal(mask, causal_mask(7).expand(2, 1, 7, 7))
    found["full.out"], found["full.probs"], (found["full.past_key"], found["full.past_value"]) = ours(x, mask=mask)
    past, steps = None, []
    for t in range(7):
        out, found[f"step{t}.probs"], past = ours(x[:, t : t + 1], mask=mask[:, :, t : t + 1, : t + 1], past=past)
        steps.append(out)
        if t == 3:
            found["chunk4.past_key"], found["chunk4.past_value"] = chunk = past
    found["incremental.out"] = torch.cat(steps, dim=1)
    found["chunk3.out"], found["chunk3.probs"], _ = ours(x[:, 4:], mask=mask[:, :, 4:], past=chunk)
    require_small(found, part(tensors, "output."))


def test_with_relative_positions_transformers_takes_every_cached_key_to_be_at_distance_0():
    ours, tensors = golden("relative_key_past")
    x, mask, stored = tensors["input.hidden_states"], golden_mask(tensors), part(tensors, "output.")
    full, _, _ = ours(x, mask=mask)
    _, _, past = ours(x[:, :6], mask=mask[..., :6, :6])
    assert difference(stored["last_step.out"], full[:, 6:]) > 1e-2
    table = ours.self.distance_embedding.weight
    table.data[:] = table[15].clone()  # M = 16: the row of distance 0 is row 15
    require_small({"full.out": full, "last_step.out": ours(x[:, 6:], past=past)[0]}, stored)


def test_the_cache_of_cross_attention_matches_transformers():
    ours, tensors = golden("cross_attention_past")
    x, arguments, found = tensors["input.hidden_states"], golden_arguments(tensors), {}
    found["full.out"], found["full.probs"], past = ours(x, **arguments)
    found["past_key"], found["past_value"] = past
    found["last_step.out"], found["last_step.probs"], _ = ours(x[:, -1:], **arguments, past=past)
    require_small(found, part(tensors, "output."))


# ---------------------------------------------------------------- transformers 5.23: BertModel


def golden_model():
    tensors = load_file(GOLDEN / "bert_model.safetensors")
    sizes = {"hidden_size": 24, "num_attention_heads": 3, "num_hidden_layers": 2, "intermediate_size": 40}
    ours = BertModel(BertConfig(**sizes, vocab_size=59, max_position_embeddings=16))
    return ours.eval(), tensors, part(tensors, "state.")


def test_a_model_matches_transformers():
    ours, tensors, state = golden_model()
    load_weights(ours, state)  # raises an error for other names or shapes
    ids, types, mask = (tensors[f"input.{name}"] for name in ("ids", "token_types", "mask"))
    assert mask.sum(1).tolist() == [13, 7, 1] and types.max() == 1
    hidden, weights = ours(ids, mask=(mask == 1)[:, None, None], token_types=types)
    found = {"embeddings": ours.embeddings(ids, types), "hidden": hidden, "pooled": ours.pooler(hidden)}
    require_small(found | {f"attentions.{i}": w for i, w in enumerate(weights)}, part(tensors, "output."))
    require_small({"hidden": ours(ids[:1, :11])[0]}, part(tensors, "plain."))


def test_older_files_with_position_ids_can_be_loaded():
    _, _, state = golden_model()
    old = state | {"embeddings.position_ids": torch.arange(16)[None]}
    for load in (load_weights, BertModel.load_state_dict):
        ours, names = golden_model()[0], list(old)
        load(ours, old)
        assert all(torch.equal(tensor, state[name]) for name, tensor in ours.state_dict().items())
        assert list(old) == names


# ---------------------------------------------------------------- MiniLM


@pytest.fixture(scope="module")
def minilm():
    """MiniLM's weights in our model, and its pieces of words, which are downloaded: they are not in the repository."""
    require_minilm()
    loaded = pretrained.load()
    ours = BertModel(BertConfig(hidden_size=384, num_hidden_layers=6, intermediate_size=1536)).eval()
    load_weights(ours, loaded.weights)
    return ours, WordPiece(loaded.pieces)


@pytest.mark.slow
def test_minilm_matches_transformers(minilm):
    ours, pieces = minilm
    path = GOLDEN / "minilm.safetensors"
    stored = load_file(path)
    with safe_open(path, "pt") as file:
        sentences = json.loads(file.metadata()["sentences"])
    ids = [torch.tensor(pieces.encode(sentence)) for sentence in sentences]
    lengths = [len(row) for row in ids]
    assert len(sentences) == 20 and len(set(lengths)) > 10
    padded = nn.utils.rnn.pad_sequence(ids, batch_first=True)
    seen = padding_mask(lengths, max(lengths))  # (B, 1, S)
    with torch.no_grad():
        hidden, _ = ours(padded, mask=seen.unsqueeze(1))
        alone, _ = ours(ids[0][None])
        pooled = ours.pooler(hidden[:3])
    mean = (seen.float() @ hidden).squeeze(1) / seen.sum(-1)
    found = {"mean": mean, "hidden": hidden[tuple(stored["rows"].T)], "pooled": pooled}
    # Numbers up to 6 through six layers; their own distance from float64 is 4e-6.
    require_small(found, {name: stored[name] for name in found}, largest=2e-5)
    require_small({"alone": hidden[:1, : len(ids[0])]}, {"alone": alone}, largest=2e-5)
    assert torch.equal(padded, stored["ids"].long()) and found["hidden"].abs().max() > 1


def test_the_head_that_opens_notebook_00_computes_what_is_recorded(minilm):
    pieces, found = one_head.computed()
    assert " ".join(pieces) == "[CLS] my sister was late because she lost her keys . [SEP]"
    require_small(found, load_file(one_head.FILE))
