"""Wrong answers to exercise 9.1, of the kind that learners write: the checker must reject all of them."""

import math

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def cos_sin(positions, size, base, sign=-1.0):
    angles = positions[:, None] * base ** (sign * torch.arange(0, size, 2) / size)
    return angles.cos(), angles.sin()


def turned(x, cos, sin):
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).reshape(x.shape).to(x.dtype)


def as_complex(x, angles, conjugate=False):
    z = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    factor = torch.polar(torch.ones_like(angles).double(), angles.double())
    return torch.view_as_real(z * (factor.conj() if conjugate else factor)).flatten(-2).to(x.dtype)


@wrong("other-direction")
def turned_by_the_conjugate(x, positions, base=10000.0):
    return as_complex(x, positions[:, None] * base ** (-torch.arange(0, x.size(-1), 2) / x.size(-1)), conjugate=True)


@wrong("other-direction")
def turned_back(x, positions, base=10000.0):
    cos, sin = cos_sin(-positions, x.size(-1), base)
    return turned(x, cos, sin)


@wrong("no-minus")
def turned_with_a_copy_without_minus(x, positions, base=10000.0):
    cos, sin = (t.repeat_interleave(2, -1) for t in cos_sin(positions, x.size(-1), base))
    swapped = x.unflatten(-1, (-1, 2)).flip(-1).flatten(-2)
    return (x * cos + swapped * sin).to(x.dtype)


@wrong("cos-and-sin-exchanged")
def turned_by_sine_and_cosine(x, positions, base=10000.0):
    sin, cos = cos_sin(positions, x.size(-1), base)
    return turned(x, cos, sin)


@wrong("first-overwritten")
def turned_in_place_of_a_copy(x, positions, base=10000.0):
    cos, sin = cos_sin(positions, x.size(-1), base)
    x = x.clone()
    x[..., ::2] = x[..., ::2] * cos - x[..., 1::2] * sin
    x[..., 1::2] = x[..., ::2] * sin + x[..., 1::2] * cos
    return x


@wrong("only-cosine")
def multiplied_by_cosines(x, positions, base=10000.0):
    cos, _ = cos_sin(positions, x.size(-1), base)
    return (x * cos.repeat_interleave(2, -1)).to(x.dtype)


@wrong("waves-added")
def waves_added_to_x(x, positions, base=10000.0):
    cos, sin = cos_sin(positions, x.size(-1), base)
    return (x + torch.stack((sin, cos), -1).flatten(-2)).to(x.dtype)


@wrong("not-turned")
def turned_and_forgotten(x, positions, base=10000.0):
    cos, sin = cos_sin(positions, x.size(-1), base)
    turned(x, cos, sin)
    return x


