"""Multi-head attention whose steps can be replaced, and the mistakes that 5.3, 5.4 and 7.1 have in common."""

import copy
import math

import torch
from torch import nn

from exercises.common import explainers, properties
from exercises.common.inputs import B, S, T, normal
from feedback import BehavioralTest, Misconception
from helpers.attention import dot_product_attention
from helpers.heads import merge_heads, split_heads
from helpers.masks import causal_mask

_INF = float("inf")
_D, _C = 4, 12  # the width of a head, and of all three

ONE_AXIS = ("One thing to know: a mask of one axis, (T,), fits the scores too. F.scaled_dot_product_attention does not "
            "take it; it takes torch.atleast_2d(mask).")


# ---------------------------------------------------------------- heads cut and merged wrongly

def uncut(x, num_heads):
    """(B, T, H, D): cut, and not yet transposed."""
    return x.unflatten(-1, (num_heads, -1))


def interleaved(x, num_heads):
    """Head h takes the features h, h + H, h + 2H, ..."""
    return x.unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2)


def viewed(x, num_heads):
    """The right shape, made in one go."""
    return x.reshape(x.size(0), num_heads, x.size(1), -1)


def rows_from_memory(x):
    """The right shape, made in one go."""
    return x.reshape(x.size(0), x.size(2), -1)


def interleaved_back(x):
    return x.permute(0, 2, 3, 1).flatten(2)


# ---------------------------------------------------------------- layers, and attention step by step

def _layer(weight, bias):
    """An nn.Linear with these numbers, which wants no gradients; it draws nothing at random."""
    layer = nn.utils.skip_init(nn.Linear, weight.size(1), weight.size(0), dtype=weight.dtype)
    with torch.no_grad():
        layer.weight.copy_(weight)
        layer.bias.copy_(bias)
    return layer.requires_grad_(False)


def random_layers(width, seed, dtype=torch.float32):
    """Four different layers, for q, k, v and out, that keep the size of what they are given."""
    return tuple(_layer(normal(width, width, seed=10 * seed + i, dtype=dtype) * 2 / math.sqrt(width),
                        normal(width, seed=10 * seed + i + 4, dtype=dtype)) for i in range(4))


def simple_layers(width):
    """q_proj(z) = z + 1, k_proj(z) = 2z, v_proj(z) = 3z, out_proj(z) = -z."""
    return tuple(_layer(times * torch.eye(width), torch.full((width,), plus))
                 for times, plus in ((1.0, 1.0), (2.0, 0.0), (3.0, 0.0), (-1.0, 0.0)))


def around_minus_7(layers):
    """Queries and keys pulled apart, so that every score of a head of four features lies around -7."""
    q_proj, k_proj, v_proj, out_proj = copy.deepcopy(layers)
    for layer, shift in ((q_proj, 1.9), (k_proj, -1.9)):
        layer.weight *= 0.4
        layer.bias *= 0.1
        layer.bias += shift
    return q_proj, k_proj, v_proj, out_proj


def projected(x, context, q_proj, k_proj, v_proj):
    return q_proj(x), k_proj(context), v_proj(context)


def _root(q, k):
    return 1 / math.sqrt(q.size(-1))


def _hide(scores, mask):
    return scores if mask is None else scores.masked_fill(~mask, -_INF)


def weights_of(q, k, mask, scale=_root, dim=-1, hide=_hide):
    return hide(q @ k.transpose(-2, -1) * scale(q, k), mask).softmax(dim)


def _without_mask(q, k, mask):
    return weights_of(q, k, None)


def _mix(weights, v, q, k):
    return weights @ v


def _show(weights, q, k):
    return weights


def _finish(merged, weights, out_proj, x):
    return out_proj(merged), weights


def stepwise(project=projected, split=split_heads, weigh=weights_of, mix=_mix, show=_show, merge=merge_heads,
               finish=_finish):
    """Multi-head attention step by step: right with these steps, wrong in one way with another."""

    def attend(x, context, layers, num_heads, mask=None):
        q, k, v = (split(z, num_heads) for z in project(x, context, *layers[:3]))
        weights = weigh(q, k, mask)
        return finish(merge(mix(weights, v, q, k)), show(weights, q, k), layers[3], x)

    return attend


def _scaled(scale):
    return {"weigh": lambda q, k, mask: weights_of(q, k, mask, scale)}


