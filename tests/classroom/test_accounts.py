"""Who can read what on a hub with accounts of the system, tried from the kernels of two learners; it runs a hand-out.

The tests need root and Linux, since they make accounts. Elsewhere they are skipped; where CI runs them as root and
something is missing, they fail.
"""

import contextlib
import json
import os
import shutil
import time

import pytest

from tests.classroom.learner import PATIENCE, Learner

pytestmark = [pytest.mark.install, pytest.mark.slow]

COURSE = "attention-by-hand"  # a learner's copy, in their home
ADA, BEN, INA, SID = (f"course-test-{name}" for name in ("ada", "ben", "ina", "sid"))
MEMBERS = {ADA: "learners", BEN: "learners", INA: "instructors", SID: None}
OF_THE_INSTRUCTOR = ("class.html", "key.md", "names.txt", "secrets.yaml", "slides/session-1.html", "data/class.html")
WORK = """
import pathlib, sys
sys.path.insert(0, "..")
from exercises import check, hint, solution

def row_means(x):
    return x.mean(dim=1)

print(check("0.1", row_means).status)
pathlib.Path(PLACE).write_text("mine")
get_ipython().history_manager.writeout_cache()
"""
READ = """
import json

def readable(path):
    try:
        return bool(open(path, "rb").read(1))
    except OSError:
        return False

print(json.dumps([path for path in PATHS if readable(path)]))
"""


@pytest.fixture(scope="module")
def hub():
    """A hub whose course holds files of the instructor's, some of which nobody else can read."""
    if os.name == "nt":
        pytest.skip("JupyterHub does not run on Windows")
    from tests.classroom import accounts

    with contextlib.ExitStack() as stack:
        try:
            accounts.require()
            place = stack.enter_context(accounts.place_for_everybody())
            for name, mode in {"homes": 0o755, "state": 0o755, "open": 0o777}.items():
                (place / name).mkdir()
                (place / name).chmod(mode)
            stack.enter_context(accounts.accounts(place / "homes", MEMBERS))
            hub = accounts.Hub(place, list(MEMBERS))
        except RuntimeError as error:
            in_ci_as_root = os.environ.get("CI") and os.geteuid() == 0
            pytest.fail(str(error)) if in_ci_as_root else pytest.skip(str(error))
        for name in OF_THE_INSTRUCTOR:
            (hub.course / name).parent.mkdir(exist_ok=True)
            (hub.course / name).write_text("the instructor's", encoding="utf-8")
        for name in ("names.txt", "notebooks/08_a_language_model.ipynb"):
            (hub.course / name).chmod(0o600)
        stack.callback(hub.stop)
        hub.start()
        yield hub


@pytest.fixture(scope="module")
def people(hub):
    """Ada and Ben, who have worked."""
    people = [Learner(hub, name) for name in (ADA, BEN)]
    for person in people:
        person.log_in()
        person.start_server()
        person.open_notebook()
        assert person.says(WORK, PLACE=str(place_for_all(hub, person))) == "correct\n"
    return people


def place_for_all(hub, person):
    """A file outside of the person's home."""
    return hub.folder / "open" / person.name


def readable_by(person, paths):
    return json.loads(person.says(READ, PATHS=[str(path) for path in paths]))


def files_of(hub, person):
    """What holds a person's code, answers and progress."""
    home = hub.homes / person.name
    data = home / COURSE / "data"
    return [
        home / ".ipython" / "profile_default" / "history.sqlite",
        home / COURSE / "study" / "00_start_here.ipynb",
        *(data / "answers" / "0.1.py", data / "attempts.jsonl"),
        place_for_all(hub, person),
    ]


def test_learners_read_their_own_files_and_nobody_elses(hub, people):
    ada, ben = people
    assert readable_by(ada, files_of(hub, ada)) == [str(path) for path in files_of(hub, ada)]
    assert readable_by(ben, files_of(hub, ada)) == [] and readable_by(ada, files_of(hub, ben)) == []


def test_nobody_reads_what_the_hub_keeps(hub, people):
    kept = [hub.folder / "state" / name for name in ("cookie_secret", "jupyterhub.sqlite")]
    assert all(path.read_bytes() for path in kept)
    assert [readable_by(person, kept) for person in people] == [[], []]


def test_what_the_instructor_left_in_the_course_reaches_nobody_and_stops_nobody(hub, people):
    mine = hub.homes / ADA / COURSE
    assert [name for name in OF_THE_INSTRUCTOR if (mine / name).exists()] == []
    assert (mine / "study" / "07_a_real_bert.ipynb").exists()
    assert not (mine / "study" / "08_a_language_model.ipynb").exists()  # nobody else can read that one
    assert "08_a_language_model.ipynb cannot be read (Permission denied)" in hub.log.read_text(encoding="utf-8")


def test_a_hand_out_on_a_hub_shows_no_solutions(people):
    ada, _ = people
    calls = ('solution("0.1")', 'hint("0.1", 2)', 'check("0.1", lambda x: x)._repr_mimebundle_()["text/html"]')
    said = ada.says("\n".join(f"print({call})" for call in calls))
    assert "This copy of the course shows no solutions." in said
    assert "Next: Show your instructor what you have." in said
    assert "Still stuck? Show your instructor what you have." in said and "solution(" not in said


def test_an_instructor_logs_in_and_opens_a_learners_server_and_no_learner_does(hub, people):
    ina = Learner(hub, INA)
    ina.log_in()
    assert ina.ask("GET", "/hub/api/user").json()["admin"] and ina.ask("GET", "/hub/admin").ok
    assert ina.ask("GET", f"/user/{ADA}/lab").ok  # the page that asks whether to go on
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
