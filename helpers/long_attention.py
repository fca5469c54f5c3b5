"""What published models change in attention for long texts, in one module: each change on its own, or together.

Windows and sinks have modules of their own; a cap, which no score can exceed, is at the end of this one.
"""

import math

import torch
from torch import nn

from helpers import require
from helpers.grouped import GroupedQueryAttention, grouped_read, grouped_scores
from helpers.heads import merge_heads, split_heads
from helpers.relative_positions import rotate_first
from helpers.sinks import gated_output, sink_weights
from helpers.windows import latest, window_mask


class LongAttention(GroupedQueryAttention):
    """`GroupedQueryAttention` with a window, sinks, a cap or a gate; without them it computes the same.

    window        only so many latest positions are seen, and one fewer is kept (Mistral; GPT-OSS in every other layer)
    sinks         a score to learn for each head, which competes with those of the keys (GPT-OSS)
    cap           scores end between -cap and cap (Gemma 2)
    score_width   scores are divided by the square root of this width instead of D's (Gemma 2)
    gate          each feature of a head's output is multiplied by the sigmoid of a projection of x (Qwen3-Next)
    rotary_width  only so many features of q and k are turned (Qwen3-Next)

    Shapes: x (B, T, C) -> out (B, T, C), weights (B, H, T, P + T), past (keys, values, the number of tokens seen)
            past: what an earlier call returned; x continues after it, and it may be continued more than once;
            it holds P positions, with a window at most window - 1
            mask broadcastable to (B, H, T, P + T), True = may attend; what the window hides is hidden in any case
    Units:  weights sum to 1 over P + T, with sinks to less, and to 0 where a row is fully masked
    Errors: TypeError or ValueError if a size makes no sense, or x, mask or past do not fit
    Source: Jiang et al. 2023; OpenAI 2025; Gemma Team 2024; Qwen Team 2025; notebook 11
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
        else:  # a sink of -inf takes nothing
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
        positions = torch.arange(seen, seen + x.size(1), device=x.device)  # of the text, not of what is kept of it
        q, k = (rotate_first(x, positions, self.rotary_width, self.base) for x in (q, k))
        if past is not None:
            k, v = (torch.cat(pair, dim=-2) for pair in zip(past[:2], (k, v), strict=True))  # (B, G, P + T, D) each
        scores = grouped_scores(q * self.stretch, k)  # (B, H, T, P + T)
        if self.cap is not None:
            scores = cap_scores(scores, self.cap)
        T, S = scores.shape[-2:]
        visible = window_mask(T, S, self.window or S, x.device)  # (T, P + T)
        if mask is not None:
            require.mask(mask, scores)
            visible = visible & mask
        weights = sink_weights(scores.masked_fill(~visible, float("-inf")), self.sinks)
        out = grouped_read(weights, v)  # (B, H, T, D)
        if self.gate_proj is not None:
            out = gated_output(out, split_heads(self.gate_proj(x), self.num_heads))
        kept = latest((k, v), self.window - 1) if self.window else (k, v)
        return self.out_proj(merge_heads(out)), weights, (*kept, seen + T)


# ---------------------------------------------------------------- soft-capping


def cap_scores(scores, cap):
    """Scores far below the cap hardly change, all others end between -cap and cap.

    Shapes: scores (...) -> (...)
    Errors: TypeError if scores have no floats, or cap is no number; ValueError if cap is not above 0
    Source: Bello et al. 2017; Gemma Team 2024, "Gemma 2", section 2; notebook 11
    """
    require.floats(scores, "scores")
    require.cap(cap)
    return cap * torch.tanh(scores / cap)


def capped_scores(scores, cap, mask):
    """Cap the scores, then hide keys: the other way around, a hidden key's -inf would become -cap, and be seen.

    Shapes: scores (..., T, S), mask broadcastable to it, True = may attend -> (..., T, S)
    Units:  -inf where the mask is False
    Errors: as `cap_scores`; TypeError if mask is not bool; ValueError if it does not fit
    Source: as `cap_scores`; notebook 11
    """
    capped = cap_scores(scores, cap)
    require.mask(mask, scores)
    return capped.masked_fill(~mask, float("-inf"))
