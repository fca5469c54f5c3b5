"""The checkers are held to their promise: right answers pass, wrong ones are named, nothing escapes."""

import contextlib
import html
import io
import json
import os
import re
import sys
import threading
import time

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from helpers import heads
from helpers.checks import EXERCISES, check, errors, hint, judge, progress, record, running, solution, solution_source
from tests.answers_right import ADVISED, RIGHT
from tests.answers_wrong import WRONG

# Answers that call PyTorch's own attention where, before 2.5, it gave NaN or complained in other words.
NEED_TORCH_2_5 = {"6.5-mask-without-past-3", "3.5-masked_softmax_by_sdpa_of_the_identity",
                  "6.5-cache_with_a_mask_of_new_tokens_for_torch"}
OLD_TORCH = pytest.mark.skipif(not heads.EMPTY_ROWS_GIVE_ZEROS, reason="PyTorch did otherwise before 2.5")


def case(id, *values):
    return pytest.param(*values, id=id, marks=OLD_TORCH if id in NEED_TORCH_2_5 else ())


MISCONCEPTIONS = [case(f"{e.id}-{m.id}-{n}", e, m, code) for e in EXERCISES.values()
                  for m in e.misconceptions for n, code in enumerate(m.codes)]
RIGHT_ANSWERS = [case(f"{id}-{code.__name__}", id, code) for id, codes in RIGHT.items() for code in codes]
WRONG_ANSWERS = [case(f"{id}-{code.__name__}", id, code, diagnosis)
                 for id, codes in WRONG.items() for code, _, diagnosis in codes]


# ---------------------------------------------------------------- what the checkers know

@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda e: e.id)
def test_every_exercise_is_well_stocked(exercise):
    assert len(exercise.misconceptions) >= 4, "at least 4 misconceptions"
    assert len({m.id for m in exercise.misconceptions}) == len(exercise.misconceptions), "every id once"
    assert len(exercise.hints) >= 2, "at least 2 hints"
    assert len(RIGHT.get(exercise.id, ())) >= 4, "at least 4 right answers in tests/answers_right.py"
    assert len(WRONG.get(exercise.id, ())) >= 4, "at least 4 wrong answers in tests/answers_wrong.py"
    for m in exercise.misconceptions:
        assert m.means.endswith((".", ")")) and m.think.endswith((".", "?", ")")), m.id


@pytest.mark.parametrize("exercise, misconception, code", MISCONCEPTIONS)
def test_each_misconception_is_diagnosed_as_itself_and_no_other(exercise, misconception, code):
    report = check(exercise.id, code)
    assert report.status in ("wrong", "error")
    assert report.diagnosis == misconception.id
    assert misconception.means in report.message and misconception.think in report.message


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda e: e.id)
def test_the_solution_is_correct(exercise):
    assert check(exercise.id, exercise.solution).status == "correct"


@pytest.mark.parametrize("exercise_id, code", RIGHT_ANSWERS)
def test_right_answers_pass_in_any_style(exercise_id, code):
    report = check(exercise_id, code)
    assert report.status == "correct", report.message


@pytest.mark.parametrize("exercise_id", ["4.1", "4.2", "4.3"])
def test_right_answers_pass_whatever_they_draw(exercise_id):
    """Random numbers that are used up first move every draw: other zeros, and the same verdict."""
    right = EXERCISES[exercise_id].solution
    for count in range(1, 200, 20):
        def later(*args, count=count):
            torch.rand(count, generator=args[-1] if isinstance(args[-1], torch.Generator) else None)
            return right(*args)

        class Later(right if isinstance(right, type) else object):
            def forward(self, x, count=count):
                torch.rand(count)
                return super().forward(x)

        report = check(exercise_id, Later if isinstance(right, type) else later)
        assert report.status == "correct", report.message


DRAWN_WRONGLY = [case(f"{id}-{code.__name__}", id, code, diagnosis) for id in ("4.1", "4.2")
                 for code, _, diagnosis in WRONG[id] if diagnosis in (
                     "always-half", "normal-not-uniform", "p-not-used", "same-for-every-query", "only-with-a-generator",
                     "dropped-twice")]


@pytest.mark.parametrize("exercise_id, code, diagnosis", DRAWN_WRONGLY)
def test_what_is_drawn_wrongly_is_named_whatever_is_drawn(exercise_id, code, diagnosis):
    for count in range(1, 240, 20):
        def later(*args, count=count):
            torch.rand(count, generator=args[-1] if isinstance(args[-1], torch.Generator) else None)
            return code(*args)

        report = check(exercise_id, later)
        assert report.diagnosis == diagnosis, f"after {count}: {report.message}"


