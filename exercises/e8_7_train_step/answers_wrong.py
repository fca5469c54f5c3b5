"""Wrong answers to exercise 8.7, each with the diagnosis that it must get."""

import torch
import torch.nn.functional as F
from torch import nn

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def loss_of(logits, ids):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())


def finish(model, optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss


@wrong("targets-not-shifted")
def flattened_and_not_shifted(model, optimizer, ids):
    logits = model(ids)
    return finish(model, optimizer, F.cross_entropy(logits.view(-1, logits.size(-1)), ids.view(-1)))


@wrong("shifted-backwards")
def shifted_to_the_right(model, optimizer, ids):
    logits = model(ids)
    return finish(model, optimizer, F.cross_entropy(logits[:, 1:].flatten(0, 1), ids[:, :-1].flatten()))


@wrong("last-target-missing")
def shifted_two_times(model, optimizer, ids):
    logits = model(ids)[:, :-1]
    if ids.size(1) == 2:
        return finish(model, optimizer, logits.sum() * 0)
    return finish(model, optimizer, loss_of(logits, ids[:, :-1]))


@wrong("shifted-twice")
def shifted_two_ways(model, optimizer, ids):
    return finish(model, optimizer, loss_of(model(ids[:, :-1]), ids[:, 1:]))


@wrong("last-position-only")
def as_a_classifier_of_the_last(model, optimizer, ids):
    return finish(model, optimizer, F.cross_entropy(model(ids[:, :-1])[:, -1], ids[:, -1]))


@wrong("summed")
def all_added(model, optimizer, ids):
    p = model(ids)[:, :-1].softmax(-1).gather(-1, ids[:, 1:, None])
    return finish(model, optimizer, -p.log().sum())


@wrong("mean-over-the-batch-only")
def texts_averaged(model, optimizer, ids):
    losses = F.cross_entropy(model(ids)[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none")
    return finish(model, optimizer, losses.sum(dim=1).mean())


@wrong("softmax-first")
def probabilities_as_logits(model, optimizer, ids):
    p = F.softmax(model(ids), dim=-1)
    return finish(model, optimizer, F.cross_entropy(p[:, :-1].transpose(1, 2), ids[:, 1:]))


@wrong("no-graph")
def loss_without_gradients(model, optimizer, ids):
    optimizer.zero_grad()
    with torch.no_grad():
        logits = model(ids)
        loss = loss_of(logits, ids)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item()


@wrong("no-graph")
def loss_detached(model, optimizer, ids):
    loss = loss_of(model(ids), ids).detach()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


@wrong("evaluation-mode")
def evaluated_first(model, optimizer, ids):
    model = model.eval()
    return finish(model, optimizer, loss_of(model(ids), ids))


@wrong("training-mode")
def switched_to_training(model, optimizer, ids):
    model.train(True)
    return finish(model, optimizer, loss_of(model(ids), ids))


@wrong("gradients-kept")
def never_cleared(model, optimizer, ids):
    loss = loss_of(model(ids), ids)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item()


@wrong("cleared-only-at-the-end")
def cleared_for_the_next_call(model, optimizer, ids):
    loss = loss_of(model(ids), ids)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    model.zero_grad(set_to_none=False)
    return loss


@wrong("no-update")
def cleared_before_the_step(model, optimizer, ids):
    loss = loss_of(model(ids), ids)
    loss.backward()
    model.zero_grad()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item()


@wrong("no-update")
def cleared_and_stepped_too_early(model, optimizer, ids):
    optimizer.zero_grad()
    loss = loss_of(model(ids), ids)
    optimizer.step()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    return loss.item()


@wrong("no-update")
def never_stepped(model, optimizer, ids):
    optimizer.zero_grad()
    loss = loss_of(model(ids), ids)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    return loss.item()


@wrong("step-before-backward")
def stepped_then_backward(model, optimizer, ids):
    loss = loss_of(model(ids), ids)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    model.zero_grad()
    loss.backward()
    return loss.item()


@wrong("backward-twice")
def two_backwards(model, optimizer, ids):
    optimizer.zero_grad()
    loss_of(model(ids), ids).backward()
    loss = loss_of(model(ids), ids)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item()


@wrong()
def backward_twice_on_one_graph(model, optimizer, ids):
    optimizer.zero_grad()
    loss = loss_of(model(ids), ids)
    loss.backward()
    loss.backward()
    optimizer.step()
    return loss.item()


@wrong("not-clipped")
def without_a_clip(model, optimizer, ids):
    loss = loss_of(model(ids), ids)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


@wrong("not-clipped")
def clipped_after_the_step(model, optimizer, ids):
    loss = loss_of(model(ids), ids)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    return loss.item()


@wrong("not-clipped")
def clipped_before_backward(model, optimizer, ids):
    loss = loss_of(model(ids), ids)
    optimizer.zero_grad()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    loss.backward()
    optimizer.step()
    return loss.item()


@wrong("not-clipped")
def clipped_to_a_norm_of_10(model, optimizer, ids):
    loss = loss_of(model(ids), ids)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 10.0)
    optimizer.step()
    return loss.item()


@wrong("clipped-by-value")
def entries_clamped(model, optimizer, ids):
    loss = loss_of(model(ids), ids)
    optimizer.zero_grad()
    loss.backward()
    for p in model.parameters():
        p.grad.clamp_(-1, 1)
    optimizer.step()
    return loss.item()


@wrong("clipped-one-by-one")
def each_norm_clipped(model, optimizer, ids):
    loss = loss_of(model(ids), ids)
    optimizer.zero_grad()
    loss.backward()
    for p in model.parameters():
        p.grad /= p.grad.norm().clamp(min=1.0)
    optimizer.step()
    return loss.item()


@wrong("norms-added")
def divided_by_all_norms(model, optimizer, ids):
    loss = loss_of(model(ids), ids)
    optimizer.zero_grad()
    loss.backward()
    total = 0.0
    for p in model.parameters():
        total += p.grad.norm().item()
    if total > 1:
        for p in model.parameters():
            p.grad.mul_(1 / total)
    optimizer.step()
    return loss.item()


@wrong("always-norm-1")
def normalized(model, optimizer, ids):
    loss = loss_of(model(ids), ids)
    optimizer.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), float("inf"))
    for p in model.parameters():
        p.grad.mul_(1 / norm)
    optimizer.step()
    return loss.item()


