"""What people get wrong in exercise 2.5, SelfAttention."""

import math

from torch import nn

from exercises.common import explainers
from exercises.common.attention.mistakes import (
    COMPARE_MISTAKES,
    MIX_MISTAKES,
    SCALE_MISTAKES,
    SOFTMAX_MISTAKES,
    scores_as_they_are,
    unscaled,
    weights_first,
)
from exercises.common.attention.projections import PROJECTIONS
from exercises.common.attention.steps import attention_from
from exercises.common.modules import Blank
from feedback import Misconceptions


def project(module, x):
    """The right first step: queries, keys and values."""
    return module.W_query(x), module.W_key(x), module.W_value(x)


def module_from(project=project, attend=None, **steps):
    """A module with the three layers; `attend(q, k, v)` replaces the steps of attention."""
    attend = attend or attention_from(**steps)

    class Assembled(nn.Module):
        def __init__(self, d_in, d_out):
            super().__init__()
            for name in PROJECTIONS:
                setattr(self, name, Blank(d_in, d_out, bias=False))

        def forward(self, x):
            return attend(*project(self, x))

    return Assembled


right = attention_from()
known = Misconceptions(module_from)
known.include(
    SCALE_MISTAKES,
    "no-scale",
    "scaled-by-d",
    "root-without-brackets",
    "divided-by-d-and-by-2",
    "root-of-two",
    "fixed-scale",
    "multiplied",
    "scaled-after-softmax",
)


@known.also("fixed-scale", step="scale")
def by_the_root_of_13(q, k):
    return 1 / math.sqrt(13)


@known(
    "scaled-by-positions",
    means="The scores were divided by the square root of the number of positions.",
    hint="Which axis does a dot product sum over? D is its size.",
    explain=explainers.sharpness,
    step="scale",
)
def by_the_root_of_the_number_of_positions(q, k):
    return 1 / math.sqrt(q.size(1))


@known(
    "scaled-by-input",
    means="The scores were divided by `sqrt(d_in)`; the dot products run over the `d_out` features of q and k.",
    hint="Take the size from q itself.",
    explain=explainers.sharpness,
)
class ScaledByInput(module_from()):
    def forward(self, x):
        q, k, v = project(self, x)
        weights = (q @ k.transpose(-2, -1) / math.sqrt(x.size(-1))).softmax(-1)
        return weights @ v, weights


# ---------------------------------------------------------------- the three layers


@known(
    "query-layer-twice",
    means="`W_query` made the keys as well, in place of `W_key`.",
    hint="Each of the three layers makes one of the three things.",
    explain=explainers.sharpness,
    step="project",
)
def keys_by_the_query_layer(module, x):
    return module.W_query(x), module.W_query(x), module.W_value(x)


@known(
    "key-layer-twice",
    means="`W_key` made the queries as well, in place of `W_query`.",
    hint="Each of the three layers makes one of the three things.",
    explain=explainers.sharpness,
    step="project",
)
def queries_by_the_key_layer(module, x):
    return module.W_key(x), module.W_key(x), module.W_value(x)


@known(
    "keys-ask",
    means="Queries and keys are swapped: position j asks position i.",
    hint="Row i must hold position i's query against all keys.",
    step="project",
)
def queries_and_keys_swapped(module, x):
    return module.W_key(x), module.W_query(x), module.W_value(x)


@known(
    "keys-as-values",
    means="The weights average the keys; `W_value` was never used.",
    hint="Keys decide how much is read; values are what is read.",
    explain=explainers.out_alone,
    step="project",
)
def values_by_the_key_layer(module, x):
    return module.W_query(x), module.W_key(x), module.W_key(x)


@known(
    "input-as-values",
    means="The weights average x itself; `W_value` was never used.",
    hint="Values are a projection too.",
    explain=explainers.shape,
    step="project",
)
def values_not_projected(module, x):
    return module.W_query(x), module.W_key(x), x


@known(
    "queries-as-values",
    means="The weights average the queries; `W_value` was never used.",
    hint="Keys decide how much is read; values are what is read.",
    explain=explainers.out_alone,
    step="project",
)
def values_by_the_query_layer(module, x):
    return module.W_query(x), module.W_key(x), module.W_query(x)


@known(
    "values-as-keys",
    means="The queries were compared with the values: `W_value` made the keys, in place of `W_key`.",
    hint="Keys decide how much is read; values are what is read.",
    explain=explainers.sharpness,
    step="project",
)
def keys_by_the_value_layer(module, x):
    return module.W_query(x), module.W_value(x), module.W_value(x)


@known(
    "keys-and-values-exchanged",
    means="Keys and values have changed places.",
    hint="Keys are compared with the queries, values are averaged.",
    explain=explainers.sharpness,
    step="project",
)
def keys_and_values_swapped(module, x):
    return module.W_query(x), module.W_value(x), module.W_key(x)


# ---------------------------------------------------------------- axes, weights, the result

known.include(SOFTMAX_MISTAKES, "over-queries", "over-batch", "softmax-twice", "no-softmax")
known.also("no-softmax", scale=unscaled, softmax=scores_as_they_are)
known.include(COMPARE_MISTAKES, "all-axes-reversed", "reshaped-not-transposed")
known.include(
    MIX_MISTAKES,
    "weights-transposed",
    "scores-returned",
    "mixed-by-scores",
    "only-out",
    "only-weights",
    "swapped-pair",
    hints={
        "only-out": "End forward with `return out, weights`.",
        "swapped-pair": "Return out first: forward gives (out, weights).",
    },
)
known.also("swapped-pair", scale=unscaled, give=weights_first)


@known(
    "batch-as-positions",
    means="Positions read across the items of the batch, which have nothing to do with each other.",
    hint="The batch stays in front untouched: (B, T, D) @ (B, D, T) is one product for each item.",
    explain=explainers.shape,
    step="attend",
)
def batch_and_positions_swapped(q, k, v):
    out, weights = right(*(z.transpose(0, 1) for z in (q, k, v)))
    return out.transpose(0, 1), weights


@known.also("batch-as-positions", step="attend")
def one_long_sequence(q, k, v):
    out, weights = right(*(z.flatten(0, 1) for z in (q, k, v)))
    return out.reshape(v.shape), weights
