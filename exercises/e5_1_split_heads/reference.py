"""The course's answer to exercise 5.1."""


def split_heads(x, num_heads):
    B, T, C = x.shape
    return x.view(B, T, num_heads, C // num_heads).transpose(1, 2)  # (B, T, H, D), then (B, H, T, D)
