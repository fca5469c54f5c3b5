"""What people get wrong in exercise 13.3, test_padding.

A test has these parts: `masks` are the masks that it tries, (B, T); `change(ids, real)` are ids that differ from `ids`
in padding; `apart(a, b, real)` says how far two outputs are apart, and `tolerance` from where on that is a bug.
"""

import torch

from exercises.common.suspects import about_verdicts
from exercises.e13_3_test_padding.suspects import bank
from feedback import Misconceptions


def on_the_right(*lengths, T=9):
    return torch.arange(T) < torch.tensor(lengths)[:, None]


RIGHT = on_the_right(4, 9, 1, 7)
LONGER = on_the_right(4, 9, 2, 7)
BOTH = (RIGHT, RIGHT.flip(1))


def all_of_it(ids, real):
    return torch.where(real, ids, torch.randint(50, ids.shape))


def largest(a, b, real):
    return (a - b)[real].abs().max()


def tested(masks=BOTH, change=all_of_it, apart=largest, tolerance=1e-4):
    """A test from these parts."""

    def test(model):
        found = []
        for real in masks:
            ids = torch.randint(50, real.shape)
            before = model(ids, real)
            for _ in range(3):
                found.append(bool(apart(model(change(ids, real), real), before, real) <= tolerance))
        return all(found)

    return test


known = Misconceptions()


def mistake(id, means, hint, *tests):
    """Register a mistake, with the tests that make it."""
    known(id, means=means, hint=hint, explain=bank.told)
    for test in tests:
        known.also(id)(test)


about_verdicts(known, bank, tested())

# ---------------------------------------------------------------- what is changed

mistake(
    "real-tokens-changed",
    "Your test accuses every suspect: it changes real tokens, too, or the mask.",
    "Print `ids` before and after the change. Where may they differ?",
    tested(change=lambda ids, real: torch.randint(50, ids.shape)),
)
mistake(
    "amount-changed",
    "Your test compares texts with and without their padding, or with more of it. How much padding there is may "
    "matter, for instance to positions; only what stands in it may not.",
    "Keep `real` as it is, and change ids where it is False.",
    lambda model: cropped(model),
    lambda model: cropped(model, left=False),
)
mistake(
    "holes",
    "The padding of your test has holes, or lies between real tokens: no batch looks like that, and healthy code may "
    "count on it.",
    "Build `real` from the lengths of texts: `torch.arange(T) < lengths[:, None]`, and its mirror image.",
    lambda model: tested(masks=(with_holes(), with_holes()))(model),
)
mistake(
    "one-padding-token",
    "Your test changes one padding token of each item only, and a model may read another one.",
    "Change all that stands in padding.",
    tested(change=lambda ids, real: outermost(ids, real)),
)


def cropped(model, left=True):
    real = BOTH[left]
    ids = torch.randint(50, real.shape)
    found = []
    for b, row in enumerate(real):
        alone = model(ids[b : b + 1, row], torch.ones(1, int(row.sum()), dtype=torch.bool))
        found.append(bool((model(ids, real)[b, row] - alone[0]).abs().max() <= 1e-4))
    return all(found)


def with_holes():
    real = torch.rand(6, 11) < 0.6
    real[:, 5] = True
    return real


def outermost(ids, real):
    other = ids.clone()
    other[:, 0] = torch.where(real[:, 0], ids[:, 0], 49 - ids[:, 0])
    other[:, -1] = torch.where(real[:, -1], ids[:, -1], 49 - ids[:, -1])
    return other


# ---------------------------------------------------------------- which batches

mistake(
    "right-padding-only",
    "Your test pads on the right only. Batches may be padded on the left, too, and some bugs show only there.",
    "`real.flip(1)` is the mirror image of a mask.",
    tested(masks=(RIGHT,)),
)
mistake(
    "left-padding-only",
    "Your test pads on the left only. Batches may be padded on the right, too, and some bugs show only there.",
    "`real.flip(1)` is the mirror image of a mask.",
    tested(masks=(RIGHT.flip(1),)),
)
mistake(
    "one-item",
    "Your test tries batches of one item only.",
    "What may go wrong where the items of a batch have different lengths?",
    tested(masks=(on_the_right(4), on_the_right(4).flip(1))),
)
mistake(
    "one-item-on-the-right",
    "Your test tries one item only, with padding on the right.",
    "What may go wrong where items have different lengths, and where padding stands on the left?",
    tested(masks=(on_the_right(4),)),
)
mistake(
    "equal-lengths",
    "All items of your batch have the same amount of padding, so whoever takes the mask of one for another is right.",
    "A batch is padded because its texts have different lengths.",
    tested(masks=(on_the_right(4, 4, 4), on_the_right(4, 4, 4).flip(1))),
)
mistake(
    "equal-lengths-on-the-right",
    "All items of your batch have the same amount of padding, and it stands on the right.",
    "A batch is padded because its texts have different lengths, and some are padded on the left.",
    tested(masks=(on_the_right(4, 4, 4),)),
)
# ---------------------------------------------------------------- what is compared, and how closely

mistake(
    "padding-compared",
    "Your test compares outputs at padding as well, and these may be anything: nobody reads them.",
    "`out[real]` are the outputs of real tokens.",
    tested(apart=lambda a, b, real: (a - b).abs().max()),
)
mistake(
    "one-token-compared",
    "Your test compares the output of one token of each item only.",
    "Any real token may read padding; in some models it is only the one next to it.",
    lambda model: one_token(model),
    tested(masks=(LONGER,), apart=lambda a, b, real: (a - b)[:, 0].abs().max()),
    tested(masks=(LONGER, LONGER.flip(1)), apart=lambda a, b, real: last_real(a - b, real)),
)
mistake(
    "sums-compared",
    "Your test compares sums or means: where some numbers go up and others go down by as much, it sees nothing.",
    "How far did any single number move?",
    tested(apart=lambda a, b, real: (a.mean(-1) - b.mean(-1))[real].abs().max()),
)
mistake(
    "one-feature-compared",
    "Only the first feature of the outputs is compared.",
    "Padding may be read into any feature.",
    tested(apart=lambda a, b, real: (a - b)[real][:, 0].abs().max()),
)
mistake(
    "rounding-accused",
    "Your test takes rounding for a leak: it asks for equal numbers, or for a tolerance below 1e-5.",
    "Two calls on one input may differ by up to 1e-5, and a leak moves some number by more than 1e-3. What lies "
    "between?",
    tested(tolerance=0.0),
)
mistake(
    "tolerance-too-large",
    "A small leak gets past your test: its tolerance is too large.",
    "Rounding is below 1e-5, and a leak may move real tokens by a few thousandths only.",
    tested(tolerance=0.03),
)


def last_real(moved, real):
    """By how much the last real token of some item moves."""
    return moved[real & (real.flip(1).cumsum(1).flip(1) == 1)].abs().max()


def one_token(model):
    """The first token where padding is on the right, the last one where it is on the left."""
    found = []
    for real, at in ((LONGER, 0), (LONGER.flip(1), -1)):
        ids = torch.randint(50, real.shape)
        moved = (model(all_of_it(ids, real), real) - model(ids, real))[:, at].abs().max()
        found.append(bool(moved <= 1e-4))
    return all(found)
