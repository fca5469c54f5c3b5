"""Wrong answers to exercise 3.6, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET504, PERF401 - naming a result before returning it, and append in a loop, are what learners do

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def noisy(x, *at):
    """A copy of x with noise at these indices."""
    changed = x.clone()
    changed[at] += torch.randn_like(changed[at])
    return changed


def moved(before, after):
    return (before - after).abs().max(dim=2).values.max(dim=0).values


@wrong("past-too")
def leaks_of_all_pairs(attend, x):
    """All i and j that differ."""
    T, before, leaks = x.size(1), attend(x), []
    for i in range(T):
        for j in range(T):
            if i != j and moved(before, attend(noisy(x, slice(None), j)))[i] > 1e-4:
                leaks.append((i, j))
    return leaks


@wrong("past-too")
def leaks_of_every_output(attend, x):
    """No condition at all."""
    rows = [moved(attend(x), attend(noisy(x, slice(None), j))) > 1e-4 for j in range(x.size(1))]
    return [(i, j) for i in range(x.size(1)) for j in range(x.size(1)) if rows[j][i]]


@wrong("past-too")
def leaks_of_earlier_positions(attend, x):
    """j < i instead of j > i."""
    rows = [moved(attend(x), attend(noisy(x, slice(None), j))) > 1e-4 for j in range(x.size(1))]
    return [(i, j) for i in range(x.size(1)) for j in range(i) if rows[j][i]]


@wrong("itself-too")
def leaks_with_the_diagonal(attend, x):
    """range(i, T) instead of range(i + 1, T)."""
    rows = [moved(attend(x), attend(noisy(x, slice(None), j))) > 1e-4 for j in range(x.size(1))]
    return [(i, j) for i in range(x.size(1)) for j in range(i, x.size(1)) if rows[j][i]]


@wrong("neighbors-only")
def leaks_of_neighbors(attend, x):
    """Position i + 1 alone."""
    leaks = []
    for i in range(x.size(1) - 1):
        if moved(attend(x), attend(noisy(x, slice(None), i + 1)))[i] > 1e-4:
            leaks.append((i, i + 1))
    return leaks


@wrong("last-position-left-out")
def leaks_of_one_position_less(attend, x):
    """range(1, T - 1)."""
    leaks = []
    for j in range(1, x.size(1) - 1):
        far = moved(attend(x), attend(noisy(x, slice(None), j)))
        leaks += [(i, j) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong("turned-around")
def leaks_from_later_to_earlier(attend, x):
    """(j, i)."""
    leaks = []
    for j in range(x.size(1)):
        far = moved(attend(x), attend(noisy(x, slice(None), j)))
        leaks += [(j, i) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong("not-sorted")
def leaks_by_position_changed(attend, x):
    """Sorted by j."""
    leaks = []
    for j in range(x.size(1)):
        far = moved(attend(x), attend(noisy(x, slice(None), j)))
        for i in range(j):
            if far[i] > 1e-4:
                leaks.append((i, j))
    return leaks


@wrong("first-leak-only")
def leaks_with_an_early_return(attend, x):
    """return in the loop."""
    for j in range(x.size(1)):
        far = moved(attend(x), attend(noisy(x, slice(None), j)))
        for i in range(j):
            if far[i] > 1e-4:
                return [(i, j)]
    return []


@wrong("first-leak-only")
def leaks_with_a_break(attend, x):
    """break after the first leak of each j."""
    leaks = []
    for j in range(x.size(1)):
        far = moved(attend(x), attend(noisy(x, slice(None), j)))
        for i in range(j):
            if far[i] > 1e-4:
                leaks.append((i, j))
                break
    return sorted(leaks)


@wrong("changes-all-that-follows")
def leaks_of_the_whole_future(attend, x):
    """As the notebook's own test: everything from j on."""
    leaks = []
    for j in range(1, x.size(1)):
        changed = torch.cat([x[:, :j], x[:, j:] + torch.randn_like(x[:, j:])], dim=1)
        far = moved(attend(x), attend(changed))
        leaks += [(i, j) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong("changes-everything")
def leaks_of_all_noise(attend, x):
    """x + noise."""
    leaks = []
    for j in range(x.size(1)):
        far = moved(attend(x), attend(x + torch.randn_like(x)))
        leaks += [(i, j) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong("changes-pile-up")
def leaks_of_one_clone(attend, x):
    """clone() before the loop."""
    y = x.clone()
    leaks = []
    for j in range(x.size(1)):
        y[:, j] = torch.randn(x.size(0), x.size(2))
        far = moved(attend(x), attend(y))
        leaks += [(i, j) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong("first-item-only")
def leaks_compared_in_item_0(attend, x):
    """out[0]."""
    leaks = []
    for j in range(x.size(1)):
        far = (attend(x)[0] - attend(noisy(x, slice(None), j))[0]).abs().sum(-1)
        leaks += [(i, j) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong("first-item-only")
def leaks_of_item_0(attend, x):
    """x[0, j] is changed, out[0] compared."""
    leaks = []
    for j in range(x.size(1)):
        far = (attend(x)[0] - attend(noisy(x, 0, j))[0]).abs().sum(-1)
        leaks += [(i, j) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong("first-item-only")
def leaks_of_a_change_in_item_0(attend, x):
    """x[0, j] is changed, all items compared."""
    leaks = []
    for j in range(x.size(1)):
        far = moved(attend(x), attend(noisy(x, 0, j)))
        leaks += [(i, j) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong("one-feature-changed")
def leaks_of_feature_0(attend, x):
    """changed[:, j, 0]."""
    leaks = []
    for j in range(x.size(1)):
        changed = x.clone()
        changed[:, j, 0] = 100.0
        far = moved(attend(x), attend(changed))
        leaks += [(i, j) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong("not-the-given-x")
def leaks_of_random_inputs(attend, x):
    """An x of its own."""
    y = torch.rand(x.shape, dtype=x.dtype)
    leaks = []
    for j in range(x.size(1)):
        far = moved(attend(y), attend(noisy(y, slice(None), j)))
        leaks += [(i, j) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong("always-empty")
def leaks_of_a_lost_change(attend, x):
    """The sum is thrown away."""
    leaks = []
    for j in range(x.size(1)):
        changed = x.clone()
        changed[:, j] + torch.randn_like(x[:, j])
        far = moved(attend(x), attend(changed))
        leaks += [(i, j) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong("always-empty")
def leaks_of_indexed_copies(attend, x):
    """x[:, [j]] is a copy: adding to it in place changes nothing of `changed`."""
    leaks = []
    for j in range(x.size(1)):
        changed = x.clone()
        changed[:, [j]].add_(1)
        far = moved(attend(x), attend(changed))
        leaks += [(i, j) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong("rounding-counted")
def leaks_by_not_equal(attend, x):
    """torch.equal."""
    leaks = []
    for j in range(x.size(1)):
        after = attend(noisy(x, slice(None), j))
        leaks += [(i, j) for i in range(j) if not torch.equal(after[:, i], attend(x)[:, i])]
    return sorted(leaks)


@wrong("rounding-counted")
def leaks_by_any_difference(attend, x):
    """!= and any."""
    leaks = []
    for j in range(x.size(1)):
        after = attend(noisy(x, slice(None), j))
        leaks += [(i, j) for i in range(j) if (after != attend(x))[:, i].any()]
    return sorted(leaks)


@wrong("rounding-counted")
def leaks_by_a_tiny_tolerance(attend, x):
    """1e-8."""
    leaks = []
    for j in range(x.size(1)):
        far = moved(attend(x), attend(noisy(x, slice(None), j)))
        leaks += [(i, j) for i in range(j) if far[i] > 1e-8]
    return sorted(leaks)


@wrong("rounding-counted")
def leaks_by_three_decimals(attend, x):
    """Rounded to three decimals before they are compared."""
    leaks = []
    for j in range(x.size(1)):
        after = attend(noisy(x, slice(None), j)).round(decimals=3)
        leaks += [(i, j) for i in range(j) if (after != attend(x).round(decimals=3))[:, i].any()]
    return sorted(leaks)


@wrong("rounding-counted")
def leaks_by_a_rounded_list(attend, x):
    """Python's round, to four decimals."""

    def rounded(out):
        return [[[round(number, 4) for number in row] for row in item] for item in out.tolist()]

    leaks, before = [], rounded(attend(x))
    for j in range(x.size(1)):
        after = rounded(attend(noisy(x, slice(None), j)))
        leaks += [(i, j) for i in range(j) if any(a[i] != b[i] for a, b in zip(after, before, strict=True))]
    return sorted(leaks)


@wrong("rounding-counted")
def leaks_by_a_sum_that_changes(attend, x):
    """The signed sum, and no tolerance."""
    leaks = []
    for j in range(x.size(1)):
        change = (attend(noisy(x, slice(None), j)) - attend(x)).sum(dim=(0, 2))
        leaks += [(i, j) for i in range(j) if change[i] != 0]
    return sorted(leaks)


@wrong("signed-sum")
def leaks_by_a_signed_sum(attend, x):
    """The sum over features, then its absolute value."""
    leaks = []
    for j in range(x.size(1)):
        difference = attend(noisy(x, slice(None), j)) - attend(x)
        leaks += [(i, j) for i in range(j) if difference.sum(-1)[:, i].abs().max() > 1e-4]
    return sorted(leaks)


@wrong("one-direction-only")
def leaks_by_a_signed_maximum(attend, x):
    """No abs."""
    leaks = []
    for j in range(x.size(1)):
        difference = attend(noisy(x, slice(None), j)) - attend(x)
        leaks += [(i, j) for i in range(j) if difference[:, i].max() > 1e-4]
    return sorted(leaks)


@wrong("tolerance-too-large")
def leaks_above_a_half(attend, x):
    """0.2."""
    leaks = []
    for j in range(x.size(1)):
        far = moved(attend(x), attend(noisy(x, slice(None), j)))
        leaks += [(i, j) for i in range(j) if far[i] > 0.2]
    return sorted(leaks)


@wrong("scaled-or-zeroed")
def leaks_by_zeroing(attend, x):
    """x times a mask of 0 and 1."""
    leaks = []
    for j in range(1, x.size(1)):
        keep = torch.ones(x.size(1), 1, dtype=x.dtype)
        keep[j] = 0
        after = attend(x * keep)
        for i in range(j):
            if not torch.allclose(after[:, i], attend(x)[:, i], atol=1e-4):
                leaks.append((i, j))
    leaks.sort()
    return leaks


@wrong("scaled-or-zeroed")
def leaks_by_doubling(attend, x):
    """x times 1 and 2."""
    T = x.size(1)
    factors = 1 + torch.eye(T, dtype=x.dtype)[:, :, None]
    outs = [attend(x * factor) for factor in factors]
    before = attend(x)
    return [(i, j) for i in range(T) for j in range(T) if i < j and (outs[j] - before)[:, i].abs().max() > 1e-4]


@wrong("same-for-all-features")
def leaks_by_adding_two(attend, x):
    """+ 2, which a LayerNorm takes away."""
    before = attend(x)
    leaks = []
    for j in range(1, x.size(1)):
        changed = x.clone()
        changed[:, j] += 2.0
        after = attend(changed)
        leaks += [(i, j) for i in range(j) if (after[:, i] - before[:, i]).abs().max() > 1e-4]
    return sorted(leaks)


@wrong("mean-taken")
def leaks_by_a_mean(attend, x):
    """The mean over items and features."""
    leaks = []
    for j in range(x.size(1)):
        far = (attend(noisy(x, slice(None), j)) - attend(x)).abs().mean(-1).mean(0)
        leaks += [(i, j) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong("tolerance-too-large")
def leaks_above_five_thousandths(attend, x):
    """0.005."""
    leaks = []
    for j in range(x.size(1)):
        far = moved(attend(x), attend(noisy(x, slice(None), j)))
        leaks += [(i, j) for i in range(j) if far[i] > 0.005]
    return sorted(leaks)


@wrong("tolerance-too-large")
def leaks_above_two_thousandths(attend, x):
    """0.002."""
    leaks = []
    for j in range(x.size(1)):
        far = moved(attend(x), attend(noisy(x, slice(None), j)))
        leaks += [(i, j) for i in range(j) if far[i] > 0.002]
    return sorted(leaks)


@wrong("one-item-at-a-time")
def leaks_by_batches_of_one(attend, x):
    """x[:1]."""
    x = x[:1]
    leaks = []
    for j in range(x.size(1)):
        far = moved(attend(x), attend(noisy(x, slice(None), j)))
        leaks += [(i, j) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong()
def leaks_by_one_large_batch(attend, x):
    """All changes in one call."""
    T = x.size(1)
    changed = torch.cat([noisy(x, slice(None), j) for j in range(T)])
    out = attend(changed).unflatten(0, (T, x.size(0)))
    return [(i, j) for i in range(T) for j in range(i + 1, T) if (out[j] - attend(x))[:, i].abs().max() > 1e-4]


@wrong("shortened")
def leaks_by_a_shorter_text(attend, x):
    """The text is cut off."""
    leaks = []
    for j in range(1, x.size(1)):
        far = moved(attend(x)[:, :j], attend(x[:, :j]))
        leaks += [(i, j) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong("changes-input")
def leaks_that_write_into_x(attend, x):
    """No clone."""
    before = attend(x)
    leaks = []
    for j in range(x.size(1)):
        x[:, j] += torch.randn_like(x[:, j])
        far = moved(before, attend(x))
        leaks += [(i, j) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong("changes-input")
def leaks_by_a_second_name(attend, x):
    """changed = x is the same tensor."""
    before = attend(x)
    leaks = []
    for j in range(x.size(1)):
        changed = x
        changed[:, j] = 0
        far = moved(before, attend(changed))
        leaks += [(i, j) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong("changes-input")
def leaks_that_put_x_back(attend, x):
    """x is changed and restored."""
    before = attend(x)
    leaks = []
    for j in range(x.size(1)):
        kept = x[:, j].clone()
        x[:, j] = torch.randn_like(kept)
        far = moved(before, attend(x))
        x[:, j] = kept
        leaks += [(i, j) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong("changes-input")
def leaks_that_put_x_back_through_numpy(attend, x):
    """The same behind torch's back."""
    values, before = x.numpy(), attend(x)
    leaks = []
    for j in range(x.size(1)):
        kept = values[:, j].copy()
        values[:, j] += 1
        far = moved(before, attend(x))
        values[:, j] = kept
        leaks += [(i, j) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong("not-pairs")
def leaks_as_lists(attend, x):
    """[i, j]."""
    rows = [moved(attend(x), attend(noisy(x, slice(None), j))) > 1e-4 for j in range(x.size(1))]
    return [[i, j] for i in range(x.size(1)) for j in range(i + 1, x.size(1)) if rows[j][i]]


@wrong("not-pairs")
def leaks_as_tensors(attend, x):
    """nonzero() without tolist()."""
    rows = [moved(attend(x), attend(noisy(x, slice(None), j))) > 1e-4 for j in range(x.size(1))]
    return [tuple(pair) for pair in torch.stack(rows, dim=1).triu(1).nonzero()]


@wrong("returns-wrong-type")
def leaks_as_a_set(attend, x):
    """A set."""
    rows = [moved(attend(x), attend(noisy(x, slice(None), j))) > 1e-4 for j in range(x.size(1))]
    return {(i, j) for i in range(x.size(1)) for j in range(i + 1, x.size(1)) if rows[j][i]}


@wrong("returns-wrong-type")
def leaks_as_one_tensor(attend, x):
    """A tensor of pairs."""
    rows = [moved(attend(x), attend(noisy(x, slice(None), j))) > 1e-4 for j in range(x.size(1))]
    return torch.stack(rows, dim=1).triu(1).nonzero()


@wrong("returns-wrong-type")
def leaks_as_the_largest_change(attend, x):
    """A number, as the notebook's own test."""
    return max(moved(attend(x), attend(noisy(x, slice(None), j)))[:j].max().item() for j in range(1, x.size(1)))


@wrong("returns-none")
def leaks_not_returned(attend, x):
    """sort() returns None."""
    leaks = [(i, j) for j in range(x.size(1)) for i in range(j)]
    return leaks.sort()


@wrong("listed-twice")
def leaks_for_each_item(attend, x):
    """One entry for each item that moves."""
    leaks = []
    for j in range(x.size(1)):
        difference = (attend(noisy(x, slice(None), j)) - attend(x)).abs().amax(-1)
        for item in difference:
            leaks += [(i, j) for i in range(j) if item[i] > 1e-4]
    return sorted(leaks)


@wrong("no-leak-there")
def leaks_wherever_anything_moves(attend, x):
    """If any earlier output moves, all of them are listed."""
    leaks = []
    for j in range(1, x.size(1)):
        if moved(attend(x), attend(noisy(x, slice(None), j)))[:j].max() > 1e-4:
            leaks += [(i, j) for i in range(j)]
    return sorted(leaks)


@wrong("no-leak-there")
def leaks_by_infinity(attend, x):
    """inf spreads as nan, also where a weight is 0."""
    leaks = []
    for j in range(x.size(1)):
        changed = x.clone()
        changed[:, j] = float("inf")
        out = attend(changed)
        leaks += [(i, j) for i in range(j) if not out[:, i].isfinite().all()]
    return sorted(leaks)


@wrong("always-empty")
def leaks_by_a_tiny_change(attend, x):
    """A change of 1e-5, next to a tolerance of 1e-4."""
    leaks = []
    for j in range(x.size(1)):
        changed = x.clone()
        changed[:, j] += 1e-5
        far = moved(attend(x), attend(changed))
        leaks += [(i, j) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong()
def leaks_compared_with_x(attend, x):
    """attend(changed) is compared with x."""
    leaks = []
    for j in range(x.size(1)):
        far = moved(x, attend(noisy(x, slice(None), j)))
        leaks += [(i, j) for i in range(j) if far[i] > 1e-4]
    return sorted(leaks)


@wrong("leak-missed")
def leaks_of_one_random_position(attend, x):
    """Only one position is tried."""
    j = 2
    far = moved(attend(x), attend(noisy(x, slice(None), j)))
    return [(i, j) for i in range(j) if far[i] > 1e-4]
