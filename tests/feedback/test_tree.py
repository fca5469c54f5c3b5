"""Copies of arguments, and whether they were changed."""

import copy

import torch
from torch import nn

from exercises.common.modules import only_read
from feedback import tree


class Model(nn.Module):
    """A little of everything that a module may hold."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
        self.scale = nn.Parameter(torch.tensor(2.0), requires_grad=False)
        self.register_buffer("mask", torch.ones(4, dtype=torch.bool), persistent=False)
        self.register_buffer("none", None)
        self.seen = []

    def forward(self, x):
        self.seen.append(len(x))
        return self.scale * self.inner(x) * self.mask


def test_a_copy_of_a_module_gives_what_a_deepcopy_gives():
    model, x = Model().eval(), torch.randn(5, 3)
    mine, theirs = tree.copy(model), copy.deepcopy(model)
    torch.testing.assert_close(mine(x), theirs(x), rtol=0, atol=0)
    assert mine.state_dict().keys() == theirs.state_dict().keys() and not mine.inner.training
    wanted = [(name, p.requires_grad) for name, p in theirs.named_parameters()]
    assert [(name, p.requires_grad) for name, p in mine.named_parameters()] == wanted
    assert tree.unchanged(model, mine) and model.seen == [] and mine.seen == [5]
    mine.inner[1].running_mean.add_(1)
    assert not tree.unchanged(model, mine) and tree.unchanged(model, theirs)


def test_a_tensor_with_nan_that_was_left_alone_is_unchanged():
    x = torch.tensor([1.0, torch.nan, torch.inf])
    assert tree.unchanged(x.clone(), x) and not tree.unchanged(x.nan_to_num(), x)


def test_layers_that_no_answer_gets_are_not_copied():
    x, layer = torch.randn(2, 3), nn.Linear(3, 3)
    given = only_read((x, layer, 2))
    copied = tree.copy(given)
    assert copied[1] is given[1] and copied[0] is not given[0] and copied[2] == 2
    torch.testing.assert_close(given[1](x), layer(x), rtol=0, atol=0)
