"""Exercises 4.1 to 4.3: dropout, and the module that GPT is made of.

Which numbers a dropout zeroes is free, so results are compared by their `essence`: numbers where chance has no part,
and elsewhere the traits of `chance`. Whether the generator decides is tried out by experiments.
"""

import contextlib
import math
import re

import torch
from torch import nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from helpers import masks
from helpers.attention import CausalAttention
from helpers.checks import evidence, laws, solutions
from helpers.checks.catalogue import Exercise, Experiment, Law, Misconception, Probe
from helpers.checks.chance import Told, comparable, fallen, is_about, outline, traits
from helpers.checks.exercises_02 import PROJECTIONS, fill_projections
from helpers.checks.inputs import DV, B, D, H, S, T, normal, round_numbers
from helpers.checks.laws import COUNT_FROM_THE_END, FROM_THE_FRONT
from helpers.checks.modules import in_a_row, require_methods
from helpers.checks.running import Fault
from helpers.checks.single_head import attended, by_one, by_root, right_weights, weights_scaled_by
from helpers.masks import causal_mask

_INF = float("inf")


def _generator(seed):
    return torch.Generator().manual_seed(seed)


def _with_generator(attempt, *args):
    """Call the code with a generator of the seed that is the last of args, or without one where that is None."""
    *args, seed = args
    if seed is not None:
        return attempt(*args, _generator(seed))
    return attempt(*args)


def _by_chance(call, zeros):
    """The experiments on who decides: `call(attempt, generator, p)` is one call, `zeros(result)` where zeros fell.

    generator may be None: then torch's global one decides.
    """

    def draws_again(attempt):
        generator = _generator(1)
        first, second = (zeros(call(attempt, generator)) for _ in range(2))
        if torch.equal(first, second):
            return "Called twice with one and the same generator, your code zeroed the same places both times."
        return None

    def listens(attempt):
        found = []
        for seed in (1, 2):  # of torch's global generator, which must not matter
            torch.manual_seed(seed)
            found.append(zeros(call(attempt, _generator(7))))
        if not torch.equal(*found):
            return ("Two generators with the same seed gave zeros in different places: something else than the "
                    "generator decides.")
        return None

    def leaves_the_global_seed(attempt):
        found = []
        for seed in (1, 2):
            torch.manual_seed(seed)
            call(attempt, _generator(7))
            found.append(torch.rand(4))
        if torch.equal(*found):
            return ("After your code has run, torch's global generator always stands at the same place: your code "
                    "seeds it, for everybody.")
        return None

    def draws_without(attempt):
        torch.manual_seed(3)
        first, second = (zeros(call(attempt, None)) for _ in range(2))
        if torch.equal(first, second):
            return "Called twice without a generator, your code zeroed the same places both times."
        torch.manual_seed(3)
        if not torch.equal(first, zeros(call(attempt, None))):
            return "Without a generator, torch.manual_seed(3) before two calls gave zeros in different places."
        return None

    def not_counted_out(attempt):
        generator = _generator(5)
        counts = {int(zeros(call(attempt, generator)).sum()) for _ in range(12)}
        if len(counts) == 1:
            return (f"In 12 calls exactly {counts.pop():,} numbers became 0 each time: they were counted out, not "
                    "drawn one by one.")
        return None

    def listens_to_p(attempt):
        few, many = (zeros(call(attempt, _generator(11), p)) for p in (0.2, 0.6))
        share = float(few.double().mean())
        if not 0 < share < 1 or not is_about(int(many.sum()), many.numel(), share):
            return None
        return (f"With p = 0.2 and with p = 0.6 the same share became 0, about {100 * share:.0f} %: p has no part in "
                "it.")

    return (
        Experiment("p-not-used", listens_to_p,
                   "The draw is to be compared with the argument p: torch.rand(...) >= p is True for a share of 1 - p.",
                   early=True),
        Experiment("same-zeros", draws_again,
                   "Every call should draw anew: draw with the generator you are given, and seed nothing inside.",
                   required=True, while_doing="called a second time,"),
        Experiment("generator-ignored", listens,
                   "Hand it on: torch.rand(shape, generator=generator). F.dropout and nn.Dropout take no generator.",
                   required=True, while_doing="called with a generator,"),
        Experiment("seeds-everything", leaves_the_global_seed,
                   "Take torch.manual_seed out: who calls your code chooses the seed, by the generator.",
                   required=True, while_doing="called with a generator,"),
        Experiment("not-repeatable", draws_without,
                   "With generator=None torch.rand uses torch's global generator, so there is nothing more to do: no "
                   "seed, and no generator of your own.", required=True, while_doing="called without a generator,"),
        Experiment("counted-out", not_counted_out,
                   "Compare each random number with p: then each number falls or stays on its own, and the count "
                   "varies around the share p.", required=True, while_doing="called twelve times,"),
    )


# ---------------------------------------------------------------- 4.1

def _uniform(*shape, seed, dtype=torch.float32):
    """Positive numbers from 0.5 to 1.5, none of them 0: a zero afterwards is a dropped one."""
    return (0.5 + torch.rand(shape, generator=_generator(seed), dtype=torch.float64)).to(dtype)


def _x(case):
    x, p = case.args[:2]
    return x, case.got, p


def _dropout_essence(args, value):
    x, p = args[:2]
    if not comparable(value, x):
        return outline(value)
    if not p:
        return "dropped with p = 0" if fallen(x, value)[0] else value
    return traits(x, value, p)


_OF_X = Told(_x, "numbers", "torch.rand(x.shape, ...)")


def _keeps(x, p, g=None):
    """Where a number stays, as in the solution."""
    return torch.rand(x.shape, generator=g) >= p


def _for_some_axes(shape, vector):
    """Dropout with fewer draws than numbers: shape(x) of them. For a vector one draw may do all, or nothing."""

    def code(x, p, g=None):
        if shape(x) == (1,):
            return x * vector / (1 - p)
        return x * (torch.rand(shape(x), generator=g) >= p) / (1 - p)

    return code


def _rows(x):
    return (*x.shape[:-1], 1)


_NO_GENERATOR = ("generator=None asks for torch's global generator, and torch.rand(shape, generator=None) draws with "
                 "it: there is no case to tell apart.")


def _counted(x, p, g=None):
    keep = _keeps(x, p, g)
    return x * keep / keep.double().mean().to(x.dtype)


def _row_by_row(x, p, g=None):
    dropped = x * _keeps(x, p, g)
    return dropped / dropped.sum(-1, keepdim=True)


def _below_normal(x, p, g=None):
    return x * (torch.randn(x.shape, generator=g) >= p) / (1 - p)


def _first_infinity(case):
    at = tuple(int(i) for i in (~case.got.isfinite()).nonzero()[0])
    return f"{int((~case.got.isfinite()).sum()):,} of your numbers are -inf, the first at {evidence.place(at)}"


def _half(x, p, g=None):
    return x * _keeps(x, 0.5, g)


