"""The course's answer to exercise 14.1."""


def split_projection(weight, num_heads, layout):
    if layout == "transposed":
        weight = weight.T  # (C, 3C) -> (3C, C)
    if layout == "interleaved":
        heads = weight.unflatten(0, (num_heads, 3, -1))  # (H, 3, D, C)
        weight = heads.transpose(0, 1).flatten(0, 2)  # (3, H, D, C) -> (3C, C)
    return weight.chunk(3)
