"""What every module of a model got and gave in one run, and how to leave the models as they were."""

import itertools
from dataclasses import dataclass, field

import torch
from torch import nn
from torch.utils._pytree import tree_map

from invariants.compare.operations import Operations, tensors_in


@dataclass(eq=False)
class Call:
    """One run of a module: `name` is that of the module, "" for the model itself, and `place` its name and number."""

    name: str
    number: int
    module: nn.Module
    parent: "Call | None"
    given: tuple  # args and kwargs, as they were before the run
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
        return first_tensor(self.given)

    def descendants(self):
        for child in self.children:
            yield child
            yield from child.descendants()


class Run(list):
    """The calls of one run in the order in which they began, the first being that of the model itself.

    operations: what torch's functions computed
    """

    operations = ()


def record(model, call, inputs, options, changes=None, inside=False):
    """Run the model on copies of the inputs. Hooks are removed and the model is put back, even after an exception.

    changes: {(place, before): what to make of that call's output, or of its arguments if before}, in this run
    inside: whether to keep what torch's functions compute
    """
    recorder = Recorder(changes or {})
    calls, handles, names = recorder.calls, [], {}
    for name, module in model.named_modules(remove_duplicate=False):
        names.setdefault(module, []).append(name)
    inputs, options = copied((inputs, options))
    operations = Operations(recorder, model, tensors_in((inputs, options)), inside)
    before = [(parameter, parameter.detach().clone()) for parameter in model.parameters()]
    try:
        for module, known in names.items():
            handles += recorder.watch(module, known)
        with operations:
            result = call(model, *inputs, **options)
    finally:
        for handle in handles:
            handle.remove()
        for parameter, numbers in before:
            parameter.data.copy_(numbers)
    if inside:
        calls.operations = operations.found
    if not calls:
        raise ValueError(f"the call must run the model, {type(model).__name__}, as model(...), and it did not")
    if calls[0].name == "" and calls[0].end == recorder.clock - 1:
        calls[0].output = first_tensor(result)  # what the call made of it
    return calls


class Recorder:
    """Makes the hooks, and keeps what they see."""

    def __init__(self, changes):
        self.calls, self.open, self.clock, self.counts, self.changes = Run(), [], 0, {}, changes

    def watch(self, module, names):
        """A module that has several names, because it is used again, has the next one in each of its runs."""
        runs = itertools.count()

        def begins(module, args, kwargs):
            with torch._C.DisableTorchFunction():  # what a hook computes is no operation of the model
                name, parent = names[next(runs) % len(names)], self.open[-1] if self.open else None
                number = self.counts[name] = self.counts.get(name, -1) + 1
                call = Call(name, number, module, parent, copied((args, kwargs)), self.tick())
                if parent is not None:
                    parent.children.append(call)
                self.calls.append(call)
                self.open.append(call)
                changed = self._changed(call, True, (args, kwargs))
                if changed is not None:
                    call.given = copied(changed)
                return changed

        def ends(module, args, output):
            with torch._C.DisableTorchFunction():
                call = self.open.pop()
                changed = self._changed(call, False, output)
                call.output = copied(first_tensor(output if changed is None else changed))
                call.end = self.tick()
                return changed

        yield module.register_forward_pre_hook(begins, with_kwargs=True)
        yield module.register_forward_hook(ends)

    def run(self, name, layer, x):
        """The result of a layer that is no module of the model."""
        list(self.watch(layer, [name]))
        return layer(x)

    def _changed(self, call, before, tree):
        change = self.changes.get((call.place, before))
        return None if change is None else change(tree)

    def tick(self):
        self.clock += 1
        return self.clock - 1


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
