"""Answers to exercise 1.1 with two mistakes at once: the checker may name either, and no third."""

# ruff: noqa: RET503 - a return inside a loop is what learners do

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("not-lower-cased", "unknown-is-zero")
def capitals_and_zero(text, vocabulary):
    return [vocabulary.get(word, 0) for word in text.split()]


@both("unknown-skipped", "split-at-blanks")
def known_pieces_in_a_set(text, vocabulary):
    ids = []
    for word in text.lower().split(" "):
        if word in vocabulary:
            ids.append(vocabulary[word])
    return ids


@both("zero-is-false", "punctuation-removed")
def stripped_and_or(text, vocabulary):
    return [vocabulary.get(word.strip(".,!?"), None) or vocabulary["<unk>"] for word in text.lower().split()]


@both("not-lower-cased", "return-in-loop")
def the_first_word_as_written(text, vocabulary):
    for word in text.split():
        ids = []
        ids.append(vocabulary.get(word, vocabulary["<unk>"]))
        return ids


@both("unknown-is-none", "punctuation-removed")
def get_alone_and_stripped(text, vocabulary):
    return [vocabulary.get(word.strip(",.!?;:")) for word in text.lower().split()]
