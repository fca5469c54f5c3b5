"""Exercise 11.1: window_mask."""

from exercises.common.inputs import AXES, hidden_only
from exercises.e11_1_window_mask.misconceptions import QUERIES, WINDOW, keys_seen, known
from exercises.e11_1_window_mask.reference import window_mask
from feedback import Exercise, Property, TestCase
from feedback.format import counted


def too_many_or_too_few(case):
    """A row sees as many keys as the window, or as there are."""
    if case.first.shape != case.expected_first.shape:
        return None
    t, s, window = case.args
    got, right = case.first.sum(-1), case.expected_first.sum(-1)
    if got.equal(right):
        return None
    row = int((got != right).nonzero()[0])
    return (
        f"Query {row} stands at position {s - t + row} and may see {counted(int(right[row]), 'key', 'keys')}, with a "
        f"window of {window}; yours sees {int(got[row])}."
    )


def other_keys(case):
    return f"{keys_seen(case).capitalize()}." if case.first.shape == case.expected_first.shape else None


EXERCISE = Exercise(
    minutes=6,
    difficulty=1,
    gives="the mask (T, S), bool, True = may attend: the queries are the last T of S positions, and each sees the "
    "`window` latest positions up to its own",
    reference=window_mask,
    returns=("mask",),
    axis_names=AXES | {1: "", 2: "T", 3: "T", 5: "T", 7: "S", 11: "S", 13: "S"},
    dtype_hints={"mask": "A mask holds True and False"},
    cases=(
        TestCase("5 positions, a window of 3", (5, 5, 3)),
        TestCase("the last 3 of 7 positions, a window of 4", (3, 7, 4)),
        TestCase("the last 2 of 11, a window of 5", (2, 11, 5)),
        TestCase("one query, 13 positions, a window of 4", (1, 13, 4)),
        TestCase("a window of 1", (5, 7, 1)),
        TestCase("a window of 2", (5, 11, 2)),
        TestCase("a window longer than the text", (5, 7, 20)),
        TestCase("one position", (1, 1, 3)),
        *(TestCase("hidden sizes", numbers) for numbers in hidden_only(lambda draw: [(5, draw.randrange(14, 30), 4)])),
    ),
    minimal_inputs=((1, 1, 1), (1, 2, 1), (2, 2, 1), (1, 3, 2), (2, 3, 2), (3, 4, 2)),
    misconceptions=known,
    hints=(
        "At which positions do the T queries stand? Begin with a table of distances, query minus key, (T, S).",
        "Two conditions must hold for each distance. Which one hides the future, and which one hides what is too far "
        "away?",
        "`torch.arange(S - T, S)[:, None] - torch.arange(S)` is the table. The two conditions are joined by "
        "`&`, each in parentheses.",
    ),
    properties=(
        Property("wrong-number-of-keys", too_many_or_too_few, WINDOW),
        Property("other-keys", other_keys, QUERIES),
    ),
    when_correct="However long the text, a query reads at most `window` keys.",
)
