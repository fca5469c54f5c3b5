"""What people get wrong in exercise 11.2, rolling_step."""

import torch

from exercises.common.attention.mistakes import SCALE_MISTAKES, SOFTMAX_MISTAKES
from exercises.common.attention.steps import weights_from
from exercises.common.pieces import token
from feedback import Misconceptions

ORDER = (
    "With a window of 3 and five new tokens, the first of them still sees two of the past. Which keys are left when it "
    "asks: all of them, or those that the last one sees?"
)
WINDOW = "A window of 3 is the token's own position and the two before it. Which positions does your last token see?"
NEXT = "What can the next token see besides itself? That is what the past must hold."
ROWS = "The queries are the last T of all P + T positions: row i of the mask belongs to position P + i."


# ---------------------------------------------------------------- the right steps


def join(past, k, v, window):
    """All keys and values that may be read."""
    return (k, v) if past is None else (torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2))


def distance(t, s):
    """(T, S): query minus key."""
    return torch.arange(s - t, s)[:, None] - torch.arange(s)


def mask(t, s, window):
    return (distance(t, s) >= 0) & (distance(t, s) < window)


def keep(keys, values, new, past, window):
    """The next past, from all keys and values, the new (k, v), and the last past."""
    return keys[:, :, -window:], values[:, :, -window:]


def rolling_from(join=join, mask=mask, keep=keep, **others):
    """rolling_step(q, k, v, past, window) made of these steps, and those of `weights_from`."""
    weigh = weights_from(**others)

    def rolling_step(q, k, v, past, window):
        keys, values = join(past, k, v, window)
        weights = weigh(q, keys, mask(q.size(2), keys.size(2), window))
        return weights @ values, keep(keys, values, (k, v), past, window)

    return rolling_step


known = Misconceptions(rolling_from)


# ---------------------------------------------------------------- trim, then attend


def join_and_trim(past, k, v, window):
    return tuple(x[:, :, -window:] for x in join(past, k, v, window))


@known(
    "trimmed-before-attending",
    means="Keys were forgotten before the new tokens had read them: only the latest `window` were left, although the "
    "first of several new tokens may still see older ones.",
    hint=ORDER,
    explain=token,
    step="join",
)
def trimmed_at_once(past, k, v, window):
    return join_and_trim(past, k, v, window)


def zeros_for_empty_rows(scores):
    return scores.softmax(-1).nan_to_num(0.0)


known.also("trimmed-before-attending", join=join_and_trim, softmax=zeros_for_empty_rows)
known.also(
    "trimmed-before-attending",
    join=join_and_trim,
    mask=lambda t, s, window: torch.ones(t, s, dtype=torch.bool).tril(),
)
known.also(
    "trimmed-before-attending",
    join=join_and_trim,
    mask=lambda t, s, window: torch.ones(t, s, dtype=torch.bool),
)


@known.also("trimmed-before-attending", step="join")
def past_makes_room(past, k, v, window):
    room = max(window - k.size(2), 0)
    old = past and tuple(x[:, :, max(x.size(2) - room, 0) :] for x in past)
    return join(old, k, v, window)


# ---------------------------------------------------------------- which positions are seen


@known(
    "window-missing-in-a-call",
    means="Only the past was cut to the window. Within a call there is no window: the last of several new tokens sees "
    "all others and the whole past.",
    hint="Each of the new tokens has a window of its own. " + ROWS,
    explain=token,
    step="mask",
)
def causal(t, s, window):
    return distance(t, s) >= 0


def one_less_kept(keys, values, new, past, window):
    return tuple(x[:, :, max(x.size(2) - window + 1, 0) :] for x in (keys, values))


def one_less_by_a_negative_slice(keys, values, new, past, window):
    return keys[:, :, -(window - 1) :], values[:, :, -(window - 1) :]  # [-0:] is everything


def everything_kept(keys, values, new, past, window):
    return keys, values


known.also("window-missing-in-a-call", mask=causal, keep=one_less_kept)
known.also("window-missing-in-a-call", mask=causal, keep=one_less_by_a_negative_slice)

known(
    "no-window",
    means="There is no window at all: every token sees all that came before, and the past grows with the text.",
    hint="Where does your code use `window`? " + WINDOW,
    explain=token,
)
known.also("no-window", mask=causal, keep=everything_kept)


@known(
    "one-too-many",
    means="The window is one position too wide: the token's own position was not counted.",
    hint=WINDOW,
    explain=token,
    step="mask",
)
def own_not_counted(t, s, window):
    return (distance(t, s) >= 0) & (distance(t, s) <= window)


@known(
    "one-too-few",
    means="The window is one position too narrow.",
    hint=WINDOW,
    explain=token,
    step="mask",
)
def one_less(t, s, window):
    return (distance(t, s) >= 0) & (distance(t, s) < window - 1)


@known(
    "no-mask",
    means="Within a call, tokens see those that come after them.",
    hint=ROWS,
    explain=token,
    step="mask",
)
def nothing_hidden(t, s, window):
    return torch.ones(t, s, dtype=torch.bool)


