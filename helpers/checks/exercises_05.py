"""Exercises 5.1 to 5.4: cut into heads, put together again, and attention with both."""

import copy
import math

import torch
from torch import nn

from helpers.attention import dot_product_attention
from helpers.checks import evidence, laws, solutions
from helpers.checks.catalogue import Exercise, Experiment, Law, Misconception, Probe
from helpers.checks.inputs import CAUSAL, B, H, S, T, normal, padded, some_hidden
from helpers.heads import merge_heads, split_heads
from helpers.masks import causal_mask

_INF = float("inf")
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

def _uncut(x, num_heads):
    """(B, T, H, D): cut, and not yet transposed."""
    return x.unflatten(-1, (num_heads, -1))


def _interleaved(x, num_heads):
    """Head h takes the features h, h + H, h + 2H, ..."""
    return x.unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2)


def _viewed(x, num_heads):
    """The right shape, made in one go."""
    return x.reshape(x.size(0), num_heads, x.size(1), -1)


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
            (_viewed, lambda x, h: x.reshape(h, x.size(0), x.size(1), -1).transpose(0, 1),
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
            (_uncut, lambda x, h: torch.stack(x.chunk(h, dim=-1), dim=2)), evidence.shape),
        Misconception(
            "interleaved", "The heads take turns: head h got the features h, h + H, h + 2H and so on, not D "
            "neighbours.",
            "view(B, T, H, D) makes H groups of D neighbours; view(B, T, D, H) makes D groups of H.",
            (_interleaved, lambda x, h: torch.stack([x[..., i::h] for i in range(h)], dim=1)), _row),
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
            (lambda x, h: _uncut(x, h).permute(0, 2, 3, 1),), evidence.shape),
        Misconception(
            "wrong-axes", "Other axes than T and H have changed places.",
            "After the cut the axes are (B, T, H, D), counted 0, 1, 2, 3: it is 1 and 2 that change places.",
            (lambda x, h: _uncut(x, h).transpose(2, 3), lambda x, h: _uncut(x, h).transpose(1, 3),
             lambda x, h: _uncut(x, h).transpose(0, 1), lambda x, h: _uncut(x, h).transpose(0, 2),
             lambda x, h: _uncut(x, h).permute(0, 3, 1, 2), lambda x, h: _uncut(x, h).permute(1, 2, 0, 3)),
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
            (lambda x, h: split_heads(x, h).flatten(1, 2), lambda x, h: _uncut(x, h).flatten(1, 2)), evidence.shape),
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

def _rows_from_memory(x):
    """The right shape, made in one go."""
    return x.reshape(x.size(0), x.size(2), -1)


def _interleaved_back(x):
    return x.permute(0, 2, 3, 1).flatten(2)


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
            (_rows_from_memory,), _row),
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
            (_interleaved_back, lambda x: torch.stack(x.unbind(1), dim=-1).flatten(-2)), _row),
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
            (lambda x: x.transpose(2, 3).flatten(1, 2), lambda x: _interleaved_back(x).transpose(1, 2)),
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


# ---------------------------------------------------------------- 5.3 and 5.4: attention whose steps can be replaced

def _layer(weight, bias):
    """An nn.Linear with these numbers, which wants no gradients; it draws nothing at random."""
    layer = nn.utils.skip_init(nn.Linear, weight.size(1), weight.size(0), dtype=weight.dtype)
    with torch.no_grad():
        layer.weight.copy_(weight)
        layer.bias.copy_(bias)
    return layer.requires_grad_(False)


def _layers(width, seed, dtype=torch.float32):
    """Four different layers, for q, k, v and out, that keep the size of what they are given."""
    return tuple(_layer(normal(width, width, seed=10 * seed + i, dtype=dtype) * 2 / math.sqrt(width),
                        normal(width, seed=10 * seed + i + 4, dtype=dtype)) for i in range(4))


def _simple_layers(width):
    """q_proj(z) = z + 1, k_proj(z) = 2z, v_proj(z) = 3z, out_proj(z) = -z."""
    return tuple(_layer(times * torch.eye(width), torch.full((width,), plus))
                 for times, plus in ((1.0, 1.0), (2.0, 0.0), (3.0, 0.0), (-1.0, 0.0)))


def _around_minus_7(layers):
    """Queries and keys pulled apart, so that every score of a head of four features lies around -7."""
    q_proj, k_proj, v_proj, out_proj = copy.deepcopy(layers)
    for layer, shift in ((q_proj, 1.9), (k_proj, -1.9)):
        layer.weight *= 0.4
        layer.bias *= 0.1
        layer.bias += shift
    return q_proj, k_proj, v_proj, out_proj


def _project(x, context, q_proj, k_proj, v_proj):
    return q_proj(x), k_proj(context), v_proj(context)


def _root(q, k):
    return 1 / math.sqrt(q.size(-1))


def _hide(scores, mask):
    return scores if mask is None else scores.masked_fill(~mask, -_INF)


def _weights(q, k, mask, scale=_root, dim=-1, hide=_hide):
    return hide(q @ k.transpose(-2, -1) * scale(q, k), mask).softmax(dim)


def _mix(weights, v, q, k):
    return weights @ v


def _show(weights, q, k):
    return weights


def _finish(merged, weights, out_proj, x):
    return out_proj(merged), weights


