"""train_step: the reference and its test cases; the page next to it says the rest."""

import re
from dataclasses import dataclass
from unittest.mock import patch

import torch
import torch._dynamo  # which the first optimizer would import, for a second of the time that an answer has
from torch import nn
from torch.nn.utils import clip_grad_norm_

from exercises.common.inputs import AXES, generator, normal
from feedback import ContractViolation, FunctionRunner, Property, TestCase
from feedback.format import counted, describe, number, sentence
from feedback.page_exercise import exercise
from helpers.decoder import next_token_loss


def train_step(model, optimizer, ids):
    loss = next_token_loss(model(ids), ids)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item()


VOCABULARY, WIDTH = 11, 3


class Model(nn.Module):
    """Logits from the mean of all tokens so far; in evaluation, they are half as large as in training."""

    def __init__(self, seed, times):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH, dtype=torch.float64)
        self.out = nn.Linear(WIDTH, VOCABULARY, dtype=torch.float64)
        for i, parameter in enumerate(self.parameters()):
            parameter.data = times * normal(*parameter.shape, seed=seed + i, dtype=torch.float64)

    def forward(self, ids):
        x = self.tokens(ids)  # (B, T, C)
        mean = x.cumsum(dim=1) / torch.arange(1, ids.size(1) + 1, device=x.device)[:, None]
        return self.out(mean) * (1.0 if self.training else 0.5)


class Table(nn.Module):
    """A table with the logits after each token, small enough to follow by hand."""

    def __init__(self, rows):
        super().__init__()
        self.rows = nn.Parameter(torch.tensor(rows, dtype=torch.float64))

    def forward(self, ids):
        return self.rows[ids]


@dataclass(frozen=True)
class Setting:
    """What is trained, and how.

    rows      the table of a `Table`; without it, a `Model` is built from the seed
    times     the scale of a `Model`'s parameters: up to 1, the gradients' norm is below 1; at 5 and 10, it is above
    old       whether there are gradients from an earlier backward pass
    training  the mode of the model
    kept      whether losses are kept, so that one that still holds its graph does not count
    """

    seed: int = 0
    optimizer: str = "SGD"
    rows: tuple = ()
    times: float = 1.0
    old: bool = False
    training: bool = True
    kept: bool = False

    def __deepcopy__(self, memo):
        return self  # a learner's code never gets this object

    def model(self):
        model = Table(self.rows) if self.rows else Model(self.seed, self.times)
        if self.old:
            for parameter in model.parameters():
                parameter.grad = torch.full_like(parameter, 0.25)
        return model.train(self.training)

    def optimizer_of(self, model):
        if self.optimizer == "Adam":
            return torch.optim.Adam(model.parameters(), lr=0.1)
        if self.optimizer == "SGD with momentum":
            return torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
        return torch.optim.SGD(model.parameters(), lr=1.0)

    def __repr__(self):
        what = f"a table of logits, {[list(row) for row in self.rows]}," if self.rows else "a small model"
        left = ", with gradients of an earlier backward in it" if self.old else ""
        mode = "" if self.training else ", in evaluation mode"
        return f"{what} and {self.optimizer}{left}{mode}"


def parameters_of(model):
    """Return all parameters in one row."""
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])


def losses_and_distance(case):
    """Show the first wrong loss, or else how far the parameters moved."""
    for step, (mine, right) in enumerate(zip(case.actual[0], case.expected[0], strict=True), start=1):
        if not torch.allclose(mine, right, rtol=1e-4, atol=3e-5):
            return f"the loss of step {step} should be {number(right)}; yours is {number(mine)}"
    start = parameters_of(case.args[0].model())
    mine, right = ((parameters - start).norm() for parameters in (case.actual[1], case.expected[1]))
    if number(mine) == number(right):
        return f"the parameters move by {number(right)} in all, but yours in another direction"
    return f"the parameters should move by {number(right)} in all; yours move by {number(mine)}"


def call(attempt, setting, batches):
    """Return the losses of a step on each batch, the parameters after the last step, and what `clipped` says.

    Errors: ContractViolation if a step returned something other than a number
    """
    model = setting.model()
    optimizer = setting.optimizer_of(model)
    losses, events = [], noted(model, optimizer)

    def clip(*args, **options):
        events.append("c")
        return clip_grad_norm_(*args, **options)

    with patch.object(nn.utils, "clip_grad_norm_", clip):
        for ids in batches:
            events.append(" ")
            loss = attempt(model, optimizer, ids.clone())
            holds_graph = isinstance(loss, torch.Tensor) and loss.requires_grad
            losses.append(as_number(loss) * (torch.nan if setting.kept and holds_graph else 1))
    return torch.stack(losses), parameters_of(model), clipped("".join(events))


def noted(model, optimizer):
    """Return a list that gets a "b" for each gradient in a backward pass, and an "s" for a step with a norm above 1."""
    events = []

    def after_a_step(*_):
        gradients = [parameter.grad.flatten() for parameter in model.parameters() if parameter.grad is not None]
        if gradients and torch.cat(gradients).norm() > 1.001:
            events.append("s")

    for parameter in model.parameters():
        parameter.register_hook(lambda gradient: events.append("b"))
    optimizer.register_step_post_hook(after_a_step)
    return events


