"""Find every place where a model attends, whatever code computes it: its queries, keys, scores, weights and results."""

import math
from dataclasses import dataclass, replace

import torch

from invariants.compare.operations import BIASED, Operation, behind

JOINED = ("cat", "stack", "concat", "concatenate", "hstack")


@dataclass(eq=False)
class Site:
    """One attention: a product of two tensors that depend on the input, and a second product that reads its result.

    q, k, v and out: (..., rows, features); scores: everything between the products, as (..., T, S), with the weights
    as used last; sources: the operations behind q, k and v, once for each head that is computed separately
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
    """Return all sites in the order in which they end; heads computed one by one and then joined make one site."""
    found = [_unfolded(site) for one in operations if (site := _site(one)) is not None]
    groups = {}
    for site in found:
        groups.setdefault(id(_joined(site.last) or site), []).append(site)
    return [_together(group) for group in groups.values()]


def _site(one):
    """Return the attention that ends with this operation, or None."""
    if one.attention:
        q, k, v, scores, weights = one.attention
        return Site(q, k, v, [scores, weights], one.value, [one.sources[:3]], one.time, one.time, one)
    if not _is_of_two(one):
        return None
    (weights, values), (a, b) = _operands(one), one.factors
    out = one.value.permute(one.order) if one.order else one.value
    between, first = _between(weights)
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
        if x.numel() == first.value.numel():
            scores.append(x.reshape(shape))
    q, k = (x.expand(*lead, *x.shape[-2:]) for x in (q, k))
    v = b.expand(*a.shape[:-2], *b.shape[-2:])
    return Site(q, k, v, scores, out, [(*_operands(first), values)], first.time, one.time, one)


def _operands(one):
    return one.sources[1:3] if one.name in BIASED else one.sources[:2]


def _is_of_two(one):
    """Whether it is a product of two tensors that depend on the input."""
    return bool(one.factors) and all(source.live for source in _operands(one))


def _between(one):
    """Return the operations back to the only product of two tensors that depend on the input, and that product."""
    steps = behind(one)
    first = [x for x in steps if x.factors and _is_of_two(x)]
    if len(first) != 1:
        return [], None
    return [x for x in steps if x.value.numel() == first[0].value.numel()], first[0]


def _unfolded(site):
    """Unfold query heads that share keys from the axis of positions, where they were folded into it."""
    tokens = behind(site.sources[0][0])[0].value.shape[:-1]
    times, rest = divmod(site.q.size(-2), tokens[-1]) if tokens else (1, 0)
    if rest or times < 2 or site.q.size(-2) in tokens or site.q.dim() < 4:
        return site

    q, out, *scores = (x.unflatten(-2, (times, -1)).flatten(-4, -3) for x in (site.q, site.out, *site.scores))
    k, v = (x.repeat_interleave(times, -3) for x in (site.k, site.v))
    return replace(site, q=q, out=out, k=k, v=v, scores=scores)


def _joined(one):
    """The operation that joins this result with those of other heads, or None."""
    for _ in range(6):
        ahead = [x for x in one.users if not x.factors and x.live]
        if not ahead:
            return None
        one = ahead[0]
        if one.name in JOINED and len(one.sources) > 1:
            return one
    return None


def _together(group):
    one, at = group[0], group[0].q.dim() - 2
    alike = all(x.q.shape == one.q.shape and len(x.scores) == len(one.scores) for x in group)
    if len(group) == 1 or not alike:
        return group[-1]
    q, k, v, out = (torch.stack([getattr(x, name) for x in group], at) for name in ("q", "k", "v", "out"))
    scores = [torch.stack(each, at) for each in zip(*(x.scores for x in group), strict=True)]
    sources = [x.sources[0] for x in group]
    return Site(q, k, v, scores, out, sources, one.start, group[-1].end, _joined(one.last))
