"""Feedback on code: an engine that runs a learner's answer, and says which mistake it makes.

README.md shows who calls whom in a check. All modules, in an order in which to read them; a file imports only files
above it (but for types):

What a learner sees
    tree              results are tensors, lists, numbers, texts, or nested tuples of these
    markup            how boxes look in a notebook
    report            a Report, as text, as a card, as a dict
    format            how values are written in it
    display           source code and live views in a notebook

What an exercise is
    exercise          test cases, misconceptions, properties, behavioral tests
    page              how the page of an exercise is written, and read
    page_code         from the text of code on a page to what it defines
    page_exercise     an exercise from its page, and from the module next to it

Observe: each input is run once
    source            did the cell run? a stub, or an answer? what does it read from the notebook?
    kernel_state      what a learner's code may change for the whole notebook: it is kept, and put back
    sandbox           run a learner's code once, safely, and record what happens
    devices           answers that only work on the CPU, where tensors are on a GPU
    errors            what an exception means here, and of which kind it is
    compare           when two results, or two pieces of code, are the same
    observations      what is known of an attempt

Judge
    judge_contract    what may be handed in, and type, shape, dtype and device of a result
    judge_mistakes    which known mistake an attempt makes

Explain
    explainers        sentences made from the learner's own numbers
    explain_errors    what is said about code that does not run, or stops
    explain_numbers   what is said about wrong numbers
    explain           what is said about everything else that is found, and about right answers

Check
    checker           the order of all this: from an attempt to a report

A course
    exercise_package  the exercises of a package, also with other inputs
    files             files and lines that are written whole or not at all
    store             what has been solved and predicted, a line for each attempt and each choice
    answers           the source of answers that passed
    buttons           the buttons of a prediction, in a notebook
    prediction        questions to answer before the next cell is run, and their pages
    notebooks         the notebooks of a course, what they are made of, and links to what is in them
    progress          what is solved and what is left, in one notebook and in all
    explain_course    hints, what comes next, what does not exist
    grading           what a grader reads: a message, and one exception
    course            check, grade, hint, solution, progress, predict, yours for a package of exercises

Points that hold
    grading_worker    the process in which a notebook's code is run once more
    grading_rerun     whether answers are right there: what points depend on
    grading_nbgrader  the same for nbgrader

For authors
    audit             what known mistakes promise, computed from fingerprints
    contract_answers  wrong answers that break the contract, made from a reference
    pytest_plugin     the promises that every exercise must keep, as tests
"""

import importlib
from typing import Any

__all__ = [
    "BehavioralTest",
    "Comparison",
    "ContractViolation",
    "ExactComparison",
    "Exercise",
    "FunctionRunner",
    "Misconception",
    "ModuleRunner",
    "Property",
    "SummaryComparison",
    "TestCase",
]


def __getattr__(name: str) -> Any:
    """The names above, imported when they are used: the start of the course needs modules that do without PyTorch."""
    if name in __all__:
        home = "sandbox" if name == "ContractViolation" else "exercise"
        return getattr(importlib.import_module(f"feedback.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