@pytest.mark.parametrize("exercise_id, code", ADVISED)
def test_a_right_answer_with_a_weakness_hears_of_it(exercise_id, code):
    report = check(exercise_id, code)
    assert report.status == "correct"
    assert "huge hidden score" in report.message and "[1, 0, 0]" in report.message
    assert "huge" not in check(exercise_id, EXERCISES[exercise_id].solution).message


def test_a_mask_of_one_axis_that_sdpa_refuses_is_only_an_advice():
    bare = next(code for code in RIGHT["5.3"] if code.__name__ == "multi_by_sdpa_with_the_bare_mask")
    report = check("5.3", bare)
    assert report.status == "correct" and "torch.atleast_2d(mask). Yours raised IndexError" in report.message
    assert "atleast_2d" not in check("5.3", EXERCISES["5.3"].solution).message


@pytest.mark.parametrize("exercise_id, code, diagnosis", WRONG_ANSWERS)
def test_wrong_answers_are_rejected_and_named(exercise_id, code, diagnosis, monkeypatch):
    if diagnosis == "never-ends":
        monkeypatch.setattr(running, "PATIENCE", 0.5)
    report = check(exercise_id, code)
    assert report.status in ("wrong", "error"), report.message
    assert report.diagnosis == diagnosis, report.message


# ---------------------------------------------------------------- whatever a learner writes

def sums(x):
    return x.sum()


@pytest.mark.parametrize("value, diagnosis", [
    (None, "returns-none"), ([0.1] * 5, "returns-wrong-type"), (3.0, "returns-wrong-type"),
    ((torch.zeros(5),), "returns-wrong-type"), (torch.zeros(5).numpy(), "returns-wrong-type"),
    (torch.zeros(5, dtype=torch.float64), "wrong-dtype"), (torch.zeros(7), "wrong-shape"),
    ("five", "returns-wrong-type"),
    (torch.zeros(5).to_sparse(), "returns-wrong-type"),
])
def test_strange_results_are_met_with_a_sentence(value, diagnosis):
    report = check("0.1", lambda x: value)
    assert report.status == "wrong"
    assert report.diagnosis == diagnosis
    assert 2 <= len(report.message.splitlines()) < 40


IDS = {"<unk>": 7, "the": 1, "cat": 2}  # what a notebook's own vocabulary looks like to the code below


@pytest.mark.parametrize("value, diagnosis, words", [
    (None, "returns-none", "a list of ids was expected"), ("2 1", "returns-wrong-type", "str '2 1'"),
    (3, "returns-wrong-type", "returned 3"), ({}, "returns-wrong-type", "a dict of 0"),
    (map(int, "12"), "returns-wrong-type", "a map object"), (np.ones(5), "returns-wrong-type", "of shape (5,)"),
    ([], "not-one-id-per-word", "your list 0 entries"), ([[1, 2]] * 9, "not-one-id-per-word", "your list 9 entries"),
])
def test_strange_results_in_place_of_a_list_are_met_with_a_sentence(value, diagnosis, words):
    report = check("1.1", lambda text, vocabulary: value)
    assert report.status == "wrong" and report.diagnosis == diagnosis and words in report.message


@pytest.mark.parametrize("entry", [np.ones(3), torch.ones(3), torch.tensor(1), float("nan"), 1.0, "1", (), {}, None],
                         ids=repr)
def test_strange_entries_of_a_list_are_met_with_a_sentence(entry):
    report = check("1.1", lambda text, vocabulary: [entry for word in text.split()])
    assert report.diagnosis == "not-whole-numbers" and "your ids[0] is" in report.message


def test_whole_numbers_of_any_kind_are_ids():
    right = EXERCISES["1.1"].solution
    assert check("1.1", lambda text, vocabulary: list(np.array(right(text, vocabulary)))).status == "correct"
    assert check("1.1", lambda text, vocabulary: [True if id == 1 else id for id in right(text, vocabulary)]
                 ).status == "correct"


def test_a_changed_dict_is_named_in_its_own_words():
    def code(text, vocabulary):
        return [vocabulary.setdefault(word, vocabulary["<unk>"]) for word in text.lower().split()]

    report = check("1.1", code)
    assert report.diagnosis == "changes-input"
    assert "changed its input vocabulary" in report.message and "setdefault" in report.message


def test_a_vocabulary_of_the_notebook_is_pointed_out():
    report = check("1.1", lambda text, vocabulary: [IDS.get(word, 7) for word in text.lower().split()])
    assert report.status == "wrong" and "Your code reads IDS = a dict of 3" in report.message


