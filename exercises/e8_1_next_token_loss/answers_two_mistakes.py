"""Answers to exercise 8.1 with two mistakes at once: naming either is true, naming a third is not."""

import torch.nn.functional as F

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("not-shifted", "padding-counted")
def own_tokens_and_padding(logits, ids, pad_id=None):
    return F.cross_entropy(logits.flatten(0, 1), ids.flatten())


@both("shifted-the-wrong-way", "pad-id-0-ignored")
def wrong_way_if_pad_id(logits, ids, pad_id=None):
    return F.cross_entropy(logits[:, 1:].flatten(0, 1), ids[:, :-1].flatten(), ignore_index=pad_id or -100)


@both("sum-not-mean", "padding-counted")
def sum_with_padding(logits, ids, pad_id=None):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), reduction="sum")


@both("no-minus", "mean-over-padding-too")
def no_minus_and_all_counted(logits, ids, pad_id=None):
    logs = logits[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None])[..., 0]
    return (logs if pad_id is None else logs * (ids[:, 1:] != pad_id)).mean()


@both("log-of-a-rounded-softmax", "padding-counted")
def log_of_softmax_and_padding(logits, ids, pad_id=None):
    return F.nll_loss(logits[:, :-1].softmax(-1).log().transpose(1, 2), ids[:, 1:])
