"""Call a model on its inputs, on changed ones and on parts of them, and in float64 where rounding is in doubt."""

import functools
import inspect
import math
import re
import types
from collections.abc import Mapping
from contextlib import contextmanager

import torch
from torch import nn
from torch.utils._pytree import tree_map

SAME_SHAPES, OTHER_SHAPES = 1e-6, 1e-5  # rounding relative to the largest output; equal shapes use the same kernels
EXACT = 1e-9  # for tests in which every difference counts that float64 does not show to be rounding
COARSE = {torch.float64: 1e-5, torch.float32: 1e-4, torch.float16: 2e-2, torch.bfloat16: 1e-1}  # without float64
ANSWERS = ("decoder_input_ids", "decoder_inputs_embeds", "tgt")  # parameters whose positions are those of the output
OTHERS = ("memory", "context", "enc")  # parts of the names of inputs that have positions of their own
TRIPLE = {"q", "k", "v", "query", "key", "value", "queries", "keys", "values"}
MASKS = {  # the mask that a parameter of this name expects, given which tokens are real
    "attention_mask": lambda real: real.long(),
    "key_padding_mask": lambda real: ~real,
    "src_key_padding_mask": lambda real: ~real,
    "tgt_key_padding_mask": lambda real: ~real,
    "mask": lambda real: real,
    "real": lambda real: real,
}
PASTS = ("past_key_values", "past_key_value", "past_kv", "kv_cache", "past", "cache", "cache_params", "state")
POSITIONS = ("position_ids", "positions")
RECURRENT = re.compile("mamba|rwkv|recurrent|rglru|ssm", re.IGNORECASE)  # parts of class names
TORCHS = tuple(f"torch.nn.modules.{name}" for name in ("activation", "transformer", "rnn"))
NAMED = ("logits", "last_hidden_state")  # outputs that take precedence


