"""The explanations of Python's and PyTorch's exceptions."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from exercises import EXERCISES, check
from feedback import errors

X, SCORES, TRIANGLE, LAYER = torch.ones(2, 4, 3), torch.ones(2, 4, 4), torch.ones(4, 4).tril(), nn.Linear(3, 2)
PAST, GENERATOR, NUMBER = (X, X), torch.Generator(), 0.1


class NotSetUp(nn.Module):
    """A module that sets an attribute before super().__init__(), or without its parentheses."""

    def __init__(self, forgets):
        forgets(self)


@pytest.mark.parametrize(
    "code, words",
    [
        (lambda: SCORES.masked_fill(TRIANGLE, 0.0), "Which of them stand where it is to fill"),
        (lambda: ~TRIANGLE, "put .bool() before it"),
        (lambda: NotSetUp(lambda self: setattr(self, "part", LAYER)), "hold a module: call super().__init__() first"),
        (lambda: NotSetUp(lambda self: setattr(self, "w", LAYER.weight)), "hold a parameter: call super().__init__"),
        (lambda: super.__init__(), "with parentheses after super"),
        (lambda: F.dropout(SCORES, 0.1, training=LAYER.train), "self.training says which one it is"),
        (lambda: NUMBER(X), "nn.Dropout(dropout) makes a layer"),
        (lambda: F.dropout(SCORES, nn.Dropout(0.1)), "call the layer itself, self.dropout(x)"),
        (lambda: X @ LAYER, "Its matrix is self.layer.weight"),
        (lambda: LAYER.shape, "Its matrix is self.layer.weight"),
        (lambda: PAST.size(-2), "pair[0] is the first"),
        (lambda: set().pop(), "nothing left to take out"),
        (lambda: torch.cat(X, X, dim=1), "torch.cat([a, b], dim=...)"),
        (lambda: X[torch.arange(2) / 2], "// gives whole numbers"),
        (lambda: X[3 / 2], "divide with //"),
        (lambda: torch.ones(2, 1, 4, 4).expand(SCORES.shape[-2:]), "expand removes no axis"),
        (lambda: X[:, torch.ones(5, dtype=torch.bool)], "belong to the other axis"),
        (lambda: SCORES.softmax(), "softmax(dim=-1)"),
        (lambda: SCORES.transpose(), ".transpose(-2, -1)"),
        (lambda: SCORES.bool().mean(1), "A bool has no mean"),
        (lambda: torch.rand((2, 2), GENERATOR), "torch.rand(shape, generator=generator)"),
        (lambda: X.variance(-1), "did you mean var?"),
        (lambda: X.matmull(X), "did you mean matmul?"),
        (lambda: torch.cat([X, X[0]]), "equally many axes"),
        (lambda: SCORES.masked_fill(TRIANGLE.bool(), "-inf"), "x.masked_fill(where, value) takes two things"),
        (lambda: 10000 ^ X, "write **"),
        (lambda: torch.arange(2) ** -1, "begin with a float"),
    ],
)
def test_an_exception_is_explained(code, words):
    with pytest.raises(Exception) as caught:
        code()
    assert words in errors.meaning(caught.value).replace("`", ""), str(caught.value)


@pytest.fixture
def sizes_differ():
    """sizes_differ(**context) explains an addition whose sizes do not fit, given the line or the code around it."""
    with pytest.raises(RuntimeError) as caught:
        torch.ones(2, 3) + torch.ones(2, 4)
    return lambda **context: errors.meaning(caught.value, **context).replace("`", "")


@pytest.mark.parametrize(
    "line, words",
    [
        ("scores = q @ k", "In a product with @ the axes in front must agree in this way"),
        ("scores = q @ k.T", ".T reverses all axes; .transpose(-2, -1) swaps the last two alone"),
        ("x - x.mean(-1)", "keepdim=True keeps it"),
        ("x + positions", "x[:, None] inserts one of size 1"),
    ],
)
def test_advice_on_sizes_depends_on_the_line(sizes_differ, line, words):
    said = sizes_differ(line=line)
    assert "along one axis their sizes are 3 and 4" in said and words in said
    assert ("keepdim" in said) == ("mean" in line)


def test_an_axis_may_have_been_removed_in_another_line_or_call(sizes_differ):
    earlier = "total = e.exp().sum(-1)\nreturn e / total"
    kept_once = "e / (x - x.max(-1, keepdim=True)[0]).exp().sum(-1)"
    assert "keepdim" in sizes_differ(line="return e / total", code=earlier)
    assert "keepdim" in sizes_differ(line=kept_once, code="")
    assert "keepdim" not in sizes_differ(line="e / e.sum()", code="e / e.sum()"), "one number has no axes"


def test_the_meanings_of_an_exercise_come_first():
    with pytest.raises(RuntimeError) as caught:
        torch.ones(2, 3) @ torch.ones(2, 3)
    own = ((r"\((\d)x(\d) and", "Not {0} and {1}."),)
    assert errors.meaning(caught.value, own) == "Not 2 and 3."


def test_the_kind_of_an_exception_does_not_depend_on_its_wording():
    def kind(code):
        with pytest.raises(Exception) as caught:
            code(None)
        return errors.kind(caught.value)

    assert kind(lambda bias: bias[0]) == kind(lambda bias: bias.take(0)) == kind(lambda bias: bias.shape)
    assert kind(lambda bias: torch.ones(2) + torch.ones(3)) != kind(lambda bias: torch.ones(2) + torch.ones(5))
    assert kind(lambda bias: torch.ones(2) + torch.ones(3)) == kind(lambda bias: torch.ones(3) + torch.ones(2))
    assert kind(lambda bias: {}["a"]) != kind(lambda bias: {}["b"])


def test_expand_is_spoken_of_only_where_the_line_has_it():
    place = torch.zeros(3)
    with pytest.raises(RuntimeError) as caught:
        place[:] = torch.ones(2, 3)
    assert "expand removes no axis" in errors.meaning(caught.value, line="line 1: `x.expand(3)`")
    assert "more axes than the place itself" in errors.meaning(caught.value, line="line 1: `out[i] = table[id]`")


def test_nothing_is_guessed_about_code_that_a_line_of_the_learner_only_calls():
    called = EXERCISES["2.1"].reference
    report = check("2.1", lambda q, k: called(q, k[:, :2]))
    assert "What your line calls stopped" in report.message and "inner sizes" not in report.message
    assert "inner sizes" in check("2.1", lambda q, k: q @ k[:, :2].transpose(-2, -1)).message


def test_a_layer_that_forward_makes_is_the_reason_of_another_dtype():
    code = "def forward(self, x):\n    return nn.Linear(3, 3)(x)"
    error = RuntimeError("mat1 and mat2 must have the same dtype, but got Double and Float")
    assert "belongs in `__init__`" in errors.meaning(error, code=code)
    assert "belongs in `__init__`" not in errors.meaning(error, code="def forward(self, x):\n    return self.layer(x)")
