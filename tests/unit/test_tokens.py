"""Words, WordPiece with small vocabularies, and WordPiece against Hugging Face's fast BERT tokenizer."""

import hashlib
import json
from pathlib import Path

import pytest
import torch

from helpers.tokens import WordPiece, build_vocabulary, decode, encode, split_words
from models import pretrained
from tests.minilm import require_minilm
from tests.unit.refusals import require_refused

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "wordpiece.json").read_text(encoding="utf-8"))
SENTENCE = "Your journey starts with one step"


def test_words_are_numbered_in_order_of_appearance():
    assert build_vocabulary("the cat and The dog and") == {"<unk>": 0, "the": 1, "cat": 2, "and": 3, "dog": 4}
    assert build_vocabulary("a <unk> b") == {"<unk>": 0, "a": 1, "b": 2}


def test_words_are_lower_case_and_split_on_white_space():
    for text, words in [
        ("  One\tstep \n", ["one", "step"]),
        ("one-step, one", ["one-step,", "one"]),
        ("a\u00a0b\u2003c\u3000d", ["a", "b", "c", "d"]),
        ("ÄPFEL Straße 中文 😀", ["äpfel", "straße", "中文", "😀"]),
    ]:
        assert split_words(text) == words


def test_decode_is_the_inverse_of_encode_and_unknown_words_share_an_id():
    vocabulary = build_vocabulary(SENTENCE)
    ids = encode(SENTENCE, vocabulary)
    assert ids == [1, 2, 3, 4, 5, 6]
    assert decode(ids, vocabulary) == decode(torch.tensor(ids), vocabulary) == SENTENCE.lower()
    assert decode([], vocabulary) == ""
    assert encode("your dog starts barking", vocabulary) == [1, 0, 3, 0]
    assert decode([1, 0, 3, 0], vocabulary) == "your <unk> starts <unk>"
    assert encode("a b", {"a": 5, "<unk>": 7}) == [5, 7]


def refused_ids(decode):
    """Calls that must raise an error, since their ids are not whole numbers."""
    none = "TypeError: ids must be whole numbers, one for each word or piece, got"
    return [
        (f"{none} 1.9", lambda: decode([1, 1.9])),
        (f"{none} [1, 2]; of a batch take one item, ids[0]", lambda: decode(torch.tensor([[1, 2], [3, 4]]))),
        ("ValueError: got -1", lambda: decode([-1])),
        ("ValueError: got 99", lambda: decode(torch.tensor([99]))),
    ]


def test_errors_of_words_are_one_sentence():
    vocabulary, empty = build_vocabulary(SENTENCE), "ValueError: text must have at least one word, got"
    require_refused(
        (f"{empty} ''; an empty text has nothing to attend to", lambda: split_words("")),
        ("TypeError: text must be a str, got list", lambda: encode(["one"], vocabulary)),
        ("ValueError: the vocabulary must have an id for '<unk>', got none; add", lambda: encode("a", {"a": 0})),
        ("ValueError: ids must come from the vocabulary, whose ids are 0 to 6", lambda: decode([7], vocabulary)),
        *refused_ids(lambda ids: decode(ids, vocabulary)),
    )


PIECES = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "un", "##aff", "##able", "una", "##ff", "u", "##n", "able", "a"),
    *("##a", "##b", "b", "ab", "##bc", "play", "##ing", "##er", "ing", "!", "?", "[", "]", "cls", "中", "文", "σ"),
    *("##σ", "cafe", "#"),
]
SMALL = WordPiece(PIECES)


def test_the_longest_piece_wins_and_one_gap_makes_the_whole_word_unknown():
    for word, pieces in {
        "un": ["un"],
        "unaffable": ["una", "##ff", "##able"],  # the longest first piece, though un ##aff ##able is possible too
        "unable": ["[UNK]"],  # una ##b, and no piece for le
        "playing": ["play", "##ing"],
        "abc": ["[UNK]"],  # greedy: a ##bc would have worked
        "abab": ["ab", "##a", "##b"],
        "##ing": ["##ing"],
        "xplay": ["[UNK]"],
        "playx": ["[UNK]"],
        "中": ["中"],
    }.items():
        assert SMALL.split_word(word) == pieces


def test_a_word_of_more_than_100_letters_is_unknown():
    assert SMALL.split_word("a" * 100) == ["a"] + ["##a"] * 99
    assert SMALL.split_word("a" * 101) == ["[UNK]"]
    assert SMALL.split("a" * 101 + " un") == ["[UNK]", "un"]
    assert SMALL.split("a\u0301" * 101) == ["[UNK]"] and SMALL.split("a\u0301" * 100) == ["a"] + ["##a"] * 99


