"""Copies of the course in folders of their own, with fakes of the programs that course.py calls."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
NOWHERE = "http://127.0.0.1:9/"
ENDLESS = 600  # seconds; a process that takes longer counts as hanging

FAKE = """
import json, os, sys
from pathlib import Path
call = {"module": Path(__file__).parent.name, "words": sys.argv[1:], "process": os.getpid(),
        "progress": os.environ.get("COURSE_PROGRESS")}
with open("calls.txt", "a", encoding="utf-8") as file:  # course.py runs in the folder of the copy
    file.write(json.dumps(call) + "\\n")
if sys.argv[1:] != ["--version"]:
    exec(os.environ.get("FAKE_" + call["module"].upper(), ""))
"""

FAKE_TORCH = """
import os
from types import SimpleNamespace
exec(os.environ.get("FAKE_TORCH", ""))
zeros = lambda size: SimpleNamespace(numpy=lambda: None)
"""


def imported(path):
    """Import the module in a file again and return it."""
    spec = importlib.util.spec_from_file_location(f"{path.stem}_again", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def course_files():
    """Return all files of the course, as they are in the working tree."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=PROJECT, capture_output=True, encoding="utf-8")
    if listing.returncode != 0:
        pytest.skip("this is not a git checkout, so it is not known which files belong to the course")
    return [PROJECT / name for name in listing.stdout.split("\0") if name and (PROJECT / name).is_file()]


def published_copy(folder, branch="main"):
    """Copy the course's files into `folder` and commit them to a new repository there."""
    for path in course_files():
        copy = folder / path.relative_to(PROJECT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)
    git = ["git", "-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "init.defaultBranch=other"]
    for words in (["init"], ["checkout", "-b", branch], ["add", "--all", "--force"], ["commit", "-m", "The course"]):
        subprocess.run([*git, *words], cwd=folder, check=True, capture_output=True)
    return folder


def ended(process):
    """Wait for a process, add its output as `out` and `err`, assert that there is no traceback, and return it."""
    try:
        process.out, process.err = process.communicate(timeout=ENDLESS)
    finally:
        process.kill()
    assert "Traceback" not in process.err, process.err
    return process


def copy_study(folder):
    """Copy tools/study.py and what it imports into a folder."""
    feedback = (f"feedback/{name}.py" for name in ("__init__", "files", "notebooks"))
    for name in ("setup_failures.py", "tools/__init__.py", "tools/study.py", *feedback):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(PROJECT / name, folder / name)


class Course:
    """A copy of course.py in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.stamp = folder / ".venv" / "course-stamp.txt"
        for name in ("course.py", "setup_failures.py"):
            shutil.copy(PROJECT / name, folder)
        (folder / "classroom").mkdir()
        for name in ("requirements.txt", "requirements-test.txt", "classroom/requirements.txt", "requirements.lock"):
            (folder / name).write_text("# nothing\n", encoding="utf-8")
        (folder / "tests").mkdir()
        (folder / "notebooks").mkdir()
        (folder / "models").mkdir()
        (folder / "models" / "pretrained.py").write_text(FAKE, encoding="utf-8")
        (folder / "tools").mkdir()
        (folder / "tools" / "study.py").write_text(FAKE, encoding="utf-8")
        shutil.copytree(PROJECT / "tools" / "jupyterlab", folder / "tools" / "jupyterlab")

    def with_fakes(self):
        """Add a working .venv with fakes in it, whose recorded requirements have since changed."""
        venv.create(self.folder / ".venv", with_pip=False, symlinks=os.name != "nt")
        self.stamp.write_text("other requirements", encoding="utf-8")
        for module in ("pip", "jupyterlab", "pytest"):
            package = self.packages() / module
            package.mkdir()
            (package / "__init__.py").touch()  # so that no package elsewhere on the path has precedence
            (package / "__main__.py").write_text(FAKE, encoding="utf-8")
        (self.packages() / "torch.py").write_text(FAKE_TORCH, encoding="utf-8")
        for name in ("numpy.py", "matplotlib/__init__.py", "matplotlib/font_manager.py"):
            (self.packages() / name).parent.mkdir(exist_ok=True)
            (self.packages() / name).touch()
        return self

    def packages(self):
        return next((self.folder / ".venv").glob("[Ll]ib/**/site-packages"))

    def start(self, *words, simulate="", **variables):
        """Start course.py; `simulate` is code that runs first and changes its surroundings."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.upper().startswith(("PIP_", "COURSE_")) and not name.lower().endswith("_proxy")
        }
        world = {
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_INDEX_URL": NOWHERE,
            "PIP_RETRIES": "1",
            "COURSE_TORCH": "default",
            "COURSE_INSTALLER": "pip",
        }
        program = (
            "import runpy, sys\n" + simulate + "\nsys.argv[0] = 'course.py'\n"
            "runpy.run_path('course.py', run_name='__main__')"
        )
        return subprocess.Popen(
            [sys.executable, "-c", program, *words],
            cwd=self.folder,
            env=kept | world | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def run(self, *words, simulate="", **variables):
        return ended(self.start(*words, simulate=simulate, **variables))

    def python(self):
        return self.folder / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    def calls(self, module):
        file = self.folder / "calls.txt"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        found = [json.loads(line) for line in lines]
        return [call for call in found if call["module"] == module and call["words"] != ["--version"]]

    def wait_for(self, module):
        deadline = time.monotonic() + ENDLESS
        while not self.calls(module):
            assert time.monotonic() < deadline, f"{module} was never called"
            time.sleep(0.02)
        return self.calls(module)[0]["process"]
