"""What people get wrong in exercise 5.1, split_heads."""

import torch

from exercises.common import explainers
from exercises.common.heads import (
    _row,
)
from exercises.common.multi_head import (
    interleaved,
    uncut,
    viewed,
)
from feedback import Misconception
from helpers.heads import split_heads


def _slices(x, starts, width):
    """Heads from slices that may overlap or stop early."""
    return torch.stack([x[..., start:start + width] for start in starts], dim=1)


MISCONCEPTIONS = (
        Misconception(
            "viewed", "The shape is right, but it was made by view or reshape where axes have to change places. The "
            "numbers stay in their old order and are only counted off anew, so a head holds pieces of other positions "
            "than its rows say.",
            "Two steps: cut the last axis alone, (B, T, C) to (B, T, H, D), then let T and H change places with "
            "transpose.",
            (viewed, lambda x, h: x.reshape(h, x.size(0), x.size(1), -1).transpose(0, 1),
             lambda x, h: x.reshape(x.size(0), h, -1, x.size(1)).transpose(2, 3),
             lambda x, h: x.reshape(x.size(0), -1, h, x.size(1)).permute(0, 2, 3, 1),
             lambda x, h: x.reshape(x.size(1), x.size(0), h, -1).permute(1, 2, 0, 3)), _row),
        Misconception(
            "transposed-first", "Positions and features changed places before the features were cut into heads.",
            "Cut first, while the features are the last axis: (B, T, C) to (B, T, H, D). Then transpose.",
            (lambda x, h: x.transpose(1, 2).reshape(x.size(0), h, x.size(1), -1),
             lambda x, h: x.transpose(1, 2).view(x.size(0), h, x.size(1), -1)), _row),
        Misconception(
            "not-transposed", "The features are cut rightly, but the positions still stand before the heads: "
            "(B, T, H, D).",
            "Each head is to have a table (T, D) of its own, so H must come before T: which two axes change places?",
            (uncut, lambda x, h: torch.stack(x.chunk(h, dim=-1), dim=2)), explainers.shape),
        Misconception(
            "interleaved", "The heads take turns: head h got the features h, h + H, h + 2H and so on, not D "
            "neighbours.",
            "view(B, T, H, D) makes H groups of D neighbours; view(B, T, D, H) makes D groups of H.",
            (interleaved, lambda x, h: torch.stack([x[..., i::h] for i in range(h)], dim=1)), _row),
        Misconception(
            "sizes-of-the-figure", "Fixed numbers say how x is cut: 2 and 2 belong to the figure, where C = 4.",
            "H is num_heads, and D = C // H, with C = x.size(-1).",
            (lambda x, h: x.unflatten(-1, (2, 2)).transpose(1, 2), lambda x, h: x.unflatten(-1, (2, 2)),
             *(lambda x, h, way=way, sizes=sizes: getattr(x, way)(*sizes(x)).transpose(1, 2)
               for way in ("view", "reshape") for sizes in (
                   lambda x: (*x.shape[:2], 2, 2), lambda x: (*x.shape[:2], 2, -1),
                   lambda x: (*x.shape[:2], 2, x.size(2) // 2), lambda x: (1, 3, 2, 2), lambda x: (3, 2, 2),
                   lambda x: (2, 3, 2))))),
        Misconception(
            "num-heads-as-size", "num_heads was taken for the size of a head: you made heads of H features each, "
            "and as many as fit.",
            "num_heads says how many heads there are; each has D = C // num_heads features. x.chunk(n) makes n parts, "
            "x.split(n) makes parts of size n.",
            (lambda x, h: x.unflatten(-1, (-1, h)).transpose(1, 2), lambda x, h: x.unflatten(-1, (-1, h)),
             lambda x, h: torch.stack(x.split(h, dim=-1), dim=0)), explainers.shape),
        Misconception(
            "features-before-positions", "Positions and features have changed places within each head: (B, H, D, T).",
            "The last axis holds the D features of one position. From (B, T, H, D) only T and H change places.",
            (lambda x, h: uncut(x, h).permute(0, 2, 3, 1),), explainers.shape),
        Misconception(
            "wrong-axes", "Other axes than T and H have changed places.",
            "After the cut the axes are (B, T, H, D), counted 0, 1, 2, 3: it is 1 and 2 that change places.",
            (lambda x, h: uncut(x, h).transpose(2, 3), lambda x, h: uncut(x, h).transpose(1, 3),
             lambda x, h: uncut(x, h).transpose(0, 1), lambda x, h: uncut(x, h).transpose(0, 2),
             lambda x, h: uncut(x, h).permute(0, 3, 1, 2), lambda x, h: uncut(x, h).permute(1, 2, 0, 3)),
            explainers.shape),
        Misconception(
            "heads-first", "The heads stand before the batch: (H, B, T, D).",
            "The batch stays in front: stack along dim=1, or permute with 0 in the first place.",
            (lambda x, h: torch.stack(x.chunk(h, dim=-1)), ), explainers.shape),
        Misconception(
            "heads-in-batch", "Heads and batch were joined into one axis.",
            "Here they stay apart: four axes, (B, H, T, D).",
            (lambda x, h: split_heads(x, h).flatten(0, 1), lambda x, h: torch.cat(x.chunk(h, dim=-1))),
            explainers.shape),
        Misconception(
            "heads-in-positions", "The heads were put one below the other along the positions: they have no axis of "
            "their own.",
            "cat joins along an axis that is there, stack makes a new one.",
            (lambda x, h: split_heads(x, h).flatten(1, 2), lambda x, h: uncut(x, h).flatten(1, 2)), explainers.shape),
        Misconception(
            "positions-cut", "The positions were cut into heads, not the features.",
            "Every head sees all T positions, and a part of the features: cut the last axis.",
            (lambda x, h: torch.stack(x.chunk(h, dim=1), dim=1), lambda x, h: x.unflatten(1, (h, -1)),
             lambda x, h: x.view(x.size(0), h, x.size(1) // h, -1)), explainers.shape),
        Misconception(
            "repeated", "Every head got all C features: x was repeated, not cut.",
            "The heads share the features out: each has D = C / H of them.",
            (lambda x, h: x.unsqueeze(1).expand(-1, h, -1, -1).clone(),), explainers.shape),
        Misconception(
            "overlapping", "The slices overlap: each head starts one feature after the one before.",
            "Head h starts at h * D and ends before (h + 1) * D.",
            (lambda x, h: _slices(x, range(h), x.size(-1) // h),), _row),
        Misconception(
            "slices-of-num-heads", "The slices are H wide: D and H were mixed up.",
            "Head h starts at h * D and ends before (h + 1) * D, with D = C // num_heads.",
            (lambda x, h: _slices(x, range(0, h * h, h), h), ), explainers.shape),
        Misconception(
            "same-slice", "All heads are the same: each is the first slice.",
            "The slice must move with h: from h * D to (h + 1) * D.",
            (lambda x, h: _slices(x, [0] * h, x.size(-1) // h),), _row),
        Misconception(
            "return-in-loop", "Only the first head came back.",
            "If a loop makes the heads: `return` leaves the function at once. Collect them, and stack after the loop.",
            (lambda x, h: split_heads(x, h)[:, 0], lambda x, h: split_heads(x, h)[:, :1]), explainers.shape),
        Misconception(
            "unchanged", "x came back as it was: nothing was cut.",
            "view, unflatten and transpose return a new tensor; keep what they return.",
            lambda x, h: x, explainers.shape),
)
