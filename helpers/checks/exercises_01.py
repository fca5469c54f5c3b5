"""Exercises 1.1 to 1.4: from a text to vectors that know their place."""

import math
import re
import string
from numbers import Integral

import torch
import torch.nn.functional as F
from torch import nn

from helpers import embeddings, tokens
from helpers.checks import evidence, laws
from helpers.checks.catalogue import Exercise, Experiment, Law, Misconception, Probe
from helpers.checks.inputs import B, D, H, S, T, normal, round_numbers

# ---------------------------------------------------------------- 1.1

UNKNOWN = tokens.UNKNOWN


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


def _in_words(case):
    """The first id that is not right, and the word it stands for; or how many ids there are."""
    text, vocabulary = case.args
    words, got, right = text.split(), case.got, case.expected
    if len(got) != len(right):
        return (f"the text has {evidence.counted(len(words), 'word', 'words')}, and your list "
                f"{evidence.counted(len(got), 'entry', 'entries')}")
    at = _first_wrong(got, right)
    if at is None:
        return evidence.entry(case)
    word = words[at].lower()
    why = (f"vocabulary[{word!r}] = {right[at]} is right" if word in vocabulary else
           f"{word!r} is not in the vocabulary, so vocabulary[{UNKNOWN!r}] = {right[at]} is right")
    return f"your ids[{at}], for {words[at]!r}, is {evidence.shortly(got[at])}; {why}"


def _is_id(value):
    return isinstance(value, Integral)


def _first_wrong(got, right):
    return next((i for i, (a, b) in enumerate(zip(got, right, strict=True)) if not (_is_id(a) and int(a) == b)), None)


def _one_id_for_each_word(case):
    if len(case.got) == len(case.expected):
        return None
    told = f"Each word of the text gets one id, also a word that comes twice: {_in_words(case)}."
    many = len(case.got) == len(case.expected) * len(case.args[1])
    return told + (" Does an inner loop append once for every key of the vocabulary?" if many else "")


def _whole_numbers(case):
    at = next((i for i, value in enumerate(case.got) if not _is_id(value)), None)
    if at is None:
        return None
    return f"Ids are whole numbers, of Python's int; your ids[{at}] is {evidence.shortly(case.got[at])}."


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
               if word not in vocabulary and int(case.got[at]) != vocabulary[UNKNOWN]]
    if not unknown or any(vocabulary.get(bare) != int(case.got[at]) for at, _, bare in unknown):
        return None
    at, word, bare = unknown[0]
    return (f"{word!r}, with its marks, is another word than {bare!r}, and not in the vocabulary: your ids[{at}] is "
            f"{case.got[at]}, and vocabulary[{UNKNOWN!r}] = {vocabulary[UNKNOWN]} is right.")


def _unknown_words(case):
    text, vocabulary = case.args
    words = text.split()
    at = next((i for i, (word, id) in enumerate(zip(words, case.got, strict=True))
               if word.lower() not in vocabulary and int(id) != vocabulary[UNKNOWN]), None)
    if at is None:
        return None
    return (f"A word that is not in the vocabulary gets vocabulary[{UNKNOWN!r}] = {vocabulary[UNKNOWN]}; your "
            f"ids[{at}], for {words[at]!r}, is {case.got[at]}.")


def _known_words(case):
    text, vocabulary = case.args
    words = text.split()
    at = next((i for i, (word, id) in enumerate(zip(words, case.got, strict=True))
               if word.lower() in vocabulary and int(id) != vocabulary[word.lower()]), None)
    if at is None:
        return None
    word = words[at].lower()
    return (f"A word of the vocabulary gets its own id: vocabulary[{word!r}] is {vocabulary[word]}; your ids[{at}], "
            f"for {words[at]!r}, is {case.got[at]}.")


_CAT = {UNKNOWN: 0, "cat": 1, "the": 2, "saw": 3}
_DOG = {"a": 4, "dog": 9, UNKNOWN: 7, "barks": 0, "at": 12, "i": 3}
_HELLO = {"hello": 5, "world": 2, "don't": 0, UNKNOWN: 1, "you": 3}
_TINY = {UNKNOWN: 0, "cat": 1, "the": 2}
_LATE = {"the": 0, "cat": 3, UNKNOWN: 5}

ENCODE = Exercise(
    id="1.1", name="encode", signature="encode(text, vocabulary)", minutes=5, difficulty=1,
    gives="the ids of the lower-cased words of text, in a list; a word that is not in the vocabulary gets "
          "vocabulary['<unk>']",
    solution=tokens.encode, arguments=("text", "vocabulary"), returns=("ids",),
    probes=(
        Probe("a sentence", ("The cat saw the banana", _CAT)),
        Probe("a vocabulary whose <unk> is not 0", ("A dog barks at Midnight", _DOG)),
        Probe("tabs, line ends and many blanks", ("  the\tcat\nsaw  THE   Dog \n", _CAT)),
        Probe("punctuation", ("Hello, world! don't hello (you) \"hello\" you? world; hello: world.", _HELLO)),
        Probe("words without a space between", ("the-cat saw 2 cats cat's", _CAT)),
        Probe("unknown words alone", ("Seven green\tapples", _DOG)),
        Probe("the word <unk> itself", ("a <unk> barks <UNK>", _DOG)),
        Probe("one word", ("DOG", _DOG)),
        Probe("words that come again", ("i dog i a a dog at nothing i", _DOG)),
    ),
    small=(("cat", _TINY), ("the cat", _TINY), ("The cat", _TINY), ("the cat", _LATE), ("the cat the", _TINY),
           ("cat dog", _LATE), ("the  cat\nsat", _LATE), ("the cat.", _LATE), ("a cat", {UNKNOWN: 2, "cat": 0, "a": 1}),
           ("the <unk>", _LATE)),
    misconceptions=(
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
    ),
    hints=(
        "Two steps. First the words: text.lower() gives a new text, and split() without an argument cuts it at any "
        "white space. Then one id for each word.",
        "vocabulary[word] raises a KeyError if the word is not there; vocabulary.get(word, other) gives `other` then.",
        "[vocabulary.get(word, vocabulary['<unk>']) for word in text.lower().split()]",
    ),
    laws=(Law("not-one-id-per-word", _one_id_for_each_word,
              "Append exactly one id for each word of text.lower().split(), known or not, and return after the loop."),
          Law("not-whole-numbers", _whole_numbers, "What the vocabulary holds under a word is what is wanted."),
          Law("punctuation-removed", _marks_taken_off, "Here white space alone parts words: leave the marks on them."),
          Law("wrong-id-for-unknown", _unknown_words,
              "Print each word just before you look it up. vocabulary.get(word, vocabulary['<unk>']) gives the id of "
              "the word, or that of <unk>."),
          Law("wrong-id-for-known", _known_words, "Print each word beside the id that you found for it.")),
    experiments=(
        Experiment("remembers", _remembers, "Make the list inside the function, anew for each call. One that is made "
                   "outside, or as a default argument, ids=[], is made once, and keeps what earlier calls put in.",
                   early=True),
    ),
    after="Every text is now a row of whole numbers, whatever words it has.",
)


# ---------------------------------------------------------------- 1.2

V = 13


def _some_ids(*shape, rows=V, seed=1):
    """Reproducible ids, with repeats."""
    return torch.randint(rows, shape, generator=torch.Generator().manual_seed(seed))