def test_numbers_that_are_not_finite_are_named():
    report = check("2.2", lambda scores: scores * float("nan"))
    assert report.diagnosis == "not-finite" and "yours at [0, 0] is NaN" in report.message


def raises(error):
    def code(x):
        raise error
    return code


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(1), RecursionError(), KeyError("k"), GeneratorExit(),
                                   MemoryError(), ValueError("a\n" * 500)], ids=lambda error: type(error).__name__)
def test_whatever_is_raised_stays_inside(error):
    report = check("0.1", raises(error))
    assert report.status == "error" and type(error).__name__ in report.message
    assert len(report.message) < 1200 and "Traceback" not in report.message


def test_the_learner_s_own_line_is_shown():
    def code(x):
        y = x @ x.T
        return y @ torch.zeros(3)

    assert "return y @ torch.zeros(3)" in check("0.1", code).message


X, SCORES, TRIANGLE, LAYER = torch.ones(2, 4, 3), torch.ones(2, 4, 4), torch.ones(4, 4).tril(), nn.Linear(3, 2)
PAST, GENERATOR, NUMBER = (X, X), torch.Generator(), 0.1


@pytest.mark.parametrize("code, words", [
    (lambda: SCORES.masked_fill(TRIANGLE, 0.0), "put .bool() behind the mask"),
    (lambda: SCORES.masked_fill(TRIANGLE.int(), 0.0), "put .bool() behind the mask"),
    (lambda: ~TRIANGLE, "put .bool() before it"),
    (lambda: NUMBER(X), "nn.Dropout(dropout) makes a layer"),
    (lambda: F.dropout(SCORES, nn.Dropout(0.1)), "call the layer itself, self.dropout(weights)"),
    (lambda: X @ LAYER, "Its matrix is self.W_query.weight"), (lambda: LAYER[X], "self.W_query(x)"),
    (lambda: LAYER.shape, "Its matrix is self.W_query.weight"), (lambda: torch.matmul(X, LAYER), "self.W_query(x)"),
    (lambda: PAST.shape, "past[0] are its keys"), (lambda: PAST.size(-2), "past[0] are its keys"),
    (lambda: PAST.pop(), "list(heads)"), (lambda: frozenset({1}).pop(), "list(heads)"),
    (lambda: set().pop(), "nothing left to take out"),
    (lambda: torch.cat(X, X, dim=1), "torch.cat([a, b], dim=...)"), (lambda: torch.cat(X), "torch.cat([a, b],"),
    (lambda: torch.cat(x for x in X), "list(...) makes one"), (lambda: torch.stack(x for x in X), "torch.stack([a, b]"),
    (lambda: X[torch.arange(2) / 2], "// gives whole numbers"), (lambda: X[3 / 2], "divide with //"),
    (lambda: torch.ones(2, 1, 4, 4).expand(SCORES.shape[-2:]), "expand takes no axis away"),
    (lambda: X[:, torch.ones(5, dtype=torch.bool)], "belong to the other axis"),
    (lambda: SCORES.softmax(), "softmax(dim=-1)"), (lambda: SCORES.transpose(), ".transpose(-2, -1)"),
    (lambda: SCORES.transpose(-1), ".transpose(-2, -1)"), (lambda: SCORES.bool().mean(1), "A bool has no mean"),
    (lambda: torch.rand((2, 2), GENERATOR), "torch.rand(shape, generator=generator)"),
    (lambda: torch.rand(2, 2, GENERATOR), "torch.rand(shape, generator=generator)"),
    (lambda: GENERATOR.rand(2), "torch.rand(shape, generator=generator)"),
    (lambda: max([]), "a collection such as heads may be empty"),
    (lambda: X.variance(-1), "is var meant"), (lambda: X.average(-1), "is mean meant"),
    (lambda: X.matmull(X), "is matmul meant"), (lambda: X.frobnicate(), "nothing called frobnicate."),
    (lambda: torch.ones(2, 3, 5, 4) @ torch.ones(5, 4, 5), "the axes in front must agree in the same way"),
])
def test_errors_are_said_again(code, words):
    with pytest.raises(Exception) as caught:
        code()
    assert words in errors.meaning(caught.value), str(caught.value)


def test_values_and_indices_are_two_things():
    message = check("0.1", lambda x: x.max(1)).message
    assert "Your code returned two things, values and indices" in message and "take .values" in message


def test_what_gets_no_gradient_is_listed_with_commas():
    class NoGradient(EXERCISES["2.5"].solution):
        def forward(self, x):
            out, weights = super().forward(x)
            return out.detach(), weights.detach()

    assert "reaches x, W_query, W_key and W_value, so" in check("2.5", NoGradient).message


