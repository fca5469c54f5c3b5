"""Exercise 1.3, sinusoidal_positions: a pattern of waves for each position."""

import torch

from exercises.common import explainers, properties
from exercises.common.inputs import AXES, hidden_only
from exercises.e1_3_sinusoidal_positions.explainers import FREQUENCY, pairs
from exercises.e1_3_sinusoidal_positions.misconceptions import known
from exercises.e1_3_sinusoidal_positions.reference import sinusoidal_positions
from feedback import Exercise, Property, TestCase


def other_sizes(draw):
    return [(draw.randrange(14, 40), d_model) for d_model in draw.sample(range(14, 40, 2), 2)]


def stage_of(args):
    """A single pair of columns, of frequency 1, is judged first, then row 0 alone, where no frequency matters."""
    length, d_model = args
    if d_model == 2:
        return 0
    return 1 if length == 1 else 2


def between_minus_one_and_one(case):
    if (case.actual.abs() <= 1.0001).all():
        return None
    at = explainers.worst(case.actual.abs().clamp(min=1), torch.ones_like(case.actual))
    return (
        f"A sine or cosine lies between -1 and 1; yours at {explainers.position(at)} is "
        f"{explainers.number(case.actual[at])}."
    )


def row_zero_is_right(case):
    if torch.allclose(case.actual[0], case.expected[0], atol=1e-3):
        return None
    row = ", ".join(explainers.number(v) for v in case.actual[0][:4])
    return f"At position 0 every angle is 0, so row 0 is 0, 1, 0, 1, ...; yours begins {row}."


def pairs_are_on_a_circle(case):
    squares = pairs(case.actual).square().sum(-1)
    if torch.allclose(squares, torch.ones_like(squares), atol=1e-3):
        return None
    row, pair = explainers.worst(squares, torch.ones_like(squares))
    return (
        f"Columns {2 * pair} and {2 * pair + 1} are the sine and the cosine of the same angle, so their squares "
        f"add up to 1; in your row {row} they add up to {explainers.number(squares[row, pair])}."
    )


def frequencies_are_right(case):
    """The angles of row 1 are the frequencies themselves."""
    if len(case.actual) < 2:
        return None
    angles, right = (torch.atan2(*pairs(x)[1].double().unbind(-1)) for x in (case.actual, case.expected))
    if torch.allclose(angles, right, atol=1e-3):
        return None
    pair, d_model = int((angles - right).abs().argmax()), case.args[1]
    return (
        f"In row 1, columns {2 * pair} and {2 * pair + 1} should have the angle "
        f"1 / 10000**({2 * pair}/{d_model}) = {explainers.number(right[pair])}; your two numbers belong to the "
        f"angle {explainers.number(angles[pair])}."
    )


EXERCISE = Exercise(
    minutes=12,
    difficulty=3,
    gives="the waves (length, `d_model`), float32: `sin(position / 10000**(i / d_model))` in each even column i, "
    "the cosine of the same angle in column i + 1",
    reference=sinusoidal_positions,
    returns=("positions",),
    axis_names=AXES | dict.fromkeys((5, 9, 13, 7, 41, 307), "length") | dict.fromkeys((2, 4, 12, 22, 6, 10), "d_model"),
    cases=(
        *(
            TestCase(f"length {length} and d_model {d_model}", (length, d_model))
            for length, d_model in (
                *((5, 12), (7, 4), (9, 2), (13, 22), (1, 6), (8, 8), (41, 10)),
                *hidden_only(other_sizes),
            )
        ),
        TestCase("length 307 and `d_model` 12", (307, 12), rtol=1e-3, atol=1e-3),
    ),
    minimal_inputs=((1, 2), (2, 2), (1, 4), (2, 4), (3, 4), (4, 4), (3, 6)),
    stage_of=stage_of,
    misconceptions=known,
    hints=(
        "Every number of the table is the sine or the cosine of an angle: a position times a frequency. Which shapes "
        "must positions and frequencies have, so that one product gives all angles, (length, d_model / 2)?",
        "A column of positions, `torch.arange(length)[:, None]`, times a row of frequencies, `10000 ** (-i / "
        "d_model)`, where `torch.arange(0, d_model, 2)` gives i. Make an empty table, `torch.zeros(length, "
        "d_model)`, and write the sines into its even columns.",
        "`positions[:, 0::2] = angles.sin()` and `positions[:, 1::2] = angles.cos()`",
    ),
    properties=(
        properties.FINITE,
        Property("outside", between_minus_one_and_one, "Take sin and cos last; nothing comes after them."),
        Property(
            "row-0",
            row_zero_is_right,
            "Are positions counted from 0? Is nothing added to the angles? Which of sine and cosine comes first?",
        ),
        Property("off-the-circle", pairs_are_on_a_circle, "Print the angles behind both columns: are they the same?"),
        Property("wrong-frequency", frequencies_are_right, FREQUENCY),
    ),
    when_correct="Each position has its own pattern, and no training was needed.",
)
