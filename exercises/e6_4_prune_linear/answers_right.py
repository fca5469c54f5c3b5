"""Right answers to exercise 6.4, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import numpy as np
import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def prune_as_transformers_does(weight, bias, heads, num_heads, dim):
    size = weight.size(dim) // num_heads
    mask = torch.ones(num_heads, size)
    for head in heads:
        mask[head] = 0
    index = torch.arange(len(mask.view(-1)))[mask.view(-1).eq(1)].long()
    new = weight.index_select(dim, index)
    if bias is not None:
        bias = bias.clone() if dim == 1 else bias[index]
    return new, bias


@right
def prune_by_a_list_of_features(weight, bias, heads, num_heads, dim):
    D = weight.shape[dim] // num_heads
    features = [i for i in range(weight.shape[dim]) if i // D not in heads]
    if dim == 0:
        return weight[features], None if bias is None else bias[features]
    return weight[:, features], bias


@right
def prune_by_a_bool_mask(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    keep = torch.tensor([feature // D not in set(heads) for feature in range(weight.size(dim))])
    if dim == 1:
        return weight[:, keep], bias
    return weight[keep, :], bias[keep] if bias is not None else None


@right
def prune_by_chunks(weight, bias, heads, num_heads, dim):
    chunks = weight.chunk(num_heads, dim=dim)
    new = torch.cat([chunk for h, chunk in enumerate(chunks) if h not in heads], dim=dim)
    if bias is not None and dim == 0:
        bias = torch.cat([chunk for h, chunk in enumerate(bias.chunk(num_heads)) if h not in heads])
    return new, bias


@right
def prune_from_the_last_head_on(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    for h in sorted(heads, reverse=True):
        before, after = weight.narrow(dim, 0, h * D), weight.narrow(dim, (h + 1) * D, weight.size(dim) - (h + 1) * D)
        weight = torch.cat((before, after), dim)
        if dim == 0 and bias is not None:
            bias = torch.cat((bias[: h * D], bias[(h + 1) * D :]))
    return weight, bias


@right
def prune_with_an_axis_for_heads(weight, bias, heads, num_heads, dim):
    keep = [h for h in range(num_heads) if h not in heads]
    if dim == 0:
        new = weight.view(num_heads, -1, weight.size(1))[keep].flatten(0, 1)
        return new, None if bias is None else bias.view(num_heads, -1)[keep].flatten()
    return weight.view(weight.size(0), num_heads, -1)[:, keep].flatten(1), bias


@right
def prune_by_transposing(weight, bias, heads, num_heads, dim):
    if dim == 1:
        new, _ = prune_by_transposing(weight.T, None, heads, num_heads, 0)
        return new.T, bias
    blocks = weight.split(len(weight) // num_heads)
    left = sorted(set(range(num_heads)) - set(heads))
    rows = torch.cat([blocks[h] for h in left])
    if bias is None:
        return rows, None
    return rows, torch.cat([bias.split(len(bias) // num_heads)[h] for h in left])


@right
def prune_by_numpys_delete(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    gone = [h * D + i for h in heads for i in range(D)]
    new = torch.from_numpy(np.delete(weight.numpy(), gone, axis=dim))
    if bias is None:
        return new, None
    return new, torch.from_numpy(np.delete(bias.numpy(), gone)) if dim == 0 else bias


@right
def prune_by_isin(weight, bias, heads, num_heads, dim):
    owner = torch.arange(weight.size(dim)) // (weight.size(dim) // num_heads)
    keep = ~torch.isin(owner, torch.tensor(list(heads), dtype=torch.long))
    index = keep.nonzero(as_tuple=True)[0]
    return weight.index_select(dim, index), bias[index] if dim == 0 and bias is not None else bias


@right
def prune_by_broadcasting_a_mask(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    keep = torch.ones(num_heads, 1, dtype=torch.bool)
    for h in heads:
        keep[h] = False
    keep = keep.expand(num_heads, D).reshape(-1)
    if dim == 0:
        new = weight.masked_select(keep[:, None]).view(-1, weight.size(1))
        bias = None if bias is None else bias.masked_select(keep)
    else:
        new = weight.masked_select(keep).view(weight.size(0), -1)
    return new, bias


@right
def prune_row_by_row(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    lines, entries = [], []
    for i, line in enumerate(weight.unbind(dim)):
        if i // D in heads:
            continue
        lines.append(line)
        if bias is not None and dim == 0:
            entries.append(bias[i])
    if bias is not None:
        bias = torch.stack(entries) if dim == 0 else bias.clone()
    return torch.stack(lines, dim=dim), bias


@right
def prune_by_a_selecting_matrix(weight, bias, heads, num_heads, dim):
    size = weight.size(dim)
    keep = [i for i in range(size) if i * num_heads // size not in heads]
    select = torch.eye(size, dtype=weight.dtype)[keep]
    if dim == 1:
        return weight @ select.T, bias
    return select @ weight, bias if bias is None else select @ bias


@right
def prune_by_slices_joined(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    gone = frozenset(heads)
    index = torch.cat([torch.arange(h * D, h * D + D) for h in range(num_heads) if h not in gone])
    new = torch.index_select(weight, dim, index).clone().detach()
    if dim == 0 and torch.is_tensor(bias):
        return new, torch.index_select(bias, 0, index)
    return new, bias
