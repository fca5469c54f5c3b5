"""A course: a package of exercises, and the functions that its learners call."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import torch

from feedback import checker, explain_course, explain_errors, grading, prediction, sandbox, source
from feedback.answers import Answers
from feedback.devices import on_any_device
from feedback.display import Source, show_below_next_output
from feedback.exercise import Exercise
from feedback.exercise_package import Exercises, Heading, HiddenExercises
from feedback.notebooks import Contents, Notebook, Step
from feedback.page_code import free_names
from feedback.prediction import Prediction, Question, Reply
from feedback.progress import CourseOverview, Item, NotebookOverview, NotebookProgress
from feedback.report import SOLVED, Report
from feedback.store import Store

MISSING: Any = object()  # the default of an argument that was not given


class Course:
    """A course, whose methods are the functions that learners and graders call.

    package, folder  the package of the exercises and predictions, and its folder
    contents         the notebooks
    own              other modules and packages of the course: solutions import from them, and no line in them is
                     shown as the learner's
    progress         the file in which a learner's progress is kept, or a function that returns it; None for memory
    answers          the folder in which answers that passed are kept, in the same way
    solutions        whether `solution` shows solutions, and cards mention it
    debug            whether an exception in the checker is raised, instead of reported as the course's mistake
    """

    def __init__(
        self,
        package: str,
        folder: str,
        contents: Contents,
        own: tuple[str, ...] = (),
        progress: Path | Callable[[], Path | None] | None = None,
        answers: Path | Callable[[], Path | None] | None = None,
        solutions: bool = True,
        debug: bool = False,
    ) -> None:
        self.package, self.own, self.debug = package, (package, *own), debug
        sandbox.declare_foreign(*self.own)
        self.exercises = Exercises(package, folder)
        self.hidden = cache(partial(HiddenExercises, package, folder))  # by the seed of their inputs
        self.contents, self._folder = contents, folder
        self.store = Store(progress)
        self.answers, self.solutions = Answers(answers), solutions
        self._passed: dict[str, Any] = {}  # the answers that passed in this kernel, by exercise id
        source.answer_undefined_names(self._undefined)

    @cached_property
    def predictions(self) -> dict[str, Prediction]:
        return prediction.load(self._folder)

    def check(self, exercise_id: Any, attempt: Any = MISSING, record: bool = True) -> Report:
        """Run an answer, and report whether it is right or which mistake it makes.

        With record=False, progress() does not count it, yours() does not use it, and a right one gets no next step.

        Shapes: the exercise says them in its docstring
        Units:  the Report's status is "not attempted", "correct", "limited" (right, but it fails on an input that is
                shown), "wrong" or "error"; its diagnosis is the id of a known misconception or None; its message is
                what the card says
        Errors: none; whatever goes wrong is in the Report
        Source: notebook 00
        """
        exercise = self._find(exercise_id)
        if exercise is None:
            return self._unknown(exercise_id)
        if attempt is MISSING:
            return explain_course.no_attempt(exercise)
        report, at_fault = self._judged(exercise, attempt)
        if at_fault:
            return report
        if (
            record
            and report.status != "not attempted"
            and not (report.solved and self._passes_again(exercise.id, attempt))
        ):
            self.store.note(exercise.id, report.status, report.diagnosis)
        if report.solved and not record:
            return report
        step = self.after(exercise.id) if report.solved else None
        unsaved = self.store.trouble if record else ""
        next_steps = explain_course.next_steps(exercise, report, step, self.solutions, unsaved)
        return replace(report, parts=(*report.parts, *next_steps))

    def _passes_again(self, exercise_id: str, attempt: Any) -> bool:
        """Remember an answer that passed; return whether it had passed before, as when all cells are run again."""
        self._passed[exercise_id] = attempt
        is_kept = self.answers.keep(exercise_id, attempt)
        return is_kept and self.store.load().get(exercise_id) in SOLVED

    def _undefined(self, exercise_id: str, name: str) -> Report | None:
        """The report on an answer that no cell has defined; None unless `name` is that of the exercise's answer."""
        exercise = self._find(exercise_id)
        if exercise is None or exercise.name != name:
            return None
        slip = source.syntax_error(name)
        return explain_errors.did_not_run(exercise, slip) if slip else explain_errors.undefined(exercise)

    def grade(self, exercise_id: Any, attempt: Any, seed: int = 1) -> None:
        """Judge an answer for a grader: print the report as text, and raise an exception if the answer is not right.

        An answer that `check` accepts is also tried on hidden inputs, where one that repeats known results fails.
        Nothing is recorded, and an answer with a limit counts as right.

        Units:  seed chooses the hidden inputs: a whole number from 1
        Errors: NotYet, an AssertionError, with the diagnosis; LookupError if there is no such exercise; ValueError for
                another seed
        Source: classroom/grading.md
        """
        exercise, hidden = self._find(exercise_id), self.hidden(grading.valid_seed(seed))
        if exercise is None:
            raise LookupError(self._unknown(exercise_id).parts[0].plain())
        report, _ = self._judged(exercise, attempt)
        grading.print_verdict(report, self._judged(hidden[exercise.id], attempt)[0] if report.solved else None)

    def _judged(self, exercise: Exercise, attempt: Any) -> tuple[Report, bool]:
        """The report on an answer, and whether the checker itself failed, which says nothing about the answer."""
        if source.has_same_code(attempt, exercise.given):
            return explain_course.unchanged(exercise), False
        try:
            slip = source.syntax_error(exercise.name)
            return explain_errors.did_not_run(exercise, slip) if slip else checker.check(exercise, attempt), False
        except Exception as error:
            line = sandbox.learner_line(error)
            if line:
                return explain_errors.raises_when_read(exercise, error, line), False
            if self.debug:
                raise
            return explain_course.own_fault(exercise, error), True

    def hint(self, exercise_id: Any, number: int = 1) -> Report:
        """One hint of an exercise; later hints say more.

        Errors: none; a number that does not exist is answered with the ones that do
        Source: notebook 00
        """
        exercise = self._find(exercise_id)
        if exercise is None:
            return self._unknown(exercise_id)
        return explain_course.hint(exercise, number, self.solutions)

    def solution(self, exercise_id: Any) -> Source | Report:
        """The source of a right answer, as text that runs in a notebook.

        Errors: none; an unknown exercise is answered with the known ones, and a copy without solutions says so
        Source: notebook 00
        """
        exercise = self._find(exercise_id)
        if exercise is None:
            return self._unknown(exercise_id)
        if not self.solutions:
            return explain_course.no_solution(exercise)
        return Source(f"# A solution of exercise {exercise.title}\n{self.solution_source(exercise)}")

    def solution_source(self, exercise: Exercise) -> str:
        """The reference with the imports that a notebook may lack: the course's names that it uses, and math."""
        reference: Any = exercise.reference
        source, module = inspect.getsource(reference), sys.modules[reference.__module__]
        read = free_names(source)
        prefixes = tuple(f"{name}." for name in self.own)
        own = [
            name
            for name, value in vars(module).items()
            if name in read
            and (
                f"{getattr(value, '__module__', '')}.".startswith(prefixes)
                if inspect.isroutine(value) or isinstance(value, type)
                else name.isupper() and isinstance(value, (str, int, float))  # such as UNKNOWN = "<unk>"
            )
        ]
        origins = {name: getattr(getattr(module, name), "__module__", module.__name__) for name in own}
        lines = [
            f"from {origin} import {', '.join(n for n in own if origins[n] == origin)}"
            for origin in dict.fromkeys(origins.values())
        ]
        if "math" in read:
            lines = ["import math", *([""] if lines else []), *lines]
        return "\n".join([*lines, "", "", source]) if lines else source

    def reference(self, exercise_id: str) -> Callable:
        """The course's own answer to an exercise: a function or a class.

        Errors: KeyError if there is no such exercise
        Source: notebook 07
        """
        return self.exercises[exercise_id].reference

    def predict(self, prediction_id: Any, answer: Any = None) -> Question | Reply | Report:
        """Ask for a prediction, with a button for each answer; or give the answer, as in predict("02.cards", "b").

        Errors: none; an unknown id or answer is answered with the known ones
        Source: notebook 02
        """
        asked = self.predictions.get(str(prediction_id).strip())
        if asked is None:
            return explain_course.unknown("prediction", prediction_id, self.predictions)
        if answer is None:
            chosen = self.store.choices().get(asked.id)
            if chosen and chosen in asked.answers:
                show_below_next_output(asked.id, asked.verdict(chosen))
            return Question(asked, chosen, lambda letter: self._choose(asked, letter))
        letter = str(answer).strip().lower()
        if letter not in asked.answers:
            return explain_course.unknown_answer(asked, answer)
        return self._choose(asked, letter)

    def _choose(self, asked: Prediction, letter: str) -> Reply:
        """Record a choice. In a notebook, the verdict is shown only below the next output."""
        self.store.choose(asked.id, letter)
        verdict = asked.verdict(letter)
        return asked.noted(letter) if show_below_next_output(asked.id, verdict) else verdict

    def yours(self, exercise_id: Any, attempt: Any = None) -> Any:
        """The learner's own answer if it passed its check in this kernel, else the course's.

        Errors: LookupError if there is no such exercise
        Source: notebook 02
        """
        exercise = self._find(exercise_id)
        if exercise is None:
            raise LookupError(self._unknown(exercise_id).parts[0].plain())
        passed = self._passed.get(exercise.id)
        if passed is not None and (attempt is None or attempt is passed):
            return _on_any_device(exercise, passed)
        return exercise.reference

    def progress(self, notebook: Any = None) -> CourseOverview | NotebookOverview | Report:
        """What is solved and what is left: in the whole course, or in one notebook, as in progress("02").

        Errors: none; an unknown notebook is answered with the known ones, and damaged lines of the record are skipped
        Source: notebook 00
        """
        tried, chosen = self.store.load(), self.store.choices()
        if notebook is None:
            parts = {
                name: [self._progress_in(each, tried, chosen) for each in some]
                for name, some in self.contents.parts.items()
            }
            return CourseOverview(parts, self.store.trouble)
        found = self.contents.of(notebook)
        if found is None:
            known = [each.number for each in self.contents.notebooks]
            return explain_course.unknown("notebook", notebook, known, title="progress")
        here = self._progress_in(found, tried, chosen)
        return NotebookOverview(here, self.contents.following(found), self.store.trouble)

    def _progress_in(self, notebook: Notebook, tried: dict[str, str], chosen: dict[str, str]) -> NotebookProgress:
        exercises = map(self.exercises.heading, self.contents.belonging(self.exercises, notebook))
        predictions = (self.predictions[id] for id in self.contents.belonging(self.predictions, notebook))
        return NotebookProgress(
            notebook,
            tuple(self._exercise(exercise, tried.get(exercise.id, "not attempted")) for exercise in exercises),
            tuple(self._prediction(asked, chosen.get(asked.id)) for asked in predictions),
        )

    def _exercise(self, exercise: Heading, status: str) -> Item:
        state = "done" if status in SOLVED else "open" if status == "not attempted" else "again"
        why = f"tried, not solved yet; {exercise.minutes} min"
        return Item(exercise.title, self.contents.link(exercise.id), state, why, exercise.minutes)

    def _prediction(self, asked: Prediction, letter: str | None) -> Item:
        state = "done" if letter == asked.right else "again" if letter in asked.answers else "open"
        why = f"you chose ({letter}); the output says otherwise"
        return Item(f"prediction {asked.id}", self.contents.link(asked.id), state, why)

    def after(self, exercise_id: str) -> Step | None:
        """What comes after an exercise: the next one in its notebook, else the next notebook; None after the last.

        A core exercise never leads to one in a deeper section.
        """
        notebook = self.contents.of(exercise_id)
        if notebook is None:
            return None
        ids = self.contents.belonging(self.exercises, notebook)
        if exercise_id in ids[:-1]:
            id = ids[ids.index(exercise_id) + 1]
            if (self.contents.kind(exercise_id), self.contents.kind(id)) == ("core", "deeper"):
                return Step("the rest of the core", "")
            return Step(f"exercise {self.exercises.heading(id).title}", self.contents.link(id))
        later = self.contents.following(notebook)
        return Step(f"notebook {later.name}", later.file) if later else None

    def _find(self, exercise_id: Any) -> Exercise | None:
        return self.exercises.get(str(exercise_id).strip())

    def _unknown(self, exercise_id: Any) -> Report:
        return explain_course.unknown("exercise", exercise_id, self.exercises)


def _on_any_device(exercise: Exercise, attempt: Any) -> Any:
    """Prepare a learner's answer for later cells, whose tensors are on a GPU if there is one."""
    if exercise.runner.kind == "function" and torch.cuda.is_available():
        return on_any_device(attempt, exercise.title)
    return attempt
