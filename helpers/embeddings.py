"""Token embeddings, and positions that are added to them."""

import math

import torch
from torch import nn

from helpers import require


def embed(ids, table):
    """Take one row of the table for each id.

    Shapes: ids (...), whole numbers; table (V, C) -> (..., C)
    Errors: TypeError if ids are not whole numbers; ValueError if an id is not a row of the table
    Source: notebook 01
    """
    require.ids(ids, len(table))
    return table[ids.long()]  # (...) -> (..., C); .long(), since table[uint8] would be read as a mask


def sinusoidal_positions(length, d_model):
    """Give every position its own pattern of waves, from fast ones on the left to slow ones on the right.

    Shapes: -> (length, d_model), float32: even columns sin, odd columns cos
    Units:  position * 10000**(-i / d_model) in radians, i = 0, 2, 4, ...; entries between -1 and 1
    Errors: TypeError if a size is not a whole number; ValueError if one is below 1, or d_model is odd
    Source: Vaswani et al. 2017, section 3.5; notebook 01
    """
    require.sizes(length=length, d_model=d_model)
    require.even("each wave has a sine and a cosine column", d_model=d_model)
    # In float64: float32 would lose digits of 10000**x and of large angles, and the sine needs them.
    position = torch.arange(length, dtype=torch.float64)[:, None]  # (length, 1)
    frequency = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float64) * (-math.log(10000) / d_model))
    angle = position * frequency  # (length, 1) * (d_model / 2,) -> (length, d_model / 2)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2).float()  # sin and cos side by side


def add_positions(x, positions):
    """Add to each vector of x the row of the table for its position.

    Shapes: x (..., T, C), positions (max_T, C) with max_T >= T -> (..., T, C)
    Errors: TypeError if x is not floating; ValueError if x is longer than the table of positions, or of another width
    Source: notebook 01
    """
    T, rows = require.shapes("x ... T C, positions P C", x, positions)["T"], len(positions)
    if rows < T:
        raise ValueError(f"x has {T} positions, but there are only {rows} to add; shorten x, or make a longer table")
    return x + positions[:T]  # (..., T, C) + (T, C)


class TokenEmbedding(nn.Module):
    """A table with one trainable row for each token.

    Shapes: ids (..., T) -> (..., T, C)
    Units:  rows are multiplied by sqrt(d_model), as in the paper, so that they are at least as large as the positions
    Errors: TypeError or ValueError if ids are not rows of the table, or a size is not a whole number of at least 1
    Source: Vaswani et al. 2017, section 3.4; notebook 01
    """

    def __init__(self, vocabulary_size, d_model):
        super().__init__()
        require.sizes(vocabulary_size=vocabulary_size, d_model=d_model)
        self.table = nn.Parameter(torch.randn(vocabulary_size, d_model) / math.sqrt(d_model))

    def forward(self, ids):
        return embed(ids, self.table) * math.sqrt(self.table.size(-1))


class LearnedPositions(nn.Module):
    """Adds a trainable row for each position, as BERT does. There are no rows beyond context_length.

    Shapes: x (..., T, C), T <= context_length -> (..., T, C)
    Errors: ValueError if x is longer than context_length
    Source: Devlin et al. 2019, section 3; notebook 01
    """

    def __init__(self, context_length, d_model):
        super().__init__()
        require.sizes(context_length=context_length, d_model=d_model)
        self.positions = nn.Parameter(0.02 * torch.randn(context_length, d_model))

    def forward(self, x):
        return add_positions(x, self.positions)
