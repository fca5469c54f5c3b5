"""Exercise 11.5: read_pages."""

import torch

from exercises.common.inputs import AXES, normal
from exercises.e11_5_read_pages.misconceptions import ORDER, known
from exercises.e11_5_read_pages.reference import read_pages
from feedback import Exercise, Property, TestCase

PAGES = normal(7, 5, 3, 11, seed=1)  # (N, P, H, D)


def of_the_same_places(case):
    """All heads of a token come from one place."""
    pages, table, length = case.args
    if case.first.shape != case.expected_first.shape or not length:
        return None
    for t in range(length):
        if not (pages == case.first[:, t]).all(-1).all(-1).any():
            return f"Token {t} of your result stands on no page: its heads come from different places."
    return None


EXERCISE = Exercise(
    minutes=8,
    difficulty=2,
    gives="the first `length` tokens (H, length, D) in the order of the table: token t lies on page table[t // P], at "
    "place t % P",
    reference=read_pages,
    returns=("tokens",),
    axis_names=AXES | {5: "P", 7: "N", 11: "D", 3: "H", 13: "length", 4: "length"},
    cases=(
        TestCase("three pages, 13 tokens", (PAGES, [4, 0, 6], 13)),
        TestCase("a table that is a tensor", (PAGES, torch.tensor([5, 2, 3]), 13)),
        TestCase("a page that is full", (PAGES, [3, 1], 10)),
        TestCase("a table that is longer than needed", (PAGES, [6, 2, 0, 1], 4)),
        TestCase("one token", (PAGES, [2], 1)),
        TestCase("no token", (PAGES, [], 0)),
        TestCase("a page that is used twice", (PAGES, [1, 4, 1], 14)),
        TestCase("as many heads as places, float64", (normal(4, 3, 3, 2, seed=2, dtype=torch.float64), [3, 0], 4)),
    ),
    minimal_inputs=(
        (torch.arange(4.0).view(2, 2, 1, 1), [1, 0], 2),
        (torch.arange(4.0).view(2, 2, 1, 1), [1, 0], 3),
        (torch.arange(6.0).view(3, 2, 1, 1), [2, 0], 4),
        (torch.arange(8.0).view(2, 2, 2, 1), [1, 0], 2),
        (torch.arange(8.0).view(2, 2, 2, 1), [1, 0], 3),
    ),
    misconceptions=known,
    hints=(
        "On which page does token t lie, and at which place of it? The table says which page comes first.",
        "`pages[table]`, with a tensor of page numbers, is (n, P, H, D): the pages in the right order. Which "
        "two axes together count the tokens? (An empty list needs the dtype of whole numbers.)",
        "`torch.as_tensor(table, dtype=torch.long)` also takes an empty list. Flatten the first two axes, cut "
        "at `length`, and bring the heads to the front.",
    ),
    properties=(Property("torn-tokens", of_the_same_places, ORDER),),
    when_correct="The text lies in pieces all over the memory, and attention need not know.",
)
