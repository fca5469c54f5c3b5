"""Exercise 8.8, mean_loss: one line of the given code is wrong."""

import torch

from exercises.common.gradients import gradients_flow
from exercises.common.inputs import generator, normal
from exercises.e8_8_mean_loss.given import mean_loss as given
from exercises.e8_8_mean_loss.misconceptions import known
from exercises.e8_8_mean_loss.reference import mean_loss
from feedback import Exercise, TestCase

V, PAD = 11, 0


def _inputs(*lengths, seed, pad=PAD, in_front=False):
    """Logits and ids of texts of these lengths, padded at the end or in front."""
    T = max(lengths)
    ids = torch.full((len(lengths), T), pad)
    for row, length in zip(ids, lengths, strict=True):
        words = torch.randint(1, V, (length,), generator=generator(seed))
        row[T - length :] = words if in_front else row[T - length :]
        row[:length] = row[:length] if in_front else words
    return 2 * normal(len(lengths), T, V, seed=seed), ids, pad


_PADDED = _inputs(7, 3, seed=881)

EXERCISE = Exercise(
    minutes=6,
    difficulty=2,
    gives="the mean cross-entropy of all targets of the batch that are not padding, as a tensor with a single number",
    reference=mean_loss,
    given=given,
    returns=("loss",),
    axis_names={2: "B", 3: "B", 5: "T", 7: "T", V: "V"},
    cases=(
        TestCase("texts of one length", _inputs(5, 5, seed=880)),
        TestCase("a long text and a short one", _PADDED),
        TestCase("padding in front", _inputs(2, 5, 3, seed=882, in_front=True)),
    ),
    minimal_inputs=(
        (
            torch.tensor([[[0.0, 0.0, 0.0]] * 4, [[0.0, 0.0, 3.0]] + [[0.0, 0.0, 0.0]] * 3]),
            torch.tensor([[1, 2, 1, 2], [2, 1, 0, 0]]),
            0,
        ),
    ),
    misconceptions=known,
    hints=(
        "Take a text of six targets and one of two. What share of the result should come from each target?",
        "Follow the shapes from `losses` to the result. Which two numbers must be divided by each other?",
    ),
    behavioral_tests=(gradients_flow(mean_loss, _PADDED, ("logits", None, None)),),
    when_correct="A mean of means is the mean only where all parts have the same size: batches of texts seldom do.",
)
