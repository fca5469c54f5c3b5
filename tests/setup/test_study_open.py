"""The learner's own copies while JupyterLab is open: which are left alone, and where the course is open already."""

import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from nbformat.v4 import new_markdown_cell

from tests.setup.copies import imported
from tests.setup.test_study import NAME, changed, course, studied  # noqa: F401 (fixtures)


@pytest.fixture
def server(monkeypatch):
    """server(root, *paths): a Jupyter server on this computer with kernels for these notebooks."""
    servers = []

    def serve(root, *paths):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                allowed = self.path == "/base/api/sessions" and self.headers["Authorization"] == "token secret"
                self.send_response(200 if allowed else 403)
                self.end_headers()
                self.wfile.write(json.dumps([{"path": path} for path in paths]).encode() if allowed else b"")

            def log_message(self, *_):
                pass

        servers.append(HTTPServer(("127.0.0.1", 0), Handler))
        Thread(target=servers[-1].serve_forever, daemon=True).start()
        return {"url": f"http://127.0.0.1:{servers[-1].server_port}/base/", "token": "secret", "root_dir": str(root)}

    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    yield serve
    for each in servers:
        each.shutdown()
        each.server_close()


def list_servers(course, *listed):  # noqa: F811
    (course.folder / "jupyter").mkdir()
    for number, text in enumerate(["{", *map(json.dumps, listed)]):
        (course.folder / "jupyter" / f"jpserver-{number}.json").write_text(text, encoding="utf-8")


def test_which_notebooks_are_open(course, server):  # noqa: F811
    list_servers(
        course,
        server(course.folder, f"study/{NAME}", "notebooks/00_start_here.ipynb", "study/old/03_masks.ipynb"),
        server(course.folder / "study", "00_start_here.ipynb"),
        server(course.folder.parent, NAME),
        {"url": "http://127.0.0.1:9/", "token": "", "root_dir": str(course.folder)},  # it has ended
        {**server(course.folder, "study/04_more.ipynb"), "token": "wrong"},
    )
    assert imported(course.folder / "tools" / "study.py").open_in_lab() == {NAME, "00_start_here.ipynb"}


def test_a_course_that_is_open_says_where(course, server, monkeypatch, capsys):  # noqa: F811
    gone = {"url": "http://127.0.0.1:9/", "token": "", "root_dir": str(course.folder)}
    listed = [gone, server(course.folder.parent), server(course.folder)]
    list_servers(course, *listed)
    capsys.readouterr()
    assert course.study.main(["open"]) == course.study.IS_OPEN
    assert f"The course is open already, at {listed[-1]['url']}lab?token=secret" in capsys.readouterr().out
    (course.folder / "jupyter" / "jpserver-3.json").unlink()
    assert course.study.main(["open"]) == 0 and course.path.exists()


def test_where_jupyter_cannot_write_the_course_says_so(course, monkeypatch, capsys):  # noqa: F811
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(course.folder / "notebooks" / NAME / "runtime"))  # below a file
    assert course.study.main(["open"]) == 1
    sentence, error = capsys.readouterr().err.splitlines()
    assert sentence.startswith("A folder of Jupyter's cannot be written") and str(Path(NAME, "runtime")) in error


def test_under_a_hub_it_is_open_and_no_token_is_shown(course, server, monkeypatch, capsys):  # noqa: F811
    list_servers(course, {**server(course.folder), "token": ""})
    monkeypatch.setenv("JUPYTERHUB_API_TOKEN", "secret")
    assert course.study.main(["open"]) == course.study.IS_OPEN
    assert capsys.readouterr().out == "JupyterLab is open already: go on in its tab of your browser.\n"


@pytest.mark.parametrize("words", [["update"], ["reset", "03"]])
def test_a_notebook_that_is_open_in_jupyterlab_is_left_alone(studied, capsys, words):  # noqa: F811
    studied.publish(changed(title="# Masks"))
    studied.publish([new_markdown_cell("# Start", id="title")], "00_start_here.ipynb")
    studied.study.open_in_lab = lambda: {NAME}
    before = studied.path.read_bytes()
    assert studied.study.main(words) == 1
    assert f"study/{NAME} is open in JupyterLab: save it there" in capsys.readouterr().err
    assert studied.path.read_bytes() == before and not any(NAME[:8] in path.name for path in studied.kept())
    studied.study.open_in_lab = set
    assert studied.study.main(words) == 0 and studied.cells()["title"] == "# Masks"
