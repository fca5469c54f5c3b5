"""13.4 test_cache. Its suspects are functions model(ids, past=None) -> (logits (B, T, 50), past)."""

import math
from collections.abc import Callable
from functools import cache

import torch

from exercises.n13_the_museum_of_bugs.suspects import Model, Suspects
from feedback.format import listed, number
from helpers import require


def test_cache(model):
    """A text in pieces gives what it gives at once, also where a past is continued in two ways.

    Shapes: model takes ids (B, T) and a past, None at first, to logits (B, T, V) and the past to go on from
    """

    def assert_same(logits, whole, begin):
        right = whole[:, begin : begin + logits.size(1)]
        assert (logits - right).abs().max() < 1e-4, f"the piece from token {begin} on"

    ids = torch.randint(50, (3, 20))
    whole = model(ids)[0]
    for sizes in ([1] * 20, [1, 4, 3, 12], [6, 2, 1, 11]):
        past, begin = None, 0
        for piece in ids.split(sizes, dim=1):
            logits, past = model(piece, past)
            assert_same(logits, whole, begin)
            begin += piece.size(1)
    other = torch.cat([ids[:, :5], torch.randint(50, (3, 3))], dim=1)  # begins like ids
    _, past = model(ids[:, :5])
    _, first = model(ids[:, 5:8], past)
    second, _ = model(other[:, 5:], past)
    assert_same(second, model(other)[0], 5)
    assert_same(model(ids[:, 8:], first)[0], whole, 8)  # the first branch goes on


# ---------------------------------------------------------------- what a test gives to a suspect


class Past:
    """A past, whose content a test cannot see. It knows the past before it, and the ids that came after that."""

    def __init__(self, inside, before, ids):
        self._inside, self._before, self._ids = inside, before, ids

    def _pieces(self):
        return (*(self._before._pieces() if self._before else ()), self._ids.size(1))


class Writer(Model):
    """A suspect with opaque pasts."""

    def forward(self, ids, past=None):
        logits, inside = super().forward(ids, None if past is None else past._inside)
        return logits, Past(inside, past, ids)


def model(suspect, ids, past=None):
    """Check the arguments of a call of a suspect, and return them for rules."""
    require.shape(ids, "B T", "ids", floating=False)
    require.that(not ids.is_floating_point() and ids.min() >= 0 and ids.max() < 50, "ids are from 0 to 49", ids)
    is_past = past is None or isinstance(past, Past)
    require.that(is_past, "past is None, or what an earlier call returned next to its logits", require.kind_of(past))
    return ids, past


def later(calls):
    """Return the lengths of all pieces up to and including this one, for each call with a past."""
    return [(*past._pieces(), ids.size(1)) for ids, past in calls if past]


def past_never_passed(calls):
    return len(calls) > 1 and not later(calls)


def one_item(calls):
    return all(len(ids) == 1 for ids, _ in calls)


def short(calls):
    return all(sum(pieces) <= 16 for pieces in later(calls))


def two_pieces(calls):
    return all(len(pieces) == 2 for pieces in later(calls))


def never_one_token_first(calls):
    return all(pieces[0] > 1 for pieces in later(calls))


def later_ones_of_one_token(calls):
    return all(set(pieces[1:]) == {1} for pieces in later(calls))


def one_token_each(calls):
    return all(set(pieces) == {1} for pieces in later(calls))


def branches(calls):
    """Return pairs of calls that continue from the same past, as indices of calls."""
    return [(i, j) for j, (_, past) in enumerate(calls) for i in range(j) if past and calls[i][1] is past]


def no_branches(calls):
    return not branches(calls)


def first_branch_dropped(calls):
    """Return whether no call continues the first of two branches after the second began."""
    return not any(_goes_on(calls, i, j) for i, j in branches(calls))


def branches_of_different_lengths(calls):
    """Return the same, but only for two branches of equal length."""
    pairs = [(i, j) for i, j in branches(calls) if calls[i][0].size(1) == calls[j][0].size(1)]
    return not any(_goes_on(calls, i, j) for i, j in pairs)


