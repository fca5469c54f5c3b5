"""The story model: its training, its evaluation, and the trained parameters that come with the course.

It is trained in two parts: on random strings that repeat, until it reads them back, and then on stories. Without the
first part, it knows for a long time only which words are in a story, but not which of them comes next.
"""

import random
from pathlib import Path
from typing import NamedTuple

import torch

from helpers.decoder import Decoder, DecoderConfig, token_losses
from models import stories
from models.induction import strings
from models.training import load_trained, seeded, train

FILE = Path(__file__).resolve().parents[1] / "data" / "stories" / "model.safetensors"
SHA256 = "9c05005f8923d32937e3b2f625fb06147e4a5108dd3b6492f31f51f501bce23d"
CONFIG = DecoderConfig(vocab_size=len(stories.WORDS))


class Reading(NamedTuple):
    """How well a model predicts stories: the mean loss in nats and the accuracy, by kind of word."""

    losses: dict
    right: dict


def load():
    """Load the trained story model, after verifying its file.

    Errors: FileNotFoundError if the file is missing; ValueError if it is not the one that was trained
    Source: notebook 08; `python -m tools.train_stories`
    """
    return load_trained(Decoder(CONFIG), FILE, SHA256, "the story model")


@torch.no_grad()
def read(model, told, head_mask=None):
    """Measure how well a model predicts the words of stories, by kind.

    Shapes: told, a stories.Batch; head_mask (layers, H) -> Reading
    Source: notebook 08
    """
    logits, _ = model(told.ids) if head_mask is None else model(told.ids, head_mask=head_mask)
    right = logits[:, :-1].argmax(dim=-1) == told.ids[:, 1:]
    return Reading(
        stories.mean_by_kind(token_losses(logits, told.ids), told.kinds), stories.mean_by_kind(right, told.kinds)
    )


@torch.no_grad()
def share_read_back(model, told):
    """The accuracy where a word has to be read back, over all kinds of such words.

    Shapes: told, a stories.Batch -> float
    Source: notebook 09
    """
    right = model(told.ids)[0][:, :-1].argmax(dim=-1) == told.ids[:, 1:]
    asked = torch.isin(told.kinds[:, 1:], torch.tensor([stories.KINDS.index(kind) for kind in stories.READ_BACK]))
    return right[asked].double().mean().item()


def learn_to_repeat(model, seed):
    """Train on repeated random words until they are read back: until the loss of a batch is below 0.05.

    Shapes: -> yields (step, loss), nats for each word that has to be read back
    Source: notebook 08
    """
    for step, loss in train(model, random_strings(seed), steps=2000, final=1.0):
        yield step, loss
        if loss < 0.05:
            return


def learn_stories(model, seed, steps=800):
    """Train on stories that are never repeated, and on some more random words.

    Shapes: -> yields (step, loss), nats for each word that counts
    Source: notebook 08
    """
    return train(model, fresh_stories(seed), steps)


def random_strings(seed, size=32):
    """Generate endless batches of repeated random words; only words that have to be read back count.

    NB: with strings of at most 24 words, the first copy never reaches beyond position 24, and the heads do not learn to
    read from later positions: in stories, they then did not find what was said about the third person.

    Shapes: -> yields (ids (size, 64), counted (size, 63))
    Source: notebook 08
    """
    return strings(seed, size=size, vocab_size=CONFIG.vocab_size, first=stories.START_ID + 1)


def fresh_stories(seed):
    """Generate endless batches of 24 stories and 8 rows of repeated words, so that reading back stays sharp.

    Shapes: -> yields (ids (32, 64), counted (32, 63)); every word of a story counts
    Source: notebook 08
    """
    draw = random.Random(seed)
    for ids, counted in random_strings(seed + 1, size=8):
        told = stories.batch(draw, 24, CONFIG.context_length).ids
        yield torch.cat([told, ids]), torch.cat([torch.ones_like(told[:, 1:], dtype=torch.bool), counted])


def new_model(seed, **sizes):
    """Make an untrained story model; the global random state does not change.

    Shapes: -> Decoder
    Source: notebook 08
    """
    return seeded(seed, lambda: Decoder(DecoderConfig(vocab_size=CONFIG.vocab_size, **sizes)))
