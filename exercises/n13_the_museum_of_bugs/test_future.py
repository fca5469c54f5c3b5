"""test_future: the reference, its steps and test cases; the page next to it says the rest."""

import math

import torch
import torch.nn.functional as F

from exercises.common.suspects import RUNNER, Suspects
from feedback.format import number
from feedback.paged import exercise


def test_future(attend):
    """The beginning of a text alone gives what it gives as a part of the whole.

    Shapes: attend takes x (B, T, C) to (B, T, C)
    """
    x = torch.randn(2, 12, 4)
    whole = attend(x)
    for t in range(1, 12):
        moved = (attend(x[:, :t]) - whole[:, :t]).abs().max()
        assert moved < 1e-4, f"the first {t} outputs move by {moved:.2g} with what follows"


# What a test of causality is tried on: functions attend, x (B, T, C) -> (B, T, C), in which items never mix.


bank = Suspects()


# ---------------------------------------------------------------- what cards show of a broken one


def at(position, changed, length=12):
    """The output at a position, where the input at a later one is other numbers."""

    def shows(attend):
        x = _numbers(length)
        other = x.clone()
        other[:, changed] = _numbers(length + 1)[:, -1]
        before, after = attend(x)[0, position], attend(other)[0, position]
        i = int((after - before).abs().argmax())
        return (
            f"For an x of shape {tuple(x.shape)}, feature {i} of the output at position {position} is "
            f"{number(before[i])}, and {number(after[i])} where nothing but the input at position {changed} is another"
        )

    return shows


def longer(position, length, longer=12):
    """The output at a position, where x goes on."""

    def shows(attend):
        x = _numbers(longer)
        before, after = attend(x[:, :length])[0, position], attend(x)[0, position]
        i = int((after - before).abs().argmax())
        return (
            f"For an x of shape {(1, length, 4)}, feature {i} of the output at position {position} is "
            f"{number(before[i])}, and {number(after[i])} where the same x goes on, up to length {longer}"
        )

    return shows


def _numbers(length):
    return torch.randn(1, length, 4, generator=torch.Generator().manual_seed(length))


# ---------------------------------------------------------------- what they are made of


def projected(numbers, x, layer=""):
    """q, k (B, T, 8) and v (B, T, C)."""
    C = x.size(-1)
    q, k = (x @ numbers.matrix(layer + name, C, 8) for name in "qk")
    return q, k, x @ numbers.matrix(layer + "v", C, C)


def scored(q, k):
    return q @ k.transpose(-2, -1) / (2 * math.sqrt(q.size(-1)))  # mild: every key counts


def triangle(T, diagonal=0):
    return torch.ones(T, T, dtype=torch.bool).tril(diagonal)


def hiding(mask_for):
    """A maker of attention in which a query sees what mask_for(T) says."""

    def make(numbers):
        def attend(x):
            q, k, v = projected(numbers, x)
            return scored(q, k).masked_fill(~mask_for(x.size(1)), -math.inf).softmax(-1) @ v

        return attend

    return make


def weighing(weigh):
    """A maker of attention with weights weigh(scores (B, T, T))."""

    def make(numbers):
        def attend(x):
            q, k, v = projected(numbers, x)
            return weigh(scored(q, k)) @ v

        return attend

    return make


def causal(numbers, x, layer=""):
    q, k, v = projected(numbers, x, layer)
    return scored(q, k).masked_fill(~triangle(x.size(1)), -math.inf).softmax(-1) @ v


def with_leak(leak):
    """A maker of causal attention, to which leak(x) is added."""
    return lambda numbers: lambda x: causal(numbers, x) + leak(x)


def norm(x):
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, correction=0, keepdim=True) + 0.1).sqrt()


def following(x):
    """Each position gets the next input, the last one zeros."""
    return F.pad(x[:, 1:], (0, 0, 0, 1))


def sinusoid(position, width):
    angles = position[:, None] / 20 ** (torch.arange(width) / width)
    return angles.sin()


# ---------------------------------------------------------------- healthy


@bank.healthy("it fills the scores of later keys with -inf", "a softmax makes exactly 0 of them")
def filled(numbers):
    return hiding(triangle)(numbers)


@bank.healthy(
    "it adds up in another order in every second call, which moves its results by a few millionths",
    "rounding is no leak: two calls on one input may differ by up to 1e-5",
)
def rounded(numbers):
    calls = []

    def attend(x):
        calls.append(0)
        return x.cumsum(1) / torch.arange(1, x.size(1) + 1)[:, None] + 3e-6 * (-1) ** len(calls)

    return attend


@bank.healthy("it fills the scores of later keys with -1e9, head by head", "exp(-1e9) is exactly 0 in float32")
def filled_with_a_large_number(numbers):
    def attend(x):
        q, k, v = projected(numbers, x)
        heads = []
        for h in range(2):
            part = slice(4 * h, 4 * h + 4)
            scores = torch.einsum("btd,bsd->bts", q[..., part], k[..., part]) / 4
            heads.append(torch.einsum("bts,bsc->btc", scores.masked_fill(~triangle(x.size(1)), -1e9).softmax(-1), v))
        return (heads[0] - heads[1]) * 2

    return attend


