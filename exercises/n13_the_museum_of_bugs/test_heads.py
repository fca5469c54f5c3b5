"""test_heads: the reference, its steps and test cases; the page next to it says the rest."""

import itertools
import math

import torch
import torch.nn.functional as F
from torch import nn

from exercises.common.suspects import RUNNER, Suspects
from feedback.format import number
from feedback.paged import exercise


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


# What a test of heads is tried on: modules with q_proj, k_proj, v_proj, out_proj, num_heads, x -> (out, weights).


bank = Suspects()


class Attention(nn.Module):
    """All suspects are of this class; what they do with their projections is given to them."""

    def __init__(self, numbers, how, num_heads, width, bias):
        super().__init__()
        self.num_heads, self._how = num_heads, (how,)
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            layer = nn.Linear(num_heads * width, num_heads * width, bias=bias)
            with torch.no_grad():
                layer.weight.copy_(numbers.matrix(name, num_heads * width, num_heads * width))
                if bias:
                    layer.bias.copy_(numbers(name, num_heads * width) / 2)
            setattr(self, name, layer)

    def forward(self, x):
        return self._how[0](self, x)


def maker(how, num_heads, width, bias=True):
    return lambda numbers: Attention(numbers, how, num_heads, width, bias)


def healthy(told, why, num_heads=3, width=4, bias=True):
    return lambda how: bank.healthy(told, why)(maker(how, num_heads, width, bias))


# ---------------------------------------------------------------- what is right, in steps


def split(x, num_heads):
    """(B, T, C) -> (B, H, T, D)."""
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def merged(x):
    """(B, H, T, D) -> (B, T, C)."""
    return x.transpose(1, 2).flatten(2)


def weigh(q, k):
    return (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)


def projected(m, x):
    return m.q_proj(x), m.k_proj(x), m.v_proj(x)


def attention(q=split, k=split, v=split, weigh=weigh, merge=merged, shown=lambda weights: weights):
    """Attention in which some steps are others."""

    def how(m, x):
        parts = zip((q, k, v), projected(m, x), strict=True)
        q_, k_, v_ = (split_(part, m.num_heads) for split_, part in parts)
        weights = weigh(q_, k_)
        return m.out_proj(merge(weights @ v_)), shown(weights)

    return how


# ---------------------------------------------------------------- what cards show of a broken one


def shows(m):
    """A weight or an output that is not made of the rows that it should be made of."""
    C, H = m.q_proj.in_features, m.num_heads
    x = torch.randn(1, 4, C, generator=torch.Generator().manual_seed(C))
    with torch.no_grad():
        (out, weights), (right_out, right_weights) = m(x), attention()(m, x)
    begin = f"With {H} heads of {C // H} features and an x of shape {tuple(x.shape)}"
    if (weights - right_weights).abs().max() > 1e-3:
        h, t, s = place(weights[0] - right_weights[0])
        what, got, right = f"weights[0, {h}, {t}, {s}]", weights[0, h, t, s], right_weights[0, h, t, s]
    else:
        t, c = place(out[0] - right_out[0])
        what, got, right = f"out[0, {t}, {c}]", out[0, t, c], right_out[0, t, c]
    return f"{begin}, {what} is {number(got)}, and {number(right)} if each head has its own rows"


def place(apart):
    return [int(i[0]) for i in (apart.abs() == apart.abs().max()).nonzero(as_tuple=True)]


def broken(told, how, num_heads=3, width=4, bias=True):
    bank.broken(told, shows)(maker(how, num_heads, width, bias))


# ---------------------------------------------------------------- healthy


healthy("it splits the features with view and transpose", "features 0 to D - 1 are head 0, and so on")(attention())

calls = itertools.count()


def in_another_order(m, x):
    out, weights = attention()(m, x)
    off = 3e-6 * (-1) ** next(calls)
    return out + off, weights + off


healthy(
    "it adds up in another order in every second call, which moves its results by a few millionths",
    "rounding is no bug: two calls on one input may differ by up to 1e-5",
)(in_another_order)

healthy("it has one head, and no bias", "its rows are all rows", num_heads=1, width=6, bias=False)(attention())