DROPOUT = Exercise(
    id="4.1", name="dropout", signature="dropout(x, p, generator=None)", minutes=8, difficulty=2,
    gives="x with each number zeroed with probability p, and the kept ones divided by 1 - p",
    solution=solutions.dropout, arguments=("x", "p", "generator"), returns=("result",), call=_with_generator,
    inputs=("x", "p", "the generator's seed"), essence=_dropout_essence,
    probes=(
        Probe("10,000 numbers, p = 0.3", (_uniform(100, 100, seed=1), 0.3, 1), rtol=1e-3),
        Probe("a vector, p = 0.5", (_uniform(10_007, seed=2), 0.5, 2), rtol=1e-3),
        Probe("three axes, p = 0.6", (_uniform(7, 30, 41, seed=3) * (-1) ** torch.arange(41), 0.6, 3), rtol=1e-3),
        Probe("four axes, p = 0.9", (_uniform(4, 6, 20, 31, seed=4), 0.9, 4), rtol=1e-3),
        Probe("float64, p = 0.25", (_uniform(90, 130, seed=5, dtype=torch.float64), 0.25, 5), rtol=1e-3),
        Probe("no generator, p = 0.2", (_uniform(90, 110, seed=6), 0.2, None), rtol=1e-3),
        Probe("p = 0", (_uniform(7, 11, seed=7), 0.0, 7)),
        Probe("p = 0, no generator", (_uniform(1, 3, 1, 5, seed=8), 0.0, None)),
    ),
    small=(), sizes=dict.fromkeys((2, 3, 5, 7, 11, 13, 17), ""),
    misconceptions=(
        Misconception(
            "not-scaled", "The right share became 0, but what was kept was not divided by 1 - p: the result is smaller "
            "than x on average.",
            "A share of 1 - p is left. What must each of them be divided by, so that the sum stays what it was?",
            lambda x, p, g=None: x * _keeps(x, p, g), _OF_X.averaged),
        Misconception(
            "times-one-minus-p", "What was kept was multiplied by 1 - p instead of divided.",
            "Some numbers are lost; those left must become larger to make up for it.",
            lambda x, p, g=None: x * _keeps(x, p, g) * (1 - p), _OF_X.averaged),
        Misconception(
            "divided-by-p", "The right share became 0, but what was kept was divided by p.",
            "p is the share that is lost; what is left is a share of 1 - p. (For p = 0.5 the two are the same.)",
            (lambda x, p, g=None: x * _keeps(x, p, g) / p, lambda x, p, g=None: solutions.dropout(x, p, g) * (1 - p) / p
             if p else x.clone()), _OF_X.averaged),
        Misconception(
            "one-plus-p", "What was kept was multiplied by 1 + p. That is close to 1 / (1 - p) for a small p only.",
            "Which number times 1 - p gives 1?",
            lambda x, p, g=None: x * _keeps(x, p, g) * (1 + p), _OF_X.averaged),
        Misconception(
            "share-turned-around", "The wrong ones were kept: a share of 1 - p became 0, and a share of p stayed.",
            "p is the probability of becoming 0. torch.rand(...) < p is True for a share of p.",
            (lambda x, p, g=None: x * ~_keeps(x, p, g) / (1 - p), lambda x, p, g=None: x * ~_keeps(x, p, g)),
            _OF_X.counted),
        Misconception(
            "p-kept", "p was read as the probability of staying: you kept a share of p, and divided it by p.",
            "In PyTorch p is the probability of becoming 0: a share of 1 - p stays.",
            (lambda x, p, g=None: x * ~_keeps(x, p, g) / p, lambda x, p, g=None:
             x * ~_keeps(x, p, g) / p if p else x * 0),
            _OF_X.counted),
        Misconception(
            "nothing-dropped", "No number became 0, and x came back as it was.",
            "Draw one random number for each number of x, and compare it with p. This exercise is dropout in "
            "training.",
            (lambda x, p, g=None: x.clone(), lambda x, p, g=None: F.dropout(x, p, training=False)), _OF_X.counted),
        Misconception(
            "only-scaled", "Every number was scaled, and none became 0.",
            "Dropout zeroes some numbers, drawn by chance. Multiply by a mask of 0 and 1 as well.",
            (lambda x, p, g=None: x / (1 - p), lambda x, p, g=None: x * (1 - p)), _OF_X.counted),
        Misconception(
            "whole-rows", "Whole rows were dropped together: there was one draw for each row.",
            "Every number has its own draw: as many random numbers as x has numbers, torch.rand(x.shape, ...).",
            (_for_some_axes(_rows, True), _for_some_axes(_rows, False)), _OF_X.tied),
        Misconception(
            "zeros-repeated", "The same zeros come again along an axis: several rows or items share one draw.",
            "Every number has its own draw: as many random numbers as x has numbers, torch.rand(x.shape, ...).",
            (_for_some_axes(lambda x: x.shape[-1:], True), _for_some_axes(lambda x: x.shape[-2:], True),
             _for_some_axes(lambda x: x.shape[1:] or (1,), True),
             _for_some_axes(lambda x: x.shape[1:] or (1,), False)), _OF_X.tied),
        Misconception(
            "counted-share", "What was kept was divided by the share that happened to stay, not by 1 - p.",
            "Each number should keep its expectation whatever happens to the others. 1 - p is known before drawing.",
            _counted, _OF_X.scaled),
        Misconception(
            "brackets", "What was dropped became -p: `/ 1 - p` divides by 1, and then subtracts p.",
            "A product or quotient comes before a difference: write / (1 - p).",
            lambda x, p, g=None: x * _keeps(x, p, g) / 1 - p, _OF_X.lowered),
        Misconception(
            "filled-with-infinity", "What was dropped became -inf; it is to become 0.",
            "0, not -inf: this is no softmax. -inf hides a score, since exp(-inf) = 0.",
            (lambda x, p, g=None: x.masked_fill(~_keeps(x, p, g), -_INF) / (1 - p),
             lambda x, p, g=None: x.masked_fill(~_keeps(x, p, g), -_INF)), _first_infinity),
        Misconception(
            "renormalised", "Each row was made to sum to 1 again.",
            "Divide by 1 - p and by nothing else: sums keep their size on average, not in every row.",
            _row_by_row, _OF_X.scaled),
        Misconception(
            "mask-returned", "The kept numbers are all the same: the mask was returned, and x is not in it.",
            "Multiply the mask with x.",
            (lambda x, p, g=None: _keeps(x, p, g) / (1 - p) * torch.ones_like(x),
             lambda x, p, g=None: _keeps(x, p, g).to(x.dtype)), _OF_X.scaled),
        Misconception(
            "dropped-twice", "Dropout was applied twice, with two draws: more numbers became 0 than p says, and the "
            "rest was scaled twice.",
            "One draw, one mask, one division.",
            lambda x, p, g=None: solutions.dropout(solutions.dropout(x, p, g), p, g), _OF_X.counted),
        Misconception(
            "normal-not-uniform", "The share is that of normally distributed numbers below p: it looks as if randn "
            "was drawn.",
            "torch.rand draws evenly from 0 to 1, so that a share of p lies below p. randn does not.",
            (_below_normal, lambda x, p, g=None: x * (torch.randn(x.shape, generator=g) >= p)), _OF_X.counted),
        Misconception(
            "always-half", "Half of the numbers became 0, whatever p is.",
            "Compare the random numbers with p. torch.randint(0, 2, ...) and a rounded torch.rand know only halves.",
            (_half, lambda x, p, g=None: _half(x, p, g) / (1 - p), lambda x, p, g=None: _half(x, p, g) * 2),
            _OF_X.counted),
        Misconception(
            "only-with-a-generator", "Without a generator nothing was dropped: x came back as it was.", _NO_GENERATOR,
            (lambda x, p, g=None: x.clone() if g is None else solutions.dropout(x, p, g),), _OF_X.counted),
    ),
    hints=(
        "Draw one random number for each number of x: torch.rand(x.shape, generator=generator). Which of them are at "
        "least p?",
        "keep = torch.rand(x.shape, generator=generator) >= p is True with probability 1 - p. x * keep.to(x.device) "
        "sets the others to 0. What is missing is a division.",
        "return x * keep.to(x.device) / (1 - p)",
    ),
    laws=(laws.FINITE, *_OF_X.laws(lambda case: case.args[1])),
    experiments=_by_chance(
        lambda attempt, g, p=0.4: attempt(_uniform(40, 50, seed=9), p, *(() if g is None else (g,))),
        lambda x: x == 0),
    after="Every number keeps its expectation: a share of p is lost, and the rest is 1 / (1 - p) times as large.",
)


# ---------------------------------------------------------------- what 4.2 and 4.3 share

def _shows_the_mix(v):
    """v with the identity in front: those columns of out are the matrix that mixed the values."""
    size = v.size(-2)
    return torch.cat([torch.eye(size, dtype=v.dtype).expand(*v.shape[:-2], size, size), v], -1)


def _pair_essence(right, v, p, training, value):
    """Of (out, weights): the numbers where nothing was dropped, else the traits of the weights and of the mix.

    Where p is not 0, v begins with the identity.
    """
    if not comparable(value, (right @ v, right)):
        return outline(value)
    out, weights = value
    mix = out[..., :right.size(-1)]
    fell = fallen(right, weights)[0] > 0, p > 0 and fallen(right, mix)[0] > 0
    if not p:
        return "dropped with p = 0" if training and fell[0] else value
    if not (training or any(fell)):
        return value
    if not training:
        return "dropped in evaluation", *fell
    mixed = traits(right, mix, p)
    mixed = "uneven" if str(mixed[0]).startswith("uneven") else mixed
    return traits(right, weights, p), mixed, _same(mix, weights, mix + weights), _same(out, mix @ v, mix)


def _same(a, b, where):
    """Whether a and b agree in the rows that are finite in `where`: rows with NaN are told by the traits."""
    rows = where.isfinite().all(-1)
    return a.dtype == b.dtype and torch.allclose(a[rows], b[rows], rtol=1e-3, atol=1e-4)


def _pair_laws(looked, values):
    """looked(case) gives (right weights, p, training), values(case) gives v."""

    def zeros_in_evaluation(case):
        right, _, training = looked(case)
        count, total = fallen(right, case.weights)
        if training or not count:
            return None
        return f"In evaluation the softmax has the last word on the weights; {count:,} of your {total:,} are 0."

    def rows(case):
        return None if looked(case)[-1] else laws.ROWS.test(case)

    def mixes(case):
        expected = case.weights @ values(case) if case.weights.dtype == values(case).dtype else case.out
        if _same(case.out, expected, case.weights):
            return None
        at = evidence.worst(case.out, expected)
        return (f"out must be the weights you return times v: at {evidence.place(at)} out is "
                f"{evidence.number(case.out[at])}, and weights @ v is {evidence.number(expected[at])}.")

    return (
        laws.FINITE, Law("zeros-in-evaluation", zeros_in_evaluation, "Only training drops anything. Which line makes a "
                                                                     "weight exactly 0?"),
        laws.POSITIVE, Law("rows-do-not-sum-to-1", rows, laws.ROWS.think),
        Law("out-not-from-weights", mixes, "One draw, one tensor of weights: it multiplies v, and it is returned."),
    )


