"""Wrong answers to exercise 14.1, each with the diagnosis that it must get."""

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def blocks(weight):
    C = weight.size(1)
    return weight[:C], weight[C : 2 * C], weight[2 * C :]


def pieces(weight, num_heads):
    D = weight.size(1) // num_heads
    cut = weight.split(D)
    return tuple(torch.cat(cut[part::3]) for part in range(3))


def others(weight, layout):
    """The layouts other than interleaved."""
    return blocks(weight if layout == "stacked" else weight.T)


@wrong("layout-ignored")
def split_without_looking(weight, num_heads, layout):
    return blocks(weight.T if weight.size(0) < weight.size(1) else weight)


@wrong("layout-ignored")
def split_without_looking_into_a_list(weight, num_heads, layout):
    return list(split_without_looking(weight, num_heads, layout))


@wrong("every-third-row")
def split_row_by_row(weight, num_heads, layout):
    if layout != "interleaved":
        return others(weight, layout)
    return weight.unflatten(0, (-1, 3)).unbind(1)


@wrong("heads-and-width-swapped")
def split_into_pieces_of_num_heads(weight, num_heads, layout):
    if layout != "interleaved":
        return others(weight, layout)
    cut = weight.split(num_heads)
    return tuple(torch.cat(cut[part::3]) for part in range(3))


@wrong("features-before-heads")
def split_and_stacked_on_axis_1(weight, num_heads, layout):
    if layout != "interleaved":
        return others(weight, layout)
    D = weight.size(1) // num_heads
    cut = weight.split(D)
    return tuple(torch.stack(cut[part::3], dim=1).reshape(-1, weight.size(1)) for part in range(3))


@wrong("heads-in-reverse")
def split_from_the_last_head(weight, num_heads, layout):
    if layout != "interleaved":
        return others(weight, layout)
    cut = weight.split(weight.size(1) // num_heads)
    return tuple(torch.cat(cut[part::3][::-1]) for part in range(3))


@wrong("only-the-first-head")
def split_with_a_start_that_stays(weight, num_heads, layout):
    if layout != "interleaved":
        return others(weight, layout)
    D = weight.size(1) // num_heads
    return tuple(torch.cat([weight[part * D : (part + 1) * D]] * num_heads) for part in range(3))


@wrong("always-interleaved")
def split_head_by_head(weight, num_heads, layout):
    return others(weight, layout) if layout == "transposed" else pieces(weight, num_heads)


@wrong("layouts-swapped")
def split_the_other_way_around(weight, num_heads, layout):
    if layout == "stacked":
        return pieces(weight, num_heads)
    return blocks(weight.T if layout == "transposed" else weight)


@wrong("still-transposed")
def split_by_columns(weight, num_heads, layout):
    if layout == "transposed":
        C = len(weight)
        return weight[:, :C], weight[:, C : 2 * C], weight[:, 2 * C :]
    return pieces(weight, num_heads) if layout == "interleaved" else blocks(weight)


@wrong("reshaped")
def split_by_view(weight, num_heads, layout):
    if layout == "transposed":
        return weight.view(3, len(weight), len(weight)).unbind()
    return pieces(weight, num_heads) if layout == "interleaved" else blocks(weight)


@wrong("transposed-interleaved")
def split_columns_by_head(weight, num_heads, layout):
    return blocks(weight) if layout == "stacked" else pieces(weight.T if layout == "transposed" else weight, num_heads)


@wrong("transposed-too-often")
def split_and_transposed(weight, num_heads, layout):
    if layout == "transposed":
        return weight.chunk(3, dim=1)
    return tuple(part.T for part in (pieces(weight, num_heads) if layout == "interleaved" else blocks(weight)))


@wrong("another-order")
def split_values_first(weight, num_heads, layout):
    q, k, v = pieces(weight, num_heads) if layout == "interleaved" else others(weight, layout)
    return v, q, k


@wrong("another-order")
def split_keys_first(weight, num_heads, layout):
    q, k, v = pieces(weight, num_heads) if layout == "interleaved" else others(weight, layout)
    return k, q, v


@wrong()
def split_with_one_row_too_few(weight, num_heads, layout):
    q, k, v = pieces(weight, num_heads) if layout == "interleaved" else others(weight, layout)
    return q, k.roll(1, 0), v
