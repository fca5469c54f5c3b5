"""Wrong answers to exercise 14.2, each with the diagnosis that it must get."""

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("hidden-kept")
def converted_twice(mask, convention):
    if convention == "hidden":
        return ~~mask
    return mask >= 0 if convention == "added" else mask.bool()[:, None, None]


@wrong("added-as-true")
def converted_by_bool(mask, convention):
    if convention == "hidden":
        return ~mask
    return mask.bool() if convention == "added" else mask.bool()[:, None, None]


@wrong("only-infinity-hidden")
def converted_by_isfinite(mask, convention):
    if convention == "added":
        return mask.isfinite()
    return ~mask if convention == "hidden" else (mask > 0)[:, None, None]


@wrong("only-the-lowest-hidden")
def converted_below_a_million(mask, convention):
    if convention == "added":
        return mask > torch.finfo(mask.dtype).min / 2
    return ~mask if convention == "hidden" else (mask > 0)[:, None, None]


@wrong("equal-to-one")
def converted_as_ones(mask, convention):
    if convention == "hidden":
        return ~mask
    keep = mask > 0.5
    return keep[:, None, None] if convention == "padding" else keep


@wrong("padding-inverted")
def converted_to_padding(mask, convention):
    if convention == "padding":
        return ~mask.bool()[:, None, None]
    return mask == 0


@wrong("padding-without-axes")
def converted_in_its_shape(mask, convention):
    return mask.bool() if convention == "padding" else ~mask.bool()


@wrong("padding-of-queries")
def converted_with_the_last_axis_new(mask, convention):
    return mask.bool().unsqueeze(1).unsqueeze(-1) if convention == "padding" else ~mask.bool()


@wrong("padding-squared")
def converted_into_pairs(mask, convention):
    if convention == "padding":
        real = mask.float()
        return (real.unsqueeze(2) @ real.unsqueeze(1)).bool().unsqueeze(1)
    return ~mask.bool()


@wrong("too-few-axes")
def converted_for_each_query_only(mask, convention):
    return mask.bool().unsqueeze(1) if convention == "padding" else ~mask.bool()


@wrong("too-few-axes")
def converted_in_front(mask, convention):
    return mask.bool().view(1, 1, *mask.shape) if convention == "padding" else ~mask.bool()


@wrong("hidden-kept")
def converted_alike(mask, convention):
    return mask != 0


@wrong("wrong-dtype")
def converted_to_numbers(mask, convention):
    if convention == "padding":
        return mask[:, None, None].long()
    return 1 - mask.bool().long()


@wrong()
def converted_with_the_first_key_hidden(mask, convention):
    keep = ~mask.bool() if convention != "padding" else mask.bool()[:, None, None]
    keep[..., 0] = False
    return keep
