"""Results are on the device of the inputs: the most common mistakes on a GPU, found without one.

Everything runs twice: with tensors on the CPU, and with tensors on a fake GPU, which refuses to mix the two.
"""

import copy
from functools import partial

import pytest
import torch
from torch import nn

from exercises import EXERCISES
from tests.unit import cases
from tests.unit.cases import MODULES, flat, ids, moved
from tests.unit.fake_gpu import FakeGpu

CASES = dict(cases.CASES)
NO_TENSORS = {  # are given, or returned
    *("causal_mask", "sinusoidal_positions", "alibi_bias", "window_mask", "encode"),
    *("pronoun_matrices", "first_difference", "train_step", "translate"),
    *(exercise.name for exercise in EXERCISES.values() if exercise.returns == ("verdict",)),  # they judge a suspect
}
CASES |= {  # all other solutions, each with the first test case of its exercise
    exercise.name: (partial(exercise.runner.call, exercise.reference), exercise.cases[0].args)
    for exercise in EXERCISES.values()
    if exercise.name not in NO_TENSORS | set(CASES)
}


@pytest.mark.parametrize("name", CASES)
def test_results_are_the_same_on_the_fake_gpu(name):
    function, given = CASES[name]
    expected = flat(function(*given))
    assert expected
    with FakeGpu():
        found = flat(moved(function, "cuda")(*moved(given, "cuda")))
        assert {tensor.device.type for tensor in found} == {"cuda"}
        torch.testing.assert_close([tensor.cpu() for tensor in found], expected, rtol=0, atol=0)


def test_heads_can_be_pruned_on_a_gpu(gpu):
    here = copy.deepcopy(MODULES["BertModel"][0])
    there = copy.deepcopy(here).to("cuda")
    for model in (here, there):
        model.prune_heads({0: [1], 1: [0, 2]})
    torch.testing.assert_close(there(ids.to("cuda"))[0].cpu(), here(ids)[0])


def test_the_fake_gpu_refuses_to_mix_devices():
    with FakeGpu():
        layer, x = nn.Linear(3, 2).to("cuda"), torch.ones(4, 3)
        for slip in (
            lambda: layer(x),
            lambda: layer(x.to("cuda")).masked_fill(torch.ones(2) > 0, 0.0),
            lambda: layer(x.to("cuda") + torch.rand(4, 3)),
        ):
            with pytest.raises(RuntimeError, match="on the same device, but found cuda:0 and cpu"):
                slip()


def test_the_fake_gpu_behaves_like_a_gpu():
    with FakeGpu():
        layer, x = nn.Linear(3, 2).to("cuda"), torch.ones(4, 3, device="cuda")
        layer(x).sum().backward()
        assert layer.weight.grad.is_cuda and copy.deepcopy(layer)(x).is_cuda and x.new_zeros(2).is_cuda
        assert isinstance(layer.weight, nn.Parameter) and len(list(layer.parameters())) == 2
        assert torch.equal(torch.ones(4, 3).cuda(), x) and torch.ones(1).to(x).is_cuda
        here = x.to("cpu")
        here += 1
        assert x.sum().item() == 12 and not here.is_cuda  # a copy
        with pytest.raises(TypeError, match=r"can't convert cuda:0 device type tensor to numpy"):
            x.numpy()
    assert type(torch.ones(1, device="cpu")) is torch.Tensor
