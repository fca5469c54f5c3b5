"""What the packages of the course may import: `helpers` nothing but PyTorch, and modules only those listed before."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.imports import COURSE, imported

ROOT = Path(__file__).parents[2]
ABOVE = {  # the packages of the course that each may import
    "helpers": (),
    "models": ("helpers",),
    "figures": ("feedback",),
    "invariants": ("helpers", "figures", "feedback"),
    "runtime": (),
}


def imports(package):
    """(file, module) for each import in a package."""
    return [(file, module) for file in (ROOT / package).rglob("*.py") for module in imported(file)]


def require_not_imported(modules, code):
    """Require this code to import none of these modules."""
    check = f"import sys\n{code}\nassert not {set(modules)} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", check], cwd=ROOT, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr


def test_a_package_imports_nothing_heavy_by_itself():
    packages = ", ".join(ABOVE.keys() - {"figures"})  # which is used as one module
    require_not_imported(["torch", "matplotlib", "anywidget"], f"import {packages}")


@pytest.mark.parametrize("package", ABOVE)
def test_a_package_imports_only_what_is_above_it(package):
    found = {module.partition(".")[0] for _, module in imports(package)} & COURSE
    assert found <= {package, *ABOVE[package]}


@pytest.mark.slow
def test_the_model_needs_pytorch_alone():
    """All else that it imports is in the standard library."""
    found = {module.partition(".")[0] for _, module in imports("helpers")}
    assert found <= {"helpers", "torch", *sys.stdlib_module_names}
    require_not_imported([*COURSE - {"helpers"}, "matplotlib"], "import helpers.heads, helpers.today")


@pytest.mark.parametrize("package", ["helpers", "models"])
def test_each_module_imports_only_modules_listed_before_it(package):
    """The order in which __init__.py lists the modules is the order in which they may import each other."""
    text = importlib.import_module(package).__doc__
    modules = re.findall(r"^    (\w+)  ", text.split("Names and shapes")[0], re.MULTILINE)
    assert sorted(modules) == sorted(path.stem for path in (ROOT / package).glob("*.py") if path.stem != "__init__")
    for file, module in imports(package):
        if module.startswith(f"{package}."):
            assert modules.index(module.split(".")[1]) < modules.index(file.stem), f"{file.name}: {module}"
