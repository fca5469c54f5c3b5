"""How often a word occurs, an int."""

from drills.text import words

from feedback import TestCase
from feedback.page_exercise import exercise


def count(text, word):
    return words(text).count(word)


EXERCISE = exercise(
    count,
    returns=("times",),
    cases=(
        TestCase("a sentence", ("the cat and the other cat saw the bird", "the")),
        TestCase("a word that does not occur", ("one and one make two", "on")),
    ),
    minimal_inputs=(("a b", "b"), ("a an a", "a")),
)