class Subject:
    """A model and its inputs.

    model    a module, or a function, whose modules are found through its references
    inputs   tensors, or one tuple or dict of them. Those of the shape of the first are the text: they are changed, and
             cut where a test needs a part. Others, such as a memory, stay as they are
    options  keyword arguments. A function of one argument gets the number of positions, as in `mask=causal_mask`;
             masks and tensors with a row for each position are cut with the text
    answers  False where the source is the text, even if there is a decoder input
    axis     the axis of positions; if not given, the last one of ids, the second-to-last of vectors, and 0 where the
             model has batch_first=False
    """

    def __init__(self, model, inputs, options, axis=None, tolerance=None, answers=True):
        self.model, self.tolerance, self.double, self._whole = model, tolerance, False, {}
        self.noise = 0.0  # by how much outputs differ from run to run
        self.place = None  # which of the returned tensors is tested, known from the first run
        self.modules = modules_of(model)
        self.parameters, self.required, self.names = parameters_of(model)
        if len(inputs) == 1 and isinstance(inputs[0], (tuple, list)):
            inputs = tuple(inputs[0])
        if len(inputs) == 1 and isinstance(inputs[0], Mapping):
            inputs, options = (), {**inputs[0], **options}
        if len(inputs) == 1 and [name[:1].lower() for name in self.required[:3]] == ["q", "k", "v"]:
            inputs = inputs * 3  # self-attention
        if "use_cache" in self.names:  # caching.py asks for a past; some models keep one in the module
            options = {"use_cache": False, **options}
        self.values = {**dict(enumerate(inputs)), **options}
        self.text = self._text(axis, ANSWERS if answers else ())
        first = self.values[self.text[0]]
        self.T, self.device = first.size(self.axis), first.device
        self.B = 1 if self.batch is None else first.size(self.batch)

    def _text(self, axis, answers):
        named = [(self._name(key), key) for key, value in self.values.items() if isinstance(value, torch.Tensor)]
        keys = [key for name, key in named if name in answers]
        keys = keys or [key for _, key in named if isinstance(key, int) or key.lower() in TRIPLE]
        keys = keys or [key for name, key in named if "mask" not in name]
        if not keys:
            raise ValueError(f"the inputs must have a tensor, the text, got {list(self.values)}")
        first = self.values[keys[0]]
        features = first.is_floating_point() and axis != first.dim() - 1
        if axis is None:
            axis = 0 if is_sequence_first(self.model) else first.dim() - 1 - features
        self.axis = axis % first.dim()
        self.batch = None if first.dim() - features == 1 else int(self.axis == 0)
        return [key for key in keys if self._is_text(key, first)]

    def _is_text(self, key, first):
        value, name = self.values[key], self._name(key)
        if value is first:
            return True
        if isinstance(key, str) and key.lower() not in TRIPLE and name not in ANSWERS:
            return False
        if any(word in name for word in (*OTHERS, "mask", "pos", "type")):
            return False
        return (
            value.dim() == first.dim()
            and value.dtype != torch.bool
            and value.is_floating_point() == first.is_floating_point()
            and all(value.size(axis) == first.size(axis) for axis in {self.axis, self.batch or 0})
        )

    def _name(self, key):
        if isinstance(key, str):
            return key
        return self.parameters[key] if key < len(self.parameters) else ""

    # ------------------------------------------------------------ runs

    def run(self, change=None, cut=None, T=None):
        """Run the model and return its result.

        change   a function that replaces each tensor of the text
        cut      a function that takes a part of each other tensor
        T        the length for options that are functions of it
        """
        values = {}
        for key, value in self.values.items():
            if key in self.text:
                value = change(value) if change else value
            elif is_function_of_length(value):
                value = value(T or self.T)
            elif cut and not self._goes_apart(key):
                value = tree_map(lambda each: cut(each) if isinstance(each, torch.Tensor) else each, value)
            values[key] = tree_map(self._fresh, value)
        given = [values.pop(key) for key in sorted(key for key in values if isinstance(key, int))]
        return self.model(*given, **values)

    def _goes_apart(self, key):
        """Whether this input has positions of its own, as a memory or the other side of an encoder-decoder has."""
        name, answers = self._name(key), self._name(self.text[0]) in ANSWERS
        return name.startswith(("decoder", "tgt")) != answers or any(word in name for word in OTHERS)

    def _fresh(self, value):
        if not isinstance(value, torch.Tensor):
            return value
        value = value.detach().clone(memory_format=torch.contiguous_format).to(self.device)
        return value.double() if self.double and value.is_floating_point() else value

    def outputs(self, change=None, cut=None, B=None, T=None):
        """One output for each position, (B, T, F)."""
        result, B, T = self.run(change, cut, T), B or self.B, T or self.T
        found = tensors_of(result)
        for i, out in enumerate(found):
            rows = self._by_position(out, B, T) if self.place in (None, i) else None
            if rows is not None:
                self.place = i
                return rows.flatten(2) if rows.dim() > 2 else rows[..., None]
        shapes = " and ".join(str(tuple(out.shape)) for out in found[:2]) or type(result).__name__
        raise ValueError(
            f"the model must give one output for each position, for {B} items and {T} positions, got {shapes}; "
            "ask it for all positions, or hand over a function that does"
        )

    def pooled(self, *args, B=None, **kwargs):
        """One output for each position, (B, T, F), or else for each item, (B, F)."""
        try:
            return self.outputs(*args, B=B, **kwargs)
        except ValueError:
            for out in tensors_of(self.run(*args, **kwargs)):
                if out.dim() and out.size(0) == (B or self.B):
                    return out.flatten(1) if out.dim() > 1 else out[:, None]
            raise

    def main(self):
        """A copy of the outputs by position or by item, or else of the first tensor as it is."""
        try:
            return self.pooled().clone()
        except ValueError:
            return tensors_of(self.run())[0].clone()

    def places(self, change):
        """[(name, (before, after))] for the outputs of all modules, by position, in the order of their calls."""
        sides = []
        for each in (None, change):
            found = []
            hooks = [
                inner.register_forward_hook(lambda *args, name=name, found=found: found.append((name, args[2])))
                for module in self.modules
                for name, inner in module.named_modules()
            ]
            try:
                self.run(each)
            finally:
                for hook in hooks:
                    hook.remove()
            rows = [(name, self._by_position(out, self.B, self.T)) for name, o in found for out in tensors_of(o)[:1]]
            sides.append([(name, out.flatten(2)) for name, out in rows if out is not None and out.dim() > 2])
        if [name for name, _ in sides[0]] != [name for name, _ in sides[1]]:
            return []  # different modules ran for the changed text
        return [(name, (before, after)) for (name, before), (_, after) in zip(*sides, strict=True)]

    def _by_position(self, out, B, T):
        """The output as (B, T, ...), or None; its positions may be on another axis than the text's, or flattened."""
        if self.batch is None:
            return out.movedim(self.axis, 0)[None] if out.dim() > self.axis and out.size(self.axis) == T else None
        if out.dim() > max(self.axis, self.batch) and (out.size(self.axis), out.size(self.batch)) == (T, B):
            return out.movedim((self.batch, self.axis), (0, 1))
        if not out.dim() or out.size(0) not in (B, B * T):
            return None
        if out.size(0) == B * T and B > 1 and T > 1:
            return out.unflatten(0, (B, T))
        axes = [axis for axis in range(1, out.dim()) if out.size(axis) == T]
        return out.movedim(axes[0], 1) if len(axes) == 1 else None

    def whole(self):
        """The cached outputs for the unchanged text."""
        if self.double not in self._whole:
            self._whole[self.double] = self.pooled().clone()
        return self._whole[self.double]

    def prefix(self, t):
        """The outputs for the first t positions alone."""
        return self.outputs(lambda x: x.narrow(self.axis, 0, t), lambda value: self._cut(value, t), T=t)

    def _cut(self, value, t):
        """Cut masks (..., T, T) or (..., 1, T), and rows for each position, (B, T), (T,), (T, C) or (1, T, C)."""
        n, whole = value.dim(), value
        if n and value.size(-1) == self.T:
            value = value.narrow(-1, 0, t)
        if n > 1 and value.size(-2) == self.T and (value is not whole or n == 2 or value.size(0) == 1):
            items = n == 2 and self.B == self.T and self.batch is not None
            value = value if items else value.narrow(-2, 0, t)
        return value

    def items(self, index, columns=None):
        """The outputs for one item alone, or for some of its positions only."""
        columns = torch.arange(self.T, device=self.device) if columns is None else columns.nonzero().flatten()

        def part(x):
            return x.narrow(self.batch, index, 1).index_select(self.axis, columns)

        def cut(value):
            if value.dim() > 1 and value.size(0) == self.B and tuple(value.shape) != (self.T, self.T):
                value = value.narrow(0, index, 1)
            for axis in range(value.dim()):
                if len(columns) < self.T == value.size(axis) and (axis or value.dim() == 1):
                    value = value.index_select(axis, columns)
            return value

        return self.pooled(part, cut, B=1, T=len(columns))

    def changed(self, where, fill=None):
        """A function that changes the text where `where`, (B, T) bool, is True, to other tokens or to `fill`."""

        def change(x):
            shape = [1] * x.dim()
            if self.batch is not None:
                shape[self.batch] = self.B
            shape[self.axis] = self.T
            mask = (where.T if self.batch == 1 else where).reshape(shape)
            return torch.where(mask, others(x) if fill is None else torch.full_like(x, fill), x)

        return change

    def everywhere(self, positions=None, items=None):
        """(B, T) bool: True at these positions of these items, each a slice or an index."""
        where = torch.zeros(self.B, self.T, dtype=torch.bool, device=self.device)
        where[slice(None) if items is None else items, slice(None) if positions is None else positions] = True
        return where

    # ------------------------------------------------------------ judging

    def apart(self, measure, limit=OTHER_SHAPES):
        """The difference of two outputs, or 0 if it is rounding.

        measure  a function that runs the model and returns both; called again in float64 where rounding is in doubt
        """
        far, size, dtype = distance(*measure())
        if far <= (max(limit * size, 10 * self.noise) if self.tolerance is None else self.tolerance):
            return 0.0
        if self.tolerance is not None or far == math.inf:
            return far
        try:
            with self.in_double():
                exact, exact_size, _ = distance(*measure())
        except Exception:  # a model that cannot run in float64
            return far if far > COARSE.get(dtype, 1e-4) * size else 0.0
        return far if exact > max(limit * exact_size, 10 * self.noise) else 0.0

    def exactly(self, function):
        """Call the function in float64, or as it is if the model cannot run in float64."""
        try:
            with self.in_double():
                return function()
        except Exception:
            return function()

    @contextmanager
    def in_double(self, made=torch.float64):
        """Run with parameters, buffers and inputs in float64, and put the same tensors back afterwards.

        made     the default dtype for tensors that the model makes itself, such as a mask
        """
        default, before = torch.get_default_dtype(), self.double
        try:
            with restored(self.modules):
                for module in self.modules:
                    for tensor in (*module.parameters(), *module.buffers()):
                        if tensor.is_floating_point():
                            tensor.data = tensor.data.double()
                torch.set_default_dtype(made)
                self.double = True
                yield
        finally:
            torch.set_default_dtype(default)
            self.double = before

    @contextmanager
    def at_rest(self, repeatable=True):
        """Run in evaluation mode without gradients, and restore modes, buffers and random state afterwards.

        Errors: Unrepeatable if two runs of the model differ, so that nothing else can be tested
        """
        with resting(self.modules):
            if repeatable:
                self.noise = refuse_random(lambda: self._whole.clear() or self.whole())
            yield


