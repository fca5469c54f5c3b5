"""More faults, in other models and sizes; they were written after the causes that `compare` tries."""

import copy
import math

import torch
import torch.nn.functional as F
from torch import nn

from helpers.decoder import DecoderConfig
from helpers.grouped import GroupedQueryAttention, grouped_attention
from helpers.heads import MultiHeadAttention, merge_heads
from helpers.masks import causal_mask, masked_softmax
from helpers.relative_positions import alibi_bias, rotate_halves, rotate_pairs
from models.distances import DistanceDecoder
from tests.unit.faults import Fault, bert_pair, noise, patch, reorder
from tests.unit.ports_to_break import fill

FAULTS = []


def fault(pair, *kinds):
    def register(change):
        FAULTS.append(Fault(pair, change.__name__.replace("_", " "), kinds, change))
        return change

    return register


# ---------------------------------------------------------------- a post-norm block, and a port in the annotated style


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
    for ours, other in zip(mine.self_attn.linears, (a.q_proj, a.k_proj, a.v_proj, a.out_proj), strict=True):
        ours.load_state_dict(other.state_dict())
    mine.w_1.load_state_dict(theirs.feed_forward[0].state_dict())
    mine.w_2.load_state_dict(theirs.feed_forward[2].state_dict())
    for ours, other in ((mine.n1, theirs.norm1), (mine.n2, theirs.norm2)):
        ours.a_2.data, ours.b_2.data = other.weight.data.clone(), other.bias.data.clone()
    generator = torch.Generator().manual_seed(22)
    real = torch.arange(9) < torch.tensor([[9], [6], [3]])
    return mine.eval(), theirs, (torch.randn(3, 9, 20, generator=generator), real[:, None, None]), {}


@fault("annotated", "epsilon")
def a_large_epsilon(m):
    m.n2.eps = 0.05


@fault("annotated", "norm")
def sample_deviation(m):
    patch(
        m.n1, "forward", lambda s, x: s.a_2 * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6) + s.b_2
    )


@fault("annotated", "norm", "parameter")
def shift_of_the_norm_forgotten(m):
    patch(m.n1, "forward", lambda s, x: F.layer_norm(x, (20,), s.a_2, None, s.eps))


@fault("annotated", "scale", "setting")
def divided_by_d_k_itself(m):
    m.self_attn.root = 4.0


@fault("annotated", "mask")
def mask_the_wrong_way_around(m):
    patch(m.self_attn, "weigh", lambda s, scores, mask: scores.masked_fill(mask, -1e9).softmax(-1))


@fault("annotated", "mask")
def a_causal_mask_too_many(m):
    patch(m.self_attn, "weigh", lambda s, scores, mask: scores.masked_fill(~(mask & causal_mask(9)), -1e9).softmax(-1))


@fault("annotated", "mask")
def masked_scores_of_zero(m):
    patch(m.self_attn, "weigh", lambda s, scores, mask: scores.masked_fill(~mask, 0.0).softmax(-1))


@fault("annotated", "softmax")
def softmax_over_the_wrong_axis(m):
    patch(m.self_attn, "weigh", lambda s, scores, mask: scores.masked_fill(~mask, -1e9).softmax(-2))


@fault("annotated", "roles")
def values_from_the_key_layer(m):
    m.self_attn.linears[2].load_state_dict(m.self_attn.linears[1].state_dict())


@fault("annotated", "roles", "parameter")
def two_layers_exchanged(m):
    one, other = m.self_attn.linears[0], m.self_attn.linears[3]
    m.self_attn.linears[0], m.self_attn.linears[3] = other, one


@fault("annotated", "transpose")
def narrow_weight_transposed(m):
    m.self_attn.linears[1].weight.data = m.self_attn.linears[1].weight.data.T.contiguous()


@fault("annotated", "residual")
def feed_forward_without_its_residual(m):
    def forward(self, x, mask):
        x = self.n1(x + self.self_attn(x, x, x, mask))
        return self.n2(self.w_2(self.w_1(x).relu()))

    patch(m, "forward", forward)


@fault("annotated", "norm")
def norms_inside_the_residual(m):
    def forward(self, x, mask):
        x = x + self.n1(self.self_attn(x, x, x, mask))
        return x + self.n2(self.w_2(self.w_1(x).relu()))

    patch(m, "forward", forward)


