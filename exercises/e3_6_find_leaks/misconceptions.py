"""What people get wrong in exercise 3.6, find_leaks.

An answer has these steps: `start(x)` is what the model is first applied to; `change(x, j)` is what it is applied to
then; `distance(before, after)` says how far each output moved, (T,); `tolerance()` from where on that is a leak;
`positions(T)` are the positions to change; `later(i, j)` says which pairs are looked at, `pair(i, j)` how one is
written, and `finish(found)` what is done to the list.
"""

import torch

from exercises.e3_6_find_leaks.explainers import difference
from feedback import Misconceptions


def x_itself(x):
    return x


def one_position(x, j):
    changed = x.clone()
    changed[:, j] += torch.randn_like(x[:, j])
    return changed


def largest(before, after):
    return (after - before).abs().amax(dim=(0, 2))


def small():
    return 1e-4


def every_position(length):
    return range(length)


def j_after_i(i, j):
    return j > i


def i_then_j(i, j):
    return i, j


def leaks_from(
    start=x_itself,
    change=one_position,
    distance=largest,
    tolerance=small,
    positions=every_position,
    later=j_after_i,
    pair=i_then_j,
    finish=sorted,
):
    """A leak test from these steps."""

    def find_leaks(attend, x):
        x = start(x)
        before, found = attend(x), []
        for j in positions(x.size(1)):
            moved = distance(before, attend(change(x, j)))
            found += [pair(i, j) for i in range(x.size(1)) if later(i, j) and moved[i] > tolerance()]
        return finish(found)

    return find_leaks


known = Misconceptions(leaks_from)


# ---------------------------------------------------------------- which pairs


@known(
    "past-too",
    means="Pairs are listed in which j is not later than i: that position i reads itself or its past is no leak.",
    hint="Only what is later than i can leak into i. Which pairs are to be looked at?",
    explain=difference,
    step="later",
)
def any_pair(i, j):
    return i != j


@known.also("past-too", step="later")
def any_pair_and_the_position_itself(i, j):
    return True


@known.also("past-too", step="later")
def the_past_alone(i, j):
    return j < i


@known(
    "itself-too",
    means="Each position is listed with itself: a position may read itself.",
    hint="A leak needs j > i, not j >= i.",
    explain=difference,
    step="later",
)
def not_before(i, j):
    return j >= i


@known(
    "neighbors-only",
    means="Only the next position is looked at; a leak may come from any later one.",
    hint="For each position j that you change, all outputs before j must stay: how many are they?",
    explain=difference,
    step="later",
)
def the_next(i, j):
    return j == i + 1


@known(
    "last-position-left-out",
    means="The last position is never changed, so what leaks from there is not found.",
    hint="Which numbers does your range produce? The last position is T - 1.",
    explain=difference,
    step="positions",
)
def all_but_the_last(length):
    return range(length - 1)


@known(
    "turned-around",
    means="The pairs are turned around: yours are (changed position, output that moves).",
    hint="In (i, j), i is the output that moves, and j the later position at which x was changed.",
    explain=difference,
    step="pair",
)
def j_then_i(i, j):
    return j, i


@known(
    "not-sorted",
    means="The pairs are right, but they come in the order in which they were found.",
    hint="`sorted(...)` orders pairs by their first number, then by their second.",
    explain=difference,
    step="finish",
)
def as_found(found):
    return found


@known(
    "first-leak-only",
    means="Only the first leak is listed, of all or of each position j; all of them are asked for.",
    hint="Where does your code leave its loops? Collect in them, and return after both.",
    explain=difference,
    step="finish",
)
def the_first_found(found):
    return found[:1]


@known.also("first-leak-only", step="finish")
def one_for_each_change(found):
    firsts = {}
    for i, j in found:
        firsts.setdefault(j, (i, j))
    return sorted(firsts.values())


# ---------------------------------------------------------------- what is changed


@known(
    "changes-all-that-follows",
    means="Everything from position j on is changed at once, so one leak is blamed on many positions.",
    hint="Which position does an output read? You know only if nothing but position j was changed.",
    explain=difference,
    step="change",
)
def from_here_on(x, j):
    noise = torch.randn_like(x)
    noise[:, :j] = 0
    return x + noise


@known(
    "changes-everything",
    means="All positions are changed at once: then every output moves, in an honest model too.",
    hint="Change position j alone, in a copy of x.",
    explain=difference,
    step="change",
)
def all_positions(x, j):
    return x + torch.randn_like(x)


@known(
    "one-feature-changed",
    means="Only the first feature is changed; a model may read another one.",
    hint="A change at position j may be in any of its C features: change all of them.",
    explain=difference,
    step="change",
)
def of_the_first_feature(x, j):
    changed = x.clone()
    changed[:, j, 0] += 1
    return changed


@known(
    "scaled-or-zeroed",
    means="The vector at position j is set to zero, or multiplied by a number: a vector of zeros, such as padding, is "
    "not changed by that.",
    hint="Count on random numbers alone: add noise to what is there.",
    explain=difference,
    step="change",
)
def set_to_zero(x, j):
    changed = x.clone()
    changed[:, j] = 0
    return changed


@known.also("scaled-or-zeroed", step="change")
def doubled(x, j):
    changed = x.clone()
    changed[:, j] *= 2
    return changed


