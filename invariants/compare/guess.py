"""What a difference looks like."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Guess:
    """A cause that was tried and that explains the numbers of both sides: what it is, and each side's choice.

    kind is one of: scale, transpose, order, heads, mask, softmax, axes, epsilon, norm, dropout, dtype, positions, ids,
    parameter, roles, activation, residual, source
    """

    kind: str
    what: str
    mine: str
    theirs: str

    def __str__(self):
        return f"What differs is {self.what}: {self.mine} in mine, {self.theirs} in theirs."
