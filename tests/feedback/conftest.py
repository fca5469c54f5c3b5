"""What these tests share: a notebook's kernel, and a temporary folder for answers that pass."""

import sys

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

import exercises


@pytest.fixture(autouse=True)
def answers_folder(tmp_path_factory, monkeypatch):
    """A temporary folder for answers that pass, instead of the contributor's data/answers."""
    folder = tmp_path_factory.mktemp("learner") / "answers"
    monkeypatch.setattr(exercises, "ANSWERS", folder)
    return folder


@pytest.fixture
def run():
    """run(*cells) runs cells as a notebook does, and returns the displays and the output of the last one."""
    shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))

    def run(*cells):
        for cell in cells:
            with capture_output() as captured:
                shell.run_cell(cell, store_history=True)
        return [output.data["text/plain"] for output in captured.outputs], captured.stdout

    yield run
    InteractiveShell.clear_instance()


@pytest.fixture
def write_package(tmp_path, monkeypatch):
    """write_package(name, {file: text}) writes a package that can be imported, and returns its folder."""
    monkeypatch.syspath_prepend(tmp_path)
    names = []

    def write(name, files):
        names.append(name)
        for file, text in files.items():
            path = tmp_path / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path / name

    yield write
    for module in [module for module in sys.modules if module.split(".")[0] in names]:
        del sys.modules[module]
