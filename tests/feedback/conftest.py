"""What these tests share: a notebook's kernel, and a temporary folder for answers that pass."""

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

import exercises


@pytest.fixture(autouse=True)
def answers_folder(tmp_path_factory, monkeypatch):
    """Where answers that pass are kept, instead of the contributor's data/answers."""
    folder = tmp_path_factory.mktemp("learner") / "answers"
    monkeypatch.setattr(exercises, "ANSWERS", folder)
    return folder


@pytest.fixture
def run():
    """Run cells, as a notebook does, and give what the last one showed: its displays and its output."""
    shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))

    def run(*cells):
        for cell in cells:
            with capture_output() as captured:
                shell.run_cell(cell, store_history=True)
        return [output.data["text/plain"] for output in captured.outputs], captured.stdout

    yield run
    InteractiveShell.clear_instance()
