"""Copies of the course that are set up in moments."""

import pytest

from tests.setup.copies import Course


@pytest.fixture
def course(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where the fakes write
    return Course(tmp_path)


@pytest.fixture
def ready_course(course):
    return course.with_fakes()
