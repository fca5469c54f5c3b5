"""Exercises 3.1 to 3.5: masks, and the roads from a mask to weights."""

import math

import torch
import torch.nn.functional as F

from helpers import masks
from helpers.checks import evidence, laws
from helpers.checks.catalogue import Exercise, Experiment, Misconception, Probe
from helpers.checks.inputs import CAUSAL, B, H, S, T, normal, padded, round_numbers, rows_of_weights, some_hidden
from helpers.checks.laws import COUNT_FROM_THE_END, FROM_THE_FRONT

_INF = float("inf")


# ---------------------------------------------------------------- 3.1

def _ones(length):
    return torch.ones(length, length, dtype=torch.bool)


def _additive(length):
    return torch.zeros(length, length).masked_fill(_ones(length).triu(1), -_INF)


CAUSAL_MASK = Exercise(
    id="3.1", name="causal_mask", signature="causal_mask(length)", minutes=4, difficulty=1,
    gives="a mask, bool (length, length), True on and below the diagonal: True = may attend",
    solution=masks.causal_mask, arguments=("length",), returns=("mask",),
    sizes=dict.fromkeys((2, 3, 5, 7, 13), "length"),
    probes=tuple(Probe(f"length {n}", (n,)) for n in (5, 7, 2, 1, 13)),
    small=((1,), (2,), (3,)),
    misconceptions=(
        Misconception(
            "upside-down", "The mask is upside down: position 0 sees the future, and the last position sees only "
            "itself.",
            "Row i may see the columns 0 to i: the lower triangle, tril.",
            lambda n: _ones(n).triu(), evidence.true_at),
        Misconception(
            "true-hides", "True and False are the wrong way round: yours is True where reading is forbidden.",
            "In this course, as in F.scaled_dot_product_attention, True = may attend. ~mask turns it around.",
            lambda n: _ones(n).triu(1), evidence.true_at),
        Misconception(
            "diagonal-hidden", "The diagonal is hidden: no position may see itself, and position 0 sees nothing at "
            "all, which makes its row NaN.",
            "A position may read itself: the diagonal belongs to it.",
            lambda n: _ones(n).tril(-1), evidence.true_at),
        Misconception(
            "one-step-ahead", "Each position also sees the next one: the word that it should predict.",
            "The border belongs at the diagonal: column <= row.",
            lambda n: _ones(n).tril(1), evidence.true_at),
        Misconception(
            "everything-visible", "Nothing is hidden: every entry is True.",
            "Positions after i must be False in row i.", _ones, evidence.true_at),
        Misconception(
            "nothing-visible", "Everything is hidden: every entry is False.",
            "Row i must be True in the columns 0 to i.", lambda n: ~_ones(n), evidence.true_at),
        Misconception(
            "only-itself", "Each position sees only itself: the past must be visible too.",
            "Row i may see the columns 0 to i.", lambda n: torch.eye(n, dtype=torch.bool), evidence.true_at),
        Misconception(
            "numbers-not-bool", "The triangle is right, but it holds numbers instead of True and False.",
            "A float mask of 0 and 1 is silently added to the scores by torch's own functions. Use dtype=torch.bool.",
            (lambda n: torch.ones(n, n).tril(), lambda n: torch.ones(n, n).int().tril(),
             lambda n: torch.ones(n, n).long().tril())),
        Misconception(
            "additive", "This is an additive mask of 0 and -inf; wanted is a bool mask.",
            "A bool mask says what is visible, and leaves it to the code how to hide the rest.",
            (_additive, lambda n: torch.full((n, n), -_INF).triu(1))),
    ),
    hints=(
        "Start from a square of True: torch.ones(length, length, dtype=torch.bool). Then cut a triangle out of it.",
        "tril keeps the lower triangle together with the diagonal.",
    ),
    after="Row i is True up to column i: a position sees itself and its past.",
)


# ---------------------------------------------------------------- 3.2

_WEIGHTS = tuple(rows_of_weights(*shape, seed=seed) for seed, shape in
                 enumerate(((T, T), (B, T, S), (B, H, T, S), (B, T, S))))
_MASKED_WEIGHTS = (
    Probe("a causal mask (T, T)", (_WEIGHTS[0], CAUSAL)),
    Probe("a mask (T, S) for a batch", (_WEIGHTS[1], some_hidden(T, S))),
    Probe("a padding mask (B, 1, S)", (_WEIGHTS[3], padded(3, 6))),
    Probe("a mask (B, 1, T, S) for heads", (_WEIGHTS[2], some_hidden(B, 1, T, S))),
    Probe("float64", (_WEIGHTS[1].double(), some_hidden(B, T, S, seed=2))),
    Probe("four items, one query each, a mask (S,)", (rows_of_weights(4, 1, S, seed=8), some_hidden(S))),
)
_SMALL_WEIGHTS = tuple((torch.tensor(w), torch.tensor(m)) for w, m in (
    ([[0.5, 0.5], [0.25, 0.75]], [[True, False], [True, True]]),
    ([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]], [[True, False, False], [True, True, False]])))


