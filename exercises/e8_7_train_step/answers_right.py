"""Right answers to exercise 8.7, in many styles: the checker must accept all of them."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def cleared_first(model, optimizer, ids):
    optimizer.zero_grad()
    logits = model(ids)
    loss = F.cross_entropy(logits[:, :-1].reshape(-1, logits.size(-1)), ids[:, 1:].reshape(-1))
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
    return loss


@right
def cleared_to_zeros(model, optimizer, ids):
    optimizer.zero_grad(set_to_none=False)
    loss = F.cross_entropy(model(ids)[:, :-1].transpose(1, 2), ids[:, 1:])
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=False)
    optimizer.step()
    return loss.detach()


@right
def cleared_through_the_model_at_both_ends(model, optimizer, ids):
    model.zero_grad()
    loss = -model(ids)[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None]).mean()
    loss.backward()
    nn.utils.clip_grad_norm_(list(model.parameters()), 1)
    optimizer.step()
    model.zero_grad()
    return float(loss)


@right
def only_what_comes_first_is_read(model, optimizer, ids):
    """A causal model gives the same logits where the last token is not fed."""
    inputs, targets = ids[:, :-1], ids[:, 1:]
    loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item()


@right
def in_a_closure(model, optimizer, ids):
    def closure():
        optimizer.zero_grad()
        loss = F.cross_entropy(model(ids)[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        return loss

    return optimizer.step(closure)


@right
def clipped_by_hand(model, optimizer, ids):
    loss = F.nll_loss(model(ids)[:, :-1].log_softmax(-1).flatten(0, 1), ids[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    total = sum((p.grad**2).sum() for p in model.parameters()).sqrt()
    if total > 1:
        for p in model.parameters():
            p.grad.div_(total)
    optimizer.step()
    return loss.item()


@right
def clipped_by_hand_with_a_factor(model, optimizer, ids):
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.grad = None
    loss = F.cross_entropy(model(ids)[:, :-1].permute(0, 2, 1), ids[:, 1:])
    loss.backward()
    squares = 0.0
    for parameter in model.parameters():
        squares += float(parameter.grad.square().sum())
    factor = min(1.0, 1.0 / (math.sqrt(squares) + 1e-6))
    for parameter in model.parameters():
        parameter.grad *= factor
    optimizer.step()
    return loss.item()


@right
def gradients_asked_for(model, optimizer, ids):
    parameters = list(model.parameters())
    loss = F.cross_entropy(model(ids)[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
    for parameter, gradient in zip(parameters, torch.autograd.grad(loss, parameters), strict=True):
        parameter.grad = gradient
    nn.utils.clip_grad_norm_(parameters, 1.0)
    optimizer.step()
    return loss.detach().item()


@right
def clipped_with_foreach(model, optimizer, ids):
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    optimizer.zero_grad(set_to_none=True)
    with torch.enable_grad():
        logits = model(ids)
        loss = F.cross_entropy(logits[:, :-1].flatten(end_dim=1), ids[:, 1:].flatten())
    loss.backward()
    gradients = [parameter.grad for parameter in parameters]
    total = torch.stack(torch._foreach_norm(gradients)).norm()
    torch._foreach_mul_(gradients, (1.0 / total).clamp(max=1.0).item())
    optimizer.step()
    return loss.data


@right
def a_loop_over_texts(model, optimizer, ids):
    optimizer.zero_grad()
    total = 0.0
    for text in ids:
        loss = F.cross_entropy(model(text[None])[0, :-1], text[1:]) / len(ids)
        loss.backward()
        total += loss.item()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return total
