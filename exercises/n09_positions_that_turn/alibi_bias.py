"""alibi_bias: the reference, its steps and test cases; the page next to it says the rest."""

import torch

from exercises.common import explainers, properties
from exercises.common.inputs import AXES, hidden_only
from feedback import FunctionRunner, Property, TestCase
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


SLOPES = (
    "Head h, counted from 0, has the slope 2**(-8(h + 1) / H): with 8 heads 1/2, 1/4, ..., 1/256. Print your slopes."
)
DISTANCE = "The queries are the last T of S positions. Which position is query 0, and how far from it is key 0?"


def slopes(num_heads):
    return 2.0 ** (-8 * torch.arange(1, num_heads + 1).double() / num_heads)


def distance(t, s):
    """(T, S): query minus key."""
    return torch.arange(s - t, s)[:, None] - torch.arange(s)


def alibi_from(slopes=slopes, distance=distance, bias=lambda slope, distance: -slope * distance):
    """alibi_bias(num_heads, T, S) made of these steps; `bias` gets slopes (H, 1, 1) and distances (T, S)."""

    def alibi(num_heads, T, S):
        return bias(slopes(num_heads)[:, None, None], distance(T, S)).float()

    return alibi


def slope_used(case):
    """The slope of the first wrong head, next to the right one."""
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
    """The bias, with 0 for later keys: what stands there is not judged."""
    out = attempt(num_heads, T, S)
    if not isinstance(out, torch.Tensor) or out.shape != (num_heads, T, S) or out.dtype == torch.bool:
        return out
    return out.masked_fill(~torch.ones(T, S, dtype=torch.bool).tril(S - T), 0)


def own_key(case):
    heads, t, s = case.args
    if case.first.shape != (heads, t, s):
        return None
    own = case.first.diagonal(s - t, -2, -1)
    if own.abs().max() < 1e-5:
        return None
    h, i = (int(n) for n in (own.abs() > 1e-5).nonzero()[0])
    return (
        f"The distance of a query to its own key is 0, and so is the bias; query {i} is position {s - t + i}, and your "
        f"head {h} adds {own[h, i]:.4f} there."
    )


def straight(case):
    """From key to key the bias of one row changes by the slope."""
    heads, t, s = case.args
    if case.first.shape != (heads, t, s) or s < 3:
        return None
    row = case.first[:, -1].double()
    steps = row.diff(dim=-1)
    if torch.allclose(steps, steps[:, -1:].expand_as(steps), atol=1e-4):
        return None
    return (
        "In a row the bias rises by the same slope from key to key; the last row of your head 0 begins "
        f"{', '.join(f'{x:.4f}' for x in row[0, :3].tolist())}."
    )


EXERCISE = exercise(
    alibi_bias,
    assemble=alibi_from,
    returns=("bias",),
    axis_names=AXES | {1: "", 2: "H", 4: "H", 8: "H", 16: "H", 3: "T", 5: "T", 7: "S", 11: "S", 13: "S"},
    runner=FunctionRunner(call),
    cases=(
        TestCase("4 heads, 5 positions", (4, 5, 5)),
        TestCase("2 heads, the last 3 of 7 positions", (2, 3, 7)),
        TestCase("8 heads, the last 5 of 11", (8, 5, 11)),
        TestCase("16 heads, one query, 13 positions", (16, 1, 13)),
        TestCase("one head", (1, 5, 7)),
        TestCase("one position", (4, 1, 1)),
        *(
            TestCase("hidden sizes", numbers)
            for numbers in hidden_only(lambda draw: [(4, 5, draw.randrange(20, 40)), (32, draw.randrange(2, 9), 17)])
        ),
    ),
    minimal_inputs=((1, 1, 1), (1, 1, 2), (1, 1, 3), (2, 1, 2), (2, 2, 2), (2, 2, 3)),
    properties=(
        properties.FINITE,
        Property("own-key", own_key, DISTANCE),
        Property(
            "not-straight", straight, "The bias is -slope · distance. How does the distance change from key to key?"
        ),
    ),
)
