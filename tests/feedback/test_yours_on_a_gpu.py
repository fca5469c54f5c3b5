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


def uses_numpy(weights, mask):
    kept = weights.detach().numpy() * mask.numpy()
    return torch.from_numpy(kept / kept.sum(-1, keepdims=True))


def returns_to_the_cpu(weights, mask):
    return follows_its_input(weights.cpu(), mask.cpu())


@pytest.fixture
def passed(monkeypatch):
    """passed(answer): as cells after its check use it, on a machine with a GPU."""
    monkeypatch.setattr(COURSE, "_passed", {})

    def it_passed(answer):
        assert check("3.2", answer).solved
        monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
        return yours("3.2", answer)

    return it_passed


@pytest.fixture
def given(passed, gpu):
    """The arguments on the GPU, and the right result."""
    weights = torch.tensor([[0.5, 0.5], [0.25, 0.75]])
    return (weights.cuda(), torch.ones(2, 2).tril().bool().cuda()), torch.tensor([[1.0, 0.0], [0.25, 0.75]])


@pytest.mark.parametrize("answer", [makes_a_tensor, uses_numpy, returns_to_the_cpu])
def test_what_only_works_on_the_cpu_runs_there_and_says_so_once(passed, given, capsys, answer):
    args, right = given
    used = passed(answer)
    capsys.readouterr()
    for result in (used(*args), used(args[0], mask=args[1])):
        assert result.is_cuda and torch.equal(result.cpu(), right)
    assert capsys.readouterr().out.count(ON_THE_CPU) == 1


def test_what_follows_its_input_runs_on_the_gpu(passed, given, capsys):
    args, right = given
    used = passed(follows_its_input)
    capsys.readouterr()
    result = used(*args)
    assert result.is_cuda and torch.equal(result.cpu(), right)
    assert torch.equal(used(*(x.cpu() for x in args)), right)
    assert capsys.readouterr().out == "" and used.__wrapped__ is follows_its_input


def test_gradients_come_back_to_the_gpu(passed, given):
    (weights, mask), _ = given
    weights.requires_grad_()
    passed(makes_a_tensor)(weights, mask)[1, 0].backward()
    assert weights.grad.abs().sum() > 0


def test_an_error_of_the_answer_itself_stays_one(passed, given):
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        passed(makes_a_tensor)(given[0][0])


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
