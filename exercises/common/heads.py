"""Layers, inputs and behavioral tests for exercises with several heads: 5.3, 5.4, 5.5 and 7.1."""

import copy
import math

import torch
from torch import nn

from exercises.common import explainers
from exercises.common.experiments import items_apart, largest_difference
from exercises.common.inputs import CAUSAL, B, H, S, T, normal, padded, some_hidden
from feedback import BehavioralTest, TestCase
from helpers.masks import causal_mask

D, C = 4, 12  # the width of one head, and of all three
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
    "It has a limit: a visible score of -2.5e9 next to a hidden one of 0. The visible key must get all the weight: "
    "a hidden key must stay below every visible one, whatever number fills it, and must not set the maximum."
)


def is_masked(mask):
    """Return the stage of a test case: 0 if the mask hides nothing, else 1."""
    return int(mask is not None and not bool(mask.all()))


# ---------------------------------------------------------------- layers


def layer_of(weight, bias):
    """Return an nn.Linear with these parameters, without gradients and without drawing random numbers."""
    layer = nn.Linear(weight.size(1), weight.size(0), device="meta")  # without parameters, which are set here
    layer.weight = nn.Parameter(weight, requires_grad=False)
    layer.bias = nn.Parameter(bias, requires_grad=False)
    return layer


def random_layers(width, seed, dtype=torch.float32):
    """Return four different layers, for q, k, v and out, that roughly keep the size of their inputs."""
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
    """Change the layers so that every score of a head of four features is around `low`, which is negative."""
    q_proj, k_proj, v_proj, out_proj = copy.deepcopy(layers)
    apart = math.sqrt(-low / 2)  # 4 * apart * -apart / sqrt(4) = low
    for layer, shift in ((q_proj, apart), (k_proj, -apart)):
        layer.weight *= 0.4 * 1.9 / max(apart, 1.9)  # a larger shift enlarges the effect of small differences
        layer.bias *= 0.1
        layer.bias += shift
    return q_proj, k_proj, v_proj, out_proj


# ---------------------------------------------------------------- inputs for self-attention

TWO_FEATURES = [[[1.0, 0.0], [0.0, 1.0]]]
FOUR_FEATURES = [[[0.5, 0, 1, -1], [0, 1, -0.5, 0.5]]]


def self_attention_arguments(seed, b, t, h, d, *mask, layers=4, dtype=torch.float32):
    """Return x, the first `layers` of q_proj, k_proj, v_proj and out_proj, the number of heads, and the mask if any."""
    return normal(b, t, h * d, seed=seed, dtype=dtype), *random_layers(h * d, seed, dtype)[:layers], h, *mask


def low_score_arguments(seed, low, layers=4):
    """Return arguments of self-attention with scores around `low` and a causal mask."""
    return normal(B, T, C, seed=seed), *with_scores_around(low, random_layers(C, seed))[:layers], H, CAUSAL


def large_score_arguments(seed, layers=4):
    """Return arguments of self-attention with a causal mask and hidden scores some hundreds above visible ones."""
    return 16 * normal(B, T, C, seed=seed), *random_layers(C, seed)[:layers], H, CAUSAL


def lowest_score_arguments(layers=4):
    """Return arguments with a causal mask and at position 0 a visible score of -2.5e9 and a hidden one of 0."""
    eye, none = torch.eye(2), torch.zeros(2)
    own = (layer_of(times * eye, none) for times in (1, -1, 1, 1))
    return torch.tensor([[[5e4, 5e4], [0.0, 0.0]]]), *list(own)[:layers], 2, causal_mask(2)


def self_attention_cases(layers=4):
    """Return test cases of self-attention, for code that takes the first `layers` layers."""

    def case(name, seed, b, t, h, d, *mask, limitation="", **options):
        args = self_attention_arguments(seed, b, t, h, d, *mask, layers=layers, **options)
        return TestCase(name, args, limitation=limitation)

    return (
        case("a batch without a mask", 70, B, T, H, D),
        case("a causal mask (T, T)", 71, B, T, H, D, CAUSAL),
        case("a padding mask (B, 1, 1, T)", 72, B, T, H, D, padded(2, 4, max_length=T)[:, None]),
        case("a mask for each head, (B, H, T, T)", 74, B, T, H, D, some_hidden(B, H, T, T, seed=2)),
        case("a mask (T,)", 75, B, T, H, D, some_hidden(T), limitation=LIMITATION_ONE_AXIS),
        case("float64", 76, B, T, H, D, some_hidden(T, T), dtype=torch.float64),
        case("six heads of eleven features", 77, B, S, 6, 11),
        case("one head, mask=None", 78, B, T, 1, 10, None),
        case("one item", 79, 1, T, H, D, some_hidden(1, H, T, T, seed=3)),
        case("one position", 80, B, 1, H, D),
        case("as many heads as positions", 81, B, 8, 8, D, causal_mask(8)),
        case("a mask (H, T, T)", 83, B, T, H, D, some_hidden(H, T, T, seed=3)),
        case("as many items as heads, a mask (H, T, T)", 87, H, T, H, D, some_hidden(H, T, T, seed=4)),
        TestCase("scores around -150", low_score_arguments(84, -150, layers)),
        TestCase(
            "hidden scores far above the visible ones",
            large_score_arguments(86, layers),
            1e-3,
            1e-3,
            limitation=LIMITATION_LARGE_SCORES,
        ),
        TestCase("a very low visible score", lowest_score_arguments(layers), limitation=LIMITATION_FINITE_FILL),
    )