def _softmax_over(dim):
    return {"weigh": lambda q, k, mask: weights_of(q, k, mask, dim=dim)}


def layers_used(q, k, v):
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


def by_the_course(**steps):
    """The steps around the course's own dot_product_attention, which says in its own words what does not fit."""
    return {**steps, "weigh": lambda q, k, mask: (q, k, mask),
            "mix": lambda qk, v, *_: dot_product_attention(qk[0], qk[1], v, qk[2])[0],
            "show": lambda qk, q, k: dot_product_attention(q, k, k, qk[2])[1]}


def _kept(z):
    return z


def _unsplit(merge=_kept, weigh=weights_of):
    """Attention that never splits, but may merge."""
    return {"split": lambda z, h: z, "merge": merge, "weigh": weigh}


_OVER_ROOT_OF_ONE_HEAD = {  # all features compared at once, as if never split, but divided by sqrt(D)
    "weigh": lambda q, k, mask: weights_of(merge_heads(q), merge_heads(k), mask, lambda *_: _root(q, k)),
    "mix": lambda w, v, q, k: w @ merge_heads(v), "merge": _kept}


def _merge_by_unpacking(z):
    items, num_heads, length, width = z.shape
    return z.transpose(1, 2).reshape(items, length, num_heads * width)


_MERGES = (merge_heads, _merge_by_unpacking, lambda z: z.transpose(1, 2).flatten(-2),
           lambda z: z.transpose(1, 2).reshape(z.size(0), z.size(2), -1))


def _keys_turned(turn):
    """Scores with keys whose axes changed places in another way."""
    return {"weigh": lambda q, k, mask: _hide(q @ turn(k) * _root(q, k), mask).softmax(-1)}


def _through(bias, turned):
    """Layers replaced by products with their weights: without the bias, or with the weight as it is."""

    def through(layer, z):
        made = z @ (layer.weight.T if turned else layer.weight)
        return made + layer.bias if bias else made

    return through


def _by_hand(through, last):
    """The three layers applied by through(layer, z), and out_proj too if it is to be."""
    steps = {"project": lambda x, context, *layers: tuple(through(layer, z) for layer, z in
                                                          zip(layers, (x, context, context), strict=True))}
    if last:
        steps["finish"] = lambda merged, weights, out_proj, x: (through(out_proj, merged), weights)
    return steps


# ---------------------------------------------------------------- mistakes: (id, means, think, steps, evidence)

def known(frame, table):
    """Misconceptions from rows of (id, means, think, steps, evidence); `frame` makes an answer of the steps."""
    return tuple(Misconception(id, means, think, tuple(frame(**steps) for steps in all_steps), tell)
                 for id, means, think, all_steps, tell in table)


