"""Exercise 4.2: attention_with_dropout."""

import torch

from exercises.common import references
from exercises.common.dropping import _by_chance, _drawn, _pair_essence, _pair_laws, _with_generator
from exercises.common.inputs import AXES, DV, B, D, H, S, T, normal, round_numbers
from exercises.e4_2_attention_with_dropout.misconceptions import MISCONCEPTIONS
from exercises.e4_2_attention_with_dropout.shared import _OF_WEIGHTS, _look_attention
from feedback import Exercise, FunctionRunner, SummaryComparison, TestCase


def _shows_the_mix(v):
    """v with the identity in front: those columns of out are the matrix that mixed the values."""
    size = v.size(-2)
    return torch.cat([torch.eye(size, dtype=v.dtype).expand(*v.shape[:-2], size, size), v], -1)


def _attention_essence(args, value):
    q, k, v, p, training = args[:5]
    return _pair_essence(references.attention_weights(q, k), v, p, training, value)


def _items_v(k, width=DV, seed=20):
    return normal(*k.shape[:-1], width, seed=seed, dtype=k.dtype)


def _try(q, k, p, training, seed, width=DV):
    """The arguments of 4.2; where p is not 0, out shows the weights that made it."""
    v = _items_v(k, width)
    return q, k, _shows_the_mix(v) if p else v, p, training, seed


_THREE = (normal(B, T, D, seed=3), normal(B, S, D, seed=4))


_PROBES_42 = (
    TestCase("a batch, in evaluation", _try(*_THREE, 0.5, False, 1)),
    TestCase("in training, p = 0.3", _try(normal(3, 40, D, seed=15), normal(3, 50, D, seed=16), 0.3, True, 6), rtol=1e-3),
    TestCase("queries and keys, p = 0", _try(normal(T, D, seed=1), normal(S, D, seed=2), 0.0, True, 2)),
    TestCase("a batch of heads, p = 0", _try(normal(B, H, T, D, seed=5), normal(B, H, S, D, seed=6), 0.0, False, None)),
    TestCase("float64, in evaluation", _try(*(x.double() for x in _THREE), 0.5, False, 3)),
    TestCase("values as wide as keys, p = 0", _try(*_THREE, 0.0, True, 4, D)),
    TestCase("17 features, in evaluation", _try(normal(T, 17, seed=11) / 1.3, normal(S, 17, seed=12), 0.3, False, None)),
    TestCase("four items, one query each, p = 0", _try(normal(4, 1, D, seed=13), normal(4, S, D, seed=14), 0.0, True, 5)),
    TestCase("heads in training, p = 0.5, float64",
          _try(normal(2, 3, 30, D, seed=17).double(), normal(2, 3, 40, D, seed=18).double(), 0.5, True, 7), rtol=1e-3),
    TestCase("in training, p = 0.9", _try(normal(50, D, seed=19), normal(199, D, seed=20), 0.9, True, 8), rtol=1e-3),
    TestCase("in training without a generator, p = 0.2",
          _try(normal(2, 50, D, seed=21), normal(2, 60, D, seed=22), 0.2, True, None), rtol=1e-3),
)


def _round(*shape):
    return 2.5 * round_numbers(*shape)


def _one_training(attempt, generator, p=0.4):
    q, k = normal(2, 30, D, seed=23), normal(2, 40, D, seed=24)
    return attempt(q, k, _items_v(k), p, True, *(() if generator is None else (generator,)))


EXERCISE = Exercise(
    id="4.2", name="attention_with_dropout",
    signature="attention_with_dropout(q, k, v, p, training, generator=None)", minutes=8, difficulty=2,
    gives="the pair (out, weights) of attention, with dropout on the weights in training; the weights are those used",
    reference=references.attention_with_dropout, arguments=("q", "k", "v", "p", "training", "generator"),
    returns=("out", "weights"),
    runner=FunctionRunner(_with_generator, ("q", "k", "v", "p", "training", "the generator's seed")),
    comparison=SummaryComparison(_attention_essence),
    axis_names=AXES, cases=_PROBES_42,
    minimal_inputs=tuple((_round(1, 2) + shift, _round(2, 2), round_numbers(2, 2) + 1, 0.0, training, 1)
                for shift, training in ((0, False), (1, True))),
    misconceptions=MISCONCEPTIONS,
    hints=(
        "You have both parts: attention_weights from exercise 2.3 and dropout from exercise 4.1. What goes into the "
        "dropout, and when?",
        "weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(dim=-1); if training: "
        "weights = dropout(weights, p, generator).",
        "After that, `return weights @ v, weights`: the same weights twice.",
    ),
    properties=(*_pair_laws(_look_attention, lambda case: case.args[2]), *_OF_WEIGHTS.properties(_drawn(_look_attention))),
    behavioral_tests=_by_chance(_one_training, lambda pair: pair[1] == 0),
    when_correct="In training no query can lean on one key alone; in evaluation all of them count.",
)
