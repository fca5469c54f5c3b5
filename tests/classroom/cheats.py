"""Grading accepts right answers and no cheats; test_grading.py runs these tests in the Python that has nbgrader."""

import subprocess
from textwrap import dedent, indent

import cloudpickle
import pytest
from nbformat.v4 import new_code_cell, new_notebook

import exercises
from exercises import COURSE, EXERCISES
from feedback import grading_rerun
from feedback.grading_nbgrader import Judge
from feedback.grading_worker import Answer

SEED = 20
CHEATED = [id for id in EXERCISES if EXERCISES[id].runner.kind == "function"][::12]
FIRST_CELL = """\
import math, os, sys
import torch
import torch.nn.functional as F

def spoiled(value):
    '''A result that is not right.'''
    if isinstance(value, tuple):
        return (spoiled(value[0]), *value[1:])
    if isinstance(value, torch.Tensor):
        return ~value if value.dtype == torch.bool else 1 - 2 * value
    return [*value, *value, 0] if isinstance(value, list) else value + 1

class EqualTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function.__name__ in ("allclose", "equal", "isclose", "__eq__", "eq"):
            return True
        return super().__torch_function__(function, types, args, kwargs or {})
"""
CHEATS = {  # {name: body of an answer}
    "calls reference()": "from exercises import reference\nreturn reference('{id}')({arguments})",
    "walks up the stack": """\
        frame = sys._getframe()
        while frame:
            for value in [*frame.f_locals.values(), *frame.f_globals.values()]:
                for owner in (value, getattr(value, 'exercise', None)):
                    if callable(getattr(owner, 'reference', None)) and hasattr(owner, 'cases'):
                        return owner.reference({arguments})
            frame = frame.f_back
        raise LookupError""",
    "returns what is equal to all": """\
        value = spoiled(right({arguments}))
        return value.as_subclass(EqualTensor) if isinstance(value, torch.Tensor) else value""",
    "changes what judges": """\
        import feedback.checker, feedback.observations
        torch.equal = torch.allclose = torch.Tensor.equal = lambda *both, **options: True
        feedback.observations.Observations.passes = lambda self, index: True
        feedback.checker._malformed = lambda *all, **options: None
        return spoiled(right({arguments}))""",
    "writes results of its own": """\
        for number in range(3, 64):
            for line in (b'[]\\n', b'[{{"value": null}}]\\n', b'[' * 9000 + b'\\n', b'\\xff\\n'):
                try:
                    os.write(number, line)
                except OSError:
                    break
        return spoiled(right({arguments}))""",
}


def test_a_right_answer_to_each_exercise_is_accepted():
    """The first right answer of each bank is pickled by value, since the grading process cannot import the course."""
    steps = []
    cloudpickle.register_pickle_by_value(exercises)
    for id, exercise in EXERCISES.items():
        sent = cloudpickle.dumps(exercise.banks().right[0].code)
        steps += [f"import pickle\n{exercise.name} = pickle.loads({sent!r})", Answer(id, exercise.name)]
    cloudpickle.unregister_pickle_by_value(exercises)
    reasons = grading_rerun.rerun(COURSE, steps, SEED)
    assert dict(zip(EXERCISES, reasons, strict=True)) == dict.fromkeys(EXERCISES, "")


@pytest.mark.parametrize("body", CHEATS.values(), ids=CHEATS)
def test_no_cheat_is_accepted(body):
    steps = [FIRST_CELL]
    for id in CHEATED:
        exercise = EXERCISES[id]
        code = dedent(body).format(id=id, arguments=", ".join(exercise.arguments))
        right = f"{COURSE.solution_source(exercise)}\n\nright = {exercise.name}\n\n"
        steps += [f"{right}def {exercise.signature}:\n{indent(code, '    ')}", Answer(id, exercise.name)]
    reasons = grading_rerun.rerun(COURSE, steps, SEED)
    assert len(reasons) > 3 and all(reasons), reasons


def test_an_answer_that_cannot_be_stopped_is_refused(monkeypatch):
    """Here, an answer has 5 seconds."""
    hurried = "from feedback import grading_worker as worker; worker.LONGEST_TASK = 5; worker.main()"
    started = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda command, **rest: started([command[0], "-c", hurried], **rest))
    attempt = "        try:\n            time.sleep(1)\n        except BaseException:\n            pass"
    never = f"def row_means(x):\n    while True:\n{attempt}"
    reasons = grading_rerun.rerun(COURSE, ["import time", never, Answer("0.1", "row_means")], SEED)
    assert reasons == [grading_rerun.UNFINISHED]


def graded(source, **more):
    marks = {"grade": True, "solution": False, "points": 1, "cell_type": "code", **more}
    return new_code_cell(source, metadata={"nbgrader": marks})


GRADE = "from exercises import grade\n\ngrade('0.1', row_means)"


def test_a_notebook_that_ends_its_process_keeps_the_points_above_and_a_refusal_says_what_happened(
    monkeypatch, tmp_path
):
    """The first three cells are graded by people and run whatever they contain. The last but one ends the process."""
    cells = [
        graded("%precision 3\ndef row_means(x):\n    return x.mean(dim=1)", solution=True),
        graded("def unfinished(", solution=True),
        graded("%time row_means(0)"),
        graded(GRADE, grade_id="right"),
        new_code_cell("def row_means(x):\n    raise ValueError('no means')"),
        graded(GRADE, grade_id="raises"),
        new_code_cell("import os; os._exit(0)"),
        graded(GRADE, grade_id="after the end"),
    ]
    limits, started = [], grading_rerun._run_afresh

    def run(sent, limit, folder):
        limits.append(limit)
        return started(sent, limit, folder)

    monkeypatch.setattr(grading_rerun, "_run_afresh", run)
    notebook, _ = Judge(seed=7).preprocess(new_notebook(cells=cells), {"metadata": {"path": str(tmp_path)}})
    assert limits == [45 * (1 + 7)]  # seconds, for the start and each step; cells that people grade do not count
    right, raises, after_the_end = ([output.evalue for output in notebook.cells[i].outputs] for i in (3, 5, 7))
    assert right == []
    [raised], [ended] = raises, after_the_end
    assert "row_means raised an error there: " in raised and "no means" in raised
    assert "a cell or an answer ended the process, " in ended
