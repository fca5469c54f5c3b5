"""Wrong answers to the exercises, of the sort that learners write: no checker may call one of them correct.

WRONG maps an exercise to triples (answer, the mistake in words, the misconception that should be diagnosed or None).
The names follow the exercise; the words say what is wrong. Never tidy the mistakes away.
"""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math
import re

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from helpers.attention import dot_product_attention

WRONG = {}


def wrong(exercise, words, diagnosis=None):
    """Enter the decorated answer under the exercise, with its mistake in words and the diagnosis it should get."""

    def enter(answer):
        WRONG.setdefault(exercise, []).append((answer, words, diagnosis))
        return answer

    return enter


# ---- 0.1 row_means(x) ------------------------------------------------------------------------------------------------


@wrong("0.1", "the means of the columns", "column-means")
def means_of_columns(x):
    return x.mean(dim=0)


@wrong("0.1", "the means of the columns, by a loop", "column-means")
def means_of_columns_by_loop(x):
    return torch.stack([x[:, column].mean() for column in range(x.shape[1])])


@wrong("0.1", "one mean of everything", "mean-of-all")
def means_of_everything(x):
    return x.mean()


@wrong("0.1", "one mean of everything, as a Python float", "returns-wrong-type")
def means_as_a_float(x):
    return x.mean().item()


@wrong("0.1", "sums, never divided", "sum-not-mean")
def means_not_divided(x):
    return x.sum(dim=1)


@wrong("0.1", "an axis of size 1 kept", "kept-dimension")
def means_with_keepdim(x):
    return x.mean(dim=1, keepdim=True)


@wrong("0.1", "divided by the number of rows", "divided-by-rows")
def means_divided_by_rows(x):
    return x.sum(dim=1) / x.shape[0]


@wrong("0.1", "divided by len(x), the number of rows, in a loop", "divided-by-rows")
def means_divided_by_len(x):
    result = torch.zeros(len(x), dtype=x.dtype)
    for i, row in enumerate(x):
        result[i] = row.sum() / len(x)
    return result


@wrong("0.1", "divided by one too few")
def means_divided_by_one_less(x):
    return x.sum(dim=1) / (x.shape[1] - 1)


@wrong("0.1", "divided by the number of all elements")
def means_divided_by_numel(x):
    return x.sum(dim=1) / x.numel()


@wrong("0.1", "a list of numbers", "returns-wrong-type")
def means_as_a_list(x):
    return [row.mean().item() for row in x]


@wrong("0.1", "a list of tensors", "returns-wrong-type")
def means_as_a_list_of_tensors(x):
    return [row.mean() for row in x]


@wrong("0.1", "a numpy array", "returns-wrong-type")
def means_as_numpy(x):
    return x.numpy().mean(axis=1)


@wrong("0.1", "printed, not returned", "returns-none")
def means_printed(x):
    print(x.mean(dim=1))


@wrong("0.1", "return inside the loop: the first row only", "return-in-loop")
def means_of_the_first_row(x):
    for row in x:  # noqa: B007
        return row.mean()


@wrong("0.1", "the last row is left out")
def means_without_the_last_row(x):
    result = torch.zeros(x.shape[0], dtype=x.dtype)
    for i in range(x.shape[0] - 1):
        result[i] = x[i].mean()
    return result


@wrong("0.1", "the last column is left out")
def means_without_the_last_column(x):
    return x[:, :-1].mean(dim=1)


@wrong("0.1", "the total is not set back between rows")
def means_running_total(x):
    result, total = [], 0
    for row in x:
        for value in row:
            total += value
        result.append(total / len(row))
    return torch.stack(result)


@wrong("0.1", "medians", "median-not-mean")
def means_by_median(x):
    return x.median(dim=1).values


@wrong("0.1", "largest values")
def means_by_max(x):
    return x.max(dim=1).values


@wrong("0.1", "a misspelt method")
def means_misspelt(x):
    return x.maen(dim=1)


@wrong("0.1", "a variable with another name than the argument's")
def means_of_another_name(x):
    return matrix.mean(dim=1)  # noqa: F821


@wrong("0.1", "two arguments wanted")
def means_with_two_arguments(x, dim):
    return x.mean(dim=dim)


@wrong("0.1", "no arguments taken")
def means_without_arguments():
    return torch.randn(3, 5).mean(dim=1)


@wrong("0.1", "an axis that is not there")
def means_over_a_third_axis(x):
    return x.mean(dim=2)


@wrong("0.1", "the input is divided in place", "changes-input")
def means_in_place(x):
    x /= x.shape[1]
    return x.sum(dim=1)


@wrong("0.1", "rounded to whole numbers")
def means_rounded(x):
    return x.mean(dim=1).round()


@wrong("0.1", "always float32", "wrong-dtype")
def means_always_float32(x):
    result = torch.zeros(x.shape[0])
    for i in range(x.shape[0]):
        result[i] = x[i].mean()
    return result


@wrong("0.1", "always float64", "wrong-dtype")
def means_always_float64(x):
    return torch.tensor(x.tolist(), dtype=torch.float64).mean(dim=1)


@wrong("0.1", "the axes reinterpreted by view instead of transposed")
def means_by_view(x):
    return x.reshape(x.shape[1], x.shape[0]).mean(dim=0)


@wrong("0.1", "three columns, hard-coded")
def means_of_three_columns(x):
    return (x[:, 0] + x[:, 1] + x[:, 2]) / 3


@wrong("0.1", "inside a tuple", "returns-wrong-type")
def means_in_a_tuple(x):
    return (x.mean(dim=1),)


@wrong("0.1", "repeated into the shape of x", "wrong-shape")
def means_expanded(x):
    return x.mean(dim=1, keepdim=True).expand_as(x)


@wrong("0.1", "each row minus its mean", "wrong-shape")
def means_taken_away(x):
    return x - x.mean(dim=1, keepdim=True)


@wrong("0.1", "0/0: NaN")
def means_nan(x):
    return x.sum(dim=1) * 0 / 0


@wrong("0.1", "an endless loop", "never-ends")
def means_endless(x):
    row, result = 0, torch.zeros(x.shape[0], dtype=x.dtype)
    while row < x.shape[0]:
        result[row] = x[row].mean()
    return result


@wrong("0.1", "seven columns, read off the checker's messages")
def means_divided_by_seven(x):
    return x.sum(dim=1) / 7


# ---- 1.1 encode(text, vocabulary) ------------------------------------------------------------------------------------


@wrong("1.1", "the lower-cased text is thrown away", "not-lower-cased")
def ids_with_capitals(text, vocabulary):
    text.lower()
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in text.split()]


@wrong("1.1", "the vocabulary is lower-cased, not the text", "not-lower-cased")
def ids_with_a_lower_cased_vocabulary(text, vocabulary):
    known = {word.lower(): id for word, id in vocabulary.items()}
    return [known.get(word, known["<unk>"]) for word in text.split()]


@wrong("1.1", "only the first letter is lower-cased", "not-lower-cased")
def ids_with_the_first_letter_lowered(text, vocabulary):
    text = text[0].lower() + text[1:]
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in text.split()]


@wrong("1.1", "no lower(), and a KeyError", "not-lower-cased")
def ids_with_capitals_and_brackets(text, vocabulary):
    ids = []
    for word in text.split():
        ids.append(vocabulary[word])
    return ids


@wrong("1.1", "upper-cased", "everything-unknown")
def ids_of_upper_case(text, vocabulary):
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in text.upper().split()]


@wrong("1.1", "the places are looked up, not the words", "everything-unknown")
def ids_of_places_looked_up(text, vocabulary):
    return [vocabulary.get(i, vocabulary["<unk>"]) for i in range(len(text.split()))]


@wrong("1.1", "the dict is turned around: ids are its keys", "everything-unknown")
def ids_from_the_way_back(text, vocabulary):
    words = {id: word for word, id in vocabulary.items()}
    return [words.get(word, vocabulary["<unk>"]) for word in text.lower().split()]


@wrong("1.1", "split at single blanks", "split-at-blanks")
def ids_split_at_blanks(text, vocabulary):
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split(" ")]


@wrong("1.1", "split at single blanks, empty words left out", "split-at-blanks")
def ids_split_at_blanks_without_empty_words(text, vocabulary):
    return [vocabulary.get(w, vocabulary["<unk>"]) for w in text.lower().split(" ") if len(w) > 0]


@wrong("1.1", "split with a regular expression that leaves empty words", "empty-words")
def ids_with_empty_words(text, vocabulary):
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in re.split(r"\s+", text.lower())]


@wrong("1.1", "never split", "not-split")
def ids_of_the_whole_text(text, vocabulary):
    return [vocabulary.get(text.lower(), vocabulary["<unk>"])]


@wrong("1.1", "one id for the whole text, not in a list", "not-split")
def ids_of_the_whole_text_bare(text, vocabulary):
    return vocabulary.get(text.lower(), vocabulary["<unk>"])


@wrong("1.1", "letter by letter", "letters")
def ids_of_letters(text, vocabulary):
    return [vocabulary.get(letter, vocabulary["<unk>"]) for letter in text.lower()]


@wrong("1.1", "letter by letter, KeyError", "letters")
def ids_of_letters_with_brackets(text, vocabulary):
    ids = []
    for word in text.lower():
        ids.append(vocabulary[word])
    return ids


@wrong("1.1", "unknown words left out", "unknown-skipped")
def ids_of_known_words(text, vocabulary):
    return [vocabulary[word] for word in text.lower().split() if word in vocabulary]


@wrong("1.1", "unknown words left out, by comparing with each key", "unknown-skipped")
def ids_of_known_words_by_two_loops(text, vocabulary):
    ids = []
    for word in text.lower().split():
        for key in vocabulary:
            if key == word:
                ids.append(vocabulary[key])
    return ids


@wrong("1.1", "KeyError for an unknown word", "unknown-raises")
def ids_by_brackets(text, vocabulary):
    words = text.lower().split()
    return [vocabulary[w] for w in words]


@wrong("1.1", "another key for unknown words", "another-key")
def ids_with_another_key(text, vocabulary):
    return [vocabulary.get(word, vocabulary["<UNK>"]) for word in text.lower().split()]


@wrong("1.1", "another key, asked for only where it is needed", "another-key")
def ids_with_another_key_at_need(text, vocabulary):
    return [vocabulary[word] if word in vocabulary else vocabulary["[UNK]"] for word in text.lower().split()]


@wrong("1.1", "get without a second argument", "unknown-is-none")
def ids_by_get_alone(text, vocabulary):
    return [vocabulary.get(word) for word in text.lower().split()]


@wrong("1.1", "get of another key: None", "unknown-is-none")
def ids_by_get_of_another_key(text, vocabulary):
    return [vocabulary.get(word, vocabulary.get("<UNK>")) for word in text.lower().split()]


@wrong("1.1", "0 for unknown words", "unknown-is-zero")
def ids_with_zero(text, vocabulary):
    return [vocabulary.get(word, 0) for word in text.lower().split()]


@wrong("1.1", "-1 for unknown words", "unknown-is-minus-one")
def ids_with_minus_one(text, vocabulary):
    return [vocabulary[word] if word in vocabulary.keys() else -1 for word in text.lower().split()]  # noqa: SIM118


@wrong("1.1", "the size of the vocabulary for unknown words", "unknown-is-past-the-end")
def ids_with_the_size(text, vocabulary):
    return [vocabulary.get(word, len(vocabulary)) for word in text.lower().split()]


@wrong("1.1", "1 for unknown words", "wrong-id-for-unknown")
def ids_with_one(text, vocabulary):
    return [vocabulary.get(word, 1) for word in text.lower().split()]


@wrong("1.1", "the vocabulary grows", "new-ids")
def ids_that_grow(text, vocabulary):
    ids = []
    for word in text.lower().split():
        if word not in vocabulary:
            vocabulary[word] = len(vocabulary)
        ids.append(vocabulary[word])
    return ids


@wrong("1.1", "new ids in a copy", "new-ids")
def ids_that_grow_in_a_copy(text, vocabulary):
    known = vocabulary.copy()
    return [known.setdefault(word, len(known)) for word in text.lower().split()]


@wrong("1.1", "right ids, but they are written into the vocabulary", "changes-input")
def ids_written_into_the_vocabulary(text, vocabulary):
    return [vocabulary.setdefault(word, vocabulary["<unk>"]) for word in text.lower().split()]


@wrong("1.1", "<unk> is taken out of the vocabulary", "changes-input")
def ids_with_unk_taken_out(text, vocabulary):
    unknown = vocabulary.pop("<unk>")
    return [vocabulary.get(word, unknown) for word in text.lower().split()]


@wrong("1.1", "the word <unk> instead of its id", "unknown-is-a-word")
def ids_with_the_word_unk(text, vocabulary):
    return [vocabulary.get(word, "<unk>") for word in text.lower().split()]


@wrong("1.1", "unknown words stay as they are", "unknown-is-a-word")
def ids_and_words(text, vocabulary):
    return [vocabulary[word] if word in vocabulary else word for word in text.lower().split()]  # noqa: SIM401


@wrong("1.1", "an id of 0 is taken for missing", "zero-is-false")
def ids_by_or(text, vocabulary):
    return [vocabulary.get(word) or vocabulary["<unk>"] for word in text.lower().split()]


@wrong("1.1", "an id of 0 is taken for missing, by if", "zero-is-false")
def ids_by_if(text, vocabulary):
    ids = []
    for word in text.lower().split():
        id = vocabulary.get(word)
        ids.append(id if id else vocabulary["<unk>"])
    return ids


@wrong("1.1", "the words", "words-returned")
def ids_as_words(text, vocabulary):
    return text.lower().split()


@wrong("1.1", "the words, unknown ones replaced", "words-returned")
def ids_as_words_replaced(text, vocabulary):
    return [word if word in vocabulary else "<unk>" for word in text.lower().split()]


@wrong("1.1", "places", "places-not-ids")
def ids_as_places(text, vocabulary):
    return [i for i, word in enumerate(text.lower().split())]


@wrong("1.1", "places in the vocabulary", "places-in-the-vocabulary")
def ids_as_places_in_the_vocabulary(text, vocabulary):
    words = list(vocabulary)
    return [words.index(w) if w in words else words.index("<unk>") for w in text.lower().split()]


@wrong("1.1", "the loop goes through the vocabulary", "vocabulary-walked")
def ids_in_the_order_of_the_vocabulary(text, vocabulary):
    ids = []
    for word in vocabulary:
        if word in text.lower():
            ids.append(vocabulary[word])
    return ids


@wrong("1.1", "an id for each comparison", "one-id-per-comparison")
def ids_for_each_comparison(text, vocabulary):
    ids = []
    for word in text.lower().split():
        for key, id in vocabulary.items():
            if word == key:
                ids.append(id)
            else:
                ids.append(vocabulary["<unk>"])
    return ids


@wrong("1.1", "no word twice", "repeats-dropped")
def ids_without_repeats(text, vocabulary):
    ids = []
    for word in text.lower().split():
        id = vocabulary.get(word, vocabulary["<unk>"])
        if id not in ids:
            ids.append(id)
    return ids


@wrong("1.1", "a set of the words: no order, no repeats", "not-one-id-per-word")
def ids_of_a_set(text, vocabulary):
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in sorted(set(text.lower().split()))]


@wrong("1.1", "sorted", "sorted")
def ids_sorted(text, vocabulary):
    return sorted(vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split())


@wrong("1.1", "in reverse order", "reversed")
def ids_in_reverse_order(text, vocabulary):
    ids = []
    for word in text.lower().split():
        ids.insert(0, vocabulary.get(word, vocabulary["<unk>"]))
    return ids


@wrong("1.1", "punctuation stripped", "punctuation-removed")
def ids_without_punctuation(text, vocabulary):
    return [vocabulary.get(w.strip(".,!?()"), vocabulary["<unk>"]) for w in text.lower().split()]


@wrong("1.1", "exclamation marks taken off", "punctuation-removed")
def ids_without_exclamation_marks(text, vocabulary):
    return [vocabulary.get(w, vocabulary["<unk>"]) for w in text.lower().replace("!", "").split()]


@wrong("1.1", "words of letters only, by regular expression", "punctuation-removed")
def ids_by_word_characters(text, vocabulary):
    return [vocabulary.get(w, vocabulary["<unk>"]) for w in re.findall(r"\w+", text.lower())]


@wrong("1.1", "return in the loop: one number", "return-in-loop")
def ids_of_the_first_word(text, vocabulary):
    for word in text.lower().split():
        return vocabulary.get(word, vocabulary["<unk>"])


@wrong("1.1", "return in the loop: a list of one", "return-in-loop")
def ids_of_the_first_word_in_a_list(text, vocabulary):
    ids = []
    for word in text.lower().split():
        ids.append(vocabulary.get(word, vocabulary["<unk>"]))
        return ids


@wrong("1.1", "the list is made anew in each round", "last-word-only")
def ids_of_the_last_word(text, vocabulary):
    for word in text.lower().split():
        ids = []
        ids.append(vocabulary.get(word, vocabulary["<unk>"]))
    return ids


@wrong("1.1", "a loop that ends one too early", "last-word-missing")
def ids_without_the_last_word(text, vocabulary):
    words = text.lower().split()
    return [vocabulary.get(words[i], vocabulary["<unk>"]) for i in range(len(words) - 1)]


@wrong("1.1", "a tensor", "returns-tensor")
def ids_as_a_tensor(text, vocabulary):
    return torch.tensor([vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()])


@wrong("1.1", "a tensor of other ids", "returns-wrong-type")
def ids_as_a_wrong_tensor(text, vocabulary):
    return torch.tensor([vocabulary.get(word, 2) for word in text.lower().split()])


@wrong("1.1", "a numpy array", "returns-wrong-type")
def ids_as_an_array(text, vocabulary):
    return np.array([vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()])


@wrong("1.1", "a tuple", "returns-tuple")
def ids_as_a_tuple(text, vocabulary):
    return tuple(vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split())


@wrong("1.1", "round brackets: a generator", "returns-wrong-type")
def ids_as_a_generator(text, vocabulary):
    return (vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split())


@wrong("1.1", "map without list", "returns-wrong-type")
def ids_as_a_map(text, vocabulary):
    return map(vocabulary.get, text.lower().split())


@wrong("1.1", "a set", "returns-wrong-type")
def ids_as_a_set(text, vocabulary):
    return {vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()}


@wrong("1.1", "a list of tensors", "ids-as-tensors")
def ids_as_tensors(text, vocabulary):
    return list(torch.tensor([vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()]))


@wrong("1.1", "floats", "not-whole-numbers")
def ids_as_floats(text, vocabulary):
    return [float(vocabulary.get(word, vocabulary["<unk>"])) for word in text.lower().split()]


@wrong("1.1", "texts of digits", "ids-as-text")
def ids_as_text(text, vocabulary):
    return [str(vocabulary.get(word, vocabulary["<unk>"])) for word in text.lower().split()]


@wrong("1.1", "a list in each place", "nested")
def ids_nested(text, vocabulary):
    ids = []
    for word in text.lower().split():
        ids.append([vocabulary.get(word, vocabulary["<unk>"])])
    return ids


@wrong("1.1", "a dict from words to ids", "pairs")
def ids_in_a_dict(text, vocabulary):
    return {word: vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()}


@wrong("1.1", "counted from 1", "shifted")
def ids_from_one(text, vocabulary):
    return [vocabulary.get(word, vocabulary["<unk>"]) + 1 for word in text.lower().split()]


@wrong("1.1", "append's own result", "returns-none")
def ids_by_returning_append(text, vocabulary):
    ids = []
    for word in text.lower().split():
        last = ids.append(vocabulary.get(word, vocabulary["<unk>"]))
    return last


@wrong("1.1", "printed", "returns-none")
def ids_printed(text, vocabulary):
    print([vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()])


@wrong("1.1", "a list without lower")
def ids_by_lowering_a_list(text, vocabulary):
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in text.split().lower()]


@wrong("1.1", "the method without brackets")
def ids_without_brackets(text, vocabulary):
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower.split()]


@wrong("1.1", "the dict is called")
def ids_by_calling(text, vocabulary):
    return [vocabulary(word) for word in text.lower().split()]


@wrong("1.1", "all words are looked up at once")
def ids_of_all_words_at_once(text, vocabulary):
    return vocabulary[text.lower().split()]


@wrong("1.1", "dict.index")
def ids_by_dict_index(text, vocabulary):
    return [vocabulary.index(word) for word in text.lower().split()]


@wrong("1.1", "an empty list", "not-one-id-per-word")
def ids_empty(text, vocabulary):
    ids = []
    for word in text.lower().split():
        ids + [vocabulary.get(word, vocabulary["<unk>"])]  # noqa: B018
    return ids


@wrong("1.1", "a default argument that remembers", "remembers")
def ids_remembered(text, vocabulary, ids=[]):  # noqa: B006
    for word in text.lower().split():
        ids.append(vocabulary.get(word, vocabulary["<unk>"]))
    return ids


@wrong("1.1", "plurals cut", "wrong-id-for-unknown")
def ids_of_singulars(text, vocabulary):
    return [vocabulary.get(word.rstrip("s"), vocabulary["<unk>"]) for word in text.lower().split()]


@wrong("1.1", "words of one letter are left out", "not-one-id-per-word")
def ids_without_short_words(text, vocabulary):
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split() if len(word) > 1]


@wrong("1.1", "unknown words get the id of the word before", "wrong-id-for-unknown")
def ids_of_the_word_before(text, vocabulary):
    ids, last = [], vocabulary["<unk>"]
    for word in text.lower().split():
        last = vocabulary.get(word, last)
        ids.append(last)
    return ids


@wrong("1.1", "ids turned round: the largest is 0", "wrong-id-for-unknown")
def ids_turned_round(text, vocabulary):
    most = max(vocabulary.values())
    return [most - vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()]


@wrong("1.1", "one id for each key: i or 0", "one-id-per-comparison")
def ids_for_each_key(text, vocabulary):
    ids = []
    for word in text.lower().split():
        for key, i in vocabulary.items():
            if key == word:
                ids.append(i)
            else:
                ids.append(0)
    return ids


@wrong("1.1", "the number of each key for each word", "not-one-id-per-word")
def ids_counted_by_key(text, vocabulary):
    ids = []
    for _ in text.lower().split():
        for i in range(len(vocabulary)):
            ids.append(i)
    return ids


@wrong("1.1", "one <unk> after the loop", "not-one-id-per-word")
def ids_with_one_unknown_at_the_end(text, vocabulary):
    ids = []
    for word in text.lower().split():
        if word in vocabulary:
            ids.append(vocabulary[word])
    ids.append(vocabulary["<unk>"])
    return ids


@wrong("1.1", "unknown words are skipped in a loop over the keys", "unknown-skipped")
def ids_of_equal_keys(text, vocabulary):
    ids = []
    for word in text.lower().split():
        for key in vocabulary:
            if key == word:
                ids.append(vocabulary[key])
    return ids


@wrong("1.1", "return in the loop, and the word <unk> for its id", "return-in-loop")
def ids_returned_in_the_loop_with_unk(text, vocabulary):
    ids = []
    for word in text.lower().split():
        ids.append(vocabulary.get(word, "<unk>"))
        return ids


_ALL_IDS = []


@wrong("1.1", "a list outside the function that remembers", "remembers")
def ids_in_a_list_outside(text, vocabulary):
    for word in text.lower().split():
        _ALL_IDS.append(vocabulary.get(word, vocabulary["<unk>"]))
    return _ALL_IDS


COLLECTED_IDS = []


@wrong("1.1", "one list for all calls, cleared and filled again", "shared-result")
def encoded_into_one_list_for_all(text, vocabulary):
    COLLECTED_IDS.clear()
    for word in text.lower().split():
        COLLECTED_IDS.append(vocabulary.get(word, vocabulary["<unk>"]))
    return COLLECTED_IDS


# ---- 1.2 embed(ids, table) -------------------------------------------------------------------------------------------


@wrong("1.2", "columns", "columns")
def rows_of_columns(ids, table):
    return table[:, ids]


@wrong("1.2", "rows of the transpose: columns", "columns")
def rows_of_the_transpose(ids, table):
    return table.t()[ids]


@wrong("1.2", "the ids as amounts", "ids-multiplied")
def rows_by_multiplying(ids, table):
    return ids.float() @ table


@wrong("1.2", "the ids as amounts, in whole numbers", "ids-multiplied")
def rows_by_matmul(ids, table):
    return torch.matmul(ids, table)


@wrong("1.2", "one_hot without a number of classes", "one-hot-too-narrow")
def rows_by_narrow_one_hot(ids, table):
    return F.one_hot(ids).to(table.dtype) @ table


@wrong("1.2", "one_hot with as many classes as columns", "one-hot-of-columns")
def rows_by_one_hot_of_columns(ids, table):
    V, C = table.shape
    return F.one_hot(ids, C).to(table.dtype) @ table


@wrong("1.2", "one_hot of whole numbers", "one-hot-dtype")
def rows_by_one_hot_of_ints(ids, table):
    return F.one_hot(ids, table.size(0)) @ table


@wrong("1.2", "one_hot always float32", "one-hot-dtype")
def rows_by_one_hot_of_float32(ids, table):
    return F.one_hot(ids, table.size(0)).float() @ table


@wrong("1.2", "the one-hot rows themselves", "one-hot-returned")
def rows_as_one_hot(ids, table):
    return F.one_hot(ids, len(table)).to(table.dtype)


@wrong("1.2", "ids counted from 1", "off-by-one")
def rows_from_one(ids, table):
    return table[ids - 1]


@wrong("1.2", "one row further", "off-by-one")
def rows_one_further(ids, table):
    return table[ids + 1]


@wrong("1.2", "return in the loop", "first-id-only")
def rows_of_the_first_id(ids, table):
    for id in ids.flatten():
        return table[id]


@wrong("1.2", "only the first id", "first-id-only")
def rows_of_id_zero(ids, table):
    return table[ids[0]]


@wrong("1.2", "each round overwrites the one before", "last-id-only")
def rows_of_the_last_id(ids, table):
    for id in ids.flatten():
        out = table[id]
    return out


@wrong("1.2", "the first rows, whatever the ids", "rows-in-order")
def rows_in_order(ids, table):
    return table[:len(ids)]


@wrong("1.2", "places instead of ids", "rows-in-order")
def rows_of_places(ids, table):
    return torch.stack([table[i] for i, id in enumerate(ids.flatten())]).view(*ids.shape, -1)


@wrong("1.2", "the whole table", "whole-table")
def rows_all(ids, table):
    return table


@wrong("1.2", "added up", "summed")
def rows_summed(ids, table):
    return table[ids].sum(dim=-2)


@wrong("1.2", "averaged: a bag of words", "averaged")
def rows_averaged(ids, table):
    return table[ids].mean(dim=-2)


@wrong("1.2", "rows summed to one number", "row-reduced")
def rows_as_one_number(ids, table):
    return table[ids].sum(-1)


@wrong("1.2", "scaled as in the paper", "scaled")
def rows_scaled(ids, table):
    return table[ids] * math.sqrt(table.shape[1])


@wrong("1.2", "brought to length 1", "scaled")
def rows_of_length_one(ids, table):
    return F.normalize(table[ids], dim=-1)


@wrong("1.2", "flattened", "flattened")
def rows_flattened(ids, table):
    return table[ids.view(-1)]


@wrong("1.2", "joined by cat", "one-long-vector")
def rows_joined(ids, table):
    return torch.cat([table[id] for id in ids])


@wrong("1.2", "F.embedding with its arguments swapped", "swapped-arguments")
def rows_by_swapped_embedding(ids, table):
    return F.embedding(table, ids)


@wrong("1.2", "the table as an index", "swapped-arguments")
def rows_by_swapped_index(ids, table):
    return ids[table]


@wrong("1.2", "a new layer with random numbers", "a-new-table")
def rows_of_a_new_layer(ids, table):
    V, C = table.shape
    layer = nn.Embedding(V, C)
    return layer(ids)


@wrong("1.2", "transposed", "transposed")
def rows_transposed(ids, table):
    return table[ids].transpose(-2, -1)


@wrong("1.2", "no single id", "no-single-id")
def rows_stacked(ids, table):
    return torch.stack([table[id] for id in ids])


@wrong("1.2", "one axis only: index_select", "fixed-axes")
def rows_by_index_select_of_a_batch(ids, table):
    return torch.index_select(table, 0, ids)


@wrong("1.2", "one axis only: item()", "fixed-axes")
def rows_by_item(ids, table):
    return torch.stack([table[id.item()] for id in ids])


@wrong("1.2", "two axes only", "fixed-axes")
def rows_of_two_axes(ids, table):
    B, T = ids.shape
    return table[ids.reshape(B * T)].reshape(B, T, -1)


@wrong("1.2", "single numbers", "single-numbers")
def rows_by_take(ids, table):
    return torch.take(table, ids)


@wrong("1.2", "no id twice", "repeats-dropped")
def rows_of_unique_ids(ids, table):
    return table[torch.unique(ids)]


@wrong("1.2", "the ids", "ids-returned")
def rows_as_ids(ids, table):
    return ids


@wrong("1.2", "detached", "no-gradients")
def rows_detached(ids, table):
    return table[ids].detach()


@wrong("1.2", "by Python numbers", "no-gradients")
def rows_by_lists(ids, table):
    return torch.tensor([table[id].tolist() for id in ids.flatten()], dtype=table.dtype).reshape(*ids.shape, -1)


@wrong("1.2", "through data", "no-gradients")
def rows_by_data(ids, table):
    return table.data[ids]


@wrong("1.2", "without gradients", "no-gradients")
def rows_under_no_grad(ids, table):
    with torch.no_grad():
        return table[ids]


@wrong("1.2", "a layer made from the table: its parameter is another", "no-gradients")
def rows_of_a_frozen_layer(ids, table):
    return nn.Embedding.from_pretrained(table)(ids)


@wrong("1.2", "a new parameter", "no-gradients")
def rows_of_a_new_parameter(ids, table):
    return nn.Parameter(table)[ids]


@wrong("1.2", "numpy: it refuses a table that needs gradients")
def rows_by_numpy(ids, table):
    return torch.from_numpy(table.numpy()[ids.numpy()])


@wrong("1.2", "half of the gradient", "wrong-gradients")
def rows_with_half_a_gradient(ids, table):
    return table[ids] / 2 + table[ids].detach() / 2


@wrong("1.2", "row 0 never learns", "wrong-gradients")
def rows_with_padding(ids, table):
    return F.embedding(ids, table, padding_idx=0)


@wrong("1.2", "a numpy array", "returns-wrong-type")
def rows_as_numpy(ids, table):
    return table.detach().numpy()[ids.numpy()]


@wrong("1.2", "a list of rows", "returns-wrong-type")
def rows_as_a_list(ids, table):
    return [table[id] for id in ids.flatten()]


@wrong("1.2", "float32 always", "wrong-dtype")
def rows_in_float32(ids, table):
    return table[ids].float()


@wrong("1.2", "the table is called")
def rows_by_calling(ids, table):
    return table(ids)


@wrong("1.2", "float ids")
def rows_of_float_ids(ids, table):
    return table[ids.float()]


@wrong("1.2", "rounded", "no-row-of-the-table")
def rows_rounded(ids, table):
    return (table[ids] * 10).round() / 10


@wrong("1.2", "rows in reverse order", "another-row")
def rows_from_below(ids, table):
    return table[len(table) - 1 - ids]


@wrong("1.2", "the ids are moved in place", "changes-input")
def rows_with_changed_ids(ids, table):
    ids += 1
    return table[ids - 1]


@wrong("1.2", "printed", "returns-none")
def rows_printed(ids, table):
    print(table[ids])


@wrong("1.2", "bare one-hot rows: too few columns, and whole numbers", "one-hot-bare")
def looked_up_by_bare_one_hot(ids, table):
    return F.one_hot(ids) @ table


@wrong("1.2", "one-hot rows of whole numbers", "one-hot-dtype")
def looked_up_by_whole_one_hot(ids, table):
    return F.one_hot(ids, len(table)) @ table


@wrong("1.2", "a new nn.Embedding, by its sizes", "a-new-table")
def looked_up_in_a_new_embedding(ids, table):
    return nn.Embedding(table.size(0), table.size(1))(ids)


# ---- 1.3 sinusoidal_positions(length, d_model) -----------------------------------------------------------------------


def _angles(length, d_model, base=10000.0):
    return torch.arange(length)[:, None] / base ** (torch.arange(0, d_model, 2) / d_model)


def _in_turn(angles):
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


@wrong("1.3", "sines left, cosines right", "halves")
def waves_in_halves(length, d_model):
    angles = _angles(length, d_model)
    return torch.cat([torch.sin(angles), torch.cos(angles)], dim=1)


@wrong("1.3", "cosines left, sines right", "halves-swapped")
def waves_in_swapped_halves(length, d_model):
    angles = _angles(length, d_model)
    return torch.cat([torch.cos(angles), torch.sin(angles)], dim=-1)


@wrong("1.3", "cosine first", "swapped")
def waves_swapped(length, d_model):
    pe = torch.zeros(length, d_model)
    pe[:, 0::2] = torch.cos(_angles(length, d_model))
    pe[:, 1::2] = torch.sin(_angles(length, d_model))
    return pe


@wrong("1.3", "stacked in front, then reshaped", "stacked-wrongly")
def waves_stacked_in_front(length, d_model):
    angles = _angles(length, d_model)
    return torch.stack([angles.sin(), angles.cos()]).reshape(length, d_model)


@wrong("1.3", "stacked between, then reshaped: halves", "halves")
def waves_stacked_between(length, d_model):
    angles = _angles(length, d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=1).reshape(length, d_model)


@wrong("1.3", "the pair's number instead of twice it", "exponent-half")
def waves_of_half_exponent(length, d_model):
    i = torch.arange(d_model // 2)
    return _in_turn(torch.arange(length)[:, None] / 10000 ** (i / d_model))


@wrong("1.3", "a base of 100", "exponent-half")
def waves_of_base_100(length, d_model):
    return _in_turn(_angles(length, d_model, 100.0))


@wrong("1.3", "2i with i the column", "exponent-doubled")
def waves_of_doubled_exponent(length, d_model):
    pe = torch.zeros(length, d_model)
    for p in range(length):
        for i in range(0, d_model, 2):
            pe[p, i] = math.sin(p / 10000 ** (2 * i / d_model))
            pe[p, i + 1] = math.cos(p / 10000 ** (2 * i / d_model))
    return pe


@wrong("1.3", "the well-known slip: i + 1 in the cosine", "own-frequency")
def waves_of_a_blog(length, d_model):
    pe = torch.zeros(length, d_model)
    for pos in range(length):
        for i in range(0, d_model, 2):
            pe[pos, i] = math.sin(pos / (10000 ** ((2 * i) / d_model)))
            pe[pos, i + 1] = math.cos(pos / (10000 ** ((2 * (i + 1)) / d_model)))
    return pe


@wrong("1.3", "every column its own frequency", "own-frequency")
def waves_of_their_own(length, d_model):
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(d_model) / d_model)
    angles[:, 0::2], angles[:, 1::2] = angles[:, 0::2].sin(), angles[:, 1::2].cos()
    return angles


@wrong("1.3", "multiplied instead of divided", "multiplied")
def waves_multiplied(length, d_model):
    return _in_turn(torch.arange(length)[:, None] * 10000 ** (torch.arange(0, d_model, 2) / d_model))


@wrong("1.3", "no minus in exp", "multiplied")
def waves_without_minus(length, d_model):
    factor = torch.exp(torch.arange(0, d_model, 2) * (math.log(10000.0) / d_model))
    return _in_turn(torch.arange(length).unsqueeze(1) * factor)


@wrong("1.3", "base 1000", "other-base")
def waves_of_base_1000(length, d_model):
    return _in_turn(_angles(length, d_model, 1000.0))


@wrong("1.3", "log10 instead of log", "other-base")
def waves_of_log10(length, d_model):
    factor = torch.exp(torch.arange(0, d_model, 2) * (-math.log10(10000.0) / d_model))
    return _in_turn(torch.arange(length)[:, None] * factor)


@wrong("1.3", "exp without the logarithm of the base", "other-base")
def waves_of_base_e(length, d_model):
    return _in_turn(torch.arange(length)[:, None] * torch.exp(-torch.arange(0, d_model, 2) / d_model))


@wrong("1.3", "base 500: not among the known ones", "wrong-frequency")
def waves_of_base_500(length, d_model):
    return _in_turn(_angles(length, d_model, 500.0))


@wrong("1.3", "from position 1", "from-one")
def waves_from_one(length, d_model):
    return _in_turn(torch.arange(1, length + 1)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model))


@wrong("1.3", "transposed", "transposed")
def waves_transposed(length, d_model):
    return _in_turn(_angles(length, d_model)).T


