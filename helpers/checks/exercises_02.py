"""Exercises 2.1 to 2.5: from dot products to a module."""

import math

import torch
from torch import nn

from helpers.attention import SelfAttention
from helpers.checks import evidence, laws, solutions
from helpers.checks.catalogue import Exercise, Misconception, Probe
from helpers.checks.inputs import DV, B, D, H, S, T, normal, round_numbers
from helpers.checks.laws import COUNT_FROM_THE_END, FROM_THE_FRONT
from helpers.checks.modules import Layers, fill, require_methods, trainable
from helpers.checks.single_head import attended, by_one, by_root, right_weights, weights_scaled_by


def _round(*shape):
    return 2.5 * round_numbers(*shape)


_TWO = (normal(T, D, seed=1), normal(S, D, seed=2))
_THREE = (normal(B, T, D, seed=3), normal(B, S, D, seed=4))
_FOUR = (normal(B, H, T, D, seed=5), normal(B, H, S, D, seed=6))
_DOUBLE = (normal(B, T, D, seed=7).double(), normal(B, S, D, seed=8).double())
_SQUARE = (normal(B, T, D, seed=9), normal(B, T, D, seed=10))
_FOUR_ITEMS = (normal(4, 1, D, seed=13), normal(4, S, D, seed=14))
_LONELY = (normal(1, 1, 1, D, seed=15), normal(1, 1, S, D, seed=16))
_NARROW = (normal(T, 17, seed=11) / 1.3, normal(S, 17, seed=12))  # another D, for those who write 11
_SMALL = ((_round(1, 2), _round(2, 2)), (_round(2, 2), 2 - _round(2, 2)), (_round(2, 2, 2), _round(2, 3, 2)))


def _pairs(*extra):
    """Probes for functions of q and k; `extra` gives further arguments made from k."""
    named = (("queries and keys", _TWO), ("a batch", _THREE), ("a batch of heads", _FOUR),
             ("float64", _DOUBLE), ("as many keys as queries", _SQUARE), ("17 features", _NARROW),
             ("four items, one query each", _FOUR_ITEMS), ("one query of one head of one item", _LONELY))
    return tuple(Probe(name, (q, k, *(make(k) for make in extra))) for name, (q, k) in named)


# ---------------------------------------------------------------- 2.1

def _reshaped(k):
    """k with the right shape for q @ k, and the wrong numbers in it."""
    return k.reshape(*k.shape[:-2], k.size(-1), k.size(-2))


def _transposed(case):
    return evidence.shape(case) + "; rows belong to queries, columns to keys"


def _reversed_axes(q, k):
    """What k.T does on every torch version: all axes in reverse order."""
    return q @ k.permute(*range(k.dim() - 1, -1, -1))


SCORES = Exercise(
    id="2.1", name="dot_product_scores", signature="dot_product_scores(q, k)", minutes=5, difficulty=1,
    gives="the dot product of every query with every key: (..., T, D) and (..., S, D) to (..., T, S)",
    solution=solutions.dot_product_scores, arguments=("q", "k"), returns=("scores",), probes=_pairs(),
    small=_SMALL,
    misconceptions=(
        Misconception(
            "already-scaled", "These scores are already divided by sqrt(D); that step comes in exercise 2.3.",
            "Here the bare dot products are wanted: multiply and add, nothing else.",
            lambda q, k: q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), evidence.entry),
        Misconception(
            "keys-ask", "Queries and keys have changed places: your rows belong to the keys.",
            "Row i should hold query i against every key. Which factor gives the rows of a matrix product?",
            lambda q, k: k @ q.transpose(-2, -1), _transposed),
        Misconception(
            "all-axes-reversed", "k.T turns all axes of a batch around, not only the last two.",
            "For any number of axes: k.transpose(-2, -1) exchanges just the last two.",
            (lambda q, k: q @ k.T, _reversed_axes), evidence.shape),
        Misconception(
            "fixed-axes", "The axes that change places are counted from the front, which fits only one number of axes.",
            "Count from the end: the last two axes are -2 and -1, with and without a batch.",
            (lambda q, k: q @ k.transpose(0, 1), lambda q, k: q @ k.transpose(1, 2),
             lambda q, k: q @ k.permute(0, 2, 1), lambda q, k: torch.bmm(q, k.transpose(1, 2))),
            evidence.shape),
        Misconception(
            "cosine", "These are cosines: the vectors were brought to length 1 before comparing.",
            "Attention compares with plain dot products; a long vector may score more than a short one.",
            lambda q, k: nn.functional.normalize(q, dim=-1) @ nn.functional.normalize(k, dim=-1).transpose(-2, -1),
            evidence.entry),
        Misconception(
            "softmaxed", "These are weights, not scores: a softmax was applied already.",
            "Scores may be negative and larger than 1. The softmax is exercise 2.2.",
            (lambda q, k: (q @ k.transpose(-2, -1)).softmax(-1),
             lambda q, k: (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)), evidence.entry),
        Misconception(
            "keys-ignored", "The queries are compared with themselves: k is never used.",
            "Each of the T queries meets each of the S keys.",
            lambda q, k: q @ q.transpose(-2, -1), evidence.shape),
        Misconception(
            "queries-ignored", "The keys are compared with themselves: q is never used.",
            "Each of the T queries meets each of the S keys.",
            lambda q, k: k @ k.transpose(-2, -1), evidence.shape),
        Misconception(
            "reshaped-not-transposed", "k was brought to the shape (D, S) by view or reshape: that breaks its lines "
            "elsewhere and mixes the keys.",
            "Rows must become columns: .transpose(-2, -1).",
            lambda q, k: q @ _reshaped(k), evidence.entry),
        Misconception(
            "distance", "These are distances: they grow as query and key become less alike.",
            "A dot product is large when two vectors point the same way: multiply position by position, then add.",
            (lambda q, k: torch.cdist(q, k), lambda q, k: -torch.cdist(q, k)), evidence.entry),
    ),
    hints=(
        "One dot product is (q[i] * k[j]).sum(). You want it for all i and all j at once: that is a matrix product.",
        "q @ something, where something has shape (..., D, S). k has shape (..., S, D).",
        "Only the last two axes of k change places: k.transpose(-2, -1).",
    ),
    after="Row i holds query i against every key, and a batch of any shape comes along for free.",
)


