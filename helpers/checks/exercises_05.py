"""Exercises 5.1 to 5.4: cut into heads, put together again, and attention with both."""

import copy

import torch

from helpers.checks import evidence, laws, solutions
from helpers.checks.catalogue import Exercise, Law, Misconception, Probe
from helpers.checks.inputs import CAUSAL, B, H, S, T, normal, padded, some_hidden
from helpers.checks.multi_head import (
    HEADS,
    MASKS,
    ONE_AXIS,
    SCORES,
    around_minus_7,
    by_the_course,
    experiments,
    interleaved,
    interleaved_back,
    known,
    layers_by_hand,
    layers_mixed_up,
    layers_used,
    projected,
    random_layers,
    rows_from_memory,
    simple_layers,
    stepwise,
    uncut,
    viewed,
    weights_of,
)
from helpers.heads import merge_heads, split_heads
from helpers.masks import causal_mask

_D, _C = 4, 12  # the width of a head, and of all three


# ---------------------------------------------------------------- 5.1 and 5.2: what they share

def _some(row):
    """The first numbers of a row."""
    words = ", ".join(evidence.number(v) for v in row[:6])
    return f"[{words}, ...]" if len(row) > 6 else f"[{words}]"


def _row(case):
    """The row with the entry that is furthest off."""
    if case.out.shape != case.expected_out.shape:
        return evidence.shape(case)
    at = evidence.worst(case.out, case.expected_out)[:-1]
    return f"your row {evidence.place(at)} is {_some(case.out[at])}, and {_some(case.expected_out[at])} is right"


def _by_position(x):
    """All numbers of each position, sorted: (B, T, C)."""
    x = x if x.dim() == 3 else x.transpose(1, 2).flatten(2)
    return x.sort(dim=-1).values


def _numbers_lost(case):
    got, right = (x.flatten().sort().values for x in (case.out, case.expected_out))
    if torch.allclose(got, right):
        return None
    lost = right[~torch.isin(right, got)]
    example = f"; {evidence.number(lost[0])}, for one, is missing in yours" if len(lost) else ""
    return f"Heads only move numbers: every number of x must be there again, once{example}."


def _positions_mixed(case):
    got, right = _by_position(case.out), _by_position(case.expected_out)
    if torch.allclose(got, right):
        return None
    at = evidence.worst(got, right)[:-1]
    return (f"A position keeps its own numbers. Position {at[1]} of item {at[0]} has {_some(right[at])} in x, "
            f"in all heads together and sorted; in yours it has {_some(got[at])}.")


def _in_another_order(case):
    if torch.allclose(case.out, case.expected_out):
        return None
    return f"Every position has its own numbers, but in another order: {_row(case)}."


_MOVES = (
    Law("numbers-lost", _numbers_lost, "Nothing is calculated here. Which line leaves numbers out, repeats or changes "
                                       "them?"),
    Law("positions-mixed", _positions_mixed,
        "view and reshape keep the order in which numbers lie in memory: use them to cut or join neighbouring axes "
        "only. Axes change places with transpose."),
    Law("features-in-another-order", _in_another_order,
        "Head 0 has the first D features of a position, head 1 the next D, and so on."),
)
_SIZES = {2: "B", 3: "H", 6: "H", 4: "D", 11: "D", 12: "C", 33: "C", 66: "C", 5: "T", 7: "T", 13: ""}
_TOLD_BY_NUMBERS = (torch.tensor([[[0.0, 1, 2, 3], [10, 11, 12, 13]]]),  # 12: position 1, feature 2
                    torch.tensor([[[0.0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]]]),
                    torch.tensor([[[0.0, 1, 2, 3], [10, 11, 12, 13]], [[100, 101, 102, 103], [110, 111, 112, 113]]]))
_SHAPES = (("three heads of eleven features", B, T, H, 11), ("six heads of eleven features", B, S, 6, 11),
           ("as many heads as positions", B, 8, 8, _D), ("one head", B, T, 1, 10), ("one position", B, 1, H, _D),
           ("one item", 1, T, H, _D), ("heads of one feature", B, T, 13, 1))


# ---------------------------------------------------------------- 5.1

def _slices(x, starts, width):
    """Heads from slices that may overlap or stop early."""
    return torch.stack([x[..., start:start + width] for start in starts], dim=1)


