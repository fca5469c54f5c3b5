"""Right answers to exercise 3.6, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504 - naming a result before returning it is a style that must pass

import numpy as np
import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def leaks_by_two_loops(attend, x):
    B, T, C = x.shape
    original = attend(x)
    leaks = []
    for i in range(T):
        for j in range(i + 1, T):
            changed = x.clone()
            changed[:, j] = torch.randn(B, C)
            difference = attend(changed)[:, i] - original[:, i]
            if difference.abs().max() > 1e-5:
                leaks.append((i, j))
    return leaks


@right
def leaks_by_a_set(attend, x):
    found = set()
    out = attend(x)
    for j in range(x.shape[1]):
        noisy = torch.cat([x[:, :j], x[:, j : j + 1] + torch.rand(x[:, j : j + 1].shape), x[:, j + 1 :]], dim=1)
        for i, moved in enumerate((attend(noisy) - out).abs().amax(2).amax(0).tolist()):
            if moved > 1e-3 and i < j:
                found.add((i, j))
    return sorted(found)


@right
def leaks_by_nonzero(attend, x):
    T = x.size(1)
    moved = torch.zeros(T, T)
    for j in range(T):
        noise = torch.zeros_like(x)
        noise[:, j] = 10 * torch.randn_like(noise[:, j])
        moved[:, j] = (attend(x + noise) - attend(x)).abs().sum(dim=(0, 2))
    return [(i, j) for i, j in (moved > 1e-4).triu(1).nonzero().tolist()]


@right
def leaks_by_numpy(attend, x):
    before = attend(x).detach().numpy()
    leaks = []
    for j in range(x.shape[1]):
        values = x.numpy().copy()
        values[:, j] = -values[:, j] + 0.5 * np.arange(1, values.shape[2] + 1, dtype=values.dtype)
        after = attend(torch.from_numpy(values)).detach().numpy()
        moved = np.abs(after - before).max(axis=(0, 2))
        leaks.extend((i, j) for i in np.flatnonzero(moved[:j] > 1e-4))
    return sorted(leaks)


@right
def leaks_by_norm(attend, x):
    def distance(i, j):
        other = x.clone()
        other[:, j, :] = other[:, j, :] + torch.randn(other.shape[0], other.shape[2])
        return torch.linalg.norm(attend(other)[:, i] - attend(x)[:, i]).item()

    T = x.shape[1]
    return [(i, j) for i in range(T) for j in range(T) if j > i and distance(i, j) > 1e-4]


@right
def leaks_by_several_trials(attend, x, trials=3, tolerance=1e-4):
    out = attend(x)
    leaks = []
    for j in range(x.size(1)):
        moved = torch.zeros(x.size(1))
        for trial in range(trials):
            torch.manual_seed(trial)
            changed = x.clone()
            changed[:, j] += 10.0 ** (trial - 1) * torch.randn_like(changed[:, j])
            moved = torch.maximum(moved, (attend(changed) - out).abs().amax(dim=(0, -1)).float())
        leaks += [(i, j) for i in range(j) if moved[i].item() > tolerance]
    print(leaks)
    return sorted(leaks)


@right
def leaks_by_the_jacobian(attend, x):
    slopes = torch.autograd.functional.jacobian(attend, x)  # (B, T, C', B, T, C)
    moved = slopes.abs().amax(dim=(0, 2, 3, 5))
    T = x.size(1)
    return [(i, j) for i in range(T) for j in range(i + 1, T) if moved[i, j] > 1e-4]


@right
def leaks_by_backward(attend, x):
    leaks = []
    for i in range(x.size(1)):
        leaf = x.detach().clone().requires_grad_()
        out = attend(leaf)[:, i]
        (out * torch.randn_like(out)).sum().backward()
        reads = leaf.grad.abs().amax(dim=(0, 2))
        leaks += [(i, j) for j in range(i + 1, x.size(1)) if reads[j] > 1e-4]
    return leaks


@right
def leaks_by_assert_close(attend, x):
    expected = attend(x)
    leaks = []
    for i in range(x.size(1)):
        for j in range(i + 1, x.size(1)):
            changed = x.clone()
            changed[:, j] = changed[:, j].flip(-1) * -2 + 1
            try:
                torch.testing.assert_close(attend(changed)[:, i], expected[:, i], atol=1e-5, rtol=1e-4)
            except AssertionError:
                leaks.append((i, j))
    return leaks


@right
def leaks_without_gradients(attend, x):
    with torch.no_grad():
        base = attend(x)
        pairs = []
        for j in reversed(range(x.size(1))):
            copy = x.detach().clone()
            copy[:, j].normal_(0, 5)
            gone = (attend(copy) - base).abs().flatten(2).max(dim=2).values.max(dim=0).values
            pairs = pairs + [(i, j) for i in range(j) if gone[i] > 0.0005]
    return sorted(pairs, key=lambda pair: pair)


@right
def leaks_item_by_item(attend, x):
    found = []
    before = attend(x)
    for j in range(x.size(1)):
        for item in range(x.size(0)):
            changed = x.clone()
            changed[item, j] += 1 + torch.rand(x.size(2))
            after = attend(changed)
            for i in range(j):
                for other in range(x.size(0)):
                    if (after[other, i] - before[other, i]).abs().max() > 1e-4:
                        found.append((i, j))
    return sorted(set(found))