class Unrepeatable(AssertionError):
    """Two runs on the same input differ, so that nothing else can be tested."""


def refuse_random(run):
    """Return by how much two runs differ, at most by rounding.

    Errors: Unrepeatable if they differ by more, with the likely reason
    """
    on_cpu = not (torch.cuda.is_available() or torch.backends.mps.is_available())

    def run_from(seed):
        (torch.default_generator if on_cpu else torch).manual_seed(seed)  # torch.manual_seed asks all devices, slowly
        return run().clone()

    first = run_from(0)
    far, size, dtype = distance(first, run_from(1))
    rounding = 0.1 * COARSE.get(dtype, 1e-4) * size
    if far <= rounding:
        return far
    if distance(first, run_from(0))[0] <= rounding:
        raise Unrepeatable(
            f"two runs on the same input differ by {far:.2g}: the model is random, so that nothing else can be asked; "
            "look for dropout that evaluation does not turn off (assert_modes)"
        )
    raise Unrepeatable(
        "two runs on the same input differ, from the same random numbers, too: the model keeps something from one run "
        "to the next, so that nothing else can be asked; look for a cache that is not emptied"
    )


@contextmanager
def resting(modules):
    """Run modules in evaluation mode without gradients, and restore them and the random state afterwards."""
    cuda = {p.device.index for module in modules for p in module.parameters() if p.device.type == "cuda"}
    fast = torch.backends.mha.get_fastpath_enabled()  # torch's own layers compute differently in evaluation
    try:
        with torch.random.fork_rng(devices=sorted(cuda)), torch.no_grad(), restored(modules):
            torch.backends.mha.set_fastpath_enabled(False)
            for module in modules:
                module.eval()
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)


