"""Exercises 7.1 and 7.2: BERT's self-attention as a module, and one vector for a text."""

from dataclasses import replace

import torch
from torch import nn
from torch.nn import functional as F

from helpers.bert import BertConfig
from helpers.checks import evidence, laws, solutions
from helpers.checks.catalogue import Exercise, Experiment, Misconception, Probe
from helpers.checks.inputs import CAUSAL, B, H, S, T, normal, padded, some_hidden
from helpers.checks.modules import Layers, fill, require_methods, takes, trainable
from helpers.checks.multi_head import (
    HEADS,
    MASKS,
    ONE_AXIS,
    SCORES,
    around_minus_7,
    experiments,
    known,
    layers_by_hand,
    layers_mixed_up,
    random_layers,
    simple_layers,
    stepwise,
    weights_of,
)
from helpers.checks.running import Fault
from helpers.heads import merge_heads, split_heads
from helpers.masks import causal_mask

_INF = float("inf")


# ---------------------------------------------------------------- 7.1: building and calling

_LAYERS = ("query", "key", "value")
_ASKED = Layers(_LAYERS, "nn.Linear(config.hidden_size, config.hidden_size)", "hidden_size = {} features to {}",
                bias=True, alone=True)


def run_bert_self_attention(attempt, x, query, key, value, num_heads, *mask):
    """Build the learner's module, put the numbers of three layers into its own, and apply it to x in evaluation.

    Shapes: x (B, T, C), mask broadcastable to (B, H, T, T)
    Errors: Fault where the module lacks what the exercise names
    Source: notebook 07
    """
    module = _built(attempt, (query, key, value), num_heads).to(x.dtype)
    torch.manual_seed(torch.initial_seed())  # dropout that should not be there drops the same for everyone
    result = _apply(module, x, *mask)
    if mask and mask[0] is not None:
        _require_mask_in_both_modes(module, result, x, num_heads, mask[0])
    return result


def _require_mask_in_both_modes(module, result, x, num_heads, mask):
    """Say where a mask counts in one mode only; what else may be wrong is found elsewhere.

    Errors: Fault
    """
    shape = (x.size(0), num_heads, x.size(1), x.size(1))
    try:
        reads = [bool((weights.nan_to_num(1.0) * ~mask).abs().max() > 1e-4) and weights.shape == shape
                 for _, weights in (result, _apply(module.train(), x, mask))]
    except Exception:
        return
    if reads == [True, False]:
        raise Fault("mask-only-in-training", "The mask is used in training only: in evaluation, after module.eval(), "
                                             "hidden keys are read. Take it out of `if self.training`; only dropout "
                                             "depends on the mode.")
    if reads == [False, True]:
        raise Fault("mask-only-in-evaluation", "The mask is used in evaluation only: in training, after "
                                               "module.train(), hidden keys are read. It belongs to both; only "
                                               "dropout depends on the mode.")


def _built(attempt, layers, num_heads):
    require_methods(attempt, "config", "x, mask=None")
    module = attempt(BertConfig(hidden_size=layers[0].in_features, num_attention_heads=num_heads))
    fill(module, attempt, _ASKED, [layer.weight for layer in layers], [layer.bias for layer in layers])
    return module.eval()


def _apply(module, x, *mask):
    """The mask by name where forward knows it as mask, else as the second input; or none at all."""
    if mask and takes(type(module).forward, 2, "mask"):
        return module(x, mask=mask[0])
    return module(x, *mask)


def _told(args):
    """What the learner's module was given, for the card of an exception."""
    x, num_heads, mask = args[0], args[4], args[5:]
    given = ("without a mask" if not mask else "with mask=None" if mask[0] is None else
             f"with a mask of shape {tuple(mask[0].shape)}")
    return (f"It was built with hidden_size = {x.size(-1)} and num_attention_heads = {num_heads}, to be applied to x "
            f"of shape {tuple(x.shape)} {given}.")


# ---------------------------------------------------------------- 7.1: wrong modules

