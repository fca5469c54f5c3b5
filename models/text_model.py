"""A real text for notebook 08: its two parts, its tokens, and the small decoder that was trained on it.

The text is the prose of this course, one paragraph a line. Its tokens are bytes, some of them merged: byte-pair
encoding, learned on the training part alone.
"""

import re
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import torch

from helpers.decoder import Decoder, DecoderConfig
from models.training import load_trained

FOLDER = Path(__file__).resolve().parents[1] / "data" / "text"
FILE = FOLDER / "model.safetensors"
SHA256 = "57f95c1943dbc895404df69b5b413b7908e590d451ee78d0d8ee25d9e9d4da55"
MERGES = 768
CONFIG = DecoderConfig(vocab_size=256 + MERGES, context_length=128, d_model=128, num_layers=3, d_ff=512, dropout=0.2)


# ---------------------------------------------------------------- text


def parts():
    """Read the training part and the held-out part: every tenth paragraph is held out.

    Shapes: -> two strings; a new line begins each paragraph
    Source: notebook 08
    """
    paragraphs = (FOLDER / "course.txt").read_text(encoding="utf-8").splitlines()
    held_out = paragraphs[9::10]
    del paragraphs[9::10]
    return tuple("".join(f"\n{paragraph}" for paragraph in part) for part in (paragraphs, held_out))


# ---------------------------------------------------------------- tokens


def words_of(text):
    """Split a text into pieces that no merge crosses: words and signs, with a space before them, and white space.

    Shapes: -> a list of strings that join to the text
    Source: Radford et al. 2019 (GPT-2), in simple form; notebook 08
    """
    return re.findall(r" ?\w+| ?[^\w\s]+|\s", text)


def merged(word, pair):
    """Merge each occurrence of two neighboring tokens in a word into one token.

    Shapes: word, a tuple of bytes; pair, two of them -> a tuple of bytes
    Source: notebook 08
    """
    out = []
    for token in word:
        if out and (out[-1], token) == pair:
            out[-1] += token
        else:
            out.append(token)
    return tuple(out)


def learn_merges(text, number):
    """Byte-pair encoding: again and again, merge the most frequent pair of neighbors into one token.

    Shapes: -> a list of pairs of bytes, in the order in which they are merged
    Source: Sennrich et al. 2016; on bytes as in Radford et al. 2019; notebook 08
    """
    counts = Counter(words_of(text))
    words = {word: tuple(bytes([b]) for b in word.encode()) for word in counts}
    merges, pairs = [], Counter()
    for word, tokens in words.items():
        for pair in pairwise(tokens):
            pairs[pair] += counts[word]
    for _ in range(number):
        best = max(pairs, key=lambda pair: (pairs[pair], pair))  # ties: the last in order
        merges.append(best)
        for word, tokens in words.items():
            if best[0] in tokens and (joined := merged(tokens, best)) != tokens:
                for change, changed in ((-counts[word], tokens), (counts[word], joined)):
                    for pair in pairwise(changed):
                        pairs[pair] += change
                        if not pairs[pair]:
                            del pairs[pair]  # otherwise it could be chosen at the end
                words[word] = joined
    return merges


class Tokens:
    """Text to ids and back, with given merges: ids below 256 are bytes, followed by one for each merge.

    Shapes: encode(text) -> a list of ids; decode(ids) -> text
    Source: Sennrich et al. 2016; notebook 08
    """

    def __init__(self, merges):
        self.rank = {pair: n for n, pair in enumerate(merges)}
        self.bytes = [bytes([b]) for b in range(256)] + [first + second for first, second in merges]
        self.ids = {token: n for n, token in enumerate(self.bytes)}
        self._word = cache(self._encode_word)

    def encode(self, text):
        return [n for word in words_of(text) for n in self._word(word)]

    def decode(self, ids):
        return b"".join(self.bytes[n] for n in ids).decode(errors="replace")  # an id may be part of a character

    def _encode_word(self, word):
        tokens = tuple(bytes([b]) for b in word.encode())
        while True:  # merges are applied in the order in which they were learned
            pairs = [pair for pair in zip(tokens, tokens[1:], strict=False) if pair in self.rank]
            if not pairs:
                return [self.ids[token] for token in tokens]
            tokens = merged(tokens, min(pairs, key=self.rank.get))


# ---------------------------------------------------------------- model


def windows(ids):
    """Cut a text into rows; each begins with the last token of the one before, so that each token is predicted once.

    Shapes: ids (N,) -> (rows, 128); the last tokens are left out if they do not fill a row
    Source: notebook 08
    """
    return ids.unfold(0, CONFIG.context_length, CONFIG.context_length - 1)


def random_windows(ids, seed):
    """Generate endless batches of random pieces of a text, as `training.train` takes them.

    Shapes: ids (N,) -> yields (ids (16, 128), None)
    Source: notebook 08
    """
    generator, length = torch.Generator().manual_seed(seed), CONFIG.context_length
    while True:
        begins = torch.randint(len(ids) - length + 1, (16, 1), generator=generator)
        yield ids[begins + torch.arange(length)], None


def load():
    """Load the trained model, after verifying its file.

    Errors: FileNotFoundError if the file is missing; ValueError if it is not the one that was trained
    Source: notebook 08; `python -m tools.train_text`
    """
    return load_trained(Decoder(CONFIG), FILE, SHA256, "the text model")