def small_arguments(layers=4):
    """Return arguments of self-attention with two heads and numbers that are easy to follow, the smallest first."""
    return tuple(
        (torch.tensor(x), *simple_layers(len(x[0][0]))[:layers], 2, *mask)
        for x, *mask in (
            (TWO_FEATURES,),
            (FOUR_FEATURES,),
            (TWO_FEATURES, causal_mask(2)),
            (FOUR_FEATURES, causal_mask(2)),
        )
    )


# ---------------------------------------------------------------- behavioral tests

X, CONTEXT, LAYERS = normal(B, T, C, seed=91), normal(B, S, C, seed=92), random_layers(C, 93)
INPUTS = (X, CONTEXT, LAYERS)
CHANGE = normal(1, S, C, seed=94)  # added to the changed item


def behavioral_tests(ask, reference, self_attention):
    """Return tests that explain wrong numbers: items, heads or positions mix, or only one of out and weights is wrong.

    ask(attempt, x, context, layers) returns out and weights, for three heads and without a mask.
    """
    where = "Tried without a mask," if self_attention else f"Tried with T = {T} and S = {S},"
    return (
        items_apart(
            (X, CONTEXT), (CHANGE[:, :T], CHANGE), lambda attempt, x, context: ask(attempt, x, context, LAYERS)
        ),
        any_order_of_positions(ask, self_attention),
        heads_apart(ask),
        *one_of_the_pair_wrong(ask, reference, where),
    )


def heads_apart(ask):
    """Return a test that changes the keys of head 0; the weights of the other heads must stay the same."""

    def test(attempt):
        x, context, layers = INPUTS
        changed = copy.deepcopy(layers)
        changed[1].weight[:D] += 1
        moved = largest_difference(
            ask(attempt, x, context, layers)[1][:, 1:], ask(attempt, x, context, changed)[1][:, 1:]
        )
        if moved < 1e-4:
            return None
        return (
            f"Heads do not see each other's features: when features 0 to {D - 1} of the keys changed, which belong "
            f"to head 0, the weights of other heads changed by up to {moved:.4f}."
        )

    return BehavioralTest(
        "heads-mixed", test, "Head h has the features h*D to (h+1)*D - 1. Which line lets another head see them?"
    )


def any_order_of_positions(ask, self_attention):
    """Return a test that reverses the positions that are read, which must reverse the weights and nothing else."""
    must = (
        "reversing x must only reverse out and the weights"
        if self_attention
        else "reversing context must not change out, and must only reverse the weights"
    )

    def test(attempt):
        x, context, layers = INPUTS
        out, weights = ask(attempt, x, context, layers)
        after = ask(attempt, x.flip(1) if self_attention else x, context.flip(1), layers)
        weights = weights.flip(-1)
        if self_attention:
            out, weights = out.flip(1), weights.flip(-2)
        moved = max(largest_difference(out, after[0]), largest_difference(weights, after[1]))
        if moved < 1e-4:
            return None
        return f"Without a mask the order of positions must not matter: {must}. Yours also change by up to {moved:.4f}."

    return BehavioralTest(
        "positions-mixed",
        test,
        "Two things make the order matter: cutting or joining axes that are not neighbors, and hiding some positions. "
        "Print one row before and after each line that changes a shape or hides something.",
    )


def one_of_the_pair_wrong(ask, reference, where):
    """Return two tests: for right weights with a wrong out, and for a right out with wrong weights."""

    def alone(wrong, right, sentence):
        def test(attempt):
            expected, actual = ask(reference, *INPUTS), ask(attempt, *INPUTS)
            if nearly_equal(actual[wrong], expected[wrong]) or not nearly_equal(actual[right], expected[right]):
                return None
            at = explainers.worst(actual[wrong], expected[wrong])
            return (
                f"{where} {sentence}: at {explainers.position(at)} it is {explainers.number(actual[wrong][at])}, and "
                f"{explainers.number(expected[wrong][at])} is right."
            )

        return test

    return (
        BehavioralTest(
            "out-alone-wrong",
            alone(0, 1, "your weights are right, but out is not"),
            "Which values do the weights mix, and what becomes of the heads afterwards?",
        ),
        BehavioralTest(
            "weights-alone-wrong",
            alone(1, 0, "your out is right, but the tensor of weights that you return is not"),
            "Return the very tensor that multiplied v. (If it is: are its keys in another order than x or context?)",
        ),
    )


def nearly_equal(actual, expected):
    return torch.allclose(actual, expected, rtol=1e-4, atol=3e-5)
