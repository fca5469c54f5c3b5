"""read_pages: the reference and its test cases."""

import torch

from exercises.common.inputs import AXES, normal
from feedback import TestCase
from feedback.page_exercise import exercise


def read_pages(pages, table, length):
    """Put the tokens of one text together from the pages on which they lie.

    Shapes: pages (N, P, H, D), table a list or (n,) of page numbers -> (H, length, D)
    Source: Kwon et al. 2023; notebook 11
    """
    table = torch.as_tensor(table, dtype=torch.long, device=pages.device)
    tokens = pages[table].flatten(0, 1)[:length]  # (n, P, H, D) -> (n * P, H, D) -> (length, H, D)
    return tokens.transpose(0, 1)


def token_read(case):
    """Show where the first wrong token of the learner's result comes from."""
    pages, table, _ = case.args
    wrong = (case.first != case.expected_first).any(-1).any(0).nonzero().flatten().tolist()
    t, size = wrong[0], pages.size(1)
    place = (pages == case.first[:, t]).all(-1).all(-1).nonzero().tolist()
    right = f"page {int(table[t // size])}, place {t % size}"
    if not place:
        return f"token {t} should be that of {right}; yours holds numbers that stand together on no page"
    return f"token {t} of your result is that of page {place[0][0]}, place {place[0][1]}; it should be that of {right}"


PAGES = normal(7, 5, 3, 11, seed=1)  # (N, P, H, D)


EXERCISE = exercise(
    read_pages,
    returns=("tokens",),
    axis_names=AXES | {5: "P", 7: "N", 11: "D", 3: "H", 13: "length", 4: "length"},
    cases=(
        TestCase("three pages, 13 tokens", (PAGES, [4, 0, 6], 13)),
        TestCase("a table that is a tensor", (PAGES, torch.tensor([5, 2, 3]), 13)),
        TestCase("a page that is full", (PAGES, [3, 1], 10)),
        TestCase("one token", (PAGES, [2], 1)),
        TestCase("no token", (PAGES, [], 0)),
        TestCase("no token, though the table has pages", (PAGES, [5, 1], 0)),
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
)
