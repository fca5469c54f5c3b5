"""mean_loss: the reference and its test cases; the page next to it says the rest."""

import torch
import torch.nn.functional as F

from exercises.common import explainers
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import generator, normal
from feedback import TestCase
from feedback.format import listed
from feedback.page_exercise import exercise


def mean_loss(logits, ids, pad_id):
    """The mean cross-entropy of all targets that are not padding; every text has at least one.

    Shapes: logits (B, T, V), ids (B, T) -> a single number
    """
    targets = ids[:, 1:]  # (B, T - 1)
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")
    real = targets != pad_id
    return (losses * real).sum() / real.sum()


def next_to_another(case):
    """Show the numbers of targets and both results."""
    logits, ids, pad_id = case.args
    counts = listed([str(int(real)) for real in (ids[:, 1:] != pad_id).sum(dim=1)])
    return (
        f"texts of {counts} targets give {explainers.number(float(case.actual))}, and "
        f"{explainers.number(float(case.expected))} is right"
    )


V, PAD = 11, 0


def _inputs(*lengths, seed, in_front=False):
    """Return logits and ids of texts of these lengths, padded at the end or in front."""
    T = max(lengths)
    ids = torch.full((len(lengths), T), PAD)
    for row, length in zip(ids, lengths, strict=True):
        start = T - length if in_front else 0
        row[start : start + length] = torch.randint(1, V, (length,), generator=generator(seed))
    return 2 * normal(len(lengths), T, V, seed=seed), ids, PAD


_PADDED = _inputs(7, 3, seed=881)

EXERCISE = exercise(
    mean_loss,
    explain=next_to_another,
    returns=("loss",),
    axis_names={2: "B", 3: "B", 5: "T", 7: "T", V: "V"},
    cases=(
        TestCase("texts of one length", _inputs(5, 5, seed=880)),
        TestCase("a long text and a short one", _PADDED),
        TestCase("padding in front", _inputs(2, 5, 3, seed=882, in_front=True)),
    ),
    minimal_inputs=((torch.tensor([[[0.0, 1.0], [0.0, 0.0]]]), torch.tensor([[1, 1]]), 0),),
    behavioral_tests=(gradients_flow(mean_loss, _PADDED, ("logits", None, None)),),
)
