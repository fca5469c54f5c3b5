"""`python course.py submit NAME` writes what the commands for a class read."""

from zipfile import ZipFile

import pytest

from tests.classroom.small import CATALOG, attempt, write
from tools import study, submit
from tools.classroom import records


@pytest.fixture
def course(tmp_path, monkeypatch):
    """course(*words) -> exit code of `submit`, in a learner's copy of the course."""
    monkeypatch.delenv("COURSE_PROGRESS")
    monkeypatch.setattr(submit, "DATA", tmp_path / "data")
    monkeypatch.setattr(study, "STUDY", tmp_path / "study")
    monkeypatch.chdir(tmp_path)
    return lambda *words: submit.main(words)


def test_one_file_holds_what_was_done_and_the_class_reads_it(course, tmp_path, capsys):
    write(tmp_path / "data", attempt(0, verdict="correct"))
    (tmp_path / "data" / "answers").mkdir()
    (tmp_path / "study" / "old").mkdir(parents=True)
    for file in ("data/answers/0.1.py", "study/00.ipynb", "study/old/00.ipynb"):
        (tmp_path / file).write_text(file, encoding="utf-8")
    assert course("Ada L.") == 0 and str(tmp_path / "Ada L..zip") in capsys.readouterr().out
    with ZipFile(tmp_path / "Ada L..zip") as archive:
        names = ("attempts.jsonl", "answers/0.1.py", "study/00.ipynb")
        assert archive.namelist() == [f"Ada L./{name}" for name in names]
        archive.extractall(tmp_path / "collected")
    [student], _ = records.read([tmp_path / "collected"], CATALOG)
    assert student.name == "Ada L." and student.attempts[0].solved


def test_a_name_that_is_no_folder_is_refused(course, tmp_path, capsys):
    write(tmp_path / "data", attempt(0))
    for name in ("../ada", "a/b", ".", ""):
        assert course(name) == 1 and "cannot be the name of a folder" in capsys.readouterr().err, name


def test_nothing_to_hand_in_is_said(course, tmp_path, capsys):
    assert course("ada") == 1 and "nothing to hand in yet" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.zip"))
