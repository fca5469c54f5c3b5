"""dropout: the reference, its steps and test cases; the page next to it says the rest."""

import torch

from exercises.common import explainers, properties
from exercises.common.devices import keeps_to_the_device
from exercises.common.dropout import decided_by_one_draw, decided_without_p
from exercises.common.dropout_statistics import DropoutExplainer, Dropped, comparable, outline
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, generator, seeded, with_generator
from exercises.n04_dropout.generators import BELOW_P, ERROR_MEANINGS, zeros_are_drawn
from feedback import BehavioralTest, FunctionRunner, SummaryComparison, TestCase
from feedback.page_exercise import exercise


def dropout(x, p, generator=None):
    keep = torch.rand(x.shape, generator=generator, device="cpu") >= p  # a draw for each number, where the generator is
    return x * keep.to(x.device) / (1 - p)


DROPPED = DropoutExplainer(
    lambda case: Dropped(case.args[0], case.actual, case.args[1]),
    noun="numbers",
    draw="torch.rand(x.shape, ...)",
    share=f"Each number {BELOW_P}",
)


def assemble(drop):
    """Return the only step, which is the answer. (In 4.2 and 4.3, dropout is one step of several.)"""
    return drop


def uniform(*shape, seed, dtype=torch.float32):
    """Return numbers from 0.5 to 1.5, so that each 0 in the result is a dropped number."""
    return (0.5 + torch.rand(shape, generator=generator(seed), dtype=torch.float64)).to(dtype)


def summary(args, value):
    """Return what all right answers have in common, whatever they drop."""
    x, p = args[:2]
    if not comparable(value, x):
        return outline(value)
    dropped = Dropped(x, value, p)
    if p:
        return dropped.summary
    return "dropped with p = 0" if dropped.count else value


def stage_of(args):
    """Judge calls with a generator first, then without one, and p = 0, which may cause a division by 0, last."""
    _, p, seed = args
    return int(seed is None) if p else 2


def drop_some(attempt, generator, p=0.4):
    return attempt(uniform(40, 50, seed=9), p, *(() if generator is None else (generator,)))


def is_zero(result):
    return result == 0


def chosen_by_size(attempt):
    """Find answers that draw nothing: the smallest or the largest numbers become 0."""
    x = uniform(40, 50, seed=10)
    zeroed = attempt(x, 0.4, seeded(1)) == 0
    if not zeroed.any() or zeroed.all():
        return None
    if x[zeroed].max() < x[~zeroed].min():
        return "Nothing is drawn: your code always zeroes the smallest numbers, and keeps the largest."
    if x[zeroed].min() > x[~zeroed].max():
        return "Nothing is drawn: your code always zeroes the largest numbers, and keeps the smallest."
    return None


def wrong_gradients(attempt):
    """Check gradients: result = x * keep / (1 - p), so the gradient of each number in x is result / x."""
    x, weights = uniform(40, 50, seed=11).requires_grad_(), uniform(40, 50, seed=13)
    result = attempt(x, 0.4, seeded(11))
    (result * weights).sum().backward()
    given, right = x.grad, (result / x * weights).detach()
    if torch.allclose(given, right, rtol=1e-3, atol=1e-4):
        return None
    at = explainers.worst(given, right)
    return (
        f"The numbers are right, but the gradient is not: x{explainers.position(at)} became "
        f"{explainers.number(result[at])}, and its gradient is {explainers.number(given[at])} where "
        f"{explainers.number(right[at])} is right."
    )


BY_SIZE = (
    "chosen-by-size",
    chosen_by_size,
    "Dropout does not look at the numbers: each becomes 0 with probability p, whatever it is. Compare "
    "random numbers with p, not those of x.",
)

EXERCISE = exercise(
    dropout,
    assemble=assemble,
    returns=("result",),
    runner=FunctionRunner(with_generator, ("x", "p", "the generator's seed")),
    comparison=SummaryComparison(summary),
    stage_of=stage_of,
    cases=(
        TestCase("10,000 numbers, p = 0.3", (uniform(100, 100, seed=1), 0.3, 1), rtol=1e-3),
        TestCase("a vector, p = 0.5", (uniform(10_007, seed=2), 0.5, 2), rtol=1e-3),
        TestCase("three axes, p = 0.6", (uniform(7, 30, 41, seed=3) * (-1) ** torch.arange(41), 0.6, 3), rtol=1e-3),
        TestCase("four axes, p = 0.9", (uniform(4, 6, 20, 31, seed=4), 0.9, 4), rtol=1e-3),
        TestCase("20,000 numbers, p = 0.005", (uniform(200, 100, seed=12), 0.005, 12), rtol=1e-3),
        TestCase("float64 numbers, p = 0.25", (uniform(90, 130, seed=5, dtype=torch.float64), 0.25, 5), rtol=1e-3),
        TestCase("a call without a generator, p = 0.2", (uniform(90, 110, seed=6), 0.2, None), rtol=1e-3),
        TestCase("a matrix, p = 0", (uniform(7, 11, seed=7), 0.0, 7)),
        TestCase("a call without a generator, p = 0", (uniform(1, 3, 1, 5, seed=8), 0.0, None)),
    ),
    minimal_inputs=(),
    axis_names=AXES | dict.fromkeys((2, 3, 5, 7, 11, 13, 17), ""),
    error_meanings=ERROR_MEANINGS,
    properties=(properties.FINITE, *DROPPED.properties(lambda case: case.args[1])),
    behavioral_tests=(
        decided_by_one_draw(drop_some, is_zero),
        BehavioralTest(*BY_SIZE, early=True),
        BehavioralTest(*BY_SIZE, required=True, while_doing="called once more,"),
        decided_without_p(drop_some, is_zero),
        *zeros_are_drawn(drop_some, is_zero),
        gradients_flow(dropout, (uniform(40, 50, seed=11), 0.4, 11), ("x", None, None), with_generator, compared=False),
        BehavioralTest(
            "wrong-gradients",
            wrong_gradients,
            "Make the result from x in one calculation: what is written into `.data`, or detached, has no part in the "
            "backward pass.",
            required=True,
            while_doing="in the backward pass",
        ),
        keeps_to_the_device(
            "x",
            uniform(40, 50, seed=9),
            call=lambda attempt, x: (attempt(x, 0.4, seeded(1)), attempt(x, 0.4)),
            hint="The generator draws on the CPU alone: draw without `device=`, then move the coins with "
            "`.to(x.device)`.",
        ),
    ),
)
