"""The story models that come with the course, with a table of positions and without.

test_training.py tests that their files are those whose training is recorded; the compared outputs of notebooks 08 to 11
show how well they read and write.
"""

import random

import pytest
import torch

from helpers.relative_positions import ATTENTION
from models import distances, stories, story_model
from tests.unit.tensors import agree

each_kind = pytest.mark.parametrize("positions", ATTENTION)


def some_stories(length, size=32, seed=5):
    return stories.batch(random.Random(seed), size, length)


def test_the_share_read_back_counts_every_word_that_has_to_be_read_back():
    model, told = story_model.load(), stories.batch(random.Random(7), 64)
    mask = torch.ones(2, 4)
    mask[1, :2] = 0
    found = story_model.read(lambda ids: model(ids, head_mask=mask), told).right
    counts = {kind: int((told.kinds[:, 1:] == stories.KINDS.index(kind)).sum()) for kind in stories.READ_BACK}
    wanted = sum(found[kind] * counts[kind] for kind in counts) / sum(counts.values())
    assert wanted < 0.999
    assert story_model.share_read_back(lambda ids: model(ids, head_mask=mask), told) == pytest.approx(wanted)


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
