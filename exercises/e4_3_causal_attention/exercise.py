"""Exercise 4.3: CausalAttention."""

import torch

from exercises.common.attention.projections import PROJECTIONS, fill_projections
from exercises.common.inputs import AXES, DV, SHIFT, B, D, S, T, normal, round_numbers
from exercises.common.modules import in_dtype, require_methods
from exercises.e4_3_causal_attention.behavior import TESTS
from exercises.e4_3_causal_attention.misconceptions import DROPPED_WEIGHTS, future, known
from exercises.e4_3_causal_attention.reference import CausalAttention
from feedback import ContractViolation, Exercise, ModuleRunner, Property, SummaryComparison, TestCase
from helpers.masks import causal_mask

# ---------------------------------------------------------------- how an answer is run


def run_causal_attention(attempt, x, *rest):
    """Build the learner's module, put known numbers into its projections, and apply it to x.

    Shapes: x (B, T, d_in); rest is three weights (d_out, d_in), context_length, dropout, training
    Errors: ContractViolation where the module lacks what the exercise names, or its mask does not fit a shorter x
    Source: notebook 04
    """
    *weights, context_length, p, training = rest
    require_methods(attempt, "d_in, d_out, context_length, dropout")

    def apply(length):
        module = attempt(*reversed(weights[0].shape), length, p)
        fill_projections(module, attempt, weights)
        return in_dtype(module, x.dtype).train(training)(x)

    try:
        return apply(context_length)
    except RuntimeError as error:
        if works(apply, x.size(1)):
            raise ContractViolation("mask-not-cut", mask_not_cut(context_length, x.size(1), error)) from None
        raise


def works(apply, length):
    try:
        apply(length)
    except Exception:
        return False
    return True


def mask_not_cut(context_length, length, error):
    return (
        f"Built with context_length = {context_length}, your module cannot take {length} positions "
        f"({type(error).__name__}: {str(error).splitlines()[0]}). Built with context_length = {length} it can: so "
        "something keeps that size, most likely the mask. Cut both its axes to the length of x: mask[:T, :T] "
        "with T = x.size(1)."
    )


def describe(args):
    x, weight, *_, context_length, p, training = args
    return (
        f"It was built with d_in = {weight.size(1)}, d_out = {weight.size(0)}, context_length = {context_length} "
        f"and dropout = {p:g}, to be applied to x of shape {tuple(x.shape)} in "
        f"{'training' if training else 'evaluation'}."
    )


ERROR_MEANINGS = (
    (
        r"attribute '(\w+)' already exists",
        "The module has an attribute {0} already: `register_buffer` makes it by itself, so there is no self.{0} = "
        "... before it.",
    ),
)


# ---------------------------------------------------------------- what it is tried on


def given(batch, length, context_length, training, seed, d_in=D, d_out=DV):
    """The arguments of 4.3, without dropout."""
    x = normal(batch, length, d_in, seed=seed)
    weights = (normal(d_out, d_in, seed=seed + 1 + i) / (d_in / 3) ** 0.5 for i in range(3))
    return x, *weights, context_length, 0.0, training


def showing_the_mix(batch, length, context_length, p, training, seed):
    """The arguments of 4.3, with values that begin with the identity, so that out shows what mixed them.

    x ends with the identity, and W_value brings it to the front of the values.
    """
    d_in, d_out = D + length, length + DV
    eye = torch.eye(length)
    x = torch.cat([normal(batch, length, D, seed=seed), eye.expand(batch, length, length)], -1)
    q, k = (0.4 * normal(d_out, d_in, seed=seed + i) for i in (1, 2))
    v = torch.cat([torch.cat([torch.zeros(length, D), eye], -1), normal(DV, d_in, seed=seed + 3)])
    return x, q, k, v, context_length, p, training


def with_low_visible_scores(args):
    """Arguments whose keys are the queries, turned around: each score with oneself is far below 0."""
    x, q, _, *rest = args
    return x, 2 * q, -7 * q, *rest


def with_scores_around_minus_150(args):
    """Arguments with a feature of x that is always 1, and that moves queries and keys apart."""
    x, q, k, *rest = args
    x, q, k = x.clone(), 0.3 * q, 0.3 * k
    x[..., 0] = 1
    q[:, 0], k[:, 0] = 6.45, -6.45
    return x, q, k, *rest


def in_float64(args):
    return args[0].double(), *args[1:]


def with_a_vector_of_zeros(args):
    """Arguments with a vector of zeros at position 1 of item 0: a score of 0 is no sign that a key is hidden."""
    x, *rest = args
    x = x.clone()
    x[0, 1] = 0
    return x, *rest


