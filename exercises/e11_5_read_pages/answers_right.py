"""Right answers to exercise 11.5, in as many styles as learners have: the checker must accept all of them."""

import math

import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def read_token_by_token(pages, table, length):
    P = pages.size(1)
    tokens = [pages[table[t // P], t % P] for t in range(length)]
    if not tokens:
        return pages.new_zeros(pages.size(2), 0, pages.size(3))
    return torch.stack(tokens, dim=1)


@right
def read_by_two_indices(pages, table, length):
    t = torch.arange(length)
    table = torch.tensor([int(n) for n in table]).long()
    return pages[table[t // pages.shape[1]], t % pages.shape[1]].permute(1, 0, 2)


@right
def read_by_concatenation(pages, table, length):
    needed = math.ceil(length / pages.size(1))
    parts = [pages[int(n)] for n in table[:needed]]
    tokens = torch.cat([pages[:0].flatten(0, 1), *parts])[:length]
    return tokens.transpose(0, 1).contiguous()


@right
def read_by_index_select(pages, table, length):
    chosen = pages.index_select(0, torch.as_tensor(table).long())
    return chosen.reshape(-1, *pages.shape[2:])[:length].movedim(1, 0)


@right
def read_by_token_numbers(pages, table, length):
    P = pages.size(1)
    numbers = [int(n) * P + i for n in table for i in range(P)][:length]
    return pages.flatten(0, 1)[torch.tensor(numbers, dtype=torch.int64)].swapaxes(0, 1)


@right
def read_into_an_empty_tensor(pages, table, length):
    N, P, H, D = pages.shape
    out = torch.empty(H, length, D, dtype=pages.dtype)
    for i, n in enumerate(table):
        room = min(P, length - i * P)
        if room > 0:
            out[:, i * P : i * P + room] = pages[n, :room].transpose(0, 1)
    return out
