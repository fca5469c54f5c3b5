"""What people get wrong in exercise 1.1, encode."""

import re
import string

import torch

from exercises.e1_1_encode.shared import UNKNOWN, _in_words
from feedback import Misconception
from helpers import tokens


def _looked_up(words=tokens.split_words, unknown=None):
    """encode with another way to find the words, or another id for the unknown ones: unknown(word, vocabulary)."""
    instead = unknown or (lambda word, vocabulary: vocabulary[UNKNOWN])
    return lambda text, vocabulary: [vocabulary[word] if word in vocabulary else instead(word, vocabulary)
                                     for word in words(text)]


def _raising(words):
    """encode without a thought for unknown words."""
    return lambda text, vocabulary: [vocabulary[word] for word in words(text)]


def _skipping(words):
    """encode that leaves out unknown words."""
    return lambda text, vocabulary: [vocabulary[word] for word in words(text) if word in vocabulary]


def _then(change):
    """The right ids, changed at the end."""
    return lambda text, vocabulary: change(tokens.encode(text, vocabulary))


def _as_written(text):
    return text.split()


def _at_blanks(text):
    return text.lower().split(" ")


def _letters(text):
    return text.lower()


def _stripped(text):
    return [word.strip(string.punctuation) for word in text.lower().split()]


def _other_key(key):
    return lambda text, vocabulary: [vocabulary.get(word, vocabulary[key]) for word in tokens.split_words(text)]


def _other_key_at_need(key):
    return _looked_up(unknown=lambda word, vocabulary: vocabulary[key])


_OTHER_KEYS = ("<UNK>", "[UNK]", "unk", "<unknown>", "UNK", "<Unk>", "[unk]", "unknown", "<UNKNOWN>")


def _growing(number):
    """New ids for new words, number(vocabulary) each, in a copy: a learner's code writes into the vocabulary itself."""

    def code(text, vocabulary):
        known = dict(vocabulary)
        return [known.setdefault(word, number(known)) for word in tokens.split_words(text)]

    return code


def _each_comparison(other):
    """One id for each comparison of a word with a key: that of the key, or other(id, vocabulary)."""
    return lambda text, vocabulary: [id if key == word else other(id, vocabulary)
                                     for word in tokens.split_words(text) for key, id in vocabulary.items()]


def _place_in_vocabulary(text, vocabulary):
    keys = list(vocabulary)
    return [keys.index(word if word in vocabulary else UNKNOWN) for word in tokens.split_words(text)]


def _place_or_unknown(text, vocabulary):
    keys = list(vocabulary)
    return [keys.index(word) if word in vocabulary else vocabulary[UNKNOWN] for word in tokens.split_words(text)]


def _or_unknown(text, vocabulary):
    """An id of 0 counts as False."""
    return [vocabulary.get(word) or vocabulary[UNKNOWN] for word in tokens.split_words(text)]