@known.also("no-mask", step="mask")
def only_far_ones_hidden(t, s, window):
    return distance(t, s) < window


@known.also("no-mask", step="mask")
def on_both_sides(t, s, window):
    return distance(t, s).abs() < window


known.also("no-mask", mask=nothing_hidden, keep=one_less_kept)


@known(
    "mask-from-the-top-left",
    means="The mask counts queries and keys from the same corner, although the queries are the last of all positions.",
    hint=ROWS,
    explain=token,
    step="mask",
)
def from_the_top_left(t, s, window):
    ones = torch.ones(t, s, dtype=torch.bool)
    return ones.tril() & ones.triu(1 - window)


@known(
    "causal-from-the-top-left",
    means="The mask is a plain lower triangle, as with `is_causal=True`: it has no window, and after a past its first "
    "row sees only the very first key.",
    hint=WINDOW + " " + ROWS,
    explain=token,
    step="mask",
)
def causal_from_the_top_left(t, s, window):
    return torch.ones(t, s, dtype=torch.bool).tril()


@known(
    "mask-inverted",
    means="True and False have changed places: what should be hidden is read, and what should be read is hidden.",
    hint="In this course, True means may attend. `masked_fill` fills where its mask is True.",
    explain=token,
    step="mask",
)
def hidden_is_true(t, s, window):
    return ~mask(t, s, window)


known.also("mask-inverted", mask=hidden_is_true, softmax=zeros_for_empty_rows)


# ---------------------------------------------------------------- what is kept


@known(
    "too-few-kept",
    means="The past holds too few positions: the next token does not see all of its window.",
    hint=NEXT,
    explain=token,
    step="keep",
)
def two_less(keys, values, new, past, window):
    return tuple(x[:, :, max(x.size(2) - max(window - 2, 0), 0) :] for x in (keys, values))


@known(
    "oldest-kept",
    means="The first positions were kept, and the latest forgotten.",
    hint=NEXT + " Which end of the axis holds the latest positions?",
    explain=token,
    step="keep",
)
def from_the_front(keys, values, new, past, window):
    return keys[:, :, :window], values[:, :, :window]


@known.also("oldest-kept", step="keep")
def one_less_from_the_front(keys, values, new, past, window):
    return keys[:, :, : window - 1], values[:, :, : window - 1]


@known(
    "only-new-kept",
    means="Only the tokens of the latest call were kept; the next call has forgotten what came before them.",
    hint=NEXT,
    explain=token,
    step="keep",
)
def new_ones(keys, values, new, past, window):
    return tuple(x[:, :, -window:] for x in new)


@known(
    "emptied-when-full",
    means="When the past was full it was thrown away as a whole: the next token sees almost nothing.",
    hint="A rolling past forgets one position for each new one.",
    explain=token,
    step="keep",
)
def emptied(keys, values, new, past, window):
    return (keys, values) if keys.size(2) <= window else tuple(x[:, :, -window:] for x in new)


@known.also("emptied-when-full", step="keep")
def emptied_to_the_last(keys, values, new, past, window):
    return (keys, values) if keys.size(2) <= window else (keys[:, :, -1:], values[:, :, -1:])


@known.also("emptied-when-full", step="keep")
def emptied_to_nothing(keys, values, new, past, window):
    return (keys, values) if keys.size(2) <= window else (keys[:, :, :0], values[:, :, :0])


@known(
    "heads-or-features-cut",
    means="The wrong axis was cut: heads or features are missing, and positions are all there.",
    hint="k is (B, H, T, D). On which axis do the positions lie?",
    explain=token,
    step="keep",
    raised_in="cat",
)
def features_cut(keys, values, new, past, window):
    return keys[..., -window:], values[..., -window:]


@known.also("heads-or-features-cut", step="keep")
def heads_cut(keys, values, new, past, window):
    return keys[:, -window:], values[:, -window:]


# ---------------------------------------------------------------- the past


@known(
    "past-ignored",
    means="The past is not read: the new tokens see only each other.",
    hint="The past keys and values come before the new ones, along the axis of the positions.",
    explain=token,
    step="join",
)
def new_alone(past, k, v, window):
    return k, v


@known(
    "new-before-past",
    means="The new keys and values were put in front of the past ones; positions are in the order of the text.",
    hint="What comes first in the text: the past, or the new tokens?",
    explain=token,
    step="join",
)
def new_in_front(past, k, v, window):
    return (k, v) if past is None else (torch.cat([k, past[0]], dim=2), torch.cat([v, past[1]], dim=2))


@known(
    "values-before-keys",
    means="The past was handed on as (values, keys), and read as (keys, values).",
    hint="Which of the two does your code read from `past[0]`?",
    explain=token,
    step="keep",
)
def values_first(keys, values, new, past, window):
    return values[:, :, -window:], keys[:, :, -window:]


known.include(SCALE_MISTAKES, "no-scale", "scaled-by-d", explain=token)
known.include(SOFTMAX_MISTAKES, "over-queries", "no-softmax", explain=token)
