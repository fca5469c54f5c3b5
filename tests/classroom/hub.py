"""A hub as classroom/jupyterhub_config.py sets it up, on loopback, and the processes that belong to it.

It runs with shared accounts, which need no accounts of the system (accounts.py has a hub with these), and with a proxy
that comes with pip, since the machine that runs the tests may have no Node.js. That proxy is good enough for the
simulated learners, who ask again where a browser would wait for a stream of events.
"""

import contextlib
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "classroom" / "jupyterhub_config.py"
PASSWORD = secrets.token_urlsafe()
PYTHON_PROXY = f"{Path(sys.executable).with_name('configurable-http-proxy')} --proxy-timeout=600000"  # milliseconds
IN_A_CONTAINER = f"load_subconfig({str(CONFIG)!r})\nc.Spawner.args = ['--allow-root']\n"  # tests often run as root


class Hub:
    """The hub of a class whose learners have these names; `folder` is where it keeps everything."""

    def __init__(self, folder, names, proxy=PYTHON_PROXY):
        self.folder, self.log = folder, folder / "hub.log"
        self.homes = folder / "state" / "homes"
        self.url = f"http://127.0.0.1:{three_free_ports()}"
        (folder / "names").write_text("\n".join(names), encoding="utf-8")
        (folder / "config.py").write_text(IN_A_CONTAINER, encoding="utf-8")
        self.command = [sys.executable, "-m", "jupyterhub", "-f", str(folder / "config.py")]
        self.environment = {
            **without_progress(os.environ),
            "COURSE_HUB_ACCOUNTS": "shared",
            "COURSE_HUB_PASSWORD": PASSWORD,
            "COURSE_HUB_LEARNERS": str(folder / "names"),
            "COURSE_HUB_URL": self.url,
            "COURSE_HUB_STATE": str(folder / "state"),
            "COURSE_HUB_PROXY": proxy,
        }
        self.process = None

    def start(self, seconds=600):
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                self.command, cwd=self.folder, env=self.environment, stdout=log, stderr=subprocess.STDOUT
            )
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.process.poll() is None:
            with contextlib.suppress(urllib.error.URLError, OSError):
                urllib.request.urlopen(f"{self.url}/hub/health", timeout=5).close()
                return
            time.sleep(0.2)
        raise RuntimeError("The hub did not start:\n" + self.log.read_text(encoding="utf-8")[-3000:])

    def kill(self):
        """As if the power of this one program had failed: nothing is tidied up."""
        self.process.kill()
        self.process.wait()

    def processes(self):
        """All that was started for this hub and still runs, whoever the parent is now."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.environ().get("COURSE_HUB_STATE") == self.environment["COURSE_HUB_STATE"] or any(
                    str(self.homes) in value for value in (process.environ().get("HOME", ""),)
                ):
                    found.append(process)
        return found

    def cullers(self):
        return [process for process in self.processes() if runs(process, "jupyterhub_idle_culler")]

    def servers(self):
        """{learner: the process of their JupyterLab}"""
        return {
            self.learner_of(process): process for process in self.processes() if runs(process, "jupyterhub.singleuser")
        }

    def kernels(self, name):
        """The processes of a learner's kernels."""
        return [p for p in self.processes() if runs(p, "ipykernel_launcher") and self.learner_of(p) == name]

    def learner_of(self, process):
        return Path(process.environ()["HOME"]).name

    def stop(self):
        """End everything that was started for this hub."""
        ended = self.processes()
        for process in ended:
            with contextlib.suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(ended, timeout=10)
        with contextlib.suppress(Exception):
            self.process.wait(timeout=10)


def without_progress(environment):
    """The tests' own setting is not the learners'."""
    return {name: value for name, value in environment.items() if name != "COURSE_PROGRESS"}


def runs(process, module):
    with contextlib.suppress(psutil.Error):
        return module in process.cmdline()
    return False


def three_free_ports():
    """The first of three free ports in a row: for the learners, for the hub, and for the proxy's API."""
    for _ in range(100):
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError, OverflowError):
            probes = [stack.enter_context(socket.socket()) for _ in range(3)]
            probes[0].bind(("127.0.0.1", 0))
            port = probes[0].getsockname()[1]
            for step, probe in enumerate(probes[1:], start=1):
                probe.bind(("127.0.0.1", port + step))
            return port
    raise RuntimeError("no three free ports in a row")