def _attention(project=_project, split=split_heads, weigh=_weights, mix=_mix, show=_show, merge=merge_heads,
               finish=_finish):
    """Multi-head attention step by step: right with these steps, wrong in one way with another."""

    def attend(x, context, layers, num_heads, mask=None):
        q, k, v = (split(z, num_heads) for z in project(x, context, *layers[:3]))
        weights = weigh(q, k, mask)
        return finish(merge(mix(weights, v, q, k)), show(weights, q, k), layers[3], x)

    return attend


def _self(attend=None, **steps):
    """The steps, or all of attention, as an answer to 5.3."""
    attend = attend or _attention(**steps)
    return lambda x, wq, wk, wv, wo, num_heads, mask=None: attend(x, x, (wq, wk, wv, wo), num_heads, mask)


def _cross(attend=None, **steps):
    """The steps, or all of attention, as an answer to 5.4."""
    attend = attend or _attention(**steps)
    return lambda x, context, wq, wk, wv, wo, num_heads: attend(x, context, (wq, wk, wv, wo), num_heads)


def _scaled(scale):
    return {"weigh": lambda q, k, mask: _weights(q, k, mask, scale)}


def _softmax_over(dim):
    return {"weigh": lambda q, k, mask: _weights(q, k, mask, dim=dim)}


def _layers_used(q, k, v):
    """Which tensor goes through which layer: 'xq' is q_proj(x), 'ck' is k_proj(context), 'x' is x itself."""

    def project(x, context, *layers):
        def made(word):
            z = x if word[0] == "x" else context
            return layers["qkv".index(word[1])](z) if len(word) > 1 else z

        return made(q), made(k), made(v)

    return {"project": project}


def _root_of(size):
    return lambda q, k: 1 / math.sqrt(size(q, k))


def _width(q, k=None):
    """C, of heads (B, H, T, D)."""
    return q.size(1) * q.size(-1)


def _raw(q, k, mask):
    """The scores in place of the weights."""
    return _hide(q @ k.transpose(-2, -1) * _root(q, k), mask)


def _like_a_view(z):
    """z, lying in memory as after x.view(B, T, H, D).transpose(1, 2): a layer of another width then says it in other
    words."""
    return z.transpose(1, 2).contiguous().transpose(1, 2)


def _by_the_course(**steps):
    """The steps around the course's own dot_product_attention, which says in its own words what does not fit."""
    return {**steps, "weigh": lambda q, k, mask: (q, k, mask),
            "mix": lambda qk, v, *_: dot_product_attention(qk[0], qk[1], v, qk[2])[0],
            "show": lambda qk, q, k: dot_product_attention(q, k, k, qk[2])[1]}


def _unsplit(merge=lambda z: z, weigh=_weights):
    """Attention that never splits; its root may still be that of one head."""
    return {"split": lambda z, h: z, "merge": merge, "weigh": weigh}