def _zeroed(w, mask):
    return w * mask


def _lower(x):
    """A causal mask of the size of x."""
    return torch.ones(x.shape[-2:], dtype=torch.bool).tril()


def _with_epsilon(epsilon):
    return lambda w, mask: _zeroed(w, mask) / (_zeroed(w, mask).sum(-1, keepdim=True) + epsilon)


def _normalised_first(w, mask):
    return w / w.sum(-1, keepdim=True) * mask


RENORMALIZING = Exercise(
    id="3.2", name="mask_by_renormalizing", signature="mask_by_renormalizing(weights, mask)", minutes=5,
    difficulty=2,
    gives="the weights with hidden keys zeroed, and each row made to sum to 1 again",
    solution=masks.mask_by_renormalizing, arguments=("weights", "mask"), returns=("weights",),
    probes=_MASKED_WEIGHTS, small=_SMALL_WEIGHTS,
    misconceptions=(
        Misconception(
            "not-renormalised", "Hidden keys got the weight 0, but the rest of the row was not made to sum to 1 "
            "again.",
            "What was taken from the hidden keys is missing: divide each row by its new sum.",
            (_zeroed, _normalised_first), evidence.row_sum),
        Misconception(
            "true-hides", "The mask was read the wrong way round: you kept what is hidden.",
            "True = may attend. Multiply by the mask itself, not by its opposite.",
            (lambda w, m: _zeroed(w, ~m) / _zeroed(w, ~m).sum(-1, keepdim=True), lambda w, m: _zeroed(w, ~m)),
            evidence.hidden_weight),
        Misconception(
            "mask-ignored", "The mask was never used: these are the weights that came in.",
            "weights * mask gives a new tensor; keep it.",
            (lambda w, m: w.clone(), lambda w, m: w / w.sum(-1, keepdim=True)), evidence.hidden_weight),
        Misconception(
            "own-causal-mask", "A causal mask was made here, whatever mask is given.",
            "Use the argument mask: it may be of any kind.",
            (lambda w, m: masks.mask_by_renormalizing(w, _lower(w)),), evidence.hidden_weight),
        Misconception(
            "divided-by-count", "The weights were divided by the number of visible keys, not by what they sum to.",
            "Sum the weights that are left: visible.sum(dim=-1, keepdim=True).",
            lambda w, m: _zeroed(w, m) / m.expand(w.shape).sum(-1, keepdim=True), evidence.row_sum),
        Misconception(
            "softmax-again", "A softmax was applied a second time: a weight of 0 becomes exp(0) = 1, so hidden keys "
            "are back, and the rest is flattened.",
            "The numbers are weights already; dividing by their sum is enough.",
            (lambda w, m: (w * m).softmax(-1),), evidence.hidden_weight),
        Misconception(
            "filled-weights", "A huge negative number was put into weights, and a softmax taken over them: a softmax "
            "of a softmax.",
            "-inf belongs into scores, before the softmax (exercise 3.3). Here multiply, then divide.",
            (lambda w, m: w.masked_fill(~m, -_INF).softmax(-1), lambda w, m: w.masked_fill(~m, -1e9).softmax(-1)),
            evidence.entry),
        Misconception(
            "columns-renormalised", "The columns were made to sum to 1, not the rows.",
            "Each query shares out its attention over its keys: sum over the last axis.",
            (lambda w, m: _zeroed(w, m) / _zeroed(w, m).sum(-2, keepdim=True),
             lambda w, m: _zeroed(w, m) / _zeroed(w, m).sum(0, keepdim=True),
             lambda w, m: _zeroed(w, m) / _zeroed(w, m).sum(1, keepdim=True)), evidence.row_sum),
        Misconception(
            "one-sum-for-all", "Everything was divided by one sum over the whole tensor.",
            "Each row has its own sum: sum(dim=-1, keepdim=True).",
            lambda w, m: _zeroed(w, m) / _zeroed(w, m).sum(), evidence.row_sum),
        Misconception(
            "large-epsilon", "The number added to the sum, to avoid dividing by 0, is so large that rows no longer "
            "sum to 1.",
            "Something like 1e-9 is enough, and here you can do without.",
            tuple(_with_epsilon(e) for e in (1.0, 0.1, 1e-2, 1e-3, 1e-4)), evidence.row_sum),
        Misconception(
            "mask-added", "The mask was added to the weights, not multiplied: True counts as 1.",
            "Multiplying by True keeps a number, by False makes it 0.",
            lambda w, m: (w + m) / (w + m).sum(-1, keepdim=True), evidence.hidden_weight),
        Misconception(
            "evenly-spread", "All visible keys got the same weight: the weights themselves were lost.",
            "Keep the proportions of the visible weights.",
            lambda w, m: (m / m.sum(-1, keepdim=True)).to(w.dtype).expand_as(w).clone(), evidence.entry),
    ),
    hints=(
        "Two steps: weights * mask sets the hidden ones to 0 (False counts as 0). Then a row may sum to less than 1.",
        "Divide by the new sum of each row; keepdim=True makes (T, 1) out of (T,), so that it lines up.",
    ),
    laws=(laws.FINITE, laws.POSITIVE, laws.HIDDEN, laws.ROWS),
    after="The visible keys keep their proportions and share out the whole row.",
)


