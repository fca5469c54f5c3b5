"""Patterns of shapes, in which the model's guards are written; what each guard says is tested with its module."""

import pytest
import torch

from helpers import require

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