MISCONCEPTIONS = (
        Misconception(
            "not-lower-cased", "Capital letters are still there when the words are looked up: 'The' is not in the "
            "vocabulary, 'the' is.",
            "lower() gives a new text and leaves the old one as it was: split what lower() returns.",
            (_looked_up(_as_written), _raising(_as_written), _skipping(_as_written),
             _looked_up(_as_written, lambda word, vocabulary: None),
             _looked_up(lambda text: text.split(" ")), _raising(lambda text: text.split(" ")),
             _looked_up(lambda text: re.findall(r"\b\w+\b", text))), _in_words),
        Misconception(
            "everything-unknown", "Every word got the id of <unk>, also those that the vocabulary holds.",
            "Print a word just before it is looked up: is it spelled as in the vocabulary, in lower case? And do you "
            "look up the word itself, not its number?",
            (lambda text, vocabulary: [vocabulary[UNKNOWN]] * len(text.split()),), _in_words),
        Misconception(
            "split-at-blanks", "The text was cut at blanks alone, so a tab or a line end stays inside a word.",
            "split() without an argument cuts at any white space, however long. (split(' ') also leaves an empty word "
            "between two blanks.)",
            (_looked_up(_at_blanks), _skipping(_at_blanks), _looked_up(_at_blanks, lambda word, vocabulary: None),
             _looked_up(lambda text: [w for w in _at_blanks(text) if w]),
             _looked_up(lambda text: text.lower().strip().split(" ")),
             _looked_up(lambda text: re.split(" +", text.lower())),
             _looked_up(lambda text: re.split(" +", text.lower().strip()))), _in_words),
        Misconception(
            "empty-words", "Empty words came out, and got ids: white space at an end of the text, or several in a row, "
            "can leave nothing between two cuts.",
            "split() without an argument gives no empty words. With re, \\S+ finds what stands between white space.",
            (_looked_up(lambda text: re.split(r"\s", text.lower())),
             _looked_up(lambda text: re.split(r"\s+", text.lower())),
             _looked_up(lambda text: text.lower().replace("\n", " ").replace("\t", " ").split(" ")),
             _looked_up(lambda text: re.split(r"\s", text.lower().strip())),
             _looked_up(lambda text: text.lower().strip().replace("\n", " ").replace("\t", " ").split(" "))),
            _in_words),
        Misconception(
            "not-split", "The whole text was looked up as if it were one word.",
            "text.lower().split() is the list of its words.",
            (_looked_up(lambda text: [text.lower()]), _looked_up(lambda text: [text]),
             lambda text, vocabulary: vocabulary.get(text.lower(), vocabulary[UNKNOWN]),
             lambda text, vocabulary: vocabulary.get(text, vocabulary[UNKNOWN]),
             _raising(lambda text: [text.lower()]), _raising(lambda text: [text])), _in_words),
        Misconception(
            "letters", "The text was taken letter by letter: a loop over a str gives its characters.",
            "text.lower().split() is the list of its words.",
            (_looked_up(_letters), _skipping(_letters), _raising(_letters), _raising(lambda text: text),
             _looked_up(lambda text: text), _looked_up(lambda text: _letters(text).replace(" ", "")),
             _looked_up(lambda text: "".join(_letters(text).split())),
             _looked_up(_letters, lambda word, vocabulary: None)), _in_words),
        Misconception(
            "lines", "The text was cut at its line ends, not at every white space.",
            "split() without an argument cuts at any white space.",
            (_looked_up(lambda text: text.lower().splitlines()), _looked_up(lambda text: text.lower().split("\n"))),
            _in_words),
        Misconception(
            "unknown-skipped", "Unknown words were left out, so the ids no longer stand beside their words.",
            "Such a word gets an id too: vocabulary['<unk>'].",
            (_skipping(tokens.split_words), _skipping(_stripped)), _in_words),
        Misconception(
            "unknown-raises", "vocabulary[word] raises a KeyError for a word that is not in the vocabulary.",
            "Such a word should get vocabulary['<unk>']: ask with `if word in vocabulary`, or give get a second "
            "argument.",
            (_raising(tokens.split_words), _raising(_at_blanks), _raising(_stripped))),
        Misconception(
            "another-key", "The id for unknown words is kept under the key '<unk>', written exactly so.",
            "Print the vocabulary, and compare the key letter by letter.",
            tuple(code(key) for code in (_other_key, _other_key_at_need) for key in _OTHER_KEYS)),
        Misconception(
            "unknown-is-none", "Unknown words became None: that is what get gives for a key that is not there.",
            "Give get a second argument, which it gives instead: vocabulary['<unk>'].",
            (_looked_up(unknown=lambda word, vocabulary: None),), _in_words),
        Misconception(
            "unknown-is-zero", "Unknown words got the id 0, whatever id <unk> has.",
            "Look it up like any other: vocabulary['<unk>'].",
            _looked_up(unknown=lambda word, vocabulary: 0), _in_words),
        Misconception(
            "unknown-is-minus-one", "Unknown words got the id -1, which stands for no row of a table (or for its last "
            "one).",
            "The vocabulary has an id for them: vocabulary['<unk>'].",
            _looked_up(unknown=lambda word, vocabulary: -1), _in_words),
        Misconception(
            "unknown-is-past-the-end", "Unknown words got a number made from the size of the vocabulary, or from its "
            "largest id: no row stands for it, or another word's.",
            "The vocabulary has an id for them: vocabulary['<unk>'].",
            (_looked_up(unknown=lambda word, vocabulary: len(vocabulary)),
             _looked_up(unknown=lambda word, vocabulary: max(vocabulary.values()) + 1),
             _looked_up(unknown=lambda word, vocabulary: len(vocabulary) + 1)), _in_words),
        Misconception(
            "new-ids", "Unknown words got new ids of their own, as if they were added to the vocabulary.",
            "A trained model has no row for such an id. All unknown words share vocabulary['<unk>'].",
            (_growing(len), _growing(lambda known: max(known.values()) + 1), _growing(lambda known: len(known) + 1)),
            _in_words),
        Misconception(
            "unknown-is-a-word", "Unknown words stand in the list as words; they should be an id, too.",
            "The id of the word '<unk>' is vocabulary['<unk>'].",
            (_looked_up(unknown=lambda word, vocabulary: UNKNOWN), _looked_up(unknown=lambda word, vocabulary: word)),
            _in_words),
        Misconception(
            "zero-is-false", "A word whose id is 0 was taken for unknown: for Python, 0 counts as False.",
            "Ask `if word in vocabulary`, or give get a second argument; `or` and `if id:` cannot tell 0 from None.",
            (_or_unknown,), _in_words),
        Misconception(
            "words-returned", "These are the words, not their ids.",
            "Look each word up: vocabulary[word].",
            (lambda text, vocabulary: text.lower().split(), lambda text, vocabulary: text.split(),
             lambda text, vocabulary: text.lower().split(" "), lambda text, vocabulary: text.split(" "),
             lambda text, vocabulary: [w if w in vocabulary else UNKNOWN for w in text.lower().split()]), _in_words),
        Misconception(
            "places-not-ids", "These numbers count the words of the text: they are places, not ids.",
            "An id comes from the vocabulary: vocabulary[word].",
            (lambda text, vocabulary: list(range(len(text.split()))),
             lambda text, vocabulary: list(range(1, len(text.split()) + 1))), _in_words),
        Misconception(
            "places-in-the-vocabulary", "Each word got its place in the vocabulary, counted from the front; an id is "
            "what the vocabulary holds under the word.",
            "vocabulary[word], whatever order the words stand in.",
            (_place_in_vocabulary, _place_or_unknown), _in_words),
        Misconception(
            "vocabulary-walked", "The ids stand in the order of the vocabulary: the loop went through its words, not "
            "through those of the text.",
            "Go through the words of the text, one by one, and look each of them up.",
            (lambda text, vocabulary: [id for word, id in vocabulary.items() if word in text.lower().split()],
             lambda text, vocabulary: [id for word, id in vocabulary.items() if word in text.lower()],
             lambda text, vocabulary: [id for word, id in vocabulary.items() if word in text],
             lambda text, vocabulary: list(vocabulary.values())), _in_words),
        Misconception(
            "one-id-per-comparison", "Each word was compared with every word of the vocabulary, and each comparison "
            "gave an id.",
            "A dict needs no loop: `word in vocabulary` asks once, vocabulary[word] looks up.",
            (_each_comparison(lambda id, vocabulary: vocabulary[UNKNOWN]), _each_comparison(lambda id, vocabulary: 0),
             _each_comparison(lambda id, vocabulary: id), _each_comparison(lambda id, vocabulary: -1)), _in_words),
        Misconception(
            "repeats-dropped", "A word that comes again lost its id: sets and dicts hold each thing once.",
            "The list has one id for each word, in the order of the text.",
            (_then(lambda ids: list(dict.fromkeys(ids))), _then(lambda ids: list(set(ids))),
             _then(lambda ids: sorted(set(ids))), _looked_up(lambda text: dict.fromkeys(text.lower().split()))),
            _in_words),
        Misconception(
            "sorted", "The ids, or the words, were sorted: the order of the words is lost.",
            "Keep the order of the text.",
            (_then(sorted), _looked_up(lambda text: sorted(text.lower().split())),
             _then(lambda ids: sorted(ids)[::-1])),
            _in_words),
        Misconception(
            "reversed", "The ids stand in reverse order.",
            "append puts an id behind the others, insert(0, id) in front of them.",
            _then(lambda ids: ids[::-1]), _in_words),
        Misconception(
            "punctuation-removed", "Commas, brackets or other marks were taken off the words.",
            "Here white space alone parts words: 'cat.' with its full stop is another word than 'cat'. (Real "
            "tokenizers know better, as you will see.)",
            (_looked_up(_stripped), _looked_up(lambda text: [w.strip(".,!?;:") for w in text.lower().split()]),
             _looked_up(lambda text: [w.rstrip(".,!?") for w in text.lower().split()]),
             _looked_up(lambda text: [w.strip(".,!?;:()") for w in text.lower().split()]),
             _looked_up(lambda text: text.lower().translate(str.maketrans("", "", string.punctuation)).split()),
             _looked_up(lambda text: text.lower().replace(",", "").replace(".", "").split()),
             _looked_up(lambda text: re.sub(r"[^\w\s]", "", text.lower()).split()),
             _looked_up(lambda text: re.sub(r"[^\w\s]", " ", text.lower()).split()),
             _looked_up(lambda text: re.findall(r"\w+", text.lower())),
             _looked_up(lambda text: re.findall(r"[a-z]+", text.lower())),
             _looked_up(lambda text: re.findall(r"[a-z']+", text.lower())),
             _looked_up(lambda text: re.findall(r"\w+|[^\w\s]", text.lower()))), _in_words),
        Misconception(
            "return-in-loop", "Only the first word has an id: the loop ends at its first `return`.",
            "`return` leaves the function at once. Collect the ids in the loop, and return after it.",
            (_then(lambda ids: ids[:1]), _then(lambda ids: ids[0]),
             lambda text, vocabulary: [vocabulary.get(word, UNKNOWN) for word in tokens.split_words(text)][:1],
             lambda text, vocabulary: vocabulary.get(tokens.split_words(text)[0], UNKNOWN)), _in_words),
        Misconception(
            "last-word-only", "Only the last word has an id: each round of the loop overwrites the one before.",
            "Make the list once, before the loop, and append to it: ids.append(...).",
            (_then(lambda ids: ids[-1:]), _then(lambda ids: ids[-1])), _in_words),
        Misconception(
            "first-word-missing", "The first word has no id.",
            "`for word in words:` meets every word, without any counting.",
            (_then(lambda ids: ids[1:]),), _in_words),
        Misconception(
            "last-word-missing", "The last word has no id: the loop ends one too early.",
            "`for word in words:` meets every word, without any counting.",
            (_then(lambda ids: ids[:-1]),), _in_words),
        Misconception(
            "returns-tensor", "The ids are right, but they come in a tensor; a plain Python list is asked for.",
            "Return the list itself. You will make the tensor from it, with torch.tensor(ids), when it is needed.",
            (_then(torch.tensor), _then(lambda ids: torch.tensor(ids, dtype=torch.int32)),
             _then(lambda ids: torch.tensor(ids)[None]), _then(lambda ids: torch.tensor(ids, dtype=torch.float32)))),
        Misconception(
            "returns-tuple", "The ids are right, but they come in a tuple; a list is asked for.",
            "Square brackets make a list: list(...) turns anything that can be looped over into one.",
            _then(tuple)),
        Misconception(
            "ids-as-tensors", "Each id is a tensor of its own; plain Python numbers are asked for.",
            "What stands in the vocabulary is already what is wanted.",
            (_then(lambda ids: [torch.tensor(id) for id in ids]),
             _then(lambda ids: [torch.tensor([id]) for id in ids])),
            _in_words),
        Misconception(
            "ids-as-text", "The ids are right, but each is a text, not a number.",
            "What stands in the vocabulary is already what is wanted: leave out str(...).",
            (_then(lambda ids: [str(id) for id in ids]), _then(lambda ids: " ".join(str(id) for id in ids)),
             _then(str)), _in_words),
        Misconception(
            "nested", "The ids are right, but they sit in a list inside the list.",
            "append puts one thing into a list: append the id itself, not a list that holds it.",
            (_then(lambda ids: [[id] for id in ids]), _then(lambda ids: [ids])), _in_words),
        Misconception(
            "pairs", "Each id came back together with its word, or its place; the ids alone are asked for.",
            "The list holds one number for each word.",
            (lambda text, vocabulary: list(zip(text.lower().split(), tokens.encode(text, vocabulary), strict=True)),
             lambda text, vocabulary: list(enumerate(tokens.encode(text, vocabulary))),
             lambda text, vocabulary: dict(zip(text.lower().split(), tokens.encode(text, vocabulary), strict=True))),
            _in_words),
        Misconception(
            "shifted", "Every id is one too large, or one too small.",
            "The ids of the vocabulary are used as they are.",
            (_then(lambda ids: [id + 1 for id in ids]), _then(lambda ids: [id - 1 for id in ids])), _in_words),
)
