"""Exercise 13.7: attend_with_bias."""

import torch

from exercises.common import properties
from exercises.common.experiments import items_apart
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, D, H, S, T, normal
from exercises.e13_7_attend_with_bias.misconceptions import known
from exercises.e13_7_attend_with_bias.reference import attend_with_bias
from feedback import Exercise, TestCase


def arguments(seed, t, s, b=B, h=H, d=D, dtype=torch.float32):
    sizes = ((b, h, t, d), (b, h, s, d), (b, h, s, d), (b, h, 1, s))
    return tuple(normal(*size, seed=seed + i, dtype=dtype) for i, size in enumerate(sizes))


def by_hand(q, k, v, bias):
    """One head of one feature."""
    q, k, v = (torch.tensor(x)[None, None, :, None] for x in (q, k, v))
    return q, k, v, torch.tensor(bias)[None, None, None]


EXERCISE = Exercise(
    minutes=8,
    difficulty=2,
    gives="attention in which a query at position p of S reads the keys 0 to p, with scores q · k / `sqrt(D)` + the "
    "bias "
    "of the key; the queries are the last T positions",
    reference=attend_with_bias,
    returns=("out",),
    axis_names=AXES,
    cases=(
        TestCase("five new tokens after two", arguments(1, T, S)),
        TestCase("a whole text", arguments(5, T, T)),
        TestCase("one new token", arguments(9, 1, S)),
        TestCase("one token and no past", arguments(13, 1, 1)),
        TestCase("a whole text of one item", arguments(17, S, S, b=1)),
        TestCase("two new tokens after five", arguments(21, 2, S)),
        TestCase("float64", arguments(25, T, S, dtype=torch.float64)),
    ),
    minimal_inputs=(
        by_hand([1.0, 1.0], [0.0, 0.0], [2.0, 4.0], [0.0, 0.0]),
        by_hand([1.0], [0.0, 0.0], [2.0, 4.0], [0.0, 1.0]),
        by_hand([1.0, 1.0], [0.0, 1.0, 2.0], [2.0, 4.0, 8.0], [0.0, 0.0, 0.0]),
        by_hand([1.0, 1.0], [0.0, 1.0, 2.0], [2.0, 4.0, 8.0], [1.0, 0.0, 2.0]),
        tuple(
            x.repeat(1, 1, 1, n)
            for x, n in zip(by_hand([1.0], [0.0, 1.0], [2.0, 4.0], [0.0, 1.0]), (4, 4, 4, 1), strict=True)
        ),
    ),
    misconceptions=known,
    hints=(
        "Which keys may the first of the T queries read, if S - T tokens came before it? Is that another question "
        "for a "
        "whole text, where T = S?",
        "`future = torch.ones(T, S, dtype=torch.bool, device=q.device).triu(diagonal=1 + S - T)` is True where a key "
        "comes after the query.",
        "The kernel adds a mask of floats to the scores after the division: give it the bias, with -inf where `future` "
        "is True, in all cases.",
    ),
    properties=(properties.FINITE,),
    behavioral_tests=(
        items_apart(arguments(29, 3, 4, b=2)),
        gradients_flow(attend_with_bias, arguments(33, 3, 5), ("q", "k", "v", "bias")),
    ),
    when_correct="One rule for every T and S: exhibit 8 had a shortcut for T = S, and the shortcut was the bug.",
)
