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


def cheating():
    """(kind, id, steps) for each cheat in each of some exercises."""
    for kind, body in CHEATS.items():
        for id in CHEATED:
            exercise = EXERCISES[id]
            code = dedent(body).format(id=id, arguments=", ".join(exercise.arguments))
            right = f"{COURSE.solution_source(exercise)}\n\nright = {exercise.name}\n\n"
            answer = f"{right}def {exercise.signature}:\n{indent(code, '    ')}"
            yield kind, id, [FIRST_CELL, answer, Answer(id, exercise.name)]


def right():
    """("right", id, steps) for the first right answer in the bank of each exercise."""
    package = importlib.import_module(COURSE.package)
    cloudpickle.register_pickle_by_value(package)  # the process cannot import the course
    for id, exercise in EXERCISES.items():
        sent = cloudpickle.dumps(exercise.banks().right[0].code)
        yield "right", id, [f"import pickle\n{exercise.name} = pickle.loads({sent!r})", Answer(id, exercise.name)]
    cloudpickle.unregister_pickle_by_value(package)


def of_many():
    """{kind: {id: why it is not accepted}}, in one process for all that does not write into what the process says."""
    found, tried = {}, [*right(), *cheating()]
    for writes in (False, True):
        here = [each for each in tried if ("writes" in each[0]) == writes]
        reasons = grading_rerun.rerun(COURSE, [step for _, _, steps in here for step in steps], SEED)
        for (kind, id, _), why in zip(here, reasons, strict=True):
            found.setdefault(kind, {})[id] = why
    return found


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


def in_a_notebook():
    """The time in seconds that a notebook has, and what its graded cells say in the end.

    The first three are graded by people, may hold anything, and are run. The last cell but one ends the process.
    """
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

    with patch.object(grading_rerun, "_run_afresh", run):
        notebook, _ = Judge(seed=7).preprocess(new_notebook(cells=cells), {"metadata": {"path": "."}})
    marks = [cell.metadata.get("nbgrader", {}) for cell in notebook.cells]
    said = [[output.evalue for output in cell.outputs] for cell in notebook.cells]
    return limits, {mark["grade_id"]: texts for mark, texts in zip(marks, said, strict=True) if "grade_id" in mark}


if __name__ == "__main__":
    print(json.dumps({"many": of_many(), "resisting": resisting(), "notebook": in_a_notebook()}))