@bank.healthy("it calls PyTorch's own attention with is_causal=True", "that hides later keys")
def of_torch(numbers):
    def attend(x):
        q, k, v = (each[:, None] for each in projected(numbers, x))
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)[:, 0]

    return attend


@bank.healthy("it loops over positions, and takes as many keys as there are so far", "later keys are never touched")
def loop(numbers):
    def attend(x):
        q, k, v = projected(numbers, x)
        rows = [scored(q[:, t : t + 1], k[:, : t + 1]).softmax(-1) @ v[:, : t + 1] for t in range(x.size(1))]
        return torch.cat(rows, dim=1)

    return attend


@bank.healthy("each output is the mean of the inputs so far", "it needs no mask, since it adds up from the front")
def running_mean(numbers):
    return lambda x: x.cumsum(1) / torch.arange(1, x.size(1) + 1)[:, None]


@bank.healthy("each position is computed by itself", "an output reads its own input and nothing else")
def by_itself(numbers):
    return lambda x: torch.tanh(x @ numbers.matrix("w", x.size(-1), x.size(-1)))


@bank.healthy("it is a convolution over three positions", "zeros are put in front only, so it looks back")
def convolution(numbers):
    def attend(x):
        C = x.size(-1)
        front = F.pad(x, (0, 0, 2, 0))
        return sum(front[:, i : i + x.size(1)] @ numbers.matrix(f"w{i}", C, C) for i in range(3))

    return attend


@bank.healthy("a state goes from position to position", "it is updated from the front, as in a recurrent network")
def recurrent(numbers):
    def attend(x):
        C, state, outs = x.size(-1), torch.zeros_like(x[:, 0]), []
        for t in range(x.size(1)):
            state = torch.tanh(0.7 * state + x[:, t] @ numbers.matrix("w", C, C))
            outs.append(state)
        return torch.stack(outs, dim=1)

    return attend


@bank.healthy(
    "it has two layers with a norm before each, and a learned vector for each position, counted from the front",
    "each norm is over the features of one position, and both layers hide later keys",
)
def two_layers(numbers):
    def attend(x):
        x = x + numbers("positions", 1024, x.size(-1))[: x.size(1)]
        for layer in "12":
            x = x + causal(numbers, norm(x), layer)
        return x

    return attend


@bank.healthy(
    "its queries see the four latest positions, and closer ones weigh more", "all four are at or before their own"
)
def window(numbers):
    def attend(x):
        T = x.size(1)
        distance = torch.arange(T)[:, None] - torch.arange(T)
        q, k, v = projected(numbers, x)
        mask = (distance >= 0) & (distance < 4)
        return (scored(q, k) - 0.3 * distance).masked_fill(~mask, -math.inf).softmax(-1) @ v

    return attend


@bank.healthy(
    "it turns queries and keys by their positions, normalizes after the attention, and computes in float64",
    "what it computes for a position comes from that position and earlier ones",
)
def rotary(numbers):
    def attend(x):
        q, k, v = (each.double() for each in projected(numbers, x))
        angles = torch.arange(x.size(1))[:, None] / 10 ** torch.arange(4)
        q, k = (
            torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], dim=-1)
            for a, b in (q.chunk(2, -1), k.chunk(2, -1))
        )
        out = scored(q, k).masked_fill(~triangle(x.size(1)), -math.inf).softmax(-1) @ v
        return norm(x + out).float() if x.size(-1) > 1 else (x + out).float()

    return attend


@bank.healthy("it computes without gradients", "what it computes is what counts")
def without_gradients(numbers):
    return torch.no_grad()(lambda x: causal(numbers, x) + x[:, :1])


# ---------------------------------------------------------------- broken: what stands later is read

NEXT = "an output changes with the input right after it"
ALL_LATER = "an output changes with everything that stands later"

bank.broken(ALL_LATER, at(2, changed=10))(hiding(lambda T: torch.ones(T, T, dtype=torch.bool)))
bank.broken(NEXT, at(3, changed=4))(hiding(lambda T: triangle(T, 1)))
bank.broken("an output reads what stands later, in place of what stands before", at(3, changed=7))(
    hiding(lambda T: triangle(T).T)
)
bank.broken("an output changes, by a common factor, with inputs that stand later", at(2, changed=8))(
    weighing(lambda scores: scores.softmax(-1) * triangle(scores.size(-1)))
)
bank.broken("what later positions look for changes earlier outputs", at(2, changed=8))(
    weighing(lambda scores: scores.masked_fill(~triangle(scores.size(-1)), -math.inf).softmax(-2))
)
bank.broken("later inputs still count, though less than earlier ones", at(2, changed=8))(
    weighing(lambda scores: (scores - 2 * ~triangle(scores.size(-1))).softmax(-1))
)


@bank.broken("an output changes with the mean of the whole sequence", at(2, changed=8))
def normalized_over_positions(numbers):
    def attend(x):
        return causal(numbers, x - x.mean(1, keepdim=True))

    return attend