def _row(case):
    """Which row of the table stands where another belongs."""
    ids, table = case.args
    if case.got.shape != case.expected.shape:
        return evidence.shape(case)
    at = evidence.worst(case.got, case.expected)[:-1]
    name = f"ids[{', '.join(map(str, at))}] = {ids[at].item()}" if at else f"ids = {ids.item()}"
    row = _which_row(table, case.got[at])
    if row is None:
        return evidence.entry(case)
    return f"for {name} yours is row {row} of the table, and row {ids[at].item()} is right"


def _beside_its_row(case):
    """The vector that is furthest off, beside the row of the table that belongs there."""
    ids, _ = case.args
    if case.got.shape != case.expected.shape:
        return evidence.shape(case)
    at = evidence.worst(case.got, case.expected)[:-1]
    name = f"ids[{', '.join(map(str, at))}] = {ids[at].item()}" if at else f"ids = {ids.item()}"
    mine, right = (", ".join(evidence.number(v) for v in x[at][:4]) + (", ..." if x.size(-1) > 4 else "")
                   for x in (case.got, case.expected))
    return f"for {name} yours is [{mine}], and row {ids[at].item()} of the table is [{right}]"


def _which_row(table, vector):
    """The number of the row that equals a vector, or None."""
    if table.size(-1) != vector.size(-1):
        return None
    same = (table - vector).abs().amax(-1).lt(1e-4)
    return int(same.nonzero()[0]) if same.any() else None


def _no_row_of_the_table(case):
    ids, table = case.args
    vectors = case.got.reshape(-1, table.size(-1))
    at = next((i for i, vector in enumerate(vectors) if _which_row(table, vector) is None), None)
    if at is None:
        return None
    place = f" at {evidence.place(torch.unravel_index(torch.tensor(at), ids.shape))}" if ids.dim() else ""
    return f"Each vector of the result must be a row of the table, unchanged; yours{place} is none of them."


def _another_row(case):
    ids, table = case.args
    told = _row(case)
    if "of the table" not in told:
        return None
    return f"Each id gets the row with its number: {told}."


def _with_unpacked_sizes(ids, table):
    items, length = ids.shape
    return table[ids].reshape(items, length, -1)


def _with_two_loops(ids, table):
    return torch.stack([torch.stack([table[ids[b, t]] for t in range(ids.shape[1])]) for b in range(ids.shape[0])])


def _one_hot(classes, change):
    return lambda ids, table: F.one_hot(ids, classes(ids, table)).to(change(table)) @ table


_LOOKED_UP = torch.tensor([[3, 1, 3], [0, 3, 1]])


def _with_gradients(attempt):
    """The gradient that reaches the table, or None."""
    table = normal(7, D, seed=19).requires_grad_()
    vectors = attempt(_LOOKED_UP, table)
    if vectors.requires_grad:
        (vectors * normal(2, 3, D, seed=20)).sum().backward()
    return table.grad if table.grad is None else table.grad.to_dense()  # F.embedding can give sparse ones


def _rows_can_learn(attempt):
    if _with_gradients(attempt) is not None:
        return None
    return "The numbers are right, but no gradient reaches the table, so its rows could never be trained."


def _gradients_are_right(attempt):
    got, right = _with_gradients(attempt), _with_gradients(embeddings.embed)
    if torch.allclose(got, right, rtol=1e-3, atol=1e-4):
        return None
    row = int((got - right).abs().sum(-1).argmax())
    times = int(_LOOKED_UP.eq(row).sum())
    return (f"The numbers are right, but the gradients are not: row {row} of the table was looked up "
            f"{evidence.counted(times, 'time', 'times')}, and its gradient is not the sum of what came back.")


_FROM_THE_TABLE = ("Take the rows from the table itself and stay in torch: no detach, .data, numpy, tolist, item or "
                   "no_grad, and no new nn.Embedding or nn.Parameter around it, which would be another table.")