HEADS = (
    ("viewed", "q, k and v were brought to (B, H, T, D) by view or reshape alone: the shape is right, but a head holds "
     "pieces of other positions than its rows say.",
     "Cut the last axis alone, (B, T, H, D), then transpose(1, 2): your split_heads from exercise 5.1 does it.",
     ({"split": viewed}, {"split": viewed, "merge": rows_from_memory}), explainers.entry),
    ("merge-not-transposed", "The weights are right, but the heads were merged by view or reshape alone: a row of out "
     "holds several positions of one head, not all heads of one position.",
     "(B, H, T, D) to (B, T, H, D) to (B, T, C): your merge_heads from exercise 5.2 does it.",
     ({"merge": rows_from_memory},), explainers.out_alone),
    ("interleaved", "The heads take turns among the features: head h got the features h, h + H, h + 2H and so on, not "
     "D neighbours.",
     "view(B, T, H, D) makes H groups of D neighbours: your split_heads from exercise 5.1 does it.",
     ({"split": interleaved}, {"split": interleaved, "merge": interleaved_back}), explainers.entry),
    ("merge-interleaved", "The weights are right, but the merged heads take turns within a row: first feature 0 of "
     "every head, then feature 1, and so on.",
     "Before the last two axes are joined they must be (H, D) in this order: (B, T, H, D).",
     ({"merge": interleaved_back},), explainers.out_alone),
    ("among-heads", "The heads of one position attend to each other, since T and H never changed places: your products "
     "run over (B, T, H, D).",
     "The last two axes of q and k must be positions and features: (B, H, T, D), after transpose(1, 2).",
     tuple({"split": uncut, "merge": merge, **weigh} for weigh in ({}, {"weigh": _without_mask})
           for merge in (lambda z: z.flatten(2), merge_heads, rows_from_memory)),
     explainers.shape),
    ("one-head", "There is only one head: all C features were compared at once.",
     "Cut q, k and v into H heads before the dot products.",
     ({"split": lambda z, h: z.unsqueeze(1)}, {"split": lambda z, h: z.unsqueeze(1), "show": lambda w, q, k: w[:, 0]},
      _unsplit(), _OVER_ROOT_OF_ONE_HEAD, _unsplit(weigh=lambda q, k, mask: weights_of(q, k, mask, lambda q, k: 1)),
      by_the_course(split=lambda z, h: z, merge=_kept), *(_unsplit(merge) for merge in _MERGES),
      *(by_the_course(split=lambda z, h: z, merge=merge) for merge in _MERGES)), explainers.shape),
    ("keys-turned-wrongly", "Other axes of k have changed places than positions and features, so q @ k does not fit.",
     "With heads, k has four axes: only its last two change places, k.transpose(-2, -1).",
     tuple(_keys_turned(turn) for turn in (
         lambda k: k.transpose(1, 2), lambda k: k.permute(*range(k.dim() - 1, -1, -1)), lambda k: k.transpose(0, 1),
         lambda k: k.transpose(1, 3), lambda k: k.transpose(0, 2))), None),
    ("num-heads-as-size", "The number of heads was taken for the size of a head: you made heads of H features each, "
     "and as many as fit.",
     "There are H heads, and each has D = C // H features.",
     ({"split": lambda z, h: z.unflatten(-1, (-1, h)).transpose(1, 2)},), explainers.shape),
    ("weights-averaged", "The returned weights are averaged over the heads.",
     "Each head has its own weights: return all of them, four axes, (B, H, queries, keys).",
     ({"show": lambda w, q, k: w.mean(1)}, {"show": lambda w, q, k: w.mean(1, keepdim=True)}), explainers.shape),
    ("weights-summed", "The returned weights are summed over the heads.",
     "Each head has its own weights: return all of them, four axes, (B, H, queries, keys).",
     ({"show": lambda w, q, k: w.sum(1)},), explainers.shape),
    ("one-head-s-weights", "The weights of one head were returned.",
     "Return those of all heads. In a loop: collect them in a list, and torch.stack(list, dim=1) after it.",
     ({"show": lambda w, q, k: w[:, 0]}, {"show": lambda w, q, k: w[:, -1]}), explainers.shape),
    ("weights-in-another-order", "The weights are there, but their axes are in another order than batch, heads, "
     "queries, keys.",
     "In a loop over heads torch.stack(list, dim=1) puts the heads behind the batch.",
     ({"show": lambda w, q, k: w.transpose(0, 1)}, {"show": lambda w, q, k: w.transpose(1, 2)},
      {"show": lambda w, q, k: w.permute(0, 2, 3, 1)}, {"show": lambda w, q, k: w.transpose(2, 3)},
      {"show": lambda w, q, k: w.flatten(0, 1)},
      {"show": lambda w, q, k: w.transpose(0, 1).flatten(0, 1)}, {"show": lambda w, q, k: w.flatten(1, 2)}),
     explainers.shape),
)