@fault("annotated", "activation")
def leaky_activation(m):
    def forward(self, x, mask):
        x = self.n1(x + self.self_attn(x, x, x, mask))
        return self.n2(x + self.w_2(F.leaky_relu(self.w_1(x))))

    patch(m, "forward", forward)


@fault("annotated", "dropout")
def dropout_on_the_weights(m):
    patch(m.self_attn, "weigh", lambda s, scores, mask: F.dropout(scores.masked_fill(~mask, -1e9).softmax(-1), 0.2))


@fault("annotated")
def seven_percent_of_the_weights_pruned(m):
    inner = m.self_attn.weigh
    m.self_attn.weigh = lambda scores, mask: F.threshold(inner(scores, mask), 0.07, 0.0)


# ---------------------------------------------------------------- torch's decoder layer, with cross-attention


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
        for kind in ("weight", "bias"):
            for name, part in zip("qkv", getattr(other, f"in_proj_{kind}").chunk(3), strict=True):
                getattr(getattr(ours, f"{name}_proj"), kind).data = part.data.clone()
        ours.out_proj.load_state_dict(other.out_proj.state_dict())
    for name in ("norm1", "norm2", "norm3"):
        getattr(mine, name).load_state_dict(getattr(theirs, name).state_dict())
    mine.fc1.load_state_dict(theirs.linear1.state_dict())
    mine.fc2.load_state_dict(theirs.linear2.state_dict())
    generator = torch.Generator().manual_seed(24)
    inputs = (torch.randn(2, 5, 16, generator=generator), torch.randn(2, 8, 16, generator=generator))
    blocked = ~causal_mask(5)
    return mine.eval(), theirs, inputs, {"their_call": lambda model, x, memory: model(x, memory, tgt_mask=blocked)}


@fault("cross", "source")
def cross_attention_reads_itself(m):
    m.source = lambda x, memory: x


@fault("cross", "mask")
def the_future_is_visible(m):
    inner = m.own.forward
    m.own.forward = lambda x, causal: inner(x)


@fault("cross", "parameter")
def cross_values_not_copied(m):
    m.other.v_proj.weight.data = noise(16, 16)


@fault("cross", "parameter")
def bias_of_the_keys_not_copied(m):
    m.own.q_proj.bias.data = noise(16)


@fault("cross", "roles")
def stacked_in_another_order(m):
    state = copy.deepcopy(m.own.q_proj.state_dict())
    m.own.q_proj.load_state_dict(m.own.k_proj.state_dict())
    m.own.k_proj.load_state_dict(state)


@fault("cross", "activation")
def gelu_for_relu(m):
    def forward(self, x, memory):
        x = self.norm1(x + self.own(x, causal=True)[0])
        x = self.norm2(x + self.other(x, memory)[0])
        return self.norm3(x + self.fc2(F.gelu(self.fc1(x))))

    patch(m, "forward", forward)


@fault("cross", "heads")
def four_heads_for_two(m):
    m.other.num_heads = 4


@fault("cross", "order")
def heads_in_reverse(m):
    for layer in (m.own.v_proj,):
        for parameter in layer.parameters():
            reorder(parameter, torch.arange(16).view(2, 8).flip(0).flatten())


@fault("cross", "roles", "parameter")
def two_norms_exchanged(m):
    m.norm1, m.norm2 = m.norm2, m.norm1


@fault("cross", "dtype")
def a_weight_that_went_through_float16(m):
    m.fc1.weight.data = m.fc1.weight.data.half().float()


@fault("cross", "scale")
def cross_attention_unscaled(m):
    def attend(self, q, k, v, mask=None, causal=False, need_weights=False, head_mask=None):
        out = F.scaled_dot_product_attention(q, k, v, scale=1.0)
        return self.out_proj(merge_heads(out)), None

    patch(m.other, "attend", attend)


# ---------------------------------------------------------------- attention as in Qwen3


