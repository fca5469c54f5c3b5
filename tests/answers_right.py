"""Legitimate answers to the exercises, as different in style as learners are: every checker must pass all of them.

RIGHT maps an exercise to its answers. The name of an answer says its style. Some styles are odd on purpose.
"""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import math
import re
from collections import defaultdict, namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

RIGHT = {}


def right(exercise):
    """Enter the decorated answer under the exercise."""

    def enter(answer):
        RIGHT.setdefault(exercise, []).append(answer)
        return answer

    return enter


# ---- 0.1 row_means(x) ------------------------------------------------------------------------------------------------


@right("0.1")
def means_by_method(x):
    return x.mean(dim=1)


@right("0.1")
def means_over_the_last_axis(x: Tensor) -> Tensor:
    return torch.mean(x, axis=-1)


@right("0.1")
def means_by_sum_and_count(x):
    rows, columns = x.shape
    return x.sum(1) / columns


@right("0.1")
def means_by_einsum(x):
    return torch.einsum("rc->r", x) / x.size(1)


@right("0.1")
def means_by_matmul_with_ones(x):
    ones = x.new_ones(x.shape[1])
    return x @ ones / len(ones)


@right("0.1")
def means_by_writing_into_zeros(x):
    result = torch.zeros(x.shape[0], dtype=x.dtype)
    for row in range(x.shape[0]):
        for column in range(x.shape[1]):
            result[row] += x[row, column]
        result[row] /= x.shape[1]
    return result


@right("0.1")
def means_by_stacking_rows(x):
    return torch.stack([row.mean() for row in x])


@right("0.1")
def means_by_python_numbers(x):
    return torch.tensor([sum(row) / len(row) for row in x.tolist()], dtype=x.dtype)


@right("0.1")
def means_by_numpy(x):
    return torch.from_numpy(x.numpy().mean(axis=1))


@right("0.1")
def means_in_float64(x):
    return x.double().mean(1).to(x.dtype)


@right("0.1")
def means_of_the_columns_of_the_transpose(x):
    return x.T.mean(0)


@right("0.1")
def means_by_average_pooling(x):
    return F.adaptive_avg_pool1d(x.unsqueeze(1), 1).squeeze(2).squeeze(1)


@right("0.1")
def means_with_keepdim_then_squeezed(x):
    return x.mean(dim=1, keepdim=True).squeeze(-1)


@right("0.1")
def means_on_a_copy_in_place(x):
    x = x.clone()
    x /= x.shape[1]
    return x.sum(dim=1)


@right("0.1")
def means_with_printing_and_a_helper(x, verbose=True):
    def mean_of(row):
        return torch.sum(row) / row.numel()

    means = torch.empty_like(x[:, 0])
    for index, row in enumerate(x):
        means[index] = mean_of(row)
        if verbose:
            print("row", index, "has mean", means[index].item())
    return means


right("0.1")(lambda x: x.mean(1))


# ---- 1.1 encode(text, vocabulary) ------------------------------------------------------------------------------------


@right("1.1")
def ids_by_get(text, vocabulary):
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()]


@right("1.1")
def ids_by_a_loop_and_append(text, vocabulary):
    ids = []
    words = text.lower().split()
    for word in words:
        if word in vocabulary:
            ids.append(vocabulary[word])
        else:
            ids.append(vocabulary["<unk>"])
    return ids


@right("1.1")
def ids_by_try_and_except(text, vocabulary):
    ids = []
    for word in text.split():
        try:
            ids += [vocabulary[word.lower()]]
        except KeyError:
            ids += [vocabulary["<unk>"]]
    return ids


@right("1.1")
def ids_by_map(text: str, vocabulary: dict) -> list:
    unknown = vocabulary["<unk>"]
    return list(map(lambda word: vocabulary.get(word, unknown), text.lower().split()))  # noqa: C417


@right("1.1")
def ids_by_replacing_words_first(text, vocabulary):
    words = [word if word in vocabulary else "<unk>" for word in text.lower().split()]
    return [vocabulary[word] for word in words]


@right("1.1")
def ids_by_regular_expression(text, vocabulary):
    return [vocabulary.get(found.group(), vocabulary["<unk>"]) for found in re.finditer(r"\S+", text.lower())]


@right("1.1")
def ids_by_defaultdict(text, vocabulary):
    known = defaultdict(lambda: vocabulary["<unk>"], vocabulary)
    return [known[word] for word in text.lower().split()]


@right("1.1")
def ids_by_a_dict_with_missing(text, vocabulary):
    class Vocabulary(dict):
        def __missing__(self, word):
            return self["<unk>"]

    known = Vocabulary(vocabulary)
    return [known[word] for word in str.split(str.lower(text))]


@right("1.1")
def ids_letter_by_letter(text, vocabulary):
    ids, word = [], ""
    for letter in text + " ":
        if not letter.isspace():
            word += letter.lower()
        elif word:
            ids.append(vocabulary[word] if word in vocabulary else vocabulary["<unk>"])
            word = ""
    return ids


@right("1.1")
def ids_by_looking_through_the_vocabulary(text, vocabulary):
    ids = []
    for word in text.lower().split():
        found = vocabulary["<unk>"]
        for key, id in vocabulary.items():
            if key == word:
                found = id
                break
        ids.append(found)
    return ids


@right("1.1")
def ids_by_two_lists(text, vocabulary):
    keys, numbers = list(vocabulary.keys()), list(vocabulary.values())
    return [numbers[keys.index(word)] if keys.count(word) else numbers[keys.index("<unk>")]
            for word in text.lower().split()]


@right("1.1")
def ids_by_a_tensor_and_back(text, vocabulary):
    ids = torch.tensor([vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()])
    return ids.tolist()


@right("1.1")
def ids_by_none_and_is(text, vocabulary):
    ids = [None] * len(text.split())
    for place, word in enumerate(text.split()):
        id = vocabulary.get(word.lower())
        ids[place] = vocabulary["<unk>"] if id is None else id
    return ids


@right("1.1")
def ids_on_a_changed_copy(text, vocabulary):
    known = dict(vocabulary)
    for word in text.lower().split():
        known.setdefault(word, known["<unk>"])
    return [known[word] for word in text.lower().split()]


@right("1.1")
def ids_by_helpers(text, vocabulary, unknown="<unk>"):
    def words_of(text):
        return text.casefold().split()

    def id_of(word):
        return vocabulary[word if word in vocabulary else unknown]

    print(words_of(text))
    return [*map(id_of, words_of(text))]


@right("1.1")
def ids_recursively(text, vocabulary):
    first, *rest = text.lower().split(None, 1)
    id = vocabulary.get(first, vocabulary.get("<unk>"))
    return [id] + (ids_recursively(rest[0], vocabulary) if rest and rest[0].strip() else [])


@right("1.1")
def ids_by_a_generator_inside_list(text, vocabulary):
    return list(vocabulary.get(w, vocabulary["<unk>"]) for w in text.lower().split())  # noqa: C400


@right("1.1")
def ids_of_blanks_replaced(text, vocabulary):
    for space in ("\n", "\t"):
        text = text.replace(space, " ")
    return [vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split(" ") if word != ""]


@right("1.1")
def ids_of_numpy(text, vocabulary):
    return list(np.array([vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()]))


# ---- 1.2 embed(ids, table) -------------------------------------------------------------------------------------------


@right("1.2")
def rows_by_index(ids, table):
    return table[ids]


@right("1.2")
def rows_by_index_with_ellipsis(ids, table):
    return table[ids, ...]


@right("1.2")
def rows_by_functional_embedding(ids, table):
    return F.embedding(ids, table)


@right("1.2")
def rows_by_functional_embedding_with_sparse_gradients(ids, table):
    return F.embedding(ids, table, sparse=True)


@right("1.2")
def rows_by_one_hot(ids, table):
    return F.one_hot(ids, num_classes=table.shape[0]).to(table.dtype) @ table


@right("1.2")
def rows_by_index_select(ids, table):
    return torch.index_select(table, 0, ids.flatten()).reshape(*ids.shape, table.shape[1])


@right("1.2")
def rows_by_index_select_and_view(ids, table):
    shape = ids.shape + table.shape[1:]
    return table.index_select(0, ids.reshape(-1)).view(shape)


@right("1.2")
def rows_by_gather(ids, table):
    C = table.size(-1)
    index = ids.reshape(-1, 1).expand(-1, C)
    return table.gather(0, index).reshape(ids.shape + (C,))


@right("1.2")
def rows_by_stacking(ids, table):
    rows = [table[id] for id in ids.flatten().tolist()]
    return torch.stack(rows).reshape(*ids.shape, -1)


@right("1.2")
def rows_recursively(ids, table):
    if ids.dim() == 0:
        return table[ids.item()]
    return torch.stack([rows_recursively(part, table) for part in ids])


@right("1.2")
def rows_by_writing_into_zeros(ids, table):
    out = torch.zeros(ids.numel(), table.shape[1], dtype=table.dtype)
    for place, id in enumerate(ids.flatten()):
        out[place] = table[id]
    return out.view(*ids.shape, table.shape[1])


@right("1.2")
def rows_by_comparing(ids, table):
    chosen = (ids.unsqueeze(-1) == torch.arange(len(table))).to(table.dtype)
    return torch.einsum("...v,vc->...c", chosen, table)


@right("1.2")
def rows_by_where_and_sum(ids, table):
    chosen = ids[..., None, None] == torch.arange(table.size(0))[:, None]
    return torch.where(chosen, table, torch.zeros_like(table)).sum(-2)


@right("1.2")
def rows_by_an_identity_matrix(ids, table):
    return torch.eye(len(table), dtype=table.dtype)[ids] @ table


@right("1.2")
def rows_by_indexing_with_numpy(ids, table):
    return table[torch.from_numpy(np.asarray(ids.numpy(), dtype=np.int64))]


@right("1.2")
def rows_by_columns_of_the_transpose(ids, table):
    return table.T[:, ids.flatten()].T.reshape(*ids.shape, -1)


@right("1.2")
def rows_by_unbinding_the_table(ids, table):
    rows = table.unbind(0)
    return torch.cat([rows[id] for id in ids.view(-1)]).view(*ids.shape, -1)


@right("1.2")
def rows_by_index_put(ids, table):
    out = table.new_zeros(*ids.shape, table.size(1))
    for row in range(table.size(0)):
        out = out + (ids == row).unsqueeze(-1) * table[row]
    return out


@right("1.2")
def rows_by_take_along_dim(ids, table):
    flat = torch.take_along_dim(table, ids.reshape(-1)[:, None], dim=0)
    return flat.reshape(*ids.shape, table.size(1))


right("1.2")(lambda ids, table: table.index_select(0, ids.ravel()).unflatten(0, ids.shape) if ids.dim() else table[ids])


# ---- 1.3 sinusoidal_positions(length, d_model) -----------------------------------------------------------------------


@right("1.3")
def waves_as_in_the_tutorial(length, d_model):
    pe = torch.zeros(length, d_model)
    position = torch.arange(0, length, dtype=torch.float).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe


@right("1.3")
def waves_by_powers(length, d_model):
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack((angles.sin(), angles.cos()), dim=2).reshape(length, d_model)


@right("1.3")
def waves_by_python_loops(length, d_model):
    table = torch.zeros(length, d_model)
    for p in range(length):
        for i in range(0, d_model, 2):
            angle = p / 10000 ** (i / d_model)
            table[p, i] = math.sin(angle)
            table[p, i + 1] = math.cos(angle)
    return table


@right("1.3")
def waves_by_nested_lists(length, d_model):
    def entry(p, column):
        angle = p * 10000 ** -((column - column % 2) / d_model)
        return math.cos(angle) if column % 2 else math.sin(angle)

    return torch.tensor([[entry(p, column) for column in range(d_model)] for p in range(length)])


