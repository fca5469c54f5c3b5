"""What learners read about results of the wrong type, shape or dtype, and about modules that cannot learn."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from exercises import EXERCISES, check

STRANGE = [
    (None, "returns-none"),
    (3.0, "returns-wrong-type"),
    ((torch.zeros(5),), "returns-wrong-type"),
    (torch.zeros(5).numpy(), "returns-wrong-type"),
    (torch.zeros(5, dtype=torch.float64), "wrong-dtype"),
    (torch.zeros(7), "wrong-shape"),
    ("five", "returns-wrong-type"),
    (torch.zeros(5).to_sparse(), "returns-wrong-type"),
]


def test_strange_results_are_explained():
    for value, diagnosis in STRANGE:
        report = check("0.1", lambda x, value=value: value)
        assert (report.status, report.diagnosis) == ("wrong", diagnosis), value


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


@pytest.mark.parametrize(
    "entry", [np.ones(3), torch.ones(3), torch.tensor(1), float("nan"), 1.0, "1", (), {}, None], ids=repr
)
def test_strange_entries_of_a_list_are_explained(entry):
    report = check("1.1", lambda text, vocabulary: [entry for word in text.split()])
    assert report.diagnosis == "not-whole-numbers" and "your ids[0] is" in report.message


def test_whole_numbers_of_any_kind_are_ids():
    right = EXERCISES["1.1"].reference
    assert check("1.1", lambda text, vocabulary: list(np.array(right(text, vocabulary)))).status == "correct"
    assert (
        check("1.1", lambda text, vocabulary: [True if id == 1 else id for id in right(text, vocabulary)]).status
        == "correct"
    )


def test_everything_without_a_gradient_is_listed():
    class NoGradient(EXERCISES["2.5"].reference):
        def forward(self, x):
            out, weights = super().forward(x)
            return out.detach(), weights.detach()

    assert "reaches x, W_query, W_key, and W_value, so" in check("2.5", NoGradient).message


def test_an_exception_in_the_backward_pass_is_an_error():
    def code(scores, mask):
        weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
        weights[~mask.expand_as(weights)] = 0
        return weights

    report = check("3.5", code)
    assert report.status == "error" and "in the backward pass your code stopped" in report.message
    assert "Python's message: RuntimeError" in report.message


def test_a_module_that_remembers_is_named():
    class Remembers(EXERCISES["2.5"].reference):
        def forward(self, x):
            self.length = getattr(self, "length", x.size(1))
            return super().forward(x[:, : self.length])

    assert check("2.5", Remembers).diagnosis == "remembers"


def test_classes_and_generators_are_recognized():
    assert "the class Tensor" in check("0.1", lambda x: torch.Tensor).message
    assert "a generator (yield" in check("0.1", lambda x: (row for row in x)).message


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda out, k, v: (out, [k, v, v]), "Instead of the pair (cached k, cached v) came a list of 3"),
        (lambda out, k, v: (out, [k, v + 1]), "(cached k, cached v) came as a list; a tuple was expected"),
        (lambda out, k, v: (out, (k, None)), "cached v is None; a tensor was expected"),
        (
            lambda out, k, v: [out, (k, v)],
            "Your code returned a list of 2; the pair (out, (cached k, cached v)) was expected",
        ),
        (lambda out, k, v: (out, (k[:, :, :1], v)), "cached k should have shape"),
        (lambda out, k, v: (out, (k.double(), v)), "cached k should be torch.float32, got torch.float64"),
    ],
)
def test_a_malformed_pair_within_a_pair_is_explained(change, words):
    def code(q, k, v, past):
        out, (k, v) = EXERCISES["6.5"].reference(q, k, v, past)
        return change(out, k, v)

    assert words in check("6.5", code).message


def test_a_pair_of_tensors_is_described_by_its_shapes():
    def raises(q, k, v, past):
        return past[2]

    assert "past = None" in check("6.5", raises).message
    assert (
        "past of shapes (2, 3, 7, 11) and (2, 3, 7, 11)."
        in check(
            "6.5", lambda q, k, v, past: EXERCISES["6.5"].reference(q, k, v, past if past is None else past[2])
        ).message
    )


def test_layers_are_described_by_their_sizes_or_formula():
    def raises(x, *rest):
        raise ValueError("no")

    assert "q_proj, k_proj, v_proj, and out_proj = nn.Linear(12, 12), num_heads" in check("5.3", raises).message
    known = next(known for known in EXERCISES["5.3"].misconceptions if known.id == "interleaved")
    message = check("5.3", known.variants[0]).message
    assert "`q_proj(z) = z + 1`, `k_proj(z) = 2z`, `v_proj(z) = 3z`, `out_proj(z) = -z`, and `num_heads = 2`" in message


def test_dtypes_are_shown_where_the_exception_speaks_of_them():
    told = check("1.2", lambda ids, table: torch.zeros(*ids.shape, len(table)) @ table.double()).message
    assert "ids of shape (5,) and dtype int64, table of shape (13, 11) and dtype float32" in told
    told = check("1.2", lambda ids, table: table[ids] @ table).message
    assert "ids of shape (5,), table of shape (13, 11)." in told


def test_sizes_are_named_only_where_the_name_is_certain():
    def reads_both(x, context, *others):
        return EXERCISES["5.4"].reference(x, torch.cat([x, context], dim=1), *others)

    def swapped(*args):
        return EXERCISES["5.3"].reference(*args)[::-1]

    assert (
        "got (2, 3, 5, 5) = (B, H, T, T)"
        in check("5.3", lambda x, q, k, v, o, n, mask=None: swapped(x, q, k, v, o, n, mask)).message
    )
    assert (
        "got (2, 3, 5, 12) = (B, H, T, 12)"
        in check("5.4", lambda x, c, q, k, v, o, n: reads_both(x, c, q, k, v, o, n)).message
    )
    assert (
        "got (2, 2, 5, 11) = (B, 2, T, D)" in check("5.1", lambda x, n: EXERCISES["5.1"].reference(x, n)[:, 1:]).message
    )


def test_no_small_input_is_recommended_where_small_ones_are_right():
    def short_counts(length, d_model):
        return EXERCISES["1.3"].reference(256, d_model)[torch.arange(length) % 256]

    message = check("1.3", short_counts).message
    assert "On small inputs your code is right." in message and "Choose a small input" not in message


def test_squeeze_is_named_only_where_the_code_has_it():
    message = check("2.2", lambda scores: scores.softmax(-1).squeeze()).message
    assert "(4, 1, 7)" in message and "An axis of size 1 was lost: squeeze() without dim" in message
    assert "An axis of size 1" not in check("2.2", lambda scores: scores.softmax(-1)[..., 0]).message


@pytest.mark.parametrize(
    "value, words",
    [
        ([0.5] * 5, "torch.tensor(your_list) makes"),
        ([[1, 2], [3, 4]], "torch.tensor(your_list) makes"),
        ([torch.ones(2), torch.ones(2)], "torch.stack(your_list) makes"),
        ([[1, 2], [3]], "Keep the numbers in torch"),
        ([], "Keep the numbers in torch"),
        (["a"], "Keep the numbers in torch"),
    ],
)
def test_a_list_gets_advice_on_how_to_make_it_a_tensor(value, words):
    assert words in check("0.1", lambda x: value).message


def test_an_argument_with_a_default_must_have_one():
    report = check("5.3", lambda x, q, k, v, o, num_heads, mask: x)
    assert report.status == "error" and "may be called without `mask`; yours needs it" in report.message
    assert check("5.3", lambda x, q, k, v, o, num_heads, mask=None: x).diagnosis == "returns-one"


def test_right_numbers_in_another_dtype_are_called_right():
    def code(x):
        means = torch.zeros(len(x))
        for i, row in enumerate(x):
            means[i] = row.mean()
        return means

    assert (
        "The numbers for this input are right, but means should be torch.float64, got torch.float32."
        in check("0.1", code).message
    )
    assert "The numbers are right" not in check("0.1", lambda x: x.mean(1).long()).message


def test_code_for_two_axes_that_stops_at_a_batch_is_recognized():
    def code(q, k):
        scores = torch.zeros(q.size(-2), k.size(-2), dtype=q.dtype)
        for i in range(q.size(-2)):
            for j in range(k.size(-2)):
                scores[i, j] = (q[i] * k[j]).sum()
        return scores

    assert "Your code is right on an input with fewer axes, and stops on this one" in check("2.1", code).message
    wrong = check("2.1", lambda q, k: q @ k[:, :1] if q.dim() == 2 else q[9]).message
    assert "right with fewer axes" not in wrong


def test_weights_that_are_none_are_known_from_pytorch_s_own_attention():
    report = check("2.4", lambda q, k, v: (F.scaled_dot_product_attention(q, k, v), None))
    assert report.status == "wrong" and "`F.scaled_dot_product_attention` keeps its weights to itself" in report.message


def test_a_list_that_is_sorted_in_place_and_returned_is_recognized():
    def code(text, vocabulary):
        ids = [vocabulary.get(word, vocabulary["<unk>"]) for word in text.lower().split()]
        return ids.sort()

    assert "sorted(...) gives a new one" in check("1.1", code).message.replace("`", "")


def test_a_comma_after_return_is_recognized():
    assert "a comma after return makes a tuple" in check("0.1", lambda x: (x.mean(dim=1),)).message.replace("`", "")


def test_a_wrong_shape_comes_with_what_the_code_was_called_with():
    assert "It was called with x of shape" in check("0.1", lambda x: x.mean(dim=1, keepdim=True)[:1]).message


def test_a_pair_of_zeros_has_no_angle():
    report = check("9.1", lambda x, positions, base=10000.0: EXERCISES["9.1"].reference(x, positions, base**2))
    assert "your pair 1 is turned by 0.0" in report.message
