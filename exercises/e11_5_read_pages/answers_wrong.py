"""Wrong answers to exercise 11.5, of the kind that learners write: the checker must reject all of them."""

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def numbers(table):
    return torch.tensor([int(n) for n in table], dtype=torch.long)


def joined(chosen, length):
    return chosen.reshape(-1, *chosen.shape[2:])[:length].permute(1, 0, 2)


@wrong("table-ignored")
def read_from_the_first_page(pages, table, length):
    return pages.view(-1, *pages.shape[2:])[:length].permute(1, 0, 2)


@wrong("empty-table-of-floats")
def read_with_a_table_of_any_dtype(pages, table, length):
    table = table if torch.is_tensor(table) else torch.tensor(table)
    return joined(pages[table], length)


@wrong("table-sorted")
def read_in_ascending_order(pages, table, length):
    return joined(pages[numbers(table).sort().values], length)


@wrong("table-backward")
def read_from_the_last_page(pages, table, length):
    return joined(pages[numbers(table).flip(0)], length)


@wrong("places-first")
def read_place_by_place(pages, table, length):
    return joined(pages[numbers(table)].swapaxes(0, 1), length)


@wrong("heads-mixed")
def read_and_viewed(pages, table, length):
    tokens = pages[numbers(table)].flatten(0, 1)[:length]
    return tokens.reshape(pages.size(2), length, pages.size(3))


@wrong("tokens-first")
def read_with_tokens_first(pages, table, length):
    return pages[numbers(table)].flatten(0, 1)[:length]


@wrong("not-cut")
def read_whole_pages(pages, table, length):
    return pages[numbers(table)].flatten(0, 1).permute(1, 0, 2)


@wrong("tail-lost")
def read_full_pages_alone(pages, table, length):
    P = pages.size(1)
    return pages[numbers(table)].flatten(0, 1)[: length - length % P].permute(1, 0, 2)


@wrong("last-tokens")
def read_the_last_tokens(pages, table, length):
    tokens = pages[numbers(table)].flatten(0, 1).permute(1, 0, 2)
    return tokens[:, tokens.size(1) - length :]


@wrong("not-cut")
def read_length_pages(pages, table, length):
    return pages[numbers(table)][:length].flatten(0, 1).transpose(0, 1)


@wrong("pages-left-apart")
def read_without_joining(pages, table, length):
    return torch.einsum("nphd->hnpd", pages[numbers(table)])


@wrong("page-numbers-as-tokens")
def read_tokens_by_page_number(pages, table, length):
    return pages.reshape(-1, *pages.shape[2:])[numbers(table)][:length].permute(1, 0, 2)


@wrong("torn-tokens")
def read_with_heads_in_reverse(pages, table, length):
    return joined(pages[numbers(table)], length).flip(0)


@wrong()
def read_one_token_later(pages, table, length):
    return joined(pages[numbers(table)].roll(-1, 1), length)
