"""Manage the learner's own copies of the notebooks: make them, carry them into a new edition, start one over.

`python course.py` runs this file with the argument `open`; `python course.py update` and `python course.py reset 03`
pass their arguments on. The copies are in study/, which git ignores; notebooks/ holds the published edition.

Nothing that a learner wrote is ever lost. An existing copy is replaced only after it was copied to study/old, and only
by a complete file. Each copy's metadata records the text it was made from. What differs from that text is the
learner's, even if an update was interrupted or editions were skipped.

Notebooks are read as JSON, since importing nbformat would add two seconds to every start.
"""

import contextlib
import copy
import datetime
import hashlib
import itertools
import json
import os
import platform
import re
import sys
import tempfile
import urllib.request
import uuid
from pathlib import Path

from filelock import FileLock, Timeout

from feedback import files
from feedback.notebooks import exercise_of
from setup_failures import explain
from tools import Problem

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"
STUDY = ROOT / "study"
OLD = STUDY / "old"  # the first cell of a notebook finds the course from here too
RECORD = "made_from"  # the key in a copy's metadata for {cell id: fingerprint of the published text}
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
SECONDS_FOR_LAB = 5
TOKEN_OF_HUB = "JUPYTERHUB_API_TOKEN"  # the environment variable that a hub gives to each of its servers
IS_OPEN = 3  # the exit code that tells course.py not to open a second JupyterLab


# ---- from a published notebook to a copy


def make_copy(published):
    """Return a learner's copy: without outputs, and with the metadata that JupyterLab would add on opening it."""
    cells = [without_output(cell) for cell in published["cells"]]
    for cell in cells:
        if cell["cell_type"] == "markdown":
            cell["metadata"]["editable"] = False  # a double click does not open its source
    about = {"kernelspec": KERNEL, "language_info": language_info(), RECORD: fingerprints(published)}
    return {**published, "cells": cells, "metadata": {**published["metadata"], **about}}


def without_output(cell):
    cell = copy.deepcopy(cell)
    if cell["cell_type"] == "code":
        cell.update(outputs=[], execution_count=None)
        cell["metadata"].pop("execution", None)  # times
        cell["metadata"].get("jupyter", {}).pop("outputs_hidden", None)  # no outputs are left to hide
    return cell


def language_info():
    """Return the kernel's language_info; without all of it, JupyterLab shows a notebook as modified."""
    return {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
        "version": platform.python_version(),
    }


def fingerprints(notebook):
    return {cell["id"]: fingerprint(cell) for cell in notebook["cells"]}


