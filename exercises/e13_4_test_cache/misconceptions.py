"""What people get wrong in exercise 13.4, test_cache.

A test has these parts: `cuts` are the pieces that it tries, (B, T) the size of its texts; `branches(apart, model,
ids)` are further distances, where pasts are continued twice; `apart(a, b)` says how far logits are apart, and
`tolerance` from where on that is a bug.
"""

import torch

from exercises.common.suspects import about_verdicts
from exercises.e13_4_test_cache.suspects import bank
from feedback import Misconceptions

ONES = [1] * 20
CUTS = (ONES, [1, 4, 3, 12], [6, 2, 1, 11])


def largest(a, b):
    return (a - b).abs().max()


def no_branches(apart, model, ids):
    return []


def second_branch(apart, model, ids):
    other = torch.cat([ids[:, :5], torch.randint(50, ids.shape)[:, 5:]], dim=1)
    _, past = model(ids[:, :5])
    model(ids[:, 5:8], past)
    return [apart(model(other[:, 5:8], past)[0], model(other[:, :8])[0][:, 5:])]


def both_branches(apart, model, ids):
    found = second_branch(apart, model, ids)
    _, past = model(ids[:, :5])
    _, first = model(ids[:, 5:8], past)
    model(torch.randint(50, ids[:, 5:8].shape), past)
    return [*found, apart(model(ids[:, 8:], first)[0], model(ids)[0][:, 8:])]


def tested(cuts=CUTS, B=3, T=20, branches=both_branches, apart=largest, tolerance=1e-4):
    """A test from these parts."""

    def test(model):
        ids = torch.randint(50, (B, T))
        whole, found = model(ids)[0], []
        for sizes in cuts:
            past, begin = None, 0
            for piece in ids.split(sizes, dim=1):
                logits, past = model(piece, past)
                found.append(apart(logits, whole[:, begin : begin + piece.size(1)]))
                begin += piece.size(1)
        return all(bool(each <= tolerance) for each in [*found, *branches(apart, model, ids)])

    return test


known = Misconceptions()


def mistake(id, means, hint, *tests):
    """Register a mistake, with the tests that make it."""
    known(id, means=means, hint=hint, explain=bank.told)
    for test in tests:
        known.also(id)(test)


about_verdicts(known, bank, tested())

# ---------------------------------------------------------------- branches

mistake(
    "no-branches",
    "Your test continues each past once. Whoever writes two continuations of one text, as in a search for the best "
    "one, goes on twice from the same past.",
    "A past may be changed by the call that it is given to. How would you notice?",
    tested(branches=no_branches),
)
mistake(
    "first-branch-dropped",
    "Your test continues a past twice, but it never goes on with the first branch after that.",
    "What may the second branch have changed for the first one?",
    tested(branches=second_branch),
)

# ---------------------------------------------------------------- pieces


mistake(
    "one-token-each",
    "Each of your pieces is one token: what goes wrong among several new tokens goes unseen.",
    "A prompt in two parts, or a guess of several tokens at once, makes a later piece of several tokens.",
    tested(cuts=(ONES,), branches=lambda apart, model, ids: two_ways(apart, model, ids, 1)),
    tested(cuts=(ONES,), branches=no_branches),
    tested(cuts=([1] * 12,), T=12, branches=no_branches),
    tested(cuts=([1] * 12,), T=12, B=1, branches=no_branches),
)
mistake(
    "first-piece-then-tokens",
    "Your first piece is several tokens, and all later ones are one token each, as in writing a text: what goes wrong "
    "among several new tokens goes unseen, and what goes wrong after one token as well.",
    "Which other ways are there to cut a text?",
    tested(cuts=([6] + [1] * 14,), branches=no_branches),
    tested(cuts=([4] + [1] * 8,), T=12, branches=no_branches),
    tested(cuts=([4] + [1] * 8,), T=12, B=1, branches=no_branches),
)
mistake(
    "two-pieces",
    "Your texts come in two pieces at most: what goes wrong with the past of a past goes unseen.",
    "What does a third piece need that a second one does not?",
    tested(cuts=([1, 19], [10, 10], [19, 1]), branches=lambda apart, model, ids: second_branch(apart, model, ids)),
    tested(cuts=([1, 19], [10, 10], [19, 1]), branches=no_branches),
    tested(cuts=([10, 10],), branches=no_branches),
    tested(cuts=([6, 6],), T=12, branches=no_branches),
    tested(cuts=([6, 6],), T=12, B=1, branches=no_branches),
)
mistake(
    "never-one-token-first",
    "No text of your test begins with a piece of one token.",
    "One token alone is a special case for many a line of code: an axis of size 1 is easily lost, or taken for "
    "another.",
    tested(cuts=([6, 2, 1, 11], [3, 17])),
    tested(cuts=([6, 2, 1, 11], [3, 17]), branches=no_branches),
)


