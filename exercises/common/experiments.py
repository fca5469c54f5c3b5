"""Behavioral tests by experiment: change one part of the input, and see which parts of the result notice."""

from exercises.common.explainers import largest, position


def largest_difference(before, after):
    return float((before - after).abs().max())


def first_that_moves(before, change, positions):
    """Change one position after the other: (the position, another that moved, by how much), or None.

    before     an array of vectors, by position
    change     change(position) is the same array after a change at that position
    """
    for at in positions:
        moved = (before - change(at)).abs().amax(-1)
        moved[at] = 0
        if moved.max() > 1e-5:
            other = largest(moved)
            return at, other, float(moved.max())
    return None


def vectors_that_mix(found):
    """A sentence on what `first_that_moves` found in an array (B, T, C)."""
    if found is None:
        return None
    at, other, moved = found
    return (
        f"Each vector is normalized on its own: when the one at {position(at)} changed, the result at "
        f"{position(other)} moved by {moved:.4f}."
    )


def heads_that_mix(found):
    """A sentence on what `first_that_moves` found in an array (B, H, ...)."""
    if found is None:
        return None
    at, other, moved = found
    return (
        f"Items and heads must not mix: when head {at[1]} of item {at[0]} changed, head {other[1]} of item "
        f"{other[0]} moved by {moved:.4f}."
    )


HEADS_TO_CHANGE = ((1, 2), (0, 0))
