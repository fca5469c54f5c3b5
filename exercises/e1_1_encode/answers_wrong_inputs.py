"""Wrong answers to exercise 1.1 that are right for most texts and vocabularies, and wrong for some."""

import unicodedata

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


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