SCORES = (
    ("no-scale", "The scores were not divided by sqrt(D).",
     "D is the width of one head: after the split, q.size(-1).",
     (_scaled(lambda q, k: 1),), explainers.sharpness),
    ("scaled-by-d-model", "The scores were divided by sqrt(C), the width of all heads together.",
     "A dot product runs over the D = C / H features of one head: divide by sqrt(D).",
     (_scaled(_root_of(_width)),), explainers.sharpness),
    ("scaled-by-d", "The scores were divided by D instead of sqrt(D). (Dividing by sqrt(D) twice does the same.)",
     "Divide once, by the root: math.sqrt(q.size(-1)).",
     (_scaled(lambda q, k: 1 / q.size(-1)),), explainers.sharpness),
    ("root-without-brackets", "The scores were divided by D / 2, or by 2 * D, not by sqrt(D): D ** 1 / 2 is half of D, "
     "and scores / D ** 1 / 2 divides by D and by 2.",
     "`**` binds before `/`: math.sqrt(D), D ** 0.5 or D ** (1 / 2).",
     (_scaled(lambda q, k: 2 / q.size(-1)), _scaled(lambda q, k: 1 / (2 * q.size(-1)))), explainers.sharpness),
    ("scaled-by-another", "The scores were divided by another number than sqrt(D): by C or H, or by the root of a "
     "number of heads, positions or items.",
     "D is the width of one head: after the split, q.size(-1).",
     tuple(_scaled(f) for f in (
         lambda q, k: 1 / _width(q), lambda q, k: 1 / q.size(1), _root_of(lambda q, k: q.size(1)),
         _root_of(lambda q, k: q.size(2)), _root_of(lambda q, k: k.size(2)), _root_of(lambda q, k: q.size(0)))),
     explainers.sharpness),
    ("fixed-scale", "The scores were divided by a fixed number, such as √2, 2 or 8: right only for heads of one size.",
     "Take the size from q itself: math.sqrt(q.size(-1)).",
     tuple(_scaled(lambda q, k, root=root: 1 / root) for root in (
         math.sqrt(2), math.sqrt(3), 2, 8, math.sqrt(32), math.sqrt(11))),
     explainers.sharpness),
    ("multiplied", "The scores were multiplied by sqrt(D) instead of divided.",
     "The spread of the scores is to become smaller.",
     (_scaled(lambda q, k: math.sqrt(q.size(-1))),), explainers.sharpness),
    ("scaled-after-softmax", "The division by sqrt(D) comes after the softmax, so rows no longer sum to 1.",
     "First make the scores smaller, then turn them into weights.",
     ({"weigh": lambda q, k, mask: weights_of(q, k, mask, lambda q, k: 1) * _root(q, k)},), explainers.row_sum),
    ("over-queries", "The softmax runs over the queries: columns sum to 1, rows do not.",
     "Keys are the last axis: dim=-1.", (_softmax_over(-2),), explainers.row_sum),
    ("over-heads", "The softmax runs over axis 1, the heads: the heads compete with each other, and rows do not sum "
     "to 1.",
     "With heads there is one axis more in front: keys are the last axis, dim=-1.", (_softmax_over(1),),
     explainers.row_sum),
    ("over-batch", "The softmax runs over axis 0, the batch: the items compete with each other, and rows do not sum "
     "to 1.",
     "Keys are the last axis: dim=-1.", (_softmax_over(0),), explainers.row_sum),
    ("no-softmax", "The values were mixed by the scores themselves: the softmax is missing.",
     "Weights are positive and each row sums to 1.", ({"weigh": _raw},), explainers.row_sum),
    ("scores-returned", "out is right, but the second thing returned is the scores, not the weights.",
     "Return what multiplied v.",
     ({"show": lambda w, q, k: _raw(q, k, None)}, {"show": lambda w, q, k: q @ k.transpose(-2, -1)}),
     explainers.row_sum),
    ("weights-transposed", "out was made with the weights transposed: columns, not rows, mixed the values.",
     "Row i of the weights says how query i mixes the values: weights @ v.",
     ({"mix": lambda w, v, q, k: w.transpose(-2, -1) @ v},), explainers.out_alone),
    ("mixed-by-scores", "The weights are right, but the values were mixed by the scores instead.",
     "out is made from weights @ v: what you return as weights must be what multiplied v.",
     ({"mix": lambda w, v, q, k: _raw(q, k, None) @ v}, {"mix": lambda w, v, q, k: q @ k.transpose(-2, -1) @ v}),
     explainers.out_alone),
    ("only-out", "Only out was returned; the weights belong to the answer.", "End with `return out, weights`.",
     ({"finish": lambda merged, weights, out_proj, x: out_proj(merged)},), None),
    ("swapped-pair", "The pair is the wrong way round: out comes first, then the weights.",
     "In this course everything returns (out, weights).",
     ({"finish": lambda merged, weights, out_proj, x: (weights, out_proj(merged))},), None),
)


def _filled(value):
    """A fill before the softmax where the mask is False."""
    return _hidden_by(lambda s, m: s.masked_fill(~m, value))


def _hidden_by(hide):
    """Another way to use a mask that is there."""
    return {"weigh": lambda q, k, mask: weights_of(q, k, mask, hide=lambda s, m: s if m is None else hide(s, m))}


