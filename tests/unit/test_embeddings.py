"""From ids to vectors, and positions against the formula in another language: math.sin in a loop."""

import copy
import math

import pytest
import torch
import torch.nn.functional as F

from helpers.embeddings import (
    LearnedPositions,
    TokenEmbedding,
    add_positions,
    embed,
    pca,
    sinusoidal_positions,
)

V, B, T, C = 17, 2, 5, 14


def table(dtype=torch.float32):
    return torch.randn(V, C, dtype=torch.float64).to(dtype).requires_grad_()


# ---------------------------------------------------------------- embed


@pytest.mark.parametrize("shape", [(), (T,), (B, T), (B, 3, T), (0,)], ids=str)
def test_embed_takes_a_row_for_each_id(shape):
    ids, rows = torch.randint(V, shape), table()
    out = embed(ids, rows)
    assert out.shape == (*shape, C)
    assert torch.equal(out, F.embedding(ids, rows))
    torch.testing.assert_close(out, F.one_hot(ids, V).float() @ rows, rtol=0, atol=0)
    if shape == (T,):
        assert torch.equal(out, torch.stack([rows[int(id)] for id in ids]))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64], ids=str)
def test_ids_of_every_integer_dtype_take_the_same_rows(dtype):
    ids, rows = torch.tensor([[0, 1, 16], [1, 1, 0]]), table()
    assert torch.equal(embed(ids.to(dtype), rows), F.embedding(ids, rows))


def test_uint8_ids_are_not_taken_for_a_mask():
    rows = table()
    ids = torch.ones(V, dtype=torch.uint8)
    assert torch.equal(embed(ids, rows), rows[1].expand(V, C))


def test_gradients_reach_the_rows_used_and_add_up():
    rows = table()
    weight = torch.randn(4, C)
    (embed(torch.tensor([3, 5, 3, 3]), rows) * weight).sum().backward()
    expected = torch.zeros(V, C)
    expected[3], expected[5] = weight[0] + weight[2] + weight[3], weight[1]
    torch.testing.assert_close(rows.grad, expected)


def test_embed_returns_a_copy_and_modifies_nothing():
    rows, ids = table().detach(), torch.tensor([[2, 0], [16, 2]])
    before = rows.clone(), ids.clone()
    embed(ids, rows).zero_()
    assert torch.equal(rows, before[0]) and torch.equal(ids, before[1])


@pytest.mark.parametrize(
    "ids, error, words",
    [
        (
            torch.tensor([1, 17, 99]),
            ValueError,
            "ids must lie between 0 and 16, since the table has 17 rows, got 17; were",
        ),
        (torch.tensor([[1, -1]]), ValueError, "between 0 and 16, .* got -1"),
        (torch.tensor(17), ValueError, "got 17"),
        (torch.tensor([1.0]), TypeError, "ids must be a tensor of whole numbers, got torch.float32"),
        (torch.tensor([True]), TypeError, "got torch.bool"),
        (torch.tensor([1j]), TypeError, "got torch.complex64"),
        ([1, 2], TypeError, r"got list; make one with torch.tensor\(ids\)"),
        (3, TypeError, "got int"),
    ],
)
def test_errors_name_the_first_id_that_is_not_a_row(ids, error, words):
    for take in (lambda: embed(ids, table()), lambda: TokenEmbedding(V, C)(ids)):
        with pytest.raises(error, match=words) as caught:
            take()
        assert len(str(caught.value)) < 160 and "\n" not in str(caught.value)


# ---------------------------------------------------------------- sinusoidal positions