@wrong("1.3", "sines alone", "sine-alone")
def waves_of_sines(length, d_model):
    return torch.sin(torch.arange(length)[:, None] / 10000 ** (torch.arange(d_model) // 2 * 2 / d_model))


@wrong("1.3", "sines alone, half as wide", "sine-alone")
def waves_of_sines_half(length, d_model):
    return _angles(length, d_model).sin()


@wrong("1.3", "cosines alone", "cosine-alone")
def waves_of_cosines(length, d_model):
    return torch.cos(torch.arange(length)[:, None] / 10000 ** (torch.arange(d_model) // 2 * 2 / d_model))


@wrong("1.3", "the cosines are forgotten", "half-empty")
def waves_without_cosines(length, d_model):
    pe = torch.zeros(length, d_model)
    pe[:, 0::2] = _angles(length, d_model).sin()
    return pe


@wrong("1.3", "the cosines overwrite the sines", "half-empty")
def waves_overwritten(length, d_model):
    pe = torch.zeros(length, d_model)
    pe[:, 0::2] = _angles(length, d_model).sin()
    pe[:, 0::2] = _angles(length, d_model).cos()
    return pe


@wrong("1.3", "nothing written", "zeros")
def waves_of_zeros(length, d_model):
    return torch.zeros(length, d_model)


@wrong("1.3", "the angles", "angles-returned")
def waves_as_angles(length, d_model):
    return _angles(length, d_model)


@wrong("1.3", "degrees", "degrees")
def waves_in_degrees(length, d_model):
    return _in_turn(_angles(length, d_model) * math.pi / 180)


@wrong("1.3", "two pi", "full-turns")
def waves_of_full_turns(length, d_model):
    return _in_turn(2 * math.pi * _angles(length, d_model))


@wrong("1.3", "no position", "no-position")
def waves_without_position(length, d_model):
    angles = 1 / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return _in_turn(angles).repeat(length, 1)


@wrong("1.3", "the slowest first", "reversed")
def waves_reversed(length, d_model):
    return _in_turn(_angles(length, d_model).flip(1))


@wrong("1.3", "i // d_model is 0", "one-frequency")
def waves_of_one_frequency(length, d_model):
    return _in_turn(torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) // d_model))


@wrong("1.3", "integer division of the positions", "whole-numbers")
def waves_of_whole_angles(length, d_model):
    return _in_turn(torch.arange(length)[:, None] // 10000 ** (torch.arange(0, d_model, 2) / d_model))


@wrong("1.3", "divided by length", "divided-by-length")
def waves_divided_by_length(length, d_model):
    return _in_turn(torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / length))


@wrong("1.3", "the exponent is not divided", "not-divided-by-width")
def waves_of_whole_exponents(length, d_model):
    return _in_turn(torch.arange(length)[:, None] / 10000.0 ** torch.arange(0, d_model, 2))


@wrong("1.3", "the exponent reaches 1", "exponent-to-the-end")
def waves_to_the_end(length, d_model):
    return _in_turn(torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / (d_model - 1)))


@wrong("1.3", "divided outside of the sine", "divided-outside")
def waves_divided_outside(length, d_model):
    slow = 10000 ** (torch.arange(0, d_model, 2) / d_model)
    p = torch.arange(length)[:, None]
    return torch.stack([p.sin() / slow, p.cos() / slow], dim=-1).flatten(-2)


@wrong("1.3", "positions between 0 and 1", "shrunk-positions")
def waves_of_shrunk_positions(length, d_model):
    return _in_turn(_angles(length, d_model) / length)


@wrong("1.3", "float64", "float64")
def waves_in_float64(length, d_model):
    p = torch.arange(length, dtype=torch.float64)[:, None]
    return _in_turn(p / 10000 ** (torch.arange(0, d_model, 2) / d_model))


@wrong("1.3", "float64 and a wrong base", "wrong-dtype")
def waves_in_float64_of_base_500(length, d_model):
    return _in_turn(_angles(length, d_model, 500.0)).double()


@wrong("1.3", "a numpy array", "returns-wrong-type")
def waves_as_numpy(length, d_model):
    return _in_turn(_angles(length, d_model)).numpy()


@wrong("1.3", "nested lists", "returns-wrong-type")
def waves_as_lists(length, d_model):
    return [[math.sin(p / 10000 ** (i / d_model)) for i in range(d_model)] for p in range(length)]


@wrong("1.3", "a table of whole numbers", "table-of-whole-numbers")
def waves_in_whole_numbers(length, d_model):
    pe = torch.zeros(length, d_model, dtype=torch.long)
    pe[:, 0::2] = _angles(length, d_model).sin().long()
    pe[:, 1::2] = _angles(length, d_model).cos().long()
    return pe


@wrong("1.3", "a batch axis, as in the tutorial", "extra-axis")
def waves_with_a_batch_axis(length, d_model):
    return _in_turn(_angles(length, d_model)).unsqueeze(0)


@wrong("1.3", "never joined", "pairs-apart")
def waves_never_joined(length, d_model):
    angles = _angles(length, d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1)


@wrong("1.3", "one row short", "one-row-short")
def waves_one_row_short(length, d_model):
    return _in_turn(_angles(length - 1, d_model))


@wrong("1.3", "random numbers", "not-repeatable")
def waves_at_random(length, d_model):
    return torch.randn(length, d_model)


@wrong("1.3", "random numbers between 0 and 1", "not-repeatable")
def waves_at_random_between_0_and_1(length, d_model):
    return torch.rand(length, d_model)


@wrong("1.3", "math.sin of a tensor")
def waves_by_math(length, d_model):
    return math.sin(_angles(length, d_model))


@wrong("1.3", "both halves written into too few columns", "angle-for-each-column")
def waves_into_too_few_columns(length, d_model):
    pe = torch.zeros(length, d_model)
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(d_model) / d_model)
    pe[:, 0::2] = angles.sin()
    pe[:, 1::2] = angles.cos()
    return pe


@wrong("1.3", "no column of positions: the shapes do not meet")
def waves_without_a_column(length, d_model):
    return torch.arange(length) / 10000 ** (torch.arange(0, d_model, 2) / d_model)


@wrong("1.3", "printed", "returns-none")
def waves_printed(length, d_model):
    print(_in_turn(_angles(length, d_model)))


@wrong("1.3", "the pairs run with doubled speed", "wrong-frequency")
def waves_of_doubled_speed(length, d_model):
    return _in_turn(2 * _angles(length, d_model))


@wrong("1.3", "the squares of the positions")
def waves_of_squares(length, d_model):
    return _in_turn(torch.arange(length)[:, None] ** 2 / 10000 ** (torch.arange(0, d_model, 2) / d_model))


@wrong("1.3", "scaled down", "row-0")
def waves_scaled(length, d_model):
    return _in_turn(_angles(length, d_model)) / math.sqrt(d_model)


@wrong("1.3", "no brackets: 10000 ** -i / d_model", "power-before-division")
def waves_without_brackets(length, d_model):
    angles = torch.arange(length)[:, None] * 10000 ** -torch.arange(0, d_model, 2) / d_model
    pe = torch.zeros(length, d_model)
    pe[:, 0::2], pe[:, 1::2] = angles.sin(), angles.cos()
    return pe


@wrong("1.3", "no brackets: t / 10000 ** i / d_model, in whole numbers", "power-before-division")
def waves_divided_without_brackets(length, d_model):
    angles = torch.arange(length)[:, None] / 10000 ** torch.arange(0, d_model, 2) / d_model
    pe = torch.zeros(length, d_model)
    pe[:, 0::2], pe[:, 1::2] = angles.sin(), angles.cos()
    return pe


@wrong("1.3", "no brackets: t / (10000 ** i / d_model), in loops", "power-before-division")
def waves_in_loops_without_brackets(length, d_model):
    pe = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            pe[t, i] = math.sin(t / (10000 ** i / d_model))
            pe[t, i + 1] = math.cos(t / (10000 ** i / d_model))
    return pe


@wrong("1.3", "-i // d_model", "not-divided-by-width")
def waves_with_a_whole_exponent(length, d_model):
    angles = torch.arange(length)[:, None] * 10000 ** (-torch.arange(0, d_model, 2) // d_model)
    pe = torch.zeros(length, d_model)
    pe[:, 0::2], pe[:, 1::2] = angles.sin(), angles.cos()
    return pe


@wrong("1.3", "-i // d_model, with a base of 10000.0", "not-divided-by-width")
def waves_with_a_whole_exponent_of_floats(length, d_model):
    angles = torch.arange(length)[:, None] * 10000.0 ** (-torch.arange(0, d_model, 2) // d_model)
    pe = torch.zeros(length, d_model)
    pe[:, 0::2], pe[:, 1::2] = angles.sin(), angles.cos()
    return pe


@wrong("1.3", "an angle for each column", "angle-for-each-column")
def waves_of_too_many_angles(length, d_model):
    angles = torch.arange(length)[:, None] * 10000 ** (-torch.arange(d_model) / d_model)
    pe = torch.zeros(length, d_model)
    pe[:, 0::2], pe[:, 1::2] = angles.sin(), angles.cos()
    return pe


@wrong("1.3", "a nested list", "returns-wrong-type")
def waves_in_a_nested_list(length, d_model):
    return [[(math.cos if i % 2 else math.sin)(t / 10000 ** ((i - i % 2) / d_model)) for i in range(d_model)]
            for t in range(length)]


@wrong("1.3", "the minus twice: divided by 10000 ** (-i / d_model)", "multiplied")
def waves_with_two_minuses(length, d_model):
    positions = torch.zeros(length, d_model)
    i = torch.arange(0, d_model, 2)
    angles = torch.arange(length)[:, None] / 10000 ** (-i / d_model)
    positions[:, 0::2], positions[:, 1::2] = angles.sin(), angles.cos()
    return positions


# ---- 1.4 add_positions(x, positions) ---------------------------------------------------------------------------------


@wrong("1.4", "the whole table", "whole-table")
def placed_by_the_whole_table(x, positions):
    return x + positions


@wrong("1.4", "the last rows", "last-rows")
def placed_at_the_end(x, positions):
    T = x.shape[1]
    return x + positions[-T:]


@wrong("1.4", "len(x) counts items", "wrong-size")
def placed_by_len(x, positions):
    return x + positions[:len(x)]


@wrong("1.4", "as many rows as columns", "wrong-size")
def placed_by_columns(x, positions):
    return x + positions[:x.shape[-1], :]


@wrong("1.4", "one row for each item", "by-item")
def placed_by_item(x, positions):
    B = x.shape[0]
    return x + positions[:B].unsqueeze(1)


@wrong("1.4", "one row for each item, in a loop", "by-item")
def placed_by_item_in_a_loop(x, positions):
    out = torch.zeros_like(x)
    for b, item in enumerate(x):
        out[b] = item + positions[b]
    return out


@wrong("1.4", "an axis in the middle", "axis-between")
def placed_with_an_axis_between(x, positions):
    return x + positions[:x.size(1)].unsqueeze(1)


@wrong("1.4", "concatenated", "concatenated")
def placed_behind(x, positions):
    B, T, C = x.shape
    return torch.cat([x, positions[:T].expand(B, T, C)], dim=-1)


@wrong("1.4", "concatenated without a batch axis", "concatenated")
def placed_behind_without_a_batch(x, positions):
    return torch.cat([x, positions], dim=1)


@wrong("1.4", "multiplied", "multiplied")
def placed_by_multiplying(x, positions):
    return x * positions[:x.size(1)]


@wrong("1.4", "subtracted", "subtracted")
def placed_by_subtracting(x, positions):
    return x - positions[:x.size(1)]


@wrong("1.4", "scaled as in the paper", "scaled")
def placed_and_scaled(x, positions):
    return x * math.sqrt(x.size(2)) + positions[:x.size(1)]


@wrong("1.4", "row 0 for all", "one-row-for-all")
def placed_at_zero(x, positions):
    return x + positions[0]


@wrong("1.4", "row T for all", "one-row-for-all")
def placed_at_t(x, positions):
    return x + positions[x.size(1)]


@wrong("1.4", "the average for all", "averaged")
def placed_by_the_average(x, positions):
    return x + positions[:x.size(1)].mean(dim=0)


@wrong("1.4", "one number for each row", "one-number-for-each-row")
def placed_by_one_number(x, positions):
    return x + positions[:x.size(1)].mean(dim=-1, keepdim=True)


@wrong("1.4", "columns instead of rows", "transposed")
def placed_by_columns_of_the_table(x, positions):
    return x + positions[:, :x.size(1)]


@wrong("1.4", "the table transposed", "transposed")
def placed_by_the_transpose(x, positions):
    return x + positions.T[:x.size(1)]


@wrong("1.4", "the positions alone", "positions-alone")
def placed_without_x(x, positions):
    return positions[:x.size(1)]


@wrong("1.4", "x alone", "nothing-added")
def placed_nowhere(x, positions):
    x + positions[:x.size(1)]  # noqa: B018
    return x


@wrong("1.4", "from row 1", "off-by-one")
def placed_from_one(x, positions):
    return x + positions[1:x.size(1) + 1]


@wrong("1.4", "one step back", "off-by-one")
def placed_one_back(x, positions):
    return x + positions[torch.arange(x.size(1)) - 1]


@wrong("1.4", "in reverse order", "reversed")
def placed_in_reverse(x, positions):
    return x + positions[:x.size(1)].flip(0)


@wrong("1.4", "rows at random", "random-rows")
def placed_at_random(x, positions):
    return x + positions[torch.randperm(len(positions))[:x.size(1)]]


@wrong("1.4", "the numbers of the places", "numbers-not-rows")
def placed_by_numbers(x, positions):
    return x + torch.arange(x.size(1), dtype=x.dtype).unsqueeze(-1)


@wrong("1.4", "the first item only", "first-item-only")
def placed_in_the_first_item(x, positions):
    out = x.clone()
    out[0] += positions[:x.size(1)]
    return out


@wrong("1.4", "return in the loop over the items", "first-item-only")
def placed_in_a_loop_that_returns(x, positions):
    for item in x:
        return item + positions[:x.size(1)]


@wrong("1.4", "the last token only", "one-token-only")
def placed_in_the_last_token(x, positions):
    for t in range(x.size(1)):
        out = x.clone()
        out[:, t] += positions[t]
    return out


@wrong("1.4", "once for each item", "added-again")
def placed_once_for_each_item(x, positions):
    out = x.clone()
    for _ in range(len(x)):
        out += positions[:x.size(1)]
    return out


@wrong("1.4", "halved", "halved")
def placed_and_halved(x, positions):
    return (x + positions[:x.size(1)]) / 2


@wrong("1.4", "an axis too many", "extra-axis")
def placed_with_an_axis_too_many(x, positions):
    return x + positions[None, None, :x.size(1)]


@wrong("1.4", "in place", "changes-input")
def placed_in_place(x, positions):
    x += positions[:x.size(1)]
    return x


@wrong("1.4", "in place, item by item", "changes-input")
def placed_in_place_by_item(x, positions):
    for item in x:
        item += positions[:x.size(1)]
    return x


@wrong("1.4", "in place, and nothing returned", "returns-none")
def placed_in_place_without_return(x, positions):
    x += positions[:x.size(1)]


@wrong("1.4", "always float32", "wrong-dtype")
def placed_in_float32(x, positions):
    return (x + positions[:x.size(1)]).float()


@wrong("1.4", "a numpy array", "returns-wrong-type")
def placed_as_numpy(x, positions):
    return x.numpy() + positions[:x.size(1)].numpy()


@wrong("1.4", "a pair", "returns-wrong-type")
def placed_as_a_pair(x, positions):
    return x + positions[:x.size(1)], positions


@wrong("1.4", "the first five rows, read off the checker's messages")
def placed_by_five(x, positions):
    return x + positions[:5]


@wrong("1.4", "a misspelt name")
def placed_misspelt(x, positions):
    return x + position[:x.size(1)]  # noqa: F821


@wrong("1.4", "shape of the wrong kind of brackets")
def placed_by_square_brackets(x, positions):
    return x + positions[:x.size[1]]


@wrong("1.4", "each row twice", "other-rows")
def placed_on_every_other_row(x, positions):
    return x + positions[torch.arange(x.size(1)) // 2]


@wrong("1.4", "the rows run on through the batch", "items-differ")
def placed_on_and_on(x, positions):
    B, T, C = x.shape
    rows = torch.arange(B * T) % len(positions)
    return x + positions[rows].view(B, T, C)


@wrong("1.4", "the token is forgotten after position 0", "items-differ")
def placed_and_forgotten(x, positions):
    out = positions[:x.size(1)].repeat(len(x), 1, 1)
    out[:, 0] += x[:, 0]
    return out


@wrong("1.4", "positions added in half")
def placed_by_half(x, positions):
    return x + 0.5 * positions[:x.size(1)]


@wrong("1.4", "the whole table expanded", "whole-table-stretched")
def placed_by_expand_as(x, positions):
    return x + positions.expand_as(x)


@wrong("1.4", "the whole table expanded, by sizes", "whole-table-stretched")
def placed_by_expand(x, positions):
    B, T, C = x.shape
    return x + positions.expand(B, T, C)


@wrong("1.4", "a loop over the batch that takes items for tokens, in place", "by-item")
def placed_by_enumerate_in_place(x, positions):
    for t, row in enumerate(x):
        x[t] = row + positions[t]
    return x


@wrong("1.4", "new positions, drawn at random", "not-repeatable")
def positions_of_new_noise(x, positions):
    return x + positions[:x.size(1)] + torch.rand(x.size(1), x.size(2), dtype=x.dtype)


# ---- 2.1 dot_product_scores(q, k) ------------------------------------------------------------------------------------


@wrong("2.1", "no transpose")
def scores_without_transpose(q, k):
    return q @ k


@wrong("2.1", "the transpose is thrown away")
def scores_with_a_lost_transpose(q, k):
    k.transpose(-2, -1)
    return q @ k


@wrong("2.1", ".T, which reverses all axes", "all-axes-reversed")
def scores_by_capital_t(q, k):
    return q @ k.T


@wrong("2.1", "axes 0 and 1 swapped: right for matrices only", "fixed-axes")
def scores_by_transposing_0_1(q, k):
    return q @ k.transpose(0, 1)


@wrong("2.1", "axes 1 and 2 swapped: right for three axes only", "fixed-axes")
def scores_by_transposing_1_2(q, k):
    return q @ k.transpose(1, 2)


@wrong("2.1", "bmm: right for three axes only", "fixed-axes")
def scores_by_bmm(q, k):
    return torch.bmm(q, k.transpose(1, 2))


@wrong("2.1", "einsum without an ellipsis: right for matrices only")
def scores_by_einsum_of_matrices(q, k):
    return torch.einsum("td,sd->ts", q, k)


@wrong("2.1", "einsum that sums over the batch", "wrong-shape")
def scores_summed_over_the_batch(q, k):
    return torch.einsum("...td,...sd->ts", q, k)


@wrong("2.1", "reshaped instead of transposed", "reshaped-not-transposed")
def scores_by_reshape(q, k):
    return q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])


@wrong("2.1", "view(-1, S) instead of transposed, for matrices")
def scores_by_view(q, k):
    return q @ k.view(k.shape[-1], k.shape[-2])


@wrong("2.1", "keys against queries: (S, T)", "keys-ask")
def scores_of_keys_against_queries(q, k):
    return k @ q.transpose(-2, -1)


@wrong("2.1", "einsum with the result's letters swapped", "keys-ask")
def scores_by_einsum_swapped(q, k):
    return torch.einsum("...td,...sd->...st", q, k)


@wrong("2.1", "the keys are never used", "keys-ignored")
def scores_of_queries_with_themselves(q, k):
    return q @ q.transpose(-2, -1)


@wrong("2.1", "the queries are never used", "queries-ignored")
def scores_of_keys_with_themselves(q, k):
    return k @ k.transpose(-2, -1)


@wrong("2.1", "divided by sqrt(D)", "already-scaled")
def scores_already_scaled(q, k):
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


@wrong("2.1", "divided by D: a mean instead of a sum")
def scores_by_mean(q, k):
    return (q.unsqueeze(-2) * k.unsqueeze(-3)).mean(-1)


@wrong("2.1", "softmax taken already", "softmaxed")
def scores_already_softmaxed(q, k):
    return (q @ k.transpose(-2, -1)).softmax(dim=-1)


@wrong("2.1", "scaled and softmax taken: that is 2.3", "softmaxed")
def scores_already_weights(q, k):
    return F.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)


@wrong("2.1", "cosines instead of dot products", "cosine")
def scores_by_cosine(q, k):
    return F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)


@wrong("2.1", "distances instead of dot products", "distance")
def scores_by_distance(q, k):
    return torch.cdist(q, k)


@wrong("2.1", "elementwise product")
def scores_by_elementwise_product(q, k):
    return q * k


@wrong("2.1", "elementwise product, summed")
def scores_by_elementwise_sum(q, k):
    return (q * k).sum(dim=-1)


@wrong("2.1", "torch.dot, which takes vectors only")
def scores_by_torch_dot(q, k):
    return torch.dot(q, k)


@wrong("2.1", "np.dot, which pairs every item with every item", "wrong-shape")
def scores_by_numpy_dot(q, k):
    return torch.from_numpy(np.dot(q.numpy(), np.swapaxes(k.numpy(), -1, -2)))


@wrong("2.1", "both loops run over the queries", "wrong-shape")
def scores_square(q, k):
    length = q.shape[-2]
    scores = torch.zeros(*q.shape[:-1], length, dtype=q.dtype)
    for i in range(length):
        for j in range(length):
            scores[..., i, j] = (q[..., i, :] * k[..., j, :]).sum(-1)
    return scores


@wrong("2.1", "= instead of += in the loop: the last feature only")
def scores_of_the_last_feature(q, k):
    scores = torch.zeros(*q.shape[:-1], k.shape[-2], dtype=q.dtype)
    for d in range(q.shape[-1]):
        scores[...] = q[..., :, None, d] * k[..., None, :, d]
    return scores


@wrong("2.1", "the last feature is left out")
def scores_without_the_last_feature(q, k):
    return q[..., :-1] @ k[..., :-1].transpose(-2, -1)


@wrong("2.1", "written for a result of 3 by 3")
def scores_of_three_words(q, k):
    scores = torch.zeros(3, 3)
    for i in range(3):
        for j in range(3):
            scores[i, j] = q[i] @ k[j]
    return scores


@wrong("2.1", "a list of rows", "returns-wrong-type")
def scores_as_a_list(q, k):
    return [q[..., t, None, :] @ k.transpose(-2, -1) for t in range(q.shape[-2])]


@wrong("2.1", "a numpy array", "returns-wrong-type")
def scores_as_numpy(q, k):
    return (q @ k.transpose(-2, -1)).numpy()


@wrong("2.1", "nothing is returned", "returns-none")
def scores_not_returned(q, k):
    scores = q @ k.transpose(-2, -1)
    print(scores)


@wrong("2.1", "always float32", "wrong-dtype")
def scores_always_float32(q, k):
    return (q @ k.transpose(-2, -1)).float()


@wrong("2.1", "a new float32 tensor is filled, whatever the input's dtype", "wrong-dtype")
def scores_in_default_dtype(q, k):
    scores = torch.empty(*q.shape[:-1], k.shape[-2])
    scores[...] = q @ k.transpose(-2, -1)
    return scores


@wrong("2.1", "the queries are changed in place", "changes-input")
def scores_in_place(q, k):
    q *= 1.0 / math.sqrt(q.shape[-1])
    return q @ k.transpose(-2, -1) * math.sqrt(q.shape[-1])


@wrong("2.1", "a misspelt method")
def scores_misspelt(q, k):
    return q @ k.tranpose(-2, -1)


@wrong("2.1", "one argument only")
def scores_of_one_argument(x):
    return x @ x.transpose(-2, -1)


@wrong("2.1", "a method that an int does not have")
def scores_root_of_int(q, k):
    return q @ k.transpose(-2, -1) / q.shape[-1].sqrt()


@wrong("2.1", "negated")
def scores_negated(q, k):
    return -(q @ k.transpose(-2, -1))


@wrong("2.1", "a pair with the scaled scores", "returns-wrong-type")
def scores_as_a_pair(q, k):
    scores = q @ k.transpose(-2, -1)
    return scores, scores / math.sqrt(q.shape[-1])


@wrong("2.1", "scaled, and the wrong way round", "wrong-shape")
def scores_scaled_and_swapped(q, k):
    return k @ q.transpose(-2, -1) / math.sqrt(q.shape[-1])


@wrong("2.1", "noise on the scores", "not-repeatable")
def scores_with_noise(q, k):
    return q @ k.transpose(-2, -1) + torch.rand(q.size(-2), k.size(-2), dtype=q.dtype)


# ---- 2.2 softmax(scores) ---------------------------------------------------------------------------------------------


@wrong("2.2", "exp overflows for scores of 1,000", "overflow")
def softmax_naive(scores):
    return torch.exp(scores) / torch.exp(scores).sum(dim=-1, keepdim=True)


@wrong("2.2", "exp overflows; the NaN are painted over with zeros", "overflow-hidden")
def softmax_naive_nan_to_num(scores):
    exponentials = scores.exp()
    return (exponentials / exponentials.sum(-1, keepdim=True)).nan_to_num(0.0)


@wrong("2.2", "large scores are cut off at 50", "not-finite")
def softmax_clamped(scores):
    exponentials = scores.clamp(max=50).exp()
    return exponentials / exponentials.sum(-1, keepdim=True)


@wrong("2.2", "the largest of all scores is taken away: a row far below it is 0/0", "one-maximum-for-all")
def softmax_global_max(scores):
    exponentials = torch.exp(scores - scores.max())
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@wrong("2.2", "the largest of each column is taken away", "max-of-columns")
def softmax_max_of_columns(scores):
    exponentials = torch.exp(scores - scores.max(dim=0).values)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@wrong("2.2", "the mean is taken away instead of the maximum", "overflow")
def softmax_minus_mean(scores):
    exponentials = torch.exp(scores - scores.mean(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@wrong("2.2", "the maximum is added", "not-finite")
def softmax_plus_max(scores):
    exponentials = torch.exp(scores + scores.amax(-1, keepdim=True))
    return exponentials / exponentials.sum(-1, keepdim=True)


@wrong("2.2", "the maximum is taken away after exp", "not-finite")
def softmax_max_after_exp(scores):
    exponentials = scores.exp() - scores.exp().amax(-1, keepdim=True)
    return exponentials / exponentials.sum(-1, keepdim=True)


@wrong("2.2", "divided by the maximum instead of shifted by it")
def softmax_divided_by_max(scores):
    return torch.softmax(scores / scores.amax(-1, keepdim=True), dim=-1)


@wrong("2.2", "over axis 0", "axis-from-the-front")
def softmax_over_axis_0(scores):
    return torch.softmax(scores, dim=0)


@wrong("2.2", "over axis 1, right for matrices only", "axis-from-the-front")
def softmax_over_axis_1(scores):
    return torch.softmax(scores, dim=1)


@wrong("2.2", "over the queries", "over-the-rows")
def softmax_over_queries(scores):
    return torch.softmax(scores, dim=-2)


@wrong("2.2", "no axis given: PyTorch guesses", "axis-from-the-front")
def softmax_without_axis(scores):
    return F.softmax(scores)


@wrong("2.2", "over everything at once", "over-everything")
def softmax_over_everything(scores):
    exponentials = torch.exp(scores - scores.max())
    return exponentials / exponentials.sum()


@wrong("2.2", "sum without keepdim")
def softmax_without_keepdim(scores):
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1)


@wrong("2.2", "max without keepdim")
def softmax_max_without_keepdim(scores):
    exponentials = torch.exp(scores - scores.amax(dim=-1))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@wrong("2.2", "max gives values and indices: both are used")
def softmax_max_pair(scores):
    exponentials = torch.exp(scores - scores.max(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@wrong("2.2", "the place of the maximum is taken away", "overflow")
def softmax_argmax(scores):
    exponentials = torch.exp(scores - scores.argmax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@wrong("2.2", "not divided by the sum", "not-divided")
def softmax_not_normalized(scores):
    return torch.exp(scores - scores.amax(dim=-1, keepdim=True))


@wrong("2.2", "no exp: scores over their sum", "no-exponential")
def softmax_without_exp(scores):
    return scores / scores.sum(dim=-1, keepdim=True)


@wrong("2.2", "logarithms returned", "log-softmax")
def softmax_log(scores):
    return F.log_softmax(scores, dim=-1)


@wrong("2.2", "sigmoid", "sigmoid")
def softmax_sigmoid(scores):
    return torch.sigmoid(scores)


@wrong("2.2", "taken twice", "softmax-twice")
def softmax_twice(scores):
    return scores.softmax(-1).softmax(-1)


@wrong("2.2", "exp(-scores)", "sign")
def softmax_negative(scores):
    return torch.softmax(-scores, dim=-1)


@wrong("2.2", "powers of 2", "base-two")
def softmax_base_two(scores):
    powers = 2 ** (scores - scores.amax(-1, keepdim=True))
    return powers / powers.sum(-1, keepdim=True)


@wrong("2.2", "divided by the length instead of made to sum to 1", "rows-do-not-sum-to-1")
def softmax_l2(scores):
    return F.normalize(torch.exp(scores - scores.amax(-1, keepdim=True)), dim=-1)


@wrong("2.2", "only the winner gets weight")
def softmax_one_hot(scores):
    return F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype)


@wrong("2.2", "scaled by the root of the length")
def softmax_scaled(scores):
    return torch.softmax(scores / math.sqrt(scores.shape[-1]), dim=-1)


@wrong("2.2", "a large epsilon in the denominator", "rows-do-not-sum-to-1")
def softmax_large_epsilon(scores):
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + 0.01)


@wrong("2.2", "the maximum is taken away from the input in place", "changes-input")
def softmax_in_place(scores):
    scores -= scores.amax(dim=-1, keepdim=True)
    return scores.exp() / scores.exp().sum(dim=-1, keepdim=True)


@wrong("2.2", "in place by exp_", "changes-input")
def softmax_exp_in_place(scores):
    scores.sub_(scores.amax(-1, keepdim=True)).exp_()
    return scores / scores.sum(-1, keepdim=True)


@wrong("2.2", "loops for matrices only")
def softmax_loops_of_matrices(scores):
    rows, _ = scores.shape
    result = torch.zeros_like(scores)
    for i in range(rows):
        powers = torch.exp(scores[i] - scores[i].max())
        result[i] = powers / powers.sum()
    return result


@wrong("2.2", "for three axes only")
def softmax_of_three_axes(scores):
    return torch.stack([torch.softmax(item, dim=1) for item in scores])


@wrong("2.2", "a numpy array", "returns-wrong-type")
def softmax_as_numpy(scores):
    exponentials = np.exp(scores.numpy() - scores.numpy().max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


@wrong("2.2", "nested lists", "returns-wrong-type")
def softmax_as_lists(scores):
    return torch.softmax(scores, dim=-1).tolist()


@wrong("2.2", "nothing is returned", "returns-none")
def softmax_not_returned(scores):
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    exponentials /= exponentials.sum(dim=-1, keepdim=True)


@wrong("2.2", "a misspelt function")
def softmax_misspelt(scores):
    return torch.sofmax(scores, dim=-1)


@wrong("2.2", "always float64", "wrong-dtype")
def softmax_always_float64(scores):
    return torch.softmax(scores.double(), dim=-1)


@wrong("2.2", "in float16", "wrong-dtype")
def softmax_in_half(scores):
    return torch.softmax(scores.half(), dim=-1)


@wrong("2.2", "rounded to two decimals", "rows-do-not-sum-to-1")
def softmax_rounded(scores):
    return torch.softmax(scores, dim=-1).round(decimals=2)


@wrong("2.2", "naive, and over the queries", "over-the-rows")
def softmax_naive_over_queries(scores):
    return scores.exp() / scores.exp().sum(dim=-2, keepdim=True)


@wrong("2.2", "the first score is taken away: exp overflows where another is far larger", "overflow")
def softmax_minus_first(scores):
    exponentials = torch.exp(scores - scores[..., :1])
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@wrong("2.2", "squeeze() at the end, which takes away every axis of size 1", "wrong-shape")
def softmax_squeezed(scores):
    return scores.softmax(-1).squeeze()


BUFFERS = {}


@wrong("2.2", "one tensor for all calls of a shape", "shared-result")
def softmax_into_a_buffer(scores):
    buffer = BUFFERS.setdefault((scores.shape, scores.dtype), torch.empty_like(scores))
    buffer.copy_(scores.softmax(-1))
    return buffer


@wrong("2.2", "divided by the sum of the scores", "divided-by-scores")
def softmax_over_the_sum_of_scores(scores):
    return torch.exp(scores) / scores.sum(dim=-1, keepdim=True)


# ---- 2.3 attention_weights(q, k) -------------------------------------------------------------------------------------


@wrong("2.3", "not scaled", "no-scale")
def weights_unscaled(q, k):
    return torch.softmax(q @ k.transpose(-2, -1), dim=-1)


@wrong("2.3", "divided by D, not by its root", "scaled-by-d")
def weights_over_d(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / q.shape[-1], dim=-1)


@wrong("2.3", "multiplied by the root", "multiplied")
def weights_times_root(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) * math.sqrt(q.shape[-1]), dim=-1)


@wrong("2.3", "a precedence slip: q @ k.mT / D ** -0.5", "multiplied")
def weights_over_inverse_root(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** -0.5, dim=-1)


@wrong("2.3", "the root of the number of keys", "wrong-size-in-root")
def weights_over_root_of_keys(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-2]), dim=-1)


@wrong("2.3", "the root of the number of queries", "wrong-size-in-root")
def weights_over_root_of_queries(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-2]), dim=-1)


@wrong("2.3", "the scores' last axis taken for D", "wrong-size-in-root")
def weights_over_root_of_scores_axis(q, k):
    scores = q @ k.transpose(-2, -1)
    return torch.softmax(scores / math.sqrt(scores.shape[-1]), dim=-1)


@wrong("2.3", "the root of len(q)", "wrong-size-in-root")
def weights_over_root_of_len(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(len(q)), dim=-1)


@wrong("2.3", "the root of shape[1]: right for matrices only", "wrong-size-in-root")
def weights_over_root_of_shape_1(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[1]), dim=-1)


@wrong("2.3", "the root of all of q's elements", "wrong-size-in-root")
def weights_over_root_of_numel(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.numel()), dim=-1)


@wrong("2.3", "the root of 64, hard-coded", "fixed-scale")
def weights_over_eight(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(64), dim=-1)


@wrong("2.3", "the root is rounded down")
def weights_over_integer_root(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.isqrt(q.shape[-1]), dim=-1)


@wrong("2.3", "floor division")
def weights_by_floor_division(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) // math.sqrt(q.shape[-1]), dim=-1)


@wrong("2.3", "scaled twice", "scaled-by-d")
def weights_scaled_twice(q, k):
    root = math.sqrt(q.shape[-1])
    return torch.softmax((q / root) @ (k / root).transpose(-2, -1), dim=-1)


@wrong("2.3", "scaled after the softmax", "scaled-after-softmax")
def weights_scaled_afterwards(q, k):
    return torch.softmax(q @ k.transpose(-2, -1), dim=-1) / math.sqrt(q.shape[-1])


@wrong("2.3", "softmax over the queries", "over-queries")
def weights_over_queries(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-2)


@wrong("2.3", "softmax over axis 1", "axis-from-the-front")
def weights_over_axis_1(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=1)


@wrong("2.3", "softmax over axis 0", "axis-from-the-front")
def weights_over_axis_0(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=0)


@wrong("2.3", "no axis given: PyTorch guesses", "axis-from-the-front")
def weights_without_axis(q, k):
    return F.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]))


@wrong("2.3", "over the queries and not scaled", "over-queries")
def weights_unscaled_over_queries(q, k):
    return torch.softmax(q @ k.transpose(-2, -1), dim=-2)


@wrong("2.3", "softmax forgotten", "no-softmax")
def weights_without_softmax(q, k):
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


@wrong("2.3", "softmax and scale forgotten: that is 2.1", "raw-scores")
def weights_without_anything(q, k):
    return q @ k.transpose(-2, -1)


@wrong("2.3", "made to sum to 1 without exp", "negative-weights")
def weights_without_exp(q, k):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    return scores / scores.sum(-1, keepdim=True)


@wrong("2.3", "exp, but no sum", "not-divided")
def weights_not_normalized(q, k):
    return torch.exp(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]))


@wrong("2.3", "log_softmax", "log-softmax")
def weights_log(q, k):
    return F.log_softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)


@wrong("2.3", "sigmoid", "sigmoid")
def weights_sigmoid(q, k):
    return torch.sigmoid(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]))


@wrong("2.3", "q and k swapped", "keys-ask")
def weights_swapped(q, k):
    return torch.softmax(k @ q.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)


@wrong("2.3", "no transpose")
def weights_without_transpose(q, k):
    return torch.softmax(q @ k / math.sqrt(q.shape[-1]), dim=-1)


@wrong("2.3", ".T on more than two axes", "all-axes-reversed")
def weights_by_capital_t(q, k):
    return torch.softmax(q @ k.T / math.sqrt(q.shape[-1]), dim=-1)


