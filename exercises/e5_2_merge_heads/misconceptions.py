"""What people get wrong in exercise 5.2, merge_heads."""

import torch

from exercises.common import explainers
from exercises.common.heads import (
    _row,
)
from exercises.common.multi_head import (
    interleaved_back,
    rows_from_memory,
)
from feedback import Misconception
from helpers.heads import merge_heads


def _after(*axes):
    """Other axes transposed, then the right shape."""
    return lambda x: x.transpose(*axes).reshape(x.size(0), x.size(2), -1)


MISCONCEPTIONS = (
        Misconception(
            "not-transposed-back", "The shape is right, but it was made by view or reshape alone. In memory all rows "
            "of head 0 come first, so your row 0 holds several positions of head 0, not all heads of position 0.",
            "The heads of one position must become neighbours first: (B, H, T, D) to (B, T, H, D). Then join the last "
            "two axes.",
            (rows_from_memory,), _row),
        Misconception(
            "not-contiguous", "The transpose is right. After it the numbers no longer lie in memory in the order in "
            "which they are to be read, and view, which never moves a number, refuses.",
            "Keep the transpose, and write reshape(...), flatten(-2) or contiguous().view(...): these make a copy in "
            "the new order. (Without the transpose view would run, and mix up the positions.)",
            (lambda x: x.transpose(1, 2).view(x.size(0), x.size(2), -1),)),
        Misconception(
            "only-transposed", "Heads and positions have changed places, but the heads are not joined yet: "
            "(B, T, H, D).",
            "Join the last two axes: flatten(-2), or reshape(B, T, H * D).",
            (lambda x: x.transpose(1, 2),), explainers.shape),
        Misconception(
            "interleaved", "The heads take turns within a row: first feature 0 of every head, then feature 1, and so "
            "on.",
            "Before the last two axes are joined they must be (H, D) in this order: (B, T, H, D).",
            (interleaved_back, lambda x: torch.stack(x.unbind(1), dim=-1).flatten(-2)), _row),
        Misconception(
            "wrong-axes", "Other axes than heads and positions have changed places; the reshape then gave the right "
            "shape to the wrong order.",
            "The axes are (B, H, T, D), counted 0, 1, 2, 3: it is 1 and 2 that change places.",
            (_after(2, 3), _after(1, 3), _after(0, 1), _after(0, 2)), _row),
        Misconception(
            "other-axes", "Other axes than heads and positions have changed places.",
            "The axes are (B, H, T, D), counted 0, 1, 2, 3: exchange 1 and 2, then join the last two. (The notebook's "
            "figure has no batch: there the heads are axis 0.)",
            (lambda x: x.transpose(0, 1).flatten(-2), lambda x: x.transpose(0, 1),
             lambda x: x.transpose(1, 3).flatten(-2), lambda x: x.transpose(0, 2).flatten(-2)), explainers.shape),
        Misconception(
            "joined-first", "Axes were joined before heads and positions changed places: what meets then are the "
            "positions of one head, not the heads of one position.",
            "Transpose first, (B, H, T, D) to (B, T, H, D). Then join the last two axes.",
            (lambda x: x.flatten(2).transpose(1, 2),
             lambda x: x.flatten(1, 2).transpose(1, 2), lambda x: x.flatten(1, 2).transpose(0, 1),
             lambda x: x.reshape(x.size(0), -1, x.size(2)).transpose(1, 2)), _row),
        Misconception(
            "heads-along-positions", "The heads were put one below the other along the positions, not side by side.",
            "Heads of one position belong in one row: join H with D, the features. With cat that is dim=-1.",
            (lambda x: x.flatten(1, 2), lambda x: x.transpose(1, 2).flatten(1, 2)), explainers.shape),
        Misconception(
            "positions-in-features", "Positions and features were joined: (B, H, T * D). The heads still stand apart.",
            "Join heads and features: first (B, H, T, D) to (B, T, H, D), then the last two axes.",
            (lambda x: x.flatten(2), lambda x: x.transpose(2, 3).flatten(2)), explainers.shape),
        Misconception(
            "heads-in-batch", "The heads were joined with the batch.",
            "The batch stays as it is; heads and features are joined.",
            (lambda x: x.flatten(0, 1), lambda x: torch.cat(x.unbind(1))), explainers.shape),
        Misconception(
            "positions-in-batch", "The heads are side by side, but the batch and the positions were joined into one "
            "axis.",
            "Keep both: (B, T, C).",
            (lambda x: merge_heads(x).flatten(0, 1),), explainers.shape),
        Misconception(
            "summed", "The heads were added up.", "Put them side by side: D features of each head make C = H * D.",
            (lambda x: x.sum(1),), explainers.shape),
        Misconception(
            "averaged", "The heads were averaged.", "Put them side by side: D features of each head make C = H * D.",
            (lambda x: x.mean(1),), explainers.shape),
        Misconception(
            "one-head-only", "Only one head came back.",
            "All heads belong side by side: D features of each make C = H * D.",
            (lambda x: x[:, 0], lambda x: x[:, -1]), explainers.shape),
        Misconception(
            "positions-last", "Positions and features have changed places: (B, C, T).",
            "The last axis holds the C features of one position.",
            (lambda x: x.transpose(2, 3).flatten(1, 2), lambda x: interleaved_back(x).transpose(1, 2)),
            explainers.shape),
        Misconception(
            "batch-second", "The positions stand before the batch: (T, B, C).",
            "The batch stays in front: (B, T, C).",
            (lambda x: merge_heads(x).transpose(0, 1), lambda x: x.permute(2, 0, 1, 3).flatten(2)), explainers.shape),
        Misconception(
            "heads-reversed", "The heads are side by side, the last one first.",
            "Head 0 comes first in the row.",
            (lambda x: merge_heads(x.flip(1)),), _row),
        Misconception(
            "unchanged", "x came back as it was: nothing was joined.",
            "transpose, flatten and reshape return a new tensor; keep what they return.", lambda x: x, explainers.shape),
)
