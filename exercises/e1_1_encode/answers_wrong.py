"""Wrong answers to exercise 1.1, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import re
import unicodedata

import numpy as np
import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("not-lower-cased")
def ids_with_capitals(text, vocabulary):
    """The lower-cased text is thrown away."""
    text.lower()
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in text.split()]


@wrong("not-lower-cased")
def ids_with_a_lower_cased_vocabulary(text, vocabulary):
    """The vocabulary is lower-cased, not the text."""
    known = {word.lower(): id for word, id in vocabulary.items()}
    return [known.get(word, known["<unk>"]) for word in text.split()]


@wrong("not-lower-cased")
def ids_with_the_first_letter_lowered(text, vocabulary):
    """Only the first letter is lower-cased."""
    text = text[0].lower() + text[1:]
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in text.split()]


@wrong("not-lower-cased")
def ids_with_capitals_and_brackets(text, vocabulary):
    """No lower(), and a KeyError."""
    ids = []
    for word in text.split():
        ids.append(vocabulary[word])
    return ids


@wrong("everything-unknown")
def ids_of_upper_case(text, vocabulary):
    """Upper-cased."""
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in text.upper().split()]


@wrong("everything-unknown")
def ids_of_places_looked_up(text, vocabulary):
    """The positions are looked up, not the words."""
    return [vocabulary.get(i, vocabulary["<unk>"]) for i in range(len(text.split()))]


@wrong("everything-unknown")
def ids_from_the_way_back(text, vocabulary):
    """The dict is turned around: ids are its keys."""
    words = {id: word for word, id in vocabulary.items()}
    return [words.get(word, vocabulary["<unk>"]) for word in text.lower().split()]


@wrong("split-at-blanks")
def ids_split_at_blanks(text, vocabulary):
    """Split at single spaces."""
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split(" ")]


@wrong("split-at-blanks")
def ids_split_at_blanks_without_empty_words(text, vocabulary):
    """Split at single spaces, empty words left out."""
    return [vocabulary.get(w, vocabulary["<unk>"]) for w in text.lower().split(" ") if len(w) > 0]


@wrong("empty-words")
def ids_with_empty_words(text, vocabulary):
    """Split with a regular expression that leaves empty words."""
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in re.split(r"\s+", text.lower())]


@wrong("not-split")
def ids_of_the_whole_text(text, vocabulary):
    """Never split."""
    return [vocabulary.get(text.lower(), vocabulary["<unk>"])]


@wrong("not-split")
def ids_of_the_whole_text_bare(text, vocabulary):
    """One id for the whole text, not in a list."""
    return vocabulary.get(text.lower(), vocabulary["<unk>"])


@wrong("letters")
def ids_of_letters(text, vocabulary):
    """Letter by letter."""
    return [vocabulary.get(letter, vocabulary["<unk>"]) for letter in text.lower()]


@wrong("unknown-skipped")
def ids_of_known_words(text, vocabulary):
    """Unknown words left out."""
    return [vocabulary[word] for word in text.lower().split() if word in vocabulary]


@wrong("unknown-skipped")
def ids_of_known_words_by_two_loops(text, vocabulary):
    """Unknown words left out, by comparing with each key."""
    ids = []
    for word in text.lower().split():
        for key in vocabulary:
            if key == word:
                ids.append(vocabulary[key])
    return ids


@wrong("unknown-raises")
def ids_by_brackets(text, vocabulary):
    """KeyError for an unknown word."""
    words = text.lower().split()
    return [vocabulary[w] for w in words]


@wrong("another-key")
def ids_with_another_key(text, vocabulary):
    """Another key for unknown words."""
    return [vocabulary.get(word, vocabulary["<UNK>"]) for word in text.lower().split()]


@wrong("another-key")
def ids_with_another_key_at_need(text, vocabulary):
    """Another key, asked for only where it is needed."""
    return [vocabulary[word] if word in vocabulary else vocabulary["[UNK]"] for word in text.lower().split()]


@wrong("unknown-is-none")
def ids_by_get_alone(text, vocabulary):
    """Get without a second argument."""
    return [vocabulary.get(word) for word in text.lower().split()]


@wrong("unknown-is-none")
def ids_by_get_of_another_key(text, vocabulary):
    """Get of another key: None."""
    return [vocabulary.get(word, vocabulary.get("<UNK>")) for word in text.lower().split()]


@wrong("unknown-is-zero")
def ids_with_zero(text, vocabulary):
    """0 for unknown words."""
    return [vocabulary.get(word, 0) for word in text.lower().split()]


@wrong("unknown-is-minus-one")
def ids_with_minus_one(text, vocabulary):
    """-1 for unknown words."""
    return [vocabulary[word] if word in vocabulary.keys() else -1 for word in text.lower().split()]  # noqa: SIM118


@wrong("unknown-is-past-the-end")
def ids_with_the_size(text, vocabulary):
    """The size of the vocabulary for unknown words."""
    return [vocabulary.get(word, len(vocabulary)) for word in text.lower().split()]


@wrong("wrong-id-for-unknown")
def ids_with_one(text, vocabulary):
    """1 for unknown words."""
    return [vocabulary.get(word, 1) for word in text.lower().split()]


@wrong("new-ids")
def ids_that_grow(text, vocabulary):
    """The vocabulary grows."""
    ids = []
    for word in text.lower().split():
        if word not in vocabulary:
            vocabulary[word] = len(vocabulary)
        ids.append(vocabulary[word])
    return ids


@wrong("new-ids")
def ids_that_grow_in_a_copy(text, vocabulary):
    """New ids in a copy."""
    known = vocabulary.copy()
    return [known.setdefault(word, len(known)) for word in text.lower().split()]


@wrong("changes-input")
def ids_written_into_the_vocabulary(text, vocabulary):
    """Right ids, but they are written into the vocabulary."""
    return [vocabulary.setdefault(word, vocabulary["<unk>"]) for word in text.lower().split()]


@wrong("changes-input")
def ids_with_unk_taken_out(text, vocabulary):
    """<unk> is taken out of the vocabulary."""
    unknown = vocabulary.pop("<unk>")
    return [vocabulary.get(word, unknown) for word in text.lower().split()]


@wrong("unknown-is-a-word")
def ids_with_the_word_unk(text, vocabulary):
    """The word <unk> instead of its id."""
    return [vocabulary.get(word, "<unk>") for word in text.lower().split()]


@wrong("unknown-is-a-word")
def ids_and_words(text, vocabulary):
    """Unknown words stay as they are."""
    return [vocabulary[word] if word in vocabulary else word for word in text.lower().split()]  # noqa: SIM401


@wrong("zero-is-false")
def ids_by_or(text, vocabulary):
    """An id of 0 is taken for missing."""
    return [vocabulary.get(word) or vocabulary["<unk>"] for word in text.lower().split()]


@wrong("zero-is-false")
def ids_by_if(text, vocabulary):
    """An id of 0 is taken for missing, by if."""
    ids = []
    for word in text.lower().split():
        id = vocabulary.get(word)
        ids.append(id if id else vocabulary["<unk>"])
    return ids


@wrong("words-returned")
def ids_as_words(text, vocabulary):
    """The words."""
    return text.lower().split()


@wrong("words-returned")
def ids_as_words_replaced(text, vocabulary):
    """The words, unknown ones replaced."""
    return [word if word in vocabulary else "<unk>" for word in text.lower().split()]


@wrong("places-not-ids")
def ids_as_places(text, vocabulary):
    """Positions."""
    return [i for i, word in enumerate(text.lower().split())]


@wrong("places-in-the-vocabulary")
def ids_as_places_in_the_vocabulary(text, vocabulary):
    """Positions in the vocabulary."""
    words = list(vocabulary)
    return [words.index(w) if w in words else words.index("<unk>") for w in text.lower().split()]


@wrong("vocabulary-walked")
def ids_in_the_order_of_the_vocabulary(text, vocabulary):
    """The loop goes through the vocabulary."""
    ids = []
    for word in vocabulary:
        if word in text.lower():
            ids.append(vocabulary[word])
    return ids


@wrong("one-id-per-comparison")
def ids_for_each_comparison(text, vocabulary):
    """An id for each comparison."""
    ids = []
    for word in text.lower().split():
        for key, id in vocabulary.items():
            if word == key:
                ids.append(id)
            else:
                ids.append(vocabulary["<unk>"])
    return ids


@wrong("repeats-dropped")
def ids_without_repeats(text, vocabulary):
    """No word twice."""
    ids = []
    for word in text.lower().split():
        id = vocabulary.get(word, vocabulary["<unk>"])
        if id not in ids:
            ids.append(id)
    return ids


@wrong("not-one-id-per-word")
def ids_of_a_set(text, vocabulary):
    """A set of the words: no order, no repeats."""
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in sorted(set(text.lower().split()))]


@wrong("sorted")
def ids_sorted(text, vocabulary):
    """Sorted."""
    return sorted(vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split())


@wrong("reversed")
def ids_in_reverse_order(text, vocabulary):
    """In reverse order."""
    ids = []
    for word in text.lower().split():
        ids.insert(0, vocabulary.get(word, vocabulary["<unk>"]))
    return ids


@wrong("punctuation-removed")
def ids_without_punctuation(text, vocabulary):
    """Punctuation stripped."""
    return [vocabulary.get(w.strip(".,!?()"), vocabulary["<unk>"]) for w in text.lower().split()]


@wrong("punctuation-removed")
def ids_without_exclamation_marks(text, vocabulary):
    """Exclamation marks taken off."""
    return [vocabulary.get(w, vocabulary["<unk>"]) for w in text.lower().replace("!", "").split()]


@wrong("punctuation-removed")
def ids_by_word_characters(text, vocabulary):
    """Words of letters only, by regular expression."""
    return [vocabulary.get(w, vocabulary["<unk>"]) for w in re.findall(r"\w+", text.lower())]


@wrong("return-in-loop")
def ids_of_the_first_word(text, vocabulary):
    """Return in the loop: one number."""
    for word in text.lower().split():
        return vocabulary.get(word, vocabulary["<unk>"])


@wrong("return-in-loop")
def ids_of_the_first_word_in_a_list(text, vocabulary):
    """Return in the loop: a list of one."""
    ids = []
    for word in text.lower().split():
        ids.append(vocabulary.get(word, vocabulary["<unk>"]))
        return ids


@wrong("last-word-only")
def ids_of_the_last_word(text, vocabulary):
    """The list is made again in each round."""
    for word in text.lower().split():
        ids = []
        ids.append(vocabulary.get(word, vocabulary["<unk>"]))
    return ids


@wrong("last-word-missing")
def ids_without_the_last_word(text, vocabulary):
    """A loop that ends one too early."""
    words = text.lower().split()
    return [vocabulary.get(words[i], vocabulary["<unk>"]) for i in range(len(words) - 1)]


@wrong("returns-tensor")
def ids_as_a_tensor(text, vocabulary):
    """A tensor."""
    return torch.tensor([vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()])


@wrong("returns-tensor")
def ids_as_a_wrong_tensor(text, vocabulary):
    """A tensor of other ids."""
    return torch.tensor([vocabulary.get(word, 2) for word in text.lower().split()])


@wrong("returns-wrong-type")
def ids_as_an_array(text, vocabulary):
    """A numpy array."""
    return np.array([vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()])


@wrong("returns-tuple")
def ids_as_a_tuple(text, vocabulary):
    """A tuple."""
    return tuple(vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split())


@wrong("returns-wrong-type")
def ids_as_a_generator(text, vocabulary):
    """Parentheses: a generator."""
    return (vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split())


@wrong("returns-wrong-type")
def ids_as_a_set(text, vocabulary):
    """A set."""
    return {vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()}


@wrong("ids-as-tensors")
def ids_as_tensors(text, vocabulary):
    """A list of tensors."""
    return list(torch.tensor([vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()]))


@wrong("not-whole-numbers")
def ids_as_floats(text, vocabulary):
    """Floats."""
    return [float(vocabulary.get(word, vocabulary["<unk>"])) for word in text.lower().split()]


@wrong("ids-as-text")
def ids_as_text(text, vocabulary):
    """Texts of digits."""
    return [str(vocabulary.get(word, vocabulary["<unk>"])) for word in text.lower().split()]


@wrong("nested")
def ids_nested(text, vocabulary):
    """A list for each word."""
    ids = []
    for word in text.lower().split():
        ids.append([vocabulary.get(word, vocabulary["<unk>"])])
    return ids


@wrong("pairs")
def ids_in_a_dict(text, vocabulary):
    """A dict from words to ids."""
    return {word: vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()}


@wrong("shifted")
def ids_from_one(text, vocabulary):
    """Counted from 1."""
    return [vocabulary.get(word, vocabulary["<unk>"]) + 1 for word in text.lower().split()]


@wrong("returns-none")
def ids_by_returning_append(text, vocabulary):
    """Append's own result."""
    ids = []
    for word in text.lower().split():
        last = ids.append(vocabulary.get(word, vocabulary["<unk>"]))
    return last


