"""Answers that pass their check, which runs on the CPU, in cells whose tensors are on a GPU."""

import pytest
import torch

from exercises import COURSE, check, yours
from feedback.devices import on_any_device

ON_THE_CPU = "Exercise 3.2 mask_by_renormalizing: yours only works on the CPU, so it runs there."


def follows_its_input(weights, mask):
    kept = weights * mask
    return kept / kept.sum(dim=-1, keepdim=True)


def makes_a_tensor(weights, mask):
    kept = torch.where(mask, weights, torch.zeros(weights.shape))
    return kept / kept.sum(dim=-1, keepdim=True)


@pytest.fixture
def use(monkeypatch, gpu, capsys):
    """use(answer) checks an answer and returns it as later cells use it, on a machine with a GPU."""
    monkeypatch.setattr(COURSE, "_passed", {})

    def it_passed(answer):
        assert check("3.2", answer).solved
        monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
        capsys.readouterr()
        return yours("3.2", answer)

    return it_passed


WEIGHTS, MASK = torch.tensor([[0.5, 0.5], [0.25, 0.75]]), torch.ones(2, 2).tril().bool()
RIGHT = torch.tensor([[1.0, 0.0], [0.25, 0.75]])


def test_what_only_works_on_the_cpu_runs_there_and_says_so_once(use, capsys):
    used, weights, mask = use(makes_a_tensor), WEIGHTS.cuda(), MASK.cuda()
    for result in (used(weights, mask), used(weights, mask=mask)):
        assert result.is_cuda and torch.equal(result.cpu(), RIGHT)
    assert capsys.readouterr().out.count(ON_THE_CPU) == 1
    weights.requires_grad_()
    used(weights, mask)[1, 0].backward()
    assert weights.grad.abs().sum() > 0, "gradients come back to the GPU"
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        used(weights)


def test_what_follows_its_input_runs_on_the_gpu(use, capsys):
    used = use(follows_its_input)
    result = used(WEIGHTS.cuda(), MASK.cuda())
    assert result.is_cuda and torch.equal(result.cpu(), RIGHT) and torch.equal(used(WEIGHTS, MASK), RIGHT)
    assert capsys.readouterr().out == "" and used.__wrapped__ is follows_its_input


@pytest.mark.parametrize("kind", ["a module", "a function that uses one"])
def test_a_module_may_be_an_argument(gpu, kind, capsys):
    def column_of_ones(layer, x):
        return layer(torch.cat([x, torch.ones(len(x), 1)], dim=-1))

    layer, x = torch.nn.Linear(3, 2), torch.randn(4, 2)
    right = column_of_ones(layer, x)
    layer = layer.cuda()
    given = layer if kind == "a module" else lambda x: layer(x)
    result = on_any_device(column_of_ones, "9.9 column_of_ones")(given, x.cuda())
    assert result.is_cuda and torch.allclose(result.cpu(), right) and layer.weight.is_cuda
    assert "only works on the CPU" in capsys.readouterr().out
