"""Check that the packages are there; the first cell of every notebook calls this once it has found the course."""

import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from setup_failures import explain

OLDEST_TORCH = "2.4"
NEEDED = (
    "anywidget>=0.9",
    "filelock>=3.13",
    "huggingface_hub>=1.24",
    "ipywidgets>=7.7",
    "matplotlib>=3.10",
    "safetensors>=0.4",
)  # imported under the same names
ANOTHER_PYTHON, _ = explain("No module named 'torch'")


def complete():
    """Make sure that this Python has the packages that the notebooks need, and say so. In Colab, install those missing.

    Call it before PyTorch is imported, so that PyTorch's threads give way to others while they wait: otherwise, a cell
    that trains can take minutes on a busy machine.

    PyTorch is never installed or changed here: it is large, and Colab's own build fits Colab's GPUs.

    Errors: ImportError if PyTorch is missing or older than 2.4, or if another package is missing (outside Colab) or
            cannot be installed (in Colab)
    Source: notebook 00
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    require_torch()
    missing = [package for package in NEEDED if find_spec(package.split(">=")[0]) is None]
    if missing:
        install(missing)
    print("The course is here.")


def install(missing):
    if "google.colab" not in sys.modules:
        raise ImportError(f"{sys.executable} lacks {', '.join(missing)}. {ANOTHER_PYTHON}")
    pip = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", *missing],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
    )
    if pip.returncode != 0:
        sentence, words = explain(pip.stderr)
        reason = words or (pip.stderr.strip() or "pip printed nothing").splitlines()[-1]
        raise ImportError(
            f"{', '.join(missing)} could not be installed ({reason}). {sentence or 'Run this cell again.'}"
        )


def require_torch():
    """Errors: ImportError if PyTorch is missing or older than 2.4."""
    try:
        found = version("torch")
    except PackageNotFoundError:
        raise ImportError(f"{sys.executable} lacks PyTorch. {ANOTHER_PYTHON}") from None
    if _numbers(found) < _numbers(OLDEST_TORCH):
        raise ImportError(f"PyTorch must be {OLDEST_TORCH} or newer, {sys.executable} has {found}. {ANOTHER_PYTHON}")


def _numbers(text):
    """The first two numbers of a version: "2.13.0+cpu" gives (2, 13)."""
    return tuple(int(part) for part in text.split(".")[:2])
