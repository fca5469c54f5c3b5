"""`python course.py handout`: what students get and do not get; nothing is overwritten."""

import json
import os
import re
import subprocess
import sys

import pytest

from exercises import COURSE, EXERCISES
from tests.setup.copies import imported
from tools import handout, study

ROOT = handout.ROOT


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """The folder of a hand-out with all notebooks, and the text of its key."""
    place = tmp_path_factory.mktemp("class")
    assert handout.main([str(place / "term"), "--key", str(place / "key.md")]) == 0
    return place / "term", (place / "key.md").read_text(encoding="utf-8")


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """run(*words) -> (exit code, stdout, stderr), in tmp_path."""

    monkeypatch.chdir(tmp_path)

    def call(*words):
        code = handout.main(words)
        return code, *capsys.readouterr()

    return call


def cells(folder):
    for path in sorted((folder / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            yield path.name, cell


# ---- the notebooks


def test_it_has_every_notebook_without_outputs_and_solutions(given):
    folder, _ = given
    assert [path.name for path in sorted((folder / "notebooks").iterdir())] == study.names_published()
    for name, cell in cells(folder):
        assert not cell.get("outputs") and cell.get("execution_count") is None, f"{name} {cell['id']}"
        assert "solution" not in "".join(cell["source"]).partition("</summary>")[0], f"{name} {cell['id']}"
        assert "".join(cell["source"]).strip()


def test_all_cells_are_as_they_were_published_but_for_solutions(given):
    handed_out = {(name, cell["id"]): "".join(cell["source"]) for name, cell in cells(given[0])}
    lost = set()
    for name in study.names_published():
        for cell in study.read(study.NOTEBOOKS / name)["cells"]:
            if "solution" not in cell["source"]:
                assert handed_out[name, cell["id"]] == cell["source"]
            elif (name, cell["id"]) not in handed_out:
                lost.add(cell["id"])
    assert lost == {"solution", "solution-text"}  # notebook 00's cells on how to ask for one


def test_calls_of_solution_and_paragraphs_that_name_it_are_left_out():
    for source, expected in {
        "from exercises import check, solution, yours\n": "from exercises import check, yours\n",
        "from exercises import check, solution": "from exercises import check",
        "from exercises import solution, check": "from exercises import check",
        'x = 1\n# solution("2.1")\ny = 2': "x = 1\ny = 2",
        'solution("2.1")': "",
        "resolution = 3": "resolution = 3",
    }.items():
        assert handout.without_solution({"cell_type": "code", "source": source})["source"] == expected
    text = {"cell_type": "markdown", "source": 'One.\n\n`solution("2.1")` shows it.\n\nThree.'}
    assert handout.without_solution(text)["source"] == "One.\n\nThree."


# ---- the folder


def test_what_is_for_teachers_and_maintainers_is_left_out(given):
    folder, _ = given
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    assert not [name for name in names if name.endswith(".jsonl")]
    assert not names & {"tests", ".git", "data/cache", "tools/classroom", "study", ".github", "classroom/guide.md"}
    assert {"course.py", ".gitignore", "tools/study.py", "exercises/n03_causal_masking/mask_by_filling.py"} <= names
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 10e6


@pytest.mark.slow
def test_it_works_by_itself_and_nothing_leads_to_a_solution(given):
    """Nothing that students read, in a file or on a card, mentions solutions; `yours` still needs the references."""
    folder, _ = given
    pages = [path for path in folder.rglob("*") if path.suffix in (".md", ".ipynb")]
    assert [path for path in pages if re.search(r"\bsolution\(|`solution`", path.read_text(encoding="utf-8"))] == []
    program = """
import os
import exercises, explorers, runtime.start, models.bert_arguments, tools.study
from exercises import EXERCISES, check, hint, reference, solution, yours
assert all(module.__file__.startswith(os.getcwd()) for module in (exercises, explorers, runtime.start, tools.study))
for id, exercise in EXERCISES.items():
    assert "shows no solutions" in str(solution(id)) and "def " not in str(solution(id))
    said = hint(id, len(exercise.hints)).message + check(id, None)._repr_mimebundle_()["text/html"]
    assert said.count("Show your instructor what you have.") == 2 and "solution(" not in said, said
assert yours("2.4") is reference("2.4")
assert "solution" not in exercises.__doc__
assert check("3.3", lambda scores, mask: scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)).status == "correct"
assert check("0.1", lambda x: x.mean(dim=0)).diagnosis == "column-means"
"""
    environment = {**os.environ, "COURSE_PROGRESS": "memory", "PYTHONPATH": ""}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr


def test_every_link_between_its_pages_leads_somewhere(given):
    pages = [path for path in given[0].rglob("*.md") if "LICENSES" not in path.parts]
    texts = {page: re.sub(r"^```.*?^```$|`[^`]*`", "", page.read_text("utf-8"), flags=re.M | re.S) for page in pages}
    links = [(page, link) for page, text in texts.items() for link in re.findall(r"\]\((?!http|#)([^)#]+)", text)]
    assert {page.name for page, _ in links} >= {"README.md"}
    assert not [(page, link) for page, link in links if not (page.parent / link).exists()]


def test_commands_that_it_lacks_say_so_before_anything_is_installed(given, monkeypatch, capsys):
    command_line = imported(given[0] / "course.py")
    monkeypatch.setattr(command_line.signal, "signal", lambda *_: None)
    for command in ("test", "class", "slides", "handout", "grading", "site", "save"):
        assert command_line.main([command, "x"]) == 1
        [complaint] = capsys.readouterr().err.splitlines()
        assert complaint.startswith("This copy of the course is for students and has no ")
    assert not (given[0] / ".venv").exists()


def test_the_copies_that_students_make_of_it_count_as_current(given):
    for path in (given[0] / "notebooks").iterdir():
        notebook = study.read(path)
        assert notebook["metadata"][study.RECORD] == study.fingerprints(notebook)
        assert study.make_copy(notebook) == notebook


def test_only_the_named_notebooks_and_the_first_also_into_a_new_branch(run, tmp_path):
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / ".git").write_text("gitdir: elsewhere", encoding="utf-8")
    code, out, _ = run("some", "--notebooks", "3", "02_single_head_attention.ipynb", "--key", "key.md")
    assert code == 0 and "3 notebooks" in out and str(tmp_path / "key.md") in out
    names = [path.name[:2] for path in sorted((tmp_path / "some" / "notebooks").iterdir())]
    assert names == ["00", "02", "03"]
    assert "Exercise 3.3" in (key := (tmp_path / "key.md").read_text(encoding="utf-8")) and "Exercise 4.1" not in key
    assert (tmp_path / "some" / ".git").read_text(encoding="utf-8") == "gitdir: elsewhere"


# ---- the key


def test_the_key_has_every_solution_and_every_right_choice(given):
    _, key = given
    for id, exercise in EXERCISES.items():
        assert f"### Exercise {id}: `{exercise.name}`" in key and COURSE.solution_source(exercise).strip() in key
    for id, asked in COURSE.predictions.items():
        assert f"### Prediction {id}\n\n{asked.question}\n\n({asked.right}) {asked.answers[asked.right]}" in key


# ---- errors


def test_what_cannot_be_done_is_said_in_a_line_and_changes_nothing(run, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    for words, said in {
        ("full",): "is not empty, and nothing is overwritten",
        ("file",): "is not empty, and nothing is overwritten",
        ("new", "--key", "file"): "is already there, and nothing is overwritten",
        ("new", "--key", "new/key.md"): "is inside of what students get",
        ("new", "--notebooks", "99"): "No notebook is called '99'",
        (str(ROOT / "out"),): "is inside of the course",
        ("file/new",): "cannot be used",
        ("new", "--notebooks", "02", "--key", "nowhere/key.md"): "cannot be used",
    }.items():
        code, _, err = run(*words)
        assert code == 1 and said in err and len(err.splitlines()) == 1, words
        assert sorted(tmp_path.rglob("*")) == before and not (ROOT / "out").exists(), words


def test_a_hand_out_that_fails_halfway_leaves_nothing(run, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "notebooks/02.ipynb")

    monkeypatch.setattr(handout.study, "write", full)
    code, _, err = run("term")
    assert code == 1 and "No space left on device" in err
    assert list(tmp_path.iterdir()) == []
