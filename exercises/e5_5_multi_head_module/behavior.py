"""What is tried with a learner's MultiHeadAttention itself: how it draws, what it keeps, and whether it can learn."""

import contextlib
from dataclasses import replace
from functools import cache

import torch

from exercises.common.devices import Moved, is_moved
from exercises.common.dropout.behavior import decided_by_one_draw, decided_without_p, repeats_in_evaluation
from exercises.common.gradients import first_wrong, gradients_of, unreached
from exercises.common.heads.behavior import behavioral_tests
from exercises.common.heads.inputs import D, random_layers
from exercises.common.inputs import B, H, S, T, normal, some_hidden
from exercises.e5_5_multi_head_module.reference import MultiHeadAttention
from exercises.e5_5_multi_head_module.runner import apply, built
from feedback import BehavioralTest
from feedback.format import listed

WIDTH = H * D
LAYERS = random_layers(WIDTH, 120)
X, CONTEXT = normal(B, T, WIDTH, seed=121), normal(B, S, WIDTH, seed=122)
MASK = some_hidden(T, S)
LONG = normal(B, 32, WIDTH, seed=123)
NOISE = 1e-5  # the gradient of k_proj.bias is nothing but rounding: it adds the same to each score of a row


def ask(attempt, x, context, layers):
    return apply(built(attempt, layers, H), x)


# ---------------------------------------------------------------- drawing


def attend_in_training(attempt, generator, p=0.4):
    """(out, weights) of a new module; nn.Dropout takes no generator."""
    return built(attempt, LAYERS, H, p).train()(LONG)


def zero_weights(pair):
    return pair[1] == 0


def keeps_all_in_evaluation(attempt):
    """Otherwise dropout is not what makes weights 0."""
    return not zero_weights(built(attempt, LAYERS, H, 0.4)(LONG)).any()


def zeroes_the_same(attempt):
    module = built(attempt, LAYERS, H, 0.5).train()
    first, second = (module(LONG)[1] == 0 for _ in range(2))
    if torch.equal(first, second):
        return "Called twice in training, your module zeroed the same weights both times."
    return None


def drops_unasked(attempt):
    """Without the argument dropout, training is as evaluation."""
    module = built(attempt, LAYERS, H)
    if torch.equal(module(X)[1], module.train()(X)[1]):
        return None
    return (
        f"Built as {attempt.__name__}(d_model, num_heads), without dropout, your module gives other weights in "
        "training than in evaluation: its dropout is not 0."
    )


# ---------------------------------------------------------------- remembering, learning, moving


USED_AGAIN = {"a longer sequence": (CONTEXT,), "a context": (X, CONTEXT)}


@cache
def right_again(name):
    """What a module gives that remembers nothing."""
    return built(MultiHeadAttention, LAYERS, H)(*USED_AGAIN[name])[0]


def remembers(attempt):
    """One module in evaluation, in training, and then on a longer sequence and with a context."""
    module = built(attempt, LAYERS, H, 0.5)
    module(X)
    module.train()(X[:1], CONTEXT[:1], MASK)
    module.eval()
    for name, inputs in USED_AGAIN.items():
        got, expected = module(*inputs)[0], right_again(name)
        if got.shape != expected.shape or not torch.allclose(got, expected, rtol=1e-3, atol=1e-4):
            return (
                "Used in evaluation, then in training, then in evaluation again, your module gives wrong numbers for "
                f"{name}: it remembers something."
            )
    return None


def gradients(attempt, training):
    """{name: gradient} of a weighted sum of out: for x, context and the parameters of the four layers."""
    module = built(attempt, LAYERS, H, 0.25 if training else 0.0).train(training)
    x, context = X.clone().requires_grad_(), CONTEXT.clone().requires_grad_()
    out = apply(module, x, context, MASK)[0]
    return gradients_of(out, {"x": x, "context": context, **dict(module.named_parameters())}, seed=124)


@cache
def right_gradients():
    right = gradients(MultiHeadAttention, False)
    return {name: value for name, value in right.items() if value.abs().max() > NOISE}


def does_not_learn(attempt):
    wanted = right_gradients()
    for training in (False, True):
        given = gradients(attempt, training)
        wrong = unreached(given, wanted, f"in {'training' if training else 'evaluation'}, with a context, ")
        wrong = wrong or (None if training else first_wrong(given, wanted))
        if wrong:
            return wrong
    return None


def stays_on_the_cpu(attempt):
    """Where module and inputs are moved, what forward makes on the CPU does not go along, with a mask or without."""
    module, inputs = attempt(WIDTH, H, 0.1).train(), [z.clone() for z in (X, CONTEXT, MASK)]
    found = ()
    with contextlib.suppress(Exception), Moved(*inputs, *module.parameters(), *module.buffers()) as device:
        found = module(*inputs)
        module(inputs[0])
    names = [name for name, z in zip(("out", "weights"), found, strict=False) if not is_moved(z)]
    if not device.met and not names:
        return None
    where = f", and {listed(names)} came back on the CPU" if names else ""
    return (
        "The numbers are right, but when the module and its inputs were moved to another device, forward made a tensor "
        f"on the CPU{where}. On a GPU the two cannot meet."
    )


def used_again(id, test, hint, while_doing="used again,"):
    return BehavioralTest(id, test, hint, required=True, while_doing=while_doing)


MIXED = ("items-mixed", "positions-mixed")  # before the properties: out cannot be compared with weights that are mixed

TESTS = (
    repeats_in_evaluation(
        lambda attempt: built(attempt, LAYERS, H, 0.4)(X)[1],
        "`nn.Dropout`, made in `__init__`, looks at the mode by itself; `F.dropout` must be given `self.training`.",
    ),
    decided_by_one_draw(attend_in_training, zero_weights, "dropout", keeps_all_in_evaluation),
    decided_without_p(
        attend_in_training,
        zero_weights,
        "dropout",
        "The probability comes from outside: which number is your dropout layer given?",
        keeps_all_in_evaluation,
    ),
    *(replace(test, early=test.id in MIXED) for test in behavioral_tests(ask, MultiHeadAttention, self_attention=True)),
    used_again(
        "remembers",
        remembers,
        "forward should change nothing on self that a later call uses, and leave its layers as they are.",
        "used again, in training and on other lengths,",
    ),
    used_again(
        "dropout-by-default",
        drops_unasked,
        "The default is part of the signature: `def __init__(self, d_model, num_heads, dropout=0.0)`.",
        "built without dropout,",
    ),
    used_again(
        "same-zeros",
        zeroes_the_same,
        "Every call draws new numbers: make the draw in forward, and seed nothing.",
        "called twice in training,",
    ),
    used_again(
        "no-gradients",
        does_not_learn,
        "Use the layers themselves, and no detach, `.data`, numpy or `no_grad` on the way to out.",
        "in the backward pass",
    ),
    used_again(
        "stays-on-the-cpu",
        stays_on_the_cpu,
        "A new tensor is made where x is: with `device=x.device`, or from a tensor that is there, as `zeros_like` "
        "does.",
        "on another device,",
    ),
)
