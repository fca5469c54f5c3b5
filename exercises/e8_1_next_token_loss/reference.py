"""The course's answer to exercise 8.1."""

import torch.nn.functional as F


def next_token_loss(logits, ids, pad_id=None):
    predictions, targets = logits[:, :-1], ids[:, 1:]  # position t predicts the token at t + 1
    ignored = -100 if pad_id is None else pad_id
    return F.cross_entropy(predictions.flatten(0, 1), targets.flatten(), ignore_index=ignored)
