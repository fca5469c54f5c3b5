"""Wrong answers to exercise 6.4, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import torch
import torch.nn as nn

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def features_left(size, heads, num_heads):
    D = size // num_heads
    return [i for i in range(size) if i // D not in heads]


@wrong("wrong-axis")
def prune_other_axis(weight, bias, heads, num_heads, dim):
    """Columns for dim 0, rows for dim 1."""
    keep = features_left(weight.size(dim), heads, num_heads)
    if dim == 0:
        return weight[:, keep], None if bias is None else bias[keep]
    return weight[keep], bias


@wrong("wrong-axis")
def prune_other_axis_by_index_select(weight, bias, heads, num_heads, dim):
    """1 - dim in index_select."""
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    new = weight.index_select(1 - dim, keep)
    return new, bias[keep] if bias is not None and dim == 0 else bias


@wrong("always-rows")
def prune_always_rows(weight, bias, heads, num_heads, dim):
    """Always rows."""
    keep = features_left(weight.size(0), heads, num_heads)
    return weight[keep], bias[keep] if bias is not None and dim == 0 else bias


@wrong("always-rows")
def prune_without_dim(weight, bias, heads, num_heads, dim):
    """Dim never looked at."""
    keep = torch.tensor(features_left(len(weight), heads, num_heads))
    return weight[keep], bias if bias is None else bias[keep]


@wrong("always-columns")
def prune_always_columns(weight, bias, heads, num_heads, dim):
    """Always columns."""
    return weight[:, features_left(weight.size(1), heads, num_heads)], bias


@wrong("bias-not-pruned")
def prune_weight_only(weight, bias, heads, num_heads, dim):
    """Bias left as it is."""
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    return weight.index_select(dim, keep), bias


@wrong("bias-always-pruned")
def prune_bias_always(weight, bias, heads, num_heads, dim):
    """Bias pruned for dim 1 too."""
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    return weight.index_select(dim, keep), bias[keep] if bias is not None else None


@wrong("bias-for-columns")
def prune_bias_for_columns(weight, bias, heads, num_heads, dim):
    """Bias pruned for dim 1 only."""
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 1 else bias


@wrong("bias-lost")
def prune_bias_lost(weight, bias, heads, num_heads, dim):
    """None for the bias of dim 1."""
    keep = features_left(weight.size(dim), heads, num_heads)
    if dim == 0:
        return weight[keep], bias[keep] if bias is not None else None
    return weight[:, keep], None


@wrong("bias-none")
def prune_needs_a_bias(weight, bias, heads, num_heads, dim):
    """Bias None not thought of."""
    keep = features_left(weight.size(dim), heads, num_heads)
    if dim == 0:
        return weight[keep], bias[keep]
    return weight[:, keep], bias


@wrong()
def prune_if_bias(weight, bias, heads, num_heads, dim):
    """If bias: asks a tensor for its truth."""
    keep = features_left(weight.size(dim), heads, num_heads)
    if bias and dim == 0:
        bias = bias[keep]
    return (weight[keep] if dim == 0 else weight[:, keep]), bias


@wrong("bias-zeros")
def prune_with_a_bias_of_zeros(weight, bias, heads, num_heads, dim):
    """Zeros for a bias that is not there."""
    keep = features_left(weight.size(dim), heads, num_heads)
    if bias is None:
        bias = torch.zeros(weight.size(0), dtype=weight.dtype)
    return (weight[keep], bias[keep]) if dim == 0 else (weight[:, keep], bias)


@wrong("pruned-kept")
def prune_the_others(weight, bias, heads, num_heads, dim):
    """The pruned heads stay."""
    D = weight.size(dim) // num_heads
    keep = torch.tensor([i for i in range(weight.size(dim)) if i // D in heads], dtype=torch.long)
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("interleaved")
def prune_interleaved(weight, bias, heads, num_heads, dim):
    """I % num_heads."""
    keep = torch.tensor([i for i in range(weight.size(dim)) if i % num_heads not in heads])
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("interleaved")
def prune_by_repeat(weight, bias, heads, num_heads, dim):
    """Repeat in place of repeat_interleave."""
    stays = torch.tensor([h not in heads for h in range(num_heads)])
    keep = stays.repeat(weight.size(dim) // num_heads).nonzero().flatten()
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("num-heads-as-size")
def prune_with_num_heads_as_size(weight, bias, heads, num_heads, dim):
    """I // num_heads."""
    keep = torch.tensor([i for i in range(weight.size(dim)) if i // num_heads not in heads])
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("interleaved-by-size")
def prune_by_place_within_the_head(weight, bias, heads, num_heads, dim):
    """I % D."""
    D = weight.size(dim) // num_heads
    keep = torch.tensor([i for i in range(weight.size(dim)) if i % D not in heads], dtype=torch.long)
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("size-of-other-axis")
def prune_with_size_of_other_axis(weight, bias, heads, num_heads, dim):
    """D from the other axis."""
    D = max(1, weight.size(1 - dim) // num_heads)
    keep = torch.tensor([i for i in range(weight.size(dim)) if i // D not in heads])
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("one-feature-each")
def prune_single_features(weight, bias, heads, num_heads, dim):
    """Heads taken for features."""
    keep = torch.tensor([i for i in range(weight.size(dim)) if i not in heads])
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("heads-not-features")
def prune_to_one_feature_per_head(weight, bias, heads, num_heads, dim):
    """Only the heads' numbers."""
    keep = torch.tensor([h for h in range(num_heads) if h not in heads])
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("counted-from-1")
def prune_counted_from_1(weight, bias, heads, num_heads, dim):
    """Counted from 1."""
    D = weight.size(dim) // num_heads
    keep = torch.tensor([i for i in range(weight.size(dim)) if i // D + 1 not in heads])
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("zeroed")
def prune_by_zeros(weight, bias, heads, num_heads, dim):
    """Zeroed."""
    D = weight.size(dim) // num_heads
    weight, bias = weight.clone(), bias if bias is None else bias.clone()
    for h in heads:
        if dim == 0:
            weight[h * D : (h + 1) * D] = 0
            if bias is not None:
                bias[h * D : (h + 1) * D] = 0
        else:
            weight[:, h * D : (h + 1) * D] = 0
    return weight, bias


@wrong("one-after-another")
def prune_one_after_another(weight, bias, heads, num_heads, dim):
    """One after another."""
    D = weight.size(dim) // num_heads
    for h in sorted(heads):
        if dim == 0:
            weight = torch.cat([weight[: h * D], weight[(h + 1) * D :]])
            if bias is not None:
                bias = torch.cat([bias[: h * D], bias[(h + 1) * D :]])
        else:
            weight = torch.cat([weight[:, : h * D], weight[:, (h + 1) * D :]], dim=1)
    return weight, bias


@wrong("one-head-only")
def prune_return_in_loop(weight, bias, heads, num_heads, dim):
    """Return in the loop."""
    for h in heads:
        keep = torch.tensor(features_left(weight.size(dim), [h], num_heads))
        return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias
    return weight, bias


@wrong("counted-heads")
def prune_the_first_heads(weight, bias, heads, num_heads, dim):
    """The first len(heads) heads."""
    start = len(heads) * (weight.size(dim) // num_heads)
    if dim == 1:
        return weight[:, start:], bias
    return weight[start:], None if bias is None else bias[start:]


@wrong("heads-apart")
def prune_with_heads_apart(weight, bias, heads, num_heads, dim):
    """The head axis stays."""
    keep = [h for h in range(num_heads) if h not in heads]
    if dim == 0:
        return weight.view(num_heads, -1, weight.size(1))[keep], None if bias is None else bias.view(num_heads, -1)[
            keep
        ]
    return weight.view(weight.size(0), num_heads, -1)[:, keep], bias


@wrong("only-weight")
def prune_only_weight(weight, bias, heads, num_heads, dim):
    """The weight alone."""
    return weight.index_select(dim, torch.tensor(features_left(weight.size(dim), heads, num_heads)))


@wrong("bias-first")
def prune_bias_first(weight, bias, heads, num_heads, dim):
    """Bias first."""
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    return bias[keep] if bias is not None and dim == 0 else bias, weight.index_select(dim, keep)


@wrong("returns-wrong-type")
def prune_as_a_list(weight, bias, heads, num_heads, dim):
    """A list of both."""
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    return [weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias]


@wrong("returns-wrong-type")
def prune_to_a_layer(weight, bias, heads, num_heads, dim):
    """A layer comes back."""
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    new = weight.index_select(dim, keep)
    return nn.Linear(new.size(1), new.size(0), bias=bias is not None)


@wrong("transposed")
def prune_transposed(weight, bias, heads, num_heads, dim):
    """Transposed."""
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    return weight.index_select(dim, keep).T, bias[keep] if bias is not None and dim == 0 else bias


@wrong("unchanged")
def prune_nothing(weight, bias, heads, num_heads, dim):
    """Nothing pruned."""
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    weight.index_select(dim, keep)
    return weight, bias


@wrong("not-an-index")
def prune_with_a_set_as_index(weight, bias, heads, num_heads, dim):
    """A set as an index."""
    stays = torch.ones(num_heads, dtype=torch.bool)
    stays[heads] = False
    keep = stays.repeat_interleave(weight.size(dim) // num_heads).nonzero().flatten()
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("empty-collection")
def prune_with_an_empty_index(weight, bias, heads, num_heads, dim):
    """An empty tensor as an index."""
    stays = torch.ones(num_heads, dtype=torch.bool)
    stays[torch.tensor(list(heads))] = False
    keep = stays.repeat_interleave(weight.size(dim) // num_heads).nonzero().flatten()
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("changes-input")
def prune_emptying_heads(weight, bias, heads, num_heads, dim):
    """Heads emptied, on a set as well as on a list."""
    gone = []
    while heads:
        gone.append(heads.pop())
    keep = torch.tensor(features_left(weight.size(dim), gone, num_heads))
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("not-an-index")
def prune_sorting_heads(weight, bias, heads, num_heads, dim):
    """A list sorted in place."""
    heads.sort()
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("wrong-shape")
def prune_one_feature_short(weight, bias, heads, num_heads, dim):
    """The last feature of a head stays."""
    D = weight.size(dim) // num_heads
    gone = [i for h in heads for i in range(h * D, (h + 1) * D - 1)]
    keep = torch.tensor([i for i in range(weight.size(dim)) if i not in gone])
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("wrong-features")
def prune_shifted_by_one(weight, bias, heads, num_heads, dim):
    """Slices that begin one late."""
    size = weight.size(dim)
    D = size // num_heads
    gone = [(h * D + i + 1) % size for h in heads for i in range(D)]
    keep = torch.tensor([i for i in range(size) if i not in gone])
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("wrong-bias")
def prune_bias_from_the_front(weight, bias, heads, num_heads, dim):
    """The bias of other rows."""
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    return weight.index_select(dim, keep), bias[: len(keep)] if bias is not None and dim == 0 else bias


@wrong("wrong-features")
def prune_and_make_larger(weight, bias, heads, num_heads, dim):
    """What stays is made larger."""
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    new = weight.index_select(dim, keep) * num_heads / max(1, num_heads - len(heads))
    return new, bias[keep] if bias is not None and dim == 0 else bias


@wrong("wrong-axis")
def prune_with_dim_exchanged(weight, bias, heads, num_heads, dim):
    """Dim exchanged, for the bias too."""
    keep = features_left(weight.size(dim), heads, num_heads)
    if dim == 0:
        return weight[:, keep], bias
    return weight[keep], None if bias is None else bias[keep]


@wrong("wrong-axis")
def prune_with_dim_exchanged_by_masks(weight, bias, heads, num_heads, dim):
    """Dim exchanged by masks, counted along the axis that is cut."""
    stays = torch.tensor([h not in heads for h in range(num_heads)])
    keep = stays.repeat_interleave(weight.size(1 - dim) // num_heads)
    if dim == 1:
        return weight[keep], bias if bias is None else bias[keep]
    return weight[:, keep], bias


@wrong("wrong-axis")
def prune_with_the_other_dim(weight, bias, heads, num_heads, dim):
    """Dim = 1 - dim."""
    dim = 1 - dim
    keep = torch.tensor(features_left(weight.size(dim), heads, num_heads))
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("pruned-kept")
def prune_to_a_list_of_those_that_go(weight, bias, heads, num_heads, dim):
    """A list of the features that go."""
    D = weight.size(dim) // num_heads
    features = []
    for h in heads:
        features += range(h * D, (h + 1) * D)
    features = torch.tensor(features)
    return weight.index_select(dim, features), bias[features] if bias is not None and dim == 0 else bias


@wrong("pruned-kept")
def prune_to_the_pieces_that_go(weight, bias, heads, num_heads, dim):
    """The pruned heads' pieces joined."""

    def pieces(x, axis):
        return torch.cat([x.chunk(num_heads, axis)[h] for h in sorted(heads)], axis)

    return pieces(weight, dim), pieces(bias, 0) if bias is not None and dim == 0 else bias


@wrong("interleaved")
def prune_by_range_with_steps(weight, bias, heads, num_heads, dim):
    """Range(h, n, num_heads)."""
    keep = torch.tensor([i for h in range(num_heads) if h not in heads for i in range(h, weight.size(dim), num_heads)])
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("wrong-shape")
def pruned_and_squeezed(weight, bias, heads, num_heads, dim):
    """Squeeze() at the end: one row that is left loses its axis."""
    width = weight.size(dim) // num_heads
    keep = [i for i in range(weight.size(dim)) if i // width not in heads]
    w = weight[keep] if dim == 0 else weight[:, keep]
    return w.squeeze(), bias[keep] if dim == 0 and bias is not None else bias


@wrong("always-rows")
def prune_rows_whatever_dim_is(weight, bias, heads, num_heads, dim):
    """Dim only says what is counted: rows are cut, and the bias always."""
    D = weight.size(dim) // num_heads
    keep = [i for i in range(weight.size(dim)) if i // D not in heads]
    return weight[keep], bias[keep] if bias is not None else None


@wrong("always-rows")
def prune_slices_of_rows(weight, bias, heads, num_heads, dim):
    """Slices of rows, as wide as the heads of dim."""
    D = weight.size(dim) // num_heads
    left = [h for h in range(num_heads) if h not in heads]
    rows = torch.cat([weight[h * D : (h + 1) * D] for h in left])
    return rows, bias if bias is None else torch.cat([bias[h * D : (h + 1) * D] for h in left])


@wrong("size-from-rows")
def prune_with_size_of_rows(weight, bias, heads, num_heads, dim):
    """D from the rows, as in nn.Linear(C, C)."""
    D = weight.shape[0] // num_heads
    keep = [i for i in range(weight.size(dim)) if i // max(1, D) not in heads]
    if dim == 1:
        return weight[:, keep], bias
    return weight[keep], None if bias is None else bias[keep]


@wrong("size-from-rows")
def prune_slices_with_size_of_rows(weight, bias, heads, num_heads, dim):
    """D from the rows, in slices."""
    D = len(weight) // num_heads
    left = [h for h in range(num_heads) if h not in heads]
    if dim == 0:
        return (
            torch.cat([weight[h * D : h * D + D] for h in left]),
            bias if bias is None else torch.cat([bias[h * D : h * D + D] for h in left]),
        )
    return torch.cat([weight[:, h * D : h * D + D] for h in left], dim=1), bias


@wrong("size-from-columns")
def prune_with_size_of_columns(weight, bias, heads, num_heads, dim):
    """D from the columns."""
    D = weight.shape[1] // num_heads
    stays = torch.ones(num_heads, dtype=torch.bool)
    stays[list(heads)] = False
    keep = torch.repeat_interleave(stays, D)
    if dim == 1:
        return weight[:, keep], bias
    return weight[keep], None if bias is None else bias[keep]


@wrong("first-feature-each")
def prune_at_the_start_of_each_head(weight, bias, heads, num_heads, dim):
    """Only the feature where the head begins."""
    D = weight.size(dim) // num_heads
    starts = [h * D for h in heads]
    keep = torch.tensor([i for i in range(weight.size(dim)) if i not in starts])
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("next-head")
def prune_slices_one_head_late(weight, bias, heads, num_heads, dim):
    """Slices that begin at (h + 1) * D."""
    D = weight.size(dim) // num_heads
    gone = [i for h in heads for i in range((h + 1) * D, (h + 2) * D)]
    keep = torch.tensor([i for i in range(weight.size(dim)) if i not in gone])
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("up-to")
def prune_everything_between(weight, bias, heads, num_heads, dim):
    """One slice from the first pruned head to the last."""
    if not heads:
        return weight, bias
    D = weight.size(dim) // num_heads
    start, end = min(heads) * D, (max(heads) + 1) * D
    keep = torch.tensor([*range(start), *range(end, weight.size(dim))], dtype=torch.long)
    return weight.index_select(dim, keep), bias[keep] if bias is not None and dim == 0 else bias


@wrong("in-another-order")
def prune_from_the_last_feature_on(weight, bias, heads, num_heads, dim):
    """Features collected from the end."""
    D = weight.size(dim) // num_heads
    keep = [i for i in reversed(range(weight.size(dim))) if i // D not in heads]
    if dim == 1:
        return weight[:, keep], bias
    return weight[keep], bias if bias is None else bias[keep]


@wrong("always-rows")
def prune_blocks_of_rows(weight, bias, heads, num_heads, dim):
    """Dim is never looked at: whole blocks of rows."""
    D = weight.size(0) // num_heads
    blocks = [weight[h * D : (h + 1) * D] for h in range(num_heads) if h not in heads]
    if bias is not None:
        bias = torch.cat([bias[h * D : (h + 1) * D] for h in range(num_heads) if h not in heads])
    return torch.cat(blocks), bias


@wrong("always-columns")
def prune_blocks_of_columns(weight, bias, heads, num_heads, dim):
    """Dim is never looked at: whole blocks of columns."""
    D = weight.size(1) // num_heads
    blocks = [weight[:, h * D : (h + 1) * D] for h in range(num_heads) if h not in heads]
    return torch.cat(blocks, dim=1), bias
