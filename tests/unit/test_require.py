"""Argument checks: patterns of shapes, and checks that many modules share.

Each module's own tests show that its functions call their checks, with one error for each check.
"""

import math
from functools import partial

import numpy as np
import pytest
import torch
from torch import nn

from helpers import require
from tests.unit.refusals import require_refused

B, T, S, D, V = 2, 3, 5, 7, 11


def test_a_shape_gives_what_its_letters_stand_for():
    x = torch.zeros(B, T, D)
    assert require.shape(x, "B T D") == {"B": B, "T": T, "D": D}
    assert require.shape(x, "... T D", D=D) == {"D": D, "T": T}
    assert require.shape(x, "... B T D") == require.shape(x, "B T D")  # the dots may stand for nothing
    assert require.shape(torch.zeros(B, 0, D), "B T? D")["T?"] == 0
    assert require.shape(x.long(), "... D", floating=False) == {"D": D}


def refused(words, *given, **sizes):
    """A case for require_refused: what require.shape says that x must be."""
    return f"ValueError: x must be {words}", partial(require.shape, *given, **sizes)


def test_a_sentence_has_the_axes_and_the_sizes_that_are_known_and_there_is_a_position_and_a_feature():
    x, hint = torch.zeros(B, T, D), "take x[0]"
    require_refused(
        refused("(T, D), got (2, 3, 7); take x[0]", x, "T D", hint=hint),
        refused("(..., H, B, T, D), got (2, 3, 7); take x[0]", x, "... H B T D", hint=hint),
        refused("(..., T, 8), got (2, 3, 7)$", x, "... T D", hint=hint, D=8),
        refused("(T, T, D), got (2, 3, 7)$", x, "T T D"),
        refused("(B, T, D) with at least one position, got (2, 0, 7)", x[:, :0], "B T D"),
        refused("(B, T, D) with at least one feature, got (2, 3, 0)", x[..., :0], "B T D"),
    )
    assert require.shape(x[:0], "B T D")["B"] == 0


def attention(q=(B, T, D), k=(B, S, D), v=(B, S, V), **options):
    return require.shapes("q ... T D, k ... S D, v ... S Dv", *map(torch.zeros, (q, k, v)), **options)


def test_a_letter_is_one_number_in_all_tensors():
    assert attention() == {"T": T, "D": D, "S": S, "Dv": V}
    rule = "ValueError: q must be (..., T, D), k (..., S, D) and v (..., S, Dv), got q (2, 3, 7), k"
    least = "S is 0 in k and 5 in v, and must be at least 1"
    require_refused(
        (f"{rule} (2, 5, 8), v (2, 5, 11): D is 7 in q and 8 in k", lambda: attention(k=(B, S, D + 1))),
        (f"{rule} (2, 5, 7), v (2, 6, 11): S is 5 in k and 6 in v", lambda: attention(v=(B, S + 1, V))),
        (f"{rule} (2, 0, 7), v (2, 5, 11): {least}", lambda: attention(k=(B, 0, D))),
        (f"{rule} (7,), v (2, 5, 11)$", lambda: attention(k=(D,))),
    )


def test_the_axes_at_the_dots_are_the_same_unless_they_broadcast():
    with pytest.raises(ValueError, match=r"v \(1, 5, 11\): the axes at the dots differ$"):
        attention(v=(1, S, V))
    assert attention(v=(1, S, V), broadcast=True) == attention()


def test_tensors_share_a_device_and_if_need_be_a_dtype():
    x, weight = torch.zeros(T, D), torch.zeros(D)

    def both(weight, **options):
        return partial(require.shapes, "x ... C, weight C", x, weight, **options)

    both(weight.double())()
    require_refused(
        ("ValueError: x and weight must share one device, got cpu, meta; convert with .to(x", both(weight.to("meta"))),
        ("TypeError: must share one dtype, got torch.float32, torch.float64", both(weight.double(), one_dtype=True)),
        ("TypeError: weight must be a tensor of floats, got list", both([0.0] * D)),
    )


