"""Exercise 7.2: mean_pool."""

import torch

from exercises.common import explainers, properties, references
from exercises.common.inputs import AXES, S, T, normal, padded
from exercises.e7_2_mean_pool.misconceptions import MISCONCEPTIONS
from exercises.e7_2_mean_pool.shared import _filled
from feedback import BehavioralTest, Exercise, TestCase


def _moves(sentence, change):
    """A sentence where change(hidden, mask) moves a result that it should leave alone.

    change gives other arguments, and the part of the result that must stay: an index.
    """

    def test(attempt):
        hidden, mask = normal(3, T, 11, seed=231), _GAPS[:3]
        before = attempt(hidden.clone(), mask.clone())
        hidden, mask, stays = change(hidden.clone(), mask.clone())
        moved = float((attempt(hidden, mask)[stays] - before[stays]).abs().max())
        return None if moved < 1e-5 else f"{sentence} by {moved:.4f}."

    return test


def _items(changed, other):
    def change(hidden, mask):
        hidden[changed] += 1
        mask[changed] = torch.tensor([False, False, False, True, False])
        return hidden, mask, other

    return BehavioralTest(properties.ITEMS.id, _moves(f"The items of a batch must not meet: when item {changed} changed, the "
                                            f"result for item {other} moved", change),
                      "Sum and count along the tokens, axis 1, for each item by itself: which line takes in another "
                      "item?")


def _other_padding(hidden, mask):
    return hidden + 2 * ~mask.unsqueeze(-1), mask, ...


def _other_order(hidden, mask):
    order = [3, 1, 4, 0, 2]
    return hidden[:, order], mask[:, order], ...


def _other_feature(hidden, mask):
    hidden[..., 0] += 1
    return hidden, mask, (slice(None), slice(1, None))


def _ones(attempt):
    """The mean of ones is 1, however many they are."""
    got = attempt(torch.ones(len(_GAPS), T, 11), _GAPS.clone())
    if torch.allclose(got, torch.ones_like(got), atol=1e-3):
        return None
    item, feature = explainers.worst(got, torch.ones_like(got))
    real = explainers.counted(int(_GAPS[item].sum()), "real token", "real tokens")
    return (f"Where every number is 1, every mean is 1. Yours is {explainers.number(got[item, feature])} for an item of "
            f"{T} tokens with {real}.")


_GAPS = torch.tensor([[True, False, True, True, False], [False, True, True, False, True],
                      [True, True, False, False, False], [False, False, False, True, False]])


_MEANS = (
    _items(1, 0), _items(0, 1),
    BehavioralTest("padding-read", _moves("Padding must not matter: when the numbers of the padded tokens changed, your "
                                      "result moved", _other_padding),
               "Set padded tokens to 0 before the sum: mask.unsqueeze(-1) is (B, T, 1), one factor for each token."),
    BehavioralTest("order-read", _moves("A mean does not know the order of its tokens: when tokens and mask changed places "
                                    "together, your result moved", _other_order),
               "Which tokens are real is said by mask alone: padding may stand in front, behind or in gaps."),
    BehavioralTest("features-mixed", _moves("Each feature has a mean of its own: when feature 0 changed, other features of "
                                        "your result moved", _other_feature),
               "Which line sums over the last axis, or brings vectors to a length?"),
    BehavioralTest("ones-do-not-give-1", _ones, "What is the sum divided by, and what else is done to it? Of n real tokens "
                                            "each has the share 1 / n."),
)


def _pooling(name, seed, mask, c=11, dtype=torch.float32, change=lambda hidden, mask: hidden):
    return TestCase(name, (change(normal(*mask.shape, c, seed=seed, dtype=dtype), mask), mask))


def _behind(*lengths, max_length=T):
    return padded(*lengths, max_length=max_length).squeeze(1)


EXERCISE = Exercise(
    id="7.2", name="mean_pool", signature="mean_pool(hidden, mask)", minutes=6, difficulty=2,
    gives="for each item the mean of its real tokens: hidden (B, T, C) and mask (B, T), bool, True = real token, to "
          "(B, C)",
    reference=references.mean_pool, arguments=("hidden", "mask"), returns=("pooled",),
    axis_names=AXES | {1: "B", 2: "B", 3: "B", 4: "B", 5: "T", 7: "T", 11: "C", 13: "C"},
    cases=(
        _pooling("padding behind", 220, _behind(5, 2, 3)),
        _pooling("padding in front", 221, _behind(3, 6, max_length=S).flip(-1), c=13),
        _pooling("padding in gaps", 222, _GAPS),
        _pooling("no padding", 223, _behind(S, S, S, max_length=S)),
        _pooling("one real token in each item", 224, torch.eye(T, dtype=torch.bool)[[3, 0, 4]]),
        _pooling("one item", 225, _GAPS[1:2], c=13),
        _pooling("float64", 226, _GAPS[:2], dtype=torch.float64),
        _pooling("large numbers in the padding", 227, _GAPS[1:],
                 change=lambda hidden, mask: _filled(hidden, mask, 50.0)),
        _pooling("features that are 0", 228, _GAPS[:3], change=lambda hidden, mask: hidden.clamp(min=0)),
        _pooling("a hundred tokens", 229, _behind(100, 61, max_length=100)),
    ),
    minimal_inputs=tuple((torch.tensor(hidden), torch.tensor(mask)) for hidden, mask in (
        ([[[1.0, 2.0], [5.0, 4.0]]], [[True, False]]),
        ([[[1.0, 2.0], [5.0, 4.0]]], [[False, True]]),
        ([[[1.0, 2.0], [5.0, 4.0], [3.0, 0.0]]], [[True, True, False]]),
        ([[[1.0, 2.0], [5.0, 4.0], [3.0, 0.0]]], [[True, False, True]]),
        ([[[1.0, 2.0], [5.0, 4.0]], [[0.0, 3.0], [2.0, 6.0]]], [[True, True], [False, True]]))),
    misconceptions=MISCONCEPTIONS,
    hints=(
        "Two things for each item: the sum of its real tokens, (B, C), and how many there are, (B, 1). A padded token "
        "adds nothing to a sum if it is 0 there.",
        "mask.unsqueeze(-1) is (B, T, 1) and lines up with hidden (B, T, C). Sum along axis 1, above and below.",
        "real = mask.unsqueeze(-1); return (hidden * real).sum(dim=1) / real.sum(dim=1)",
    ),
    properties=(properties.FINITE,), behavioral_tests=_MEANS,
    when_correct="However long a text is, it is one vector now, and texts can be compared.",
)
