"""Words, WordPiece with small vocabularies, and WordPiece against Hugging Face's fast BERT tokenizer."""

import hashlib
import json
import os
import sys
import unicodedata
from pathlib import Path

import pytest
import torch

from helpers.tokens import WordPiece, build_vocabulary, decode, encode, split_words

ROOT = Path(__file__).parents[2]
GOLDEN = json.loads((ROOT / "tests" / "golden" / "wordpiece.json").read_text(encoding="utf-8"))
SENTENCE = "Your journey starts with one step"


# ---------------------------------------------------------------- words


def test_words_are_numbered_in_order_of_appearance():
    assert build_vocabulary("the cat and The dog and") == {"<unk>": 0, "the": 1, "cat": 2, "and": 3, "dog": 4}
    assert build_vocabulary("a <unk> b") == {"<unk>": 0, "a": 1, "b": 2}


@pytest.mark.parametrize(
    "text, words",
    [
        ("One step", ["one", "step"]),
        ("  One\tstep \n", ["one", "step"]),
        ("one-step, one", ["one-step,", "one"]),
        ("a\u00a0b\u2003c\u3000d", ["a", "b", "c", "d"]),
        ("ÄPFEL Straße", ["äpfel", "straße"]),
        ("中文", ["中文"]),
        ("😀", ["😀"]),
    ],
)
def test_words_are_lower_case_and_split_on_white_space(text, words):
    assert split_words(text) == words


def test_decode_is_the_inverse_of_encode():
    vocabulary = build_vocabulary(SENTENCE)
    ids = encode(SENTENCE, vocabulary)
    assert ids == [1, 2, 3, 4, 5, 6]
    assert decode(ids, vocabulary) == SENTENCE.lower()
    assert decode(torch.tensor(ids), vocabulary) == SENTENCE.lower()
    assert decode([], vocabulary) == ""


def test_unknown_words_share_an_id():
    vocabulary = build_vocabulary(SENTENCE)
    assert encode("your dog starts barking", vocabulary) == [1, 0, 3, 0]
    assert decode([1, 0, 3, 0], vocabulary) == "your <unk> starts <unk>"
    assert encode("a b", {"a": 5, "<unk>": 7}) == [5, 7]


def test_encode_and_decode_modify_nothing():
    vocabulary, ids = build_vocabulary(SENTENCE), [1, 2]
    before = dict(vocabulary)
    encode("an unknown word", vocabulary)
    decode(ids, vocabulary)
    assert vocabulary == before and list(vocabulary) == list(before) and ids == [1, 2]


@pytest.mark.parametrize(
    "text, error, words",
    [
        ("", ValueError, "text must have at least one word, got ''; an empty text has nothing to attend to"),
        (" \n\t", ValueError, r"at least one word, got ' \\n\\t'"),
        (None, TypeError, "text must be a str, got NoneType"),
        (b"bytes", TypeError, "got bytes"),
        (["one", "step"], TypeError, "got list"),
        (3, TypeError, "got int"),
    ],
)
def test_a_text_without_words_raises(text, error, words):
    for read in (split_words, build_vocabulary, lambda text: encode(text, {"<unk>": 0})):
        with pytest.raises(error, match=words):
            read(text)


def test_a_vocabulary_without_unk_raises():
    with pytest.raises(ValueError, match="the vocabulary must have an id for '<unk>', got none; add vocab"):
        encode("a", {"a": 0})


IDS_THAT_ARE_NONE = [
    ([1, 1.9], TypeError, "ids must be whole numbers, one for each word or piece, got 1.9"),
    (torch.tensor([1.0]), TypeError, "got 1.0"),
    (["1"], TypeError, "got '1'"),
    ([None], TypeError, "got None"),
    (torch.tensor([[1, 2], [3, 4]]), TypeError, r"got \[1, 2\]; of a batch take one item, ids\[0\]"),
]


@pytest.mark.parametrize(
    "ids, error, words",
    [
        ([1, 7], ValueError, "ids must come from the vocabulary, whose ids are 0 to 6, got 7"),
        ([-1], ValueError, "got -1"),
        (torch.tensor([99]), ValueError, "got 99"),
        *IDS_THAT_ARE_NONE,
    ],
)
def test_ids_without_a_word_raise(ids, error, words):
    with pytest.raises(error, match=words):
        decode(ids, build_vocabulary(SENTENCE))


# ---------------------------------------------------------------- WordPiece, by hand

