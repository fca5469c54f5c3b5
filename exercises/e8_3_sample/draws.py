"""Statistics of drawn ids: from which distribution were they drawn?

Two right answers draw different ids, so results are compared by their frequencies. A batch consists of two rows of
logits that are repeated many times, in turn; the ids of the rows that are equal are counted.
"""

from functools import lru_cache

import torch

from feedback.format import number

ROWS = 2  # the rows of logits that a large batch repeats
UNLIKELY = 50  # a G statistic with 8 degrees of freedom exceeds this by chance once in 20 million tries
CLEARLY = 12  # what is this much less likely than the best name is not taken for it


def summary(args, value):
    """The name of the distribution that the ids fit; where nothing is left to chance, which tokens they are."""
    logits, temperature, _, _ = args
    if not isinstance(value, torch.Tensor) or value.shape != logits.shape[:1] or value.is_floating_point():
        return f"{type(value).__name__} {tuple(getattr(value, 'shape', ()))}"
    if is_small(args):
        return "some token" if temperature and len(value) == 1 else which(logits, value)
    counts = count(logits, value)
    if counts is None:
        return "no tokens"
    found = {name: unlikeliness(counts, wanted) for name, wanted in distributions(args).items()}
    if min(found.values()) > UNLIKELY:
        return unnamed(counts)
    if found["right"] < UNLIKELY:
        return "right"
    return next(name for name, value in found.items() if value < min(found.values()) + CLEARLY)


def is_small(args):
    """Whether there are too few rows to count: then nothing is left to chance, or only the shape is looked at."""
    return len(args[0]) < 50


def which(logits, ids):
    if torch.equal(ids, logits.argmax(-1)):
        return "the most likely"
    if torch.equal(ids, logits.argmin(-1)):
        return "the least likely"
    return "one and the same" if len(ids) > 1 and len(ids.unique()) == 1 else "others"


def unnamed(counts):
    return "one token for each kind of row" if ((counts > 0).sum(1) == 1).all() else "another"


def count(logits, ids):
    """(ROWS, V): how often each token was drawn for each of the repeated rows; None where an id is no token's."""
    vocabulary = logits.size(-1)
    if ids.min() < 0 or ids.max() >= vocabulary:
        return None
    return torch.stack([ids[row::ROWS].long().bincount(minlength=vocabulary) for row in range(ROWS)])


def unlikeliness(counts, wanted):
    """The G statistic (a likelihood ratio) of these counts, infinite where something impossible was drawn."""
    expected = counts.sum(1, keepdim=True) * wanted
    drawn = counts > 0
    if (wanted[drawn] < 1e-9).any():
        return float("inf")
    return float(2 * (counts[drawn] * (counts[drawn] / expected[drawn]).log()).sum())


def largest(z, k):
    """Which entries are among the k largest of their row."""
    return z >= z.topk(min(k, z.size(-1))).values[:, -1:]


def hidden(z, mask):
    return z.masked_fill(~mask, float("-inf"))


def distributions(args):
    """{name: probabilities (ROWS, V)}: the right ones first, then those of mistakes."""
    logits, temperature, top_k, _ = args
    return _distributions(tuple(logits[:ROWS].double().flatten().tolist()), temperature, top_k)


@lru_cache(maxsize=64)  # asked for in every check
def _distributions(numbers, temperature, top_k):
    z = torch.tensor(numbers, dtype=torch.float64).view(ROWS, -1)
    k = z.size(-1) if top_k is None else top_k
    top, divided = largest(z, k), z / temperature
    over_rows = divided.softmax(0)
    found = {
        "right": hidden(divided, top),
        "temperature multiplied": hidden(z * temperature, top),
        "temperature ignored": hidden(z, top),
        "top_k ignored": divided,
        "one token more": hidden(divided, largest(z, k + 1)),
        "one token less": hidden(divided, largest(z, k - 1)) if k > 1 else divided,
        "the least likely": hidden(divided, largest(-z, k)),
        "the others": hidden(divided, ~top) if not top.all() else divided,
        "zero is no -inf": divided.masked_fill(~top, 0),
        "positions in the top k": hidden(divided.sort(descending=True).values, torch.arange(z.size(-1)) < k),
        "the cut of the first row": hidden(divided, z >= z[0].topk(min(k, z.size(-1))).values[-1]),
        "uniform": hidden(torch.zeros_like(z), top),
        "uniform over all": torch.zeros_like(z),
        "softmax twice": hidden(z.softmax(-1) / temperature, top),
        "softmax over the batch": hidden(over_rows.log(), top),
        "greedy": hidden(z, largest(z, 1)),
        "least likely first": hidden(-divided, top),
    }
    return {name: x.softmax(-1) for name, x in found.items()}


def told(case):
    """The token whose count is furthest off, above all one that should never be drawn, and how often it should be."""
    logits = case.args[0]
    if not isinstance(case.actual, torch.Tensor) or case.actual.shape != case.expected.shape:
        return "one id for each row is asked for"
    if is_small(case.args):
        return first_row(case)
    counts = count(logits, case.actual)
    if counts is None:
        return (
            f"your ids run from {int(case.actual.min())} to {int(case.actual.max())}; there are {logits.size(1)} tokens"
        )
    wanted = distributions(case.args)["right"]
    total = counts.sum(1, keepdim=True)
    off = (counts / total - wanted).abs()
    off[(wanted == 0) & (counts > 0)] += 1  # more than any share can be off
    row, token = divmod(int(off.argmax()), logits.size(1))
    probability, rows = float(wanted[row, token]), int(total[row])
    should = f"about {round(rows * probability)}" if probability else "none"
    numbers = ", ".join(f"{x:.4g}" for x in logits[row].tolist())
    return (
        f"{given(case.args)}, the logits [{numbers}] give token {token} the probability "
        f"{number(probability) if probability else 0}: of {rows} such rows, {should} should draw it; yours did so in "
        f"{int(counts[row, token])}"
    )


def given(args):
    _, temperature, top_k, _ = args
    return f"with temperature = {temperature:g}" + ("" if top_k is None else f" and top_k = {top_k}")


def first_row(case):
    """The first row whose id is not the right one, where nothing is left to chance."""
    at = int((case.actual != case.expected).float().argmax())
    logits = ", ".join(f"{x:.4g}" for x in case.args[0][at].tolist())
    return (
        f"{given(case.args)}, the logits [{logits}] should give token {int(case.expected[at])}; yours gave "
        f"{int(case.actual[at])}"
    )
