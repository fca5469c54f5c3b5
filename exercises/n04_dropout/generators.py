"""Shared by 4.1 and 4.2: tests that the generator determines the zeros, and meanings of PyTorch's error messages."""

import torch

from exercises.common.generators import decided_by_the_generator, required
from exercises.common.inputs import seeded

ERROR_MEANINGS = (
    (
        r"rand\w*\(\).*(got \(Tensor\b|must be tuple of ints, not Tensor)",
        "`torch.rand` takes a shape, and here it got the tensor itself: append `.shape` to the tensor.",
    ),
    (
        r"dropout\(\).*(keyword argument 'generator'|not torch._C.Generator)",
        "`F.dropout` takes no generator. Draw yourself, with `torch.rand`, and compare with p.",
    ),
    (
        r"Dropout\w*\.(__init__\(\).*'generator'|forward\(\) takes)",
        "`nn.Dropout` takes no generator. Draw yourself, with `torch.rand`, and compare with p.",
    ),
)


BELOW_P = (
    "becomes 0 with probability p: `torch.rand` draws uniformly from 0 to 1, so a share of p of its numbers lies below "
    "p. Do those numbers become exactly 0, and no others? Does any escape the draw?"
)


def zeros_are_drawn(call, zeros):
    """Return tests that zeros are drawn at random, with the generator or with torch's global one.

    call(attempt, generator) makes one call, and zeros(result) returns where zeros are.
    """

    def draw(attempt, generator):
        return zeros(call(attempt, generator))

    def leaves_the_global_seed(attempt):
        found = []
        for seed in (1, 2):
            torch.default_generator.manual_seed(seed)
            draw(attempt, seeded(7))
            found.append(torch.rand(4))
        if not torch.equal(*found):
            return None
        return (
            "After your code has run, torch's global generator is always in the same state: your code seeds it, and "
            "everybody else draws from it too."
        )

    def not_counted_out(attempt):
        generator = seeded(5)
        counts = {int(draw(attempt, generator).sum()) for _ in range(12)}
        if len(counts) > 1:
            return None
        return (
            f"In 12 calls exactly {counts.pop():,} numbers became 0 each time: they were counted out, not drawn one by "
            "one."
        )

    draws_again, listens, draws_without = decided_by_the_generator(
        draw,
        "zeroed the same positions",
        "gave zeros at different positions",
        "Pass the generator on: `torch.rand(shape, generator=generator)`. (`F.dropout`, `nn.Dropout` and NumPy cannot "
        "use it.)",
        "same-zeros",
    )
    return (
        draws_again,
        listens,
        required(
            "seeds-everything",
            leaves_the_global_seed,
            "called with a generator,",
            "Leave the seed alone: whoever calls your code chooses it, with the generator.",
        ),
        draws_without,
        required(
            "counted-out",
            not_counted_out,
            "called twelve times,",
            "Compare each random number with p: then each number becomes 0 or stays on its own, and the count varies "
            "around the share p.",
        ),
    )