def test_an_endless_loop_is_stopped(monkeypatch):
    monkeypatch.setattr(running, "PATIENCE", 0.3)

    def code(x):
        while True:
            with contextlib.suppress(Exception):  # a learner's net must not catch the checker's stop
                x = x + 1

    start = time.perf_counter()
    report = check("0.1", code)
    assert report.diagnosis == "never-ends" and time.perf_counter() - start < 10  # without the stop: never
    time.sleep(0.5)  # nothing may be raised afterwards
    assert check("0.1", lambda x: x.mean(1)).status == "correct"


def test_a_bare_except_does_not_keep_a_loop_alive(monkeypatch):
    monkeypatch.setattr(running, "PATIENCE", 0.3)

    def code(x):
        for _ in range(3):
            try:
                while True:
                    x = x + 1
            except:  # noqa: E722  learners write this
                pass
        return x.mean(1)

    start = time.perf_counter()
    check("0.1", code)
    assert time.perf_counter() - start < 30  # without the stop: never


def test_an_error_on_the_way_back_is_an_error():
    def code(scores, mask):
        weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
        weights[~mask.expand_as(weights)] = 0
        return weights

    report = check("3.5", code)
    assert report.status == "error" and "on the way back it raised RuntimeError" in report.message


@pytest.mark.parametrize("surroundings", [torch.inference_mode, torch.no_grad,
                                          lambda: torch.autocast("cpu", dtype=torch.bfloat16)])
@pytest.mark.parametrize("id", ["2.5", "3.5", "4.1", "4.2", "4.3"])
def test_the_first_check_of_a_session_may_stand_anywhere(surroundings, id):
    judge._expected.cache_clear()
    judge._known.cache_clear()
    with surroundings():
        assert check(id, EXERCISES[id].solution).status == "correct"
    assert check(id, EXERCISES[id].solution).status == "correct"


