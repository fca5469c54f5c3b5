"""classroom/server.py: the learner's own copy of the course, and what is pinned for a hub."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from traitlets.config import Config

from exercises.notebooks import NOTEBOOKS

ROOT = Path(__file__).resolve().parents[2]
CLASSROOM = ROOT / "classroom"


@pytest.fixture
def server(tmp_path):
    """The module, with a small course and a home in a temporary folder."""
    spec = importlib.util.spec_from_file_location("server", CLASSROOM / "server.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.COURSE, module.MINE = tmp_path / "course", tmp_path / "home" / "attention-by-hand"
    for name in ("course.py", "helpers/heads.py", "notebooks/00.ipynb", "data/journey.csv"):
        path = module.COURSE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"first edition of {name}", encoding="utf-8")
    return module


def text(path):
    return path.read_text(encoding="utf-8")


def test_a_copy_holds_the_course_and_nothing_of_whoever_tried_it_there(server):
    for name in ("study/00.ipynb", "data/progress.json", "data/attempts.jsonl", "data/answers/2.1.py", ".venv/x.py"):
        path = server.COURSE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("the instructor's", encoding="utf-8")
    assert server.refresh() == []
    assert os.name == "nt" or server.MINE.stat().st_mode & 0o077 == 0
    found = {path.relative_to(server.MINE).as_posix() for path in server.MINE.rglob("*") if path.is_file()}
    assert found == {"course.py", "helpers/heads.py", "notebooks/00.ipynb", "data/journey.csv", server.RECORD}


def test_a_new_edition_reaches_the_copy_but_spares_what_the_learner_changed(server):
    server.refresh()
    (server.MINE / "study").mkdir()
    for name in ("study/00.ipynb", "notebooks/00.ipynb", "data/progress.json"):
        (server.MINE / name).write_text("mine", encoding="utf-8")
    (server.MINE / "helpers" / "heads.py").unlink()
    for name in ("course.py", "notebooks/00.ipynb"):
        (server.COURSE / name).write_text("second edition", encoding="utf-8")
    assert server.refresh() == ["notebooks/00.ipynb"]
    assert text(server.MINE / "course.py") == "second edition"
    assert text(server.MINE / "helpers" / "heads.py").startswith("first edition")
    for name in ("study/00.ipynb", "notebooks/00.ipynb", "data/progress.json"):
        assert text(server.MINE / name) == "mine"


def test_a_lost_record_costs_no_work(server):
    server.refresh()
    (server.MINE / server.RECORD).write_text("{half", encoding="utf-8")
    (server.MINE / "notebooks" / "00.ipynb").write_text("mine", encoding="utf-8")
    assert server.refresh() == ["notebooks/00.ipynb"]
    assert text(server.MINE / "notebooks" / "00.ipynb") == "mine"


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux counts what a program has reserved")
def test_a_program_that_wants_too_much_memory_gets_an_error_that_it_can_catch():
    code = (
        f"import sys; sys.path.insert(0, {str(CLASSROOM)!r}); import server; server.limit_memory(); import torch\n"
        "try:\n    torch.zeros(3 * 10**8)\nexcept RuntimeError:\n    print('refused', torch.zeros(10**6).sum())"
    )
    environment = {"MEM_LIMIT": str(10**9), "OMP_NUM_THREADS": "1", "PATH": ""}
    answer = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
    assert answer.stdout == "refused tensor(0.)\n", answer.stderr


# ---- the hub of one machine


@pytest.fixture
def configure(tmp_path, monkeypatch):
    """configure(COURSE_HUB_...=value) -> what jupyterhub_config.py sets."""
    for name in [name for name in os.environ if name.startswith("COURSE_HUB_")]:
        monkeypatch.delenv(name)

    def load(**variables):
        for name, value in {"COURSE_HUB_STATE": str(tmp_path / "hub"), "COURSE_HUB_PROXY": "none", **variables}.items():
            monkeypatch.setenv(name, value)
        path, config = CLASSROOM / "jupyterhub_config.py", Config()
        exec(compile(text(path), path, "exec"), {"get_config": lambda: config, "__file__": str(path)})
        return config

    return load


unix = pytest.mark.skipif(os.name == "nt", reason="JupyterHub does not run on Windows")


@unix
def test_unless_told_otherwise_a_hub_listens_to_this_machine_alone_and_needs_accounts(configure, monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr("grp.getgrall", lambda: [SimpleNamespace(gr_name="learners")])
    with pytest.raises(SystemExit, match="Make the groups"):
        configure()
    groups = [SimpleNamespace(gr_name=name) for name in ("learners", "instructors")]
    monkeypatch.setattr("grp.getgrall", lambda: groups)
    config = configure()
    assert config.JupyterHub.bind_url == "http://127.0.0.1:8000"
    assert config.JupyterHub.authenticator_class == "pam"
    assert "allow_all" not in config.Authenticator
    assert (tmp_path / "hub").stat().st_mode & 0o077 == 0
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(SystemExit, match="start it with sudo"):
        configure()


@unix
def test_with_shared_accounts_only_those_on_the_list_can_log_in(configure, tmp_path):
    with pytest.raises(SystemExit, match="names, one a line"):
        configure(COURSE_HUB_ACCOUNTS="shared", COURSE_HUB_PASSWORD="eight words")
    (tmp_path / "names").write_text("ada\nben\n", encoding="utf-8")
    config = configure(COURSE_HUB_ACCOUNTS="shared", COURSE_HUB_LEARNERS=str(tmp_path / "names"))
    assert config.Authenticator.allowed_users == {"ada", "ben"}


# ---- what is pinned in several places


def values():
    return yaml.safe_load(text(CLASSROOM / "values.yaml"))


def test_hub_chart_and_image_carry_the_same_series_of_jupyterhub():
    [pinned] = re.findall(r"^jupyterhub==(\d+\.\d+)\.\d+", text(CLASSROOM / "requirements.txt"), re.MULTILINE)
    [of_chart] = re.findall(r"JupyterHub (\d+\.\d+)\.\d+", text(CLASSROOM / "values.yaml"))
    assert pinned == of_chart
    dockerfile = text(CLASSROOM / "Dockerfile")
    assert re.search(r"pip install -c classroom/requirements.txt .*\bjupyterhub\n", dockerfile)


def test_one_tag_and_one_chart_are_named_everywhere():
    image = values()["singleuser"]["image"]
    tag, chart = f"{image['name']}:{image['tag']}", r"--version (\d+\.\d+\.\d+)"
    assert tag in text(CLASSROOM / "Dockerfile") and tag in text(CLASSROOM / "hub.md")
    versions = {v for name in ("values.yaml", "hub.md") for v in re.findall(chart, text(CLASSROOM / name))}
    assert len(versions) == 1 and f"chart {versions.pop()}" in text(CLASSROOM / "values.yaml")


def test_the_image_starts_a_server_as_the_hub_of_one_machine_does():
    assert values()["singleuser"]["cmd"][1] == "/opt/attention-by-hand/classroom/server.py"
    dockerfile = text(CLASSROOM / "Dockerfile")
    assert "WORKDIR /opt/attention-by-hand\n" in dockerfile
    assert re.findall(r"^USER (.*)$", dockerfile, re.MULTILINE)[-1] == "1000"


def test_nobody_who_reads_the_longest_notebook_loses_their_variables():
    longest = 60 * max(notebook.minutes for notebook in NOTEBOOKS)
    [idle] = re.findall(r"^IDLE = ([\d* ]+?)\s*#", text(CLASSROOM / "jupyterhub_config.py"), re.MULTILINE)
    hours, minutes, seconds = map(int, idle.split("*"))
    assert hours * minutes * seconds > longest
    assert values()["cull"]["timeout"] > longest
