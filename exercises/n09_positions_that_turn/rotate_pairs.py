"""rotate_pairs: the reference, its steps and test cases; the page next to it says the rest."""

import torch

from exercises.common import properties
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import normal
from exercises.common.rotary import steps
from exercises.common.rotary.behavior import LENGTHS, ONLY_DISTANCES, POSITION_ZERO
from exercises.common.rotary.explainers import first_wrong_feature, turned_by
from exercises.common.rotary.inputs import MINIMAL, NAMES, one_pair_first, rotation_cases, some_positions
from feedback.paged import exercise


def rotate_pairs(x, positions, base=10000.0):
    """Turn each pair of neighboring features by an angle that grows with the position.

    Shapes: x (..., T, D), positions (T,) -> (..., T, D)
    Units:  position * base**(-2i / D) radians for the features 2i and 2i + 1
    Source: Su et al. 2021; notebook 09
    """
    D = x.size(-1)
    frequencies = base ** (-torch.arange(0, D, 2, device=x.device) / D)  # (D/2,)
    angles = positions[:, None] * frequencies  # (T, D/2)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]  # (..., T, D/2)
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)


def turned(case):
    return turned_by(case, steps.neighbors) or first_wrong_feature(case)


EXERCISE = exercise(
    rotate_pairs,
    assemble=steps.rotation_from(steps.neighbors, steps.join_neighbors),
    returns=("turned",),
    axis_names=NAMES,
    cases=rotation_cases(),
    minimal_inputs=MINIMAL,
    stage_of=one_pair_first,
    properties=(properties.FINITE, LENGTHS, POSITION_ZERO),
    behavioral_tests=(
        ONLY_DISTANCES,
        gradients_flow(rotate_pairs, (normal(2, 3, 6, seed=33), some_positions(4, 5, 6)), ("x", None)),
    ),
)
