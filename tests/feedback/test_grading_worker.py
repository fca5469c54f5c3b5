"""What the fresh process of a grader sends back: data, and nothing else."""

import json
import math

import pytest
import torch

from feedback.grading_worker import Other, decoded, encoded
from feedback.tree import unchanged


def sent(value):
    """A result as it arrives in the judging process."""
    return decoded(json.loads(json.dumps(encoded(value))))


class Equal(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return True if function.__name__ == "allclose" else super().__torch_function__(function, types, args, kwargs)


class One(float):
    __eq__ = object.__ne__


def numbers(*sizes):
    return torch.linspace(-1, 1, math.prod(sizes)).reshape(sizes)


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        "a \N{SNOWMAN}",
        [1, "b", (2.5, None)],
        numbers(3, 5),
        torch.arange(7)[::3],
        numbers(3, 7)[:, :1].T[0, :1],
        torch.zeros(0, 3),
        torch.ones(2, 2, dtype=torch.bool).tril(),
        torch.complex(numbers(3), numbers(3)).conj(),
        numbers(3).to(torch.bfloat16),
        (numbers(2), (numbers(1), [numbers(1)])),
    ],
)
def test_results_arrive_as_they_were(value):
    arrived = sent(value)
    assert type(arrived) is type(value)
    assert unchanged(arrived, value) if not isinstance(value, (tuple, list)) else repr(arrived) == repr(value)


def test_classes_and_gradients_stay_behind():
    tensor = sent(torch.ones(2, requires_grad=True).as_subclass(Equal))
    assert type(tensor) is torch.Tensor and not tensor.requires_grad and not torch.allclose(tensor, torch.zeros(2))
    assert type(sent(One(1.0))) is float
    assert all(isinstance(sent(value), Other) for value in (object(), {"a": 1}, torch.eye(2).to_sparse(), len))
