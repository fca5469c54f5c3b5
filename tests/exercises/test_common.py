"""What exercises share is in `exercises.common`, and its map names all of it."""

import ast
from pathlib import Path

import exercises
from exercises import common

FOLDER = Path(exercises.__file__).parent
PATHS = sorted(FOLDER.glob("e*_*/*.py"))


def imported(path):
    """The modules that a file imports from, wherever the import stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_no_exercise_imports_from_another():
    assert PATHS
    for path in PATHS:
        allowed = ("exercises.common.", f"exercises.{path.parent.name}.")
        assert [name for name in imported(path) if name.startswith("exercises") and not name.startswith(allowed)] == []


def test_what_is_shared_imports_no_exercise():
    for path in (FOLDER / "common").rglob("*.py"):
        assert [name for name in imported(path) if name.startswith("exercises.e")] == [], path


def test_the_map_names_every_shared_module():
    root = FOLDER / "common"
    for path in root.rglob("*.py"):
        name = ".".join(path.relative_to(root).with_suffix("").parts)
        assert name == "__init__" or name in common.__doc__.replace(",", " ").split(), name
