"""Cards about results of the wrong type, shape or dtype, and about modules that cannot learn.

The tests of each exercise's page check that such results are reported at all.
"""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from exercises import EXERCISES, check


def reference(id, *args, **options):
    return EXERCISES[id].reference(*args, **options)


@pytest.mark.parametrize(
    "value, diagnosis, words",
    [
        (None, "returns-none", "a list of ids was expected"),
        ("2 1", "returns-wrong-type", "str '2 1'"),
        (3, "returns-wrong-type", "returned 3"),
        ({}, "returns-wrong-type", "an empty dict"),
        (map(int, "12"), "returns-wrong-type", "a map object"),
        (np.ones(5), "returns-wrong-type", "of shape (5,)"),
        ([], "not-one-id-per-word", "your list 0 entries"),
        ([[1, 2]] * 9, "not-one-id-per-word", "your list 9 entries"),
    ],
)
def test_strange_results_instead_of_a_list_are_explained(value, diagnosis, words):
    report = check("1.1", lambda text, vocabulary: value)
    assert report.status == "wrong" and report.diagnosis == diagnosis and words in report.message


@pytest.mark.parametrize("entry", [torch.tensor(1), float("nan"), 1.0, "1", (), None], ids=repr)
def test_strange_entries_of_a_list_are_explained(entry):
    report = check("1.1", lambda text, vocabulary: [entry for word in text.split()])
    assert report.diagnosis == "not-whole-numbers" and "your ids[0] is" in report.message


def test_whole_numbers_of_any_kind_are_ids():
    for kind in (np.array, lambda ids: [True if id == 1 else id for id in ids]):
        assert check("1.1", lambda *given, kind=kind: list(kind(reference("1.1", *given)))).status == "correct"


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda out, k, v: (out, [k, v, v]), "Instead of the pair (cached k, cached v) came a list of 3"),
        (lambda out, k, v: (out, [k, v + 1]), "(cached k, cached v) came as a list; a tuple was expected"),
        (lambda out, k, v: (out, (k, None)), "cached v is None; a tensor was expected"),
        (lambda out, k, v: [out, (k, v)], "returned a list of 2; the pair (out, (cached k, cached v)) was expected"),
        (lambda out, k, v: (out, (k[:, :, :1], v)), "cached k should have shape"),
        (lambda out, k, v: (out, (k.double(), v)), "cached k should be torch.float32, got torch.float64"),
    ],
)
def test_a_malformed_pair_within_a_pair_is_explained(change, words):
    def code(q, k, v, past):
        out, (k, v) = reference("6.5", q, k, v, past)
        return change(out, k, v)

    assert words in check("6.5", code).message


@pytest.mark.parametrize(
    "value, words",
    [
        ([0.5] * 5, "torch.tensor(your_list) makes"),
        ([[1, 2], [3, 4]], "torch.tensor(your_list) makes"),
        ([torch.ones(2), torch.ones(2)], "torch.stack(your_list) makes"),
        ([[1, 2], [3]], "Keep the numbers in torch"),
        ([], "Keep the numbers in torch"),
    ],
)
def test_a_list_gets_advice_on_how_to_make_it_a_tensor(value, words):
    assert words in check("0.1", lambda x: value).message


class NoGradient(EXERCISES["2.5"].reference):
    def forward(self, x):
        out, weights = super().forward(x)
        return out.detach(), weights.detach()


def writes_into_the_weights(scores, mask):
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
    weights[~mask.expand_as(weights)] = 0
    return weights


def raises(*args):
    raise ValueError("no")


def reads_the_past(q, k, v, past):
    return past[2]


def reads_a_pair(q, k, v, past):
    return reference("6.5", q, k, v, past and past[2])


def interleaves(*args):
    known = next(known for known in EXERCISES["5.3"].misconceptions if known.id == "interleaved")
    return known.variants[0](*args)


def reads_both(x, context, *others):
    return reference("5.4", x, torch.cat([x, context], dim=1), *others)