@right("1.3")
def waves_by_numpy(length, d_model):
    angles = np.arange(length)[:, np.newaxis] / np.power(10000.0, 2 * (np.arange(d_model) // 2) / d_model)
    angles[:, 0::2] = np.sin(angles[:, 0::2])
    angles[:, 1::2] = np.cos(angles[:, 1::2])
    return torch.from_numpy(angles).float()


@right("1.3")
def waves_by_numpy_float32(length, d_model):
    table = np.zeros((length, d_model), dtype=np.float32)
    for i in range(d_model // 2):
        table[:, 2 * i] = np.sin(np.arange(length) / 10000 ** (2 * i / d_model))
        table[:, 2 * i + 1] = np.cos(np.arange(length) / 10000 ** (2 * i / d_model))
    return torch.tensor(table)


@right("1.3")
def waves_by_where(length, d_model):
    column = torch.arange(d_model)
    exponent = (column - column % 2) / d_model
    angles = torch.arange(length).float().unsqueeze(1) / torch.pow(10000.0, exponent)
    return torch.where(column % 2 == 0, torch.sin(angles), torch.cos(angles))


@right("1.3")
def waves_by_a_shifted_sine(length, d_model):
    column = torch.arange(d_model, dtype=torch.float64)
    angles = torch.outer(torch.arange(length, dtype=torch.float64), 10000 ** (-(column // 2) * 2 / d_model))
    return torch.sin(angles + (column % 2) * math.pi / 2).to(torch.float32)


@right("1.3")
def waves_by_complex_numbers(length, d_model):
    angles = torch.outer(torch.arange(length).double(), 10000.0 ** (-torch.arange(0, d_model, 2).double() / d_model))
    turned = torch.exp(1j * angles)
    return torch.view_as_real(turned).flip(-1).flatten(-2).float()


@right("1.3")
def waves_by_polar(length, d_model):
    angles = torch.arange(length)[:, None] * torch.exp(-math.log(1e4) * torch.arange(0, d_model, 2) / d_model)
    turned = torch.polar(torch.ones_like(angles), angles)
    return torch.stack([turned.imag, turned.real], -1).flatten(1)


@right("1.3")
def waves_by_turning_step_by_step(length, d_model):
    speed = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    step, rows = torch.polar(torch.ones_like(speed), speed), [torch.ones(d_model // 2, dtype=torch.complex128)]
    for _ in range(length - 1):
        rows.append(rows[-1] * step)
    turned = torch.stack(rows)
    return torch.stack([turned.imag, turned.real], dim=-1).reshape(length, d_model).float()


@right("1.3")
def waves_by_einsum(length, d_model):
    frequency = 1 / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    angles = torch.einsum("p,i->pi", torch.arange(length).float(), frequency)
    table = torch.empty(length, d_model)
    table[:, ::2], table[:, 1::2] = angles.sin(), angles.cos()
    return table


@right("1.3")
def waves_row_by_row(length, d_model):
    rows = []
    for p in range(length):
        angle = p / torch.tensor(10000.0).pow(torch.arange(0, d_model, 2) / d_model)
        rows.append(torch.stack([torch.sin(angle), torch.cos(angle)]).T.flatten())
    return torch.stack(rows)


@right("1.3")
def waves_column_by_column(length, d_model):
    p, columns = torch.arange(length, dtype=torch.float32), []
    for i in range(d_model // 2):
        frequency = 10000 ** (-2 * i / d_model)
        columns += [torch.sin(p * frequency), torch.cos(p * frequency)]
    return torch.stack(columns, dim=1)


@right("1.3")
def waves_by_halves_put_in_turn(length, d_model):
    angles = torch.arange(length).view(-1, 1) * torch.pow(10000, -torch.arange(0, d_model, 2) / d_model)
    halves = torch.cat([angles.sin(), angles.cos()], dim=1)
    order = torch.arange(d_model).view(2, -1).T.flatten()
    return halves[:, order]


@right("1.3")
def waves_by_logspace(length, d_model):
    frequency = torch.logspace(0, -4 * (1 - 2 / d_model), d_model // 2, dtype=torch.float64)
    angles = torch.arange(length, dtype=torch.float64)[:, None] * frequency
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2).float()


@right("1.3")
def waves_with_printing(length, d_model, base=10_000):
    positions = torch.arange(length).unsqueeze(-1)
    pairs = torch.arange(d_model // 2)
    angles = positions / base ** (2 * pairs / d_model)
    print(angles.shape)
    result = torch.zeros(length, d_model, dtype=torch.float32)
    result[:, 2 * pairs] = torch.sin(angles)
    result[:, 2 * pairs + 1] = torch.cos(angles)
    return result


# ---- 1.4 add_positions(x, positions) ---------------------------------------------------------------------------------


@right("1.4")
def placed_by_a_slice(x, positions):
    return x + positions[:x.size(1)]


@right("1.4")
def placed_by_unpacking(x, positions):
    B, T, C = x.shape
    return x + positions[:T, :]


@right("1.4")
def placed_with_a_batch_axis(x, positions):
    return x + positions[: x.shape[1]].unsqueeze(0)


@right("1.4")
def placed_by_expanding(x, positions):
    return torch.add(x, positions[:x.shape[-2]].expand(x.shape[0], -1, -1))


@right("1.4")
def placed_by_indexing(x, positions):
    return positions[torch.arange(x.size(1))] + x


@right("1.4")
def placed_by_embedding(x, positions):
    B, T, _ = x.shape
    ids = torch.arange(T).repeat(B, 1)
    return x + F.embedding(ids, positions)


@right("1.4")
def placed_by_narrow(x, positions):
    return x.add(positions.narrow(0, 0, x.size(1)))


@right("1.4")
def placed_token_by_token(x, positions):
    out = torch.zeros_like(x)
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            out[b, t] = x[b, t] + positions[t]
    return out


@right("1.4")
def placed_number_by_number(x, positions):
    B, T, C = x.shape
    return torch.tensor([[[x[b, t, c].item() + positions[t, c].item() for c in range(C)] for t in range(T)]
                         for b in range(B)], dtype=x.dtype)


@right("1.4")
def placed_item_by_item(x, positions):
    return torch.stack([item + positions[:len(item)] for item in x])


@right("1.4")
def placed_on_a_copy_in_place(x, positions):
    x = x.clone()
    x += positions[:x.size(1)]
    return x


@right("1.4")
def placed_by_numpy(x, positions):
    return torch.from_numpy(x.numpy() + positions.numpy()[None, :x.shape[1]])


@right("1.4")
def placed_by_a_matrix(x, positions):
    T, most = x.size(1), positions.size(0)
    chosen = torch.eye(T, most, dtype=x.dtype)
    return x + chosen @ positions


@right("1.4")
def placed_by_splitting_the_table(x, positions):
    used, _ = positions.split([x.size(1), len(positions) - x.size(1)])
    return x + used.repeat(len(x), 1, 1)


@right("1.4")
def placed_tokens_first(x, positions):
    return (x.transpose(0, 1) + positions[:x.size(1), None]).transpose(0, 1)


@right("1.4")
def placed_by_einsum(x, positions):
    ones = x.new_ones(x.size(0))
    return x + torch.einsum("b,tc->btc", ones, positions[:x.size(1)])


@right("1.4")
def placed_by_zip(x, positions):
    columns = [token + row for token, row in zip(x.unbind(1), positions)]  # noqa: B905
    return torch.stack(columns, dim=1)


@right("1.4")
def placed_in_float64(x, positions):
    return (x.double() + positions[:x.size(1)].double()).to(x.dtype)


right("1.4")(lambda x, positions: x - (-positions[0:x.size(1)]))


# ---- 2.1 dot_product_scores(q, k) ------------------------------------------------------------------------------------


@right("2.1")
def scores_by_at_and_transpose(q, k):
    return q @ k.transpose(-2, -1)


@right("2.1")
def scores_by_matmul_and_mt(queries, keys):
    return torch.matmul(queries, keys.mT)


@right("2.1")
def scores_by_einsum(q, k):
    return torch.einsum("...td,...sd->...ts", q, k)


@right("2.1")
def scores_by_broadcast_sum(q, k):
    return (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(dim=-1)


@right("2.1")
def scores_by_two_loops(q, k):
    scores = torch.empty(*q.shape[:-1], k.shape[-2], dtype=q.dtype)
    for t in range(q.shape[-2]):
        for s in range(k.shape[-2]):
            scores[..., t, s] = (q[..., t, :] * k[..., s, :]).sum(-1)
    return scores


@right("2.1")
def scores_by_bmm_and_reshape(q, k):
    leading = q.shape[:-2]
    flat_q = q.reshape(-1, *q.shape[-2:])
    flat_k = k.reshape(-1, *k.shape[-2:])
    return torch.bmm(flat_q, flat_k.permute(0, 2, 1)).reshape(*leading, q.shape[-2], k.shape[-2])


@right("2.1")
def scores_by_recursion_over_the_batch(q, k):
    if q.dim() == 2:
        return q.mm(k.t())
    items = [scores_by_recursion_over_the_batch(*item) for item in zip(q, k, strict=True)]
    return torch.stack(items)


@right("2.1")
def scores_by_numpy(q, k):
    q, k = q.detach().numpy(), k.detach().numpy()
    return torch.from_numpy(np.matmul(q, np.swapaxes(k, -1, -2)))


@right("2.1")
def scores_in_float64(q, k):
    return (q.double() @ k.double().swapaxes(-1, -2)).type_as(q)


@right("2.1")
def scores_by_permute_of_counted_axes(q, k):
    axes = list(range(k.ndim))
    axes[-1], axes[-2] = axes[-2], axes[-1]
    return q.matmul(k.permute(*axes))


@right("2.1")
def scores_of_keys_and_transposed_back(q, k):
    return (k @ q.mT).mT


@right("2.1")
def scores_key_by_key(q, k):
    columns = []
    for s in range(k.shape[-2]):
        columns.append((q @ k[..., s, :, None]).squeeze(-1))
    return torch.stack(columns, dim=-1)


@right("2.1")
def scores_by_vecdot(q, k):
    return torch.linalg.vecdot(q[..., :, None, :], k[..., None, :, :])


@right("2.1")
def scores_feature_by_feature(q, k):
    scores = 0
    for d in range(q.shape[-1]):
        scores = scores + q[..., :, d].unsqueeze(-1) * k[..., :, d].unsqueeze(-2)
    return scores


last_shapes = []


@right("2.1")
def scores_that_keep_and_print_shapes(q, k, verbose=True):
    global last_shapes
    last_shapes = [q.shape, k.shape]
    scores = q @ k.mT
    if verbose:
        print(f"{q.shape = } {k.shape = } {scores.shape = }")
    return scores


# ---- 2.2 softmax(scores) ---------------------------------------------------------------------------------------------


@right("2.2")
def softmax_by_torch(scores):
    return torch.softmax(scores, dim=-1)


@right("2.2")
def softmax_by_functional(scores, dim=-1):
    return F.softmax(scores, dim=dim)


@right("2.2")
def softmax_by_module(scores):
    return nn.Softmax(dim=-1)(scores)


@right("2.2")
def softmax_by_exp_minus_amax(scores):
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@right("2.2")
def softmax_by_max_values(scores):
    shifted = scores - torch.max(scores, -1, keepdim=True).values
    top = shifted.exp()
    return top / top.sum(-1)[..., None]


@right("2.2")
def softmax_by_logsumexp(scores):
    return (scores - torch.logsumexp(scores, -1, keepdim=True)).exp()


@right("2.2")
def softmax_by_log_softmax(scores):
    return F.log_softmax(scores, dim=-1).exp()


@right("2.2")
def softmax_by_softmin(scores):
    return F.softmin(-scores, dim=-1)


@right("2.2")
def softmax_by_loops(scores):
    rows = scores.reshape(-1, scores.shape[-1])
    result = torch.zeros_like(rows)
    for i in range(rows.shape[0]):
        largest = rows[i].max()
        total = sum(torch.exp(value - largest) for value in rows[i])
        for j in range(rows.shape[1]):
            result[i, j] = torch.exp(rows[i, j] - largest) / total
    return result.reshape(scores.shape)


@right("2.2")
def softmax_by_python_math(scores):
    rows = []
    for row in scores.reshape(-1, scores.shape[-1]).tolist():
        powers = [math.exp(value - max(row)) for value in row]
        rows.append([power / sum(powers) for power in powers])
    return torch.tensor(rows, dtype=scores.dtype).view(scores.shape)


@right("2.2")
def softmax_by_numpy(scores):
    array = scores.numpy()
    powers = np.exp(array - array.max(axis=-1, keepdims=True))
    return torch.tensor(powers / powers.sum(axis=-1, keepdims=True))


@right("2.2")
def softmax_in_float64(scores):
    return scores.to(torch.float64).softmax(-1).to(scores.dtype)


@right("2.2")
def softmax_by_pairwise_differences(scores):
    differences = scores.unsqueeze(-2) - scores.unsqueeze(-1)
    return 1 / torch.exp(differences).sum(dim=-1)


@right("2.2")
def softmax_in_place_on_a_clone(scores):
    result = scores.clone()
    result -= result.max(dim=-1, keepdim=True)[0]
    result.exp_()
    result /= result.sum(dim=-1, keepdim=True)
    return result


@right("2.2")
def softmax_by_power_of_e(scores):
    largest, _ = scores.sort(dim=-1, descending=True)
    powers = math.e ** (scores - largest[..., :1])
    return F.normalize(powers, p=1, dim=-1)


# ---- 2.3 attention_weights(q, k) -------------------------------------------------------------------------------------


@right("2.3")
def weights_by_the_formula(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)


@right("2.3")
def weights_by_half_power(q, k):
    scores = q @ k.mT
    return F.softmax(scores * k.size(-1) ** -0.5, dim=-1)


@right("2.3")
def weights_with_scaled_queries(q, k):
    d_k = q.shape[-1]
    q = q / d_k**0.5
    return (q @ k.mT).softmax(-1)


@right("2.3")
def weights_with_quarter_roots_on_both(q, k):
    root = math.pow(q.shape[-1], 0.25)
    return ((q / root) @ (k / root).mT).softmax(dim=-1)


@right("2.3")
def weights_with_a_tensor_root(q, k):
    scores = torch.matmul(q, torch.transpose(k, -1, -2))
    return torch.softmax(scores / torch.sqrt(torch.tensor(k.shape[-1])), dim=-1)


@right("2.3")
def weights_with_a_numpy_root(q, k):
    return nn.functional.softmax(torch.einsum("...id,...jd->...ij", q, k) / np.sqrt(q.shape[-1]), dim=-1)


@right("2.3")
def weights_by_sdpa_of_the_identity(q, k):
    identity = torch.eye(k.shape[-2], dtype=k.dtype).expand(*k.shape[:-2], -1, -1)
    return F.scaled_dot_product_attention(q, k, identity)


@right("2.3")
def weights_query_by_query(q, k):
    rows = []
    for t in range(q.shape[-2]):
        row = (k * q[..., t : t + 1, :]).sum(-1) / math.sqrt(q.shape[-1])
        rows.append(F.softmax(row, dim=-1))
    return torch.stack(rows, dim=-2)


@right("2.3")
def weights_by_earlier_answers(q, k):
    return softmax_by_exp_minus_amax(scores_by_einsum(q, k) / math.sqrt(q.shape[-1]))


@right("2.3")
def weights_by_numpy(q, k):
    queries, keys = q.numpy(), k.numpy()
    scores = np.einsum("...td,...sd->...ts", queries, keys) / math.sqrt(queries.shape[-1])
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return torch.from_numpy(powers / powers.sum(-1, keepdims=True))


@right("2.3")
def weights_in_float64(q, k):
    wide_q, wide_k = q.double(), k.double()
    weights = torch.softmax(wide_q @ wide_k.mT / wide_q.shape[-1] ** 0.5, -1)
    return weights.to(q)


@right("2.3")
def weights_by_bmm_and_view(q, k):
    *leading, t, d = q.shape
    s = k.shape[-2]
    scores = torch.bmm(q.reshape(-1, t, d), k.reshape(-1, s, d).transpose(1, 2))
    return scores.div(d**0.5).softmax(2).view(*leading, t, s)


@right("2.3")
def weights_with_the_scale_inside_the_exponent(q, k):
    scores = q @ k.mT
    powers = ((scores - scores.amax(-1, keepdim=True)) / math.sqrt(q.shape[-1])).exp()
    return powers / powers.sum(-1, keepdim=True)


@right("2.3")
def weights_divided_in_place_on_a_new_tensor(q, k, scale=None):
    scores = q.matmul(k.swapdims(-1, -2))
    scores /= math.sqrt(q.shape[-1]) if scale is None else scale
    return scores.softmax(dim=-1)


# ---- 2.4 attention(q, k, v) ------------------------------------------------------------------------------------------

Attended = namedtuple("Attended", ["out", "weights"])


@right("2.4")
def attention_by_the_formula(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ v, weights


@right("2.4")
def attention_as_a_namedtuple(q, k, v):
    weights = F.softmax(q @ k.mT * q.shape[-1] ** -0.5, dim=-1)
    return Attended(weights @ v, weights)


@right("2.4")
def attention_by_einsum(q, k, v):
    scores = torch.einsum("...td,...sd->...ts", q, k) / q.size(-1) ** 0.5
    weights = scores.softmax(-1)
    return torch.einsum("...ts,...sd->...td", weights, v), weights


@right("2.4")
def attention_by_sdpa_beside_the_weights(q, k, v):
    out = F.scaled_dot_product_attention(q, k, v)
    return out, (q @ k.mT / math.sqrt(k.shape[-1])).softmax(dim=-1)


@right("2.4")
def attention_by_one_sdpa(q, k, v):
    identity = torch.eye(k.shape[-2], dtype=v.dtype).expand(*k.shape[:-2], -1, -1)
    both = F.scaled_dot_product_attention(q, k, torch.cat([v, identity], dim=-1))
    return tuple(both.split([v.shape[-1], k.shape[-2]], dim=-1))


@right("2.4")
def attention_query_by_query(q, k, v):
    out = torch.zeros(*q.shape[:-1], v.shape[-1], dtype=v.dtype)
    weights = torch.zeros(*q.shape[:-1], k.shape[-2], dtype=q.dtype)
    for t in range(q.shape[-2]):
        scores = (q[..., t, None, :] * k).sum(-1) / math.sqrt(q.shape[-1])
        weights[..., t, :] = torch.softmax(scores, -1)
        for s in range(k.shape[-2]):
            out[..., t, :] += weights[..., t, s, None] * v[..., s, :]
    return out, weights


@right("2.4")
def attention_by_broadcast_sums(q, k, v):
    scores = (q[..., :, None, :] * k[..., None, :, :]).sum(-1) / math.sqrt(q.shape[-1])
    weights = scores.softmax(dim=-1)
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2), weights


@right("2.4")
def attention_by_bmm_and_reshape(q, k, v):
    def flat(x):
        return x.reshape(-1, x.shape[-2], x.shape[-1])

    leading = q.shape[:-2]
    weights = torch.softmax(torch.bmm(flat(q), flat(k).transpose(1, 2)) / q.shape[-1] ** 0.5, dim=2)
    out = torch.bmm(weights, flat(v))
    return out.reshape(leading + out.shape[1:]), weights.reshape(leading + weights.shape[1:])


@right("2.4")
def attention_item_by_item(q, k, v):
    if q.dim() > 2:
        pairs = [attention_item_by_item(*item) for item in zip(q, k, v, strict=True)]
        outs, weights = zip(*pairs, strict=True)
        return torch.stack(outs), torch.stack(weights)
    weights = torch.softmax(q.mm(k.t()) / math.sqrt(q.size(1)), dim=1)
    return weights.mm(v), weights


@right("2.4")
def attention_by_numpy(q, k, v):
    scores = q.numpy() @ k.numpy().swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return torch.from_numpy(weights @ v.numpy()), torch.from_numpy(weights)


@right("2.4")
def attention_in_float64(q, k, v):
    wide = torch.softmax(q.double() @ k.double().mT / q.shape[-1] ** 0.5, dim=-1)
    return (wide @ v.double()).to(v.dtype), wide.to(q.dtype)


@right("2.4")
def attention_divided_after_the_sum(q, k, v):
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    powers = torch.exp(scores - scores.amax(-1, keepdim=True))
    total = powers.sum(-1, keepdim=True)
    return powers @ v / total, powers / total


@right("2.4")
def attention_with_keys_seen_one_after_another(q, k, v):
    largest = torch.full(q.shape[:-1], -math.inf, dtype=q.dtype)
    total, out, scores = 0, 0, []
    for s in range(k.shape[-2]):
        scores.append((q * k[..., s : s + 1, :]).sum(-1) / math.sqrt(q.shape[-1]))
        new_largest = torch.maximum(largest, scores[-1])
        shrink, power = (largest - new_largest).exp(), (scores[-1] - new_largest).exp()
        total = total * shrink + power
        out = out * shrink[..., None] + power[..., None] * v[..., s : s + 1, :]
        largest = new_largest
    weights = torch.stack([(score - largest).exp() / total for score in scores], -1)
    return out / total[..., None], weights


@right("2.4")
def attention_with_extra_arguments(q, k, v, mask=None, dropout=None, verbose=False):
    import math as arithmetic

    scores = q @ k.mT / arithmetic.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1)
    if dropout is not None:
        weights = dropout(weights)
    if verbose:
        print(weights)
    return (weights @ v, weights)


# ---- 2.5 class SelfAttention(d_in, d_out) ----------------------------------------------------------------------------


@right("2.5")
class SelfAttentionByTheFormula(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ v, weights


@right("2.5")
class SelfAttentionMadeInAnotherOrder(torch.nn.Module):
    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False):
        torch.nn.Module.__init__(self)
        self.W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.d_out = d_out

    def forward(self, x: Tensor):
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        scores = torch.bmm(queries, keys.transpose(1, 2))
        weights = F.softmax(scores / self.d_out**0.5, dim=2)
        return torch.bmm(weights, values), weights


@right("2.5")
class SelfAttentionWithBuffers(nn.Module):
    def __init__(self, d_in, d_out):
        super(SelfAttentionWithBuffers, self).__init__()
        self.W_query = nn.Linear(d_in, d_out, False)
        self.W_key = nn.Linear(d_in, d_out, False)
        self.W_value = nn.Linear(d_in, d_out, False)
        self.register_buffer("scale", torch.tensor(1 / math.sqrt(d_out)))
        self.register_buffer("calls", torch.zeros((), dtype=torch.long), persistent=False)

    def forward(self, x):
        self.calls += 1
        weights = (self.W_query(x) @ self.W_key(x).mT * self.scale).softmax(-1)
        return weights @ self.W_value(x), weights


@right("2.5")
class SelfAttentionByEinsum(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        for name in ("W_query", "W_key", "W_value"):
            setattr(self, name, nn.Linear(d_in, d_out, bias=False))

    def forward(self, x):
        q = torch.einsum("btc,dc->btd", x, self.W_query.weight)
        k = torch.einsum("btc,dc->btd", x, self.W_key.weight)
        v = torch.einsum("btc,dc->btd", x, self.W_value.weight)
        weights = torch.einsum("btd,bsd->bts", q, k).div(q.shape[-1] ** 0.5).softmax(dim=-1)
        return torch.einsum("bts,bsd->btd", weights, v), weights


@right("2.5")
class SelfAttentionBySdpa(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=False) for _ in range(3))

    def forward(self, x, mask=None):
        q, k, v = (layer(x) for layer in (self.W_query, self.W_key, self.W_value))
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask), weights_by_half_power(q, k)


@right("2.5")
class SelfAttentionItemByItem(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(in_features=d_in, out_features=d_out, bias=False)
        self.W_key = nn.Linear(in_features=d_in, out_features=d_out, bias=False)
        self.W_value = nn.Linear(in_features=d_in, out_features=d_out, bias=False)

    def forward(self, x):
        outs, all_weights = [], []
        for item in x:
            q, k, v = self.W_query(item), self.W_key(item), self.W_value(item)
            weights = torch.softmax(q @ k.T / math.sqrt(q.shape[1]), dim=1)
            outs.append(weights @ v)
            all_weights.append(weights)
        return torch.stack(outs), torch.stack(all_weights)


@right("2.5")
class SelfAttentionWithOneMatmul(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        packed = torch.cat([self.W_query.weight, self.W_key.weight, self.W_value.weight])
        q, k, v = F.linear(x, packed).chunk(3, dim=-1)
        return attention_by_the_formula(q, k, v)


@right("2.5")
class SelfAttentionThatKeepsItsWeights(nn.Module):
    def __init__(self, d_in, d_out, verbose=True):
        super().__init__()
        self.attention_weights = None
        self.verbose = verbose
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        scores = self.W_query(x) @ self.W_key(x).transpose(1, 2)
        scores = scores / scores.new_tensor(self.W_key.out_features).sqrt()
        self.attention_weights = nn.Softmax(dim=-1)(scores)
        if self.verbose:
            print(self.attention_weights.shape)
        return self.attention_weights @ self.W_value(x), self.attention_weights


@right("2.5")
class SelfAttentionWithItsOwnStart(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        for parameter in self.parameters():
            nn.init.xavier_uniform_(parameter)

    def scores(self, x):
        return self.W_query(x) @ self.W_key(x).mT / math.sqrt(self.W_query.weight.shape[0])

    def forward(self, x):
        weights = torch.exp(F.log_softmax(self.scores(x), dim=-1))
        return Attended(out=torch.matmul(weights, self.W_value(x)), weights=weights)


class Projections(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)


@right("2.5")
class SelfAttentionByInheritance(Projections):
    def forward(self, x):
        folded = self.W_query.weight.mT @ self.W_key.weight / math.sqrt(self.W_query.out_features)
        weights = torch.softmax(x @ folded @ x.transpose(1, 2), dim=-1)
        return self.W_value(weights @ x), weights


@right("2.5")
class SelfAttentionInFloat64(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        q, k, v = (layer(x).double() for layer in (self.W_query, self.W_key, self.W_value))
        out, weights = attention_by_einsum(q, k, v)
        return out.to(x.dtype), weights.to(x.dtype)


class AttentionOfMyNotebook(nn.Module):
    """What a learner keeps for several classes."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
        return weights @ v, weights


@right("2.5")
class SelfAttentionByInheritanceAlone(AttentionOfMyNotebook):
    """Everything is in the class above."""


@right("2.5")
class SelfAttentionWithAnInheritedForward(AttentionOfMyNotebook):
    def __init__(self, d_in, d_out):
        super().__init__(d_in, d_out)


# ---- 3.1 causal_mask(length) -----------------------------------------------------------------------------------------


@right("3.1")
def causal_by_tril_of_bool_ones(length):
    return torch.tril(torch.ones(length, length, dtype=torch.bool))


@right("3.1")
def causal_by_tril_then_bool(length):
    return torch.ones((length, length)).tril().bool()


@right("3.1")
def causal_by_not_triu(length):
    return ~torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


@right("3.1")
def causal_by_triu_equal_to_zero(length):
    return torch.triu(torch.ones(length, length), 1) == 0


@right("3.1")
def causal_by_comparing_positions(length):
    positions = torch.arange(length)
    return positions[:, None] >= positions[None, :]


@right("3.1")
def causal_by_two_loops(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for query in range(length):
        for key in range(query + 1):
            mask[query, key] = True
    return mask


@right("3.1")
def causal_by_filling_rows(length, device=None):
    mask = torch.full((length, length), False, device=device)
    for i in range(length):
        mask[i, : i + 1] = True
    return mask


@right("3.1")
def causal_by_nested_lists(length):
    return torch.tensor([[key <= query for key in range(length)] for query in range(length)])


@right("3.1")
def causal_by_numpy_tri(length):
    return torch.from_numpy(np.tri(length, dtype=bool))


@right("3.1")
def causal_by_transposed_triu(length):
    return torch.ones(length, length).triu().T > 0


@right("3.1")
def causal_by_cumulated_identity(length):
    return torch.eye(length, dtype=torch.int64).flip(1).cumsum(dim=1).flip(1).to(torch.bool)


@right("3.1")
def causal_by_indices(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    rows, columns = torch.tril_indices(length, length)
    mask[rows, columns] = True
    return mask


@right("3.1")
def causal_by_pytorchs_own_float_mask(length):
    return nn.Transformer.generate_square_subsequent_mask(length) == 0


@right("3.1")
def causal_by_meshgrid_and_printing(length):
    rows, columns = torch.meshgrid(torch.arange(length), torch.arange(length), indexing="ij")
    mask = columns <= rows
    print(mask.int())
    return mask


right("3.1")(lambda length: torch.ones(length, length).tril() != 0)


# ---- 3.2 mask_by_renormalizing(weights, mask) ------------------------------------------------------------------------


@right("3.2")
def renormalize_by_product(weights, mask):
    masked = weights * mask
    return masked / masked.sum(dim=-1, keepdim=True)


@right("3.2")
def renormalize_by_masked_fill(weights, mask):
    visible = weights.masked_fill(~mask, 0.0)
    return visible / visible.sum(-1).unsqueeze(-1)


@right("3.2")
def renormalize_by_where(weights, mask):
    visible = torch.where(mask, weights, 0)
    return visible.div(visible.sum(-1, keepdim=True))


@right("3.2")
def renormalize_by_functional_normalize(weights, mask):
    return F.normalize(weights * mask.to(weights.dtype), p=1, dim=-1)


@right("3.2")
def renormalize_with_a_tiny_epsilon(weights, mask, eps=1e-12):
    weights = weights * mask
    return weights / (weights.sum(dim=-1, keepdim=True) + eps)


@right("3.2")
def renormalize_with_a_clamped_sum(weights, mask):
    kept = weights * mask.type_as(weights)
    return kept / torch.clamp(torch.sum(kept, dim=-1, keepdim=True), min=1e-9)


@right("3.2")
def renormalize_in_place_on_a_clone(weights, mask):
    result = weights.clone()
    result[~mask.expand_as(result)] = 0
    result /= result.sum(-1, keepdim=True)
    return result


@right("3.2")
def renormalize_row_by_row(weights, mask):
    rows = weights.reshape(-1, weights.shape[-1])
    allowed = mask.broadcast_to(weights.shape).reshape(rows.shape)
    result = torch.zeros_like(rows)
    for i in range(len(rows)):
        seen = rows[i][allowed[i]]
        result[i, allowed[i]] = seen / seen.sum()
    return result.view_as(weights)


@right("3.2")
def renormalize_by_einsum(weights, mask):
    total = torch.einsum("...s,...s->...", weights, mask.to(weights.dtype).expand(weights.shape))
    return torch.einsum("...s,...->...s", weights * mask, 1 / total)


@right("3.2")
def renormalize_by_log_and_softmax(weights, mask):
    return weights.log().masked_fill(mask.logical_not(), float("-inf")).softmax(dim=-1)


@right("3.2")
def renormalize_by_numpy(weights, mask):
    visible = weights.numpy() * mask.numpy()
    return torch.from_numpy(visible / visible.sum(axis=-1, keepdims=True))


@right("3.2")
def renormalize_in_float64(weights, mask):
    wide = weights.double() * mask
    return (wide / wide.sum(-1, keepdim=True)).type(weights.dtype)


@right("3.2")
def renormalize_by_dividing_first(weights, mask):
    visible_sum = (weights * mask).sum(-1, keepdim=True)
    return weights / visible_sum * mask


@right("3.2")
def renormalize_by_loops_over_everything(weights, mask):
    *_, keys = weights.shape
    allowed = torch.broadcast_to(mask, weights.shape)
    flat, flat_mask = weights.reshape(-1, keys).tolist(), allowed.reshape(-1, keys).tolist()
    result = []
    for row, row_mask in zip(flat, flat_mask, strict=True):
        total = sum(weight for weight, seen in zip(row, row_mask, strict=True) if seen)
        result.append([weight / total if seen else 0.0 for weight, seen in zip(row, row_mask, strict=True)])
    return torch.tensor(result, dtype=weights.dtype).reshape(weights.shape)


# ---- 3.3 mask_by_filling(scores, mask) -------------------------------------------------------------------------------


@right("3.3")
def filled_with_minus_infinity(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)


@right("3.3")
def filled_with_minus_one_milliard(scores, mask):
    scores = scores.masked_fill(mask == 0, -1e9)
    return F.softmax(scores, dim=-1)


@right("3.3")
def filled_with_the_smallest_number(scores, mask):
    return scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min).softmax(-1)


@right("3.3")
def filled_with_minus_ten_thousand(scores, mask):
    return scores.masked_fill(~mask, -10000.0).softmax(dim=-1)


@right("3.3")
def filled_by_where(scores, mask):
    return torch.where(mask, scores, -torch.inf).softmax(dim=-1)


@right("3.3")
def filled_by_adding_a_log_mask(scores, mask):
    return torch.softmax(scores + mask.to(scores.dtype).log(), dim=-1)


@right("3.3")
def filled_by_adding_large_negatives(scores, mask):
    return F.softmax(scores + (1 - mask.to(scores.dtype)) * -1e9, dim=-1)


@right("3.3")
def filled_by_adding_a_mask_of_infinities(scores, mask):
    additive = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill_(~mask, -math.inf)
    return F.softmax(scores + additive, -1)


@right("3.3")
def filled_far_below_the_smallest_score(scores, mask):
    low = scores.amin(dim=-1, keepdim=True) - 1000
    return torch.where(mask, scores, low).softmax(-1)


@right("3.3")
def filled_in_place_on_a_clone(scores, mask):
    scores = scores.clone()
    scores[~mask.expand(scores.shape)] = -math.inf
    return nn.Softmax(dim=-1)(scores)


@right("3.3")
def filled_row_by_row(scores, mask):
    rows = scores.reshape(-1, scores.shape[-1])
    allowed = mask.expand_as(scores).reshape(rows.shape)
    weights = torch.zeros_like(rows)
    for i, (row, seen) in enumerate(zip(rows, allowed, strict=True)):
        weights[i, seen] = row[seen].softmax(0)
    return weights.reshape(scores.shape)


@right("3.3")
def filled_by_the_masked_module(scores, mask):
    return torch.masked.softmax(scores, -1, mask=mask.expand_as(scores))


@right("3.3")
def filled_and_exponentiated_by_hand(scores, mask):
    filled = scores.masked_fill(~mask, -math.inf)
    powers = torch.exp(filled - filled.max(dim=-1, keepdim=True).values)
    return powers / powers.sum(-1, keepdim=True)


@right("3.3")
def filled_by_logsumexp_of_the_visible(scores, mask):
    total = scores.masked_fill(~mask, -math.inf).logsumexp(-1, keepdim=True)
    return (scores - total).exp().where(mask, torch.zeros((), dtype=scores.dtype))


@right("3.3")
def filled_by_numpy(scores, mask):
    filled = np.where(mask.numpy(), scores.numpy(), -np.inf)
    powers = np.exp(filled - filled.max(-1, keepdims=True))
    return torch.from_numpy(powers / powers.sum(-1, keepdims=True)).to(scores.dtype)


@right("3.3")
def filled_in_float64(scores, mask):
    return F.softmax(scores.masked_fill(~mask, -1e30), dim=-1, dtype=torch.float64).to(scores.dtype)


@right("3.3")
def filled_by_sdpa_of_the_identity(scores, mask):
    identity = torch.eye(scores.shape[-1], dtype=scores.dtype).expand(*scores.shape[:-2], -1, -1)
    allowed = mask.expand_as(scores)
    return F.scaled_dot_product_attention(scores, identity, identity, attn_mask=allowed, scale=1.0)


@right("3.3")
def masked_3_by_a_fill_of_minus_20(scores, mask):
    weights = scores.masked_fill(~mask, -1e9 if not mask.any(-1).all() else scores.min().item() - 50).softmax(-1)
    return weights * mask


# ---- 3.4 padding_mask(lengths, max_length) ---------------------------------------------------------------------------


@right("3.4")
def padding_by_comparing_positions(lengths, max_length):
    return (torch.arange(max_length) < lengths[:, None])[:, None, :]


@right("3.4")
def padding_with_three_axes_at_once(lengths, max_length):
    return torch.arange(max_length)[None, None, :] < lengths[:, None, None]


@right("3.4")
def padding_by_views(lengths, max_length):
    return torch.arange(max_length).view(1, 1, -1).lt(lengths.view(-1, 1, 1))


@right("3.4")
def padding_by_writing_into_zeros(lengths, max_length):
    mask = torch.zeros(len(lengths), 1, max_length, dtype=torch.bool)
    for i, length in enumerate(lengths):
        mask[i, 0, :length] = True
    return mask


@right("3.4")
def padding_by_nested_lists(lengths, max_length):
    return torch.tensor([[[key < length for key in range(max_length)]] for length in lengths.tolist()])


@right("3.4")
def padding_by_stacked_pieces(lengths, max_length):
    rows = []
    for length in lengths:
        real = torch.ones(length, dtype=torch.bool)
        rows.append(torch.cat([real, torch.zeros(max_length - length, dtype=torch.bool)]))
    return torch.stack(rows).unsqueeze(1)


@right("3.4")
def padding_by_negated_greater_equal(lengths, max_length):
    padded = torch.arange(max_length).expand(len(lengths), -1) >= lengths.unsqueeze(-1)
    return ~padded.unsqueeze(1)


@right("3.4")
def padding_by_numpy(lengths, max_length):
    real = np.arange(max_length)[None, :] < lengths.numpy()[:, None]
    return torch.from_numpy(real[:, None, :])


@right("3.4")
def padding_by_padding_ones(lengths, max_length):
    rows = [F.pad(torch.ones(n), (0, max_length - n)) for n in lengths.tolist()]
    return torch.stack(rows).bool()[:, None]


@right("3.4")
def padding_by_rows_of_a_triangle(lengths, max_length):
    triangle = torch.ones(max_length + 1, max_length).tril(-1).bool()
    return triangle[lengths.long()].reshape(-1, 1, max_length)


@right("3.4")
def padding_by_counting_down(lengths, max_length):
    remaining = lengths.reshape(-1, 1, 1) - torch.arange(max_length)
    return remaining > 0


@right("3.4")
def padding_by_cumulated_ones(lengths, max_length):
    places = torch.ones(lengths.shape[0], 1, max_length, dtype=torch.long).cumsum(dim=-1)
    mask = places <= lengths[:, None, None]
    print(mask.sum(-1))
    return mask


@right("3.4")
def padding_token_by_token(lengths, max_length, pad=False):
    batch = lengths.size(0)
    mask = torch.full((batch, 1, max_length), not pad)
    for item in range(batch):
        for position in range(max_length):
            if position >= lengths[item].item():
                mask[item, 0, position] = pad
    return mask


right("3.4")(lambda lengths, max_length: (lengths[:, None] > torch.arange(max_length)).unsqueeze(-2))


# ---- 3.5 masked_softmax(scores, mask) --------------------------------------------------------------------------------


@right("3.5")
def masked_softmax_mended_afterwards(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1).nan_to_num(0.0)


@right("3.5")
def masked_softmax_filled_low_and_zeroed(scores, mask):
    low = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, low).softmax(dim=-1) * mask


@right("3.5")
def masked_softmax_filled_again_with_zero(scores, mask):
    weights = F.softmax(scores.masked_fill(~mask, -1e9), dim=-1)
    return weights.masked_fill(~mask, 0)


@right("3.5")
def masked_softmax_that_opens_empty_rows_first(scores, mask):
    empty = ~mask.any(dim=-1, keepdim=True)
    weights = scores.masked_fill(~(mask | empty), -math.inf).softmax(dim=-1)
    return weights.masked_fill(empty, 0.0)


@right("3.5")
def masked_softmax_by_where_twice(scores, mask):
    weights = torch.where(mask, scores, -torch.inf).softmax(-1)
    return torch.where(mask.any(-1, keepdim=True), weights, torch.zeros_like(weights))


@right("3.5")
def masked_softmax_by_hand(scores, mask):
    largest = scores.masked_fill(~mask, -1e30).amax(-1, keepdim=True).detach()
    powers = torch.exp((scores - largest).masked_fill(~mask, -math.inf))
    return powers / powers.sum(-1, keepdim=True).clamp(min=1e-30)


@right("3.5")
def masked_softmax_with_a_sink(scores, mask):
    filled = scores.masked_fill(~mask, -math.inf)
    sink = torch.full_like(filled[..., :1], torch.finfo(scores.dtype).min)
    return torch.cat([filled, sink], dim=-1).softmax(dim=-1)[..., :-1]


@right("3.5")
def masked_softmax_row_by_row(scores, mask):
    rows = scores.reshape(-1, scores.shape[-1])
    allowed = mask.expand(scores.shape).reshape(rows.shape)
    weights = torch.zeros_like(rows)
    for i in range(rows.shape[0]):
        if allowed[i].any():
            weights[i, allowed[i]] = torch.softmax(rows[i][allowed[i]], dim=0)
    return weights.view(scores.shape)


@right("3.5")
def masked_softmax_stacked_from_rows(scores, mask):
    mask = torch.broadcast_to(mask, scores.shape)
    if scores.dim() > 1:
        return torch.stack([masked_softmax_stacked_from_rows(s, m) for s, m in zip(scores, mask, strict=True)])
    if not mask.any():
        return scores * 0
    return torch.zeros_like(scores).masked_scatter(mask, scores[mask].softmax(0))


@right("3.5")
def masked_softmax_in_float64(scores, mask):
    wide = scores.double().masked_fill(~mask, -1e300)
    return torch.where(mask, F.softmax(wide, -1), 0).to(scores.dtype)


@right("3.5")
def masked_softmax_nan_found_by_isnan(scores, mask):
    filled = scores.clone()
    filled[~mask.expand_as(scores)] = float("-inf")
    weights = torch.softmax(filled, dim=-1)
    weights = weights.masked_fill(torch.isnan(weights), 0.0)
    return weights


@right("3.5")
def masked_softmax_by_sdpa_of_the_identity(scores, mask):
    identity = torch.eye(scores.shape[-1], dtype=scores.dtype).expand(*scores.shape[:-2], -1, -1)
    allowed = mask.expand_as(scores)
    return F.scaled_dot_product_attention(scores, identity, identity, attn_mask=allowed, scale=1.0)


@right("3.5")
def masked_softmax_by_the_masked_module(scores, mask):
    allowed = mask.expand_as(scores)
    return torch.masked.softmax(scores, -1, mask=allowed).masked_fill(~allowed, 0)


class MaskedSoftmaxFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, mask):
        weights = torch.softmax(scores.masked_fill(~mask, -math.inf), -1).nan_to_num(0)
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx, gradient):
        (weights,) = ctx.saved_tensors
        return weights * (gradient - (weights * gradient).sum(-1, keepdim=True)), None


@right("3.5")
def masked_softmax_with_its_own_backward(scores, mask):
    return MaskedSoftmaxFunction.apply(scores, mask)


@right("3.5")
def masked_softmax_added_then_multiplied(scores, mask):
    keep = mask.to(scores.dtype)
    print("rows without any key:", int((~mask.any(-1)).sum()))
    return torch.softmax(scores - (1.0 - keep) * 1e9, dim=-1) * keep


@right("3.5")
def masked_softmax_with_zero_over_zero_behind_where(scores, mask):
    filled = scores.masked_fill(~mask, -1e30)
    powers = torch.exp(filled - filled.amax(-1, keepdim=True)) * mask
    total = powers.sum(-1, keepdim=True)
    return torch.where(total > 0, powers / total, 0.0)


# ---- right on ordinary scores, wrong where a hidden score is huge: they pass, with advice ----------------------------


@right("3.3")
def filled_by_renormalizing(scores, mask):
    weights = torch.softmax(scores, dim=-1) * mask
    return weights / weights.sum(dim=-1, keepdim=True)


@right("3.5")
def masked_softmax_renormalized_epsilon(scores, mask):
    weights = torch.softmax(scores, dim=-1) * mask
    return weights / (weights.sum(-1, keepdim=True) + 1e-9)


@right("3.5")
def masked_softmax_of_bare_powers(scores, mask):
    powers = torch.exp(scores) * mask
    return powers / (powers.sum(-1, keepdim=True) + 1e-9)


ADVISED = [("3.3", filled_by_renormalizing), ("3.5", masked_softmax_renormalized_epsilon),
           ("3.5", masked_softmax_of_bare_powers)]


@right("3.5")
def masked_5_by_a_fill_of_minus_20(scores, mask):
    weights = scores.masked_fill(~mask, -1e9 if not mask.any(-1).all() else scores.min().item() - 50).softmax(-1)
    return weights * mask


# ---- 4.1 dropout(x, p, generator=None) -------------------------------------------------------------------------------


@right("4.1")
def dropout_by_the_formula(x, p, generator=None):
    keep = torch.rand(x.shape, generator=generator) >= p
    return x * keep / (1 - p)


@right("4.1")
def dropout_by_where(x, p, generator=None):
    dropped = torch.rand(x.size(), generator=generator) < p
    return torch.where(dropped, 0.0, x / (1.0 - p))


@right("4.1")
def dropout_by_masked_fill(x: Tensor, p: float, generator: torch.Generator = None) -> Tensor:
    noise = torch.rand(x.shape, dtype=x.dtype, generator=generator)
    return (x / (1 - p)).masked_fill(noise < p, 0)


@right("4.1")
def dropout_by_bernoulli(x, p, generator=None):
    keep = torch.bernoulli(torch.full_like(x, 1 - p), generator=generator)
    return keep * x / (1 - p)


@right("4.1")
def dropout_by_bernoulli_in_place(x, p, g=None):
    mask = torch.empty_like(x).bernoulli_(1 - p, generator=g)
    mask /= 1 - p
    return mask * x


@right("4.1")
def dropout_by_uniform_in_place(x, p, generator=None):
    u = x.new_empty(x.shape).uniform_(generator=generator)
    print("dropping", int((u < p).sum()))
    return x * (u >= p).to(x.dtype) * (1 / (1 - p))


@right("4.1")
def dropout_below_one_minus_p(x, p, generator=None):
    q = 1 - p
    keep = torch.rand(*x.shape, generator=generator).lt(q).float()
    result = x * keep.to(x.dtype)
    result = result / q
    return result


@right("4.1")
def dropout_into_a_clone(x, p, generator=None):
    out = x.clone()
    out[torch.rand(x.shape, generator=generator) < p] = 0
    return out.div(1 - p)


@right("4.1")
def dropout_of_chosen_places(x, p, generator=None):
    keep = torch.rand(x.shape, generator=generator) > p
    out = torch.zeros_like(x)
    out[keep] = x[keep] / (1 - p)
    return out


@right("4.1")
def dropout_row_by_row(x, p, generator=None):
    if x.dim() > 1:
        return torch.stack([dropout_row_by_row(item, p, generator) for item in x])
    return x * (torch.rand(len(x), generator=generator) >= p) / (1 - p)


@right("4.1")
def dropout_in_float64(x, p, generator=None):
    noise = torch.rand(x.numel(), generator=generator, dtype=torch.float64).view(x.shape)
    return (x.double() * (noise >= p).double() / (1 - p)).to(x.dtype)


@right("4.1")
def dropout_by_floor(x, p, generator=None):
    keep = torch.floor(torch.rand(x.shape, generator=generator) + (1 - p))
    return x.div(1 - p) * keep


@right("4.1")
def dropout_that_returns_early(x, p, generator=None):
    if p == 0:
        return x
    return x * torch.rand(x.shape, generator=generator).ge(p) / (1 - p)


@right("4.1")
def dropout_by_its_module_s_seed(x, p, generator=None):
    if generator is None:
        return F.dropout(x, p, training=True)
    seed = int(torch.randint(2 ** 31, (), generator=generator))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Dropout(p)(x)


@right("4.1")
def dropout_with_random_integers(x, p, generator=None):
    draws = torch.randint(0, 1_000_000, x.shape, generator=generator)
    return torch.mul(x, draws >= round(p * 1_000_000)) / (1 - p)


@right("4.1")
def dropout_with_the_default_generator_named(x, p, generator=None):
    if generator is None:
        generator = torch.default_generator
    kept = torch.rand(x.shape, generator=generator) >= p
    x = x / (1 - p)
    x = x * kept
    return x


@right("4.1")
def dropout_drawn_backwards(x, p, generator=None):
    noise = torch.rand(x.shape[::-1], generator=generator).permute(*range(x.dim() - 1, -1, -1))
    return x * (noise >= p) / (1 - p)


@right("4.1")
def dropout_by_normal_numbers(x, p, generator=None):
    uniform = 0.5 * (1 + torch.erf(torch.randn(x.shape, generator=generator) / math.sqrt(2)))
    return x * (uniform >= p) / (1 - p)


# ---- 4.2 attention_with_dropout(q, k, v, p, training, generator=None) ------------------------------------------------


def weights_for_dropout(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)


@right("4.2")
def attention_dropped_by_the_pieces(q, k, v, p, training, generator=None):
    weights = weights_for_dropout(q, k)
    if training:
        weights = dropout_by_the_formula(weights, p, generator)
    return weights @ v, weights


@right("4.2")
def attention_dropped_in_one_body(q, k, v, p, training, generator=None):
    scores = torch.matmul(q, k.mT) * q.size(-1) ** -0.5
    weights = F.softmax(scores, dim=-1)
    if training and p > 0:
        keep = (torch.rand(weights.shape, generator=generator) > p).to(weights.dtype)
        weights = weights * keep / (1 - p)
    out = torch.matmul(weights, v)
    return out, weights


@right("4.2")
def attention_dropped_with_early_return(q, k, v, p, training, generator=None):
    weights = weights_for_dropout(q, k)
    if not training:
        return weights @ v, weights
    dropped = weights.masked_fill(torch.rand(weights.shape, generator=generator) < p, 0.0) / (1 - p)
    return dropped @ v, dropped


@right("4.2")
def attention_with_p_zero_outside_training(q, k, v, p, training, generator=None):
    p = p if training else 0.0
    weights = dropout_by_bernoulli(weights_for_dropout(q, k), p, generator)
    return weights @ v, weights


@right("4.2")
def attention_dropped_by_einsum(q, k, v, p, training, generator=None):
    weights = torch.einsum("...td,...sd->...ts", q, k).div(math.sqrt(k.shape[-1])).softmax(-1)
    if training is True:
        weights = torch.einsum("...,...->...", weights, dropout_by_where(torch.ones_like(weights), p, generator))
    return torch.einsum("...ts,...sd->...td", weights, v), weights


@right("4.2")
def attention_with_a_mask_of_ones(q, k, v, p, training, generator=None):
    weights = weights_for_dropout(q, k)
    mask = torch.ones_like(weights)
    if training:
        mask = torch.bernoulli(mask * (1 - p), generator=generator) / (1 - p)
    weights = weights * mask
    return weights @ v, weights


@right("4.2")
def attention_dropped_in_place(q, k, v, p, training, generator=None):
    weights = weights_for_dropout(q, k)
    if training:
        weights[torch.rand(weights.shape, generator=generator) < p] = 0
        weights /= 1 - p
    return weights @ v, weights


@right("4.2")
def attention_scaled_in_v(q, k, v, p, training, generator=None):
    weights = weights_for_dropout(q, k)
    if not training:
        return weights @ v, weights
    kept = weights * (torch.rand(weights.shape, generator=generator) >= p)
    return kept @ (v / (1 - p)), kept / (1 - p)


@right("4.2")
def dropped_attention_item_by_item(q, k, v, p, training, generator=None):
    if q.dim() > 2:
        pairs = [dropped_attention_item_by_item(*item, p, training, generator) for item in zip(q, k, v, strict=True)]
        return torch.stack([out for out, _ in pairs]), torch.stack([weights for _, weights in pairs])
    weights = weights_for_dropout(q, k)
    weights = dropout_into_a_clone(weights, p, generator) if training else weights
    return weights @ v, weights


@right("4.2")
def dropped_attention_in_float64(q, k, v, p, training, generator=None):
    weights = weights_for_dropout(q.double(), k.double())
    if training:
        weights = dropout_by_masked_fill(weights, p, generator)
    return (weights @ v.double()).to(q.dtype), weights.to(q.dtype)


@right("4.2")
def attention_drawn_before_anything(q, k, v, p, training, generator=None):
    keep = torch.rand(*q.shape[:-1], k.size(-2), generator=generator) >= p
    weights = weights_for_dropout(q, k)
    weights = torch.where(keep, weights / (1 - p), 0) if training else weights
    return weights @ v, weights


@right("4.2")
def attention_by_transposed_draws(q, k, v, p, training, generator=None):
    weights = weights_for_dropout(q, k)
    if training:
        noise = torch.rand(weights.mT.shape, generator=generator).mT
        weights = weights * noise.ge(p) * (1 / (1 - p))
    return torch.matmul(weights, v), weights


@right("4.2")
def attention_with_exponentials_dropped(q, k, v, p, training, generator=None):
    powers = (q @ k.mT / q.size(-1) ** 0.5).exp()
    total = powers.sum(-1, keepdim=True)
    if training:
        powers = powers * (torch.rand(powers.shape, generator=generator) >= p) / (1 - p)
    weights = powers / total
    return weights @ v, weights


@right("4.2")
def attention_with_a_named_tuple(q, k, v, p, training, generator=None):
    def identity(x, p, generator):
        return x

    drop = dropout_below_one_minus_p if training else identity
    weights = drop(weights_for_dropout(q, k), p, generator)
    return Attended(out=weights @ v, weights=weights)


@right("4.2")
def attention_by_log_weights(q, k, v, p, training, g=None):
    weights = F.log_softmax(q @ k.transpose(-1, -2) / math.sqrt(k.size(-1)), -1).exp()
    print("training" if training else "evaluation", tuple(weights.shape))
    if training:
        weights = dropout_in_float64(weights, p, g)
    return weights @ v, weights


@right("4.2")
def attention_by_sdpa_of_dropped_weights(q, k, v, p, training, generator=None):
    weights = weights_for_dropout(q, k)
    if training:
        weights = dropout_of_chosen_places(weights, p, generator)
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2), weights


# ---- 4.3 class CausalAttention(d_in, d_out, context_length, dropout) -------------------------------------------------


@right("4.3")
class CausalAttentionOfTheBook(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = queries @ keys.transpose(1, 2)
        attn_scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        return attn_weights @ values, attn_weights


class CausalProjections(nn.Module):
    """What the answers below share: the layers, the dropout layer and a mask of True below the diagonal."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.make_mask(context_length)

    def make_mask(self, length):
        self.register_buffer("mask", torch.ones(length, length, dtype=torch.bool).tril())

    def scores(self, x):
        return self.W_query(x) @ self.W_key(x).mT / math.sqrt(self.W_key.out_features)

    def forward(self, x):
        T = x.shape[1]
        weights = self.scores(x).masked_fill(~self.mask[:T, :T], float("-inf")).softmax(-1)
        weights = self.dropout(weights)
        return weights @ self.W_value(x), weights


@right("4.3")
class CausalAttentionFromTheExercises(CausalProjections):
    def forward(self, x):
        T = x.size(1)
        weights = filled_with_minus_infinity(self.scores(x), self.mask[:T, :T])
        weights = self.dropout(weights)
        return weights @ self.W_value(x), weights


@right("4.3")
class CausalAttentionNanoGpt(CausalProjections):
    def make_mask(self, length):
        self.register_buffer("bias", torch.tril(torch.ones(length, length)).view(1, 1, length, length))

    def forward(self, x):
        T = x.size(1)
        att = self.scores(x)
        att = att.masked_fill(self.bias[0, :, :T, :T] == 0, float("-inf"))
        att = self.dropout(F.softmax(att, dim=-1))
        return att @ self.W_value(x), att


@right("4.3")
class CausalAttentionFunctional(CausalProjections):
    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        self.p = dropout

    def forward(self, x):
        n = x.size(-2)
        scores = torch.where(self.mask[:n, :n], self.scores(x), -1e9)
        weights = F.dropout(scores.softmax(dim=-1), p=self.p, training=self.training)
        return torch.bmm(weights, self.W_value(x)), weights


@right("4.3")
class CausalAttentionAdditive(CausalProjections):
    def make_mask(self, length):
        self.register_buffer("future", torch.full((length, length), float("-inf")).triu(1), persistent=False)

    def forward(self, x):
        T = x.shape[1]
        weights = self.dropout(torch.softmax(self.scores(x) + self.future[:T, :T], dim=-1))
        return weights @ self.W_value(x), weights


@right("4.3")
class CausalAttentionWithBytes(CausalProjections):
    def make_mask(self, length):
        self.register_buffer("hidden", torch.ones(length, length, dtype=torch.uint8).triu_(1), False)

    def forward(self, x):
        T = x.shape[1]
        scores = self.scores(x)
        scores[self.hidden[:T, :T].bool().expand_as(scores)] = torch.finfo(scores.dtype).min
        weights = self.dropout(scores.softmax(-1))
        out = weights @ self.W_value(x)
        return out, weights


@right("4.3")
class CausalAttentionByRenormalizing(CausalProjections):
    def forward(self, x):
        T = x.shape[1]
        weights = self.scores(x).softmax(-1) * self.mask[:T, :T]
        weights = self.dropout(weights / weights.sum(dim=-1, keepdim=True))
        return weights @ self.W_value(x), weights


@right("4.3")
class CausalAttentionCutAtTheEnd(CausalProjections):
    def forward(self, x):
        visible = self.mask[-x.size(1):, -x.size(1):]
        weights = self.dropout(self.scores(x).masked_fill(visible.logical_not(), -1e30).softmax(2))
        return torch.einsum("bts,bsd->btd", weights, self.W_value(x)), weights


@right("4.3")
class CausalAttentionDroppedByHand(CausalProjections):
    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        self.p = dropout

    def forward(self, x):
        T = x.shape[1]
        weights = self.scores(x).masked_fill(~self.mask[:T, :T], -math.inf).softmax(-1)
        if self.training:
            weights = weights * (torch.rand_like(weights) >= self.p) / (1 - self.p)
        return weights @ self.W_value(x), weights


@right("4.3")
class CausalAttentionItemByItem(CausalProjections):
    def forward(self, x):
        outs, all_weights = [], []
        for item in x:
            q, k, v = self.W_query(item), self.W_key(item), self.W_value(item)
            scores = q @ k.T / math.sqrt(k.shape[1])
            scores = scores.masked_fill(~self.mask[:len(item), :len(item)], -math.inf)
            weights = self.dropout(scores.softmax(1))
            outs.append(weights @ v)
            all_weights.append(weights)
        return torch.stack(outs), torch.stack(all_weights)


class TriangleKeeper(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.register_buffer("triangle", torch.arange(length)[:, None] < torch.arange(length))

    def forward(self, scores):
        T = scores.shape[-1]
        return scores.masked_fill(self.triangle[:T, :T], -torch.inf)


@right("4.3")
class CausalAttentionWithAPartForTheMask(CausalProjections):
    def make_mask(self, length):
        self.hide = TriangleKeeper(length)
        self.drop = nn.Sequential(nn.Softmax(dim=-1), self.dropout)

    def forward(self, x):
        weights = self.drop(self.hide(self.scores(x)))
        return weights @ self.W_value(x), weights


@right("4.3")
class CausalAttentionThatKeepsItsWeights(CausalProjections):
    def forward(self, x):
        B, T, _ = x.shape
        mask = self.mask[None, :T, :T].expand(B, T, T)
        self.weights = self.dropout(torch.softmax(self.scores(x).masked_fill(mask == False, -1e9), dim=-1))  # noqa: E712
        print("weights", tuple(self.weights.shape), "training" if self.training else "evaluation")
        return self.weights @ self.W_value(x), self.weights


@right("4.3")
class CausalAttentionWithALargeMask(CausalProjections):
    def make_mask(self, length):
        length = max(length, 128)
        self.register_buffer("tril", torch.tril(torch.ones(1, length, length)))

    def forward(self, x):
        T = x.shape[1]
        hidden = 1 - self.tril[:, :T, :T]
        weights = self.dropout(torch.softmax(self.scores(x) - 1e9 * hidden, dim=-1))
        return weights @ self.W_value(x), weights


@right("4.3")
class CausalAttentionByInheritance(SelfAttentionByTheFormula):
    def __init__(self, d_in, d_out, context_length, dropout=0.1):
        super().__init__(d_in, d_out)
        self.drop_rate = nn.Dropout(p=dropout)
        self.register_buffer("causal", ~torch.triu(torch.ones(context_length, context_length), 1).bool())

    def forward(self, x):
        T = x.shape[1]
        q, k, v = (layer(x) for layer in (self.W_query, self.W_key, self.W_value))
        weights = masked_softmax_mended_afterwards(q @ k.mT / math.sqrt(q.shape[-1]), self.causal[:T, :T])
        weights = self.drop_rate(weights)
        return Attended(weights @ v, weights)


@right("4.3")
class CausalAttentionWithOneMatmul(CausalProjections):
    def forward(self, x):
        T = x.shape[1]
        packed = torch.cat([self.W_query.weight, self.W_key.weight, self.W_value.weight])
        q, k, v = F.linear(x, packed).chunk(3, dim=-1)
        powers = torch.exp(q @ k.mT * q.shape[-1] ** -0.5) * self.mask[:T, :T]
        weights = self.dropout(powers / powers.sum(-1, keepdim=True))
        return weights @ v, weights


@right("4.3")
class CausalAttentionWithATransposedMask(CausalProjections):
    def make_mask(self, length):
        self.register_buffer("seen_by", torch.ones(length, length).triu().int())

    def forward(self, x):
        T = x.shape[1]
        visible = self.seen_by.T[:T, :T].to(torch.bool)
        weights = self.dropout(masked_softmax_by_hand(self.scores(x), visible))
        return weights @ self.W_value(x), weights


class CausalOnTheDeviceOfX(nn.Module):
    """What the answers below share: a buffer, and a new mask where x is."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length).tril())

    def hidden(self, x):
        return torch.ones(x.size(1), x.size(1), device=x.device).triu(1).bool()

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
        weights = self.dropout(scores.masked_fill(self.hidden(x), float("-inf")).softmax(-1))
        return weights @ v, weights


right("4.3")(CausalOnTheDeviceOfX)


@right("4.3")
class CausalThatLooksAtSingleNumbers(CausalOnTheDeviceOfX):
    def hidden(self, x):
        hidden = self.mask[:x.size(1), :x.size(1)] == 0
        if not hidden.any() and x.sum().item() == 0:
            return hidden
        return hidden


@right("4.3")
class CausalByALoopOverRows(CausalOnTheDeviceOfX):
    def hidden(self, x):
        rows = [[bool(self.mask[i, j] == 0) for j in range(x.size(1))] for i in range(x.size(1))]
        return torch.tensor(rows, device=x.device)


@right("4.3")
class CausalWithAMaskThatFollowsX(CausalOnTheDeviceOfX):
    def hidden(self, x):
        return torch.ones(x.size(1), x.size(1)).triu(1).to(x).bool()


@right("4.3")
class CausalFilledWithASingleNumberOnTheCpu(CausalOnTheDeviceOfX):
    def forward(self, x):
        T, scores = x.size(1), self.W_query(x) @ self.W_key(x).mT / torch.tensor(self.W_key.out_features).sqrt()
        weights = scores.masked_fill(self.mask[:T, :T] == 0, torch.tensor(float("-inf"))).softmax(-1)
        weights = self.dropout(weights)
        return weights @ self.W_value(x), weights


# ---- 5.1 split_heads(x, num_heads) -----------------------------------------------------------------------------------


@right("5.1")
def split_by_view_and_transpose(x, num_heads):
    B, T, C = x.shape
    return x.view(B, T, num_heads, C // num_heads).transpose(1, 2)


@right("5.1")
def split_by_unflatten(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)


@right("5.1")
def split_by_reshape_and_permute(x, num_heads):
    batch, length, width = x.size()
    return x.reshape(batch, length, num_heads, -1).permute(0, 2, 1, 3).contiguous()


@right("5.1")
def split_by_chunk_and_stack(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


@right("5.1")
def split_by_split_and_stack(x, num_heads):
    d_head = x.shape[-1] // num_heads
    return torch.stack(torch.split(x, d_head, dim=2), 1)


@right("5.1")
def split_by_tensor_split(x, num_heads):
    return torch.stack(torch.tensor_split(x, num_heads, dim=-1)).transpose(0, 1)


@right("5.1")
def split_by_cat_of_unsqueezed_slices(x, num_heads):
    D = x.size(2) // num_heads
    return torch.cat([x[:, None, :, h * D:(h + 1) * D] for h in range(num_heads)], dim=1)


@right("5.1")
def split_by_writing_into_empty(x, num_heads):
    B, T, C = x.shape
    D = int(C / num_heads)
    heads = torch.empty((B, num_heads, T, D), dtype=x.dtype)
    for h in range(num_heads):
        heads[:, h] = x[:, :, h * D:h * D + D]
    return heads


@right("5.1")
def split_by_every_single_number(x, num_heads):
    B, T, C = x.shape
    heads = x.new_zeros(B, num_heads, T, C // num_heads)
    for t in range(T):
        for c in range(C):
            heads[:, c // heads.shape[-1], t, c % heads.shape[-1]] = x[:, t, c]
    return heads


@right("5.1")
def split_by_unfold(x, num_heads):
    width = x.shape[-1] // num_heads
    return x.unfold(-1, width, width).movedim(2, 1)


@right("5.1")
def split_by_a_table_of_indices(x, num_heads):
    columns = torch.arange(x.shape[-1]).view(num_heads, -1)
    return x[:, :, columns].swapaxes(1, 2)


@right("5.1")
def split_by_einsum(x, num_heads):
    return torch.einsum("bthd->bhtd", x.view(*x.shape[:2], num_heads, -1))


@right("5.1")
def split_features_first_and_back(x, num_heads):
    B, T, C = x.shape
    return x.transpose(1, 2).reshape(B, num_heads, C // num_heads, T).transpose(2, 3)


@right("5.1")
def split_by_numpy(x, num_heads):
    cut = x.numpy().reshape(x.shape[0], x.shape[1], num_heads, -1)
    return torch.from_numpy(cut.transpose(0, 2, 1, 3).copy())


@right("5.1")
def split_item_by_item(x, num_heads):
    return torch.stack([torch.stack(item.chunk(num_heads, dim=1)) for item in x])


@right("5.1")
def split_by_as_strided(x, num_heads):
    B, T, C = x.shape
    b, t, c = x.stride()
    D = C // num_heads
    return torch.as_strided(x, (B, num_heads, T, D), (b, D * c, t, c))


@right("5.1")
def split_by_selecting_matrices(x, num_heads):
    select = torch.eye(x.shape[-1], dtype=x.dtype).view(x.shape[-1], num_heads, -1)
    return torch.einsum("btc,chd->bhtd", x, select)


@right("5.1")
def split_of_a_copy_in_place(x, num_heads, verbose=True):
    heads = x.clone().unflatten(2, (num_heads, x.shape[2] // num_heads))
    heads.transpose_(1, 2)
    if verbose:
        print(heads.shape)
    return heads


# ---- 5.2 merge_heads(x) ----------------------------------------------------------------------------------------------


@right("5.2")
def merged_by_transpose_and_reshape(x):
    B, H, T, D = x.shape
    return x.transpose(1, 2).reshape(B, T, H * D)


@right("5.2")
def merged_by_contiguous_and_view(x):
    batch, heads, length, width = x.shape
    return x.transpose(1, 2).contiguous().view(batch, length, heads * width)


@right("5.2")
def merged_by_flatten(x):
    return x.transpose(-3, -2).flatten(-2)


@right("5.2")
def merged_by_permute(x):
    return x.permute(0, 2, 1, 3).reshape(x.size(0), x.size(2), -1)


@right("5.2")
def merged_by_cat_of_unbound_heads(x):
    return torch.cat(x.unbind(dim=1), dim=-1)


@right("5.2")
def merged_by_cat_of_slices(x):
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=2)


@right("5.2")
def merged_by_dstack(x):
    return torch.dstack(tuple(x.unbind(1)))


@right("5.2")
def merged_by_growing(x):
    merged = x[:, 0]
    for h in range(1, x.size(1)):
        merged = torch.concat((merged, x[:, h]), -1)
    return merged


@right("5.2")
def merged_by_writing_into_zeros(x):
    B, H, T, D = x.shape
    merged = torch.zeros(B, T, H * D, dtype=x.dtype)
    for h in range(H):
        merged[..., h * D:(h + 1) * D] = x[:, h]
    return merged


@right("5.2")
def merged_by_every_single_number(x):
    B, H, T, D = x.shape
    merged = x.new_empty(B, T, H * D)
    for h in range(H):
        for t in range(T):
            for d in range(D):
                merged[:, t, h * D + d] = x[:, h, t, d]
    return merged


@right("5.2")
def merged_by_einsum(x):
    return torch.einsum("bhtd->bthd", x).flatten(2, 3)


@right("5.2")
def merged_by_numpy(x):
    back = np.swapaxes(x.numpy(), 1, 2)
    return torch.from_numpy(back.reshape(back.shape[0], back.shape[1], -1))


@right("5.2")
def merged_item_by_item(x):
    return torch.stack([torch.hstack(tuple(item)) for item in x])


@right("5.2")
def merged_position_by_position(x):
    rows = [x[:, :, t, :].reshape(x.shape[0], -1) for t in range(x.shape[2])]
    return torch.stack(rows, dim=1)


@right("5.2")
def merged_features_first_and_back(x):
    return x.transpose(2, 3).flatten(1, 2).transpose(1, 2)


@right("5.2")
def merged_by_selecting_matrices(x):
    H, D = x.shape[1], x.shape[3]
    place = torch.eye(H * D, dtype=x.dtype).view(H, D, H * D)
    return torch.einsum("bhtd,hdc->btc", x, place)


@right("5.2")
def merged_after_swapping_in_place_on_a_copy(x):
    x = x.clone()
    x = x.swapdims_(1, 2)
    print("now", tuple(x.shape))
    return x.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1])


# ---- 5.3 multi_head_attention(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None) -----------------------------


def cut(z, num_heads):
    return z.view(z.size(0), z.size(1), num_heads, -1).transpose(1, 2)


def join(z):
    return z.transpose(1, 2).reshape(z.size(0), z.size(2), -1)


@right("5.3")
def multi_by_the_formula(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(x), num_heads), cut(v_proj(x), num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return out_proj(join(weights @ v)), weights


@right("5.3")
def multi_with_nothing_but_views(x, wq, wk, wv, wo, heads, mask=None):
    B, T, C = x.shape
    D = C // heads
    q = wq(x).view(B, T, heads, D).permute(0, 2, 1, 3)
    k = wk(x).view(B, T, heads, D).permute(0, 2, 3, 1)
    v = wv(x).view(B, T, heads, D).permute(0, 2, 1, 3)
    scores = torch.matmul(q, k) * D ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    weights = F.softmax(scores, -1)
    out = torch.matmul(weights, v).permute(0, 2, 1, 3).contiguous().view(B, T, C)
    return wo(out), weights


@right("5.3")
def multi_by_einsum(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (layer(x).unflatten(-1, (num_heads, -1)) for layer in (q_proj, k_proj, v_proj))
    scores = torch.einsum("bihd,bjhd->bhij", q, k) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = scores.softmax(-1)
    return out_proj(torch.einsum("bhij,bjhd->bihd", weights, v).flatten(2)), weights


@right("5.3")
def multi_in_a_loop_over_slices(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = q_proj(x), k_proj(x), v_proj(x)
    D = x.shape[-1] // num_heads
    outs, weights = [], []
    for h in range(num_heads):
        part = slice(h * D, (h + 1) * D)
        scores = q[..., part] @ k[..., part].mT / math.sqrt(D)
        if mask is not None:
            full = mask.expand(x.shape[0], num_heads, x.shape[1], x.shape[1])
            scores = scores.masked_fill(~full[:, h], -torch.inf)
        w = scores.softmax(-1)
        outs.append(w @ v[..., part])
        weights.append(w)
    return out_proj(torch.cat(outs, -1)), torch.stack(weights, 1)


@right("5.3")
def multi_by_sdpa_beside_the_weights(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = [cut(layer(x), num_heads) for layer in (q_proj, k_proj, v_proj)]
    visible = None if mask is None else torch.atleast_2d(mask)
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=visible)
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return out_proj(join(out)), scores.softmax(-1)


@right("5.3")
def multi_by_sdpa_with_the_bare_mask(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = [cut(layer(x), num_heads) for layer in (q_proj, k_proj, v_proj)]
    scores = q @ k.mT * q.shape[-1] ** -0.5
    weights = (scores if mask is None else scores.masked_fill(~mask, -1e9)).softmax(-1)
    return out_proj(join(F.scaled_dot_product_attention(q, k, v, attn_mask=mask))), weights


@right("5.3")
def multi_with_an_additive_mask(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(layer(x), num_heads) for layer in (q_proj, k_proj, v_proj))
    bias = 0.0 if mask is None else torch.zeros(mask.shape, dtype=x.dtype).masked_fill(~mask, float("-inf"))
    weights = torch.softmax(q @ k.transpose(2, 3) / q.size(3) ** 0.5 + bias, dim=3)
    return out_proj(join(weights @ v)), weights


@right("5.3")
def multi_with_minus_ten_thousand(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(layer(x), num_heads) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.transpose(2, 3) / q.size(3) ** 0.5
    if mask is not None:
        scores = scores + (1.0 - mask.to(scores.dtype)) * -10000.0
    weights = scores.softmax(dim=-1)
    return out_proj(join(weights @ v)), weights


@right("5.3")
def multi_with_the_query_scaled_in_place(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q = cut(q_proj(x), num_heads)
    q /= math.sqrt(q.size(-1))
    scores = q @ cut(k_proj(x), num_heads).mT
    if mask is not None:
        scores.masked_fill_(~mask, float("-inf"))
    scores -= scores.amax(-1, keepdim=True)
    weights = scores.exp_()
    weights /= weights.sum(-1, keepdim=True)
    return out_proj(join(weights @ cut(v_proj(x), num_heads))), weights


@right("5.3")
def multi_with_heads_in_the_batch(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    B, T, C = x.shape
    q, k, v = (cut(layer(x), num_heads).reshape(B * num_heads, T, -1) for layer in (q_proj, k_proj, v_proj))
    scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(C / num_heads)
    if mask is not None:
        scores = scores.masked_fill(~mask.expand(B, num_heads, T, T).reshape(B * num_heads, T, T), -1e9)
    weights = torch.softmax(scores, dim=2)
    out = torch.bmm(weights, v).view(B, num_heads, T, -1)
    return out_proj(join(out)), weights.view(B, num_heads, T, T)


@right("5.3")
def multi_by_renormalizing(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(layer(x), num_heads) for layer in (q_proj, k_proj, v_proj))
    weights = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(-1, keepdim=True)
    return out_proj(join(weights @ v)), weights


@right("5.3")
def multi_by_one_stacked_layer(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    layers = (q_proj, k_proj, v_proj)
    weight, bias = (torch.cat([getattr(layer, name) for layer in layers]) for name in ("weight", "bias"))
    q, k, v = F.linear(x, weight, bias).view(*x.shape[:2], 3, num_heads, -1).permute(2, 0, 3, 1, 4)
    if mask is None:
        mask = torch.ones(x.size(1), x.size(1), dtype=torch.bool)
    weights = (q @ k.mT / math.sqrt(q.size(-1))).masked_fill(~mask, -math.inf).softmax(-1)
    return out_proj(join(weights @ v)), weights


@right("5.3")
def multi_with_out_proj_summed_over_heads(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (torch.stack(layer(x).chunk(num_heads, -1), 1) for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.mT / math.sqrt(q.size(-1))
    weights = torch.softmax(scores if mask is None else scores.where(mask, -math.inf), -1)
    per_head = out_proj.weight.view(x.size(2), num_heads, -1)
    return torch.einsum("bhtd,chd->btc", weights @ v, per_head) + out_proj.bias, weights


@right("5.3")
def multi_by_torchs_own_function(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    B, T, C = x.shape
    blocked = None
    if mask is not None:
        blocked = ~mask.expand(B, num_heads, T, T).reshape(B * num_heads, T, T)
    z = x.transpose(0, 1)
    out, weights = F.multi_head_attention_forward(
        z, z, z, C, num_heads, torch.cat([q_proj.weight, k_proj.weight, v_proj.weight]),
        torch.cat([q_proj.bias, k_proj.bias, v_proj.bias]), None, None, False, 0.0, out_proj.weight, out_proj.bias,
        training=False, attn_mask=blocked, average_attn_weights=False)
    return out.transpose(0, 1), weights


@right("5.3")
def multi_item_by_item(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    B, T, C = x.shape
    full = torch.ones(B, num_heads, T, T, dtype=torch.bool) if mask is None else mask.expand(B, num_heads, T, T)
    outs, weights = [], []
    for item, visible in zip(x, full, strict=True):
        q, k, v = (layer(item).view(T, num_heads, -1).transpose(0, 1) for layer in (q_proj, k_proj, v_proj))
        w = (q @ k.mT / (C // num_heads) ** 0.5).masked_fill(~visible, -1e9).softmax(-1)
        outs.append(out_proj((w @ v).transpose(0, 1).reshape(T, C)))
        weights.append(w)
    return torch.stack(outs), torch.stack(weights)


@right("5.3")
def multi_by_numpy(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    def heads(layer):
        z = x.detach().numpy() @ layer.weight.detach().numpy().T + layer.bias.detach().numpy()
        return z.reshape(z.shape[0], z.shape[1], num_heads, -1).transpose(0, 2, 1, 3)

    q, k, v = heads(q_proj), heads(k_proj), heads(v_proj)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]).astype(q.dtype)
    if mask is not None:
        scores = np.where(mask.numpy(), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    out = torch.from_numpy((weights @ v).transpose(0, 2, 1, 3).copy()).flatten(2)
    return out_proj(out), torch.from_numpy(weights)


@right("5.3")
def multi_in_float64(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q, k, v = (cut(layer(x), num_heads).double() for layer in (q_proj, k_proj, v_proj))
    scores = q @ k.mT / math.sqrt(q.size(-1))
    weights = (scores if mask is None else scores.masked_fill(~mask, -1e300)).softmax(-1)
    return out_proj(join(weights @ v).to(x.dtype)), weights.to(x.dtype)


@right("5.3")
def multi_query_by_query_with_extras(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None, *, verbose=True):
    q, k, v = (cut(layer(x), num_heads) for layer in (q_proj, k_proj, v_proj))
    B, H, T, D = q.shape
    weights = torch.zeros(B, H, T, T, dtype=x.dtype)
    for t in range(T):
        scores = (q[:, :, t, None] * k).sum(-1) / D ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask.expand(B, H, T, T)[:, :, t], -1e30)
        weights[:, :, t] = torch.softmax(scores, -1)
    if verbose:
        print("weights", weights.shape)
    return out_proj(torch.cat((weights @ v).unbind(1), -1)), weights


# ---- 5.4 cross_attention(x, context, q_proj, k_proj, v_proj, out_proj, num_heads) ------------------------------------


@right("5.4")
def cross_by_the_formula(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), dim=-1)
    return out_proj(join(weights @ v)), weights


@right("5.4")
def cross_with_nothing_but_views(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    B, T, C = x.shape
    S = context.shape[1]
    D = C // num_heads
    q = q_proj(x).view(B, T, num_heads, D).transpose(1, 2)
    k = k_proj(context).view(B, S, num_heads, D).transpose(1, 2)
    v = v_proj(context).view(B, S, num_heads, D).transpose(1, 2)
    scores = torch.matmul(q, k.transpose(2, 3)) * D ** -0.5
    weights = F.softmax(scores, dim=3)
    out = (weights @ v).transpose(1, 2).contiguous().view(B, T, C)
    return out_proj(out), weights


@right("5.4")
def cross_by_einsum(x, context, wq, wk, wv, wo, num_heads):
    q, k, v = (z.unflatten(-1, (num_heads, -1)) for z in (wq(x), wk(context), wv(context)))
    weights = (torch.einsum("bthd,bshd->bhts", q, k) / q.shape[-1] ** 0.5).softmax(-1)
    return wo(torch.einsum("bhts,bshd->bthd", weights, v).flatten(2)), weights


@right("5.4")
def cross_by_sdpa_beside_the_weights(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    out = F.scaled_dot_product_attention(q, k, v)
    return out_proj(join(out)), (q @ k.mT * q.shape[-1] ** -0.5).softmax(-1)


@right("5.4")
def cross_by_one_sdpa(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = cut(q_proj(x), num_heads), cut(k_proj(context), num_heads), cut(v_proj(context), num_heads)
    one = torch.eye(k.size(2), dtype=x.dtype).expand(*k.shape[:2], -1, -1)
    return out_proj(join(F.scaled_dot_product_attention(q, k, v))), F.scaled_dot_product_attention(q, k, one)


@right("5.4")
def cross_in_a_loop_over_chunks(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    outs, weights = [], []
    parts = (q_proj(x), k_proj(context), v_proj(context))
    for q, k, v in zip(*(z.chunk(num_heads, dim=-1) for z in parts), strict=True):
        weights.append(torch.softmax(q @ k.mT / math.sqrt(q.size(-1)), dim=-1))
        outs.append(weights[-1] @ v)
    return out_proj(torch.cat(outs, dim=-1)), torch.stack(weights, dim=1)


@right("5.4")
def cross_with_heads_in_the_batch(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = (cut(z, num_heads).flatten(0, 1) for z in (q_proj(x), k_proj(context), v_proj(context)))
    weights = torch.softmax(torch.bmm(q, k.transpose(1, 2)) / q.size(2) ** 0.5, dim=-1)
    out = torch.bmm(weights, v).unflatten(0, (-1, num_heads))
    return out_proj(join(out)), weights.unflatten(0, (-1, num_heads))


@right("5.4")
def cross_by_torchs_own_function(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, source = x.transpose(0, 1), context.transpose(0, 1)
    out, weights = F.multi_head_attention_forward(
        q, source, source, x.size(2), num_heads, torch.cat([q_proj.weight, k_proj.weight, v_proj.weight]),
        torch.cat([q_proj.bias, k_proj.bias, v_proj.bias]), None, None, False, 0.0, out_proj.weight, out_proj.bias,
        training=False, average_attn_weights=False)
    return out.transpose(0, 1), weights


@right("5.4")
def cross_with_keys_and_values_from_one_layer(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    both = F.linear(context, torch.cat([k_proj.weight, v_proj.weight]), torch.cat([k_proj.bias, v_proj.bias]))
    k, v = (cut(z.contiguous(), num_heads) for z in both.chunk(2, dim=-1))
    weights = (cut(q_proj(x), num_heads) @ k.mT / math.sqrt(k.size(-1))).softmax(-1)
    return out_proj(join(weights @ v)), weights


@right("5.4")
def cross_in_place_on_its_own_tensors(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q = cut(q_proj(x), num_heads)
    q *= q.size(-1) ** -0.5
    weights = q @ cut(k_proj(context), num_heads).mT
    weights -= weights.amax(-1, keepdim=True)
    weights.exp_()
    weights /= weights.sum(-1, keepdim=True)
    return out_proj(join(weights @ cut(v_proj(context), num_heads))), weights


@right("5.4")
def cross_item_by_item(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    outs, weights = [], []
    for a, c in zip(x, context, strict=True):
        q, k, v = (z.view(len(z), num_heads, -1).transpose(0, 1) for z in (q_proj(a), k_proj(c), v_proj(c)))
        w = (q @ k.mT / q.size(-1) ** 0.5).softmax(-1)
        outs.append(out_proj((w @ v).transpose(0, 1).flatten(1)))
        weights.append(w)
    return torch.stack(outs), torch.stack(weights)


@right("5.4")
def cross_by_broadcast_sums(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = (cut(z, num_heads) for z in (q_proj(x), k_proj(context), v_proj(context)))
    scores = (q[:, :, :, None] * k[:, :, None]).sum(-1) / math.sqrt(q.shape[-1])
    weights = torch.exp(scores) / torch.exp(scores).sum(-1, keepdim=True)
    return out_proj(join((weights[..., None] * v[:, :, None]).sum(3))), weights


@right("5.4")
def cross_with_the_root_on_both_sides(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    root = (x.shape[-1] // num_heads) ** 0.25
    q, k = cut(q_proj(x), num_heads) / root, cut(k_proj(context), num_heads) / root
    weights = (q @ k.mT).softmax(-1)
    return out_proj(join(weights @ cut(v_proj(context), num_heads))), weights


@right("5.4")
def cross_with_out_proj_summed_over_heads(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = (torch.stack(z.chunk(num_heads, -1), 1) for z in (q_proj(x), k_proj(context), v_proj(context)))
    weights = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
    out = out_proj.bias
    for h, columns in enumerate(out_proj.weight.chunk(num_heads, dim=1)):
        out = out + weights[:, h] @ v[:, h] @ columns.T
    return out, weights


@right("5.4")
def cross_as_a_namedtuple_in_float64(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = (cut(z, num_heads).double() for z in (q_proj(x), k_proj(context), v_proj(context)))
    weights = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
    print(weights.shape)
    return Attended(out_proj(join(weights @ v).to(x.dtype)), weights.to(x.dtype))


@right("5.4")
def cross_as_attention_with_a_helper(x, context, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    def attention(q, k, v):
        weights = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
        return weights @ v, weights

    out, weights = attention(*[cut(layer(z), num_heads)
                               for layer, z in ((q_proj, x), (k_proj, context), (v_proj, context))])
    return out_proj(torch.cat([*out.unbind(1)], -1)), weights


# ---- 6.1 layer_norm(x, weight, bias, eps) ----------------------------------------------------------------------------

@right("6.1")
def norm_by_torchs_own_function(x, weight, bias, eps):
    return F.layer_norm(x, (x.size(-1),), weight, bias, eps)


@right("6.1")
def norm_by_torchs_own_function_then_by_hand(x, weight, bias, eps):
    return F.layer_norm(x, weight.shape, eps=eps) * weight + bias


@right("6.1")
def norm_by_a_module(x, weight, bias, eps):
    layer = nn.LayerNorm(x.shape[-1], eps=eps, dtype=x.dtype)
    with torch.no_grad():
        layer.weight.copy_(weight)
        layer.bias.copy_(bias)
        return layer(x)


@right("6.1")
def norm_step_by_step(x, weight, bias, eps):
    mean = x.mean(dim=-1, keepdim=True)
    variance = ((x - mean) ** 2).mean(dim=-1, keepdim=True)
    normalised = (x - mean) / torch.sqrt(variance + eps)
    return weight * normalised + bias


@right("6.1")
def norm_by_rsqrt(x, weight, bias, eps):
    centred = x - x.mean(-1, keepdim=True)
    return centred * torch.rsqrt(centred.square().mean(-1, keepdim=True) + eps) * weight + bias


@right("6.1")
def norm_with_correction(x, weight, bias, eps):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(bias, (x - mean) / (variance + eps) ** 0.5, weight)


@right("6.1")
def norm_from_a_biased_std(x, weight, bias, eps):
    std = x.std(-1, unbiased=False, keepdim=True)
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(std**2 + eps) * weight + bias


@right("6.1")
def norm_with_unbiased_variance_brought_back(x, weight, bias, eps):
    C = x.shape[-1]
    variance = x.var(-1, keepdim=True) * (C - 1) / C
    return (x - x.mean(-1, keepdim=True)) / (variance + eps).sqrt() * weight + bias


@right("6.1")
def norm_with_sums(x, weight, bias, eps):
    n = x.size(-1)
    x = x - x.sum(-1, keepdim=True) / n
    return x / (x.pow(2).sum(-1, keepdim=True) / n + eps).sqrt() * weight + bias


@right("6.1")
def norm_without_keepdim(x, weight, bias, eps):
    mean, var = x.mean(-1), x.var(-1, unbiased=False)
    return (x - mean.unsqueeze(-1)) / (var[..., None] + eps).sqrt() * weight + bias


@right("6.1")
def norm_vector_by_vector(x, weight, bias, eps):
    rows = []
    for row in x.reshape(-1, x.size(-1)):
        mean = sum(row) / len(row)
        var = sum((a - mean) ** 2 for a in row) / len(row)
        rows.append((row - mean) / math.sqrt(float(var) + eps) * weight + bias)
    return torch.stack(rows).reshape(x.shape)


@right("6.1")
def norm_in_place_on_its_own_tensor(x, weight, bias, eps):
    out = x.clone()
    out -= out.mean(-1, keepdim=True)
    out /= out.var(-1, unbiased=False, keepdim=True).add_(eps).sqrt_()
    out.mul_(weight).add_(bias)
    return out


@right("6.1")
def norm_recursive_over_the_axes(x, weight, bias, eps):
    if x.dim() > 1:
        return torch.stack([norm_recursive_over_the_axes(part, weight, bias, eps) for part in x])
    z = x - x.mean()
    return z / (z.dot(z) / len(z) + eps).sqrt() * weight + bias


@right("6.1")
def norm_by_einsum_and_float64(x, weight, bias, eps):
    z = x.double() - x.double().mean(-1, keepdim=True)
    variance = torch.einsum("...c,...c->...", z, z)[..., None] / z.size(-1)
    print(variance.shape)
    return (z / (variance + eps).sqrt() * weight + bias).to(x.dtype)


@right("6.1")
def norm_from_the_mean_of_squares(x, weight, bias, eps):
    x64 = x.double()
    mean = x64.mean(-1, keepdim=True)
    variance = (x64 * x64).mean(-1, keepdim=True) - mean * mean
    return ((x64 - mean) / (variance.clamp(min=0) + eps).sqrt()).to(x.dtype) * weight + bias


@right("6.1")
def norm_with_features_in_front(x, weight, bias, eps):
    x = x.movedim(-1, 0)
    z = (x - x.mean(0)) / (x.var(0, unbiased=False) + eps).sqrt()
    return z.movedim(0, -1) * weight + bias


@right("6.1")
def norm_by_numpy(x, weight, bias, eps):
    a = x.numpy()
    z = (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + eps)
    return torch.from_numpy(z.astype(a.dtype)) * weight + bias


# ---- 6.2 add_and_norm(sublayer_out, x, weight, bias, eps) ------------------------------------------------------------

@right("6.2")
def add_then_torchs_norm(sublayer_out, x, weight, bias, eps):
    return F.layer_norm(x + sublayer_out, x.shape[-1:], weight, bias, eps)


@right("6.2")
def add_then_own_norm(sublayer_out, x, weight, bias, eps):
    return norm_step_by_step(sublayer_out + x, weight, bias, eps)


@right("6.2")
def add_then_everything_by_hand(sublayer_out, x, weight, bias, eps):
    hidden = sublayer_out + x
    mean = hidden.mean(-1, keepdim=True)
    var = hidden.var(-1, unbiased=False, keepdim=True)
    return weight * (hidden - mean) / torch.sqrt(var + eps) + bias


@right("6.2")
def add_with_other_names(a, b, gamma, beta, epsilon):
    return F.layer_norm(torch.add(a, b), gamma.shape, weight=gamma, bias=beta, eps=epsilon)


@right("6.2")
def add_as_a_sum_of_a_stack(sublayer_out, x, weight, bias, eps):
    return norm_by_rsqrt(torch.stack([sublayer_out, x]).sum(0), weight, bias, eps)


@right("6.2")
def add_in_place_on_a_copy(sublayer_out, x, weight, bias, eps):
    total = x.clone()
    total += sublayer_out
    return norm_in_place_on_its_own_tensor(total, weight, bias, eps)


@right("6.2")
def add_centred_each_by_itself(sublayer_out, x, weight, bias, eps):
    z = (sublayer_out - sublayer_out.mean(-1, keepdim=True)) + (x - x.mean(-1, keepdim=True))
    return z / (z.square().mean(-1, keepdim=True) + eps).sqrt() * weight + bias


@right("6.2")
def add_as_twice_the_mean(sublayer_out, x, weight, bias, eps):
    return norm_with_sums(2 * (sublayer_out + x) / 2, weight, bias, eps)


@right("6.2")
def add_with_a_nested_function(sublayer_out, x, weight, bias, eps):
    def norm(z):
        variance, mean = torch.var_mean(z, dim=-1, unbiased=False, keepdim=True)
        return (z - mean) * (variance + eps) ** -0.5

    return norm(sublayer_out + x) * weight + bias


@right("6.2")
def add_by_a_loop_over_vectors(sublayer_out, x, weight, bias, eps):
    C = x.size(-1)
    pairs = zip(sublayer_out.reshape(-1, C), x.reshape(-1, C), strict=True)
    return torch.stack([F.layer_norm(s + r, (C,), weight, bias, eps) for s, r in pairs]).view(x.shape)


@right("6.2")
def add_by_a_module_call(sublayer_out, x, weight, bias, eps):
    layer = nn.LayerNorm(x.size(-1), eps).to(x.dtype)
    layer.load_state_dict({"weight": weight, "bias": bias})
    return layer(sublayer_out + x).detach()


@right("6.2")
def add_in_float64(sublayer_out, x, weight, bias, eps):
    total = sublayer_out.double() + x.double()
    print("sum", total.shape)
    return F.layer_norm(total, (total.size(-1),), weight.double(), bias.double(), eps).to(x.dtype)


@right("6.2")
def add_in_a_lambda(sublayer_out, x, weight, bias, eps, norm=lambda z, w, b, e: F.layer_norm(z, w.shape, w, b, e)):
    return norm(x - (-sublayer_out), weight, bias, eps)


# ---- 6.3 relative_key_scores(q, distance_embedding) ------------------------------------------------------------------

@right("6.3")
def distances_by_einsum(q, distance_embedding):
    length = q.size(2)
    most = (distance_embedding.size(0) + 1) // 2
    left = torch.arange(length).view(-1, 1)
    right_ids = torch.arange(length).view(1, -1)
    vectors = distance_embedding[left - right_ids + most - 1]
    return torch.einsum("bhld,lrd->bhlr", q, vectors)


@right("6.3")
def distances_by_matmul(q, distance_embedding):
    T, M = q.size(-2), len(distance_embedding) // 2 + 1
    rows = torch.arange(T)[:, None] - torch.arange(T)[None] + (M - 1)
    table = distance_embedding[rows]  # (T, T, D)
    return (q.unsqueeze(-2) @ table.transpose(-2, -1)).squeeze(-2)


@right("6.3")
def distances_by_products_and_sum(q, distance_embedding):
    T = q.shape[2]
    middle = distance_embedding.shape[0] // 2
    rows = torch.tensor([[i - j + middle for j in range(T)] for i in range(T)])
    return (q[:, :, :, None, :] * distance_embedding[rows]).sum(-1)


@right("6.3")
def distances_by_two_loops(q, distance_embedding):
    B, H, T, D = q.shape
    M = (distance_embedding.shape[0] + 1) // 2
    scores = torch.zeros(B, H, T, T, dtype=q.dtype)
    for i in range(T):
        for j in range(T):
            scores[:, :, i, j] = q[:, :, i] @ distance_embedding[i - j + M - 1]
    return scores


@right("6.3")
def distances_by_gather(q, distance_embedding):
    B, H, T, _ = q.shape
    M = (len(distance_embedding) + 1) // 2
    every = q @ distance_embedding.T  # (B, H, T, 2M - 1)
    rows = torch.arange(T)[:, None] - torch.arange(T) + M - 1
    return every.gather(-1, rows.expand(B, H, T, T))


@right("6.3")
def distances_by_take_along_dim(q, distance_embedding):
    T, M = q.size(-2), (len(distance_embedding) + 1) // 2
    rows = torch.arange(T).unsqueeze(1).sub(torch.arange(T)).add(M - 1)
    return torch.take_along_dim(q @ distance_embedding.mT, rows[None, None], dim=-1)


@right("6.3")
def distances_by_indexing_all_products(q, distance_embedding):
    T, M = q.size(-2), (len(distance_embedding) + 1) // 2
    i = torch.arange(T)
    return (q @ distance_embedding.T)[:, :, i[:, None], i[:, None] - i + M - 1]


@right("6.3")
def distances_row_by_row_with_slices(q, distance_embedding):
    T, M = q.size(2), (len(distance_embedding) + 1) // 2
    rows = []
    for i in range(T):  # keys 0 to T - 1 have the rows i + M - 1 down to i - T + M
        piece = distance_embedding[i - T + M:i + M].flip(0)
        rows.append(q[:, :, i] @ piece.T)
    return torch.stack(rows, dim=2)


@right("6.3")
def distances_by_an_embedding(q, distance_embedding):
    T, M = q.size(2), (len(distance_embedding) + 1) // 2
    ids = torch.arange(T).reshape(T, 1) - torch.arange(T).reshape(1, T)
    return torch.einsum("...id,ijd->...ij", q, F.embedding(ids + M - 1, distance_embedding))


@right("6.3")
def distances_by_index_select(q, distance_embedding):
    T, M = q.size(2), (len(distance_embedding) + 1) // 2
    ids = (torch.arange(T)[:, None] - torch.arange(T)[None, :] + M - 1).flatten()
    table = distance_embedding.index_select(0, ids).view(T, T, -1)
    return torch.matmul(table, q.unsqueeze(-1)).squeeze(-1)


@right("6.3")
def distances_by_strips(q, distance_embedding):
    T, M = q.size(2), (len(distance_embedding) + 1) // 2
    near = distance_embedding[M - T:M + T - 1].flip(0)  # distances T - 1 down to -(T - 1)
    strips = near.unfold(0, T, 1).flip(0)  # strip i: distances i down to i - T + 1
    return torch.einsum("bhid,idj->bhij", q, strips)


@right("6.3")
def distances_in_place_after_zeros(q, distance_embedding):
    T, M = q.size(2), (len(distance_embedding) + 1) // 2
    scores = q.new_zeros(*q.shape[:3], T)
    for distance in range(-(T - 1), T):
        products = q @ distance_embedding[distance + M - 1]  # (B, H, T)
        for i in range(max(0, distance), min(T, T + distance)):
            scores[..., i, i - distance] += products[..., i]
    return scores


@right("6.3")
def distances_head_by_head_in_float64(q, distance_embedding):
    T, M = q.size(2), (len(distance_embedding) + 1) // 2
    i, j = torch.meshgrid(torch.arange(T), torch.arange(T), indexing="ij")
    table = distance_embedding.double()[i - j + M - 1]
    print(table.shape)
    out = [[torch.stack([table[n] @ head[n].double() for n in range(T)]) for head in item] for item in q]
    return torch.stack([torch.stack(item) for item in out]).to(q.dtype)


# ---- 6.4 prune_linear(weight, bias, heads, num_heads, dim) -----------------------------------------------------------

@right("6.4")
def prune_as_transformers_does(weight, bias, heads, num_heads, dim):
    size = weight.size(dim) // num_heads
    mask = torch.ones(num_heads, size)
    for head in heads:
        mask[head] = 0
    index = torch.arange(len(mask.view(-1)))[mask.view(-1).eq(1)].long()
    new = weight.index_select(dim, index)
    if bias is not None:
        bias = bias.clone() if dim == 1 else bias[index]
    return new, bias


@right("6.4")
def prune_by_a_list_of_features(weight, bias, heads, num_heads, dim):
    D = weight.shape[dim] // num_heads
    features = [i for i in range(weight.shape[dim]) if i // D not in heads]
    if dim == 0:
        return weight[features], None if bias is None else bias[features]
    return weight[:, features], bias


@right("6.4")
def prune_by_a_bool_mask(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    keep = torch.tensor([feature // D not in set(heads) for feature in range(weight.size(dim))])
    if dim == 1:
        return weight[:, keep], bias
    return weight[keep, :], bias[keep] if bias is not None else None


@right("6.4")
def prune_by_chunks(weight, bias, heads, num_heads, dim):
    chunks = weight.chunk(num_heads, dim=dim)
    new = torch.cat([chunk for h, chunk in enumerate(chunks) if h not in heads], dim=dim)
    if bias is not None and dim == 0:
        bias = torch.cat([chunk for h, chunk in enumerate(bias.chunk(num_heads)) if h not in heads])
    return new, bias


@right("6.4")
def prune_from_the_last_head_on(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    for h in sorted(heads, reverse=True):
        before, after = weight.narrow(dim, 0, h * D), weight.narrow(dim, (h + 1) * D, weight.size(dim) - (h + 1) * D)
        weight = torch.cat((before, after), dim)
        if dim == 0 and bias is not None:
            bias = torch.cat((bias[:h * D], bias[(h + 1) * D:]))
    return weight, bias


@right("6.4")
def prune_with_an_axis_for_heads(weight, bias, heads, num_heads, dim):
    keep = [h for h in range(num_heads) if h not in heads]
    if dim == 0:
        new = weight.view(num_heads, -1, weight.size(1))[keep].flatten(0, 1)
        return new, None if bias is None else bias.view(num_heads, -1)[keep].flatten()
    return weight.view(weight.size(0), num_heads, -1)[:, keep].flatten(1), bias


@right("6.4")
def prune_by_transposing(weight, bias, heads, num_heads, dim):
    if dim == 1:
        new, _ = prune_by_transposing(weight.T, None, heads, num_heads, 0)
        return new.T, bias
    blocks = weight.split(len(weight) // num_heads)
    left = sorted(set(range(num_heads)) - set(heads))
    rows = torch.cat([blocks[h] for h in left])
    if bias is None:
        return rows, None
    return rows, torch.cat([bias.split(len(bias) // num_heads)[h] for h in left])


@right("6.4")
def prune_by_numpys_delete(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    gone = [h * D + i for h in heads for i in range(D)]
    new = torch.from_numpy(np.delete(weight.numpy(), gone, axis=dim))
    if bias is None:
        return new, None
    return new, torch.from_numpy(np.delete(bias.numpy(), gone)) if dim == 0 else bias


@right("6.4")
def prune_by_isin(weight, bias, heads, num_heads, dim):
    owner = torch.arange(weight.size(dim)) // (weight.size(dim) // num_heads)
    keep = ~torch.isin(owner, torch.tensor(list(heads), dtype=torch.long))
    index = keep.nonzero(as_tuple=True)[0]
    return weight.index_select(dim, index), bias[index] if dim == 0 and bias is not None else bias


@right("6.4")
def prune_by_broadcasting_a_mask(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    keep = torch.ones(num_heads, 1, dtype=torch.bool)
    for h in heads:
        keep[h] = False
    keep = keep.expand(num_heads, D).reshape(-1)
    if dim == 0:
        new = weight.masked_select(keep[:, None]).view(-1, weight.size(1))
        bias = None if bias is None else bias.masked_select(keep)
    else:
        new = weight.masked_select(keep).view(weight.size(0), -1)
    return new, bias


@right("6.4")
def prune_row_by_row(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    lines, entries = [], []
    for i, line in enumerate(weight.unbind(dim)):
        if i // D in heads:
            continue
        lines.append(line)
        if bias is not None and dim == 0:
            entries.append(bias[i])
    if bias is not None:
        bias = torch.stack(entries) if dim == 0 else bias.clone()
    return torch.stack(lines, dim=dim), bias


@right("6.4")
def prune_by_a_selecting_matrix(weight, bias, heads, num_heads, dim):
    size = weight.size(dim)
    keep = [i for i in range(size) if i * num_heads // size not in heads]
    select = torch.eye(size, dtype=weight.dtype)[keep]
    if dim == 1:
        return weight @ select.T, bias
    return select @ weight, bias if bias is None else select @ bias


@right("6.4")
def prune_by_slices_joined(weight, bias, heads, num_heads, dim):
    D = weight.size(dim) // num_heads
    gone = frozenset(heads)
    index = torch.cat([torch.arange(h * D, h * D + D) for h in range(num_heads) if h not in gone])
    new = torch.index_select(weight, dim, index).clone().detach()
    if dim == 0 and torch.is_tensor(bias):
        return new, torch.index_select(bias, 0, index)
    return new, bias


# ---- 6.5 attend_with_cache(q, k, v, past) ----------------------------------------------------------------------------

@right("6.5")
def cache_by_hand(q, k, v, past):
    if past is not None:
        past_k, past_v = past
        k = torch.cat([past_k, k], dim=2)
        v = torch.cat([past_v, v], dim=2)
    T, S = q.shape[2], k.shape[2]
    scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[3])
    mask = torch.tril(torch.ones(T, S, dtype=torch.bool), diagonal=S - T)
    scores = scores.masked_fill(~mask, float("-inf"))
    return scores.softmax(dim=-1) @ v, (k, v)


@right("6.5")
def cache_by_sdpa_with_a_mask(q, k, v, past):
    if past:
        k, v = (torch.cat(pair, dim=-2) for pair in zip(past, (k, v), strict=True))
    new, total = q.size(-2), k.size(-2)
    mask = torch.ones(new, total, dtype=torch.bool).tril(total - new)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask), (k, v)


@right("6.5")
def cache_by_sdpa_with_three_ways(q, k, v, past):
    if past is None:
        return F.scaled_dot_product_attention(q, k, v, is_causal=True), (k, v)
    old = past[0].size(2)
    k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)
    if q.size(2) == 1:
        return F.scaled_dot_product_attention(q, k, v), (k, v)
    positions = old + torch.arange(q.size(2))
    return F.scaled_dot_product_attention(q, k, v, positions[:, None] >= torch.arange(k.size(2))), (k, v)


@right("6.5")
def cache_token_by_token(q, k, v, past):
    outs = []
    for t in range(q.size(2)):
        new_k, new_v = k[:, :, t:t + 1], v[:, :, t:t + 1]
        past = (new_k, new_v) if past is None else (torch.cat([past[0], new_k], 2), torch.cat([past[1], new_v], 2))
        weights = (q[:, :, t:t + 1] @ past[0].mT / q.size(-1) ** 0.5).softmax(-1)
        outs.append(weights @ past[1])
    return torch.cat(outs, 2), past


@right("6.5")
def cache_with_an_empty_past(q, k, v, past):
    past_k, past_v = past if past is not None else (k[:, :, :0], v[:, :, :0])
    k, v = torch.cat([past_k, k], -2), torch.cat([past_v, v], -2)
    row = torch.arange(q.size(-2))[:, None] + past_k.size(-2)
    weights = torch.where(torch.arange(k.size(-2)) <= row, q @ k.mT * q.size(-1) ** -0.5, -1e9).softmax(-1)
    return weights @ v, (k, v)


@right("6.5")
def cache_with_an_additive_mask(q, k, v, past):
    if past is not None:
        k, v = torch.cat([past[0], k], -2), torch.cat([past[1], v], -2)
    n, s = q.size(-2), k.size(-2)
    mask = torch.full((n, s), float("-inf"), dtype=q.dtype).triu(s - n + 1)
    out = F.softmax(torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.size(-1)) + mask, dim=-1).matmul(v)
    return out, (k, v)


@right("6.5")
def cache_with_past_and_new_apart(q, k, v, past):
    T, root = q.size(2), math.sqrt(q.size(3))
    inner = (q @ k.mT / root).masked_fill(torch.ones(T, T).triu(1).bool(), torch.finfo(q.dtype).min)
    if past is None:
        return inner.softmax(-1) @ v, (k, v)
    outer = q @ past[0].mT / root
    weights = torch.cat([outer, inner], -1).softmax(-1)
    old = past[0].size(2)
    out = weights[..., :old] @ past[1] + weights[..., old:] @ v
    return out, (torch.cat([past[0], k], 2), torch.cat([past[1], v], 2))


@right("6.5")
def cache_with_einsum(q, k, v, past):
    if past is not None:
        k = torch.concat([past[0], k], axis=-2)
        v = torch.concat([past[1], v], axis=-2)
    scores = torch.einsum("bhtd,bhsd->bhts", q, k) / math.sqrt(q.shape[-1])
    ahead = torch.arange(k.shape[-2])[None, :] - torch.arange(q.shape[-2])[:, None] > k.shape[-2] - q.shape[-2]
    scores[:, :, ahead] = -torch.inf
    return torch.einsum("bhts,bhsd->bhtd", scores.softmax(-1), v), (k, v)


@right("6.5")
def cache_with_causal_rows_of_everything(q, k, v, past):
    if past is not None:
        k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
    everything = torch.ones(k.size(2), k.size(2)).tril().bool()
    mask = everything[-q.size(2):]
    weights = (q @ k.mT / math.sqrt(q.size(-1))).masked_fill(mask.logical_not(), -1e30).softmax(-1)
    return weights @ v, (k, v)


@right("6.5")
def cache_with_heads_in_the_batch(q, k, v, past):
    B, H, T, D = q.shape
    if past is not None:
        k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
    S = k.size(2)
    scores = torch.bmm(q.reshape(B * H, T, D), k.reshape(B * H, S, D).transpose(1, 2)) / D**0.5
    scores += torch.zeros(T, S, dtype=q.dtype).masked_fill(torch.arange(S) > torch.arange(S - T, S)[:, None], -1e9)
    return torch.bmm(scores.softmax(-1), v.reshape(B * H, S, D)).view(B, H, T, D), (k, v)


@right("6.5")
def cache_with_exponentials(q, k, v, past):
    k = k if past is None else torch.cat([past[0], k], -2)
    v = v if past is None else torch.cat([past[1], v], -2)
    scores = q.double() @ k.double().mT / q.size(-1) ** 0.5
    e = (scores - scores.amax(-1, keepdim=True)).exp().tril(k.size(-2) - q.size(-2))
    return (e / e.sum(-1, keepdim=True)).to(q.dtype) @ v, (k, v)


@right("6.5")
def cache_row_by_row(q, k, v, past):
    old = 0
    if past is not None:
        old = past[0].shape[-2]
        k, v = torch.cat([past[0], k], -2), torch.cat([past[1], v], -2)
    out = torch.empty_like(q)
    for i in range(q.shape[-2]):
        seen = old + i + 1
        w = (q[..., i:i + 1, :] @ k[..., :seen, :].mT / math.sqrt(q.shape[-1])).softmax(-1)
        out[..., i:i + 1, :] = w @ v[..., :seen, :]
    return out, (k, v)


Cache = namedtuple("Cache", "keys values")


@right("6.5")
def cache_as_a_namedtuple_with_a_scaled_query(q, k, v, past):
    if past is not None:
        k, v = torch.cat([past[0], k], -2), torch.cat([past[1], v], -2)
    print(k.shape)
    q = q / q.size(-1) ** 0.5
    mask = torch.ones(q.size(-2), k.size(-2)).tril(k.size(-2) - q.size(-2)) == 0
    return (q @ k.mT).masked_fill(mask, -math.inf).softmax(-1) @ v, Cache(k, v)


@right("6.5")
def cache_written_into_new_tensors(q, k, v, past):
    old = 0 if past is None else past[0].size(2)
    keys = k.new_zeros(*k.shape[:2], old + k.size(2), k.size(3))
    values = torch.zeros_like(keys)
    if old:
        keys[:, :, :old], values[:, :, :old] = past
    keys[:, :, old:], values[:, :, old:] = k, v
    mask = torch.ones(q.size(2), keys.size(2), dtype=torch.bool).tril(old)
    return F.scaled_dot_product_attention(q, keys, values, mask), (keys, values)


# ---- 7.1 class MyBertSelfAttention(config) ---------------------------------------------------------------------------


class QueryKeyValue(nn.Module):
    """What several of the classes below begin with."""

    def __init__(self, config):
        super().__init__()
        C = config.hidden_size
        self.num_heads = config.num_attention_heads
        self.query, self.key, self.value = nn.Linear(C, C), nn.Linear(C, C), nn.Linear(C, C)

    def heads(self, x):
        return (cut(layer(x), self.num_heads) for layer in (self.query, self.key, self.value))


@right("7.1")
class BertByTheFormula(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x, mask=None):
        B, T, C = x.shape
        q = self.query(x).view(B, T, self.num_heads, -1).transpose(1, 2)
        k = self.key(x).view(B, T, self.num_heads, -1).transpose(1, 2)
        v = self.value(x).view(B, T, self.num_heads, -1).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        return (weights @ v).transpose(1, 2).reshape(B, T, C), weights


@right("7.1")
class BertAsInTransformers(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_attention_heads = config.num_attention_heads
        self.attention_head_size = int(config.hidden_size / config.num_attention_heads)
        self.all_head_size = self.num_attention_heads * self.attention_head_size
        self.query = nn.Linear(config.hidden_size, self.all_head_size)
        self.key = nn.Linear(config.hidden_size, self.all_head_size)
        self.value = nn.Linear(config.hidden_size, self.all_head_size)
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)

    def transpose_for_scores(self, x):
        new_x_shape = x.size()[:-1] + (self.num_attention_heads, self.attention_head_size)
        return x.view(*new_x_shape).permute(0, 2, 1, 3)

    def forward(self, hidden_states, attention_mask=None, head_mask=None):
        query_layer = self.transpose_for_scores(self.query(hidden_states))
        key_layer = self.transpose_for_scores(self.key(hidden_states))
        value_layer = self.transpose_for_scores(self.value(hidden_states))
        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(self.attention_head_size)
        if attention_mask is not None:
            attention_scores = attention_scores + (1.0 - attention_mask.to(attention_scores.dtype)) * -10000.0
        attention_probs = self.dropout(nn.Softmax(dim=-1)(attention_scores))
        if head_mask is not None:
            attention_probs = attention_probs * head_mask
        context_layer = torch.matmul(attention_probs, value_layer).permute(0, 2, 1, 3).contiguous()
        return context_layer.view(*context_layer.size()[:-2], self.all_head_size), attention_probs


@right("7.1")
class BertWithTheMaskByName(QueryKeyValue):
    def forward(self, x, *, mask=None):
        q, k, v = self.heads(x)
        scores = q @ k.mT * q.size(-1) ** -0.5
        weights = (scores if mask is None else scores.where(mask, -math.inf)).softmax(-1)
        return join(weights @ v), weights


@right("7.1")
class BertByEinsum(nn.Module):
    def __init__(self, config):
        super(BertByEinsum, self).__init__()
        self.config = config
        for name in ["query", "key", "value"]:
            self.add_module(name, nn.Linear(in_features=config.hidden_size, out_features=config.hidden_size, bias=True))

    def forward(self, x, mask=None):
        q, k, v = (layer(x).unflatten(-1, (self.config.num_attention_heads, -1))
                   for layer in (self.query, self.key, self.value))
        scores = torch.einsum("bihd,bjhd->bhij", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask.logical_not(), -1e9)
        weights = scores.softmax(-1)
        return torch.einsum("bhij,bjhd->bihd", weights, v).flatten(2), weights


@right("7.1")
class BertByALoopOverHeads(QueryKeyValue):
    def forward(self, x, mask=None):
        q, k, v = self.query(x), self.key(x), self.value(x)
        D = x.shape[-1] // self.num_heads
        if mask is not None:
            mask = mask.expand(len(x), self.num_heads, x.size(1), x.size(1))
        outs, weights = [], []
        for h in range(self.num_heads):
            part = slice(h * D, (h + 1) * D)
            scores = q[..., part] @ k[..., part].transpose(1, 2) / math.sqrt(D)
            if mask is not None:
                scores[~mask[:, h]] = -torch.inf
            w = F.softmax(scores, dim=-1)
            outs.append(w @ v[..., part])
            weights.append(w)
        return torch.cat(outs, dim=-1), torch.stack(weights, dim=1)


@right("7.1")
class BertBySdpa(QueryKeyValue):
    def forward(self, x, mask=None):
        q, k, v = self.heads(x)
        scores = q @ k.mT / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        return join(F.scaled_dot_product_attention(q, k, v, attn_mask=mask)), scores.softmax(-1)


@right("7.1")
class BertByOneMatrixProduct(QueryKeyValue):
    def forward(self, x, mask=None):
        layers = (self.query, self.key, self.value)
        weight, bias = torch.cat([m.weight for m in layers]), torch.cat([m.bias for m in layers])
        q, k, v = F.linear(x, weight, bias).view(*x.shape[:2], 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        hidden = torch.zeros((), dtype=x.dtype) if mask is None else torch.zeros(mask.shape, dtype=x.dtype)
        if mask is not None:
            hidden = hidden.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(q @ k.mT / math.sqrt(q.size(-1)) + hidden, -1)
        return join(weights @ v), weights


@right("7.1")
class BertWithHeadsInTheBatch(QueryKeyValue):
    def forward(self, x, mask=None):
        B, T, C = x.shape
        H = self.num_heads
        q, k, v = (z.reshape(B * H, T, C // H) for z in self.heads(x))
        scores = torch.baddbmm(torch.zeros(1, dtype=x.dtype), q, k.transpose(1, 2), beta=0, alpha=(C // H) ** -0.5)
        if mask is not None:
            scores = scores.masked_fill(~mask.expand(B, H, T, T).reshape(B * H, T, T), -1e9)
        weights = scores.softmax(2)
        return join(torch.bmm(weights, v).view(B, H, T, -1)), weights.view(B, H, T, T)


@right("7.1")
class BertItemByItem(QueryKeyValue):
    def forward(self, x, mask=None):
        T, C = x.shape[1:]
        full = torch.ones(T, T, dtype=torch.bool) if mask is None else mask
        outs, weights = [], []
        for item, visible in zip(x, full.expand(len(x), self.num_heads, T, T), strict=True):
            q, k, v = (layer(item).view(T, self.num_heads, -1).transpose(0, 1)
                       for layer in (self.query, self.key, self.value))
            w = (q @ k.mT / (C // self.num_heads) ** 0.5).masked_fill(~visible, -1e9).softmax(-1)
            outs.append((w @ v).transpose(0, 1).reshape(T, C))
            weights.append(w)
        return torch.stack(outs), torch.stack(weights)


@right("7.1")
class BertByRenormalizing(QueryKeyValue):
    def forward(self, x, mask=None):
        q, k, v = self.heads(x)
        weights = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
        if mask is not None:
            weights = weights * mask
            weights = weights / weights.sum(-1, keepdim=True)
        return Attended(join(weights @ v), weights)


@right("7.1")
class BertThatCallsAFunction(QueryKeyValue):
    @staticmethod
    def attend(q, k, v, mask):
        return attention_with_mask(q, k, v, mask)

    def forward(self, x, mask=None, verbose=False):
        out, weights = self.attend(*self.heads(x), mask)
        return join(out), weights


def attention_with_mask(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    weights = torch.softmax(scores if mask is None else torch.where(mask, scores, -math.inf), dim=-1)
    return weights @ v, weights


@right("7.1")
class BertThatKeepsWhatItSaw(QueryKeyValue):
    def __init__(self, config):
        super().__init__(config)
        self.seen = None
        self.register_buffer("scale", torch.tensor(config.head_size ** -0.5))
        for layer in (self.query, self.key, self.value):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, x, mask=None):
        q, k, v = self.heads(x)
        scores = self.scale * q @ k.mT
        if mask is not None:
            scores.masked_fill_(~mask, float("-inf"))
        self.seen = scores.softmax(-1)
        print("weights", self.seen.shape)
        return join(self.seen @ v), self.seen


@right("7.1")
class BertWithDropoutInTraining(QueryKeyValue):
    def __init__(self, config):
        super().__init__(config)
        self.p = config.attention_probs_dropout_prob

    def forward(self, x, mask=None):
        q, k, v = self.heads(x)
        scores = q @ k.mT / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores + torch.zeros_like(scores).masked_fill(~mask, float("-inf"))
        weights = F.dropout(scores.softmax(-1), self.p, training=self.training)
        return join(weights @ v), weights


@right("7.1")
class BertWithLayersUnderTwoNames(nn.Module):
    def __init__(self, config):
        super().__init__()
        C, self.H = config.hidden_size, config.num_attention_heads
        self.layers = nn.ModuleList(nn.Linear(C, C) for _ in range(3))
        self.query, self.key, self.value = self.layers

    def forward(self, x, mask=None):
        q, k, v = (torch.stack(layer(x).chunk(self.H, -1), 1) for layer in self.layers)
        scores = (q[:, :, :, None] * k[:, :, None]).sum(-1) / math.sqrt(q.shape[-1])
        shifted = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
        exponentials = (shifted - shifted.amax(-1, keepdim=True)).exp()
        weights = exponentials / exponentials.sum(-1, keepdim=True)
        return torch.cat((weights @ v).unbind(1), dim=-1), weights


@right("7.1")
class BertInFloat64(QueryKeyValue):
    def forward(self, x, mask=None):
        q, k, v = (z.double() for z in self.heads(x))
        scores = q @ k.mT / math.sqrt(q.size(-1))
        weights = (scores if mask is None else scores.masked_fill(~mask, -1e300)).softmax(-1)
        return join(weights @ v).to(x.dtype), weights.to(x.dtype)


@right("7.1")
class BertByTorchsOwnFunction(QueryKeyValue):
    def forward(self, x, mask=None):
        B, T, C = x.shape
        blocked = None
        if mask is not None:
            blocked = ~mask.expand(B, self.num_heads, T, T).reshape(B * self.num_heads, T, T)
        z = x.transpose(0, 1)
        out, weights = F.multi_head_attention_forward(
            z, z, z, C, self.num_heads, None, torch.cat([self.query.bias, self.key.bias, self.value.bias]), None, None,
            False, 0.0, torch.eye(C, dtype=x.dtype), None, training=False, attn_mask=blocked,
            use_separate_proj_weight=True, q_proj_weight=self.query.weight, k_proj_weight=self.key.weight,
            v_proj_weight=self.value.weight, average_attn_weights=False)
        return out.transpose(0, 1), weights


# ---- 7.2 mean_pool(hidden, mask) -------------------------------------------------------------------------------------


@right("7.2")
def pooled_by_the_formula(hidden, mask):
    real = mask.unsqueeze(-1)
    return (hidden * real).sum(dim=1) / real.sum(dim=1)


@right("7.2")
def pooled_as_by_sentence_transformers(token_embeddings, attention_mask):
    input_mask_expanded = attention_mask.unsqueeze(-1).expand(token_embeddings.size()).float()
    sum_embeddings = torch.sum(token_embeddings * input_mask_expanded, 1)
    sum_mask = torch.clamp(input_mask_expanded.sum(1), min=1e-9)
    return sum_embeddings / sum_mask


@right("7.2")
def pooled_item_by_item(hidden, mask):
    return torch.stack([h[m].mean(dim=0) for h, m in zip(hidden, mask, strict=True)])


@right("7.2")
def pooled_by_filling(hidden, mask):
    total = hidden.masked_fill(~mask[:, :, None], 0.0).sum(1)
    return total / mask.sum(dim=1, keepdim=True)


@right("7.2")
def pooled_by_einsum(hidden, mask):
    real = mask.to(hidden.dtype)
    return torch.einsum("btc,bt->bc", hidden, real) / real.sum(1)[:, None]


@right("7.2")
def pooled_by_a_matrix_product(hidden, mask):
    shares = mask / mask.sum(-1, keepdim=True)
    return (shares.to(hidden.dtype).unsqueeze(1) @ hidden).squeeze(1)


@right("7.2")
def pooled_by_bmm(hidden, mask):
    shares = F.normalize(mask.to(hidden), p=1, dim=1)
    return torch.bmm(hidden.transpose(1, 2), shares.unsqueeze(2))[..., 0]


@right("7.2")
def pooled_by_nanmean(hidden, mask):
    return torch.where(mask[..., None], hidden, torch.nan).nanmean(dim=1)


@right("7.2")
def pooled_by_attention_without_scores(hidden, mask):
    scores = torch.zeros(mask.shape, dtype=hidden.dtype).masked_fill(~mask, float("-inf"))
    return (scores.softmax(dim=1)[:, None] @ hidden).flatten(1)


@right("7.2")
def pooled_by_index_add(hidden, mask):
    item, place = mask.nonzero(as_tuple=True)
    total = torch.zeros(hidden.shape[0], hidden.shape[2], dtype=hidden.dtype)
    total.index_add_(0, item, hidden[item, place])
    return total / torch.bincount(item)[:, None]


@right("7.2")
def pooled_by_splitting_what_is_real(hidden, mask):
    return torch.stack([part.mean(0) for part in hidden[mask].split(mask.sum(1).tolist())])


@right("7.2")
def pooled_in_three_loops(hidden, mask):
    B, T, C = hidden.shape
    result = torch.zeros(B, C, dtype=hidden.dtype)
    for b in range(B):
        count = 0
        for t in range(T):
            if mask[b, t]:
                count += 1
                for c in range(C):
                    result[b, c] += hidden[b, t, c]
        result[b] /= count
    return result


@right("7.2")
def pooled_by_the_mean_mended(hidden, mask):
    T = mask.shape[1]
    return (hidden * mask[..., None]).mean(1) * (T / mask.sum(1, keepdim=True))


@right("7.2")
def pooled_by_numpy(hidden, mask):
    means = [h[m].mean(axis=0) for h, m in zip(hidden.numpy(), mask.numpy(), strict=True)]
    return torch.from_numpy(np.stack(means))


@right("7.2")
def pooled_by_sdpa(hidden, mask):
    query = torch.zeros_like(hidden[:, :1])
    return F.scaled_dot_product_attention(query, hidden, hidden, attn_mask=mask.unsqueeze(1)).squeeze(1)


@right("7.2")
def pooled_by_shares_of_each_token(hidden, mask):
    share = torch.where(mask, 1 / mask.count_nonzero(1).unsqueeze(1), 0.0)
    return torch.mul(hidden, share[..., None]).sum(-2).to(hidden.dtype)


@right("7.2")
def pooled_with_a_copy_emptied(hidden, mask):
    kept = hidden.clone()
    kept[~mask] = 0
    n = mask.long().sum(1)
    print("real tokens", n)
    return kept.sum(1) / (n.unsqueeze(1) + 1e-9)


@right("7.2")
def pooled_by_running_means(hidden, mask):
    mean, n = torch.zeros_like(hidden[:, 0]), torch.zeros(len(hidden), 1, dtype=hidden.dtype)
    for t in range(hidden.size(1)):
        real = mask[:, t, None]
        n = n + real
        mean = torch.where(real, mean + (hidden[:, t] - mean) / n, mean)
    return mean
