"""What the statement and the misconceptions of 1.1 share."""

from numbers import Integral

from exercises.common import explainers
from helpers import tokens

UNKNOWN = tokens.UNKNOWN


def _in_words(case):
    """The first id that is not right, and the word it stands for; or how many ids there are."""
    text, vocabulary = case.args
    words, got, right = text.split(), case.actual, case.expected
    if len(got) != len(right):
        return (f"the text has {explainers.counted(len(words), 'word', 'words')}, and your list "
                f"{explainers.counted(len(got), 'entry', 'entries')}")
    at = _first_wrong(got, right)
    if at is None:
        return explainers.entry(case)
    word = words[at].lower()
    why = (f"vocabulary[{word!r}] = {right[at]} is right" if word in vocabulary else
           f"{word!r} is not in the vocabulary, so vocabulary[{UNKNOWN!r}] = {right[at]} is right")
    return f"your ids[{at}], for {words[at]!r}, is {explainers.shortly(got[at])}; {why}"


def _is_id(value):
    return isinstance(value, Integral)


def _first_wrong(got, right):
    return next((i for i, (a, b) in enumerate(zip(got, right, strict=True)) if not (_is_id(a) and int(a) == b)), None)
