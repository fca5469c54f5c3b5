"""What people get wrong in exercise 13.1, test_future.

A test has these parts: `draw()` is x; `cuts(x)` are the pairs (t, other), where `other` agrees with x before position
t; `apart(a, b, t)` says how far the outputs of both are apart, and `tolerance` from where on that is a bug.
"""

import torch

from exercises.common.suspects import about_verdicts
from exercises.e13_1_test_future.suspects import bank
from feedback import Misconceptions


def twelve():
    return torch.randn(2, 12, 4)


def prefixes(x):
    return [(t, x[:, :t]) for t in range(1, x.size(1))]


def others_from(x):
    """Other numbers from position t on, in texts of the same length."""
    return [(t, torch.cat([x[:, :t], torch.randn_like(x[:, t:])], dim=1)) for t in range(1, x.size(1))]


def one_input_changed(x):
    """Other numbers at position t alone."""
    there = [(torch.arange(x.size(1)) == t)[:, None] for t in range(1, x.size(1))]
    return [(t, torch.where(here, torch.randn_like(x), x)) for t, here in enumerate(there, start=1)]


def largest(a, b, t):
    return (a[:, :t] - b[:, :t]).abs().max()


def tested(draw=twelve, cuts=prefixes, apart=largest, tolerance=1e-4):
    """A test from these parts."""

    def test(attend):
        x = draw()
        whole = attend(x)
        return all(bool(apart(whole, attend(other), t) <= tolerance) for t, other in cuts(x))

    return test


known = Misconceptions()


def mistake(id, means, hint):
    return known(id, means=means, hint=hint, explain=bank.told)


# ---------------------------------------------------------------- what is returned


about_verdicts(known, bank, tested())


@mistake(
    "accuses-all",
    "Your test accuses every suspect. What it compares differs in healthy code, too: outputs from the changed position "
    "on, or outputs for other inputs.",
    "Which outputs must be the same? Those before the first input that is another.",
)
def compares_all_outputs(attend):
    return tested(cuts=others_from, apart=lambda a, b, t: (a - b).abs().max())(attend)


# ---------------------------------------------------------------- what is tried


@mistake(
    "never-shorter",
    "Your test compares texts of one length: it cannot see an output that depends on how many inputs follow.",
    "Which text has nothing that follows at all?",
)
def same_length(attend):
    return tested(cuts=others_from)(attend)


def one_cut(t):
    return lambda x: [(x.size(1) + t if t < 0 else t, x[:, :t])]


@mistake(
    "last-input-only",
    "Only the last input is left out, or is another: a leak between two earlier positions goes unseen.",
    "Each input but the first is a later one for somebody. For how many places is there something to compare?",
)
def without_the_last(attend):
    return tested(cuts=one_cut(-1))(attend)


@known.also("last-input-only")
def with_another_last(attend):
    return tested(cuts=lambda x: others_from(x)[-1:])(attend)


@mistake(
    "one-cut",
    "Your test cuts the text at one place only: leaks on one side of it go unseen.",
    "A bug may be at some positions only. Which places are there to cut at?",
)
def in_the_middle(attend):
    return tested(cuts=one_cut(6))(attend)


@known.also("one-cut")
def the_middle_changed(attend):
    return tested(cuts=lambda x: others_from(x)[5:6])(attend)


@known.also("one-cut")
def after_four(attend):
    return tested(cuts=one_cut(4))(attend)


@known.also("one-cut")
def after_three(attend):
    return tested(cuts=one_cut(3))(attend)


@known.also("one-cut")
def after_eight(attend):
    return tested(cuts=one_cut(8))(attend)


@mistake(
    "short-texts-only",
    "Your texts are too short: a bug may show only in texts of nine or more.",
    "Which number in your test would make a longer text?",
)
def of_five(attend):
    return tested(draw=lambda: torch.randn(2, 5, 4))(attend)


@known.also("short-texts-only")
def of_eight(attend):
    return tested(draw=lambda: torch.randn(2, 8, 4))(attend)


@known.also("short-texts-only")
def of_five_other_numbers(attend):
    return tested(draw=lambda: torch.randn(2, 5, 4), cuts=others_from)(attend)


# ---------------------------------------------------------------- what is compared


@mistake(
    "sums-compared",
    "Your test compares sums or means: where some numbers go up and others go down by as much, it sees nothing.",
    "How far did any single number move?",
)
def sums_over_features(attend):
    return tested(apart=lambda a, b, t: (a[:, :t].sum(-1) - b[:, :t].sum(-1)).abs().max())(attend)


@mistake(
    "one-output-compared",
    "Only one output is compared for each change, such as the one right before it or the first.",
    "An input may be read by any earlier position: how many outputs should stay as they are?",
)
def the_one_before(attend):
    return tested(cuts=one_input_changed, apart=lambda a, b, t: (a[:, t - 1] - b[:, t - 1]).abs().max())(attend)


@known.also("one-output-compared")
def the_first_output(attend):
    return tested(apart=lambda a, b, t: (a[:, 0] - b[:, 0]).abs().max())(attend)


@mistake(
    "one-feature-compared",
    "Only the first feature of the outputs is compared.",
    "A leak may be in any feature.",
)
def the_first_feature(attend):
    return tested(apart=lambda a, b, t: (a[:, :t, 0] - b[:, :t, 0]).abs().max())(attend)


# ---------------------------------------------------------------- how closely


@mistake(
    "rounding-accused",
    "Your test takes rounding for a leak: it asks for equal numbers, or for a tolerance below 1e-5.",
    "Two calls on one input may differ by up to 1e-5, and a leak moves some number by more than 1e-3. What lies "
    "between?",
)
def equal(attend):
    return tested(tolerance=0.0)(attend)


@known.also("rounding-accused")
def nearly_equal(attend):
    return tested(tolerance=1e-6)(attend)


@mistake(
    "tolerance-too-large",
    "A small leak goes unseen: your tolerance is too large, or what you change is changed too little.",
    "Where an input is another by about 1, a leak moves some output by more than 1e-3, and perhaps not by much more.",
)
def a_hundredth(attend):
    return tested(tolerance=0.02)(attend)


@mistake(
    "gradients-asked",
    "Your test asks gradients, and a suspect may hide what it reads from them.",
    "Change the inputs themselves, and compare what comes out.",
)
def gradients(attend):
    x = twelve().requires_grad_()
    out = attend(x)
    for t in range(1, 12):
        if out.requires_grad:
            (moved,) = torch.autograd.grad(out[:, :t].sum(), x, retain_graph=True)
            if moved[:, t:].any():
                return False
    return True


@mistake(
    "not-finite",
    "Your test puts NaN or inf where later inputs are; in healthy code, too, 0 times NaN is NaN.",
    "Ordinary numbers of another value do as well.",
)
def poisoned(attend):
    x = twelve()
    whole = attend(x)
    for t in range(1, 12):
        other = x.clone()
        other[:, t:] = torch.nan
        if not largest(whole, attend(other), t) <= 1e-4:
            return False
    return True
