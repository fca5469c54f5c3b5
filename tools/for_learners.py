"""List the files that learners get: those of a hand-out, and of each learner's copy on a hub.

Learners do not get what is not listed here: a key, slides, a page about the class, passwords. A new file that learners
need must be added here, unless its folder is listed.
"""

import os
from pathlib import Path

FOLDERS = (
    *("LICENSES", "benchmarks", "data/bert", "data/ports", "data/stories", "data/text", "data/today"),
    *("exercises", "explorers", "feedback", "figures", "helpers", "invariants", "models", "notebooks", "runtime"),
    "tools/jupyterlab",
)
FILES = (
    *(".gitattributes", ".gitignore", "CITATION.cff", "LICENSE", "README.md", "course.py", "environment.yml"),
    *("postBuild", "pyproject.toml", "requirements-test.txt", "requirements.lock", "requirements.txt"),
    *("setup_failures.py", "docs/setup_failures.md"),
    *("data/README.md", "data/causal_article.json", "data/journey.csv", "data/recall.json"),
    *("data/rewriting.safetensors", "data/transformers_4.json", "data/transformers_5.json"),
    *("docs/accessibility.md", "docs/field_guide.md", "docs/your_own_model.md", "tools/__init__.py"),
    *("tools/for_learners.py", "tools/study.py", "tools/submit.py"),
)
FOR_A_HUB = ("classroom/jupyterhub_config.py", "classroom/requirements.txt", "classroom/server.py")  # to start one
README = "classroom/students.md"  # becomes the learners' README.md
LEFT_OUT = (  # patterns for paths in FOLDERS, at any depth
    *(".*", "__pycache__", "mutants", "node_modules", "README.md"),
    *("explorers/test", "explorers/eslint.config.mjs", "explorers/package*.json", "explorers/tsconfig.json"),
)


def files(course, cannot_open):
    """Return {path in the learner's copy: the file in the folder `course`}.

    cannot_open(error) is called for each folder that is missing or that this account may not open.
    """
    found = {name: course / name for name in FILES}
    if os.path.isfile(course / README):
        found["README.md"] = course / README
    for name in FOLDERS:
        for place, folders, names in os.walk(course / name, onerror=cannot_open):
            here = Path(place).relative_to(course)
            folders[:] = [folder for folder in folders if not is_left_out(here / folder)]
            found |= {(here / name).as_posix(): Path(place, name) for name in names if not is_left_out(here / name)}
    return dict(sorted(found.items()))


def is_left_out(path):
    return any(path.match(pattern) for pattern in LEFT_OUT)