def _always_by(hide):
    """A way to use the mask that does not ask whether there is one."""
    return {"weigh": lambda q, k, mask: weights_of(q, k, mask, hide=hide)}


def _weighed(change):
    """Weights that are changed by the mask after the softmax."""
    return {"weigh": lambda q, k, mask: change(weights_of(q, k, None), mask) if mask is not None else
            weights_of(q, k, None)}


def _past(scores):
    return causal_mask(scores.size(-1))


def _times_minus_infinity(s, m):
    return s + (1 - m.to(s.dtype)) * -_INF


MASKS = (
    ("mask-none", "Without a mask the code stops: mask is None then, and None can neither be turned around nor "
     "compared with scores.",
     "Use it only where there is one: `if mask is not None`.",
     (_always_by(lambda s, m: s.masked_fill(~m, -_INF)), _always_by(lambda s, m: s.masked_fill(m == 0, -_INF)),
      _always_by(lambda s, m: s.masked_fill(m == 0, float("-1e9"))), _always_by(lambda s, m: torch.where(m, s, -_INF)),
      _always_by(lambda s, m: s.masked_fill(m.logical_not(), -_INF)),
      _always_by(lambda s, m: s.masked_fill(torch.logical_not(m), -_INF))), None),
    ("mask-ignored", "The mask was never used: these are the weights of unmasked attention.",
     "Does mask reach the scores? If you call masked_fill, keep what it returns: the old scores stay as they were.",
     (_hidden_by(lambda s, m: s),), explainers.hidden_weight),
    ("true-hides", "The mask was read the wrong way round: visible keys were hidden, hidden ones kept.",
     "masked_fill fills where its mask is True; yours is True where attending is allowed. Fill where ~mask.",
     (_hidden_by(lambda s, m: s.masked_fill(m, -_INF)), _hidden_by(lambda s, m: s.masked_fill(m, -1e9))),
     explainers.hidden_weight),
    ("own-causal-mask", "Your code made a causal mask of its own, and hides the future where the argument mask "
     "does not.",
     "What is hidden is said by mask alone: it may be of any kind, and None hides nothing.",
     (_always_by(lambda s, m: _hide(s, _past(s))), _always_by(lambda s, m: _hide(_hide(s, m), _past(s))),
      _hidden_by(lambda s, m: _hide(s, _past(s))), _always_by(lambda s, m: _hide(s, _past(s) if m is None else m)),
      _always_by(lambda s, m: s.masked_fill(~_past(s) if m is None else ~(m & _past(s)), -1e9))),
     explainers.hidden_weight),
    ("zero-filled", "Hidden scores were set to 0 (or to a tiny number), and exp(0) = 1: a score of 0 is an ordinary "
     "score.",
     "Which score becomes a weight of 0? Fill with float('-inf'), where ~mask.",
     (_filled(0.0), _hidden_by(lambda s, m: s * m), _filled(1e-9), _filled(-1e-9)), explainers.hidden_weight),
    ("weak-fill", "The fill is not low enough for these scores: hidden keys keep a weight.",
     "A score of -10 is hidden beside 0, but not beside -7. -inf is low enough beside everything.",
     tuple(_filled(float(-v)) for v in (1, 2, 5, 10)), explainers.hidden_weight),
    ("positive-fill", "The fill is a huge positive number, so that hidden keys take everything.",
     "The sign: -inf, not inf.", (_filled(1e9), _filled(1e4)), explainers.hidden_weight),
    ("infinite-fill", "The fill is +inf, and every row with a hidden key is NaN: inf - inf is no number.",
     "The sign: float('-inf').", (_filled(_INF),), explainers.not_a_number),
    ("zero-times-infinity", "With a mask every number is NaN: a mask multiplied by -inf does that, since 0 * -inf is "
     "NaN, not 0.",
     "Put -inf where ~mask is True: masked_fill or torch.where.",
     (_hidden_by(_times_minus_infinity), _hidden_by(lambda s, m: s + (~m).to(s.dtype) * -_INF)),
     explainers.not_a_number),
    ("mask-added", "The mask was added to the scores as numbers: visible ones stand 1 higher than hidden ones, and "
     "nothing is hidden.",
     "Only a mask of 0 and -inf can be added; this one holds True and False.",
     (_hidden_by(lambda s, m: s + m),), explainers.hidden_weight),
    ("mask-inverted-added", "The opposite of the mask was added to the scores as numbers: hidden ones stand 1 higher "
     "than visible ones.",
     "Only a mask of 0 and -inf can be added; this one holds True and False.",
     (_hidden_by(lambda s, m: s + ~m),), explainers.hidden_weight),
    ("masked-after-softmax", "The mask came after the softmax, and nothing was divided: rows do not sum to 1.",
     "Fill the scores first; then the softmax shares everything out among the visible keys.",
     (_weighed(lambda w, m: w * m),), explainers.row_sum),
    ("weights-filled", "-inf (or a huge negative number) was put in after the softmax.",
     "First fill the scores, then take the softmax.",
     (_weighed(lambda w, m: w.masked_fill(~m, -_INF)), _weighed(lambda w, m: w.masked_fill(~m, -1e9))),
     explainers.entry),
    ("softmax-twice", "A softmax was applied twice: the second flattens what the first made, and a weight of 0 counts "
     "as an ordinary score.",
     "One softmax, after the mask.",
     ({"weigh": lambda q, k, mask: weights_of(q, k, mask).softmax(-1)},
      _always_by(lambda s, m: _hide(s.softmax(-1), m)),
      _weighed(lambda w, m: w.masked_fill(~m, -_INF).softmax(-1))), explainers.sharpness),
    ("mask-for-out-only", "out is right, but the returned weights were made without the mask.",
     "Return the weights that multiplied v: hidden keys have 0 in them.",
     ({"show": lambda w, q, k: weights_of(q, k, None)},), explainers.hidden_weight),
    ("mask-for-weights-only", "The returned weights are right, but out was made without the mask.",
     "Mix the values with the very weights that you return.",
     ({"mix": lambda w, v, q, k: weights_of(q, k, None) @ v},), explainers.out_alone),
    ("mask-transposed", "Queries and keys of the mask have changed places.",
     "Use the mask as it comes: its last axis are the keys, as in the scores.",
     tuple(_hidden_by(lambda s, m, low=low: s.masked_fill(~(m.transpose(-2, -1) if m.dim() > 1 else m), low))
           for low in (-_INF, -1e9)), explainers.hidden_weight),
    ("mask-reshaped", "The mask got further axes here, although it fits the scores as it comes.",
     "Leave its shape alone: torch stretches (T, T) or (B, 1, 1, T) to (B, H, T, T) by itself.",
     tuple(_hidden_by(lambda s, m, f=f: s.masked_fill(~f(m), -_INF)) for f in (
         lambda m: m.unsqueeze(1), lambda m: m.unsqueeze(0), lambda m: m[:, None, None], lambda m: m[:, None, None, :],
         lambda m: m.unsqueeze(0).unsqueeze(0), lambda m: m[:, None, None] if m.dim() == 2 else m)), explainers.shape),
)


