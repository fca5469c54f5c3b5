"""Find how queries, keys and values in heads were made from a layer's features: split, shared, scaled and rotated."""

import math
from dataclasses import dataclass, replace

import torch

from invariants.compare.numbers import SAME, close, near
from invariants.compare.operations import behind


@dataclass
class Operand:
    """Queries, keys or values in heads, (B, H, T, D), and how they were made from features (B, T, C) of some layer.

    heads: without the factor; layout: where its features are among the layer's; given: the layer's input;
    weight: the part of the layer's weight that computes them, (C, features); whole: the layer's full output
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

    @property
    def normed(self):
        """Whether there is a norm between origin and base: it gives each vector a factor and each feature a weight."""
        if self.origin is None or self.base is None or near(self.base, self.origin):
            return "none"
        ratio = (self.base / self.origin).unflatten(-1, (-1, self.heads.size(-1))).flatten(0, 2)
        apart = near(ratio * ratio[0, 0], ratio[:, :1] * ratio[:1])
        return "one" if apart and not near(ratio, ratio[:1].expand_as(ratio)) else "unknown"


def in_heads(x, batch, heads_first):
    """(..., T, D) -> (B, H, T, D)"""
    x = x.reshape(-1, *x.shape[-2:])
    if heads_first:
        return x.unflatten(0, (-1, batch)).transpose(0, 1)
    return x.unflatten(0, (batch, -1))


def operand(x, source, ways):
    """Return (Operand, (B, heads first)) for a tensor (..., T, D), or None; the pair tells how to read its other axes.

    ways: the allowed pairs (B, heads first); if empty, all are
    """
    T, N = x.size(-2), math.prod(x.shape[:-2])
    before = behind(source)
    for one in before:
        for base in _as_tokens(one.value, T):
            for way in ((base.size(0), False), (base.size(0), True)):
                if N % way[0] == 0 and (not ways or way in ways):
                    found = _made_of(base, in_heads(x, *way))
                    if found is not None:
                        return _before_norm(_of_layer(found, before[0], base), one, before), way
    return None


def _of_layer(found, layer, base):
    """Add to an Operand what is known about its layer."""
    found = replace(found, origin=found.base)
    if not layer.factors:
        return found
    given, weight = layer.factors
    if weight.dim() == 4 and len(weight) == 1:  # (1, H, C, D)
        weight = weight[0].transpose(0, 1).flatten(1)
    weight = found.rows(weight) if weight.dim() == 2 and weight.size(-1) == base.size(-1) else None
    return replace(found, given=given, weight=weight, whole=base)


def _before_norm(found, one, before):
    """Add to an Operand its features before the norm, if they went through one."""
    first, T = next(x for x in before if x.value.shape == one.value.shape), found.base.size(1)
    if first is one:
        return found
    if one.value.dim() < 4:
        return replace(found, origin=found.rows(next(_as_tokens(first.value, T))))
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


def _as_tokens(x, T):
    """Yield each way to read x as the features of T tokens, (B, T, C)."""
    if x.dim() == 4 and x.size(2) == T != x.size(1):
        x = x.transpose(1, 2)
    x = x.flatten(2) if x.dim() > 3 else x
    if x.dim() == 3:
        yield from (y for y in (x, x.transpose(0, 1)) if y.size(1) == T)


def _made_of(base, x):
    _, H, _, D = x.shape
    for groups in (G for G in range(H, 0, -1) if H % G == 0 and base.size(-1) >= G * D):
        for shared, fewer in _grouped(x, groups):
            for layout, rows in _rows(base.size(-1), groups, D):
                part = rows(base)
                for split, cut in _splits(part, groups, D):
                    factor, turned = _scaled_or_turned(cut, fewer)
                    if factor is not None:
                        return Operand(x / factor, part, factor, split, shared, turned, layout, rows)
    return None


def _grouped(x, groups):
    """Yield the distinct heads if each is repeated: consecutively, or in turn."""
    H = x.size(1)
    after, turn = x.unflatten(1, (groups, -1)), x.unflatten(1, (-1, groups))
    if groups == H:
        yield "", x
    elif (after == after[:, :, :1]).all():
        yield "one after another, h // (H / G)" if groups > 1 else "", after[:, :, 0]
    elif (turn == turn[:, :1]).all():
        yield "in turn, h % G", turn[:, 0]


def _rows(width, groups, D):
    """Yield the ways to pick one operand's features from those of a layer that computes several operands."""
    own = groups * D
    for start in range(0, width - own + 1, own):
        yield "in blocks", lambda x, start=start: x[..., start : start + own]
    times, rest = divmod(width, own)
    for i in range(times if times > 1 and not rest else 0):
        yield "head by head", lambda x, i=i: x.unflatten(-1, (groups, times, D))[..., i, :].flatten(-2)


def _splits(x, heads, D):
    yield "as usual", x.unflatten(-1, (heads, D)).transpose(1, 2)
    if heads > 1:
        yield "cut without the transpose", x.reshape(x.size(0), heads, x.size(1), D)
        yield "interleaved", x.unflatten(-1, (D, heads)).permute(0, 3, 1, 2)


def _scaled_or_turned(a, b):
    """Return (factor, rotation) if b is a, scaled and rotated; else (None, "")."""
    lengths, others = a.square().sum(-1), b.square().sum(-1)
    square = float((lengths * others).sum() / lengths.square().sum().clamp(min=1e-30))
    if square <= 0 or not close(square * lengths, others, 4 * SAME * float(others.max())):
        return None, ""
    factor = square**0.5
    signed = factor if (a * b).sum() >= 0 else -factor
    within = SAME * float(b.abs().max())
    if close(signed * a, b, within):
        return signed, "none"
    turned = _turned(a, b / factor, within / factor)
    return (factor, turned) if turned else (None, "")


def _turned(a, b, within):
    """Describe a rotation by position in pairs of features, each pair at its own speed; "" if there is none."""
    D, T = a.size(-1), a.size(-2)
    for width in (w for w in range(2, D + 1, 2) if close(a[..., w:], b[..., w:], within)):
        for name in ("pairs", "halves"):
            x, y = (_complex(t[..., :width], name) for t in (a, b))
            angle = torch.angle((y * x.conj()).sum((0, 1)))  # (T, width / 2)
            expected = x * torch.polar(torch.ones_like(angle), angle)
            if close(torch.view_as_real(expected), torch.view_as_real(y), 2 * within):
                label = f"turned in {name}" + ("" if width == D else f", {width} of {D} features")
                return label + (_speeds(angle, width) if T > 1 else "")
    return ""


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
