"""What people get wrong in exercise 9.4, rotary_step."""

import torch

from exercises.common.attention.mistakes import SCALE_MISTAKES, SOFTMAX_MISTAKES
from exercises.common.attention.steps import weights_from
from exercises.common.pieces import token
from exercises.common.rotary import steps
from feedback import Misconceptions

turn_pairs = steps.rotation_from(steps.neighbors, steps.join_neighbors)()
turn_halves = steps.rotation_from(steps.halves, steps.join_halves)()

POSITIONS = (
    "With 5 tokens in the past, the next one stands at position 5. How does your code know how many came before?"
)
KEYS_ONCE = "A token's position never changes, so its key is turned once, when it is new."


# ---------------------------------------------------------------- the right steps


def start(past):
    """The position of the first new token; the past is (keys, values)."""
    return 0 if past is None else past[0].size(-2)


def turn_queries(q, positions):
    return turn_pairs(q, positions)


def turn_keys(k, positions):
    return turn_pairs(k, positions)


def turn_values(v, positions):
    return v


def keys_read(keys):
    """The keys that queries meet, from those that are kept."""
    return keys


def join(past, k, v):
    return (k, v) if past is None else (torch.cat([past[0], k], dim=-2), torch.cat([past[1], v], dim=-2))


def everything(t, s):
    return torch.ones(t, s, dtype=torch.bool)


def mask(t, s):
    return everything(t, s).tril(s - t)


def keep(keys, values, k, v, past):
    return keys, values


def step_from(
    start=start,
    turn_queries=turn_queries,
    turn_keys=turn_keys,
    turn_values=turn_values,
    keys_read=keys_read,
    join=join,
    mask=mask,
    keep=keep,
    **others,
):
    """rotary_step(q, k, v, past) made of these steps, and those of `weights_from`."""
    weigh = weights_from(**others)

    def rotary_step(q, k, v, past=None):
        first = start(past)
        positions = torch.arange(first, first + q.size(-2))
        new_k, new_v = turn_keys(k, positions), turn_values(v, positions)
        keys, values = join(past, new_k, new_v)
        weights = weigh(turn_queries(q, positions), keys_read(keys), mask(q.size(-2), keys.size(-2)))
        return weights @ values, keep(keys, values, new_k, new_v, past)

    return rotary_step


known = Misconceptions(step_from)


# ---------------------------------------------------------------- which position


@known(
    "positions-from-0",
    means="Every call counts its tokens from position 0, as if there were no past.",
    hint=POSITIONS,
    explain=token,
    step="start",
)
def always_0(past):
    return 0


@known(
    "one-too-early",
    means="After a past, the positions are one too low: the first new token got the position of the last old one.",
    hint=POSITIONS,
    explain=token,
    step="start",
)
def at_the_last_old_one(past):
    return max(start(past) - 1, 0)


@known(
    "one-too-late",
    means="After a past, the positions are one too high: one position is left out.",
    hint=POSITIONS,
    explain=token,
    step="start",
)
def one_left_out(past):
    return start(past) + (past is not None)


@known(
    "calls-counted",
    means="What was counted are the calls, not the tokens: after a call with several tokens the positions are too low.",
    hint=POSITIONS,
    explain=token,
)
def rotary_step_by_calls(q, k, v, past=None):
    calls = 0 if past is None else past[2]
    inner = step_from(start=lambda _: calls)
    out, kept = inner(q, k, v, past and past[:2])
    return out, (*kept, calls + 1)


def queries_from_0(q, positions):
    return turn_pairs(q, positions - positions[:1])


@known(
    "queries-from-0",
    means="The keys have their positions, but the queries of each call are counted from 0.",
    hint="A query stands at the same position as its token's key.",
    explain=token,
    step="turn_queries",
)
def queries_counted_again(q, positions):
    return queries_from_0(q, positions)


known(
    "keys-from-0",
    means="The queries have their positions, but the keys of each call are counted from 0.",
    hint="A key stands at the same position as its token's query.",
    explain=token,
)
known.also("keys-from-0", turn_keys=queries_from_0)


# ---------------------------------------------------------------- what is turned, and when


@known(
    "keys-turned-again",
    means="Keys from the past are turned again in each call: they were turned already when they were new.",
    hint=KEYS_ONCE,
    explain=token,
)
def rotary_step_turning_all_keys(q, k, v, past=None):
    keys, values = join(past, k, v)
    keys = turn_pairs(keys, torch.arange(keys.size(-2)))
    positions = torch.arange(keys.size(-2) - q.size(-2), keys.size(-2))
    weights = weights_from()(turn_pairs(q, positions), keys, mask(q.size(-2), keys.size(-2)))
    return weights @ values, (keys, values)


