"""attend_with_cache: the reference, its steps, test cases and behavioral tests."""

from dataclasses import replace

import torch

from exercises.common import explainers, properties
from exercises.common.attention import weights_from
from exercises.common.experiments import BOTH_AXES_HINT, ITEMS_AND_HEADS, that_mix
from exercises.common.gradients import gradients_flow
from exercises.common.heads import LIMITATION_FINITE_FILL, LIMITATION_LARGE_SCORES
from exercises.common.incremental import pieces_differ
from exercises.common.inputs import AXES, B, D, H, S, T, normal
from feedback import BehavioralTest, Comparison, Property, TestCase
from feedback.page_exercise import exercise


def attend_with_cache(q, k, v, past):
    """Attend to the past and to the new tokens up to and including itself; return all keys and values too.

    Shapes: q, k, v (B, H, new, D), past (k, v) with (B, H, old, D) each, or None
            -> out (B, H, new, D), (k, v) with (B, H, old + new, D) each
    Source: notebook 06
    """
    if past is not None:
        k, v = torch.cat([past[0], k], dim=-2), torch.cat([past[1], v], dim=-2)
    T, S = q.size(-2), k.size(-2)
    mask = torch.ones(T, S, dtype=torch.bool, device=q.device).tril(S - T)  # the last query sees everything
    scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
    return weights @ v, (k, v)


# ---------------------------------------------------------------- the steps of an answer


def join(k, v, past):
    """Return keys and values, with the past in front."""
    return (k, v) if past is None else (torch.cat([past[0], k], dim=-2), torch.cat([past[1], v], dim=-2))


def all_joined(k, v, past, keys, values):
    """Return all joined keys and values: the right step for what is attended to, and for what the cache keeps."""
    return keys, values


def everything(t, s):
    return torch.ones(t, s, dtype=torch.bool)


def mask(t, s, past):
    """Return the mask (t, s), True = may attend; the last query sees everything."""
    return everything(t, s).tril(s - t)


def mix(weights, keys, values):
    return weights @ values


def give(out, cache, weights):
    """Return the result of the whole answer."""
    return out, cache


def cache_from(join=join, read=all_joined, mask=mask, keep=all_joined, mix=mix, give=give, **steps):
    """Build attend_with_cache(q, k, v, past) from these steps and those of `weights_from`."""
    weigh = weights_from(**steps)

    def attend(q, k, v, past):
        joined = join(k, v, past)
        keys, values = read(k, v, past, *joined)
        weights = weigh(q, keys, mask(q.size(-2), keys.size(-2), past))
        return give(mix(weights, keys, values), keep(k, v, past, *joined), weights)

    return attend


def cache_entry(case):
    """Show the entry of the cache that is furthest off."""
    return explainers.entry(Comparison(case.args, case.expected[1], case.actual[1], case.names[1]))


# ---------------------------------------------------------------- inputs


def arguments(seed, b, h, new, d, old=None, dtype=torch.float32, around=0.0):
    """Return q, k, v and past; `around` shifts queries and keys in opposite directions, so that all scores are low."""
    q, k, v, *past = (
        normal(b, h, n, d, seed=seed + 300 + i, dtype=dtype) for i, n in enumerate((new, new, new, old or 0, old or 0))
    )
    if around:
        q, k, past[0] = 0.3 * q + around, 0.3 * k - around, 0.3 * past[0] - around
    return q, k, v, None if old is None else tuple(past)


def by_hand(q, k, v, past=None, width=1):
    """Return q, k, v and past from lists of numbers, for one head whose features are all equal."""

    def column(numbers):
        return torch.tensor(numbers)[None, None, :, None].repeat(1, 1, 1, width)

    return column(q), column(k), column(v), past and tuple(column(x) for x in past)


# ---------------------------------------------------------------- a property, and behavioral tests


@Property.named(
    "cache-altered",
    "The cache is `torch.cat([past[0], k], dim=-2)` and `torch.cat([past[1], v], dim=-2)`. What else does your code "
    "do to keys and values?",
)
def cache_altered(case):
    """Check that the cache is the past followed by the new tokens."""
    for name, got, right in case.parts[1:]:
        wrong = (got - right).abs().amax((0, 1, 3)).nan_to_num(float("inf")) > 1e-4
        if wrong.any():
            at, old = int(wrong.nonzero()[0]), case.expected[1][0].size(-2) - case.args[0].size(-2)
            source = f"position {at} of the past" if at < old else f"new token {at - old}"
            what = {"cached k": "key", "cached v": "value"}[name]
            return (
                f"The cache must hold the past and then the new tokens, unchanged: position {at} of {name} should "
                f"be the {what} of {source}, but yours holds other numbers."
            )
    return None


NEW = tuple(normal(B, H, 4, D, seed=seed) for seed in (261, 262, 263))  # q, k and v of four new tokens
PAST = tuple(normal(B, H, S, D, seed=seed) for seed in (264, 265))


def ask(attempt, q, k, v, past=None):
    return attempt(q.clone(), k.clone(), v.clone(), past and (past[0].clone(), past[1].clone()))


