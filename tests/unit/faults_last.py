"""A second list of faults that `compare` had not seen when they were written and committed."""

import copy

import torch
import torch.nn.functional as F
from torch import nn

from helpers.heads import MultiHeadAttention
from helpers.relative_positions import rotate_pairs
from tests.unit.faults import noise
from tests.unit.pairs_unseen import load, load_torch_layer, random_ids, registering
from tests.unit.ports_to_break import FusedAttention, PortedAttention, PortedBlock, Wide, fill

FAULTS = []
fault = registering(FAULTS)


# ---------------------------------------------------------------- torch's layer as mine, a port as theirs


def torch_first():
    mine = fill(nn.TransformerEncoderLayer(15, 3, 22, batch_first=True, activation="gelu"), 61)
    theirs = PortedBlock(PortedAttention(15, 3), Wide(15, 22), (nn.LayerNorm(15), nn.LayerNorm(15)), False)
    load_torch_layer(theirs, mine)
    return mine.eval(), theirs.eval(), (noise(2, 6, 15),), {}


@fault("torch first", "self_attn.k_proj", "parameter")
def stacked_keys_not_copied(m):
    m.self_attn.in_proj_weight.data[15:30] = noise(15, 15)


@fault("torch first", "self_attn.v_proj", "order")
def stacked_values_interleaved(m):
    order = 30 + torch.arange(15).view(3, 5).T.flatten()
    for stacked in (m.self_attn.in_proj_weight, m.self_attn.in_proj_bias):
        stacked.data[30:] = stacked.data[order].clone()


@fault("torch first", "norm1", "epsilon")
def epsilon_of_torch(m):
    m.norm1.eps = 0.01


@fault("torch first", "linear2", "activation")
def relu_of_torch(m):
    m.activation = F.relu


@fault("torch first", "self_attn.q_proj", "order")
def stacked_queries_interleaved_and_then_a_clamp(m):
    order = torch.arange(15).view(3, 5).T.flatten()
    m.self_attn.in_proj_weight.data[:15] = m.self_attn.in_proj_weight.data[order].clone()
    inner = m.linear1.forward
    m.linear1.forward = lambda x: inner(x).clamp(-1, 1)


# ---------------------------------------------------------------- GPT-J's block: attention and feed-forward in parallel


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
    return copy.deepcopy(theirs), theirs, (random_ids(31, 2, 8),), {}


@fault("parallel", "ffns.0.up ffns.0", "residual", "norm", "source")
def one_after_the_other(m):
    def join(x, norm, att, ffn, visible):
        x = x + att(norm(x), visible)
        return x + ffn(x)

    m.join = join


@fault("parallel", "norms.1 ln_f", "residual", "scale")
def the_feed_forward_forgotten(m):
    m.join = lambda x, norm, att, ffn, visible: x + att(norm(x), visible) + 0 * ffn(norm(x))


@fault("parallel", "atts.0.wo", "positions")
def keys_turned_backwards(m):
    m.atts[0].turned = lambda q, k: (rotate_pairs(q, torch.arange(8)), rotate_pairs(k, -torch.arange(8)))


@fault("parallel", "atts.0.wo")
def half_of_each_head_turned(m):
    def turned(x):
        return torch.cat([rotate_pairs(x[..., :2], torch.arange(8)), x[..., 2:]], dim=-1)

    m.atts[0].turned = lambda q, k: (turned(q), turned(k))


@fault("parallel", "atts.0.wo", "mask")
def no_mask_and_then_a_bias(m):
    m.atts[0].hide = lambda s, v: s
    m.ffns[1].up.bias.data = noise(30)


@fault("parallel", "lm_head", "parameter", "scale")
def bias_of_the_head_doubled(m):
    m.lm_head.bias.data *= 2


@fault("parallel", "wte", "parameter")
def three_tokens_not_copied_and_no_mask(m):
    m.wte.weight.data[[3, 7, 12, 20, 25]] = noise(5, 24)
    m.atts[0].hide = lambda s, v: s


@fault("parallel", "atts.1.wo")
def scores_clipped(m):
    m.atts[1].hide = lambda s, v: s.clamp(-1, 1).masked_fill(~v, -1e30)


# ---------------------------------------------------------------- latents that read, in double precision


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


@fault("reader", "read.out_proj", "mask")
def padding_is_read(m):
    m.visible = lambda real: torch.ones_like(real)[:, None, None]


@fault("reader", "narrow", "residual")
def latents_not_added(m):
    m.join = lambda queries, out: out


@fault("reader", "norm_latents", "parameter", "residual")
def one_latent_not_copied(m):
    m.latents.data[2] = noise(12).double()


@fault("reader", "norm_in", "norm")
def no_norm_of_the_input(m):
    m.norm_in.forward = lambda x: x


@fault("reader", "read.v_proj", "dtype")
def values_in_half_precision(m):
    layer = m.read.v_proj
    layer.forward = lambda x: F.linear(x.half(), layer.weight.half(), layer.bias.half()).double()


@fault("reader", "norm_latents")
def noise_on_a_norm(m):
    inner = m.norm_latents.forward
    m.norm_latents.forward = lambda x: inner(x) + 0.05 * torch.sin(3 * x)


# ---------------------------------------------------------------- a classifier on fused attention


class Classifier(nn.Module):
    def __init__(self, attention, width=16, vocabulary=27):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(12, width)
        norms = [(nn.LayerNorm(width), nn.LayerNorm(width)) for _ in range(2)]
        self.blocks = nn.ModuleList(PortedBlock(attention(), Wide(width, 24), norms[i], False) for i in range(2))
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
        weights, biases = other.att.c_attn.weight.chunk(3), other.att.c_attn.bias.chunk(3)
        for layer, weight, bias in zip((ours.att.wq, ours.att.wk, ours.att.wv), weights, biases, strict=True):
            load(layer, weight, bias)
    return mine.eval(), theirs, (random_ids(27, 3, 7),), {}


@fault("classifier", "places", "positions")
def position_numbers_from_one(m):
    m.numbers = lambda ids: torch.arange(1, ids.size(1) + 1).expand_as(ids)


@fault("classifier", "pooler", "source", "positions")
def the_last_token_pooled(m):
    m.pick = lambda x: x[:, -1]


@fault("classifier", "classes", "activation")
def relu_for_tanh(m):
    m.squash = F.relu


@fault("classifier", "blocks.0.att.wo", "scale")
def unscaled_and_then_relu(m):
    m.blocks[0].att.scale = lambda D: 1.0
    m.blocks[1].ffn.act = F.relu


@fault("classifier", "blocks.0.att.wo", "parameter")
def values_of_a_fused_layer_not_copied(m):
    m.blocks[0].att.wv.weight.data = noise(16, 16)


@fault("classifier", "classes", "order", "parameter")
def two_classes_exchanged(m):
    for parameter in m.classes.parameters():
        parameter.data = parameter.data[[1, 0, 2]].clone()


@fault("classifier", "blocks.0.ln1", "residual", "scale")
def the_residual_halved_and_then_an_epsilon(m):
    m.blocks[0].add = lambda x, change: 0.5 * x + change
    m.blocks[1].ln2.eps = 0.3


PAIRS = {
    "torch first": torch_first,
    "parallel": parallel_pair,
    "reader": reader_pair,
    "classifier": classifier_pair,
}
