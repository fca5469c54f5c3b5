"""rotate_halves: the reference, its steps and test cases; the page next to it says the rest."""

import torch

from exercises.common import properties
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import normal
from exercises.common.rotary import steps
from exercises.common.rotary.behavior import LENGTHS, ONLY_DISTANCES, POSITION_ZERO
from exercises.common.rotary.explainers import first_wrong_feature, turned_by
from exercises.common.rotary.inputs import MINIMAL, NAMES, one_pair_first, rotation_cases, some_positions
from feedback.paged import exercise


def rotate_halves(x, positions, base=10000.0):
    """Turn feature i together with feature i + D/2, by an angle that grows with the position.

    Shapes: x (..., T, D), positions (T,) -> (..., T, D)
    Units:  position * base**(-2i / D) radians for the features i and i + D/2
    Source: Su et al. 2021, in the order of Llama's published code; notebook 09
    """
    D = x.size(-1)
    frequencies = base ** (-torch.arange(0, D, 2, device=x.device) / D)  # (D/2,)
    angles = positions[:, None] * frequencies  # (T, D/2)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x.chunk(2, dim=-1)  # (..., T, D/2)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def turned(case):
    return turned_by(case, steps.halves) or first_wrong_feature(case)


EXERCISE = exercise(
    rotate_halves,
    assemble=steps.rotation_from(steps.halves, steps.join_halves),
    returns=("turned",),
    axis_names=NAMES,
    cases=rotation_cases(),
    minimal_inputs=MINIMAL,
    stage_of=one_pair_first,
    properties=(properties.FINITE, LENGTHS, POSITION_ZERO),
    behavioral_tests=(
        ONLY_DISTANCES,
        gradients_flow(rotate_halves, (normal(2, 3, 6, seed=33), some_positions(4, 5, 6)), ("x", None)),
    ),
)
