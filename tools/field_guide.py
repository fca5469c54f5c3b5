"""The field guide, docs/field_guide.md: from a symptom to a suspicion, a test and a remedy, on one sheet to print.

`python -m tools.contents` writes its first table, from the exhibits of notebook 13.
"""

import re

from exercises.museum.exhibits import EXHIBITS
from exercises.museum.findings import TESTS
from exercises.museum.verdicts import address
from tools import ROOT

FILE = ROOT / "docs" / "field_guide.md"
TABLE = re.compile(r"(\| symptom \| .* \| seen in \|\n\|[-|]+\n)(?:\|.*\n)+")


def filled(text):
    """The page with a row for each exhibit that has a bug."""
    rows = (
        f"| {each.symptom} | {each.suspicion} | {name}{'' if each.tests else ', which is silent'} | {each.remedy} | "
        f"[exhibit {each.number}]({address(each.threads[0])}) |\n"
        for name in TESTS
        for each in EXHIBITS.values()
        if name == (*each.tests, *each.silent, "")[0]
    )
    table = "".join(rows)
    return TABLE.sub(lambda found: found[1] + table, text)
