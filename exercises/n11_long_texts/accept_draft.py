"""accept_draft: the reference and its test cases."""

import torch

from exercises.common import explainers
from exercises.common.inputs import generator, normal
from feedback import FunctionRunner, Property, TestCase
from feedback.format import in_a_row
from feedback.page_exercise import exercise


def accept_draft(drafted, draft, large, coins):
    """How much of a draft is kept, and the probabilities of the token that follows.

    Shapes: drafted (N,), draft (N, V), large (N + 1, V), coins (N,) -> count, an int, and probabilities (V,)
    Source: Leviathan et al. 2022; notebook 11
    """
    N = len(drafted)
    for n in range(N):
        x = drafted[n]
        if coins[n] >= large[n, x] / draft[n, x]:
            rest = (large[n] - draft[n]).clamp(min=0)
            return n, rest / rest.sum()
    return N, large[N]


REST = "Where the large model gives a token more than the draft did, that surplus is still to be drawn."


def call(attempt, drafted, draft, large, coins):
    """Return the answer's result; the count may be a 0-d tensor, which can cut a text as an int can."""
    result = attempt(drafted, draft, large, coins)
    if isinstance(result, tuple) and len(result) == 2 and torch.is_tensor(result[0]):
        count, probabilities = result
        if count.dim() == 0 and count.dtype in (torch.int32, torch.int64):
            return int(count), probabilities
    return result


def ratios_and_coins(case):
    """Show the ratios with which the drafted tokens' coins are compared."""
    drafted, draft, large, coins = case.args
    if case.first == case.expected_first:
        return explainers.entry(case)
    each = torch.arange(len(drafted))
    ratios = large[each, drafted] / draft[each, drafted]
    return (
        f"large / draft of the drafted tokens is {in_a_row(ratios)}, and the coins are {in_a_row(coins)}; you kept "
        f"{case.first}, and {case.expected_first} is right"
    )


def next_token(case):
    """Show the probability that is furthest off, next to those of the two models."""
    drafted, draft, large, _ = case.args
    n, got = case.expected_first, case.last
    if case.first != n or got.shape != case.expected_last.shape:
        return ratios_and_coins(case)
    (x,) = explainers.worst(got, case.expected_last)
    mine, right, at_large = (explainers.number(p) for p in (got[x], case.expected_last[x], large[n, x]))
    models = f"large has {at_large}" + ("" if n == len(drafted) else f" and draft {explainers.number(draft[n, x])}")
    return f"at position {n}, where {models} for token {x}, your probability of it is {mine}, and {right} is right"


def sums_to_one(case):
    total = float(case.last.double().sum())
    return None if abs(total - 1) < 1e-3 else f"Your probabilities sum to {total:.4f}; they must sum to 1."


def not_negative(case):
    bad = case.last[~(case.last >= -1e-6)]
    return f"A probability lies between 0 and 1; one of yours is {explainers.number(bad[0])}." if len(bad) else None


def arguments(fates, V, seed, dtype=torch.float32):
    """Return a draft with these fates of tokens: "+" the large model prefers it, "k" its coin keeps it, "-" dropped."""
    N = len(fates)
    draft, large = ((2 * normal(n, V, seed=seed + n, dtype=dtype)).softmax(dim=-1) for n in (N, N + 1))
    luck = 0.3 + 0.4 * torch.rand(N, generator=generator(seed), dtype=dtype)
    drafted, coins = [], []
    for n, fate in enumerate(fates):
        surplus = large[n] - draft[n]
        x = int(surplus.topk(2).indices[1] if fate == "+" else surplus.argmin())
        ratio = large[n, x] / draft[n, x]
        drafted.append(x)
        coins.append({"+": 0.6 + luck[n] / 2, "k": ratio * luck[n], "-": ratio + (1 - ratio) * luck[n]}[fate])
    return torch.tensor(drafted), draft, large, torch.stack(coins)


def by_hand(drafted, draft, large, coins):
    return torch.tensor(drafted), torch.tensor(draft), torch.tensor(large), torch.tensor(coins)


EXERCISE = exercise(
    accept_draft,
    returns=("count", "probabilities"),
    axis_names={3: "N", 4: "N + 1", 5: "N", 6: "N + 1", 7: "V", 11: "V", 1: "N", 2: "N + 1"},
    runner=FunctionRunner(call),
    cases=(
        TestCase("the first of three is rejected", arguments("-k+", 7, seed=1)),
        TestCase("the second of three is rejected", arguments("k-+", 11, seed=11)),
        TestCase("all three are kept", arguments("+kk", 7, seed=31)),
        TestCase("one token, kept", arguments("k", 11, seed=41)),
        TestCase("one token, rejected", arguments("-", 7, seed=51)),
        TestCase("two of five are rejected, float64", arguments("k+-k-", 11, seed=61, dtype=torch.float64)),
        TestCase(
            "a large coin and a small one",
            by_hand([0, 1], [[0.5, 0.5], [0.5, 0.5]], [[0.4, 0.6], [0.85, 0.15], [0.25, 0.75]], [0.6, 0.2]),
        ),
        TestCase(
            "a coin of 0, and a token that large never writes",
            by_hand([0], [[0.5, 0.5]], [[0.0, 1.0], [1.0, 0.0]], [0.0]),
        ),
    ),
    minimal_inputs=(
        by_hand([0], [[0.5, 0.5]], [[0.25, 0.75], [1.0, 0.0]], [0.75]),
        by_hand([0], [[0.5, 0.5]], [[0.25, 0.75], [1.0, 0.0]], [0.25]),
        by_hand([0], [[0.5, 0.25, 0.25]], [[0.25, 0.5, 0.25], [0.5, 0.5, 0.0]], [0.75]),
        by_hand([0], [[0.5, 0.25, 0.25]], [[0.2, 0.5, 0.3], [0.5, 0.5, 0.0]], [0.75]),
        by_hand([0, 1], [[0.5, 0.5], [0.8, 0.2]], [[0.25, 0.75], [0.5, 0.5], [0.25, 0.75]], [0.75, 0.5]),
        by_hand([1, 0], [[0.5, 0.5], [0.8, 0.2]], [[0.25, 0.75], [0.4, 0.6], [0.25, 0.75]], [0.5, 0.75]),
    ),
    judge_first=("count",),
    properties=(
        Property("negative-probabilities", not_negative, REST + " What is below 0 counts as 0."),
        Property("sum-is-not-1", sums_to_one, "Divide by the sum, at the end."),
    ),
)
