"""Pairs of models that `compare` had not seen when the faults in them were written, as in pairs.py."""

import copy
import math

import torch
import torch.nn.functional as F
from torch import nn

from helpers.grouped import GroupedQueryAttention
from helpers.heads import MultiHeadAttention
from helpers.relative_positions import rotate_halves, rotate_pairs
from tests.unit.ports_to_break import (
    FusedAttention,
    Gated,
    PortedAttention,
    PortedBlock,
    PortedRMSNorm,
    ReluWide,
    Wide,
    drawn,
    fill,
    ids,
    load,
    load_layers,
    load_stacked,
    load_torch_layer,
    noise,
    two_norms,
)


class Stack(nn.Module):
    def __init__(self, width, heads, wide):
        super().__init__()
        self.layers = nn.ModuleList(
            PortedBlock(PortedAttention(width, heads), ReluWide(width, wide), two_norms(width), True) for _ in range(2)
        )
        self.final = nn.LayerNorm(width)

    def forward(self, x, real):
        for layer in self.layers:
            x = layer(x, real[:, None, None])
        return self.final(x)


def stack_pair():
    layer = nn.TransformerEncoderLayer(16, 4, 28, batch_first=True, norm_first=True)
    theirs = fill(nn.TransformerEncoder(layer, 2, nn.LayerNorm(16), enable_nested_tensor=False), 42)
    mine = Stack(16, 4, 28)
    for ours, other in zip(mine.layers, theirs.layers, strict=True):
        load_torch_layer(ours, other)
    load_layers([(mine.final, theirs.norm)])
    real = torch.arange(6) < torch.tensor([[6], [4], [5]])
    x = noise(3, 6, 16)
    return mine.eval(), theirs, (x, real), {"their_call": lambda model, x, real: model(x, src_key_padding_mask=~real)}


class VisionAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.num_heads, self.qkv, self.proj = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        B, N, C = x.shape
        q, k, v = self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4).unbind(0)
        out = F.scaled_dot_product_attention(q, k, v)
        return self.proj(out.transpose(1, 2).reshape(B, N, C))


class VisionBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.attn = nn.LayerNorm(width, eps=1e-6), VisionAttention(width, heads)
        self.norm2 = nn.LayerNorm(width, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Vision(nn.Module):
    def __init__(self, width=20, heads=4, patches=9):
        super().__init__()
        self.patch_embed = nn.Conv2d(3, width, 4, 4)
        self.cls_token, self.pos_embed = (nn.Parameter(torch.zeros(1, n, width)) for n in (1, patches + 1))
        self.blocks = nn.Sequential(*(VisionBlock(width, heads) for _ in range(2)))
        self.norm, self.head = nn.LayerNorm(width, eps=1e-6), nn.Linear(width, 7)

    def forward(self, images):
        x = self.patch_embed(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls_token.expand(len(x), -1, -1), x], dim=1) + self.pos_embed
        return self.head(self.norm(self.blocks(x))[:, 0])


class MyVision(nn.Module):
    """Patches by a linear layer, q, k and v by three."""

    def __init__(self, width=20, heads=4, patches=9):
        super().__init__()
        self.patches = nn.Linear(48, width)
        self.first, self.places = nn.Parameter(torch.zeros(width)), nn.Embedding(patches + 1, width)
        self.layers = nn.ModuleList(
            PortedBlock(PortedAttention(width, heads), Wide(width, 2 * width), two_norms(width, 1e-6), True)
            for _ in range(2)
        )
        self.last, self.out = nn.LayerNorm(width, eps=1e-6), nn.Linear(width, 7)

    def forward(self, images):
        x = self.patches(self.cut(images))
        x = self.positioned(torch.cat([self.first.expand(len(x), 1, -1), x], dim=1))
        for layer in self.layers:
            x = layer(x)
        return self.out(self.pool(self.last(x)))

    def cut(self, images):
        return F.unfold(images, 4, stride=4).transpose(1, 2)

    def positioned(self, x):
        return x + self.places.weight[: x.size(1)]

    def pool(self, x):
        return x[:, 0]


def vision_pair():
    theirs = fill(Vision(), 43)
    mine = MyVision()
    load(mine.patches, theirs.patch_embed.weight.flatten(1), theirs.patch_embed.bias)
    mine.first.data, mine.places.weight.data = theirs.cls_token.data[0, 0].clone(), theirs.pos_embed.data[0].clone()
    for ours, other in zip(mine.layers, theirs.blocks, strict=True):
        load_stacked((ours.att.wq, ours.att.wk, ours.att.wv), other.attn.qkv.weight, other.attn.qkv.bias)
        load_layers(((ours.att.wo, other.attn.proj), (ours.ffn.up, other.mlp[0]), (ours.ffn.down, other.mlp[2])))
        load_layers(((ours.ln1, other.norm1), (ours.ln2, other.norm2)))
    load_layers(((mine.last, theirs.norm), (mine.out, theirs.head)))
    return mine.eval(), theirs, (drawn(44, 2, 3, 12, 12),), {}


