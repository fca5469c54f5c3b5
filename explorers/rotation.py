"""Rotary positions: pairs of features of a query and a key as rotating arrows, and what each pair adds to the score."""

import math

import torch
import traitlets

import figures
from explorers import given
from explorers.base import Explorer
from helpers.relative_positions import rotate_pairs

FEWEST, MOST = 4, 128  # features: two pairs to compare, and the widest heads in use
PLACES = (4, 3)  # the key's position, and the distance from there to the query, when the view opens


def rotation(q, k, base=10000.0):
    """See what rotary positions do to a score: move a query and a key along the text, or change their distance.

    Neighboring features are rotated together, as by relative_positions.rotate_pairs.

    Shapes: q (D,) a query and k (D,) a key of one head, not yet rotated; D even, 4 to 128
    Units:  scores are dot products, as they are before the division by √D; angles are in radians
    Errors: TypeError if q or k is not of real numbers, or the base not a number; ValueError if q and k do not match,
            or one of them has an odd number of features, too few or too many, is all zeros, or has a number that
            is NaN or infinite, or if the base is below 1 or infinite
    Source: notebook 09
    """
    q, k = _vector("q", q), _vector("k", k)
    if q.shape != k.shape:
        raise ValueError(
            f"q and k must have the same width D, got {len(q)} and {len(k)} features; take both from the same head"
        )
    return RotationExplorer(q, k, _base(base))


class RotationExplorer(Explorer):
    """The view of a query and a key, which have been checked."""

    script = "rotation.js"
    q = traitlets.Bytes().tag(sync=True)  # float32, (D,)
    k = traitlets.Bytes().tag(sync=True)  # float32, (D,)
    base = traitlets.Float().tag(sync=True)
    places = traitlets.List(traitlets.Int()).tag(sync=True)  # [the key's position, the distance] when the view opens

    def __init__(self, q, k, base):
        self._q, self._k = q, k
        super().__init__(q=given.sent(q), k=given.sent(k), base=base, places=list(PLACES))

    def picture(self):
        """What each pair adds to the score when the view opens."""
        position, distance = self.places
        query = self._turned(self._q, position + distance)
        key = self._turned(self._k, position)
        added = ((query * key).sum(dim=1) * 100).round() / 100 + 0.0  # no -0.0
        score = float((query * key).sum())
        title = f"Query at position {position + distance}, key at position {position}: score {score:.2f}"
        drawn = figures.lines({"what each pair adds": added}, range(len(added)), "pair of features", "score", title)
        named = ", ".join(f"pair {i} {score:.2f}" for i, score in enumerate(added.tolist()))
        return figures.Picture(drawn.svg, f"{title}. What each of {len(added)} pairs of features adds: {named}.")

    def _turned(self, x, position):
        """The arrows of all pairs at a position, (D,) -> (D / 2, 2), in float64 to be the same on every machine."""
        return rotate_pairs(x.double()[None], torch.tensor([position]), self.base)[0].unflatten(-1, (-1, 2))


def _vector(name, values):
    """A query or a key as float32 on the CPU, after checks."""
    values = given.numbers(name, values)
    if values.dim() != 1:
        index = ", ".join("0" * (values.dim() - 1))
        fix = f"choose one, for instance {name}[{index}]" if index else "pass all its features"
        raise ValueError(f"{name} must have shape (D,), one vector of a head, got {tuple(values.shape)}; {fix}")
    D = len(values)
    if D % 2 or not FEWEST <= D <= MOST:
        fix = f"pass a part, for instance {name}[:{min(MOST, D - D % 2)}]" if D > FEWEST else "pass all its features"
        raise ValueError(
            f"D, the width of {name}, must be even, since features are turned in pairs, and {FEWEST} to {MOST}, "
            f"got {D}; {fix}"
        )
    given.require_finite(name, values, "find out where this number comes from")
    if not values.any():
        raise ValueError(f"{name} must have a number other than 0, got zeros alone; zeros make no arrow to turn")
    return values


def _base(base):
    if not isinstance(base, (int, float)) or isinstance(base, bool):
        raise TypeError(f"base must be a number, got {base!r}; pass a float such as 10000.0")
    if not 1 <= base < math.inf:
        raise ValueError(f"base must be finite and at least 1, got {base:g}; pass a float such as 10000.0")
    return float(base)
