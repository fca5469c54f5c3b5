"""Right answers to exercise 3.4, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import numpy as np
import torch
import torch.nn.functional as F

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def padding_by_comparing_positions(lengths, max_length):
    return (torch.arange(max_length) < lengths[:, None])[:, None, :]


@right
def padding_with_three_axes_at_once(lengths, max_length):
    return torch.arange(max_length)[None, None, :] < lengths[:, None, None]


@right
def padding_by_views(lengths, max_length):
    return torch.arange(max_length).view(1, 1, -1).lt(lengths.view(-1, 1, 1))


@right
def padding_by_writing_into_zeros(lengths, max_length):
    mask = torch.zeros(len(lengths), 1, max_length, dtype=torch.bool)
    for i, length in enumerate(lengths):
        mask[i, 0, :length] = True
    return mask


@right
def padding_by_nested_lists(lengths, max_length):
    return torch.tensor([[[key < length for key in range(max_length)]] for length in lengths.tolist()])


@right
def padding_by_stacked_pieces(lengths, max_length):
    rows = []
    for length in lengths:
        real = torch.ones(length, dtype=torch.bool)
        rows.append(torch.cat([real, torch.zeros(max_length - length, dtype=torch.bool)]))
    return torch.stack(rows).unsqueeze(1)


@right
def padding_by_negated_greater_equal(lengths, max_length):
    padded = torch.arange(max_length).expand(len(lengths), -1) >= lengths.unsqueeze(-1)
    return ~padded.unsqueeze(1)


@right
def padding_by_numpy(lengths, max_length):
    real = np.arange(max_length)[None, :] < lengths.numpy()[:, None]
    return torch.from_numpy(real[:, None, :])


@right
def padding_by_padding_ones(lengths, max_length):
    rows = [F.pad(torch.ones(n), (0, max_length - n)) for n in lengths.tolist()]
    return torch.stack(rows).bool()[:, None]


@right
def padding_by_rows_of_a_triangle(lengths, max_length):
    triangle = torch.ones(max_length + 1, max_length).tril(-1).bool()
    return triangle[lengths.long()].reshape(-1, 1, max_length)


@right
def padding_by_counting_down(lengths, max_length):
    remaining = lengths.reshape(-1, 1, 1) - torch.arange(max_length)
    return remaining > 0


@right
def padding_by_cumulated_ones(lengths, max_length):
    places = torch.ones(lengths.shape[0], 1, max_length, dtype=torch.long).cumsum(dim=-1)
    mask = places <= lengths[:, None, None]
    print(mask.sum(-1))
    return mask


@right
def padding_token_by_token(lengths, max_length, pad=False):
    batch = lengths.size(0)
    mask = torch.full((batch, 1, max_length), not pad)
    for item in range(batch):
        for position in range(max_length):
            if position >= lengths[item].item():
                mask[item, 0, position] = pad
    return mask


right(lambda lengths, max_length: (lengths[:, None] > torch.arange(max_length)).unsqueeze(-2))
