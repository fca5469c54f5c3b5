"""Which cells of a notebook need not run again when it is saved, and which names cells define and use.

A cell that only defines functions or asks the course (check, hint, predict, progress, solution) always runs: it takes
no time. All others, such as one that trains, keep their outputs if nothing that these depend on has changed since the
last commit that is published: no other cell of their kind, no cell that defines a name which they use, and no file of
the course that they import. Tests run every notebook whole, and so does `python course.py save --whole`.
"""

import ast
import subprocess
import symtable

import nbformat

ASKS_THE_COURSE = {"check", "hint", "predict", "progress", "solution"}
SETUP = {"start", "setup"}  # cells that always run first; a change of them is a change for all others
FILES = (  # that notebooks import or read; what else is in exercises/ is only seen where the course is asked
    *("helpers", "explorers", "feedback", "data", "requirements.txt", "requirements.lock"),
    *("exercises/__init__.py", "exercises/n*/*.py", ":!*.md"),
)


def kept_outputs(notebook, path):
    """{id of a cell: its outputs} for the cells that need not run again; empty if all must run."""
    base = git(path.parent, "merge-base", "HEAD", "origin/HEAD") or "HEAD"
    published = git(path.parent, "show", f"{base}:./{path.name}")
    changed = git(path.parent.parent, "diff", "--name-only", "--diff-filter=a", base, "--", *FILES)
    if not published or changed != "":
        return {}
    before = nbformat.reads(published, as_version=4)
    if lasting(before.cells) != lasting(notebook.cells):
        return {}
    outputs = {cell.id: cell.outputs for cell in before.cells if cell.cell_type == "code"}
    return {id: outputs[id] for id in kept(notebook.cells)}


def git(folder, *words):
    """What git prints; None if it fails, as where the course was downloaded without its history."""
    try:
        process = subprocess.run(["git", *words], cwd=folder, capture_output=True, check=True, encoding="utf-8")
    except (OSError, subprocess.CalledProcessError):
        return None
    return process.stdout.strip()


def kept(cells):
    """{id: source} of the cells that take time or have effects, and of those that use a name from such a cell."""
    found, theirs = {}, set()
    for cell in cells:
        if cell.cell_type != "code":
            continue
        defined, used = names(cell.source)
        if cell.id in SETUP or only_defines_or_asks(cell.source) and not used & theirs:
            theirs -= defined
        else:
            found[cell.id] = cell.source
            theirs |= defined
    return found


def lasting(cells):
    """What the outputs of the cells that `kept` gives can depend on in a notebook: (id, source) of cells, in order."""
    found = kept(cells)
    touched = set().union(*(name for source in found.values() for name in names(source)))
    code = [cell for cell in cells if cell.cell_type == "code"]
    if not all(map(is_python, found.values())):
        return [(cell.id, cell.source) for cell in code]
    return [(c.id, c.source) for c in code if c.id in found or c.id in SETUP or names(c.source)[0] & touched]


def is_python(source):
    """Whether a cell is Python alone, without a magic command."""
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def only_defines_or_asks(source):
    return is_python(source) and all(_defines(each) or _asks(each) for each in ast.parse(source).body)


def _defines(statement):
    """Whether this is a definition that runs nothing, or a docstring."""
    if isinstance(statement, ast.ClassDef):
        return not statement.decorator_list and all(map(_defines, statement.body))
    if isinstance(statement, ast.FunctionDef):
        run_now = [*statement.decorator_list, *statement.args.defaults, *filter(None, statement.args.kw_defaults)]
        return all(isinstance(part, ast.Constant) for part in run_now)
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _asks(statement):
    call = getattr(statement, "value", None)
    if not isinstance(statement, ast.Expr) or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return False
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return call.func.id in ASKS_THE_COURSE and all(isinstance(part, (ast.Name, ast.Constant)) for part in given)


def names(source):
    """The names that a cell defines for the cells below it, and those that it takes from the cells above it.

    None for a cell that is not Python alone, such as one with a magic command.
    """
    defined, used = set(), set()
    for statement in ast.parse(source).body if is_python(source) else ():
        defines, uses = _names_in(statement)
        if isinstance(statement, (ast.For, ast.With, ast.FunctionDef, ast.ClassDef)):
            uses -= defines  # such as the variable of a loop
        used |= uses - defined
        defined |= defines
    return defined, used


def _names_in(statement):
    module = symtable.symtable(ast.unparse(statement), "<cell>", "exec")
    symbols = module.get_symbols()
    defines = {symbol.get_name() for symbol in symbols if symbol.is_assigned() or symbol.is_imported()}
    uses, tables = {symbol.get_name() for symbol in symbols if symbol.is_referenced()}, module.get_children()
    while tables:
        table = tables.pop()
        uses |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
        tables += table.get_children()
    return defines, uses
