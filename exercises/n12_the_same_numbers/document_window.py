"""document_window: the reference and its test cases."""

import random

import torch

from exercises.common.inputs import SHIFT
from feedback import BehavioralTest, ContractViolation, FunctionRunner, TestCase
from feedback.format import describe
from feedback.page_exercise import exercise


def document_window(documents, window):
    """A mask function for several texts in one row, as FlexAttention reads it.

    Shapes: documents (S,), the number of the document at each position -> mask_mod(b, h, q_idx, kv_idx)
    Units:  mask_mod gives bool, True = may attend
    Source: Dong et al. 2024, "Flex Attention"; notebook 12
    """

    def mask_mod(b, h, q_idx, kv_idx):
        same = documents[q_idx] == documents[kv_idx]
        return same & (kv_idx <= q_idx) & (q_idx - kv_idx < window)

    return mask_mod


# ---------------------------------------------------------------- calling the code


def grid(B, H, S, device=None):
    """Return all indices, each along an axis of its own: (B, 1, 1, 1), (H, 1, 1), (S, 1) and (S,)."""
    shapes = (B, 1, 1, 1), (H, 1, 1), (S, 1), (S,)
    return [torch.arange(n, device=device).view(shape) for n, shape in zip((B, H, S, S), shapes, strict=True)]


def asked(mask_mod, *indices):
    """Return the mask function's result. Errors: ContractViolation if it is not a tensor of bools"""
    found = mask_mod(*indices)
    if isinstance(found, torch.Tensor) and found.dtype == torch.bool:
        return found
    raise ContractViolation(
        "answers-wrong-type",
        f"Your mask function returned {describe(found)}; a tensor of bools was expected, True = may attend.",
    )


def call(attempt, documents, window):
    """Return the mask (S, S) that the mask function defines."""
    mask_mod = attempt(documents, window)
    if not callable(mask_mod):
        raise ContractViolation(
            "returns-no-function",
            f"Your code returned {describe(mask_mod)}; a function of (b, h, q_idx, kv_idx) was expected.",
        )
    S = len(documents)
    return asked(mask_mod, *grid(1, 1, S, documents.device)).expand(1, 1, S, S)[0, 0]


def in_words(args):
    documents, window = args
    return f"documents is {documents.tolist()}, window is {window}."


# ---------------------------------------------------------------- behavioral tests

SOME = torch.tensor([3, 3, 3, 0, 0, 0, 0, 3, 3, 5, 5])
SIZES = (2, 3, len(SOME))
THINK = "Compare the indices as tensors, and combine with `&`: the same line then serves one pair and a whole table."


def other_shapes(attempt):
    """Try the indices of one tile, expanded indices, and 0-d tensors."""
    mask_mod = attempt(SOME.clone(), 4)
    right = asked(document_window(SOME, 4), *grid(*SIZES))
    b, h, q, kv = grid(*SIZES)
    tile, expanded = (b, h, q[2:7], kv[4:9]), torch.broadcast_tensors(b, h, q, kv)
    ways = {
        "of one tile, queries 2 to 6 and keys 4 to 8": (tile, right[2:7, 4:9]),
        "that are all (2, 3, 11, 11)": (expanded, right.expand(*SIZES, len(SOME))),
        "that are 0-d tensors, query 8 and key 7": ([torch.tensor(n) for n in (1, 2, 8, 7)], right[8, 7]),
        "that are 0-d tensors, query 8 and key 2": ([torch.tensor(n) for n in (1, 2, 8, 2)], right[8, 2]),
    }
    for words, (indices, wanted) in ways.items():
        found = asked(mask_mod, *indices)
        if not can_stretch(found, wanted.shape) or not torch.equal(found.expand(wanted.shape), wanted):
            return (
                f"The whole table is right, but with indices {words}, your function gives another answer than the "
                "table has there."
            )
    return None


def can_stretch(x, shape):
    try:
        return x.expand(shape).shape == shape
    except RuntimeError:
        return False


def under_vmap(attempt):
    """Try vmap, with which FlexAttention turns a call on 0-d tensors into one on a whole table."""
    mask_mod, right = attempt(SOME.clone(), 4), asked(document_window(SOME, 4), *grid(*SIZES))
    ask = mask_mod
    for dims in ((None, None, None, 0), (None, None, 0, None), (None, 0, None, None), (0, None, None, None)):
        ask = torch.vmap(ask, in_dims=dims)
    found = asked(ask, *(torch.arange(n) for n in (*SIZES, len(SOME))))
    if found.shape == (*SIZES, len(SOME)) and torch.equal(found, right.expand(found.shape)):
        return None
    return "The table is right, but what `torch.vmap` makes of your function, as FlexAttention does, is not."


# ---------------------------------------------------------------- inputs


def packed(seed, *lengths, again=False):
    """Return documents one after another, numbered in any order; with `again`, the last has the first one's number."""
    numbers = random.Random(seed + SHIFT).sample(range(9), len(lengths))
    if again:
        numbers[-1] = numbers[0]
    return torch.tensor(numbers).repeat_interleave(torch.tensor(lengths))


EXERCISE = exercise(
    document_window,
    returns=("mask",),
    runner=FunctionRunner(call, input_names=("documents", "window"), describe=in_words),
    axis_names={17: "S", 13: "S", 7: "S", 5: "S"},
    square=("mask",),
    dtype_hints={"mask": "A mask function gives True and False"},
    cases=(
        TestCase("one document, a wide window", (torch.zeros(7, dtype=torch.long), 50)),
        TestCase("one document, a window of 1", (torch.zeros(5, dtype=torch.long), 1)),
        TestCase("numbers that fall", (torch.tensor([9, 9, 9, 4, 4, 4, 0]), 3)),
        TestCase("several documents, a window of 4", (packed(2, 5, 1, 7), 4)),
        TestCase("a document that goes on later", (torch.tensor([2, 2, 0, 0, 2, 2, 2]), 6)),
        TestCase("many positions", (packed(3, 6, 2, 5, 4, again=True), 5)),
    ),
    minimal_inputs=(
        (torch.tensor([0, 0]), 5),
        (torch.tensor([0, 1]), 5),
        (torch.tensor([1, 0]), 5),
        (torch.tensor([0, 0, 0]), 2),
        (torch.tensor([0, 1, 0]), 5),
        (torch.tensor([0, 1, 0]), 2),
    ),
    error_meanings=(
        (
            r"[Bb]oolean value of Tensor|data-dependent control flow",
            "`and`, `or`, `not` and `if` ask a tensor for a single True or False, and so do comparisons in a chain. "
            "Put each comparison in parentheses, and join them by `&`.",
        ),
        (
            r"\.item\(\)|vmap: It looks like you're calling|converted to Scalar|to a Python (scalar|number)",
            "Numbers are taken out of tensors here (`int(...)`, `.item()`). Under vmap an index stands for many: "
            "compare the tensors themselves.",
        ),
    ),
    behavioral_tests=(
        BehavioralTest(
            "other-shapes", other_shapes, THINK, required=True, while_doing="with index tensors of other shapes"
        ),
        BehavioralTest(
            "not-under-vmap", under_vmap, THINK, required=True, while_doing="with 0-d tensors under `torch.vmap`"
        ),
    ),
)
