"""Every place where a model attends: its queries, keys, scores, weights and results, whoever computes them."""

import math
from dataclasses import dataclass, replace

import torch

from invariants.compare.numbers import SAME, close, near
from invariants.compare.operations import Operation

JOINED = ("cat", "stack", "concat", "concatenate", "hstack")


@dataclass(eq=False)
class Site:
    """One attention: a product of two results of the input, and a second product that reads what became of the first.

    q, k, v and out: (..., rows, features); scores: everything between the products, as (..., T, S), the last being the
    weights as they were used; sources: the operations behind q, k and v, once for each head that is computed alone
    """

    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    scores: list
    out: torch.Tensor
    sources: list
    start: int
    end: int
    last: Operation


def sites_of(operations):
    """All in the order in which they end; heads that are computed one by one and then joined are one."""
    found = [_unfolded(site) for one in operations if (site := _fused(one) or _of_products(one)) is not None]
    groups = {}
    for site in found:
        groups.setdefault(id(_joined(site.last) or site), []).append(site)
    return [_together(group) for group in groups.values()]


def _fused(one):
    if not one.attention:
        return None
    q, k, v, scores, weights = one.attention
    return Site(q, k, v, [scores, weights], one.value, [one.sources[:3]], one.time, one.time, one)


def _unfolded(site):
    """With query heads that share keys in front of the positions, where they were folded into them."""
    tokens = behind(site.sources[0][0])[0].value.shape[:-1]
    times, rest = divmod(site.q.size(-2), tokens[-1]) if tokens else (1, 0)
    if rest or times < 2 or site.q.size(-2) in tokens:
        return site

    def unfold(x):
        return x.unflatten(-2, (times, -1)).flatten(-4, -3) if x.dim() > 3 else x.unflatten(-2, (times, -1))

    def repeat(x):
        return x.repeat_interleave(times, -3) if x.dim() > 3 else x.unsqueeze(-3).expand(-1, times, -1, -1)

    q, out = unfold(site.q), unfold(site.out)
    return replace(site, q=q, out=out, k=repeat(site.k), v=repeat(site.v), scores=[unfold(x) for x in site.scores])


def _operands(one):
    return one.sources[1:3] if one.name in ("baddbmm", "addmm") else one.sources[:2]


def _is_of_two(one):
    return bool(one.factors) and all(source.live for source in _operands(one))


def _of_products(one):
    if not _is_of_two(one):
        return None
    (weights, values), (a, b) = _operands(one), one.factors
    out = one.value.permute(one.order) if one.order else one.value
    between, first = _between(weights)
    if first is None:
        between, first = _between(values)
        values, a, b, out = weights, b.mT, a.mT, out.mT
    if first is None:
        return None
    q, k = first.factors[0], first.factors[1].mT
    lead = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2])
    shape = (*lead, q.size(-2), k.size(-2))
    if math.prod(shape) != first.value.numel():
        return None
    scores = []
    for x in (*(x.value for x in between), a):
        x = x.permute(first.order) if first.order and x.shape == first.value.shape and x is not a else x
        if x.numel() == math.prod(shape):
            scores.append(x.reshape(shape))
    q, k = (x.expand(*lead, *x.shape[-2:]) for x in (q, k))
    v = b.expand(*a.shape[:-2], *b.shape[-2:])
    sources = [(*_operands(first), values)]
    return Site(q, k, v, scores, out, sources, first.time, one.time, one)


def _between(one):
    """The operations from here back to the only product of two results of the input, and that product."""
    seen, todo, first = {}, [one], set()
    while todo:
        x = todo.pop()
        if not x.live or id(x) in seen:
            continue
        seen[id(x)] = x
        if x.factors:
            if _is_of_two(x):
                first.add(x)
        else:
            todo += x.sources
    if len(first) != 1:
        return [], None
    (first,) = first
    return sorted((x for x in seen.values() if x.value.numel() == first.value.numel()), key=lambda x: x.time), first


def _joined(one):
    """The operation that joins this result with those of other heads."""
    for _ in range(6):
        ahead = [x for x in one.users if not x.factors and x.live]
        if not ahead:
            return None
        one = ahead[0]
        if one.name in JOINED and len(one.sources) > 1:
            return one
    return None


