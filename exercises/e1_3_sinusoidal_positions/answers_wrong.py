"""Wrong answers to exercise 1.3, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def _angles(length, d_model, base=10000.0):
    return torch.arange(length)[:, None] / base ** (torch.arange(0, d_model, 2) / d_model)


def _in_turn(angles):
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


@wrong("halves")
def waves_in_halves(length, d_model):
    """Sines left, cosines right."""
    angles = _angles(length, d_model)
    return torch.cat([torch.sin(angles), torch.cos(angles)], dim=1)


@wrong("halves-swapped")
def waves_in_swapped_halves(length, d_model):
    """Cosines left, sines right."""
    angles = _angles(length, d_model)
    return torch.cat([torch.cos(angles), torch.sin(angles)], dim=-1)


@wrong("swapped")
def waves_swapped(length, d_model):
    """Cosine first."""
    pe = torch.zeros(length, d_model)
    pe[:, 0::2] = torch.cos(_angles(length, d_model))
    pe[:, 1::2] = torch.sin(_angles(length, d_model))
    return pe


@wrong("stacked-wrongly")
def waves_stacked_in_front(length, d_model):
    """Stacked in front, then reshaped."""
    angles = _angles(length, d_model)
    return torch.stack([angles.sin(), angles.cos()]).reshape(length, d_model)


@wrong("halves")
def waves_stacked_between(length, d_model):
    """Stacked between, then reshaped: halves."""
    angles = _angles(length, d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=1).reshape(length, d_model)


@wrong("exponent-half")
def waves_of_half_exponent(length, d_model):
    """The pair's number instead of twice it."""
    i = torch.arange(d_model // 2)
    return _in_turn(torch.arange(length)[:, None] / 10000 ** (i / d_model))


@wrong("exponent-half")
def waves_of_base_100(length, d_model):
    """A base of 100."""
    return _in_turn(_angles(length, d_model, 100.0))


@wrong("exponent-doubled")
def waves_of_doubled_exponent(length, d_model):
    """2i with i the column."""
    pe = torch.zeros(length, d_model)
    for p in range(length):
        for i in range(0, d_model, 2):
            pe[p, i] = math.sin(p / 10000 ** (2 * i / d_model))
            pe[p, i + 1] = math.cos(p / 10000 ** (2 * i / d_model))
    return pe


@wrong("own-frequency")
def waves_of_a_blog(length, d_model):
    """The well-known slip: i + 1 in the cosine."""
    pe = torch.zeros(length, d_model)
    for pos in range(length):
        for i in range(0, d_model, 2):
            pe[pos, i] = math.sin(pos / (10000 ** ((2 * i) / d_model)))
            pe[pos, i + 1] = math.cos(pos / (10000 ** ((2 * (i + 1)) / d_model)))
    return pe


@wrong("own-frequency")
def waves_of_their_own(length, d_model):
    """Every column its own frequency."""
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(d_model) / d_model)
    angles[:, 0::2], angles[:, 1::2] = angles[:, 0::2].sin(), angles[:, 1::2].cos()
    return angles


@wrong("multiplied")
def waves_multiplied(length, d_model):
    """Multiplied instead of divided."""
    return _in_turn(torch.arange(length)[:, None] * 10000 ** (torch.arange(0, d_model, 2) / d_model))


@wrong("multiplied")
def waves_without_minus(length, d_model):
    """No minus in exp."""
    factor = torch.exp(torch.arange(0, d_model, 2) * (math.log(10000.0) / d_model))
    return _in_turn(torch.arange(length).unsqueeze(1) * factor)


@wrong("other-base")
def waves_of_base_1000(length, d_model):
    """Base 1000."""
    return _in_turn(_angles(length, d_model, 1000.0))


@wrong("other-base")
def waves_of_log10(length, d_model):
    """Log10 instead of log."""
    factor = torch.exp(torch.arange(0, d_model, 2) * (-math.log10(10000.0) / d_model))
    return _in_turn(torch.arange(length)[:, None] * factor)


@wrong("other-base")
def waves_of_base_e(length, d_model):
    """Exp without the logarithm of the base."""
    return _in_turn(torch.arange(length)[:, None] * torch.exp(-torch.arange(0, d_model, 2) / d_model))


@wrong("wrong-frequency")
def waves_of_base_500(length, d_model):
    """Base 500: not among the known ones."""
    return _in_turn(_angles(length, d_model, 500.0))


