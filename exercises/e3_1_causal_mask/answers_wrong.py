"""Wrong answers to exercise 3.1, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import numpy as np
import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("upside-down")
def causal_triu(length):
    """The upper triangle with the diagonal."""
    return torch.triu(torch.ones(length, length, dtype=torch.bool))


@wrong("true-hides")
def causal_inverted(length):
    """Inverted: True is hidden."""
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


@wrong("true-hides")
def causal_negated_tril(length):
    """The lower triangle, negated."""
    return ~torch.tril(torch.ones(length, length, dtype=torch.bool))


@wrong("diagonal-hidden")
def causal_without_diagonal(length):
    """The diagonal is hidden."""
    return torch.tril(torch.ones(length, length, dtype=torch.bool), diagonal=-1)


@wrong("diagonal-hidden")
def causal_by_less_than(length):
    """The diagonal is hidden, by <."""
    positions = torch.arange(length)
    return positions[None, :] < positions[:, None]


@wrong("one-step-ahead")
def causal_one_ahead(length):
    """One step into the future is seen."""
    return torch.tril(torch.ones(length, length, dtype=torch.bool), diagonal=1)


@wrong("numbers-not-bool")
def causal_as_float(length):
    """Float."""
    return torch.tril(torch.ones(length, length))


@wrong("numbers-not-bool")
def causal_as_int(length):
    """Int."""
    return torch.tril(torch.ones(length, length, dtype=torch.int64))


@wrong("numbers-not-bool")
def causal_as_bytes(length):
    """uint8."""
    return torch.tril(torch.ones(length, length)).byte()


@wrong("additive")
def causal_additive(length):
    """0 and -inf, to be added."""
    return torch.full((length, length), -math.inf).triu(1)


@wrong("true-hides")
def causal_additive_as_bool(length):
    """0 and -inf turned into bool, which inverts it."""
    return torch.full((length, length), float("-inf")).triu(1).bool()


@wrong("true-hides")
def causal_float_inverted(length):
    """Float and inverted."""
    return torch.triu(torch.ones(length, length), diagonal=1)


@wrong("upside-down")
def causal_swapped_loop(length):
    """Rows and columns swapped in the loop."""
    mask = torch.zeros(length, length, dtype=torch.bool)
    for query in range(length):
        for key in range(query + 1):
            mask[key, query] = True
    return mask


@wrong("diagonal-hidden")
def causal_loop_one_short(length):
    """Off by one in the loop."""
    mask = torch.zeros(length, length, dtype=torch.bool)
    for query in range(length):
        for key in range(query):
            mask[query, key] = True
    return mask


@wrong()
def causal_without_last_row(length):
    """The last row is left out."""
    mask = torch.zeros(length, length, dtype=torch.bool)
    for query in range(length - 1):
        mask[query, : query + 1] = True
    return mask


@wrong("only-itself")
def causal_identity(length):
    """The diagonal alone."""
    rows = torch.arange(length)
    return rows[:, None] == rows


@wrong("everything-visible")
def causal_all_true(length):
    """Everything is seen."""
    return torch.ones(length, length, dtype=torch.bool)


@wrong("nothing-visible")
def causal_all_false(length):
    """Zeros under a tril: nothing is seen."""
    return torch.tril(torch.zeros(length, length)).bool()


@wrong()
def causal_window(length):
    """A window: itself and the one before."""
    return torch.ones(length, length, dtype=torch.bool).tril().triu(-1)


@wrong()
def causal_flipped(length):
    """The other diagonal."""
    return torch.ones(length, length, dtype=torch.bool).tril().flip(1)


@wrong("wrong-shape")
def causal_with_a_batch_axis(length):
    """An axis too many."""
    return torch.tril(torch.ones(1, length, length, dtype=torch.bool))


@wrong("wrong-shape")
def causal_with_four_axes(length):
    """Four axes."""
    return torch.tril(torch.ones(length, length, dtype=torch.bool)).view(1, 1, length, length)


@wrong("wrong-shape")
def causal_one_row(length):
    """One row only."""
    return torch.arange(length) <= length - 1


@wrong("wrong-shape")
def causal_too_large(length):
    """One row and column too many."""
    return torch.tril(torch.ones(length + 1, length + 1, dtype=torch.bool))


@wrong("wrong-shape")
def causal_hard_coded(length):
    """Six tokens, hard-coded."""
    return torch.tril(torch.ones(6, 6, dtype=torch.bool))


@wrong("returns-wrong-type")
def causal_as_numpy(length):
    """A numpy array."""
    return np.tri(length, dtype=bool)


@wrong("returns-wrong-type")
def causal_as_lists(length):
    """Nested lists."""
    return [[key <= query for key in range(length)] for query in range(length)]


@wrong("returns-none")
def causal_not_returned(length):
    """Nothing is returned."""
    print(torch.tril(torch.ones(length, length, dtype=torch.bool)))


@wrong()
def causal_tril_of_a_number(length):
    """tril of a number."""
    return torch.tril(length).bool()


@wrong()
def causal_wrong_dtype_name(length):
    """A dtype that does not exist."""
    return torch.tril(torch.ones(length, length, dtype=torch.boolean))


@wrong()
def causal_of_scores(scores):
    """Scores are wanted instead of a length."""
    length = scores.shape[-1]
    return torch.tril(torch.ones(length, length, dtype=torch.bool))


@wrong()
def causal_of_two_sizes(queries, keys):
    """Two sizes are wanted."""
    return torch.tril(torch.ones(queries, keys, dtype=torch.bool))


@wrong()
def causal_first_rows_empty(length):
    """Only the last token sees everything."""
    mask = torch.zeros(length, length, dtype=torch.bool)
    mask[-1] = True
    return mask


@wrong()
def causal_of_one_row(length):
    """A triangle of a row."""
    return torch.ones(length, dtype=torch.bool).tril()


@wrong("wrong-dtype")
def causal_of_infinities_and_ones(length):
    """1 where attending is allowed, -inf elsewhere."""
    mask = torch.ones(length, length).tril()
    return mask.masked_fill(mask == 0, float("-inf"))


@wrong("upside-down")
def causal_float_upper(length):
    """The upper triangle, as numbers."""
    return torch.triu(torch.ones((length, length)))
