"""Stubs, things that are no answers, and variables that code reads from the notebook."""

from math import inf

import pytest
import torch
from torch import nn

from exercises import EXERCISES, check
from feedback import source

D = 512  # looks like a variable of the notebook to the code below


def test_a_variable_read_from_the_notebook_is_pointed_out():
    report = check("2.3", lambda q, k: (q @ k.transpose(-2, -1) / D**0.5).softmax(-1))
    assert report.status == "wrong" and "Your code reads D = 512" in report.message


def test_infinity_from_math_is_no_variable_of_the_notebook():
    assert source.globals_read(lambda x: x * inf * D) == [("D", 512)]


def test_arguments_in_another_order_are_noticed():
    def padding_mask(max_length, lengths):
        return torch.arange(max_length) < lengths[:, None, None]

    def attention(k, q, v):  # right, whatever the names
        weights = (k @ q.transpose(-2, -1) / k.size(-1) ** 0.5).softmax(-1)
        return weights @ v, weights

    assert "Your arguments are in another order than in padding_mask" in check("3.4", padding_mask).message
    assert check("2.4", attention).status == "correct"


def dots(x):
    """Average each row."""
    ...


def passes(x):
    pass


def not_implemented(x):
    raise NotImplementedError


@pytest.mark.parametrize("stub", [dots, passes, not_implemented])
def test_a_stub_is_not_attempted(stub):
    report = check("0.1", stub)
    assert report.message == '○ 0.1 row_means: not attempted yet. Stuck? hint("0.1")'


class Empty(nn.Module):
    """A stub."""

    def __init__(self, d_in, d_out):
        super().__init__()
        ...

    def forward(self, x): ...


class Inherits(Empty):
    """Nothing above it is written either."""


class ForwardToCome(EXERCISES["2.5"].reference):
    def forward(self, x): ...


@pytest.mark.parametrize("stub", [Empty, Inherits, ForwardToCome, type("Bare", (nn.Module,), {})])
def test_a_class_whose_forward_is_empty_is_not_attempted(stub):
    assert check("2.5", stub).status == "not attempted"


@pytest.mark.parametrize(
    "attempt, words",
    [
        (torch.zeros(5), "`check` needs the function itself, got a tensor of shape (5,)"),
        (None, "got None"),
        ("row_means", "got the str 'row_means'"),
        (nn.Linear, "A function is asked for, got the class Linear"),
        (lambda: 0, "`row_means` is called as `row_means(x)`; yours takes `()`"),
    ],
)
def test_something_that_is_no_answer_is_explained(attempt, words):
    report = check("0.1", attempt)
    assert report.status == "error" and words in report.message
