"""What all explorers promise in Python. What each is given and refuses stands in its own file, test_attention.py ..."""

import importlib

import pytest
import torch

import explorers
from explorers.base import INVITATION
from tests.explorers.browser import traits

FILES = {name: importlib.import_module(f"tests.explorers.test_{name}") for name in explorers.__all__}
each_explorer = pytest.mark.parametrize("name", FILES)
with_tensors = pytest.mark.parametrize("name", [name for name in FILES if name not in ("cache", "heads", "long_texts")])


def changed(arguments, change):
    """The arguments, with another in place of each tensor and each model."""
    return [change(each) if isinstance(each, (torch.Tensor, torch.nn.Module)) else each for each in arguments]


@each_explorer
def test_invalid_arguments_raise_one_clear_sentence(name):
    for error, message, arguments in FILES[name].REFUSED:
        with pytest.raises(error, match=message) as caught:
            if isinstance(arguments, dict):
                getattr(explorers, name)(**arguments)
            else:
                getattr(explorers, name)(*arguments)
        said = str(caught.value)
        assert "\n" not in said and said.count("; ") == 1 and len(said) < 200, said


@pytest.mark.slow
@each_explorer
def test_the_picture_is_the_same_in_every_run_and_ends_with_an_invitation(name):
    one, other = (getattr(explorers, name)(*FILES[name].given()).still() for _ in range(2))
    assert one == other and one["text/plain"].endswith(INVITATION)
    assert "0x" not in one["text/plain"]


@pytest.mark.slow
@with_tensors
def test_a_later_change_of_what_was_given_changes_nothing(name):
    given = FILES[name].given()
    view = getattr(explorers, name)(*given)
    before = view.still(), traits(view)
    with torch.no_grad():
        for each in given:
            for part in each.parameters() if isinstance(each, torch.nn.Module) else [each]:
                if isinstance(part, torch.Tensor):
                    part.zero_()
    assert (view.still(), traits(view)) == before


@with_tensors
def test_tensors_on_a_gpu_are_taken(gpu, name):
    given = FILES[name].given()
    expected = traits(getattr(explorers, name)(*given))
    assert traits(getattr(explorers, name)(*changed(given, lambda each: each.cuda()))) == expected
