"""Answers to exercise 6.4 with two mistakes at once: naming either is true, naming a third is not."""

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


def take(tensor, dim, features):
    return tensor.index_select(dim, torch.tensor(features, dtype=torch.long))


@both("pruned-kept", "bias-always-pruned")
def those_that_go_and_bias_always(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    keep = [i for i in range(weight.size(dim)) if i // D in heads]
    return take(weight, dim, keep), bias if bias is None else bias[keep]


@both("pruned-kept", "bias-not-pruned")
def those_that_go_and_the_whole_bias(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    return take(weight, dim, [h * D + i for h in sorted(heads) for i in range(D)]), bias


@both("interleaved", "bias-not-pruned")
def dealt_out_with_the_whole_bias(weight, bias, heads, num_heads, dim):
    return take(weight, dim, [i for i in range(weight.size(dim)) if i % num_heads not in heads]), bias


@both("num-heads-as-size", "bias-none")
def divided_by_num_heads_without_asking_for_a_bias(weight, bias, heads, num_heads, dim):
    keep = [i for i in range(weight.size(dim)) if i // num_heads not in heads]
    return take(weight, dim, keep), bias[keep] if dim == 0 else bias


@both("wrong-axis", "bias-none")
def other_axis_without_asking_for_a_bias(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    keep = [i for i in range(weight.size(dim)) if i // D not in heads]
    return (weight[:, keep], bias[keep]) if dim == 0 else (weight[keep], bias)


@both("always-rows", "bias-not-pruned")
def rows_with_the_whole_bias(weight, bias, heads, num_heads, dim):
    D = weight.size(0) // num_heads
    return weight[[i for i in range(weight.size(0)) if i // D not in heads]], bias


@both("counted-from-1", "bias-always-pruned")
def from_1_and_bias_always(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    keep = [i for i in range(weight.size(dim)) if i // D + 1 not in heads]
    return take(weight, dim, keep), None if bias is None else bias[keep]


@both("zeroed", "pruned-kept")
def the_others_set_to_zero(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    stays = torch.tensor([i // D in heads for i in range(weight.size(dim))])
    return weight * (stays[:, None] if dim == 0 else stays), bias if bias is None or dim == 1 else bias * stays


@both("one-head-only", "bias-not-pruned")
def first_head_with_the_whole_bias(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    for h in heads:
        return take(weight, dim, [i for i in range(weight.size(dim)) if i // D != h]), bias
    return weight, bias


@both("one-after-another", "bias-not-pruned")
def in_turn_with_the_whole_bias(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    for h in heads:
        weight = take(weight, dim, [i for i in range(weight.size(dim)) if i // D != h])
    return weight, bias


@both("always-rows", "always-columns")
def rows_and_columns(weight, bias, heads, num_heads, dim):
    for axis in (0, 1):
        D = weight.size(axis) // num_heads
        keep = [i for i in range(weight.size(axis)) if i // D not in heads]
        weight, bias = take(weight, axis, keep), bias if bias is None or axis == 1 else bias[keep]
    return weight, bias
