"""The code of exercise 6.7, one line of which is wrong."""


def pre_norm_block(x, attention, feed_forward, norm_1, norm_2):
    """A pre-norm block: attention and feed-forward, each with its norm and its residual connection.

    Shapes: x (B, T, C) -> (B, T, C); both sublayers and both norms take (B, T, C) to (B, T, C)
    """
    x = x + attention(norm_1(x))
    normal = norm_2(x)
    return normal + feed_forward(normal)
