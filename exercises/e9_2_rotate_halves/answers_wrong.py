"""Wrong answers to exercise 9.2, of the kind that learners write: the checker must reject all of them."""

import math

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def cos_sin(positions, size, base, sign=-1.0):
    """Tables (T, D), each angle twice."""
    angles = positions[:, None] * base ** (sign * torch.arange(0, size, 2) / size)
    angles = torch.cat([angles, angles], dim=-1)
    return angles.cos(), angles.sin()


def rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat([-second, first], dim=-1)


def turned(x, cos, sin):
    return (x * cos + rotate_half(x) * sin).to(x.dtype)


def by(x, angles):
    """Turned by angles (T, D/2)."""
    angles = torch.cat([angles, angles], dim=-1)
    return turned(x, angles.cos(), angles.sin())


@wrong("other-direction")
def halves_with_the_minus_in_the_other_half(x, positions, base=10000.0):
    cos, sin = cos_sin(positions, x.size(-1), base)
    first, second = x.chunk(2, dim=-1)
    return (x * cos + torch.cat([second, -first], dim=-1) * sin).to(x.dtype)


@wrong("no-minus")
def halves_without_a_minus(x, positions, base=10000.0):
    cos, sin = cos_sin(positions, x.size(-1), base)
    return (x * cos + x.roll(x.size(-1) // 2, dims=-1) * sin).to(x.dtype)


@wrong("no-minus")
def halves_with_two_minuses(x, positions, base=10000.0):
    cos, sin = cos_sin(positions, x.size(-1), base)
    return (x * cos - x.roll(x.size(-1) // 2, dims=-1) * sin).to(x.dtype)


@wrong("cos-and-sin-exchanged")
def halves_by_sine_and_cosine(x, positions, base=10000.0):
    sin, cos = cos_sin(positions, x.size(-1), base)
    return turned(x, cos, sin)


@wrong("first-overwritten")
def halves_one_after_the_other(x, positions, base=10000.0):
    half = x.size(-1) // 2
    cos, sin = (t[:, :half] for t in cos_sin(positions, x.size(-1), base))
    out = x.clone()
    out[..., :half] = out[..., :half] * cos - out[..., half:] * sin
    out[..., half:] = out[..., :half] * sin + out[..., half:] * cos
    return out


@wrong("only-cosine")
def halves_multiplied_by_cosines(x, positions, base=10000.0):
    return (x * cos_sin(positions, x.size(-1), base)[0]).to(x.dtype)


@wrong("waves-added")
def halves_with_waves_added(x, positions, base=10000.0):
    half = x.size(-1) // 2
    cos, sin = cos_sin(positions, x.size(-1), base)
    return (x + torch.cat([sin[:, :half], cos[:, :half]], dim=-1)).to(x.dtype)


@wrong("not-turned")
def halves_as_they_were(x, positions, base=10000.0):
    return x * 1.0


@wrong("exponent-half")
def halves_with_pairs_counted_by_one(x, positions, base=10000.0):
    D = x.size(-1)
    return by(x, torch.outer(positions.double(), base ** (-torch.arange(D // 2) / D)))


@wrong("exponent-doubled")
def halves_with_half_of_d(x, positions, base=10000.0):
    D = x.size(-1) // 2
    return by(x, positions[:, None] * base ** (-torch.arange(0, 2 * D, 2) / D))


@wrong("exponent-positive")
def halves_faster_and_faster(x, positions, base=10000.0):
    return turned(x, *cos_sin(positions, x.size(-1), base, sign=1.0))


@wrong("one-frequency")
def halves_all_alike(x, positions, base=10000.0):
    return by(x, positions.double()[:, None].expand(-1, x.size(-1) // 2))


@wrong("from-one")
def halves_with_pairs_from_one(x, positions, base=10000.0):
    D = x.size(-1)
    return by(x, positions[:, None] / base ** (torch.arange(2, D + 2, 2) / D))


@wrong("slow-first")
def halves_slow_pairs_first(x, positions, base=10000.0):
    D = x.size(-1)
    return by(x, positions[:, None] * (base ** (-torch.arange(0, D, 2) / D)).flip(0))


@wrong("base-ignored")
def halves_with_a_fixed_base(x, positions, base=10000.0):
    return turned(x, *cos_sin(positions, x.size(-1), 1e4))


@wrong("natural-base")
def halves_by_exponentials(x, positions, base=10000.0):
    return by(x, positions[:, None] * math.e ** (-torch.arange(0, x.size(-1), 2) / x.size(-1)))


@wrong("positions-ignored")
def halves_from_zero(x, positions, base=10000.0):
    return turned(x, *cos_sin(torch.arange(len(positions)), x.size(-1), base))


@wrong("positions-from-one")
def halves_one_further(x, positions, base=10000.0):
    return turned(x, *cos_sin(positions.double() + 1, x.size(-1), base))


@wrong("whole-turns")
def halves_by_whole_turns(x, positions, base=10000.0):
    D = x.size(-1)
    return by(x, torch.outer(positions.double() * math.tau, base ** (-torch.arange(0, D, 2).double() / D)))


@wrong("in-degrees")
def halves_by_degrees(x, positions, base=10000.0):
    D = x.size(-1)
    return by(x, (positions[:, None] * base ** (-torch.arange(0, D, 2) / D)).deg2rad())


@wrong("pairs")
def neighbors_turned(x, positions, base=10000.0):
    D = x.size(-1)
    angles = positions.double()[:, None] * base ** (-torch.arange(0, D, 2).double() / D)
    z = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(z * torch.polar(torch.ones_like(angles), angles)).flatten(-2).to(x.dtype)


def both(a, b, positions, size, base):
    cos, sin = (t[:, : size // 2] for t in cos_sin(positions, size, base))
    return a * cos - b * sin, a * sin + b * cos


@wrong("taken-as-neighbors")
def neighbors_put_in_halves(x, positions, base=10000.0):
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.cat(both(a, b, positions, x.size(-1), base), dim=-1).to(x.dtype)


@wrong("put-back-as-neighbors")
def halves_interleaved(x, positions, base=10000.0):
    results = both(*x.chunk(2, -1), positions, x.size(-1), base)
    return torch.stack(results, dim=-1).reshape(x.shape).to(x.dtype)


@wrong("halves-exchanged")
def halves_swapped(x, positions, base=10000.0):
    return turned(x, *cos_sin(positions, x.size(-1), base)).roll(x.size(-1) // 2, dims=-1)


@wrong("mirrored")
def halves_mirrored(x, positions, base=10000.0):
    half = x.size(-1) // 2
    cos, sin = (t[:, :half] for t in cos_sin(positions, x.size(-1), base))
    out = x.clone()
    for i in range(half):
        out[..., i] = x[..., i] * cos[:, i] - x[..., -1 - i] * sin[:, i]
        out[..., -1 - i] = x[..., i] * sin[:, i] + x[..., -1 - i] * cos[:, i]
    return out


@wrong("angles-repeated-as-neighbors")
def halves_with_interleaved_tables(x, positions, base=10000.0):
    D = x.size(-1)
    angles = (positions[:, None] * base ** (-torch.arange(0, D, 2) / D)).repeat_interleave(2, -1)
    return turned(x, angles.cos(), angles.sin())


@wrong("angle-for-each-feature")
def halves_by_an_angle_for_each_feature(x, positions, base=10000.0):
    D = x.size(-1)
    angles = positions[:, None] / base ** (torch.arange(D) / D)
    return turned(x, angles.cos(), angles.sin())


@wrong("positions-along-another-axis")
def halves_along_the_heads(x, positions, base=10000.0):
    cos, sin = (t[:, None, :] for t in cos_sin(positions, x.size(-1), base))
    return turned(x, cos, sin)


@wrong()
def halves_turned_twice(x, positions, base=10000.0):
    return turned(x, *cos_sin(2 * positions, x.size(-1), base))
