"""test_cache: the reference, its steps and test cases; the page next to it says the rest."""

import math
from functools import cache

import torch

from exercises.common.suspects import RUNNER, Suspects
from feedback.format import listed, number
from feedback.paged import exercise


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
    other = torch.cat([ids[:, :5], torch.randint(50, (3, 4))], dim=1)  # begins like ids
    _, past = model(ids[:, :5])
    _, first = model(ids[:, 5:8], past)
    second, _ = model(other[:, 5:], past)
    assert_same(second, model(other)[0], 5)
    assert_same(model(ids[:, 8:], first)[0], whole, 8)  # the first branch goes on


# What a test of a cache is tried on: functions model(ids, past=None) -> (logits (B, T, 50), past).


bank = Suspects()
C, D = 8, 8
VOCABULARY = 50


# ---------------------------------------------------------------- what cards show of a broken one


def pieces(*sizes, B=1):
    """The logit that is furthest off where a text comes in pieces."""

    def shows(model):
        ids = texts(B, sum(sizes))
        whole, outs, past = model(ids)[0], [], None
        for piece in ids.split(sizes, dim=1):
            out, past = model(piece, past)
            outs.append(out)
        return in_words(f"In pieces of {listed([str(n) for n in sizes])} tokens", torch.cat(outs, dim=1), whole, B)

    return shows


def second_branch(model):
    """The same where a past is continued for the second time."""
    ids, other = texts(1, 6), texts(1, 6, seed=1)
    _, past = model(ids[:, :3])
    model(other[:, 3:], past)
    out, _ = model(ids[:, 3:], past)
    told = "After 3 tokens, the past is continued by 3 tokens, and then, from the same past, by 3 others. For these"
    return in_words(told, out, model(ids)[0][:, 3:], 1)


def first_branch(model):
    """The same where a branch goes on after another one."""
    ids, other = texts(1, 8), texts(1, 8, seed=1)
    _, past = model(ids[:, :3])
    _, first = model(ids[:, 3:6], past)
    model(other[:, 3:6], past)
    out, _ = model(ids[:, 6:], first)
    told = (
        "After 3 tokens, the past is continued by 3 tokens, and then, from the same past, by 3 others. Where the first"
    )
    return in_words(f"{told} branch goes on", out, model(ids)[0][:, 6:], 1)


def texts(B, T, seed=0):
    return torch.randint(VOCABULARY, (B, T), generator=torch.Generator().manual_seed(seed))


def in_words(begin, got, right, B):
    b, rest = divmod(int((got - right).abs().argmax()), right[0].numel())
    t, id = divmod(rest, VOCABULARY)
    batch = f" of item {b}" if B > 1 else ""
    return (
        f"{begin}, the logit of id {id} at token {t}{batch} is {number(got[b, t, id])}, and {number(right[b, t, id])} "
        "where the whole text comes at once"
    )


# ---------------------------------------------------------------- what they are made of


def read(numbers, ids, start):
    """The vectors of new tokens (B, T, C), which stand from position `start` on, and their q, k and v."""
    x = numbers("table", VOCABULARY, C)[ids] + numbers("positions", 1024, C)[start : start + ids.size(1)]
    return x, *projected(numbers, x)


def projected(numbers, x, layer=""):
    return [x @ numbers.matrix(layer + name, C, D) for name in "qkv"]


@cache
def causal(T, S):
    """(T, S): the queries are the last T of S."""
    return torch.ones(T, S, dtype=torch.bool).tril(S - T)


def attended(q, k, v, mask=None, bias=0.0):
    scores = q @ k.transpose(-2, -1) / 4 + bias
    if mask is not None or q.size(1) > 1:
        scores = scores.masked_fill(~(causal(q.size(1), k.size(1)) if mask is None else mask), -math.inf)
    return scores.softmax(-1) @ v


def logits_of(numbers, x):
    return x @ numbers.matrix("head", C, VOCABULARY)


