"""Answers to exercise 11.5 with two mistakes at once: the checker may name either, and no third."""

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


def chosen(pages, table):
    return torch.stack([pages[int(n)] for n in table]) if len(table) else pages[:0]


@both("table-ignored", "tokens-first")
def first_pages_with_tokens_first(pages, table, length):
    return pages.reshape(-1, *pages.shape[2:])[:length]


@both("table-sorted", "tokens-first")
def sorted_with_tokens_first(pages, table, length):
    return chosen(pages, sorted(map(int, table))).flatten(0, 1)[:length]


@both("not-cut", "tokens-first")
def whole_pages_with_tokens_first(pages, table, length):
    return chosen(pages, table).flatten(0, 1)


@both("not-cut", "table-backward")
def whole_pages_backward(pages, table, length):
    return chosen(pages, list(table)[::-1]).flatten(0, 1).transpose(0, 1)


@both("not-cut", "heads-mixed")
def whole_pages_viewed(pages, table, length):
    N, P, H, D = pages.shape
    return chosen(pages, table).reshape(H, len(table) * P, D)


@both("last-tokens", "table-ignored")
def last_tokens_of_the_first_pages(pages, table, length):
    tokens = pages[: len(table)].flatten(0, 1)
    return tokens[len(tokens) - length :].permute(1, 0, 2)


@both("places-first", "not-cut")
def whole_pages_place_by_place(pages, table, length):
    return chosen(pages, table).permute(2, 1, 0, 3).flatten(1, 2)
