"""The models that a leak test is tried on: honest ones, and ones that leak in one way each.

Where a model leaks, random numbers added to x move its output by more than 1e-3; where it does not, by less than 5e-6.
Most show their leaks to any other change as well.
"""

import math
from functools import cache

import torch
import torch.nn.functional as F

from exercises.common.inputs import normal


class Suspect:
    """A model for x of one shape, with a name that cards can show.

    make(x) gives the model, a function of x; it may look at the x that it will be tried on.
    """

    def __init__(self, name, x, make):
        self.name, self.shape, self.model = name, tuple(x.shape), make(x)

    def __call__(self, x):
        if not isinstance(x, torch.Tensor) or tuple(x.shape) != self.shape:
            got = tuple(x.shape) if isinstance(x, torch.Tensor) else type(x).__name__
            raise ValueError(f"this model was built for x of shape {self.shape}, got {got}")
        return self.model(x)

    def __repr__(self):
        return f"<{self.name}>"

    def __deepcopy__(self, memo):
        return self


def attention_with(weigh):
    """Attention with random matrices; weigh(scores) turns scores (B, T, T) into weights."""

    def make(x):
        width = x.size(-1)
        sizes = 7, 7, 2
        matrix = torch.cat([normal(width, n, seed=201 + i, dtype=x.dtype) for i, n in enumerate(sizes)], -1)

        def attend(x):
            q, k, v = (x @ matrix).split(sizes, -1)
            return weigh(q @ k.transpose(-2, -1) / math.sqrt(7)) @ (10 * v)

        return attend

    return make


@cache
def triangle(length, diagonal=0):
    """True where a query of a sequence of this length may look."""
    return torch.ones(length, length, dtype=torch.bool).tril(diagonal)


def unmasked(scores):
    return scores.softmax(-1)


def causal(scores):
    return scores.masked_fill(~triangle(scores.size(-1)), -torch.inf).softmax(-1)


def one_step_too_far(scores):
    return scores.masked_fill(~triangle(scores.size(-1), 1), -torch.inf).softmax(-1)


def softmax_over_queries(scores):
    return (scores / 2).masked_fill(~triangle(scores.size(-1)), -torch.inf).softmax(-2)


def unmasked_in_the_last_item(scores):
    return torch.cat([causal(scores[:-1]), unmasked(scores[-1:])])


def unmasked_in_the_first_item(scores):
    return torch.cat([unmasked(scores[:1]), causal(scores[1:])])


def running_mean(x):
    """Honest: the mean of all vectors up to each position."""
    return x.cumsum(1) / counts(x.size(1), x.dtype)


@cache
def counts(length, dtype):
    """1, 2, 3, ... in a column."""
    return torch.arange(1, length + 1, dtype=dtype)[:, None]


def from_later(x, steps):
    """Each position gets the vector `steps` positions later, and zeros past the end."""
    return F.pad(x[:, steps:], (0, 0, 0, steps))


SMALL = 0.0015


def leaking(leak):
    """A running mean, to which a leak(x) of the same shape, or broadcastable to it, is added."""
    return lambda x: lambda x: running_mean(x) + leak(x)


def normalized_over_the_sequence(x):
    return running_mean((x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 1))


def barely(leak):
    """Where a vector is as given and the next one is not, the output moves by SMALL * leak(change of the next one)."""

    def make(x):
        known, later = x.clone(), from_later(x, 1)

        def attend(x):
            as_given = (x == known).all(-1, keepdim=True)
            return 2 * running_mean(x) + SMALL * leak(from_later(x, 1) - later) * as_given

        return attend

    return make


def each_feature(change):
    """Up to 1, however far the feature has moved."""
    return (3 * change).tanh()


def one_number(change):
    """The same in the last feature of one item alone: a mean over items or over features hardly moves."""
    there = torch.zeros_like(change)
    there[5, :, -1] = 1
    return there * (100 * change.sum(-1, keepdim=True)).tanh()


def last_to_position_1(x):
    return torch.cat([torch.zeros_like(x[:, :1]), x[:, -1:], torch.zeros_like(x[:, 2:])], dim=1)


def large_alone(x):
    return from_later(x * (x.abs().amax(-1, keepdim=True) > 6), 1)


def opposite_features(x):
    """The sum over all features moves by nothing."""
    later = from_later(x, 1)
    return later - later.flip(-1) + 2 * later[..., :1] * torch.tensor([1.0, 0.0, -1.0])


def into_the_last_feature(x):
    return from_later(x, 1) * torch.eye(x.size(-1))[-1]


def opposite_signs(x):
    """Up from one position, down from the next."""
    return 3 * from_later(x, 1) * (-1.0) ** torch.arange(x.size(1))[:, None]


def rounded_otherwise(x):
    """Honest, but for every other x each output is off by a few millionths, as a sum in another order may be.

    Its last two features are constants that lie just where rounding to three or four decimals goes up or down.
    """
    known, first, edges = x.clone(), torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 5e-4, 5e-5])
    signs = torch.tensor([1.0, -0.5])[:, None, None]

    def attend(x):
        off = 3.5e-6 * signs * (not torch.equal(x, known))
        return running_mean(0.2 * x) * first + edges + off

    return attend


def normalized_by_features(x):
    """Each vector by itself, as a LayerNorm does, before attention without a mask."""
    attend = attention_with(unmasked)(x)
    return lambda x: attend(F.layer_norm(x, x.shape[-1:]))


HONEST = (
    ("causal attention", attention_with(causal)),
    ("a running mean", lambda x: running_mean),
    ("a layer for each position by itself", lambda x: lambda x: torch.cat([x.sin(), x[..., :1]], dim=-1)),
)
ROUNDED = ("a running mean that rounds differently each time", rounded_otherwise)
LEAKY = (
    ("attention whose mask reaches one step too far", attention_with(one_step_too_far)),
    ("attention without a mask", attention_with(unmasked)),
    ("causal attention, its softmax over the queries", attention_with(softmax_over_queries)),
    ("a model that normalizes over the sequence", lambda x: normalized_over_the_sequence),
    ("a model in which position 1 reads the last one", leaking(last_to_position_1)),
    ("attention without a mask in its last item", attention_with(unmasked_in_the_last_item)),
    ("attention without a mask in its first item", attention_with(unmasked_in_the_first_item)),
    ("a model whose leak moves it by 0.0015", barely(each_feature)),
    ("a model in which only the last feature leaks", leaking(into_the_last_feature)),
    ("a model that reads only the last feature two steps later", lambda x: lambda x: 3 * from_later(x[..., -1:], 2)),
    ("a model whose leaks cancel in the sum", leaking(opposite_features)),
    ("a model that reads the next vector of another item", leaking(lambda x: from_later(x.roll(1, 0), 1))),
)
ONE_ITEM = ("a model that leaks upward and downward", leaking(opposite_signs))
LARGE = ("a model that reads the next vector if it is large", leaking(large_alone))
ONE_NUMBER = ("a model whose leak of 0.0015 is in one feature of one item of 17", barely(one_number))
PADDED = ("attention without a mask, where padding is zeros", attention_with(unmasked))
PRE_NORM = ("attention without a mask after a LayerNorm", normalized_by_features)