def layers_mixed_up(q_proj, k_proj, v_proj):
    """Mistakes of self-attention with its three layers, which go by these names."""
    return (
        ("query-layer-for-all", f"{q_proj} made the queries, the keys and the values; {k_proj} and {v_proj} were never "
         "used.",
         f"k = {k_proj}(x), v = {v_proj}(x).", (layers_used("xq", "xq", "xq"),), explainers.entry),
        ("query-layer-twice", f"{q_proj} made the keys as well; {k_proj} was never used.", f"k = {k_proj}(x).",
         (layers_used("xq", "xq", "xv"),), explainers.sharpness),
        ("key-layer-twice", f"{k_proj} made the queries as well; {q_proj} was never used.", f"q = {q_proj}(x).",
         (layers_used("xk", "xk", "xv"),), explainers.sharpness),
        ("keys-ask", "Queries and keys have changed places: position j asks position i.",
         "Row i must hold position i's query against all keys: q @ k.transpose(-2, -1).",
         (layers_used("xk", "xq", "xv"),), explainers.entry),
        ("keys-as-values", f"The weights are right, but they average the keys; {v_proj} was never used.",
         f"Keys decide how much is read; values are what is read: v = {v_proj}(x).",
         (layers_used("xq", "xk", "xk"),), explainers.out_alone),
        ("queries-as-values", f"The weights are right, but they average the queries; {v_proj} was never used.",
         f"Values are what is read: v = {v_proj}(x).", (layers_used("xq", "xk", "xq"),), explainers.out_alone),
        ("values-as-keys", f"The queries were compared with the values; {k_proj} was never used.",
         f"Keys decide how much is read: k = {k_proj}(x).", (layers_used("xq", "xv", "xv"),), explainers.entry),
        ("keys-and-values-exchanged", "Keys and values have changed places.",
         f"Keys are compared with the queries, values are mixed: k = {k_proj}(x), v = {v_proj}(x).",
         (layers_used("xq", "xv", "xk"),), explainers.entry),
        ("layer-skipped", "x itself was used where its projection belongs.",
         f"Three layers make three things from x: {q_proj}(x), {k_proj}(x) and {v_proj}(x).",
         (layers_used("xq", "xk", "x"), layers_used("xq", "x", "xv"), layers_used("x", "xk", "xv"),
          layers_used("x", "x", "xv"), layers_used("x", "x", "x")), explainers.entry),
    )


