"""choose_keys: the reference and its test cases."""

import torch

from exercises.common.inputs import AXES, B, S, T, normal, some_hidden
from feedback import BehavioralTest, Property, TestCase
from feedback.page_exercise import exercise


def choose_keys(index, budget, mask):
    """For each query the visible keys with the highest scores, as many as the budget allows.

    Shapes: index (..., T, S), mask broadcastable to it -> (..., T, S); both masks are bool, True = may attend
    Source: DeepSeek-V3.2, 2025; notebook 11
    """
    visible = index.masked_fill(~mask, float("-inf"))
    best = visible.topk(min(budget, index.size(-1)), dim=-1).indices  # (..., T, budget)
    chosen = torch.zeros_like(index, dtype=torch.bool).scatter(-1, best, True)
    return chosen & mask  # in a short row, topk also takes keys with -inf


def keys_chosen(case):
    """Show which keys the first wrong query chose, and which it should have chosen."""
    index, _, mask = case.args
    at = tuple((case.first != case.expected_first).any(-1).nonzero()[0].tolist())
    mine, right = (x[at].nonzero().flatten().tolist() for x in (case.first, case.expected_first))
    seen = mask.expand_as(index)[at].nonzero().flatten().tolist()
    where = f"query {at[-1]}" + (f" of item {at[0]}" if len(at) > 1 else "")
    return f"{where}, which may see the keys {seen}, chose {mine}, and {right} is right"


def hidden_keys_chosen(case):
    chosen, mask = case.first, case.args[2]
    if torch.equal(chosen, case.expected_first) or not torch.equal(chosen & mask, case.expected_first):
        return None
    return f"The right keys were chosen, and hidden ones besides: {keys_chosen(case)}."


def other_keys(case):
    return None if torch.equal(case.first, case.expected_first) else f"{keys_chosen(case).capitalize()}."


def ties(attempt):
    """Try scores of which many are 0, as after a ReLU; any tied keys may be chosen, but no more than the budget."""
    index, budget, mask = torch.zeros(T, S), 4, CAUSAL
    index[:, 1] = 1
    chosen = attempt(index.clone(), budget, mask.clone())
    for row, (got, seen) in enumerate(zip(chosen, mask, strict=True)):
        wanted = min(budget, int(seen.sum()))
        if int(got.sum()) != wanted:
            return (
                f"Where several keys have the score 0, query {row} chose {int(got.sum())} keys, and the budget is "
                f"{budget}, with {int(seen.sum())} keys to see."
            )
        left = index[row][seen & ~got]
        if (got & ~seen).any() or len(left) and left.max() > index[row][got].min():
            return f"Where several keys have the score 0, query {row} chose keys that are not the best it may see."
    return None


CAUSAL = torch.ones(T, S, dtype=torch.bool).tril(S - T)  # rows of 3 to 7 keys
PADDED = CAUSAL & (torch.arange(S) > 1)  # the first row sees one key
NOBODY = some_hidden(B, T, S, seed=3).index_fill(1, torch.tensor([2]), False)  # query 2 sees nothing


EXERCISE = exercise(
    choose_keys,
    returns=("chosen",),
    axis_names=AXES,
    dtype_hints={"chosen": "A mask holds True and False"},
    cases=(
        TestCase("a causal mask, a budget of 4", (normal(T, S, seed=1), 4, CAUSAL)),
        TestCase("a causal mask, a budget of 1", (normal(T, S, seed=2), 1, CAUSAL)),
        TestCase("the first two keys are padding", (normal(B, T, S, seed=4), 4, PADDED)),
        TestCase("all scores below 0", (normal(T, S, seed=5).abs() * -1 - 0.1, 4, CAUSAL)),
        TestCase("a mask for each item, a query that sees nothing", (normal(B, T, S, seed=6), 4, NOBODY)),
        TestCase("a budget larger than the text", (normal(T, S, seed=7), 20, CAUSAL)),
        TestCase("large scores", (1e12 * normal(B, T, S, seed=9), 4, CAUSAL)),
        TestCase("float64", (normal(B, T, S, seed=8, dtype=torch.float64), 4, CAUSAL)),
    ),
    minimal_inputs=(
        (torch.tensor([[1.0, 2.0]]), 1, torch.tensor([[True, True]])),
        (torch.tensor([[1.0, 2.0]]), 1, torch.tensor([[True, False]])),
        (torch.tensor([[-1.0, 2.0]]), 1, torch.tensor([[True, False]])),
        (torch.tensor([[-1e10, 2.0]]), 1, torch.tensor([[True, False]])),
        (torch.tensor([[1.0, 2.0]]), 2, torch.tensor([[True, False]])),
        (torch.tensor([[1.0, 2.0], [2.0, 1.0]]), 1, torch.tensor([[True, False], [True, True]])),
    ),
    stage_of=lambda args: int(args[1] > S),
    properties=(
        Property(
            "hidden-keys-chosen",
            hidden_keys_chosen,
            "What does `topk` return in a row that has two visible keys and a budget of four?",
        ),
        Property("other-keys", other_keys, "Which scores may compete in this row, and how many of them win?"),
    ),
    behavioral_tests=(
        BehavioralTest(
            "ties",
            ties,
            "Scores that tie with the last winner all pass a threshold. The indices of `topk` are never too many.",
            required=True,
            while_doing="where many scores are 0",
        ),
    ),
)