# ---------------------------------------------------------------- 2.2

def _naive(scores, dim=-1):
    exponentials = scores.exp()
    return exponentials / exponentials.sum(dim=dim, keepdim=True)


def _stable(scores, shift, dim=-1):
    exponentials = (scores - shift).exp()
    return exponentials / exponentials.sum(dim=dim, keepdim=True)


def _shifted(scores):
    return (scores - scores.amax(-1, keepdim=True)).exp()


def _over_everything(scores):
    return scores.flatten().softmax(0).reshape(scores.shape)


_LARGE = torch.tensor([[1000.0, 1001.0, 999.5], [-1000.0, -1001.0, -1000.5], [0.3, -0.2, 0.9],
                       [1000.0, -1000.0, 0.0], [-1000.0, 1000.0, 0.0], [1000.0, 1000.0, -1000.0]])

SOFTMAX = Exercise(
    id="2.2", name="softmax", signature="softmax(scores)", minutes=8, difficulty=2,
    gives="the softmax over the last axis, right for scores of 1,000 too",
    solution=solutions.softmax, arguments=("scores",), returns=("weights",),
    probes=(
        Probe("a table of scores", (normal(T, S, seed=1),)),
        Probe("a batch", (normal(B, T, S, seed=2),)),
        Probe("a batch of heads", (normal(B, H, T, S, seed=3),)),
        Probe("float64", (normal(B, T, S, seed=4).double(),)),
        Probe("four items, one query each", (normal(4, 1, S, seed=5),)),
        Probe("scores of 1,000", (_LARGE,), rtol=1e-3, atol=1e-3),
        Probe("scores of 1,000 in float64", (_LARGE.double(),), rtol=1e-3, atol=1e-3),
    ),
    small=((torch.tensor([[0.0, 1.0]]),), (torch.tensor([[0.0, 1.0], [2.0, -1.0]]),),
           (round_numbers(2, 2, 3),), (torch.tensor([[1000.0, 1001.0]]),)),
    misconceptions=(
        Misconception(
            "overflow", "Right for small scores, but exp(1000) is too large for a float: it becomes inf, and "
            "inf / inf is NaN.",
            "Softmax does not change when the same number is subtracted from a whole row. Which number makes "
            "every exponent at most 0? (max(dim=...) returns values and positions: it is the values you want.)",
            (_naive, lambda s: _stable(s, s.mean(-1, keepdim=True)), lambda s: _stable(s, s.amin(-1, keepdim=True)),
             lambda s: _stable(s, s[..., :1]), lambda s: _stable(s, s.argmax(-1, keepdim=True)),
             lambda s: s.exp() / (s.exp().sum(-1, keepdim=True) + 1e-6),
             lambda s: s.exp() / (s.exp().sum(-1, keepdim=True) + 1e-9)),
            evidence.not_a_number),
        Misconception(
            "overflow-hidden", "exp(1000) is inf, and the NaN that follows was replaced: large scores now get the "
            "weight 0, although they should get the most.",
            "Keep the inf from arising: subtract the row's largest score first.",
            (lambda s: _naive(s).nan_to_num(0.0), lambda s: _naive(s).nan_to_num(1.0)), evidence.entry),
        Misconception(
            "max-of-columns", "The maximum was taken down the columns; each row needs its own.",
            "max over the last axis, kept with keepdim=True.",
            (lambda s: _stable(s, s.amax(0)), lambda s: _stable(s, s.amax(0, keepdim=True)),
             lambda s: _stable(s, s.amax(-2, keepdim=True))), evidence.not_a_number),
        Misconception(
            "softmax-twice", "A softmax was applied twice: the second flattens what the first made.",
            "Once is enough: the rows sum to 1 after it.",
            lambda s: s.softmax(-1).softmax(-1), evidence.sharpness),
        Misconception(
            "sign", "The order is turned around: the smallest score got the largest weight.",
            "exp(s), not exp(-s).", lambda s: (-s).softmax(-1), evidence.entry),
        Misconception(
            "shifted-on-one-side", "The maximum was subtracted only above the fraction line, or only below it: the two "
            "no longer cancel.",
            "Subtract first, once: s = scores - max. Then use s above and below.",
            (lambda s: _shifted(s) / s.exp().sum(-1, keepdim=True),
             lambda s: s.exp() / _shifted(s).sum(-1, keepdim=True)), evidence.row_sum),
        Misconception(
            "largest-size", "The largest absolute value was subtracted. In a row of -1000s that leaves exp(-2000) = 0 "
            "everywhere, and 0 / 0 is NaN.",
            "Subtract the largest score itself, with its sign.",
            (lambda s: _stable(s, s.abs().amax(-1, keepdim=True)),), evidence.not_a_number),
        Misconception(
            "one-maximum-for-all", "The largest score of the whole tensor is subtracted from every row. A row far "
            "below it becomes exp(-2000) = 0 everywhere, and 0 / 0 is NaN.",
            "Each row needs its own largest score: max over the last axis, kept with keepdim=True.",
            (lambda s: _stable(s, s.max()), lambda s: _stable(s, s.amax((-2, -1), keepdim=True))),
            evidence.not_a_number),
        Misconception(
            "over-the-rows", "The softmax runs over the wrong axis: columns sum to 1, rows do not.",
            "Each query shares out its attention over the keys, and keys are the last axis: dim=-1.",
            (lambda s: s.softmax(-2), lambda s: _naive(s, -2),
             lambda s: _stable(s, s.amax(-2, keepdim=True), -2), lambda s: _stable(s, s.amax(-1, keepdim=True), -2)),
            evidence.row_sum),
        Misconception(
            "axis-from-the-front", FROM_THE_FRONT, COUNT_FROM_THE_END,
            (lambda s: s.softmax(0), lambda s: s.softmax(1), lambda s: nn.functional.softmax(s),
             lambda s: _naive(s, 0), lambda s: _naive(s, 1), lambda s: _stable(s, s.amax(0, keepdim=True), 0),
             lambda s: _stable(s, s.amax(1, keepdim=True), 1)), evidence.row_sum),
        Misconception(
            "over-everything", "All numbers of the tensor together sum to 1, instead of each row.",
            "sum() without an axis adds up everything: name the axis, and keep it with keepdim=True.",
            (lambda s: _stable(s, s.max(), tuple(range(s.dim()))), lambda s: s.exp() / s.exp().sum(),
             _over_everything, lambda s: _stable(s, s.amax(-1, keepdim=True), tuple(range(s.dim())))),
            evidence.row_sum),
        Misconception(
            "no-exponential", "The scores are divided by their sum without the exponential, so negative scores give "
            "negative weights.",
            "exp makes every number positive and keeps the order; then divide by the sum.",
            lambda s: s / s.sum(-1, keepdim=True), evidence.entry),
        Misconception(
            "divided-by-scores", "The exponentials were divided by the sum of the scores, not by their own sum.",
            "Give the exponentials a name: what stands above the line is what is summed below it.",
            (lambda s: s.exp() / s.sum(-1, keepdim=True), lambda s: _shifted(s) / s.sum(-1, keepdim=True),
             lambda s: _shifted(s) / (s - s.amax(-1, keepdim=True)).sum(-1, keepdim=True)), evidence.row_sum),
        Misconception(
            "not-divided", "The exponentials were never divided by the sum of their row.",
            "A row of weights must sum to 1.",
            (lambda s: s.exp(), lambda s: (s - s.amax(-1, keepdim=True)).exp()), evidence.row_sum),
        Misconception(
            "log-softmax", "These are the logarithms of the weights.",
            "log_softmax is used in losses; attention wants the weights themselves.",
            lambda s: s.log_softmax(-1), evidence.row_sum),
        Misconception(
            "sigmoid", "A sigmoid treats each score on its own; its rows do not sum to 1.",
            "In a softmax the keys of a row compete: each exponential is divided by the sum of its row.",
            lambda s: s.sigmoid(), evidence.row_sum),
        Misconception(
            "base-two", "This takes powers of 2 instead of powers of e.",
            "Use torch.exp.", lambda s: (s * math.log(2)).softmax(-1), evidence.entry),
    ),
    hints=(
        "Two steps: exp of every score, then divide each row by its own sum. keepdim=True keeps the summed axis, "
        "so that the division lines up.",
        "exp(1000) is inf. Subtracting one number from a whole row changes nothing: exp(a - m) / exp(b - m) = "
        "exp(a) / exp(b).",
        "Subtract scores.max(dim=-1, keepdim=True).values first.",
    ),
    laws=(laws.FINITE, laws.POSITIVE, laws.ROWS),
    after="Subtracting the row's maximum changes nothing on paper, and everything in floating point.",
)


