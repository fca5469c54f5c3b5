"""merge: the reference and its test cases."""

import torch

from exercises.common.gradients import gradients_flow, stays_finite
from exercises.common.inputs import AXES, B, D, H, T, normal
from feedback import BehavioralTest, Property, TestCase
from feedback.format import number, position
from feedback.page_exercise import exercise


def merge(out_a, lse_a, out_b, lse_b):
    """Attention to two sets of keys, merged into attention to both.

    Shapes: out_a and out_b (..., T, D), lse_a and lse_b (..., T) -> out (..., T, D), lse (..., T)
    Units:  lse is the logarithm of the sum of exp(scores); -inf where nothing was seen
    Source: Dao et al. 2022, section 3.1; notebook 12
    """
    largest = torch.maximum(lse_a, lse_b)
    nothing = largest == -torch.inf  # neither saw a key
    largest = largest.masked_fill(nothing, 0.0)
    a, b = (lse_a - largest).exp(), (lse_b - largest).exp()  # (..., T)
    total = (a + b).masked_fill(nothing, 1.0)
    out_a = out_a.masked_fill((lse_a == -torch.inf)[..., None], 0.0)  # it may hold NaN, and 0 * NaN is NaN
    out_b = out_b.masked_fill((lse_b == -torch.inf)[..., None], 0.0)
    out = (a / total)[..., None] * out_a + (b / total)[..., None] * out_b
    return out, (largest + total.log()).masked_fill(nothing, -torch.inf)


def arguments(seed, *shape, shift_a=0.0, shift_b=0.0, dtype=torch.float32):
    """Return out_a, lse_a, out_b and lse_b; shift_a and shift_b are added to lse_a and lse_b."""
    shape = shape or (B, H, T, D)
    lse_a, lse_b = (2 * normal(*shape[:-1], seed=seed + i, dtype=torch.float64) for i in (1, 3))
    return (
        normal(*shape, seed=seed, dtype=dtype),
        (lse_a + shift_a).to(dtype),
        normal(*shape, seed=seed + 2, dtype=dtype),
        (lse_b + shift_b).to(dtype),
    )


def unseen(seed, side, left=1e30):
    """Return arguments in which the first queries of one side, or of both, saw nothing; their out is `left`."""
    given = [x.clone() for x in arguments(seed)]
    for start in {"a": (0,), "b": (2,), "both": (0, 2)}[side]:
        given[start][..., :2, :], given[start + 1][..., :2] = left, -torch.inf
    return tuple(given)


def stage_of(args):
    """Judge ordinary sums first; then very large and very small ones; then queries that saw nothing."""
    sums = torch.cat([args[1].flatten(), args[3].flatten()])
    return 2 if (sums == -torch.inf).any() else 1 if sums.abs().max() > 80 else 0


def by_hand(out_a, weight_a, out_b, weight_b):
    """Return arguments with one query and one feature; the sums of exp(scores) are whole numbers."""
    lses = torch.tensor([[weight_a], [weight_b]]).log()
    return torch.tensor([[out_a]]), lses[0], torch.tensor([[out_b]]), lses[1]


def _finite(case):
    out = case.first
    if out.isfinite().all():
        return None
    at = tuple(int(i) for i in (~out.isfinite()).nonzero()[0])
    return f"Every number of out must be finite; yours at {position(at)} is {number(out[at])}."


def _nothing_seen(case):
    """Check queries that saw nothing, where a very low number in place of -inf is wrong."""
    (_, lse_a, _, lse_b), (out, lse) = case.args, case.actual
    nothing = torch.maximum(lse_a, lse_b) == -torch.inf
    if not nothing.any() or ((lse[nothing] == -torch.inf).all() and (out[nothing] == 0).all()):
        return None
    at = tuple(int(i) for i in nothing.nonzero()[0])
    return (
        f"At {position(at)} neither side saw a key: there out must be 0 and lse -inf; your out begins with "
        f"{number(out[at][0])}, and your lse is {number(lse[at])}."
    )


def unseen_is_nan(attempt):
    """Check that the out of a side that saw nothing does not count, even if it is NaN."""
    for side, words in (("a", "a saw no key, and its out holds"), ("b", "b saw no key, and its out holds")):
        out, _ = attempt(*unseen(57, side, left=torch.nan))
        if out.isnan().any():
            return (
                f"The numbers are right, but where {words} NaN, your out is NaN at "
                f"{position(out.isnan().nonzero()[0])}: a share of 0 does not remove it, since 0 * NaN is NaN."
            )
    return None


EXERCISE = exercise(
    merge,
    returns=("out", "lse"),
    axis_names=AXES,
    cases=(
        TestCase("a batch with heads", arguments(1)),
        TestCase("one table", arguments(5, T, D)),
        TestCase("float64", arguments(21, dtype=torch.float64)),
        TestCase("sums near 10,000", arguments(29, shift_a=1e4, shift_b=1e4), rtol=0, atol=3e-3),
        TestCase("sums near -10,000", arguments(33, shift_a=-1e4, shift_b=-1e4), rtol=0, atol=3e-3),
        TestCase("sums far apart", arguments(37, shift_a=-9e3, shift_b=9e3), rtol=0, atol=3e-3),
        TestCase("a saw nothing", unseen(41, "a")),
        TestCase("b saw nothing", unseen(45, "b")),
        TestCase("neither saw anything", unseen(49, "both")),
    ),
    minimal_inputs=(
        by_hand(4.0, 1.0, 8.0, 1.0),
        by_hand(4.0, 1.0, 8.0, 3.0),
        (
            torch.tensor([[4.0, 0.0], [1.0, 2.0]]),
            torch.tensor([1.0, 3.0]).log(),
            torch.tensor([[8.0, 4.0], [5.0, 6.0]]),
            torch.tensor([3.0, 1.0]).log(),
        ),
        (torch.tensor([[4.0]]), torch.tensor([1000.0]), torch.tensor([[8.0]]), torch.tensor([1000.0])),
        by_hand(4.0, 1.0, 8.0, 0.0),
        by_hand(4.0, 0.0, 8.0, 0.0),
    ),
    stage_of=stage_of,
    properties=(
        Property("not-finite", _finite, "Print the steps before: where does the first NaN or inf arise?"),
        Property(
            "nothing-seen",
            _nothing_seen,
            "If a number took the place of -inf, the result looks as if keys had been seen.",
        ),
    ),
    behavioral_tests=(
        BehavioralTest(
            "unseen-is-nan",
            unseen_is_nan,
            "Whatever the out of a side holds that saw nothing, it must not matter. What can you put in its place, "
            "before anything is multiplied?",
            required=True,
            while_doing="where a side saw no key",
        ),
        gradients_flow(merge, arguments(53, 2, 3, 4), ("out_a", "lse_a", "out_b", "lse_b")),
        stays_finite(
            "where neither side has seen a key",
            unseen(61, "both", left=0.0),
            ("out_a", "lse_a", "out_b", "lse_b"),
            "`where` and `masked_fill` after a division by 0, or after log(0), come too late for the gradient: change "
            "what goes into them.",
            while_doing="where neither side has seen a key",
        ),
    ),
)