# ---------------------------------------------------------------- 3.3

def _fill(value, dim=-1):
    return lambda s, m: F.softmax(s.masked_fill(~m, value), dim=dim)


def _times_minus_infinity(s, m):
    return (s + (1 - m.to(s.dtype)) * -_INF).softmax(-1)


_HUGE = torch.tensor([[0.0, 200.0, 200.0], [0.5, -0.5, 200.0], [0.1, 0.2, 0.3]])
_MASKED_SCORES = (
    Probe("a causal mask (T, T)", (normal(T, T, seed=1), CAUSAL)),
    Probe("a mask (T, S) for a batch", (normal(B, T, S, seed=2), some_hidden(T, S))),
    Probe("a padding mask (B, 1, S)", (normal(B, T, S, seed=3), padded(3, 6))),
    Probe("a mask (B, 1, T, S) for heads", (normal(B, H, T, S, seed=4), some_hidden(B, 1, T, S))),
    Probe("float64", (normal(B, T, S, seed=5).double(), some_hidden(B, T, S, seed=2))),
    Probe("scores around -7", (normal(T, T, seed=6) - 7, CAUSAL)),
    Probe("hidden scores above the visible ones", (normal(T, T, seed=7) + 5 * ~CAUSAL, CAUSAL)),
    Probe("four items, one query each, a mask (S,)", (normal(4, 1, S, seed=8), some_hidden(S))),
    Probe("equal scores, one visible key of 16", (torch.zeros(T, 16), torch.arange(16) == torch.arange(T)[:, None])),
)
_SMALL_SCORES = tuple((torch.tensor(s), torch.tensor(m)) for s, m in (
    ([[0.0, 1.0], [0.0, 1.0]], [[True, False], [True, True]]),
    ([[0.5, 2.0, 1.0], [1.0, 0.0, 3.0]], [[True, False, False], [True, True, False]])))
_LARGE = torch.tensor([[1000.0, 1001.0]])
_BELOW_THE_LEAST = tuple(lambda s, m, least=least, by=by: torch.where(m, s, least(s) - by).softmax(-1)
                         for least in (torch.min, lambda s: s.amin(-1, keepdim=True)) for by in (1, 2, 5, 10))
_ADVICE = ("One thing to know: try scores = [[0, 200, 200], [0.5, -0.5, 200], [0.1, 0.2, 0.3]] with a causal mask. A "
           "huge hidden score must not matter; with a low enough fill before the softmax it does not.")
_LOW = torch.tensor([[-20000.0, 0.0]])
_ADVISED = (
    Probe("huge hidden scores", (_HUGE, masks.causal_mask(3)), advice=_ADVICE),
    Probe("large scores", (_LARGE, torch.ones(1, 2, dtype=torch.bool)), rtol=1e-3, atol=1e-3,
          advice="One thing to know: try the scores [[1000, 1001]], both visible; torch's own softmax survives them."),
    Probe("a very low visible score", (_LOW, torch.tensor([[True, False]])),
          advice="One thing to know: try scores = [[-20000, 0]] with only the first key visible. It must get all the "
                 "weight, however low its score: fill with -inf, or with torch.finfo(scores.dtype).min."),
)

