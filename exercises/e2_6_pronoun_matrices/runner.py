"""What pronouns read by the matrices that an answer to exercise 2.6 gives."""

import math

import torch

from exercises.common.pronouns import FEATURES, features, referents
from feedback.sandbox import ContractViolation


def weights_of_pronouns(attempt, sentence):
    """What each pronoun of a sentence reads, with the matrices that the learner's code gives.

    Shapes: -> (P, T), a row for each pronoun
    Errors: ContractViolation where these are not two matrices that fit the table
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
            "returns-wrong-type",
            "The pair (W_query, W_key) was expected: end with `return W_query, W_key`.",
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
            f"{name} should have shape (F, D) = ({len(FEATURES)}, D), a row for each feature, so that x @ {name} is "
            f"possible; got {tuple(matrix.shape)}."
            + (" It seems to be transposed, as the weight of an nn.Linear is." if turned else ""),
        )
    if matrix.is_complex() or matrix.dtype == torch.bool:
        raise ContractViolation("wrong-dtype", f"{name} should hold floats, got {matrix.dtype}.")
    return matrix.detach().float()
