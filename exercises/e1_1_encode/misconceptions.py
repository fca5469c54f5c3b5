"""What people get wrong in exercise 1.1, encode.

An answer has three steps: cut the text into words, look the words up, and finish the list. Most mistakes are made in
one of them.
"""

import re
import string

import torch

from exercises.e1_1_encode.explainers import UNKNOWN, in_words, in_words_that_repeat
from feedback import Misconceptions


def lower_cased_words(text):
    return text.lower().split()


def with_unknown(words, vocabulary):
    return [vocabulary.get(word, vocabulary[UNKNOWN]) for word in words]


def unchanged(ids):
    return ids


def assemble(words=lower_cased_words, look_up=with_unknown, finish=unchanged):
    """encode made of three steps."""

    def encode(text, vocabulary):
        return finish(look_up(words(text), vocabulary))

    return encode


# Ways to look up words that forget something about unknown ones: mistakes of their own, and parts of others.


def raising(words, vocabulary):
    return [vocabulary[word] for word in words]


def skipping(words, vocabulary):
    return [vocabulary[word] for word in words if word in vocabulary]


def none_for_unknown(words, vocabulary):
    return [vocabulary.get(word) for word in words]


def zero_for_unknown(words, vocabulary):
    return [vocabulary.get(word, 0) for word in words]


known = Misconceptions(assemble)


# ---------------------------------------------------------------- the words


@known(
    "not-lower-cased",
    means="Words with capital letters are looked for in the vocabulary as they are, and it is in lower case.",
    hint="`lower()` returns a new text and leaves the old one as it was. Which of the two does each line of yours use?",
    explain=in_words,
    step="words",
)
def words_as_written(text):
    return text.split()


def pieces_as_written(text):
    return text.split(" ")


for look_up in (raising, skipping, none_for_unknown, zero_for_unknown):
    known.also("not-lower-cased", words=words_as_written, look_up=look_up)
known.also("not-lower-cased", words=pieces_as_written)
known.also("not-lower-cased", words=pieces_as_written, look_up=raising)


@known.also("not-lower-cased", step="words")
def word_characters_as_written(text):
    return re.findall(r"\b\w+\b", text)


@known(
    "everything-unknown",
    means="Every word got the id of <unk>, including those that are in the vocabulary.",
    hint="Print a word just before it is looked up: is it spelled as in the vocabulary, in lower case? And do you "
    "look up the word itself, not its position?",
    explain=in_words,
)
def every_word_unknown(text, vocabulary):
    return [vocabulary[UNKNOWN]] * len(text.split())


@known(
    "split-at-blanks",
    means="The text was cut at spaces only, so a tab or a line break stays inside a word.",
    hint="`split(' ')` cuts at each single space. What does `split()` do when it is given no argument?",
    explain=in_words,
    step="words",
)
def pieces_between_spaces(text):
    return text.lower().split(" ")


def pieces_between_runs_of_spaces(text):
    return re.split(" +", text.lower())


known.also("split-at-blanks", words=pieces_between_runs_of_spaces)


@known.also("split-at-blanks", step="words")
def pieces_that_are_not_empty(text):
    return [piece for piece in text.lower().split(" ") if piece]


@known.also("split-at-blanks", step="words")
def pieces_of_the_stripped_text(text):
    return text.lower().strip().split(" ")


@known.also("split-at-blanks", step="words")
def pieces_between_runs_of_the_stripped_text(text):
    return re.split(" +", text.lower().strip())


@known(
    "empty-words",
    means="Empty words appeared and got ids: whitespace at either end of the text, or several spaces in a row, can "
    "leave nothing between two cuts.",
    hint="Print your words for '  the  cat'. Which way of splitting a text leaves no empty words?",
    explain=in_words,
    step="words",
)
def pieces_between_whitespace(text):
    return re.split(r"\s", text.lower())


@known.also("empty-words", step="words")
def pieces_between_runs_of_whitespace(text):
    return re.split(r"\s+", text.lower())


@known.also("empty-words", step="words")
def pieces_of_the_stripped_text_between_whitespace(text):
    return re.split(r"\s", text.lower().strip())


@known(
    "not-split",
    means="The whole text was looked up as if it were one word.",
    hint="Which method of a text cuts it into a list of words?",
    explain=in_words,
    step="words",
)
def the_text_alone(text):
    return [text.lower()]


