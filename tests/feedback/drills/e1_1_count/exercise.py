"""Exercise 1.1: how often a word occurs, an int."""

from drills.e1_1_count.misconceptions import known
from drills.text import words

from feedback import Exercise, TestCase


def count(text, word):
    return words(text).count(word)


EXERCISE = Exercise(
    gives="how often the word occurs in the text",
    minutes=5,
    difficulty=1,
    reference=count,
    returns=("times",),
    cases=(
        TestCase("a sentence", ("the cat and the other cat saw the bird", "the")),
        TestCase("a word that does not occur", ("one and one make two", "on")),
    ),
    minimal_inputs=(("a b", "b"), ("a an a", "a")),
    misconceptions=known,
    hints=("Which words are there?", "`words(text)` is a list of them."),
    when_correct="A word is more than a row of letters.",
)
