"""What people get wrong in exercise 1.3, sinusoidal_positions: which sines and cosines, how fast they are, and where.

An answer has three steps: the angles of each pair of columns, the order in which sines and cosines are put together,
and the table that is returned. Most mistakes are made in one of them.
"""

import math

import torch

from exercises.e1_3_sinusoidal_positions.explain import FREQUENCY, first_wrong_row
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