def the_text_as_written(text):
    return [text]


def the_id_alone(ids):
    return ids[0]


for words in (the_text_alone, the_text_as_written):
    known.also("not-split", words=words, finish=the_id_alone)
    known.also("not-split", words=words, look_up=raising)
known.also("not-split", words=the_text_as_written)


@known(
    "letters",
    means="The text was taken letter by letter: a loop over a text visits its characters.",
    hint="Print what your loop visits. What cuts a text into words?",
    explain=in_words,
    step="words",
)
def letters(text):
    return list(text.lower())


def letters_as_written(text):
    return list(text)


def letters_without_spaces(text):
    return list(text.lower().replace(" ", ""))


for look_up in (skipping, raising, none_for_unknown):
    known.also("letters", words=letters, look_up=look_up)
known.also("letters", words=letters_as_written)
known.also("letters", words=letters_as_written, look_up=raising)
known.also("letters", words=letters_without_spaces)


@known(
    "lines",
    means="The text was cut into lines, not into words.",
    hint="`splitlines()` and `split('\\n')` cut at line breaks only. What does `split()` do when it is given no "
    "argument?",
    explain=in_words,
    step="words",
)
def lines(text):
    return text.lower().splitlines()


@known.also("lines", step="words")
def pieces_between_line_breaks(text):
    return text.lower().split("\n")


# ---------------------------------------------------------------- words that are not in the vocabulary

known(
    "unknown-skipped",
    means="Unknown words were left out, so the ids no longer line up with the words.",
    hint="An unknown word gets an id, too. Which entry of the vocabulary is meant for it?",
    explain=in_words,
    step="look_up",
)(skipping)


def words_without_punctuation(text):
    return [word.strip(string.punctuation) for word in text.lower().split()]


known.also("unknown-skipped", words=words_without_punctuation, look_up=skipping)


@known(
    "one-unknown-for-all",
    means="One unknown word makes the whole list [<unk>]: the words that are known lose their ids.",
    hint="Whether a word is known is asked for each word by itself, inside the loop.",
    explain=in_words,
    step="look_up",
)
def unk_alone_if_any_is_unknown(words, vocabulary):
    return raising(words, vocabulary) if all(word in vocabulary for word in words) else [vocabulary[UNKNOWN]]


@known(
    "ends-at-unknown",
    means="The list ends at the first unknown word: the words after it have no ids.",
    hint="What makes your loop end there: a `break`, a `return`, or a `try` around the whole loop?",
    explain=in_words,
    step="look_up",
)
def ids_before_the_first_unknown(words, vocabulary):
    unknown = [at for at, word in enumerate(words) if word not in vocabulary]
    return raising(words[: unknown[0]] if unknown else words, vocabulary)


@known.also("ends-at-unknown", step="look_up")
def ids_up_to_the_first_unknown(words, vocabulary):
    unknown = [at for at, word in enumerate(words) if word not in vocabulary]
    return with_unknown(words[: unknown[0] + 1] if unknown else words, vocabulary)


known(
    "unknown-raises",
    means="`vocabulary[word]` raises a KeyError for a word that is not in the vocabulary.",
    hint="Such a word should get the id of <unk>. How can you ask first whether the word is there, or say what to "
    "use if it is not?",
    step="look_up",
)(raising)
known.also("unknown-raises", words=pieces_between_spaces, look_up=raising)
known.also("unknown-raises", words=words_without_punctuation, look_up=raising)

OTHER_KEYS = ("<UNK>", "[UNK]", "unk", "<unknown>", "UNK", "<Unk>", "[unk]", "unknown", "<UNKNOWN>")


def another_key(key, only_when_needed):
    """A lookup that asks for a key other than '<unk>', in any case or only for an unknown word."""

    def looked_up(words, vocabulary):
        if only_when_needed:
            return [vocabulary[word if word in vocabulary else key] for word in words]
        return [vocabulary.get(word, vocabulary[key]) for word in words]

    return looked_up


known(
    "another-key",
    means="The id for unknown words is stored under the key '<unk>', spelled exactly like this.",
    hint="Print the vocabulary, and compare its keys with yours letter by letter.",
    step="look_up",
)(another_key(OTHER_KEYS[0], only_when_needed=False))
for key in OTHER_KEYS:
    known.also("another-key", look_up=another_key(key, only_when_needed=True))
