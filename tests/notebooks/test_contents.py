"""The list of the notebooks agrees with the notebooks, and readers find their way from each notebook to all others."""

import re

import pytest

from exercises import COURSE, EXERCISES
from exercises.notebooks import NOTEBOOKS, PARTS, SECOND_PART
from feedback.notebooks import LABEL, exercise_of, sections
from feedback.progress import duration
from tests.notebooks.common import PATHS, ROOT, read
from tools import badges

each_notebook = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.number)
CONTENTS = "contents"  # the cell of the first notebook that lists all of them
README = (ROOT / "README.md").read_text(encoding="utf-8")


def cells(notebook):
    return read(ROOT / "notebooks" / notebook.file).cells


def table_of(part, folder=""):
    rows = (f"| [{one.name}]({folder}{one.file}) | {one.question} | {one.minutes} |" for one in PARTS[part])
    return "|\n" + "\n".join(rows) + "\n\n"


def test_the_list_has_every_notebook_in_order():
    assert [notebook.file for notebook in NOTEBOOKS] == [path.name for path in PATHS]


@each_notebook
def test_a_notebook_has_the_title_and_the_question_of_the_list(notebook):
    source = cells(notebook)[0].source
    title = re.search(r"^# (.*)$", source, re.MULTILINE)[1]
    assert title.lower().startswith(notebook.name.lower()) and f"**{notebook.question}**" in source


def line_of_links(notebook):
    """What the first line of a notebook must be, below its badge."""
    index, first = NOTEBOOKS.index(notebook), NOTEBOOKS[0]
    short = f", {notebook.core} without what is deeper" if notebook.core < notebook.minutes else ""
    short = short if notebook.core else ", all of it deeper"
    parts = [f"{notebook.minutes} minutes with the exercises{short}"]
    if following := COURSE.contents.following(notebook):
        parts.insert(0, f"[{following.name} →]({following.file})")
    if index:
        before = NOTEBOOKS[index - 1]
        parts[:0] = [f"[← {before.name}]({before.file})", f"[contents]({first.file}#cell-id={CONTENTS})"]
    return " · ".join(parts)


@each_notebook
def test_below_the_launch_badge_it_links_to_its_neighbors_and_the_contents(notebook):
    badge = badges.above_title(notebook.file, badges.home())
    links = line_of_links(notebook)
    assert cells(notebook)[0].source.startswith(f"{badge}{links}\n\n"), f"{notebook.file} begins with {links}"


@pytest.mark.parametrize("part", PARTS)
def test_the_tables_of_contents_agree_with_the_lists(part):
    table = table_of(part, "notebooks/")
    assert table in README, f"README.md lacks {[row for row in table.splitlines() if row not in README] or table}"


def test_the_first_notebook_has_a_table_of_the_first_part_and_links_to_the_second():
    contents = next(cell.source for cell in cells(NOTEBOOKS[0]) if cell.id == CONTENTS)
    this_page = f"[{NOTEBOOKS[0].name}]({NOTEBOOKS[0].file})"
    table = table_of("first part").replace(this_page, NOTEBOOKS[0].name)
    missing = [row for row in table.splitlines() if row not in contents]
    assert table in contents, f"the cell {CONTENTS} of {NOTEBOOKS[0].file} lacks {missing or table}"
    links = re.findall(r"\[(.+?)\]\((.+?)\)", contents)
    assert links[-len(SECOND_PART) :] == [(one.name, one.file) for one in SECOND_PART]


@each_notebook
def test_the_minutes_of_the_sections_are_those_of_the_list(notebook):
    found = sections(cells(notebook))
    core = sum(section.minutes for section in found if section.kind == "core")
    minutes = core, sum(section.minutes for section in found)
    assert minutes == (notebook.core, notebook.minutes), f"{notebook.file} has {minutes}, core and whole"


