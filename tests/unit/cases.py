"""Every function and module of `helpers` with small arguments, for tests that apply to all of them.

Add what is new in `helpers` here, and to test_pasts.py if it continues after a past.
"""

import copy

import torch
from torch import nn

from exercises import reference
from helpers import (
    attention,
    bert,
    decoder,
    embeddings,
    grouped,
    heads,
    latent,
    linear,
    long_attention,
    mask_mods,
    masks,
    norms,
    online,
    pages,
    relative_positions,
    tiled,
    today,
    windows,
)
from models import induction, ports

B, T, S, C, H, D, V = 2, 5, 7, 24, 3, 8, 11
numbers = torch.Generator().manual_seed(0)


def drawn(*shape):
    return torch.randn(shape, generator=numbers)


ids = torch.tensor([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]])
x, context, lengths = drawn(B, T, C), drawn(B, S, C), torch.tensor([5, 3])
q, k, v = drawn(B, H, T, D), drawn(B, H, S, D), drawn(B, H, S, D)
scores, weights = drawn(B, H, T, S), drawn(B, H, T, S).softmax(-1)
mask, square, table = drawn(T, S) > -1, drawn(T, T) > -2, drawn(V, C)
square[0, 0] = mask[:, 0] = True


def config(kind="absolute"):
    sizes = {"hidden_size": C, "num_attention_heads": H, "num_hidden_layers": 2, "intermediate_size": 2 * C}
    return bert.BertConfig(**sizes, vocab_size=V, max_position_embeddings=9, position_embedding_type=kind)


def pruned(model):
    model.prune_heads({0: [1], 1: [0, 2]})
    return model


LATENT = {"query_rank": 5, "rank": 7, "d_plain": 11, "d_rotary": 6, "d_value": 13}


class Absorbed(latent.LatentAttention):
    forward = latent.LatentAttention.absorbed


def paged(k, v):
    cache = pages.PagedCache(7, 3, H, D, k.dtype, k.device)
    text = cache.start()
    cache.append(text, k, v)
    cache.append(cache.fork(text), k, v)
    return cache.read(1)


MODULES = {
    "SelfAttention": (attention.SelfAttention(C, D), [x]),
    "CausalAttention": (attention.CausalAttention(C, D, context_length=9, dropout=0.0), [x]),
    "MultiHeadAttention": (heads.MultiHeadAttention(C, H), [x]),
    "MultiHeadAttention, to others": (heads.MultiHeadAttention(C, H), [x, context, mask]),
    "MultiHeadAttention, causal": (heads.MultiHeadAttention(C, H), [x, None, square, True]),
    "MultiHeadAttention, causal, weights": (heads.MultiHeadAttention(C, H), [x, None, square, True, True]),
    "MultiHeadAttention of exercise 5.5": (reference("5.5")(C, H), [x, context, mask]),
    "TokenEmbedding": (embeddings.TokenEmbedding(V, C), [ids]),
    "LearnedPositions": (embeddings.LearnedPositions(9, C), [x]),
    "BertModel": (bert.BertModel(config()), [ids]),
    "BertModel, pruned": (pruned(bert.BertModel(config())), [ids]),
    "BertAttention, relative_key": (bert.BertAttention(config("relative_key")), [x]),
    "BertAttention, relative_key_query": (bert.BertAttention(config("relative_key_query")), [x]),
    "DecoderBlock": (decoder.DecoderBlock(C, H, 2 * C), [x]),
    "Decoder": (decoder.Decoder(decoder.DecoderConfig(V, 9, C, H)), [ids]),
    "Decoder, padded": (decoder.Decoder(decoder.DecoderConfig(V, 9, C, H)), [ids, None, ids > 1]),
    "RelativeBias": (ports.RelativeBias(H, bidirectional=True), [T, S]),
    "RotaryAttention": (relative_positions.RotaryAttention(C, H), [x, None, square, True]),
    "AlibiAttention": (relative_positions.AlibiAttention(C, H), [x, None, square, True, True]),
    "RMSNorm": (norms.RMSNorm(C), [x]),
    "GroupedQueryAttention": (grouped.GroupedQueryAttention(C, 6, H, qk_norm=True), [x, square]),
    "LatentAttention": (latent.LatentAttention(C, H, **LATENT), [x]),
    "LatentAttention, absorbed": (Absorbed(C, H, **LATENT), [x]),
    "TodayBlock": (today.TodayBlock(C, 6, H, 2 * C), [x, square]),
    "TodayDecoder": (today.TodayDecoder(today.TodayConfig(V, C, 6, H)), [ids]),
    "LongAttention": (
        long_attention.LongAttention(C, 6, H, window=3, sinks=True, cap=2.0, gate=True, rotary_width=2),
        [x, square],
    ),
    "DecoderBlock, as in 8.2": (reference("8.2")(C, H, 2 * C), [x]),
    "MyBertSelfAttention": (reference("7.1")(config()), [x, square]),
}

