"""next_token_loss: the reference, its steps and test cases; the page next to it says the rest."""

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


def cross_entropy(predictions, targets):
    """(B, T - 1): the loss of each target."""
    return F.cross_entropy(predictions.transpose(1, 2), targets, reduction="none")


def real_targets(targets, pad_id, ids):
    """(B, T - 1), True where a target counts."""
    return torch.ones_like(targets, dtype=torch.bool) if pad_id is None else targets != pad_id


def assemble(
    pair=lambda logits, ids: (logits[:, :-1], ids[:, 1:]),
    score=cross_entropy,
    real=real_targets,
    average=lambda losses, real: losses[real].mean(),
    sign=1,
):
    """An answer made of these steps."""

    def next_token_loss(logits, ids, pad_id=None):
        predictions, targets = pair(logits, ids)
        return sign * average(score(predictions, targets), real(targets, pad_id, ids))

    return next_token_loss


def compared(case):
    """Both losses, and how many targets there are."""
    _, ids, pad_id = case.args
    targets = ids[:, 1:]
    count = int(real_targets(targets, pad_id, ids).sum())
    of = "" if count == targets.numel() else f"{count} of "
    return (
        f"your loss is {number(case.actual)}, and {number(case.expected)} is right: the mean over "
        f"{of}{counted(targets.numel(), 'target', 'targets')}"
    )


V = 11


def random_logits(seed, b, t, v=V, dtype=torch.float32, times=2.0, plus=0.0):
    """(b, t, v), some clearly higher than others."""
    return times * normal(b, t, v, seed=800 + seed, dtype=dtype) + plus


def random_ids(seed, b, t, v=V):
    return torch.randint(v, (b, t), generator=generator(seed))


def padded(pad_id, *rows):
    """Ids with padding where a row has None; other entries are never pad_id."""
    return torch.tensor([[pad_id if word is None else word for word in row] for row in rows])


def by_hand(*rows, pad_id=None, times=1.0):
    return times * 2.5 * round_numbers(len(rows), len(rows[0]), 2), torch.tensor(rows), pad_id


N = None
BEHIND = ((3, 5, 9, N, N, N), (4, 2, 8, 1, 5, N), (10, 3, N, N, N, N))
IN_FRONT = ((N, N, 3, 5, 9, 2), (4, 2, 8, 1, 5, 3), (N, N, N, N, 10, 3))
ONE_EMPTY = ((N, N, N, N, N, N), (4, 2, 8, 1, 5, N))
SURE = torch.tensor([[[200.0, -200.0], [0.0, 0.0], [0.0, 0.0]]])  # the loss of its first prediction is exactly 0


def stage_of(args):
    """The shift first; then padding; then logits so far apart that a probability is 0 in floating point."""
    logits, _, pad_id = args
    return 2 if logits.abs().max() > 50 else int(pad_id is not None)


CASES = (
    TestCase("a batch", (random_logits(1, B, T), random_ids(1, B, T), None)),
    TestCase("one text", (random_logits(2, 1, 7), random_ids(2, 1, 7), None)),
    TestCase("two tokens each", (random_logits(3, 3, 2), random_ids(3, 3, 2), None)),
    TestCase("float64", (random_logits(4, B, T, 13, torch.float64), random_ids(4, B, T, 13), None)),
    TestCase("padding at the end", (random_logits(5, 3, 6), padded(7, *BEHIND), 7)),
    TestCase("padding in front", (random_logits(6, 3, 6), padded(7, *IN_FRONT), 7)),
    TestCase("padding in front of each text", (random_logits(13, 2, 6), padded(7, IN_FRONT[0], IN_FRONT[2]), 7)),
    TestCase("pad_id = 0", (random_logits(7, 3, 6), padded(0, *BEHIND), 0)),
    TestCase("a text of nothing but padding", (random_logits(8, 2, 6, dtype=torch.float64), padded(6, *ONE_EMPTY), 6)),
    TestCase("a pad_id, but no padding", (random_logits(9, 1, 6), padded(7, IN_FRONT[1]), 7)),
    TestCase("logits around 1000", (random_logits(10, B, T, times=2.0, plus=1000.0), random_ids(10, B, T), None)),
    TestCase("a prediction that is sure, and right", (SURE, torch.tensor([[0, 0, 1]]), None)),
    TestCase("logits from -500 to 500", (random_logits(11, B, T, times=200.0), random_ids(11, B, T), None)),
    TestCase("logits from -500 to 500, padding", (random_logits(12, 3, 6, times=200.0), padded(7, *BEHIND), 7)),
)


def negative(case):
    return f"A cross-entropy is never negative; yours is {number(case.actual)}." if case.actual < 0 else None


def not_finite(case):
    return None if case.actual.isfinite() else sentence(compared(case))


def last_logits_count(attempt):
    """Change the logits of the last position: they predict nothing."""
    logits, ids = random_logits(20, 1, T), random_ids(20, 1, T)
    other = logits.clone()
    other[:, -1] = other[:, -1].flip(-1) + 1
    before, after = attempt(logits.clone(), ids.clone()), attempt(other, ids.clone())
    if torch.allclose(before, after, atol=1e-5):
        return None
    return (
        "The last position predicts a token that is not in ids, so its logits must not count; when they changed, your "
        f"loss went from {number(before)} to {number(after)}."
    )


def first_id_counts(attempt):
    """Change the first token: nothing predicts it."""
    logits, ids = random_logits(21, 1, T), random_ids(21, 1, T)
    other = ids.clone()
    other[:, 0] = (other[:, 0] + 1) % V
    before, after = attempt(logits.clone(), ids.clone()), attempt(logits.clone(), other)
    if torch.allclose(before, after, atol=1e-5):
        return None
    return (
        "Nothing predicts the first token, so it is no target; when it changed, your loss went from "
        f"{number(before)} to {number(after)}."
    )


PAIRS = "Write down for T = 3 which position of logits predicts which entry of ids. How many pairs are there?"

EXERCISE = exercise(
    next_token_loss,
    assemble=assemble,
    returns=("loss",),
    axis_names=AXES | {3: "B", 5: "T", 6: "T", 7: "T", 11: "V", 13: "V", 4: "T - 1"},
    stage_of=stage_of,
    cases=CASES,
    minimal_inputs=(
        by_hand([0, 1]),
        by_hand([0, 1, 1]),
        by_hand([0, 1, 0], pad_id=0),
        by_hand([1, 0, 0, 1, 1], pad_id=1),
        by_hand([0, 0, 1], pad_id=0),
        by_hand([1, 0, 1], times=100.0),
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
        (
            r"'bool' object has no attribute|must be Tensor, not bool",
            "`targets != None` is a single True, not a mask: where pad_id is None, every target counts.",
        ),
    ),
    properties=(
        Property(
            "not-finite",
            not_finite,
            "A division by a count of 0 gives inf, or NaN: the mean of no numbers is 0 / 0. And a probability rounded "
            "to 0 has the logarithm -inf, which times 0 is NaN: `log_softmax` never forms that probability.",
        ),
        Property("negative-loss", negative, "log p is at most 0, and the loss is the mean of -log p."),
    ),
    behavioral_tests=(
        BehavioralTest("last-logits-count", last_logits_count, PAIRS),
        BehavioralTest("first-id-counts", first_id_counts, PAIRS),
        gradients_flow(next_token_loss, (random_logits(22, 3, 6), padded(7, *BEHIND), 7), ("logits", None, None)),
    ),
)
