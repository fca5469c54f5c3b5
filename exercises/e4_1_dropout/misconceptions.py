"""What people get wrong in exercise 4.1, dropout."""

import torch
from torch.nn import functional as F

from exercises.common import explainers, references
from exercises.common.dropping import _INF, _NO_GENERATOR, _below_normal, _half, _keeps, _rows
from exercises.e4_1_dropout.shared import _OF_X
from feedback import Misconception


def _for_some_axes(shape, vector):
    """Dropout with fewer draws than numbers: shape(x) of them. For a vector one draw may do all, or nothing."""

    def code(x, p, g=None):
        if shape(x) == (1,):
            return x * vector / (1 - p)
        return x * (torch.rand(shape(x), generator=g) >= p) / (1 - p)

    return code


def _counted(x, p, g=None):
    keep = _keeps(x, p, g)
    return x * keep / keep.double().mean().to(x.dtype)


def _row_by_row(x, p, g=None):
    dropped = x * _keeps(x, p, g)
    return dropped / dropped.sum(-1, keepdim=True)


def _first_infinity(case):
    at = tuple(int(i) for i in (~case.actual.isfinite()).nonzero()[0])
    return f"{int((~case.actual.isfinite()).sum()):,} of your numbers are -inf, the first at {explainers.position(at)}"


MISCONCEPTIONS = (
        Misconception(
            "not-scaled", "The right share became 0, but what was kept was not divided by 1 - p: the result is smaller "
            "than x on average.",
            "A share of 1 - p is left. What must each of them be divided by, so that the sum stays what it was?",
            lambda x, p, g=None: x * _keeps(x, p, g), _OF_X.averaged),
        Misconception(
            "times-one-minus-p", "What was kept was multiplied by 1 - p instead of divided.",
            "Some numbers are lost; those left must become larger to make up for it.",
            lambda x, p, g=None: x * _keeps(x, p, g) * (1 - p), _OF_X.averaged),
        Misconception(
            "divided-by-p", "The right share became 0, but what was kept was divided by p.",
            "p is the share that is lost; what is left is a share of 1 - p. (For p = 0.5 the two are the same.)",
            (lambda x, p, g=None: x * _keeps(x, p, g) / p, lambda x, p, g=None: references.dropout(x, p, g) * (1 - p) / p
             if p else x.clone()), _OF_X.averaged),
        Misconception(
            "one-plus-p", "What was kept was multiplied by 1 + p. That is close to 1 / (1 - p) for a small p only.",
            "Which number times 1 - p gives 1?",
            lambda x, p, g=None: x * _keeps(x, p, g) * (1 + p), _OF_X.averaged),
        Misconception(
            "share-turned-around", "The wrong ones were kept: a share of 1 - p became 0, and a share of p stayed.",
            "p is the probability of becoming 0. torch.rand(...) < p is True for a share of p.",
            (lambda x, p, g=None: x * ~_keeps(x, p, g) / (1 - p), lambda x, p, g=None: x * ~_keeps(x, p, g)),
            _OF_X.counted),
        Misconception(
            "p-kept", "p was read as the probability of staying: you kept a share of p, and divided it by p.",
            "In PyTorch p is the probability of becoming 0: a share of 1 - p stays.",
            (lambda x, p, g=None: x * ~_keeps(x, p, g) / p, lambda x, p, g=None:
             x * ~_keeps(x, p, g) / p if p else x * 0),
            _OF_X.counted),
        Misconception(
            "nothing-dropped", "No number became 0, and x came back as it was.",
            "Draw one random number for each number of x, and compare it with p. This exercise is dropout in "
            "training.",
            (lambda x, p, g=None: x.clone(), lambda x, p, g=None: F.dropout(x, p, training=False)), _OF_X.counted),
        Misconception(
            "only-scaled", "Every number was scaled, and none became 0.",
            "Dropout zeroes some numbers, drawn by chance. Multiply by a mask of 0 and 1 as well.",
            (lambda x, p, g=None: x / (1 - p), lambda x, p, g=None: x * (1 - p)), _OF_X.counted),
        Misconception(
            "whole-rows", "Whole rows were dropped together: there was one draw for each row.",
            "Every number has its own draw: as many random numbers as x has numbers, torch.rand(x.shape, ...).",
            (_for_some_axes(_rows, True), _for_some_axes(_rows, False)), _OF_X.tied),
        Misconception(
            "zeros-repeated", "The same zeros come again along an axis: several rows or items share one draw.",
            "Every number has its own draw: as many random numbers as x has numbers, torch.rand(x.shape, ...).",
            (_for_some_axes(lambda x: x.shape[-1:], True), _for_some_axes(lambda x: x.shape[-2:], True),
             _for_some_axes(lambda x: x.shape[1:] or (1,), True),
             _for_some_axes(lambda x: x.shape[1:] or (1,), False)), _OF_X.tied),
        Misconception(
            "counted-share", "What was kept was divided by the share that happened to stay, not by 1 - p.",
            "Each number should keep its expectation whatever happens to the others. 1 - p is known before drawing.",
            _counted, _OF_X.scaled),
        Misconception(
            "brackets", "What was dropped became -p: `/ 1 - p` divides by 1, and then subtracts p.",
            "A product or quotient comes before a difference: write / (1 - p).",
            lambda x, p, g=None: x * _keeps(x, p, g) / 1 - p, _OF_X.lowered),
        Misconception(
            "filled-with-infinity", "What was dropped became -inf; it is to become 0.",
            "0, not -inf: this is no softmax. -inf hides a score, since exp(-inf) = 0.",
            (lambda x, p, g=None: x.masked_fill(~_keeps(x, p, g), -_INF) / (1 - p),
             lambda x, p, g=None: x.masked_fill(~_keeps(x, p, g), -_INF)), _first_infinity),
        Misconception(
            "renormalised", "Each row was made to sum to 1 again.",
            "Divide by 1 - p and by nothing else: sums keep their size on average, not in every row.",
            _row_by_row, _OF_X.scaled),
        Misconception(
            "mask-returned", "The kept numbers are all the same: the mask was returned, and x is not in it.",
            "Multiply the mask with x.",
            (lambda x, p, g=None: _keeps(x, p, g) / (1 - p) * torch.ones_like(x),
             lambda x, p, g=None: _keeps(x, p, g).to(x.dtype)), _OF_X.scaled),
        Misconception(
            "dropped-twice", "Dropout was applied twice, with two draws: more numbers became 0 than p says, and the "
            "rest was scaled twice.",
            "One draw, one mask, one division.",
            lambda x, p, g=None: references.dropout(references.dropout(x, p, g), p, g), _OF_X.counted),
        Misconception(
            "normal-not-uniform", "The share is that of normally distributed numbers below p: it looks as if randn "
            "was drawn.",
            "torch.rand draws evenly from 0 to 1, so that a share of p lies below p. randn does not.",
            (_below_normal, lambda x, p, g=None: x * (torch.randn(x.shape, generator=g) >= p)), _OF_X.counted),
        Misconception(
            "always-half", "Half of the numbers became 0, whatever p is.",
            "Compare the random numbers with p. torch.randint(0, 2, ...) and a rounded torch.rand know only halves.",
            (_half, lambda x, p, g=None: _half(x, p, g) / (1 - p), lambda x, p, g=None: _half(x, p, g) * 2),
            _OF_X.counted),
        Misconception(
            "only-with-a-generator", "Without a generator nothing was dropped: x came back as it was.", _NO_GENERATOR,
            (lambda x, p, g=None: x.clone() if g is None else references.dropout(x, p, g),), _OF_X.counted),
)