# ---------------------------------------------------------------- 2.3

# q.size(-1) ** 1 / 2 in brackets, and without them behind the scores
_WITHOUT_BRACKETS = (lambda q, k: 2 / q.size(-1), lambda q, k: 1 / (2 * q.size(-1)))
_ROOTS = (math.sqrt(32), 8, math.sqrt(11), 2, math.sqrt(3))


WEIGHTS = Exercise(
    id="2.3", name="attention_weights", signature="attention_weights(q, k)", minutes=6, difficulty=2,
    gives="softmax(scores / sqrt(D)), the scores being the dot products of q and k",
    solution=solutions.attention_weights, arguments=("q", "k"), returns=("weights",), probes=_pairs(),
    small=_SMALL,
    misconceptions=(
        Misconception(
            "no-scale", "The scores were not divided by sqrt(D).",
            "A dot product of D terms has a spread of about sqrt(D); dividing by it keeps the softmax soft.",
            weights_scaled_by(lambda q, k: 1), evidence.sharpness),
        Misconception(
            "scaled-by-d", "The scores were divided by D instead of sqrt(D).",
            "It is the standard deviation that grows like sqrt(D); the variance grows like D.",
            weights_scaled_by(lambda q, k: 1 / q.size(-1)), evidence.sharpness),
        Misconception(
            "root-without-brackets", "The scores were divided by D / 2, or by 2 * D, not by sqrt(D): D ** 1 / 2 is "
            "half of D, and scores / D ** 1 / 2 divides by D and by 2.",
            "`**` binds before `/`: math.sqrt(D), D ** 0.5 or D ** (1 / 2).",
            tuple(weights_scaled_by(scale) for scale in _WITHOUT_BRACKETS), evidence.sharpness),
        Misconception(
            "root-of-two", "The scores were divided by √2: right only for D = 2.",
            "Take the size from q itself: math.sqrt(q.size(-1)).",
            weights_scaled_by(lambda q, k: 1 / math.sqrt(2)), evidence.sharpness),
        Misconception(
            "fixed-scale", "The scores were divided by a fixed number, such as 8, the root of 64: right only for one "
            "D.",
            "Take the size from q itself: math.sqrt(q.size(-1)).",
            tuple(weights_scaled_by(lambda q, k, root=root: 1 / root) for root in _ROOTS),
            evidence.sharpness),
        Misconception(
            "multiplied", "The scores were multiplied by sqrt(D) instead of divided.",
            "The spread of the scores is to become smaller.",
            weights_scaled_by(lambda q, k: math.sqrt(q.size(-1))), evidence.sharpness),
        Misconception(
            "wrong-size-in-root", "The scores were divided by the square root of another size than D: a number of "
            "positions, of items, or of all numbers.",
            "What is summed in a dot product? The last axis: q.size(-1).",
            tuple(weights_scaled_by(f) for f in (
                lambda q, k: 1 / math.sqrt(q.size(-2)), lambda q, k: 1 / math.sqrt(k.size(-2)),
                lambda q, k: 1 / math.sqrt(q.size(0)), lambda q, k: 1 / math.sqrt(q.size(1)),
                lambda q, k: 1 / math.sqrt(k.size(0)), lambda q, k: 1 / math.sqrt(k.size(1)),
                lambda q, k: 1 / math.sqrt(q.numel()))), evidence.sharpness),
        Misconception(
            "scaled-after-softmax", "The division by sqrt(D) comes after the softmax, so rows no longer sum to 1.",
            "First make the scores smaller, then turn them into weights.",
            (lambda q, k: (q @ k.transpose(-2, -1)).softmax(-1) * by_root(q, k),), evidence.row_sum),
        Misconception(
            "over-queries", "The softmax runs over the queries: columns sum to 1, rows do not.",
            "Each query shares out its attention over the keys: the last axis, dim=-1.",
            (weights_scaled_by(by_root, -2), weights_scaled_by(by_one, -2)), evidence.row_sum),
        Misconception(
            "axis-from-the-front", FROM_THE_FRONT, COUNT_FROM_THE_END,
            tuple(weights_scaled_by(scale, dim) for scale in (by_root, by_one) for dim in (0, 1, None)),
            evidence.row_sum),
        Misconception(
            "raw-scores", "These are the bare scores: neither divided by sqrt(D), nor turned into weights.",
            "Divide by math.sqrt(q.size(-1)), then the softmax.",
            lambda q, k: q @ k.transpose(-2, -1), evidence.row_sum),
        Misconception(
            "not-divided", "These are the exponentials alone: they were never divided by the sum of their row.",
            "A row of weights must sum to 1.",
            (lambda q, k: (q @ k.transpose(-2, -1) * by_root(q, k)).exp(),), evidence.row_sum),
        Misconception(
            "log-softmax", "These are the logarithms of the weights.",
            "log_softmax is used in losses; attention wants the weights themselves.",
            lambda q, k: (q @ k.transpose(-2, -1) * by_root(q, k)).log_softmax(-1), evidence.row_sum),
        Misconception(
            "sigmoid", "A sigmoid treats each score on its own; its rows do not sum to 1.",
            "In a softmax the keys of a row compete for one whole.",
            lambda q, k: (q @ k.transpose(-2, -1) * by_root(q, k)).sigmoid(), evidence.row_sum),
        Misconception(
            "keys-ignored", "The queries are compared with themselves: k is never used.",
            "Each of the T queries meets each of the S keys.",
            lambda q, k: (q @ q.transpose(-2, -1) * by_root(q, k)).softmax(-1), evidence.shape),
        Misconception(
            "reshaped-not-transposed", "k was brought to the shape (D, S) by view or reshape: that breaks its lines "
            "elsewhere and mixes the keys.",
            "Rows must become columns: .transpose(-2, -1).",
            lambda q, k: (q @ _reshaped(k) * by_root(q, k)).softmax(-1), evidence.entry),
        Misconception(
            "fixed-axes", "The axes that change places are counted from the front, which fits only one number of axes.",
            "Count from the end: the last two axes are -2 and -1, with and without a batch.",
            (lambda q, k: (q @ k.transpose(0, 1) * by_root(q, k)).softmax(-1),
             lambda q, k: (q @ k.transpose(1, 2) * by_root(q, k)).softmax(-1),
             lambda q, k: (q @ k.permute(0, 2, 1) * by_root(q, k)).softmax(-1)), evidence.shape),
        Misconception(
            "no-softmax", "These are the scaled scores: the softmax is missing.",
            "Weights are positive and each row sums to 1.",
            lambda q, k: q @ k.transpose(-2, -1) * by_root(q, k), evidence.row_sum),
        Misconception(
            "keys-ask", "Queries and keys have changed places: your rows belong to the keys.",
            "Row i should hold how query i shares its attention over the keys.",
            lambda q, k: (k @ q.transpose(-2, -1) * by_root(q, k)).softmax(-1), _transposed),
        Misconception(
            "all-axes-reversed", "k.T turns all axes of a batch around, not only the last two.",
            "For any number of axes: k.transpose(-2, -1) exchanges just the last two.",
            (lambda q, k: (q @ k.T * by_root(q, k)).softmax(-1),
             lambda q, k: (_reversed_axes(q, k) * by_root(q, k)).softmax(-1)), evidence.shape),
    ),
    hints=(
        "Three steps you have met: dot products of all queries with all keys, divide by sqrt(D), softmax over the "
        "keys. D is the size of the last axis of q.",
        "scores / math.sqrt(q.size(-1)), then .softmax(dim=-1).",
    ),
    laws=(laws.FINITE, laws.POSITIVE, laws.ROWS), experiments=(laws.ITEMS,),
    after="Divided by sqrt(D), the scores keep the same spread for every D.",
)


