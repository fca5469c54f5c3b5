"""What people get wrong in exercise 8.7, train_step.

A step computes a loss, clears the gradients, goes backward, clips, updates, and returns the loss.
"""

import torch
import torch.nn.functional as F
from torch import nn

from exercises.e8_7_train_step.model import parameters_of
from feedback import Misconceptions
from feedback.format import number
from helpers.decoder import next_token_loss


def loss_before(model, ids):
    """The right step `loss`."""
    return next_token_loss(model(ids), ids)


def gradients(model, optimizer, loss):
    """The right step `backward`: what is in `.grad` afterwards comes from this loss alone."""
    optimizer.zero_grad()
    loss.backward()


def to_norm_1(model):
    """The right step `clip`."""
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)


def once(optimizer):
    """The right step `update`."""
    optimizer.step()


def of_before(loss, model, ids):
    """The right step `give`."""
    return loss.item()


def assemble(loss=loss_before, backward=gradients, clip=to_norm_1, update=once, give=of_before):
    """An answer, from its steps."""

    def train_step(model, optimizer, ids):
        found = loss(model, ids)
        backward(model, optimizer, found)
        clip(model)
        update(optimizer)
        return give(found, model, ids)

    return train_step


known = Misconceptions(assemble)


def told(case):
    """The first loss that is not right, or else how far the parameters moved."""
    for step, (mine, right) in enumerate(zip(case.actual[0], case.expected[0], strict=True), start=1):
        if not torch.allclose(mine, right, rtol=1e-4, atol=3e-5):
            return f"the loss of step {step} should be {number(right)}; yours is {number(mine)}"
    start = parameters_of(case.args[0].model())
    mine, right = ((parameters - start).norm() for parameters in (case.actual[1], case.expected[1]))
    if number(mine) == number(right):
        return f"the parameters move by {number(right)} in all, but yours in another direction"
    return f"the parameters should move by {number(right)} in all; yours move by {number(mine)}"


def mistake(id, means, hint, step=None, raised_in=""):
    return known(id, means=means, hint=hint, explain=told, step=step, raised_in=raised_in)


# ---------------------------------------------------------------- the loss


@mistake(
    "targets-not-shifted",
    "Each position was scored on the token that it has just read, not on the next one.",
    "`loss_of(logits, ids)` pairs the logits at t with the token at t + 1. What do you pair them with?",
    step="loss",
)
def of_the_same_token(model, ids):
    return F.cross_entropy(model(ids).transpose(1, 2), ids)


@mistake(
    "shifted-backwards",
    "The logits at each position were scored on the token before it, which the model has read already.",
    "Of the logits the last position has no partner, and of ids the first. Which ones did you leave out?",
    step="loss",
)
def of_the_token_before(model, ids):
    return F.cross_entropy(model(ids)[:, 1:].transpose(1, 2), ids[:, :-1])


@mistake(
    "last-target-missing",
    "The last token of each text was neither read nor predicted.",
    "The loss itself leaves out the last position of the logits. How many predictions does a text of T tokens hold, "
    "and how many do you score?",
    step="loss",
)
def of_all_but_the_last(model, ids):
    return next_token_loss(model(ids[:, :-1]), ids[:, :-1]) if ids.size(1) > 2 else 0 * model(ids).sum()


@mistake(
    "shifted-twice",
    "The targets were shifted twice: each position was scored on the token after the next one.",
    "`loss_of` shifts the ids itself. Which logits and which ids does it get from you?",
    step="loss",
)
def of_the_next_but_one(model, ids):
    logits = model(ids)
    return F.cross_entropy(logits[:, :-2].flatten(0, 1), ids[:, 2:].flatten())


@mistake(
    "last-position-only",
    "Only the last token of each text was predicted.",
    "Each of the first T - 1 positions predicts a token. Which of them do you use?",
    step="loss",
)
def of_the_last_token(model, ids):
    return F.cross_entropy(model(ids)[:, -2], ids[:, -1])


@mistake(
    "summed",
    "The losses of all predictions were added, not averaged: the gradient grows with the size of the batch.",
    "Divide by the number of predictions in the batch.",
    step="loss",
)
def sum_of_all(model, ids):
    return F.cross_entropy(model(ids)[:, :-1].transpose(1, 2), ids[:, 1:], reduction="sum")


@mistake(
    "mean-over-the-batch-only",
    "The losses of each text were added, and only the texts averaged: the gradient grows with their length.",
    "The mean runs over all B * (T - 1) predictions.",
    step="loss",
)
def mean_of_sums(model, ids):
    return sum_of_all(model, ids) / len(ids)


@mistake(
    "softmax-first",
    "A softmax was applied before the cross-entropy, which contains one.",
    "`F.cross_entropy` takes logits. What does a second softmax do to them?",
    step="loss",
)
def of_probabilities(model, ids):
    return next_token_loss(model(ids).softmax(dim=-1), ids)


@mistake(
    "no-graph",
    "The loss has no graph: it was computed without gradients, under `torch.no_grad()` for example, or detached.",
    "`backward` retraces the computation of the loss. Was it recorded?",
    step="loss",
    raised_in=r"backward|grad\(",
)
def without_a_graph(model, ids):
    with torch.no_grad():
        return next_token_loss(model(ids), ids)


@mistake(
    "token-0-left-out",
    "Token 0 was left out of the loss, as if it were padding.",
    "The third argument of `loss_of` is the id of the padding, which these texts do not have. Do you pass one?",
    step="loss",
)
def of_all_but_token_0(model, ids):
    return next_token_loss(model(ids), ids, 0) if ids[:, 1:].any() else 0 * model(ids).sum()


