"""induction_scores: the reference and its test cases; the page next to it says the rest."""

import torch

from exercises.common.inputs import rows_of_weights
from feedback import BehavioralTest, TestCase
from feedback.format import counted, number
from feedback.page_exercise import exercise


def induction_scores(weights, ids):
    latest, queries, keys = {}, [], []
    for position, token in enumerate(ids.tolist()):
        if token in latest:
            queries.append(position)
            keys.append(latest[token] + 1)  # what came after this token the last time
        latest[token] = position
    queries, keys = (torch.tensor(at, device=weights.device) for at in (queries, keys))
    return weights[:, queries, keys].mean(dim=-1)  # (H, number of pairs) -> (H,)


def earlier(ids, i):
    """Return the earlier positions of the token at i, in order."""
    return [j for j in range(i) if ids[j] == ids[i]]


def after_the_previous(ids):
    """Return [(i, position after the previous occurrence of the token at i)]."""
    return [(i, earlier(ids, i)[-1] + 1) for i in range(len(ids)) if earlier(ids, i)]


def at_pairs(weights, pairs):
    """Return the weights at these pairs, (H, number of pairs)."""
    queries, keys = zip(*pairs, strict=True)
    return weights[:, list(queries), list(keys)]


def compared(case):
    """Show a head's score, and the pairs of which it is the mean."""
    off = (case.actual.double() - case.expected.double()).abs().nan_to_num(float("inf"))
    head = int(off.argmax())
    pairs = after_the_previous(case.args[1].tolist())
    shown = ", ".join(f"[{i}, {j}]" for i, j in pairs[:3]) + (", ..." if len(pairs) > 3 else "")
    return (
        f"your score of head {head} is {number(case.actual[head])}, and {number(case.expected[head])} is right: the "
        f"mean of {counted(len(pairs), 'weight', 'weights')}, at [query, key] = {shown}"
    )


def arguments(seed, heads, *ids, dtype=torch.float32):
    """Return weights whose rows sum to 1, also above the diagonal, and ids."""
    return rows_of_weights(heads, len(ids), len(ids), seed=850 + seed, dtype=dtype), torch.tensor(ids)


def causal(weights, ids):
    weights = weights.tril()
    return weights / weights.sum(-1, keepdim=True), ids


TWICE = (9, 4, 7, 2, 6, 9, 4, 7, 2, 6)  # a text and its repetition


def stage_of(args):
    """Judge texts in which no token occurs three times, or twice in a row, first; then the others."""
    ids = args[1].tolist()
    return int(max(ids.count(token) for token in ids) > 2 or any(a == b for a, b in zip(ids, ids[1:], strict=False)))


def by_hand(*ids):
    """Return one head whose weights encode their position: 0.35 in row 3, column 5 (rows need not sum to 1 here)."""
    size = len(ids)
    table = torch.arange(size)[:, None] / 10 + torch.arange(size) / 100
    return table[None].float(), torch.tensor(ids)


def reads_other_entries(attempt):
    """Put 1 into one entry after another, and see which of them count."""
    ids = torch.tensor([3, 1, 3, 2, 1, 3])
    size = len(ids)
    single = torch.eye(size * size).view(size * size, size, size)  # as many heads as entries
    counted = attempt(single, ids).view(size, size)
    wanted = torch.zeros(size, size)
    for i, j in after_the_previous(ids.tolist()):
        wanted[i, j] = 1
    for says, which in (("counts", (counted != 0) & (wanted == 0)), ("does not count", (counted == 0) & (wanted == 1))):
        if which.any():
            i, j = which.nonzero()[0].tolist()
            return (
                f"With ids = {ids.tolist()}, the weights at [2, 1], [4, 2] and [5, 3] count: [query, position after "
                f"its token's previous occurrence]. In your score the weight at [{i}, {j}] {says}."
            )
    return None


EXERCISE = exercise(
    induction_scores,
    returns=("scores",),
    axis_names={3: "H", 5: "H", 2: "H", 7: "T", 10: "T", 11: "T", 13: "T", 23: "T"},
    stage_of=stage_of,
    cases=(
        TestCase("a text that is repeated", arguments(1, 3, *TWICE)),
        TestCase("a few tokens that occur twice", arguments(2, 5, 8, 3, 5, 8, 1, 5, 2, 9, 3, 0, 7)),
        TestCase("float64, one pair", arguments(4, 2, 6, 2, 4, 1, 2, 0, 3, dtype=torch.float64)),
        TestCase("tokens that occur three times and more", arguments(5, 3, 4, 1, 6, 4, 2, 1, 4, 5, 1, 4, 3)),
        TestCase("tokens that follow themselves", arguments(6, 3, 4, 4, 2, 7, 7, 7, 2, 4, 1, 5, 2)),
        TestCase("causal weights, many repetitions", causal(*arguments(8, 2, 1, 0, 3, 1, 1, 2, 0, 3, 3, 0, 1, 2, 0))),
    ),
    minimal_inputs=(by_hand(7, 3, 7), by_hand(7, 3, 5, 7), by_hand(7, 3, 7, 7), by_hand(7, 3, 7, 5, 7)),
    square=("weights",),
    error_meanings=(
        (
            r"division by zero|expected a non-empty TensorList|expects a non-empty",
            "No position was found whose token occurred before. Are the tokens compared as plain numbers? As keys of a "
            "dict, two tensors are different, whatever they hold.",
        ),
    ),
    behavioral_tests=(
        BehavioralTest(
            "other-entries",
            reads_other_entries,
            "Print your pairs [query, key] for these ids, and compare them with the three.",
        ),
    ),
)
