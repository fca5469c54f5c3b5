"""Exercise 3.4: padding_mask."""

import torch

from exercises.common.inputs import AXES, hidden_only
from exercises.e3_4_padding_mask.misconceptions import known
from exercises.e3_4_padding_mask.reference import padding_mask
from feedback import Exercise, TestCase


def other_lengths(draw):
    for items, max_length in ((3, 13), (5, 11)):
        lengths = torch.tensor(draw.sample(range(1, max_length), items))
        yield TestCase(f"{items} items of other lengths", (lengths, max_length))


EXERCISE = Exercise(
    minutes=6,
    difficulty=2,
    gives="a mask, bool (B, 1, `max_length`), from lengths (B,): True where the key is a real token",
    reference=padding_mask,
    returns=("mask",),
    axis_names=AXES | {2: "", 3: "B", 5: "B", 7: "max_length", 13: "max_length", 11: "max_length"},
    dtype_hints={"mask": "A mask holds True and False"},
    cases=(
        TestCase("three items", (torch.tensor([6, 4, 9]), 11)),
        TestCase("one item, shorter than `max_length`", (torch.tensor([2]), 7)),
        TestCase("three short items", (torch.tensor([11, 1, 9]), 13)),
        TestCase("items of the same length", (torch.tensor([4, 2, 4]), 7)),
        TestCase("five items", (torch.tensor([4, 2, 7, 1, 5]), 7)),
        TestCase(
            "an item of length 0",
            (torch.tensor([0, 2]), 3),
            limitation="It has a limit: try lengths = [0, 2] with a `max_length` of 3. An item of length 0 is padding "
            "alone, and its row is False throughout.",
        ),
        *hidden_only(other_lengths),
    ),
    minimal_inputs=((torch.tensor([1]), 2), (torch.tensor([2, 1]), 2), (torch.tensor([1, 3]), 3)),
    misconceptions=known,
    hints=(
        "`torch.arange(max_length)` gives the positions 0, 1, 2, ... When is a position real?",
        "A position is real if it is smaller than the item's length. To compare all positions with all lengths at "
        "once, the lengths need more axes, of size 1, at the end.",
        "Comparing (`max_length`,) with (B, 1, 1) gives (B, 1, `max_length`): `lengths[:, None, None]` has that shape.",
    ),
    when_correct="One row for each item, stretched over all queries by broadcasting.",
)
