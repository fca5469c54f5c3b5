"""A real JupyterLab, for the few tests that need one: the fixtures `lab` and `open_notebook`.

open_notebook(cells, name="test")   a notebook of these code cells, open in JupyterLab: a `LabPage`
"""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import nbformat
import pytest
from nbformat.sign import NotebookNotary

import course
from tests.explorers.browser import SETTLED, WatchedPage

ROOT = Path(__file__).parents[2]

# ---------------------------------------------------------------- the server


class Lab:
    """A running JupyterLab: its URL, the folder it shows, and its environment variables."""

    def __init__(self, url, root, environment):
        self.url, self.root, self.environment = url, root, environment


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """One JupyterLab shared by all tests that leave nothing behind in it."""
    with running_lab(tmp_path_factory.mktemp("lab")) as lab:
        yield lab


@contextlib.contextmanager
def running_lab(home):
    """Run JupyterLab with this Python, on loopback, with settings and data of its own in the folder `home`."""
    root = home / "notebooks"
    root.mkdir()
    environment = _environment(home)
    port = _free_port()
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": port,
        "ServerApp.port_retries": 0,
        "IdentityProvider.token": "",
        "ServerApp.root_dir": root,
        "LabApp.extension_manager": "readonly",
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--expose-app-in-browser"]
    command += [
        *(f"--{name}={value}" for name, value in options.items()),
        *course.arrange_lab(home / "environment"),  # as `python course.py` opens it
    ]
    with open(home / "lab.log", "w", encoding="utf-8") as log:
        server = subprocess.Popen(command, cwd=root, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for_server(server, url, home / "lab.log")
            yield Lab(url, root, environment)
        finally:
            _stop(server)


def _environment(home):
    """The environment of server and kernels, which can import the course, and do not touch the user's own files."""
    own = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    paths = [str(ROOT), os.environ.get("PYTHONPATH")]
    folders = {name: str(home / name.lower()) for name in own}
    return {**os.environ, **folders, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_for_server(server, url, log, seconds=600):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{url}/api/status", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail("JupyterLab did not start:\n" + log.read_text(encoding="utf-8")[-2000:])


def _stop(server):
    """Let the server stop its kernels and itself; kill it if it does not."""
    server.terminate()
    try:
        server.wait(timeout=15)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


# ---------------------------------------------------------------- a notebook

PATIENCE = 300_000  # milliseconds, for one step on a busy machine
READY = "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
ALL_RAN = """[...document.querySelectorAll(".jp-CodeCell .jp-InputArea-prompt")]
    .every(prompt => /\\[\\d+\\]/.test(prompt.textContent))"""
LAY_OUT = """() => {
  const place = Object.assign(document.createElement("div"), { className: "jp-ThemedContainer" });
  place.append(...document.querySelectorAll(".jp-Notebook .jp-OutputArea"));
  for (const child of document.body.children) child.style.display = "none";
  document.body.append(place);
  for (const node of [document.documentElement, document.body, place])
    node.style.cssText = "position: static; overflow: visible; height: auto; background: var(--jp-layout-color0)";
}"""


class LabPage(WatchedPage):
    """One notebook, open in JupyterLab. `messages` counts the messages to the kernel.

    With `reset`, JupyterLab opens without its side panels.
    """

    def __init__(self, browser, lab, name, size, reset=True):
        super().__init__(browser, size)
        self.watched.append(self)
        self.messages = 0
        self.page.on("websocket", self._connect)
        self.address = f"{lab.url}/lab/tree/{name}{'?reset' * reset}"
        self.open()

    def open(self):
        """Open the saved notebook."""
        self.page.goto(self.address)
        self.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=PATIENCE)

    def run_all(self):
        """Run every cell and wait until the last has run; a cell that raises fails the test."""
        # Before the kernel is ready, JupyterLab would open a dialog and ask for one.
        self.page.wait_for_function(READY, timeout=PATIENCE)
        self.command("notebook:run-all-cells")
        self.page.wait_for_function(ALL_RAN, timeout=PATIENCE)
        raised = self.page.locator("[data-mime-type='application/vnd.jupyter.error']").all_inner_texts()
        assert not raised, raised[0]

    def command(self, name, arguments=None):
        """Start one of JupyterLab's commands without waiting, since some end only when a person answers."""
        self.page.evaluate(
            "([name, args]) => void window.jupyterapp.commands.execute(name, args)", [name, arguments or {}]
        )

    def theme(self, name):
        """Switch to the theme "Light" or "Dark"."""
        self.command("apputils:change-theme", {"theme": f"JupyterLab {name}"})
        self.page.wait_for_function("name => document.body.dataset.jpThemeName === name", arg=f"JupyterLab {name}")
        self.page.evaluate(f"() => {SETTLED}")

    def lay_out(self):
        """Reduce the page to its outputs, all in view; nothing else works on the page afterwards.

        JupyterLab's nested panels clip their contents, so axe-core would take all text as hidden, and not measure its
        contrast.
        """
        self.page.evaluate(LAY_OUT)

    def output(self, number):
        """The output of a code cell, counted from 0, scrolled into view."""
        output = self.page.locator(".jp-CodeCell").nth(number).locator(".jp-OutputArea").first
        # Not scroll_into_view_if_needed, which waits until the element is stable: a busy notebook moves for long.
        output.evaluate("node => node.scrollIntoView({block: 'center'})")
        self.page.evaluate(f"() => {SETTLED}")
        return output

    def _connect(self, socket):
        self.visit(socket.url)
        socket.on("framesent", self._count)

    def _count(self, _):
        self.messages += 1


@pytest.fixture(scope="session")
def windows(chromium):
    """One browser context for all pages of JupyterLab, so that only the first has to fetch and compile its scripts."""
    with chromium.new_context() as context:
        yield context


@pytest.fixture(scope="module")
def open_notebook(lab, windows):
    """open_notebook(cells, name="test", size=(1280, 900)): code as strings or a whole notebook -> a LabPage.

    The notebook is trusted, as if it had run on this machine (otherwise JupyterLab shows text instead of pictures);
    nothing has run yet.
    """
    with contextlib.ExitStack() as pages:

        def open_it(cells, name="test", size=(1280, 900)):
            path = lab.root / f"{name}.ipynb"
            _write(cells if isinstance(cells, dict) else _as_notebook(cells), path, lab)
            return pages.enter_context(contextlib.closing(LabPage(windows, lab, path.name, size)))

        yield open_it


def _as_notebook(cells):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in cells])


def _write(notebook, path, lab):
    """Save and trust a notebook, with the name of its kernel so that JupyterLab does not ask for one."""
    notebook["metadata"]["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)
    data = Path(lab.environment["JUPYTER_DATA_DIR"])
    data.mkdir(exist_ok=True)
    notary = NotebookNotary(data_dir=str(data))
    notary.sign(nbformat.read(path, as_version=4))
    notary.store.close()