@wrong("returns-none")
def ids_printed(text, vocabulary):
    """Printed."""
    print([vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()])


@wrong()
def ids_by_lowering_a_list(text, vocabulary):
    """A list without lower."""
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in text.split().lower()]


@wrong()
def ids_without_brackets(text, vocabulary):
    """The method without parentheses."""
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower.split()]


@wrong()
def ids_by_calling(text, vocabulary):
    """The dict is called."""
    return [vocabulary(word) for word in text.lower().split()]


@wrong()
def ids_of_all_words_at_once(text, vocabulary):
    """All words are looked up at once."""
    return vocabulary[text.lower().split()]


@wrong()
def ids_by_dict_index(text, vocabulary):
    """Dict.index."""
    return [vocabulary.index(word) for word in text.lower().split()]


@wrong("not-one-id-per-word")
def ids_empty(text, vocabulary):
    """An empty list."""
    ids = []
    for word in text.lower().split():
        ids + [vocabulary.get(word, vocabulary["<unk>"])]  # noqa: B018
    return ids


@wrong("remembers")
def ids_remembered(text, vocabulary, ids=[]):  # noqa: B006
    """A default argument that remembers."""
    for word in text.lower().split():
        ids.append(vocabulary.get(word, vocabulary["<unk>"]))
    return ids


