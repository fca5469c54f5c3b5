"""Exercise 4.1: dropout."""

import torch

from exercises.common import properties, references
from exercises.common.dropping import _by_chance, _generator, _with_generator
from exercises.common.inputs import AXES
from exercises.common.random_zeros import comparable, fallen, outline, traits
from exercises.e4_1_dropout.misconceptions import MISCONCEPTIONS
from exercises.e4_1_dropout.shared import _OF_X
from feedback import Exercise, FunctionRunner, SummaryComparison, TestCase


def _uniform(*shape, seed, dtype=torch.float32):
    """Positive numbers from 0.5 to 1.5, none of them 0: a zero afterwards is a dropped one."""
    return (0.5 + torch.rand(shape, generator=_generator(seed), dtype=torch.float64)).to(dtype)


def _dropout_essence(args, value):
    x, p = args[:2]
    if not comparable(value, x):
        return outline(value)
    if not p:
        return "dropped with p = 0" if fallen(x, value)[0] else value
    return traits(x, value, p)


EXERCISE = Exercise(
    id="4.1", name="dropout", signature="dropout(x, p, generator=None)", minutes=8, difficulty=2,
    gives="x with each number zeroed with probability p, and the kept ones divided by 1 - p",
    reference=references.dropout, arguments=("x", "p", "generator"), returns=("result",),
    runner=FunctionRunner(_with_generator, ("x", "p", "the generator's seed")),
    comparison=SummaryComparison(_dropout_essence),
    cases=(
        TestCase("10,000 numbers, p = 0.3", (_uniform(100, 100, seed=1), 0.3, 1), rtol=1e-3),
        TestCase("a vector, p = 0.5", (_uniform(10_007, seed=2), 0.5, 2), rtol=1e-3),
        TestCase("three axes, p = 0.6", (_uniform(7, 30, 41, seed=3) * (-1) ** torch.arange(41), 0.6, 3), rtol=1e-3),
        TestCase("four axes, p = 0.9", (_uniform(4, 6, 20, 31, seed=4), 0.9, 4), rtol=1e-3),
        TestCase("float64, p = 0.25", (_uniform(90, 130, seed=5, dtype=torch.float64), 0.25, 5), rtol=1e-3),
        TestCase("no generator, p = 0.2", (_uniform(90, 110, seed=6), 0.2, None), rtol=1e-3),
        TestCase("p = 0", (_uniform(7, 11, seed=7), 0.0, 7)),
        TestCase("p = 0, no generator", (_uniform(1, 3, 1, 5, seed=8), 0.0, None)),
    ),
    minimal_inputs=(), axis_names=AXES | dict.fromkeys((2, 3, 5, 7, 11, 13, 17), ""),
    misconceptions=MISCONCEPTIONS,
    hints=(
        "Draw one random number for each number of x: torch.rand(x.shape, generator=generator). Which of them are at "
        "least p?",
        "keep = torch.rand(x.shape, generator=generator) >= p is True with probability 1 - p. x * keep.to(x.device) "
        "sets the others to 0. What is missing is a division.",
        "return x * keep.to(x.device) / (1 - p)",
    ),
    properties=(properties.FINITE, *_OF_X.properties(lambda case: case.args[1])),
    behavioral_tests=_by_chance(
        lambda attempt, g, p=0.4: attempt(_uniform(40, 50, seed=9), p, *(() if g is None else (g,))),
        lambda x: x == 0),
    when_correct="Every number keeps its expectation: a share of p is lost, and the rest is 1 / (1 - p) times as large.",
)