FILLING = Exercise(
    id="3.3", name="mask_by_filling", signature="mask_by_filling(scores, mask)", minutes=5, difficulty=2,
    gives="the weights: hidden scores are filled before the softmax, so that hidden keys get exactly 0",
    solution=masks.mask_by_filling, arguments=("scores", "mask"), returns=("weights",),
    probes=(*_MASKED_SCORES, *_ADVISED),
    small=_SMALL_SCORES,
    misconceptions=(
        Misconception(
            "zero-filled", "Hidden scores were set to 0 (or to a tiny number such as 1e-9), and exp(0) = 1: a score "
            "of 0 is an ordinary score.",
            "Which score becomes a weight of 0? Think of exp(x) for very negative x.",
            (_fill(0.0), lambda s, m: (s * m).softmax(-1), _fill(1e-9), _fill(-1e-9)),
            evidence.hidden_weight),
        Misconception(
            "weak-fill", "The fill is not low enough for these scores: hidden keys keep a weight.",
            "A score of -10 is hidden beside 0, but not beside -7, and 10 below the least score is not far enough. "
            "-inf is low enough beside everything.",
            (*(_fill(float(-v)) for v in (1, 2, 5, 10, 15)), *_BELOW_THE_LEAST), evidence.hidden_weight),
        Misconception(
            "positive-fill", "The fill is a huge positive number, so that hidden keys take everything.",
            "The sign: -inf, not inf.", (_fill(1e9), _fill(1e4)), evidence.entry),
        Misconception(
            "scaled-again", "The scores were divided once more before the softmax; here they come ready to use.",
            "Fill, then softmax: nothing else.",
            tuple(lambda s, m, size=size: (s.masked_fill(~m, -_INF) / math.sqrt(size(s))).softmax(-1)
                  for size in (lambda s: 2, lambda s: s.size(-1), lambda s: s.size(-2))), evidence.entry),
        Misconception(
            "infinite-fill", "The fill is +inf or NaN, and every row with a hidden key is NaN: inf - inf is no number.",
            "The sign: float('-inf').", (_fill(_INF),), evidence.not_a_number),
        Misconception(
            "softmax-twice", "A softmax was applied twice: for the second, a hidden weight of 0 is an ordinary score.",
            "Fill, then one softmax.",
            lambda s, m: s.masked_fill(~m, -_INF).softmax(-1).softmax(-1), evidence.hidden_weight),
        Misconception(
            "own-causal-mask", "A causal mask was made here, whatever mask is given.",
            "Use the argument mask: it may be of any kind.",
            (lambda s, m: masks.mask_by_filling(s, _lower(s)),), evidence.hidden_weight),
        Misconception(
            "true-hides", "The mask was read the wrong way round: visible keys were filled, hidden ones kept.",
            "masked_fill fills where its mask is True; yours is True where attending is allowed. Fill where ~mask.",
            (lambda s, m: s.masked_fill(m, -_INF).softmax(-1), lambda s, m: s.masked_fill(m, -1e9).softmax(-1)),
            evidence.hidden_weight),
        Misconception(
            "zero-times-infinity", "Every number is NaN. Multiplying a mask by -inf does that, since 0 * -inf is NaN, "
            "not 0; so does +inf as a score.",
            "Put -inf where ~mask is True: masked_fill or torch.where.",
            (_times_minus_infinity, lambda s, m: (s + (~m).to(s.dtype) * -_INF).softmax(-1),
             lambda s, m: (s * m + (~m).to(s.dtype) * -_INF).softmax(-1)), evidence.not_a_number),
        Misconception(
            "scores-times-infinity", "The scores were multiplied with -inf: a negative score becomes +inf.",
            "Replace a hidden score, do not multiply it.",
            (lambda s, m: torch.where(m, s, s * -_INF).softmax(-1),), evidence.not_a_number),
        Misconception(
            "mask-added", "The mask was added to the scores as numbers: visible ones stand 1 higher than hidden ones, "
            "and nothing is hidden.",
            "Only a mask of 0 and -inf can be added; this one holds True and False.",
            (lambda s, m: (s + m).softmax(-1), lambda s, m: (s + m.to(s.dtype)).softmax(-1)),
            evidence.hidden_weight),
        Misconception(
            "masked-after-softmax", "The mask came after the softmax, and nothing was divided: rows do not sum to 1.",
            "Fill the scores first; then the softmax shares everything out among the visible keys.",
            (lambda s, m: s.softmax(-1) * m, lambda s, m: s.softmax(-1).masked_fill(~m, 0.0)), evidence.row_sum),
        Misconception(
            "weights-filled", "-inf was put in after the softmax: the result holds -inf instead of 0.",
            "First fill the scores, then take the softmax.",
            (lambda s, m: s.softmax(-1).masked_fill(~m, -_INF), lambda s, m: s.softmax(-1).masked_fill(~m, -1e9)),
            evidence.entry),
        Misconception(
            "no-softmax", "These are the filled scores: the softmax is missing.",
            "End with .softmax(dim=-1).",
            (lambda s, m: s.masked_fill(~m, -_INF), lambda s, m: s.masked_fill(~m, -1e9)), evidence.entry),
        Misconception(
            "over-queries", "The softmax runs over the queries: columns sum to 1, rows do not.",
            "Each query shares out its attention over the keys: the last axis, dim=-1.",
            (_fill(-_INF, -2), _fill(-1e9, -2)), evidence.row_sum),
        Misconception(
            "axis-from-the-front", FROM_THE_FRONT, COUNT_FROM_THE_END,
            (_fill(-_INF, 0), _fill(-_INF, 1), _fill(-_INF, None), _fill(-1e9, 0), _fill(-1e9, 1)), evidence.row_sum),
        Misconception(
            "mask-ignored", "The mask was never used: these are the weights of unmasked attention.",
            "masked_fill returns a new tensor; the old one stays as it was. Keep what it returns.",
            lambda s, m: s.softmax(-1), evidence.hidden_weight),
    ),
    hints=(
        "exp(-inf) is exactly 0. Put -inf where the mask is False, then take the softmax over the last axis.",
        "scores.masked_fill(where, value) fills where `where` is True; ~mask is True where the mask is False.",
    ),
    laws=(laws.FINITE, laws.POSITIVE, laws.HIDDEN, laws.ROWS),
    after="Hidden scores became weights of 0, and the softmax shared out the rest.",
)