def layers_by_hand(q_proj, with_out_proj):
    """Mistakes of those who take the numbers of the layers, of which q_proj is one, and multiply by themselves."""
    think = f"Call the layer itself, like a function: {q_proj}(x)."
    last = (False, True) if with_out_proj else (False,)
    forgotten = _through(bias=False, turned=True)
    out_alone = ({"finish": lambda merged, weights, out_proj, x: (forgotten(out_proj, merged), weights)},)
    return (
        ("bias-forgotten", "The bias of a layer was left out: a layer adds it to x @ layer.weight.T.", think,
         (*(_by_hand(forgotten, too) for too in last), *(out_alone if with_out_proj else ())), explainers.entry),
        ("weight-as-it-is", "The weight of a layer was used as it lies there; nn.Linear multiplies by weight.T, and "
         "adds the bias.", think,
         tuple(_by_hand(_through(bias, turned=False), too) for bias in (False, True) for too in last), explainers.entry),
    )


# ---------------------------------------------------------------- experiments

_INPUTS = (normal(B, T, _C, seed=91), normal(B, S, _C, seed=92), random_layers(_C, 93))
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

    return BehavioralTest(properties.ITEMS.id, test, properties.ITEMS.hint)


def _heads(ask):
    """Change the keys of head 0 and look whether the other heads' weights notice."""

    def test(attempt):
        x, context, layers = _INPUTS
        changed = copy.deepcopy(layers)
        changed[1].weight[:_D] += 1
        moved = _moved(ask(attempt, x, context, layers)[1][:, 1:], ask(attempt, x, context, changed)[1][:, 1:])
        if moved < 1e-4:
            return None
        return ("Heads do not meet while they attend: when the features 0 to 3 of the keys changed, all that head 0 "
                f"has, the weights of other heads moved by {moved:.4f}.")

    return BehavioralTest("heads-mixed", test, "Head h has the features h*D to (h+1)*D. Which line lets another head see "
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

    return BehavioralTest("positions-mixed", test, "A view or reshape that cuts or joins other axes than neighbours mixes "
                                               "positions. Print one row before and after each of these lines.")


def _one_half_right(ask, solution, half, where):
    """Right weights beside a wrong out, or the other way round."""

    def test(attempt):
        right, got = (ask(code, *_INPUTS) for code in (solution, attempt))
        fits = [torch.allclose(a, b, rtol=1e-4, atol=3e-5) for a, b in zip(got, right, strict=True)]
        if fits[half] or not fits[1 - half]:
            return None
        if half == 0:
            return f"{where} your weights are right, but out is not: {_out(got[0], right[0])}."
        return f"{where} your out is right, but the weights that you return are not those that made it."

    think = ("Look at the lines after the softmax: weights @ v, and what becomes of the heads.",
             "Return the very tensor that multiplied v.")[half]
    return BehavioralTest(("out-alone-wrong", "weights-alone-wrong")[half], test, think)


def _out(got, right):
    at = explainers.worst(got, right)
    return f"at {explainers.position(at)} it is {explainers.number(got[at])}, and {explainers.number(right[at])} is right"


def experiments(ask, solution, all_move):
    """What ask(attempt, x, context, layers), with three heads, must give: items and heads apart, any order of keys."""
    where = "Tried without a mask," if all_move else f"Tried with T = {T} and S = {S},"
    return (_items(ask), _order_of_keys(ask, all_move), _heads(ask), _one_half_right(ask, solution, 0, where),
            _one_half_right(ask, solution, 1, where))