for key in OTHER_KEYS[1:]:
    known.also("another-key", look_up=another_key(key, only_when_needed=False))


known(
    "unknown-is-none",
    means="Unknown words became None: that is what get returns for a key that is not there.",
    hint="get takes a second argument, which it returns in place of None. Which id should that be?",
    explain=in_words,
    step="look_up",
)(none_for_unknown)


known(
    "unknown-is-zero",
    means="Unknown words got the id 0, whatever the id of <unk> is.",
    hint="The id of <unk> differs from one vocabulary to the next. Where do you find it?",
    explain=in_words,
    step="look_up",
)(zero_for_unknown)


@known(
    "unknown-is-minus-one",
    means="Unknown words got the id -1, which belongs to no row of a table (or to its last one).",
    hint="The vocabulary has an id for unknown words. Under which key?",
    explain=in_words,
    step="look_up",
)
def minus_one_for_unknown(words, vocabulary):
    return [vocabulary.get(word, -1) for word in words]


@known(
    "unknown-is-past-the-end",
    means="Unknown words got a number made from the size of the vocabulary, or from its largest id. That number "
    "belongs to no row, or to another word's.",
    hint="The vocabulary has an id for unknown words. Under which key?",
    explain=in_words,
    step="look_up",
)
def size_for_unknown(words, vocabulary):
    return [vocabulary.get(word, len(vocabulary)) for word in words]


@known.also("unknown-is-past-the-end", step="look_up")
def one_past_the_largest_for_unknown(words, vocabulary):
    return [vocabulary.get(word, max(vocabulary.values()) + 1) for word in words]


# A learner's code writes new ids into the vocabulary itself; a copy gives the same list.


@known(
    "new-ids",
    means="Unknown words got new ids of their own, as if they had been added to the vocabulary.",
    hint="A trained model has no row for a new id. Which id do all unknown words share?",
    explain=in_words,
    step="look_up",
)
def new_ids_by_size(words, vocabulary):
    vocabulary = dict(vocabulary)
    return [vocabulary.setdefault(word, len(vocabulary)) for word in words]


@known.also("new-ids", step="look_up")
def new_ids_past_the_largest(words, vocabulary):
    vocabulary = dict(vocabulary)
    return [vocabulary.setdefault(word, max(vocabulary.values()) + 1) for word in words]


@known(
    "unknown-is-a-word",
    means="Unknown words are in the list as words; they should be ids, too.",
    hint="'<unk>' is a word of the vocabulary. What is its id?",
    explain=in_words,
    step="look_up",
)
def unk_for_unknown(words, vocabulary):
    return [vocabulary.get(word, UNKNOWN) for word in words]


@known.also("unknown-is-a-word", step="look_up")
def unknown_words_as_they_are(words, vocabulary):
    return [vocabulary.get(word, word) for word in words]


@known(
    "zero-is-false",
    means="A word whose id is 0 was treated as unknown: to Python, 0 counts as False.",
    hint="`or` and `if id:` cannot tell an id of 0 from None. How can you ask whether the word is there?",
    explain=in_words,
    step="look_up",
)
def looked_up_with_or(words, vocabulary):
    return [vocabulary.get(word) or vocabulary[UNKNOWN] for word in words]


# ---------------------------------------------------------------- something other than an id for each word


@known(
    "words-returned",
    means="These are the words, not their ids.",
    hint="The vocabulary is a dict from words to ids: look each word up.",
    explain=in_words,
    step="look_up",
)
def words_themselves(words, vocabulary):
    return list(words)


for words in (words_as_written, pieces_between_spaces, pieces_as_written):
    known.also("words-returned", words=words, look_up=words_themselves)


@known.also("words-returned", step="look_up")
def words_with_unk(words, vocabulary):
    return [word if word in vocabulary else UNKNOWN for word in words]


@known(
    "places-not-ids",
    means="These numbers count the words of the text: they are positions, not ids.",
    hint="An id comes from the vocabulary. What does it store under each word?",
    explain=in_words,
    step="look_up",
)
def positions_of_words(words, vocabulary):
    return list(range(len(words)))


@known.also("places-not-ids", step="look_up")
def positions_from_one(words, vocabulary):
    return list(range(1, len(words) + 1))