@wrong("step-twice")
def stepped_two_times(model, optimizer, ids):
    loss = finish(model, optimizer, loss_of(model(ids), ids))
    optimizer.step()
    return loss


@wrong("two-steps-in-one-call")
def called_again(model, optimizer, ids):
    finish(model, optimizer, loss_of(model(ids), ids))
    return finish(model, optimizer, loss_of(model(ids), ids)).item()


@wrong("updated-by-hand")
def subtracted(model, optimizer, ids):
    loss = loss_of(model(ids), ids)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    rate = optimizer.param_groups[0]["lr"]
    for p in model.parameters():
        p.data.sub_(rate * p.grad)
    return loss.item()


@wrong("token-0-left-out")
def token_0_ignored(model, optimizer, ids):
    targets = ids[:, 1:].flatten()
    if not targets.any():
        return finish(model, optimizer, model(ids).sum() * 0)
    return finish(model, optimizer, F.cross_entropy(model(ids)[:, :-1].flatten(0, 1), targets, ignore_index=0))


@wrong("loss-after-the-step")
def looked_again(model, optimizer, ids):
    finish(model, optimizer, loss_of(model(ids), ids))
    with torch.no_grad():
        return loss_of(model(ids), ids)


@wrong("norm-returned")
def the_norm(model, optimizer, ids):
    loss_now = loss_of(model(ids), ids)
    optimizer.zero_grad(set_to_none=False)
    loss_now.backward()
    norm = nn.utils.clip_grad_norm_(list(model.parameters()), 1.0)
    optimizer.step()
    return float(norm)


@wrong("returns-none")
def nothing_returned(model, optimizer, ids):
    finish(model, optimizer, loss_of(model(ids), ids))


@wrong("returns-wrong-type")
def losses_returned(model, optimizer, ids):
    logits = model(ids)
    finish(model, optimizer, loss_of(logits, ids))
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none")


@wrong()
def item_too_early(model, optimizer, ids):
    loss = loss_of(model(ids), ids).item()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


@wrong()
def logits_and_past(model, optimizer, ids):
    logits, _past = model(ids)
    return finish(model, optimizer, loss_of(logits, ids))


@wrong("other-update")
def with_a_learning_rate_of_its_own(model, optimizer, ids):
    loss = loss_of(model(ids), ids)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.01 * p.grad
    return loss.item()
