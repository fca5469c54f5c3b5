"""What several exercises of notebook 02 share."""

import math

from exercises.common import explainers
from exercises.common.inputs import B, D, H, S, T, normal, round_numbers
from exercises.common.modules import Layers, fill
from exercises.common.single_head import by_root, right_weights
from feedback import TestCase


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
    return tuple(TestCase(name, (q, k, *(make(k) for make in extra))) for name, (q, k) in named)


def _reshaped(k):
    """k with the right shape for q @ k, and the wrong numbers in it."""
    return k.reshape(*k.shape[:-2], k.size(-1), k.size(-2))


def _transposed(case):
    return explainers.shape(case) + "; rows belong to queries, columns to keys"


def _reversed_axes(q, k):
    """What k.T does on every torch version: all axes in reverse order."""
    return q @ k.permute(*range(k.dim() - 1, -1, -1))


# q.size(-1) ** 1 / 2 in brackets, and without them behind the scores
_WITHOUT_BRACKETS = (lambda q, k: 2 / q.size(-1), lambda q, k: 1 / (2 * q.size(-1)))


_ROOTS = (math.sqrt(32), 8, math.sqrt(11), 2, math.sqrt(3))


def _scores_returned(q, k, v):
    return right_weights(q, k) @ v, q @ k.transpose(-2, -1) * by_root(q, k)


PROJECTIONS = ("W_query", "W_key", "W_value")


_ASKED = Layers(PROJECTIONS, "nn.Linear(d_in, d_out, bias=False)", "d_in = {} features to d_out = {}", bias=False)


def fill_projections(module, attempt, weights):
    """Copy `weights` into W_query, W_key and W_value, or say what is wrong with them."""
    fill(module, attempt, _ASKED, weights)
