"""What several exercises of notebook 04 share."""

import torch

from exercises.common import explainers, properties
from exercises.common.random_zeros import comparable, fallen, is_about, outline, traits
from feedback import BehavioralTest, Property

_INF = float("inf")


def _generator(seed):
    return torch.Generator().manual_seed(seed)


def _with_generator(attempt, *args):
    """Call the code with a generator of the seed that is the last of args, or without one where that is None."""
    *args, seed = args
    if seed is not None:
        return attempt(*args, _generator(seed))
    return attempt(*args)


def _by_chance(call, zeros):
    """The experiments on who decides: `call(attempt, generator, p)` is one call, `zeros(result)` where zeros fell.

    generator may be None: then torch's global one decides.
    """

    def draws_again(attempt):
        generator = _generator(1)
        first, second = (zeros(call(attempt, generator)) for _ in range(2))
        if torch.equal(first, second):
            return "Called twice with one and the same generator, your code zeroed the same places both times."
        return None

    def listens(attempt):
        found = []
        for seed in (1, 2):  # of torch's global generator, which must not matter
            torch.manual_seed(seed)
            found.append(zeros(call(attempt, _generator(7))))
        if not torch.equal(*found):
            return ("Two generators with the same seed gave zeros in different places: something else than the "
                    "generator decides.")
        return None

    def leaves_the_global_seed(attempt):
        found = []
        for seed in (1, 2):
            torch.manual_seed(seed)
            call(attempt, _generator(7))
            found.append(torch.rand(4))
        if torch.equal(*found):
            return ("After your code has run, torch's global generator always stands at the same place: your code "
                    "seeds it, for everybody.")
        return None

    def draws_without(attempt):
        torch.manual_seed(3)
        first, second = (zeros(call(attempt, None)) for _ in range(2))
        if torch.equal(first, second):
            return "Called twice without a generator, your code zeroed the same places both times."
        torch.manual_seed(3)
        if not torch.equal(first, zeros(call(attempt, None))):
            return "Without a generator, torch.manual_seed(3) before two calls gave zeros in different places."
        return None

    def not_counted_out(attempt):
        generator = _generator(5)
        counts = {int(zeros(call(attempt, generator)).sum()) for _ in range(12)}
        if len(counts) == 1:
            return (f"In 12 calls exactly {counts.pop():,} numbers became 0 each time: they were counted out, not "
                    "drawn one by one.")
        return None

    def listens_to_p(attempt):
        few, many = (zeros(call(attempt, _generator(11), p)) for p in (0.2, 0.6))
        share = float(few.double().mean())
        if not 0 < share < 1 or not is_about(int(many.sum()), many.numel(), share):
            return None
        return (f"With p = 0.2 and with p = 0.6 the same share became 0, about {100 * share:.0f} %: p has no part in "
                "it.")

    return (
        BehavioralTest("p-not-used", listens_to_p,
                   "The draw is to be compared with the argument p: torch.rand(...) >= p is True for a share of 1 - p.",
                   early=True),
        BehavioralTest("same-zeros", draws_again,
                   "Every call should draw anew: draw with the generator you are given, and seed nothing inside.",
                   required=True, while_doing="called a second time,"),
        BehavioralTest("generator-ignored", listens,
                   "Hand it on: torch.rand(shape, generator=generator). F.dropout and nn.Dropout take no generator.",
                   required=True, while_doing="called with a generator,"),
        BehavioralTest("seeds-everything", leaves_the_global_seed,
                   "Take torch.manual_seed out: who calls your code chooses the seed, by the generator.",
                   required=True, while_doing="called with a generator,"),
        BehavioralTest("not-repeatable", draws_without,
                   "With generator=None torch.rand uses torch's global generator, so there is nothing more to do: no "
                   "seed, and no generator of your own.", required=True, while_doing="called without a generator,"),
        BehavioralTest("counted-out", not_counted_out,
                   "Compare each random number with p: then each number falls or stays on its own, and the count "
                   "varies around the share p.", required=True, while_doing="called twelve times,"),
    )


def _keeps(x, p, g=None):
    """Where a number stays, as in the solution."""
    return torch.rand(x.shape, generator=g) >= p


def _rows(x):
    return (*x.shape[:-1], 1)


