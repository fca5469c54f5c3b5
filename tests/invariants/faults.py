"""The faults of faults.md, and the functions that their code uses."""

import inspect
import re
import textwrap
import types
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F

from helpers.grouped import grouped_attention
from helpers.heads import MultiHeadAttention, merge_heads
from helpers.relative_positions import rotate_halves, rotate_pairs
from tests.invariants import pairs, styles
from tests.invariants.pairs import IDS, waves
from tests.invariants.ports import noise

PAIRS = pairs.PAIRS | styles.PAIRS
PAGE = Path(__file__).with_name("faults.md")
BULLET = re.compile(r"- (?P<kinds>[^·]+) · (?P<name>[^·:]+)( · (?P<places>[^·:]+))?: `(?P<code>.+)`")
ATTENTION_AND_BLOCK = {"torch": ("att", ""), "decoder": ("h.0.att", "h.1"), "Llama": ("h.1.att", "h.1")}


@dataclass(frozen=True)
class Fault:
    pair: str
    name: str
    kinds: tuple  # the kinds that compare may name; () if it must name none
    missed: bool  # whether compare names no cause, although there is one
    places: tuple  # the modules that may be named as the first that differs; () if that is not checked
    code: str

    def change(self, m):
        """Break the model m, in place."""
        names = {"m": m, **WORDS}
        for name, path in zip(("att", "block"), ATTENTION_AND_BLOCK.get(self.pair, ()), strict=False):
            names[name] = m.get_submodule(path)
        exec(self.code, names)

    def broken(self, *changes):
        mine, theirs, inputs, options = PAIRS[self.pair](*changes)
        self.change(mine)
        return mine, theirs, inputs, options


def read_page():
    """Errors: ValueError if a line below the first heading is neither a heading nor a bullet"""
    faults, pairs = [], ()
    _, _, text = PAGE.read_text(encoding="utf-8").partition("\n# ")
    for line in text.splitlines()[1:]:
        found = BULLET.fullmatch(line)
        if line.startswith("## "):
            pairs = line[3:].split(" + ")
        elif found:
            kinds = found["kinds"].replace("–", "").split()
            where = ("",) if found["places"] == "the whole" else tuple((found["places"] or "").split())
            names = tuple(kind.lstrip("!") for kind in kinds)
            missed = any(kind.startswith("!") for kind in kinds)
            faults += [Fault(pair, found["name"], names, missed, where, found["code"]) for pair in pairs]
        elif line and not line.startswith("# "):
            raise ValueError(f"faults.md has a line that is neither a heading nor a fault: {line}")
    return faults


# ---------------------------------------------------------------- functions for the code of faults


def edit(part, old, new, method="forward"):
    """Replace text that occurs exactly once in the source of a method of this module."""
    function = getattr(part, method).__func__
    source = getattr(function, "edited", None) or textwrap.dedent(inspect.getsource(function))
    assert source.count(old) == 1, f"{old!r} stands {source.count(old)} times in {method} of {type(part).__name__}"
    made = {}
    exec(source.replace(old, new), function.__globals__, made)
    made[method].edited = source.replace(old, new)
    patch(part, method, made[method])


def patch(part, method, function):
    setattr(part, method, types.MethodType(function, part))


def wrap(part, method, function):
    """Replace a method by function(inner, ...), where `inner` is the original method."""
    inner = getattr(part, method)
    setattr(part, method, lambda *args, **kwargs: function(inner, *args, **kwargs))


def reorder(part, order, axis=0):
    """Reorder the rows of a parameter, or of all parameters of a layer."""
    for parameter in [part] if isinstance(part, torch.Tensor) else part.parameters():
        parameter.data = parameter.data.index_select(axis, order.flatten())


def transpose(layer):
    layer.weight.data = layer.weight.data.T.contiguous()


def round_to_bfloat16(part):
    for parameter in part.parameters():
        parameter.data = parameter.data.bfloat16().float()


def compute_in(dtype, layer):
    layer.forward = lambda x: F.linear(x.to(dtype), layer.weight.to(dtype), layer.bias.to(dtype)).to(x.dtype)


def hidden(scores, visible):
    return scores.masked_fill(~visible, -1e30)


def interleaved(x, heads):
    """Split into heads as if the features of all heads alternated."""
    return x.unflatten(-1, (-1, heads)).permute(0, 3, 1, 2)


WORDS = {each.__name__: each for each in (edit, patch, wrap, reorder, transpose, round_to_bfloat16, compute_in)}
WORDS |= {each.__name__: each for each in (hidden, interleaved, noise, waves, rotate_halves, rotate_pairs)}
WORDS |= {each.__name__: each for each in (grouped_attention, merge_heads, MultiHeadAttention)}
WORDS |= {"torch": torch, "F": F, "IDS": IDS}
FAULTS = read_page()