def tags_that_show(cell):
    """The tags that a reader of the cell would give it."""
    if cell.cell_type == "code":
        return {f"predict-{id}" for id in re.findall(r'^predict\("([^"]+)"\)', cell.source)}
    heading = cell.source.startswith("## ")
    found = {f"{kind}-{minutes}" for kind, minutes in LABEL.findall(cell.source)}
    if heading and not found:
        found = {"recap" if cell.id == "end" else "core-MINUTES or deeper-MINUTES"}
    found |= {f"task-{id}" for id in re.findall(r"^### ✎ Exercise (\d+\.\d+): ", cell.source)}
    return found | ({"predict"} if "**Predict" in cell.source else set())


@each_notebook
def test_the_tags_of_a_cell_say_what_its_text_shows(notebook):
    read_by_tools = re.compile(r"(core|deeper|task|predict)-|(recap|predict)$")
    for cell in cells(notebook):
        shown, tags = tags_that_show(cell), {tag for tag in cell.metadata.get("tags", []) if read_by_tools.match(tag)}
        assert tags == shown, f"the text of the cell {cell.id} wants the tags {shown}, it has {tags}"


@pytest.mark.parametrize("part", PARTS)
def test_the_total_times_of_both_parts_are_stated(part):
    inside = [EXERCISES[id] for notebook in PARTS[part] for id in COURSE.contents.belonging(EXERCISES, notebook)]
    whole = duration(sum(notebook.minutes for notebook in PARTS[part]))
    exercises = duration(sum(exercise.minutes for exercise in inside))
    assert f"The {part} takes about {whole}, of which the exercises take about {exercises}." in README
    if core := sum(notebook.core for notebook in PARTS[part]):
        assert f" core takes about {duration(core)}." in README


@each_notebook
def test_progress_is_shown_at_the_top_and_at_the_end(notebook):
    call, code = f'progress("{notebook.number}")', [cell for cell in cells(notebook) if cell.cell_type == "code"]
    setup = next(cell for cell in code if cell.id == "setup")
    assert setup.source.splitlines()[-1] == call
    assert (cells(notebook)[-1].id, cells(notebook)[-1].source) == ("end-progress", call)


@each_notebook
def test_what_is_published_is_nobodys_progress(notebook):
    """Nothing is solved or tried: not even where a wrong answer is shown on purpose."""
    for cell in cells(notebook):
        for output in cell.get("outputs", []) if "progress(" in cell.source else []:
            text = output.get("data", {}).get("text/plain", "")
            assert not re.search(r"[■✓↻] \d|Worth another look|Solved", text), cell.id
    assert "0 of " in cells(notebook)[-1].outputs[0].data["text/plain"]


@pytest.mark.slow
def test_every_exercise_and_prediction_has_a_place_in_a_notebook_to_which_links_lead():
    for id in (*EXERCISES, *COURSE.predictions):
        file, _, cell_id = COURSE.contents.link(id).partition("#cell-id=")
        cell = next(cell for cell in read(ROOT / "notebooks" / file).cells if cell.id == cell_id)
        assert f"Exercise {id}: " in cell.source or f'predict("{id}")' in cell.source


@each_notebook
def test_headings_of_exercises_have_the_same_level(notebook):
    exercises = [exercise_of(cell) for cell in cells(notebook) if exercise_of(cell)]
    levels = re.findall(r"^(#+) .*Exercise \d", "\n".join(cell.source for cell in cells(notebook)), re.MULTILINE)
    assert levels == ["###"] * len(exercises)


def test_the_table_of_ideas_has_each_exercise_of_the_second_part_and_links_to_outputs():
    table = [line for line in (ROOT / "docs" / "ideas.md").read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    rows = [[column.strip() for column in row.split("|")[1:-1]] for row in table[2:]]
    named = [id for row in rows for id in row[3].split(", ") if id != "–"]
    assert named == [id for entry in SECOND_PART for id in COURSE.contents.belonging(EXERCISES, entry)]
    for row in rows:
        file, id = re.search(r"\(\.\./notebooks/(.+?)#cell-id=(.+?)\)", row[1]).groups()
        assert next(cell for cell in read(ROOT / "notebooks" / file).cells if cell.id == id).outputs, id


def test_something_comes_after_every_exercise_but_the_last():
    in_order = [id for notebook in NOTEBOOKS for cell in cells(notebook) if (id := exercise_of(cell))]
    assert [id for id in EXERCISES if COURSE.after(id) is None] == in_order[-1:]