EMBED = Exercise(
    id="1.2", name="embed", signature="embed(ids, table)", minutes=4, difficulty=1,
    gives="one row of the table for each id: (...) and (V, C) to (..., C)",
    solution=embeddings.embed, arguments=("ids", "table"), returns=("vectors",),
    sizes={2: "B", 3: "H", 5: "T", 11: "C", 13: "V", 7: "C", 17: "V"},
    probes=(
        Probe("ids (T,)", (_some_ids(T, seed=2), normal(V, D))),
        Probe("ids (B, T)", (_some_ids(B, T, seed=4), normal(V, D, seed=2))),
        Probe("a single id, a 0-d tensor", (torch.tensor(4), normal(V, D, seed=3))),
        Probe("the first row and the last, several times", (torch.tensor([V - 1, 0, 0, V - 1, 6]),
              normal(V, D, seed=4))),
        Probe("ids (B, H, T)", (_some_ids(B, H, T, seed=6), normal(V, D, seed=5))),
        Probe("float64", (_some_ids(B, T, seed=7), normal(V, D, seed=6).double())),
        Probe("17 rows of 7 numbers", (_some_ids(B, T, rows=17, seed=8), normal(17, S, seed=7))),
        Probe("as many ids as rows, and as many columns", (_some_ids(19, rows=19, seed=10), normal(19, 19, seed=8))),
        Probe("one row of ids", (_some_ids(1, T, seed=9), normal(V, D, seed=9))),
    ),
    small=((torch.tensor([1, 0]), round_numbers(3, 2)), (torch.tensor([2, 0, 2]), round_numbers(3, 2)),
           (torch.tensor(1), round_numbers(3, 2)), (torch.tensor([[1, 2]]), round_numbers(3, 2)),
           (torch.tensor([[2, 0], [1, 1]]), round_numbers(3, 2)), (torch.tensor([1, 0]), round_numbers(2, 2))),
    misconceptions=(
        Misconception(
            "columns", "The ids chose columns of the table; each word has a row.",
            "The first axis of the table (V, C) counts the words: table[ids] takes rows.",
            (lambda ids, table: table[:, ids], lambda ids, table: table.T[ids],
             lambda ids, table: table.index_select(1, ids), lambda ids, table: table[:, ids].T,
             lambda ids, table: table[:, ids].transpose(0, 1)), _row),
        Misconception(
            "ids-multiplied", "The table was multiplied with the ids themselves, as if an id were an amount.",
            "An id is only a number to look up by: which row does table[3] give?",
            (lambda ids, table: ids @ table, lambda ids, table: ids.float() @ table,
             lambda ids, table: ids.to(table.dtype) @ table, lambda ids, table: ids * table,
             lambda ids, table: ids[..., None] @ table, lambda ids, table: ids.unsqueeze(-1) * table,
             lambda ids, table: table @ ids, lambda ids, table: table @ ids.to(table.dtype),
             lambda ids, table: table * ids), _row),
        Misconception(
            "one-hot-too-narrow", "one_hot was not told how many rows the table has: it then makes as many columns as "
            "the largest id at hand needs.",
            "F.one_hot(ids, len(table)). (Or without any one-hot rows: a tensor of ids can be an index.)",
            (_one_hot(lambda ids, table: -1, lambda table: table.dtype),
             lambda ids, table: F.one_hot(ids).float() @ table,
             lambda ids, table: F.one_hot(ids, int(ids.max()) + 1).float() @ table)),
        Misconception(
            "one-hot-of-columns", "one_hot was given the width of the table; it needs one class for each row.",
            "Which of (V, C) counts the words? len(table) and table.size(0) are V.",
            (_one_hot(lambda ids, table: table.size(1), lambda table: table.dtype),
             lambda ids, table: F.one_hot(ids, table.size(1)).float() @ table)),
        Misconception(
            "one-hot-dtype", "The one-hot rows have another dtype than the table, and a matrix product needs the same "
            "on both sides.",
            "F.one_hot gives whole numbers: bring them to the table's dtype with .to(table.dtype).",
            (lambda ids, table: F.one_hot(ids, len(table)) @ table,
             lambda ids, table: F.one_hot(ids, len(table)).float() @ table,
             lambda ids, table: F.one_hot(ids, len(table)).double() @ table)),
        Misconception(
            "one-hot-bare", "The one-hot rows are whole numbers, and have only as many columns as the largest id at "
            "hand needs. A product with the table needs the table's dtype, and a column for each of its rows.",
            "F.one_hot(ids, len(table)).to(table.dtype). (Or without any one-hot rows: a tensor of ids can be an "
            "index.)",
            (lambda ids, table: F.one_hot(ids) @ table, lambda ids, table: F.one_hot(ids, int(ids.max()) + 1) @ table)),
        Misconception(
            "one-hot-returned", "These are the one-hot rows; they still have to choose rows of the table.",
            "one_hot @ table, or simply table[ids].",
            (lambda ids, table: F.one_hot(ids, len(table)).to(table.dtype),
             lambda ids, table: F.one_hot(ids, len(table)), lambda ids, table: F.one_hot(ids, len(table)).float(),
             lambda ids, table: F.one_hot(ids))),
        Misconception(
            "off-by-one", "Every id was moved by one before the look-up.",
            "Rows are counted from 0, and so are ids: id 0 is row 0.",
            (lambda ids, table: table[ids - 1], lambda ids, table: table[ids + 1],
             lambda ids, table: table[(ids + 1) % len(table)], lambda ids, table: table.roll(-1, 0)[ids],
             lambda ids, table: table[(ids + 1).clamp(max=len(table) - 1)],
             lambda ids, table: table[(ids - 1).clamp(min=0)], lambda ids, table: table[1:][ids]), _row),
        Misconception(
            "first-id-only", "Only what stands first in ids was looked up; every id gets a row.",
            "If there is a loop: `return` inside it ends the function at once. table[ids] takes all of them together.",
            (lambda ids, table: table[ids.flatten()[0]], lambda ids, table: table[ids[0]],
             lambda ids, table: table[ids[..., 0]], lambda ids, table: table[ids.flatten()[:1]],
             lambda ids, table: table[ids[:1]], lambda ids, table: table[ids[0].item()],
             lambda ids, table: table[ids.flatten()[0]].expand(*ids.shape, -1)), _row),
        Misconception(
            "last-id-only", "Only what stands last in ids was looked up; every id gets a row.",
            "If there is a loop: does each round overwrite the one before? table[ids] takes all of them together.",
            (lambda ids, table: table[ids.flatten()[-1]], lambda ids, table: table[ids[-1]],
             lambda ids, table: table[ids[..., -1]],
             lambda ids, table: table[ids.flatten()[-1]].expand(*ids.shape, -1)), _row),
        Misconception(
            "rows-in-order", "The first rows of the table were taken, one after the other; what the ids say was not "
            "used.",
            "Row ids[i] belongs to place i, not row i.",
            (lambda ids, table: table[:len(ids)], lambda ids, table: table[:ids.size(-1)],
             lambda ids, table: table[range(len(ids))], lambda ids, table: table[:ids.numel()],
             lambda ids, table: table[:ids.numel()].reshape(*ids.shape, -1),
             lambda ids, table: table[torch.arange(len(ids))], lambda ids, table: table[torch.arange(ids.size(-1))],
             lambda ids, table: torch.stack([table[i] for i in range(len(ids))]),
             lambda ids, table: table[torch.arange(ids.size(-1)).expand(ids.shape)],
             lambda ids, table: table[torch.arange(ids.numel()).reshape(ids.shape)]), _row),
        Misconception(
            "whole-table", "This is the whole table; the ids were not used.",
            "table[ids] chooses the rows.",
            (lambda ids, table: table.clone(), lambda ids, table: table[:])),
        Misconception(
            "summed", "The rows of several ids were added up; each id keeps a row of its own.",
            "The result has one axis more than ids: (..., C).",
            (lambda ids, table: table[ids].sum(0), lambda ids, table: table[ids].sum(-2),
             lambda ids, table: table[ids].sum(1), lambda ids, table: table[ids.flatten()].sum(0))),
        Misconception(
            "averaged", "The rows of several ids were averaged; each id keeps a row of its own.",
            "The result has one axis more than ids: (..., C).",
            (lambda ids, table: table[ids].mean(0), lambda ids, table: table[ids].mean(-2),
             lambda ids, table: table[ids].mean(1), lambda ids, table: table[ids.flatten()].mean(0),
             lambda ids, table: F.embedding_bag(ids, table))),
        Misconception(
            "row-reduced", "Each row of the table shrank to one number; the whole row is wanted.",
            "The result has one axis more than ids: (..., C).",
            (lambda ids, table: table[ids].sum(-1), lambda ids, table: table[ids].mean(-1),
             lambda ids, table: table[ids][..., 0], lambda ids, table: table[ids, 0])),
        Misconception(
            "scaled", "The rows were multiplied with, or divided by, the square root of their width, or brought to "
            "length 1.",
            "Here the rows are taken as they are. The paper's factor sqrt(C) is another step.",
            (lambda ids, table: table[ids] * math.sqrt(table.size(-1)),
             lambda ids, table: table[ids] / math.sqrt(table.size(-1)),
             lambda ids, table: F.normalize(table[ids], dim=-1)), evidence.entry),
        Misconception(
            "flattened", "The rows are right, but the axes of ids were flattened into one.",
            "table[ids] keeps every axis of ids, and puts C behind them.",
            (lambda ids, table: table[ids.flatten()], lambda ids, table: table[ids].reshape(-1, table.size(-1)),
             lambda ids, table: torch.stack([table[i] for i in ids.flatten().tolist()]))),
        Misconception(
            "one-long-vector", "The rows are right, but they were joined into one long vector.",
            "torch.stack gives every row a place of its own; torch.cat and flatten join them.",
            (lambda ids, table: table[ids].flatten(), lambda ids, table: torch.cat([table[i] for i in ids]),
             lambda ids, table: torch.cat([table[i] for i in ids.flatten().tolist()]),
             lambda ids, table: table[ids].flatten(-2))),
        Misconception(
            "swapped-arguments", "The table stands where the ids belong.",
            "It is F.embedding(ids, table), and table[ids]: the ids choose, the table is chosen from.",
            (lambda ids, table: F.embedding(table, ids), lambda ids, table: ids[table],
             lambda ids, table: ids[table.long()], lambda ids, table: torch.index_select(ids, 0, table))),
        Misconception(
            "a-new-table", "A new table of random numbers was made, and the rows come from there.",
            "The argument table already holds the rows: table[ids].",
            (lambda ids, table: nn.Embedding(*table.shape)(ids), lambda ids, table: torch.randn(*table.shape)[ids],
             lambda ids, table: torch.rand(*table.shape)[ids],
             lambda ids, table: torch.randn(*ids.shape, table.size(-1)),
             lambda ids, table: nn.Embedding(*table.shape).to(table.dtype)(ids),
             lambda ids, table: nn.Parameter(torch.randn(*table.shape))[ids]), _beside_its_row),
        Misconception(
            "transposed", "The rows are right, but axes of the result have changed places.",
            "C comes last: (..., C).",
            (lambda ids, table: table[ids].transpose(-2, -1), lambda ids, table: table[ids].mT,
             lambda ids, table: table[ids].T, lambda ids, table: table[ids].transpose(0, 1),
             lambda ids, table: table.T[:, ids], lambda ids, table: torch.stack([table[i] for i in ids], dim=-1),
             lambda ids, table: torch.stack([table[i] for i in ids], dim=1))),
        Misconception(
            "no-single-id", "Your code suits ids with an axis, but not a single id: a 0-d tensor has no length, and "
            "cannot be looped over.",
            "table[ids] takes ids of any shape, also ().",
            (lambda ids, table: torch.stack([table[i] for i in ids]),
             lambda ids, table: torch.stack([table[ids[i]] for i in range(len(ids))]),
             lambda ids, table: torch.stack([table[ids[i]] for i in range(ids.shape[0])]),
             lambda ids, table: torch.stack([table[ids[i]] for i in range(ids.size(0))]))),
        Misconception(
            "fixed-axes", "Your code suits one number of axes only; ids come as (), (T,), (B, T) and more.",
            "table[ids] takes ids of any shape: no loop, no count of axes.",
            (lambda ids, table: table.index_select(0, ids),
             lambda ids, table: torch.stack([table[int(i)] for i in ids]),
             lambda ids, table: torch.stack([table[i.item()] for i in ids]),
             lambda ids, table: torch.stack([table[ids[i].item()] for i in range(len(ids))]),
             lambda ids, table: torch.stack([table[ids[i].item()] for i in range(ids.shape[0])]),
             lambda ids, table: torch.stack([torch.stack([table[int(i)] for i in row]) for row in ids]),
             lambda ids, table: torch.stack([torch.stack([table[i] for i in row]) for row in ids]),
             lambda ids, table: torch.stack([torch.stack([table[i.item()] for i in row]) for row in ids]),
             _with_unpacked_sizes, _with_two_loops)),
        Misconception(
            "single-numbers", "Single numbers of the table were taken; each id stands for a whole row.",
            "take and gather pick numbers one by one. table[ids] picks rows.",
            (lambda ids, table: table.take(ids), lambda ids, table: table.flatten()[ids],
             lambda ids, table: table.gather(0, ids), lambda ids, table: table.gather(0, ids[..., None]),
             lambda ids, table: table.gather(1, ids), lambda ids, table: table[ids, ids])),
        Misconception(
            "repeats-dropped", "An id that comes again lost its row, or the ids were sorted.",
            "One row for each id, in the order of ids.",
            (lambda ids, table: table[ids.unique()], lambda ids, table: table[ids.sort().values],
             lambda ids, table: table[ids.flatten().sort().values].reshape(*ids.shape, -1)), _row),
        Misconception(
            "ids-returned", "These are still the ids.",
            "The rows of the table are asked for: table[ids].",
            (lambda ids, table: ids.clone(), lambda ids, table: ids.float(), lambda ids, table: ids.to(table.dtype))),
    ),
    hints=(
        "table[3] is row 3. What stands between the brackets may be a whole tensor of numbers.",
        "With ids of shape (B, T), table[ids] has the shape (B, T, C): one row in place of each id.",
    ),
    laws=(laws.FINITE, Law("no-row-of-the-table", _no_row_of_the_table, "Which line changes the numbers of a row?"),
          Law("another-row", _another_row, "Print ids beside the rows that you took.")),
    experiments=(
        Experiment("no-gradients", _rows_can_learn, _FROM_THE_TABLE, required=True,
                   while_doing="with a table that needs gradients"),
        Experiment("wrong-gradients", _gradients_are_right, _FROM_THE_TABLE, required=True, while_doing="on the way "
        "back"),
    ),
    after="The index may have any shape, and gradients reach just the rows that were looked up.",
)


