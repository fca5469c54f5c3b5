"""Wrong answers to exercise 1.1 in which one unknown word spoils more than its own id."""

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


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
