"""What people get wrong in exercise 3.4, padding_mask."""

import torch

from exercises.common import explainers
from feedback import Misconception


def _positions(max_length):
    return torch.arange(max_length)


def _real(lengths, max_length):
    return _positions(max_length) < lengths[:, None, None]


def _pairs_of_real(lengths, max_length):
    """Padding applied to the queries as well."""
    real = _real(lengths, max_length)
    return real & real.transpose(-2, -1)


def _causal_in_place(lengths, max_length):
    return torch.ones(len(lengths), max_length, max_length, dtype=torch.bool).tril()


MISCONCEPTIONS = (
        Misconception(
            "true-hides", "True and False are the wrong way round: yours is True at the padding.",
            "True = may attend, so real tokens are True. (nn.MultiheadAttention's key_padding_mask has it the other "
            "way.)",
            (lambda n, m: ~_real(n, m), lambda n, m: _positions(m) > n[:, None, None]), explainers.true_at),
        Misconception(
            "one-too-many", "One padding position is still visible: positions count from 0.",
            "The real tokens of an item of length 3 stand at 0, 1 and 2: position < length.",
            lambda n, m: _positions(m) <= n[:, None, None], explainers.true_at),
        Misconception(
            "one-too-few", "The last real token is hidden.",
            "The real tokens of an item of length 3 stand at 0, 1 and 2: position < length.",
            (lambda n, m: _positions(m) < n[:, None, None] - 1,
             lambda n, m: (_positions(m) < n[:, None, None] - 1) | False), explainers.true_at),
        Misconception(
            "no-query-axis", "The values are right, but the axis of the queries is missing: (B, max_length).",
            "Beside scores (B, T, S) the batch axis would be taken for the queries. Put an axis of size 1 between.",
            lambda n, m: _positions(m) < n[:, None]),
        Misconception(
            "queries-not-keys", "The mask runs along the queries: (B, max_length, 1) hides rows, not keys.",
            "Keys are the last axis. Every query, even one on padding, must not see padded keys.",
            lambda n, m: (_positions(m) < n[:, None])[:, :, None]),
        Misconception(
            "queries-too", "Padded queries were masked as well as padded keys: their whole rows are empty, which "
            "makes them NaN.",
            "Hide the padded keys only; what padded queries compute is thrown away later.",
            _pairs_of_real),
        Misconception(
            "batch-in-the-middle", "The values are right, but the batch stands in the middle: (1, B, max_length).",
            "The batch comes first: lengths[:, None, None] has the shape (B, 1, 1).",
            lambda n, m: (_positions(m) < n[:, None])[None]),
        Misconception(
            "full-size", "The values are right, but written out for every query: (B, max_length, max_length).",
            "An axis of size 1 is enough: it stretches to all queries by itself.",
            lambda n, m: _real(n, m).expand(-1, m, -1)),
        Misconception(
            "padding-in-front", "The real tokens are taken to stand at the end; here padding comes last.",
            "The first `length` positions are real.",
            (lambda n, m: _positions(m) >= m - n[:, None, None],), explainers.true_at),
        Misconception(
            "numbers-not-bool", "The mask is right, but it holds numbers instead of True and False.",
            "A comparison gives bool by itself: positions < lengths.",
            (lambda n, m: _real(n, m).float(), lambda n, m: _real(n, m).long(), lambda n, m: _real(n, m).int())),
        Misconception(
            "to-the-longest", "The mask is as wide as the longest item; max_length was not used.",
            "A batch may be padded further than its longest item: torch.arange(max_length).",
            lambda n, m: _real(n, int(n.max()))),
        Misconception(
            "everything-visible", "Nothing is hidden: every entry is True.",
            "A position is real only if it is smaller than the item's length.",
            lambda n, m: torch.ones(len(n), 1, m, dtype=torch.bool), explainers.true_at),
        Misconception(
            "longest-for-all", "Every item got the mask of the longest one.",
            "Each item has its own length: compare with lengths[:, None, None], or write to mask[b, 0, :n].",
            lambda n, m: _real(n.amax()[None], m).expand(len(n), 1, m).clone(), explainers.true_at),
        Misconception(
            "shortest-for-all", "Every item got the mask of the shortest one.",
            "Each item has its own length: compare with lengths[:, None, None], or write to mask[b, 0, :n].",
            lambda n, m: _real(n.amin()[None], m).expand(len(n), 1, m).clone(), explainers.true_at),
        Misconception(
            "first-item-only", "Every item got the mask of the first one.",
            "Each item has its own length: compare with lengths[:, None, None], or go through all of them.",
            lambda n, m: _real(n[:1], m).expand(len(n), 1, m).clone(), explainers.true_at),
        Misconception(
            "return-in-loop", "Only the first item has a mask: the loop ends at its first `return`.",
            "`return` leaves the function at once. Collect in the loop, and return after it.",
            (lambda n, m: _real(n[:1], m), lambda n, m: _real(n[:1], m)[0], lambda n, m: _real(n[:1], m)[0, 0])),
        Misconception(
            "causal", "This is a causal mask; padding does not depend on the query.",
            "Compare each position with the length of its item.", _causal_in_place),
)
