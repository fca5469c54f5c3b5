"""The story models that come with the course: as good as they are said to be, with a table of positions and without.

That their files are those whose training is recorded is tested in test_training.py.
"""

import random

import pytest
import torch

from helpers.decoder import generate
from helpers.grouped import cache_bytes
from helpers.relative_positions import ATTENTION, pairs_to_halves, rotate_halves
from models import distances, stories, story_model, story_today
from tests.unit.bert_models import agree

each_kind = pytest.mark.parametrize("positions", ATTENTION)


def some_stories(length, size=32, seed=5):
    return stories.batch(random.Random(seed), size, length)


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
    assert ids.shape == (5, 64) and counted.dtype == torch.bool and counted[:3].all()
    assert torch.equal(ids[:3], stories.batch(random.Random(0), 3).ids)
    assert ids[3:].min() > stories.START_ID and not counted[3:].all()


def test_a_training_is_watched_on_given_stories_or_on_those_of_the_recorded_curve(model):
    told, recorded = stories.batch(random.Random(5), 3), stories.batch(random.Random(1001), 128)
    for given, meant in ((told, told), (None, recorded)):
        found = list(story_model.watch(model, [(step, 0.0) for step in range(1, 5)], every=3, told=given))
        assert found == [(step, story_model.read(model, meant)) for step in (1, 3)]
        model.eval()


# ---------------------------------------------------------------- today


def test_the_model_of_today_reads_as_well_with_a_quarter_of_the_cache():
    batch, trained, theirs = some_stories(64, 64, seed=2002), story_today.load(), story_model.load()
    losses = [story_model.read(model, batch).losses["all"] for model in (trained, theirs)]
    assert abs(losses[0] - losses[1]) < 0.02
    assert story_model.share_read_back(trained, batch) > 0.99
    mine, others = (cache_bytes(model(batch.ids)[1]) for model in (trained, theirs))
    assert 4 * mine == others


def test_the_model_of_today_reads_beyond_the_length_of_its_training():
    assert story_model.share_read_back(story_today.load(), some_stories(96)) > 0.95
    with pytest.raises(ValueError, match="the model has 64 positions"):
        story_model.load()(some_stories(96).ids)


# ---------------------------------------------------------------- without a table of positions


@each_kind
def test_it_begins_like_the_model_with_a_table_and_padding_in_front_does_not_matter(positions):
    model, with_table = distances.new_model(positions, 3), story_model.new_model(3).state_dict()
    del with_table["positions.weight"]
    assert model.state_dict().keys() == with_table.keys()
    assert all(torch.equal(parameter, with_table[name]) for name, parameter in model.state_dict().items())
    model, ids = model.double(), some_stories(9, size=2).ids
    padded, real = torch.cat([torch.zeros_like(ids[:, :4]), ids], dim=1), torch.arange(13).expand(2, -1) >= 4
    agree(model(padded, real=real)[0][:, 4:], model(ids)[0])


def test_other_positions_are_refused():
    with pytest.raises(ValueError, match='must be "rotary" or "alibi", got \'table\''):
        distances.new_model("table", 0)


@pytest.mark.slow
@each_kind
def test_without_a_table_it_reads_back_every_kind_of_word(positions):
    found = story_model.read(distances.load(positions), some_stories(64, 256, seed=2001))
    assert min(found.right[kind] for kind in stories.READ_BACK) >= 0.95


@pytest.mark.slow
def test_only_alibi_reads_longer_stories_as_it_is_and_rotary_with_a_larger_base():
    told, rotary, alibi = some_stories(256, 16), distances.load("rotary"), distances.load("alibi")
    assert story_model.share_read_back(alibi, told) > 0.99
    assert story_model.share_read_back(rotary, told) < 0.5
    for block in rotary.blocks:
        block.attention.base = 500_000.0
    assert story_model.share_read_back(rotary, told) > 0.95


def test_reordered_weights_turn_in_halves():
    model, ids = distances.load("rotary").double(), some_stories(40).ids
    with torch.no_grad():
        wanted = model(ids)[0]
        for block in model.blocks:
            block.attention.turn = rotate_halves
            for layer in (block.attention.q_proj, block.attention.k_proj):
                layer.weight.copy_(pairs_to_halves(layer.weight, 4))
                layer.bias.copy_(pairs_to_halves(layer.bias, 4))
        agree(model(ids)[0], wanted)
