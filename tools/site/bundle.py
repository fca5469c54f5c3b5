"""The course as one file to download, so that the website's folder on any server is all that a course needs.

It holds the files that git tracks. The same files always give the same bytes.
"""

import subprocess
import zipfile

from tools import Problem

NAME = "attention-by-hand"  # of the folder that is unpacked
FILE = f"{NAME}.zip"
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the earliest date that a zip can hold


def write(root, path):
    """Everything that belongs to the course in the folder `root`, as a zip with one folder in it.

    Errors: Problem where git does not know the folder
    """
    names = sorted(tracked(root))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            entry = zipfile.ZipInfo(f"{NAME}/{name}", LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            executable = (root / name).stat().st_mode & 0o100
            entry.create_system, entry.external_attr = 3, (0o100755 if executable else 0o100644) << 16  # 3: Unix
            archive.writestr(entry, (root / name).read_bytes())


def tracked(root):
    """The names of the files that git tracks, but for those that are deleted.

    Errors: Problem where git does not know the folder
    """
    try:
        (root / ".git").stat()  # else git would answer for a repository around the course
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, encoding="utf-8")
    except (OSError, subprocess.CalledProcessError):
        raise Problem(
            f"The website offers the files that git tracks, and git finds no repository in {root}: install git, and "
            "build the site in a clone of the course."
        ) from None
    return [name for name in listed.stdout.split("\0") if name and (root / name).is_file()]
