"""translate: the reference, its runner and the test cases; the page next to it says the rest."""

import math

import torch

from exercises.common.inputs import CAUSAL, generator, normal, some_hidden
from feedback import ContractViolation, FunctionRunner, TestCase
from feedback.format import describe
from feedback.page_exercise import exercise
from helpers.heads import MultiHeadAttention
from models.published import FusedAttention


def translate(theirs):
    H, C = theirs.heads, theirs.proj.in_features
    D = C // H

    def cut(x):  # (3C, ...) -> (3, C, ...)
        return x.unflatten(0, (H, 3, D)).transpose(0, 1).flatten(1, 2)

    q, k, v = cut(theirs.qkv.weight)
    q_bias, k_bias, v_bias = cut(theirs.qkv.bias)
    factor = math.sqrt(D)  # ours divides by sqrt(D), theirs does not
    q, q_bias = q * factor, q_bias * factor
    state = {"out_proj.weight": theirs.proj.weight, "out_proj.bias": torch.zeros(C)}
    state |= {"q_proj.weight": q, "k_proj.weight": k, "v_proj.weight": v}
    return state | {"q_proj.bias": q_bias, "k_proj.bias": k_bias, "v_proj.bias": v_bias}


def fused(width, heads, seed):
    """Return a FusedAttention with random parameters."""
    module, draw = FusedAttention(width, heads).eval(), generator(seed)
    for parameter in module.parameters():
        parameter.data = 0.4 * torch.randn(parameter.shape, generator=draw)
    return module


def ours(state, theirs):
    """Return a MultiHeadAttention with these parameters.

    Errors: ContractViolation if their names or shapes are wrong
    """
    if not isinstance(state, dict):
        how = "Does every path end with `return`?" if state is None else "Which name belongs to each of your tensors?"
        raise ContractViolation(
            "returns-wrong-type", f"Your code returned {describe(state)}; a dict {{name: tensor}} was expected. {how}"
        )
    module = MultiHeadAttention(theirs.proj.weight.size(0), theirs.heads).eval()
    for name, parameter in module.named_parameters():
        if name not in state:
            raise ContractViolation(
                "name-missing",
                f"Your dict has no {name!r}; ours has the names {names(module)}. Which part of theirs does its work, "
                "if any does?",
            )
        if not isinstance(state[name], torch.Tensor) or state[name].shape != parameter.shape:
            raise ContractViolation(
                "shape-of-a-parameter",
                f"Your {name!r} is {describe(state[name])}; ours has the shape {tuple(parameter.shape)}. Print the "
                "shapes of what you cut it from, step by step.",
            )
    if other := [name for name in state if name not in dict(module.named_parameters())]:
        raise ContractViolation("name-unknown", f"Ours has no {other[0]!r}; it has the names {names(module)}.")
    module.load_state_dict(state)
    return module


def names(module):
    return ", ".join(name for name, _ in module.named_parameters())


def call(attempt, theirs, x, mask):
    """Return what ours computes with the parameters that the attempt returns."""
    module = ours(attempt(theirs), theirs)
    with torch.no_grad():
        return module(x, mask=mask, need_weights=True)


def described(args):
    theirs, x, mask = args
    masked = "" if mask is None else " and a mask"
    return (
        f"your dict was made from a `FusedAttention({theirs.proj.weight.size(0)}, {theirs.heads})`, loaded into a "
        f"`MultiHeadAttention`, and applied to x of shape {tuple(x.shape)}{masked}"
    )


def case(name, width, heads, seed, mask=None):
    return TestCase(name, (fused(width, heads, seed), normal(2, 5, width, seed=seed + 1), mask))


EXERCISE = exercise(
    translate,
    returns=("out", "weights"),
    runner=FunctionRunner(call, input_names=("theirs", "x", "mask"), describe=described),
    cases=(
        case("2 heads of 3 features", 6, 2, 10),
        case("one head", 11, 1, 30),
        case("a causal mask (T, T)", 21, 3, 40, CAUSAL),
        case("a mask for each text (B, 1, T, T)", 14, 2, 50, some_hidden(2, 1, 5, 5)),
    ),
    minimal_inputs=(),
    axis_names={2: "B", 5: "T"},
    square=("mask",),
)
