"""Whatever a learner's code does stays inside: exceptions, endless loops, printing, seeds and modes."""

import contextlib
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
    "error", [SystemExit(1), RecursionError(), GeneratorExit(), ValueError("a\n" * 500)], ids=lambda e: type(e).__name__
)
def test_every_exception_becomes_a_report_that_shows_the_learners_line(error):
    report = check("0.1", raises(error))
    assert report.status == "error" and type(error).__name__ in report.message and "`raise error`" in report.message
    assert len(report.message) < 1200 and "Traceback" not in report.message
    with pytest.raises(KeyboardInterrupt):
        check("0.1", raises(KeyboardInterrupt()))


def test_an_endless_loop_is_stopped(monkeypatch):
    monkeypatch.setattr(sandbox, "PATIENCE", 0.3)

    def code(x):
        for _ in range(3):
            try:
                while True:
                    with contextlib.suppress(Exception):  # a learner's own handler must not catch StillRunning
                        x = x + 1
            except:  # noqa: E722  learners write this
                pass

    assert check("0.1", code).status == "error"  # without the stop, this test would not end
    time.sleep(0.5)  # nothing may be raised afterwards
    assert check("0.1", lambda x: x.mean(1)).status == "correct"


@contextlib.contextmanager
def double_by_default():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


MODES = {
    "inference": torch.inference_mode,
    "no gradients": torch.no_grad,
    "autocast": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
    "a default device": lambda: torch.device("meta"),
    "a default dtype": double_by_default,
}


@pytest.mark.parametrize("mode", MODES)
def test_the_first_check_of_a_session_may_run_in_any_mode(mode):
    known.cache_clear()
    for id in ("2.5", "3.1", "4.2", "4.3"):
        with MODES[mode]():
            before = modes()
            assert check(id, EXERCISES[id].reference).status == "correct"
            assert check(id, EXERCISES[id].misconceptions[0].variants[0]).status in ("wrong", "error")
            assert modes() == before
        assert check(id, EXERCISES[id].reference).status == "correct"


def modes():
    return torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_autocast_enabled("cpu")


def test_printed_text_is_shown_once_on_the_card(capsys):
    def code(x):
        print("shape", tuple(x.shape))
        return x.mean(1)

    report = check("0.1", code)
    assert report.status == "correct"
    assert report.message.count("shape (5, 7)") == 2
    assert "It was called with x of shape (5, 7). Your code printed:\n    shape (5, 7)\n" in report.message
    assert capsys.readouterr().out == ""


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
