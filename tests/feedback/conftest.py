"""What these tests share: answers that pass are kept in a temporary folder, not in the contributor's data/answers."""

import pytest

import exercises


@pytest.fixture(autouse=True)
def answers_folder(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.mktemp("learner") / "answers"
    monkeypatch.setattr(exercises, "ANSWERS", folder)
    return folder
