"""Exercise 9.2: rotate_halves."""

from exercises.common import properties
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import normal
from exercises.common.rotary.behavior import LENGTHS, ONLY_DISTANCES, POSITION_ZERO
from exercises.common.rotary.inputs import MINIMAL, NAMES, one_pair_first, rotation_cases, some_positions
from exercises.e9_2_rotate_halves.misconceptions import known
from exercises.e9_2_rotate_halves.reference import rotate_halves
from feedback import Exercise

EXERCISE = Exercise(
    minutes=6,
    difficulty=1,
    gives="x (..., T, D) with feature i turned together with feature i + D/2, by the angle position · base**(-2i / D): "
    "(a, b) becomes (a cos - b sin, a sin + b cos)",
    reference=rotate_halves,
    returns=("turned",),
    axis_names=NAMES,
    cases=rotation_cases(),
    minimal_inputs=MINIMAL,
    stage_of=one_pair_first,
    misconceptions=known,
    hints=(
        "Which lines of exercise 9.1 say which two features belong together? Only these change.",
        "`x.chunk(2, dim=-1)` gives two halves, (..., T, D/2) each: the first features of all pairs, and the second "
        "ones. Where do the results belong?",
        "The frequencies and angles are those of 9.1. The result is `torch.cat([first, second], dim=-1)`.",
    ),
    properties=(properties.FINITE, LENGTHS, POSITION_ZERO),
    behavioral_tests=(
        ONLY_DISTANCES,
        gradients_flow(rotate_halves, (normal(2, 3, 6, seed=33), some_positions(4, 5, 6)), ("x", None)),
    ),
    when_correct="The same rotation in another order of features: weights made for one order are wrong in the other.",
)
