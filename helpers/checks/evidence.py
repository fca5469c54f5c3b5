"""Sentences made from the learner's own numbers.

Each function takes a `Case` and returns one sentence about what can be seen there.
"""

import torch


def number(value):
    """A number as the cards show it: 4 decimals, NaN and infinities by name."""
    value = float(value)
    if value != value:
        return "NaN"
    if abs(value) == float("inf"):
        return "-inf" if value < 0 else "inf"
    if 0 < abs(value) < 5e-5 or abs(value) >= 1e5:
        return f"{value:.1e}"
    return f"{value:.4f}"


def place(index):
    """Where a number stands: '3', or '[1, 2, 0]'."""
    return str(int(index[0])) if len(index) == 1 else "[" + ", ".join(str(int(i)) for i in index) + "]"


def worst(got, expected):
    """Index of the entry that is furthest off; one that is not finite beats all others."""
    difference = (got.double() - expected.double()).abs().nan_to_num(float("inf"))
    return tuple(int(i) for i in torch.unravel_index(difference.argmax(), difference.shape))


def entry(case):
    """The entry that is furthest off, in the first tensor that differs; of a list, the first."""
    if isinstance(case.expected, list):
        return item(case)
    for name, got, expected in case.parts:
        if not torch.allclose(got.double(), expected.double(), rtol=1e-4, atol=3e-5):
            at = worst(got, expected)
            where = f" at {place(at)}" if at else ""
            mine, right = number(got[at]), number(expected[at])
            if mine == right:  # told apart only by further digits
                mine, right = f"{float(got[at]):.7f}", f"{float(expected[at]):.7f}"
            return f"your {name}{where} is {mine}, and {right} is right"
    return "your numbers differ from the right ones"


def item(case):
    """The first entry of a list that is not right."""
    if len(case.got) != len(case.expected):
        return f"your list has {counted(len(case.got), 'entry', 'entries')}, and {len(case.expected)} would be right"
    at = next((i for i, (a, b) in enumerate(zip(case.got, case.expected, strict=True)) if type(a) is not type(b)
               or a != b), 0)
    return f"entry {at} of your list is {shortly(case.got[at])}, and {case.expected[at]!r} is right"


def counted(number, one, many):
    """1 word, 2 words."""
    return f"{number} {one if number == 1 else many}"


def shortly(value):
    """Anything at all, cut to a few words."""
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def row_sum(case):
    """The row whose sum is furthest from 1."""
    sums = case.weights.double().sum(-1)
    at = worst(sums, torch.ones_like(sums))
    if abs(sums[at] - 1) < 1e-3:
        return entry(case)
    return f"row {place(at)} of your weights sums to {number(sums[at])}; a row must sum to 1"


def sharpness(case):
    """The row whose largest weight is furthest from the right one."""
    got, right = case.weights.max(-1).values, case.expected_weights.max(-1).values
    at = worst(got, right)
    word = "sharper" if got[at] > right[at] else "flatter"
    return (f"the largest weight of row {place(at)} is {number(got[at])} where {number(right[at])} is right: "
            f"your rows are {word}")


def given_mask(case):
    """The mask of a case, its last argument, or None where none was given."""
    mask = case.args[-1]
    return mask if isinstance(mask, torch.Tensor) and mask.dtype == torch.bool else None


def hidden_weight(case):
    """The hidden key that gets the largest weight."""
    mask = given_mask(case)
    if mask is None or case.weights.shape != case.expected_weights.shape:
        return shape(case)
    leak = case.weights.double().nan_to_num(0.0) * ~mask
    if not leak.any():
        return not_a_number(case) if case.weights.isnan().any() else entry(case)
    at = worst(leak, torch.zeros_like(leak))
    return f"key {at[-1]} is hidden from query {at[-2]}, and gets the weight {number(leak[at])} at {place(at)}"


def not_a_number(case):
    """Where the first NaN stands."""
    got = case.weights if case.weights.isnan().any() else case.out
    bad = got.isnan()
    if not bad.any():
        return entry(case)
    at = worst(bad, torch.zeros_like(bad))
    verb = "is" if bad.sum() == 1 else "are"
    return f"{int(bad.sum())} of your {bad.numel()} numbers {verb} NaN, the first at {place(at)}"


def shape(case):
    """The two shapes, or where they agree the entry that is furthest off."""
    if case.weights.shape == case.expected_weights.shape and case.out.shape == case.expected_out.shape:
        return entry(case)
    return f"yours has shape {tuple(case.weights.shape)}, and {tuple(case.expected_weights.shape)} is right"


def out_alone(case):
    """Right weights, and the entry of out that is furthest off."""
    at = worst(case.out, case.expected_out)
    return (f"your weights are right, but your out at {place(at)} is {number(case.out[at])} and "
            f"{number(case.expected_out[at])} is right")


def first_entries(case):
    """The first numbers of both, for results of one axis."""
    def some(x):
        return ", ".join(number(v) for v in x.flatten()[:3])

    return f"yours begins {some(case.weights)}; {some(case.expected_weights)} is right"


def true_at(case):
    """For masks: an entry that is the wrong way round."""
    at = worst(case.weights.float(), case.expected_weights.float())
    return f"your mask at {place(at)} is {case.weights[at].item()}; {case.expected_weights[at].item()} is right"
