"""What people get wrong in exercise 11.5, read_pages."""

import torch

from exercises.common import explainers
from feedback import Misconceptions

ORDER = "Token t lies on page table[t // P], at place t % P. Where does token P lie, with the table [2, 0]?"


# ---------------------------------------------------------------- the right steps


def choose(pages, table):
    """The pages of the text, (n, P, H, D)."""
    return pages[torch.as_tensor(table, dtype=torch.long)]


def join(chosen):
    """Tokens one after another, (n * P, H, D)."""
    return chosen.flatten(0, 1)


def cut(tokens, length):
    return tokens[:length]


def finish(tokens):
    return tokens.transpose(0, 1)


def pages_from(choose=choose, join=join, cut=cut, finish=finish):
    """read_pages(pages, table, length) made of these steps."""

    def read_pages(pages, table, length):
        return finish(cut(join(choose(pages, table)), length))

    return read_pages


def token_read(case):
    """Where the first wrong token of the learner's result comes from."""
    pages, table, _ = case.args
    if case.first.shape != case.expected_first.shape:
        return explainers.shape(case)
    wrong = (case.first != case.expected_first).any(-1).any(0).nonzero().flatten().tolist()
    t, size = wrong[0], pages.size(1)
    place = (pages == case.first[:, t]).all(-1).all(-1).nonzero().tolist()
    right = f"page {int(table[t // size])}, place {t % size}"
    if not place:
        return f"token {t} should be that of {right}; yours holds numbers that stand together on no page"
    return f"token {t} of your result is that of page {place[0][0]}, place {place[0][1]}; it should be that of {right}"


known = Misconceptions(pages_from)


@known(
    "table-ignored",
    means="The pages were read in the order in which they lie in memory, not in that of the table.",
    hint=ORDER,
    explain=token_read,
    step="choose",
)
def the_first_pages(pages, table):
    return pages[: len(table)]


@known(
    "empty-table-of-floats",
    means="PyTorch turns an empty list into a tensor of floats, and floats cannot be indices.",
    hint="Say that the numbers of the table are whole, with `dtype=torch.long`.",
    step="choose",
)
def any_dtype(pages, table):
    return pages[torch.as_tensor(table)]


@known(
    "table-sorted",
    means="The pages of the table were read in ascending order.",
    hint=ORDER,
    explain=token_read,
    step="choose",
)
def in_ascending_order(pages, table):
    return choose(pages, sorted(int(n) for n in table))


@known(
    "table-backward",
    means="The table was read from its end.",
    hint=ORDER,
    explain=token_read,
    step="choose",
)
def from_the_end(pages, table):
    return choose(pages, [int(n) for n in table][::-1])


@known(
    "places-first",
    means="The first tokens of all pages come first, then the second ones: pages and places have changed order.",
    hint=ORDER,
    explain=token_read,
    step="join",
)
def place_by_place(chosen):
    return chosen.transpose(0, 1).flatten(0, 1)


@known(
    "heads-mixed",
    means="The heads were mixed with the tokens: a reshape to (H, length, D) cuts memory at other places.",
    hint="Tokens come before heads in a page. Which step exchanges the two axes?",
    explain=token_read,
)
def reshaped(pages, table, length):
    tokens = cut(join(choose(pages, table)), length)
    return tokens.reshape(tokens.size(1), tokens.size(0), -1) if length else finish(tokens)


@known(
    "tokens-first",
    means="The result is (length, H, D): tokens before heads.",
    hint="Attention wants the heads in front: (H, length, D).",
    explain=explainers.shape,
    step="finish",
)
def not_transposed(tokens):
    return tokens


@known(
    "not-cut",
    means="Whole pages were returned: there are more tokens than `length`, which counts tokens, not pages.",
    hint="The last page may be only partly used, and the table may be longer than needed.",
    explain=explainers.shape,
    step="cut",
)
def whole_pages(tokens, length):
    return tokens


@known(
    "tail-lost",
    means="Only pages that are full were read: the tokens on the last one are missing.",
    hint="`length // P` is the number of full pages. How many pages hold 13 tokens, with 5 on each?",
    explain=explainers.shape,
)
def full_pages(pages, table, length):
    return finish(join(choose(pages, table[: length // pages.size(1)])))


@known(
    "last-tokens",
    means="The last `length` tokens were returned; the text begins at the first page of the table.",
    hint="Which tokens are too many: those at the start, or those at the end?",
    explain=token_read,
    step="cut",
)
def from_the_end_of_the_pages(tokens, length):
    return tokens[len(tokens) - length :]


@known(
    "pages-left-apart",
    means="The pages still have an axis of their own.",
    hint="`.flatten(0, 1)` joins pages and places to tokens.",
    explain=explainers.shape,
)
def not_joined(pages, table, length):
    return choose(pages, table).permute(2, 0, 1, 3)


@known(
    "page-numbers-as-tokens",
    means="The numbers in the table were used as numbers of tokens, not of pages.",
    hint=ORDER,
    explain=token_read,
)
def tokens_by_number(pages, table, length):
    return finish(cut(pages.flatten(0, 1)[torch.as_tensor(table, dtype=torch.long)], length))
