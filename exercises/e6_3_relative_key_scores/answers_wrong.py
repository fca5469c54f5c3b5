"""Wrong answers to exercise 6.3, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def distance(T):
    return torch.arange(T)[:, None] - torch.arange(T)


def by_rows(q, table):
    return torch.einsum("bhtd,tsd->bhts", q, table)


@wrong("sign")
def distances_with_wrong_sign(q, distance_embedding):
    """Key minus query."""
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[-distance(q.size(2)) + M - 1])


@wrong("sign")
def distances_with_wrong_sign_by_loops(q, distance_embedding):
    """Key minus query, by loops."""
    T, M = q.size(2), (len(distance_embedding) + 1) // 2
    return torch.stack(
        [torch.stack([q[:, :, i] @ distance_embedding[j - i + M - 1] for j in range(T)], -1) for i in range(T)], 2
    )


@wrong("offset-t")
def distances_with_offset_t(q, distance_embedding):
    """Offset T - 1."""
    T = q.size(2)
    return by_rows(q, distance_embedding[distance(T) + T - 1])


@wrong("sign-and-offset-t")
def distances_with_sign_and_offset_t(q, distance_embedding):
    """Sign and offset T - 1."""
    T = q.size(2)
    return by_rows(q, distance_embedding[T - 1 - distance(T)])


@wrong("off-by-one")
def distances_off_by_one(q, distance_embedding):
    """M in place of M - 1."""
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(q.size(2)) + M])


@wrong("m-too-small")
def distances_with_small_m(q, distance_embedding):
    """M one too small."""
    M = len(distance_embedding) // 2
    return by_rows(q, distance_embedding[distance(q.size(2)) + M - 1])


@wrong("no-offset")
def distances_without_offset(q, distance_embedding):
    """No offset."""
    return by_rows(q, distance_embedding[distance(q.size(2))])


@wrong("sign-and-no-offset")
def distances_without_offset_and_sign(q, distance_embedding):
    """No offset, key minus query."""
    return by_rows(q, distance_embedding[distance(q.size(2)).T])


@wrong("no-offset")
def distances_without_offset_in_embedding(q, distance_embedding):
    """No offset, in F.embedding."""
    return by_rows(q, F.embedding(distance(q.size(2)), distance_embedding))


@wrong("length-as-m")
def distances_with_length_as_m(q, distance_embedding):
    """The length taken for M."""
    M = len(distance_embedding)
    return by_rows(q, distance_embedding[distance(q.size(2)) + M - 1])


@wrong("absolute")
def distances_absolute(q, distance_embedding):
    """Absolute distances."""
    return by_rows(q, distance_embedding[distance(q.size(2)).abs()])


@wrong("absolute")
def distances_absolute_from_the_middle(q, distance_embedding):
    """Absolute distances from the middle."""
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(q.size(2)).abs() + M - 1])


@wrong("clamped")
def distances_clamped(q, distance_embedding):
    """Clamped at 2."""
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(q.size(2)).clamp(-2, 2) + M - 1])


@wrong("clamped")
def distances_clamped_at_0(q, distance_embedding):
    """The future clamped to 0."""
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(q.size(2)).clamp(min=0) + M - 1])


@wrong("sum-of-positions")
def distances_added(q, distance_embedding):
    """Positions added."""
    i = torch.arange(q.size(2))
    return by_rows(q, distance_embedding[i[:, None] + i])


@wrong("row-by-key")
def distances_as_keys(q, distance_embedding):
    """Rows as if they were keys."""
    return q @ distance_embedding[: q.size(2)].T


@wrong("row-by-key")
def distances_from_the_middle_as_keys(q, distance_embedding):
    """The middle rows as if they were keys."""
    M, T = (len(distance_embedding) + 1) // 2, q.size(2)
    return q @ distance_embedding[M - 1 : M - 1 + T].transpose(0, 1)


@wrong("whole-table")
def distances_of_the_whole_table(q, distance_embedding):
    """All rows as keys."""
    return q @ distance_embedding.transpose(0, 1)


@wrong("transposed")
def distances_transposed(q, distance_embedding):
    """Transposed at the end."""
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(q.size(2)) + M - 1]).transpose(2, 3)


@wrong("key-asks")
def distances_of_the_key(q, distance_embedding):
    """Einsum with the key's letter."""
    M = (len(distance_embedding) + 1) // 2
    return torch.einsum("bhrd,lrd->bhlr", q, distance_embedding[distance(q.size(2)) + M - 1])


@wrong("scaled")
def distances_scaled(q, distance_embedding):
    """Scaled."""
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(q.size(2)) + M - 1]) / math.sqrt(q.size(-1))


@wrong("scaled")
def distances_averaged(q, distance_embedding):
    """The mean of the products."""
    M = (len(distance_embedding) + 1) // 2
    return (q.unsqueeze(3) * distance_embedding[distance(q.size(2)) + M - 1]).mean(-1)


@wrong("softmaxed")
def distances_softmaxed(q, distance_embedding):
    """Softmax."""
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(q.size(2)) + M - 1]).softmax(-1)


@wrong("causal")
def distances_causal(q, distance_embedding):
    """Causal."""
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(q.size(2)) + M - 1]).tril()


@wrong("not-summed")
def distances_not_summed(q, distance_embedding):
    """Products not summed."""
    M = (len(distance_embedding) + 1) // 2
    return q.unsqueeze(3) * distance_embedding[distance(q.size(2)) + M - 1]