def _drawn(looked):
    """Whether a case shows a draw: in training, where something should have been dropped, or was."""

    def test(case):
        right, p, training = looked(case)
        return training and (p or fallen(right, case.weights)[0])

    return test


def _evaluated(looked, p_name="p"):
    """A sentence on what was dropped in evaluation."""

    def sentence(case):
        right, p, training = looked(case)
        mix = case.out[..., :right.size(-1)]
        for noun, got in (("weights", case.weights), ("numbers that mix the values", mix)):
            count, total = fallen(right, got) if got.shape == right.shape else (0, 0)
            if count and not training:
                return f"in evaluation, with {p_name} = {p:g}, {count:,} of your {total:,} {noun} became 0"
        return evidence.entry(case)

    return sentence


def _where(looked, p_name="p"):
    """A sentence on the weights, and on the matrix that out shows."""

    def sentence(case):
        right, p, _ = looked(case)
        zeros, total = fallen(right, case.weights)
        mixed, _ = fallen(right, case.out[..., :right.size(-1)])
        return (f"with {p_name} = {p:g}, {zeros:,} of the {total:,} weights you returned are 0. v begins with the "
                f"identity here, so out begins with the numbers that mixed the values: {mixed:,} of them are 0")

    return sentence


# ---------------------------------------------------------------- 4.2

def _look_attention(case):
    q, k, _, p, training = case.args[:5]
    return solutions.attention_weights(q, k), p, training


def _dropped_attention(case):
    right, p, _ = _look_attention(case)
    return right, case.weights, p


def _attention_essence(args, value):
    q, k, v, p, training = args[:5]
    return _pair_essence(solutions.attention_weights(q, k), v, p, training, value)


_OF_WEIGHTS = Told(_dropped_attention, "weights", "torch.rand(weights.shape, ...)")
_EVALUATED = _evaluated(_look_attention)
_WHERE = _where(_look_attention)


def _mixes(weigh=right_weights, drop=solutions.dropout, when=lambda training: training):
    """Attention with dropout, one step of it exchanged."""

    def code(q, k, v, p, training, g=None):
        weights = weigh(q, k)
        if when(training):
            weights = drop(weights, p, g)
        return weights @ v, weights

    return code


def _with_f_dropout(w, p, g):
    return F.dropout(w, p)


def _pair_of(weights, v):
    return weights @ v, weights


def _drops(place, when=lambda training: training):
    """place(q, k, v, drop) gives the pair; drop(x) is a dropout with a draw of its own."""

    def code(q, k, v, p, training, g=None):
        return place(q, k, v, (lambda x: solutions.dropout(x, p, g)) if when(training) else lambda x: x)

    return code


def _always(training):
    return True


def _of_scores(q, k, v, drop):
    weights = drop(q @ k.transpose(-2, -1) * by_root(q, k)).softmax(-1)
    return weights @ v, weights


def _of_raw_scores(q, k, v, drop):
    weights = (drop(q @ k.transpose(-2, -1)) * by_root(q, k)).softmax(-1)
    return weights @ v, weights


def _of_queries(q, k, v, drop):
    return attended(drop(q), k, v)


def _of_keys(q, k, v, drop):
    return attended(q, drop(k), v)


def _of_both(q, k, v, drop):
    return attended(drop(q), drop(k), v)


def _of_out(q, k, v, drop):
    weights = right_weights(q, k)
    return drop(weights @ v), weights


def _of_values(q, k, v, drop):
    weights = right_weights(q, k)
    return weights @ drop(v), weights


def _kept_secret(q, k, v, drop):
    weights = right_weights(q, k)
    return drop(weights) @ v, weights


def _only_shown(q, k, v, drop):
    weights = right_weights(q, k)
    return weights @ v, drop(weights)


def _two_draws(q, k, v, drop):
    weights = right_weights(q, k)
    return drop(weights) @ v, drop(weights)


def _weights_and_out(q, k, v, drop):
    weights = drop(right_weights(q, k))
    return drop(weights @ v), weights


def _renormalised(w, p, g):
    dropped = w * _keeps(w, p, g)
    return dropped / dropped.sum(-1, keepdim=True)


def _of_axes(shape):
    """Dropout of weights with fewer draws than weights: shape(w) of them."""
    return lambda w, p, g: w * (torch.rand(shape(w), generator=g) >= p) / (1 - p)


def _causally(q, k, low):
    scores = q @ k.transpose(-2, -1) * by_root(q, k)
    return scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), low).softmax(-1)


def _classic(q, k, v, p, training, g=None):
    weights = right_weights(q, k)
    weights = weights * _keeps(weights, p, g) if training else weights * (1 - p)
    return weights @ v, weights


def _also_scaled(q, k, v, p, training, g=None):
    weights = right_weights(q, k)
    weights = solutions.dropout(weights, p, g) if training else weights / (1 - p)
    return weights @ v, weights


def _items_v(k, width=DV, seed=20):
    return normal(*k.shape[:-1], width, seed=seed, dtype=k.dtype)


def _try(q, k, p, training, seed, width=DV):
    """The arguments of 4.2; where p is not 0, out shows the weights that made it."""
    v = _items_v(k, width)
    return q, k, _shows_the_mix(v) if p else v, p, training, seed


_THREE = (normal(B, T, D, seed=3), normal(B, S, D, seed=4))
_PROBES_42 = (
    Probe("a batch, in evaluation", _try(*_THREE, 0.5, False, 1)),
    Probe("in training, p = 0.3", _try(normal(3, 40, D, seed=15), normal(3, 50, D, seed=16), 0.3, True, 6), rtol=1e-3),
    Probe("queries and keys, p = 0", _try(normal(T, D, seed=1), normal(S, D, seed=2), 0.0, True, 2)),
    Probe("a batch of heads, p = 0", _try(normal(B, H, T, D, seed=5), normal(B, H, S, D, seed=6), 0.0, False, None)),
    Probe("float64, in evaluation", _try(*(x.double() for x in _THREE), 0.5, False, 3)),
    Probe("values as wide as keys, p = 0", _try(*_THREE, 0.0, True, 4, D)),
    Probe("17 features, in evaluation", _try(normal(T, 17, seed=11) / 1.3, normal(S, 17, seed=12), 0.3, False, None)),
    Probe("four items, one query each, p = 0", _try(normal(4, 1, D, seed=13), normal(4, S, D, seed=14), 0.0, True, 5)),
    Probe("heads in training, p = 0.5, float64",
          _try(normal(2, 3, 30, D, seed=17).double(), normal(2, 3, 40, D, seed=18).double(), 0.5, True, 7), rtol=1e-3),
    Probe("in training, p = 0.9", _try(normal(50, D, seed=19), normal(199, D, seed=20), 0.9, True, 8), rtol=1e-3),
    Probe("in training without a generator, p = 0.2",
          _try(normal(2, 50, D, seed=21), normal(2, 60, D, seed=22), 0.2, True, None), rtol=1e-3),
)


def _round(*shape):
    return 2.5 * round_numbers(*shape)


def _one_training(attempt, generator, p=0.4):
    q, k = normal(2, 30, D, seed=23), normal(2, 40, D, seed=24)
    return attempt(q, k, _items_v(k), p, True, *(() if generator is None else (generator,)))