@bank.broken("an output changes with everything that stands later, though its first layer sees nothing of it", at(2, 8))
def second_layer_unmasked(numbers):
    def attend(x):
        x = x + causal(numbers, norm(x), "1")
        q, k, v = projected(numbers, x, "2")
        return x + scored(q, k).softmax(-1) @ v

    return attend


@bank.broken("an output changes with everything that stands later", at(2, changed=8))
def both_directions(numbers):
    def attend(x):
        C, state, outs = x.size(-1), torch.zeros_like(x[:, 0]), []
        for t in reversed(range(x.size(1))):
            state = 0.9 * state + x[:, t] @ numbers.matrix("w", C, C)
            outs.append(state)
        return causal(numbers, x) + torch.stack(outs[::-1], dim=1)

    return attend


# ---------------------------------------------------------------- broken: at some places, or a little

for position in (0, 2, 5, 7):
    bank.broken(
        f"the output at position {position}, and no other, changes with the input right after it",
        at(position, changed=position + 1),
    )(with_leak(lambda x, position=position: following(x) * (torch.arange(x.size(1)) == position)[:, None]))
bank.broken("the output at position 1 changes with the last input, however long the text is", at(1, changed=11))(
    with_leak(lambda x: F.pad(x[:, -1:], (0, 0, 1, x.size(1) - 2)) if x.size(1) > 1 else 0 * x)
)
bank.broken("the output before the last changes with the last input, and no other output does", at(10, changed=11))(
    with_leak(lambda x: following(x) * (torch.arange(x.size(1)) == x.size(1) - 2)[:, None])
)
bank.broken("the first output changes with the last input", at(0, changed=11))(
    lambda numbers: lambda x: x @ numbers.matrix("w", x.size(-1), x.size(-1)) + x.roll(1, dims=1)
)
bank.broken("within each group of four positions, an output changes with the inputs that follow", at(4, changed=7))(
    hiding(lambda T: torch.arange(T)[:, None] // 4 >= torch.arange(T) // 4)
)
bank.broken("outputs at the first positions change with inputs from position 8 on", at(2, changed=9))(
    hiding(lambda T: triangle(T) | (torch.arange(T) >= 8))
)
bank.broken("in sequences of nine or more, an output changes with everything that stands later", at(2, changed=10))(
    hiding(lambda T: triangle(T) if T < 9 else torch.ones(T, T, dtype=torch.bool))
)
bank.broken("in sequences of nine or more, an output changes with the input right after it", at(3, changed=4))(
    with_leak(lambda x: following(x) * (x.size(1) >= 9))
)
bank.broken("an output moves by a few thousandths with the input right after it", at(3, changed=4))(
    with_leak(lambda x: 0.004 * following(x))
)
bank.broken("the last feature of an output changes with the input right after it, and no other feature does", at(3, 4))(
    with_leak(lambda x: following(x) * (torch.arange(x.size(-1)) == x.size(-1) - 1))
)
bank.broken("an output changes with the input right after it, some features up and others down by as much", at(3, 4))(
    with_leak(lambda x: following(x)[..., :1] * (-1) ** torch.arange(x.size(-1)))
)
bank.broken(f"{NEXT}, although no gradient says so", at(3, changed=4))(with_leak(lambda x: 0.5 * following(x).detach()))
bank.broken("an output changes with the input two positions later", at(3, changed=5))(
    with_leak(lambda x: following(following(x)))
)


# ---------------------------------------------------------------- broken: how many inputs follow


@bank.broken("an output depends on how many inputs follow, though not on which", longer(3, 4))
def positions_from_the_end(numbers):
    def attend(x):
        C = x.size(-1)
        return causal(numbers, x) + sinusoid(torch.arange(x.size(1)).flip(0) + 1, C)

    return attend


@bank.broken("all outputs shrink as more inputs follow, whatever they are", longer(3, 4))
def divided_by_the_length(numbers):
    return lambda x: 4 * x.cumsum(1) / x.size(1)


@bank.broken("the output at a position is another one as soon as anything follows", longer(6, 7))
def last_output_is_special(numbers):
    def attend(x):
        out = causal(numbers, x)
        return torch.cat([out[:, :-1], out[:, -1:] + x.mean(1, keepdim=True) + 0.3], dim=1)

    return attend


@bank.broken("an output weighs the inputs so far otherwise in a longer text", longer(3, 4))
def sharper_in_long_texts(numbers):
    def attend(x):
        q, k, v = projected(numbers, x)
        scores = scored(q, k) * x.size(1) / 2
        return scores.masked_fill(~triangle(x.size(1)), -math.inf).softmax(-1) @ v

    return attend


EXERCISE = exercise(
    test_future,
    returns=("verdict",),
    runner=RUNNER,
    named_in_part=False,
    cases=bank.cases,
    minimal_inputs=(),
    properties=bank.properties(
        accuses="What may a healthy function do that your test does not allow? Compare outputs up to a position, on "
        "inputs that are the same up to there, and allow for rounding.",
        passes="What would your test have to try, and what would it have to compare, to see that?",
    ),
    error_meanings=(
        (
            r"does not require grad",
            "Gradients may not flow through what you test, and healthy code may be without them: compare outputs.",
        ),
    ),
)