_NO_GENERATOR = ("generator=None asks for torch's global generator, and torch.rand(shape, generator=None) draws with "
                 "it: there is no case to tell apart.")


def _below_normal(x, p, g=None):
    return x * (torch.randn(x.shape, generator=g) >= p) / (1 - p)


def _half(x, p, g=None):
    return x * _keeps(x, 0.5, g)


def _pair_essence(right, v, p, training, value):
    """Of (out, weights): the numbers where nothing was dropped, else the traits of the weights and of the mix.

    Where p is not 0, v begins with the identity.
    """
    if not comparable(value, (right @ v, right)):
        return outline(value)
    out, weights = value
    mix = out[..., :right.size(-1)]
    fell = fallen(right, weights)[0] > 0, p > 0 and fallen(right, mix)[0] > 0
    if not p:
        return "dropped with p = 0" if training and fell[0] else value
    if not (training or any(fell)):
        return value
    if not training:
        return "dropped in evaluation", *fell
    mixed = traits(right, mix, p)
    mixed = "uneven" if str(mixed[0]).startswith("uneven") else mixed
    return traits(right, weights, p), mixed, _same(mix, weights, mix + weights), _same(out, mix @ v, mix)


def _same(a, b, where):
    """Whether a and b agree in the rows that are finite in `where`: rows with NaN are told by the traits."""
    rows = where.isfinite().all(-1)
    return a.dtype == b.dtype and torch.allclose(a[rows], b[rows], rtol=1e-3, atol=1e-4)


def _pair_laws(looked, values):
    """looked(case) gives (right weights, p, training), values(case) gives v."""

    def zeros_in_evaluation(case):
        right, _, training = looked(case)
        count, total = fallen(right, case.last)
        if training or not count:
            return None
        return f"In evaluation the softmax has the last word on the weights; {count:,} of your {total:,} are 0."

    def rows(case):
        return None if looked(case)[-1] else properties.ROWS.test(case)

    def mixes(case):
        expected = case.last @ values(case) if case.last.dtype == values(case).dtype else case.first
        if _same(case.first, expected, case.last):
            return None
        at = explainers.worst(case.first, expected)
        return (f"out must be the weights you return times v: at {explainers.position(at)} out is "
                f"{explainers.number(case.first[at])}, and weights @ v is {explainers.number(expected[at])}.")

    return (
        properties.FINITE, Property("zeros-in-evaluation", zeros_in_evaluation, "Only training drops anything. Which line makes a "
                                                                     "weight exactly 0?"),
        properties.POSITIVE, Property("rows-do-not-sum-to-1", rows, properties.ROWS.hint),
        Property("out-not-from-weights", mixes, "One draw, one tensor of weights: it multiplies v, and it is returned."),
    )


def _drawn(looked):
    """Whether a case shows a draw: in training, where something should have been dropped, or was."""

    def test(case):
        right, p, training = looked(case)
        return training and (p or fallen(right, case.last)[0])

    return test


def _evaluated(looked, p_name="p"):
    """A sentence on what was dropped in evaluation."""

    def sentence(case):
        right, p, training = looked(case)
        mix = case.first[..., :right.size(-1)]
        for noun, got in (("weights", case.last), ("numbers that mix the values", mix)):
            count, total = fallen(right, got) if got.shape == right.shape else (0, 0)
            if count and not training:
                return f"in evaluation, with {p_name} = {p:g}, {count:,} of your {total:,} {noun} became 0"
        return explainers.entry(case)

    return sentence


def _where(looked, p_name="p"):
    """A sentence on the weights, and on the matrix that out shows."""

    def sentence(case):
        right, p, _ = looked(case)
        zeros, total = fallen(right, case.last)
        mixed, _ = fallen(right, case.first[..., :right.size(-1)])
        return (f"with {p_name} = {p:g}, {zeros:,} of the {total:,} weights you returned are 0. v begins with the "
                f"identity here, so out begins with the numbers that mixed the values: {mixed:,} of them are 0")

    return sentence


def _pair_of(weights, v):
    return weights @ v, weights


def _renormalised(w, p, g):
    dropped = w * _keeps(w, p, g)
    return dropped / dropped.sum(-1, keepdim=True)