SPLIT_HEADS = Exercise(
    id="5.1", name="split_heads", signature="split_heads(x, num_heads)", minutes=6, difficulty=2,
    gives="x cut into heads: (B, T, C) to (B, H, T, D), D = C / H, where head h has the features h*D to (h+1)*D of "
          "each position",
    solution=split_heads, arguments=("x", "num_heads"), returns=("heads",), sizes=_SIZES,
    probes=(*(Probe(name, (normal(b, t, h * d, seed=50 + i), h)) for i, (name, b, t, h, d) in enumerate(_SHAPES)),
            Probe("float64", (normal(B, T, _C, seed=59).double(), H))),
    small=tuple((x, 2) for x in _TOLD_BY_NUMBERS),
    misconceptions=(
        Misconception(
            "viewed", "The shape is right, but it was made by view or reshape where axes have to change places. The "
            "numbers stay in their old order and are only counted off anew, so a head holds pieces of other positions "
            "than its rows say.",
            "Two steps: cut the last axis alone, (B, T, C) to (B, T, H, D), then let T and H change places with "
            "transpose.",
            (viewed, lambda x, h: x.reshape(h, x.size(0), x.size(1), -1).transpose(0, 1),
             lambda x, h: x.reshape(x.size(0), h, -1, x.size(1)).transpose(2, 3),
             lambda x, h: x.reshape(x.size(0), -1, h, x.size(1)).permute(0, 2, 3, 1),
             lambda x, h: x.reshape(x.size(1), x.size(0), h, -1).permute(1, 2, 0, 3)), _row),
        Misconception(
            "transposed-first", "Positions and features changed places before the features were cut into heads.",
            "Cut first, while the features are the last axis: (B, T, C) to (B, T, H, D). Then transpose.",
            (lambda x, h: x.transpose(1, 2).reshape(x.size(0), h, x.size(1), -1),
             lambda x, h: x.transpose(1, 2).view(x.size(0), h, x.size(1), -1)), _row),
        Misconception(
            "not-transposed", "The features are cut rightly, but the positions still stand before the heads: "
            "(B, T, H, D).",
            "Each head is to have a table (T, D) of its own, so H must come before T: which two axes change places?",
            (uncut, lambda x, h: torch.stack(x.chunk(h, dim=-1), dim=2)), evidence.shape),
        Misconception(
            "interleaved", "The heads take turns: head h got the features h, h + H, h + 2H and so on, not D "
            "neighbours.",
            "view(B, T, H, D) makes H groups of D neighbours; view(B, T, D, H) makes D groups of H.",
            (interleaved, lambda x, h: torch.stack([x[..., i::h] for i in range(h)], dim=1)), _row),
        Misconception(
            "sizes-of-the-figure", "Fixed numbers say how x is cut: 2 and 2 belong to the figure, where C = 4.",
            "H is num_heads, and D = C // H, with C = x.size(-1).",
            (lambda x, h: x.unflatten(-1, (2, 2)).transpose(1, 2), lambda x, h: x.unflatten(-1, (2, 2)),
             *(lambda x, h, way=way, sizes=sizes: getattr(x, way)(*sizes(x)).transpose(1, 2)
               for way in ("view", "reshape") for sizes in (
                   lambda x: (*x.shape[:2], 2, 2), lambda x: (*x.shape[:2], 2, -1),
                   lambda x: (*x.shape[:2], 2, x.size(2) // 2), lambda x: (1, 3, 2, 2), lambda x: (3, 2, 2),
                   lambda x: (2, 3, 2))))),
        Misconception(
            "num-heads-as-size", "num_heads was taken for the size of a head: you made heads of H features each, "
            "and as many as fit.",
            "num_heads says how many heads there are; each has D = C // num_heads features. x.chunk(n) makes n parts, "
            "x.split(n) makes parts of size n.",
            (lambda x, h: x.unflatten(-1, (-1, h)).transpose(1, 2), lambda x, h: x.unflatten(-1, (-1, h)),
             lambda x, h: torch.stack(x.split(h, dim=-1), dim=0)), evidence.shape),
        Misconception(
            "features-before-positions", "Positions and features have changed places within each head: (B, H, D, T).",
            "The last axis holds the D features of one position. From (B, T, H, D) only T and H change places.",
            (lambda x, h: uncut(x, h).permute(0, 2, 3, 1),), evidence.shape),
        Misconception(
            "wrong-axes", "Other axes than T and H have changed places.",
            "After the cut the axes are (B, T, H, D), counted 0, 1, 2, 3: it is 1 and 2 that change places.",
            (lambda x, h: uncut(x, h).transpose(2, 3), lambda x, h: uncut(x, h).transpose(1, 3),
             lambda x, h: uncut(x, h).transpose(0, 1), lambda x, h: uncut(x, h).transpose(0, 2),
             lambda x, h: uncut(x, h).permute(0, 3, 1, 2), lambda x, h: uncut(x, h).permute(1, 2, 0, 3)),
            evidence.shape),
        Misconception(
            "heads-first", "The heads stand before the batch: (H, B, T, D).",
            "The batch stays in front: stack along dim=1, or permute with 0 in the first place.",
            (lambda x, h: torch.stack(x.chunk(h, dim=-1)), ), evidence.shape),
        Misconception(
            "heads-in-batch", "Heads and batch were joined into one axis.",
            "Here they stay apart: four axes, (B, H, T, D).",
            (lambda x, h: split_heads(x, h).flatten(0, 1), lambda x, h: torch.cat(x.chunk(h, dim=-1))),
            evidence.shape),
        Misconception(
            "heads-in-positions", "The heads were put one below the other along the positions: they have no axis of "
            "their own.",
            "cat joins along an axis that is there, stack makes a new one.",
            (lambda x, h: split_heads(x, h).flatten(1, 2), lambda x, h: uncut(x, h).flatten(1, 2)), evidence.shape),
        Misconception(
            "positions-cut", "The positions were cut into heads, not the features.",
            "Every head sees all T positions, and a part of the features: cut the last axis.",
            (lambda x, h: torch.stack(x.chunk(h, dim=1), dim=1), lambda x, h: x.unflatten(1, (h, -1)),
             lambda x, h: x.view(x.size(0), h, x.size(1) // h, -1)), evidence.shape),
        Misconception(
            "repeated", "Every head got all C features: x was repeated, not cut.",
            "The heads share the features out: each has D = C / H of them.",
            (lambda x, h: x.unsqueeze(1).expand(-1, h, -1, -1).clone(),), evidence.shape),
        Misconception(
            "overlapping", "The slices overlap: each head starts one feature after the one before.",
            "Head h starts at h * D and ends before (h + 1) * D.",
            (lambda x, h: _slices(x, range(h), x.size(-1) // h),), _row),
        Misconception(
            "slices-of-num-heads", "The slices are H wide: D and H were mixed up.",
            "Head h starts at h * D and ends before (h + 1) * D, with D = C // num_heads.",
            (lambda x, h: _slices(x, range(0, h * h, h), h), ), evidence.shape),
        Misconception(
            "same-slice", "All heads are the same: each is the first slice.",
            "The slice must move with h: from h * D to (h + 1) * D.",
            (lambda x, h: _slices(x, [0] * h, x.size(-1) // h),), _row),
        Misconception(
            "return-in-loop", "Only the first head came back.",
            "If a loop makes the heads: `return` leaves the function at once. Collect them, and stack after the loop.",
            (lambda x, h: split_heads(x, h)[:, 0], lambda x, h: split_heads(x, h)[:, :1]), evidence.shape),
        Misconception(
            "unchanged", "x came back as it was: nothing was cut.",
            "view, unflatten and transpose return a new tensor; keep what they return.",
            lambda x, h: x, evidence.shape),
    ),
    hints=(
        "Two steps: one axis is cut in two, then two axes change places. Which axis is cut? Which two then change "
        "places?",
        "(B, T, C) to (B, T, H, D) to (B, H, T, D): view or unflatten cuts, transpose exchanges. Never make the final "
        "shape with view in one go: it has the same sizes, and other numbers.",
        "B, T, C = x.shape; then x.view(B, T, num_heads, C // num_heads).transpose(1, 2)",
    ),
    laws=_MOVES,
    after="The heads now stand beside the batch: every formula for (..., T, D) works on all of them at once.",
)


# ---------------------------------------------------------------- 5.2

def _after(*axes):
    """Other axes transposed, then the right shape."""
    return lambda x: x.transpose(*axes).reshape(x.size(0), x.size(2), -1)


MERGE_HEADS = Exercise(
    id="5.2", name="merge_heads", signature="merge_heads(x)", minutes=5, difficulty=2,
    gives="the heads of each position side by side again: (B, H, T, D) to (B, T, C), the way back from split_heads",
    solution=merge_heads, arguments=("x",), returns=("merged",), sizes=_SIZES,
    probes=(*(Probe(name, (normal(b, h, t, d, seed=60 + i),)) for i, (name, b, t, h, d) in enumerate(_SHAPES)),
            Probe("float64", (normal(B, H, T, _D, seed=69).double(),))),
    small=tuple((split_heads(x, 2).contiguous(),) for x in _TOLD_BY_NUMBERS),
    misconceptions=(
        Misconception(
            "not-transposed-back", "The shape is right, but it was made by view or reshape alone. In memory all rows "
            "of head 0 come first, so your row 0 holds several positions of head 0, not all heads of position 0.",
            "The heads of one position must become neighbours first: (B, H, T, D) to (B, T, H, D). Then join the last "
            "two axes.",
            (rows_from_memory,), _row),
        Misconception(
            "not-contiguous", "The transpose is right. After it the numbers no longer lie in memory in the order in "
            "which they are to be read, and view, which never moves a number, refuses.",
            "Keep the transpose, and write reshape(...), flatten(-2) or contiguous().view(...): these make a copy in "
            "the new order. (Without the transpose view would run, and mix up the positions.)",
            (lambda x: x.transpose(1, 2).view(x.size(0), x.size(2), -1),)),
        Misconception(
            "only-transposed", "Heads and positions have changed places, but the heads are not joined yet: "
            "(B, T, H, D).",
            "Join the last two axes: flatten(-2), or reshape(B, T, H * D).",
            (lambda x: x.transpose(1, 2),), evidence.shape),
        Misconception(
            "interleaved", "The heads take turns within a row: first feature 0 of every head, then feature 1, and so "
            "on.",
            "Before the last two axes are joined they must be (H, D) in this order: (B, T, H, D).",
            (interleaved_back, lambda x: torch.stack(x.unbind(1), dim=-1).flatten(-2)), _row),
        Misconception(
            "wrong-axes", "Other axes than heads and positions have changed places; the reshape then gave the right "
            "shape to the wrong order.",
            "The axes are (B, H, T, D), counted 0, 1, 2, 3: it is 1 and 2 that change places.",
            (_after(2, 3), _after(1, 3), _after(0, 1), _after(0, 2)), _row),
        Misconception(
            "other-axes", "Other axes than heads and positions have changed places.",
            "The axes are (B, H, T, D), counted 0, 1, 2, 3: exchange 1 and 2, then join the last two. (The notebook's "
            "figure has no batch: there the heads are axis 0.)",
            (lambda x: x.transpose(0, 1).flatten(-2), lambda x: x.transpose(0, 1),
             lambda x: x.transpose(1, 3).flatten(-2), lambda x: x.transpose(0, 2).flatten(-2)), evidence.shape),
        Misconception(
            "joined-first", "Axes were joined before heads and positions changed places: what meets then are the "
            "positions of one head, not the heads of one position.",
            "Transpose first, (B, H, T, D) to (B, T, H, D). Then join the last two axes.",
            (lambda x: x.flatten(2).transpose(1, 2),
             lambda x: x.flatten(1, 2).transpose(1, 2), lambda x: x.flatten(1, 2).transpose(0, 1),
             lambda x: x.reshape(x.size(0), -1, x.size(2)).transpose(1, 2)), _row),
        Misconception(
            "heads-along-positions", "The heads were put one below the other along the positions, not side by side.",
            "Heads of one position belong in one row: join H with D, the features. With cat that is dim=-1.",
            (lambda x: x.flatten(1, 2), lambda x: x.transpose(1, 2).flatten(1, 2)), evidence.shape),
        Misconception(
            "positions-in-features", "Positions and features were joined: (B, H, T * D). The heads still stand apart.",
            "Join heads and features: first (B, H, T, D) to (B, T, H, D), then the last two axes.",
            (lambda x: x.flatten(2), lambda x: x.transpose(2, 3).flatten(2)), evidence.shape),
        Misconception(
            "heads-in-batch", "The heads were joined with the batch.",
            "The batch stays as it is; heads and features are joined.",
            (lambda x: x.flatten(0, 1), lambda x: torch.cat(x.unbind(1))), evidence.shape),
        Misconception(
            "positions-in-batch", "The heads are side by side, but the batch and the positions were joined into one "
            "axis.",
            "Keep both: (B, T, C).",
            (lambda x: merge_heads(x).flatten(0, 1),), evidence.shape),
        Misconception(
            "summed", "The heads were added up.", "Put them side by side: D features of each head make C = H * D.",
            (lambda x: x.sum(1),), evidence.shape),
        Misconception(
            "averaged", "The heads were averaged.", "Put them side by side: D features of each head make C = H * D.",
            (lambda x: x.mean(1),), evidence.shape),
        Misconception(
            "one-head-only", "Only one head came back.",
            "All heads belong side by side: D features of each make C = H * D.",
            (lambda x: x[:, 0], lambda x: x[:, -1]), evidence.shape),
        Misconception(
            "positions-last", "Positions and features have changed places: (B, C, T).",
            "The last axis holds the C features of one position.",
            (lambda x: x.transpose(2, 3).flatten(1, 2), lambda x: interleaved_back(x).transpose(1, 2)),
            evidence.shape),
        Misconception(
            "batch-second", "The positions stand before the batch: (T, B, C).",
            "The batch stays in front: (B, T, C).",
            (lambda x: merge_heads(x).transpose(0, 1), lambda x: x.permute(2, 0, 1, 3).flatten(2)), evidence.shape),
        Misconception(
            "heads-reversed", "The heads are side by side, the last one first.",
            "Head 0 comes first in the row.",
            (lambda x: merge_heads(x.flip(1)),), _row),
        Misconception(
            "unchanged", "x came back as it was: nothing was joined.",
            "transpose, flatten and reshape return a new tensor; keep what they return.", lambda x: x, evidence.shape),
    ),
    hints=(
        "It is split_heads backwards: first the two axes change places again, then the last two become one.",
        "(B, H, T, D) to (B, T, H, D) to (B, T, C). After a transpose view refuses; reshape and flatten do not.",
        "x.transpose(1, 2).flatten(-2)",
    ),
    laws=_MOVES,
    after="merge_heads(split_heads(x, H)) is x again: no number was changed on the way.",
)


# ---------------------------------------------------------------- what 5.3 and 5.4 share

def _self(**steps):
    """The steps as an answer to 5.3."""
    attend = stepwise(**steps)
    return lambda x, wq, wk, wv, wo, num_heads, mask=None: attend(x, x, (wq, wk, wv, wo), num_heads, mask)


def _cross(**steps):
    """The steps as an answer to 5.4."""
    attend = stepwise(**steps)
    return lambda x, context, wq, wk, wv, wo, num_heads: attend(x, context, (wq, wk, wv, wo), num_heads)


def _ask_self(attempt, x, context, layers):
    return attempt(x.clone(), *copy.deepcopy(layers), H)


def _ask_cross(attempt, x, context, layers):
    return attempt(x.clone(), context.clone(), *copy.deepcopy(layers), H)


_PROJECTIONS = ("q_proj", "k_proj", "v_proj", "out_proj")
_LAYERS = layers_mixed_up("q_proj", "k_proj", "v_proj")
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
     ({"finish": lambda merged, weights, out_proj, x: (merged, weights)},), evidence.out_alone),
    ("residual", "x was added to out. That step belongs to the block around attention (notebook 06).",
     "Here out is what out_proj gives, and nothing else.",
     ({"finish": lambda merged, weights, out_proj, x: (out_proj(merged) + x, weights)},), evidence.out_alone),
)


# ---------------------------------------------------------------- 5.3

def _with_layers(seed, b, t, h, d, *mask, dtype=torch.float32, change=lambda layers: layers):
    """Arguments for 5.3."""
    return (normal(b, t, h * d, seed=seed, dtype=dtype), *change(random_layers(h * d, seed, dtype)), h, *mask)


def _small_self(x, *mask):
    return (torch.tensor(x), *simple_layers(len(x[0][0])), 2, *mask)


_TWO = [[[1.0, 0.0], [0.0, 1.0]]]
_FOUR = [[[0.5, 0, 1, -1], [0, 1, -0.5, 0.5]]]

MULTI_HEAD_ATTENTION = Exercise(
    id="5.3", name="multi_head_attention",
    signature="multi_head_attention(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None)",
    minutes=12, difficulty=3,
    gives="the pair (out, weights): x (B, T, C) is projected, split into heads, attended, merged and projected again; "
          "out (B, T, C), weights (B, H, T, T)",
    solution=solutions.multi_head_attention, arguments=("x", *_PROJECTIONS, "num_heads", "mask"),
    returns=("out", "weights"), sizes=_SIZES,
    probes=(
        Probe("a batch without a mask", _with_layers(70, B, T, H, _D)),
        Probe("a causal mask (T, T)", _with_layers(71, B, T, H, _D, CAUSAL)),
        Probe("a padding mask (B, 1, 1, T)", _with_layers(72, B, T, H, _D, padded(2, 4, max_length=T)[:, None])),
        Probe("a mask (B, 1, T, T)", _with_layers(73, B, T, H, _D, some_hidden(B, 1, T, T))),
        Probe("a mask for each head, (B, H, T, T)", _with_layers(74, B, T, H, _D, some_hidden(B, H, T, T, seed=2))),
        Probe("a mask (T,)", _with_layers(75, B, T, H, _D, some_hidden(T)), advice=ONE_AXIS),
        Probe("float64", _with_layers(76, B, T, H, _D, some_hidden(T, T), dtype=torch.float64)),
        Probe("six heads of eleven features", _with_layers(77, B, S, 6, 11)),
        Probe("one head, mask=None", _with_layers(78, B, T, 1, 10, None)),
        Probe("one item", _with_layers(79, 1, T, H, _D, some_hidden(1, H, T, T, seed=3))),
        Probe("one position", _with_layers(80, B, 1, H, _D)),
        Probe("as many heads as positions", _with_layers(81, B, 8, 8, _D, causal_mask(8))),
        Probe("scores around -7", _with_layers(82, B, T, H, _D, CAUSAL, change=around_minus_7)),
    ),
    small=(_small_self(_TWO), _small_self(_FOUR), _small_self(_TWO, causal_mask(2)),
           _small_self(_FOUR, causal_mask(2)), _small_self([*_TWO, [[0.0, 1.0], [1.0, 1.0]]])),
    misconceptions=(*known(_self, HEADS), *known(_self, _OUT_PROJ), *known(_self, SCORES), *known(_self, _LAYERS),
                    *known(_self, _BY_HAND), *known(_self, MASKS)),
    hints=(
        "You have written every step before: in exercises 5.1 and 5.2, and in notebooks 02 and 03. In which order do "
        "they come, and what shape is there after each?",
        "Project, split, attend, merge, project. Attention with a mask works on (B, H, T, D) as on (T, D); the mask is "
        "used only if it is not None.",
        "q = split_heads(q_proj(x), num_heads), and k and v likewise. scores = q @ k.transpose(-2, -1) / "
        "math.sqrt(q.size(-1)), filled with -inf where ~mask, if mask is not None. weights = scores.softmax(dim=-1); "
        "return out_proj(merge_heads(weights @ v)), weights",
    ),
    laws=(laws.FINITE, laws.POSITIVE, laws.HIDDEN, laws.ROWS),
    experiments=experiments(_ask_self, solutions.multi_head_attention, all_move=True),
    after="Each head compares its own features and makes its own weights; out_proj mixes what they found.",
)


# ---------------------------------------------------------------- 5.4

def _joined(x, context, q_proj, k_proj, v_proj):
    """x reads itself beside the context."""
    both = torch.cat([x, context], dim=1)
    return q_proj(x), k_proj(both), v_proj(both)


def _joined_behind(x, context, q_proj, k_proj, v_proj):
    both = torch.cat([context, x], dim=1)
    return q_proj(x), k_proj(both), v_proj(both)


def _cut_to_one_length(way, length, width):
    """q, k and v brought to (B, length, H, width) by view or reshape, whatever their own length is."""

    def answer(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
        def project(x, context, *layers):
            sizes = (x.size(0), length(x, context), num_heads, width(x, num_heads))
            return tuple(getattr(z, way)(*sizes).transpose(1, 2) for z in projected(x, context, *layers))

        attend = stepwise(project=project, split=lambda z, h: z)
        return attend(x, context, (q_proj, k_proj, v_proj, out_proj), num_heads)

    return answer


def _causal_here(q, k, mask):
    """The lower triangle of (T, S)."""
    visible = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).tril()
    return weights_of(q, k, visible)


_ROLES = (
    ("keys-from-x", "The keys were made from x: x is compared with itself.",
     "x only asks; what is compared with its queries comes from context: k = k_proj(context).",
     (layers_used("xq", "xk", "cv"), by_the_course(**layers_used("xq", "xk", "cv"))), evidence.shape),
    ("values-from-x", "The values were made from x; what is read comes from context.",
     "v = v_proj(context).",
     (layers_used("xq", "ck", "xv"), by_the_course(**layers_used("xq", "ck", "xv"))), evidence.out_alone),
    ("queries-from-context", "The queries were made from context: context reads itself, and x has no part in it.",
     "x asks: q = q_proj(x).", (layers_used("cq", "ck", "cv"),), evidence.shape),
    ("context-ignored", "This is self-attention: queries, keys and values all come from x, and context was never used.",
     "x asks, context answers: k = k_proj(context), v = v_proj(context).",
     (layers_used("xq", "xk", "xv"),), evidence.shape),
    ("context-asks", "The roles have changed places: context asks and x answers.",
     "out has one row for each position of x: queries from x, keys and values from context.",
     (layers_used("cq", "xk", "xv"),), evidence.shape),
    ("context-asks-keeping-values", "Queries and keys have changed places: the rows of your scores belong to context, "
     "their columns to x.",
     "x asks: q = q_proj(x), k = k_proj(context), and the scores are q @ k.transpose(-2, -1).",
     (layers_used("cq", "xk", "cv"), layers_used("ck", "xq", "cv")), evidence.shape),
    ("query-layer-for-all", "q_proj made the queries, the keys and the values; k_proj and v_proj were never used.",
     "k = k_proj(context), v = v_proj(context).", (layers_used("xq", "cq", "cq"),), evidence.entry),
    ("query-layer-twice", "q_proj made the keys as well; k_proj was never used.", "k = k_proj(context).",
     (layers_used("xq", "cq", "cv"),), evidence.sharpness),
    ("key-layer-twice", "k_proj made the queries as well; q_proj was never used.", "q = q_proj(x).",
     (layers_used("xk", "ck", "cv"),), evidence.sharpness),
    ("layers-exchanged", "q_proj and k_proj have changed places: k_proj was applied to x, q_proj to context.",
     "q_proj makes queries from x, k_proj keys from context.",
     (layers_used("xk", "cq", "cv"),), evidence.sharpness),
    ("keys-as-values", "The weights are right, but they average the keys; v_proj was never used.",
     "Keys decide how much is read; values are what is read: v = v_proj(context).",
     (layers_used("xq", "ck", "ck"),), evidence.out_alone),
    ("values-as-keys", "The queries were compared with the values; k_proj was never used.",
     "Keys decide how much is read: k = k_proj(context).", (layers_used("xq", "cv", "cv"),), evidence.entry),
    ("keys-and-values-exchanged", "Keys and values have changed places.",
     "Keys are compared with the queries, values are mixed: k = k_proj(context), v = v_proj(context).",
     (layers_used("xq", "cv", "ck"),), evidence.entry),
    ("layer-skipped", "x or context itself was used where its projection belongs.",
     "Three layers, three results: q_proj(x), k_proj(context) and v_proj(context).",
     (layers_used("xq", "ck", "c"), layers_used("xq", "c", "cv"), layers_used("x", "ck", "cv"),
      layers_used("xq", "c", "c"), layers_used("x", "c", "cv"), layers_used("x", "c", "c")), evidence.entry),
    ("reads-both", "x reads itself beside the context: both were joined before the keys were made.",
     "Keys and values come from context alone.", ({"project": _joined}, {"project": _joined_behind}), evidence.shape),
    ("softmax-twice", "A softmax was applied twice: the second flattens what the first made.",
     "One softmax, over the keys.",
     ({"weigh": lambda q, k, mask: weights_of(q, k, mask).softmax(-1)},), evidence.sharpness),
    ("causal", "A causal mask was made here: later positions of context are hidden.",
     "context is not the past of x: every position of x may read all of it.",
     ({"weigh": _causal_here}, {"weigh": lambda q, k, mask: weights_of(q, k, causal_mask(q.size(-2)))}),
     evidence.sharpness),
)


def _crossing(seed, b, t, s, h, d, dtype=torch.float32):
    """Arguments for 5.4."""
    return (normal(b, t, h * d, seed=seed, dtype=dtype), normal(b, s, h * d, seed=seed + 20, dtype=dtype),
            *random_layers(h * d, seed, dtype), h)


def _small_cross(x, context):
    return (torch.tensor(x), torch.tensor(context), *simple_layers(len(x[0][0])), 2)


CROSS_ATTENTION = Exercise(
    id="5.4", name="cross_attention",
    signature="cross_attention(x, context, q_proj, k_proj, v_proj, out_proj, num_heads)", minutes=6, difficulty=2,
    gives="the pair (out, weights), where x (B, T, C) asks and context (B, S, C) answers: out (B, T, C), weights "
          "(B, H, T, S)",
    solution=solutions.cross_attention, arguments=("x", "context", *_PROJECTIONS, "num_heads"),
    returns=("out", "weights"), sizes={**_SIZES, 7: "S"},
    probes=(
        Probe("a longer context", _crossing(100, B, T, S, H, 11)),
        Probe("a shorter context", _crossing(101, B, S, T, H, _D)),
        Probe("float64", _crossing(102, B, T, S, H, _D, torch.float64)),
        Probe("six heads of eleven features", _crossing(103, B, T, S, 6, 11)),
        Probe("one head", _crossing(104, B, T, S, 1, 10)),
        Probe("one item", _crossing(105, 1, T, S, H, _D)),
        Probe("one position that asks", _crossing(106, B, 1, S, H, _D)),
        Probe("a context of one position", _crossing(107, B, T, 1, H, _D)),
        Probe("a context as long as x", _crossing(108, B, T, T, H, _D)),
        Probe("as many heads as positions", _crossing(109, B, 8, S, 8, _D)),
    ),
    small=(_small_cross([[[1.0, 0.0]]], [[[0.0, 1.0], [1.0, 1.0]]]),
           _small_cross([[[1.0, 0.0], [0.0, 1.0]]], [[[0.0, 1.0], [1.0, 1.0]]]),
           _small_cross([[[1.0, 0, 0, 1]]], [[[0.0, 1, 1, 0], [1, 0, 0, 2]]]),
           _small_cross([[[1.0, 0, 0, 1], [0, 1, 2, 0]]], [[[0.0, 1, 1, 0], [1, 0, 0, 2], [1, 1, 0, 0]]])),
    misconceptions=(
        *known(_cross, _ROLES),
        Misconception(
            "one-length-for-all", "q, k and v were all cut with the same number of positions; but x has T of them, and "
            "context has S.",
            "Take the length from what you cut, x.size(1) or context.size(1), or let your split_heads from exercise "
            "5.1 do it.",
            tuple(_cut_to_one_length(way, length, width) for way in ("view", "reshape")
                  for length in (lambda x, c: x.size(1), lambda x, c: c.size(1))
                  for width in (lambda x, h: x.size(2) // h, lambda x, h: -1)), evidence.shape),
        *known(_cross, HEADS), *known(_cross, _OUT_PROJ), *known(_cross, _BY_HAND), *known(_cross, SCORES)),
    hints=(
        "It is exercise 5.3 without a mask, and only two letters differ: which of q, k and v come from context?",
        "q = split_heads(q_proj(x), num_heads); k = split_heads(k_proj(context), num_heads), and v likewise. The "
        "weights are (B, H, T, S).",
    ),
    laws=(laws.FINITE, laws.POSITIVE, laws.ROWS),
    experiments=experiments(_ask_cross, solutions.cross_attention, all_move=False),
    after="x decided what to look for, context what there is to find: this is how a decoder reads its source.",
)

EXERCISES = (SPLIT_HEADS, MERGE_HEADS, MULTI_HEAD_ATTENTION, CROSS_ATTENTION)
