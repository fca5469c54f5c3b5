"""Code that exercises share is in `exercises.common`, whose docstring lists all modules."""

from pathlib import Path

import exercises
from exercises import common
from feedback.page import read
from tests.imports import imported

FOLDER = Path(exercises.__file__).parent
PATHS = sorted(FOLDER.glob("n*/*.py"))


def used(page):
    """Return the modules whose names the code of a page uses."""
    return read(page).fields.get("uses", "").split(", ") if page.exists() else []


def test_no_exercise_imports_from_another_room():
    assert PATHS
    for path in PATHS:
        allowed = ("exercises.common.", f"exercises.{path.parent.name}.")
        names = [*imported(path), *used(path.with_suffix(".md"))]
        assert [name for name in names if name.startswith("exercises") and not name.startswith(allowed)] == [], path


def test_what_is_shared_imports_no_exercise():
    for path in (FOLDER / "common").rglob("*.py"):
        assert [name for name in imported(path) if name.startswith("exercises.n")] == [], path


def test_the_map_names_every_shared_module():
    root = FOLDER / "common"
    for path in (*root.rglob("*.py"), *root.rglob("*.md")):
        name = ".".join(path.relative_to(root).with_suffix("").parts) + path.suffix.replace(".py", "")
        assert name == "__init__" or name in common.__doc__.replace(",", " ").split(), name
