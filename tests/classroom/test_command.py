"""`python course.py class`, from its words to the page."""

import subprocess
import sys
import time

import pytest

from tests.classroom.small import CATALOG, attempt, choice, write
from tools.classroom import __main__ as command
from tools.classroom import catalog

ROOT = catalog.ROOT


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """run(*words) -> (exit code, stdout, stderr), with the small course, from tmp_path."""
    monkeypatch.setattr(command.catalog, "load", lambda: CATALOG)
    monkeypatch.setattr(sys.stdout, "reconfigure", lambda **options: None, raising=False)

    def call(*words):
        code = command.main(["--from", str(tmp_path), *words])
        return code, *capsys.readouterr()

    return call


def test_it_prints_a_table_and_writes_the_page_where_it_was_called(run, tmp_path):
    write(tmp_path / "shared" / "anna", attempt(0, verdict="correct"))
    write(tmp_path / "shared" / "ben", attempt(0), "{")
    code, out, err = run("shared")
    assert code == 0 and "2 students" in out and str(tmp_path / "class.html") in out
    assert "<b>2 students</b>" in (tmp_path / "class.html").read_text(encoding="utf-8")
    assert len(err.splitlines()) == 1 and str(tmp_path / "shared" / "ben" / "attempts.jsonl") in err
    assert run("shared", "--output", "other.html")[0] == 0 and (tmp_path / "other.html").exists()


def test_who_has_done_what_as_csv(run, tmp_path):
    write(tmp_path / "shared" / "=anna", attempt(0, verdict="correct"))
    write(tmp_path / "shared" / "ben", attempt(0), attempt(1, "3.2"))
    assert run("shared", "--csv", "class.csv")[0] == 0
    lines = (tmp_path / "class.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "folder,0.1 row_means,3.1 causal_mask,3.2 CausalMask"
    assert lines[1:] == ["'=anna,solved,,", "ben,tried,,tried"]


@pytest.mark.parametrize(
    "words, said",
    [
        (["nowhere"], "nowhere: name the folder that holds one folder for each student."),
        (["empty"], "was found: name the folder that holds one folder for each student."),
        (["anna", "--output", "empty/missing/class.html"], "cannot be written"),
        (["anna", "--output", "empty"], "cannot be written"),
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


@pytest.mark.parametrize(
    "words, expected",
    [
        (["a"], None),
        (["a", "--watch"], 10),
        (["--watch", "a"], 10),
        (["--watch", "3", "a"], 3),
        (["a", "--watch", "--names"], 10),
    ],
)
def test_watch_takes_seconds_or_none(words, expected):
    options = command.parse_options(words)
    assert options.watch == expected and [str(folder) for folder in options.folders] == ["a"]


@pytest.mark.parametrize("seconds", ["0", "-3", "1e9", "9999"])
def test_watch_refuses_seconds_that_make_no_sense(seconds, capsys):
    with pytest.raises(SystemExit):
        command.parse_options(["a", f"--watch={seconds}"])
    assert "between 1 and 3600 seconds" in capsys.readouterr().err


def test_watch_picks_up_a_new_line_and_a_new_student(run, tmp_path, monkeypatch):
    folder = tmp_path / "shared"
    folder.mkdir()
    pages = []

    def meanwhile(seconds):
        assert seconds == 5
        pages.append((tmp_path / "class.html").read_text(encoding="utf-8"))
        if len(pages) == 1:
            write(folder / "anna", attempt(0))
        elif len(pages) == 2:
            write(folder / "anna", attempt(0), "{", attempt(1, verdict="correct"), choice(2, "a"))
        elif len(pages) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(command.time, "sleep", meanwhile)
    code, out, err = run("shared", "--watch", "5")
    assert code == 0 and "Nobody has tried anything yet." in out
    assert [page.partition("</b>")[0].rpartition(">")[2] for page in pages] == ["0 students", *["1 student"] * 3]
    assert "0 of 1 solved" in pages[1] and "1 of 1 solved" in pages[2] and "1 of 1</td>" in pages[2]
    assert all('http-equiv="refresh" content="5"' in page for page in pages)
    assert len(err.splitlines()) == 1  # the damaged line is named once, not each time


@pytest.mark.slow
def test_ctrl_c_ends_watching_cleanly(tmp_path, press_ctrl_c):
    write(tmp_path / "anna", attempt(0))
    catalog.load()
    words = ["--from", str(tmp_path), "anna", "--watch", "1"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    process = subprocess.Popen([sys.executable, "-m", "tools.classroom", *words], cwd=ROOT, **pipes)
    deadline = time.monotonic() + 600
    while not (tmp_path / "class.html").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    write(tmp_path / "anna", attempt(0), attempt(1, verdict="correct"))
    while "100%</strong>" not in (tmp_path / "class.html").read_text(encoding="utf-8"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    press_ctrl_c(process)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0 and err == "" and "To stop, press Ctrl-C." in out
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.slow
def test_twice_the_students_are_at_most_twice_the_work(tmp_path):
    texts = catalog.load()  # kept from now on, as after the first call
    exercises = list(texts.exercises.values())[:25]
    program = (
        "import cProfile, sys; from tools.classroom.__main__ import main; profile = cProfile.Profile(); "
        "code = profile.runcall(main, sys.argv[1:]); "
        "print(sum(entry.callcount for entry in profile.getstats()), 'torch' in sys.modules); sys.exit(code)"
    )
    calls = []
    for students in (100, 200):
        for i in range(students):
            lines = []
            for j in range(50):
                exercise = exercises[j // 2]
                known = list(exercise.mistakes)[(i + j) % len(exercise.mistakes)]
                lines.append(attempt(j, exercise.id, "correct" if j % 2 else "wrong", None if j % 2 else known))
            write(tmp_path / f"student{i:03}" / "attention-by-hand" / "data", *lines)
        command = [sys.executable, "-c", program, "--from", str(tmp_path), "."]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
        assert done.returncode == 0 and done.stderr == "" and f"{students} students" in done.stdout
        assert f"{50 * students:,} attempts" in done.stdout
        count, imported_torch = done.stdout.split()[-2:]
        assert imported_torch == "False"
        calls.append(int(count))
    assert calls[1] <= 2 * calls[0]