# ---------------------------------------------------------------- 1.3

def _angles(length, d_model, exponent=None, base=10000.0, start=0):
    """The angle of each pair at each position, (length, d_model / 2), with another exponent(i, length, d_model)."""
    position = torch.arange(start, start + length, dtype=torch.float64)[:, None]
    i = torch.arange(0, d_model, 2, dtype=torch.float64)
    return position / base ** (i / d_model if exponent is None else exponent(i, length, d_model))


def _in_turn(even, odd):
    """Even columns, odd columns."""
    return torch.stack([even, odd], dim=-1).flatten(-2).float()


def _turned(**other):
    """Waves with something else about their angles."""
    return lambda length, d_model: _waves(_angles(length, d_model, **other))


def _waves(angles):
    return _in_turn(angles.sin(), angles.cos())


def _changed_angles(change):
    return lambda length, d_model: _waves(change(_angles(length, d_model), length, d_model))


def _arranged(arrange):
    """Right waves, put together in another way: arrange(sin, cos)."""
    return lambda length, d_model: arrange(_angles(length, d_model).sin().float(),
                                           _angles(length, d_model).cos().float())


def _right_then(change):
    return lambda length, d_model: change(embeddings.sinusoidal_positions(length, d_model))


def _column_angles(length, d_model, exponent=lambda j, d_model: j / d_model):
    """An angle for every column, (length, d_model), of the frequency exponent(j, d_model)."""
    j = torch.arange(d_model, dtype=torch.float64)
    return torch.arange(length, dtype=torch.float64)[:, None] / 10000.0 ** exponent(j, d_model)


def _column_by_column(exponent):
    """Sines and cosines in turn, each of its column's own angle."""

    def code(length, d_model):
        angles = _column_angles(length, d_model, exponent)
        return torch.where(torch.arange(d_model) % 2 == 0, angles.sin(), angles.cos()).float()

    return code


def _multiplied(dtype, power):
    """position * frequency, the frequency upside down; these angles are so large that each way rounds them "
    "differently."""

    def code(length, d_model):
        frequency = power(torch.arange(0, d_model, 2, dtype=dtype) / d_model)
        return _waves(torch.arange(length, dtype=dtype)[:, None] * frequency)

    return code


def _divided(dtype, power):
    """position / frequency, the frequency the right way up: its minus is in the exponent already."""

    def code(length, d_model):
        frequency = power(torch.arange(0, d_model, 2, dtype=dtype) / d_model)
        return _waves(torch.arange(length, dtype=dtype)[:, None] / frequency)

    return code


def _power_first(divide, dtype):
    """10000 ** i taken before the division by d_model: divide(position, i, d_model), whole numbers with dtype int64."""

    def code(length, d_model):
        i = torch.arange(0, d_model, 2, dtype=dtype)
        return _waves(divide(torch.arange(length)[:, None], i, d_model))

    return code


def _too_many_angles(exponent):
    """An angle for each column, written into the half of them."""

    def code(length, d_model):
        positions = torch.zeros(length, d_model)
        positions[:, 0::2] = _column_angles(length, d_model, exponent).sin()
        return positions

    return code


def _python_multiplied(length, d_model):
    return _waves(torch.tensor([[p * 10000 ** (i / d_model) for i in range(0, d_model, 2)] for p in range(length)]))


def _tutorial_multiplied(length, d_model):
    factor = torch.exp(torch.arange(0, d_model, 2).float() * (math.log(10000.0) / d_model))
    return _waves(torch.arange(length).float()[:, None] * factor)


def _a_row(case):
    """The first row that is not right."""
    got, right = case.got, case.expected
    if got.shape != right.shape or got.dtype != right.dtype:
        return evidence.shape(case)
    wrong = ((got - right).abs() > 3e-5 + 1e-4 * right.abs()) | got.isnan()
    row = int(wrong.any(-1).nonzero()[0]) if wrong.any() else 0
    some = slice(0, 6)
    more = ", ..." if got.size(-1) > 6 else ""
    mine, wanted = (", ".join(evidence.number(v) for v in x[row][some]) + more for x in (got, right))
    return f"your row {row} is [{mine}], and [{wanted}] is right"


