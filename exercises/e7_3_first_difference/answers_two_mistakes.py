"""Answers to exercise 7.3 with two mistakes at once: naming either is true, naming a third is not."""

from exercises.e7_3_first_difference.answers_wrong import first_far, itself, outputs_of
from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("not-in-evaluation", "not-copied")
def in_any_mode_without_copies(mine, theirs, x):
    return first_far(*(outputs_of(model, x, copy=itself, mode=None) for model in (mine, theirs)))


@both("registration-order", "not-copied")
def as_registered_without_copies(mine, theirs, x):
    one, other = (outputs_of(model, x, copy=itself) for model in (mine, theirs))
    order = [name for name, _ in mine.named_children() if name in one]
    return first_far({name: one[name] for name in order}, other)


@both("sign-kept", "not-in-evaluation")
def without_abs_in_any_mode(mine, theirs, x):
    one, other = (outputs_of(model, x, mode=None) for model in (mine, theirs))
    return first_far(one, other, lambda a, b: (a - b).max() > 1e-4)


@both("last-difference", "never-none")
def last_of_all_or_of_those_that_differ(mine, theirs, x):
    one, other = (outputs_of(model, x) for model in (mine, theirs))
    found = [name for name in one if (one[name] - other[name]).abs().max() > 1e-4]
    return (found or list(one))[-1]


@both("mean-difference", "inner-modules")
def on_average_of_all_modules(mine, theirs, x):
    one, other = (outputs_of(model, x, lambda m: m.named_modules()) for model in (mine, theirs))
    return first_far(one, other, lambda a, b: (a - b).abs().mean() > 1e-4)