def _frame(forward):
    """A module with the three layers and the given forward(self, x, mask): the frame of every wrong 7.1."""

    class Wrong(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.num_heads = config.num_attention_heads
            for name in _LAYERS:
                setattr(self, name, nn.utils.skip_init(nn.Linear, config.hidden_size, config.hidden_size))

        def forward(self, x, mask=None):
            return forward(self, x, mask)

    return Wrong


def _unchanged(z):
    return z


def _bert(**steps):
    """The steps as an answer to 7.1."""
    attend = stepwise(**steps)
    return _frame(lambda self, x, mask: attend(x, x, (self.query, self.key, self.value, _unchanged), self.num_heads,
                                               mask))


def _finish(change):
    """Another out, made from the merged heads and x."""
    return {"finish": lambda merged, weights, last, x: (change(merged, x), weights)}


def _split_before_the_layers(split):
    def forward(self, x, mask):
        z = split(x, self.num_heads)
        q, k, v = self.query(z), self.key(z), self.value(z)
        weights = weights_of(q, k, mask)
        return merge_heads(weights @ v), weights

    return _frame(forward)


def _turned(z, num_heads):
    """Heads of x whose batch and positions have changed places: (T, H, B, D)."""
    return split_heads(z.transpose(0, 1), num_heads)


def _dropped(p):
    """Dropout that does not ask for the mode: on the weights, on those that mix the values, on out."""
    return ({"weigh": lambda q, k, mask: F.dropout(weights_of(q, k, mask), p)},
            {"mix": lambda w, v, q, k: F.dropout(w, p) @ v}, _finish(lambda merged, x: F.dropout(merged, p)))


_OUT = (
    ("not-merged", "The weights are right, but the heads of out still stand apart: it has four axes.",
     "Put the heads of each position side by side, (B, T, C): your merge_heads from exercise 5.2 does it.",
     ({"merge": _unchanged}, {"merge": lambda z: z.transpose(1, 2)}), None),
    ("heads-averaged", "The weights are right, but the heads of out were averaged, or added up.",
     "Put them side by side: D features of each head make C = H * D. Your merge_heads from exercise 5.2 does it.",
     ({"merge": lambda z: z.mean(1)}, {"merge": lambda z: z.sum(1)}), None),
    ("merged-along-positions", "The weights are right, but the heads of out stand one below the other along the "
     "positions.",
     "Heads of one position belong in one row, side by side: your merge_heads from exercise 5.2 does it.",
     ({"merge": lambda z: z.flatten(1, 2)}, {"merge": lambda z: z.transpose(1, 2).flatten(1, 2)}), None),
    ("not-contiguous", "The transpose is right. After it the numbers no longer lie in memory in the order in which "
     "they are to be read, and view, which never moves a number, refuses.",
     "Keep the transpose, and write reshape(...), flatten(-2) or contiguous().view(...): these make a copy in the new "
     "order.",
     ({"merge": lambda z: z.transpose(1, 2).view(z.size(0), z.size(2), -1)},), None),
    ("residual", "x was added to out, or out was normalised. Both belong to the next module, BertSelfOutput.",
     "Here out is the merged heads, and nothing else.",
     (_finish(lambda merged, x: merged + x), _finish(lambda merged, x: F.layer_norm(merged, merged.shape[-1:])),
      _finish(lambda merged, x: F.layer_norm(merged + x, merged.shape[-1:]))), evidence.out_alone),
    ("batch-as-positions", "Batch and positions have changed places before the scores: positions read across the items "
     "of the batch, which have nothing to do with each other.",
     "Keep the batch in front: from (B, T, H, D) only T and H change places.",
     ({"split": _turned}, {"split": _turned, "merge": lambda z: merge_heads(z).transpose(0, 1)}), None),
    ("dropout-in-eval", "Dropout is at work in evaluation too, and it draws anew in every call.",
     "F.dropout drops in every mode, unless it gets training=self.training; nn.Dropout, made in __init__, follows "
     "model.eval(). Here you can do without: dropout is not asked for.",
     tuple(steps for p in (0.1, 0.2, 0.5) for steps in _dropped(p)), evidence.row_sum),
)


# ---------------------------------------------------------------- 7.1

def _args(seed, b, t, h, d, *mask, dtype=torch.float32, change=_unchanged):
    """Arguments for 7.1."""
    return (normal(b, t, h * d, seed=seed, dtype=dtype), *change(random_layers(h * d, seed, dtype))[:3], h, *mask)


def _small(x, *mask):
    return (torch.tensor(x), *simple_layers(len(x[0][0]))[:3], 2, *mask)


def _ask(attempt, x, context, layers):
    return run_bert_self_attention(attempt, x, *layers[:3], H)


_D = 4  # the width of a head
_TWO = [[[1.0, 0.0], [0.0, 1.0]]]
_FOUR = [[[0.5, 0, 1, -1], [0, 1, -0.5, 0.5]]]
_TWELVE = random_layers(H * _D, 214)[:3]

BERT_SELF_ATTENTION = Exercise(
    id="7.1", name="MyBertSelfAttention", signature="MyBertSelfAttention(config)", minutes=12, difficulty=3,
    is_class=True,
    gives="a module with query, key, value; forward(x, mask=None) with x (B, T, C) gives (out, weights): out "
          "(B, T, C), the heads side by side, and weights (B, H, T, T)",
    solution=solutions.MyBertSelfAttention, arguments=("config",), returns=("out", "weights"),
    call=run_bert_self_attention, inputs=("x", *_LAYERS, "num_attention_heads", "mask"), told=_told,
    sizes={2: "B", 3: "H", 6: "H", 4: "D", 11: "D", 12: "C", 66: "C", 5: "T", 7: "T", 13: ""},
    probes=(
        Probe("a batch, no mask given", _args(200, B, T, H, _D)),
        Probe("mask=None", _args(201, B, S, H, _D, None)),
        Probe("a causal mask (T, T)", _args(202, B, T, H, _D, CAUSAL)),
        Probe("a padding mask (B, 1, 1, T)", _args(203, B, T, H, _D, padded(2, 4, max_length=T)[:, None])),
        Probe("padding in front, (B, 1, 1, T)", _args(204, B, S, H, _D, padded(3, 6).flip(-1)[:, None])),
        Probe("a mask (B, 1, T, T)", _args(205, B, T, H, _D, some_hidden(B, 1, T, T))),
        Probe("a mask for each head, (B, H, T, T)", _args(206, B, T, H, _D, some_hidden(B, H, T, T, seed=2))),
        Probe("a mask (H, T, T)", _args(216, B, T, H, _D, some_hidden(H, T, T, seed=3))),
        Probe("a mask (T,)", _args(207, B, T, H, _D, some_hidden(T)), advice=ONE_AXIS),
        Probe("float64", _args(208, B, T, H, _D, some_hidden(T, T), dtype=torch.float64)),
        Probe("six heads of eleven features", _args(209, B, S, 6, 11)),
        Probe("one head", _args(210, B, T, 1, 10, CAUSAL)),
        Probe("one item", _args(211, 1, T, H, _D, some_hidden(1, H, T, T, seed=3))),
        Probe("one position", _args(212, B, 1, H, _D)),
        Probe("as many heads as positions", _args(213, B, 8, 8, _D, causal_mask(8))),
        Probe("scores around -7", _args(215, B, T, H, _D, CAUSAL, change=around_minus_7)),
    ),
    small=(_small(_TWO), _small(_FOUR), _small(_TWO, causal_mask(2)), _small(_FOUR, causal_mask(2)),
           _small([*_TWO, [[0.0, 1.0], [1.0, 1.0]]])),
    misconceptions=(
        *known(_bert, HEADS), *known(_bert, _OUT), *known(_bert, SCORES),
        *known(_bert, layers_mixed_up("self.query", "self.key", "self.value")),
        *known(_bert, layers_by_hand("self.query", with_out_proj=False)), *known(_bert, MASKS),
        Misconception(
            "layer-meets-one-head", "x was split into heads before the layers: a layer was given D features, as wide "
            "as one head, and takes all C features of a position.",
            "First project, then split: q = split_heads(self.query(x), H).",
            (_split_before_the_layers(split_heads),
             _split_before_the_layers(lambda x, h: split_heads(x, h).contiguous())))),
    hints=(
        "In __init__: super().__init__(), self.query = nn.Linear(config.hidden_size, config.hidden_size), and key and "
        "value likewise. Keep config.num_attention_heads for forward.",
        "forward(self, x, mask=None) is exercise 5.3 without out_proj: q = split_heads(self.query(x), self.num_heads), "
        "and k and v likewise; scores divided by the root of D, filled with -inf where ~mask if there is a mask.",
        "weights = scores.softmax(dim=-1); return merge_heads(weights @ v), weights",
    ),
    laws=(laws.FINITE, laws.POSITIVE, laws.HIDDEN,
          replace(laws.ROWS, think=f"{laws.ROWS.think} (Dropout does it, where it does not follow model.eval().)")),
    experiments=(*experiments(_ask, solutions.MyBertSelfAttention, all_move=True),
                 *trainable(lambda attempt: _built(attempt, _TWELVE, H), solutions.MyBertSelfAttention, _LAYERS,
                            (normal(B, T, H * _D, seed=217), CAUSAL), (normal(B, S, H * _D, seed=218),), _apply)),
    after="Its layers have the names of the published ones, so BERT's own numbers fit in.",
)


# ---------------------------------------------------------------- 7.2: sums and counts

def _sum(hidden, mask):
    return (hidden * mask.unsqueeze(-1)).sum(1)


def _count(mask):
    return mask.sum(1, keepdim=True)


def _mean(hidden, mask):
    return _sum(hidden, mask) / _count(mask)


def _rows(item):
    """What item(hidden, mask), for (T, C) and (T,), gives for each item of the batch."""
    return lambda hidden, mask: torch.stack([item(h, m) for h, m in zip(hidden, mask, strict=True)])


def _counted_by(count):
    """The right sum, divided by count(hidden, mask)."""
    return lambda hidden, mask: _sum(hidden, mask) / count(hidden, mask)


def _filled(hidden, mask, value=0.0):
    return hidden.masked_fill(~mask.unsqueeze(-1), value)


def _at(hidden, places):
    return hidden[torch.arange(len(hidden)), places]


def _last_place(mask):
    return (mask * torch.arange(mask.size(1))).amax(1)


def _without_ends(end):
    """The first token left out, and perhaps the last: guarded against no token at all, or not."""
    def cut(hidden, mask):
        return _sum(hidden[:, 1:end], mask[:, 1:end]), _count(mask[:, 1:end])

    return (lambda hidden, mask: cut(hidden, mask)[0] / cut(hidden, mask)[1],
            *(lambda hidden, mask, low=low: cut(hidden, mask)[0] / cut(hidden, mask)[1].clamp(min=low)
              for low in (1, 1e-9)))


def _turned_around():
    """The mask inverted in the sum, in the count, or in both; counts of 0 guarded or not."""
    guards = (lambda n: n, lambda n: n.clamp(min=1), lambda n: n.clamp(min=1e-9))
    both = tuple(lambda hidden, mask, guard=guard: _sum(hidden, ~mask) / guard(_count(~mask)) for guard in guards)
    below = tuple(lambda hidden, mask, guard=guard: _sum(hidden, mask) / guard(_count(~mask)) for guard in guards)
    return (*both, *below, lambda hidden, mask: _sum(hidden, ~mask) / _count(mask), lambda h, m: _sum(h, ~m),
            lambda h, m: _sum(h, ~m) / h.size(1))


def _mask_weights(hidden, mask):
    """A softmax of the mask in place of its share."""
    return (mask.to(hidden.dtype).softmax(1).unsqueeze(-1) * hidden).sum(1)


# ---------------------------------------------------------------- 7.2: experiments

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

    return Experiment(laws.ITEMS.id, _moves(f"The items of a batch must not meet: when item {changed} changed, the "
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
    item, feature = evidence.worst(got, torch.ones_like(got))
    real = evidence.counted(int(_GAPS[item].sum()), "real token", "real tokens")
    return (f"Where every number is 1, every mean is 1. Yours is {evidence.number(got[item, feature])} for an item of "
            f"{T} tokens with {real}.")


_GAPS = torch.tensor([[True, False, True, True, False], [False, True, True, False, True],
                      [True, True, False, False, False], [False, False, False, True, False]])
_MEANS = (
    _items(1, 0), _items(0, 1),
    Experiment("padding-read", _moves("Padding must not matter: when the numbers of the padded tokens changed, your "
                                      "result moved", _other_padding),
               "Set padded tokens to 0 before the sum: mask.unsqueeze(-1) is (B, T, 1), one factor for each token."),
    Experiment("order-read", _moves("A mean does not know the order of its tokens: when tokens and mask changed places "
                                    "together, your result moved", _other_order),
               "Which tokens are real is said by mask alone: padding may stand in front, behind or in gaps."),
    Experiment("features-mixed", _moves("Each feature has a mean of its own: when feature 0 changed, other features of "
                                        "your result moved", _other_feature),
               "Which line sums over the last axis, or brings vectors to a length?"),
    Experiment("ones-do-not-give-1", _ones, "What is the sum divided by, and what else is done to it? Of n real tokens "
                                            "each has the share 1 / n."),
)


# ---------------------------------------------------------------- 7.2

def _pooling(name, seed, mask, c=11, dtype=torch.float32, change=lambda hidden, mask: hidden):
    return Probe(name, (change(normal(*mask.shape, c, seed=seed, dtype=dtype), mask), mask))


def _behind(*lengths, max_length=T):
    return padded(*lengths, max_length=max_length).squeeze(1)


MEAN_POOL = Exercise(
    id="7.2", name="mean_pool", signature="mean_pool(hidden, mask)", minutes=6, difficulty=2,
    gives="for each item the mean of its real tokens: hidden (B, T, C) and mask (B, T), bool, True = real token, to "
          "(B, C)",
    solution=solutions.mean_pool, arguments=("hidden", "mask"), returns=("pooled",),
    sizes={1: "B", 2: "B", 3: "B", 4: "B", 5: "T", 7: "T", 11: "C", 13: "C"},
    probes=(
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
    small=tuple((torch.tensor(hidden), torch.tensor(mask)) for hidden, mask in (
        ([[[1.0, 2.0], [5.0, 4.0]]], [[True, False]]),
        ([[[1.0, 2.0], [5.0, 4.0]]], [[False, True]]),
        ([[[1.0, 2.0], [5.0, 4.0], [3.0, 0.0]]], [[True, True, False]]),
        ([[[1.0, 2.0], [5.0, 4.0], [3.0, 0.0]]], [[True, False, True]]),
        ([[[1.0, 2.0], [5.0, 4.0]], [[0.0, 3.0], [2.0, 6.0]]], [[True, True], [False, True]]))),
    misconceptions=(
        Misconception(
            "mean-over-all", "The mean was taken over all tokens, padding and all: the mask was never used.",
            "Only tokens where the mask is True belong in the sum, and only these are counted.",
            lambda h, m: h.mean(1), evidence.entry),
        Misconception(
            "padding-summed", "You divided by the number of real tokens, which is right; but all tokens were summed, "
            "padding and all.",
            "Set padded tokens to 0 before the sum: hidden * mask.unsqueeze(-1).",
            lambda h, m: h.sum(1) / _count(m), evidence.entry),
        Misconception(
            "divided-by-length", "The sum is right, but it was divided by T, the number of all tokens. (mean(dim=1) "
            "does that: a padded token that was set to 0 still counts.)",
            "How many tokens does each item really have? mask.sum(dim=1) says it.",
            (lambda h, m: _filled(h, m).mean(1), lambda h, m: _sum(h, m) / h.size(1)), evidence.entry),
        Misconception(
            "not-divided", "This is the sum of the real tokens: it was never divided.",
            "Divide by the number of real tokens of each item, mask.sum(dim=1, keepdim=True).",
            _sum, evidence.entry),
        Misconception(
            "mask-inverted", "The mask was read the wrong way round, in the sum or in the count: padding has taken the "
            "place of the real tokens.",
            "True = real token. Keep what is True; with masked_fill fill where ~mask.",
            _turned_around(), evidence.entry),
        Misconception(
            "one-count-for-all", "Every item was divided by the same number: the real tokens of the whole batch or of "
            "another item, a mean of the counts, or the number of items.",
            "Each item has its own number of real tokens: count along axis 1, mask.sum(dim=1, keepdim=True).",
            tuple(_counted_by(count) for count in (
                lambda h, m: m.sum(), lambda h, m: m.sum(1).max(), lambda h, m: m.sum(1).min(), lambda h, m: m[0].sum(),
                lambda h, m: m[-1].sum(), lambda h, m: m.sum(1).to(h.dtype).mean(), lambda h, m: len(h))),
            evidence.entry),
        Misconception(
            "one-mean-for-all", "All tokens of the batch went into one mean. hidden[mask] does that: it forgets which "
            "item a token belongs to.",
            "Each item needs a vector of its own: keep the batch axis, and sum along axis 1.",
            (lambda h, m: h[m].mean(0), lambda h, m: h[m].mean(0, keepdim=True), lambda h, m: h.mean((0, 1)),
             lambda h, m: h[m].mean(0).expand(len(h), -1).clone(),
             lambda h, m: h.mean((0, 1)).expand(len(h), -1).clone()), evidence.entry),
        Misconception(
            "one-number", "Everything became one number: the mean was taken over features and items too.",
            "Name the axis: sum(dim=1) leaves (B, C).",
            (lambda h, m: h[m].mean(), lambda h, m: h.mean(), lambda h, m: _filled(h, m).mean(),
             lambda h, m: _filled(h, m).sum() / m.sum()), evidence.shape),
        Misconception(
            "over-features", "The sum runs over the features: what is left is one number for each token, (B, T).",
            "Tokens are axis 1 of (B, T, C), and the features stay: sum(dim=1).",
            (lambda h, m: h.mean(-1), lambda h, m: _filled(h, m).mean(-1), lambda h, m: _filled(h, m).sum(-1),
             lambda h, m: _filled(h, m).sum(-1) / _count(m)), evidence.shape),
        Misconception(
            "over-batch", "The sum runs over the items of the batch: what is left is one vector for each place, "
            "(T, C).",
            "Tokens are axis 1 of (B, T, C): sum(dim=1).",
            (lambda h, m: h.mean(0), lambda h, m: _filled(h, m).mean(0), lambda h, m: _filled(h, m).sum(0),
             lambda h, m: _filled(h, m).sum(0) / m.sum(0).unsqueeze(-1),
             lambda h, m: _filled(h, m).sum(0) / m.sum(0).unsqueeze(-1).clamp(min=1)), evidence.shape),
        Misconception(
            "not-summed", "The tokens still stand apart, (B, T, C): nothing was summed.",
            "Sum along axis 1, then divide by the number of real tokens.",
            (_filled, lambda h, m: _filled(h, m) / _count(m).unsqueeze(-1), lambda h, m: h / _count(m).unsqueeze(-1)),
            evidence.shape),
        Misconception(
            "one-item-only", "The mean of one item alone came back.",
            "If a loop makes the means: `return` inside it ends the function at once. Collect them in a list, and "
            "torch.stack(list) after the loop.",
            tuple(lambda h, m, i=i, shape=shape: h[i][m[i]].mean(0).reshape(shape)
                  for i in (0, -1) for shape in ((-1,), (1, -1))), evidence.shape),
        Misconception(
            "ragged", "hidden[mask] puts the real tokens of all items one below the other, and items with different "
            "numbers of them do not fit into one tensor (B, n, C) again.",
            "Keep the shape, set padded tokens to 0, and sum along axis 1; or choose in a loop, item by item: h[m].",
            (lambda h, m: h[m].reshape(h.size(0), -1, h.size(2)).mean(1),)),
        Misconception(
            "axis-kept", "The numbers are right, but the axis of the tokens is still there: (B, 1, C).",
            "keepdim=True keeps a summed axis with size 1: leave it out where hidden is summed, or squeeze(1) at the "
            "end.",
            lambda h, m: _mean(h, m).unsqueeze(1), evidence.shape),
        Misconception(
            "transposed", "The numbers are right, but items and features have changed places: (C, B).",
            "The batch stays in front: (B, C).", lambda h, m: _mean(h, m).T, evidence.shape),
        Misconception(
            "first-token", "This is the vector of the first token alone: [CLS] in a BERT, or padding where that "
            "stands in front.",
            "All real tokens have their share: a sum along axis 1, and a count.",
            lambda h, m: h[:, 0], evidence.entry),
        Misconception(
            "first-real-token", "This is the vector of the first real token alone.",
            "All real tokens have their share: a sum along axis 1, and a count.",
            lambda h, m: _at(h, m.int().argmax(1)), evidence.entry),
        Misconception(
            "last-token", "This is the vector of the token in the last place alone, real or padding.",
            "All real tokens have their share: a sum along axis 1, and a count.",
            lambda h, m: h[:, -1], evidence.entry),
        Misconception(
            "last-real-token", "One token alone was read: the last real one, or the one in place n - 1, where the last "
            "of n real tokens stands if padding is behind.",
            "All real tokens have their share: a sum along axis 1, and a count.",
            (lambda h, m: _at(h, _last_place(m)), lambda h, m: _at(h, m.sum(1) - 1)), evidence.entry),
        Misconception(
            "first-n", "The first n tokens were averaged, n being the number of real ones. These are the real ones "
            "only where all padding is behind.",
            "The mask says which tokens are real, not only how many: multiply by it, or choose with it, item by item.",
            (_rows(lambda h, m: h[:m.sum()].mean(0)),), evidence.entry),
        Misconception(
            "last-n", "The last n tokens were averaged, n being the number of real ones. These are the real ones only "
            "where all padding is in front.",
            "The mask says which tokens are real, not only how many: multiply by it, or choose with it, item by item.",
            (_rows(lambda h, m: h[len(h) - m.sum():].mean(0)),), evidence.entry),
        Misconception(
            "up-to-the-last", "Everything up to the last real token was averaged: padding in front of it, or in gaps, "
            "went in too.",
            "The mask says for each token whether it is real: multiply by it, or choose with it, item by item.",
            (_rows(lambda h, m: h[:m.nonzero().max() + 1].mean(0)),), evidence.entry),
        Misconception(
            "token-left-out", "The first token was left out, or the first and the last: here every token where the "
            "mask is True counts.",
            "Which tokens are real is said by mask alone; use all of its T places.",
            (*_without_ends(None), *_without_ends(-1)), evidence.entry),
        Misconception(
            "maximum", "This is the largest number of each feature, not the mean.",
            "A sum, divided by a count.",
            (lambda h, m: _filled(h, m, -_INF).amax(1), lambda h, m: h.amax(1), lambda h, m: _filled(h, m).amax(1),
             lambda h, m: _filled(h, m, -1e9).amax(1)), evidence.entry),
        Misconception(
            "filled-like-scores", "Padded tokens were filled with -inf, NaN or a huge negative number, and that went "
            "into the mean.",
            "-inf hides a score, since exp(-inf) = 0. In a sum it is 0 that adds nothing.",
            tuple(mean for value in (-_INF, -1e9, -1e4, float("nan"), torch.finfo(torch.float32).min) for mean in (
                lambda h, m, v=value: _filled(h, m, v).mean(1),
                lambda h, m, v=value: _filled(h, m, v).sum(1) / _count(m))), evidence.entry),
        Misconception(
            "softmax", "A softmax is at work here; but all real tokens count the same, and padding not at all.",
            "The share of a real token is 1 / n: a sum, divided by a count.",
            (_mask_weights, lambda h, m: _mean(h, m).softmax(-1), lambda h, m: (h.softmax(1) * h).sum(1),
             lambda h, m: (_filled(h, m, -_INF).softmax(1) * h).sum(1), lambda h, m: _mean(h.softmax(-1), m)),
            evidence.entry),
        Misconception(
            "normalised", "The mean was brought to length 1 at the end.",
            "That is a step of its own, for comparing texts; here the mean itself is wanted.",
            lambda h, m: F.normalize(_mean(h, m), dim=-1), evidence.entry),
        Misconception(
            "tokens-normalised", "Each token was brought to length 1 before the mean.",
            "Take the tokens as they are: a long vector has more weight in the mean, and may have it.",
            lambda h, m: _mean(F.normalize(h, dim=-1), m), evidence.entry),
        Misconception(
            "large-epsilon", "The number that keeps the division from 0 / 0 is so large that it changes the mean.",
            "Every item has a real token here, so you can do without it; 1e-9 would be small enough.",
            tuple(_counted_by(lambda h, m, e=e: _count(m) + e) for e in (1, 0.1, 1e-2, 1e-3))
            + (_counted_by(lambda h, m: _count(m).clamp(min=2)),), evidence.entry),
        Misconception(
            "one-less", "The sum was divided by n - 1: one real token was not counted.",
            "n tokens, n shares: n - 1 belongs to a variance. (If a guard keeps it from 0, leave that out too.)",
            (_counted_by(lambda h, m: _count(m) - 1), _counted_by(lambda h, m: (_count(m) - 1).clamp(min=1))),
            evidence.entry),
        Misconception(
            "divided-by-root", "The sum was divided by the square root of the number of real tokens.",
            "Divide by the number itself; the root belongs to the scores of attention.",
            _counted_by(lambda h, m: _count(m).to(h.dtype).sqrt()), evidence.entry),
        Misconception(
            "divided-twice", "The sum was divided twice: by the number of real tokens, and once more. (mean(dim=1) "
            "divides too, by T.)",
            "Take the sum, not the mean, and divide it by the number of real tokens.",
            (lambda h, m: _filled(h, m).mean(1) / _count(m), lambda h, m: _mean(h, m) / _count(m)), evidence.entry),
        Misconception(
            "divided-by-features", "The sum was divided by C, the number of features.",
            "A mean of n tokens is their sum divided by n: mask.sum(dim=1, keepdim=True).",
            (_counted_by(lambda h, m: h.size(-1)), _counted_by(lambda h, m: _count(m) * h.size(-1))), evidence.entry),
        Misconception(
            "zeros-not-counted", "Numbers that are not 0 were counted, not tokens: a real token may well have a "
            "feature that is 0.",
            "The count comes from the mask alone: mask.sum(dim=1, keepdim=True).",
            (_counted_by(lambda h, m: (_filled(h, m) != 0).sum(1)), _counted_by(lambda h, m: (h != 0).sum(1)),
             _counted_by(lambda h, m: (_filled(h, m) != 0).sum(1).clamp(min=1)),
             _counted_by(lambda h, m: (_filled(h, m) != 0).sum(1).clamp(min=1e-9)),
             lambda h, m: h.sum(1) / (h != 0).sum(1)), evidence.entry),
        Misconception(
            "whole-numbers", "Something was rounded to whole numbers: // does that, and so do long(), int() and "
            "round().",
            "Divide with /, which keeps the fraction.",
            (lambda h, m: _sum(h, m) // _count(m), lambda h, m: torch.div(_sum(h, m), _count(m), rounding_mode="trunc"),
             lambda h, m: _mean(h, m).round(), lambda h, m: _mean(h.long(), m),
             lambda h, m: _sum(h, m).long() / _count(m), lambda h, m: _mean(h, m).long(),
             lambda h, m: _sum(h, m).long() // _count(m)), evidence.entry),
        Misconception(
            "mask-not-lined-up", "mask (B, T) does not line up with hidden (B, T, C): shapes are compared from the "
            "right, and there T meets C.",
            "Give the mask an axis of size 1 at the end: mask.unsqueeze(-1), or mask[..., None], is (B, T, 1).",
            tuple(lambda h, m, use=use, axis=axis: _mean(use(h, axis(m)), m)
                  for use in (lambda h, m: h * m, lambda h, m: h.masked_fill(~m, 0.0),
                              lambda h, m: torch.where(m, h, 0.0), lambda h, m: h.where(m, 0.0))
                  for axis in (lambda m: m, lambda m: m.unsqueeze(1), lambda m: m.unsqueeze(0)))),
        Misconception(
            "count-not-lined-up", "The count (B,) does not line up with the sum (B, C): shapes are compared from the "
            "right, and there B meets C.",
            "Keep the summed axis: mask.sum(dim=1, keepdim=True) is (B, 1), and serves all features of an item.",
            _counted_by(lambda h, m: m.sum(1))),
        Misconception(
            "counted-along-the-batch", "The mask was summed along axis 0, the batch: that counts the items in which "
            "each place is real, (T,).",
            "Count the tokens of each item, axis 1: mask.sum(dim=1, keepdim=True) is (B, 1).",
            (_counted_by(lambda h, m: m.sum(0)), _counted_by(lambda h, m: m.sum(0, keepdim=True)),
             _counted_by(lambda h, m: m.sum(0).unsqueeze(-1)),
             _counted_by(lambda h, m: m.sum(0).clamp(min=1)))),
        Misconception(
            "three-axes-divided", "The sum (B, C) was divided by a count with three axes, (B, 1, 1): each sum met the "
            "counts of all items, and one axis too many came out.",
            "The sum has two axes, so the count needs two: mask.sum(dim=1, keepdim=True) is (B, 1).",
            _counted_by(lambda h, m: _count(m).unsqueeze(-1)), evidence.shape),
    ),
    hints=(
        "Two things for each item: the sum of its real tokens, (B, C), and how many there are, (B, 1). A padded token "
        "adds nothing to a sum if it is 0 there.",
        "mask.unsqueeze(-1) is (B, T, 1) and lines up with hidden (B, T, C). Sum along axis 1, above and below.",
        "real = mask.unsqueeze(-1); return (hidden * real).sum(dim=1) / real.sum(dim=1)",
    ),
    laws=(laws.FINITE,), experiments=_MEANS,
    after="However long a text is, it is one vector now, and texts can be compared.",
)

EXERCISES = (BERT_SELF_ATTENTION, MEAN_POOL)