WITH_DROPOUT = Exercise(
    id="4.2", name="attention_with_dropout",
    signature="attention_with_dropout(q, k, v, p, training, generator=None)", minutes=8, difficulty=2,
    gives="the pair (out, weights) of attention, with dropout on the weights in training; the weights are those used",
    solution=solutions.attention_with_dropout, arguments=("q", "k", "v", "p", "training", "generator"),
    returns=("out", "weights"), call=_with_generator, essence=_attention_essence,
    inputs=("q", "k", "v", "p", "training", "the generator's seed"),
    probes=_PROBES_42,
    small=tuple((_round(1, 2) + shift, _round(2, 2), round_numbers(2, 2) + 1, 0.0, training, 1)
                for shift, training in ((0, False), (1, True))),
    misconceptions=(
        Misconception(
            "always-on", "Weights are dropped in evaluation too: training was not looked at.",
            "In evaluation every weight counts, and the same input gives the same output: if training: ...",
            (_mixes(when=_always), _mixes(drop=_with_f_dropout, when=_always), _drops(_kept_secret, _always),
             _drops(_of_out, _always)), _EVALUATED),
        Misconception(
            "training-turned-around", "Dropout happens in evaluation, and not in training: the wrong way round.",
            "Drop where training is True.", _mixes(when=lambda training: not training), _EVALUATED),
        Misconception(
            "never-on", "Nothing was dropped in training.",
            "dropout(weights, p, generator) gives a new tensor; keep it, and use it for out.",
            _mixes(when=lambda training: False), _OF_WEIGHTS.counted),
        Misconception(
            "before-softmax", "Dropout came before the softmax, on the scores, q or k: none of the weights is 0. A "
            "score of 0 is an ordinary score, and exp(0) = 1.",
            "First the weights, with their softmax; then dropout on the weights.",
            (_drops(_of_scores), _drops(_of_raw_scores), _drops(_of_queries), _drops(_of_keys), _drops(_of_both)),
            _OF_WEIGHTS.counted),
        Misconception(
            "on-out", "Dropout was applied to out; no weight was dropped.",
            "It is single keys that a query may not lean on: drop weights, then multiply by v.",
            _drops(_of_out), _WHERE),
        Misconception(
            "on-values", "Dropout was applied to v; no weight was dropped.",
            "It is single keys that a query may not lean on: drop weights, then multiply by v.",
            _drops(_of_values), _WHERE),
        Misconception(
            "weights-before-dropout", "out is made with dropped weights, but the weights returned are those before "
            "dropout.",
            "Return what multiplied v, so that a picture of the weights shows what happened: one name for both.",
            _drops(_kept_secret), _WHERE),
        Misconception(
            "out-undropped", "The weights returned were dropped, but out was made before, with all of them.",
            "Dropout first, then weights @ v: the order of your lines.", _drops(_only_shown), _WHERE),
        Misconception(
            "two-draws", "out and the weights returned come from two draws: other places are 0 in each.",
            "Call dropout once, give the result a name, and use it twice.", _drops(_two_draws), _WHERE),
        Misconception(
            "on-weights-and-out", "Dropout was applied twice: to the weights, and to out again.",
            "Only the weights are dropped here.", _drops(_weights_and_out), _WHERE),
        Misconception(
            "renormalised", "The weights that were left were made to sum to 1 again (or were dropped as scores of "
            "-inf, which does the same).",
            "Dividing by 1 - p is all: a row may then sum to more or less than 1, and to 1 on average.",
            (_mixes(drop=_renormalised),
             _mixes(drop=lambda w, p, g: w.log().masked_fill(~_keeps(w, p, g), -_INF).softmax(-1)),
             _mixes(drop=lambda w, p, g: F.normalize(w * _keeps(w, p, g), p=1, dim=-1))), _OF_WEIGHTS.scaled),
        Misconception(
            "not-scaled", "The right share of weights was dropped, but those kept were not divided by 1 - p.",
            "Your own dropout from exercise 4.1 does both.",
            _mixes(drop=lambda w, p, g: w * _keeps(w, p, g)), _OF_WEIGHTS.averaged),
        Misconception(
            "times-one-minus-p", "The weights kept were multiplied by 1 - p instead of divided.",
            "Some weights are lost; those left must become larger to make up for it.",
            _mixes(drop=lambda w, p, g: w * _keeps(w, p, g) * (1 - p)), _OF_WEIGHTS.averaged),
        Misconception(
            "divided-by-p", "The weights kept were divided by p instead of 1 - p.",
            "p is the share that is lost; what is left is a share of 1 - p.",
            (_mixes(drop=lambda w, p, g: w * _keeps(w, p, g) / p),
             _mixes(drop=lambda w, p, g: w * _keeps(w, p, g) / p if p else w)), _OF_WEIGHTS.averaged),
        Misconception(
            "share-turned-around", "A share of 1 - p of the weights became 0, and a share of p stayed.",
            "p is the probability of becoming 0. torch.rand(...) < p is True for a share of p.",
            (_mixes(drop=lambda w, p, g: w * ~_keeps(w, p, g) / (1 - p)),
             _mixes(drop=lambda w, p, g: w * ~_keeps(w, p, g)),
             _mixes(drop=lambda w, p, g: w * ~_keeps(w, p, g) / p),
             _mixes(drop=lambda w, p, g: solutions.dropout(w, 1 - p, g) if p else w * 0)), _OF_WEIGHTS.counted),
        Misconception(
            "dropped-twice", "The weights were dropped twice, with two draws: more became 0 than p says.",
            "One call of dropout.",
            _mixes(drop=lambda w, p, g: solutions.dropout(solutions.dropout(w, p, g), p, g)), _OF_WEIGHTS.counted),
        Misconception(
            "whole-queries", "Whole rows were dropped: such a query reads nothing at all.",
            "Every weight has its own draw, as in exercise 4.1.",
            _mixes(drop=_of_axes(_rows)), _OF_WEIGHTS.tied),
        Misconception(
            "same-for-every-query", "The same keys were dropped for several queries, items or heads: there are fewer "
            "draws than weights.",
            "Every weight has its own draw: torch.rand(weights.shape, ...).",
            (_mixes(drop=_of_axes(lambda w: w.shape[-1:])), _mixes(drop=_of_axes(lambda w: w.shape[-2:])),
             _mixes(drop=_of_axes(lambda w: (*w.shape[:-2], 1, w.size(-1)))),
             _mixes(drop=_of_axes(lambda w: w.shape[1:])),
             _mixes(drop=_of_axes(lambda w: (len(w), 1, *w.shape[2:]))),
             _mixes(drop=_of_axes(lambda w: w[..., :1, :, :].shape if w.dim() > 2 else w.shape)),
             _mixes(drop=_of_axes(lambda w: w[:, :1].shape if w.dim() > 3 else w.shape))), _OF_WEIGHTS.tied),
        Misconception(
            "normal-not-uniform", "The share is that of normally distributed numbers below p: it looks as if randn "
            "was drawn.",
            "torch.rand draws evenly from 0 to 1, so that a share of p lies below p. randn does not.",
            (_mixes(drop=_below_normal),
             _mixes(drop=lambda w, p, g: w * (torch.randn(w.shape, generator=g) >= p))), _OF_WEIGHTS.counted),
        Misconception(
            "always-half", "Half of the weights became 0, whatever p is.",
            "Compare the random numbers with p. torch.randint(0, 2, ...) and a rounded torch.rand know only halves.",
            (_mixes(drop=_half), _mixes(drop=lambda w, p, g: _half(w, p, g) / (1 - p)),
             _mixes(drop=lambda w, p, g: _half(w, p, g) * 2)), _OF_WEIGHTS.counted),
        Misconception(
            "only-with-a-generator", "Without a generator nothing was dropped.", _NO_GENERATOR,
            (_mixes(drop=lambda w, p, g: w if g is None else solutions.dropout(w, p, g)),), _OF_WEIGHTS.counted),
        Misconception(
            "scaled-in-evaluation", "Nothing was divided in training; the weights were multiplied by 1 - p in "
            "evaluation instead.",
            "That is how dropout was first published. Here, as in PyTorch, training does the scaling, so that "
            "evaluation does nothing.", _classic, evidence.row_sum),
        Misconception(
            "divided-in-evaluation", "The weights were divided by 1 - p in evaluation too, where nothing is lost.",
            "The division belongs to dropout, and dropout to training.", _also_scaled, evidence.row_sum),
        Misconception(
            "no-scale", "The scores were not divided by sqrt(D).",
            "Your own attention_weights from exercise 2.3 does all of it.",
            _mixes(weights_scaled_by(by_one)), evidence.sharpness),
        Misconception(
            "scaled-by-d", "The scores were divided by D instead of sqrt(D).",
            "It is the standard deviation that grows like sqrt(D); the variance grows like D.",
            _mixes(weights_scaled_by(lambda q, k: 1 / q.size(-1))), evidence.sharpness),
        Misconception(
            "scaled-by-positions", "The scores were divided by the square root of a number of positions.",
            "D is the size of the last axis of q and k.",
            (_mixes(weights_scaled_by(lambda q, k: 1 / math.sqrt(k.size(-2)))),
             _mixes(weights_scaled_by(lambda q, k: 1 / math.sqrt(q.size(-2))))), evidence.sharpness),
        Misconception(
            "no-softmax", "The values were weighed by the scores themselves: the softmax is missing.",
            "Weights are positive, and in evaluation each row sums to 1.",
            _mixes(lambda q, k: q @ k.transpose(-2, -1) * by_root(q, k)), evidence.row_sum),
        Misconception(
            "over-queries", "The softmax runs over the queries: columns sum to 1, rows do not.",
            "Each query shares out its attention over the keys: the last axis, dim=-1.",
            _mixes(weights_scaled_by(by_root, -2)), evidence.row_sum),
        Misconception(
            "axis-from-the-front", FROM_THE_FRONT, COUNT_FROM_THE_END,
            (_mixes(weights_scaled_by(by_root, 0)), _mixes(weights_scaled_by(by_root, 1))), evidence.row_sum),
        Misconception(
            "causal", "Later keys were hidden: a causal mask, which nobody asked for here.",
            "Every query may read every key. The causal module is exercise 4.3.",
            (_mixes(lambda q, k: _causally(q, k, -_INF)), _mixes(lambda q, k: _causally(q, k, -1e9))),
            evidence.entry),
        Misconception(
            "keys-as-values", "The weights were used to average k instead of v.",
            "Keys decide how much is read; values are what is read.",
            _drops(lambda q, k, v, drop: _pair_of(drop(right_weights(q, k)), k)), evidence.shape),
        Misconception(
            "keys-ask", "Queries and keys have changed places: your rows belong to the keys.",
            "The rows of the weights are the queries: q @ k.transpose(-2, -1).",
            _mixes(lambda q, k: right_weights(k, q)), evidence.shape),
        Misconception(
            "only-out", "Only out was returned; the weights belong to the answer.",
            "End with `return out, weights`.",
            lambda *args: solutions.attention_with_dropout(*args)[0], evidence.shape),
        Misconception(
            "swapped-pair", "The pair is the wrong way round: out comes first, then the weights.",
            "In this course everything returns (out, weights).",
            lambda *args: solutions.attention_with_dropout(*args)[::-1], evidence.shape),
    ),
    hints=(
        "You have both parts: attention_weights from exercise 2.3 and dropout from exercise 4.1. What goes into the "
        "dropout, and when?",
        "weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(dim=-1); if training: "
        "weights = dropout(weights, p, generator).",
        "After that, `return weights @ v, weights`: the same weights twice.",
    ),
    laws=(*_pair_laws(_look_attention, lambda case: case.args[2]), *_OF_WEIGHTS.laws(_drawn(_look_attention))),
    experiments=_by_chance(_one_training, lambda pair: pair[1] == 0),
    after="In training no query can lean on one key alone; in evaluation all of them count.",
)


