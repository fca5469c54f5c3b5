"""Wrong answers to exercise 10.2, of the kind that learners write: the checker must reject all of them."""

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def split(weight, num_heads):
    return list(weight.chunk(num_heads))


def size_of(weight, num_heads):
    return len(weight) // num_heads


@wrong("every-other-head")
def pooled_in_turn(weight, num_heads, groups):
    heads = weight.view(num_heads // groups, groups, size_of(weight, num_heads), -1)
    return heads.mean(0).reshape(-1, weight.size(1))


def pooled(weight, num_heads, groups):
    return weight.view(groups, num_heads // groups, size_of(weight, num_heads), -1).mean(1).flatten(0, 1)


@wrong("first-head")
def pooled_by_keeping_the_first(weight, num_heads, groups):
    return torch.cat([group[: size_of(weight, num_heads)] for group in weight.chunk(groups)])


@wrong("sum")
def pooled_by_sums(weight, num_heads, groups):
    return torch.cat([sum(group.chunk(num_heads // groups)) for group in weight.chunk(groups)])


@wrong("rows-in-a-row")
def pooled_by_neighbors(weight, num_heads, groups):
    size = num_heads // groups
    return torch.stack([weight[i : i + size].mean(0) for i in range(0, len(weight), size)])


@wrong("rows-in-a-row")
def pooled_with_features_in_front(weight, num_heads, groups):
    D, C = size_of(weight, num_heads), weight.size(1)
    return weight.view(D, num_heads, C).view(D, groups, -1, C).mean(2).reshape(-1, C)


@wrong("group-size-and-number-exchanged")
def pooled_in_groups_of_g(weight, num_heads, groups):
    return torch.cat([torch.stack(part.chunk(groups)).mean(0) for part in weight.chunk(num_heads // groups)])


@wrong("mean-over-the-groups")
def pooled_over_the_groups(weight, num_heads, groups):
    return torch.stack(weight.chunk(groups)).mean(0)


@wrong("repeated")
def pooled_and_repeated(weight, num_heads, groups):
    size = num_heads // groups
    means = pooled(weight, num_heads, groups).unflatten(0, (groups, -1))
    return means.repeat_interleave(size, dim=0).flatten(0, 1)


@wrong("groups-left-apart")
def pooled_and_stacked(weight, num_heads, groups):
    return torch.stack([torch.stack(group.chunk(num_heads // groups)).mean(0) for group in weight.chunk(groups)])


@wrong("one-group")
def pooled_into_one(weight, num_heads, groups):
    return torch.stack(split(weight, num_heads)).mean(0)


@wrong()
def pooled_by_the_largest(weight, num_heads, groups):
    return weight.view(groups, num_heads // groups, size_of(weight, num_heads), -1).amax(1).flatten(0, 1)
