"""Attention with dropout on its weights: how answers are compared, what all right ones share, and common mistakes."""

from functools import cache

import torch

from exercises.common import explainers, properties
from exercises.common.attention_steps import (
    compare,
    give,
    masked_softmax_from,
    mix,
    right_weights,
    scale,
    show,
    weights_from,
)
from exercises.common.dropping import DropoutExplainer
from exercises.common.random_zeros import Dropped, comparable, outline
from feedback import Misconceptions, Property

TINY = 1e-3  # a weight below it may be 0 because its score is low
masked_softmax = masked_softmax_from()


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


# ---------------------------------------------------------------- wrong answers, from wrong steps


def in_training(training):
    """The right step `active`: when anything is dropped."""
    return training


def dropped_attention_from(attend=None, mix=mix, show=show, give=give, **steps):
    """attention(q, k, v, drop, mask=None) -> (out, weights), from the steps of `weights_from` and the last ones.

    `attend` replaces all but `give`: attend(q, k, v, drop, mask).
    """
    weigh = weights_from(**steps)

    def on_the_weights(q, k, v, drop, mask):
        weights = drop(weigh(q, k, mask))
        return mix(weights, v, q, k), show(weights, q, k)

    def attention(q, k, v, drop, mask=None):
        return give(*(attend or on_the_weights)(q, k, v, drop, mask))

    return attention


def dropped_scores(q, k, drop, mask):
    return masked_softmax(drop(compare(q, k) * scale(q, k)), mask)


def place_mistakes(explainer):
    """Dropout at the wrong time or place, in words for one exercise; `explainer` is its DroppedWeights."""
    known = Misconceptions()

    @known(
        "always-on",
        means="In evaluation something is dropped: your code does not look at the mode, or not everywhere.",
        hint="In evaluation every weight counts, and the same input gives the same output. Where does your code "
        "look at the mode?",
        explain=explainer.in_evaluation,
        step="active",
    )
    def always(training):
        return True

    known.also("always-on", active=always, attend=dropped_out)
    known.also("always-on", active=always, attend=dropped_for_out_only)

    @known(
        "training-turned-around",
        means="Dropout happens in evaluation, and here not in training.",
        hint="Drop where training is True, with a generator or without one.",
        explain=explainer.in_evaluation,
        step="active",
    )
    def in_evaluation(training):
        return not training

    @known(
        "never-on",
        means="Nothing was dropped in training.",
        hint="Is dropout called on the weights, in training? It gives a new tensor: keep it, and use it for out.",
        explain=explainer.counted,
        step="active",
    )
    def never(training):
        return False

    @known(
        "before-softmax",
        means="Dropout came before the softmax (or before a second one), so none of the weights is 0: a score of 0 is "
        "an ordinary score, and `exp(0)` = 1.",
        hint="First the weights, with their softmax; then dropout on the weights, and no softmax after it.",
        explain=explainer.counted,
        step="attend",
    )
    def scores_dropped(q, k, v, drop, mask):
        weights = dropped_scores(q, k, drop, mask)
        return weights @ v, weights

    @known.also("before-softmax", step="attend")
    def hidden_scores_dropped_too(q, k, v, drop, mask):
        """Where -inf is dropped, 0 * -inf is NaN."""
        scores = compare(q, k) * scale(q, k)
        scores = scores if mask is None else scores.masked_fill(~mask, float("-inf"))
        weights = drop(scores).softmax(dim=-1)
        return weights @ v, weights

    @known(
        "on-scores-and-weights",
        means=f"Some weights that were kept are not the right ones divided by 1 - {explainer.p_name}: dropout acts "
        "before the softmax as well, or some weights escape it.",
        hint="Here dropout is applied once, to all weights, after the softmax. What happens to the weight shown?",
        explain=explainer.scaled,
        step="attend",
    )
    def scores_and_weights_dropped(q, k, v, drop, mask):
        weights = drop(dropped_scores(q, k, drop, mask))
        return weights @ v, weights

    leaning = "Dropout should keep a query from relying on a single key: drop the weights first, then multiply by v."
    known(
        "on-out",
        means="Dropout was applied to out; no weight was dropped.",
        hint=leaning,
        explain=explainer.where,
        step="attend",
    )(dropped_out)

    @known(
        "on-values",
        means="Dropout was applied to v; no weight was dropped.",
        hint=leaning,
        explain=explainer.where,
        step="attend",
    )
    def values_dropped(q, k, v, drop, mask):
        weights = right_weights(q, k, mask)
        return weights @ drop(v), weights

    known(
        "weights-before-dropout",
        means="out was made with the weights after dropout, but the weights returned are those before it.",
        hint="Return what multiplied v, so that a picture of the weights shows what happened: one name for both.",
        explain=explainer.where,
        step="attend",
    )(dropped_for_out_only)

    @known(
        "out-undropped",
        means="The weights returned were dropped, but out was made before, with all of them.",
        hint="Dropout first, then `weights @ v`: the order of your lines.",
        explain=explainer.where,
        step="attend",
    )
    def dropped_after_out(q, k, v, drop, mask):
        weights = right_weights(q, k, mask)
        return weights @ v, drop(weights)

    @known(
        "two-draws",
        means="out and the weights returned come from two draws: their zeros are in different positions.",
        hint="Call dropout once, give the result a name, and use it twice.",
        explain=explainer.where,
        step="attend",
    )
    def dropped_for_each(q, k, v, drop, mask):
        weights = right_weights(q, k, mask)
        return drop(weights) @ v, drop(weights)

    @known(
        "on-weights-and-out",
        means="Dropout was applied twice: to the weights, and then to out.",
        hint="Here dropout is applied to the weights only.",
        explain=explainer.where,
        step="attend",
    )
    def weights_and_out_dropped(q, k, v, drop, mask):
        weights = drop(right_weights(q, k, mask))
        return drop(weights @ v), weights

    return known


def dropped_out(q, k, v, drop, mask):
    weights = right_weights(q, k, mask)
    return drop(weights @ v), weights


def dropped_for_out_only(q, k, v, drop, mask):
    weights = right_weights(q, k, mask)
    return drop(weights) @ v, weights