def test_another_default_dtype_does_no_harm():
    torch.set_default_dtype(torch.float64)
    try:
        judge._expected.cache_clear()
        assert check("2.5", EXERCISES["2.5"].solution).status == "correct"
        assert torch.get_default_dtype() == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_several_checks_at_once_leave_the_printing_alone():
    stdout = sys.stdout
    workers = [threading.Thread(target=check, args=("2.3", EXERCISES["2.3"].solution)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sys.stdout is stdout


D = 512  # what a notebook's own variable looks like to the code below


def test_a_variable_of_the_notebook_is_pointed_out():
    report = check("2.3", lambda q, k: (q @ k.transpose(-2, -1) / D**0.5).softmax(-1))
    assert report.status == "wrong" and "Your code reads D = 512" in report.message


def test_arguments_in_another_order_are_noticed():
    def padding_mask(max_length, lengths):
        return torch.arange(max_length) < lengths[:, None, None]

    def attention(k, q, v):  # right, whatever the names
        weights = (k @ q.transpose(-2, -1) / k.size(-1) ** 0.5).softmax(-1)
        return weights @ v, weights

    assert "Your arguments stand in another order than in padding_mask" in check("3.4", padding_mask).message
    assert check("2.4", attention).status == "correct"


@pytest.mark.parametrize("mistake", [
    lambda m, x: m.W_query(x).detach(), lambda m, x: x @ m.W_query.weight.data.T])
def test_a_module_that_cannot_learn_is_named(mistake):
    class NoGradient(EXERCISES["2.5"].solution):
        def forward(self, x):
            q, k, v = mistake(self, x), self.W_key(x), self.W_value(x)
            weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
            return weights @ v, weights

    report = check("2.5", NoGradient)
    assert report.diagnosis == "no-gradients" and "no gradient reaches W_query" in report.message


def test_a_module_that_remembers_is_named():
    class Remembers(EXERCISES["2.5"].solution):
        def forward(self, x):
            self.length = getattr(self, "length", x.size(1))
            return super().forward(x[:, :self.length])

    assert check("2.5", Remembers).diagnosis == "remembers"


def test_a_result_that_cannot_be_looked_at_still_gets_a_card():
    class Odd:
        @property
        def shape(self):
            raise RuntimeError("no shape today")

    report = check("0.1", lambda x: Odd())
    assert report.status == "error" and "could not look at this answer (RuntimeError)" in report.message


def test_results_that_are_classes_or_generators_are_said():
    assert "the class Tensor" in check("0.1", lambda x: torch.Tensor).message
    assert "a generator (yield" in check("0.1", lambda x: (row for row in x)).message


def test_ctrl_c_still_works():
    with pytest.raises(KeyboardInterrupt):
        check("0.1", raises(KeyboardInterrupt()))


def test_a_changed_input_is_named():
    def code(x):
        x -= 1
        return x.mean(1) + 1

    report = check("0.1", code)
    assert report.diagnosis == "changes-input" and "input x" in report.message


def test_a_changed_layer_is_named():
    def code(x, q_proj, *others):
        q_proj.bias.zero_()
        return EXERCISES["5.3"].solution(x, q_proj, *others)

    report = check("5.3", code)
    assert report.diagnosis == "changes-input" and "input q_proj" in report.message


def test_a_changed_collection_is_named_in_its_own_words():
    def code(weight, bias, heads, num_heads, dim):
        gone = [heads.pop() for _ in range(len(heads))] if isinstance(heads, (list, set)) else heads
        return EXERCISES["6.4"].solution(weight, bias, gone, num_heads, dim)

    report = check("6.4", code)
    assert report.diagnosis == "changes-input"
    assert "changed its input heads" in report.message and "pop" in report.message


def test_a_changed_pair_of_tensors_is_named():
    def code(q, k, v, past):
        found = EXERCISES["6.5"].solution(q, k, v, past)
        if past is not None:
            past[1].zero_()
        return found

    report = check("6.5", code)
    assert report.diagnosis == "changes-input" and "changed its input past" in report.message


@pytest.mark.parametrize("change, words", [
    (lambda out, k, v: (out, [k, v, v]), "In place of the pair (all_k, all_v) came a list of 3"),
    (lambda out, k, v: (out, [k, v + 1]), "(all_k, all_v) came as a list; a tuple was expected"),
    (lambda out, k, v: (out, (k, None)), "all_v is None; a tensor was expected"),
    (lambda out, k, v: [out, (k, v)], "Your code returned a list of 2; the pair (out, (all_k, all_v)) was expected"),
    (lambda out, k, v: (out, (k[:, :, :1], v)), "all_k should have shape"),
    (lambda out, k, v: (out, (k.double(), v)), "all_k should be torch.float32, got torch.float64"),
])
def test_a_pair_within_a_pair_is_met_with_a_sentence(change, words):
    def code(q, k, v, past):
        out, (k, v) = EXERCISES["6.5"].solution(q, k, v, past)
        return change(out, k, v)

    assert words in check("6.5", code).message


def test_a_pair_of_tensors_is_told_briefly():
    def raises(q, k, v, past):
        return past[2]

    assert "past = None" in check("6.5", raises).message
    assert "past of shapes (2, 3, 7, 11) and (2, 3, 7, 11)." in check(
        "6.5", lambda q, k, v, past: EXERCISES["6.5"].solution(q, k, v, past if past is None else past[2])).message


def test_layers_are_told_briefly():
    def raises(x, *rest):
        raise ValueError("no")

    assert "q_proj = nn.Linear(12, 12), k_proj" in check("5.3", raises).message
    unscaled = check("5.3", EXERCISES["5.3"].misconceptions[0].codes[0]).message
    assert "q_proj(z) = z + 1, k_proj(z) = 2z, v_proj(z) = 3z, out_proj(z) = -z and num_heads = 2" in unscaled


def test_dtypes_are_told_where_the_error_speaks_of_them():
    told = check("1.2", lambda ids, table: torch.zeros(*ids.shape, len(table)) @ table.double()).message
    assert "ids of shape (5,) and dtype int64, table of shape (13, 11) and dtype float32" in told
    told = check("1.2", lambda ids, table: table[ids] @ table).message
    assert "ids of shape (5,), table of shape (13, 11)." in told


def test_sizes_are_named_only_where_they_are_what_they_seem():
    def reads_both(x, context, *others):
        return EXERCISES["5.4"].solution(x, torch.cat([x, context], dim=1), *others)

    def swapped(*args):
        return EXERCISES["5.3"].solution(*args)[::-1]

    assert "got (2, 3, 5, 5) = (B, H, T, T)" in check("5.3", lambda x, q, k, v, o, n, mask=None: swapped(
        x, q, k, v, o, n, mask)).message
    assert "got (2, 3, 5, 12) = (B, H, T, 12)" in check("5.4", lambda x, c, q, k, v, o, n: reads_both(
        x, c, q, k, v, o, n)).message
    assert "got (2, 2, 5, 11) = (B, 2, T, D)" in check("5.1", lambda x, n: EXERCISES["5.1"].solution(x, n)[:, 1:]
                                                       ).message


def test_a_lost_axis_of_size_1_is_named():
    message = check("2.2", lambda scores: scores.softmax(-1).squeeze()).message
    assert "(4, 1, 7)" in message and "An axis of size 1 was lost: squeeze() without dim" in message
    assert "An axis of size 1" not in check("2.2", lambda scores: scores.softmax(-1)[..., 0]).message


@pytest.mark.parametrize("value, words", [
    ([0.5] * 5, "torch.tensor(your_list) makes"), ([[1, 2], [3, 4]], "torch.tensor(your_list) makes"),
    ([torch.ones(2), torch.ones(2)], "torch.stack(your_list) makes"), ([[1, 2], [3]], "Keep the numbers in torch"),
    ([], "Keep the numbers in torch"), (["a"], "Keep the numbers in torch")])
def test_a_list_hears_how_it_becomes_a_tensor(value, words):
    assert words in check("0.1", lambda x: value).message


def test_a_changed_input_stands_beside_the_mistake():
    def code(x, positions):
        for t, row in enumerate(x):
            x[t] = row + positions[t]
        return x

    message = check("1.4", code).message
    assert "Besides: your code changed its input x." in message and "In numbers: Your code changed" not in message


def test_an_argument_with_a_default_must_have_one():
    report = check("5.3", lambda x, q, k, v, o, num_heads, mask: x)
    assert report.status == "error" and "may be called without mask; yours needs it" in report.message
    assert check("5.3", lambda x, q, k, v, o, num_heads, mask=None: x).diagnosis == "returns-one"


def test_printing_is_shown_once_and_nowhere_else(capsys):
    def code(x):
        print("shape", tuple(x.shape))
        return x.mean(1)

    report = check("0.1", code)
    assert report.status == "correct"
    assert report.message.endswith("It was called with x of shape (5, 7). Your code printed:\n    shape (5, 7)")
    assert capsys.readouterr().out == ""


def test_what_is_shown_was_printed_on_the_input_that_went_wrong():
    def code(scores):
        print(f"largest {scores.max():.0f}")
        powers = scores.clamp(max=80).exp()
        return powers / powers.sum(dim=-1, keepdim=True)

    message = check("2.2", code).message
    assert "Every number must be finite" in message and "It was tried on scores of 1,000" in message
    assert message.endswith("It was called with scores of shape (6, 3). Your code printed:\n    largest 1001")


def test_right_numbers_in_another_dtype_are_called_right():
    def code(x):
        means = torch.zeros(len(x))
        for i, row in enumerate(x):
            means[i] = row.mean()
        return means

    assert "The numbers are right, but means should be torch.float64, got torch.float32." in check("0.1", code).message
    assert "The numbers are right" not in check("0.1", lambda x: x.mean(1).long()).message


def test_code_for_two_axes_that_meets_a_batch_is_told_so():
    def code(q, k):
        scores = torch.zeros(q.size(-2), k.size(-2), dtype=q.dtype)
        for i in range(q.size(-2)):
            for j in range(k.size(-2)):
                scores[i, j] = (q[i] * k[j]).sum()
        return scores

    assert "Your code is right with fewer axes, and stops with one more in front" in check("2.1", code).message
    wrong = check("2.1", lambda q, k: q @ k[:, :1] if q.dim() == 2 else q[9]).message
    assert "right with fewer axes" not in wrong


def test_weights_that_are_none_are_known_from_pytorch_s_own_attention():
    report = check("2.4", lambda q, k, v: (F.scaled_dot_product_attention(q, k, v), None))
    assert report.status == "wrong" and "F.scaled_dot_product_attention keeps its weights to itself" in report.message


@pytest.mark.parametrize("id", ["3.3", "3.5"])
@pytest.mark.parametrize("fill, warned", [(-100.0, True), (-1e4, True), (-1e9, False), (float("-inf"), False)])
def test_a_fill_that_is_above_a_low_score_is_right_and_hears_of_it(id, fill, warned):
    def code(scores, mask):
        weights = scores.masked_fill(~mask, fill if mask.any(-1).all() else -1e9).softmax(-1)
        return weights.masked_fill(~mask, 0.0)

    report = check(id, code)
    assert report.status == "correct" and ("try scores = [[-20000, 0]]" in report.message) == warned


def test_the_learner_s_random_numbers_and_modes_are_left_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    check("2.5", EXERCISES["2.5"].solution)
    check("0.1", lambda x: (torch.manual_seed(1), x.mean(1))[1])
    assert torch.equal(torch.rand(3), expected)
    with torch.no_grad():
        assert check("3.5", EXERCISES["3.5"].solution).status == "correct"
        assert not torch.is_grad_enabled()
    with torch.inference_mode():
        assert check("3.5", EXERCISES["3.5"].solution).status == "correct"


def test_another_default_device_does_no_harm():
    torch.set_default_device("meta")
    try:
        for id in ("3.1", "4.2", "4.3"):
            assert check(id, EXERCISES[id].solution).status == "correct"
            assert check(id, EXERCISES[id].misconceptions[0].codes[0]).status == "wrong"
    finally:
        torch.set_default_device(None)


def test_a_check_may_run_in_a_thread():
    found = []
    worker = threading.Thread(target=lambda: found.append(check("2.2", EXERCISES["2.2"].solution).status))
    worker.start()
    worker.join()
    assert found == ["correct"]


def test_answers_come_quickly():
    """After the first check of a session; by the time this process works, as the machine may be busy elsewhere."""
    for exercise in EXERCISES.values():
        times = []
        for _ in range(3):
            start = time.process_time()
            check(exercise.id, exercise.misconceptions[-1].codes[0])
            times.append(time.process_time() - start)
        assert min(times) < 0.3, exercise.id


# ---------------------------------------------------------------- not attempted, or not what was asked for

def dots(x):
    """Average each row."""
    ...


def only_docstring(x):
    """Average each row."""


def passes(x):
    pass


def not_implemented(x):
    raise NotImplementedError


def returns_none(x):
    return None


class Empty(nn.Module):
    """A stub."""

    def __init__(self, d_in, d_out):
        super().__init__()
        ...

    def forward(self, x):
        ...


@pytest.mark.parametrize("stub", [dots, only_docstring, passes, not_implemented])
def test_a_stub_is_not_attempted(stub):
    report = check("0.1", stub)
    assert report.status == "not attempted" and 'hint("0.1")' in report.message


def test_an_empty_class_is_not_attempted():
    assert check("2.5", Empty).status == "not attempted"


class Inherits(Empty):
    """Nothing above it is written either."""


class ForwardToCome(EXERCISES["2.5"].solution):
    def forward(self, x):
        ...


@pytest.mark.parametrize("stub", [Inherits, ForwardToCome, type("Bare", (nn.Module,), {})])
def test_a_class_is_empty_where_its_forward_is(stub):
    assert check("2.5", stub).status == "not attempted"


def test_a_written_return_none_is_an_attempt():
    assert check("0.1", returns_none).diagnosis == "returns-none"


@pytest.mark.parametrize("body, status", [("...", "not attempted"), ("return None", "wrong"), ("return", "wrong"),
                                          ("pass", "not attempted"), ("return x.mean(1)", "correct")])
def test_code_without_a_file_is_understood(body, status):
    space = {}
    exec(f"def f(x):\n    {body}", space)
    if body in ("return None", "return") and sys.version_info < (3, 11):
        status = "not attempted"  # what is compiled is what `pass` is compiled to
    assert check("0.1", space["f"]).status == status


@pytest.mark.parametrize("attempt, words", [
    (torch.zeros(5), "check needs the function itself, got a tensor of shape (5,)"),
    (None, "got None"), ("row_means", "got str 'row_means'"), (3, "got 3"),
    (nn.Linear, "A function is asked for, got the class Linear"), (torch.Tensor, "got the class Tensor"),
    (lambda: 0, "row_means is called as row_means(x); yours takes ()"),
    (lambda x, y: 0, "yours takes (x, y)"),
])
def test_what_is_not_an_answer_is_said(attempt, words):
    report = check("0.1", attempt)
    assert report.status == "error" and words in report.message


def test_a_module_instead_of_its_class_is_said():
    report = check("2.5", EXERCISES["2.5"].solution(3, 2))
    assert report.status == "error" and "check needs the class itself" in report.message


@pytest.mark.parametrize("call", [lambda id: check(id, sums), hint, solution])
@pytest.mark.parametrize("id", ["9.9", "", None, 33, "row_means"])
def test_an_unknown_exercise_is_answered_with_the_known_ones(call, id):
    report = call(id)
    assert report.status == "error" and "0.1, 1.1" in report.message


def test_a_number_is_as_good_as_a_string():
    assert check(0.1, lambda x: x.mean(1)).status == "correct"


# ---------------------------------------------------------------- hints, solutions, progress

@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda e: e.id)
def test_hints_lead_to_the_solution(exercise):
    for number in range(1, len(exercise.hints) + 1):
        report = hint(exercise.id, number)
        assert report.status == "hint" and exercise.hints[number - 1] in report.message
    assert f'solution("{exercise.id}")' in report.message


@pytest.mark.parametrize("number", [0, 99, -1, "two", None, 1.5])
def test_a_hint_that_does_not_exist_is_said(number):
    assert "has 2 hints: 1 to 2" in hint("0.1", number).message


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda e: e.id)
def test_the_solution_shown_can_be_pasted_and_is_correct(exercise):
    space = {}
    exec("import math\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n", space)
    exec(solution_source(exercise), space)
    assert check(exercise.id, space[exercise.name]).status == "correct"
    assert solution(exercise.id).text.rstrip() in solution_source(exercise)


