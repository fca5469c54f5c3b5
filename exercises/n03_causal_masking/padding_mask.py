"""padding_mask: the reference and the test cases; the page next to it says the rest."""

import torch

from exercises.common.inputs import AXES, hidden_only
from feedback import TestCase
from feedback.page_exercise import exercise


def padding_mask(lengths, max_length):
    """Let every query see the real tokens, and no padding.

    Shapes: lengths (B,) -> (B, 1, max_length), bool
    """
    return torch.arange(max_length) < lengths[:, None, None]


def other_lengths(draw):
    for items, max_length in ((3, 13), (5, 11)):
        lengths = torch.tensor(draw.sample(range(1, max_length), items))
        yield TestCase(f"{items} items of other lengths", (lengths, max_length))


EXERCISE = exercise(
    padding_mask,
    returns=("mask",),
    axis_names=AXES | {2: "", 3: "B", 5: "B", 7: "max_length", 13: "max_length", 11: "max_length"},
    dtype_hints={"mask": "A mask holds True and False"},
    cases=(
        TestCase("three items", (torch.tensor([6, 4, 9]), 11)),
        TestCase("one item, shorter than `max_length`", (torch.tensor([2]), 7)),
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
)
