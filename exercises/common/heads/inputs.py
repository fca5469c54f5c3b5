"""Layers and inputs for exercises with several heads: 5.3, 5.4, 5.5 and 7.1."""

import copy
import math

import torch
from torch import nn

from exercises.common.inputs import CAUSAL, B, H, T, normal
from helpers.masks import causal_mask

D, C = 4, 12  # the width of a head, and of all three
PROJECTIONS = ("q_proj", "k_proj", "v_proj", "out_proj")
SIZES = {2: "B", 3: "H", 6: "H", 4: "D", 11: "D", 12: "C", 33: "C", 66: "C", 5: "T", 7: "T", 13: ""}
LIMITATION_ONE_AXIS = (
    "A mask of one axis, (T,), fits the scores too, by broadcasting. (What asks for more axes, such as "
    "`F.scaled_dot_product_attention`, takes `torch.atleast_2d(mask)`.)"
)


LIMITATION_LARGE_SCORES = (
    "It has a limit: scores of several hundred. A hidden one must get no weight, and the visible ones must keep "
    "theirs. Hide before the softmax, with a fill below every score; if you subtract a maximum, take that of each row."
)

LIMITATION_FINITE_FILL = (
    "It has a limit: a visible score of -2.5e9 next to a hidden one of 0. The visible key must get all the weight, "
    "however low its score: a hidden one must not count, neither with its fill nor in a maximum."
)


def is_masked(mask):
    """The stage of a test case: 0 where the mask hides nothing, 1 where it does."""
    return int(mask is not None and not bool(mask.all()))


# ---------------------------------------------------------------- layers


def layer_of(weight, bias):
    """An nn.Linear with these numbers, which needs no gradients; it draws nothing at random."""
    layer = nn.Linear(weight.size(1), weight.size(0), device="meta")  # no numbers of its own: they come here
    layer.weight = nn.Parameter(weight, requires_grad=False)
    layer.bias = nn.Parameter(bias, requires_grad=False)
    return layer


def random_layers(width, seed, dtype=torch.float32):
    """Four different layers, for q, k, v and out, that keep the size of what they are given."""
    return tuple(
        layer_of(
            normal(width, width, seed=10 * seed + i, dtype=dtype) * 2 / math.sqrt(width),
            normal(width, seed=10 * seed + i + 4, dtype=dtype),
        )
        for i in range(4)
    )


def simple_layers(width):
    """q_proj(z) = z + 1, k_proj(z) = 2z, v_proj(z) = 3z, out_proj(z) = -z."""
    return tuple(
        layer_of(times * torch.eye(width), torch.full((width,), plus))
        for times, plus in ((1.0, 1.0), (2.0, 0.0), (3.0, 0.0), (-1.0, 0.0))
    )


def with_scores_around(low, layers):
    """Queries and keys pulled apart, so that every score of a head of four features lies around `low`, below 0."""
    q_proj, k_proj, v_proj, out_proj = copy.deepcopy(layers)
    apart = math.sqrt(-low / 2)  # 4 * apart * -apart / sqrt(4) = low
    for layer, shift in ((q_proj, apart), (k_proj, -apart)):
        layer.weight *= 0.4 * 1.9 / max(apart, 1.9)  # the farther apart, the larger a product with a small difference
        layer.bias *= 0.1
        layer.bias += shift
    return q_proj, k_proj, v_proj, out_proj


# ---------------------------------------------------------------- inputs for self-attention

TWO_FEATURES = [[[1.0, 0.0], [0.0, 1.0]]]
FOUR_FEATURES = [[[0.5, 0, 1, -1], [0, 1, -0.5, 0.5]]]


def self_attention_arguments(seed, b, t, h, d, *mask, layers=4, dtype=torch.float32):
    """x, the first `layers` of q_proj, k_proj, v_proj and out_proj, the number of heads, and perhaps a mask."""
    return normal(b, t, h * d, seed=seed, dtype=dtype), *random_layers(h * d, seed, dtype)[:layers], h, *mask


def low_score_arguments(seed, low, layers=4):
    """Arguments of self-attention whose scores lie around `low`, with a causal mask."""
    return normal(B, T, C, seed=seed), *with_scores_around(low, random_layers(C, seed))[:layers], H, CAUSAL


def large_score_arguments(seed, layers=4):
    """Arguments of self-attention with a causal mask, where hidden scores are some hundreds above visible ones."""
    return 16 * normal(B, T, C, seed=seed), *random_layers(C, seed)[:layers], H, CAUSAL


def lowest_score_arguments(layers=4):
    """Arguments of self-attention with a causal mask, where position 0 sees a score of -2.5e9 and hides one of 0."""
    eye, none = torch.eye(2), torch.zeros(2)
    own = (layer_of(times * eye, none) for times in (1, -1, 1, 1))
    return torch.tensor([[[5e4, 5e4], [0.0, 0.0]]]), *list(own)[:layers], 2, causal_mask(2)


def small_arguments(layers=4):
    """Arguments of self-attention with two heads, and numbers that are easy to follow by hand, the smallest first."""
    return tuple(
        (torch.tensor(x), *simple_layers(len(x[0][0]))[:layers], 2, *mask)
        for x, *mask in (
            (TWO_FEATURES,),
            (FOUR_FEATURES,),
            (TWO_FEATURES, causal_mask(2)),
            (FOUR_FEATURES, causal_mask(2)),
            ([*TWO_FEATURES, [[0.0, 1.0], [1.0, 1.0]]],),
        )
    )
