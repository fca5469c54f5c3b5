"""Answers to exercise 8.7 with two mistakes at once: naming either is true, naming a third is not."""

import torch.nn.functional as F
from torch import nn

from feedback.bank import TwoMistakes

both = TwoMistakes()


def loss_of(logits, ids):
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:])


@both("gradients-kept", "not-clipped")
def never_cleared_nor_clipped(model, optimizer, ids):
    loss = loss_of(model(ids), ids)
    loss.backward()
    optimizer.step()
    return loss.item()


@both("targets-not-shifted", "not-clipped")
def not_shifted_nor_clipped(model, optimizer, ids):
    loss = F.cross_entropy(model(ids).flatten(0, 1), ids.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


@both("no-update", "loss-after-the-step")
def neither_stepped_nor_before(model, optimizer, ids):
    optimizer.zero_grad()
    optimizer.step()
    loss_of(model(ids), ids).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    return loss_of(model(ids), ids).item()


@both("evaluation-mode", "summed")
def added_up_in_evaluation(model, optimizer, ids):
    model.eval()
    loss = F.cross_entropy(model(ids)[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), reduction="sum")
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item()
