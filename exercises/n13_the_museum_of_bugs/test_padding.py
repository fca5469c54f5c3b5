"""test_padding: the reference, its steps and test cases; the page next to it says the rest."""

import math

import torch

from exercises.common.suspects import RUNNER, Suspects
from feedback.format import number
from feedback.paged import exercise


def test_padding(model):
    """What stands in padding does not matter to real tokens, on whichever side it is.

    Shapes: model takes ids and real, both (B, T), to (B, T, C)
    """
    lengths = torch.tensor([4, 9, 1, 7])
    right = torch.arange(9) < lengths[:, None]  # (4, 9): padding stands on the right
    for real in (right, right.flip(1)):
        ids = torch.randint(50, (4, 9))
        before = model(ids, real)[real]
        for _ in range(3):
            ids[~real] = torch.randint(50, (4, 9))[~real]
            moved = (model(ids, real)[real] - before).abs().max()
            assert moved < 1e-4, f"real tokens move by {moved:.2g} with what stands in padding"


# What a test of padding is tried on: functions model(ids, real), both (B, T), -> (B, T, C).
#
# Padding stands on one side in all items of a batch, without holes, and each item has a real token.


bank = Suspects()
C = 6


# ---------------------------------------------------------------- what cards show of a broken one


def shown(side, lengths=(3, 6), other=None):
    """The output of a real token, where other ids stand in padding."""

    def shows(model):
        T = max(lengths)
        real = torch.arange(T) < torch.tensor(lengths)[:, None]
        real = real if side == "right" else real.flip(1)
        own = torch.Generator().manual_seed(4)
        ids = torch.randint(1, 50, real.shape, generator=own)
        changed = torch.where(real, ids, torch.randint(1, 50, real.shape, generator=own) if other is None else other)
        before, after = model(ids, real), model(changed, real)
        moved = ((after - before) * real[..., None]).abs().amax(-1)
        b, t = divmod(int(moved.argmax()), T)
        i = int((after - before)[b, t].abs().argmax())
        counts = " and ".join(map(str, lengths))
        return (
            f"For ids of shape {tuple(real.shape)}, with padding on the {side} and {counts} real tokens, feature {i} "
            f"of the output at [{b}, {t}], a real token, is {number(before[b, t, i])}, and "
            f"{number(after[b, t, i])} with other ids in padding"
        )

    return shows


# ---------------------------------------------------------------- what they are made of


def embedded(numbers, ids):
    """(B, T, C)."""
    return numbers("table", 50, C)[ids]


def scored(numbers, x, layer="", width=C):
    """(B, T, T), mild: every key counts."""
    q, k = (x @ numbers.matrix(layer + name, width, 8) for name in "qk")
    return q @ k.transpose(-2, -1) / 6


def attention(numbers, x, mask, layer="", fill=-math.inf):
    """A residual layer; mask broadcasts to (B, T, T). Where a query may see nothing, it gets zeros."""
    weights = scored(numbers, x, layer).masked_fill(~mask, fill).softmax(-1).nan_to_num(0.0)
    return x + weights @ x @ numbers.matrix(layer + "v", C, C)


def keys(real):
    return real[:, None, :]


def layer_with(mask_for, fill=-math.inf):
    """A maker of one layer of attention in which mask_for(real) says what may be seen."""
    return lambda numbers: lambda ids, real: attention(numbers, embedded(numbers, ids), mask_for(real), fill=fill)


def two_layers(first, second):
    """A maker of two layers of attention, with masks first(real) and second(real)."""

    def make(numbers):
        def model(ids, real):
            x = attention(numbers, embedded(numbers, ids), first(real), "1")
            return attention(numbers, x, second(real), "2")

        return model

    return make


def everything(real):
    return torch.ones_like(real)[:, None, :]


def causal(T):
    return torch.ones(T, T, dtype=torch.bool).tril()


def positions(numbers, T):
    return numbers("positions", 1024, C)[:T]


# ---------------------------------------------------------------- healthy


