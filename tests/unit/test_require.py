"""Patterns of shapes, in which the model's guards are written, and the guards that many modules share.

That a function of the model calls its guards is tested with its module, by one refusal for each guard.
"""

import math

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
    assert require.shape(x, "... B T D") == require.shape(x, "B T D")  # at the dots nothing need stand
    assert require.shape(torch.zeros(B, 0, D), "B T? D")["T?"] == 0
    assert require.shape(x.long(), "... D", floating=False) == {"D": D}


@pytest.mark.parametrize(
    "axes, sizes, words",
    [
        ("T D", {}, r"^x must be \(T, D\), got \(2, 3, 7\); take x\[0\]$"),
        ("... H B T D", {}, r"^x must be \(..., H, B, T, D\), got \(2, 3, 7\); take x\[0\]$"),
        ("... T D", {"D": 8}, r"^x must be \(..., T, 8\), got \(2, 3, 7\)$"),
        ("T T D", {}, r"^x must be \(T, T, D\), got \(2, 3, 7\)$"),
    ],
)
def test_a_sentence_has_the_axes_and_the_sizes_that_are_known(axes, sizes, words):
    with pytest.raises(ValueError, match=words):
        require.shape(torch.zeros(B, T, D), axes, hint="take x[0]", **sizes)


@pytest.mark.parametrize("shape, kind", [((B, 0, D), "position"), ((B, T, 0), "feature")])
def test_there_is_a_position_and_a_feature(shape, kind):
    with pytest.raises(ValueError, match=rf"^x must be \(B, T, D\) with at least one {kind}, got "):
        require.shape(torch.zeros(shape), "B T D")
    assert require.shape(torch.zeros(0, T, D), "B T D")["B"] == 0


def attention(q=(B, T, D), k=(B, S, D), v=(B, S, V), **options):
    return require.shapes("q ... T D, k ... S D, v ... S Dv", *map(torch.zeros, (q, k, v)), **options)


def test_a_letter_is_one_number_in_all_tensors():
    assert attention() == {"T": T, "D": D, "S": S, "Dv": V}
    rule = r"^q must be \(..., T, D\), k \(..., S, D\) and v \(..., S, Dv\), got q \(2, 3, 7\), "
    for change, words in [
        ({"k": (B, S, D + 1)}, r"k \(2, 5, 8\), v \(2, 5, 11\): D is 7 in q and 8 in k$"),
        ({"v": (B, S + 1, V)}, r"k \(2, 5, 7\), v \(2, 6, 11\): S is 5 in k and 6 in v$"),
        ({"k": (B, 0, D)}, r"k \(2, 0, 7\), v \(2, 5, 11\): S is 0 in k and 5 in v, and must be at least 1$"),
        ({"k": (D,)}, r"k \(7,\), v \(2, 5, 11\)$"),
    ]:
        with pytest.raises(ValueError, match=rule + words):
            attention(**change)


def test_the_axes_at_the_dots_are_the_same_unless_they_broadcast():
    with pytest.raises(ValueError, match=r"v \(1, 5, 11\): the axes at the dots differ$"):
        attention(v=(1, S, V))
    assert attention(v=(1, S, V), broadcast=True) == attention()


def test_tensors_share_a_device_and_if_need_be_a_dtype():
    x, weight = torch.zeros(T, D), torch.zeros(D)
    with pytest.raises(ValueError, match=r"^x and weight must share one device, got cpu, meta; convert with .to\(x"):
        require.shapes("x ... C, weight C", x, weight.to("meta"))
    require.shapes("x ... C, weight C", x, weight.double())
    with pytest.raises(TypeError, match=r"must share one dtype, got torch.float32, torch.float64; .* .to\(x.dtype\)$"):
        require.shapes("x ... C, weight C", x, weight.double(), one_dtype=True)
    with pytest.raises(TypeError, match="^weight must be a tensor of floats, got list"):
        require.shapes("x ... C, weight C", x, [0.0] * D)


def test_what_a_pattern_found_is_not_kept_for_the_next_call():
    for width in (D, V):
        assert require.shape(torch.zeros(T, width), "... C")["C"] == width


# ---------------------------------------------------------------- numbers