class ScaledEmbedding(nn.Embedding):
    def forward(self, ids):
        return super().forward(ids) * math.sqrt(self.embedding_dim)


def waves(T, C):
    angles = torch.arange(T)[:, None] / 10000 ** (torch.arange(0, C, 2) / C)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


class Translator(nn.Module):
    def __init__(self, vocabulary=37, width=16, heads=2, wide=24):
        super().__init__()
        self.embed = ScaledEmbedding(vocabulary, width)
        self.register_buffer("pe", waves(30, width))
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(width, heads, wide, batch_first=True) for _ in range(2))
        self.out = nn.Linear(width, vocabulary)

    def forward(self, ids):
        x = self.embed(ids) + self.pe[: ids.size(1)]
        for layer in self.layers:
            x = layer(x)
        return self.out(x)


class MyTranslator(nn.Module):
    def __init__(self, vocabulary=37, width=16, heads=2, wide=24):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(
            PortedBlock(PortedAttention(width, heads), ReluWide(width, wide), two_norms(width), False) for _ in range(2)
        )
        self.logits = nn.Linear(width, vocabulary)

    def forward(self, ids):
        x = self.start(ids)
        for block in self.blocks:
            x = block(x)
        return self.logits(x)

    def start(self, ids):
        return self.tokens(ids) * 4.0 + self.places(ids.size(1))

    def places(self, T):
        return waves(T, 16)


def translator_pair():
    theirs = fill(Translator(), 45)
    mine = MyTranslator()
    load(mine.tokens, theirs.embed.weight)
    for ours, other in zip(mine.blocks, theirs.layers, strict=True):
        load_torch_layer(ours, other)
    load_layers([(mine.logits, theirs.out)])
    return mine.eval(), theirs, (ids(37, 2, 8),), {}


class OnePlusNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.zeros(width)), 1e-6

    def forward(self, x):
        return F.rms_norm(x, x.shape[-1:], 1 + self.weight, self.eps)


class TanhGated(Gated):
    def join(self, gate, up):
        return F.gelu(gate, approximate="tanh") * up


class GemmaBlock(nn.Module):
    def __init__(self, width, heads, groups, wide):
        super().__init__()
        self.input_norm, self.self_attn = OnePlusNorm(width), GroupedQueryAttention(width, heads, groups)
        self.post_norm, self.mlp = OnePlusNorm(width), TanhGated(width, wide)

    def forward(self, x):
        x = x + self.self_attn(self.input_norm(x))[0]
        return x + self.mlp(self.post_norm(x))


class Gemma(nn.Module):
    def __init__(self, vocabulary=41, width=24):
        super().__init__()
        self.embed_tokens = ScaledEmbedding(vocabulary, width)
        self.layers = nn.ModuleList(GemmaBlock(width, 6, 2, 32) for _ in range(2))
        self.norm = OnePlusNorm(width)

    def forward(self, ids):
        x = self.embed_tokens(ids)
        for layer in self.layers:
            x = layer(x)
        return self.norm(x) @ self.embed_tokens.weight.T


class Folded(nn.Module):
    def __init__(self, vocabulary=41, width=24):
        super().__init__()
        self.wte = nn.Embedding(vocabulary, width)
        self.h = nn.ModuleList(
            PortedBlock(
                PortedAttention(width, 6, 2, bias=False, turn=rotate_halves),
                TanhGated(width, 32),
                (PortedRMSNorm(width), PortedRMSNorm(width)),
                True,
            )
            for _ in range(2)
        )
        self.ln_f = PortedRMSNorm(width)

    def forward(self, ids):
        x = self.start(self.wte(ids))
        visible = torch.ones(ids.size(1), ids.size(1), dtype=torch.bool).tril()
        for block in self.h:
            x = block(x, visible)
        return self.ln_f(x) @ self.wte.weight.T

    def start(self, x):
        return x * math.sqrt(24)


def gemma_pair():
    theirs = Gemma()
    fill(theirs, 46)
    for norm in (module for module in theirs.modules() if isinstance(module, OnePlusNorm)):
        norm.weight.data -= 1
    mine = Folded()
    load(mine.wte, theirs.embed_tokens.weight)
    for ours, other in zip(mine.h, theirs.layers, strict=True):
        for letter in "qkv":
            load(getattr(ours.att, f"w{letter}"), getattr(other.self_attn, f"{letter}_proj").weight)
        load(ours.att.wo, other.self_attn.out_proj.weight)
        ours.ffn.load_state_dict(other.mlp.state_dict())
        load(ours.ln1, 1 + other.input_norm.weight)
        load(ours.ln2, 1 + other.post_norm.weight)
    load(mine.ln_f, 1 + theirs.norm.weight)
    return mine.eval(), theirs, (ids(41, 2, 8),), {}


