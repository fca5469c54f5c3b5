"""Exercise 2.7, project_and_attend: one line of the given code is wrong."""

import torch

from exercises.common.inputs import B, D, T, normal
from exercises.e2_7_project_and_attend.given import project_and_attend as given
from exercises.e2_7_project_and_attend.misconceptions import known
from exercises.e2_7_project_and_attend.reference import project_and_attend
from feedback import Exercise, TestCase

D_IN = 7


def _matrices(d_in, width, seed):
    return tuple(0.7 * normal(d_in, width, seed=seed + i) for i in range(3))


def _case(name, *leading, d_in=D_IN, width=D, seed=1):
    return TestCase(name, (normal(*leading, T, d_in, seed=seed), *_matrices(d_in, width, seed + 1)))


def _column(*numbers):
    return torch.tensor(numbers)[:, None]


EXERCISE = Exercise(
    minutes=6,
    difficulty=2,
    gives="the pair (out, weights) of a head: its queries, keys and values are x times the three matrices, and the "
    "scores are divided so that their spread does not depend on D",
    reference=project_and_attend,
    given=given,
    returns=("out", "weights"),
    axis_names={B: "B", T: "T", D_IN: "d_in", D: "D"},
    cases=(
        _case("a text", seed=1),
        _case("a batch", B, seed=11),
        _case("as many columns as features", d_in=D, seed=21),
        _case("3 columns", width=3, seed=31),
        _case("one column", B, width=1, seed=41),
    ),
    minimal_inputs=((torch.tensor([[1.0, 0.0], [0.0, 1.0]]), _column(2.0, 0.0), _column(0.0, 2.0), _column(1.0, 5.0)),),
    misconceptions=known,
    judge_first=("weights",),
    hints=(
        "All of it is right if the three matrices are square. Which line speaks of a size?",
        "A score adds up as many products as a query has numbers. Which tensor knows how many these are?",
    ),
    when_correct="Where d_in = D, as in many models, no test would have noticed: test with sizes that all differ.",
)
