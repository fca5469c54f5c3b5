"""Exercise 10.4: absorbed_attention."""

import torch

from exercises.common import properties
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, D, H, S, T, normal
from exercises.common.sizes import largest_made
from exercises.e10_4_absorbed_attention.misconceptions import ORDER, known
from exercises.e10_4_absorbed_attention.reference import absorbed_attention
from feedback import BehavioralTest, Exercise, TestCase


def arguments(seed, b=B, h=H, t=T, s=S, d=D, e=13, r=17, dtype=torch.float32):
    """q, latents, w_k, w_v."""
    return (
        normal(b, h, t, d, seed=seed, dtype=dtype),
        normal(b, s, r, seed=seed + 1, dtype=dtype),
        normal(h, d, r, seed=seed + 2, dtype=dtype) / 2,
        normal(h, e, r, seed=seed + 3, dtype=dtype) / 2,
    )


def keys_made(attempt):
    """With many positions and small latents, keys or values for all heads are the largest tensors by far."""
    b, h, t, s, d, e, r = 1, 4, 2, 600, 32, 32, 4
    shape = largest_made(attempt, *arguments(51, b, h, t, s, d, e, r))
    if shape.numel() < b * h * s * min(d, e):
        return None
    sizes = ", ".join(map(str, shape))
    return (
        f"The numbers are right, but keys or values are made: with S = {s}, R = {r}, D = E = {d} and {h} "
        f"heads, your code "
        f"makes a tensor of shape ({sizes}), that is {shape.numel():,} numbers. The latents have {b * s * r:,}."
    )


EXERCISE = Exercise(
    minutes=12,
    difficulty=3,
    gives="the pair (out, weights), (B, H, T, E) and (B, H, T, S): attention of q to the keys `latents @ "
    "w_k[h].T`, scaled "
    "by `sqrt(D)`, and the values `latents @ w_v[h].T`, none of which are ever made for all heads",
    reference=absorbed_attention,
    returns=("out", "weights"),
    axis_names=AXES | {13: "E", 17: "R", 19: "R"},
    cases=(
        TestCase("a batch", arguments(1)),
        TestCase("one query", arguments(5, t=1)),
        TestCase("as many queries as positions", arguments(9, t=S)),
        TestCase("one item and one head", arguments(13, b=1, h=1)),
        TestCase("as many items as heads", arguments(17, b=3)),
        TestCase("latents as wide as keys and values", arguments(21, d=11, e=11, r=11)),
        TestCase("narrow latents", arguments(25, r=2)),
        TestCase("one position", arguments(29, s=1)),
        TestCase("float64", arguments(33, dtype=torch.float64)),
    ),
    minimal_inputs=(
        (
            torch.tensor([[[[1.0, 0.0]]]]),
            torch.tensor([[[0.0], [1.0]]]),
            torch.tensor([[[1.0], [0.0]]]),
            torch.tensor([[[2.0]]]),
        ),
        (
            torch.tensor([[[[1.0, 2.0]], [[1.0, 0.0]]]]),
            torch.tensor([[[0.0], [1.0]]]),
            torch.tensor([[[1.0], [0.0]], [[2.0], [1.0]]]),
            torch.tensor([[[2.0]], [[4.0]]]),
        ),
        (
            torch.tensor([[[[1.0, 2.0], [0.0, 1.0]]]]),
            torch.tensor([[[0.0, 1.0], [1.0, 3.0]]]),
            torch.tensor([[[1.0, 0.0], [2.0, 1.0]]]),
            torch.tensor([[[2.0, 1.0], [0.0, 1.0]]]),
        ),
    ),
    judge_first=("weights",),
    misconceptions=known,
    none_hints=properties.WEIGHTS_ARE_NONE,
    hints=(
        "A score is q · (W latent). Which other order of the two products gives the same number, and is "
        "smaller where there are many latents and few queries?",
        "Bring the queries to the latents: (B, H, T, D) and (H, D, R) make (B, H, T, R). In the same way, average the "
        "latents first, and apply w_v to the average.",
        '`torch.einsum("bhtd,hdr->bhtr", q, w_k)` is compared with `latents[:, None]`, (B, 1, S, R), and so '
        "is the average. "
        'At the end: `torch.einsum("bhtr,her->bhte", read, w_v)`. The root is that of D.',
    ),
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS),
    behavioral_tests=(
        BehavioralTest("keys-made", keys_made, ORDER, required=True, while_doing="with 600 positions"),
        gradients_flow(absorbed_attention, arguments(41, 2, 2, 3, 5, 4, 3, 6), ("q", "latents", "w_k", "w_v")),
    ),
    when_correct="The cache holds S · R numbers for all heads together, and keys and values of all heads are not made "
    "from it.",
)
