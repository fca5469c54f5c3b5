"""What several exercises of notebook 06 share."""

import torch
from torch import nn

from exercises.common import explainers, properties
from exercises.common.inputs import B, S, T, normal
from feedback import BehavioralTest, Misconception, Property

_INF = float("inf")


def _known(frame, table):
    """Misconceptions from rows of (id, means, think, steps, evidence); `frame` makes an answer of the steps."""
    return tuple(Misconception(id, means, think, tuple(frame(**steps) for steps in all_steps), tell)
                 for id, means, think, all_steps, tell in table)


def _some(row):
    """The first numbers of a row."""
    words = ", ".join(explainers.number(v) for v in row[:5])
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
    at = explainers.worst(case.first, case.expected_first)[:-1]
    where = f"vector {explainers.position(at)}" if at else "vector"
    return f"your {where} is {_some(case.first[at])}, and {_some(case.expected_first[at])} is right"


def _plain(x, case):
    """A result with weight and bias taken away again."""
    weight, bias = case.args[-3:-1]
    return (x.double() - bias) / weight


def _statistics(case):
    """Mean and variance of a vector, before weight and bias."""
    got, right = _plain(case.first, case), _plain(case.expected_first, case)
    at = explainers.worst(got, right)[:-1]
    got, right = ([explainers.number(f(x[at])) for f in (torch.mean, lambda z: z.var(unbiased=False))]
                  for x in (got, right))
    if got == right:
        return _vector(case)
    where = f"vector {explainers.position(at)}" if at else "vector"
    return (f"before weight and bias your {where} has mean {_unsigned(got[0])} and variance {got[1]}; "
            f"mean {_unsigned(right[0])} and variance {right[1]} are right")


def _unsigned(word):
    """A mean that is 0 but for rounding, as 0.0000."""
    return "0.0000" if abs(float(word)) < 5e-5 else word


def _has_a_mean(case):
    means = _plain(case.first, case).mean(-1)
    if torch.allclose(means, torch.zeros_like(means), atol=1e-3):
        return None
    at = explainers.worst(means, torch.zeros_like(means))
    where = f"vector {explainers.position(at)}" if at else "it"
    return (f"Take weight and bias away again, (result - bias) / weight: each vector must then have mean 0. Tried on "
            f"yours, {where} has mean {explainers.number(means[at])}.")


def _has_another_variance(case):
    got, right = (_plain(x, case).var(-1, unbiased=False) for x in (case.first, case.expected_first))
    if torch.allclose(got, right, rtol=1e-3, atol=1e-4):
        return None
    at = explainers.worst(got, right)
    where = f" at {explainers.position(at)}" if at else ""
    return (f"Take weight and bias away again, (result - bias) / weight: each vector must then have the variance "
            f"variance / (variance + eps), which is nearly 1 when eps is small. Yours{where} has "
            f"{explainers.number(got[at])}, and {explainers.number(right[at])} is right.")


_NORM_LAWS = (
    properties.FINITE,
    Property("mean-not-0", _has_a_mean,
        "Subtract the mean of the vector, over the last axis, before anything else. Or were weight and bias used in "
        "another way than z * weight + bias?"),
    Property("variance-not-1", _has_another_variance,
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
        return (f"Each vector is normalised by itself: when the one at {explainers.position(at)} changed, the result at "
                f"{explainers.position(other)} moved by {moved:.4f}.")

    return BehavioralTest("vectors-mixed", test, "Which line uses more than one vector at a time, or another one than its "
                                             "own? dim=-1 stays within one.")


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
     explainers.not_a_number),
    ("eps-subtracted", "eps was subtracted from the variance; it is to be added.",
     "variance + eps is never 0.", ({"divide": lambda c, v, eps: c / (v - eps).sqrt()},), explainers.not_a_number),
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


_NORM_PROBES = (
    *((name, _to_norm(*how, seed=110 + 3 * i)) for i, (name, *how) in enumerate(_NORM_SHAPES)),
    ("float64, numbers around 1000, a tiny eps", _to_norm((B, T, 11), 1e-12, 1.0, 1000.0, 150, torch.float64)),
    ("float64, tiny differences", _to_norm((B, T, S), 1e-6, 1e-3, 0.0, 153, torch.float64)),
)


_EQUAL = (torch.tensor([[2.5] * 8, [-1.0] * 8]), *_stretch(8, 160), 1e-5)


_BY_HAND = (torch.tensor([1.0, 2.0]), torch.tensor([0.0, 1.0]), 3.0)  # weight, bias, eps


_HEADS_TO_CHANGE = ((1, 2), (0, 0))


def _met(found):
    """The sentence for heads that notice each other."""
    if found is None:
        return None
    at, other, moved = found
    return (f"Items and heads must not meet: when head {at[1]} of item {at[0]} changed, head {other[1]} of item "
            f"{other[0]} moved by {moved:.4f}.")
