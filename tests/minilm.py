"""What tests do where MiniLM has not been fetched. It is downloaded, and not part of the repository."""

import os
from functools import cache

import pytest

from models import pretrained


def require_minilm():
    """Skip the test where MiniLM is missing; fail it where CI is set, so that CI never leaves these tests out."""
    folder = pretrained.folder()
    if not all((folder / name).exists() for name in pretrained.FILES):
        reason = f"MiniLM is not in {folder}: run `python course.py fetch`"
        pytest.fail(reason, pytrace=False) if os.environ.get("CI") else pytest.skip(reason)


@cache
def uses_minilm(notebook):
    """Whether the notebook at this path loads MiniLM."""
    return "try_load" in notebook.read_text(encoding="utf-8")
