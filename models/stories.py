"""Small stories in which earlier words have to be read back, told by a grammar that knows how predictable each word is.

Three people each get a place, something to do and something to like; then more sentences about them follow:

    In Lima Mia loves beans. Mia wears white scarves. In Quito Ray craves soup. Ray builds black boats. In Paris Ida
    likes eggs. Ida rides blue bikes. Mia wears white scarves. In Quito Ray builds black boats. Ida likes eggs. ...

A person's opening is `In PLACE NAME` and the two sentences `NAME ACTION COLOR THING` and `NAME LIKING FOOD` in either
order. All names, places, actions, colors, likings and foods of a story differ, and an action goes with two things.
Every later sentence draws one of the three people, begins with `In PLACE` or not, and says one of the two sentences.
There is no last sentence, so a story can have any length.

The kinds of words, and how each is drawn:

    new      a new word in the opening: uniformly from those that are left
    start    how a later sentence begins: `In` 1/2, or each name 1/6
    place    the place after a later `In`: 1/3 each
    verb     which of the person's two sentences: 1/2 each, once both verbs are read back
    again    the person of the sentence before, in the opening: certain, once it is read back
    name     the person whose place it is, after a later `In PLACE`: certain, once it is read back
    color    of the action: certain, once it is read back
    thing    of that color: certain, once it is read back
    food     of the liking: certain, once it is read back
    fixed    certain from the grammar alone: the full stops, and `In` in the opening

So the best possible loss is known for each word: -log of the probability with which the grammar drew it. A model that
knows which words are in the story, but not which comes next, has a loss of log 3 where a word has to be read back.
"""

import math
import random
from typing import NamedTuple

import torch

NAMES = ["Mia", "Tom", "Ana", "Ben", "Ida", "Leo", "Zoe", "Max", "Una", "Sam", "Eva", "Jon", "Kim", "Ray", "Liv", "Pip"]
PLACES = ["Oslo", "Rome", "Paris", "Lima", "Cairo", "Delhi", "Kyoto", "Quito"]
ACTIONS = {
    "flies": ("kites", "drones"),
    "throws": ("balls", "rings"),
    "wears": ("hats", "scarves"),
    "reads": ("books", "maps"),
    "rides": ("bikes", "ponies"),
    "plays": ("drums", "flutes"),
    "bakes": ("cakes", "pies"),
    "builds": ("boats", "towers"),
}
COLORS = ["red", "blue", "green", "black", "white", "pink", "brown", "yellow"]
THINGS = [thing for things in ACTIONS.values() for thing in things]
LIKINGS = ["likes", "loves", "adores", "enjoys", "craves", "eats", "wants", "misses"]
FOODS = ["plums", "nuts", "figs", "rice", "soup", "eggs", "corn", "beans"]

PAD, START = "<pad>", "<start>"
WORDS = [PAD, START, ".", "In", *NAMES, *PLACES, *ACTIONS, *COLORS, *THINGS, *LIKINGS, *FOODS]
VOCABULARY = {word: id for id, word in enumerate(WORDS)}
PAD_ID, START_ID = VOCABULARY[PAD], VOCABULARY[START]

PEOPLE = 3
KINDS = ("new", "start", "place", "verb", "again", "name", "color", "thing", "food", "fixed")
READ_BACK = ("again", "name", "color", "thing", "food")


class Word(NamedTuple):
    """A word of a story, its kind, and the probability with which the grammar drew it."""

    text: str
    kind: str
    probability: float = 1.0


class Person(NamedTuple):
    """One of the people of a story."""

    name: str
    place: str
    action: str
    color: str
    thing: str
    liking: str
    food: str

    def does(self, verb=0.5, new=None):
        """The words after the name in `Mia flies red kites.`, with the probabilities of the verb and of new words."""
        if new is None:
            words = [Word(self.action, "verb", verb), Word(self.color, "color"), Word(self.thing, "thing")]
        else:
            words = [Word(self.action, "new", verb), Word(self.color, "new", new), Word(self.thing, "new", 0.5)]
        return [*words, Word(".", "fixed")]

    def likes(self, verb=0.5, new=None):
        """The words after the name in `Mia adores plums.`, with the probabilities of the verb and of new words."""
        if new is None:
            words = [Word(self.liking, "verb", verb), Word(self.food, "food")]
        else:
            words = [Word(self.liking, "new", verb), Word(self.food, "new", new)]
        return [*words, Word(".", "fixed")]


