"""One module with the changes that published models make to attention for long texts, each of them an option.

Windows have a module of their own; sinks and caps are at the end of this one. A cap is a bound on the scores. A sink is
a score that competes with those of the keys, and whose weight is dropped. It acts like one more key with a value of 0,
and like a gate: the weights of the keys sum to sigmoid(lse - sink), where lse is the log of the sum of exp(scores).
"""

import math

import torch
from torch import nn

from helpers import require
from helpers.grouped import GroupedQueryAttention, grouped_read, grouped_scores
from helpers.heads import merge_heads, split_heads
from helpers.masks import masked_softmax
from helpers.relative_positions import rotate_first
from helpers.windows import latest, window_mask


class LongAttention(GroupedQueryAttention):
    """`GroupedQueryAttention` with a window, sinks, a cap or a gate; without options, it computes the same.

    window        only this many latest positions are visible, and one fewer cached (Mistral; half of GPT-OSS's layers)
    sinks         a learned score for each head, which competes with those of the keys (GPT-OSS)
    cap           scores are bounded by -cap and cap (Gemma 2)
    score_width   scores are divided by the square root of this width instead of D's (Gemma 2)
    gate          each feature of a head's output is multiplied by the sigmoid of a projection of x (Qwen3-Next)
    rotary_width  only this many features of q and k are rotated (Qwen3-Next)

    Shapes: x (B, T, C) -> out (B, T, C), weights (B, H, T, P + T), past (keys, values, the number of tokens seen)
            past: what an earlier call returned; x continues after it, and it may be continued more than once;
            it holds P positions, with a window at most window - 1
            mask broadcastable to (B, H, T, P + T), True = may attend; what the window hides is hidden in any case
    Units:  weights sum to 1 over P + T, to less with sinks, and to 0 where a row is fully masked
    Errors: TypeError or ValueError if a size is invalid, or x, mask or past do not fit
    Source: Jiang et al. 2023; OpenAI 2025; Gemma Team 2024; Qiu et al. 2025 and Qwen Team 2025 (gates); notebook 11
    """

    def __init__(
        self,
        d_model,
        num_heads,
        groups,
        *,
        window=None,
        sinks=False,
        cap=None,
        score_width=None,
        gate=False,
        rotary_width=None,
        **options,  # of GroupedQueryAttention
    ):
        super().__init__(d_model, num_heads, groups, **options)
        rows, D = self.q_proj.out_features, self.q_proj.out_features // num_heads
        sizes = {"window": window, "score_width": score_width, "rotary_width": rotary_width}
        require.sizes(**{name: size for name, size in sizes.items() if size is not None})
        if cap is not None:
            require.cap(cap)
        self.window, self.cap = window, cap
        self.stretch = math.sqrt(D / (score_width or D))
        self.rotary_width = rotary_width or D
        if sinks:
            self.sinks = nn.Parameter(torch.zeros(num_heads))
        else:  # a sink of -inf gets no weight
            self.register_buffer("sinks", torch.full((num_heads,), float("-inf")), persistent=False)
        self.gate_proj = nn.Linear(d_model, rows, bias=self.q_proj.bias is not None) if gate else None

    def forward(self, x, mask=None, past=None):
        require.fits(x, self.q_proj, "B T C")
        q, k, v = self.project(x)  # (B, H, T, D), (B, G, T, D) twice
        seen = 0
        if past is not None:
            is_past = isinstance(past, (tuple, list)) and len(past) == 3 and isinstance(past[2], int)
            rule = "past must be what the module returned, (keys, values, the number of tokens seen)"
            require.that(is_past, rule, require.count_of(past), error=TypeError)
            require.keys_and_values(past[:2], k)
            seen = past[2]
        positions = torch.arange(seen, seen + x.size(1), device=x.device)  # in the text, not in the cache
        q, k = (rotate_first(x, positions, self.rotary_width, self.base) for x in (q, k))
        if past is not None:
            k, v = (torch.cat(pair, dim=-2) for pair in zip(past[:2], (k, v), strict=True))  # (B, G, P + T, D) each
        scores = grouped_scores(q * self.stretch, k)  # (B, H, T, P + T)
        T, S = scores.shape[-2:]
        visible = window_mask(T, S, self.window or S, x.device)  # (T, P + T)
        if mask is not None:
            require.mask(mask, scores)
            visible = visible & mask
        if self.cap is None:
            scores = scores.masked_fill(~visible, float("-inf"))
        else:
            scores = capped_scores(scores, self.cap, visible)
        weights = sink_weights(scores, self.sinks)
        out = grouped_read(weights, v)  # (B, H, T, D)
        if self.gate_proj is not None:
            out = out * split_heads(self.gate_proj(x), self.num_heads).sigmoid()
        kept = latest((k, v), self.window - 1) if self.window else (k, v)
        return self.out_proj(merge_heads(out)), weights, (*kept, seen + T)


# ---------------------------------------------------------------- sinks and caps


def sink_weights(scores, sinks):
    """Softmax over the keys and one more entry for each row, the sink of its head, which is then dropped.

    Shapes: scores (B, H, T, S), -inf where a key is hidden, sinks (H,) -> (B, H, T, S)
    Units:  weights sum to less than 1 over S, or to 0 where a row is fully masked; a sink of -inf gets no weight
    Errors: TypeError or ValueError if scores or sinks do not fit
    Source: OpenAI 2025, "gpt-oss"; Miller 2023, "Attention Is Off By One", for a sink of 0; notebook 11
    """
    require.shapes("scores B H T S, sinks H", scores, sinks)
    column = sinks.to(scores.dtype)[:, None, None].expand(*scores.shape[:-1], 1)  # (H, 1, 1) -> (B, H, T, 1)
    entries = torch.cat([scores, column], dim=-1)  # (B, H, T, S + 1)
    return masked_softmax(entries, entries > float("-inf"))[..., :-1]


def capped_scores(scores, cap, mask):
    """Bound scores by -cap and cap, then hide keys; scores that are small compared with the cap hardly change.

    In the other order, a hidden key's -inf would become -cap, and the key would be visible.

    Shapes: scores (..., T, S), mask broadcastable to it, True = may attend -> (..., T, S)
    Units:  -inf where the mask is False
    Errors: TypeError if scores are not floating, cap is not a number or mask is not bool; ValueError if cap is not
            above 0, or mask does not fit
    Source: Bello et al. 2017; Gemma Team 2024, "Gemma 2", section 2; notebook 11
    """
    require.floats(scores, "scores")
    require.cap(cap)
    require.mask(mask, scores)
    return (cap * torch.tanh(scores / cap)).masked_fill(~mask, float("-inf"))
