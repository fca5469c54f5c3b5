"""What people get wrong in exercise 9.5, alibi_bias."""

import math

import torch

from exercises.common import explainers
from feedback import Misconceptions

SLOPES = (
    "Head h, counted from 0, has the slope 2**(-8(h + 1) / H): with 8 heads 1/2, 1/4, ..., 1/256. Print your slopes."
)
DISTANCE = "The queries are the last T of S positions. Which position is query 0, and how far from it is key 0?"


# ---------------------------------------------------------------- the right steps


def slopes(num_heads):
    return 2.0 ** (-8 * torch.arange(1, num_heads + 1).double() / num_heads)


def distance(t, s):
    """(T, S): query minus key."""
    return torch.arange(s - t, s)[:, None] - torch.arange(s)


def bias(slope, distance):
    """From slopes (H, 1, 1) and distances (T, S)."""
    return -slope * distance


def alibi_from(slopes=slopes, distance=distance, bias=bias):
    """alibi_bias(num_heads, T, S) made of these steps."""

    def alibi(num_heads, T, S):
        return bias(slopes(num_heads)[:, None, None], distance(T, S)).float()

    return alibi


def slope_used(case):
    """The slope of the first wrong head, next to the right one."""
    heads, t, s = case.args
    got, right = case.first.double(), case.expected_first.double()
    for h in range(heads):
        if s > 1 and not torch.allclose(got[h], right[h], atol=1e-4):
            mine, wanted = float(got[h, -1, -2]), float(right[h, -1, -2])
            return (
                f"one key back, head {h} of {heads} adds {explainers.number(torch.tensor(mine))}, "
                f"and {explainers.number(torch.tensor(wanted))} is right"
            )
    return explainers.entry(case)


def one_entry(case):
    at = explainers.worst(case.first, case.expected_first)
    heads, t, s = case.args
    return (
        f"query {at[1]} is position {s - t + at[1]}, so key {at[2]} is {s - t + at[1] - at[2]} back: head {at[0]} adds "
        f"{explainers.number(case.expected_first[at])}, and yours {explainers.number(case.first[at])}"
    )


known = Misconceptions(alibi_from)


# ---------------------------------------------------------------- the sign and the distance


@known(
    "sign",
    means="The bias is positive: keys that are further away would count more.",
    hint="A distance must lower the score. The bias of the query's own key is 0, and that of all earlier keys "
    "negative.",
    explain=one_entry,
    step="bias",
)
def added_distance(slope, distance):
    return slope * distance


@known(
    "queries-first",
    means="The queries were taken for the first T of S positions; they are the last T.",
    hint=DISTANCE,
    explain=one_entry,
    step="distance",
)
def from_the_top_left(t, s):
    return torch.arange(t)[:, None] - torch.arange(s)


@known.also("queries-first")
def from_the_top_left_absolute(num_heads, T, S):
    return -(slopes(num_heads)[:, None, None] * from_the_top_left(T, S).abs()).float()


@known(
    "position-of-the-key",
    means="The bias grows with the position of the key, slope · j. In each row that differs from the right one by one "
    "number, which a softmax does not see, but here the bias of the query's own key is 0.",
    hint="What is asked for is -slope times the distance from query to key.",
    explain=one_entry,
    step="distance",
)
def keys_counted(t, s):
    return -torch.arange(s).expand(t, s)


@known(
    "from-one",
    means="The distances were counted from 1: the query's own key gets a bias, too.",
    hint="How far is a word from itself?",
    explain=one_entry,
    step="distance",
)
def one_too_far(t, s):
    return distance(t, s) + 1


@known(
    "squared",
    means="The distances were squared.",
    hint="The bias falls along a straight line: L in ALiBi stands for linear.",
    explain=one_entry,
    step="distance",
)
def squared_distance(t, s):
    return distance(t, s) ** 2


