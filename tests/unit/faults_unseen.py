"""Faults that were written, and committed, before `compare` had seen any of them: other models, and two faults at once.

`kinds` are the names that are right; where there are none, nothing may be said. `places` are the modules that may be
called the first.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from helpers.grouped import GroupedQueryAttention
from helpers.rotary import rotate_halves, rotate_pairs
from tests.unit.faults import noise, patch, reorder
from tests.unit.ports_to_break import Gated, PortedAttention, PortedBlock, PortedRMSNorm, Wide, fill

FAULTS = []


@dataclass(frozen=True)
class Unseen:
    pair: str
    name: str
    places: tuple
    kinds: tuple
    change: object  # of mine, in place

    def broken(self, pairs):
        mine, theirs, inputs, options = pairs[self.pair]()
        self.change(mine)
        return mine, theirs, inputs, options


def fault(pair, places, *kinds):
    def register(change):
        name = change.__name__.replace("_", " ").strip()
        FAULTS.append(Unseen(pair, name, tuple(places.split()) or ("",), kinds, change))
        return change

    return register


def load(layer, weight, bias=None):
    layer.weight.data = weight.detach().clone()
    if bias is not None:
        layer.bias.data = bias.detach().clone()


def load_torch_layer(block, theirs):
    """The numbers of a torch.nn.TransformerEncoderLayer, for a PortedBlock."""
    weights, biases = (getattr(theirs.self_attn, f"in_proj_{kind}").chunk(3) for kind in ("weight", "bias"))
    for layer, weight, bias in zip((block.att.wq, block.att.wk, block.att.wv), weights, biases, strict=True):
        load(layer, weight, bias)
    load(block.att.wo, theirs.self_attn.out_proj.weight, theirs.self_attn.out_proj.bias)
    for ours, other in (
        (block.ffn.up, theirs.linear1),
        (block.ffn.down, theirs.linear2),
        (block.ln1, theirs.norm1),
        (block.ln2, theirs.norm2),
    ):
        load(ours, other.weight, other.bias)


class ReluWide(Wide):
    def act(self, x):
        return F.relu(x)


def random_ids(high, *shape):
    return torch.randint(1, high, shape, generator=torch.Generator().manual_seed(41))


# ---------------------------------------------------------------- torch's encoder of two layers, with padding


class Stack(nn.Module):
    def __init__(self, width, heads, wide):
        super().__init__()
        self.layers = nn.ModuleList(
            PortedBlock(
                PortedAttention(width, heads),
                ReluWide(width, wide),
                (nn.LayerNorm(width), nn.LayerNorm(width)),
                True,
            )
            for _ in range(2)
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
    load(mine.final, theirs.norm.weight, theirs.norm.bias)
    real = torch.arange(6) < torch.tensor([[6], [4], [5]])
    x = noise(3, 6, 16)
    return mine.eval(), theirs, (x, real), {"their_call": lambda model, x, real: model(x, src_key_padding_mask=~real)}


@fault("stack", "layers.0.att.wo", "mask")
def padding_visible_and_the_rest_hidden(m):
    m.layers[0].att.hide = lambda s, v: s.masked_fill(v, -1e30)


@fault("stack", "layers.0.att.wo")
def scores_unscaled_and_the_mask_forgotten(m):
    m.layers[0].att.scale = lambda D: 1.0
    m.layers[0].att.hide = lambda s, v: s


@fault("stack", "layers.0.att.wo", "scale")
def scores_scaled_twice_and_then_another_activation(m):
    m.layers[0].att.scale = lambda D: 1 / D
    m.layers[1].ffn.act = F.gelu


@fault("stack", "layers.0.ffn.down", "activation")
def leaky_and_then_an_epsilon(m):
    m.layers[0].ffn.act = lambda x: F.leaky_relu(x)
    m.final.eps = 0.2


@fault("stack", "layers.0.ffn.down", "activation")
def squared_relu(m):
    m.layers[0].ffn.act = lambda x: F.relu(x) ** 2


@fault("stack", "layers.0.ffn.down")
def elu_for_relu(m):
    m.layers[0].ffn.act = F.elu


@fault("stack", "layers.1.ln2", "epsilon")
def an_epsilon_and_then_nothing(m):
    m.layers[1].ln2.eps = 0.02


@fault("stack", "layers.1.ln2")
def an_epsilon_and_a_weight_of_the_same_norm(m):
    m.layers[1].ln2.forward = lambda x: F.layer_norm(x, (16,), 1 + m.layers[1].ln2.weight, m.layers[1].ln2.bias, 0.1)


@fault("stack", "layers.0.att.wk", "parameter")
def keys_not_copied_and_scores_unscaled(m):
    m.layers[0].att.wk.weight.data = noise(16, 16) * 0.3
    m.layers[0].att.scale = lambda D: 1.0


@fault("stack", "layers.0.att.wo", "heads")
def heads_merged_in_another_order(m):
    m.layers[0].att.merge = lambda x: x.permute(0, 2, 3, 1).flatten(2)


@fault("stack", "layers.0.att.wo layers.0.att")
def what_attention_gives_is_halved_inside(m):
    inner = m.layers[0].att.merge
    m.layers[0].att.merge = lambda x: inner(x * torch.tensor([1.0, 0.5, 1.0, 1.0])[:, None, None])


@fault("stack", "layers.1.ln2 layers.1.ffn layers.1.ffn.up", "residual", "norm")
def second_half_reads_past_the_attention(m):
    m.layers[1].forward = lambda x, v: x + m.layers[1].ffn(m.layers[1].ln2(x))


@fault("stack", "layers.0", "scale", "residual")
def the_last_sum_scaled(m):
    m.layers[0].add_last = lambda x, change: (x + change) / math.sqrt(2)


# ---------------------------------------------------------------- a vision transformer


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
            PortedBlock(
                PortedAttention(width, heads),
                Wide(width, 2 * width),
                (nn.LayerNorm(width, eps=1e-6), nn.LayerNorm(width, eps=1e-6)),
                True,
            )
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
        weights, biases = other.attn.qkv.weight.chunk(3), other.attn.qkv.bias.chunk(3)
        for layer, weight, bias in zip((ours.att.wq, ours.att.wk, ours.att.wv), weights, biases, strict=True):
            load(layer, weight, bias)
        for one, two in (
            (ours.att.wo, other.attn.proj),
            (ours.ffn.up, other.mlp[0]),
            (ours.ffn.down, other.mlp[2]),
            (ours.ln1, other.norm1),
            (ours.ln2, other.norm2),
        ):
            load(one, two.weight, two.bias)
    load(mine.last, theirs.norm.weight, theirs.norm.bias)
    load(mine.out, theirs.head.weight, theirs.head.bias)
    return mine.eval(), theirs, (torch.randn(2, 3, 12, 12, generator=torch.Generator().manual_seed(44)),), {}


@fault("vision", "layers.0 layers.0.ln1", "positions", "residual")
def the_first_token_has_no_position(m):
    m.positioned = lambda x: torch.cat([x[:, :1], x[:, 1:] + m.places.weight[1:]], dim=1)


@fault("vision", "layers.0 layers.0.ln1", "positions", "residual")
def no_positions_at_all(m):
    m.positioned = lambda x: x


@fault("vision", "layers.0 layers.0.ln1", "positions", "parameter")
def rows_of_the_positions_rolled(m):
    m.places.weight.data = m.places.weight.data.roll(1, 0)


@fault("vision", "patches layers.0 layers.0.ln1", "transpose")
def patches_down_instead_of_across(m):
    m.cut = lambda images: F.unfold(images.transpose(2, 3), 4, stride=4).transpose(1, 2)


@fault("vision", "patches layers.0 layers.0.ln1", "order")
def colors_last_in_the_weight(m):
    m.patches.weight.data = m.patches.weight.data.view(20, 3, 16).transpose(1, 2).flatten(1).clone()


@fault("vision", "out", "positions", "source", "residual")
def the_mean_of_all_tokens(m):
    m.pool = lambda x: x.mean(1)


@fault("vision", "layers.0.ffn.down", "activation")
def tanh_in_the_vision_transformer(m):
    m.layers[0].ffn.act = lambda x: F.gelu(x, approximate="tanh")


@fault("vision", "layers.0.ffn.down")
def tanh_and_clamped(m):
    m.layers[0].ffn.act = lambda x: F.gelu(x, approximate="tanh").clamp(max=0.7)


@fault("vision", "layers.0.att.wo", "roles")
def queries_for_keys(m):
    inner = m.layers[0].att.project
    m.layers[0].att.project = lambda x: (lambda q, k, v: (k, q, v))(*inner(x))


@fault("vision", "layers.0.att.wo")
def queries_for_keys_in_interleaved_heads(m):
    inner = m.layers[0].att.project
    m.layers[0].att.project = lambda x: (lambda q, k, v: (k, q, v))(*inner(x))
    m.layers[0].att.split = lambda x, heads: x.view(*x.shape[:2], -1, heads).permute(0, 3, 1, 2)


@fault("vision", "layers.0.ln1", "parameter")
def a_norm_not_copied_and_then_no_scale(m):
    nn.init.ones_(m.layers[0].ln1.weight)
    m.layers[0].att.scale = lambda D: 1.0


@fault("vision", "last", "norm")
def root_mean_square_at_the_end(m):
    m.last.forward = lambda x: x / (x.square().mean(-1, keepdim=True) + 1e-6).sqrt() * m.last.weight + m.last.bias


@fault("vision", "layers.1.ffn.up", "dtype")
def a_layer_in_bfloat16(m):
    layer = m.layers[1].ffn.up
    layer.forward = lambda x: F.linear(x.bfloat16(), layer.weight.bfloat16(), layer.bias.bfloat16()).float()


@fault("vision", "layers.0.att.wv", "parameter", "scale")
def a_bias_of_the_values_negated_then_dropout(m):
    m.layers[0].att.wv.bias.data *= -1
    m.layers[1].ffn.act = lambda x: F.dropout(F.gelu(x), 0.2)


# ---------------------------------------------------------------- an encoder as in the first paper; √C in another module


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
            PortedBlock(
                PortedAttention(width, heads),
                ReluWide(width, wide),
                (nn.LayerNorm(width), nn.LayerNorm(width)),
                False,
            )
            for _ in range(2)
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
    load(mine.logits, theirs.out.weight, theirs.out.bias)
    return mine.eval(), theirs, (random_ids(37, 2, 8),), {}


EMBEDDING = "tokens blocks.0 blocks.0.att"


@fault("translator", EMBEDDING, "scale", "residual")
def the_root_of_the_width_forgotten(m):
    m.start = lambda ids: m.tokens(ids) + m.places(ids.size(1))


@fault("translator", EMBEDDING, "positions", "residual")
def positions_from_one_on(m):
    m.places = lambda T: waves(T + 1, 16)[1:]


@fault("translator", EMBEDDING)
def waves_side_by_side(m):
    m.places = lambda T: torch.cat([waves(T, 16)[:, ::2], waves(T, 16)[:, 1::2]], dim=1)


@fault("translator", EMBEDDING, "scale", "residual", "positions")
def positions_scaled_as_well(m):
    m.start = lambda ids: (m.tokens(ids) + m.places(ids.size(1))) * 4.0


@fault("translator", EMBEDDING, "norm")
def a_norm_too_many_at_the_start(m):
    m.start = lambda ids: F.layer_norm(m.tokens(ids) * 4.0 + m.places(ids.size(1)), (16,))


@fault("translator", "blocks.0.att.wq", "transpose")
def a_transposed_weight_after_the_other_scale(m):
    m.blocks[0].att.wq.weight.data = m.blocks[0].att.wq.weight.data.T.contiguous()


@fault("translator", "blocks.0.ln1", "residual", "norm")
def no_first_residual(m):
    m.blocks[0].add = lambda x, change: change


@fault("translator", "blocks.0.ln1 blocks.0.att.wq blocks.0.att", "norm", "residual")
def norms_before_for_after(m):
    m.blocks[0].before = True


@fault("translator", "blocks.1.ln2", "norm")
def a_root_mean_square_norm(m):
    norm = m.blocks[1].ln2
    norm.forward = lambda x: F.rms_norm(x, (16,), norm.weight, 1e-5) + norm.bias


@fault("translator", "blocks.1.att.wo", "softmax")
def softmax_over_queries(m):
    m.blocks[1].att.normalize = lambda s: s.softmax(-2)


@fault("translator", "logits", "parameter", "order", "positions")
def logits_moved_by_one(m):
    for parameter in m.logits.parameters():
        parameter.data = parameter.data.roll(1, 0)


# ---------------------------------------------------------------- Gemma's norms and embeddings, and folded ones


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
    return mine.eval(), theirs, (random_ids(41, 2, 8),), {}


@fault("Gemma", "wte h.0 h.0.ln1", "scale")
def embeddings_not_scaled(m):
    m.start = lambda x: x


@fault("Gemma", "h.0.ln1", "norm", "parameter")
def the_weight_of_a_norm_not_folded(m):
    m.h[0].ln1.weight.data -= 1


@fault("Gemma", "h.0.att.wo", "positions")
def turned_in_pairs(m):
    m.h[0].att.turn = rotate_pairs


@fault("Gemma", "h.0.att.wo")
def turned_in_pairs_and_heads_in_turn(m):
    m.h[0].att.turn = rotate_pairs
    m.h[0].att.repeat = lambda x: x.repeat(1, 6 // x.size(1), 1, 1)


@fault("Gemma", "h.0.att.wo", "heads")
def heads_read_keys_in_turn_and_then_silu(m):
    m.h[0].att.repeat = lambda x: x.repeat(1, 6 // x.size(1), 1, 1)
    m.h[0].ffn.join = lambda gate, up: F.silu(gate) * up


@fault("Gemma", "h.0.ffn.down_proj", "activation")
def exact_gelu_in_the_gate(m):
    m.h[0].ffn.join = lambda gate, up: F.gelu(gate) * up


@fault("Gemma", "h.1.ln2", "norm")
def the_mean_is_subtracted(m):
    norm = m.h[1].ln2
    norm.forward = lambda x: F.layer_norm(x, (24,), norm.weight, None, 1e-6)


@fault("Gemma", "h.1.att.wo", "mask")
def strictly_causal(m):
    m.h[1].att.hide = lambda s, v: s.masked_fill(~v.tril(-1), -1e30)


@fault("Gemma", "h.1.att.wo")
def softcapped_scores(m):
    m.h[1].att.hide = lambda s, v: (2 * torch.tanh(s / 2)).masked_fill(~v, -1e30)


@fault("Gemma", "h.0.att.wq", "order")
def rows_for_pairs_and_then_unscaled_scores(m):
    reorder(m.h[0].att.wq.weight, torch.arange(24).view(6, 2, 2).transpose(1, 2).flatten())
    m.h[0].att.scale = lambda D: 1.0


@fault("Gemma", "", "scale")
def logits_divided_by_a_temperature(m):
    inner = m.forward
    m.forward = lambda ids: inner(ids) / 0.7


# ---------------------------------------------------------------- T5: no scale, a learned bias for distances


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


def t5_pair():
    return fill(T5(), 47), fill(T5(), 47), (random_ids(33, 2, 7),), {}


@fault("T5", "layers.0.att.o")
def scores_divided_although_T5_does_not(m):
    attention = m.layers[0].att
    attention.score = lambda q, k: q @ k.transpose(-2, -1) * 6**-0.5


@fault("T5", "layers.0.att.relative_attention_bias", "order", "parameter")
def distances_reversed(m):
    table = m.layers[0].att.relative_attention_bias
    table.weight.data = table.weight.data.flip(0)


@fault("T5", "layers.1.att.o", "transpose")
def output_of_T5_transposed(m):
    m.layers[1].att.o.weight.data = m.layers[1].att.o.weight.data.T.contiguous()


@fault("T5", "layers.0.ffn.down", "activation")
def relu_as_in_the_first_T5(m):
    m.layers[0].ffn.act = F.relu


@fault("T5", "shared", "positions", "order", "source")
def tokens_in_reverse(m):
    patch(m.shared, "forward", lambda self, ids: F.embedding(ids, self.weight).flip(1))


@fault("T5", "final", "epsilon")
def epsilon_at_the_end_and_nothing_else(m):
    m.final.variance_epsilon = 0.03


@fault("T5", "layers.0.ln1", "parameter", "roles")
def two_norms_exchanged_and_then_an_activation(m):
    layer = m.layers[0]
    layer.ln1.weight.data, layer.ln2.weight.data = layer.ln2.weight.data.clone(), layer.ln1.weight.data.clone()
    m.layers[1].ffn.act = F.silu


PAIRS = {
    "stack": stack_pair,
    "vision": vision_pair,
    "translator": translator_pair,
    "Gemma": gemma_pair,
    "T5": t5_pair,
}
