"""window_mask: the reference and its test cases."""

import torch

from exercises.common.inputs import AXES, hidden_only
from feedback import Property, TestCase
from feedback.page_exercise import exercise


def window_mask(T, S, window):
    """Let each query see the latest positions up to its own.

    Shapes: -> (T, S), bool, True = may attend; the queries are the last T of S positions
    Source: notebook 11
    """
    distance = torch.arange(S - T, S)[:, None] - torch.arange(S)  # query minus key
    return (distance >= 0) & (distance < window)


WINDOW = "A window of 3 is the query's own key and the two before it. Which keys does your last query see?"
QUERIES = "With T = 2 and S = 5, the queries stand at the positions 3 and 4. Which keys does your first query see?"


def keys_seen(case):
    """Show what the first wrong query sees, and what it should see."""
    t, s, _ = case.args
    row = int((case.first != case.expected_first).any(-1).nonzero()[0])
    got, right = (x[row].nonzero().flatten().tolist() for x in (case.first, case.expected_first))
    return f"query {row}, at position {s - t + row}, sees the keys {got}, and should see {right}"


def other_keys(case):
    return f"{keys_seen(case).capitalize()}."


EXERCISE = exercise(
    window_mask,
    returns=("mask",),
    axis_names=AXES | {1: "", 2: "T", 3: "T", 5: "T", 7: "S", 11: "S", 13: "S"},
    dtype_hints={"mask": "A mask holds True and False"},
    cases=(
        TestCase("5 positions, a window of 3", (5, 5, 3)),
        TestCase("the last 3 of 7 positions, a window of 4", (3, 7, 4)),
        TestCase("one query, 13 positions, a window of 4", (1, 13, 4)),
        TestCase("a window of 1", (5, 7, 1)),
        TestCase("a window longer than the text", (5, 7, 20)),
        *(TestCase("hidden sizes", numbers) for numbers in hidden_only(lambda draw: [(5, draw.randrange(14, 30), 4)])),
    ),
    minimal_inputs=((1, 2, 1), (2, 2, 1), (1, 3, 2), (2, 3, 2), (3, 4, 2)),
    properties=(Property("other-keys", other_keys, f"{WINDOW} {QUERIES}"),),
)