def test_what_a_pattern_found_is_not_kept_for_the_next_call():
    for width in (D, V):
        assert require.shape(torch.zeros(T, width), "... C")["C"] == width


# ---------------------------------------------------------------- numbers


def test_sizes_are_whole_numbers_from_the_least_on():
    require.sizes(one=1, many=10**9, of_numpy=np.int64(3))
    require.sizes(least=0, none=0)
    wrong = [2.0, "3", True, None, torch.tensor(3)]
    require_refused(
        ("ValueError: n must be at least 1, got 0", partial(require.sizes, n=0)),
        ("ValueError: m must be at least 0, got -1; count again", partial(require.sizes, 0, "count again", n=3, m=-1)),
        *((f"TypeError: n must be a whole number, got {n!r}", partial(require.sizes, n=n)) for n in wrong),
    )


def test_a_probability_is_at_least_0_and_below_1():
    for p in (0, 0.0, 0.999):
        require.probability(p)
    rule, number = "a dropout probability p must be at least 0 and below 1", "a dropout probability must be a number"
    require_refused(
        (f"ValueError: {rule}, got 1; it is the share that becomes 0", partial(require.probability, 1)),
        *((f"ValueError: {rule}, got {p}", partial(require.probability, p)) for p in (-0.1, math.nan)),
        *((f"TypeError: {number}, got {p!r}", partial(require.probability, p)) for p in ("0.1", True)),
    )


def test_a_divisor_that_fits_is_named():
    def heads(num_heads, d_model):
        return partial(require.divides, num_heads=num_heads, d_model=d_model)

    heads(3, 33)()
    near = [(10, 33, 11), (5, 12, 4), (2, 33, 1), (34, 33, 33)]
    require_refused(
        ("ValueError: num_heads must divide d_model, got 10 heads for d_model = 33; a number near", heads(10, 33)),
        *((f"ValueError: a number near it that does is {fits}", heads(n, size)) for n, size, fits in near),
        ("ValueError: num_heads must be at least 1, got -3", heads(-3, 33)),
        ("TypeError: num_heads must be a whole number, got True", heads(True, 33)),
        ("TypeError: d_model must be a whole number, got 33.0", heads(3, 33.0)),
    )


def test_ids_are_rows_of_a_table():
    def read(ids, limit=17, *more, **sizes):
        return partial(require.ids, ids, limit, *more, **sizes)

    ids = torch.tensor([[1, 16]])
    assert read(ids, 17, "B T")() == {"B": 1, "T": 2}
    rule, whole = "ids must lie between 0 and 15, since the table has 16 rows", "ids must be a tensor of whole numbers"
    require_refused(
        (f"ValueError: {rule}, got 16; were these ids made with another vocabulary?", read(ids, 16)),
        ("ValueError: got -1", read(-ids)),
        ("ValueError: got 17", read(torch.tensor(17))),
        ("ValueError: ids must be (B, T), got (2,); one sequence (T,) becomes a batch", read(ids[0], 17, "B T")),
        ("ValueError: types must be (1, 3), got (1, 2)", read(ids, 17, "B T", "types", B=1, T=3)),
        *((f"TypeError: {whole}, got {x.dtype}", read(x)) for x in (ids.float(), ids > 0, ids * 1j)),
        (f"TypeError: {whole}, got list; make one with torch.tensor(ids)", read([1, 2])),
    )


# ---------------------------------------------------------------- attention


