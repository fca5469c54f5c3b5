"""attention_with_dropout: the reference, its steps and test cases; the page next to it says the rest."""

import math

import torch

from exercises.common.attention import right_weights
from exercises.common.dropout import (
    decided_by_one_draw,
    decided_without_p,
    dropout,
    dropped_attention_from,
    in_training,
    repeats_in_evaluation,
)
from exercises.common.dropout_statistics import DroppedWeights
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, DV, B, D, H, S, T, normal, round_numbers, with_generator
from exercises.n04_dropout.generators import BELOW_P, ERROR_MEANINGS, zeros_are_drawn
from feedback import FunctionRunner, SummaryComparison, TestCase
from feedback.page_exercise import exercise


def attention_with_dropout(q, k, v, p, training, generator=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.softmax(dim=-1)
    if training:
        keep = torch.rand(weights.shape, generator=generator, device="cpu") >= p
        weights = weights * keep.to(weights.device) / (1 - p)
    return weights @ v, weights


DROPPED = DroppedWeights(
    weights=lambda args: right_weights(args[0], args[1]),
    values=lambda args: args[2],
    mode=lambda args: args[3:5],
    noun="weights",
    draw="torch.rand(weights.shape, ...)",
    share=f"Each weight {BELOW_P}",
)


def assemble(drop=dropout, active=in_training, **steps):
    """Build attention with drop(x, p, g) if active(training), and the steps of `dropped_attention_from`."""
    attention = dropped_attention_from(**steps)

    def attention_with_dropout(q, k, v, p, training, generator=None):
        return attention(q, k, v, lambda x: drop(x, p, generator) if active(training) else x)

    return attention_with_dropout


# ---------------------------------------------------------------- inputs


def showing_the_mix(v):
    """Prepend the identity to v, so that the first columns of out are the matrix that mixed the values."""
    size = v.size(-2)
    return torch.cat([torch.eye(size, dtype=v.dtype).expand(*v.shape[:-2], size, size), v], -1)


def values_for(k, width=DV):
    return normal(*k.shape[:-1], width, seed=20, dtype=k.dtype)


def given(q, k, p, training, seed, width=DV):
    """Return the arguments of 4.2; if p is not 0, out shows the weights that made it."""
    v = values_for(k, width)
    return q, k, showing_the_mix(v) if p else v, p, training, seed


BATCH = (normal(B, T, D, seed=3), normal(B, S, D, seed=4))
TWO_AXES = (normal(T, D, seed=1), normal(S, D, seed=2))
HEADS = (normal(B, H, T, D, seed=5), normal(B, H, S, D, seed=6))
NARROW = (normal(T, 17, seed=11) / 1.3, normal(S, 17, seed=12))
MANY = (normal(3, 40, D, seed=15), normal(3, 50, D, seed=16))
MANY_HEADS = (normal(2, 3, 30, D, seed=17).double(), normal(2, 3, 40, D, seed=18).double())
LONG = (normal(50, D, seed=19), normal(199, D, seed=20))
ONE_KEY_EACH = (normal(200, 1, D, seed=29), normal(200, 1, D, seed=30))
OTHERS = (normal(2, 50, D, seed=21), normal(2, 60, D, seed=22))

CASES = (
    TestCase("a batch in evaluation, p = 0.5", given(*BATCH, 0.5, False, 1)),
    TestCase("a batch in training, p = 0.3", given(*MANY, 0.3, True, 6), rtol=1e-3),
    TestCase("queries and keys in evaluation, p = 0", given(*TWO_AXES, 0.0, False, 2)),
    TestCase("a batch of heads in evaluation, p = 0", given(*HEADS, 0.0, False, None)),
    TestCase("float64 numbers in evaluation, p = 0.5", given(*(x.double() for x in BATCH), 0.5, False, 3)),
    TestCase("values as wide as keys, in training, p = 0", given(*BATCH, 0.0, True, 4, D)),
    TestCase("17 features in evaluation, p = 0.3", given(*NARROW, 0.3, False, None)),
    TestCase("heads in training, p = 0.5, in float64", given(*MANY_HEADS, 0.5, True, 7), rtol=1e-3),
    TestCase("queries and keys in training, p = 0.9", given(*LONG, 0.9, True, 8), rtol=1e-3),
    TestCase("items with one query and one key, in training, p = 0.5", given(*ONE_KEY_EACH, 0.5, True, 11), rtol=1e-3),
    TestCase("a call in training without a generator, p = 0.2", given(*OTHERS, 0.2, True, None), rtol=1e-3),
)

# ---------------------------------------------------------------- behavioral tests


def attend_in_training(attempt, generator, p=0.4):
    q, k = normal(2, 30, D, seed=23), normal(2, 40, D, seed=24)
    return attempt(q, k, values_for(k), p, True, *(() if generator is None else (generator,)))


def zero_weights(pair):
    return pair[1] == 0


def keeps_all_in_evaluation(attempt):
    """Return whether no weight is 0 in evaluation; otherwise something other than dropout makes them 0."""
    q, k = normal(2, 30, D, seed=23), normal(2, 40, D, seed=24)
    return not zero_weights(attempt(q, k, values_for(k), 0.4, False)).any()


def out_of(attempt, *args):
    """Return only out, through which gradients must flow; the returned weights may be detached."""
    return with_generator(attempt, *args)[0]


def gradients(training):
    args = (*BATCH, values_for(BATCH[1]), 0.25, training, 9)
    return gradients_flow(
        attention_with_dropout, args, ("q", "k", "v", None, None, None), out_of, compared=not training
    )


EXERCISE = exercise(
    attention_with_dropout,
    assemble=assemble,
    returns=("out", "weights"),
    runner=FunctionRunner(with_generator, ("q", "k", "v", "p", "training", "the generator's seed")),
    comparison=SummaryComparison(DROPPED.summary),
    stage_of=DROPPED.stage_of,
    judge_first=("weights",),
    axis_names=AXES,
    cases=CASES,
    minimal_inputs=tuple(
        (2.5 * round_numbers(1, 2) + shift, 2.5 * round_numbers(2, 2), round_numbers(2, 2) + 1, 0.0, training, 1)
        for shift, training in ((0, False), (1, True))
    ),
    error_meanings=ERROR_MEANINGS,
    properties=DROPPED.pair_properties(),
    behavioral_tests=(
        repeats_in_evaluation(
            lambda attempt: attempt(*BATCH, values_for(BATCH[1]), 0.4, False)[1],
            "Where does your code look at `training`?",
        ),
        decided_by_one_draw(attend_in_training, zero_weights, applies=keeps_all_in_evaluation),
        decided_without_p(attend_in_training, zero_weights, applies=keeps_all_in_evaluation),
        *zeros_are_drawn(attend_in_training, zero_weights),
        gradients(training=False),
        gradients(training=True),
    ),
)