# ---------------------------------------------------------------- 2.4

def _pair(weights):
    return lambda q, k, v: (weights(q, k) @ v, weights(q, k))


def _scores_returned(q, k, v):
    return right_weights(q, k) @ v, q @ k.transpose(-2, -1) * by_root(q, k)


def _raw_scores(q, k, v):
    scores = q @ k.transpose(-2, -1) * by_root(q, k)
    return scores @ v, scores


ATTENTION = Exercise(
    id="2.4", name="attention", signature="attention(q, k, v)", minutes=6, difficulty=2,
    gives="the pair (out, weights): (..., T, Dv) and (..., T, S)",
    solution=solutions.attention, arguments=("q", "k", "v"), returns=("out", "weights"),
    probes=(*_pairs(lambda k: normal(*k.shape[:-1], DV, seed=20, dtype=k.dtype)),
            Probe("values as wide as keys", (*_THREE, normal(B, S, D, seed=21))),
            Probe("as many features as keys", (*_THREE, normal(B, S, S, seed=22)))),
    small=tuple((q, k, round_numbers(*k.shape[:-1], 2) + 1) for q, k in _SMALL),
    misconceptions=(
        Misconception(
            "only-out", "Only out was returned; the weights belong to the answer.",
            "End with `return out, weights`: the weights are what you will look at.",
            lambda q, k, v: right_weights(q, k) @ v, evidence.shape),
        Misconception(
            "only-weights", "Only the weights were returned; they still have to mix the values.",
            "out = weights @ v; then `return out, weights`.",
            lambda q, k, v: right_weights(q, k), evidence.shape),
        Misconception(
            "swapped-pair", "The pair is the wrong way round: out comes first, then the weights.",
            "In this course everything returns (out, weights).",
            lambda q, k, v: (right_weights(q, k), right_weights(q, k) @ v), evidence.shape),
        Misconception(
            "no-scale", "The scores were not divided by sqrt(D).",
            "Your own attention_weights from exercise 2.3 does all of it.",
            _pair(weights_scaled_by(lambda q, k: 1)), evidence.sharpness),
        Misconception(
            "scaled-by-d", "The scores were divided by D instead of sqrt(D).",
            "It is the standard deviation that grows like sqrt(D); the variance grows like D.",
            _pair(weights_scaled_by(lambda q, k: 1 / q.size(-1))), evidence.sharpness),
        Misconception(
            "root-without-brackets", "The scores were divided by D / 2, or by 2 * D, not by sqrt(D): D ** 1 / 2 is "
            "half of D, and scores / D ** 1 / 2 divides by D and by 2.",
            "`**` binds before `/`: math.sqrt(D), D ** 0.5 or D ** (1 / 2).",
            tuple(_pair(weights_scaled_by(scale)) for scale in _WITHOUT_BRACKETS), evidence.sharpness),
        Misconception(
            "scaled-by-positions", "The scores were divided by the square root of a number of positions or items, or "
            "of the values' width, instead of D.",
            "D is the size of the last axis of q and k.",
            (*(_pair(weights_scaled_by(size)) for size in (
                lambda q, k: 1 / math.sqrt(k.size(0)), lambda q, k: 1 / math.sqrt(k.size(1)),
                lambda q, k: 1 / math.sqrt(q.size(0)), lambda q, k: 1 / math.sqrt(k.size(-2)))),
             _pair(weights_scaled_by(lambda q, k: 1 / math.sqrt(q.size(-2)))),
             _pair(weights_scaled_by(lambda q, k: 1 / math.sqrt(q.size(1)))),
             lambda q, k, v: _pair(weights_scaled_by(lambda q, k: 1 / math.sqrt(v.size(-1))))(q, k, v)),
            evidence.sharpness),
        Misconception(
            "over-queries", "The softmax runs over the queries: columns sum to 1, rows do not.",
            "Each query shares out its attention over the keys: the last axis, dim=-1.",
            _pair(weights_scaled_by(by_root, -2)), evidence.row_sum),
        Misconception(
            "axis-from-the-front", FROM_THE_FRONT, COUNT_FROM_THE_END,
            tuple(_pair(weights_scaled_by(by_root, dim)) for dim in (0, 1, None)), evidence.row_sum),
        Misconception(
            "root-of-two", "The scores were divided by √2: right only for D = 2, as in the example of six words.",
            "Take the size from q itself: math.sqrt(q.size(-1)).",
            _pair(weights_scaled_by(lambda q, k: 1 / math.sqrt(2))), evidence.sharpness),
        Misconception(
            "fixed-scale", "The scores were divided by a fixed number, such as 8, the root of 64: right only for one "
            "D.",
            "Take the size from q itself: math.sqrt(q.size(-1)).",
            tuple(_pair(weights_scaled_by(lambda q, k, root=root: 1 / root)) for root in _ROOTS),
            evidence.sharpness),
        Misconception(
            "multiplied", "The scores were multiplied by sqrt(D) instead of divided.",
            "The spread of the scores is to become smaller.",
            _pair(weights_scaled_by(lambda q, k: math.sqrt(q.size(-1)))), evidence.sharpness),
        Misconception(
            "scaled-after-softmax", "The division by sqrt(D) comes after the softmax, so rows no longer sum to 1.",
            "First make the scores smaller, then turn them into weights.",
            _pair(lambda q, k: (q @ k.transpose(-2, -1)).softmax(-1) * by_root(q, k)), evidence.row_sum),
        Misconception(
            "output-scaled", "The division by sqrt(D) came at the very end, on out; the scores were not divided.",
            "Scale the scores, before the softmax: afterwards it is too late.",
            lambda q, k, v: ((q @ k.transpose(-2, -1)).softmax(-1) @ v * by_root(q, k),
                             (q @ k.transpose(-2, -1)).softmax(-1)), evidence.sharpness),
        Misconception(
            "mixed-by-scores", "The weights are right, but the values were mixed by the scores instead.",
            "out = weights @ v: what you return as weights must be what multiplied v.",
            (lambda q, k, v: (q @ k.transpose(-2, -1) * by_root(q, k) @ v, right_weights(q, k)),
             lambda q, k, v: (q @ k.transpose(-2, -1) @ v, right_weights(q, k))), evidence.out_alone),
        Misconception(
            "all-axes-reversed", "k.T turns all axes of a batch around, not only the last two.",
            "For any number of axes: k.transpose(-2, -1) exchanges just the last two.",
            (_pair(lambda q, k: (q @ k.T * by_root(q, k)).softmax(-1)),
             _pair(lambda q, k: (_reversed_axes(q, k) * by_root(q, k)).softmax(-1))), evidence.shape),
        Misconception(
            "reshaped-not-transposed", "k was brought to the shape (D, S) by view or reshape: that breaks its lines "
            "elsewhere and mixes the keys.",
            "Rows must become columns: .transpose(-2, -1).",
            _pair(lambda q, k: (q @ _reshaped(k) * by_root(q, k)).softmax(-1)), evidence.entry),
        Misconception(
            "no-softmax", "The values were weighed by the scores themselves: the softmax is missing.",
            "Weights are positive and each row sums to 1.", _raw_scores, evidence.row_sum),
        Misconception(
            "scores-returned", "out is right, but the second thing returned is the scores, not the weights.",
            "Return what multiplied v.", _scores_returned, evidence.row_sum),
        Misconception(
            "keys-as-values", "The weights are right, but they were used to average k instead of v.",
            "Keys decide how much is read; values are what is read.",
            lambda q, k, v: (right_weights(q, k) @ k, right_weights(q, k)), evidence.shape),
        Misconception(
            "queries-as-values", "The weights are right, but they were used to average q instead of v.",
            "Values are what is read.",
            lambda q, k, v: (right_weights(q, k) @ q, right_weights(q, k)), evidence.shape),
        Misconception(
            "weights-transposed", "out was made with the weights transposed: columns, not rows, weigh the values.",
            "Row i of the weights says how query i mixes the values: weights @ v.",
            lambda q, k, v: (right_weights(q, k).transpose(-2, -1) @ v, right_weights(q, k)), evidence.out_alone),
        Misconception(
            "keys-ask", "Queries and keys have changed places: your rows belong to the keys.",
            "The rows of the weights are the queries: q @ k.transpose(-2, -1).",
            lambda q, k, v: _pair(lambda a, b: right_weights(b, a))(q, k, v), evidence.shape),
    ),
    hints=(
        "You have the weights from exercise 2.3. Row i says how much query i takes of each value.",
        "A weighted sum of the rows of v, for all queries at once, is the matrix product weights @ v.",
        "Return both: return weights @ v, weights.",
    ),
    laws=(laws.FINITE, laws.POSITIVE, laws.ROWS), experiments=(laws.ITEMS,),
    after="That is equation 1 of the paper: softmax(q k^T / sqrt(D)) v.",
)


