"""The JupyterLab that `python course.py` opens saves a notebook whole, or not at all."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tools.jupyterlab.contents import Contents

NAME = "03_masks.ipynb"


@pytest.fixture
def save(tmp_path):
    """save(source): save a notebook with this cell in tmp_path."""
    contents = Contents(root_dir=str(tmp_path))

    def save(source):
        notebook = new_notebook(cells=[new_code_cell(source, id="mask")])
        model = {"type": "notebook", "format": "json", "content": notebook}
        with ThreadPoolExecutor() as pool:  # another thread, since Playwright leaves an event loop in the tests' own
            pool.submit(lambda: asyncio.run(contents.save(model, NAME))).result()

    return save


def saved(path):
    return nbformat.read(path, as_version=4).cells[0].source


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_save_that_breaks_off_leaves_the_notebook_as_it_was(save, tmp_path, monkeypatch, step):
    save("first ∀")

    def broken(*_):
        assert saved(tmp_path / NAME) == "first ∀"  # during the save
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, step, broken)
        with pytest.raises(Exception, match="No space left on device"):
            save("second")
    assert saved(tmp_path / NAME) == "first ∀" and [path.name for path in tmp_path.iterdir() if path.is_file()] == [
        NAME
    ]
    save("third")
    assert saved(tmp_path / NAME) == "third"


def test_a_notebook_that_is_a_link_stays_one(save, tmp_path):
    if os.name == "nt":
        pytest.skip("on Windows, making a link needs rights that a test may not have")
    target = tmp_path / "elsewhere" / NAME
    target.parent.mkdir()
    (tmp_path / NAME).symlink_to(target)
    save("mine")
    assert (tmp_path / NAME).is_symlink() and saved(target) == "mine"
