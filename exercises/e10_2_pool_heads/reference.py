"""The course's own answer to exercise 10.2."""


def pool_heads(weight, num_heads, groups):
    """Make one key or value head out of the heads of each group: their mean.

    Shapes: weight (H * D, C) -> (G * D, C)
    Source: Ainslie et al. 2023; notebook 10
    """
    heads = weight.unflatten(0, (groups, num_heads // groups, -1))  # (G, H/G, D, C)
    return heads.mean(dim=1).flatten(0, 1)
