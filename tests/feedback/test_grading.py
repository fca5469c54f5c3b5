"""grade(): what a grader sees of an answer."""

import sys

import pytest
import torch

import exercises
from exercises import COURSE, grade
from feedback.grading import NotYet


def filled(scores, mask):
    return scores.masked_fill(~mask, -torch.inf).softmax(-1)


def upside_down(scores, mask):
    return scores.masked_fill(mask, -torch.inf).softmax(-1)


def mask_of_known_lengths(length):
    return {n: torch.ones(n, n, dtype=torch.bool).tril() for n in (1, 2, 3, 5, 7, 13, 130)}[length]


def test_a_right_answer_is_said_to_be_right_also_with_a_limit(capsys):
    assert grade("3.3", filled) is None
    assert capsys.readouterr().out.startswith("✓ 3.3 mask_by_filling: correct\n")
    grade("3.3", lambda scores, mask: scores.masked_fill(~mask, -1e9).clamp(max=100).softmax(-1))
    assert "correct, with a limit" in capsys.readouterr().out


def test_a_wrong_answer_is_told_all_and_raises_the_diagnosis_and_nothing_is_recorded(capsys):
    before = COURSE.store.load()
    with pytest.raises(NotYet) as raised:
        grade("3.3", upside_down)
    assert COURSE.store.load() == before
    assert raised.value._render_traceback_()[0].split() == f"NotYet: {raised.value}".split(), (
        "all that a notebook shows"
    )
    said = exercises.check("3.3", upside_down).message.split("\nNext:")[0]
    printed = capsys.readouterr().out
    assert printed.split() == said.split() and max(map(len, printed.splitlines())) <= 100
    meant = next(m.means for m in COURSE.exercises["3.3"].misconceptions if m.id == "true-hides")
    assert str(raised.value) == f"3.3 mask_by_filling: not yet. {meant}"


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


def test_the_seed_chooses_the_hidden_inputs_and_no_other_arguments_are_taken():
    def asked_for(seed):
        asked = set()

        def mask(length):
            asked.add(length)
            return torch.ones(length, length, dtype=torch.bool).tril()

        grade("3.1", mask, seed)
        return asked

    assert asked_for(1) != asked_for(2) == asked_for(2)
    for seed in (0, "secret", 1.5, None, 10**13):
        with pytest.raises(ValueError, match="must be a whole number from 1 to"):
            grade("3.3", filled, seed)
    with pytest.raises(LookupError, match="There is no exercise '3.33'"):
        grade("3.33", filled)


def test_the_exercises_of_check_stay_the_same():
    before, known = dict(sys.modules), dict(vars(exercises))
    grade("2.2", torch.nn.Softmax(-1).forward, seed=9)
    names = [name for name in before if name.startswith("exercises.")]
    assert all(sys.modules[name] is before[name] for name in names)
    assert all(vars(exercises)[name] is value for name, value in known.items())
