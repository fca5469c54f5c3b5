"""What the statement and the misconceptions of 7.1 share."""


_LAYERS = ("query", "key", "value")


def _unchanged(z):
    return z
