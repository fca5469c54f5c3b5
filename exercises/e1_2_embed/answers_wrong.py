"""Wrong answers to exercise 1.2, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("columns")
def rows_of_the_transpose(ids, table):
    """Rows of the transpose: columns."""
    return table.t()[ids]


@wrong("ids-multiplied")
def rows_by_matmul(ids, table):
    """The ids as amounts, in whole numbers."""
    return torch.matmul(ids, table)


@wrong("one-hot-too-narrow")
def rows_by_narrow_one_hot(ids, table):
    """One_hot without a number of classes."""
    chosen = F.one_hot(ids)
    return chosen.type_as(table).matmul(table)


@wrong("one-hot-of-columns")
def rows_by_one_hot_of_columns(ids, table):
    """One_hot with as many classes as columns."""
    V, C = table.shape
    return F.one_hot(ids, C).to(table.dtype) @ table


@wrong("one-hot-dtype")
def rows_by_one_hot_of_ints(ids, table):
    """One_hot of whole numbers."""
    return F.one_hot(ids, table.size(0)) @ table


@wrong("one-hot-dtype")
def rows_by_one_hot_of_float32(ids, table):
    """One_hot always float32."""
    return F.one_hot(ids, table.size(0)).float() @ table


@wrong("one-hot-returned")
def rows_as_one_hot(ids, table):
    """The one-hot rows themselves."""
    return torch.eye(len(table), dtype=table.dtype)[ids]


@wrong("off-by-one")
def rows_from_one(ids, table):
    """Ids counted from 1."""
    shifted = ids - 1
    return F.embedding(shifted % len(table), table)


@wrong("off-by-one")
def rows_one_further(ids, table):
    """One row further."""
    return table.roll(-1, dims=0)[ids]


@wrong("first-id-only")
def rows_of_the_first_id(ids, table):
    """Return in the loop."""
    for id in ids.flatten():
        return table[id]


@wrong("last-id-only")
def rows_of_the_last_id(ids, table):
    """Each round overwrites the one before."""
    for id in ids.flatten():
        out = table[id]
    return out


@wrong("rows-in-order")
def rows_of_places(ids, table):
    """Places instead of ids."""
    return torch.stack([table[i] for i, id in enumerate(ids.flatten())]).view(*ids.shape, -1)


@wrong("whole-table")
def rows_all(ids, table):
    """The whole table."""
    return table


@wrong("summed")
def rows_summed(ids, table):
    """Added up."""
    return table[ids].sum(dim=-2)


@wrong("averaged")
def rows_averaged(ids, table):
    """Averaged: a bag of words."""
    return table[ids].mean(dim=-2)


@wrong("row-reduced")
def rows_as_one_number(ids, table):
    """Rows summed to one number."""
    return table.sum(dim=1)[ids]


@wrong("scaled")
def rows_scaled(ids, table):
    """Scaled as in the paper."""
    return table[ids] * math.sqrt(table.shape[1])


@wrong("normalized")
def rows_of_length_one(ids, table):
    """Brought to length 1."""
    rows = table[ids]
    return rows / rows.norm(dim=-1, keepdim=True)


@wrong("flattened")
def rows_flattened(ids, table):
    """Flattened."""
    return table[ids.view(-1)]


@wrong("one-long-vector")
def rows_joined(ids, table):
    """Joined by cat."""
    return torch.cat([table[id] for id in ids])


@wrong("swapped-arguments")
def rows_by_swapped_embedding(ids, table):
    """F.embedding with its arguments swapped."""
    return nn.functional.embedding(weight=ids, input=table)


@wrong("swapped-arguments")
def rows_by_swapped_index(ids, table):
    """The table as an index."""
    rows = [ids[row] for row in table]
    return torch.stack(rows)


@wrong("a-new-table")
def rows_of_a_new_layer(ids, table):
    """A new layer with random numbers."""
    V, C = table.shape
    layer = nn.Embedding(V, C)
    return layer(ids)


@wrong("transposed")
def rows_transposed(ids, table):
    """Transposed."""
    rows = F.embedding(ids, table)
    return rows.swapaxes(-1, -2)


@wrong("no-single-id")
def rows_stacked(ids, table):
    """No single id."""
    return torch.stack([table[id] for id in ids])


@wrong("fixed-axes")
def rows_by_index_select_of_a_batch(ids, table):
    """One axis only: index_select."""
    return torch.index_select(table, 0, ids)


@wrong("fixed-axes")
def rows_by_item(ids, table):
    """One axis only: item()."""
    return torch.stack([table[id.item()] for id in ids])


@wrong("fixed-axes")
def rows_of_two_axes(ids, table):
    """Two axes only."""
    B, T = ids.shape
    return table[ids.reshape(B * T)].reshape(B, T, -1)


@wrong("single-numbers")
def rows_by_take(ids, table):
    """Single numbers."""
    return torch.take(table, ids)


@wrong("repeats-dropped")
def rows_of_unique_ids(ids, table):
    """No id twice."""
    return table[torch.unique(ids)]


@wrong("ids-returned")
def rows_as_ids(ids, table):
    """The ids."""
    return ids


@wrong("no-gradients")
def rows_detached(ids, table):
    """Detached."""
    return table[ids].detach()


@wrong("no-gradients")
def rows_by_lists(ids, table):
    """By Python numbers."""
    return torch.tensor([table[id].tolist() for id in ids.flatten()], dtype=table.dtype).reshape(*ids.shape, -1)


@wrong("no-gradients")
def rows_by_data(ids, table):
    """Through data."""
    return table.data[ids]


@wrong("no-gradients")
def rows_under_no_grad(ids, table):
    """Without gradients."""
    with torch.no_grad():
        return table[ids]


@wrong("no-gradients")
def rows_of_a_frozen_layer(ids, table):
    """A layer made from the table: its parameter is another."""
    return nn.Embedding.from_pretrained(table)(ids)


@wrong("no-gradients")
def rows_of_a_new_parameter(ids, table):
    """A new parameter."""
    return nn.Parameter(table)[ids]


@wrong()
def rows_by_numpy(ids, table):
    """Numpy: it refuses a table that needs gradients."""
    return torch.from_numpy(table.numpy()[ids.numpy()])


@wrong("wrong-gradients")
def rows_with_half_a_gradient(ids, table):
    """Half of the gradient."""
    return table[ids] / 2 + table[ids].detach() / 2


@wrong("wrong-gradients")
def rows_with_padding(ids, table):
    """Row 0 never learns."""
    return F.embedding(ids, table, padding_idx=0)


@wrong("returns-wrong-type")
def rows_as_numpy(ids, table):
    """A numpy array."""
    return table.detach().numpy()[ids.numpy()]


@wrong("returns-wrong-type")
def rows_as_a_list(ids, table):
    """A list of rows."""
    return [table[id] for id in ids.flatten()]


@wrong("wrong-dtype")
def rows_in_float32(ids, table):
    """Float32 always."""
    return table[ids].float()


@wrong()
def rows_by_calling(ids, table):
    """The table is called."""
    return table(ids)


@wrong("float-ids")
def rows_of_float_ids(ids, table):
    """Float ids."""
    index = torch.as_tensor(ids, dtype=torch.float32)
    return table[index]


@wrong("no-row-of-the-table")
def rows_rounded(ids, table):
    """Rounded."""
    return (table[ids] * 10).round() / 10


@wrong("another-row")
def rows_from_below(ids, table):
    """Rows in reverse order."""
    return table[len(table) - 1 - ids]


@wrong("changes-input")
def rows_with_changed_ids(ids, table):
    """The ids are moved in place."""
    ids += 1
    return table[ids - 1]


@wrong("returns-none")
def rows_printed(ids, table):
    """Printed."""
    print(table[ids])


@wrong("one-hot-bare")
def looked_up_by_bare_one_hot(ids, table):
    """Bare one-hot rows: too few columns, and whole numbers."""
    return torch.matmul(F.one_hot(ids), table)


@wrong("a-new-table")
def looked_up_in_a_new_embedding(ids, table):
    """A new nn.Embedding, by its sizes."""
    return nn.Embedding(table.size(0), table.size(1))(ids)


@wrong("sorted")
def rows_of_sorted_ids(ids, table):
    """Sorted ids, by Python."""
    ordered = torch.tensor(sorted(ids.flatten().tolist()))
    return table[ordered].reshape(*ids.shape, table.shape[1])


@wrong("fixed-axes")
def rows_from_a_list_of_ids(ids, table):
    """A loop over tolist(): a single id is a plain number then."""
    rows = []
    for id in ids.tolist():
        rows.append(table[id])
    return torch.stack(rows)


@wrong("fixed-axes")
def rows_from_a_list_of_sentences(ids, table):
    """Two loops over tolist()."""
    out = []
    for sentence in ids.tolist():
        out.append(torch.stack([table[id] for id in sentence]))
    return torch.stack(out)


@wrong("fixed-axes")
def rows_written_one_level_too_deep(ids, table):
    """Two loops over tolist() that write into a table of zeros."""
    out = torch.zeros(*ids.shape, table.shape[1], dtype=table.dtype)
    for b, sentence in enumerate(ids.tolist()):
        for t, id in enumerate(sentence):
            out[b, t] = table[id]
    return out


@wrong("columns")
def rows_by_embedding_of_columns(ids, table):
    """F.embedding of the transpose."""
    columns = table.transpose(0, 1)
    return F.embedding(ids, columns)


@wrong()
def rows_by_a_tuple_of_ids(ids, table):
    """A tuple of ids, which counts as several indices."""
    return table[tuple(ids)]


@wrong()
def rows_with_an_index_too_many(ids, table):
    """An index for an axis that the table lacks."""
    return table[ids, :, :]


@wrong()
def rows_of_doubled_ids(ids, table):
    """Ids times two."""
    return table[2 * ids]


@wrong("changes-input")
def embed_that_asks_for_gradients(ids, table):
    """The table of whoever calls it needs gradients from now on."""
    table.requires_grad_()
    return table[ids]