def joined(old, k, v):
    return (k, v) if old is None else tuple(torch.cat(pair, dim=1) for pair in zip(old, (k, v), strict=True))


def tokens_of(k, v):
    """A list with the key and the value (2, B, D) of each token; torch.stack(..., dim=2) joins them."""
    return list(torch.stack([k, v]).unbind(2))


def count(past):
    return 0 if past is None else past[2]


def decoder(begin=count, old=lambda past: past[:2], mask=lambda T, S: None):
    """A maker of a decoder with one layer, whose past is (keys, values, how many tokens there were).

    begin(past)  the position of the first new token
    old(past)    the keys and values that are read of a past; None for none
    mask(T, S)   which of all keys are seen; None for a causal mask
    """

    def make(numbers):
        def model(ids, past=None):
            x, q, k, v = read(numbers, ids, begin(past))
            k, v = joined(past and old(past), k, v)
            x = x + attended(q, k, v, mask(ids.size(1), k.size(1)))
            return logits_of(numbers, x), (k, v, count(past) + ids.size(1))

        return model

    return make


def turned(x, start):
    """Rotary positions."""
    at = torch.arange(start, start + x.size(1))[:, None] / 10 ** torch.arange(D // 2)
    a, b = x.chunk(2, -1)
    return torch.cat([a * at.cos() - b * at.sin(), a * at.sin() + b * at.cos()], -1)


def norm(x):
    return x / (x.square().mean(-1, keepdim=True) + 1e-3).sqrt()


# ---------------------------------------------------------------- healthy


@bank.healthy(
    "its past holds keys and values, which it joins with the new ones in every call", "nobody writes into them"
)
def plain(numbers):
    return decoder()(numbers)


@bank.healthy(
    "it adds up in another order in every second call, which moves its results by a few millionths",
    "rounding is no bug: two calls on one input may differ by up to 1e-5",
)
def rounded(numbers):
    inner, calls = decoder()(numbers), []

    def model(ids, past=None):
        calls.append(0)
        logits, past = inner(ids, past)
        return logits + 3e-6 * (-1) ** len(calls), past

    return model


@bank.healthy("its past holds all ids so far, and it computes everything again", "slow is not wrong")
def computes_again(numbers):
    inner = decoder()(numbers)

    def model(ids, past=None):
        everything = ids if past is None else torch.cat([past, ids], dim=1)
        return inner(everything)[0][:, -ids.size(1) :], everything

    return model


@bank.healthy("it writes into a buffer that was allocated before", "it writes into a copy of it, so no past changes")
def buffer_copied(numbers):
    def model(ids, past=None):
        buffer, P = (torch.zeros(2, len(ids), 64, D), 0) if past is None else past
        end = P + ids.size(1)
        buffer = torch.nn.functional.pad(buffer, (0, 0, 0, max(0, end - buffer.size(2)))).clone()
        x, q, k, v = read(numbers, ids, P)
        buffer[:, :, P:end] = torch.stack([k, v])
        return logits_of(numbers, x + attended(q, *buffer[:, :, :end])), (buffer, end)

    return model


@bank.healthy("its past is a list with a tensor for each token", "the list is copied before it grows")
def list_copied(numbers):
    def model(ids, past=None):
        x, q, k, v = read(numbers, ids, len(past or []))
        tokens = [*(past or []), *tokens_of(k, v)]
        return logits_of(numbers, x + attended(q, *torch.stack(tokens, dim=2))), tokens

    return model


@bank.healthy(
    "it shares one list among all pasts, each of which knows how much of it is its own",
    "it copies the list where another branch has gone on",
)
def copied_on_demand(numbers):
    def model(ids, past=None):
        shared, used = ([], 0) if past is None else past
        shared = shared[:used] if len(shared) > used else shared
        x, q, k, v = read(numbers, ids, used)
        shared.extend(tokens_of(k, v))
        return logits_of(numbers, x + attended(q, *torch.stack(shared, dim=2))), (shared, len(shared))

    return model


@bank.healthy("it has two layers, with a norm before each, and its past is a dict", "each layer has its own entry")
def two_layers(numbers):
    def model(ids, past=None):
        start = 0 if past is None else past["1"][0].size(1)
        x, new = read(numbers, ids, start)[0], {}
        for layer in "12":
            q, k, v = projected(numbers, norm(x), layer)
            new[layer] = joined(past and past[layer], k, v)
            x = x + attended(q, *new[layer])
        return logits_of(numbers, x), new

    return model


@bank.healthy(
    "it turns queries and keys by their positions, and keeps turned keys", "a key keeps its position for good"
)
def rotary(numbers):
    def model(ids, past=None):
        x, start = numbers("table", VOCABULARY, C)[ids], 0 if past is None else past[0].size(1)
        q, k, v = projected(numbers, x)
        past = joined(past, turned(k, start), v)
        return logits_of(numbers, norm(x + attended(turned(q, start), *past))), past

    return model


@bank.healthy("it keeps keys as they are, and turns all of them in every call", "the first key stands at 0 each time")
def rotary_later(numbers):
    def model(ids, past=None):
        x, start = numbers("table", VOCABULARY, C)[ids], 0 if past is None else past[0].size(1)
        q, k, v = projected(numbers, x)
        k, v = joined(past, k, v)
        return logits_of(numbers, x + attended(turned(q, start), turned(k, 0), v)), (k, v)

    return model


@bank.healthy(
    "its past is one vector for each item, as in a recurrent network", "it never needs more of what it has read"
)
def recurrent(numbers):
    def model(ids, past=None):
        state, outs = torch.zeros(len(ids), C) if past is None else past, []
        for x in numbers("table", VOCABULARY, C)[ids].unbind(1):
            state = torch.tanh(0.7 * state + x @ numbers.matrix("w", C, C))
            outs.append(state)
        return logits_of(numbers, torch.stack(outs, 1)), state

    return model


@bank.healthy(
    "its queries see the five latest positions, and its past holds no more", "at once, they see no more either"
)
def window(numbers):
    def model(ids, past=None):
        T, P = ids.size(1), 0 if past is None else past[0].size(1)
        q, k, v = projected(numbers, numbers("table", VOCABULARY, C)[ids])
        k, v = joined(past, k, v)
        distance = torch.arange(P, P + T)[:, None] - torch.arange(P + T)
        out = attended(q, k, v, (distance >= 0) & (distance < 5), -0.2 * distance)
        return logits_of(numbers, out), (k[:, -4:], v[:, -4:])

    return model


@bank.healthy("its past is a number, under which it keeps what it needs", "every call takes a new number")
def numbered(numbers):
    inner, store = decoder()(numbers), [None]

    def model(ids, past=None):
        logits, new = inner(ids, store[past or 0])
        store.append(new)
        return logits, len(store) - 1

    return model


@bank.healthy("it computes without gradients, one token after the other", "what it computes is what counts")
def one_by_one(numbers):
    inner = decoder()(numbers)

    @torch.no_grad()
    def model(ids, past=None):
        outs = []
        for id in ids.split(1, dim=1):
            out, past = inner(id, past)
            outs.append(out)
        return torch.cat(outs, dim=1), past

    return model


# ---------------------------------------------------------------- broken: positions and masks


def everything(T, S):
    return torch.ones(T, S, dtype=torch.bool)


def in_later_pieces(mask):
    """This mask where there is a past, and a causal one where there is none."""
    return lambda T, S: causal(T, S) & mask(T, S) if S > T else causal(T, S)


def distances(T, S):
    return torch.arange(S - T, S)[:, None] - torch.arange(S)


bank.broken("later pieces are computed as if they were the beginning", pieces(4, 3))(decoder(begin=lambda past: 0))
bank.broken("the tokens of later pieces are taken for ones that stand earlier", pieces(4, 3))(
    decoder(begin=lambda past: max(count(past) - 1, 0))
)
bank.broken("the tokens of later pieces are taken for ones that stand later", pieces(4, 3))(
    decoder(begin=lambda past: count(past) + (past is not None))
)
bank.broken("a later piece knows nothing of the earlier ones", pieces(4, 3))(decoder(old=lambda past: None))
bank.broken("in a later piece of several tokens, a token sees those after it", pieces(4, 3))(
    decoder(mask=lambda T, S: everything(T, S) if S > T else causal(T, S))
)
bank.broken(
    "in a later piece of several tokens, a token sees the earlier pieces and itself, and no other", pieces(4, 3)
)(decoder(mask=in_later_pieces(lambda T, S: (distances(T, S) == 0) | (torch.arange(S) < S - T))))
bank.broken("in a later piece, a token sees only some of what is before it", pieces(4, 3))(
    decoder(mask=lambda T, S: everything(T, S).tril())
)


@bank.broken("in a later piece of several tokens, all are taken for tokens at one place", pieces(4, 3))
def one_position_for_all(numbers):
    def model(ids, past=None):
        at = torch.arange(ids.size(1)) if past is None else torch.full((ids.size(1),), count(past))
        x = numbers("table", VOCABULARY, C)[ids] + numbers("positions", 1024, C)[at]
        q, k, v = projected(numbers, x)
        k, v = joined(past and past[:2], k, v)
        return logits_of(numbers, x + attended(q, k, v)), (k, v, count(past) + ids.size(1))

    return model


@bank.broken("what is computed depends on how many tokens come in one call", pieces(4, 3))
def normalized_over_the_piece(numbers):
    def model(ids, past=None):
        x, *_ = read(numbers, ids, count(past))
        q, k, v = projected(numbers, x - x.mean(1, keepdim=True))
        k, v = joined(past and past[:2], k, v)
        return logits_of(numbers, x + attended(q, k, v)), (k, v, count(past) + ids.size(1))

    return model


# ---------------------------------------------------------------- broken: in some pieces, or in some items

bank.broken("after a first piece of one token, the text begins again", pieces(1, 3))(
    decoder(begin=lambda past: 0 if count(past) == 1 else count(past))
)
bank.broken("a first piece of one token is forgotten", pieces(1, 3))(
    decoder(old=lambda past: None if past[0].size(1) == 1 else past[:2])
)


@bank.broken("from the third piece on, only the piece before is remembered", pieces(2, 2, 2))
def last_piece_only(numbers):
    def model(ids, past=None):
        x, q, k, v = read(numbers, ids, count(past))
        out = attended(q, *joined(past and past[:2], k, v))
        return logits_of(numbers, x + out), (k, v, count(past) + ids.size(1))

    return model


@bank.broken("from the third piece on, tokens are taken for ones that stand earlier", pieces(2, 2, 2))
def length_of_the_last_piece(numbers):
    def model(ids, past=None):
        x, q, k, v = read(numbers, ids, count(past))
        k, v = joined(past and past[:2], k, v)
        return logits_of(numbers, x + attended(q, k, v)), (k, v, ids.size(1))

    return model


bank.broken("in later pieces, what came 16 tokens ago or more is not seen", pieces(12, 8))(
    decoder(mask=in_later_pieces(lambda T, S: distances(T, S) < 16))
)


@bank.broken("in later pieces, all tokens from the seventeenth on are taken for tokens at one place", pieces(12, 8))
def positions_end(numbers):
    def model(ids, past=None):
        at = torch.arange(count(past), count(past) + ids.size(1)).clamp_max(torch.inf if past is None else 15).long()
        x = numbers("table", VOCABULARY, C)[ids] + numbers("positions", 1024, C)[at]
        q, k, v = projected(numbers, x)
        k, v = joined(past and past[:2], k, v)
        return logits_of(numbers, x + attended(q, k, v)), (k, v, count(past) + ids.size(1))

    return model


bank.broken("in all items but the first, later pieces go on after the text of another item", pieces(3, 3, B=2))(
    decoder(old=lambda past: [part[:1].expand_as(part) for part in past[:2]])
)
bank.broken("in the last item of several, later pieces do not read what came before", pieces(3, 3, B=2))(
    decoder(old=lambda past: [without_the_last(part) for part in past[:2]])
)


def without_the_last(part):
    return torch.cat([part[:-1], 0 * part[-1:]]) if len(part) > 1 else part


# ---------------------------------------------------------------- broken: by a little, or out of sight

bank.broken("the logits of later pieces differ by a few hundredths", pieces(4, 3))(
    decoder(old=lambda past: [(8 * part).round() / 8 for part in past[:2]])
)


@bank.broken("some logits of later pieces are too high, and others too low by as much", pieces(4, 3))
def opposite_logits(numbers):
    inner = decoder()(numbers)

    def model(ids, past=None):
        logits, new = inner(ids, past)
        return logits + (past is not None) * (-1) ** torch.arange(VOCABULARY), new

    return model


@bank.broken("in later pieces, all logits of a token are too high by the same number", pieces(4, 3))
def higher_logits(numbers):
    inner = decoder()(numbers)

    def model(ids, past=None):
        logits, new = inner(ids, past)
        return logits + (past is not None), new

    return model


# ---------------------------------------------------------------- broken: branches


@bank.broken("where a past is continued twice, the second branch goes on after the first", second_branch)
def list_that_grows(numbers):
    def model(ids, past=None):
        past = [] if past is None else past
        x, q, k, v = read(numbers, ids, len(past))
        past.extend(tokens_of(k, v))
        return logits_of(numbers, x + attended(q, *torch.stack(past, dim=2))), past

    return model


@bank.broken("where a past is continued twice, the second branch is taken for one that stands later", second_branch)
def length_that_grows(numbers):
    def model(ids, past=None):
        past = {"length": 0, "keys and values": None} if past is None else past
        x, q, k, v = read(numbers, ids, past["length"])
        new = joined(past["keys and values"], k, v)
        past["length"] += ids.size(1)
        return logits_of(numbers, x + attended(q, *new)), {"length": past["length"], "keys and values": new}

    return model


@bank.broken("it goes on after what it computed last, whichever past it is given", second_branch)
def state_of_its_own(numbers):
    inner, last = decoder()(numbers), [None]

    def model(ids, past=None):
        logits, last[0] = inner(ids, None if past is None else last[0])
        return logits, "past"

    return model


@bank.broken("where a past is continued twice, the first branch goes on after tokens of the second", first_branch)
def buffer_shared(numbers):
    def model(ids, past=None):
        buffer, P = (torch.zeros(2, len(ids), 64, D), 0) if past is None else past
        end = P + ids.size(1)
        if end > buffer.size(2):
            buffer = torch.nn.functional.pad(buffer, (0, 0, 0, end))
        x, q, k, v = read(numbers, ids, P)
        buffer[:, :, P:end] = torch.stack([k, v])
        return logits_of(numbers, x + attended(q, *buffer[:, :, :end])), (buffer, end)

    return model


@bank.broken("where a past is continued twice, the first branch loses its own tokens to the second", first_branch)
def list_cut_back(numbers):
    def model(ids, past=None):
        shared, used = ([], 0) if past is None else past
        x, q, k, v = read(numbers, ids, used)
        shared[used:] = tokens_of(k, v)
        return logits_of(numbers, x + attended(q, *torch.stack(shared, dim=2))), (shared, used + ids.size(1))

    return model


EXERCISE = exercise(
    test_cache,
    returns=("verdict",),
    runner=RUNNER,
    named_in_part=False,
    cases=bank.cases,
    minimal_inputs=(),
    properties=bank.properties(
        accuses="Which logits does your test compare with which, and how closely? And does it pass on what the call "
        "before returned, whatever that is?",
        passes="Which pieces, which texts, and which order of calls would show that?",
    ),
    error_meanings=(
        (
            r"index out of range|index -?\d+ is out of bounds",
            "The model knows the ids from 0 to 49: `torch.randint(50, (B, T))` draws them.",
        ),
    ),
)
