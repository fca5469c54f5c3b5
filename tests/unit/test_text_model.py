"""The real text of notebook 08: its parts and its tokens."""

import pytest

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
    """Applying all merges in the order in which they were learned gives each word the same tokens."""
    merges = list(tokens.rank)
    for word in text_model.words_of(" the heads of unbelievably long sequences"):
        pieces = tuple(bytes([b]) for b in word.encode())
        for pair in merges:
            pieces = text_model.merged(pieces, pair)
        assert [tokens.bytes[n] for n in tokens.encode(word)] == list(pieces)
    assert tokens.decode([256 + merges.index((b" ", b"t"))]) == " t"