# ---------------------------------------------------------------- 3.4

def _positions(max_length):
    return torch.arange(max_length)


def _real(lengths, max_length):
    return _positions(max_length) < lengths[:, None, None]


def _pairs_of_real(lengths, max_length):
    """Padding applied to the queries as well."""
    real = _real(lengths, max_length)
    return real & real.transpose(-2, -1)


def _causal_in_place(lengths, max_length):
    return torch.ones(len(lengths), max_length, max_length, dtype=torch.bool).tril()


PADDING_MASK = Exercise(
    id="3.4", name="padding_mask", signature="padding_mask(lengths, max_length)", minutes=6, difficulty=2,
    gives="a mask, bool (B, 1, max_length), from lengths (B,): True where the key is a real token",
    solution=masks.padding_mask, arguments=("lengths", "max_length"), returns=("mask",),
    sizes={2: "", 3: "B", 5: "B", 7: "max_length", 13: "max_length", 11: "max_length"},
    probes=(
        Probe("three items", (torch.tensor([6, 4, 9]), 11)),
        Probe("one item, shorter than max_length", (torch.tensor([2]), 7)),
        Probe("three short items", (torch.tensor([11, 1, 9]), 13)),
        Probe("five items", (torch.tensor([4, 2, 7, 1, 5]), 7)),
    ),
    small=((torch.tensor([1]), 2), (torch.tensor([2, 1]), 2), (torch.tensor([1, 3]), 3)),
    misconceptions=(
        Misconception(
            "true-hides", "True and False are the wrong way round: yours is True at the padding.",
            "True = may attend, so real tokens are True. (nn.MultiheadAttention's key_padding_mask has it the other "
            "way.)",
            (lambda n, m: ~_real(n, m), lambda n, m: _positions(m) > n[:, None, None]), evidence.true_at),
        Misconception(
            "one-too-many", "One padding position is still visible: positions count from 0.",
            "The real tokens of an item of length 3 stand at 0, 1 and 2: position < length.",
            lambda n, m: _positions(m) <= n[:, None, None], evidence.true_at),
        Misconception(
            "one-too-few", "The last real token is hidden.",
            "The real tokens of an item of length 3 stand at 0, 1 and 2: position < length.",
            (lambda n, m: _positions(m) < n[:, None, None] - 1,
             lambda n, m: (_positions(m) < n[:, None, None] - 1) | False), evidence.true_at),
        Misconception(
            "no-query-axis", "The values are right, but the axis of the queries is missing: (B, max_length).",
            "Beside scores (B, T, S) the batch axis would be taken for the queries. Put an axis of size 1 between.",
            lambda n, m: _positions(m) < n[:, None]),
        Misconception(
            "queries-not-keys", "The mask runs along the queries: (B, max_length, 1) hides rows, not keys.",
            "Keys are the last axis. Every query, even one on padding, must not see padded keys.",
            lambda n, m: (_positions(m) < n[:, None])[:, :, None]),
        Misconception(
            "queries-too", "Padded queries were masked as well as padded keys: their whole rows are empty, which "
            "makes them NaN.",
            "Hide the padded keys only; what padded queries compute is thrown away later.",
            _pairs_of_real),
        Misconception(
            "batch-in-the-middle", "The values are right, but the batch stands in the middle: (1, B, max_length).",
            "The batch comes first: lengths[:, None, None] has the shape (B, 1, 1).",
            lambda n, m: (_positions(m) < n[:, None])[None]),
        Misconception(
            "full-size", "The values are right, but written out for every query: (B, max_length, max_length).",
            "An axis of size 1 is enough: it stretches to all queries by itself.",
            lambda n, m: _real(n, m).expand(-1, m, -1)),
        Misconception(
            "padding-in-front", "The real tokens are taken to stand at the end; here padding comes last.",
            "The first `length` positions are real.",
            (lambda n, m: _positions(m) >= m - n[:, None, None],), evidence.true_at),
        Misconception(
            "numbers-not-bool", "The mask is right, but it holds numbers instead of True and False.",
            "A comparison gives bool by itself: positions < lengths.",
            (lambda n, m: _real(n, m).float(), lambda n, m: _real(n, m).long(), lambda n, m: _real(n, m).int())),
        Misconception(
            "to-the-longest", "The mask is as wide as the longest item; max_length was not used.",
            "A batch may be padded further than its longest item: torch.arange(max_length).",
            lambda n, m: _real(n, int(n.max()))),
        Misconception(
            "everything-visible", "Nothing is hidden: every entry is True.",
            "A position is real only if it is smaller than the item's length.",
            lambda n, m: torch.ones(len(n), 1, m, dtype=torch.bool), evidence.true_at),
        Misconception(
            "longest-for-all", "Every item got the mask of the longest one.",
            "Each item has its own length: compare with lengths[:, None, None], or write to mask[b, 0, :n].",
            lambda n, m: _real(n.amax()[None], m).expand(len(n), 1, m).clone(), evidence.true_at),
        Misconception(
            "shortest-for-all", "Every item got the mask of the shortest one.",
            "Each item has its own length: compare with lengths[:, None, None], or write to mask[b, 0, :n].",
            lambda n, m: _real(n.amin()[None], m).expand(len(n), 1, m).clone(), evidence.true_at),
        Misconception(
            "first-item-only", "Every item got the mask of the first one.",
            "Each item has its own length: compare with lengths[:, None, None], or go through all of them.",
            lambda n, m: _real(n[:1], m).expand(len(n), 1, m).clone(), evidence.true_at),
        Misconception(
            "return-in-loop", "Only the first item has a mask: the loop ends at its first `return`.",
            "`return` leaves the function at once. Collect in the loop, and return after it.",
            (lambda n, m: _real(n[:1], m), lambda n, m: _real(n[:1], m)[0], lambda n, m: _real(n[:1], m)[0, 0])),
        Misconception(
            "causal", "This is a causal mask; padding does not depend on the query.",
            "Compare each position with the length of its item.", _causal_in_place),
    ),
    hints=(
        "torch.arange(max_length) gives the positions 0, 1, 2, ... A position is real if it is smaller than the "
        "item's length.",
        "Comparing (max_length,) with (B, 1, 1) gives (B, 1, max_length): lengths[:, None, None] has that shape.",
    ),
    after="One row for each item, stretched over all queries by broadcasting.",
)


