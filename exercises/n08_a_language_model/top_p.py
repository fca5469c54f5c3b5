"""top_p: the reference and its test cases; the page next to it says the rest."""

import torch

from exercises.common.inputs import normal
from feedback import Property, TestCase
from feedback.format import listed, number, sentence
from feedback.page_exercise import exercise


def top_p(logits, p):
    probabilities, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)  # (B, V) each
    before = probabilities.cumsum(dim=-1) - probabilities  # what the more likely tokens sum to
    outside = before >= p  # enough without this token
    return logits.masked_fill(outside.scatter(-1, order, outside), float("-inf"))


INF = float("inf")


def tokens_kept(case, row=None):
    """Show the first row in which a wrong set of tokens was kept: its sorted probabilities, and which were kept."""
    logits, p = case.args
    mine, right = case.actual > -INF, case.expected > -INF
    rows = (mine != right).any(-1).nonzero()
    if not len(rows):
        return changed_number(case)
    row = int(rows[0]) if row is None else row
    probabilities, order = logits[row].double().softmax(-1).sort(descending=True)
    shown = ", ".join(f"{number(x)} (token {i})" for x, i in zip(probabilities[:4], order[:4].tolist(), strict=True))
    more = ", ..." if logits.size(1) > 4 else ""
    return (
        f"in row {row} the probabilities are {shown}{more}; with p = {p:g} {tokens(right[row])} should stay, and yours "
        f"keeps {tokens(mine[row])}"
    )


def tokens(kept):
    ids = [str(i) for i in kept.nonzero()[:, 0].tolist()]
    if len(ids) > 6:
        return f"{len(ids)} tokens"
    return f"token {ids[0]}" if len(ids) == 1 else f"the tokens {listed(ids)}" if ids else "none"


def changed_number(case):
    """Show a logit that is kept but was changed."""
    off = (case.actual.double() - case.expected.double()).nan_to_num(INF, INF, INF).abs() > 1e-4
    off &= case.expected > -INF
    if not off.any():
        return "the right tokens stay, but your numbers differ from the right ones"
    at = tuple(off.nonzero()[0].tolist())
    return (
        f"the logit {number(case.args[0][at])} of token {at[1]} in row {at[0]} stays, and should be as it was; yours "
        f"became {number(case.actual[at])}"
    )


def random_logits(seed, b, v, times=2.0, plus=0.0, dtype=torch.float32):
    return times * normal(b, v, seed=880 + seed, dtype=dtype) + plus


def logits_of(*rows, dtype=torch.float32):
    """Return rows of probabilities as logits, each row shifted by a different constant, which a softmax ignores."""
    moves = torch.arange(len(rows), dtype=torch.float64)[:, None] - 0.5
    return (torch.tensor(rows, dtype=torch.float64).log() + moves).to(dtype)


SURE_AND_UNSURE = logits_of(
    (0.02, 0.03, 0.90, 0.01, 0.04), (0.18, 0.22, 0.17, 0.24, 0.19), (0.40, 0.05, 0.11, 0.09, 0.35)
)

CASES = (
    TestCase("a sure row and an unsure one, p = 0.8", (SURE_AND_UNSURE, 0.8)),
    TestCase("the same, p = 0.5", (SURE_AND_UNSURE, 0.5)),
    TestCase("the same, p = 0.1", (SURE_AND_UNSURE, 0.1)),
    TestCase("a batch, p = 0.9", (random_logits(1, 3, 11), 0.9)),
    TestCase("one row, p = 0.6", (random_logits(3, 1, 11), 0.6)),
    TestCase("many tokens, p = 0.95", (random_logits(4, 2, 101, 3.0), 0.95)),
    TestCase("float64, p = 0.3", (random_logits(5, 5, 7, 1.0, dtype=torch.float64), 0.3)),
    TestCase(
        "logits around 500",
        (random_logits(7, 3, 11, 2.0, 500.0), 0.9),
        limitation="With logits around 500, exp overflows; a softmax that takes away the largest logit first does not.",
    ),
)


def too_little(case):
    """Check that what is kept sums to at least p."""
    logits, p = case.args
    sums = (logits.double().softmax(-1) * (case.actual > -INF)).sum(-1)
    if (sums > p - 1e-6).all():
        return None
    row = int(sums.argmin())
    return f"What stays has a probability of {number(sums[row])}, less than p: {tokens_kept(case, row)}."


def too_much(case):
    """Check that what is kept, without its least likely token, would sum to less than p."""
    logits, p = case.args
    kept = case.actual > -INF
    probabilities = logits.double().softmax(-1)
    least = probabilities.masked_fill(~kept, 2).amin(-1)
    sums = (probabilities * kept).sum(-1) - least
    if not (sums > p).any():
        return None
    row = int(sums.argmax())
    return f"The smallest set is asked for, and in row {row} yours has more than it needs: {tokens_kept(case, row)}."


def unlike_logits(case):
    """Check that the kept logits are unchanged."""
    kept = case.actual > -INF
    if torch.allclose(case.actual[kept], case.args[0][kept], rtol=1e-4, atol=3e-5):
        return None
    return sentence(tokens_kept(case))


def has_nan(case):
    bad = int(case.actual.isnan().sum())
    return f"Of your {case.actual.numel()} numbers, {bad} came out as NaN." if bad else None


IN_SORTED_ORDER = (
    "Print the sorted probabilities of one row, their `cumsum`, and your mask below each other. If they fit, look at "
    "how the mask comes back into the order of the vocabulary."
)

EXERCISE = exercise(
    top_p,
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
    error_meanings=(
        (
            r"scatter\(\)|gather\(\)",
            "`scatter(-1, order, values)` writes values[i] to position order[i]; `gather(-1, order)` reads from there. "
            "Here order has the shape (B, V) and holds whole numbers: it is the second thing that `sort` returns.",
        ),
    ),
    properties=(
        Property("not-a-number", has_nan, "Print what each line gives: where does the first NaN arise?"),
        Property("below-p", too_little, IN_SORTED_ORDER),
        Property("not-the-smallest", too_much, IN_SORTED_ORDER),
        Property("logits-changed", unlike_logits, "What stays should be the logits as they were."),
    ),
)
