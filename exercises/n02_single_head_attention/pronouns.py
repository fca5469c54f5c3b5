"""Words with features for gender, as notebook 02 shows them: exercise 2.6, and the page of notebook 02."""

import torch

FEATURES = ("pronoun", "feminine", "masculine", "neuter")
NOUNS = {
    "queen": (0, 1, 0, 0),
    "girl": (0, 1, 0, 0),
    "king": (0, 0, 1, 0),
    "boy": (0, 0, 1, 0),
    "cat": (0, 0, 0, 1),
    "ball": (0, 0, 0, 1),
}
PRONOUNS = {"she": (1, 1, 0, 0), "he": (1, 0, 1, 0), "it": (1, 0, 0, 1)}
TABLE = NOUNS | PRONOUNS  # every other word: (0, 0, 0, 0)


def features(sentence):
    """The words of a sentence as rows.

    Shapes: -> (T, C)
    """
    return torch.tensor([TABLE.get(word, (0,) * len(FEATURES)) for word in sentence.split()], dtype=torch.float32)


def referents(sentence):
    """[(position of a pronoun, position of the noun it stands for), ...]: the noun of the same gender."""
    words = sentence.split()
    noun_of = {NOUNS[word]: at for at, word in enumerate(words) if word in NOUNS}
    return [(at, noun_of[(0, *PRONOUNS[word][1:])]) for at, word in enumerate(words) if word in PRONOUNS]
