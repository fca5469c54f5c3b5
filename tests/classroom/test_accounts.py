"""Who can read what on a hub that runs a hand-out with system accounts, tried from the kernels of two learners.

test_server.py tests the hub's configuration and what it copies. These tests need root and Linux, since they make
accounts. Elsewhere they are skipped; if CI runs them as root and something is missing, they fail.
"""

import contextlib
import json
import os
import shutil
import tempfile
import time
from pathlib import Path

import pytest

from tests.classroom.learner import PATIENCE, Learner

pytestmark = [pytest.mark.install, pytest.mark.release]

COURSE = "attention-by-hand"  # a learner's copy, in their home
ADA, BEN, INA, SID = (f"course-test-{name}" for name in ("ada", "ben", "ina", "sid"))
MEMBERS = {ADA: "learners", BEN: "learners", INA: "instructors", SID: None}
WORK = """
import json, pathlib, sys
sys.path.insert(0, "..")
from exercises import check

def row_means(x):
    return x.mean(dim=1)

def readable(path):
    try:
        return bool(open(path, "rb").read(1))
    except OSError:
        return False

pathlib.Path(PLACE).write_text("mine")
get_ipython().history_manager.writeout_cache()
print(check("0.1", row_means).status)
"""


@pytest.fixture(scope="module")
def hub():
    """A hub with accounts, and with a folder outside of all homes that everybody can write to."""
    if os.name == "nt":
        pytest.skip("JupyterHub does not run on Windows")
    from tests.classroom import accounts

    with contextlib.ExitStack() as stack:
        try:
            accounts.require()
            place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hub-")))
            for name, mode in {".": 0o755, "homes": 0o755, "state": 0o755, "open": 0o777}.items():
                (place / name).mkdir(exist_ok=True)
                (place / name).chmod(mode)  # open to every account, unlike pytest's folders
            stack.enter_context(accounts.accounts(place / "homes", MEMBERS))
            hub = accounts.Hub(place, list(MEMBERS))
        except RuntimeError as error:
            in_ci_as_root = os.environ.get("CI") and os.geteuid() == 0
            pytest.fail(str(error)) if in_ci_as_root else pytest.skip(str(error))
        stack.callback(hub.stop)
        hub.start()
        yield hub


class Worker(Learner):
    """A learner who has already worked in a kernel."""

    def __init__(self, hub, name):
        super().__init__(hub, name)
        self.log_in()
        self.start_server()
        self.open_notebook()
        elsewhere, home = hub.folder / "open" / name, hub.homes / name
        assert self.says(WORK.replace("PLACE", repr(str(elsewhere)))) == "correct\n"
        data = home / COURSE / "data"
        self.files = [  # the files with the learner's code, answers and progress
            home / ".ipython" / "profile_default" / "history.sqlite",
            home / COURSE / "study" / "00_start_here.ipynb",
            *(data / "answers" / "0.1.py", data / "attempts.jsonl"),
            elsewhere,
        ]

    def reads(self, files):
        """Return those of the files that the learner's kernel can read."""
        said = json.loads(self.says(f"print(json.dumps([*map(readable, {[*map(str, files)]})]))"))
        return [file for file, readable in zip(files, said, strict=True) if readable]


@pytest.fixture(scope="module")
def people(hub):
    """Ada and Ben."""
    return Worker(hub, ADA), Worker(hub, BEN)


def test_learners_read_their_own_files_and_neither_those_of_others_nor_of_the_hub(hub, people):
    ada, ben = people
    assert ada.reads(ada.files) == ada.files
    assert ben.reads(ada.files) == [] and ada.reads(ben.files) == []
    kept_by_the_hub = [hub.folder / "state" / name for name in ("cookie_secret", "jupyterhub.sqlite")]
    assert all(path.read_bytes() for path in kept_by_the_hub)
    assert ada.reads(kept_by_the_hub) == []


def test_an_instructor_logs_in_and_opens_a_learners_server_and_no_learner_does(hub, people):
    ina = Learner(hub, INA)
    ina.log_in()
    assert ina.ask("GET", "/hub/api/user").json()["admin"] and ina.ask("GET", "/hub/admin").ok
    assert ina.ask("GET", f"/user/{ADA}/lab").ok  # a page that asks for confirmation
    _, ben = people
    assert not ben.ask("GET", "/hub/api/user").json()["admin"]
    for page in ("/hub/admin", f"/user/{ADA}/lab", f"/user/{ADA}/api/contents/study"):
        assert ben.ask("GET", page).status_code == 403


def test_an_account_of_neither_group_is_refused(hub):
    with pytest.raises(PermissionError, match="403"):
        Learner(hub, SID).log_in()


def test_a_hub_that_is_killed_leaves_no_culler_behind(hub):
    if not shutil.which("setpriv"):
        pytest.skip("without setpriv a culler outlives its hub")
    [before] = hub.cullers()
    hub.kill()
    hub.start()
    until = time.monotonic() + PATIENCE
    while (len(after := hub.cullers()) != 1 or before in after) and time.monotonic() < until:
        time.sleep(0.1)
    assert len(after) == 1 and before not in after
