"""sinusoidal_positions: the reference, its steps and test cases; the page next to it says the rest."""

import torch

from exercises.common import explainers, properties
from exercises.common.inputs import AXES, hidden_only
from feedback import Property, TestCase
from feedback.page_exercise import exercise


def sinusoidal_positions(length, d_model):
    """Give every position its own pattern of waves, fast on the left and slow on the right.

    Shapes: -> (length, d_model), float32: even columns sin, odd columns cos
    Source: Vaswani et al. 2017, section 3.5; notebook 01
    """
    position = torch.arange(length)[:, None]  # (length, 1)
    i = torch.arange(0, d_model, 2)  # (d_model / 2,)
    angles = position * 10000 ** (-i / d_model)  # (length, d_model / 2)
    waves = torch.zeros(length, d_model)
    waves[:, 0::2] = angles.sin()
    waves[:, 1::2] = angles.cos()
    return waves


FREQUENCY = "The angle is position / 10000**(i / `d_model`), with i = 0, 2, 4, ...: the even column of the pair."


def pairs(x):
    """(length, d_model) -> (length, d_model / 2, 2): the columns in pairs."""
    return x.unflatten(-1, (-1, 2))


def first_wrong_row(case):
    """The first row that is not right, next to the right one."""
    got, right = case.actual, case.expected
    wrong = ((got - right).abs() > 3e-5 + 1e-4 * right.abs()) | got.isnan()
    row = int(wrong.any(-1).nonzero()[0]) if wrong.any() else 0
    mine, wanted = (explainers.first_numbers(x[row], most=6) for x in (got, right))
    return f"your row {row} is {mine}, and {wanted} is right"


def angles(position, i, d_model, length):
    return position / 10000.0 ** (i / d_model)


def alternating(sin, cos):
    return torch.stack([sin, cos], dim=-1).flatten(-2)


def assemble(
    count=lambda position: position,
    angles=angles,
    turn=lambda angles: angles,
    arrange=alternating,
    finish=lambda table: table.float(),
):
    """Build sinusoidal_positions from five steps, in float64 up to `finish`."""

    def sinusoidal_positions(length, d_model):
        position, i = torch.arange(length).double()[:, None], torch.arange(0, d_model, 2).double()
        x = turn(angles(count(position), i, d_model, length))
        return finish(arrange(x.sin(), x.cos()))

    return sinusoidal_positions


def other_sizes(draw):
    return [(draw.randrange(14, 40), d_model) for d_model in draw.sample(range(14, 40, 2), 2)]


def stage_of(args):
    """Judge a single pair of columns, with frequency 1, first, and then only row 0, where frequencies do not matter."""
    length, d_model = args
    return 0 if d_model == 2 else 1 if length == 1 else 2


@Property.named(
    "row-0", "Are positions counted from 0? Is nothing added to the angles? Which of sine and cosine comes first?"
)
def row_zero_is_right(case):
    if torch.allclose(case.actual[0], case.expected[0], atol=1e-3):
        return None
    row = ", ".join(explainers.number(v) for v in case.actual[0][:4])
    return f"At position 0 every angle is 0, so row 0 is 0, 1, 0, 1, ...; yours begins {row}."


@Property.named("wrong-frequency", FREQUENCY)
def frequencies_are_right(case):
    """Check the frequencies, which are the angles of row 1."""
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


EXERCISE = exercise(
    sinusoidal_positions,
    assemble=assemble,
    returns=("positions",),
    axis_names=AXES | dict.fromkeys((5, 9, 7, 41, 307), "length") | dict.fromkeys((2, 4, 12, 6, 10), "d_model"),
    cases=(
        *(
            TestCase(f"length {length} and d_model {d_model}", (length, d_model))
            for length, d_model in ((5, 12), (7, 4), (9, 2), (1, 6), (41, 10), *hidden_only(other_sizes))
        ),
        TestCase("length 307 and `d_model` 12", (307, 12), rtol=1e-3, atol=1e-3),
    ),
    minimal_inputs=((1, 2), (2, 2), (1, 4), (2, 4), (3, 4), (4, 4), (3, 6)),
    stage_of=stage_of,
    properties=(properties.FINITE, row_zero_is_right, frequencies_are_right),
)
