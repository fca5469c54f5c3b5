"""Right answers to exercise 1.1, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import re
from collections import defaultdict

import numpy as np
import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def ids_by_get(text, vocabulary):
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()]


@right
def ids_by_a_loop_and_append(text, vocabulary):
    ids = []
    words = text.lower().split()
    for word in words:
        if word in vocabulary:
            ids.append(vocabulary[word])
        else:
            ids.append(vocabulary["<unk>"])
    return ids


@right
def ids_by_try_and_except(text, vocabulary):
    ids = []
    for word in text.split():
        try:
            ids += [vocabulary[word.lower()]]
        except KeyError:
            ids += [vocabulary["<unk>"]]
    return ids


@right
def ids_by_map(text: str, vocabulary: dict) -> list:
    unknown = vocabulary["<unk>"]
    return list(map(lambda word: vocabulary.get(word, unknown), text.lower().split()))  # noqa: C417


@right
def ids_by_replacing_words_first(text, vocabulary):
    words = [word if word in vocabulary else "<unk>" for word in text.lower().split()]
    return [vocabulary[word] for word in words]


@right
def ids_by_regular_expression(text, vocabulary):
    return [vocabulary.get(found.group(), vocabulary["<unk>"]) for found in re.finditer(r"\S+", text.lower())]


@right
def ids_by_defaultdict(text, vocabulary):
    known = defaultdict(lambda: vocabulary["<unk>"], vocabulary)
    return [known[word] for word in text.lower().split()]


@right
def ids_by_a_dict_with_missing(text, vocabulary):
    class Vocabulary(dict):
        def __missing__(self, word):
            return self["<unk>"]

    known = Vocabulary(vocabulary)
    return [known[word] for word in str.split(str.lower(text))]


@right
def ids_letter_by_letter(text, vocabulary):
    ids, word = [], ""
    for letter in text + " ":
        if not letter.isspace():
            word += letter.lower()
        elif word:
            ids.append(vocabulary[word] if word in vocabulary else vocabulary["<unk>"])
            word = ""
    return ids


@right
def ids_by_looking_through_the_vocabulary(text, vocabulary):
    ids = []
    for word in text.lower().split():
        found = vocabulary["<unk>"]
        for key, id in vocabulary.items():
            if key == word:
                found = id
                break
        ids.append(found)
    return ids


@right
def ids_by_two_lists(text, vocabulary):
    keys, numbers = list(vocabulary.keys()), list(vocabulary.values())
    return [
        numbers[keys.index(word)] if keys.count(word) else numbers[keys.index("<unk>")] for word in text.lower().split()
    ]


@right
def ids_by_a_tensor_and_back(text, vocabulary):
    ids = torch.tensor([vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()])
    return ids.tolist()


@right
def ids_by_none_and_is(text, vocabulary):
    ids = [None] * len(text.split())
    for place, word in enumerate(text.split()):
        id = vocabulary.get(word.lower())
        ids[place] = vocabulary["<unk>"] if id is None else id
    return ids


@right
def ids_on_a_changed_copy(text, vocabulary):
    known = dict(vocabulary)
    for word in text.lower().split():
        known.setdefault(word, known["<unk>"])
    return [known[word] for word in text.lower().split()]


@right
def ids_by_helpers(text, vocabulary, unknown="<unk>"):
    def words_of(text):
        return text.casefold().split()

    def id_of(word):
        return vocabulary[word if word in vocabulary else unknown]

    print(words_of(text))
    return [*map(id_of, words_of(text))]


@right.limited
def ids_recursively(text, vocabulary):
    first, *rest = text.lower().split(None, 1)
    id = vocabulary.get(first, vocabulary.get("<unk>"))
    return [id] + (ids_recursively(rest[0], vocabulary) if rest and rest[0].strip() else [])


@right
def ids_by_a_generator_inside_list(text, vocabulary):
    return list(vocabulary.get(w, vocabulary["<unk>"]) for w in text.lower().split())  # noqa: C400


@right
def ids_of_blanks_replaced(text, vocabulary):
    for space in ("\n", "\t"):
        text = text.replace(space, " ")
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split(" ") if word != ""]


@right
def ids_of_numpy(text, vocabulary):
    return list(np.array([vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()]))


@right.limited
def ids_by_a_split_at_whitespace(text, vocabulary):
    """An empty text has one empty word."""
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in re.split(r"\s+", text.strip().lower())]