def _within_one(case):
    if (case.got.abs() <= 1.0001).all():
        return None
    at = evidence.worst(case.got.abs().clamp(min=1), torch.ones_like(case.got))
    return f"A sine or cosine lies between -1 and 1; yours at {evidence.place(at)} is {evidence.number(case.got[at])}."


def _row_zero(case):
    if torch.allclose(case.got[0], case.expected[0], atol=1e-3):
        return None
    row = ", ".join(evidence.number(v) for v in case.got[0][:4])
    return f"At position 0 every angle is 0, so row 0 is 0, 1, 0, 1, ...; yours begins {row}."


def _pairs(x):
    """(length, d_model) -> (length, d_model / 2, 2)."""
    return x.unflatten(-1, (-1, 2))


def _on_the_circle(case):
    squares = _pairs(case.got).square().sum(-1)
    if torch.allclose(squares, torch.ones_like(squares), atol=1e-3):
        return None
    row, pair = evidence.worst(squares, torch.ones_like(squares))
    return (f"Columns {2 * pair} and {2 * pair + 1} are the sine and the cosine of the same angle, so their squares "
            f"add up to 1; in your row {row} they add up to {evidence.number(squares[row, pair])}.")


def _right_speeds(case):
    """The angles of row 1 are the frequencies themselves."""
    if len(case.got) < 2:
        return None
    angles, right = (torch.atan2(*_pairs(x)[1].double().unbind(-1)) for x in (case.got, case.expected))
    if torch.allclose(angles, right, atol=1e-3):
        return None
    pair, d_model = int((angles - right).abs().argmax()), case.args[1]
    columns = f"columns {2 * pair} and {2 * pair + 1}"
    return (f"In row 1, {columns} should have the angle 1 / 10000**({2 * pair}/{d_model}) = "
            f"{evidence.number(right[pair])}; your two numbers belong to the angle {evidence.number(angles[pair])}.")


_FREQUENCY = "The angle is position / 10000**(i / d_model), with i = 0, 2, 4, ...: the even column of the pair."

