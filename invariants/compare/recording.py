"""What every module of a model got and gave in one run, and how to leave the models as they were."""

from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._pytree import tree_flatten, tree_map


@dataclass(eq=False)
class Call:
    """One run of a module: `name` is that of the module, "" for the model itself, and `place` its name and number."""

    name: str
    number: int
    module: nn.Module
    parent: "Call | None"
    given: tuple | None  # args and kwargs, as they were before the run; None where they cannot be seen
    start: int
    end: int = -1
    output: torch.Tensor | None = None
    children: list = field(default_factory=list)

    @property
    def place(self):
        return self.name, self.number

    @property
    def input(self):
        """The first tensor that it got."""
        return None if self.given is None else first_tensor(self.given)

    def descendants(self):
        for child in self.children:
            yield child
            yield from child.descendants()


@contextmanager
def undisturbed(*models):
    """Evaluation mode, no gradients, modules that run one by one; afterwards modes and random numbers are as before."""
    modes = [(module, module.training) for model in models for module in model.modules()]
    devices = {p.device.index for model in models for p in model.parameters() if p.device.type == "cuda"}
    fast = torch.backends.mha.get_fastpath_enabled()  # torch's own layers run without their children otherwise
    try:
        with torch.random.fork_rng(devices=sorted(devices)), torch.no_grad():
            torch.backends.mha.set_fastpath_enabled(False)
            for model in models:
                model.eval()
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
        for module, mode in modes:
            module.training = mode


def record(model, call, inputs, options, changes=None):
    """Run the model on copies of the inputs: the calls of its modules in the order in which they begin.

    The first is that of the model itself. The hooks are removed, even if a module raises an exception.
    changes: {(place, before): what to make of that call's output, or of its arguments if before}, in this run
    """
    recorder = Recorder(changes or {})
    handles = []
    try:
        for name, module in model.named_modules():
            handles.append(module.register_forward_pre_hook(recorder.begins(name), with_kwargs=True))
            handles.append(module.register_forward_hook(recorder.ends()))
        inputs, options = copied((inputs, options))
        result = call(model, *inputs, **options)
    finally:
        for handle in handles:
            handle.remove()
    if not recorder.calls:
        raise ValueError(f"the call must run the model, {type(model).__name__}, as model(...), and it did not")
    if recorder.calls[0].name == "" and recorder.calls[0].end == recorder.clock - 1:
        recorder.calls[0].output = first_tensor(result)  # what the call made of it
    return recorder.calls


class Recorder:
    """Makes the hooks, and keeps what they see."""

    def __init__(self, changes):
        self.calls, self.open, self.clock, self.counts, self.changes = [], [], 0, {}, changes

    def begins(self, name):
        def hook(module, args, kwargs):
            call = self._add(name, module, copied((args, kwargs)))
            self.open.append(call)
            changed = self._changed(call, True, (args, kwargs))
            if changed is not None:
                call.given = copied(changed)
            if is_torch_attention(module):
                self._add_projections(call)
            return changed

        return hook

    def ends(self):
        def hook(module, args, output):
            call = self.open.pop()
            changed = self._changed(call, False, output)
            call.output = copied(first_tensor(output if changed is None else changed))
            if is_torch_attention(module):  # its out_proj does not run as a module
                self._add(f"{call.name}.out_proj", module.out_proj, None, call, call.output)
            call.end = self._tick()
            return changed

        return hook

    def _changed(self, call, before, tree):
        change = self.changes.get((call.place, before))
        return None if change is None else change(tree)

    def _tick(self):
        self.clock += 1
        return self.clock - 1

    def _add(self, name, module, given, parent=None, output=None):
        parent = parent or (self.open[-1] if self.open else None)
        number = self.counts[name] = self.counts.get(name, -1) + 1
        call = Call(name, number, module, parent, given, self._tick(), output=output)
        if output is not None:
            call.end = self._tick()
        if parent is not None:
            parent.children.append(call)
        self.calls.append(call)
        return call

    def _add_projections(self, call):
        """nn.MultiheadAttention projects q, k and v with one stacked weight: recorded as three layers."""
        args, kwargs = call.given
        module = call.module
        biases = [None] * 3 if module.in_proj_bias is None else module.in_proj_bias.chunk(3)
        for i, (letter, name) in enumerate((("q", "query"), ("k", "key"), ("v", "value"))):
            x = args[i] if len(args) > i else kwargs[name]
            layer = linear(module.in_proj_weight.chunk(3)[i], biases[i])
            self._add(f"{call.name}.{letter}_proj", layer, ((x,), {}), call, F.linear(x, layer.weight, layer.bias))


def linear(weight, bias):
    """A layer with these parameters."""
    layer = nn.Linear(weight.size(1), weight.size(0), bias=bias is not None, device="meta")
    layer.weight = nn.Parameter(weight.detach(), requires_grad=False)
    if bias is not None:
        layer.bias = nn.Parameter(bias.detach(), requires_grad=False)
    return layer.eval()


def is_torch_attention(module):
    return isinstance(module, nn.MultiheadAttention) and module._qkv_same_embed_dim


def tensors_in(tree):
    return [leaf for leaf in tree_flatten(tree)[0] if isinstance(leaf, torch.Tensor)]


def first_tensor(tree):
    """The first tensor in what a module got or gave; also in the outputs of transformers, which are dicts."""
    if isinstance(tree, dict):
        tree = list(tree.values())
    elif isinstance(tree, (tuple, list)):
        tree = [list(part.values()) if isinstance(part, dict) else part for part in tree]
    return next(iter(tensors_in(tree)), None)


def noisy(tree):
    """The same with noise in its first tensor, if that has floats."""
    first = first_tensor(tree)
    if first is None or not first.is_floating_point():
        return tree
    noise = torch.randn(first.shape, generator=torch.Generator().manual_seed(0)).to(first)
    return with_first(tree, first + first.std() * noise)


def with_first(tree, x):
    """The same with x in place of its first tensor."""
    first = first_tensor(tree)
    return tree_map(lambda leaf: x.to(first) if leaf is first else leaf, tree)


def copied(tree):
    """A later step may change tensors in place."""
    return tree_map(lambda leaf: leaf.detach().clone() if isinstance(leaf, torch.Tensor) else leaf, tree)