@wrong("exponent-half")
def turned_with_pairs_counted_by_one(x, positions, base=10000.0):
    D = x.size(-1)
    angles = torch.stack([positions * base ** (-i / D) for i in range(D // 2)], -1)
    return turned(x, angles.cos(), angles.sin())


@wrong("exponent-doubled")
def turned_with_half_of_d(x, positions, base=10000.0):
    angles = positions[:, None] / base ** (torch.arange(0, x.size(-1), 2) / (x.size(-1) / 2))
    return turned(x, angles.cos(), angles.sin())


@wrong("exponent-positive")
def turned_faster_and_faster(x, positions, base=10000.0):
    return turned(x, *cos_sin(positions, x.size(-1), base, sign=1.0))


@wrong("one-frequency")
def turned_all_alike(x, positions, base=10000.0):
    angle = positions.to(x.dtype)[:, None]
    return turned(x, angle.cos(), angle.sin())


@wrong("from-one")
def turned_with_pairs_from_one(x, positions, base=10000.0):
    D = x.size(-1)
    angles = positions[:, None] * base ** (-2 * torch.arange(1, D // 2 + 1) / D)
    return turned(x, angles.cos(), angles.sin())


@wrong("slow-first")
def turned_slow_pairs_first(x, positions, base=10000.0):
    D = x.size(-1)
    angles = positions[:, None] * base ** (-torch.arange(D - 2, -1, -2) / D)
    return turned(x, angles.cos(), angles.sin())


@wrong("base-ignored")
def turned_with_a_fixed_base(x, positions, base=10000.0):
    return turned(x, *cos_sin(positions, x.size(-1), 10000))


@wrong("natural-base")
def turned_by_exponentials(x, positions, base=10000.0):
    angles = torch.outer(positions.float(), (-torch.arange(0, x.size(-1), 2) / x.size(-1)).exp())
    return turned(x, angles.cos(), angles.sin())


@wrong("positions-ignored")
def turned_from_zero(x, positions, base=10000.0):
    return turned(x, *cos_sin(torch.arange(x.size(-2)), x.size(-1), base))


@wrong("positions-from-one")
def turned_one_further(x, positions, base=10000.0):
    D = x.size(-1)
    return as_complex(x, torch.outer(positions.double() + 1, base ** (-torch.arange(0, D, 2).double() / D)))


@wrong("whole-turns")
def turned_by_whole_turns(x, positions, base=10000.0):
    D = x.size(-1)
    angles = 2 * math.pi * torch.outer(positions.double(), base ** (-torch.arange(0, D, 2).double() / D))
    return turned(x, angles.cos(), angles.sin())


@wrong("in-degrees")
def turned_by_degrees(x, positions, base=10000.0):
    angles = torch.deg2rad(torch.outer(positions.double(), base ** (-torch.arange(0, x.size(-1), 2) / x.size(-1))))
    return turned(x, angles.cos(), angles.sin())


def rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat([-second, first], dim=-1)


@wrong("halves")
def turned_as_llama_does(x, positions, base=10000.0):
    cos, sin = (torch.cat([t, t], dim=-1) for t in cos_sin(positions, x.size(-1), base))
    return (x * cos + rotate_half(x) * sin).to(x.dtype)


@wrong("not-put-back")
def turned_and_written_in_halves(x, positions, base=10000.0):
    cos, sin = cos_sin(positions, x.size(-1), base)
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.concat((a * cos - b * sin, b * cos + a * sin), -1).to(x.dtype)


@wrong("taken-in-halves")
def turned_halves_put_side_by_side(x, positions, base=10000.0):
    cos, sin = cos_sin(positions, x.size(-1), base)
    half = x.size(-1) // 2
    a, b = x[..., :half], x[..., half:]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2).to(x.dtype)


@wrong("order-within-the-pair")
def turned_and_swapped(x, positions, base=10000.0):
    cos, sin = cos_sin(positions, x.size(-1), base)
    return turned(x, cos, sin).unflatten(-1, (-1, 2)).flip(-1).flatten(-2)


@wrong("stacked-along-another-axis")
def turned_stacked_and_rolled(x, positions, base=10000.0):
    cos, sin = cos_sin(positions, x.size(-1), base)
    a, b = x[..., ::2], x[..., 1::2]
    halves = torch.stack((a * cos - b * sin, a * sin + b * cos), -2).reshape(x.shape)
    return halves.roll(1, -1).to(x.dtype)


@wrong("angle-for-each-feature")
def turned_by_an_angle_for_each_feature(x, positions, base=10000.0):
    D = x.size(-1)
    angles = torch.outer(positions.double(), base ** (-torch.arange(D).double() / D))
    out = torch.empty_like(x)
    a, b = x[..., ::2], x[..., 1::2]
    out[..., ::2] = a * angles[:, ::2].cos() - b * angles[:, ::2].sin()
    out[..., 1::2] = b * angles[:, 1::2].cos() + a * angles[:, 1::2].sin()
    return out


@wrong("angles-repeated-in-halves")
def turned_with_doubled_tables(x, positions, base=10000.0):
    cos, sin = (t.repeat(1, 2) for t in cos_sin(positions, x.size(-1), base))
    swapped = torch.empty_like(x)
    swapped[..., ::2], swapped[..., 1::2] = -x[..., 1::2], x[..., ::2]
    return (x * cos + swapped * sin).to(x.dtype)


@wrong("positions-along-another-axis")
def turned_along_the_heads(x, positions, base=10000.0):
    cos, sin = (t.unsqueeze(1) for t in cos_sin(positions, x.size(-1), base))
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2).to(x.dtype)


@wrong()
def turned_twice(x, positions, base=10000.0):
    cos, sin = cos_sin(2 * positions, x.size(-1), base)
    return turned(x, cos, sin)


@wrong()
def turned_by_a_table_of_ten_positions(x, positions, base=10000.0):
    cos, sin = cos_sin(torch.arange(10), x.size(-1), base)
    return turned(x, cos[positions.long() % 10], sin[positions.long() % 10])
