"""A hub with system accounts, started from a hand-out and set up as in classroom/hub.md.

The accounts are made for the tests, with a random password, and removed afterward, which requires root and Linux. The
proxy is installed by pip, since the machine that runs the tests may not have Node.js; it is good enough for simulated
learners, which poll where a browser would wait for a stream of events.
"""

import contextlib
import grp
import os
import pwd
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import psutil
from filelock import FileLock

from tools import handout

PASSWORD = secrets.token_urlsafe()
PROXY = f"{Path(sys.executable).with_name('configurable-http-proxy')} --proxy-timeout=600000"  # milliseconds
GROUPS = ("learners", "instructors")
LOCK = Path(tempfile.gettempdir()) / "course-test-accounts.lock"  # accounts belong to the machine: one test at a time


def require():
    """Check that accounts can be made. Errors: RuntimeError if they cannot"""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        raise RuntimeError("Only root on Linux can make accounts with useradd.")


@contextlib.contextmanager
def accounts(homes, members):
    """Make temporary accounts {name: its group, or None}, with homes that others can open, as on Debian.

    Existing accounts were left by a test that was killed, and are replaced. Errors: RuntimeError if this fails
    """
    with FileLock(LOCK), contextlib.ExitStack() as undo:
        for name in members.keys() & {account.pw_name for account in pwd.getpwall()}:
            system("userdel", name)
        for group in {*GROUPS} - {group.gr_name for group in grp.getgrall()}:
            system("groupadd", group)
            undo.callback(system, "groupdel", group)
        for name, group in members.items():
            system("useradd", "--create-home", "--base-dir", homes, "--key", "HOME_MODE=0755", name)
            undo.callback(system, "userdel", name)
            if group:
                system("usermod", "--append", "--groups", group, name)
        system("chpasswd", said="".join(f"{name}:{PASSWORD}\n" for name in members))
        yield


def system(*command, said=""):
    """Run a program with `said` as its input. Errors: RuntimeError with the program's message"""
    try:
        done = subprocess.run([*map(str, command)], input=said, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise RuntimeError(f"There is no {command[0]}.") from error
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr}")


def python_for(account, folder):
    """Return an interpreter with the packages of this one that the account can run.

    Perhaps only root can run this one; then use another one of the same version, with links to the packages. Errors:
    RuntimeError if there is none
    """
    if can_run(account, sys.executable):
        return sys.executable
    environment = folder / "environment"
    (environment / "bin").mkdir(parents=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    python = environment / "bin" / "python"
    python.symlink_to(f"/usr/bin/{version}")
    (environment / "pyvenv.cfg").write_text("home = /usr/bin\n", encoding="utf-8")
    for name in ("etc", "lib", "share"):
        (environment / name).symlink_to(Path(sys.prefix, name))
    if can_run(account, str(python)):
        return str(python)
    raise RuntimeError(f"Other accounts can run neither {sys.executable} nor /usr/bin/{version}: install Python there.")


def can_run(account, python):
    command = [python, "-c", "import jupyterhub.singleuser, torch"]
    try:
        return as_account(account, command, capture_output=True).returncode == 0
    except OSError:
        return False


def as_account(name, command, **options):
    """Run a command as a system account, without root's environment."""
    found = pwd.getpwnam(name)
    environment = {"HOME": found.pw_dir, "PATH": os.defpath}
    ids = {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": os.getgrouplist(name, found.pw_gid)}
    return subprocess.run(command, cwd=found.pw_dir, env=environment, **ids, **options)


class Hub:
    """A hub that runs a hand-out, which this class writes into `folder`; the accounts already exist."""

    def __init__(self, folder, names):
        self.folder, self.log, self.homes = folder, folder / "hub.log", folder / "homes"
        self.course, self.process = folder / "attention-by-hand", None
        self.url = f"http://127.0.0.1:{three_free_ports()}"
        handout.write(self.course, handout.study.names_published(), None)
        python = Path(python_for(names[0], folder))
        (self.course / ".venv").symlink_to(python.parents[1])
        self.command = [str(python), "-m", "jupyterhub", "-f", str(self.course / "classroom" / "jupyterhub_config.py")]
        self.environment = {
            **os.environ,
            "COURSE_HUB_URL": self.url,
            "COURSE_HUB_STATE": str(folder / "state"),
            "COURSE_HUB_PROXY": PROXY,
        }
        del self.environment["COURSE_PROGRESS"]  # a setting for the tests, not for learners

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
        """Kill the hub's process, without any cleanup."""
        self.process.kill()
        self.process.wait()

    def processes(self):
        """Return all running processes that were started for this hub, whatever their parents are now."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                variables = process.environ()
                if variables.get("COURSE_HUB_STATE") == self.environment["COURSE_HUB_STATE"] or variables.get(
                    "HOME", ""
                ).startswith(str(self.homes)):
                    found.append(process)
        return found

    def cullers(self):
        return [process for process in self.processes() if "jupyterhub_idle_culler" in process.cmdline()]

    def stop(self):
        """End all processes that were started for this hub."""
        ended = self.processes()
        for process in ended:
            with contextlib.suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(ended, timeout=10)
        with contextlib.suppress(Exception):
            self.process.wait(timeout=10)


def three_free_ports():
    """Return the first of three consecutive free ports: for the learners, the hub, and the proxy's API."""
    for _ in range(100):
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError, OverflowError):
            probes = [stack.enter_context(socket.socket()) for _ in range(3)]
            probes[0].bind(("127.0.0.1", 0))
            port = probes[0].getsockname()[1]
            for step, probe in enumerate(probes[1:], start=1):
                probe.bind(("127.0.0.1", port + step))
            return port
    raise RuntimeError("no three free ports in a row")