@wrong("2.3", "reshaped instead of transposed", "reshaped-not-transposed")
def weights_by_reshape(q, k):
    scores = q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])
    return torch.softmax(scores / math.sqrt(q.shape[-1]), dim=-1)


@wrong("2.3", "transpose(1, 2): right for three axes only", "fixed-axes")
def weights_by_transposing_1_2(q, k):
    return torch.softmax(torch.matmul(q, k.transpose(1, 2)) / math.sqrt(q.shape[-1]), dim=-1)


@wrong("2.3", "the keys are never used", "keys-ignored")
def weights_of_queries_with_themselves(q, k):
    return torch.softmax(q @ q.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)


@wrong("2.3", "softmax of q and of k", "rows-do-not-sum-to-1")
def weights_by_softmax_of_each(q, k):
    return torch.softmax(q, dim=-1) @ torch.softmax(k, dim=-1).transpose(-2, -1)


@wrong("2.3", "cosines")
def weights_by_cosine(q, k):
    return torch.softmax(F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1), dim=-1)


@wrong("2.3", "the future is hidden, unasked")
def weights_causal(q, k):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return torch.softmax(scores.masked_fill(future, -math.inf), dim=-1)


@wrong("2.3", "with dropout", "not-repeatable")
def weights_with_dropout(q, k):
    return F.dropout(torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1), 0.1)


@wrong("2.3", "q is divided in place", "changes-input")
def weights_in_place(q, k):
    q /= math.sqrt(q.shape[-1])
    return torch.softmax(q @ k.transpose(-2, -1), dim=-1)


@wrong("2.3", "the root of a shape")
def weights_root_of_shape(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape), dim=-1)


@wrong("2.3", "torch.sqrt of an int")
def weights_torch_sqrt_of_int(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / torch.sqrt(q.shape[-1]), dim=-1)


@wrong("2.3", "a name that does not exist")
def weights_undefined_d_k(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(d_k), dim=-1)  # noqa: F821


@wrong("2.3", "a pair of weights and scores", "returns-wrong-type")
def weights_as_a_pair(q, k):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    return scores.softmax(-1), scores


@wrong("2.3", "nothing is returned", "returns-none")
def weights_not_returned(q, k):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    print(weights)


@wrong("2.3", "a numpy array", "returns-wrong-type")
def weights_as_numpy(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1).numpy()


@wrong("2.3", "always float32", "wrong-dtype")
def weights_always_float32(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1, dtype=torch.float32)


@wrong("2.3", "the root of 11, read off the checker's messages", "fixed-scale")
def weights_over_root_of_eleven(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(11), dim=-1)


@wrong("2.3", "D ** 1 / 2 in brackets: half of D", "root-without-brackets")
def weights_over_half_of_d(q, k):
    weights = (q @ k.transpose(-2, -1) / (q.size(-1) ** 1 / 2)).softmax(-1)
    return weights


@wrong("2.3", "/ D ** 1 / 2: divided by D and by 2", "root-without-brackets")
def weights_over_d_and_two(q, k):
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 1 / 2).softmax(-1)
    return weights


@wrong("2.3", "a dropout that nobody asked for", "not-repeatable")
def weights_dropped(q, k):
    return F.dropout((q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1), 0.1)


@wrong("2.3", "sqrt of the items of k", "wrong-size-in-root")
def scaled_3_by_items_of_k(q, k):
    weights = (q @ k.transpose(-2, -1) / math.sqrt(k.shape[0])).softmax(-1)
    return weights


@wrong("2.3", "sqrt of axis 1 of k", "wrong-size-in-root")
def scaled_3_by_axis_1_of_k(q, k):
    weights = (q @ k.transpose(-2, -1) / k.shape[1] ** 0.5).softmax(-1)
    return weights


@wrong("2.3", "a fixed 8", "fixed-scale")
def scaled_3_by_eight(q, k):
    weights = (q @ k.transpose(-2, -1) / 8).softmax(-1)
    return weights


@wrong("2.3", "a fixed root of 32", "fixed-scale")
def scaled_3_by_root_of_32(q, k):
    weights = (q @ k.transpose(-2, -1) / math.sqrt(32)).softmax(-1)
    return weights


@wrong("2.3", "a fixed root of 11", "fixed-scale")
def scaled_3_by_root_of_11(q, k):
    weights = (q @ k.transpose(-2, -1) / 11 ** 0.5).softmax(-1)
    return weights


# ---- 2.4 attention(q, k, v) ------------------------------------------------------------------------------------------


