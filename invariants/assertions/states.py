"""Tests of modes, gradients, dtypes and devices."""

import copy
import os
import traceback

import torch
from torch import nn

from invariants.assertions.calling import COARSE, Subject, distance, others, tensors_of

LOOK = {
    "modes": "F.dropout without training=self.training, modules in a plain list, and what training leaves behind",
    "left": "what training leaves behind, such as an attribute or a cache that evaluation reads",
    "mean": "the factor 1 / (1 - p) that makes up for what is dropped",
    "gradients": "detach(), .data, no_grad, a part that is never called, and a factor that begins at 0 on purpose",
    "idle": "a part that never runs, such as a layer that is skipped, unless it is for others to call",
    "plain": "plain tensors and lists, which do not move with the module: register_buffer, nn.ModuleList",
    "made": "tensors that forward makes without dtype= and device=",
}
MISMATCH = "same dtype", "expected scalar type", "same type", "dtypes"
DROPOUTS = nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, nn.AlphaDropout


def assert_modes(model, *inputs, draws=0, tolerance=None, **options):
    """Assert that runs in evaluation are equal, also after training mode; in training they differ if there is dropout.

    Buffers that training changes, such as the running statistics of BatchNorm, are restored before runs are compared.

    draws    if not 0, the mean of that many runs in training must equal evaluation, up to chance; this holds for a
             model with dropout whose outputs are linear in what is dropped
    Errors: TypeError if there is no module
    Source: notebook 04
    """
    subject = Subject(model, inputs, options, None, tolerance)
    if not subject.modules:
        raise TypeError(f"the model must be a module, or a function that refers to one, got {type(model).__name__}")
    inner = [m for module in subject.modules for m in module.modules()]
    drops = draws > 0 or any(isinstance(m, DROPOUTS) and m.p > 0 for m in inner)
    with subject.at_rest(repeatable=False):
        first, again = subject.main(), subject.main()
        buffers = [(b, b.clone()) for module in subject.modules for b in module.buffers()]
        for module in subject.modules:
            module.train()
        runs = torch.stack([subject.main() for _ in range(max(draws, 8))])
        for module in subject.modules:
            module.eval()
        for buffer, numbers in buffers:
            buffer.copy_(numbers)
        last = subject.main()
    limit = 1e-4 * max(1.0, distance(first, first)[1]) if tolerance is None else tolerance
    if not distance(first, again)[0] <= limit:
        raise AssertionError(f"in evaluation two runs differ; look for {LOOK['modes']}")
    if not distance(first, last)[0] <= limit:
        raise AssertionError(f"in evaluation two runs differ, with training in between; look for {LOOK['left']}")
    if drops and distance(runs[2:], runs[1:2].expand_as(runs[2:]))[0] <= limit:  # the first run may be special
        raise AssertionError("in training all runs are equal, although there is dropout; look whether it is called")
    off = (runs.mean(0) - first).abs()
    if draws and not (off <= 5 * runs.std(0) / draws**0.5 + limit).all():  # chance: 5 standard errors
        raise AssertionError(f"the mean of {draws} runs in training is off by {off.max():.2g}; look for {LOOK['mean']}")


def assert_every_parameter_learns(model, *inputs, **options):
    """Assert that each trainable parameter gets a finite, nonzero gradient from a random loss.

    The loss reads the outputs, not a past. Parameters without gradient are tried on other inputs, for other experts.

    Errors: TypeError if there is no module
    Source: notebook 08
    """
    subject = Subject(model, inputs, options)
    if not subject.modules:
        raise TypeError(f"the model must be a module, or a function that refers to one, got {type(model).__name__}")
    inner = [(name, m) for module in subject.modules for name, m in module.named_modules()]
    owned = [(f"{name}.{key}".lstrip("."), p, m) for name, m in inner for key, p in m.named_parameters(recurse=False)]
    owned = list({id(p): (name, p, m) for name, p, m in owned if p.requires_grad}.values())
    learned, broken, ran = set(), [], set()
    hooks = [m.register_forward_pre_hook(lambda module, args: ran.add(id(module))) for _, m in inner]
    try:
        with subject.at_rest(repeatable=False), torch.enable_grad():
            for seed in range(8):
                result = subject.run((lambda x, seed=seed: others(x, seed)) if seed else None)
                gradients = _gradients(_for_loss(result, subject.B), [p for _, p, _ in owned], seed)
                found = [(name, g) for (name, _, _), g in zip(owned, gradients, strict=True) if g is not None]
                broken = [name for name, g in found if not g.isfinite().all()]
                learned |= {id(p) for (_, p, _), g in zip(owned, gradients, strict=True) if g is not None and g.any()}
                if broken or len(learned) == len(owned):
                    break
    finally:
        for hook in hooks:
            hook.remove()
    if broken:
        raise AssertionError(f"the gradient of {_some(broken)} is not finite; look for a row of -inf before a softmax")
    dead = [(name, id(m) in ran) for name, p, m in owned if id(p) not in learned]
    if dead:
        look = LOOK["gradients" if any(ran for _, ran in dead) else "idle"]
        raise AssertionError(f"no gradient reaches {_some([name for name, _ in dead])}; look for {look}")


