"""What people get wrong in exercise 14.3, translate."""

import math

import torch

from exercises.common import explainers
from feedback import Misconceptions


def by_head(fused, H):
    """q, k and v of a fused weight or bias."""
    return tuple(part.flatten(0, 1) for part in fused.unflatten(0, (H, 3, -1)).unbind(1))


def root(H, C):
    return math.sqrt(C // H)


def one(H, C):
    return 1.0


def projection(theirs):
    return theirs.proj.weight


def zeros(theirs):
    return torch.zeros(len(theirs.proj.weight))


def assemble(
    cut_weight=by_head,
    cut_bias=by_head,
    scale_weight=root,
    scale_bias=root,
    scale_keys=one,
    scale_values=one,
    order=(0, 1, 2),
    out_weight=projection,
    out_bias=zeros,
):
    """An answer to 14.3 with these steps replaced."""

    def translated(theirs):
        H, C = theirs.heads, theirs.proj.weight.size(0)
        state = {"out_proj.weight": out_weight(theirs), "out_proj.bias": out_bias(theirs)}
        for kind, cut, scale in (("weight", cut_weight, scale_weight), ("bias", cut_bias, scale_bias)):
            parts = cut(getattr(theirs.qkv, kind), H)
            q, k, v = (parts[i] for i in order)
            for name, part in (("q", scale(H, C) * q), ("k", scale_keys(H, C) * k), ("v", scale_values(H, C) * v)):
                state[f"{name}_proj.{kind}"] = part
        return state

    return translated


known = Misconceptions(assemble)


def mistake(id, means, hint, step=None):
    return known(id, means=means, hint=hint, step=step, explain=explainers.entry)


# ---------------------------------------------------------------- the fused rows


def stacked(fused, H):
    return fused.chunk(3)


def every_third(fused, H):
    return tuple(fused[part::3] for part in range(3))


def swapped(fused, H):
    return by_head(fused, len(fused) // (3 * H))


mistake(
    "rows-stacked",
    "The fused rows were cut into three blocks, as if those of q came first. Each of your projections mixes rows "
    "of q, k and v.",
    "Look at the line with `view`: which axis does it put in front of the 3?",
)
known.also("rows-stacked", cut_weight=stacked, cut_bias=stacked)
known.also("rows-stacked", cut_weight=stacked, cut_bias=stacked, scale_weight=one, scale_bias=one)
known.also("rows-stacked", cut_weight=stacked)
known.also("rows-stacked", cut_weight=stacked, scale_weight=one, scale_bias=one)

mistake(
    "bias-stacked",
    "The rows of the fused weight are cut correctly, but its bias was cut into three blocks. It has the same order as "
    "the rows.",
    "Each entry of a bias belongs to a row of the weight. What do you do with the rows?",
)
known.also("bias-stacked", cut_bias=stacked)


def no_bias(fused, H):
    return by_head(torch.zeros_like(fused), H)


mistake(
    "biases-left-out",
    "The biases of q, k and v are 0. The fused layer of theirs has a bias, and it belongs to the same three.",
    "`qkv` has a weight and a bias. Which entries of the bias go with the rows of q?",
)
known.also("biases-left-out", cut_bias=no_bias)
known.also("biases-left-out", cut_bias=no_bias, scale_weight=one)

mistake(
    "rows-alternate",
    "The fused rows were cut as if q, k and v alternated row by row.",
    "Look at the line with `view`: which axis is the last one, and how many rows of q does a head have?",
)
known.also("rows-alternate", cut_weight=every_third, cut_bias=every_third)
known.also("rows-alternate", cut_weight=every_third, cut_bias=every_third, scale_weight=one, scale_bias=one)

mistake(
    "heads-and-width-swapped",
    "The pieces of the fused rows have the wrong size: the number of heads was taken for the width of a head.",
    "The axes of `view` are the number of heads, 3, and the width of a head, in this order.",
)
known.also("heads-and-width-swapped", cut_weight=swapped, cut_bias=swapped)
known.also("heads-and-width-swapped", cut_weight=swapped, cut_bias=swapped, scale_weight=one, scale_bias=one)

mistake(
    "another-order",
    "q, k and v were taken in another order.",
    "In which order does the line with `permute` hand them out?",
)
for other in ((1, 0, 2), (0, 2, 1), (2, 1, 0), (1, 2, 0), (2, 0, 1)):
    known.also("another-order", order=other)
    known.also("another-order", order=other, scale_weight=one, scale_bias=one)
for other in ((2, 1, 0), (1, 2, 0)):  # the rows of q were scaled, and became those of v
    known.also("another-order", order=other, scale_weight=one, scale_bias=one, scale_values=root)


# ---------------------------------------------------------------- the scale

mistake(
    "no-scale",
    "The rows and the heads are right, but the scores are √D times too small: ours divides them by √D, and theirs does "
    "not.",
    "Compare the two lines that make the scores. Which parameters could be larger, so that ours computes theirs?",
)
known.also("no-scale", scale_weight=one, scale_bias=one)


@mistake(
    "scale-inverted",
    "Something was divided by √D. Ours divides by it already, so the scores are now too small by a factor of D.",
    "A factor is to be undone. Must the queries become larger or smaller?",
    "scale_weight",
)
def inverse_root(H, C):
    return 1 / root(H, C)


known.also("scale-inverted", scale_weight=inverse_root, scale_bias=inverse_root)

mistake(
    "bias-not-scaled",
    "The rows of q were multiplied by √D, but its bias was not: a query is the sum of both.",
    "q = x Wᵀ + b. What must be done to W and to b so that q is √D times as large?",
)
known.also("bias-not-scaled", scale_bias=one)

mistake(
    "weight-not-scaled",
    "The bias of q was multiplied by √D, but its rows were not: a query is the sum of both.",
    "q = x Wᵀ + b. What must be done to W and to b so that q is √D times as large?",
)
known.also("weight-not-scaled", scale_weight=one)

mistake(
    "scaled-twice",
    "The scores are √D times too large: queries and keys were both multiplied by √D, or one of them by D.",
    "A score is the product of a query and a key. By how much did it grow?",
)
known.also("scaled-twice", scale_keys=root)


def root_of_model(H, C):
    return math.sqrt(C)


mistake(
    "scaled-by-d-model",
    "The factor is √C, the root of the width of the model.",
    "By the root of which width does ours divide? How many products does one score add up?",
)
known.also("scaled-by-d-model", scale_weight=root_of_model, scale_bias=root_of_model)


def root_of_heads(H, C):
    return math.sqrt(H)


mistake(
    "scaled-by-heads",
    "The factor is the root of the number of heads.",
    "By the root of which number does ours divide? How many products does one score add up?",
)
known.also("scaled-by-heads", scale_weight=root_of_heads, scale_bias=root_of_heads)


# ---------------------------------------------------------------- the last projection


@mistake(
    "projection-transposed",
    "The weights of attention are right, but the last projection was transposed.",
    "Both sides use `nn.Linear` here. Is anything to be turned around?",
    "out_weight",
)
def transposed(theirs):
    return theirs.proj.weight.T


@mistake(
    "bias-invented",
    "The last projection has a bias that is not 0. Theirs has none.",
    "Which bias changes nothing?",
    "out_bias",
)
def ones(theirs):
    return torch.ones(len(theirs.proj.weight))


@known.also("bias-invented", step="out_bias")
def bias_of_queries(theirs):
    return by_head(theirs.qkv.bias, theirs.heads)[0]


@known.also("bias-invented", step="out_bias")
def bias_of_values(theirs):
    return by_head(theirs.qkv.bias, theirs.heads)[2]


@known.also("bias-invented", step="out_bias")
def first_of_the_fused_bias(theirs):
    return theirs.qkv.bias[: len(theirs.proj.weight)]
