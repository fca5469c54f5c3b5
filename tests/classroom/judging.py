"""What decides about points, run where nbgrader is installed: `python -m tests.classroom.judging` prints it as JSON."""

import importlib
import json
import subprocess
from textwrap import dedent, indent
from unittest.mock import patch

import cloudpickle
from nbformat.v4 import new_code_cell, new_notebook

from exercises import COURSE, EXERCISES
from feedback import grading_rerun
from feedback.grading_nbgrader import Judge, judged
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
CHEATS = {  # the body of an answer
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


def accepted(body):
    """The exercises in which this cheat is accepted."""
    steps = [FIRST_CELL]
    for id in CHEATED:
        exercise = EXERCISES[id]
        code = dedent(body).format(id=id, arguments=", ".join(exercise.arguments))
        right = f"{COURSE.solution_source(exercise)}\n\nright = {exercise.name}\n\n"
        steps += [f"{right}def {exercise.signature}:\n{indent(code, '    ')}", Answer(id, exercise.name)]
    return [id for id, why in zip(CHEATED, grading_rerun.rerun(COURSE, steps, SEED), strict=True) if not why]


def refused():
    """(exercise, why) for each exercise whose first right answer in the bank is not accepted."""
    package = importlib.import_module(COURSE.package)
    cloudpickle.register_pickle_by_value(package)  # the process cannot import the course
    steps = []
    for id, exercise in EXERCISES.items():
        sent = cloudpickle.dumps(exercise.banks().right[0].code)
        steps += [f"import pickle\n{exercise.name} = pickle.loads({sent!r})", Answer(id, exercise.name)]
    cloudpickle.unregister_pickle_by_value(package)
    return [(id, why) for id, why in zip(EXERCISES, grading_rerun.rerun(COURSE, steps, SEED), strict=True) if why]


def of_each_cell():
    """The time in seconds that a notebook of five cells has, and why its two answers are refused."""
    limits, started = [], grading_rerun._run_afresh
    grading_rerun._run_afresh = lambda sent, limit, folder: limits.append(limit) or started(sent, limit, folder)
    answer = Answer("0.1", "row_means")
    steps = ["def row_means(x):\n    raise ValueError('no means')", answer, "import os", "os._exit(0)", answer]
    reasons = grading_rerun.rerun(COURSE, steps, 7)
    grading_rerun._run_afresh = started
    return limits, reasons


def resisting():
    """Why an answer that cannot be stopped is refused, where an answer has 5 seconds."""
    hurried = "from feedback import grading_worker as worker; worker.LONGEST_TASK = 5; worker.main()"
    started = subprocess.Popen
    attempt = "        try:\n            time.sleep(1)\n        except BaseException:\n            pass"
    never = f"def row_means(x):\n    while True:\n{attempt}"
    with patch.object(subprocess, "Popen", lambda command, **options: started([command[0], "-c", hurried], **options)):
        return grading_rerun.rerun(COURSE, ["import time", never, Answer("0.1", "row_means")], SEED)


def graded(source, **more):
    marks = {"grade": True, "solution": False, "points": 1, "cell_type": "code", **more}
    return new_code_cell(source, metadata={"nbgrader": marks})


GRADE = "from exercises import grade\n\ngrade('0.1', row_means)"


def graded_by_people():
    """What is not accepted below cells that people grade, which may hold anything and are run."""
    cells = [
        graded("%precision 3\ndef row_means(x):\n    return x.mean(dim=1)", solution=True),
        graded("def unfinished(", solution=True),
        graded("%time row_means(0)"),
        graded(GRADE),
    ]
    return [why for _, _, why in judged(new_notebook(cells=cells), COURSE, 7, ".")]


def ended():
    """The errors of a notebook's cells, of which the third one ends the process."""
    right = new_code_cell("def row_means(x):\n    return x.mean(dim=1)")
    cells = [right, graded(GRADE, grade_id="1"), new_code_cell("import os; os._exit(0)"), graded(GRADE, grade_id="2")]
    notebook, _ = Judge(seed=7).preprocess(new_notebook(cells=cells), {"metadata": {"path": "."}})
    return [[output.ename for output in cell.outputs] for cell in notebook.cells]


if __name__ == "__main__":
    found = {
        "accepted": {kind: ids for kind, body in CHEATS.items() if (ids := accepted(body))},
        "refused": refused(),
        "of each cell": of_each_cell(),
        "resisting": resisting(),
        "graded by people": graded_by_people(),
        "ended": ended(),
    }
    print(json.dumps(found))
