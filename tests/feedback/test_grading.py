"""grade(): what a grader reads of an answer."""

import sys

import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell

import exercises
from exercises import COURSE, grade
from feedback.grading import NotYet


def filled(scores, mask):
    return scores.masked_fill(~mask, -torch.inf).softmax(-1)


def upside_down(scores, mask):
    return scores.masked_fill(mask, -torch.inf).softmax(-1)


def mask_of_known_lengths(length):
    return {n: torch.ones(n, n, dtype=torch.bool).tril() for n in (1, 2, 3, 5, 7, 13, 130)}[length]


def test_a_right_answer_is_said_to_be_right(capsys):
    assert grade("3.3", filled) is None
    assert capsys.readouterr().out.startswith("✓ 3.3 mask_by_filling: correct\n")


def test_a_wrong_answer_is_told_all_and_raises_the_diagnosis(capsys):
    with pytest.raises(NotYet) as raised:
        grade("3.3", upside_down)
    said = exercises.check("3.3", upside_down).message.split("\nNext:")[0]
    printed = capsys.readouterr().out
    assert printed.split() == said.split() and max(map(len, printed.splitlines())) <= 100
    meant = next(m.means for m in COURSE.exercises["3.3"].misconceptions if m.id == "true-hides")
    assert str(raised.value) == f"3.3 mask_by_filling: not yet. {meant}"


def test_in_a_notebook_there_is_no_traceback(capsys):
    shell = InteractiveShell()
    shell.user_ns.update(grade=grade, answer=upside_down)
    shell.run_cell('grade("3.3", answer)')
    shown = capsys.readouterr().out
    assert "NotYet: 3.3 mask_by_filling: not yet." in shown and "Traceback" not in shown


def test_an_answer_with_a_limit_is_right(capsys):
    def capped(scores, mask):
        return scores.masked_fill(~mask, -1e9).clamp(max=100).softmax(-1)

    assert exercises.check("3.3", capped).status == "limited"
    grade("3.3", capped)
    assert "correct, with a limit" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda scores, mask: scores @ mask, "stopped. "),
        (lambda scores, mask: (_ for _ in ()).throw(NotImplementedError), "not attempted yet. "),
        (filled(torch.zeros(2, 2), torch.ones(2, 2, dtype=torch.bool)), "stopped. `check` needs the function itself"),
    ],
)
def test_whatever_is_not_right_raises(answer, told):
    with pytest.raises(NotYet, match=f"^3.3 mask_by_filling: {told}"):
        grade("3.3", answer)


def test_known_results_are_not_enough(capsys):
    assert exercises.check("3.1", mask_of_known_lengths).solved
    with pytest.raises(NotYet, match="right on the inputs that `check` uses, but not on others of the same kind"):
        grade("3.1", mask_of_known_lengths)


def test_the_seed_chooses_the_hidden_inputs():
    def asked_for(seed):
        asked = set()

        def mask(length):
            asked.add(length)
            return torch.ones(length, length, dtype=torch.bool).tril()

        grade("3.1", mask, seed)
        return asked

    assert asked_for(1) != asked_for(2) == asked_for(2)


@pytest.mark.parametrize("seed", [0, -1, "secret", 1.5, "", None, 10**13])
def test_a_seed_that_is_none_is_refused(seed):
    with pytest.raises(ValueError, match="must be a whole number from 1 to"):
        grade("3.3", filled, seed)


def test_an_unknown_exercise_is_refused():
    with pytest.raises(LookupError, match="There is no exercise '3.33'"):
        grade("3.33", filled)


def test_nothing_is_recorded(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "progress.json"))
    before = COURSE.store.load()
    grade("3.3", filled)
    with pytest.raises(NotYet):
        grade("3.3", upside_down)
    assert not list(tmp_path.iterdir()) and COURSE.store.load() == before


def test_the_exercises_of_check_stay_the_same():
    before, known = dict(sys.modules), dict(vars(exercises))
    grade("2.2", torch.nn.Softmax(-1).forward, seed=9)
    names = [name for name in before if name.startswith("exercises.")]
    assert all(sys.modules[name] is before[name] for name in names)
    assert all(vars(exercises)[name] is value for name, value in known.items())