@BehavioralTest.named(
    "not-all-seen",
    "Print the mask for 2 new tokens after a past of 3: row 0 must be True 4 times, and row 1 must be True 5 times.",
)
def past_not_seen(attempt):
    """Change the value of one visible position after another; out must change."""
    q, k, v = NEW
    before = ask(attempt, q, k, v, PAST)[0]
    for at in range(S + 4):
        values = torch.cat([PAST[1], v], dim=2)
        values[:, :, at] += 3
        moved = (before - ask(attempt, q, k, values[:, :, S:], (PAST[0], values[:, :, :S]))[0]).abs()
        unmoved = moved.amax((0, 1, 3))[max(0, at - S) :] < 1e-6
        if unmoved.any():
            token = max(0, at - S) + int(unmoved.nonzero()[0])
            what = f"position {at} of the past" if at < S else f"new token {at - S}" if at - S != token else "itself"
            return (
                f"A token sees the whole past, and the new tokens up to itself. With a past of 7, new token "
                f"{token} does not see {what}: when that value changed, its out did not change."
            )
    return None


@BehavioralTest.named("items-mixed", BOTH_AXES_HINT)
def heads_apart(attempt):
    """Change one head of one item; others must stay the same."""
    steps = normal(S, D, seed=266)  # different for each position, since the same for all keys would change nothing

    def change(at):
        plus = torch.zeros(B, H, 1, 1)
        plus[at] = 1
        q, k, v, *past = (x + plus * steps[: x.size(2)] for x in (*NEW, *PAST))
        return ask(attempt, q, k, v, tuple(past))[0].flatten(2)

    before = ask(attempt, *NEW, PAST)[0].flatten(2)
    return that_mix(ITEMS_AND_HEADS, before, change)


@BehavioralTest.named(
    "cache-cut-off",
    "Return the very keys and values that you attended to, without detach, `.data` or a new tensor of them.",
    required=True,
    while_doing="where gradients are needed",
)
def cache_cut_off(attempt):
    """Check that gradients flow through the cache to the new keys and values, as later calls need them to."""
    q, k, v = (x.clone().requires_grad_() for x in NEW)
    with torch.enable_grad():
        out, cache = attempt(q, k, v, None)
    cut = [name for name, x in zip(("keys", "values"), cache, strict=True) if out.requires_grad and not x.requires_grad]
    if not cut:
        return None
    return f"The numbers are right, but no gradient flows through the {' and '.join(cut)} of the cache that you return."


EXERCISE = exercise(
    attend_with_cache,
    assemble=cache_from,
    returns=("out", ("cached k", "cached v")),
    axis_names=AXES
    | {2: "B", 3: "H", 5: "new", 7: "old", 4: "old"}
    | dict.fromkeys((12, 9, 8), "old + new")
    | dict.fromkeys((11, 13, 17), "D"),
    cases=(
        TestCase("five new tokens, no past", arguments(0, B, H, T, D)),
        TestCase("five new tokens, a past of seven", arguments(5, B, H, T, D, S)),
        TestCase("one token, no past", arguments(15, B, H, 1, D)),
        TestCase("one new token, a past of seven", arguments(10, B, H, 1, D, S)),
        TestCase("two new tokens, a past of 300", arguments(65, 1, 1, 2, T, 300)),
        TestCase("a past with no positions", arguments(20, B, H, T, D, 0)),
        TestCase("float64, a past of four", arguments(25, B, H, T, D, 4, torch.float64)),
        TestCase("one item, one head", arguments(35, 1, 1, T, 13, 4)),
        TestCase("scores around -30", arguments(40, B, H, T, 13, S, around=2.9)),
        TestCase("float64, scores around -150", arguments(60, B, H, T, 13, S, torch.float64, around=6.45)),
        TestCase(
            "a hidden score far above the visible one",
            by_hand([1.0, 1.0], [0.0, 300.0], [8.0, 4.0]),
            limitation=LIMITATION_LARGE_SCORES,
        ),
        TestCase(
            "a very low visible score", by_hand([5e4, 0.0], [-5e4, 0.0], [8.0, 4.0]), limitation=LIMITATION_FINITE_FILL
        ),
    ),
    minimal_inputs=(
        by_hand([1.0], [1.0], [8.0], ([0.0], [4.0])),
        by_hand([1.0, 2.0], [1.0, 0.0], [8.0, 4.0]),
        by_hand([1.0, 2.0], [1.0, 0.0], [8.0, 4.0], ([0.0, 2.0], [1.0, 2.0])),
        by_hand([1.0], [1.0], [8.0], ([0.0], [4.0]), width=4),  # shows whether the scores were scaled
    ),
    stage_of=lambda args: int(args[0].size(-2) > 1),  # a single new token needs no mask: cache and scores first
    judge_first=("cached k", "cached v"),
    properties=(properties.FINITE, cache_altered),
    behavioral_tests=(
        past_not_seen,
        heads_apart,
        replace(pieces_differ(lambda attempt, new, past: attempt(*new, past)), id="chunks-differ"),
        cache_cut_off,
        gradients_flow(attend_with_cache, arguments(55, 2, 1, 3, 7, 2), ("q", "k", "v", "past")),
    ),
)
