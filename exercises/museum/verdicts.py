"""The learner's verdicts, with a card for each, and a score. They are kept only as long as the kernel runs."""

from dataclasses import dataclass

from exercises.museum.exhibits import EXHIBITS, of
from exercises.museum.findings import TESTS
from feedback import markup

HEALTHY = "healthy"
_first = {}  # {exhibit: the kind of its first card}


@dataclass(frozen=True)
class Card:
    """The response to one verdict.

    kind    "right", "accused" (a healthy exhibit), "missed" (a broken one), "unproved" (by a test that does not show
            the bug), or "open"
    """

    number: int
    kind: str
    title: str
    paragraphs: tuple = ()
    code: str = ""

    def __repr__(self):
        code = [self.code] if self.code else []
        return "\n".join([f"{SIGNS[self.kind][1]} {self.title}", *(_plain(p) for p in self.paragraphs), *code])

    def html(self):
        color, sign, word = SIGNS[self.kind]
        parts = [markup.head(color, sign, word, self.title)]
        parts += [markup.paragraph(text, label, href) for label, text, href in self.paragraphs]
        parts += [markup.listing("The repair:", self.code)] if self.code else []
        return markup.box(color, "".join(parts))


SIGNS = {
    "right": (markup.GREEN, "✓", "right"),
    "accused": (markup.PINK, "✗", "wrongly accused"),
    "missed": (markup.ORANGE, "→", "look again"),
    "unproved": (markup.ORANGE, "→", "not proved"),
    "open": (markup.GRAY, "·", "open"),
}


@dataclass(frozen=True)
class Cards:
    """Several cards and the score."""

    cards: tuple
    last: str

    def __repr__(self):
        return "\n\n".join([*map(repr, self.cards), self.last])

    def _repr_mimebundle_(self, include=None, exclude=None):
        html = "".join(card.html() for card in self.cards) + markup.paragraph(self.last)
        return {"text/html": html, "text/plain": repr(self)}


def verdict(verdicts):
    """Give verdicts on exhibits: "healthy", or the name of a test that proves otherwise. Return cards and the score.

    verdicts    {1: "future", 2: "healthy", 3: ...}; an exhibit with ... is left open
    Errors: TypeError if it is not a dict, ValueError if there is no exhibit with a number
    """
    if not isinstance(verdicts, dict):
        raise TypeError(f'verdict takes a dict such as {{1: "future", 2: "healthy"}}, got {type(verdicts).__name__}')
    cards = tuple(_card(of(number).number, said) for number, said in verdicts.items())
    for card in cards:
        if card.kind != "open":
            _first.setdefault(card.number, card.kind)
    return Cards(cards, _score())


def score():
    """Score the first verdict on each exhibit: a point if it is right, minus one for a false accusation."""
    return Cards((), _score())


def _score():
    kinds = list(_first.values())
    right, accused = kinds.count("right"), kinds.count("accused")
    others = kinds.count("missed") + kinds.count("unproved")
    return (
        f"First verdicts: {right} right, {accused} healthy {'one' if accused == 1 else 'ones'} accused, {others} "
        f"missed or not proved. Score: {right - accused} of {len(EXHIBITS)}."
    )


def _card(number, said):
    exhibit, name = of(number), f"Exhibit {number}"
    if said is ...:
        return Card(number, "open", f'{name}: write `"healthy"`, or the name of the test that convicts it.')
    if said != HEALTHY and said not in TESTS:
        return Card(number, "open", f'{name}: {said!r} is no verdict: write "healthy", or one of {", ".join(TESTS)}.')
    if exhibit.because:
        kind = "right" if said == HEALTHY else "accused"
        return Card(number, kind, f"{name} is healthy.", (("Why", exhibit.because, ""),))
    if said == HEALTHY:
        text = "It breaks its promise. Which tests ask for what it promises, and what do they say?"
        return Card(number, "missed", f"{name} is not healthy.", (("", text, ""),))
    if said not in exhibit.tests + exhibit.silent:
        return Card(
            number,
            "unproved",
            f"{name} is not healthy, but this does not prove it.",
            (("", _why_not(number, said), ""),),
        )
    threads = tuple(("Thread", thread, address(thread)) for thread in exhibit.threads)
    told = ("Bug", exhibit.bug, ""), ("Where it stood", exhibit.story, ""), *threads
    if exhibit.exercise:
        told, repair = (*told, ("", f"Its repair is exercise {exhibit.exercise}.", "")), ""
    else:
        repair = "\n".join(f"- {broken}\n+ {right}" for broken, right in exhibit.repair)
    convicted = "convicted by" if said in exhibit.tests else "convicted by the silence of"
    return Card(number, "right", f"{name} is {convicted} `{said}`.", told, repair)


def _why_not(number, said):
    if said not in EXHIBITS[number].for_tests():
        return f"The test `{said}` does not apply to this exhibit. Which ones do?"
    return (
        f"Either `{said}` is silent here, or it asks for something that was not promised, or it complains about a "
        "consequence of something else. Read the promise once more, and the list of tests that complain."
    )


def address(thread):
    """Return the address of a thread; GitHub redirects from an issue's address to a pull request's."""
    repository, number = thread.split("#")
    return f"https://github.com/{repository}/issues/{number}"


def _plain(paragraph):
    label, text, href = paragraph
    return (f"{label}: " if label else "") + text + (f" ({href})" if href else "")
