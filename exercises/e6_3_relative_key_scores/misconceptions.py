"""What people get wrong in exercise 6.3, relative_key_scores."""

import math

import torch
import torch.nn.functional as F

from exercises.common import explainers
from feedback import Misconceptions

INF = float("inf")


# ---------------------------------------------------------------- the right steps


def length(q, m):
    """T, the number of positions."""
    return q.size(-2)


def row(i, j, t, m):
    """Which row of the table belongs to query i, (T, 1), and key j, (T,)."""
    return i - j + m - 1


def product(q, rows):
    """The scores, from q (B, H, T, D) and the chosen rows (T, T, D)."""
    return torch.einsum("bhtd,tsd->bhts", q, rows)


def finish(scores, q):
    return scores


def scores_from(length=length, row=row, product=product, finish=finish):
    """relative_key_scores(q, distance_embedding) made of these steps."""

    def scores(q, distance_embedding):
        m = (len(distance_embedding) + 1) // 2
        t = length(q, m)
        i, j = torch.arange(t)[:, None], torch.arange(t)
        return finish(product(q, distance_embedding[row(i, j, t, m)]), q)

    return scores


def product_by_hand(q, rows):
    return (q[:, :, :, None] * rows).sum(-1)


# ---------------------------------------------------------------- a sentence about the learner's scores


def sources(case, i, j, factor=1.0):
    """The rows of the table that give the scores at [i, j], and the positions whose vectors do."""
    q, table = case.args
    right = i - j + (len(table) + 1) // 2 - 1
    with_each_row = q[:, :, i] @ table.T  # (B, H, 2M - 1)
    with_each_vector = q @ table[right]  # (B, H, T)
    return tuple(
        torch.isclose(case.first[:, :, i, j, None], factor * scores, rtol=1e-4, atol=3e-5)
        .flatten(0, 1)
        .all(0)
        .nonzero()
        .flatten()
        .tolist()
        for scores in (with_each_row, with_each_vector)
    )


def where_from(case, factor=1.0):
    """Which row of the table, or whose vector, gives the number that is furthest off; or None."""
    at = *_, i, j = explainers.worst(case.first, factor * case.expected_first)
    rows, positions = sources(case, i, j, factor)
    if len(rows) == 1:
        return (
            f"your score at {explainers.position(at)}, query {i} and key {j}, is made with row {rows[0]} of "
            f"distance_embedding; row {i - j + (len(case.args[1]) - 1) // 2} is right, {i} - {j} + M - 1"
        )
    if len(positions) == 1:
        return (
            f"your score at {explainers.position(at)}, query {i} and key {j}, is made with the vector of position "
            f"{positions[0]}; it should be that of query {i}"
        )
    return None


def row_used(case):
    return where_from(case) or explainers.entry(case)


known = Misconceptions(scores_from)


# ---------------------------------------------------------------- which row of the table


@known(
    "sign",
    means="The sign is wrong: these are the rows for key minus query, and those for query minus key are asked for. "
    "(Turning the table over does the same.)",
    hint="In i - j, i is the query (rows) and j the key (columns). Which of your two aranges is which?",
    explain=row_used,
    step="row",
)
def key_minus_query(i, j, t, m):
    return j - i + m - 1


@known(
    "offset-t",
    means="The distance was shifted by T - 1, with the number of positions, instead of M - 1: that is right only "
    "where T = M.",
    hint="Distance 0 belongs in the middle of the table, row M - 1, however long the text is. How many rows does "
    "the table have?",
    explain=row_used,
    step="row",
)
def shifted_by_the_length(i, j, t, m):
    return i - j + t - 1


@known(
    "sign-and-offset-t",
    means="Two things: the distance has the wrong sign, and it was shifted by T - 1 instead of M - 1.",
    hint="The distance is query minus key. And distance 0 belongs in the middle of the table, however long the text "
    "is.",
    explain=row_used,
    step="row",
)
def key_minus_query_shifted_by_the_length(i, j, t, m):
    return j - i + t - 1


@known(
    "m-too-small",
    means="The row is one too low: distance 0 uses the row before the middle of the table.",
    hint="Is your M right? The table has 2M - 1 rows, so M = (rows + 1) // 2.",
    explain=row_used,
    step="row",
)
def one_row_too_low(i, j, t, m):
    return i - j + m - 2


@known(
    "off-by-one",
    means="The row is one too high: distance 0 uses the row after the middle of the table.",
    hint="The distances run from -(M - 1) to M - 1, and the first of them must become row 0. What do you add?",
    explain=row_used,
    step="row",
)
def one_row_too_high(i, j, t, m):
    return i - j + m


