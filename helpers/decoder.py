"""A language model: a decoder that predicts the next token, its loss, and text generation.

From the inside out: the block, the model, the loss, sampling, and generation with a cache.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from helpers import require
from helpers.heads import MultiHeadAttention
from helpers.masks import causal_mask


@dataclass(frozen=True)
class DecoderConfig:
    """The sizes of a decoder; the defaults are those of the story model. With d_ff = 0, blocks have only attention.

    Errors: TypeError or ValueError if a size or a probability is invalid
    Source: notebook 08
    """

    vocab_size: int
    context_length: int = 64
    d_model: int = 64
    num_heads: int = 4
    num_layers: int = 2
    d_ff: int = 256
    dropout: float = 0.0

    def __post_init__(self):
        require.sizes(
            vocab_size=self.vocab_size,
            context_length=self.context_length,
            num_layers=self.num_layers,
        )
        if self.d_ff:
            require.sizes(d_ff=self.d_ff)
        require.divides(num_heads=self.num_heads, d_model=self.d_model)
        require.probability(self.dropout)


class Past(NamedTuple):
    """A decoder's cache of the tokens it has processed: pass it to the next call to continue after them.

    Shapes: layers: (k, v) for each layer, (B, H, P, D) each; real (B, P), bool, or None where no token is padding
    Source: notebook 08
    """

    layers: tuple
    real: torch.Tensor | None


# ---------------------------------------------------------------- block and model


class DecoderBlock(nn.Module):
    """Causal self-attention, then a feed-forward network, each after a LayerNorm and added to what came in.

    With d_ff = 0, there is no feed-forward network.

    Shapes: x (B, T, C) -> (B, T, C)
            mask bool, broadcastable to (B, H, T, T), True = may attend; the future is hidden in any case
    Errors: TypeError or ValueError if x or mask do not fit
    Source: pre-norm as in Radford et al. 2019 (GPT-2); notebook 08
    """

    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(d_model), MultiHeadAttention(d_model, num_heads, dropout)
        self.norm2 = self.feed_forward = None
        if d_ff:
            self.norm2 = nn.LayerNorm(d_model)
            self.feed_forward = nn.Sequential(nn.Linear(d_model, d_ff), nn.GELU(), nn.Linear(d_ff, d_model))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        normed = self.norm1(x)
        return self._feed(x + self.dropout(self.attention(normed, mask=mask, causal=True)[0]))

    def step(self, x, past=None, mask=None, head_mask=None, need_weights=False):
        """Run the block on new positions after a past; also return the attention weights and the extended past.

        Shapes: x (B, T, C), past (k, v) of (B, H, P, D) each or None, mask broadcastable to (B, H, T, P + T),
                head_mask (H,): 1 keeps a head, 0 silences it
                -> out (B, T, C), weights (B, H, T, P + T) or None, (k, v) of (B, H, P + T, D) each
        Source: notebook 08
        """
        normed = self.norm1(x)
        q, k, v = self.attention.project(normed, normed)  # (B, H, T, D) each
        if past is not None:
            k, v = (torch.cat(pair, dim=-2) for pair in zip(past, (k, v), strict=True))  # (B, H, P + T, D) each
        T, S = q.size(-2), k.size(-2)
        if 1 < T < S:  # a single new token sees everything; several see each other causally
            recent = causal_mask(T, x.device, past=S - T)  # (T, S)
            mask = recent if mask is None else mask & recent
        attended, weights = self.attention.attend(q, k, v, mask, T == S, need_weights, head_mask)
        return self._feed(x + self.dropout(attended)), weights, (k, v)

    def _feed(self, x):
        """The second half of the block."""
        return x if self.feed_forward is None else x + self.dropout(self.feed_forward(self.norm2(x)))


class Decoder(nn.Module):
    """A language model that scores every possible next token, at every position.

    Shapes: ids (B, T) -> logits (B, T, V), past
            past: what an earlier call returned; the ids continue after it, and P + T <= context_length
            real (B, T), bool, False = padding, which no query attends to and which takes no position; it may be on
            either side, but generation needs it on the left. After a past with padding, None means no new padding
            head_mask (layers, H): 1 keeps a head, 0 silences it
    Units:  logits[:, t] are scores of the token at t + 1; softmax gives its probability
    Errors: TypeError or ValueError if ids, past, real or head_mask do not fit
    Source: Radford et al. 2019; Press and Wolf 2017 for tied embeddings; notebook 08
    """

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.tokens = nn.Embedding(config.vocab_size, config.d_model)
        self.positions = nn.Embedding(config.context_length, config.d_model)
        self.blocks = nn.ModuleList(
            DecoderBlock(config.d_model, config.num_heads, config.d_ff, config.dropout)
            for _ in range(config.num_layers)
        )
        self.norm = nn.LayerNorm(config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.apply(_initialize)
        nn.init.normal_(self.positions.weight, std=0.02)  # smaller than the token vectors, as in BERT and GPT-2

    def forward(self, ids, past=None, real=None, head_mask=None):
        logits, _, past = self._run(ids, past, real, head_mask, need_weights=False)
        return logits, past

    def look(self, ids, past=None, real=None, head_mask=None):
        """Return the logits, and the attention weights of each layer.

        Shapes: ids (B, T) -> logits (B, T, V), a list with (B, H, T, P + T) for each layer
        Errors: as `Decoder`
        Source: notebook 08
        """
        logits, weights, _ = self._run(ids, past, real, head_mask, need_weights=True)
        return logits, weights

    def _run(self, ids, past, real, head_mask, need_weights):
        require.decoder_input(ids, past, real, self.config, Past)
        head_mask = self._rows(head_mask)
        real = self._real(ids, past, real)  # (B, P + T) or None
        x = self.dropout(self._embed(ids, past, real))  # (B, T, C)
        mask = None if real is None else real[:, None, None, :]  # (B, 1, 1, P + T)
        olds = [None] * len(self.blocks) if past is None else past.layers
        all_weights, news = [], []
        for block, old, row in zip(self.blocks, olds, head_mask, strict=True):
            x, weights, new = block.step(x, old, mask, row, need_weights)
            all_weights.append(weights)
            news.append(new)
        logits = self.norm(x) @ self.tokens.weight.T  # the embedding table again: (B, T, C) @ (C, V) -> (B, T, V)
        return logits, all_weights, Past(tuple(news), real)

    def _embed(self, ids, past, real):
        """The sum of each new token's vector and that of its position: (B, T, C)."""
        return self.tokens(ids.long()) + self.positions(self._places(ids, past, real))

    def _real(self, ids, past, real):
        """Which tokens, past and new, are real; None if all are."""
        before = None if past is None else past.real
        if before is None and real is None:
            return None
        real = torch.ones_like(ids, dtype=torch.bool) if real is None else real
        if before is None:
            before = real.new_ones(len(ids), _length(past))
        return torch.cat([before, real], dim=1)

    def _places(self, ids, past, real):
        """The position of each new token: the number of real tokens before it."""
        P, T = _length(past), ids.size(1)
        if real is None:
            return torch.arange(P, P + T, device=ids.device)  # (T,)
        return (real.cumsum(dim=1) - 1).clamp(min=0)[:, P:]  # (B, T)

    def _rows(self, head_mask):
        """A row of the head mask for each layer."""
        L, H = self.config.num_layers, self.config.num_heads
        if head_mask is None:
            return [None] * L
        require.shape(head_mask, "L H", "head_mask", floating=False, L=L, H=H)
        return list(head_mask.to(self.tokens.weight.dtype))