POSITIONS = Exercise(
    id="1.3", name="sinusoidal_positions", signature="sinusoidal_positions(length, d_model)", minutes=12, difficulty=3,
    gives="the waves (length, d_model), float32: sin(position / 10000**(i / d_model)) in each even column i, the "
          "cosine of the same angle in column i + 1",
    solution=embeddings.sinusoidal_positions, arguments=("length", "d_model"), returns=("positions",),
    sizes={5: "length", 3: "length", 13: "length", 7: "length", 41: "length", 211: "length",
           2: "d_model", 4: "d_model", 12: "d_model", 22: "d_model", 6: "d_model", 10: "d_model"},
    probes=(
        *(Probe(f"length {length} and d_model {d_model}", (length, d_model))
          for length, d_model in ((5, 12), (7, 4), (3, 2), (13, 22), (1, 6), (8, 8), (41, 10))),
        Probe("length 211 and d_model 12", (211, 12), rtol=1e-3, atol=1e-3),
    ),
    small=((1, 2), (2, 2), (1, 4), (2, 4), (3, 4), (4, 4), (3, 6)),
    misconceptions=(
        Misconception(
            "halves", "The sines fill the left half, the cosines the right half; here they take turns, column by "
            "column.",
            "Even columns are sines, odd ones cosines: positions[:, 0::2] = ... and positions[:, 1::2] = ...",
            (_arranged(lambda sin, cos: torch.cat([sin, cos], dim=-1)),), _a_row),
        Misconception(
            "halves-swapped", "The cosines fill the left half, the sines the right half; here they take turns, and the "
            "sine comes first.",
            "Even columns are sines, odd ones cosines: positions[:, 0::2] = ... and positions[:, 1::2] = ...",
            (_arranged(lambda sin, cos: torch.cat([cos, sin], dim=-1)),), _a_row),
        Misconception(
            "swapped", "Sine and cosine have changed places.",
            "Column 0 is a sine: at position 0 it is 0, and column 1 is 1.",
            (_arranged(lambda sin, cos: _in_turn(cos, sin)),), _a_row),
        Misconception(
            "stacked-wrongly", "Sines and cosines were stacked along the wrong axis: after the reshape, rows hold "
            "numbers of other positions.",
            "Stack along a new last axis, torch.stack([sin, cos], dim=-1), then join the last two: .flatten(-2).",
            (_arranged(lambda sin, cos: torch.stack([sin, cos]).reshape(len(sin), -1)),
             _arranged(lambda sin, cos: torch.cat([sin, cos]).reshape(len(sin), -1))), _a_row),
        Misconception(
            "exponent-half", "The exponent is half as large as it should be: the pairs were counted 0, 1, 2, ..., and "
            "then divided by d_model. (A base of 100 does the same.)",
            _FREQUENCY,
            (_turned(exponent=lambda i, length, d: i / 2 / d),), _a_row),
        Misconception(
            "exponent-doubled", "The exponent is twice as large as it should be: i counts the columns already, 0, 2, "
            "4, ..., and was doubled again.",
            _FREQUENCY + " In the paper's 2i / d_model, i counts pairs.",
            (_turned(exponent=lambda i, length, d: 2 * i / d),), _a_row),
        Misconception(
            "own-frequency", "Odd columns have a frequency of their own; sine and cosine of a pair share one.",
            _FREQUENCY + " Column 1 uses the same i as column 0.",
            (_column_by_column(lambda j, d: j / d), _column_by_column(lambda j, d: 2 * j / d),
             _column_by_column(lambda j, d: j / 2 / d), _column_by_column(lambda j, d: (j + j % 2) / d),
             _column_by_column(lambda j, d: 2 * (j + j % 2) / d)),
            _a_row),
        Misconception(
            "multiplied", "The positions were multiplied by 10000**(i / d_model) instead of divided: the waves are "
            "fast where they should be slow. (Dividing by 10000**(-i / d_model) does the same.)",
            "The larger the column, the slower its wave: divide, or give the exponent a minus, and not both.",
            (*(_multiplied(dtype, power) for dtype in (torch.float32, torch.float64)
               for power in (lambda e: 10000.0 ** e, lambda e: torch.exp(e * math.log(10000.0)))),
             *(_divided(dtype, power) for dtype in (torch.float32, torch.float64)
               for power in (lambda e: 10000.0 ** -e, lambda e: torch.exp(-e * math.log(10000.0)))),
             _python_multiplied, _tutorial_multiplied), _a_row),
        Misconception(
            "other-base", "The base is another number than 10,000.",
            _FREQUENCY + " With exp, that is exp(-math.log(10000) * i / d_model), log being the natural logarithm.",
            tuple(_turned(base=base) for base in (10.0, 1000.0, 1e5, 1e6, 2.0, math.e, math.exp(4), 50000.0)), _a_row),
        Misconception(
            "from-one", "The positions were counted from 1.",
            "The first position is 0: its row is 0, 1, 0, 1, ...",
            (_turned(start=1),), _a_row),
        Misconception(
            "transposed", "The numbers are right, but the axes have changed places: (d_model, length).",
            "One row for each position: positions as a column, [:, None], beside the frequencies as a row.",
            (_right_then(lambda x: x.T), _right_then(lambda x: x.T.contiguous())), _a_row),
        Misconception(
            "sine-alone", "All columns are sines: the cosines are missing.",
            "Odd columns are the cosines of the same angles as their left neighbours.",
            (_arranged(lambda sin, cos: _in_turn(sin, sin)), _arranged(lambda sin, cos: torch.cat([sin, sin], dim=-1)),
             _arranged(lambda sin, cos: sin),
             lambda length, d: _column_angles(length, d).sin().float()),
            _a_row),
        Misconception(
            "cosine-alone", "All columns are cosines: the sines are missing.",
            "Even columns are sines, odd ones cosines.",
            (_arranged(lambda sin, cos: _in_turn(cos, cos)), _arranged(lambda sin, cos: cos),
             lambda length, d: _column_angles(length, d).cos().float()),
            _a_row),
        Misconception(
            "half-empty", "Every other column is still 0: only the sines, or only the cosines, were written, or one "
            "overwrote the other.",
            "positions[:, 0::2] are the even columns, positions[:, 1::2] the odd ones.",
            (_arranged(lambda sin, cos: _in_turn(sin, 0 * sin)), _arranged(lambda sin, cos: _in_turn(0 * cos, cos)),
             _arranged(lambda sin, cos: _in_turn(cos, 0 * cos)), _arranged(lambda sin, cos: _in_turn(0 * sin, sin))),
            _a_row),
        Misconception(
            "zeros", "Every number is 0: nothing was written into the table.",
            "positions[:, 0::2] = ... writes into the even columns. Does that line run before the `return`?",
            (lambda length, d: torch.zeros(length, d),), _a_row),
        Misconception(
            "angles-returned", "These are the angles; their sines and cosines are asked for.",
            "torch.sin and torch.cos of the same angles, in turn.",
            (lambda length, d: _angles(length, d).float(), lambda length, d: _in_turn(*[_angles(length, d)] * 2)),
            _a_row),
        Misconception(
            "degrees", "The angles were turned into radians, as if they had been degrees.",
            "position / 10000**(i / d_model) is in radians already, as torch.sin takes it.",
            (_changed_angles(lambda a, length, d: torch.deg2rad(a)),
             _changed_angles(lambda a, length, d: torch.rad2deg(a))),
            _a_row),
        Misconception(
            "full-turns", "The angles were multiplied by pi or 2 * pi.",
            _FREQUENCY + " There is no pi in it.",
            (_changed_angles(lambda a, length, d: a * 2 * math.pi), _changed_angles(lambda a, length, d: a * math.pi)),
            _a_row),
        Misconception(
            "no-position", "The positions had no part in the angles: all rows are the same, or there is just one.",
            "Multiply each frequency by the position: a column of positions, [:, None], beside a row of frequencies.",
            (lambda length, d: _waves(_angles(1, d, start=1)).expand(length, -1).clone(),
             lambda length, d: _waves(_angles(1, d, start=1)), lambda length, d: _waves(_angles(1, d, start=1))[0]),
            _a_row),
        Misconception(
            "reversed", "The frequencies run the other way: the slowest wave stands on the left.",
            "Column 0 is the fastest wave, sin(position).",
            (_changed_angles(lambda a, length, d: a.flip(-1)),
             _turned(exponent=lambda i, length, d: 1 - i / d)), _a_row),
        Misconception(
            "one-frequency", "All pairs turn at the same speed, that of the first.",
            "The exponent i / d_model grows from pair to pair. (// gives whole numbers: i // d_model is 0.)",
            (_turned(exponent=lambda i, length, d: 0 * i),), _a_row),
        Misconception(
            "whole-numbers", "The angles were cut down to whole numbers.",
            "Divide with /, not //, and keep the angles in a floating-point dtype.",
            (_changed_angles(lambda a, length, d: a.floor()),), _a_row),
        Misconception(
            "divided-by-length", "The exponent was divided by length; how slow a wave is depends on its column alone.",
            _FREQUENCY,
            (_turned(exponent=lambda i, length, d: i / length), _turned(exponent=lambda i, length, d: i / 2 / length)),
            _a_row),
        Misconception(
            "power-before-division", "The power was taken before the division by d_model: `**` binds before `/`, so "
            "10000 ** -i / d_model is (10000 ** -i) / d_model.",
            "The exponent needs its brackets: 10000 ** (-i / d_model), or position / 10000 ** (i / d_model).",
            tuple(_power_first(divide, dtype) for dtype in (torch.float64, torch.int64)
                  for divide in (lambda p, i, d: p * 10000 ** -i / d, lambda p, i, d: p / 10000 ** i / d,
                                 lambda p, i, d: p / (10000 ** i / d))), _a_row),
        Misconception(
            "not-divided-by-width", "The exponent lost its fraction: it was not divided by d_model, or by // instead "
            "of /. All waves but the first stand nearly still.",
            _FREQUENCY,
            (_turned(exponent=lambda i, length, d: i), _turned(exponent=lambda i, length, d: i / 2),
             _turned(exponent=lambda i, length, d: (i / d).ceil()),
             _turned(exponent=lambda i, length, d: 2 * i)), _a_row),
        Misconception(
            "angle-for-each-column", "There are d_model angles at each position, and only d_model / 2 columns to write "
            "them into: the two columns of a pair share one.",
            "There is one angle for each pair, d_model / 2 of them: torch.arange(0, d_model, 2) gives their i.",
            _too_many_angles(lambda j, d: j / d)),
        Misconception(
            "exponent-to-the-end", "The exponent was divided by a little less than d_model.",
            _FREQUENCY,
            (_turned(exponent=lambda i, length, d: i / max(d - 2, 1)),
             _turned(exponent=lambda i, length, d: i / (d - 2)),
             _turned(exponent=lambda i, length, d: i / (d - 1))), _a_row),
        Misconception(
            "divided-outside", "The division came after the sine: the waves are small instead of slow.",
            "Divide first, then take the sine: sin(position / ...), not sin(position) / ...",
            (lambda length, d: _in_turn(_angles(length, d, base=1.0).sin() / 10000.0 ** (torch.arange(0, d, 2) / d),
                                        _angles(length, d, base=1.0).cos() / 10000.0 ** (torch.arange(0, d, 2) / d)),),
            _a_row),
        Misconception(
            "shrunk-positions", "The positions were divided by length, so that a place has another pattern in every "
            "text.",
            "Use the positions as they are: 0, 1, 2, ...",
            (_changed_angles(lambda a, length, d: a / length),
             _changed_angles(lambda a, length, d: a / max(length - 1, 1))),
            _a_row),
        Misconception(
            "float64", "The numbers are right, but they are float64; float32 is asked for.",
            "Calculating in float64 is a good idea; end with .float().",
            (_right_then(lambda x: x.double()),)),
        Misconception(
            "table-of-whole-numbers", "The table holds whole numbers: a sine that is written into it is cut to 0, 1 "
            "or -1.",
            "Make the table with torch.zeros(length, d_model), which is float32.",
            (_right_then(lambda x: x.long()), _right_then(lambda x: x.int()))),
        Misconception(
            "extra-axis", "The numbers are right, but there is an extra axis of size 1.",
            "The table of positions is (length, d_model); no batch is known here.",
            (_right_then(lambda x: x[None]), _right_then(lambda x: x[:, None]), _right_then(lambda x: x[..., None]))),
        Misconception(
            "pairs-apart", "The numbers are right, but sines and cosines have not been joined into one table.",
            "(length, d_model / 2, 2) becomes (length, d_model) by .flatten(-2).",
            (_right_then(_pairs), _right_then(lambda x: _pairs(x).transpose(-2, -1)),
             _right_then(lambda x: (x[:, 0::2], x[:, 1::2])), _arranged(lambda sin, cos: torch.stack([sin, cos])))),
        Misconception(
            "one-row-short", "The last row is missing.",
            "torch.arange(length) ends at length - 1, and range too: both give `length` numbers.",
            (_right_then(lambda x: x[:-1]),)),
    ),
    hints=(
        "Build it in three steps. A column of positions, (length, 1): torch.arange(length)[:, None]. A row of "
        "frequencies, (d_model / 2,): 10000 ** (-i / d_model) for i = 0, 2, 4, ... Their product, (length, d_model / "
        "2), are the angles.",
        "torch.arange(0, d_model, 2) gives i. Make an empty table, torch.zeros(length, d_model), and write the sines "
        "into its even columns.",
        "positions[:, 0::2] = angles.sin() and positions[:, 1::2] = angles.cos()",
    ),
    laws=(laws.FINITE,
          Law("outside", _within_one, "Take sin and cos last; nothing comes after them."),
          Law("row-0", _row_zero, "Are positions counted from 0? Is nothing added to the angles? Are sine and cosine "
                                  "in turn?"),
          Law("off-the-circle", _on_the_circle, "Print the angles behind both columns: are they the same?"),
          Law("wrong-frequency", _right_speeds, _FREQUENCY)),
    after="Each position has its own pattern, and no training was needed.",
)


