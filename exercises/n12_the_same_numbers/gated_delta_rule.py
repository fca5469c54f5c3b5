"""gated_delta_rule: the reference and its test cases."""

import torch
import torch.nn.functional as F

from exercises.common import properties
from exercises.common.inputs import AXES, DV, D, T, generator, normal
from feedback import TestCase
from feedback.page_exercise import exercise


def gated_delta_rule(q, k, v, alpha, beta):
    """Token after token, fade the state, write what it does not hold for the key yet, and read it.

    Shapes: q and k (T, D), v (T, Dv), alpha and beta (T,) -> out (T, Dv), state (D, Dv)
    Units:  keys have length 1; alpha and beta lie between 0 and 1
    Source: Yang et al. 2024, "Gated Delta Networks"; notebook 12
    """
    state = k.new_zeros(k.size(-1), v.size(-1))  # (D, Dv)
    outs = []
    for t in range(len(q)):
        state = alpha[t] * state
        change = beta[t] * (v[t] - k[t] @ state)  # (Dv,)
        state = state + k[t][:, None] * change
        outs.append(q[t] @ state)
    return torch.stack(outs), state


def shares(count, low, high, seed):
    """Return numbers between low and high, one for each token."""
    return low + (high - low) * torch.rand(count, generator=generator(seed), dtype=torch.float64)


def arguments(seed, t=T, alpha=None, beta=None, dtype=torch.float32):
    """Return q, k, v, alpha and beta; alpha or beta may be one number for all tokens."""
    q, k = (normal(t, D, seed=seed + i, dtype=torch.float64) for i in range(2))
    v = normal(t, DV, seed=seed + 2, dtype=torch.float64)
    alpha = shares(t, 0.4, 0.9, seed + 3) if alpha is None else torch.full((t,), alpha)
    beta = shares(t, 0.2, 0.8, seed + 4) if beta is None else torch.full((t,), beta)
    return tuple(x.to(dtype) for x in (q, F.normalize(k, dim=-1), v, alpha, beta))


def again(seed):
    """Return arguments in which tokens write to two keys alternately."""
    q, k, v, alpha, beta = arguments(seed)
    return q, k[torch.arange(T) % 2], v, alpha, beta


def by_hand(*numbers):
    """Return q, k, v, alpha and beta from lists."""
    return tuple(torch.tensor(given) for given in numbers)


EXERCISE = exercise(
    gated_delta_rule,
    returns=("out", "state"),
    axis_names=AXES | {1: "T"},
    cases=(
        TestCase("five tokens", arguments(1)),
        TestCase("one token", arguments(11, t=1)),
        TestCase("two keys that come again", again(21)),
        TestCase("nothing fades: alpha is 1", arguments(31, alpha=1.0)),
        TestCase("everything is written: beta is 1", arguments(41, beta=1.0)),
        TestCase("float64", arguments(51, dtype=torch.float64)),
    ),
    minimal_inputs=(
        by_hand([[1.0]], [[1.0]], [[4.0]], [0.5], [0.5]),
        by_hand([[1.0], [2.0]], [[1.0], [1.0]], [[4.0], [8.0]], [0.5, 0.5], [1.0, 1.0]),
        by_hand([[1.0], [2.0]], [[1.0], [1.0]], [[4.0], [8.0]], [0.5, 0.5], [1.0, 0.5]),
        by_hand([[1.0], [2.0], [1.0]], [[1.0], [1.0], [1.0]], [[4.0], [8.0], [2.0]], [0.5, 0.5, 0.8], [1.0, 0.5, 0.2]),
        by_hand([[1.0, 2.0], [1.0, 0.0]], [[0.6, 0.8], [0.8, 0.6]], [[4.0, 1.0], [8.0, 2.0]], [0.5, 0.5], [1.0, 0.5]),
    ),
    properties=(properties.FINITE,),
)