PIECES = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "un",
    "##aff",
    "##able",
    "una",
    "##ff",
    "u",
    "##n",
    "able",
    "a",
    "##a",
    "##b",
    "b",
    "ab",
    "##bc",
    "play",
    "##ing",
    "##er",
    "ing",
    "!",
    "?",
    "[",
    "]",
    "cls",
    "中",
    "文",
    "σ",
    "##σ",
    "cafe",
    "#",
]
SMALL = WordPiece(PIECES)


@pytest.mark.parametrize(
    "word, pieces",
    [
        ("un", ["un"]),
        ("unaffable", ["una", "##ff", "##able"]),  # the longest first piece, though un ##aff ##able is possible too
        ("unable", ["una", "##b", "[gone]"]),
        ("playing", ["play", "##ing"]),
        ("player", ["play", "##er"]),
        ("ing", ["ing"]),
        ("abc", ["ab", "[gone]"]),  # greedy: a ##bc would have worked
        ("abab", ["ab", "##a", "##b"]),
        ("##ing", ["##ing"]),
        ("xplay", ["[gone]"]),
        ("playx", ["play", "[gone]"]),
        ("中", ["中"]),
    ],
)
def test_the_longest_piece_wins_and_one_gap_makes_the_whole_word_unknown(word, pieces):
    assert SMALL.split_word(word) == (["[UNK]"] if "[gone]" in pieces else pieces)


def test_a_word_of_more_than_100_letters_is_unknown():
    assert SMALL.split_word("a" * 100) == ["a"] + ["##a"] * 99
    assert SMALL.split_word("a" * 101) == ["[UNK]"]
    assert SMALL.split("a" * 101 + " un") == ["[UNK]", "un"]
    assert SMALL.split("a\u0301" * 101) == ["[UNK]"] and SMALL.split("a\u0301" * 100) == ["a"] + ["##a"] * 99


@pytest.mark.parametrize(
    "text, pieces",
    [
        ("Playing!?", ["play", "##ing", "!", "?"]),
        ("un!able", ["un", "!", "able"]),
        ("un able", ["un", "able"]),
        ("中文", ["中", "文"]),
        ("a中b", ["a", "中", "b"]),
        ("a\u3400b\uf900b", ["a", "[UNK]", "b", "[UNK]", "b"]),
        ("CAFÉ café cafe\u0301", ["cafe"] * 3),
        ("pl\u200bay pl\u00aday pl\x07ay", ["play"] * 3),
        ("un\tun\nun\r\nun\u00a0un\u3000un", ["un"] * 6),
        ("ΣΣ", ["σ", "##σ"]),  # not the ς that ends a word
        ("[CLS]", ["[", "cls", "]"]),
        ("[MASK]", ["[", "[UNK]", "]"]),
        ("##ing", ["#", "#", "ing"]),
        ("un\ufffd\0able", ["una", "##b", "[gone]"]),
        ("a\U0001fa77 b", ["[UNK]", "b"]),
    ],
)
def test_texts_are_cleaned_before_they_are_split(text, pieces):
    assert SMALL.split(text) == (["[UNK]"] if "[gone]" in pieces else pieces)


@pytest.mark.parametrize(
    "first, last",
    [
        (0x4E00, 0x9FFF),
        (0x3400, 0x4DBF),
        (0x20000, 0x2A6DF),
        (0x2A700, 0x2B73F),
        (0x2B740, 0x2B81F),
        (0x2B820, 0x2CEAF),
        (0xF900, 0xFAFF),
        (0x2F800, 0x2FA1F),
    ],
    ids=hex,
)
def test_each_chinese_character_is_a_word_from_the_first_to_the_last_of_a_block(first, last):
    alone = ["b", "[UNK]", "b"]
    assert SMALL.split(f"b{chr(first)}b") == SMALL.split(f"b{chr(last)}b") == alone
    for outside in {first - 1, last + 1} - {0x2B73F, 0x2B740, 0x2B81F, 0x2B820}:  # these blocks touch
        assert SMALL.split(f"b{chr(outside)}b") != alone


def test_no_text_is_encoded_as_a_special_token():
    for token in WordPiece.SPECIAL:
        assert not {SMALL.ids[t] for t in WordPiece.SPECIAL if t != "[UNK]"} & set(SMALL.encode(f"a{token} b")[1:-1])


def test_encode_adds_cls_and_sep_and_truncates_to_max_length():
    ids = [PIECES.index(p) for p in ("[CLS]", "una", "##ff", "##able", "!", "[SEP]")]
    assert SMALL.encode("unaffable!") == ids == SMALL.encode("unaffable!", max_length=6)
    assert SMALL.encode("unaffable!", max_length=99) == ids
    assert SMALL.encode("unaffable!", max_length=5) == [*ids[:4], ids[-1]]
    assert SMALL.encode("unaffable!", max_length=3) == [*ids[:2], ids[-1]]


