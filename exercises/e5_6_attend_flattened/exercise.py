"""Exercise 5.6, attend_flattened: one line of the given code is wrong."""

import torch

from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, D, H, S, T, normal, some_hidden
from exercises.e5_6_attend_flattened.given import attend_flattened as given
from exercises.e5_6_attend_flattened.misconceptions import known
from exercises.e5_6_attend_flattened.reference import attend_flattened
from feedback import Exercise, TestCase


def _inputs(items, heads, seed):
    q, k, v = normal(items, heads, T, D, seed=seed), *normal(2, items, heads, S, D, seed=seed + 1)
    return q, k, v, some_hidden(items, T, S, seed=seed + 2)


_INPUTS = _inputs(B, H, seed=11)
_ONE_KEY_EACH = torch.tensor([[[True, False]], [[False, True]]])  # item 0 reads key 0, item 1 reads key 1

EXERCISE = Exercise(
    minutes=6,
    difficulty=2,
    gives="the pair (out, weights) of attention with the mask of each item, (B, T, S), for all its heads",
    reference=attend_flattened,
    given=given,
    returns=("out", "weights"),
    axis_names=AXES,
    cases=(
        TestCase("a single text", _inputs(1, H, seed=1)),
        TestCase("a batch of two", _INPUTS),
        TestCase("three texts, two heads", _inputs(3, 2, seed=21)),
        TestCase("two texts, one head", _inputs(B, 1, seed=31)),
    ),
    minimal_inputs=(
        (
            torch.zeros(2, 2, 1, 1),
            torch.zeros(2, 2, 2, 1),
            torch.tensor([1.0, 2.0]).expand(2, 2, 2)[..., None].clone(),
            _ONE_KEY_EACH,
        ),
    ),
    misconceptions=known,
    judge_first=("weights",),
    hints=(
        "Take B = 2 and H = 3, and write down the six rows of the flattened q: which item, and which head, is in each?",
        "Now write down which item's mask is in each of the six rows of the mask. The two lists have to agree.",
    ),
    behavioral_tests=(gradients_flow(attend_flattened, _INPUTS, ("q", "k", "v", None)),),
    when_correct="With one text, one head, or the same mask for all texts, nobody notices: test texts that differ.",
)