def clipped(events):
    """Say when `clip_grad_norm_` ran if a step still used gradients above norm 1; each call begins with a blank."""
    if re.search("cb+s", events):
        return "too early"
    return "too late" if re.search("sc", events) else ""


def as_number(loss):
    if isinstance(loss, float) or (isinstance(loss, torch.Tensor) and loss.numel() == 1):
        return torch.as_tensor(loss, dtype=torch.float64).detach().reshape(())
    raise ContractViolation(
        "returns-none" if loss is None else "returns-wrong-type",
        f"Your code returned {describe(loss)}; the loss was expected, a single number.",
    )


def given(args):
    setting, batches = args
    steps = counted(len(batches), "step", "steps")
    return f"It was called for {steps} with {setting!r}, on ids of shape {tuple(batches[0].shape)}."


def batches(seed, b, t, steps=1):
    return tuple(torch.randint(VOCABULARY, (b, t), generator=generator(seed + i)) for i in range(steps))


def stage_of(args):
    """Judge the loss and the update first; then clipping; then what earlier steps leave behind; then the mode."""
    setting, texts = args
    if not setting.training:
        return 3
    return 2 if len(texts) > 1 or setting.old else int(setting.times > 1)


def by_hand(rows, *texts, **others):
    return Setting(rows=rows, **others), tuple(torch.tensor([ids]) for ids in texts)


def nothing_moved(case):
    stayed = torch.equal(case.actual[1], parameters_of(case.args[0].model()))
    return "The parameters are what they were before the step." if stayed else None


def differs_in(part):
    """Return a test whether the losses (part 0) or the parameters (part 1) differ from the right ones."""

    def test(case):
        return None if torch.allclose(case.actual[part], case.expected[part]) else sentence(losses_and_distance(case))

    return test


EVEN = ((0.0, 0.0), (0.0, 0.0))
SURE = ((6.0, 0.0), (0.0, 6.0))

EXERCISE = exercise(
    train_step,
    explain=losses_and_distance,
    returns=("loss", "parameters", "clipping"),
    axis_names=AXES | {3: "B", 5: "T", 7: "T", 11: "V"},
    runner=FunctionRunner(call, ("model and optimizer", "ids"), describe=given),
    stage_of=stage_of,
    cases=(
        TestCase("one step", (Setting(1), batches(1, 2, 5))),
        TestCase("one text", (Setting(11), batches(2, 1, 7))),
        TestCase("large gradients", (Setting(31, times=10.0), batches(4, 2, 5))),
        TestCase("three steps", (Setting(51), batches(6, 2, 5, steps=3))),
        TestCase("gradients of an earlier backward", (Setting(61, old=True), batches(9, 2, 5))),
        TestCase("Adam, five steps", (Setting(71, optimizer="Adam", times=5.0), batches(10, 3, 5, steps=5))),
        TestCase(
            "momentum, three steps",
            (Setting(81, optimizer="SGD with momentum", times=5.0, old=True), batches(15, 2, 7, steps=3)),
        ),
        TestCase("a model in evaluation mode", (Setting(91, training=False), batches(18, 2, 5))),
        TestCase(
            "losses that are kept",
            (Setting(1, kept=True), batches(1, 2, 5)),
            limitation="It has a limit: a loop that keeps the losses of 1,000 steps must not keep 1,000 graphs with "
            "them. `loss.item()` and `loss.detach()` let go of the graph.",
        ),
    ),
    minimal_inputs=(
        by_hand(EVEN, [0, 1]),
        by_hand(EVEN, [0, 1, 1]),
        by_hand(SURE, [0, 1]),
        by_hand(EVEN, [0, 1], [0, 1]),
        by_hand(EVEN, [0, 1], old=True),
        by_hand(EVEN, [0, 1, 0]),
        by_hand(EVEN, [0, 1], optimizer="Adam"),
    ),
    error_meanings=(
        (
            r"'float' object has no attribute 'backward'",
            "`loss.item()` is a plain number, without the graph that `backward` follows: call `backward` on the "
            "tensor.",
        ),
        (r"values to unpack", "Here `model(ids)` gives the logits (B, T, V), and nothing else."),
        (
            r"Expected target size|Expected input batch_size",
            "`F.cross_entropy` wants the classes on axis 1: transpose to (B, V, T - 1), or use `loss_of`.",
        ),
        (r"backward through the graph a second time", "`backward` was called twice on one loss. A step needs it once."),
    ),
    properties=(
        Property(
            "nothing-moved",
            nothing_moved,
            "Print `[p.grad for p in model.parameters()]` right before `optimizer.step()`. Which line should have "
            "filled them?",
        ),
        Property(
            "other-loss",
            differs_in(0),
            "Print the loss, and compare it with the mean of -log p of each next token. Which model computed it: the "
            "one before the step?",
        ),
        Property(
            "other-update",
            differs_in(1),
            "Print the gradients right before `optimizer.step()`. Are they those of this loss alone, and is their "
            "total norm at most 1?",
        ),
    ),
)