def _gradients(outs, parameters, seed):
    """The gradients of a random loss of these outputs, None where it does not depend on a parameter."""
    draw = torch.Generator().manual_seed(seed)
    loss = sum((out * torch.randn(out.shape, generator=draw).to(out)).sum() for out in outs if out.requires_grad)
    if not isinstance(loss, torch.Tensor):
        return [None] * len(parameters)
    return torch.autograd.grad(loss, parameters, allow_unused=True)


def _for_loss(result, B):
    """The outputs for the loss: all named ones, or the first and those with one vector for each item."""
    if isinstance(result, torch.Tensor):
        return [result]
    if not isinstance(result, (tuple, list)):
        return tensors_of(result, depth=1)
    first = tensors_of(result)[0]
    return [first, *(each for each in tensors_of(result, depth=1)[1:] if each.dim() == 2 and each.size(0) == B)]


def assert_dtype_and_device(model, *inputs, **options):
    """Assert that the whole module moves: it gives nearly the same numbers in float64, and runs on the device `meta`.

    If the run on `meta` needs a number, as for an if, devices are not tested.

    Errors: TypeError if the model is not a module
    Source: notebook 13
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"the model must be a module, got {type(model).__name__}")
    subject = Subject(model, inputs, options)
    with subject.at_rest():
        before = subject.main()
        try:
            with subject.in_double(made=torch.float32):
                after = subject.main()
        except (RuntimeError, TypeError) as error:
            if not any(words in str(error) for words in MISMATCH):
                return  # an operation without float64 support
            raise AssertionError(f"in float64 it does not run: {_line(error)}; look at {_plain(model)}") from error
        far, size, dtype = distance(after.to(before.dtype), before)
        if far > COARSE.get(dtype, 1e-4) * 10 * size:
            raise AssertionError(f"in float64 the outputs are others, by {far:.2g}; look at {_plain(model)}")
        _run_elsewhere(model, subject)


def _run_elsewhere(model, subject):
    """Run on the device meta, which has shapes but no numbers; any operation that mixes devices fails there."""
    there = copy.copy(subject)
    try:
        there.model, there.device = copy.deepcopy(model).to("meta"), torch.device("meta")
    except Exception:  # a model that cannot be copied
        return
    for module in there.model.modules():
        if isinstance(module, nn.Embedding):  # meta does not check its devices
            module.register_forward_pre_hook(_same_device)
    try:
        out = tensors_of(there.run())
    except Exception as error:
        if "device" in str(error) and "item" not in str(error):
            raise AssertionError(
                f"on another device it does not run: {_line(error)}; look at {_plain(model)}"
            ) from error
        return
    if out and out[0].device != there.device:
        raise AssertionError(f"on another device its outputs stay on {out[0].device}; look at {_plain(model)}")


def _same_device(module, args):
    if args and args[0].device != module.weight.device:
        raise RuntimeError(f"ids on device {args[0].device}, the table on device {module.weight.device}")


def _plain(model):
    """Name the plain tensors and the modules in plain lists, or else say what to look at."""
    names = []
    for name, module in model.named_modules():
        for key, value in vars(module).items():
            many = value if isinstance(value, (list, tuple)) else value.values() if isinstance(value, dict) else [value]
            if not key.startswith("_") and any(isinstance(each, (torch.Tensor, nn.Module)) for each in many):
                names.append(f"{name}.{key}".lstrip("."))
    return f"{_some(names)}: {LOOK['plain']}" if names else LOOK["made"]


def _line(error):
    """The message of an exception, and the line of the model's code that raised it."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f"{os.sep}torch{os.sep}" not in f.filename]
    return f"{str(error).strip().splitlines()[0][:120].rstrip(' .;!')}, at `{(frames[-1].line or '')[:80]}`"


def _some(names):
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