# ---------------------------------------------------------------- 3.5

def _fully_masked():
    """A mask in which one item, and one row of the other, see nothing."""
    mask = some_hidden(B, T, S, seed=3)
    mask[1], mask[0, 2] = False, False
    return mask


def _zeros_after_softmax(dim):
    """The right road, over another axis."""
    return lambda s, m: F.softmax(s.masked_fill(~m, torch.finfo(s.dtype).min), dim=dim).masked_fill(~m, 0.0)


def _additive_10000(s, m):
    return (s + (~m).to(s.dtype) * -10000.0).softmax(-1)


def _first_key(s, m):
    """A fully masked row gives all to the first key."""
    weights = s.masked_fill(~m, -_INF).softmax(-1)
    first = torch.zeros_like(weights)
    first[..., 0] = 1
    return torch.where(m.any(-1, keepdim=True), weights, first)


def _empty_row(case):
    """What the first fully masked row holds."""
    empty = ~case.args[-1].expand(case.weights.shape).any(-1)
    at = tuple(int(i) for i in empty.nonzero()[0]) if empty.any() else None
    if at is None:
        return evidence.entry(case)
    row = ", ".join(evidence.number(v) for v in case.weights[at][:4])
    return f"row {evidence.place(at)} sees no key at all and should be all zeros; yours begins {row}"