def test_a_mask_is_bool_and_broadcasts_to_the_scores():
    scores, ok = torch.zeros(B, V, S, T), torch.ones(S, T, dtype=torch.bool)
    for fits in (ok, ok[0], ok[:1], ok[:, :1], ok.expand(B, V, S, T), ok.expand(V, S, T), ok.expand(B, 1, S, T)):
        require.mask(fits, scores)
    item = "with heads, a mask for each item needs mask.unsqueeze(1)"
    axes = "does not broadcast to scores (2, 11, 5, 3); its last two axes are (queries, keys), and every axis must be"
    fix = "a 0/1 mask becomes one by mask == 1, an additive mask of 0 and -inf by mask == 0"
    require_refused(
        (f"TypeError: mask must be bool (True = may attend), got torch.float32; {fix}", hide(ok.float(), scores)),
        ("TypeError: got list", hide(ok.tolist(), scores)),
        ("TypeError: must be tensors of floats, got torch.int64", hide(ok, scores.long())),
        ("TypeError: must be tensors of floats, got list", hide(ok, scores.tolist())),
        (f"ValueError: mask (3, 5) {axes}", hide(ok.mT, scores)),
        (f"ValueError: mask (1, 2, 11, 5, 3) {axes}", hide(ok.expand(1, B, V, S, T), scores)),
        (f"ValueError: or 1; {item}", hide(ok.expand(B, S, T), scores)),
        ("ValueError: mask is on meta, the scores are on cpu; move it with mask.to(", hide(ok.to("meta"), scores)),
    )
    with pytest.raises(ValueError) as caught:  # without heads the hint would mislead
        require.mask(ok.expand(B + 1, S, T), scores[:, 0])
    assert item not in str(caught.value)


def hide(mask, scores):
    return partial(require.mask, mask, scores)


def test_x_goes_into_a_layer():
    layer, x = nn.Linear(D, V), torch.zeros(B, T, D)

    def fits(x, *more):
        return partial(require.fits, x, layer, *more)

    assert fits(x)() == {"T": T, "C": D}
    floats = "TypeError: x must be a tensor of floats, got"
    require_refused(
        ("ValueError: x must be (..., T, 7), got (2, 3, 6)", fits(x[..., 1:])),
        ("ValueError: with at least one position, got (2, 0, 7)", fits(x[:, :0])),
        ("ValueError: x must be (B, T, 7), got (3, 7); one sequence (T, C) becomes a batch of", fits(x[0], "B T C")),
        ("TypeError: x must be torch.float32 like the module's weights, got torch.float64; convert", fits(x.double())),
        (f"{floats} torch.int64; token ids go through an embedding first", fits(x.long())),
        (f"{floats} torch.bool; a mask is passed by its name, mask=...", fits(x > 0)),
        ("ValueError: x is on meta, the module on cpu; move one with .to(device)", fits(x.to("meta"))),
    )
    with torch.autocast("cpu", dtype=torch.bfloat16):  # which converts what it needs
        fits(x.bfloat16())()


def test_a_past_is_what_was_returned():
    q, k = torch.zeros(B, V, T, D), torch.zeros(B, V, S, D)

    def continued(*past, context=None):
        return partial(require.keys_and_values, past, q, context)

    continued(k, k)()
    continued(k[:, :, :0], k[:, :, :0])()
    rule = "ValueError: past must hold keys (2, 11, S, 7) and values (2, 11, S, 7), got keys"
    kinds = "TypeError: past must hold tensors of torch.float32 on cpu like the queries, got"
    require_refused(
        ("TypeError: past must be (keys, values), as it was returned, got tuple of 1", continued(k)),
        (f"{kinds} int and int", continued(1, 2)),
        (f"{kinds} torch.float64 on cpu and torch.float32 on cpu", continued(k.double(), k)),
        (f"{kinds} torch.float32 on meta", continued(k.to("meta"), k.to("meta"))),
        (f"{rule} (1, 11, 5, 7), values (1, 11, 5, 7): B is 1 in keys", continued(k[:1], k[:1])),
        (f"{rule} (2, 11, 5, 6)", continued(k[..., 1:], k[..., 1:])),
        (f"{rule} (2, 5, 7)", continued(k[:, 0], k[:, 0])),
        ("ValueError: S is 4 in keys and 5 in values", continued(k[:, :, 1:], k)),
        ("ValueError: past must hold keys (2, 11, 3, 7)", continued(k, k, context=q[:, 0])),
    )
