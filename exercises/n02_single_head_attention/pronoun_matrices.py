"""pronoun_matrices: the reference, its words and test cases; the page next to it says the rest."""

import math

import torch

from exercises.common.inputs import AXES
from feedback import FunctionRunner, Property, SummaryComparison, TestCase
from feedback.format import number
from feedback.page_exercise import exercise
from feedback.sandbox import ContractViolation


def pronoun_matrices():
    """Set W_query and W_key by hand: a pronoun asks for its gender, a noun answers with its own.

    Shapes: -> W_query (C, D), W_key (C, D), for features pronoun, feminine, masculine, neuter: C = 4, here D = 3
    """
    # D = 3 questions: feminine? masculine? neuter?
    W_query = torch.tensor([[0.0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3]])
    W_key = torch.tensor([[-3.0, -3, -3], [3, 0, 0], [0, 3, 0], [0, 0, 3]])  # a pronoun takes its answer back
    return W_query, W_key


# ---------------------------------------------------------------- words with features for gender, as in notebook 02

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
    """Return the words of a sentence as rows, (T, C)."""
    return torch.tensor([TABLE.get(word, (0,) * len(FEATURES)) for word in sentence.split()], dtype=torch.float32)


def referents(sentence):
    """Return [(position of a pronoun, position of its noun), ...]; its noun is the one of the same gender."""
    words = sentence.split()
    noun_of = {NOUNS[word]: at for at, word in enumerate(words) if word in NOUNS}
    return [(at, noun_of[(0, *PRONOUNS[word][1:])]) for at, word in enumerate(words) if word in PRONOUNS]


# ---------------------------------------------------------------- what pronouns read

ENOUGH = 0.9


def worst_pronoun(case):
    """Return (row, position, noun's position) of the pronoun whose noun gets the least weight."""
    pairs = referents(case.args[0])
    row = min(range(len(pairs)), key=lambda at: float(case.actual[at, pairs[at][1]].nan_to_num(-1)))
    return row, *pairs[row]


def what_a_pronoun_reads(case):
    """Say how much weight the worst pronoun puts on its noun, and on what it reads instead."""
    words = case.args[0].split()
    row, pronoun, noun = worst_pronoun(case)
    weights = case.actual[row]
    most = max((at for at in range(len(words)) if at != noun), key=lambda at: float(weights[at]))
    word = "itself" if most == pronoun else f'"{words[most]}"'
    return (
        f'"{words[pronoun]}" puts {number(weights[noun])} of its weight on "{words[noun]}", and '
        f"{number(weights[most])} on {word}; at least {ENOUGH} should be on the noun it stands for"
    )


@Property.named("not-finite", "Entries of 3 or 4 are large enough.")
def not_finite(case):
    if case.actual.isfinite().all():
        return None
    return f'In "{case.args[0]}", the weights are not finite: your entries are too large, or hold inf or NaN.'


@Property.named(
    "not-its-noun",
    "Compute the scores of this pronoun by hand: its query times the key of its noun, and times the keys of other "
    "words. Which entry must change, or become larger?",
)
def not_its_noun(case):
    row, _, noun = worst_pronoun(case)
    if case.actual[row, noun] >= ENOUGH:
        return None
    return f'In "{case.args[0]}", {what_a_pronoun_reads(case)}.'


def weights_of_pronouns(attempt, sentence):
    """Return the weights of each pronoun in a sentence, with the matrices from the learner's code.

    Shapes: -> (P, T), a row for each pronoun
    Errors: ContractViolation if these are not two matrices that fit the table
    """
    W_query, W_key = _matrices(attempt())
    x = features(sentence)
    q, k = x @ W_query, x @ W_key
    weights = (q @ k.T / math.sqrt(q.size(-1))).softmax(-1)
    return weights[[pronoun for pronoun, _ in referents(sentence)]]


def _matrices(returned):
    if returned is None:
        raise ContractViolation("returns-none", "Your code returned None; the pair (W_query, W_key) was expected.")
    if not isinstance(returned, tuple) or len(returned) != 2:
        raise ContractViolation(
            "returns-wrong-type", "The pair (W_query, W_key) was expected: end with `return W_query, W_key`."
        )
    W_query, W_key = (_matrix(*part) for part in zip(("W_query", "W_key"), returned, strict=True))
    if W_query.size(1) != W_key.size(1):
        raise ContractViolation(
            "wrong-shape",
            f"W_query has {W_query.size(1)} columns and W_key {W_key.size(1)}: a query and a key must have equally "
            "many numbers, D, or there is no dot product.",
        )
    return W_query, W_key


def _matrix(name, matrix):
    if not isinstance(matrix, torch.Tensor):
        raise ContractViolation(
            "returns-wrong-type",
            f"{name} is of type {type(matrix).__name__}; a tensor was expected: torch.tensor(rows), with a row for "
            "each feature.",
        )
    if matrix.dim() != 2 or matrix.size(0) != len(FEATURES) or matrix.size(1) < 1:
        turned = matrix.dim() == 2 and matrix.size(1) == len(FEATURES)
        raise ContractViolation(
            "transposed" if turned else "wrong-shape",
            f"{name} should have shape (C, D) = ({len(FEATURES)}, D), a row for each feature, so that x @ {name} is "
            f"possible; got {tuple(matrix.shape)}."
            + (" It seems to be transposed, as the weight of an nn.Linear is." if turned else ""),
        )
    if matrix.is_complex() or matrix.dtype == torch.bool:
        raise ContractViolation("wrong-dtype", f"{name} should hold floats, got {matrix.dtype}.")
    return matrix.detach().float()


def what_is_read(args, weights):
    """Return what each pronoun reads: 1 at its noun if that gets ENOUGH, else 0.5 at all words that get the most."""
    rows = []
    for row, (_, noun) in zip(weights.nan_to_num(0.0), referents(*args), strict=True):
        most = 0.5 * (row > 0.9 * row.max()).float()
        rows.append(torch.eye(len(row))[noun] if row[noun] >= ENOUGH else most)
    return torch.stack(rows)


TAKES_NOTHING = "`pronoun_matrices()` takes no arguments; its two matrices are then applied to sentences."
SENTENCES = (  # of at most 10 words, as the exercise says, with one noun for each pronoun
    "the king threw the ball and it flew",
    "the queen called and the boy said that he heard",
    "the boy gave the queen the cat and she smiled",
    "he slept because the boy was tired",
    "she said that he saw the girl and the king",
    "he saw it before the cat saw the king",
    "the cat woke the king and he said it snored",
    "the king and the boy saw the ball and it",
    "the queen and the girl saw the ball and it",
    "she said that the queen was here today and smiled",
)

EXERCISE = exercise(
    pronoun_matrices,
    returns=("weights",),
    runner=FunctionRunner(weights_of_pronouns, ("sentence",), lambda args: TAKES_NOTHING),
    comparison=SummaryComparison(what_is_read),
    axis_names=AXES,
    cases=tuple(TestCase(sentence, (sentence,)) for sentence in SENTENCES),
    minimal_inputs=(
        ("she saw the queen",),
        ("he saw the queen and the boy",),
        ("the girl said that she saw the boy and he",),
    ),
    properties=(not_finite, not_its_noun),
)
