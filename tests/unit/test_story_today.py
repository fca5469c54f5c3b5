"""The story model of today: the trained parameters that come with the course, and what they can do."""

import hashlib
import json
from random import Random

import pytest
import torch

from helpers.grouped import cache_bytes
from models import stories, story_model, story_today
from tests.unit.bert_models import agree


@pytest.fixture(scope="module")
def trained():
    return story_today.load()


def told(length, size=64):
    return stories.batch(Random(2002), size, length)


def test_the_file_is_the_one_whose_training_is_recorded():
    record = json.loads(story_today.FILE.with_suffix(".json").read_text(encoding="utf-8"))
    assert hashlib.sha256(story_today.FILE.read_bytes()).hexdigest() == record["sha256"] == story_today.SHA256
    assert story_today.FILE.stat().st_size < 250_000


def test_a_damaged_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(story_today, "FILE", tmp_path / "today.safetensors")
    with pytest.raises(FileNotFoundError, match="the story model of today is not here"):
        story_today.load()
    story_today.FILE.write_bytes(b"x")
    with pytest.raises(ValueError, match="must have a sha256 that begins with"):
        story_today.load()


def test_a_new_model_depends_on_its_seed_alone():
    before = torch.random.get_rng_state()
    first, second, other = (story_today.new_model(seed).tokens.weight for seed in (3, 3, 4))
    assert torch.equal(first, second) and not torch.equal(first, other)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_it_reads_as_well_as_the_model_of_notebook_08_with_a_quarter_of_the_cache(trained):
    batch, theirs = told(64), story_model.load()
    losses = [story_model.read(model, batch).losses["all"] for model in (trained, theirs)]
    assert abs(losses[0] - losses[1]) < 0.02
    assert story_model.share_read_back(trained, batch) > 0.99
    mine, others = (cache_bytes(model(batch.ids)[1]) for model in (trained, theirs))
    assert 4 * mine == others


def test_it_reads_beyond_the_length_of_its_training(trained):
    assert story_model.share_read_back(trained, told(96)) > 0.95
    with pytest.raises(ValueError, match="the model has 64 positions"):
        story_model.load()(told(96).ids)


def test_in_steps_it_writes_what_it_writes_at_once(trained):
    model, ids = story_today.load().double(), told(70, size=2).ids
    first, past = model(ids[:, :50])
    agree(torch.cat([first, model(ids[:, 50:], past)[0]], dim=1), model(ids)[0])
