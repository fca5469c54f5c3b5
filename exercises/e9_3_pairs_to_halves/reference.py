"""The course's own answer to exercise 9.3."""


def pairs_to_halves(weight, num_heads):
    """Put the rows of a query or key projection that was made for pairs in the order for halves.

    Shapes: weight (H * D, C) -> (H * D, C), in each head its rows 0, 2, 4, ... and then 1, 3, 5, ...
    Source: notebook 09
    """
    pairs = weight.unflatten(0, (num_heads, -1, 2))  # (H, D/2, 2, C)
    return pairs.transpose(1, 2).flatten(0, 2)  # (H, 2, D/2, C) -> (H * D, C)
