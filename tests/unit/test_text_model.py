"""The real text of notebook 08: its parts, its tokens, and the trained models, which are verified when loaded."""

import json
import math

import pytest
import torch

from helpers.decoder import token_losses
from models import text_model


@pytest.fixture(scope="module")
def tokens():
    training, _ = text_model.parts()
    return text_model.Tokens(text_model.learn_merges(training, text_model.MERGES))


def test_every_tenth_paragraph_is_held_out_and_none_is_in_both_parts():
    training, held_out = (part.split("\n")[1:] for part in text_model.parts())
    whole = (text_model.FOLDER / "course.txt").read_text(encoding="utf-8").splitlines()
    assert held_out == [paragraph for n, paragraph in enumerate(whole, start=1) if n % 10 == 0]
    assert sorted(training + held_out) == sorted(whole) and not set(training) & set(held_out)


def test_words_keep_every_character_and_the_space_before_them():
    assert text_model.words_of("\nTwo  keys, ✎ x_1.") == ["\n", "Two", " ", " keys", ",", " ✎", " x_1", "."]
    for part in text_model.parts():
        assert "".join(text_model.words_of(part)) == part


def test_neighbors_are_merged_from_the_left_and_the_most_frequent_first():
    a, b, c = (bytes([letter]) for letter in b"abc")
    assert text_model.merged((a, b, c, a, b), (a, b)) == (b"ab", c, b"ab")
    assert text_model.merged((a, a, a), (a, a)) == (b"aa", a)
    assert text_model.learn_merges("abc abc ab", 2) == [(a, b), (b"ab", c)]  # 3 times, then twice, as " ab"
    assert text_model.learn_merges("ab b bc bc", 1) == [(b" ", b)]  # 3 times: no word is merged with the one before it


def test_every_text_comes_back_from_its_tokens_and_half_a_letter_is_shown_as_missing(tokens):
    for text in ("", "The queries attend to the keys.", "\nÜber ✎ 漢字\t\r\n  "):
        ids = tokens.encode(text)
        assert tokens.decode(ids) == text and max(ids, default=0) < text_model.CONFIG.vocab_size
    assert tokens.decode("é".encode()[:1]) == "�"


def test_encoding_merges_as_learning_did(tokens):
    """Merged in the order of learning, one after the other, each word gives the same tokens."""
    merges = list(tokens.rank)
    for word in text_model.words_of(" the heads of unbelievably long sequences"):
        pieces = tuple(bytes([b]) for b in word.encode())
        for pair in merges:
            pieces = text_model.merged(pieces, pair)
        assert [tokens.bytes[n] for n in tokens.encode(word)] == list(pieces)
    assert tokens.decode([256 + merges.index((b" ", b"t"))]) == " t"


def test_windows_ask_for_each_token_once():
    rows = text_model.windows(torch.arange(12), 4)
    assert rows.tolist() == [[0, 1, 2, 3], [3, 4, 5, 6], [6, 7, 8, 9]]


def test_random_windows_are_pieces_of_the_text_and_those_of_their_seed():
    ids = torch.arange(100, 117)
    found, again, other = (next(text_model.random_windows(ids, seed, size=50, length=5)) for seed in (0, 0, 1))
    rows, counted = found
    assert rows.shape == (50, 5) and counted is None
    assert (rows.diff(dim=1) == 1).all() and rows.min() == 100 and rows.max() == 116
    assert torch.equal(rows, again[0]) and not torch.equal(rows, other[0])


def test_the_model_reads_the_held_out_part_as_well_as_the_record_says(tokens):
    record = json.loads(text_model.FILE.with_name("curve.json").read_text(encoding="utf-8"))
    _, held_out = text_model.parts()
    ids = torch.tensor(tokens.encode(held_out))
    rows = text_model.windows(ids)
    with torch.no_grad():
        bits = token_losses(text_model.load()(rows)[0], rows).mean().item() / math.log(2)
    best = min(point["held_out"] for point in record["curves"][str(text_model.CONFIG.dropout)])
    assert bits * len(ids) / len(held_out.encode()) == pytest.approx(best, abs=0.002)  # float16 in the file
