"""Pairs of models that agree: each is (mine, theirs, inputs, options of `compare`)."""

import copy
import math

import torch
import torch.nn.functional as F
from torch import nn

from helpers.bert import BertConfig, BertModel
from helpers.decoder import DecoderConfig
from helpers.grouped import GroupedQueryAttention
from helpers.heads import MultiHeadAttention
from helpers.masks import causal_mask
from helpers.relative_positions import rotate_halves, rotate_pairs
from models.distances import DistanceDecoder
from tests.invariants.ports import (
    APART,
    TORCHS,
    Gated,
    PortedAttention,
    PortedBlock,
    PortedModel,
    PortedRMSNorm,
    Wide,
    decoder_pair,
    drawn,
    encoder_pair,
    fill,
    ids,
    llama_block,
    load,
    noise,
    today_pair,
    torch_block,
    two_norms,
)

IDS = ids(29, 2, 7, seed=1)
REAL = torch.arange(7) < torch.tensor([[7], [4]])  # (B, T)


def bert_pair(**sizes):
    usual = {"hidden_size": 12, "num_attention_heads": 3, "num_hidden_layers": 2, "intermediate_size": 20}
    config = BertConfig(**{**usual, "max_position_embeddings": 11, "vocab_size": 29, **sizes})
    theirs = fill(BertModel(config), 4)
    return copy.deepcopy(theirs), theirs


class Block(nn.Module):
    def __init__(self, width, heads, wide):
        super().__init__()
        self.attention, self.norm1 = MultiHeadAttention(width, heads), nn.LayerNorm(width)
        self.feed_forward = nn.Sequential(nn.Linear(width, wide), nn.ReLU(), nn.Linear(wide, width))
        self.norm2 = nn.LayerNorm(width)

    def forward(self, x, mask):
        x = self.norm1(x + self.attention(x, mask=mask)[0])
        return self.norm2(x + self.feed_forward(x))


class AnnotatedAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.h, self.d_k = heads, width // heads
        self.linears = nn.ModuleList(nn.Linear(width, width) for _ in range(4))
        self.root = math.sqrt(self.d_k)

    def forward(self, query, key, value, mask):
        B = query.size(0)
        query, key, value = (
            layer(x).view(B, -1, self.h, self.d_k).transpose(1, 2)
            for layer, x in zip(self.linears, (query, key, value), strict=False)
        )
        weights = self.weigh(torch.matmul(query, key.transpose(-2, -1)) / self.root, mask)
        x = torch.matmul(weights, value).transpose(1, 2).contiguous().view(B, -1, self.h * self.d_k)
        return self.linears[-1](x)

    def weigh(self, scores, mask):
        return scores.masked_fill(mask == 0, -1e9).softmax(dim=-1)


class AnnotatedNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a_2, self.b_2, self.eps = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width)), 1e-5

    def forward(self, x):
        return (
            self.a_2 * (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, correction=0) + self.eps).sqrt()
            + self.b_2
        )


class AnnotatedLayer(nn.Module):
    def __init__(self, width, heads, wide):
        super().__init__()
        self.self_attn, self.n1 = AnnotatedAttention(width, heads), AnnotatedNorm(width)
        self.w_1, self.w_2, self.n2 = nn.Linear(width, wide), nn.Linear(wide, width), AnnotatedNorm(width)

    def forward(self, x, mask):
        x = self.n1(x + self.self_attn(x, x, x, mask))
        return self.n2(x + self.w_2(self.w_1(x).relu()))


def annotated_pair():
    theirs = fill(Block(20, 5, 33), 21)
    mine = AnnotatedLayer(20, 5, 33)
    names = {f"attention.{name}_proj": f"self_attn.linears.{i}" for i, name in enumerate(("q", "k", "v", "out"))}
    names |= {"feed_forward.0": "w_1", "feed_forward.2": "w_2"}
    names |= {"norm1": "n1", "norm2": "n2", "n1.weight": "n1.a_2", "n2.weight": "n2.a_2"}
    load(mine, theirs, names | {"n1.bias": "n1.b_2", "n2.bias": "n2.b_2"})
    real = torch.arange(9) < torch.tensor([[9], [6], [3]])
    return mine.eval(), theirs, (drawn(22, 3, 9, 20), real[:, None, None]), {}


class CrossPort(nn.Module):
    def __init__(self, width, heads, wide):
        super().__init__()
        self.own, self.other = MultiHeadAttention(width, heads), MultiHeadAttention(width, heads)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(width) for _ in range(3))
        self.fc1, self.fc2 = nn.Linear(width, wide), nn.Linear(wide, width)

    def forward(self, x, memory):
        x = self.norm1(x + self.own(x, causal=True)[0])
        x = self.norm2(x + self.other(x, self.source(x, memory))[0])
        return self.norm3(x + self.fc2(F.relu(self.fc1(x))))

    def source(self, x, memory):
        return memory