CASES = (
    TestCase("a batch as long as `context_length`", given(B, T, T, False, seed=60)),
    TestCase("an x shorter than `context_length`, in evaluation", showing_the_mix(B, S, 9, 0.5, False, seed=64)),
    TestCase("a batch in training, dropout = 0.3", showing_the_mix(6, 40, 40, 0.3, True, seed=68), rtol=1e-3),
    TestCase("a batch in training, dropout = 0", given(3, 16, 20, True, seed=72)),
    TestCase("one position, in training, dropout = 0.5", showing_the_mix(200, 1, 3, 0.5, True, seed=120), rtol=1e-3),
    TestCase("float64 numbers in evaluation", in_float64(given(B, T, S, False, seed=84))),
    TestCase("one position", given(B, 1, 3, False, seed=76)),
    TestCase("one item", given(1, S, S, False, seed=80)),
    TestCase("a vector of zeros", with_a_vector_of_zeros(given(B, T, T, False, seed=116))),
    TestCase("as many features out as in", given(B, S, D, False, seed=88, d_out=D)),
    TestCase("`d_in` = 17 and `d_out` = 19", given(B, T, DV, False, seed=92, d_in=17, d_out=19)),
    TestCase(
        "a batch with low scores in evaluation",  # so low that other numbers might round to 0: never redrawn
        with_low_visible_scores(given(B, T, T, False, seed=92 - SHIFT)),
    ),
    TestCase(
        "float64 numbers with scores around -150",  # float64, so that exp(-150) is not 0
        in_float64(with_scores_around_minus_150(given(B, T, T, False, seed=108))),
    ),
    TestCase(
        "float64 numbers in training, dropout = 0.5",
        in_float64(showing_the_mix(6, 41, 50, 0.5, True, seed=96)),
        rtol=1e-3,
    ),
    TestCase("a batch in training, dropout = 0.8", showing_the_mix(4, 60, 64, 0.8, True, seed=100), rtol=1e-3),
)
MINIMAL_INPUTS = (
    (round_numbers(1, 2, 2), round_numbers(2, 2), 1 - round_numbers(2, 2), round_numbers(2, 2) + 1, 2, 0.0, False),
)


def future_is_read(case):
    leak = case.last.double() * ~causal_mask(case.last.size(-1))
    if (leak.abs() < 1e-4).all() or DROPPED_WEIGHTS.broken_row(
        case
    ):  # the row comes first: its sum is nearer to the cause
        return None
    return f"The future must get the weight 0, in training too: {future(case)}."


FUTURE = Property(
    "future-read",
    future_is_read,
    "Row i may see the columns 0 to i. Which step comes between the mask and the weights?",
)

EXERCISE = Exercise(
    minutes=15,
    difficulty=3,
    gives="a module with `W_query`, `W_key`, `W_value` and a mask as buffer; `forward(x)` with x (B, T, `d_in`) "
    "gives (out, weights), causal, with dropout on the weights",
    reference=CausalAttention,
    returns=("out", "weights"),
    runner=ModuleRunner(run_causal_attention, ("x", *PROJECTIONS, "context_length", "dropout", "training"), describe),
    comparison=SummaryComparison(DROPPED_WEIGHTS.summary),
    stage_of=DROPPED_WEIGHTS.stage_of,
    judge_first=("weights",),
    axis_names=AXES | {3: "", 7: "T", 11: "d_in", 13: "d_out", 17: "d_in", 19: "d_out"},
    cases=CASES,
    minimal_inputs=MINIMAL_INPUTS,
    misconceptions=known,
    error_meanings=ERROR_MEANINGS,
    hints=(
        "Begin with your SelfAttention from exercise 2.5. Which two things must it also keep, made once in `__init__`? "
        "One is a layer, the other a tensor that moves with the module but is not trained.",
        'The two are `self.dropout = nn.Dropout(dropout)` and `self.register_buffer("mask", ...)`, a triangle of '
        "`context_length` positions.",
        "In forward: `T = x.size(1)`, and the mask is `self.mask[:T, :T]`. Fill the scores with -inf where it "
        "forbids, take the softmax, then weights = `self.dropout(weights)`, and only then out.",
        '`weights = scores.masked_fill(~self.mask[:T, :T], float("-inf")).softmax(dim=-1)`, for a mask that is '
        "True where reading is allowed; `weights = self.dropout(weights)`; `return weights @ v, weights`",
    ),
    properties=(*DROPPED_WEIGHTS.pair_properties(FUTURE), *DROPPED_WEIGHTS.dropout_properties()),
    behavioral_tests=TESTS,
    when_correct="This is the attention of GPT, one head of it: it learns, cannot see ahead, and in training "
    "it cannot count on any single word.",
)