@known(
    "no-offset",
    means="The distance itself was used as the row. A negative number then counts rows from the end of the table "
    "(`F.embedding` refuses it).",
    hint="The distances run from -(M - 1) to M - 1, and the first of them must become row 0. What must be added?",
    explain=row_used,
    step="row",
)
def distance_as_row(i, j, t, m):
    return i - j


@known.also("no-offset")
def distance_given_to_embedding(q, distance_embedding):
    i = torch.arange(q.size(-2))
    return product(q, F.embedding(i[:, None] - i, distance_embedding))


@known(
    "sign-and-no-offset",
    means="Two things: the distance has the wrong sign, and M - 1 was not added. A negative number counts rows from "
    "the end of the table.",
    hint="The distance is query minus key; and the smallest one, -(M - 1), must become row 0.",
    explain=row_used,
    step="row",
)
def key_minus_query_as_row(i, j, t, m):
    return j - i


@known(
    "length-as-m",
    means="The number of rows of the table, 2M - 1, was used as M.",
    hint="Solve rows = 2M - 1 for M.",
    explain=row_used,
    step="row",
)
def shifted_by_the_last_row(i, j, t, m):
    return i - j + 2 * m - 2


@known.also("length-as-m", step="row")
def shifted_by_the_number_of_rows(i, j, t, m):
    return i - j + 2 * m - 1


@known(
    "absolute",
    means="The distance lost its sign: keys 2 before and 2 after the query got the same row.",
    hint="The table has a row for each sign. Is there an abs in your code?",
    explain=row_used,
    step="row",
)
def absolute_distance(i, j, t, m):
    return (i - j).abs()


@known.also("absolute", step="row")
def absolute_distance_from_the_middle(i, j, t, m):
    return (i - j).abs() + m - 1


@known.also("absolute", step="row")
def absolute_distance_below_the_middle(i, j, t, m):
    return m - 1 - (i - j).abs()


known(
    "clamped",
    means="The distances were clamped to a smaller range than the table covers.",
    hint="With T <= M every distance has a row of its own. Is a clamp needed?",
    explain=row_used,
)


def add_clamp(low, high):
    @known.also("clamped", step="row")
    def clamped(i, j, t, m):
        return (i - j).clamp(low, high) + m - 1


for low, high in ((0, None), (None, 0), (-1, 1), (-2, 2), (-3, 3)):
    add_clamp(low, high)


@known(
    "sum-of-positions",
    means="The positions were added instead of subtracted: i + j.",
    hint="A distance is a difference.",
    explain=row_used,
    step="row",
)
def positions_added(i, j, t, m):
    return i + j


@known(
    "row-by-key",
    means="Every query used the same row for key j: the row depends on the key alone, not on the distance.",
    hint="Each pair (i, j) needs a row of its own: a table of rows of shape (T, T, D).",
    explain=row_used,
    step="row",
)
def key_as_row(i, j, t, m):
    return j + 0 * i


@known.also("row-by-key", step="row")
def key_from_the_middle(i, j, t, m):
    return j + m - 1 + 0 * i


@known.also("row-by-key", step="row")
def key_down_from_the_middle(i, j, t, m):
    return m - 1 - j + 0 * i


@known.also("row-by-key", step="row")
def key_in_the_last_rows(i, j, t, m):
    return j + 2 * m - 1 - t + 0 * i


@known(
    "row-by-query",
    means="Each query used one row for all its keys: the row depends on the query alone, not on the distance.",
    hint="Each pair (i, j) needs a row of its own: a table of rows of shape (T, T, D).",
    explain=row_used,
    step="row",
)
def query_as_row(i, j, t, m):
    return i + 0 * j


@known.also("row-by-query", step="row")
def query_from_the_middle(i, j, t, m):
    return i + m - 1 + 0 * j


@known(
    "middle-only",
    means="Every pair got the same row of the table.",
    hint="The row depends on the distance, i - j.",
    explain=row_used,
    step="row",
)
def always_the_middle(i, j, t, m):
    return m - 1 + 0 * (i - j)


@known.also("middle-only", step="row")
def always_row_0(i, j, t, m):
    return 0 * (i - j)


@known(
    "whole-table",
    means="Every query was compared with all 2M - 1 rows; what is missing is the choice of one row for each key.",
    hint="The last axis must be the T keys: for the pair (i, j), pick the product with row i - j + M - 1.",
)
def all_rows(q, distance_embedding):
    return q @ distance_embedding.T


# ---------------------------------------------------------------- how many positions there are


@known(
    "positions-up-to-m",
    means="The positions were counted up to M, but there are T queries and T keys.",
    hint="Which axis of q tells how many positions there are? M only says where the middle of the table is.",
    step="length",
)
def as_many_as_the_table_allows(q, m):
    return m


