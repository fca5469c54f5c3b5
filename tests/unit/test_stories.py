"""The grammar of the stories: its probabilities and kinds, checked with other code that reads the stories."""

import math
import random

import pytest
import torch

from helpers.decoder import token_losses
from models import stories
from tests.unit.refusals import require_refused

COUNT = 400


@pytest.fixture
def told():
    draw = random.Random(5)
    return [stories.tell(draw) for _ in range(COUNT)]


def test_probabilities_are_the_shares_that_come_up(told):
    """Among the words of a kind that are drawn with probability p, some choice comes up with share p."""
    came_up = {"first": [story[4].text in stories.ACTIONS for story in told], "start": [], "place": [], "verb": []}
    for story in told:
        for before, word in zip(story, story[1:], strict=False):
            if word.kind == "start":
                came_up["start"].append(word.text == "In")
            elif word.kind == "place":
                came_up["place"].append(word.text == story[2].text)
            elif word.kind == "verb" and before.text in stories.NAMES:
                came_up["verb"].append(word.text in stories.ACTIONS)
    for kind, p in (("first", 1 / 2), ("start", 1 / 2), ("place", 1 / 3), ("verb", 1 / 2)):
        n = len(came_up[kind])
        assert abs(sum(came_up[kind]) / n - p) < 5 * math.sqrt(p * (1 - p) / n)
    for kind, expected in (("start", {1 / 2, 1 / 6}), ("place", {1 / 3}), ("verb", {1 / 2})):
        assert {word.probability for story in told for word in story if word.kind == kind} == expected


def test_words_that_are_certain_follow_from_a_word_before(told):
    """Throughout a story, a word that has to be read back follows the same word as on its first occurrence."""
    for story in told:
        followed = {}
        for before, word in zip(story, story[1:], strict=False):
            if word.kind in ("color", "thing", "food"):
                assert followed[before.text] == word.text
            followed.setdefault(before.text, word.text)
        assert all((word.probability == 1) == (word.kind in (*stories.READ_BACK, "fixed")) for word in story)


def test_a_batch_holds_the_same_stories():
    found, draw = stories.batch(random.Random(3), 7, length=50), random.Random(3)
    for ids, kinds, best in zip(*found, strict=True):
        story = stories.tell(draw, 50)
        assert [stories.WORDS[i] for i in ids] == [word.text for word in story]
        assert [stories.KINDS[i] for i in kinds] == [word.kind for word in story]
        assert best.exp().reciprocal().tolist() == pytest.approx([word.probability for word in story])


def test_means_are_taken_over_the_words_of_each_kind():
    batch = stories.batch(random.Random(0), 64)
    found = stories.mean_by_kind(batch.best[:, 1:], batch.kinds)
    assert found["place"] == pytest.approx(math.log(3)) and found["verb"] == pytest.approx(math.log(2))
    assert all(found[kind] == 0 for kind in (*stories.READ_BACK, "fixed"))
    assert found["all"] == pytest.approx(batch.best[:, 1:].mean().item())
    uniform = token_losses(torch.zeros(*batch.ids.shape, len(stories.WORDS)), batch.ids)
    assert set(stories.mean_by_kind(uniform, batch.kinds)) == {"all", *stories.KINDS}
    assert stories.mean_by_kind(uniform, batch.kinds)["food"] == pytest.approx(math.log(76), rel=1e-5)
    opening = stories.batch(random.Random(0), 2, length=34)  # later kinds do not come up, and are left out
    assert stories.mean_by_kind(opening.best[:, 1:] > 0, opening.kinds).keys() == {"all", "new", "again", "fixed"}


def test_text_and_ids():
    text = "In Lima Mia loves beans. Mia wears white scarves."
    ids = stories.encode(text)
    assert len(ids) == 12 and ids[0] == stories.START_ID
    assert stories.decode(ids) == stories.decode(torch.tensor(ids)) == text
    assert stories.encode("in LIMA mia") == stories.encode("In Lima Mia")
    assert stories.decode([stories.PAD_ID, *ids]) == text
    assert len(stories.VOCABULARY) == len(stories.WORDS) == 76


def test_errors_are_one_sentence():
    kinds = torch.zeros(2, 4)
    require_refused(
        ("TypeError: draw must be a random.Random, got int; random.Random(0) begins", lambda: stories.tell(0)),
        ("ValueError: length must be at least 1, got 0", lambda: stories.tell(random.Random(0), 0)),
        ("ValueError: only the 76 words of stories.WORDS, got 'a'", lambda: stories.encode("Mia flies a red kite")),
        ("ValueError: ids must lie between 0 and 75, got 76", lambda: stories.decode([3, 76])),
        ("ValueError: for kinds (B, T), got (2, 4) and (2, 4)", lambda: stories.mean_by_kind(kinds, kinds)),
    )
