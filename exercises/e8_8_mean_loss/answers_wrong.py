"""Wrong answers to exercise 8.8, each with the diagnosis that it must get."""

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("not-the-mean-of-all")
def text_by_text(logits, ids, pad_id):
    texts = [
        F.cross_entropy(rows[:-1], tokens[1:], ignore_index=pad_id) for rows, tokens in zip(logits, ids, strict=True)
    ]
    return sum(texts) / len(texts)


@wrong("padding-counts")
def divided_by_numel(logits, ids, pad_id):
    total = F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], ignore_index=pad_id, reduction="sum")
    return total / ids[:, 1:].numel()


@wrong("padding-has-a-loss")
def pad_id_is_not_used(logits, ids, pad_id):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())


@wrong("a-sum")
def reduced_to_a_sum(logits, ids, pad_id):
    return F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], ignore_index=pad_id, reduction="sum")


@wrong("divided-twice")
def divided_by_the_batch_too(logits, ids, pad_id):
    return F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], ignore_index=pad_id) / len(ids)


@wrong("first-tokens-count")
def divided_by_all_tokens(logits, ids, pad_id):
    return reduced_to_a_sum(logits, ids, pad_id) / int((ids != pad_id).sum())


@wrong("not-shifted")
def targets_in_place(logits, ids, pad_id):
    return F.cross_entropy(logits.flatten(0, 1), ids.flatten(), ignore_index=pad_id)


@wrong("mean-of-position-means")
def column_by_column(logits, ids, pad_id):
    columns = [F.cross_entropy(logits[:, t], ids[:, t + 1], ignore_index=pad_id) for t in range(ids.size(1) - 1)]
    return torch.stack(columns).mean()


@wrong()
def shifted_the_other_way(logits, ids, pad_id):
    return F.cross_entropy(logits[:, 1:].mT, ids[:, :-1], ignore_index=pad_id)


@wrong()
def in_bits(logits, ids, pad_id):
    return F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], ignore_index=pad_id) / torch.tensor(2.0).log()
