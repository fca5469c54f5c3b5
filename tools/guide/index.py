"""The index of mistakes, classroom/index.md, which git ignores: from a student's screen to the question to ask.

What a mistake means and what to ask about it are the class view's texts, which are those of the exercises. What it
looks like is found by running it: see tools/guide/symptoms.py.
"""

import re
from collections import Counter
from pathlib import Path

from exercises import EXERCISES
from tools.classroom import catalog
from tools.classroom.general import GENERAL
from tools.guide.plans import all_sections, title_of
from tools.guide.symptoms import KINDS, symptoms

INDEX = Path(__file__).resolve().parents[2] / "classroom" / "index.md"
FOUND = "The card names no mistake, only what it found"
HEAD = """# From the screen to the question

*Generated from the exercises. Its use: [guide](guide.md).*

If the card that `check` shows names a mistake, search for its first words: they are here, followed by the question to
ask instead of giving the answer. If it names none, or you see only the student's numbers, find the exercise, and then
what you see: an error, another shape, other numbers, or an input on which the numbers are wrong after others on which
they were right. The mistakes below a line in bold look the same.

Each mistake was run to see what it looks like. Numbers in messages are written n, axes are counted from 0, and of
several results those that differ are named. First come the mistakes that are most often among the wrong answers with
which the course tests its checks.
"""


def index():
    """The whole text of the index."""
    texts = catalog.load().exercises
    parts, begun = [HEAD], None
    for number, section in all_sections():
        for id in section.exercises:
            if number != begun:
                begun = number
                parts.append(f"## {title_of(number)}\n")
            where = f"Section *{section.title}* ({section.kind} · {section.minutes} min)"
            parts += [f"### {id} `{texts[id].name}`\n\n{where}\n", *entries(EXERCISES[id], texts[id])]
    parts += ["## In every exercise\n", listed(GENERAL.values())]
    return "\n".join(parts)


def own(exercise):
    """The mistakes of this exercise alone: {id: (what it means, what to ask)}."""
    return {id: text for id, text in exercise.mistakes.items() if GENERAL.get(id) != tuple(text)}


def entries(exercise, texts):
    """The mistakes of an exercise by what they look like."""
    mistakes = own(texts)
    for kind, groups in grouped(exercise, mistakes).items():
        yield f"#### {kind}\n"
        for detail, ids in groups.items():
            yield (f"**{detail}**\n\n" if detail else "") + listed(mistakes[id] for id in ids)


def grouped(exercise, mistakes):
    """{kind: {what more is seen: the mistakes that look like this}}, the most frequent ones first."""
    seen, often = symptoms(exercise), frequencies(exercise)
    found = {}
    for id in sorted(seen.keys() & mistakes.keys(), key=lambda id: (-often[id], list(mistakes).index(id))):
        found.setdefault(seen[id].kind, {}).setdefault(seen[id].detail, []).append(id)
    others = [id for id in mistakes if id not in seen]  # properties and behavioral tests
    return {kind: found[kind] for kind in KINDS if kind in found} | ({FOUND: {"": others}} if others else {})


def frequencies(exercise):
    """How many answers of the bank make each mistake."""
    return Counter(answer.expected for answer in exercise.banks().wrong)


def listed(mistakes):
    return "".join(f"- {in_a_line(means)} *Ask:* {in_a_line(ask)}\n" for means, ask in mistakes)


def in_a_line(text):
    """On one line, without what would, outside of code, be read as HTML."""
    return re.sub(r"(`[^`]*`)|<", lambda found: found[1] or "&lt;", " ".join(text.split()))
