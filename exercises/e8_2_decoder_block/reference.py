"""The course's answer to exercise 8.2."""

from torch import nn

from helpers.heads import MultiHeadAttention


class DecoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = nn.Sequential(nn.Linear(d_model, d_ff), nn.GELU(), nn.Linear(d_ff, d_model))
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x):
        out, _ = self.attention(self.norm_1(x), causal=True)
        x = x + out  # (B, T, C)
        return x + self.feed_forward(self.norm_2(x))