def _unsplit_over_root_of_one_head(x, context, layers, num_heads, mask=None):
    q, k, v = _project(x, context, *layers[:3])
    weights = _weights(q, k, mask, lambda q, k: 1 / math.sqrt(q.size(-1) // num_heads))
    return layers[3](weights @ v), weights


def _merge_by_unpacking(z):
    items, num_heads, length, width = z.shape
    return z.transpose(1, 2).reshape(items, length, num_heads * width)


_MERGES = (merge_heads, _merge_by_unpacking, lambda z: z.transpose(1, 2).flatten(-2),
           lambda z: z.transpose(1, 2).reshape(z.size(0), z.size(2), -1))


def _keys_turned(turn):
    """Scores with keys whose axes changed places in another way."""
    return {"weigh": lambda q, k, mask: _hide(q @ turn(k) * _root(q, k), mask).softmax(-1)}


def _without(bias, turned, last):
    """Layers replaced by products with their weights: without the bias, or with the weight as it is; out_proj too."""

    def through(layer, z):
        made = z @ (layer.weight.T if turned else layer.weight)
        return made + layer.bias if bias else made

    steps = {"project": lambda x, context, *layers: tuple(through(layer, z) for layer, z in
                                                          zip(layers, (x, context, context), strict=True))}
    if last:
        steps["finish"] = lambda merged, weights, out_proj, x: (through(out_proj, merged), weights)
    return steps


_HEADS = (
    ("viewed", "q, k and v were brought to (B, H, T, D) by view or reshape alone: the shape is right, but a head holds "
     "pieces of other positions than its rows say.",
     "Cut the last axis alone, (B, T, H, D), then transpose(1, 2): your split_heads from exercise 5.1 does it.",
     ({"split": _viewed}, {"split": _viewed, "merge": _rows_from_memory}), evidence.entry),
    ("merge-not-transposed", "The weights are right, but the heads were merged by view or reshape alone: a row of out "
     "holds several positions of one head, not all heads of one position.",
     "(B, H, T, D) to (B, T, H, D) to (B, T, C): your merge_heads from exercise 5.2 does it.",
     ({"merge": _rows_from_memory},), evidence.out_alone),
    ("interleaved", "The heads take turns among the features: head h got the features h, h + H, h + 2H and so on, not "
     "D neighbours.",
     "view(B, T, H, D) makes H groups of D neighbours: your split_heads from exercise 5.1 does it.",
     ({"split": _interleaved}, {"split": _interleaved, "merge": _interleaved_back}), evidence.entry),
    ("merge-interleaved", "The weights are right, but the merged heads take turns within a row: first feature 0 of "
     "every head, then feature 1, and so on.",
     "Before the last two axes are joined they must be (H, D) in this order: (B, T, H, D).",
     ({"merge": _interleaved_back},), evidence.out_alone),
    ("among-heads", "The heads of one position attend to each other, since T and H never changed places: your products "
     "run over (B, T, H, D).",
     "The last two axes of q and k must be positions and features: (B, H, T, D), after transpose(1, 2).",
     tuple({"split": _uncut, "merge": merge} for merge in (lambda z: z.flatten(2), merge_heads, _rows_from_memory)),
     evidence.shape),
    ("one-head", "There is only one head: all C features were compared at once.",
     "Cut q, k and v into num_heads heads before the dot products.",
     ({"split": lambda z, h: z.unsqueeze(1)}, {"split": lambda z, h: z.unsqueeze(1), "show": lambda w, q, k: w[:, 0]},
      _unsplit(), {"attend": _unsplit_over_root_of_one_head}, _unsplit(weigh=lambda q, k, mask: _weights(
          q, k, mask, lambda q, k: 1)), _by_the_course(split=lambda z, h: z, merge=lambda z: z),
      *(_unsplit(merge) for merge in _MERGES),
      *(_by_the_course(split=lambda z, h: z, merge=merge) for merge in _MERGES)), evidence.shape),
    ("keys-turned-wrongly", "Other axes of k have changed places than positions and features, so q @ k does not fit.",
     "With heads, k has four axes: only its last two change places, k.transpose(-2, -1).",
     tuple(_keys_turned(turn) for turn in (
         lambda k: k.transpose(1, 2), lambda k: k.permute(*range(k.dim() - 1, -1, -1)), lambda k: k.transpose(0, 1),
         lambda k: k.transpose(1, 3), lambda k: k.transpose(0, 2))), None),
    ("num-heads-as-size", "num_heads was taken for the size of a head: you made heads of H features each, and as many "
     "as fit.",
     "num_heads says how many heads there are; each has D = C // num_heads features.",
     ({"split": lambda z, h: z.unflatten(-1, (-1, h)).transpose(1, 2)},), evidence.shape),
    ("layer-meets-one-head", "A layer was given D features, as wide as one head; each of the four layers takes all C "
     "features of a position.",
     "First project, then split. First put the heads side by side (do not add or average them), then out_proj.",
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
    ("weights-averaged", "The returned weights are averaged over the heads.",
     "Each head has its own weights: return all of them, (B, H, T, T) or (B, H, T, S).",
     ({"show": lambda w, q, k: w.mean(1)}, {"show": lambda w, q, k: w.mean(1, keepdim=True)}), evidence.shape),
    ("weights-summed", "The returned weights are summed over the heads.",
     "Each head has its own weights: return all of them, (B, H, T, T) or (B, H, T, S).",
     ({"show": lambda w, q, k: w.sum(1)},), evidence.shape),
    ("one-head-s-weights", "The weights of one head were returned.",
     "Return those of all heads. In a loop: collect them in a list, and torch.stack(list, dim=1) after it.",
     ({"show": lambda w, q, k: w[:, 0]}, {"show": lambda w, q, k: w[:, -1]}), evidence.shape),
    ("weights-in-another-order", "The weights are there, but their axes are in another order than batch, heads, "
     "queries, keys.",
     "In a loop over heads torch.stack(list, dim=1) puts the heads behind the batch.",
     ({"show": lambda w, q, k: w.transpose(0, 1)}, {"show": lambda w, q, k: w.transpose(1, 2)},
      {"show": lambda w, q, k: w.permute(0, 2, 3, 1)}, {"show": lambda w, q, k: w.transpose(2, 3)},
      {"show": lambda w, q, k: w.flatten(0, 1)},
      {"show": lambda w, q, k: w.transpose(0, 1).flatten(0, 1)}, {"show": lambda w, q, k: w.flatten(1, 2)}),
     evidence.shape),
)

_LAYERS = (
    ("bias-forgotten", "The bias of a layer was left out: a layer adds it to x @ layer.weight.T.",
     "Call the layer itself, like a function: q_proj(x).",
     (_without(bias=False, turned=True, last=False), _without(bias=False, turned=True, last=True),
      {"finish": lambda merged, weights, out_proj, x: (merged @ out_proj.weight.T, weights)}), evidence.entry),
    ("weight-as-it-is", "The weight of a layer was used as it lies there; nn.Linear multiplies by weight.T, and adds "
     "the bias.",
     "Call the layer itself, like a function: q_proj(x).",
     tuple(_without(bias=bias, turned=False, last=last) for bias in (False, True) for last in (False, True)),
     evidence.entry),
)

_SCORES = (
    ("no-scale", "The scores were not divided by sqrt(D).",
     "D is the width of one head: after the split, q.size(-1).",
     (_scaled(lambda q, k: 1),), evidence.sharpness),
    ("scaled-by-d-model", "The scores were divided by sqrt(C), the width of all heads together.",
     "A dot product runs over the D = C / H features of one head: divide by sqrt(D).",
     (_scaled(_root_of(_width)),), evidence.sharpness),
    ("scaled-by-d", "The scores were divided by D instead of sqrt(D). (Dividing by sqrt(D) twice does the same.)",
     "Divide once, by the root: math.sqrt(q.size(-1)).",
     (_scaled(lambda q, k: 1 / q.size(-1)),), evidence.sharpness),
    ("root-without-brackets", "The scores were divided by D / 2, or by 2 * D, not by sqrt(D): D ** 1 / 2 is half of D, "
     "and scores / D ** 1 / 2 divides by D and by 2.",
     "`**` binds before `/`: math.sqrt(D), D ** 0.5 or D ** (1 / 2).",
     (_scaled(lambda q, k: 2 / q.size(-1)), _scaled(lambda q, k: 1 / (2 * q.size(-1)))), evidence.sharpness),
    ("scaled-by-another", "The scores were divided by another number than sqrt(D): by C or H, or by the root of a "
     "number of heads, positions or items.",
     "D is the width of one head: after the split, q.size(-1).",
     tuple(_scaled(f) for f in (
         lambda q, k: 1 / _width(q), lambda q, k: 1 / q.size(1), _root_of(lambda q, k: q.size(1)),
         _root_of(lambda q, k: q.size(2)), _root_of(lambda q, k: k.size(2)), _root_of(lambda q, k: q.size(0)))),
     evidence.sharpness),
    ("fixed-scale", "The scores were divided by a fixed number, such as √2, 2 or 8: right only for heads of one size.",
     "Take the size from q itself: math.sqrt(q.size(-1)).",
     tuple(_scaled(lambda q, k, root=root: 1 / root) for root in (math.sqrt(2), math.sqrt(3), 2, 8)),
     evidence.sharpness),
    ("multiplied", "The scores were multiplied by sqrt(D) instead of divided.",
     "The spread of the scores is to become smaller.",
     (_scaled(lambda q, k: math.sqrt(q.size(-1))),), evidence.sharpness),
    ("scaled-after-softmax", "The division by sqrt(D) comes after the softmax, so rows no longer sum to 1.",
     "First make the scores smaller, then turn them into weights.",
     ({"weigh": lambda q, k, mask: _weights(q, k, mask, lambda q, k: 1) * _root(q, k)},), evidence.row_sum),
    ("over-queries", "The softmax runs over the queries: columns sum to 1, rows do not.",
     "Keys are the last axis: dim=-1.", (_softmax_over(-2),), evidence.row_sum),
    ("over-heads", "The softmax runs over axis 1, the heads: the heads compete with each other, and rows do not sum "
     "to 1.",
     "With heads there is one axis more in front: keys are the last axis, dim=-1.", (_softmax_over(1),),
     evidence.row_sum),
    ("over-batch", "The softmax runs over axis 0, the batch: the items compete with each other, and rows do not sum "
     "to 1.",
     "Keys are the last axis: dim=-1.", (_softmax_over(0),), evidence.row_sum),
    ("no-softmax", "The values were mixed by the scores themselves: the softmax is missing.",
     "Weights are positive and each row sums to 1.", ({"weigh": _raw},), evidence.row_sum),
    ("scores-returned", "out is right, but the second thing returned is the scores, not the weights.",
     "Return what multiplied v.",
     ({"show": lambda w, q, k: _raw(q, k, None)}, {"show": lambda w, q, k: q @ k.transpose(-2, -1)}),
     evidence.row_sum),
    ("weights-transposed", "out was made with the weights transposed: columns, not rows, mixed the values.",
     "Row i of the weights says how query i mixes the values: weights @ v.",
     ({"mix": lambda w, v, q, k: w.transpose(-2, -1) @ v},), evidence.out_alone),
    ("mixed-by-scores", "The weights are right, but the values were mixed by the scores instead.",
     "out is made from weights @ v: what you return as weights must be what multiplied v.",
     ({"mix": lambda w, v, q, k: _raw(q, k, None) @ v}, {"mix": lambda w, v, q, k: q @ k.transpose(-2, -1) @ v}),
     evidence.out_alone),
    ("only-out", "Only out was returned; the weights belong to the answer.", "End with `return out, weights`.",
     ({"finish": lambda merged, weights, out_proj, x: out_proj(merged)},), None),
    ("swapped-pair", "The pair is the wrong way round: out comes first, then the weights.",
     "In this course everything returns (out, weights).",
     ({"finish": lambda merged, weights, out_proj, x: (weights, out_proj(merged))},), None),
)


def _known(frame, table):
    """Misconceptions from rows of (id, means, think, steps, evidence); `frame` makes an answer of the steps."""
    return tuple(Misconception(id, means, think, tuple(frame(**steps) for steps in all_steps), tell)
                 for id, means, think, all_steps, tell in table)


# ---------------------------------------------------------------- 5.3 and 5.4: experiments that both make

def _ask_self(attempt, x, context, layers):
    return attempt(x.clone(), *copy.deepcopy(layers), H)


def _ask_cross(attempt, x, context, layers):
    return attempt(x.clone(), context.clone(), *copy.deepcopy(layers), H)


_INPUTS = (normal(B, T, _C, seed=91), normal(B, S, _C, seed=92), _layers(_C, 93))
_PLUS = normal(1, S, _C, seed=94)  # what a changed item is changed by


def _moved(before, after):
    return float((before - after).abs().max())


def _items(ask):
    """Change one item and look whether the other notices."""

    def test(attempt):
        x, context, layers = _INPUTS
        before = ask(attempt, x, context, layers)
        for changed, other in ((1, 0), (0, 1)):
            plus = (torch.arange(B) == changed).float()[:, None, None]
            after = ask(attempt, x + plus * _PLUS[:, :T], context + plus * _PLUS, layers)
            moved = max(_moved(a[other], b[other]) for a, b in zip(before, after, strict=True))
            if moved > 1e-4:
                return (f"The items of a batch must not meet: when item {changed} changed, the result for item {other} "
                        f"moved by {moved:.4f}.")
        return None

    return Experiment(laws.ITEMS.id, test, laws.ITEMS.think)


def _heads(ask):
    """Change the keys of head 0 and look whether the other heads' weights notice."""

    def test(attempt):
        x, context, layers = _INPUTS
        changed = copy.deepcopy(layers)
        changed[1].weight[:_D] += 1
        moved = _moved(ask(attempt, x, context, layers)[1][:, 1:], ask(attempt, x, context, changed)[1][:, 1:])
        if moved < 1e-4:
            return None
        return ("Heads do not meet before out_proj: when the features 0 to 3 of the keys changed, all that head 0 has, "
                f"the weights of other heads moved by {moved:.4f}.")

    return Experiment("heads-mixed", test, "Head h has the features h*D to (h+1)*D. Which line lets another head see "
                                           "them?")


def _order_of_keys(ask, all_move):
    """Reverse the positions that are read: the weights must turn around with them, and nothing else may change."""

    def test(attempt):
        x, context, layers = _INPUTS
        before = ask(attempt, x, context, layers)
        after = ask(attempt, x.flip(1) if all_move else x, context.flip(1), layers)
        out, weights = before[0], before[1].flip(-1)
        if all_move:
            out, weights = out.flip(1), weights.flip(-2)
        moved = max(_moved(out, after[0]), _moved(weights, after[1]))
        if moved < 1e-4:
            return None
        return ("Attention without a mask does not know the order of positions: in reverse order it gives the same "
                f"numbers in reverse order. Yours move by {moved:.4f}.")

    return Experiment("positions-mixed", test, "A view or reshape that cuts or joins other axes than neighbours mixes "
                                               "positions. Print one row before and after each of these lines.")


def _one_half_right(ask, solution, half):
    """Right weights beside a wrong out, or the other way round."""
    where = "Tried without a mask," if ask is _ask_self else f"Tried with T = {T} and S = {S},"

    def test(attempt):
        right, got = (ask(code, *_INPUTS) for code in (solution, attempt))
        fits = [torch.allclose(a, b, rtol=1e-4, atol=3e-5) for a, b in zip(got, right, strict=True)]
        if fits[half] or not fits[1 - half]:
            return None
        if half == 0:
            return f"{where} your weights are right, but out is not: {_out(got[0], right[0])}."
        return f"{where} your out is right, but the weights that you return are not those that made it."

    think = ("Look at the lines after the softmax: weights @ v, merging the heads, out_proj.",
             "Return the very tensor that multiplied v.")[half]
    return Experiment(("out-alone-wrong", "weights-alone-wrong")[half], test, think)


def _out(got, right):
    at = evidence.worst(got, right)
    return f"at {evidence.place(at)} it is {evidence.number(got[at])}, and {evidence.number(right[at])} is right"


def _experiments(ask, solution, all_move):
    return (_items(ask), _order_of_keys(ask, all_move), _heads(ask), _one_half_right(ask, solution, 0),
            _one_half_right(ask, solution, 1))


_PROJECTIONS = ("q_proj", "k_proj", "v_proj", "out_proj")


# ---------------------------------------------------------------- 5.3

def _filled(value):
    """A fill before the softmax where the mask is False."""
    return _hidden_by(lambda s, m: s.masked_fill(~m, value))


def _hidden_by(hide):
    """Another way to use a mask that is there."""
    return {"weigh": lambda q, k, mask: _weights(q, k, mask, hide=lambda s, m: s if m is None else hide(s, m))}


def _always_by(hide):
    """A way to use the mask that does not ask whether there is one."""
    return {"weigh": lambda q, k, mask: _weights(q, k, mask, hide=hide)}


def _weighed(change):
    """Weights that are changed by the mask after the softmax."""
    return {"weigh": lambda q, k, mask: _weights(q, k, None) if mask is None else change(_weights(q, k, None), mask)}


def _past(scores):
    return causal_mask(scores.size(-1))


def _times_minus_infinity(s, m):
    return s + (1 - m.to(s.dtype)) * -_INF


_MASKS = (
    ("mask-none", "Without a mask the code stops: mask is None then, and None can neither be turned around nor "
     "compared with scores.",
     "Use it only where there is one: `if mask is not None`.",
     (_always_by(lambda s, m: s.masked_fill(~m, -_INF)), _always_by(lambda s, m: s.masked_fill(m == 0, -_INF)),
      _always_by(lambda s, m: s.masked_fill(m == 0, float("-1e9"))), _always_by(lambda s, m: torch.where(m, s, -_INF)),
      _always_by(lambda s, m: s.masked_fill(m.logical_not(), -_INF)),
      _always_by(lambda s, m: s.masked_fill(torch.logical_not(m), -_INF))), None),
    ("mask-ignored", "The mask was never used: these are the weights of unmasked attention.",
     "Does mask reach the scores? If you call masked_fill, keep what it returns: the old scores stay as they were.",
     (_hidden_by(lambda s, m: s),), evidence.hidden_weight),
    ("true-hides", "The mask was read the wrong way round: visible keys were hidden, hidden ones kept.",
     "masked_fill fills where its mask is True; yours is True where attending is allowed. Fill where ~mask.",
     (_hidden_by(lambda s, m: s.masked_fill(m, -_INF)), _hidden_by(lambda s, m: s.masked_fill(m, -1e9))),
     evidence.hidden_weight),
    ("own-causal-mask", "Your code made a causal mask of its own, and hides the future where the argument mask "
     "does not.",
     "What is hidden is said by mask alone: it may be of any kind, and None hides nothing.",
     (_always_by(lambda s, m: _hide(s, _past(s))), _always_by(lambda s, m: _hide(_hide(s, m), _past(s))),
      _hidden_by(lambda s, m: _hide(s, _past(s))), _always_by(lambda s, m: _hide(s, _past(s) if m is None else m)),
      _always_by(lambda s, m: s.masked_fill(~_past(s) if m is None else ~(m & _past(s)), -1e9))),
     evidence.hidden_weight),
    ("zero-filled", "Hidden scores were set to 0 (or to a tiny number), and exp(0) = 1: a score of 0 is an ordinary "
     "score.",
     "Which score becomes a weight of 0? Fill with float('-inf'), where ~mask.",
     (_filled(0.0), _hidden_by(lambda s, m: s * m), _filled(1e-9), _filled(-1e-9)), evidence.hidden_weight),
    ("weak-fill", "The fill is not low enough for these scores: hidden keys keep a weight.",
     "A score of -10 is hidden beside 0, but not beside -7. -inf is low enough beside everything.",
     tuple(_filled(float(-v)) for v in (1, 2, 5, 10)), evidence.hidden_weight),
    ("positive-fill", "The fill is a huge positive number, so that hidden keys take everything.",
     "The sign: -inf, not inf.", (_filled(1e9), _filled(1e4)), evidence.hidden_weight),
    ("infinite-fill", "The fill is +inf, and every row with a hidden key is NaN: inf - inf is no number.",
     "The sign: float('-inf').", (_filled(_INF),), evidence.not_a_number),
    ("zero-times-infinity", "With a mask every number is NaN: a mask multiplied by -inf does that, since 0 * -inf is "
     "NaN, not 0.",
     "Put -inf where ~mask is True: masked_fill or torch.where.",
     (_hidden_by(_times_minus_infinity), _hidden_by(lambda s, m: s + (~m).to(s.dtype) * -_INF)),
     evidence.not_a_number),
    ("mask-added", "The mask was added to the scores as numbers: visible ones stand 1 higher than hidden ones, and "
     "nothing is hidden.",
     "Only a mask of 0 and -inf can be added; this one holds True and False.",
     (_hidden_by(lambda s, m: s + m),), evidence.hidden_weight),
    ("mask-inverted-added", "The opposite of the mask was added to the scores as numbers: hidden ones stand 1 higher "
     "than visible ones.",
     "Only a mask of 0 and -inf can be added; this one holds True and False.",
     (_hidden_by(lambda s, m: s + ~m),), evidence.hidden_weight),
    ("masked-after-softmax", "The mask came after the softmax, and nothing was divided: rows do not sum to 1.",
     "Fill the scores first; then the softmax shares everything out among the visible keys.",
     (_weighed(lambda w, m: w * m),), evidence.row_sum),
    ("weights-filled", "-inf (or a huge negative number) was put in after the softmax.",
     "First fill the scores, then take the softmax.",
     (_weighed(lambda w, m: w.masked_fill(~m, -_INF)), _weighed(lambda w, m: w.masked_fill(~m, -1e9))),
     evidence.entry),
    ("softmax-twice", "A softmax was applied twice: the second flattens what the first made, and a weight of 0 counts "
     "as an ordinary score.",
     "One softmax, after the mask.",
     ({"weigh": lambda q, k, mask: _weights(q, k, mask).softmax(-1)},
      _always_by(lambda s, m: _hide(s.softmax(-1), m)),
      _weighed(lambda w, m: w.masked_fill(~m, -_INF).softmax(-1))), evidence.sharpness),
    ("mask-for-out-only", "out is right, but the returned weights were made without the mask.",
     "Return the weights that multiplied v: hidden keys have 0 in them.",
     ({"show": lambda w, q, k: _weights(q, k, None)},), evidence.hidden_weight),
    ("mask-for-weights-only", "The returned weights are right, but out was made without the mask.",
     "Mix the values with the very weights that you return.",
     ({"mix": lambda w, v, q, k: _weights(q, k, None) @ v},), evidence.out_alone),
    ("mask-transposed", "Queries and keys of the mask have changed places.",
     "Use the mask as it comes: its last axis are the keys, as in the scores.",
     tuple(_hidden_by(lambda s, m, low=low: s.masked_fill(~(m.transpose(-2, -1) if m.dim() > 1 else m), low))
           for low in (-_INF, -1e9)), evidence.hidden_weight),
    ("mask-reshaped", "The mask got an axis of its own here, whatever shape it has.",
     "The mask comes in a shape that fits the scores (B, H, T, T) as it is: torch stretches (T, T) by itself.",
     tuple(_hidden_by(lambda s, m, f=f: s.masked_fill(~f(m), -_INF)) for f in (
         lambda m: m.unsqueeze(1), lambda m: m.unsqueeze(0), lambda m: m[:, None, None],
         lambda m: m.unsqueeze(0).unsqueeze(0))), evidence.shape),
)

_SELF_LAYERS = (
    ("query-layer-for-all", "q_proj made the queries, the keys and the values; k_proj and v_proj were never used.",
     "k = k_proj(x), v = v_proj(x).", (_layers_used("xq", "xq", "xq"),), evidence.entry),
    ("query-layer-twice", "q_proj made the keys as well; k_proj was never used.", "k = k_proj(x).",
     (_layers_used("xq", "xq", "xv"),), evidence.sharpness),
    ("key-layer-twice", "k_proj made the queries as well; q_proj was never used.", "q = q_proj(x).",
     (_layers_used("xk", "xk", "xv"),), evidence.sharpness),
    ("keys-ask", "Queries and keys have changed places: position j asks position i.",
     "Row i must hold position i's query against all keys: q @ k.transpose(-2, -1).",
     (_layers_used("xk", "xq", "xv"),), evidence.entry),
    ("keys-as-values", "The weights are right, but they average the keys; v_proj was never used.",
     "Keys decide how much is read; values are what is read: v = v_proj(x).",
     (_layers_used("xq", "xk", "xk"),), evidence.out_alone),
    ("queries-as-values", "The weights are right, but they average the queries; v_proj was never used.",
     "Values are what is read: v = v_proj(x).", (_layers_used("xq", "xk", "xq"),), evidence.out_alone),
    ("values-as-keys", "The queries were compared with the values; k_proj was never used.",
     "Keys decide how much is read: k = k_proj(x).", (_layers_used("xq", "xv", "xv"),), evidence.entry),
    ("keys-and-values-exchanged", "Keys and values have changed places.",
     "Keys are compared with the queries, values are mixed: k = k_proj(x), v = v_proj(x).",
     (_layers_used("xq", "xv", "xk"),), evidence.entry),
    ("layer-skipped", "x itself was used where its projection belongs.",
     "Three layers make three things from x: q_proj(x), k_proj(x) and v_proj(x).",
     (_layers_used("xq", "xk", "x"), _layers_used("xq", "x", "xv"), _layers_used("x", "xk", "xv"),
      _layers_used("x", "x", "xv"), _layers_used("x", "x", "x")), evidence.entry),
)


def _with_layers(seed, b, t, h, d, *mask, dtype=torch.float32, change=lambda layers: layers):
    """Arguments for 5.3."""
    return (normal(b, t, h * d, seed=seed, dtype=dtype), *change(_layers(h * d, seed, dtype)), h, *mask)


def _small_self(x, *mask):
    return (torch.tensor(x), *_simple_layers(len(x[0][0])), 2, *mask)


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
        Probe("a mask (T,)", _with_layers(75, B, T, H, _D, some_hidden(T)),
              advice="One thing to know: a mask of one axis, (T,), fits the scores too. F.scaled_dot_product_attention "
                     "does not take it; it takes torch.atleast_2d(mask)."),
        Probe("float64", _with_layers(76, B, T, H, _D, some_hidden(T, T), dtype=torch.float64)),
        Probe("six heads of eleven features", _with_layers(77, B, S, 6, 11)),
        Probe("one head, mask=None", _with_layers(78, B, T, 1, 10, None)),
        Probe("one item", _with_layers(79, 1, T, H, _D, some_hidden(1, H, T, T, seed=3))),
        Probe("one position", _with_layers(80, B, 1, H, _D)),
        Probe("as many heads as positions", _with_layers(81, B, 8, 8, _D, causal_mask(8))),
        Probe("scores around -7", _with_layers(82, B, T, H, _D, CAUSAL, change=_around_minus_7)),
    ),
    small=(_small_self(_TWO), _small_self(_FOUR), _small_self(_TWO, causal_mask(2)),
           _small_self(_FOUR, causal_mask(2)), _small_self([*_TWO, [[0.0, 1.0], [1.0, 1.0]]])),
    misconceptions=(*_known(_self, _HEADS), *_known(_self, _SCORES), *_known(_self, _SELF_LAYERS),
                    *_known(_self, _LAYERS), *_known(_self, _MASKS)),
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
    experiments=_experiments(_ask_self, solutions.multi_head_attention, all_move=True),
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
            return tuple(getattr(z, way)(*sizes).transpose(1, 2) for z in _project(x, context, *layers))

        attend = _attention(project=project, split=lambda z, h: z)
        return attend(x, context, (q_proj, k_proj, v_proj, out_proj), num_heads)

    return answer


def _causal_here(q, k, mask):
    """The lower triangle of (T, S)."""
    visible = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).tril()
    return _weights(q, k, visible)


_ROLES = (
    ("keys-from-x", "The keys were made from x: x is compared with itself.",
     "x only asks; what is compared with its queries comes from context: k = k_proj(context).",
     (_layers_used("xq", "xk", "cv"), _by_the_course(**_layers_used("xq", "xk", "cv"))), evidence.shape),
    ("values-from-x", "The values were made from x; what is read comes from context.",
     "v = v_proj(context).",
     (_layers_used("xq", "ck", "xv"), _by_the_course(**_layers_used("xq", "ck", "xv"))), evidence.out_alone),
    ("queries-from-context", "The queries were made from context: context reads itself, and x has no part in it.",
     "x asks: q = q_proj(x).", (_layers_used("cq", "ck", "cv"),), evidence.shape),
    ("context-ignored", "This is self-attention: queries, keys and values all come from x, and context was never used.",
     "x asks, context answers: k = k_proj(context), v = v_proj(context).",
     (_layers_used("xq", "xk", "xv"),), evidence.shape),
    ("context-asks", "The roles have changed places: context asks and x answers.",
     "out has one row for each position of x: queries from x, keys and values from context.",
     (_layers_used("cq", "xk", "xv"),), evidence.shape),
    ("context-asks-keeping-values", "Queries and keys have changed places: the rows of your scores belong to context, "
     "their columns to x.",
     "x asks: q = q_proj(x), k = k_proj(context), and the scores are q @ k.transpose(-2, -1).",
     (_layers_used("cq", "xk", "cv"), _layers_used("ck", "xq", "cv")), evidence.shape),
    ("query-layer-for-all", "q_proj made the queries, the keys and the values; k_proj and v_proj were never used.",
     "k = k_proj(context), v = v_proj(context).", (_layers_used("xq", "cq", "cq"),), evidence.entry),
    ("query-layer-twice", "q_proj made the keys as well; k_proj was never used.", "k = k_proj(context).",
     (_layers_used("xq", "cq", "cv"),), evidence.sharpness),
    ("key-layer-twice", "k_proj made the queries as well; q_proj was never used.", "q = q_proj(x).",
     (_layers_used("xk", "ck", "cv"),), evidence.sharpness),
    ("layers-exchanged", "q_proj and k_proj have changed places: k_proj was applied to x, q_proj to context.",
     "q_proj makes queries from x, k_proj keys from context.",
     (_layers_used("xk", "cq", "cv"),), evidence.sharpness),
    ("keys-as-values", "The weights are right, but they average the keys; v_proj was never used.",
     "Keys decide how much is read; values are what is read: v = v_proj(context).",
     (_layers_used("xq", "ck", "ck"),), evidence.out_alone),
    ("values-as-keys", "The queries were compared with the values; k_proj was never used.",
     "Keys decide how much is read: k = k_proj(context).", (_layers_used("xq", "cv", "cv"),), evidence.entry),
    ("keys-and-values-exchanged", "Keys and values have changed places.",
     "Keys are compared with the queries, values are mixed: k = k_proj(context), v = v_proj(context).",
     (_layers_used("xq", "cv", "ck"),), evidence.entry),
    ("layer-skipped", "x or context itself was used where its projection belongs.",
     "Three layers, three results: q_proj(x), k_proj(context) and v_proj(context).",
     (_layers_used("xq", "ck", "c"), _layers_used("xq", "c", "cv"), _layers_used("x", "ck", "cv"),
      _layers_used("xq", "c", "c"), _layers_used("x", "c", "cv"), _layers_used("x", "c", "c")), evidence.entry),
    ("reads-both", "x reads itself beside the context: both were joined before the keys were made.",
     "Keys and values come from context alone.", ({"project": _joined}, {"project": _joined_behind}), evidence.shape),
    ("softmax-twice", "A softmax was applied twice: the second flattens what the first made.",
     "One softmax, over the keys.",
     ({"weigh": lambda q, k, mask: _weights(q, k, mask).softmax(-1)},), evidence.sharpness),
    ("causal", "A causal mask was made here: later positions of context are hidden.",
     "context is not the past of x: every position of x may read all of it.",
     ({"weigh": _causal_here}, {"weigh": lambda q, k, mask: _weights(q, k, causal_mask(q.size(-2)))}),
     evidence.sharpness),
)


def _crossing(seed, b, t, s, h, d, dtype=torch.float32):
    """Arguments for 5.4."""
    return (normal(b, t, h * d, seed=seed, dtype=dtype), normal(b, s, h * d, seed=seed + 20, dtype=dtype),
            *_layers(h * d, seed, dtype), h)


def _small_cross(x, context):
    return (torch.tensor(x), torch.tensor(context), *_simple_layers(len(x[0][0])), 2)


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
        *_known(_cross, _ROLES),
        Misconception(
            "one-length-for-all", "q, k and v were all cut with the same number of positions; but x has T of them, and "
            "context has S.",
            "Take the length from what you cut, x.size(1) or context.size(1), or let your split_heads from exercise "
            "5.1 do it.",
            tuple(_cut_to_one_length(way, length, width) for way in ("view", "reshape")
                  for length in (lambda x, c: x.size(1), lambda x, c: c.size(1))
                  for width in (lambda x, h: x.size(2) // h, lambda x, h: -1)), evidence.shape),
        *_known(_cross, _HEADS), *_known(_cross, _LAYERS), *_known(_cross, _SCORES)),
    hints=(
        "It is exercise 5.3 without a mask, and only two letters differ: which of q, k and v come from context?",
        "q = split_heads(q_proj(x), num_heads); k = split_heads(k_proj(context), num_heads), and v likewise. The "
        "weights are (B, H, T, S).",
    ),
    laws=(laws.FINITE, laws.POSITIVE, laws.ROWS),
    experiments=_experiments(_ask_cross, solutions.cross_attention, all_move=False),
    after="x decided what to look for, context what there is to find: this is how a decoder reads its source.",
)

EXERCISES = (SPLIT_HEADS, MERGE_HEADS, MULTI_HEAD_ATTENTION, CROSS_ATTENTION)