class QwenPort(nn.Module):
    def __init__(self, width, heads, groups, head):
        super().__init__()
        self.num_heads, self.head_dim, self.rope_theta = heads, head, 10000.0
        self.q_proj, self.k_proj = (
            nn.Linear(width, heads * head, bias=False),
            nn.Linear(width, groups * head, bias=False),
        )
        self.v_proj, self.o_proj = (
            nn.Linear(width, groups * head, bias=False),
            nn.Linear(heads * head, width, bias=False),
        )
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
    return mine.eval(), theirs, (torch.randn(2, 10, 32, generator=torch.Generator().manual_seed(26)),), {}


@fault("qwen", "positions")
def rotary_in_pairs(m):
    m.turn = lambda q, k: (rotate_pairs(q, torch.arange(10)), rotate_pairs(k, torch.arange(10)))


@fault("qwen", "positions", "setting")
def another_theta(m):
    m.rope_theta = 1000000.0


@fault("qwen", "positions")
def keys_one_behind(m):
    m.turn = lambda q, k: (rotate_halves(q, torch.arange(1, 11)), rotate_halves(k, torch.arange(10)))


@fault("qwen", "positions")
def no_rotation(m):
    m.turn = lambda q, k: (q, k)


@fault("qwen", "heads")
def groups_repeated_in_turn(m):
    def attend(self, q, k, v):
        k, v = (x.repeat(1, q.size(1) // k.size(1), 1, 1) for x in (k, v))
        return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)

    patch(m, "attend", attend)


@fault("qwen", "heads")
def merged_without_a_transpose(m):
    inner = m.attend
    m.attend = lambda q, k, v: inner(q, k, v).view(2, 10, 8, 6).transpose(1, 2).reshape(2, 10, 48)


@fault("qwen", "norm")
def query_norm_left_out(m):
    m.q_norm.forward = lambda x: x


@fault("qwen", "norm", "positions", "order")
def norms_after_the_rotation(m):
    def forward(self, x):
        shape = (*x.shape[:2], -1, self.head_dim)
        q, k, v = (layer(x).view(shape).transpose(1, 2) for layer in (self.q_proj, self.k_proj, self.v_proj))
        q, k = self.turn(q, k)
        return self.o_proj(self.attend(self.q_norm(q), self.k_norm(k), v))

    patch(m, "forward", forward)


@fault("qwen", "epsilon")
def an_epsilon_of_a_tenth(m):
    m.k_norm.eps = 0.1


@fault("qwen", "roles", "parameter")
def norms_of_q_and_k_exchanged(m):
    m.q_norm, m.k_norm = m.k_norm, m.q_norm


@fault("qwen", "scale")
def scaled_by_the_width(m):
    def attend(self, q, k, v):
        k, v = (x.repeat_interleave(4, 1) for x in (k, v))
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=48**-0.5).transpose(1, 2).flatten(2)

    patch(m, "attend", attend)


@fault("qwen")
def a_window_of_four(m):
    def attend(self, q, k, v):
        near = causal_mask(10) & ~torch.ones(10, 10).tril(-4).bool()
        return merge_heads(grouped_attention(q, k, v, near)[0])

    patch(m, "attend", attend)


@fault("qwen")
def a_sink_in_the_softmax(m):
    def attend(self, q, k, v):
        k, v = (F.pad(x, (0, 0, 1, 0)).repeat_interleave(4, 1) for x in (k, v))
        visible = F.pad(causal_mask(10), (1, 0), value=True)
        return merge_heads(F.scaled_dot_product_attention(q, k, v, visible))

    patch(m, "attend", attend)


# ---------------------------------------------------------------- notebook 09's decoders


def distance_pair(kind):
    theirs = fill(DistanceDecoder(DecoderConfig(31, 16, 24, 4, 3, 40), kind), 27)
    return (
        copy.deepcopy(theirs),
        theirs,
        (torch.randint(0, 31, (2, 9), generator=torch.Generator().manual_seed(28)),),
        {},
    )


@fault("ALiBi", "positions")
def the_bias_forgotten(m):
    m.blocks[0].attention.attend = lambda *args: MultiHeadAttention.attend(m.blocks[0].attention, *args)


@fault("ALiBi", "order", "positions")
def the_slopes_in_reverse(m):
    attention = m.blocks[1].attention

    def attend(self, q, k, v, mask=None, causal=False, need_weights=False, head_mask=None):
        scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5 + alibi_bias(4, 9, 9).flip(0)
        return self.out_proj(merge_heads(masked_softmax(scores, causal_mask(9)) @ v)), None

    patch(attention, "attend", attend)


