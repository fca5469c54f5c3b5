"""capped_scores: the reference and its test cases."""

import math

import torch

from exercises.common import explainers
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, H, S, T, normal, some_hidden
from feedback import TestCase
from feedback.page_exercise import exercise


def capped_scores(scores, cap, mask):
    """Keep the scores between -cap and cap, then hide keys.

    Shapes: scores (B, H, T, S), mask broadcastable to it, True = may attend -> (B, H, T, S)
    Source: Gemma 2, 2024; notebook 11
    """
    return (cap * torch.tanh(scores / cap)).masked_fill(~mask, float("-inf"))


def hidden_score(case):
    """Show the first hidden key whose score is not -inf, or the first visible one whose score is."""
    hidden = case.expected_first == -math.inf
    wrong = (case.first == -math.inf) != hidden
    if not wrong.any():
        return visible_score(case)
    at = tuple(wrong.nonzero()[0].tolist())
    kind = "hidden from" if hidden[at] else "visible to"
    got = explainers.number(case.first[at])
    return f"key {at[-1]} is {kind} query {at[-2]}, and its score at {explainers.position(at)} is {got}"


def visible_score(case):
    """Show the visible score that is furthest off."""
    scores, cap, _ = case.args
    visible = case.expected_first.isfinite()
    at = explainers.worst(*(x.masked_fill(~visible, 0.0) for x in (case.first, case.expected_first)))
    got, right = explainers.number(case.first[at]), explainers.number(case.expected_first[at])
    score = f"the score {explainers.number(scores[at])} at {explainers.position(at)}"
    return f"{score} became {got}; with a cap of {cap} it becomes {right}"


ALL = torch.ones(T, S, dtype=torch.bool)
CAUSAL = ALL.tril(S - T)


def scores(seed, size=3.0, dtype=torch.float32):
    return normal(B, H, T, S, seed=seed, dtype=dtype) * size


def stage_of(args):
    """Judge calls without hidden keys first, then with some, and huge numbers and float64 last."""
    given, _, mask = args
    return 2 if given.abs().max() > 1e3 or given.dtype == torch.float64 else int(not mask.all())


EXERCISE = exercise(
    capped_scores,
    returns=("scores",),
    axis_names=AXES,
    cases=(
        TestCase("all keys visible, a cap of 2.5", (scores(1), 2.5, ALL)),
        TestCase("a cap that is a whole number", (scores(4, 20.0), 30, ALL)),
        TestCase("a causal mask (T, S)", (scores(5), 2.5, CAUSAL)),
        TestCase("a mask (S,)", (scores(7), 3.5, some_hidden(S))),
        TestCase(
            "a mask (B, H, T, S), one row hidden whole",
            (scores(8), 4.0, some_hidden(B, H, T, S, seed=2) & (torch.arange(T)[:, None] > 0)),
        ),
        TestCase("small scores", (scores(9, 1e-3), 5.0, CAUSAL)),
        TestCase("huge scores", (scores(10, 1e4), 50.0, CAUSAL)),
        TestCase("float64", (scores(12, dtype=torch.float64), 2.5, CAUSAL)),
    ),
    minimal_inputs=(
        (torch.tensor([[[[4.0]]]]), 2.0, torch.tensor([[True]])),
        (torch.tensor([[[[1.0, -8.0]]]]), 2.0, torch.tensor([[True, True]])),
        (torch.tensor([[[[1.0, 1.0]]]]), 2.0, torch.tensor([[True, False]])),
        (torch.tensor([[[[0.5, 300.0]]]]), 2.0, torch.tensor([[True, True]])),
    ),
    stage_of=stage_of,
    behavioral_tests=(gradients_flow(capped_scores, (scores(21), 2.5, ALL), ("scores", None, None)),),
)
