"""What people get wrong in exercise 7.4, cosines_of_means."""

import torch.nn.functional as F

from exercises.common import explainers
from exercises.e7_4_cosines_of_means.given import cosines_of_means as given
from feedback import Misconceptions


def unit(vectors):
    return F.normalize(vectors, dim=-1)


def _means(hidden, mask):
    real = mask[..., None]
    return (hidden * real).sum(dim=1) / real.sum(dim=1)


def with_itself(case):
    """The text whose number with itself is furthest from 1."""
    itself = case.actual.diagonal()
    at = int((itself - 1).abs().argmax())
    if abs(itself[at] - 1) < 1e-3:
        return explainers.entry(case)
    return f"text {at} has {explainers.number(itself[at])} with itself in your table, where 1 is right"


known = Misconceptions()

known(
    "not-quite-cosines",
    means="This is the code as it was given, or does what it does. The table is symmetric, and its numbers lie between "
    "-1 and 1, and yet they are no cosines.",
    hint="Compare each text with itself. What must come out, and what does?",
    explain=with_itself,
)(given)


@known(
    "normalized-twice",
    means="The diagonal is 1 now, but the vectors of the tokens are normalized before the mean, so short ones count as "
    "much as long ones.",
    hint="The means that are asked for are those of the hidden vectors as they are, as in exercise 7.2.",
    explain=explainers.entry,
)
def normalized_twice(hidden, mask):
    means = unit(_means(unit(hidden), mask))
    return means @ means.T


@known(
    "not-normalized",
    means="Nothing is normalized any more: these are dot products of the means, and long vectors get large numbers.",
    hint="A cosine does not depend on the lengths of the two vectors.",
    explain=with_itself,
)
def dot_products(hidden, mask):
    means = _means(hidden, mask)
    return means @ means.T


@known(
    "over-another-axis",
    means="Vectors are normalized along another axis than that of their features, so they do not get length 1.",
    hint="A vector's length is the root of the sum of its squared features. Which axis is that?",
    explain=with_itself,
)
def over_the_texts(hidden, mask):
    means = F.normalize(_means(hidden, mask), dim=0)
    return means @ means.T


@known.also("over-another-axis")
def over_the_tokens(hidden, mask):
    return dot_products(F.normalize(hidden, dim=1), mask)


@known.also("over-another-axis")
def over_the_texts_and_early(hidden, mask):
    return dot_products(F.normalize(hidden, dim=0), mask)


@known(
    "padding-counts",
    means="Padding is in the mean. As it was given, it was left out.",
    hint="Give the padding of a text other numbers: should a cosine move?",
    explain=explainers.entry,
)
def padding_counts(hidden, mask):
    means = unit(hidden.mean(dim=1))
    return means @ means.T


@known.also("padding-counts")
def padding_counts_and_left(hidden, mask):
    means = unit(hidden).mean(dim=1)
    return means @ means.T


@known(
    "table-changed",
    means="The table was changed, and not the vectors that it is made of.",
    hint="A cosine is a dot product divided by two lengths: those of the two texts that it compares.",
    explain=with_itself,
)
def table_normalized(hidden, mask):
    return unit(dot_products(hidden, mask))


@known.also("table-changed")
def divided_by_the_diagonal(hidden, mask):
    table = given(hidden, mask)
    return table / table.diagonal()


@known.also("table-changed")
def dot_products_divided_by_the_diagonal(hidden, mask):
    table = dot_products(hidden, mask)
    return table / table.diagonal()


@known.also("table-changed")
def divided_by_the_largest(hidden, mask):
    table = given(hidden, mask)
    return table / table.max()


@known.also("table-changed")
def ones_on_the_diagonal(hidden, mask):
    return given(hidden, mask).fill_diagonal_(1)