@wrong("2.4", "the pair is swapped", "swapped-pair")
def attention_swapped_pair(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weights, weights @ v


@wrong("2.4", "the output alone", "only-out")
def attention_output_alone(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ v


@wrong("2.4", "the weights alone", "only-weights")
def attention_weights_alone(q, k, v):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)


@wrong("2.4", "a list", "returns-wrong-type")
def attention_as_a_list(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return [weights @ v, weights]


@wrong("2.4", "a dictionary", "returns-wrong-type")
def attention_as_a_dict(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return {"out": weights @ v, "weights": weights}


@wrong("2.4", "three results", "returns-wrong-type")
def attention_three_results(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights, scores


@wrong("2.4", "None in the place of the weights", "returns-wrong-type")
def attention_none_for_weights(q, k, v):
    return F.scaled_dot_product_attention(q, k, v), None


@wrong("2.4", "nothing is returned", "returns-none")
def attention_not_returned(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    out = weights @ v
    print(out, weights)


@wrong("2.4", "numpy arrays", "returns-wrong-type")
def attention_as_numpy(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return (weights @ v).numpy(), weights.numpy()


@wrong("2.4", "scores returned instead of weights", "scores-returned")
def attention_scores_returned(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    return torch.softmax(scores, dim=-1) @ v, scores


@wrong("2.4", "no softmax at all", "no-softmax")
def attention_without_softmax(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    return scores @ v, scores


@wrong("2.4", "the values are mixed by the scores, the weights are right", "mixed-by-scores")
def attention_mixed_by_scores(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    return scores @ v, torch.softmax(scores, dim=-1)


@wrong("2.4", "not scaled", "no-scale")
def attention_unscaled(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1), dim=-1)
    return weights @ v, weights


@wrong("2.4", "the returned weights are unscaled, the output is right")
def attention_unscaled_weights(q, k, v):
    return F.scaled_dot_product_attention(q, k, v), torch.softmax(q @ k.transpose(-2, -1), dim=-1)


@wrong("2.4", "divided by D", "scaled-by-d")
def attention_over_d(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / k.size(-1), dim=-1)
    return weights @ v, weights


@wrong("2.4", "multiplied by the root", "multiplied")
def attention_times_root(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) * k.size(-1) ** 0.5, dim=-1)
    return weights @ v, weights


@wrong("2.4", "the root of the values' width", "scaled-by-positions")
def attention_over_root_of_value_width(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(v.shape[-1]), dim=-1)
    return weights @ v, weights


@wrong("2.4", "the root of the number of keys", "scaled-by-positions")
def attention_over_root_of_keys(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-2]), dim=-1)
    return weights @ v, weights


@wrong("2.4", "the root of shape[1]", "scaled-by-positions")
def attention_over_root_of_shape_1(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[1]), dim=-1)
    return weights @ v, weights


@wrong("2.4", "scaled after the softmax", "scaled-after-softmax")
def attention_scaled_afterwards(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1), dim=-1) / math.sqrt(q.shape[-1])
    return weights @ v, weights


@wrong("2.4", "the output is scaled instead of the scores", "output-scaled")
def attention_output_scaled(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1), dim=-1)
    return weights @ v / math.sqrt(q.shape[-1]), weights


@wrong("2.4", "softmax over the queries", "over-queries")
def attention_over_queries(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-2)
    return weights @ v, weights


@wrong("2.4", "softmax over axis 1", "axis-from-the-front")
def attention_over_axis_1(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=1)
    return weights @ v, weights


@wrong("2.4", "softmax over axis 0", "axis-from-the-front")
def attention_over_axis_0(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=0)
    return weights @ v, weights


@wrong("2.4", "the keys are mixed instead of the values", "keys-as-values")
def attention_of_keys(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ k, weights


@wrong("2.4", "k and v swapped")
def attention_keys_and_values_swapped(q, k, v):
    k, v = v, k
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ v, weights


@wrong("2.4", "q and k swapped", "keys-ask")
def attention_swapped(q, k, v):
    weights = torch.softmax(k @ q.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ v, weights


@wrong("2.4", "q and k swapped, and turned back after the softmax", "over-queries")
def attention_swapped_and_back(q, k, v):
    weights = torch.softmax(k @ q.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1).transpose(-2, -1)
    return weights @ v, weights


@wrong("2.4", "the weights are transposed before the values", "weights-transposed")
def attention_weights_transposed(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weights.transpose(-2, -1) @ v, weights


@wrong("2.4", "elementwise product with the values")
def attention_elementwise(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weights * v, weights


@wrong("2.4", "a softmax of the output")
def attention_softmax_of_output(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return torch.softmax(weights @ v, dim=-1), weights


@wrong("2.4", "softmax after the values")
def attention_softmax_last(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    return torch.softmax(scores @ v, dim=-1), torch.softmax(scores, dim=-1)


@wrong("2.4", "an average instead of a sum over the keys")
def attention_divided_by_keys(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ v / v.shape[-2], weights


@wrong("2.4", "the first key is left out of the loop")
def attention_without_the_first_key(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    out = 0
    for s in range(1, v.shape[-2]):
        out = out + weights[..., s, None] * v[..., s, None, :]
    return out, weights


@wrong("2.4", "only the best key is read")
def attention_hard(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    best = F.one_hot(weights.argmax(-1), k.shape[-2]).to(v.dtype)
    return best @ v, weights


@wrong("2.4", "the future is hidden in the output, unasked")
def attention_causal(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return F.scaled_dot_product_attention(q, k, v, is_causal=True), weights


@wrong("2.4", "with dropout", "not-repeatable")
def attention_with_dropout(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    weights = nn.Dropout(0.1)(weights)
    return weights @ v, weights


@wrong("2.4", "no transpose")
def attention_without_transpose(q, k, v):
    weights = torch.softmax(q @ k / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ v, weights


@wrong("2.4", ".T on more than two axes", "all-axes-reversed")
def attention_by_capital_t(q, k, v):
    weights = torch.softmax(q @ k.T / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ v, weights


@wrong("2.4", "bmm: right for three axes only")
def attention_by_bmm(q, k, v):
    weights = torch.softmax(torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.shape[-1]), dim=-1)
    return torch.bmm(weights, v), weights


@wrong("2.4", "two arguments only")
def attention_of_two_arguments(q, k):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ k, weights


@wrong("2.4", "q is divided in place", "changes-input")
def attention_in_place(q, k, v):
    q /= math.sqrt(q.shape[-1])
    weights = torch.softmax(q @ k.transpose(-2, -1), dim=-1)
    return weights @ v, weights


@wrong("2.4", "a misspelt name")
def attention_misspelt(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weigths @ v, weights  # noqa: F821


@wrong("2.4", "not scaled, and the pair is swapped", "wrong-shape")
def attention_unscaled_and_swapped(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1), dim=-1)
    return weights, weights @ v


@wrong("2.4", "the queries are added to the output")
def attention_with_residual(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return q + weights @ v, weights


@wrong("2.4", "the root of 11, read off the checker's messages", "fixed-scale")
def attention_over_root_of_eleven(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(11), dim=-1)
    return weights @ v, weights


@wrong("2.4", "D ** 1 / 2 in brackets: half of D", "root-without-brackets")
def pair_over_half_of_d(q, k, v):
    weights = (q @ k.transpose(-2, -1) / (q.size(-1) ** 1 / 2)).softmax(-1)
    return weights @ v, weights


@wrong("2.4", "/ D ** 1 / 2: divided by D and by 2", "root-without-brackets")
def pair_over_d_and_two(q, k, v):
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 1 / 2).softmax(-1)
    return weights @ v, weights


OUT_BUFFERS = {}


@wrong("2.4", "the weights are written into one tensor for all calls of a shape", "shared-result")
def attention_into_a_buffer(q, k, v):
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    buffer = OUT_BUFFERS.setdefault((weights.shape, weights.dtype), torch.empty_like(weights))
    buffer.copy_(weights)
    return weights @ v, buffer


@wrong("2.4", "a dropout before the values are mixed", "not-repeatable")
def attention_dropped(q, k, v):
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    return F.dropout(weights, 0.1) @ v, weights


@wrong("2.4", "sqrt of the items of k", "scaled-by-positions")
def scaled_4_by_items_of_k(q, k, v):
    weights = (q @ k.transpose(-2, -1) / math.sqrt(k.shape[0])).softmax(-1)
    return weights @ v, weights


@wrong("2.4", "sqrt of axis 1 of k", "scaled-by-positions")
def scaled_4_by_axis_1_of_k(q, k, v):
    weights = (q @ k.transpose(-2, -1) / k.shape[1] ** 0.5).softmax(-1)
    return weights @ v, weights


@wrong("2.4", "a fixed 8", "fixed-scale")
def scaled_4_by_eight(q, k, v):
    weights = (q @ k.transpose(-2, -1) / 8).softmax(-1)
    return weights @ v, weights


@wrong("2.4", "a fixed root of 32", "fixed-scale")
def scaled_4_by_root_of_32(q, k, v):
    weights = (q @ k.transpose(-2, -1) / math.sqrt(32)).softmax(-1)
    return weights @ v, weights


@wrong("2.4", "a fixed root of 11", "fixed-scale")
def scaled_4_by_root_of_11(q, k, v):
    weights = (q @ k.transpose(-2, -1) / 11 ** 0.5).softmax(-1)
    return weights @ v, weights


# ---- 2.5 class SelfAttention(d_in, d_out) ----------------------------------------------------------------------------


class ThreeProjections(nn.Module):
    """What most of the wrong classes below get right."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("2.5", "super().__init__() is missing")
class SelfAttentionWithoutSuper(nn.Module):
    def __init__(self, d_in, d_out):
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    forward = ThreeProjections.forward


@wrong("2.5", "_init_ with single underscores", "no-init")
class SelfAttentionMisspeltInit(nn.Module):
    def _init_(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    forward = ThreeProjections.forward


@wrong("2.5", "foward instead of forward", "no-forward")
class SelfAttentionMisspeltForward(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def foward(self, x):
        return ThreeProjections.forward(self, x)


@wrong("2.5", "no nn.Module", "not-a-module")
class SelfAttentionPlainClass:
    def __init__(self, d_in, d_out):
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        return ThreeProjections.forward(self, x)

    __call__ = forward


@wrong("2.5", "self. forgotten in __init__", "no-projection")
class SelfAttentionLocalLayers(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        W_query = nn.Linear(d_in, d_out, bias=False)  # noqa: F841
        W_key = nn.Linear(d_in, d_out, bias=False)  # noqa: F841
        W_value = nn.Linear(d_in, d_out, bias=False)  # noqa: F841

    forward = ThreeProjections.forward


@wrong("2.5", "self. forgotten in forward")
class SelfAttentionForgottenSelf(ThreeProjections):
    def forward(self, x):
        q, k, v = W_query(x), W_key(x), W_value(x)  # noqa: F821
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("2.5", "self is no argument of forward", "forward-arguments")
class SelfAttentionForwardWithoutSelf(ThreeProjections):
    def forward(x):  # noqa: N805
        return x, x


@wrong("2.5", "other names", "no-projection")
class SelfAttentionOtherNames(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.q_proj = nn.Linear(d_in, d_out, bias=False)
        self.k_proj = nn.Linear(d_in, d_out, bias=False)
        self.v_proj = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("2.5", "names in another case", "no-projection")
class SelfAttentionLowerCaseNames(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=False)
        self.w_key = nn.Linear(d_in, d_out, bias=False)
        self.w_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        q, k, v = self.w_query(x), self.w_key(x), self.w_value(x)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("2.5", "with biases", "has-bias")
class SelfAttentionWithBias(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out)
        self.W_key = nn.Linear(d_in, d_out)
        self.W_value = nn.Linear(d_in, d_out)

    forward = ThreeProjections.forward


@wrong("2.5", "d_in and d_out swapped in the layers", "wrong-projection-size")
class SelfAttentionSwappedSizes(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_out, d_in, bias=False)
        self.W_key = nn.Linear(d_out, d_in, bias=False)
        self.W_value = nn.Linear(d_out, d_in, bias=False)

    forward = ThreeProjections.forward


@wrong("2.5", "sizes hard-coded", "wrong-projection-size")
class SelfAttentionHardCodedSizes(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(3, 2, bias=False)
        self.W_key = nn.Linear(3, 2, bias=False)
        self.W_value = nn.Linear(3, 2, bias=False)

    forward = ThreeProjections.forward


@wrong("2.5", "parameters instead of layers", "no-projection")
class SelfAttentionWithParameters(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("2.5", "x times the weight matrix, not transposed")
class SelfAttentionWeightNotTransposed(ThreeProjections):
    def forward(self, x):
        q, k, v = x @ self.W_query.weight, x @ self.W_key.weight, x @ self.W_value.weight
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("2.5", "new layers in every forward", "no-projection")
class SelfAttentionNewLayersEachTime(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.d_in, self.d_out = d_in, d_out

    def forward(self, x):
        q, k, v = (nn.Linear(self.d_in, self.d_out, bias=False)(x) for _ in range(3))
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("2.5", "the layers in a Python list", "no-projection")
class SelfAttentionLayersInAList(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.layers = [nn.Linear(d_in, d_out, bias=False) for _ in range(3)]

    def forward(self, x):
        q, k, v = (layer(x) for layer in self.layers)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("2.5", "one layer under three names", "shared-layer")
class SelfAttentionOneSharedLayer(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = self.W_key = self.W_value = nn.Linear(d_in, d_out, bias=False)

    forward = ThreeProjections.forward


@wrong("2.5", "a fourth layer after the values", "not-repeatable")
class SelfAttentionWithOutputLayer(ThreeProjections):
    def __init__(self, d_in, d_out):
        super().__init__(d_in, d_out)
        self.out_proj = nn.Linear(d_out, d_out, bias=False)

    def forward(self, x):
        out, weights = super().forward(x)
        return self.out_proj(out), weights


@wrong("2.5", "not scaled", "no-scale")
class SelfAttentionUnscaled(ThreeProjections):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = torch.softmax(q @ k.transpose(-2, -1), dim=-1)
        return weights @ v, weights


@wrong("2.5", "the root of d_in", "scaled-by-input")
class SelfAttentionRootOfInput(ThreeProjections):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(x.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("2.5", "the root of the number of tokens", "scaled-by-positions")
class SelfAttentionRootOfTokens(ThreeProjections):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[1]), dim=-1)
        return weights @ v, weights


@wrong("2.5", "divided by d_out, not by its root", "scaled-by-d")
class SelfAttentionOverWidth(ThreeProjections):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = torch.softmax(q @ k.transpose(-2, -1) / q.shape[-1], dim=-1)
        return weights @ v, weights


@wrong("2.5", "softmax over axis 1, the queries", "over-queries")
class SelfAttentionOverQueries(ThreeProjections):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=1)
        return weights @ v, weights


@wrong("2.5", "softmax over the batch", "over-batch")
class SelfAttentionOverBatch(ThreeProjections):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=0)
        return weights @ v, weights


@wrong("2.5", "keys.T on a batch", "all-axes-reversed")
class SelfAttentionCapitalT(ThreeProjections):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = torch.softmax(q @ k.T / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("2.5", "written for one sentence, no batch")
class SelfAttentionOfOneSentence(ThreeProjections):
    def forward(self, x):
        length, _ = x.shape
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = torch.softmax(q @ k.view(-1, length) / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("2.5", "the output alone", "only-out")
class SelfAttentionOutputAlone(ThreeProjections):
    def forward(self, x):
        return super().forward(x)[0]


@wrong("2.5", "the pair is swapped", "swapped-pair")
class SelfAttentionSwappedPair(ThreeProjections):
    def forward(self, x):
        out, weights = super().forward(x)
        return weights, out


@wrong("2.5", "a list", "returns-wrong-type")
class SelfAttentionAsAList(ThreeProjections):
    def forward(self, x):
        return list(super().forward(x))


@wrong("2.5", "nothing is returned", "returns-none")
class SelfAttentionNotReturned(ThreeProjections):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)
        self.out = weights @ v


@wrong("2.5", "scores returned instead of weights", "scores-returned")
class SelfAttentionScoresReturned(ThreeProjections):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])
        return torch.softmax(scores, dim=-1) @ v, scores


@wrong("2.5", "the values are the keys", "keys-as-values")
class SelfAttentionValuesByKeyLayer(ThreeProjections):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_key(x)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("2.5", "the values are x itself", "input-as-values")
class SelfAttentionValuesNotProjected(ThreeProjections):
    def forward(self, x):
        q, k = self.W_query(x), self.W_key(x)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ x, weights


@wrong("2.5", "the queries are made by the key layer and the other way round", "keys-ask")
class SelfAttentionQueriesAndKeysSwapped(ThreeProjections):
    def forward(self, x):
        q, k, v = self.W_key(x), self.W_query(x), self.W_value(x)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("2.5", "keys against queries", "keys-ask")
class SelfAttentionKeysAgainstQueries(ThreeProjections):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = torch.softmax(k @ q.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("2.5", "the queries are scored against the values", "values-as-keys")
class SelfAttentionScoresWithValues(ThreeProjections):
    def forward(self, x):
        q, v = self.W_query(x), self.W_value(x)
        weights = torch.softmax(q @ v.transpose(-2, -1) / math.sqrt(v.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("2.5", "the weights are transposed before the values", "weights-transposed")
class SelfAttentionWeightsTransposed(ThreeProjections):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)
        return weights.transpose(-2, -1) @ v, weights


@wrong("2.5", "the future is hidden, unasked")
class SelfAttentionCausal(ThreeProjections):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])
        future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        weights = torch.softmax(scores.masked_fill(future, -math.inf), dim=-1)
        return weights @ v, weights


@wrong("2.5", "with dropout", "not-repeatable")
class SelfAttentionWithDropout(ThreeProjections):
    def __init__(self, d_in, d_out):
        super().__init__(d_in, d_out)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        _, weights = super().forward(x)
        weights = self.dropout(weights)
        return weights @ self.W_value(x), weights


@wrong("2.5", "__init__ takes one argument only")
class SelfAttentionOneSize(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_query = nn.Linear(d_model, d_model, bias=False)
        self.W_key = nn.Linear(d_model, d_model, bias=False)
        self.W_value = nn.Linear(d_model, d_model, bias=False)

    forward = ThreeProjections.forward


@wrong("2.5", "forward wants q, k and v", "forward-arguments")
class SelfAttentionOfThreeInputs(ThreeProjections):
    def forward(self, q, k, v):
        q, k, v = self.W_query(q), self.W_key(k), self.W_value(v)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ v, weights


@wrong("2.5", "x is changed in place", "changes-input")
class SelfAttentionInPlace(ThreeProjections):
    def forward(self, x):
        x -= x.mean(dim=-1, keepdim=True)
        return super().forward(x)


@wrong("2.5", "x is added to the output")
class SelfAttentionWithResidual(ThreeProjections):
    def forward(self, x):
        out, weights = super().forward(x)
        return out + x, weights


@wrong("2.5", "not scaled, and with biases", "has-bias")
class SelfAttentionUnscaledWithBias(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out)
        self.W_key = nn.Linear(d_in, d_out)
        self.W_value = nn.Linear(d_in, d_out)

    forward = SelfAttentionUnscaled.forward


@wrong("2.5", "sizes read off the checker's messages", "wrong-projection-size")
class SelfAttentionSizesOfTheMessage(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(11, 13, bias=False)
        self.W_key = nn.Linear(11, 13, bias=False)
        self.W_value = nn.Linear(11, 13, bias=False)

    forward = ThreeProjections.forward


@wrong("2.5", "d_out ** 1 / 2: half of d_out", "root-without-brackets")
class SelfAttentionOverHalfOfD(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = (q @ k.transpose(-2, -1) / (q.size(-1) ** 1 / 2)).softmax(-1)
        return weights @ v, weights


class ScaledByEight(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.root = 8

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = (q @ k.transpose(-2, -1) / self.root).softmax(-1)
        return weights @ v, weights


wrong("2.5", "a fixed 8", "fixed-scale")(ScaledByEight)


@wrong("2.5", "a fixed root of 32", "fixed-scale")
class ScaledByTheRootOf32(ScaledByEight):
    def __init__(self, d_in, d_out):
        super().__init__(d_in, d_out)
        self.root = math.sqrt(32)


# ---- 3.1 causal_mask(length) -----------------------------------------------------------------------------------------


@wrong("3.1", "the upper triangle with the diagonal", "upside-down")
def causal_triu(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool))


@wrong("3.1", "inverted: True is hidden", "true-hides")
def causal_inverted(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


@wrong("3.1", "the lower triangle, negated", "true-hides")
def causal_negated_tril(length):
    return ~torch.tril(torch.ones(length, length, dtype=torch.bool))


@wrong("3.1", "the diagonal is hidden", "diagonal-hidden")
def causal_without_diagonal(length):
    return torch.tril(torch.ones(length, length, dtype=torch.bool), diagonal=-1)


@wrong("3.1", "the diagonal is hidden, by <", "diagonal-hidden")
def causal_by_less_than(length):
    positions = torch.arange(length)
    return positions[None, :] < positions[:, None]


@wrong("3.1", "one step into the future is seen", "one-step-ahead")
def causal_one_ahead(length):
    return torch.tril(torch.ones(length, length, dtype=torch.bool), diagonal=1)


@wrong("3.1", "float", "numbers-not-bool")
def causal_as_float(length):
    return torch.tril(torch.ones(length, length))


@wrong("3.1", "int", "numbers-not-bool")
def causal_as_int(length):
    return torch.tril(torch.ones(length, length, dtype=torch.int64))


@wrong("3.1", "uint8", "wrong-dtype")
def causal_as_bytes(length):
    return torch.tril(torch.ones(length, length)).byte()


@wrong("3.1", "0 and -inf, to be added", "additive")
def causal_additive(length):
    return torch.full((length, length), -math.inf).triu(1)


@wrong("3.1", "0 and -inf turned into bool, which inverts it", "true-hides")
def causal_additive_as_bool(length):
    return torch.full((length, length), float("-inf")).triu(1).bool()


@wrong("3.1", "float and inverted", "wrong-dtype")
def causal_float_inverted(length):
    return torch.triu(torch.ones(length, length), diagonal=1)


@wrong("3.1", "rows and columns swapped in the loop", "upside-down")
def causal_swapped_loop(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for query in range(length):
        for key in range(query + 1):
            mask[key, query] = True
    return mask


@wrong("3.1", "off by one in the loop", "diagonal-hidden")
def causal_loop_one_short(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for query in range(length):
        for key in range(query):
            mask[query, key] = True
    return mask


@wrong("3.1", "the last row is left out")
def causal_without_last_row(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for query in range(length - 1):
        mask[query, : query + 1] = True
    return mask


@wrong("3.1", "the diagonal alone", "only-itself")
def causal_identity(length):
    return torch.eye(length, dtype=torch.bool)


@wrong("3.1", "everything is seen", "everything-visible")
def causal_all_true(length):
    return torch.ones(length, length, dtype=torch.bool)


@wrong("3.1", "zeros under a tril: nothing is seen", "nothing-visible")
def causal_all_false(length):
    return torch.tril(torch.zeros(length, length)).bool()


@wrong("3.1", "a window: itself and the one before")
def causal_window(length):
    return torch.ones(length, length, dtype=torch.bool).tril().triu(-1)


@wrong("3.1", "the other diagonal")
def causal_flipped(length):
    return torch.ones(length, length, dtype=torch.bool).tril().flip(1)


@wrong("3.1", "an axis too many", "wrong-shape")
def causal_with_a_batch_axis(length):
    return torch.tril(torch.ones(1, length, length, dtype=torch.bool))


@wrong("3.1", "four axes", "wrong-shape")
def causal_with_four_axes(length):
    return torch.tril(torch.ones(length, length, dtype=torch.bool)).view(1, 1, length, length)


@wrong("3.1", "one row only", "wrong-shape")
def causal_one_row(length):
    return torch.arange(length) <= length - 1


@wrong("3.1", "one row and column too many", "wrong-shape")
def causal_too_large(length):
    return torch.tril(torch.ones(length + 1, length + 1, dtype=torch.bool))


@wrong("3.1", "six tokens, hard-coded", "wrong-shape")
def causal_hard_coded(length):
    return torch.tril(torch.ones(6, 6, dtype=torch.bool))


@wrong("3.1", "a numpy array", "returns-wrong-type")
def causal_as_numpy(length):
    return np.tri(length, dtype=bool)


@wrong("3.1", "nested lists", "returns-wrong-type")
def causal_as_lists(length):
    return [[key <= query for key in range(length)] for query in range(length)]


@wrong("3.1", "nothing is returned", "returns-none")
def causal_not_returned(length):
    print(torch.tril(torch.ones(length, length, dtype=torch.bool)))


@wrong("3.1", "tril of a number")
def causal_tril_of_a_number(length):
    return torch.tril(length).bool()


@wrong("3.1", "a dtype that does not exist")
def causal_wrong_dtype_name(length):
    return torch.tril(torch.ones(length, length, dtype=torch.boolean))


@wrong("3.1", "scores are wanted instead of a length")
def causal_of_scores(scores):
    length = scores.shape[-1]
    return torch.tril(torch.ones(length, length, dtype=torch.bool))


@wrong("3.1", "two sizes are wanted")
def causal_of_two_sizes(queries, keys):
    return torch.tril(torch.ones(queries, keys, dtype=torch.bool))


@wrong("3.1", "only the last token sees everything")
def causal_first_rows_empty(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    mask[-1] = True
    return mask


# ---- 3.2 mask_by_renormalizing(weights, mask) ------------------------------------------------------------------------


@wrong("3.2", "not made to sum to 1 again", "not-renormalised")
def renormalize_not(weights, mask):
    return weights * mask


@wrong("3.2", "not made to sum to 1 again, by masked_fill", "not-renormalised")
def renormalize_not_filled(weights, mask):
    return weights.masked_fill(~mask, 0.0)


@wrong("3.2", "made to sum to 1 before hiding", "not-renormalised")
def renormalize_before_hiding(weights, mask):
    return weights / weights.sum(dim=-1, keepdim=True) * mask


@wrong("3.2", "made to sum to 1 before hiding, the rows' own sums used", "not-renormalised")
def renormalize_by_old_sums(weights, mask):
    visible = weights * mask
    return visible / weights.sum(dim=-1, keepdim=True)


@wrong("3.2", "columns are made to sum to 1", "columns-renormalised")
def renormalize_columns(weights, mask):
    visible = weights * mask
    return visible / visible.sum(dim=-2, keepdim=True)


@wrong("3.2", "axis 1, right for matrices only", "columns-renormalised")
def renormalize_axis_1(weights, mask):
    visible = weights * mask
    return visible / visible.sum(dim=1, keepdim=True)


@wrong("3.2", "the sum without keepdim")
def renormalize_without_keepdim(weights, mask):
    visible = weights * mask
    return visible / visible.sum(dim=-1)


@wrong("3.2", "the sum of everything", "one-sum-for-all")
def renormalize_by_total(weights, mask):
    visible = weights * mask
    return visible / visible.sum()


@wrong("3.2", "divided by the number of visible keys", "divided-by-count")
def renormalize_by_count(weights, mask):
    return weights * mask / mask.sum(dim=-1, keepdim=True)


@wrong("3.2", "divided by the largest", "rows-do-not-sum-to-1")
def renormalize_by_max(weights, mask):
    visible = weights * mask
    return visible / visible.amax(dim=-1, keepdim=True)


@wrong("3.2", "divided by the Euclidean length", "rows-do-not-sum-to-1")
def renormalize_l2(weights, mask):
    return F.normalize(weights * mask, dim=-1)


@wrong("3.2", "a second softmax, zeros included", "softmax-again")
def renormalize_by_softmax(weights, mask):
    return torch.softmax(weights * mask, dim=-1)


@wrong("3.2", "the weights taken for scores: filled with -inf and softmax", "filled-weights")
def renormalize_by_filling(weights, mask):
    return torch.softmax(weights.masked_fill(~mask, float("-inf")), dim=-1)


@wrong("3.2", "the weights are filled with -inf", "not-finite")
def renormalize_filled_with_infinity(weights, mask):
    visible = weights.masked_fill(~mask, float("-inf"))
    return visible / visible.sum(dim=-1, keepdim=True)


@wrong("3.2", "inverted", "true-hides")
def renormalize_inverted(weights, mask):
    visible = weights.masked_fill(mask, 0.0)
    return visible / visible.sum(dim=-1, keepdim=True)


@wrong("3.2", "inverted, and not made to sum to 1", "true-hides")
def renormalize_inverted_not(weights, mask):
    return weights * ~mask


@wrong("3.2", "the mask is not used", "mask-ignored")
def renormalize_without_mask(weights, mask):
    return weights / weights.sum(dim=-1, keepdim=True)


@wrong("3.2", "a causal mask, whatever mask is given", "own-causal-mask")
def renormalize_always_causal(weights, mask):
    visible = torch.tril(weights)
    return visible / visible.sum(dim=-1, keepdim=True)


@wrong("3.2", "the mask is transposed")
def renormalize_mask_transposed(weights, mask):
    visible = weights * mask.transpose(-2, -1)
    return visible / visible.sum(dim=-1, keepdim=True)


@wrong("3.2", "the mask is multiplied by -inf", "not-finite")
def renormalize_times_infinity(weights, mask):
    visible = weights + (~mask) * float("-inf")
    return visible / visible.sum(dim=-1, keepdim=True)


@wrong("3.2", "the mask is added", "mask-added")
def renormalize_mask_added(weights, mask):
    visible = weights + mask
    return visible / visible.sum(dim=-1, keepdim=True)


@wrong("3.2", "the weights are changed in place", "changes-input")
def renormalize_in_place(weights, mask):
    weights *= mask
    return weights / weights.sum(dim=-1, keepdim=True)


@wrong("3.2", "masked_fill_ on the weights", "changes-input")
def renormalize_fill_in_place(weights, mask):
    weights.masked_fill_(~mask, 0)
    return weights / weights.sum(dim=-1, keepdim=True)


@wrong("3.2", "masked_fill is thrown away", "mask-ignored")
def renormalize_lost_fill(weights, mask):
    weights.masked_fill(~mask, 0)
    return weights / weights.sum(dim=-1, keepdim=True)


@wrong("3.2", "a large epsilon", "large-epsilon")
def renormalize_large_epsilon(weights, mask):
    visible = weights * mask
    return visible / (visible.sum(dim=-1, keepdim=True) + 0.01)


@wrong("3.2", "the sum is kept at 1 or above", "not-renormalised")
def renormalize_clamped_at_one(weights, mask):
    visible = weights * mask
    return visible / visible.sum(dim=-1, keepdim=True).clamp(min=1.0)


@wrong("3.2", "what is missing is shared out evenly")
def renormalize_by_sharing(weights, mask):
    visible = weights * mask
    missing = 1 - visible.sum(-1, keepdim=True)
    return visible + mask * missing / mask.sum(-1, keepdim=True)


@wrong("3.2", "all visible keys alike", "evenly-spread")
def renormalize_uniform(weights, mask):
    return (mask / mask.sum(-1, keepdim=True)).to(weights.dtype).expand_as(weights).clone()


@wrong("3.2", "1 - mask of a bool mask")
def renormalize_one_minus_bool(weights, mask):
    visible = weights - weights * (1 - mask)
    return visible / visible.sum(dim=-1, keepdim=True)


@wrong("3.2", "the visible weights only, flattened", "wrong-shape")
def renormalize_flattened(weights, mask):
    visible = weights[mask.expand_as(weights)]
    return visible / visible.sum()


@wrong("3.2", "indexing with a mask that is not broadcast")
def renormalize_by_indexing(weights, mask):
    result = weights.clone()
    result[~mask] = 0
    return result / result.sum(dim=-1, keepdim=True)


@wrong("3.2", "for matrices only")
def renormalize_matrices(weights, mask):
    result = torch.zeros_like(weights)
    for t in range(weights.shape[0]):
        for s in range(weights.shape[1]):
            if mask[t, s]:
                result[t, s] = weights[t, s]
        result[t] /= result[t].sum()
    return result


@wrong("3.2", "a misspelt argument")
def renormalize_misspelt(weights, mask):
    visible = weight * mask  # noqa: F821
    return visible / visible.sum(dim=-1, keepdim=True)


@wrong("3.2", "a misspelt keyword")
def renormalize_keepdims(weights, mask):
    visible = weights * mask
    return visible / visible.sum(dim=-1, keep_dim=True)


@wrong("3.2", "nothing is returned", "returns-none")
def renormalize_not_returned(weights, mask):
    visible = weights * mask
    visible /= visible.sum(dim=-1, keepdim=True)


@wrong("3.2", "a numpy array", "returns-wrong-type")
def renormalize_as_numpy(weights, mask):
    visible = weights.numpy() * mask.numpy()
    return visible / visible.sum(-1, keepdims=True)


@wrong("3.2", "a pair", "returns-wrong-type")
def renormalize_as_a_pair(weights, mask):
    visible = weights * mask
    return visible / visible.sum(dim=-1, keepdim=True), mask


@wrong("3.2", "always float32", "wrong-dtype")
def renormalize_always_float32(weights, mask):
    visible = (weights * mask).float()
    return visible / visible.sum(dim=-1, keepdim=True)


# ---- 3.3 mask_by_filling(scores, mask) -------------------------------------------------------------------------------


@wrong("3.3", "scores times mask: hidden scores are 0, not hidden", "zero-filled")
def filled_with_zero(scores, mask):
    return torch.softmax(scores * mask, dim=-1)


@wrong("3.3", "filled with 0 by masked_fill", "zero-filled")
def filled_with_zero_by_fill(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, 0), dim=-1)


@wrong("3.3", "inverted", "true-hides")
def filled_inverted(scores, mask):
    return torch.softmax(scores.masked_fill(mask, float("-inf")), dim=-1)


@wrong("3.3", "inverted, with -1e9", "true-hides")
def filled_inverted_finite(scores, mask):
    return torch.softmax(scores.masked_fill(mask, -1e9), dim=-1)


@wrong("3.3", "the arguments of where swapped", "true-hides")
def filled_where_swapped(scores, mask):
    return torch.where(mask, -1e9, scores).softmax(dim=-1)


@wrong("3.3", "-10 is not low enough", "weak-fill")
def filled_with_minus_ten(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, -10), dim=-1)


@wrong("3.3", "-1", "weak-fill")
def filled_with_minus_one(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, -1.0), dim=-1)


@wrong("3.3", "1e-9 written for -1e9", "zero-filled")
def filled_with_small_positive(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, 1e-9), dim=-1)


@wrong("3.3", "-1e-9 written for -1e9", "zero-filled")
def filled_with_small_negative(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, -1e-9), dim=-1)


@wrong("3.3", "finfo.tiny written for finfo.min", "zero-filled")
def filled_with_tiny(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).tiny), dim=-1)


@wrong("3.3", "the lowest score in the row", "hidden-keys-read")
def filled_with_lowest_score(scores, mask):
    return torch.where(mask, scores, scores.amin(-1, keepdim=True)).softmax(-1)


@wrong("3.3", "+inf", "infinite-fill")
def filled_with_plus_infinity(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("inf")), dim=-1)


@wrong("3.3", "1e9, the sign forgotten", "positive-fill")
def filled_with_plus_milliard(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, 1e9), dim=-1)


@wrong("3.3", "NaN", "infinite-fill")
def filled_with_nan(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("nan")), dim=-1)


@wrong("3.3", "-1e40, too large for float32")
def filled_too_large(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, -1e40), dim=-1)


@wrong("3.3", "(1 - mask) * -inf: 0 * -inf is NaN", "zero-times-infinity")
def filled_by_product_with_infinity(scores, mask):
    return torch.softmax(scores + (1 - mask.to(scores.dtype)) * float("-inf"), dim=-1)


@wrong("3.3", "~mask * -inf, multiplied into the scores", "zero-times-infinity")
def filled_by_scores_times_infinity(scores, mask):
    return torch.softmax(scores * (~mask * float("-inf")), dim=-1)


@wrong("3.3", "mask * -1e9 is added: inverted", "true-hides")
def filled_by_adding_inverted(scores, mask):
    return torch.softmax(scores + mask * -1e9, dim=-1)


@wrong("3.3", "the scores are multiplied by -1e9 where hidden", "hidden-keys-read")
def filled_by_multiplying(scores, mask):
    return torch.softmax(torch.where(mask, scores, scores * -1e9), dim=-1)


@wrong("3.3", "the 0/1 mask is added", "mask-added")
def filled_by_adding_the_mask(scores, mask):
    return torch.softmax(scores + mask, dim=-1)


@wrong("3.3", "1 - mask of a bool mask")
def filled_one_minus_bool(scores, mask):
    return torch.softmax(scores + (1 - mask) * -1e9, dim=-1)


@wrong("3.3", "the mask is not used", "mask-ignored")
def filled_without_mask(scores, mask):
    return torch.softmax(scores, dim=-1)


@wrong("3.3", "masked_fill is thrown away", "mask-ignored")
def filled_and_lost(scores, mask):
    scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, dim=-1)


@wrong("3.3", "the scores are filled in place", "changes-input")
def filled_in_place(scores, mask):
    scores.masked_fill_(~mask, float("-inf"))
    return torch.softmax(scores, dim=-1)


@wrong("3.3", "the scores are filled in place by indexing", "changes-input")
def filled_in_place_by_index(scores, mask):
    scores[~mask.expand_as(scores)] = -1e9
    return torch.softmax(scores, dim=-1)


@wrong("3.3", "no softmax", "no-softmax")
def filled_without_softmax(scores, mask):
    return scores.masked_fill(~mask, float("-inf"))


@wrong("3.3", "softmax over the queries", "over-queries")
def filled_over_queries(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, -1e9), dim=-2)


@wrong("3.3", "softmax over axis 1", "axis-from-the-front")
def filled_over_axis_1(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=1)


@wrong("3.3", "softmax over axis 0", "axis-from-the-front")
def filled_over_axis_0(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, -1e9), dim=0)


@wrong("3.3", "filled with 0 after the softmax, not made to sum to 1", "masked-after-softmax")
def filled_after_softmax(scores, mask):
    return torch.softmax(scores, dim=-1).masked_fill(~mask, 0)


@wrong("3.3", "filled with -inf after the softmax", "weights-filled")
def filled_after_softmax_with_infinity(scores, mask):
    return torch.softmax(scores, dim=-1).masked_fill(~mask, float("-inf"))


@wrong("3.3", "exp of the visible, the sum of all", "masked-after-softmax")
def filled_sum_of_all(scores, mask):
    powers = torch.exp(scores - scores.amax(-1, keepdim=True))
    return powers * mask / powers.sum(-1, keepdim=True)


@wrong("3.3", "a second softmax", "softmax-twice")
def filled_and_softmax_twice(scores, mask):
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    return torch.softmax(weights, dim=-1)


@wrong("3.3", "scaled by the root of the number of keys, unasked", "scaled-again")
def filled_and_scaled(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, -1e9) / math.sqrt(scores.shape[-1]), dim=-1)


@wrong("3.3", "a causal mask, whatever mask is given", "own-causal-mask")
def filled_always_causal(scores, mask):
    allowed = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return torch.softmax(scores.masked_fill(~allowed, float("-inf")), dim=-1)


@wrong("3.3", "the diagonal is hidden too", "hidden-keys-read")
def filled_diagonal_too(scores, mask):
    diagonal = torch.eye(*scores.shape[-2:], dtype=torch.bool)
    return torch.softmax(scores.masked_fill(~mask | diagonal, -1e9), dim=-1)


@wrong("3.3", "the mask is transposed")
def filled_mask_transposed(scores, mask):
    return torch.softmax(scores.masked_fill(~mask.transpose(-2, -1), -1e9), dim=-1)


@wrong("3.3", "the mask gets an axis more")
def filled_mask_unsqueezed(scores, mask):
    return torch.softmax(scores.masked_fill(~mask.unsqueeze(1), -1e9), dim=-1)


@wrong("3.3", "indexing with a mask that is not broadcast")
def filled_by_indexing(scores, mask):
    filled = scores.clone()
    filled[~mask] = float("-inf")
    return torch.softmax(filled, dim=-1)


@wrong("3.3", "loops for matrices only")
def filled_matrices(scores, mask):
    queries, keys = scores.shape
    filled = scores.clone()
    for t in range(queries):
        for s in range(keys):
            if not mask[t, s]:
                filled[t, s] = float("-inf")
    return torch.softmax(filled, dim=-1)


@wrong("3.3", "not instead of ~")
def filled_by_not(scores, mask):
    return torch.softmax(scores.masked_fill(not mask, float("-inf")), dim=-1)


@wrong("3.3", "- instead of ~")
def filled_by_minus(scores, mask):
    return torch.softmax(scores.masked_fill(-mask, float("-inf")), dim=-1)


@wrong("3.3", "inf without its module")
def filled_with_bare_inf(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, -inf), dim=-1)  # noqa: F821


@wrong("3.3", "mask == False through an if on a tensor")
def filled_by_if(scores, mask):
    if mask:
        return torch.softmax(scores, dim=-1)
    return torch.softmax(scores - 1e9, dim=-1)


@wrong("3.3", "nothing is returned", "returns-none")
def filled_not_returned(scores, mask):
    filled = scores.masked_fill(~mask, float("-inf"))
    print(torch.softmax(filled, dim=-1))


@wrong("3.3", "a pair", "returns-wrong-type")
def filled_as_a_pair(scores, mask):
    filled = scores.masked_fill(~mask, float("-inf"))
    return filled.softmax(-1), filled


@wrong("3.3", "always float64", "wrong-dtype")
def filled_always_float64(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1, dtype=torch.float64)


@wrong("3.3", "inverted, and over the queries", "hidden-keys-read")
def filled_inverted_over_queries(scores, mask):
    return torch.softmax(scores.masked_fill(mask, -1e9), dim=-2)


@wrong("3.3", "a fill 10 below the least score: too near", "weak-fill")
def filled_3_ten_below_the_least(scores, mask):
    return scores.masked_fill(~mask, float(scores.min()) - 10).softmax(-1)


@wrong("3.3", "a fill 5 below the least score of each row", "weak-fill")
def filled_3_five_below_the_least_of_a_row(scores, mask):
    low = scores.min(dim=-1, keepdim=True).values - 5
    return torch.where(mask, scores, low).softmax(-1)


@wrong("3.3", "a dropout that nobody asked for", "not-repeatable")
def filled_3_and_dropped(scores, mask):
    weights = scores.masked_fill(~mask, -1e9).softmax(-1).masked_fill(~mask, 0.0)
    return F.dropout(weights, 0.1)


# ---- 3.4 padding_mask(lengths, max_length) ---------------------------------------------------------------------------


@wrong("3.4", "no axis for the queries: (B, max_length)", "no-query-axis")
def padding_two_axes(lengths, max_length):
    return torch.arange(max_length) < lengths[:, None]


@wrong("3.4", "the axis of size 1 at the end: query rows are hidden", "queries-not-keys")
def padding_axis_at_the_end(lengths, max_length):
    return (torch.arange(max_length) < lengths[:, None]).unsqueeze(-1)


@wrong("3.4", "the axis of size 1 in front", "batch-in-the-middle")
def padding_axis_in_front(lengths, max_length):
    return (torch.arange(max_length) < lengths[:, None])[None]


@wrong("3.4", "an axis for the heads too", "wrong-shape")
def padding_four_axes(lengths, max_length):
    return (torch.arange(max_length) < lengths[:, None])[:, None, None, :]


@wrong("3.4", "written out for every query", "full-size")
def padding_expanded(lengths, max_length):
    mask = torch.arange(max_length) < lengths[:, None]
    return mask[:, None, :].expand(-1, max_length, -1)


@wrong("3.4", "pairs of real tokens: query rows are hidden too", "queries-too")
def padding_pairs(lengths, max_length):
    mask = torch.arange(max_length) < lengths[:, None]
    return mask[:, None, :] & mask[:, :, None]


@wrong("3.4", "inverted", "true-hides")
def padding_inverted(lengths, max_length):
    return torch.arange(max_length) >= lengths[:, None, None]


@wrong("3.4", "inverted and without the axis for the queries", "wrong-shape")
def padding_inverted_two_axes(lengths, max_length):
    return torch.arange(max_length) >= lengths[:, None]


@wrong("3.4", "> instead of >=, inverted and one too many", "true-hides")
def padding_greater(lengths, max_length):
    return torch.arange(max_length) > lengths[:, None, None]


@wrong("3.4", "<= instead of <: one padding key is seen", "one-too-many")
def padding_one_too_many(lengths, max_length):
    return torch.arange(max_length) <= lengths[:, None, None]


@wrong("3.4", "counted from 1: the last real token is hidden", "one-too-few")
def padding_counted_from_one(lengths, max_length):
    return torch.arange(1, max_length + 1) < lengths[:, None, None]


@wrong("3.4", "the last real token is hidden, by a slice", "one-too-few")
def padding_slice_one_short(lengths, max_length):
    mask = torch.zeros(len(lengths), 1, max_length, dtype=torch.bool)
    for i, length in enumerate(lengths):
        mask[i, 0, : length - 1] = True
    return mask


@wrong("3.4", "only the place after the last token")
def padding_equal(lengths, max_length):
    return torch.arange(max_length) == lengths[:, None, None]


@wrong("3.4", "padding in front", "padding-in-front")
def padding_in_front(lengths, max_length):
    return torch.arange(max_length) >= (max_length - lengths)[:, None, None]


@wrong("3.4", "the longest length is used instead of max_length", "to-the-longest")
def padding_to_the_longest(lengths, max_length):
    return torch.arange(int(lengths.max())) < lengths[:, None, None]


@wrong("3.4", "the number of items is used instead of max_length", "wrong-shape")
def padding_to_the_batch(lengths, max_length):
    return torch.arange(len(lengths)) < lengths[:, None, None]


@wrong("3.4", "lengths along the wrong axis")
def padding_lengths_as_a_row(lengths, max_length):
    return (torch.arange(max_length) < lengths).unsqueeze(1)


@wrong("3.4", "lengths along the wrong axis, keys down the other", "wrong-shape")
def padding_transposed(lengths, max_length):
    return (torch.arange(max_length)[:, None] < lengths[None, :]).unsqueeze(1)


@wrong("3.4", "float", "numbers-not-bool")
def padding_as_float(lengths, max_length):
    return (torch.arange(max_length) < lengths[:, None, None]).float()


@wrong("3.4", "zeros without a dtype: float", "numbers-not-bool")
def padding_zeros_without_dtype(lengths, max_length):
    mask = torch.zeros(len(lengths), 1, max_length)
    for i, length in enumerate(lengths):
        mask[i, :, :length] = True
    return mask


@wrong("3.4", "int", "numbers-not-bool")
def padding_as_int(lengths, max_length):
    return (torch.arange(max_length) < lengths[:, None, None]).long()


@wrong("3.4", "0 and -inf, to be added", "wrong-dtype")
def padding_additive(lengths, max_length):
    mask = torch.zeros(len(lengths), 1, max_length)
    return mask.masked_fill(torch.arange(max_length) >= lengths[:, None, None], float("-inf"))


@wrong("3.4", "the first item's length for all", "first-item-only")
def padding_first_length(lengths, max_length):
    return (torch.arange(max_length) < lengths[0]).expand(len(lengths), 1, max_length)


@wrong("3.4", "return inside the loop")
def padding_return_in_loop(lengths, max_length):
    mask = torch.zeros(len(lengths), 1, max_length, dtype=torch.bool)
    for i, length in enumerate(lengths):
        mask[i, 0, :length] = True
        return mask


@wrong("3.4", "all True", "everything-visible")
def padding_all_true(lengths, max_length):
    return torch.ones(len(lengths), 1, max_length, dtype=torch.bool)


@wrong("3.4", "zero lengths looked for instead of padded places", "everything-visible")
def padding_of_nonzero_lengths(lengths, max_length):
    return (lengths != 0)[:, None, None].expand(-1, 1, max_length)


@wrong("3.4", "causal as well", "wrong-shape")
def padding_and_causal(lengths, max_length):
    causal = torch.ones(max_length, max_length, dtype=torch.bool).tril()
    return (torch.arange(max_length) < lengths[:, None, None]) & causal


@wrong("3.4", "the arguments the other way round")
def padding_arguments_swapped(max_length, lengths):
    return torch.arange(max_length) < lengths[:, None, None]


@wrong("3.4", "the lengths are changed in place", "changes-input")
def padding_in_place(lengths, max_length):
    lengths -= 1
    return torch.arange(max_length) <= lengths[:, None, None]


@wrong("3.4", "a list comes out", "returns-wrong-type")
def padding_as_lists(lengths, max_length):
    return [[[key < length for key in range(max_length)]] for length in lengths.tolist()]


@wrong("3.4", "a list of tensors", "returns-wrong-type")
def padding_as_a_list_of_tensors(lengths, max_length):
    return [torch.arange(max_length)[None] < length for length in lengths]


@wrong("3.4", "a numpy array", "returns-wrong-type")
def padding_as_numpy(lengths, max_length):
    return np.arange(max_length) < lengths.numpy()[:, None, None]


@wrong("3.4", "nothing is returned", "returns-none")
def padding_not_returned(lengths, max_length):
    mask = torch.arange(max_length) < lengths[:, None, None]
    print(mask)


@wrong("3.4", "range of a tensor of lengths")
def padding_range_of_a_tensor(lengths, max_length):
    mask = torch.zeros(len(lengths), 1, max_length, dtype=torch.bool)
    for i in range(len(lengths)):
        for j in range(lengths):
            mask[i, 0, j] = True
    return mask


@wrong("3.4", "an if on a tensor of several truths")
def padding_if_on_a_tensor(lengths, max_length):
    mask = torch.zeros(len(lengths), 1, max_length, dtype=torch.bool)
    for key in range(max_length):
        if key < lengths:
            mask[:, 0, key] = True
    return mask


@wrong("3.4", "one argument only")
def padding_of_one_argument(lengths):
    return torch.arange(int(lengths.max())) < lengths[:, None, None]


@wrong("3.4", "unsqueeze misspelt")
def padding_misspelt(lengths, max_length):
    return torch.arange(max_length) < lengths.unsqeeze(1).unsqeeze(2)


@wrong("3.4", "an index one past the end")
def padding_index_past_the_end(lengths, max_length):
    mask = torch.zeros(len(lengths), 1, max_length, dtype=torch.bool)
    for i, length in enumerate(lengths):
        for j in range(length + 1):
            mask[i, 0, j] = True
    return mask


# ---- 3.5 masked_softmax(scores, mask) --------------------------------------------------------------------------------


@wrong("3.5", "filled with -inf: NaN where nothing is visible", "nan-rows")
def masked_softmax_unmended(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)


@wrong("3.5", "filled with -1e9: uniform where nothing is visible", "uniform-rows")
def masked_softmax_uniform(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)


@wrong("3.5", "filled with finfo.min: uniform where nothing is visible", "uniform-rows")
def masked_softmax_uniform_by_finfo(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), dim=-1)


@wrong("3.5", "-10000 added: the row is unmasked where nothing is visible", "unmasked-rows")
def masked_softmax_minus_ten_thousand_added(scores, mask):
    return torch.softmax(scores + (1 - mask.to(scores.dtype)) * -10000.0, dim=-1)


@wrong("3.5", "nan_to_num before the softmax", "uniform-rows")
def masked_softmax_mended_too_early(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")).nan_to_num(), dim=-1)


@wrong("3.5", "NaN multiplied by 0 stays NaN", "nan-rows")
def masked_softmax_nan_times_zero(scores, mask):
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    return weights * mask.any(dim=-1, keepdim=True)


@wrong("3.5", "NaN looked for with ==", "nan-rows")
def masked_softmax_nan_equals(scores, mask):
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    return torch.where(weights == float("nan"), 0.0, weights)


@wrong("3.5", "NaN made 1", "hidden-keys-read")
def masked_softmax_nan_to_one(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1).nan_to_num(1.0)


@wrong("3.5", "NaN made 1 / S", "uniform-rows")
def masked_softmax_nan_to_uniform(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1).nan_to_num(1 / scores.shape[-1])


@wrong("3.5", "an added -inf mask, mended afterwards: NaN gradients", "nan-gradients")
def masked_softmax_added_infinities(scores, mask):
    return torch.softmax(scores + mask.to(scores.dtype).log(), dim=-1).nan_to_num(0.0)


@wrong("3.5", "0/0 behind torch.where: right numbers, NaN gradients", "nan-gradients")
def masked_softmax_where_trap(scores, mask):
    powers = torch.exp(scores - scores.amax(-1, keepdim=True)) * mask
    total = powers.sum(-1, keepdim=True)
    return torch.where(total > 0, powers / total, 0.0)


@wrong("3.5", "the softmax's result is zeroed in place: backward fails")
def masked_softmax_zeroed_in_place(scores, mask):
    weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)
    weights[~mask.expand_as(weights)] = 0
    return weights


@wrong("3.5", "nan_to_num_ in place: backward fails")
def masked_softmax_mended_in_place(scores, mask):
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    return weights.nan_to_num_(0.0)


@wrong("3.5", "detached", "no-gradients")
def masked_softmax_detached(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1).nan_to_num(0.0).detach()


@wrong("3.5", "under no_grad", "no-gradients")
def masked_softmax_under_no_grad(scores, mask):
    with torch.no_grad():
        return scores.masked_fill(~mask, -1e9).softmax(-1) * mask


@wrong("3.5", "through .data", "no-gradients")
def masked_softmax_through_data(scores, mask):
    return (scores.data.masked_fill(~mask, -1e9).softmax(-1) * mask).to(scores.dtype)


@wrong("3.5", "through numpy: no gradients", "no-gradients")
def masked_softmax_through_numpy(scores, mask):
    filled = np.where(mask.numpy(), scores.detach().numpy(), -1e30)
    powers = np.exp(filled - filled.max(-1, keepdims=True)) * mask.numpy()
    return torch.from_numpy(powers / np.maximum(powers.sum(-1, keepdims=True), 1e-30)).to(scores.dtype)


@wrong("3.5", "through a Python list: no gradients", "no-gradients")
def masked_softmax_through_lists(scores, mask):
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1).nan_to_num(0.0)
    return torch.tensor(weights.tolist(), dtype=scores.dtype)


@wrong("3.5", "numpy() on a tensor that wants gradients")
def masked_softmax_numpy_of_gradients(scores, mask):
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    return torch.from_numpy(np.nan_to_num(weights.numpy()))


@wrong("3.5", "inverted", "true-hides")
def masked_softmax_inverted(scores, mask):
    return torch.softmax(scores.masked_fill(mask, float("-inf")), dim=-1).nan_to_num(0.0)


@wrong("3.5", "hidden scores are 0, not hidden", "zero-filled")
def masked_softmax_times_mask(scores, mask):
    return torch.softmax(scores * mask, dim=-1) * mask


@wrong("3.5", "over the queries", "over-queries")
def masked_softmax_over_queries(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-2).nan_to_num(0.0)


@wrong("3.5", "over axis 1", "axis-from-the-front")
def masked_softmax_over_axis_1(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=1).nan_to_num(0.0)


@wrong("3.5", "not made to sum to 1", "masked-after-softmax")
def masked_softmax_not_renormalized(scores, mask):
    return torch.softmax(scores, dim=-1) * mask


@wrong("3.5", "renormalised: 0/0 where nothing is visible", "nan-rows")
def masked_softmax_renormalized(scores, mask):
    weights = torch.softmax(scores, dim=-1) * mask
    return weights / weights.sum(-1, keepdim=True)


@wrong("3.5", "-10, then zeroed", "weak-fill")
def masked_softmax_minus_ten(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, -10.0), dim=-1) * mask


@wrong("3.5", "empty rows are opened, and left open", "unmasked-rows")
def masked_softmax_empty_rows_unmasked(scores, mask):
    empty = ~mask.any(dim=-1, keepdim=True)
    return torch.softmax(scores.masked_fill(~(mask | empty), float("-inf")), dim=-1)


@wrong("3.5", "empty columns looked for instead of empty rows", "hidden-keys-read")
def masked_softmax_empty_columns(scores, mask):
    allowed = mask.expand_as(scores)
    weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)
    return weights.masked_fill(~allowed.any(dim=-2, keepdim=True), 0.0)


@wrong("3.5", "zeros only if the whole mask is empty", "uniform-rows")
def masked_softmax_whole_mask(scores, mask):
    if not mask.any():
        return torch.zeros_like(scores)
    return torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)


@wrong("3.5", "everything is zero as soon as one row is empty", "rows-do-not-sum-to-1")
def masked_softmax_all_or_nothing(scores, mask):
    if (~mask.any(dim=-1)).any():
        return scores * 0
    return torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)


@wrong("3.5", "any without keepdim")
def masked_softmax_any_without_keepdim(scores, mask):
    weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)
    return weights.masked_fill(~mask.any(dim=-1), 0.0)


@wrong("3.5", "an if on several rows at once")
def masked_softmax_if_on_rows(scores, mask):
    weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)
    if mask.any(dim=-1):
        return weights
    return weights * 0


@wrong("3.5", "the scores are changed in place", "changes-input")
def masked_softmax_in_place(scores, mask):
    with torch.no_grad():
        scores[~mask.expand_as(scores)] = -1e9
    return torch.softmax(scores, dim=-1) * mask


@wrong("3.5", "masked_fill_ on an input that wants gradients", "changes-input")
def masked_softmax_fill_in_place(scores, mask):
    scores.masked_fill_(~mask, float("-inf"))
    return torch.softmax(scores, dim=-1).nan_to_num(0.0)


@wrong("3.5", "the mask is not used", "mask-ignored")
def masked_softmax_without_mask(scores, mask):
    return torch.softmax(scores, dim=-1)


@wrong("3.5", "nothing is returned", "returns-none")
def masked_softmax_not_returned(scores, mask):
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    weights = weights.nan_to_num(0.0)


@wrong("3.5", "a pair", "returns-wrong-type")
def masked_softmax_as_a_pair(scores, mask):
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1).nan_to_num(0.0)
    return weights, mask.any(-1)


@wrong("3.5", "always float64", "wrong-dtype")
def masked_softmax_always_float64(scores, mask):
    return torch.softmax(scores.double().masked_fill(~mask, float("-inf")), dim=-1).nan_to_num(0.0)


@wrong("3.5", "always float32", "wrong-dtype")
def masked_softmax_always_float32(scores, mask):
    weights = torch.zeros(scores.shape)
    weights[...] = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1).nan_to_num(0.0)
    return weights


@wrong("3.5", "a keyword that nan_to_num does not have")
def masked_softmax_wrong_keyword(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1).nan_to_num(value=0.0)


@wrong("3.5", "a misspelt method")
def masked_softmax_misspelt(scores, mask):
    return torch.softmax(scores.mask_fill(~mask, float("-inf")), dim=-1).nan_to_num(0.0)


@wrong("3.5", "negative infinities are left where nothing is visible", "not-finite")
def masked_softmax_returns_infinities(scores, mask):
    weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)
    return weights.masked_fill(~mask.any(-1, keepdim=True), float("-inf"))


@wrong("3.5", "a fill 10 below the least score: too near", "weak-fill")
def filled_5_ten_below_the_least(scores, mask):
    return scores.masked_fill(~mask, float(scores.min()) - 10).softmax(-1).masked_fill(~mask, 0.0)


@wrong("3.5", "a fill 5 below the least score of each row", "weak-fill")
def filled_5_five_below_the_least_of_a_row(scores, mask):
    low = scores.min(dim=-1, keepdim=True).values - 5
    return torch.where(mask, scores, low).softmax(-1).masked_fill(~mask, 0.0)


@wrong("3.5", "a dropout that nobody asked for", "not-repeatable")
def filled_5_and_dropped(scores, mask):
    weights = scores.masked_fill(~mask, -1e9).softmax(-1).masked_fill(~mask, 0.0)
    return F.dropout(weights, 0.1)


# ---- 4.1 dropout(x, p, generator=None) -------------------------------------------------------------------------------


@wrong("4.1", "kept numbers are not divided", "not-scaled")
def dropout_not_scaled(x, p, generator=None):
    keep = torch.rand(x.shape, generator=generator) > p
    return torch.where(keep, x, 0)


@wrong("4.1", "multiplied by 1 - p", "times-one-minus-p")
def dropout_times_q(x, p, generator=None):
    return x * (1 - p) * torch.bernoulli(torch.full_like(x, 1 - p), generator=generator)


@wrong("4.1", "divided by p", "divided-by-p")
def dropout_over_p(x, p, generator=None):
    return x * (torch.rand(x.shape, generator=generator) >= p) / p


@wrong("4.1", "multiplied by 1 + p", "one-plus-p")
def dropout_one_plus_p(x, p, generator=None):
    return (x * (1 + p)).masked_fill(torch.rand(x.shape, generator=generator) < p, 0)


@wrong("4.1", "the mask of the dropped ones kept", "share-turned-around")
def dropout_keeps_below_p(x, p, generator=None):
    mask = (torch.rand(x.shape, generator=generator) < p).float()
    return x * mask / (1 - p)


@wrong("4.1", "bernoulli of p keeps p", "share-turned-around")
def dropout_bernoulli_of_p(x, p, generator=None):
    return x * torch.bernoulli(torch.full(x.shape, p), generator=generator) / (1 - p)


@wrong("4.1", "p is the share kept", "p-kept")
def dropout_p_is_kept(x, p, generator=None):
    return x * torch.bernoulli(torch.full(x.shape, p), generator=generator) / p


@wrong("4.1", "nothing dropped: the result is thrown away", "nothing-dropped")
def dropout_thrown_away(x, p, generator=None):
    x.masked_fill(torch.rand(x.shape, generator=generator) < p, 0)
    return x


@wrong("4.1", "the expectation instead of a draw", "only-scaled")
def dropout_expectation(x, p, generator=None):
    return (1 - p) * x


@wrong("4.1", "whole rows", "whole-rows")
def dropout_rows(x, p, generator=None):
    keep = torch.rand(*x.shape[:-1], 1, generator=generator) >= p
    return x * keep / (1 - p)


@wrong("4.1", "one draw for each column", "zeros-repeated")
def dropout_columns(x, p, generator=None):
    return x * (torch.rand(x.size(-1), generator=generator) >= p) / (1 - p)


@wrong("4.1", "one draw for all items", "zeros-repeated")
def dropout_like_the_first_item(x, p, generator=None):
    keep = torch.rand(x.shape[1:], generator=generator) >= p
    return x * keep / (1 - p)


@wrong("4.1", "one draw for each entry of the first axis", "zeros-tied")
def dropout_items(x, p, generator=None):
    keep = torch.rand(x.size(0), *[1] * (x.dim() - 1), generator=generator) >= p
    return x * keep / (1 - p)


@wrong("4.1", "divided by the share that was counted", "counted-share")
def dropout_by_counting(x, p, generator=None):
    keep = torch.rand(x.shape, generator=generator) >= p
    return x * keep * x.numel() / keep.sum()


@wrong("4.1", "the mask alone", "mask-returned")
def dropout_only_mask(x, p, generator=None):
    return (torch.rand(x.shape, generator=generator) >= p).to(x.dtype) / (1 - p)


@wrong("4.1", "dropped twice", "dropped-twice")
def dropout_twice(x, p, generator=None):
    for _ in range(2):
        x = x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)
    return x


@wrong("4.1", "randn instead of rand", "normal-not-uniform")
def dropout_of_randn(x, p, generator=None):
    return torch.where(torch.randn(x.shape, generator=generator) < p, 0, x / (1 - p))


@wrong("4.1", "always a half", "always-half")
def dropout_of_coins(x, p, generator=None):
    return x * torch.randint(0, 2, x.shape, generator=generator) * 2


@wrong("4.1", "always a half, divided by 1 - p", "always-half")
def dropout_of_rounded_numbers(x, p, generator=None):
    return x * torch.rand(x.shape, generator=generator).round() / (1 - p)


@wrong("4.1", "the generator is not used: rand_like", "generator-ignored")
def dropout_rand_like(x, p, generator=None):
    return x * (torch.rand_like(x) >= p) / (1 - p)


@wrong("4.1", "the generator is not used: F.dropout", "generator-ignored")
def dropout_of_torch(x, p, generator=None):
    return F.dropout(x, p)


@wrong("4.1", "numpy's own generator", "generator-ignored")
def dropout_by_numpy(x, p, generator=None):
    keep = torch.from_numpy(np.random.random_sample(x.shape)) >= p
    return x * keep / (1 - p)


@wrong("4.1", "the seed is drawn anew", "generator-ignored")
def dropout_reseeded_by_chance(x, p, generator=None):
    generator = torch.Generator()
    generator.seed()
    return x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)


@wrong("4.1", "seeded inside", "same-zeros")
def dropout_seeded(x, p, generator=None):
    torch.manual_seed(42)
    return x * (torch.rand(x.shape) >= p) / (1 - p)


@wrong("4.1", "a generator of its own, with a fixed seed", "same-zeros")
def dropout_own_generator(x, p, generator=None):
    g = torch.Generator().manual_seed(0)
    return x * (torch.rand(x.shape, generator=g) >= p) / (1 - p)


@wrong("4.1", "the generator is put back to its seed", "same-zeros")
def dropout_rewound(x, p, generator=None):
    if generator is not None:
        generator.manual_seed(generator.initial_seed())
    return x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)


@wrong("4.1", "the smallest numbers are dropped", "zeros-tied")
def dropout_of_the_smallest(x, p, generator=None):
    return torch.where(x.flatten().argsort().argsort().reshape(x.shape) < p * x.numel(), 0, x) / (1 - p)


@wrong("4.1", "a new generator where none is given", "not-repeatable")
def dropout_fresh_generator(x, p, generator=None):
    generator = generator or torch.Generator()
    return x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)


@wrong("4.1", "numpy where no generator is given", "not-repeatable")
def dropout_numpy_without_generator(x, p, generator=None):
    noise = torch.rand(x.shape, generator=generator) if generator else torch.from_numpy(np.random.rand(*x.shape))
    return x * (noise >= p) / (1 - p)


@wrong("4.1", "the global generator is seeded by the way", "seeds-everything")
def dropout_seeds_everything(x, p, generator=None):
    if generator is not None:
        torch.manual_seed(0)
    return x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)


@wrong("4.1", "exactly a share of p is dropped", "counted-out")
def dropout_counted_out(x, p, generator=None):
    order = torch.randperm(x.numel(), generator=generator).reshape(x.shape)
    return x * (order >= round(p * x.numel())) / (1 - p)


@wrong("4.1", "the first numbers are dropped", "zeros-tied")
def dropout_of_the_first(x, p, generator=None):
    place = torch.arange(x.numel()).reshape(x.shape)
    return x * (place >= p * x.numel()) / (1 - p)


@wrong("4.1", "p squared: two masks multiplied", "wrong-share")
def dropout_two_masks(x, p, generator=None):
    dropped = (torch.rand(x.shape, generator=generator) < p) & (torch.rand(x.shape, generator=generator) < p)
    return x * ~dropped / (1 - p)


@wrong("4.1", "noise instead of zeros", "wrong-share")
def dropout_as_noise(x, p, generator=None):
    return x * (1 + p * torch.randn(x.shape, generator=generator))


@wrong("4.1", "scaled by the root", "wrong-scale")
def dropout_scaled_by_the_root(x, p, generator=None):
    return x * (torch.rand(x.shape, generator=generator) >= p) / math.sqrt(1 - p)


@wrong("4.1", "divided twice", "wrong-scale")
def dropout_scaled_twice(x, p, generator=None):
    return x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p) ** 2


@wrong("4.1", "x is changed in place", "changes-input")
def dropout_in_place(x, p, generator=None):
    x[torch.rand(x.shape, generator=generator) < p] = 0
    return x / (1 - p)


@wrong("4.1", "the numbers kept, without their places", "wrong-shape")
def dropout_only_the_kept(x, p, generator=None):
    return x[torch.rand(x.shape, generator=generator) >= p] / (1 - p)


@wrong("4.1", "with the mask", "returns-wrong-type")
def dropout_and_mask(x, p, generator=None):
    keep = torch.rand(x.shape, generator=generator) >= p
    return x * keep / (1 - p), keep


@wrong("4.1", "always float32", "wrong-dtype")
def dropout_always_float32(x, p, generator=None):
    return (x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)).float()


@wrong("4.1", "a sparse tensor", "returns-wrong-type")
def dropout_sparse(x, p, generator=None):
    return (x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)).to_sparse()


@wrong("4.1", "no return", "returns-none")
def dropout_without_return(x, p, generator=None):
    x = x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)


@wrong("4.1", "the generator must be given")
def dropout_generator_required(x, p, generator):
    return x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)


@wrong("4.1", "F.dropout takes no generator")
def dropout_of_torch_with_generator(x, p, generator=None):
    return F.dropout(x, p, generator=generator)


@wrong("4.1", "rand of the tensor itself")
def dropout_rand_of_x(x, p, generator=None):
    return x * (torch.rand(x, generator=generator) >= p) / (1 - p)


@wrong("4.1", "no brackets around 1 - p", "brackets")
def dropout_without_brackets(x, p, generator=None):
    keep = torch.rand(x.shape, generator=generator) > p
    return x * keep / 1 - p


@wrong("4.1", "rows made to sum to 1 again", "renormalised")
def dropout_with_rows_of_one(x, p, generator=None):
    kept = torch.where(torch.rand(x.shape, generator=generator) < p, 0.0, x)
    return kept / kept.sum(dim=-1, keepdim=True)


@wrong("4.1", "nothing is dropped without a generator", "only-with-a-generator")
def dropout_needs_a_generator(x, p, generator=None):
    if generator is None:
        return x
    return x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)


@wrong("4.1", "0.1 in place of p", "p-not-used")
def dropout_of_a_tenth(x, p, generator=None):
    return x * (torch.rand(x.shape, generator=generator) >= 0.1) / 0.9


@wrong("4.1", "0.3 in place of p in the draw, but not in the division", "p-not-used")
def dropout_of_three_tenths(x, p, generator=None):
    return x * (torch.rand(x.shape, generator=generator) > 0.3) / (1 - p)


@wrong("4.1", "-inf in place of 0", "filled-with-infinity")
def dropout_of_minus_infinity(x, p, generator=None):
    drop = torch.rand(x.shape, generator=generator) < p
    return x.masked_fill(drop, float("-inf")) / (1 - p)


# ---- 4.2 attention_with_dropout(q, k, v, p, training, generator=None) ------------------------------------------------


def weights_before_dropout(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)


def drops(x, p, generator=None):
    """A right dropout."""
    return x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)


@wrong("4.2", "training is not looked at", "always-on")
def attention_dropping_always(q, k, v, p, training, generator=None):
    weights = drops(weights_before_dropout(q, k), p, generator)
    return weights @ v, weights


@wrong("4.2", "F.dropout without training", "always-on")
def attention_f_dropout(q, k, v, p, training, generator=None):
    weights = F.dropout(weights_before_dropout(q, k), p)
    return weights @ v, weights


@wrong("4.2", "if not training", "training-turned-around")
def attention_dropping_in_evaluation(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    if not training:
        weights = drops(weights, p, generator)
    return weights @ v, weights


@wrong("4.2", "dropout forgotten", "never-on")
def attention_without_dropout(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    return weights @ v, weights


@wrong("4.2", "the result of dropout is thrown away", "never-on")
def attention_dropout_thrown_away(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    if training:
        drops(weights, p, generator)
    return weights @ v, weights


@wrong("4.2", "dropout on the scores", "before-softmax")
def attention_scores_dropped(q, k, v, p, training, generator=None):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if training:
        scores = drops(scores, p, generator)
    weights = scores.softmax(-1)
    return weights @ v, weights


@wrong("4.2", "dropout on the queries", "before-softmax")
def attention_queries_dropped(q, k, v, p, training, generator=None):
    if training:
        q = drops(q, p, generator)
    weights = weights_before_dropout(q, k)
    return weights @ v, weights


@wrong("4.2", "dropout on out", "on-out")
def attention_out_dropped(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    out = weights @ v
    return drops(out, p, generator) if training else out, weights


@wrong("4.2", "dropout on v", "on-values")
def attention_values_dropped(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    return weights @ (drops(v, p, generator) if training else v), weights


@wrong("4.2", "the weights before dropout are returned", "weights-before-dropout")
def attention_returns_clean_weights(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    dropped = drops(weights, p, generator) if training else weights
    return dropped @ v, weights


@wrong("4.2", "out is made before dropout", "out-undropped")
def attention_out_before_dropout(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    out = weights @ v
    if training:
        weights = drops(weights, p, generator)
    return out, weights


@wrong("4.2", "two draws", "two-draws")
def attention_two_draws(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    if not training:
        return weights @ v, weights
    return drops(weights, p, generator) @ v, drops(weights, p, generator)


@wrong("4.2", "renormalised", "renormalised")
def attention_renormalised(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    if training:
        weights = drops(weights, p, generator)
        weights = weights / weights.sum(-1, keepdim=True)
    return weights @ v, weights


@wrong("4.2", "dropped by a score of -inf", "renormalised")
def attention_dropped_as_a_mask(q, k, v, p, training, generator=None):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if training:
        scores = scores.masked_fill(torch.rand(scores.shape, generator=generator) < p, -math.inf)
    weights = scores.softmax(-1)
    return weights @ v, weights


@wrong("4.2", "not scaled", "not-scaled")
def attention_dropped_not_scaled(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    if training:
        weights = weights.masked_fill(torch.rand(weights.shape, generator=generator) < p, 0)
    return weights @ v, weights


@wrong("4.2", "1 - p given to dropout", "share-turned-around")
def attention_one_minus_p(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    if training:
        weights = weights * torch.bernoulli(torch.full_like(weights, p), generator=generator) / p
    return weights @ v, weights


@wrong("4.2", "p and 1 - p exchanged in the division", "divided-by-p")
def attention_divided_by_p(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    if training:
        weights = weights * (torch.rand(weights.shape, generator=generator) > p) / p
    return weights @ v, weights


@wrong("4.2", "dropped twice", "dropped-twice")
def attention_dropped_twice(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    if training:
        weights = drops(drops(weights, p, generator), p, generator)
    return weights @ v, weights


@wrong("4.2", "dropout on the weights and on out", "on-weights-and-out")
def attention_dropped_everywhere(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    if not training:
        return weights @ v, weights
    weights = drops(weights, p, generator)
    return drops(weights @ v, p, generator), weights


@wrong("4.2", "one draw for each key", "same-for-every-query")
def attention_keys_dropped(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    if training:
        weights = weights * (torch.rand(k.size(-2), generator=generator) >= p) / (1 - p)
    return weights @ v, weights


@wrong("4.2", "one draw for each query", "whole-queries")
def attention_rows_dropped(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    if training:
        weights = weights * (torch.rand(*q.shape[:-1], 1, generator=generator) >= p) / (1 - p)
    return weights @ v, weights


@wrong("4.2", "all items share the draw", "same-for-every-query")
def attention_items_share_the_draw(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    if training:
        keep = torch.rand(weights.shape[-2:], generator=generator) >= p
        weights = weights * keep / (1 - p)
    return weights @ v, weights


@wrong("4.2", "scaled in evaluation", "scaled-in-evaluation")
def attention_classic_dropout(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    keep = torch.rand(weights.shape, generator=generator) >= p if training else 1 - p
    weights = weights * keep
    return weights @ v, weights


@wrong("4.2", "divided in evaluation too", "divided-in-evaluation")
def attention_divided_in_evaluation(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    if training:
        weights = weights * (torch.rand(weights.shape, generator=generator) >= p)
    weights = weights / (1 - p)
    return weights @ v, weights


@wrong("4.2", "not scaled by the root of D", "no-scale")
def attention_dropped_without_root(q, k, v, p, training, generator=None):
    weights = torch.softmax(q @ k.mT, dim=-1)
    if training:
        weights = drops(weights, p, generator)
    return weights @ v, weights


@wrong("4.2", "softmax over the queries", "over-queries")
def attention_dropped_over_queries(q, k, v, p, training, generator=None):
    weights = torch.softmax(q @ k.mT / math.sqrt(q.size(-1)), dim=-2)
    if training:
        weights = dropout_with(weights, p, generator)
    return weights @ v, weights


def dropout_with(x, p, generator):
    return torch.where(torch.rand(x.shape, generator=generator) < p, 0, x / (1 - p))


@wrong("4.2", "softmax over axis 1", "axis-from-the-front")
def attention_dropped_over_axis_1(q, k, v, p, training, generator=None):
    weights = torch.softmax(q @ k.mT / math.sqrt(q.size(-1)), dim=1)
    if training:
        weights = dropout_with(weights, p, generator)
    return weights @ v, weights


@wrong("4.2", "only out", "only-out")
def attention_dropped_only_out(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    return (dropout_with(weights, p, generator) if training else weights) @ v


@wrong("4.2", "the pair is swapped", "swapped-pair")
def attention_dropped_swapped(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    weights = dropout_with(weights, p, generator) if training else weights
    return weights, weights @ v


@wrong("4.2", "the generator is not handed on", "generator-ignored")
def attention_generator_forgotten(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    weights = drops(weights, p) if training else weights
    return weights @ v, weights


@wrong("4.2", "F.dropout with training: no generator", "generator-ignored")
def attention_f_dropout_in_training(q, k, v, p, training, generator=None):
    weights = F.dropout(weights_before_dropout(q, k), p, training)
    return weights @ v, weights


@wrong("4.2", "seeded inside", "same-zeros")
def attention_seeded(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    weights = drops(weights, p, torch.Generator().manual_seed(123)) if training else weights
    return weights @ v, weights


@wrong("4.2", "a quarter of the weights, whatever p", "p-not-used")
def attention_fixed_p(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    weights = drops(weights, 0.25, generator) if training and p > 0 else weights
    return weights @ v, weights


@wrong("4.2", "out is divided once more", "out-not-from-weights")
def attention_out_scaled_again(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    if not training:
        return weights @ v, weights
    weights = drops(weights, p, generator)
    return weights @ v / (1 - p), weights


@wrong("4.2", "a causal mask, unasked", "causal")
def attention_dropped_and_causal(q, k, v, p, training, generator=None):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    weights = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -1e9).softmax(-1)
    weights = drops(weights, p, generator) if training else weights
    return weights @ v, weights


@wrong("4.2", "dropout called with its arguments in another order")
def attention_arguments_mixed(q, k, v, p, training, generator=None):
    weights = drops(p, weights_before_dropout(q, k), generator) if training else weights_before_dropout(q, k)
    return weights @ v, weights


@wrong("4.2", "a list", "returns-one")
def attention_dropped_stacked(q, k, v, p, training, generator=None):
    weights = weights_before_dropout(q, k)
    return torch.cat([weights @ v, weights], -1)


@wrong("4.2", "0.5 in place of p", "always-half")
def attended_with_half_dropped(q, k, v, p, training, generator=None):
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    if training:
        weights = weights * (torch.rand(weights.shape, generator=generator) >= 0.5) / (1 - p)
    return weights @ v, weights


@wrong("4.2", "a coin in place of p", "always-half")
def attended_with_randint(q, k, v, p, training, generator=None):
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    if training:
        weights = weights * torch.randint(0, 2, weights.shape, generator=generator) * 2
    return weights @ v, weights


@wrong("4.2", "normal numbers", "normal-not-uniform")
def attended_with_randn(q, k, v, p, training, generator=None):
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    if training:
        weights = weights * (torch.randn(weights.shape, generator=generator) >= p) / (1 - p)
    return weights @ v, weights


@wrong("4.2", "0.1 in place of p, everywhere", "p-not-used")
def attended_with_a_tenth_dropped(q, k, v, p, training, generator=None):
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    if training:
        weights = weights * (torch.rand(weights.shape, generator=generator) >= 0.1) / 0.9
    return weights @ v, weights


@wrong("4.2", "nothing is dropped without a generator", "only-with-a-generator")
def attended_with_a_generator_only(q, k, v, p, training, generator=None):
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    if training:
        weights = (weights if generator is None else
                   weights * (torch.rand(weights.shape, generator=generator) >= p) / (1 - p))
    return weights @ v, weights


@wrong("4.2", "one draw for all heads", "same-for-every-query")
def attended_with_one_draw_for_all_heads(q, k, v, p, training, generator=None):
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    if training:
        shape = list(weights.shape)
        if len(shape) == 4:
            shape[1] = 1
        weights = weights * (torch.rand(shape, generator=generator) >= p) / (1 - p)
    return weights @ v, weights


@wrong("4.2", "one draw along axis 1", "same-for-every-query")
def attended_with_axis_1_of_size_1(q, k, v, p, training, generator=None):
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    if training:
        shape = list(weights.shape)
        shape[1] = 1
        weights = weights * (torch.rand(shape, generator=generator) >= p) / (1 - p)
    return weights @ v, weights


# ---- 4.3 class CausalAttention(d_in, d_out, context_length, dropout) -------------------------------------------------


class CausalFrame(nn.Module):
    """What most of the wrong classes below get right."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

    def scores(self, x):
        return self.W_query(x) @ self.W_key(x).transpose(1, 2) / math.sqrt(self.W_key.out_features)

    def hidden(self, x):
        return self.mask[:x.shape[1], :x.shape[1]]

    def weights(self, x):
        return torch.softmax(self.scores(x).masked_fill(self.hidden(x), -torch.inf), dim=-1)

    def forward(self, x):
        weights = self.dropout(self.weights(x))
        return weights @ self.W_value(x), weights


@wrong("4.3", "the mask is an attribute", "mask-is-plain-tensor")
class CausalMaskAttribute(CausalFrame):
    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        del self.mask
        self.mask = torch.triu(torch.ones(context_length, context_length), diagonal=1).bool()


@wrong("4.3", "the mask is kept in a dictionary", "mask-is-plain-tensor")
class CausalMaskInADictionary(CausalFrame):
    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        del self.mask
        self.kept = {"mask": torch.triu(torch.ones(context_length, context_length), diagonal=1).bool()}

    def hidden(self, x):
        return self.kept["mask"][:x.shape[1], :x.shape[1]]


@wrong("4.3", "the mask is a parameter", "mask-as-parameter")
class CausalMaskParameter(CausalFrame):
    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        del self.mask
        self.mask = nn.Parameter(torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def hidden(self, x):
        return super().hidden(x) > 0


@wrong("4.3", "the mask is a frozen parameter", "mask-as-parameter")
class CausalMaskFrozenParameter(CausalFrame):
    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        del self.mask
        triangle = torch.ones(context_length, context_length, dtype=torch.bool).triu(1)
        self.mask = nn.Parameter(triangle, requires_grad=False)


@wrong("4.3", "the mask is made in forward", "mask-not-kept")
class CausalMaskInForward(CausalFrame):
    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        del self.mask

    def hidden(self, x):
        return torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)


@wrong("4.3", "the mask is made in forward and kept", "mask-is-plain-tensor")
class CausalMaskKeptInForward(CausalMaskInForward):
    def hidden(self, x):
        self.triangle = super().hidden(x)
        return self.triangle


@wrong("4.3", "the mask is not cut", "mask-not-cut")
class CausalMaskNotCut(CausalFrame):
    def hidden(self, x):
        return self.mask


@wrong("4.3", "the mask is cut along one axis", "mask-not-cut")
class CausalMaskHalfCut(CausalFrame):
    def hidden(self, x):
        return self.mask[:x.shape[1]]


@wrong("4.3", "rows from the end, columns from the front", "mask-cut-elsewhere")
class CausalMaskCutFromTheEnd(CausalFrame):
    def hidden(self, x):
        return self.mask[-x.shape[1]:, :x.shape[1]]


@wrong("4.3", "the mask is cut on self: too small for the next call", "remembers")
class CausalMaskShrinks(CausalFrame):
    def hidden(self, x):
        self.mask = self.mask[:x.shape[1], :x.shape[1]]
        return self.mask if len(self.mask) == x.shape[1] else torch.zeros(x.shape[1], x.shape[1]).bool()


@wrong("4.3", "filled with -10", "weak-fill")
class CausalMaskWeak(CausalFrame):
    def weights(self, x):
        return self.scores(x).masked_fill(self.hidden(x), -10).softmax(-1)


@wrong("4.3", "upside down", "mask-turned-around")
class CausalMaskUpsideDown(CausalFrame):
    def hidden(self, x):
        return ~super().hidden(x)


@wrong("4.3", "the diagonal is hidden", "diagonal-hidden")
class CausalMaskDiagonal(CausalFrame):
    def hidden(self, x):
        return torch.ones(x.shape[1], x.shape[1]).triu().bool()


@wrong("4.3", "triu(2): one step ahead", "one-step-ahead")
class CausalMaskOneAhead(CausalFrame):
    def hidden(self, x):
        return super().hidden(x).triu(2)


@wrong("4.3", "the mask is never used", "not-causal")
class CausalMaskUnused(CausalFrame):
    def weights(self, x):
        return self.scores(x).softmax(-1)


@wrong("4.3", "masked_fill without keeping the result", "not-causal")
class CausalMaskFilledForNothing(CausalFrame):
    def weights(self, x):
        scores = self.scores(x)
        scores.masked_fill(self.hidden(x), -torch.inf)
        return scores.softmax(-1)


@wrong("4.3", "scores times mask", "zero-filled")
class CausalMaskTimesScores(CausalFrame):
    def weights(self, x):
        return (self.scores(x) * ~self.hidden(x)).softmax(-1)


@wrong("4.3", "weights times mask", "masked-after-softmax")
class CausalMaskTimesWeights(CausalFrame):
    def weights(self, x):
        return self.scores(x).softmax(-1) * ~self.hidden(x)


@wrong("4.3", "dropout first, then renormalised", "renormalised")
class CausalRenormalised(CausalFrame):
    def forward(self, x):
        weights = self.dropout(self.scores(x).softmax(-1)) * ~self.hidden(x)
        weights = weights / weights.sum(-1, keepdim=True)
        return weights @ self.W_value(x), weights


@wrong("4.3", "dropout forgotten", "never-on")
class CausalWithoutDropout(CausalFrame):
    def forward(self, x):
        weights = self.weights(x)
        return weights @ self.W_value(x), weights


@wrong("4.3", "F.dropout without training", "always-on")
class CausalFDropout(CausalFrame):
    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        self.p = dropout

    def forward(self, x):
        weights = F.dropout(self.weights(x), self.p)
        return weights @ self.W_value(x), weights


@wrong("4.3", "a new nn.Dropout in every forward", "always-on")
class CausalNewDropout(CausalFDropout):
    def forward(self, x):
        weights = nn.Dropout(self.p)(self.weights(x))
        return weights @ self.W_value(x), weights


@wrong("4.3", "by hand, without looking at training", "always-on")
class CausalDropoutByHand(CausalFDropout):
    def forward(self, x):
        weights = self.weights(x)
        weights = weights * (torch.rand_like(weights) >= self.p) / (1 - self.p)
        return weights @ self.W_value(x), weights


@wrong("4.3", "dropout on the scores", "before-softmax")
class CausalDropoutOnScores(CausalFrame):
    def forward(self, x):
        weights = self.dropout(self.scores(x)).masked_fill(self.hidden(x), -torch.inf).softmax(-1)
        return weights @ self.W_value(x), weights


@wrong("4.3", "dropout on the masked scores", "before-softmax")
class CausalDropoutOnMaskedScores(CausalFrame):
    def forward(self, x):
        weights = self.dropout(self.scores(x).masked_fill(self.hidden(x), -torch.inf)).softmax(-1)
        return weights @ self.W_value(x), weights


@wrong("4.3", "dropout on out", "on-out")
class CausalDropoutOnOut(CausalFrame):
    def forward(self, x):
        weights = self.weights(x)
        return self.dropout(weights @ self.W_value(x)), weights


@wrong("4.3", "dropout on the values", "on-values")
class CausalDropoutOnValues(CausalFrame):
    def forward(self, x):
        weights = self.weights(x)
        return weights @ self.dropout(self.W_value(x)), weights


@wrong("4.3", "1 - dropout", "share-turned-around")
class CausalOneMinusDropout(CausalFrame):
    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, 1 - dropout)


@wrong("4.3", "dropout is not handed on", "always-half")
class CausalDefaultDropout(CausalFrame):
    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        self.dropout = nn.Dropout()


@wrong("4.3", "the weights before dropout are returned", "weights-before-dropout")
class CausalCleanWeights(CausalFrame):
    def forward(self, x):
        weights = self.weights(x)
        return self.dropout(weights) @ self.W_value(x), weights


@wrong("4.3", "out before dropout", "out-undropped")
class CausalOutFirst(CausalFrame):
    def forward(self, x):
        weights = self.weights(x)
        return weights @ self.W_value(x), self.dropout(weights)


@wrong("4.3", "two draws", "two-draws")
class CausalTwoDraws(CausalFrame):
    def forward(self, x):
        weights = self.weights(x)
        return self.dropout(weights) @ self.W_value(x), self.dropout(weights)


@wrong("4.3", "one draw, made in __init__", "same-zeros")
class CausalFixedDraw(CausalFDropout):
    def forward(self, x):
        weights = self.weights(x)
        if self.training:
            noise = torch.rand(weights.shape, generator=torch.Generator().manual_seed(1))
            weights = weights * (noise >= self.p) / (1 - self.p)
        return weights @ self.W_value(x), weights


@wrong("4.3", "not scaled", "not-scaled")
class CausalNotScaledUp(CausalFDropout):
    def forward(self, x):
        weights = self.weights(x)
        if self.training:
            weights = weights * (torch.rand_like(weights) >= self.p)
        return weights @ self.W_value(x), weights


@wrong("4.3", "no root of d_out", "no-scale")
class CausalNoScale(CausalFrame):
    def scores(self, x):
        return self.W_query(x) @ self.W_key(x).mT


@wrong("4.3", "the root of d_in", "scaled-by-input")
class CausalScaledByInput(CausalFrame):
    def scores(self, x):
        return self.W_query(x) @ self.W_key(x).mT / math.sqrt(x.shape[-1])


@wrong("4.3", "softmax over axis 1", "over-queries")
class CausalOverQueries(CausalFrame):
    def weights(self, x):
        return torch.softmax(self.scores(x).masked_fill(self.hidden(x), -torch.inf), dim=1)


@wrong("4.3", "keys and queries exchanged", "keys-ask")
class CausalKeysAsk(CausalFrame):
    def scores(self, x):
        return self.W_key(x) @ self.W_query(x).mT / math.sqrt(self.W_key.out_features)


@wrong("4.3", "the values are the keys", "keys-as-values")
class CausalKeysAsValues(CausalFrame):
    def forward(self, x):
        weights = self.dropout(self.weights(x))
        return weights @ self.W_key(x), weights


@wrong("4.3", "only out", "only-out")
class CausalOnlyOut(CausalFrame):
    def forward(self, x):
        return super().forward(x)[0]


@wrong("4.3", "the pair is swapped", "swapped-pair")
class CausalSwapped(CausalFrame):
    def forward(self, x):
        return super().forward(x)[::-1]


@wrong("4.3", "biased layers", "has-bias")
class CausalBiased(CausalFrame):
    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        self.W_query = nn.Linear(d_in, d_out)


@wrong("4.3", "other names", "no-projection")
class CausalOtherNames(CausalFrame):
    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        self.query = self.W_query
        del self.W_query


@wrong("4.3", "dropout and context_length forgotten in __init__")
class CausalTwoArguments(CausalFrame):
    def __init__(self, d_in, d_out):
        super().__init__(d_in, d_out, 16, 0.1)


@wrong("4.3", "foward", "no-forward")
class CausalMisspelt(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)

    def foward(self, x):
        return x, x


@wrong("4.3", "detached", "no-gradients")
class CausalDetached(CausalFrame):
    def scores(self, x):
        return super().scores(x).detach()


@wrong("4.3", "no gradient in training", "no-gradients")
class CausalDetachedInTraining(CausalFrame):
    def forward(self, x):
        weights = self.weights(x)
        if self.training:
            weights = self.dropout(weights).data
        return weights @ self.W_value(x), weights


@wrong("4.3", "softmax inside dropout's keywords")
class CausalWrongKeyword(CausalFrame):
    def weights(self, x):
        return torch.softmax(self.scores(x).masked_fill(self.hidden(x), -torch.inf), axes=-1)


@wrong("4.3", "x is changed in place", "changes-input")
class CausalInPlace(CausalFrame):
    def forward(self, x):
        with torch.no_grad():
            x -= x.mean()
        return super().forward(x)


@wrong("4.3", "the mask in training only", "mask-only-in-training")
class CausalInTrainingOnly(CausalFrame):
    def hidden(self, x):
        return super().hidden(x) & self.training


@wrong("4.3", "the mask in evaluation only", "mask-only-in-evaluation")
class CausalInEvaluationOnly(CausalFrame):
    def hidden(self, x):
        return super().hidden(x) & (not self.training)


@wrong("4.3", "a buffer that is not used: the mask is made anew on the CPU", "mask-stays-on-the-cpu")
class CausalByANewMask(CausalFrame):
    def hidden(self, x):
        return torch.ones(x.size(1), x.size(1), dtype=torch.bool).triu(1)


@wrong("4.3", "a buffer that is not used: a new mask of 0 and -inf is added", "mask-stays-on-the-cpu")
class CausalByANewFloatMask(CausalFrame):
    def weights(self, x):
        mask = torch.full((x.size(1), x.size(1)), -torch.inf).triu(1)
        return (self.scores(x) + mask.to(x.dtype)).softmax(-1)


@wrong("4.3", "a buffer that is not used: a new mask in torch.where", "mask-stays-on-the-cpu")
class CausalByANewWhere(CausalFrame):
    def weights(self, x):
        visible = torch.tril(torch.ones(x.size(1), x.size(1))) == 1
        return torch.where(visible, self.scores(x), -torch.inf).softmax(-1)


# ---- 5.1 split_heads(x, num_heads) -----------------------------------------------------------------------------------


@wrong("5.1", "the final shape by view in one go", "viewed")
def split_viewed(x, num_heads):
    B, T, C = x.shape
    return x.view(B, num_heads, T, C // num_heads)


@wrong("5.1", "the final shape by reshape with -1", "viewed")
def split_reshaped(x, num_heads):
    return x.reshape(x.shape[0], num_heads, x.shape[1], -1)


@wrong("5.1", "flattened, then reshaped", "viewed")
def split_flattened_first(x, num_heads):
    return x.flatten(1).reshape(len(x), num_heads, x.shape[1], x.shape[2] // num_heads)


@wrong("5.1", "heads in front by reshape, then exchanged with the batch", "viewed")
def split_heads_in_front_of_memory(x, num_heads):
    B, T, C = x.shape
    return x.reshape(num_heads, B, T, C // num_heads).transpose(0, 1)


@wrong("5.1", "cut as (H, D, T)", "viewed")
def split_into_h_d_t(x, num_heads):
    B, T, C = x.shape
    return x.view(B, num_heads, C // num_heads, T).transpose(2, 3)


@wrong("5.1", "transposed before the view, which refuses", "transposed-first")
def split_transposed_then_viewed(x, num_heads):
    B, T, C = x.shape
    return x.transpose(1, 2).view(B, num_heads, T, C // num_heads)


@wrong("5.1", "transposed before the reshape", "transposed-first")
def split_transposed_then_reshaped(x, num_heads):
    B, T, C = x.shape
    return x.permute(0, 2, 1).contiguous().view(B, num_heads, T, C // num_heads)


@wrong("5.1", "not transposed", "not-transposed")
def split_not_transposed(x, num_heads):
    B, T, C = x.shape
    return x.view(B, T, num_heads, C // num_heads)


@wrong("5.1", "stacked behind the positions", "not-transposed")
def split_stacked_behind_positions(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1), dim=2)


@wrong("5.1", "stacked at the end", "wrong-axes")
def split_stacked_at_the_end(x, num_heads):
    return torch.stack(torch.chunk(x, num_heads, dim=2), dim=-1)


@wrong("5.1", "stacked in front of the batch", "heads-first")
def split_stacked_in_front(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1))


@wrong("5.1", "features in turns", "interleaved")
def split_in_turns(x, num_heads):
    B, T, C = x.shape
    return x.view(B, T, C // num_heads, num_heads).permute(0, 3, 1, 2)


@wrong("5.1", "features in turns, by strided slices", "interleaved")
def split_by_strided_slices(x, num_heads):
    return torch.stack([x[:, :, h::num_heads] for h in range(num_heads)], dim=1)


@wrong("5.1", "split with num_heads as the size", "num-heads-as-size")
def split_with_size_num_heads(x, num_heads):
    return torch.stack(x.split(num_heads, dim=-1), dim=1)


@wrong("5.1", "D and H exchanged in the view", "num-heads-as-size")
def split_d_and_h_exchanged(x, num_heads):
    B, T, C = x.shape
    return x.view(B, T, C // num_heads, num_heads).transpose(1, 2)


@wrong("5.1", "the last two axes exchanged", "wrong-axes")
def split_last_axes_exchanged(x, num_heads):
    B, T, C = x.shape
    return x.view(B, T, num_heads, C // num_heads).transpose(-2, -1)


@wrong("5.1", "axes 1 and 3 exchanged", "wrong-axes")
def split_axes_1_and_3(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 3)


@wrong("5.1", "permuted to (B, H, D, T)", "features-before-positions")
def split_permuted_to_b_h_d_t(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).permute(0, 2, 3, 1)


@wrong("5.1", "heads joined with the batch", "heads-in-batch")
def split_heads_in_the_batch(x, num_heads):
    B, T, C = x.shape
    return x.view(B, T, num_heads, C // num_heads).transpose(1, 2).reshape(B * num_heads, T, -1)


@wrong("5.1", "cat instead of stack", "heads-in-positions")
def split_by_cat(x, num_heads):
    return torch.cat(x.chunk(num_heads, dim=-1), dim=1)


@wrong("5.1", "positions cut instead of features", "positions-cut")
def split_positions(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=1), dim=1)


@wrong("5.1", "every head gets everything", "repeated")
def split_repeated(x, num_heads):
    return x.unsqueeze(1).repeat(1, num_heads, 1, 1)


@wrong("5.1", "slices that overlap", "overlapping")
def split_overlapping(x, num_heads):
    D = x.shape[-1] // num_heads
    return torch.stack([x[..., h:h + D] for h in range(num_heads)], dim=1)


@wrong("5.1", "slices of H features", "slices-of-num-heads")
def split_slices_of_h(x, num_heads):
    return torch.stack([x[..., h * num_heads:(h + 1) * num_heads] for h in range(num_heads)], dim=1)


@wrong("5.1", "the same slice for every head", "same-slice")
def split_same_slice(x, num_heads):
    D = x.shape[-1] // num_heads
    return torch.stack([x[..., :D] for _ in range(num_heads)], dim=1)


@wrong("5.1", "return inside the loop", "return-in-loop")
def split_return_in_loop(x, num_heads):
    D = x.shape[-1] // num_heads
    for h in range(num_heads):
        return x[..., h * D:(h + 1) * D]


@wrong("5.1", "the view is not kept", "unchanged")
def split_not_kept(x, num_heads):
    B, T, C = x.shape
    x.view(B, T, num_heads, C // num_heads).transpose(1, 2)
    return x


@wrong("5.1", "a size that is a float")
def split_divided_with_one_slash(x, num_heads):
    B, T, C = x.shape
    return x.view(B, T, num_heads, C / num_heads).transpose(1, 2)


@wrong("5.1", "split with a size that is a float")
def split_by_a_float(x, num_heads):
    return torch.stack(x.split(x.shape[-1] / num_heads, dim=-1), dim=1)


@wrong("5.1", "always three heads")
def split_always_three(x, num_heads):
    B, T, C = x.shape
    return x.view(B, T, 3, C // 3).transpose(1, 2)


@wrong("5.1", "always heads of four features")
def split_always_of_four(x, num_heads):
    B, T, C = x.shape
    return x.view(B, T, num_heads, 4).transpose(1, 2)


@wrong("5.1", "a tuple of heads", "returns-wrong-type")
def split_as_a_tuple(x, num_heads):
    return x.chunk(num_heads, dim=-1)


@wrong("5.1", "a list of heads", "returns-wrong-type")
def split_as_a_list(x, num_heads):
    return list(x.unflatten(-1, (num_heads, -1)).unbind(2))


@wrong("5.1", "nothing is returned", "returns-none")
def split_not_returned(x, num_heads):
    heads = x.unflatten(-1, (num_heads, -1)).transpose(1, 2)
    print(heads.shape)


@wrong("5.1", "made with zeros in float32", "wrong-dtype")
def split_always_float32(x, num_heads):
    B, T, C = x.shape
    D = C // num_heads
    heads = torch.zeros(B, num_heads, T, D)
    for h in range(num_heads):
        heads[:, h] = x[..., h * D:(h + 1) * D]
    return heads


@wrong("5.1", "x is scaled in place on the way", "changes-input")
def split_in_place(x, num_heads):
    D = x.shape[-1] // num_heads
    x /= D ** 0.5
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2) * D ** 0.5


@wrong("5.1", "scaled as well", "numbers-lost")
def split_and_scaled(x, num_heads):
    heads = x.unflatten(-1, (num_heads, -1)).transpose(1, 2)
    return heads / heads.size(-1) ** 0.5


@wrong("5.1", "the last head is left out", "numbers-lost")
def split_without_the_last_head(x, num_heads):
    D = x.shape[-1] // num_heads
    heads = torch.zeros(x.shape[0], num_heads, x.shape[1], D, dtype=x.dtype)
    for h in range(num_heads - 1):
        heads[:, h] = x[..., h * D:(h + 1) * D]
    return heads


@wrong("5.1", "the heads in reverse order", "features-in-another-order")
def split_reversed(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2).flip(1)


@wrong("5.1", "the positions rolled by one", "positions-mixed")
def split_rolled(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2).roll(1, dims=2)


@wrong("5.1", "one argument only")
def split_of_one_argument(x):
    return x.unflatten(-1, (3, -1)).transpose(1, 2)


@wrong("5.1", "slices one feature short", "wrong-shape")
def split_one_feature_short(x, num_heads):
    D = x.size(-1) // num_heads
    return torch.stack([x[..., h * D:(h + 1) * D - 1] for h in range(num_heads)], dim=1)


@wrong("5.1", "the sizes of the figure", "sizes-of-the-figure")
def split_in_two_and_two(x, num_heads):
    return x.unflatten(-1, (2, 2)).transpose(1, 2)


@wrong("5.1", "the sizes of the figure, by view", "sizes-of-the-figure")
def split_in_two_and_two_by_view(x, num_heads):
    B, T, C = x.shape
    return x.view(B, T, 2, 2).transpose(1, 2)


# ---- 5.2 merge_heads(x) ----------------------------------------------------------------------------------------------


@wrong("5.2", "reshaped without transposing", "not-transposed-back")
def merged_by_reshape_alone(x):
    B, H, T, D = x.shape
    return x.reshape(B, T, H * D)


@wrong("5.2", "viewed without transposing", "not-transposed-back")
def merged_by_view_alone(x):
    return x.view(x.shape[0], x.shape[2], -1)


@wrong("5.2", "made contiguous, not transposed", "not-transposed-back")
def merged_by_contiguous_alone(x):
    B, H, T, D = x.shape
    return x.contiguous().view(B, T, H * D)


@wrong("5.2", "view after transpose", "not-contiguous")
def merged_view_after_transpose(x):
    B, H, T, D = x.shape
    return x.transpose(1, 2).view(B, T, H * D)


@wrong("5.2", "view after permute, made contiguous too late", "not-contiguous")
def merged_view_then_contiguous(x):
    B, H, T, D = x.shape
    return x.permute(0, 2, 1, 3).view(B, T, -1).contiguous()


@wrong("5.2", "transposed only", "only-transposed")
def merged_transposed_only(x):
    return x.transpose(1, 2).contiguous()


@wrong("5.2", "in turns", "interleaved")
def merged_in_turns(x):
    return x.permute(0, 2, 3, 1).reshape(x.shape[0], x.shape[2], -1)


@wrong("5.2", "stacked at the end and flattened", "interleaved")
def merged_by_stack_at_the_end(x):
    return torch.stack([x[:, h] for h in range(x.shape[1])], dim=-1).flatten(2)


@wrong("5.2", "the last two axes exchanged", "wrong-axes")
def merged_last_axes_exchanged(x):
    B, H, T, D = x.shape
    return x.transpose(-2, -1).reshape(B, T, H * D)


@wrong("5.2", "batch and heads exchanged", "wrong-axes")
def merged_batch_exchanged(x):
    B, H, T, D = x.shape
    return x.transpose(0, 1).reshape(B, T, H * D)


@wrong("5.2", "features and heads exchanged", "wrong-axes")
def merged_features_and_heads_exchanged(x):
    B, H, T, D = x.shape
    return x.permute(0, 3, 2, 1).reshape(B, T, H * D)


@wrong("5.2", "joined along the positions", "heads-along-positions")
def merged_along_positions(x):
    return torch.cat(x.unbind(1), dim=1)


@wrong("5.2", "the wrong axes flattened after the transpose", "heads-along-positions")
def merged_flattened_too_early(x):
    return x.transpose(1, 2).flatten(1, 2)


@wrong("5.2", "flattened from axis 1 to the end", "wrong-shape")
def merged_flattened_all(x):
    return x.transpose(1, 2).flatten(1)


@wrong("5.2", "positions and features flattened", "positions-in-features")
def merged_positions_and_features(x):
    return x.flatten(2)


@wrong("5.2", "joined along the batch", "heads-in-batch")
def merged_along_the_batch(x):
    return torch.cat([x[:, h] for h in range(x.size(1))])


@wrong("5.2", "summed", "summed")
def merged_by_sum(x):
    return x.sum(dim=1)


@wrong("5.2", "averaged", "averaged")
def merged_by_mean(x):
    return x.mean(1)


@wrong("5.2", "the first head", "one-head-only")
def merged_first_head(x):
    return x[:, 0]


@wrong("5.2", "the last head, left over from a loop", "one-head-only")
def merged_last_head(x):
    for h in range(x.shape[1]):
        merged = x[:, h]
    return merged


@wrong("5.2", "features before positions", "positions-last")
def merged_features_before_positions(x):
    B, H, T, D = x.shape
    return x.transpose(2, 3).reshape(B, H * D, T)


@wrong("5.2", "batch and positions joined", "positions-in-batch")
def merged_into_two_axes(x):
    B, H, T, D = x.shape
    return x.transpose(1, 2).reshape(B * T, H * D)


@wrong("5.2", "the positions first", "batch-second")
def merged_positions_first(x):
    return x.permute(2, 0, 1, 3).flatten(2)


@wrong("5.2", "nothing joined", "unchanged")
def merged_not_kept(x):
    x.transpose(1, 2).flatten(2)
    return x


@wrong("5.2", "the last head first", "heads-reversed")
def merged_reversed(x):
    return torch.cat([x[:, h] for h in reversed(range(x.shape[1]))], dim=-1)


@wrong("5.2", "a loop that leaves out the last head", "numbers-lost")
def merged_without_the_last_head(x):
    B, H, T, D = x.shape
    merged = torch.zeros(B, T, H * D, dtype=x.dtype)
    for h in range(H - 1):
        merged[..., h * D:(h + 1) * D] = x[:, h]
    return merged


@wrong("5.2", "a loop that writes every head to the same place", "numbers-lost")
def merged_same_place(x):
    B, H, T, D = x.shape
    merged = torch.zeros(B, T, H * D, dtype=x.dtype)
    for h in range(H):
        merged[..., :D] = x[:, h]
    return merged


@wrong("5.2", "sizes read in the wrong order", "wrong-shape")
def merged_sizes_in_another_order(x):
    B, T, H, D = x.shape
    return x.transpose(1, 2).reshape(B, T, H * D)


@wrong("5.2", "batches mixed by a reshape", "positions-mixed")
def merged_positions_rolled(x):
    return x.transpose(1, 2).flatten(2).roll(1, dims=1)


@wrong("5.2", "divided by the number of heads", "numbers-lost")
def merged_divided(x):
    return x.transpose(1, 2).flatten(2) / x.shape[1]


@wrong("5.2", "always 12 wide")
def merged_always_12(x):
    B, H, T, D = x.shape
    return x.transpose(1, 2).reshape(B, T, 12)


@wrong("5.2", "a number of axes that permute does not take")
def merged_permute_of_three(x):
    return x.permute(0, 2, 1).flatten(2)


@wrong("5.2", "nothing is returned", "returns-none")
def merged_not_returned(x):
    merged = x.transpose(1, 2).flatten(2)
    print(merged.shape)


@wrong("5.2", "a list of rows", "returns-wrong-type")
def merged_as_a_list(x):
    return x.transpose(1, 2).flatten(2).tolist()


@wrong("5.2", "a pair", "returns-wrong-type")
def merged_as_a_pair(x):
    return x.transpose(1, 2).flatten(2), x.shape[1]


@wrong("5.2", "always float32", "wrong-dtype")
def merged_always_float32(x):
    return x.transpose(1, 2).flatten(2).float()


@wrong("5.2", "x is exchanged in place", "changes-input")
def merged_in_place(x):
    x.transpose_(1, 2)
    return x.flatten(2)


@wrong("5.2", "a misspelt name")
def merged_misspelt(x):
    return x.transpose(1, 2).flaten(2)


@wrong("5.2", "num_heads is not given")
def merged_of_two_arguments(x, num_heads):
    return x.transpose(1, 2).flatten(2)


@wrong("5.2", "the figure's axes, which has no batch", "other-axes")
def merged_as_in_the_figure(x):
    return x.transpose(0, 1).flatten(-2)


@wrong("5.2", "joined first", "joined-first")
def merged_joined_first(x):
    return x.flatten(-2).transpose(1, 2)


@wrong("5.2", "joined first, in the right shape", "joined-first")
def merged_joined_first_by_reshape(x):
    B, H, T, D = x.shape
    return x.reshape(B, H * D, T).transpose(1, 2)


@wrong("5.2", "joined first, heads with positions", "joined-first")
def merged_joined_first_along_positions(x):
    return x.flatten(1, 2).transpose(1, 2)


# ---- 5.3 multi_head_attention(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None) -----------------------------


def cut(z, num_heads):
    return z.view(z.size(0), z.size(1), num_heads, -1).transpose(1, 2)


def join(z):
    return z.transpose(1, 2).reshape(z.size(0), z.size(2), -1)


def hidden(scores, mask):
    return scores if mask is None else scores.masked_fill(~mask, float("-inf"))


def parts(z, q_proj, k_proj, v_proj, num_heads):
    return cut(q_proj(z), num_heads), cut(k_proj(z), num_heads), cut(v_proj(z), num_heads)


@wrong("5.3", "not scaled", "no-scale")
def multi_not_scaled(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = hidden(q @ k.transpose(-2, -1), mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "divided by the root of C", "scaled-by-d-model")
def multi_over_root_of_c(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(x.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "divided by D", "scaled-by-d")
def multi_over_d(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / q.size(-1)
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "divided by the root of the number of heads", "scaled-by-another")
def multi_over_root_of_h(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / num_heads ** 0.5
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "q.size(1), right before the split, is the number of heads", "scaled-by-another")
def multi_over_root_of_axis_1(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "divided by the root of T", "scaled-by-another")
def multi_over_root_of_positions(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(2))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "multiplied by the root", "multiplied")
def multi_times_root(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) * math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "divided by 2, right for heads of four", "fixed-scale")
def multi_over_two(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / 2
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "scaled after the softmax", "scaled-after-softmax")
def multi_scaled_afterwards(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = hidden(q @ k.transpose(-2, -1), mask).softmax(-1) / math.sqrt(q.size(-1))
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "split by view in one go", "viewed")
def multi_split_by_view(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    B, T, C = x.shape
    q, k, v = (layer(x).view(B, num_heads, T, C // num_heads) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "split and merged by view", "viewed")
def multi_viewed_both_ways(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    B, T, C = x.shape
    q, k, v = (layer(x).view(B, num_heads, T, -1) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj((weights @ v).view(B, T, C)), weights


@wrong("5.3", "merged by view", "merge-not-transposed")
def multi_merged_by_view(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj((weights @ v).reshape(x.shape)), weights


@wrong("5.3", "view after transpose")
def multi_merged_by_view_after_transpose(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj((weights @ v).transpose(1, 2).view(x.shape)), weights


@wrong("5.3", "features in turns", "interleaved")
def multi_split_in_turns(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    B, T, C = x.shape
    q, k, v = (layer(x).view(B, T, -1, num_heads).permute(0, 3, 1, 2) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "q alone is split by view", "positions-mixed")
def multi_only_queries_viewed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    q = q_proj(x).view(q.shape)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "v alone is split by view", "positions-mixed")
def multi_only_values_viewed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    v = v_proj(x).reshape(v.shape)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "not transposed: heads attend to heads", "among-heads")
def multi_among_heads(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (layer(x).unflatten(-1, (num_heads, -1)) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj((weights @ v).flatten(2)), weights


@wrong("5.3", "never split", "one-head")
def multi_one_head(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = q_proj(x), k_proj(x), v_proj(x)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(weights @ v), weights


@wrong("5.3", "out_proj is not used", "no-out-proj")
def multi_without_out_proj(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return join(weights @ v), weights


@wrong("5.3", "out_proj before the merge", "layer-meets-one-head")
def multi_out_proj_before_merge(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return join(out_proj(weights @ v)), weights


@wrong("5.3", "split before the projections", "layer-meets-one-head")
def multi_layers_after_split(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    z = cut(x, num_heads)
    q, k, v = q_proj(z), k_proj(z), v_proj(z)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "heads averaged", "layer-meets-one-head")
def multi_heads_averaged(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj((weights @ v).mean(dim=1)), weights


@wrong("5.3", "averaged weights returned", "weights-averaged")
def multi_weights_averaged(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights.mean(dim=1)


@wrong("5.3", "x added", "residual")
def multi_residual(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return x + out_proj(join(weights @ v)), weights


@wrong("5.3", "the mask is not used", "mask-ignored")
def multi_mask_ignored(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "masked_fill without keeping its result", "mask-ignored")
def multi_mask_result_thrown_away(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "the mask inverted", "true-hides")
def multi_mask_inverted(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "the mask inverted, -1e9", "true-hides")
def multi_mask_inverted_finite(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask, -1e9)
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "scores times the mask", "zero-filled")
def multi_mask_multiplied(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores * mask
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "scores plus the mask", "mask-added")
def multi_mask_added(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores + mask.to(scores.dtype)
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "hidden scores are 0", "zero-filled")
def multi_mask_zero_filled(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, 0.0)
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "filled with -10", "weak-fill")
def multi_mask_minus_ten(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -10.0)
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "filled with -12", "hidden-keys-read")
def multi_mask_minus_twelve(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -12.0)
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "weights masked, not renormalised", "masked-after-softmax")
def multi_mask_after_softmax(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "hidden weights are zeroed in what is returned only", "rows-do-not-sum-to-1")
def multi_mask_for_the_last_step_only(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.softmax(-1)
    out = out_proj(join(weights @ v))
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return out, weights


@wrong("5.3", "out by SDPA with the mask, the weights without", "mask-for-out-only")
def multi_sdpa_without_mask_in_weights(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    visible = None if mask is None else torch.atleast_2d(mask)
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=visible)
    return out_proj(join(out)), scores.softmax(-1)


@wrong("5.3", "weights with the mask, out by SDPA without", "mask-for-weights-only")
def multi_sdpa_without_mask(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(F.scaled_dot_product_attention(q, k, v))), weights


@wrong("5.3", "is_causal whatever mask is given", "own-causal-mask")
def multi_sdpa_causal_by_itself(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    past = torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril()
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return out_proj(join(out)), hidden(scores, past).softmax(-1)


@wrong("5.3", "causal as soon as there is a mask", "own-causal-mask")
def multi_causal_for_any_mask(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(torch.ones(x.size(1), x.size(1)).triu(1).bool(), -1e9)
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "the mask is used without asking whether there is one", "mask-none")
def multi_mask_without_asking(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "mask == 0 without asking", "mask-none")
def multi_mask_compared_without_asking(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.masked_fill(mask == 0, float("-inf")).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "if mask: one truth value is asked for")
def multi_mask_in_an_if(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "an axis for the heads put into every mask")
def multi_mask_unsqueezed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        mask = mask.unsqueeze(1)
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "queries and keys of the mask exchanged", "mask-transposed")
def multi_mask_transposed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None and mask.dim() > 1:
        mask = mask.transpose(-2, -1)
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "softmax over the queries", "over-queries")
def multi_softmax_over_queries(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(dim=-2)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "softmax over axis 1", "over-heads")
def multi_softmax_over_axis_1(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(dim=1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "softmax twice", "softmax-twice")
def multi_softmax_twice(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    weights = weights.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "no softmax", "no-softmax")
def multi_no_softmax(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "q_proj for everything", "query-layer-for-all")
def multi_q_proj_for_all(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q = k = v = cut(q_proj(x), num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "k by q_proj", "query-layer-twice")
def multi_k_by_q_proj(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, q_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "v by k_proj", "keys-as-values")
def multi_v_by_k_proj(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, k_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "k asks q", "keys-ask")
def multi_queries_and_keys_exchanged(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = k @ q.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "k and v exchanged", "keys-and-values-exchanged")
def multi_keys_and_values_exchanged(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, v_proj, k_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "v is x", "layer-skipped")
def multi_values_not_projected(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    v = cut(x, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "weights transposed before the values", "weights-transposed")
def multi_weights_transposed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights.transpose(-2, -1) @ v)), weights


@wrong("5.3", "out alone", "only-out")
def multi_only_out(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v))


@wrong("5.3", "weights first", "swapped-pair")
def multi_swapped_pair(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return weights, out_proj(join(weights @ v))


@wrong("5.3", "scores returned", "scores-returned")
def multi_scores_returned(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), scores


@wrong("5.3", "the weights of the last head", "one-head-s-weights")
def multi_last_weights_of_a_loop(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    D = x.size(-1) // num_heads
    outs = []
    for h in range(num_heads):
        q, k, v = (layer(x)[..., h * D:(h + 1) * D] for layer in (q_proj, k_proj, v_proj))
        full = None if mask is None else mask.expand(len(x), num_heads, x.size(1), x.size(1))[:, h]
        weights = hidden(q @ k.mT / math.sqrt(D), full).softmax(-1)
        outs.append(weights @ v)
    return out_proj(torch.cat(outs, -1)), weights


@wrong("5.3", "the weights stacked with heads in front", "weights-in-another-order")
def multi_stacked_in_front(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), torch.stack(weights.unbind(1))


@wrong("5.3", "every head takes the first slice", "heads-mixed")
def multi_same_slice_for_every_head(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    q, k, v = (z[:, :1].expand(-1, num_heads, -1, -1) for z in (q, k, v))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "the last head is left out of the merge", "out-alone-wrong")
def multi_dropped_head(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    heads = weights @ v
    heads[:, -1] = 0
    return out_proj(join(heads)), weights


@wrong("5.3", "the merge takes the heads backwards", "out-alone-wrong")
def multi_heads_reversed_in_merge(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join((weights @ v).flip(1))), weights


@wrong("5.3", "k and v of another item", "items-mixed")
def multi_batch_rolled(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    k, v = k.roll(1, dims=0), v.roll(1, dims=0)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "with dropout", "not-repeatable")
def multi_with_dropout(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = F.dropout(hidden(scores, mask).softmax(-1), 0.1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "two mistakes: neither scaled nor masked", "hidden-keys-read")
def multi_unscaled_and_unmasked(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = (q @ k.transpose(-2, -1)).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "two mistakes: not scaled, and merged by view", "positions-mixed")
def multi_unscaled_and_viewed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = hidden(q @ k.transpose(-2, -1), mask).softmax(-1)
    return out_proj((weights @ v).reshape(x.shape)), weights


@wrong("5.3", "the returned weights are not scaled", "weights-alone-wrong")
def multi_unscaled_weights_returned(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), hidden(q @ k.transpose(-2, -1), mask).softmax(-1)


@wrong("5.3", "a size that is a float")
def multi_float_size(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    B, T, C = x.shape
    q, k, v = (layer(x).view(B, T, num_heads, C / num_heads).transpose(1, 2) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "k is not transposed")
def multi_no_transpose_of_keys(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "k.T", "keys-turned-wrongly")
def multi_keys_by_capital_t(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.T / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "a list", "returns-wrong-type")
def multi_as_a_list(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return [out_proj(join(weights @ v)), weights]


@wrong("5.3", "numpy", "returns-wrong-type")
def multi_as_numpy(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)).detach().numpy(), weights.detach().numpy()


@wrong("5.3", "nothing is returned", "returns-none")
def multi_not_returned(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    print(out_proj(join(weights @ v)))


@wrong("5.3", "the weights always float32", "wrong-dtype")
def multi_weights_in_float32(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights.float()


@wrong("5.3", "x is changed in place", "changes-input")
def multi_x_changed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    x *= 1.5
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "the mask is turned around in place", "changes-input")
def multi_mask_changed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        mask.logical_not_()
        scores = scores.masked_fill(mask, float("-inf"))
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "a layer is changed in place", "changes-input")
def multi_layer_changed(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    with torch.no_grad():
        q_proj.weight /= math.sqrt(x.size(-1) // num_heads)
        q_proj.bias /= math.sqrt(x.size(-1) // num_heads)
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = hidden(q @ k.transpose(-2, -1), mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "the mask has no default")
def multi_with_a_mask_always(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "no mask at all")
def multi_of_six_arguments(x, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    weights = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "never split, and the root of one head", "one-head")
def multi_one_head_over_its_root(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = q_proj(x), k_proj(x), v_proj(x)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1) // num_heads)
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(weights @ v), weights


@wrong("5.3", "never split, and merged", "one-head")
def multi_one_head_merged(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = q_proj(x), k_proj(x), v_proj(x)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "never split, with the course's attention", "one-head")
def multi_one_head_by_the_course(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = q_proj(x), k_proj(x), v_proj(x)
    out, weights = dot_product_attention(q, k, v, mask)
    return out_proj(out), weights


@wrong("5.3", "k.transpose(1, 2)", "keys-turned-wrongly")
def multi_keys_turned_as_without_heads(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(1, 2) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "out_proj, and never merged", "layer-meets-one-head")
def multi_never_merged(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(weights @ v), weights


@wrong("5.3", "out_proj between transpose and flatten", "layer-meets-one-head")
def multi_out_proj_before_flatten(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj((weights @ v).transpose(1, 2)).flatten(-2), weights


@wrong("5.3", "the mask is forgotten", "mask-ignored")
def multi_mask_forgotten(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "D ** 1 / 2 in brackets: half of D", "root-without-brackets")
def multi_over_half_of_d(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / (q.size(-1) ** 1 / 2)
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "/ D ** 1 / 2: divided by D and by 2", "root-without-brackets")
def multi_over_d_and_two(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = parts(x, q_proj, k_proj, v_proj, num_heads)
    scores = q @ k.transpose(-2, -1) / q.size(-1) ** 1 / 2
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "the biases of q_proj, k_proj and v_proj forgotten", "bias-forgotten")
def multi_without_biases(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(x @ layer.weight.T, num_heads) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "all biases forgotten", "bias-forgotten")
def multi_without_any_bias(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(x @ layer.weight.T, num_heads) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return join(weights @ v) @ out_proj.weight.T, weights


@wrong("5.3", "the weights of the layers not turned around", "weight-as-it-is")
def multi_weights_as_they_are(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(x @ layer.weight, num_heads) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = hidden(scores, mask).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.3", "new layers in place of those that are given", "not-repeatable")
def multi_with_a_new_out_layer(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (f(x).unflatten(-1, (num_heads, -1)).transpose(1, 2) for f in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    layer = nn.Linear(x.size(-1), x.size(-1), dtype=x.dtype)
    return layer((weights @ v).transpose(1, 2).flatten(-2)), weights


@wrong("5.3", "heads never moved in front of positions, and the mask never used", "among-heads")
def multi_among_heads_without_mask(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    B, T, C = x.shape
    q, k, v = (f(x).view(B, T, num_heads, C // num_heads) for f in (q_proj, k_proj, v_proj))
    weights = (q @ k.transpose(-2, -1) / (C // num_heads) ** 0.5).softmax(-1)
    return out_proj((weights @ v).reshape(B, T, C)), weights


# ---- 5.4 cross_attention(x, context, q_proj, k_proj, v_proj, out_proj, num_heads) ------------------------------------


def attended(q, k, v, out_proj):
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.4", "keys from x", "keys-from-x")
def cross_keys_from_x(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(x), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "values from x", "values-from-x")
def cross_values_from_x(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(x), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "queries from context", "queries-from-context")
def cross_queries_from_context(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(context), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "self-attention of x", "context-ignored")
def cross_all_from_x(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(x), num_heads), cut(v_proj(x), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "context asks", "context-asks")
def cross_context_asks(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(context), num_heads), cut(k_proj(x), num_heads), cut(v_proj(x), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "queries from context, keys from x", "context-asks-keeping-values")
def cross_only_queries_and_keys_exchanged(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(context), num_heads), cut(k_proj(x), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "k @ q", "context-asks-keeping-values")
def cross_weights_the_wrong_way_round(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(k, q, v, out_proj)


@wrong("5.4", "q_proj for everything", "query-layer-for-all")
def cross_q_proj_for_all(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(q_proj(context), num_heads), cut(q_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "keys by q_proj", "query-layer-twice")
def cross_keys_by_q_proj(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(q_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "queries by k_proj", "key-layer-twice")
def cross_queries_by_k_proj(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(k_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "q_proj and k_proj exchanged", "layers-exchanged")
def cross_layers_exchanged(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(k_proj(x), num_heads), cut(q_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "values by k_proj", "keys-as-values")
def cross_values_by_k_proj(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(k_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "keys by v_proj", "values-as-keys")
def cross_keys_by_v_proj(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(v_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "k and v exchanged", "keys-and-values-exchanged")
def cross_k_and_v_exchanged(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(v_proj(context), num_heads), cut(k_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "context is not projected", "layer-skipped")
def cross_context_not_projected(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(context, num_heads), cut(context, num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "x and context are read", "reads-both")
def cross_context_joined_to_x(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    both = torch.cat([x, context], dim=1)
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(both), num_heads), cut(v_proj(both), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "k and v cut with T", "one-length-for-all")
def cross_length_of_x(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    B, T, C = x.shape
    q, k, v = (z.view(B, T, num_heads, C // num_heads).transpose(1, 2)
               for z in (q_proj(x), k_proj(context), v_proj(context)))
    return attended(q, k, v, out_proj)


@wrong("5.4", "q cut with S", "one-length-for-all")
def cross_length_of_context(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    B, S, C = context.shape
    q, k, v = (z.reshape(B, S, num_heads, -1).transpose(1, 2)
               for z in (q_proj(x), k_proj(context), v_proj(context)))
    return attended(q, k, v, out_proj)


@wrong("5.4", "only the first T positions of context", "wrong-shape")
def cross_context_cut_to_length_of_x(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    context = context[:, :x.size(1)]
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "causal", "causal")
def cross_causal(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    past = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    weights = scores.masked_fill(~past, -1e9).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.4", "a causal mask of (T, T)", "causal")
def cross_causal_square(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    past = torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril()
    weights = scores.masked_fill(~past, -1e9).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.4", "not scaled", "no-scale")
def cross_not_scaled(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.mT).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.4", "the root of C", "scaled-by-d-model")
def cross_over_root_of_c(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.mT / math.sqrt(x.size(-1))).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.4", "the root of S", "scaled-by-another")
def cross_over_root_of_keys(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.mT / math.sqrt(k.size(2))).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.4", "divided by D", "scaled-by-d")
def cross_over_d(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.mT / k.size(-1)).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.4", "softmax over the queries", "over-queries")
def cross_over_queries(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.mT / math.sqrt(k.size(-1))).softmax(-2)
    return out_proj(join(weights @ v)), weights


@wrong("5.4", "softmax over the heads", "over-heads")
def cross_over_heads(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = F.softmax(q @ k.mT / math.sqrt(k.size(-1)), dim=1)
    return out_proj(join(weights @ v)), weights


@wrong("5.4", "split by view", "viewed")
def cross_split_by_view(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = (z.view(z.size(0), num_heads, z.size(1), -1) for z in (q_proj(x), k_proj(context), v_proj(context)))
    return attended(q, k, v, out_proj)


@wrong("5.4", "keys and values split by view, queries right", "positions-mixed")
def cross_only_context_viewed(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    k, v = k_proj(context).view(k.shape), v_proj(context).view(v.shape)
    return attended(q, k, v, out_proj)


@wrong("5.4", "keys alone split by view", "positions-mixed")
def cross_only_keys_viewed(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    k = k_proj(context).view(k.shape)
    return attended(q, k, v, out_proj)


@wrong("5.4", "merged by view", "merge-not-transposed")
def cross_merged_by_view(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj((weights @ v).view(x.shape)), weights


@wrong("5.4", "no out_proj", "no-out-proj")
def cross_without_out_proj(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return join(weights @ v), weights


@wrong("5.4", "out_proj on the heads", "layer-meets-one-head")
def cross_out_proj_before_merge(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return join(out_proj(weights @ v)), weights


@wrong("5.4", "not transposed", "among-heads")
def cross_among_heads(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = (z.unflatten(-1, (num_heads, -1)) for z in (q_proj(x), k_proj(context), v_proj(context)))
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj((weights @ v).flatten(2)), weights


@wrong("5.4", "never split", "one-head")
def cross_one_head(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = q_proj(x), k_proj(context), v_proj(context)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(weights @ v), weights


@wrong("5.4", "averaged weights", "weights-averaged")
def cross_weights_averaged(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(join(weights @ v)), weights.mean(1)


@wrong("5.4", "weights (B, H, S, T) returned", "weights-in-another-order")
def cross_weights_transposed(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(join(weights @ v)), weights.mT


@wrong("5.4", "weights transposed before the values", "weights-transposed")
def cross_values_by_transposed_weights(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(join(weights.mT @ v)), weights


@wrong("5.4", "x added", "residual")
def cross_residual(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return x + out_proj(join(weights @ v)), weights


@wrong("5.4", "out alone", "only-out")
def cross_only_out(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return out_proj(join(F.scaled_dot_product_attention(q, k, v)))


@wrong("5.4", "None for the weights", "returns-wrong-type")
def cross_none_for_weights(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return out_proj(join(F.scaled_dot_product_attention(q, k, v))), None


@wrong("5.4", "weights first", "swapped-pair")
def cross_swapped_pair(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return weights, out_proj(join(weights @ v))


@wrong("5.4", "scores returned", "scores-returned")
def cross_scores_returned(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(join(weights @ v)), q @ k.mT


@wrong("5.4", "no softmax", "no-softmax")
def cross_no_softmax(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = q @ k.mT / math.sqrt(q.size(-1))
    return out_proj(join(weights @ v)), weights


@wrong("5.4", "the contexts of the items exchanged", "items-mixed")
def cross_wrong_item(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    context = context.flip(0)
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "the first item's context for all", "items-mixed")
def cross_first_context_for_all(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    context = context[:1].expand(len(x), -1, -1)
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "values of the heads in reverse order", "out-alone-wrong")
def cross_head_order_reversed(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(join(weights @ v.flip(1))), weights


@wrong("5.4", "with dropout", "not-repeatable")
def cross_with_dropout(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = F.dropout((q @ k.mT / math.sqrt(q.size(-1))).softmax(-1), 0.2)
    return out_proj(join(weights @ v)), weights


@wrong("5.4", "x added to context", "out-alone-wrong")
def cross_x_added_to_context(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    context = context + x.mean(dim=1, keepdim=True)
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "k is not transposed")
def cross_keys_not_transposed(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.4", "contex")
def cross_misspelt(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(contex), num_heads), cut(v_proj(context), num_heads)  # noqa: F821
    return attended(q, k, v, out_proj)


@wrong("5.4", "context is changed in place", "changes-input")
def cross_context_changed(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    context += 1
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "a layer is changed in place", "changes-input")
def cross_layer_changed(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    out_proj.bias.data.zero_()
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "always float64", "wrong-dtype")
def cross_always_float64(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(join(weights @ v)).double(), weights.double()


@wrong("5.4", "a dictionary", "returns-wrong-type")
def cross_as_a_dict(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)
    return {"out": out_proj(join(weights @ v)), "weights": weights}


@wrong("5.4", "no context among the arguments")
def cross_without_context(x, q_proj, k_proj, v_proj, out_proj, num_heads):
    return attended(*parts(x, q_proj, k_proj, v_proj, num_heads), out_proj)


@wrong("5.4", "context comes first", "context-asks")
def cross_context_first(context, x, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    return attended(q, k, v, out_proj)


@wrong("5.4", "k.transpose(1, 2)", "keys-turned-wrongly")
def cross_keys_turned_as_without_heads(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(1, 2) / math.sqrt(q.size(-1))).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.4", "D ** 1 / 2 in brackets: half of D", "root-without-brackets")
def cross_over_half_of_d(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = (q @ k.transpose(-2, -1) / (q.size(-1) ** 1 / 2)).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.4", "softmax twice", "softmax-twice")
def cross_softmax_twice(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.softmax(-1).softmax(-1)
    return out_proj(join(weights @ v)), weights


@wrong("5.4", "the biases of q_proj, k_proj and v_proj forgotten", "bias-forgotten")
def cross_without_biases(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q = cut(x @ q_proj.weight.T, num_heads)
    k, v = (cut(context @ layer.weight.T, num_heads) for layer in (k_proj, v_proj))
    return attended(q, k, v, out_proj)


@wrong("5.4", "never split, and merged", "one-head")
def cross_one_head_merged(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    return attended(q_proj(x), k_proj(context), v_proj(context), out_proj)


@wrong("5.4", "values from x, with the course's attention", "values-from-x")
def cross_values_from_x_by_the_course(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(x), num_heads)
    out, weights = dot_product_attention(q, k, v)
    return out_proj(join(out)), weights


@wrong("5.4", "keys from x, with the course's attention", "keys-from-x")
def cross_keys_from_x_by_the_course(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(x), num_heads), cut(v_proj(context), num_heads)
    out, weights = dot_product_attention(q, k, v)
    return out_proj(join(out)), weights


@wrong("5.4", "a new layer for the queries", "not-repeatable")
def cross_with_a_new_query_layer(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    layer = nn.Linear(x.size(-1), x.size(-1), dtype=x.dtype)
    q, k, v = (z.unflatten(-1, (num_heads, -1)).transpose(1, 2) for z in (layer(x), k_proj(context), v_proj(context)))
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    return out_proj((weights @ v).transpose(1, 2).flatten(-2)), weights


# ---- 6.1 layer_norm(x, weight, bias, eps) ----------------------------------------------------------------------------


@wrong("6.1", "var divides by C - 1", "unbiased")
def norm_with_plain_var(x, weight, bias, eps):
    mean = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(var + eps) * weight + bias


@wrong("6.1", "var by hand, divided by C - 1", "unbiased")
def norm_divided_by_c_minus_1(x, weight, bias, eps):
    centred = x - x.mean(-1, keepdim=True)
    var = centred.pow(2).sum(-1, keepdim=True) / (x.size(-1) - 1)
    return weight * centred * torch.rsqrt(var + eps) + bias


@wrong("6.1", "std and eps beside it, as in many a blog", "unbiased-and-eps-outside")
def norm_of_the_annotated_kind(x, weight, bias, eps):
    mean = x.mean(-1, keepdim=True)
    std = x.std(-1, keepdim=True)
    return weight * (x - mean) / (std + eps) + bias


@wrong("6.1", "eps outside the root", "eps-outside")
def norm_with_eps_outside(x, weight, bias, eps):
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, keepdim=True, unbiased=False)
    return (x - mean) / (torch.sqrt(var) + eps) * weight + bias


@wrong("6.1", "eps never used", "eps-forgotten")
def norm_without_eps(x, weight, bias, eps):
    return (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True, correction=0) * weight + bias


@wrong("6.1", "plain std, and no eps", "unbiased-and-eps-forgotten")
def norm_by_plain_std(x, weight, bias, eps):
    return (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True) * weight + bias


@wrong("6.1", "torch's own function without eps", "fixed-eps")
def norm_by_torch_with_its_own_eps(x, weight, bias, eps):
    return F.layer_norm(x, (x.size(-1),), weight, bias)


@wrong("6.1", "eps is 1e-6 whatever is given", "fixed-eps")
def norm_with_eps_of_its_own(x, weight, bias, eps):
    eps = 1e-6
    z = x - x.mean(-1, keepdim=True)
    return z / (z.square().mean(-1, keepdim=True) + eps).sqrt() * weight + bias


@wrong("6.1", "divided by the variance", "not-rooted")
def norm_without_root(x, weight, bias, eps):
    mean, var = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, unbiased=False)
    return (x - mean) / (var + eps) * weight + bias


@wrong("6.1", "multiplied by the root", "multiplied")
def norm_multiplied(x, weight, bias, eps):
    mean, var = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, unbiased=False)
    return (x - mean) * (var + eps).sqrt() * weight + bias


@wrong("6.1", "the mean stays", "not-centred")
def norm_without_mean(x, weight, bias, eps):
    var = x.var(-1, keepdim=True, unbiased=False)
    return x / torch.sqrt(var + eps) * weight + bias


@wrong("6.1", "RMS norm", "rms-norm")
def norm_as_rms(x, weight, bias, eps):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight + bias


@wrong("6.1", "variance of x instead of x - mean", "mean-square")
def norm_with_mean_square(x, weight, bias, eps):
    mean = x.mean(-1, keepdim=True)
    var = (x ** 2).mean(-1, keepdim=True)
    return (x - mean) / torch.sqrt(var + eps) * weight + bias


@wrong("6.1", "centred only", "not-divided")
def norm_only_centred(x, weight, bias, eps):
    return (x - x.mean(-1, keepdim=True)) * weight + bias


@wrong("6.1", "over the positions", "over-positions")
def norm_over_positions(x, weight, bias, eps):
    mean, var = x.mean(-2, keepdim=True), x.var(-2, keepdim=True, unbiased=False)
    return (x - mean) / torch.sqrt(var + eps) * weight + bias


@wrong("6.1", "over axis 1", "over-positions")
def norm_over_axis_1(x, weight, bias, eps):
    mean, var = x.mean(1, keepdim=True), x.var(1, keepdim=True, unbiased=False)
    return (x - mean) / torch.sqrt(var + eps) * weight + bias


@wrong("6.1", "over the batch", "over-batch")
def norm_over_the_batch(x, weight, bias, eps):
    mean, var = x.mean(0), x.var(0, unbiased=False)
    return (x - mean) / torch.sqrt(var + eps) * weight + bias


@wrong("6.1", "over everything", "over-everything")
def norm_over_everything(x, weight, bias, eps):
    return (x - x.mean()) / torch.sqrt(x.var(unbiased=False) + eps) * weight + bias


@wrong("6.1", "the mean over everything", "over-everything")
def norm_with_one_mean(x, weight, bias, eps):
    var = x.var(-1, keepdim=True, unbiased=False)
    return (x - x.mean()) / torch.sqrt(var + eps) * weight + bias


@wrong("6.1", "no keepdim", "no-keepdim")
def norm_without_keeping_the_axis(x, weight, bias, eps):
    mean, var = x.mean(-1), x.var(-1, unbiased=False)
    return (x - mean) / torch.sqrt(var + eps) * weight + bias


@wrong("6.1", "no weight", "weight-forgotten")
def norm_without_weight(x, weight, bias, eps):
    return F.layer_norm(x, x.shape[-1:], None, bias, eps)


@wrong("6.1", "no bias", "bias-forgotten")
def norm_without_bias(x, weight, bias, eps):
    return F.layer_norm(x, x.shape[-1:], weight, None, eps)


@wrong("6.1", "a new layer, whose weight is 1 and bias 0", "weight-and-bias-forgotten")
def norm_by_a_fresh_layer(x, weight, bias, eps):
    return nn.LayerNorm(x.size(-1), eps=eps, dtype=x.dtype)(x)


@wrong("6.1", "weight and bias exchanged", "weight-and-bias-exchanged")
def norm_with_bias_as_weight(x, weight, bias, eps):
    return F.layer_norm(x, x.shape[-1:], bias, weight, eps)


@wrong("6.1", "bias before weight", "bias-inside")
def norm_with_brackets(x, weight, bias, eps):
    return weight * (F.layer_norm(x, x.shape[-1:], eps=eps) + bias)


@wrong("6.1", "weight and bias first", "weight-first")
def norm_of_stretched(x, weight, bias, eps):
    return F.layer_norm(x * weight + bias, x.shape[-1:], eps=eps)


@wrong("6.1", "1 + weight", "one-plus-weight")
def norm_with_one_plus_weight(x, weight, bias, eps):
    return F.layer_norm(x, x.shape[-1:], 1 + weight, bias, eps)


@wrong("6.1", "a bracket is missing", "brackets")
def norm_without_brackets(x, weight, bias, eps):
    mean, var = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, unbiased=False)
    return (x - mean / torch.sqrt(var + eps)) * weight + bias


@wrong("6.1", "F.layer_norm over positions and features", "no-norm-of-this-shape")
def norm_by_torch_of_two_axes(x, weight, bias, eps):
    return F.layer_norm(x, x.shape[1:], weight, bias, eps)


@wrong("6.1", "only the stretch", "not-normalised")
def norm_forgotten(x, weight, bias, eps):
    return x * weight + bias


@wrong("6.1", "x is changed in place", "changes-input")
def norm_in_place_on_x(x, weight, bias, eps):
    x -= x.mean(-1, keepdim=True)
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * weight + bias


@wrong("6.1", "the median in place of the mean", "mean-not-0")
def norm_around_the_median(x, weight, bias, eps):
    middle = x.median(-1, keepdim=True).values
    return (x - middle) / (x.var(-1, keepdim=True, unbiased=False) + eps).sqrt() * weight + bias


@wrong("6.1", "eps doubled", "variance-not-1")
def norm_with_twice_eps(x, weight, bias, eps):
    z = x - x.mean(-1, keepdim=True)
    return z / (z.square().mean(-1, keepdim=True) + 2 * eps).sqrt() * weight + bias


@wrong("6.1", "always float32", "wrong-dtype")
def norm_in_float32(x, weight, bias, eps):
    return F.layer_norm(x.float(), x.shape[-1:], weight.float(), bias.float(), eps)


@wrong("6.1", "a loop that ends too early", "wrong-shape")
def norm_of_the_first_item(x, weight, bias, eps):
    for item in x:
        return F.layer_norm(item, x.shape[-1:], weight, bias, eps) if x.dim() > 1 else F.layer_norm(
            x, x.shape, weight, bias, eps)


@wrong("6.1", "nothing comes back", "returns-none")
def norm_not_returned(x, weight, bias, eps):
    out = F.layer_norm(x, x.shape[-1:], weight, bias, eps)
    print(out.shape)


@wrong("6.1", "a new layer in float32, then weight and bias", "new-layer")
def norm_by_a_float32_layer(x, weight, bias, eps):
    C = x.size(-1)
    return nn.LayerNorm(C, eps=eps)(x) * weight + bias


@wrong("6.1", "a new layer in float32 with copied weights", "new-layer")
def norm_by_a_float32_layer_with_copies(x, weight, bias, eps):
    layer = nn.LayerNorm(x.size(-1), eps=eps)
    layer.load_state_dict({"weight": weight, "bias": bias})
    return layer(x)


@wrong("6.1", "batch norm", "batch-norm")
def norm_of_each_feature(x, weight, bias, eps):
    axes = tuple(range(x.dim() - 1))
    mean, variance = x.mean(axes, keepdim=True), x.var(axes, unbiased=False, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


@wrong("6.1", "over the last two axes", "over-each-item")
def norm_over_two_axes(x, weight, bias, eps):
    mean, variance = x.mean((-2, -1), keepdim=True), x.var((-2, -1), unbiased=False, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


# ---- 6.2 add_and_norm(sublayer_out, x, weight, bias, eps) ------------------------------------------------------------


def norm(z, weight, bias, eps):
    return F.layer_norm(z, z.shape[-1:], weight, bias, eps)


@wrong("6.2", "no residual", "no-residual")
def add_without_residual(sublayer_out, x, weight, bias, eps):
    return norm(sublayer_out, weight, bias, eps)


@wrong("6.2", "only x", "no-sublayer")
def add_only_x(sublayer_out, x, weight, bias, eps):
    return norm(x, weight, bias, eps)


@wrong("6.2", "x + x", "x-with-itself")
def add_x_and_x(sublayer_out, x, weight, bias, eps):
    return norm(x + x, weight, bias, eps)


@wrong("6.2", "sublayer_out twice", "sublayer-with-itself")
def add_sublayer_and_sublayer(sublayer_out, x, weight, bias, eps):
    return norm(sublayer_out + sublayer_out, weight, bias, eps)


@wrong("6.2", "x is in it twice", "x-twice")
def add_x_twice(sublayer_out, x, weight, bias, eps):
    sublayer_out = sublayer_out + x
    return norm(sublayer_out + x, weight, bias, eps)


@wrong("6.2", "first the norm", "norm-before-adding")
def add_after_norm(sublayer_out, x, weight, bias, eps):
    return x + norm(sublayer_out, weight, bias, eps)


@wrong("6.2", "x normed, then added", "x-normed-then-added")
def add_to_normed_x(sublayer_out, x, weight, bias, eps):
    return norm(x, weight, bias, eps) + sublayer_out


@wrong("6.2", "x normed, added, normed", "normed-residual")
def add_normed_x_then_norm(sublayer_out, x, weight, bias, eps):
    x = norm(x, weight, bias, eps)
    return norm(sublayer_out + x, weight, bias, eps)


@wrong("6.2", "sublayer_out normed, added, normed", "normed-sublayer")
def add_normed_sublayer_then_norm(sublayer_out, x, weight, bias, eps):
    return norm(norm(sublayer_out, weight, bias, eps) + x, weight, bias, eps)


@wrong("6.2", "two norms added", "each-normed")
def add_two_norms(sublayer_out, x, weight, bias, eps):
    return norm(sublayer_out, weight, bias, eps) + norm(x, weight, bias, eps)


@wrong("6.2", "x added once more", "added-again")
def add_and_add(sublayer_out, x, weight, bias, eps):
    return x + norm(sublayer_out + x, weight, bias, eps)


@wrong("6.2", "two norms in a row", "normed-twice")
def add_and_norm_and_norm(sublayer_out, x, weight, bias, eps):
    out = norm(sublayer_out + x, weight, bias, eps)
    return norm(out, weight, bias, eps)


@wrong("6.2", "a difference", "difference")
def add_with_a_minus(sublayer_out, x, weight, bias, eps):
    return norm(x - sublayer_out, weight, bias, eps)


@wrong("6.2", "the mean of both", "averaged")
def add_and_halve(sublayer_out, x, weight, bias, eps):
    return norm((x + sublayer_out) / 2, weight, bias, eps)


@wrong("6.2", "the mean of a stack", "averaged")
def add_as_mean_of_a_stack(sublayer_out, x, weight, bias, eps):
    return norm(torch.stack([x, sublayer_out]).mean(0), weight, bias, eps)


@wrong("6.2", "a product", "multiplied-together")
def add_with_a_times(sublayer_out, x, weight, bias, eps):
    return norm(x * sublayer_out, weight, bias, eps)


@wrong("6.2", "no norm", "only-added")
def add_without_norm(sublayer_out, x, weight, bias, eps):
    return sublayer_out + x


@wrong("6.2", "the norm of the sum is stretched only", "not-normalised")
def add_and_stretch(sublayer_out, x, weight, bias, eps):
    return (sublayer_out + x) * weight + bias


@wrong("6.2", "cat", "joined")
def add_by_cat(sublayer_out, x, weight, bias, eps):
    both = torch.cat([sublayer_out, x], dim=-1)
    return F.layer_norm(both, x.shape[-1:], weight, bias, eps)


@wrong("6.2", "unbiased variance", "unbiased")
def add_then_plain_var(sublayer_out, x, weight, bias, eps):
    z = sublayer_out + x
    return (z - z.mean(-1, keepdim=True)) / (z.var(-1, keepdim=True) + eps).sqrt() * weight + bias


@wrong("6.2", "std + eps", "unbiased-and-eps-outside")
def add_then_std(sublayer_out, x, weight, bias, eps):
    z = sublayer_out + x
    return (z - z.mean(-1, keepdim=True)) / (z.std(-1, keepdim=True) + eps) * weight + bias


@wrong("6.2", "torch's own eps", "fixed-eps")
def add_then_norm_with_another_eps(sublayer_out, x, weight, bias, eps):
    return F.layer_norm(sublayer_out + x, x.shape[-1:], weight, bias)


@wrong("6.2", "weight and bias not handed on", "weight-and-bias-forgotten")
def add_then_bare_norm(sublayer_out, x, weight, bias, eps):
    return F.layer_norm(sublayer_out + x, x.shape[-1:], eps=eps)


@wrong("6.2", "bias and weight exchanged", "weight-and-bias-exchanged")
def add_then_norm_with_bias_first(sublayer_out, x, weight, bias, eps):
    return norm(sublayer_out + x, bias, weight, eps)


@wrong("6.2", "over everything", "over-everything")
def add_then_norm_of_everything(sublayer_out, x, weight, bias, eps):
    z = sublayer_out + x
    return (z - z.mean()) / (z.var(unbiased=False) + eps).sqrt() * weight + bias


@wrong("6.2", "x is changed in place", "changes-input")
def add_in_place(sublayer_out, x, weight, bias, eps):
    x += sublayer_out
    return norm(x, weight, bias, eps)


@wrong("6.2", "sublayer_out is changed in place", "changes-input")
def add_in_place_on_sublayer(sublayer_out, x, weight, bias, eps):
    return norm(sublayer_out.add_(x), weight, bias, eps)


@wrong("6.2", "half of x", "not-a-sum")
def add_half_of_x(sublayer_out, x, weight, bias, eps):
    return norm(sublayer_out + 0.5 * x, weight, bias, eps)


@wrong("6.2", "a relu on the way", None)
def add_then_relu(sublayer_out, x, weight, bias, eps):
    return norm(torch.relu(sublayer_out + x), weight, bias, eps)


@wrong("6.2", "dropout on the way", "not-repeatable")
def add_with_dropout(sublayer_out, x, weight, bias, eps):
    return norm(F.dropout(sublayer_out, 0.1) + x, weight, bias, eps)


@wrong("6.2", "a pair comes back", "returns-wrong-type")
def add_and_keep_the_sum(sublayer_out, x, weight, bias, eps):
    total = sublayer_out + x
    return norm(total, weight, bias, eps), total


@wrong("6.2", "the first vector alone", "vectors-mixed")
def add_the_first_vector(sublayer_out, x, weight, bias, eps):
    first = x.reshape(-1, x.size(-1))[0]
    return norm(sublayer_out + first, weight, bias, eps)


@wrong("6.2", "the residual is detached from its place", "vectors-mixed")
def add_x_of_the_wrong_position(sublayer_out, x, weight, bias, eps):
    return norm(sublayer_out + (x.roll(1, dims=-2) if x.dim() > 1 else x), weight, bias, eps)


@wrong("6.2", "a new layer in float32", "new-layer")
def add_and_norm_by_a_float32_layer(sublayer_out, x, weight, bias, eps):
    return nn.LayerNorm(x.size(-1), eps=eps)(sublayer_out + x) * weight + bias


def unfinished_norm(x, weight, bias, eps):
    """What layer_norm is before exercise 6.1 is solved."""


@wrong("6.2", "by a layer_norm that is not written yet", "returns-none")
def add_and_unfinished_norm(sublayer_out, x, weight, bias, eps):
    return unfinished_norm(sublayer_out + x, weight, bias, eps)


@wrong("6.2", "added to what an unwritten layer_norm gives", "none-added")
def add_to_unfinished_norm(sublayer_out, x, weight, bias, eps):
    return x + unfinished_norm(sublayer_out, weight, bias, eps)


# ---- 6.3 relative_key_scores(q, distance_embedding) ------------------------------------------------------------------


def distance(T):
    return torch.arange(T)[:, None] - torch.arange(T)


def by_rows(q, table):
    return torch.einsum("bhtd,tsd->bhts", q, table)


@wrong("6.3", "key minus query", "sign")
def distances_with_wrong_sign(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[-distance(q.size(2)) + M - 1])


@wrong("6.3", "key minus query, by loops", "sign")
def distances_with_wrong_sign_by_loops(q, distance_embedding):
    T, M = q.size(2), (len(distance_embedding) + 1) // 2
    return torch.stack([torch.stack([q[:, :, i] @ distance_embedding[j - i + M - 1] for j in range(T)], -1)
                        for i in range(T)], 2)


@wrong("6.3", "offset T - 1", "offset-t")
def distances_with_offset_t(q, distance_embedding):
    T = q.size(2)
    return by_rows(q, distance_embedding[distance(T) + T - 1])


@wrong("6.3", "sign and offset T - 1", "sign-and-offset-t")
def distances_with_sign_and_offset_t(q, distance_embedding):
    T = q.size(2)
    return by_rows(q, distance_embedding[T - 1 - distance(T)])


@wrong("6.3", "M in place of M - 1", "off-by-one")
def distances_off_by_one(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(q.size(2)) + M])


@wrong("6.3", "M one too small", "off-by-one")
def distances_with_small_m(q, distance_embedding):
    M = len(distance_embedding) // 2
    return by_rows(q, distance_embedding[distance(q.size(2)) + M - 1])


@wrong("6.3", "no offset", "no-offset")
def distances_without_offset(q, distance_embedding):
    return by_rows(q, distance_embedding[distance(q.size(2))])


@wrong("6.3", "no offset, key minus query", "sign-and-no-offset")
def distances_without_offset_and_sign(q, distance_embedding):
    return by_rows(q, distance_embedding[distance(q.size(2)).T])


@wrong("6.3", "no offset, in F.embedding", None)
def distances_without_offset_in_embedding(q, distance_embedding):
    return by_rows(q, F.embedding(distance(q.size(2)), distance_embedding))


@wrong("6.3", "the length taken for M", "length-as-m")
def distances_with_length_as_m(q, distance_embedding):
    M = len(distance_embedding)
    return by_rows(q, distance_embedding[distance(q.size(2)) + M - 1])


@wrong("6.3", "absolute distances", "absolute")
def distances_absolute(q, distance_embedding):
    return by_rows(q, distance_embedding[distance(q.size(2)).abs()])


@wrong("6.3", "absolute distances from the middle", "absolute")
def distances_absolute_from_the_middle(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(q.size(2)).abs() + M - 1])


@wrong("6.3", "clamped at 2", "clamped")
def distances_clamped(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(q.size(2)).clamp(-2, 2) + M - 1])


@wrong("6.3", "the future clamped to 0", "clamped")
def distances_clamped_at_0(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(q.size(2)).clamp(min=0) + M - 1])


@wrong("6.3", "positions added", "sum-of-positions")
def distances_added(q, distance_embedding):
    i = torch.arange(q.size(2))
    return by_rows(q, distance_embedding[i[:, None] + i])


@wrong("6.3", "rows as if they were keys", "row-by-key")
def distances_as_keys(q, distance_embedding):
    return q @ distance_embedding[:q.size(2)].T


@wrong("6.3", "the middle rows as if they were keys", "row-by-key")
def distances_from_the_middle_as_keys(q, distance_embedding):
    M, T = (len(distance_embedding) + 1) // 2, q.size(2)
    return q @ distance_embedding[M - 1:M - 1 + T].transpose(0, 1)


@wrong("6.3", "all rows as keys", "whole-table")
def distances_of_the_whole_table(q, distance_embedding):
    return q @ distance_embedding.transpose(0, 1)


@wrong("6.3", "transposed at the end", "transposed")
def distances_transposed(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(q.size(2)) + M - 1]).transpose(2, 3)


@wrong("6.3", "einsum with the key's letter", "key-asks")
def distances_of_the_key(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return torch.einsum("bhrd,lrd->bhlr", q, distance_embedding[distance(q.size(2)) + M - 1])


@wrong("6.3", "scaled", "scaled")
def distances_scaled(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(q.size(2)) + M - 1]) / math.sqrt(q.size(-1))


@wrong("6.3", "the mean of the products", "scaled")
def distances_averaged(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return (q.unsqueeze(3) * distance_embedding[distance(q.size(2)) + M - 1]).mean(-1)


@wrong("6.3", "softmax", "softmaxed")
def distances_softmaxed(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(q.size(2)) + M - 1]).softmax(-1)


@wrong("6.3", "causal", "causal")
def distances_causal(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(q.size(2)) + M - 1]).tril()


@wrong("6.3", "products not summed", "not-summed")
def distances_not_summed(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return q.unsqueeze(3) * distance_embedding[distance(q.size(2)) + M - 1]


@wrong("6.3", "the rows themselves", "table-only")
def distances_table_only(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return distance_embedding[distance(q.size(2)) + M - 1]


@wrong("6.3", "M positions", "positions-up-to-m")
def distances_for_m_positions(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(M) + M - 1])


@wrong("6.3", "the scores of content added", "content-added")
def distances_and_content(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return q @ q.mT + by_rows(q, distance_embedding[distance(q.size(2)) + M - 1])


@wrong("6.3", "summed over heads", "wrong-shape")
def distances_summed_over_heads(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return torch.einsum("bhtd,tsd->bts", q, distance_embedding[distance(q.size(2)) + M - 1])


@wrong("6.3", "summed over the heads, and kept", "items-mixed")
def distances_with_heads_mixed(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    q = q.sum(1, keepdim=True).expand_as(q)
    return by_rows(q, distance_embedding[distance(q.size(2)) + M - 1])


@wrong("6.3", "a view of the skewed table", "wrong-row")
def distances_by_a_wrong_skew(q, distance_embedding):
    T, M = q.size(2), (len(distance_embedding) + 1) // 2
    near = q @ distance_embedding[M - T:M + T - 1].T  # (B, H, T, 2T - 1)
    return torch.stack([near[:, :, i, i:i + T] for i in range(T)], 2)


@wrong("6.3", "distances doubled", None)
def distances_doubled(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[2 * distance(q.size(2)) + M - 1])


@wrong("6.3", "distances modulo the table", "wrong-row")
def distances_modulo(q, distance_embedding):
    L = len(distance_embedding)
    return by_rows(q, distance_embedding[(distance(q.size(2)) + 1) % L])


@wrong("6.3", "a tanh after the product", "not-linear")
def distances_with_tanh(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(q.size(2)) + M - 1]).tanh()


@wrong("6.3", "always float32", "wrong-dtype")
def distances_in_float32(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q.float(), distance_embedding[distance(q.size(2)) + M - 1].float()) + 0.0


@wrong("6.3", "T from the wrong axis", None)
def distances_with_t_from_heads(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(q.size(1)) + M - 1])


@wrong("6.3", "the table is scaled in place", "changes-input")
def distances_changing_the_table(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    distance_embedding *= 2
    return by_rows(q, distance_embedding[distance(q.size(2)) + M - 1]) / 2


@wrong("6.3", "a matrix product, in which H meets T", "rows-as-batch")
def distances_by_a_matrix_product(q, distance_embedding):
    T, M = q.size(-2), (len(distance_embedding) + 1) // 2
    positions = torch.arange(T)
    index = positions[:, None] - positions + M - 1
    return q @ distance_embedding[index].transpose(-2, -1)


# ---- 6.4 prune_linear(weight, bias, heads, num_heads, dim) -----------------------------------------------------------


def features_left(size, heads, num_heads):
    D = size // num_heads
    return [i for i in range(size) if i // D not in heads]


@wrong("6.4", "columns for dim 0, rows for dim 1", "wrong-axis")
def prune_other_axis(weight, bias, heads, num_heads, dim):
    keep = features_left(weight.size(dim), heads, num_heads)
    if dim == 0:
        return weight[:, keep], None if bias is None else bias[keep]
    return weight[keep], bias


@wrong("6.4", "1 - dim in index_select", "wrong-axis")
def prune_other_axis_by_index_select(weight, bias, heads, num_heads, dim):
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    new = weight.index_select(1 - dim, keep)
    return new, bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "always rows", "always-rows")
def prune_always_rows(weight, bias, heads, num_heads, dim):
    keep = features_left(weight.size(0), heads, num_heads)
    return weight[keep], bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "dim never looked at", "always-rows")
def prune_without_dim(weight, bias, heads, num_heads, dim):
    keep = torch.tensor(features_left(len(weight), heads, num_heads))
    return weight[keep], bias if bias is None else bias[keep]


@wrong("6.4", "always columns", "always-columns")
def prune_always_columns(weight, bias, heads, num_heads, dim):
    return weight[:, features_left(weight.size(1), heads, num_heads)], bias


@wrong("6.4", "bias left as it is", "bias-not-pruned")
def prune_weight_only(weight, bias, heads, num_heads, dim):
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    return weight.index_select(dim, keep), bias


@wrong("6.4", "bias pruned for dim 1 too", "bias-always-pruned")
def prune_bias_always(weight, bias, heads, num_heads, dim):
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    return weight.index_select(dim, keep), bias[keep] if bias is not None else None


@wrong("6.4", "bias pruned for dim 1 only", "bias-for-columns")
def prune_bias_for_columns(weight, bias, heads, num_heads, dim):
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 1 else bias


@wrong("6.4", "None for the bias of dim 1", "bias-lost")
def prune_bias_lost(weight, bias, heads, num_heads, dim):
    keep = features_left(weight.size(dim), heads, num_heads)
    if dim == 0:
        return weight[keep], bias[keep] if bias is not None else None
    return weight[:, keep], None


@wrong("6.4", "bias None not thought of", "bias-none")
def prune_needs_a_bias(weight, bias, heads, num_heads, dim):
    keep = features_left(weight.size(dim), heads, num_heads)
    if dim == 0:
        return weight[keep], bias[keep]
    return weight[:, keep], bias


@wrong("6.4", "if bias: asks a tensor for its truth", None)
def prune_if_bias(weight, bias, heads, num_heads, dim):
    keep = features_left(weight.size(dim), heads, num_heads)
    if bias and dim == 0:
        bias = bias[keep]
    return (weight[keep] if dim == 0 else weight[:, keep]), bias


@wrong("6.4", "zeros for a bias that is not there", "bias-zeros")
def prune_with_a_bias_of_zeros(weight, bias, heads, num_heads, dim):
    keep = features_left(weight.size(dim), heads, num_heads)
    if bias is None:
        bias = torch.zeros(weight.size(0), dtype=weight.dtype)
    return (weight[keep], bias[keep]) if dim == 0 else (weight[:, keep], bias)


@wrong("6.4", "the pruned heads stay", "pruned-kept")
def prune_the_others(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    keep = torch.tensor([i for i in range(weight.size(dim)) if i // D in heads], dtype=torch.long)
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "i % num_heads", "interleaved")
def prune_interleaved(weight, bias, heads, num_heads, dim):
    keep = torch.tensor([i for i in range(weight.size(dim)) if i % num_heads not in heads])
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "repeat in place of repeat_interleave", "interleaved")
def prune_by_repeat(weight, bias, heads, num_heads, dim):
    stays = torch.tensor([h not in heads for h in range(num_heads)])
    keep = stays.repeat(weight.size(dim) // num_heads).nonzero().flatten()
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "i // num_heads", "num-heads-as-size")
def prune_with_num_heads_as_size(weight, bias, heads, num_heads, dim):
    keep = torch.tensor([i for i in range(weight.size(dim)) if i // num_heads not in heads])
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "i % D", "interleaved-by-size")
def prune_by_place_within_the_head(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    keep = torch.tensor([i for i in range(weight.size(dim)) if i % D not in heads], dtype=torch.long)
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "D from the other axis", "size-of-other-axis")
def prune_with_size_of_other_axis(weight, bias, heads, num_heads, dim):
    D = max(1, weight.size(1 - dim) // num_heads)
    keep = torch.tensor([i for i in range(weight.size(dim)) if i // D not in heads])
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "heads taken for features", "one-feature-each")
def prune_single_features(weight, bias, heads, num_heads, dim):
    keep = torch.tensor([i for i in range(weight.size(dim)) if i not in heads])
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "only the heads' numbers", "heads-not-features")
def prune_to_one_feature_per_head(weight, bias, heads, num_heads, dim):
    keep = torch.tensor([h for h in range(num_heads) if h not in heads])
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "counted from 1", "counted-from-1")
def prune_counted_from_1(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    keep = torch.tensor([i for i in range(weight.size(dim)) if i // D + 1 not in heads])
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "zeroed", "zeroed")
def prune_by_zeros(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    weight, bias = weight.clone(), bias if bias is None else bias.clone()
    for h in heads:
        if dim == 0:
            weight[h * D:(h + 1) * D] = 0
            if bias is not None:
                bias[h * D:(h + 1) * D] = 0
        else:
            weight[:, h * D:(h + 1) * D] = 0
    return weight, bias


@wrong("6.4", "one after another", "one-after-another")
def prune_one_after_another(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    for h in sorted(heads):
        if dim == 0:
            weight = torch.cat([weight[:h * D], weight[(h + 1) * D:]])
            if bias is not None:
                bias = torch.cat([bias[:h * D], bias[(h + 1) * D:]])
        else:
            weight = torch.cat([weight[:, :h * D], weight[:, (h + 1) * D:]], dim=1)
    return weight, bias


@wrong("6.4", "return in the loop", "one-head-only")
def prune_return_in_loop(weight, bias, heads, num_heads, dim):
    for h in heads:
        keep = torch.tensor(features_left(weight.size(dim), [h], num_heads))
        return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias
    return weight, bias


@wrong("6.4", "the first len(heads) heads", "counted-heads")
def prune_the_first_heads(weight, bias, heads, num_heads, dim):
    start = len(heads) * (weight.size(dim) // num_heads)
    if dim == 1:
        return weight[:, start:], bias
    return weight[start:], None if bias is None else bias[start:]


@wrong("6.4", "the head axis stays", "heads-apart")
def prune_with_heads_apart(weight, bias, heads, num_heads, dim):
    keep = [h for h in range(num_heads) if h not in heads]
    if dim == 0:
        return weight.view(num_heads, -1, weight.size(1))[keep], None if bias is None else bias.view(
            num_heads, -1)[keep]
    return weight.view(weight.size(0), num_heads, -1)[:, keep], bias


@wrong("6.4", "the weight alone", "only-weight")
def prune_only_weight(weight, bias, heads, num_heads, dim):
    return weight.index_select(dim, torch.tensor(features_left(weight.size(dim), heads, num_heads)))


@wrong("6.4", "bias first", "bias-first")
def prune_bias_first(weight, bias, heads, num_heads, dim):
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    return bias[keep] if bias is not None and dim == 0 else bias, weight.index_select(dim, keep)


@wrong("6.4", "a list of both", "returns-wrong-type")
def prune_as_a_list(weight, bias, heads, num_heads, dim):
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    return [weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias]


@wrong("6.4", "a layer comes back", "returns-wrong-type")
def prune_to_a_layer(weight, bias, heads, num_heads, dim):
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    new = weight.index_select(dim, keep)
    return nn.Linear(new.size(1), new.size(0), bias=bias is not None)


@wrong("6.4", "transposed", "transposed")
def prune_transposed(weight, bias, heads, num_heads, dim):
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    return weight.index_select(dim, keep).T, bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "nothing pruned", "unchanged")
def prune_nothing(weight, bias, heads, num_heads, dim):
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    weight.index_select(dim, keep)
    return weight, bias


@wrong("6.4", "a set as an index", "not-an-index")
def prune_with_a_set_as_index(weight, bias, heads, num_heads, dim):
    stays = torch.ones(num_heads, dtype=torch.bool)
    stays[heads] = False
    keep = stays.repeat_interleave(weight.size(dim) // num_heads).nonzero().flatten()
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "an empty tensor as an index", "empty-collection")
def prune_with_an_empty_index(weight, bias, heads, num_heads, dim):
    stays = torch.ones(num_heads, dtype=torch.bool)
    stays[torch.tensor(list(heads))] = False
    keep = stays.repeat_interleave(weight.size(dim) // num_heads).nonzero().flatten()
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "heads emptied", "changes-input")
def prune_emptying_heads(weight, bias, heads, num_heads, dim):
    gone = []
    while heads:
        if isinstance(heads, (list, set)):
            gone.append(heads.pop())
        else:
            gone, heads = list(heads), ()
    keep = torch.tensor(features_left(weight.size(dim), gone, num_heads))
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "a list sorted in place", None)
def prune_sorting_heads(weight, bias, heads, num_heads, dim):
    heads.sort()
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "the last feature of a head stays", "wrong-shape")
def prune_one_feature_short(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    gone = [i for h in heads for i in range(h * D, (h + 1) * D - 1)]
    keep = torch.tensor([i for i in range(weight.size(dim)) if i not in gone])
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "slices that begin one late", "wrong-features")
def prune_shifted_by_one(weight, bias, heads, num_heads, dim):
    size = weight.size(dim)
    D = size // num_heads
    gone = [(h * D + i + 1) % size for h in heads for i in range(D)]
    keep = torch.tensor([i for i in range(size) if i not in gone])
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "the bias of other rows", "wrong-features")
def prune_bias_from_the_front(weight, bias, heads, num_heads, dim):
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    return weight.index_select(dim, keep), bias[:len(keep)] if bias is not None and dim == 0 else bias


@wrong("6.4", "what stays is made larger", "wrong-features")
def prune_and_make_larger(weight, bias, heads, num_heads, dim):
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    new = weight.index_select(dim, keep) * num_heads / max(1, num_heads - len(heads))
    return new, bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "dim exchanged, for the bias too", "wrong-axis")
def prune_with_dim_exchanged(weight, bias, heads, num_heads, dim):
    keep = features_left(weight.size(dim), heads, num_heads)
    if dim == 0:
        return weight[:, keep], bias
    return weight[keep], None if bias is None else bias[keep]


@wrong("6.4", "dim exchanged by masks, counted along the axis that is cut", "wrong-axis")
def prune_with_dim_exchanged_by_masks(weight, bias, heads, num_heads, dim):
    stays = torch.tensor([h not in heads for h in range(num_heads)])
    keep = stays.repeat_interleave(weight.size(1 - dim) // num_heads)
    if dim == 1:
        return weight[keep], bias if bias is None else bias[keep]
    return weight[:, keep], bias


@wrong("6.4", "dim = 1 - dim", "wrong-axis")
def prune_with_the_other_dim(weight, bias, heads, num_heads, dim):
    dim = 1 - dim
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "a list of the features that go", "pruned-listed")
def prune_to_a_list_of_those_that_go(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    features = []
    for h in heads:
        features += range(h * D, (h + 1) * D)
    features = torch.tensor(features)
    return weight.index_select(dim, features), bias[features] if bias is not None and dim == 0 else bias


@wrong("6.4", "the pruned heads' pieces joined", "pruned-listed")
def prune_to_the_pieces_that_go(weight, bias, heads, num_heads, dim):
    def pieces(x, axis):
        return torch.cat([x.chunk(num_heads, axis)[h] for h in sorted(heads)], axis)
    return pieces(weight, dim), pieces(bias, 0) if bias is not None and dim == 0 else bias


@wrong("6.4", "range(h, n, num_heads)", "interleaved")
def prune_by_range_with_steps(weight, bias, heads, num_heads, dim):
    keep = torch.tensor([i for h in range(num_heads) if h not in heads
                         for i in range(h, weight.size(dim), num_heads)])
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("6.4", "squeeze() at the end: one row that is left loses its axis", "wrong-shape")
def pruned_and_squeezed(weight, bias, heads, num_heads, dim):
    width = weight.size(dim) // num_heads
    keep = [i for i in range(weight.size(dim)) if i // width not in heads]
    w = weight[keep] if dim == 0 else weight[:, keep]
    return w.squeeze(), bias[keep] if dim == 0 and bias is not None else bias


@wrong("6.4", "dim only says what is counted: rows are cut, and the bias always", "always-rows")
def prune_rows_whatever_dim_is(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    keep = [i for i in range(weight.size(dim)) if i // D not in heads]
    return weight[keep], bias[keep] if bias is not None else None


@wrong("6.4", "slices of rows, as wide as the heads of dim", "always-rows")
def prune_slices_of_rows(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    left = [h for h in range(num_heads) if h not in heads]
    rows = torch.cat([weight[h * D:(h + 1) * D] for h in left])
    return rows, bias if bias is None else torch.cat([bias[h * D:(h + 1) * D] for h in left])


# ---- 6.5 attend_with_cache(q, k, v, past) ----------------------------------------------------------------------------


def with_past(k, v, past):
    if past is None:
        return k, v
    return torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)


def seen(q, k):
    return torch.ones(q.size(2), k.size(2), dtype=torch.bool).tril(k.size(2) - q.size(2))


def read(q, k, v, mask):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


@wrong("6.5", "new in front", "new-before-past")
def cache_new_in_front(q, k, v, past):
    if past is not None:
        k, v = torch.cat([k, past[0]], dim=2), torch.cat([v, past[1]], dim=2)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("6.5", "new in front, with is_causal", "new-before-past")
def cache_new_in_front_is_causal(q, k, v, past):
    if past is not None:
        k, v = torch.cat([k, past[0]], dim=2), torch.cat([v, past[1]], dim=2)
    return F.scaled_dot_product_attention(q, k, v, is_causal=True), (k, v)


@wrong("6.5", "joined along the heads", "joined-along-the-heads")
def cache_along_heads(q, k, v, past):
    if past is not None:
        k, v = torch.cat([past[0], k], dim=1), torch.cat([past[1], v], dim=1)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("6.5", "joined along the features", "joined-along-another-axis")
def cache_along_features(q, k, v, past):
    if past is not None:
        k, v = torch.cat([past[0], k], dim=-1), torch.cat([past[1], v], dim=-1)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("6.5", "joined along axis 0", "joined-along-another-axis")
def cache_along_the_batch(q, k, v, past):
    if past is not None:
        k, v = torch.cat([past[0], k]), torch.cat([past[1], v])
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("6.5", "no mask", "no-mask")
def cache_without_mask(q, k, v, past):
    k, v = with_past(k, v, past)
    return F.scaled_dot_product_attention(q, k, v), (k, v)


@wrong("6.5", "is_causal", "top-left")
def cache_is_causal(q, k, v, past):
    k, v = with_past(k, v, past)
    return F.scaled_dot_product_attention(q, k, v, is_causal=True), (k, v)


@wrong("6.5", "tril() without a diagonal", "top-left")
def cache_with_plain_tril(q, k, v, past):
    k, v = with_past(k, v, past)
    scores = q @ k.transpose(2, 3) / math.sqrt(q.size(-1))
    mask = torch.tril(torch.ones_like(scores)).bool()
    return scores.masked_fill(~mask, -math.inf).softmax(-1) @ v, (k, v)


@wrong("6.5", "is_causal only at the first call", "mask-only-at-the-beginning")
def cache_causal_at_first(q, k, v, past):
    causal = past is None
    k, v = with_past(k, v, past)
    return F.scaled_dot_product_attention(q, k, v, is_causal=causal), (k, v)


@wrong("6.5", "the mask only where there is a past", "mask-only-with-past")
def cache_causal_later(q, k, v, past):
    if past is None:
        return F.scaled_dot_product_attention(q, k, v), (k, v)
    k, v = with_past(k, v, past)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("6.5", "attends before joining", "past-not-read")
def cache_attends_before_joining(q, k, v, past):
    out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return out, with_past(k, v, past)


@wrong("6.5", "attends before joining, without a mask", "past-not-read-no-mask")
def cache_attends_before_joining_unmasked(q, k, v, past):
    return F.scaled_dot_product_attention(q, k, v), with_past(k, v, past)


@wrong("6.5", "past never used", "past-ignored")
def cache_without_past(q, k, v, past):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True), (k, v)


@wrong("6.5", "only the new handed on", "only-new-handed-on")
def cache_hands_on_the_new(q, k, v, past):
    keys, values = with_past(k, v, past)
    return read(q, keys, values, seen(q, keys)), (k, v)


@wrong("6.5", "past handed on", "past-handed-on")
def cache_hands_on_the_past(q, k, v, past):
    keys, values = with_past(k, v, past)
    return read(q, keys, values, seen(q, keys)), past if past is not None else (k, v)


@wrong("6.5", "values do not grow", "one-not-handed-on")
def cache_hands_on_new_values(q, k, v, past):
    keys, values = with_past(k, v, past)
    return read(q, keys, values, seen(q, keys)), (keys, v)


@wrong("6.5", "values not joined", "one-not-joined")
def cache_joins_keys_only(q, k, v, past):
    keys, values = with_past(k, v, past)
    weights = (q @ keys.mT / math.sqrt(q.size(-1))).masked_fill(~seen(q, keys), -math.inf).softmax(-1)
    return weights @ v, (keys, values)


@wrong("6.5", "(v, k)", "values-first-in-cache")
def cache_values_first(q, k, v, past):
    k, v = with_past(k, v, past)
    return read(q, k, v, seen(q, k)), (v, k)


@wrong("6.5", "past opened as (v, k)", "past-read-as-v-k")
def cache_opens_past_backwards(q, k, v, past):
    if past is not None:
        old_v, old_k = past
        k, v = torch.cat([old_k, k], 2), torch.cat([old_v, v], 2)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("6.5", "past[0] for both", "keys-as-values")
def cache_past_keys_for_both(q, k, v, past):
    if past is not None:
        k, v = torch.cat([past[0], k], 2), torch.cat([past[0], v], 2)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("6.5", "None opened", "past-fails-at-none")
def cache_needs_a_past(q, k, v, past):
    k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("6.5", "None unpacked", "past-fails-at-none")
def cache_unpacks_none(q, k, v, past):
    old_k, old_v = past
    k, v = torch.cat([old_k, k], 2), torch.cat([old_v, v], 2)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("6.5", "one ahead", "one-ahead")
def cache_one_ahead(q, k, v, past):
    k, v = with_past(k, v, past)
    mask = torch.ones(q.size(2), k.size(2), dtype=torch.bool).tril(k.size(2) - q.size(2) + 1)
    return read(q, k, v, mask), (k, v)


@wrong("6.5", "not itself", "not-itself")
def cache_not_itself(q, k, v, past):
    k, v = with_past(k, v, past)
    mask = torch.ones(q.size(2), k.size(2), dtype=torch.bool).tril(k.size(2) - q.size(2) - 1)
    scores = (q @ k.mT / math.sqrt(q.size(-1))).masked_fill(~mask, -1e9)
    return scores.softmax(-1) @ v, (k, v)


@wrong("6.5", "mask the wrong way round", "true-hides")
def cache_true_hides(q, k, v, past):
    k, v = with_past(k, v, past)
    scores = (q @ k.mT / math.sqrt(q.size(-1))).masked_fill(seen(q, k), -math.inf)
    return scores.softmax(-1) @ v, (k, v)


@wrong("6.5", "no scale", "no-scale")
def cache_unscaled(q, k, v, past):
    k, v = with_past(k, v, past)
    return (q @ k.mT).masked_fill(~seen(q, k), -math.inf).softmax(-1) @ v, (k, v)


@wrong("6.5", "divided by D", "scaled-by-d")
def cache_scaled_by_d(q, k, v, past):
    k, v = with_past(k, v, past)
    return (q @ k.mT / q.size(-1)).masked_fill(~seen(q, k), -math.inf).softmax(-1) @ v, (k, v)


@wrong("6.5", "divided by the root of the length", "scaled-by-another")
def cache_scaled_by_length(q, k, v, past):
    k, v = with_past(k, v, past)
    return (q @ k.mT / math.sqrt(k.size(2))).masked_fill(~seen(q, k), -math.inf).softmax(-1) @ v, (k, v)


@wrong("6.5", "softmax over the queries", "over-queries")
def cache_softmax_over_queries(q, k, v, past):
    k, v = with_past(k, v, past)
    return (q @ k.mT / math.sqrt(q.size(-1))).masked_fill(~seen(q, k), -math.inf).softmax(2) @ v, (k, v)


@wrong("6.5", "masked by -10", "weak-fill")
def cache_weak_fill(q, k, v, past):
    k, v = with_past(k, v, past)
    return (q @ k.mT / math.sqrt(q.size(-1))).masked_fill(~seen(q, k), -10).softmax(-1) @ v, (k, v)


@wrong("6.5", "scores times mask", "zero-filled")
def cache_zero_filled(q, k, v, past):
    k, v = with_past(k, v, past)
    return (q @ k.mT / math.sqrt(q.size(-1)) * seen(q, k)).softmax(-1) @ v, (k, v)


@wrong("6.5", "masked after the softmax", "masked-after-softmax")
def cache_masked_after_softmax(q, k, v, past):
    k, v = with_past(k, v, past)
    return ((q @ k.mT / math.sqrt(q.size(-1))).softmax(-1) * seen(q, k)) @ v, (k, v)


@wrong("6.5", "weights too", "weights-too")
def cache_with_weights(q, k, v, past):
    k, v = with_past(k, v, past)
    weights = (q @ k.mT / math.sqrt(q.size(-1))).masked_fill(~seen(q, k), -math.inf).softmax(-1)
    return weights @ v, weights, (k, v)


@wrong("6.5", "a list in place of the pair", "list-of-both")
def cache_as_a_list(q, k, v, past):
    k, v = with_past(k, v, past)
    return read(q, k, v, seen(q, k)), [k, v]


@wrong("6.5", "a list, and no mask", "returns-wrong-type")
def cache_as_a_list_without_mask(q, k, v, past):
    k, v = with_past(k, v, past)
    return F.scaled_dot_product_attention(q, k, v), [k, v]


@wrong("6.5", "a dict", "returns-wrong-type")
def cache_as_a_dict(q, k, v, past):
    k, v = with_past(k, v, past)
    return read(q, k, v, seen(q, k)), {"k": k, "v": v}


@wrong("6.5", "flat", "three-things")
def cache_flat(q, k, v, past):
    k, v = with_past(k, v, past)
    return read(q, k, v, seen(q, k)), k, v


@wrong("6.5", "out alone", "only-out")
def cache_only_out(q, k, v, past):
    k, v = with_past(k, v, past)
    return read(q, k, v, seen(q, k))


@wrong("6.5", "cache first", "cache-first")
def cache_first(q, k, v, past):
    k, v = with_past(k, v, past)
    return (k, v), read(q, k, v, seen(q, k))


@wrong("6.5", "stacked", "stacked-cache")
def cache_stacked(q, k, v, past):
    k, v = with_past(k, v, past)
    return read(q, k, v, seen(q, k)), torch.stack([k, v])


@wrong("6.5", "past keys ask as well", "queries-joined")
def cache_queries_joined(q, k, v, past):
    if past is not None:
        q = torch.cat([past[0], q], 2)
    k, v = with_past(k, v, past)
    return F.scaled_dot_product_attention(q, k, v, is_causal=True), (k, v)


@wrong("6.5", "the past changed in place", "changes-input")
def cache_changing_the_past(q, k, v, past):
    if past is not None:
        past[0][:] = past[0] * 2
        k, v = torch.cat([past[0] / 2, k], 2), torch.cat([past[1], v], 2)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("6.5", "an item assigned to a tuple", None)
def cache_assigned_to_the_tuple(q, k, v, past):
    if past is None:
        past = (k, v)
    else:
        past[0] = torch.cat([past[0], k], 2)
        past[1] = torch.cat([past[1], v], 2)
    return read(q, past[0], past[1], seen(q, past[0])), past


@wrong("6.5", "a window of three", "not-all-seen")
def cache_with_a_window(q, k, v, past):
    k, v = with_past(k, v, past)
    return read(q, k, v, seen(q, k).triu(k.size(2) - q.size(2) - 2)), (k, v)


@wrong("6.5", "the past values scaled", "cache-altered")
def cache_with_fading_past(q, k, v, past):
    if past is not None:
        k, v = torch.cat([past[0], k], 2), torch.cat([0.9 * past[1], v], 2)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("6.5", "the past reversed", "cache-altered")
def cache_with_reversed_past(q, k, v, past):
    if past is not None:
        k, v = torch.cat([past[0].flip(2), k], 2), torch.cat([past[1].flip(2), v], 2)
    return read(q, k, v, seen(q, k)), (k, v)


@wrong("6.5", "dropout", "not-repeatable")
def cache_with_dropout(q, k, v, past):
    k, v = with_past(k, v, past)
    return F.scaled_dot_product_attention(q, k, v, seen(q, k), dropout_p=0.2), (k, v)


@wrong("6.5", "the first item's keys for all", "items-mixed")
def cache_of_the_first_item(q, k, v, past):
    k, v = with_past(k, v, past)
    return read(q, k[:1].expand_as(k), v, seen(q, k)), (k, v)


@wrong("6.5", "divided by the root of the number of new tokens when there is a past", "chunks-differ")
def cache_scaled_otherwise_later(q, k, v, past):
    keys, values = with_past(k, v, past)
    root = math.sqrt(q.size(-1)) if past is None else 1.5 * math.sqrt(q.size(-1))
    weights = (q @ keys.mT / root).masked_fill(~seen(q, keys), -math.inf).softmax(-1)
    return weights @ values, (keys, values)


@wrong("6.5", "joined along the heads, no mask", "joined-along-the-heads")
def cache_along_heads_unmasked(q, k, v, past):
    if past is not None:
        k, v = torch.cat([past[0], k], dim=1), torch.cat([past[1], v], dim=1)
    return F.scaled_dot_product_attention(q, k, v), (k, v)


def square_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


@wrong("6.5", "a mask (T, T)", "mask-without-past")
def cache_with_a_mask_of_new_tokens(q, k, v, past):
    k, v = with_past(k, v, past)
    scores = q @ k.mT / math.sqrt(q.size(-1))
    return scores.masked_fill(~square_mask(q.size(-2)), -math.inf).softmax(-1) @ v, (k, v)


@wrong("6.5", "a mask (T, T), handed to torch", "mask-without-past")
def cache_with_a_mask_of_new_tokens_for_torch(q, k, v, past):
    k, v = with_past(k, v, past)
    return read(q, k, v, square_mask(q.size(-2))), (k, v)


@wrong("6.5", "a mask (T, T), handed to the course's attention", "mask-without-past")
def cache_with_a_mask_of_new_tokens_by_the_course(q, k, v, past):
    k, v = with_past(k, v, past)
    return dot_product_attention(q, k, v, square_mask(q.size(-2)))[0], (k, v)


@wrong("6.5", "a mask (S, S)", "mask-with-past-rows")
def cache_with_a_mask_of_all_tokens(q, k, v, past):
    k, v = with_past(k, v, past)
    scores = q @ k.mT / math.sqrt(q.size(-1))
    return scores.masked_fill(~square_mask(k.size(-2)), -math.inf).softmax(-1) @ v, (k, v)


@wrong("6.5", "past handed on, and no mask where there is one", "past-handed-on-and-out")
def cache_hands_on_the_past_unmasked(q, k, v, past):
    if past is None:
        return F.scaled_dot_product_attention(q, k, v, is_causal=True), (k, v)
    return F.scaled_dot_product_attention(q, *with_past(k, v, past)), past


@wrong("6.5", "past handed on, and nothing joined", "past-handed-on-and-out")
def cache_reads_and_hands_on_the_past(q, k, v, past):
    if past is None:
        past = k, v
    return read(q, *past, seen(q, past[0])), past


# ---- 7.1 class MyBertSelfAttention(config) ---------------------------------------------------------------------------


class QueryKeyValue(nn.Module):
    """What most of the wrong classes below get right; `attend` is what they get wrong."""

    def __init__(self, config):
        super().__init__()
        C = config.hidden_size
        self.num_heads = config.num_attention_heads
        self.query, self.key, self.value = nn.Linear(C, C), nn.Linear(C, C), nn.Linear(C, C)

    def heads(self, x):
        return parts(x, self.query, self.key, self.value, self.num_heads)

    def forward(self, x, mask=None):
        q, k, v = self.heads(x)
        weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
        return join(weights @ v), weights


@wrong("7.1", "super().__init__() is missing")
class BertWithoutSuper(nn.Module):
    def __init__(self, config):
        self.num_heads = config.num_attention_heads
        self.query = nn.Linear(config.hidden_size, config.hidden_size)

    forward, heads = QueryKeyValue.forward, QueryKeyValue.heads


@wrong("7.1", "init without underscores", "no-init")
class BertMisspeltInit(nn.Module):
    def init(self, config):
        super().__init__()
        self.query = nn.Linear(config.hidden_size, config.hidden_size)

    forward, heads = QueryKeyValue.forward, QueryKeyValue.heads


@wrong("7.1", "foward", "no-forward")
class BertMisspeltForward(nn.Module):
    __init__ = QueryKeyValue.__init__

    def foward(self, x, mask=None):
        return x, x


@wrong("7.1", "no nn.Module", "not-a-module")
class BertPlainClass:
    def __init__(self, config):
        self.query = self.key = self.value = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x, mask=None):
        return x, x


@wrong("7.1", "sizes in place of a config")
class BertOfTwoSizes(nn.Module):
    def __init__(self, hidden_size, num_heads):
        super().__init__()
        self.query = nn.Linear(hidden_size, hidden_size)

    forward, heads = QueryKeyValue.forward, QueryKeyValue.heads


@wrong("7.1", "config.num_heads")
class BertMisreadConfig(QueryKeyValue):
    def __init__(self, config):
        super().__init__(config)
        self.num_heads = config.num_heads


@wrong("7.1", "config as a dict")
class BertConfigAsDict(QueryKeyValue):
    def __init__(self, config):
        super().__init__(config)
        self.num_heads = config["num_attention_heads"]


@wrong("7.1", "the mask has no default", "forward-arguments")
class BertAlwaysMasked(QueryKeyValue):
    def forward(self, x, mask):
        return super().forward(x, mask)


@wrong("7.1", "forward takes no mask", "forward-arguments")
class BertWithoutMask(QueryKeyValue):
    def forward(self, x):
        return super().forward(x)


@wrong("7.1", "forward wants q, k and v", "forward-arguments")
class BertOfThreeInputs(QueryKeyValue):
    def forward(self, q, k, v, mask=None):
        return super().forward(q, mask)


@wrong("7.1", "the names of notebook 02", "no-projection")
class BertOtherNames(nn.Module):
    def __init__(self, config):
        super().__init__()
        C, self.num_heads = config.hidden_size, config.num_attention_heads
        self.W_query, self.W_key, self.W_value = nn.Linear(C, C), nn.Linear(C, C), nn.Linear(C, C)

    def forward(self, x, mask=None):
        q, k, v = parts(x, self.W_query, self.W_key, self.W_value, self.num_heads)
        weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
        return join(weights @ v), weights


@wrong("7.1", "one layer three times as wide", "no-projection")
class BertPacked(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.in_proj = nn.Linear(config.hidden_size, 3 * config.hidden_size)

    def forward(self, x, mask=None):
        q, k, v = (cut(z, self.num_heads) for z in self.in_proj(x).chunk(3, -1))
        weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
        return join(weights @ v), weights


@wrong("7.1", "layers as wide as one head", "wrong-projection-size")
class BertOneHeadWide(QueryKeyValue):
    def __init__(self, config):
        super().__init__(config)
        self.query = nn.Linear(config.hidden_size, config.hidden_size // config.num_attention_heads)


@wrong("7.1", "768, whatever config says", "wrong-projection-size")
class BertFixedWidth(QueryKeyValue):
    def __init__(self, config):
        super().__init__(config)
        self.query, self.key, self.value = (nn.Linear(768, 768) for _ in range(3))


@wrong("7.1", "without biases", "no-bias")
class BertWithoutBias(QueryKeyValue):
    def __init__(self, config):
        super().__init__(config)
        self.query, self.key, self.value = (nn.Linear(config.hidden_size, config.hidden_size, bias=False)
                                            for _ in range(3))


@wrong("7.1", "one layer under two names", "shared-layer")
class BertSharedLayer(QueryKeyValue):
    def __init__(self, config):
        super().__init__(config)
        self.key = self.query


@wrong("7.1", "with the last projection", "extra-parameters")
class BertWithDense(QueryKeyValue):
    def __init__(self, config):
        super().__init__(config)
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x, mask=None):
        out, weights = super().forward(x, mask)
        return self.dense(out), weights


@wrong("7.1", "with LayerNorm and residual", "extra-parameters")
class BertWithLayerNorm(QueryKeyValue):
    def __init__(self, config):
        super().__init__(config)
        self.LayerNorm = nn.LayerNorm(config.hidden_size)

    def forward(self, x, mask=None):
        out, weights = super().forward(x, mask)
        return self.LayerNorm(out + x), weights


@wrong("7.1", "split by view in one go", "viewed")
class BertViewed(QueryKeyValue):
    def heads(self, x):
        return (layer(x).view(len(x), self.num_heads, x.size(1), -1) for layer in (self.query, self.key, self.value))


@wrong("7.1", "never split", "one-head")
class BertOneHead(QueryKeyValue):
    def forward(self, x, mask=None):
        q, k, v = self.query(x), self.key(x), self.value(x)
        weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
        return weights @ v, weights


@wrong("7.1", "not transposed: heads attend to heads", "among-heads")
class BertAmongHeads(QueryKeyValue):
    def forward(self, x, mask=None):
        q, k, v = (layer(x).unflatten(-1, (self.num_heads, -1)) for layer in (self.query, self.key, self.value))
        weights = hidden(q @ k.mT / math.sqrt(q.size(-1)), mask).softmax(-1)
        return (weights @ v).flatten(2), weights


@wrong("7.1", "split before the layers", "layer-meets-one-head")
class BertSplitFirst(QueryKeyValue):
    def heads(self, x):
        z = cut(x, self.num_heads)
        return self.query(z), self.key(z), self.value(z)


@wrong("7.1", "merged by view", "merge-not-transposed")
class BertMergedByView(QueryKeyValue):
    def forward(self, x, mask=None):
        _, weights = super().forward(x, mask)
        return (weights @ cut(self.value(x), self.num_heads)).reshape(x.shape), weights


@wrong("7.1", "view after transpose", "not-contiguous")
class BertViewAfterTranspose(QueryKeyValue):
    def forward(self, x, mask=None):
        _, weights = super().forward(x, mask)
        return (weights @ cut(self.value(x), self.num_heads)).transpose(1, 2).view(x.shape), weights


@wrong("7.1", "not merged", "not-merged")
class BertNotMerged(QueryKeyValue):
    def forward(self, x, mask=None):
        _, weights = super().forward(x, mask)
        return weights @ cut(self.value(x), self.num_heads), weights


@wrong("7.1", "heads averaged", "heads-averaged")
class BertHeadsAveraged(QueryKeyValue):
    def forward(self, x, mask=None):
        _, weights = super().forward(x, mask)
        return (weights @ cut(self.value(x), self.num_heads)).mean(dim=1), weights


@wrong("7.1", "weights averaged over the heads", "weights-averaged")
class BertWeightsAveraged(QueryKeyValue):
    def forward(self, x, mask=None):
        out, weights = super().forward(x, mask)
        return out, weights.mean(1)


@wrong("7.1", "x added", "residual")
class BertResidual(QueryKeyValue):
    def forward(self, x, mask=None):
        out, weights = super().forward(x, mask)
        return out + x, weights


class Scored(QueryKeyValue):
    """The weights are made by a method, to be replaced."""

    def weights(self, scores, mask):
        return hidden(scores, mask).softmax(-1)

    def scaled(self, q):
        return math.sqrt(q.size(-1))

    def forward(self, x, mask=None):
        q, k, v = self.heads(x)
        weights = self.weights(q @ k.mT / self.scaled(q), mask)
        return join(weights @ v), weights


@wrong("7.1", "not scaled", "no-scale")
class BertUnscaled(Scored):
    def scaled(self, q):
        return 1


@wrong("7.1", "the root of hidden_size", "scaled-by-d-model")
class BertRootOfC(Scored):
    def scaled(self, q):
        return self.query.out_features ** 0.5


@wrong("7.1", "divided by D", "scaled-by-d")
class BertOverD(Scored):
    def scaled(self, q):
        return q.size(-1)


@wrong("7.1", "8, right for BERT base", "fixed-scale")
class BertOverEight(Scored):
    def scaled(self, q):
        return 8


@wrong("7.1", "softmax over the queries", "over-queries")
class BertOverQueries(Scored):
    def weights(self, scores, mask):
        return hidden(scores, mask).softmax(-2)


@wrong("7.1", "softmax over axis 1", "over-heads")
class BertOverHeads(Scored):
    def weights(self, scores, mask):
        return hidden(scores, mask).softmax(1)


@wrong("7.1", "no softmax", "no-softmax")
class BertNoSoftmax(Scored):
    def weights(self, scores, mask):
        return hidden(scores, mask)


@wrong("7.1", "the mask is not used", "mask-ignored")
class BertMaskIgnored(Scored):
    def weights(self, scores, mask):
        return scores.softmax(-1)


@wrong("7.1", "the mask turned around", "true-hides")
class BertMaskInverted(Scored):
    def weights(self, scores, mask):
        return hidden(scores, None if mask is None else ~mask).softmax(-1)


@wrong("7.1", "the mask added, as in transformers", "mask-added")
class BertMaskAdded(Scored):
    def weights(self, scores, mask):
        return (scores if mask is None else scores + mask).softmax(-1)


@wrong("7.1", "1.0 - mask")
class BertMaskSubtracted(Scored):
    def weights(self, scores, mask):
        return (scores if mask is None else scores + (1.0 - mask) * -10000.0).softmax(-1)


@wrong("7.1", "the scores times the mask", "zero-filled")
class BertMaskMultiplied(Scored):
    def weights(self, scores, mask):
        return (scores if mask is None else scores * mask).softmax(-1)


@wrong("7.1", "filled with -10", "weak-fill")
class BertMinusTen(Scored):
    def weights(self, scores, mask):
        return (scores if mask is None else scores.masked_fill(~mask, -10)).softmax(-1)


@wrong("7.1", "masked after the softmax", "masked-after-softmax")
class BertMaskedAfterwards(Scored):
    def weights(self, scores, mask):
        return scores.softmax(-1) if mask is None else scores.softmax(-1) * mask


@wrong("7.1", "the mask is always used", "mask-none")
class BertMaskNone(Scored):
    def weights(self, scores, mask):
        return scores.masked_fill(~mask, float("-inf")).softmax(-1)


@wrong("7.1", "if mask:")
class BertIfMask(Scored):
    def weights(self, scores, mask):
        return (scores.masked_fill(~mask, -1e9) if mask else scores).softmax(-1)


@wrong("7.1", "a mask (B, T) is expected")
class BertMaskOfTwoAxes(Scored):
    def weights(self, scores, mask):
        return hidden(scores, None if mask is None else mask[:, None, None, :]).softmax(-1)


@wrong("7.1", "an axis for the heads put into every mask")
class BertMaskUnsqueezed(Scored):
    def weights(self, scores, mask):
        return hidden(scores, None if mask is None else mask.unsqueeze(1)).softmax(-1)


@wrong("7.1", "a causal mask of its own", "own-causal-mask")
class BertCausal(Scored):
    def weights(self, scores, mask):
        past = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        return hidden(hidden(scores, mask), past).softmax(-1)


@wrong("7.1", "dropout by a function", "dropout-in-eval")
class BertFunctionalDropout(Scored):
    def weights(self, scores, mask):
        return F.dropout(hidden(scores, mask).softmax(-1), 0.1)


@wrong("7.1", "dropout of another share", "not-repeatable")
class BertDropoutOfThreeTenths(Scored):
    def weights(self, scores, mask):
        return F.dropout(hidden(scores, mask).softmax(-1), 0.3)


@wrong("7.1", "the query layer for the keys", "query-layer-twice")
class BertQueryLayerTwice(QueryKeyValue):
    def heads(self, x):
        return parts(x, self.query, self.query, self.value, self.num_heads)


@wrong("7.1", "the key layer for the values", "keys-as-values")
class BertKeysAsValues(QueryKeyValue):
    def heads(self, x):
        return parts(x, self.query, self.key, self.key, self.num_heads)


@wrong("7.1", "x in place of the values", "layer-skipped")
class BertValuesNotProjected(QueryKeyValue):
    def heads(self, x):
        return cut(self.query(x), self.num_heads), cut(self.key(x), self.num_heads), cut(x, self.num_heads)


@wrong("7.1", "out alone", "only-out")
class BertOnlyOut(QueryKeyValue):
    def forward(self, x, mask=None):
        return super().forward(x, mask)[0]


@wrong("7.1", "weights first", "swapped-pair")
class BertSwappedPair(QueryKeyValue):
    def forward(self, x, mask=None):
        return super().forward(x, mask)[::-1]


@wrong("7.1", "out in a tuple of its own, as in transformers", "returns-wrong-type")
class BertTupleOfOne(QueryKeyValue):
    def forward(self, x, mask=None):
        return (super().forward(x, mask)[0],)


@wrong("7.1", "keys and values returned too", "returns-wrong-type")
class BertThreeThings(QueryKeyValue):
    def forward(self, x, mask=None):
        return *super().forward(x, mask), None


@wrong("7.1", "nothing is returned", "returns-none")
class BertNotReturned(QueryKeyValue):
    def forward(self, x, mask=None):
        self.out = super().forward(x, mask)


@wrong("7.1", "scores returned", "scores-returned")
class BertScoresReturned(QueryKeyValue):
    def forward(self, x, mask=None):
        q, k, _ = self.heads(x)
        return super().forward(x, mask)[0], q @ k.mT / math.sqrt(q.size(-1))


@wrong("7.1", "read across the batch", "batch-as-positions")
class BertAcrossTheBatch(QueryKeyValue):
    def forward(self, x, mask=None):
        out, weights = super().forward(x.transpose(0, 1), mask)
        return out.transpose(0, 1), weights


@wrong("7.1", "keys and values of another item", "items-mixed")
class BertAnotherItem(QueryKeyValue):
    def heads(self, x):
        q, k, v = super().heads(x)
        return q, k.roll(1, 0), v.roll(1, 0)


@wrong("7.1", "the first head's slice for all", "heads-mixed")
class BertFirstHeadForAll(QueryKeyValue):
    def heads(self, x):
        return (z[:, :1].expand(-1, self.num_heads, -1, -1) for z in super().heads(x))


@wrong("7.1", "heads in reverse order in out", "out-alone-wrong")
class BertHeadsReversed(QueryKeyValue):
    def forward(self, x, mask=None):
        _, weights = super().forward(x, mask)
        return join((weights @ cut(self.value(x), self.num_heads)).flip(1)), weights


@wrong("7.1", "the mask of the first call is kept")
class BertKeepsItsMask(QueryKeyValue):
    mask = None

    def forward(self, x, mask=None):
        self.mask = mask if self.mask is None else self.mask
        return super().forward(x, self.mask)


@wrong("7.1", "only the first positions of later texts", "remembers")
class BertKeepsItsLength(QueryKeyValue):
    def forward(self, x, mask=None):
        self.length = getattr(self, "length", x.size(1))
        return super().forward(x[:, :self.length], mask)


@wrong("7.1", "keys without gradients", "no-gradients")
class BertDetachedKeys(QueryKeyValue):
    def heads(self, x):
        q, k, v = super().heads(x)
        return q, k.detach(), v


@wrong("7.1", "x is changed in place", "changes-input")
class BertChangesX(QueryKeyValue):
    def forward(self, x, mask=None):
        x -= x.mean(-1, keepdim=True)
        return super().forward(x, mask)


@wrong("7.1", "always float32", "wrong-dtype")
class BertAlwaysFloat32(QueryKeyValue):
    def forward(self, x, mask=None):
        out, weights = super().forward(x, mask)
        return out.float(), weights.float()


@wrong("7.1", "k is not transposed")
class BertKeysNotTransposed(QueryKeyValue):
    def forward(self, x, mask=None):
        q, k, v = self.heads(x)
        weights = hidden(q @ k / math.sqrt(q.size(-1)), mask).softmax(-1)
        return join(weights @ v), weights


@wrong("7.1", "two mistakes: neither scaled nor masked", "hidden-keys-read")
class BertUnscaledUnmasked(Scored):
    def scaled(self, q):
        return 1

    def weights(self, scores, mask):
        return scores.softmax(-1)


@wrong("7.1", "the mask in training only", "mask-only-in-training")
class BertMaskedInTraining(Scored):
    def weights(self, scores, mask):
        return super().weights(scores, mask if self.training else None)


@wrong("7.1", "the mask in evaluation only", "mask-only-in-evaluation")
class BertMaskedInEvaluation(Scored):
    def weights(self, scores, mask):
        return super().weights(scores, None if self.training else mask)


@wrong("7.1", "a new output layer in every forward", "not-repeatable")
class BertWithANewOutputLayer(QueryKeyValue):
    def forward(self, x, mask=None):
        out, weights = super().forward(x, mask)
        return nn.Linear(x.size(-1), x.size(-1), dtype=x.dtype)(out), weights


@wrong("7.1", "a fixed root of 32", "fixed-scale")
class BertScaledByTheRootOf32(Scored):
    def scaled(self, q):
        return math.sqrt(32)


# ---- 7.2 mean_pool(hidden, mask) -------------------------------------------------------------------------------------


@wrong("7.2", "the mask is not used", "mean-over-all")
def pooled_over_all(hidden, mask):
    return hidden.mean(dim=1)


@wrong("7.2", "all are summed, the real ones counted", "padding-summed")
def pooled_padding_summed(hidden, mask):
    return hidden.sum(dim=1) / mask.sum(dim=1, keepdim=True)


@wrong("7.2", "masked, then the mean of all", "divided-by-length")
def pooled_masked_then_mean(hidden, mask):
    return (hidden * mask[..., None]).mean(dim=1)


@wrong("7.2", "divided by the length of the text", "divided-by-length")
def pooled_over_length(hidden, mask):
    return (hidden * mask.unsqueeze(2)).sum(1) / hidden.shape[1]


@wrong("7.2", "not divided", "not-divided")
def pooled_sum(hidden, mask):
    return torch.einsum("btc,bt->bc", hidden, mask.to(hidden.dtype))


@wrong("7.2", "masked_fill without ~", "mask-inverted")
def pooled_filled_where_real(hidden, mask):
    return hidden.masked_fill(mask.unsqueeze(-1), 0).sum(1) / mask.sum(1, keepdim=True)


@wrong("7.2", "the mean of the padding", "mask-inverted")
def pooled_padding(hidden, mask):
    mask = ~mask
    return (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)


@wrong("7.2", "the mean of the padding, by a loop", "mask-inverted")
def pooled_padding_by_a_loop(hidden, mask):
    return torch.stack([h[~m].mean(0) for h, m in zip(hidden, mask, strict=True)])


@wrong("7.2", "divided by all real tokens of the batch", "one-count-for-all")
def pooled_over_the_total(hidden, mask):
    return (hidden * mask[..., None]).sum(1) / mask.sum()


@wrong("7.2", "divided by the longest", "one-count-for-all")
def pooled_over_the_longest(hidden, mask):
    return (hidden * mask[..., None]).sum(1) / mask.sum(1).max()


@wrong("7.2", "one mean for the batch", "one-mean-for-all")
def pooled_all_together(hidden, mask):
    return hidden[mask].mean(dim=0)


@wrong("7.2", "one mean for the batch, for each item", "one-mean-for-all")
def pooled_all_together_repeated(hidden, mask):
    return hidden[mask].mean(dim=0, keepdim=True).repeat(hidden.size(0), 1)


@wrong("7.2", "one number", "one-number")
def pooled_to_a_number(hidden, mask):
    return hidden[mask].mean()


@wrong("7.2", "over the features", "over-features")
def pooled_features(hidden, mask):
    return (hidden * mask[..., None]).mean(dim=-1)


@wrong("7.2", "over the batch", "over-batch")
def pooled_items(hidden, mask):
    return (hidden * mask[..., None]).mean(dim=0)


@wrong("7.2", "masked only", "not-summed")
def pooled_masked_only(hidden, mask):
    return hidden * mask.unsqueeze(-1)


@wrong("7.2", "keepdim everywhere", "axis-kept")
def pooled_keepdim(hidden, mask):
    real = mask.unsqueeze(-1)
    return (hidden * real).sum(1, keepdim=True) / real.sum(1, keepdim=True)


@wrong("7.2", "keepdim in the count alone", "three-axes-divided")
def pooled_keepdim_below(hidden, mask):
    real = mask.unsqueeze(-1)
    return (hidden * real).sum(1) / real.sum(1, keepdim=True)


@wrong("7.2", "features first", "transposed")
def pooled_transposed(hidden, mask):
    return torch.einsum("btc,bt->cb", hidden, mask / mask.sum(1, keepdim=True).to(hidden.dtype))


@wrong("7.2", "[CLS]", "first-token")
def pooled_cls(hidden, mask):
    return hidden[:, 0]


@wrong("7.2", "the last place", "last-token")
def pooled_last_place(hidden, mask):
    return hidden[:, -1, :]


@wrong("7.2", "the last real token", "last-real-token")
def pooled_last_real(hidden, mask):
    return torch.stack([h[m][-1] for h, m in zip(hidden, mask, strict=True)])


@wrong("7.2", "place n - 1", "last-real-token")
def pooled_place_n(hidden, mask):
    last = mask.sum(1) - 1
    return hidden.gather(1, last[:, None, None].expand(-1, -1, hidden.size(2))).squeeze(1)


@wrong("7.2", "the first n", "first-n")
def pooled_first_n(hidden, mask):
    return torch.stack([h[:n].mean(dim=0) for h, n in zip(hidden, mask.sum(dim=1), strict=True)])


@wrong("7.2", "places below n", "first-n")
def pooled_places_below_n(hidden, mask):
    lengths = mask.sum(1, keepdim=True)
    real = (torch.arange(hidden.size(1)) < lengths).unsqueeze(-1)
    return (hidden * real).sum(1) / lengths


@wrong("7.2", "without [CLS] and the last", "token-left-out")
def pooled_without_ends(hidden, mask):
    real = mask[:, 1:-1, None]
    return (hidden[:, 1:-1] * real).sum(1) / real.sum(1).clamp(min=1)


@wrong("7.2", "the maximum", "maximum")
def pooled_max(hidden, mask):
    return hidden.masked_fill(~mask.unsqueeze(-1), float("-inf")).max(dim=1).values


@wrong("7.2", "filled with -inf", "filled-like-scores")
def pooled_minus_infinity(hidden, mask):
    return hidden.masked_fill(~mask.unsqueeze(-1), float("-inf")).mean(1)


@wrong("7.2", "filled with -1e9", "filled-like-scores")
def pooled_minus_a_billion(hidden, mask):
    return hidden.masked_fill(~mask.unsqueeze(-1), -1e9).sum(1) / mask.sum(1, keepdim=True)


@wrong("7.2", "filled with NaN", "filled-like-scores")
def pooled_nan(hidden, mask):
    return torch.where(mask.unsqueeze(-1), hidden, torch.nan).mean(1)


@wrong("7.2", "a softmax of the mask", "softmax")
def pooled_softmax_of_the_mask(hidden, mask):
    weights = torch.softmax(mask.to(hidden.dtype), dim=1)
    return torch.einsum("bt,btc->bc", weights, hidden)


@wrong("7.2", "brought to length 1", "normalised")
def pooled_normalised(hidden, mask):
    real = mask.unsqueeze(-1)
    pooled = (hidden * real).sum(1) / real.sum(1)
    return pooled / pooled.norm(dim=-1, keepdim=True)


@wrong("7.2", "tokens brought to length 1", "tokens-normalised")
def pooled_tokens_normalised(hidden, mask):
    real = mask.unsqueeze(-1)
    return (F.normalize(hidden, dim=2) * real).sum(1) / real.sum(1)


@wrong("7.2", "n + 1", "large-epsilon")
def pooled_plus_one(hidden, mask):
    return (hidden * mask[..., None]).sum(1) / (mask.sum(1, keepdim=True) + 1)


@wrong("7.2", "n - 1", "one-less")
def pooled_minus_one(hidden, mask):
    return (hidden * mask[..., None]).sum(1) / (mask.sum(1, keepdim=True) - 1)


@wrong("7.2", "the root of n", "divided-by-root")
def pooled_root(hidden, mask):
    return (hidden * mask[..., None]).sum(1) / torch.sqrt(mask.sum(1, keepdim=True).to(hidden.dtype))


@wrong("7.2", "mean, then divided", "divided-twice")
def pooled_divided_twice(hidden, mask):
    return (hidden * mask[..., None]).mean(1) / mask.sum(1, keepdim=True)


@wrong("7.2", "numbers that are not 0 are counted", "zeros-not-counted")
def pooled_nonzero(hidden, mask):
    kept = hidden * mask[..., None]
    return kept.sum(1) / kept.count_nonzero(dim=1)


@wrong("7.2", "//", "whole-numbers")
def pooled_floor(hidden, mask):
    return (hidden * mask[..., None]).sum(1) // mask.sum(1, keepdim=True)


@wrong("7.2", "the mask as it is", "mask-not-lined-up")
def pooled_mask_not_lined_up(hidden, mask):
    return (hidden * mask).sum(1) / mask.sum(1, keepdim=True)


@wrong("7.2", "unsqueeze(1)", "mask-not-lined-up")
def pooled_unsqueezed_elsewhere(hidden, mask):
    return hidden.masked_fill(~mask.unsqueeze(1), 0).sum(1) / mask.sum(1, keepdim=True)


@wrong("7.2", "the count has one axis", "count-not-lined-up")
def pooled_count_not_lined_up(hidden, mask):
    return (hidden * mask.unsqueeze(-1)).sum(1) / mask.sum(1)


@wrong("7.2", "a matrix product with the mask")
def pooled_by_a_product_with_bools(hidden, mask):
    return (mask.unsqueeze(1) @ hidden).squeeze(1) / mask.sum(1, keepdim=True)


@wrong("7.2", "hidden[mask] in shape", "ragged")
def pooled_reshaped(hidden, mask):
    return hidden[mask].reshape(hidden.size(0), -1, hidden.size(2)).mean(1)


@wrong("7.2", "hidden is emptied in place", "changes-input")
def pooled_in_place(hidden, mask):
    hidden[~mask] = 0
    return hidden.sum(1) / mask.sum(1, keepdim=True)


@wrong("7.2", "the first item's mask for all", "items-mixed")
def pooled_first_mask_for_all(hidden, mask):
    real = mask[:1].unsqueeze(-1)
    return (hidden * real).sum(1) / real.sum(1)


@wrong("7.2", "padding weighs a tenth", "padding-read")
def pooled_padding_weighs_a_tenth(hidden, mask):
    share = torch.where(mask, 1.0, 0.1).to(hidden.dtype)
    return (hidden * share[..., None]).sum(1) / share.sum(1, keepdim=True)


@wrong("7.2", "later tokens weigh more", "order-read")
def pooled_by_place(hidden, mask):
    share = mask * torch.arange(1, hidden.size(1) + 1)
    return (hidden * share[..., None]).sum(1) / share.sum(1, keepdim=True)


@wrong("7.2", "centred over the features", "features-mixed")
def pooled_centred(hidden, mask):
    real = mask.unsqueeze(-1)
    pooled = (hidden * real).sum(1) / real.sum(1)
    return pooled - 0.1 * pooled.mean(-1, keepdim=True)


@wrong("7.2", "the middle number")
def pooled_median(hidden, mask):
    return torch.where(mask[..., None], hidden, torch.nan).nanmedian(dim=1).values


@wrong("7.2", "float32 whatever comes", "wrong-dtype")
def pooled_float32(hidden, mask):
    return (hidden.float() * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


@wrong("7.2", "a list", "returns-wrong-type")
def pooled_as_a_list(hidden, mask):
    return [h[m].mean(0) for h, m in zip(hidden, mask, strict=True)]


@wrong("7.2", "nothing is returned", "returns-none")
def pooled_not_returned(hidden, mask):
    (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


@wrong("7.2", "return in the loop", "one-item-only")
def pooled_returned_in_the_loop(hidden, mask):
    for h, m in zip(hidden, mask, strict=True):
        return h[m].mean(0)


@wrong("7.2", "half a token too many", "ones-do-not-give-1")
def pooled_plus_a_half(hidden, mask):
    return (hidden * mask[..., None]).sum(1) / (mask.sum(1, keepdim=True) + 0.5)


@wrong("7.2", "no mask")
def pooled_without_mask(hidden):
    return hidden.mean(1)


@wrong("7.2", "the mask comes first")
def pooled_mask_first(mask, hidden):
    return (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


@wrong("7.2", "the mask summed along the batch", "counted-along-the-batch")
def pooled_by_a_count_along_the_batch(hidden, mask):
    return (hidden * mask.unsqueeze(-1)).sum(dim=1) / mask.sum(0)