@wrong("from-one")
def waves_from_one(length, d_model):
    """From position 1."""
    return _in_turn(torch.arange(1, length + 1)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model))


@wrong("transposed")
def waves_transposed(length, d_model):
    """Transposed."""
    return _in_turn(_angles(length, d_model)).T


@wrong("sine-alone")
def waves_of_sines(length, d_model):
    """Sines alone."""
    return torch.sin(torch.arange(length)[:, None] / 10000 ** (torch.arange(d_model) // 2 * 2 / d_model))


@wrong("sine-alone")
def waves_of_sines_half(length, d_model):
    """Sines alone, half as wide."""
    return _angles(length, d_model).sin()


@wrong("cosine-alone")
def waves_of_cosines(length, d_model):
    """Cosines alone."""
    return torch.cos(torch.arange(length)[:, None] / 10000 ** (torch.arange(d_model) // 2 * 2 / d_model))


@wrong("half-empty")
def waves_without_cosines(length, d_model):
    """The cosines are forgotten."""
    pe = torch.zeros(length, d_model)
    pe[:, 0::2] = _angles(length, d_model).sin()
    return pe


@wrong("overwritten")
def waves_overwritten(length, d_model):
    """The cosines overwrite the sines."""
    pe = torch.zeros(length, d_model)
    pe[:, 0::2] = _angles(length, d_model).sin()
    pe[:, 0::2] = _angles(length, d_model).cos()
    return pe


@wrong("zeros")
def waves_of_zeros(length, d_model):
    """Nothing written."""
    positions = torch.zeros((length, d_model))
    for _ in range(0, length, -1):
        positions += 1
    return positions


@wrong("angles-returned")
def waves_as_angles(length, d_model):
    """The angles."""
    return _angles(length, d_model)


@wrong("degrees")
def waves_in_degrees(length, d_model):
    """Degrees."""
    return _in_turn(_angles(length, d_model) * math.pi / 180)


@wrong("to-degrees")
def waves_of_degrees(length, d_model):
    """Radians turned into degrees."""
    return _in_turn(_angles(length, d_model) * (180 / math.pi))


@wrong("full-turns")
def waves_of_full_turns(length, d_model):
    """Two pi."""
    return _in_turn(2 * math.pi * _angles(length, d_model))


@wrong("no-position")
def waves_without_position(length, d_model):
    """No position."""
    angles = 1 / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return _in_turn(angles).repeat(length, 1)


@wrong("reversed")
def waves_reversed(length, d_model):
    """The slowest first."""
    return _in_turn(_angles(length, d_model).flip(1))


@wrong("one-frequency")
def waves_of_one_frequency(length, d_model):
    """I // d_model is 0."""
    return _in_turn(torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) // d_model))


@wrong("whole-numbers")
def waves_of_whole_angles(length, d_model):
    """Integer division of the positions."""
    return _in_turn(torch.arange(length)[:, None] // 10000 ** (torch.arange(0, d_model, 2) / d_model))


@wrong("divided-by-length")
def waves_divided_by_length(length, d_model):
    """Divided by length."""
    return _in_turn(torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / length))


@wrong("not-divided-by-width")
def waves_of_whole_exponents(length, d_model):
    """The exponent is not divided."""
    return _in_turn(torch.arange(length)[:, None] / 10000.0 ** torch.arange(0, d_model, 2))


@wrong("exponent-to-the-end")
def waves_to_the_end(length, d_model):
    """The exponent reaches 1."""
    return _in_turn(torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / (d_model - 1)))


@wrong("divided-outside")
def waves_divided_outside(length, d_model):
    """Divided outside of the sine."""
    slow = 10000 ** (torch.arange(0, d_model, 2) / d_model)
    p = torch.arange(length)[:, None]
    return torch.stack([p.sin() / slow, p.cos() / slow], dim=-1).flatten(-2)


@wrong("shrunk-positions")
def waves_of_shrunk_positions(length, d_model):
    """Positions between 0 and 1."""
    return _in_turn(_angles(length, d_model) / length)


@wrong("float64")
def waves_in_float64(length, d_model):
    """Float64."""
    p = torch.arange(length, dtype=torch.float64)[:, None]
    return _in_turn(p / 10000 ** (torch.arange(0, d_model, 2) / d_model))


@wrong("float64")
def waves_in_float64_of_base_500(length, d_model):
    """Float64 and a wrong base."""
    return _in_turn(_angles(length, d_model, 500.0)).double()


@wrong("returns-wrong-type")
def waves_as_numpy(length, d_model):
    """A numpy array."""
    return _in_turn(_angles(length, d_model)).numpy()


@wrong("returns-wrong-type")
def waves_as_lists(length, d_model):
    """Nested lists."""
    return [[math.sin(p / 10000 ** (i / d_model)) for i in range(d_model)] for p in range(length)]


@wrong("table-of-whole-numbers")
def waves_in_whole_numbers(length, d_model):
    """A table of whole numbers."""
    pe = torch.zeros(length, d_model, dtype=torch.long)
    pe[:, 0::2] = _angles(length, d_model).sin().long()
    pe[:, 1::2] = _angles(length, d_model).cos().long()
    return pe


@wrong("extra-axis")
def waves_with_a_batch_axis(length, d_model):
    """A batch axis, as in the tutorial."""
    return _in_turn(_angles(length, d_model)).unsqueeze(0)


@wrong("pairs-apart")
def waves_never_joined(length, d_model):
    """Never joined."""
    angles = _angles(length, d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1)


@wrong("one-row-short")
def waves_one_row_short(length, d_model):
    """One row short."""
    return _in_turn(_angles(length - 1, d_model))


@wrong("not-repeatable")
def waves_at_random(length, d_model):
    """Random numbers."""
    return torch.randn(length, d_model)


@wrong("not-repeatable")
def waves_at_random_between_0_and_1(length, d_model):
    """Random numbers between 0 and 1."""
    return torch.rand(length, d_model)


@wrong()
def waves_by_math(length, d_model):
    """Math.sin of a tensor."""
    return math.sin(_angles(length, d_model))


@wrong("angle-for-each-column")
def waves_into_too_few_columns(length, d_model):
    """Both halves written into too few columns."""
    pe = torch.zeros(length, d_model)
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(d_model) / d_model)
    pe[:, 0::2] = angles.sin()
    pe[:, 1::2] = angles.cos()
    return pe


@wrong("not-a-column")
def waves_without_a_column(length, d_model):
    """No column of positions: the shapes do not match."""
    return torch.arange(length) / 10000 ** (torch.arange(0, d_model, 2) / d_model)


@wrong("returns-none")
def waves_printed(length, d_model):
    """Printed."""
    print(_in_turn(_angles(length, d_model)))


@wrong("doubled-angles")
def waves_of_doubled_speed(length, d_model):
    """The pairs run with doubled speed."""
    return _in_turn(2 * _angles(length, d_model))


@wrong()
def waves_of_squares(length, d_model):
    """The squares of the positions."""
    return _in_turn(torch.arange(length)[:, None] ** 2 / 10000 ** (torch.arange(0, d_model, 2) / d_model))


@wrong("row-0")
def waves_scaled(length, d_model):
    """Scaled down."""
    return _in_turn(_angles(length, d_model)) / math.sqrt(d_model)


@wrong("power-before-division")
def waves_without_brackets(length, d_model):
    """No brackets: 10000 ** -i / d_model."""
    angles = torch.arange(length)[:, None] * 10000 ** -torch.arange(0, d_model, 2) / d_model
    pe = torch.zeros(length, d_model)
    pe[:, 0::2], pe[:, 1::2] = angles.sin(), angles.cos()
    return pe


@wrong("power-before-division")
def waves_divided_without_brackets(length, d_model):
    """No brackets: t / 10000 ** i / d_model, in whole numbers."""
    angles = torch.arange(length)[:, None] / 10000 ** torch.arange(0, d_model, 2) / d_model
    pe = torch.zeros(length, d_model)
    pe[:, 0::2], pe[:, 1::2] = angles.sin(), angles.cos()
    return pe


@wrong("power-before-division")
def waves_in_loops_without_brackets(length, d_model):
    """No brackets: t / (10000 ** i / d_model), in loops."""
    pe = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            pe[t, i] = math.sin(t / (10000**i / d_model))
            pe[t, i + 1] = math.cos(t / (10000**i / d_model))
    return pe


@wrong("not-divided-by-width")
def waves_with_a_whole_exponent(length, d_model):
    """-i // d_model."""
    angles = torch.arange(length)[:, None] * 10000 ** (-torch.arange(0, d_model, 2) // d_model)
    pe = torch.zeros(length, d_model)
    pe[:, 0::2], pe[:, 1::2] = angles.sin(), angles.cos()
    return pe


@wrong("not-divided-by-width")
def waves_with_a_whole_exponent_of_floats(length, d_model):
    """-i // d_model, with a base of 10000.0."""
    angles = torch.arange(length)[:, None] * 10000.0 ** (-torch.arange(0, d_model, 2) // d_model)
    pe = torch.zeros(length, d_model)
    pe[:, 0::2], pe[:, 1::2] = angles.sin(), angles.cos()
    return pe


@wrong("angle-for-each-column")
def waves_of_too_many_angles(length, d_model):
    """An angle for each column."""
    angles = torch.arange(length)[:, None] * 10000 ** (-torch.arange(d_model) / d_model)
    pe = torch.zeros(length, d_model)
    pe[:, 0::2], pe[:, 1::2] = angles.sin(), angles.cos()
    return pe


@wrong("returns-wrong-type")
def waves_in_a_nested_list(length, d_model):
    """A nested list."""
    return [
        [(math.cos if i % 2 else math.sin)(t / 10000 ** ((i - i % 2) / d_model)) for i in range(d_model)]
        for t in range(length)
    ]


@wrong("multiplied")
def waves_with_two_minuses(length, d_model):
    """The minus twice: divided by 10000 ** (-i / d_model)."""
    positions = torch.zeros(length, d_model)
    i = torch.arange(0, d_model, 2)
    angles = torch.arange(length)[:, None] / 10000 ** (-i / d_model)
    positions[:, 0::2], positions[:, 1::2] = angles.sin(), angles.cos()
    return positions


@wrong("not-a-column")
def waves_of_two_rows(length, d_model):
    """Positions as a row, and sines and cosines written into the table."""
    table = torch.zeros(length, d_model)
    frequency = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    table[:, 0::2] = torch.sin(torch.arange(length) * frequency)
    table[:, 1::2] = torch.cos(torch.arange(length) * frequency)
    return table


@wrong("halved-angles")
def waves_of_half_the_speed(length, d_model):
    """The angles of half the positions."""
    return _in_turn(_angles(length, d_model) * 0.5)


@wrong("multiplied-not-raised")
def waves_with_one_star(length, d_model):
    """One star in place of two."""
    positions, i = torch.arange(length)[:, None], torch.arange(0, d_model, 2)
    return _in_turn(positions * 10000 * (-i / d_model))


@wrong("multiplied-not-raised")
def waves_of_the_exponent(length, d_model):
    """The power is forgotten."""
    positions, i = torch.arange(length)[:, None], torch.arange(0, d_model, 2)
    return _in_turn(positions * i / d_model)


@wrong("multiplied-not-raised")
def waves_of_the_exponent_over_10000(length, d_model):
    """Divided by 10000, and no power."""
    positions, i = torch.arange(length)[:, None], torch.arange(0, d_model, 2)
    return _in_turn(positions / 10000 * i / d_model)


@wrong("position-in-the-power")
def waves_of_a_power_of_everything(length, d_model):
    """The parentheses take in the position."""
    positions, i = torch.arange(length)[:, None], torch.arange(0, d_model, 2)
    return _in_turn((positions * 10000) ** (-i / d_model))


@wrong("position-in-the-power")
def waves_of_a_power_of_the_quotient(length, d_model):
    """The parentheses take in the position, divided."""
    positions, i = torch.arange(length)[:, None], torch.arange(0, d_model, 2)
    return _in_turn((positions / 10000) ** (i / d_model))


@wrong("first-wave-left-out")
def waves_from_the_second(length, d_model):
    """The even columns counted from 2."""
    positions, i = torch.arange(length)[:, None], torch.arange(0, d_model, 2)
    return _in_turn(positions / 10000 ** ((i + 2) / d_model))


@wrong("frequency-added")
def waves_of_sums(length, d_model):
    """The position plus the frequency."""
    positions, i = torch.arange(length)[:, None], torch.arange(0, d_model, 2)
    return _in_turn(positions + 10000 ** (-i / d_model))


@wrong()
def waves_of_positions_in_bytes(length, d_model):
    position = torch.arange(length).to(torch.uint8)[:, None]
    return _in_turn(position * 10000 ** (-torch.arange(0, d_model, 2) / d_model))