@contextmanager
def restored(modules):
    """Restore attributes (including modes), parameters and the numbers in buffers afterwards."""
    inner = list({id(m): m for module in modules for m in module.modules()}.values())
    kept = [(each, dict(each)) for m in inner for each in (vars(m), m._buffers) if isinstance(each, dict)]
    tensors = [(t, t.data, None) for m in inner for t in m._parameters.values() if t is not None]
    tensors += [(b, b.data, b.detach().clone()) for m in inner for b in m._buffers.values() if b is not None]
    try:
        yield
    finally:
        for each, before in kept:
            each.clear()
            each.update(before)
        with torch.no_grad():
            for tensor, data, numbers in tensors:
                tensor.data = data
                if numbers is not None and not torch.equal(data, numbers):
                    data.copy_(numbers)


def modules_of(model):
    """The model, or the modules that a function refers to."""
    found, queue, seen = [], [model], set()
    while queue:
        each = queue.pop(0)
        if id(each) in seen or isinstance(each, torch.Tensor):
            continue
        seen.add(id(each))
        if isinstance(each, nn.Module):
            found.append(each)
        elif isinstance(each, functools.partial):
            queue += [each.func, *each.args, *each.keywords.values()]
        elif inspect.ismethod(each):
            queue += [each.__self__, each.__func__]
        elif inspect.isfunction(each):
            names = each.__code__.co_names
            cells = [cell.cell_contents for cell in each.__closure__ or () if cell != types.CellType()]
            queue += [*cells, *(each.__globals__[name] for name in names if name in each.__globals__)]
            queue += each.__defaults__ or ()
        elif isinstance(each, (list, tuple, dict)):
            queue += list(each.values()) if isinstance(each, dict) else list(each)
        elif not inspect.isclass(each) and not inspect.ismodule(each) and hasattr(each, "__dict__"):
            queue += [*vars(each).values(), *([type(each).__call__] if each is model else [])]
        if len(seen) > 1000:
            break
    return found