@wrong("table-only")
def distances_table_only(q, distance_embedding):
    """The rows themselves."""
    M = (len(distance_embedding) + 1) // 2
    return distance_embedding[distance(q.size(2)) + M - 1]


@wrong("positions-up-to-m")
def distances_for_m_positions(q, distance_embedding):
    """M positions."""
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(M) + M - 1])


@wrong("content-added")
def distances_and_content(q, distance_embedding):
    """The scores of content added."""
    M = (len(distance_embedding) + 1) // 2
    return q @ q.mT + by_rows(q, distance_embedding[distance(q.size(2)) + M - 1])


@wrong("summed-over-heads")
def distances_summed_over_heads(q, distance_embedding):
    """Summed over heads."""
    M = (len(distance_embedding) + 1) // 2
    return torch.einsum("bhtd,tsd->bts", q, distance_embedding[distance(q.size(2)) + M - 1])


@wrong("items-mixed")
def distances_with_heads_mixed(q, distance_embedding):
    """Summed over the heads, and kept."""
    M = (len(distance_embedding) + 1) // 2
    q = q.sum(1, keepdim=True).expand_as(q)
    return by_rows(q, distance_embedding[distance(q.size(2)) + M - 1])


@wrong("wrong-row")
def distances_by_a_wrong_skew(q, distance_embedding):
    """A view of the skewed table."""
    T, M = q.size(2), (len(distance_embedding) + 1) // 2
    near = q @ distance_embedding[M - T : M + T - 1].T  # (B, H, T, 2T - 1)
    return torch.stack([near[:, :, i, i : i + T] for i in range(T)], 2)


@wrong()
def distances_doubled(q, distance_embedding):
    """Distances doubled."""
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[2 * distance(q.size(2)) + M - 1])


@wrong("wrong-row")
def distances_modulo(q, distance_embedding):
    """Distances modulo the table."""
    L = len(distance_embedding)
    return by_rows(q, distance_embedding[(distance(q.size(2)) + 1) % L])


@wrong("not-linear")
def distances_with_tanh(q, distance_embedding):
    """A tanh after the product."""
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(q.size(2)) + M - 1]).tanh()


@wrong("wrong-dtype")
def distances_in_float32(q, distance_embedding):
    """Always float32."""
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q.float(), distance_embedding[distance(q.size(2)) + M - 1].float()) + 0.0


@wrong("positions-from-another-axis")
def distances_with_t_from_heads(q, distance_embedding):
    """T from the wrong axis."""
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[distance(q.size(1)) + M - 1])


@wrong("changes-input")
def distances_changing_the_table(q, distance_embedding):
    """The table is scaled in place."""
    M = (len(distance_embedding) + 1) // 2
    distance_embedding *= 2
    return by_rows(q, distance_embedding[distance(q.size(2)) + M - 1]) / 2


@wrong("rows-as-batch")
def distances_by_a_matrix_product(q, distance_embedding):
    """A matrix product: H meets T."""
    T, M = q.size(-2), (len(distance_embedding) + 1) // 2
    positions = torch.arange(T)
    index = positions[:, None] - positions + M - 1
    return q @ distance_embedding[index].transpose(-2, -1)


@wrong("positions-from-another-axis")
def distances_with_axes_unpacked_in_another_order(q, distance_embedding):
    """The shape is read as (B, T, H, D), and the product is written by hand."""
    B, T, H, D = q.shape
    M = (len(distance_embedding) + 1) // 2
    rows = distance_embedding[distance(T) + M - 1]
    return torch.sum(q.unsqueeze(-2) * rows, dim=-1)


@wrong("m-too-small")
def distances_by_loops_with_small_m(q, distance_embedding):
    """The middle row is taken for M."""
    T, M = q.size(2), distance_embedding.size(0) // 2
    rows = torch.tensor([[i - j + M - 1 for j in range(T)] for i in range(T)])
    return by_rows(q, distance_embedding[rows])


@wrong("row-by-query")
def distances_of_the_query_alone(q, distance_embedding):
    """One row per query, repeated for all keys."""
    T = q.size(2)
    own = (q * distance_embedding[:T]).sum(-1, keepdim=True)
    return own.repeat(1, 1, 1, T)


@wrong("middle-only")
def distances_all_in_the_middle(q, distance_embedding):
    """The middle row for all pairs."""
    T = q.size(2)
    middle = distance_embedding[len(distance_embedding) // 2]
    return (q @ middle).unsqueeze(-1).expand(-1, -1, -1, T)


@wrong("multiplied-by-root")
def distances_scaled_the_wrong_way(q, distance_embedding):
    """Times sqrt(D)."""
    M = (len(distance_embedding) + 1) // 2
    rows = distance_embedding[distance(q.size(2)) + M - 1]
    return by_rows(q * q.size(-1) ** 0.5, rows)


@wrong("summed-over-heads")
def distances_of_all_heads_together(q, distance_embedding):
    """The heads of q are added up first."""
    M = (len(distance_embedding) + 1) // 2
    rows = distance_embedding[distance(q.size(2)) + M - 1]
    return (q.sum(dim=1).unsqueeze(2) * rows).sum(-1)


@wrong("no-gradients")
def distances_from_a_frozen_table(q, distance_embedding):
    """A table that can never learn."""
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding.data[distance(q.size(2)) + M - 1])


@wrong("no-gradients")
def distances_of_a_detached_query(q, distance_embedding):
    """Queries without gradients."""
    M = (len(distance_embedding) + 1) // 2
    rows = F.embedding(distance(q.size(2)) + M - 1, distance_embedding)
    return by_rows(q.detach(), rows)
