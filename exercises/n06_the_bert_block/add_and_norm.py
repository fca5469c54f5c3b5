"""add_and_norm: the reference, test cases, and tests of what must be true of a sum."""

import torch

from exercises.common import properties
from exercises.common.experiments import largest_difference
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, T, normal
from exercises.common.norm import layer_norm, norm_from
from exercises.n06_the_bert_block.norm_cases import BY_HAND, CASES, EQUAL_NUMBERS, SIZES, vectors_apart, weight_and_bias
from feedback import BehavioralTest, TestCase
from feedback.page_exercise import exercise


def add_and_norm(sublayer_out, x, weight, bias, eps):
    """Add what a sublayer computed to what came in, and normalize the sum.

    Shapes: sublayer_out (..., C), x (..., C) -> (..., C)
    Source: Vaswani et al. 2017, section 3.1; notebook 06
    """
    return layer_norm(sublayer_out + x, weight, bias, eps)


def assemble(add=lambda sublayer_out, x: sublayer_out + x, pass_on=lambda out, sublayer_out, x: out, **steps):
    """Build add_and_norm from a sum, a norm with these steps, and a last step on its result."""
    norm = norm_from(**steps)

    def answer(sublayer_out, x, weight, bias, eps):
        return pass_on(norm(add(sublayer_out, x), weight, bias, eps), sublayer_out, x)

    return answer


def two_of(x, *others, seed):
    """Convert arguments of layer_norm to this exercise's: two vectors instead of one."""
    return (0.5 * x + 0.5 * x.std() * normal(*x.shape, seed=seed, dtype=x.dtype), x, *others)


def opposite(x, *others):
    """Convert arguments of layer_norm to this exercise's: two vectors whose sum is the first vector of x."""
    part = torch.tensor([[1.0, 2, 0, 0.5, -1, 1, 2, 3]])
    return (part, x[:1] - part, *others)


def ask(attempt, sublayer_out, x, weight, bias):
    return attempt(sublayer_out.clone(), x.clone(), weight.clone(), bias.clone(), 1e-5)


S, X, STRETCH = normal(B, T, 11, seed=181), normal(B, T, 11, seed=182), weight_and_bias(11, 183)


@BehavioralTest.named("one-ignored", "Both belong in the sum: `sublayer_out + x`.")
def both_count(attempt):
    """Change one of the two inputs; the result must change."""
    before, plus = ask(attempt, S, X, *STRETCH), normal(B, T, 11, seed=184)
    changed = {"x": ask(attempt, S, X + plus, *STRETCH), "sublayer_out": ask(attempt, S + plus, X, *STRETCH)}
    for name, after in changed.items():
        if largest_difference(before, after) < 1e-5:
            return f"Changing {name} does not change your result: {name} is never used."
    return None


@BehavioralTest.named("not-a-sum", "Both go through the same steps: add them first, and do everything else to the sum.")
def both_count_alike(attempt):
    """Exchange the two inputs; the result must stay the same."""
    moved = largest_difference(ask(attempt, S, X, *STRETCH), ask(attempt, X, S, *STRETCH))
    if moved < 1e-4:
        return None
    return (
        f"In a sum the order does not matter: with sublayer_out and x exchanged, the result must be the same. "
        f"Yours changes by up to {moved:.4f}."
    )


EXERCISE = exercise(
    add_and_norm,
    assemble=assemble,
    returns=("out",),
    axis_names=AXES | SIZES,
    cases=(
        *(TestCase(name, two_of(*args, seed=190 + i)) for i, (name, args) in enumerate(CASES)),
        TestCase("sums of equal numbers", opposite(*EQUAL_NUMBERS)),
    ),
    minimal_inputs=(
        (torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0]), *BY_HAND, 3.0),
        (torch.tensor([[0.0, 1.0], [3.0, 0.0]]), torch.tensor([[1.0, 2.0], [-7.0, 0.0]]), *BY_HAND, 3.0),
    ),
    properties=(properties.FINITE,),
    behavioral_tests=(
        both_count,
        vectors_apart(lambda attempt, x, weight, bias: ask(attempt, x, x.flip(-1), weight, bias)),
        both_count_alike,
        gradients_flow(
            add_and_norm,
            (normal(2, 3, 7, seed=185), normal(2, 3, 7, seed=186), *weight_and_bias(7, 187), 1e-5),
            ("sublayer_out", "x", "weight", "bias", None),
        ),
    ),
)
