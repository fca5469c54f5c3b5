"""The engine's modules import each other in the order of feedback/__init__.py, and nothing of the course."""

import ast
import re
from pathlib import Path

import feedback

FOLDER = Path(feedback.__file__).parent
COURSE = ("exercises", "helpers", "models", "figures", "invariants", "runtime", "explorers")
LISTED = re.findall(r"^    (\w+)  ", feedback.__doc__, re.MULTILINE)


def imported(path):
    """The modules that a file imports, also inside its functions; those for type checkers only are left out."""
    return modules(ast.parse(path.read_text(encoding="utf-8")))


def modules(node):
    for statement in ast.iter_child_nodes(node):
        if isinstance(statement, ast.ImportFrom) and statement.module == "feedback":
            yield from (f"feedback.{alias.name}" for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            yield statement.module
        elif isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif not (isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING"):
            yield from modules(statement)


def test_every_module_is_listed_in_order():
    assert sorted(LISTED) == sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")
    for path in FOLDER.glob("*.py"):
        if path.stem == "__init__":
            continue
        later = LISTED[LISTED.index(path.stem) :]
        assert not {f"feedback.{name}" for name in later} & set(imported(path)), path.name


def test_the_engine_knows_nothing_of_the_course():
    for path in FOLDER.glob("*.py"):
        assert not [name for name in imported(path) if name.split(".")[0] in COURSE]


def test_sentences_on_cards_are_written_in_the_modules_called_explain():
    """Others decide. What can be said is made of these parts, which nobody else needs."""
    parts = {"say", "think", "numbers", "raised", "following"}
    writers = {
        path.stem
        for path in FOLDER.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "feedback.report"
        if parts & {alias.name for alias in node.names}
    }
    assert writers == {path.stem for path in FOLDER.glob("explain*.py")} - {"explainers"}


def long(limit, measure, rooms):
    """{what: its number of lines} where that is more than `limit`; measure(path) gives pairs of both."""
    root = FOLDER.parent
    found = {
        f"{path.relative_to(root)} {name}": length
        for room in rooms
        for path in (root / room).rglob("*.py")
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

    assert long(600, lines, ("feedback", *COURSE, "tools", "tests")) == {}
    assert long(60, functions, ("feedback", *COURSE, "tools")) == {}
