"""Behavioral tests for exercises with several heads: 5.3, 5.4, 5.5 and 7.1."""

import copy

import torch

from exercises.common import explainers
from exercises.common.experiments import items_apart, largest_difference
from exercises.common.heads.inputs import C, D, random_layers
from exercises.common.inputs import B, S, T, normal
from feedback import BehavioralTest

X, CONTEXT, LAYERS = normal(B, T, C, seed=91), normal(B, S, C, seed=92), random_layers(C, 93)
INPUTS = (X, CONTEXT, LAYERS)
CHANGE = normal(1, S, C, seed=94)  # what is added to an item that changes


def behavioral_tests(ask, reference, self_attention):
    """What explains wrong numbers: items, heads and positions that mix, or one half of the pair that is right.

    ask(attempt, x, context, layers) gives out and weights, with three heads and without a mask.
    """
    where = "Tried without a mask," if self_attention else f"Tried with T = {T} and S = {S},"
    return (
        items_apart(
            (X, CONTEXT), (CHANGE[:, :T], CHANGE), lambda attempt, x, context: ask(attempt, x, context, LAYERS)
        ),
        any_order_of_positions(ask, self_attention),
        heads_apart(ask),
        out_alone_wrong(ask, reference, where),
        weights_alone_wrong(ask, reference, where),
    )


def heads_apart(ask):
    """Change the keys of head 0 and see whether the weights of the other heads notice."""

    def test(attempt):
        x, context, layers = INPUTS
        changed = copy.deepcopy(layers)
        changed[1].weight[:D] += 1
        moved = largest_difference(
            ask(attempt, x, context, layers)[1][:, 1:], ask(attempt, x, context, changed)[1][:, 1:]
        )
        if moved < 1e-4:
            return None
        return (
            f"Heads do not see each other's features: when features 0 to {D - 1} of the keys changed, which belong "
            f"to head 0, the weights of other heads changed by up to {moved:.4f}."
        )

    return BehavioralTest(
        "heads-mixed", test, "Head h has the features h*D to (h+1)*D - 1. Which line lets another head see them?"
    )


def any_order_of_positions(ask, self_attention):
    """Reverse the positions that are read: the weights must turn around with them, and nothing else may change."""
    must = (
        "reversing x must only reverse out and the weights"
        if self_attention
        else "reversing context must not change out, and must only reverse the weights"
    )

    def test(attempt):
        x, context, layers = INPUTS
        out, weights = ask(attempt, x, context, layers)
        after = ask(attempt, x.flip(1) if self_attention else x, context.flip(1), layers)
        weights = weights.flip(-1)
        if self_attention:
            out, weights = out.flip(1), weights.flip(-2)
        moved = max(largest_difference(out, after[0]), largest_difference(weights, after[1]))
        if moved < 1e-4:
            return None
        return f"Without a mask the order of positions must not matter: {must}. Yours also change by up to {moved:.4f}."

    return BehavioralTest(
        "positions-mixed",
        test,
        "Two things make the order matter: cutting or joining axes that are not neighbors, and hiding some positions. "
        "Print one row before and after each line that changes a shape or hides something.",
    )


def out_alone_wrong(ask, reference, where):
    """Right weights next to a wrong out."""

    def test(attempt):
        (right_out, right_weights), (out, weights) = (ask(code, *INPUTS) for code in (reference, attempt))
        if nearly_equal(out, right_out) or not nearly_equal(weights, right_weights):
            return None
        at = explainers.worst(out, right_out)
        return (
            f"{where} your weights are right, but out is not: at {explainers.position(at)} it is "
            f"{explainers.number(out[at])}, and {explainers.number(right_out[at])} is right."
        )

    return BehavioralTest(
        "out-alone-wrong", test, "Which values do the weights mix, and what becomes of the heads afterwards?"
    )


def weights_alone_wrong(ask, reference, where):
    """A right out next to wrong weights."""

    def test(attempt):
        (right_out, right_weights), (out, weights) = (ask(code, *INPUTS) for code in (reference, attempt))
        if nearly_equal(weights, right_weights) or not nearly_equal(out, right_out):
            return None
        return f"{where} your out is right, but the weights that you return are not the right ones."

    return BehavioralTest(
        "weights-alone-wrong",
        test,
        "Return the very tensor that multiplied v. (If it is: are its keys in another order than x or context?)",
    )


def nearly_equal(actual, expected):
    return torch.allclose(actual, expected, rtol=1e-4, atol=3e-5)
