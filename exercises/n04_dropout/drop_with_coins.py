"""drop_with_coins: the reference, its steps and test cases; the page next to it says the rest."""

import torch

from exercises.common import explainers
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, S, T, generator, rows_of_weights
from feedback import TestCase
from feedback.page_exercise import exercise


def drop_with_coins(weights, coins, p, training):
    """Inverted dropout with coins that were tossed before.

    Shapes: weights (..., T, S), coins (..., T, S) -> (..., T, S)
    Units:  coins are numbers from 0 to 1, and each below p drops its weight
    """
    if not training:
        return weights
    keep = coins >= p
    return weights * keep / (1 - p)


def in_its_mode(case):
    """Show a row that does not sum to 1 in evaluation, or the number that is furthest off in training."""
    training = case.args[-1]
    seen = explainers.entry(case) if training else explainers.row_sum(case)
    return f"in {'training' if training else 'evaluation'}, {seen}"


def _inputs(*shape, p, training, seed):
    return rows_of_weights(*shape, seed=seed), torch.rand(*shape, generator=generator(seed + 1)), p, training


_TRAINING = _inputs(B, T, S, p=0.3, training=True, seed=441)
_SOME_EMPTY = rows_of_weights(B, T, S, seed=451) * (torch.arange(T)[:, None] != 2)  # row 2 can read nothing
_QUARTERS = torch.randint(4, (B, T, S), generator=generator(452)) / 4  # some coins equal p = 0.25

EXERCISE = exercise(
    drop_with_coins,
    returns=("dropped",),
    axis_names=AXES,
    cases=(
        TestCase("training, p = 0.3", _TRAINING),
        TestCase("evaluation, p = 0.3", _inputs(B, T, S, p=0.3, training=False, seed=443)),
        TestCase("training, p = 0.8", _inputs(T, S, p=0.8, training=True, seed=445)),
        TestCase("evaluation, p = 0.8", _inputs(T, S, p=0.8, training=False, seed=447)),
        TestCase("training, p = 0", _inputs(T, S, p=0.0, training=True, seed=449)),
        TestCase("training, some coins equal to p = 0.25", (_SOME_EMPTY, _QUARTERS, 0.25, True)),
        TestCase("evaluation, rows of zeros", (_SOME_EMPTY, _QUARTERS, 0.25, False)),
    ),
    minimal_inputs=tuple(
        (torch.tensor([weights]), torch.tensor([coins]), p, training)
        for weights, coins, p, training in (
            ([0.25, 0.75], [0.9, 0.1], 0.2, True),
            ([0.25, 0.75], [0.9, 0.25], 0.25, True),
            ([0.25, 0.75], [0.9, 0.1], 0.2, False),
        )
    ),
    stage_of=lambda args: int(not args[-1]),  # training first: the given line is wrong in evaluation
    behavioral_tests=(gradients_flow(drop_with_coins, _TRAINING, ("weights", None, None, None)),),
)
