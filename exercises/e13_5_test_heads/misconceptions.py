"""What people get wrong in exercise 13.5, test_heads.

A test has these parts: `draw(C)` is x; `expected(attention, x)` is what is right; `apart(got, right)` says how far both
pairs (out, weights) are apart, and `tolerance` from where on that is a bug.
"""

import math

import torch

from exercises.common.suspects import about_verdicts
from exercises.e13_5_test_heads.suspects import bank
from feedback import Misconceptions


def five_tokens(C):
    return torch.randn(2, 5, C)


def by_rows(attention, x):
    return computed(attention, *(layer(x) for layer in (attention.q_proj, attention.k_proj, attention.v_proj)))


def computed(attention, q, k, v, scale=None):
    H = attention.num_heads
    q, k, v = (part.unflatten(-1, (H, -1)).transpose(1, 2) for part in (q, k, v))
    weights = (q @ k.mT / math.sqrt(scale or q.size(-1))).softmax(-1)
    return attention.out_proj((weights @ v).transpose(1, 2).flatten(2)), weights


def both(got, right):
    return max((a - b).abs().max() for a, b in zip(got, right, strict=True))


def tested(draw=five_tokens, expected=by_rows, apart=both, tolerance=1e-4):
    """A test from these parts."""

    def test(attention):
        x = draw(attention.q_proj.in_features)
        return bool(apart(attention(x), expected(attention, x)) <= tolerance)

    return test


known = Misconceptions()


def mistake(id, means, hint, *tests):
    """Register a mistake, with the tests that make it."""
    known(id, means=means, hint=hint, explain=bank.told)
    for test in tests:
        known.also(id)(test)


about_verdicts(known, bank, tested())

# ---------------------------------------------------------------- what is right

mistake(
    "bias-forgotten",
    "Your test computes the projections without their bias: it accuses whatever has one.",
    "`attention.q_proj(x)` is the whole projection.",
    tested(expected=lambda m, x: computed(m, x @ m.q_proj.weight.T, x @ m.k_proj.weight.T, x @ m.v_proj.weight.T)),
)
mistake(
    "scale-of-the-model",
    "Your test divides the scores by √C, the width of the model, and so it accuses all that have several heads.",
    "How many features does one product of a query and a key have?",
    tested(expected=lambda m, x: computed(m, m.q_proj(x), m.k_proj(x), m.v_proj(x), scale=x.size(-1))),
)
mistake(
    "not-scaled",
    "Your test does not divide the scores, and so it accuses all whose heads have several features.",
    "Here the scores are divided by √D.",
    tested(expected=lambda m, x: computed(m, m.q_proj(x), m.k_proj(x), m.v_proj(x), scale=1)),
)

# ---------------------------------------------------------------- what is compared

mistake(
    "weights-only",
    "Your test compares weights only: what becomes of the values goes unseen.",
    "Which two of the four layers have no part in the weights?",
    tested(apart=lambda got, right: (got[1] - right[1]).abs().max()),
)
mistake(
    "out-only",
    "Your test compares the output only: heads that change places everywhere go unseen.",
    "The output is the same if all heads change places. Are the weights?",
    tested(apart=lambda got, right: (got[0] - right[0]).abs().max()),
)
mistake(
    "queries-only",
    "Your test looks at the rows of q_proj only: mistakes with the other layers go unseen.",
    "How many layers have rows or columns for each head?",
    lambda attention: moved_weights(attention, ("q_proj",)),
)
mistake(
    "first-head-only",
    "Your test looks at the weights of the first head only.",
    "The others may have the wrong rows, and the values, too.",
    tested(apart=lambda got, right: (got[1] - right[1])[:, 0].abs().max()),
)
mistake(
    "heads-averaged",
    "Your test compares the mean of the weights over all heads: heads that change places have the same mean.",
    "Compare head by head.",
    tested(apart=lambda got, right: (got[1] - right[1]).mean(1).abs().max()),
)
mistake(
    "rows-of-weights-summed",
    "Your test sums the weights of a row, and that is 1 for almost everybody.",
    "Which keys get how much?",
    tested(apart=lambda got, right: (got[1].sum(-1) - 1).abs().max()),
)


def moved_weights(attention, names):
    """Which weights move if the rows of one head are others."""
    x, H = five_tokens(attention.q_proj.in_features), attention.num_heads
    right = True
    with torch.no_grad():
        before = attention(x)[1]
        for name in names:
            weight = getattr(attention, name).weight
            for h in range(H):
                kept, rows = weight.clone(), weight.chunk(H)[h]
                rows.add_(torch.randn_like(rows))
                moved = ((attention(x)[1] - before).abs() > 1e-4).any(-1).any(-1).any(0)
                weight.copy_(kept)
                right = right and moved.tolist() == [other == h for other in range(H)]
    return right


# ---------------------------------------------------------------- what is tried, and how closely

mistake(
    "one-token",
    "Your x has one token: its weight is 1 in every head, whatever the rows.",
    "How many tokens does a choice need?",
    tested(draw=lambda C: torch.randn(2, 1, C)),
)
mistake(
    "equal-tokens",
    "All tokens of your x are alike: then all weights are, and any weights give the same output.",
    "Random numbers tell tokens apart.",
    tested(draw=lambda C: torch.ones(2, 5, C)),
)
mistake(
    "rounding-accused",
    "Your test takes rounding for a bug: it asks for equal numbers, or for a tolerance below 1e-5.",
    "Two calls on one input may differ by up to 1e-5, and a bug moves some number by more than 1e-3. What lies "
    "between?",
    tested(tolerance=0.0),
)
mistake(
    "tolerance-too-large",
    "A bug that changes little gets past your test: its tolerance is too large.",
    "Rounding is below 1e-5, and a bug moves some number by more than 1e-3, perhaps not by much more.",
    tested(tolerance=0.2),
)
