"""Record the results and arguments of torch functions in one run, including those called outside any module."""

import math
from dataclasses import dataclass, field, replace
from unittest import mock

import torch
import torch.nn.functional as F
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

PRODUCTS = ("matmul", "__matmul__", "bmm", "mm", "linear", "einsum", "baddbmm", "addmm", "conv1d", "conv2d")
BIASED = ("baddbmm", "addmm")


@dataclass(eq=False)
class Operation:
    """One result of a function. `live` means that it depends on the input; a leaf, which no function made, has no name.

    numbers: the floats among the arguments, such as an epsilon
    factors: copies of the operands of a product, rows times columns
    attention: q, k, v, scores and weights of a fused attention
    """

    name: str
    value: torch.Tensor
    sources: list
    live: bool
    time: int = -1
    parameter: str = ""
    numbers: tuple = ()
    factors: tuple = ()
    order: tuple = ()  # for a product, the permutation that arranges its result as (..., rows, columns)
    attention: tuple = ()
    users: list = field(default_factory=list)


class Layer(nn.Module):
    """A stand-in module for a product with a parameter that no module computes: forward(x) computes it again."""

    def __init__(self, function, args, kwargs, at, weight):
        super().__init__()
        self.again, self.weight = (function, args, kwargs, at), nn.Parameter(weight.detach(), requires_grad=False)

    def forward(self, x):
        function, args, kwargs, at = self.again
        return function(*args[:at], x, *args[at + 1 :], **kwargs)


class Operations(TorchFunctionMode):
    """Keep every result in the order of computation, with the times of a Recorder; values: whether to copy numbers."""

    def __init__(self, recorder, model, inputs, values):
        super().__init__()
        self.recorder, self.values, self.found = recorder, values, []
        self.made = {}  # {id of a tensor: (the tensor, kept so that its id is not reused; its operation)}
        self.linear = {name for name, module in model.named_modules() if isinstance(module, nn.Linear)}
        self.parameters = {**dict(model.named_parameters()), **dict(model.named_buffers())}
        for name, parameter in self.parameters.items():
            self._leaf(parameter, False, name)
        for x in inputs:
            self._leaf(x, True)

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is F.multi_head_attention_forward:  # record the functions that it calls
            with self, mock.patch.object(F, "has_torch_function", lambda *_: False):
                return func(*args, **kwargs)
        name = getattr(func, "__name__", "")
        layer = self._layer(func, args, kwargs) if name in PRODUCTS else None
        result = func(*args, **kwargs) if layer is None else self.recorder.run(*layer)
        results = tensors_in(args[0] if name == "__setitem__" else result)
        if results:
            given = (*args, *kwargs.values())
            sources = [self._of(x) for x in tensors_in(given)]
            one = Operation(name, None, sources, name in ("linear", "embedding") or any(x.live for x in sources))
            if not one.live:
                one.parameter = next((source.parameter for source in sources if source.parameter), "")
            one.numbers = tuple(x for x in tree_leaves(given) if isinstance(x, float))
            if self.values and name in PRODUCTS:
                one.factors, one.order = _factors(name, args, kwargs)
            if self.values and name == "scaled_dot_product_attention":
                one.attention = fused(*args, **kwargs)
            self.found += [self._keep(x, self._copy(one, x)) for x in results]
        return result

    def _copy(self, one, x):
        """Copy the operation for one of its results."""
        value = x.detach().clone() if self.values else x
        one = replace(one, value=value, time=self.recorder.tick(), users=[])
        for source in one.sources:
            source.users.append(one)
        return one

    def _layer(self, func, args, kwargs):
        """Return (name, Layer, its input) if this is a product with a parameter that no layer owns, else None."""
        places = [i for i, x in enumerate(args) if isinstance(x, torch.Tensor)]
        places = places[-2:] if func.__name__ in BIASED else places[:2]
        both = {i: self._of(args[i]) for i in places}
        live = [i for i in places if both[i].live]
        if len(places) < 2 or len(live) != 1:
            return None
        (at,), (weight_at,) = live, set(places) - set(live)
        name = both[weight_at].parameter
        own = self.recorder.open[-1].module if self.recorder.open else nn.Identity()
        matrices = [p for p in own.parameters() if p.dim() > 1]
        if not name or (len(matrices) == 1 and matrices[0] is self.parameters[name]):
            return None
        short = name.removesuffix(".weight")
        return short if short in self.linear else name, Layer(func, args, kwargs, at, args[weight_at]), args[at]

    def _of(self, x):
        return self.made[id(x)][1] if id(x) in self.made else self._leaf(x, False)

    def _leaf(self, x, live, parameter=""):
        value = x.detach().clone() if live else x.detach()
        return self._keep(x, Operation("", value, [], live, parameter=parameter))

    def _keep(self, x, one):
        self.made[id(x)] = x, one
        return one


def behind(one):
    """Trace an operation back to the nearest products: all live float results on the way, in order of time."""
    seen, todo = {}, [one]
    while todo:
        x = todo.pop()
        if x.live and id(x) not in seen:
            seen[id(x)] = x
            todo += [] if x.factors else x.sources
    return sorted((x for x in seen.values() if x.value.is_floating_point()), key=lambda x: x.time)


def tensors_in(tree):
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def _factors(name, args, kwargs):
    """Return the operands as (..., rows, inner) and (..., inner, columns), and the order of the result's axes."""
    if name == "einsum":
        return _of_einsum(*args)
    a, b = tensors_in((args, kwargs))[name in BIASED :][:2]
    if a.dim() < 2 or b.dim() < 2:
        return (), ()
    a, b = (x.detach().clone() for x in (a, b))
    return (a, b.mT if name == "linear" else b), ()


def _of_einsum(equation, *tensors):
    inputs, _, out = equation.replace(" ", "").partition("->")
    if len(tensors) != 2 or "." in inputs or not out:
        return (), ()
    left, right = inputs.split(",")
    rows, columns = ([c for c in out if c in one and c not in other] for one, other in ((left, right), (right, left)))
    inner = [c for c in left if c in right and c not in out]
    if not rows or not columns or not inner or set(left + right) != set(out) | set(inner):
        return (), ()
    lead = [c for c in out if c not in (rows[-1], columns[-1])]
    a = _arranged(tensors[0], left, lead, rows[-1], inner)
    b = _arranged(tensors[1], right, lead, columns[-1], inner).mT
    return (a, b), tuple(out.index(c) for c in (*lead, rows[-1], columns[-1]))


def _arranged(x, letters, lead, own, inner):
    """Arrange x as (lead, own, inner), with size 1 for leading axes that it lacks, and with the inner axes joined."""
    there = [c for c in lead if c in letters]
    x = x.detach().permute([letters.index(c) for c in (*there, own, *inner)]).flatten(len(there) + 1)
    return x[tuple(slice(None) if c in there else None for c in lead)].clone()


def fused(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """Return q, k, v, the scores and the weights of a call of `F.scaled_dot_product_attention`."""
    q, k, v = (x.detach().clone() for x in (query, key, value))
    if enable_gqa:
        k, v = (x.repeat_interleave(q.size(-3) // x.size(-3), -3) for x in (k, v))
    scores = q @ k.mT * (q.size(-1) ** -0.5 if scale is None else scale)
    if is_causal:
        attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril()
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        scores = scores.masked_fill(~attn_mask, -math.inf)
    elif attn_mask is not None:
        scores = scores + attn_mask
    return q, k, v, scores, scores.softmax(-1).nan_to_num(0.0)
