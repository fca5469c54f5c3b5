"""Exercise 11.4: capped_scores."""

import torch

from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, H, S, T, normal, some_hidden
from exercises.e11_4_capped_scores.misconceptions import FORMULA, ORDER, hidden_score, known, visible_score
from exercises.e11_4_capped_scores.reference import capped_scores
from feedback import Exercise, Property, TestCase

ALL = torch.ones(T, S, dtype=torch.bool)
CAUSAL = ALL.tril(S - T)


def scores(seed, size=3.0, dtype=torch.float32):
    return normal(B, H, T, S, seed=seed, dtype=dtype) * size


def hidden_ones_read(case):
    if case.first.shape != case.expected_first.shape:
        return None
    if ((case.first == -torch.inf) == (case.expected_first == -torch.inf)).all():
        return None
    return f"{hidden_score(case).capitalize()}; -inf belongs where the mask is False, and only there."


def beyond_the_cap(case):
    cap = case.args[1]
    if case.first.shape != case.expected_first.shape or (case.first.nan_to_num(neginf=0.0).abs() <= cap * 1.001).all():
        return None
    return f"Every visible score must end between -cap and cap: {visible_score(case)}."


def stage_of(args):
    """Without a hidden key first, then with one; numbers that are huge, and float64, come last."""
    given, _, mask = args
    return 2 if given.abs().max() > 1e3 or given.dtype == torch.float64 else int(not mask.all())


EXERCISE = Exercise(
    minutes=6,
    difficulty=1,
    gives="the scores (B, H, T, S) as cap · tanh(scores / cap), and -inf where the mask is False",
    reference=capped_scores,
    returns=("scores",),
    axis_names=AXES,
    cases=(
        TestCase("all keys visible, a cap of 2.5", (scores(1), 2.5, ALL)),
        TestCase("all keys visible, a cap of 50", (scores(2, 40.0), 50.0, ALL)),
        TestCase("all keys visible, a cap of 0.7", (scores(3), 0.7, ALL)),
        TestCase("a cap that is a whole number", (scores(4, 20.0), 30, ALL)),
        TestCase("a causal mask (T, S)", (scores(5), 2.5, CAUSAL)),
        TestCase("a mask (B, 1, T, S)", (scores(6), 1.5, some_hidden(B, 1, T, S))),
        TestCase("a mask (S,)", (scores(7), 3.5, some_hidden(S))),
        TestCase(
            "a mask (B, H, T, S), one row hidden whole",
            (scores(8), 4.0, some_hidden(B, H, T, S, seed=2) & (torch.arange(T)[:, None] > 0)),
        ),
        TestCase("small scores", (scores(9, 1e-3), 5.0, CAUSAL)),
        TestCase("huge scores", (scores(10, 1e4), 50.0, CAUSAL)),
        TestCase("scores of 1e30", (scores(11, 1e30), 20.0, CAUSAL)),
        TestCase("float64", (scores(12, dtype=torch.float64), 2.5, CAUSAL)),
    ),
    minimal_inputs=(
        (torch.tensor([[[[4.0]]]]), 2.0, torch.tensor([[True]])),
        (torch.tensor([[[[1.0, -8.0]]]]), 2.0, torch.tensor([[True, True]])),
        (torch.tensor([[[[1.0, 1.0]]]]), 2.0, torch.tensor([[True, False]])),
        (torch.tensor([[[[1.0, 1.0], [-5.0, 5.0]]]]), 2.0, torch.tensor([[True, False], [True, True]])),
        (torch.tensor([[[[0.5, 300.0]]]]), 2.0, torch.tensor([[True, True]])),
    ),
    stage_of=stage_of,
    misconceptions=known,
    hints=(
        "Two steps: cap, then hide. What would become of a hidden key in the other order?",
        "`torch.tanh` has a slope of 1 at 0 and ends at -1 and 1. Divide by the cap before it; what is left to do "
        "after it?",
        "`cap * torch.tanh(scores / cap)`, then `masked_fill`, which fills where its mask is True, with -inf.",
    ),
    properties=(
        Property("not-hidden", hidden_ones_read, ORDER),
        Property("beyond-the-cap", beyond_the_cap, FORMULA),
    ),
    behavioral_tests=(gradients_flow(capped_scores, (scores(21), 2.5, ALL), ("scores", None, None)),),
    when_correct="Small scores pass, large ones are bent, and hidden keys stay hidden.",
)
