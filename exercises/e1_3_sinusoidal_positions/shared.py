"""What the statement and the misconceptions of 1.3 share."""


def _pairs(x):
    """(length, d_model) -> (length, d_model / 2, 2)."""
    return x.unflatten(-1, (-1, 2))


_FREQUENCY = "The angle is position / 10000**(i / d_model), with i = 0, 2, 4, ...: the even column of the pair."
