"""The course's own answer to exercise 1.2."""


def embed(ids, table):
    """Take one row of the table for each id.

    Shapes: ids (...), table (V, C) -> (..., C)
    Source: notebook 01
    """
    return table[ids]
