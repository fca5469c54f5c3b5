"""mean_pool: the reference, its test cases, and tests of what a mean does not depend on."""

import torch

from exercises.common import explainers, properties
from exercises.common.experiments import items_apart, largest_difference
from exercises.common.inputs import AXES, T, normal, padded
from feedback import BehavioralTest, TestCase
from feedback.page_exercise import exercise


def mean_pool(hidden, mask):
    real = mask.unsqueeze(-1)  # (B, T, 1)
    return hidden.masked_fill(~real, 0.0).sum(dim=1) / real.sum(dim=1)


def filled(hidden, mask, value=0.0):
    """Set padded tokens to `value`."""
    return hidden.masked_fill(~mask.unsqueeze(-1), value)


GAPS = torch.tensor(
    [
        [True, False, True, True, False],
        [False, True, True, False, True],
        [True, True, False, False, False],
        [False, False, False, True, False],
    ]
)


HIDDEN = normal(3, T, 11, seed=231)
MASKS = GAPS[:2].float()
OTHERS = torch.tensor([0.0, 0.0, 0.0, 1.0, 0.0]) - MASKS  # added to the mask of an item to change it


def padding_read(attempt):
    """Change the numbers of padded tokens; the result must stay the same."""
    mask = GAPS[:3]
    before, after = (attempt(HIDDEN + change * ~mask.unsqueeze(-1), mask.clone()) for change in (0, 2))
    moved = largest_difference(before, after)
    if moved < 1e-5:
        return None
    return (
        "Padding must not matter: when the numbers of the padded tokens changed, your result changed by up to "
        f"{moved:.4f}."
    )


def mean_of_ones(attempt):
    """Check that the mean of ones is 1, however many there are."""
    got = attempt(torch.ones(len(GAPS), T, 11), GAPS.clone())
    if torch.allclose(got, torch.ones_like(got), atol=1e-3):
        return None
    item, feature = explainers.worst(got, torch.ones_like(got))
    real = explainers.counted(int(GAPS[item].sum()), "real token", "real tokens")
    return (
        f"Where every number is 1, every mean is 1. Yours is {explainers.number(got[item, feature])} for an item "
        f"of {T} tokens with {real}."
    )


def pooling(name, seed, mask, c=11, dtype=torch.float32, change=lambda hidden, mask: hidden):
    return TestCase(name, (change(normal(*mask.shape, c, seed=seed, dtype=dtype), mask), mask))


def with_a_token_of_zeros(hidden, mask):
    hidden[0, 1] = 0
    return hidden


EXERCISE = exercise(
    mean_pool,
    returns=("pooled",),
    axis_names=AXES | {1: "B", 2: "B", 3: "B", 4: "B", 5: "T", 7: "T", 11: "C", 13: "C"},
    cases=(
        pooling("padding behind", 220, padded(5, 2, 3, max_length=T).squeeze(1)),
        pooling("padding in front", 221, padded(3, 6).squeeze(1).flip(-1), c=13),
        pooling("padding in gaps", 222, GAPS),
        pooling("one real token in each item", 224, torch.eye(T, dtype=torch.bool)[[3, 0, 4]]),
        pooling("float64", 226, GAPS[:2], dtype=torch.float64),
        pooling("large numbers in the padding", 227, GAPS[1:], change=lambda hidden, mask: filled(hidden, mask, 50.0)),
        pooling("features that are 0", 228, GAPS[:3], change=lambda hidden, mask: hidden.clamp(min=0)),
        pooling("a real token of zeros", 230, GAPS[1:3], change=with_a_token_of_zeros),
        TestCase(
            "a huge number in the padding",
            (torch.tensor([[[0.5], [1e8]]]), torch.tensor([[True, False]])),
            limitation="It has a limit: a huge number in the padding. If you subtract the padding from the sum of all "
            "tokens, the real ones are rounded away next to it: make the padding 0 before you add anything up.",
        ),
    ),
    minimal_inputs=tuple(
        (torch.tensor(hidden), torch.tensor(mask))
        for hidden, mask in (
            ([[[1.0, 2.0], [5.0, 4.0]]], [[True, False]]),
            ([[[1.0, 2.0], [5.0, 4.0]]], [[False, True]]),
            ([[[1.0, 2.0], [5.0, 4.0], [3.0, 0.0]]], [[True, True, False]]),
            ([[[1.0, 2.0], [5.0, 4.0], [3.0, 0.0]]], [[True, False, True]]),
            ([[[1.0, 2.0], [5.0, 4.0]], [[0.0, 3.0], [2.0, 6.0]]], [[True, True], [False, True]]),
        )
    ),
    properties=(properties.FINITE,),
    behavioral_tests=(
        items_apart((HIDDEN[:2], MASKS), (1, OTHERS), lambda attempt, hidden, mask: attempt(hidden, mask > 0)),
        BehavioralTest(
            "padding-read",
            padding_read,
            "A padded token must add nothing to the sum: what is it multiplied by, or set to?",
        ),
        BehavioralTest(
            "ones-do-not-give-1",
            mean_of_ones,
            "What is the sum divided by, and what else is done to it? Each of n real tokens has a share of 1 / n.",
        ),
    ),
)