# ---------------------------------------------------------------- 4.3

def run_causal_attention(attempt, x, *rest):
    """Build the learner's module, put known numbers into its projections, and apply it to x.

    Shapes: x (B, T, d_in); rest is three weights (d_out, d_in), context_length, dropout, training
    Errors: Fault where the module lacks what the exercise names, or its mask does not fit a shorter x
    Source: notebook 04
    """
    *weights, context_length, p, training = rest
    require_methods(attempt, "d_in, d_out, context_length, dropout")

    def apply(length):
        module = attempt(*reversed(weights[0].shape), length, p)
        fill_projections(module, attempt, weights)
        return module.to(x.dtype).train(training)(x)

    try:
        return apply(context_length)
    except RuntimeError as error:
        if _works(apply, x.size(1)):
            raise Fault("mask-not-cut", _not_cut(context_length, x.size(1), error)) from None
        raise


def _works(apply, length):
    try:
        apply(length)
    except Exception:
        return False
    return True


def _not_cut(context_length, length, error):
    return (f"Built with context_length = {context_length}, your module cannot take {length} positions "
            f"({type(error).__name__}: {str(error).splitlines()[0]}). Built with context_length = {length} it can: so "
            "something keeps that size, most likely the mask. Cut both its axes to the length of x: mask[:T, :T] "
            "with T = x.size(1).")


def _told_causal(args):
    x, weight, *_, context_length, p, training = args
    return (f"It was built with d_in = {weight.size(1)}, d_out = {weight.size(0)}, context_length = {context_length} "
            f"and dropout = {p:g}, to be applied to x of shape {tuple(x.shape)} in "
            f"{'training' if training else 'evaluation'}.")


def _projected(args):
    x, *weights = args[:4]
    return (x @ weight.to(x.dtype).mT for weight in weights)


def _causal_weights(args):
    q, k, _ = _projected(args)
    return masks.masked_softmax(q @ k.mT * by_root(q, k), causal_mask(q.size(1)))


def _look_causal(case):
    return _causal_weights(case.args), *case.args[-2:]


def _dropped_causal(case):
    right, p, _ = _look_causal(case)
    return right, case.weights, p


def _causal_values(case):
    return [*_projected(case.args)][2]


def _causal_essence(args, value):
    return _pair_essence(_causal_weights(args), [*_projected(args)][2], *args[-2:], value)


def _future(case):
    """The hidden key that gets the largest weight."""
    hidden = ~causal_mask(case.weights.size(-1))
    leak = case.weights.double().nan_to_num(0.0) * hidden
    if not leak.any():
        return evidence.not_a_number(case) if case.weights.isnan().any() else evidence.entry(case)
    at = evidence.worst(leak, torch.zeros_like(leak))
    return f"position {at[-2]} reads position {at[-1]}, which comes later, with the weight {evidence.number(leak[at])}"


def _future_is_hidden(case):
    leak = case.weights.double() * ~causal_mask(case.weights.size(-1))
    return None if (leak.abs() < 1e-4).all() else f"The future must get the weight 0, in training too: {_future(case)}."


_OF_CAUSAL = Told(_dropped_causal, "visible weights", "nn.Dropout", "dropout")
_CAUSAL_EVALUATED = _evaluated(_look_causal, "dropout")
_CAUSAL_WHERE = _where(_look_causal, "dropout")
_FUTURE = Law("future-read", _future_is_hidden, "Row i may see the columns 0 to i. Which step comes between the mask "
                                                "and the weights?")


def _given(batch, length, context_length, training, seed, d_in=D, d_out=DV):
    """The arguments of 4.3, without dropout."""
    x = normal(batch, length, d_in, seed=seed)
    weights = (normal(d_out, d_in, seed=seed + 1 + i) / (d_in / 3) ** 0.5 for i in range(3))
    return x, *weights, context_length, 0.0, training


def _shown(batch, length, context_length, p, training, seed):
    """The arguments of 4.3, with values that begin with the identity, so that out shows what mixed them.

    x ends with the identity, and W_value brings it to the front of the values.
    """
    d_in, d_out = D + length, length + DV
    eye = torch.eye(length)
    x = torch.cat([normal(batch, length, D, seed=seed), eye.expand(batch, length, length)], -1)
    q, k = (0.4 * normal(d_out, d_in, seed=seed + i) for i in (1, 2))
    v = torch.cat([torch.cat([torch.zeros(length, D), eye], -1), normal(DV, d_in, seed=seed + 3)])
    return x, q, k, v, context_length, p, training


def _in_float64(args):
    return args[0].double(), *args[1:]


def _causal_module(forward, layer=nn.Dropout, bias=False):
    """A module with the three projections, the mask and the given forward: the frame of every wrong 4.3."""

    class Wrong(nn.Module):
        def __init__(self, d_in, d_out, context_length, dropout):
            super().__init__()
            for name in PROJECTIONS:
                setattr(self, name, nn.Linear(d_in, d_out, bias=bias))
            self.p, self.drop = dropout, layer(dropout)
            self.register_buffer("mask", causal_mask(context_length))

        def forward(self, x):
            return forward(self, x)

    return Wrong


def _scores(q, k, x):
    return q @ k.mT * by_root(q, k)


def _cut(mask, length):
    return mask[:length, :length]


def _filled(scores, mask):
    return scores.masked_fill(~mask, -_INF)


def _steps(score=_scores, cut=_cut, hide=_filled, dim=-1, drop=lambda self, weights: self.drop(weights), mix=None,
           layer=nn.Dropout):
    """Causal attention with dropout, one step of it exchanged; mix(self, x) are the values."""

    def forward(self, x):
        q, k, v = (getattr(self, name)(x) for name in PROJECTIONS)
        weights = drop(self, hide(score(q, k, x), cut(self.mask, x.size(1))).softmax(dim))
        return weights @ (mix(self, x) if mix else v), weights

    return _causal_module(forward, layer)


def _places(place, layer=nn.Dropout):
    """place(q, k, v, drop, mask) gives the pair."""

    def forward(self, x):
        return place(*(getattr(self, name)(x) for name in PROJECTIONS), self.drop, _cut(self.mask, x.size(1)))

    return _causal_module(forward, layer)


def _hidden_weights(q, k, mask):
    return _filled(q @ k.mT * by_root(q, k), mask).softmax(-1)


def _pairs_causally(weigh):
    """forward with weigh(q, k, mask, drop) giving the weights."""
    return _places(lambda q, k, v, drop, mask: _pair_of(weigh(q, k, mask, drop), v))


def _masked_when(when):
    """The mask in one mode only."""

    def forward(self, x):
        q, k, v = (getattr(self, name)(x) for name in PROJECTIONS)
        mask = _cut(self.mask, x.size(1)) if when(self.training) else torch.tensor(True)
        weights = self.drop(_hidden_weights(q, k, mask))
        return weights @ v, weights

    return _causal_module(forward)


def _dropped_input(self, x):
    q, k, v = (getattr(self, name)(self.drop(x)) for name in PROJECTIONS)
    return _pair_of(_hidden_weights(q, k, _cut(self.mask, x.size(1))), v)


