"""Whatever a learner's code does stays inside: exceptions, endless loops, printing, seeds and modes."""

import contextlib
import sys
import threading
import time

import pytest
import torch

from exercises import EXERCISES, check
from feedback import sandbox
from feedback.observations import known
from tests.calls import Calls


def raises(error):
    def code(x):
        raise error

    return code


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no"),
        SystemExit(1),
        RecursionError(),
        KeyError("k"),
        GeneratorExit(),
        MemoryError(),
        ValueError("a\n" * 500),
    ],
    ids=lambda error: type(error).__name__,
)
def test_every_exception_becomes_a_report(error):
    report = check("0.1", raises(error))
    assert report.status == "error" and type(error).__name__ in report.message
    assert len(report.message) < 1200 and "Traceback" not in report.message


def test_the_learners_own_line_is_shown():
    def code(x):
        y = x @ x.T
        return y @ torch.zeros(3)

    assert "return y @ torch.zeros(3)" in check("0.1", code).message


def test_an_endless_loop_is_stopped(monkeypatch):
    monkeypatch.setattr(sandbox, "PATIENCE", 0.3)

    def code(x):
        while True:
            with contextlib.suppress(Exception):  # a learner's net must not catch the checker's stop
                x = x + 1

    assert check("0.1", code).diagnosis == "never-ends"  # without the stop, this test would not end
    time.sleep(0.5)  # nothing may be raised afterwards
    assert check("0.1", lambda x: x.mean(1)).status == "correct"


@pytest.mark.slow
def test_a_bare_except_does_not_keep_a_loop_alive(monkeypatch):
    monkeypatch.setattr(sandbox, "PATIENCE", 0.1)

    def code(x):
        for _ in range(3):
            try:
                while True:
                    x = x + 1
            except:  # noqa: E722  learners write this
                pass
        return x.mean(1)

    check("0.1", code)  # without the stop, this would not end


@pytest.mark.parametrize(
    "surroundings", [torch.inference_mode, torch.no_grad, lambda: torch.autocast("cpu", dtype=torch.bfloat16)]
)
@pytest.mark.parametrize("id", ["2.5", "3.5", "4.1", "4.2", "4.3"])
def test_the_first_check_of_a_session_may_run_in_any_mode(surroundings, id):
    known.cache_clear()
    with surroundings():
        before = torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_autocast_enabled("cpu")
        assert check(id, EXERCISES[id].reference).status == "correct"
        assert before == (torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_autocast_enabled("cpu"))
    assert check(id, EXERCISES[id].reference).status == "correct"


def test_another_default_dtype_does_not_matter():
    torch.set_default_dtype(torch.float64)
    try:
        known.cache_clear()
        assert check("2.5", EXERCISES["2.5"].reference).status == "correct"
        assert torch.get_default_dtype() == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_concurrent_checks_put_standard_output_back():
    stdout = sys.stdout
    workers = [threading.Thread(target=check, args=("2.3", EXERCISES["2.3"].reference)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sys.stdout is stdout


def test_a_keyboard_interrupt_passes_through():
    with pytest.raises(KeyboardInterrupt):
        check("0.1", raises(KeyboardInterrupt()))


def test_printed_text_is_shown_once_on_the_card(capsys):
    def code(x):
        print("shape", tuple(x.shape))
        return x.mean(1)

    report = check("0.1", code)
    assert report.status == "correct"
    assert report.message.count("shape (5, 7)") == 2
    assert "It was called with x of shape (5, 7). Your code printed:\n    shape (5, 7)\n" in report.message
    assert capsys.readouterr().out == ""


def test_the_printed_text_is_that_of_the_failing_input():
    def code(scores):
        print(f"largest {scores.max():.0f}")
        powers = scores.clamp(max=80).exp()
        return powers / powers.sum(dim=-1, keepdim=True)

    message = check("2.2", code).message
    assert "With `scores = [[100, 99]]`" in message
    assert "It was called with scores of shape (10, 3). Your code printed:\n    largest 1001\n" in message


def test_another_default_device_does_not_matter():
    torch.set_default_device("meta")
    try:
        for id in ("3.1", "4.2", "4.3"):
            assert check(id, EXERCISES[id].reference).status == "correct"
            assert check(id, EXERCISES[id].misconceptions[0].variants[0]).status == "wrong"
    finally:
        torch.set_default_device(None)


def test_a_check_may_run_in_a_thread():
    found = []
    worker = threading.Thread(target=lambda: found.append(check("2.2", EXERCISES["2.2"].reference).status))
    worker.start()
    worker.join()
    assert found == ["correct"]


@pytest.mark.slow
def test_a_check_is_little_work():
    """After the first check of a session. How long it takes is measured by benchmarks/checks.py."""
    for exercise in EXERCISES.values():
        wrong = (lambda suspect: True) if exercise.judge else exercise.misconceptions[-1].variants[0]
        check(exercise.id, wrong)
        with Calls() as calls:
            check(exercise.id, wrong)
        most = 10_000 if not exercise.judge else 20_000  # a judged test runs on many models
        assert 0 < calls.count < most, exercise.id
