"""Pairs of models that `compare` had not seen when the faults in them were written, as in pairs.py."""

import copy
import math

import torch
import torch.nn.functional as F
from torch import nn

from helpers.grouped import GroupedQueryAttention
from helpers.heads import MultiHeadAttention
from helpers.relative_positions import rotate_pairs
from tests.invariants.ports import (
    FusedAttention,
    Gated,
    PortedAttention,
    PortedBlock,
    PortedModel,
    PortedRMSNorm,
    Wide,
    drawn,
    fill,
    ids,
    llama_block,
    load,
    load_layers,
    load_stacked,
    load_torch_layer,
    noise,
    torch_block,
    two_norms,
)


class Stack(nn.Module):
    def __init__(self, width, heads, wide):
        super().__init__()
        self.layers = nn.ModuleList(torch_block(width, heads, wide, True, F.relu) for _ in range(2))
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

    def forward(self, x, visible):
        B, N, C = x.shape
        q, k, v = self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4).unbind(0)
        out = F.scaled_dot_product_attention(q, k, v)
        return self.proj(out.transpose(1, 2).reshape(B, N, C))


def vision_blocks(attention, width, heads):
    for _ in range(2):
        yield PortedBlock(attention(width, heads), Wide(width, 2 * width), two_norms(width, 1e-6), True)


class Vision(nn.Module):
    def __init__(self, width=20, heads=4, patches=9):
        super().__init__()
        self.patch_embed = nn.Conv2d(3, width, 4, 4)
        self.cls_token, self.pos_embed = (nn.Parameter(torch.zeros(1, n, width)) for n in (1, patches + 1))
        self.blocks = nn.Sequential(*vision_blocks(VisionAttention, width, heads))
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
        self.layers = nn.ModuleList(vision_blocks(PortedAttention, width, heads))
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
        load_stacked((ours.att.wq, ours.att.wk, ours.att.wv), other.att.qkv.weight, other.att.qkv.bias)
        load_layers(((ours.att.wo, other.att.proj), (ours.ffn.up, other.ffn.up), (ours.ffn.down, other.ffn.down)))
        load_layers(((ours.ln1, other.ln1), (ours.ln2, other.ln2)))
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
        self.blocks = nn.ModuleList(torch_block(width, heads, wide, False, F.relu) for _ in range(2))
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


class Gemma(nn.Module):
    def __init__(self, vocabulary=41, width=24):
        super().__init__()
        self.embed_tokens = ScaledEmbedding(vocabulary, width)
        self.attns = nn.ModuleList(GroupedQueryAttention(width, 6, 2) for _ in range(2))
        self.mlps = nn.ModuleList(TanhGated(width, 32) for _ in range(2))
        self.norms = nn.ModuleList(OnePlusNorm(width) for _ in range(5))

    def forward(self, ids):
        x = self.embed_tokens(ids)
        for i, (attention, mlp) in enumerate(zip(self.attns, self.mlps, strict=True)):
            x = x + attention(self.norms[2 * i](x))[0]
            x = x + mlp(self.norms[2 * i + 1](x))
        return self.norms[4](x) @ self.embed_tokens.weight.T


class Folded(PortedModel):
    """The 1 + weight of each norm is its weight."""

    def __init__(self, vocabulary=41, width=24):
        blocks = [llama_block(width, 6, 2, TanhGated(width, 32)) for _ in range(2)]
        super().__init__(vocabulary, width, blocks, PortedRMSNorm(width))

    def embed(self, ids):
        return self.wte(ids) * math.sqrt(24)


def gemma_pair():
    theirs = fill(Gemma(), 46)
    for norm in theirs.norms:
        norm.weight.data -= 1
    mine = Folded()
    load(mine.wte, theirs.embed_tokens.weight)
    for ours, attention, mlp in zip(mine.h, theirs.attns, theirs.mlps, strict=True):
        load_layers((getattr(ours.att, f"w{letter}"), getattr(attention, f"{letter}_proj")) for letter in "qkv")
        load_layers([(ours.att.wo, attention.out_proj)])
        ours.ffn.load_state_dict(mlp.state_dict())
    norms = (mine.h[0].ln1, mine.h[0].ln2, mine.h[1].ln1, mine.h[1].ln2, mine.ln_f)
    for ours, other in zip(norms, theirs.norms, strict=True):
        load(ours, 1 + other.weight)
    return mine.eval(), theirs, (ids(41, 2, 8),), {}


class T5Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.relative_attention_bias = nn.Embedding(9, heads)

    def forward(self, x, visible):
        q, k, v = (layer(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for layer in (self.q, self.k, self.v))
        T = x.size(1)
        apart = (torch.arange(T) - torch.arange(T)[:, None]).clamp(-4, 4) + 4
        scores = self.score(q, k) + self.relative_attention_bias(apart).permute(2, 0, 1)
        return self.o((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))

    def score(self, q, k):
        return q @ k.transpose(-2, -1)


def t5():
    norms = [PortedRMSNorm(18) for _ in range(5)]
    blocks = [PortedBlock(T5Attention(18, 3), Wide(18, 26), norms[i : i + 2], True) for i in (0, 2)]
    return fill(PortedModel(33, 18, blocks, norms[4]), 47)


def torch_first():
    mine = fill(nn.TransformerEncoderLayer(15, 3, 22, batch_first=True, activation="gelu"), 61)
    theirs = torch_block(15, 3, 22, False)
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
        self.blocks = nn.ModuleList(torch_block(width, 4, 24, False, attention=attention) for _ in range(2))
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
    theirs = fill(Classifier(FusedAttention), 64)
    mine = Classifier(PortedAttention)
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
    "T5": lambda: (t5(), t5(), (ids(33, 2, 7),), {}),
    "torch first": torch_first,
    "parallel": parallel_pair,
    "reader": reader_pair,
    "classifier": classifier_pair,
}
