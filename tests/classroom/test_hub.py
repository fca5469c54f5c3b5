"""A small class on a hub: what tests/classroom/load.py does with many learners."""

import json
import os
import subprocess
import sys

import pytest

from tests.classroom.load import COURSE, PARTS, Class

pytestmark = [pytest.mark.install, pytest.mark.slow]

LEARNERS = ["ada", "ben", "cleo"]


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    if os.name == "nt":
        pytest.skip("JupyterHub does not run on Windows")
    from tests.classroom.hub import Hub

    hub = Hub(tmp_path_factory.mktemp("hub"), LEARNERS)
    try:
        hub.start()
        yield hub
    finally:
        hub.stop()


@pytest.fixture(scope="module")
def a_class(hub):
    a_class = Class(hub, LEARNERS, PARTS)
    a_class.run()
    print(a_class.table(), file=sys.stderr)  # pytest shows it where a test fails
    return a_class


def test_nothing_that_was_saved_is_lost_while_a_kernel_a_server_and_the_hub_die(a_class):
    assert a_class.lost() == []
    assert a_class.survived
    first, second, third = a_class.learners
    assert "the kernel died" in first.interruptions
    assert second.interruptions
    for learner in a_class.learners:
        assert set(learner.checked) == {"2.1", "2.2", "2.3", "3.1", "3.2"}


def test_update_knows_which_notebooks_are_open_in_a_server_of_the_hub(a_class, hub):
    """`python course.py update`, in a terminal of JupyterLab, must not replace a notebook that is open."""
    code = "from tools.study import open_in_lab; print(*sorted(open_in_lab()))"
    answer = subprocess.run(
        [sys.executable, "-c", code],
        cwd=hub.homes / "cleo" / COURSE,
        env=hub.servers()["cleo"].environ(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert answer.stdout.split() == list(PARTS), answer.stderr


def test_learners_have_folders_of_their_own(a_class, hub):
    copies = [hub.homes / name / COURSE for name in LEARNERS]
    before = [(copy / "data" / "attempts.jsonl").read_bytes() for copy in copies]
    assert all(not copy.is_symlink() and (copy / "notebooks").is_dir() for copy in copies)
    for copy in copies:
        notebook = json.loads((copy / "study" / "04_dropout.ipynb").read_text(encoding="utf-8"))
        assert not any(cell.get("outputs") for cell in notebook["cells"])
    assert len({copy.stat().st_ino for copy in copies}) == 3 and all(before)
