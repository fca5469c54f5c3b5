"""Exercise 8.2: DecoderBlock."""

from functools import cache

import torch

from exercises.common import properties
from exercises.common.experiments import largest_difference
from exercises.common.gradients import gradients_of, unreached
from exercises.common.inputs import B, T, normal
from exercises.common.modules import changes_with_the_mode
from exercises.e8_2_decoder_block.comparison import right, summary
from exercises.e8_2_decoder_block.layers import layers_of
from exercises.e8_2_decoder_block.misconceptions import known
from exercises.e8_2_decoder_block.reference import DecoderBlock
from exercises.e8_2_decoder_block.runner import Numbers, built, described, run_block
from feedback import BehavioralTest, Exercise, ModuleRunner, SummaryComparison, TestCase
from feedback.explainers import worst
from feedback.format import position

# ---------------------------------------------------------------- inputs


def arguments(seed, b, t, h, d, d_ff, times=1.0, dtype=torch.float32):
    return times * normal(b, t, h * d, seed=seed, dtype=dtype), Numbers(seed + 1, h * d, d_ff, dtype), h


X, NUMBERS, HEADS = arguments(1400, B, T, 3, 4, 31)
LONGER = normal(B, 9, 12, seed=1401)


# ---------------------------------------------------------------- behavioral tests


def differs(attempt):
    """Called twice, and built twice, a block with the same numbers gives the same."""
    block = built(attempt, X, NUMBERS, HEADS)
    first, second, third = block(X), block(X), built(attempt, X, NUMBERS, HEADS)(X)
    moved = max(largest_difference(first, second), largest_difference(first, third))
    if not moved > 1e-4:
        return None
    return (
        f"Called twice with the same numbers, your block gives two different results; they differ by up to {moved:.4f}."
    )


def future_seen(attempt):
    """Change one position, and see whether an earlier one notices."""
    block = built(attempt, X, NUMBERS, HEADS)
    before = block(X)
    for j in range(1, T):
        other = X.clone()
        other[:, j] += normal(12, seed=1402)
        moved = (block(other) - before)[:, :j].abs().amax((0, 2))
        if moved.max() > 1e-4:
            return (
                f"A position must not see what comes after it: when x changed at position {j}, the result at position "
                f"{int(moved.argmax())} moved by {float(moved.max()):.4f}."
            )
    return None


def past_not_seen(attempt):
    block = built(attempt, X, NUMBERS, HEADS)
    other = X.clone()
    other[:, 0] += normal(12, seed=1403)
    moved = (block(other) - block(X)).abs().amax((0, 2))
    if moved.min() > 1e-5:
        return None
    return (
        f"A position reads all that comes before it: when x changed at position 0, the result at position "
        f"{int(moved.argmin())} stayed as it was."
    )


def items_mixed(attempt):
    block = built(attempt, X, NUMBERS, HEADS)
    moved = largest_difference(block(torch.cat([X[:1], X[1:].flip(1)]))[0], block(X)[0])
    if moved < 1e-4:
        return None
    return f"The items of a batch must not affect each other: when item 1 changed, item 0 moved by {moved:.4f}."


def remembers(attempt):
    block = built(attempt, X, NUMBERS, HEADS)
    block(X)
    got = block(LONGER)
    if got.shape == LONGER.shape and torch.allclose(got, right(LONGER, NUMBERS, HEADS), rtol=1e-2, atol=5e-3):
        return None
    return "Used a second time, on a longer text, your block gives wrong numbers: it remembers the first call."


def gradients(attempt):
    """{what: its gradient} for x and the layers of a block."""
    block, x = built(attempt, X, NUMBERS, HEADS), X.clone().requires_grad_()
    parts = layers_of(block, NUMBERS)
    layers = {name: layer for name, layer in parts.items() if name != "norms"}
    layers |= {f"the {which} norm": norm for which, norm in zip(("first", "second"), parts["norms"], strict=False)}
    weights = {name: layer.weight for name, layer in layers.items()}
    return gradients_of(block(x), {"x": x, **weights}, seed=1404)


@cache
def right_gradient():
    """The gradient of x, made by the reference."""
    return gradients(DecoderBlock)["x"]


