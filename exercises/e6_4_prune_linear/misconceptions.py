"""What people get wrong in exercise 6.4, prune_linear."""

import torch

from exercises.common import explainers
from exercises.common.block import _known
from exercises.e6_4_prune_linear.shared import _origin


def _of_heads(weight, heads, num_heads, dim):
    """Which features stay, as True and False."""
    keep = torch.tensor([h not in heads for h in range(num_heads)], dtype=torch.bool)
    return keep.repeat_interleave(weight.size(dim) // num_heads)


def _features(test, size_of=None):
    """Keep feature i where test(i, D, num_heads, heads)."""

    def features(weight, heads, num_heads, dim):
        size = weight.size(dim)
        width = max(1, (weight.size(1 - dim) if size_of else size) // num_heads)
        return torch.tensor([test(i, width, num_heads, heads) for i in range(size)], dtype=torch.bool)

    return features


def _where(keep):
    return keep.nonzero().flatten()


_TAKES = (lambda t, dim, keep: t.index_select(dim, _where(keep)),
          lambda t, dim, keep: t[_where(keep)] if dim == 0 else t[:, _where(keep)],
          lambda t, dim, keep: t[keep] if dim == 0 else t[:, keep])


def _bias_left(bias, keep, dim):
    return bias if bias is None or dim == 1 else bias[keep]


def _pruned(features=_of_heads, cut=_TAKES[0], cut_dim=lambda dim: dim, bias_of=_bias_left,
            finish=lambda weight, bias: (weight, bias)):
    """Pruning step by step: right with these steps, wrong in one way with another."""

    def prune(weight, bias, heads, num_heads, dim):
        keep = features(weight, heads, num_heads, dim)
        return finish(cut(weight, cut_dim(dim), keep), bias_of(bias, keep, dim))

    return prune


def _in_all_styles(**steps):
    """The steps with each way of cutting: on other axes than asked for they fail in other words."""
    return tuple({**steps, "cut": cut} for cut in _TAKES)


def _counted_along(axis):
    """Features counted and cut along one axis, whatever dim is; the bias for dim 0 only, always or never."""
    return tuple({"features": lambda w, heads, n, dim, features=features: features(w, heads, n, axis), "cut": cut,
                  "cut_dim": lambda dim: axis, "bias_of": bias_of}
                 for features in (_of_heads, _features(lambda i, width, n, heads: i // width not in heads))
                 for cut in _TAKES for bias_of in (_bias_left, lambda bias, keep, dim: bias if bias is None else bias[
                     keep], lambda bias, keep, dim: bias))


def _exchanged():
    """Rows cut for dim 1 and columns for dim 0; the features counted along either axis, the bias cut or not."""
    counted = (_of_heads, lambda w, heads, n, dim: _of_heads(w, heads, n, 1 - dim),
               lambda w, heads, n, dim: _features(lambda i, width, n, heads: i // width not in heads)(
                   w, heads, n, 1 - dim))

    def cut_for(dims, cut):
        return lambda bias, keep, dim: bias if bias is None or dim not in dims else cut(bias, 0, keep)

    return tuple({"features": features, "cut": cut, "cut_dim": lambda dim: 1 - dim, "bias_of": cut_for(dims, cut)}
                 for features in counted for cut in (*_TAKES, _as_far_as_it_goes) for dims in ((0,), (), (0, 1), (1,)))


def _as_far_as_it_goes(t, dim, keep):
    """Slices, unlike an index, may reach beyond the end."""
    features = _where(keep)
    return t.index_select(dim, features[features < t.size(dim)])


def _always(axis):
    """The argument dim ignored."""
    return lambda weight, bias, heads, num_heads, dim: _pruned()(weight, bias, heads, num_heads, axis)


def _only(choose):
    """Only some of the heads taken out."""
    return {"features": lambda weight, heads, num_heads, dim: _of_heads(
        weight, choose(list(heads)), num_heads, dim)}


def _one_after_another(order, again=False):
    """Heads cut out in turn, though each cut moves the heads behind it."""

    def prune(weight, bias, heads, num_heads, dim):
        width = weight.size(dim) // num_heads
        for h in order(heads):
            if again:
                width = weight.size(dim) // num_heads
            parts = [weight.narrow(dim, min(start, weight.size(dim)), max(0, min(end, weight.size(dim)) - start))
                     for start, end in ((0, h * width), ((h + 1) * width, weight.size(dim)))]
            weight = torch.cat(parts, dim)
            if dim == 0 and bias is not None:
                bias = torch.cat([bias[:h * width], bias[(h + 1) * width:]])
        return weight, bias

    return prune


def _zeroed(weight, bias, heads, num_heads, dim):
    keep = _of_heads(weight, heads, num_heads, dim)
    return weight * (keep[:, None] if dim == 0 else keep), bias if bias is None or dim == 1 else bias * keep


def _cut_by_blocks(weight, bias, heads, num_heads, dim):
    """Right, but the heads keep an axis of their own."""
    keep = torch.tensor([h not in heads for h in range(num_heads)], dtype=torch.bool)
    blocks = weight.unflatten(dim, (num_heads, -1)).index_select(dim, _where(keep))
    return blocks, bias if bias is None or dim == 1 else bias.unflatten(0, (num_heads, -1))[keep]


def _index_by(make):
    """keep[make(heads)] = False."""

    def features(weight, heads, num_heads, dim):
        keep = torch.ones(num_heads, dtype=torch.bool)
        keep[make(heads)] = False
        return keep.repeat_interleave(weight.size(dim) // num_heads)

    return {"features": features}


def _made_of(heads):
    return {"features": lambda weight, h, num_heads, dim: _of_heads(weight, heads(h), num_heads, dim)}


def _line_from(case):
    return _origin(case) or explainers.entry(case)


def _listed(order, pick, bias_too=True):
    """The features of the heads that go, in a list; `pick` takes them."""

    def prune(weight, bias, heads, num_heads, dim):
        width = weight.size(dim) // num_heads
        starts = [h * width for h in order(heads)]
        left = pick(weight, dim, starts, width)
        return left, pick(bias, 0, starts, width) if bias_too and bias is not None and dim == 0 else bias

    return {"answer": prune}


def _from_starts(starts, width):
    return torch.tensor([start + n for start in starts for n in range(width)])


_PICKS = (lambda t, dim, starts, width: t.index_select(dim, _from_starts(starts, width)),
          lambda t, dim, starts, width: t[_from_starts(starts, width)] if dim == 0 else t[:, _from_starts(
              starts, width)],
          lambda t, dim, starts, width: torch.cat([t.narrow(dim, start, width) for start in starts], dim))


def _dealt_out(weight, bias, heads, num_heads, dim):
    """Head h gets h, h + num_heads and so on, and what stays is ordered by heads."""
    features = torch.tensor([i for h in range(num_heads) if h not in heads
                             for i in range(h, weight.size(dim), num_heads)])
    return weight.index_select(dim, features), bias if bias is None or dim == 1 else bias[features]


_PRUNINGS = (
    ("wrong-axis", "Rows and columns are exchanged: dim 0 is to cut rows, dim 1 columns.",
     "dim counts the axes of weight: 0 are its rows, 1 its columns. weight[rows] and weight[:, columns].",
     _exchanged(), _line_from),
    ("always-rows", "Rows were taken out for dim 1 as well, where columns are asked for.",
     "dim=1: weight[:, features], or weight.index_select(dim, features).",
     ({"answer": _always(0)}, *_in_all_styles(cut_dim=lambda dim: 0),
      *(style for at in (lambda keep: keep, _where) for style in _in_all_styles(
          cut_dim=lambda dim: 0, bias_of=lambda bias, keep, dim, at=at: bias if bias is None else bias[at(keep)])),
      {"cut": _as_far_as_it_goes, "cut_dim": lambda dim: 0, "bias_of": lambda bias, keep, dim: bias if bias is None else
       _as_far_as_it_goes(bias, 0, keep)}, *_counted_along(0)),
     _line_from),
    ("always-columns", "Columns were taken out for dim 0 as well, where rows are asked for.",
     "dim=0: weight[features], or weight.index_select(dim, features).",
     ({"answer": _always(1)}, *_in_all_styles(cut_dim=lambda dim: 1), *_counted_along(1)),
     _line_from),
    ("bias-not-pruned", "The weight is right, but for dim 0 the bias kept all its entries.",
     "Each row of weight has one entry of bias: where the row goes, its entry goes too.",
     ({"bias_of": lambda bias, keep, dim: bias},), None),
    ("bias-always-pruned", "For dim 1 the bias was pruned as well.",
     "bias has one entry for each row. Columns are inputs, and all outputs stay: for dim 1 leave bias as it is.",
     ({"bias_of": lambda bias, keep, dim: None if bias is None else bias[keep]},
      {"bias_of": lambda bias, keep, dim: None if bias is None else bias[_where(keep)]},
      {"bias_of": lambda bias, keep, dim: None if bias is None else bias.index_select(0, _where(keep))}), None),
    ("bias-for-columns", "The bias was pruned for dim 1, and not for dim 0: it should be the other way round.",
     "bias has one entry for each row of weight; dim 0 are the rows.",
     tuple({"bias_of": lambda bias, keep, dim, take=take: bias if bias is None or dim == 0 else take(bias, keep)}
           for take in (lambda b, keep: b[keep], lambda b, keep: b[_where(keep)],
                        lambda b, keep: b.index_select(0, _where(keep)))), None),
    ("bias-lost", "The bias came back as None where a bias was given.",
     "Only where bias is None does None come back; for dim 1 it comes back as it is.",
     ({"bias_of": lambda bias, keep, dim: None},
      {"bias_of": lambda bias, keep, dim: None if bias is None or dim == 1 else bias[keep]},
      {"bias_of": lambda bias, keep, dim: None if dim == 0 else bias}), None),
    ("bias-none", "Without a bias the code stops: bias is None then, and None has no entries.",
     "`if bias is not None and dim == 0` before the bias is touched.",
     ({"bias_of": lambda bias, keep, dim: bias if dim == 1 else bias[keep]},
      {"bias_of": lambda bias, keep, dim: bias if dim == 1 else bias.index_select(0, _where(keep))},
      {"bias_of": lambda bias, keep, dim: bias if dim == 1 else bias.clone()[keep]},
      {"bias_of": lambda bias, keep, dim: bias.clone() if dim == 1 else bias[keep]},
      {"bias_of": lambda bias, keep, dim: bias if dim == 1 else bias.unflatten(0, (1, -1))[0][keep]},
      {"bias_of": lambda bias, keep, dim: bias if dim == 1 else bias.view(-1)[keep]},
      {"bias_of": lambda bias, keep, dim: bias if dim == 1 else bias.reshape(-1)[keep]},
      {"bias_of": lambda bias, keep, dim: bias if dim == 1 else torch.index_select(bias, 0, _where(keep))}), None),
    ("bias-zeros", "Where no bias was given, yours came back as a tensor of zeros.",
     "A layer without bias stays one without: None comes back as None.",
     ({"answer": lambda w, b, heads, n, dim: _pruned()(w, w.new_zeros(len(w)) if b is None else b, heads, n, dim)},),
     None),
    ("pruned-kept", "It is the pruned heads that stayed, and the others that went.",
     "heads says which ones go: keep head h where h is not in heads.",
     ({"features": lambda w, heads, n, dim: ~_of_heads(w, heads, n, dim)},), _line_from),
    ("pruned-listed", "With no heads to prune your list of features is empty: it holds those that go, not those that "
     "stay.",
     "heads says which ones go: list the features of head h where h is not in heads.",
     tuple(_listed(order, pick, bias_too) for order in (list, sorted) for pick in _PICKS for bias_too in (True, False)),
     None),
    ("interleaved", "The features were dealt out in turn: feature i was taken for one of head i % num_heads.",
     "Head h owns D neighbours, h * D to (h + 1) * D - 1: feature i belongs to head i // D.",
     ({"features": _features(lambda i, width, n, heads: i % n not in heads)}, {"answer": _dealt_out}), _line_from),
    ("num-heads-as-size", "num_heads was taken for the size of a head: feature i was given to head i // num_heads.",
     "A head has D = weight.size(dim) // num_heads features: feature i belongs to head i // D.",
     ({"features": _features(lambda i, width, n, heads: i // n not in heads)},), _line_from),
    ("interleaved-by-size", "Feature i was taken for one of head i % D: that is its place within a head.",
     "The head is the whole part of the division, i // D; the rest, i % D, says which of its features.",
     ({"features": _features(lambda i, width, n, heads: i % width not in heads)},), _line_from),
    ("size-of-other-axis", "The size of a head was taken from the other axis of weight.",
     "Along dim a head has weight.size(dim) // num_heads features.",
     ({"features": _features(lambda i, width, n, heads: i // width not in heads, size_of="the other axis")},
      *_in_all_styles(features=lambda w, heads, n, dim: _of_heads(w, heads, n, 1 - dim))), _line_from),
    ("size-from-rows", "The size of a head was always taken from the rows: weight.size(0) // num_heads, for dim 1 too.",
     "Along dim a head has weight.size(dim) // num_heads features.",
     _in_all_styles(features=lambda w, heads, n, dim: _of_heads(w, heads, n, 0)), _line_from),
    ("size-from-columns", "The size of a head was always taken from the columns: weight.size(1) // num_heads, for dim "
     "0 too.",
     "Along dim a head has weight.size(dim) // num_heads features.",
     _in_all_styles(features=lambda w, heads, n, dim: _of_heads(w, heads, n, 1)), _line_from),
    ("one-feature-each", "One row or column was taken out for each head: the head's number was used as a feature's.",
     "A head has D = weight.size(dim) // num_heads features: h * D to (h + 1) * D - 1.",
     ({"features": _features(lambda i, width, n, heads: i not in heads)},), None),
    ("first-feature-each", "Only the first feature of each pruned head went.",
     "All D features of a head go: h * D to (h + 1) * D - 1.",
     ({"features": _features(lambda i, width, n, heads: i not in [h * width for h in heads])},), None),
    ("heads-not-features", "Whole heads were counted, and features meant: of all features only as many as there are "
     "heads were looked at.",
     "Each head that stays keeps D features: repeat_interleave(D) turns a list of heads into one of features.",
     ({"features": lambda w, heads, n, dim: torch.tensor(
         [i < n and i not in heads for i in range(w.size(dim))], dtype=torch.bool)},), None),
    ("counted-from-1", "The heads were counted from 1.", "Head 0 is the first one.",
     ({"features": _features(lambda i, width, n, heads: i // width + 1 not in heads)},), _line_from),
    ("next-head", "It is the head after each pruned one that went.",
     "Head h owns the features h * D to (h + 1) * D - 1.",
     ({"features": _features(lambda i, width, n, heads: i // width - 1 not in heads)},), _line_from),
    ("zeroed", "The pruned heads were set to 0, and are still there.",
     "They are to go: choose the features that stay, weight[features] or index_select.",
     ({"answer": _zeroed},
      {"answer": lambda w, b, heads, n, dim: (_zeroed(w, b, heads, n, dim)[0], b)}), None),
    ("one-after-another", "The heads were cut out one after the other, and after each cut those behind have moved up: "
     "the next number means another head.",
     "Choose all features that stay first, and cut once; or begin with the last head, sorted(heads, reverse=True).",
     tuple({"answer": _one_after_another(order, again)} for order in (list, sorted) for again in (False, True)),
     _line_from),
    ("one-head-only", "Only one head went, however many are in heads.",
     "Go through all of heads. If a loop does it: does `return` stand behind the loop?",
     (_only(lambda heads: heads[:1]), _only(lambda heads: heads[-1:]), _only(lambda heads: sorted(heads)[:1]),
      _only(lambda heads: sorted(heads)[-1:])), None),
    ("counted-heads", "As many heads went as heads holds, but the first or the last ones, whichever numbers it holds.",
     "heads holds the numbers of the heads that go.",
     ({"features": lambda w, heads, n, dim: _of_heads(w, range(len(heads)), n, dim)},
      {"features": lambda w, heads, n, dim: _of_heads(w, range(n - len(heads), n), n, dim)}), _line_from),
    ("up-to", "A whole stretch of heads went, from the least in heads to the largest.",
     "Only the heads in heads go; those between may stay.",
     ({"features": lambda w, heads, n, dim: _of_heads(
         w, range(min(heads), max(heads) + 1) if heads else (), n, dim)},), None),
    ("heads-apart", "The right heads went, but the others still have an axis of their own.",
     "Join the heads that stay with their features again: flatten, or reshape to two axes.",
     ({"answer": _cut_by_blocks},
      {"answer": lambda w, b, heads, n, dim: (_cut_by_blocks(w, b, heads, n, dim)[0], _pruned()(
          w, b, heads, n, dim)[1])}), None),
    ("in-another-order", "The right features stayed, but in another order.",
     "What stays keeps its order: the rows and columns of other layers are in the same one.",
     ({"cut": lambda t, dim, keep: _TAKES[0](t, dim, keep).flip(dim),
       "bias_of": lambda bias, keep, dim: bias if bias is None or dim == 1 else bias[keep].flip(0)},
      {"cut": lambda t, dim, keep: _TAKES[0](t, dim, keep).flip(dim)}), _line_from),
    ("transposed", "The weight came back transposed.", "It keeps its form: (out, in), rows first.",
     ({"finish": lambda weight, bias: (weight.T, bias)},
      {"finish": lambda weight, bias: (weight.T.contiguous(), bias)}), _line_from),
    ("only-weight", "Only the weight came back; the bias belongs to the answer, even where it is None.",
     "End with `return weight, bias`.", ({"finish": lambda weight, bias: weight},), None),
    ("bias-first", "The pair is the wrong way round: bias, then weight.", "End with `return weight, bias`.",
     ({"finish": lambda weight, bias: (bias, weight)},), None),
    ("unchanged", "Everything came back as it was: nothing was taken out.",
     "Indexing and index_select return a new tensor; keep what they return.",
     ({"answer": lambda w, b, heads, n, dim: (w, b)},), None),
    ("not-an-index", "heads was treated as a list: looked up by place, used as an index or made into a tensor. It may "
     "be a set, which goes with none of that.",
     "Make a list of it first: list(heads). Or ask for each head whether it is in it: h in heads.",
     (_index_by(lambda heads: heads), _index_by(torch.tensor),
      _made_of(lambda heads: [heads[i] for i in range(len(heads))])), None),
    ("empty-collection", "With no heads to prune it stops: torch.tensor([]) holds floats, and they cannot be an index.",
     "torch.tensor(list(heads), dtype=torch.long); or keep the plain list, which works as an index too.",
     (_index_by(lambda heads: torch.tensor(list(heads))), _index_by(lambda heads: torch.tensor(sorted(heads))),
      _index_by(lambda heads: torch.tensor([*heads]))), None),
)


def _pruning_answer(answer=None, **steps):
    return answer or _pruned(**steps)


MISCONCEPTIONS = _known(_pruning_answer, _PRUNINGS)
