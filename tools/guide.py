"""Bring the instructor's guide up to date with the notebooks, and write its index.

    python -m tools.guide

In the plans of classroom/guide.md, people choose the sections, what to show and what is homework; minutes, polls and
the exercises done in class follow from that, and are written here.

classroom/index.md, which git ignores, has symptom, misconception, section and question for everything that the checks
can name. What a mistake means and what to ask about it are the class view's texts, which are those of the exercises.
The symptom is found by running the mistake: does it raise, does the shape differ, are there NaN, which property is
missing?
"""

import re
from functools import cache
from pathlib import Path

import torch

from exercises import EXERCISES
from feedback import tree
from feedback.compare import allclose, same_shapes
from feedback.contract import violation
from feedback.exercise import Comparison
from feedback.notebooks import paths, read, sections
from feedback.observations import known
from feedback.sandbox import run_trusted, session
from tools.classroom import catalog
from tools.classroom.general import GENERAL

ROOT = Path(__file__).resolve().parents[1]
GUIDE, INDEX = (ROOT / "classroom" / name for name in ("guide.md", "index.md"))
NAMED = re.compile(r"\*(\d+ · [^*]+?)\* \([^)]*\)")  # a section in the text, with its kind and minutes
PLAN = re.compile(r"(\| section \| minutes .*\n\|---.*\n)((?:\|.*\n)+)\nIn class: (\d+) minutes\.")
NONE = "–"
RAISES, SHAPE, NAN = "An error.", "Wrong shape, type or length.", "NaN or infinity."
NUMBERS, BEHAVIOR = "Wrong numbers.", "The numbers are right, or nearly; something else about the code is not."
HEAD = """# From the symptom to the question

*Generated from the exercises. Its use: [guide](guide.md).*

Find the exercise that the student is working on, then what you see on the screen, and ask the question instead of
giving the answer. The card that `check` shows names the same misconception and asks the same question. Each mistake was
run to see what it looks like; where a symptom names an input, the answer is right on the inputs tried before that one.
"""


# ---- the plans


def filled(text):
    """The guide with what the notebooks say about its sections. Errors: ValueError for what they do not have"""
    text = NAMED.sub(lambda found: f"*{found[1]}* ({(s := section(found[1])).kind} · {s.minutes} min)", text)
    return PLAN.sub(lambda found: plan(found[1], found[2].splitlines()), text)


def section(place):
    """The section that the guide calls `02 · 1. One word, two meanings`."""
    if place not in by_place():
        raise ValueError(f"The guide names {place!r}, which no notebook has. There are: {', '.join(by_place())}.")
    return by_place()[place]


@cache
def by_place():
    return {f"{number} · {each.title}": each for number, each in all_sections()}


def all_sections():
    """The sections of all notebooks, in order, each with the number of its notebook."""
    return [(number, each) for number, path in paths(ROOT / "notebooks").items() for each in sections(read(path))]


def plan(head, lines):
    rows = [plan_row(*(cell.strip() for cell in line.strip("|").split("|"))) for line in lines]
    table = "".join(f"| {' | '.join(map(str, row))} |\n" for row in rows)
    return f"{head}{table}\nIn class: {sum(row[2] for row in rows)} minutes."


def plan_row(place, _minutes, _in_class, show, _polls, _exercises, homework):
    there, home = section(place), homework.split(", ") if homework != NONE else []
    if not set(home) <= set(there.exercises):
        raise ValueError(f"The homework of {place!r} must be among its exercises, {there.exercises}; got {home}.")
    minutes = there.minutes - sum(EXERCISES[id].minutes for id in home)
    here = [id for id in there.exercises if id not in home]
    return place, f"{there.kind} {there.minutes}", minutes, show, *map(listed, (there.predictions, here, home))


def listed(ids):
    return ", ".join(ids) or NONE


# ---- the index


def index():
    """The whole text of the index."""
    texts = catalog.load().exercises
    parts, begun = [HEAD], None
    for number, each in all_sections():
        for id in each.exercises:
            if number != begun:
                begun = number
                parts.append(f"## {texts[id].notebook} {title_of(number)}\n")
            head = f"### {id} `{texts[id].name}`\n\nSection *{each.title}* ({each.kind} · {each.minutes} min)\n\n"
            parts.append(head + table(symptoms(EXERCISES[id]), own(texts[id])))
    parts.append("## In every exercise\n\n" + in_markdown(("what `check` finds", "ask"), GENERAL.values()))
    return "\n".join(parts)


def title_of(number):
    return catalog.load().notebooks[number].removeprefix(f"{number} ")


def own(exercise):
    """The mistakes of this exercise alone: {id: (what it means, what to ask)}."""
    return {id: text for id, text in exercise.mistakes.items() if GENERAL.get(id) != tuple(text)}


def table(seen, mistakes):
    """A row for each mistake, those with the same symptom together, otherwise in the order of the checks."""
    order = [RAISES, SHAPE, NAN, *dict.fromkeys(seen[id] for id in mistakes if seen[id] != BEHAVIOR), BEHAVIOR]
    rows = sorted(((seen[id], *text) for id, text in mistakes.items()), key=lambda row: order.index(row[0]))
    return in_markdown(("symptom", "misconception", "ask"), rows)


def in_markdown(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(map(in_a_cell, line))} |\n" for line in lines)


def in_a_cell(text):
    """On one line, without what would end the cell or, outside of code, be read as HTML."""
    text = " ".join(text.split()).replace("|", "\\|")
    return re.sub(r"(`[^`]*`)|<", lambda found: found[1] or "&lt;", text)


# ---- what a mistake looks like


def symptoms(exercise):
    """{misconception: what can be seen where it first differs from a right answer}, and its own id for a property."""
    found = {wanted.id: f"{NUMBERS} {catalog.what_fails(wanted.id)}" for wanted in exercise.properties}
    found |= {test.id: BEHAVIOR for test in exercise.behavioral_tests}
    with session():
        return {**found, **{each.id: symptom(exercise, each.variants[0]) for each in exercise.misconceptions}}


def symptom(exercise, code):
    """What is seen on the first input on which this code is wrong."""
    for i, case in enumerate(exercise.cases):
        record, right = known(exercise).variant(code, i), known(exercise).summaries[i]
        if record.error is not None:
            return RAISES
        if not allclose(record.value, right, case):
            return difference(exercise, i, code)
    return BEHAVIOR


def difference(exercise, index, code):
    summarized, args = hasattr(exercise.comparison, "summary"), exercise.cases[index].args
    value, right = (run_trusted(exercise.runner.call, each, args).value for each in (code, exercise.reference))
    if not same_shapes(value, right) or not summarized and violation(exercise, code, (), value, right):
        return SHAPE
    if has_nan(value) and not has_nan(right):
        return NAN
    if index:
        return f"Right on some inputs, wrong numbers on others, such as {exercise.cases[index].name}."
    if summarized:  # properties want the numbers, and these are summaries of them
        return NUMBERS
    compared = Comparison(args, tree.detach(right), tree.detach(value), exercise.returns)
    missing = next((wanted.id for wanted in exercise.properties if wanted.test(compared)), None)
    return f"{NUMBERS} {catalog.what_fails(missing)}" if missing else NUMBERS


def has_nan(value):
    if isinstance(value, (tuple, list)):
        return any(map(has_nan, value))
    return isinstance(value, torch.Tensor) and value.is_floating_point() and not value.isfinite().all()


def write():
    GUIDE.write_text(filled(GUIDE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    INDEX.write_text(index(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write()
    print(f"Up to date: {GUIDE.relative_to(ROOT)}, {INDEX.relative_to(ROOT)}")
