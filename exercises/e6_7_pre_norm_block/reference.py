"""The course's own answer to exercise 6.7."""


def pre_norm_block(x, attention, feed_forward, norm_1, norm_2):
    """A block in the pre-norm order: attention and its residual connection, then feed-forward and its own.

    Shapes: x (B, T, C) -> (B, T, C); both sublayers and both norms take (B, T, C) to (B, T, C)
    """
    x = x + attention(norm_1(x))
    normal = norm_2(x)
    return x + feed_forward(normal)
