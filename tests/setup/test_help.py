"""`--help` of course.py and of each command describes it, and does nothing else."""

import os
import runpy
import sys
from pathlib import Path

import pytest

from tests.setup.copies import PROJECT, imported

WORDS = ["--no-browser", "--port", "COURSE_TORCH", "COURSE_INSTALLER", "COURSE_DEVICE", "COURSE_MINILM"]


@pytest.fixture(scope="module")
def module():
    return imported(PROJECT / "course.py")


@pytest.fixture(autouse=True)
def no_handlers(module, monkeypatch):
    monkeypatch.setattr(module.signal, "signal", lambda *_: None)


def test_help(module, capsys):
    with pytest.raises(SystemExit):
        module.main(["--help"])
    said = capsys.readouterr().out
    assert [word for word in (*(f"course.py {name} " for name in module.COMMANDS), *WORDS) if word not in said] == []


@pytest.mark.install
def test_help_of_a_command_sets_nothing_up(course, capsys):
    there, module = sorted(course.folder.rglob("*")), imported(course.folder / "course.py")
    for command in module.COMMANDS:
        assert module.main([command, "--help"]) == 0
        assert capsys.readouterr().out.startswith(f"usage: python course.py {command}")
    assert [path for path in sorted(course.folder.rglob("*")) if "__pycache__" not in path.parts] == there


@pytest.mark.install
def test_a_command_with_options_is_asked_for_them(module, monkeypatch, capsys):
    monkeypatch.setattr(module, "PYTHON", Path(sys.executable))
    module.show_help("class")
    assert capsys.readouterr().out.startswith("usage: python course.py class [-h]")


@pytest.mark.slow
def test_each_command_says_what_it_takes_and_of_what_it_cannot_use_that_in_one_sentence(module, monkeypatch, capsys):
    monkeypatch.setitem(os.environ, "COURSE_PROGRESS", "memory")
    for command, (name, *_) in module.TOOLS.items():
        for word, code in (("--help", 0), ("--no-such-word", 1)):
            monkeypatch.setattr(sys, "argv", [name, word])
            with pytest.raises(SystemExit) as ended:
                runpy.run_module(name, run_name="__main__", alter_sys=True)
            out, err = capsys.readouterr()
            assert ended.value.code == code, command
            if code:
                assert err.endswith(f": `python course.py {command} --help` says what can follow it.\n"), command
            else:
                assert out.startswith(f"usage: python course.py {command} [-h]"), command
            assert len(err.splitlines()) == code, command
