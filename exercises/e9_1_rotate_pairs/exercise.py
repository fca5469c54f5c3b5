"""Exercise 9.1: rotate_pairs."""

from exercises.common import properties
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import normal
from exercises.common.rotary.behavior import LENGTHS, ONLY_DISTANCES, POSITION_ZERO
from exercises.common.rotary.inputs import MINIMAL, NAMES, one_pair_first, rotation_cases, some_positions
from exercises.e9_1_rotate_pairs.misconceptions import known
from exercises.e9_1_rotate_pairs.reference import rotate_pairs
from feedback import Exercise

EXERCISE = Exercise(
    minutes=12,
    difficulty=2,
    gives="x (..., T, D) with each pair of features, 2i and 2i + 1, turned by the angle position · base**(-2i / D): "
    "(a, b) becomes (a cos - b sin, a sin + b cos)",
    reference=rotate_pairs,
    returns=("turned",),
    axis_names=NAMES,
    cases=rotation_cases(),
    minimal_inputs=MINIMAL,
    stage_of=one_pair_first,
    misconceptions=known,
    hints=(
        "Build it in three steps: a frequency for each pair, (D/2,); the angles, (T, D/2); and the two new features of "
        "each pair. What do you need to take all first features of the pairs at once?",
        "`x[..., 0::2]` holds the first features of all pairs, (..., T, D/2). The angles (T, D/2) broadcast to it. How "
        "do the two results become neighbors again?",
        "`torch.stack([first, second], dim=-1)` is (..., T, D/2, 2), and `.flatten(-2)` makes (..., T, D) of it. The "
        "frequencies are `base ** (-torch.arange(0, D, 2) / D)`.",
    ),
    properties=(properties.FINITE, LENGTHS, POSITION_ZERO),
    behavioral_tests=(
        ONLY_DISTANCES,
        gradients_flow(rotate_pairs, (normal(2, 3, 6, seed=33), some_positions(4, 5, 6)), ("x", None)),
    ),
    when_correct="The vectors keep their lengths, and a score now knows how far apart its two words are.",
)
