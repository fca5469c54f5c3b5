"""The course's own answer to exercise 2.6."""

import torch


def pronoun_matrices():
    """Set W_query and W_key by hand: a pronoun asks for its gender, a noun answers with its own.

    Shapes: -> W_query (F, D), W_key (F, D), for features pronoun, feminine, masculine, neuter: F = 4, here D = 3
    """
    # D = 3 questions: feminine? masculine? neuter?
    W_query = torch.tensor([[0.0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3]])
    W_key = torch.tensor([[-3.0, -3, -3], [3, 0, 0], [0, 3, 0], [0, 0, 3]])  # a pronoun takes its answer back
    return W_query, W_key
