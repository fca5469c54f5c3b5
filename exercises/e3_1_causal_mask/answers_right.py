"""Right answers to exercise 3.1, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import numpy as np
import torch
import torch.nn as nn

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def causal_by_tril_of_bool_ones(length):
    return torch.tril(torch.ones(length, length, dtype=torch.bool))


@right
def causal_by_tril_then_bool(length):
    return torch.ones((length, length)).tril().bool()


@right
def causal_by_not_triu(length):
    return ~torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


@right
def causal_by_triu_equal_to_zero(length):
    return torch.triu(torch.ones(length, length), 1) == 0


@right
def causal_by_comparing_positions(length):
    positions = torch.arange(length)
    return positions[:, None] >= positions[None, :]


@right
def causal_by_two_loops(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for query in range(length):
        for key in range(query + 1):
            mask[query, key] = True
    return mask


@right
def causal_by_filling_rows(length, device=None):
    mask = torch.full((length, length), False, device=device)
    for i in range(length):
        mask[i, : i + 1] = True
    return mask


@right
def causal_by_nested_lists(length):
    return torch.tensor([[key <= query for key in range(length)] for query in range(length)])


@right
def causal_by_numpy_tri(length):
    return torch.from_numpy(np.tri(length, dtype=bool))


@right
def causal_by_transposed_triu(length):
    return torch.ones(length, length).triu().T > 0


@right
def causal_by_cumulated_identity(length):
    return torch.eye(length, dtype=torch.int64).flip(1).cumsum(dim=1).flip(1).to(torch.bool)


@right
def causal_by_indices(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    rows, columns = torch.tril_indices(length, length)
    mask[rows, columns] = True
    return mask


@right
def causal_by_pytorchs_own_float_mask(length):
    return nn.Transformer.generate_square_subsequent_mask(length) == 0


@right
def causal_by_meshgrid_and_printing(length):
    rows, columns = torch.meshgrid(torch.arange(length), torch.arange(length), indexing="ij")
    mask = columns <= rows
    print(mask.int())
    return mask


right(lambda length: torch.ones(length, length).tril() != 0)
