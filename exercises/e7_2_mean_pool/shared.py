"""What the statement and the misconceptions of 7.2 share."""


def _filled(hidden, mask, value=0.0):
    return hidden.masked_fill(~mask.unsqueeze(-1), value)
