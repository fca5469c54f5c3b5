"""Right answers to exercise 14.1, in many styles: the checker must accept all of them."""

import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def split_by_indices(weight, num_heads, layout):
    if layout == "transposed":
        weight = weight.transpose(0, 1)
    C = weight.shape[1]
    D = C // num_heads
    results = []
    for part in range(3):
        if layout == "interleaved":
            rows = [h * 3 * D + part * D + d for h in range(num_heads) for d in range(D)]
        else:
            rows = list(range(part * C, part * C + C))
        results.append(weight[rows])
    return tuple(results)


@right
def split_by_chunks_of_chunks(weight, num_heads, layout):
    if layout == "stacked":
        return torch.chunk(weight, 3, dim=0)
    if layout == "transposed":
        q, k, v = weight.chunk(3, dim=-1)
        return q.t(), k.t(), v.t()
    heads = [head.chunk(3) for head in weight.chunk(num_heads)]
    return tuple(torch.cat([head[part] for head in heads]) for part in range(3))


@right
def split_by_views(weight, num_heads, layout):
    C = min(weight.shape)
    if layout == "interleaved":
        parts = weight.view(num_heads, 3, C // num_heads, C)
        return tuple(parts[:, i].reshape(C, C) for i in range(3))
    if layout == "transposed":
        weight = weight.T.contiguous()
    return tuple(weight.view(3, C, C))


@right
def split_by_slices(weight, num_heads, layout):
    match layout:
        case "stacked":
            C = weight.size(1)
            return weight[:C], weight[C : 2 * C], weight[2 * C :]
        case "transposed":
            C = weight.size(0)
            return weight[:, :C].T, weight[:, C : 2 * C].T, weight[:, 2 * C :].T
    D = weight.size(1) // num_heads
    q, k, v = [], [], []
    for start in range(0, len(weight), 3 * D):
        q.append(weight[start : start + D])
        k.append(weight[start + D : start + 2 * D])
        v.append(weight[start + 2 * D : start + 3 * D])
    return torch.cat(q), torch.cat(k), torch.cat(v)


@right
def split_by_a_mask_of_rows(weight, num_heads, layout):
    rows = weight.T if layout == "transposed" else weight
    number = torch.arange(len(rows))
    C = rows.size(1)
    owner = number // (C // num_heads) % 3 if layout == "interleaved" else number // C
    return rows[owner == 0], rows[owner == 1], rows[owner == 2]


@right
def split_by_einsum(weight, num_heads, layout):
    if layout == "transposed":
        return split_by_einsum(torch.einsum("io->oi", weight), num_heads, "stacked")
    C = weight.size(-1)
    if layout == "stacked":
        return weight.reshape(3, C, C).unbind(0)
    parts = torch.einsum("hpdc->phdc", weight.reshape(num_heads, 3, -1, C))
    return tuple(part.flatten(0, 1).clone() for part in parts)


@right
def split_into_a_list(weight, num_heads, layout):
    parts = split_by_chunks_of_chunks(weight, num_heads, layout)
    return [part.contiguous() for part in parts]


@right
def split_into_one_tensor(weight, num_heads, layout):
    if layout == "interleaved":
        C = weight.size(1)
        return weight.reshape(num_heads, 3, C // num_heads, C).transpose(0, 1).reshape(3, C, C)
    rows = weight.T if layout == "transposed" else weight
    return torch.stack(rows.chunk(3))
