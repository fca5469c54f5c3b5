"""What people get wrong in exercise 1.4, add_positions."""

import math

import torch

from exercises.common import explainers
from exercises.e1_4_add_positions.shared import _added
from feedback import Misconception


def _plus(rows):
    """x + rows(x, positions)."""
    return lambda x, positions: x + rows(x, positions)


def _first(x, positions):
    """The rows that belong to x."""
    return positions[:x.size(1)]


def _into_copy(place):
    """The right sum, at one place only."""

    def code(x, positions):
        out = x.clone()
        out[place] = (x + _first(x, positions))[place]
        return out

    return code


def _numbers(x, change=lambda t, x: t):
    return change(torch.arange(x.size(1)).to(x.dtype), x)[:, None]


MISCONCEPTIONS = (
        Misconception(
            "whole-table", "The whole table of positions was added; x may be shorter than the table.",
            "Take the first T rows: positions[:x.size(1)].",
            (_plus(lambda x, p: p), _plus(lambda x, p: p[None]), _plus(lambda x, p: p[:][None])), _added),
        Misconception(
            "whole-table-stretched", "The whole table of positions was to be stretched to the shape of x; x may be "
            "shorter than the table.",
            "expand stretches only axes of size 1: take positions[:T] first. (T, C) beside (B, T, C) then lines up by "
            "itself.",
            (_plus(lambda x, p: p.expand_as(x)), _plus(lambda x, p: p[None].expand_as(x)),
             _plus(lambda x, p: p.expand(len(x), x.size(1), -1)),
             _plus(lambda x, p: p[None].expand(len(x), x.size(1), -1)))),
        Misconception(
            "last-rows", "The last T rows of the table were added; token 0 stands at position 0.",
            "Take the first T rows: positions[:x.size(1)].",
            (_plus(lambda x, p: p[-x.size(1):]),), _added),
        Misconception(
            "wrong-size", "As many rows were taken as there are items, or columns; positions belong to tokens.",
            "In (B, T, C) the tokens are axis 1: x.size(1). len(x) and x.size(0) count the items.",
            (_plus(lambda x, p: p[:len(x)]), _plus(lambda x, p: p[:x.size(-1)])), _added),
        Misconception(
            "by-item", "Each item of the batch got one row, the same for all its tokens.",
            "Token t of every item gets row t. (T, C) beside (B, T, C) lines up by itself, aligned on the right.",
            (_plus(lambda x, p: p[:x.size(0)].unsqueeze(1)),), _added),
        Misconception(
            "axis-between", "The positions got an axis of size 1 in the middle, (T, 1, C), and so they run along the "
            "batch.",
            "(T, C) beside (B, T, C) lines up by itself; if you put in an axis, then in front: (1, T, C).",
            (_plus(lambda x, p: _first(x, p).unsqueeze(1)), _plus(lambda x, p: p[:, None])), _added),
        Misconception(
            "concatenated", "The positions were put behind the vectors, or behind the tokens, instead of added.",
            "Adding keeps the shape: x + ..., number by number.",
            (lambda x, p: torch.cat([x, _first(x, p).expand_as(x)], dim=-1),
             lambda x, p: torch.cat([x, _first(x, p).expand_as(x)], dim=1),
             lambda x, p: torch.cat([_first(x, p).expand_as(x), x], dim=-1),
             lambda x, p: torch.cat([x, p.expand(len(x), -1, -1)], dim=1),
             lambda x, p: torch.cat([x, _first(x, p)], dim=-1), lambda x, p: torch.cat([x, p], dim=-1),
             lambda x, p: torch.cat([x, _first(x, p)]), lambda x, p: torch.cat([x, p]),
             lambda x, p: torch.cat([x, p], dim=1), lambda x, p: torch.cat([x, _first(x, p)], dim=1),
             lambda x, p: torch.cat([x, _first(x, p)[None]]),
             lambda x, p: torch.cat([x, _first(x, p).expand_as(x)]))),
        Misconception(
            "multiplied", "The positions were multiplied with x instead of added.",
            "x + ..., number by number.",
            (lambda x, p: x * _first(x, p),), explainers.entry),
        Misconception(
            "subtracted", "The positions were subtracted instead of added.",
            "x + ..., number by number.",
            (lambda x, p: x - _first(x, p), lambda x, p: _first(x, p) - x), explainers.entry),
        Misconception(
            "scaled", "x, or the positions, were multiplied by, or divided by, the square root of C before adding.",
            "Here the two are added as they are. The paper's factor sqrt(C) belongs to the embedding.",
            (lambda x, p: x * math.sqrt(x.size(-1)) + _first(x, p),
             lambda x, p: x + _first(x, p) / math.sqrt(x.size(-1)),
             lambda x, p: x + _first(x, p) * math.sqrt(x.size(-1)),
             lambda x, p: x / math.sqrt(x.size(-1)) + _first(x, p),
             lambda x, p: (x + _first(x, p)) * math.sqrt(x.size(-1))), explainers.entry),
        Misconception(
            "one-row-for-all", "Every token got the same row of positions, so that no place differs from another.",
            "Token t gets row t: positions[:T] are T rows, one for each token.",
            (_plus(lambda x, p: p[0]), _plus(lambda x, p: p[:1]), _plus(lambda x, p: p[-1]),
             _plus(lambda x, p: p[x.size(1) - 1]), _plus(lambda x, p: p[x.size(1)]), _plus(lambda x, p: p[1])), _added),
        Misconception(
            "averaged", "The rows of positions were averaged or added up, and every token got the same numbers.",
            "Token t gets row t alone.",
            (_plus(lambda x, p: p.mean(0)), _plus(lambda x, p: _first(x, p).mean(0)), _plus(lambda x, p: p.sum(0)),
             _plus(lambda x, p: _first(x, p).sum(0))), explainers.entry),
        Misconception(
            "one-number-for-each-row", "Each row of positions shrank to one number before it was added.",
            "A row has C numbers, as a token has: they are added one to one.",
            (_plus(lambda x, p: _first(x, p).mean(-1, keepdim=True)), _plus(lambda x, p: _first(x, p)[:, :1]),
             _plus(lambda x, p: _first(x, p).sum(-1, keepdim=True))), explainers.entry),
        Misconception(
            "transposed", "Rows and columns of the table have changed places: what was added are its columns.",
            "Positions are the rows: positions[:T] takes rows, positions[:, :T] columns.",
            (_plus(lambda x, p: p.T), _plus(lambda x, p: p.T[:x.size(1)]), _plus(lambda x, p: p[:, :x.size(1)]),
             _plus(lambda x, p: p[:, :x.size(1)].T), _plus(lambda x, p: _first(x, p).T),
             _plus(lambda x, p: p[:x.size(1), :x.size(1)].T)), explainers.entry),
        Misconception(
            "positions-alone", "These are the positions; x is missing.",
            "x + ...: the result has the shape of x.",
            (_first, lambda x, p: _first(x, p).expand_as(x), lambda x, p: _first(x, p)[None], lambda x, p: p.clone(),
             lambda x, p: _first(x, p) + torch.zeros_like(x)), explainers.shape),
        Misconception(
            "nothing-added", "This is x as it came: no positions were added.",
            "x + ... gives a new tensor; keep it, and return it.",
            (lambda x, p: x.clone(), lambda x, p: x + 0 * _first(x, p)), _added),
        Misconception(
            "off-by-one", "The rows were moved by one: token 0 got row 1, or the last row.",
            "Token 0 stands at position 0: positions[:T] begins with row 0.",
            (_plus(lambda x, p: p[1:x.size(1) + 1]), _plus(lambda x, p: p.roll(-1, 0)[:x.size(1)]),
             _plus(lambda x, p: p.roll(1, 0)[:x.size(1)]), _plus(lambda x, p: _first(x, p).roll(1, 0)),
             _plus(lambda x, p: _first(x, p).roll(-1, 0)),
             _plus(lambda x, p: p[torch.arange(x.size(1)) - 1])), _added),
        Misconception(
            "reversed", "The rows were added in reverse order: the last token got row 0.",
            "Token t gets row t.",
            (_plus(lambda x, p: _first(x, p).flip(0)), _plus(lambda x, p: p.flip(0)[:x.size(1)])), _added),
        Misconception(
            "random-rows", "Rows were drawn at random: a place must have the same row in every text.",
            "Token t gets row t.",
            (_plus(lambda x, p: p[torch.randperm(len(p))[:x.size(1)]]),
             _plus(lambda x, p: p[torch.randint(len(p), x.shape[:2])]),
             _plus(lambda x, p: p[torch.randperm(x.size(1))]),
             _plus(lambda x, p: p[torch.randint(len(p), (x.size(1),))]),
             _plus(lambda x, p: p[torch.randint(0, len(p), (1,))])), _added),
        Misconception(
            "numbers-not-rows", "The numbers of the places, 0, 1, 2, ..., were added, not the rows that belong to "
            "them.",
            "positions has a row of C numbers for each place: positions[:T].",
            (_plus(lambda x, p: _numbers(x)), _plus(lambda x, p: _numbers(x, lambda t, x: t / len(t))),
             _plus(lambda x, p: _numbers(x, lambda t, x: t + 1))), explainers.entry),
        Misconception(
            "first-item-only", "Only the first item of the batch got its positions.",
            "Every item gets the same rows: x + positions[:T] stretches them over the batch.",
            (_into_copy(0), lambda x, p: x[0] + _first(x, p), lambda x, p: x[:1] + _first(x, p)), _added),
        Misconception(
            "one-token-only", "Only one token of each item got its position.",
            "If there is a loop: `return` inside it ends the function at once, and each round must write into the same "
            "tensor.",
            (_into_copy((slice(None), 0)), _into_copy((slice(None), -1)), lambda x, p: x[:, 0] + p[0],
             lambda x, p: x[:, :1] + p[:1]), _added),
        Misconception(
            "added-again", "The positions were added more than once.",
            "Once is enough. If there is a loop over the items: does each round add to the whole batch?",
            (_plus(lambda x, p: 2 * _first(x, p)), _plus(lambda x, p: len(x) * _first(x, p))), explainers.entry),
        Misconception(
            "halved", "The sum of x and positions was halved.",
            "Here the two are added, not averaged.",
            (lambda x, p: (x + _first(x, p)) / 2,), explainers.entry),
        Misconception(
            "extra-axis", "The numbers are right, but there is an extra axis of size 1.",
            "Both (T, C) and (1, T, C) line up with (B, T, C); one axis more than that adds an axis to the result.",
            (_plus(lambda x, p: _first(x, p)[None, None]), lambda x, p: x[None] + _first(x, p),
             lambda x, p: (x + _first(x, p)).unsqueeze(1), lambda x, p: x.unsqueeze(1) + _first(x, p))),
)
