"""The course as one file to download, so that the website's folder on any server is all that a course needs.

It holds the files that git tracks or, where there is no git, those of the course's own parts that .gitignore does not
leave out. The same files always give the same bytes.
"""

import subprocess
import zipfile
from fnmatch import fnmatch
from pathlib import PurePosixPath

NAME = "attention-by-hand"  # of the folder that is unpacked
FILE = f"{NAME}.zip"
PARTS = (
    *(".ci", ".github", "benchmarks", "classroom", "data", "docs", "exercises", "explorers", "feedback"),
    *("helpers", "LICENSES", "notebooks", "site", "tests", "tools"),
    *(".gitattributes", ".gitignore", ".pre-commit-config.yaml", "CHANGELOG.md", "CITATION.cff"),
    *("CONTRIBUTING.md", "LICENSE", "README.md", "conftest.py", "course.py", "environment.yml", "postBuild"),
    *("pyproject.toml", "requirements-test.txt", "requirements.lock", "requirements.txt"),
)
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the earliest date that a zip can hold


def write(root, path):
    """Everything that belongs to the course in the folder `root`, as a zip with one folder in it."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(tracked(root) if (root / ".git").exists() else known(root)):
            entry = zipfile.ZipInfo(f"{NAME}/{name}", LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            executable = (root / name).stat().st_mode & 0o100
            entry.create_system, entry.external_attr = 3, (0o100755 if executable else 0o100644) << 16  # 3: Unix
            archive.writestr(entry, (root / name).read_bytes())


def tracked(root):
    """The names of the files that git tracks, but for those that are deleted."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, encoding="utf-8")
    return [name for name in listed.stdout.split("\0") if name and (root / name).is_file()]


def known(root):
    """The same where there is no git."""
    lines = (root / ".gitignore").read_text(encoding="utf-8").split()
    names = [path.relative_to(root).as_posix() for part in PARTS for path in [root / part, *(root / part).rglob("*")]
             if path.is_file()]  # fmt: skip
    return [name for name in names if not any(ignored(name, line) for line in lines)]


def ignored(name, line):
    """Whether a line of .gitignore, in the forms that ours has, leaves out a file."""
    pattern = line.strip("/")
    places = [name, *map(str, PurePosixPath(name).parents)]
    if "/" in line.rstrip("/"):  # a path from the root
        return any(fnmatch(place, pattern) for place in places)
    return any(fnmatch(part, pattern) for part in PurePosixPath(name).parts)
