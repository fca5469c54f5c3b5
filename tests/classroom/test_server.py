"""classroom/server.py, which makes the learner's copy of the course, and the configuration of a hub."""

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from traitlets.config import Config

from exercises.notebooks import NOTEBOOKS
from tests.setup.copies import imported
from tools import for_learners

ROOT = Path(__file__).resolve().parents[2]
CLASSROOM = ROOT / "classroom"


@pytest.fixture
def server(tmp_path, monkeypatch):
    """The module server.py, with a small course and a home in a temporary folder."""
    module = imported(CLASSROOM / "server.py")
    module.COURSE, module.MINE = tmp_path / "course", tmp_path / "home" / "attention-by-hand"
    monkeypatch.setattr(for_learners, "FILES", ("course.py", "data/journey.csv"))
    monkeypatch.setattr(for_learners, "FOLDERS", ("helpers", "notebooks"))
    put(module.COURSE, "first edition of {}", "course.py", "helpers/heads.py", "notebooks/00.ipynb", "data/journey.csv")
    return module


def put(folder, content, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content.format(name), encoding="utf-8")


def text(path):
    return path.read_text(encoding="utf-8")


def names(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_copy_holds_what_is_listed_for_learners_and_nothing_else(server):
    put(server.COURSE, "the instructor's", "study/00.ipynb", "data/answers/2.1.py", "slides/session-1.html")
    put(server.COURSE, "the instructor's", "secrets.yaml", "class.html", "helpers/.env")
    server.refresh()
    assert names(server.MINE) == {
        *("course.py", "helpers/heads.py", "notebooks/00.ipynb", "data/journey.csv", server.RECORD)
    }


def test_the_readme_of_a_copy_is_the_one_for_students(server, monkeypatch):
    monkeypatch.setattr(for_learners, "FILES", ("README.md",))
    for said, place in (("of a hand-out", "README.md"), ("for students", "classroom/students.md")):
        put(server.COURSE, said, place)
        server.refresh()
        assert text(server.MINE / "README.md") == said


def test_a_new_edition_reaches_the_copy_but_spares_what_the_learner_changed(server, monkeypatch, capsys):
    put(server.COURSE, "old", "helpers/old.py", "helpers/mine.py")
    server.refresh()
    put(server.MINE, "mine", "study/00.ipynb", "notebooks/00.ipynb", "data/attempts.jsonl")
    put(server.MINE, "mine", "helpers/mine.py", "helpers/own.py")
    (server.MINE / "helpers" / "heads.py").unlink()
    put(server.COURSE, "second edition", "course.py", "notebooks/00.ipynb")
    for name in ("old.py", "mine.py"):  # no longer part of the course
        (server.COURSE / "helpers" / name).unlink()
    server.refresh()
    stays = f"{server.MINE / 'notebooks' / '00.ipynb'} was changed by the learner and stays as it is.\n"
    assert capsys.readouterr().err == stays
    assert text(server.MINE / "course.py") == "second edition"
    assert text(server.MINE / "helpers" / "heads.py").startswith("first edition")
    assert names(server.MINE / "helpers") == {"heads.py", "mine.py", "own.py"}
    for name in ("study/00.ipynb", "notebooks/00.ipynb", "data/attempts.jsonl", "helpers/mine.py", "helpers/own.py"):
        assert text(server.MINE / name) == "mine"
    monkeypatch.setattr(server.files, "write", pytest.fail)  # a file that is up to date is not written
    server.refresh()


def test_a_file_that_cannot_be_read_costs_nothing_else(server, monkeypatch, capsys):
    server.refresh()
    put(server.COURSE, "second edition", "notebooks/00.ipynb")
    (server.COURSE / "course.py").unlink()
    (server.COURSE / "course.py").mkdir()  # root can read any file
    server.refresh()
    assert text(server.MINE / "notebooks" / "00.ipynb") == "second edition"
    assert text(server.MINE / "course.py").startswith("first edition")
    assert f"{server.COURSE / 'course.py'} cannot be read (" in capsys.readouterr().err


def test_a_learner_without_space_gets_one_sentence_and_jupyterlab(server, monkeypatch, capsys):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    server.refresh()
    put(server.COURSE, "second edition", "course.py", "notebooks/00.ipynb")
    monkeypatch.setattr(os, "fsync", full)
    monkeypatch.setattr("shutil.copy", full)
    server.refresh()
    assert text(server.MINE / "course.py").startswith("first edition")
    assert "No space left on device" in (said := capsys.readouterr().err) and len(said.splitlines()) == 1
    assert f"--ServerApp.root_dir={server.MINE}" in server.lab_options()
    assert "opens without the course's layout" in capsys.readouterr().out


def test_a_lost_record_costs_no_work(server, capsys):
    server.refresh()
    put(server.MINE, "{{half", server.RECORD)
    put(server.MINE, "mine", "notebooks/00.ipynb")
    server.refresh()
    assert "notebooks/00.ipynb was changed by the learner" in capsys.readouterr().err.replace("\\", "/")
    assert text(server.MINE / "notebooks" / "00.ipynb") == "mine"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_a_home_is_closed_and_so_is_all_that_is_written_from_then_on(server, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    tmp_path.chmod(0o755)
    before = os.umask(0o022)
    try:
        server.close_home()
        put(tmp_path, "mine", "new/file")
        monkeypatch.setattr(Path, "home", lambda: tmp_path / "nowhere")
        server.close_home()
    finally:
        os.umask(before)
    assert [path.stat().st_mode & 0o077 for path in (tmp_path, tmp_path / "new", tmp_path / "new" / "file")] == 3 * [0]
    assert "nowhere stays open to others (No such file or directory)" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux counts what a program has reserved")
def test_a_program_that_wants_too_much_memory_gets_an_error_that_it_can_catch():
    code = (
        f"import sys; sys.path.insert(0, {str(CLASSROOM)!r}); import server; server.limit_memory(); import torch\n"
        "try:\n    torch.zeros(3 * 10**8)\nexcept RuntimeError:\n    print('refused', torch.zeros(10**6).sum())"
    )
    environment = {"MEM_LIMIT": str(10**9), "OMP_NUM_THREADS": "1", "PATH": ""}
    answer = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=600)
    assert answer.stdout == "refused tensor(0.)\n", answer.stderr


# ---- the hub of one machine


@pytest.fixture
def configure(tmp_path, monkeypatch):
    """configure(COURSE_HUB_...=value) -> the configuration that jupyterhub_config.py sets."""
    for name in [name for name in os.environ if name.startswith("COURSE_HUB_")]:
        monkeypatch.delenv(name)

    def load(**variables):
        for name, value in {"COURSE_HUB_STATE": str(tmp_path / "hub"), "COURSE_HUB_PROXY": "none", **variables}.items():
            monkeypatch.setenv(name, value)
        path, config = CLASSROOM / "jupyterhub_config.py", Config()
        exec(compile(text(path), path, "exec"), {"get_config": lambda: config, "__file__": str(path)})
        return config

    return load


@pytest.fixture
def as_root(monkeypatch):
    """Simulate root on a machine with the groups of a hub."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    groups = [SimpleNamespace(gr_name=name) for name in ("learners", "instructors")]
    monkeypatch.setattr("grp.getgrall", lambda: groups)


unix = pytest.mark.skipif(os.name == "nt", reason="JupyterHub does not run on Windows")


@unix
def test_unless_told_otherwise_a_hub_listens_to_this_machine_alone_and_needs_accounts(configure, as_root, monkeypatch):
    config = configure()
    assert config.JupyterHub.bind_url == "http://127.0.0.1:8000"
    assert config.JupyterHub.authenticator_class == "pam" and "allow_all" not in config.Authenticator
    assert config.PAMAuthenticator.allowed_groups == {"learners", "instructors"}
    assert config.PAMAuthenticator.admin_groups == {"instructors"}
    monkeypatch.setattr("grp.getgrall", lambda: [SimpleNamespace(gr_name="learners")])
    with pytest.raises(SystemExit, match="Make the groups"):
        configure()
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(SystemExit, match="start it with sudo"):
        configure()


@unix
def test_nobody_else_can_open_what_the_hub_remembers(configure, as_root, tmp_path):
    configure()
    assert (tmp_path / "hub").stat().st_mode & 0o777 == 0o700
    (tmp_path / "hub").chmod(0o755)
    configure()
    assert (tmp_path / "hub").stat().st_mode & 0o777 == 0o700
    put(tmp_path, "no folder", "file")
    with pytest.raises(SystemExit, match=r"file/hub cannot be used \(.*\): let COURSE_HUB_STATE name a folder"):
        configure(COURSE_HUB_STATE=str(tmp_path / "file" / "hub"))


# ---- files that stay out of copies and out of the repository

OF_AN_INSTRUCTOR = (
    *("secrets.yaml", "key.md", "names.txt", "class.html", "class.csv", "anna.zip", "slides/session-1.html"),
    *("build/lib/exercises/__init__.py", "assignments/week-2/week-2.ipynb", "study/00.ipynb", "data/attempts.jsonl"),
    "data/answers/2.1.py",
)


@pytest.fixture(scope="module")
def tracked():
    """The names of the files that git tracks."""
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, encoding="utf-8")
    if done.returncode:
        pytest.skip("this copy of the course is no git repository")
    return set(done.stdout.splitlines())


def test_each_file_is_for_learners_or_known_not_to_be(tracked):
    """If it fails: add the new file to tools/for_learners.py if learners need it, else to this test."""
    given = set(for_learners.files(ROOT, pytest.fail))
    assert given - {"README.md"} <= tracked
    elsewhere = re.compile(
        r"(\.ci|\.github|classroom|site|tests|tools)/|explorers/(test/|.*config|package)|.*/README\.md$"
        r"|\.pre-commit-config\.yaml|CHANGELOG\.md|CONTRIBUTING\.md|conftest\.py|data/(course\.png|length.*|next_token\.gif)"
        r"|docs/(about|adding_an_exercise|checks"
        r"|ideas|setting_up|teaching)\.md"
    )
    assert [name for name in sorted(tracked - given) if not elsewhere.match(name)] == []


def test_git_ignores_what_an_instructor_makes(tracked):
    done = subprocess.run(["git", "check-ignore", *OF_AN_INSTRUCTOR], cwd=ROOT, capture_output=True, encoding="utf-8")
    assert set(done.stdout.splitlines()) == set(OF_AN_INSTRUCTOR)


def test_nobody_who_reads_the_longest_notebook_loses_their_variables():
    longest = 60 * max(notebook.minutes for notebook in NOTEBOOKS)
    [idle] = re.findall(r"^IDLE = ([\d* ]+?)\s*#", text(CLASSROOM / "jupyterhub_config.py"), re.MULTILINE)
    hours, minutes, seconds = map(int, idle.split("*"))
    assert hours * minutes * seconds > longest