def test_sizes_are_whole_numbers_from_the_least_on():
    require.sizes(one=1, many=10**9)
    require.sizes(least=0, none=0)
    require_refused(
        ("ValueError: n must be at least 1, got 0", lambda: require.sizes(n=0)),
        ("ValueError: m must be at least 0, got -1; count again", lambda: require.sizes(0, "count again", n=3, m=-1)),
        *(
            (f"TypeError: n must be a whole number, got {shown}", lambda n=n: require.sizes(n=n))
            for n, shown in [(2.0, "2.0"), ("3", "'3'"), (True, "True"), (None, "None"), (torch.tensor(3), "tensor(3)")]
        ),
    )


def test_a_probability_is_at_least_0_and_below_1():
    for p in (0, 0.0, 0.999):
        require.probability(p)
    rule = "ValueError: a dropout probability p must be at least 0 and below 1, got"
    require_refused(
        *((f"{rule} {p}; it is the share that becomes 0", lambda p=p: require.probability(p)) for p in (1, -0.1, 1.5)),
        (f"{rule} nan", lambda: require.probability(math.nan)),
        *(
            (f"TypeError: a dropout probability must be a number, got {shown}", lambda p=p: require.probability(p))
            for p, shown in [("0.1", "'0.1'"), (None, "None"), (True, "True"), (nn.Dropout(0.1), "Dropout(")]
        ),
    )


def test_a_divisor_that_fits_is_named():
    require.divides(num_heads=3, d_model=33)
    rule = "ValueError: num_heads must divide d_model, got"
    require_refused(
        *(
            (
                f"{rule} {n} heads for d_model = {size}; a number near it that does is {near}",
                lambda n=n, size=size: require.divides(num_heads=n, d_model=size),
            )
            for n, size, near in [(10, 33, 11), (5, 12, 4), (2, 33, 1)]
        ),
        ("ValueError: a number near it that does is 33", lambda: require.divides(num_heads=34, d_model=33)),
        ("ValueError: num_heads must be at least 1, got -3", lambda: require.divides(num_heads=-3, d_model=33)),
        ("TypeError: num_heads must be a whole number, got True", lambda: require.divides(num_heads=True, d_model=33)),
        ("ValueError: d_model must be at least 1, got 0", lambda: require.divides(num_heads=1, d_model=0)),
        ("TypeError: d_model must be a whole number, got 33.0", lambda: require.divides(num_heads=3, d_model=33.0)),
    )


def test_ids_are_rows_of_a_table():
    ids = torch.tensor([[1, 16]])
    assert require.ids(ids, 17, "B T") == {"B": 1, "T": 2}
    whole = "TypeError: ids must be a tensor of whole numbers, got"
    require_refused(
        (
            "ValueError: ids must lie between 0 and 15, since the table has 16 rows, got 16; were these ids made with "
            "another vocabulary?",
            lambda: require.ids(ids, 16),
        ),
        ("ValueError: got -1", lambda: require.ids(-ids, 17)),
        ("ValueError: got 17", lambda: require.ids(torch.tensor(17), 17)),
        (
            "ValueError: ids must be (B, T), got (2,); one sequence (T,) becomes a batch of one by ids[None]",
            lambda: require.ids(ids[0], 17, "B T"),
        ),
        ("ValueError: types must be (1, 3), got (1, 2)", lambda: require.ids(ids, 17, "B T", "types", B=1, T=3)),
        *(
            (f"{whole} {kind}", lambda x=x: require.ids(x, 17))
            for x, kind in [(ids.float(), "torch.float32"), (ids > 0, "torch.bool"), (ids * 1j, "torch.complex64")]
        ),
        (f"{whole} list; make one with torch.tensor(ids)", lambda: require.ids([1, 2], 17)),
    )


# ---------------------------------------------------------------- attention