@pytest.mark.parametrize("max_length", [2, 1, 0, -1])
def test_max_length_must_be_at_least_3(max_length):
    with pytest.raises(ValueError, match=rf"leave room for \[CLS\], a piece and \[SEP\]: at least 3, got {max_length}"):
        SMALL.encode("un", max_length=max_length)


def test_decode_joins_pieces_to_words():
    ids = SMALL.encode("Unaffable playing x!")
    assert SMALL.decode(ids) == SMALL.decode(torch.tensor(ids)) == "[CLS] unaffable playing [UNK] ! [SEP]"
    assert SMALL.decode([]) == "" and SMALL.decode([0, len(PIECES) - 1]) == "[PAD] #"
    assert len(SMALL) == len(PIECES)


@pytest.mark.parametrize(
    "ids, error, words",
    [
        ([2, len(PIECES)], ValueError, f"ids must lie between 0 and {len(PIECES) - 1}, got {len(PIECES)}"),
        ([-1], ValueError, "got -1"),
        *IDS_THAT_ARE_NONE,
    ],
)
def test_ids_without_a_piece_raise(ids, error, words):
    with pytest.raises(error, match=words):
        SMALL.decode(ids)


@pytest.mark.parametrize(
    "text, error, words",
    [
        ("", ValueError, "text must have at least one word or mark, got ''; an empty text has nothing to attend to"),
        (" \n", ValueError, r"got ' \\n'"),
        ("\u200b\x00\u0301", ValueError, "at least one word or mark"),
        (None, TypeError, "text must be a str, got NoneType"),
        (["un"], TypeError, "got list"),
    ],
)
def test_a_text_with_nothing_to_read_raises(text, error, words):
    for read in (SMALL.split, SMALL.encode):
        with pytest.raises(error, match=words):
            read(text)


def test_the_vocabulary_must_hold_the_special_tokens():
    with pytest.raises(ValueError, match=r"must hold \[PAD\], .*; missing: \[CLS\], \[MASK\]. Is this the right vocab"):
        WordPiece(["[PAD]", "[UNK]", "[SEP]", "a"])


@pytest.mark.slow
def test_every_unicode_character_is_dropped_or_makes_a_piece():
    """Lone surrogates too; a sign alone is dropped or makes at least one piece."""
    kept = 0
    for code in [
        *range(0x3000),
        *range(0xD7F0, 0xE010),
        *range(0xFFF0, 0x10020),
        *range(0x1F600, 0x1F610),
        sys.maxunicode,
    ]:
        pieces = SMALL.split(f"b{chr(code)} b")
        assert pieces[-1] == "b" and len(pieces) in (2, 3, 4)
        gone = unicodedata.category(chr(code)) in ("Cc", "Cf", "Cs", "Co", "Mn", "Zs", "Zl", "Zp") or code == 0xFFFD
        assert (pieces == ["b", "b"]) == gone, f"U+{code:04X} gives {pieces}"
        kept += not gone
    assert kept > 9000


# ---------------------------------------------------------------- WordPiece against Hugging Face's


@pytest.fixture(scope="module")
def minilm():
    """MiniLM's vocabulary, which is fetched and not part of the course's files."""
    path = Path(os.environ.get("COURSE_MINILM") or ROOT / "data" / "cache" / "minilm") / "vocab.txt"
    if not path.exists():
        said = f"{path} is missing; `python -m models.pretrained` fetches it"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(said)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == GOLDEN["vocab_sha256"]
    return WordPiece(path.read_text(encoding="utf-8").split("\n")[:-1])


def test_ids_match_the_tokenizer_of_hugging_face(minilm):
    wrong = [
        (row["text"], minilm.split(row["text"]), minilm.decode(row["ids"]))
        for row in GOLDEN["texts"]
        if minilm.encode(row["text"]) != row["ids"]
    ]
    assert not wrong
    assert len(GOLDEN["texts"]) > 150 and len(minilm) == 30522


def test_truncated_ids_match_the_tokenizer_of_hugging_face(minilm):
    for row in GOLDEN["shortened"]:
        assert minilm.encode(row["text"], row["max_length"]) == row["ids"]


def test_special_tokens_in_a_text_stay_text_unlike_theirs(minilm):
    rows = [row for row in GOLDEN["texts"] if "ids_with_special_tokens" in row]
    assert [row["text"] for row in rows] == [
        "[CLS]",
        "[SEP] in the middle [SEP]",
        "The [MASK] sat on the mat.",
        "[PAD][UNK]",
    ]
    for row in rows:
        assert minilm.encode(row["text"]) == row["ids"] != row["ids_with_special_tokens"]