@known(
    "places-in-the-vocabulary",
    means="Each word got its position in the vocabulary, counted from the front; its id is what the vocabulary "
    "stores under the word.",
    hint="A dict has an order, but its values are what counts. How do you look up the value of a key?",
    explain=in_words,
    step="look_up",
)
def positions_in_the_vocabulary(words, vocabulary):
    keys = list(vocabulary)
    return [keys.index(word if word in vocabulary else UNKNOWN) for word in words]


@known.also("places-in-the-vocabulary", step="look_up")
def positions_of_known_words(words, vocabulary):
    keys = list(vocabulary)
    return [keys.index(word) if word in vocabulary else vocabulary[UNKNOWN] for word in words]


@known(
    "vocabulary-walked",
    means="The ids are in the order of the vocabulary: the loop went through its words, not through those of the text.",
    hint="Go through the words of the text, one by one, and look each of them up.",
    explain=in_words,
    step="look_up",
)
def ids_of_keys_among_the_words(words, vocabulary):
    return [id for word, id in vocabulary.items() if word in words]


@known.also("vocabulary-walked")
def ids_of_keys_in_the_text(text, vocabulary):
    return [id for word, id in vocabulary.items() if word in text.lower()]


@known.also("vocabulary-walked", step="look_up")
def all_ids(words, vocabulary):
    return list(vocabulary.values())


@known(
    "one-id-per-comparison",
    means="Each word was compared with every word of the vocabulary, and each comparison added an id.",
    hint="A dict needs no inner loop: `word in vocabulary` answers at once.",
    explain=in_words,
    step="look_up",
)
def unk_for_each_other_key(words, vocabulary):
    return [id if key == word else vocabulary[UNKNOWN] for word in words for key, id in vocabulary.items()]


@known.also("one-id-per-comparison", step="look_up")
def zero_for_each_other_key(words, vocabulary):
    return [id if key == word else 0 for word in words for key, id in vocabulary.items()]


@known.also("one-id-per-comparison", step="look_up")
def all_ids_for_each_word(words, vocabulary):
    return [id for _ in words for id in vocabulary.values()]


# ---------------------------------------------------------------- the list


@known(
    "repeats-dropped",
    means="A word that appears again lost its id: sets and dicts hold each thing once.",
    hint="The list has one id for each word, in the order of the text.",
    explain=in_words_that_repeat,
    step="finish",
)
def each_id_once(ids):
    return list(dict.fromkeys(ids))


@known.also("repeats-dropped", step="finish")
def set_of_ids(ids):
    return sorted(set(ids))


@known.also("repeats-dropped", step="words")
def each_word_once(text):
    return list(dict.fromkeys(text.lower().split()))


@known(
    "sorted",
    means="The ids, or the words, were sorted: the order of the text is lost.",
    hint="Keep the order of the text. What in your code changes it?",
    explain=in_words,
    step="finish",
)
def sorted_ids(ids):
    return sorted(ids)


@known.also("sorted", step="words")
def sorted_words(text):
    return sorted(text.lower().split())


@known(
    "reversed",
    means="The ids are in reverse order.",
    hint="append adds an id at the end of a list, `insert(0, id)` at its front.",
    explain=in_words,
    step="finish",
)
def ids_backwards(ids):
    return ids[::-1]


@known(
    "punctuation-removed",
    means="Commas, parentheses or other punctuation were removed from the words.",
    hint="Here only whitespace separates words: 'cat.' with its period is a different word from 'cat'. (Real "
    "tokenizers know better, as you will see.)",
    explain=in_words,
    step="words",
)
def words_stripped_of_punctuation(text):
    return [word.strip(string.punctuation) for word in text.lower().split()]


@known.also("punctuation-removed", step="words")
def words_without_any_punctuation(text):
    return text.lower().translate(str.maketrans("", "", string.punctuation)).split()


@known.also("punctuation-removed", step="words")
def words_of_word_characters(text):
    return re.findall(r"\w+", text.lower())


@known.also("punctuation-removed", step="words")
def words_of_letters(text):
    return re.findall(r"[a-z]+", text.lower())


@known.also("punctuation-removed", step="words")
def words_and_punctuation_apart(text):
    return re.findall(r"\w+|[^\w\s]", text.lower())


@known(
    "return-in-loop",
    means="Only the first word has an id: the loop ends at its first `return`.",
    hint="`return` leaves the function at once. Collect the ids in the loop, and return after it.",
    explain=in_words,
    step="finish",
)
def first_id_in_a_list(ids):
    return ids[:1]


