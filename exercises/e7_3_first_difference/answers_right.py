"""Right answers to exercise 7.3, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, RET503 - naming a result before returning it, and no return at the end, are styles that must pass

from contextlib import contextmanager
from copy import deepcopy
from functools import partial

import numpy as np
import torch
from torch import nn

from feedback.bank import RightAnswers

right = RightAnswers()


@contextmanager
def in_evaluation(*models):
    modes = [(module, module.training) for model in models for module in model.modules()]
    for model in models:
        model.eval()
    try:
        yield
    finally:
        for module, mode in modes:
            module.training = mode


@right
def difference_on_copies(mine, theirs, x):
    found = []
    for model in (deepcopy(mine), deepcopy(theirs)):
        model.eval()
        outputs = {}
        for name, child in model.named_children():
            child.register_forward_hook(
                lambda module, inputs, output, name=name, outputs=outputs: outputs.__setitem__(name, output.clone())
            )
        with torch.no_grad():
            model(x)
        found.append(outputs)
    for name in found[0]:
        if not torch.allclose(found[0][name], found[1][name], rtol=0, atol=1e-4):
            return name


@right.limited
def difference_child_by_child(mine, theirs, x):
    """The modules are run once for each child."""

    def output_of(model, name):
        kept = []
        handle = getattr(model, name).register_forward_hook(lambda m, i, output: kept.append((order(), output.clone())))
        try:
            with torch.inference_mode():
                model(x)
        finally:
            handle.remove()
        return kept

    counter = [0]

    def order():
        counter[0] += 1
        return counter[0]

    def order_of(model):
        ran, handles = [], []
        for name, child in model.named_children():
            handles.append(child.register_forward_pre_hook(lambda m, i, name=name: ran.append(name)))
        try:
            model(x)
        finally:
            for handle in handles:
                handle.remove()
        return ran

    with in_evaluation(mine, theirs):
        for name in order_of(mine):
            (_, a), (_, b) = output_of(mine, name)[0], output_of(theirs, name)[0]
            if torch.max(torch.abs(a - b)) > 1e-4:
                return name
        return None


@right.limited
def difference_by_patching(mine, theirs, x):
    """Copies whose children have another forward."""

    def record(model):
        model, outputs = deepcopy(model).eval(), {}
        for name, child in model.named_children():
            forward = child.forward

            def kept(*args, forward=forward, name=name, **options):
                output = forward(*args, **options)
                outputs[name] = output.clone()
                return output

            child.forward = kept
        model(x)
        return outputs

    one, other = record(mine), record(theirs)
    return next((name for name, a in one.items() if (a - other[name]).abs().max() > 1e-4), None)


@right.limited
def difference_by_wrapping(mine, theirs, x):
    """Copies whose children are wrapped."""

    class Listening(nn.Module):
        def __init__(self, child, name, heard):
            super().__init__()
            self.child, self.name, self.heard = child, name, heard

        def forward(self, *args):
            output = self.child(*args)
            self.heard[self.name] = output.clone().detach().numpy()
            return output

    def heard_in(model):
        model, heard = deepcopy(model), {}
        for name, child in list(model.named_children()):
            setattr(model, name, Listening(child, name, heard))
        model.eval()(x)
        return heard

    one, other = heard_in(mine), heard_in(theirs)
    for name in one:
        if np.abs(one[name] - other[name]).max() > 1e-4:
            return name
    return None


@right.limited
def difference_by_a_global_hook(mine, theirs, x):
    def outputs_of(model):
        names = {child: name for name, child in model.named_children()}
        outputs = {}

        def hook(module, inputs, output):
            if module in names:
                outputs[names[module]] = output.clone()

        handle = nn.modules.module.register_module_forward_hook(hook)
        try:
            model(x)
        finally:
            handle.remove()
        return outputs

    with in_evaluation(mine, theirs), torch.no_grad():
        one, other = outputs_of(mine), outputs_of(theirs)
    for name, a in one.items():
        if ((a - other[name]).abs() > 1e-4).any():
            return name
    return None


class Recorder:
    """Hooks by partial, and modes by train(mode) from the outermost module inward."""

    def __init__(self, model):
        self.model, self.outputs = model, {}

    def keep(self, name, module, inputs, output):
        self.outputs[name] = torch.clone(output)

    def __call__(self, x):
        modes = [module.training for module in self.model.modules()]
        handles = []
        try:
            for name, child in self.model.named_children():
                handles.append(child.register_forward_hook(partial(self.keep, name)))
            self.model.eval()
            self.model(x)
        finally:
            [handle.remove() for handle in handles]
            for module, mode in zip(self.model.modules(), modes, strict=True):
                module.train(mode)
        return self.outputs


@right.limited
def difference_by_a_class(mine, theirs, x):
    one, other = Recorder(mine)(x), Recorder(theirs)(x)
    names = [name for name in one if float((one[name] - other[name]).abs().amax()) > 0.0001]
    return names[0] if names else None


@right
def difference_with_a_close_comparison(mine, theirs, x):
    one, other = Recorder(mine)(x), Recorder(theirs)(x)
    for name in one:
        if not torch.isclose(one[name], other[name], rtol=0.0, atol=1e-4).all():
            return name
    return None


@right
def difference_by_assert_close(mine, theirs, x):
    one, other = Recorder(mine)(x), Recorder(theirs)(x)
    for name in one:
        try:
            torch.testing.assert_close(one[name], other[name], rtol=0, atol=1e-4)
        except AssertionError:
            return name
    return None


@right.limited
def difference_while_theirs_runs(mine, theirs, x):
    """What is kept of the first run is compared in the hooks of the second."""
    kept, different, handles = {}, [], []

    def compare(name):
        def hook(module, inputs, output):
            if (output - kept[name]).abs().max() > 1e-4:
                different.append(name)

        return hook

    def keep(name):
        def hook(module, inputs, output):
            kept[name] = output.clone()

        return hook

    with in_evaluation(mine, theirs):
        try:
            for name, child in mine.named_children():
                handles.append(child.register_forward_hook(keep(name)))
            for name, child in theirs.named_children():
                handles.append(child.register_forward_hook(compare(name)))
            mine(x), theirs(x)
        finally:
            for handle in handles:
                handle.remove()
    return different[0] if different else None
