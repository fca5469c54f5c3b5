"""Run notebooks from top to bottom in fresh kernels and save them with their outputs.

`python course.py save` runs this file; its words name the notebooks (02 means notebooks/02_*.ipynb), none means all.
A notebook that fails is left as it was.
"""

import copy
import json
import os
import re
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
SECONDS_PER_CELL = 600
VIEW = "application/vnd.jupyter.widget-view+json"
METADATA = {"kernelspec": {"display_name": "Python 3", "name": "python3"}, "language_info": {"name": "python"}}


def find_notebooks(names):
    """The paths that the names stand for, in teaching order. Errors: LookupError if a name fits no notebook."""
    found = sorted(NOTEBOOKS.glob("*.ipynb"))
    wanted = [Path(name).stem for name in names]
    for name in wanted:
        if not any(fits(path, name) for path in found):
            raise LookupError(f"no notebook fits {name!r}: give the start of its name, such as 02, or its whole name")
    return [path for path in found if not names or any(fits(path, name) for name in wanted)]


def fits(path, name):
    return path.stem == name or path.stem.startswith(name + "_")


def save(path):
    """Run one notebook, save it and print a line about it; returns whether it ran through."""
    started = time.monotonic()
    notebook, before = nbformat.read(path, as_version=4), nbformat.read(path, as_version=4)
    failure = run(notebook)
    if failure:
        print(f"{path.name}  {failure}", flush=True)
        return False
    clean(notebook)
    keep_times(notebook, before)
    write(notebook, path)
    print(f"{path.name}  {len(notebook.cells)} cells, {time.monotonic() - started:.1f} s", flush=True)
    return True


def run(notebook):
    """Execute every cell, in place, as if the learner had done nothing before; returns what failed, or None."""
    cells = []
    client = NotebookClient(notebook, kernel_name="python3", timeout=SECONDS_PER_CELL, record_timing=False,
                            store_widget_state=False, resources={"metadata": {"path": str(NOTEBOOKS)}},
                            extra_arguments=["--log-level=ERROR"])  # no warning about the transport per notebook
    client.on_cell_start = lambda cell, cell_index: cells.append(cell)
    os.environ["COURSE_PROGRESS"] = "memory"
    try:
        client.execute()
    except (CellControlSignal, DeadKernelError) as error:
        return describe(cells[-1], error)
    return None


def describe(cell, error):
    """The failing cell's id and first line, and the end of the error, in a few lines without colours."""
    words = re.sub(r"\x1b\[[\d;]*m", "", str(error)).strip().splitlines()
    source = cell.source.strip().splitlines() or [""]
    return "\n    ".join([f"failed in cell {cell.get('id', '?')}, which begins: {source[0]}", *words[-6:]])


def clean(notebook):
    """Drop what differs from one run or machine to the next and is no output."""
    keep_pictures(notebook)
    notebook.metadata.update(nbformat.from_dict(METADATA))
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = merge_streams(cell.outputs)


def keep_times(notebook, before):
    """As far as only times and devices differ from what was saved, keep what was saved: no change without a reason.

    Once a cell's output is new, all that follow are: printed times and their picture belong to one run.
    """
    saved = {cell.id: cell.get("outputs") for cell in before.cells}
    for cell in notebook.cells:
        if "outputs" in cell and comparable(cell.outputs) != comparable(saved.get(cell.id)):
            return
        if "outputs" in cell:
            cell.outputs = saved[cell.id]


def comparable(outputs):
    """Outputs without names of devices, times, and pictures in pixels, which are not compared."""
    outputs = copy.deepcopy(outputs or [])
    for output in outputs:
        output.get("data", {}).pop("image/png", None)
    return sanitised(json.dumps(outputs, sort_keys=True))


def sanitised(text):
    """Text as nbval compares it: without names of devices and times."""
    rules = (Path(__file__).parent / "sanitize.cfg").read_text(encoding="utf-8")
    for pattern, replacement in re.findall(r"^regex: (.*)\nreplace: (.*)$", rules, re.MULTILINE):
        text = re.sub(pattern, replacement, text)
    return text


def keep_pictures(notebook):
    """Take out every live view that follows its picture; returns the notebook.

    Where no kernel runs JupyterLab writes "Error displaying widget: model not found" in the view's place, and the
    view's address is new in every run.
    """
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            outputs = cell["outputs"]
            cell["outputs"] = [output for before, output in zip([None, *outputs], outputs, strict=False)
                               if not (_is_view(output) and _is_picture(before))]
    notebook["metadata"].pop("widgets", None)
    return notebook


def _is_view(output):
    return set(output.get("data", {})) == {VIEW}


def _is_picture(output):
    return output is not None and "image/svg+xml" in output.get("data", {})


def merge_streams(outputs):
    """Join printed text that arrived in pieces, where nothing stands between: the pieces differ from run to run."""
    merged = []
    for output in outputs:
        last = merged[-1] if merged else {}
        if output.output_type == "stream" and output.name == last.get("name"):
            last.text += output.text
        else:
            merged.append(output)
    return merged


def write(notebook, path):
    """Write beside the notebook, then rename: the file is the old one or the new one, never half of it."""
    part = path.with_suffix(".part")
    try:
        # nbformat's own layout, which JupyterLab writes too: indent 1, characters as they are, a last newline
        part.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8", newline="\n")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def main(names):
    sys.stdout.reconfigure(errors="replace")  # a line of a notebook that a console cannot show must not end the run
    try:
        paths = find_notebooks(names)
        done = [save(path) for path in paths]
    except LookupError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted: the notebook that was running is left as it was.", file=sys.stderr)
        return 130
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
