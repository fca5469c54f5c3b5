"""What people get wrong in a rotation, however its features are paired (9.1 and 9.2)."""

import math

import torch

from exercises.common.rotary import steps
from exercises.common.rotary.explainers import first_wrong_feature
from feedback import Misconceptions

FREQUENCY = (
    "Pair i of the D/2 pairs turns by base**(-2i / D) per position: by 1 for pair 0, and more slowly from "
    "pair to pair. Print your D/2 frequencies."
)
FORMULA = "(a, b) becomes (a cos - b sin, a sin + b cos). Try it on (1, 0) and on (0, 1), with an angle of 90 degrees."


def rotation_mistakes(assemble, turned):
    """A catalog of the mistakes of both exercises; `turned` is the explainer that reads the angles."""
    known = Misconceptions(assemble)
    _signs(known)
    _turns(known)
    _exponents(known, turned)
    _frequencies(known, turned)
    _angles(known, turned)
    return known


def _signs(known):
    @known(
        "other-direction",
        means="The pairs are turned the other way, by minus the angle.",
        hint=FORMULA + " Where does the minus sign belong?",
        explain=first_wrong_feature,
        step="turn",
    )
    def backwards(a, b, angle):
        return a * angle.cos() + b * angle.sin(), b * angle.cos() - a * angle.sin()

    @known(
        "no-minus",
        means="Both products are added in both features: the minus sign is missing, so this is no rotation and the "
        "lengths change.",
        hint=FORMULA,
        explain=first_wrong_feature,
        step="turn",
    )
    def added_twice(a, b, angle):
        return a * angle.cos() + b * angle.sin(), a * angle.sin() + b * angle.cos()

    @known.also("no-minus", step="turn")
    def subtracted_twice(a, b, angle):
        return a * angle.cos() - b * angle.sin(), b * angle.cos() - a * angle.sin()

    @known(
        "cos-and-sin-exchanged",
        means="Sine and cosine have changed places: at position 0, where the angle is 0, x should stay as it is.",
        hint="cos 0 = 1 and sin 0 = 0. What does your code make of (1, 0) at position 0?",
        explain=first_wrong_feature,
        step="turn",
    )
    def sine_first(a, b, angle):
        return a * angle.sin() - b * angle.cos(), a * angle.cos() + b * angle.sin()


def _turns(known):
    @known(
        "first-overwritten",
        means="The second feature is made from the first one as it is after the rotation, not before it.",
        hint="Both results need both old features. Which line replaces one too early?",
        explain=first_wrong_feature,
        step="turn",
    )
    def one_after_the_other(a, b, angle):
        a = a * angle.cos() - b * angle.sin()
        return a, a * angle.sin() + b * angle.cos()

    @known(
        "only-cosine",
        means="Each feature was multiplied by the cosine alone: the other feature of the pair has no part in it.",
        hint=FORMULA,
        explain=first_wrong_feature,
        step="turn",
    )
    def shrunk(a, b, angle):
        return a * angle.cos(), b * angle.cos()

    @known(
        "waves-added",
        means="Sines and cosines were added to x, as with a table of positions; a rotation multiplies.",
        hint=FORMULA,
        explain=first_wrong_feature,
        step="turn",
    )
    def waves_added(a, b, angle):
        return a + angle.sin(), b + angle.cos()

    @known.also("waves-added", step="turn")
    def waves_added_cosine_first(a, b, angle):
        return a + angle.cos(), b + angle.sin()

    @known(
        "not-turned",
        means="x comes back as it was: nothing was turned.",
        hint="At position 1, pair 0 is turned by 1 radian. Is your result returned, or x?",
        explain=first_wrong_feature,
        step="turn",
    )
    def unchanged(a, b, angle):
        return a.clone(), b.clone()


def _exponents(known, turned):
    @known(
        "exponent-half",
        means="The exponent is half as large as it should be: pair i was given base**(-i / D).",
        hint=FREQUENCY,
        explain=turned,
        step="frequencies",
    )
    def half_the_exponent(size, base):
        return base ** (-torch.arange(size // 2).double() / size)

    @known(
        "exponent-doubled",
        means="The exponent is twice as large as it should be: 0, 2, 4, ... was doubled again, or D was halved.",
        hint=FREQUENCY,
        explain=turned,
        step="frequencies",
    )
    def twice_the_exponent(size, base):
        return base ** (-2 * torch.arange(0, size, 2).double() / size)

    @known(
        "exponent-positive",
        means="The frequencies grow from pair to pair: the exponent lacks its minus sign, or the position is "
        "multiplied by a power by which it should be divided.",
        hint=FREQUENCY,
        explain=turned,
        step="frequencies",
    )
    def faster_and_faster(size, base):
        return base ** (torch.arange(0, size, 2).double() / size)

    def in_float32(size, base):
        return base ** (torch.arange(0, size, 2) / size)

    known.also("exponent-positive", frequencies=in_float32, angles=lambda positions, f: positions[:, None] * f)


def _frequencies(known, turned):
    @known(
        "one-frequency",
        means="All pairs are turned by the same angle.",
        hint=FREQUENCY,
        explain=turned,
        step="frequencies",
    )
    def all_alike(size, base):
        return torch.ones(size // 2, dtype=torch.float64)

    @known(
        "from-one",
        means="The pairs were counted from 1: pair 0 already turns more slowly than by 1 per position.",
        hint=FREQUENCY,
        explain=turned,
        step="frequencies",
    )
    def counted_from_one(size, base):
        return base ** (-(torch.arange(0, size, 2).double() + 2) / size)

    @known(
        "slow-first",
        means="The frequencies stand in the reverse order: the slowest pair comes first.",
        hint=FREQUENCY,
        explain=turned,
        step="frequencies",
    )
    def reversed_order(size, base):
        return steps.frequencies(size, base).flip(0)

    @known(
        "base-ignored",
        means="The base is always 10,000, whatever the argument says.",
        hint="`base` is the third argument. Where does your code use it?",
        explain=turned,
        step="frequencies",
    )
    def always_the_default(size, base):
        return steps.frequencies(size, 10000.0)

    @known(
        "natural-base",
        means="The frequencies are powers of e: `exp` was used without the logarithm of the base.",
        hint="base**y is exp(y · log(base)).",
        explain=turned,
        step="frequencies",
    )
    def powers_of_e(size, base):
        return torch.exp(-torch.arange(0, size, 2).double() / size)


def _angles(known, turned):
    @known(
        "positions-ignored",
        means="The positions 0, 1, 2, ... were used, not those that were given.",
        hint="A cached text goes on at position 7, say. Where does your code use `positions`?",
        explain=turned,
        step="angles",
    )
    def counted_from_zero(positions, frequency):
        return steps.angles(torch.arange(len(positions)), frequency)

    @known(
        "positions-from-one",
        means="Every position was counted one too high.",
        hint="At position 0 nothing is turned.",
        explain=turned,
        step="angles",
    )
    def one_too_high(positions, frequency):
        return steps.angles(positions + 1, frequency)

    @known(
        "whole-turns",
        means="The angles were multiplied by 2π, as if the frequency counted whole turns.",
        hint="The angle is position · base**(-2i / D), in radians.",
        explain=turned,
        step="angles",
    )
    def in_turns(positions, frequency):
        return 2 * math.pi * steps.angles(positions, frequency)

    @known(
        "in-degrees",
        means="The angles were taken for degrees.",
        hint="`cos` and `sin` expect radians, and the angles are in radians already.",
        explain=turned,
        step="angles",
    )
    def degrees(positions, frequency):
        return steps.angles(positions, frequency) * math.pi / 180
