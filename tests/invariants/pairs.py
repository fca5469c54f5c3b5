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
from helpers.relative_positions import rotate_halves
from models.distances import DistanceDecoder
from tests.invariants.ports import (
    decoder_pair,
    drawn,
    encoder_pair,
    fill,
    ids,
    load_layers,
    load_stacked,
    today_pair,
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
    a = theirs.attention
    load_layers(zip(mine.self_attn.linears, (a.q_proj, a.k_proj, a.v_proj, a.out_proj), strict=True))
    load_layers(((mine.w_1, theirs.feed_forward[0]), (mine.w_2, theirs.feed_forward[2])))
    for ours, other in ((mine.n1, theirs.norm1), (mine.n2, theirs.norm2)):
        ours.a_2.data, ours.b_2.data = other.weight.data.clone(), other.bias.data.clone()
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
    for ours, other in ((mine.own, theirs.self_attn), (mine.other, theirs.multihead_attn)):
        load_stacked((ours.q_proj, ours.k_proj, ours.v_proj), other.in_proj_weight, other.in_proj_bias)
        load_layers([(ours.out_proj, other.out_proj)])
    load_layers((getattr(mine, name), getattr(theirs, name)) for name in ("norm1", "norm2", "norm3"))
    load_layers(((mine.fc1, theirs.linear1), (mine.fc2, theirs.linear2)))
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
    state = {name.replace("out_proj", "o_proj"): tensor.clone() for name, tensor in theirs.state_dict().items()}
    mine.load_state_dict(state)
    return mine.eval(), theirs, (drawn(26, 2, 10, 32),), {}


def distance_pair(kind):
    theirs = fill(DistanceDecoder(DecoderConfig(31, 16, 24, 4, 3, 40), kind), 27)
    return copy.deepcopy(theirs), theirs, (ids(31, 2, 9, seed=28),), {}


def relative_pair():
    sizes = {"hidden_size": 40, "num_attention_heads": 5, "num_hidden_layers": 3, "intermediate_size": 56}
    return *bert_pair(**sizes, position_embedding_type="relative_key"), (ids(29, 3, 8, seed=29),), {}


def masked_call(model, x, visible):
    return model(x, src_mask=~visible)


PAIRS = {
    "BERT": lambda: (*bert_pair(), (IDS,), {"mask": REAL[:, None, None]}),
    "torch": lambda: (*encoder_pair(), (drawn(2, 2, 7, 12), causal_mask(7)), {"their_call": masked_call}),
    "torch, norm first": lambda: (*encoder_pair(before=True), (drawn(2, 2, 7, 12),), {}),
    "decoder": lambda: (*decoder_pair(), (IDS,), {}),
    "Llama": lambda: (*today_pair(width=24, heads=6, groups=3), (IDS,), {}),
    "annotated": annotated_pair,
    "cross": cross_pair,
    "qwen": qwen_pair,
    "ALiBi": lambda: distance_pair("alibi"),
    "rotary": lambda: distance_pair("rotary"),
    "relative BERT": relative_pair,
}
