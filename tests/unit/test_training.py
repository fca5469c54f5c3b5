"""Training, the strings that repeat, and the scores of heads."""

import hashlib
import json
from functools import partial
from pathlib import Path

import pytest
import torch

from helpers.decoder import Decoder, DecoderConfig, token_losses
from models import distances, story_model, story_today, text_model
from models.induction import (
    attention_only,
    examine,
    induction_scores,
    previous_token_scores,
    repeated_strings,
    strings,
)
from models.training import train
from tests.unit.refusals import require_refused

T = 7


def tiny(seed=0):
    torch.manual_seed(seed)
    return Decoder(DecoderConfig(11, context_length=T, d_model=8, num_heads=2, num_layers=1, d_ff=8))


def batches(counted=None, size=4):
    generator = torch.Generator().manual_seed(1)
    while True:
        yield torch.randint(3, 6, (size, T), generator=generator), counted


def test_only_what_counts_is_trained():
    counted = torch.zeros(4, T - 1, dtype=torch.bool)
    counted[:, -1] = True
    model = tiny()
    before = model.positions.weight.detach().clone()
    ids, _ = next(batches(counted))
    last = token_losses(model(ids)[0], ids)[:, -1].mean().item()
    assert list(train(model, [(ids, counted)], 5)) == [(1, pytest.approx(last))]  # it ends with the batches
    assert not model.training
    after = model.positions.weight
    assert (after[T - 1] - before[T - 1]).abs().max() < 1e-6  # the last position predicts nothing
    assert (after[T - 2] - before[T - 2]).abs().min() > 1e-5


def test_strings_repeat_and_what_counts_is_certain():
    ids, counted = repeated_strings(torch.Generator().manual_seed(0), 50, 30, 4, 9, 20, first=2)
    distances = set()
    for row, certain in zip(ids.tolist(), counted.tolist(), strict=True):
        distance = certain.index(True) + 1
        distances.add(distance)
        assert len(set(row[:distance])) == distance and min(row) >= 2 and max(row) < 20
        assert all(row[t] == row[t - distance] for t in range(distance, 30))
        assert certain == [t >= distance for t in range(1, 30)]
    assert distances == set(range(4, 10))
    ids, _ = repeated_strings(torch.Generator().manual_seed(0), 3, 10, 7, 7, 7)  # as many tokens as there are
    assert all(set(row[:7].tolist()) == set(range(7)) for row in ids)


def test_scores_of_heads_that_look_where_their_names_say():
    weights = torch.zeros(2, T, T)
    weights[0, range(1, T), range(T - 1)] = 1  # the token before
    weights[1, 5, 1] = 1
    torch.testing.assert_close(previous_token_scores(weights), torch.tensor([1, 0.0]))
    assert induction_scores(torch.eye(3)[None], torch.tensor([4, 4, 5])).item() == 1  # after the 4 is the 4 itself


def test_a_point_holds_the_mean_scores_of_each_head():
    model = attention_only(2, seed=0)
    assert all(block.feed_forward is None for block in model.blocks)
    point, (ids, _) = examine(model, seed=5), next(strings(5, size=64))
    _, weights = model.look(ids)
    for layer, previous, induction in zip(weights, point.previous, point.induction, strict=True):
        torch.testing.assert_close(previous, previous_token_scores(layer).mean(dim=0).detach())
        by_hand = torch.stack([induction_scores(w, row) for w, row in zip(layer, ids, strict=True)]).mean(dim=0)
        torch.testing.assert_close(induction, by_hand.detach())
    assert not point.previous.requires_grad


@pytest.mark.parametrize("make", [partial(attention_only, 1), lambda seed: story_model.new_model(seed, num_layers=1)])
def test_a_new_model_leaves_all_random_numbers_alone_and_those_of_a_gpu_unread(make, monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "get_rng_state", lambda device: pytest.fail("a GPU was asked for its state"))
    before = torch.get_rng_state()
    first, again, other = map(make, (0, 0, 1))
    assert torch.equal(first.tokens.weight, again.tokens.weight) and len(first.blocks) == 1
    assert not torch.equal(first.tokens.weight, other.tokens.weight)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(
    "file, sha256, record",
    [
        (story_model.FILE, story_model.SHA256, "curve.json"),
        (text_model.FILE, text_model.SHA256, "curve.json"),
        (story_today.FILE, story_today.SHA256, "today.json"),
        *((distances.file_of(kind), distances.SHA256[kind], f"{kind}.json") for kind in distances.SHA256),
    ],
    ids=lambda value: value.stem if isinstance(value, Path) else "",
)
def test_the_file_of_a_model_is_the_one_whose_training_is_recorded(file, sha256, record):
    content, recorded = file.read_bytes(), json.loads(file.with_name(record).read_text(encoding="utf-8"))
    assert hashlib.sha256(content).hexdigest() == sha256 == recorded["sha256"] and len(content) < 2_000_000


def test_a_file_that_is_missing_or_changed_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(story_model, "FILE", tmp_path / "model.safetensors")
    require_refused(
        ("FileNotFoundError: the story model is not here", story_model.load),
        ("FileNotFoundError: alibi.safetensors is missing; it is part of", lambda: distances.load("alibi")),
    )
    story_model.FILE.write_bytes(b"something else")
    require_refused(("ValueError: in 14 bytes; put back the course's own file", story_model.load))


def test_errors_are_one_sentence():
    strings_of = partial(repeated_strings, None)
    require_refused(
        ("ValueError: strings of 4 to 19 distinct tokens need", lambda: strings_of(2, 30, 4, 19, 20, first=2)),
        ("ValueError: size must be at least 1, got 0", lambda: strings_of(0, 30, 4, 9, 20)),
        ("ValueError: at least one token must occur", lambda: induction_scores(torch.ones(1, 3, 3), torch.arange(3))),
        ("ValueError: steps must be at least 1, got 0", lambda: next(train(tiny(), batches(), 0))),
    )
