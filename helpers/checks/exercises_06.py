"""Exercises 6.1 to 6.5: the parts of a transformer block: layer norm, distances, pruned heads, a cache."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from helpers.attention import dot_product_attention
from helpers.checks import evidence, laws, solutions
from helpers.checks.catalogue import Exercise, Experiment, Law, Misconception, Probe
from helpers.checks.inputs import B, D, H, S, T, normal

_INF = float("inf")


def _known(frame, table):
    """Misconceptions from rows of (id, means, think, steps, evidence); `frame` makes an answer of the steps."""
    return tuple(Misconception(id, means, think, tuple(frame(**steps) for steps in all_steps), tell)
                 for id, means, think, all_steps, tell in table)


def _some(row):
    """The first numbers of a row."""
    words = ", ".join(evidence.number(v) for v in row[:5])
    return f"[{words}, ...]" if len(row) > 5 else f"[{words}]"


def _moved(before, after):
    return float((before - after).abs().max())


def _first_that_moves(before, change, places):
    """Change one place after the other: (the place, another that moved, by how much), or None.

    `before` is an array of results by place, the last axis apart; `change(place)` is the same after the change.
    """
    for at in places:
        moved = (before - change(at)).abs().amax(-1)
        moved[at] = 0
        if moved.max() > 1e-5:
            other = tuple(int(n) for n in torch.unravel_index(moved.argmax(), moved.shape))
            return at, other, float(moved.max())
    return None


# ---------------------------------------------------------------- 6.1 and 6.2: a norm whose steps can be replaced

def _centred(x):
    return x - x.mean(-1, keepdim=True)


def _variance(x):
    return x.var(-1, unbiased=False, keepdim=True)


def _unbiased(x):
    return x.var(-1, keepdim=True)


def _mean_square(x):
    return (x**2).mean(-1, keepdim=True)


def _divided(centred, variance, eps):
    return centred / (variance + eps).sqrt()


def _stretched(z, weight, bias):
    return z * weight + bias


def _norm(before=lambda x, weight, bias: x, centre=_centred, spread=_variance, divide=_divided, finish=_stretched):
    """Layer norm step by step: right with these steps, wrong in one way with another."""

    def norm(x, weight, bias, eps):
        z = before(x, weight, bias)
        return finish(divide(centre(z), spread(z), eps), weight, bias)

    return norm


def _norm_of_sum(**steps):
    """The steps as an answer to 6.2."""
    norm = _norm(**steps)
    return lambda sublayer_out, x, *rest: norm(sublayer_out + x, *rest)


def _over(dim):
    """Mean and variance over another axis, or over several."""
    return {"centre": lambda x: x - x.mean(dim, keepdim=True),
            "spread": lambda x: x.var(dim, unbiased=False, keepdim=True)}


def _over_items():
    """Over everything but the first axis."""
    def dims(x):
        return tuple(range(1, x.dim())) or -1
    return {"centre": lambda x: x - x.mean(dims(x), keepdim=True),
            "spread": lambda x: x.var(dims(x), unbiased=False, keepdim=True)}


def _over_all_but_the_last():
    """Each feature by itself, as batch norm does it."""
    def dims(x):
        return tuple(range(x.dim() - 1))
    return {"centre": lambda x: x - x.mean(dims(x), keepdim=True),
            "spread": lambda x: x.var(dims(x), unbiased=False, keepdim=True)}


def _vector(case):
    """The vector with the number that is furthest off."""
    at = evidence.worst(case.out, case.expected_out)[:-1]
    where = f"vector {evidence.place(at)}" if at else "vector"
    return f"your {where} is {_some(case.out[at])}, and {_some(case.expected_out[at])} is right"


def _plain(x, case):
    """A result with weight and bias taken away again."""
    weight, bias = case.args[-3:-1]
    return (x.double() - bias) / weight


def _statistics(case):
    """Mean and variance of a vector, before weight and bias."""
    got, right = _plain(case.out, case), _plain(case.expected_out, case)
    at = evidence.worst(got, right)[:-1]
    got, right = ([evidence.number(f(x[at])) for f in (torch.mean, lambda z: z.var(unbiased=False))]
                  for x in (got, right))
    if got == right:
        return _vector(case)
    where = f"vector {evidence.place(at)}" if at else "vector"
    return (f"before weight and bias your {where} has mean {_unsigned(got[0])} and variance {got[1]}; "
            f"mean {_unsigned(right[0])} and variance {right[1]} are right")


def _unsigned(word):
    """A mean that is 0 but for rounding, as 0.0000."""
    return "0.0000" if abs(float(word)) < 5e-5 else word


def _has_a_mean(case):
    means = _plain(case.out, case).mean(-1)
    if torch.allclose(means, torch.zeros_like(means), atol=1e-3):
        return None
    at = evidence.worst(means, torch.zeros_like(means))
    where = f"vector {evidence.place(at)}" if at else "it"
    return (f"Take weight and bias away again, (result - bias) / weight: each vector must then have mean 0. Tried on "
            f"yours, {where} has mean {evidence.number(means[at])}.")


def _has_another_variance(case):
    got, right = (_plain(x, case).var(-1, unbiased=False) for x in (case.out, case.expected_out))
    if torch.allclose(got, right, rtol=1e-3, atol=1e-4):
        return None
    at = evidence.worst(got, right)
    where = f" at {evidence.place(at)}" if at else ""
    return (f"Take weight and bias away again, (result - bias) / weight: each vector must then have the variance "
            f"variance / (variance + eps), which is nearly 1 when eps is small. Yours{where} has "
            f"{evidence.number(got[at])}, and {evidence.number(right[at])} is right.")


_NORM_LAWS = (
    laws.FINITE,
    Law("mean-not-0", _has_a_mean,
        "Subtract the mean of the vector, over the last axis, before anything else. Or were weight and bias used in "
        "another way than z * weight + bias?"),
    Law("variance-not-1", _has_another_variance,
        "Print the variance of one vector, and what you divide by: is it the root of (variance + eps), and the "
        "variance the mean of the squared distances from the mean?"),
)


def _vectors_apart(ask):
    """Change one vector and look whether another notices."""

    def test(attempt):
        x, weight, bias = normal(B, T, 11, seed=171), *_stretch(11, 172)

        def change(at):
            other = x.clone()
            other[at] += normal(11, seed=173)
            return ask(attempt, other, weight, bias)

        found = _first_that_moves(ask(attempt, x, weight, bias), change, ((1, 2), (0, 0), (1, 4)))
        if found is None:
            return None
        at, other, moved = found
        return (f"Each vector is normalised by itself: when the one at {evidence.place(at)} changed, the result at "
                f"{evidence.place(other)} moved by {moved:.4f}.")

    return Experiment("vectors-mixed", test, "Which line uses more than one vector at a time, or another one than its "
                                             "own? dim=-1 stays within one.")


def _norm_once(attempt, x, weight, bias):
    return attempt(x.clone(), weight.clone(), bias.clone(), 1e-5)


def _sum_once(attempt, x, weight, bias):
    """The same for 6.2: x, and its features in reverse order."""
    return attempt(x.clone(), x.flip(-1), weight.clone(), bias.clone(), 1e-5)


def _stretch(size, seed, dtype=torch.float32):
    """A weight and a bias; no weight is near 0, so that it can be divided away."""
    weight, bias = normal(size, seed=seed, dtype=dtype), normal(size, seed=seed + 1, dtype=dtype)
    return weight.sign() * (0.4 + weight.abs()), bias


_NORMS = (
    ("unbiased", "The variance was divided by C - 1: that is what var and std do unless they are told otherwise.",
     "Layer norm divides by C: unbiased=False (or correction=0).",
     ({"spread": _unbiased},), _statistics),
    ("eps-outside", "eps was added after the root; it belongs to the variance, before the root is taken.",
     "Divide by (variance + eps).sqrt().",
     ({"divide": lambda c, v, eps: c / (v.sqrt() + eps)}, {"divide": lambda c, v, eps: c / (v.sqrt() + eps**0.5)}),
     _statistics),
    ("unbiased-and-eps-outside", "Two things: std divides by C - 1 unless it is told otherwise, and eps was added "
     "after the root.",
     "First the variance, with unbiased=False; add eps to it; then take the root.",
     ({"spread": _unbiased, "divide": lambda c, v, eps: c / (v.sqrt() + eps)},), _statistics),
    ("eps-forgotten", "eps was never used: a vector of equal numbers is divided by 0, and small ones are stretched too "
     "far.",
     "Add eps to the variance, before the root.",
     ({"divide": lambda c, v, eps: c / v.sqrt()},), _statistics),
    ("unbiased-and-eps-forgotten", "Two things: eps was never used, and std (or var) divides by C - 1 unless it is "
     "told otherwise.",
     "The variance with unbiased=False; add eps to it; then take the root.",
     ({"spread": _unbiased, "divide": lambda c, v, eps: c / v.sqrt()},), _statistics),
    ("fixed-eps", "eps has a fixed value here, whatever eps is given. (1e-5 is what F.layer_norm takes if it is told "
     "nothing.)",
     "Use the argument eps.",
     tuple({"divide": lambda c, v, eps, fixed=fixed: c / (v + fixed).sqrt()} for fixed in
           (1e-5, 1e-6, 1e-8, 1e-12, 1e-7, 1e-4, 1e-3)), _statistics),
    ("eps-squared", "eps was squared, or rooted, before it was added to the variance.",
     "variance + eps, then the root: eps itself.",
     ({"divide": lambda c, v, eps: c / (v + eps**2).sqrt()}, {"divide": lambda c, v, eps: c / (v + eps**0.5).sqrt()}),
     _statistics),
    ("eps-as-floor", "eps was taken as the least that may be divided by; it is to be added, to every variance.",
     "(variance + eps).sqrt(), without max or clamp.",
     ({"divide": lambda c, v, eps: c / v.clamp(min=eps).sqrt()},
      {"divide": lambda c, v, eps: c / v.sqrt().clamp(min=eps)}), _statistics),
    ("eps-elsewhere", "eps was added above the line of the fraction, or to the quotient, not to the variance.",
     "It keeps the divisor away from 0: (variance + eps).sqrt().",
     ({"divide": lambda c, v, eps: (c + eps) / v.sqrt()}, {"divide": lambda c, v, eps: c / v.sqrt() + eps}),
     evidence.not_a_number),
    ("eps-subtracted", "eps was subtracted from the variance; it is to be added.",
     "variance + eps is never 0.", ({"divide": lambda c, v, eps: c / (v - eps).sqrt()},), evidence.not_a_number),
    ("not-rooted", "The vector was divided by the variance; its root is missing.",
     "Divide by (variance + eps).sqrt(): the root has the size of the numbers themselves.",
     ({"divide": lambda c, v, eps: c / (v + eps)},
      {"spread": _unbiased, "divide": lambda c, v, eps: c / (v + eps)},
      {"divide": lambda c, v, eps: c / v}), _statistics),
    ("rooted-twice", "The root was taken twice: std is a root already.",
     "From std: std**2 is the variance. Or begin with var.",
     ({"divide": lambda c, v, eps: c / (v.sqrt() + eps).sqrt()},
      {"spread": _unbiased, "divide": lambda c, v, eps: c / (v.sqrt() + eps).sqrt()}), _statistics),
    ("multiplied", "The vector was multiplied by the root, where it is to be divided. (Dividing by rsqrt does the "
     "same: rsqrt is 1 / root.)",
     "x / y.sqrt(), or x * y.rsqrt().",
     ({"divide": lambda c, v, eps: c * (v + eps).sqrt()},), _statistics),
    ("not-divided", "The mean was subtracted, and nothing was divided: each vector keeps its own size.",
     "Divide by (variance + eps).sqrt().", ({"divide": lambda c, v, eps: c},), _statistics),
    ("not-centred", "The mean was not subtracted, only the size was changed.",
     "(x - mean) / ...: first bring each vector to mean 0.",
     ({"centre": lambda x: x},), _statistics),
    ("rms-norm", "This is RMS norm: x was divided by the root of its mean square, and no mean was subtracted.",
     "Layer norm subtracts the mean first, from x and within the variance.",
     ({"centre": lambda x: x, "spread": _mean_square},), _statistics),
    ("mean-square", "The mean was subtracted above the line, but what you divide by is made from x**2: the mean "
     "square, not the variance.",
     "The variance is the mean of (x - mean)**2.", ({"spread": _mean_square},), _statistics),
    ("summed", "The squares were summed and not divided by C: each vector is brought to length 1.",
     "The variance is a mean: .mean(dim=-1, keepdim=True).",
     ({"spread": lambda x: _variance(x) * x.size(-1)},
      {"centre": lambda x: x, "spread": lambda x: _mean_square(x) * x.size(-1)}), _statistics),
    ("absolute-distance", "What you divide by is made from the mean absolute distance from the mean, not from the "
     "variance.",
     "The variance is the mean of the squares, (x - mean)**2.",
     ({"spread": lambda x: _centred(x).abs().mean(-1, keepdim=True)},
      {"divide": lambda c, v, eps: c / (c.abs().mean(-1, keepdim=True) + eps)}), _statistics),
    ("sign", "The subtraction is the wrong way round: mean - x.", "x - mean.",
     ({"centre": lambda x: -_centred(x)},), _vector),
    ("brackets", "Only the mean was divided: without brackets x - mean / root is x - (mean / root).",
     "(x - mean) / root.",
     ({"centre": lambda x: x, "divide": lambda x, v, eps: x - x.mean(-1, keepdim=True) / (v + eps).sqrt()},),
     _statistics),
    ("over-positions", "The mean and the variance run over another axis than the last: across vectors, not within "
    "each.",
     "Each vector is normalised by itself, over its C features: dim=-1.",
     (_over(-2), _over(1)), _statistics),
    ("over-batch", "The mean and the variance run over axis 0, not over the features: that is nearer to batch norm.",
     "Each vector is normalised by itself, over its C features: dim=-1.", (_over(0),), _statistics),
    ("over-each-item", "The mean and the variance run over a whole item, all its vectors together.",
     "Each vector is normalised by itself, over its C features alone: dim=-1.", (_over_items(), _over((-2, -1))),
     _statistics),
    ("batch-norm", "The mean and the variance run over items and positions, each feature by itself: that is batch "
     "norm.",
     "In layer norm each vector is normalised by itself, over its C features: dim=-1.",
     (_over_all_but_the_last(), _over((0, 1))), _statistics),
    ("over-everything", "A mean or a variance was taken over all numbers at once: no dim was given.",
     "Each vector has its own mean and variance: mean(dim=-1, keepdim=True), and the same for var.",
     ({"centre": lambda x: x - x.mean(), "spread": lambda x: x.var(unbiased=False)},
      {"centre": lambda x: x - x.mean()}, {"spread": lambda x: x.var(unbiased=False)},
      {"centre": lambda x: x - x.mean(), "spread": lambda x: x.var()}), _statistics),
    ("no-keepdim", "The mean or the variance has lost the last axis, and does not line up with x: (B, T) beside "
     "(B, T, C).",
     "keepdim=True leaves an axis of size 1: (B, T, 1).",
     ({"centre": lambda x: x - x.mean(-1)}, {"spread": lambda x: x.var(-1, unbiased=False)}), None),
    ("weight-forgotten", "weight was never used.", "After the division: z * weight + bias.",
     ({"finish": lambda z, w, b: z + b},), _vector),
    ("bias-forgotten", "bias was never added.", "After the division: z * weight + bias.",
     ({"finish": lambda z, w, b: z * w},), _vector),
    ("weight-and-bias-forgotten", "weight and bias were never used. (A new nn.LayerNorm, and F.layer_norm without "
     "them, take 1 and 0.)",
     "After the division: z * weight + bias.",
     ({"finish": lambda z, w, b: z},
      {"divide": lambda c, v, eps: c / (v + 1e-5).sqrt(), "finish": lambda z, w, b: z}), _vector),
    ("weight-and-bias-exchanged", "weight and bias have changed places: weight was added, bias multiplied.",
     "z * weight + bias.", ({"finish": lambda z, w, b: z * b + w},), _vector),
    ("weight-added", "weight was added, where it is to multiply.", "z * weight + bias.",
     ({"finish": lambda z, w, b: z + w + b},), _vector),
    ("bias-multiplied", "bias was multiplied with the rest, where it is to be added.", "z * weight + bias.",
     ({"finish": lambda z, w, b: z * w * b},), _vector),
    ("divided-by-weight", "The vector was divided by weight; it is to be multiplied.", "z * weight + bias.",
     ({"finish": lambda z, w, b: z / w + b},), _vector),
    ("bias-subtracted", "bias was subtracted; it is to be added.", "z * weight + bias.",
     ({"finish": lambda z, w, b: z * w - b},), _vector),
    ("bias-inside", "bias was added before weight multiplied, so that weight stretches bias as well.",
     "First times weight, then plus bias.", ({"finish": lambda z, w, b: (z + b) * w},), _vector),
    ("one-plus-weight", "The vector was multiplied by 1 + weight. Some models store weight - 1; here weight is what "
     "multiplies.",
     "z * weight + bias.", ({"finish": lambda z, w, b: z * (1 + w) + b},), _vector),
    ("weight-first", "weight (with or without bias) was used before the norm, not after it: the norm then undoes much "
     "of what it did.",
     "First subtract and divide, then times weight plus bias.",
     ({"before": lambda x, w, b: x * w + b, "finish": lambda z, w, b: z},
      {"before": lambda x, w, b: x * w, "finish": lambda z, w, b: z + b},
      {"before": lambda x, w, b: x * w, "finish": lambda z, w, b: z}), _vector),
    ("bias-first", "bias was added before the norm, not after it.", "First subtract and divide, then times weight plus "
     "bias.",
     ({"before": lambda x, w, b: x + b, "finish": lambda z, w, b: z * w},), _vector),
    ("not-normalised", "Nothing was normalised: weight and bias were used on the vectors as they came.",
     "First subtract the mean and divide by the root, then times weight plus bias.",
     ({"centre": lambda x: x, "divide": lambda c, v, eps: c},), _statistics),
    ("softmax", "A softmax was taken where the mean and the variance belong.",
     "(x - mean) / (variance + eps).sqrt().",
     ({"centre": lambda x: x.softmax(-1), "divide": lambda c, v, eps: c},), _statistics),
    ("between-0-and-1", "Each vector was brought between its least and its largest number.",
     "Subtract the mean, and divide by (variance + eps).sqrt().",
     ({"centre": lambda x: x - x.amin(-1, keepdim=True), "spread": lambda x: x.amax(-1, keepdim=True) - x.amin(
         -1, keepdim=True), "divide": lambda c, r, eps: c / (r + eps)},), _statistics),
)


def _copied(x, weight, bias, eps):
    """A new layer, with the weight and bias given copied into its own."""
    layer = nn.LayerNorm(x.size(-1), eps=eps)
    with torch.no_grad():
        layer.weight.copy_(weight)
        layer.bias.copy_(bias)
    return layer(x)


def _by_a_new_layer(summed):
    """nn.LayerNorm, whose weights are float32, in place of the steps; `summed` makes an answer of it."""
    return Misconception(
        "new-layer", "x is float64 here, and the weights in your norm are float32. (A new nn.LayerNorm has weights of "
        "its own, in float32.)",
        "You need no module: write the mean, the variance and the division.",
        tuple(summed(code) for code in (
            lambda x, w, b, eps: nn.LayerNorm(x.size(-1), eps=eps)(x) * w + b,
            lambda x, w, b, eps: nn.LayerNorm(x.size(-1), eps=eps)(x),
            lambda x, w, b, eps: nn.LayerNorm(x.size(-1))(x) * w + b,
            lambda x, w, b, eps: nn.LayerNorm(x.size(-1))(x), _copied)))


_NORM_SIZES = {2: "B", 3: "", 5: "T", 7: "C", 11: "C", 13: "C", 17: "", 22: "2C"}
_NORM_SHAPES = (  # name, shape, eps, times, plus
    ("a batch (B, T, C)", (B, T, 11), 1e-5, 1.0, 0.0),
    ("a large eps", (B, T, 11), 0.1, 1.0, 0.0),
    ("one vector (C,)", (S,), 0.1, 1.0, 0.0),
    ("a table (T, C)", (T, 13), 1e-3, 1.0, 0.0),
    ("four axes", (B, 3, T, S), 1e-5, 2.0, 1.0),
    ("numbers around 10", (B, T, 11), 1e-5, 1.0, 10.0),
    ("tiny differences, variance and eps alike", (B, T, 11), 1e-5, 4e-3, 0.0),
    ("one item, one position", (1, 1, 11), 0.1, 1.0, 0.5),
    ("vectors of two numbers", (T, 2), 0.5, 1.0, 0.0),
)


def _to_norm(shape, eps, times, plus, seed, dtype=torch.float32):
    """Arguments for 6.1."""
    return (normal(*shape, seed=seed, dtype=dtype) * times + plus, *_stretch(shape[-1], seed + 1, dtype), eps)


def _split_in_two(args, seed, share=0.5):
    """Arguments for 6.2 from those for 6.1: two vectors instead of one."""
    x, *rest = args
    part = share * x + 0.5 * x.std() * normal(*x.shape, seed=seed, dtype=x.dtype)
    return (part, x, *rest)


_NORM_PROBES = (
    *((name, _to_norm(*how, seed=110 + 3 * i)) for i, (name, *how) in enumerate(_NORM_SHAPES)),
    ("float64, numbers around 1000, a tiny eps", _to_norm((B, T, 11), 1e-12, 1.0, 1000.0, 150, torch.float64)),
    ("float64, tiny differences", _to_norm((B, T, S), 1e-6, 1e-3, 0.0, 153, torch.float64)),
)
_EQUAL = (torch.tensor([[2.5] * 8, [-1.0] * 8]), *_stretch(8, 160), 1e-5)
_BY_HAND = (torch.tensor([1.0, 2.0]), torch.tensor([0.0, 1.0]), 3.0)  # weight, bias, eps


# ---------------------------------------------------------------- 6.1

LAYER_NORM = Exercise(
    id="6.1", name="layer_norm", signature="layer_norm(x, weight, bias, eps)", minutes=8, difficulty=2,
    gives="x (..., C) with each vector brought to mean 0 and variance 1, (x - mean) / sqrt(variance + eps), then times "
          "weight plus bias; the variance divides by C",
    solution=solutions.layer_norm, arguments=("x", "weight", "bias", "eps"), returns=("out",), sizes=_NORM_SIZES,
    probes=(*(Probe(name, args) for name, args in _NORM_PROBES), Probe("vectors of equal numbers", _EQUAL)),
    small=((torch.tensor([1.0, 3.0]), *_BY_HAND), (torch.tensor([[1.0, 3.0], [-4.0, 0.0]]), *_BY_HAND),
           (torch.tensor([[0.0, 3.0, 6.0], [1.0, 1.0, 1.0]]), torch.tensor([1.0, 2.0, -1.0]),
            torch.tensor([0.0, 1.0, 0.5]), 0.25)),
    misconceptions=(
        *_known(_norm, _NORMS),
        _by_a_new_layer(lambda norm: norm),
        Misconception(
            "no-norm-of-this-shape", "F.layer_norm was told of other axes than the last one: its second argument is "
            "the shape of what is normalised together, and weight must have this shape.",
            "One vector is normalised at a time: x.shape[-1:].",
            (lambda x, w, b, eps: F.layer_norm(x, x.shape[1:], w, b, eps),
             lambda x, w, b, eps: F.layer_norm(x, x.shape, w, b, eps))),
    ),
    hints=(
        "Four lines: the mean of each vector, x.mean(dim=-1, keepdim=True); its variance, with unbiased=False; the "
        "difference divided by a root; then weight and bias.",
        "(x - mean) / (variance + eps).sqrt() * weight + bias",
    ),
    laws=_NORM_LAWS,
    experiments=(_vectors_apart(_norm_once),),
    after="Whatever size a vector had, it now has the size that weight and bias give it.",
)


# ---------------------------------------------------------------- 6.2

def _adding(combine):
    """Something else done with the two, by the right norm: combine(norm, sublayer_out, x)."""

    def answer(sublayer_out, x, weight, bias, eps):
        return combine(lambda z: solutions.layer_norm(z, weight, bias, eps), sublayer_out, x)

    return {"answer": answer}


_SUMS = (
    ("no-residual", "x was forgotten: only what the sublayer gave was normalised.",
     "The residual is x itself: add it before the norm.", (_adding(lambda n, s, x: n(s)),), _vector),
    ("no-sublayer", "sublayer_out was forgotten: only x was normalised.",
     "Add the two, then normalise the sum.", (_adding(lambda n, s, x: n(x)),), _vector),
    ("x-with-itself", "x was added to itself, and sublayer_out was never used.",
     "sublayer_out + x.", (_adding(lambda n, s, x: n(x + x)),), _vector),
    ("sublayer-with-itself", "sublayer_out was added to itself, and x was never used.",
     "sublayer_out + x.", (_adding(lambda n, s, x: n(s + s)),), _vector),
    ("x-twice", "x is in the sum twice.", "sublayer_out + x, once each.", (_adding(lambda n, s, x: n(s + 2 * x)),),
     _vector),
    ("sublayer-twice", "sublayer_out is in the sum twice.", "sublayer_out + x, once each.",
     (_adding(lambda n, s, x: n(2 * s + x)),), _vector),
    ("norm-before-adding", "sublayer_out was normalised, and x added afterwards: what comes out is not normalised.",
     "First the sum, then the norm: the name says it in this order, add and norm.",
     (_adding(lambda n, s, x: n(s) + x),), _vector),
    ("x-normed-then-added", "x was normalised, and sublayer_out added afterwards: what comes out is not normalised.",
     "First the sum, then the norm: the name says it in this order, add and norm.",
     (_adding(lambda n, s, x: n(x) + s),), _vector),
    ("normed-residual", "x was normalised before it was added, and the sum once more.",
     "The residual is x as it came: one norm, of the sum.", (_adding(lambda n, s, x: n(s + n(x))),), _vector),
    ("normed-sublayer", "sublayer_out was normalised before it was added, and the sum once more.",
     "One norm, of the sum.", (_adding(lambda n, s, x: n(n(s) + x)),), _vector),
    ("each-normed", "Both were normalised, each by itself, before they were added.",
     "One norm, of the sum.",
     (_adding(lambda n, s, x: n(s) + n(x)), _adding(lambda n, s, x: n(n(s) + n(x)))), _vector),
    ("added-again", "The norm is right, but x or sublayer_out was added to it once more.",
     "What comes out of the norm is the result.",
     (_adding(lambda n, s, x: n(s + x) + x), _adding(lambda n, s, x: n(s + x) + s)), _vector),
    ("normed-twice", "The sum was normalised twice: the second norm works on what weight and bias have made.",
     "One norm is enough.", (_adding(lambda n, s, x: n(n(s + x))),), _vector),
    ("difference", "One was subtracted from the other.", "Add them: sublayer_out + x.",
     (_adding(lambda n, s, x: n(s - x)), _adding(lambda n, s, x: n(x - s))), _vector),
    ("averaged", "The mean of the two was normalised. It points where the sum does, but it is half as long, and eps "
     "counts for more beside it.",
     "Add them, and divide by nothing: sublayer_out + x.",
     (_adding(lambda n, s, x: n((s + x) / 2)),), _statistics),
    ("multiplied-together", "The two were multiplied.", "Add them: sublayer_out + x.",
     (_adding(lambda n, s, x: n(s * x)),), _vector),
    ("only-added", "The two were added, and the sum came back without a norm.",
     "layer_norm(sublayer_out + x, weight, bias, eps).", (_adding(lambda n, s, x: s + x),), _vector),
    ("larger-of-both", "The larger of the two was taken, number by number.", "Add them: sublayer_out + x.",
     (_adding(lambda n, s, x: n(torch.maximum(s, x))),), _vector),
    ("joined", "The two were put side by side, not added: vectors of 2C features do not fit weight.",
     "Adding goes number by number: sublayer_out + x.",
     (_adding(lambda n, s, x: n(torch.cat([s, x], -1))),
      {"answer": lambda s, x, w, b, eps: F.layer_norm(torch.cat([s, x], -1), x.shape[-1:], w, b, eps)},
      _adding(lambda n, s, x: torch.cat([n(s), n(x)], -1))), None),
    ("returns-none", "Nothing came back, on any input.",
     "Does every path end with `return`? If you call your layer_norm: is exercise 6.1 solved, and its cell run?",
     (_adding(lambda n, s, x: None),), None),
    ("none-added", "One of the two that you add is None.",
     "Neither sublayer_out nor x is ever None. If you call your layer_norm: is exercise 6.1 solved, and its cell run?",
     (_adding(lambda n, s, x: s + None), _adding(lambda n, s, x: None + s)), None),
)


def _both_count(attempt):
    """Change one of the two and look whether the result notices."""
    s, x, (weight, bias) = normal(B, T, 11, seed=181), normal(B, T, 11, seed=182), _stretch(11, 183)

    def ask(s, x):
        return attempt(s.clone(), x.clone(), weight.clone(), bias.clone(), 1e-5)

    before, plus = ask(s, x), normal(B, T, 11, seed=184)
    for name, after in (("x", ask(s, x + plus)), ("sublayer_out", ask(s + plus, x))):
        if _moved(before, after) < 1e-5:
            return f"When {name} changed, your result stayed as it was: {name} has no part in it."
    return None


def _both_count_alike(attempt):
    """Exchange the two."""
    s, x, (weight, bias) = normal(B, T, 11, seed=181), normal(B, T, 11, seed=182), _stretch(11, 183)
    moved = _moved(attempt(s.clone(), x.clone(), weight.clone(), bias.clone(), 1e-5),
                   attempt(x.clone(), s.clone(), weight.clone(), bias.clone(), 1e-5))
    if moved < 1e-4:
        return None
    return (f"A sum does not mind which comes first: with sublayer_out and x exchanged the result must be the same. "
            f"Yours moved by {moved:.4f}.")


ADD_AND_NORM = Exercise(
    id="6.2", name="add_and_norm", signature="add_and_norm(sublayer_out, x, weight, bias, eps)", minutes=4,
    difficulty=1,
    gives="sublayer_out + x, brought to size by layer norm: the residual is added first, then comes the norm",
    solution=solutions.add_and_norm, arguments=("sublayer_out", "x", "weight", "bias", "eps"), returns=("out",),
    sizes=_NORM_SIZES,
    probes=(*(Probe(name, _split_in_two(args, 190 + i)) for i, (name, args) in enumerate(_NORM_PROBES)),
            Probe("sums of equal numbers", (torch.tensor([[1.0, 2, 0, 0.5, -1, 1, 2, 3]]),
                                            2.5 - torch.tensor([[1.0, 2, 0, 0.5, -1, 1, 2, 3]]), *_EQUAL[1:]))),
    small=((torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0]), *_BY_HAND),
           (torch.tensor([[0.0, 1.0], [3.0, 0.0]]), torch.tensor([[1.0, 2.0], [-7.0, 0.0]]), *_BY_HAND)),
    misconceptions=(*_known(lambda answer: answer, _SUMS), *_known(_norm_of_sum, _NORMS),
                    _by_a_new_layer(lambda norm: lambda sublayer_out, x, *rest: norm(sublayer_out + x, *rest))),
    hints=(
        "Two steps, in the order of the name: add, then norm.",
        "Your layer_norm from exercise 6.1 does the second step: layer_norm(sublayer_out + x, weight, bias, eps)",
    ),
    experiments=(Experiment("one-ignored", _both_count, "Both belong into the sum: sublayer_out + x."),
                 _vectors_apart(_sum_once),
                 Experiment("not-a-sum", _both_count_alike,
                            "Both go through the same steps: add them first, and do everything else to the sum.")),
    laws=_NORM_LAWS[:2],
    after="x goes past the sublayer unchanged and is added to what it found: so it is called the residual path.",
)


# ---------------------------------------------------------------- 6.3

def _positions(t):
    """Query and key positions, to be combined: (T, 1) and (T,)."""
    return torch.arange(t)[:, None], torch.arange(t)


def _rows(q, table, rows):
    """q_i . E[rows[i, j]]."""
    return torch.einsum("bhtd,tsd->bhts", q, table[rows])


def _relative(row=None, finish=None):
    """The right scores, but for the row of the table, or for what is done with them."""

    def answer(q, table):
        t, m = q.size(-2), (len(table) + 1) // 2
        i, j = _positions(t)
        rows = i - j + m - 1 if row is None else row(i, j, t, m)
        scores = _rows(q, table, rows)
        return scores if finish is None else finish(scores, q, table)

    return answer


def _square(n):
    """The rows for n positions and a table made for n."""
    i, j = _positions(n)
    return i - j + n - 1


def _distance_rows(q, table):
    """The vector of each pair: (T, T, D)."""
    i, j = _positions(q.size(-2))
    return table[i - j + (len(table) - 1) // 2]


def _causal(scores):
    return torch.ones(scores.shape[-2:], dtype=torch.bool).tril()


def _with_key_vector(q, table):
    """q_j . E[...]: the vector of the key's position in place of the query's."""
    i, j = _positions(q.size(-2))
    return torch.einsum("bhsd,tsd->bhts", q, table[i - j + (len(table) - 1) // 2])


def _sources(case, i, j):
    """The rows of the table that give the scores at [i, j], and the positions whose vectors do."""
    q, table = case.args
    right = i - j + (len(table) + 1) // 2 - 1

    def fits(vectors, row):
        return torch.allclose(case.out[:, :, i, j], (vectors * row).sum(-1), rtol=1e-4, atol=3e-5)

    return ([r for r in range(len(table)) if fits(q[:, :, i], table[r])],
            [p for p in range(q.size(2)) if fits(q[:, :, p], table[right])])


def _place_used(case):
    """Which row of the table, or whose vector, gives the number that is furthest off; or None."""
    at = *_, i, j = evidence.worst(case.out, case.expected_out)
    rows, positions = _sources(case, i, j)
    if len(rows) == 1:
        return (f"your score at {evidence.place(at)}, query {i} and key {j}, is made with row {rows[0]} of "
                f"distance_embedding; row {i - j + (len(case.args[1]) - 1) // 2} is right, {i} - {j} + M - 1")
    if len(positions) == 1:
        return (f"your score at {evidence.place(at)}, query {i} and key {j}, is made with the vector of position "
                f"{positions[0]}; it is query {i} that asks")
    return None


def _row_used(case):
    """The row of the table that was taken, where it can be told."""
    return _place_used(case) or evidence.entry(case)


def _wrong_row(case):
    """Said only where every wrong score is that of another row or query: a single one may be chance."""
    wrong = ~torch.isclose(case.out, case.expected_out, rtol=1e-4, atol=3e-5).all(0).all(0)
    if not wrong.any() or not all(any(_sources(case, i, j)) for i, j in wrong.nonzero().tolist()):
        return None
    found = _place_used(case)
    return f"{found[0].upper()}{found[1:]}." if found else None


def _is_linear(attempt):
    """Double q: all scores must double."""
    q, table = normal(B, H, T, D, seed=201), normal(2 * S - 1, D, seed=202)
    once, twice = attempt(q.clone(), table.clone()), attempt(2 * q, table.clone())
    moved = _moved(2 * once, twice)
    if moved < 1e-3:
        return None
    return (f"A dot product doubles when q doubles, and so must every score; yours is off by up to {moved:.4f}. "
            "Something is added, or done to the scores after the dot product.")


def _score_once(attempt, q, table):
    return attempt(q.clone(), table.clone()).flatten(2)


def _heads_apart(attempt):
    """Change one head of one item, and look whether the others notice."""
    q, table = normal(B, H, T, D, seed=203), normal(2 * S - 1, D, seed=204)

    def change(at):
        other = q.clone()
        other[at] += normal(T, D, seed=205)
        return _score_once(attempt, other, table)

    return _met(_first_that_moves(_score_once(attempt, q, table), change, _HEADS_TO_CHANGE))


_HEADS_TO_CHANGE = ((1, 2), (0, 0))


def _met(found):
    """The sentence for heads that notice each other."""
    if found is None:
        return None
    at, other, moved = found
    return (f"Items and heads must not meet: when head {at[1]} of item {at[0]} changed, head {other[1]} of item "
            f"{other[0]} moved by {moved:.4f}.")


def _queries_apart(attempt):
    """Change one query, and look whether other rows notice."""
    q, table = normal(B, H, T, D, seed=206), normal(2 * S - 1, D, seed=207)
    other = q.clone()
    other[:, :, 3] += 1
    moved = (attempt(q.clone(), table.clone()) - attempt(other, table.clone())).abs().amax((0, 1, 3))
    moved[3] = 0
    if moved.max() < 1e-5:
        return None
    return (f"Row i of the scores belongs to query i alone: when query 3 changed, row {int(moved.argmax())} moved by "
            f"{float(moved.max()):.4f}.")


def _distances(seed, b, h, t, d, m, dtype=torch.float32):
    """Arguments for 6.3."""
    return normal(b, h, t, d, seed=seed, dtype=dtype), normal(2 * m - 1, d, seed=seed + 40, dtype=dtype)


RELATIVE_KEY_SCORES = Exercise(
    id="6.3", name="relative_key_scores", signature="relative_key_scores(q, distance_embedding)", minutes=10,
    difficulty=3,
    gives="a score for each query i and key j, (B, H, T, T): the dot product of q_i and row i - j + M - 1 of "
          "distance_embedding (2M - 1, D), not scaled",
    solution=solutions.relative_key_scores, arguments=("q", "distance_embedding"), returns=("scores",),
    sizes={2: "B", 3: "H", 5: "T", 7: "T", 11: "D", 9: "2M - 1", 13: "2M - 1", 25: "2M - 1", 17: ""},
    probes=(
        Probe("T = 5, M = 7", _distances(210, B, H, T, D, 7)),
        Probe("T = M = 5", _distances(211, B, H, T, D, 5)),
        Probe("T = 5, M = 13", _distances(212, B, H, T, D, 13)),
        Probe("T = 7, M = 13, in float64", _distances(213, B, H, S, D, 13, torch.float64)),
        Probe("one position, M = 1", _distances(214, B, H, 1, D, 1)),
        Probe("one position, M = 7", _distances(215, B, H, 1, D, 7)),
        Probe("two positions, M = 5", _distances(216, B, H, 2, D, 5)),
        Probe("one item", _distances(217, 1, H, T, D, 7)),
        Probe("one head", _distances(218, B, 1, S, D, 7)),
    ),
    small=((torch.tensor([[[[1.0], [2.0]]]]), torch.tensor([[1.0], [10.0], [100.0]])),
           (torch.tensor([[[[1.0], [2.0]]]]), torch.tensor([[3.0], [1.0], [10.0], [100.0], [5.0]])),
           (torch.tensor([[[[1.0, 0, 2, 0], [0, 3, 0, 1]]]]),
            torch.tensor([[1.0, 2, 0, 1], [0, 1, 4, 0], [5, 0, 1, 3]])),
           (torch.tensor([[[[1.0], [2.0], [3.0]]]]), torch.tensor([[1.0], [10.0], [100.0], [1000.0], [10000.0]]))),
    misconceptions=(
        Misconception(
            "sign", "The distance has the wrong sign: key minus query, where query minus key is asked for.",
            "i - j, i the query (rows), j the key (columns): positions[:, None] - positions.",
            (_relative(lambda i, j, t, m: j - i + m - 1), lambda q, e: _relative()(q, e.flip(0))), _row_used),
        Misconception(
            "offset-t", "The distance was moved by T - 1, the number of positions, instead of M - 1: right only where "
            "T = M.",
            "Distance 0 stands in the middle of the table, in row M - 1: M = (len(distance_embedding) + 1) // 2.",
            (_relative(lambda i, j, t, m: i - j + t - 1),), _row_used),
        Misconception(
            "sign-and-offset-t", "Two things: the distance has the wrong sign, and it was moved by T - 1 instead of "
            "M - 1.",
            "Query minus key, positions[:, None] - positions; then plus M - 1, with "
            "M = (len(distance_embedding) + 1) // 2.",
            (_relative(lambda i, j, t, m: j - i + t - 1),), _row_used),
        Misconception(
            "off-by-one", "The row is off by one: distance 0 does not land in the middle of the table.",
            "The distances run from -(M - 1) to M - 1, so -(M - 1) must land in row 0: add M - 1.",
            (_relative(lambda i, j, t, m: i - j + m), _relative(lambda i, j, t, m: i - j + m - 2)), _row_used),
        Misconception(
            "no-offset", "The distance itself was taken as the row. A negative one counts from the end of the table, "
            "so no error tells you.",
            "Add M - 1: then the smallest distance, -(M - 1), becomes row 0.",
            (_relative(lambda i, j, t, m: i - j),), _row_used),
        Misconception(
            "sign-and-no-offset", "Two things: the distance has the wrong sign, and M - 1 was not added. A negative "
            "row counts from the end of the table, so no error tells you.",
            "Query minus key, plus M - 1.", (_relative(lambda i, j, t, m: j - i),), _row_used),
        Misconception(
            "length-as-m", "The length of the table, 2M - 1, was taken for M.",
            "M = (len(distance_embedding) + 1) // 2.",
            (_relative(lambda i, j, t, m: i - j + 2 * m - 2),
             lambda q, e: _relative(lambda i, j, t, m: i - j + len(e))(q, e)), _row_used),
        Misconception(
            "absolute", "The distance lost its sign: a key 2 before and a key 2 after the query got the same row.",
            "The table has a row for each sign: i - j + M - 1, without abs.",
            (_relative(lambda i, j, t, m: (i - j).abs()), _relative(lambda i, j, t, m: (i - j).abs() + m - 1),
             _relative(lambda i, j, t, m: m - 1 - (i - j).abs())), _row_used),
        Misconception(
            "clamped", "Distances were cut off at a smaller one than the table goes to.",
            "With T <= M every distance has a row of its own: no clamp is needed.",
            tuple(_relative(lambda i, j, t, m, low=low, high=high: (i - j).clamp(low, high) + m - 1)
                  for low, high in ((0, None), (None, 0), (-1, 1), (-2, 2), (-3, 3))), _row_used),
        Misconception(
            "sum-of-positions", "The positions were added, not subtracted: i + j.",
            "A distance is a difference: i - j + M - 1.",
            (_relative(lambda i, j, t, m: i + j), _relative(lambda i, j, t, m: (i + j).clamp(max=2 * m - 2))),
            _row_used),
        Misconception(
            "row-by-key", "Every query took the same row for key j: the row depends on the key alone, not on the "
            "distance.",
            "For each pair (i, j) another row: distance_embedding[i - j + M - 1], a table of shape (T, T, D).",
            (_relative(lambda i, j, t, m: j + 0 * i), _relative(lambda i, j, t, m: j + m - 1 + 0 * i),
             _relative(lambda i, j, t, m: m - 1 - j + 0 * i), _relative(lambda i, j, t, m: j + 2 * m - 1 - t + 0 * i)),
            _row_used),
        Misconception(
            "row-by-query", "Each query took one row for all its keys: the row depends on the query alone, not on the "
            "distance.",
            "For each pair (i, j) another row: distance_embedding[i - j + M - 1], a table of shape (T, T, D).",
            (_relative(lambda i, j, t, m: i + 0 * j), _relative(lambda i, j, t, m: i + m - 1 + 0 * j)), _row_used),
        Misconception(
            "middle-only", "Every pair got the same row of the table.",
            "The row depends on the distance: i - j + M - 1.",
            (_relative(lambda i, j, t, m: m - 1 + 0 * (i - j)), _relative(lambda i, j, t, m: 0 * (i - j))), _row_used),
        Misconception(
            "whole-table", "Every query was compared with all 2M - 1 rows; which key has which row was not yet said.",
            "The last axis must be the T keys: for the pair (i, j) take the product with row i - j + M - 1.",
            (lambda q, e: q @ e.T,)),
        Misconception(
            "transposed", "Queries and keys have changed places in the result: your row i belongs to key i.",
            "The axes are (B, H, query, key): in einsum \"bhtd,tsd->bhts\".",
            (lambda q, e: _relative()(q, e).transpose(-2, -1),), evidence.entry),
        Misconception(
            "key-asks", "It is the vector at the key's position that was multiplied, q_j instead of q_i.",
            "q_i . E[i - j + M - 1]: in einsum \"bhtd,tsd->bhts\", where q and the result share t.",
            (_with_key_vector,), evidence.entry),
        Misconception(
            "scaled", "The scores were divided by sqrt(D), or by D: here they are not to be scaled.",
            "Only the dot product: the division comes later, when everything has been added up.",
            (_relative(finish=lambda s, q, e: s / math.sqrt(q.size(-1))),
             _relative(finish=lambda s, q, e: s / q.size(-1))), evidence.entry),
        Misconception(
            "multiplied-by-root", "The scores were multiplied by sqrt(D): here they are not to be scaled.",
            "Only the dot product.", (_relative(finish=lambda s, q, e: s * math.sqrt(q.size(-1))),), evidence.entry),
        Misconception(
            "softmaxed", "A softmax was taken: these are weights, and scores are asked for.",
            "These scores are to be added to others first; the softmax comes after that.",
            (_relative(finish=lambda s, q, e: s.softmax(-1)),
             _relative(finish=lambda s, q, e: (s / math.sqrt(q.size(-1))).softmax(-1))), evidence.entry),
        Misconception(
            "causal", "Keys after the query were masked: -inf, 0, or a huge negative number stands there.",
            "No mask here: the table has rows for both directions.",
            tuple(_relative(finish=lambda s, q, e, low=low: s.masked_fill(~_causal(s), low))
                  for low in (-_INF, 0.0, -1e9)), evidence.entry),
        Misconception(
            "rows-as-batch", "q is (B, H, T, D) and the chosen rows are (T, T, D): @ wants the axes in front of the "
            "last two to agree, and here H meets T.",
            "Each query has rows of its own: torch.einsum(\"bhid,ijd->bhij\", q, rows), or multiply and sum over the "
            "last axis.",
            (lambda q, e: q @ _distance_rows(q, e).transpose(-2, -1),
             lambda q, e: q @ _distance_rows(q, e.flip(0)).transpose(-2, -1))),
        Misconception(
            "not-summed", "The products were not added up over the D features.",
            "A dot product ends with a sum over the last axis.",
            (lambda q, e: q[:, :, :, None] * _distance_rows(q, e),)),
        Misconception(
            "table-only", "These are rows of the table, or sums of them: q has no part in it.",
            "Each row must be multiplied with its query: q_i . E[i - j + M - 1].",
            (_distance_rows,
             lambda q, e: _distance_rows(q, e).sum(-1).expand(*q.shape[:2], -1, -1).clone())),
        Misconception(
            "content-added", "The products of q with itself were added to the scores.",
            "Only q_i . E[i - j + M - 1]: other scores are added elsewhere.",
            (_relative(finish=lambda s, q, e: s + q @ q.transpose(-2, -1)),), evidence.entry),
        Misconception(
            "positions-up-to-m", "The positions were counted up to M; there are T queries and T keys.",
            "T is q.size(-2); M only says where the middle of the table is.",
            (lambda q, e: torch.einsum("bhtd,tsd->bhts", q, e[_square((len(e) + 1) // 2)]),
             lambda q, e: torch.einsum("bhid,ijd->bhij", q, e[_square((len(e) + 1) // 2)]),
             lambda q, e: (q[:, :, :, None] * e[_square((len(e) + 1) // 2)]).sum(-1))),
    ),
    hints=(
        "First the distances, (T, T): positions = torch.arange(T), then positions[:, None] - positions is i - j. Which "
        "row of the table must distance 0 have?",
        "M = (len(distance_embedding) + 1) // 2, and distance_embedding[distance + M - 1] has the shape (T, T, D): one "
        "vector for each pair. The dot products: torch.einsum(\"bhtd,tsd->bhts\", q, ...).",
    ),
    laws=(laws.FINITE, Law("wrong-row", _wrong_row,
                           "Print the table of rows that you look up, (T, T): row i - j + M - 1 belongs at [i, j]. "
                           "Its diagonal must be M - 1 everywhere.")),
    experiments=(
        Experiment("items-mixed", _heads_apart, "The axes B and H stay in front untouched: which line sums over them, "
                                                "or takes them for positions?"),
        Experiment("queries-mixed", _queries_apart, "q_i . E[i - j + M - 1]: only query i is in row i."),
        Experiment("not-linear", _is_linear, "Only dot products: no softmax, no mask, nothing added."),
    ),
    after="The score now knows how far query and key are apart, and in which direction.",
)


# ---------------------------------------------------------------- 6.4

def _of_heads(weight, heads, num_heads, dim):
    """Which features stay, as True and False."""
    keep = torch.tensor([h not in heads for h in range(num_heads)], dtype=torch.bool)
    return keep.repeat_interleave(weight.size(dim) // num_heads)


def _features(test, size_of=None):
    """Keep feature i where test(i, D, num_heads, heads)."""

    def features(weight, heads, num_heads, dim):
        size = weight.size(dim)
        width = max(1, (weight.size(1 - dim) if size_of else size) // num_heads)
        return torch.tensor([test(i, width, num_heads, heads) for i in range(size)], dtype=torch.bool)

    return features


def _where(keep):
    return keep.nonzero().flatten()


_TAKES = (lambda t, dim, keep: t.index_select(dim, _where(keep)),
          lambda t, dim, keep: t[_where(keep)] if dim == 0 else t[:, _where(keep)],
          lambda t, dim, keep: t[keep] if dim == 0 else t[:, keep])


def _bias_left(bias, keep, dim):
    return bias if bias is None or dim == 1 else bias[keep]


def _pruned(features=_of_heads, cut=_TAKES[0], cut_dim=lambda dim: dim, bias_of=_bias_left,
            finish=lambda weight, bias: (weight, bias)):
    """Pruning step by step: right with these steps, wrong in one way with another."""

    def prune(weight, bias, heads, num_heads, dim):
        keep = features(weight, heads, num_heads, dim)
        return finish(cut(weight, cut_dim(dim), keep), bias_of(bias, keep, dim))

    return prune


def _in_all_styles(**steps):
    """The steps with each way of cutting: on other axes than asked for they fail in other words."""
    return tuple({**steps, "cut": cut} for cut in _TAKES)


def _counted_along(axis):
    """Features counted and cut along one axis, whatever dim is; the bias for dim 0 only, always or never."""
    return tuple({"features": lambda w, heads, n, dim, features=features: features(w, heads, n, axis), "cut": cut,
                  "cut_dim": lambda dim: axis, "bias_of": bias_of}
                 for features in (_of_heads, _features(lambda i, width, n, heads: i // width not in heads))
                 for cut in _TAKES for bias_of in (_bias_left, lambda bias, keep, dim: bias if bias is None else bias[
                     keep], lambda bias, keep, dim: bias))


def _exchanged():
    """Rows cut for dim 1 and columns for dim 0; the features counted along either axis, the bias cut or not."""
    counted = (_of_heads, lambda w, heads, n, dim: _of_heads(w, heads, n, 1 - dim),
               lambda w, heads, n, dim: _features(lambda i, width, n, heads: i // width not in heads)(
                   w, heads, n, 1 - dim))

    def cut_for(dims, cut):
        return lambda bias, keep, dim: bias if bias is None or dim not in dims else cut(bias, 0, keep)

    return tuple({"features": features, "cut": cut, "cut_dim": lambda dim: 1 - dim, "bias_of": cut_for(dims, cut)}
                 for features in counted for cut in (*_TAKES, _as_far_as_it_goes) for dims in ((0,), (), (0, 1), (1,)))


def _as_far_as_it_goes(t, dim, keep):
    """Slices, unlike an index, may reach beyond the end."""
    features = _where(keep)
    return t.index_select(dim, features[features < t.size(dim)])


def _always(axis):
    """The argument dim ignored."""
    return lambda weight, bias, heads, num_heads, dim: _pruned()(weight, bias, heads, num_heads, axis)


def _only(choose):
    """Only some of the heads taken out."""
    return {"features": lambda weight, heads, num_heads, dim: _of_heads(
        weight, choose(list(heads)), num_heads, dim)}


def _one_after_another(order, again=False):
    """Heads cut out in turn, though each cut moves the heads behind it."""

    def prune(weight, bias, heads, num_heads, dim):
        width = weight.size(dim) // num_heads
        for h in order(heads):
            if again:
                width = weight.size(dim) // num_heads
            parts = [weight.narrow(dim, min(start, weight.size(dim)), max(0, min(end, weight.size(dim)) - start))
                     for start, end in ((0, h * width), ((h + 1) * width, weight.size(dim)))]
            weight = torch.cat(parts, dim)
            if dim == 0 and bias is not None:
                bias = torch.cat([bias[:h * width], bias[(h + 1) * width:]])
        return weight, bias

    return prune


def _zeroed(weight, bias, heads, num_heads, dim):
    keep = _of_heads(weight, heads, num_heads, dim)
    return weight * (keep[:, None] if dim == 0 else keep), bias if bias is None or dim == 1 else bias * keep


def _cut_by_blocks(weight, bias, heads, num_heads, dim):
    """Right, but the heads keep an axis of their own."""
    keep = torch.tensor([h not in heads for h in range(num_heads)], dtype=torch.bool)
    blocks = weight.unflatten(dim, (num_heads, -1)).index_select(dim, _where(keep))
    return blocks, bias if bias is None or dim == 1 else bias.unflatten(0, (num_heads, -1))[keep]


def _index_by(make):
    """keep[make(heads)] = False."""

    def features(weight, heads, num_heads, dim):
        keep = torch.ones(num_heads, dtype=torch.bool)
        keep[make(heads)] = False
        return keep.repeat_interleave(weight.size(dim) // num_heads)

    return {"features": features}


def _made_of(heads):
    return {"features": lambda weight, h, num_heads, dim: _of_heads(weight, heads(h), num_heads, dim)}


def _lines(matrix, dim):
    """The rows, or the columns."""
    return list(matrix.unbind(dim))


def _origin(case):
    """Where the first wrong row or column of weight comes from, or the first wrong entry of bias; or None."""
    weight, bias, _, _, dim = case.args
    word = ("row", "column")[dim]
    mine, right, given = (_lines(x, dim) for x in (case.got[0], case.expected[0], weight))
    for n, (a, b) in enumerate(zip(mine, right, strict=True)):
        if not torch.allclose(a, b):
            from_ = [i for i, line in enumerate(given) if torch.allclose(a, line)]
            wanted = next(i for i, line in enumerate(given) if torch.equal(b, line))
            if from_:
                return (f"{word} {n} of your weight is {word} {from_[0]} of the weight given; {word} {wanted} is "
                        "right there")
            return (f"{word} {n} of your weight is none of the {word}s of the weight given; {word} {wanted} is right "
                    "there")
    if bias is None:
        return None
    for n, (a, b) in enumerate(zip(case.got[1], case.expected[1], strict=True)):
        if not torch.allclose(a, b):
            return (f"your weight is right, but entry {n} of your bias is {evidence.number(a)}, and "
                    f"{evidence.number(b)} is right")
    return None


def _line_from(case):
    return _origin(case) or evidence.entry(case)


def _wrong_lines(case):
    found = _origin(case)
    return f"{found[0].upper()}{found[1:]}." if found else None


def _listed(order, pick, bias_too=True):
    """The features of the heads that go, in a list; `pick` takes them."""

    def prune(weight, bias, heads, num_heads, dim):
        width = weight.size(dim) // num_heads
        starts = [h * width for h in order(heads)]
        left = pick(weight, dim, starts, width)
        return left, pick(bias, 0, starts, width) if bias_too and bias is not None and dim == 0 else bias

    return {"answer": prune}


def _from_starts(starts, width):
    return torch.tensor([start + n for start in starts for n in range(width)])


_PICKS = (lambda t, dim, starts, width: t.index_select(dim, _from_starts(starts, width)),
          lambda t, dim, starts, width: t[_from_starts(starts, width)] if dim == 0 else t[:, _from_starts(
              starts, width)],
          lambda t, dim, starts, width: torch.cat([t.narrow(dim, start, width) for start in starts], dim))


def _dealt_out(weight, bias, heads, num_heads, dim):
    """Head h gets h, h + num_heads and so on, and what stays is ordered by heads."""
    features = torch.tensor([i for h in range(num_heads) if h not in heads
                             for i in range(h, weight.size(dim), num_heads)])
    return weight.index_select(dim, features), bias if bias is None or dim == 1 else bias[features]


_PRUNINGS = (
    ("wrong-axis", "Rows and columns are exchanged: dim 0 is to cut rows, dim 1 columns.",
     "dim counts the axes of weight: 0 are its rows, 1 its columns. weight[rows] and weight[:, columns].",
     _exchanged(), _line_from),
    ("always-rows", "Rows were taken out for dim 1 as well, where columns are asked for.",
     "dim=1: weight[:, features], or weight.index_select(dim, features).",
     ({"answer": _always(0)}, *_in_all_styles(cut_dim=lambda dim: 0),
      *(style for at in (lambda keep: keep, _where) for style in _in_all_styles(
          cut_dim=lambda dim: 0, bias_of=lambda bias, keep, dim, at=at: bias if bias is None else bias[at(keep)])),
      {"cut": _as_far_as_it_goes, "cut_dim": lambda dim: 0, "bias_of": lambda bias, keep, dim: bias if bias is None else
       _as_far_as_it_goes(bias, 0, keep)}, *_counted_along(0)),
     _line_from),
    ("always-columns", "Columns were taken out for dim 0 as well, where rows are asked for.",
     "dim=0: weight[features], or weight.index_select(dim, features).",
     ({"answer": _always(1)}, *_in_all_styles(cut_dim=lambda dim: 1), *_counted_along(1)),
     _line_from),
    ("bias-not-pruned", "The weight is right, but for dim 0 the bias kept all its entries.",
     "Each row of weight has one entry of bias: where the row goes, its entry goes too.",
     ({"bias_of": lambda bias, keep, dim: bias},), None),
    ("bias-always-pruned", "For dim 1 the bias was pruned as well.",
     "bias has one entry for each row. Columns are inputs, and all outputs stay: for dim 1 leave bias as it is.",
     ({"bias_of": lambda bias, keep, dim: None if bias is None else bias[keep]},
      {"bias_of": lambda bias, keep, dim: None if bias is None else bias[_where(keep)]},
      {"bias_of": lambda bias, keep, dim: None if bias is None else bias.index_select(0, _where(keep))}), None),
    ("bias-for-columns", "The bias was pruned for dim 1, and not for dim 0: it should be the other way round.",
     "bias has one entry for each row of weight; dim 0 are the rows.",
     tuple({"bias_of": lambda bias, keep, dim, take=take: bias if bias is None or dim == 0 else take(bias, keep)}
           for take in (lambda b, keep: b[keep], lambda b, keep: b[_where(keep)],
                        lambda b, keep: b.index_select(0, _where(keep)))), None),
    ("bias-lost", "The bias came back as None where a bias was given.",
     "Only where bias is None does None come back; for dim 1 it comes back as it is.",
     ({"bias_of": lambda bias, keep, dim: None},
      {"bias_of": lambda bias, keep, dim: None if bias is None or dim == 1 else bias[keep]},
      {"bias_of": lambda bias, keep, dim: None if dim == 0 else bias}), None),
    ("bias-none", "Without a bias the code stops: bias is None then, and None has no entries.",
     "`if bias is not None and dim == 0` before the bias is touched.",
     ({"bias_of": lambda bias, keep, dim: bias if dim == 1 else bias[keep]},
      {"bias_of": lambda bias, keep, dim: bias if dim == 1 else bias.index_select(0, _where(keep))},
      {"bias_of": lambda bias, keep, dim: bias if dim == 1 else bias.clone()[keep]},
      {"bias_of": lambda bias, keep, dim: bias.clone() if dim == 1 else bias[keep]},
      {"bias_of": lambda bias, keep, dim: bias if dim == 1 else bias.unflatten(0, (1, -1))[0][keep]},
      {"bias_of": lambda bias, keep, dim: bias if dim == 1 else bias.view(-1)[keep]},
      {"bias_of": lambda bias, keep, dim: bias if dim == 1 else bias.reshape(-1)[keep]},
      {"bias_of": lambda bias, keep, dim: bias if dim == 1 else torch.index_select(bias, 0, _where(keep))}), None),
    ("bias-zeros", "Where no bias was given, yours came back as a tensor of zeros.",
     "A layer without bias stays one without: None comes back as None.",
     ({"answer": lambda w, b, heads, n, dim: _pruned()(w, w.new_zeros(len(w)) if b is None else b, heads, n, dim)},),
     None),
    ("pruned-kept", "It is the pruned heads that stayed, and the others that went.",
     "heads says which ones go: keep head h where h is not in heads.",
     ({"features": lambda w, heads, n, dim: ~_of_heads(w, heads, n, dim)},), _line_from),
    ("pruned-listed", "With no heads to prune your list of features is empty: it holds those that go, not those that "
     "stay.",
     "heads says which ones go: list the features of head h where h is not in heads.",
     tuple(_listed(order, pick, bias_too) for order in (list, sorted) for pick in _PICKS for bias_too in (True, False)),
     None),
    ("interleaved", "The features were dealt out in turn: feature i was taken for one of head i % num_heads.",
     "Head h owns D neighbours, h * D to (h + 1) * D - 1: feature i belongs to head i // D.",
     ({"features": _features(lambda i, width, n, heads: i % n not in heads)}, {"answer": _dealt_out}), _line_from),
    ("num-heads-as-size", "num_heads was taken for the size of a head: feature i was given to head i // num_heads.",
     "A head has D = weight.size(dim) // num_heads features: feature i belongs to head i // D.",
     ({"features": _features(lambda i, width, n, heads: i // n not in heads)},), _line_from),
    ("interleaved-by-size", "Feature i was taken for one of head i % D: that is its place within a head.",
     "The head is the whole part of the division, i // D; the rest, i % D, says which of its features.",
     ({"features": _features(lambda i, width, n, heads: i % width not in heads)},), _line_from),
    ("size-of-other-axis", "The size of a head was taken from the other axis of weight.",
     "Along dim a head has weight.size(dim) // num_heads features.",
     ({"features": _features(lambda i, width, n, heads: i // width not in heads, size_of="the other axis")},
      *_in_all_styles(features=lambda w, heads, n, dim: _of_heads(w, heads, n, 1 - dim))), _line_from),
    ("size-from-rows", "The size of a head was always taken from the rows: weight.size(0) // num_heads, for dim 1 too.",
     "Along dim a head has weight.size(dim) // num_heads features.",
     _in_all_styles(features=lambda w, heads, n, dim: _of_heads(w, heads, n, 0)), _line_from),
    ("size-from-columns", "The size of a head was always taken from the columns: weight.size(1) // num_heads, for dim "
     "0 too.",
     "Along dim a head has weight.size(dim) // num_heads features.",
     _in_all_styles(features=lambda w, heads, n, dim: _of_heads(w, heads, n, 1)), _line_from),
    ("one-feature-each", "One row or column was taken out for each head: the head's number was used as a feature's.",
     "A head has D = weight.size(dim) // num_heads features: h * D to (h + 1) * D - 1.",
     ({"features": _features(lambda i, width, n, heads: i not in heads)},), None),
    ("first-feature-each", "Only the first feature of each pruned head went.",
     "All D features of a head go: h * D to (h + 1) * D - 1.",
     ({"features": _features(lambda i, width, n, heads: i not in [h * width for h in heads])},), None),
    ("heads-not-features", "Whole heads were counted, and features meant: of all features only as many as there are "
     "heads were looked at.",
     "Each head that stays keeps D features: repeat_interleave(D) turns a list of heads into one of features.",
     ({"features": lambda w, heads, n, dim: torch.tensor(
         [i < n and i not in heads for i in range(w.size(dim))], dtype=torch.bool)},), None),
    ("counted-from-1", "The heads were counted from 1.", "Head 0 is the first one.",
     ({"features": _features(lambda i, width, n, heads: i // width + 1 not in heads)},), _line_from),
    ("next-head", "It is the head after each pruned one that went.",
     "Head h owns the features h * D to (h + 1) * D - 1.",
     ({"features": _features(lambda i, width, n, heads: i // width - 1 not in heads)},), _line_from),
    ("zeroed", "The pruned heads were set to 0, and are still there.",
     "They are to go: choose the features that stay, weight[features] or index_select.",
     ({"answer": _zeroed},
      {"answer": lambda w, b, heads, n, dim: (_zeroed(w, b, heads, n, dim)[0], b)}), None),
    ("one-after-another", "The heads were cut out one after the other, and after each cut those behind have moved up: "
     "the next number means another head.",
     "Choose all features that stay first, and cut once; or begin with the last head, sorted(heads, reverse=True).",
     tuple({"answer": _one_after_another(order, again)} for order in (list, sorted) for again in (False, True)),
     _line_from),
    ("one-head-only", "Only one head went, however many are in heads.",
     "Go through all of heads. If a loop does it: does `return` stand behind the loop?",
     (_only(lambda heads: heads[:1]), _only(lambda heads: heads[-1:]), _only(lambda heads: sorted(heads)[:1]),
      _only(lambda heads: sorted(heads)[-1:])), None),
    ("counted-heads", "As many heads went as heads holds, but the first or the last ones, whichever numbers it holds.",
     "heads holds the numbers of the heads that go.",
     ({"features": lambda w, heads, n, dim: _of_heads(w, range(len(heads)), n, dim)},
      {"features": lambda w, heads, n, dim: _of_heads(w, range(n - len(heads), n), n, dim)}), _line_from),
    ("up-to", "A whole stretch of heads went, from the least in heads to the largest.",
     "Only the heads in heads go; those between may stay.",
     ({"features": lambda w, heads, n, dim: _of_heads(
         w, range(min(heads), max(heads) + 1) if heads else (), n, dim)},), None),
    ("heads-apart", "The right heads went, but the others still have an axis of their own.",
     "Join the heads that stay with their features again: flatten, or reshape to two axes.",
     ({"answer": _cut_by_blocks},
      {"answer": lambda w, b, heads, n, dim: (_cut_by_blocks(w, b, heads, n, dim)[0], _pruned()(
          w, b, heads, n, dim)[1])}), None),
    ("in-another-order", "The right features stayed, but in another order.",
     "What stays keeps its order: the rows and columns of other layers are in the same one.",
     ({"cut": lambda t, dim, keep: _TAKES[0](t, dim, keep).flip(dim),
       "bias_of": lambda bias, keep, dim: bias if bias is None or dim == 1 else bias[keep].flip(0)},
      {"cut": lambda t, dim, keep: _TAKES[0](t, dim, keep).flip(dim)}), _line_from),
    ("transposed", "The weight came back transposed.", "It keeps its form: (out, in), rows first.",
     ({"finish": lambda weight, bias: (weight.T, bias)},
      {"finish": lambda weight, bias: (weight.T.contiguous(), bias)}), _line_from),
    ("only-weight", "Only the weight came back; the bias belongs to the answer, even where it is None.",
     "End with `return weight, bias`.", ({"finish": lambda weight, bias: weight},), None),
    ("bias-first", "The pair is the wrong way round: bias, then weight.", "End with `return weight, bias`.",
     ({"finish": lambda weight, bias: (bias, weight)},), None),
    ("unchanged", "Everything came back as it was: nothing was taken out.",
     "Indexing and index_select return a new tensor; keep what they return.",
     ({"answer": lambda w, b, heads, n, dim: (w, b)},), None),
    ("not-an-index", "heads was treated as a list: looked up by place, used as an index or made into a tensor. It may "
     "be a set, which goes with none of that.",
     "Make a list of it first: list(heads). Or ask for each head whether it is in it: h in heads.",
     (_index_by(lambda heads: heads), _index_by(torch.tensor),
      _made_of(lambda heads: [heads[i] for i in range(len(heads))])), None),
    ("empty-collection", "With no heads to prune it stops: torch.tensor([]) holds floats, and they cannot be an index.",
     "torch.tensor(list(heads), dtype=torch.long); or keep the plain list, which works as an index too.",
     (_index_by(lambda heads: torch.tensor(list(heads))), _index_by(lambda heads: torch.tensor(sorted(heads))),
      _index_by(lambda heads: torch.tensor([*heads]))), None),
)


def _pruning_answer(answer=None, **steps):
    return answer or _pruned(**steps)


def _to_prune(seed, rows, columns, heads, num_heads, dim, bias=True, dtype=torch.float32):
    """Arguments for 6.4."""
    return (normal(rows, columns, seed=seed, dtype=dtype), normal(rows, seed=seed + 1, dtype=dtype) if bias else None,
            heads, num_heads, dim)


def _counted(rows, columns):
    """Numbers that say where they stand: 12 is row 1, column 2."""
    return 10.0 * torch.arange(rows)[:, None] + torch.arange(columns)


PRUNE_LINEAR = Exercise(
    id="6.4", name="prune_linear", signature="prune_linear(weight, bias, heads, num_heads, dim)", minutes=10,
    difficulty=2,
    gives="the pair (weight, bias) without these heads: for dim 0 their rows and bias entries go, for dim 1 their "
          "columns. Head h owns D neighbours along dim, D = weight.size(dim) / num_heads; bias may be None",
    solution=solutions.prune_linear, arguments=("weight", "bias", "heads", "num_heads", "dim"),
    returns=("weight", "bias"), sizes=dict.fromkeys((2, 3, 5, 7, 11, 13, 17), ""),
    probes=(
        Probe("one of three heads, its rows", _to_prune(220, 12, 7, {1}, 3, 0)),
        Probe("one of three heads, its columns", _to_prune(222, 7, 12, {1}, 3, 1)),
        Probe("rows, without a bias", _to_prune(224, 12, 7, {0}, 3, 0, bias=False)),
        Probe("columns, without a bias", _to_prune(226, 7, 12, {2}, 3, 1, bias=False)),
        Probe("a list that is not sorted, rows", _to_prune(228, 10, 7, [3, 0], 5, 0)),
        Probe("a tuple that is not sorted, columns", _to_prune(230, 13, 35, (4, 0, 2), 5, 1)),
        Probe("no heads at all, rows", _to_prune(232, 12, 7, set(), 3, 0)),
        Probe("no heads at all, columns", _to_prune(234, 7, 12, [], 3, 1)),
        Probe("a square weight, rows, in float64", _to_prune(236, 12, 12, {0, 2}, 4, 0, dtype=torch.float64)),
        Probe("a square weight, columns", _to_prune(238, 12, 12, [2, 1], 4, 1)),
        Probe("heads of one feature", _to_prune(240, 5, 11, frozenset({1, 3}), 5, 0)),
        Probe("a single head, which stays", _to_prune(242, 4, 7, (), 1, 0)),
        Probe("more columns than rows, rows", _to_prune(244, 6, 22, {1}, 2, 0)),
        Probe("more rows than columns, columns", _to_prune(246, 22, 6, {1}, 2, 1)),
        Probe("columns, in float64", _to_prune(248, 7, 12, (2,), 3, 1, dtype=torch.float64)),
        Probe("heads of one feature, one head stays", _to_prune(250, 4, 8, {1, 2, 3}, 4, 0)),
    ),
    small=((_counted(4, 1), torch.tensor([0.5, 1.5, 2.5, 3.5]), {0}, 2, 0),
           (_counted(1, 4), torch.tensor([0.5]), {0}, 2, 1),
           (_counted(4, 1), torch.tensor([0.5, 1.5, 2.5, 3.5]), [0, 1], 4, 0),
           (_counted(6, 1), torch.tensor([0.5, 1.5, 2.5, 3.5, 4.5, 5.5]), [2, 0], 3, 0),
           (_counted(1, 6), None, [2, 0], 3, 1),
           (_counted(4, 4), None, {0}, 2, 0), (_counted(4, 4), None, {0}, 2, 1)),
    misconceptions=_known(_pruning_answer, _PRUNINGS),
    hints=(
        "Which features stay? First say it of the heads, with num_heads times True or False; then each of them counts "
        "for D = weight.size(dim) // num_heads features: repeat_interleave(D).",
        "With the numbers of the features that stay, weight.index_select(dim, features) cuts rows or columns. Only for "
        "dim 0, and only where there is one, the bias is cut as well: bias[features].",
    ),
    laws=(Law("wrong-features", _wrong_lines,
              "Print the features that you keep: head h owns h * D to (h + 1) * D - 1, and what stays keeps its "
              "order."),
          laws.FINITE),
    after="The layer is really smaller now: pruning saves memory and time, zeroing would save nothing.",
)


# ---------------------------------------------------------------- 6.5

def _behind(old, new):
    return torch.cat([old, new], dim=-2)


def _join(k, v, past, cat=_behind):
    """Keys and values, the past in front."""
    return (k, v) if past is None else (cat(past[0], k), cat(past[1], v))


def _root(q, k):
    return 1 / math.sqrt(q.size(-1))


def _lower(t, s):
    """The right mask: the last query sees everything."""
    return torch.ones(t, s, dtype=torch.bool).tril(s - t)


def _filled(low):
    return lambda scores, mask: scores.masked_fill(~mask, low).softmax(-1)


_HIDE = _filled(-_INF)


def _read_all(k, v, past, keys, values):
    return keys, values


def _cached(join=_join, read=_read_all, mask=lambda t, s, past: _lower(t, s), scale=_root, weigh=_HIDE,
            keep=_read_all, mix=lambda weights, values: weights @ values,
            finish=lambda out, cache, weights: (out, cache)):
    """Attention with a cache step by step: right with these steps, wrong in one way with another."""

    def attend(q, k, v, past):
        joined = join(k, v, past)
        keys, values = read(k, v, past, *joined)
        scores = q @ keys.transpose(-2, -1) * scale(q, keys)
        weights = weigh(scores, mask(q.size(-2), keys.size(-2), past))
        return finish(mix(weights, values), keep(k, v, past, *joined), weights)

    return attend


def _joined_by(cat):
    return {"join": lambda k, v, past: _join(k, v, past, cat)}


def _masked_by(mask):
    return {"mask": mask}


def _kept(choose):
    """Another cache handed on; without a past the right one."""
    return {"keep": lambda k, v, past, keys, values: (k, v) if past is None else choose(k, v, past, keys, values)}


def _root_of(size):
    return {"scale": lambda q, k: 1 / math.sqrt(size(q, k))}


def _all_queries(q, k, v, past):
    """The keys of the past used as queries, too."""
    keys, values = _join(k, v, past)
    queries = q if past is None else _behind(past[0], q)
    return _filled(-_INF)(queries @ keys.transpose(-2, -1) * _root(q, keys),
                          _lower(queries.size(-2), keys.size(-2))) @ values, (keys, values)


def _new_only(t, s, past):
    """The new tokens see each other, up to themselves, and no past."""
    return torch.cat([torch.zeros(t, s - t, dtype=torch.bool), torch.ones(t, t, dtype=torch.bool).tril()], dim=1)


def _ones(t, s, past=None):
    return torch.ones(t, s, dtype=torch.bool)


def _top_left(t, s, past=None):
    return _ones(t, s).tril()


def _then(**steps):
    """Right but for what is handed back."""
    return {"finish": lambda out, cache, weights: steps["result"](out, cache, weights)}


def _unasked(q, k, v, past, unpack=False):
    """past opened without asking whether there is one."""
    if unpack:
        old_k, old_v = past
    else:
        old_k, old_v = past[0], past[1]
    return _cached()(q, k, v, (old_k, old_v))


def _joined_along(dim):
    """Joined along this axis, in either order; the first call, where nothing is joined, with or without a mask."""
    return tuple({**_joined_by(lambda old, new, order=order: torch.cat([old, new][::order], dim=dim)), **steps}
                 for order in (1, -1) for steps in ({}, {"mask": _ones}, {"scale": lambda q, k: 1}))


def _of_another_size(size):
    """A square triangle for a mask: filled, added, and given to the course's own attention, which refuse it."""
    def square(t, s, past=None):
        return _top_left(size(t, s), size(t, s))

    def by_the_course(q, k, v, past):
        k, v = _join(k, v, past)
        return dot_product_attention(q, k, v, square(q.size(-2), k.size(-2)))[0], (k, v)

    def by_torch(q, k, v, past):
        k, v = _join(k, v, past)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=square(q.size(-2), k.size(-2))), (k, v)

    return ({"mask": square}, {"mask": square, "weigh": lambda s, m: (s + torch.zeros(m.shape).masked_fill(
        ~m, -_INF)).softmax(-1)}, {"answer": by_the_course}, {"answer": by_torch})


