"""Exercise 7.3: first_difference."""

import math

import torch
from torch import nn

from exercises.common.inputs import normal
from exercises.e7_3_first_difference.behavior import TESTS
from exercises.e7_3_first_difference.misconceptions import known, told
from exercises.e7_3_first_difference.models import (
    AddsInPlace,
    Chain,
    Negated,
    Residual,
    Scaled,
    Step,
    Sum,
    embedding,
    in_training,
    linear,
    one_changed,
    steps,
)
from exercises.e7_3_first_difference.reference import first_difference
from feedback import ContractViolation, Exercise, FunctionRunner, Property, TestCase
from feedback.format import describe, sentence


class Answer(list):
    """A name or None, in the form that the engine compares; it is shown as it came."""

    def __repr__(self):
        return repr(self[0])


def call(attempt, mine, theirs, x):
    """What the attempt says: a name or None.

    Errors: ContractViolation if it is something else
    """
    said = attempt(mine, theirs, x)
    if said is not None and not isinstance(said, str):
        raise ContractViolation(
            "returns-wrong-type",
            f"Your code returned {describe(said)}; the name of a child, as a str, was expected, or None.",
        )
    return Answer([said])


def wrong_name(case):
    return sentence(told(case)) if case.actual != case.expected else None


X = normal(3, 40, seed=300)
IDS = torch.tensor([[1, 4, 2], [3, 0, 2]])
SMALL = torch.full((40,), 5e-5)


def models(kind, mine, theirs, **options):
    """Two models of one kind, made of these steps."""
    return kind(**options, **steps(**mine)), kind(**options, **steps(**theirs))


ABC = {"a": 2, "b": (1, 1), "c": 3}
OTHER_B = ABC | {"b": (1, 1.5)}


def with_an_inner_part(plus):
    return Chain(
        embed=embedding(302, 5, 7),
        encoder=Chain(norm=nn.LayerNorm(7), shift=Step(1, plus)),
        head=linear(303, 7, 3),
    )


def with_norm(eps):
    return Chain(run=("dense", "norm", "out"), norm=nn.LayerNorm(5, eps=eps), out=linear(304, 5), dense=linear(305, 5))


def with_unused_row(by):
    table = embedding(306, 6, 7)
    with torch.no_grad():
        table.weight[5] += by
    return Chain(embed=table, head=linear(307, 7))


def with_dropout(times):
    return Chain(a=Step(2), drop=nn.Dropout(0.5), b=Step(times), c=Step(3))


def unused_part(plus, times):
    return Chain(run=("a", "b"), spare=Step(1, plus), a=Step(2), b=Step(times))