def swaps(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    return reference("5.3", x, q_proj, k_proj, v_proj, out_proj, num_heads, mask)[::-1]


def counts_to_256(length, d_model):
    return reference("1.3", 256, d_model)[torch.arange(length) % 256]


def fills_a_float32_tensor(x):
    means = torch.zeros(len(x))
    for i, row in enumerate(x):
        means[i] = row.mean()
    return means


def loops_over_two_axes(q, k):
    scores = torch.zeros(q.size(-2), k.size(-2), dtype=q.dtype)
    for i in range(q.size(-2)):
        for j in range(k.size(-2)):
            scores[i, j] = (q[i] * k[j]).sum()
    return scores


def takes_the_first_key(q, k):
    return q @ k[:, :1] if q.dim() == 2 else q[9]


def sorts(text, vocabulary):
    return reference("1.1", text, vocabulary).sort()


SAID = [
    ("2.5", NoGradient, "reaches x, W_query, W_key, and W_value, so"),
    ("3.5", writes_into_the_weights, "in the backward pass your code stopped"),
    ("3.5", writes_into_the_weights, "Python's message: RuntimeError"),
    ("0.1", lambda x: torch.Tensor, "the class Tensor"),
    ("0.1", lambda x: (row for row in x), "a generator (yield"),
    ("0.1", lambda x: (x.mean(dim=1),), "a comma after `return` makes a tuple"),
    ("0.1", lambda x: x.mean(dim=1, keepdim=True)[:1], "It was called with x of shape"),
    ("0.1", fills_a_float32_tensor, "numbers for this input are right, but means should be torch.float64, got torch.f"),
    ("1.1", sorts, "`sorted(...)` gives a new one"),
    (
        "1.2",
        lambda ids, table: torch.zeros(*ids.shape, len(table)) @ table.double(),
        "ids of shape (5,) and dtype int64,",
    ),
    ("1.2", lambda ids, table: table[ids] @ table, "ids of shape (5,), table of shape (13, 11)."),
    ("1.3", counts_to_256, "On small inputs your code is right."),
    ("2.1", loops_over_two_axes, "Your code is right on an input with fewer axes, and stops on this one"),
    ("2.2", lambda scores: scores.softmax(-1).squeeze(), "An axis of size 1 was lost: squeeze() without dim"),
    ("2.4", lambda q, k, v: (F.scaled_dot_product_attention(q, k, v), None), "keeps its weights to itself"),
    ("5.1", lambda x, n: reference("5.1", x, n)[:, 1:], "got (2, 2, 5, 11) = (B, 2, T, D)"),
    ("5.3", swaps, "got (2, 3, 5, 5) = (B, H, T, T)"),
    ("5.3", raises, "q_proj, k_proj, v_proj, and out_proj = nn.Linear(12, 12), num_heads"),
    ("5.3", interleaves, "`q_proj(z) = z + 1`, `k_proj(z) = 2z`, `v_proj(z) = 3z`, `out_proj(z) = -z`, and `num_heads"),
    ("5.3", lambda x, q, k, v, o, num_heads, mask: x, "may be called without `mask`; yours needs it"),
    ("5.4", reads_both, "got (2, 3, 5, 12) = (B, H, T, 12)"),
    ("6.5", reads_the_past, "past = None"),
    ("6.5", reads_a_pair, "past of shapes (2, 3, 7, 11) and (2, 3, 7, 11)."),
    ("9.1", lambda x, positions, base=10000.0: reference("9.1", x, positions, base**2), "pair 1 is turned by 0.0"),
]
NOT_SAID = [
    ("0.1", lambda x: x.mean(1).long(), "The numbers are right"),
    ("1.3", counts_to_256, "Choose a small input"),
    ("2.1", takes_the_first_key, "right on an input with fewer axes"),
    ("2.2", lambda scores: scores.softmax(-1)[..., 0], "An axis of size 1"),
]


@pytest.mark.parametrize("id, code, words", SAID)
def test_a_card_says(id, code, words):
    assert words in check(id, code).message


@pytest.mark.parametrize("id, code, words", NOT_SAID)
def test_a_card_does_not_say(id, code, words):
    assert words not in check(id, code).message
