"""sink_weights: the reference and its test cases."""

import torch

from exercises.common import explainers, properties
from exercises.common.gradients import gradients_flow, stays_finite
from exercises.common.inputs import AXES, B, H, S, T, normal, some_hidden
from feedback import Property, TestCase
from feedback.page_exercise import exercise


def sink_weights(scores, sinks):
    """The softmax over the keys and one more entry for each row, which is then dropped.

    Shapes: scores (B, H, T, S), -inf where a key is hidden, sinks (H,) -> (B, H, T, S)
    Source: gpt-oss, 2025; notebook 11
    """
    column = sinks[:, None, None].expand(*scores.shape[:-1], 1)  # (H, 1, 1) -> (B, H, T, 1)
    entries = torch.cat([scores, column], dim=-1)  # (B, H, T, S + 1)
    hidden = entries == float("-inf")
    # The lowest finite number, not -inf: a row without any entry stays finite, and so do its gradients.
    lowest = torch.finfo(scores.dtype).min
    weights = entries.masked_fill(hidden, lowest).softmax(dim=-1).masked_fill(hidden, 0.0)
    return weights[..., :-1]


SHARE = "The sink takes exp(sink) out of exp(sink) + the sum of exp(scores). What must your row sum to, then?"


def row(case):
    """Show the row whose sum is furthest off."""
    sums, right = case.first.double().sum(-1), case.expected_first.double().sum(-1)
    at = explainers.worst(sums, right)
    if abs(sums[at] - right[at]) < 1e-4:
        return explainers.entry(case)
    sink = explainers.number(case.args[1][at[1]])
    return (
        f"row {explainers.position(at)}, of a head whose sink is {sink}, sums to {explainers.number(sums[at])}, and "
        f"{explainers.number(right[at])} is right"
    )


NONE = float("-inf")
CAUSAL = torch.ones(T, S, dtype=torch.bool).tril(S - T)
NEAR_10000 = {"rtol": 3e-3, "atol": 3e-3}


def arguments(seed, b=B, h=H, t=T, s=S, mask=None, size=1.0, dtype=torch.float32):
    """Return scores and sinks."""
    scores = normal(b, h, t, s, seed=seed, dtype=dtype) * size
    sinks = normal(h, seed=seed + 1, dtype=dtype) * 2 * size
    return scores if mask is None else scores.masked_fill(~mask, NONE), sinks


def with_sinks(given, *sinks):
    return given[0], torch.tensor(sinks, dtype=given[0].dtype)


def hidden_whole(seed, dtype=torch.float32):
    """Return arguments in which some rows see nothing."""
    mask = some_hidden(B, H, T, S, seed=seed)
    mask[0, :, 1], mask[1, 1] = False, False
    return arguments(seed, mask=mask, dtype=dtype)


def far_below(seed):
    """Return arguments in which all finite numbers are near -10,000, and some keys are hidden."""
    scores, sinks = arguments(seed, mask=some_hidden(B, H, T, S, seed=seed))
    return scores - 10_000, sinks - 10_000


def stage_of(args):
    """Judge ordinary rows first, then hidden keys, then large numbers, and rows without any entry and float64 last."""
    scores, sinks = args
    if scores.dtype == torch.float64 or (sinks == NONE).any():
        return 3
    if scores.nan_to_num(neginf=0).abs().max() > 30 or sinks.abs().max() > 30:
        return 2
    return int((scores == NONE).any())


def wrong_sums(case):
    got, right = case.first.double().sum(-1), case.expected_first.double().sum(-1)
    return None if torch.allclose(got, right, atol=1e-2) else f"{row(case).capitalize()}."


EXERCISE = exercise(
    sink_weights,
    returns=("weights",),
    axis_names=AXES,
    cases=(
        TestCase("a batch", arguments(1)),
        TestCase("as many queries as heads", arguments(7, h=5)),
        TestCase("as many items as heads", arguments(9, b=3)),
        TestCase("a causal mask", arguments(13, mask=CAUSAL)),
        TestCase("scattered hidden keys", arguments(15, mask=some_hidden(B, H, T, S))),
        TestCase("rows hidden whole", hidden_whole(17)),
        TestCase("scores around -10,000", (arguments(21)[0] - 10_000, arguments(21)[1] - 10_000), **NEAR_10000),
        TestCase("scores and sinks around -10,000, some keys hidden", far_below(33), **NEAR_10000),
        TestCase("sinks far above the scores", with_sinks(arguments(23), 10_000.0, 300.0, 100.0)),
        TestCase("no sinks, rows hidden whole", with_sinks(hidden_whole(27), NONE, NONE, NONE)),
        TestCase("one head without a sink", with_sinks(hidden_whole(29), 1.0, NONE, -1.0)),
        TestCase("float64", hidden_whole(31, dtype=torch.float64)),
    ),
    minimal_inputs=(
        (torch.tensor([[[[0.0, 1.0]]]]), torch.tensor([2.0])),
        (torch.tensor([[[[0.0, 1.0]], [[0.0, 1.0]]]]), torch.tensor([2.0, 0.0])),
        (torch.tensor([[[[NONE, NONE]]]]), torch.tensor([1.0])),
        (torch.tensor([[[[200.0, 0.0]]]]), torch.tensor([200.0])),
        (torch.tensor([[[[NONE, -10_000.0]]]]), torch.tensor([-10_000.0])),
        (torch.tensor([[[[NONE, NONE]]]]), torch.tensor([NONE])),
    ),
    stage_of=stage_of,
    properties=(
        properties.FINITE,
        properties.POSITIVE,
        Property("rows-sum-to-another-number", wrong_sums, SHARE),
    ),
    behavioral_tests=(
        stays_finite(
            "where the keys of a row are all hidden",
            with_sinks(hidden_whole(23), 0.5, NONE, -1.0),
            ("scores", "sinks"),
            "Replacing the NaN in the result is not enough: the backward pass still goes through the step that made "
            "it. How can you keep it from arising at all?",
        ),
        gradients_flow(sink_weights, arguments(41, mask=CAUSAL), ("scores", "sinks")),
        stays_finite(
            "for a sink that lies 200 above the scores of its row, where 0 is right",
            (torch.zeros(1, 2, 1, 3), torch.tensor([200.0, 0.0])),
            (None, "sinks"),
            "Which number does your code subtract before it takes `exp`? The sink is an entry of its row, too.",
            "high-sink",
            "in the backward pass, with a sink of 200",
        ),
    ),
)