def test_a_mask_is_bool_and_broadcasts_to_the_scores():
    scores = torch.zeros(B, V, S, T)
    ok = torch.ones(S, T, dtype=torch.bool)
    for fits in (ok, ok[0], ok[:1], ok[:, :1], ok.expand(B, V, S, T), ok.expand(V, S, T), ok.expand(B, 1, S, T)):
        require.mask(fits, scores)
    item = "with heads, a mask for each item needs mask.unsqueeze(1)"
    axes = f"does not broadcast to scores {tuple(scores.shape)}; its last two axes are (queries, keys)"
    require_refused(
        (
            "TypeError: mask must be bool (True = may attend), got torch.float32; a 0/1 mask becomes one by mask == 1, "
            "an additive mask of 0 and -inf by mask == 0",
            lambda: require.mask(ok.float(), scores),
        ),
        ("TypeError: got torch.int64", lambda: require.mask(ok.long(), scores)),
        ("TypeError: got list", lambda: require.mask(ok.tolist(), scores)),
        ("TypeError: must be floats, got torch.int64", lambda: require.mask(ok, scores.long())),
        (f"ValueError: mask (3, 5) {axes}", lambda: require.mask(ok.mT, scores)),
        (f"ValueError: mask (1, 2, 11, 5, 3) {axes}", lambda: require.mask(ok.expand(1, B, V, S, T), scores)),
        (f"ValueError: or 1; {item}", lambda: require.mask(ok.expand(B, S, T), scores)),
        (
            "ValueError: mask is on meta, the scores are on cpu; move it with mask.to(scores.device)",
            lambda: require.mask(ok.to("meta"), scores),
        ),
    )
    with pytest.raises(ValueError) as caught:  # without heads the hint would mislead
        require.mask(ok.expand(B + 1, S, T), scores[:, 0])
    assert item not in str(caught.value)


def test_x_goes_into_a_layer():
    layer, x = nn.Linear(D, V), torch.zeros(B, T, D)
    assert require.fits(x, layer) == {"T": T, "C": D}
    require_refused(
        ("ValueError: x must be (..., T, 7), got (2, 3, 6)", lambda: require.fits(x[..., 1:], layer)),
        ("ValueError: with at least one position, got (2, 0, 7)", lambda: require.fits(x[:, :0], layer)),
        (
            "ValueError: x must be (B, T, 7), got (3, 7); one sequence (T, C) becomes a batch of one by x[None]",
            lambda: require.fits(x[0], layer, "B T C"),
        ),
        (
            "TypeError: x must be torch.float32 like the module's weights, got torch.float64; convert it with "
            ".to(torch.float32)",
            lambda: require.fits(x.double(), layer),
        ),
        (
            "TypeError: x must be a tensor of floats, got torch.int64; token ids go through an embedding first",
            lambda: require.fits(x.long(), layer),
        ),
        (
            "TypeError: y must be a tensor of floats, got torch.bool; a mask is passed by its name, mask=...",
            lambda: require.fits(x > 0, layer, name="y"),
        ),
        (
            "ValueError: x is on meta, the module on cpu; move one with .to(device)",
            lambda: require.fits(x.to("meta"), layer),
        ),
    )
    with torch.autocast("cpu", dtype=torch.bfloat16):  # which converts what it needs
        require.fits(x.bfloat16(), layer)


def test_a_past_is_what_was_returned():
    q, k = torch.zeros(B, V, T, D), torch.zeros(B, V, S, D)
    require.keys_and_values((k, k), q)
    require.keys_and_values([k[:, :, :0]] * 2, q)
    rule = "ValueError: past must hold keys (2, 11, S, 7) and values (2, 11, S, 7), got keys"
    kinds = "TypeError: past must hold tensors of torch.float32 on cpu like the queries, got"
    require_refused(
        (
            "TypeError: past must be (keys, values), as it was returned, got Tensor",
            lambda: require.keys_and_values(k, q),
        ),
        ("TypeError: got tuple of 1", lambda: require.keys_and_values((k,), q)),
        (f"{kinds} int and int", lambda: require.keys_and_values((1, 2), q)),
        (f"{kinds} torch.float64 on cpu and torch.float32 on cpu", lambda: require.keys_and_values((k.double(), k), q)),
        (f"{kinds} torch.float32 on meta", lambda: require.keys_and_values((k.to("meta"),) * 2, q)),
        (
            f"{rule} (1, 11, 5, 7), values (1, 11, 5, 7): B is 1 in keys",
            lambda: require.keys_and_values((k[:1],) * 2, q),
        ),
        (f"{rule} (2, 11, 5, 6)", lambda: require.keys_and_values((k[..., 1:],) * 2, q)),
        (f"{rule} (2, 5, 7)", lambda: require.keys_and_values((k[:, 0],) * 2, q)),
        ("ValueError: S is 4 in keys and 5 in values", lambda: require.keys_and_values((k[:, :, 1:], k), q)),
        ("ValueError: past must hold keys (2, 11, 3, 7)", lambda: require.keys_and_values((k, k), q, q[:, 0])),
    )
