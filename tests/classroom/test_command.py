"""`python course.py class`, from its arguments to the page."""

import pytest

from tests.classroom.small import CATALOG, attempt, choice, write
from tools.classroom import __main__ as command


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """run(*words) -> (exit code, stdout, stderr), with the small catalog, in tmp_path."""
    monkeypatch.setattr(command.catalog, "collect", lambda: CATALOG)
    monkeypatch.chdir(tmp_path)

    def call(*words):
        code = command.main(words)
        return code, *capsys.readouterr()

    return call


def test_it_prints_numbers_and_writes_the_page_and_a_table_where_it_was_called(run, tmp_path):
    write(tmp_path / "shared" / "=anna", attempt(0, verdict="correct"))
    write(tmp_path / "shared" / "ben", attempt(0), "{", attempt(1, "3.2"))
    code, out, err = run("shared", "--csv", "class.csv")
    assert code == 0 and "2 students, 0 at work in the last 15 minutes, 3 attempts" in out
    assert str(tmp_path / "class.html") in out
    assert "<b>2 students, " in (tmp_path / "class.html").read_text(encoding="utf-8")
    assert len(err.splitlines()) == 1 and str(tmp_path / "shared" / "ben" / "attempts.jsonl") in err
    lines = (tmp_path / "class.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "folder,0.1 row_means,3.1 causal_mask,3.2 CausalMask"
    assert lines[1:] == ["'=anna,solved,,", "ben,tried,,tried"]


@pytest.mark.parametrize(
    "words, said",
    [
        (["nowhere"], "nowhere: name the folder that holds one folder for each student."),
        (["empty"], "was found: name the folder that holds one folder for each student."),
        (["anna", "--output", "empty/missing/class.html"], "cannot be written"),
        (["anna", "--output", "empty"], "cannot be used"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(run, tmp_path, words, said):
    (tmp_path / "empty").mkdir()
    write(tmp_path / "anna", attempt(0))
    code, _, err = run(*words)
    assert code == 1 and len(err.splitlines()) == 1 and said in err
    assert not (tmp_path / "class.html").exists() and list((tmp_path / "empty").iterdir()) == []


def test_many_damaged_files_do_not_flood_the_terminal(run, tmp_path):
    for i in range(25):
        write(tmp_path / f"student{i}", attempt(0), "{")
    _, _, err = run(".")
    assert len(err.splitlines()) == 11 and err.endswith("... and 15 more such lines.\n")


def test_watch_picks_up_a_new_line_and_a_new_student_until_ctrl_c(run, tmp_path, monkeypatch):
    folder = tmp_path / "shared"
    folder.mkdir()
    pages = []

    def meanwhile(seconds):
        assert seconds == 10
        pages.append((tmp_path / "class.html").read_text(encoding="utf-8"))
        if len(pages) == 1:
            write(folder / "anna", attempt(0))
        elif len(pages) == 2:
            write(folder / "anna", attempt(0), "{", attempt(1, verdict="correct"), choice(2, "a"))
        elif len(pages) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(command.time, "sleep", meanwhile)
    code, out, err = run("--watch", "shared")
    assert code == 0 and "Nobody has tried anything yet." in out
    assert [page.partition("<b>")[2].partition(",")[0] for page in pages] == ["0 students", *["1 student"] * 3]
    assert "0 of 1\n<progress" in pages[1] and "1 of 1\n<progress" in pages[2]
    assert all('http-equiv="refresh" content="10"' in page for page in pages)
    assert len(err.splitlines()) == 1  # the damaged line is reported only once
