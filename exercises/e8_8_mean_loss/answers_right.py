"""Right answers to exercise 8.8, in many styles: the checker must accept all of them."""

import torch
import torch.nn.functional as F

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def ignored_in_a_row(logits, ids, pad_id):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=pad_id)


@right
def selected_by_a_mask(logits, ids, pad_id):
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none")
    return losses[ids[:, 1:] != pad_id].mean()


@right
def weighted_means_of_texts(logits, ids, pad_id):
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none")
    counts = (ids[:, 1:] != pad_id).sum(dim=1)
    means = (losses * (ids[:, 1:] != pad_id)).sum(dim=1) / counts
    return (means * counts).sum() / counts.sum()


@right
def divided_by_the_mean_count(logits, ids, pad_id):
    real = ids[:, 1:] != pad_id
    losses = -logits[:, :-1].log_softmax(dim=-1).gather(-1, ids[:, 1:, None])[..., 0]
    return ((losses * real).sum(dim=1) / real.sum(dim=1).float().mean()).mean()


@right
def collected_in_a_loop(logits, ids, pad_id):
    losses = []
    for rows, tokens in zip(logits, ids, strict=True):
        for row, token in zip(rows, tokens[1:]):  # noqa: B905 - the last row has no target
            if token != pad_id:
                losses.append(row.logsumexp(dim=-1) - row[token])
    return torch.stack(losses).mean()
