"""Start a learner's JupyterLab under a hub, in a copy of the course that is the learner's own.

The hub of classroom/jupyterhub_config.py runs this file, and so does the image of classroom/Dockerfile. The copy is the
folder attention-by-hand in the learner's home. It holds all that the course keeps for a learner: study/ with their
notebooks, and data/ with their progress, so that nobody writes to a file that others use.

When the course has changed, so does the copy, except for files that the learner has changed: these stay as they are.
The learner's notebooks in study/ are never touched; `python course.py update` carries them into the new edition.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

COURSE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(COURSE))

from feedback import files  # noqa: E402  the path comes first

MINE = Path.home() / "attention-by-hand"
RECORD = ".copied.json"  # in the copy: {file: fingerprint of what was put there}
# Folders that stay out of the copy, at any depth, as all do whose names begin with a dot; and in data/, the files of
# whoever tried the course in its own folder.
SKIPPED = {"__pycache__", "mutants", "node_modules", "study", "tests"}
OF_A_LEARNER = {"answers", "attempts.jsonl", "cache", "progress.json"}
FIRST_NOTEBOOK = "study/00_start_here.ipynb"


def files_of_the_course(folder=None):
    """The paths of the files that a learner's copy has, relative to the course."""
    for path in sorted((folder or COURSE).iterdir()):
        if path.name.startswith(".") or path.name in SKIPPED:
            continue
        if path.parent == COURSE / "data" and path.name in OF_A_LEARNER:
            continue
        if path.is_dir():
            yield from files_of_the_course(path)
        else:
            yield path.relative_to(COURSE)


def fingerprint(content):
    return hashlib.sha256(content).hexdigest()[:16]


def refresh():
    """Make the learner's copy, or bring it up to date; returns the paths of files that the learner changed."""
    MINE.mkdir(parents=True, exist_ok=True)
    MINE.chmod(0o700)  # many systems let everybody read everybody's home
    record = read_record()
    kept = []
    for name in files_of_the_course():
        content, target = (COURSE / name).read_bytes(), MINE / name
        here = fingerprint(target.read_bytes()) if target.is_file() else None
        if here not in (None, fingerprint(content), record.get(str(name))):
            kept.append(str(name))
            continue
        if here != fingerprint(content):
            files.write(target, content)
        record[str(name)] = fingerprint(content)
    files.write(MINE / RECORD, json.dumps(record, indent=0))
    return kept


def read_record():
    try:
        return dict(json.loads((MINE / RECORD).read_bytes()))
    except (OSError, ValueError, TypeError):  # then every file that differs counts as changed by the learner
        return {}


def share_packages():
    """Let `python course.py update` in the copy find the packages of the course instead of installing its own."""
    link = MINE / ".venv"
    if not link.is_symlink() and not link.exists():
        link.symlink_to(COURSE / ".venv")


def limit_memory():
    """Give a program of the learner that asks for more than the hub allows an error, and not everybody's memory."""
    import resource

    limit = int(os.environ.get("MEM_LIMIT") or 0)  # set by JupyterHub, in bytes
    if limit:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def lab_options():
    """JupyterLab as `python course.py` opens it, with its settings in the learner's copy."""
    import course

    course.ENVIRONMENT = MINE / ".lab"
    return [
        *course.arrange_lab(),
        f"--ServerApp.root_dir={MINE}",
        f"--ServerApp.default_url=/lab/tree/{FIRST_NOTEBOOK}",
    ]


def main(words):
    limit_memory()
    kept = refresh()
    if kept:
        print(f"Files that the learner changed stay as they are: {', '.join(kept)}", file=sys.stderr)
    share_packages()
    os.chdir(MINE)
    subprocess.run([sys.executable, "-m", "tools.study", "start"], check=False)  # if it fails it says why
    os.execv(sys.executable, [sys.executable, "-m", "jupyterhub.singleuser", *lab_options(), *words])


if __name__ == "__main__":
    main(sys.argv[1:])
