"""`--help` of course.py and of each of its commands: it says what there is, and does nothing."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tests.setup.copies import PROJECT, Course

pytestmark = pytest.mark.install


@pytest.fixture
def module():
    spec = importlib.util.spec_from_file_location("course_under_test", PROJECT / "course.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_help(tmp_path, module):
    process = Course(tmp_path).run("--help")
    assert process.returncode == 0
    for word in (
        *(f"course.py {command} " for command in module.COMMANDS),
        "--no-browser",
        "--port",
        "COURSE_TORCH",
        "COURSE_INSTALLER",
        "COURSE_DEVICE",
        "COURSE_MINILM",
    ):
        assert word in process.out


@pytest.mark.parametrize("set_up", [False, True])
def test_help_only_helps(tmp_path, module, set_up):
    course = Course(tmp_path)
    if set_up:
        course.with_fakes()
    there = sorted(course.folder.rglob("*"))
    for command in module.COMMANDS:
        process = course.run(command, "--help")
        assert process.out.startswith(f"usage: python course.py {command}") and process.returncode == 0
    assert sorted(course.folder.rglob("*")) == there


def test_a_command_with_options_lists_them_and_does_nothing(module, monkeypatch, capsys):
    """With the modules of the course itself."""
    monkeypatch.setattr(module, "PYTHON", Path(sys.executable))
    for command in module.MODULES:
        module.show_help(command)
        said = capsys.readouterr().out
        assert said.startswith(f"usage: python course.py {command} [-h]") and "--help" in said


@pytest.mark.parametrize("words", [["class"], ["grading", "moodle", "out"], ["lock", "--frozen"], ["save", "-x"]])
def test_what_a_command_cannot_use_is_said_in_one_sentence(module, words):
    command = [sys.executable, "-m", module.MODULES[words[0]], *words[1:]]
    process = subprocess.run(command, cwd=PROJECT, capture_output=True, encoding="utf-8")
    assert process.returncode == 1 and len(process.stderr.splitlines()) == 1
    assert f": `python course.py {words[0]} --help` says what can follow it." in process.stderr
