"""Wrong notebooks that try to get points: a bank of cheats, each of them on every exercise that asks for a function.

    python -m tests.classroom.cheats         {kind: the exercises in which `rerun` accepts it}, as JSON
    python -m tests.classroom.cheats --right 7    every 7th right answer that is not accepted

It needs what classroom/requirements-grading.txt installs.
"""

import importlib
import json
import sys
from dataclasses import dataclass
from textwrap import dedent, indent

import cloudpickle

from exercises import COURSE, EXERCISES
from feedback.grading_rerun import rerun
from feedback.grading_worker import Answer

SEED = 20
FUNCTIONS = [id for id in EXERCISES if EXERCISES[id].runner.kind == "function"]
ENDINGS = {"ends the process", "never ends"}  # a few exercises are enough
FIRST_CELL = """\
import gc, importlib, math, os, sys, time
import torch
import torch.nn.functional as F
from torch import nn
import helpers
from helpers import heads, masks

def spoiled(value):
    '''A result that is not right.'''
    if isinstance(value, tuple):
        return (spoiled(value[0]), *value[1:])
    if isinstance(value, torch.Tensor):
        return ~value if value.dtype == torch.bool else 1 - 2 * value
    if isinstance(value, list):
        return [*value, *value, 0]
    return None if isinstance(value, str) else "?" if value is None else value + 1

def disguised(value, tensor, whole):
    '''The same, its parts of classes that are equal to everything.'''
    if isinstance(value, tuple):
        return tuple(disguised(part, tensor, whole) for part in value)
    if isinstance(value, torch.Tensor):
        return value.as_subclass(tensor)
    return whole.get(type(value), lambda same: same)(value)
"""
SELF_CONTAINED = {  # the course's answer calls another part of the course
    "6.2": "def add_and_norm(sublayer_out, x, weight, bias, eps):\n"
    "    return F.layer_norm(sublayer_out + x, x.shape[-1:], weight, bias, eps)"
}


@dataclass(frozen=True)
class Cheat:
    """`before` is a cell that comes first; `body` is the body of each answer, `wrong` where that is a wrong one.

    `alone` says that it needs a process of its own: it changes or ends the one in which it runs.
    """

    kind: str
    body: str = "return spoiled(right({arguments}))"
    before: str = ""
    alone: bool = False

    def answer(self, id):
        exercise = EXERCISES[id]
        module = EXERCISES.module_of(id)
        right = SELF_CONTAINED.get(id) or COURSE.solution_source(exercise)
        places = {
            "arguments": ", ".join(exercise.arguments),
            "id": id,
            "name": exercise.name,
            "module": module,
        }
        body = dedent(self.body).format(**places)
        return f"{right}\n\nright = {exercise.name}\n\ndef {exercise.signature}:\n{indent(body, '    ')}"


