"""What people get wrong in exercise 13.7, attend_with_bias."""

import math

import torch

from exercises.common import explainers
from feedback import Misconceptions

known = Misconceptions()

WHO_READS_WHAT = "With 2 new tokens after 3, S is 5. Which of the 5 keys may the first new token read?"


def future_of(q, k):
    T, S = q.size(-2), k.size(-2)
    return torch.ones(T, S, dtype=torch.bool, device=q.device).triu(diagonal=1 + S - T)


def attend(q, k, v, bias, hidden, scale=None, before=False):
    """Attention with what is hidden given."""
    scale = math.sqrt(q.size(-1)) if scale is None else scale
    scores = q @ k.transpose(-2, -1)
    scores = (scores + bias) / scale if before else scores / scale + bias
    return scores.masked_fill(hidden, -math.inf).softmax(dim=-1) @ v


@known(
    "whole-text-without-mask",
    means="Where T = S, nothing is hidden: a whole text reads its own future, though later steps are right.",
    hint="Whoever leaves the mask to somebody else must know that they apply it. Does a bias hide anything?",
    explain=explainers.entry,
)
def only_with_a_past(q, k, v, bias):
    hidden = future_of(q, k)
    return attend(q, k, v, bias, hidden & (q.size(-2) != k.size(-2)))


@known(
    "future-read",
    means="Nothing is hidden: every query reads all keys, those after it included.",
    hint=WHO_READS_WHAT,
    explain=explainers.entry,
)
def nothing_hidden(q, k, v, bias):
    return attend(q, k, v, bias, future_of(q, k) & False)


@known(
    "aligned-at-the-start",
    means="The queries were taken for the first T positions; they are the last, and have the whole past before them.",
    hint=WHO_READS_WHAT,
    explain=explainers.entry,
)
def from_the_start(q, k, v, bias):
    T, S = q.size(-2), k.size(-2)
    return attend(q, k, v, bias, torch.ones(T, S, dtype=torch.bool, device=q.device).triu(diagonal=1))


@known(
    "own-hidden",
    means="A query does not read the key at its own position.",
    hint="Each token reads itself, too. On which diagonal of (T, S) does it meet its own key?",
    explain=explainers.entry,
)
def own_hidden(q, k, v, bias):
    T, S = q.size(-2), k.size(-2)
    hidden = torch.ones(T, S, dtype=torch.bool, device=q.device).triu(diagonal=S - T)
    return attend(q, k, v, bias, hidden.masked_fill(hidden.all(-1, keepdim=True), False))


@known(
    "true-hides",
    means="The mask is the wrong way around: the past is hidden, and the future is read.",
    hint="In your mask, what does True mean? And what does the line that uses it take it for?",
    explain=explainers.entry,
)
def inverted(q, k, v, bias):
    hidden = ~future_of(q, k)
    return attend(q, k, v, bias, hidden).nan_to_num(0.0)


@known(
    "bias-ignored",
    means="The bias has no effect.",
    hint="The bias of a key is added to every score with that key. Which line does so?",
    explain=explainers.entry,
)
def without_bias(q, k, v, bias):
    return attend(q, k, v, bias * 0, future_of(q, k))


@known(
    "bias-divided",
    means="The bias was divided by √D together with the dot products.",
    hint="What is divided, and what is added afterwards?",
    explain=explainers.entry,
)
def bias_before_the_division(q, k, v, bias):
    return attend(q, k, v, bias, future_of(q, k), before=True)


@known(
    "no-scale",
    means="The dot products were not divided by √D.",
    hint="What keeps dot products of long vectors from becoming large?",
    explain=explainers.entry,
)
def no_scale(q, k, v, bias):
    return attend(q, k, v, bias, future_of(q, k), scale=1.0)
