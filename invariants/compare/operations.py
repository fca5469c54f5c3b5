"""What torch's functions computed in one run, and from what: also where no module stands."""

import math
from dataclasses import dataclass, field
from unittest import mock

import torch
import torch.nn.functional as F
from torch import nn
from torch.overrides import TorchFunctionMode

PRODUCTS = ("matmul", "__matmul__", "bmm", "mm", "linear", "einsum", "baddbmm", "addmm", "conv1d", "conv2d")
BIASED = ("baddbmm", "addmm")
FUSED = "scaled_dot_product_attention"


@dataclass(eq=False)
class Operation:
    """One result of a function. `live` means that it depends on the input; a leaf, which nothing computed, has no name.

    numbers: those among the arguments, such as an epsilon
    factors: the two operands of a product, as they were then, rows times columns; attention: all of a fused one
    """

    name: str
    value: torch.Tensor
    sources: list
    live: bool
    time: int = -1
    parameter: str = ""
    numbers: tuple = ()
    factors: tuple = ()
    order: tuple = ()  # of a product, the axes that put its result as (..., rows, columns)
    attention: tuple = ()
    users: list = field(default_factory=list)


class Layer(nn.Module):
    """A product with a parameter that no module computes, as if one did: forward(x) computes it again."""

    def __init__(self, function, args, kwargs, at, weight_at):
        super().__init__()
        self.again = function, args, kwargs, at, weight_at
        self.weight = nn.Parameter(args[weight_at].detach(), requires_grad=False)
        bias = args[2] if len(args) > 2 else kwargs.get("bias")
        self.bias = None
        if function.__name__ == "linear" and bias is not None:
            self.bias = nn.Parameter(bias.detach(), requires_grad=False)

    def forward(self, x):
        function, args, kwargs, at, weight_at = self.again
        args = list(args)
        args[at], args[weight_at] = x, self.weight
        return function(*args, **kwargs) if self.bias is None else function(*args[:2], self.bias)


class Operations(TorchFunctionMode):
    """Keeps every result, in the order in which they are computed, for a Recorder, which tells the time.

    linear: the names of linear layers, which may not run as such; values: whether to keep what the results are
    """

    def __init__(self, recorder, parameters, linear, inputs, values):
        super().__init__()
        self.linear = linear
        self.recorder, self.values, self.found, self.of, self.kept = recorder, values, [], {}, []
        self.parameters, self.saved = parameters, {}
        for name, parameter in parameters.items():
            self._leaf(parameter, False, name)
        for x in inputs:
            self._leaf(x, True)

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is F.multi_head_attention_forward:  # go on inside of it
            with self, mock.patch.object(F, "has_torch_function", lambda *_: False):
                return func(*args, **kwargs)
        name = getattr(func, "__name__", "")
        if name == "__setitem__" or (name.endswith("_") and not name.endswith("__")):
            self._save(args[0])
        is_product = name in PRODUCTS
        if is_product and (found := self._layer(func, args, kwargs)) is not None:
            layer, at = found
            before, after = self.recorder.layer(*layer)
            args = (*args[:at], before(args[at]), *args[at + 1 :])
            result = after(func(*args, **kwargs))
        else:
            result = func(*args, **kwargs)
        factors = _factors(name, args, kwargs) if is_product and self.values else ()
        results = [x for x in _flat([args[0] if name == "__setitem__" else result]) if isinstance(x, torch.Tensor)]
        if not results:
            return result
        given = list(_flat((*args, *kwargs.values())))
        sources = [self._of(x) for x in given if isinstance(x, torch.Tensor)]
        numbers = tuple(x for x in given if isinstance(x, float))
        live = any(source.live for source in sources) or name in ("linear", "embedding")
        parameter = next((source.parameter for source in sources if source.parameter), "") if not live else ""
        attention = fused(*args, **kwargs) if name == FUSED and self.values else ()
        for x in results:
            value = x.detach().clone() if self.values else x
            one = Operation(
                name, value, sources, live, self.recorder.tick(), parameter, numbers, *(factors or ((), ()))
            )
            one.attention = attention
            for source in sources:
                source.users.append(one)
            self.found.append(one)
            self._keep(x, one)
        return result

    def _save(self, x):
        """Keep a parameter that the model is about to change."""
        name = self._of(x).parameter
        if name and name not in self.saved:
            self.saved[name] = self.parameters[name].detach().clone()

    def put_back(self):
        for name, before in self.saved.items():
            self.parameters[name].data.copy_(before)

    def _layer(self, func, args, kwargs):
        """((name, Layer), which argument it is given), if this is a product with a parameter that no layer owns."""
        places = [i for i, x in enumerate(args) if isinstance(x, torch.Tensor)][-2 if func.__name__ in BIASED else 0 :][
            :2
        ]
        if len(places) < 2:
            return None
        both = [self._of(args[i]) for i in places]
        at = next((i for i in (0, 1) if both[i].live and not both[1 - i].live and both[1 - i].parameter), None)
        if at is None:
            return None
        name = both[1 - at].parameter
        own = self.recorder.open[-1].module if self.recorder.open else None
        matrices = [p for p in own.parameters(recurse=False) if p.dim() > 1] if own is not None else []
        if len(matrices) == 1 and matrices[0] is self.parameters[name] and not any(True for _ in own.children()):
            return None
        layer = Layer(func, args, kwargs, places[at], places[1 - at])
        short = name.removesuffix(".weight")
        return (short if short in self.linear else name, layer), places[at]

    def _of(self, x):
        return self.of.get(id(x)) or self._leaf(x, False)

    def _leaf(self, x, live, parameter=""):
        value = x.detach().clone() if live else x.detach()
        return self._keep(x, Operation("", value, [], live, parameter=parameter))

    def _keep(self, x, one):
        self.kept.append(x)  # so that no other tensor gets its id
        self.of[id(x)] = one
        return one