@pytest.mark.parametrize("length, d_model", [(5000, 512), (211, 14), (7, 2), (1, 6)])
def test_positions_match_the_formula(length, d_model):
    positions = sinusoidal_positions(length, d_model)
    assert positions.shape == (length, d_model) and positions.dtype == torch.float32
    some = sorted({*range(0, length, 97), *range(min(length, 12)), length - 1})
    expected = [
        [
            (math.cos if column % 2 else math.sin)(position / 10000 ** (column // 2 * 2 / d_model))
            for column in range(d_model)
        ]
        for position in some
    ]
    torch.testing.assert_close(positions[some].double(), torch.tensor(expected, dtype=torch.float64), rtol=0, atol=1e-6)


def test_the_first_position_is_0_1_0_1():
    assert sinusoidal_positions(3, 6)[0].tolist() == [0, 1, 0, 1, 0, 1]
    assert sinusoidal_positions(3, 2)[1].tolist() == pytest.approx([math.sin(1), math.cos(1)], abs=1e-7)


@pytest.mark.parametrize("shift", [1, 7, 50])
def test_a_shift_is_the_same_rotation_everywhere(shift):
    positions = sinusoidal_positions(211, C)
    pairs = positions.view(211, C // 2, 2)
    for wave in range(C // 2):
        angle = shift / 10000 ** (2 * wave / C)
        rotation = torch.tensor([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
        torch.testing.assert_close(pairs[shift:, wave], pairs[:-shift, wave] @ rotation.T, rtol=0, atol=1e-6)


def test_the_dot_product_depends_on_the_distance_alone():
    positions = sinusoidal_positions(101, 64).double()
    dots = positions @ positions.T
    torch.testing.assert_close(dots.diagonal(), torch.full((101,), 32.0, dtype=torch.float64), rtol=0, atol=1e-5)
    for distance in (1, 5, 60):
        expected = sum(math.cos(distance / 10000 ** (2 * wave / 64)) for wave in range(32))
        diagonal = dots.diagonal(distance)
        torch.testing.assert_close(diagonal, torch.full_like(diagonal, expected), rtol=0, atol=1e-5)
    assert dots[0, 1] > dots[0, 5] > dots[0, 60]


def test_no_two_positions_are_equal():
    positions = sinusoidal_positions(5000, 8)
    assert positions.unique(dim=0).size(0) == 5000


@pytest.mark.parametrize(
    "length, d_model, error, words",
    [
        (5, 7, ValueError, "d_model must be even, since each wave has a sine and a cosine column, got 7; take 8"),
        (5, 1, ValueError, "must be even, .* got 1; take 2"),
        (5, 0, ValueError, "d_model must be at least 1, got 0"),
        (5, -2, ValueError, "d_model must be at least 1, got -2"),
        (5, 8.0, TypeError, "d_model must be a whole number, got 8.0"),
        (0, 8, ValueError, "length must be at least 1, got 0"),
        (-1, 8, ValueError, "length must be at least 1, got -1"),
        (5.0, 8, TypeError, "length must be a whole number, got 5.0"),
        (True, 8, TypeError, "length must be a whole number, got True"),
        (None, 8, TypeError, "length must be a whole number, got None"),
    ],
)
def test_sizes_of_positions_are_checked(length, d_model, error, words):
    with pytest.raises(error, match=words):
        sinusoidal_positions(length, d_model)


# ---------------------------------------------------------------- add_positions


@pytest.mark.parametrize("lead", [(), (B,), (B, 3)], ids=str)
@pytest.mark.parametrize("length", [1, T, 11])
def test_each_vector_gets_the_row_of_its_position(lead, length):
    x, positions = torch.randn(*lead, length, C), torch.randn(11, C)
    before = x.clone(), positions.clone()
    out = add_positions(x, positions)
    for t in range(length):
        torch.testing.assert_close(out[..., t, :], x[..., t, :] + positions[t])
    assert torch.equal(x, before[0]) and torch.equal(positions, before[1])


@pytest.mark.parametrize(
    "x, error, words",
    [
        (torch.zeros(B, 12, C), ValueError, "x has 12 positions, but there are only 11 to add; shorten x, or make"),
        (torch.zeros(B, T, C + 1), ValueError, r"x must be \(..., T, C\).*: C is 15 in x and 14 in positions"),
        (torch.zeros(B, T, 1), ValueError, r"x must be \(..., T, C\).*: C is 1 in x and 14 in positions"),
        (
            torch.zeros(C),
            ValueError,
            r"x must be \(..., T, C\) and positions \(P, C\), got x \(14,\), positions \(11, 14\)",
        ),
        (torch.zeros(B, C, dtype=torch.long), TypeError, "got torch.int64; token ids go through an embedding first"),
        ([[0.0] * C], TypeError, "x must be a tensor of floats, got list"),
    ],
)
def test_errors_say_how_x_does_not_fit_the_positions(x, error, words):
    for add in (lambda x: add_positions(x, torch.zeros(11, C)), LearnedPositions(11, C)):
        with pytest.raises(error, match=words) as caught:
            add(x)
        assert len(str(caught.value)) < 160 and "\n" not in str(caught.value)


# ---------------------------------------------------------------- the modules


def test_token_embedding_scales_its_rows_by_the_root_of_the_width():
    module, ids = TokenEmbedding(V, C), torch.randint(V, (B, T))
    torch.testing.assert_close(module(ids), F.embedding(ids, module.table) * math.sqrt(C))
    assert module(ids[0, 0]).shape == (C,)
    assert [name for name, _ in module.named_parameters()] == ["table"] == list(module.state_dict())


def test_token_embedding_starts_with_entries_of_about_1():
    rows = TokenEmbedding(1009, 64)(torch.arange(1009)).detach()
    assert abs(rows.std().item() - 1) < 0.02 and abs(rows.mean().item()) < 0.02  # 64576 draws: 0.004 is one deviation


def test_token_embedding_learns_only_the_rows_that_were_used():
    module = TokenEmbedding(V, C)
    module(torch.tensor([[3, 5], [3, 3]])).sum().backward()
    counts = torch.zeros(V)
    counts[3], counts[5] = 3, 1
    torch.testing.assert_close(module.table.grad, (counts * math.sqrt(C))[:, None].expand(V, C))


def test_learned_positions_are_added_trained_and_saved():
    module, x = LearnedPositions(11, C), torch.randn(B, T, C)
    torch.testing.assert_close(module(x), x + module.positions[:T])
    assert list(module.state_dict()) == ["positions"]
    module(x).sum().backward()
    assert torch.equal(module.positions.grad, torch.cat([torch.full((T, C), float(B)), torch.zeros(11 - T, C)]))


def test_learned_positions_start_small():
    assert abs(LearnedPositions(512, 64).positions.detach().std().item() - 0.02) < 0.001


def test_positions_follow_the_module_to_another_device_and_dtype():
    module = LearnedPositions(11, C)
    moved = copy.deepcopy(module).to("meta")
    assert moved.positions.device.type == "meta" and moved(torch.empty(B, T, C, device="meta")).device.type == "meta"
    assert copy.deepcopy(module).bfloat16()(torch.randn(B, T, C).bfloat16()).dtype == torch.bfloat16
    assert copy.deepcopy(module).double()(torch.randn(B, T, C).double()).dtype == torch.float64


@pytest.mark.parametrize("dtype, result", [(torch.float64, torch.float64), (torch.bfloat16, torch.float32)], ids=str)
def test_x_of_another_dtype_is_added_in_the_wider_one(dtype, result):
    """As + does in PyTorch; the attention that follows refuses a dtype that is not its own."""
    x = torch.randn(B, T, C).to(dtype)
    out = add_positions(x, sinusoidal_positions(11, C))
    assert out.dtype == result
    torch.testing.assert_close(out, x.to(result) + sinusoidal_positions(T, C).to(result), rtol=0, atol=0)


def test_modules_do_not_modify_their_inputs():
    x, ids = torch.randn(B, T, C), torch.randint(V, (B, T))
    before = x.clone(), ids.clone()
    LearnedPositions(11, C)(x)
    TokenEmbedding(V, C)(ids)
    assert torch.equal(x, before[0]) and torch.equal(ids, before[1])


@pytest.mark.parametrize(
    "build, error, words",
    [
        (lambda: TokenEmbedding(0, C), ValueError, "vocabulary_size must be at least 1, got 0"),
        (lambda: TokenEmbedding(V, 0), ValueError, "d_model must be at least 1, got 0"),
        (lambda: TokenEmbedding(V, 8.0), TypeError, "d_model must be a whole number, got 8.0"),
        (lambda: TokenEmbedding({"a": 0}, 8), TypeError, "vocabulary_size must be a whole number, got {'a': 0}"),
        (lambda: LearnedPositions(0, C), ValueError, "context_length must be at least 1, got 0"),
        (lambda: LearnedPositions(11, -1), ValueError, "d_model must be at least 1, got -1"),
        (lambda: LearnedPositions(True, C), TypeError, "context_length must be a whole number, got True"),
    ],
)
def test_sizes_of_modules_are_checked(build, error, words):
    with pytest.raises(error, match=words):
        build()


def test_the_order_of_words_matters_only_with_positions():
    ids = torch.tensor([[4, 9, 2]])
    words, positions = TokenEmbedding(V, C), sinusoidal_positions(11, C)
    assert torch.equal(words(ids.flip(1)), words(ids).flip(1))
    placed, flipped = add_positions(words(ids), positions), add_positions(words(ids.flip(1)), positions)
    assert (flipped - placed.flip(1)).abs().max() > 0.1


def test_pca_keeps_a_plane_in_many_dimensions():
    generator = torch.Generator().manual_seed(0)
    plane = torch.randn(7, 2, generator=generator, dtype=torch.float64) * torch.tensor([5.0, 2.0])
    turned = torch.linalg.qr(torch.randn(11, 11, generator=generator, dtype=torch.float64)).Q[:2]  # 2 of 11
    flat, kept = pca(plane @ turned + 3.0)
    assert flat.shape == (7, 2)
    assert kept == pytest.approx(1.0)  # nothing but the plane differs
    torch.testing.assert_close(torch.cdist(flat, flat), torch.cdist(plane, plane))
    assert flat[:, 0].var() > flat[:, 1].var()
    torch.testing.assert_close(pca(plane @ turned)[0], flat)  # where they stand does not matter, nor does a sign


def test_pca_equals_the_eigenvectors_of_the_covariance_matrix():
    rows = torch.randn(9, 4, dtype=torch.float64) * torch.tensor([1.0, 4.0, 2.0, 3.0])
    variances, directions = torch.linalg.eigh(rows.T.cov())  # from the smallest to the largest
    largest = directions.T[[-1, -2]]  # (2, C)
    largest = torch.stack([row if row.sum() > 0 else -row for row in largest])
    flat, kept = pca(rows)
    torch.testing.assert_close(flat, torch.stack([(rows - rows.mean(0)) @ row for row in largest], dim=1))
    assert kept == pytest.approx((variances[-1] + variances[-2]).item() / variances.sum().item()) and kept < 0.99