# ---------------------------------------------------------------- 1.4

C = D
_MAX_T = 13


def _added(case):
    """What was added to the first token that is not right."""
    x, positions = case.args
    if case.got.shape != case.expected.shape:
        return evidence.shape(case)
    at = evidence.worst(case.got, case.expected)[:-1]
    name = f"x[{at[0]}, {at[1]}]"
    if torch.allclose(case.got[at], x[at], atol=1e-5):
        return f"nothing was added to {name}; row {at[1]} of positions belongs there"
    row = _which_row(positions, case.got[at] - x[at])
    if row is None or row == at[1]:
        return evidence.entry(case)
    return f"you added row {row} of positions to {name}; row {at[1]} belongs there"


def _rows_added(case):
    """What was added must be rows of positions."""
    told = _added(case)
    return None if told.startswith("your") else told[0].upper() + told[1:] + "."


def _same_for_all_items(case):
    added = case.got - case.args[0]
    if torch.allclose(added, added[:1].expand_as(added), atol=1e-4):
        return None
    item = int((added - added[:1]).abs().amax((1, 2)).argmax())
    return (f"What you return, minus x, should be the same for every item of the batch: the positions. Yours differs "
            f"between items 0 and {item}.")


def _plus(rows):
    """x + rows(x, positions)."""
    return lambda x, positions: x + rows(x, positions)


def _first(x, positions):
    """The rows that belong to x."""
    return positions[:x.size(1)]


def _into_copy(place):
    """The right sum, at one place only."""

    def code(x, positions):
        out = x.clone()
        out[place] = (x + _first(x, positions))[place]
        return out

    return code


def _numbers(x, change=lambda t, x: t):
    return change(torch.arange(x.size(1)).to(x.dtype), x)[:, None]


