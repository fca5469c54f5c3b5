"""attention_mask: the reference and the test cases; the page next to it says the rest."""

import torch

from exercises.common.inputs import AXES, hidden_only
from feedback import TestCase
from feedback.page_exercise import exercise


def attention_mask(ids, pad_id, causal):
    """Let every query see the real tokens, of which a causal mask keeps the present and the past.

    Shapes: ids (B, T), whole numbers -> (B, T, T), bool
    """
    length = ids.size(1)
    mask = torch.ones(length, length, dtype=torch.bool, device=ids.device)
    if causal:
        mask = mask.tril()
    return mask & (ids != pad_id)[:, None, :]  # (T, T) & (B, 1, T) -> (B, T, T)


def batch(*rows, dtype=torch.int64):
    return torch.tensor(rows, dtype=dtype)


NO_PADDING = batch([5, 9, 2, 7, 3], [4, 4, 8, 1, 6], [2, 3, 5, 9, 9])
AT_THE_END = batch([5, 9, 2, 7, 0], [4, 8, 0, 0, 0], [6, 2, 3, 5, 1])
IN_FRONT = batch([0, 0, 5, 9, 2], [0, 7, 4, 8, 3], [0, 0, 0, 0, 6])
EITHER_SIDE = batch(
    [9, 9, 9, 0, 4, 8, 3], [6, 2, 0, 1, 9, 9, 9], [7, 5, 4, 2, 0, 8, 9], [9, 3, 3, 0, 6, 1, 5], [8, 9, 9, 9, 9, 9, 9]
)
ALIKE = batch([5, 9, 2, 7, 0], [5, 9, 2, 7, 0], [0, 0, 0, 0, 0])
NEGATIVE = batch([11, -100, -100], [12, 13, -100], dtype=torch.int32)
LARGE = batch(
    [50256, 50256, 3, 17, 40000, 0, 51000], [8, 0, 51000, 50256, 50256, 50256, 50256], [1] * 7, dtype=torch.int32
)


def hardest_part(args):
    """Return what a batch needs: 0 a causal mask or none, 1 a padding mask, 2 both."""
    ids, pad_id, causal = args
    return 1 + bool(causal) if (ids == pad_id).any() else 0


def other_ids(draw):
    for causal in (False, True):
        rows = [[3] * n + draw.choices(range(10), k=7 - n) for n in draw.sample(range(6), 5)]
        yield TestCase("other ids" + causal * ", causal", (batch(*rows), 3, causal))


EXERCISE = exercise(
    attention_mask,
    returns=("mask",),
    axis_names=AXES | {2: "B", 3: "B", 5: "T", 7: "T"},
    dtype_hints={"mask": "A mask holds True and False"},
    cases=(
        TestCase("padding at the end, causal", (AT_THE_END, 0, True)),  # first, since its result depends on ids
        TestCase("padding at the end, not causal", (AT_THE_END, 0, False)),
        TestCase("a batch without padding, not causal", (NO_PADDING, 0, False)),
        TestCase("a batch without padding, causal", (NO_PADDING, 0, True)),
        TestCase("padding in front, not causal", (IN_FRONT, 0, False)),
        TestCase("padding in front, causal", (IN_FRONT, 0, True)),
        TestCase("padding on either side, `pad_id` 9", (EITHER_SIDE, 9, False)),
        TestCase("padding on either side, `pad_id` 9, causal", (EITHER_SIDE, 9, True)),
        TestCase("two items alike, and one of padding alone, causal", (ALIKE, 0, True)),
        TestCase("one item, causal", (AT_THE_END[:1], 0, True)),
        TestCase("ids of type int32, `pad_id` -100", (NEGATIVE, -100, True)),
        TestCase("ids of type int32, `pad_id` 50256, causal", (LARGE, 50256, True)),
        *hidden_only(other_ids),
    ),
    minimal_inputs=(
        (batch([5]), 0, False),
        (batch([5, 6]), 0, False),
        (batch([5, 6]), 0, True),
        (batch([5, 0]), 0, False),
        (batch([0, 5]), 0, False),
        (batch([0, 9]), 9, False),
        (batch([5, 6], [7, 0]), 0, False),
    ),
    stage_of=hardest_part,
    error_meanings=(
        (
            r"expanded size of the tensor|must match the size|size of tensor a",
            "Two of your shapes do not fit. Which axis of each is the batch, which the queries, which the keys? The "
            "batch comes first: (B, 1, T) next to (T, T).",
        ),
    ),
)