def _flat(values):
    for x in values:
        if isinstance(x, (list, tuple)):
            yield from _flat(x)
        else:
            yield x


def _factors(name, args, kwargs):
    """The operands as (..., rows, inner) and (..., inner, columns), and the order that puts the result like that."""
    if name == "einsum":
        return _of_einsum(args)
    tensors = [x for x in (*args, *kwargs.values()) if isinstance(x, torch.Tensor)]
    if name in BIASED:
        tensors = tensors[1:]
    if len(tensors) < 2 or tensors[0].dim() < 2 or tensors[1].dim() < 2:
        return ()
    a, b = (x.detach().clone() for x in tensors[:2])
    if name == "linear":
        b = b.mT
    return (a, b), ()


def _of_einsum(args):
    if not isinstance(args[0], str) or "." in args[0] or len(args) != 3 or "->" not in args[0]:
        return ()
    inputs, out = args[0].replace(" ", "").split("->")
    left, right = inputs.split(",")
    rows, columns = ([c for c in out if c in one and c not in other] for one, other in ((left, right), (right, left)))
    inner = [c for c in left if c in right and c not in out]
    if not rows or not columns or not inner or set(left + right) != set(out) | set(inner):
        return ()
    lead = [c for c in out if c not in (rows[-1], columns[-1])]
    order = tuple(out.index(c) for c in (*lead, rows[-1], columns[-1]))
    a = _arranged(args[1], left, lead, [rows[-1]], inner)
    b = _arranged(args[2], right, lead, [columns[-1]], inner).mT
    return (a, b), order


def _arranged(x, letters, lead, own, inner):
    """x as (lead, own, inner), with axes of size 1 where it lacks a letter of the lead, and inner axes joined."""
    there = [c for c in lead if c in letters]
    x = x.detach().permute([letters.index(c) for c in (*there, *own, *inner)]).flatten(len(there) + 1)
    for i, c in enumerate(lead):
        x = x if c in there else x.unsqueeze(i)
    return x.clone()


def fused(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """What `F.scaled_dot_product_attention` computes from: q, k, v, then the scores and the weights."""
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