_PAST_KEPT = (_kept(lambda k, v, past, keys, values: past), {"keep": lambda k, v, past, keys, values: past})
_NEW_READ = {"read": lambda k, v, past, keys, values: (k, v)}
_PAST_READ = {"read": lambda k, v, past, keys, values: past or (k, v)}
_WRONG_OUT = (
    _masked_by(_ones), _masked_by(_top_left), _masked_by(_new_only),
    _masked_by(lambda t, s, past: _lower(t, s) if past is None else _ones(t, s)),
    _masked_by(lambda t, s, past: _ones(t, s) if past is None else _lower(t, s)),
    {"scale": lambda q, k: 1}, _NEW_READ, {**_NEW_READ, "mask": _ones}, _PAST_READ, {**_PAST_READ, "mask": _ones},
    {**_PAST_READ, "weigh": lambda s, m: _HIDE(s, m).nan_to_num(0.0)},  # as torch does it, where nothing is visible
    {**_PAST_READ, "mask": lambda t, s, past: _lower(t, s) if past is None else _ones(t, s)},
)

_CACHES = (
    ("new-before-past", "The new keys and values were put in front of the past ones.",
     "The cache is in the order of the text: torch.cat([past[0], k], dim=-2).",
     (_joined_by(lambda old, new: _behind(new, old)),
      {**_joined_by(lambda old, new: _behind(new, old)), **_masked_by(_top_left)},
      {**_joined_by(lambda old, new: _behind(new, old)), **_masked_by(_ones)},
      {**_joined_by(lambda old, new: _behind(new, old)),
       "mask": lambda t, s, past: torch.cat([_top_left(t, t), _ones(t, s - t)], dim=1)}), evidence.entry),
    ("joined-along-the-heads", "Past and new were joined along axis 1, the heads.",
     "Keys of later tokens stand behind earlier ones along the positions: dim=-2.", _joined_along(1), None),
    ("joined-along-another-axis", "Past and new were joined along axis 0, the batch, or along axis 3, the features.",
     "Keys of later tokens stand behind earlier ones along the positions: dim=-2.",
     (*_joined_along(0), *_joined_along(-1)), None),
    ("stacked", "Past and new were stacked, which makes a new axis; they are to become one longer row of positions.",
     "torch.cat([past[0], k], dim=-2) makes the positions more, and leaves the axes as they are.",
     (_joined_by(lambda old, new: torch.stack([old, new])),), None),
    ("added", "The new keys and values were added to the past ones, number by number.",
     "They are to stand behind them: torch.cat([past[0], k], dim=-2).",
     (_joined_by(lambda old, new: old + new),), None),
    ("past-fails-at-none", "At the first call past is None, and None holds no keys and values.",
     "`if past is not None:` before past is opened.",
     ({"answer": _unasked}, {"answer": lambda q, k, v, past: _unasked(q, k, v, past, unpack=True)}), None),
    ("no-mask", "Nothing is hidden: a new token sees those that come after it.",
     "New token i sees the whole past, and the new tokens 0 to i. What must the mask (new, old + new) look like?",
     (_masked_by(_ones),), evidence.entry),
    ("top-left", "The triangle of the mask begins at the top left: new token 0 sees only position 0 of the past, "
     "and the last token does not see itself.",
     "Row i is position old + i: it sees the columns 0 to old + i. torch.ones(T, S).tril(S - T); is_causal=True does "
     "not know that there is a past.",
     (_masked_by(_top_left),), evidence.entry),
    ("mask-without-past", "The mask is (new, new), the scores are (new, old + new): the past has no columns in your "
     "mask.",
     "Row i sees all old columns too, and of the new ones 0 to i.", _of_another_size(lambda t, s: t), None),
    ("mask-with-past-rows", "The mask is (old + new, old + new), the scores are (new, old + new): your mask has rows "
     "for the past.",
     "Only the new tokens ask: of the rows of this mask the last ones belong to them.",
     _of_another_size(lambda t, s: s), None),
    ("mask-only-at-the-beginning", "With a past nothing is hidden; without one the mask is right.",
     "Several new tokens may come at once, also later: with a past, too, a token sees none that come after it.",
     (_masked_by(lambda t, s, past: _lower(t, s) if past is None else _ones(t, s)),), evidence.entry),
    ("mask-only-with-past", "Without a past nothing is hidden; with one the mask is right.",
     "At the first call, too, a token sees only those up to itself.",
     (_masked_by(lambda t, s, past: _ones(t, s) if past is None else _lower(t, s)),), evidence.entry),
    ("past-not-read", "The cache is right, but the new tokens saw only each other: out was made without the past.",
     "Compare q with all keys, and mix all values: the past in front, then the new ones.",
     (_masked_by(_new_only), {"read": lambda k, v, past, keys, values: (k, v)}), evidence.entry),
    ("past-not-read-no-mask", "Two things: out was made without the past, and a new token sees those that come after "
     "it.",
     "Compare q with all keys, and mix all values; then hide what comes after each token.",
     ({"read": lambda k, v, past, keys, values: (k, v), "mask": _ones},), evidence.entry),
    ("past-ignored", "past was never used, neither for out nor for the cache.",
     "torch.cat([past[0], k], dim=-2), and the same for v, where past is not None.",
     ({"join": lambda k, v, past: (k, v)}, {"join": lambda k, v, past: (k, v), "mask": _ones}), None),
    ("only-past", "The new tokens saw only the past, not themselves and each other; or only the past was read.",
     "A new token sees the past, the new tokens before it, and itself.",
     (_masked_by(lambda t, s, past: _lower(t, s) if past is None else _ones(t, s) & (torch.arange(s) < s - t)),
      {"read": lambda k, v, past, keys, values: past or (k, v), "mask": lambda t, s, past:
          _lower(t, s) if past is None else _ones(t, s)}), evidence.entry),
    ("only-new-handed-on", "out is right, but only the new keys and values were handed on: the next call would have "
     "forgotten the past.",
     "Hand on what you have joined: the past and the new ones.",
     (_kept(lambda k, v, past, keys, values: (k, v)),), None),
    ("past-handed-on", "The new keys and values are missing in what you handed on: it is past as it came. (out is "
     "right.)",
     "Hand on what you have joined: the past and the new ones.", _PAST_KEPT, None),
    ("past-handed-on-and-out", "Two things: the new keys and values are missing in what you handed on, which is past "
     "as it came; and out is wrong.",
     "Hand on what you have joined, the past and the new ones. Run this cell again then: it will speak of out.",
     tuple({**kept, **steps} for kept in _PAST_KEPT for steps in _WRONG_OUT), None),
    ("one-not-handed-on", "Of keys and values only one was handed on in full length.",
     "Both must grow: the past and the new ones, for k and for v.",
     (_kept(lambda k, v, past, keys, values: (keys, v)), _kept(lambda k, v, past, keys, values: (k, values)),
      _kept(lambda k, v, past, keys, values: (keys, past[1])),
      _kept(lambda k, v, past, keys, values: (past[0], values))), None),
    ("one-not-joined", "Only the keys, or only the values, were joined with the past: weights and values have "
     "different lengths then.",
     "Both must be joined: torch.cat([past[0], k], dim=-2) and torch.cat([past[1], v], dim=-2).",
     ({"read": lambda k, v, past, keys, values: (keys, v)}, {"read": lambda k, v, past, keys, values: (k, values)}),
     None),
    ("values-first-in-cache", "The cache came back as (v, k): the keys belong in front.",
     "The next call takes past[0] for the keys: return out, (k, v).",
     ({"keep": lambda k, v, past, keys, values: (values, keys)},), evidence.entry),
    ("past-read-as-v-k", "past was opened as (v, k): old values stand before the new keys, and old keys before the new "
     "values.",
     "past is (k, v): past[0] are the keys.",
     ({"join": lambda k, v, past: _join(k, v, past and past[::-1])},
      {"join": lambda k, v, past: _join(k, v, past and past[::-1]),
       "keep": lambda k, v, past, keys, values: (values, keys)}), evidence.entry),
    ("keys-as-values", "past[0], the keys, was joined to both k and v (or past[1], the values, was).",
     "past[0] goes before k, past[1] before v.",
     ({"join": lambda k, v, past: _join(k, v, past and (past[0], past[0]))},
      {"join": lambda k, v, past: _join(k, v, past and (past[1], past[1]))}), evidence.entry),
    ("keys-mixed", "The cache is right, but out is a mix of the keys, not of the values.",
     "Keys decide how much is read; values are what is read: weights @ v.",
     ({"read": lambda k, v, past, keys, values: (keys, keys)},), evidence.entry),
    ("one-ahead", "Each new token also sees the one after it.",
     "Row i of the mask is position old + i: the columns 0 to old + i. tril(S - T), not one more.",
     (_masked_by(lambda t, s, past: _ones(t, s).tril(s - t + 1)),), evidence.entry),
    ("not-itself", "A new token does not see itself; at the first call the first one then sees nothing at all.",
     "Up to itself, and itself too: tril(S - T), not one less.",
     (_masked_by(lambda t, s, past: _ones(t, s).tril(s - t - 1)),
      {"mask": lambda t, s, past: _ones(t, s).tril(s - t - 1), "weigh": _filled(-1e9)},
      {"mask": lambda t, s, past: _ones(t, s).tril(s - t - 1), "weigh": _filled(torch.finfo(torch.float32).min)}),
     evidence.entry),
    ("upside-down", "The mask is upside down: a token sees itself and what comes after it, and what came before is "
     "hidden.",
     "tril keeps what lies below the diagonal, the past; triu what lies above.",
     (_masked_by(lambda t, s, past: _ones(t, s).triu(s - t)),), evidence.entry),
    ("true-hides", "The mask was read the wrong way round: what may be seen was hidden, and the future was read.",
     "masked_fill fills where its mask is True. If True means visible, fill where ~mask.",
     (_masked_by(lambda t, s, past: ~_lower(t, s)),
      {"mask": lambda t, s, past: ~_lower(t, s), "weigh": _filled(-1e9)}), evidence.entry),
    ("only-itself", "Each new token sees only itself, or only itself and the past: the new tokens before it are "
    "hidden.",
     "New token i sees the whole past and the new tokens 0 to i.",
     (_masked_by(lambda t, s, past: _ones(t, s).tril(s - t).triu(s - t)),
      _masked_by(lambda t, s, past: torch.cat([_ones(t, s - t), torch.eye(t, dtype=torch.bool)], 1))), evidence.entry),
    ("no-scale", "The scores were not divided by sqrt(D).", "D is q.size(-1).", ({"scale": lambda q, k: 1},),
     evidence.entry),
    ("scaled-by-d", "The scores were divided by D instead of sqrt(D). (Dividing by sqrt(D) twice does the same.)",
     "Divide once, by the root: math.sqrt(q.size(-1)).", ({"scale": lambda q, k: 1 / q.size(-1)},), evidence.entry),
    ("scaled-by-another", "The scores were divided by the root of another number than D: of positions, heads or "
     "items, or of the features of all heads.",
     "D is the width of a head: q.size(-1).",
     (_root_of(lambda q, k: q.size(-2)), _root_of(lambda q, k: k.size(-2)), _root_of(lambda q, k: q.size(1)),
      _root_of(lambda q, k: q.size(0)), _root_of(lambda q, k: q.size(1) * q.size(-1))), evidence.entry),
    ("fixed-scale", "The scores were divided by a fixed number: right only for heads of one size.",
     "Take the size from q itself: math.sqrt(q.size(-1)).",
     tuple({"scale": lambda q, k, root=root: 1 / root} for root in (8, math.sqrt(11), math.sqrt(2), 2)),
     evidence.entry),
    ("multiplied", "The scores were multiplied by sqrt(D) instead of divided.",
     "The spread of the scores is to become smaller.", ({"scale": lambda q, k: math.sqrt(q.size(-1))},),
     evidence.entry),
    ("over-queries", "The softmax runs over the queries, not over the keys.", "Keys are the last axis: dim=-1.",
     ({"weigh": lambda s, m: s.masked_fill(~m, -_INF).softmax(-2)},), evidence.entry),
    ("over-another-axis", "The softmax runs over the heads or over the batch.", "Keys are the last axis: dim=-1.",
     tuple({"weigh": lambda s, m, dim=dim: s.masked_fill(~m, -_INF).softmax(dim)} for dim in (0, 1)), evidence.entry),
    ("no-softmax", "The values were mixed by the scores themselves: the softmax is missing.",
     "Weights are positive, and those of one token sum to 1.",
     ({"weigh": lambda s, m: s.masked_fill(~m, 0.0)}, {"weigh": lambda s, m: s.masked_fill(~m, -_INF)},
      {"weigh": lambda s, m: s.masked_fill(~m, -1e9)}), evidence.entry),
    ("zero-filled", "Hidden scores were set to 0 (or to a tiny number), and exp(0) = 1: a score of 0 is an ordinary "
     "score.",
     "Fill with float('-inf'), where ~mask.",
     ({"weigh": _filled(0.0)}, {"weigh": _filled(1e-9)}), evidence.entry),
    ("weak-fill", "The fill is not low enough for these scores: hidden tokens keep a weight.",
     "A score of -10 is hidden beside 0, but not beside -30. -inf is low enough beside everything.",
     tuple({"weigh": _filled(float(-low))} for low in (1, 2, 5, 10, 15, 20, 30)), evidence.entry),
    ("masked-after-softmax", "The mask came after the softmax, and nothing was divided: the weights of a token do not "
     "sum to 1.",
     "Fill the scores first; then the softmax shares everything out among what is visible.",
     ({"weigh": lambda s, m: s.softmax(-1) * m},), evidence.entry),
    ("mask-added", "The mask was added to the scores as numbers: True counts as 1, and nothing is hidden.",
     "Only a mask of 0 and -inf can be added. With True and False: masked_fill(~mask, float('-inf')).",
     ({"weigh": lambda s, m: (s + m).softmax(-1)}, {"weigh": lambda s, m: (s + ~m).softmax(-1)}), evidence.entry),
    ("queries-joined", "out has a row for each token of the past, too: past keys were used as queries.",
     "Only the new tokens ask: q stays as it is, and out has as many positions as q.",
     ({"answer": _all_queries},), None),
    ("only-the-last", "out holds the last new token alone.",
     "Several new tokens may come at once: out has a row for each.",
     (_then(result=lambda out, cache, weights: (out[:, :, -1:], cache)),
      _then(result=lambda out, cache, weights: (out[:, :, -1], cache))), None),
    ("heads-merged", "The heads of out were merged: that comes later.",
     "out keeps the form of q: (B, H, new, D).",
     (_then(result=lambda out, cache, weights: (out.transpose(1, 2).flatten(2), cache)),), None),
    ("weights-too", "The weights came back as well.", "Two things: `return out, (k, v)`.",
     (_then(result=lambda out, cache, weights: (out, weights, cache)),
      _then(result=lambda out, cache, weights: (out, cache, weights)),
      _then(result=lambda out, cache, weights: ((out, weights), cache)),
      _then(result=lambda out, cache, weights: (out, weights, *cache))), None),
    ("weights-instead", "The weights came back in place of out, or of the cache.", "`return out, (k, v)`.",
     (_then(result=lambda out, cache, weights: (weights, cache)),
      _then(result=lambda out, cache, weights: (out, weights))), None),
    ("three-things", "out, k and v came back as three things; keys and values belong together in a pair.",
     "With brackets of its own: `return out, (k, v)`.",
     (_then(result=lambda out, cache, weights: (out, *cache)),), None),
    ("only-out", "Only out came back; without the cache the next call knows nothing of the past.",
     "`return out, (k, v)`.", (_then(result=lambda out, cache, weights: out),), None),
    ("cache-first", "The pair is the wrong way round: out comes first, then the cache.", "`return out, (k, v)`.",
     (_then(result=lambda out, cache, weights: (cache, out)),), None),
    ("list-of-both", "The keys and values came back in a list. The numbers are right; a tuple is asked for, since what "
     "is handed on is not to be changed any more.",
     "Round brackets: `return out, (k, v)`.",
     (_then(result=lambda out, cache, weights: (out, list(cache))),), None),
    ("stacked-cache", "Keys and values came back as one tensor, stacked or joined; a pair of two is asked for.",
     "`return out, (k, v)`.",
     (_then(result=lambda out, cache, weights: (out, torch.stack(cache))),
      _then(result=lambda out, cache, weights: (out, torch.cat(cache)))), None),
    ("scaled-keys-kept", "out is right, but the keys were handed on divided by the root: at the next call they would "
     "be divided once more.",
     "Hand on the keys as they came; divide the scores (or q).",
     ({"keep": lambda k, v, past, keys, values: (keys / math.sqrt(k.size(-1)), values)},), evidence.entry),
)