CASES = (
    TestCase("the second of three children differs", (*models(Chain, ABC, OTHER_B), X)),
    TestCase("no child differs", (*models(Chain, ABC, ABC), X)),
    TestCase("the first child differs", (*models(Chain, ABC, ABC | {"a": 2.5}), X)),
    TestCase(
        "names that are not in the order of the alphabet",
        (*models(Chain, {"z": 2, "a": (1, 1), "m": 3}, {"z": 3, "a": (1, 1), "m": 3}), X),
    ),
    TestCase("the last child differs", (*models(Chain, ABC, ABC | {"c": -3}), X)),
    TestCase(
        "children that run in another order than they were registered",
        (*models(Chain, {"c": 3, "b": (1, 1), "a": 2}, {"c": 4, "b": (1, 2), "a": 2}, run=("a", "b", "c")), X),
    ),
    TestCase(
        "children that were registered in different orders",
        (
            Chain(run=("a", "b", "c"), **steps(b=(1, 1), a=2, c=3)),
            Chain(run=("a", "b", "c"), **steps(c=4, b=(1, 1), a=2)),
            X,
        ),
    ),
    TestCase(
        "a(x) + b(x) against b(x) + a(x)",
        (Sum(run=("a", "b"), **steps(a=2, b=(1, 1))), Sum(run=("b", "a"), **steps(a=2, b=(1, 1))), X),
    ),
    TestCase(
        "a(x) + b(x) + c(x) against the reverse, and one difference",
        (Sum(run=("c", "b", "a"), **steps(**ABC)), Sum(run=("a", "b", "c"), **steps(**OTHER_B)), X),
    ),
    TestCase(
        "differences of 0.00005 in every number", (*models(Chain, {"a": 2, "b": 1}, {"a": (2, SMALL), "b": 1}), X)
    ),
    TestCase(
        "a difference of 0.00002 in one number",
        (*models(Chain, {"a": 2, "b": 1}, {"a": (2, one_changed(40, 5, 2e-5)), "b": 1}), X),
    ),
    TestCase(
        "a difference of 0.0003 in every number",
        (*models(Chain, {"a": 2, "b": 1000}, {"a": (2, 6 * SMALL), "b": 1000}), X),
    ),
    TestCase(
        "one number of 40 that is too small by 0.0003",
        (*models(Chain, {"a": 2, "b": 1000}, {"a": (2, one_changed(40, 17, 3e-4)), "b": 1000}), X),
    ),
    TestCase(
        "one number of 40 that is too large by 0.0003",
        (*models(Chain, {"a": 2, "b": 1000}, {"a": (2, one_changed(40, 11, -3e-4)), "b": 1000}), X),
    ),
    TestCase(
        "a difference of 0.0012 between numbers around 20",
        (*models(Chain, {"a": (1, 20), "b": 2, "c": (1, 1)}, {"a": (1, 20.0012), "b": 2, "c": (1, 3)}), X),
    ),
    TestCase(
        "a difference of 0.0005 between numbers around 100",
        (*models(Chain, {"a": (1, 100), "b": 2}, {"a": (1, 100.0005), "b": 2}), X),
    ),
    TestCase("a difference that the next child undoes", (*models(Chain, ABC | {"c": 0}, OTHER_B | {"c": 0}), X)),
    TestCase("dropout in training, and no difference", (*in_training(with_dropout(1), with_dropout(1)), X)),
    TestCase("dropout in training, and a difference after it", (*in_training(with_dropout(1), with_dropout(2)), X)),
    TestCase(
        "a child that works in place",
        (
            Chain(dense=linear(308, 5), relu=nn.ReLU(inplace=True), out=Step(2)),
            Chain(dense=linear(308, 5), relu=nn.ReLU(inplace=True), out=Step(2.5)),
            normal(3, 5, seed=309),
        ),
    ),
    TestCase(
        "a negative output that differs, before a child that works in place",
        (
            Chain(scale=Step(1, -9), relu=nn.ReLU(inplace=True)),
            Chain(scale=Step(1, -8), relu=nn.ReLU(inplace=True)),
            X,
        ),
    ),
    TestCase("a forward that adds in place", (*models(AddsInPlace, ABC, OTHER_B), X)),
    TestCase("a residual connection around each child", (*models(Residual, ABC, OTHER_B), X)),
    TestCase("a step between two children differs", (Negated(1, **steps(**ABC)), Negated(-1, **steps(**ABC)), X)),
    TestCase("what comes after the children differs", (Scaled(1.0, **steps(**ABC)), Scaled(2.0, **steps(**ABC)), X)),
    TestCase("a child that never runs differs", (unused_part(1, 3), unused_part(2, 3), X)),
    TestCase("a child within a child differs", (with_an_inner_part(0.0), with_an_inner_part(0.5), IDS)),
    TestCase("the eps of a LayerNorm differs", (with_norm(1e-5), with_norm(0.1), normal(3, 5, seed=310))),
    TestCase("a parameter that x does not use differs", (with_unused_row(0), with_unused_row(1), IDS)),
    TestCase(
        "a child that gives NaN in one of the modules",
        (*models(Chain, ABC, ABC | {"b": (1, math.nan)}), X),
        limitation="It has a limit: a child that gives NaN in one of the modules. `nan > 1e-4` is False, and so is "
        "`nan <= 1e-4`: of the two, `not difference <= 1e-4` notices it.",
    ),
)

ONE = torch.tensor([1.0])


def small(mine, theirs):
    return *models(Chain, mine, theirs), ONE


EXERCISE = Exercise(
    minutes=20,
    difficulty=3,
    gives="the name of the first child, in the order in which those of mine run, whose output for x differs between "
    "the two modules by more than 1e-4, or None; both are run in evaluation mode, and are afterwards as they were",
    reference=first_difference,
    returns=("name",),
    runner=FunctionRunner(call),
    cases=CASES,
    minimal_inputs=(
        small({"a": 2, "b": (1, 1)}, {"a": 2, "b": (1, 2)}),
        small({"a": 2, "b": (1, 1)}, {"a": 2, "b": (1, 1)}),
        small({"a": 2, "b": (1, 1), "c": 3}, {"a": 3, "b": (1, 1), "c": 3}),
        small({"a": 2, "b": (1, 1)}, {"a": 2, "b": (1, 1.00005)}),
        small({"a": 2, "b": (1, 1), "c": 3}, {"a": 2, "b": (1, 1.001), "c": 3}),
    ),
    error_meanings=(
        (
            r"^KeyError",
            "No output was kept under this name: the child did not run, or its hook used another name. (A hook made in "
            "a loop looks up the loop's variable only when it runs: by then it is the last name.)",
        ),
    ),
    misconceptions=known,
    hints=(
        "Of both modules you need the same: what their children returned, and in which order. Which function could "
        "you call once for each? And what must it put back at the end, even if a child raises?",
        "Write a function that runs one module and returns a dict from the names of its children to copies of their "
        "outputs; a dict keeps the order in which it was filled. Each hook needs its own name.",
        "Before the run: remember `module.training` of every module in `model.modules()`, and call `model.eval()`. "
        "The run belongs in `try`; in `finally` remove the hooks and put the modes back.",
        "Then go through the names of mine: if not `(one[name] - other[name]).abs().max() <= 1e-4`, return name. "
        "(Said this way, it also notices NaN.) After the loop, return None.",
    ),
    properties=(
        Property(
            "wrong-name",
            wrong_name,
            "Print each child's name when it has run, with the largest difference between its two outputs: which is "
            "the first above 1e-4? (forward decides in which order children run, and what happens between them.)",
        ),
    ),
    behavioral_tests=TESTS,
    when_correct="Whatever you port next, you know how to find where it goes wrong; for whole models, "
    "`helpers.comparison.compare` does it, and says what differs where it can.",
)
