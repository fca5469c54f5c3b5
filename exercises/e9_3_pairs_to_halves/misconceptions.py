"""What people get wrong in exercise 9.3, pairs_to_halves."""

import torch

from exercises.common import explainers
from feedback import Misconceptions

known = Misconceptions()

WITHIN_A_HEAD = "Each head has D rows of its own, one head after another. Where does head 1 begin in your result?"
PRINT_IT = "Try `torch.arange(H * D)[:, None]` as the weight: the result shows which row went where."


def row_taken(case):
    """The first wrong row, and which row of weight stands there instead."""
    weight = case.args[0]
    if case.first.shape != weight.shape:
        return explainers.shape(case)
    wrong = (case.first != case.expected_first).any(-1).nonzero().flatten().tolist()
    got = explainers.number_of_row(weight, case.first[wrong[0]])
    right = explainers.number_of_row(weight, case.expected_first[wrong[0]])
    if got is None or right is None:
        return explainers.entry(case)
    return f"row {wrong[0]} of your result is row {got} of weight; it should be row {right}"


@known(
    "heads-ignored",
    means="The rows of all heads were sorted together: the even rows of every head come first, then the odd ones, so "
    "the heads are mixed.",
    hint=WITHIN_A_HEAD,
    explain=row_taken,
)
def all_even_rows_first(weight, num_heads):
    return torch.cat([weight[0::2], weight[1::2]])


@known(
    "other-direction",
    means="This is the way back, from halves to pairs: the rows of the two halves were interleaved.",
    hint="In `weight`, rows 0 and 1 of a head are a pair. In the result they must be D/2 rows apart.",
    explain=row_taken,
)
def halves_to_pairs(weight, num_heads):
    return weight.unflatten(0, (num_heads, 2, -1)).transpose(1, 2).flatten(0, 2)


@known(
    "second-features-first",
    means="Of each head, the odd rows come first and then the even ones.",
    hint="The first feature of pair i becomes row i of its head, and the second row i + D/2.",
    explain=row_taken,
)
def odd_rows_first(weight, num_heads):
    return weight.unflatten(0, (num_heads, -1, 2)).flip(2).transpose(1, 2).flatten(0, 2)


@known(
    "heads-and-features-exchanged",
    means="`num_heads` was taken for the number of rows of a head: the rows were cut into pieces of H instead of D.",
    hint="There are H heads of D rows each. Which of the two sizes does your reshape have in front?",
    explain=row_taken,
)
def pieces_of_h(weight, num_heads):
    heads = weight.unflatten(0, (-1, num_heads))  # (D, H, C)
    return torch.cat([heads[:, 0::2], heads[:, 1::2]], dim=1).flatten(0, 1)


@known.also("heads-and-features-exchanged")
def features_in_front(weight, num_heads):
    return weight.unflatten(0, (-1, 2, num_heads)).transpose(0, 1).flatten(0, 2)


@known(
    "heads-interleaved",
    means="Within the result, rows of one head do not stand together: the axis of the heads moved behind another one.",
    hint=WITHIN_A_HEAD,
    explain=row_taken,
)
def heads_behind_the_halves(weight, num_heads):
    return weight.unflatten(0, (num_heads, -1, 2)).permute(2, 1, 0, 3).flatten(0, 2)


@known.also("heads-interleaved")
def heads_last(weight, num_heads):
    return weight.unflatten(0, (num_heads, -1, 2)).permute(1, 2, 0, 3).flatten(0, 2)


@known(
    "columns-sorted",
    means="The columns of weight were put in another order; they belong to the C features that come in. What is "
    "turned are the features that come out, and these are the rows.",
    hint="An `nn.Linear` has a row of its weight for each feature that it makes.",
)
def columns_instead_of_rows(weight, num_heads):
    return torch.cat([weight[:, 0::2], weight[:, 1::2]], dim=1)


@known.also("columns-sorted")
def columns_of_each_head(weight, num_heads):
    size = weight.size(1) // num_heads
    return torch.cat([torch.cat([p[:, 0::2], p[:, 1::2]], dim=1) for p in weight.split(size or 1, dim=1)], dim=1)


@known(
    "unchanged",
    means="The rows stand where they stood.",
    hint="In `weight`, rows 0 and 1 of a head are a pair. How far apart must they be in the result? " + PRINT_IT,
    explain=row_taken,
)
def as_it_was(weight, num_heads):
    return weight.clone()


@known(
    "no-swap",
    means="The weight was reshaped, but no axes were exchanged: a reshape there and back moves nothing, and a reshape "
    "to another order of axes cuts rows elsewhere.",
    hint="A reshape keeps the order in memory. Which step exchanges the pairs and the two features of a pair?",
    explain=row_taken,
)
def halves_by_reshape(weight, num_heads):
    return weight.reshape(2, num_heads, -1, weight.size(1)).transpose(0, 1).reshape(weight.shape)


@known(
    "mirrored",
    means="The second half of each head stands in reverse order.",
    hint="The second feature of pair i becomes row i + D/2.",
    explain=row_taken,
)
def second_half_backward(weight, num_heads):
    pairs = weight.unflatten(0, (num_heads, -1, 2))
    return torch.cat([pairs[:, :, 0], pairs[:, :, 1].flip(1)], dim=1).flatten(0, 1)


@known(
    "transposed",
    means="The result is transposed: (C, H · D) instead of (H · D, C).",
    hint="`nn.Linear` keeps its weight as (features out, features in).",
    explain=explainers.shape,
)
def turned_over(weight, num_heads):
    return halves(weight, num_heads).T


def halves(weight, num_heads):
    """The right order."""
    return weight.unflatten(0, (num_heads, -1, 2)).transpose(1, 2).flatten(0, 2)


@known(
    "heads-left-apart",
    means="The heads still have an axis of their own: the result is (H, D, C).",
    hint="`.flatten(0, 1)` joins the first two axes.",
    explain=explainers.shape,
)
def not_joined(weight, num_heads):
    return halves(weight, num_heads).unflatten(0, (num_heads, -1))


@known(
    "half-of-the-rows",
    means="Only one row of each pair is left.",
    hint="Both features of each pair are needed: all H · D rows.",
    explain=explainers.shape,
)
def even_rows(weight, num_heads):
    return weight[0::2]