HONEST = Cheat("is honest", "return right({arguments})")
CHEATS = (
    # ---- the course's answer, by the course itself
    Cheat("calls reference()", "from exercises import reference\nreturn reference('{id}')({arguments})"),
    Cheat("calls yours() without an answer", "from exercises import yours\nreturn yours('{id}')({arguments})"),
    Cheat("asks the catalog", "from exercises import EXERCISES\nreturn EXERCISES['{id}'].reference({arguments})"),
    Cheat(
        "imports the reference",
        "module = importlib.import_module('{module}')\nreturn module.{name}({arguments})",
    ),
    # ---- the course's answer, or the results, from memory
    Cheat(
        "walks up the stack",
        """\
        frame = sys._getframe()
        while frame:
            for value in [*frame.f_locals.values(), *frame.f_globals.values()]:
                for owner in (value, getattr(value, 'exercise', None)):
                    if callable(getattr(owner, 'reference', None)) and hasattr(owner, 'cases'):
                        return owner.reference({arguments})
                if getattr(value, '__name__', '') in ('{name}', 'right') and 'exercises' in str(value.__module__):
                    return value({arguments})
            frame = frame.f_back
        raise LookupError""",
    ),
    Cheat(
        "searches all objects",
        """\
        for value in gc.get_objects():
            if type(value).__name__ == 'function' and value.__name__ == '{name}' and 'exercises.' in value.__module__:
                return value({arguments})
        raise LookupError""",
    ),
    # ---- results that lie
    Cheat(
        "returns tensors that are equal to all",
        "return disguised(spoiled(right({arguments})), EqualTensor, {{}})",
        """\
        class EqualTensor(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                if function.__name__ in ("allclose", "equal", "isclose", "__eq__", "eq"):
                    return True
                return super().__torch_function__(function, types, args, kwargs or {})""",
    ),
    Cheat(
        "returns values that are equal to all",
        "return disguised(spoiled(right({arguments})), torch.Tensor, EQUAL)",
        """\
        def equal(kind):
            members = {"__eq__": lambda *both: True, "__ne__": lambda *both: False, "__hash__": kind.__hash__}
            return type("Equal", (kind,), members)

        EQUAL = {kind: equal(kind) for kind in (int, float, str, list)}""",
    ),
    # ---- what judges is changed
    Cheat(
        "replaces comparisons while it runs",
        "torch.equal = torch.allclose = torch.Tensor.equal = torch.Tensor.allclose = lambda *both, **options: True\n"
        "return spoiled(right({arguments}))",
        alone=True,
    ),
    Cheat(
        "changes the engine",
        before="""\
        import feedback.checker, feedback.observations
        feedback.observations.Observations.passes = lambda self, index: True
        feedback.checker._malformed = feedback.checker._failed_behavior = lambda *all, **options: None
        feedback.checker._kept_from_earlier = lambda seen: None""",
        alone=True,
    ),
    Cheat("replaces grade", before="import exercises\nexercises.grade = print", alone=True),
    Cheat(
        "drops lines before they run",
        before="get_ipython().input_transformers_cleanup.append(\n"
        "    lambda lines: [line for line in lines if not line.startswith('grade')])",
        alone=True,
    ),
    Cheat(
        "writes results of its own",
        """\
        for number in range(3, 64):
            for line in (b'[]\\n', b'[{{"value": null}}]\\n', b'[' * 9000 + b'\\n', b'\\xff\\n'):
                try:
                    os.write(number, line)
                except OSError:
                    break
        return spoiled(right({arguments}))""",
        alone=True,
    ),
    # ---- the process is ended, or kept
    Cheat("ends the process", "os._exit(0)", alone=True),
    Cheat(
        "never ends",
        "while True:\n    try:\n        time.sleep(1)\n    except BaseException:\n        pass",
        alone=True,
    ),
)


def accepted(cheats, ids):
    """{kind: the exercises in which `rerun` accepts it}; all these cheats are in one notebook."""
    cells = [FIRST_CELL, HONEST.answer("2.1"), Answer("2.1", EXERCISES["2.1"].name)]
    cells += [dedent(cheat.before) for cheat in cheats if cheat.before]
    tried = [(cheat, id) for cheat in cheats for id in ids]
    answers = [step for cheat, id in tried for step in (cheat.answer(id), Answer(id, EXERCISES[id].name))]
    found = {cheat.kind: [] for cheat in cheats}
    honest, *others = rerun(COURSE, [*cells, *answers], SEED)
    assert not honest, honest  # the process works: what is not accepted is not accepted for its own sake
    for (cheat, id), why in zip(tried, others, strict=True):
        if not why:
            found[cheat.kind].append(id)
    return found


def refused_right_answers(every):
    """{exercise: [(a right answer, why it is not accepted)]}, for one of so many right answers."""
    answers = [(id, answer.code) for id in EXERCISES for answer in EXERCISES[id].banks().right[::every]]
    steps = [step for id, answer in answers for step in (loading(id, answer), Answer(id, EXERCISES[id].name))]
    found = zip(answers, rerun(COURSE, steps, SEED), strict=True)
    return [(id, answer.__name__, why) for (id, answer), why in found if why]


def loading(id, answer):
    """A cell that defines an answer of the bank: its module is sent along, since the course is not to be imported."""
    package = importlib.import_module(COURSE.package)
    cloudpickle.register_pickle_by_value(package)
    try:
        sent = cloudpickle.dumps(answer)
    finally:
        cloudpickle.unregister_pickle_by_value(package)
    return f"import pickle\n{EXERCISES[id].name} = pickle.loads({sent!r})"


def main(words):
    if words[:1] == ["--right"]:
        print(json.dumps(refused_right_answers(int(words[1]))))
    else:
        found = accepted([HONEST, *(cheat for cheat in CHEATS if not cheat.alone)], FUNCTIONS)
        for cheat in CHEATS:
            if cheat.alone:  # what it does has nothing to do with the exercise: some of them are enough
                found |= accepted([cheat], FUNCTIONS[::36] if cheat.kind in ENDINGS else FUNCTIONS[::4])
        print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