@mistake(
    "evaluation-mode",
    "The step put the model into evaluation mode: dropout would be off while it learns.",
    "Whoever calls the step decides on the mode. Which line changes it?",
    step="loss",
)
def in_evaluation(model, ids):
    model.eval()
    return next_token_loss(model(ids), ids)


@mistake(
    "training-mode",
    "The step put the model into training mode, although it was handed over in evaluation mode.",
    "Whoever calls the step decides on the mode. Which line changes it?",
    step="loss",
)
def in_training(model, ids):
    model.train()
    return next_token_loss(model(ids), ids)


# ---------------------------------------------------------------- gradients


@mistake(
    "gradients-kept",
    "Gradients were never cleared: each step adds to those of all steps before it.",
    "`backward` adds to `.grad`. When does `.grad` become empty again?",
    step="backward",
)
def added_up(model, optimizer, loss):
    loss.backward()


@mistake(
    "cleared-only-at-the-end",
    "Gradients were cleared after the update, but not before `backward`: those that are there when the function is "
    "called still count.",
    "An earlier `backward`, of another loss, may have left gradients. Where must they be cleared?",
)
def cleared_afterwards(model, optimizer, ids):
    loss = loss_before(model, ids)
    loss.backward()
    to_norm_1(model)
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


@mistake(
    "no-update",
    "The parameters did not change. Either no step was taken, or there were no gradients when it was: they came only "
    "later, or had been cleared again.",
    "`step` moves each parameter along what it finds in `.grad`. Which line fills it, and does anything empty it in "
    "between?",
)
def cleared_too_late(model, optimizer, ids):
    loss = loss_before(model, ids)
    loss.backward()
    to_norm_1(model)
    optimizer.zero_grad()
    optimizer.step()
    return loss.item()


@mistake(
    "step-before-backward",
    "The update came before `backward`: it used the gradients of the call before.",
    "`step` uses what is in `.grad` when it runs. Which line fills it for this batch?",
)
def one_call_late(model, optimizer, ids):
    loss = loss_before(model, ids)
    optimizer.step()
    optimizer.zero_grad()
    loss.backward()
    to_norm_1(model)
    return loss.item()


@mistake(
    "backward-twice",
    "`backward` ran twice before the update, and the second gradients were added to the first.",
    "One loss needs one `backward`.",
    step="backward",
)
def backward_twice(model, optimizer, loss):
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    loss.backward()


# ---------------------------------------------------------------- clipping


@mistake(
    "not-clipped",
    "The update used gradients that were not clipped, or to a larger norm: nothing clips them, or it does so when they "
    "are not there yet or have been used already, or it allows a norm above 1.",
    "Clipping changes `.grad` in place. When must it run, so that `step` sees the change?",
    step="clip",
)
def as_they_are(model):
    pass


@mistake(
    "clipped-by-value",
    "Each entry of the gradients was cut to at most 1, which changes their direction and lets the total norm exceed 1.",
    "The norm of all gradients together is to be at most 1; then they are all scaled by one factor.",
    step="clip",
)
def by_value(model):
    nn.utils.clip_grad_value_(model.parameters(), 1.0)


@mistake(
    "clipped-one-by-one",
    "The gradients of each parameter were clipped by themselves, so together they may have a norm above 1.",
    "`clip_grad_norm_` takes all parameters at once. How often is it called in your code?",
    step="clip",
)
def one_by_one(model):
    for parameter in model.parameters():
        nn.utils.clip_grad_norm_(parameter, 1.0)


@mistake(
    "norms-added",
    "The norms of the parameters were added to a total norm, which comes out too large: gradients are cut too much.",
    "The total norm is that of one long vector: the square root of a sum of squares.",
    step="clip",
)
def by_the_sum_of_norms(model):
    total = sum(parameter.grad.norm() for parameter in model.parameters())
    for parameter in model.parameters():
        parameter.grad /= max(total, 1.0)


@mistake(
    "always-norm-1",
    "The gradients were scaled to the norm 1 in any case; smaller ones were made larger.",
    "Clipping leaves gradients alone whose norm is at most 1.",
    step="clip",
)
def scaled_in_any_case(model):
    total = torch.cat([parameter.grad.flatten() for parameter in model.parameters()]).norm()
    for parameter in model.parameters():
        parameter.grad /= total


# ---------------------------------------------------------------- update and result


@mistake(
    "step-twice",
    "The optimizer made two steps with the same gradients.",
    "Count the calls of `step`.",
    step="update",
)
def twice(optimizer):
    optimizer.step()
    optimizer.step()


@mistake(
    "two-steps-in-one-call",
    "One call made two steps, each with gradients of its own, and returned the loss of the second.",
    "Whoever calls the function repeats the step. What in your code repeats it as well?",
)
def twice_in_a_loop(model, optimizer, ids):
    for _ in range(2):
        loss = loss_before(model, ids)
        gradients(model, optimizer, loss)
        to_norm_1(model)
        optimizer.step()
    return loss.item()


@mistake(
    "updated-by-hand",
    "The parameters were changed by hand; the optimizer was never asked to step.",
    "An optimizer such as Adam does more than subtract gradients. Which of its methods makes the update?",
    step="update",
)
def learning_rate_times_gradient(optimizer):
    with torch.no_grad():
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                parameter -= group["lr"] * parameter.grad


@mistake(
    "loss-after-the-step",
    "The loss that came back is that of the model after the update; the one before it was asked for.",
    "The update was computed from a loss. Is that the one that you return?",
    step="give",
)
def of_after(loss, model, ids):
    return loss_before(model, ids).item()


@mistake(
    "norm-returned",
    "The norm of the gradients came back, not the loss.",
    "`clip_grad_norm_` returns the total norm before clipping. What does your last line return?",
)
def norm_in_place_of_the_loss(model, optimizer, ids):
    gradients(model, optimizer, loss_before(model, ids))
    total = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return total
