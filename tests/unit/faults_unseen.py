"""Faults that were written, and committed, before `compare` had seen any of them: other models, and two faults at once.

`kinds` are the names that are right; where there are none, nothing may be said. `places` are the modules that may be
called the first.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

from helpers.relative_positions import rotate_pairs
from tests.unit.faults import noise, patch, reorder
from tests.unit.pairs_unseen import registering, waves

FAULTS = []
fault = registering(FAULTS)


# ---------------------------------------------------------------- torch's encoder of two layers, with padding


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


@fault("vision", "layers.0.att.wo", "parameter", "scale")  # theirs has one layer for q, k and v
def a_bias_of_the_values_negated_then_dropout(m):
    m.layers[0].att.wv.bias.data *= -1
    m.layers[1].ffn.act = lambda x: F.dropout(F.gelu(x), 0.2)


# ---------------------------------------------------------------- an encoder as in the first paper


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