@known(
    "queries-and-keys-exchanged",
    means="Queries and keys have changed places: rows are keys.",
    hint="The result is (H, T, S): a row for each query.",
)
def transposed(num_heads, T, S):
    return alibi_from()(num_heads, T, S).transpose(-2, -1)


# ---------------------------------------------------------------- the slopes


@known(
    "heads-from-zero",
    means="The exponent counts the heads from 0: head 0 has the slope 1.",
    hint=SLOPES,
    explain=slope_used,
    step="slopes",
)
def from_zero(num_heads):
    return 2.0 ** (-8 * torch.arange(num_heads).double() / num_heads)


@known(
    "without-8-over-h",
    means="The slopes are 1/2, 1/4, 1/8, ... for any number of heads, which is right only where H = 8.",
    hint=SLOPES,
    explain=slope_used,
    step="slopes",
)
def powers_of_a_half(num_heads):
    return 2.0 ** -torch.arange(1, num_heads + 1).double()


@known(
    "without-8",
    means="The 8 is missing in the exponent: the slopes run down to 1/2 only, not to 1/256.",
    hint=SLOPES,
    explain=slope_used,
    step="slopes",
)
def down_to_a_half(num_heads):
    return 2.0 ** (-torch.arange(1, num_heads + 1).double() / num_heads)


@known(
    "not-divided-by-h",
    means="The exponent is not divided by the number of heads.",
    hint=SLOPES,
    explain=slope_used,
    step="slopes",
)
def eight_for_each_head(num_heads):
    return 2.0 ** (-8 * torch.arange(1, num_heads + 1).double())


@known(
    "natural-base",
    means="The slopes are powers of e; they should be powers of 2.",
    hint=SLOPES,
    explain=slope_used,
    step="slopes",
)
def powers_of_e(num_heads):
    return torch.exp(-8 * torch.arange(1, num_heads + 1).double() / num_heads)


@known(
    "linear-slopes",
    means="The slopes fall in equal steps; they should fall by the same factor from head to head.",
    hint=SLOPES,
    explain=slope_used,
    step="slopes",
)
def equal_steps(num_heads):
    return torch.linspace(0.5, 2**-8, num_heads).double()


@known(
    "flat-first",
    means="The slopes stand in the reverse order: head 0 has the flattest.",
    hint=SLOPES,
    explain=slope_used,
    step="slopes",
)
def reversed_slopes(num_heads):
    return slopes(num_heads).flip(0)


@known(
    "one-slope",
    means="All heads have the same slope.",
    hint=SLOPES,
    explain=slope_used,
    step="slopes",
)
def the_first_for_all(num_heads):
    return slopes(num_heads)[:1].expand(num_heads)


@known.also("one-slope", step="slopes")
def one_for_all(num_heads):
    return torch.ones(num_heads, dtype=torch.float64)


@known(
    "scaled",
    means="The bias was divided by a root; it is added to scores that have been scaled already.",
    hint="The bias is -slope · distance, and nothing else.",
    explain=slope_used,
    step="bias",
)
def divided_by_the_root_of_the_length(slope, distance):
    return -slope * distance / math.sqrt(distance.size(-1))


@known.also("scaled", step="bias")
def divided_by_the_root_of_the_heads(slope, distance):
    return -slope * distance / math.sqrt(len(slope))


@known(
    "exponentials",
    means="These are factors, exp(-slope · distance); what is asked for is added to the scores, before the softmax.",
    hint="The softmax takes the exponential later.",
    explain=one_entry,
    step="bias",
)
def factors(slope, distance):
    return torch.exp(-slope * distance)


@known(
    "heads-last",
    means="The heads are the last axis; they come first, (H, T, S).",
    hint="`slopes[:, None, None]` has the shape (H, 1, 1). Which shape do your slopes have when they meet the "
    "distances?",
)
def heads_behind(num_heads, T, S):
    return -(distance(T, S)[..., None] * slopes(num_heads)).float()