def two_ways(apart, model, ids, size):
    """Both branches, in pieces of this size."""
    _, past = model(ids[:, :1])
    _, first = model(ids[:, 1 : 1 + size], past)
    other = torch.cat([ids[:, :1], (ids[:, 1 : 1 + size] + 1) % 50], dim=1)
    second = apart(model(other[:, 1:], past)[0], model(other)[0][:, 1:])
    return [second, apart(model(ids[:, 1 + size : 1 + 2 * size], first)[0], model(ids)[0][:, 1 + size : 1 + 2 * size])]


# ---------------------------------------------------------------- texts

mistake(
    "short-texts",
    "Your texts have 16 tokens or fewer: what happens beyond goes unseen.",
    "Caches are allocated for a number of tokens, and tables of positions, too. Texts here have up to 32.",
    tested(cuts=([1] * 12, [1, 4, 3, 4], [6, 2, 1, 3]), T=12),
    tested(cuts=([1] * 12, [1, 4, 3, 4], [6, 2, 1, 3]), T=12, branches=no_branches),
)
mistake(
    "one-item",
    "Your batch has one item only.",
    "What may go wrong where several texts are continued at once?",
    tested(B=1),
    tested(B=1, branches=no_branches),
)

# ---------------------------------------------------------------- what is compared, and how closely

mistake(
    "accuses-all",
    "Your test accuses every suspect: it compares the logits of a piece with those of other tokens.",
    "Which tokens of the whole text are the tokens of the piece? It does not begin at 0.",
    lambda model: with_the_beginning(model),
)
mistake(
    "last-logits-only",
    "Your test compares only the logits of the last token of each piece.",
    "Where a piece has several tokens, each of them has logits.",
    tested(apart=lambda a, b: (a[:, -1] - b[:, -1]).abs().max()),
)
mistake(
    "not-the-logits",
    "Your test compares probabilities or the likeliest tokens, not the logits: these may agree where logits differ.",
    "Compare what the model returns, number by number.",
    tested(apart=lambda a, b: (a.softmax(-1) - b.softmax(-1)).abs().max()),
    tested(apart=lambda a, b: (a.argmax(-1) != b.argmax(-1)).sum()),
)
mistake(
    "sums-compared",
    "Your test compares sums or means: where some logits go up and others go down by as much, it sees nothing.",
    "How far did any single number move?",
    tested(apart=lambda a, b: (a.mean(-1) - b.mean(-1)).abs().max()),
)
mistake(
    "rounding-accused",
    "Your test takes rounding for a bug: it asks for equal numbers, or for a tolerance below 1e-5.",
    "Two calls on one input may differ by up to 1e-5, and a bug moves some logit by more than 1e-3. What lies between?",
    tested(tolerance=0.0),
)
mistake(
    "tolerance-too-large",
    "A bug that changes logits by little gets past your test: its tolerance is too large.",
    "Rounding is below 1e-5, and a bug moves some logit by more than 1e-3, perhaps not by much more.",
    tested(tolerance=0.25),
)


def with_the_beginning(model):
    ids = torch.randint(50, (3, 20))
    _, past = model(ids[:, :10])
    return bool(largest(model(ids[:, 10:], past)[0], model(ids)[0][:, :10]) <= 1e-4)
