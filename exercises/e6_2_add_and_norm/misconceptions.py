"""What people get wrong in exercise 6.2, add_and_norm."""

import torch
import torch.nn.functional as F

from exercises.common import references
from exercises.common.block import _NORMS, _by_a_new_layer, _known, _norm, _statistics, _vector


def _norm_of_sum(**steps):
    """The steps as an answer to 6.2."""
    norm = _norm(**steps)
    return lambda sublayer_out, x, *rest: norm(sublayer_out + x, *rest)


def _adding(combine):
    """Something else done with the two, by the right norm: combine(norm, sublayer_out, x)."""

    def answer(sublayer_out, x, weight, bias, eps):
        return combine(lambda z: references.layer_norm(z, weight, bias, eps), sublayer_out, x)

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


MISCONCEPTIONS = (*_known(lambda answer: answer, _SUMS), *_known(_norm_of_sum, _NORMS),
    _by_a_new_layer(lambda norm: lambda sublayer_out, x, *rest: norm(sublayer_out + x, *rest)))
