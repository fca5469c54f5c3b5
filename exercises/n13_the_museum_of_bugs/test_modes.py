"""13.6 test_modes. Its suspects are modules with dropout, x (B, T, C) -> (B, T, C), with outputs of about 1."""

from itertools import groupby, pairwise

import torch
from torch import nn

from exercises.n13_the_museum_of_bugs.suspects import Suspects
from feedback.format import number
from helpers import require


def test_modes(module):
    """Evaluation is repeatable and drops nothing; training drops other numbers in each call, and keeps the mean.

    Shapes: module takes x (B, T, C) to (B, T, C)
    """
    x = torch.randn(1, 1, 4).expand(10000, 1, 4)  # equal items, in which other numbers are dropped
    still = module.eval()(x)
    assert (module(x) - still).abs().max() < 1e-4, "two calls in evaluation differ"
    for _ in range(2):  # back and forth
        module.train()
        outs = [module(x) for _ in range(3)]
        for one, other in (outs[:2], outs[1:]):
            assert (one - other).abs().max() > 1e-2, "two calls in training are alike"
        mean = torch.stack(outs).mean((0, 1))  # (1, 4), of 30,000 draws
        assert (mean - still[0]).abs().max() < 0.05, "the mean in training is not what evaluation gives"
        module.eval()
        for _ in range(2):
            assert (module(x) - still).abs().max() < 1e-4, "evaluation changes after training"


# ---------------------------------------------------------------- what a test gives to a suspect


def module(suspect, x):
    """Check the argument of a call of a suspect; return its mode, the number of items, and whether gradients are on."""
    require.shape(x, "B T C")
    return suspect.training, len(x), torch.is_grad_enabled()


def never_evaluates(calls):
    return all(training for training, _, _ in calls)


def never_trains(calls):
    return not any(training for training, _, _ in calls)


def never_back(calls):
    """Return whether the calls never go back to an earlier mode."""
    return len(list(groupby(training for training, _, _ in calls))) <= 2


def two_calls(calls):
    return all(len(list(each)) <= 2 for training, each in groupby(training for training, _, _ in calls) if training)


def few_draws(calls):
    return 0 < sum(items for training, items, _ in calls if training) < 1000


def without_gradients(calls):
    return not any(gradients for training, _, gradients in calls if not training)


# ---------------------------------------------------------------- what suspects are made of


class Dropping(nn.Module):
    """The class of all suspects, which get their behavior as arguments.

    forward(m, x)    returns the output
    switched(m, on)  is called after the mode is set
    begins_training  the mode in which a test gets the module
    one              a parameter by which outputs are divided
    state            what a suspect remembers
    """

    def __init__(self, forward, switched=None, begins_training=True, one=1):
        super().__init__()
        self._functions, self.state, self._one = (forward, None), {}, (one,)
        self.train(begins_training)
        self._functions = forward, switched

    def train(self, mode=True):
        super().train(mode)
        if self._functions[1] is not None:
            self._functions[1](self, mode)
        return self

    def forward(self, x):
        return self._functions[0](self, x) / self._one[0]


def hidden(x):
    """Return what dropout is applied to: about 1 for any x."""
    return 1 + 0.1 * torch.sin(x)


def kept(y, share, seed):
    """Return a mask that keeps this share of y, the same in every call."""
    return torch.rand(y.shape, generator=torch.Generator().manual_seed(seed)) < share


# ---------------------------------------------------------------- what shows a bug

X = torch.zeros(1, 1, 4)  # if nothing is dropped, all outputs are near 1
BEGIN = f"For x = zeros of shape {tuple(X.shape)}"


def row(out):
    return "[" + ", ".join(number(value) for value in out.detach()[0, 0]) + "]"


def evaluated_twice(m):
    m.eval()
    calls = [m(X) for _ in range(40)]
    one, other = next((pair for pair in pairwise(calls) if not torch.equal(*pair)), calls[:2])
    return f"{BEGIN}, two calls in evaluation give {row(one)} and {row(other)}"


def trained_twice(m):
    m.train()
    return f"{BEGIN}, two calls in training give {row(m(X))} and {row(m(X))}"


def on_average(m):
    """Show the mean of many draws, next to evaluation."""
    mean = m.train()(X.expand(10000, 1, 4)).mean(0, keepdim=True)
    return f"{BEGIN}, the mean of 10,000 draws in training is {row(mean)}, and evaluation gives {row(m.eval()(X))}"


def evaluated_again(m):
    before = row(m.eval()(X))
    m.train()(X)
    return f"{BEGIN}, evaluation gives {before}, and, after a call in training, {row(m.eval()(X))}"


def trained_three_times(m):
    m.train()
    return f"{BEGIN}, three calls in training give {row(m(X))}, {row(m(X))} and {row(m(X))}"


def with_and_without_gradients(m):
    m.eval()
    with torch.enable_grad():
        dropped = row(m(X))
    return f"{BEGIN}, evaluation gives {dropped} with gradients, and {row(m(X))} inside `no_grad`"


def trained_again(m):
    m.eval()(X)
    one, other = m.train()(X), m(X)
    return f"{BEGIN}, after evaluation, two calls in training give {row(one)} and {row(other)}"


SUSPECTS = Suspects(test_modes, takes=module)
EXERCISE = SUSPECTS.exercise()