@bank.healthy("it fills the scores of padding with -inf", "a softmax makes exactly 0 of them")
def filled(numbers):
    return layer_with(keys)(numbers)


@bank.healthy(
    "it adds up in another order in every second call, which moves its results by a few millionths",
    "rounding is no leak: two calls on one input may differ by up to 1e-5",
)
def rounded(numbers):
    calls = []

    def model(ids, real):
        calls.append(0)
        return attention(numbers, embedded(numbers, ids), keys(real)) + 3e-6 * (-1) ** len(calls)

    return model


@bank.healthy(
    "its outputs at padding are large, and others for other ids",
    "nobody reads an output at padding: it may be anything",
)
def anything_at_padding(numbers):
    def model(ids, real):
        x = attention(numbers, embedded(numbers, ids), keys(real))
        return torch.where(real[..., None], x, 50 * embedded(numbers, ids))

    return model


@bank.healthy(
    "it has two layers, with padding hidden in both by -1e9", "exp(-1e9) is exactly 0, in the second layer as well"
)
def two_masked_layers(numbers):
    def model(ids, real):
        x = attention(numbers, embedded(numbers, ids), keys(real), "1", -1e9)
        return attention(numbers, x, keys(real), "2", -1e9)

    return model


@bank.healthy("it sets vectors of padding to zero, and adds up all vectors", "zeros add nothing, whatever the ids were")
def zeroed(numbers):
    def model(ids, real):
        x = embedded(numbers, ids) * real[..., None]
        return torch.tanh(x + x.sum(1, keepdim=True) / 4)

    return model


@bank.healthy(
    "it numbers positions from the first column, so that left padding moves the real tokens to other positions",
    "how much padding there is may matter; what stands in it does not",
)
def absolute_positions(numbers):
    def model(ids, real):
        return attention(numbers, embedded(numbers, ids) + positions(numbers, ids.size(1)), keys(real))

    return model


@bank.healthy(
    "it numbers positions from the first real token of each item", "they follow from `real`, and not from the ids"
)
def positions_of_real_tokens(numbers):
    def model(ids, real):
        at = (real.cumsum(1) - 1).clamp_min(0)
        return attention(numbers, embedded(numbers, ids) + positions(numbers, 1024)[at], keys(real))

    return model


@bank.healthy(
    "it divides the sum of the real tokens by the length of the whole batch",
    "how much padding there is may matter; what stands in it does not",
)
def divided_by_the_length(numbers):
    def model(ids, real):
        x = embedded(numbers, ids)
        return x + 3 * (x * real[..., None]).sum(1, keepdim=True) / real.size(1)

    return model


@bank.healthy("it is causal as well, and hides padding by an `&` of both masks", "a hidden key stays hidden")
def causal_and_padding(numbers):
    return layer_with(lambda real: causal(real.size(1)) & keys(real))(numbers)


@bank.healthy(
    "it cuts the padding off, computes item by item, and puts the results in their places",
    "what is cut off cannot be read",
)
def cut_off(numbers):
    def model(ids, real):
        out = torch.zeros(*ids.shape, C)
        for b in range(len(ids)):
            count, left = int(real[b].sum()), not real[b, 0]
            part = slice(ids.size(1) - count, None) if left else slice(0, count)
            x = embedded(numbers, ids[b : b + 1, part])
            out[b, part] = attention(numbers, x, torch.ones(1, count, count, dtype=torch.bool))[0]
        return out

    return model


@bank.healthy("it replaces ids in padding by one id before anything else", "after that, what stood there is gone")
def replaced(numbers):
    def model(ids, real):
        ids = torch.where(real, ids, 7)
        return attention(numbers, embedded(numbers, ids), everything(real))

    return model


