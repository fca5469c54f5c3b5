"""The story model that comes with the course: verified, and as good as it is said to be."""

import random

import pytest
import torch

from helpers.decoder import generate
from models import stories, story_model


@pytest.fixture
def model():
    return story_model.load()


@pytest.mark.slow
def test_it_reads_back_every_kind_of_word_in_fresh_stories_and_none_better_than_possible(model):
    told = stories.batch(random.Random(2001), 256)
    losses, right = story_model.read(model, told)
    assert min(right[kind] for kind in stories.READ_BACK) >= 0.95 and right["fixed"] > 0.999
    best = stories.mean_by_kind(told.best[:, 1:], told.kinds)
    # But for chance: the mean of what the grammar cannot know differs a little from batch to batch.
    assert all(losses[kind] > best[kind] - 0.03 for kind in best)
    assert losses["all"] < best["all"] + 0.15


def test_what_it_writes_is_true_to_its_beginning(model):
    """After openings that it has never seen, the color that follows an action is the right one, and so is the food."""
    told = stories.batch(random.Random(11), 64, length=34)
    written = generate(model, told.ids, 30)
    words = [[stories.WORDS[i] for i in row] for row in written.tolist()]
    right = total = 0
    for row in words:
        said = dict(zip(row[:33], row[1:34], strict=True))
        for before, word in zip(row[34:], row[35:], strict=False):
            if before in stories.ACTIONS or before in stories.LIKINGS:
                right, total = right + (said.get(before) == word), total + 1
    assert total > 200 and right / total >= 0.95


def test_the_share_read_back_counts_every_word_that_has_to_be_read_back(model):
    told = stories.batch(random.Random(7), 64)
    mask = torch.ones(2, 4)
    mask[1, :2] = 0
    found = story_model.read(lambda ids: model(ids, head_mask=mask), told).right
    counts = {kind: int((told.kinds[:, 1:] == stories.KINDS.index(kind)).sum()) for kind in stories.READ_BACK}
    wanted = sum(found[kind] * counts[kind] for kind in counts) / sum(counts.values())
    assert wanted < 0.999
    assert story_model.share_read_back(lambda ids: model(ids, head_mask=mask), told) == pytest.approx(wanted)


def test_both_trainings_go_through_fresh_material():
    (ids, counted), (again, _), (other, _) = (next(story_model.random_strings(seed, size=50)) for seed in (0, 0, 1))
    assert ids.shape == (50, 64) and ids.min() == stories.START_ID + 1 and not counted.all()
    assert torch.equal(ids, again) and not torch.equal(ids, other)
    ids, counted = next(story_model.fresh_stories(0, size=3, repeated=2))
    assert (
        ids.shape == (5, 64)
        and counted.dtype == torch.bool
        and (ids[:3, 0] == stories.START_ID).all()
        and counted[:3].all()
    )
    assert torch.equal(ids[:3], stories.batch(random.Random(0), 3).ids)
    assert ids[3:].min() > stories.START_ID and not counted[3:].all()


def test_a_training_is_watched_on_given_stories_or_on_those_of_the_recorded_curve(model):
    told, recorded = stories.batch(random.Random(5), 3), stories.batch(random.Random(1001), 128)
    for given, meant in ((told, told), (None, recorded)):
        found = list(story_model.watch(model, [(step, 0.0) for step in range(1, 5)], every=3, told=given))
        assert found == [(step, story_model.read(model, meant)) for step in (1, 3)]
        model.eval()
