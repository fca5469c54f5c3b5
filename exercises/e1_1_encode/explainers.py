"""Sentences about a learner's list of ids, and what is known of words in this exercise."""

from numbers import Integral

from exercises.common import explainers

UNKNOWN = "<unk>"


def in_words(case):
    """The first id that is not right, and the word it stands for; or how many ids there are."""
    text, vocabulary = case.args
    words, got, right = text.split(), case.actual, case.expected
    if len(got) != len(right):
        return (
            f"the text has {explainers.counted(len(words), 'word', 'words')}, and your list "
            f"{explainers.counted(len(got), 'entry', 'entries')}"
        )
    at = first_wrong(got, right)
    if at is None:
        return explainers.entry(case)
    word = words[at].lower()
    why = (
        f"vocabulary[{word!r}] = {right[at]} is right"
        if word in vocabulary
        else f"{word!r} is not in the vocabulary, so vocabulary[{UNKNOWN!r}] = {right[at]} is right"
    )
    return f"your ids[{at}], for {words[at]!r}, is {explainers.shortly(got[at])}; {why}"


def in_words_that_repeat(case):
    """The first id that is not right, where a word of the text appears again; '' elsewhere."""
    words = case.args[0].lower().split()
    return in_words(case) if len(set(words)) < len(words) else ""


def is_id(value):
    return isinstance(value, Integral)


def first_wrong(got, right):
    return next((i for i, (a, b) in enumerate(zip(got, right, strict=True)) if not (is_id(a) and int(a) == b)), None)