known.also("positions-up-to-m", length=as_many_as_the_table_allows, product=product_by_hand)

known(
    "positions-from-another-axis",
    means="The positions were counted along the wrong axis of q.",
    hint="q is (B, H, T, D). Which axis is T, and which one does your code take?",
)


def add_axis(axis):
    """T read off this axis of q, with each of two products: they stop in different ways."""

    def size(q, m):
        return q.size(axis)

    known.also("positions-from-another-axis", length=size)
    known.also("positions-from-another-axis", length=size, product=product_by_hand)


for axis in (0, 1):
    add_axis(axis)


@known.also("positions-from-another-axis", step="length")
def as_many_as_features(q, m):
    return q.size(-1)


# ---------------------------------------------------------------- the product


@known(
    "transposed",
    means="Queries and keys have changed places in the result: your row i belongs to key i.",
    hint="The axes are (B, H, query, key). Which letters does your result have, in which order?",
    explain=explainers.entry,
    step="finish",
)
def scores_transposed(scores, q):
    return scores.transpose(-2, -1)


@known(
    "key-asks",
    means="The vector at the key's position was multiplied: `q_j` instead of `q_i`.",
    hint="`q_i` . `E[i - j + M - 1]`: the query's position i must be the same axis in q, in the rows and in the "
    "result.",
    explain=explainers.entry,
    step="product",
)
def vector_of_the_key(q, rows):
    return torch.einsum("bhsd,tsd->bhts", q, rows)


@known(
    "rows-as-batch",
    means="q is (B, H, T, D) and the chosen rows are (T, T, D): @ requires the axes in front of the last two to "
    "agree, and here H is lined up with T.",
    hint="Each query has rows of its own: einsum can say so, or multiply and sum over the last axis.",
    step="product",
)
def matrix_product(q, rows):
    return q @ rows.transpose(-2, -1)


@known(
    "summed-over-heads",
    means="The scores of all heads were added up: the axis H is gone.",
    hint="Each head has scores of its own, (B, H, T, T). Which line sums over the heads?",
    step="finish",
)
def heads_added(scores, q):
    return scores.sum(1)


@known(
    "not-summed",
    means="The products were not added up over the D features.",
    hint="A dot product ends with a sum over the last axis.",
    step="product",
)
def products_alone(q, rows):
    return q[:, :, :, None] * rows


@known(
    "table-only",
    means="These are rows of the table, or sums of them: q was never used.",
    hint="Each row must be multiplied with its query: `q_i` . `E[i - j + M - 1]`.",
    step="product",
)
def rows_alone(q, rows):
    return rows


@known.also("table-only", step="product")
def sums_of_rows(q, rows):
    return rows.sum(-1).expand(*q.shape[:2], -1, -1).clone()


# ---------------------------------------------------------------- after the product


@known(
    "scaled",
    means="The scores were divided by `sqrt(D)`, or by D; here they should not be scaled.",
    hint="Only the dot product: the division comes later, when all scores have been added up.",
    explain=explainers.entry,
    step="finish",
)
def divided_by_the_root(scores, q):
    return scores / math.sqrt(q.size(-1))


@known.also("scaled", step="finish")
def divided_by_the_size(scores, q):
    return scores / q.size(-1)


@known(
    "multiplied-by-root",
    means="The scores were multiplied by `sqrt(D)`; here they should not be scaled.",
    hint="Only the dot product.",
    explain=explainers.entry,
    step="finish",
)
def times_the_root(scores, q):
    return scores * math.sqrt(q.size(-1))


@known(
    "softmaxed",
    means="A softmax was applied: these are weights, but scores are asked for.",
    hint="These scores will be added to others first; the softmax comes after that.",
    explain=explainers.entry,
    step="finish",
)
def softmax_of_the_scores(scores, q):
    return scores.softmax(-1)


@known.also("softmaxed", step="finish")
def softmax_of_scaled_scores(scores, q):
    return (scores / math.sqrt(q.size(-1))).softmax(-1)


known(
    "causal",
    means="Keys after the query were masked: -inf, 0 or a huge negative number is in their place.",
    hint="The table has rows for both directions. Is a mask asked for?",
    explain=explainers.entry,
)


def add_fill(value):
    @known.also("causal", step="finish")
    def future_filled(scores, q):
        return scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), value)


for value in (-INF, 0.0, -1e9):
    add_fill(value)


@known(
    "content-added",
    means="The products of q with itself were added to the scores.",
    hint="Only `q_i` . `E[i - j + M - 1]`: other scores are added elsewhere.",
    explain=explainers.entry,
    step="finish",
)
def content_added(scores, q):
    return scores + q @ q.transpose(-2, -1)
