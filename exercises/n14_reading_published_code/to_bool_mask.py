"""to_bool_mask: the reference, an explainer and the test cases; the page next to it says the rest."""

import torch

from exercises.common import explainers
from exercises.common.inputs import AXES, CAUSAL, B, S, T, padded, some_hidden
from feedback import TestCase
from feedback.page_exercise import exercise


def to_bool_mask(mask, convention):
    if convention == "hidden":
        return ~mask
    if convention == "added":
        return mask == 0
    return (mask == 1)[:, None, None]  # "padding": (B, S) -> (B, 1, 1, S)


def entry_of_the_mask(case):
    """Show an entry that is inverted, and what it was before."""
    mask, convention = case.args
    got, right = case.actual, case.expected
    if not isinstance(got, torch.Tensor) or got.shape != right.shape or got.dtype != right.dtype:
        return explainers.entry(case)
    at = tuple(int(i) for i in (got != right).nonzero()[0])
    before = mask[at if convention != "padding" else (at[0], at[-1])].item()
    return f"{before} became {got[at].item()}, and {right[at].item()} is right"


CONVENTIONS = ("hidden", "added", "padding")
REAL = padded(3, 6).squeeze(1)  # (B, S)


def hidden(name, keep):
    return TestCase(f"hidden, {name}", (~keep, "hidden"))


def added(name, keep, number, dtype=torch.float32, zero=0.0):
    return TestCase(
        f"added, {name}, {number:.3g}, {str(dtype).removeprefix('torch.')}",
        (torch.full(keep.shape, zero, dtype=dtype).masked_fill(~keep, number), "added"),
    )


def padding(name, real, dtype):
    return TestCase(f"padding, {name}, {str(dtype).removeprefix('torch.')}", (real.to(dtype), "padding"))


EXERCISE = exercise(
    to_bool_mask,
    returns=("mask",),
    axis_names=AXES,
    stage_of=lambda args: CONVENTIONS.index(args[1]),
    cases=(
        hidden("a causal mask (T, T)", CAUSAL),
        hidden("a row of keys (S,)", some_hidden(S)),
        added("a causal mask (T, T)", CAUSAL, torch.finfo(torch.float32).min),
        added("a mask (B, 1, T, S)", some_hidden(B, 1, T, S), float("-inf")),
        added("a mask (B, 1, 1, S)", REAL[:, None, None], -10_000.0, zero=-0.0),  # from (1 - mask) * -10_000
        added("a mask (T, S)", some_hidden(T, S), torch.finfo(torch.float16).min, torch.float16),
        added("nothing hidden (T, S)", torch.ones(T, S, dtype=torch.bool), 0.0),
        padding("two texts", REAL, torch.int64),
        padding("as many texts as positions", some_hidden(S, S), torch.int32),
    ),
    minimal_inputs=(
        (torch.tensor([[False, True], [False, False]]), "hidden"),
        (torch.tensor([[0.0, torch.finfo(torch.float32).min], [0.0, 0.0]]), "added"),
        (torch.tensor([[0.0, float("-inf")], [0.0, 0.0]]), "added"),
        (torch.tensor([[0.0, -10_000.0], [0.0, 0.0]]), "added"),
        (torch.tensor([[1, 1, 0], [1, 0, 0]]), "padding"),
    ),
    dtype_hints={"mask": "A mask of this course holds True and False; a comparison such as `==` gives it"},
)
