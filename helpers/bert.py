"""BERT: attention in a real model, with the parameter names of published weights.

From the inside out: self-attention, its output, the two together, a layer, the model. The scores are
divided by sqrt(D), D = C / H; masks are bool, True = may attend, as everywhere in this course.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from helpers import require
from helpers.heads import merge_heads, split_heads
from helpers.masks import masked_softmax

POSITIONS = ("absolute", "relative_key", "relative_key_query")


@dataclass(frozen=True)
class BertConfig:
    """The sizes of a BERT. The defaults are those of BERT base, uncased.

    Errors: TypeError or ValueError if a size, a probability or the kind of positions is invalid
    Source: Devlin et al. 2019; notebook 06
    """

    hidden_size: int = 768
    num_attention_heads: int = 12
    max_position_embeddings: int = 512
    position_embedding_type: str = "absolute"
    layer_norm_eps: float = 1e-12
    attention_probs_dropout_prob: float = 0.1
    hidden_dropout_prob: float = 0.1
    num_hidden_layers: int = 12
    intermediate_size: int = 3072
    vocab_size: int = 30522
    type_vocab_size: int = 2

    def __post_init__(self):
        require.sizes(
            max_position_embeddings=self.max_position_embeddings,
            num_hidden_layers=self.num_hidden_layers,
            intermediate_size=self.intermediate_size,
            vocab_size=self.vocab_size,
            type_vocab_size=self.type_vocab_size,
        )
        require.divides(num_attention_heads=self.num_attention_heads, hidden_size=self.hidden_size)
        require.probability(self.attention_probs_dropout_prob)
        require.probability(self.hidden_dropout_prob)
        require.one_of(POSITIONS, position_embedding_type=self.position_embedding_type)

    @property
    def head_size(self):
        return self.hidden_size // self.num_attention_heads


# ---------------------------------------------------------------- attention


class BertSelfAttention(nn.Module):
    """Multi-head attention up to the merged heads; the last projection belongs to `BertSelfOutput`.

    Shapes: x (B, T, C), context (B, S, C) -> merged (B, T, H * D), weights (B, H, T, S), (k, v) (B, H, S, D) each
    Units:  weights sum to 1 over S before dropout and head mask, or to 0 where a row is fully masked
    Errors: TypeError or ValueError if x, context, mask, head_mask or past do not fit
    Source: Devlin et al. 2019; Shaw et al. 2018 and Huang et al. 2020 for relative positions; notebook 06
    """

    def __init__(self, config):
        super().__init__()
        C = config.hidden_size
        self.config, self.kept_heads = config, list(range(config.num_attention_heads))
        self.query, self.key, self.value = nn.Linear(C, C), nn.Linear(C, C), nn.Linear(C, C)
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)
        if config.position_embedding_type != "absolute":
            self.distance_embedding = nn.Embedding(2 * config.max_position_embeddings - 1, config.head_size)

    def forward(self, x, *, mask=None, head_mask=None, context=None, past=None):
        B = require.fits(x, self.query, "B T C")["B"]
        if context is not None:
            require.fits(context, self.key, "B S C", "context", B=B)
        q = self._split(self.query(x))  # (B, H, T, D)
        k, v = self._keys_and_values(q, x, context, past)  # (B, H, S, D)
        scores = q @ k.transpose(-2, -1)  # (B, H, T, S)
        if self.config.position_embedding_type != "absolute":
            scores = scores + self._relative_scores(q, k, first=self._first_position(k, x, context, past))
        weights = self.dropout(masked_softmax(scores / math.sqrt(q.size(-1)), mask))
        if head_mask is not None:
            weights = weights * self._broadcastable(head_mask, weights)
        return merge_heads(weights @ v), weights, (k, v)

    def _split(self, x):
        return split_heads(x, len(self.kept_heads))

    def _keys_and_values(self, q, x, context, past):
        """The keys and values of the context, or the cached ones followed by those of x."""
        require.keys_and_values(past, q, context)
        if context is not None and past is not None:
            return past  # the context does not grow: its keys and values are computed once
        source = x if context is None else context
        new = self._split(self.key(source)), self._split(self.value(source))
        if past is None:
            return new
        return tuple(torch.cat(pair, dim=-2) for pair in zip(past, new, strict=True))  # (B, H, past + T, D) each

    def _first_position(self, k, x, context, past):
        """The first position of x: the length of the cache, or 0 if there is a context."""
        if context is None:
            return k.size(-2) - x.size(-2)
        if past is not None:
            raise ValueError(
                "relative positions need to know where x begins, and in cross-attention a cache does not "
                "say it; pass the whole of x with the context, without past"
            )
        return 0

    def _relative_scores(self, q, k, first):
        """What the distance from query to key adds to each score.

        Shapes: q (B, H, T, D), k (B, H, S, D) -> (B, H, T, S)
        """
        M = self.config.max_position_embeddings
        T, S = q.size(-2), k.size(-2)
        require.room(max(first + T, S), M, "max_position_embeddings", "the sequence")
        queries = torch.arange(first, first + T, device=q.device)[:, None]  # (T, 1)
        distance = queries - torch.arange(S, device=q.device)  # (T, 1) - (S,) -> (T, S), from -(M - 1) to M - 1
        E = self.distance_embedding(distance + M - 1)  # (T, S, D)
        relative = torch.einsum("bhtd,tsd->bhts", q, E)
        if self.config.position_embedding_type == "relative_key_query":
            relative = relative + torch.einsum("bhsd,tsd->bhts", k, E)
        return relative

    def _broadcastable(self, head_mask, weights):
        """The head mask, shaped to broadcast to the weights: (H,) becomes (1, H, 1, 1)."""
        B, H = weights.shape[:2]
        require.shape(head_mask, "...", "head_mask", floating=False)
        rule = f"head_mask must be ({H},) or (1 or {B}, {H}, 1, 1), one number for each head"
        fits, fix = ((H,), (1, H, 1, 1), (B, H, 1, 1)), "after pruning only the heads that are left count"
        require.that(head_mask.shape in fits, rule, tuple(head_mask.shape), fix)
        stretched = head_mask[None, :, None, None] if head_mask.dim() == 1 else head_mask
        return stretched.to(weights.dtype)


class BertSelfOutput(nn.Module):
    """The last projection of attention, then dropout, then residual and LayerNorm.

    Shapes: merged (B, T, H * D), x (B, T, C) -> (B, T, C)
    Source: Devlin et al. 2019; post-norm as in Vaswani et al. 2017; notebook 06
    """

    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, merged, x):
        return self.LayerNorm(self.dropout(self.dense(merged)) + x)


class BertAttention(nn.Module):
    """Self-attention, or cross-attention if there is a context, up to and including the LayerNorm.

    Shapes: x (B, T, C), context (B, S, C) -> out (B, T, C), weights (B, H, T, S), present = (k, v) (B, H, S, D) each
            mask bool, broadcastable to (B, H, T, S); head_mask (H,) or (1 or B, H, 1, 1): 1 keeps a head, 0 mutes it
            past = the present of an earlier call: x continues after it, S = past + T; with a context it replaces
            the context's keys and values
    Units:  as in `BertSelfAttention`. NB: no mask is made here; a decoder passes its causal mask
    Errors: TypeError or ValueError if something does not fit
    Source: Devlin et al. 2019; parameter names as in Hugging Face's transformers; notebook 06
    """

    def __init__(self, config):
        super().__init__()
        self.self, self.output = BertSelfAttention(config), BertSelfOutput(config)

    def forward(self, x, *, mask=None, head_mask=None, context=None, past=None):
        merged, weights, present = self.self(x, mask=mask, head_mask=head_mask, context=context, past=past)
        return self.output(merged, x), weights, present

    def prune_heads(self, heads):
        """Remove heads: their rows of query, key and value, and their columns of the last projection.

        Heads keep their original numbers; heads that were pruned before are ignored.
        NB: the smaller layers have new parameters; create the optimizer after pruning.

        Errors: TypeError if a head is not a whole number; ValueError if it never existed, or none would be left
        Source: Michel et al. 2019; notebook 06
        """
        attention, left = self.self, self._heads_left(heads)
        D = attention.config.head_size
        places = [attention.kept_heads.index(head) for head in left]
        features = torch.cat([torch.arange(place * D, (place + 1) * D) for place in places])  # (kept heads * D,)
        for name in ("query", "key", "value"):
            setattr(attention, name, _part_of(getattr(attention, name), features, dim=0))
        self.output.dense = _part_of(self.output.dense, features, dim=1)
        attention.kept_heads = left

    def _heads_left(self, heads):
        """The numbers of the heads that remain once `heads` are removed."""
        heads, kept, total = list(heads), self.self.kept_heads, self.self.config.num_attention_heads
        for head in heads:
            is_whole = type(head) is int
            require.that(is_whole, "heads must be whole numbers, such as [0, 2]", repr(head), error=TypeError)
            require.that(0 <= head < total, f"heads are numbered from 0 to {total - 1}", head)
        left = [head for head in kept if head not in heads]
        require.that(left, "at least one head must be left", f"all of {kept} to prune")
        return left


def _part_of(layer, features, dim):
    """A smaller nn.Linear with some of the output features (dim 0) or input features (dim 1) of a larger one."""
    features = features.to(layer.weight.device)
    weight, bias = layer.weight.detach().index_select(dim, features), layer.bias.detach()
    smaller = nn.Linear(weight.size(1), weight.size(0), device="meta")  # no storage yet; filled below
    smaller.weight = nn.Parameter(weight, requires_grad=layer.weight.requires_grad)
    smaller.bias = nn.Parameter(bias[features] if dim == 0 else bias.clone(), requires_grad=layer.bias.requires_grad)
    return smaller.train(layer.training)


# ---------------------------------------------------------------- layer and model


class BertIntermediate(nn.Module):
    """The first layer of the feed-forward network, which widens each vector, and a GELU.

    Shapes: (B, T, C) -> (B, T, intermediate_size)
    Source: Devlin et al. 2019; Hendrycks and Gimpel 2016; notebook 06
    """

    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.intermediate_size)

    def forward(self, x):
        return F.gelu(self.dense(x))


class BertOutput(BertSelfOutput):
    """The second layer of the feed-forward network, then dropout, residual and LayerNorm.

    Shapes: (B, T, intermediate_size), x (B, T, C) -> (B, T, C)
    Source: Devlin et al. 2019; notebook 06
    """

    def __init__(self, config):
        super().__init__(config)
        self.dense = nn.Linear(config.intermediate_size, config.hidden_size)


class BertLayer(nn.Module):
    """Attention, then a feed-forward network for each position by itself.

    Shapes: x (B, T, C) -> out (B, T, C), weights (B, H, T, T)
    Errors: as `BertAttention`
    Source: Devlin et al. 2019; notebook 06
    """

    def __init__(self, config):
        super().__init__()
        self.attention = BertAttention(config)
        self.intermediate, self.output = BertIntermediate(config), BertOutput(config)

    def forward(self, x, *, mask=None, head_mask=None):
        x, weights, _ = self.attention(x, mask=mask, head_mask=head_mask)
        return self.output(self.intermediate(x), x), weights


class BertEmbeddings(nn.Module):
    """The sum of three vectors for each token, for its id, its position and its sentence; then LayerNorm.

    Shapes: ids (B, T), token_types (B, T), all 0 if None -> (B, T, C)
    Errors: TypeError or ValueError if ids are not rows of the table, or T is above max_position_embeddings
    Source: Devlin et al. 2019, section 3; notebooks 01 and 07
    """

    def __init__(self, config):
        super().__init__()
        C = config.hidden_size
        self.config = config
        self.word_embeddings = nn.Embedding(config.vocab_size, C, padding_idx=0)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, C)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, C)
        self.LayerNorm = nn.LayerNorm(C, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, ids, token_types=None):
        B, T = require.ids(ids, self.config.vocab_size, "B T").values()
        require.room(T, self.config.max_position_embeddings, "max_position_embeddings", "the text")
        if token_types is not None:
            require.ids(token_types, self.config.type_vocab_size, "B T", "token_types", B=B, T=T)
        token_types = torch.zeros_like(ids) if token_types is None else token_types
        x = self.word_embeddings(ids.long()) + self.token_type_embeddings(token_types.long())
        if self.config.position_embedding_type == "absolute":
            x = x + self.position_embeddings.weight[: ids.size(1)]  # (B, T, C) + (T, C)
        return self.dropout(self.LayerNorm(x))

    def _load_from_state_dict(self, state_dict, prefix, *args):
        state_dict.pop(prefix + "position_ids", None)  # older files hold the numbers 0, 1, 2, ... too
        super()._load_from_state_dict(state_dict, prefix, *args)


class BertEncoder(nn.Module):
    """The layers, one after another.

    Shapes: x (B, T, C) -> out (B, T, C), weights: a list with (B, H, T, T) for each layer
    Source: Devlin et al. 2019; notebook 07
    """

    def __init__(self, config):
        super().__init__()
        self.layer = nn.ModuleList(BertLayer(config) for _ in range(config.num_hidden_layers))

    def forward(self, x, *, mask=None, head_mask=None):
        head_mask = [None] * len(self.layer) if head_mask is None else head_mask
        if len(head_mask) != len(self.layer):
            raise ValueError(f"head_mask must have a row for each layer, {len(self.layer)}, got {len(head_mask)}")
        all_weights = []
        for layer, row in zip(self.layer, head_mask, strict=True):
            x, weights = layer(x, mask=mask, head_mask=row)
            all_weights.append(weights)
        return x, all_weights


class BertPooler(nn.Module):
    """One vector for a text: that of its first token, [CLS], after a layer with a tanh.

    Shapes: (B, T, C) -> (B, C)
    Source: Devlin et al. 2019; notebook 07
    """

    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, hidden):
        return torch.tanh(self.dense(hidden[:, 0]))


class BertModel(nn.Module):
    """The whole model: from ids to a contextual vector for each token.

    Shapes: ids (B, T) -> hidden (B, T, C), weights: a list with (B, H, T, T) for each layer
            mask bool, broadcastable to (B, H, T, T), such as padding_mask(...).unsqueeze(1); head_mask (layers, H)
            `pooler` turns hidden into (B, C)
    Errors: TypeError or ValueError if ids or masks do not fit
    Source: Devlin et al. 2019; parameter names as in Hugging Face's transformers; notebook 07
    """

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embeddings, self.encoder, self.pooler = BertEmbeddings(config), BertEncoder(config), BertPooler(config)
        self.apply(_initialize)

    def forward(self, ids, *, mask=None, token_types=None, head_mask=None):
        return self.encoder(self.embeddings(ids, token_types), mask=mask, head_mask=head_mask)

    def prune_heads(self, heads):
        """Remove heads, given as {layer: heads} by their original numbers; if there is an error, none is removed.

        Errors: TypeError or ValueError if a layer or head does not exist, or a layer would lose all its heads
        Source: Michel et al. 2019; notebook 07
        """
        attention = {i: layer.attention for i, layer in enumerate(self.encoder.layer)}
        heads = {i: list(gone) for i, gone in heads.items()}
        for i, gone in heads.items():
            if i not in attention:
                raise ValueError(f"layers are numbered from 0 to {len(attention) - 1}, got {i!r}")
            attention[i]._heads_left(gone)
        for i, gone in heads.items():
            attention[i].prune_heads(gone)


def _initialize(module):
    """Draw BERT's initial parameters: small weights around 0, and biases of 0."""
    if isinstance(module, (nn.Linear, nn.Embedding)):
        nn.init.normal_(module.weight, std=0.02)
        if getattr(module, "bias", None) is not None:
            nn.init.zeros_(module.bias)
        if getattr(module, "padding_idx", None) is not None:
            with torch.no_grad():
                module.weight[module.padding_idx].zero_()


def load_weights(module, weights):
    """Copy pretrained weights by name into a module, all of them or none.

    Errors: ValueError names the weights that are missing, unknown, or of another shape
    Source: notebook 07
    """
    weights = {name: tensor for name, tensor in weights.items() if not name.endswith("position_ids")}
    require.own_weights(weights, module)
    module.load_state_dict(weights)