def _cache_answer(answer=None, **steps):
    return answer or _cached(**steps)


def _cache_altered(case):
    """The cache must be past and new, one after the other."""
    for name, got, right in case.parts[1:]:
        wrong = (got - right).abs().amax((0, 1, 3)).nan_to_num(_INF) > 1e-4
        if wrong.any():
            at, old = int(wrong.nonzero()[0]), case.expected[1][0].size(-2) - case.args[0].size(-2)
            source = f"position {at} of the past" if at < old else f"new token {at - old}"
            what = {"all_k": "key", "all_v": "value"}[name]
            return (f"The cache must hold the past and then the new tokens, unchanged: at position {at} of {name} "
                    f"belongs the {what} of {source}, and yours holds other numbers.")
    return None


def _ask(attempt, q, k, v, past=None):
    return attempt(q.clone(), k.clone(), v.clone(), past and (past[0].clone(), past[1].clone()))


_ASKED = tuple(normal(B, H, 4, D, seed=seed) for seed in (261, 262, 263))
_BEFORE = tuple(normal(B, H, S, D, seed=seed) for seed in (264, 265))


def _future(attempt):
    """Change the last new token: earlier ones must not notice."""
    q, k, v = _ASKED
    for past in (None, _BEFORE):
        later = [torch.cat([x[:, :, :3], x[:, :, 3:] + 1], dim=2) for x in (k, v)]
        moved = (_ask(attempt, q, k, v, past)[0] - _ask(attempt, q, *later, past)[0])[:, :, :3].abs().amax((0, 1, 3))
        if moved.max() > 1e-5:
            where = "Without a past" if past is None else "With a past of 7"
            return (f"A token must not see what comes after it. {where}: when key and value of new token 3 changed, "
                    f"out of new token {int(moved.argmax())} moved by {float(moved.max()):.4f}.")
    return None


