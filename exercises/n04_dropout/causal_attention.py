"""CausalAttention: the reference, its steps and test cases; the page next to it says the rest."""

import contextlib
import math
from dataclasses import replace

import torch
from torch import nn

from exercises.common import explainers, modules, properties
from exercises.common.attention import right_weights
from exercises.common.devices import Moved, moved
from exercises.common.dropout import decided_by_a_layer, dropout, dropped_attention_from, in_training
from exercises.common.dropout_statistics import WORDS_OF_A_LAYER, DroppedWeights
from exercises.common.heads import LIMITATION_FINITE_FILL
from exercises.common.inputs import AXES, DV, SHIFT, B, D, S, T, normal
from feedback import BehavioralTest, ContractViolation, ModuleRunner, Property, SummaryComparison, TestCase
from feedback.page_exercise import exercise
from helpers.masks import causal_mask


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        T = x.size(1)
        visible = self.mask[:T, :T]  # x may be shorter than context_length
        scores = scores.masked_fill(~visible, float("-inf"))
        weights = scores.softmax(dim=-1)
        weights = self.dropout(weights)
        return weights @ v, weights


# ---------------------------------------------------------------- running an answer


def run_causal_attention(attempt, x, *rest):
    """Build the learner's module, copy known weights into its projections, and apply it to x.

    Shapes: x (B, T, d_in); rest is three weights (d_out, d_in), context_length, dropout, training
    Errors: ContractViolation if the module lacks something that the exercise names, or its mask fits no shorter x
    """
    *weights, context_length, p, training = rest
    modules.require_methods(attempt, "d_in, d_out, context_length, dropout")

    def apply(length):
        return modules.in_dtype(built(attempt, weights, length, p), x.dtype).train(training)(x)

    try:
        return apply(context_length)
    except RuntimeError as error:
        length = x.size(1)
        try:
            apply(length)
        except Exception:
            raise error from None
        raise ContractViolation(
            "mask-not-cut",
            f"Built with context_length = {context_length}, your module cannot take {length} positions "
            f"({type(error).__name__}: {str(error).splitlines()[0]}). Built with context_length = {length} it can: so "
            "something keeps that size, most likely the mask. Which of its rows and columns does a shorter x need?",
        ) from None


def built(attempt, weights, context_length, p=0.0):
    """Build the learner's module with these weights in its projections."""
    module = attempt(*reversed(weights[0].shape), context_length, p)
    modules.fill_projections(module, attempt, weights)
    return module


def describe(args):
    x, weight, *_, context_length, p, training = args
    sizes = {"d_in": weight.size(1), "d_out": weight.size(0), "context_length": context_length, "dropout": p}
    return modules.was_built(sizes, x, f" in {'training' if training else 'evaluation'}")


def project(x, context, q_proj, k_proj, v_proj, drop):
    return q_proj(x), k_proj(x), v_proj(x)


def cut(mask, length, training):
    """Return the part of the buffer that is used, True = may attend."""
    return mask[:length, :length]


def assemble(project=project, cut=cut, drop=dropout, active=in_training, **steps):
    """Build a module from the steps of `dropped_attention_from`, those of dropout, and two more: project and cut."""
    attention = dropped_attention_from(**steps)

    class Wrong(nn.Module):
        def __init__(self, d_in, d_out, context_length, dropout):
            super().__init__()
            for name in modules.PROJECTIONS:
                setattr(self, name, modules.Blank(d_in, d_out, bias=False))
            self.p = dropout
            self.register_buffer("mask", causal_mask(context_length))

        def dropped(self, x):
            return drop(x, self.p) if active(self.training) else x

        def forward(self, x):
            layers = (getattr(self, name) for name in modules.PROJECTIONS)
            mask = cut(self.mask, x.size(1), self.training)
            return attention(*project(x, x, *layers, self.dropped), self.dropped, mask)

    return Wrong


# ---------------------------------------------------------------- test cases


def given(batch, length, context_length, training, seed, d_in=D, d_out=DV):
    """Return arguments of 4.3 without dropout."""
    x = normal(batch, length, d_in, seed=seed)
    weights = (normal(d_out, d_in, seed=seed + 1 + i) / (d_in / 3) ** 0.5 for i in range(3))
    return x, *weights, context_length, 0.0, training


def showing_the_mix(batch, length, context_length, p, training, seed):
    """Return arguments of 4.3 with values that begin with the identity, so that out shows the weights that mixed them.

    x ends with the identity, and W_value moves it to the front of the values.
    """
    d_in, d_out = D + length, length + DV
    eye = torch.eye(length)
    x = torch.cat([normal(batch, length, D, seed=seed), eye.expand(batch, length, length)], -1)
    q, k = (0.4 * normal(d_out, d_in, seed=seed + i) for i in (1, 2))
    v = torch.cat([torch.cat([torch.zeros(length, D), eye], -1), normal(DV, d_in, seed=seed + 3)])
    return x, q, k, v, context_length, p, training


def with_low_visible_scores(args):
    """Change arguments so that keys are negated queries, and each position's score with itself is far below 0."""
    x, q, _, *rest = args
    return x, 2 * q, -7 * q, *rest


def with_scores_around_minus_150(args):
    """Change arguments so that one feature of x is always 1, and shifts queries and keys in opposite directions."""
    x, q, k, *rest = args
    x, q, k = x.clone(), 0.3 * q, 0.3 * k
    x[..., 0] = 1
    q[:, 0], k[:, 0] = 6.45, -6.45
    return x, q, k, *rest


