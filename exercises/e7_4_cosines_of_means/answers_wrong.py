"""Wrong answers to exercise 7.4, each with the diagnosis that it must get."""

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def means_of(hidden, mask):
    return torch.stack([text[real].mean(dim=0) for text, real in zip(hidden, mask, strict=True)])


@wrong("not-quite-cosines")
def tokens_of_length_1(hidden, mask):
    means = means_of(hidden / hidden.norm(dim=-1, keepdim=True), mask)
    return torch.einsum("ac,bc->ab", means, means)


@wrong("normalized-twice")
def tokens_and_texts_of_length_1(hidden, mask):
    means = means_of(hidden / hidden.norm(dim=-1, keepdim=True), mask)
    return F.cosine_similarity(means[:, None], means[None], dim=-1)


@wrong("not-normalized")
def products_of_means(hidden, mask):
    means = means_of(hidden, mask)
    return torch.einsum("ac,bc->ab", means, means)


@wrong("over-another-axis")
def columns_of_length_1(hidden, mask):
    means = means_of(hidden, mask)
    means = means / means.norm(dim=0)
    return torch.einsum("ac,bc->ab", means, means)


@wrong("padding-counts")
def mean_of_all_positions(hidden, mask):
    means = hidden.sum(dim=1) / hidden.size(1)
    return F.cosine_similarity(means[:, None], means[None], dim=-1)


@wrong("table-changed")
def rows_of_length_1(hidden, mask):
    table = products_of_means(hidden, mask)
    return table / table.norm(dim=-1, keepdim=True)


@wrong()
def largest_is_1(hidden, mask):
    table = products_of_means(hidden, mask)
    return table / table.max()


@wrong()
def the_first_token(hidden, mask):
    vectors = F.normalize(hidden[:, 0], dim=-1)
    return vectors @ vectors.T