@known(
    "old-keys-not-turned",
    means="The keys are kept as they came, and in later calls only the new ones are turned: old keys stand at no "
    "position.",
    hint=KEYS_ONCE + " Which keys do you return: those before or those after the rotation?",
    explain=token,
)
def rotary_step_keeping_plain_keys(q, k, v, past=None):
    out, _ = step_from()(q, k, v, past)
    return out, join(past, k, v)


@known(
    "queries-not-turned",
    means="Only the keys are turned: a score then depends on where the key stands, not on how far away it is.",
    hint="The distance shows up only if both sides are turned.",
    explain=token,
    step="turn_queries",
)
def plain_queries(q, positions):
    return q


@known(
    "keys-not-turned",
    means="Only the queries are turned: a score then depends on where the query stands, not on how far away "
    "the key is.",
    hint="The distance shows up only if both sides are turned.",
    explain=token,
    step="turn_keys",
)
def plain_keys(k, positions):
    return k


known(
    "nothing-turned",
    means="Neither queries nor keys are turned: this is attention without positions.",
    hint="Queries and keys are turned before they meet.",
    explain=token,
)
known.also("nothing-turned", turn_queries=plain_queries, turn_keys=plain_keys)


@known(
    "values-turned",
    means="The values are turned, too.",
    hint="Which two of the three make the scores?",
    explain=token,
    step="turn_values",
)
def turned_values(v, positions):
    return turn_pairs(v, positions)


def halves_of(x, positions):
    return turn_halves(x, positions)


known(
    "halves",
    means="Features i and i + D/2 are turned together, as in exercise 9.2; here neighbors are pairs, as in 9.1.",
    hint="Which of your two functions is called?",
    explain=token,
)
known.also("halves", turn_queries=halves_of, turn_keys=halves_of)


def backward(x, positions):
    return turn_pairs(x, -positions)


known(
    "opposite-directions",
    means="Queries and keys are turned in opposite directions: the score depends on the sum of the positions.",
    hint="Both are turned by the same function. The difference comes about in the dot product.",
    explain=token,
)
known.also("opposite-directions", turn_keys=backward)
known.also("opposite-directions", turn_queries=backward)


# ---------------------------------------------------------------- the past


@known(
    "past-ignored",
    means="The past is not read: the new tokens see only each other.",
    hint="The past keys and values come before the new ones, along the axis of the positions.",
    explain=token,
    step="join",
)
def new_alone(past, k, v):
    return k, v


@known(
    "only-new-kept",
    means="Only the keys and values of the latest call are handed on: the next call has forgotten what came before "
    "them.",
    hint="What must the next call find in the past?",
    explain=token,
    step="keep",
)
def new_kept(keys, values, k, v, past):
    return k, v


@known(
    "first-kept",
    means="The past that is handed on never grows: it stays that of the first call.",
    hint="What must the next call find in the past?",
    explain=token,
    step="keep",
)
def first_kept(keys, values, k, v, past):
    return (k, v) if past is None else past


@known(
    "new-before-past",
    means="The new keys and values were put in front of the past ones, so that the mask hides the wrong ones.",
    hint="The keys are in the order of the text. What comes first?",
    explain=token,
    step="join",
)
def new_in_front(past, k, v):
    return (k, v) if past is None else (torch.cat([k, past[0]], dim=-2), torch.cat([v, past[1]], dim=-2))


# ---------------------------------------------------------------- the mask and the weights


@known(
    "no-mask",
    means="There is no causal mask: a new token sees those that come after it in the same call.",
    hint="Row i of the mask belongs to position old + i, and may see the columns 0 to old + i.",
    explain=token,
    step="mask",
)
def no_mask(t, s):
    return everything(t, s)


@known(
    "mask-from-the-top-left",
    means="The mask counts queries and keys from the same corner, although the queries are the last of all positions: "
    "new tokens do not see all of the past.",
    hint="Row i of the mask belongs to position old + i, and may see the columns 0 to old + i.",
    explain=token,
    step="mask",
)
def from_the_top_left(t, s):
    return everything(t, s).tril()


known.include(SCALE_MISTAKES, "no-scale", "scaled-by-d", explain=token)
known.include(SOFTMAX_MISTAKES, "over-queries", "no-softmax", explain=token)
