"""Write classroom/index.md: symptom, misconception, section and question, for everything that the checks can name.

    python -m tools.guide

What a mistake means and what to ask about it are the class view's texts, which are those of the exercises. The symptom
is found by running the mistake: does it raise, does the shape differ, are there NaN, which property is missing?
"""

import torch

from exercises import EXERCISES
from feedback import tree
from feedback.compare import allclose, same_shapes
from feedback.contract import violation
from feedback.exercise import Comparison
from feedback.observations import known
from feedback.sandbox import session
from tools.classroom import catalog
from tools.classroom.general import GENERAL
from tools.sections import ROOT, all_sections

INDEX = ROOT / "classroom" / "index.md"
RAISES, SHAPE, NAN, NUMBERS = "An error.", "Another shape, type or length.", "NaN or infinity.", "Wrong numbers."
BEHAVIOR = "Right or nearly right numbers; a test of behavior fails."
HEAD = """# From the symptom to the question

*Generated from the exercises by `python -m tools.guide`: do not edit it by hand. Its use: [guide](guide.md).*

Find the exercise that the student is working on, then what you see on the screen, and ask the question instead of
giving the answer. The card that `check` shows names the same misconception and asks the same question. Each mistake was
run to see what it looks like; where a symptom names an input, the answer is right on the inputs tried before that one.
"""


def index():
    """The whole text."""
    texts = catalog.load().exercises
    parts, number = [HEAD], None
    for section in all_sections():
        for id in section.exercises:
            if section.notebook != number:
                number = section.notebook
                parts.append(f"## {texts[id].notebook} {title_of(number)}\n")
            head = (
                f"### {id} `{texts[id].name}`\n\nSection *{section.title}* ({section.kind} · {section.minutes} min)\n\n"
            )
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
    return " ".join(text.split()).replace("|", "\\|")


# ---- what a mistake looks like


def symptoms(exercise):
    """{misconception: what can be seen where it first differs from a right answer}, and its own id for a property."""
    found = {wanted.id: f"{NUMBERS[:-1]}: {wanted.id.replace('-', ' ')}." for wanted in exercise.properties}
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
            return difference(exercise, i, code, record.value)
    return BEHAVIOR


def difference(exercise, index, code, value):
    summarized, right = hasattr(exercise.comparison, "summary"), known(exercise).summaries[index]
    if not same_shapes(value, right) or not summarized and violation(exercise, code, (), value, right):
        return SHAPE
    if has_nan(value) and not has_nan(right):
        return NAN
    if index:
        return f"Wrong numbers, but only on some inputs, such as {exercise.cases[index].name}."
    if summarized:  # properties want the numbers, and these are summaries of them
        return NUMBERS
    compared = Comparison(exercise.cases[index].args, tree.detach(right), tree.detach(value), exercise.returns)
    missing = next((wanted.id for wanted in exercise.properties if wanted.test(compared)), None)
    return f"{NUMBERS[:-1]}: {missing.replace('-', ' ')}." if missing else NUMBERS


def has_nan(value):
    if isinstance(value, (tuple, list)):
        return any(map(has_nan, value))
    return isinstance(value, torch.Tensor) and value.is_floating_point() and not value.isfinite().all()


def write():
    INDEX.write_text(index(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write()
    print(f"{INDEX.relative_to(ROOT)} is written.")
