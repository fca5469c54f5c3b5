"""Wrong answers to exercise 6.5 whose mask makes NaN."""

import math

import torch

from exercises.e6_5_attend_with_cache.answers_wrong import with_past
from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("zero-times-infinity")
def cache_masked_by_a_product(q, k, v, past):
    """A mask of zeros and ones is multiplied by -inf."""
    old = 0 if past is None else past[0].size(-2)
    k, v = with_past(k, v, past)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    future = torch.ones(q.size(-2), k.size(-2)).triu(old + 1)
    weights = (scores + future * float("-inf")).softmax(dim=-1)
    return weights @ v, (k, v)
