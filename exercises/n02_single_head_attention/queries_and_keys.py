"""Queries and keys for the test cases of notebook 02's exercises."""

import torch

from exercises.common.inputs import B, D, H, S, T, normal, round_numbers
from feedback import TestCase

BATCH = (normal(B, T, D, seed=3), normal(B, S, D, seed=4))


def _leader(rows):
    """Return a batch of one vector of length 8.14 and zeros; its score with itself, divided by sqrt(D), is 20."""
    return torch.cat([torch.full((1, 1, D), 8.14 / D**0.5), torch.zeros(1, rows - 1, D)], dim=1)


_QUERIES_AND_KEYS = {
    "queries and keys": (normal(T, D, seed=1), normal(S, D, seed=2)),
    "a batch": BATCH,
    "a batch of heads": (normal(B, H, T, D, seed=5), normal(B, H, S, D, seed=6)),
    "more queries than keys": (normal(1, T, D, seed=17), normal(1, 4, D, seed=18)),
    "one query far nearer to one key than to 63 others": (_leader(1), _leader(64)),
    "float64": (normal(B, T, D, seed=7).double(), normal(B, S, D, seed=8).double()),
    "as many keys as queries": (normal(B, T, D, seed=9), normal(B, T, D, seed=10)),
    "17 features": (normal(T, 17, seed=11) / 1.3, normal(S, 17, seed=12)),  # another D, for answers with a constant 11
    "one query of one head of one item": (normal(1, 1, 1, D, seed=15), normal(1, 1, S, D, seed=16)),
}


def query_key_cases(*values):
    """Return test cases for functions of q and k, and also of values(k) if that is given."""
    return tuple(TestCase(name, (q, k, *(make(k) for make in values))) for name, (q, k) in _QUERIES_AND_KEYS.items())


def large_scores(*values):
    """Return a test case with scores so large that their exponentials overflow."""
    q, k = torch.tensor([[40.0, 40.0], [0.1, 0.0]]), torch.tensor([[40.0, 40.0], [0.0, 0.0], [40.0, 39.9]])
    return TestCase(
        "scores above 1,000",
        (q, k, *(make(k) for make in values)),
        1e-3,
        1e-3,
        limitation="It has a limit: scores above 1,000 next to small ones. The softmax of exercise 2.2 survives "
        "them, and so does torch's own.",
    )


def _round(*shape):
    return 2.5 * round_numbers(*shape)


SMALL_PAIRS = ((_round(1, 2), _round(2, 2)), (_round(2, 2), 2 - _round(2, 2)), (_round(2, 2, 2), _round(2, 3, 2)))


def stage_of(args):
    """Judge matrices first, then batches, and last whether float64 stays float64."""
    return 2 if args[0].dtype == torch.float64 else int(args[0].dim() > 2)
