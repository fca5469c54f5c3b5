"""13.1 test_future. Its suspects are functions attend, x (B, T, C) -> (B, T, C), in which items never mix."""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F

from exercises.n13_the_museum_of_bugs.suspects import Suspects
from feedback.format import number
from helpers import require


def test_future(attend):
    """The beginning of a text alone gives what it gives as a part of the whole.

    Shapes: attend takes x (B, T, C) to (B, T, C)
    """
    x = torch.randn(2, 12, 4)
    whole = attend(x)
    for t in range(1, 12):
        moved = (attend(x[:, :t]) - whole[:, :t]).abs().max()
        assert moved < 1e-4, f"with what follows position {t - 1}, an output up to there moves by {moved:.2g}"


# ---------------------------------------------------------------- what a test gives to a suspect


def attend(suspect, x):
    """Check the argument of a call of a suspect, and return a copy for rules."""
    require.shape(x, "B T C")
    require.that(x.dtype == torch.float32, "x must be float32", x.dtype)
    return x.detach().clone().requires_grad_(x.requires_grad)


def asks_gradients(calls):
    return any(x.requires_grad for x in calls)


def one_length(calls):
    return len(calls) > 1 and len({x.size(1) for x in calls}) == 1


def short(calls):
    return max(x.size(1) for x in calls) <= 8


def not_finite(calls):
    return not all(x.isfinite().all() for x in calls)


def one_cut(calls):
    """Return whether all inputs diverge from each other at one and the same position."""
    return len({same for same, _ in _partings(calls)}) == 1


def last_input_only(calls):
    found = list(_partings(calls))
    return bool(found) and all(same == length - 1 for same, length in found)


def _partings(calls):
    """Yield each input's longest common beginning with another input, and the length of the longer of the two."""
    for x in calls[:50]:
        others = [(_common(x, y), max(x.size(1), y.size(1))) for y in calls[:50] if not torch.equal(x, y)]
        same, length = max(others, default=(0, 0))
        if same:
            yield same, length


def _common(x, y):
    """Return how many positions two inputs have in common at the beginning."""
    T = min(x.size(1), y.size(1))
    alike = (x.shape[0], x.shape[2]) == (y.shape[0], y.shape[2])
    return int((x[:, :T] == y[:, :T]).all(-1).all(0).cumprod(0).sum()) if alike else 0


# ---------------------------------------------------------------- what shows a bug


def at(position: int, changed: int) -> Callable:
    """Show the output at a position before and after the input at a later one changes."""

    def shows(attend):
        x = _numbers(12)
        other = x.clone()
        other[:, changed] = _numbers(13)[:, -1]
        return _moved(attend, x, other, position, f"after a change of nothing but the input at position {changed}")

    return shows


def longer(position: int, length: int) -> Callable:
    """Show the output at a position before and after x becomes longer."""

    def shows(attend):
        x = _numbers(12)
        return _moved(attend, x[:, :length], x, position, "where the same x goes on, up to length 12")

    return shows


def _numbers(length):
    return torch.randn(1, length, 4, generator=torch.Generator().manual_seed(length))


def _moved(attend, x, other, position, where):
    before, after = attend(x)[0, position], attend(other)[0, position]
    i = int((after - before).abs().argmax())
    return (
        f"For an x of shape {tuple(x.shape)}, feature {i} of the output at position {position} is {number(before[i])}, "
        f"and {number(after[i])} {where}"
    )


# ---------------------------------------------------------------- what suspects are made of


def projected(numbers, x, layer=""):
    """Return q, k (B, T, 8) and v (B, T, C)."""
    C = x.size(-1)
    q, k = (x @ numbers.matrix(layer + name, C, 8) for name in "qk")
    return q, k, x @ numbers.matrix(layer + "v", C, C)


def scored(q, k):
    return q @ k.transpose(-2, -1) / (2 * math.sqrt(q.size(-1)))  # mild scores, so that every key counts


def norm(x):
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, correction=0, keepdim=True) + 0.1).sqrt()


def following(x):
    """Move to each position the next input, and zeros to the last one."""
    return F.pad(x[:, 1:], (0, 0, 0, 1))


SUSPECTS = Suspects(test_future, takes=attend)
EXERCISE = SUSPECTS.exercise(error_meanings=((r"does not require grad", "GRADIENTS"),))
