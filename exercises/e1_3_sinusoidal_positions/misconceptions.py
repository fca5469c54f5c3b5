"""What people get wrong in exercise 1.3, sinusoidal_positions."""

import math

import torch

from exercises.common import explainers
from exercises.e1_3_sinusoidal_positions.shared import _FREQUENCY, _pairs
from feedback import Misconception
from helpers import embeddings


def _angles(length, d_model, exponent=None, base=10000.0, start=0):
    """The angle of each pair at each position, (length, d_model / 2), with another exponent(i, length, d_model)."""
    position = torch.arange(start, start + length, dtype=torch.float64)[:, None]
    i = torch.arange(0, d_model, 2, dtype=torch.float64)
    return position / base ** (i / d_model if exponent is None else exponent(i, length, d_model))


def _in_turn(even, odd):
    """Even columns, odd columns."""
    return torch.stack([even, odd], dim=-1).flatten(-2).float()


def _turned(**other):
    """Waves with something else about their angles."""
    return lambda length, d_model: _waves(_angles(length, d_model, **other))


def _waves(angles):
    return _in_turn(angles.sin(), angles.cos())


def _changed_angles(change):
    return lambda length, d_model: _waves(change(_angles(length, d_model), length, d_model))


def _arranged(arrange):
    """Right waves, put together in another way: arrange(sin, cos)."""
    return lambda length, d_model: arrange(_angles(length, d_model).sin().float(),
                                           _angles(length, d_model).cos().float())


def _right_then(change):
    return lambda length, d_model: change(embeddings.sinusoidal_positions(length, d_model))


def _column_angles(length, d_model, exponent=lambda j, d_model: j / d_model):
    """An angle for every column, (length, d_model), of the frequency exponent(j, d_model)."""
    j = torch.arange(d_model, dtype=torch.float64)
    return torch.arange(length, dtype=torch.float64)[:, None] / 10000.0 ** exponent(j, d_model)


def _column_by_column(exponent):
    """Sines and cosines in turn, each of its column's own angle."""

    def code(length, d_model):
        angles = _column_angles(length, d_model, exponent)
        return torch.where(torch.arange(d_model) % 2 == 0, angles.sin(), angles.cos()).float()

    return code


def _multiplied(dtype, power):
    """position * frequency, the frequency upside down; these angles are so large that each way rounds them "
    "differently."""

    def code(length, d_model):
        frequency = power(torch.arange(0, d_model, 2, dtype=dtype) / d_model)
        return _waves(torch.arange(length, dtype=dtype)[:, None] * frequency)

    return code


def _divided(dtype, power):
    """position / frequency, the frequency the right way up: its minus is in the exponent already."""

    def code(length, d_model):
        frequency = power(torch.arange(0, d_model, 2, dtype=dtype) / d_model)
        return _waves(torch.arange(length, dtype=dtype)[:, None] / frequency)

    return code


def _power_first(divide, dtype):
    """10000 ** i taken before the division by d_model: divide(position, i, d_model), whole numbers with dtype int64."""

    def code(length, d_model):
        i = torch.arange(0, d_model, 2, dtype=dtype)
        return _waves(divide(torch.arange(length)[:, None], i, d_model))

    return code


def _too_many_angles(exponent):
    """An angle for each column, written into the half of them."""

    def code(length, d_model):
        positions = torch.zeros(length, d_model)
        positions[:, 0::2] = _column_angles(length, d_model, exponent).sin()
        return positions

    return code


def _python_multiplied(length, d_model):
    return _waves(torch.tensor([[p * 10000 ** (i / d_model) for i in range(0, d_model, 2)] for p in range(length)]))


def _tutorial_multiplied(length, d_model):
    factor = torch.exp(torch.arange(0, d_model, 2).float() * (math.log(10000.0) / d_model))
    return _waves(torch.arange(length).float()[:, None] * factor)


def _a_row(case):
    """The first row that is not right."""
    got, right = case.actual, case.expected
    if got.shape != right.shape or got.dtype != right.dtype:
        return explainers.shape(case)
    wrong = ((got - right).abs() > 3e-5 + 1e-4 * right.abs()) | got.isnan()
    row = int(wrong.any(-1).nonzero()[0]) if wrong.any() else 0
    some = slice(0, 6)
    more = ", ..." if got.size(-1) > 6 else ""
    mine, wanted = (", ".join(explainers.number(v) for v in x[row][some]) + more for x in (got, right))
    return f"your row {row} is [{mine}], and [{wanted}] is right"


