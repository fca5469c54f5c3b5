"""Tokenizers: whole words with a small vocabulary, and BERT's WordPiece."""

import operator
import re
import unicodedata

from helpers import require

UNKNOWN = "<unk>"
EMPTY = "an empty text has nothing to attend to"


def build_vocabulary(text):
    """Number the words of a text in order of first appearance; id 0 is for unknown words.

    Shapes: -> {word: id}, with `<unk>` first
    Errors: TypeError if text is not a str; ValueError if it has no word
    Source: notebook 01
    """
    words = dict.fromkeys([UNKNOWN, *split_words(text)])  # a dict keeps each word once, in order
    return {word: id for id, word in enumerate(words)}


def split_words(text):
    """Lower-case a text and split it on white space.

    Shapes: -> list of str
    Errors: TypeError if text is not a str; ValueError if it has no word
    Source: notebook 01
    """
    require.that(isinstance(text, str), "text must be a str", type(text).__name__, error=TypeError)
    words = text.lower().split()
    require.that(words, "text must have at least one word", repr(text), EMPTY)
    return words


def encode(text, vocabulary):
    """Replace each word by its id; words that are not in the vocabulary share the id of `<unk>`.

    Shapes: text with T words -> list of T ints
    Errors: TypeError if text is not a str; ValueError if it has no word or the vocabulary has no `<unk>`
    Source: notebook 01
    """
    if UNKNOWN not in vocabulary:
        raise ValueError(f"the vocabulary must have an id for {UNKNOWN!r}, got none; add vocabulary[{UNKNOWN!r}]")
    return [vocabulary.get(word, vocabulary[UNKNOWN]) for word in split_words(text)]


def decode(ids, vocabulary):
    """Replace each id by its word: the inverse of `encode`, except for unknown words.

    Shapes: ids, T ints or a tensor (T,) -> text with T words
    Errors: TypeError if ids are not whole numbers; ValueError if an id is not in the vocabulary
    Source: notebook 01
    """
    words = {id: word for word, id in vocabulary.items()}
    ids = _whole_numbers(ids)
    for id in ids:
        if id not in words:
            raise ValueError(f"ids must come from the vocabulary, whose ids are 0 to {max(words)}, got {id}")
    return " ".join(words[id] for id in ids)