def _length(past):
    """The number of tokens in a past."""
    return 0 if past is None else past.layers[0][0].size(-2)


def _initialize(module):
    """Draw initial parameters with a standard deviation of 1 / sqrt(features), so outputs are as large as inputs.

    NB: GPT-2's 0.02 suits widths of 768 and more; at a width of 64, attention would hardly begin to learn.
    """
    if isinstance(module, (nn.Linear, nn.Embedding)):
        nn.init.normal_(module.weight, std=module.weight.size(-1) ** -0.5)
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.bias)


# ---------------------------------------------------------------- loss


def token_losses(logits, ids):
    """The cross-entropy of each token but the first, given all tokens before it.

    Shapes: logits (B, T, V), ids (B, T) -> (B, T - 1); entry t is the loss of ids[:, t + 1]
    Units:  nats; log V if all tokens are equally likely
    Errors: TypeError or ValueError if logits and ids do not fit
    Source: notebook 08
    """
    B, T, V = require.shape(logits, "B T V", "logits").values()
    require.ids(ids, V, "B T", B=B, T=T)
    require.that(T > 1, "logits (B, T, V) need ids (B, T) with T of at least 2", tuple(ids.shape))
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:].long(), reduction="none")  # (B, V, T - 1)


def next_token_loss(logits, ids, pad_id=None):
    """The mean cross-entropy of each token but the first, given all tokens before it; padding is not counted.

    Shapes: logits (B, T, V), ids (B, T) -> a number
    Units:  nats per token
    Errors: TypeError or ValueError if logits and ids do not fit, or every target is padding
    Source: notebook 08
    """
    losses = token_losses(logits, ids)
    if pad_id is None:
        return losses.mean()
    real = ids[:, 1:] != pad_id
    if not real.any():
        raise ValueError(f"at least one target must be a real token, got only the padding id {pad_id}")
    return losses[real].mean()