def _together(group):
    one = group[0]
    alike = all(x.q.shape == one.q.shape and len(x.scores) == len(one.scores) for x in group)
    if len(group) == 1 or not alike:
        return group[-1]
    at = one.q.dim() - 2
    q, k, v, out = (torch.stack([getattr(x, name) for x in group], at) for name in ("q", "k", "v", "out"))
    scores = [torch.stack(each, at) for each in zip(*(x.scores for x in group), strict=True)]
    sources = [x.sources[0] for x in group]
    return Site(q, k, v, scores, out, sources, one.start, group[-1].end, _joined(one.last))


# ---------------------------------------------------------------- q, k and v, and the layers that they come from


@dataclass
class Operand:
    """Queries, keys or values in heads, (B, H, T, D), and how they were made of features (B, T, C) of some layer.

    heads are without the factor; layout: where among the layer's features its own are; given and weight: what the layer
    got, and its part of the weight, (C, features); whole: all that the layer gives
    """

    heads: torch.Tensor
    base: torch.Tensor | None = None
    factor: float = 1.0
    split: str = ""
    groups: str = ""
    turned: str = "none"
    layout: str = "in blocks"
    rows: object = None
    given: torch.Tensor | None = None
    weight: torch.Tensor | None = None
    whole: torch.Tensor | None = None
    origin: torch.Tensor | None = None  # base, but before a norm


def in_heads(x, batch, heads_first):
    """(..., T, D) -> (B, H, T, D)"""
    x = x.reshape(-1, *x.shape[-2:])
    if heads_first:
        return x.unflatten(0, (-1, batch)).transpose(0, 1)
    return x.unflatten(0, (batch, -1))


def behind(one):
    """Everything that it was made of, up to the first layer, which comes first."""
    seen, todo = {}, [one]
    while todo:
        x = todo.pop()
        if x.live and id(x) not in seen:
            seen[id(x)] = x
            if not x.factors:
                todo += x.sources
    return sorted((x for x in seen.values() if x.value.is_floating_point()), key=lambda x: x.time)


def operand(x, source, batches):
    """(Operand, (B, heads first)): what a tensor (..., T, D) is, and how its leading axes are read; or None.

    batches: the ways of reading them that are possible; where there are none, all are
    """
    T, N = x.size(-2), math.prod(x.shape[:-2])
    before = behind(source)
    for one in before:
        for base in _as_tokens(one.value, T):
            for heads_first in (False, True):
                way = base.size(0), heads_first
                if N % way[0] or (batches and way not in batches):
                    continue
                found = made_of(base, in_heads(x, *way))
                if found is not None:
                    return _before_norm(_of_layer(found, before[0], base), one, before), way
    return None


def _before_norm(found, one, before):
    """The same with what is known of the features before a norm, if they went through one."""
    first, T = next(x for x in before if x.value.shape == one.value.shape), found.base.size(1)
    if first is one:
        return found
    if one.value.dim() < 4:
        return replace(found, origin=found.rows(next(iter(_as_tokens(first.value, T)))))
    x = first.value if first.value.size(-2) == T else first.value.transpose(1, 2)
    again = operand(x, first, [(len(x), False)])
    if again is None or again[0].base.shape != found.base.shape:
        return found
    plain = again[0]
    apart = found.base - plain.base
    if near(apart, apart.flatten(0, 1).mean(0).expand_as(apart)):
        return found  # a bias that is added later
    same = {name: getattr(plain, name) for name in ("split", "layout", "rows", "given", "weight", "whole")}
    return replace(found, origin=plain.base, **same)


def _of_layer(found, layer, base):
    """The same with what is known about the layer."""
    if not layer.factors:
        return replace(found, origin=found.base)
    given, weight = layer.factors
    if weight.dim() == 4 and len(weight) == 1:  # (1, H, C, D)
        weight = weight[0].transpose(0, 1).flatten(1)
    weight = found.rows(weight) if weight.dim() == 2 and weight.size(-1) == base.size(-1) else None
    return replace(found, given=given, weight=weight, whole=base, origin=found.base)


def _as_tokens(x, T):
    """The features of T tokens as (B, T, C)."""
    if x.dim() == 4 and x.size(2) == T != x.size(1):
        x = x.transpose(1, 2)
    x = x.flatten(2) if x.dim() > 3 else x
    if x.dim() == 2 and x.size(0) % T == 0:
        yield x.unflatten(0, (-1, T))
    if x.dim() == 3:
        yield from (y for y in (x, x.transpose(0, 1)) if y.size(1) == T)


