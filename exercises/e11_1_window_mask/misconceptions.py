"""What people get wrong in exercise 11.1, window_mask."""

import torch

from exercises.common import explainers
from feedback import Misconceptions

WINDOW = "A window of 3 is the query's own key and the two before it. Which keys does your last query see?"
QUERIES = "With T = 2 and S = 5, the queries stand at the positions 3 and 4. Which keys does your first query see?"


# ---------------------------------------------------------------- the right steps


def distance(t, s):
    """(T, S): query minus key."""
    return torch.arange(s - t, s)[:, None] - torch.arange(s)


def seen(distance, window):
    return (distance >= 0) & (distance < window)


def finish(mask):
    return mask


def window_from(distance=distance, seen=seen, finish=finish):
    """window_mask(T, S, window) made of these steps."""

    def window_mask(T, S, window):
        return finish(seen(distance(T, S), window))

    return window_mask


def keys_seen(case):
    """What the first wrong query sees, and what it should see."""
    if case.first.shape != case.expected_first.shape or case.first.dtype != torch.bool:
        return explainers.shape(case)
    t, s, _ = case.args
    row = int((case.first != case.expected_first).any(-1).nonzero()[0])
    got, right = (x[row].nonzero().flatten().tolist() for x in (case.first, case.expected_first))
    return f"query {row}, at position {s - t + row}, sees the keys {got}, and should see {right}"


known = Misconceptions(window_from)


@known(
    "one-too-many",
    means="The window is one key too wide: the query's own key was not counted.",
    hint=WINDOW,
    explain=keys_seen,
    step="seen",
)
def own_key_not_counted(distance, window):
    return (distance >= 0) & (distance <= window)


@known(
    "one-too-few",
    means="The window is one key too narrow.",
    hint=WINDOW,
    explain=keys_seen,
    step="seen",
)
def one_less(distance, window):
    return (distance >= 0) & (distance < window - 1)


@known(
    "own-key-hidden",
    means="The window lies before the query: its own key is hidden.",
    hint=WINDOW,
    explain=keys_seen,
    step="seen",
)
def before_the_query(distance, window):
    return (distance > 0) & (distance <= window)


@known.also("own-key-hidden", step="seen")
def before_the_query_and_narrower(distance, window):
    return (distance > 0) & (distance < window)


@known(
    "both-sides",
    means="The window reaches to both sides: keys after the query are visible.",
    hint="The window ends at the query's own position.",
    explain=keys_seen,
    step="seen",
)
def on_both_sides(distance, window):
    return distance.abs() < window


@known.also("both-sides", step="seen")
def no_upper_limit(distance, window):
    return distance < window


@known.also("both-sides", step="seen")
def half_to_each_side(distance, window):
    return distance.abs() <= window // 2


@known(
    "after-the-query",
    means="The window lies after the query: the sign of the distance is wrong.",
    hint="Keys that may be read come before the query. Is your distance query minus key, or key minus query?",
    explain=keys_seen,
    step="seen",
)
def forward(distance, window):
    return seen(-distance, window)


@known(
    "no-window",
    means="This is a plain causal mask: no key is too far away.",
    hint="Where does your code use `window`?",
    explain=keys_seen,
    step="seen",
)
def causal(distance, window):
    return distance >= 0


@known(
    "inverted",
    means="True and False have changed places: True means may attend.",
    hint="How many keys may the last query see?",
    explain=keys_seen,
    step="finish",
)
def hidden_is_true(mask):
    return ~mask


@known(
    "queries-first",
    means="The queries were taken for the first T of S positions; they are the last T.",
    hint=QUERIES,
    explain=keys_seen,
    step="distance",
)
def from_the_top_left(t, s):
    return torch.arange(t)[:, None] - torch.arange(s)


@known(
    "blocks",
    means="The positions were cut into blocks of `window`: each query sees its own block only.",
    hint="The window moves along with the query. " + WINDOW,
    explain=keys_seen,
)
def within_blocks(T, S, window):
    block = torch.arange(S) // window
    return (block[S - T :, None] == block) & (distance(T, S) >= 0)


@known(
    "last-keys-for-all",
    means="All queries see the same keys, the last ones.",
    hint="The window moves along with the query. " + WINDOW,
    explain=keys_seen,
)
def the_latest_keys(T, S, window):
    return (torch.arange(S) >= S - window).expand(T, S) & (distance(T, S) >= 0)


@known(
    "transposed",
    means="Rows and columns have changed places: the result is (S, T).",
    hint="A row for each query, a column for each key: (T, S).",
)
def turned_over(T, S, window):
    return window_from()(T, S, window).T


@known(
    "square",
    means="The mask has a row for each of the S positions; only the last T are queries.",
    hint="A row for each query, a column for each key: (T, S).",
    explain=explainers.shape,
)
def a_row_for_each_position(T, S, window):
    return window_from()(S, S, window)
