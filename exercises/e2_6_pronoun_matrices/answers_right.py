"""Right answers to exercise 2.6, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504 - naming a result before returning it is a style that must pass

import math

import numpy as np
import torch
from torch import nn

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def matrices_as_tables():
    W_query = torch.tensor([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]])
    W_key = torch.tensor([[-4.0, -4.0, -4.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]])
    return W_query, W_key


@right
def matrices_of_four_columns():
    W_query = 10 * torch.eye(4)
    W_query[0, 0] = 0
    W_query[0, 3] = 0
    W_key = torch.eye(4)
    W_key[0] = -1
    return W_query, W_key


@right
def matrices_of_whole_numbers():
    W_query = torch.tensor([[0, 0, 0], [5, 0, 0], [0, 5, 0], [0, 0, 5]])
    W_key = torch.tensor([[-9, -9, -9], [3, 0, 0], [0, 3, 0], [0, 0, 3]])
    return W_query, W_key


@right
def matrices_filled_by_index():
    W_query, W_key = torch.zeros(4, 3), torch.zeros(4, 3)
    for gender in range(3):
        W_query[gender + 1, gender] = 6
        W_key[gender + 1, gender] = 2
        W_key[0, gender] = -6
    return W_query, W_key


@right
def matrices_scaled_by_the_root():
    size = math.sqrt(8 * math.sqrt(3))
    genders = torch.cat([torch.zeros(1, 3), torch.eye(3)])
    W_key = genders.clone()
    W_key[0] -= 1
    return size * genders, size * W_key


@right
def matrices_with_a_question_for_nouns():
    W_query = torch.tensor([[6.0, 0, 0, 0], [0, 6, 0, 0], [0, 0, 6, 0], [0, 0, 0, 6]])
    W_key = torch.tensor([[-8.0, 0, 0, 0], [0, 4, 0, 0], [0, 0, 4, 0], [0, 0, 0, 4]])
    return W_query, W_key


@right
def matrices_in_the_plane():
    angles = torch.tensor([0, 2 * math.pi / 3, 4 * math.pi / 3])
    directions = torch.stack([angles.cos(), angles.sin()], dim=1)
    query = torch.cat([torch.zeros(1, 2), 10 * directions])
    query = torch.cat([query, torch.tensor([[10.0], [0], [0], [0]])], dim=1)
    key = torch.cat([torch.zeros(1, 2), 2 * directions])
    key = torch.cat([key, torch.tensor([[-5.0], [0], [0], [0]])], dim=1)
    return query, key


@right
def matrices_by_numpy():
    genders = np.eye(4)[:, 1:]
    key = genders - np.eye(4)[:, :1]
    return torch.from_numpy(20 * genders), torch.from_numpy(key)


@right
def matrices_as_parameters():
    linear_q, linear_k = nn.Linear(4, 3, bias=False), nn.Linear(4, 3, bias=False)
    with torch.no_grad():
        linear_q.weight.copy_(torch.tensor([[0.0, 5, 0, 0], [0, 0, 5, 0], [0, 0, 0, 5]]))
        linear_k.weight.copy_(torch.tensor([[-5.0, 5, 0, 0], [-5, 0, 5, 0], [-5, 0, 0, 5]]))
    return linear_q.weight.T, linear_k.weight.T


@right
def matrices_with_the_pronoun_asking_everything():
    W_query = torch.tensor([[-1.0, -1, -1], [8, 0, 0], [0, 8, 0], [0, 0, 8]])
    W_key = torch.tensor([[-3.0, -3, -3], [3, 0, 0], [0, 3, 0], [0, 0, 3]])
    print(W_query @ W_key.T)
    return W_query, W_key


@right
def matrices_of_one_table():
    pairs = torch.tensor([[-20.0, 0, 0, 0], [0, 20, 0, 0], [0, 0, 20, 0], [0, 0, 0, 20]])  # who asks, who answers
    return pairs, torch.eye(4)


@right
def matrices_of_threes_in_four_columns():
    W_query, W_key = 3 * torch.eye(4), 3 * torch.eye(4)
    W_query[0] = 0
    W_key[0] = torch.tensor([0.0, -3, -3, -3])
    return W_query, W_key