def _dropped_input_once(self, x):
    x = self.drop(x)
    q, k, v = (getattr(self, name)(x) for name in PROJECTIONS)
    return _pair_of(_hidden_weights(q, k, _cut(self.mask, x.size(1))), v)


def _by_hand(drop):
    """Dropout written by hand: drop(weights, p), in training."""
    return _steps(drop=lambda self, w: drop(w, self.p) if self.training else w)


def _of_hidden_out(q, k, v, drop, mask):
    weights = _hidden_weights(q, k, mask)
    return drop(weights @ v), weights


def _dropped_again(weights, v, drop):
    return drop(weights @ v), weights


def _transposed_mix(weights, v):
    return weights.mT @ v, weights


class _AlwaysOn(nn.Dropout):
    """What a new nn.Dropout in every forward, and F.dropout without training=, do."""

    def forward(self, x):
        return F.dropout(x, self.p)


class _TurnedAround(nn.Dropout):
    def forward(self, x):
        return F.dropout(x, self.p, not self.training)


def _nothing(p):
    return nn.Identity()


def _twice(self, w):
    return self.drop(self.drop(w))


def _from(name, other):
    """The layer `other` in the place of `name`."""

    def forward(self, x):
        layers = [other if own == name else own for own in PROJECTIONS]
        q, k, v = (getattr(self, layer)(x) for layer in layers)
        weights = self.drop(_hidden_weights(q, k, _cut(self.mask, x.size(1))))
        return weights @ v, weights

    return _causal_module(forward)


_CAUSAL_PROBES = (
    Probe("a batch, as long as context_length", _given(B, T, T, False, seed=60)),
    Probe("shorter than context_length, in evaluation", _shown(B, S, 9, 0.5, False, seed=64)),
    Probe("in training, dropout = 0.3", _shown(6, 40, 40, 0.3, True, seed=68), rtol=1e-3),
    Probe("in training, dropout = 0", _given(3, 16, 20, True, seed=72)),
    Probe("one position", _given(B, 1, 3, False, seed=76)),
    Probe("one item", _given(1, S, S, False, seed=80)),
    Probe("float64 in evaluation", _in_float64(_given(B, T, S, False, seed=84))),
    Probe("as many features out as in", _given(B, S, D, False, seed=88, d_out=D)),
    Probe("d_in = 17, d_out = 19", _given(B, T, DV, False, seed=92, d_in=17, d_out=19)),
    Probe("float64 in training, dropout = 0.5", _in_float64(_shown(6, 41, 50, 0.5, True, seed=96)), rtol=1e-3),
    Probe("in training, dropout = 0.8", _shown(4, 60, 64, 0.8, True, seed=100), rtol=1e-3),
)


# ---------------------------------------------------------------- 4.3: where the mask lives, and what else to try

def _is_triangle(value, length):
    """Whether a tensor holds one number on one side of its diagonal, and another one elsewhere."""
    if not isinstance(value, torch.Tensor) or value.numel() < length ** 2:
        return False
    value = value.detach().squeeze()
    if value.dim() != 2 or value.size(0) != value.size(1):
        return False
    lower = causal_mask(len(value))
    return any((square[lower] == square[0, 0]).all() and (square[~lower] == square[0, 1]).all()
               and square[0, 0] != square[0, 1] for square in (value, value.T))


def _mask_of(attempt):
    """The names under which the module keeps a mask: (buffers, parameters, plain tensors)."""
    length = 6
    module = attempt(D, DV, length, 0.0).eval()
    module(normal(B, length, D, seed=104))
    plain = [(name, value) for part in module.modules() for owner in (type(part), part)
             for name, value in vars(owner).items()]
    plain += [(name, item) for name, value in plain if isinstance(value, (list, tuple, dict))
              for item in (value.values() if isinstance(value, dict) else value)]
    plain = [(name, value) for name, value in plain if not name.startswith("_buffers") and name != "_parameters"]
    return tuple([name for name, value in named if _is_triangle(value, length)]
                 for named in (module.named_buffers(), module.named_parameters(), plain))


def _mask_is_parameter(attempt):
    buffers, parameters, _ = _mask_of(attempt)
    if buffers or not parameters:
        return None
    return f"The numbers are right, but {parameters[0]} is an nn.Parameter: it counts as something to be learned."


def _mask_is_plain(attempt):
    buffers, _, plain = _mask_of(attempt)
    if buffers or not plain:
        return None
    return (f"The numbers are right, but self.{plain[0]} is a plain tensor: module.to(device) moves the weights, and "
            "leaves it behind.")


def _mask_is_nowhere(attempt):
    if _mask_of(attempt)[0]:
        return None
    return ("The numbers are right, but no buffer of the module holds the triangle of the mask: it seems to be made "
            "anew in every forward.")


class _Meetings(TorchFunctionMode):
    """Notes whether tensors of two devices meet in one call, where they may not: a single number may, and an index."""

    found = False

    def __torch_function__(self, function, types, args=(), kwargs=None):
        given = [x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor) and x.dim()]
        free = re.search(r"index|item|^to$|^type_as$|copy", function.__name__)
        self.found |= len({x.device.type for x in given}) > 1 and not free
        return function(*args, **(kwargs or {}))


def _stays_on_the_cpu(attempt):
    """Move the module, and x, to a device without numbers: what forward makes anew on the CPU does not go along.

    The errors of that device tell nothing: some are about single numbers.
    """
    module, x = attempt(D, DV, T, 0.0).eval().to("meta"), torch.empty(B, T, D, device="meta")
    with contextlib.suppress(Exception), _Meetings() as meetings:
        module(x)
    if not meetings.found or _buffers_count(attempt):
        return None
    return ("The buffer is there, but forward does not use it: it makes a new mask, which stays on the CPU when the "
            "module moves.")


def _buffers_count(attempt):
    """Whether other numbers in the buffers change the weights, or the code fails with them."""
    module, x = attempt(D, DV, T, 0.0).eval(), normal(B, T, D, seed=111)
    before = module(x)[1]
    try:
        for value in (0, 1):
            for buffer in module.buffers():
                buffer.fill_(value)
            if not torch.equal(module(x)[1], before):
                return True
    except Exception:
        return True
    return False


def _draws_anew(attempt):
    module, x = attempt(D, DV, 32, 0.5).train(), normal(B, 32, D, seed=105)
    first, second = (module(x)[1] == 0 for _ in range(2))
    if torch.equal(first, second):
        return "Called twice in training, your module zeroed the same weights both times."
    return None


def _used_again(attempt):
    """One module in evaluation, in training, and on a longer sequence in evaluation."""
    module, right = attempt(D, DV, D, 0.5), CausalAttention(D, DV, D, 0.5).eval()
    right.load_state_dict({f"{name}.weight": getattr(module, name).weight.detach() for name in PROJECTIONS})
    module.eval()(normal(B, T, D, seed=106))
    module.train()(normal(1, T, D, seed=107))
    x = normal(B, S, D, seed=108)
    got, expected = module.eval()(x)[0], right(x)[0]
    if got.shape == expected.shape and torch.allclose(got, expected, rtol=1e-3, atol=1e-4):
        return None
    return ("Used in evaluation, then in training, then in evaluation on a longer sequence, your module gives wrong "
            "numbers at the end: it remembers something.")


def _learns(attempt):
    """Gradients must reach x and the three layers, in evaluation and in training."""
    for training in (False, True):
        module, x = attempt(D, DV, T, 0.25).train(training), normal(B, T, D, seed=109).requires_grad_()
        out = module(x)[0]
        if out.requires_grad:
            (out * normal(B, T, DV, seed=110)).sum().backward()
        reached = {"x": x.grad, **{name: getattr(module, name).weight.grad for name in PROJECTIONS}}
        missed = [name for name, gradient in reached.items() if gradient is None or not gradient.any()]
        if missed:
            return (f"The numbers are right, but in {'training' if training else 'evaluation'} no gradient reaches "
                    f"{in_a_row(missed)}, so nothing could be learned there.")
    return None


_BUFFER = ("Make it once, in __init__: self.register_buffer(\"mask\", ...). A buffer moves with the module, and no "
           "optimizer touches it.")
_BUILT = "built once more,"
_TRIED = (
    Experiment("same-zeros", _draws_anew, "Every call draws anew: make the draw in forward, and seed nothing.",
               required=True, while_doing="called twice in training,"),
    Experiment("remembers", _used_again, "forward should change nothing on self: cut the mask into a local variable.",
               required=True, while_doing="used again, in training and on a longer sequence,"),
    Experiment("no-gradients", _learns, "Use the layers themselves, and no detach, .data or no_grad.", required=True,
               while_doing="on the way back"),
    Experiment("mask-as-parameter", _mask_is_parameter, _BUFFER, required=True, while_doing=_BUILT),
    Experiment("mask-is-plain-tensor", _mask_is_plain, _BUFFER, required=True, while_doing=_BUILT),
    Experiment("mask-not-kept", _mask_is_nowhere, _BUFFER + " forward then cuts it to the length of x.",
               required=True, while_doing=_BUILT),
    Experiment("mask-stays-on-the-cpu", _stays_on_the_cpu,
               "self.mask[:T, :T] moves with the module; a new tensor is made where x is, with device=x.device.",
               required=True, while_doing=_BUILT),
)

