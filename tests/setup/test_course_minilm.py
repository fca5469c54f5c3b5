"""When course.py downloads MiniLM, and what happens if that fails."""

import os

import pytest

from tests.setup.copies import ENDLESS

pytestmark = pytest.mark.install


def put_minilm(folder, *names):
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).touch()


def test_minilm_is_downloaded_patiently_at_first_and_in_a_hurry_later_unless_both_files_are_there(ready_course):
    """tests/setup/test_pretrained.py tests how long a hurried download waits."""
    folder = ready_course.folder / "data" / "cache" / "minilm"
    put_minilm(folder, "vocab.txt")
    ready_course.run()
    ready_course.run()
    (folder / "model.safetensors").touch()
    ready_course.run()
    assert [call["words"] for call in ready_course.calls("models")] == [["30"], ["2.5"]]


def test_minilm_in_a_folder_of_ones_own(ready_course):
    put_minilm(ready_course.folder / "stick", "model.safetensors", "vocab.txt")
    ready_course.run(COURSE_MINILM=str(ready_course.folder / "stick"))
    ready_course.run(COURSE_MINILM="stick")
    assert not ready_course.calls("models")


def test_the_course_goes_on_without_minilm(ready_course):
    process = ready_course.run(FAKE_MODELS="exit('MiniLM could not be downloaded: no network')")
    assert process.returncode == 0 and process.err == "MiniLM could not be downloaded: no network\n"
    assert len(ready_course.calls("jupyterlab")) == 1


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
