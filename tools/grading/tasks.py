"""What assignments are made of: the exercises, each with its text, its empty cell, its answer and its points."""

from dataclasses import dataclass

from exercises import COURSE, EXERCISES
from exercises.notebooks import NOTEBOOKS
from feedback import notebooks
from tools import Problem

FIRST_CELL = """\
# Run me first. Where the course is not installed, I look for it in the folders around this notebook.
import math
import os
import sys

sys.path += [os.path.abspath(place) for place in ("..", "../..") if os.path.exists(f"{place}/helpers")]

import torch
import torch.nn.functional as F
from torch import nn

from helpers import heads, masks"""


@dataclass(frozen=True)
class Task:
    """One exercise as it is handed out.

    text      the Markdown cell above it in the notebook
    stub      the cell that students complete
    solution  a right answer, with the imports that it needs
    """

    id: str
    name: str
    text: str
    stub: str
    solution: str
    points: int

    @property
    def slug(self):
        """The exercise's name in the graders' records."""
        return "exercise-" + self.id.replace(".", "-")


@dataclass(frozen=True)
class Assignment:
    """What is handed out in one notebook: `title` is its heading, `name` that of its files."""

    name: str
    title: str
    tasks: tuple[Task, ...]

    @property
    def heading(self):
        points = sum(task.points for task in self.tasks)
        return (
            f"# {self.title}\n\n"
            f"{len(self.tasks)} exercises, {points} points: an exercise has as many as filled circles. Replace the "
            "three dots, and run the cell below each exercise, as often as you like: it prints what it finds. These "
            "cells give the points when your work is graded. They also try your code on hidden inputs, so that code "
            "which only repeats known results gets no points; code that computes its result passes on both."
        )


def assignments(ids, name):
    """All exercises by notebook, or those with these ids in one assignment.

    Errors: Problem if an exercise does not exist
    """
    unknown = [id for id in ids if id not in EXERCISES]
    if unknown:
        raise Problem(f"There is no exercise {unknown[0]}: the exercises are {', '.join(EXERCISES)}.")
    if ids:
        return [Assignment(name, "Attention by Hand", tuple(task(id) for id in EXERCISES if id in ids))]
    return [whole(notebook) for notebook in NOTEBOOKS]


def whole(notebook):
    """The exercises of one notebook of the course."""
    ids = COURSE.contents.belonging(EXERCISES, notebook)
    return Assignment(notebook.file.removesuffix(".ipynb"), notebook.name, tuple(map(task, ids)))


def task(id):
    exercise = EXERCISES[id]
    cells = notebooks.read(COURSE.contents.folder / COURSE.contents.of(id).file)
    stub = notebooks.statements(cells)[id].stub
    text, stub = cells[cells.index(stub) - 1]["source"], stub["source"]
    if not text.startswith("#"):
        text = f"### Exercise {exercise.id}: `{exercise.name}` {exercise.stars}\n\n{text}"
    return Task(id, exercise.name, text, stub, COURSE.solution_source(exercise), exercise.difficulty)


def grading(task):
    """A cell that grades an answer. It imports `grade` itself, in case a student has defined another one."""
    return f'from exercises import grade\n\ngrade("{task.id}", {task.name})'
