"""What rotations are tried on, and how a rotation is told from its numbers."""

import torch

from exercises.common.inputs import AXES, B, H, T, hidden_only, normal
from feedback import TestCase

NAMES = AXES | dict.fromkeys((4, 6, 14, 10), "D")


def some_positions(*numbers):
    return torch.tensor(numbers)


def rotation_cases():
    """Test cases for 9.1 and 9.2: (x, positions, base), or (x, positions) where the base is 10,000."""
    first_five = torch.arange(T)
    return (
        TestCase("one vector per position, positions 0 to 4", (normal(T, 6, seed=1), first_five)),
        TestCase("heads and items", (normal(B, H, T, 14, seed=2), first_five)),
        TestCase("positions 7 to 11", (normal(B, H, T, 6, seed=3), first_five + 7)),
        TestCase("positions in no order", (normal(B, T, 6, seed=4), some_positions(11, 0, 3, 3, 200))),
        TestCase("positions that are floats", (normal(T, 6, seed=5), first_five + 0.5)),
        TestCase("base 100", (normal(B, H, T, 10, seed=6), first_five, 100.0)),
        TestCase("two features", (normal(B, T, 2, seed=7), first_five)),
        TestCase("one position", (normal(B, H, 1, 6, seed=8), some_positions(3))),
        TestCase("float64", (normal(B, T, 6, seed=10, dtype=torch.float64), first_five), rtol=5e-4, atol=5e-4),
        TestCase("positions up to 2,000", (normal(4, 6, seed=11), some_positions(0, 50, 999, 2000)), atol=5e-4),
        TestCase("as many items as positions", (normal(T, H, T, 6, seed=12), first_five)),
        *(
            TestCase("hidden positions", (normal(B, H, T, 6, seed=13), torch.tensor(numbers)))
            for numbers in hidden_only(lambda draw: [[draw.randrange(60) for _ in range(T)]])
        ),
    )


MINIMAL = (
    (torch.tensor([[1.0, 0.0]]), some_positions(1)),
    (torch.tensor([[1.0, 0.0, 1.0, 0.0]]), some_positions(1), 100.0),
    (torch.tensor([[0.0, 1.0, 0.0, 2.0]]), some_positions(1), 100.0),
    (torch.tensor([[1.0, 0.0], [1.0, 0.0]]), some_positions(0, 1)),
    (torch.tensor([[[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 3.0, 0.0, 0.0]]]), some_positions(2)),
)


def base_of(args):
    return args[2] if len(args) > 2 else 10000.0


def one_pair_first(args):
    """A stage: with a single pair there is only one frequency, 1, so pairing and sign are judged there first."""
    return int(args[0].size(-1) > 2)
