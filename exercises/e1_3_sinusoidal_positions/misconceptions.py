"""What people get wrong in exercise 1.3, sinusoidal_positions.

An answer has three steps: the angles of each pair of columns, the order in which sines and cosines are put together,
and the table that is returned. Most mistakes are made in one of them.
"""

import math

import torch

from exercises.e1_3_sinusoidal_positions.explainers import FREQUENCY, first_wrong_row, pairs
from feedback import Misconceptions


def columns_and_positions(length, d_model, dtype=torch.float64):
    """i = 0, 2, 4, ... and the positions as a column."""
    return torch.arange(0, d_model, 2, dtype=dtype), torch.arange(length, dtype=dtype)[:, None]


def right_angles(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position / 10000.0 ** (i / d_model)


def alternating(sin, cos):
    return torch.stack([sin, cos], dim=-1).flatten(-2)


def in_float32(table):
    return table.float()


def assemble(angles=right_angles, arrange=alternating, finish=in_float32):
    """sinusoidal_positions made of three steps."""

    def sinusoidal_positions(length, d_model):
        x = angles(length, d_model)
        return finish(arrange(x.sin(), x.cos()))

    return sinusoidal_positions


known = Misconceptions(assemble)


# ---------------------------------------------------------------- the order of sines and cosines


@known(
    "halves",
    means="The sines fill the left half and the cosines the right half; here they alternate, column by column.",
    hint="Even columns are sines, odd ones cosines. How do you write into every other column of a table?",
    explain=first_wrong_row,
    step="arrange",
)
def sines_then_cosines(sin, cos):
    return torch.cat([sin, cos], dim=-1)


@known(
    "halves-swapped",
    means="The cosines fill the left half and the sines the right half; here they alternate, and the sine comes first.",
    hint="Even columns are sines, odd ones cosines. How do you write into every other column of a table?",
    explain=first_wrong_row,
    step="arrange",
)
def cosines_then_sines(sin, cos):
    return torch.cat([cos, sin], dim=-1)


@known(
    "swapped",
    means="Sine and cosine have changed places.",
    hint="Column 0 is a sine: at position 0 it is 0, and column 1 is 1.",
    explain=first_wrong_row,
    step="arrange",
)
def cosines_first(sin, cos):
    return alternating(cos, sin)


@known(
    "stacked-wrongly",
    means="Sines and cosines were stacked along the wrong axis: after the reshape, rows hold numbers of other "
    "positions.",
    hint="reshape keeps the order in memory. Along which axis must a sine and its cosine be stacked to end up next "
    "to each other?",
    explain=first_wrong_row,
    step="arrange",
)
def stacked_in_front(sin, cos):
    return torch.stack([sin, cos]).reshape(len(sin), -1)


# ---------------------------------------------------------------- the frequencies


@known(
    "exponent-half",
    means="The exponent is half as large as it should be: the pairs were counted 0, 1, 2, ..., and then divided by "
    "`d_model`. (A base of 100 does the same.)",
    hint=FREQUENCY,
    explain=first_wrong_row,
    step="angles",
)
def half_the_exponent(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position / 10000.0 ** (i / 2 / d_model)


@known(
    "exponent-doubled",
    means="The exponent is twice as large as it should be: i already counts columns, 0, 2, 4, ..., and was doubled "
    "again (or `d_model` was halved).",
    hint=FREQUENCY + " In the paper's 2i / `d_model`, i counts pairs.",
    explain=first_wrong_row,
    step="angles",
)
def twice_the_exponent(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position / 10000.0 ** (2 * i / d_model)


def angle_of_every_column(length, exponents):
    """(length, d_model): an angle for each column, from its own exponent."""
    return torch.arange(length, dtype=torch.float64)[:, None] / 10000.0**exponents


def alternating_by_column(angles):
    """Sines in the even columns and cosines in the odd ones, of (length, d_model) angles."""
    even = torch.arange(angles.size(1)) % 2 == 0
    return torch.where(even, angles.sin(), angles.cos()).float()


@known(
    "own-frequency",
    means="Odd columns have a frequency of their own; sine and cosine of a pair share one.",
    hint=FREQUENCY + " Column 1 uses the same i as column 0.",
    explain=first_wrong_row,
)
def column_as_exponent(length, d_model):
    j = torch.arange(d_model, dtype=torch.float64)
    return alternating_by_column(angle_of_every_column(length, j / d_model))


@known.also("own-frequency")
def column_as_doubled_exponent(length, d_model):
    j = torch.arange(d_model, dtype=torch.float64)
    return alternating_by_column(angle_of_every_column(length, 2 * j / d_model))


@known.also("own-frequency")
def column_as_half_the_exponent(length, d_model):
    j = torch.arange(d_model, dtype=torch.float64)
    return alternating_by_column(angle_of_every_column(length, j / 2 / d_model))


@known.also("own-frequency")
def odd_columns_use_the_next_pair(length, d_model):
    j = torch.arange(d_model, dtype=torch.float64)
    return alternating_by_column(angle_of_every_column(length, (j + j % 2) / d_model))


@known.also("own-frequency")
def odd_columns_use_the_next_pair_doubled(length, d_model):
    j = torch.arange(d_model, dtype=torch.float64)
    return alternating_by_column(angle_of_every_column(length, 2 * (j + j % 2) / d_model))


# Multiplied angles are so large that each way to calculate them rounds differently: hence several variants.


@known(
    "multiplied",
    means="The positions were multiplied by 10000**(i / `d_model`) instead of divided: the waves are fast where "
    "they should be slow. (Dividing by 10000**(-i / `d_model`) does the same.)",
    hint="The further right a column, the slower its wave: divide, or give the exponent a minus sign, but not both.",
    explain=first_wrong_row,
    step="angles",
)
def multiplied_by_the_power(length, d_model):
    i, position = columns_and_positions(length, d_model, torch.float32)
    return position * 10000.0 ** (i / d_model)


@known.also("multiplied", step="angles")
def multiplied_by_exp(length, d_model):
    i, position = columns_and_positions(length, d_model, torch.float32)
    return position * torch.exp(i / d_model * math.log(10000.0))


@known.also("multiplied", step="angles")
def multiplied_by_exp_of_a_factor(length, d_model):
    i, position = columns_and_positions(length, d_model, torch.float32)
    return position * torch.exp(i * (math.log(10000.0) / d_model))


@known.also("multiplied", step="angles")
def divided_by_the_inverse_power(length, d_model):
    i, position = columns_and_positions(length, d_model, torch.float32)
    return position / 10000.0 ** (-i / d_model)


@known.also("multiplied", step="angles")
def divided_by_the_inverse_exp(length, d_model):
    i, position = columns_and_positions(length, d_model, torch.float32)
    return position / torch.exp(-i / d_model * math.log(10000.0))


@known.also("multiplied", step="angles")
def multiplied_in_float64(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position * 10000.0 ** (i / d_model)


@known.also("multiplied", step="angles")
def multiplied_in_python(length, d_model):
    return torch.tensor([[p * 10000 ** (i / d_model) for i in range(0, d_model, 2)] for p in range(length)])


def with_base(base):
    def angles(length, d_model):
        i, position = columns_and_positions(length, d_model)
        return position / base ** (i / d_model)

    return angles


known(
    "other-base",
    means="The base is a number other than 10,000.",
    hint=FREQUENCY + " With exp, the exponent needs the natural logarithm of 10,000.",
    explain=first_wrong_row,
    step="angles",
)(with_base(1000.0))
for base in (10.0, 1e5, 1e6, 2.0, math.e, math.exp(4), 50000.0):
    known.also("other-base", angles=with_base(base))


# ---------------------------------------------------------------- the positions


@known(
    "from-one",
    means="The positions were counted from 1.",
    hint="The first position is 0: its row is 0, 1, 0, 1, ...",
    explain=first_wrong_row,
    step="angles",
)
def positions_from_one(length, d_model):
    return right_angles(length + 1, d_model)[1:]


@known(
    "transposed",
    means="The two axes have been swapped: this is (`d_model`, length).",
    hint="One row for each position: which of your two vectors has to be a column, the positions or the frequencies?",
    explain=first_wrong_row,
    step="finish",
)
def transposed(table):
    return table.float().T


# ---------------------------------------------------------------- missing sines, cosines or positions


@known(
    "sine-alone",
    means="All columns are sines: the cosines are missing.",
    hint="Odd columns are the cosines of the same angles as the column on their left.",
    explain=first_wrong_row,
    step="arrange",
)
def sines_twice(sin, cos):
    return alternating(sin, sin)


@known.also("sine-alone", step="arrange")
def sines_in_both_halves(sin, cos):
    return torch.cat([sin, sin], dim=-1)


@known.also("sine-alone", step="arrange")
def sines_once(sin, cos):
    return sin


@known.also("sine-alone")
def a_sine_for_every_column(length, d_model):
    return angle_of_every_column(length, torch.arange(d_model, dtype=torch.float64) / d_model).sin().float()


@known(
    "cosine-alone",
    means="All columns are cosines: the sines are missing.",
    hint="Even columns are sines, odd ones cosines.",
    explain=first_wrong_row,
    step="arrange",
)
def cosines_twice(sin, cos):
    return alternating(cos, cos)


@known.also("cosine-alone", step="arrange")
def cosines_once(sin, cos):
    return cos


@known.also("cosine-alone")
def a_cosine_for_every_column(length, d_model):
    return angle_of_every_column(length, torch.arange(d_model, dtype=torch.float64) / d_model).cos().float()


@known(
    "half-empty",
    means="Every other column is still 0: only the sines or only the cosines were written.",
    hint="Print the first row. Which columns are still empty, and which line should fill them?",
    explain=first_wrong_row,
    step="arrange",
)
def sines_and_zeros(sin, cos):
    return alternating(sin, 0 * sin)


@known.also("half-empty", step="arrange")
def zeros_and_cosines(sin, cos):
    return alternating(0 * cos, cos)


@known(
    "overwritten",
    means="Sines and cosines were written into the same columns, so the second overwrote the first, and every other "
    "column is still 0.",
    hint="Even columns are 0, 2, 4, ... and odd ones 1, 3, 5, ... Where does each of your slices start?",
    explain=first_wrong_row,
    step="arrange",
)
def cosines_over_sines(sin, cos):
    return alternating(cos, 0 * cos)


@known.also("overwritten", step="arrange")
def sines_over_cosines(sin, cos):
    return alternating(0 * sin, sin)


@known(
    "zeros",
    means="Every number is 0: nothing was written into the table.",
    hint="Which lines write into the table, and do they run before the `return`?",
    explain=first_wrong_row,
)
def zeros(length, d_model):
    return torch.zeros(length, d_model)


@known(
    "not-a-column",
    means="The positions and the frequencies run along the same axis, so the two do not make a table of angles.",
    hint="A column of three and a row of four combine into a 3 by 4 table. Which of your two has to be a column?",
)
def written_without_a_column(length, d_model):
    angles = torch.arange(length) / 10000.0 ** (torch.arange(0, d_model, 2) / d_model)
    positions = torch.zeros(length, d_model)
    positions[:, 0::2], positions[:, 1::2] = angles.sin(), angles.cos()
    return positions


def angles_without_a_column(length, d_model):
    return torch.arange(length) / 10000.0 ** (torch.arange(0, d_model, 2) / d_model)


known.also("not-a-column")(angles_without_a_column)
known.also("not-a-column", angles=angles_without_a_column)


@known(
    "angles-returned",
    means="These are the angles; their sines and cosines are asked for.",
    hint="Take the sine and the cosine of the same angles, and let them alternate.",
    explain=first_wrong_row,
)
def angles_alone(length, d_model):
    return right_angles(length, d_model).float()


@known.also("angles-returned")
def angles_twice(length, d_model):
    return alternating(angles_alone(length, d_model), angles_alone(length, d_model))


@known(
    "degrees",
    means="The angles were multiplied by pi / 180, as if they had been degrees.",
    hint="position / 10000**(i / `d_model`) is in radians already, as `torch.sin` expects.",
    explain=first_wrong_row,
    step="angles",
)
def radians_of_degrees(length, d_model):
    return torch.deg2rad(right_angles(length, d_model))


@known(
    "to-degrees",
    means="The angles were turned into degrees, but `torch.sin` and `torch.cos` expect radians.",
    hint="position / 10000**(i / `d_model`) is in radians already.",
    explain=first_wrong_row,
    step="angles",
)
def degrees_of_radians(length, d_model):
    return torch.rad2deg(right_angles(length, d_model))


@known(
    "doubled-angles",
    means="The angles are twice as large as they should be.",
    hint=FREQUENCY,
    explain=first_wrong_row,
    step="angles",
)
def angles_times_two(length, d_model):
    return 2 * right_angles(length, d_model)


@known(
    "halved-angles",
    means="The angles are half as large as they should be.",
    hint=FREQUENCY,
    explain=first_wrong_row,
    step="angles",
)
def angles_over_two(length, d_model):
    return right_angles(length, d_model) / 2


@known(
    "full-turns",
    means="A factor of pi or 2 * pi got into the angles.",
    hint=FREQUENCY + " There is no pi in it.",
    explain=first_wrong_row,
    step="angles",
)
def angles_times_two_pi(length, d_model):
    return right_angles(length, d_model) * 2 * math.pi


@known.also("full-turns", step="angles")
def angles_times_pi(length, d_model):
    return right_angles(length, d_model) * math.pi


def frequencies(length, d_model):
    return right_angles(2, d_model)[1:]


@known(
    "no-position",
    means="The positions play no part in the angles, so that all rows are alike.",
    hint="Each frequency is multiplied by the position. Positions as a column times frequencies as a row give a "
    "whole table.",
    explain=first_wrong_row,
    step="angles",
)
def frequencies_for_every_position(length, d_model):
    return frequencies(length, d_model).expand(length, -1)


known.also("no-position", angles=frequencies)


@known.also("no-position", step="angles")
def frequencies_without_an_axis(length, d_model):
    return frequencies(length, d_model)[0]


# ---------------------------------------------------------------- other exponents and positions


@known(
    "reversed",
    means="The frequencies are in reverse order: the slowest wave is on the left.",
    hint="Column 0 is the fastest wave, `sin(position)`.",
    explain=first_wrong_row,
    step="angles",
)
def frequencies_backwards(length, d_model):
    return right_angles(length, d_model).flip(-1)


@known.also("reversed", step="angles")
def one_minus_the_exponent(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position / 10000.0 ** (1 - i / d_model)


@known(
    "one-frequency",
    means="All pairs have the same frequency, that of the first.",
    hint="The exponent i / `d_model` grows from pair to pair. (// gives whole numbers: `i // d_model` is 0.)",
    explain=first_wrong_row,
    step="angles",
)
def first_frequency_for_all(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position / 10000.0 ** (0 * i)


@known(
    "whole-numbers",
    means="The angles were rounded down to whole numbers.",
    hint="// divides and rounds down, / only divides; and a whole-number dtype drops what follows the point.",
    explain=first_wrong_row,
    step="angles",
)
def angles_rounded_down(length, d_model):
    return right_angles(length, d_model).floor()


@known(
    "divided-by-length",
    means="The exponent was divided by length; how slow a wave is depends on its column alone.",
    hint=FREQUENCY,
    explain=first_wrong_row,
    step="angles",
)
def exponent_over_length(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position / 10000.0 ** (i / length)


@known.also("divided-by-length", step="angles")
def half_the_exponent_over_length(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position / 10000.0 ** (i / 2 / length)


@known(
    "power-before-division",
    means="The power was taken before the division by `d_model`: `**` binds more tightly than `/`, so `10000 ** -i "
    "/ d_model` is (`10000 ** -i`) / `d_model`.",
    hint="The whole fraction i / `d_model` is the exponent. What shows Python that it belongs together?",
    explain=first_wrong_row,
    step="angles",
)
def multiplied_by_the_power_over_the_width(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position * 10000**-i / d_model


@known.also("power-before-division", step="angles")
def divided_by_the_power_over_the_width(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position / (10000**i / d_model)


@known.also("power-before-division", step="angles")
def divided_by_a_power_of_whole_numbers(length, d_model):
    i, position = columns_and_positions(length, d_model, torch.int64)  # whole numbers overflow
    return position / 10000**i / d_model


@known.also("power-before-division", step="angles")
def divided_by_a_power_of_whole_numbers_over_the_width(length, d_model):
    i, position = columns_and_positions(length, d_model, torch.int64)
    return position / (10000**i / d_model)


@known(
    "not-divided-by-width",
    means="Whole numbers where fractions should be: i was not divided by `d_model`, or was divided with //, or the "
    "result was rounded down. All waves but the first hardly move, or do not move at all.",
    hint=FREQUENCY,
    explain=first_wrong_row,
    step="angles",
)
def column_alone_as_exponent(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position / 10000.0**i


@known.also("not-divided-by-width", step="angles")
def pair_alone_as_exponent(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position / 10000.0 ** (i / 2)


@known.also("not-divided-by-width", step="angles")
def exponent_rounded_down(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position * 10000.0 ** (-i // d_model)


@known(
    "angle-for-each-column",
    means="There are `d_model` angles at each position, and only d_model / 2 columns to write them into: the two "
    "columns of a pair share one.",
    hint="There is one angle for each pair. Which values does i take, and how many are they?",
)
def too_many_angles(length, d_model):
    positions = torch.zeros(length, d_model)
    j = torch.arange(d_model, dtype=torch.float64)
    positions[:, 0::2] = angle_of_every_column(length, j / d_model).sin()
    return positions


@known(
    "exponent-to-the-end",
    means="The exponent was divided by a little less than `d_model`.",
    hint=FREQUENCY,
    explain=first_wrong_row,
    step="angles",
)
def exponent_that_ends_at_one(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position / 10000.0 ** (i / max(d_model - 2, 1))


@known.also("exponent-to-the-end", step="angles")
def exponent_over_width_minus_two(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position / 10000.0 ** (i / (d_model - 2))


@known.also("exponent-to-the-end", step="angles")
def exponent_over_width_minus_one(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position / 10000.0 ** (i / (d_model - 1))


@known(
    "divided-outside",
    means="The division came after the sine: the waves are small instead of slow.",
    hint="Which comes first, the division or the sine? The power belongs to the angle.",
    explain=first_wrong_row,
)
def waves_divided(length, d_model):
    i, position = columns_and_positions(length, d_model)
    slow = 10000.0 ** (i / d_model)
    return alternating(position.sin() / slow, position.cos() / slow).float()


@known(
    "multiplied-not-raised",
    means="The frequency is a product or a quotient of 10000, i and `d_model`; it should be a power of 10000.",
    hint=FREQUENCY + " `**` raises to a power, `*` multiplies.",
    explain=first_wrong_row,
    step="angles",
)
def product_of_all(length, d_model):
    i, position = columns_and_positions(length, d_model, torch.int64)  # then in float32, which rounds such angles
    return position * 10000 * (-i / d_model)


@known.also("multiplied-not-raised", step="angles")
def product_without_the_minus(length, d_model):
    i, position = columns_and_positions(length, d_model, torch.int64)
    return position * 10000 * i / d_model


@known.also("multiplied-not-raised", step="angles")
def exponent_as_frequency(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position * i / d_model


@known.also("multiplied-not-raised", step="angles")
def exponent_over_10000_as_frequency(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position / 10000 * i / d_model


@known.also("multiplied-not-raised", step="angles")
def divided_by_the_product(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position / (10000 * i / d_model)


@known(
    "position-in-the-power",
    means="The position was raised to the power as well, because it stands in the parentheses before `**`.",
    hint="Only 10000 is raised to a power; the position is multiplied by the result, or divided by it.",
    explain=first_wrong_row,
    step="angles",
)
def power_of_the_position_times_10000(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return (position * 10000) ** (-i / d_model)


@known.also("position-in-the-power", step="angles")
def power_of_the_position_over_10000(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return (position / 10000) ** (i / d_model)


@known(
    "first-wave-left-out",
    means="Every exponent is one pair too large, so the first wave, `sin(position)`, is missing.",
    hint="i is the number of the even column, and the first one is column 0.",
    explain=first_wrong_row,
    step="angles",
)
def exponents_of_the_next_pair(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position / 10000.0 ** ((i + 2) / d_model)


@known(
    "frequency-added",
    means="The positions and the frequencies were added; they should be multiplied.",
    hint=FREQUENCY,
    explain=first_wrong_row,
    step="angles",
)
def sum_of_position_and_frequency(length, d_model):
    i, position = columns_and_positions(length, d_model)
    return position + 10000.0 ** (-i / d_model)


@known(
    "shrunk-positions",
    means="The positions were divided by the length, and so the pattern of each depends on how long the text is.",
    hint="Use the positions as they are: 0, 1, 2, ...",
    explain=first_wrong_row,
    step="angles",
)
def positions_over_length(length, d_model):
    return right_angles(length, d_model) / length


@known.also("shrunk-positions", step="angles")
def positions_between_0_and_1(length, d_model):
    return right_angles(length, d_model) / max(length - 1, 1)


# ---------------------------------------------------------------- the table that is returned


@known(
    "float64",
    means="The result is float64; float32 is asked for.",
    hint="Calculating in float64 is a good idea. What turns a tensor into float32 at the end?",
    step="finish",
)
def left_in_float64(table):
    return table.double()


@known(
    "table-of-whole-numbers",
    means="The table holds whole numbers: a sine that is written into it is cut to 0, 1 or -1.",
    hint="Which dtype does your empty table have? `torch.zeros(length, d_model)` is float32.",
    step="finish",
)
def whole_numbers(table):
    return table.long()


@known(
    "extra-axis",
    means="There is an extra axis of size 1.",
    hint="The table of positions is (length, `d_model`): there is no batch here yet.",
    step="finish",
)
def with_a_batch_axis(table):
    return table.float()[None]


@known.also("extra-axis", step="finish")
def with_an_axis_between(table):
    return table.float()[:, None]


@known.also("extra-axis", step="finish")
def with_an_axis_at_the_end(table):
    return table.float()[..., None]


@known(
    "pairs-apart",
    means="Sines and cosines have not been joined into one table.",
    hint="Which two axes must become one, so that (length, `d_model`) remains?",
    step="finish",
)
def pairs_along_the_last_axis(table):
    return pairs(table.float())


@known.also("pairs-apart", step="finish")
def pairs_along_axis_1(table):
    return pairs(table.float()).transpose(-2, -1)


@known.also("pairs-apart", step="finish")
def sines_and_cosines_in_a_tuple(table):
    return table[:, 0::2].float(), table[:, 1::2].float()


@known.also("pairs-apart", step="finish")
def sines_and_cosines_in_front(table):
    return pairs(table.float()).movedim(-1, 0)


@known(
    "one-row-short",
    means="The last row is missing.",
    hint="`torch.arange(length)` ends at length - 1, and so does range: both give `length` numbers.",
    step="finish",
)
def without_the_last_row(table):
    return table.float()[:-1]
