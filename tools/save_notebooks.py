"""Run notebooks from top to bottom in fresh kernels and save them with their outputs.

`python course.py save` runs this file. Its arguments name the notebooks (02 means notebooks/02_*.ipynb); without
arguments it saves all of them. A notebook that fails is left unchanged.
"""

import copy
import os
import re
import sys
import time

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError
from nbval.plugin import get_sanitize_patterns

from feedback import files
from feedback.display import VIEW
from feedback.notebooks import FOLDED, asks
from tools import ROOT, Parser, run
from tools.study import KERNEL, NOTEBOOKS, find, names_published

SECONDS_PER_CELL = 600
NOT_COMPARED = {VIEW, "image/png"}  # a view's address differs in every run; nbval does not compare pixels


def save(path):
    """Run one notebook, save it and print a line about it; return whether it ran to the end."""
    started = time.monotonic()
    print(f"{path.name}  ", end="", flush=True)
    notebook, before = nbformat.read(path, as_version=4), nbformat.read(path, as_version=4)
    failure = execute(notebook)
    if failure:
        print(failure, flush=True)
        return False
    clean(notebook)
    keep_times(notebook, before)
    write(notebook, path)
    print(f"{len(notebook.cells)} cells, {time.monotonic() - started:.1f} s", flush=True)
    return True


def execute(notebook):
    """Execute every cell in place, with no exercise solved; return a description of a failure, or None."""
    cells = []
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=SECONDS_PER_CELL,
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(NOTEBOOKS)}},
        extra_arguments=["--log-level=ERROR"],
    )  # otherwise each kernel warns about its transport
    client.on_cell_start = lambda cell, cell_index: cells.append(cell)
    os.environ["COURSE_PROGRESS"] = "memory"
    try:
        client.execute()
    except (CellControlSignal, DeadKernelError) as error:
        return describe(cells[-1], error)
    return None


def describe(cell, error):
    """Return the failing cell's id and first line and the end of the error, in a few lines without colors."""
    lines = re.sub(r"\x1b\[[\d;]*m", "", str(error)).strip().splitlines()
    source = cell.source.strip().splitlines() or [""]
    return "\n    ".join([f"failed in cell {cell.get('id', '?')}, which begins: {source[0]}", *lines[-6:]])


def clean(notebook):
    """Remove live views, fold answers, and remove what differs between runs or machines without being output."""
    keep_pictures(notebook)
    hide_answers(notebook)
    # JupyterLab would add this on opening the notebook, and show it as modified; nbclient has already added
    # language_info.
    notebook.metadata.kernelspec = nbformat.from_dict(KERNEL)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = merge_streams(cell.outputs)


def hide_answers(notebook):
    """Fold the outputs that answer a prediction: JupyterLab shows them after a click, or when the cell is run.

    These are all outputs up to a folded "What you saw" or, if there is none, only the next output.
    """
    cells = notebook["cells"]
    hidden = [id(answer) for n, cell in enumerate(cells) if asks(cell) for answer in answers_in(cells[n + 1 :])]
    for cell in cells:
        jupyter = cell["metadata"].pop("jupyter", {})
        jupyter.pop("outputs_hidden", None)
        if id(cell) in hidden:
            jupyter["outputs_hidden"] = True
        if jupyter:
            cell["metadata"]["jupyter"] = jupyter


def answers_in(cells):
    """Return the cells whose outputs answer a prediction; `cells` are those after it."""
    end = next((n for n, cell in enumerate(cells) if asks(cell) or folded(cell)), None)
    answers = [cell for cell in cells[:end] if cell["cell_type"] == "code" and cell["outputs"]]
    return answers if end is not None and folded(cells[end]) else answers[:1]


def folded(cell):
    return cell["source"].startswith(FOLDED)


def keep_times(notebook, before):
    """Keep saved outputs that differ from the new ones only in times and devices, so that diffs show real changes.

    From the first changed output on, keep the new ones, since printed times and a figure that shows them must come from
    one run. A cell that is new in the notebook does not count as a change.
    """
    saved = {cell.id: cell.outputs for cell in before.cells if cell.cell_type == "code"}
    for cell in notebook.cells:
        if cell.id in saved:
            if comparable(cell.outputs) != comparable(saved[cell.id]):
                return
            cell.outputs = saved[cell.id]
            for output in cell.outputs:
                if "execution_count" in output:
                    output.execution_count = cell.execution_count  # it changes if earlier cells do


def comparable(outputs):
    """Return outputs as nbval compares them: without times, device names, pixels and live views."""
    plain = []
    for output in merge_streams(copy.deepcopy(outputs)):
        if output.output_type == "stream":
            plain.append((output.name, sanitize(output.text)))
        elif output.output_type == "error":
            plain.append((output.ename, sanitize(output.evalue)))
        else:
            plain.append({kind: sanitize(str(data)) for kind, data in output.data.items() if kind not in NOT_COMPARED})
    return [output for output in plain if output]


def sanitize(text):
    """Return text as nbval compares it: without times and device names."""
    rules = (ROOT / "tests" / "sanitize.cfg").read_text(encoding="utf-8")
    for pattern, replacement in get_sanitize_patterns(rules):
        text = re.sub(pattern, replacement, text)
    return text


def keep_pictures(notebook):
    """Remove every live view that follows its picture or its text; return the notebook.

    Without a kernel, JupyterLab would show "Error displaying widget: model not found" in place of the view.
    """
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            outputs = cell["outputs"]
            cell["outputs"] = [
                output
                for before, output in zip([None, *outputs], outputs, strict=False)
                if not (_is_view(output) and _is_still(before))
            ]
    notebook["metadata"].pop("widgets", None)
    return notebook


def _is_view(output):
    return set(output.get("data", {})) == {VIEW}


def _is_still(output):
    """Return whether an output is a static version of a live view, shown even without a kernel."""
    return output is not None and bool({"image/svg+xml", "text/html"} & set(output.get("data", {})))


def merge_streams(outputs):
    """Join consecutive pieces of printed text, since how text is split differs from run to run."""
    merged = []
    for output in outputs:
        last = merged[-1] if merged else {}
        if output.output_type == "stream" and output.name == last.get("name"):
            last.text += output.text
        else:
            merged.append(output)
    return merged


def write(notebook, path):
    """Write a notebook in the layout that nbformat and JupyterLab use: indent 1, no escapes, a final newline."""
    files.write(path, nbformat.writes(notebook) + "\n")


def save_all(words):
    """Save the named notebooks, or all; return whether each ran to its end. Errors: Problem if one does not exist"""
    names = sorted({find(word) for word in words}) or names_published()
    done = [save(NOTEBOOKS / name) for name in names]
    return all(done)


def main(words):
    parser = Parser("save", description="Run notebooks, with no exercise solved, and save them with their outputs.")
    parser.add_argument("names", nargs="*", metavar="NOTEBOOK", help="such as 02, or its whole name; unset: all")
    return run(save_all, parser.parse_args(words).names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