@wrong("wrong-id-for-known")
def ids_of_singulars(text, vocabulary):
    """Plurals cut."""
    return [vocabulary.get(word.rstrip("s"), vocabulary["<unk>"]) for word in text.lower().split()]


@wrong("not-one-id-per-word")
def ids_without_short_words(text, vocabulary):
    """Words of one letter are left out."""
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split() if len(word) > 1]


@wrong("wrong-id-for-unknown")
def ids_of_the_word_before(text, vocabulary):
    """Unknown words get the id of the word before."""
    ids, last = [], vocabulary["<unk>"]
    for word in text.lower().split():
        last = vocabulary.get(word, last)
        ids.append(last)
    return ids


@wrong("wrong-id-for-known")
def ids_turned_round(text, vocabulary):
    """Ids turned around: the largest is 0."""
    most = max(vocabulary.values())
    return [most - vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()]


@wrong("one-id-per-comparison")
def ids_for_each_key(text, vocabulary):
    """One id for each key: i or 0."""
    ids = []
    for word in text.lower().split():
        for key, i in vocabulary.items():
            if key == word:
                ids.append(i)
            else:
                ids.append(0)
    return ids


@wrong("not-one-id-per-word")
def ids_with_one_unknown_at_the_end(text, vocabulary):
    """One <unk> after the loop."""
    ids = []
    for word in text.lower().split():
        if word in vocabulary:
            ids.append(vocabulary[word])
    ids.append(vocabulary["<unk>"])
    return ids


