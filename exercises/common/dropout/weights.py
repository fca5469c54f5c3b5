"""Attention with dropout on its weights: how answers are compared, and what all right ones share."""

from functools import cache

import torch

from exercises.common import explainers, properties
from exercises.common.dropout.explainers import DropoutExplainer
from exercises.common.dropout.statistics import Dropped, comparable, outline
from feedback import Property

TINY = 1e-3  # a weight below it may be 0 because its score is low


# ---------------------------------------------------------------- how answers are compared


class DroppedWeights(DropoutExplainer):
    """Answers that give (out, weights), with dropout on the weights in training.

    weights(args)    the right weights, before dropout
    values(args)     what they mix; where p is not 0, the first columns of the values are the identity, so that the
                     first columns of out show what mixed them
    mode(args)       (p, training)
    """

    def __init__(self, weights, values, mode, **words):
        self.weights, self.values, self.mode = cache(weights), cache(values), mode
        super().__init__(lambda case: Dropped(self.weights(case.args), case.last, mode(case.args)[0]), **words)

    def stage_of(self, args):
        """Evaluation before training; in training, what goes wrong with p = 0 alone comes last."""
        p, training = self.mode(args)
        if training:
            return 2 if p else 3
        return 1 if p else 0

    def summary(self, args, value):
        """The numbers where nothing was dropped, else the summaries of the weights and of what mixed the values."""
        right, values, (p, training) = self.weights(args), self.values(args), self.mode(args)
        if not comparable(value, (right @ values, right)):
            return outline(value)
        out, weights = value
        shown = out[..., : right.size(-1)]
        returned = Dropped(right, weights, p)
        used = returned if _identical(shown, weights) else Dropped(right, shown, p)
        if not p:
            return "dropped with p = 0" if training and returned.count else value
        if not training:
            dropped = returned.count > 0, used.count > 0
            return ("dropped in evaluation", *dropped) if any(dropped) else value
        mixed = "uneven" if used.is_uneven else used.summary
        return (
            returned.summary,
            mixed,
            used is returned or same_rows(shown, weights, shown + weights),
            same_rows(out, used.after.to(out.dtype) @ values.to(out.dtype), used.after),
        )

    # ---------------------------------------------------------------- sentences

    def in_evaluation(self, case):
        """What was dropped in evaluation."""
        (p, training), right = self.mode(case.args), self.weights(case.args)
        for noun, got in (("weights", case.last), ("numbers that mix the values", case.first[..., : right.size(-1)])):
            dropped = Dropped(right, got, p)
            if not training and got.shape == right.shape and dropped.count:
                return (
                    f"in evaluation, with {self.p_name} = {p:g}, {dropped.count:,} of your {dropped.total:,} "
                    f"{noun} became 0"
                )
        return explainers.entry(case)

    def where(self, case):
        """How many zeros are in the weights returned, and how many in those that out shows."""
        right, (p, _) = self.weights(case.args), self.mode(case.args)
        returned, used = self.look(case), Dropped(right, case.first[..., : right.size(-1)], p)
        return (
            f"with {self.p_name} = {p:g}, {returned.count:,} of the {returned.total:,} weights you returned are 0. "
            "In this test the first columns of the values are an identity matrix, so the first columns of out should "
            f"be these very weights: {used.count:,} of the numbers there are 0"
        )

    # ---------------------------------------------------------------- what holds for all right answers

    def pair_properties(self, *of_the_softmax):
        """The properties of (out, weights); `of_the_softmax` are more that hold before dropout."""

        def zeros_in_evaluation(case):
            dropped = self.look(case)
            if self._trains(case) or not (dropped.zeroed & (dropped.before > TINY)).any():
                return None
            are = "is" if dropped.count == 1 else "are"
            return (
                f"In evaluation no visible key has a weight of 0; {dropped.count:,} of your {dropped.total:,} weights "
                f"{are} 0."
            )

        def mixes(case):
            values = self.values(case.args)
            expected = case.last @ values if case.last.dtype == values.dtype else case.first
            if same_rows(case.first, expected, case.last):
                return None
            at = explainers.worst(case.first, expected)
            return (
                f"out must be the weights you return times v: at {explainers.position(at)} out is "
                f"{explainers.number(case.first[at])}, and weights @ v is {explainers.number(expected[at])}."
            )

        return (
            properties.FINITE,
            *of_the_softmax,
            Property(
                "zeros-in-evaluation",
                zeros_in_evaluation,
                "Which line makes a weight exactly 0? Dropout belongs to training alone, and a mask hides only what "
                "may not be read.",
            ),
            properties.POSITIVE,
            Property("rows-do-not-sum-to-1", self.broken_row, properties.ROWS.hint),
            Property(
                "out-not-from-weights",
                mixes,
                "One draw, one tensor of weights: it multiplies v, and it is returned. Does anything else happen to v, "
                "to what v is made of, or to out?",
            ),
        )

    def broken_row(self, case):
        """A sentence on a row that does not sum to 1, in evaluation."""
        return None if self._trains(case) else properties.ROWS.test(case)

    def dropout_properties(self):
        return self.properties(lambda case: self._trains(case) and (self.look(case).p or self.look(case).count))

    def _trains(self, case):
        return self.mode(case.args)[1]


def _identical(a, b):
    return a.dtype == b.dtype and torch.equal(a, b)


def same_rows(a, b, where):
    """Whether a and b agree in the rows that are finite in `where`: rows with NaN are in the summaries."""
    rows = where.isfinite().all(-1)
    return a.dtype == b.dtype and torch.allclose(a[rows], b[rows], rtol=1e-3, atol=1e-4)