def made_of(base, x):
    B, H, T, D = x.shape
    for groups in (G for G in range(H, 0, -1) if H % G == 0 and base.size(-1) >= G * D):
        for name, fewer in _grouped(x, groups):
            for layout, rows in _rows(base.size(-1), groups, D):
                part = rows(base)
                for split, cut in _splits(part, groups, D):
                    found = _scaled_or_turned(cut, fewer)
                    if found is not None:
                        factor, turned = found
                        return Operand(x / factor, part, factor, split, name, turned, layout, rows)
    return None


def _grouped(x, groups):
    """Fewer heads, if each is there several times: one after another, or in turn."""
    H = x.size(1)
    if groups == H:
        yield "", x
        return
    after, turn = x.unflatten(1, (groups, -1)), x.unflatten(1, (-1, groups))
    if (after == after[:, :, :1]).all():
        yield "one after another, h // (H / G)" if groups > 1 else "", after[:, :, 0]
    elif (turn == turn[:, :1]).all():
        yield "in turn, h % G", turn[:, 0]


def _rows(width, groups, D):
    """Ways to find the features of one operand among those of a layer that computes several."""
    own = groups * D
    for start in range(0, width - own + 1, own):
        yield "in blocks", lambda x, start=start: x[..., start : start + own]
    times = width // own
    for i in range(times if times > 1 and width % own == 0 else 0):
        yield "head by head", lambda x, i=i: x.unflatten(-1, (groups, times, D))[..., i, :].flatten(-2)
    for i in range(times if times > 1 and width % own == 0 else 0):
        yield "feature by feature", lambda x, i=i: x.unflatten(-1, (own, times))[..., i]


def _splits(x, heads, D):
    yield "as usual", x.unflatten(-1, (heads, D)).transpose(1, 2)
    if heads > 1:
        yield "cut without the transpose", x.reshape(x.size(0), heads, x.size(1), D)
        if D > 1:
            yield "interleaved", x.unflatten(-1, (D, heads)).permute(0, 3, 1, 2)


def _scaled_or_turned(a, b):
    """(factor, how it is turned) with b = factor · a turned; None if it is not so."""
    lengths, others = a.square().sum(-1), b.square().sum(-1)
    within = SAME * float(others.max())
    square = float((lengths * others).sum() / lengths.square().sum().clamp(min=1e-30))
    if square <= 0 or not close(square * lengths, others, 4 * within):
        return None
    factor = square**0.5
    sign = 1 if (a * b).sum() >= 0 else -1
    within = SAME * float(b.abs().max())
    if close(sign * factor * a, b, within):
        return sign * factor, "none"
    turned = _turned(a, b / factor, within / factor)
    return turned and (factor, turned)


def _turned(a, b, within):
    """How positions were turned in pairs of features: every pair has a speed of its own; None if they were not."""
    D, T = a.size(-1), a.size(-2)
    otherwise = None
    for width in (w for w in range(2, D + 1, 2) if close(a[..., w:], b[..., w:], within)):
        for name in ("pairs", "halves"):
            x, y = (_complex(t[..., :width], name) for t in (a, b))
            angle = torch.angle((y * x.conj()).sum((0, 1)))  # (T, width / 2)
            label = f"turned in {name}" + ("" if width == D else f", {width} of {D} features")
            if close(_real(x * torch.polar(torch.ones_like(angle), angle)), _real(y), 2 * within):
                return label + (_speeds(angle, width) if T > 1 else "")
            if close(x.abs(), y.abs(), 2 * within):
                otherwise = otherwise or f"{label} by angles of something else"
    return otherwise


_real = torch.view_as_real


def _complex(x, name):
    x = x.unflatten(-1, (-1, 2)) if name == "pairs" else torch.stack(x.chunk(2, -1), -1)
    return torch.view_as_complex(x.contiguous())


def _speeds(angle, width):
    speed = torch.remainder(angle[1] - angle[0] + math.pi, 2 * math.pi) - math.pi
    way = 1 if speed[-1] >= 0 else -1
    slow = abs(float(speed[-1]))
    base = slow ** (-width / (width - 2)) if width > 2 and slow > 0 else 1.0
    first = round(float(angle[0, -1] / speed[-1])) if slow > 0 else 0
    expected = (torch.arange(len(angle), device=angle.device)[:, None] + first) * speed
    apart = torch.remainder(angle - expected + math.pi, 2 * math.pi) - math.pi
    if apart.abs().max() > 1e-2 * math.pi:
        return " by other angles"
    found = f", base {base:.3g}" if width > 2 else ""
    found += f", from position {first * way} on" if first else ""
    return found + (", the other way" if way < 0 else "")
