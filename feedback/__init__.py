"""An engine that runs a learner's answer to an exercise and tells which mistake it makes.

README.md shows which modules call which during a check. All modules are listed here in reading order; except in type
hints, a module imports only modules listed above it:

What a learner sees
    tree              walks through results: tensors, lists, numbers, strings, and nested tuples of these
    markup            the HTML of boxes in a notebook
    report            a Report, as plain text and as a card
    format            formats values for reports
    display           shows source code, live views and verdicts in a notebook

What an exercise is
    exercise          test cases, misconceptions, properties, behavioral tests
    page              the notation of an exercise's page, and its parser
    page_code         compiles the code on a page
    page_exercise     builds an exercise from its page and the module next to it

Observe: each input is run once
    source            inspects an attempt: did its cell run? is it a stub? which notebook variables does it read?
    kernel_state      saves and restores what a learner's code may change for the whole notebook
    sandbox           runs a learner's code once, safely, and records what happens
    devices           runs answers that only work on the CPU when the tensors are on a GPU
    errors            what an exception usually means, and which exceptions are of the same kind
    compare           whether two results are equal, and whether two pieces of code behave alike
    observations      the results of an attempt and of the course's own code

Judge
    judge_contract    what may be handed in, and the type, shape, dtype and device of a result
    judge_mistakes    which known mistake an attempt makes

Explain
    explainers        sentences made from the learner's own numbers
    explain_errors    what a card says about code that does not run or raises an exception
    explain_numbers   what a card says about wrong numbers
    explain           what a card says about all other findings, and about right answers

Check
    checker           takes these steps in order, from an attempt to a report

A course
    exercise_package  loads the exercises of a package, also with hidden inputs
    files             writes files and appends lines, either whole or not at all
    store             the record of attempts and predictions, one line for each
    answers           saves the source of answers that passed
    buttons           the buttons of a prediction, in a notebook
    prediction        questions to answer before the next cell is run, and their pages
    notebooks         the notebooks of a course, their sections and exercises, and links into them
    progress          what is solved and what is left, in one notebook and in all
    explain_course    what a card says about hints, next steps and unknown ids
    grading           what a grader sees: a message, and an exception if the answer is not right
    course            check, grade, hint, solution, progress, predict and yours, for a package of exercises

Confirm graded answers
    grading_worker    the fresh process in which a notebook's code runs again
    grading_rerun     judges the answers from that process; points depend on it
    grading_nbgrader  two autograding steps for nbgrader

For authors
    audit             finds flaws in the known mistakes and inputs of an exercise
    contract_answers  wrong answers that break the contract, made from a reference
    pytest_plugin     tests the promises that every exercise must keep
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
    """Import the names above on first use, since the start of the course needs some modules but not PyTorch."""
    if name in __all__:
        home = "sandbox" if name == "ContractViolation" else "exercise"
        return getattr(importlib.import_module(f"feedback.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
