"""Sentences about lists of leaks, and what every right list is like."""

from numbers import Integral

from exercises.common.explainers import counted, shortly
from feedback import Property
from feedback.format import sentence


def is_pair(entry):
    return (
        isinstance(entry, tuple)
        and len(entry) == 2
        and all(isinstance(number, Integral) and not isinstance(number, bool) for number in entry)
    )


def pairs_of(case):
    """The learner's list as pairs of plain numbers, or None where it holds something else."""
    if not all(is_pair(entry) for entry in case.actual):
        return None
    return [(int(i), int(j)) for i, j in case.actual]


def difference(case):
    """The first pair that is missing, or that should not be there."""
    pairs = pairs_of(case)
    if pairs is None:
        return not_pairs(case)
    length = case.args[1].size(1)
    for i, j in pairs:
        if (i, j) not in case.expected:
            return f"{(i, j)} is in your list. {_why_not(i, j, length)}"
    for i, j in case.expected:
        if (i, j) not in pairs:
            return (
                f"{(i, j)} is missing from your list: the output at position {i} changes when x changes at position {j}"
            )
    return f"your list holds the right pairs, but it begins {shortly(case.actual)}"


def _why_not(i, j, length):
    if not (0 <= i < length and 0 <= j < length):
        return f"Positions are counted from 0 to {length - 1}"
    if i == j:
        return "A position may read itself"
    if i > j:
        return f"Position {j} comes before position {i}, which may read it"
    return f"The output at position {i} does not change with x at position {j}"


def not_pairs(case):
    """The first entry that is not a pair of whole numbers."""
    at = next(n for n, entry in enumerate(case.actual) if not is_pair(entry))
    return (
        f"entry {at} of your list is {shortly(case.actual[at])}; a pair is a tuple of two whole numbers, such as (0, 2)"
    )


def _not_pairs(case):
    return sentence(not_pairs(case)) if pairs_of(case) is None else None


def _turned_around(case):
    pairs = pairs_of(case)
    if pairs and pairs != case.expected and sorted((j, i) for i, j in pairs) == case.expected:
        return (
            f"In your pairs the later position comes first: {pairs[0]}. A pair is (i, j), where the output at i "
            "changes with x at the later position j."
        )
    return None


def _listed_twice(case):
    pairs = pairs_of(case)
    twice = next((pair for pair in pairs or [] if pairs.count(pair) > 1), None)
    if twice is None:
        return None
    return f"{twice} is in your list {counted(pairs.count(twice), 'time', 'times')}; each pair is listed once."


def _not_sorted(case):
    pairs = pairs_of(case)
    if pairs and pairs != case.expected and sorted(pairs) == case.expected:
        return f"The pairs are right, but not sorted: your list is {shortly(pairs)}."
    return None


def _not_a_leak(case):
    pairs = pairs_of(case)
    wrong = next((pair for pair in pairs or [] if pair not in case.expected), None)
    return f"{difference(case)}." if wrong else None


def _missed(case):
    pairs = pairs_of(case)
    missing = pairs is not None and any(pair not in pairs for pair in case.expected)
    return f"{difference(case)}." if missing else None


PROPERTIES = (
    Property(
        "not-pairs",
        _not_pairs,
        "A pair is a tuple of two Python numbers, `(int(i), int(j))`: `x.item()` and `x.tolist()` turn tensors into "
        "numbers, and `tuple(pair)` turns a list into a tuple.",
    ),
    Property("turned-around", _turned_around, "Which of your two numbers is the position that was changed?"),
    Property(
        "listed-twice", _listed_twice, "Take the largest movement over all items and features first; then decide once."
    ),
    Property("not-sorted", _not_sorted, "`sorted(your_list)` orders pairs by their first number, then by the second."),
    Property(
        "no-leak-there",
        _not_a_leak,
        "Change x at position j alone, in a copy of its own, and compare the outputs before j with those of "
        "`attend(x)`: which of them move by more than rounding?",
    ),
    Property(
        "leak-missed",
        _missed,
        "Which positions j does your code change, and how large a movement passes for rounding (1e-4)? Is the change "
        "itself large enough, in all items and features? Do you look at every output before j, in every item and "
        "feature, and compare it with `attend(x)`? Does a movement downward count, too (`abs`)?",
    ),
)
