"""An exhibit: a layer, its promise, and the forms in which tests take it."""

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

WIDTH, HEADS = 12, 3  # of an exhibit, unless a test chooses others
VOCABULARY = 50


@dataclass(frozen=True, repr=False)
class Exhibit:
    """A layer of the museum, and what is known about it; read that only after your verdict.

    make       a module class that is called with d_model and num_heads; its forward takes x (B, T, C), and either
               nothing else, or `real` (B, T), or a `past`; it returns out (B, T, C), or a pair that begins with it
    healthy    the same class without the bug
    promise    what the layer is meant to do, in one sentence
    source     the code of `make`
    learns     its training task: "next word" if it promises to read no later token, else "missing words"
    repair     pairs of broken code in `source` and the right code that replaces it
    because    for a healthy exhibit: why it keeps its promise, though it may not look so
    tests      the tests whose complaints show that the promise is broken
    silent     the tests whose silence shows it: they would complain if the promise were kept
    bug        what the code does, in one sentence
    story      who had a bug like it, when, and what to learn from it
    threads    issues or pull requests, as owner/name#number
    symptom, suspicion, remedy   for the field guide, which names the first test that shows the bug
    exercise   the number of the exercise that asks for its repair, so that cards do not show it
    """

    number: int
    promise: str
    source: str
    make: Callable
    healthy: Callable
    repair: tuple = ()
    learns: str = "missing words"
    because: str = ""
    tests: tuple = ()
    silent: tuple = ()
    threads: tuple = ()
    bug: str = ""
    story: str = ""
    symptom: str = ""
    suspicion: str = ""
    remedy: str = ""
    exercise: str = ""

    @property
    def takes(self):
        """The name of forward's argument after x: "real", "past" or ""."""
        _, _, *rest = inspect.signature(self.make.forward).parameters
        return rest[0] if rest else ""

    def layer(self, d_model=WIDTH, num_heads=HEADS):
        """Return the layer in evaluation mode, with the same parameters in every run."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.number)
            layer = self.make(d_model, num_heads)
            for linear in [*layer.modules(), *getattr(layer, "heads", ())]:
                if isinstance(linear, nn.Linear):
                    nn.init.normal_(linear.weight, std=1 / math.sqrt(linear.in_features))
        return layer.eval()

    def for_tests(self):
        """Return {name of a test: its arguments for this exhibit}, for all tests that apply to it."""
        layer = self.layer()
        x = torch.randn(2, 7, WIDTH, generator=torch.Generator().manual_seed(self.number))
        plain = (Plain(layer), x)
        asked = {"future": (OfAnyWidth(self).eval(),), "permutation": plain, "dtype": plain, "gradients": plain}
        if hasattr(layer, "scores_of"):
            asked["scale"] = (self.scores_of,)
        if self.takes == "real":
            asked["padding"] = (Reader(layer),)
            real = torch.arange(7) >= torch.tensor([[0], [3]])  # the second text is padded on the left
            asked["alone"] = (layer, x, real)
        if self.takes == "past":
            asked["cache"] = (Writer(layer),)
        if hasattr(layer, "p") or hasattr(layer, "dropout"):
            asked["modes"] = (OfAnyWidth(self),)
        if hasattr(layer, "q_proj"):
            asked["heads"] = asked["reference"] = (layer,)
        return asked

    def scores_of(self, q, k):
        """Return the scores of a layer with as many heads of the same size as q."""
        return self.layer(q.size(1) * q.size(-1), q.size(1)).scores_of(q, k)


def heads_for(d_model):
    return next(heads for heads in (4, 3, 2, 1) if d_model % heads == 0)


class Plain(nn.Module):
    """x -> out, with all tokens real and no past."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        takes_real = "real" in inspect.signature(self.layer.forward).parameters
        real = (torch.ones(x.shape[:2], dtype=torch.bool, device=x.device),) if takes_real else ()
        out = self.layer(x, *real)
        return out[0] if isinstance(out, tuple) else out


class OfAnyWidth(nn.Module):
    """x -> out, in the width and the dtype of x."""

    def __init__(self, exhibit):
        super().__init__()
        self.exhibit = exhibit

    def forward(self, x):
        layer = self.exhibit.layer(x.size(-1), heads_for(x.size(-1)))
        return Plain(layer).to(x).train(self.training)(x)


class Reader(nn.Module):
    """(ids, real) -> (B, T, C)"""

    def __init__(self, layer):
        super().__init__()
        self.layer, self.embedding = layer, table(0)

    def forward(self, ids, real):
        return self.layer(self.embedding[ids], real)


class Writer(nn.Module):
    """(ids, past) -> logits (B, T, V), past"""

    def __init__(self, layer):
        super().__init__()
        self.layer, self.embedding, self.readout = layer, table(0), table(1)

    def forward(self, ids, past=None):
        out, past = self.layer(self.embedding[ids], past)
        return out @ self.readout.T, past


def table(seed):
    """Return a vector for each word."""
    return torch.randn(VOCABULARY, WIDTH, generator=torch.Generator().manual_seed(seed))
