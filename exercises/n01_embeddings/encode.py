"""encode: the reference, its steps and test cases; the page next to it says the rest."""

import re
from functools import partial
from numbers import Integral

from exercises.common import explainers
from exercises.common.inputs import AXES, hidden_only
from feedback import BehavioralTest, Property, TestCase
from feedback.page_exercise import exercise


def encode(text, vocabulary):
    """Look up the id of each word, in lower case; unknown words share the id of <unk>.

    Source: notebook 01
    """
    ids = []
    for word in text.lower().split():
        ids.append(vocabulary.get(word, vocabulary["<unk>"]))
    return ids


UNKNOWN = "<unk>"


def in_words(case):
    """Show the first wrong id with its word, or say how many ids there are."""
    text, vocabulary = case.args
    words, got, right = text.split(), case.actual, case.expected
    if len(got) != len(right):
        return (
            f"the text has {explainers.counted(len(words), 'word', 'words')}, and your list "
            f"{explainers.counted(len(got), 'entry', 'entries')}"
        )
    at = next((i for i, (a, b) in enumerate(zip(got, right, strict=True)) if not (is_id(a) and a == b)), None)
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
    """Show the first wrong id if a word of the text occurs again, else return ''."""
    words = case.args[0].lower().split()
    return in_words(case) if len(set(words)) < len(words) else ""


def is_id(value):
    return isinstance(value, Integral)


def with_unknown(words, vocabulary):
    return [vocabulary.get(word, vocabulary[UNKNOWN]) for word in words]


def assemble(words=lambda text: text.lower().split(), look_up=with_unknown, finish=lambda ids: ids):
    """Build encode from three steps."""
    return lambda text, vocabulary: finish(look_up(words(text), vocabulary))


CAT = {UNKNOWN: 0, "cat": 1, "the": 2, "saw": 3}
DOG = {"a": 4, "dog": 0, UNKNOWN: 7, "barks": 9, "at": 12, "i": 3}
HELLO = {"hello": 5, "world": 2, "don't": 0, UNKNOWN: 1, "you": 3}
TINY = {UNKNOWN: 0, "cat": 1, "the": 2}
LATE = {"the": 0, "cat": 3, UNKNOWN: 5}
ACCENTS = {"café": 1, "ein": 2, "zürich": 0, UNKNOWN: 3}


def hardest_part(args):
    """Return what a text needs: 0 lookups, 1 lower-casing, 2 <unk>, 3 whitespace other than spaces, 4 punctuation."""
    text, vocabulary = args
    words = text.split()
    if re.search(r"[^\w\s]", text):
        return 4
    if text != " ".join(words):
        return 3
    if any(word.lower() not in vocabulary for word in words):
        return 2
    return 1 if text != text.lower() else 0


@Property.named(
    "not-one-id-per-word", "Append exactly one id for each word of the text, known or not, and return after the loop."
)
def one_id_for_each_word(case):
    if len(case.actual) == len(case.expected):
        return None
    problem = f"Each word of the text gets one id, even a word that appears twice: {in_words(case)}."
    many = len(case.actual) == len(case.expected) * len(case.args[1])
    return problem + (" Does an inner loop append once for every key of the vocabulary?" if many else "")


@Property.named(
    "not-whole-numbers",
    "The vocabulary already stores each id the way it is wanted. What is added to your list instead?",
)
def whole_numbers(case):
    at = next((i for i, value in enumerate(case.actual) if not is_id(value)), None)
    if at is None:
        return None
    return f"Ids are whole numbers, of Python's type int; your ids[{at}] is {explainers.shortly(case.actual[at])}."


@Property.named("punctuation-removed", "Here only whitespace separates words: leave punctuation attached to them.")
def punctuation_is_kept(case):
    """Find words with punctuation that got the ids of the words without it, if no other unknown word is wrong."""
    text, vocabulary = case.args
    unknown = [
        (at, word, re.sub(r"\W", "", word))
        for at, word in enumerate(text.lower().split())
        if word not in vocabulary and int(case.actual[at]) != vocabulary[UNKNOWN]
    ]
    if not unknown or any(vocabulary.get(bare) != int(case.actual[at]) for at, _, bare in unknown):
        return None
    at, word, bare = unknown[0]
    return (
        f"{word!r}, with its punctuation, is a different word from {bare!r}, and it is not in the vocabulary: your "
        f"ids[{at}] is {case.actual[at]}, and vocabulary[{UNKNOWN!r}] = {vocabulary[UNKNOWN]} is right."
    )


