"""A modern language model: Llama's architecture, from the inside out.

RMSNorm replaces LayerNorm, rotary positions replace the table, query heads share keys, and the feed-forward is gated.
"""

from dataclasses import dataclass

import torch.nn.functional as F
from torch import nn

from helpers import require
from helpers.grouped import GroupedQueryAttention
from helpers.norms import RMSNorm


@dataclass(frozen=True)
class TodayConfig:
    """The sizes of a modern decoder, which has no maximum length; the defaults are close to the story model's.

    Errors: TypeError or ValueError if a size is invalid
    Source: notebook 10
    """

    vocab_size: int
    d_model: int = 64
    num_heads: int = 4
    groups: int = 2
    num_layers: int = 2
    d_ff: int = 168  # with a gate there are three matrices instead of two, so each is two thirds as wide
    base: float = 10000.0

    def __post_init__(self):
        require.sizes(vocab_size=self.vocab_size, num_layers=self.num_layers, d_ff=self.d_ff)
        require.divides(num_heads=self.num_heads, d_model=self.d_model)
        require.divides(groups=self.groups, num_heads=self.num_heads)


class GatedFeedForward(nn.Module):
    """A feed-forward network with two wide layers, one of which gates the other.

    Shapes: x (..., d_model) -> (..., d_model)
    Source: Shazeer 2020, "SwiGLU"; notebook 10
    """

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class TodayBlock(nn.Module):
    """Rotary grouped-query attention, then a gated feed-forward network, each after an RMSNorm and with a residual.

    Shapes: x (B, T, C) -> out (B, T, C), weights (B, H, T, P + T), past (keys, values), (B, G, P + T, D) each
            past: what an earlier call returned; mask broadcastable to (B, H, T, P + T), True = may attend
    Errors: TypeError or ValueError if x, mask or past do not fit
    Source: Touvron et al. 2023 (Llama); notebook 10
    """

    def __init__(self, d_model, num_heads, groups, d_ff, base=10000.0):
        super().__init__()
        self.norm1, self.attention = RMSNorm(d_model), GroupedQueryAttention(d_model, num_heads, groups, base=base)
        self.norm2, self.feed_forward = RMSNorm(d_model), GatedFeedForward(d_model, d_ff)

    def forward(self, x, mask=None, past=None):
        attended, weights, past = self.attention(self.norm1(x), mask, past)
        x = x + attended
        return x + self.feed_forward(self.norm2(x)), weights, past


class TodayDecoder(nn.Module):
    """A language model that scores every possible next token, at every position of a text of any length.

    Shapes: ids (B, T) -> logits (B, T, V), past
            past: what an earlier call returned, (keys, values) for each layer; the ids continue after it
    Units:  logits[:, t] are scores of the token at t + 1; softmax gives its probability
    Errors: TypeError or ValueError if ids or past do not fit
    Source: Touvron et al. 2023 (Llama); Press and Wolf 2017 for tied embeddings; notebook 10
    """

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.tokens = nn.Embedding(config.vocab_size, config.d_model)
        self.blocks = nn.ModuleList(
            TodayBlock(config.d_model, config.num_heads, config.groups, config.d_ff, config.base)
            for _ in range(config.num_layers)
        )
        self.norm = RMSNorm(config.d_model)
        for parameter in self.parameters():
            if parameter.dim() == 2:  # outputs are as large as inputs, as in `Decoder`
                nn.init.normal_(parameter, std=parameter.size(-1) ** -0.5)

    def forward(self, ids, past=None):
        logits, _, past = self._run(ids, past)
        return logits, past

    def look(self, ids, past=None):
        """Return the logits, and the attention weights of each layer.

        Shapes: ids (B, T) -> logits (B, T, V), a list with (B, H, T, P + T) for each layer
        Errors: as `TodayDecoder`
        Source: notebook 10
        """
        logits, weights, _ = self._run(ids, past)
        return logits, weights

    def _run(self, ids, past):
        require.ids(ids, self.config.vocab_size, "B T")
        if past is not None:
            rule = f"past must be what the model returned with its logits, a tuple of {len(self.blocks)}"
            fits = isinstance(past, tuple) and len(past) == len(self.blocks)
            require.that(fits, rule, require.count_of(past), error=TypeError)
        x = self.tokens(ids.long())  # (B, T, C)
        olds = [None] * len(self.blocks) if past is None else past
        all_weights, news = [], []
        for block, old in zip(self.blocks, olds, strict=True):
            x, weights, new = block(x, past=old)
            all_weights.append(weights)
            news.append(new)
        return self.norm(x) @ self.tokens.weight.T, all_weights, tuple(news)  # (B, T, C) @ (C, V) -> (B, T, V)
