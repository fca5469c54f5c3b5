"""What several exercises of notebook 05 share."""

import torch

from exercises.common import explainers
from exercises.common.inputs import B, H, S, T
from exercises.common.multi_head import (
    layers_by_hand,
)
from feedback import Property
from helpers.heads import merge_heads

_D, _C = 4, 12  # the width of a head, and of all three


def _some(row):
    """The first numbers of a row."""
    words = ", ".join(explainers.number(v) for v in row[:6])
    return f"[{words}, ...]" if len(row) > 6 else f"[{words}]"


def _row(case):
    """The row with the entry that is furthest off."""
    if case.first.shape != case.expected_first.shape:
        return explainers.shape(case)
    at = explainers.worst(case.first, case.expected_first)[:-1]
    return f"your row {explainers.position(at)} is {_some(case.first[at])}, and {_some(case.expected_first[at])} is right"


def _by_position(x):
    """All numbers of each position, sorted: (B, T, C)."""
    x = x if x.dim() == 3 else x.transpose(1, 2).flatten(2)
    return x.sort(dim=-1).values


def _numbers_lost(case):
    got, right = (x.flatten().sort().values for x in (case.first, case.expected_first))
    if torch.allclose(got, right):
        return None
    lost = right[~torch.isin(right, got)]
    example = f"; {explainers.number(lost[0])}, for one, is missing in yours" if len(lost) else ""
    return f"Heads only move numbers: every number of x must be there again, once{example}."


def _positions_mixed(case):
    got, right = _by_position(case.first), _by_position(case.expected_first)
    if torch.allclose(got, right):
        return None
    at = explainers.worst(got, right)[:-1]
    return (f"A position keeps its own numbers. Position {at[1]} of item {at[0]} has {_some(right[at])} in x, "
            f"in all heads together and sorted; in yours it has {_some(got[at])}.")


def _in_another_order(case):
    if torch.allclose(case.first, case.expected_first):
        return None
    return f"Every position has its own numbers, but in another order: {_row(case)}."


_MOVES = (
    Property("numbers-lost", _numbers_lost, "Nothing is calculated here. Which line leaves numbers out, repeats or changes "
                                       "them?"),
    Property("positions-mixed", _positions_mixed,
        "view and reshape keep the order in which numbers lie in memory: use them to cut or join neighbouring axes "
        "only. Axes change places with transpose."),
    Property("features-in-another-order", _in_another_order,
        "Head 0 has the first D features of a position, head 1 the next D, and so on."),
)


_SIZES = {2: "B", 3: "H", 6: "H", 4: "D", 11: "D", 12: "C", 33: "C", 66: "C", 5: "T", 7: "T", 13: ""}


_TOLD_BY_NUMBERS = (torch.tensor([[[0.0, 1, 2, 3], [10, 11, 12, 13]]]),  # 12: position 1, feature 2
                    torch.tensor([[[0.0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]]]),
                    torch.tensor([[[0.0, 1, 2, 3], [10, 11, 12, 13]], [[100, 101, 102, 103], [110, 111, 112, 113]]]))


_SHAPES = (("three heads of eleven features", B, T, H, 11), ("six heads of eleven features", B, S, 6, 11),
           ("as many heads as positions", B, 8, 8, _D), ("one head", B, T, 1, 10), ("one position", B, 1, H, _D),
           ("one item", 1, T, H, _D), ("heads of one feature", B, T, 13, 1))


_PROJECTIONS = ("q_proj", "k_proj", "v_proj", "out_proj")


_BY_HAND = layers_by_hand("q_proj", with_out_proj=True)


def _like_a_view(z):
    """z, lying in memory as after x.view(B, T, H, D).transpose(1, 2): a layer of another width then says it in other
    words."""
    return z.transpose(1, 2).contiguous().transpose(1, 2)


_OUT_PROJ = (
    ("layer-meets-one-head", "A layer was given D features, as wide as one head; each of the four layers takes all C "
     "features of a position.",
     "If it was q_proj, k_proj or v_proj: project, then split. If it was out_proj: put the heads side by side (do not "
     "add or average them), then project.",
     (*({"merge": keep, "finish": lambda heads, weights, out_proj, x: (merge_heads(out_proj(heads)), weights)}
        for keep in (lambda z: z, _like_a_view)), {"merge": lambda z: z.mean(1)},
      *({"merge": keep} for keep in (lambda z: z, _like_a_view, lambda z: z.transpose(1, 2))),
      {"merge": lambda z: z.transpose(1, 2), "finish": lambda heads, weights, out_proj, x:
       (out_proj(heads).flatten(2), weights)}), None),
    ("no-out-proj", "The weights are right, but out_proj was never used: out holds the merged heads themselves.",
     "out_proj mixes what the heads have found: return out_proj(merged), weights.",
     ({"finish": lambda merged, weights, out_proj, x: (merged, weights)},), explainers.out_alone),
    ("residual", "x was added to out. That step belongs to the block around attention (notebook 06).",
     "Here out is what out_proj gives, and nothing else.",
     ({"finish": lambda merged, weights, out_proj, x: (out_proj(merged) + x, weights)},), explainers.out_alone),
)
