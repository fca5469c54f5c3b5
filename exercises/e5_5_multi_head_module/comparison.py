"""How the results of answers to exercise 5.5 are compared."""

from dataclasses import replace

from exercises.common import explainers
from exercises.common.attention.steps import right_weights
from exercises.common.dropout.statistics import Dropped, comparable, outline
from exercises.common.dropout.weights import DroppedWeights, same_rows
from exercises.common.heads.inputs import is_masked
from exercises.e5_5_multi_head_module.runner import parse
from feedback import Property
from helpers.heads import merge_heads, split_heads


def weights_of(args):
    """The right weights, before dropout."""
    given = parse(args)
    q_proj, k_proj = given.layers[:2]
    read = given.x if given.context is None else given.context
    q, k = split_heads(q_proj(given.x), given.num_heads), split_heads(k_proj(read), given.num_heads)
    return right_weights(q, k, given.mask)


def values_of(args):
    given = parse(args)
    read = given.x if given.context is None else given.context
    return split_heads(given.layers[2](read), given.num_heads)


def mode_of(args):
    given = parse(args)
    return given.dropout, given.training


class WeightsOfHeads(DroppedWeights):
    """Dropout on the weights of several heads: what DroppedWeights says of out is said of each head's part of it."""

    def stage_of(self, args):
        """Evaluation without a mask, then with a context, then masked; then dropout, as in DroppedWeights."""
        given = parse(args)
        if given.dropout or given.training:
            return 2 + super().stage_of(args)
        return 2 if is_masked(given.mask) else int(given.context is not None)

    def summary(self, args, value):
        p, training = self.mode(args)
        if not p and not training:
            return value
        right = self.weights(args)
        if not comparable(value, (args[0], right)):
            return outline(value)
        return super().summary(args, self._by_heads(args, value))

    def _by_heads(self, args, value):
        """(out, weights) with out cut into heads; out_proj changes nothing in these test cases."""
        out, weights = value
        return split_heads(out, parse(args).num_heads), weights

    def in_evaluation(self, case):
        if not self.mode(case.args)[0]:
            return explainers.entry(case)
        return super().in_evaluation(replace(case, actual=self._by_heads(case.args, case.actual)))

    def where(self, case):
        """How many zeros are in the weights returned, and how many in those that out shows."""
        right, (p, _) = self.weights(case.args), self.mode(case.args)
        out, weights = self._by_heads(case.args, case.actual)
        returned, used = (Dropped(right, found, p) for found in (weights, out[..., : right.size(-1)]))
        return (
            f"with {self.p_name} = {p:g}, {returned.count:,} of the {returned.total:,} weights you returned are 0. "
            "In this test each head's values begin with an identity matrix, so each head's part of out should begin "
            f"with these very weights: {used.count:,} of the numbers there are 0"
        )

    def out_property(self):
        """out is made from the returned weights, in training too."""

        def mixes(case):
            given = parse(case.args)
            right, values = self.weights(case.args), self.values(case.args)
            if case.last.shape != right.shape or case.last.dtype != values.dtype:
                return None
            expected = given.layers[3](merge_heads(case.last @ values))
            if same_rows(case.first, expected, expected):
                return None
            at = explainers.worst(case.first, expected)
            return (
                "out must be made from the weights that you return: out_proj of the merged weights @ v. At "
                f"{explainers.position(at)} that is {explainers.number(expected[at])}, and your out is "
                f"{explainers.number(case.first[at])}."
            )

        return Property(
            "out-not-from-weights",
            mixes,
            "One tensor of weights: it multiplies v, and it is returned. Then merge the heads, and apply `out_proj`. "
            "Does anything else happen to x or context, or to their order?",
        )


DROPPED_WEIGHTS = WeightsOfHeads(
    weights=weights_of,
    values=values_of,
    mode=mode_of,
    noun="visible weights",
    draw="nn.Dropout",
    p_name="dropout",
    share="`nn.Dropout(dropout)` zeroes each weight with probability dropout. Is it given this very number, and "
    "applied once?",
)
