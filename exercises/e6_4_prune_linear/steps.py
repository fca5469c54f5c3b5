"""The steps of a right answer to exercise 6.4, prune_linear, and a sentence about the learner's rows or columns."""

import torch

from exercises.common import explainers

# ---------------------------------------------------------------- the right steps


def width(weight, num_heads, dim):
    """D, how many features a head has along dim."""
    return weight.size(dim) // num_heads


def head_of(feature, width, num_heads):
    """The head that owns a feature."""
    return feature // width


def gone(heads, num_heads):
    """The heads that go."""
    return set(heads)


def axis(dim):
    """The axis of weight that is cut."""
    return dim


def cut(tensor, dim, features):
    """What stays of a tensor."""
    return tensor.index_select(dim, features)


def cut_bias(bias, features, dim):
    return bias if bias is None or dim == 1 else cut(bias, 0, features)


def finish(weight, bias):
    return weight, bias


def prune_from(width=width, head_of=head_of, gone=gone, axis=axis, cut=cut, cut_bias=cut_bias, finish=finish):
    """prune_linear(weight, bias, heads, num_heads, dim) made of these steps."""

    def prune(weight, bias, heads, num_heads, dim):
        size, going = width(weight, num_heads, dim), gone(heads, num_heads)
        features = torch.tensor(
            [i for i in range(weight.size(dim)) if head_of(i, size, num_heads) not in going], dtype=torch.long
        )
        return finish(cut(weight, axis(dim), features), cut_bias(bias, features, dim))

    return prune


right = prune_from()


# ---------------------------------------------------------------- a sentence about the learner's rows or columns


def where_from(case):
    """Where the first wrong row or column of weight comes from, or None."""
    weight, _, _, _, dim = case.args
    word = ("row", "column")[dim]
    mine, expected, given = (x.unbind(dim) for x in (case.actual[0], case.expected[0], weight))
    for n, (a, b) in enumerate(zip(mine, expected, strict=True)):
        if not torch.allclose(a, b):
            found = [i for i, line in enumerate(given) if torch.allclose(a, line)]
            belongs = next(i for i, line in enumerate(given) if torch.equal(b, line))
            source = f"{word} {found[0]}" if found else f"none of the {word}s"
            return f"{word} {n} of your weight is {source} of the weight given; {word} {belongs} belongs there"
    return None


def line_from(case):
    return where_from(case) or explainers.entry(case)
