"""How the course answers: check an exercise, ask for a hint, see the solution, look at what is done.

    check("3.3", mask_by_filling)   what is right, or what is wrong and why
    hint("3.3"), hint("3.3", 2)     a nudge, then a stronger one
    solution("3.3")                 a right answer, to read after trying
    progress()                      all exercises, and which are solved

`catalogue` says what an exercise is made of, `exercises_NN` hold them, `running` runs code safely,
`judge` decides, `card` shows. `chance` says what random results have in common.
"""

import importlib
import inspect
import pkgutil
import re

from helpers.checks import record
from helpers.checks.card import Report
from helpers.checks.judge import verdict
from helpers.checks.shown import Source, Table

EXERCISES = {exercise.id: exercise for module in sorted(m.name for m in pkgutil.iter_modules(__path__))
             if module.startswith("exercises_")
             for exercise in importlib.import_module(f"{__name__}.{module}").EXERCISES}


def check(exercise_id, attempt):
    """Try an answer and say what it is.

    Shapes: the exercise says them in its docstring
    Units:  the Report's status is "not attempted", "correct", "wrong" or "error"; its diagnosis is
            the id of a known misconception or None; its message is what the card says
    Errors: none; whatever goes wrong is in the Report
    Source: notebook 00
    """
    exercise = _find(exercise_id)
    if exercise is None:
        return _unknown(exercise_id)
    try:
        found = verdict(exercise, attempt)
    except Exception as error:  # a result so odd that even looking at it fails: still a card, no traceback
        return Report(exercise.id, _title(exercise), "error", (
            ("say", f"The checker could not look at this answer ({type(error).__name__}): return plain torch tensors."),
        ))
    record.note(exercise.id, found.status)
    return Report(exercise.id, _title(exercise), found.status, found.parts, found.diagnosis)


def hint(exercise_id, number=1):
    """One of the hints of an exercise; the later ones say more.

    Errors: none; a number that does not exist is answered with the ones that do
    Source: notebook 00
    """
    exercise = _find(exercise_id)
    if exercise is None:
        return _unknown(exercise_id)
    hints = exercise.hints
    if number not in range(1, len(hints) + 1):
        return Report(exercise.id, _title(exercise), "hint", (
            ("say", f"Exercise {exercise.id} has {len(hints)} hints: 1 to {len(hints)}, got {number!r}."),))
    more = f'hint("{exercise.id}", {number + 1})' if number < len(hints) else f'solution("{exercise.id}")'
    return Report(exercise.id, f"{_title(exercise)}, {number} of {len(hints)}", "hint",
                  (("say", hints[number - 1]), ("next", more)))


def reference(exercise_id):
    """The course's own answer to an exercise: a function or a class.

    Errors: KeyError if there is no such exercise
    Source: notebook 07
    """
    return EXERCISES[exercise_id].solution


def solution(exercise_id):
    """The source of a right answer: the function of `helpers` itself.

    Errors: none; an unknown exercise is answered with the known ones
    Source: notebook 00
    """
    exercise = _find(exercise_id)
    return _unknown(exercise_id) if exercise is None else Source(solution_source(exercise))


def solution_source(exercise):
    """The solution as text that runs in a notebook, with the imports that the notebook may lack."""
    source = inspect.getsource(exercise.solution)
    module = inspect.getmodule(exercise.solution)
    bases = getattr(exercise.solution, "__bases__", ())
    own = [name for name, value in vars(module).items()
           if (inspect.isroutine(value) and f"{name}(" in source or value in bases)
           and getattr(value, "__module__", "").startswith("helpers.") and name != exercise.name]
    own += [name for name, value in vars(module).items()  # such as UNKNOWN = "<unk>"
            if name.isupper() and isinstance(value, (str, int, float)) and re.search(rf"\b{name}\b", source)]
    origins = {name: getattr(getattr(module, name), "__module__", module.__name__) for name in own}
    lines = [f"from {origin} import {', '.join(n for n in own if origins[n] == origin)}"
             for origin in dict.fromkeys(origins.values())]
    return "\n".join([*lines, "", "", source]) if lines else source


def progress():
    """All exercises with their state, as a table.

    Errors: none; a record that cannot be read is set aside and a new one begun
    Source: notebook 00
    """
    done = record.load()
    states = {id: done.get(id, {}).get("status", "not attempted") for id in EXERCISES}
    rows = [(e.id, e.name, e.stars, f"{e.minutes} min", _STATES[states[e.id]]) for e in EXERCISES.values()]
    solved = list(states.values()).count("correct")
    return Table(f"{solved} of {len(rows)} exercises solved", ("exercise", "name", "", "about", "state"), rows)


_STATES = {"correct": "✓ correct", "wrong": "tried", "error": "tried", "not attempted": ""}


def _find(exercise_id):
    return EXERCISES.get(str(exercise_id).strip())


def _title(exercise):
    return f"{exercise.id} {exercise.name}"


def _unknown(exercise_id):
    known = ", ".join(EXERCISES)
    return Report(str(exercise_id), f"exercise {exercise_id!r}", "error",
                  (("say", f"There is no exercise {exercise_id!r}. The exercises are {known}."),))
