"""The list of notebooks agrees with the notebooks, and each notebook links to the others."""

import re

import pytest

from exercises import COURSE, EXERCISES
from exercises.notebooks import NOTEBOOKS, PARTS, SECOND_PART
from feedback.notebooks import LABEL, exercise_of
from tests.notebooks.common import PATHS, ROOT, read
from tools import contents

each_notebook = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.number)
README = (ROOT / "README.md").read_text(encoding="utf-8")


def cells(notebook):
    return read(ROOT / "notebooks" / notebook.file).cells


def test_the_list_has_every_notebook_in_order():
    assert [notebook.file for notebook in NOTEBOOKS] == [path.name for path in PATHS]


@each_notebook
def test_a_notebook_has_the_title_and_the_question_of_the_list(notebook):
    source = cells(notebook)[0].source
    title = re.search(r"^# (.*)$", source, re.MULTILINE)[1]
    assert title.lower().startswith(notebook.name.lower()) and f"**{notebook.question}**" in source


def test_what_repeats_minutes_titles_and_questions_is_up_to_date():
    outdated = [path.name for path, text in contents.everything().items() if path.read_text(encoding="utf-8") != text]
    assert not outdated, "run `python -m tools.contents`"
    assert [contents.measured(notebook) for notebook in NOTEBOOKS] == list(NOTEBOOKS)
    assert len(contents.TABLE.findall(README)) == len(contents.TOTAL.findall(README)) == len(PARTS)
    assert contents.BUGS.search(contents.FIELD_GUIDE.read_text(encoding="utf-8"))


def test_the_first_notebook_has_a_table_of_the_first_part_and_links_to_the_second():
    [listed] = [cell.source for cell in cells(NOTEBOOKS[0]) if cell.id == contents.CONTENTS]
    links = re.findall(r"\[(.+?)\]\((.+?)\)", listed)
    assert contents.TABLE.search(listed) and links[-len(SECOND_PART) :] == [(one.name, one.file) for one in SECOND_PART]


def tags_that_show(cell):
    """Return the tags that a cell should have, according to its text."""
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


@each_notebook
def test_progress_is_shown_at_the_top_and_at_the_end(notebook):
    call, code = f'progress("{notebook.number}")', [cell for cell in cells(notebook) if cell.cell_type == "code"]
    setup = next(cell for cell in code if cell.id == "setup")
    assert setup.source.splitlines()[-1] == call
    assert (cells(notebook)[-1].id, cells(notebook)[-1].source) == ("end-progress", call)


@each_notebook
def test_what_is_published_is_nobodys_progress(notebook):
    """No exercise is solved or tried, not even where a wrong answer is shown on purpose."""
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