ADD = Exercise(
    id="1.4", name="add_positions", signature="add_positions(x, positions)", minutes=4, difficulty=1,
    gives="x (B, T, C) with row t of positions (max_T, C) added to token t of every item",
    solution=embeddings.add_positions, arguments=("x", "positions"), returns=("out",),
    sizes={2: "B", 3: "B", 5: "T", 11: "C", 13: "max_T"},
    probes=(
        Probe("a longer table of positions", (normal(B, T, C), normal(_MAX_T, C, seed=2))),
        Probe("as many positions as tokens", (normal(B, T, C, seed=3), normal(T, C, seed=4))),
        Probe("as many items as tokens", (normal(19, 19, C, seed=5), normal(23, C, seed=6))),
        Probe("as many items as positions", (normal(19, T, C, seed=15), normal(19, C, seed=16))),
        Probe("as many columns as tokens", (normal(B, 19, 19, seed=7), normal(23, 19, seed=8))),
        Probe("one item", (normal(1, T, C, seed=9), normal(_MAX_T, C, seed=10))),
        Probe("one token for each item", (normal(3, 1, C, seed=11), normal(_MAX_T, C, seed=12))),
        Probe("float64", (normal(B, T, C, seed=13).double(), normal(_MAX_T, C, seed=14).double())),
        Probe("a cube", (normal(19, 19, 19, seed=17), normal(19, 19, seed=18))),
    ),
    small=((round_numbers(1, 1, 2), 1 + round_numbers(1, 2)), (round_numbers(1, 2, 2), 1 + round_numbers(2, 2)),
           (round_numbers(1, 2, 2), 1 + round_numbers(3, 2)), (round_numbers(2, 2, 2), 1 + round_numbers(2, 2)),
           (round_numbers(2, 2, 2), 1 + round_numbers(3, 2))),
    misconceptions=(
        Misconception(
            "whole-table", "The whole table of positions was added; x may be shorter than the table.",
            "Take the first T rows: positions[:x.size(1)].",
            (_plus(lambda x, p: p), _plus(lambda x, p: p[None]), _plus(lambda x, p: p[:][None])), _added),
        Misconception(
            "whole-table-stretched", "The whole table of positions was to be stretched to the shape of x; x may be "
            "shorter than the table.",
            "expand stretches only axes of size 1: take positions[:T] first. (T, C) beside (B, T, C) then lines up by "
            "itself.",
            (_plus(lambda x, p: p.expand_as(x)), _plus(lambda x, p: p[None].expand_as(x)),
             _plus(lambda x, p: p.expand(len(x), x.size(1), -1)),
             _plus(lambda x, p: p[None].expand(len(x), x.size(1), -1)))),
        Misconception(
            "last-rows", "The last T rows of the table were added; token 0 stands at position 0.",
            "Take the first T rows: positions[:x.size(1)].",
            (_plus(lambda x, p: p[-x.size(1):]),), _added),
        Misconception(
            "wrong-size", "As many rows were taken as there are items, or columns; positions belong to tokens.",
            "In (B, T, C) the tokens are axis 1: x.size(1). len(x) and x.size(0) count the items.",
            (_plus(lambda x, p: p[:len(x)]), _plus(lambda x, p: p[:x.size(-1)])), _added),
        Misconception(
            "by-item", "Each item of the batch got one row, the same for all its tokens.",
            "Token t of every item gets row t. (T, C) beside (B, T, C) lines up by itself, aligned on the right.",
            (_plus(lambda x, p: p[:x.size(0)].unsqueeze(1)),), _added),
        Misconception(
            "axis-between", "The positions got an axis of size 1 in the middle, (T, 1, C), and so they run along the "
            "batch.",
            "(T, C) beside (B, T, C) lines up by itself; if you put in an axis, then in front: (1, T, C).",
            (_plus(lambda x, p: _first(x, p).unsqueeze(1)), _plus(lambda x, p: p[:, None])), _added),
        Misconception(
            "concatenated", "The positions were put behind the vectors, or behind the tokens, instead of added.",
            "Adding keeps the shape: x + ..., number by number.",
            (lambda x, p: torch.cat([x, _first(x, p).expand_as(x)], dim=-1),
             lambda x, p: torch.cat([x, _first(x, p).expand_as(x)], dim=1),
             lambda x, p: torch.cat([_first(x, p).expand_as(x), x], dim=-1),
             lambda x, p: torch.cat([x, p.expand(len(x), -1, -1)], dim=1),
             lambda x, p: torch.cat([x, _first(x, p)], dim=-1), lambda x, p: torch.cat([x, p], dim=-1),
             lambda x, p: torch.cat([x, _first(x, p)]), lambda x, p: torch.cat([x, p]),
             lambda x, p: torch.cat([x, p], dim=1), lambda x, p: torch.cat([x, _first(x, p)], dim=1),
             lambda x, p: torch.cat([x, _first(x, p)[None]]),
             lambda x, p: torch.cat([x, _first(x, p).expand_as(x)]))),
        Misconception(
            "multiplied", "The positions were multiplied with x instead of added.",
            "x + ..., number by number.",
            (lambda x, p: x * _first(x, p),), evidence.entry),
        Misconception(
            "subtracted", "The positions were subtracted instead of added.",
            "x + ..., number by number.",
            (lambda x, p: x - _first(x, p), lambda x, p: _first(x, p) - x), evidence.entry),
        Misconception(
            "scaled", "x, or the positions, were multiplied by, or divided by, the square root of C before adding.",
            "Here the two are added as they are. The paper's factor sqrt(C) belongs to the embedding.",
            (lambda x, p: x * math.sqrt(x.size(-1)) + _first(x, p),
             lambda x, p: x + _first(x, p) / math.sqrt(x.size(-1)),
             lambda x, p: x + _first(x, p) * math.sqrt(x.size(-1)),
             lambda x, p: x / math.sqrt(x.size(-1)) + _first(x, p),
             lambda x, p: (x + _first(x, p)) * math.sqrt(x.size(-1))), evidence.entry),
        Misconception(
            "one-row-for-all", "Every token got the same row of positions, so that no place differs from another.",
            "Token t gets row t: positions[:T] are T rows, one for each token.",
            (_plus(lambda x, p: p[0]), _plus(lambda x, p: p[:1]), _plus(lambda x, p: p[-1]),
             _plus(lambda x, p: p[x.size(1) - 1]), _plus(lambda x, p: p[x.size(1)]), _plus(lambda x, p: p[1])), _added),
        Misconception(
            "averaged", "The rows of positions were averaged or added up, and every token got the same numbers.",
            "Token t gets row t alone.",
            (_plus(lambda x, p: p.mean(0)), _plus(lambda x, p: _first(x, p).mean(0)), _plus(lambda x, p: p.sum(0)),
             _plus(lambda x, p: _first(x, p).sum(0))), evidence.entry),
        Misconception(
            "one-number-for-each-row", "Each row of positions shrank to one number before it was added.",
            "A row has C numbers, as a token has: they are added one to one.",
            (_plus(lambda x, p: _first(x, p).mean(-1, keepdim=True)), _plus(lambda x, p: _first(x, p)[:, :1]),
             _plus(lambda x, p: _first(x, p).sum(-1, keepdim=True))), evidence.entry),
        Misconception(
            "transposed", "Rows and columns of the table have changed places: what was added are its columns.",
            "Positions are the rows: positions[:T] takes rows, positions[:, :T] columns.",
            (_plus(lambda x, p: p.T), _plus(lambda x, p: p.T[:x.size(1)]), _plus(lambda x, p: p[:, :x.size(1)]),
             _plus(lambda x, p: p[:, :x.size(1)].T), _plus(lambda x, p: _first(x, p).T),
             _plus(lambda x, p: p[:x.size(1), :x.size(1)].T)), evidence.entry),
        Misconception(
            "positions-alone", "These are the positions; x is missing.",
            "x + ...: the result has the shape of x.",
            (_first, lambda x, p: _first(x, p).expand_as(x), lambda x, p: _first(x, p)[None], lambda x, p: p.clone(),
             lambda x, p: _first(x, p) + torch.zeros_like(x)), evidence.shape),
        Misconception(
            "nothing-added", "This is x as it came: no positions were added.",
            "x + ... gives a new tensor; keep it, and return it.",
            (lambda x, p: x.clone(), lambda x, p: x + 0 * _first(x, p)), _added),
        Misconception(
            "off-by-one", "The rows were moved by one: token 0 got row 1, or the last row.",
            "Token 0 stands at position 0: positions[:T] begins with row 0.",
            (_plus(lambda x, p: p[1:x.size(1) + 1]), _plus(lambda x, p: p.roll(-1, 0)[:x.size(1)]),
             _plus(lambda x, p: p.roll(1, 0)[:x.size(1)]), _plus(lambda x, p: _first(x, p).roll(1, 0)),
             _plus(lambda x, p: _first(x, p).roll(-1, 0)),
             _plus(lambda x, p: p[torch.arange(x.size(1)) - 1])), _added),
        Misconception(
            "reversed", "The rows were added in reverse order: the last token got row 0.",
            "Token t gets row t.",
            (_plus(lambda x, p: _first(x, p).flip(0)), _plus(lambda x, p: p.flip(0)[:x.size(1)])), _added),
        Misconception(
            "random-rows", "Rows were drawn at random: a place must have the same row in every text.",
            "Token t gets row t.",
            (_plus(lambda x, p: p[torch.randperm(len(p))[:x.size(1)]]),
             _plus(lambda x, p: p[torch.randint(len(p), x.shape[:2])]),
             _plus(lambda x, p: p[torch.randperm(x.size(1))]),
             _plus(lambda x, p: p[torch.randint(len(p), (x.size(1),))]),
             _plus(lambda x, p: p[torch.randint(0, len(p), (1,))])), _added),
        Misconception(
            "numbers-not-rows", "The numbers of the places, 0, 1, 2, ..., were added, not the rows that belong to "
            "them.",
            "positions has a row of C numbers for each place: positions[:T].",
            (_plus(lambda x, p: _numbers(x)), _plus(lambda x, p: _numbers(x, lambda t, x: t / len(t))),
             _plus(lambda x, p: _numbers(x, lambda t, x: t + 1))), evidence.entry),
        Misconception(
            "first-item-only", "Only the first item of the batch got its positions.",
            "Every item gets the same rows: x + positions[:T] stretches them over the batch.",
            (_into_copy(0), lambda x, p: x[0] + _first(x, p), lambda x, p: x[:1] + _first(x, p)), _added),
        Misconception(
            "one-token-only", "Only one token of each item got its position.",
            "If there is a loop: `return` inside it ends the function at once, and each round must write into the same "
            "tensor.",
            (_into_copy((slice(None), 0)), _into_copy((slice(None), -1)), lambda x, p: x[:, 0] + p[0],
             lambda x, p: x[:, :1] + p[:1]), _added),
        Misconception(
            "added-again", "The positions were added more than once.",
            "Once is enough. If there is a loop over the items: does each round add to the whole batch?",
            (_plus(lambda x, p: 2 * _first(x, p)), _plus(lambda x, p: len(x) * _first(x, p))), evidence.entry),
        Misconception(
            "halved", "The sum of x and positions was halved.",
            "Here the two are added, not averaged.",
            (lambda x, p: (x + _first(x, p)) / 2,), evidence.entry),
        Misconception(
            "extra-axis", "The numbers are right, but there is an extra axis of size 1.",
            "Both (T, C) and (1, T, C) line up with (B, T, C); one axis more than that adds an axis to the result.",
            (_plus(lambda x, p: _first(x, p)[None, None]), lambda x, p: x[None] + _first(x, p),
             lambda x, p: (x + _first(x, p)).unsqueeze(1), lambda x, p: x.unsqueeze(1) + _first(x, p))),
    ),
    hints=(
        "x has T tokens, the table max_T rows, and max_T may be larger. Which rows belong to x?",
        "positions[:T] has the shape (T, C). Beside (B, T, C) it is stretched over the batch by itself.",
        "x + positions[:x.size(1)]",
    ),
    laws=(laws.FINITE,
          Law("items-differ", _same_for_all_items,
              "(T, C) beside (B, T, C) is stretched over the batch by itself. x itself must come through as it is."),
          Law("other-rows", _rows_added, "Token t gets row t: print what you add, and its shape.")),
    after="The same word now has another vector at each place.",
)

EXERCISES = (ENCODE, EMBED, POSITIONS, ADD)