def _visible(attempt):
    """Change the value of one visible position after the other: out must notice."""
    q, k, v = _ASKED
    before = _ask(attempt, q, k, v, _BEFORE)[0]
    for at in range(S + 4):
        values = torch.cat([_BEFORE[1], v], dim=2)
        values[:, :, at] += 3
        moved = (before - _ask(attempt, q, k, values[:, :, S:], (_BEFORE[0], values[:, :, :S]))[0]).abs()
        unmoved = moved.amax((0, 1, 3))[max(0, at - S):] < 1e-6
        if unmoved.any():
            token = max(0, at - S) + int(unmoved.nonzero()[0])
            what = f"position {at} of the past" if at < S else f"new token {at - S}" if at - S != token else "itself"
            return (f"A token sees the whole past, and the new tokens up to itself. With a past of 7, new token "
                    f"{token} does not see {what}: when that value changed, its out stayed as it was.")
    return None


def _constant_values(attempt):
    """Where all values are 1, so is every mean of them."""
    q, k, v = _ASKED
    for past in (None, _BEFORE):
        out = _ask(attempt, q, k, torch.ones_like(v), past and (past[0], torch.ones_like(past[1])))[0]
        if _moved(out, torch.ones_like(out)) > 1e-4:
            at = evidence.worst(out, torch.ones_like(out))
            where = "without a past" if past is None else "with a past of 7"
            return (f"out is a mean of values, with weights that sum to 1: where all values are 1, out must be 1. "
                    f"Tried {where}, yours at {evidence.place(at)} is {evidence.number(out[at])}.")
    return None