def _with_gradients(attempt):
    """Weights, and the gradients of the scores, for a mask with fully masked rows."""
    scores = normal(B, T, S, seed=9).requires_grad_()
    weights = attempt(scores, _fully_masked())
    if weights.requires_grad:
        (weights * normal(B, T, S, seed=10)).sum().backward()
    return weights, scores.grad


def _gradients_flow(attempt):
    if attempt(normal(B, T, S, seed=9).requires_grad_(), _fully_masked()).requires_grad:
        return None
    return "The weights are right, but cut off from the scores: no gradient flows back, so nothing could be learned."


def _gradients_are_finite(attempt):
    """The first gradient that is not finite, as a sentence."""
    gradients = _with_gradients(attempt)[1]
    bad = ~gradients.isfinite()
    if not bad.any():
        return None
    item, query, key = bad.nonzero()[0].tolist()
    return (f"The weights are right, but their gradients are not: {int(bad.sum())} of {bad.numel()} gradients are "
            f"NaN, the first for scores[{item}, {query}, {key}]. One step of training would spoil the model.")


def _gradients_are_right(attempt):
    got, right = _with_gradients(attempt)[1], _with_gradients(masks.masked_softmax)[1]
    if torch.allclose(got, right, rtol=1e-3, atol=1e-4):
        return None
    at = evidence.worst(got, right)
    return (f"The weights are right, but their gradients are not: for scores{list(at)} it is "
            f"{evidence.number(got[at])}, and {evidence.number(right[at])} is right.")


_STAY_IN_TORCH = "Stay in torch all the way: no detach, .data, numpy, tolist, item or no_grad."
_GRADIENTS = (
    Experiment("no-gradients", _gradients_flow, _STAY_IN_TORCH, required=True,
               while_doing="with scores that need gradients"),
    Experiment("nan-gradients", _gradients_are_finite,
               "Mending a NaN forward is not enough: backward, the softmax or a division 0 / 0 still multiplies with "
               "it. masked_fill on "
               "the scores stops it, or a finite fill, so that no NaN ever arises.",
               required=True, while_doing="on the way back"),
    Experiment("wrong-gradients", _gradients_are_right, _STAY_IN_TORCH, required=True, while_doing="on the way back"),
)