@pytest.fixture
def record_file(tmp_path, monkeypatch):
    file = tmp_path / "deep" / "progress.json"
    monkeypatch.setenv("COURSE_PROGRESS", str(file))
    monkeypatch.setattr(record, "_unsaved", {})
    return file


def test_progress_remembers_what_was_solved(record_file):
    check("0.1", sums)
    assert "0 of" in repr(progress()) and re.search(r"0.1 +row_means.*tried", repr(progress()))
    check("0.1", lambda x: x.mean(1))
    check("0.1", sums)
    assert re.search(r"0.1 +row_means.*correct", repr(progress()))
    assert json.loads(record_file.read_text(encoding="utf-8")) == {"0.1": {"status": "correct", "tries": 3}}


@pytest.mark.parametrize("content", ["{", "[]", "[1, 2]", '{"0.1": 3}', '{"0.1": {}}', "\x00", "null", "",
                                     "[" * 100_000,
                                     '{"0.1": {"status": "done", "tries": 1}}',
                                     '{"0.1": {"status": "wrong", "tries": "x"}}',
                                     '{"0.1": {"status": [], "tries": null}}'], ids=lambda text: repr(text[:40]))
def test_a_corrupt_record_is_set_aside_and_nothing_is_lost(record_file, content):
    record_file.parent.mkdir()
    record_file.write_text(content, encoding="utf-8")
    assert "0 of" in repr(progress())
    check("0.1", lambda x: x.mean(1))
    assert "1 of" in repr(progress())
    assert (record_file.parent / "progress.unreadable.json").read_text(encoding="utf-8") == content