# ---------------------------------------------------------------- 2.5

PROJECTIONS = ("W_query", "W_key", "W_value")
_ASKED = Layers(PROJECTIONS, "nn.Linear(d_in, d_out, bias=False)", "d_in = {} features to d_out = {}", bias=False)


def run_self_attention(attempt, x, *weights):
    """Build the learner's module, put known numbers into its projections, and apply it to x.

    Shapes: x (B, T, d_in), weights three times (d_out, d_in)
    Errors: Fault where the module lacks what the exercise names
    Source: notebook 02
    """
    return _built(attempt, *weights).to(x.dtype)(x)


def _built(attempt, *weights):
    d_out, d_in = weights[0].shape
    require_methods(attempt)
    module = attempt(d_in, d_out)
    fill_projections(module, attempt, weights)
    return module


def fill_projections(module, attempt, weights):
    """Copy `weights` into W_query, W_key and W_value, or say what is wrong with them."""
    fill(module, attempt, _ASKED, weights)


def told(args):
    """What the learner's module was given, for the card of an exception."""
    x, weight = args[:2]
    return (f"It was built with d_in = {weight.size(1)} and d_out = {weight.size(0)}, to be applied to x of shape "
            f"{tuple(x.shape)}.")


def _module(forward, bias=False):
    """A module with the three projections and the given forward: the frame of every wrong 2.5."""

    class Wrong(nn.Module):
        def __init__(self, d_in, d_out):
            super().__init__()
            for name in PROJECTIONS:
                setattr(self, name, nn.Linear(d_in, d_out, bias=bias))

        def forward(self, x):
            return forward(self, x)

    return Wrong