# ---------------------------------------------------------------- generation


def keep_top_k(logits, k):
    """Keep the k highest logits, and set the others to -inf.

    Shapes: logits (..., V) -> (..., V); k above V keeps all
    Errors: TypeError or ValueError if k is not a whole number of at least 1
    Source: Fan et al. 2018; notebook 08
    """
    require.sizes(top_k=k)
    kept = logits.topk(min(k, logits.size(-1)), dim=-1).indices
    hidden = torch.ones_like(logits, dtype=torch.bool).scatter(-1, kept, False)
    return logits.masked_fill(hidden, float("-inf"))


def keep_top_p(logits, p):
    """Keep the smallest set of tokens whose probabilities sum to at least p, and set the others to -inf.

    Shapes: logits (..., V) -> (..., V)
    Errors: TypeError if p is not a number; ValueError unless 0 < p <= 1
    Source: Holtzman et al. 2020, "nucleus sampling"; notebook 08
    """
    require.nucleus(p)
    probabilities, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    before = probabilities.cumsum(dim=-1) - probabilities  # the total probability of more likely tokens
    hidden = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, order, before >= p)
    return logits.masked_fill(hidden, float("-inf"))


def sample(logits, temperature=1.0, top_k=None, generator=None, top_p=None):
    """Draw one token for each row from softmax(logits / temperature); temperature 0 takes the most likely token.

    Shapes: logits (B, V) -> ids (B,)
    Units:  the temperature is applied first, then top_k, then top_p to the tokens that are left
    Errors: TypeError or ValueError if the logits are not (B, V), or a setting is invalid
    Source: notebook 08
    """
    require.shape(logits, "B V", "logits", hint="of a model's output take logits[:, -1]")
    require.number("temperature", temperature)
    is_temperature = 0 <= temperature < float("inf")
    require.that(is_temperature, "temperature must be at least 0 and finite", temperature, "0 takes the best token")
    if top_k is not None:
        require.sizes(top_k=top_k)
    if top_p is not None:
        require.nucleus(top_p)
    if temperature == 0:
        return logits.argmax(dim=-1)
    # Shifted first, so that a small temperature cannot overflow; in float32 at least, so that draws are exact enough.
    logits = (logits - logits.amax(dim=-1, keepdim=True)).to(torch.promote_types(logits.dtype, torch.float32))
    logits = logits / temperature
    if top_k is not None:
        logits = keep_top_k(logits, top_k)
    if top_p is not None:
        logits = keep_top_p(logits, top_p)
    return torch.multinomial(logits.softmax(dim=-1), 1, generator=generator).squeeze(-1)  # (B, 1) -> (B,)


@torch.no_grad()
def generate(model, ids, steps, temperature=0.0, top_k=None, generator=None, top_p=None, real=None):
    """Generate tokens: feed the prefix once, then each new token alone, since the cache holds all earlier ones.

    Shapes: ids (B, T) -> (B, T + steps); real (B, T), False = padding, which must be on the left
    Units:  settings as in `sample`; with the default temperature of 0, each step takes the most likely token,
            whatever top_k and top_p are
    Errors: TypeError or ValueError if ids, steps or a setting do not fit; ValueError beyond the model's positions
    Source: notebook 08
    """
    require.sizes(least=0, steps=steps)
    on_left = real is None or real[:, -1].all()
    require.that(on_left, "padding must be on the left, since writing goes on at the right", "a row that ends in it")
    new, past, options = ids, None, {} if real is None else {"real": real}
    for _ in range(steps):
        logits, past = model(new, past=past, **options)
        new = sample(logits[:, -1], temperature, top_k, generator, top_p)[:, None].to(ids.dtype)  # (B, 1)
        ids, options = torch.cat([ids, new], dim=1), {}
    return ids
