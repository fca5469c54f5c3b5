"""Update minutes and lists of notebooks and exhibits wherever they are repeated: `python -m tools.contents`.

They are derived from the tags of the sections, such as `core-12`, the minutes on the pages of exercises, and the titles
and questions in exercises/notebooks.py. They occur in the labels of sections, the first line of each notebook, the
table in notebook 00, exercises/notebooks.py, the tables and totals in the README, the plans of the guide, and the first
table of the field guide.
"""

import json
import re
import sys
from dataclasses import replace

from exercises import COURSE, EXERCISES
from exercises.museum.exhibits import EXHIBITS
from exercises.museum.findings import TESTS
from exercises.museum.verdicts import address
from exercises.notebooks import PARTS
from feedback.files import write
from feedback.notebooks import LABEL, read, sections
from feedback.progress import duration
from tools import ROOT, badges, guide, run

TABLE = re.compile(r"(?<=\| minutes \|\n\|---\|---\|---\|\n)(?:\|.*\n)+")
TOTAL = re.compile(r"The (first part|second part) takes about .*?(?=$)", re.MULTILINE)
FIELD_GUIDE = ROOT / "docs" / "field_guide.md"
BUGS = re.compile(r"(\| symptom \| .* \| seen in \|\n\|[-|]+\n)(?:\|.*\n)+")  # the field guide's first table
FIRST, CONTENTS = "00_start_here.ipynb", "contents"  # the notebook and the cell that list the first part


def measured(notebook):
    """Return the notebook's entry with its minutes updated from its sections."""
    found = sections(read(ROOT / "notebooks" / notebook.file))
    core = sum(section.minutes for section in found if section.kind == "core")
    return replace(notebook, minutes=sum(section.minutes for section in found), core=core)


def everything():
    """Return {path: updated text}."""
    parts = {name: [measured(each) for each in notebooks] for name, notebooks in PARTS.items()}
    notebooks = [each for some in parts.values() for each in some]
    paths = ROOT / "exercises" / "notebooks.py", ROOT / "README.md", guide.GUIDE, FIELD_GUIDE
    listed, readme, plans, bugs = (path.read_text(encoding="utf-8") for path in paths)
    for each in notebooks:
        row = rf'("{each.file.removesuffix(".ipynb")}",\s+"[^"]*",\s+)\d+(,\s+)\d+'
        listed = re.sub(row, rf"\g<1>{each.minutes}\g<2>{each.core}", listed)
    tables = iter(table(some, "notebooks/") for some in parts.values())
    readme = TABLE.sub(lambda found: next(tables), readme)
    readme = TOTAL.sub(lambda found: total(found[1], parts[found[1]]), readme)
    texts = dict(zip(paths, (listed, readme, guide.filled(plans), field_guide(bugs)), strict=True))
    return texts | {ROOT / "notebooks" / each.file: published(each, notebooks, parts) for each in notebooks}


def table(notebooks, folder=""):
    return "".join(f"| [{one.name}]({folder}{one.file}) | {one.question} | {one.minutes} |\n" for one in notebooks)


def total(part, notebooks):
    inside = [EXERCISES[id] for each in notebooks for id in COURSE.contents.belonging(EXERCISES, each)]
    whole, core = (duration(sum(getattr(each, kind) for each in notebooks)) for kind in ("minutes", "core"))
    exercises = duration(sum(exercise.minutes for exercise in inside))
    return (
        f"The {part} takes about {whole}, of which the exercises take about {exercises}. Its core takes about {core}."
    )


def published(notebook, notebooks, parts):
    """Return a notebook's text with its first line and section labels updated, and the table in the first notebook."""
    path = ROOT / "notebooks" / notebook.file
    content = json.loads(path.read_text(encoding="utf-8"))
    labels = {each.cells[0]["id"]: f"*{each.kind} · {each.minutes} min*" for each in sections(read(path))}
    for cell in content["cells"]:
        source = "".join(cell["source"])
        if cell["id"] in labels:
            source = LABEL.sub(labels[cell["id"]], source, count=1)
        elif cell is content["cells"][0]:
            above = badges.above_title(notebook.file, badges.home())
            source = f"{above}{line_of_links(notebook, notebooks)}\n\n{source[source.index('# ') :]}"
        elif (notebook.file, cell["id"]) == (FIRST, CONTENTS):
            rows = table(parts["first part"]).replace(f"[{notebook.name}]({FIRST})", notebook.name)
            source = TABLE.sub(lambda found, rows=rows: rows, source)
        cell["source"] = source.splitlines(keepends=True)
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def line_of_links(notebook, notebooks):
    index = notebooks.index(notebook)
    short = f", {notebook.core} without what is deeper" if notebook.core < notebook.minutes else ""
    parts = [f"{notebook.minutes} minutes with the exercises{short if notebook.core else ', all of it deeper'}"]
    if following := notebooks[index + 1 : index + 2]:
        parts.insert(0, f"[{following[0].name} →]({following[0].file})")
    if index:
        before = notebooks[index - 1]
        parts[:0] = [f"[← {before.name}]({before.file})", f"[contents]({FIRST}#cell-id={CONTENTS})"]
    return " · ".join(parts)


def field_guide(text):
    """Return the field guide with a row for each exhibit that has a bug."""
    rows = (
        f"| {each.symptom} | {each.suspicion} | {name}{'' if each.tests else ', which is silent'} | {each.remedy} | "
        f"[exhibit {each.number}]({address(each.threads[0])}) |\n"
        for name in TESTS
        for each in EXHIBITS.values()
        if name == (*each.tests, *each.silent, "")[0]
    )
    table = "".join(rows)
    return BUGS.sub(lambda found: found[1] + table, text)


def write_all():
    for path, text in everything().items():
        if text != path.read_text(encoding="utf-8"):
            write(path, text)
            print(f"Written: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.exit(run(write_all))