known.also("return-in-loop", finish=the_id_alone)
known.also("return-in-loop", look_up=unk_for_unknown, finish=first_id_in_a_list)
known.also("return-in-loop", look_up=unk_for_unknown, finish=the_id_alone)


@known(
    "last-word-only",
    means="Only the last word has an id: each round of the loop overwrites the one before.",
    hint="Make the list once, before the loop, and add to it in the loop.",
    explain=in_words,
    step="finish",
)
def last_id_in_a_list(ids):
    return ids[-1:]


@known.also("last-word-only", step="finish")
def last_id(ids):
    return ids[-1]


@known(
    "first-word-missing",
    means="The first word has no id.",
    hint="`for word in words:` visits every word, without any counting.",
    explain=in_words,
    step="finish",
)
def ids_from_the_second(ids):
    return ids[1:]


@known(
    "last-word-missing",
    means="The last word has no id: the loop ends one too early.",
    hint="`for word in words:` visits every word, without any counting.",
    explain=in_words,
    step="finish",
)
def ids_before_the_last(ids):
    return ids[:-1]


@known(
    "returns-tensor",
    means="The ids are in a tensor; a plain Python list is asked for.",
    hint="Return the list itself. You will make a tensor from it when one is needed.",
    step="finish",
)
def tensor_of_ids(ids):
    return torch.tensor(ids)


@known.also("returns-tensor", step="finish")
def tensor_of_int32(ids):
    return torch.tensor(ids, dtype=torch.int32)


@known.also("returns-tensor", step="finish")
def tensor_with_a_batch_axis(ids):
    return torch.tensor([ids])


@known.also("returns-tensor", step="finish")
def tensor_of_floats(ids):
    return torch.tensor(ids, dtype=torch.float32)


@known(
    "returns-tuple",
    means="The ids are in a tuple; a list is asked for.",
    hint="Parentheses make a tuple, square brackets a list. `list(...)` turns one into the other.",
    step="finish",
)
def tuple_of_ids(ids):
    return tuple(ids)


@known(
    "ids-as-tensors",
    means="Each id is a tensor of its own; plain Python numbers are asked for.",
    hint="The vocabulary already stores plain numbers. Which step makes tensors of them?",
    explain=in_words,
    step="finish",
)
def each_id_a_tensor(ids):
    return [torch.tensor(id) for id in ids]


@known.also("ids-as-tensors", step="finish")
def each_id_a_tensor_of_one(ids):
    return [torch.tensor([id]) for id in ids]


@known(
    "ids-as-text",
    means="Each id is a text, not a number.",
    hint="The vocabulary already stores numbers. Which step turns them into text?",
    explain=in_words,
    step="finish",
)
def each_id_a_text(ids):
    return [str(id) for id in ids]


@known.also("ids-as-text", step="finish")
def ids_joined_into_a_text(ids):
    return " ".join(str(id) for id in ids)


@known.also("ids-as-text", step="finish")
def text_of_the_list(ids):
    return str(ids)


@known(
    "nested",
    means="The ids are in a list inside the list.",
    hint="append adds one thing to a list: the id itself, or a list that holds it?",
    explain=in_words,
    step="finish",
)
def each_id_in_a_list(ids):
    return [[id] for id in ids]


@known.also("nested", step="finish")
def all_ids_in_a_list_in_a_list(ids):
    return [ids]


@known(
    "pairs",
    means="Each id came back together with its word, or its position; only the ids are asked for.",
    hint="The list holds one number for each word.",
    explain=in_words,
    step="look_up",
)
def words_and_ids(words, vocabulary):
    return list(zip(words, with_unknown(words, vocabulary), strict=True))


@known.also("pairs", step="finish")
def positions_and_ids(ids):
    return list(enumerate(ids))


@known.also("pairs", step="look_up")
def dict_from_words_to_ids(words, vocabulary):
    return dict(zip(words, with_unknown(words, vocabulary), strict=True))


@known(
    "shifted",
    means="Every id is off by one.",
    hint="Use the ids of the vocabulary as they are.",
    explain=in_words,
    step="finish",
)
def ids_plus_one(ids):
    return [id + 1 for id in ids]


@known.also("shifted", step="finish")
def ids_minus_one(ids):
    return [id - 1 for id in ids]
