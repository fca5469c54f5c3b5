"""alibi_bias: the reference and its test cases; the page next to it says the rest."""

import torch

from exercises.common import explainers, properties
from exercises.common.inputs import AXES, hidden_only
from feedback import FunctionRunner, TestCase
from feedback.page_exercise import exercise


def alibi_bias(num_heads, T, S):
    """What ALiBi adds to the scores: the further away a key, the less it counts.

    Shapes: -> (H, T, S), float32; the queries are the last T of S positions
    Units:  -slope * distance, the slopes of the heads being 2**(-8(h + 1) / H)
    Source: Press et al. 2022; notebook 09
    """
    slopes = 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)  # (H,)
    distance = torch.arange(S - T, S)[:, None] - torch.arange(S)  # (T, S): query minus key
    return -slopes[:, None, None] * distance


def slope_used(case):
    """Show the slope of the first wrong head, next to the right one."""
    heads, t, s = case.args
    got, right = case.first.double(), case.expected_first.double()
    for h in range(heads):
        if s > 1 and not torch.allclose(got[h], right[h], atol=1e-4):
            return (
                f"one key back, head {h} of {heads} adds {explainers.number(got[h, -1, -2])}, "
                f"and {explainers.number(right[h, -1, -2])} is right"
            )
    return explainers.entry(case)


def one_entry(case):
    at = explainers.worst(case.first, case.expected_first)
    heads, t, s = case.args
    return (
        f"query {at[1]} is position {s - t + at[1]}, so key {at[2]} is {s - t + at[1] - at[2]} back: head {at[0]} adds "
        f"{explainers.number(case.expected_first[at])}, and yours {explainers.number(case.first[at])}"
    )


def call(attempt, num_heads, T, S):
    """Return the bias with 0 for later keys, which are not judged."""
    out = attempt(num_heads, T, S)
    if not isinstance(out, torch.Tensor) or out.shape != (num_heads, T, S) or out.dtype == torch.bool:
        return out
    return out.masked_fill(~torch.ones(T, S, dtype=torch.bool).tril(S - T), 0)


EXERCISE = exercise(
    alibi_bias,
    returns=("bias",),
    axis_names=AXES | {1: "", 2: "H", 4: "H", 8: "H", 16: "H", 3: "T", 5: "T", 7: "S", 11: "S", 13: "S"},
    runner=FunctionRunner(call),
    cases=(
        TestCase("4 heads, 5 positions", (4, 5, 5)),
        TestCase("2 heads, the last 3 of 7 positions", (2, 3, 7)),
        TestCase("8 heads, the last 5 of 11", (8, 5, 11)),
        TestCase("16 heads, one query, 13 positions", (16, 1, 13)),
        *(
            TestCase("hidden sizes", numbers)
            for numbers in hidden_only(lambda draw: [(4, 5, draw.randrange(20, 40)), (32, draw.randrange(2, 9), 17)])
        ),
    ),
    minimal_inputs=((1, 1, 1), (1, 1, 2), (1, 1, 3), (2, 1, 2), (2, 2, 2), (2, 2, 3)),
    properties=(properties.FINITE,),
)
