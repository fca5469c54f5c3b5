"""Exercise 5.5: MultiHeadAttention."""

import torch

from exercises.common import properties
from exercises.common.heads.inputs import (
    FOUR_FEATURES,
    LIMITATION_LARGE_SCORES,
    PROJECTIONS,
    SIZES,
    TWO_FEATURES,
    D,
    large_score_arguments,
    low_score_arguments,
    simple_layers,
)
from exercises.common.inputs import AXES, CAUSAL, B, H, S, T, padded, some_hidden
from exercises.common.modules import only_read
from exercises.e5_5_multi_head_module.behavior import TESTS
from exercises.e5_5_multi_head_module.comparison import DROPPED_WEIGHTS
from exercises.e5_5_multi_head_module.inputs import arguments, showing_the_mix
from exercises.e5_5_multi_head_module.misconceptions import known
from exercises.e5_5_multi_head_module.reference import MultiHeadAttention
from exercises.e5_5_multi_head_module.runner import described, run_multi_head_attention
from feedback import Exercise, ModuleRunner, Property, SummaryComparison, TestCase
from helpers.masks import causal_mask


def masked(seed, *shape, b=B, s=S, dtype=torch.float32):
    """A context of s positions (or none), and a mask of this shape."""
    return arguments(seed, b, T, H, D, s, some_hidden(*shape, seed=seed), dtype)


def low_scores(seed, low):
    """Scores around `low` in self-attention, and a causal mask."""
    *others, mask = low_score_arguments(seed, low)
    return *only_read(others), None, mask


def large_scores(seed):
    """Hidden scores far above visible ones, in self-attention."""
    *others, mask = large_score_arguments(seed)
    return *only_read(others), None, mask


CASES = (
    TestCase("a batch", arguments(130, B, T, H, D)),
    TestCase("six heads of eleven features", arguments(131, B, S, 6, 11)),
    TestCase("one item, and as many heads as positions", arguments(134, 1, 8, 8, D)),
    TestCase("a longer context", arguments(135, B, T, H, D, S)),
    TestCase("a shorter context", arguments(136, B, 13, H, 11, S)),
    TestCase("a context as long as x", arguments(137, B, T, H, D, T)),
    TestCase("a causal mask (T, T), as many items as positions", arguments(138, T, T, H, D, mask=CAUSAL)),
    TestCase("a context and a padding mask (B, 1, 1, S)", arguments(140, B, T, H, D, S, padded(3, 6)[:, None])),
    TestCase("a context and a mask (T, S)", masked(141, T, S)),
    TestCase("a context and a mask (S,)", masked(142, S)),
    TestCase("a context and a mask for each head, (H, T, S), as many items as heads", masked(143, H, T, S, b=H)),
    TestCase("float64, a context and a mask (B, H, 1, S)", masked(147, B, H, 1, S, dtype=torch.float64)),
    TestCase("scores around -7", low_scores(148, -7.22)),
    TestCase("scores around -150", low_scores(149, -150)),
    TestCase(
        "hidden scores far above the visible ones", large_scores(151), 1e-3, 1e-3, limitation=LIMITATION_LARGE_SCORES
    ),
    TestCase("evaluation, dropout = 0.5", showing_the_mix(150, B, 9, None, 0.5, False)),
    TestCase("training, dropout = 0.3", showing_the_mix(160, 8, 18, None, 0.3, True), rtol=1e-3),
    TestCase(
        "training, dropout = 0.5, a context and a mask",
        showing_the_mix(170, 4, 16, 19, 0.5, True, some_hidden(4, 1, 1, 19, seed=9), torch.float64, 2),
        rtol=1e-3,
    ),
    TestCase("training, dropout = 0", (*arguments(180, B, T, H, D)[:5], (H, 0.0, True))),
)


def small(x, *rest):
    return torch.tensor(x), *only_read(simple_layers(len(x[0][0]))), 2, *rest


MINIMAL_INPUTS = (
    small(TWO_FEATURES),
    small(FOUR_FEATURES),
    small([TWO_FEATURES[0][:1]], torch.tensor([[[0.0, 1.0], [1.0, 1.0]]]), None),
    small(TWO_FEATURES, None, torch.tensor([True, False])),
    small(TWO_FEATURES, None, causal_mask(2)),
    small(FOUR_FEATURES, None, causal_mask(2)),
)


def only_in_evaluation(wanted):
    """A property of the weights that dropout takes away."""
    return Property(
        wanted.id, lambda case: None if DROPPED_WEIGHTS.mode(case.args)[1] else wanted.test(case), wanted.hint
    )


EXERCISE = Exercise(
    minutes=20,
    difficulty=3,
    gives="a module with `q_proj`, `k_proj`, `v_proj` and `out_proj`, each `nn.Linear(d_model, d_model)`; "
    "`forward(x, context=None, mask=None)` gives the pair (out, weights): out (B, T, C), and the weights as "
    "used, (B, H, T, S)",
    reference=MultiHeadAttention,
    returns=("out", "weights"),
    runner=ModuleRunner(run_multi_head_attention, ("x", *PROJECTIONS, "num_heads", "context", "mask"), described),
    comparison=SummaryComparison(DROPPED_WEIGHTS.summary),
    stage_of=DROPPED_WEIGHTS.stage_of,
    judge_first=("weights",),
    none_hints=properties.WEIGHTS_ARE_NONE,
    axis_names=AXES | {**SIZES, 7: "S", 13: "T"},
    cases=CASES,
    minimal_inputs=MINIMAL_INPUTS,
    misconceptions=known,
    hints=(
        "What must exist before forward is first called, because it is trained or depends on the mode? And who is "
        "read where there is no context?",
        "In `__init__`: four layers of `d_model` to `d_model`, `nn.Dropout(dropout)`, and the number of heads. "
        "forward is exercise 5.3 with the keys and values of 5.4, where x stands in for a context that is None: "
        "project, split, scores, mask, softmax; then `self.dropout` on the weights; then mix the values, merge, and "
        "`out_proj`.",
        "q = `split_heads(self.q_proj(x), self.num_heads)`, k and v likewise from context; weights = "
        "`self.dropout(scores.softmax(dim=-1))`; `return self.out_proj(merge_heads(weights @ v)), weights`",
    ),
    properties=(
        properties.FINITE,
        properties.POSITIVE,
        only_in_evaluation(properties.ROWS),
        properties.HIDDEN,
        DROPPED_WEIGHTS.out_property(),
        *DROPPED_WEIGHTS.dropout_properties(),
    ),
    behavioral_tests=TESTS,
    when_correct="A complete multi-head attention, in your own words: a decoder, an encoder and a translator are built "
    "from modules like this one.",
)