CAUSAL_ATTENTION = Exercise(
    id="4.3", name="CausalAttention", signature="CausalAttention(d_in, d_out, context_length, dropout)", minutes=15,
    difficulty=3, is_class=True,
    gives="a module with W_query, W_key, W_value and a mask as buffer; forward(x) with x (B, T, d_in) gives (out, "
          "weights), causal, with dropout on the weights",
    solution=CausalAttention, arguments=("d_in", "d_out", "context_length", "dropout"), returns=("out", "weights"),
    call=run_causal_attention, essence=_causal_essence,
    inputs=("x", *PROJECTIONS, "context_length", "dropout", "training"), told=_told_causal,
    sizes={3: "", 7: "T", 11: "d_in", 13: "d_out", 17: "d_in", 19: "d_out"},
    probes=_CAUSAL_PROBES,
    small=((round_numbers(1, 2, 2), round_numbers(2, 2), 1 - round_numbers(2, 2), round_numbers(2, 2) + 1, 2, 0.0,
            False),),
    misconceptions=(
        Misconception(
            "always-on", "Weights are dropped in evaluation too: the module does not look at its mode.",
            "Make self.dropout = nn.Dropout(dropout) in __init__, or call F.dropout(weights, p, self.training). (A new "
            "nn.Dropout in forward is always in training.)",
            (_steps(layer=_AlwaysOn), _places(lambda q, k, v, drop, mask: _of_hidden_out(q, k, v, drop, mask),
                                              _AlwaysOn),
             _places(lambda q, k, v, drop, mask: (drop(_hidden_weights(q, k, mask)) @ v, _hidden_weights(q, k, mask)),
                     _AlwaysOn)), _CAUSAL_EVALUATED),
        Misconception(
            "training-turned-around", "Dropout happens in evaluation, and not in training: the wrong way round.",
            "self.training is True in training: F.dropout(weights, p, self.training), or simply nn.Dropout.",
            _steps(layer=_TurnedAround), _CAUSAL_EVALUATED),
        Misconception(
            "never-on", "Nothing was dropped in training.",
            "A dropout layer gives a new tensor: weights = self.dropout(weights), before weights @ v.",
            _steps(layer=_nothing), _OF_CAUSAL.counted),
        Misconception(
            "before-softmax", "Dropout came before the softmax: on the scores, q, k or x. A dropped score is not a "
            "hidden one, since exp(0) = 1.",
            "First the weights, with mask and softmax; then dropout on the weights.",
            (_pairs_causally(lambda q, k, mask, drop: _filled(drop(q @ k.mT * by_root(q, k)), mask).softmax(-1)),
             _pairs_causally(lambda q, k, mask, drop: drop(_filled(q @ k.mT * by_root(q, k), mask)).softmax(-1)),
             _pairs_causally(lambda q, k, mask, drop: drop((q @ k.mT * by_root(q, k)).masked_fill(~mask, -1e9)).softmax(
                 -1)),
             _pairs_causally(lambda q, k, mask, drop: _hidden_weights(drop(q), k, mask)),
             _pairs_causally(lambda q, k, mask, drop: _hidden_weights(q, drop(k), mask)),
             _causal_module(_dropped_input), _causal_module(_dropped_input_once)), _OF_CAUSAL.counted),
        Misconception(
            "on-out", "Dropout was applied to out; no weight was dropped.",
            "It is single positions that a query may not lean on: drop weights, then multiply by v.",
            _places(lambda q, k, v, drop, mask: _of_hidden_out(q, k, v, drop, mask)), _CAUSAL_WHERE),
        Misconception(
            "on-values", "Dropout was applied to the values; no weight was dropped.",
            "It is single positions that a query may not lean on: drop weights, then multiply by v.",
            _places(lambda q, k, v, drop, mask: (_hidden_weights(q, k, mask) @ drop(v), _hidden_weights(q, k, mask))),
            _CAUSAL_WHERE),
        Misconception(
            "weights-before-dropout", "out is made with dropped weights, but the weights returned are those before "
            "dropout.",
            "Return what multiplied v: weights = self.dropout(weights), one name for both.",
            _places(lambda q, k, v, drop, mask: (drop(_hidden_weights(q, k, mask)) @ v, _hidden_weights(q, k, mask))),
            _CAUSAL_WHERE),
        Misconception(
            "out-undropped", "The weights returned were dropped, but out was made before, with all of them.",
            "Dropout first, then weights @ v: the order of your lines.",
            _places(lambda q, k, v, drop, mask: (_hidden_weights(q, k, mask) @ v, drop(_hidden_weights(q, k, mask)))),
            _CAUSAL_WHERE),
        Misconception(
            "two-draws", "out and the weights returned come from two draws: other places are 0 in each.",
            "Call dropout once, give the result a name, and use it twice.",
            _places(lambda q, k, v, drop, mask: (drop(_hidden_weights(q, k, mask)) @ v,
                                                 drop(_hidden_weights(q, k, mask)))), _CAUSAL_WHERE),
        Misconception(
            "on-weights-and-out", "Dropout was applied twice: to the weights, and to out again.",
            "Only the weights are dropped here.",
            _places(lambda q, k, v, drop, mask: _dropped_again(drop(_hidden_weights(q, k, mask)), v, drop)),
            _CAUSAL_WHERE),
        Misconception(
            "dropped-twice", "The weights were dropped twice, with two draws: more became 0 than dropout says.",
            "One call of dropout.", _steps(drop=_twice), _OF_CAUSAL.counted),
        Misconception(
            "share-turned-around", "A share of 1 - dropout of the weights became 0, and a share of dropout stayed.",
            "nn.Dropout(p) takes the share that becomes 0: hand it dropout as it is.",
            (_steps(layer=lambda p: nn.Dropout(1 - p)), _by_hand(lambda w, p: w * ~_keeps(w, p) / (1 - p)),
             _by_hand(lambda w, p: w * ~_keeps(w, p) / p), _by_hand(lambda w, p: w * ~_keeps(w, p))),
            _OF_CAUSAL.counted),
        Misconception(
            "always-half", "Half of the weights became 0, whatever dropout is.",
            "nn.Dropout() without a number drops a half: nn.Dropout(dropout).",
            (_steps(layer=lambda p: nn.Dropout()),), _OF_CAUSAL.counted),
        Misconception(
            "always-a-tenth", "A tenth of the weights became 0, whatever dropout is.",
            "The probability comes from outside: nn.Dropout(dropout).",
            (_steps(layer=lambda p: nn.Dropout(0.1)),), _OF_CAUSAL.counted),
        Misconception(
            "not-scaled", "The right share of weights was dropped, but those kept were not divided by 1 - dropout.",
            "nn.Dropout does both, and nothing in evaluation.",
            _by_hand(lambda w, p: w * _keeps(w, p)), _OF_CAUSAL.averaged),
        Misconception(
            "renormalised", "The weights that were left after dropout were made to sum to 1 again.",
            "Mask and softmax first, dropout last: then a row may sum to more or less than 1, and to 1 on average.",
            (_by_hand(lambda w, p: _renormalised(w, p, None)),
             _by_hand(lambda w, p: F.normalize(w * _keeps(w, p), p=1, dim=-1)),
             _by_hand(lambda w, p: w * _keeps(w, p) / ((w * _keeps(w, p)).sum(-1, keepdim=True) + 1e-9))),
            _OF_CAUSAL.scaled),
        Misconception(
            "whole-positions", "Several weights fell together: there are fewer draws than weights.",
            "Every weight has its own draw. nn.Dropout does that; nn.Dropout1d and 2d drop whole rows or more.",
            (_by_hand(lambda w, p: w * (torch.rand(w.shape[-1:]) >= p) / (1 - p)),
             _by_hand(lambda w, p: w * (torch.rand(w.shape[-2:]) >= p) / (1 - p)),
             _by_hand(lambda w, p: w * (torch.rand(_rows(w)) >= p) / (1 - p)),
             _by_hand(lambda w, p: w * (torch.rand(len(w), 1, w.size(-1)) >= p) / (1 - p))), _OF_CAUSAL.tied),
        Misconception(
            "not-causal", "Nothing is hidden: every position reads the future.",
            "The scores above the diagonal get -inf, before the softmax. masked_fill gives a new tensor: keep it.",
            _steps(hide=lambda s, mask: s), _future),
        Misconception(
            "mask-only-in-training", "The future is hidden in training only: in evaluation every position reads it.",
            "Take the mask out of `if self.training`: only dropout depends on the mode.",
            _masked_when(lambda training: training), _future),
        Misconception(
            "mask-only-in-evaluation", "The future is hidden in evaluation only: in training every position reads it, "
            "and learns to copy it.",
            "The mask belongs to both modes: only dropout depends on the mode.",
            _masked_when(lambda training: not training), _future),
        Misconception(
            "mask-turned-around", "The mask was read the wrong way round: the future is read, and the past is hidden.",
            "Fill where reading is forbidden, above the diagonal: a tril mask is True where reading is allowed.",
            (_steps(hide=lambda s, m: s.masked_fill(m, -_INF)), _steps(hide=lambda s, m: s.masked_fill(m, -1e9)),
             _steps(hide=lambda s, m: s.masked_fill(m, torch.finfo(s.dtype).min)),
             _steps(hide=lambda s, m: s.masked_fill(~m.mT, -_INF)),
             _steps(hide=lambda s, m: s.masked_fill(~m.mT, -1e9))),
            _future),
        Misconception(
            "diagonal-hidden", "The diagonal is hidden too: no position reads itself, and position 0 has nothing to "
            "read.",
            "Position i may read 0 to i: hide what triu(diagonal=1) keeps.",
            (_steps(hide=lambda s, m: s.masked_fill(~m.tril(-1), -_INF)),
             _steps(hide=lambda s, m: s.masked_fill(~m.tril(-1), -1e9)),
             _steps(hide=lambda s, m: s.masked_fill(~m.tril(-1), torch.finfo(s.dtype).min))), _future),
        Misconception(
            "one-step-ahead", "Each position also reads the next one: the word that it should predict.",
            "The border belongs at the diagonal: hide what triu(diagonal=1) keeps.",
            _steps(hide=lambda s, m: _filled(s, m | m.mT.triu() & ~m.mT.triu(2))), _future),
        Misconception(
            "zero-filled", "Hidden scores were set to 0, and exp(0) = 1: a score of 0 is an ordinary score.",
            "-inf is the score that becomes a weight of 0.",
            (_steps(hide=lambda s, m: s * m), _steps(hide=lambda s, m: s.masked_fill(~m, 1e-9))), _future),
        Misconception(
            "weak-fill", "The fill is not low enough: the future keeps a weight.",
            "-inf is low enough beside every score.",
            tuple(_steps(hide=lambda s, m, low=low: s.masked_fill(~m, low)) for low in (-1.0, -2.0, -5.0, -10.0)),
            _future),
        Misconception(
            "mask-added", "The mask was added to the scores as numbers, and nothing is hidden.",
            "Fill with -inf where the mask forbids.",
            (_steps(hide=lambda s, m: s + m), _steps(hide=lambda s, m: s + ~m)), _future),
        Misconception(
            "zero-times-infinity", "The numbers are NaN: 0 * -inf is NaN, not 0.",
            "Put -inf where the mask forbids, with masked_fill or torch.where.",
            (_steps(hide=lambda s, m: s + (~m).to(s.dtype) * -_INF),), evidence.not_a_number),
        Misconception(
            "masked-after-softmax", "The mask came after the softmax, and nothing was divided: rows do not sum to 1.",
            "Fill the scores first; then the softmax shares everything out among the visible positions.",
            _pairs_causally(lambda q, k, mask, drop: drop((q @ k.mT * by_root(q, k)).softmax(-1) * mask)),
            evidence.row_sum),
        Misconception(
            "mask-cut-elsewhere", "For an x shorter than context_length, the wrong part of the mask was used: it no "
            "longer has its diagonal from corner to corner.",
            "Both axes from the front: mask[:T, :T].",
            (_steps(cut=lambda mask, n: mask[-n:, :n]), _steps(cut=lambda mask, n: mask[:n, -n:]),
             _steps(cut=lambda mask, n: mask[:n, -n:], hide=lambda s, m: s.masked_fill(~m, -1e9)),
             _steps(cut=lambda mask, n: mask[:n, -n:], hide=lambda s, m: s.masked_fill(
                 ~m, torch.finfo(s.dtype).min))), _future),
        Misconception(
            "no-scale", "The scores were not divided by sqrt(d_out).",
            "q and k have d_out features: divide the scores by math.sqrt(q.size(-1)).",
            _steps(lambda q, k, x: q @ k.mT), evidence.sharpness),
        Misconception(
            "scaled-by-input", "The scores were divided by sqrt(d_in); the dot products run over d_out features.",
            "Take the size from q itself: q.size(-1).",
            _steps(lambda q, k, x: q @ k.mT / math.sqrt(x.size(-1))), evidence.sharpness),
        Misconception(
            "scaled-by-d", "The scores were divided by d_out instead of its square root.",
            "It is the standard deviation that grows like sqrt(D).",
            _steps(lambda q, k, x: q @ k.mT / q.size(-1)), evidence.sharpness),
        Misconception(
            "scaled-by-positions", "The scores were divided by the square root of the number of positions.",
            "The last axis is the one that a dot product sums over: q.size(-1).",
            _steps(lambda q, k, x: q @ k.mT / math.sqrt(x.size(1))), evidence.sharpness),
        Misconception(
            "over-queries", "The softmax runs over the queries: columns sum to 1, rows do not.",
            "In (B, T, T) the keys are the last axis: dim=-1.",
            _steps(dim=-2), evidence.row_sum),
        Misconception(
            "over-batch", "The softmax runs over the batch: the items of a batch compete with each other.",
            "In (B, T, T) the keys are the last axis: dim=-1.",
            (_steps(dim=0), _steps(dim=0, hide=lambda s, m: s.masked_fill(~m, -1e9))), evidence.row_sum),
        Misconception(
            "no-softmax", "The values were weighed by the scores themselves: the softmax is missing.",
            "Weights are positive; in evaluation each row sums to 1.",
            (_pairs_causally(lambda q, k, mask, drop: drop(_filled(q @ k.mT * by_root(q, k), mask))),
             _pairs_causally(lambda q, k, mask, drop: drop(q @ k.mT * by_root(q, k) * mask))), evidence.row_sum),
        Misconception(
            "keys-ask", "W_query and W_key have changed places: position j asks position i.",
            "Row i must hold position i's query against all keys: q @ k.transpose(-2, -1).",
            _steps(lambda q, k, x: _scores(k, q, x)), evidence.entry),
        Misconception(
            "query-layer-twice", "W_query made the keys as well; W_key was never used.",
            "k = self.W_key(x).", _from("W_key", "W_query"), evidence.sharpness),
        Misconception(
            "key-layer-twice", "W_key made the queries as well; W_query was never used.",
            "q = self.W_query(x).", _from("W_query", "W_key"), evidence.sharpness),
        Misconception(
            "keys-as-values", "The weights average the keys; W_value was never used.",
            "Keys decide how much is read; values are what is read.",
            _from("W_value", "W_key"), evidence.out_alone),
        Misconception(
            "queries-as-values", "The weights average the queries; W_value was never used.",
            "Values are what is read: v = self.W_value(x).", _from("W_value", "W_query"), evidence.out_alone),
        Misconception(
            "input-as-values", "The weights average x itself; W_value was never used.",
            "Values are a projection too: v = self.W_value(x).",
            _steps(mix=lambda self, x: x), evidence.shape),
        Misconception(
            "weights-transposed", "out was made with the weights transposed: columns, not rows, weigh the values.",
            "Row i of the weights says how position i mixes the values: weights @ v.",
            _places(lambda q, k, v, drop, mask: _transposed_mix(drop(_hidden_weights(q, k, mask)), v)),
            evidence.out_alone),
        Misconception(
            "only-out", "Only out was returned; the weights belong to the answer.",
            "End forward with `return out, weights`.",
            _places(lambda q, k, v, drop, mask: drop(_hidden_weights(q, k, mask)) @ v), evidence.shape),
        Misconception(
            "swapped-pair", "The pair is the wrong way round: out comes first, then the weights.",
            "In this course everything returns (out, weights).",
            _places(lambda q, k, v, drop, mask: _pair_of(drop(_hidden_weights(q, k, mask)), v)[::-1]),
            evidence.shape),
    ),
    hints=(
        "It is your SelfAttention from exercise 2.5 with two more lines in __init__: "
        "self.register_buffer(\"mask\", ...), a triangle of context_length positions, and "
        "self.dropout = nn.Dropout(dropout).",
        "In forward: T = x.size(1), and the mask is self.mask[:T, :T]. Fill the scores with -inf where it forbids, "
        "take the softmax, then weights = self.dropout(weights), and only then out.",
        "weights = self.dropout(mask_by_filling(scores, self.mask[:T, :T])); return weights @ v, weights",
    ),
    laws=(*_pair_laws(_look_causal, _causal_values), _FUTURE, *_OF_CAUSAL.laws(_drawn(_look_causal))),
    experiments=_TRIED,
    after="This is the attention of GPT, one head of it: it learns, cannot see ahead, and leans on no single word.",
)

EXERCISES = (DROPOUT, WITH_DROPOUT, CAUSAL_ATTENTION)
