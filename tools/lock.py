"""Write requirements.lock, which pins every direct and indirect requirement for each Python version and system.

`python course.py lock` runs this file. pip and uv use the lock as constraints, so being listed there installs nothing.
PyTorch and its CUDA packages are left out: requirements.txt pins PyTorch, whose builds each have their own packages.
"""

import re
import subprocess
import sys

from tools import ROOT, Parser, Problem, run

OLDEST_PYTHON = "3.10"
HEADER = """\
# Every package that all files of requirements lead to, but for PyTorch and its CUDA packages.
# Written by `python course.py lock`; used as constraints, so nothing is installed because it is named here.
"""
# From 4.25 on, jsonschema depends on rfc3987-syntax, whose import takes two thirds of JupyterLab's startup time.
OLDER = "jsonschema<4.25"
OF_TORCH = re.compile(r"(torch|triton|nvidia-[\w-]+|cuda-[\w-]+)==")


def resolve():
    """Return the newest compatible versions, one line each. Errors: Problem if uv finds none"""
    command = [
        sys.executable,
        "-m",
        "uv",
        "pip",
        "compile",
        "--quiet",
        "--universal",
        "--upgrade",
        "--no-header",
        "--no-annotate",
        "--no-emit-index-url",
        f"--python-version={OLDEST_PYTHON}",
        "requirements.txt",
        "requirements-test.txt",
        "classroom/requirements.txt",
        "classroom/requirements-grading.txt",
        "-",  # standard input, which holds OLDER
    ]
    done = subprocess.run(command, cwd=ROOT, input=OLDER, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise Problem("No versions were found that fit together: uv says why, above.")
    return done.stdout.splitlines()


def write():
    print("Asking the package index which versions fit together.", flush=True)
    lines = [line for line in resolve() if not OF_TORCH.match(line)]
    (ROOT / "requirements.lock").write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    print(f"requirements.lock pins {len({line.split('==')[0] for line in lines})} packages.")


def main(words):
    Parser("lock", description="Update requirements.lock to the newest versions that fit together.").parse_args(words)
    return run(write)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
