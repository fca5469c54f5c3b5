"""Exercise 8.7: train_step."""

import torch

from exercises.common.inputs import AXES, generator
from exercises.e8_7_train_step.misconceptions import known, told
from exercises.e8_7_train_step.model import Setting, parameters_of
from exercises.e8_7_train_step.reference import train_step
from feedback import ContractViolation, Exercise, FunctionRunner, Property, TestCase
from feedback.format import counted, describe, sentence


def call(attempt, setting, batches):
    """The losses that came back from a step on each batch, and the parameters after the last one.

    Errors: ContractViolation if something other than a number came back
    """
    model = setting.model()
    optimizer = setting.optimizer_of(model)
    losses = [as_number(attempt(model, optimizer, ids.clone())) for ids in batches]
    return torch.stack(losses), parameters_of(model)


def as_number(loss):
    if loss is None:
        raise ContractViolation("returns-none", "Your code returned None; the loss was expected, a single number.")
    if isinstance(loss, torch.Tensor) and loss.numel() == 1:
        return loss.detach().double().reshape(())
    if isinstance(loss, float):
        return torch.tensor(loss, dtype=torch.float64)
    raise ContractViolation(
        "returns-wrong-type", f"Your code returned {describe(loss)}; the loss was expected, a single number."
    )


def given(args):
    setting, batches = args
    steps = counted(len(batches), "step", "steps")
    return f"It was called for {steps} with {setting!r}, on ids of shape {tuple(batches[0].shape)}."


def batches(seed, b, t, steps=1, vocabulary=11):
    return tuple(torch.randint(vocabulary, (b, t), generator=generator(seed + i)) for i in range(steps))


def stage_of(args):
    """The loss and the update; then clipping; then what earlier steps leave behind; then the mode."""
    setting, texts = args
    if not setting.training:
        return 3
    return 2 if len(texts) > 1 or setting.old else int(setting.times > 1)


def by_hand(rows, *texts, **others):
    return Setting(rows=rows, **others), tuple(torch.tensor([ids]) for ids in texts)


def parameters_stay(case):
    setting, _ = case.args
    if not torch.equal(case.actual[1], parameters_of(setting.model())):
        return None
    return "The parameters are what they were before the step."


def other_losses(case):
    return None if torch.allclose(case.actual[0], case.expected[0]) else sentence(told(case))


def other_parameters(case):
    return None if torch.allclose(case.actual[1], case.expected[1]) else sentence(told(case))


EVEN = ((0.0, 0.0), (0.0, 0.0))
SURE = ((6.0, 0.0), (0.0, 6.0))

EXERCISE = Exercise(
    minutes=8,
    difficulty=2,
    gives="the loss on ids (B, T) before the step, a number; the optimizer has then made one step with the gradients "
    "of this loss alone, clipped to a total norm of 1",
    reference=train_step,
    returns=("loss", "parameters"),
    axis_names=AXES | {3: "B", 5: "T", 7: "T", 11: "V"},
    runner=FunctionRunner(call, ("model and optimizer", "ids"), describe=given),
    stage_of=stage_of,
    cases=(
        TestCase("one step", (Setting(1), batches(1, 2, 5))),
        TestCase("one text", (Setting(11), batches(2, 1, 7))),
        TestCase("two tokens each", (Setting(21), batches(3, 3, 2))),
        TestCase("large gradients", (Setting(31, times=5.0), batches(4, 2, 5))),
        TestCase("large gradients, Adam", (Setting(41, optimizer="Adam", times=5.0), batches(5, 3, 7))),
        TestCase("three steps", (Setting(51), batches(6, 2, 5, steps=3))),
        TestCase("gradients of an earlier backward", (Setting(61, old=True), batches(9, 2, 5))),
        TestCase("Adam, five steps", (Setting(71, optimizer="Adam", times=5.0), batches(10, 3, 5, steps=5))),
        TestCase(
            "momentum, three steps",
            (Setting(81, optimizer="SGD with momentum", times=5.0, old=True), batches(15, 2, 7, steps=3)),
        ),
        TestCase("a model in evaluation mode", (Setting(91, training=False), batches(18, 2, 5))),
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
    misconceptions=known,
    error_meanings=(
        (
            r"'float' object has no attribute 'backward'",
            "`loss.item()` is a plain number, without the graph that `backward` follows: call `backward` on the "
            "tensor.",
        ),
        (
            r"values to unpack",
            "Here `model(ids)` gives the logits (B, T, V), and nothing else.",
        ),
        (
            r"logits must be a tensor of floats",
            "The logits (B, T, V) come first in `loss_of(logits, ids)`, and `model(ids)` gives nothing else: no past.",
        ),
        (
            r"need ids \(B, T\) with T of at least 2",
            "A text of two tokens lost one before it came to the loss, which shifts the ids itself.",
        ),
        (
            r"Expected target size|Expected input batch_size",
            "`F.cross_entropy` wants the classes on axis 1: transpose to (B, V, T - 1), or use `loss_of`.",
        ),
        (
            r"backward through the graph a second time",
            "`backward` was called twice on one loss. A step needs it once.",
        ),
    ),
    hints=(
        "`backward` adds to the gradients that it finds, and `step` uses those that are there. What must have happened "
        "before each of the two?",
        "Between which two lines do the gradients of this loss exist, and have not been used yet? Only there can they "
        "be clipped.",
        "You need `optimizer.zero_grad()`, `loss.backward()`, `nn.utils.clip_grad_norm_(model.parameters(), 1.0)` and "
        "`optimizer.step()`, each once. In which order? And was the loss that you return computed before the update?",
    ),
    properties=(
        Property(
            "nothing-moved",
            parameters_stay,
            "Print `[p.grad for p in model.parameters()]` right before `optimizer.step()`. Which line should have "
            "filled them?",
        ),
        Property(
            "other-loss",
            other_losses,
            "Print the loss, and compare it with the mean of -log p of each next token. Which model computed it: the "
            "one before the step?",
        ),
        Property(
            "other-update",
            other_parameters,
            "Print the gradients right before `optimizer.step()`. Are they those of this loss alone, and is their "
            "total norm at most 1?",
        ),
    ),
    when_correct="Every model in this notebook is trained with these few lines, and so are the large ones.",
)
