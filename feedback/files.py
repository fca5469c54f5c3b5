"""Write files, and append lines, either whole or not at all."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def write(target: Path, content: str | bytes, mode: int = 0o666) -> None:
    """Write a temporary file and rename it, so that `target` is the old file or the new one, never half of one.

    mode  the permissions of the file, as in os.open

    Errors: OSError where it cannot be written
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with open(part, "wb", opener=lambda path, flags: os.open(path, flags, mode)) as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())  # so that the file is whole even after a power failure
        patiently(os.replace, part, target)
    finally:
        part.unlink(missing_ok=True)


def patiently(act: Callable, *args: Any, **options: Any) -> Any:
    """Repeat a call that fails on Windows while another notebook has the file open for a moment."""
    for _ in range(10):
        try:
            return act(*args, **options)
        except PermissionError:
            time.sleep(0.02)
    return act(*args, **options)


def append(target: Path, line: str) -> None:
    """Add a line in a single call, so that two notebooks that write at once cannot mix their lines.

    Errors: OSError where it cannot be written
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with patiently(open, target, "ab", buffering=0) as file:
        file.write(f"{line}\n".encode())
