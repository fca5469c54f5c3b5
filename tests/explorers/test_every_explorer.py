"""What all explorers promise in Python. What each is given and refuses stands in its own file, test_attention.py ..."""

import importlib
import itertools

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


KINDS = {
    "with gradients": lambda x: x.clone().requires_grad_(),
    "float64": torch.Tensor.double,
    "float16": torch.Tensor.half,
    "lists": torch.Tensor.tolist,
    "not contiguous": lambda x: torch.stack([x, x], dim=-1)[..., 0],
    "whole numbers": lambda x: (10 * x).int(),
}


WITH_NUMBERS = ["attention", "dropout", "masks", "positions", "rotation", "scaling", "tiles"]
REFUSED_KIND = ("positions", "whole numbers")  # they are taken for ids


@pytest.mark.parametrize(
    "name, kind", [each for each in itertools.product(WITH_NUMBERS, KINDS) if each != REFUSED_KIND]
)
def test_numbers_of_every_kind_are_sent_as_they_are(name, kind):
    arguments = list(FILES[name].given())
    place = next(n for n, each in enumerate(arguments) if isinstance(each, torch.Tensor))
    arguments[place] = KINDS[kind](arguments[place])
    view = getattr(explorers, name)(*arguments)
    sent = {value for trait in view.traits(sync=True) if isinstance(value := getattr(view, trait), bytes)}
    assert torch.as_tensor(arguments[place]).detach().float().numpy().tobytes() in sent


@each_explorer
def test_the_smallest_and_the_largest_are_taken_and_no_picture_is_large(name):
    for taken in getattr(FILES[name], "TAKEN", []):
        named = taken if isinstance(taken, dict) else {}
        view = getattr(explorers, name)(*(() if named else taken), **named)
        assert all(getattr(view, size) == value for size, value in named.items())
        svg = view.still()["image/svg+xml"]
        assert len(svg) < 40_000 and "nan" not in svg


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