def recurrent_layer(modules):
    """The class name of a recurrent layer, whose state no mask protects from padding, or ''."""
    names = (type(each).__name__ for module in modules for each in module.modules())
    return next((name for name in names if name in ("RNN", "LSTM", "GRU") or RECURRENT.search(name)), "")


def parameters_of(model):
    """The names of a model's positional parameters, of those without a default, and of all parameters."""
    try:
        each = inspect.signature(model.forward if isinstance(model, nn.Module) else model).parameters.values()
    except (TypeError, ValueError):  # built into torch
        return [""] * 9, [], []
    more, names = [""] * 9 * any(p.kind == p.VAR_POSITIONAL for p in each), [p.name for p in each]
    each = [p for p in each if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [p.name for p in each] + more, [p.name for p in each if p.default is p.empty], names


def is_function_of_length(value):
    return inspect.isfunction(value) and len(parameters_of(value)[1]) == 1


def is_sequence_first(model):
    """Whether the model, or a layer inside one of torch's own, has batch_first=False."""
    layers = model.modules() if type(model).__module__ in TORCHS else [model]
    return any(getattr(layer, "batch_first", True) is False for layer in layers)


def tensors_of(result, depth=2):
    """The float tensors in a model's result, the logits first."""
    if isinstance(result, torch.Tensor):
        return [result] if result.is_floating_point() else []
    if not depth:
        return []
    first = [getattr(result, name, None) for name in NAMED]
    if isinstance(result, Mapping):
        first, rest = [result.get(name) for name in NAMED], result.values()
    else:
        rest = result if isinstance(result, (list, tuple)) else getattr(result, "__dict__", {}).values()
    parts = [*first, *(part for part in rest if not any(part is each for each in first))]
    return [tensor for part in parts for tensor in tensors_of(part, depth - 1)]


def others(x, seed=0):
    """Different ids, none above the largest in x; or vectors with noise of the same size added."""
    draw = torch.Generator().manual_seed(seed)
    if x.is_floating_point():
        size = x.detach().float().std().item() if x.numel() > 1 else 0
        return x + ((size or 1.0) * torch.randn(x.shape, generator=draw)).to(x)
    n = int(x.max()) + 1
    if n < 2:
        raise ValueError("the text must have two different ids at least, got only 0")
    return (x + 1 + torch.randint(n - 1, x.shape, generator=draw).to(x)) % n


def refuse_nan(outputs):
    """Errors: AssertionError if an output is NaN."""
    if outputs.isnan().any():
        raise AssertionError("outputs are not numbers (NaN); look for a row of -inf before a softmax")


def distance(a, b):
    """(largest difference, largest number, dtype); the difference is inf if only one is NaN, or shapes differ."""
    if a.shape != b.shape:
        return math.inf, 0.0, a.dtype
    if not a.numel():
        return 0.0, 0.0, a.dtype
    a, b, dtype = a.double(), b.double(), a.dtype
    differences = torch.where((a == b) | (a.isnan() & b.isnan()), 0, (a - b).abs()).nan_to_num(nan=math.inf)
    sizes = torch.cat([a.flatten(), b.flatten()]).abs()
    return differences.max().item(), torch.where(sizes.isfinite(), sizes, 0).max().item(), dtype


def far(apart):
    return f"by {apart:.2g}" if apart < math.inf else "in shape, or one is not finite"
