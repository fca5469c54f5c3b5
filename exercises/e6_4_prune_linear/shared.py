"""What the statement and the misconceptions of 6.4 share."""

import torch

from exercises.common import explainers


def _lines(matrix, dim):
    """The rows, or the columns."""
    return list(matrix.unbind(dim))


def _origin(case):
    """Where the first wrong row or column of weight comes from, or the first wrong entry of bias; or None."""
    weight, bias, _, _, dim = case.args
    word = ("row", "column")[dim]
    mine, right, given = (_lines(x, dim) for x in (case.actual[0], case.expected[0], weight))
    for n, (a, b) in enumerate(zip(mine, right, strict=True)):
        if not torch.allclose(a, b):
            from_ = [i for i, line in enumerate(given) if torch.allclose(a, line)]
            wanted = next(i for i, line in enumerate(given) if torch.equal(b, line))
            if from_:
                return (f"{word} {n} of your weight is {word} {from_[0]} of the weight given; {word} {wanted} is "
                        "right there")
            return (f"{word} {n} of your weight is none of the {word}s of the weight given; {word} {wanted} is right "
                    "there")
    if bias is None:
        return None
    for n, (a, b) in enumerate(zip(case.actual[1], case.expected[1], strict=True)):
        if not torch.allclose(a, b):
            return (f"your weight is right, but entry {n} of your bias is {explainers.number(a)}, and "
                    f"{explainers.number(b)} is right")
    return None
