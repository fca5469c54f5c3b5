"""Exercise 6.2: add_and_norm."""

import torch

from exercises.common import references
from exercises.common.block import (
    _BY_HAND,
    _EQUAL,
    _NORM_LAWS,
    _NORM_PROBES,
    _NORM_SIZES,
    _moved,
    _stretch,
    _vectors_apart,
)
from exercises.common.inputs import AXES, B, T, normal
from exercises.e6_2_add_and_norm.misconceptions import MISCONCEPTIONS
from feedback import BehavioralTest, Exercise, TestCase


def _sum_once(attempt, x, weight, bias):
    """The same for 6.2: x, and its features in reverse order."""
    return attempt(x.clone(), x.flip(-1), weight.clone(), bias.clone(), 1e-5)


def _split_in_two(args, seed, share=0.5):
    """Arguments for 6.2 from those for 6.1: two vectors instead of one."""
    x, *rest = args
    part = share * x + 0.5 * x.std() * normal(*x.shape, seed=seed, dtype=x.dtype)
    return (part, x, *rest)


def _both_count(attempt):
    """Change one of the two and look whether the result notices."""
    s, x, (weight, bias) = normal(B, T, 11, seed=181), normal(B, T, 11, seed=182), _stretch(11, 183)

    def ask(s, x):
        return attempt(s.clone(), x.clone(), weight.clone(), bias.clone(), 1e-5)

    before, plus = ask(s, x), normal(B, T, 11, seed=184)
    for name, after in (("x", ask(s, x + plus)), ("sublayer_out", ask(s + plus, x))):
        if _moved(before, after) < 1e-5:
            return f"When {name} changed, your result stayed as it was: {name} has no part in it."
    return None


def _both_count_alike(attempt):
    """Exchange the two."""
    s, x, (weight, bias) = normal(B, T, 11, seed=181), normal(B, T, 11, seed=182), _stretch(11, 183)
    moved = _moved(attempt(s.clone(), x.clone(), weight.clone(), bias.clone(), 1e-5),
                   attempt(x.clone(), s.clone(), weight.clone(), bias.clone(), 1e-5))
    if moved < 1e-4:
        return None
    return (f"A sum does not mind which comes first: with sublayer_out and x exchanged the result must be the same. "
            f"Yours moved by {moved:.4f}.")


EXERCISE = Exercise(
    id="6.2", name="add_and_norm", signature="add_and_norm(sublayer_out, x, weight, bias, eps)", minutes=4,
    difficulty=1,
    gives="sublayer_out + x, brought to size by layer norm: the residual is added first, then comes the norm",
    reference=references.add_and_norm, arguments=("sublayer_out", "x", "weight", "bias", "eps"), returns=("out",),
    axis_names=AXES | _NORM_SIZES,
    cases=(*(TestCase(name, _split_in_two(args, 190 + i)) for i, (name, args) in enumerate(_NORM_PROBES)),
            TestCase("sums of equal numbers", (torch.tensor([[1.0, 2, 0, 0.5, -1, 1, 2, 3]]),
                                            2.5 - torch.tensor([[1.0, 2, 0, 0.5, -1, 1, 2, 3]]), *_EQUAL[1:]))),
    minimal_inputs=((torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0]), *_BY_HAND),
           (torch.tensor([[0.0, 1.0], [3.0, 0.0]]), torch.tensor([[1.0, 2.0], [-7.0, 0.0]]), *_BY_HAND)),
    misconceptions=MISCONCEPTIONS,
    hints=(
        "Two steps, in the order of the name: add, then norm.",
        "Your layer_norm from exercise 6.1 does the second step: layer_norm(sublayer_out + x, weight, bias, eps)",
    ),
    behavioral_tests=(BehavioralTest("one-ignored", _both_count, "Both belong into the sum: sublayer_out + x."),
                 _vectors_apart(_sum_once),
                 BehavioralTest("not-a-sum", _both_count_alike,
                            "Both go through the same steps: add them first, and do everything else to the sum.")),
    properties=_NORM_LAWS[:2],
    when_correct="x goes past the sublayer unchanged and is added to what it found: so it is called the residual path.",
)