MISCONCEPTIONS = (
        Misconception(
            "halves", "The sines fill the left half, the cosines the right half; here they take turns, column by "
            "column.",
            "Even columns are sines, odd ones cosines: positions[:, 0::2] = ... and positions[:, 1::2] = ...",
            (_arranged(lambda sin, cos: torch.cat([sin, cos], dim=-1)),), _a_row),
        Misconception(
            "halves-swapped", "The cosines fill the left half, the sines the right half; here they take turns, and the "
            "sine comes first.",
            "Even columns are sines, odd ones cosines: positions[:, 0::2] = ... and positions[:, 1::2] = ...",
            (_arranged(lambda sin, cos: torch.cat([cos, sin], dim=-1)),), _a_row),
        Misconception(
            "swapped", "Sine and cosine have changed places.",
            "Column 0 is a sine: at position 0 it is 0, and column 1 is 1.",
            (_arranged(lambda sin, cos: _in_turn(cos, sin)),), _a_row),
        Misconception(
            "stacked-wrongly", "Sines and cosines were stacked along the wrong axis: after the reshape, rows hold "
            "numbers of other positions.",
            "Stack along a new last axis, torch.stack([sin, cos], dim=-1), then join the last two: .flatten(-2).",
            (_arranged(lambda sin, cos: torch.stack([sin, cos]).reshape(len(sin), -1)),
             _arranged(lambda sin, cos: torch.cat([sin, cos]).reshape(len(sin), -1))), _a_row),
        Misconception(
            "exponent-half", "The exponent is half as large as it should be: the pairs were counted 0, 1, 2, ..., and "
            "then divided by d_model. (A base of 100 does the same.)",
            _FREQUENCY,
            (_turned(exponent=lambda i, length, d: i / 2 / d),), _a_row),
        Misconception(
            "exponent-doubled", "The exponent is twice as large as it should be: i counts the columns already, 0, 2, "
            "4, ..., and was doubled again.",
            _FREQUENCY + " In the paper's 2i / d_model, i counts pairs.",
            (_turned(exponent=lambda i, length, d: 2 * i / d),), _a_row),
        Misconception(
            "own-frequency", "Odd columns have a frequency of their own; sine and cosine of a pair share one.",
            _FREQUENCY + " Column 1 uses the same i as column 0.",
            (_column_by_column(lambda j, d: j / d), _column_by_column(lambda j, d: 2 * j / d),
             _column_by_column(lambda j, d: j / 2 / d), _column_by_column(lambda j, d: (j + j % 2) / d),
             _column_by_column(lambda j, d: 2 * (j + j % 2) / d)),
            _a_row),
        Misconception(
            "multiplied", "The positions were multiplied by 10000**(i / d_model) instead of divided: the waves are "
            "fast where they should be slow. (Dividing by 10000**(-i / d_model) does the same.)",
            "The larger the column, the slower its wave: divide, or give the exponent a minus, and not both.",
            (*(_multiplied(dtype, power) for dtype in (torch.float32, torch.float64)
               for power in (lambda e: 10000.0 ** e, lambda e: torch.exp(e * math.log(10000.0)))),
             *(_divided(dtype, power) for dtype in (torch.float32, torch.float64)
               for power in (lambda e: 10000.0 ** -e, lambda e: torch.exp(-e * math.log(10000.0)))),
             _python_multiplied, _tutorial_multiplied), _a_row),
        Misconception(
            "other-base", "The base is another number than 10,000.",
            _FREQUENCY + " With exp, that is exp(-math.log(10000) * i / d_model), log being the natural logarithm.",
            tuple(_turned(base=base) for base in (10.0, 1000.0, 1e5, 1e6, 2.0, math.e, math.exp(4), 50000.0)), _a_row),
        Misconception(
            "from-one", "The positions were counted from 1.",
            "The first position is 0: its row is 0, 1, 0, 1, ...",
            (_turned(start=1),), _a_row),
        Misconception(
            "transposed", "The numbers are right, but the axes have changed places: (d_model, length).",
            "One row for each position: positions as a column, [:, None], beside the frequencies as a row.",
            (_right_then(lambda x: x.T), _right_then(lambda x: x.T.contiguous())), _a_row),
        Misconception(
            "sine-alone", "All columns are sines: the cosines are missing.",
            "Odd columns are the cosines of the same angles as their left neighbours.",
            (_arranged(lambda sin, cos: _in_turn(sin, sin)), _arranged(lambda sin, cos: torch.cat([sin, sin], dim=-1)),
             _arranged(lambda sin, cos: sin),
             lambda length, d: _column_angles(length, d).sin().float()),
            _a_row),
        Misconception(
            "cosine-alone", "All columns are cosines: the sines are missing.",
            "Even columns are sines, odd ones cosines.",
            (_arranged(lambda sin, cos: _in_turn(cos, cos)), _arranged(lambda sin, cos: cos),
             lambda length, d: _column_angles(length, d).cos().float()),
            _a_row),
        Misconception(
            "half-empty", "Every other column is still 0: only the sines, or only the cosines, were written, or one "
            "overwrote the other.",
            "positions[:, 0::2] are the even columns, positions[:, 1::2] the odd ones.",
            (_arranged(lambda sin, cos: _in_turn(sin, 0 * sin)), _arranged(lambda sin, cos: _in_turn(0 * cos, cos)),
             _arranged(lambda sin, cos: _in_turn(cos, 0 * cos)), _arranged(lambda sin, cos: _in_turn(0 * sin, sin))),
            _a_row),
        Misconception(
            "zeros", "Every number is 0: nothing was written into the table.",
            "positions[:, 0::2] = ... writes into the even columns. Does that line run before the `return`?",
            (lambda length, d: torch.zeros(length, d),), _a_row),
        Misconception(
            "angles-returned", "These are the angles; their sines and cosines are asked for.",
            "torch.sin and torch.cos of the same angles, in turn.",
            (lambda length, d: _angles(length, d).float(), lambda length, d: _in_turn(*[_angles(length, d)] * 2)),
            _a_row),
        Misconception(
            "degrees", "The angles were turned into radians, as if they had been degrees.",
            "position / 10000**(i / d_model) is in radians already, as torch.sin takes it.",
            (_changed_angles(lambda a, length, d: torch.deg2rad(a)),
             _changed_angles(lambda a, length, d: torch.rad2deg(a))),
            _a_row),
        Misconception(
            "full-turns", "The angles were multiplied by pi or 2 * pi.",
            _FREQUENCY + " There is no pi in it.",
            (_changed_angles(lambda a, length, d: a * 2 * math.pi), _changed_angles(lambda a, length, d: a * math.pi)),
            _a_row),
        Misconception(
            "no-position", "The positions had no part in the angles: all rows are the same, or there is just one.",
            "Multiply each frequency by the position: a column of positions, [:, None], beside a row of frequencies.",
            (lambda length, d: _waves(_angles(1, d, start=1)).expand(length, -1).clone(),
             lambda length, d: _waves(_angles(1, d, start=1)), lambda length, d: _waves(_angles(1, d, start=1))[0]),
            _a_row),
        Misconception(
            "reversed", "The frequencies run the other way: the slowest wave stands on the left.",
            "Column 0 is the fastest wave, sin(position).",
            (_changed_angles(lambda a, length, d: a.flip(-1)),
             _turned(exponent=lambda i, length, d: 1 - i / d)), _a_row),
        Misconception(
            "one-frequency", "All pairs turn at the same speed, that of the first.",
            "The exponent i / d_model grows from pair to pair. (// gives whole numbers: i // d_model is 0.)",
            (_turned(exponent=lambda i, length, d: 0 * i),), _a_row),
        Misconception(
            "whole-numbers", "The angles were cut down to whole numbers.",
            "Divide with /, not //, and keep the angles in a floating-point dtype.",
            (_changed_angles(lambda a, length, d: a.floor()),), _a_row),
        Misconception(
            "divided-by-length", "The exponent was divided by length; how slow a wave is depends on its column alone.",
            _FREQUENCY,
            (_turned(exponent=lambda i, length, d: i / length), _turned(exponent=lambda i, length, d: i / 2 / length)),
            _a_row),
        Misconception(
            "power-before-division", "The power was taken before the division by d_model: `**` binds before `/`, so "
            "10000 ** -i / d_model is (10000 ** -i) / d_model.",
            "The exponent needs its brackets: 10000 ** (-i / d_model), or position / 10000 ** (i / d_model).",
            tuple(_power_first(divide, dtype) for dtype in (torch.float64, torch.int64)
                  for divide in (lambda p, i, d: p * 10000 ** -i / d, lambda p, i, d: p / 10000 ** i / d,
                                 lambda p, i, d: p / (10000 ** i / d))), _a_row),
        Misconception(
            "not-divided-by-width", "The exponent lost its fraction: it was not divided by d_model, or by // instead "
            "of /. All waves but the first stand nearly still.",
            _FREQUENCY,
            (_turned(exponent=lambda i, length, d: i), _turned(exponent=lambda i, length, d: i / 2),
             _turned(exponent=lambda i, length, d: (i / d).ceil()),
             _turned(exponent=lambda i, length, d: 2 * i)), _a_row),
        Misconception(
            "angle-for-each-column", "There are d_model angles at each position, and only d_model / 2 columns to write "
            "them into: the two columns of a pair share one.",
            "There is one angle for each pair, d_model / 2 of them: torch.arange(0, d_model, 2) gives their i.",
            _too_many_angles(lambda j, d: j / d)),
        Misconception(
            "exponent-to-the-end", "The exponent was divided by a little less than d_model.",
            _FREQUENCY,
            (_turned(exponent=lambda i, length, d: i / max(d - 2, 1)),
             _turned(exponent=lambda i, length, d: i / (d - 2)),
             _turned(exponent=lambda i, length, d: i / (d - 1))), _a_row),
        Misconception(
            "divided-outside", "The division came after the sine: the waves are small instead of slow.",
            "Divide first, then take the sine: sin(position / ...), not sin(position) / ...",
            (lambda length, d: _in_turn(_angles(length, d, base=1.0).sin() / 10000.0 ** (torch.arange(0, d, 2) / d),
                                        _angles(length, d, base=1.0).cos() / 10000.0 ** (torch.arange(0, d, 2) / d)),),
            _a_row),
        Misconception(
            "shrunk-positions", "The positions were divided by length, so that a place has another pattern in every "
            "text.",
            "Use the positions as they are: 0, 1, 2, ...",
            (_changed_angles(lambda a, length, d: a / length),
             _changed_angles(lambda a, length, d: a / max(length - 1, 1))),
            _a_row),
        Misconception(
            "float64", "The numbers are right, but they are float64; float32 is asked for.",
            "Calculating in float64 is a good idea; end with .float().",
            (_right_then(lambda x: x.double()),)),
        Misconception(
            "table-of-whole-numbers", "The table holds whole numbers: a sine that is written into it is cut to 0, 1 "
            "or -1.",
            "Make the table with torch.zeros(length, d_model), which is float32.",
            (_right_then(lambda x: x.long()), _right_then(lambda x: x.int()))),
        Misconception(
            "extra-axis", "The numbers are right, but there is an extra axis of size 1.",
            "The table of positions is (length, d_model); no batch is known here.",
            (_right_then(lambda x: x[None]), _right_then(lambda x: x[:, None]), _right_then(lambda x: x[..., None]))),
        Misconception(
            "pairs-apart", "The numbers are right, but sines and cosines have not been joined into one table.",
            "(length, d_model / 2, 2) becomes (length, d_model) by .flatten(-2).",
            (_right_then(_pairs), _right_then(lambda x: _pairs(x).transpose(-2, -1)),
             _right_then(lambda x: (x[:, 0::2], x[:, 1::2])), _arranged(lambda sin, cos: torch.stack([sin, cos])))),
        Misconception(
            "one-row-short", "The last row is missing.",
            "torch.arange(length) ends at length - 1, and range too: both give `length` numbers.",
            (_right_then(lambda x: x[:-1]),)),
)
