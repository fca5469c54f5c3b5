"""13.5 test_heads. Its suspects have q_proj, k_proj, v_proj, out_proj and num_heads, and take x to (out, weights)."""

import math

import torch
from torch import nn

from exercises.n13_the_museum_of_bugs.suspects import Suspects
from feedback.format import number
from helpers import require
from helpers.heads import merge_heads, split_heads


def test_heads(attention):
    """Head h is made of the h-th D rows of each projection, and out_proj reads it in its h-th D columns.

    Shapes: attention takes x (B, T, C) to out (B, T, C) and weights (B, H, T, T)
    """
    H, C = attention.num_heads, attention.q_proj.in_features
    x = torch.randn(2, 5, C)
    layers = (attention.q_proj, attention.k_proj, attention.v_proj)
    q, k, v = (layer(x).view(2, 5, H, C // H).transpose(1, 2) for layer in layers)  # (B, H, T, D)
    right = (q @ k.transpose(-2, -1) / math.sqrt(C // H)).softmax(-1)
    out, weights = attention(x)
    assert (weights - right).abs().max() < 1e-4, "the weights of a head"
    heads = (right @ v).transpose(1, 2).reshape(2, 5, C)  # side by side
    assert (out - attention.out_proj(heads)).abs().max() < 1e-4, "the values of a head, or what becomes of them"


# ---------------------------------------------------------------- what a test gives to a suspect


def attention(suspect, x):
    """Check the argument of a call of a suspect, and return a copy for rules."""
    require.shape(x, "B T C", C=suspect.q_proj.in_features)
    return (x.detach().clone(),)


def one_token(calls):
    return all(x.size(1) == 1 for (x,) in calls)


def equal_tokens(calls):
    return all((x == x[:, :1]).all() for (x,) in calls)


# ---------------------------------------------------------------- what suspects are made of


class Linear(nn.Linear):
    """A linear layer with these parameters, made without random initialization."""

    def __init__(self, weight, bias):
        nn.Module.__init__(self)
        self.out_features, self.in_features = weight.shape
        self.weight = nn.Parameter(weight.clone())
        self.register_parameter("bias", None if bias is None else nn.Parameter(bias.clone()))


class Attention(nn.Module):
    """The class of all suspects; `forward` defines what they do with their projections."""

    def __init__(self, numbers, forward, num_heads, width, bias=True):
        super().__init__()
        self.num_heads, self._forward = num_heads, (forward,)
        C = num_heads * width
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            own = numbers(name, C) / 2 if bias else None
            setattr(self, name, Linear(numbers.matrix(name, C, C), own))

    def forward(self, x):
        return self._forward[0](self, x)


def projected(m, x):
    """Return q, k and v, (B, H, T, D)."""
    return (split_heads(layer(x), m.num_heads) for layer in (m.q_proj, m.k_proj, m.v_proj))


def interleaved(x, H):
    """(B, T, C) -> (B, H, T, D), where head h is every H-th feature."""
    return x.unflatten(-1, (-1, H)).permute(0, 3, 1, 2)


def weigh(q, k):
    return (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)


# ---------------------------------------------------------------- what shows a bug


@torch.no_grad()
def shows(m):
    """Show a weight or an output that is made from the wrong rows."""
    C, H = m.q_proj.in_features, m.num_heads
    x = torch.randn(2, 4, C, generator=torch.Generator().manual_seed(C))
    out, weights = m(x)
    q, k, v = projected(m, x)
    right = weigh(q, k)
    if (weights - right).abs().max() > 1e-3:
        name, got = "weights", weights
    else:
        name, got, right = "out", out, m.out_proj(merge_heads(right @ v))
    at = tuple(int(i[0]) for i in _largest(got - right))
    return (
        f"With {H} heads of {C // H} features and an x of shape {tuple(x.shape)}, {name}{list(at)} is "
        f"{number(got[at])}, and {number(right[at])} if each head has its own rows"
    )


def _largest(x):
    return (x.abs() == x.abs().max()).nonzero(as_tuple=True)


SUSPECTS = Suspects(test_heads, takes=attention)
EXERCISE = SUSPECTS.exercise(
    error_meanings=(
        (r"NoneType", "BIAS"),
        (r"a leaf Variable that requires grad|a view of a leaf", "WRITING"),
        (r"shapes cannot be multiplied", "WIDTH"),
    )
)