def tell(draw, length=64):
    """A story of `length` words, the first of which is <start>; the last sentence may be cut off.

    Shapes: draw, a random.Random -> list of Word
    Errors: TypeError if draw is not a random.Random; ValueError if the length is below 1
    Source: notebook 08
    """
    if not isinstance(draw, random.Random):
        raise TypeError(f"draw must be a random.Random, got {type(draw).__name__}; random.Random(0) begins at a seed")
    if length < 1:
        raise ValueError(f"length must be at least 1, got {length}")
    people = _people(draw)
    words = [Word(START, "fixed")]
    for i, person in enumerate(people):
        words += _opening(person, i, draw)
    while len(words) < length:
        words += _later(draw.choice(people), draw)
    return words[:length]


def _people(draw):
    """Three people who have nothing in common."""
    columns = [draw.sample(words, PEOPLE) for words in (NAMES, PLACES, list(ACTIONS), COLORS, LIKINGS, FOODS)]
    return [
        Person(name, place, action, color, draw.choice(ACTIONS[action]), liking, food)
        for name, place, action, color, liking, food in zip(*columns, strict=True)
    ]


def _opening(person, number, draw):
    """The two sentences that introduce a person: the first says where they are, and the second begins with the name."""
    left = 1 / (len(PLACES) - number)  # places, actions, colors, likings and foods all start out as eight
    words = [Word("In", "fixed"), Word(person.place, "new", left), Word(person.name, "new", 1 / (len(NAMES) - number))]
    first, second = (person.does, person.likes) if draw.random() < 0.5 else (person.likes, person.does)
    words += first(left / 2, left)  # either sentence may come first, so the verb is one of twice as many
    return [*words, Word(person.name, "again"), *second(left, left)]


def _later(person, draw):
    """A sentence in which everything has to be read back."""
    if draw.random() < 0.5:
        words = [Word("In", "start", 0.5), Word(person.place, "place", 1 / PEOPLE), Word(person.name, "name")]
    else:
        words = [Word(person.name, "start", 0.5 / PEOPLE)]
    return words + (person.does() if draw.random() < 0.5 else person.likes())


class Batch(NamedTuple):
    """Stories as tensors.

    Shapes: ids (B, T); kinds (B, T), numbers of KINDS; best (B, T), the best possible loss of each word, in nats
    """

    ids: torch.Tensor
    kinds: torch.Tensor
    best: torch.Tensor


def batch(draw, size, length=64):
    """`size` stories of `length` words.

    Shapes: draw, a random.Random -> Batch
    Errors: as `tell`
    Source: notebook 08
    """
    stories = [tell(draw, length) for _ in range(size)]
    return Batch(
        torch.tensor([[VOCABULARY[word.text] for word in story] for story in stories]),
        torch.tensor([[KINDS.index(word.kind) for word in story] for story in stories]),
        torch.tensor([[-math.log(word.probability) for word in story] for story in stories]),
    )


def mean_by_kind(numbers, kinds):
    """The mean over all words that are predicted, and over those of each kind.

    Shapes: numbers (B, T - 1), such as `token_losses(logits, ids)`; kinds (B, T) -> {"all" or a kind: float}
    Errors: ValueError if they do not fit
    Source: notebook 08
    """
    predicted = kinds[:, 1:]  # <start> is given
    if numbers.shape != predicted.shape:
        raise ValueError(
            f"numbers must be (B, T - 1) for kinds (B, T), got {tuple(numbers.shape)} and {tuple(kinds.shape)}; "
            "of one number for each word, leave out the first: numbers[:, 1:]"
        )
    numbers, found = numbers.float(), {"all": numbers.float().mean().item()}
    for i, kind in enumerate(KINDS):
        if (predicted == i).any():
            found[kind] = numbers[predicted == i].mean().item()
    return found


def encode(text):
    """The ids of a text, <start> first; case does not matter.

    Shapes: text with T words and full stops -> list of T + 1 ints
    Errors: ValueError names the first word that no story has
    Source: notebook 08
    """
    known = {word.lower(): id for word, id in VOCABULARY.items()}
    ids = [START_ID]
    for word in text.replace(".", " . ").split():
        if word.lower() not in known:
            raise ValueError(
                f"a story has only the {len(WORDS)} words of stories.WORDS, got {word!r}; take one of them"
            )
        ids.append(known[word.lower()])
    return ids


def decode(ids):
    """The text of ids, without <start> and <pad>.

    Shapes: T ints or a tensor (T,) -> str
    Errors: ValueError if an id is not in the vocabulary
    Source: notebook 08
    """
    ids = ids.tolist() if isinstance(ids, torch.Tensor) else list(ids)
    for id in ids:
        if not 0 <= id < len(WORDS):
            raise ValueError(f"ids must lie between 0 and {len(WORDS) - 1}, got {id}")
    return " ".join(WORDS[id] for id in ids if id not in (PAD_ID, START_ID)).replace(" .", ".")