def _goes_on(calls, i, j):
    pasts = [past for _, past in calls[j + 1 :] if past]
    return any(past._before is calls[i][1] and past._ids is calls[i][0] for past in pasts)


# ---------------------------------------------------------------- what shows a bug


def pieces(*sizes: int, B: int = 1) -> Callable:
    """Show the logit that is furthest off if a text comes in pieces."""

    def shows(model):
        ids = _text(B, sum(sizes))
        whole, outs, past = model(ids)[0], [], None
        for piece in ids.split(sizes, dim=1):
            out, past = model(piece, past)
            outs.append(out)
        return _in_words(f"In pieces of {listed([str(n) for n in sizes])} tokens", torch.cat(outs, dim=1), whole)

    return shows


def second_branch(model):
    """Show the same if a past is continued for the second time."""
    ids, other = _text(1, 6), _text(1, 6, seed=1)
    _, past = model(ids[:, :3])
    model(other[:, 3:], past)
    return _in_words(f"{TWICE} In the second branch", model(ids[:, 3:], past)[0], model(ids)[0][:, 3:])


def first_branch(model):
    """Show the same if a branch is continued after another one."""
    ids, other = _text(1, 8), _text(1, 8, seed=1)
    _, past = model(ids[:, :3])
    _, first = model(ids[:, 3:6], past)
    model(other[:, 3:6], past)
    return _in_words(f"{TWICE} Where the first goes on", model(ids[:, 6:], first)[0], model(ids)[0][:, 6:])


TWICE = "A past of 3 tokens is continued twice by 3."


def _text(B, T, seed=0):
    return torch.randint(VOCABULARY, (B, T), generator=torch.Generator().manual_seed(seed))


def _in_words(begin, got, right):
    b, rest = divmod(int((got - right).abs().argmax()), right[0].numel())
    t, id = divmod(rest, VOCABULARY)
    batch = f" of item {b}" if len(right) > 1 else ""
    return (
        f"{begin}, the logit of id {id} at token {t}{batch} is {number(got[b, t, id])}, and {number(right[b, t, id])} "
        "for the whole text at once"
    )


# ---------------------------------------------------------------- what suspects are made of

C, D, VOCABULARY = 8, 8, 50


def read(numbers, ids, at):
    """Return the vectors of tokens (B, T, C) at these positions, and their q, k and v."""
    x = numbers("table", VOCABULARY, C)[ids] + numbers("positions", 1024, C)[at]
    return x, *projected(numbers, x)


def projected(numbers, x, layer=""):
    return [x @ numbers.matrix(layer + name, C, D) for name in "qkv"]


def attended(q, k, v, seen=None):
    """Return attention; without a mask (T, S), it is causal, and the queries are the last T of S tokens."""
    scores = q @ k.transpose(-2, -1) / 4
    if seen is not None:
        scores = scores.masked_fill(~seen, -math.inf)
    elif q.size(1) > 1:
        scores = scores.masked_fill(hidden(q.size(1), k.size(1)), -math.inf)
    return scores.softmax(-1) @ v


@cache
def hidden(T, S):
    return torch.ones(T, S, dtype=torch.bool).triu(1 + S - T)


def logits_of(numbers, x):
    return x @ numbers.matrix("head", C, VOCABULARY)


def joined(old, k, v):
    return (k, v) if old is None else tuple(torch.cat(pair, dim=1) for pair in zip(old, (k, v), strict=True))


def tokens_of(k, v):
    """Return a list with each token's key and value (2, B, D); torch.stack(..., dim=2) joins them."""
    return list(torch.stack([k, v]).unbind(2))


def turned(x, start):
    """Apply rotary positions."""
    at = torch.arange(start, start + x.size(1))[:, None] / 10 ** torch.arange(D // 2)
    a, b = x.chunk(2, -1)
    return torch.cat([a * at.cos() - b * at.sin(), a * at.sin() + b * at.cos()], -1)


def norm(x):
    return x / (x.square().mean(-1, keepdim=True) + 1e-3).sqrt()


SUSPECTS = Suspects(test_cache, takes=model, wrap=Writer)
EXERCISE = SUSPECTS.exercise(error_meanings=((r"\bPast\b", "PAST"),))