def wrong_id(case, known):
    """Show the first word, in the vocabulary or not, whose id is wrong."""
    text, vocabulary = case.args
    for at, (word, got, right) in enumerate(zip(text.split(), case.actual, case.expected, strict=True)):
        key = word.lower()
        if (key in vocabulary) == known and int(got) != right:
            rule = (
                f"A word of the vocabulary gets its own id: vocabulary[{key!r}] is {right}"
                if known
                else f"A word that is not in the vocabulary gets vocabulary[{UNKNOWN!r}] = {right}"
            )
            return f"{rule}; your ids[{at}], for {word!r}, is {got}."
    return None


@BehavioralTest.named(
    "remembers",
    "Make a new list inside the function, in each call. A list made outside, or as a default "
    "argument, ids=[], is made once, and keeps what earlier calls put into it.",
    early=True,
)
def remembers_earlier_calls(attempt):
    """Encode the same text twice: the second list must not be longer."""
    first, second = (len(attempt("the cat", dict(TINY))) for _ in range(2))
    if second <= first:
        return None
    return (
        f"Called twice with the text 'the cat', your code gives {second - first} ids more the second time. Each call "
        "must return the ids of its own text alone."
    )


def other_texts(draw):
    words = [*DOG, "The", "Dog", "cat,"]
    for vocabulary in (DOG, dict(zip(DOG, draw.sample(range(20), len(DOG)), strict=True))):
        text = " ".join(draw.sample(words, len(words)))
        yield TestCase("a text of other words", (text, vocabulary))


EXERCISE = exercise(
    encode,
    assemble=assemble,
    returns=("ids",),
    axis_names=AXES,
    cases=(
        TestCase("known words in lower case", ("a dog barks at a dog", DOG)),
        TestCase("known words, some with capital letters", ("dog Barks at A Dog", DOG)),
        TestCase("one word", ("DOG", DOG)),
        TestCase("a sentence", ("The cat saw the banana", CAT)),
        TestCase("a vocabulary whose <unk> is not 0", ("A dog barks at Midnight", DOG)),
        TestCase("words that appear again", ("i dog i a a dog at nothing i", DOG)),
        TestCase("tabs, line breaks and many spaces", ("  the\tcat\nsaw  THE   Dog \n", CAT)),
        TestCase("unknown words alone", ("Seven green\tapples", DOG)),
        TestCase("punctuation", ('Hello, world! don\'t hello (you) "hello" you? world; hello: world.', HELLO)),
        TestCase("words without a space between", ("the-cat saw 2 cats cat's", CAT)),
        TestCase("the word <unk> itself", ("a <unk> barks <UNK>", DOG)),
        TestCase("unknown words that are parts of known ones", ("do bark he t", DOG | CAT)),
        TestCase("words with accents", ("Ein Café in ZÜRICH cafe", ACCENTS)),
        TestCase(
            "an empty text", ("", DOG), limitation="It has a limit: an empty text has no words, so its list is empty."
        ),
        *hidden_only(other_texts),
    ),
    minimal_inputs=(
        ("cat", TINY),
        ("the cat", TINY),
        ("The cat", TINY),
        ("the cat", LATE),
        ("the cat the", TINY),
        ("cat dog", LATE),
        ("dog cat", LATE),
        ("the cat\nsat", LATE),
        ("the  cat", LATE),
        ("the cat.", LATE),
        ("a cat", {UNKNOWN: 2, "cat": 0, "a": 1}),
    ),
    stage_of=hardest_part,
    properties=(
        one_id_for_each_word,
        whole_numbers,
        punctuation_is_kept,
        Property(
            "wrong-id-for-unknown",
            partial(wrong_id, known=False),
            "Print each word just before you look it up. What should happen if it is not in the vocabulary?",
        ),
        Property(
            "wrong-id-for-known", partial(wrong_id, known=True), "Print each word next to the id that you found for it."
        ),
    ),
    behavioral_tests=(remembers_earlier_calls,),
)
