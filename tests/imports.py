"""What a file imports, wherever the import stands."""

import ast

COURSE = {
    *("exercises", "explorers", "feedback", "figures", "helpers", "invariants", "models", "runtime", "tests", "tools")
}


def imported(path):
    """The modules that a file imports, with each name that it takes; those for type checkers only are left out."""
    return _modules(ast.parse(path.read_text(encoding="utf-8")))


def _modules(node):
    for statement in ast.iter_child_nodes(node):
        if isinstance(statement, ast.ImportFrom):
            yield from (f"{statement.module}.{alias.name}" for alias in statement.names)
        elif isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif not (isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING"):
            yield from _modules(statement)