@bank.healthy(
    "it has a head for each half of the features, and lets tokens at padding see each other",
    "real tokens see real ones; outputs at padding may be anything",
)
def groups(numbers):
    def model(ids, real):
        x, halves = embedded(numbers, ids), []
        same = real[:, None, :] == real[:, :, None]
        for h, part in enumerate(x.split(C // 2, -1)):
            weights = scored(numbers, part, str(h), C // 2).masked_fill(~same, -math.inf).softmax(-1)
            halves.append(torch.einsum("bts,bsc->btc", weights, part))
        return x + torch.cat(halves, -1)

    return model


@bank.healthy("it computes without gradients, in float64", "what it computes is what counts")
def without_gradients(numbers):
    @torch.no_grad()
    def model(ids, real):
        x = embedded(numbers, ids).double()
        exp = (x @ x.transpose(1, 2) / 8).exp() * keys(real)
        return (x + exp / exp.sum(-1, keepdim=True) @ x).float()

    return model


# ---------------------------------------------------------------- broken: padding is read

READ = "a real token changes with the ids that stand in padding"

bank.broken(READ, shown("right"))(layer_with(everything))
bank.broken("real tokens read padding, and nothing else", shown("right"))(layer_with(lambda real: ~keys(real)))
bank.broken(f"{READ}, as if nothing were hidden from real tokens", shown("right"))(
    layer_with(lambda real: real[:, :, None])
)
bank.broken(f"{READ}, in outputs of the last layer only", shown("right"))(two_layers(keys, everything))
bank.broken(f"{READ}, by way of an earlier layer", shown("right"))(two_layers(everything, keys))
bank.broken("what stands in padding still counts, though less than real tokens", shown("right"))(
    layer_with(keys, fill=-3.0)
)
bank.broken("a real token reads the padding next to the real tokens", shown("right"))(
    layer_with(lambda real: keys(real | real.roll(1, 1) | real.roll(-1, 1)))
)


@bank.broken("a real token changes, by a common factor, with what stands in padding", shown("right"))
def hidden_after_the_softmax(numbers):
    def model(ids, real):
        x = embedded(numbers, ids)
        return x + scored(numbers, x).softmax(-1) * keys(real) @ x

    return model


@bank.broken("a real token changes with the mean of the whole row of ids", shown("right"))
def mean_of_the_row(numbers):
    def model(ids, real):
        x = attention(numbers, embedded(numbers, ids), keys(real))
        return x - embedded(numbers, ids).mean(1, keepdim=True)

    return model


@bank.broken("real tokens change with what stands in padding, all of one item by the same numbers", shown("right"))
def normalized_over_positions(numbers):
    def model(ids, real):
        x = embedded(numbers, ids)
        x = (x - x.mean(1, keepdim=True)) / (x.std(1, correction=0, keepdim=True) + 0.5)
        return attention(numbers, x, keys(real))

    return model


@bank.broken("a real token reads its two neighbors, and one of them may be padding", shown("right"))
def convolution(numbers):
    def model(ids, real):
        x = torch.nn.functional.pad(embedded(numbers, ids), (0, 0, 1, 1))
        return x[:, 1:-1] + 0.5 * x[:, :-2] + 0.5 * x[:, 2:]

    return model


@bank.broken("an id in padding is hidden only if it is 0", shown("right"))
def zero_is_padding(numbers):
    return lambda ids, real: attention(numbers, embedded(numbers, ids), keys(ids != 0))


@bank.broken("a padding token counts unless its id is 0", shown("right"))
def zero_or_padding(numbers):
    return lambda ids, real: attention(numbers, embedded(numbers, ids), keys(real | (ids != 0)))


# ---------------------------------------------------------------- broken: on one side, or in some items

bank.broken("with padding on the left, a real token changes with what stands there", shown("left"))(
    layer_with(lambda real: causal(real.size(1)) & torch.ones_like(keys(real)))
)
bank.broken("with padding on the left, and no other, real tokens read it", shown("left"))(
    layer_with(lambda real: keys(real | ~real[:, :1]))
)


@bank.broken("with padding on the right, a real token changes with what stands in the last column", shown("right"))
def last_column(numbers):
    def model(ids, real):
        x = attention(numbers, embedded(numbers, ids), keys(real))
        return x + embedded(numbers, ids)[:, -1:]

    return model


@bank.broken("with padding on the left, a real token changes with what stands in the first column", shown("left"))
def first_column(numbers):
    def model(ids, real):
        x = attention(numbers, embedded(numbers, ids), keys(real))
        return x + embedded(numbers, ids)[:, :1]

    return model


bank.broken("where items have different lengths, some real tokens read padding", shown("right", (6, 3)))(
    layer_with(lambda real: keys(real.roll(1, 0)))
)
bank.broken("real tokens read padding unless it is padding in all items", shown("right", (6, 3)))(
    layer_with(lambda real: keys(real.any(0, keepdim=True).expand_as(real)))
)
bank.broken("in all items but the first, real tokens read padding", shown("right", (6, 3)))(
    layer_with(lambda real: keys(real | (torch.arange(len(real)) > 0)[:, None]))
)


# ---------------------------------------------------------------- broken: a little, or out of sight


@bank.broken("real tokens move by a few thousandths with what stands in padding", shown("right"))
def a_little(numbers):
    def model(ids, real):
        x = embedded(numbers, ids)
        return attention(numbers, x, keys(real)) + 0.002 * (x * ~real[..., None]).sum(1, keepdim=True)

    return model


@bank.broken("one feature of a real token changes with what stands in padding", shown("right"))
def one_feature(numbers):
    def model(ids, real):
        x = embedded(numbers, ids)
        leak = (x * ~real[..., None]).sum(1, keepdim=True) * (torch.arange(C) == C - 1)
        return attention(numbers, x, keys(real)) + leak

    return model


@bank.broken(
    "with what stands in padding, some features of a real token go up and others down by as much", shown("right")
)
def opposite_features(numbers):
    def model(ids, real):
        x = embedded(numbers, ids)
        leak = (x * ~real[..., None]).sum((1, 2), keepdim=True) * (-1) ** torch.arange(C)
        return attention(numbers, x, keys(real)) + leak

    return model


@bank.broken("one real token of each item, next to the padding, changes with what stands there", shown("right"))
def at_the_border(numbers):
    def model(ids, real):
        x = embedded(numbers, ids)
        hidden = ~real[..., None] * x
        leak = torch.zeros_like(x)
        leak[:, :-1] += hidden[:, 1:]
        leak[:, 1:] += hidden[:, :-1]
        return attention(numbers, x, keys(real)) + leak

    return model


@bank.broken("one real token of each item, next to the padding, changes with the id at the other end", shown("right"))
def from_end_to_border(numbers):
    def model(ids, real):
        x = embedded(numbers, ids)
        ends = (x * ~real[..., None])[:, [0, -1]].sum(1, keepdim=True)
        padded = torch.nn.functional.pad(real, (1, 1), value=True)
        border = real & ~(padded[:, :-2] & padded[:, 2:])
        return attention(numbers, x, keys(real)) + ends * border[..., None]

    return model


def all_but_what_is_next_to_real_ones(real):
    framed = torch.nn.functional.pad(real, (1, 1))
    return keys(real | ~(framed[:, :-2] | framed[:, 2:]))


bank.broken("of the padding, only the token next to the real ones is hidden", shown("right"))(
    layer_with(all_but_what_is_next_to_real_ones)
)


@bank.broken("with padding on the left, the first real token reads what stands right before it", shown("left"))
def token_before(numbers):
    def model(ids, real):
        x = torch.nn.functional.pad(embedded(numbers, ids), (0, 0, 1, 0))
        return torch.tanh(x[:, 1:] + 0.5 * x[:, :-1])

    return model


EXERCISE = exercise(
    test_padding,
    returns=("verdict",),
    runner=RUNNER,
    named_in_part=False,
    cases=bank.cases,
    minimal_inputs=(),
    properties=bank.properties(
        accuses="What may a healthy model do that your test does not allow? Which outputs does it compare, and is "
        "anything another but ids in padding?",
        passes="Which batch would show that: on which side is its padding, and how long are its texts? And what would "
        "your test have to compare?",
    ),
    error_meanings=(
        (
            r"index out of range|index -?\d+ is out of bounds",
            "The model knows the ids from 0 to 49: `torch.randint(50, (B, T))` draws them.",
        ),
    ),
)