@wrong("return-in-loop")
def ids_returned_in_the_loop_with_unk(text, vocabulary):
    """Return in the loop, and the word <unk> for its id."""
    ids = []
    for word in text.lower().split():
        ids.append(vocabulary.get(word, "<unk>"))
        return ids


_ALL_IDS = []


@wrong("remembers")
def ids_in_a_list_outside(text, vocabulary):
    """A list outside the function that remembers."""
    for word in text.lower().split():
        _ALL_IDS.append(vocabulary.get(word, vocabulary["<unk>"]))
    return _ALL_IDS


COLLECTED_IDS = []


@wrong("shared-result")
def encoded_into_one_list_for_all(text, vocabulary):
    """One list for all calls, cleared and filled again."""
    COLLECTED_IDS.clear()
    for word in text.lower().split():
        COLLECTED_IDS.append(vocabulary.get(word, vocabulary["<unk>"]))
    return COLLECTED_IDS


@wrong("lines")
def ids_of_lines(text, vocabulary):
    """One id for each line."""
    ids = []
    for line in text.lower().split("\n"):
        ids.append(vocabulary[line] if line in vocabulary else vocabulary["<unk>"])
    return ids


@wrong("first-word-missing")
def ids_without_the_first_word(text, vocabulary):
    """Counting from 1."""
    words = text.lower().split()
    ids = []
    for i in range(1, len(words)):
        ids.append(vocabulary.get(words[i], vocabulary["<unk>"]))
    return ids


