"""The course's answer to exercise 14.2."""


def to_bool_mask(mask, convention):
    if convention == "hidden":
        return ~mask
    if convention == "added":
        return mask == 0
    return (mask == 1)[:, None, None]  # "padding": (B, S) -> (B, 1, 1, S)
