"""The engine's modules import each other in the order of feedback/__init__.py, and nothing from the course."""

import ast
import re
from pathlib import Path

import feedback
from tests.imports import COURSE, imported

FOLDER = Path(feedback.__file__).parent
LISTED = re.findall(r"^    (\w+)  ", feedback.__doc__, re.MULTILINE)


def test_every_module_is_listed_in_order():
    assert sorted(LISTED) == sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")
    for path in FOLDER.glob("*.py"):
        if path.stem == "__init__":
            continue
        later = LISTED[LISTED.index(path.stem) :]
        named = {name.split(".")[1] for name in imported(path) if name.startswith("feedback.")}
        assert not named & set(later), path.name


def test_the_engine_knows_nothing_of_the_course():
    for path in FOLDER.glob("*.py"):
        assert {name.split(".")[0] for name in imported(path)} & COURSE <= {"feedback"}, path.name


def test_sentences_on_cards_are_written_in_the_modules_called_explain():
    """The other modules only decide, and need none of the parts of which cards are made."""
    parts = {f"feedback.report.{name}" for name in ("say", "think", "numbers", "raised", "following")}
    writers = {path.stem for path in FOLDER.glob("*.py") if parts & set(imported(path))}
    assert writers == {path.stem for path in FOLDER.glob("explain*.py")} - {"explainers"}


def long(limit, measure, packages):
    """{name: number of lines} of all that have more than `limit`; measure(path) yields such pairs."""
    root = FOLDER.parent
    found = {
        f"{path.relative_to(root)} {name}": length
        for package in packages
        for path in (root / package).rglob("*.py")
        for name, length in measure(path)
    }
    assert found
    return {what: length for what, length in found.items() if length > limit}


def test_no_file_and_no_function_is_long():
    def lines(path):
        return [("", len(path.read_text(encoding="utf-8").splitlines()))]

    def functions(path):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                yield f"{node.name}, line {node.lineno}", node.end_lineno - node.lineno + 1

    assert long(600, lines, COURSE) == {}
    assert long(60, functions, COURSE - {"tests"}) == {}