MASKED_SOFTMAX = Exercise(
    id="3.5", name="masked_softmax", signature="masked_softmax(scores, mask)", minutes=10, difficulty=3,
    gives="the weights as in 3.3, but zeros in a row that sees no key, and finite gradients",
    solution=masks.masked_softmax, arguments=("scores", "mask"), returns=("weights",),
    probes=(*_MASKED_SCORES,
            Probe("fully masked rows", (normal(B, T, S, seed=7), _fully_masked())),
            Probe("an item that is all padding", (normal(B, H, T, S, seed=8), padded(0, 4)[:, None])),
            Probe("fully masked rows, float64", (normal(B, T, S, seed=9).double(), _fully_masked())),
            *_ADVISED),
    small=(*_SMALL_SCORES, (torch.tensor([[0.5, 1.0]]), torch.tensor([[False, False]])),
           (round_numbers(2, 2), torch.tensor([[True, False], [False, False]]))),
    misconceptions=(
        Misconception(
            "nan-rows", "A row that sees no key is NaN: its exponentials sum to 0, and 0 / 0 is NaN.",
            "Give such a row finite scores to softmax over, and set its weights to 0 afterwards. (NaN * 0 is NaN, and "
            "NaN == NaN is False: neither multiplying nor comparing removes it.)",
            (_fill(-_INF), lambda s, m: (s + m.to(s.dtype).log()).softmax(-1),
             lambda s, m: s.exp() * m / (s.exp() * m).sum(-1, keepdim=True),
             lambda s, m: (s.softmax(-1) * m) / (s.softmax(-1) * m).sum(-1, keepdim=True)), _empty_row),
        Misconception(
            "uniform-rows", "A row that sees no key reads everything evenly. (One finite fill does that: it makes all "
            "scores of the row equal.)",
            "After the softmax, set what is hidden to 0: masked_fill(~mask, 0.0).",
            (_fill(torch.finfo(torch.float32).min), _fill(-1e9), _fill(-1e4),
             lambda s, m: s.masked_fill(~m, -_INF).softmax(-1).nan_to_num(1 / s.size(-1)),
             lambda s, m: s.masked_fill(~m, torch.finfo(s.dtype).min).softmax(-1)), _empty_row),
        Misconception(
            "unmasked-rows", "A row that sees no key attends as if there were no mask. (Adding the same number to all "
            "its scores does that: a softmax does not notice.)",
            "Set what is hidden to 0 after the softmax.",
            (_additive_10000, lambda s, m: (s + (~m).to(s.dtype) * -1000.0).softmax(-1),
             lambda s, m: torch.where(m.any(-1, keepdim=True), s.masked_fill(~m, -_INF), s).softmax(-1)), _empty_row),
        Misconception(
            "first-key", "A row that sees no key gives everything to the first key.",
            "It should give zeros.", _first_key, _empty_row),
        Misconception(
            "masked-after-softmax", "The mask came after the softmax alone: empty rows are 0, but the others no longer "
            "sum to 1.",
            "Fill the scores before the softmax as well.",
            (lambda s, m: s.softmax(-1) * m, lambda s, m: s.softmax(-1).masked_fill(~m, 0.0)), evidence.row_sum),
        Misconception(
            "zero-filled", "Hidden scores were set to 0, and exp(0) = 1: a score of 0 is an ordinary score.",
            "Fill with the lowest number there is: torch.finfo(scores.dtype).min.",
            (_fill(0.0), lambda s, m: (s * m).softmax(-1), lambda s, m: (s * m).softmax(-1) * m),
            evidence.hidden_weight),
        Misconception(
            "weak-fill", "The fill is not low enough for these scores: visible keys lose weight to hidden ones.",
            "Take torch.finfo(scores.dtype).min or -inf: low enough beside everything.",
            (*(lambda s, m, v=v: s.masked_fill(~m, -v).softmax(-1).masked_fill(~m, 0.0) for v in (1.0, 5.0, 10.0)),
             _fill(-5.0), _fill(-10.0), *_BELOW_THE_LEAST,
             *(lambda s, m, code=code: code(s, m).masked_fill(~m, 0.0) for code in _BELOW_THE_LEAST)),
            evidence.row_sum),
        Misconception(
            "mask-ignored", "The mask was never used: these are the weights of unmasked attention.",
            "masked_fill returns a new tensor; the old one stays as it was. Keep what it returns.",
            lambda s, m: s.softmax(-1), evidence.hidden_weight),
        Misconception(
            "true-hides", "The mask was read the wrong way round: visible keys were filled, hidden ones kept.",
            "masked_fill fills where its mask is True: give it ~mask.",
            (lambda s, m: masks.masked_softmax(s, ~m), lambda s, m: s.masked_fill(m, -_INF).softmax(-1),
             lambda s, m: s.masked_fill(m, -_INF).softmax(-1).nan_to_num(0.0)), evidence.hidden_weight),
        Misconception(
            "over-queries", "The softmax runs over the queries: columns sum to 1, rows do not.",
            "Each query shares out its attention over the keys: the last axis, dim=-1.",
            (_zeros_after_softmax(-2), lambda s, m: s.masked_fill(~m, -_INF).softmax(-2).nan_to_num(0.0)),
            evidence.row_sum),
        Misconception(
            "axis-from-the-front", FROM_THE_FRONT, COUNT_FROM_THE_END,
            (_zeros_after_softmax(0), _zeros_after_softmax(1), _zeros_after_softmax(None)), evidence.row_sum),
        Misconception(
            "visible-zeroed", "The visible keys got 0 after the softmax, so nothing is left.",
            "masked_fill fills where its mask is True: give it ~mask, both times. (Or did 0 * -inf make NaN of "
            "everything, and the NaN became 0?)",
            lambda s, m: s.masked_fill(~m, torch.finfo(s.dtype).min).softmax(-1).masked_fill(m, 0.0), _empty_row),
        Misconception(
            "whole-item-zeroed", "One empty row made its whole item zero: the test for emptiness looks at more than "
            "one row.",
            "Ask each row by itself: mask.any(dim=-1, keepdim=True).",
            lambda s, m: masks.masked_softmax(s, m) * m.expand(s.shape).any(-1, keepdim=True).all(-2, keepdim=True),
            evidence.row_sum),
    ),
    experiments=_GRADIENTS,
    hints=(
        "Fill with the lowest finite number, torch.finfo(scores.dtype).min, instead of -inf: an empty row is then "
        "even, not NaN.",
        "After the softmax, fill a second time: what is hidden gets the weight 0. Other rows do not change.",
        "If you add a mask of 0 and -inf and mend the NaN afterwards, its gradient stays NaN; masked_fill stops it.",
    ),
    laws=(laws.FINITE, laws.POSITIVE, laws.HIDDEN, laws.ROWS),
    after="Zeros for a row that sees nothing, and finite gradients: as F.scaled_dot_product_attention does.",
)

EXERCISES = (CAUSAL_MASK, RENORMALIZING, FILLING, PADDING_MASK, MASKED_SOFTMAX)
