"""Fixtures with copies of the course that are set up in a moment."""

import pytest

from tests.setup.copies import Course


@pytest.fixture
def course(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the fakes write there
    return Course(tmp_path)


@pytest.fixture
def ready_course(course):
    return course.with_fakes()