def _chunks(attempt):
    """All at once must give what one by one gives."""
    q, k, v = _ASKED
    at_once, past, parts = _ask(attempt, q, k, v)[0], None, []
    for part in (slice(0, 1), slice(1, 3), slice(3, 4)):
        out, past = _ask(attempt, q[:, :, part], k[:, :, part], v[:, :, part], past)
        parts.append(out)
    moved = (at_once - torch.cat(parts, dim=2)).abs().amax((0, 1, 3))
    if moved.max() < 1e-4:
        return None
    return (f"A cache only saves work: four tokens at once, or first one, then two, then one, must give the same out. "
            f"Yours differs first at token {int((moved > 1e-4).nonzero()[0])}, by up to {float(moved.max()):.4f}.")


def _apart(attempt):
    """Change one head of one item, and look whether others notice."""
    steps = normal(S, D, seed=266)  # another one for each position: the same for all keys would change nothing

    def change(at):
        plus = torch.zeros(B, H, 1, 1)
        plus[at] = 1
        q, k, v, *past = (x + plus * steps[:x.size(2)] for x in (*_ASKED, *_BEFORE))
        return _ask(attempt, q, k, v, tuple(past))[0].flatten(2)

    return _met(_first_that_moves(_ask(attempt, *_ASKED, _BEFORE)[0].flatten(2), change, _HEADS_TO_CHANGE))


