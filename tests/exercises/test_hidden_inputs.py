"""Hidden inputs: right answers pass on them, and remembered results do not.

To test all right answers on the inputs of several seeds, which takes about 20 s for each seed:
`COURSE_GRADE_SEEDS="1 2 3" python course.py test tests/exercises/test_hidden_inputs.py`.
"""

import json
import os

import pytest

from exercises import COURSE, EXERCISES, FOLDER
from feedback import checker
from feedback.exercise_package import HiddenExercises
from feedback.grading_worker import encoded
from tests.unit.cases import flat

SEEDS = os.environ.get("COURSE_GRADE_SEEDS", "").split()
HIDDEN = {seed: HiddenExercises(COURSE.package, str(FOLDER), int(seed)) for seed in SEEDS or ["1"]}
NO_INPUTS = {"2.6"}  # takes no inputs: its answer is a pair of matrices
JUDGES = {id for id in EXERCISES if EXERCISES[id].returns == ("verdict",)}  # suspects look alike: none is recognizable


def right_answers(id):
    """Return the reference and every seventh right answer, or all of them if seeds are given."""
    answers = [answer.code for answer in EXERCISES[id].banks().right]
    return [EXERCISES[id].reference, *(answers if SEEDS else answers[::7])]


@pytest.mark.slow
@pytest.mark.parametrize("id", EXERCISES)
@pytest.mark.parametrize("seed", HIDDEN)
def test_right_answers_are_right_on_hidden_inputs(id, seed):
    for answer in right_answers(id):
        report = checker.check(HIDDEN[seed][id], answer)
        assert report.solved, f"{answer.__name__}: {report.message}"


def known(exercise):
    """Return what one could remember of the test cases, as text: each case's inputs with the right result."""
    return {
        json.dumps([encoded(flat(case.args)), encoded(exercise.runner.call(exercise.reference, *case.args))])
        for case in exercise.cases
    }


@pytest.mark.parametrize("id", [id for id in EXERCISES if id not in NO_INPUTS | JUDGES])
def test_who_remembers_the_right_results_does_not_know_those_on_hidden_inputs(id):
    assert known(HIDDEN[next(iter(HIDDEN))][id]) - known(EXERCISES[id])


def test_without_inputs_nothing_can_be_hidden():
    assert {id for id in EXERCISES if not EXERCISES[id].arguments} == NO_INPUTS
