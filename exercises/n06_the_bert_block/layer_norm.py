"""layer_norm: the reference and its test cases."""

import torch

from exercises.common import explainers, properties
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, normal
from exercises.common.norm import norm_from, without_weight_and_bias
from exercises.n06_the_bert_block.norm_cases import BY_HAND, CASES, EQUAL_NUMBERS, SIZES, vectors_apart, weight_and_bias
from feedback import Property, TestCase
from feedback.page_exercise import exercise


def layer_norm(x, weight, bias, eps):
    """Bring each vector to mean 0 and variance 1, then stretch and shift its features.

    Shapes: x (..., C), weight (C,), bias (C,) -> (..., C)
    Source: Ba et al. 2016; notebook 06
    """
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True, unbiased=False)
    return (x - mean) / (variance + eps).sqrt() * weight + bias


def eps_matters(args):
    """Return the stage: 0 if eps is negligible compared with each variance, else 1."""
    x, eps = args[0], args[-1]
    return int(eps > 1e-4 * x.var(dim=-1, unbiased=False).min())


def same_in_each_vector(statistic, should, atol):
    """Return a property's test: a statistic of each vector, without weight and bias, must be right."""

    def test(case):
        got, right = (statistic(without_weight_and_bias(x, case)) for x in (case.first, case.expected_first))
        if torch.allclose(got, right, rtol=1e-3, atol=atol):
            return None
        at = explainers.worst(got, right)
        where = f" at {explainers.position(at)}" if at else ""
        return (
            f"Without weight and bias, (result - bias) / weight, each vector must have {should}. Yours{where} has "
            f"{explainers.number(got[at])}, and {explainers.number(right[at].abs())} is right."
        )

    return test


EXERCISE = exercise(
    layer_norm,
    assemble=norm_from,
    returns=("out",),
    axis_names=AXES | SIZES,
    cases=(
        *(TestCase(name, args) for name, args in CASES),
        TestCase("vectors of equal numbers", EQUAL_NUMBERS),
        TestCase(
            "numbers around 10,000",
            (torch.tensor([10000.0, 10001.0, 10005.0]), torch.ones(3), torch.zeros(3), 1e-5),
            limitation="It has a limit: try x = [10000, 10001, 10005]. If you compute the variance as the mean of the "
            "squares minus the square of the mean, it is a small difference of two numbers near a hundred million, of "
            "which float32 keeps seven digits. Subtract the mean first, and square what is left.",
        ),
    ),
    minimal_inputs=(
        (torch.tensor([1.0, 3.0]), *BY_HAND, 0.0),
        (torch.tensor([1.0, 3.0]), *BY_HAND, 3.0),
        (torch.tensor([[1.0, 3.0], [-4.0, 0.0]]), *BY_HAND, 0.0),
        (torch.tensor([[0.0, 3, 6], [1, 1, 1]]), torch.tensor([1.0, 2, -1]), torch.tensor([0.0, 1, 0.5]), 0.25),
    ),
    stage_of=eps_matters,
    properties=(
        properties.FINITE,
        Property(
            "mean-not-0",
            same_in_each_vector(lambda x: x.mean(-1), "mean 0", 1e-3),
            "Is the mean that you subtract that of the vector itself, over the last axis? And is there anything "
            "after the division but z * weight + bias?",
        ),
        Property(
            "variance-not-1",
            same_in_each_vector(
                lambda x: x.var(-1, unbiased=False),
                "the variance variance / (variance + eps), which is nearly 1 when eps is small",
                1e-4,
            ),
            "Print the variance of one vector, and what you divide by. Is that the root of (variance + eps), and is "
            "the variance the mean of the squared distances from the mean?",
        ),
    ),
    behavioral_tests=(
        vectors_apart(lambda attempt, *given: attempt(*(tensor.clone() for tensor in given), 1e-5)),
        gradients_flow(
            layer_norm, (normal(2, 3, 7, seed=191), *weight_and_bias(7, 192), 1e-5), ("x", "weight", "bias", None)
        ),
    ),
)
