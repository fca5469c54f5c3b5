"""next_token_loss: the reference and its test cases; the page next to it says the rest."""

import torch
import torch.nn.functional as F

from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, T, generator, normal, round_numbers
from feedback import BehavioralTest, Property, TestCase
from feedback.format import counted, number, sentence
from feedback.page_exercise import exercise


def next_token_loss(logits, ids, pad_id=None):
    predictions, targets = logits[:, :-1], ids[:, 1:]  # position t predicts the token at t + 1
    ignored = -100 if pad_id is None else pad_id
    return F.cross_entropy(predictions.flatten(0, 1), targets.flatten(), ignore_index=ignored)


def compared(case):
    """Show both losses and the number of targets."""
    _, ids, pad_id = case.args
    targets = ids[:, 1:]
    count = targets.numel() if pad_id is None else int((targets != pad_id).sum())
    of = "" if count == targets.numel() else f"{count} of "
    return (
        f"your loss is {number(case.actual)}, and {number(case.expected)} is right: the mean over "
        f"{of}{counted(targets.numel(), 'target', 'targets')}"
    )


V = 11


def random_logits(seed, b, t, v=V, dtype=torch.float32, times=2.0):
    """Return logits (b, t, v), some clearly higher than others."""
    return times * normal(b, t, v, seed=800 + seed, dtype=dtype)


def random_ids(seed, b, t, v=V):
    return torch.randint(v, (b, t), generator=generator(seed))


def padded(pad_id, *rows):
    """Return ids with padding where a row has None; other entries are never pad_id."""
    return torch.tensor([[pad_id if word is None else word for word in row] for row in rows])


def by_hand(*rows, pad_id=None, times=1.0):
    return times * 2.5 * round_numbers(len(rows), len(rows[0]), 2), torch.tensor(rows), pad_id


N = None
BEHIND = ((3, 5, 9, N, N, N), (4, 2, 8, 1, 5, N), (10, 3, N, N, N, N))
IN_FRONT = ((N, N, 3, 5, 9, 2), (N, N, N, N, 10, 3))
ONE_EMPTY = ((N, N, N, N, N, N), (4, 2, 8, 1, 5, N))
SURE = torch.tensor([[[200.0, -200.0], [0.0, 0.0], [0.0, 0.0]]])  # the loss of its first prediction is exactly 0


def stage_of(args):
    """Judge the shift first; then padding; then logits so far apart that a probability is 0 in floating point."""
    logits, _, pad_id = args
    return 2 if logits.abs().max() > 50 else int(pad_id is not None)


CASES = (
    TestCase("a batch", (random_logits(1, B, T), random_ids(1, B, T), None)),
    TestCase("two tokens each", (random_logits(3, 3, 2), random_ids(3, 3, 2), None)),
    TestCase("float64", (random_logits(4, B, T, 13, torch.float64), random_ids(4, B, T, 13), None)),
    TestCase("padding at the end", (random_logits(5, 3, 6), padded(7, *BEHIND), 7)),
    TestCase("padding in front", (random_logits(13, 2, 6), padded(7, *IN_FRONT), 7)),
    TestCase("pad_id = 0", (random_logits(7, 3, 6), padded(0, *BEHIND), 0)),
    TestCase("a text of nothing but padding", (random_logits(8, 2, 6, dtype=torch.float64), padded(6, *ONE_EMPTY), 6)),
    TestCase("a prediction that is sure, and right", (SURE, torch.tensor([[0, 0, 1]]), None)),
    TestCase("logits from -500 to 500", (random_logits(11, B, T, times=200.0), random_ids(11, B, T), None)),
    TestCase("logits from -500 to 500, padding", (random_logits(12, 3, 6, times=200.0), padded(7, *BEHIND), 7)),
)


def too_many_pairs(attempt):
    """Change the last logits, which predict nothing, and the first token, which nothing predicts; neither may count."""
    logits, ids = random_logits(20, 1, T), random_ids(20, 1, T)
    last, first = logits.clone(), ids.clone()
    last[:, -1] = last[:, -1].flip(-1) + 1
    first[:, 0] = (first[:, 0] + 1) % V
    before = attempt(logits.clone(), ids.clone())
    for why, args in (
        ("The last position predicts a token that is not in ids, so its logits must not count", (last, ids)),
        ("Nothing predicts the first token, so it is no target", (logits, first)),
    ):
        after = attempt(*(x.clone() for x in args))
        if not torch.allclose(before, after, atol=1e-5):
            return f"{why}; when it changed, your loss went from {number(before)} to {number(after)}."
    return None


EXERCISE = exercise(
    next_token_loss,
    returns=("loss",),
    axis_names=AXES | {3: "B", 5: "T", 6: "T", 7: "T", 11: "V", 13: "V", 4: "T - 1"},
    stage_of=stage_of,
    cases=CASES,
    minimal_inputs=(
        by_hand([0, 1]),
        by_hand([0, 1, 1]),
        by_hand([0, 1, 0], pad_id=0),
        by_hand([1, 0, 0, 1, 1], pad_id=1),
        by_hand([0, 1, 1], times=200.0),
        by_hand([0, 1], [1, 1]),
        by_hand([0, 1, 1], [1, 1, 0], pad_id=0),
    ),
    error_meanings=(
        (
            r"argument 'ignore_index'",
            "`ignore_index` must be a number, and pad_id may be None. -100, its default, is the id of no token.",
        ),
        (
            r"Expected target size|Expected input batch_size|target size|input batch_size|multi-target not supported",
            "`F.cross_entropy` wants the classes on axis 1: flatten to (B * (T - 1), V) and (B * (T - 1),), or "
            "transpose to (B, V, T - 1).",
        ),
    ),
    properties=(
        Property(
            "not-finite",
            lambda case: None if case.actual.isfinite() else sentence(compared(case)),
            "A division by a count of 0 gives inf, or NaN: the mean of no numbers is 0 / 0. And a probability rounded "
            "to 0 has the logarithm -inf, which times 0 is NaN: `log_softmax` never forms that probability.",
        ),
    ),
    behavioral_tests=(
        BehavioralTest(
            "too-many-pairs",
            too_many_pairs,
            "Write down for T = 3 which position of logits predicts which entry of ids. How many pairs are there?",
        ),
        gradients_flow(next_token_loss, (random_logits(22, 3, 6), padded(7, *BEHIND), 7), ("logits", None, None)),
    ),
)
