"""Exercise 8.6: top_p."""

import torch

from exercises.common.inputs import normal
from exercises.e8_6_top_p.misconceptions import known, told
from exercises.e8_6_top_p.reference import top_p
from feedback import BehavioralTest, Exercise, Property, TestCase
from feedback.format import number, sentence

INF = float("inf")


def numbers(seed, b, v, times=2.0, plus=0.0, dtype=torch.float32):
    return times * normal(b, v, seed=880 + seed, dtype=dtype) + plus


def logits_of(*rows, dtype=torch.float32):
    """Rows of probabilities as logits, each moved by another number, which a softmax does not see."""
    moves = torch.arange(len(rows), dtype=torch.float64)[:, None] - 0.5
    return (torch.tensor(rows, dtype=torch.float64).log() + moves).to(dtype)


SURE_AND_UNSURE = logits_of(
    (0.02, 0.03, 0.90, 0.01, 0.04),
    (0.18, 0.22, 0.17, 0.24, 0.19),
    (0.40, 0.05, 0.11, 0.09, 0.35),
)

CASES = (
    TestCase("a sure row and an unsure one, p = 0.8", (SURE_AND_UNSURE, 0.8)),
    TestCase("the same, p = 0.5", (SURE_AND_UNSURE, 0.5)),
    TestCase("the same, p = 0.1", (SURE_AND_UNSURE, 0.1)),
    TestCase("a batch, p = 0.9", (numbers(1, 3, 11), 0.9)),
    TestCase("a batch, p = 0.7", (numbers(2, 7, 13, 1.0), 0.7)),
    TestCase("one row, p = 0.6", (numbers(3, 1, 11), 0.6)),
    TestCase("many tokens, p = 0.95", (numbers(4, 2, 101, 3.0), 0.95)),
    TestCase("float64, p = 0.3", (numbers(5, 5, 7, 1.0, dtype=torch.float64), 0.3)),
    TestCase("a small p", (numbers(6, 3, 7), 0.01)),
    TestCase(
        "logits around 500",
        (numbers(7, 3, 11, 2.0, 500.0), 0.9),
        limitation="With logits around 500, exp overflows; a softmax that takes away the largest logit first does not.",
    ),
)


def fill(case):
    """What is left out is -inf; another number in its place would count as kept below."""
    logits, _ = case.args
    changed = case.actual != logits
    values = case.actual[changed].unique()
    if len(values) != 1 or values.isinf().any():
        return None
    row, token = changed.nonzero()[0].tolist()
    where = f"token {token} in row {row}"
    return f"A token that is left out should become -inf; yours become {number(values)}, such as {where}."


def too_little(case):
    """What stays sums to at least p."""
    logits, p = case.args
    sums = (logits.double().softmax(-1) * (case.actual > -INF)).sum(-1)
    if (sums > p - 1e-6).all():
        return None
    row = int(sums.argmin())
    return (
        f"What stays must have a probability of at least p = {p:g}; in row {row} yours has {number(sums[row])}: "
        f"{told(case, row)}."
    )


def too_much(case):
    """Without its least likely token, what stays would sum to less than p."""
    logits, p = case.args
    kept = case.actual > -INF
    probabilities = logits.double().softmax(-1)
    least = probabilities.masked_fill(~kept, 2).amin(-1)
    sums = (probabilities * kept).sum(-1) - least
    if not (sums > p).any():
        return None
    row = int(sums.argmax())
    return f"The smallest set is asked for, and in row {row} yours has more than it needs: {told(case, row)}."


def unlike_logits(case):
    """What stays is as it was."""
    kept = case.actual > -INF
    if torch.allclose(case.actual[kept], case.args[0][kept], rtol=1e-4, atol=3e-5):
        return None
    return sentence(told(case))


def not_a_number(case):
    bad = int(case.actual.isnan().sum())
    return f"{bad} of your {case.actual.numel()} numbers are NaN." if bad else None


def rows_apart(attempt):
    """Change row 1 and see whether row 0 notices."""
    logits = numbers(8, 2, 7)
    other = torch.cat([logits[:1], logits[1:].flip(-1) * 2])
    before, after = attempt(logits.clone(), 0.6)[0], attempt(other, 0.6)[0]
    if torch.equal(before, after):
        return None
    return "Each row is cut for itself, but when row 1 changed, the result for row 0 changed."


IN_SORTED_ORDER = (
    "Print the sorted probabilities of one row, their `cumsum`, and your mask below each other. If they fit, look at "
    "how the mask comes back into the order of the vocabulary."
)

EXERCISE = Exercise(
    minutes=10,
    difficulty=2,
    gives="the logits (B, V) with -inf outside the smallest set of tokens of each row whose probabilities sum to at "
    "least p",
    reference=top_p,
    returns=("result",),
    axis_names={3: "B", 5: "V", 7: "V", 11: "V", 13: "V", 101: "V"},
    cases=CASES,
    minimal_inputs=(
        (torch.tensor([[0.0, 1.0]]), 0.6),
        (torch.tensor([[0.0, 1.0, 2.0]]), 0.8),
        (torch.tensor([[1.0, 0.0, 2.0]]), 0.8),
        (torch.tensor([[1.0, 0.0, 1.5]]), 0.3),
        (torch.tensor([[0.0, 3.0], [1.0, 0.5]]), 0.9),
    ),
    misconceptions=known,
    error_meanings=(
        (
            r"scatter\(\)|gather\(\)",
            "`scatter(-1, order, values)` writes values[i] to position order[i]; `gather(-1, order)` reads from there. "
            "Here order has the shape (B, V) and holds whole numbers: it is the second thing that `sort` returns.",
        ),
    ),
    hints=(
        "In which order must tokens be added so that as few as possible sum to p? Sort the probabilities, from the "
        "most likely down, and keep what `sort` says of the order.",
        "A token stays as long as the sum of those before it is below p: `cumsum` without the token itself, "
        "`sums - probabilities < p`. So the one with which the sum reaches p stays.",
        "The decision is in sorted order. `mask.scatter(-1, order, mask)` writes it back into the order of the "
        'vocabulary; then `logits.masked_fill(outside, float("-inf"))`.',
    ),
    properties=(
        Property("not-a-number", not_a_number, "Print the lines before: where does the first NaN arise?"),
        Property("filled-with-a-number", fill, 'Only `float("-inf")` gives a token the probability 0.'),
        Property(
            "below-p",
            too_little,
            IN_SORTED_ORDER,
        ),
        Property(
            "not-the-smallest",
            too_much,
            IN_SORTED_ORDER,
        ),
        Property("logits-changed", unlike_logits, "What stays should be the logits as they were."),
    ),
    behavioral_tests=(
        BehavioralTest("rows-mixed", rows_apart, "Which line takes more than one row at a time? `dim=-1` does not."),
    ),
    when_correct="How many tokens may be drawn now depends on how sure the model is, which no top_k can do.",
)
