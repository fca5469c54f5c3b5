"""check, hint and solution with unusual arguments; hints and solutions of all exercises."""

import pytest

from exercises import EXERCISES, check, hint, solution


@pytest.mark.parametrize("call", [lambda id: check(id, sum), hint, solution])
def test_an_unknown_exercise_is_answered_with_the_known_ones(call):
    for id in ("9.9", "", None, 33, "row_means"):
        report = call(id)
        assert report.status == "error" and "0.1, 1.1" in report.message


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda e: e.id)
def test_hints_lead_to_a_solution_that_can_be_pasted_and_is_correct(exercise):
    for number in range(1, len(exercise.hints) + 1):
        report = hint(exercise.id, number)
        assert report.status == "hint" and exercise.hints[number - 1] in report.message
    assert f'solution("{exercise.id}")' in report.message
    assert solution(exercise.id).text.startswith(f"# A solution of exercise {exercise.id}")
    space = {}
    exec("import math\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n", space)
    exec(solution(exercise.id).text, space)
    assert check(exercise.id, space[exercise.name]).status == "correct"


@pytest.mark.parametrize("number", [0, 99, "two", None])
def test_a_hint_that_does_not_exist_is_answered_with_those_that_do(number):
    assert "has 2 hints: 1 to 2" in hint("0.1", number).message
