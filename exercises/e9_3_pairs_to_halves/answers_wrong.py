"""Wrong answers to exercise 9.3, of the kind that learners write: the checker must reject all of them."""

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("heads-ignored")
def sorted_over_all_heads(weight, num_heads):
    order = list(range(0, len(weight), 2)) + list(range(1, len(weight), 2))
    return weight[order]


@wrong("other-direction")
def sorted_back_into_pairs(weight, num_heads):
    out = []
    for head in weight.chunk(num_heads):
        first, second = head.chunk(2)
        out.append(torch.stack([first, second], dim=1).flatten(0, 1))
    return torch.cat(out)


@wrong("second-features-first")
def sorted_odd_rows_first(weight, num_heads):
    return torch.cat([torch.cat([head[1::2], head[::2]]) for head in weight.chunk(num_heads)])


@wrong("heads-and-features-exchanged")
def sorted_in_chunks_of_h(weight, num_heads):
    return torch.cat([torch.cat([piece[::2], piece[1::2]]) for piece in weight.split(num_heads)])


@wrong("heads-interleaved")
def sorted_with_heads_inside(weight, num_heads):
    D = len(weight) // num_heads
    rows = [h * D + 2 * i + j for j in range(2) for i in range(D // 2) for h in range(num_heads)]
    return weight[rows]


@wrong("columns-sorted")
def sorted_columns(weight, num_heads):
    C = weight.size(1)
    return weight[:, [*range(0, C, 2), *range(1, C, 2)]]


@wrong("unchanged")
def sorted_not_at_all(weight, num_heads):
    return weight.view(num_heads, -1, 2, weight.size(1)).reshape(weight.shape)


@wrong("no-swap")
def sorted_by_the_wrong_view(weight, num_heads):
    D = len(weight) // num_heads
    return weight.view(2, num_heads, D // 2, -1).permute(1, 0, 2, 3).flatten(0, 2)


@wrong("mirrored")
def sorted_with_the_second_half_backward(weight, num_heads):
    return torch.cat([torch.cat([head[::2], head[1::2].flip(0)]) for head in weight.chunk(num_heads)])


@wrong("transposed")
def sorted_and_transposed(weight, num_heads):
    return torch.cat([torch.cat([head[::2], head[1::2]]) for head in weight.chunk(num_heads)]).t()


@wrong("heads-left-apart")
def sorted_and_stacked(weight, num_heads):
    return torch.stack([torch.cat([head[::2], head[1::2]]) for head in weight.chunk(num_heads)])


@wrong("half-of-the-rows")
def sorted_first_features(weight, num_heads):
    return torch.cat([head[::2] for head in weight.chunk(num_heads)])


@wrong("heads-mixed")
def sorted_with_heads_in_reverse(weight, num_heads):
    return torch.cat([torch.cat([head[::2], head[1::2]]) for head in reversed(weight.chunk(num_heads))])


@wrong("rows-lost")
def sorted_by_size(weight, num_heads):
    return weight.sort(dim=0).values
