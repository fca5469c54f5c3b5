"""Exercise 1.1: encode."""

import re

from exercises.common import explainers
from exercises.common.inputs import AXES
from exercises.e1_1_encode.misconceptions import MISCONCEPTIONS
from exercises.e1_1_encode.shared import UNKNOWN, _in_words, _is_id
from feedback import BehavioralTest, Exercise, Property, TestCase
from helpers import tokens


def _one_id_for_each_word(case):
    if len(case.actual) == len(case.expected):
        return None
    told = f"Each word of the text gets one id, also a word that comes twice: {_in_words(case)}."
    many = len(case.actual) == len(case.expected) * len(case.args[1])
    return told + (" Does an inner loop append once for every key of the vocabulary?" if many else "")


def _whole_numbers(case):
    at = next((i for i, value in enumerate(case.actual) if not _is_id(value)), None)
    if at is None:
        return None
    return f"Ids are whole numbers, of Python's int; your ids[{at}] is {explainers.shortly(case.actual[at])}."


def _remembers(attempt):
    """The same text twice: the second list must not be longer."""
    first, second = (len(attempt("the cat", dict(_TINY))) for _ in range(2))
    if second <= first:
        return None
    return (f"Called twice with the text 'the cat', your code gives {first} ids, then {second}. Each call must give "
            f"the ids of its own text alone.")


def _marks_taken_off(case):
    """Words with marks that got the ids of the words without them; no other unknown word is wrong."""
    text, vocabulary = case.args
    unknown = [(at, word, re.sub(r"\W", "", word)) for at, word in enumerate(text.lower().split())
               if word not in vocabulary and int(case.actual[at]) != vocabulary[UNKNOWN]]
    if not unknown or any(vocabulary.get(bare) != int(case.actual[at]) for at, _, bare in unknown):
        return None
    at, word, bare = unknown[0]
    return (f"{word!r}, with its marks, is another word than {bare!r}, and not in the vocabulary: your ids[{at}] is "
            f"{case.actual[at]}, and vocabulary[{UNKNOWN!r}] = {vocabulary[UNKNOWN]} is right.")


def _unknown_words(case):
    text, vocabulary = case.args
    words = text.split()
    at = next((i for i, (word, id) in enumerate(zip(words, case.actual, strict=True))
               if word.lower() not in vocabulary and int(id) != vocabulary[UNKNOWN]), None)
    if at is None:
        return None
    return (f"A word that is not in the vocabulary gets vocabulary[{UNKNOWN!r}] = {vocabulary[UNKNOWN]}; your "
            f"ids[{at}], for {words[at]!r}, is {case.actual[at]}.")


def _known_words(case):
    text, vocabulary = case.args
    words = text.split()
    at = next((i for i, (word, id) in enumerate(zip(words, case.actual, strict=True))
               if word.lower() in vocabulary and int(id) != vocabulary[word.lower()]), None)
    if at is None:
        return None
    word = words[at].lower()
    return (f"A word of the vocabulary gets its own id: vocabulary[{word!r}] is {vocabulary[word]}; your ids[{at}], "
            f"for {words[at]!r}, is {case.actual[at]}.")


_CAT = {UNKNOWN: 0, "cat": 1, "the": 2, "saw": 3}


_DOG = {"a": 4, "dog": 9, UNKNOWN: 7, "barks": 0, "at": 12, "i": 3}


_HELLO = {"hello": 5, "world": 2, "don't": 0, UNKNOWN: 1, "you": 3}


_TINY = {UNKNOWN: 0, "cat": 1, "the": 2}


_LATE = {"the": 0, "cat": 3, UNKNOWN: 5}


EXERCISE = Exercise(
    id="1.1", name="encode", signature="encode(text, vocabulary)", minutes=5, difficulty=1,
    gives="the ids of the lower-cased words of text, in a list; a word that is not in the vocabulary gets "
          "vocabulary['<unk>']",
    reference=tokens.encode, arguments=("text", "vocabulary"), returns=("ids",),
    axis_names=AXES, cases=(
        TestCase("a sentence", ("The cat saw the banana", _CAT)),
        TestCase("a vocabulary whose <unk> is not 0", ("A dog barks at Midnight", _DOG)),
        TestCase("tabs, line ends and many blanks", ("  the\tcat\nsaw  THE   Dog \n", _CAT)),
        TestCase("punctuation", ("Hello, world! don't hello (you) \"hello\" you? world; hello: world.", _HELLO)),
        TestCase("words without a space between", ("the-cat saw 2 cats cat's", _CAT)),
        TestCase("unknown words alone", ("Seven green\tapples", _DOG)),
        TestCase("the word <unk> itself", ("a <unk> barks <UNK>", _DOG)),
        TestCase("one word", ("DOG", _DOG)),
        TestCase("words that come again", ("i dog i a a dog at nothing i", _DOG)),
    ),
    minimal_inputs=(("cat", _TINY), ("the cat", _TINY), ("The cat", _TINY), ("the cat", _LATE), ("the cat the", _TINY),
           ("cat dog", _LATE), ("the  cat\nsat", _LATE), ("the cat.", _LATE), ("a cat", {UNKNOWN: 2, "cat": 0, "a": 1}),
           ("the <unk>", _LATE)),
    misconceptions=MISCONCEPTIONS,
    hints=(
        "Two steps. First the words: text.lower() gives a new text, and split() without an argument cuts it at any "
        "white space. Then one id for each word.",
        "vocabulary[word] raises a KeyError if the word is not there; vocabulary.get(word, other) gives `other` then.",
        "[vocabulary.get(word, vocabulary['<unk>']) for word in text.lower().split()]",
    ),
    properties=(Property("not-one-id-per-word", _one_id_for_each_word,
              "Append exactly one id for each word of text.lower().split(), known or not, and return after the loop."),
          Property("not-whole-numbers", _whole_numbers, "What the vocabulary holds under a word is what is wanted."),
          Property("punctuation-removed", _marks_taken_off, "Here white space alone parts words: leave the marks on them."),
          Property("wrong-id-for-unknown", _unknown_words,
              "Print each word just before you look it up. vocabulary.get(word, vocabulary['<unk>']) gives the id of "
              "the word, or that of <unk>."),
          Property("wrong-id-for-known", _known_words, "Print each word beside the id that you found for it.")),
    behavioral_tests=(
        BehavioralTest("remembers", _remembers, "Make the list inside the function, anew for each call. One that is made "
                   "outside, or as a default argument, ids=[], is made once, and keeps what earlier calls put in.",
                   early=True),
    ),
    when_correct="Every text is now a row of whole numbers, whatever words it has.",
)
