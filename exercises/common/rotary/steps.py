"""The steps that a rotation of features consists of; 9.1 and 9.2 differ in the first and the last."""

import torch


def neighbors(x):
    """The first and the second feature of each pair, 2i and 2i + 1."""
    return x[..., 0::2], x[..., 1::2]


def join_neighbors(a, b):
    return torch.stack([a, b], dim=-1).flatten(-2)


def halves(x):
    """The first and the second feature of each pair, i and i + D/2."""
    return x.chunk(2, dim=-1)


def join_halves(a, b):
    return torch.cat([a, b], dim=-1)


def frequencies(size, base):
    """(D/2,): by how much each pair is turned from one position to the next."""
    return base ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)


def angles(positions, frequency):
    """(T, D/2)."""
    return positions.double()[:, None] * frequency


def turn(a, b, angle):
    """Both features of each pair after the rotation."""
    return a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()


def rotation_from(pair, join):
    """An assembler: rotate(x, positions, base) made of these steps."""

    def assemble(pair=pair, frequencies=frequencies, angles=angles, turn=turn, join=join):
        def rotate(x, positions, base=10000.0):
            a, b = pair(x)
            angle = angles(positions, frequencies(x.size(-1), base))
            return join(*(part.to(x.dtype) for part in turn(a, b, angle)))

        return rotate

    return assemble