def test_texts_are_cleaned_before_they_are_split():
    for text, pieces in [
        ("Playing!?", ["play", "##ing", "!", "?"]),
        ("un!able", ["un", "!", "able"]),
        ("a中b", ["a", "中", "b"]),
        ("a\u3400b\uf900b", ["a", "[UNK]", "b", "[UNK]", "b"]),
        ("CAFÉ café cafe\u0301", ["cafe"] * 3),
        ("pl\u200bay pl\u00aday pl\x07ay", ["play"] * 3),
        ("un\tun\nun\r\nun\u00a0un\u3000un", ["un"] * 6),
        ("ΣΣ", ["σ", "##σ"]),  # not the ς that ends a word
        ("[CLS]", ["[", "cls", "]"]),
        ("[MASK]", ["[", "[UNK]", "]"]),
        ("##ing", ["#", "#", "ing"]),
        ("un\ufffd\0able", ["[UNK]"]),
        ("a\U0001fa77 b", ["[UNK]", "b"]),
    ]:
        assert SMALL.split(text) == pieces


@pytest.mark.parametrize(
    "first, last",
    [(0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)],
)
def test_each_chinese_character_is_a_word_from_the_first_to_the_last_of_a_block(first, last):
    alone = [SMALL.split(f"b{chr(code)}b") == ["b", "[UNK]", "b"] for code in (first - 1, first, last, last + 1)]
    assert alone == [False, True, True, False]


def test_no_text_is_encoded_as_a_special_token():
    for token in WordPiece.SPECIAL:
        assert not {SMALL.ids[t] for t in WordPiece.SPECIAL if t != "[UNK]"} & set(SMALL.encode(f"a{token} b")[1:-1])


def test_encode_adds_cls_and_sep_and_truncates_to_max_length_and_decode_joins_pieces_to_words():
    ids = [PIECES.index(p) for p in ("[CLS]", "una", "##ff", "##able", "!", "[SEP]")]
    for length in (None, 6, 99):
        assert SMALL.encode("unaffable!", max_length=length) == ids
    for length in (5, 3):
        assert SMALL.encode("unaffable!", max_length=length) == [*ids[: length - 1], ids[-1]]
    assert SMALL.decode(ids) == SMALL.decode(torch.tensor(ids)) == "[CLS] unaffable ! [SEP]"
    assert SMALL.decode([]) == "" and SMALL.decode([0, len(PIECES) - 1]) == "[PAD] #"
    assert len(SMALL) == len(PIECES)


def test_errors_of_pieces_are_one_sentence():
    empty = "ValueError: text must have at least one word or mark, got"
    room = "ValueError: max_length must leave room for [CLS], a piece and [SEP]: at least 3, got"
    last = len(PIECES) - 1
    require_refused(
        (f"{empty} ''; an empty text has nothing to attend to", lambda: SMALL.split("")),
        (empty, lambda: SMALL.encode("\u200b\x00\u0301")),
        ("TypeError: text must be a str, got list", lambda: SMALL.split(["un"])),
        (f"{room} 2", lambda: SMALL.encode("un", 2)),
        (f"ValueError: ids must lie between 0 and {last}, got {last + 1}", lambda: SMALL.decode([2, last + 1])),
        *refused_ids(SMALL.decode),
    )
    with pytest.raises(ValueError, match=r"must hold \[PAD\], .*; missing: \[CLS\], \[MASK\]. Is this the right vocab"):
        WordPiece(["[PAD]", "[UNK]", "[SEP]", "a"])


@pytest.fixture(scope="module")
def minilm():
    """MiniLM's vocabulary, which is downloaded: it is not in the repository."""
    require_minilm()
    pieces = (pretrained.folder() / "vocab.txt").read_bytes()
    assert hashlib.sha256(pieces).hexdigest() == GOLDEN["vocab_sha256"]
    return WordPiece(pieces.decode().split("\n")[:-1])


def test_ids_match_the_tokenizer_of_hugging_face(minilm):
    wrong = [
        (row["text"], minilm.split(row["text"]), minilm.decode(row["ids"]))
        for row in GOLDEN["texts"] + GOLDEN["shortened"]
        if minilm.encode(row["text"], row.get("max_length")) != row["ids"]
    ]
    assert not wrong
    assert len(GOLDEN["texts"]) > 150 and len(minilm) == 30522


def test_special_tokens_in_a_text_stay_text_unlike_theirs(minilm):
    rows = [row for row in GOLDEN["texts"] if "ids_with_special_tokens" in row]
    assert len(rows) == 4
    for row in rows:
        assert minilm.encode(row["text"]) == row["ids"] != row["ids_with_special_tokens"]
