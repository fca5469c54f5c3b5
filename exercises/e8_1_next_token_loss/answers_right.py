"""Right answers to exercise 8.1, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, SIM108 - naming a result before returning it, and a long if, are styles that must pass

import torch
import torch.nn.functional as F
from torch import nn

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def loss_with_classes_on_axis_1(logits, ids, pad_id=None):
    if pad_id is None:
        return F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:])
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], ignore_index=pad_id)


@right
def loss_by_indexing(logits, ids, pad_id=None):
    logs = F.log_softmax(logits[:, :-1], dim=-1)
    targets = ids[:, 1:]
    picked = logs.gather(2, targets[..., None])[..., 0]
    if pad_id is None:
        return -picked.mean()
    real = (targets != pad_id).to(logits.dtype)
    return -(picked * real).sum() / real.sum()


@right
def loss_of_the_selected(logits, ids, pad_id=None):
    predictions = logits[:, :-1].reshape(-1, logits.shape[-1])
    targets = ids[:, 1:].reshape(-1)
    if pad_id is not None:
        keep = targets != pad_id
        predictions, targets = predictions[keep], targets[keep]
    return F.cross_entropy(predictions, targets)


@right
def loss_by_logsumexp(logits, ids, pad_id=None):
    logits, targets = logits[:, :-1], ids[:, 1:]
    losses = logits.logsumexp(-1) - logits.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    counts = torch.ones_like(targets) if pad_id is None else (targets != pad_id).long()
    return (losses * counts).sum() / counts.sum()


@right
def loss_by_hand(logits, ids, pad_id=None):
    z = logits - logits.max(dim=-1, keepdim=True).values
    logs = z - z.exp().sum(dim=-1, keepdim=True).log()
    total, count = 0.0, 0
    for b in range(ids.size(0)):
        for t in range(ids.size(1) - 1):
            target = ids[b, t + 1]
            if pad_id is not None and target == pad_id:
                continue
            total = total - logs[b, t, target]
            count += 1
    return total / count


@right
def loss_of_a_module(logits, ids, pad_id=None):
    ignored = pad_id if pad_id is not None else -100
    criterion = nn.CrossEntropyLoss(ignore_index=ignored)
    return criterion(logits[:, :-1, :].contiguous().view(-1, logits.size(-1)), ids[:, 1:].contiguous().view(-1))


@right
def loss_with_labels_of_minus_100(logits, ids, pad_id=None):
    labels = ids.clone()
    if pad_id is not None:
        labels[labels == pad_id] = -100
    return F.cross_entropy(logits[..., :-1, :].flatten(0, 1), labels[..., 1:].flatten())


@right
def loss_with_the_last_target_ignored(logits, ids, pad_id=None):
    labels = ids.roll(-1, dims=1).clone()
    labels[:, -1] = -100
    if pad_id is not None:
        labels = labels.masked_fill(labels == pad_id, -100)
    return F.cross_entropy(logits.permute(0, 2, 1), labels)


@right
def loss_by_class_weights(logits, ids, pad_id=None):
    weight = torch.ones(logits.size(-1), dtype=logits.dtype)
    if pad_id is not None:
        weight[pad_id] = 0
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), weight=weight)


@right
def loss_by_one_hot(logits, ids, pad_id=None):
    chosen = F.one_hot(ids[:, 1:], logits.size(-1)).to(logits.dtype)
    if pad_id is not None:
        chosen = chosen * (ids[:, 1:, None] != pad_id)
    return -(chosen * logits[:, :-1].log_softmax(-1)).sum() / chosen.sum()


@right
def loss_by_a_softmax_too_many(logits, ids, pad_id=None):
    """`log_softmax` of `log_softmax` is `log_softmax`."""
    logs = logits.log_softmax(-1)[:, :-1]
    losses = F.cross_entropy(logs.flatten(0, 1), ids[:, 1:].flatten(), reduction="none")
    if pad_id is None:
        return losses.mean()
    return losses[ids[:, 1:].flatten() != pad_id].mean()


@right
def loss_text_by_text(logits, ids, pad_id=None):
    ignored = -100 if pad_id is None else pad_id
    losses = [F.cross_entropy(z[:-1], w[1:], ignore_index=ignored, reduction="sum") for z, w in zip(logits, ids)]  # noqa: B905
    count = ids[:, 1:].numel() if pad_id is None else (ids[:, 1:] != pad_id).sum()
    return sum(losses) / count


@right
def loss_by_nll(logits, ids, pad_id=None):
    logs = torch.log_softmax(logits, dim=2)[:, :-1]
    return F.nll_loss(logs.transpose(1, 2), ids[:, 1:], ignore_index=pad_id if pad_id is not None else -1)
