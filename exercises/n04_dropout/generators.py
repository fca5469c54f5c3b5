"""What 4.1 and 4.2 share: tests that the generator decides where zeros fall, and what PyTorch says of generators."""

import torch

from exercises.common.inputs import seeded
from feedback import BehavioralTest

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


def draws_again(zeroed):
    """A second call with the same generator goes on drawing."""
    generator = seeded(1)
    if torch.equal(zeroed(generator), zeroed(generator)):
        return "Called twice with one and the same generator, your code zeroed the same positions both times."
    return None


def listens(zeroed):
    """The generator alone decides."""
    found = []
    for seed in (1, 2):  # of torch's global generator, which must not matter
        torch.default_generator.manual_seed(seed)
        found.append(zeroed(seeded(7)))
    if torch.equal(*found):
        return None
    return (
        "Two generators with the same seed gave zeros at different positions: something other than the generator "
        "decides."
    )


def leaves_the_global_seed(zeroed):
    """torch's global generator is left alone."""
    found = []
    for seed in (1, 2):
        torch.default_generator.manual_seed(seed)
        zeroed(seeded(7))
        found.append(torch.rand(4))
    if not torch.equal(*found):
        return None
    return (
        "After your code has run, torch's global generator is always in the same state: your code seeds it, and "
        "everybody else draws from it too."
    )


def draws_without(zeroed):
    """torch's global generator decides where none is given."""
    torch.default_generator.manual_seed(3)
    first, second = zeroed(None), zeroed(None)
    if torch.equal(first, second):
        return "Called twice without a generator, your code zeroed the same positions both times."
    torch.default_generator.manual_seed(3)
    if not torch.equal(first, zeroed(None)):
        return "Without a generator, `torch.manual_seed(3)` before two calls gave zeros at different positions."
    return None


def not_counted_out(zeroed):
    """The number of zeros varies from call to call."""
    generator = seeded(5)
    counts = {int(zeroed(generator).sum()) for _ in range(12)}
    if len(counts) > 1:
        return None
    return (
        f"In 12 calls exactly {counts.pop():,} numbers became 0 each time: they were counted out, not drawn one by one."
    )


TESTS = (
    (
        "same-zeros",
        draws_again,
        "called a second time,",
        "Every call should draw new numbers: draw with the generator you are given, and seed nothing inside.",
    ),
    (
        "generator-ignored",
        listens,
        "called with a generator,",
        "Pass the generator on: `torch.rand(shape, generator=generator)`. (`F.dropout`, `nn.Dropout` and NumPy "
        "cannot use it.)",
    ),
    (
        "seeds-everything",
        leaves_the_global_seed,
        "called with a generator,",
        "Leave the seed alone: whoever calls your code chooses it, with the generator.",
    ),
    (
        "not-repeatable",
        draws_without,
        "called without a generator,",
        "With `generator=None`, `torch.rand` uses torch's global generator, so there is nothing more to do: no seed, "
        "and no generator of your own.",
    ),
    (
        "counted-out",
        not_counted_out,
        "called twelve times,",
        "Compare each random number with p: then each number becomes 0 or stays on its own, and the count varies "
        "around the share p.",
    ),
)


def decided_by_the_generator(call, zeros):
    """Tests of right numbers: the generator decides, or torch's global one where none is given.

    call(attempt, generator) is one call, and zeros(result) says where zeros fell.
    """

    def asked(test):
        return lambda attempt: test(lambda generator: zeros(call(attempt, generator)))

    return tuple(
        BehavioralTest(id, asked(test), hint, required=True, while_doing=doing) for id, test, doing, hint in TESTS
    )
