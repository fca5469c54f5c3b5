"""What people get wrong in exercise 6.3, relative_key_scores."""

import math

import torch

from exercises.common import explainers
from exercises.common.block import (
    _INF,
)
from exercises.e6_3_relative_key_scores.shared import _place_used
from feedback import Misconception


def _positions(t):
    """Query and key positions, to be combined: (T, 1) and (T,)."""
    return torch.arange(t)[:, None], torch.arange(t)


def _rows(q, table, rows):
    """q_i . E[rows[i, j]]."""
    return torch.einsum("bhtd,tsd->bhts", q, table[rows])


def _relative(row=None, finish=None):
    """The right scores, but for the row of the table, or for what is done with them."""

    def answer(q, table):
        t, m = q.size(-2), (len(table) + 1) // 2
        i, j = _positions(t)
        rows = i - j + m - 1 if row is None else row(i, j, t, m)
        scores = _rows(q, table, rows)
        return scores if finish is None else finish(scores, q, table)

    return answer


def _square(n):
    """The rows for n positions and a table made for n."""
    i, j = _positions(n)
    return i - j + n - 1


def _distance_rows(q, table):
    """The vector of each pair: (T, T, D)."""
    i, j = _positions(q.size(-2))
    return table[i - j + (len(table) - 1) // 2]


def _causal(scores):
    return torch.ones(scores.shape[-2:], dtype=torch.bool).tril()


def _with_key_vector(q, table):
    """q_j . E[...]: the vector of the key's position in place of the query's."""
    i, j = _positions(q.size(-2))
    return torch.einsum("bhsd,tsd->bhts", q, table[i - j + (len(table) - 1) // 2])


def _row_used(case):
    """The row of the table that was taken, where it can be told."""
    return _place_used(case) or explainers.entry(case)


MISCONCEPTIONS = (
        Misconception(
            "sign", "The distance has the wrong sign: key minus query, where query minus key is asked for.",
            "i - j, i the query (rows), j the key (columns): positions[:, None] - positions.",
            (_relative(lambda i, j, t, m: j - i + m - 1), lambda q, e: _relative()(q, e.flip(0))), _row_used),
        Misconception(
            "offset-t", "The distance was moved by T - 1, the number of positions, instead of M - 1: right only where "
            "T = M.",
            "Distance 0 stands in the middle of the table, in row M - 1: M = (len(distance_embedding) + 1) // 2.",
            (_relative(lambda i, j, t, m: i - j + t - 1),), _row_used),
        Misconception(
            "sign-and-offset-t", "Two things: the distance has the wrong sign, and it was moved by T - 1 instead of "
            "M - 1.",
            "Query minus key, positions[:, None] - positions; then plus M - 1, with "
            "M = (len(distance_embedding) + 1) // 2.",
            (_relative(lambda i, j, t, m: j - i + t - 1),), _row_used),
        Misconception(
            "off-by-one", "The row is off by one: distance 0 does not land in the middle of the table.",
            "The distances run from -(M - 1) to M - 1, so -(M - 1) must land in row 0: add M - 1.",
            (_relative(lambda i, j, t, m: i - j + m), _relative(lambda i, j, t, m: i - j + m - 2)), _row_used),
        Misconception(
            "no-offset", "The distance itself was taken as the row. A negative one counts from the end of the table, "
            "so no error tells you.",
            "Add M - 1: then the smallest distance, -(M - 1), becomes row 0.",
            (_relative(lambda i, j, t, m: i - j),), _row_used),
        Misconception(
            "sign-and-no-offset", "Two things: the distance has the wrong sign, and M - 1 was not added. A negative "
            "row counts from the end of the table, so no error tells you.",
            "Query minus key, plus M - 1.", (_relative(lambda i, j, t, m: j - i),), _row_used),
        Misconception(
            "length-as-m", "The length of the table, 2M - 1, was taken for M.",
            "M = (len(distance_embedding) + 1) // 2.",
            (_relative(lambda i, j, t, m: i - j + 2 * m - 2),
             lambda q, e: _relative(lambda i, j, t, m: i - j + len(e))(q, e)), _row_used),
        Misconception(
            "absolute", "The distance lost its sign: a key 2 before and a key 2 after the query got the same row.",
            "The table has a row for each sign: i - j + M - 1, without abs.",
            (_relative(lambda i, j, t, m: (i - j).abs()), _relative(lambda i, j, t, m: (i - j).abs() + m - 1),
             _relative(lambda i, j, t, m: m - 1 - (i - j).abs())), _row_used),
        Misconception(
            "clamped", "Distances were cut off at a smaller one than the table goes to.",
            "With T <= M every distance has a row of its own: no clamp is needed.",
            tuple(_relative(lambda i, j, t, m, low=low, high=high: (i - j).clamp(low, high) + m - 1)
                  for low, high in ((0, None), (None, 0), (-1, 1), (-2, 2), (-3, 3))), _row_used),
        Misconception(
            "sum-of-positions", "The positions were added, not subtracted: i + j.",
            "A distance is a difference: i - j + M - 1.",
            (_relative(lambda i, j, t, m: i + j), _relative(lambda i, j, t, m: (i + j).clamp(max=2 * m - 2))),
            _row_used),
        Misconception(
            "row-by-key", "Every query took the same row for key j: the row depends on the key alone, not on the "
            "distance.",
            "For each pair (i, j) another row: distance_embedding[i - j + M - 1], a table of shape (T, T, D).",
            (_relative(lambda i, j, t, m: j + 0 * i), _relative(lambda i, j, t, m: j + m - 1 + 0 * i),
             _relative(lambda i, j, t, m: m - 1 - j + 0 * i), _relative(lambda i, j, t, m: j + 2 * m - 1 - t + 0 * i)),
            _row_used),
        Misconception(
            "row-by-query", "Each query took one row for all its keys: the row depends on the query alone, not on the "
            "distance.",
            "For each pair (i, j) another row: distance_embedding[i - j + M - 1], a table of shape (T, T, D).",
            (_relative(lambda i, j, t, m: i + 0 * j), _relative(lambda i, j, t, m: i + m - 1 + 0 * j)), _row_used),
        Misconception(
            "middle-only", "Every pair got the same row of the table.",
            "The row depends on the distance: i - j + M - 1.",
            (_relative(lambda i, j, t, m: m - 1 + 0 * (i - j)), _relative(lambda i, j, t, m: 0 * (i - j))), _row_used),
        Misconception(
            "whole-table", "Every query was compared with all 2M - 1 rows; which key has which row was not yet said.",
            "The last axis must be the T keys: for the pair (i, j) take the product with row i - j + M - 1.",
            (lambda q, e: q @ e.T,)),
        Misconception(
            "transposed", "Queries and keys have changed places in the result: your row i belongs to key i.",
            "The axes are (B, H, query, key): in einsum \"bhtd,tsd->bhts\".",
            (lambda q, e: _relative()(q, e).transpose(-2, -1),), explainers.entry),
        Misconception(
            "key-asks", "It is the vector at the key's position that was multiplied, q_j instead of q_i.",
            "q_i . E[i - j + M - 1]: in einsum \"bhtd,tsd->bhts\", where q and the result share t.",
            (_with_key_vector,), explainers.entry),
        Misconception(
            "scaled", "The scores were divided by sqrt(D), or by D: here they are not to be scaled.",
            "Only the dot product: the division comes later, when everything has been added up.",
            (_relative(finish=lambda s, q, e: s / math.sqrt(q.size(-1))),
             _relative(finish=lambda s, q, e: s / q.size(-1))), explainers.entry),
        Misconception(
            "multiplied-by-root", "The scores were multiplied by sqrt(D): here they are not to be scaled.",
            "Only the dot product.", (_relative(finish=lambda s, q, e: s * math.sqrt(q.size(-1))),), explainers.entry),
        Misconception(
            "softmaxed", "A softmax was taken: these are weights, and scores are asked for.",
            "These scores are to be added to others first; the softmax comes after that.",
            (_relative(finish=lambda s, q, e: s.softmax(-1)),
             _relative(finish=lambda s, q, e: (s / math.sqrt(q.size(-1))).softmax(-1))), explainers.entry),
        Misconception(
            "causal", "Keys after the query were masked: -inf, 0, or a huge negative number stands there.",
            "No mask here: the table has rows for both directions.",
            tuple(_relative(finish=lambda s, q, e, low=low: s.masked_fill(~_causal(s), low))
                  for low in (-_INF, 0.0, -1e9)), explainers.entry),
        Misconception(
            "rows-as-batch", "q is (B, H, T, D) and the chosen rows are (T, T, D): @ wants the axes in front of the "
            "last two to agree, and here H meets T.",
            "Each query has rows of its own: torch.einsum(\"bhid,ijd->bhij\", q, rows), or multiply and sum over the "
            "last axis.",
            (lambda q, e: q @ _distance_rows(q, e).transpose(-2, -1),
             lambda q, e: q @ _distance_rows(q, e.flip(0)).transpose(-2, -1))),
        Misconception(
            "not-summed", "The products were not added up over the D features.",
            "A dot product ends with a sum over the last axis.",
            (lambda q, e: q[:, :, :, None] * _distance_rows(q, e),)),
        Misconception(
            "table-only", "These are rows of the table, or sums of them: q has no part in it.",
            "Each row must be multiplied with its query: q_i . E[i - j + M - 1].",
            (_distance_rows,
             lambda q, e: _distance_rows(q, e).sum(-1).expand(*q.shape[:2], -1, -1).clone())),
        Misconception(
            "content-added", "The products of q with itself were added to the scores.",
            "Only q_i . E[i - j + M - 1]: other scores are added elsewhere.",
            (_relative(finish=lambda s, q, e: s + q @ q.transpose(-2, -1)),), explainers.entry),
        Misconception(
            "positions-up-to-m", "The positions were counted up to M; there are T queries and T keys.",
            "T is q.size(-2); M only says where the middle of the table is.",
            (lambda q, e: torch.einsum("bhtd,tsd->bhts", q, e[_square((len(e) + 1) // 2)]),
             lambda q, e: torch.einsum("bhid,ijd->bhij", q, e[_square((len(e) + 1) // 2)]),
             lambda q, e: (q[:, :, :, None] * e[_square((len(e) + 1) // 2)]).sum(-1))),
)