def does_not_learn(attempt):
    found = gradients(attempt)
    missed = unreached(found, found)
    if missed:
        return missed
    given, wanted = found["x"], right_gradient()
    if torch.allclose(given, wanted, rtol=1e-2, atol=2e-2):
        return None
    at = worst(given, wanted)
    return (
        f"The numbers are right, but the gradient of x is not: at {position(at)} it is {given[at]:.4f}, and "
        f"{wanted[at]:.4f} is right. A part of the calculation may be cut off from it, or its gradient scaled."
    )


EXERCISE = Exercise(
    minutes=12,
    difficulty=2,
    gives="a module whose forward(x) adds to x (B, T, C) what causal attention makes of norm(x), and to that what a "
    "feed-forward network with GELU makes of its norm",
    reference=DecoderBlock,
    returns=("out",),
    runner=ModuleRunner(run_block, ("x", "the layers", "num_heads"), described),
    comparison=SummaryComparison(summary),
    axis_names={2: "B", 5: "T", 7: "T", 12: "C", 10: "C", 31: "d_ff", 23: "d_ff"},
    cases=(
        TestCase("a batch", arguments(1410, B, T, 3, 4, 31)),
        TestCase("two heads of five features", arguments(1420, 3, 7, 2, 5, 23)),
        TestCase("one text, one head", arguments(1430, 1, T, 1, 11, 17)),
        TestCase("a text of one token", arguments(1440, B, 1, 3, 4, 31)),
        TestCase("numbers around 10", arguments(1450, B, T, 3, 4, 31, 10.0)),
        TestCase("float64", arguments(1460, B, 7, 2, 5, 23, dtype=torch.float64)),
        TestCase("a text of 40 tokens", arguments(1480, 1, 40, 2, 4, 17)),
        TestCase("small numbers", arguments(1470, B, T, 3, 4, 7, 0.05)),
    ),
    minimal_inputs=(),
    misconceptions=known,
    error_meanings=(
        (
            r"'Tensor' and 'tuple'|'tuple' and 'Tensor'|must be Tensor, not tuple|can only concatenate tuple",
            "`MultiHeadAttention` returns the pair (out, weights): take it apart before you add.",
        ),
        (
            r"forward\(\) got an unexpected keyword argument 'is_causal'",
            "The argument of `MultiHeadAttention` is called causal: `attention(x, causal=True)`.",
        ),
        (
            r"mask must be bool",
            "A mask of the course is bool, True = may attend; `causal=True` needs none.",
        ),
    ),
    hints=(
        "Which parts of the figure have numbers of their own, so that they are made once, in `__init__`? And what is "
        "added to a sublayer's result: x itself, or what the norm made of it?",
        "In `__init__`: `MultiHeadAttention(d_model, num_heads)`, two `nn.LayerNorm(d_model)`, and two linear layers "
        "with GELU between them. forward has two lines, one for each sublayer: x = x + sublayer(norm(x)). The norm "
        "is inside, x itself is added.",
        "out, _ = `self.attention(self.norm_1(x), causal=True)`; x = x + out; `return x + "
        "self.feed_forward(self.norm_2(x))`",
    ),
    properties=(properties.FINITE,),
    behavioral_tests=(
        BehavioralTest(
            "not-repeatable",
            differs,
            "Nothing here is random: is there a dropout, or a layer that is made again in every call of forward?",
            early=True,
        ),
        BehavioralTest(
            "future-seen",
            future_seen,
            "`attention(..., causal=True)`, or a mask that is True on and below the diagonal.",
        ),
        BehavioralTest("past-not-seen", past_not_seen, "Does forward use attention, and what it returns?"),
        BehavioralTest("items-mixed", items_mixed, "Which line takes more than one item at a time?"),
        BehavioralTest(
            "remembers",
            remembers,
            "Keep nothing on self in forward: all it needs comes from x.",
            required=True,
            while_doing="used a second time, on a longer text,",
        ),
        BehavioralTest(
            "another-mode",
            lambda attempt: changes_with_the_mode(built(attempt, X, NUMBERS, HEADS), X),
            "Without dropout nothing depends on the mode, and attention is causal in both: `causal=True`.",
            required=True,
            while_doing="in evaluation,",
        ),
        BehavioralTest(
            "no-gradients",
            does_not_learn,
            "Use the layers themselves, and no detach, `.data` or `no_grad`.",
            required=True,
            while_doing="in the backward pass",
        ),
    ),
    when_correct="Stack it, with embeddings below, a norm and a linear layer on top: that is a GPT.",
)