def fingerprint(cell):
    text = json.dumps([cell["cell_type"], cell["source"], cell.get("attachments", {})], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# ---- into a new edition


def carry(mine, published):
    """Return a copy of the published notebook with all that the learner wrote in `mine`, and a list of those changes.

    - An answer to an exercise replaces the exercise's cell, even if the course changed the exercise.
    - Any other cell that the learner edited replaces the published one, unless the course changed it, too. Then the
      learner's version follows the new one, with code as raw text, so that it does not run after its replacement.
    - A cell that the learner added follows the same cell as before.
    """
    notebook = make_copy(published)
    before, now = mine["metadata"].get(RECORD, {}), fingerprints(published)
    places = {cell["id"]: [cell] for cell in notebook["cells"]}  # {cell id: the cells that go in its position}
    top, carried = [], []
    place, heading = top, ""
    for cell in mine["cells"]:
        heading = heading_of(cell) or heading
        name = cell["id"]
        place = places.get(name, place)
        if not cell["source"].strip() or fingerprint(cell) in (before.get(name), now.get(name)):
            continue
        cell = without_output(cell)
        changed = before.get(name) != now.get(name)
        if name not in places:
            place.append(cell)
            carried.append(
                f"your version of {label(cell, heading)}, which is no longer in the course"
                if name in before
                else f"what you added below “{heading}”"
            )
        elif exercise_of(place[0]) or not changed:
            cell["metadata"].update(place[0]["metadata"])
            cell["metadata"].pop("editable", None)
            place[0] = cell
            carried.append(label(cell, heading) + (", whose text in the course has changed" if changed else ""))
        else:
            place += [yours_follows(cell), as_text(cell)]
            carried.append(f"your version of {label(cell, heading)}, below the course's new one")
    notebook["cells"] = [*top, *itertools.chain(*places.values())]
    return notebook, list(dict.fromkeys(carried))


def label(cell, heading):
    """Return a description of a cell for learners: its exercise, or the heading above it."""
    if exercise_of(cell):
        return f"exercise {exercise_of(cell)}"
    return f"a cell below “{heading}”" if heading else "a cell at the top"


def heading_of(cell):
    """Return the last heading in a Markdown cell, without its # signs, or "" if there is none."""
    found = re.findall(r"^#+ +(.*)$", cell["source"], re.MULTILINE) if cell["cell_type"] == "markdown" else []
    return found[-1].strip() if found else ""


def yours_follows(cell):
    """Return a Markdown cell that announces the learner's version below the course's new cell."""
    still = "; it does not run" if cell["cell_type"] == "code" else ""
    text = f"*Yours, from the edition before{still}:*"
    return {"cell_type": "markdown", "id": uuid.uuid4().hex[:8], "metadata": {}, "source": text}


def as_text(cell):
    """Return the cell with a new id and as raw text if it is code, so that it does not run."""
    kept = {name: cell[name] for name in ("source", "attachments") if name in cell}
    kind = "raw" if cell["cell_type"] == "code" else cell["cell_type"]
    return {**kept, "cell_type": kind, "id": uuid.uuid4().hex[:8], "metadata": {}}


# ---- files


def read(path):
    """Read a notebook, with each cell's source as one string. Errors: Problem if it is damaged or a cell has no id"""
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            cell["source"] = "".join(cell["source"])  # a string already, or a list of lines
            if not (cell["id"] and cell["cell_type"]):
                raise ValueError("an empty name")
            cell["metadata"].get("tags")
        notebook["metadata"].get(RECORD, {}).get("")
    except (ValueError, LookupError, AttributeError, TypeError):
        what = "is empty" if not path.stat().st_size else "is damaged, or another program took the ids from its cells"
        raise Problem(
            f"{shown(path)} {what}: `python course.py reset {path.name.split('_')[0]}` makes a new copy and keeps this "
            "one; answers that passed their check are kept elsewhere, and still count."
        ) from None
    return notebook


def write(notebook, path):
    files.write(path, json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


def keep(path):
    """Copy the file to study/old, with today's date in its name, and return the copy's path."""
    names = (f"{path.stem}.{datetime.date.today()}{f'.{n}' if n > 1 else ''}.ipynb" for n in itertools.count(1))
    kept = next(OLD / name for name in names if not (OLD / name).exists())
    files.write(kept, path.read_bytes())
    return kept


@contextlib.contextmanager
def alone():
    """Wait until no other of these commands works on study/, and lock out others meanwhile."""
    STUDY.mkdir(exist_ok=True)
    lock = FileLock(STUDY / ".lock")  # the system releases it when the process ends, even in a crash
    try:
        lock.acquire(timeout=0)
    except Timeout:
        print("Another command is working on study/: waiting for it to finish.", flush=True)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


# ---- JupyterLab


def trust_published():
    """Mark notebooks/ as trusted, so that JupyterLab shows their saved figures; if that fails, cells must be run."""
    with contextlib.suppress(Exception):
        import nbformat.sign

        notary = nbformat.sign.NotebookNotary()
        for name in names_published():
            notary.sign(nbformat.read(NOTEBOOKS / name, as_version=4))


def servers():
    """Yield the description files of Jupyter servers that this user started here; some may have ended."""
    from jupyter_core.paths import jupyter_runtime_dir

    for path in Path(jupyter_runtime_dir()).glob("jpserver-*.json"):
        with contextlib.suppress(OSError, ValueError):
            yield json.loads(path.read_text(encoding="utf-8"))


def open_in_lab():
    """Return the names of the notebooks in study/ that have a running kernel."""
    paths = [Path(server["root_dir"], each["path"]) for server in servers() for each in sessions(server) or ()]
    return {path.name for path in paths if path.parent.resolve() == STUDY}


def require_runtime_folder():
    """Check that JupyterLab can write the list of its servers. Errors: Problem, in place of a long traceback"""
    from jupyter_core.paths import jupyter_runtime_dir

    folder = Path(jupyter_runtime_dir())
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise Problem(f"{explain(f'[Errno {error.errno}] jupyter/runtime')[0]}\n  {error}") from None


def address():
    """Return the address of a running Jupyter server that has this course open, or None."""
    for server in servers():
        if Path(server["root_dir"]).resolve() == ROOT and sessions(server) is not None:
            return f"{server['url']}lab?token={server['token']}"
    return None


def sessions(server):
    """Return a server's sessions, or None if it has ended or refuses to answer, as with a password."""
    token = os.environ.get(TOKEN_OF_HUB) or server["token"]  # a server under a hub expects the hub's token
    request = urllib.request.Request(f"{server['url']}api/sessions", headers={"Authorization": f"token {token}"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # a proxy could not reach this computer
    try:
        with opener.open(request, timeout=SECONDS_FOR_LAB) as answer:
            return json.load(answer)
    except (OSError, ValueError):
        return None


# ---- the commands


def open_course():
    """Prepare for JupyterLab with `start`, unless it is already open; return the exit code."""
    require_runtime_folder()
    there = address()
    if there and os.environ.get(TOKEN_OF_HUB):  # the hub gives it another address
        print("JupyterLab is open already: go on in its tab of your browser.")
        return IS_OPEN
    if there:
        print(f"The course is open already, at {there} (to stop it, press Ctrl-C where you started it).")
        return IS_OPEN
    start()
    return 0


def start():
    """Make the missing copies, leave the others alone, and say which notebooks have a new edition."""
    made, outdated = [], []
    for name in names_published():
        published = read(NOTEBOOKS / name)
        if not (STUDY / name).exists():
            write(make_copy(published), STUDY / name)
            made.append(name)
            continue
        try:
            if read(STUDY / name)["metadata"].get(RECORD) != fingerprints(published):
                outdated.append(name.split("_")[0])
        except Problem as problem:
            print(problem)
    if made:
        trust_published()
        which = f"copies of {len(made)} notebooks are" if len(made) > 1 else f"copy of {made[0]} is"
        print(f"Your own {which} now in study/, without outputs: that is where you write.")
    if outdated:
        print(f"A new edition of {', '.join(outdated)} is here: `python course.py update` carries over what you wrote.")


def update():
    """Carry what the learner wrote into the published edition. Errors: Problem if a notebook could not be updated"""
    said, problems, is_open = 0, [], open_in_lab()
    for name in names_published():
        try:
            for line in update_notebook(name, is_open):
                print(line, flush=True)
                said += 1
        except Problem as problem:
            problems.append(str(problem))
    trust_published()
    if problems:
        raise Problem("\n".join(problems))
    if not said:
        print("Every notebook in study/ is up to date.")


def update_notebook(name, is_open):
    """Carry one notebook into the published edition; return lines that say what was done."""
    path, published = STUDY / name, read(NOTEBOOKS / name)
    if not path.exists():
        write(make_copy(published), path)
        return [f"study/{name} is new."]
    mine = read(path)
    if mine["metadata"].get(RECORD) == fingerprints(published):
        return []
    require_closed(name, is_open)
    notebook, carried = carry(mine, published)
    kept = replace(path, notebook)
    return [
        f"study/{name} is now of the new edition; as it was before: {shown(kept)}",
        *([f"  carried over: {line}" for line in carried] or ["  You had written nothing into it."]),
    ]


def reset(words):
    """Start the named notebooks over."""
    if not words:
        raise Problem("Say which notebook to start over, such as `python course.py reset 03`.")
    names, is_open = [find(word) for word in words], open_in_lab()
    for name in names:
        path, published = STUDY / name, read(NOTEBOOKS / name)
        if not path.exists():
            write(make_copy(published), path)
            print(f"study/{name} is new.")
            continue
        require_closed(name, is_open)
        print(f"study/{name} starts over; as it was before: {shown(replace(path, make_copy(published)))}")
    print("What you have solved still counts: progress() shows it.")


def replace(path, notebook):
    """Replace the file with the notebook; return the path under which the old file is kept."""
    kept = keep(path)
    while kept.read_bytes() != path.read_bytes():  # JupyterLab saved it in the meantime
        kept = keep(path)
    write(notebook, path)
    return kept


def require_closed(name, is_open):
    if name in is_open:
        raise Problem(
            f"study/{name} is open in JupyterLab: save it there, choose File > Close and Shut Down Notebook, "
            "and run the same command again."
        )


def names_published():
    return [path.name for path in sorted(NOTEBOOKS.glob("*.ipynb"))]


def find(word):
    """Return a notebook's file name, given its number or its name. Errors: Problem if there is none"""
    stem = Path(word).stem
    stem = stem.zfill(2) if stem.isdigit() else stem
    for name in names_published():
        if stem in (Path(name).stem, name.split("_")[0]):
            return name
    raise Problem(f"No notebook is called {word!r}: give its number, such as 03, or its whole name.")


def shown(path):
    return path.relative_to(ROOT).as_posix()


def main(words):
    sys.stdout.reconfigure(errors="replace")  # a character that the console cannot show must not end the command
    code = 1
    try:
        commands = {"open": open_course, "start": start, "update": update, "reset": lambda: reset(words[1:])}
        if words[:1] != ["reset"] and " ".join(words) not in commands:
            raise Problem(
                f"Give `update`, or `reset` with the number of a notebook, such as `reset 03`; got {' '.join(words)!r}."
            )
        with alone():
            return commands[words[0]]() or 0
    except Problem as problem:
        complaint = str(problem)
    except OSError as error:
        complaint = (
            f"{error.filename or STUDY} cannot be used ({error.strerror or error}), and what you wrote is "
            "kept: make room on the disk, or move the course to a folder of your own, and run this again."
        )
    except KeyboardInterrupt:
        complaint, code = "Interrupted: what you wrote is kept. Run the same command again to continue.", 130
    print(complaint, file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
