"""What people get wrong in exercise 13.2, test_scale.

A test has these parts: `widths` are the D that it tries, `sizes(D)` are the shapes of q and k; `draw` makes their
numbers; `apart(scores, right)` says how far the scores are off, and `tolerance` from where on that is a bug.
"""

import math

import torch

from exercises.common.suspects import about_verdicts
from exercises.e13_2_test_scale.suspects import bank
from feedback import Misconceptions


def several(D):
    return (2, 3, 5, D), (2, 3, 7, D)


def largest(scores, right):
    return (scores - right).abs().max()


def tested(widths=(2, 3, 8, 64, 80), sizes=several, draw=torch.randn, apart=largest, tolerance=1e-4):
    """A test from these parts."""

    def test(scores_of):
        found = []
        for D in widths:
            q, k = (draw(*shape) for shape in sizes(D))
            right = q @ k.transpose(-2, -1) / math.sqrt(D)
            found.append(bool(apart(scores_of(q, k), right) <= tolerance))
        return all(found)

    return test


def without_a_scale(scores_of):
    q, k = torch.randn(2, 3, 5, 80), torch.randn(2, 3, 7, 80)
    return bool(largest(scores_of(q, k), q @ k.transpose(-2, -1)) <= 1e-4)


known = Misconceptions()


def mistake(id, means, hint, *tests):
    """Register a mistake, with the tests that make it."""
    known(id, means=means, hint=hint, explain=bank.told)
    for test in tests:
        known.also(id)(test)


about_verdicts(known, bank, tested())

mistake(
    "accuses-all",
    "Your test accuses every suspect: what it compares the scores with is not q · k / √D.",
    "Print what you compare with, for q and k that are easy: which sizes does your formula take, and from which axis?",
    tested(apart=lambda scores, right: (scores - 2 * right).abs().max()),
    without_a_scale,
)

# ---------------------------------------------------------------- what is tried

mistake(
    "one-width",
    "Your test tries one D only: a scale that is right for this D and for no other gets past it.",
    "Which numbers are under a root by mistake? They may just happen to be your D.",
    tested(widths=(64,)),
    tested(widths=(8,)),
    tested(widths=(16,)),
    tested(widths=(4,)),
)
mistake(
    "even-widths-only",
    "Your test tries no odd D.",
    "A bug may be there for odd widths only. Try more than the usual sizes.",
    tested(widths=(2, 8, 64, 80)),
)
mistake(
    "no-wide-heads",
    "Your test tries no D above 64.",
    "A bug may be there for wide heads only. D goes up to 128.",
    tested(widths=(2, 3, 8, 64)),
)
mistake(
    "squares-only",
    "Each D that your test tries is a square, such as 4, 16 or 64.",
    "Where a root is rounded, squares are right by chance.",
    tested(widths=(4, 9, 16, 64, 81)),
)
mistake(
    "usual-widths-only",
    "Your test tries widths that people like, such as 16, 32 and 64: none is odd, and none is above 64.",
    "Where would somebody's shortcut for powers of two be wrong?",
    tested(widths=(8, 16, 32, 64)),
)
mistake(
    "one-item",
    "Your test tries batches of one item only.",
    "Which mistakes with the axes show only where there are several items?",
    tested(sizes=lambda D: ((1, 3, 5, D), (1, 3, 7, D))),
)
mistake(
    "one-head",
    "Your test tries one head only, where D and the width of the model are the same number.",
    "Which size is under the root by mistake where there are several heads?",
    tested(sizes=lambda D: ((2, 1, 5, D), (2, 1, 7, D))),
)
mistake(
    "one-item-and-head",
    "Your test tries one item with one head only.",
    "Which mistakes with the axes show only where there are several?",
    tested(sizes=lambda D: ((1, 1, 5, D), (1, 1, 7, D))),
)
mistake(
    "sizes-agree",
    "In your test the number of queries or keys is D: whoever takes the root of another axis is right by chance.",
    "Choose sizes that differ along every axis.",
    tested(sizes=lambda D: ((2, 3, D, D), (2, 3, D, D))),
    tested(sizes=lambda D: ((2, 3, 5, D), (2, 3, D, D))),
)

# ---------------------------------------------------------------- what is compared, and how closely

mistake(
    "constant-inputs",
    "All your queries and keys are alike, such as ones: products with the wrong ones give the same scores.",
    "Random numbers tell vectors apart.",
    tested(draw=torch.ones),
)
mistake(
    "spread-measured",
    "Your test looks at the size or the spread of all scores together: scores of the wrong vectors have it, too.",
    "You know what each score must be. Compare number by number.",
    tested(apart=lambda scores, right: (scores.norm() / right.norm() - 1).abs(), tolerance=1e-3),
)
mistake(
    "sums-compared",
    "Your test compares sums or means of scores: scores that belong to another vector may have the same sum.",
    "Compare number by number.",
    tested(apart=lambda scores, right: (scores.sum() - right.sum()).abs(), tolerance=1e-2),
)
mistake(
    "weights-compared",
    "Your test compares what a softmax makes of the scores: it is the same where all scores of a query are too high or "
    "too low by one number.",
    "Compare the scores themselves.",
    tested(apart=lambda scores, right: (scores.softmax(-1) - right.softmax(-1)).abs().max()),
)
mistake(
    "rounding-accused",
    "Your test takes rounding for a bug: it asks for equal numbers, or for a tolerance below 1e-5.",
    "Two calls on one input may differ by up to 1e-5, and a bug moves some score by more than 1e-3. What lies between?",
    tested(tolerance=0.0),
)
mistake(
    "tolerance-too-large",
    "A small error gets past your test: its tolerance is too large.",
    "Rounding is below 1e-5, and a bug may move the scores by a few thousandths only.",
    tested(tolerance=0.05),
)