def _qkv(self, x):
    return self.W_query(x), self.W_key(x), self.W_value(x)


def _attend(weights):
    """forward(self, x) with the given weights(q, k, x)."""

    def forward(self, x):
        q, k, v = _qkv(self, x)
        return weights(q, k, x) @ v, weights(q, k, x)

    return _module(forward)


def _value_from(pick):
    """forward(self, x) with right weights, and pick(self, q, k, x) in place of the values."""

    def forward(self, x):
        q, k, _ = _qkv(self, x)
        return right_weights(q, k) @ pick(self, q, k, x), right_weights(q, k)

    return _module(forward)


def _items_mixed(self, x):
    """The batch axis taken for positions."""
    out, weights = solutions.attention(*(t.transpose(0, 1) for t in _qkv(self, x)))
    return out.transpose(0, 1), weights


def _one_sequence(self, x):
    """All items flattened into one long sequence."""
    q, k, v = (t.flatten(0, 1) for t in _qkv(self, x))
    weights = right_weights(q, k)
    return (weights @ v).reshape(*x.shape[:2], -1), weights


def _only_out(self, x):
    return solutions.attention(*_qkv(self, x))[0]


def _swapped(self, x):
    return solutions.attention(*_qkv(self, x))[::-1]


def _with_transposed_weights(q, k, v):
    return right_weights(q, k).transpose(-2, -1) @ v, right_weights(q, k)


