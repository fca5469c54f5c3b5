"""Recreate the explorers of a saved notebook, which holds their pictures but not their numbers.

Only the cells that an explorer depends on are run, which takes seconds; a whole notebook would take minutes. As a check
that no cell is missing, the description of the explorer must equal the saved one.
"""

import ast
import contextlib
import io
import symtable
import traceback

import torch

from explorers.base import INVITATION, Explorer
from models import pretrained
from tools import Problem


def is_explorer(output):
    """Return whether an output of a saved notebook is the picture of an explorer."""
    return "".join(output.get("data", {}).get("text/plain", "")).endswith(INVITATION)


def explorers_of(notebook):
    """Return {id of a cell: its explorers} for all cells whose saved outputs show one.

    Errors: Problem if a cell gives a different explorer than the saved one
    """
    cells = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.id != "start"]
    return {
        cell.id: _explorers_of(cells[: i + 1], [output for output in cell.outputs if is_explorer(output)])
        for i, cell in enumerate(cells)
        if any(map(is_explorer, cell.outputs))
    }


def _explorers_of(cells, saved):
    """Return the explorers of the last of these cells, after running the cells above that it needs."""
    expected = [" ".join("".join(output["data"]["text/plain"]).split()) for output in saved]
    for chosen in (needed(cells), cells):  # all, if it depends on more than names, such as random numbers
        shown, said = _shown_by([cell.source for cell in chosen])
        if [" ".join(repr(explorer).split()) for explorer in shown] == expected:
            return shown
    folder = pretrained.folder()
    if not all((folder / name).exists() for name in pretrained.FILES):
        print(f"MiniLM is not in {folder}: cell {cells[-1].id!r} keeps its picture. `python course.py fetch` gets it.")
        return []
    raise Problem(
        f"The cell {cells[-1].id!r} must give the explorer that is saved, got {[repr(explorer) for explorer in shown]} "
        f"instead of {expected}{said}; save the notebook again with `python course.py save`."
    )


def _shown_by(sources):
    """Run the sources; return the explorers that the last one shows, and a text on the error that ended it, if any."""
    shown = []
    names = {"__name__": "__main__", "display": shown.append}
    *body, last = ast.parse(sources[-1]).body
    try:
        # Turn gradients back on: notebook 07 turns them off for good, and 08 trains.
        with torch.enable_grad(), contextlib.redirect_stdout(io.StringIO()):
            for source in sources[:-1]:
                exec(compile(source, "<cell>", "exec"), names)
            exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
            if isinstance(last, ast.Expr):
                shown.append(eval(compile(ast.Expression(last.value), "<cell>", "eval"), names))
            else:
                exec(compile(ast.Module([last], []), "<cell>", "exec"), names)
    except Exception as error:
        return [], f" ({' '.join(traceback.format_exception_only(error)[-1].split())})"
    return [each for each in shown if isinstance(each, Explorer)], ""


def needed(cells):
    """Return the last cell, preceded by the cells above that define the names it needs, directly or not."""
    *above, last = cells
    _, wanted = names(last.source)
    chosen = [last]
    for cell in reversed(above):
        defined, used = names(cell.source)
        if defined & wanted:
            chosen.insert(0, cell)
            wanted = wanted - defined | used
    return chosen


def names(source):
    """Return the names that a cell defines for the cells below it, and the names that it takes from the cells above.

    Both sets are empty for a cell that is not pure Python, such as one with a magic command.
    """
    defined, used = set(), set()
    try:
        statements = ast.parse(source).body
    except SyntaxError:
        return defined, used
    for statement in statements:
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