def in_float64(args):
    return args[0].double(), *args[1:]


def with_a_vector_of_zeros(args):
    """Set position 1 of item 0 to zeros, so that a score of 0 does not mean that a key is hidden."""
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
    TestCase("a vector of zeros", with_a_vector_of_zeros(given(B, T, T, False, seed=116))),
    TestCase("`d_in` = 17 and `d_out` = 19", given(B, T, DV, False, seed=92, d_in=17, d_out=19)),
    TestCase(
        "a batch with low scores in evaluation",  # so low that redrawn ones might round to 0: SHIFT is undone
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
    TestCase(
        "a very low visible score",
        (torch.tensor([[[5e4], [0.0]]]), *(torch.tensor([[times]]) for times in (1.0, -1.0, 1.0)), 2, 0.0, False),
        limitation=LIMITATION_FINITE_FILL,
    ),
)


# ---------------------------------------------------------------- comparing results


def queries_keys_values(args):
    x, *weights = args[:4]
    return [x @ weight.to(x.dtype).mT for weight in weights]


def causal_weights(args):
    q, k, _ = queries_keys_values(args)
    return right_weights(q, k, causal_mask(q.size(1)))


DROPPED = DroppedWeights(
    weights=causal_weights,
    values=lambda args: queries_keys_values(args)[2],
    mode=lambda args: args[-2:],
    **WORDS_OF_A_LAYER,
)


def future(case):
    """The hidden key that gets the largest weight."""
    return explainers.hidden_weight(with_mask(case))


def with_mask(case):
    return replace(case, args=(*case.args, causal_mask(case.last.size(-1))))


FUTURE = Property(
    "future-read",
    lambda case: properties.HIDDEN.test(with_mask(case)),
    "Row i may see the columns 0 to i. Which step comes between the mask and the weights?",
)

# ---------------------------------------------------------------- behavioral tests


def is_mask(value):
    """Return whether a value is a tensor with an axis of length T; no other size equals T here."""
    return isinstance(value, torch.Tensor) and T in value.shape


def mask_is_parameter(attempt):
    named = attempt(D, DV, T, 0.0).named_parameters()
    found = next((name for name, value in named if is_mask(value)), None)
    return found and f"The numbers are right, but {found} is an nn.Parameter: it counts as something to be learned."


def plain_mask(module):
    """Return the name of an attribute that holds a mask and does not move with its module, or None."""
    named = [(name, value) for part in module.modules() for name, value in {**vars(type(part)), **vars(part)}.items()]
    for name, value in named:
        items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else (value,)
        if name not in ("_buffers", "_parameters") and any(map(is_mask, items)):
            return name
    return None


def mask_stays_on_the_cpu(attempt):
    """Find tensors that stay on the CPU if the module and x are moved to another device."""
    module, x = attempt(D, DV, T, 0.0).eval(), normal(B, T, D, seed=111)
    module(x)  # a tensor kept from this call does not move
    with contextlib.suppress(Exception), Moved(x) as device:
        moved(module)(x)
    if not device.met:
        return None
    name = plain_mask(module)
    cause = f"self.{name} is a plain tensor, and stays" if name else "forward uses a tensor that is made"
    return (
        f"The numbers are right, but when the module and x were moved to another device, not everything followed: "
        f"{cause} on the CPU. On a GPU the two cannot be combined."
    )


def visible_zeros(pair):
    """Return which visible weights are 0."""
    weights = pair[1]
    return weights[..., causal_mask(weights.size(-1))] == 0


WEIGHTS = tuple(normal(DV, D, seed=112 + i) / 2 for i in range(3))


TESTS = (
    *decided_by_a_layer(lambda attempt, p: attempt(D, DV, 32, p), normal(B, 32, D, seed=105), visible_zeros),
    *modules.trainable(
        lambda attempt: built(attempt, WEIGHTS, D),
        CausalAttention,
        modules.PROJECTIONS,
        (normal(B, T, D, seed=106),),
        (normal(B, S, D, seed=108),),
    ),
    BehavioralTest(
        "mask-as-parameter",
        mask_is_parameter,
        "Which tensors of a module does no optimizer touch?",
        required=True,
        while_doing="built once more,",
    ),
    BehavioralTest(
        "mask-stays-on-the-cpu",
        mask_stays_on_the_cpu,
        "What is made in `__init__` and is not learned moves with the module as a buffer; what is made in forward is "
        "best made where x is.",
        required=True,
        while_doing="built once more,",
    ),
)


EXERCISE = exercise(
    CausalAttention,
    assemble=assemble,
    returns=("out", "weights"),
    runner=ModuleRunner(
        run_causal_attention, ("x", *modules.PROJECTIONS, "context_length", "dropout", "training"), describe
    ),
    comparison=SummaryComparison(DROPPED.summary),
    stage_of=DROPPED.stage_of,
    judge_first=("weights",),
    axis_names=AXES | {3: "", 7: "T", 11: "d_in", 13: "d_out", 17: "d_in", 19: "d_out"},
    cases=CASES,
    minimal_inputs=(),
    error_meanings=(
        (
            r"attribute '(\w+)' already exists",
            "The module has an attribute {0} already: `register_buffer` makes it by itself, so there is no self.{0} = "
            "... before it.",
        ),
    ),
    properties=DROPPED.pair_properties(FUTURE),
    behavioral_tests=TESTS,
)
