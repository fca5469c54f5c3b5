"""Record the inputs and outputs of every module in one run, and leave the model as it was."""

import itertools
from dataclasses import dataclass, field

import torch
from torch import nn
from torch.utils._pytree import tree_map

from invariants.compare.operations import Operations, tensors_in


@dataclass(eq=False)
class Call:
    """One call of a module: `name` is the module's, "" for the model itself; `number` counts its calls from 0."""

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
        """The first tensor among the arguments."""
        return first_tensor(self.given)

    def descendants(self):
        for child in self.children:
            yield child
            yield from child.descendants()


class Run(list):
    """The calls of one run in the order in which they began, the model itself first.

    operations: the results of torch functions
    """

    operations = ()


def record(model, call, inputs, options, changes=None, inside=False):
    """Run the model on copies of the inputs. Hooks are removed and parameters restored, even after an exception.

    changes: {(place, before): a function that changes that call's arguments if before, else its output}
    inside: whether to keep the results of torch functions
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
        calls[0].output = first_tensor(result)  # `call` may have changed the model's output
    return calls


class Recorder:
    """Registers the hooks, and keeps what they see."""

    def __init__(self, changes):
        self.calls, self.open, self.clock, self.counts, self.changes = Run(), [], 0, {}, changes

    def watch(self, module, names):
        """Register hooks on a module; if it has several names, because it is shared, each call takes the next one."""
        runs = itertools.count()

        def begins(module, args, kwargs):
            with torch._C.DisableTorchFunction():  # do not record what a hook computes
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
        """Run a layer that is not a module of the model, as if it were one."""
        list(self.watch(layer, [name]))
        return layer(x)

    def _changed(self, call, before, tree):
        change = self.changes.get((call.place, before))
        return None if change is None else change(tree)

    def tick(self):
        self.clock += 1
        return self.clock - 1


def first_tensor(tree):
    """The first tensor in a module's arguments or output; outputs of `transformers` are dicts."""
    if isinstance(tree, dict):
        tree = list(tree.values())
    elif isinstance(tree, (tuple, list)):
        tree = [list(part.values()) if isinstance(part, dict) else part for part in tree]
    return next(iter(tensors_in(tree)), None)


def noisy(tree):
    """The tree with noise added to its first tensor, if that has floats."""
    first = first_tensor(tree)
    if first is None or not first.is_floating_point():
        return tree
    noise = torch.randn(first.shape, generator=torch.Generator().manual_seed(0)).to(first)
    return with_first(tree, first + first.std() * noise)


def with_first(tree, x):
    """The tree with x in place of its first tensor."""
    first = first_tensor(tree)
    return tree_map(lambda leaf: x.to(first) if leaf is first else leaf, tree)


def copied(tree):
    """The tree with its tensors cloned, since a later step may change them in place."""
    return tree_map(lambda leaf: leaf.detach().clone() if isinstance(leaf, torch.Tensor) else leaf, tree)
