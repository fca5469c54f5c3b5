"""The same attention in different coding styles, with the same parameters: pairs of models without common names."""

import itertools
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

from tests.invariants.ports import drawn, load

C, H = 20, 4


class Separate(nn.Module):
    def __init__(self):
        super().__init__()
        self.H = H
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(C, C) for _ in range(4))

    def forward(self, x):
        B, T, _ = x.shape
        q = self.wq(x).view(B, T, self.H, -1).transpose(1, 2)
        k = self.wk(x).view(B, T, self.H, -1).transpose(1, 2)
        v = self.wv(x).view(B, T, self.H, -1).transpose(1, 2)
        scores = q @ k.mT / q.size(-1) ** 0.5
        scores = scores.masked_fill(torch.ones(T, T).triu(1).bool(), float("-inf"))
        out = scores.softmax(-1) @ v
        return self.wo(out.transpose(1, 2).reshape(B, T, -1))

    def take(self, other):
        load(self, other)


class Stacked(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.proj = nn.Linear(C, 3 * C), nn.Linear(C, C)

    def forward(self, x):
        B, T, _ = x.shape
        q, k, v = self.qkv(x).reshape(B, T, 3, H, -1).permute(2, 0, 3, 1, 4)
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.proj(out.transpose(1, 2).reshape(B, T, C))

    def take(self, other):
        load(self, other, dict.fromkeys(("wq", "wk", "wv"), "qkv") | {"wo": "proj"})


class Einsum(nn.Module):
    """Plain parameters and einsum, without modules."""

    def __init__(self):
        super().__init__()
        self.WQ, self.WK, self.WV, self.WO = (nn.Parameter(torch.zeros(H, C, C // H)) for _ in range(4))
        self.bq, self.bk, self.bv = (nn.Parameter(torch.zeros(H, 1, C // H)) for _ in range(3))
        self.bo = nn.Parameter(torch.zeros(C))

    def forward(self, x):
        q = torch.einsum("btc,hcd->bhtd", x, self.WQ) + self.bq
        k = torch.einsum("btc,hcd->bhtd", x, self.WK) + self.bk
        v = torch.einsum("btc,hcd->bhtd", x, self.WV) + self.bv
        scores = torch.einsum("bhtd,bhsd->bhts", q, k) * q.size(-1) ** -0.5
        visible = torch.tril(torch.ones(x.size(1), x.size(1)))
        scores = torch.where(visible == 1, scores, -1e9)
        out = torch.einsum("bhts,bhsd->bhtd", scores.softmax(-1), v)
        return torch.einsum("bhtd,hcd->btc", out, self.WO) + self.bo

    def take(self, other):
        for letter in "qkv":
            layer = other.get_submodule(f"w{letter}")
            getattr(self, f"W{letter.upper()}").data = layer.weight.data.view(H, -1, C).mT.contiguous()
            getattr(self, f"b{letter}").data = layer.bias.data.view(H, 1, -1).clone()
        self.WO.data = other.wo.weight.data.view(C, H, -1).transpose(0, 1).contiguous()
        self.bo.data = other.wo.bias.data.clone()


class OneHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.key, self.query, self.value = (nn.Linear(C, C // H) for _ in range(3))

    def forward(self, x):
        k, q = self.key(x), self.query(x)
        w = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        w = w.masked_fill(torch.ones(w.shape[-2:]).tril() == 0, float("-inf"))
        return F.softmax(w, dim=-1) @ self.value(x)


class OneByOne(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads, self.proj = nn.ModuleList(OneHead() for _ in range(H)), nn.Linear(C, C)

    def forward(self, x):
        return self.proj(torch.cat([head(x) for head in self.heads], dim=-1))

    def take(self, other):
        load(self.proj, other.wo)
        for i, head in enumerate(self.heads):
            for own, layer in ((head.query, other.wq), (head.key, other.wk), (head.value, other.wv)):
                own.load_state_dict({name: x.chunk(H)[i] for name, x in layer.state_dict().items()})


class SequenceFirst(nn.Module):
    """Computes on (T, B, C), with batch items and heads in one axis."""

    def __init__(self):
        super().__init__()
        self.in_weight, self.in_bias = nn.Parameter(torch.zeros(3 * C, C)), nn.Parameter(torch.zeros(3 * C))
        self.out = nn.Linear(C, C)

    def forward(self, x):
        x = x.transpose(0, 1)
        T, B, _ = x.shape
        q, k, v = F.linear(x, self.in_weight, self.in_bias).chunk(3, dim=-1)
        q, k, v = (y.contiguous().view(T, B * H, -1).transpose(0, 1) for y in (q, k, v))
        w = torch.bmm(q * q.size(-1) ** -0.5, k.transpose(1, 2))
        w += torch.full((T, T), float("-inf")).triu(1)
        a = torch.bmm(F.softmax(w, dim=-1), v).transpose(0, 1)
        return self.out(a.contiguous().view(T, B, C)).transpose(0, 1)

    def take(self, other):
        load(self, other, dict.fromkeys(("wq.", "wk.", "wv."), "in_") | {"wo": "out"})


class Torchs(nn.Module):
    def __init__(self):
        super().__init__()
        self.mha = nn.MultiheadAttention(C, H, batch_first=True)

    def forward(self, x):
        return self.mha(x, x, x, attn_mask=torch.ones(x.size(1), x.size(1)).triu(1).bool(), need_weights=False)[0]

    def take(self, other):
        load(self.mha, other, dict.fromkeys(("wq.", "wk.", "wv."), "in_proj_") | {"wo": "out_proj"})


STYLES = (Separate, Stacked, Einsum, OneByOne, SequenceFirst, Torchs)


def pair(mine, theirs, change=lambda q, k, v, o: None):
    """Return a pair; change(q, k, v, o) may change the four projections of mine in place."""
    models, sources = (mine(), theirs()), (Separate(), Separate())
    for source in sources:
        for i, layer in enumerate(source.children()):
            layer.weight.data, layer.bias.data = drawn(i, C, C) * 0.3, drawn(10 + i, C) * 0.3
    change(*sources[0].children())
    for model, source in zip(models, sources, strict=True):
        model.take(source)
        model.eval()
    return *models, (drawn(20, 2, 7, C),), {}


PAIRS = {
    f"{one.__name__} and {other.__name__}": partial(pair, one, other)
    for one, other in itertools.permutations(STYLES, 2)
}


# ---------------------------------------------------------------- changes that another parameter cancels


def other_order(q, k, v, o):
    """Reorder the heads, and the columns of the output projection to match."""
    rows = torch.arange(C).view(H, -1)[[2, 0, 3, 1]].flatten()
    for parameter in (*q.parameters(), *k.parameters(), *v.parameters()):
        parameter.data = parameter.data[rows]
    o.weight.data = o.weight.data[:, rows]


def no_bias_of_keys(q, k, v, o):
    k.bias.data.zero_()


def bias_of_values_later(q, k, v, o):
    o.bias.data += o.weight.data @ v.bias.data
    v.bias.data.zero_()


def scale_in_keys(q, k, v, o):
    for parameter, other in zip(q.parameters(), k.parameters(), strict=True):
        parameter.data /= 2
        other.data *= 2


EQUAL = (other_order, no_bias_of_keys, bias_of_values_later, scale_in_keys)
