"""Wrong answers to exercise 11.1, of the kind that learners write: the checker must reject all of them."""

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def band(T, S, low, high):
    """Keys from `low` to `high` positions before the query."""
    ones = torch.ones(T, S, dtype=torch.bool)
    return ones.tril(S - T - low) & ones.triu(S - T - high)


@wrong("one-too-many")
def window_and_the_own_key(T, S, window):
    return band(T, S, 0, window)


@wrong("one-too-few")
def window_without_its_first_key(T, S, window):
    return band(T, S, 0, window - 2)


@wrong("own-key-hidden")
def window_before_the_query(T, S, window):
    return band(T, S, 1, window)


@wrong("both-sides")
def window_to_both_sides(T, S, window):
    return band(T, S, 1 - window, window - 1)


@wrong("both-sides")
def window_without_causal(T, S, window):
    return torch.ones(T, S, dtype=torch.bool).triu(S - T - window + 1)


@wrong("after-the-query")
def window_forward(T, S, window):
    return band(T, S, 1 - window, 0)


@wrong("no-window")
def window_forgotten(T, S, window):
    return torch.ones(T, S).tril(S - T) == 1


@wrong("inverted")
def window_inverted(T, S, window):
    return band(T, S, 0, window - 1) == False  # noqa: E712


@wrong("queries-first")
def window_from_the_top_left(T, S, window):
    ones = torch.ones(T, S, dtype=torch.bool)
    return ones.tril() & ones.triu(1 - window)


@wrong("blocks")
def window_in_blocks(T, S, window):
    i, j = torch.arange(S - T, S)[:, None], torch.arange(S)
    return (j <= i) & (j >= i // window * window)


@wrong("last-keys-for-all")
def window_at_the_end(T, S, window):
    mask = torch.ones(T, S, dtype=torch.bool).tril(S - T)
    mask[:, : max(0, S - window)] = False
    return mask


@wrong("transposed")
def window_turned_over(T, S, window):
    return band(T, S, 0, window - 1).mT


@wrong("square")
def window_for_every_position(T, S, window):
    return band(S, S, 0, window - 1)


@wrong("wrong-number-of-keys")
def window_twice_as_wide(T, S, window):
    return band(T, S, 0, 2 * window - 1)


@wrong("other-keys")
def window_that_begins_at_zero(T, S, window):
    right = band(T, S, 0, window - 1)
    count = right.sum(-1, keepdim=True)
    return torch.arange(S) < count
