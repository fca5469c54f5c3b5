"""What several exercises of notebook 01 share."""


def _which_row(table, vector):
    """The number of the row that equals a vector, or None."""
    if table.size(-1) != vector.size(-1):
        return None
    same = (table - vector).abs().amax(-1).lt(1e-4)
    return int(same.nonzero()[0]) if same.any() else None
