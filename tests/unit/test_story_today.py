"""The story model of today: the trained parameters that come with the course, and what they can do."""

from random import Random

import pytest

from helpers.grouped import cache_bytes
from models import stories, story_model, story_today


@pytest.fixture(scope="module")
def trained():
    return story_today.load()


def told(length, size=64):
    return stories.batch(Random(2002), size, length)


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