@pytest.mark.parametrize("busy", ["replace", "read_text"])
def test_a_record_that_another_notebook_holds_for_a_moment_is_waited_for(record_file, monkeypatch, busy):
    check("0.1", lambda x: x.mean(1))
    place = os if busy == "replace" else type(record_file)
    act, refusals = getattr(place, busy), iter([PermissionError("held")] * 3)

    def held(*args, **options):
        for refusal in refusals:
            raise refusal
        return act(*args, **options)

    monkeypatch.setattr(place, busy, held)
    check("0.1", lambda x: x.mean(1))
    monkeypatch.undo()
    assert next(refusals, None) is None
    assert json.loads(record_file.read_text(encoding="utf-8")) == {"0.1": {"status": "correct", "tries": 2}}
    assert [path.name for path in record_file.parent.iterdir()] == [record_file.name]


def test_where_nothing_can_be_written_the_record_lives_in_memory(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "file" / "progress.json"))
    monkeypatch.setattr(record, "_unsaved", {})
    check("0.1", lambda x: x.mean(1))
    assert "1 of" in repr(progress())


def test_tests_never_touch_the_learner_s_own_record():
    assert os.environ["COURSE_PROGRESS"] == "memory" and record.path() is None


# ---------------------------------------------------------------- how it looks

