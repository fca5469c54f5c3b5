"""The field guide, docs/field_guide.md: from a symptom to a suspicion, a test and a remedy, on one sheet to print.

python -m tools.field_guide        writes it again from the exhibits of notebook 13
"""

from pathlib import Path

from exercises.museum.exhibits import EXHIBITS
from exercises.museum.verdicts import address

FILE = Path(__file__).parents[1] / "docs" / "field_guide.md"
TESTS = {
    "future": "The beginning of a text alone gives what it gives as a part of the whole.",
    "scale": "Scores are q · k / √D, for many D and several heads.",
    "padding": "Other words in the padding, the same outputs at real tokens.",
    "cache": "A text in pieces of any lengths gives what it gives at once, also where a past is continued twice.",
    "heads": "Other rows for head h of a projection change head h, and no other.",
    "modes": "In evaluation two calls are equal; in training they differ, and their mean is that of evaluation.",
    "permutation": "Without positions: the tokens of one item in another order, its outputs in that order, and the "
    "other items unmoved.",
    "dtype": "In float64 and on the device `meta`: all of the module moves, and float64 gives nearly the same numbers.",
    "gradients": "A random loss gives each parameter a finite gradient that is not all zeros.",
    "reference": "Loops over items, heads and queries give the same outputs.",
}
HEAD = """# Field guide to bugs in attention

*Made from the exhibits of [notebook 13](../notebooks/13_the_museum_of_bugs.ipynb) by `python -m tools.field_guide`.
It names what ails them: visit the museum first. Each exhibit leads to the thread in which its bug was found.*

Nothing raises, and the loss falls. Ask what the code promises, then test that, with a different size along every axis
and on the CPU, before the first long training. The first six tests are exercises 13.1 to 13.6;
[`invariants/assertions.py`](../invariants/assertions.py) has them, and the one of gradients, to import.

| symptom | suspicion | test | remedy | seen in |
|---|---|---|---|---|
"""
MIDDLE = """
| test | what must hold |
|---|---|
"""


def page():
    """The page as Markdown."""
    broken = sorted(
        (each for each in EXHIBITS.values() if each.tests), key=lambda each: list(TESTS).index(each.tests[0])
    )
    rows = (
        f"| {each.symptom} | {each.suspicion} | {each.tests[0]} | {each.remedy} | "
        f"[exhibit {each.number}]({address(each.threads[0])}) |"
        for each in broken
    )
    tests = (f"| {name} | {what} |" for name, what in TESTS.items())
    return HEAD + "\n".join(rows) + "\n" + MIDDLE + "\n".join(tests) + "\n"


if __name__ == "__main__":
    FILE.write_text(page(), encoding="utf-8")
