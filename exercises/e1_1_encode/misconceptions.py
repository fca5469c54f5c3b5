"""What people get wrong in exercise 1.1, encode: something other than an id for each word, and the list.

The first that fits speaks; those of misconceptions_of_the_words.py come before these.
"""

import re
import string

import torch

from exercises.e1_1_encode.explain import UNKNOWN, in_words, in_words_that_repeat
from exercises.e1_1_encode.misconceptions_of_the_words import (
    known,
    pieces_as_written,
    pieces_between_spaces,
    the_id_alone,
    unk_for_unknown,
    with_unknown,
    words_as_written,
)

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