class WordPiece:
    """BERT's tokenizer: it takes the longest piece in the vocabulary, then the longest piece of the rest of the word.

    A piece that continues a word starts with ##. Text is lower-cased and stripped of accents, as for
    the "uncased" BERT models. The ids are those of Hugging Face's fast BERT tokenizer, with two differences:
    NB: "[CLS]" in a text is read as plain text, [ cls ], so that nobody can smuggle in a special token; theirs
    turns it into the special token unless encode_special_tokens is set.
    NB: punctuation and accents are recognized by this Python's Unicode tables; theirs are older, so some characters
    of rare scripts differ, as do 256 rare Chinese characters that are missing from their list of blocks.

    Errors: ValueError if a special token is missing from the vocabulary
    Source: Devlin et al. 2019; Schuster and Nakajima 2012; notebook 01
    """

    SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    LONGEST = 100  # letters; a longer word becomes [UNK] without a search

    def __init__(self, pieces):
        self.pieces = list(pieces)
        self.ids = {piece: id for id, piece in enumerate(self.pieces)}
        missing = [token for token in self.SPECIAL if token not in self.ids]
        if missing:
            raise ValueError(
                f"a WordPiece vocabulary must hold {', '.join(self.SPECIAL)}; missing: "
                f"{', '.join(missing)}. Is this the right vocab.txt?"
            )

    def __len__(self):
        return len(self.pieces)

    def split(self, text):
        """The pieces of a text, without [CLS] and [SEP].

        Shapes: -> list of str
        Errors: TypeError if text is not a str; ValueError if it has no word or mark
        Source: notebook 01
        """
        words = _words_and_marks(text)
        return [piece for word in words for piece in self.split_word(word)]

    def split_word(self, word):
        """The longest matching pieces from left to right, or [UNK] for the whole word if some part matches nothing.

        Shapes: -> list of str
        Source: notebook 01
        """
        if len(word) > self.LONGEST:
            return ["[UNK]"]
        found, start = [], 0
        while start < len(word):
            piece = self._longest(word, start)
            if piece is None:
                return ["[UNK]"]
            found.append(piece)
            start += len(piece.removeprefix("##")) if start else len(piece)
        return found

    def _longest(self, word, start):
        for end in range(len(word), start, -1):
            piece = ("##" if start else "") + word[start:end]
            if piece in self.ids:
                return piece
        return None

    def encode(self, text, max_length=None):
        """The ids of a text, with [CLS] first and [SEP] last.

        Shapes: -> list of int, at most max_length of them
        Errors: TypeError if text is not a str; ValueError if it has no word or mark, or max_length is below 3
        Source: notebook 01
        """
        if max_length is not None and max_length < 3:
            raise ValueError(f"max_length must leave room for [CLS], a piece and [SEP]: at least 3, got {max_length}")
        ids = [self.ids[piece] for piece in self.split(text)]
        if max_length is not None:
            ids = ids[: max_length - 2]
        return [self.ids["[CLS]"], *ids, self.ids["[SEP]"]]

    def decode(self, ids):
        """The pieces of the given ids, joined into words.

        Shapes: T ints or a tensor (T,) -> str
        Errors: TypeError if ids are not whole numbers; ValueError if an id is not in the vocabulary
        Source: notebook 01
        """
        ids = _whole_numbers(ids)
        for id in ids:
            if not 0 <= id < len(self):
                raise ValueError(f"ids must lie between 0 and {len(self) - 1}, got {id}")
        return " ".join(self.pieces[id] for id in ids).replace(" ##", "")


def _whole_numbers(ids):
    whole = []
    for id in ids.tolist() if hasattr(ids, "tolist") else ids:
        try:
            whole.append(operator.index(id))  # int(id) would round 1.9 down to another word
        except TypeError:
            raise TypeError(
                f"ids must be whole numbers, one for each word or piece, got {id!r:.40}; "
                "of a batch take one item, ids[0]"
            ) from None
    return whole


def _words_and_marks(text):
    """Lower-case words without accents; punctuation marks and Chinese characters are words of their own, as in BERT."""
    require.that(isinstance(text, str), "text must be a str", type(text).__name__, error=TypeError)
    seen = "".join(c for c in text if not _is_control(c))
    seen = unicodedata.normalize("NFD", _with_spaces(seen, _is_chinese))  # splits off accents ...
    seen = "".join(c.lower() for c in seen if unicodedata.category(c) != "Mn")  # ... to drop them; no final ς
    words = _with_spaces(seen, _is_mark).split()
    require.that(words, "text must have at least one word or mark", repr(text), EMPTY)
    return words


def _with_spaces(text, is_separate):
    return "".join(f" {c} " if is_separate(c) else c for c in text)


def _is_control(c):
    """Whether c is invisible; white space does not count, nor do characters that this Python does not know yet."""
    return c in "\0\ufffd" or (unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co") and c not in "\t\n\r")


def _is_mark(c):
    """Whether c is punctuation; every printable ASCII character but letters, digits and space counts, even $ and ^."""
    return re.match(r"[!-/:-@[-`{-~]", c) is not None or unicodedata.category(c).startswith("P")


def _is_chinese(c):
    blocks = (
        (0x4E00, 0x9FFF),
        (0x3400, 0x4DBF),
        (0x20000, 0x2A6DF),
        (0x2A700, 0x2CEAF),
        (0xF900, 0xFAFF),
        (0x2F800, 0x2FA1F),
    )
    return any(first <= ord(c) <= last for first, last in blocks)
