"""Try the limits of what pyproject.toml promises.

These are the oldest Python with the oldest packages, the newest with the newest, and the old Jupyter that Colab has.

`python course.py versions` runs this file; its words choose among oldest, newest and colab, none means all. Each gets
an environment of its own, .venv.oldest and so on, which takes several gigabytes (on Linux, PyTorch comes with CUDA) and
may be deleted afterwards. The Pythons must be on the PATH as python3.10 and python3.13.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10, where pytest brings this one
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools import Parser  # noqa: E402  the path comes first

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RANGES = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["test"]
SAME_FIGURES = "matplotlib==3.10.*"  # each minor version measures text a little differently, and nbval notices
OLDEST = [name.replace(">=", "==") for name in RANGES]
COLAB = ["torch==2.11.*", "ipython==7.34.0", "ipykernel==6.17.1", "ipywidgets==7.7.1", "anywidget==0.9.*"]
ENVIRONMENTS = {
    "oldest": ("python3.10", OLDEST),
    "newest": ("python3.13", [*RANGES, SAME_FIGURES]),
    "colab": ("python3.13", [*RANGES, *COLAB, SAME_FIGURES]),
}
VERSIONS = """import platform, torch, IPython, ipywidgets
print(platform.python_version(), torch.__version__, IPython.__version__, ipywidgets.__version__, sep=" | ")"""
TESTS = ["tests", "-m", "not browser and not install"]


def try_out(name):
    """Returns a line of the README's table: the versions, and what passed."""
    python, packages = ENVIRONMENTS[name]
    environment = ROOT / f".venv.{name}"
    own = environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not own.exists():
        subprocess.run([require_python(python), "-m", "venv", str(environment)], check=True)
    subprocess.run([own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages], check=True)
    versions = subprocess.run([own, "-c", VERSIONS], check=True, capture_output=True, encoding="utf-8").stdout.strip()
    tests, cells = passed(own, *TESTS), passed(own, "notebooks", "--nbval")
    return f"| {name} | {versions} | {tests} | {cells} |"


def require_python(name):
    path = shutil.which(name)
    if path is None:
        sys.exit(f"{name} is not on the PATH: install it, for instance with pyenv, and run the same command again.")
    return path


def passed(python, *words):
    """Run pytest, show what it says, and return its count, such as "1,204 passed"."""
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    run = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8", errors="replace")
    lines = []
    for line in run.stdout:
        print(line, end="", flush=True)
        lines.append(line)
    run.wait()
    counts = re.findall(r"\d+ (?:passed|failed|errors?)", lines[-1])
    return ", ".join(counts)


def main(words):
    sys.stdout.reconfigure(errors="replace")  # what pytest says may hold more than a console can show
    parser = Parser("versions", description="Try the limits of what pyproject.toml promises, each in an environment.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(ENVIRONMENTS)}; unset: all")
    names = parser.parse_args(words).names
    unknown = set(names) - set(ENVIRONMENTS)
    if unknown:
        sys.exit(f"There is no environment {sorted(unknown)[0]!r}, only {', '.join(ENVIRONMENTS)}.")
    table = [try_out(name) for name in names or ENVIRONMENTS]
    print(
        "| | Python | PyTorch | IPython | ipywidgets | tests | cells |\n|---|---|---|---|---|---|---|", *table, sep="\n"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