class T5Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.relative_attention_bias = nn.Embedding(9, heads)

    def forward(self, x):
        q, k, v = (layer(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for layer in (self.q, self.k, self.v))
        T = x.size(1)
        apart = (torch.arange(T) - torch.arange(T)[:, None]).clamp(-4, 4) + 4
        scores = self.score(q, k) + self.relative_attention_bias(apart).permute(2, 0, 1)
        return self.o((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))

    def score(self, q, k):
        return q @ k.transpose(-2, -1)


class T5(nn.Module):
    def __init__(self, vocabulary=33, width=18):
        super().__init__()
        self.shared = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(
            PortedBlock(T5Attention(width, 3), Wide(width, 26), (PortedRMSNorm(width), PortedRMSNorm(width)), True)
            for _ in range(2)
        )
        self.final = PortedRMSNorm(width)
        for layer in self.layers:
            inner = layer.att.forward
            layer.att.forward = lambda x, visible, inner=inner: inner(x)

    def forward(self, ids):
        x = self.shared(ids)
        for layer in self.layers:
            x = layer(x)
        return self.final(x)


def torch_first():
    mine = fill(nn.TransformerEncoderLayer(15, 3, 22, batch_first=True, activation="gelu"), 61)
    theirs = PortedBlock(PortedAttention(15, 3), Wide(15, 22), two_norms(15), False)
    load_torch_layer(theirs, mine)
    return mine.eval(), theirs.eval(), (noise(2, 6, 15),), {}


class Parallel(nn.Module):
    def __init__(self, attention, width=24, layers=2, vocabulary=31):
        super().__init__()
        self.wte = nn.Embedding(vocabulary, width)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.atts = nn.ModuleList(attention() for _ in range(layers))
        self.ffns = nn.ModuleList(Wide(width, 30) for _ in range(layers))
        self.ln_f, self.lm_head = nn.LayerNorm(width), nn.Linear(width, vocabulary)

    def forward(self, ids):
        x = self.wte(ids)
        visible = torch.ones(ids.size(1), ids.size(1), dtype=torch.bool).tril()
        for norm, att, ffn in zip(self.norms, self.atts, self.ffns, strict=True):
            x = self.join(x, norm, att, ffn, visible)
        return self.lm_head(self.ln_f(x))

    def join(self, x, norm, att, ffn, visible):
        y = norm(x)
        return x + att(y, visible) + ffn(y)


def parallel_pair():
    theirs = fill(Parallel(lambda: PortedAttention(24, 4, turn=rotate_pairs)), 62)
    return copy.deepcopy(theirs), theirs, (ids(31, 2, 8),), {}


class Reader(nn.Module):
    def __init__(self, width=12, heads=2):
        super().__init__()
        self.latents = nn.Parameter(torch.zeros(4, width))
        self.norm_in, self.norm_latents = nn.LayerNorm(width), nn.LayerNorm(width)
        self.read, self.narrow = MultiHeadAttention(width, heads), nn.Linear(width, 5)

    def forward(self, x, real):
        queries = self.latents.expand(len(x), -1, -1)
        out, _ = self.read(self.norm_latents(queries), self.norm_in(x), self.visible(real))
        return self.narrow(self.join(queries, out).mean(1))

    def visible(self, real):
        return real[:, None, None]

    def join(self, queries, out):
        return queries + out


def reader_pair():
    theirs = fill(Reader(), 63).double()
    real = torch.arange(9) < torch.tensor([[9], [5], [7]])
    return copy.deepcopy(theirs), theirs, (noise(3, 9, 12).double(), real), {}


class Classifier(nn.Module):
    def __init__(self, attention, width=16, vocabulary=27):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(12, width)
        self.blocks = nn.ModuleList(
            PortedBlock(attention(), Wide(width, 24), two_norms(width), False) for _ in range(2)
        )
        self.pooler, self.classes = nn.Linear(width, width), nn.Linear(width, 3)

    def forward(self, ids):
        x = self.tokens(ids) + self.places(self.numbers(ids))
        for block in self.blocks:
            x = block(x)
        return self.classes(self.squash(self.pooler(self.pick(x))))

    def numbers(self, ids):
        return torch.arange(ids.size(1)).expand_as(ids)

    def pick(self, x):
        return x[:, 0]

    def squash(self, x):
        return torch.tanh(x)


def classifier_pair():
    theirs = fill(Classifier(lambda: FusedAttention(16, 4)), 64)
    mine = Classifier(lambda: PortedAttention(16, 4))
    own = set(mine.state_dict())
    mine.load_state_dict({n: x for n, x in theirs.state_dict().items() if n in own}, strict=False)
    for ours, other in zip(mine.blocks, theirs.blocks, strict=True):
        load_stacked((ours.att.wq, ours.att.wk, ours.att.wv), other.att.c_attn.weight, other.att.c_attn.bias)
    return mine.eval(), theirs, (ids(27, 3, 7),), {}


PAIRS = {
    "stack": stack_pair,
    "vision": vision_pair,
    "translator": translator_pair,
    "Gemma": gemma_pair,
    "T5": lambda: (fill(T5(), 47), fill(T5(), 47), (ids(33, 2, 7),), {}),
    "torch first": torch_first,
    "parallel": parallel_pair,
    "reader": reader_pair,
    "classifier": classifier_pair,
}
