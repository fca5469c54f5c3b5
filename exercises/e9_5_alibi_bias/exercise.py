"""Exercise 9.5: alibi_bias."""

import torch

from exercises.common import properties
from exercises.common.inputs import AXES, hidden_only
from exercises.e9_5_alibi_bias.misconceptions import DISTANCE, SLOPES, known
from exercises.e9_5_alibi_bias.reference import alibi_bias
from feedback import Exercise, FunctionRunner, Property, TestCase


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


EXERCISE = Exercise(
    minutes=10,
    difficulty=2,
    gives="the bias (H, T, S), float32: -slope · distance, with the slope 2**(-8(h + 1) / H) for head h, where the "
    "queries are the last T of S positions; entries for later keys are not judged",
    reference=alibi_bias,
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
    misconceptions=known,
    hints=(
        "Two things are multiplied: a slope for each head, (H,), and a table of distances, (T, S). What is "
        "the position of query 0, if the queries are the last T of S?",
        "The positions of the queries are S - T, ..., S - 1, those of the keys 0, ..., S - 1. Which axes do slopes and "
        "distances need so that they broadcast to (H, T, S)?",
        "`torch.arange(S - T, S)[:, None] - torch.arange(S)` is the table of distances, and `slopes[:, None, "
        "None]` has the shape (H, 1, 1). A distance lowers the score.",
    ),
    properties=(
        properties.FINITE,
        Property("own-key", own_key, DISTANCE),
        Property("not-straight", straight, "The bias is -slope · distance. " + SLOPES),
    ),
    when_correct="No parameter, no table of positions: the scores themselves know how far away a key is.",
)
