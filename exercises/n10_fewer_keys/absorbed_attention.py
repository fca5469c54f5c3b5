"""absorbed_attention: the reference and its test cases."""

import math

import torch

from exercises.common import properties
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, D, H, S, T, normal
from exercises.common.sizes import MadeFrom
from feedback import BehavioralTest, TestCase
from feedback.page_exercise import exercise


def absorbed_attention(q, latents, w_k, w_v):
    """Attention to latents whose keys and values are never made.

    Shapes: q (B, H, T, D), latents (B, S, R), w_k (H, D, R), w_v (H, E, R)
            -> out (B, H, T, E), weights (B, H, T, S)
    Source: DeepSeek-V2, 2024; notebook 10
    """
    asked = torch.einsum("bhtd,hdr->bhtr", q, w_k)  # what q asks of a latent
    scores = asked @ latents[:, None].transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, S)
    weights = scores.softmax(dim=-1)
    read = weights @ latents[:, None]  # (B, H, T, R)
    return torch.einsum("bhtr,her->bhte", read, w_v), weights


ORDER = "A score is q · (W latent), a product of three factors. Which two of them can be multiplied first instead?"


def arguments(seed, b=B, h=H, t=T, s=S, d=D, e=13, r=17, dtype=torch.float32):
    """Return q, latents, w_k and w_v."""
    return (
        normal(b, h, t, d, seed=seed, dtype=dtype),
        normal(b, s, r, seed=seed + 1, dtype=dtype),
        normal(h, d, r, seed=seed + 2, dtype=dtype) / 2,
        normal(h, e, r, seed=seed + 3, dtype=dtype) / 2,
    )


@BehavioralTest.named("keys-made", ORDER, required=True)
def keys_made(attempt):
    """Find keys or values: tensors made from latents and a matrix but not q, for any number of heads and tokens."""
    given = arguments(51, t=2, s=19, r=3)  # sizes for which not even einsum makes the keys first
    with MadeFrom(*given) as seen, torch.no_grad():
        attempt(*given)
    for matrix, name, made in ((2, "w_k", "keys"), (3, "w_v", "values")):
        if shape := seen.first({1, matrix}, without={0}):
            return (
                f"The numbers are right, but {made} are made: {name} meets latents that q has not met before, in a "
                f"tensor of shape {tuple(shape)}."
            )
    return None


EXERCISE = exercise(
    absorbed_attention,
    **properties.OUT_AND_WEIGHTS,
    axis_names=AXES | {13: "E", 17: "R", 19: "R"},
    cases=(
        TestCase("a batch", arguments(1)),
        TestCase("as many queries as positions", arguments(9, t=S)),
        TestCase("as many items as heads", arguments(17, b=3)),
        TestCase("latents as wide as keys and values", arguments(21, d=11, e=11, r=11)),
        TestCase("float64", arguments(33, dtype=torch.float64)),
    ),
    minimal_inputs=tuple(
        tuple(map(torch.tensor, numbers))
        for numbers in (
            ([[[[1.0, 0]]]], [[[0.0], [1]]], [[[1.0], [0]]], [[[2.0]]]),
            ([[[[1.0, 2]], [[1, 0]]]], [[[0.0], [1]]], [[[1.0], [0]], [[2], [1]]], [[[2.0]], [[4]]]),
            ([[[[1.0, 2], [0, 1]]]], [[[0.0, 1], [1, 3]]], [[[1.0, 0], [2, 1]]], [[[2.0, 1], [0, 1]]]),
        )
    ),
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS),
    behavioral_tests=(
        keys_made,
        gradients_flow(absorbed_attention, arguments(41, 2, 2, 3, 5, 4, 3, 6), ("q", "latents", "w_k", "w_v")),
    ),
)
