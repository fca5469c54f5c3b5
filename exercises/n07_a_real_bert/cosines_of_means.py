"""cosines_of_means: the reference and its test cases."""

import torch
import torch.nn.functional as F

from exercises.common import explainers
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import normal
from feedback import TestCase
from feedback.page_exercise import exercise


def cosines_of_means(hidden, mask):
    """The cosines of all pairs of texts, each text being the mean of its real tokens.

    Shapes: hidden (B, T, C), mask (B, T), bool, True = real token -> (B, B)
    """
    real = mask[..., None]  # (B, T, 1)
    means = (hidden * real).sum(dim=1) / real.sum(dim=1)  # (B, C)
    means = F.normalize(means, dim=-1)
    return means @ means.T


def with_itself(case):
    """Show the text whose cosine with itself is furthest from 1."""
    itself = case.actual.diagonal()
    at = int((itself - 1).abs().argmax())
    if abs(itself[at] - 1) < 1e-3:
        return explainers.entry(case)
    return f"text {at} has {explainers.number(itself[at])} with itself in your table, where 1 is right"


C = 11


def arguments(*lengths, seed, in_front=False):
    """Return hidden vectors, which share a component, of texts of these lengths, and a mask of their real tokens."""
    T = max(lengths)
    mask = torch.arange(T) < torch.tensor(lengths)[:, None]
    hidden = normal(len(lengths), T, C, seed=seed) + normal(C, seed=seed + 1)
    return hidden, mask.flip(1) if in_front else mask


PADDED = arguments(7, 4, 2, seed=741)

EXERCISE = exercise(
    cosines_of_means,
    returns=("cosines",),
    axis_names={2: "B", 3: "B", 5: "T", 7: "T", C: "C"},
    cases=(
        TestCase("three texts", PADDED),
        TestCase("two texts of one length", arguments(5, 5, seed=743)),
        TestCase("padding in front", arguments(3, 5, seed=745, in_front=True)),
    ),
    minimal_inputs=(
        (torch.tensor([[[1.0], [-3.0]], [[2.0], [5.0]]]), torch.tensor([[True, True], [True, False]])),
        (
            torch.tensor([[[3.0, 0.0], [0.0, 1.0]], [[0.0, 2.0], [5.0, 0.0]]]),
            torch.tensor([[True, True], [True, False]]),
        ),
    ),
    behavioral_tests=(gradients_flow(cosines_of_means, PADDED, ("hidden", None)),),
)
