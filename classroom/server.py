"""Start a learner's JupyterLab under a hub, in a copy of the course that is the learner's own.

The hub of classroom/jupyterhub_config.py runs this file. The copy is the
folder attention-by-hand in the learner's home, which is closed to other learners. It holds all that the course keeps
for a learner: study/ with their notebooks, and data/ with their progress, so that nobody writes to a file that others
use. tools/for_learners.py lists what is copied; a hand-out serves as well as the whole course.

When the course has changed, so does the copy, except for files that the learner has changed: these stay as they are.
The learner's notebooks in study/ are never touched; `python course.py update` carries them into the new edition.
"""

import contextlib
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

COURSE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(COURSE))

from feedback import files  # noqa: E402  the path comes first
from tools import for_learners  # noqa: E402

MINE = Path.home() / "attention-by-hand"
RECORD = ".copied.json"  # in the copy: {file: fingerprint of what was put there}
FIRST_NOTEBOOK = "study/00_start_here.ipynb"


def close_home():
    """Let no other learner read what this one writes, in their home or elsewhere: many systems let everybody.

    IPython, for example, keeps all code that was ever run in ~/.ipython.
    """
    os.umask(0o077)
    try:
        Path.home().chmod(0o700)
    except OSError as error:
        say(f"{Path.home()} stays open to others ({error.strerror}): make it the learner's own, with mode 700.")


def say(sentence):
    """In the hub's log."""
    print(sentence, file=sys.stderr, flush=True)


def fingerprint(content):
    return hashlib.sha256(content).hexdigest()[:16]


def refresh():
    """Make the learner's copy, or bring it up to date.

    What the learner changed, what cannot be read in the course, and what cannot be written stays in the copy as it is.
    """
    record, unreadable, refused = read_record(), [], []
    before = dict(record)
    given = for_learners.files(COURSE, unreadable.append)
    for name, source in given.items():
        try:
            content = source.read_bytes()
        except OSError as error:
            unreadable.append(error)
            continue
        with collecting(refused):
            here = fingerprint_of(name)
            if here not in (None, fingerprint(content), record.get(name)):
                say(f"{MINE / name} was changed by the learner and stays as it is.")
                continue
            if here != fingerprint(content):
                files.write(MINE / name, content)
            record[name] = fingerprint(content)
    for error in unreadable:
        say(f"{error.filename} cannot be read ({error.strerror}): learners do without it.")
    if not unreadable:
        remove(record, record.keys() - given.keys(), refused)
    if record != before:
        with collecting(refused):
            files.write(MINE / RECORD, json.dumps(record, indent=0))
    if refused:
        say(f"{MINE} is not up to date; files that could not be changed: {len(refused)}, the first with {refused[0]}.")


@contextlib.contextmanager
def collecting(errors):
    """Go on where the system refuses something: a learner whose disk is full needs JupyterLab to free space."""
    try:
        yield
    except OSError as error:
        errors.append(error)


def remove(record, names, refused):
    """Take what is no longer given out of the copy, unless the learner changed it."""
    for name in names:
        with collecting(refused):
            if fingerprint_of(name) == record[name]:
                (MINE / name).unlink()
            del record[name]


def fingerprint_of(name):
    """Of a file in the copy; None where there is none."""
    return fingerprint((MINE / name).read_bytes()) if (MINE / name).is_file() else None


def read_record():
    try:
        return dict(json.loads((MINE / RECORD).read_bytes()))
    except (OSError, ValueError, TypeError):  # then every file that differs counts as changed by the learner
        return {}


def share_packages():
    """Let `python course.py update` in the copy find the packages of the course instead of installing its own."""
    link = MINE / ".venv"
    if not link.is_symlink() and not link.exists():
        try:
            link.symlink_to(COURSE / ".venv")
        except OSError as error:
            say(f"{link} cannot be made ({error.strerror}): `python course.py` in the copy does without it.")


def limit_memory():
    """Give a program of the learner that asks for more than the hub allows an error, and not everybody's memory."""
    import resource

    limit = int(os.environ.get("MEM_LIMIT") or 0)  # set by JupyterHub, in bytes
    if limit:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def lab_options():
    """JupyterLab as `python course.py` opens it, with its settings in the learner's copy."""
    import course

    return [
        *course.arrange_lab(MINE / ".lab"),
        f"--ServerApp.root_dir={MINE}",
        f"--ServerApp.default_url=/lab/tree/{FIRST_NOTEBOOK}",
    ]


def main(words):
    close_home()
    limit_memory()
    refresh()
    share_packages()
    os.chdir(MINE)
    subprocess.run([sys.executable, "-m", "tools.study", "start"], check=False)  # if it fails it says why
    os.execv(sys.executable, [sys.executable, "-m", "jupyterhub.singleuser", *lab_options(), *words])


if __name__ == "__main__":
    main(sys.argv[1:])