@known(
    "same-for-all-features",
    means="The same number is added to all features of a vector. A LayerNorm takes away what they have in common, so "
    "leaks behind one are not found.",
    hint="Which change is different in every feature?",
    explain=difference,
    step="change",
)
def one_added(x, j):
    changed = x.clone()
    changed[:, j] += 1
    return changed


@known.also("same-for-all-features", step="change")
def a_hundred_added(x, j):
    changed = x.clone()
    changed[:, j] += 100
    return changed


@known(
    "not-the-given-x",
    means="The model was tried on an x of your own; a leak may show only for the x that is given.",
    hint="Start from the argument x: `attend(x)`, and attend of a copy in which one position differs.",
    explain=difference,
    step="start",
)
def random_x(x):
    return torch.randn_like(x)


@known.also("not-the-given-x", step="start")
def zeros(x):
    return torch.zeros_like(x)


@known(
    "always-empty",
    means="Your list is empty for a model that leaks: nothing was changed, or nothing compared, where its leak shows.",
    hint="Print `changed - x`. Does it hold your change, far above rounding, in every feature of every item at "
    "position j? And are all features of all items compared?",
    explain=difference,
    step="change",
)
def the_same(x, j):
    return x


# ---------------------------------------------------------------- what moved


@known(
    "rounding-counted",
    means="Rounding is counted as a leak: outputs may differ by a few millionths without having read anything.",
    hint="Ask whether an output moved by more than rounding. How much is that, next to what a change of x moves?",
    explain=difference,
    step="tolerance",
)
def nothing():
    return 0.0


@known(
    "signed-sum",
    means="Movements in opposite directions cancel: numbers are added up with their signs, or all features are changed "
    "by a pattern, not by noise.",
    hint="How far a number moved is its absolute difference. Is the change of x random in each feature?",
    explain=difference,
    step="distance",
)
def absolute_sum_over_features(before, after):
    return (after - before).sum(dim=2).abs().amax(0)


@known(
    "one-direction-only",
    means="Only one direction counts: an output that moves the other way is not found.",
    hint="How far a number moved is its absolute difference.",
    explain=difference,
    step="distance",
)
def upward(before, after):
    return (after - before).amax(dim=(0, 2))


@known.also("one-direction-only", step="distance")
def downward(before, after):
    return (before - after).amax(dim=(0, 2))


def of_the_first_item(x, j):
    changed = x.clone()
    changed[0, j] += torch.randn_like(x[0, j])
    return changed


@known(
    "first-item-only",
    means="Only one item of the batch is changed or compared (or items are joined before they are compared): a leak "
    "may be in another one.",
    hint="`changed[:, j]` is position j of all items, `changed[0, j]` that of the first alone. And how far did an "
    "output move in any item?",
    explain=difference,
    step="distance",
)
def in_the_first_item(before, after):
    return (after - before)[0].abs().amax(-1)


known.also("first-item-only", change=of_the_first_item, distance=in_the_first_item)


@known.also("first-item-only", step="distance")
def in_the_last_item(before, after):
    return (after - before)[-1].abs().amax(-1)


@known(
    "mean-taken",
    means="A mean is taken over items or features: one number that moves is lost among many that do not.",
    hint="A leak moves some output by more than a thousandth, not all of them. Which of the movements counts?",
    explain=difference,
    step="distance",
)
def mean_of_all(before, after):
    return (after - before).abs().mean(dim=(0, 2))


def add_tolerance(value):
    @known.also("tolerance-too-large", step="tolerance")
    def tolerance():
        return value


known(
    "tolerance-too-large",
    means="A small leak is overlooked: your tolerance is too large, or your change of x is too small.",
    hint="A change of about 1 moves an output by more than a thousandth where there is a leak, and by a few millionths "
    "where there is none.",
    explain=difference,
)
for value in (0.01, 0.2, 1.0):
    add_tolerance(value)


# ---------------------------------------------------------------- changes that pile up


@known(
    "changes-pile-up",
    means="The changes pile up: a copy is made once, so at position j all earlier positions are still changed, and "
    "outputs move because of them.",
    hint="Where is `clone()` called: before the loop, or for each j?",
    explain=difference,
)
def one_copy_for_all(attend, x):
    changed, before, found = x.clone(), attend(x), []
    for j in range(x.size(1)):
        changed[:, j] += torch.randn_like(x[:, j])
        moved = largest(before, attend(changed))
        found += [(i, j) for i in range(j) if moved[i] > 1e-4]
    return sorted(found)


# ---------------------------------------------------------------- the model


@known(
    "one-item-at-a-time",
    means="The model gets a batch of another size than that of x; a model may be built for one size.",
    hint="Give it tensors of the shape of x: one call of attend for each position that you change.",
)
def items_by_themselves(attend, x):
    return sorted({pair for item in x for pair in leaks_from()(attend, item[None])})


@known(
    "shortened",
    means="The model gets a text that is cut off; here x keeps its length, and one position of it is changed.",
    hint="Give it tensors of the shape of x, of which one position differs.",
)
def cut_off(attend, x):
    before, found = attend(x), []
    for j in range(1, x.size(1)):
        moved = largest(before[:, :j], attend(x[:, :j]))
        found += [(i, j) for i in range(j) if moved[i] > 1e-4]
    return found