FUNCTIONS = {
    "dot_product_attention": (attention.dot_product_attention, [q, k, v, mask]),
    "mask_by_renormalizing": (masks.mask_by_renormalizing, [weights, mask]),
    "mask_by_filling": (masks.mask_by_filling, [scores, mask]),
    "masked_softmax": (masks.masked_softmax, [scores, mask]),
    "padding_mask": (masks.padding_mask, [lengths, T]),
    "find_leaks": (lambda x: x.new_tensor(reference("3.6")(lambda x: x.flip(1), x)), [x]),
    "split_heads": (heads.split_heads, [x, H]),
    "merge_heads": (heads.merge_heads, [q]),
    "embed": (embeddings.embed, [ids, table]),
    "add_positions": (embeddings.add_positions, [x, drawn(9, C)]),
    "rotate_pairs": (relative_positions.rotate_pairs, [q, torch.arange(T)]),
    "rotate_halves": (relative_positions.rotate_halves, [q, torch.arange(T)]),
    "rotate_first": (relative_positions.rotate_first, [q, torch.arange(T), 4]),
    "pairs_to_halves": (relative_positions.pairs_to_halves, [table[:10], 5]),
    "rotary_step": (relative_positions.rotary_step, [q, q, q, (k, v)]),
    "biased_attention": (relative_positions.biased_attention, [q, k, v, scores, mask]),
    "grouped_attention": (grouped.grouped_attention, [drawn(B, 6, T, D), k, v, mask]),
    "pool_heads": (grouped.pool_heads, [table[:10], 10, 5]),
    "banded_attention": (windows.banded_attention, [drawn(B, 6, S, D), k, v, 3]),
    "windows.rolling_step": (windows.rolling_step, [q, q, q, (k, v), 3]),
    "sink_weights": (long_attention.sink_weights, [scores, drawn(H)]),
    "long_attention.capped_scores": (long_attention.capped_scores, [scores, 2.0, mask]),
    "pages.read_pages": (pages.read_pages, [drawn(V, 3, H, D), torch.tensor([4, 1, 4]), 7]),
    "PagedCache": (paged, [drawn(H, T, D), drawn(H, T, D)]),
    "decoder.next_token_loss": (decoder.next_token_loss, [drawn(2, 5, V), ids]),
    "decoder.sample": (lambda logits: decoder.sample(logits, top_k=1, top_p=0.5), [drawn(B, V)]),
    "induction.induction_scores": (induction.induction_scores, [drawn(H, T, T), torch.tensor([1, 2, 1, 2, 1])]),
    "partial_attention": (online.partial_attention, [q, k, v, mask]),
    "online.merge": (online.merge, [q, scores[..., 0], q, scores[..., 1]]),
    "tiled.tiled_attention": (tiled.tiled_attention, [q, k, v, 3]),
    "tiled.tiled_attention, causal": (tiled.tiled_attention, [q, q, q, 2, True]),
    "tiled_backward": (tiled.tiled_backward, [q, q, q, q, scores[..., 0], q, 2, True]),
    "same_document": (lambda d: mask_mods.mask_table(mask_mods.same_document(d), 2, 2, device=d.device), [lengths]),
    "tile_kinds": (lambda x: mask_mods.tile_kinds(mask_mods.causal, T, S, 2, x.device), [x]),
    "linear_parallel": (linear.linear_parallel, [q, q, q]),
    "linear_recurrent": (linear.linear_recurrent, [q, q, q]),
    "linear_chunked": (linear.linear_chunked, [q, q, q, 2]),
    "delta_parallel": (linear.delta_parallel, [q, q, q, scores[..., 0], scores[..., 1].sigmoid()]),
    "delta_recurrent": (linear.delta_recurrent, [q, q, q, scores[..., 0]]),
    "generate": (lambda ids, table: reference("8.4")(lambda z, past: (table[z], past), ids, 3), [ids, drawn(V, V)]),
}
CASES = {name: (module.eval(), given) for name, (module, given) in MODULES.items()} | FUNCTIONS


def flat(result):
    """All tensors in a result, however deeply nested."""
    if isinstance(result, torch.Tensor):
        return [result]
    return [tensor for part in result for tensor in flat(part)] if isinstance(result, (tuple, list)) else []


def moved(given, device):
    """The same on another device, or in another dtype; modules are copied first."""
    if isinstance(given, (list, tuple)):
        return type(given)(moved(part, device) for part in given)
    if isinstance(given, nn.Module):
        return copy.deepcopy(given).to(device)
    is_tensor = isinstance(given, torch.Tensor)
    keeps = is_tensor and isinstance(device, torch.dtype) and not given.is_floating_point()  # ids and masks
    return given.to(device) if is_tensor and not keeps else given