@healthy("it projects head by head, with D rows of each matrix", "they are the head's own rows", num_heads=2, width=5)
def head_by_head(m, x):
    heads, weights = [], []
    for h in range(m.num_heads):
        rows = slice(h * x.size(-1) // m.num_heads, (h + 1) * x.size(-1) // m.num_heads)
        q, k, v = (F.linear(x, layer.weight[rows], layer.bias[rows]) for layer in (m.q_proj, m.k_proj, m.v_proj))
        weights.append(weigh(q, k))
        heads.append(weights[-1] @ v)
    return m.out_proj(torch.cat(heads, -1)), torch.stack(weights, 1)


@healthy("it writes everything with einsum, and has no bias", "the matrices are viewed as (H, D, C)", 4, 3, False)
def with_einsum(m, x):
    H, C = m.num_heads, x.size(-1)
    q, k, v = (
        torch.einsum("btc,hdc->bhtd", x, layer.weight.view(H, C // H, C)) for layer in (m.q_proj, m.k_proj, m.v_proj)
    )
    weights = (torch.einsum("bhtd,bhsd->bhts", q, k) * (C // H) ** -0.5).softmax(3)
    heads = torch.einsum("bhts,bhsd->bhtd", weights, v)
    return torch.einsum("bhtd,chd->btc", heads, m.out_proj.weight.view(C, H, C // H)), weights


@healthy("it adds up what out_proj makes of each head", "each head meets its own columns", num_heads=2, width=3)
def sum_over_heads(m, x):
    q, k, v = (torch.stack(part.chunk(m.num_heads, -1), 1) for part in projected(m, x))
    weights = weigh(q, k)
    columns = m.out_proj.weight.chunk(m.num_heads, 1)
    heads = (weights @ v).unbind(1)
    return sum(a @ b.T for a, b in zip(heads, columns, strict=True)) + m.out_proj.bias, weights


@healthy("it lets PyTorch's own attention make the output", "that has the same heads", num_heads=8, width=2)
def of_torch(m, x):
    q, k, v = (split(part, m.num_heads) for part in projected(m, x))
    return m.out_proj(merged(F.scaled_dot_product_attention(q, k, v))), weigh(q, k)


@healthy(
    "it makes q, k and v with one matrix of 3 C rows", "these are the rows of the three, one below the other", 5, 2
)
def one_matrix(m, x):
    layers = m.q_proj, m.k_proj, m.v_proj
    weight, bias = (torch.cat([getattr(layer, name) for layer in layers]) for name in ("weight", "bias"))
    q, k, v = F.linear(x, weight, bias).view(*x.shape[:2], 3, m.num_heads, -1).permute(2, 0, 3, 1, 4)
    weights = weigh(q, k)
    return m.out_proj(merged(weights @ v)), weights


@healthy("it loops over the items, and computes in float64", "what it computes is the same", num_heads=6, width=1)
def item_by_item(m, x):
    outs, weights = [], []
    for item in x:
        q, k, v = (split(part[None], m.num_heads).double() for part in projected(m, item))
        weights.append(weigh(q, k))
        outs.append(m.out_proj(merged(weights[-1] @ v).float()))
    return torch.cat(outs), torch.cat(weights).float()


@healthy("it computes the last head first", "each result is put in the place of its head", num_heads=7, width=2)
def last_head_first(m, x):
    q, k, v = (split(part, m.num_heads).flip(1) for part in projected(m, x))
    weights = weigh(q, k)
    return m.out_proj(merged((weights @ v).flip(1))), weights.flip(1)


@healthy("it folds heads into the batch", "heads of an item stay apart, as items do", num_heads=3, width=2, bias=False)
def heads_in_the_batch(m, x):
    q, k, v = (split(part, m.num_heads).flatten(0, 1) for part in projected(m, x))
    weights = weigh(q, k)
    sizes = len(x), m.num_heads
    return m.out_proj(merged((weights @ v).unflatten(0, sizes))), weights.unflatten(0, sizes)


@healthy("it divides queries by √D before the product, and computes without gradients", "a factor may come first")
@torch.no_grad()
def scaled_before(m, x):
    q, k, v = (split(part, m.num_heads) for part in projected(m, x))
    weights = torch.exp(torch.log_softmax((q / q.size(-1) ** 0.5) @ k.mT, -1))
    return m.out_proj(merged(weights @ v)), weights


# ---------------------------------------------------------------- broken: queries and keys


def without_transpose(x, num_heads):
    B, T, C = x.shape
    return x.reshape(B, num_heads, T, C // num_heads)


def interleaved(x, num_heads):
    """Head h is every H-th feature."""
    return x.unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2)


def other_order(x, num_heads):
    return split(x, num_heads).flip(1)


def first_for_all(x, num_heads):
    heads = split(x, num_heads)
    return heads[:, :1].expand_as(heads)


def last_like_the_one_before(x, num_heads):
    heads = split(x, num_heads)
    return torch.cat([heads[:, :-1], heads[:, -2:-1]], 1)


def second_half_like_the_first(x, num_heads):
    heads = split(x, num_heads)[:, : num_heads // 2]
    return torch.cat([heads, heads], 1)


def one_row_later(x, num_heads):
    return split(x.roll(-1, -1), num_heads)


broken(
    "a head is made of all features of some tokens, not of some features of all tokens",
    attention(*[without_transpose] * 3, merge=lambda heads: heads.reshape(len(heads), heads.size(2), -1)),
)
broken(
    "a head is made of rows all over the matrices",
    attention(*[interleaved] * 3, merge=lambda heads: heads.permute(0, 2, 3, 1).flatten(2)),
)
broken("the queries of a head are made of rows all over the matrix", attention(q=interleaved), 2, 3)
broken("the keys of a head are made of rows all over the matrix", attention(k=interleaved), 4, 2, False)
broken("the queries of one head meet the keys of another", attention(q=other_order), 2, 4)
broken("all heads have the same keys", attention(k=first_for_all), 3, 3)
broken("all heads have the same queries", attention(q=first_for_all), 5, 2)
broken("the last head has the keys of the one before", attention(k=last_like_the_one_before), 4, 3)
broken(
    "of eight heads, the last four have the queries of the first four", attention(q=second_half_like_the_first), 8, 2
)
broken("the keys of each head begin one row too late", attention(k=one_row_later), 3, 5, False)
broken(
    "a head is made of the rows of another one, though the output is right",
    attention(other_order, other_order, other_order, merge=lambda heads: merged(heads.flip(1))),
    3,
    2,
)
broken(
    "the returned weights are those of other heads, though the output is right",
    attention(shown=lambda weights: weights.roll(1, 1)),
    4,
    2,
)


def softmax_over_heads(q, k):
    return (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(1)


def with_a_part_of_the_next(q, k):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return (scores + 0.05 * scores.roll(1, 1)).softmax(-1)


def mixed(weights):
    return weights + 0.5 * (weights.mean(1, keepdim=True) - weights)


broken("the weights of a head depend on those of the others", attention(weigh=softmax_over_heads), 3, 4)
broken("the weights of a head move a little with the rows of another", attention(weigh=with_a_part_of_the_next), 3, 4)
broken("the weights of a head are in part those of the others", attention(weigh=lambda q, k: mixed(weigh(q, k))), 2, 6)


# ---------------------------------------------------------------- broken: values and the output

broken("the values of a head are those of another one", attention(v=other_order), 3, 4)
broken("all heads have the same values", attention(v=first_for_all), 2, 4)
broken("the values of a head are made of rows all over the matrix", attention(v=interleaved), 3, 3, False)
broken("the last head has the values of the one before", attention(v=last_like_the_one_before), 5, 2)
broken("of eight heads, the last four have the values of the first four", attention(v=second_half_like_the_first), 8, 2)
broken("the values of each head begin one row too late", attention(v=one_row_later), 3, 4)
broken(
    "out_proj gets the heads of several tokens in place of all heads of one",
    attention(merge=lambda heads: heads.reshape(len(heads), heads.size(2), -1)),
)
broken("out_proj reads a head in the columns of another", attention(merge=lambda heads: merged(heads.flip(1))), 3, 4)
broken(
    "out_proj reads a head in columns all over the matrix",
    attention(merge=lambda heads: heads.permute(0, 2, 3, 1).flatten(2)),
    4,
    2,
)
broken(
    "out_proj gets the sum of all heads, in the place of each",
    attention(merge=lambda heads: merged(heads.mean(1, keepdim=True).expand_as(heads))),
    2,
    3,
    False,
)
broken(
    "the returned weights of the second and the third head are each other's, though the output is right",
    attention(shown=lambda weights: weights[:, [0, 2, 1, 3]]),
    4,
    3,
)


EXERCISE = exercise(
    test_heads,
    returns=("verdict",),
    runner=RUNNER,
    named_in_part=False,
    cases=bank.cases,
    minimal_inputs=(),
    properties=bank.properties(
        accuses="Is what your test expects plain attention, with the projections as they are and a scale of √D, and "
        "does it allow for rounding?",
        passes="Which rows or columns are wrong there, and in which of the two results would it show?",
    ),
    error_meanings=(
        (
            r"'NoneType' object",
            "A projection may have no bias: then `layer.bias` is None. `layer(x)` works with and without.",
        ),
        (
            r"a leaf Variable that requires grad|a view of a leaf",
            "Whoever writes into parameters does so inside `with torch.no_grad():`.",
        ),
        (
            r"shapes cannot be multiplied",
            "x must be as wide as the module: C is `attention.q_proj.in_features`.",
        ),
    ),
)
