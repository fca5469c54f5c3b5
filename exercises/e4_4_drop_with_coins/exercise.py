"""Exercise 4.4, drop_with_coins: one line of the given code is wrong."""

import torch

from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, S, T, generator, rows_of_weights
from exercises.e4_4_drop_with_coins.given import drop_with_coins as given
from exercises.e4_4_drop_with_coins.misconceptions import known
from exercises.e4_4_drop_with_coins.reference import drop_with_coins
from feedback import Exercise, TestCase


def _inputs(*shape, p, training, seed):
    return rows_of_weights(*shape, seed=seed), torch.rand(*shape, generator=generator(seed + 1)), p, training


_TRAINING = _inputs(B, T, S, p=0.3, training=True, seed=441)
_SMALL = torch.tensor([[0.25, 0.75]]), torch.tensor([[0.9, 0.1]])

EXERCISE = Exercise(
    minutes=5,
    difficulty=1,
    gives="in training the weights that are kept, divided by 1 - p, and 0 for the others; in evaluation the weights as "
    "they are",
    reference=drop_with_coins,
    given=given,
    returns=("dropped",),
    axis_names=AXES,
    cases=(
        TestCase("training, p = 0.3", _TRAINING),
        TestCase("evaluation, p = 0.3", _inputs(B, T, S, p=0.3, training=False, seed=443)),
        TestCase("training, p = 0.8", _inputs(T, S, p=0.8, training=True, seed=445)),
        TestCase("evaluation, p = 0.8", _inputs(T, S, p=0.8, training=False, seed=447)),
        TestCase("training, p = 0", _inputs(T, S, p=0.0, training=True, seed=449)),
    ),
    minimal_inputs=((*_SMALL, 0.2, False), (*_SMALL, 0.2, True)),
    misconceptions=known,
    hints=(
        "What is the mean of a weight over many draws in training? Work it out for a weight of 0.5 and p = 0.2.",
        "Then work out the same weight in evaluation. Both must be 0.5, and only one of them is.",
    ),
    behavioral_tests=(gradients_flow(drop_with_coins, _TRAINING, ("weights", None, None, None)),),
    when_correct="The correction is made once, in training. In evaluation, rows that sum to 1 go in and come out.",
)
