"""What must not affect the learner: an exception in the checker, and a check that reseeds their generators."""

import pytest
import torch

from exercises import COURSE, EXERCISES, check
from feedback import checker


@pytest.fixture
def broken(monkeypatch):
    monkeypatch.setattr(checker, "session", None)  # calling it is a TypeError in checker.py


def test_a_fault_of_the_checker_says_so_with_its_place(broken, monkeypatch):
    with pytest.raises(TypeError):  # in debug mode
        check("0.1", lambda x: x)
    monkeypatch.setattr(COURSE, "debug", False)
    monkeypatch.setattr(COURSE.store, "_unsaved", [])
    report = check("0.1", lambda x: x)
    assert report.status == "error"
    assert "a mistake in the course, not in your code: its checker raised TypeError (feedback/checker.py, line" in (
        report.message
    )
    assert "Please report it" in report.message
    assert COURSE.store.load() == {}, "it is no try"


@pytest.mark.parametrize("id", list(EXERCISES))
def test_a_check_prints_nothing_and_touches_no_generator_of_the_learner(id, monkeypatch, capsys):
    """torch.manual_seed would reset the generator of every GPU, which a check must not do."""
    seeded = []
    for place in (torch, torch.random, torch.cuda, torch.mps, torch.xpu):
        for name in ("manual_seed", "manual_seed_all", "seed", "seed_all"):
            if hasattr(place, name):
                monkeypatch.setattr(place, name, lambda *args, name=f"{place.__name__}.{name}": seeded.append(name))
    before = torch.get_rng_state()
    check(id, COURSE.reference(id))
    assert seeded == [] and torch.equal(torch.get_rng_state(), before)
    assert capsys.readouterr() == ("", "")
