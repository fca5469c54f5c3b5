"""Answers to exercise 8.4 with two mistakes at once: naming either is true, naming a third is not."""

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("first-logits", "no-cache")
def first_position_without_a_cache(model, ids, steps):
    for _ in range(steps):
        ids = torch.cat([ids, model(ids)[0][:, 0].argmax(-1, keepdim=True)], dim=1)
    return ids


@both("drawn", "past-forgotten")
def drawn_without_a_past(model, ids, steps):
    new = ids
    for _ in range(steps):
        logits, _ = model(new)
        new = torch.multinomial(logits[:, -1].softmax(-1), 1)
        ids = torch.cat([ids, new], dim=1)
    return ids


@both("only-the-new", "no-cache")
def only_new_without_a_cache(model, ids, steps):
    T = ids.size(1)
    for _ in range(steps):
        ids = torch.cat([ids, model(ids)[0][:, -1].argmax(-1, keepdim=True)], dim=1)
    return ids[:, T:]


@both("one-token-less", "past-not-updated")
def one_less_with_a_stale_past(model, ids, steps):
    logits, past = model(ids)
    for _ in range(steps - 1):
        new = logits[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, new], dim=1)
        logits, _ = model(new, past)
    return ids