# ---------------------------------------------------------------- right for most texts and vocabularies


@wrong("wrong-id-for-unknown")
def ids_by_beginnings(text, vocabulary):
    """A word that begins a known one gets its id."""
    ids = []
    for word in text.lower().split():
        for known, id in vocabulary.items():
            if known.startswith(word):
                ids.append(id)
                break
        else:
            ids.append(vocabulary["<unk>"])
    return ids


@wrong()
def ids_by_a_search_in_one_string(text, vocabulary):
    known = " ".join(vocabulary)
    return [vocabulary[word] if word in known else vocabulary["<unk>"] for word in text.lower().split()]


@wrong("wrong-id-for-known")
def ids_without_accents(text, vocabulary):
    plain = unicodedata.normalize("NFKD", text.lower()).encode("ascii", "ignore").decode()
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in plain.split()]


@wrong("wrong-id-for-unknown")
def ids_with_the_smallest_for_unknown(text, vocabulary):
    return [vocabulary.get(word, min(vocabulary.values())) for word in text.lower().split()]


@wrong("not-lower-cased")
def ids_lower_cased_in_the_lookup_alone(text, vocabulary):
    return [vocabulary[word.lower()] if word in vocabulary else vocabulary["<unk>"] for word in text.split()]


# ---------------------------------------------------------------- an unknown word that spoils more than its own id


@wrong("one-unknown-for-all")
def ids_tried_at_once(text, vocabulary):
    """One try around the whole list."""
    try:
        return [vocabulary[word] for word in text.lower().split()]
    except KeyError:
        return [vocabulary["<unk>"]]


@wrong("ends-at-unknown")
def ids_tried_in_one_loop(text, vocabulary):
    """One try around the whole loop."""
    ids = []
    try:
        for word in text.lower().split():
            ids.append(vocabulary[word])
    except KeyError:
        ids.append(vocabulary["<unk>"])
    return ids


@wrong("ends-at-unknown")
def ids_until_the_first_unknown(text, vocabulary):
    """break in place of <unk>."""
    ids = []
    for word in text.lower().split():
        if word not in vocabulary:
            break
        ids.append(vocabulary[word])
    return ids
