"""The course's answer to exercise 7.1."""

from torch import nn

from helpers.heads import merge_heads, split_heads


class MyBertSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x, mask=None):
        q = split_heads(self.query(x), self.num_heads)  # (B, H, T, D)
        k = split_heads(self.key(x), self.num_heads)
        v = split_heads(self.value(x), self.num_heads)
        scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5  # (B, H, T, T)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(dim=-1)
        return merge_heads(weights @ v), weights
