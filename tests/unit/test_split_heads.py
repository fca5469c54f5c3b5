"""split_heads and merge_heads, and which numbers of heads they take."""

import pytest
import torch

from helpers import require
from helpers.heads import MultiHeadAttention, merge_heads, split_heads

B, H, T, D = 2, 3, 5, 11
C = H * D


def random(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("lead", [(), (B,), (B, 2)], ids=str)
def test_head_h_of_token_t_is_columns_hd_to_h_plus_1_d(lead):
    x = random(*lead, T, C)
    split = split_heads(x, H)
    assert split.shape == (*lead, H, T, D)
    for h in range(H):
        for t in range(T):
            assert torch.equal(split[..., h, t, :], x[..., t, h * D : (h + 1) * D])


@pytest.mark.parametrize("num_heads", [1, H, C])
def test_merge_is_the_inverse_of_split(num_heads):
    x, split = random(B, T, C), random(B, num_heads, T, C // num_heads)
    assert torch.equal(merge_heads(split_heads(x, num_heads)), x)
    assert torch.equal(split_heads(merge_heads(split), num_heads), split)


def test_split_and_merge_say_what_is_wrong():
    with pytest.raises(ValueError, match=r"x must be \(..., T, C\), got \(33,\)"):
        split_heads(random(C), H)
    with pytest.raises(ValueError, match="got 2 heads for d_model = 33; a number near it that does is 1"):
        split_heads(random(T, C), 2)
    with pytest.raises(ValueError, match=r"x must be \(..., H, T, D\), got \(5, 11\); there are no heads to merge"):
        merge_heads(random(T, D))


@pytest.mark.parametrize(
    "d_model, num_heads, error, words",
    [
        (33, 10, ValueError, "must divide d_model, got 10 heads for d_model = 33; a number near it that does is 11"),
        (33, 34, ValueError, "a number near it that does is 33"),
        (12, 5, ValueError, "a number near it that does is 4"),
        (33, 0, ValueError, "num_heads must be at least 1, got 0"),
        (33, -3, ValueError, "num_heads must be at least 1, got -3"),
        (33, 3.0, TypeError, "num_heads must be a whole number, got 3.0"),
        (33, True, TypeError, "num_heads must be a whole number, got True"),
        (33, "3", TypeError, "num_heads must be a whole number, got '3'"),
        (0, 1, ValueError, "d_model must be at least 1, got 0"),
        (33.0, 3, TypeError, "d_model must be a whole number, got 33.0"),
    ],
)
def test_the_number_of_heads_must_divide_the_width(d_model, num_heads, error, words):
    with pytest.raises(error, match=words):
        require.divides(num_heads=num_heads, d_model=d_model)
    with pytest.raises(error, match=words):
        MultiHeadAttention(d_model, num_heads)