def cross_pair():
    theirs = fill(nn.TransformerDecoderLayer(16, 2, 36, batch_first=True), 23)
    mine = CrossPort(16, 2, 36)
    names = {"in_proj_": "{qkv}_proj.", "self_attn": "own", "multihead_attn": "other", "linear": "fc"}
    load(mine, theirs, names)
    generator = torch.Generator().manual_seed(24)
    inputs = (torch.randn(2, 5, 16, generator=generator), torch.randn(2, 8, 16, generator=generator))
    blocked = ~causal_mask(5)
    return mine.eval(), theirs, inputs, {"their_call": lambda model, x, memory: model(x, memory, tgt_mask=blocked)}


class QwenPort(nn.Module):
    def __init__(self, width, heads, groups, head):
        super().__init__()
        self.num_heads, self.head_dim, self.rope_theta = heads, head, 10000.0
        self.q_proj, self.o_proj = nn.Linear(width, heads * head, False), nn.Linear(heads * head, width, False)
        self.k_proj, self.v_proj = (nn.Linear(width, groups * head, False) for _ in range(2))
        self.q_norm, self.k_norm = nn.RMSNorm(head, eps=1e-6), nn.RMSNorm(head, eps=1e-6)

    def forward(self, x):
        shape = (*x.shape[:2], -1, self.head_dim)
        q = self.q_norm(self.q_proj(x).view(shape)).transpose(1, 2)
        k = self.k_norm(self.k_proj(x).view(shape)).transpose(1, 2)
        return self.o_proj(self.attend(*self.turn(q, k), self.v_proj(x).view(shape).transpose(1, 2)))

    def turn(self, q, k):
        places = torch.arange(q.size(2))
        return rotate_halves(q, places, self.rope_theta), rotate_halves(k, places, self.rope_theta)

    def attend(self, q, k, v):
        k, v = (x.repeat_interleave(q.size(1) // k.size(1), 1) for x in (k, v))
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return out.transpose(1, 2).flatten(2)


def qwen_pair():
    theirs = fill(GroupedQueryAttention(32, 8, 2, d_head=6, qk_norm=True), 25)
    mine = QwenPort(32, 8, 2, 6)
    load(mine, theirs, {"out_proj": "o_proj"})
    return mine.eval(), theirs, (drawn(26, 2, 10, 32),), {}


def distance_pair(kind):
    theirs = fill(DistanceDecoder(DecoderConfig(31, 16, 24, 4, 3, 40), kind), 27)
    return copy.deepcopy(theirs), theirs, (ids(31, 2, 9, seed=28),), {}


def relative_pair():
    sizes = {"hidden_size": 40, "num_attention_heads": 5, "num_hidden_layers": 3, "intermediate_size": 56}
    return *bert_pair(**sizes, position_embedding_type="relative_key"), (ids(29, 3, 8, seed=29),), {}


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
    """Embeds patches by a linear layer, and computes q, k and v by three layers."""

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
    load(mine.layers, theirs.blocks, {"att.qkv.": "att.w{qkv}.", "att.proj": "att.wo"})
    load(mine.last, theirs.norm)
    load(mine.out, theirs.head)
    mine.patches.weight.data, mine.patches.bias.data = theirs.patch_embed.weight.flatten(1), theirs.patch_embed.bias
    mine.first.data, mine.places.weight.data = theirs.cls_token.data[0, 0].clone(), theirs.pos_embed.data[0].clone()
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
    load(mine.tokens, theirs.embed)
    load(mine.blocks, theirs.layers, TORCHS)
    load(mine.logits, theirs.out)
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
    """Gemma with 1 + weight of each norm stored as the weight of an ordinary norm."""

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
    load(mine.wte, theirs.embed_tokens)
    for ours, attention, mlp in zip(mine.h, theirs.attns, theirs.mlps, strict=True):
        load(ours.att, attention, APART)
        load(ours.ffn, mlp)
    norms = (mine.h[0].ln1, mine.h[0].ln2, mine.h[1].ln1, mine.h[1].ln2, mine.ln_f)
    for ours, other in zip(norms, theirs.norms, strict=True):
        ours.weight.data = 1 + other.weight.data
    return mine.eval(), theirs, (ids(41, 2, 8),), {}


def torch_first():
    mine = fill(nn.TransformerEncoderLayer(15, 3, 22, batch_first=True, activation="gelu"), 61)
    theirs = torch_block(15, 3, 22, False)
    load(theirs, mine, TORCHS)
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


def masked_call(model, x, visible):
    return model(x, src_mask=~visible)


PAIRS = {
    "BERT": lambda: (*bert_pair(), (IDS,), {"mask": REAL[:, None, None]}),
    "torch": lambda: (*encoder_pair(), (drawn(2, 2, 7, 12), causal_mask(7)), {"their_call": masked_call}),
    "torch, norm first": lambda: (*encoder_pair(before=True), (drawn(2, 2, 7, 12),), {}),
    "decoder": lambda: (*decoder_pair(), (IDS,), {}),
    "Llama": lambda: (*today_pair(heads=6), (IDS,), {}),
    "annotated": annotated_pair,
    "cross": cross_pair,
    "qwen": qwen_pair,
    "ALiBi": lambda: distance_pair("alibi"),
    "rotary": lambda: distance_pair("rotary"),
    "relative BERT": relative_pair,
    "vision": vision_pair,
    "translator": translator_pair,
    "Gemma": gemma_pair,
    "torch first": torch_first,
    "parallel": parallel_pair,
    "reader": reader_pair,
}