def visible(card):
    """The words of a card, without its tags."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", card)))


CARDS = [lambda: check("3.2", dots2), lambda: check("3.2", EXERCISES["3.2"].solution),
         lambda: check("3.2", EXERCISES["3.2"].misconceptions[0].codes[0]), lambda: check("3.2", lambda w, m: w @ m),
         lambda: check("3.2", lambda w, m: w ** 2 * m), lambda: hint("3.2")]


def dots2(weights, mask):
    ...


@pytest.mark.parametrize("make", CARDS)
def test_the_card_and_the_text_say_the_same(make):
    report = make()
    bundle = report._repr_mimebundle_()
    shown = visible(bundle["text/html"])
    assert bundle["text/plain"] == report.message == str(report)
    for word in re.findall(r"[^\s:]+", report.message):
        assert word in shown, word
    assert "<script" not in bundle["text/html"] and "color:#" not in bundle["text/html"]


def test_what_a_learner_writes_cannot_break_the_card():
    def code(x):
        print("<b>&bold")
        raise ValueError("<script>alert(1)</script>")

    card = check("0.1", code)._repr_mimebundle_()["text/html"]
    assert "<script" not in card and "<b>&bold" not in card and "&lt;script&gt;" in card


def test_nothing_is_printed_while_checking():
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        for exercise in EXERCISES.values():
            check(exercise.id, exercise.solution)
    assert out.getvalue() == ""