_PROJECT = tuple(normal(DV, D, seed=30 + i) / 2 for i in range(3))

SELF_ATTENTION = Exercise(
    id="2.5", name="SelfAttention", signature="SelfAttention(d_in, d_out)", minutes=12, difficulty=3, is_class=True,
    gives="a module with W_query, W_key, W_value; forward(x) with x (B, T, d_in) gives (out, weights)",
    solution=SelfAttention, arguments=("d_in", "d_out"), returns=("out", "weights"), call=run_self_attention,
    inputs=("x", *PROJECTIONS), told=told,
    sizes={11: "d_in", 13: "d_out", 17: "d_in", 19: "d_out"},
    probes=(
        Probe("a batch", (normal(B, T, D, seed=33), *_PROJECT)),
        Probe("a longer sequence", (normal(B, S, D, seed=34), *_PROJECT)),
        Probe("one item", (normal(1, T, D, seed=35), *_PROJECT)),
        Probe("float64", (normal(B, T, D, seed=36).double(), *_PROJECT)),
        Probe("as many features out as in", (normal(B, T, D, seed=48),
                                             *(normal(D, D, seed=49 + i) / 2 for i in range(3)))),
        Probe("d_in = 17, d_out = 19", (normal(B, T, 17, seed=37),
                                        *(normal(19, 17, seed=38 + i) / 2.5 for i in range(3)))),
    ),
    small=((round_numbers(1, 2, 2), round_numbers(2, 2), 1 - round_numbers(2, 2), round_numbers(2, 2) + 1),),
    misconceptions=(
        Misconception(
            "no-scale", "The scores were not divided by sqrt(d_out).",
            "q and k have d_out features: divide the scores by math.sqrt(q.size(-1)).",
            _attend(lambda q, k, x: (q @ k.transpose(-2, -1)).softmax(-1)), evidence.sharpness),
        Misconception(
            "scaled-by-input", "The scores were divided by sqrt(d_in); the dot products run over d_out features.",
            "Take the size from q itself: q.size(-1).",
            _attend(lambda q, k, x: (q @ k.transpose(-2, -1) / math.sqrt(x.size(-1))).softmax(-1)),
            evidence.sharpness),
        Misconception(
            "scaled-by-d", "The scores were divided by d_out instead of its square root.",
            "It is the standard deviation that grows like sqrt(D).",
            _attend(lambda q, k, x: (q @ k.transpose(-2, -1) / q.size(-1)).softmax(-1)), evidence.sharpness),
        Misconception(
            "root-without-brackets", "The scores were divided by d_out / 2, or by 2 * d_out, not by sqrt(d_out): d_out "
            "** 1 / 2 is half of d_out, and scores / d_out ** 1 / 2 divides by d_out and by 2.",
            "`**` binds before `/`: math.sqrt(d_out), d_out ** 0.5 or d_out ** (1 / 2).",
            tuple(_attend(lambda q, k, x, scale=scale: (q @ k.transpose(-2, -1) * scale(q, k)).softmax(-1))
                  for scale in _WITHOUT_BRACKETS), evidence.sharpness),
        Misconception(
            "scaled-by-positions", "The scores were divided by the square root of the number of positions.",
            "The last axis is the one that a dot product sums over: q.size(-1).",
            _attend(lambda q, k, x: (q @ k.transpose(-2, -1) / math.sqrt(x.size(1))).softmax(-1)),
            evidence.sharpness),
        Misconception(
            "root-of-two", "The scores were divided by √2: right only for d_out = 2, as in the example of six words.",
            "Take the size from q itself: math.sqrt(q.size(-1)).",
            _attend(lambda q, k, x: (q @ k.transpose(-2, -1) / math.sqrt(2)).softmax(-1)), evidence.sharpness),
        Misconception(
            "fixed-scale", "The scores were divided by a fixed number, such as 8, the root of 64: right only for one "
            "d_out.",
            "Take the size from q itself: math.sqrt(q.size(-1)).",
            tuple(_attend(lambda q, k, x, root=root: (q @ k.transpose(-2, -1) / root).softmax(-1))
                  for root in (*_ROOTS, math.sqrt(13))), evidence.sharpness),
        Misconception(
            "query-layer-twice", "W_query made the keys as well; W_key was never used.",
            "k = self.W_key(x).",
            _module(lambda self, x: attended(self.W_query(x), self.W_query(x), self.W_value(x))), evidence.sharpness),
        Misconception(
            "key-layer-twice", "W_key made the queries as well; W_query was never used.",
            "q = self.W_query(x).",
            _module(lambda self, x: attended(self.W_key(x), self.W_key(x), self.W_value(x))), evidence.sharpness),
        Misconception(
            "keys-ask", "W_query and W_key have changed places: position j asks position i.",
            "Row i must hold position i's query against all keys: q @ k.transpose(-2, -1).",
            _attend(lambda q, k, x: right_weights(k, q)), evidence.entry),
        Misconception(
            "keys-as-values", "The weights average the keys; W_value was never used.",
            "Keys decide how much is read; values are what is read.",
            _value_from(lambda self, q, k, x: k), evidence.out_alone),
        Misconception(
            "input-as-values", "The weights average x itself; W_value was never used.",
            "Values are a projection too: v = self.W_value(x).",
            _value_from(lambda self, q, k, x: x), evidence.shape),
        Misconception(
            "queries-as-values", "The weights average the queries; W_value was never used.",
            "Values are what is read: v = self.W_value(x).",
            _value_from(lambda self, q, k, x: q), evidence.out_alone),
        Misconception(
            "over-queries", "The softmax runs over the queries: columns sum to 1, rows do not.",
            "In (B, T, T) the keys are the last axis: dim=-1.",
            _attend(lambda q, k, x: (q @ k.transpose(-2, -1) * by_root(q, k)).softmax(-2)), evidence.row_sum),
        Misconception(
            "over-batch", "The softmax runs over the batch: the items of a batch compete with each other, and rows do "
            "not sum to 1.",
            "In (B, T, T) the keys are the last axis: dim=-1.",
            (_attend(lambda q, k, x: (q @ k.transpose(-2, -1) * by_root(q, k)).softmax(0)),), evidence.row_sum),
        Misconception(
            "weights-transposed", "out was made with the weights transposed: columns, not rows, weigh the values.",
            "Row i of the weights says how position i mixes the values: weights @ v.",
            _module(lambda self, x: _with_transposed_weights(*_qkv(self, x))), evidence.out_alone),
        Misconception(
            "scores-returned", "out is right, but the second thing returned is the scores, not the weights.",
            "Return what multiplied v.",
            _module(lambda self, x: _scores_returned(*_qkv(self, x))), evidence.row_sum),
        Misconception(
            "values-as-keys", "The queries were compared with the values; W_key was never used.",
            "Keys decide how much is read: q @ k.transpose(-2, -1).",
            _module(lambda self, x: attended(self.W_query(x), self.W_value(x), self.W_value(x))), evidence.sharpness),
        Misconception(
            "no-softmax", "The values were weighed by the scores themselves: the softmax is missing.",
            "Weights are positive and each row sums to 1.",
            _attend(lambda q, k, x: q @ k.transpose(-2, -1) * by_root(q, k)), evidence.row_sum),
        Misconception(
            "batch-as-positions", "Positions read across the items of the batch, which have nothing to do with each "
            "other.",
            "The batch stays in front untouched: (B, T, D) @ (B, D, T) is one product for each item.",
            (_module(_items_mixed), _module(_one_sequence)), evidence.shape),
        Misconception(
            "all-axes-reversed", "k.T turns all axes of a batch around, not only the last two.",
            "k.transpose(-2, -1) exchanges just the last two.",
            (_attend(lambda q, k, x: (q @ k.T * by_root(q, k)).softmax(-1)),
             _attend(lambda q, k, x: (_reversed_axes(q, k) * by_root(q, k)).softmax(-1))), evidence.shape),
        Misconception(
            "only-out", "Only out was returned; the weights belong to the answer.",
            "End forward with `return out, weights`.", _module(_only_out), evidence.shape),
        Misconception(
            "swapped-pair", "The pair is the wrong way round: out comes first, then the weights.",
            "In this course everything returns (out, weights).", _module(_swapped), evidence.shape),
    ),
    hints=(
        "In __init__: super().__init__(), then three layers nn.Linear(d_in, d_out, bias=False) under the names "
        "W_query, W_key, W_value.",
        "In forward: q = self.W_query(x), and k and v likewise; then what you wrote in exercise 2.4.",
        "return attention(self.W_query(x), self.W_key(x), self.W_value(x))",
    ),
    laws=(laws.FINITE, laws.POSITIVE, laws.ROWS),
    experiments=trainable(lambda attempt: _built(attempt, *_PROJECT), SelfAttention, PROJECTIONS,
                          (normal(B, T, D, seed=44),), (normal(B, S, D, seed=45),)),
    after="Your module learns what to look for, what to offer and what to say, all from x.",
)

EXERCISES = (SCORES, SOFTMAX, WEIGHTS, ATTENTION, SELF_ATTENTION)