@fault("rotary", "positions")
def halves_in_place_of_pairs(m):
    m.blocks[2].attention.turn = rotate_halves


@fault("rotary", "positions", "setting")
def a_base_of_five_hundred_thousand(m):
    m.blocks[0].attention.base = 500000.0


@fault("rotary", "order")
def rows_reordered_for_halves(m):
    order = torch.arange(24).view(4, 3, 2).transpose(1, 2).flatten()
    for layer in (m.blocks[0].attention.q_proj, m.blocks[0].attention.k_proj):
        for parameter in layer.parameters():
            reorder(parameter, order)


@fault("rotary", "roles", "parameter")
def two_blocks_exchanged(m):
    m.blocks[0], m.blocks[1] = m.blocks[1], m.blocks[0]


@fault("rotary", "roles", "parameter")
def one_block_used_twice(m):
    m.blocks[2] = m.blocks[1]


@fault("rotary", "norm")
def final_norm_left_out(m):
    m.norm = nn.Identity()


@fault("rotary", "scale")
def embeddings_twice_as_large(m):
    m._embed = lambda ids, past, real: 2 * m.tokens(ids)


@fault("rotary", "activation")
def tanh_approximation(m):
    m.blocks[1].feed_forward[1] = nn.GELU(approximate="tanh")


@fault("rotary", "residual", "norm")
def residual_from_the_normed(m):
    block = m.blocks[1]

    def step(self, x, past=None, mask=None, head_mask=None, need_weights=False):
        normed = self.norm1(x)
        q, k, v = self.attention.project(normed, normed)
        out, weights = self.attention.attend(q, k, v, None, True, False, None)
        return self._feed(normed + out), weights, (k, v)

    patch(block, "step", step)


@fault("rotary", "dropout")
def dropout_of_a_list(m):
    m.dropout.forward = lambda x: F.dropout(x, 0.05, training=True)


# ---------------------------------------------------------------- a larger BERT, with relative positions


def relative_pair():
    mine, theirs = bert_pair(
        hidden_size=40,
        num_attention_heads=5,
        num_hidden_layers=3,
        intermediate_size=56,
        position_embedding_type="relative_key",
    )
    return mine, theirs, (torch.randint(1, 29, (3, 8), generator=torch.Generator().manual_seed(29)),), {}


@fault("relative BERT", "order")
def distances_the_other_way(m):
    table = m.encoder.layer[0].attention.self.distance_embedding
    table.weight.data = table.weight.data.flip(0)


@fault("relative BERT", "parameter", "positions")
def distances_one_off(m):
    table = m.encoder.layer[1].attention.self.distance_embedding
    table.weight.data = table.weight.data.roll(-1, 0)


@fault("relative BERT", "parameter")
def one_row_of_a_weight(m):
    m.encoder.layer[2].intermediate.dense.weight.data[5] = 0.0


@fault("relative BERT", "scale")
def a_weight_halved(m):
    m.encoder.layer[1].output.dense.weight.data *= 0.5


@fault("relative BERT", "scale")
def a_weight_negated(m):
    m.encoder.layer[1].attention.self.value.weight.data *= -1


@fault("relative BERT", "order")
def columns_permuted(m):
    layer = m.encoder.layer[0].attention.output.dense
    layer.weight.data = layer.weight.data[:, torch.arange(40).view(5, 8).T.flatten()].clone()


@fault("relative BERT", "dtype")
def all_in_bfloat16_once(m):
    for parameter in m.encoder.layer[0].parameters():
        parameter.data = parameter.data.bfloat16().float()


@fault("relative BERT")
def relative_scores_not_divided(m):
    attention = m.encoder.layer[0].attention.self
    inner = attention._relative_scores
    attention._relative_scores = lambda q, k, first: inner(q, k, first) * 8**0.5


PAIRS = {
    "annotated": annotated_pair,
    "cross": cross_pair,
    "qwen": qwen_pair,
    "ALiBi": lambda: distance_pair("alibi"),
    "rotary": lambda: distance_pair("rotary"),
    "relative BERT": relative_pair,
}
