"""Small models to compare: their children are steps that can be followed by hand."""

import torch
from torch import nn

from exercises.common.inputs import normal


class Step(nn.Module):
    """times * z + plus; each is a number, or one for each feature."""

    def __init__(self, times=1.0, plus=0.0):
        super().__init__()
        self.times, self.plus = (nn.Parameter(torch.as_tensor(value).float()) for value in (times, plus))

    def forward(self, z):
        return self.times * z + self.plus

    def __repr__(self):
        if self.times.dim() or self.plus.dim():
            return "a step"
        times, plus = self.times.item(), self.plus.item()
        first = {1.0: "z", 0.0: "0"}.get(times, f"{times:.7g}z")
        return first + (f" {'+' if plus > 0 else '-'} {abs(plus):.7g}" if plus else "")


class Chain(nn.Module):
    """Children that are run one after another, in the order `run`; without it as they were registered."""

    def __init__(self, run=(), **children):
        super().__init__()
        for name, child in children.items():
            self.add_module(name, child)
        self.run = run or tuple(children)

    def forward(self, x):
        for name in self.run:
            x = getattr(self, name)(x)
        return x

    def __repr__(self):
        return "(" + ", ".join(f"{name}: {getattr(self, name)!r}" for name in self.run) + ")"


class Residual(Chain):
    """What a child gives is added to what it got."""

    def forward(self, x):
        for name in self.run:
            x = x + getattr(self, name)(x)
        return x


class Sum(Chain):
    """Every child gets x, and what they give is added."""

    def forward(self, x):
        return sum(getattr(self, name)(x) for name in self.run)


class AddsInPlace(Chain):
    """The output of the first child is changed in place by what the second gives."""

    def forward(self, x):
        first, second, third = (getattr(self, name) for name in self.run)
        hidden = first(x)
        hidden += second(x)
        return third(hidden)


class Scaled(Chain):
    """After its children the model multiplies by a number of its own."""

    def __init__(self, scale, **children):
        super().__init__(**children)
        self.scale = nn.Parameter(torch.tensor(scale))

    def forward(self, x):
        return self.scale * super().forward(x)


class Negated(Chain):
    """Between its first two children the model does something of its own."""

    def __init__(self, sign, **children):
        super().__init__(**children)
        self.sign = sign

    def forward(self, x):
        first, *others = self.run
        x = self.sign * getattr(self, first)(x)
        for name in others:
            x = getattr(self, name)(x)
        return x


def steps(**terms):
    """Steps by name: (times, plus), or times alone."""
    return {name: Step(*term) if isinstance(term, tuple) else Step(term) for name, term in terms.items()}


def in_training(*models):
    return tuple(model.train() for model in models)


def linear(seed, width, out=None):
    """A layer with reproducible numbers."""
    layer = nn.Linear(width, out or width, device="meta")  # no numbers of its own: they come here
    layer.weight = nn.Parameter(normal(out or width, width, seed=seed))
    layer.bias = nn.Parameter(normal(out or width, seed=seed + 1))
    return layer


def embedding(seed, rows, width):
    return nn.Embedding.from_pretrained(normal(rows, width, seed=seed), freeze=False)


def one_changed(width, at, by):
    """Numbers that are 0 but for one."""
    numbers = torch.zeros(width)
    numbers[at] = by
    return numbers