def _new_and_past(seed, b, h, new, d, old=None, dtype=torch.float32, around=0.0):
    """Arguments for 6.5; `around` moves queries and keys apart, so that all scores are low."""
    q, k, v, *past = (normal(b, h, n, d, seed=seed + 300 + i, dtype=dtype) for i, n in
                      enumerate((new, new, new, old or 0, old or 0)))
    if around:
        q, k, past[0] = 0.3 * q + around, 0.3 * k - around, 0.3 * past[0] - around
    return q, k, v, None if old is None else tuple(past)


def _small_cache(q, k, v, past=None):
    def column(numbers):
        return torch.tensor(numbers)[None, None, :, None]
    return column(q), column(k), column(v), past and tuple(column(x) for x in past)


def _wider(args):
    """The same with four features: here it shows whether the scores were scaled."""
    return tuple(None if x is None else x.repeat(1, 1, 1, 4) for x in args)


ATTEND_WITH_CACHE = Exercise(
    id="6.5", name="attend_with_cache", signature="attend_with_cache(q, k, v, past)", minutes=12, difficulty=3,
    gives="(out, (k, v)): out (B, H, new, D), where each new token sees the past and the new tokens up to itself; and "
          "all keys and values, the past ones in front, for the next call. past is (k, v) or None",
    solution=solutions.attend_with_cache, arguments=("q", "k", "v", "past"), returns=("out", ("all_k", "all_v")),
    sizes={2: "B", 3: "H", 5: "new", 7: "old", 4: "old", 12: "old + new", 9: "old + new", 8: "old + new", 11: "D",
           13: "D", 17: "D"},
    probes=(
        Probe("five new tokens, no past", _new_and_past(0, B, H, T, D)),
        Probe("five new tokens, a past of seven", _new_and_past(5, B, H, T, D, S)),
        Probe("one new token, a past of seven", _new_and_past(10, B, H, 1, D, S)),
        Probe("one token, no past", _new_and_past(15, B, H, 1, D)),
        Probe("a past with no positions", _new_and_past(20, B, H, T, D, 0)),
        Probe("float64, a past of four", _new_and_past(25, B, H, T, D, 4, torch.float64)),
        Probe("heads of 17 features", _new_and_past(30, B, H, T, 17, S)),
        Probe("one item, one head", _new_and_past(35, 1, 1, T, 13, 4)),
        Probe("scores around -30", _new_and_past(40, B, H, T, 13, S, around=2.9)),
        Probe("float64, no past", _new_and_past(50, B, H, T, D, dtype=torch.float64)),
        Probe("scores around -30, no past", _new_and_past(45, B, H, T, 13, around=2.9)),
    ),
    small=(_small_cache([1.0], [1.0], [8.0], ([0.0], [4.0])),
           _small_cache([1.0, 2.0], [1.0, 0.0], [8.0, 4.0]),
           _small_cache([1.0, 2.0], [1.0, 0.0], [8.0, 4.0], ([0.0, 2.0], [1.0, 2.0])),
           _wider(_small_cache([1.0, 2.0], [1.0, 0.0], [8.0, 4.0]))),
    misconceptions=_known(_cache_answer, _CACHES),
    hints=(
        "First the cache: where past is not None, the past keys come in front of k, and the past values in front of v, "
        "along the positions: torch.cat([past[0], k], dim=-2). What you hand on is the same that you read.",
        "The scores are (new, old + new). Row i is position old + i of the text, and may see the columns 0 to old + i: "
        "torch.ones(T, S, dtype=torch.bool).tril(S - T), with T new and S in all.",
        "Then as ever: scores / sqrt(D), -inf where ~mask, softmax over the last axis, weights @ v. "
        "`return out, (k, v)`.",
    ),
    laws=(laws.FINITE, Law("cache-altered", _cache_altered,
                           "torch.cat([past[0], k], dim=-2) and torch.cat([past[1], v], dim=-2), and nothing else done "
                           "to them.")),
    experiments=(
        Experiment("future-seen", _future, "Print the mask for 2 new tokens after a past of 3: row 0 must be True 4 "
                                           "times, row 1 five times."),
        Experiment("not-all-seen", _visible, "Print the mask for 2 new tokens after a past of 3: row 0 must be True 4 "
                                             "times, row 1 five times."),
        Experiment("items-mixed", _apart, "The axes B and H stay in front untouched: which line sums over them, or "
                                          "takes them for positions?"),
        Experiment("weights-do-not-sum-to-1", _constant_values, "Fill the scores, then one softmax over the last axis, "
                                                                "and nothing after it."),
        Experiment("chunks-differ", _chunks, "Which step depends on how many tokens come at once, or on whether there "
                                             "is a past?"),
    ),
    after="Token by token or all at once: the numbers are the same, and no key is calculated twice.",
)

EXERCISES = (LAYER_NORM, ADD_AND_NORM, RELATIVE_KEY_SCORES, PRUNE_LINEAR, ATTEND_WITH_CACHE)
